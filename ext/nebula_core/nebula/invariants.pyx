"""The invariants of a state of Nebula: what must be true of it whoever made it, each with the field that breaks it.

The order of the checks matters: each reads only what the ones before it have found in range, so that any content of the
struct may be checked. Fields are named as in `Fields` (rules.pyi).
"""

from libc.stdint cimport uint32_t

from nebula_core.errors import StateError

from nebula_core.bits cimport lowest, popcount
from nebula_core.nebula.counters cimport galaxy_of
from nebula_core.nebula.play cimport (
    NEED_NOTHING, Missing, can_place, end_triggered, first_empty, has_chosen, missing_in_setup, placing_limit, satisfies
)
from nebula_core.nebula.state cimport (
    NO_CARD, NO_PIECE, PHASE_ADVANCE, PHASE_CHOOSE, PHASE_DRAW, PHASE_FINISHED, PHASE_KEEP, PHASE_PLACE, PHASE_REFILL,
    PHASE_SETUP, PHASE_SUPERNOVA, PHASE_TAKE, PHASE_TURN, UNKNOWN_CARD, NebulaState
)
from nebula_core.nebula.tables cimport Tables, linked_to


cdef int check_state(const Tables* tables, const NebulaState* state) except -1:
    check_ranges(tables, state)
    check_cards(tables, state)
    check_galaxies(tables, state)
    check_pieces(tables, state)
    if before_first_move(state):
        check_nothing_played(tables, state)
    if state.phase == PHASE_SETUP:
        check_setup(tables, state)
    else:
        check_setup_done(tables, state)
        check_turn(tables, state)
        check_progress(tables, state)
        check_markers(tables, state)
    return 0


cdef bint before_first_move(const NebulaState* s) noexcept:
    """Whether nobody has invested or given in to chaos yet."""
    return s.phase <= PHASE_CHOOSE or (s.phase == PHASE_TURN and s.round == 1 and s.seat == 0)


cdef int check_ranges(const Tables* t, const NebulaState* s) except -1:
    cdef int seat
    cdef int i
    cdef int k
    if s.phase > PHASE_FINISHED:
        raise StateError("phase", f"must be from 0 to {PHASE_FINISHED}, not {s.phase}")
    if s.seat >= s.players:
        raise StateError("seat", f"must be from 0 to {s.players - 1}, not {s.seat}")
    if s.round == 0:
        raise StateError("round", "must be 1 or more, not 0")
    if s.supernova >= t.colors and s.supernova != NO_PIECE:
        raise StateError("supernova", f"must be a colour or nothing, not {s.supernova}")
    if s.took_supernova > 1:
        raise StateError("took_supernova", f"must be 0 or 1, not {s.took_supernova}")
    if s.placed >> (t.colors + 1):
        raise StateError("placed", f"must be a set of pieces, not {s.placed:#x}")
    for i in range(t.clusters):
        if s.figures[i] >= t.cluster_spaces:
            raise StateError(f"figures[{i}]", f"must be from 0 to {t.cluster_spaces - 1}, not {s.figures[i]}")
        for k in range(t.cluster_spaces):
            if s.clusters[i][k] > t.colors and s.clusters[i][k] != NO_PIECE:
                raise StateError(f"clusters[{i}][{k}]", f"must be a piece or nothing, not {s.clusters[i][k]}")
    for seat in range(s.players):
        if s.holes[seat] > t.track:
            raise StateError(f"holes[{seat}]", f"must be from 0 to {t.track}, not {s.holes[seat]}")
    if s.full:
        for i in range(t.colors):
            check_value(s.color_value[i], t.color_values, f"color_values[{i}]")
        for i in range(t.constellation_count):
            check_value(s.constellation_value[i], t.constellation_values, f"constellation_values[{i}]")
        for i in range(t.advanced_in_play):
            check_value(s.advanced_value[i], t.advanced_values, f"advanced_values[{i}]")
    return 0


cdef int check_value(int value, int scale, str field) except -1:
    if value >= scale:
        raise StateError(field, f"the marker is off its scale: must be from 0 to {scale - 1}, not {value}")
    return 0


cdef int check_cards(const Tables* t, const NebulaState* s) except -1:
    """Cards in range, none twice; markers of seats that are there, in an order."""
    cdef int seat
    cdef int i
    cdef int order
    cdef int marked
    seen = set()
    for i in range(t.public_in_play):
        check_card(s.public_card[i], t.public_cards, False, f"public[{i}]", seen)
    seen = set()
    for i in range(t.advanced_in_play if s.full else 0):
        check_card(s.advanced_card[i], t.advanced_cards, False, f"advanced[{i}]", seen)
    seen = set()
    for seat in range(s.players):
        for i in range(t.personal_dealt):
            check_card(s.personal[seat][i], t.personal_cards, True, f"personal[{seat}][{i}]", seen)
    for i in range(t.public_in_play):
        marked = 0
        order = s.marker_order[i]
        while popcount(marked) < popcount(s.marked[i]) and not marked >> (order & 3) & 1:
            marked |= 1 << (order & 3)
            order >>= 2
        if marked != s.marked[i] or marked >> s.players or order:
            raise StateError(f"markers[{i}]", "must be different seats in their order")
        if marked and s.public_card[i] == NO_CARD:
            raise StateError(f"markers[{i}]", "there is no task to bear a marker")
    return 0


cdef int check_card(int card, int cards, bint may_be_unknown, str field, set seen) except -1:
    if card == NO_CARD or (card == UNKNOWN_CARD and may_be_unknown):
        return 0
    if card >= cards:
        raise StateError(field, f"must be a card from 0 to {cards - 1}, not {card}")
    if card in seen:
        raise StateError(field, "is there twice")
    seen.add(card)
    return 0


cdef int check_galaxies(const Tables* t, const NebulaState* s) except -1:
    cdef uint32_t galaxy
    cdef uint32_t reached
    cdef uint32_t wider
    cdef uint32_t clash
    cdef int seat
    cdef int color
    for seat in range(s.players):
        galaxy = 0
        for color in range(t.colors):
            if s.stars[seat][color] & ~t.all_spaces:
                raise StateError(f"galaxy[{seat}]", f"a star stands on a space beyond the {t.space_count} there are")
            clash = s.stars[seat][color] & galaxy
            if clash:
                raise StateError(f"galaxy[{seat}][{lowest(clash)}]", "two stars stand on one space")
            galaxy |= s.stars[seat][color]
            clash = s.stars[seat][color] & linked_to(t, s.stars[seat][color])
            if clash:
                raise StateError(
                    f"galaxy[{seat}][{lowest(clash)}]", "is linked to a star of the same colour"
                )
        reached = galaxy & t.first_star_spaces
        if galaxy and not reached:
            raise StateError(f"galaxy[{seat}]", "has no star where the first one must stand")
        # The first star is one of them and the others were linked to it one by one.
        reached &= ~(reached - 1)
        wider = reached | (linked_to(t, reached) & galaxy)
        while wider != reached:
            reached = wider
            wider = reached | (linked_to(t, reached) & galaxy)
        if reached != galaxy:
            raise StateError(
                f"galaxy[{seat}][{lowest(galaxy & ~reached)}]", "has no link to the stars placed before it"
            )
    return 0


cdef int check_pieces(const Tables* t, const NebulaState* s) except -1:
    """Every piece of the edition is somewhere, and only once."""
    cdef int piece
    cdef int seat
    cdef int i
    cdef int k
    cdef int found
    cdef int must
    for piece in range(t.colors + 1):
        must = t.stars_per_color if piece < t.colors else t.black_holes[s.players]
        found = s.bag[piece] + s.removed[piece] + s.drawn[piece] + (s.supernova == piece)
        for i in range(t.clusters):
            for k in range(t.cluster_spaces):
                found += s.clusters[i][k] == piece
        for seat in range(s.players):
            found += s.observatory[seat][piece]
            found += popcount(s.stars[seat][piece]) if piece < t.colors else s.holes[seat]
        if found != must:
            raise StateError(f"bag[{piece}]", f"there are {found} of this piece in all places, but must be {must}")
    return 0


cdef int check_nothing_played(const Tables* t, const NebulaState* s) except -1:
    """In the setup and at the choice of personal tasks the boards are empty."""
    cdef int seat
    cdef int i
    if s.round != 1:
        raise StateError("round", f"must be 1 before the first turn, not {s.round}")
    for i in range(t.clusters):
        if s.figures[i]:
            raise StateError(f"figures[{i}]", "must stand at space 0 before the first turn")
    for seat in range(s.players):
        if galaxy_of(s, seat):
            raise StateError(f"galaxy[{seat}]", "must be empty before the first turn")
        if s.holes[seat]:
            raise StateError(f"holes[{seat}]", "must be 0 before the first turn")
    for i in range(t.colors + 1):
        if s.removed[i]:
            raise StateError(f"removed[{i}]", "must be 0 before the first turn")
        if s.drawn[i]:
            raise StateError(f"drawn[{i}]", "must be 0 before the first turn")
    for i in range(t.public_in_play):
        if s.marked[i]:
            raise StateError(f"markers[{i}]", "must be empty before the first turn")
    if s.full:
        for i in range(t.colors):
            check_not_advanced(s.color_value[i], f"color_values[{i}]")
        for i in range(t.constellation_count):
            check_not_advanced(s.constellation_value[i], f"constellation_values[{i}]")
        for i in range(t.advanced_in_play):
            check_not_advanced(s.advanced_value[i], f"advanced_values[{i}]")
    return 0


cdef int check_not_advanced(int value, str field) except -1:
    if value:
        raise StateError(field, f"must be 0 before the first turn, not {value}")
    return 0


cdef int check_setup(const Tables* t, const NebulaState* s) except -1:
    """Everything up to the first thing missing is there, and nothing after it."""
    cdef Missing missing = missing_in_setup(t, s)
    cdef int seat
    cdef int i
    cdef int k
    cdef int total
    if s.seat:
        raise StateError("seat", f"must be 0 in the setup, not {s.seat}")
    if missing.need == NEED_NOTHING:
        raise StateError("phase", "is the setup, but nothing is missing")
    check_quiet(t, s)
    # Each thing of the setup, in its order: once one is missing, all are.
    there = []
    for i in range(t.clusters):
        for k in range(t.cluster_spaces):
            there.append((s.clusters[i][k] != NO_PIECE, f"clusters[{i}][{k}]"))
    there.append((s.supernova != NO_PIECE, "supernova"))
    for seat in range(s.players):
        total = 0
        for i in range(t.colors + 1):
            total += s.observatory[seat][i]
        if total > t.observatory_pieces[seat]:
            raise StateError(f"observatory[{seat}]", f"holds {total} pieces in the setup, more than it gets")
        for i in range(t.observatory_pieces[seat]):
            there.append((total > i, f"observatory[{seat}]"))
    for i in range(t.public_in_play):
        there.append((s.public_card[i] != NO_CARD, f"public[{i}]"))
    for i in range(t.advanced_in_play if s.full else 0):
        there.append((s.advanced_card[i] != NO_CARD, f"advanced[{i}]"))
    for seat in range(s.players):
        for i in range(t.personal_dealt):
            there.append((s.personal[seat][i] != NO_CARD, f"personal[{seat}][{i}]"))
    before = True
    for is_there, field in there:
        if is_there and not before:
            raise StateError(field, "is there before an earlier thing of the setup")
        before = is_there
    return 0


cdef int check_quiet(const Tables* t, const NebulaState* s) except -1:
    """Between turns nothing of a turn is left."""
    if s.took_supernova:
        raise StateError("took_supernova", "can be true only from taking pieces to the end of the refill")
    if s.placed:
        raise StateError("placed", "can be there only while a seat places pieces")
    return 0


cdef int check_setup_done(const Tables* t, const NebulaState* s) except -1:
    cdef int seat
    cdef int i
    cdef int total
    cdef int unknown
    for i in range(t.public_in_play):
        if s.public_card[i] == NO_CARD:
            raise StateError(f"public[{i}]", "is missing after the setup")
    for i in range(t.advanced_in_play if s.full else 0):
        if s.advanced_card[i] == NO_CARD:
            raise StateError(f"advanced[{i}]", "is missing after the setup")
    for seat in range(s.players):
        unknown = 0
        for i in range(t.personal_dealt):
            if s.personal[seat][i] == NO_CARD:
                raise StateError(f"personal[{seat}][{i}]", "is missing after the setup")
            unknown += s.personal[seat][i] == UNKNOWN_CARD
        # Otherwise an unknown card would be a move beside the known ones, and a search would not know which it makes.
        if not has_chosen(s, seat) and 0 < unknown < t.personal_dealt:
            raise StateError(f"personal[{seat}]", "before the choice its cards are all known or all unknown")
        if before_first_move(s):
            total = 0
            for i in range(t.colors + 1):
                total += s.observatory[seat][i]
            if total != t.observatory_pieces[seat]:
                raise StateError(
                    f"observatory[{seat}]",
                    f"must hold {t.observatory_pieces[seat]} pieces before the first turn, not {total}",
                )
    if s.supernova == NO_PIECE and s.phase != PHASE_SUPERNOVA and s.bag_total > s.bag[t.colors]:
        raise StateError("supernova", "is missing, but the bag holds a star")
    return 0


cdef int check_turn(const Tables* t, const NebulaState* s) except -1:
    """What the phase says of the table."""
    cdef bint refillable = s.bag_total > 0 and first_empty(t, s) >= 0
    cdef bint placing = s.phase == PHASE_PLACE or s.phase == PHASE_ADVANCE
    cdef bint placed
    cdef int drawn = 0
    cdef int holes = 0
    cdef int values = 0
    cdef int seat
    cdef int i
    cdef int k
    if not placing:
        if s.placed:
            raise StateError("placed", "can be there only while a seat places pieces")
        if s.phase != PHASE_REFILL and s.took_supernova:
            raise StateError("took_supernova", "can be true only from taking pieces to the end of the refill")
    if s.took_supernova:
        if s.supernova == NO_PIECE:
            raise StateError("took_supernova", "must be false where there is no supernova")
        # Once the turn's placements are over it is forgotten which they were.
        placed = s.placed >> s.supernova & 1 if placing else s.stars[s.seat][s.supernova] != 0
        if not placed and s.observatory[s.seat][s.supernova] == 0:
            raise StateError("took_supernova", f"seat {s.seat} has no piece of the supernova's colour to show for it")
    for i in range(t.colors + 1):
        drawn += s.drawn[i]
        if s.placed >> i & 1 and (s.stars[s.seat][i] if i < t.colors else s.holes[s.seat]) == 0:
            raise StateError("placed", f"seat {s.seat} has one of them nowhere on its boards")
    if refillable:
        # Only what the figures took is missing before the refill; at all other times nothing is.
        for i in range(t.clusters):
            for k in range(t.cluster_spaces):
                if s.clusters[i][k] == NO_PIECE:
                    if not placing and s.phase != PHASE_REFILL:
                        raise StateError(f"clusters[{i}][{k}]", "must not be empty: the bag can fill it")
                    if s.figures[i] != k:
                        raise StateError(f"clusters[{i}][{k}]", "must not be empty: no figure stands there")
    for seat in range(s.players):
        holes += s.holes[seat]
    if s.full:
        for i in range(t.colors):
            values += s.color_value[i]
        for i in range(t.constellation_count):
            values += s.constellation_value[i]
        for i in range(t.advanced_in_play):
            values += s.advanced_value[i]
        if values > holes - (s.phase == PHASE_ADVANCE):
            raise StateError(
                "color_values", f"the value markers advanced {values} steps, with {holes} black holes placed"
            )
    if drawn and s.phase != PHASE_DRAW and s.phase != PHASE_KEEP:
        raise StateError("drawn", "can be there only between chaos and keep")
    if s.phase == PHASE_DRAW and (drawn >= t.draw or s.bag_total == 0):
        raise StateError("drawn", "chaos has drawn all its pieces: the phase must be to keep")
    if s.phase == PHASE_KEEP and (drawn > t.draw or drawn == 0 or (drawn < t.draw and s.bag_total)):
        raise StateError("drawn", f"must be {t.draw} pieces, or all that the bag had, not {drawn}")
    if placing and popcount(s.placed) > placing_limit(t, s):
        raise StateError("placed", f"more than {placing_limit(t, s)} pieces in one turn")
    if s.phase == PHASE_PLACE and (popcount(s.placed) == placing_limit(t, s) or not can_place(t, s)):
        raise StateError("phase", f"seat {s.seat} has no placement left: its turn goes on by itself")
    if s.phase == PHASE_ADVANCE and not (s.full and s.placed >> t.colors & 1):
        raise StateError("phase", "a marker advances only in the full game, after a black hole was placed")
    if s.phase == PHASE_REFILL and not refillable:
        raise StateError("phase", "is the refill, but nothing can be refilled")
    if s.phase == PHASE_SUPERNOVA and (s.supernova != NO_PIECE or s.bag_total == s.bag[t.colors]):
        raise StateError("phase", "is the drawing of a supernova, but there is one, or no star to draw")
    if s.phase == PHASE_FINISHED and not (s.seat == s.players - 1 and end_triggered(t, s)):
        raise StateError("phase", "is finished, but the end is not triggered, or its round not over")
    if (s.phase == PHASE_TURN or s.phase == PHASE_TAKE) and s.seat == 0 and s.round > 1 and end_triggered(t, s):
        raise StateError("phase", "the end was triggered before this round: the game is finished")
    return 0


cdef int turns_finished(const NebulaState* s) noexcept:
    """How many turns are over."""
    if s.phase == PHASE_CHOOSE:
        return 0
    return (s.round - 1) * s.players + s.seat + (s.phase == PHASE_FINISHED)


cdef int in_setup(const Tables* t, int players) noexcept:
    """How many pieces the setup draws."""
    cdef int pieces = t.clusters * t.cluster_spaces + 1
    cdef int seat
    for seat in range(players):
        pieces += t.observatory_pieces[seat]
    return pieces


cdef bint in_chaos(const Tables* t, const NebulaState* s) noexcept:
    """Whether the turn that goes on collects, or has collected, by chaos, as long as its placements are not over."""
    cdef int i
    if s.phase == PHASE_DRAW or s.phase == PHASE_KEEP:
        return True
    if s.phase != PHASE_PLACE and s.phase != PHASE_ADVANCE:
        return False
    # Whoever invests takes a piece if there is one, so that a figure stands at an empty space until the refill.
    for i in range(t.clusters):
        if s.clusters[i][s.figures[i]] == NO_PIECE:
            return False
    return True


cdef int drawn_in_turn(const Tables* t, const NebulaState* s) noexcept:
    """How many pieces the turn that goes on has certainly drawn, in a state with a bag that is not empty."""
    cdef int drawn = 0
    cdef int i
    if not in_chaos(t, s):
        return 0
    if s.phase != PHASE_DRAW:
        return t.draw
    for i in range(t.colors + 1):
        drawn += s.drawn[i]
    return drawn


cdef int check_progress(const Tables* t, const NebulaState* s) except -1:
    """No more has happened than the turns so far allow, and no more turns than what has happened allows."""
    cdef bint collected = s.phase == PHASE_PLACE or s.phase == PHASE_ADVANCE
    cdef int finished = turns_finished(s)
    cdef int not_kept = max(0, t.draw - t.keep)
    cdef int drawn = t.colors * t.stars_per_color + t.black_holes[s.players] - s.bag_total - in_setup(t, s.players)
    cdef int allowed
    cdef int needed
    cdef int removed = 0
    cdef int turns
    cdef int placed
    cdef int own
    cdef int seat
    cdef int i
    for i in range(t.colors + 1):
        removed += s.removed[i]
    # While the bag lasts every turn draws a piece at least, in chaos or to refill what it took; once it is empty no
    # round begins.
    needed = finished + drawn_in_turn(t, s) if s.bag_total else (s.round - 1) * s.players
    if needed > drawn:
        raise StateError("round", f"{needed} pieces at least must have been drawn since the setup, and {drawn} were")
    if in_chaos(t, s):
        # It gave up a piece, and has not kept all that it drew.
        needed = 1 + (not_kept if collected and s.bag_total else 0)
        if removed < needed:
            reason = f"seat {s.seat} has neither taken a piece nor given in to chaos, which removes {needed} or more"
            raise StateError("phase", reason)
    # A turn removes the piece given up, then what chaos drew and did not keep, then the old supernova.
    allowed = finished * (2 + not_kept)
    if s.phase >= PHASE_DRAW and s.phase != PHASE_FINISHED:
        allowed += 1 + (not_kept if s.phase > PHASE_KEEP else 0) + (s.phase == PHASE_SUPERNOVA)
    if removed > allowed:
        raise StateError("removed", f"{removed} pieces are more than the turns so far can have removed ({allowed})")
    for seat in range(s.players):
        # Those in which it placed all that it meant to; in the turn that goes on count the pieces placed so far.
        turns = s.round - (seat > s.seat or (seat == s.seat and s.phase < PHASE_REFILL))
        placed = s.placed if seat == s.seat else 0
        own = popcount(galaxy_of(s, seat)) + s.holes[seat]
        if own > turns * max(t.stars_placed, t.stars_placed_with_supernova) + popcount(placed):
            raise StateError(f"galaxy[{seat}]", f"more pieces are placed than {turns} finished turns allow")
        for i in range(t.colors):
            if popcount(s.stars[seat][i]) > turns + (placed >> i & 1):
                raise StateError(f"galaxy[{seat}]", f"has more stars of one colour than {turns} finished turns allow")
        if s.holes[seat] > turns + (placed >> t.colors & 1):
            raise StateError(f"holes[{seat}]", f"are more than {turns} finished turns allow")
        for i in range(t.colors + 1):
            own += s.observatory[seat][i]
        turns += collected and seat == s.seat
        if own > t.observatory_pieces[seat] + turns * max(t.clusters, t.keep):
            raise StateError(f"observatory[{seat}]", f"holds more pieces than {turns} turns can have brought")
    return 0


cdef int check_markers(const Tables* t, const NebulaState* s) except -1:
    """Every seat has its marker on just the tasks that it satisfies; who is placing gets its new ones later."""
    cdef bint placing = s.phase == PHASE_PLACE or s.phase == PHASE_ADVANCE
    cdef bint marked
    cdef int seat
    cdef int i
    for i in range(t.public_in_play):
        for seat in range(s.players):
            marked = s.marked[i] >> seat & 1
            if marked and not satisfies(t, s, i, seat):
                raise StateError(f"markers[{i}]", f"seat {seat} does not satisfy this task")
            if not marked and satisfies(t, s, i, seat) and not (placing and seat == s.seat):
                raise StateError(f"markers[{i}]", f"seat {seat} satisfies this task but has no marker on it")
    return 0
