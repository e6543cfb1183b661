"""Nebula's rules: every kind of counter, on a board counted by hand (boards.py)."""

from pathlib import Path
from typing import Any

import pytest

from nebula_core.nebula.rules import Phase
from tests.nebula_core.nebula.boards import BOARD, NOT_SATISFIED
from tests.nebula_core.nebula.editions import standard
from tests.nebula_core.nebula.positions import Table
from tests.toml_file import write

HOLES = 3

STARS: list[tuple[dict[str, Any], int]] = [
    ({}, 15),
    ({"color": "red"}, 3),
    ({"color": "orange"}, 2),
    ({"color": "yellow"}, 2),
    ({"color": "white"}, 3),
    ({"color": "blue"}, 4),
    ({"color": "violet"}, 1),
    ({"orbits": [4]}, 2),
    ({"orbits": [1, 5]}, 5),
    ({"constellation": "Lyra"}, 4),
    ({"constellation": "Corvus"}, 6),
    ({"color": "blue", "orbits": [3, 5]}, 2),
    ({"color": "red", "constellation": "Corvus"}, 1),
    ({"color": "white", "orbits": [2], "constellation": "Cygnus"}, 1),
    ({"color": "white", "orbits": [1], "constellation": "Cygnus"}, 0),
]
LINKS = [
    (["red", "blue"], 3, 1),
    (["blue", "red"], 3, 1),
    (["red", "orange"], 3, 2),
    (["red", "white"], 3, 1),
    (["red", "yellow"], 1, 0),
    (["red", "violet"], 2, 1),
    (["blue", "yellow"], 3, 1),
    (["blue", "white"], 3, 1),
    (["orange", "blue"], 2, 1),
    (["orange", "violet"], 1, 0),
    (["orange", "yellow"], 1, 1),
    (["yellow", "white"], 2, 0),
    (["yellow", "violet"], 0, 0),
]
FLANKED = [
    ("yellow", ["red", "blue"], 1),
    ("blue", ["red", "white"], 2),
    ("blue", ["white", "red"], 2),
    ("red", ["white", "orange"], 2),
    ("violet", ["red", "orange"], 1),
    ("white", ["violet", "red"], 0),
]
IN_COLORS = [
    ("orbit", 1, 4, 1),
    ("orbit", 1, 3, 0),
    ("orbit", 1, 5, 0),
    ("orbit", 2, 5, 1),
    ("orbit", 2, 6, 0),
    ("orbit", 3, 2, 0),  # two colours, but not full
    ("constellation", "Corvus", 5, 1),
    ("constellation", "Corvus", 4, 0),
    ("constellation", "Corvus", 6, 0),
    ("constellation", "Lyra", 4, 0),  # four colours, but not full
]
WITH = [
    ("constellations_with", ["red"], 3),
    ("constellations_with", ["blue"], 4),
    ("constellations_with", ["red", "orange"], 2),
    ("constellations_with", ["white", "blue"], 2),
    ("constellations_with", ["yellow", "violet"], 0),
    ("constellations_with", ["red", "orange", "blue"], 2),
    ("orbits_with", ["blue"], 4),
    ("orbits_with", ["violet"], 1),
    ("orbits_with", ["red", "white"], 2),
    ("orbits_with", ["yellow", "blue"], 1),
    ("orbits_with", ["orange", "blue"], 2),
]

COUNTERS: list[tuple[dict[str, Any], int]] = [
    *(({"kind": "stars", **which}, number) for which, number in STARS),
    *(({"kind": "links", "between": between}, number) for between, number, _ in LINKS),
    *(({"kind": "links", "between": between, "links": "direct"}, number) for between, _, number in LINKS),
    *(({"kind": "flanked", "color": color, "by": by}, number) for color, by, number in FLANKED),
    *(({"kind": f"{key}_in_colors", key: which, "colors": colors}, number) for key, which, colors, number in IN_COLORS),
    *(({"kind": kind, "colors": colors}, number) for kind, colors, number in WITH),
    ({"kind": "constellations_complete"}, 1),
    ({"kind": "orbits_complete"}, 2),
    ({"kind": "color_sets"}, 1),
    ({"kind": "black_holes"}, HOLES),
]
ON_THE_TABLE = 4
A_FILE_HOLDS = 60


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> list[Table]:
    """Editions with all counters as their public tasks, as many as one file may hold in each, behind four for the table
    that nobody satisfies."""
    made = []
    for first in range(0, len(COUNTERS), A_FILE_HOLDS):
        edition = standard()
        counters = [counter for counter, _ in COUNTERS[first : first + A_FILE_HOLDS]]
        edition["public_task"] = [
            {"id": f"T{number}", "counter": counter, "at_least": at_least, "first": 2, "later": 1}
            for number, (counter, at_least) in enumerate(
                [({"kind": "black_holes"}, 9)] * ON_THE_TABLE + [(counter, 1) for counter in counters]
            )
        ]
        path: Path = tmp_path_factory.mktemp("editions") / f"counters-{first}.toml"
        made.append(Table(write(edition, path)))
    return made


@pytest.mark.parametrize("number", range(len(COUNTERS)), ids=[str(counter) for counter, _ in COUNTERS])
def test_counter(tables: list[Table], number: int) -> None:
    table = tables[number // A_FILE_HOLDS]
    state = table.position(galaxy=[{}, BOARD], holes=[1, HOLES])
    assert table.rules.counter(state, 1, 0, ON_THE_TABLE + number % A_FILE_HOLDS) == COUNTERS[number][1]


def test_an_empty_board_counts_nothing(tables: list[Table]) -> None:
    for table in tables:
        state = table.position(galaxy=[{}, BOARD], holes=[0, HOLES])
        assert {table.rules.counter(state, 0, 0, card) for card in range(len(table.public))} == {0}


def test_the_counters_of_all_cards_of_the_standard_edition(table: Table) -> None:
    """The same numbers through the cards: public tasks, personal tasks, advanced cards."""
    state = table.position(galaxy=[BOARD], holes=[HOLES], public=NOT_SATISFIED)

    def count(group: int, cards: list[str], card: str) -> int:
        return table.rules.counter(state, 0, group, cards.index(card))

    public = {card: count(0, table.public, card) for card in table.public}
    assert public == {
        **{"T01": 1, "T02": 0, "T03": 0, "T04": 0, "T05": 0, "T06": 0, "T07": 0, "T08": 0, "T09": 0},
        **{"T10": 3, "T11": 2, "T12": 2, "T13": 3, "T14": 4, "T15": 1, "T16": 1},
        **{"T17": 3, "T18": 1, "T19": 2, "T20": 1, "T21": 3, "T22": 2, "T23": 4, "T24": 1},
    }
    personal = {card: count(1, table.personal, card) for card in table.personal}
    assert personal == {
        **{"S01": 0, "S02": 0, "S03": 1, "S04": 1, "S05": 1, "S06": 0},
        **{"S07": 3, "S08": 2, "S09": 2, "S10": 3, "S11": 4, "S12": 1},
        **{"S13": 4, "S14": 2, "S15": 3, "S16": 6, "S17": 1, "S18": 2, "S19": 0, "S20": 1, "S21": 3, "S22": 2},
    }
    advanced = {card: count(2, table.advanced, card) for card in table.advanced}
    assert advanced == {
        **{"A01": 2, "A02": 0, "A03": 1, "A04": 1, "A05": 1, "A06": 1, "A07": 0, "A08": 1, "A09": 0, "A10": 0},
        **{"A11": 1, "A12": 0, "A13": 1, "A14": 0, "A15": 0, "A16": 2, "A17": 2, "A18": 0, "A19": 2, "A20": 2},
        **{"A21": 1, "A22": 1, "A23": 0, "A24": 0},
    }


def test_a_task_is_satisfied_at_one_if_it_says_no_number(tmp_path: Path) -> None:
    edition = standard()
    edition["public_task"] = [
        {"id": f"T{number}", "counter": {"kind": "black_holes"}, "first": 2, "later": 1} for number in range(4)
    ]
    table = Table(write(edition, tmp_path / "edition.toml"))
    state = table.position(phase=Phase.PLACE, observatory=[["black_hole"]], full=False)
    assert table.at(table.play(state, "place black_hole"))["markers"] == [[0]] * 4
