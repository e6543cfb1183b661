"""The Python face of every game: generators, rules and immutable states. Knows no game by name.

All that Python hands in is checked here or by the game's own `check`; only what passes reaches the functions of
game.pxd.

The packed form, version 1; numbers are little-endian, so that it is the same bytes on every machine:

    version 1 | length, game's name | length, edition's name | edition's hash 8 |
    length of the body 2 | body | CRC-32 of all before 4
"""

import zlib

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int32_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from nebula_core.errors import (
    ChanceError, ChancePending, GameFinished, GameNotFinished, LimitError, MoveError, NoChancePending, StateError,
    shown
)

from nebula_core.game cimport (
    CHANCE, FINISHED, MAX_MOVES, MAX_PLAYERS, MAX_STATE_BYTES, MAX_STATE_WORDS, POINT_PARTS, WHOLE_WIN, Game, move_t
)
from nebula_core.rng cimport below, seed_rng

PACKED_VERSION = 1
MOST_PERFT_DEPTH = 16


cdef class Generator:
    def __init__(self, seed, stream=0):
        seed_rng(&self.rng, in_range(seed, "seed", 0, 2**64 - 1), in_range(stream, "stream", 0, 2**64 - 1))

    def below(self, bound):
        return below(&self.rng, in_range(bound, "bound", 1, 2**32 - 1))


cdef object in_range(object number, str field, object least, object most):
    """The number, if it is an integer in a range. Raises LimitError."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise LimitError(field, f"must be a whole number, not {shown(number)}")
    if not least <= number <= most:
        raise LimitError(field, f"must be from {least} to {most}, not {shown(number)}")
    return number


cdef class Rules:
    def unpack(self, packed):
        cdef State state
        game, edition, edition_hash = packed_header(packed)
        if game != self.name:
            raise StateError("game", f"the packed state is of {shown(game)}, not of {self.name!r}")
        if edition != self.edition:
            raise StateError("edition", f"the packed state is of edition {shown(edition)}, not of {self.edition!r}")
        if edition_hash != self.edition_hash:
            raise StateError("edition", f"the packed state is of another content of edition {shown(edition)}")
        state = new_state(self)
        self.fill(state.data(), packed_body(packed))
        self.check(state.data())
        return state

    def __reduce__(self):
        raise TypeError("rules cannot be pickled: load the edition again")

    cdef bytes body(self, const void* state):
        raise NotImplementedError

    cdef int fill(self, void* state, const unsigned char[::1] body) except -1:
        raise NotImplementedError

    cdef int check(self, const void* state) except -1:
        raise NotImplementedError

    cdef int require_outcome(self, const void* state) except -1:
        raise NotImplementedError

    cdef object unknown_outcome(self, const void* state):
        raise NotImplementedError


# Whether this module is making a state: nobody else may, because a state without rules has no functions to call.
cdef bint making = False


cdef State new_state(Rules rules):
    global making
    cdef State state
    making = True
    try:
        state = State.__new__(State)
    finally:
        making = False
    state.rules = rules
    memset(state.storage, 0, MAX_STATE_BYTES)
    return state


cdef class State:
    def __cinit__(self):
        if not making:
            raise TypeError("a state is made by its rules")

    cdef void* data(self) noexcept:
        return self.storage

    cdef State copy(self):
        cdef State state = new_state(self.rules)
        memcpy(state.storage, self.storage, MAX_STATE_BYTES)
        return state

    cdef int status(self) noexcept:
        return self.rules.game.status(self.rules.game.tables, self.storage)

    cdef int require_decision(self) except -1:
        cdef int status = self.status()
        if status == FINISHED:
            raise GameFinished("the game is finished: there are no moves any more")
        if status == CHANCE:
            raise ChancePending("a chance event is pending: resolve it before asking for moves")
        return 0

    @property
    def players(self):
        return self.rules.game.players(self.rules.game.tables, self.storage)

    @property
    def seat(self):
        cdef int status = self.status()
        return status if status >= 0 else None

    @property
    def chance_pending(self):
        return self.status() == CHANCE

    @property
    def finished(self):
        return self.status() == FINISHED

    def legal_moves(self):
        cdef move_t moves[MAX_MOVES]
        cdef int found
        cdef int i
        self.require_decision()
        found = self.rules.game.legal(self.rules.game.tables, self.storage, moves)
        return [moves[i] for i in range(found)]

    def random_move(self, Generator generator not None):
        self.require_decision()
        return self.rules.game.random_move(self.rules.game.tables, self.storage, &generator.rng)

    def sensible_move(self, Generator generator not None):
        self.require_decision()
        return self.rules.game.sensible_move(self.rules.game.tables, self.storage, &generator.rng)

    def estimate(self):
        cdef const Game* game = &self.rules.game
        cdef int seat
        if self.status() == CHANCE:
            raise ChancePending("a chance event is pending: resolve it before asking what is promised")
        self.rules.require_outcome(self.storage)
        return [<double>game.estimate(game.tables, self.storage, seat) / POINT_PARTS for seat in range(self.players)]

    def apply(self, move):
        cdef State state
        cdef move_t moves[MAX_MOVES]
        cdef int found
        cdef int i
        self.require_decision()
        found = self.rules.game.legal(self.rules.game.tables, self.storage, moves)
        for i in range(found):
            if isinstance(move, int) and moves[i] == move:
                state = self.copy()
                state.rules.game.apply(state.rules.game.tables, state.storage, moves[i])
                return state
        raise MoveError("move", f"{shown(move)} is not the number of one of the {found} legal moves")

    def chances(self):
        cdef move_t outcomes[MAX_MOVES]
        cdef uint32_t weights[MAX_MOVES]
        cdef int found
        cdef int i
        if self.status() != CHANCE:
            raise NoChancePending("no chance event is pending")
        found = self.rules.game.chances(self.rules.game.tables, self.storage, outcomes, weights)
        return [(outcomes[i], weights[i]) for i in range(found)]

    def resolve(self, outcome):
        cdef State state
        possible = [one for one, _ in self.chances()]
        possible.append(self.rules.unknown_outcome(self.storage))
        if not isinstance(outcome, int) or outcome not in possible:
            raise ChanceError("outcome", f"{shown(outcome)} is not the number of a possible outcome")
        state = self.copy()
        state.rules.game.resolve(state.rules.game.tables, state.storage, outcome)
        return state

    def settle(self, Generator generator not None):
        cdef State state = self
        cdef State single
        outcomes = []
        # Event by event, because `settle` of the game does not tell what it drew.
        while state.status() == CHANCE:
            single = state
            outcome = draw(single, generator)
            outcomes.append(outcome)
            state = single.copy()
            state.rules.game.resolve(state.rules.game.tables, state.storage, outcome)
        return state, outcomes

    def observe(self, seat):
        cdef State state = self.copy()
        state.rules.game.observe(state.rules.game.tables, state.storage, seat_of(self, seat))
        return state

    def determinize(self, seat, Generator generator not None):
        cdef State state = self.copy()
        state.rules.game.determinize(state.rules.game.tables, state.storage, seat_of(self, seat), &generator.rng)
        return state

    def outcome(self):
        cdef int32_t points[MAX_PLAYERS]
        cdef int32_t shares[MAX_PLAYERS]
        cdef int seat
        if self.status() != FINISHED:
            raise GameNotFinished("the game is not finished: there is no outcome yet")
        self.rules.require_outcome(self.storage)
        self.rules.game.outcome(self.rules.game.tables, self.storage, points, shares)
        return (
            [points[seat] for seat in range(self.players)],
            [<double>shares[seat] / WHOLE_WIN for seat in range(self.players)],
        )

    def pack(self):
        body = self.rules.body(self.storage)
        packed = b"".join((
            bytes([PACKED_VERSION]),
            short_text(self.rules.name),
            short_text(self.rules.edition),
            self.rules.edition_hash,
            len(body).to_bytes(2, "little"),
            body,
        ))
        return packed + zlib.crc32(packed).to_bytes(4, "little")

    def perft(self, depth):
        cdef uint64_t counter = 0
        return ways(&self.rules.game, self.storage, in_range(depth, "depth", 0, MOST_PERFT_DEPTH), &counter)

    def __eq__(self, other):
        cdef State that
        if not isinstance(other, State):
            return NotImplemented
        that = other
        return (
            self.rules.name == that.rules.name
            and self.rules.edition == that.rules.edition
            and self.rules.edition_hash == that.rules.edition_hash
            and memcmp(self.storage, that.storage, MAX_STATE_BYTES) == 0
        )

    def __hash__(self):
        return hash((self.rules.edition_hash, (<unsigned char*>self.storage)[:self.rules.game.state_size]))

    def __repr__(self):
        return f"<State of {self.rules.name}, {self.players} players>"

    def __reduce__(self):
        raise TypeError("a state cannot be pickled: send its packed form")


cdef int seat_of(State state, object seat) except -1:
    """The seat, if the state has it."""
    if not isinstance(seat, int) or isinstance(seat, bool) or not 0 <= seat < state.players:
        raise StateError("seat", f"must be from 0 to {state.players - 1}, not {shown(seat)}")
    return seat


cdef object draw(State state, Generator generator):
    """An outcome of the pending chance event, by its probability."""
    cdef move_t outcomes[MAX_MOVES]
    cdef uint32_t weights[MAX_MOVES]
    cdef uint32_t total = 0
    cdef uint32_t choice
    cdef int found = state.rules.game.chances(state.rules.game.tables, state.storage, outcomes, weights)
    cdef int i
    for i in range(found):
        total += weights[i]
    choice = below(&generator.rng, total)
    i = 0
    while choice >= weights[i]:
        choice -= weights[i]
        i += 1
    return outcomes[i]


cdef object ways(const Game* game, const void* state, int depth, uint64_t* visited):
    """Number of ways to make `depth` decisions; see State.perft. Any Python integer: the numbers grow fast."""
    cdef uint64_t child[MAX_STATE_WORDS]
    cdef move_t moves[MAX_MOVES]
    cdef uint32_t weights[MAX_MOVES]
    cdef int status = game.status(game.tables, state)
    cdef int found
    cdef int i
    visited[0] += 1
    if visited[0] & 0xFFFF == 0:
        PyErr_CheckSignals()
    if status == FINISHED or depth == 0:
        return 1
    if status == CHANCE:
        found = game.chances(game.tables, state, moves, weights)
    else:
        found = game.legal(game.tables, state, moves)
        depth -= 1
    total = 0
    for i in range(found):
        memcpy(child, state, game.state_size)
        if status == CHANCE:
            game.resolve(game.tables, child, moves[i])
        else:
            game.apply(game.tables, child, moves[i])
        total += ways(game, child, depth, visited)
    return total


cdef bytes short_text(str text):
    encoded = text.encode()
    return bytes([len(encoded)]) + encoded


cdef object packed_part(bytes packed, Py_ssize_t start, Py_ssize_t length, str what):
    """The bytes of one part, if there are so many."""
    if start + length > len(packed):
        raise StateError("packed", f"truncated: {what} would end at byte {start + length}, but there are {len(packed)}")
    return packed[start:start + length]


cdef tuple split(object given):
    """Game name, edition name, edition hash and body of a packed form, after its checks."""
    if not isinstance(given, (bytes, bytearray, memoryview)):
        raise StateError("packed", f"must be bytes, not {type(given).__name__}")
    cdef bytes packed = bytes(given)
    cdef Py_ssize_t at = 1
    if not packed:
        raise StateError("packed", "is empty")
    if packed[0] != PACKED_VERSION:
        raise StateError("packed", f"version {packed[0]} is not supported: this is version {PACKED_VERSION}")
    names = []
    for what in ("the game's name", "the edition's name"):
        length = packed_part(packed, at, 1, what)[0]
        names.append(packed_part(packed, at + 1, length, what))
        at += 1 + length
    edition_hash = packed_part(packed, at, 8, "the edition's hash")
    length = int.from_bytes(packed_part(packed, at + 8, 2, "the length of the body"), "little")
    body = packed_part(packed, at + 10, length, "the body")
    at += 10 + length
    checksum = packed_part(packed, at, 4, "the checksum")
    if len(packed) != at + 4:
        raise StateError("packed", f"has {len(packed)} bytes, and should have {at + 4}")
    if int.from_bytes(checksum, "little") != zlib.crc32(packed[:at]):
        raise StateError("packed", "the checksum does not agree: it was damaged on its way")
    try:
        game, edition = (name.decode() for name in names)
    except UnicodeDecodeError:
        raise StateError("packed", "a name is not UTF-8") from None
    return game, edition, edition_hash, body


cdef bytes packed_body(object packed):
    return split(packed)[3]


def packed_header(packed):
    return split(packed)[:3]
