"""The rules of Nebula: moves, chance and the end. Knows no Python object.

Reads top to bottom as a game goes: the setup, the moves of each decision, making a move, a turn's end, chance, hidden
cards, the outcome.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t

from nebula_core.bits cimport first_high, lowest, nth, popcount
from nebula_core.game cimport CHANCE, FINISHED, WHOLE_WIN, Game, move_t
from nebula_core.nebula.counters cimport Points, complete, count, galaxy_of, score
from nebula_core.nebula.estimate cimport promise
from nebula_core.nebula.moves cimport (
    ADVANCE, ADVANCED, CARD_GROUP, CHAOS, CHOOSE, COLOR_GROUP, CONSTELLATION_GROUP, DECLINE, INVEST, KEEP, PERSONAL,
    PIECE, PLACE, PUBLIC, STOP, TAKE, argument_of, encode_move, kind_of
)
from nebula_core.nebula.state cimport (
    NO_CARD, NO_PIECE, PHASE_ADVANCE, PHASE_CHOOSE, PHASE_DRAW, PHASE_FINISHED, PHASE_KEEP, PHASE_PLACE, PHASE_REFILL,
    PHASE_SETUP, PHASE_SUPERNOVA, PHASE_TAKE, PHASE_TURN, UNKNOWN_CARD, NebulaState
)
from nebula_core.nebula.tables cimport MAX_CLUSTERS, MAX_CLUSTER_SPACES, MAX_COLORS, MAX_LISTED, Tables, linked_to
from nebula_core.rng cimport Rng, below

# --- Questions about a state -------------------------------------------------------------------------------------


cdef int players_of(const void* tables, const void* state) noexcept nogil:
    return (<const NebulaState*>state).players


cdef int status(const void* tables, const void* state) noexcept nogil:
    cdef int phase = (<const NebulaState*>state).phase
    if phase == PHASE_FINISHED:
        return FINISHED
    if phase == PHASE_REFILL or phase == PHASE_SUPERNOVA or phase == PHASE_DRAW or phase == PHASE_SETUP:
        return CHANCE
    return (<const NebulaState*>state).seat


cdef int first_empty(const Tables* tables, const NebulaState* state) noexcept nogil:
    # A cluster is 8 bytes, of which only NO_PIECE has the highest bit; unused ones are 0.
    cdef int cluster
    cdef int space
    for cluster in range(tables.clusters):
        space = first_high(state.clusters[cluster])
        if space >= 0:
            return cluster * MAX_CLUSTER_SPACES + space
    return -1


cdef int colored_in_bag(const Tables* tables, const NebulaState* state) noexcept nogil:
    """Stars of any colour in the bag."""
    return state.bag_total - state.bag[tables.colors]


cdef int indicator_of(const Tables* tables, const NebulaState* state) noexcept nogil:
    cdef int placed = 0
    cdef int seat
    for seat in range(state.players):
        placed += state.holes[seat]
    return min(placed, tables.indicator_end[state.players])


cdef bint has_chosen(const NebulaState* state, int seat) noexcept nogil:
    return state.phase > PHASE_CHOOSE or (state.phase == PHASE_CHOOSE and seat < state.seat)


cdef Missing missing_in_setup(const Tables* tables, const NebulaState* state) noexcept nogil:
    cdef Missing missing
    cdef int i
    cdef int total
    missing.row = 0
    missing.place = first_empty(tables, state)
    if missing.place >= 0:
        missing.need = NEED_CLUSTER_PIECE
        missing.row = missing.place // MAX_CLUSTER_SPACES
        missing.place %= MAX_CLUSTER_SPACES
        return missing
    missing.place = 0
    if state.supernova == NO_PIECE:
        missing.need = NEED_SUPERNOVA
        return missing
    for missing.row in range(state.players):
        total = 0
        for i in range(tables.colors + 1):
            total += state.observatory[missing.row][i]
        if total < tables.observatory_pieces[missing.row]:
            missing.need = NEED_OBSERVATORY_PIECE
            return missing
    for missing.place in range(tables.public_in_play):
        if state.public_card[missing.place] == NO_CARD:
            missing.need = NEED_PUBLIC_TASK
            return missing
    if state.full:
        for missing.place in range(tables.advanced_in_play):
            if state.advanced_card[missing.place] == NO_CARD:
                missing.need = NEED_ADVANCED_CARD
                return missing
    for missing.row in range(state.players):
        for missing.place in range(tables.personal_dealt):
            if state.personal[missing.row][missing.place] == NO_CARD:
                missing.need = NEED_PERSONAL_TASK
                return missing
    missing.need = NEED_NOTHING
    return missing


cdef uint32_t open_spaces(const Tables* tables, const NebulaState* state, int seat) noexcept nogil:
    cdef uint32_t galaxy = galaxy_of(state, seat)
    if galaxy == 0:
        return tables.first_star_spaces
    return linked_to(tables, galaxy) & ~galaxy


cdef inline uint32_t spaces_for(
    const Tables* tables, const NebulaState* state, int color, uint32_t spaces
) noexcept nogil:
    """Those of the open spaces where the seat in turn may place a star of this colour now."""
    # Without branches, here and where random moves are drawn: what chance decides, no branch predictor guesses.
    cdef bint can = (state.observatory[state.seat][color] != 0) & ~(state.placed >> color) & 1
    return spaces & ~linked_to(tables, state.stars[state.seat][color]) & (<uint32_t>0 - can)


cdef inline bint can_place_hole(const Tables* tables, const NebulaState* state) noexcept nogil:
    """Whether the seat in turn may place a black hole now."""
    return (
        state.observatory[state.seat][tables.colors] != 0
        and not state.placed >> tables.colors & 1
        and state.holes[state.seat] < tables.track
    )


cdef bint can_place(const Tables* tables, const NebulaState* state) noexcept nogil:
    cdef uint32_t spaces
    cdef int color
    if can_place_hole(tables, state):
        return True
    spaces = open_spaces(tables, state, state.seat)
    for color in range(tables.colors):
        if spaces_for(tables, state, color, spaces):
            return True
    return False


cdef int placing_limit(const Tables* tables, const NebulaState* state) noexcept nogil:
    return tables.stars_placed_with_supernova if state.took_supernova else tables.stars_placed


cdef bint satisfies(const Tables* tables, const NebulaState* state, int slot, int seat) noexcept nogil:
    cdef int card = state.public_card[slot]
    return count(&tables.public_task[card].counter, tables, state, seat) >= tables.public_task[card].at_least


cdef bint end_triggered(const Tables* tables, const NebulaState* state) noexcept nogil:
    cdef int markers = 0
    cdef int slot
    cdef int seat
    if state.bag_total == 0 or indicator_of(tables, state) >= tables.indicator_end[state.players]:
        return True
    for slot in range(tables.public_in_play):
        markers += popcount(state.marked[slot])
    if markers >= tables.markers_end[state.players]:
        return True
    for seat in range(state.players):
        if complete(
            tables.constellations, tables.constellation_count, galaxy_of(state, seat)
        ) >= tables.constellations_end:
            return True
    return False


# --- The moves of each decision ----------------------------------------------------------------------------------


cdef uint32_t offered(const Tables* tables, const NebulaState* state) noexcept nogil:
    """The set of clusters whose figure stands at a piece."""
    cdef uint32_t clusters = 0
    cdef int cluster
    for cluster in range(tables.clusters):
        if state.clusters[cluster][state.figures[cluster]] != NO_PIECE:
            clusters |= <uint32_t>1 << cluster
    return clusters


cdef uint32_t drawn_to_keep(const Tables* tables, const NebulaState* state, uint32_t* drawn) noexcept nogil:
    """How many pieces were drawn; their counts, each at most 3, are packed into `drawn` as in a KEEP move."""
    cdef uint32_t total = 0
    cdef int piece
    drawn[0] = 0
    for piece in range(tables.colors + 1):
        total += state.drawn[piece]
        drawn[0] |= <uint32_t>min(state.drawn[piece], 3) << (3 * piece)
    return total


cdef int keep_moves(const Tables* tables, const NebulaState* state, move_t* moves) noexcept nogil:
    # Each count has three bits and uses two of them: with the third one set in `drawn`, a subtraction clears it where
    # a way to keep asks for more than there is.
    cdef uint32_t guard = 0x49249249 << 2 & 0xFFFFFF
    cdef uint32_t drawn
    cdef int found = 0
    cdef int i
    if drawn_to_keep(tables, state, &drawn) <= <uint32_t>tables.keep:
        moves[0] = encode_move(KEEP, drawn)
        return 1
    for i in range(tables.keeps):
        if ((drawn | guard) - tables.keep_counts[i] & guard) == guard:
            moves[found] = encode_move(KEEP, tables.keep_counts[i])
            found += 1
    return found


cdef uint64_t advanceable_cards(const Tables* tables, const NebulaState* state) noexcept nogil:
    """The advanced cards, by their number in the edition, whose marker is not at its end."""
    cdef uint64_t cards = 0
    cdef int slot
    for slot in range(tables.advanced_in_play):
        if state.advanced_value[slot] + 1 < tables.advanced_values:
            cards |= <uint64_t>1 << state.advanced_card[slot]
    return cards


cdef int advance_moves(const Tables* tables, const NebulaState* state, move_t* moves) noexcept nogil:
    cdef uint64_t cards = advanceable_cards(tables, state)
    cdef int found = 0
    cdef int i
    for i in range(tables.colors):
        if state.color_value[i] + 1 < tables.color_values:
            moves[found] = encode_move(ADVANCE, COLOR_GROUP << 8 | i)
            found += 1
    for i in range(tables.constellation_count):
        if state.constellation_value[i] + 1 < tables.constellation_values:
            moves[found] = encode_move(ADVANCE, CONSTELLATION_GROUP << 8 | i)
            found += 1
    for i in range(tables.advanced_cards):
        if cards >> i & 1:
            moves[found] = encode_move(ADVANCE, CARD_GROUP << 8 | i)
            found += 1
    moves[found] = encode_move(DECLINE, 0)
    return found + 1


cdef int choose_moves(const Tables* tables, const NebulaState* state, move_t* moves) noexcept nogil:
    # Few cards: sorted by insertion. Unknown ones are one move, whichever is meant.
    cdef int found = 0
    cdef int slot
    cdef int i
    cdef move_t move
    for slot in range(tables.personal_dealt):
        move = encode_move(CHOOSE, state.personal[state.seat][slot])
        i = found
        while i > 0 and moves[i - 1] > move:
            moves[i] = moves[i - 1]
            i -= 1
        if i > 0 and moves[i - 1] == move:
            continue
        moves[i] = move
        found += 1
    return found


cdef int place_moves(const Tables* tables, const NebulaState* state, move_t* moves) noexcept nogil:
    cdef uint32_t free = open_spaces(tables, state, state.seat)
    cdef uint32_t spaces
    cdef int found = 0
    cdef int color
    for color in range(tables.colors):
        spaces = spaces_for(tables, state, color, free)
        while spaces:
            moves[found] = encode_move(PLACE, color << 8 | lowest(spaces))
            found += 1
            spaces &= spaces - 1
    if can_place_hole(tables, state):
        moves[found] = encode_move(PLACE, tables.colors << 8)
        found += 1
    moves[found] = encode_move(STOP, 0)
    return found + 1


cdef int legal(const void* edition, const void* of, move_t* moves) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const NebulaState* state = <const NebulaState*>of
    cdef uint32_t clusters
    cdef int found = 0
    cdef uint32_t i
    if state.phase == PHASE_PLACE:
        return place_moves(tables, state, moves)
    elif state.phase == PHASE_TURN:
        for i in range(<uint32_t>tables.invests):
            moves[i] = encode_move(INVEST, tables.invest[i])
        found = tables.invests
        if state.bag_total:
            for i in range(<uint32_t>tables.colors + 1):
                if state.observatory[state.seat][i]:
                    moves[found] = encode_move(CHAOS, i)
                    found += 1
        return found
    elif state.phase == PHASE_TAKE:
        clusters = offered(tables, state)
        if clusters == 0:
            moves[0] = encode_move(TAKE, 0)
            return 1
        for i in range(1, clusters + 1):
            if (i & ~clusters) == 0:
                moves[found] = encode_move(TAKE, i)
                found += 1
        return found
    elif state.phase == PHASE_KEEP:
        return keep_moves(tables, state, moves)
    elif state.phase == PHASE_ADVANCE:
        return advance_moves(tables, state, moves)
    return choose_moves(tables, state, moves)


cdef move_t random_placement(const Tables* tables, const NebulaState* state, Rng* rng) noexcept nogil:
    cdef uint32_t free = open_spaces(tables, state, state.seat)
    cdef uint32_t spaces[MAX_COLORS]
    cdef uint32_t up_to[MAX_COLORS]
    cdef uint32_t total = 0
    cdef uint32_t choice
    cdef uint32_t before
    cdef bint hole = can_place_hole(tables, state)
    cdef int color
    cdef int i
    for color in range(tables.colors):
        spaces[color] = spaces_for(tables, state, color, free)
        total += popcount(spaces[color])
        up_to[color] = total
    choice = below(rng, total + hole + 1)
    if choice >= total:
        return encode_move(PLACE, tables.colors << 8) if hole and choice == total else encode_move(STOP, 0)
    color = 0
    before = 0
    for i in range(tables.colors - 1):
        color += choice >= up_to[i]
    if color:
        before = up_to[color - 1]
    return encode_move(PLACE, color << 8 | nth(spaces[color], choice - before))


cdef move_t random_move(const void* edition, const void* of, Rng* rng) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const NebulaState* state = <const NebulaState*>of
    cdef move_t moves[MAX_LISTED]
    cdef uint32_t clusters
    cdef uint32_t choice
    cdef uint32_t total
    cdef int i
    if state.phase == PHASE_PLACE:
        return random_placement(tables, state, rng)
    elif state.phase == PHASE_TURN:
        total = tables.invests
        if state.bag_total:
            for i in range(tables.colors + 1):
                total += state.observatory[state.seat][i] != 0
        choice = below(rng, total)
        if choice < <uint32_t>tables.invests:
            return encode_move(INVEST, tables.invest[choice])
        choice -= tables.invests
        i = -1
        while True:
            i += 1
            if state.observatory[state.seat][i]:
                if choice == 0:
                    return encode_move(CHAOS, i)
                choice -= 1
    elif state.phase == PHASE_TAKE:
        clusters = offered(tables, state)
        if clusters == (<uint32_t>1 << tables.clusters) - 1:
            return encode_move(TAKE, 1 + below(rng, clusters))
    # The rest is rare or short.
    return moves[below(rng, legal(edition, of, moves))]


cdef move_t sensible_move(const void* edition, const void* of, Rng* rng) noexcept nogil:
    """Invests, takes all that is offered, places as long as it can, and advances a marker where it may."""
    cdef const Tables* tables = <const Tables*>edition
    cdef const NebulaState* state = <const NebulaState*>of
    cdef move_t moves[MAX_LISTED]
    cdef move_t move
    cdef int choices
    if state.phase == PHASE_PLACE:
        # There is a placement, or the turn would have gone on by itself.
        move = encode_move(STOP, 0)
        while move == encode_move(STOP, 0):
            move = random_placement(tables, state, rng)
        return move
    elif state.phase == PHASE_TURN:
        return encode_move(INVEST, tables.invest[below(rng, tables.invests)])
    elif state.phase == PHASE_TAKE:
        return encode_move(TAKE, offered(tables, state))
    elif state.phase == PHASE_ADVANCE:
        # The last one declines.
        choices = advance_moves(tables, state, moves)
        return moves[below(rng, max(1, choices - 1))]
    return random_move(edition, of, rng)


# --- Making a move -----------------------------------------------------------------------------------------------


cdef void end_turn(const Tables* tables, NebulaState* state) noexcept nogil:
    """Public tasks; then the refill begins."""
    cdef int slot
    state.placed = 0
    for slot in range(tables.public_in_play):
        if not state.marked[slot] >> state.seat & 1 and satisfies(tables, state, slot, state.seat):
            state.marker_order[slot] |= state.seat << (2 * popcount(state.marked[slot]))
            state.marked[slot] |= 1 << state.seat
    go_on_refilling(tables, state)


cdef void go_on_refilling(const Tables* tables, NebulaState* state) noexcept nogil:
    """To the next piece of the refill, or the supernova, or the next turn."""
    state.phase = PHASE_REFILL
    if state.bag_total and first_empty(tables, state) >= 0:
        return
    if state.took_supernova:
        state.removed[state.supernova] += 1
        state.supernova = NO_PIECE
        state.took_supernova = 0
        if colored_in_bag(tables, state):
            state.phase = PHASE_SUPERNOVA
            return
    begin_next_turn(tables, state)


cdef void begin_next_turn(const Tables* tables, NebulaState* state) noexcept nogil:
    # A trigger cannot be undone (boards and tracks only fill, the bag only empties): whichever came in this round still
    # holds after the turn of the last seat, and nothing has to be remembered.
    if state.seat + 1 < state.players:
        state.seat += 1
    elif end_triggered(tables, state):
        state.phase = PHASE_FINISHED
        return
    else:
        state.seat = 0
        state.round += 1
    state.phase = PHASE_TURN


cdef void go_on_placing(const Tables* tables, NebulaState* state) noexcept nogil:
    """To the next placement, or the turn's end when none is allowed or possible."""
    if popcount(state.placed) < placing_limit(tables, state) and can_place(tables, state):
        state.phase = PHASE_PLACE
    else:
        end_turn(tables, state)


cdef void receive(const Tables* tables, NebulaState* state, int piece, int number) noexcept nogil:
    """Pieces taken or kept in this turn go to the Observatory."""
    state.observatory[state.seat][piece] += number
    if piece == state.supernova:
        state.took_supernova = 1


cdef void apply(const void* edition, void* to, move_t move) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef NebulaState* state = <NebulaState*>to
    cdef uint32_t kind = kind_of(move)
    cdef uint32_t argument = argument_of(move)
    cdef int i
    cdef int number
    if kind == PLACE:
        i = argument >> 8
        state.observatory[state.seat][i] -= 1
        state.placed |= 1 << i
        if i < tables.colors:
            state.stars[state.seat][i] |= <uint32_t>1 << (argument & 0xFF)
        else:
            state.holes[state.seat] += 1
            if state.full:
                state.phase = PHASE_ADVANCE
                return
        go_on_placing(tables, state)
    elif kind == INVEST:
        for i in range(tables.clusters):
            number = state.figures[i] + (argument >> (4 * (tables.clusters - 1 - i)) & 0xF)
            while number >= tables.cluster_spaces:  # a few steps: cheaper than a division
                number -= tables.cluster_spaces
            state.figures[i] = number
        state.phase = PHASE_TAKE
    elif kind == TAKE:
        for i in range(MAX_CLUSTERS):
            if argument >> i & 1:
                receive(tables, state, state.clusters[i][state.figures[i]], 1)
                state.clusters[i][state.figures[i]] = NO_PIECE
        go_on_placing(tables, state)
    elif kind == STOP:
        end_turn(tables, state)
    elif kind == CHAOS:
        state.observatory[state.seat][argument] -= 1
        state.removed[argument] += 1
        state.phase = PHASE_DRAW
    elif kind == KEEP:
        for i in range(tables.colors + 1):
            number = argument >> (3 * i) & 7
            if number:
                receive(tables, state, i, number)
            state.removed[i] += state.drawn[i] - number
            state.drawn[i] = 0
        go_on_placing(tables, state)
    elif kind == ADVANCE:
        i = argument & 0xFF
        if argument >> 8 == COLOR_GROUP:
            state.color_value[i] += 1
        elif argument >> 8 == CONSTELLATION_GROUP:
            state.constellation_value[i] += 1
        else:
            for number in range(tables.advanced_in_play):
                if state.advanced_card[number] == i:
                    state.advanced_value[number] += 1
        go_on_placing(tables, state)
    elif kind == DECLINE:
        go_on_placing(tables, state)
    else:  # CHOOSE: the kept card comes first, the others keep their order
        i = 0
        while state.personal[state.seat][i] != argument:
            i += 1
        while i > 0:
            state.personal[state.seat][i] = state.personal[state.seat][i - 1]
            i -= 1
        state.personal[state.seat][0] = argument
        if state.seat + 1 < state.players:
            state.seat += 1
        else:
            state.seat = 0
            state.phase = PHASE_TURN


# --- Chance ------------------------------------------------------------------------------------------------------


cdef int draw_piece(const Tables* tables, NebulaState* state, bint only_stars, Rng* rng) noexcept nogil:
    """A piece of the bag, each piece as likely as any other; it stays in the bag."""
    cdef int choice = below(rng, colored_in_bag(tables, state) if only_stars else state.bag_total)
    cdef int piece = 0
    cdef int up_to = 0
    cdef int i
    for i in range(tables.colors):
        up_to += state.bag[i]
        piece += choice >= up_to
    return piece


cdef void leave_bag(NebulaState* state, int piece) noexcept nogil:
    state.bag[piece] -= 1
    state.bag_total -= 1


cdef bint only_one_kind(const Tables* tables, const NebulaState* state, bint only_stars) noexcept nogil:
    """Whether a draw from the bag can bring only one kind of piece."""
    cdef int kinds = 0
    cdef int piece
    for piece in range(tables.colors + (not only_stars)):
        kinds += state.bag[piece] != 0
    return kinds == 1


cdef void resolve_piece(const Tables* tables, NebulaState* state, int piece) noexcept nogil:
    """The pending chance event, outside the setup, draws this piece."""
    cdef int place
    cdef int total = 0
    leave_bag(state, piece)
    if state.phase == PHASE_REFILL:
        place = first_empty(tables, state)
        state.clusters[place // MAX_CLUSTER_SPACES][place % MAX_CLUSTER_SPACES] = piece
        go_on_refilling(tables, state)
    elif state.phase == PHASE_SUPERNOVA:
        state.supernova = piece
        begin_next_turn(tables, state)
    else:
        state.drawn[piece] += 1
        for place in range(tables.colors + 1):
            total += state.drawn[place]
        if total == tables.draw or state.bag_total == 0:
            state.phase = PHASE_KEEP


cdef uint64_t cards_left(const Tables* tables, const NebulaState* state, Need need) noexcept nogil:
    """The cards of a deck that lie nowhere: any of them may come up."""
    cdef uint64_t seen = 0
    cdef int cards
    cdef int slot
    cdef int seat
    if need == NEED_PUBLIC_TASK:
        cards = tables.public_cards
        for slot in range(tables.public_in_play):
            if state.public_card[slot] != NO_CARD:
                seen |= <uint64_t>1 << state.public_card[slot]
    elif need == NEED_ADVANCED_CARD:
        cards = tables.advanced_cards
        for slot in range(tables.advanced_in_play):
            if state.advanced_card[slot] != NO_CARD:
                seen |= <uint64_t>1 << state.advanced_card[slot]
    else:
        cards = tables.personal_cards
        for seat in range(state.players):
            for slot in range(tables.personal_dealt):
                if state.personal[seat][slot] < NO_CARD:
                    seen |= <uint64_t>1 << state.personal[seat][slot]
    return ((<uint64_t>2 << (cards - 1)) - 1) & ~seen


cdef void resolve(const void* edition, void* to, move_t outcome) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef NebulaState* state = <NebulaState*>to
    cdef int what = argument_of(outcome)
    cdef Missing missing
    if state.phase != PHASE_SETUP:
        resolve_piece(tables, state, what)
        return
    missing = missing_in_setup(tables, state)
    if missing.need == NEED_PUBLIC_TASK:
        state.public_card[missing.place] = what
    elif missing.need == NEED_ADVANCED_CARD:
        state.advanced_card[missing.place] = what
    elif missing.need == NEED_PERSONAL_TASK:
        state.personal[missing.row][missing.place] = what
    else:
        leave_bag(state, what)
        if missing.need == NEED_CLUSTER_PIECE:
            state.clusters[missing.row][missing.place] = what
        elif missing.need == NEED_SUPERNOVA:
            state.supernova = what
        else:
            state.observatory[missing.row][what] += 1
    if missing_in_setup(tables, state).need == NEED_NOTHING:
        state.phase = PHASE_CHOOSE


cdef int chances(const void* edition, const void* of, move_t* outcomes, uint32_t* weights) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const NebulaState* state = <const NebulaState*>of
    cdef Need need = NEED_SUPERNOVA if state.phase == PHASE_SUPERNOVA else NEED_CLUSTER_PIECE
    cdef uint32_t kind
    cdef uint64_t cards
    cdef int found = 0
    cdef int i
    if state.phase == PHASE_SETUP:
        need = missing_in_setup(tables, state).need
    if need == NEED_PUBLIC_TASK or need == NEED_ADVANCED_CARD or need == NEED_PERSONAL_TASK:
        kind = PUBLIC if need == NEED_PUBLIC_TASK else ADVANCED if need == NEED_ADVANCED_CARD else PERSONAL
        cards = cards_left(tables, state, need)
        for i in range(64):
            if cards >> i & 1:
                outcomes[found] = encode_move(kind, i)
                weights[found] = 1
                found += 1
        return found
    for i in range(tables.colors + (need != NEED_SUPERNOVA)):
        if state.bag[i]:
            outcomes[found] = encode_move(PIECE, i)
            weights[found] = state.bag[i]
            found += 1
    return found


cdef int settle(const void* edition, void* to, Rng* rng) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef NebulaState* state = <NebulaState*>to
    cdef move_t outcomes[MAX_LISTED]
    cdef uint32_t weights[MAX_LISTED]
    cdef bint only_stars
    cdef int open_events = 0
    cdef int found
    cdef int i
    cdef uint32_t total
    cdef uint32_t choice
    while status(edition, to) == CHANCE:
        if state.phase != PHASE_SETUP:
            only_stars = state.phase == PHASE_SUPERNOVA
            open_events += not only_one_kind(tables, state, only_stars)
            resolve_piece(tables, state, draw_piece(tables, state, only_stars, rng))
            continue
        found = chances(edition, to, outcomes, weights)
        total = 0
        for i in range(found):
            total += weights[i]
        choice = below(rng, total)
        i = 0
        while choice >= weights[i]:
            choice -= weights[i]
            i += 1
        open_events += found > 1
        resolve(edition, to, outcomes[i])
    return open_events


# --- Hidden cards ------------------------------------------------------------------------------------------------


cdef void observe(const void* edition, void* to, int seat) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef NebulaState* state = <NebulaState*>to
    cdef int other
    cdef int slot
    for other in range(state.players):
        if other != seat:
            for slot in range(tables.personal_dealt):
                if state.personal[other][slot] != NO_CARD:
                    state.personal[other][slot] = UNKNOWN_CARD


cdef int determinize(const void* edition, void* to, int seat, Rng* rng) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef NebulaState* state = <NebulaState*>to
    cdef uint64_t left
    cdef uint32_t low
    cdef int total
    cdef int choice
    cdef int open_cards = 0
    cdef int other
    cdef int slot
    cdef int card
    observe(edition, to, seat)
    left = cards_left(tables, state, NEED_PERSONAL_TASK)
    low = <uint32_t>left
    total = popcount(low) + popcount(<uint32_t>(left >> 32))
    for other in range(state.players):
        for slot in range(tables.personal_dealt):
            if state.personal[other][slot] != UNKNOWN_CARD:
                continue
            open_cards += total > 1
            choice = below(rng, total)
            low = <uint32_t>left
            if choice < popcount(low):
                card = nth(low, choice)
            else:
                card = 32 + nth(<uint32_t>(left >> 32), choice - popcount(low))
            left &= ~(<uint64_t>1 << card)
            total -= 1
            state.personal[other][slot] = card
    return open_cards


# --- The outcome -------------------------------------------------------------------------------------------------


cdef void outcome(const void* edition, const void* of, int32_t* points, int32_t* win_shares) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const NebulaState* state = <const NebulaState*>of
    cdef Points seat_points
    cdef uint32_t galaxy
    cdef int64_t rank[4]
    cdef int64_t best = 0
    cdef int winners = 0
    cdef int seat
    for seat in range(state.players):
        score(tables, state, seat, state.personal[seat][0], &seat_points)
        points[seat] = seat_points.total
        # Points first, then completed constellations, then stars: each below 256.
        galaxy = galaxy_of(state, seat)
        rank[seat] = (
            <int64_t>seat_points.total * 65536
            + complete(tables.constellations, tables.constellation_count, galaxy) * 256
            + popcount(galaxy)
        )
        best = rank[seat] if seat == 0 else max(best, rank[seat])
    for seat in range(state.players):
        winners += rank[seat] == best
    for seat in range(state.players):
        win_shares[seat] = WHOLE_WIN // winners if rank[seat] == best else 0


cdef int32_t estimate(const void* edition, const void* of, int seat) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const NebulaState* state = <const NebulaState*>of
    return promise(tables, state, seat, state.personal[seat][0] if has_chosen(state, seat) else NO_CARD)


cdef void set_functions(Game* game, const Tables* tables) noexcept:
    game.tables = tables
    game.state_size = sizeof(NebulaState)
    # Random and played games of the standard edition seldom end with a larger lead.
    game.decisive_lead = 100
    game.players = players_of
    game.status = status
    game.legal = legal
    game.random_move = random_move
    game.sensible_move = sensible_move
    game.apply = apply
    game.settle = settle
    game.chances = chances
    game.resolve = resolve
    game.observe = observe
    game.determinize = determinize
    game.outcome = outcome
    game.estimate = estimate
