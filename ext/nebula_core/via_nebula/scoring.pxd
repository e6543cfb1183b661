# Points. Changes no state.

from libc.stdint cimport uint32_t, uint64_t

from nebula_core.bits cimport lowest, lowest64, popcount
from nebula_core.via_nebula.resources cimport total_of
from nebula_core.via_nebula.state cimport ViaNebulaState, count_of
from nebula_core.via_nebula.tables cimport BUILDINGS, MAX_SITES, SCORE, TOKEN_TYPES, Tables

ctypedef struct Points:
    int tokens
    int contracts
    int score_effects
    int stacks
    int end_card
    int storehouse
    int total
    int resources    # in the storehouse at the end


cdef inline int taken_by(const ViaNebulaState* state, int seat, int kind) noexcept nogil:
    """How many tokens of a kind a seat took."""
    return state.taken[kind] >> (4 * seat) & 0xF


cdef inline int emptied_stacks(const Tables* tables, const ViaNebulaState* state, int seat) noexcept nogil:
    """How many of a seat's stacks of meadow tiles are empty."""
    return (tables.pieces[state.players].tiles - state.tiles[seat]) // tables.pieces[state.players].stack_size


cdef inline int token_types(const Tables* tables, const ViaNebulaState* state, int seat) noexcept nogil:
    """How many different resources there are on the tokens that a seat took."""
    cdef uint32_t types = 0
    cdef int kind
    for kind in range(tables.regular_kinds):
        if taken_by(state, seat, kind):
            types |= <uint32_t>1 << tables.token[kind].resource
    return popcount(types)


cdef inline void score(const Tables* tables, const ViaNebulaState* state, int seat, Points* points) noexcept nogil:
    """A seat's points by source if the game ended now: what is left on its sites and exploitations counts as stored."""
    cdef uint64_t cards = state.done[seat]
    cdef uint32_t meadows = state.own[seat]
    cdef int card
    cdef int kind
    cdef int site
    points.tokens = 0
    for kind in range(tables.regular_kinds):
        points.tokens += taken_by(state, seat, kind) * tables.token[kind].points
    points.contracts = 0
    points.score_effects = 0
    while cards:
        card = lowest64(cards)
        cards &= cards - 1
        points.contracts += tables.contract[card].points
        if tables.contract[card].effect == SCORE:
            if tables.contract[card].per == BUILDINGS:
                points.score_effects += state.buildings[seat]
            elif tables.contract[card].per == TOKEN_TYPES:
                points.score_effects += token_types(tables, state, seat)
            else:
                points.score_effects += emptied_stacks(tables, state, seat)
    points.stacks = emptied_stacks(tables, state, seat) * tables.emptied_stack_points
    points.end_card = tables.end_card_points if state.end_card == seat else 0
    points.resources = total_of(state.storehouse[seat])
    for site in range(MAX_SITES):
        points.resources += total_of(state.site[seat][site])
    while meadows:
        points.resources += count_of(state.meadow[lowest(meadows)])
        meadows &= meadows - 1
    points.storehouse = points.resources * tables.storehouse_points
    points.total = (
        points.tokens + points.contracts + points.score_effects + points.stacks + points.end_card + points.storehouse
    )
