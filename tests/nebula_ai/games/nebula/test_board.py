"""The boards of Nebula in a terminal: narrow enough, complete without colours, coloured where that is wanted."""

import re
from pathlib import Path
from random import Random

import pytest

from nebula_ai.games.nebula.board import letters
from nebula_ai.games.nebula.game import NebulaGame
from nebula_core.face import Generator, State
from nebula_core.nebula.rules import Phase
from tests.nebula_core.nebula.editions import odd
from tests.nebula_core.nebula.positions import Table
from tests.screen import drawn, line_of
from tests.toml_file import write


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


@pytest.fixture(scope="module")
def placing(table: Table) -> State:
    """Seat 1 of three has a black hole placed and places on."""
    return table.position(
        players=3,
        phase=Phase.PLACE,
        seat=1,
        round=3,
        figures=[0, 2, 5],
        clusters={(1, 2): None},
        supernova="orange",
        observatory=[[], ["red", "red", "violet", "black_hole"]],
        galaxy=[{0: "white", 1: "red", 2: "blue", 3: "orange"}, {2: "yellow", 8: "white"}],
        holes=[2, 1, 0],
        placed=["black_hole"],
        public=["T01", "T10", "T21", "T24"],
        markers={"T01": [0]},
        values={"color white": 1, "constellation Draco": 1},
    )


def test_everything_on_the_table_is_there(table: Table, placing: State) -> None:
    text = drawn(table.game, placing)
    heading = "Nebula, edition standard, full variant, 3 players, round 3: seat 1 to place or stop"
    assert line_of(text, "edition") == heading
    assert line_of(text, "r red") == "r red o orange y yellow w white b blue v violet @ black_hole"
    assert line_of(text, "cluster 0").startswith("cluster 0 [r] o y w b v bag ")
    assert line_of(text, "cluster 1").startswith("cluster 1 r o [.] w b v removed 0 none")
    assert line_of(text, "cluster 2").startswith("cluster 2 r o y w b [v] end at 3 of 14 black holes, 1 of 8 markers")
    assert line_of(text, "supernova") == "supernova o orange"
    assert line_of(text, "T01") == "T01 orbit 1 complete in exactly 4 colours 4 2 0 1 0 0"
    assert line_of(text, "T10") == "T10 at least 5 red stars 5 3 - 1 0 0"
    assert line_of(text, "T21") == "T21 at least 4 black holes placed 5 3 - 2 1 0"
    assert line_of(text, "A01") == "A01 direct links between red and orange stars [1] 2 3 4 0 0 0"
    assert "w 0 [1] 2" in line_of(text, "values")
    assert "Draco 0 [4] 8 12" in line_of(text, "Lyra [0] 4 8 12")
    assert line_of(text, "Seat 0") == "Seat 0, 7 points Seat 1, 2 points <- to move"
    assert line_of(text, "0w") == "1 0w 1r 2b 3o 1 0. 1. 2y 3."
    assert line_of(text, "8w") == "2 4. 5. 6. 7. 8. 9. 2 4. 5. 6. 7. 8w 9."
    assert line_of(text, "1/9 ") == "1/9 1/8 1/9 1/6 0/9 0/8 2/9 0/6"
    assert line_of(text, "r2 v1 @1") == "holds none holds r2 v1 @1"
    assert line_of(text, "placed @")
    assert "S03 yellow stars on orbits 4 and 5: 0" in text
    assert [line_of(text, f"returned S0{card}") for card in (2, 4, 6)]
    assert "directly 0-4 0-5 1-6" in text
    assert "indirectly 1-7 2-9" in text.replace("\n", " ")


def test_every_space_of_every_galaxy_is_there(table: Table, placing: State) -> None:
    shown = re.findall(r"(?<![\w-])(\d+)[a-z.](?![\w])", drawn(table.game, placing))
    assert sorted(map(int, shown)) == sorted(list(range(32)) * 3)


def test_hidden_cards_are_unknown(table: Table, placing: State) -> None:
    text = drawn(table.game, placing.observe(1))
    assert "Seat 0, points unknown" in text
    assert "Seat 1, 2 points" in text
    assert "S01" not in text
    assert line_of(text, "returned unknown")
    assert line_of(text, "returned S04")


def test_the_basic_variant_has_no_values(table: Table) -> None:
    text = drawn(table.game, table.position(full=False))
    assert "advanced card" not in text
    assert "values" not in text


def test_a_finished_game_says_who_won(table: Table) -> None:
    generator = Generator(4)
    state = table.game.new(2, seed=4)
    while not state.finished:
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    assert f"finished, won by seat {table.game.winners(state)[0]}" in drawn(table.game, state)
    assert drawn(table.game, state.observe(0)).splitlines()[0].rstrip().endswith(": finished")


def test_what_chaos_drew_is_there(table: Table) -> None:
    state = table.position(phase=Phase.KEEP, drawn=["red", "red", "blue", "white", "black_hole"])
    assert line_of(drawn(table.game, state), "drawn").endswith("drawn r2 w1 b1 @1")


def test_colors_add_nothing_but_colors(table: Table, placing: State) -> None:
    colored = drawn(table.game, placing, color=True)
    assert "\x1b[1;31m1r\x1b[0m" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == drawn(table.game, placing)


@pytest.mark.parametrize("width", [80, 100, 200])
def test_no_line_is_too_long(tmp_path: Path, width: int, seed: int) -> None:
    random = Random(seed)
    games = [NebulaGame.load(None), *(NebulaGame.load(write(odd(random), tmp_path / f"{i}.toml")) for i in range(4))]
    for number, game in enumerate(games):
        generator = Generator(seed, number)
        state = game.start(random.choice(game.players), random.choice(game.variants))
        while True:
            if random.random() < 0.03 or state.finished:
                lines = drawn(game, state, width).splitlines()
                assert max(map(len, lines)) <= min(width, 100)
                assert not any("…" in line for line in lines)
            if state.finished:
                break
            if state.chance_pending:
                state = state.resolve(random.choice(state.chances())[0])
            else:
                state = state.apply(state.random_move(generator))


def test_letters_differ() -> None:
    assert letters(["red", "rose", "green", "e"]) == ["r", "o", "g", "e", "@"]
    assert letters(["ab", "ba", "a"]) == ["a", "b", "2", "@"]
