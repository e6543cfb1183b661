from enum import IntEnum
from typing import Final, TypedDict, final

from nebula_core.face import Rules, State
from nebula_core.nebula.edition import Edition

NOTHING: Final = -1
"""No piece, no star, no card."""
UNKNOWN: Final = -2
"""A card that is there but not known."""

class Phase(IntEnum):
    """What the state waits for."""

    SETUP = 0  # chance: the next piece or card of the setup (whatever is missing first)
    CHOOSE = 1  # a seat keeps one of its personal tasks
    TURN = 2  # a seat invests or gives in to chaos
    TAKE = 3  # after invest
    DRAW = 4  # chance: a piece of chaos
    KEEP = 5  # after chaos
    PLACE = 6  # place, or stop
    ADVANCE = 7  # after a black hole in the full game
    REFILL = 8  # chance: a piece for the first empty space
    SUPERNOVA = 9  # chance: the new supernova
    FINISHED = 10

class Fields(TypedDict):
    """A state in indices. Pieces are colours 0.. and then the black hole; NOTHING and UNKNOWN where they make sense."""

    players: int
    full: bool
    phase: int  # Phase
    seat: int  # whose turn or choice it is; 0 in the setup; the last seat when finished
    round: int  # from 1; 1 in the setup
    bag: list[int]  # by piece
    removed: list[int]  # by piece
    clusters: list[list[int]]  # by cluster and space: a piece or NOTHING
    figures: list[int]  # by cluster
    supernova: int  # a colour or NOTHING
    observatory: list[list[int]]  # by seat and piece
    galaxy: list[list[int]]  # by seat and space: a colour or NOTHING
    holes: list[int]  # by seat
    indicator: int
    public: list[int]  # cards in the order in which they came up; NOTHING where none has yet
    markers: list[list[int]]  # for each of them the seats, in their order
    advanced: list[int]  # likewise; empty in the basic variant
    color_values: list[int]  # by colour: index on the scale; empty in the basic variant
    constellation_values: list[int]
    advanced_values: list[int]  # in the order of `advanced`
    personal: list[
        list[int]
    ]  # by seat, as many as are dealt: a card, NOTHING or UNKNOWN; once chosen, the kept one first
    took_supernova: bool  # a piece taken in this turn has the supernova's colour
    placed: list[int]  # pieces placed in this turn, ascending
    drawn: list[int]  # by piece: what chaos has drawn so far

class Scores(TypedDict):
    """One seat's points by source. `colors` and `advanced` are 0 in the basic variant."""

    personal: int
    public: int
    black_holes: int
    constellations: int
    colors: int
    advanced: int
    total: int

class MoveKind(IntEnum):
    """The top byte of a move or chance outcome. Below it, from the low bits: see each."""

    CHOOSE = 1  # card (8 bits; 0xFF for an unknown card)
    INVEST = 2  # steps, 4 bits for each cluster, the first cluster highest
    CHAOS = 3  # piece
    TAKE = 4  # bit set of clusters
    KEEP = 5  # counts, 3 bits for each piece, the first piece lowest
    PLACE = 6  # piece << 8 | space (space 0 for a black hole)
    ADVANCE = 7  # group << 8 | index; group 0: a colour, 1: a constellation, 2: a card, by its number in the edition
    DECLINE = 8
    STOP = 9
    PIECE = 16  # chance: piece
    PUBLIC = 17  # chance: card
    ADVANCED = 18  # chance: card
    PERSONAL = 19  # chance: card (0xFF for an unknown card, always possible through `resolve`, never listed)

@final
class NebulaRules(Rules):
    """The rules of Nebula with one edition's boards and cards."""

    def __init__(self, edition: Edition) -> None: ...
    def new(self, players: int, full: bool) -> State:
        """A state before the first chance event of the setup. Raises StateError for a number of players that the
        edition does not have."""
    def fields(self, state: State) -> Fields:
        """The state in indices; a fresh structure."""
    def from_fields(self, fields: Fields) -> State:
        """The state with these fields. Raises StateError (with a path in `Fields`) if any invariant is broken."""
    def scores(self, state: State) -> list[Scores | None]:
        """For each seat its points if the game ended now; None where they depend on an unknown card."""
    def counter(self, state: State, seat: int, counter: int, card: int) -> int:
        """The number that a card counts for a seat now. `counter`: 0 public task, 1 personal task, 2 advanced card."""

def encode(kind: MoveKind, argument: int = 0) -> int:
    """A move or outcome from its parts."""

def decode(move: int) -> tuple[MoveKind, int]:
    """Kind and argument of a move or outcome. Raises MoveError for a number that has no such kind."""
