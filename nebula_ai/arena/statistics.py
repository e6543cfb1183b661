"""What the results of the arena mean: shares of the wins, with their intervals.

The games of a setup begin with the same deals, and their results depend on each other: a setup, played from every seat,
is one observation.
"""

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from nebula_ai.arena.results import Header, Record

Z = statistics.NormalDist().inv_cdf(0.975)
"""Standard errors on each side of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean share, 0 to 1, and its 95 % interval."""

    mean: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PairResult:
    """How a challenger did against another bot."""

    pair: tuple[int, int]
    """Both as indices into the header's bots."""
    setups: int
    """Setups of which every game was played; the others do not count."""
    games: int
    """In these setups."""
    share: Estimate | None
    """The challenger's mean share of the win in a game; None without a setup."""


def estimate(units: Sequence[float]) -> Estimate:
    """Mean and interval of independent observations from 0 to 1, at least one.

    It is Wilson's interval for a proportion, which also holds for a few observations and near 0 and 1, with as many
    trials as would vary like the observations. If these are all alike each of them is a trial.
    """
    mean = min(max(statistics.fmean(units), 0.0), 1.0)
    variance = statistics.variance(units) if len(units) > 1 else 0.0
    trials = len(units) * mean * (1 - mean) / variance if variance else len(units)
    centre = (mean + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z * (mean * (1 - mean) / trials + (Z / (2 * trials)) ** 2) ** 0.5 / (1 + Z**2 / trials)
    # The interval holds the mean; only rounding could leave it outside.
    return Estimate(mean, min(max(centre - half, 0.0), mean), max(min(centre + half, 1.0), mean))


def units(header: Header, records: Iterable[Record]) -> dict[tuple[int, int], dict[int, float]]:
    """For each pair and each setup of which every game was played, the challenger's mean share of the wins."""
    shares: dict[tuple[int, int], dict[int, list[float]]] = {pair: {} for pair in header.pairs}
    for record in records:
        pair, setup, seat = record.fixture
        shares[pair].setdefault(setup, []).append(record.shares[seat])
    return {
        pair: {
            setup: statistics.fmean(games) for setup, games in sorted(setups.items()) if len(games) == header.players
        }
        for pair, setups in shares.items()
    }


def pair_results(header: Header, records: Iterable[Record]) -> list[PairResult]:
    """How each pair did, in the order of the header's pairs."""
    return [
        PairResult(
            pair=pair,
            setups=len(setups),
            games=len(setups) * header.players,
            share=estimate(list(setups.values())) if setups else None,
        )
        for pair, setups in units(header, records).items()
    ]
