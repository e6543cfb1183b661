# How to search: the parameters, and the reward that the end of a simulation is turned into. Knows no game.
#
# A reward is a number from 0 to 1, held as a whole number of REWARD_ONE parts, so that sums are exact and the same on
# every machine. A player wants to win, and then to win by more (or, having lost, to lose by less):
#
#     reward = win_weight * share + (1 - win_weight) * (1/2 + margin / (2 * decisive_lead))
#
#     share    the player's part of the win, 0 to 1
#     margin   its points less those of the best other player, but no better than its result and no worse:
#              a winner's is 0 to decisive_lead, a loser's -decisive_lead to 0, who shares the win has 0
#
# So every win, also one on a tie-break, is worth more than every shared win, a win shared by fewer more than one shared
# by more, and each of these more than every loss, whatever the weight; the margin decides only within one result.
#
# A playout that is cut off is worth what its position promises:
#
#     reward = 1/2 + margin / (2 * (abs(margin) + decisive_lead / 4))
#
#     margin   the player's promised points less those of the best other player

from libc.stdint cimport int32_t, int64_t, uint32_t

from nebula_core.game cimport POINT_PARTS, WHOLE_WIN

cdef enum:
    # With it, the sum of 2**32 rewards fits an int64.
    REWARD_ONE = 1 << 30
    # The longest path that the tree can hold, in moves.
    MAX_DEPTH = 512
    # The most turns that a playout may be cut off after.
    MAX_PLAYOUT_TURNS = 1000
    # The most moves that a playout chooses among.
    MAX_PLAYOUT_CHOICES = 16

ctypedef struct SearchParameters:
    # How much a rarely visited move draws the selection: the c of c * sqrt(ln(availability) / visits), in rewards.
    # 0 to 10. Default 0.7, which is what Cowling, Powley and Whitehouse (2012) use for rewards from 0 to 1; the plain
    # search keeps it. For cut playouts 0.1 is better (docs/strength.md).
    double exploration
    # The part of the reward that the result alone decides; no unit. 0.01 to 1 (only the result counts). Default 0.8; a
    # convention, not measured.
    double win_weight
    # The tree holds paths of this many moves at most; beyond them a simulation is a playout. 1 to MAX_DEPTH, the
    # default: more than a game lasts, so that it only bounds memory.
    uint32_t max_depth
    # A playout is cut off once the decision has passed from one seat to another so many times since the root, and its
    # position is estimated. 1 to MAX_PLAYOUT_TURNS; 0, the default, plays every game to its end. Since the root, not
    # since the way left the tree: else the moves that are looked into deeper are judged at another time than the rest.
    uint32_t playout_turns
    # Playouts draw so many sensible moves and make the one whose position promises its mover most, the first among
    # equals. 1 to MAX_PLAYOUT_CHOICES; 0, the default, makes uniformly random moves.
    uint32_t playout_choices


cdef inline int64_t margin_of(int players, const int32_t* numbers, int seat) noexcept nogil:
    """A seat's number less the highest of another seat."""
    cdef int32_t best = numbers[1 if seat == 0 else 0]
    cdef int other
    for other in range(players):
        if other != seat and numbers[other] > best:
            best = numbers[other]
    return <int64_t>numbers[seat] - best


cdef inline void rewards_of(
    const SearchParameters* parameters,
    int32_t decisive_lead,
    int players,
    const int32_t* points,
    const int32_t* win_shares,
    int64_t* rewards,
) noexcept nogil:
    """What a finished game is worth to each player, in parts of REWARD_ONE."""
    cdef int64_t for_result = <int64_t>(parameters.win_weight * REWARD_ONE + 0.5)
    cdef int64_t for_margin = REWARD_ONE - for_result
    cdef int64_t margin
    cdef int seat
    for seat in range(players):
        margin = 0
        if win_shares[seat] == 0 or win_shares[seat] == WHOLE_WIN:
            margin = margin_of(players, points, seat)
            if win_shares[seat] == 0:
                margin = max(<int64_t>-decisive_lead, min(margin, 0))
            else:
                margin = max(<int64_t>0, min(margin, decisive_lead))
        rewards[seat] = (
            for_result * win_shares[seat] // WHOLE_WIN
            + for_margin * (decisive_lead + margin) // (2 * <int64_t>decisive_lead)
        )


cdef inline void estimated_rewards(
    int32_t decisive_lead,
    int players,
    const int32_t* parts,
    int32_t* points,
    int32_t* win_shares,
    int64_t* rewards,
) noexcept nogil:
    """What a position is worth to each player, from the estimates of all of them.

    The points are the promised ones; the win is shared by those who are promised most.
    """
    cdef int64_t half = max(<int64_t>1, <int64_t>decisive_lead * POINT_PARTS // 4)
    cdef int64_t margin
    cdef int leaders = 0
    cdef int seat
    for seat in range(players):
        margin = margin_of(players, parts, seat)
        # Margins of less than 2**32 parts: the product fits.
        rewards[seat] = REWARD_ONE // 2 + (REWARD_ONE // 2) * margin // (half + (margin if margin >= 0 else -margin))
        points[seat] = parts[seat] // POINT_PARTS
        win_shares[seat] = margin >= 0
        leaders += margin >= 0
    for seat in range(players):
        win_shares[seat] *= WHOLE_WIN // leaders
