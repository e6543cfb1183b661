# What a position promises a player. Changes no state.
#
# Its points so far, those that it has begun to earn, the more the less is missing, and what its stars and pieces are
# worth beyond that, because everything is made of them:
#
#     constellations   for each that is not complete: points * (stars in it / its spaces)^2
#     public tasks     for each without its marker: points * (counter / what it must be at least)^2; nothing for a task
#                      that is satisfied or not, with nothing between
#     personal task    towards its next tier: 7/4 of the points that this adds * the part of the way from the one before
#     stars            w * n * (1 - n / (2 * spaces)) for n stars: the first is worth w, each next one less, the last
#                      almost nothing. w is 6 points in the full game, where stars count in more ways, else 3
#     Observatory      for each star half of what the next one in the galaxy adds
#     black holes      a point for each
#
# These numbers are those of a linear fit, by the rounds of a game, of the margin at the end to what the two seats have,
# over 500 games of the standard edition between equal bots (docs/strength.md). Without the last three a search is
# content with fewer pieces than it could take.

from libc.stdint cimport int32_t, uint32_t

from nebula_core.bits cimport popcount
from nebula_core.game cimport POINT_PARTS
from nebula_core.nebula.counters cimport Points, count, galaxy_of, score
from nebula_core.nebula.state cimport NO_CARD, NebulaState
from nebula_core.nebula.tables cimport PersonalTask, PublicTask, Tables

cdef enum:
    # Points that the first star of a galaxy is worth.
    FULL_STAR = 6
    BASIC_STAR = 3


cdef inline int32_t promise_of_constellations(const Tables* tables, const NebulaState* state, int seat) noexcept nogil:
    """What a seat's incomplete constellations promise."""
    cdef uint32_t galaxy = galaxy_of(state, seat)
    cdef int32_t parts = 0
    cdef int points
    cdef int have
    cdef int size
    cdef int i
    for i in range(tables.constellation_count):
        size = popcount(tables.constellations[i])
        have = popcount(tables.constellations[i] & galaxy)
        if have < size:
            points = tables.constellation_points[i]
            if state.full:
                points += tables.constellation_value[state.constellation_value[i]]
            parts += points * POINT_PARTS * have * have // (size * size)
    return parts


cdef inline int32_t promise_of_public_tasks(const Tables* tables, const NebulaState* state, int seat) noexcept nogil:
    """What the public tasks promise a seat that has no marker on them."""
    cdef const PublicTask* task
    cdef int32_t parts = 0
    cdef int number
    cdef int i
    for i in range(tables.public_in_play):
        task = &tables.public_task[state.public_card[i]]
        if not state.marked[i] >> seat & 1 and task.at_least > 1:
            number = min(task.at_least, count(&task.counter, tables, state, seat))
            parts += (
                (task.later if state.marked[i] else task.first) * POINT_PARTS * number * number
                // (task.at_least * task.at_least)
            )
    return parts


cdef inline int32_t promise_of_personal_task(
    const Tables* tables, const NebulaState* state, int seat, int card
) noexcept nogil:
    """What the next tier of a personal task promises; 0 for NO_CARD."""
    cdef const PersonalTask* task
    cdef int number
    cdef int count_before = 0
    cdef int points_before = 0
    cdef int i
    if card == NO_CARD:
        return 0
    task = &tables.personal_task[card]
    number = count(&task.counter, tables, state, seat)
    for i in range(task.tiers):
        if number < task.count[i]:
            return (
                7 * (task.points[i] - points_before) * POINT_PARTS * (number - count_before)
                // (4 * (task.count[i] - count_before))
            )
        count_before = task.count[i]
        points_before = task.points[i]
    return 0


cdef inline int32_t worth_of_pieces(const Tables* tables, const NebulaState* state, int seat) noexcept nogil:
    """What a seat's stars, pieces and black holes are worth beyond what they have brought."""
    cdef int32_t star = (FULL_STAR if state.full else BASIC_STAR) * POINT_PARTS
    cdef int spaces = tables.space_count
    cdef int placed = popcount(galaxy_of(state, seat))
    cdef int waiting = 0
    cdef int color
    for color in range(tables.colors):
        waiting += state.observatory[seat][color]
    return (
        star * placed * (2 * spaces - placed) // (2 * spaces)
        + star * waiting * (spaces - placed) // (2 * spaces)
        + state.holes[seat] * POINT_PARTS
    )


cdef inline int32_t promise(const Tables* tables, const NebulaState* state, int seat, int kept) noexcept nogil:
    """What the position promises a seat that keeps the personal task `kept` (or NO_CARD), in POINT_PARTS of a point."""
    cdef Points points
    score(tables, state, seat, kept, &points)
    return (
        points.total * POINT_PARTS
        + promise_of_constellations(tables, state, seat)
        + promise_of_public_tasks(tables, state, seat)
        + promise_of_personal_task(tables, state, seat, kept)
        + worth_of_pieces(tables, state, seat)
    )
