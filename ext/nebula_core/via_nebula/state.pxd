# The state of a game of Via Nebula: a flat struct, everything that lies on the table and in the hands, and a few sets
# that follow from it and would be dear to find anew at each decision.
#
# In memory (bytes):
#
#     empty, frontier 32 | sites[4][3] 96 | storehouse, reserve 40 | hand, done 64 | tokens, exploited, own 24 |
#     reach[4][3] 48 | free ruins 4 | taken 64 | meadow 32 | ruins of sites 12, of buildings 32 | open 8 | unknown 8 |
#     the rest 19
#
# Unused elements are 0, also of arrays of pieces and cards, except that a site at home stands on ruin NO_PLACE, as does
# one that nobody has: two equal states are equal byte for byte.

from libc.stdint cimport uint8_t, uint16_t, uint32_t, uint64_t

from nebula_core.via_nebula.hexes cimport Hexes
from nebula_core.via_nebula.tables cimport (
    MAX_BUILDINGS, MAX_MEADOWS, MAX_OPEN, MAX_SITES, MAX_TOKEN_KINDS
)

cdef enum:
    SEATS = 4
    NO_SEAT = 0xFF
    NO_CARD = 0xFE
    UNKNOWN_CARD = 0xFF

cdef enum Phase:
    PHASE_SETUP         # chance: whatever the setup lacks first
    PHASE_TURN          # an action, or the turn's end; there are action points
    PHASE_OPEN          # chance: a card for the open place that is empty
    PHASE_DRAW          # chance: a card of the deck for `seat`
    PHASE_EFFECT        # a part of `effect`, or decline; never without a possible part
    PHASE_FINISHED

ctypedef struct ViaNebulaState:
    Hexes empty                                    # the empty meadows
    Hexes frontier                                 # follows: the neighbours of empty meadows
    uint64_t site[SEATS][MAX_SITES]                # bundles
    uint64_t storehouse[SEATS]                     # bundles
    uint64_t reserve                               # a bundle
    uint64_t hand[SEATS]                           # the known cards
    uint64_t done[SEATS]
    uint32_t tokens                                # the meadows with a token
    uint32_t exploited                             # the meadows with an exploitation
    uint32_t own[SEATS]                            # those with a craftsman of this seat
    uint32_t reach[SEATS][MAX_SITES]               # follows: the meadows that are connected to a site
    uint32_t free_ruins                            # follows: the ruins with a free place
    uint16_t taken[MAX_TOKEN_KINDS]                # how many tokens of a kind each seat took, 4 bits a seat
    uint8_t meadow[MAX_MEADOWS]                    # a kind of token; of an exploitation, its resource and count
    uint8_t ruin[SEATS][MAX_SITES]                 # where a site stands
    uint8_t building[SEATS][MAX_BUILDINGS]         # the ruins, ascending
    uint8_t open[MAX_OPEN]                         # a card or NO_CARD
    uint8_t unknown_neutral[SEATS]                 # cards in hand that are not known
    uint8_t unknown_private[SEATS]
    uint8_t buildings[SEATS]                       # how many stand
    uint8_t tiles[SEATS]                           # in all stacks; the leftmost ones are used up first
    uint8_t stock                                  # the common tiles
    uint8_t players
    uint8_t map
    uint8_t phase
    uint8_t seat
    uint8_t action_points
    uint8_t effect                                 # whose parts are not all carried out
    uint8_t parts                                  # of it that are left
    uint8_t end_card                               # a seat or NO_SEAT
    uint8_t acted                                  # in this turn
    uint8_t idle                                   # turns in a row without an action; 0 once the seat in turn acted
    uint8_t boxed                                  # in the setup: the special tokens that went back, as a set


# An exploitation in `meadow`.

cdef inline uint8_t exploitation(int resource, int count) noexcept nogil:
    """A number of one resource."""
    return count << 3 | resource


cdef inline int resource_of(uint8_t meadow) noexcept nogil:
    """The resource of an exploitation."""
    return meadow & 7


cdef inline int count_of(uint8_t meadow) noexcept nogil:
    """How much of it is left."""
    return meadow >> 3
