"""Playthroughs: whole recorded games, played again through the core.

A file holds one game, one JSON object a line: a header, then chance events, decisions and snapshots of the table, at
last the scores (the format is in docs/command-line.md). Everything recorded is compared with what the core says,
and the first thing that differs ends the replay. Knows no game by name.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, NoReturn

from nebula_ai.errors import InvalidInput, shown
from nebula_ai.game import Game
from nebula_ai.json_lines import LineError, Lines
from nebula_ai.registry import Catalogue
from nebula_core.face import State

SHOWN = 5
"""So many moves or outcomes are named in a message; more are counted."""


class Difference(LineError):
    """What the file records and what the core says are not the same."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How much has been compared and found equal."""

    games: int = 0
    decisions: int = 0
    chances: int = 0
    snapshots: int = 0

    def __add__(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(
            self.games + other.games,
            self.decisions + other.decisions,
            self.chances + other.chances,
            self.snapshots + other.snapshots,
        )

    def __str__(self) -> str:
        """``15 games, 2,300 decisions, 1,800 chance events, 400 snapshots``."""
        counts = {
            "game": self.games,
            "decision": self.decisions,
            "chance event": self.chances,
            "snapshot": self.snapshots,
        }
        return ", ".join(f"{count:,} {name}{'' if count == 1 else 's'}" for name, count in counts.items())


def replay(file: BinaryIO, catalogue: Catalogue) -> Tally:
    """Plays one file through the core, line by line, and says how much was compared.

    `catalogue` has the games and editions that the file may name. Raises Difference or Unreadable with the line;
    OSError as reading the file does.
    """
    lines = Lines(file)
    game, state = begin(lines, catalogue)
    replayed = Replayed(lines, game, state)
    readers: dict[frozenset[str], Callable[[Mapping[str, Any]], None]] = {
        frozenset({"chance"}): replayed.chance,
        frozenset({"seat", "legal", "move"}): replayed.decision,
        frozenset({"state"}): replayed.snapshot,
        frozenset({"scores", "winners"}): replayed.end,
    }
    while not replayed.ended:
        value = lines.next()
        if value is None:
            replayed.differs(f"the file ends here without scores, {replayed.situation()}")
        reader = readers.get(frozenset(value))
        if reader is None:
            keys = listed([shown(key) for key in sorted(value)])
            lines.unreadable(f"no line of a playthrough has the keys {keys}" if value else "the line has no keys")
        reader(value)
    if lines.next() is not None:
        lines.unreadable("the file goes on after the scores")
    return Tally(1, replayed.decisions, replayed.chances, replayed.snapshots)


def begin(lines: Lines, catalogue: Catalogue) -> tuple[Game, State]:
    """The game of the first line, and its state before the first chance event."""
    header = lines.next()
    if header is None:
        lines.unreadable("the file is empty")
    name = lines.field(header, "game", str)
    edition = lines.field(header, "edition", str)
    try:
        game = catalogue.get(name, edition)
        players = lines.field(header, "players", int)
        variant = lines.field(header, game.variant_key, str)
        for key in header:
            if key not in ("game", "edition", "players", game.variant_key):
                lines.unreadable(f"unknown key {key!r} in the first line")
        return game, game.start(players, variant)
    except InvalidInput as error:
        lines.unreadable(str(error))


class Replayed:
    """A game under way: the core's state, and the lines that are compared with it."""

    def __init__(self, lines: Lines, game: Game, state: State) -> None:
        self.lines = lines
        self.game = game
        self.state = state
        self.ended = False
        self.decisions = 0
        self.chances = 0
        self.snapshots = 0

    def situation(self) -> str:
        """What the core waits for, as the end of a sentence."""
        if self.state.finished:
            return "but the game is finished"
        if self.state.chance_pending:
            outcomes = [self.game.format_chance(self.state, outcome) for outcome, _ in self.state.chances()]
            return f"but a chance event is pending: {listed(outcomes)}"
        return f"but seat {self.state.seat} has to decide: {listed(self.legal())}"

    def legal(self) -> list[str]:
        """The texts of the legal moves."""
        return [self.game.format_move(self.state, move) for move in self.state.legal_moves()]

    def chance(self, value: Mapping[str, Any]) -> None:
        """A chance event and its outcome."""
        text = self.lines.field(value, "chance", str)
        if not self.state.chance_pending:
            self.differs(f"the file has a chance event, {text!r}, {self.situation()}")
        try:
            outcome = self.game.parse_chance(self.state, text)
        except InvalidInput as error:
            self.differs(f"chance: {error.reason}")
        self.state = self.state.resolve(outcome)
        self.chances += 1

    def decision(self, value: Mapping[str, Any]) -> None:
        """A decision: whose it is, all legal moves, and the one made."""
        seat = self.lines.field(value, "seat", int)
        recorded = self.lines.field(value, "legal", list)
        move = self.lines.field(value, "move", str)
        if not all(isinstance(text, str) for text in recorded):
            self.lines.unreadable("'legal' must be a list of texts")
        if self.state.seat is None:
            self.differs(f"the file has a decision of seat {seat}, {self.situation()}")
        if seat != self.state.seat:
            self.differs(f"seat: {seat} in the file, {self.state.seat} in the core")
        found = self.legal()
        for where, texts in (("file", recorded), ("core", found)):
            if twice := sorted({text for text in texts if texts.count(text) > 1}):
                self.differs(f"legal moves of seat {seat}: twice in the {where}: {listed(twice)}")
        parts = [("file", sorted(set(recorded) - set(found))), ("core", sorted(set(found) - set(recorded)))]
        if any(texts for _, texts in parts):
            words = "; ".join(f"only in the {where}: {listed(texts)}" for where, texts in parts if texts)
            self.differs(f"legal moves of seat {seat}: {words}")
        if move not in found:
            self.differs(f"move: {move!r} is not among the legal moves of seat {seat}")
        self.state = self.state.apply(self.state.legal_moves()[found.index(move)])
        self.decisions += 1

    def snapshot(self, value: Mapping[str, Any]) -> None:
        """What lies on the table."""
        self.compare("state", self.lines.field(value, "state", dict), self.game.snapshot(self.state))
        self.snapshots += 1

    def end(self, value: Mapping[str, Any]) -> None:
        """The scores, after which nothing follows."""
        scores = self.lines.field(value, "scores", list)
        winners = self.lines.field(value, "winners", list)
        if not self.state.finished:
            self.differs(f"the file has the scores, {self.situation()}")
        self.compare("scores", scores, self.game.breakdown(self.state))
        self.compare("winners", winners, self.game.winners(self.state))
        self.ended = True

    def differs(self, reason: str) -> NoReturn:
        """Raises Difference at the line read last."""
        raise Difference(self.lines.number, reason)

    def compare(self, name: str, recorded: Any, found: Any) -> None:
        """Raises Difference, naming the place, unless two JSON values are equal."""
        if difference := first_difference(name, recorded, found):
            self.differs(difference)


def first_difference(path: str, recorded: Any, found: Any) -> str | None:
    """Where two JSON values differ, and how; None if they are equal.

    ``state.galaxy[1][7]: "red" in the file, null in the core``. The order of an object's keys has no meaning.
    """
    if isinstance(recorded, dict) and isinstance(found, dict):
        for key in (*recorded, *(key for key in found if key not in recorded)):
            if key not in found:
                return f"{path}.{key}: {brief(recorded[key])} in the file, missing in the core"
            if key not in recorded:
                return f"{path}.{key}: missing in the file, {brief(found[key])} in the core"
            if difference := first_difference(f"{path}.{key}", recorded[key], found[key]):
                return difference
        return None
    if isinstance(recorded, list) and isinstance(found, list) and len(recorded) == len(found):
        for index, (left, right) in enumerate(zip(recorded, found, strict=True)):
            if difference := first_difference(f"{path}[{index}]", left, right):
                return difference
        return None
    # 1 is not true and not 1.0 here, as it is in Python.
    if type(recorded) is type(found) and recorded == found:
        return None
    return f"{path}: {brief(recorded)} in the file, {brief(found)} in the core"


def brief(value: Any) -> str:
    """A JSON value in few characters."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 100 else f"{text[:100]}…"


def listed(texts: Sequence[str]) -> str:
    """The first texts of a list, and how many more there are."""
    shown = ", ".join(texts[:SHOWN])
    return f"{shown} and {len(texts) - SHOWN} more" if len(texts) > SHOWN else shown or "none"
