"""Readable states of Nebula: without loss both ways, and every invariant refused by the path in the readable state."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nebula_ai.errors import StateError
from nebula_ai.games.nebula.game import NebulaGame
from nebula_core.face import Generator, State
from tests.changes import Change, Content, change_anything, everything, more, put, remove
from tests.nebula_core.nebula.editions import odd
from tests.toml_file import write
from tests.walks import walk


@pytest.fixture(scope="module")
def game() -> NebulaGame:
    return NebulaGame.load(None)


# Without loss.


def through_json(game: NebulaGame, state: State) -> State:
    """A state through the text of its JSON, with keys in another order."""
    return game.from_json(json.loads(json.dumps(game.to_json(state), sort_keys=True)))


@pytest.mark.parametrize("variant", ["full", "basic"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_state_of_a_game_comes_back_from_json(game: NebulaGame, players: int, variant: str, seed: int) -> None:
    phases = set()
    for state in walk(game, players, variant, Generator(seed)):
        value = game.to_json(state)
        phases.add(value["phase"])
        assert through_json(game, state) == state
        for seat in range(players):
            seen = state.observe(seat)
            assert through_json(game, seen) == seen
    assert {"setup", "choose", "turn", "take", "place", "refill", "finished"} <= phases


def test_states_of_odd_editions_come_back_from_json(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    for number in range(10):
        game = NebulaGame.load(write(odd(random), tmp_path / f"{number}.toml"))
        for state in walk(game, random.choice(game.players), random.choice(game.variants), Generator(seed, number)):
            assert through_json(game, state) == state


def test_a_state_says_everything_by_name(game: NebulaGame) -> None:
    state = game.start(2, "full")
    assert game.to_json(state)["personal"] == [{"dealt": []}, {"dealt": []}]
    for text in ["piece red"] * 12 + ["piece black_hole"] * 6 + ["piece white", "piece blue"]:
        state = state.resolve(game.parse_chance(state, text))
    for text in ["public T12", "public T23", "public T11", "public T02"]:
        state = state.resolve(game.parse_chance(state, text))
    for text in ["advanced A07", "advanced A11", "advanced A23", "advanced A01"]:
        state = state.resolve(game.parse_chance(state, text))
    for text in ["personal S10", "personal S04", "personal S06"]:
        state = state.resolve(game.parse_chance(state, text))
    value = game.to_json(state)
    assert value["personal"] == [{"dealt": ["S10", "S04"]}, {"dealt": ["S06"]}]
    state = state.resolve(game.parse_chance(state, "personal S17"))
    state = state.apply(game.parse_move(state, "choose S04"))
    assert game.to_json(state) == {
        "game": "nebula",
        "edition": "standard",
        "edition_hash": game.rules.edition_hash.hex(),
        "players": 2,
        "variant": "full",
        "phase": "choose",
        "seat": 1,
        "round": 1,
        "bag": {"red": 9, "orange": 21, "yellow": 21, "white": 20, "blue": 20, "violet": 21, "black_hole": 6},
        "removed": {},
        "clusters": [["red"] * 6, ["red"] * 6, ["black_hole"] * 6],
        "figures": [0, 0, 0],
        "supernova": "white",
        "observatory": [{}, {"blue": 1}],
        "galaxy": [[None] * 32, [None] * 32],
        "holes": [0, 0],
        "indicator": 0,
        "markers": [{"task": task, "seats": []} for task in ("T12", "T23", "T11", "T02")],
        "values": {
            "color": dict.fromkeys(("red", "orange", "yellow", "white", "blue", "violet"), 0),
            "constellation": dict.fromkeys(("Lyra", "Draco", "Cygnus", "Corvus"), 0),
            "advanced": [{"card": card, "index": 0} for card in ("A07", "A11", "A23", "A01")],
        },
        "personal": [{"kept": "S04", "returned": ["S10"]}, {"dealt": ["S06", "S17"]}],
        "turn": {"took_supernova": False, "placed": [], "drawn": {}},
    }
    assert game.to_json(state.observe(0))["personal"] == [
        {"kept": "S04", "returned": ["S10"]},
        {"dealt": ["unknown", "unknown"]},
    ]
    assert game.to_json(state.observe(1))["personal"] == [
        {"kept": "unknown", "returned": ["unknown"]},
        {"dealt": ["S06", "S17"]},
    ]


def test_what_a_turn_has_brought_is_there(game: NebulaGame) -> None:
    turns = []
    for state in walk(game, 2, "full", Generator(7)):
        turn = game.to_json(state)["turn"]
        if turn not in turns:
            turns.append(turn)
    assert {"took_supernova": False, "placed": ["black_hole"], "drawn": {}} in turns
    assert any(turn["took_supernova"] for turn in turns)
    assert any(sum(turn["drawn"].values()) == 5 for turn in turns)


# What may be left out.


def middle(game: NebulaGame) -> Content:
    """A full game of three where the boards have filled a little, as JSON: seat 0 has its turn."""
    generator = Generator(20)
    state = game.new(3, seed=20)
    value = game.to_json(state)
    while value["phase"] != "turn" or value["seat"] != 0 or value["round"] < 8:
        state = state.apply(state.random_move(generator)).settle(generator)[0]
        value = game.to_json(state)
    return value


def test_counts_of_zero_may_be_written_or_left_out(game: NebulaGame) -> None:
    value = middle(game)
    state = game.from_json(value)
    value["turn"]["drawn"] = {"red": 0}
    for counts in (value["removed"], value["bag"], *value["observatory"]):
        for piece in game.content.pieces:
            counts.setdefault(piece, 0)
    assert game.from_json(value) == state
    for scale in ("color", "constellation"):
        value["values"][scale] = {name: index for name, index in value["values"][scale].items() if index}
    assert game.from_json(value) == state


def test_the_hash_of_the_edition_may_be_left_out(game: NebulaGame) -> None:
    value = middle(game)
    state = game.from_json(value)
    del value["edition_hash"]
    assert game.from_json(value) == state


# What is refused.


BROKEN: list[tuple[Change, str, str]] = [
    # Keys and types.
    (remove("bag"), "bag", "is missing"),
    (remove("turn", "placed"), "turn.placed", "is missing"),
    (put(1, "figure"), "figure", "did you mean figures?"),
    (put({}, "personal", 1, "given"), "personal[1].given", "not known"),
    (put([], "bag"), "bag", "must be a table, not a list"),
    (put({}, "galaxy"), "galaxy", "must be a list, not a table"),
    (put("3", "players"), "players", "must be a whole number, not '3'"),
    (put(True, "holes", 0), "holes[0]", "must be a whole number, not true"),
    (put(1.0, "figures", 0), "figures[0]", "must be a whole number, not 1.0"),
    (put(-1, "figures", 0), "figures[0]", "must be 0 to 65535, not -1"),
    (put(1 << 70, "round"), "round", "not a number of more than 64 bits"),
    (put(1, "turn", "took_supernova"), "turn.took_supernova", "must be true or false, not 1"),
    (put(5, "galaxy", 1, 7), "galaxy[1][7]", "must be a text, not 5"),
    (put(None, "personal", 2, "kept"), "personal[2].kept", "must be a text, not null"),
    # Which game it is.
    (put("via_nebula", "game"), "game", "must be nebula"),
    (put("other", "edition"), "edition", "must be standard"),
    (put("0" * 16, "edition_hash"), "edition_hash", "'0000000000000000' is not the hash of the edition standard"),
    (put(5, "players"), "players", "must be from 2 to 4, not 5"),
    (put(4, "players"), "observatory", "must have 4 elements, not 3"),
    (put("half", "variant"), "variant", "there is full and basic"),
    (put("basic", "variant"), "values", "must be null in the basic variant"),
    (put(None, "values"), "values", "must not be null in the full variant"),
    (put("plaice", "phase"), "phase", "did you mean place?"),
    (put(3, "seat"), "seat", "from 0 to 2"),
    (put(0, "round"), "round", "from 1 to"),
    # Names and lengths.
    (put(1, "bag", "pink"), "bag", "'pink' is not known"),
    (put(1, "observatory", 1, "pink"), "observatory[1]", "'pink' is not known"),
    (put("pink", "galaxy", 1, 7), "galaxy[1][7]", "'pink' is not known"),
    (put("black_hole", "galaxy", 1, 7), "galaxy[1][7]", "'black_hole' is not known"),
    (put("black_hole", "supernova"), "supernova", "'black_hole' is not known"),
    (remove("galaxy", 1, 7), "galaxy[1]", "must have 32 elements, not 31"),
    (remove("clusters", 2, 0), "clusters[2]", "must have 6 elements, not 5"),
    (remove("clusters", 2), "clusters", "must have 3 elements, not 2"),
    (remove("figures", 2), "figures", "must have 3 elements, not 2"),
    (put(6, "figures", 2), "figures[2]", "from 0 to 5"),
    (put(9, "holes", 1), "holes[1]", "from 0 to 8"),
    (put("T99", "markers", 1, "task"), "markers[1].task", "'T99' is not known"),
    (put([3], "markers", 1, "seats"), "markers[1].seats[0]", "from 0 to 2"),
    (put([0, 0], "markers", 1, "seats"), "markers[1].seats[1]", "two markers"),
    (
        lambda value: value["markers"].append({"task": "T01", "seats": []}),
        "markers",
        "must have at most 4 elements, not 5",
    ),
    (put(1, "values", "color", "pink"), "values.color", "'pink' is not known"),
    (put(3, "values", "color", "red"), "values.color.red", "from 0 to 2"),
    (put(4, "values", "constellation", "Lyra"), "values.constellation.Lyra", "from 0 to 3"),
    (put(4, "values", "advanced", 2, "index"), "values.advanced[2].index", "from 0 to 3"),
    (put("A99", "values", "advanced", 2, "card"), "values.advanced[2].card", "'A99' is not known"),
    (put("S99", "personal", 0, "kept"), "personal[0].kept", "'S99' is not known"),
    (put("S99", "personal", 0, "returned", 0), "personal[0].returned[0]", "'S99' is not known"),
    (put([], "personal", 0, "returned"), "personal[0].returned", "must have 1 elements, not 0"),
    (put({"dealt": ["S01", "S02"]}, "personal", 0), "personal[0].dealt", "has chosen"),
    (remove("personal", 0, "kept"), "personal[0].kept", "is missing"),
    (remove("personal", 0, "returned"), "personal[0].returned", "is missing"),
    (put(["red", "red"], "turn", "placed"), "turn.placed[1]", "two pieces of one colour"),
    (put(["pink"], "turn", "placed"), "turn.placed[0]", "'pink' is not known"),
    (put({"pink": 1}, "turn", "drawn"), "turn.drawn", "'pink' is not known"),
    # What the rules do not allow.
    (more(1, "bag", "red"), "bag.red", "must be 21"),
    (more(1, "observatory", 1, "white"), "bag.white", "must be 21"),
    (more(-1, "bag", "black_hole"), "bag.black_hole", "must be 18"),
    (put("T21", "markers", 1, "task"), "markers[1].task", "is there twice"),
    (put("A10", "values", "advanced", 1, "card"), "values.advanced[1].card", "is there twice"),
    (put("S01", "personal", 2, "kept"), "personal[2].kept", "is there twice"),
    (put(["S18"], "personal", 2, "returned"), "personal[2].returned[0]", "is there twice"),
    (remove("markers", 3), "markers[3].task", "is missing"),
    (remove("values", "advanced", 3), "values.advanced[3].card", "is missing"),
    (put([0], "markers", 3, "seats"), "markers[3].seats", "does not satisfy"),
    (more(1, "indicator"), "indicator", "by the black holes placed"),
    (put(None, "supernova"), "bag.yellow", "must be 21"),
    (everything(put(None, "supernova"), more(1, "bag", "yellow")), "supernova", "the bag holds a star"),
    (
        everything(put("blue", "galaxy", 1, 0), more(1, "bag", "yellow"), more(-1, "bag", "blue")),
        "galaxy[1][0]",
        "linked to a star of the same colour",
    ),
    (everything(put("red", "galaxy", 0, 31), more(-1, "bag", "red")), "galaxy[0][31]", "no link to the stars"),
    (everything(put(None, "clusters", 0, 3), more(1, "bag", "white")), "clusters[0][3]", "must not be empty"),
    (
        everything(*[more(1, "values", "color", color) for color in ("red", "blue")]),
        "values.color",
        "black holes placed",
    ),
    (put(True, "turn", "took_supernova"), "turn.took_supernova", "can be true only"),
    (put(["red"], "turn", "placed"), "turn.placed", "only while a seat places"),
    (everything(put({"red": 1}, "turn", "drawn"), more(-1, "bag", "red")), "turn.drawn", "between chaos and keep"),
    (put("finished", "phase"), "phase", "not triggered"),
    (put("refill", "phase"), "phase", "nothing can be refilled"),
    (put("keep", "phase"), "turn.drawn", "must be 5 pieces"),
    (everything(put("advance", "phase"), put(0, "values", "color", "red")), "phase", "after a black hole"),
]


@pytest.mark.parametrize(
    ("change", "field", "words"), BROKEN, ids=[f"{number}: {field}" for number, (_, field, _) in enumerate(BROKEN)]
)
def test_broken_state_is_refused_with_path_and_reason(game: NebulaGame, change: Change, field: str, words: str) -> None:
    value = middle(game)
    game.from_json(value)
    change(value)
    with pytest.raises(StateError) as refusal:
        game.from_json(value)
    assert refusal.value.field == field
    assert words in refusal.value.reason


def test_before_the_choice_there_is_what_was_dealt(game: NebulaGame) -> None:
    value = game.to_json(game.new(2, seed=1))
    value["personal"][1] = {"kept": "S01", "returned": ["S02"]}
    with pytest.raises(StateError) as refusal:
        game.from_json(value)
    assert refusal.value.field == "personal[1].kept"
    assert "has not chosen yet" in refusal.value.reason
    value["personal"][1] = {}
    with pytest.raises(StateError) as refusal:
        game.from_json(value)
    assert refusal.value.field == "personal[1].dealt"
    assert "is missing" in refusal.value.reason


@pytest.mark.parametrize("value", [None, 3, "state", [], [{}], True])
def test_what_is_no_object_is_refused(game: NebulaGame, value: Any) -> None:
    with pytest.raises(StateError) as refusal:
        game.from_json(value)
    assert refusal.value.field == "state"
    assert "must be a table" in refusal.value.reason


# Unknown cards.


def test_cards_of_others_may_be_unknown(game: NebulaGame) -> None:
    value = middle(game)
    state = game.from_json(value)
    for seat in (1, 2):
        value["personal"][seat] = {"kept": "unknown", "returned": ["unknown"]}
    seen = game.from_json(value)
    assert seen == state.observe(0)
    assert game.to_json(seen) == value
    assert [scores is None for scores in game.breakdown(seen)] == [False, True, True]


def test_all_cards_may_be_unknown(game: NebulaGame) -> None:
    value = game.to_json(game.new(3, "basic", seed=3))
    value["personal"] = [{"dealt": ["unknown"] * 2}] * 3
    state = game.from_json(value)
    assert [game.format_move(state, move) for move in state.legal_moves()] == ["choose unknown"]


# Whatever is in it.

JUNK: list[object] = [
    *(None, 0, 1, -1, 2, 5, 33, 255, 256, 1 << 70, True, 0.5, "", "red", "black_hole", "unknown", "S01", "T01", "A01"),
    *("Lyra", [], [0], ["red"], {}, {"red": 1}),
]  # fmt: skip


def test_any_change_is_taken_or_refused(game: NebulaGame, seed: int) -> None:
    random = Random(seed)
    generator = Generator(seed)
    states = [state for players in (2, 4) for state in walk(game, players, "full", generator)]
    taken = 0
    refusals = []
    for _ in range(1500):
        value = game.to_json(random.choice(states))
        for _ in range(random.randint(1, 3)):
            change_anything(value, random, JUNK, ["red", "kept", "seats", "x"])
        try:
            state = game.from_json(value)
        except StateError as error:
            refusals.append(error)
        else:
            taken += 1
            assert through_json(game, state) == state
            assert game.rules.unpack(state.pack()) == state
    assert taken > 0
    assert all(error.field and error.reason for error in refusals)
