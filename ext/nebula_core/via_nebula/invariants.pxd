# The invariants of a state of Via Nebula.

from nebula_core.via_nebula.state cimport ViaNebulaState
from nebula_core.via_nebula.tables cimport Tables

# Both are for a state of a number of players and a map that the edition has, and raise StateError.

# Unless every number is in its range, so that the functions of play.pxd may read the state: that comes first.
cdef int check_ranges(const Tables* tables, const ViaNebulaState* state) except -1
# Unless the state keeps every invariant.
cdef int check_state(const Tables* tables, const ViaNebulaState* state) except -1
