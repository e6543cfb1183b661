"""The match against OpenSpiel's search: its bot sees our games as they are, and nothing hidden.

Skipped where OpenSpiel, the project's extra `bench`, is not installed.
"""

from pathlib import Path

import numpy as np
import pytest

from nebula_ai.arena import results
from nebula_ai.arena.results import Fixture
from nebula_ai.commands.common import Failure
from nebula_ai.game import Game
from nebula_ai.registry import GAMES, Catalogue
from nebula_ai.search import Limits
from nebula_core.face import Generator, State

pytest.importorskip("pyspiel")

from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from benchmarks import ismcts
from benchmarks.ismcts import IsmctsBot, SpielState

SEED = 5

every_game = pytest.mark.parametrize("game", Catalogue().games, ids=list(GAMES))


def peer(**limits: float) -> IsmctsBot:
    """Their bot with this budget."""
    return IsmctsBot("peer", "", Limits(**limits), ismcts.EXPLORATION)  # type: ignore[arg-type]


def decisions(game: Game, players: int) -> list[State]:
    """Every state of a random game in which a seat decides."""
    generator = Generator(SEED)
    state = game.new(players, seed=SEED)
    states = []
    while not state.finished:
        states.append(state)
        state, _ = state.apply(state.random_move(generator)).settle(generator)
    return states


def two_truths(state: State) -> tuple[State, State]:
    """Two states that the seat to move cannot tell from this one, and which may be different."""
    assert state.seat is not None
    return state.determinize(state.seat, Generator(1)), state.determinize(state.seat, Generator(2))


@every_game
@pytest.mark.parametrize("players", [2, 3, 4])
def test_adaptor_plays_the_game(game: Game, players: int) -> None:
    generator, chance = Generator(SEED), Generator(SEED, 1)
    state = game.new(players, seed=SEED)
    adapted = SpielState(state, Generator(SEED, 1))
    numbers = np.random.RandomState(SEED)
    while not state.finished:
        assert not adapted.is_terminal()
        assert not adapted.is_chance_node()
        assert adapted.current_player() == state.seat
        assert adapted.legal_actions() == state.legal_moves()
        move = state.random_move(generator)
        state, _ = state.apply(move).settle(chance)
        adapted.apply_action(numbers.choice([move]))
        assert adapted.state == state
    assert adapted.is_terminal()
    assert adapted.returns() == state.outcome()[1]


@every_game
def test_playouts_leave_the_state_alone(game: Game) -> None:
    adapted = SpielState(game.new(2, seed=SEED), Generator(SEED))
    before = adapted.state
    # Their own evaluator takes the adaptor as well.
    for evaluator in (ismcts.RandomPlayouts(), RandomRolloutEvaluator(random_state=np.random.RandomState(SEED))):
        assert sum(evaluator.evaluate(adapted)) == 1
        assert [move for move, _ in evaluator.prior(adapted)] == before.legal_moves()
        assert sum(probability for _, probability in evaluator.prior(adapted)) == pytest.approx(1)
    assert adapted.state == before


@every_game
def test_nodes_and_moves_depend_on_what_is_seen(game: Game) -> None:
    different = 0
    for state in decisions(game, 3)[::10]:
        one, other = two_truths(state)
        different += one != other
        keys = {SpielState(truth, Generator(SEED)).information_state_string() for truth in (state, one, other)}
        assert len(keys) == 1
        bot = peer(simulations=10)
        moves = [bot.move(truth, seed=SEED).move for truth in (state, one, other)]
        assert len(set(moves)) == 1
        assert moves[0] in state.legal_moves()
    assert different, "nothing was hidden in any of these states"


@every_game
def test_samples_are_drawn_without_the_truth(game: Game) -> None:
    for state in decisions(game, 2)[::5]:
        assert state.seat is not None
        one, other = (
            SpielState(truth, Generator(SEED)).resample_from_infostate(state.seat, None).state
            for truth in two_truths(state)
        )
        assert one == other
        assert one.observe(state.seat) == state.observe(state.seat)


@every_game
def test_bot_with_a_time_makes_legal_moves(game: Game) -> None:
    for state in decisions(game, 2)[::20]:
        assert peer(time=0.001).move(state).move in state.legal_moves()


@every_game
def test_match_goes_on_and_comes_out_again(game: Game, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    output = tmp_path / "match.jsonl"

    def run() -> str:
        ismcts.main("random", game.name, players=2, setups=1, simulations=10, workers=1, output=output)
        return capsys.readouterr().out

    assert "2 of 2 games" in run()
    whole = output.read_bytes()
    found = results.read(output)
    assert found.header.bots == ("random", "openspiel-ismcts:simulations=10,exploration=1.414")
    assert {record.fixture for record in found.records} == {Fixture((0, 1), 0, seat) for seat in (0, 1)}
    lines = whole.splitlines(keepends=True)
    output.write_bytes(b"".join(lines[:2]))
    run()
    assert output.read_bytes() == whole


def test_budget_is_that_of_both() -> None:
    game = Catalogue().games[0]
    header, bot = ismcts.made_match(game, 2, [game.variants[0]], "strong", Limits(time=0.25), 1, 1, 1)
    assert header.bots == ("strong:time=0.25", "openspiel-ismcts:time=0.25,exploration=1")
    assert bot.limits == Limits(time=0.25)
    with pytest.raises(Failure, match="both bots have the same budget"):
        ismcts.made_match(game, 2, [game.variants[0]], "strong:nodes=5", Limits(time=0.25), 1, 1, 1)
