"""The game Nebula as the library's other parts see it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from google.protobuf.message import Message
from rich.console import RenderableType

from nebula_ai.errors import StateError, unknown_word
from nebula_ai.game import Game
from nebula_ai.games.nebula import wire
from nebula_ai.games.nebula.board import draw, draw_layout
from nebula_ai.games.nebula.edition import STANDARD, NebulaEdition, read_edition
from nebula_ai.games.nebula.gains import gains
from nebula_ai.games.nebula.notation import Notation
from nebula_ai.games.nebula.state import VARIANTS, NebulaState, core_state, from_json, readable, to_json
from nebula_ai.games.nebula.target import chance_target
from nebula_core.face import State
from nebula_core.nebula.rules import NebulaRules

if TYPE_CHECKING:
    from nebula_core.nebula.rules import Scores


class NebulaGame(Game):
    """One edition of Nebula."""

    name = "nebula"
    title = "Nebula"
    text_prefix = "nebula"
    variant_key = "variant"

    rules: NebulaRules

    def __init__(self, content: NebulaEdition) -> None:
        """`content` has been checked by `read_edition`."""
        self.content = content
        self.rules = NebulaRules(content.core)
        self.notation = Notation(content, self.rules)

    @classmethod
    def load(cls, file: Path | None) -> "NebulaGame":
        """The edition of a file, or the standard one. Raises EditionError."""
        return cls(read_edition(file or STANDARD))

    @property
    def edition(self) -> str:
        """The edition's name."""
        return self.content.core.name

    @property
    def players(self) -> range:
        """The numbers of players this edition allows."""
        return self.content.players

    @property
    def variants(self) -> tuple[str, ...]:
        """``full``, the default, and ``basic``."""
        return VARIANTS

    def start(self, players: int, variant: str | None = None) -> State:
        """A new game before its first chance event. Raises StateError naming ``players`` or ``variant``."""
        if variant is not None and variant not in VARIANTS:
            raise StateError("variant", unknown_word(variant, VARIANTS))
        return self.rules.new(players, variant in (None, "full"))

    def variant(self, state: State) -> str:
        """The variant that this state is of."""
        return "full" if self.rules.fields(state)["full"] else "basic"

    # Notation.

    def format_move(self, state: State, move: int) -> str:
        """The text of a move. Raises MoveError for a number that is no move."""
        return self.notation.format_move(move)

    def parse_move(self, state: State, text: str) -> int:
        """The legal move that `text` names. Raises MoveError, GameFinished, ChancePending."""
        return self.notation.parse_move(state, text)

    def format_chance(self, state: State, outcome: int) -> str:
        """The text of a chance outcome. Raises ChanceError for a number that is none."""
        return self.notation.format_chance(outcome)

    def parse_chance(self, state: State, text: str) -> int:
        """The possible outcome that `text` names. Raises ChanceError, NoChancePending."""
        return self.notation.parse_chance(state, text)

    def unknown_outcome(self, state: State) -> int | None:
        """``personal unknown`` where a personal task is dealt, else None. Raises NoChancePending."""
        return self.notation.unknown_outcome(state)

    def chance_target(self, state: State) -> str:
        """What the pending chance event is for. Raises NoChancePending."""
        return chance_target(self.content.core, self.rules, state)

    def describe_move(self, state: State, move: int) -> str:
        """The pieces that the figures reach or that are taken; nothing for other moves."""
        return self.notation.describe_move(state, move)

    def gains(self, before: State, after: State) -> list[str]:
        """What a seat has gained, in verb phrases: the tasks, constellations and values that it works for."""
        return gains(self, before, after)

    # Readable states.

    def readable(self, state: State) -> NebulaState:
        """The readable state."""
        return readable(self.content, self.rules, state)

    def from_readable(self, state: NebulaState) -> State:
        """The state of a readable one. Raises StateError naming the field."""
        return core_state(self.content, self.rules, state)

    def to_json(self, state: State) -> dict[str, Any]:
        """The readable state as JSON values."""
        return to_json(self.readable(state))

    def from_json(self, value: Mapping[str, Any]) -> State:
        """The state of a readable one. Raises StateError naming the field."""
        return self.from_readable(from_json(value))

    def to_message(self, state: State) -> Message:
        """The readable state as a ``NebulaState``."""
        return wire.to_message(self, state)

    def from_message(self, message: Message) -> State:
        """The state of a ``NebulaState``. Raises StateError naming the field."""
        return wire.from_message(self, message)

    def edition_message(self) -> Message:
        """Boards and cards as a ``NebulaEdition``."""
        return wire.edition_message(self)

    def move_message(self, state: State, move: int) -> Message:
        """The structured form of a move as a ``NebulaMove``."""
        return wire.move_message(self, state, move)

    def event_messages(self, before: State, after: State) -> Sequence[Message]:
        """The markers that a move put on public tasks, as ``NebulaEvent``."""
        return wire.event_messages(self, before, after)

    # The end, and pictures.

    def breakdown(self, state: State) -> list[dict[str, int] | None]:
        """For each seat the points by source if the game ended now; None where an unknown card counts."""
        full = self.variant(state) == "full"
        return [None if scores is None else points_by_source(scores, full) for scores in self.rules.scores(state)]

    def snapshot(self, state: State) -> dict[str, Any]:
        """What lies on the table, in the form of the playthroughs."""
        table = self.to_json(state)
        for key in ("game", "edition", "edition_hash", "players", "variant", "phase", "personal", "turn"):
            del table[key]
        table["markers"] = {task["task"]: task["seats"] for task in table["markers"]}
        if table["values"] is not None:
            table["values"]["advanced"] = {value["card"]: value["index"] for value in table["values"]["advanced"]}
        return table

    def draw(self, state: State) -> RenderableType:
        """The boards for a terminal."""
        return draw(self.content, self.rules, state)

    def draw_layout(self) -> RenderableType:
        """How spaces are linked."""
        return draw_layout(self.content)


def points_by_source(scores: "Scores", full: bool) -> dict[str, int]:
    """One seat's points; colours and advanced cards are no sources in the basic variant."""
    points = {
        "personal": scores["personal"],
        "public": scores["public"],
        "black_holes": scores["black_holes"],
        "constellations": scores["constellations"],
    }
    if full:
        points |= {"colors": scores["colors"], "advanced": scores["advanced"]}
    return points | {"total": scores["total"]}
