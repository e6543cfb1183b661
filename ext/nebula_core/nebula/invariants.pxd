# The invariants of a state of Nebula.

from nebula_core.nebula.state cimport NebulaState
from nebula_core.nebula.tables cimport Tables

# Raises StateError unless the state, of a number of players that the edition has, keeps every invariant.
cdef int check_state(const Tables* tables, const NebulaState* state) except -1
