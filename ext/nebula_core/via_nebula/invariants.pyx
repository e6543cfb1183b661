"""The invariants of a state of Via Nebula: what must be true of it whoever made it, each with the field that breaks it.

Any content of the struct may be checked, first for its ranges. Fields are named as in `Fields` (rules.pyi).
"""

from libc.stdint cimport uint32_t, uint64_t

from nebula_core.errors import StateError

from nebula_core.bits cimport lowest, lowest64, popcount, popcount64
from nebula_core.via_nebula.hexes cimport Hexes, any_of, both, connected, either, first_of, no_hexes, size_of, without
from nebula_core.via_nebula.play cimport (
    NEED_NOTHING, NEED_PRIVATE_CONTRACT, Missing, deck_left, meadows_in, missing_in_setup, part_possible, unseen_cards
)
from nebula_core.via_nebula.resources cimport count_in
from nebula_core.via_nebula.scoring cimport taken_by
from nebula_core.via_nebula.state cimport (
    NO_CARD, NO_SEAT, PHASE_DRAW, PHASE_EFFECT, PHASE_FINISHED, PHASE_OPEN, PHASE_SETUP, PHASE_TURN, SEATS,
    ViaNebulaState, count_of, resource_of
)
from nebula_core.via_nebula.tables cimport (
    ACTIONS, CLEAR, CONTRACT, DELIVER, MAX_CARDS, MAX_MEADOWS, MAX_RUINS, MAX_SITES, MAX_TOKEN_KINDS, NO_EFFECT,
    NO_PLACE, RECALL, SCORE, SUPPLY, SWAP, Map, Pieces, Tables
)


cdef int check_state(const Tables* tables, const ViaNebulaState* state) except -1:
    check_ranges(tables, state)
    check_cards(tables, state)
    check_resources(tables, state)
    check_ruins(tables, state)
    check_tiles(tables, state)
    if state.phase == PHASE_SETUP:
        check_setup(tables, state)
    else:
        check_tokens(tables, state)
        check_exploitations(tables, state)
        check_contracts(tables, state)
        check_end(tables, state)
        check_turn(tables, state)
    return 0


# --- Ranges ------------------------------------------------------------------------------------------------------


cdef int check_number(int number, int most, str field) except -1:
    if number > most:
        raise StateError(field, f"must be from 0 to {most}, not {number}")
    return 0


cdef int check_bundle(const Tables* t, uint64_t bundle, str field) except -1:
    if bundle & <uint64_t>0x8080808080808080 or (t.resources < 8 and bundle >> (8 * t.resources)):
        raise StateError(field, f"must be from 0 to 127 of each of {t.resources} resources")
    return 0


cdef int check_ranges(const Tables* t, const ViaNebulaState* s) except -1:
    cdef const Map* map = &t.maps[s.map]
    cdef const Pieces* pieces = &t.pieces[s.players]
    cdef uint32_t others
    cdef int seat
    cdef int i
    check_number(s.phase, PHASE_FINISHED, "phase")
    check_number(s.seat, s.players - 1, "seat")
    check_number(s.effect, SCORE, "effect")
    check_number(s.acted, 1, "acted")
    check_number(s.idle, s.players, "idle")
    check_number(s.stock, pieces.common_tiles, "stock")
    if s.end_card >= s.players and s.end_card != NO_SEAT:
        raise StateError("end_card", f"must be a seat or nothing, not {s.end_card}")
    if s.boxed >> t.special_tokens:
        raise StateError("boxed", f"must be a set of {t.special_tokens} tokens, not {s.boxed:#x}")
    check_bundle(t, s.reserve, "reserve")
    if any_of(without(s.empty, map.all)):
        raise StateError("empty", f"a hex is beyond the {map.hexes} there are")
    if map.meadows < MAX_MEADOWS and (s.tokens | s.exploited) >> map.meadows:
        raise StateError("tokens", f"a meadow is beyond the {map.meadows} there are")
    others = s.exploited
    for seat in range(SEATS):
        if s.own[seat] & ~others or (s.own[seat] and seat >= s.players):
            raise StateError("exploitations", "a craftsman stands where there is no exploitation for it")
        others &= ~s.own[seat]
    for i in range(map.meadows):
        if s.tokens >> i & 1:
            if s.exploited >> i & 1:
                raise StateError(f"exploitations[{i}]", "a token lies on an exploitation")
            check_number(s.meadow[i], t.token_kinds - 1, f"tokens[{i}]")
        elif s.exploited >> i & 1:
            if resource_of(s.meadow[i]) >= t.resources or count_of(s.meadow[i]) == 0:
                raise StateError(f"exploitations[{i}]", "must be at least one of a resource that there is")
        elif s.meadow[i]:
            raise StateError(f"tokens[{i}]", "something lies on a meadow where nothing lies")
    for seat in range(s.players):
        check_number(s.tiles[seat], pieces.tiles, f"stacks[{seat}]")
        check_bundle(t, s.storehouse[seat], f"storehouse[{seat}]")
        check_number(s.unknown_neutral[seat], MAX_CARDS, f"unknown_neutral[{seat}]")
        check_number(s.unknown_private[seat], t.private_dealt, f"unknown_private[{seat}]")
        if s.hand[seat] & ~(t.neutral | t.private_):
            raise StateError(f"hands[{seat}]", f"a card is beyond the {t.cards} there are")
        if s.done[seat] & ~(t.neutral | t.private_):
            raise StateError(f"done[{seat}]", f"a card is beyond the {t.cards} there are")
        for i in range(MAX_SITES):
            if s.ruin[seat][i] != NO_PLACE and (s.ruin[seat][i] >= map.ruins or i >= pieces.sites):
                raise StateError(f"sites[{seat}][{i}]", "must be one of the player's sites on a ruin, or nothing")
            check_bundle(t, s.site[seat][i], f"site_resources[{seat}][{i}]")
        check_number(s.buildings[seat], pieces.buildings, f"buildings[{seat}]")
        for i in range(pieces.buildings):
            if i >= s.buildings[seat]:
                check_number(s.building[seat][i], 0, f"buildings[{seat}]")
                continue
            check_number(s.building[seat][i], map.ruins - 1, f"buildings[{seat}]")
            if i and s.building[seat][i] < s.building[seat][i - 1]:
                raise StateError(f"buildings[{seat}]", "must be in the order of the ruins")
    for i in range(MAX_TOKEN_KINDS):
        if s.taken[i] >> (4 * s.players) if s.players < SEATS else 0:
            raise StateError("taken", "a seat that nobody has took a token")
        if s.taken[i] and i >= t.regular_kinds:
            raise StateError("taken", "only regular tokens are taken")
    for i in range(t.open_contracts):
        if s.open[i] >= t.neutral_cards and s.open[i] != NO_CARD:
            raise StateError(f"open[{i}]", f"must be a neutral contract or nothing, not {s.open[i]}")
    return 0


# --- What is true at any time ------------------------------------------------------------------------------------


cdef int check_cards(const Tables* t, const ViaNebulaState* s) except -1:
    """Each card is in one place, and there are enough for those that are unknown."""
    cdef uint64_t seen = 0
    cdef uint64_t unseen = unseen_cards(t, s)
    cdef int neutral = 0
    cdef int private_ = 0
    cdef int seat
    cdef int i
    for i in range(t.open_contracts):
        if s.open[i] != NO_CARD:
            if seen >> s.open[i] & 1:
                raise StateError(f"open[{i}]", f"contract {s.open[i]} is there twice")
            seen |= <uint64_t>1 << s.open[i]
    for seat in range(s.players):
        for cards, field in ((s.hand[seat], f"hands[{seat}]"), (s.done[seat], f"done[{seat}]")):
            if seen & <uint64_t>cards:
                raise StateError(field, f"contract {lowest64(seen & <uint64_t>cards)} is also in another place")
            seen |= <uint64_t>cards
        neutral += s.unknown_neutral[seat]
        private_ += s.unknown_private[seat]
        if neutral > popcount64(unseen & t.neutral):
            raise StateError(f"unknown_neutral[{seat}]", "there are not so many neutral contracts out of sight")
        if private_ > popcount64(unseen & t.private_):
            raise StateError(f"unknown_private[{seat}]", "there are not so many private contracts out of sight")
    return 0


cdef int check_resources(const Tables* t, const ViaNebulaState* s) except -1:
    """Every resource is somewhere, and only once."""
    cdef uint32_t meadows
    cdef int resource
    cdef int seat
    cdef int i
    cdef int found
    for seat in range(s.players):
        for i in range(MAX_SITES):
            if s.ruin[seat][i] == NO_PLACE and s.site[seat][i]:
                raise StateError(f"site_resources[{seat}][{i}]", "resources lie on a site that is at home")
    for resource in range(t.resources):
        found = count_in(s.reserve, resource)
        meadows = s.exploited
        while meadows:
            i = lowest(meadows)
            meadows &= meadows - 1
            if resource_of(s.meadow[i]) == resource:
                found += count_of(s.meadow[i])
        for seat in range(s.players):
            found += count_in(s.storehouse[seat], resource)
            for i in range(MAX_SITES):
                found += count_in(s.site[seat][i], resource)
        if found != count_in(t.reserve, resource):
            raise StateError(
                f"reserve[{resource}]",
                f"there are {found} of resource {resource} in all places, but must be {count_in(t.reserve, resource)}",
            )
    return 0


cdef int check_ruins(const Tables* t, const ViaNebulaState* s) except -1:
    """No ruin bears more than fits on it."""
    cdef int capacity = t.pieces[s.players].ruin_capacity
    cdef int standing[MAX_RUINS + 1]
    cdef int seat
    cdef int i
    for i in range(MAX_RUINS + 1):
        standing[i] = 0
    for seat in range(s.players):
        for i in range(s.buildings[seat]):
            standing[s.building[seat][i]] += 1
            if standing[s.building[seat][i]] > capacity:
                raise StateError(f"buildings[{seat}]", f"a ruin bears more than {capacity}")
    for seat in range(s.players):
        for i in range(MAX_SITES):
            standing[s.ruin[seat][i]] += 1
            if s.ruin[seat][i] != NO_PLACE and standing[s.ruin[seat][i]] > capacity:
                raise StateError(f"sites[{seat}][{i}]", f"the ruin is full: it bears more than {capacity}")
    return 0


cdef int check_tiles(const Tables* t, const ViaNebulaState* s) except -1:
    """Every meadow tile is in a stack, in the common stock or on the map, where it could be laid."""
    cdef const Map* map = &t.maps[s.map]
    cdef const Pieces* pieces = &t.pieces[s.players]
    cdef Hexes laid = without(s.empty, map.meadow)
    cdef Hexes linked = no_hexes()
    cdef Hexes around
    cdef uint32_t emptied = meadows_in(map, s.empty)
    cdef int used = pieces.common_tiles - s.stock
    cdef int cleared = 0
    cdef bint stacks_used_up = False
    cdef int seat
    cdef int i
    if emptied & (s.tokens | s.exploited):
        raise StateError("empty", "a token or an exploitation lies on an empty meadow")
    for seat in range(s.players):
        used += pieces.tiles - s.tiles[seat]
        stacks_used_up = stacks_used_up or s.tiles[seat] == 0
        cleared += parts_of(t, s, seat, CLEAR)
    if used != size_of(laid):
        raise StateError("empty", f"{size_of(laid)} meadow tiles are laid, but {used} have left stacks and stock")
    if s.stock < pieces.common_tiles and not stacks_used_up:
        raise StateError("stock", "is used before any player's stacks are empty")
    for i in range(map.ruins):
        if any_of(both(s.empty, map.ruin_at[i])):
            raise StateError("empty", f"hex {map.hex_of_ruin[i]} is a ruin")
    if size_of(both(laid, map.forbidden)) > cleared:
        raise StateError("empty", "more forbidden hexes are explored than contracts allow")
    # A tile is laid next to an empty meadow, a craftsman, a site or a building. Each of these is still there, or an
    # empty meadow by now.
    for i in range(map.meadows):
        if emptied >> i & 1 or any_craftsman(s, i):
            linked = either(linked, map.around_meadow[i])
    for seat in range(s.players):
        for i in range(MAX_SITES):
            linked = either(linked, map.around_ruin[s.ruin[seat][i]])
        for i in range(s.buildings[seat]):
            linked = either(linked, map.around_ruin[s.building[seat][i]])
    linked = both(linked, laid)
    if any_of(linked):
        linked = connected(&map.steps, linked, s.empty, &around)
    if any_of(without(laid, linked)):
        raise StateError("empty", f"the tile on hex {first_of(without(laid, linked))} is next to nothing to start from")
    return 0


cdef bint any_craftsman(const ViaNebulaState* s, int meadow) noexcept:
    """Whether a craftsman stands on a meadow."""
    return (s.own[0] | s.own[1] | s.own[2] | s.own[3]) >> meadow & 1


cdef int parts_of(const Tables* t, const ViaNebulaState* s, int seat, int effect) noexcept:
    """How many parts of an effect a seat has had by the contracts it has done, all told."""
    cdef uint64_t cards = s.done[seat]
    cdef int parts = 0
    while cards:
        if t.contract[lowest64(cards)].effect == effect:
            parts += t.contract[lowest64(cards)].parts
        cards &= cards - 1
    if seat == s.seat and s.effect == effect:
        parts -= s.parts
    # More left than there ever were is for check_turn to refuse.
    return max(0, parts)


# --- The setup ---------------------------------------------------------------------------------------------------


cdef int check_setup(const Tables* t, const ViaNebulaState* s) except -1:
    """Everything up to the first thing missing is there, nothing after it, and nothing has been played."""
    cdef Missing missing = missing_in_setup(t, s)
    cdef uint32_t left
    cdef int i
    cdef int kind
    cdef int found
    if missing.need == NEED_NOTHING:
        raise StateError("phase", "is the setup, but nothing is missing")
    for number, field in ((s.seat, "seat"), (s.action_points, "action_points"), (s.effect, "effect"),
                          (s.parts, "parts"), (s.acted, "acted"), (s.idle, "idle")):
        if number:
            raise StateError(field, f"must be 0 in the setup, not {number}")
    if s.end_card != NO_SEAT:
        raise StateError("end_card", "must be nothing in the setup")
    for i in range(s.players):
        if s.buildings[i]:
            raise StateError(f"buildings[{i}]", "must be empty in the setup")
        if s.done[i]:
            raise StateError(f"done[{i}]", "must be empty in the setup")
        if s.own[i]:
            raise StateError("exploitations", f"seat {i} cannot have a craftsman there in the setup")
        if s.storehouse[i]:
            raise StateError(f"storehouse[{i}]", "must be empty in the setup")
        for kind in range(MAX_SITES):
            if s.ruin[i][kind] != NO_PLACE:
                raise StateError(f"sites[{i}][{kind}]", "must be at home in the setup")
        if s.hand[i] & t.neutral or s.unknown_neutral[i]:
            raise StateError(f"hands[{i}]", "only private contracts are dealt")
        found = popcount64(s.hand[i]) + s.unknown_private[i]
        if found > t.private_dealt or (found and (
            missing.need < NEED_PRIVATE_CONTRACT or (missing.need == NEED_PRIVATE_CONTRACT and i > missing.place)
        )):
            raise StateError(f"hands[{i}]", "more are dealt than at this point of the setup")
    if size_of(s.empty) != popcount(meadows_in(&t.maps[s.map], s.empty)):
        raise StateError("empty", "no tile is laid in the setup")
    for kind in range(t.regular_kinds):
        if s.taken[kind]:
            raise StateError("taken", "no token is taken in the setup")
    for i in range(t.open_contracts):
        if s.open[i] != NO_CARD and (missing.need <= NEED_PRIVATE_CONTRACT or i > missing.place):
            raise StateError(f"open[{i}]", "is there before an earlier thing of the setup")
    if missing.need >= NEED_PRIVATE_CONTRACT:
        check_tokens(t, s)
        check_exploitations(t, s)
        return 0
    # Tokens are put on the meadows in their order, and only then the special ones turn into resources.
    if popcount(s.boxed) > t.special_removed:
        raise StateError("boxed", f"only {t.special_removed} special tokens go back to the box before the others")
    if s.exploited or any_of(s.empty):
        raise StateError("exploitations", "must be nowhere before all tokens are there")
    if s.tokens & (s.tokens + 1) or (s.tokens and popcount(s.boxed) < t.special_removed):
        raise StateError("tokens", "a token is there before an earlier thing of the setup")
    for kind in range(t.token_kinds):
        found = popcount(s.boxed & t.token[kind].pieces)
        for i in range(popcount(s.tokens)):
            found += s.meadow[i] == kind
            if found > t.token[kind].copies:
                raise StateError(
                    f"tokens[{i}]", f"there are {found} of kind {kind}, but only {t.token[kind].copies} in the edition"
                )
        left = t.token[kind].pieces & ~s.boxed
        if left and (s.boxed & t.token[kind].pieces) > (left & (<uint32_t>0 - left)):
            raise StateError("boxed", "of tokens that are alike the first ones are meant")
    return 0


# --- The game ----------------------------------------------------------------------------------------------------


cdef int check_tokens(const Tables* t, const ViaNebulaState* s) except -1:
    """Every meadow has its token, an exploitation, or nothing any more; every regular token is on the map or taken."""
    cdef const Map* map = &t.maps[s.map]
    cdef uint32_t all = (<uint64_t>1 << map.meadows) - 1
    cdef uint32_t missing = all & ~(s.tokens | s.exploited | meadows_in(map, s.empty))
    cdef int found[MAX_TOKEN_KINDS]
    cdef int seat
    cdef int kind
    cdef int i
    if s.boxed:
        raise StateError("boxed", "after the setup of the tokens all special ones are in the box")
    if missing:
        raise StateError(
            f"tokens[{lowest(missing)}]", "the meadow has no token and no exploitation, and is not empty either"
        )
    for kind in range(t.token_kinds):
        found[kind] = 0
    for i in range(map.meadows):
        if s.tokens >> i & 1:
            if s.meadow[i] >= t.regular_kinds:
                raise StateError(f"tokens[{i}]", "special tokens turn into resources in the setup")
            found[s.meadow[i]] += 1
            if found[s.meadow[i]] > t.token[s.meadow[i]].copies:
                raise StateError(f"tokens[{i}]", "there are more of this kind than the edition has")
    for kind in range(t.regular_kinds):
        for seat in range(s.players):
            found[kind] += taken_by(s, seat, kind)
            if found[kind] > t.token[kind].copies:
                raise StateError(f"taken[{seat}]", f"there are more tokens of kind {kind} than the edition has")
        if found[kind] < t.token[kind].copies:
            raise StateError("taken", f"a token of kind {kind} is neither on the map nor taken")
    return 0


cdef int check_exploitations(const Tables* t, const ViaNebulaState* s) except -1:
    """Behind every exploitation is a token that its owner took, with at least as many resources."""
    cdef int fewer = t.pieces[s.players].fewer_resources
    cdef uint32_t neutral = s.exploited
    cdef uint32_t owned
    cdef int seat
    cdef int kind
    for seat in range(s.players):
        neutral &= ~s.own[seat]
        if popcount(s.own[seat]) > t.pieces[s.players].craftsmen:
            raise StateError(
                f"craftsmen[{seat}]",
                f"there are only {t.pieces[s.players].craftsmen}, not {popcount(s.own[seat])} on exploitations",
            )
    if popcount(neutral) > t.special_tokens - t.special_removed:
        raise StateError("exploitations", "there are more neutral ones than special tokens on the map")
    for seat in range(s.players + 1):
        owned = s.own[seat] if seat < s.players else neutral
        yields = {}
        for kind in range(t.regular_kinds if seat < s.players else t.token_kinds):
            for _ in range(
                taken_by(s, seat, kind) if seat < s.players else t.token[kind].copies if kind >= t.regular_kinds else 0
            ):
                yields.setdefault(t.token[kind].resource, []).append(t.token[kind].count - fewer)
        # The largest exploitation needs a token as large, and so on down.
        found = [(count_of(s.meadow[i]), i) for i in range(MAX_MEADOWS) if owned >> i & 1]
        for count, meadow in sorted(found, reverse=True):
            tokens = yields.get(resource_of(s.meadow[<int>meadow]), [])
            if max(tokens, default=0) < count:
                raise StateError(
                    f"exploitations[{meadow}]",
                    "no special token has so many resources" if seat == s.players
                    else f"the craftsman of seat {seat} stands there without a token taken for so many resources",
                )
            tokens.remove(max(tokens))
    return 0


cdef int check_contracts(const Tables* t, const ViaNebulaState* s) except -1:
    """Private contracts stay with the seat; a building is a contract done; the open places are filled from the deck."""
    cdef int empty_places = 0
    cdef int seat
    cdef int i
    cdef int found
    for seat in range(s.players):
        found = popcount64((s.hand[seat] | s.done[seat]) & t.private_) + s.unknown_private[seat]
        if found != t.private_dealt:
            raise StateError(
                f"hands[{seat}]", f"{found} private contracts, done or not, but {t.private_dealt} were dealt"
            )
        if popcount64(s.hand[seat] & t.neutral) + s.unknown_neutral[seat] > parts_of(t, s, seat, CONTRACT):
            raise StateError(f"hands[{seat}]", "more neutral contracts than the seat can have drawn")
        if popcount64(s.done[seat]) != s.buildings[seat]:
            raise StateError(
                f"done[{seat}]", f"{popcount64(s.done[seat])} contracts are done, with {s.buildings[seat]} buildings"
            )
    for i in range(t.open_contracts):
        empty_places += s.open[i] == NO_CARD
    found = s.phase == PHASE_OPEN
    if empty_places != found and deck_left(t, s) > 0:
        raise StateError("open", f"must have {found} empty places while there is a deck, not {empty_places}")
    return 0


cdef int check_end(const Tables* t, const ViaNebulaState* s) except -1:
    """The end card, and who may have had a turn since."""
    cdef int seat
    # Turns from the one that brought the end card to the present one.
    cdef int turns = (s.seat + s.players - s.end_card) % s.players if s.end_card != NO_SEAT else 0
    for seat in range(s.players):
        if s.buildings[seat] == t.pieces[s.players].buildings:
            if s.end_card == NO_SEAT:
                raise StateError("end_card", f"seat {seat} has no building left: somebody must have the end card")
            if (seat + s.players - s.end_card) % s.players > turns:
                raise StateError("end_card", f"seat {seat} has no building left but has had no turn since")
        elif s.end_card == seat:
            raise StateError("end_card", f"seat {seat} still has buildings")
    if s.end_card != NO_SEAT and s.idle > max(0, turns - (s.phase != PHASE_FINISHED)):
        raise StateError("idle", f"{s.idle} turns without an action cannot have ended since the end card was taken")
    if s.phase == PHASE_FINISHED:
        if s.idle < s.players and (s.end_card == NO_SEAT or turns + 1 < s.players):
            raise StateError("phase", "is finished, but the last turns are not over and not everybody has passed")
        return 0
    if s.idle == s.players:
        raise StateError("idle", "every player has ended a turn without an action: the game is finished")
    if s.end_card == s.seat and (s.phase == PHASE_TURN or s.action_points):
        raise StateError("end_card", f"seat {s.seat} has no turn after the one that brought it")
    return 0


cdef int check_turn(const Tables* t, const ViaNebulaState* s) except -1:
    """What the phase says of the turn."""
    cdef int cheapest = min(t.craftsman_cost, t.site_cost, t.mist_cost, t.forest_cost, t.transport_cost, t.build_cost)
    cdef int most = t.action_points
    cdef bint found = False
    cdef uint64_t cards = s.done[s.seat]
    cdef int card
    cdef int parts
    if (s.effect == NO_EFFECT) != (s.parts == 0):
        raise StateError("parts", f"must be 0 without an effect and more with one, not {s.parts}")
    if s.acted and s.idle:
        raise StateError("idle", f"must be 0 once the seat has acted, not {s.idle}")
    if s.phase == PHASE_FINISHED or s.phase == PHASE_TURN:
        if s.effect:
            raise StateError("effect", "can be there only while its parts are carried out")
    elif not s.acted:
        raise StateError("acted", "must be true after a contract was done")
    if s.phase == PHASE_FINISHED:
        if s.acted or s.action_points:
            raise StateError("action_points", "nothing of a turn is left when the game is finished")
        return 0
    if s.acted:
        most += parts_of(t, s, s.seat, ACTIONS) - (cheapest if s.phase == PHASE_TURN else t.build_cost)
    if s.action_points > most or (not s.acted and s.action_points < most):
        raise StateError("action_points", f"cannot be {s.action_points} here: {'at most ' if s.acted else ''}{most}")
    if s.phase == PHASE_TURN:
        if s.action_points == 0:
            raise StateError("action_points", "must be more than 0: without any the turn has ended")
        return 0
    while cards:
        # The contract under way; if an open place waits, it was an open one, and nothing of its effect is carried out.
        card = lowest64(cards)
        cards &= cards - 1
        parts = t.contract[card].parts
        if t.contract[card].effect == s.effect or (s.effect == NO_EFFECT and parts == 0):
            if s.phase == PHASE_OPEN:
                found = found or (parts == s.parts and (t.neutral >> card & 1) != 0)
            else:
                found = found or parts >= s.parts
    if not found:
        raise StateError("effect", f"seat {s.seat} has done no contract with so much of this effect left")
    if (s.phase == PHASE_OPEN or s.phase == PHASE_DRAW) and deck_left(t, s) < 1:
        raise StateError("phase", "is the drawing of a contract, but the deck is empty")
    if s.phase == PHASE_DRAW and s.effect != CONTRACT:
        raise StateError("effect", "must be to draw contracts")
    if s.phase == PHASE_EFFECT and (
        s.effect not in (SUPPLY, SWAP, CLEAR, DELIVER, RECALL) or not part_possible(t, s)
    ):
        raise StateError("effect", "there is nothing to decide: no part of it is possible")
    return 0
