"""Readable states of Via Nebula: without loss both ways, and every broken invariant refused by its path in them."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nebula_ai.errors import StateError
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_ai.registry import Catalogue, load
from nebula_core.face import Generator, State
from tests.changes import Change, Content, change_anything, everything, more, put, remove
from tests.nebula_core.via_nebula.editions import odd
from tests.toml_file import write
from tests.walks import walk

PLAYTHROUGHS = sorted(Path("tests/data/playthroughs/via_nebula").absolute().glob("*.jsonl"))


@pytest.fixture(scope="module")
def game() -> ViaNebulaGame:
    game = load("via_nebula")
    assert isinstance(game, ViaNebulaGame)
    return game


# Without loss.


def through_json(game: ViaNebulaGame, state: State) -> State:
    """A state through the text of its JSON, with keys in another order."""
    return game.from_json(json.loads(json.dumps(game.to_json(state), sort_keys=True)))


@pytest.mark.parametrize("variant", ["beginner", "expert"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_state_of_a_game_comes_back_from_json(game: ViaNebulaGame, players: int, variant: str, seed: int) -> None:
    phases = set()
    for number, state in enumerate(walk(game, players, variant, Generator(seed))):
        phases.add(game.to_json(state)["phase"])
        for view in (state, state.observe(number % players)):
            assert through_json(game, view) == view
    assert {"setup", "turn", "finished"} <= phases


def test_states_of_odd_editions_come_back_from_json(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    for number in range(40):
        game = ViaNebulaGame.load(write(odd(random), tmp_path / f"{number}.toml"))
        players = random.choice(game.players)
        for state in walk(game, players, random.choice(game.variants), Generator(seed, number)):
            assert through_json(game, state) == state
            seen = state.observe(random.randrange(players))
            assert through_json(game, seen) == seen


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_every_line_of_the_recorded_games_comes_back_in_every_form(game: ViaNebulaGame, path: Path) -> None:
    catalogue = Catalogue()
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    state = game.start(head["players"], head["map"])
    for number, line in enumerate(lines):
        for view in (state, state.observe(number % state.players)):
            assert through_json(game, view) == view
            assert game.from_message(game.to_message(view)) == view
            assert game.to_text(view).startswith("via1:")
            assert catalogue.from_text(game.to_text(view)) == (game, view)
        if "chance" in line:
            state = state.resolve(game.parse_chance(state, line["chance"]))
        elif "move" in line:
            state = state.apply(game.parse_move(state, line["move"]))
        elif "state" in line:
            assert game.snapshot(state) == line["state"]
        else:
            assert (game.breakdown(state), game.winners(state)) == (line["scores"], line["winners"])


def set_up(game: ViaNebulaGame, players: int) -> State:
    """A game whose tokens are on the map in the order of the edition, wood special ones in the box."""
    state = game.start(players)
    tokens = [token for token in game.content.tokens if "special" not in token]
    texts = ["special wood", *(f"token {token}" for token in tokens for _ in range(2 if " 4 " in token else 1))]
    texts += [f"token special {resource}" for resource in ("stone", "clay", "wheat", "pig")]
    for text in texts:
        state = state.resolve(game.parse_chance(state, text))
    return state


def test_a_state_says_everything_by_name(game: ViaNebulaGame) -> None:
    state = game.start(2)
    for text in ["special clay", "token wood 4 2", "token special pig"]:
        state = state.resolve(game.parse_chance(state, text))
    value = game.to_json(state)
    assert value["boxed"] == ["special clay"]
    assert value["tokens"] == {"0,0": "wood 4 2", "0,2": "special pig"}
    assert value["exploitations"] == {}
    state = set_up(game, 2)
    assert game.to_json(state)["seats"][1]["hand"] == []
    for text in ["private P05", "private P01", "private P08"]:
        state = state.resolve(game.parse_chance(state, text))
    assert [seat["hand"] for seat in game.to_json(state)["seats"]] == [["P01", "P05"], ["P08"]]
    for text in ["private P02", "open N25", "open N06", "open N07", "open N23"]:
        state = state.resolve(game.parse_chance(state, text))
    for text in ["site 8,4", "craftsman 6,9", "craftsman 0,0", "end_turn", "explore 7,4"]:
        state = state.apply(game.parse_move(state, text))
    full = {"sites": [None, None, None], "buildings": [], "stacks": [5, 5, 5, 5], "craftsmen": 3, "storehouse": {}}
    tokens = game.to_json(set_up(game, 2))["tokens"]
    assert len(tokens) == 20
    assert game.to_json(state) == {
        "game": "via_nebula",
        "edition": "standard",
        "edition_hash": game.rules.edition_hash.hex(),
        "players": 2,
        "map": "beginner",
        "phase": "turn",
        "seat": 0,
        "turn": {"action_points": 1, "acted": True, "effect": None, "parts": 0},
        "idle": 0,
        "end_card": None,
        "boxed": [],
        "tokens": {name: token for name, token in tokens.items() if name not in ("0,0", "6,9")},
        "exploitations": {
            "0,0": {"owner": 1, "resource": "wood", "count": 3},
            "6,9": {"owner": 0, "resource": "pig", "count": 1},
            "8,0": {"owner": None, "resource": "stone", "count": 4},
            "8,2": {"owner": None, "resource": "clay", "count": 4},
            "8,5": {"owner": None, "resource": "wheat", "count": 4},
            "8,7": {"owner": None, "resource": "pig", "count": 4},
        },
        "empty": ["7,4"],
        "reserve": {"wood": 15, "stone": 14, "clay": 14, "wheat": 14, "pig": 13},
        "stock": 20,
        "open": ["N25", "N06", "N07", "N23"],
        "seats": [
            full
            | {
                "sites": [{"hex": "8,4", "resources": {}}, None, None],
                "stacks": [4, 5, 5, 5],
                "craftsmen": 2,
                "taken": ["pig 2 1"],
                "hand": ["P01", "P05"],
                "done": [],
            },
            full | {"craftsmen": 2, "taken": ["wood 4 2"], "hand": ["P02", "P08"], "done": []},
        ],
    }
    assert [seat["hand"] for seat in game.to_json(state.observe(0))["seats"]] == [["P01", "P05"], ["unknown"] * 2]


def test_what_is_left_of_an_effect_is_there(game: ViaNebulaGame) -> None:
    turns = []
    for number in range(5):
        for state in walk(game, 4, "expert", Generator(7, number)):
            turns.append(game.to_json(state)["turn"])
    assert any(turn["effect"] == "clear" and turn["parts"] > 1 for turn in turns)
    assert any(turn["effect"] is None and turn["parts"] == 0 and turn["acted"] for turn in turns)


# What may be left out.


def middle(game: ViaNebulaGame) -> Content:
    """A game of three on the beginner map, as JSON: seat 0 has its turn, and there is something of everything."""
    generator = Generator(0)
    state = game.new(3, seed=0)
    for _ in range(87):
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    return game.to_json(state)


def test_counts_of_zero_may_be_written_or_left_out(game: ViaNebulaGame) -> None:
    value = middle(game)
    state = game.from_json(value)
    sites = [site["resources"] for seat in value["seats"] for site in seat["sites"] if site]
    for counts in (value["reserve"], *(seat["storehouse"] for seat in value["seats"]), *sites):
        for resource in game.content.resources:
            counts.setdefault(resource, 0)
    assert game.from_json(value) == state


def test_the_order_of_lists_without_order_may_be_any(game: ViaNebulaGame) -> None:
    value = middle(game)
    state = game.from_json(value)
    value["empty"].reverse()
    for seat in value["seats"]:
        for key in ("buildings", "taken", "hand", "done"):
            seat[key].reverse()
    assert game.from_json(value) == state


def test_the_hash_of_the_edition_may_be_left_out(game: ViaNebulaGame) -> None:
    value = middle(game)
    state = game.from_json(value)
    del value["edition_hash"]
    assert game.from_json(value) == state


# What is refused.

BROKEN: list[tuple[Change, str, str]] = [
    # Keys and types.
    (remove("reserve"), "reserve", "is missing"),
    (remove("seats", 1, "taken"), "seats[1].taken", "is missing"),
    (remove("exploitations", "2,0", "owner"), "exploitations.2,0.owner", "is missing"),
    (put(1, "token"), "token", "did you mean tokens?"),
    (put(1, "seats", 1, "hands"), "seats[1].hands", "did you mean hand?"),
    (put([], "tokens"), "tokens", "must be a table, not a list"),
    (put({}, "seats"), "seats", "must be a list, not a table"),
    (put("3", "players"), "players", "must be a whole number, not '3'"),
    (put(True, "stock"), "stock", "must be a whole number, not true"),
    (put(1.0, "seats", 0, "stacks", 0), "seats[0].stacks[0]", "must be a whole number, not 1.0"),
    (put(-1, "reserve", "wood"), "reserve.wood", "must be 0 to 65535, not -1"),
    (put(1 << 70, "idle"), "idle", "not a number of more than 64 bits"),
    (put(1, "turn", "acted"), "turn.acted", "must be true or false, not 1"),
    (put(5, "tokens", "2,4"), "tokens.2,4", "must be a text, not 5"),
    (put(5, "empty", 3), "empty[3]", "must be a text, not 5"),
    (put("7,1", "seats", 0, "sites", 0), "seats[0].sites[0]", "must be a table, not '7,1'"),
    # Which game it is.
    (put("nebula", "game"), "game", "must be via_nebula"),
    (put("other", "edition"), "edition", "must be standard"),
    (put("0" * 16, "edition_hash"), "edition_hash", "another content"),
    (put(5, "players"), "players", "must be from 2 to 4, not 5"),
    (put(4, "players"), "seats", "must have 4 elements, not 3"),
    (put("begginer", "map"), "map", "did you mean beginner?"),
    (put("expert", "map"), "tokens", "'0,6' is no meadow of the map itself"),
    (put("trun", "phase"), "phase", "did you mean turn?"),
    (put(3, "seat"), "seat", "from 0 to 2"),
    (put(3, "end_card"), "end_card", "must be 0 to 2, not 3"),
    # Names and lengths.
    (put("gold 4 2", "tokens", "2,4"), "tokens.2,4", "'gold 4 2' is not known"),
    (put("special wood", "tokens", "2,4"), "tokens.2,4", "special tokens turn into resources in the setup"),
    (put("wood 4 2", "tokens", "9,0"), "tokens", "'9,0' is no hex of the map"),
    (put("wood 4 2", "tokens", "0,1"), "tokens", "'0,1' is no meadow of the map itself"),
    (put("gold", "exploitations", "2,0", "resource"), "exploitations.2,0.resource", "'gold' is not known"),
    (put(3, "exploitations", "2,0", "owner"), "exploitations.2,0.owner", "must be 0 to 2, not 3"),
    (put(0, "exploitations", "2,0", "count"), "exploitations.2,0", "from 1 to 31"),
    (put("9,9", "empty", 0), "empty[0]", "'9,9' is not known"),
    (put("0,1", "empty", 0), "empty[1]", "hex 0,1 stands there twice"),
    (put(1, "reserve", "gold"), "reserve", "'gold' is not known"),
    (put(1, "seats", 2, "storehouse", "gold"), "seats[2].storehouse", "'gold' is not known"),
    (put("N99", "open", 0), "open[0]", "'N99' is not known"),
    (put("P08", "open", 0), "open[0]", "from -1 to 32"),
    (remove("open", 0), "open", "must have 4 elements, not 3"),
    (remove("seats", 0, "sites", 0), "seats[0].sites", "must have 3 elements, not 2"),
    (remove("seats", 0, "stacks", 0), "seats[0].stacks", "must have 4 elements, not 3"),
    (put("9,9", "seats", 0, "sites", 0, "hex"), "seats[0].sites[0].hex", "'9,9' is not known"),
    (put("7,2", "seats", 0, "sites", 0, "hex"), "seats[0].sites[0].hex", "the hex is no ruin"),
    (put(1, "seats", 0, "sites", 0, "resources", "gold"), "seats[0].sites[0].resources", "'gold' is not known"),
    (put(["7,2"], "seats", 0, "buildings"), "seats[0].buildings[0]", "the hex is no ruin"),
    (put(["7,5"] * 6, "seats", 0, "buildings"), "seats[0].buildings", "must be at most 5, not 6"),
    (put("wood 4 9", "seats", 0, "taken", 0), "seats[0].taken[0]", "'wood 4 9' is not known"),
    (put("special wood", "seats", 0, "taken", 0), "seats[0].taken[0]", "from 0 to"),
    (put("P99", "seats", 0, "hand", 1), "seats[0].hand[1]", "'P99' is not known"),
    (put("P99", "seats", 0, "done", 0), "seats[0].done[0]", "'P99' is not known"),
    (put("throw", "turn", "effect"), "turn.effect", "'throw' is not known"),
    # Resources.
    (more(1, "reserve", "wood"), "reserve.wood", "there are 19 of resource wood in all places, but must be 18"),
    (more(1, "seats", 1, "storehouse", "pig"), "reserve.pig", "there are 19"),
    (more(1, "exploitations", "4,7", "count"), "reserve.clay", "there are 19"),
    (more(-1, "seats", 0, "sites", 0, "resources", "pig"), "reserve.pig", "there are 17"),
    # Tokens and craftsmen.
    (
        put("clay 4 2", "seats", 0, "taken", 0),
        "seats[0].taken",
        "there are more tokens of kind clay 4 2 than the edition has",
    ),
    (put("clay 4 2", "tokens", "3,2"), "tokens.4,0", "more of this kind than the edition has"),
    (remove("tokens", "3,2"), "tokens.3,2", "no token and no exploitation, and is not empty either"),
    (remove("seats", 2, "taken", 0), "seats", "a token of kind clay 3 1 is neither on the map nor taken"),
    (put("clay 4 2", "tokens", "2,0"), "exploitations.2,0", "a token lies there too"),
    (
        everything(put(2, "exploitations", "2,0", "owner"), more(1, "seats", 1, "craftsmen")),
        "seats[2].craftsmen",
        "there are only 2, not 3 on exploitations",
    ),
    (
        everything(
            put("clay", "exploitations", "2,0", "resource"), more(1, "reserve", "stone"), more(-1, "reserve", "clay")
        ),
        "exploitations.2,0",
        "the craftsman of seat 1 stands there without a token taken",
    ),
    (more(1, "seats", 0, "craftsmen"), "seats[0].craftsmen", "must be 1 by the exploitations of the seat, not 2"),
    (put(None, "exploitations", "2,0", "owner"), "exploitations.2,0", "no special token has so many resources"),
    # Ruins.
    (put("1,5", "seats", 0, "sites", 0, "hex"), "seats[2].sites[0].hex", "the ruin is full"),
    (put(None, "seats", 0, "sites", 1), "reserve.wood", "there are 17"),
    # Tiles.
    (put([0, 0, 0, 3], "seats", 0, "stacks"), "empty", "meadow tiles are laid, but"),
    (put([0, 4, 0, 0], "seats", 0, "stacks"), "seats[0].stacks[2]", "must be full"),
    (put([0, 0, 0, 5], "seats", 0, "stacks"), "seats[0].stacks[3]", "from 0 to 4"),
    (everything(more(-1, "stock"), remove("seats", 0, "stacks", 0)), "seats[0].stacks", "4 elements"),
    (everything(more(-1, "stock"), put("4,8", "empty", 0)), "stock", "before any player's stacks are empty"),
    (put("0,8", "empty", 1), "empty", "hex 0,8 is a ruin"),
    (put("1,2", "empty", 1), "empty", "more forbidden hexes are explored than contracts allow"),
    (put("0,9", "empty", 0), "empty", "a token or an exploitation lies on an empty meadow"),
    (everything(remove("tokens", "0,6"), put("0,6", "empty", 1)), "empty", "meadow tiles are laid, but"),
    # Contracts.
    (put("N05", "open", 0), "seats[0].done", "contract N05 is also in another place"),
    (put("N15", "open", 0), "open[1]", "contract N15 is there twice"),
    (put("P02", "seats", 1, "hand", 0), "seats[1].hand", "contract P02 is also in another place"),
    (put("P02", "seats", 0, "hand", 1), "seats[0].hand", "contract P02 stands there twice"),
    (put([], "seats", 0, "hand"), "seats[0].hand", "0 private contracts, done or not, but 2 were dealt"),
    (put(["P01", "P02", "P08"], "seats", 0, "hand"), "seats[0].hand", "3 private contracts"),
    (put(["P02", "P04", "N01"], "seats", 0, "hand"), "seats[0].hand", "more neutral contracts than"),
    (put(["P02", "P04", "unknown"], "seats", 0, "hand"), "seats[0].hand", "more neutral contracts than"),
    (put([], "seats", 0, "done"), "seats[0].done", "0 contracts are done, with 1 buildings"),
    (put(None, "open", 3), "open", "must have 0 empty places while there is a deck, not 1"),
    # The turn and the end.
    (put(0, "end_card"), "end_card", "seat 0 still has buildings"),
    (put(3, "idle"), "idle", "every player has ended a turn without an action"),
    (put(3, "turn", "action_points"), "turn.action_points", "cannot be 3 here"),
    (put(1, "turn", "action_points"), "turn.action_points", "cannot be 1 here"),
    (put(0, "turn", "action_points"), "turn.action_points", ""),
    (put(True, "turn", "acted"), "turn.action_points", "cannot be 2 here: at most 1"),
    (everything(put("clear", "turn", "effect"), put(1, "turn", "parts")), "turn.effect", "only while its parts"),
    (put("clear", "turn", "effect"), "turn.parts", "more with one"),
    (put("finished", "phase"), "phase", "the last turns are not over and not everybody has passed"),
    (put("setup", "phase"), "turn.action_points", "must be 0 in the setup, not 2"),
    (put("effect", "phase"), "turn.acted", "must be true after a contract was done"),
    (put(["special wood"], "boxed"), "boxed", "all special ones are in the box"),
    (put(["wood 4 2"], "boxed"), "boxed[0]", "from 15 to 19"),
    (put(["special wood"] * 2, "boxed"), "boxed[1]", "not so many special tokens of kind special wood"),
]


@pytest.mark.parametrize(
    ("change", "field", "words"), BROKEN, ids=[f"{number}: {field}" for number, (_, field, _) in enumerate(BROKEN)]
)
def test_broken_state_is_refused_with_path_and_reason(
    game: ViaNebulaGame, change: Change, field: str, words: str
) -> None:
    value = middle(game)
    game.from_json(value)
    change(value)
    with pytest.raises(StateError) as refusal:
        game.from_json(value)
    assert (refusal.value.field, words in refusal.value.reason) == (field, True), refusal.value


@pytest.mark.parametrize("value", [None, 3, "state", [], [{}], True])
def test_what_is_no_object_is_refused(game: ViaNebulaGame, value: Any) -> None:
    with pytest.raises(StateError) as refusal:
        game.from_json(value)
    assert refusal.value.field == "state"
    assert "must be a table" in refusal.value.reason


# Unknown cards.


def test_contracts_of_others_may_be_unknown(game: ViaNebulaGame) -> None:
    value = middle(game)
    state = game.from_json(value)
    value["seats"][1]["hand"] = ["unknown"]
    value["seats"][2]["hand"] = ["unknown", "unknown"]
    seen = game.from_json(value)
    assert seen == state.observe(0)
    assert game.to_json(seen) == value
    assert game.breakdown(seen) == game.breakdown(state)


def test_some_of_a_hand_may_be_unknown(game: ViaNebulaGame) -> None:
    value = middle(game)
    value["seats"][0]["hand"] = ["unknown", "P04"]
    state = game.from_json(value)
    assert game.to_json(state)["seats"][0]["hand"] == ["P04", "unknown"]
    fields = game.rules.fields(state)
    assert (fields["unknown_private"][0], fields["unknown_neutral"][0]) == (1, 0)


def test_unknown_cards_that_were_not_dealt_were_drawn(game: ViaNebulaGame) -> None:
    """Seat 0 has done N05; had it been N23, which draws a contract, its hand could hold one more."""
    value = middle(game)
    value["seats"][0]["done"] = ["N23"]
    value["seats"][0]["hand"] = ["P02", "unknown", "unknown"]
    fields = game.rules.fields(game.from_json(value))
    assert (fields["unknown_private"][0], fields["unknown_neutral"][0]) == (1, 1)
    value["seats"][0]["hand"] = ["unknown", "N01", "unknown"]
    fields = game.rules.fields(game.from_json(value))
    assert (fields["unknown_private"][0], fields["unknown_neutral"][0]) == (2, 0)


def refused(game: ViaNebulaGame, value: Any) -> tuple[str, str]:
    """The field and the reason that a state is refused with."""
    with pytest.raises(StateError) as refusal:
        game.from_json(value)
    return refusal.value.field, refusal.value.reason


@pytest.mark.parametrize(
    ("unknown", "reason"),
    [
        (3, "more neutral contracts than the seat can have drawn"),
        (34, "there are not so many neutral contracts out of sight"),
        (36, "36 unknown contracts are more than a seat can have been dealt and have drawn"),
        (60_000, "60000 unknown contracts are more than a seat can have been dealt and have drawn"),
    ],
)
def test_no_hand_has_more_unknown_cards_than_there_are(game: ViaNebulaGame, unknown: int, reason: str) -> None:
    value = middle(game)
    value["seats"][1]["hand"] = ["unknown"] * unknown
    assert refused(game, value) == ("seats[1].hand", reason)


def test_dealt_cards_may_be_unknown_in_the_setup(game: ViaNebulaGame) -> None:
    state = set_up(game, 2)
    for text in ("private unknown", "private P05", "private unknown"):
        state = state.resolve(game.parse_chance(state, text))
    value = game.to_json(state)
    assert [seat["hand"] for seat in value["seats"]] == [["P05", "unknown"], ["unknown"]]
    assert through_json(game, state) == state
    value["seats"][1]["hand"] = ["unknown"] * 3
    assert refused(game, value) == ("seats[1].hand", "3 unknown contracts are more than the 2 that a seat is dealt")


# Whatever is in it.

JUNK: list[object] = [
    *(None, 0, 1, -1, 2, 5, 33, 255, 256, 1 << 70, True, 0.5, "", "wood", "unknown", "P01", "N01", "wood 4 2"),
    *("0,0", "1,1", "special wood", "clear", [], [0], ["wood"], {}, {"wood": 1}),
]  # fmt: skip


def test_any_change_is_taken_or_refused(game: ViaNebulaGame, seed: int) -> None:
    random = Random(seed)
    generator = Generator(seed)
    states = [state for players in (2, 4) for state in walk(game, players, "expert", generator)]
    taken = 0
    refusals = []
    for _ in range(1500):
        value = game.to_json(random.choice(states))
        for _ in range(random.randint(1, 3)):
            change_anything(value, random, JUNK, ["wood", "hand", "0,0", "x"])
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
