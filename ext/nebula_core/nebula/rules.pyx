"""Nebula for Python: an edition's rules, and states as plain fields, checked on their way in."""

from enum import IntEnum

from libc.stdint cimport uint8_t, uint32_t
from libc.string cimport memset

from nebula_core.errors import CardUnknown, MoveError, StateError, shown

from nebula_core.bits cimport popcount
from nebula_core.face cimport Rules, State, holds_at_compile_time, new_state
from nebula_core.game cimport MAX_STATE_BYTES
from nebula_core.nebula cimport moves as move_kinds
from nebula_core.nebula.counters cimport Points, count, score
from nebula_core.nebula.invariants cimport check_state
from nebula_core.nebula.play cimport NEED_PERSONAL_TASK, has_chosen, indicator_of, missing_in_setup, set_functions
from nebula_core.nebula.state cimport (
    NO_CARD, NO_PIECE, PHASE_ADVANCE, PHASE_CHOOSE, PHASE_DRAW, PHASE_FINISHED, PHASE_KEEP, PHASE_PLACE, PHASE_REFILL,
    PHASE_SETUP, PHASE_SUPERNOVA, PHASE_TAKE, PHASE_TURN, UNKNOWN_CARD, NebulaState
)
from nebula_core.nebula.tables cimport Tables, compile_tables

NOTHING = -1
UNKNOWN = -2


class Phase(IntEnum):
    SETUP = PHASE_SETUP
    CHOOSE = PHASE_CHOOSE
    TURN = PHASE_TURN
    TAKE = PHASE_TAKE
    DRAW = PHASE_DRAW
    KEEP = PHASE_KEEP
    PLACE = PHASE_PLACE
    ADVANCE = PHASE_ADVANCE
    REFILL = PHASE_REFILL
    SUPERNOVA = PHASE_SUPERNOVA
    FINISHED = PHASE_FINISHED


class MoveKind(IntEnum):
    CHOOSE = move_kinds.CHOOSE
    INVEST = move_kinds.INVEST
    CHAOS = move_kinds.CHAOS
    TAKE = move_kinds.TAKE
    KEEP = move_kinds.KEEP
    PLACE = move_kinds.PLACE
    ADVANCE = move_kinds.ADVANCE
    DECLINE = move_kinds.DECLINE
    STOP = move_kinds.STOP
    PIECE = move_kinds.PIECE
    PUBLIC = move_kinds.PUBLIC
    ADVANCED = move_kinds.ADVANCED
    PERSONAL = move_kinds.PERSONAL


def encode(kind, argument=0):
    return kind << 24 | argument


def decode(move):
    try:
        return MoveKind(move >> 24), move & 0xFFFFFF
    except (TypeError, ValueError):
        raise MoveError("move", f"{shown(move)} is the number of no move") from None


# Between the fields of Python and the bytes of the struct.

cdef int piece_out(uint8_t piece) noexcept:
    return -1 if piece == NO_PIECE else piece


cdef int card_out(uint8_t card) noexcept:
    return -1 if card == NO_CARD else -2 if card == UNKNOWN_CARD else card


cdef int number_in(object value, str field, int least, int most) except? -99:
    if not isinstance(value, int) or not least <= value <= most:
        raise StateError(field, f"must be a whole number from {least} to {most}, not {shown(value)}")
    return value


cdef uint8_t piece_in(object value, str field, int pieces) except? 0xF0:
    cdef int piece = number_in(value, field, -1, pieces - 1)
    return NO_PIECE if piece < 0 else piece


cdef uint8_t card_in(object value, str field, int cards, bint may_be_unknown) except? 0xF0:
    cdef int card = number_in(value, field, -2 if may_be_unknown else -1, cards - 1)
    return NO_CARD if card == -1 else UNKNOWN_CARD if card == -2 else card


cdef list list_in(object value, str field, int length):
    if not isinstance(value, list) or len(value) != length:
        raise StateError(field, f"must be a list of {length}, not {shown(value)}")
    return value


cdef class NebulaRules(Rules):
    cdef Tables tables

    def __init__(self, edition):
        compile_tables(edition, &self.tables)
        set_functions(&self.game, &self.tables)
        self.name = "nebula"
        self.edition = edition.name
        self.edition_hash = edition.content_hash

    def new(self, players, full):
        cdef State state = new_state(self)
        cdef NebulaState* new = <NebulaState*>state.data()
        if not isinstance(players, int) or not self.tables.min_players <= players <= self.tables.max_players:
            raise StateError(
                "players", f"must be from {self.tables.min_players} to {self.tables.max_players}, not {shown(players)}"
            )
        self.lay_out(new, players, full)
        return state

    cdef void lay_out(self, NebulaState* state, int players, bint full) noexcept:
        """Before the first chance event: a full bag and empty boards."""
        cdef int i
        cdef int k
        holds_at_compile_time(sizeof(NebulaState) <= MAX_STATE_BYTES)
        memset(state, 0, sizeof(NebulaState))
        state.players = players
        state.full = full
        state.phase = PHASE_SETUP
        state.round = 1
        state.supernova = NO_PIECE
        for i in range(self.tables.colors):
            state.bag[i] = self.tables.stars_per_color
        state.bag[self.tables.colors] = self.tables.black_holes[players]
        for i in range(self.tables.colors + 1):
            state.bag_total += state.bag[i]
        for i in range(self.tables.clusters):
            for k in range(self.tables.cluster_spaces):
                state.clusters[i][k] = NO_PIECE
        for i in range(self.tables.public_in_play):
            state.public_card[i] = NO_CARD
        for i in range(self.tables.advanced_in_play if full else 0):
            state.advanced_card[i] = NO_CARD
        for i in range(players):
            for k in range(self.tables.personal_dealt):
                state.personal[i][k] = NO_CARD

    cdef const NebulaState* own(self, State state) except NULL:
        """The struct of a state of these very rules."""
        if state.rules is not self:
            raise StateError("state", "is of other rules than these")
        return <const NebulaState*>state.data()

    # The fields.

    def fields(self, State state not None):
        cdef const NebulaState* of = self.own(state)
        cdef const Tables* t = &self.tables
        cdef int pieces = t.colors + 1
        cdef int seat
        cdef int i
        cdef int k
        galaxies = []
        for seat in range(of.players):
            galaxy = [-1] * t.space_count
            for i in range(t.colors):
                for k in range(t.space_count):
                    if of.stars[seat][i] >> k & 1:
                        galaxy[k] = i
            galaxies.append(galaxy)
        advanced = t.advanced_in_play if of.full else 0
        return {
            "players": of.players,
            "full": bool(of.full),
            "phase": of.phase,
            "seat": of.seat,
            "round": of.round,
            "bag": [of.bag[i] for i in range(pieces)],
            "removed": [of.removed[i] for i in range(pieces)],
            "clusters": [[piece_out(of.clusters[i][k]) for k in range(t.cluster_spaces)] for i in range(t.clusters)],
            "figures": [of.figures[i] for i in range(t.clusters)],
            "supernova": piece_out(of.supernova),
            "observatory": [[of.observatory[seat][i] for i in range(pieces)] for seat in range(of.players)],
            "galaxy": galaxies,
            "holes": [of.holes[seat] for seat in range(of.players)],
            "indicator": indicator_of(t, of),
            "public": [card_out(of.public_card[i]) for i in range(t.public_in_play)],
            "markers": [
                [of.marker_order[i] >> (2 * k) & 3 for k in range(popcount(of.marked[i]))]
                for i in range(t.public_in_play)
            ],
            "advanced": [card_out(of.advanced_card[i]) for i in range(advanced)],
            "color_values": [of.color_value[i] for i in range(t.colors)] if of.full else [],
            "constellation_values": (
                [of.constellation_value[i] for i in range(t.constellation_count)] if of.full else []
            ),
            "advanced_values": [of.advanced_value[i] for i in range(advanced)],
            "personal": [
                [card_out(of.personal[seat][i]) for i in range(t.personal_dealt)] for seat in range(of.players)
            ],
            "took_supernova": bool(of.took_supernova),
            "placed": [i for i in range(pieces) if of.placed >> i & 1],
            "drawn": [of.drawn[i] for i in range(pieces)],
        }

    def from_fields(self, fields):
        cdef State made = new_state(self)
        cdef NebulaState* state = <NebulaState*>made.data()
        cdef const Tables* t = &self.tables
        cdef int pieces = t.colors + 1
        cdef int advanced
        cdef int seat
        cdef int i
        cdef int k
        cdef int color
        missing = FIELD_NAMES - set(fields)
        if missing:
            raise StateError(min(missing), "is missing")
        surplus = set(fields) - FIELD_NAMES
        if surplus:
            raise StateError(str(min(surplus, key=str)), "is not a field of a state")
        state.players = number_in(fields["players"], "players", t.min_players, t.max_players)
        state.full = number_in(fields["full"], "full", 0, 1)
        state.phase = number_in(fields["phase"], "phase", 0, PHASE_FINISHED)
        state.seat = number_in(fields["seat"], "seat", 0, state.players - 1)
        state.round = number_in(fields["round"], "round", 1, 0xFFFF)
        self.counts_in(state.bag, fields["bag"], "bag")
        for i in range(pieces):
            state.bag_total += state.bag[i]
        self.counts_in(state.removed, fields["removed"], "removed")
        self.counts_in(state.drawn, fields["drawn"], "drawn")
        for i, row in enumerate(list_in(fields["clusters"], "clusters", t.clusters)):
            for k, piece in enumerate(list_in(row, f"clusters[{i}]", t.cluster_spaces)):
                state.clusters[i][k] = piece_in(piece, f"clusters[{i}][{k}]", pieces)
        for i, figure in enumerate(list_in(fields["figures"], "figures", t.clusters)):
            state.figures[i] = number_in(figure, f"figures[{i}]", 0, t.cluster_spaces - 1)
        state.supernova = piece_in(fields["supernova"], "supernova", t.colors)
        for seat, counts in enumerate(list_in(fields["observatory"], "observatory", state.players)):
            self.counts_in(state.observatory[seat], counts, f"observatory[{seat}]")
        for seat, galaxy in enumerate(list_in(fields["galaxy"], "galaxy", state.players)):
            for k, star in enumerate(list_in(galaxy, f"galaxy[{seat}]", t.space_count)):
                color = number_in(star, f"galaxy[{seat}][{k}]", -1, t.colors - 1)
                if color >= 0:
                    state.stars[seat][color] |= <uint32_t>1 << k
        for seat, holes in enumerate(list_in(fields["holes"], "holes", state.players)):
            state.holes[seat] = number_in(holes, f"holes[{seat}]", 0, t.track)
        for i, card in enumerate(list_in(fields["public"], "public", t.public_in_play)):
            state.public_card[i] = card_in(card, f"public[{i}]", t.public_cards, False)
        for i, seats in enumerate(list_in(fields["markers"], "markers", t.public_in_play)):
            if not isinstance(seats, list) or len(seats) > state.players:
                raise StateError(
                    f"markers[{i}]", f"must be a list of at most {state.players} seats, not {shown(seats)}"
                )
            for k, marker in enumerate(seats):
                seat = number_in(marker, f"markers[{i}][{k}]", 0, state.players - 1)
                if state.marked[i] >> seat & 1:
                    raise StateError(f"markers[{i}][{k}]", f"seat {seat} has two markers on one task")
                state.marked[i] |= 1 << seat
                state.marker_order[i] |= seat << (2 * k)
        advanced = t.advanced_in_play if state.full else 0
        for i, card in enumerate(list_in(fields["advanced"], "advanced", advanced)):
            state.advanced_card[i] = card_in(card, f"advanced[{i}]", t.advanced_cards, False)
        for i, value in enumerate(list_in(fields["color_values"], "color_values", t.colors if state.full else 0)):
            state.color_value[i] = number_in(value, f"color_values[{i}]", 0, t.color_values - 1)
        for i, value in enumerate(list_in(
            fields["constellation_values"], "constellation_values", t.constellation_count if state.full else 0
        )):
            state.constellation_value[i] = number_in(value, f"constellation_values[{i}]", 0, t.constellation_values - 1)
        for i, value in enumerate(list_in(fields["advanced_values"], "advanced_values", advanced)):
            state.advanced_value[i] = number_in(value, f"advanced_values[{i}]", 0, t.advanced_values - 1)
        for seat, cards in enumerate(list_in(fields["personal"], "personal", state.players)):
            for i, card in enumerate(list_in(cards, f"personal[{seat}]", t.personal_dealt)):
                state.personal[seat][i] = card_in(card, f"personal[{seat}][{i}]", t.personal_cards, True)
        state.took_supernova = number_in(fields["took_supernova"], "took_supernova", 0, 1)
        placed = fields["placed"]
        if not isinstance(placed, list):
            raise StateError("placed", f"must be a list, not {shown(placed)}")
        for i, piece in enumerate(placed):
            k = number_in(piece, f"placed[{i}]", 0, pieces - 1)
            if state.placed >> k & 1:
                raise StateError(f"placed[{i}]", "two pieces of one colour cannot be placed in one turn")
            if state.placed >> k:
                raise StateError(f"placed[{i}]", "the pieces must ascend")
            state.placed |= 1 << k
        self.check(state)
        if number_in(fields["indicator"], "indicator", 0, 255) != indicator_of(t, state):
            raise StateError(
                "indicator",
                f"must be {indicator_of(t, state)} by the black holes placed, not {shown(fields['indicator'])}",
            )
        return made

    cdef int counts_in(self, uint8_t* counts, object given, str field) except -1:
        cdef int i
        for i, number in enumerate(list_in(given, field, self.tables.colors + 1)):
            counts[i] = number_in(number, f"{field}[{i}]", 0, 255)
        return 0

    # The packed body: the struct's arrays in its order, as long as this edition and number of players use them.

    cdef bytes body(self, const void* of):
        cdef const NebulaState* s = <const NebulaState*>of
        cdef const Tables* t = &self.tables
        cdef int pieces = t.colors + 1
        cdef int seat
        cdef int i
        cdef int k
        out = bytearray((s.players, s.full, s.phase, s.seat, s.round & 0xFF, s.round >> 8))
        out.extend((s.supernova, s.took_supernova, s.placed))
        for i in range(pieces):
            out.extend((s.bag[i], s.removed[i], s.drawn[i]))
        for i in range(t.clusters):
            out.append(s.figures[i])
            for k in range(t.cluster_spaces):
                out.append(s.clusters[i][k])
        for seat in range(s.players):
            for i in range(t.colors):
                out.extend((s.stars[seat][i]).to_bytes(4, "little"))
            for i in range(pieces):
                out.append(s.observatory[seat][i])
            out.append(s.holes[seat])
            for i in range(t.personal_dealt):
                out.append(s.personal[seat][i])
        for i in range(t.public_in_play):
            out.extend((s.public_card[i], s.marked[i], s.marker_order[i]))
        if s.full:
            for i in range(t.advanced_in_play):
                out.extend((s.advanced_card[i], s.advanced_value[i]))
            for i in range(t.colors):
                out.append(s.color_value[i])
            for i in range(t.constellation_count):
                out.append(s.constellation_value[i])
        return bytes(out)

    cdef int fill(self, void* to, const unsigned char[::1] body) except -1:
        cdef NebulaState* s = <NebulaState*>to
        cdef const Tables* t = &self.tables
        cdef int pieces = t.colors + 1
        cdef int length
        cdef int at = 9
        cdef int seat
        cdef int i
        cdef int k
        if body.shape[0] < 9:
            raise StateError("packed", f"the body has {body.shape[0]} bytes, too few for any state")
        s.players = body[0]
        s.full = body[1]
        if not t.min_players <= s.players <= t.max_players:
            raise StateError("players", f"must be from {t.min_players} to {t.max_players}, not {s.players}")
        if s.full > 1:
            raise StateError("full", f"must be 0 or 1, not {s.full}")
        length = (
            9 + 3 * pieces + t.clusters * (1 + t.cluster_spaces)
            + s.players * (4 * t.colors + pieces + 1 + t.personal_dealt) + 3 * t.public_in_play
            + s.full * (2 * t.advanced_in_play + t.colors + t.constellation_count)
        )
        if body.shape[0] != length:
            raise StateError("packed", f"the body must have {length} bytes, not {body.shape[0]}")
        s.phase = body[2]
        s.seat = body[3]
        s.round = body[4] | body[5] << 8
        s.supernova = body[6]
        s.took_supernova = body[7]
        s.placed = body[8]
        for i in range(pieces):
            s.bag[i] = body[at]
            s.removed[i] = body[at + 1]
            s.drawn[i] = body[at + 2]
            s.bag_total += s.bag[i]
            at += 3
        for i in range(t.clusters):
            s.figures[i] = body[at]
            for k in range(t.cluster_spaces):
                s.clusters[i][k] = body[at + 1 + k]
            at += 1 + t.cluster_spaces
        for seat in range(s.players):
            for i in range(t.colors):
                s.stars[seat][i] = (
                    body[at] | <uint32_t>body[at + 1] << 8 | <uint32_t>body[at + 2] << 16 | <uint32_t>body[at + 3] << 24
                )
                at += 4
            for i in range(pieces):
                s.observatory[seat][i] = body[at + i]
            at += pieces
            s.holes[seat] = body[at]
            for i in range(t.personal_dealt):
                s.personal[seat][i] = body[at + 1 + i]
            at += 1 + t.personal_dealt
        for i in range(t.public_in_play):
            s.public_card[i] = body[at]
            s.marked[i] = body[at + 1]
            s.marker_order[i] = body[at + 2]
            at += 3
        if s.full:
            for i in range(t.advanced_in_play):
                s.advanced_card[i] = body[at]
                s.advanced_value[i] = body[at + 1]
                at += 2
            for i in range(t.colors):
                s.color_value[i] = body[at + i]
            at += t.colors
            for i in range(t.constellation_count):
                s.constellation_value[i] = body[at + i]
        return 0

    cdef int check(self, const void* state) except -1:
        return check_state(&self.tables, <const NebulaState*>state)

    cdef int require_outcome(self, const void* of) except -1:
        cdef const NebulaState* state = <const NebulaState*>of
        cdef int seat
        for seat in range(state.players):
            if state.personal[seat][0] == UNKNOWN_CARD:
                raise CardUnknown(f"the personal task that seat {seat} kept is unknown: its points cannot be told")
        return 0

    cdef object unknown_outcome(self, const void* of):
        cdef const NebulaState* state = <const NebulaState*>of
        if state.phase == PHASE_SETUP and missing_in_setup(&self.tables, state).need == NEED_PERSONAL_TASK:
            return encode(move_kinds.PERSONAL, UNKNOWN_CARD)
        return None

    # Points.

    def scores(self, State state not None):
        cdef const NebulaState* of = self.own(state)
        cdef Points points
        cdef int seat
        cdef int kept
        scores = []
        for seat in range(of.players):
            kept = of.personal[seat][0] if has_chosen(of, seat) else NO_CARD
            if kept == UNKNOWN_CARD:
                scores.append(None)
                continue
            score(&self.tables, of, seat, kept, &points)
            scores.append({
                "personal": points.personal,
                "public": points.public_tasks,
                "black_holes": points.black_holes,
                "constellations": points.constellations,
                "colors": points.colors,
                "advanced": points.advanced,
                "total": points.total,
            })
        return scores

    def counter(self, State state not None, seat, deck, card):
        cdef const NebulaState* of = self.own(state)
        cdef const Tables* t = &self.tables
        cdef int who = number_in(seat, "seat", 0, of.players - 1)
        cdef int which
        if deck == 0:
            which = number_in(card, "card", 0, t.public_cards - 1)
            return count(&t.public_task[which].counter, t, of, who)
        if deck == 1:
            which = number_in(card, "card", 0, t.personal_cards - 1)
            return count(&t.personal_task[which].counter, t, of, who)
        which = number_in(card, "card", 0, t.advanced_cards - 1)
        return count(&t.advanced_card[which], t, of, who)


FIELD_NAMES = frozenset((
    "players", "full", "phase", "seat", "round", "bag", "removed", "clusters", "figures", "supernova", "observatory",
    "galaxy", "holes", "indicator", "public", "markers", "advanced", "color_values", "constellation_values",
    "advanced_values", "personal", "took_supernova", "placed", "drawn",
))
