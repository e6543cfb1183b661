"""Plays two sets of search parameters against each other and says how large the difference is, with its interval.

    python -m benchmarks.match --game nebula --players 2 --time 0.01 --setups 200 --challenger exploration=0.4

The challenger plays every setup once from each seat; the other seats belong to the others: what a lucky deal gives,
each of them gets. Setups and chance have random streams of their own, which no search touches. Parameters that are not
named have their defaults.
"""

import math
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import typer
from rich.console import Console
from rich.progress import track

from benchmarks.measure import available_cores
from nebula_ai import Generator, Limits, load, search
from nebula_ai.registry import GAMES
from nebula_core.search.tree import Parameters

# Streams of a setup's seed: one for its chance events, and one for each game and seat that searches in it.
CHANCE_STREAM = 0
SEARCH_STREAM = 1


@dataclass(frozen=True, slots=True)
class Match:
    """Who plays what, on which budget."""

    game: str
    variant: str
    players: int
    limits: Limits
    challenger: dict[str, float]
    others: dict[str, float]
    seed: int


def play(match: Match, setup: int, seat: int) -> float:
    """The challenger's share of the win in one game of a setup, playing at `seat`."""
    game = load(match.game)
    chance = Generator(match.seed + setup, CHANCE_STREAM)
    searches = Generator(match.seed + setup, SEARCH_STREAM + seat)
    parameters = [Parameters(**(match.challenger if one == seat else match.others)) for one in range(match.players)]
    state, _ = game.start(match.players, match.variant).settle(chance)
    while (mover := state.seat) is not None:
        seed = searches.below((1 << 32) - 1)
        result = search(state, match.limits, seed=seed, parameters=parameters[mover])
        state, _ = state.apply(result.move).settle(chance)
    return state.outcome()[1][seat]


def play_setup(match: Match, setup: int) -> float:
    """The challenger's mean share over the games of a setup, one from each seat."""
    return statistics.fmean(play(match, setup, seat) for seat in range(match.players))


def interval(shares: Sequence[float]) -> tuple[float, float]:
    """Mean and half the width of its 95 % interval (normal approximation); a setup is one observation."""
    return statistics.fmean(shares), 1.96 * statistics.stdev(shares) / math.sqrt(len(shares))


def parse(words: Sequence[str]) -> dict[str, float]:
    """Parameters from ``name=value``."""
    try:
        return {name: float(value) for name, _, value in (word.partition("=") for word in words)}
    except ValueError:
        raise typer.BadParameter("parameters are written name=value") from None


def main(
    challenger: Annotated[list[str] | None, typer.Option(help="A parameter of the challenger, as NAME=VALUE.")] = None,
    others: Annotated[list[str] | None, typer.Option(help="A parameter of the others, as NAME=VALUE.")] = None,
    game: Annotated[str, typer.Option(help="Which game.")] = next(iter(GAMES)),
    variant: Annotated[str | None, typer.Option(help="Which variant or map; the default one if left out.")] = None,
    players: Annotated[int, typer.Option(help="How many players.")] = 2,
    time: Annotated[float | None, typer.Option(help="Seconds for each decision.")] = None,
    simulations: Annotated[int | None, typer.Option(help="Simulations for each decision.")] = None,
    setups: Annotated[int, typer.Option(min=2, help="How many setups; each is played once from every seat.")] = 200,
    seed: Annotated[int, typer.Option(help="The first setup's; the others follow.")] = 1,
) -> None:
    """Play two sets of search parameters against each other."""
    match = Match(
        game,
        variant or load(game).variants[0],
        players,
        Limits(time=time, simulations=simulations),
        parse(challenger or ()),
        parse(others or ()),
        seed,
    )
    # As many games at once as there are cores: a search under a time limit must have its core for itself.
    with ProcessPoolExecutor(len(available_cores())) as pool:
        results = pool.map(partial(play_setup, match), range(setups))
        shares = list(track(results, total=setups, description="setups", console=Console(stderr=True)))
    mean, half = interval(shares)
    print(
        f"{match.game} {match.variant}, {players} players, {setups * players} games: "
        f"the challenger's share of the wins is {mean:.1%} ± {half:.1%} (even: {1 / players:.1%})"
    )


if __name__ == "__main__":
    typer.run(main)
