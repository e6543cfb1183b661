"""Compiles an edition (nebula/edition.py) into C tables. Knows no state and no rules."""

from libc.string cimport memset

from nebula_core.errors import EditionError
from nebula_core.nebula import edition as limits

ROOM = {
    "MAX_COLORS": MAX_COLORS,
    "MAX_CLUSTERS": MAX_CLUSTERS,
    "MAX_CLUSTER_SPACES": MAX_CLUSTER_SPACES,
    "MAX_SPACES": MAX_SPACES,
    "MAX_ORBITS": MAX_REGIONS,
    "MAX_CONSTELLATIONS": MAX_REGIONS,
    "MAX_PUBLIC_TASKS": MAX_IN_PLAY,
    "MAX_ADVANCED_CARDS": MAX_IN_PLAY,
    "MAX_PERSONAL_DEALT": MAX_DEALT,
    "MAX_CARDS": MAX_CARDS,
    "MAX_TRACK": MAX_TRACK,
    "MAX_VALUES": MAX_VALUES,
    "MAX_TIERS": MAX_TIERS,
}
assert {name: getattr(limits, name) for name in ROOM} == ROOM, "edition.py and tables.pxd differ"


cdef int fits(object number, int most, str key) except -1:
    """The number, if it is 0 to `most`: the tables have no room for more."""
    if not 0 <= number <= most:
        raise EditionError(key, f"must be from 0 to {most}, not {number}")
    return number


cdef int compile_counter(object counter, Counter* out) except -1:
    others = counter.others
    out.spaces = counter.spaces
    out.kind = counter.kind
    out.color = ANY_COLOR if counter.color is None else counter.color
    out.direct_only = counter.direct_only
    out.number = counter.number
    out.others = sum({1 << color for color in others})
    if counter.kind in (LINKS, FLANKED):
        out.other[0] = others[0]
        out.other[1] = others[1] if len(others) > 1 else others[0]
    return 0


cdef list compositions(int total, int parts):
    """All lists of `parts` numbers from 0 that sum to `total`, in lexicographic order."""
    if parts == 1:
        return [[total]]
    return [[first, *rest] for first in range(total + 1) for rest in compositions(total - first, parts - 1)]


cdef list packed_sorted(list numbers, int bits, bint first_highest):
    """Each list of small numbers as one integer, `bits` bits a number, ascending."""
    packed = []
    for row in numbers:
        value = 0
        for number in (row if first_highest else reversed(row)):
            value = value << bits | number
        packed.append(value)
    return sorted(packed)


cdef int compile_tables(object edition, Tables* tables) except -1:
    """Fill `tables` from a checked Edition. Raises EditionError if something would not fit."""
    cdef int i
    cdef int byte
    cdef int space
    memset(tables, 0, sizeof(Tables))

    tables.space_count = fits(edition.spaces, MAX_SPACES, "galaxy.spaces")
    tables.all_spaces = (1 << edition.spaces) - 1
    tables.first_star_spaces = edition.first_star_spaces
    tables.orbit_count = fits(len(edition.orbits), MAX_REGIONS, "galaxy.spaces")
    for i, spaces in enumerate(edition.orbits):
        tables.orbits[i] = spaces
    tables.constellation_count = fits(len(edition.constellations), MAX_REGIONS, "galaxy.constellations")
    for i, spaces in enumerate(edition.constellations):
        tables.constellations[i] = spaces
        tables.constellation_points[i] = edition.constellation_points[i]
    for one, other, kind in edition.links:
        tables.links[0][<int>one] |= <uint32_t>1 << <int>other
        tables.links[0][<int>other] |= <uint32_t>1 << <int>one
        if kind == 1:
            tables.links[1][<int>one] |= <uint32_t>1 << <int>other
            tables.links[1][<int>other] |= <uint32_t>1 << <int>one
    for space in range(MAX_SPACES):
        for byte in range(256):
            if byte >> (space & 7) & 1:
                tables.linked_bytes[space >> 3][byte] |= tables.links[0][space]

    tables.min_players = fits(edition.min_players, 4, "players")
    tables.max_players = fits(edition.max_players, 4, "players")
    tables.colors = fits(edition.colors, MAX_COLORS, "bag.colors")
    tables.stars_per_color = edition.stars_per_color
    for i in range(3):
        tables.black_holes[i + 2] = edition.black_holes[i]
        tables.indicator_end[i + 2] = edition.indicator_end[i]
        tables.markers_end[i + 2] = edition.markers_end[i]
    tables.clusters = fits(edition.clusters, MAX_CLUSTERS, "clusters.count")
    tables.cluster_spaces = fits(edition.cluster_spaces, MAX_CLUSTER_SPACES, "clusters.spaces")
    tables.draw = edition.draw
    tables.keep = fits(edition.keep, limits.MAX_KEEP, "chaos.keep")
    for i in range(4):
        tables.observatory_pieces[i] = edition.observatory_pieces[i]
    tables.personal_dealt = fits(edition.personal_dealt, MAX_DEALT, "setup.personal_dealt")
    tables.public_in_play = fits(edition.public_in_play, MAX_IN_PLAY, "setup.public_tasks")
    tables.advanced_in_play = fits(edition.advanced_in_play, MAX_IN_PLAY, "setup.advanced_cards")
    tables.stars_placed = edition.stars_placed
    tables.stars_placed_with_supernova = edition.stars_placed_with_supernova
    tables.constellations_end = edition.constellations_end
    tables.track = fits(len(edition.track_points) - 1, MAX_TRACK, "black_holes.track_points")
    for i, points in enumerate(edition.track_points):
        tables.track_points[i] = points
    tables.color_values = fits(len(edition.color_values), MAX_VALUES, "values.color")
    for i, points in enumerate(edition.color_values):
        tables.color_value[i] = points
    tables.constellation_values = fits(len(edition.constellation_values), MAX_VALUES, "values.constellation")
    for i, points in enumerate(edition.constellation_values):
        tables.constellation_value[i] = points
    tables.advanced_values = fits(len(edition.advanced_values), MAX_VALUES, "values.advanced")
    for i, points in enumerate(edition.advanced_values):
        tables.advanced_value[i] = points

    tables.public_cards = fits(len(edition.public_tasks), MAX_CARDS, "public_task")
    for i, task in enumerate(edition.public_tasks):
        compile_counter(task.counter, &tables.public_task[i].counter)
        tables.public_task[i].at_least = task.at_least
        tables.public_task[i].first = task.first
        tables.public_task[i].later = task.later
    tables.personal_cards = fits(len(edition.personal_tasks), MAX_CARDS, "personal_task")
    for i, task in enumerate(edition.personal_tasks):
        compile_counter(task.counter, &tables.personal_task[i].counter)
        tables.personal_task[i].tiers = fits(len(task.tiers), MAX_TIERS, f"personal_task[{i}].tiers")
        for tier, (count, points) in enumerate(task.tiers):
            tables.personal_task[i].count[<int>tier] = count
            tables.personal_task[i].points[<int>tier] = points
    tables.advanced_cards = fits(len(edition.advanced_cards), MAX_CARDS, "advanced_card")
    for i, counter in enumerate(edition.advanced_cards):
        compile_counter(counter, &tables.advanced_card[i])

    listed = packed_sorted(compositions(edition.steps, edition.clusters), 4, True)
    tables.invests = fits(len(listed), MAX_LISTED, "clusters.steps")
    for i, counts in enumerate(listed):
        tables.invest[i] = counts
    listed = packed_sorted(compositions(edition.keep, edition.colors + 1), 3, False)
    tables.keeps = fits(len(listed), MAX_LISTED, "chaos.keep")
    for i, counts in enumerate(listed):
        tables.keep_counts[i] = counts
    return 0
