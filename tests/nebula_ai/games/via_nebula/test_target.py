"""What a chance event is for is said in the order in which the rules let things happen."""

import pytest

from nebula_ai.errors import NoChancePending
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_core.face import Generator
from tests.nebula_core.via_nebula.positions import Table


@pytest.fixture(scope="module")
def game() -> ViaNebulaGame:
    return ViaNebulaGame.load(None)


def test_the_setup_names_each_thing_in_its_order(game: ViaNebulaGame) -> None:
    state = game.start(3, "beginner")
    generator = Generator(4)
    targets = []
    while state.chance_pending:
        targets.append(game.chance_target(state))
        state = state.resolve(state.chances()[generator.below(len(state.chances()))][0])
    special, *hexes = targets[:25]
    assert special == "special token 1 of 1 that goes back to the box"
    assert hexes[:3] == ["hex 0,0", "hex 0,2", "hex 0,4"]
    at = [tuple(map(int, target.removeprefix("hex ").split(","))) for target in hexes]
    assert at == sorted(set(at))
    private = [f"private contract {number} of 2 for seat {seat}" for seat in range(3) for number in (1, 2)]
    assert targets[25:] == private + [f"open contract {number} of 4" for number in (1, 2, 3, 4)]


def test_an_unknown_private_contract_counts_as_dealt(game: ViaNebulaGame) -> None:
    state = game.start(2, "beginner")
    while "private" not in game.chance_target(state):
        state = state.resolve(state.chances()[0][0])
    for _ in range(3):
        unknown = game.unknown_outcome(state)
        assert unknown is not None
        assert game.format_chance(state, unknown) == "private unknown"
        state = state.resolve(unknown)
    assert game.chance_target(state) == "private contract 2 of 2 for seat 1"


def test_cards_in_the_game(game: ViaNebulaGame) -> None:
    table = Table()
    state = table.position(sites=[{0: ("1,1", ["wood", "stone", "pig"])}], open=["N13", "N01", "N02", "N03"])
    state = game.from_json(game.to_json(game.rules.unpack(table.play(state, "build 0 N13").pack())))
    assert game.chance_target(state) == "open contract 1"
    assert game.unknown_outcome(state) is None


def test_no_target_without_a_chance_event(game: ViaNebulaGame) -> None:
    state = game.new(2, seed=1)
    with pytest.raises(NoChancePending):
        game.chance_target(state)
    with pytest.raises(NoChancePending):
        game.unknown_outcome(state)
