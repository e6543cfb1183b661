# Counters and points: numbers read off one player's boards. Changes no state.

from libc.stdint cimport uint32_t

from nebula_core.bits cimport lowest, popcount
from nebula_core.nebula.state cimport NO_CARD, NebulaState
from nebula_core.nebula.tables cimport (
    ANY_COLOR, BLACK_HOLES, COLOR_SETS, CONSTELLATIONS_COMPLETE, CONSTELLATIONS_WITH, FLANKED, LINKS, MAX_COLORS,
    ORBITS_COMPLETE, ORBITS_WITH, REGION_IN_COLORS, STARS, Counter, Tables, linked_to
)


cdef inline uint32_t galaxy_of(const NebulaState* state, int seat) noexcept nogil:
    """The set of spaces of a galaxy that hold a star."""
    # All rows, the unused ones are empty: a loop of fixed length is unrolled.
    cdef uint32_t spaces = 0
    cdef int color
    for color in range(MAX_COLORS):
        spaces |= state.stars[seat][color]
    return spaces


cdef inline int complete(const uint32_t* regions, int count, uint32_t galaxy) noexcept nogil:
    """How many of the regions are full."""
    cdef int full = 0
    cdef int i
    for i in range(count):
        full += (regions[i] & ~galaxy) == 0
    return full


cdef inline int regions_with(
    const uint32_t* regions, int count, const uint32_t* stars, uint32_t colors
) noexcept nogil:
    """How many of the regions hold a star of each colour of a set."""
    cdef int found = 0
    cdef int i
    cdef uint32_t left
    for i in range(count):
        left = colors
        while left and stars[lowest(left)] & regions[i]:
            left &= left - 1
        found += left == 0
    return found


cdef inline int count(const Counter* counter, const Tables* tables, const NebulaState* state, int seat) noexcept nogil:
    """The number that a counter reads off a player's boards, as in the rules."""
    cdef const uint32_t* stars = state.stars[seat]
    cdef bint direct
    cdef uint32_t left
    cdef int number = 0
    cdef int smallest
    cdef int color
    if counter.kind == STARS:
        left = galaxy_of(state, seat) if counter.color == ANY_COLOR else stars[counter.color]
        return popcount(left & counter.spaces)
    elif counter.kind == LINKS:
        direct = counter.direct_only
        left = stars[counter.color]
        while left:
            number += popcount(tables.links[direct][lowest(left)] & stars[counter.other[0]])
            left &= left - 1
        return number
    elif counter.kind == FLANKED:
        return popcount(
            stars[counter.color]
            & linked_to(tables, stars[counter.other[0]])
            & linked_to(tables, stars[counter.other[1]])
        )
    elif counter.kind == REGION_IN_COLORS:
        if counter.spaces & ~galaxy_of(state, seat):
            return 0
        for color in range(tables.colors):
            number += (stars[color] & counter.spaces) != 0
        return number == counter.number
    elif counter.kind == CONSTELLATIONS_WITH:
        return regions_with(tables.constellations, tables.constellation_count, stars, counter.others)
    elif counter.kind == ORBITS_WITH:
        return regions_with(tables.orbits, tables.orbit_count, stars, counter.others)
    elif counter.kind == CONSTELLATIONS_COMPLETE:
        return complete(tables.constellations, tables.constellation_count, galaxy_of(state, seat))
    elif counter.kind == ORBITS_COMPLETE:
        return complete(tables.orbits, tables.orbit_count, galaxy_of(state, seat))
    elif counter.kind == COLOR_SETS:
        smallest = popcount(stars[0])
        for color in range(1, tables.colors):
            number = popcount(stars[color])
            if number < smallest:
                smallest = number
        return smallest
    return state.holes[seat]  # BLACK_HOLES


ctypedef struct Points:
    int personal
    int public_tasks
    int black_holes
    int constellations
    int colors
    int advanced
    int total


cdef inline int personal_points(
    const Tables* tables, const NebulaState* state, int seat, int card
) noexcept nogil:
    """Points of the best tier that a seat reaches on a personal task; 0 for NO_CARD."""
    cdef int points = 0
    cdef int number
    cdef int i
    if card == NO_CARD:
        return 0
    number = count(&tables.personal_task[card].counter, tables, state, seat)
    for i in range(tables.personal_task[card].tiers):
        if number >= tables.personal_task[card].count[i]:
            points = tables.personal_task[card].points[i]
    return points


cdef inline void score(
    const Tables* tables, const NebulaState* state, int seat, int kept, Points* points
) noexcept nogil:
    """A seat's points by source, if it kept the personal task `kept` (or NO_CARD) and the game ended now."""
    cdef uint32_t galaxy = galaxy_of(state, seat)
    cdef int i
    points.personal = personal_points(tables, state, seat, kept)
    points.public_tasks = 0
    for i in range(tables.public_in_play):
        if state.marked[i] >> seat & 1:
            if (state.marker_order[i] & 3) == seat:
                points.public_tasks += tables.public_task[state.public_card[i]].first
            else:
                points.public_tasks += tables.public_task[state.public_card[i]].later
    points.black_holes = tables.track_points[state.holes[seat]]
    points.constellations = 0
    for i in range(tables.constellation_count):
        if (tables.constellations[i] & ~galaxy) == 0:
            points.constellations += tables.constellation_points[i]
            if state.full:
                points.constellations += tables.constellation_value[state.constellation_value[i]]
    points.colors = 0
    points.advanced = 0
    if state.full:
        for i in range(tables.colors):
            points.colors += popcount(state.stars[seat][i]) * tables.color_value[state.color_value[i]]
        for i in range(tables.advanced_in_play):
            if state.advanced_card[i] != NO_CARD:
                points.advanced += (
                    count(&tables.advanced_card[state.advanced_card[i]], tables, state, seat)
                    * tables.advanced_value[state.advanced_value[i]]
                )
    points.total = (
        points.personal + points.public_tasks + points.black_holes
        + points.constellations + points.colors + points.advanced
    )
