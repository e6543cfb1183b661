"""Counting all ways to play on: the core's own count against one made through the Python face."""

import pytest

from nebula_core.errors import LimitError
from nebula_core.face import Generator, State
from tests.conformance.cases import Case, spread

MOST_STATES = 4000
"""As many states are looked at for one count; deeper ones are left out."""


class TooMany(Exception):
    """The count would take too long."""


def ways(state: State, depth: int, looked_at: list[State]) -> int:
    """Number of ways to make `depth` decisions, every outcome of chance a way of its own."""
    looked_at.append(state)
    if len(looked_at) > MOST_STATES:
        raise TooMany
    if depth == 0 or state.finished:
        return 1
    if state.chance_pending:
        return sum(ways(state.resolve(outcome), depth, looked_at) for outcome, _ in state.chances())
    return sum(ways(state.apply(move), depth - 1, looked_at) for move in state.legal_moves())


def test_perft(case: Case, seed: int) -> None:
    deepest = 0
    for state in spread(list(case.walk(Generator(seed, 40))), 25):
        for depth in range(17):
            try:
                counted = ways(state, depth, [])
            except TooMany:
                break
            assert state.perft(depth) == counted
            deepest = max(deepest, depth)
            if state.finished and depth == 3:
                break
    assert deepest >= 2


@pytest.mark.parametrize("depth", [-1, 17, 2**40, 1.5, None])
def test_depths_out_of_range(case: Case, depth: int) -> None:
    with pytest.raises(LimitError) as refused:
        case.start().perft(depth)
    assert refused.value.field == "depth"
