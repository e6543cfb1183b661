"""What every game offers to the rest of the library: names, texts, readable states, pictures around the core's states.

One `Game` is one edition of one game. The command line, the service, the bots and the tests use games through this
class alone and know none by name; the list of games is in `registry`.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from google.protobuf.message import Message
from rich.console import RenderableType

from nebula_ai.packed import to_text
from nebula_core.face import Generator, Rules, State

UNKNOWN = "unknown"
"""How every text, JSON file and message names a card that is there but not known."""


class Game(ABC):
    """One edition of one game."""

    name: ClassVar[str]
    """As in files and requests: lower case, such as ``nebula``."""
    title: ClassVar[str]
    """For people, such as ``Nebula``."""
    text_prefix: ClassVar[str]
    """What the text form starts with, before the version, such as ``nebula``."""
    variant_key: ClassVar[str]
    """What the first line of a playthrough calls the variant: ``variant``, ``map``."""

    rules: Rules

    # What there is to choose from.

    @property
    @abstractmethod
    def edition(self) -> str:
        """The edition's name."""

    @property
    @abstractmethod
    def players(self) -> range:
        """The numbers of players this edition allows."""

    @property
    @abstractmethod
    def variants(self) -> tuple[str, ...]:
        """Names of the variants; the first is the default."""

    # States.

    @abstractmethod
    def start(self, players: int, variant: str | None = None) -> State:
        """A new game before its first chance event. `variant` None is the default.

        Raises StateError naming ``players`` or ``variant``.
        """

    def new(self, players: int, variant: str | None = None, *, seed: int) -> State:
        """A new game after its setup, drawn from `seed` (0 to 2**64 - 1). Raises StateError, LimitError."""
        return self.start(players, variant).settle(Generator(seed))[0]

    @abstractmethod
    def variant(self, state: State) -> str:
        """The variant that this state is of."""

    # Moves and chance outcomes as text, in the notation of the playthroughs.

    @abstractmethod
    def format_move(self, state: State, move: int) -> str:
        """The text of a move (it need not be legal in `state`). Raises MoveError for a number that is no move."""

    @abstractmethod
    def parse_move(self, state: State, text: str) -> int:
        """The legal move that `text` names; white space and the order of unordered words are forgiven.

        Raises MoveError: a word that does not exist, a wrong number of words, or a move that is not legal in `state`,
        why, and what is legal instead as far as it can be said in a line. Raises GameFinished or ChancePending.
        """

    @abstractmethod
    def format_chance(self, state: State, outcome: int) -> str:
        """The text of a chance outcome. Raises ChanceError for a number that is none."""

    @abstractmethod
    def parse_chance(self, state: State, text: str) -> int:
        """The possible outcome that `text` names, also an unknown card where one may stay unknown.

        Raises ChanceError, NoChancePending.
        """

    @abstractmethod
    def unknown_outcome(self, state: State) -> int | None:
        """The outcome that says that what came up is not known: possible, but not among ``state.chances()``.

        None where the pending chance event has none. Raises NoChancePending.
        """

    @abstractmethod
    def chance_target(self, state: State) -> str:
        """What the pending chance event is for, in a player's words: ``cluster 1, space 3``. Raises NoChancePending."""

    @abstractmethod
    def describe_move(self, state: State, move: int) -> str:
        """What a legal move of `state` brings and its text does not say, in a few words; empty if there is nothing.

        It rests on nothing that is hidden from any seat.
        """

    @abstractmethod
    def gains(self, before: State, after: State) -> list[str]:
        """What the seat that has to decide in `before` has gained in `after`, a later state, in a player's words.

        Phrases for a sentence about the seat, each beginning with a verb, what counts most first: ``builds N12 for 3
        points``. There may be none. They rest on nothing that is hidden from that seat, but may name its hidden cards.
        """

    # The readable state. Its JSON is an object of plain values, lossless and with the field names of the message.

    @abstractmethod
    def to_json(self, state: State) -> dict[str, Any]:
        """The readable state as JSON values; ``json.dumps`` takes it as it is."""

    @abstractmethod
    def from_json(self, value: Mapping[str, Any]) -> State:
        """The state of a readable one. Every invariant is checked: raises StateError naming the field."""

    @abstractmethod
    def to_message(self, state: State) -> Message:
        """The readable state as its protobuf message (``…State``, which begins with the name of the game)."""

    @abstractmethod
    def from_message(self, message: Message) -> State:
        """The state of a message. Raises StateError naming the field."""

    # The end.

    @abstractmethod
    def breakdown(self, state: State) -> list[dict[str, int] | None]:
        """For each seat the points by source and ``total`` if the game ended now; None where an unknown card counts.

        The keys are those of the playthroughs.
        """

    @staticmethod
    def winners(state: State) -> list[int]:
        """The seats that share the win of a finished game. Raises GameNotFinished or CardUnknown."""
        return [seat for seat, share in enumerate(state.outcome()[1]) if share > 0]

    # For people and front ends.

    @abstractmethod
    def snapshot(self, state: State) -> dict[str, Any]:
        """What lies on the table, in the form of the playthroughs' ``state`` lines."""

    @abstractmethod
    def draw(self, state: State) -> RenderableType:
        """The boards for a terminal, at most 100 columns wide, coloured where it is one."""

    @abstractmethod
    def draw_layout(self) -> RenderableType:
        """What belongs to the boards and no move changes: shown once in a game, at most 100 columns wide."""

    @abstractmethod
    def edition_message(self) -> Message:
        """Boards and cards with their positions and numbers, for a front end to draw (``…Edition``)."""

    @abstractmethod
    def move_message(self, state: State, move: int) -> Message:
        """The structured form of a move (``…Move``)."""

    @abstractmethod
    def event_messages(self, before: State, after: State) -> Sequence[Message]:
        """What a move brought by the game's own rules (``…Event``), from the states right before and after it.

        Chance events, whose turn it is then and the game's end are not among it: they are told for every game alike.
        """

    # The text form of a packed state.

    def to_text(self, state: State) -> str:
        """The text form, URL-safe: ``PREFIX1:…``."""
        return to_text(self.text_prefix, state.pack())


def seat_list(seats: Sequence[int]) -> str:
    """``seat 0``, ``seats 0 and 2``: for messages to people."""
    words = [str(seat) for seat in seats]
    if len(words) == 1:
        return f"seat {words[0]}"
    return f"seats {', '.join(words[:-1])} and {words[-1]}"
