# The Python face of a game: rules (an edition) and states. Everything that Python hands in is checked here; what
# passes may be trusted by the functions of game.pxd.

from nebula_core.game cimport Game, MAX_STATE_WORDS
from nebula_core.rng cimport Rng

cdef extern from *:
    """
    #include <assert.h>
    #define holds_at_compile_time(condition) static_assert(condition, #condition)
    """
    # C does not compile unless the condition, made of constants, is true.
    void holds_at_compile_time(bint condition) noexcept


cdef class Generator:
    cdef Rng rng


cdef class Rules:
    cdef Game game
    cdef readonly str name
    cdef readonly str edition
    cdef readonly bytes edition_hash
    # The three below are each game's own.
    # The body of the packed form; reads no padding.
    cdef bytes body(self, const void* state)
    # Fills a zeroed state from a body of any content; raises StateError.
    cdef int fill(self, void* state, const unsigned char[::1] body) except -1
    # Raises StateError unless the state keeps every invariant; reads any content safely after `fill`.
    cdef int check(self, const void* state) except -1
    # Raises CardUnknown if the outcome of a finished game depends on something unknown.
    cdef int require_outcome(self, const void* state) except -1
    # The outcome that leaves unknown what the pending chance event brings, or None where everybody sees it.
    cdef object unknown_outcome(self, const void* state)


cdef class State:
    cdef readonly Rules rules
    cdef unsigned long long storage[MAX_STATE_WORDS]

    cdef void* data(self) noexcept
    cdef State copy(self)
    cdef int status(self) noexcept
    cdef int require_decision(self) except -1


# A state of all zeros.
cdef State new_state(Rules rules)
