"""What is joined on the map, as the core's bit sets find it, and as a walk from hex to hex does."""

import pytest

import nebula_ai
from nebula_ai.v1 import via_nebula_pb2
from nebula_core.errors import LimitError
from nebula_core.face import Generator, State
from nebula_core.via_nebula.rules import ViaNebulaRules

Hex = tuple[int, int]


def around(at: Hex) -> set[Hex]:
    """The places next to a hex; odd rows stand half a hex to the right."""
    row, column = at
    left = column - 1 + row % 2
    return {(row, column - 1), (row, column + 1)} | {(row + up, left + right) for up in (-1, 1) for right in (0, 1)}


def joined(ruin: Hex, empty: set[Hex], meadows: set[Hex]) -> int:
    """How many meadows are next to a ruin, or to an empty one that a chain of empty ones joins to it."""
    walked = [ruin]
    for at in walked:
        walked += [other for other in around(at) if other in empty and other not in walked]
    return len({other for at in walked for other in around(at)} & meadows)


def count_of(state: State, count: int) -> int:
    """What the core finds."""
    assert isinstance(state.rules, ViaNebulaRules)
    return state.rules.joined_meadows(state, count)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("variant", [0, 1])
def test_bit_sets_find_what_a_walk_finds(variant: int, players: int, seed: int) -> None:
    game = nebula_ai.load("via_nebula")
    message = game.edition_message()
    assert isinstance(message, via_nebula_pb2.ViaNebulaEdition)
    rows = [row.split() for row in message.maps[variant].rows]
    places = {(row, column): letter for row, letters in enumerate(rows) for column, letter in enumerate(letters)}
    meadows = {at for at, letter in places.items() if letter == "m"}
    ruins = [at for at, letter in places.items() if letter == "R"]
    generator = Generator(seed)
    state = game.new(players, game.variants[variant], seed=seed)
    found = set()
    while not state.finished:
        table = game.to_json(state)
        full = {*table["tokens"], *table["exploitations"]}
        empty = {at for at in meadows if f"{at[0]},{at[1]}" not in full}
        empty |= {(int(row), int(column)) for row, column in (at.split(",") for at in table["empty"])}
        expected = sum(joined(ruin, empty, meadows) for ruin in ruins)
        assert count_of(state, 1) == expected
        assert count_of(state, 3) == 3 * expected
        found.add(expected)
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    assert len(found) > 5, "the map has changed"


@pytest.mark.parametrize("count", [0, -1, 1 << 32, "1", None])
def test_a_wrong_count_is_refused(count: object) -> None:
    state = nebula_ai.load("via_nebula").new(2, seed=1)
    with pytest.raises(LimitError, match="count"):
        count_of(state, count)  # type: ignore[arg-type]
