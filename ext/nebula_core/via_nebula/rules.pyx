"""Via Nebula for Python: an edition's rules, and states as plain fields, checked on their way in."""

from enum import IntEnum

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memset

from nebula_core.errors import LimitError, MoveError, StateError, shown

from nebula_core.bits cimport lowest64, popcount
from nebula_core.face cimport Rules, State, holds_at_compile_time, new_state
from nebula_core.game cimport MAX_STATE_BYTES
from nebula_core.via_nebula cimport moves as move_kinds
from nebula_core.via_nebula.hexes cimport either, has, only
from nebula_core.via_nebula.invariants cimport check_ranges, check_state
from nebula_core.via_nebula.play cimport NEED_PRIVATE_CONTRACT, derive, missing_in_setup, reach_of, set_functions
from nebula_core.via_nebula.resources cimport bundle_of, count_in
from nebula_core.via_nebula.scoring cimport Points, score, taken_by
from nebula_core.via_nebula.state cimport (
    NO_CARD, NO_SEAT, PHASE_DRAW, PHASE_EFFECT, PHASE_FINISHED, PHASE_OPEN, PHASE_SETUP, PHASE_TURN, SEATS,
    UNKNOWN_CARD, ViaNebulaState, count_of, exploitation, resource_of
)
from nebula_core.via_nebula.tables cimport MAX_SITES, NO_PLACE, SCORE, Map, Pieces, Tables, compile_tables

NOTHING = -1


class Phase(IntEnum):
    SETUP = PHASE_SETUP
    TURN = PHASE_TURN
    OPEN = PHASE_OPEN
    DRAW = PHASE_DRAW
    EFFECT = PHASE_EFFECT
    FINISHED = PHASE_FINISHED


class MoveKind(IntEnum):
    CRAFTSMAN = move_kinds.CRAFTSMAN
    SITE = move_kinds.SITE
    EXPLORE = move_kinds.EXPLORE
    TRANSPORT = move_kinds.TRANSPORT
    BUILD = move_kinds.BUILD
    END_TURN = move_kinds.END_TURN
    SUPPLY = move_kinds.SUPPLY_PART
    SWAP = move_kinds.SWAP_PART
    CLEAR = move_kinds.CLEAR_PART
    DELIVER = move_kinds.DELIVER_PART
    RECALL = move_kinds.RECALL_PART
    DECLINE = move_kinds.DECLINE
    SPECIAL = move_kinds.SPECIAL
    TOKEN = move_kinds.TOKEN
    PRIVATE = move_kinds.PRIVATE_CARD
    OPEN = move_kinds.OPEN_CARD
    DRAW = move_kinds.DRAW_CARD


def encode(kind, argument=0):
    return kind << 24 | argument


def decode(move):
    try:
        return MoveKind(move >> 24), move & 0xFFFFFF
    except (TypeError, ValueError):
        raise MoveError("move", f"{move!r} is the number of no move") from None


# Between the fields of Python and the bytes of the struct.

cdef int number_in(object value, str field, int least, int most) except? -99:
    if not isinstance(value, int) or not least <= value <= most:
        raise StateError(field, f"must be a whole number from {least} to {most}, not {value!r}")
    return value


cdef list list_in(object value, str field, int length):
    """A list of this length; of any, if that is negative."""
    if not isinstance(value, (list, tuple)) or (length >= 0 and len(value) != length):
        raise StateError(field, f"must be a list{'' if length < 0 else f' of {length}'}, not {value!r}")
    return list(value)


cdef list members(uint64_t cards):
    """The elements of a set, ascending."""
    found = []
    while cards:
        found.append(lowest64(cards))
        cards &= cards - 1
    return found


cdef uint64_t set_in(object given, str field, int size) except? 0:
    """A set of different contracts, numbered below `size`, which is 64 at most."""
    cdef uint64_t elements = 0
    cdef int element
    for i, number in enumerate(list_in(given, field, -1)):
        element = number_in(number, f"{field}[{i}]", 0, size - 1)
        if elements >> element & 1:
            raise StateError(f"{field}[{i}]", f"contract {element} stands there twice")
        elements |= <uint64_t>1 << element
    return elements


cdef class ViaNebulaRules(Rules):
    cdef Tables tables

    def __init__(self, edition):
        compile_tables(edition, &self.tables)
        set_functions(&self.game, &self.tables)
        self.name = "via_nebula"
        self.edition = edition.name
        self.edition_hash = edition.content_hash

    def new(self, players, map):
        cdef State state = new_state(self)
        cdef const Tables* t = &self.tables
        if not isinstance(players, int) or not t.min_players <= players <= t.max_players:
            raise StateError("players", f"must be from {t.min_players} to {t.max_players}, not {players!r}")
        if not isinstance(map, int) or not 0 <= map < t.map_count:
            raise StateError("map", f"must be from 0 to {t.map_count - 1}, not {map!r}")
        self.lay_out(<ViaNebulaState*>state.data(), players, map)
        return state

    cdef void lay_out(self, ViaNebulaState* state, int players, int map) noexcept:
        """Before the first chance event: everything at home and an empty map."""
        cdef const Pieces* pieces = &self.tables.pieces[players]
        cdef int seat
        cdef int i
        holds_at_compile_time(sizeof(ViaNebulaState) <= MAX_STATE_BYTES)
        memset(state, 0, sizeof(ViaNebulaState))
        state.players = players
        state.map = map
        state.phase = PHASE_SETUP
        state.end_card = NO_SEAT
        state.reserve = self.tables.reserve
        state.stock = pieces.common_tiles
        for seat in range(SEATS):
            for i in range(MAX_SITES):
                state.ruin[seat][i] = NO_PLACE
        for seat in range(players):
            state.tiles[seat] = pieces.tiles
        for i in range(self.tables.open_contracts):
            state.open[i] = NO_CARD
        derive(&self.tables, state)

    cdef const ViaNebulaState* own(self, State state) except NULL:
        """The struct of a state of these very rules."""
        if state.rules is not self:
            raise StateError("state", "is of other rules than these")
        return <const ViaNebulaState*>state.data()

    def map_of(self, State state not None):
        return self.own(state).map

    # The fields.

    def fields(self, State state not None):
        cdef const ViaNebulaState* of = self.own(state)
        cdef const Tables* t = &self.tables
        cdef const Map* map = &t.maps[of.map]
        cdef const Pieces* pieces = &t.pieces[of.players]
        cdef int seat
        cdef int i
        cdef int kind
        seats = range(of.players)
        return {
            "players": of.players,
            "map": of.map,
            "phase": of.phase,
            "seat": of.seat,
            "action_points": of.action_points,
            "acted": bool(of.acted),
            "idle": of.idle,
            "effect": of.effect,
            "parts": of.parts,
            "end_card": -1 if of.end_card == NO_SEAT else of.end_card,
            "boxed": [
                kind for kind in range(t.token_kinds) for _ in range(popcount(of.boxed & t.token[kind].pieces))
            ],
            "tokens": [of.meadow[i] if of.tokens >> i & 1 else -1 for i in range(map.meadows)],
            "exploitations": [self.exploitation_out(of, i) for i in range(map.meadows)],
            "empty": [i for i in range(map.hexes) if has(of.empty, i)],
            "sites": [
                [
                    -1 if of.ruin[seat][i] == NO_PLACE else map.hex_of_ruin[of.ruin[seat][i]]
                    for i in range(pieces.sites)
                ]
                for seat in seats
            ],
            "site_resources": [[self.bundle_out(of.site[seat][i]) for i in range(pieces.sites)] for seat in seats],
            "buildings": [
                [map.hex_of_ruin[of.building[seat][i]] for i in range(of.buildings[seat])] for seat in seats
            ],
            "stacks": [
                [
                    max(0, min(pieces.stack_size, of.tiles[seat] - pieces.stack_size * (pieces.stacks - 1 - i)))
                    for i in range(pieces.stacks)
                ]
                for seat in seats
            ],
            "stock": of.stock,
            "craftsmen": [pieces.craftsmen - popcount(of.own[seat]) for seat in seats],
            "reserve": self.bundle_out(of.reserve),
            "storehouse": [self.bundle_out(of.storehouse[seat]) for seat in seats],
            "taken": [
                [kind for kind in range(t.regular_kinds) for _ in range(taken_by(of, seat, kind))] for seat in seats
            ],
            "hands": [members(of.hand[seat]) for seat in seats],
            "unknown_neutral": [of.unknown_neutral[seat] for seat in seats],
            "unknown_private": [of.unknown_private[seat] for seat in seats],
            "done": [members(of.done[seat]) for seat in seats],
            "open": [-1 if of.open[i] == NO_CARD else of.open[i] for i in range(t.open_contracts)],
        }

    cdef object exploitation_out(self, const ViaNebulaState* of, int meadow):
        """Owner, resource and count, or None where there is no exploitation."""
        cdef int seat
        if not of.exploited >> meadow & 1:
            return None
        owner = -1
        for seat in range(of.players):
            if of.own[seat] >> meadow & 1:
                owner = seat
        return [owner, resource_of(of.meadow[meadow]), count_of(of.meadow[meadow])]

    cdef list bundle_out(self, uint64_t bundle):
        cdef int resource
        return [count_in(bundle, resource) for resource in range(self.tables.resources)]

    def from_fields(self, fields):
        cdef State made = new_state(self)
        cdef ViaNebulaState* state = <ViaNebulaState*>made.data()
        cdef const Tables* t = &self.tables
        cdef const Map* map
        cdef const Pieces* pieces
        cdef uint32_t left
        cdef int players
        cdef int seat
        cdef int i
        cdef int k
        missing = FIELD_NAMES - set(fields)
        if missing:
            raise StateError(min(missing), "is missing")
        surplus = set(fields) - FIELD_NAMES
        if surplus:
            raise StateError(str(min(surplus, key=str)), "is not a field of a state")
        players = number_in(fields["players"], "players", t.min_players, t.max_players)
        self.lay_out(state, players, number_in(fields["map"], "map", 0, t.map_count - 1))
        map = &t.maps[state.map]
        pieces = &t.pieces[players]
        state.phase = number_in(fields["phase"], "phase", 0, PHASE_FINISHED)
        state.seat = number_in(fields["seat"], "seat", 0, players - 1)
        state.action_points = number_in(fields["action_points"], "action_points", 0, 255)
        state.acted = number_in(fields["acted"], "acted", 0, 1)
        state.idle = number_in(fields["idle"], "idle", 0, players)
        state.effect = number_in(fields["effect"], "effect", 0, SCORE)
        state.parts = number_in(fields["parts"], "parts", 0, 255)
        i = number_in(fields["end_card"], "end_card", -1, players - 1)
        state.end_card = NO_SEAT if i < 0 else i
        for i, kind in enumerate(list_in(fields["boxed"], "boxed", -1)):
            left = t.token[number_in(kind, f"boxed[{i}]", t.regular_kinds, t.token_kinds - 1)].pieces & ~state.boxed
            if left == 0:
                raise StateError(f"boxed[{i}]", f"there are not so many special tokens of kind {kind}")
            state.boxed |= left & (<uint32_t>0 - left)
        for i, kind in enumerate(list_in(fields["tokens"], "tokens", map.meadows)):
            k = number_in(kind, f"tokens[{i}]", -1, t.token_kinds - 1)
            if k >= 0:
                state.tokens |= <uint32_t>1 << i
                state.meadow[i] = k
        for i, given in enumerate(list_in(fields["exploitations"], "exploitations", map.meadows)):
            if given is not None:
                self.exploitation_in(state, i, given)
        for i, hex in enumerate(list_in(fields["empty"], "empty", -1)):
            k = number_in(hex, f"empty[{i}]", 0, map.hexes - 1)
            if has(state.empty, k):
                raise StateError(f"empty[{i}]", f"hex {k} stands there twice")
            state.empty = either(state.empty, only(k))
        for seat, row in enumerate(list_in(fields["sites"], "sites", players)):
            for i, hex in enumerate(list_in(row, f"sites[{seat}]", pieces.sites)):
                k = number_in(hex, f"sites[{seat}][{i}]", -1, map.hexes - 1)
                if k >= 0:
                    state.ruin[seat][i] = self.ruin_in(map, k, f"sites[{seat}][{i}]")
        for seat, row in enumerate(list_in(fields["site_resources"], "site_resources", players)):
            for i, bundle in enumerate(list_in(row, f"site_resources[{seat}]", pieces.sites)):
                state.site[seat][i] = self.bundle_in(bundle, f"site_resources[{seat}][{i}]")
        for seat, row in enumerate(list_in(fields["buildings"], "buildings", players)):
            ruins = []
            for i, hex in enumerate(list_in(row, f"buildings[{seat}]", -1)):
                k = number_in(hex, f"buildings[{seat}][{i}]", 0, map.hexes - 1)
                ruins.append(self.ruin_in(map, k, f"buildings[{seat}][{i}]"))
            if len(ruins) > pieces.buildings:
                raise StateError(f"buildings[{seat}]", f"must be at most {pieces.buildings}, not {len(ruins)}")
            state.buildings[seat] = len(ruins)
            for i, ruin in enumerate(sorted(ruins)):
                state.building[seat][i] = ruin
        for seat, row in enumerate(list_in(fields["stacks"], "stacks", players)):
            state.tiles[seat] = self.stacks_in(pieces, row, f"stacks[{seat}]")
        state.stock = number_in(fields["stock"], "stock", 0, pieces.common_tiles)
        state.reserve = self.bundle_in(fields["reserve"], "reserve")
        for seat, bundle in enumerate(list_in(fields["storehouse"], "storehouse", players)):
            state.storehouse[seat] = self.bundle_in(bundle, f"storehouse[{seat}]")
        for seat, row in enumerate(list_in(fields["taken"], "taken", players)):
            for i, kind in enumerate(list_in(row, f"taken[{seat}]", -1)):
                k = number_in(kind, f"taken[{seat}][{i}]", 0, t.regular_kinds - 1)
                if taken_by(state, seat, k) == t.token[k].copies:
                    raise StateError(f"taken[{seat}][{i}]", f"there are not so many tokens of kind {k}")
                state.taken[k] += 1 << (4 * seat)
        for seat, row in enumerate(list_in(fields["hands"], "hands", players)):
            state.hand[seat] = set_in(row, f"hands[{seat}]", t.cards)
        for seat, number in enumerate(list_in(fields["unknown_neutral"], "unknown_neutral", players)):
            state.unknown_neutral[seat] = number_in(number, f"unknown_neutral[{seat}]", 0, t.neutral_cards)
        for seat, number in enumerate(list_in(fields["unknown_private"], "unknown_private", players)):
            state.unknown_private[seat] = number_in(number, f"unknown_private[{seat}]", 0, t.private_dealt)
        for seat, row in enumerate(list_in(fields["done"], "done", players)):
            state.done[seat] = set_in(row, f"done[{seat}]", t.cards)
        for i, card in enumerate(list_in(fields["open"], "open", t.open_contracts)):
            k = number_in(card, f"open[{i}]", -1, t.neutral_cards - 1)
            state.open[i] = NO_CARD if k < 0 else k
        derive(t, state)
        self.check(state)
        for seat, number in enumerate(list_in(fields["craftsmen"], "craftsmen", players)):
            k = pieces.craftsmen - popcount(state.own[seat])
            if number_in(number, f"craftsmen[{seat}]", 0, 255) != k:
                raise StateError(f"craftsmen[{seat}]", f"must be {k} by the exploitations of the seat, not {number}")
        return made

    cdef int exploitation_in(self, ViaNebulaState* state, int meadow, object given) except -1:
        cdef str field = f"exploitations[{meadow}]"
        cdef int owner
        whose, resource, count = list_in(given, field, 3)
        owner = number_in(whose, field, -1, state.players - 1)
        if state.tokens >> meadow & 1:
            raise StateError(field, "a token lies there too")
        state.exploited |= <uint32_t>1 << meadow
        state.meadow[meadow] = exploitation(
            number_in(resource, field, 0, self.tables.resources - 1), number_in(count, field, 1, 31)
        )
        if owner >= 0:
            state.own[owner] |= <uint32_t>1 << meadow
        return 0

    cdef uint64_t bundle_in(self, object given, str field) except? 0:
        cdef uint64_t bundle = 0
        cdef int i
        for i, number in enumerate(list_in(given, field, self.tables.resources)):
            bundle += bundle_of(i, number_in(number, f"{field}[{i}]", 0, 127))
        return bundle

    cdef int ruin_in(self, const Map* map, int hex, str field) except -1:
        if map.ruin_of[hex] == NO_PLACE:
            raise StateError(field, "the hex is no ruin")
        return map.ruin_of[hex]

    cdef int stacks_in(self, const Pieces* pieces, object given, str field) except -1:
        """The tiles in all stacks."""
        cdef int tiles = 0
        cdef int i
        for i, number in enumerate(list_in(given, field, pieces.stacks)):
            number_in(number, f"{field}[{i}]", 0, pieces.stack_size)
            if tiles and number < pieces.stack_size:
                raise StateError(f"{field}[{i}]", "must be full: tiles come from the leftmost stack that is not empty")
            tiles += number
        return tiles

    # The packed body: as much as this edition, map and number of players use, and nothing that follows from the rest.

    cdef bytes body(self, const void* of):
        cdef const ViaNebulaState* s = <const ViaNebulaState*>of
        cdef const Tables* t = &self.tables
        cdef const Map* map = &t.maps[s.map]
        cdef const Pieces* pieces = &t.pieces[s.players]
        cdef int seat
        cdef int i
        out = bytearray((
            s.players, s.map, s.phase, s.seat, s.action_points, s.acted, s.idle, s.effect, s.parts, s.end_card, s.boxed,
            s.stock,
        ))
        out += s.empty.low.to_bytes(8, "little") + s.empty.high.to_bytes(8, "little")
        out += s.tokens.to_bytes(4, "little") + s.exploited.to_bytes(4, "little")
        for i in range(map.meadows):
            out.append(s.meadow[i])
        for i in range(t.regular_kinds):
            out += s.taken[i].to_bytes(2, "little")
        for i in range(t.open_contracts):
            out.append(s.open[i])
        out += self.bundle_bytes(s.reserve)
        for seat in range(s.players):
            out += s.own[seat].to_bytes(4, "little")
            out += s.hand[seat].to_bytes(8, "little") + s.done[seat].to_bytes(8, "little")
            out.extend((s.unknown_neutral[seat], s.unknown_private[seat], s.tiles[seat], s.buildings[seat]))
            for i in range(pieces.buildings):
                out.append(s.building[seat][i])
            out += self.bundle_bytes(s.storehouse[seat])
            for i in range(pieces.sites):
                out.append(s.ruin[seat][i])
                out += self.bundle_bytes(s.site[seat][i])
        return bytes(out)

    cdef bytes bundle_bytes(self, uint64_t bundle):
        return bundle.to_bytes(8, "little")[:self.tables.resources]

    cdef int fill(self, void* to, const unsigned char[::1] body) except -1:
        cdef ViaNebulaState* s = <ViaNebulaState*>to
        cdef const Tables* t = &self.tables
        cdef const Map* map
        cdef const Pieces* pieces
        cdef Reader reader = Reader.__new__(Reader)
        cdef int length
        cdef int seat
        cdef int i
        if body.shape[0] < 2:
            raise StateError("packed", f"the body has {body.shape[0]} bytes, too few for any state")
        if not t.min_players <= body[0] <= t.max_players:
            raise StateError("players", f"must be from {t.min_players} to {t.max_players}, not {body[0]}")
        if body[1] >= t.map_count:
            raise StateError("map", f"must be from 0 to {t.map_count - 1}, not {body[1]}")
        self.lay_out(s, body[0], body[1])
        map = &t.maps[s.map]
        pieces = &t.pieces[s.players]
        length = (
            12 + 16 + 8 + map.meadows + 2 * t.regular_kinds + t.open_contracts + t.resources
            + s.players * (4 + 16 + 4 + pieces.buildings + t.resources + pieces.sites * (1 + t.resources))
        )
        if body.shape[0] != length:
            raise StateError("packed", f"the body must have {length} bytes, not {body.shape[0]}")
        reader.body = body
        reader.at = 2
        s.phase = reader.number(1)
        s.seat = reader.number(1)
        s.action_points = reader.number(1)
        s.acted = reader.number(1)
        s.idle = reader.number(1)
        s.effect = reader.number(1)
        s.parts = reader.number(1)
        s.end_card = reader.number(1)
        s.boxed = reader.number(1)
        s.stock = reader.number(1)
        s.empty.low = reader.number(8)
        s.empty.high = reader.number(8)
        s.tokens = reader.number(4)
        s.exploited = reader.number(4)
        for i in range(map.meadows):
            s.meadow[i] = reader.number(1)
        for i in range(t.regular_kinds):
            s.taken[i] = reader.number(2)
        for i in range(t.open_contracts):
            s.open[i] = reader.number(1)
        s.reserve = reader.number(t.resources)
        for seat in range(s.players):
            s.own[seat] = reader.number(4)
            s.hand[seat] = reader.number(8)
            s.done[seat] = reader.number(8)
            s.unknown_neutral[seat] = reader.number(1)
            s.unknown_private[seat] = reader.number(1)
            s.tiles[seat] = reader.number(1)
            s.buildings[seat] = reader.number(1)
            for i in range(pieces.buildings):
                s.building[seat][i] = reader.number(1)
            s.storehouse[seat] = reader.number(t.resources)
            for i in range(pieces.sites):
                s.ruin[seat][i] = reader.number(1)
                s.site[seat][i] = reader.number(t.resources)
        check_ranges(t, s)
        derive(t, s)
        return 0

    cdef int check(self, const void* state) except -1:
        return check_state(&self.tables, <const ViaNebulaState*>state)

    cdef int require_outcome(self, const void* of) except -1:
        # What counts lies open: contracts in a hand give no points.
        return 0

    cdef object unknown_outcome(self, const void* of):
        cdef const ViaNebulaState* state = <const ViaNebulaState*>of
        if state.phase == PHASE_DRAW:
            return encode(move_kinds.DRAW_CARD, UNKNOWN_CARD)
        if state.phase == PHASE_SETUP and missing_in_setup(&self.tables, state).need == NEED_PRIVATE_CONTRACT:
            return encode(move_kinds.PRIVATE_CARD, UNKNOWN_CARD)
        return None

    # What is joined on the map.

    def joined_meadows(self, State state not None, count):
        cdef const ViaNebulaState* of = self.own(state)
        cdef const Map* map = &self.tables.maps[of.map]
        cdef uint64_t joined = 0
        cdef uint32_t checked
        cdef uint32_t _i
        cdef int ruin
        if not isinstance(count, int) or not 1 <= count < 2**32:
            raise LimitError("count", f"must be from 1 to {2**32 - 1}, not {shown(count)}")
        checked = count
        with nogil:
            for _i in range(checked):
                for ruin in range(map.ruins):
                    joined += popcount(reach_of(map, of.empty, ruin))
        return joined

    # Points.

    def scores(self, State state not None):
        cdef const ViaNebulaState* of = self.own(state)
        cdef Points points
        cdef int seat
        scores = []
        for seat in range(of.players):
            score(&self.tables, of, seat, &points)
            scores.append({
                "tokens": points.tokens,
                "contracts": points.contracts,
                "score_effects": points.score_effects,
                "stacks": points.stacks,
                "end_card": points.end_card,
                "storehouse": points.storehouse,
                "total": points.total,
            })
        return scores


cdef class Reader:
    """Reads a body from its beginning; whoever uses it knows its length."""

    cdef const unsigned char[::1] body
    cdef Py_ssize_t at

    cdef uint64_t number(self, int size) noexcept:
        """The next number, little-endian."""
        cdef uint64_t value = 0
        cdef int i
        for i in range(size):
            value |= <uint64_t>self.body[self.at + i] << (8 * i)
        self.at += size
        return value


FIELD_NAMES = frozenset((
    "players", "map", "phase", "seat", "action_points", "acted", "idle", "effect", "parts", "end_card", "boxed",
    "tokens", "exploitations", "empty", "sites", "site_resources", "buildings", "stacks", "stock", "craftsmen",
    "reserve", "storehouse", "taken", "hands", "unknown_neutral", "unknown_private", "done", "open",
))
