"""Compiles an edition (via_nebula/edition.py) into C tables. Knows no state and no rules."""

from libc.stdint cimport uint64_t
from libc.string cimport memset

from nebula_core.errors import EditionError
from nebula_core.via_nebula import edition as limits

from nebula_core.via_nebula.hexes cimport Hexes, either, only
from nebula_core.via_nebula.resources cimport bundle_of

ROOM = {
    "MAX_RESOURCES": MAX_RESOURCES,
    "MAX_MAPS": MAX_MAPS,
    "MAX_HEXES": MAX_HEXES,
    "MAX_MEADOWS": MAX_MEADOWS,
    "MAX_RUINS": MAX_RUINS,
    "MAX_TOKEN_KINDS": MAX_TOKEN_KINDS,
    "MAX_CARDS": MAX_CARDS,
    "MAX_OPEN": MAX_OPEN,
    "MAX_SITES": MAX_SITES,
    "MAX_BUILDINGS": MAX_BUILDINGS,
    "MAX_TILES": MAX_TILES,
}
assert {name: getattr(limits, name) for name in ROOM} == ROOM, "edition.py and tables.pxd differ"


cdef int fits(object number, int most, str key) except -1:
    """The number, if it is 0 to `most`: the tables have no room for more."""
    if not 0 <= number <= most:
        raise EditionError(key, f"must be from 0 to {most}, not {number}")
    return number


cdef dict neighbours_in(object rows):
    """For each hex the list of its neighbours, from the lengths of the rows."""
    numbers = {}
    for row, length in enumerate(rows):
        for column in range(length):
            # Across in halves of a hex, odd rows one half to the right.
            numbers[row, 2 * column + row % 2] = len(numbers)
    steps = ((0, -2), (0, 2), (-1, -1), (-1, 1), (1, -1), (1, 1))
    return {
        hex: [numbers[row + down, across + right] for down, right in steps if (row + down, across + right) in numbers]
        for (row, across), hex in numbers.items()
    }


cdef uint64_t first_cards(int count) noexcept:
    """The set of the cards below a number, 64 at most."""
    return ((<uint64_t>1 << (count & 63)) - 1) if count < 64 else ~<uint64_t>0


cdef void add(Hexes* set, int hex) noexcept:
    set[0] = either(set[0], only(hex))


cdef int compile_map(object source, Map* to, str key) except -1:
    cdef int row = max(source.rows) if len(source.rows) > 1 else 1
    cdef int hex
    cdef int away
    neighbours = neighbours_in(source.rows)
    to.hexes = fits(len(neighbours), MAX_HEXES, key)
    to.steps.row = fits(row, 63, key)
    for hex, others in neighbours.items():
        add(&to.all, hex)
        for other in others:
            add(&to.around[hex], other)
            away = other - hex
            if away == -1:
                add(&to.steps.before, hex)
            elif away == 1:
                add(&to.steps.after, hex)
            elif away < 0:
                add(&to.steps.up[1 + row + away], hex)
            else:
                add(&to.steps.down[1 - row + away], hex)
        to.meadow_of[hex] = NO_PLACE
        to.ruin_of[hex] = NO_PLACE
        if source.terrain[hex] == MEADOW:
            fits(to.meadows, MAX_MEADOWS - 1, key)
            add(&to.meadow, hex)
            to.meadow_of[hex] = to.meadows
            to.hex_of_meadow[to.meadows] = hex
            to.around_meadow[to.meadows] = to.around[hex]
            to.meadows += 1
        elif source.terrain[hex] == RUIN:
            fits(to.ruins, MAX_RUINS - 1, key)
            to.ruin_of[hex] = to.ruins
            to.hex_of_ruin[to.ruins] = hex
            to.ruin_at[to.ruins] = only(hex)
            to.around_ruin[to.ruins] = to.around[hex]
            to.ruins += 1
        elif source.terrain[hex] == MIST:
            add(&to.mist, hex)
        elif source.terrain[hex] == FOREST:
            add(&to.forest, hex)
        else:
            add(&to.forbidden, hex)
    return 0


cdef int compile_contract(object source, Contract* to, str key) except -1:
    cdef int resource
    for resource, count in enumerate(source.cost):
        to.cost += bundle_of(resource, fits(count, limits.MAX_RESERVE, key))
    to.points = source.points
    to.effect = source.effect
    to.parts = fits(source.parts, limits.MAX_PARTS, key)
    to.per = source.per
    return 0


cdef int compile_pieces(object edition, int i, Pieces* to) except -1:
    to.craftsmen = edition.craftsmen[i]
    to.sites = fits(edition.sites[i], MAX_SITES, "pieces.sites")
    to.buildings = fits(edition.buildings[i], MAX_BUILDINGS, "pieces.buildings")
    to.ruin_capacity = edition.ruin_capacity[i]
    to.stacks = edition.meadow_stacks[i]
    to.stack_size = edition.meadow_stack_size[i]
    to.tiles = fits(to.stacks * to.stack_size, MAX_TILES, "pieces.meadow_stacks")
    to.common_tiles = fits(edition.meadow_reserve[i], MAX_TILES, "pieces.meadow_reserve")
    to.fewer_resources = edition.fewer_resources[i]
    return 0


cdef int compile_tables(object edition, Tables* tables) except -1:
    """Fill `tables` from a checked Edition. Raises EditionError if something would not fit."""
    cdef int i
    memset(tables, 0, sizeof(Tables))

    tables.map_count = fits(len(edition.maps), MAX_MAPS, "maps")
    for i, source in enumerate(edition.maps):
        compile_map(source, &tables.maps[i], f"maps[{i}]")

    tables.min_players = fits(edition.min_players, 4, "players")
    tables.max_players = fits(edition.max_players, 4, "players")
    for i in range(3):
        compile_pieces(edition, i, &tables.pieces[i + 2])
    tables.resources = fits(edition.resources, MAX_RESOURCES, "resources")
    fits(edition.reserve_per_resource, limits.MAX_RESERVE, "reserve_per_resource")
    for i in range(tables.resources):
        tables.reserve += bundle_of(i, edition.reserve_per_resource)
    tables.action_points = fits(edition.action_points, limits.MAX_ACTION_POINTS, "turn.action_points")
    tables.craftsman_cost = edition.craftsman_cost
    tables.site_cost = edition.site_cost
    tables.mist_cost = edition.explore_mist_cost
    tables.forest_cost = edition.explore_forest_cost
    tables.transport_cost = edition.transport_cost
    tables.build_cost = edition.build_cost
    tables.private_dealt = edition.private_dealt
    tables.open_contracts = fits(edition.open_contracts, MAX_OPEN, "setup.open_contracts")
    tables.emptied_stack_points = edition.emptied_stack_points
    tables.end_card_points = edition.end_card_points
    tables.storehouse_points = edition.storehouse_points

    tokens = (*edition.regular_tokens, *edition.special_tokens)
    tables.regular_kinds = len(edition.regular_tokens)
    tables.token_kinds = fits(len(tokens), MAX_TOKEN_KINDS, "tokens")
    for i, token in enumerate(tokens):
        tables.token[i].resource = token.resource
        tables.token[i].count = fits(token.count, limits.MAX_TOKEN_COUNT, "tokens")
        tables.token[i].points = token.points
        tables.token[i].copies = fits(token.copies, limits.MAX_ALIKE, "tokens")
        if i >= tables.regular_kinds:
            tables.token[i].pieces = ((1 << token.copies) - 1 << tables.special_tokens) & 0xFF
            tables.special_tokens = fits(tables.special_tokens + token.copies, limits.MAX_SPECIAL, "tokens.special")
    tables.special_removed = fits(edition.special_removed, tables.special_tokens, "setup.special_removed")

    contracts = (*edition.neutral_contracts, *edition.private_contracts)
    tables.neutral_cards = len(edition.neutral_contracts)
    tables.cards = fits(len(contracts), MAX_CARDS, "neutral_contract")
    tables.neutral = first_cards(tables.neutral_cards)
    tables.private_ = first_cards(tables.cards) & ~tables.neutral
    for i, contract in enumerate(contracts):
        compile_contract(contract, &tables.contract[i], "neutral_contract")
    return 0
