# When a search ends: one small function for each rule, asked in a fixed order before each simulation; the first that
# says yes ends the run and is named as the reason. Knows no tree and no game, only how far the search has got. The one
# place in the core that reads a clock, and only if there is a time limit.

from libc.stdint cimport int64_t, uint32_t
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

cdef extern from *:
    """
    /* Not an enum: too large for an int. */
    #define NC_MAX_SIMULATIONS 0xFFFFFFFFu
    static inline int nc_load(const int *flag) { return __atomic_load_n(flag, __ATOMIC_RELAXED); }
    static inline void nc_store(int *flag, int value) { __atomic_store_n(flag, value, __ATOMIC_RELAXED); }
    """
    # Visits and availabilities are uint32 and no tree does more simulations, so that none of them overflows.
    const uint32_t MAX_SIMULATIONS "NC_MAX_SIMULATIONS"
    # Of a flag that another thread may change or read meanwhile.
    int load "nc_load"(const int* flag) noexcept nogil
    void store "nc_store"(int* flag, int value) noexcept nogil

cdef enum:
    GO_ON = -1
    TIME = 0
    SIMULATIONS = 1
    NODES = 2
    CANCELLED = 3
    DECIDED = 4
    FORCED = 5
    EXHAUSTED = 6
    PAUSED = 7

# What a run may use up.
ctypedef struct RunLimits:
    # Since the tree was made; MAX_SIMULATIONS if unlimited.
    uint32_t simulations
    # In the tree; 0 if unlimited.
    uint32_t nodes
    # From the start of the run; 0 if unlimited.
    int64_t nanoseconds
    # Not 0 once somebody wants the run to end; NULL if nobody can.
    const int* cancel
    # The same for a pause, which changes nothing about the search that goes on after it.
    const int* pause
    # Whether the search may end when the rest of it cannot change which move has most visits.
    bint decided

# How far a search has got.
ctypedef struct Progress:
    uint32_t simulations
    uint32_t nodes
    int root_moves
    # Visits of the root's most visited move and of the next one.
    uint32_t leader_visits
    uint32_t runner_up_visits
    # The tree holds every line to the end of the game and nothing is left to chance.
    bint solved
    # The time of this run after its last simulation in nanoseconds: 0 before the first, and without a time limit.
    int64_t elapsed
    # What all runs with a time limit took together, and their simulations: the speed, which a run that goes on after a
    # pause does not guess anew from its first simulation.
    int64_t timed
    uint32_t timed_simulations


cdef inline int64_t monotonic() noexcept nogil:
    """Nanoseconds of a clock that never goes back."""
    cdef timespec now
    clock_gettime(CLOCK_MONOTONIC, &now)
    return <int64_t>now.tv_sec * 1000000000 + now.tv_nsec


cdef inline bint is_set(const int* flag) noexcept nogil:
    return flag != NULL and load(flag) != 0


cdef inline bint cancelled(const RunLimits* limits) noexcept nogil:
    return is_set(limits.cancel)


cdef inline bint forced(const Progress* progress) noexcept nogil:
    return progress.root_moves == 1


cdef inline bint exhausted(const Progress* progress) noexcept nogil:
    return progress.solved


cdef inline bint decided(const RunLimits* limits, const Progress* progress) noexcept nogil:
    """The runner-up can no longer catch up, even with every simulation that is left.

    Under a time limit those left are reckoned from the speed so far.
    """
    cdef double left = limits.simulations - progress.simulations
    cdef double left_in_time
    if not limits.decided or left == 0:
        return False
    if limits.nanoseconds and progress.timed > 0:
        left_in_time = (
            <double>progress.timed_simulations
            * <double>(limits.nanoseconds - progress.elapsed)
            / <double>progress.timed
        )
        left = min(left, left_in_time)
    return left > 0 and progress.leader_visits - progress.runner_up_visits > left


cdef inline bint nodes_used_up(const RunLimits* limits, const Progress* progress) noexcept nogil:
    """The tree has its nodes, or as many simulations have added none: a tree that holds all there is, or is full."""
    if limits.nodes == 0 or progress.simulations == 0:
        return False
    return progress.nodes >= limits.nodes or progress.simulations - (progress.nodes - 1) >= limits.nodes


cdef inline bint simulations_used_up(const RunLimits* limits, const Progress* progress) noexcept nogil:
    return progress.simulations >= limits.simulations


cdef inline bint time_used_up(const RunLimits* limits, const Progress* progress) noexcept nogil:
    """The time is over; never before the first simulation, when none of it has elapsed."""
    return limits.nanoseconds != 0 and progress.elapsed >= limits.nanoseconds


cdef inline bint paused(const RunLimits* limits) noexcept nogil:
    return is_set(limits.pause)


cdef inline int rule_that_fires(const RunLimits* limits, const Progress* progress) noexcept nogil:
    """The first rule that ends the run now, or GO_ON."""
    if cancelled(limits):
        return CANCELLED
    if forced(progress):
        return FORCED
    if exhausted(progress):
        return EXHAUSTED
    if decided(limits, progress):
        return DECIDED
    if nodes_used_up(limits, progress):
        return NODES
    if simulations_used_up(limits, progress):
        return SIMULATIONS
    if time_used_up(limits, progress):
        return TIME
    if paused(limits):
        return PAUSED
    return GO_ON
