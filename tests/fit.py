"""Whether counts fit the probabilities that they should come from: Pearson's chi-square test."""

from collections.abc import Hashable, Mapping
from math import sqrt
from typing import TypeVar

Outcome = TypeVar("Outcome", bound=Hashable)

DEVIATIONS = 5
"""Standard deviations that a statistic may lie too high: a fair source goes beyond once in three million tests."""


def assert_fits(counts: Mapping[Outcome, int], weights: Mapping[Outcome, int]) -> None:
    """Fail unless `counts` of draws look like independent ones with these weights. Expect 5 or more of each outcome."""
    assert counts.keys() <= weights.keys(), f"impossible outcomes: {counts.keys() - weights.keys()}"
    draws, total = sum(counts.values()), sum(weights.values())
    statistic = 0.0
    for outcome, weight in weights.items():
        expected = draws * weight / total
        assert expected >= 5, "too few draws to tell"
        statistic += (counts.get(outcome, 0) - expected) ** 2 / expected
    freedom = len(weights) - 1
    if freedom == 0:
        return
    # Wilson and Hilferty: the cube root of chi-square over its degrees of freedom is close to normal.
    spread = 2 / (9 * freedom)
    deviations = ((statistic / freedom) ** (1 / 3) - (1 - spread)) / sqrt(spread)
    assert deviations < DEVIATIONS, f"chi-square {statistic:.1f} with {freedom} degrees of freedom"
