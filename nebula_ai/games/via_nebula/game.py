"""The game Via Nebula as the library's other parts see it."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from rich.console import RenderableType

from nebula_ai.errors import StateError, unknown_word
from nebula_ai.game import Game
from nebula_ai.games.via_nebula import wire
from nebula_ai.games.via_nebula.board import draw, draw_layout
from nebula_ai.games.via_nebula.edition import STANDARD, ViaNebulaEdition, read_edition
from nebula_ai.games.via_nebula.gains import gains
from nebula_ai.games.via_nebula.notation import Notation
from nebula_ai.games.via_nebula.state import ViaNebulaState, core_state, from_json, readable, to_json
from nebula_ai.games.via_nebula.target import chance_target
from nebula_core.face import State
from nebula_core.via_nebula.rules import ViaNebulaRules


class ViaNebulaGame(Game):
    """One edition of Via Nebula."""

    name = "via_nebula"
    title = "Via Nebula"
    text_prefix = "via"
    variant_key = "map"

    rules: ViaNebulaRules

    def __init__(self, content: ViaNebulaEdition) -> None:
        """`content` has been checked by `read_edition`."""
        self.content = content
        self.rules = ViaNebulaRules(content.core)
        self.notation = Notation(content, self.rules)

    @classmethod
    def load(cls, file: Path | None) -> "ViaNebulaGame":
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
        """The names of the maps; the first in the file is the default."""
        return tuple(known.name for known in self.content.maps)

    def start(self, players: int, variant: str | None = None) -> State:
        """A new game before its first chance event. Raises StateError naming ``players`` or ``variant``."""
        if variant is not None and variant not in self.variants:
            raise StateError("variant", unknown_word(variant, self.variants))
        return self.rules.new(players, 0 if variant is None else self.variants.index(variant))

    def variant(self, state: State) -> str:
        """The map that this state is of."""
        return self.variants[self.rules.map_of(state)]

    # Notation.

    def format_move(self, state: State, move: int) -> str:
        """The text of a move. Raises MoveError for a number that is no move."""
        return self.notation.format_move(state, move)

    def parse_move(self, state: State, text: str) -> int:
        """The legal move that `text` names. Raises MoveError, GameFinished, ChancePending."""
        return self.notation.parse_move(state, text)

    def format_chance(self, state: State, outcome: int) -> str:
        """The text of a chance outcome. Raises ChanceError for a number that is none."""
        return self.notation.format_chance(state, outcome)

    def parse_chance(self, state: State, text: str) -> int:
        """The possible outcome that `text` names. Raises ChanceError, NoChancePending."""
        return self.notation.parse_chance(state, text)

    def unknown_outcome(self, state: State) -> int | None:
        """``private unknown`` and ``draw unknown`` where such a contract comes, else None. Raises NoChancePending."""
        return self.notation.unknown_outcome(state)

    def chance_target(self, state: State) -> str:
        """What the pending chance event is for. Raises NoChancePending."""
        return chance_target(self.content, self.rules, state)

    def describe_move(self, state: State, move: int) -> str:
        """Nothing: a move's text says what it brings."""
        return ""

    def gains(self, before: State, after: State) -> list[str]:
        """What a seat has gained, in verb phrases: the contracts, tokens and sites that it works for."""
        return gains(self, before, after)

    # Readable states.

    def readable(self, state: State) -> ViaNebulaState:
        """The readable state."""
        return readable(self.content, self.rules, state)

    def from_readable(self, state: ViaNebulaState) -> State:
        """The state of a readable one. Raises StateError naming the field."""
        return core_state(self.content, self.rules, state)

    def to_json(self, state: State) -> dict[str, Any]:
        """The readable state as JSON values."""
        return to_json(self.readable(state))

    def from_json(self, value: Mapping[str, Any]) -> State:
        """The state of a readable one. Raises StateError naming the field."""
        return self.from_readable(from_json(value))

    def to_message(self, state: State) -> Message:
        """The readable state as a ``ViaNebulaState``."""
        return wire.to_message(self, state)

    def from_message(self, message: Message) -> State:
        """The state of a ``ViaNebulaState``. Raises StateError naming the field."""
        return wire.from_message(self, message)

    def edition_message(self) -> Message:
        """Maps and contracts as a ``ViaNebulaEdition``."""
        return wire.edition_message(self)

    def move_message(self, state: State, move: int) -> Message:
        """The structured form of a move as a ``ViaNebulaMove``."""
        return wire.move_message(self, state, move)

    def event_messages(self, before: State, after: State) -> Sequence[Message]:
        """What a move brought besides what it says itself, as ``ViaNebulaEvent``."""
        return wire.event_messages(self, before, after)

    # The end, and pictures.

    def breakdown(self, state: State) -> list[dict[str, int] | None]:
        """For each seat the points by source if the game ended now: what counts is never unknown."""
        return [
            {
                "tokens": scores["tokens"],
                "contracts": scores["contracts"],
                "score_effects": scores["score_effects"],
                "stacks": scores["stacks"],
                "end_card": scores["end_card"],
                "storehouse": scores["storehouse"],
                "total": scores["total"],
            }
            for scores in self.rules.scores(state)
        ]

    def snapshot(self, state: State) -> dict[str, Any]:
        """What lies on the table, in the form of the playthroughs."""
        table = self.to_json(state)
        seats = table["seats"]
        meadows = self.content.maps[self.rules.map_of(state)].meadows
        by_seat = ("sites", "buildings", "stacks", "craftsmen", "storehouse", "taken", "done")
        return {
            **{key: table[key] for key in ("reserve", "stock", "tokens", "exploitations", "open", "end_card", "seat")},
            **{key: [seat[key] for seat in seats] for key in by_seat},
            "laid": [name for name in table["empty"] if name not in meadows],
            "hands": [seat["hand"] for seat in seats],
            "ap": table["turn"]["action_points"],
        }

    def draw(self, state: State) -> RenderableType:
        """The boards for a terminal."""
        return draw(self.content, self.rules, state)

    def draw_layout(self) -> RenderableType:
        """What the signs on the map stand for."""
        return draw_layout()
