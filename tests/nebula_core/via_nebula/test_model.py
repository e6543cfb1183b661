"""The core against the slow model (model.py): random games, of odd editions too, compared at every step."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nebula_core.face import State
from nebula_core.via_nebula.edition import EffectKind
from nebula_core.via_nebula.rules import NOTHING, Phase
from tests.nebula_core.via_nebula.editions import odd
from tests.nebula_core.via_nebula.model import Chance, Decision, Model
from tests.nebula_core.via_nebula.positions import Table
from tests.nebula_core.via_nebula.promises import promises
from tests.toml_file import write

RECORDED = sorted((Path(__file__).parents[2] / "data" / "playthroughs" / "via_nebula").glob("*.jsonl"))
STANDARD_GAMES = 3
"""Of each map and number of players."""
ODD_EDITIONS = 120
ESTIMATED = 0.15
"""Part of the decisions whose estimate is reckoned as well, which takes long."""


def in_names(table: Table, fields: Any) -> dict[str, Any]:
    """The core's fields in the model's words."""
    map_name = table.maps[fields["map"]]
    hexes, meadows = table.hexes(map_name), table.hexes(map_name, "m")
    cards = [*table.neutral, *table.private]

    def counts(numbers: list[int]) -> dict[str, int]:
        return {resource: number for resource, number in zip(table.resources, numbers, strict=True) if number}

    def or_none(number: int) -> int | None:
        return None if number == NOTHING else number

    return {
        "reserve": counts(fields["reserve"]),
        "stock": fields["stock"],
        "tokens": {
            at: table.kinds[kind] for at, kind in zip(meadows, fields["tokens"], strict=True) if kind != NOTHING
        },
        "exploitations": {
            at: {"owner": or_none(each[0]), "resource": table.resources[each[1]], "count": each[2]}
            for at, each in zip(meadows, fields["exploitations"], strict=True)
            if each is not None
        },
        "laid": [hexes[at] for at in fields["empty"] if hexes[at] not in meadows],
        "sites": [
            [
                None if at == NOTHING else {"hex": hexes[at], "resources": counts(resources)}
                for at, resources in zip(sites, site_resources, strict=True)
            ]
            for sites, site_resources in zip(fields["sites"], fields["site_resources"], strict=True)
        ],
        "buildings": [[hexes[at] for at in buildings] for buildings in fields["buildings"]],
        "stacks": fields["stacks"],
        "craftsmen": fields["craftsmen"],
        "storehouse": [counts(numbers) for numbers in fields["storehouse"]],
        "taken": [sorted(table.kinds[kind] for kind in kinds) for kinds in fields["taken"]],
        "hands": [sorted(cards[card] for card in hand) for hand in fields["hands"]],
        "done": [sorted(cards[card] for card in done) for done in fields["done"]],
        "open": [None if card == NOTHING else cards[card] for card in fields["open"]],
        "end_card": or_none(fields["end_card"]),
        "seat": fields["seat"],
        "ap": fields["action_points"],
    }


def phase_of(model: Model) -> Phase:
    """What a state has to wait for."""
    if model.request is None:
        return Phase.FINISHED
    word = list(model.request.options)[-1].split()[0]
    if word in ("special", "token", "private") or (word == "open" and not any(each.done for each in model.players)):
        return Phase.SETUP
    return {"open": Phase.OPEN, "draw": Phase.DRAW, "decline": Phase.EFFECT, "end_turn": Phase.TURN}[word]


def check_fields(table: Table, fields: Any, model: Model) -> None:
    """Compare all fields."""
    assert fields["phase"] == phase_of(model)
    said, snapshot = in_names(table, fields), model.snapshot()
    if model.request is None:
        snapshot["ap"] = 0
    assert said == snapshot
    assert fields["acted"] == (model.acted and model.request is not None)
    assert fields["idle"] == model.idle
    if fields["phase"] != Phase.OPEN:
        assert (EffectKind(fields["effect"]).name.lower(), fields["parts"]) == (model.effect or ("none", 0))
    boxed, empty = sorted(map(table.kinds.index, model.boxed)), model.empty_meadows()
    if model.tokens_are_laid:
        boxed = []
        hexes = table.hexes(table.maps[fields["map"]])
        assert [hexes[at] for at in fields["empty"]] == [f"{row},{column}" for row, column in empty]
    assert fields["boxed"] == boxed
    assert (fields["unknown_neutral"], fields["unknown_private"]) == ([0] * len(model.players),) * 2


def check_seen(table: Table, seen: State, state: State, model: Model, seat: int) -> None:
    """Compare what one seat sees, and could have played along without seeing more, with the whole truth."""
    assert seen == state.observe(seat)
    assert table.rules.from_fields(table.at(seen)) == seen
    if isinstance(model.request, Decision):
        assert sorted(table.legal(seen)) == sorted(model.options_as_seen_by(seat))
    elif isinstance(model.request, Chance):
        assert table.chances(seen) == model.chances_as_seen_by(seat)


def hidden(text: str, model: Model, viewer: int) -> str:
    """A chance outcome as a viewer sees it."""
    word = text.split()[0]
    if word == "draw" and model.seat != viewer:
        return "draw unknown"
    if word == "private":
        dealt = sum(len(player.hand) for player in model.players)
        if dealt // model.edition["setup"]["private_contracts"] != viewer:
            return "private unknown"
    return text


class Manner:
    """How a game is played: at random, but so that rare things happen more often."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.wild = random.choice([0.05, 0.3, 1.0])
        """How often a move is just any."""
        self.lazy = random.choice([0, 0, 0, 0, 0, 0, 0.1, 0.6])
        """How often a turn is ended at once."""

    def choose(self, options: tuple[str, ...]) -> str:
        """One of the options."""
        if "end_turn" in options and self.random.random() < self.lazy:
            return "end_turn"
        if self.random.random() < self.wild:
            return self.random.choice(options)
        for word in ("build", "swap", "recall", "supply", "deliver", "clear", "transport"):
            some = [text for text in options if text.startswith(word)]
            if some and self.random.random() < 0.6:
                return self.random.choice(some)
        return self.random.choice([text for text in options if text not in ("end_turn", "decline")] or options)


def compare_game(table: Table, players: int, map_name: str, random: Random) -> None:
    """Play one random game with both, and along with one seat that does not see everything."""
    rules = table.rules
    model = Model(table.edition, players, map_name)
    manner = Manner(random)
    viewer = random.randrange(players)
    state = seen = table.start(players, map_name)
    while model.request is not None:
        fields = rules.fields(state)
        check_fields(table, fields, model)
        assert rules.scores(state) == model.scores()
        assert rules.unpack(state.pack()) == state
        assert rules.unpack(seen.pack()) == seen
        assert rules.from_fields(fields) == state
        check_seen(table, seen, state, model, viewer)
        if isinstance(model.request, Chance):
            assert state.chance_pending
            assert table.chances(state) == model.request.options
            text = random.choices(list(model.request.options), list(model.request.options.values()))[0]
            seen = table.play(seen, hidden(text, model, viewer))
        else:
            assert isinstance(model.request, Decision)
            assert state.seat == model.request.seat
            assert sorted(table.legal(state)) == sorted(model.request.options)
            if random.random() < ESTIMATED:
                assert state.estimate() == promises(model)
            text = manner.choose(model.request.options)
            seen = table.play(seen, text)
        state = table.play(state, text)
        model.answer(text)
    assert state.finished
    check_fields(table, rules.fields(state), model)
    assert rules.scores(state) == model.scores()
    assert seen == state.observe(viewer)
    points, shares = state.outcome()
    assert (points, shares) == seen.outcome()
    assert points == [score["total"] for score in model.scores()]
    winners = model.winners()
    assert shares == pytest.approx([1 / len(winners) if seat in winners else 0 for seat in range(players)])


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_the_model_agrees_with_the_recorded_games(table: Table, path: Path) -> None:
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    model = Model(table.edition, head["players"], head["map"])
    for line in lines:
        if "chance" in line:
            assert isinstance(model.request, Chance)
            model.answer(line["chance"])
        elif "move" in line:
            assert isinstance(model.request, Decision)
            assert model.request.seat == line["seat"]
            assert sorted(model.request.options) == sorted(line["legal"])
            model.answer(line["move"])
        elif "state" in line:
            assert model.snapshot() == line["state"]
        else:
            assert model.request is None
            assert (model.scores(), model.winners()) == (line["scores"], line["winners"])


@pytest.mark.parametrize("map_name", ["beginner", "expert"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_standard_games(table: Table, players: int, map_name: str, seed: int) -> None:
    random = Random(f"{seed} {players} {map_name}")
    for _ in range(STANDARD_GAMES):
        compare_game(table, players, map_name, random)


@pytest.mark.parametrize("number", range(ODD_EDITIONS))
def test_odd_editions(number: int, seed: int, tmp_path: Path) -> None:
    random = Random(f"{seed} {number}")
    table = Table(write(odd(random), tmp_path / "edition.toml"))
    for players in table.players:
        for map_name in table.maps:
            compare_game(table, players, map_name, random)
