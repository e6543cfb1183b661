"""Chance: what may come, how often it comes, and what is refused."""

from collections import Counter
from itertools import pairwise

import pytest

from nebula_ai.game import UNKNOWN
from nebula_core.errors import ChanceError, NoChancePending
from nebula_core.face import Generator, State
from tests.conformance.cases import Case, spread
from tests.fit import assert_fits

WALKS = 2


def pending(case: Case, seed: int) -> list[State]:
    """The states of one random game in which a chance event is pending."""
    return [state for state in case.walk(Generator(seed, 10)) if state.chance_pending]


def test_outcomes_are_ascending_and_have_weights(case: Case, seed: int) -> None:
    generator = Generator(seed, 11)
    for _ in range(WALKS):
        for state in case.walk(generator):
            if not state.chance_pending:
                continue
            chances = state.chances()
            assert 1 <= len(chances) <= 512
            assert all(one < other for (one, _), (other, _) in pairwise(chances))
            assert all(weight >= 1 for _, weight in chances)


def test_settling_comes_to_a_decision_or_the_end(case: Case, seed: int) -> None:
    for state in pending(case, seed):
        settled, outcomes = state.settle(Generator(seed))
        assert not settled.chance_pending
        assert outcomes
        for outcome in outcomes:
            assert state.chance_pending
            state = state.resolve(outcome)
        assert state == settled


def test_settling_where_no_chance_is_pending_changes_nothing(case: Case, decisions: list[State]) -> None:
    generator = Generator(1)
    for state in spread(decisions, 10):
        assert state.settle(generator) == (state, [])
        with pytest.raises(NoChancePending):
            state.chances()
        with pytest.raises(NoChancePending):
            state.resolve(0)
    assert generator.below(2**32 - 1) == Generator(1).below(2**32 - 1), "it draws no number either"


def test_outcomes_come_as_often_as_their_weights_say(case: Case) -> None:
    generator = Generator(3)
    # The last pending events of a game are settled fast, the first ones lead through the whole setup.
    for state in spread(pending(case, 3), 30):
        weights = dict(state.chances())
        draws = 8 * sum(weights.values())
        counts = Counter(state.settle(generator)[1][0] for _ in range(draws))
        assert_fits(counts, weights)


def test_an_impossible_outcome_is_refused(case: Case, seed: int) -> None:
    states = pending(case, seed)
    anything = {outcome for state in states for outcome, _ in state.chances()}
    for state in spread(states, 30):
        possible = {outcome for outcome, _ in state.chances()}
        near = {number for outcome in possible for number in (outcome - 1, outcome + 1)}
        for number in (anything | near | {-1, 0, 2**32 - 1, 2**32}) - possible:
            with pytest.raises(ChanceError) as refused:
                state.resolve(number)
            assert refused.value.field == "outcome"


def test_an_outcome_has_one_text(case: Case, seed: int) -> None:
    for state in spread(pending(case, seed), 60):
        outcomes = [outcome for outcome, _ in state.chances()]
        texts = [case.game.format_chance(state, outcome) for outcome in outcomes]
        assert len(set(texts)) == len(outcomes)
        assert [case.game.parse_chance(state, text) for text in texts] == outcomes


def test_what_a_chance_event_is_for_is_said(case: Case, seed: int, decisions: list[State]) -> None:
    for state in pending(case, seed):
        target = case.game.chance_target(state)
        assert 0 < len(target) <= 60
        assert target.isprintable()
        # Seats see it as well: it says nothing of what came up.
        assert all(case.game.chance_target(state.observe(seat)) == target for seat in range(case.players))
    for state in (*spread(decisions, 5), next(state for state in case.walk(Generator(seed)) if state.finished)):
        with pytest.raises(NoChancePending):
            case.game.chance_target(state)


def test_what_came_up_may_be_unknown_where_it_may_be_hidden(case: Case, seed: int, decisions: list[State]) -> None:
    found = set()
    for state in pending(case, seed):
        unknown = case.game.unknown_outcome(state)
        found.add(unknown)
        if unknown is not None:
            assert unknown not in [outcome for outcome, _ in state.chances()]
            text = case.game.format_chance(state, unknown)
            assert UNKNOWN in text.split()
            assert case.game.parse_chance(state, text) == unknown
            assert state.resolve(unknown) != state
    assert len(found) > 1
    with pytest.raises(NoChancePending):
        case.game.unknown_outcome(decisions[0])


def test_equal_seeds_deal_equal_games(case: Case) -> None:
    games = [case.game.new(case.players, case.variant, seed=seed) for seed in range(20)]
    assert games == [case.game.new(case.players, case.variant, seed=seed) for seed in range(20)]
    assert len(set(games)) == 20
    assert all(state.seat is not None for state in games)
