"""The boards of Via Nebula in a terminal: narrow enough, complete without colours, coloured where that is wanted."""

import re
from pathlib import Path
from random import Random

import pytest

from nebula_ai.drawing import points
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_core.face import Generator, State
from tests.nebula_core.via_nebula.editions import odd, standard
from tests.nebula_core.via_nebula.positions import Table
from tests.screen import drawn, line_of
from tests.toml_file import write
from tests.walks import walk


@pytest.fixture(scope="module")
def game() -> ViaNebulaGame:
    return ViaNebulaGame.load(None)


def in_game(game: ViaNebulaGame, table: Table, state: State) -> State:
    """A state of a table's rules as one of the game's."""
    assert game.rules.edition_hash == table.rules.edition_hash
    return game.rules.unpack(state.pack())


@pytest.fixture(scope="module")
def turn(game: ViaNebulaGame) -> State:
    """Seat 1 of three has an action point left; there is something of everything."""
    table = Table()
    state = table.position(
        players=3,
        seat=1,
        action_points=1,
        exploitations={"0,0": (0, "wood", 3), "4,9": (1, "clay", 2), "8,7": (None, "pig", 1)},
        empty=["0,2"],
        laid=["0,1", "1,0"],
        sites=[{1: ("1,1", ["wood", "pig", "pig"])}, {0: ("1,1", []), 2: ("4,1", ["clay"])}],
        buildings=[["4,1"], [], ["4,5", "7,5"]],
        storehouse=[[], ["stone", "stone", "wheat"], []],
        hands=[["P04"], ["P06", "P08"], [None, None]],
        done=[["P01"], [], ["N31", "N01"]],
        open=["N02", "N12", "N33", "N03"],
    )
    return in_game(game, table, state)


def cells(text: str) -> dict[str, str]:
    """What a drawn map shows, by the hexes' names: from the columns at which cells stand below the labels."""
    found: dict[str, str] = {}
    starts: dict[bool, list[tuple[int, int]]] = {}
    for line in text.splitlines():
        words = [(match.start(), match[0]) for match in re.finditer(r"\S+(?: \S+)*", line)]
        if line.startswith(("even", "odd")):
            starts[line.startswith("odd")] = [(int(word), at) for at, word in words[1:]]
        elif starts and (row := re.match(r"(\d+) ", line)):
            for at, word in words[1:]:
                column = min(starts[int(row[1]) % 2 == 1], key=lambda label: abs(at + len(word) / 2 - label[1] - 0.5))
                found[f"{row[1]},{column[0]}"] = word
        elif line.startswith("w wood"):
            break
    return found


def test_every_hex_of_the_map_is_there(game: ViaNebulaGame, turn: State) -> None:
    shown = cells(drawn(game, turn))
    names = game.content.maps[0].hexes
    assert list(shown) == list(names)
    letters = {"m": "", ".": ".", "F": "F", "R": "R R", "X": "X"}
    rows = standard()["maps"]["beginner"]["rows"]
    plain = {f"{i},{k}": letters[each] for i, row in enumerate(rows) for k, each in enumerate(row.split())}
    value = game.to_json(turn)
    short = dict(zip(game.content.resources, "wschp", strict=True))
    tokens = {at: (short[token.split()[0]], *token.split()[1:]) for at, token in value["tokens"].items()}
    assert shown == {
        **plain,
        **{at: f"{letter}{count}+{points}" for at, (letter, count, points) in tokens.items()},
        **{
            at: f"{short[here['resource']]}{here['count']}@{'-' if here['owner'] is None else here['owner']}"
            for at, here in value["exploitations"].items()
        },
        **dict.fromkeys(value["empty"], "( )"),
        **{"0,1": "(=)", "1,0": "(=)", "1,1": "0S1 1S0", "4,1": "0B 1S2", "4,5": "2B R", "7,5": "2B R"},
    }


def test_a_map_in_parts_shows_the_same(game: ViaNebulaGame, turn: State) -> None:
    wide = cells(drawn(game, turn))
    for width in (90, 60, 40, 20):
        text = drawn(game, turn, width)
        assert (text.count("even ") > 1) == (width < 89)
        assert cells(text) == wide


def test_everything_else_is_there(game: ViaNebulaGame, turn: State) -> None:
    text = drawn(game, turn)
    heading = "Via Nebula, edition standard, beginner map, 3 players: seat 1 to act, 1 action point left"
    assert line_of(text, "edition") == heading
    assert line_of(text, "w wood") == "w wood s stone c clay h wheat p pig"
    assert line_of(text, "w4+2 token").startswith("w4+2 token: 4 wood, 2 points (it yields 1 fewer) w3@1 exploitation")
    reserve = game.to_json(turn)["reserve"]
    assert line_of(text, "reserve") == "reserve " + " ".join(f"{name}{reserve[full]}" for name, full in NAMES.items())
    assert line_of(text, "common stock") == "tiles 12 in the common stock"
    assert line_of(text, "deck") == "deck 27 contracts"
    assert line_of(text, "end card") == "end card open, 2 points"
    assert line_of(text, "N02") == "N02 w1 c1 2 explore 1 hex, also forbidden ones"
    assert line_of(text, "N12") == "N12 w1 s1 h1 3 transport 2 resources"
    assert line_of(text, "N33") == "N33 s2 p2 2 1 point for each emptied stack"
    assert line_of(text, "N03") == "N03 w1 h1 2"
    totals = [score["total"] for score in game.breakdown(turn) if score]
    assert line_of(text, "Seat 0") == f"Seat 0, {points(totals[0])} Seat 1, {points(totals[1])} <- to move"
    assert line_of(text, "site 0", "home") == "site 0 at home site 0 1,1: none"
    assert line_of(text, "site 1") == "site 1 1,1: w1 p2 site 1 at home"
    assert line_of(text, "site 2") == "site 2 at home site 2 4,1: c1"
    assert line_of(text, "buildings") == "buildings 1 of 5: 4,1 buildings 0 of 5: none"
    assert line_of(text, "craftsmen") == "craftsmen 1 of 2 at home craftsmen 1 of 2 at home"
    assert line_of(text, "tiles", "4 4") == "tiles 2 4 4 4 tiles 4 4 4 4"
    assert line_of(text, "store") == "store none store s2 h1"
    assert re.search(r"^tokens +(w\d|\w\d\+\d )", text, re.M)
    hands = "hand P04 h2 p1: 3 points hand P06 w1 c1 p1: 3 points, 1 resource of the storehouse to"
    assert line_of(text, "P04") == hands
    assert "done      P01" in text
    assert line_of(text, "unknown") == "hand unknown, private"
    assert "2 of 5: 4,5 7,5" in text
    assert "N01 N31" in text


NAMES = {"w": "wood", "s": "stone", "c": "clay", "h": "wheat", "p": "pig"}


def test_hidden_cards_are_unknown(game: ViaNebulaGame, turn: State) -> None:
    text = drawn(game, turn.observe(1))
    assert text.count("unknown, private") == 3
    assert "P04" not in text
    assert "P06" in text


def test_parts_of_an_effect_are_there(game: ViaNebulaGame) -> None:
    table = Table()
    state = table.position(sites=[{0: ("1,1", ["wood", "stone", "pig"])}], open=["N13", "N01", "N02", "N03"])
    state = table.play(state, "build 0 N13")
    assert line_of(drawn(game, in_game(game, table, state)), "edition").endswith("chance (open contract 1)")
    assert line_of(drawn(game, in_game(game, table, state)), "none").startswith("none")
    state = in_game(game, table, table.play(state, "open N20"))
    assert line_of(drawn(game, state), "edition").endswith("seat 0 to clear, 2 parts left")
    assert line_of(drawn(game, state), "after that") == "1 action point left after that"


def test_the_setup_shows_what_is_there_so_far(game: ViaNebulaGame) -> None:
    state = game.start(2, "expert")
    for text in ("special clay", "token wood 4 2", "token special pig"):
        state = state.resolve(game.parse_chance(state, text))
    text = drawn(game, state)
    assert line_of(text, "edition").endswith("chance (hex 0,7)")
    assert line_of(text, "box") == "back in the box: special clay"
    shown = cells(text)
    assert [shown[at] for at in ("0,1", "0,5", "0,7")] == ["w4+2", "p5*", "m"]


def test_turns_without_an_action_and_the_end_are_there(game: ViaNebulaGame) -> None:
    state = game.new(2, seed=1)
    state = state.apply(game.parse_move(state, "end_turn"))
    assert line_of(drawn(game, state), "in a row") == "1 turn without an action in a row"
    state = state.apply(game.parse_move(state, "end_turn"))
    text = drawn(game, state)
    assert "finished, won by seats 0 and 1" in text
    assert line_of(text, "in a row") == "2 turns without an action in a row"
    assert "to move" not in text


def test_a_ruin_with_many_places_says_how_many_are_taken(tmp_path: Path) -> None:
    content = standard()
    content["pieces"]["ruin_capacity"] = {"2": 9, "3": 9, "4": 9}
    table = Table(write(content, tmp_path / "many.toml"))
    game = ViaNebulaGame.load(tmp_path / "many.toml")
    state = table.position(sites=[{0: ("1,1", []), 2: ("1,1", [])}])
    shown = cells(drawn(game, in_game(game, table, state)))
    assert (shown["1,1"], shown["4,1"]) == ("2/9", "0/9")


def test_colors_add_nothing_but_colors(game: ViaNebulaGame, turn: State) -> None:
    colored = drawn(game, turn, color=True)
    assert "\x1b[" in colored
    assert re.sub(r"\x1b\[[\d;]*m", "", colored) == drawn(game, turn)


@pytest.mark.parametrize("width", [40, 80, 100, 200])
def test_no_line_is_too_long(tmp_path: Path, width: int, seed: int) -> None:
    random = Random(seed)
    games = [ViaNebulaGame.load(None)]
    games += [ViaNebulaGame.load(write(odd(random), tmp_path / f"{number}.toml")) for number in range(8)]
    for number, game in enumerate(games):
        players = random.choice(game.players)
        for state in walk(game, players, random.choice(game.variants), Generator(seed, number)):
            if random.random() < 0.05 or state.finished:
                lines = drawn(game, state.observe(0), width).splitlines()
                assert max(map(len, lines)) <= min(width, 100)
                assert not any("…" in line for line in lines)
