# What a position promises a player. Changes no state.
#
#     points     its points so far, but only 3/5 of those of contracts, and less what lies in its storehouse alone
#     buildings  3 points for each
#     stacks     of a stack of meadow tiles its points times the part of it that is used up
#     sites      for each site the best of the contracts that could be built there next:
#                (points + 1) * (3/7 * part^2 + 1/2 * near^2), where `part` is how much of the cost lies on the site,
#                and `near` how much lies on it or on exploitations that are joined to it
#     own        each resource on exploitations with its craftsmen costs 4/5 of what it would at the end
#
# These numbers are those of a linear fit, by how many buildings stand, of the margin at the end to what the two seats
# have, over 240 games of the standard edition between equal bots, rounded (docs/strength.md).

from libc.stdint cimport int32_t, uint8_t, uint32_t, uint64_t

from nebula_core.bits cimport lowest, lowest64
from nebula_core.game cimport POINT_PARTS
from nebula_core.via_nebula.resources cimport bundle_of, count_in, total_of
from nebula_core.via_nebula.scoring cimport Points, score
from nebula_core.via_nebula.state cimport ViaNebulaState, count_of, resource_of
from nebula_core.via_nebula.tables cimport MAX_SITES, NO_PLACE, Pieces, Tables


cdef inline uint64_t joined_to(const ViaNebulaState* state, int seat, int site) noexcept nogil:
    """What lies on the exploitations that are joined to a site."""
    cdef uint32_t meadows = state.reach[seat][site] & state.exploited
    cdef uint64_t found = 0
    cdef uint8_t meadow
    while meadows:
        meadow = state.meadow[lowest(meadows)]
        meadows &= meadows - 1
        found += bundle_of(resource_of(meadow), count_of(meadow))
    return found


cdef inline int32_t promise_of_site(
    const Tables* tables, const ViaNebulaState* state, int seat, int site, uint64_t cards
) noexcept nogil:
    """What a site promises, if one of these contracts is to be built on it."""
    cdef uint64_t on_site = state.site[seat][site]
    cdef uint64_t near = on_site + joined_to(state, seat, site)
    cdef int32_t best = 0
    cdef int32_t parts
    cdef uint64_t cost
    cdef int card
    cdef int have
    cdef int could
    cdef int need
    cdef int resource
    while cards:
        card = lowest64(cards)
        cards &= cards - 1
        cost = tables.contract[card].cost
        need = total_of(cost)
        have = 0
        could = 0
        for resource in range(tables.resources):
            have += min(count_in(cost, resource), count_in(on_site, resource))
            could += min(count_in(cost, resource), count_in(near, resource))
        parts = (tables.contract[card].points + 1) * POINT_PARTS * (6 * have * have + 7 * could * could)
        best = max(best, parts // (14 * need * need))
    return best


cdef inline int32_t promise(const Tables* tables, const ViaNebulaState* state, int seat, uint64_t cards) noexcept nogil:
    """What the position promises a seat that could build these contracts, in POINT_PARTS of a point."""
    cdef const Pieces* pieces = &tables.pieces[state.players]
    cdef Points points
    cdef int32_t parts
    cdef int stored = total_of(state.storehouse[seat])
    cdef int exploited
    cdef int site
    score(tables, state, seat, &points)
    exploited = points.resources - stored
    for site in range(MAX_SITES):
        exploited -= total_of(state.site[seat][site])
    parts = POINT_PARTS * (
        points.total - points.stacks - points.storehouse + stored * tables.storehouse_points
        + 3 * state.buildings[seat]
    )
    parts -= POINT_PARTS * 2 * points.contracts // 5
    parts += POINT_PARTS * 4 * exploited // 5 * tables.storehouse_points
    parts += POINT_PARTS * tables.emptied_stack_points * (pieces.tiles - state.tiles[seat]) // pieces.stack_size
    if state.buildings[seat] < pieces.buildings:
        for site in range(MAX_SITES):
            if state.ruin[seat][site] != NO_PLACE:
                parts += promise_of_site(tables, state, seat, site, cards)
    return parts
