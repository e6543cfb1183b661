"""The Python face of every game: generators, rules and immutable states."""

from typing import final

@final
class Generator:
    """A seeded random generator (xoshiro256++); the same numbers on every machine."""

    def __init__(self, seed: int, stream: int = 0) -> None:
        """`seed` and `stream`: 0 to 2**64 - 1, else LimitError. Streams of one seed are independent."""
    def below(self, bound: int) -> int:
        """A number from 0 to bound - 1, uniformly; bound from 1 to 2**32 - 1."""

class Rules:
    """One edition of one game, compiled. Made by the game's own subclass; immutable."""

    name: str
    edition: str
    edition_hash: bytes
    def unpack(self, packed: bytes) -> State:
        """The state of a packed form of this very edition. Raises StateError on anything else, whatever the bytes."""

@final
class State:
    """A state of a game. Immutable and hashable: every method that changes something returns a new state."""

    rules: Rules
    @property
    def players(self) -> int:
        """Number of players, 2 to 4."""
    @property
    def seat(self) -> int | None:
        """The seat that has to decide; None if a chance event is pending or the game is finished."""
    @property
    def chance_pending(self) -> bool: ...
    @property
    def finished(self) -> bool: ...
    def legal_moves(self) -> list[int]:
        """All legal moves, ascending. Raises GameFinished or ChancePending."""
    def random_move(self, generator: Generator) -> int:
        """One legal move, uniformly. Raises GameFinished or ChancePending."""
    def sensible_move(self, generator: Generator) -> int:
        """One legal move, seldom a foolish one: what playouts may be played with.

        Raises GameFinished or ChancePending.
        """
    def estimate(self) -> list[float]:
        """For each seat the points that the position promises it: what playouts that are cut off are valued by.

        A guess, also of a finished game; multiples of 1/16. Raises ChancePending, and CardUnknown where an unknown card
        counts.
        """
    def apply(self, move: int) -> State:
        """The state after a legal move. Raises MoveError, GameFinished or ChancePending."""
    def chances(self) -> list[tuple[int, int]]:
        """Possible outcomes of the pending chance event with weights proportional to their probability.
        Raises NoChancePending."""
    def resolve(self, outcome: int) -> State:
        """The state after the pending chance event came out like this. Raises ChanceError or NoChancePending."""
    def settle(self, generator: Generator) -> tuple[State, list[int]]:
        """Draws every pending chance event: the state then, and the outcomes in their order (none if none was due)."""
    def observe(self, seat: int) -> State:
        """What one seat sees. Raises StateError if there is no such seat."""
    def determinize(self, seat: int, generator: Generator) -> State:
        """A complete state that `seat` cannot tell from this one, sampled uniformly."""
    def outcome(self) -> tuple[list[int], list[float]]:
        """Final points and shares of the win (summing to 1) of each seat. Raises GameNotFinished or CardUnknown."""
    def pack(self) -> bytes:
        """The packed form: versioned, with the edition's name and hash and a checksum; equal states, equal bytes."""
    def perft(self, depth: int) -> int:
        """Number of ways to make `depth` decisions from here.

        Every outcome of a chance event between two of them counts as a way of its own, a game that ends earlier once.
        `depth`: 0 to 16, else LimitError. Can be interrupted (Ctrl-C).
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

def packed_header(packed: bytes) -> tuple[str, str, bytes]:
    """Game, edition and edition hash that a packed form says it is of. Raises StateError."""
