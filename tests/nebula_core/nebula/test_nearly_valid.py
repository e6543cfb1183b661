"""States a little beside valid ones: the checks refuse them, or let in what they never refuse later."""

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nebula_core.nebula.rules import NOTHING, Phase
from tests.nebula_core.damage import nearly_valid
from tests.nebula_core.nebula.editions import odd
from tests.nebula_core.nebula.positions import Table
from tests.nebula_core.nebula.test_packed_fuzz import starts
from tests.nebula_core.playable import states_of_all_kinds
from tests.toml_file import write

CHANGES = 3_000
ODD_CHANGES = 600
"""In each of the odd editions."""
ODD_EDITIONS = 6


def change(fields: Any, random: Random) -> None:
    """One change that keeps the number of all pieces."""
    kind = random.choice(("piece", "piece", "phase", "seat", "round", "turn", "star", "cluster", "hole", "value"))
    pieces = len(fields["bag"])
    seat = random.randrange(fields["players"])
    if kind == "piece":
        heaps = [fields["bag"], fields["removed"], fields["drawn"], *fields["observatory"]]
        heap, other = random.sample(heaps, 2)
        piece = random.randrange(pieces)
        if heap[piece]:
            heap[piece], other[piece] = heap[piece] - 1, other[piece] + 1
    elif kind == "phase":
        fields["phase"] = random.choice(list(Phase))
    elif kind == "seat":
        fields["seat"] = seat
    elif kind == "round":
        fields["round"] = max(1, fields["round"] + random.choice((-2, -1, 1, 2)))
    elif kind == "turn":
        fields["took_supernova"] = random.random() < 0.5
        fields["placed"] = sorted(random.sample(range(pieces), random.randrange(min(4, pieces))))
    elif kind == "star":
        swap(fields["galaxy"][seat], random.randrange(len(fields["galaxy"][seat])), fields["bag"], pieces - 1, random)
    elif kind == "cluster":
        cluster = random.randrange(len(fields["clusters"]))
        space = random.choice((fields["figures"][cluster], random.randrange(len(fields["clusters"][cluster]))))
        swap(fields["clusters"][cluster], space, fields["bag"], pieces, random)
    elif kind == "hole":
        fields["holes"][seat], fields["bag"][-1] = fields["holes"][seat] + 1, fields["bag"][-1] - 1
    elif fields["full"]:
        scale = fields[random.choice(("color_values", "constellation_values", "advanced_values"))]
        scale[random.randrange(len(scale))] += random.choice((-1, 1))


def swap(spaces: list[int], space: int, bag: list[int], kinds: int, random: Random) -> None:
    """Puts the piece of a space into the bag, or one of the bag's on the empty space."""
    if spaces[space] != NOTHING:
        bag[spaces[space]] += 1
        spaces[space] = NOTHING
    else:
        spaces[space] = random.randrange(kinds)
        bag[spaces[space]] -= 1


def changes_in(table: Table) -> Callable[[Any, Random], None]:
    """The changes, with the indicator following the black holes."""

    def change_all(fields: Any, random: Random) -> None:
        change(fields, random)
        end = table.edition["black_holes"]["indicator_end"][str(fields["players"])]
        fields["indicator"] = min(sum(fields["holes"]), end)

    return change_all


def test_standard_edition(table: Table, seed: int) -> None:
    random = Random(f"{seed} near")
    states = states_of_all_kinds(starts(table), random)
    accepted = nearly_valid(table.rules, states, changes_in(table), CHANGES, random)
    print(f"seed {seed}: {accepted} accepted")
    assert accepted > CHANGES // 5


@pytest.mark.parametrize("number", range(ODD_EDITIONS))
def test_odd_editions(number: int, seed: int, tmp_path: Path) -> None:
    random = Random(f"{seed} {number}")
    table = Table(write(odd(random), tmp_path / "edition.toml"))
    states = states_of_all_kinds(starts(table), random)
    print(f"seed {seed}: {nearly_valid(table.rules, states, changes_in(table), ODD_CHANGES, random)} accepted")
