"""Ratings of bots from the games of the arena: how strong each is, and how sure that is.

The model is Plackett and Luce's: in a game each seat wins in proportion to the strength of its bot, so that copies of
one bot are equal and a game of two is the model of Bradley and Terry. A rating is 400 * log10(strength), as Elo counts,
so that 200 points more win 76 % of the games of two. Seats have no advantage of their own in the model: the arena
lets each bot play each setup from every seat. Knows no game by name, and needs the extra `rate`.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations, pairwise

import choix
import numpy as np
from numpy.typing import NDArray

from nebula_ai.arena.results import Results
from nebula_ai.arena.statistics import units
from nebula_ai.errors import InvalidInput, listed, shown, unknown_word

ANCHOR = "random"
"""The bot whose rating is 0, unless another one is chosen."""

POINTS = 400 / math.log(10)
"""Rating points of a factor e in strength."""

SAME = ("edition", "edition_hash", "engine_version", "bench_signature")
"""Fields of the header that have to be equal where ratings are of one game."""

RESAMPLES = 1000
SEED = 1
"""Of the resampling: equal games, equal intervals."""
COVERAGE = (2.5, 97.5)
"""Per cent of the resampled ratings below an interval's ends: it covers 95 %."""

PRECISION = 1e-6
"""Of the logarithms of strengths: less than a thousandth of a point."""
MAX_ROUNDS = 10_000
"""Of the fit, which takes about ten."""


@dataclass(frozen=True, slots=True)
class Setup:
    """The games of one setup of two bots, as the arena plays it once with the challenger in every seat.

    It is one observation: what a lucky deal gives is in all of its games.
    """

    bots: tuple[str, ...]
    """The names of the bots at the table: the challenger, then as many copies of the other as there are other seats."""
    won: tuple[float, float]
    """The shares of the wins of the challenger and of all copies of the other, added up over the games."""
    variant: str
    seed: int
    """Of the run."""
    number: int
    """Which setup of the run it is."""

    @property
    def key(self) -> tuple[tuple[str, ...], str, int, int]:
        """What tells this setup from all others; equal ones are one that was given twice."""
        return self.bots, self.variant, self.seed, self.number

    @property
    def games(self) -> int:
        """How many games it has: one for each seat of the challenger."""
        return len(self.bots)


@dataclass(frozen=True, slots=True)
class Rating:
    """What is known of one bot's strength, in points above the anchor."""

    bot: str
    rating: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the 95 % interval."""
    setups: int
    """How many setups it has played."""
    games: int


@dataclass(frozen=True, slots=True)
class Ratings:
    """The ratings of the bots of one game, and what they rest on."""

    game: str
    anchor: str
    engine_version: str
    bench_signature: str
    players: tuple[int, ...]
    """The numbers of players of the games, ascending."""
    setups: int
    games: int
    bots: list[Rating]
    """Strongest first."""


def rate_results(results: Sequence[Results], anchor: str = ANCHOR) -> list[Ratings]:
    """The ratings for each game that these results of the arena are of, in the order in which the games come up.

    Setups of which not every game was played do not count. Raises InvalidInput as `rate` does, and naming the field in
    which two runs of one game differ so that a bot's name would stand for two bots.
    """
    by_game: dict[str, list[Results]] = {}
    for one in results:
        by_game.setdefault(one.header.game, []).append(one)
    found = []
    for game, runs in by_game.items():
        first = runs[0].header
        hashes: dict[str, str] = {}
        for run in runs:
            for field in SAME:
                here, there = getattr(first, field), getattr(run.header, field)
                if here != there:
                    raise InvalidInput(field, f"the results of {game} are of {shown(here)} and of {shown(there)}")
            for bot, settings_hash in zip(run.header.bots, run.header.settings_hashes, strict=True):
                if hashes.setdefault(bot, settings_hash) != settings_hash:
                    raise InvalidInput("settings_hashes", f"the results of {game} are of {bot} with different settings")
        setups = [setup for run in runs for setup in setups_of(run)]
        try:
            bots = rate(setups, anchor)
        except InvalidInput as error:
            raise InvalidInput(error.field, f"{error.reason} (in the results of {game})") from None
        found.append(
            Ratings(
                game=game,
                anchor=anchor,
                engine_version=first.engine_version,
                bench_signature=first.bench_signature,
                players=tuple(sorted({len(setup.bots) for setup in setups})),
                setups=len(setups),
                games=sum(setup.games for setup in setups),
                bots=bots,
            )
        )
    return found


def setups_of(results: Results) -> list[Setup]:
    """The complete setups of a run."""
    header = results.header
    found = []
    for (challenger, other), shares in units(header, results.records).items():
        bots = (header.bots[challenger], *[header.bots[other]] * (header.players - 1))
        for setup, share in shares.items():
            won = share * header.players
            found.append(Setup(bots, (won, header.players - won), header.variant(setup), header.seed, setup))
    return found


def rate(setups: Iterable[Setup], anchor: str = ANCHOR) -> list[Rating]:
    """The ratings of all bots in these setups of one game, strongest first; their order does not matter.

    Every pair of bots that met gets one shared win of two players more than was played, so that a bot which never loses
    has a rating too. The intervals are those of a weighted likelihood bootstrap (Newton and Raftery 1994): each of
    `RESAMPLES` fits gives every setup, and every shared win that was added, a random weight of mean 1 (exponential).

    Raises InvalidInput: field ``anchor`` for a bot that played no game, ``bots`` for bots that no games connect with
    it, ``setups`` for a setup given twice.
    """
    played = sorted(setups, key=lambda setup: setup.key)
    check_keys(played)
    bots = sorted({bot for setup in played for bot in setup.bots})
    check_connected(played, bots, anchor)

    pairs = sorted({(one, other) for setup in played for one, other in combinations(sorted(set(setup.bots)), 2)})
    weighed = [*played, *(Setup(pair, (0.5, 0.5), "", 0, 0) for pair in pairs)]
    tables = sorted({tuple(sorted(setup.bots)) for setup in weighed})
    index = {bot: number for number, bot in enumerate(bots)}
    counts = np.array([[table.count(bot) for bot in bots] for table in tables], dtype=float)
    table_of = np.array([tables.index(tuple(sorted(setup.bots))) for setup in weighed])
    shares = np.zeros((len(weighed), len(bots)))
    for row, setup in zip(shares, weighed, strict=True):
        row[index[setup.bots[0]]] += setup.won[0]
        row[index[setup.bots[-1]]] += setup.won[1]

    def fitted(weights: NDArray[np.float64], start: NDArray[np.float64]) -> NDArray[np.float64]:
        """The logarithms of the strengths if the setups have these weights."""
        wins = np.zeros_like(counts)
        np.add.at(wins, table_of, weights[:, np.newaxis] * shares)
        return strengths(counts, wins, start)

    best = fitted(np.ones(len(weighed)), np.zeros(len(bots)))
    random = np.random.default_rng(SEED)
    others = np.array([fitted(random.exponential(size=len(weighed)), best) for _ in range(RESAMPLES)])
    zero = index[anchor]
    ratings = POINTS * (best - best[zero])
    low, high = np.percentile(POINTS * (others - others[:, [zero]]), COVERAGE, axis=0)
    found = [
        Rating(
            bot=bot,
            rating=float(ratings[number]),
            # The interval holds the rating; only with very few setups would the fits leave it outside.
            low=float(min(low[number], ratings[number])),
            high=float(max(high[number], ratings[number])),
            setups=sum(bot in setup.bots for setup in played),
            games=sum(setup.games for setup in played if bot in setup.bots),
        )
        for number, bot in enumerate(bots)
    ]
    return sorted(found, key=lambda rating: (-rating.rating, rating.bot))


def strengths(
    counts: NDArray[np.float64], wins: NDArray[np.float64], start: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The logarithms of the most likely strengths, with mean 0.

    A row of `counts` says how often each bot sits at one kind of table, the row of `wins` how often each won there.
    The search begins at `start`. Every bot has to win and to lose against others somewhere.

    The fit is iterative Luce spectral ranking (Maystre and Grossglauser 2015). choix.ilsr_top1 takes one whole win at a
    time, which would be too slow for resampling, and knows no parts of wins; so the tables are added up here to the
    equivalent matrix of comparisons at the present strengths, and each round is choix's. The result is the same
    (a test compares). choix.opt_top1 does not do: with copies of a bot in one game its gradient is wrong (choix 0.4.1).
    """
    found = start
    for _ in range(MAX_ROUNDS):
        weights = np.exp(found)
        per_seat = wins / (counts @ weights)[:, np.newaxis]
        comparisons = (per_seat.T @ counts) * (weights[:, np.newaxis] + weights)
        before, found = found, choix.lsr_pairwise_dense(comparisons, initial_params=found)
        if np.abs(found - before).max() < PRECISION:
            return found
    raise ArithmeticError(f"the fit of the ratings does not converge in {MAX_ROUNDS:,} rounds")


def check_keys(setups: Sequence[Setup]) -> None:
    """Refuses a setup that is there twice; they are sorted by key. Raises InvalidInput (field ``setups``)."""
    for one, other in pairwise(setups):
        if one.key == other.key:
            raise InvalidInput(
                "setups", f"a setup of {one.bots[0]} against {one.bots[-1]} is there twice (was a file given twice?)"
            )


def check_connected(setups: Sequence[Setup], bots: Sequence[str], anchor: str) -> None:
    """Refuses bots whose strength cannot be compared with the anchor's. Raises InvalidInput (``anchor``, ``bots``)."""
    if anchor not in bots:
        why = f"no game is of this bot: {unknown_word(anchor, bots)}" if bots else "there are no games"
        raise InvalidInput("anchor", why)
    reached = {anchor}
    while more := {bot for setup in setups if reached & set(setup.bots) for bot in setup.bots} - reached:
        reached |= more
    apart = [bot for bot in bots if bot not in reached]
    if apart:
        raise InvalidInput("bots", f"no games connect {listed(apart)} with {anchor}")
