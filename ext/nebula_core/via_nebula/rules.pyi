from enum import IntEnum
from typing import Final, TypedDict, final

from nebula_core.face import Rules, State
from nebula_core.via_nebula.edition import Edition

NOTHING: Final = -1
"""No token, no hex, no card, no seat."""

class Phase(IntEnum):
    """What the state waits for."""

    SETUP = 0  # chance: the next token or card of the setup (whatever is missing first)
    TURN = 1  # a seat takes an action or ends its turn
    OPEN = 2  # chance: a card for the open place that is empty, after its contract was done
    DRAW = 3  # chance: a card drawn by the effect `contract`
    EFFECT = 4  # a part of an effect, or decline
    FINISHED = 5

class Fields(TypedDict):
    """A state in indices; NOTHING where it makes sense. Meadows are the hexes that are meadows on the map itself, in
    their order."""

    players: int
    map: int
    phase: int  # Phase
    seat: int  # whose turn it is; 0 in the setup; who had the last turn when finished
    action_points: int  # left in this turn
    acted: bool  # whether the seat has taken an action in this turn
    idle: int  # turns without an action that have just ended in a row; 0 once the seat has acted
    effect: int  # EffectKind: the one whose parts are not all carried out; 0 without one
    parts: int  # that are left of it
    end_card: int  # a seat or NOTHING
    boxed: list[int]  # kinds of special tokens that went back, ascending; only until the tokens are on the map
    tokens: list[int]  # by meadow: a kind or NOTHING
    exploitations: list[list[int] | None]  # by meadow: owner or NOTHING, resource, count
    empty: list[int]  # hexes that are empty meadows, ascending: all that bear a tile, and meadows where nothing is left
    sites: list[list[int]]  # by seat and number: a hex or NOTHING
    site_resources: list[list[list[int]]]  # by seat, number and resource
    buildings: list[list[int]]  # by seat: hexes, ascending
    stacks: list[list[int]]  # by seat and stack: meadow tiles
    stock: int  # common meadow tiles
    craftsmen: list[int]  # by seat: at home
    reserve: list[int]  # by resource
    storehouse: list[list[int]]  # by seat and resource
    taken: list[list[int]]  # by seat: kinds of tokens, ascending
    hands: list[list[int]]  # by seat: the cards that are known, ascending
    unknown_neutral: list[int]  # by seat: neutral contracts in hand that are not known
    unknown_private: list[int]  # likewise
    done: list[list[int]]  # by seat: cards, ascending
    open: list[int]  # by place: a card or NOTHING

class Scores(TypedDict):
    """One seat's points by source."""

    tokens: int
    contracts: int
    score_effects: int
    stacks: int
    end_card: int
    storehouse: int
    total: int

class MoveKind(IntEnum):
    """The top byte of a move or chance outcome. Below it, from the low bits: see each. Sites by their numbers."""

    CRAFTSMAN = 1  # hex
    SITE = 2  # hex
    EXPLORE = 3  # hex
    TRANSPORT = 4  # site << 8 | hex
    BUILD = 5  # site << 8 | card
    END_TURN = 6
    SUPPLY = 7  # site << 8 | resource
    SWAP = 8  # site << 16 | resource that leaves << 8 | resource that comes
    CLEAR = 9  # hex
    DELIVER = 10  # site << 8 | hex
    RECALL = 11  # hex
    DECLINE = 12
    SPECIAL = 16  # chance: kind of token
    TOKEN = 17  # chance: kind of token
    PRIVATE = 18  # chance: card (0xFF for an unknown card, always possible through `resolve`, never listed)
    OPEN = 19  # chance: card
    DRAW = 20  # chance: card (0xFF likewise)

@final
class ViaNebulaRules(Rules):
    """The rules of Via Nebula with one edition's maps and cards."""

    def __init__(self, edition: Edition) -> None: ...
    def new(self, players: int, map: int) -> State:
        """A state before the first chance event of the setup. Raises StateError for a number of players or a map that
        the edition does not have."""
    def map_of(self, state: State) -> int:
        """The map that a state is played on."""
    def fields(self, state: State) -> Fields:
        """The state in indices; a fresh structure."""
    def from_fields(self, fields: Fields) -> State:
        """The state with these fields. Raises StateError, with the path in `Fields`, if any invariant is broken."""
    def joined_meadows(self, state: State, count: int) -> int:
        """Looks `count` times (1 to 2**32 - 1, else LimitError), for each ruin of the map, for the meadows that are
        next to it or joined to it by a chain of empty ones; returns how many pairs that were, all times together. To be
        timed from outside: it reads no clock and does not hold the GIL.
        """
    def scores(self, state: State) -> list[Scores]:
        """For each seat its points if the game ended now: what is left on its sites and exploitations counts as
        stored."""

def encode(kind: MoveKind, argument: int = 0) -> int:
    """A move or outcome from its parts."""

def decode(move: int) -> tuple[MoveKind, int]:
    """Kind and argument of a move or outcome. Raises MoveError for a number that has no such kind."""
