"""What searches may make playouts of: sensible moves, and estimates of positions that are not finished."""

from dataclasses import replace
from itertools import product

import pytest

from nebula_ai.registry import GAMES
from nebula_ai.search import Limits, search
from nebula_core.errors import CardUnknown, ChancePending, GameFinished
from nebula_core.face import Generator, State
from nebula_core.search.tree import Parameters
from tests.conformance.cases import CASES, MOST_DECISIONS, Case, same_but_hidden, spread

PLAYED = 3
DUELS = 20
"""Of each variant and number of players."""
FEW_TURNS = Parameters(playout_turns=2, playout_choices=1)


def sensible_game(case: Case, seed: int) -> list[State]:
    """Every state of a game in which all seats make sensible moves, but for those in which chance is pending."""
    generator = Generator(seed, 50)
    state, _ = case.start().settle(generator)
    found = [state]
    while not state.finished:
        assert len(found) <= MOST_DECISIONS, "the game does not end"
        state, _ = state.apply(state.sensible_move(generator)).settle(generator)
        found.append(state)
    return found


def next_number(generator: Generator) -> int:
    """A number that tells whether two generators have drawn as often as each other."""
    return generator.below(2**32 - 1)


def check_sensible(state: State, seed: int) -> None:
    """Fail unless the sensible moves of this state are legal, and equal generators draw them alike."""
    one, other = Generator(seed), Generator(seed)
    legal = state.legal_moves()
    for _ in range(4):
        move = state.sensible_move(one)
        assert move in legal
        assert move == state.sensible_move(other)
    assert next_number(one) == next_number(other)


def test_a_sensible_move_is_legal_and_depends_on_state_and_generator_alone(
    case: Case, seed: int, decisions: list[State]
) -> None:
    for number, state in enumerate(decisions):
        before = state.pack()
        check_sensible(state, number)
        assert state.pack() == before
        assert state.seat is not None
        check_sensible(state.observe(state.seat), number)
        check_sensible(state.observe((state.seat + 1) % case.players), number)


def test_games_of_sensible_moves_end(case: Case, seed: int) -> None:
    games = [sensible_game(case, seed + number) for number in range(PLAYED)]
    for states in games:
        points, shares = states[-1].outcome()
        assert len(points) == case.players
        assert sum(shares) == pytest.approx(1)
        for number, state in enumerate(states[:-1]):
            check_sensible(state, number)
    assert sensible_game(case, seed) == games[0]
    assert games[0] != games[1]


@pytest.mark.parametrize("name", GAMES)
def test_who_makes_sensible_moves_beats_who_makes_any(name: str) -> None:
    """One seat among others that move at random, in all variants together: always the same games."""
    won = fair = 0.0
    for case, number in product((case for case in CASES if case.game.name == name), range(DUELS)):
        generator, sensible = Generator(number, 53), number % case.players
        state, _ = case.start().settle(generator)
        while not state.finished:
            move = state.sensible_move(generator) if state.seat == sensible else state.random_move(generator)
            state, _ = state.apply(move).settle(generator)
        won += state.outcome()[1][sensible]
        fair += 1 / case.players
    assert won > 1.1 * fair


def test_an_estimate_is_a_number_of_sixteenths_for_each_seat(case: Case, seed: int, decisions: list[State]) -> None:
    some = set()
    for state in (*decisions, *sensible_game(case, seed)[:-1]):
        estimate = state.estimate()
        assert len(estimate) == case.players
        assert all((16 * number).is_integer() for number in estimate)
        assert estimate == state.estimate()
        some.update(estimate)
    assert any(not number.is_integer() for number in some), "nothing was begun: the test says nothing"


def test_what_a_seat_is_promised_rests_on_what_it_sees(case: Case, decisions: list[State], seed: int) -> None:
    differing = 0
    for number, state in enumerate(spread(decisions, 40)):
        for seat in range(case.players):
            sample = same_but_hidden(state, seat, seed + number)
            differing += sample != state
            assert sample.estimate()[seat] == state.estimate()[seat]
    assert differing, "no two of these states differed: the test says nothing"


def test_estimates_of_what_seats_see(case: Case, decisions: list[State]) -> None:
    """Of a state with unknown cards there is an estimate or a refusal, whatever the hidden ones are."""
    for state in spread(decisions, 40):
        for seat in range(case.players):
            seen = state.observe(seat)
            other = state.determinize(seat, Generator(seat)).observe(seat)
            try:
                estimate = seen.estimate()
            except CardUnknown:
                with pytest.raises(CardUnknown):
                    other.estimate()
            else:
                assert other.estimate() == estimate
                assert estimate[seat] == state.estimate()[seat]


def test_nothing_is_drawn_or_estimated_where_it_cannot_be(case: Case, decisions: list[State], seed: int) -> None:
    *_, last = case.walk(Generator(seed, 51))
    pending = next(state for state in case.walk(Generator(seed, 52)) if state.chance_pending)
    assert len(last.estimate()) == case.players
    for state in (pending, case.start()):
        with pytest.raises(ChancePending):
            state.estimate()
    for state, error in ((last, GameFinished), (pending, ChancePending), (case.start(), ChancePending)):
        generator = Generator(1)
        with pytest.raises(error):
            state.sensible_move(generator)
        assert next_number(generator) == next_number(Generator(1))


def test_hidden_truth_never_changes_a_search_that_estimates(case: Case, decisions: list[State], seed: int) -> None:
    differing = 0
    for number, state in enumerate(spread(decisions, 12)):
        assert state.seat is not None
        other = same_but_hidden(state, state.seat, seed + number)
        differing += other != state
        found = [
            replace(
                search(root, Limits(simulations=100), seed=number, workers=1 + number % 2, parameters=FEW_TURNS),
                seconds=0.0,
            )
            for root in (state, other, state.observe(state.seat))
        ]
        assert found[0] == found[1] == found[2]
    assert differing, "no two of these states differed: the test says nothing"


@pytest.mark.parametrize("choices", [0, 1, 3])
def test_cut_playouts_are_shorter_and_uncut_ones_are_as_ever(case: Case, decisions: list[State], choices: int) -> None:
    state = decisions[len(decisions) // 3]
    results = [
        replace(
            search(
                state,
                Limits(simulations=40),
                decided=False,
                parameters=Parameters(playout_turns=turns, playout_choices=choices),
            ),
            seconds=0.0,
            parameters_hash="",
            estimated=False,
        )
        for turns in (1, 3, 0, 1000)
    ]
    assert results[0].plies < results[1].plies < results[2].plies
    assert results[2] == results[3]
