# What a position promises a player. Changes no state.
#
# Its points so far, and of those it has begun to earn a half at most, the more the less is missing:
#
#     constellations   for each that is not complete: points / 2 * (stars in it / its spaces)^2
#     public tasks     for each without its marker: points / 2 * (counter / what it must be at least)^2; nothing for a
#                      task that is satisfied or not, with nothing between
#     personal task    towards its next tier: the points that this adds, / 2 * the part of the way from the tier before

from libc.stdint cimport int32_t, uint32_t

from nebula_core.bits cimport popcount
from nebula_core.game cimport POINT_PARTS
from nebula_core.nebula.counters cimport Points, count, galaxy_of, score
from nebula_core.nebula.state cimport NO_CARD, NebulaState
from nebula_core.nebula.tables cimport PersonalTask, PublicTask, Tables


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
            parts += points * POINT_PARTS * have * have // (2 * size * size)
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
                // (2 * task.at_least * task.at_least)
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
                (task.points[i] - points_before) * POINT_PARTS * (number - count_before)
                // (2 * (task.count[i] - count_before))
            )
        count_before = task.count[i]
        points_before = task.points[i]
    return 0


cdef inline int32_t promise(const Tables* tables, const NebulaState* state, int seat, int kept) noexcept nogil:
    """What the position promises a seat that keeps the personal task `kept` (or NO_CARD), in POINT_PARTS of a point."""
    cdef Points points
    score(tables, state, seat, kept, &points)
    return (
        points.total * POINT_PARTS
        + promise_of_constellations(tables, state, seat)
        + promise_of_public_tasks(tables, state, seat)
        + promise_of_personal_task(tables, state, seat, kept)
    )
