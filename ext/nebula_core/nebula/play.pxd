# The rules of Nebula as the functions of game.pxd, and the few questions that the Python face asks besides.

from libc.stdint cimport int32_t, uint32_t

from nebula_core.game cimport Game
from nebula_core.nebula.state cimport NebulaState
from nebula_core.nebula.tables cimport Tables

# What the setup still lacks, in its order.
cdef enum Need:
    NEED_CLUSTER_PIECE
    NEED_SUPERNOVA
    NEED_OBSERVATORY_PIECE
    NEED_PUBLIC_TASK
    NEED_ADVANCED_CARD
    NEED_PERSONAL_TASK
    NEED_NOTHING

ctypedef struct Missing:
    Need need
    int row      # cluster, or seat
    int place    # space, or slot

# Fill in the table of functions; `tables` must outlive it.
cdef void set_functions(Game* game, const Tables* tables) noexcept
# The first thing that the setup lacks.
cdef Missing missing_in_setup(const Tables* tables, const NebulaState* state) noexcept nogil
# The spaces where a seat may put a star of some colour, before its colours' links are looked at.
cdef uint32_t open_spaces(const Tables* tables, const NebulaState* state, int seat) noexcept nogil
# Whether the seat in turn has anything to place and a place for it.
cdef bint can_place(const Tables* tables, const NebulaState* state) noexcept nogil
# How many pieces the seat in turn may place.
cdef int placing_limit(const Tables* tables, const NebulaState* state) noexcept nogil
# Whether an end trigger holds.
cdef bint end_triggered(const Tables* tables, const NebulaState* state) noexcept nogil
# Whether a seat's boards satisfy the public task in a slot.
cdef bint satisfies(const Tables* tables, const NebulaState* state, int slot, int seat) noexcept nogil
# The first empty cluster space (cluster * MAX_CLUSTER_SPACES + space), or -1.
cdef int first_empty(const Tables* tables, const NebulaState* state) noexcept nogil
# Black holes on all tracks, but never more than the indicator's end.
cdef int indicator_of(const Tables* tables, const NebulaState* state) noexcept nogil
# Whether a seat has chosen among its personal tasks.
cdef bint has_chosen(const NebulaState* state, int seat) noexcept nogil
