# What a position promises a player. Changes no state.
#
# Its points so far, less what lies in its storehouse alone, and besides
#
#     stacks     of a stack of meadow tiles its points times the part of it that is used up
#     sites      for each site the best of the contracts that could be built there next, (points + 1) * 3/4 * part^2,
#                where `part` is how much of the cost lies on the site: one of a contract's resources is worth little,
#                the last but one much, and the point more stands for the effect and for the end that comes nearer
#
# What lies on sites and exploitations at the end goes to the storehouse and costs points; before that it is material.
# Without the part of the sites a search hoards: an estimate by points alone lost 7 of 8 games against full playouts.

from libc.stdint cimport int32_t, uint64_t

from nebula_core.bits cimport lowest64
from nebula_core.game cimport POINT_PARTS
from nebula_core.via_nebula.resources cimport count_in, total_of
from nebula_core.via_nebula.scoring cimport Points, score
from nebula_core.via_nebula.state cimport ViaNebulaState
from nebula_core.via_nebula.tables cimport MAX_SITES, Pieces, Tables


cdef inline int32_t promise_of_site(const Tables* tables, uint64_t on_site, uint64_t cards) noexcept nogil:
    """What a site with these resources promises, if one of these contracts is to be built on it."""
    cdef int32_t best = 0
    cdef uint64_t cost
    cdef int card
    cdef int have
    cdef int need
    cdef int resource
    while cards:
        card = lowest64(cards)
        cards &= cards - 1
        cost = tables.contract[card].cost
        need = total_of(cost)
        have = 0
        for resource in range(tables.resources):
            have += min(count_in(cost, resource), count_in(on_site, resource))
        best = max(best, (tables.contract[card].points + 1) * POINT_PARTS * 3 * have * have // (4 * need * need))
    return best


cdef inline int32_t promise(const Tables* tables, const ViaNebulaState* state, int seat, uint64_t cards) noexcept nogil:
    """What the position promises a seat that could build these contracts, in POINT_PARTS of a point."""
    cdef const Pieces* pieces = &tables.pieces[state.players]
    cdef Points points
    cdef int32_t parts
    cdef int site
    score(tables, state, seat, &points)
    parts = POINT_PARTS * (
        points.total - points.stacks - points.storehouse
        + total_of(state.storehouse[seat]) * tables.storehouse_points
    )
    parts += POINT_PARTS * tables.emptied_stack_points * (pieces.tiles - state.tiles[seat]) // pieces.stack_size
    if state.buildings[seat] < pieces.buildings:
        for site in range(MAX_SITES):
            if state.site[seat][site]:
                parts += promise_of_site(tables, state.site[seat][site], cards)
    return parts
