"""The notation of Via Nebula: every text of the recorded games, what is forgiven, and how wrong texts are refused."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nebula_ai.errors import ChanceError, ChancePending, EditionError, GameFinished, MoveError, NoChancePending
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_ai.games.via_nebula.notation import CHANCE_WORDS, MOVE_WORDS
from nebula_core.face import Generator, State
from nebula_core.via_nebula.rules import MoveKind, encode
from tests.changes import Change, put
from tests.nebula_core.via_nebula.editions import odd, standard
from tests.nebula_core.via_nebula.positions import Table
from tests.toml_file import write
from tests.walks import walk

PLAYTHROUGHS = sorted(Path("tests/data/playthroughs/via_nebula").absolute().glob("*.jsonl"))

GAME = ViaNebulaGame.load(None)


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


# Every text and number.


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_every_recorded_text_is_read_and_written(path: Path) -> None:
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    state = GAME.start(head["players"], head["map"])
    for line in lines:
        if "chance" in line:
            outcome = GAME.parse_chance(state, line["chance"])
            assert GAME.format_chance(state, outcome) == line["chance"]
            state = state.resolve(outcome)
        elif "move" in line:
            assert sorted(GAME.parse_move(state, text) for text in line["legal"]) == state.legal_moves()
            assert sorted(GAME.format_move(state, move) for move in state.legal_moves()) == sorted(line["legal"])
            state = state.apply(GAME.parse_move(state, line["move"]))
    assert state.finished


def test_every_move_and_outcome_of_odd_editions_is_read_and_written(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    kinds = set()
    for number in range(40):
        game = ViaNebulaGame.load(write(odd(random), tmp_path / f"{number}.toml"))
        for state in walk(game, random.choice(game.players), random.choice(game.variants), Generator(seed, number)):
            if state.chance_pending:
                for outcome, _ in state.chances():
                    text = game.format_chance(state, outcome)
                    assert game.parse_chance(state, text) == outcome
                    kinds.add(text.split()[0])
            elif not state.finished:
                for move in state.legal_moves():
                    text = game.format_move(state, move)
                    assert game.parse_move(state, text) == move
                    kinds.add(text.split()[0])
    assert {"craftsman", "site", "explore", "transport", "build", "end_turn", "decline", "token", "open"} <= kinds


@given(
    kind=st.one_of(st.sampled_from(MoveKind), st.integers(0, 255)),
    argument=st.one_of(
        st.integers(0, 300),
        st.builds(lambda site, low: site << 8 | low, st.integers(0, 4), st.integers(0, 130)),
        st.integers(0, 0xFFFFFF),
    ),
    variant=st.sampled_from(GAME.variants),
)
def test_a_number_is_a_move_or_an_outcome_or_none(kind: int, argument: int, variant: str) -> None:
    number = kind << 24 | argument
    start = GAME.start(2, variant)
    texts = []
    with suppress(MoveError):
        texts.append((GAME.format_move(start, number), MOVE_WORDS))
    with suppress(ChanceError):
        texts.append((GAME.format_chance(start, number), CHANCE_WORDS))
    assert len(texts) <= 1
    for text, first_words in texts:
        assert GAME.notation.of(start).read(text, first_words) == number
        assert text == " ".join(text.split())


@pytest.mark.parametrize(
    "number",
    [-1, 1 << 32, 1 << 70, 0, encode(MoveKind.TOKEN), encode(MoveKind.END_TURN, 1), encode(MoveKind.EXPLORE, 86)],
)
def test_what_is_no_move_has_no_text(number: int) -> None:
    with pytest.raises(MoveError):
        GAME.format_move(GAME.start(2), number)


def test_a_hex_is_named_by_the_map_of_the_state(tmp_path: Path) -> None:
    content = odd(Random(1))
    content["maps"] = {
        "wide": {"rows": ["m . . . R", ". . . ."]},
        "high": {"rows": ["m .", ". .", ". .", ". .", "R"]},
    }
    content["setup"]["special_removed"] = 0
    content["tokens"] = {"regular": [{"resource": content["resources"][0], "count": 2, "points": 1}], "special": []}
    with pytest.raises(EditionError, match="must have 2 hexes"):
        ViaNebulaGame.load(write(content, tmp_path / "uneven.toml"))
    content["maps"]["high"]["rows"][-1] = "R ."
    game = ViaNebulaGame.load(write(content, tmp_path / "two.toml"))
    explore = encode(MoveKind.EXPLORE, 5)
    players = game.players[0]
    assert [game.format_move(game.start(players, name), explore) for name in game.variants] == [
        "explore 1,0",
        "explore 2,1",
    ]


# Positions to speak of.


@pytest.fixture(scope="module")
def turn(table: Table) -> State:
    """Seat 0 has its turn: no craftsman and no site left, and on site 0 what N01 costs."""
    return table.position(
        exploitations={"4,0": (0, "wood", 3), "2,0": (0, "clay", 2), "6,9": (0, "pig", 1)},
        sites=[{0: ("1,1", ["wood", "stone"]), 1: ("4,1", []), 2: ("7,1", ["clay"])}, {0: ("1,5", [])}],
        hands=[["P01", "P02"], ["P03", "P04"]],
        open=["N01", "N02", "N03", "N04"],
        empty=["0,2"],
    )


@pytest.fixture(scope="module")
def last_point(table: Table) -> State:
    """Seat 0 has one action point left, craftsmen at home, and a site at home."""
    return table.position(action_points=1, sites=[{0: ("2,3", []), 1: ("4,5", [])}, {0: ("1,5", [])}])


@pytest.fixture(scope="module")
def swapping(table: Table) -> State:
    """Seat 0 may swap two resources on its site 1; its site 0 has just become a building."""
    state = table.position(
        sites=[{0: ("1,1", ["wood", "wheat", "pig"]), 1: ("4,1", ["clay"])}], open=["N16", "N01", "N02", "N03"]
    )
    return table.play(state, "build 0 N16", "open N05")


@pytest.fixture(scope="module")
def clearing(table: Table) -> State:
    """Seat 0 may explore a hex by an effect."""
    state = table.position(sites=[{0: ("1,1", ["wood", "clay"])}], open=["N02", "N01", "N03", "N04"])
    return table.play(state, "build 0 N02", "open N05")


@pytest.fixture(scope="module")
def recalling(table: Table) -> State:
    """Seat 0 may take home its craftsman at 0,0."""
    state = table.position(
        exploitations={"0,0": (0, "wood", 3)},
        sites=[{0: ("1,1", ["wood", "wood", "clay"])}],
        open=["N21", "N01", "N02", "N03"],
    )
    return table.play(state, "build 0 N21", "open N05")


# What is forgiven.


@pytest.mark.parametrize(
    ("position", "given", "text"),
    [
        ("last_point", "  site\t5,3\n", "site 5,3"),
        ("turn", "transport    4,0  1", "transport 4,0 1"),
        ("turn", "transport 4,0 01", "transport 4,0 1"),
        ("turn", "build\n0 N01", "build 0 N01"),
        ("turn", " end_turn ", "end_turn"),
        ("swapping", "swap 1  clay   pig", "swap 1 clay pig"),
    ],
)
def test_white_space_is_forgiven(
    request: pytest.FixtureRequest, table: Table, position: str, given: str, text: str
) -> None:
    state = request.getfixturevalue(position)
    assert table.notation.format_move(state, table.notation.parse_move(state, given)) == text


# What is refused.


@pytest.mark.parametrize(
    ("position", "text", "words"),
    [
        # Words that do not exist.
        ("turn", "", ["the text is empty", "moves are legal: seat 0 may choose explore, transport, build or end_turn"]),
        ("turn", "explor 1,2", ["'explor' is not known (did you mean explore?)"]),
        ("turn", "Explore 1,2", ["'Explore' is not known (did you mean explore?)"]),
        ("turn", "token wood 4 2", ["the word 'token' is not known"]),
        ("turn", "explore 9,9", ["'9,9' is no hex of the map: a hex is its row and its column, as 0,0"]),
        ("turn", "explore 01,2", ["'01,2' is no hex of the map"]),
        ("turn", "explore 1,9", ["'1,9' is no hex of the map"]),
        ("turn", "build 0 n01", ["the contract 'n01' is not known (did you mean N01?)"]),
        ("turn", "x" * 5000, ["is not known"]),
        ("swapping", "swap 1 clay gold", ["the resource 'gold' is not known"]),
        # Wrong numbers of words, and numbers that are none.
        ("turn", "explore", ["after 'explore' comes a hex: 1 word, not 0"]),
        ("turn", "explore 1, 2", ["after 'explore' comes a hex: 1 word, not 2"]),
        ("turn", "transport 0,0", ["after 'transport' comes a hex and a site: 2 words, not 1"]),
        ("turn", "transport 0,0 3", ["'3' is not the number of a site from 0 to 2"]),
        ("turn", "transport 0,0 \u0662", ["is not the number of a site"]),
        ("turn", "transport 0,0 " + "9" * 5000, ["is not the number of a site"]),
        ("turn", "build N01", ["after 'build' comes a site and a contract: 2 words, not 1"]),
        ("turn", "end_turn now", ["after 'end_turn' comes nothing: 0 words, not 1"]),
        ("swapping", "swap 1 clay", ["a site, the resource that leaves and the one that comes: 3 words, not 2"]),
        # Moves of another moment.
        ("turn", "decline", ["it is a part of an effect, and none is carried out now"]),
        ("turn", "clear 1,2", ["it is a part of an effect, and none is carried out now"]),
        ("swapping", "end_turn", ["the effect swap is carried out first"]),
        ("swapping", "supply wood 1", ["the effect swap is carried out first"]),
        ("clearing", "explore 0,1", ["the effect clear is carried out first", "legal: clear 0,1, "]),
        # Moves that break a rule.
        ("turn", "craftsman 0,4", ["no craftsman is at home"]),
        ("last_point", "craftsman 0,1", ["no token lies there"]),
        ("turn", "site 5,3", ["no site is at home"]),
        ("last_point", "site 1,5", ["the ruin is full"]),
        ("last_point", "site 1,6", ["there is no ruin"]),
        ("last_point", "explore 5,4", ["it costs 2 action points, and of these are left 1"]),
        ("turn", "explore 0,2", ["it is an empty meadow already"]),
        ("turn", "explore 0,4", ["a meadow cannot be explored"]),
        ("turn", "explore 1,1", ["a ruin cannot be explored"]),
        ("turn", "explore 1,2", ["a forbidden hex is explored only by a contract"]),
        ("turn", "explore 8,9", ["it is next to no empty meadow and no craftsman, site or building of the seat"]),
        ("turn", "transport 0,1 0", ["there is no exploitation"]),
        ("turn", "transport 0,4 0", ["there is no exploitation"]),
        ("turn", "transport 6,9 0", ["no chain of empty meadows joins it with site 0"]),
        ("last_point", "transport 8,0 2", ["site 2 is at home"]),
        ("turn", "build 1 N01", ["site 1 does not hold its cost"]),
        ("turn", "build 0 P02", ["site 0 does not hold its cost"]),
        ("turn", "build 0 P03", ["the contract is neither open nor one of the seat's own"]),
        ("turn", "build 0 N05", ["the contract is neither open nor one of the seat's own"]),
        ("swapping", "swap 1 clay clay", ["the one must be on the site and the other, of another type, in"]),
        ("swapping", "swap 1 wood clay", ["the one must be on the site"]),
        ("swapping", "swap 0 wood clay", ["site 0 is at home"]),
        ("clearing", "clear 8,9", ["it is next to no empty meadow"]),
        ("clearing", "clear 0,2", ["a meadow cannot be explored"]),
        ("recalling", "recall 0,1", ["the seat has no craftsman there", "legal: recall 0,0, decline"]),
    ],
)  # fmt: skip
def test_a_wrong_move_is_refused_with_the_reason(
    request: pytest.FixtureRequest, table: Table, position: str, text: str, words: list[str]
) -> None:
    state = request.getfixturevalue(position)
    with pytest.raises(MoveError) as refusal:
        table.notation.parse_move(state, text)
    assert refusal.value.field == "move"
    for part in words:
        assert part in refusal.value.reason
    assert "\n" not in refusal.value.reason
    assert len(refusal.value.reason) < 300


def changed(path: Path, *changes: Change) -> Table:
    """The standard edition with changes."""
    content = standard()
    for change in changes:
        change(content)
    return Table(write(content, path))


def test_without_a_tile_nothing_is_explored(tmp_path: Path) -> None:
    pieces = [("meadow_stacks", 1), ("meadow_stack_size", 1), ("meadow_reserve", 0)]
    table = changed(tmp_path / "tiles.toml", *(put(number, "pieces", key, "2") for key, number in pieces))
    state = table.play(table.position(sites=[{0: ("1,1", [])}]), "explore 0,1")
    with pytest.raises(MoveError, match="there is no meadow tile left"):
        table.notation.parse_move(state, "explore 1,0")


def test_without_a_building_nothing_is_built(tmp_path: Path) -> None:
    table = changed(tmp_path / "buildings.toml", put(1, "pieces", "buildings", "2"))
    state = table.position(
        seat=1,
        end_card=0,
        action_points=1,
        buildings=[["1,1"], ["4,1"]],
        sites=[{}, {0: ("2,3", ["wood", "stone"])}],
        done=[["N05"], ["N06"]],
        open=["N01", "N02", "N03", "N04"],
    )
    with pytest.raises(MoveError, match="no building is left"):
        table.notation.parse_move(state, "build 0 N01")


def test_a_number_of_sites_that_this_number_of_players_has_not(tmp_path: Path) -> None:
    content = odd(Random(2))
    content["players"] = [2, 3]
    content["pieces"]["sites"] = {"2": 1, "3": 3}
    content["turn"]["action_points"] = 15
    game = ViaNebulaGame.load(write(content, tmp_path / "sites.toml"))
    state = game.new(2, seed=1)
    with pytest.raises(MoveError, match="a seat has only 1 site;"):
        game.parse_move(state, "transport 0,0 2")


def test_a_state_without_a_decision_has_no_moves(table: Table) -> None:
    with pytest.raises(ChancePending):
        table.notation.parse_move(table.start(), "end_turn")
    state = table.settle(table.start())
    while not state.finished:
        state = table.play(state, "end_turn")
    with pytest.raises(GameFinished):
        table.notation.parse_move(state, "end_turn")


# Chance.


def test_a_wrong_outcome_is_refused_with_the_reason(table: Table, turn: State) -> None:
    start = table.start()
    for text, words in [
        ("specil wood", "'specil' is not known (did you mean special?)"),
        ("special", "after 'special' comes the resource of a special token: 1 word, not 0"),
        ("special wod", "the resource 'wod' is not known (did you mean wood?); possible: special wood, "),
        ("token wood 4 2", "'token wood 4 2' is not possible now; possible: special wood, "),
        ("end_turn", "the word 'end_turn' is not known"),
        ("private unknown", "'private unknown' is not possible now"),
    ]:
        with pytest.raises(ChanceError) as refusal:
            table.notation.parse_chance(start, text)
        assert refusal.value.field == "outcome"
        assert words in refusal.value.reason
    state = table.play(start, "special wood")
    for text, words in [
        ("token wood 4", "the token 'wood 4' is not known"),
        ("token", "the token '' is not known"),
        (
            "token special wood",
            "'token special wood' is not possible now; 19 outcomes are possible, such as 'token wood",
        ),
    ]:
        with pytest.raises(ChanceError) as refusal:
            table.notation.parse_chance(state, text)
        assert words in refusal.value.reason
    with pytest.raises(NoChancePending):
        table.notation.parse_chance(turn, "token wood 4 2")


def test_white_space_in_an_outcome_is_forgiven(table: Table) -> None:
    state = table.play(table.start(), " special   wood ")
    assert table.notation.parse_chance(state, "\ttoken  wood 4   2 ") == table.notation.parse_chance(
        state, "token wood 4 2"
    )


# Unknown cards.


def test_cards_that_nobody_tells_may_stay_unknown(table: Table) -> None:
    state = table.start()
    while not table.notation.format_chance(state, state.chances()[0][0]).startswith("private"):
        state = state.resolve(state.chances()[0][0])
    state = table.play(state, "private unknown", "private unknown", "private P01", "private P02")
    with pytest.raises(ChanceError, match="the contract 'unknown' is not known"):
        table.notation.parse_chance(state, "open unknown")
    state = table.position(
        sites=[{0: ("1,1", ["pig", "pig", "clay"])}],
        open=["N23", "N01", "N02", "N03"],
        hands=[[None, None], ["P05", None]],
    )
    state = table.play(state, "build 0 N23", "open N05", "draw unknown")
    assert table.at(state)["unknown_neutral"] == [1, 0]
