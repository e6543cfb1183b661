# The rules of Via Nebula as the functions of game.pxd, and the few questions that the Python face asks besides.

from libc.stdint cimport uint32_t, uint64_t

from nebula_core.game cimport Game
from nebula_core.via_nebula.hexes cimport Hexes
from nebula_core.via_nebula.state cimport ViaNebulaState
from nebula_core.via_nebula.tables cimport Map, Tables

# What the setup still lacks, in its order.
cdef enum Need:
    NEED_SPECIAL_TOKEN
    NEED_TOKEN
    NEED_PRIVATE_CONTRACT
    NEED_OPEN_CONTRACT
    NEED_NOTHING

ctypedef struct Missing:
    Need need
    int place    # meadow, seat or open place

# Fill in the table of functions; `tables` must outlive it.
cdef void set_functions(Game* game, const Tables* tables) noexcept
# The first thing that the setup lacks.
cdef Missing missing_in_setup(const Tables* tables, const ViaNebulaState* state) noexcept nogil
# Find anew what follows from the rest of the state.
cdef void derive(const Tables* tables, ViaNebulaState* state) noexcept nogil
# The meadows next to a ruin, or joined to it by a chain of empty ones.
cdef uint32_t reach_of(const Map* map, Hexes empty, int ruin) noexcept nogil
# How many sites and buildings stand on a ruin.
cdef int standing_on(const ViaNebulaState* state, int ruin) noexcept nogil
# The cards that lie nowhere in sight: in the deck, in the box, or unknown in somebody's hand.
cdef uint64_t unseen_cards(const Tables* tables, const ViaNebulaState* state) noexcept nogil
# How many neutral contracts are left in the deck.
cdef int deck_left(const Tables* tables, const ViaNebulaState* state) noexcept nogil
# Whether anything fulfils a part of the effect under way, one with decisions.
cdef bint part_possible(const Tables* tables, const ViaNebulaState* state) noexcept nogil
# The meadows of a set of hexes.
cdef uint32_t meadows_in(const Map* map, Hexes hexes) noexcept nogil
