"""The core against the slow model (model.py): random games, of odd editions too, compared at every step."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nebula_core.nebula.rules import NOTHING, Phase
from tests.nebula_core.nebula.editions import odd
from tests.nebula_core.nebula.model import Chance, Decision, Model
from tests.nebula_core.nebula.positions import Table
from tests.nebula_core.nebula.promises import promises
from tests.toml_file import write

RECORDED = sorted((Path(__file__).parents[2] / "data" / "playthroughs" / "nebula").glob("*.jsonl"))
STANDARD_GAMES = 6
"""Of each variant and number of players."""
ODD_EDITIONS = 120
ESTIMATED = 0.15
"""Part of the decisions whose estimate is reckoned as well, which takes long."""

PHASES = {
    "choose": Phase.CHOOSE,
    "invest": Phase.TURN,
    "take": Phase.TAKE,
    "keep": Phase.KEEP,
    "place": Phase.PLACE,
    "stop": Phase.PLACE,
    "advance": Phase.ADVANCE,
    "decline": Phase.ADVANCE,
}


def in_names(table: Table, fields: Any) -> dict[str, Any]:
    """The core's fields in the model's words."""

    def tally(counts: list[int]) -> dict[str, int]:
        return {piece: count for piece, count in zip(table.pieces, counts, strict=True) if count}

    def piece(number: int) -> str | None:
        return None if number == NOTHING else table.pieces[number]

    full = fields["full"]
    public = [table.public[card] for card in fields["public"] if card != NOTHING]
    advanced = [table.advanced[card] for card in fields["advanced"] if card != NOTHING]
    return {
        "bag": tally(fields["bag"]),
        "removed": tally(fields["removed"]),
        "clusters": [[piece(each) for each in cluster] for cluster in fields["clusters"]],
        "figures": fields["figures"],
        "supernova": piece(fields["supernova"]),
        "observatory": [tally(counts) for counts in fields["observatory"]],
        "galaxy": [[piece(each) for each in galaxy] for galaxy in fields["galaxy"]],
        "holes": fields["holes"],
        "indicator": fields["indicator"],
        "markers": dict(zip(public, fields["markers"], strict=False)),
        "values": {
            "color": dict(zip(table.colors, fields["color_values"], strict=True)),
            "constellation": dict(zip(table.constellations, fields["constellation_values"], strict=True)),
            "advanced": dict(zip(advanced, fields["advanced_values"], strict=False)),
        }
        if full
        else None,
        "seat": fields["seat"],
        "round": fields["round"],
    }


def check_fields(table: Table, fields: Any, model: Model) -> None:
    """Compare all fields at a decision or at the end."""
    assert in_names(table, fields) == model.snapshot()
    assert fields["took_supernova"] == model.took_supernova
    assert fields["placed"] == sorted(table.pieces.index(piece) for piece in model.placed)
    assert fields["drawn"] == table.tally(model.drawn)
    for hand, player in zip(fields["personal"], model.players, strict=True):
        cards = [table.personal[card] for card in hand]
        assert sorted(cards) == sorted(player.dealt)
        assert player.kept in (None, cards[0])


def compare_game(table: Table, players: int, full: bool, random: Random) -> None:
    """Play one random game with both."""
    game, rules = table.game, table.rules
    model = Model(table.edition, players, full)
    state = rules.new(players, full)
    while model.request is not None:
        assert not state.finished
        assert rules.unpack(state.pack()) == state
        if isinstance(model.request, Chance):
            assert state.seat is None
            assert table.chances(state) == model.request.options
            weights = list(model.request.options.values())
            text = random.choices(list(model.request.options), weights)[0]
        else:
            assert isinstance(model.request, Decision)
            assert state.seat == model.request.seat
            assert sorted(table.legal(state)) == sorted(model.request.options)
            if random.random() < ESTIMATED:
                assert state.estimate() == promises(model)
            fields = rules.fields(state)
            check_fields(table, fields, model)
            assert rules.from_fields(fields) == state
            assert fields["phase"] == PHASES[model.request.options[0].split()[0]]
            if fields["phase"] == Phase.TURN:
                assert game.snapshot(state) == model.snapshot()
                assert game.breakdown(state) == model.scores()
            # Rare things happen more often this way: black holes, three stars, long turns.
            rare = [text for text in model.request.options if text.startswith(("place black_hole", "chaos"))]
            long = [text for text in model.request.options if text not in ("stop", "decline")]
            text = random.choice(rare if rare and random.random() < 0.2 else long or model.request.options)
            if random.random() < 0.1:
                text = random.choice(model.request.options)
        state = table.play(state, text)
        model.answer(text)
    assert state.finished
    check_fields(table, rules.fields(state), model)
    assert game.snapshot(state) == model.snapshot()
    assert game.breakdown(state) == model.scores()
    points, shares = state.outcome()
    assert points == [score["total"] for score in model.scores()]
    winners = model.winners()
    assert shares == pytest.approx([1 / len(winners) if seat in winners else 0 for seat in range(players)])


@pytest.mark.parametrize("path", RECORDED, ids=[path.stem for path in RECORDED])
def test_the_model_agrees_with_the_recorded_games(table: Table, path: Path) -> None:
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    model = Model(table.edition, head["players"], head["variant"] == "full")
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


@pytest.mark.parametrize("full", [True, False], ids=["full", "basic"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_standard_games(table: Table, players: int, full: bool, seed: int) -> None:
    random = Random(f"{seed} {players} {full}")
    for _ in range(STANDARD_GAMES):
        compare_game(table, players, full, random)


@pytest.mark.parametrize("number", range(ODD_EDITIONS))
def test_odd_editions(number: int, seed: int, tmp_path: Path) -> None:
    random = Random(f"{seed} {number}")
    table = Table(write(odd(random), tmp_path / "edition.toml"))
    for players in table.game.players:
        compare_game(table, players, random.random() < 0.7, random)
