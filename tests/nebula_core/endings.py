"""Ends of games of Nebula for the tests of the search: so little is left that every line can be played."""

from pathlib import Path
from typing import Any

from nebula_core.face import State
from nebula_core.nebula.rules import Phase
from tests.nebula_core.nebula.editions import standard
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table
from tests.toml_file import write


def certain_edition(folder: Path) -> Table:
    """An edition for two in which the cards of the other are known, being the only others, and turns are short."""
    edition = standard()
    edition["players"] = [2, 2]
    for section, key in (("bag", "black_holes"), ("black_holes", "indicator_end"), ("public_tasks", "markers_end")):
        edition[section][key] = {"2": edition[section][key]["2"]}
    edition["clusters"] = {"count": 1, "spaces": 1, "steps": 1}
    edition["setup"]["personal_dealt"] = 1
    edition["personal_task"] = edition["personal_task"][:2]
    return Table(write(edition, folder / "certain.toml"))


def last_turns(table: Table, **said: Any) -> State:
    """A position in which seat 0 places, each other seat has one turn, and, the bag being empty, nothing is drawn."""
    return table.position(**{"phase": Phase.PLACE, "bag": {}, "clusters": {(0, 0): None}} | said)


BOARDS = [{0: "violet"}, {0: "red"}]

SMALL: dict[str, dict[str, Any]] = {
    "two stars": {"full": False, "observatory": [["red", "blue"], ["yellow"]], "galaxy": BOARDS},
    "a star and a black hole": {"full": False, "observatory": [["red", BLACK_HOLE], ["yellow"]], "galaxy": BOARDS},
    "black holes": {"full": False, "observatory": [["red", BLACK_HOLE], [BLACK_HOLE]], "galaxy": BOARDS},
    "markers": {
        "observatory": [[BLACK_HOLE], [BLACK_HOLE]],
        "galaxy": BOARDS,
        "holes": [6, 4],
        "values": {f"color {color}": 2 for color in ("red", "orange", "yellow", "white", "blue")},
    },
    "equal ways": {"full": False, "observatory": [["red"], ["red"]]},
}
