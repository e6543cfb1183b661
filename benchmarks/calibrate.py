"""Plays the bots of every game against each other, and writes down how strong they are: `make calibrate`.

    python -m benchmarks.calibrate [--setups N] [--results FOLDER]

Matches of two players make the ratings: nebula_ai/games/<game>/ratings.toml, and docs/ratings.svg. Matches of 3 and 4
players show that each level beats the one below there too. Printed are Markdown tables for docs/strength.md. A run that
was stopped goes on from the files in its folder; what they hold of other bots, setups or engines is left alone.
"""

import statistics
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Annotated

import typer
from rich import box
from rich.console import Console
from rich.table import Table

from nebula_ai import rating, rating_plot
from nebula_ai.arena import results, spread
from nebula_ai.arena.games import dealt, decision_seed, opened, play
from nebula_ai.arena.results import Fixture, Header, Record, Results
from nebula_ai.arena.statistics import Estimate, pair_results
from nebula_ai.bench import checksum
from nebula_ai.bots import LEVELS, Bot, bots_of
from nebula_ai.calibration import RATINGS
from nebula_ai.commands.arena import progressing
from nebula_ai.cores import available_cores
from nebula_ai.game import Game
from nebula_ai.rating import ANCHOR, Ratings
from nebula_ai.registry import GAMES, standard
from nebula_core.face import State

SEED = 1

LADDER = (ANCHOR, *LEVELS)
RUNGS = [(upper, lower) for lower, upper in pairwise(LADDER)]
"""Each level and what is below it."""
FURTHER = [
    # Levels that are two rungs apart: on neighbours alone the errors would add up from the bottom to the top.
    *zip(LADDER[2:], LADDER, strict=False),
    # The yardsticks among themselves, and against levels of about their strength.
    ("greedy", "random"),
    ("flat", "greedy"),
    ("plain", "flat"),
    ("strong", "plain"),
    ("greedy", "novice"),
    ("flat", "apprentice"),
    ("plain", "casual"),
    ("strong", "expert"),
]
MORE_PLAYERS = (3, 4)

DECISIONS = 60
"""Decisions that are timed for each bot."""

ROOT = Path(__file__).parent.parent
PLOT = ROOT / "docs" / "ratings.svg"

# Of the tables, in columns: a Markdown table with a broken line is none.
WIDTH = 150


@dataclass(frozen=True, slots=True)
class Match:
    """Two bots that meet, and the file of their games."""

    header: Header
    path: Path


def matches(game: Game, setups: int, folder: Path) -> list[Match]:
    """All matches of a game, those of two players first. `setups`: of two players; of more half as many."""
    fewer = max(1, setups // 2)
    return [match(game, 2, pair, setups, folder) for pair in RUNGS + FURTHER] + [
        match(game, players, pair, fewer, folder) for players in MORE_PLAYERS for pair in RUNGS
    ]


def match(game: Game, players: int, pair: tuple[str, str], setups: int, folder: Path) -> Match:
    """A match, in all variants of the game."""
    header = results.made_header(game, players, list(game.variants), list(pair), seed=SEED, setups=setups)
    # Another engine, or bots with other settings: another file.
    content = checksum(repr(header))
    return Match(header, folder / f"{game.name}-{players}-{pair[0]}-{pair[1]}-{content}.jsonl")


def play_all(wanted: Sequence[Match], workers: int) -> None:
    """Plays whatever is not in the files yet."""
    left = [
        (match, fixture)
        for match in wanted
        for fixture in results.missing(match.header, results.resume(match.path, match.header))
    ]
    total = sum(match.header.games for match in wanted)
    for match, record in progressing(spread.in_processes(played, left, workers), total - len(left), total):
        results.append(match.path, match.header, record)


def played(task: tuple[Match, Fixture]) -> tuple[Match, Record]:
    """A game of a match, played."""
    match, fixture = task
    return match, play(match.header, None, fixture).record


def milliseconds(found: Iterable[Results], name: str) -> float:
    """How long a bot takes for a decision, in the median: for some that it made in these games, made again on one core.

    Only such with a choice count. They are from all of its matches and all parts of a game.
    """
    games = [
        (one.header, record)
        for one in found
        if name in one.header.bots
        for record in sorted(one.records, key=lambda record: record.fixture)
    ]
    times: list[float] = []
    for number in range(DECISIONS):
        header, record = games[number * len(games) // DECISIONS]
        index = header.bots.index(name)
        choices = list(decisions(header, record, index))
        # Steps of 7, so that not the first matches give the openings and the last ones the ends.
        ply, state = choices[7 * number % DECISIONS * len(choices) // DECISIONS]
        bot = opened(header, None)[1][index]
        seed = decision_seed(header, record.fixture, ply)
        start = time.perf_counter()
        bot.move(state, seed=seed)
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times)


def decisions(header: Header, record: Record, bot: int) -> Iterator[tuple[int, State]]:
    """The decisions with a choice that a bot (its index) made in a game: how many came before, and what it saw."""
    game, _ = opened(header, None)
    seats = header.seats(record.fixture)
    chance, state = dealt(header, game, record.fixture.setup)
    for ply, move in enumerate(record.moves):
        assert state.seat is not None, "the game goes on"
        if seats[state.seat] == bot and len(state.legal_moves()) > 1:
            yield ply, state.observe(state.seat)
        state, _ = state.apply(move).settle(chance)


def as_toml(ratings: Ratings, setups: int, bots: Mapping[str, Bot], times: Mapping[str, float]) -> str:
    """The file of a game's ratings. By name, `bots` has those that are rated, `times` their milliseconds a decision."""
    lines = [
        "# How strong the bots are: written by `make calibrate`, and by nothing else.",
        f'engine_version = "{ratings.engine_version}"',
        f'bench_signature = "{ratings.bench_signature}"',
        f"setups = {setups}",
    ]
    for bot in reversed(ratings.bots):
        lines += [
            "",
            f"[bots.{bot.bot}]",
            f"rating = {round(bot.rating)}",
            f"low = {round(bot.low)}",
            f"high = {round(bot.high)}",
            f"games = {bot.games}",
            f"milliseconds = {short(times[bot.bot])}",
            f'settings_hash = "{bots[bot.bot].settings_hash}"',
        ]
    return "\n".join(lines) + "\n"


def short(number: float) -> str:
    """A positive number with two digits, or all those before the point."""
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}" if number >= 1 else f"{number:.2f}"


def ratings_table(ratings: Ratings, times: dict[str, float]) -> Table:
    """The ratings in Markdown, strongest first."""
    table = markdown("bot", "rating", "95 % interval", "games", "ms a decision")
    for bot in ratings.bots:
        table.add_row(
            bot.bot, f"{bot.rating:.0f}", f"{bot.low:.0f} to {bot.high:.0f}", f"{bot.games:,}", short(times[bot.bot])
        )
    return table


def rungs_table(found: Iterable[Results]) -> Table:
    """Each level against what is below it, in Markdown: shares of the wins by number of players."""
    shares = {(one.header.bots, one.header.players): share_of(one) for one in found}
    counts = (2, *MORE_PLAYERS)
    table = markdown("level", "against", *(f"{players} players (even: {1 / players:.1%})" for players in counts))
    for pair in RUNGS:
        cells = []
        for players in counts:
            share = shares[pair, players]
            cells.append(f"{share.mean:.1%} ({share.low:.1%} to {share.high:.1%})")
        table.add_row(*pair, *cells)
    return table


def share_of(match: Results) -> Estimate:
    """The challenger's share of the wins in a match that was played to its end."""
    (result,) = pair_results(match.header, match.records)
    assert result.share is not None, "a match has one setup at least"
    return result.share


def markdown(*columns: str) -> Table:
    """An empty Markdown table."""
    table = Table(box=box.MARKDOWN)
    for column in columns:
        table.add_column(column)
    return table


def main(
    setups: Annotated[
        int, typer.Option(min=2, help="Setups of each match of two players; matches of more have half as many.")
    ] = 20,
    folder: Annotated[Path, typer.Option("--results", help="Where the games are kept.")] = Path("build/calibration"),
) -> None:
    """Play the bots of every game against each other, and write down how strong they are."""
    folder.mkdir(parents=True, exist_ok=True)
    by_game = {name: matches(standard(name), setups, folder) for name in GAMES}
    play_all([match for wanted in by_game.values() for match in wanted], available_cores())
    out = Console(width=WIDTH)
    rated = []
    for name, wanted in by_game.items():
        game = standard(name)
        found = [results.read(match.path) for match in wanted]
        of_two = [one for one in found if one.header.players == 2]
        (ratings,) = rating.rate_results(of_two)
        times = {bot: milliseconds(of_two, bot) for bot in bots_of(game)}
        file = ROOT / "nebula_ai" / "games" / name / RATINGS
        file.write_text(as_toml(ratings, setups, bots_of(game), times), encoding="utf-8")
        rated.append(ratings)
        out.print(f"## {game.title}\n", ratings_table(ratings, times), rungs_table(found), sep="\n", highlight=False)
    rating_plot.plot(rated, PLOT)


if __name__ == "__main__":
    typer.run(main)
