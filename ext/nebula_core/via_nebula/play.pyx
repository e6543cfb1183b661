"""The rules of Via Nebula: moves, chance and the end. Knows no Python object.

Reads top to bottom as a game goes: questions about a state, the moves of each decision, what actions do to the table,
effects and turns, making a move, chance and the setup, hidden cards, the outcome.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t

from nebula_core.bits cimport lowest, lowest64, nth, nth64, popcount, popcount64
from nebula_core.game cimport CHANCE, FINISHED, WHOLE_WIN, Game, move_t
from nebula_core.rng cimport Rng, below
from nebula_core.via_nebula.estimate cimport promise
from nebula_core.via_nebula.hexes cimport (
    Hexes, any_of, both, connected, either, first_of, has, neighbours, no_hexes, nth_of, only, size_of, without,
    without_first
)
from nebula_core.via_nebula.moves cimport (
    BUILD, CLEAR_PART, CRAFTSMAN, DECLINE, DELIVER_PART, DRAW_CARD, END_TURN, EXPLORE, OPEN_CARD, PRIVATE_CARD,
    RECALL_PART, SITE, SPECIAL, SUPPLY_PART, SWAP_PART, TOKEN, TRANSPORT, argument_of, encode_move, kind_of
)
from nebula_core.via_nebula.resources cimport bundle_of, contains, count_in
from nebula_core.via_nebula.scoring cimport Points, score
from nebula_core.via_nebula.state cimport (
    NO_CARD, NO_SEAT, PHASE_DRAW, PHASE_EFFECT, PHASE_FINISHED, PHASE_OPEN, PHASE_SETUP, PHASE_TURN, SEATS,
    UNKNOWN_CARD, ViaNebulaState, count_of, exploitation, resource_of
)
from nebula_core.via_nebula.tables cimport (
    ACTIONS, CLEAR, CONTRACT, DELIVER, DISCARD, MAX_CARDS, MAX_EFFECT_MOVES, MAX_SITES, NO_EFFECT, NO_PLACE, RECALL,
    SUPPLY, SWAP, Map, Pieces, Tables
)

# --- Questions about a state -------------------------------------------------------------------------------------


cdef int players_of(const void* tables, const void* state) noexcept nogil:
    return (<const ViaNebulaState*>state).players


cdef int status(const void* tables, const void* state) noexcept nogil:
    cdef int phase = (<const ViaNebulaState*>state).phase
    if phase == PHASE_TURN or phase == PHASE_EFFECT:
        return (<const ViaNebulaState*>state).seat
    return FINISHED if phase == PHASE_FINISHED else CHANCE


cdef inline const Map* map_of(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    return &tables.maps[state.map]


cdef inline const Pieces* pieces_of(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    return &tables.pieces[state.players]


cdef uint32_t meadows_in(const Map* map, Hexes hexes) noexcept nogil:
    cdef uint32_t meadows = 0
    hexes = both(hexes, map.meadow)
    while any_of(hexes):
        meadows |= <uint32_t>1 << map.meadow_of[first_of(hexes)]
        hexes = without_first(hexes)
    return meadows


cdef int standing_on(const ViaNebulaState* state, int ruin) noexcept nogil:
    cdef int standing = 0
    cdef int seat
    cdef int i
    for seat in range(state.players):
        for i in range(MAX_SITES):
            standing += state.ruin[seat][i] == ruin
        for i in range(state.buildings[seat]):
            standing += state.building[seat][i] == ruin
    return standing


cdef uint32_t reach_of(const Map* map, Hexes empty, int ruin) noexcept nogil:
    """The meadows next to a ruin, or joined to it by a chain of empty ones."""
    cdef Hexes next_to_ruin = map.around_ruin[ruin]
    cdef Hexes around = no_hexes()
    cdef Hexes start = both(next_to_ruin, empty)
    if any_of(start):
        connected(&map.steps, start, empty, &around)
    return meadows_in(map, either(around, next_to_ruin))


cdef void derive(const Tables* tables, ViaNebulaState* state) noexcept nogil:
    cdef const Map* map = map_of(tables, state)
    cdef int seat
    cdef int i
    state.frontier = neighbours(&map.steps, state.empty)
    state.free_ruins = 0
    for i in range(map.ruins):
        if standing_on(state, i) < pieces_of(tables, state).ruin_capacity:
            state.free_ruins |= <uint32_t>1 << i
    for seat in range(SEATS):
        for i in range(MAX_SITES):
            state.reach[seat][i] = 0
            if state.ruin[seat][i] != NO_PLACE:
                state.reach[seat][i] = reach_of(map, state.empty, state.ruin[seat][i])


cdef uint64_t open_cards(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    cdef uint64_t cards = 0
    cdef int i
    for i in range(tables.open_contracts):
        if state.open[i] != NO_CARD:
            cards |= <uint64_t>1 << state.open[i]
    return cards


cdef uint64_t unseen_cards(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    cdef uint64_t seen = open_cards(tables, state)
    cdef int seat
    for seat in range(SEATS):
        seen |= state.hand[seat] | state.done[seat]
    return (tables.neutral | tables.private_) & ~seen


cdef int deck_left(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    cdef int left = popcount64(unseen_cards(tables, state) & tables.neutral)
    cdef int seat
    for seat in range(SEATS):
        left -= state.unknown_neutral[seat]
    return left


cdef inline bint has_tile(const ViaNebulaState* state) noexcept nogil:
    """Whether the seat in turn has a meadow tile to lay."""
    return (state.tiles[state.seat] | state.stock) != 0


cdef Hexes explorable(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    """The hexes of any kind, but for empty meadows, where the seat in turn could lay a tile by adjacency alone."""
    cdef const Map* map = map_of(tables, state)
    cdef int seat = state.seat
    cdef Hexes near = state.frontier
    cdef uint32_t craftsmen = state.own[seat]
    cdef int i
    for i in range(MAX_SITES):
        near = either(near, map.around_ruin[state.ruin[seat][i]])
    for i in range(state.buildings[seat]):
        near = either(near, map.around_ruin[state.building[seat][i]])
    while craftsmen:
        near = either(near, map.around_meadow[lowest(craftsmen)])
        craftsmen &= craftsmen - 1
    return without(near, state.empty)


cdef Hexes clearable(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    """Where the effect `clear` may lay a tile."""
    cdef const Map* map = map_of(tables, state)
    if not has_tile(state):
        return no_hexes()
    return both(
        explorable(tables, state),
        either(either(map.mist, map.forest), map.forbidden),
    )


cdef uint64_t cards_to_build(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    """The cards that the seat in turn may build from, unknown ones as all that they could be."""
    cdef uint64_t cards = state.hand[state.seat] | open_cards(tables, state)
    if state.unknown_neutral[state.seat]:
        cards |= unseen_cards(tables, state) & tables.neutral
    if state.unknown_private[state.seat]:
        cards |= unseen_cards(tables, state) & tables.private_
    return cards


cdef bint part_possible(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    cdef int seat = state.seat
    cdef int site
    cdef int resource
    if state.effect == CLEAR:
        return any_of(clearable(tables, state))
    if state.effect == RECALL:
        return state.own[seat] != 0
    for site in range(MAX_SITES):
        if state.ruin[seat][site] == NO_PLACE:
            continue
        if state.effect == DELIVER:
            if state.reach[seat][site] & state.exploited:
                return True
        elif state.effect == SUPPLY:
            if state.reserve:
                return True
        else:
            for resource in range(tables.resources):
                if count_in(state.site[seat][site], resource) and (
                    state.reserve & ~bundle_of(resource, 0xFF)
                ):
                    return True
    return False


# --- The moves of each decision ----------------------------------------------------------------------------------

# All actions that the seat in turn may take, as sets.
ctypedef struct Actions:
    uint32_t craftsmen              # meadows
    uint32_t sites                  # ruins
    Hexes explores
    uint32_t transports[MAX_SITES]  # to each site: meadows
    uint64_t builds[MAX_SITES]      # on each site: cards


cdef inline void find_actions(const Tables* tables, const ViaNebulaState* state, Actions* to) noexcept nogil:
    cdef const Map* map = map_of(tables, state)
    cdef const Pieces* pieces = pieces_of(tables, state)
    cdef int seat = state.seat
    cdef int left = state.action_points
    cdef int site
    cdef int card
    cdef uint64_t cards = 0
    cdef Hexes terrain
    to.craftsmen = 0
    if left >= tables.craftsman_cost and popcount(state.own[seat]) < pieces.craftsmen:
        to.craftsmen = state.tokens
    to.sites = 0
    if left >= tables.site_cost and site_at_home(pieces, state) >= 0:
        to.sites = state.free_ruins
    to.explores = no_hexes()
    if has_tile(state):
        terrain = no_hexes()
        if left >= tables.mist_cost:
            terrain = map.mist
        if left >= tables.forest_cost:
            terrain = either(terrain, map.forest)
        to.explores = both(explorable(tables, state), terrain)
    if left >= tables.build_cost and state.buildings[seat] < pieces.buildings:
        cards = cards_to_build(tables, state)
    for site in range(MAX_SITES):
        to.transports[site] = 0
        if left >= tables.transport_cost:
            to.transports[site] = state.reach[seat][site] & state.exploited
        to.builds[site] = 0
    while cards:
        card = lowest64(cards)
        cards &= cards - 1
        for site in range(MAX_SITES):
            to.builds[site] |= <uint64_t>contains(state.site[seat][site], tables.contract[card].cost) << card


cdef inline int site_at_home(const Pieces* pieces, const ViaNebulaState* state) noexcept nogil:
    """The lowest number of a site that the seat in turn has at home, or -1."""
    cdef int site
    for site in range(pieces.sites):
        if state.ruin[state.seat][site] == NO_PLACE:
            return site
    return -1


cdef int list_hexes(int kind, Hexes hexes, move_t* moves) noexcept nogil:
    """Writes a move for each hex of a set and returns how many."""
    cdef int found = 0
    while any_of(hexes):
        moves[found] = encode_move(kind, first_of(hexes))
        hexes = without_first(hexes)
        found += 1
    return found


cdef int list_places(int kind, int site, uint32_t places, const uint8_t* hex_of, move_t* moves) noexcept nogil:
    """Writes a move for the hex of each place of a set, and returns how many."""
    cdef int found = 0
    while places:
        moves[found] = encode_move(kind, site << 8 | hex_of[lowest(places)])
        places &= places - 1
        found += 1
    return found


cdef int turn_moves(const Tables* tables, const ViaNebulaState* state, move_t* moves) noexcept nogil:
    cdef const Map* map = map_of(tables, state)
    cdef Actions actions
    cdef int found
    cdef int site
    find_actions(tables, state, &actions)
    found = list_places(CRAFTSMAN, 0, actions.craftsmen, map.hex_of_meadow, moves)
    found += list_places(SITE, 0, actions.sites, map.hex_of_ruin, &moves[found])
    found += list_hexes(EXPLORE, actions.explores, &moves[found])
    for site in range(MAX_SITES):
        found += list_places(TRANSPORT, site, actions.transports[site], map.hex_of_meadow, &moves[found])
    for site in range(MAX_SITES):
        while actions.builds[site]:
            moves[found] = encode_move(BUILD, site << 8 | lowest64(actions.builds[site]))
            actions.builds[site] &= actions.builds[site] - 1
            found += 1
    moves[found] = encode_move(END_TURN, 0)
    return found + 1


cdef int effect_moves(const Tables* tables, const ViaNebulaState* state, move_t* moves) noexcept nogil:
    cdef const Map* map = map_of(tables, state)
    cdef int seat = state.seat
    cdef int found = 0
    cdef int site
    cdef int out
    cdef int into
    if state.effect == CLEAR:
        found = list_hexes(CLEAR_PART, clearable(tables, state), moves)
    elif state.effect == RECALL:
        found = list_places(RECALL_PART, 0, state.own[seat], map.hex_of_meadow, moves)
    for site in range(MAX_SITES):
        if state.ruin[seat][site] == NO_PLACE:
            continue
        if state.effect == DELIVER:
            found += list_places(
                DELIVER_PART, site, state.reach[seat][site] & state.exploited, map.hex_of_meadow, &moves[found]
            )
        elif state.effect == SUPPLY:
            for into in range(tables.resources):
                if count_in(state.reserve, into):
                    moves[found] = encode_move(SUPPLY_PART, site << 8 | into)
                    found += 1
        elif state.effect == SWAP:
            for out in range(tables.resources):
                if count_in(state.site[seat][site], out) == 0:
                    continue
                for into in range(tables.resources):
                    if into != out and count_in(state.reserve, into):
                        moves[found] = encode_move(SWAP_PART, site << 16 | out << 8 | into)
                        found += 1
    moves[found] = encode_move(DECLINE, 0)
    return found + 1


cdef int legal(const void* edition, const void* of, move_t* moves) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const ViaNebulaState* state = <const ViaNebulaState*>of
    if state.phase == PHASE_TURN:
        return turn_moves(tables, state, moves)
    return effect_moves(tables, state, moves)


cdef move_t random_move(const void* edition, const void* of, Rng* rng) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const ViaNebulaState* state = <const ViaNebulaState*>of
    cdef const Map* map = map_of(tables, state)
    cdef move_t moves[MAX_EFFECT_MOVES]
    cdef Actions actions
    cdef int craftsmen
    cdef int sites
    cdef int explores
    cdef int transports[MAX_SITES]
    cdef int builds[MAX_SITES]
    cdef int total
    cdef int choice
    cdef int i
    if state.phase == PHASE_EFFECT:
        # Rare and short.
        return moves[below(rng, effect_moves(tables, state, moves))]
    find_actions(tables, state, &actions)
    craftsmen = popcount(actions.craftsmen)
    sites = popcount(actions.sites)
    explores = size_of(actions.explores)
    total = craftsmen + sites + explores + 1
    for i in range(MAX_SITES):
        transports[i] = popcount(actions.transports[i])
        builds[i] = popcount64(actions.builds[i])
        total += transports[i] + builds[i]
    choice = below(rng, total)
    if choice < explores:
        return encode_move(EXPLORE, nth_of(actions.explores, choice))
    choice -= explores
    if choice < craftsmen:
        return encode_move(CRAFTSMAN, map.hex_of_meadow[nth(actions.craftsmen, choice)])
    choice -= craftsmen
    if choice < sites:
        return encode_move(SITE, map.hex_of_ruin[nth(actions.sites, choice)])
    choice -= sites
    for i in range(MAX_SITES):
        if choice < transports[i]:
            return encode_move(TRANSPORT, i << 8 | map.hex_of_meadow[nth(actions.transports[i], choice)])
        choice -= transports[i]
        if choice < builds[i]:
            return encode_move(BUILD, i << 8 | nth64(actions.builds[i], choice))
        choice -= builds[i]
    return encode_move(END_TURN, 0)


cdef move_t sensible_move(const void* edition, const void* of, Rng* rng) noexcept nogil:
    """Builds where it can and ends no turn early; else draws the kind of action first, a transport twice as often.

    There are many more hexes to explore than resources to transport, and a random move would hardly ever do anything
    else.
    """
    cdef const Tables* tables = <const Tables*>edition
    cdef const ViaNebulaState* state = <const ViaNebulaState*>of
    cdef const Map* map = map_of(tables, state)
    cdef move_t moves[MAX_EFFECT_MOVES]
    cdef Actions actions
    cdef int transports = 0
    cdef int builds = 0
    cdef int choice
    cdef int site = 0
    cdef int i
    if state.phase == PHASE_EFFECT:
        # All but the last one, which declines; a part that is asked for has another.
        return moves[below(rng, effect_moves(tables, state, moves) - 1)]
    find_actions(tables, state, &actions)
    for i in range(MAX_SITES):
        transports += popcount(actions.transports[i])
        builds += popcount64(actions.builds[i])
    if builds:
        choice = below(rng, builds)
        while choice >= popcount64(actions.builds[site]):
            choice -= popcount64(actions.builds[site])
            site += 1
        return encode_move(BUILD, site << 8 | nth64(actions.builds[site], choice))
    choice = (
        (2 if transports else 0) + (actions.craftsmen != 0) + (actions.sites != 0) + any_of(actions.explores)
    )
    if choice == 0:
        return encode_move(END_TURN, 0)
    choice = below(rng, choice)
    if transports:
        if choice < 2:
            choice = below(rng, transports)
            while choice >= popcount(actions.transports[site]):
                choice -= popcount(actions.transports[site])
                site += 1
            return encode_move(TRANSPORT, site << 8 | map.hex_of_meadow[nth(actions.transports[site], choice)])
        choice -= 2
    if actions.craftsmen:
        if choice == 0:
            choice = below(rng, popcount(actions.craftsmen))
            return encode_move(CRAFTSMAN, map.hex_of_meadow[nth(actions.craftsmen, choice)])
        choice -= 1
    if actions.sites and choice == 0:
        choice = below(rng, popcount(actions.sites))
        return encode_move(SITE, map.hex_of_ruin[nth(actions.sites, choice)])
    return encode_move(EXPLORE, nth_of(actions.explores, below(rng, size_of(actions.explores))))


# --- What actions do to the table --------------------------------------------------------------------------------


cdef void become_empty(const Tables* tables, ViaNebulaState* state, int hex) noexcept nogil:
    """A hex becomes an empty meadow, and so may join exploitations with sites."""
    cdef const Map* map = map_of(tables, state)
    cdef Hexes around
    cdef uint32_t meadows
    cdef int seat
    cdef int site
    state.empty = either(state.empty, only(hex))
    state.frontier = either(state.frontier, map.around[hex])
    # From the neighbours as well, which saves a step.
    connected(&map.steps, either(only(hex), both(map.around[hex], state.empty)), state.empty, &around)
    meadows = meadows_in(map, around)
    for seat in range(state.players):
        for site in range(MAX_SITES):
            if any_of(both(around, map.ruin_at[state.ruin[seat][site]])):
                state.reach[seat][site] |= meadows


cdef void exploit(const Tables* tables, ViaNebulaState* state, int meadow, int seat) noexcept nogil:
    """The token of a meadow turns into its resources, with the craftsman of a seat or neutral (NO_SEAT)."""
    cdef const Map* map = map_of(tables, state)
    cdef int kind = state.meadow[meadow]
    cdef int resource = tables.token[kind].resource
    cdef int count = min(
        tables.token[kind].count - pieces_of(tables, state).fewer_resources, count_in(state.reserve, resource)
    )
    state.tokens &= ~(<uint32_t>1 << meadow)
    if count <= 0:
        state.meadow[meadow] = 0
        become_empty(tables, state, map.hex_of_meadow[meadow])
        return
    state.reserve -= bundle_of(resource, count)
    state.meadow[meadow] = exploitation(resource, count)
    state.exploited |= <uint32_t>1 << meadow
    if seat != NO_SEAT:
        state.own[seat] |= <uint32_t>1 << meadow


cdef void leave(const Tables* tables, ViaNebulaState* state, int meadow) noexcept nogil:
    """An exploitation without resources: a craftsman on it comes home, and it is an empty meadow."""
    cdef int seat
    state.meadow[meadow] = 0
    state.exploited &= ~(<uint32_t>1 << meadow)
    for seat in range(SEATS):
        state.own[seat] &= ~(<uint32_t>1 << meadow)
    become_empty(tables, state, map_of(tables, state).hex_of_meadow[meadow])


cdef void lay_tile(const Tables* tables, ViaNebulaState* state, int hex) noexcept nogil:
    """The seat in turn lays a meadow tile."""
    if state.tiles[state.seat]:
        state.tiles[state.seat] -= 1
    else:
        state.stock -= 1
    become_empty(tables, state, hex)


cdef void bring(const Tables* tables, ViaNebulaState* state, int site, int hex) noexcept nogil:
    """One resource of an exploitation comes onto a site of the seat in turn."""
    cdef int meadow = map_of(tables, state).meadow_of[hex]
    cdef int resource = resource_of(state.meadow[meadow])
    cdef int count = count_of(state.meadow[meadow]) - 1
    state.site[state.seat][site] += bundle_of(resource, 1)
    if count:
        state.meadow[meadow] = exploitation(resource, count)
    else:
        leave(tables, state, meadow)


cdef void place_site(const Tables* tables, ViaNebulaState* state, int hex) noexcept nogil:
    """The seat in turn puts a site on a ruin."""
    cdef const Map* map = map_of(tables, state)
    cdef const Pieces* pieces = pieces_of(tables, state)
    cdef int ruin = map.ruin_of[hex]
    cdef int site = site_at_home(pieces, state)
    state.ruin[state.seat][site] = ruin
    state.reach[state.seat][site] = reach_of(map, state.empty, ruin)
    if standing_on(state, ruin) == pieces.ruin_capacity:
        state.free_ruins &= ~(<uint32_t>1 << ruin)


cdef void stand_building(ViaNebulaState* state, int seat, int ruin) noexcept nogil:
    """A building of a seat on a ruin; they stay in the ruins' order."""
    cdef int i = state.buildings[seat]
    while i > 0 and state.building[seat][i - 1] > ruin:
        state.building[seat][i] = state.building[seat][i - 1]
        i -= 1
    state.building[seat][i] = ruin
    state.buildings[seat] += 1


cdef bint build(const Tables* tables, ViaNebulaState* state, int site, int card) noexcept nogil:
    """The seat in turn does a contract on a site; its effect waits. Returns whether an open place waits for a card."""
    cdef int seat = state.seat
    cdef uint64_t cost = tables.contract[card].cost
    cdef uint64_t bit = <uint64_t>1 << card
    cdef int i
    state.reserve += cost
    state.storehouse[seat] += state.site[seat][site] - cost
    state.site[seat][site] = 0
    stand_building(state, seat, state.ruin[seat][site])
    state.ruin[seat][site] = NO_PLACE
    state.reach[seat][site] = 0
    state.done[seat] |= bit
    state.effect = tables.contract[card].effect if tables.contract[card].parts else NO_EFFECT
    state.parts = tables.contract[card].parts
    if state.end_card == NO_SEAT and state.buildings[seat] == pieces_of(tables, state).buildings:
        state.end_card = seat
        state.action_points = 0
    if state.hand[seat] & bit:
        state.hand[seat] &= ~bit
        return False
    for i in range(tables.open_contracts):
        if state.open[i] == card:
            state.open[i] = NO_CARD
            return deck_left(tables, state) > 0
    # It was one of the seat's unknown cards.
    if tables.private_ & bit:
        state.unknown_private[seat] -= 1
    else:
        state.unknown_neutral[seat] -= 1
    return False


# --- Effects and turns -------------------------------------------------------------------------------------------


cdef void discard(const Tables* tables, ViaNebulaState* state) noexcept nogil:
    """One resource of the storehouse of the seat in turn, one that it has most of, goes to the reserve."""
    cdef uint64_t stored = state.storehouse[state.seat]
    cdef int most = 0
    cdef int resource
    if stored == 0:
        return
    for resource in range(1, tables.resources):
        if count_in(stored, resource) > count_in(stored, most):
            most = resource
    state.storehouse[state.seat] -= bundle_of(most, 1)
    state.reserve += bundle_of(most, 1)


cdef void go_on(const Tables* tables, ViaNebulaState* state) noexcept nogil:
    """To the next part of the effect under way, if there is one that is possible, or on with the turn."""
    if state.effect == ACTIONS:
        # Nothing, if this contract brought the end card: its owner has no later turn, so it is this contract.
        if state.end_card != state.seat:
            state.action_points += state.parts
    elif state.effect == DISCARD:
        while state.parts:
            discard(tables, state)
            state.parts -= 1
    elif state.effect == CONTRACT:
        if state.parts and deck_left(tables, state):
            state.phase = PHASE_DRAW
            return
    elif state.effect != NO_EFFECT and state.parts and part_possible(tables, state):
        state.phase = PHASE_EFFECT
        return
    state.effect = NO_EFFECT
    state.parts = 0
    if state.action_points:
        state.phase = PHASE_TURN
    else:
        end_turn(tables, state)


cdef void end_turn(const Tables* tables, ViaNebulaState* state) noexcept nogil:
    cdef int next_seat = state.seat + 1 if state.seat + 1 < state.players else 0
    if not state.acted:
        state.idle += 1
    state.acted = 0
    if next_seat == state.end_card or state.idle == state.players:
        state.action_points = 0
        state.phase = PHASE_FINISHED
        return
    state.seat = next_seat
    state.action_points = tables.action_points
    state.phase = PHASE_TURN


# --- Making a move -----------------------------------------------------------------------------------------------


cdef inline void pay(ViaNebulaState* state, int action_points) noexcept nogil:
    state.action_points -= action_points
    state.acted = 1
    state.idle = 0


cdef void apply(const void* edition, void* to, move_t move) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef ViaNebulaState* state = <ViaNebulaState*>to
    cdef const Map* map = map_of(tables, state)
    cdef uint32_t kind = kind_of(move)
    cdef uint32_t argument = argument_of(move)
    cdef int low = argument & 0xFF
    cdef int high = argument >> 8
    cdef int meadow
    if kind == EXPLORE:
        pay(state, tables.forest_cost if has(map.forest, low) else tables.mist_cost)
        lay_tile(tables, state, low)
    elif kind == TRANSPORT:
        pay(state, tables.transport_cost)
        bring(tables, state, high, low)
    elif kind == CRAFTSMAN:
        pay(state, tables.craftsman_cost)
        meadow = map.meadow_of[low]
        state.taken[state.meadow[meadow]] += 1 << (4 * state.seat)
        exploit(tables, state, meadow, state.seat)
    elif kind == SITE:
        pay(state, tables.site_cost)
        place_site(tables, state, low)
    elif kind == BUILD:
        pay(state, tables.build_cost)
        if build(tables, state, high, low):
            state.phase = PHASE_OPEN
            return
    elif kind == END_TURN:
        state.action_points = 0
    elif kind == DECLINE:
        state.parts = 0
    else:
        state.parts -= 1
        if kind == CLEAR_PART:
            lay_tile(tables, state, low)
        elif kind == DELIVER_PART:
            bring(tables, state, high, low)
        elif kind == SUPPLY_PART:
            state.reserve -= bundle_of(low, 1)
            state.site[state.seat][high] += bundle_of(low, 1)
        elif kind == SWAP_PART:
            state.reserve += bundle_of(high & 0xFF, 1) - bundle_of(low, 1)
            state.site[state.seat][high >> 8] += bundle_of(low, 1) - bundle_of(high & 0xFF, 1)
        else:  # RECALL_PART
            meadow = map.meadow_of[low]
            state.reserve += bundle_of(resource_of(state.meadow[meadow]), count_of(state.meadow[meadow]))
            leave(tables, state, meadow)
    go_on(tables, state)


# --- Chance and the setup ----------------------------------------------------------------------------------------


cdef Missing missing_in_setup(const Tables* tables, const ViaNebulaState* state) noexcept nogil:
    cdef const Map* map = map_of(tables, state)
    cdef uint32_t filled = state.tokens | state.exploited | meadows_in(map, state.empty)
    cdef uint32_t all = (<uint64_t>1 << map.meadows) - 1
    cdef Missing missing
    missing.place = 0
    if filled != all:
        missing.need = NEED_SPECIAL_TOKEN
        if popcount(state.boxed) == tables.special_removed:
            missing.need = NEED_TOKEN
            missing.place = lowest(all & ~filled)
        return missing
    for missing.place in range(state.players):
        if (
            popcount64(state.hand[missing.place]) + state.unknown_private[missing.place] < tables.private_dealt
        ):
            missing.need = NEED_PRIVATE_CONTRACT
            return missing
    for missing.place in range(tables.open_contracts):
        if state.open[missing.place] == NO_CARD:
            missing.need = NEED_OPEN_CONTRACT
            return missing
    missing.need = NEED_NOTHING
    return missing


cdef int tokens_left(const Tables* tables, const ViaNebulaState* state, int kind) noexcept nogil:
    """How many tokens of a kind are not on the map and not in the box."""
    cdef int left = tables.token[kind].copies - popcount(state.boxed & tables.token[kind].pieces)
    cdef uint32_t meadows = state.tokens
    while meadows:
        left -= state.meadow[lowest(meadows)] == kind
        meadows &= meadows - 1
    return left


cdef void take_in_specials(const Tables* tables, ViaNebulaState* state) noexcept nogil:
    """All tokens are on the map: the special ones become the neutral exploitations and go back to the box."""
    cdef uint32_t meadows = state.tokens
    cdef int meadow
    state.boxed = 0
    while meadows:
        meadow = lowest(meadows)
        meadows &= meadows - 1
        if state.meadow[meadow] >= tables.regular_kinds:
            exploit(tables, state, meadow, NO_SEAT)


cdef void resolve_setup(const Tables* tables, ViaNebulaState* state, int what) noexcept nogil:
    cdef Missing missing = missing_in_setup(tables, state)
    cdef uint32_t left
    if missing.need == NEED_SPECIAL_TOKEN:
        # Of tokens that are alike the first one: which of them it was makes no difference.
        left = tables.token[what].pieces & ~state.boxed
        state.boxed |= left & (<uint32_t>0 - left)
    elif missing.need == NEED_TOKEN:
        state.meadow[missing.place] = what
        state.tokens |= <uint32_t>1 << missing.place
        if missing.place + 1 == map_of(tables, state).meadows:
            take_in_specials(tables, state)
    elif missing.need == NEED_PRIVATE_CONTRACT:
        if what == UNKNOWN_CARD:
            state.unknown_private[missing.place] += 1
        else:
            state.hand[missing.place] |= <uint64_t>1 << what
    else:
        state.open[missing.place] = what
    if missing_in_setup(tables, state).need == NEED_NOTHING:
        state.action_points = tables.action_points
        state.phase = PHASE_TURN


cdef void resolve(const void* edition, void* to, move_t outcome) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef ViaNebulaState* state = <ViaNebulaState*>to
    cdef int what = argument_of(outcome)
    cdef int i = 0
    if state.phase == PHASE_SETUP:
        resolve_setup(tables, state, what)
        return
    if state.phase == PHASE_OPEN:
        while state.open[i] != NO_CARD:
            i += 1
        state.open[i] = what
    else:
        state.parts -= 1
        if what == UNKNOWN_CARD:
            state.unknown_neutral[state.seat] += 1
        else:
            state.hand[state.seat] |= <uint64_t>1 << what
    go_on(tables, state)


cdef int chances(const void* edition, const void* of, move_t* outcomes, uint32_t* weights) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const ViaNebulaState* state = <const ViaNebulaState*>of
    cdef Need need = NEED_NOTHING
    cdef int kind = OPEN_CARD if state.phase == PHASE_OPEN else DRAW_CARD
    cdef uint64_t cards = unseen_cards(tables, state)
    cdef int found = 0
    cdef int i
    if state.phase == PHASE_SETUP:
        need = missing_in_setup(tables, state).need
        kind = PRIVATE_CARD if need == NEED_PRIVATE_CONTRACT else OPEN_CARD
    if need == NEED_SPECIAL_TOKEN or need == NEED_TOKEN:
        for i in range(tables.regular_kinds if need == NEED_SPECIAL_TOKEN else 0, tables.token_kinds):
            weights[found] = tokens_left(tables, state, i)
            if weights[found]:
                outcomes[found] = encode_move(SPECIAL if need == NEED_SPECIAL_TOKEN else TOKEN, i)
                found += 1
        return found
    cards &= tables.private_ if kind == PRIVATE_CARD else tables.neutral
    while cards:
        outcomes[found] = encode_move(kind, lowest64(cards))
        weights[found] = 1
        cards &= cards - 1
        found += 1
    return found


cdef int settle(const void* edition, void* to, Rng* rng) noexcept nogil:
    cdef move_t outcomes[MAX_CARDS]
    cdef uint32_t weights[MAX_CARDS]
    cdef int open_events = 0
    cdef int found
    cdef int i
    cdef uint32_t total
    cdef uint32_t choice
    while status(edition, to) == CHANCE:
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
    cdef ViaNebulaState* state = <ViaNebulaState*>to
    cdef int other
    for other in range(SEATS):
        if other != seat:
            state.unknown_neutral[other] += popcount64(state.hand[other] & tables.neutral)
            state.unknown_private[other] += popcount64(state.hand[other] & tables.private_)
            state.hand[other] = 0


cdef int deal(uint8_t* unknown, uint64_t cards, uint64_t* hands, Rng* rng) noexcept nogil:
    """Turns each seat's unknown cards into some of `cards`; returns for how many there was a choice."""
    cdef int left = popcount64(cards)
    cdef int choices = 0
    cdef int seat
    cdef uint64_t card
    for seat in range(SEATS):
        while unknown[seat]:
            choices += left > 1
            card = <uint64_t>1 << nth64(cards, below(rng, left))
            cards &= ~card
            left -= 1
            hands[seat] |= card
            unknown[seat] -= 1
    return choices


cdef int determinize(const void* edition, void* to, int seat, Rng* rng) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef ViaNebulaState* state = <ViaNebulaState*>to
    cdef uint64_t cards
    observe(edition, to, seat)
    cards = unseen_cards(tables, state)
    return (
        deal(state.unknown_neutral, cards & tables.neutral, state.hand, rng)
        + deal(state.unknown_private, cards & tables.private_, state.hand, rng)
    )


# --- The outcome -------------------------------------------------------------------------------------------------


cdef void outcome(const void* edition, const void* of, int32_t* points, int32_t* win_shares) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const ViaNebulaState* state = <const ViaNebulaState*>of
    cdef Points seat_points
    cdef int64_t rank[SEATS]
    cdef int64_t best = 0
    cdef int winners = 0
    cdef int seat
    for seat in range(state.players):
        score(tables, state, seat, &seat_points)
        points[seat] = seat_points.total
        # Points first, then fewer resources in the storehouse: less than 2**16 in any case.
        rank[seat] = <int64_t>seat_points.total * 65536 - seat_points.resources
        best = rank[seat] if seat == 0 else max(best, rank[seat])
    for seat in range(state.players):
        winners += rank[seat] == best
    for seat in range(state.players):
        win_shares[seat] = WHOLE_WIN // winners if rank[seat] == best else 0


cdef int32_t estimate(const void* edition, const void* of, int seat) noexcept nogil:
    cdef const Tables* tables = <const Tables*>edition
    cdef const ViaNebulaState* state = <const ViaNebulaState*>of
    return promise(tables, state, seat, open_cards(tables, state) | state.hand[seat])


cdef void set_functions(Game* game, const Tables* tables) noexcept:
    game.tables = tables
    game.state_size = sizeof(ViaNebulaState)
    # Random and played games of the standard edition seldom end with a larger lead.
    game.decisive_lead = 30
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
