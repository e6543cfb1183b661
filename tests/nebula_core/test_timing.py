"""The loops that benchmarks time: that they do what they are timed for. How fast they are is no test's business."""

import pytest

import nebula_ai
from nebula_core import timing
from nebula_core.errors import ChancePending, GameFinished, LimitError
from nebula_core.face import Generator, State


@pytest.fixture(scope="module")
def start() -> State:
    """A game of two after its setup."""
    return nebula_ai.load().new(2, seed=1)


def walk(state: State, seed: int) -> list[State]:
    """The states of one random game, the last one finished."""
    generator = Generator(seed)
    states = [state]
    while not states[-1].finished:
        states.append(states[-1].apply(states[-1].random_move(generator)).settle(generator)[0])
    return states


@pytest.fixture(scope="module")
def last(start: State) -> State:
    """A position in which any move ends the game, with no chance event before its end."""
    for seed in range(100):
        before = walk(start, seed)[-2]
        if all(before.apply(move).finished for move in before.legal_moves()):
            return before
    raise AssertionError("no such game")


@pytest.fixture(scope="module")
def finished(start: State) -> State:
    """A game that is over."""
    return walk(start, 1)[-1]


def test_playouts_count_decisions(start: State, last: State) -> None:
    assert timing.playouts(last, 7, seed=1) == 7
    one = timing.playouts(start, 1, seed=1)
    many = timing.playouts(start, 100, seed=1)
    # Both begin with the same game, and the others are games of their own.
    assert one < many != 100 * one
    assert timing.playouts(start, 100, seed=1) == many != timing.playouts(start, 100, seed=2)


def test_playouts_leave_the_state_alone(start: State) -> None:
    before = start.pack()
    timing.playouts(start, 10, seed=1)
    assert start.pack() == before


def test_playouts_draw_what_is_unknown_or_pending(start: State) -> None:
    timing.playouts(start.observe(1), 10, seed=1)
    timing.playouts(nebula_ai.load().start(2), 10, seed=1)


def test_copies_count_bytes(start: State) -> None:
    assert timing.copies(start, 1000) == 1000 * timing.copies(start, 1)
    assert 0 < timing.copies(start, 1) <= 512


def test_lists_count_moves(start: State) -> None:
    assert timing.legal_lists(start, 3) == 3 * len(start.legal_moves())


def test_no_moves_are_refused(finished: State) -> None:
    with pytest.raises(GameFinished):
        timing.playouts(finished, 1, seed=1)
    with pytest.raises(GameFinished):
        timing.legal_lists(finished, 1)
    with pytest.raises(ChancePending):
        timing.legal_lists(nebula_ai.load().start(2), 1)


@pytest.mark.parametrize("count", [-1, 0, 2**32])
def test_counts_out_of_range_are_refused(start: State, count: int) -> None:
    with pytest.raises(LimitError, match="count"):
        timing.playouts(start, count, seed=1)
    with pytest.raises(LimitError, match="count"):
        timing.copies(start, count)
    with pytest.raises(LimitError, match="count"):
        timing.legal_lists(start, count)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range_are_refused(start: State, seed: int) -> None:
    with pytest.raises(LimitError, match="seed"):
        timing.playouts(start, 1, seed=seed)
