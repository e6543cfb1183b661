"""Commands that let bots play each other: arena play, arena verify, arena show."""

import sys
from collections.abc import Generator, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.table import Table

from nebula_ai.arena import games, results, spread
from nebula_ai.arena.games import Played, Thinking
from nebula_ai.arena.results import Header, Record
from nebula_ai.arena.statistics import PairResult, pair_results
from nebula_ai.commands.common import EditionOption, Failure, JsonOption, console, note, print_json, print_text
from nebula_ai.commands.states import PlayersOption, chosen_game
from nebula_ai.cores import available_cores
from nebula_ai.errors import InvalidInput, listed
from nebula_ai.game import Game
from nebula_ai.json_lines import Unreadable
from nebula_ai.registry import GAMES

SHOWN = 10
"""So many differences of a file are printed; more are counted."""

ALL = "all"
"""Stands for all variants of a game."""

Made = TypeVar("Made")

app = typer.Typer()

FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", help="Results of `nebula-ai arena play`.", show_default=False)
]
WorkersOption = Annotated[
    int | None, typer.Option("--workers", min=1, max=1024, help="How many games at once.", show_default="all cores")
]


@app.callback(invoke_without_command=True)
def arena(context: typer.Context) -> None:
    """Let bots play each other, and see which is stronger.

    play plays, verify plays the results again, show prints their table.
    """
    if context.invoked_subcommand is None:
        print_text(context.get_help())


@app.command()
def play(
    bots: Annotated[
        list[str],
        typer.Argument(metavar="BOT", help="NAME, or NAME:KEY=VALUE,KEY=VALUE.", show_default=False),
    ],
    game: Annotated[
        str | None, typer.Option("--game", help=f"One of: {', '.join(GAMES)}.", show_default=next(iter(GAMES)))
    ] = None,
    players: PlayersOption = None,
    variant: Annotated[
        list[str] | None,
        typer.Option(
            "--variant",
            help=f"A variant of the game; give it again for setups of several in turn, or {ALL}.",
            show_default="its first",
        ),
    ] = None,
    setups: Annotated[int, typer.Option("--setups", help="Setups for each pair of bots.")] = 100,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the setups and of the bots.")] = 1,
    workers: WorkersOption = None,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="FILE",
            help="Where the results go (JSON lines). A run that was stopped goes on from there.",
            show_default=False,
        ),
    ] = None,
    edition: EditionOption = None,
    ray: Annotated[bool, typer.Option("--ray", help="Play on a Ray cluster.")] = False,
    ray_address: Annotated[
        str | None,
        typer.Option("--ray-address", metavar="ADDRESS", help="Its address.", show_default="one started here"),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Play a match of two bots, or a round robin of more.

    A setup is played once with the first bot of a pair, the challenger, at each
    seat, against the other bot at all other seats. It counts as one observation.
    With three bots or more every two meet; with 3 or 4 players both ways round.

    A bot is one of those that move --bot takes, or such a bot with other limits
    (time in seconds, simulations, nodes) or parameters of the search.

    Examples:

      nebula-ai arena play plain random --setups 20
      nebula-ai arena play plain:exploration=0.4 plain --output match.jsonl
      nebula-ai arena play random flat plain:time=0.05 --players 4
    """
    if ray_address is not None and not ray:
        raise Failure("--ray-address says where Ray is: give --ray as well")
    made = chosen_game(game, edition)
    header = results.made_header(
        made,
        made.players[0] if players is None else players,
        variants_of(made, variant or []),
        bots,
        seed=seed,
        setups=setups,
    )
    games.opened(header, edition)
    work = partial(games.play, header, edition)
    records = resumed(output, header) if output else []
    left = results.missing(header, records)
    if ray:
        played = spread.on_ray(work, left, workers, ray_address)
    else:
        played = spread.in_processes(work, left, min(workers or available_cores(), header.games))
    try:
        thinking = gather(played, header, records, output)
    except spread.NoRay as error:
        raise Failure(str(error)) from None
    except BrokenProcessPool:
        raise Failure("a worker has ended by itself; the games up to then are kept") from None
    except KeyboardInterrupt:
        if output:
            note(f"{len(records):,} of {header.games:,} games are in {output}: the same command goes on from there")
        raise
    tell(header, records, thinking, as_json)


@app.command()
def verify(
    file: FileArgument,
    search: Annotated[
        bool, typer.Option("--search", help="Ask the bots again as well, but for those with a time limit.")
    ] = False,
    workers: WorkersOption = None,
    edition: EditionOption = None,
    as_json: JsonOption = False,
) -> None:
    """Play the games of a file of results again, and compare everything.

    Compared are the moves, which must be legal, the points and the shares of
    the win; and every game that the header announces must be there, once. Exit
    status: 0 if everything agrees, 1 if something differs or is missing, 2 if
    the file is not readable.

    With --search every decision is made again by the same bots; that takes as
    long as the run did.

    Examples:

      nebula-ai arena verify match.jsonl
      nebula-ai arena verify match.jsonl --search
    """
    read = read_results(file)
    header = read.header
    games.opened(header, edition)
    if search:
        games.check_bots(header, edition)
    work = partial(replayed, header, edition, search)
    cores = min(workers or available_cores(), max(len(read.records), 1))
    found = spread.in_processes(work, enumerate(read.records, 2), cores)
    problems = sorted((line, reason) for line, reason in progressing(found, 0, len(read.records)) if reason is not None)
    last = len(read.records) + 1
    if read.cut:
        problems.append((last + 1, "the line is cut"))
    if missing := results.first_missing(header, read.records):
        more = header.games - len(read.records) - 1
        problems.append((last, f"the file ends without {results.named(missing)} and {more:,} more"))
    decisions = sum(len(record.moves) for record in read.records)
    if as_json:
        listed = [{"line": line, "reason": reason} for line, reason in problems]
        print_json({"agree": not problems, "games": len(read.records), "decisions": decisions, "problems": listed})
    else:
        for line, reason in problems[:SHOWN]:
            print_text(f"{file}:{line}: {reason}")
        if len(problems) > SHOWN:
            print_text(f"and {len(problems) - SHOWN:,} more")
        if not problems:
            print_text(f"{len(read.records):,} games, {decisions:,} decisions: all agree")
    if problems:
        raise typer.Exit(1)


@app.command()
def show(file: FileArgument, as_json: JsonOption = False) -> None:
    """Print the table of a file of results, of a run that ended or did not.

    Example:

      nebula-ai arena show match.jsonl
    """
    read = read_results(file)
    tell(read.header, read.records, [], as_json)


def variants_of(game: Game, given: list[str]) -> list[str]:
    """The variants that --variant names, in this order: the game's first if none, every one for `ALL`.

    Raises InvalidInput if there is something beside `ALL`.
    """
    if not given:
        return [game.variants[0]]
    if ALL not in given:
        return given
    if len(given) > 1:
        raise InvalidInput("variant", f"{ALL} stands for every variant, so that no other can be given beside it")
    return list(game.variants)


def replayed(
    header: Header, edition: Path | None, search: bool, numbered: tuple[int, Record]
) -> tuple[int, str | None]:
    """The line of a game, and what differs when it is played again."""
    line, record = numbered
    return line, games.replay(header, edition, search, record)


def resumed(output: Path, header: Header) -> list[Record]:
    """The games that are in a file already, which is ready for the rest. Raises InvalidInput, Failure."""
    try:
        return results.resume(output, header)
    except Unreadable as error:
        raise Failure(f"{output}:{error.line}: {error.reason}") from None
    except OSError as error:
        raise Failure(f"{output}: {error.strerror}") from None


def read_results(file: Path) -> results.Results:
    """What is in a file. Raises Failure with the line."""
    try:
        return results.read(file)
    except Unreadable as error:
        raise Failure(f"{file}:{error.line}: {error.reason}") from None
    except OSError as error:
        raise Failure(f"{file}: {error.strerror}") from None


def progressing(made: Generator[Made], ready: int, total: int) -> Iterator[Made]:
    """All that is made, with a bar on standard error; however it ends, the making ends with it."""
    columns = (BarColumn(), MofNCompleteColumn(), TextColumn("games"), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), disable=not sys.stderr.isatty()) as bar, closing(made):
        task = bar.add_task("games", total=total, completed=ready)
        for one in made:
            bar.advance(task)
            yield one


def gather(played: Generator[Played], header: Header, records: list[Record], output: Path | None) -> list[Thinking]:
    """Adds the games to `records` and to the file as they come; returns how long each bot thought in them."""
    thinking = [Thinking() for _ in header.bots]
    for one in progressing(played, len(records), header.games):
        records.append(one.record)
        thinking = [before + new for before, new in zip(thinking, one.thinking, strict=True)]
        if output:
            results.append(output, header, one.record)
    return thinking


def tell(header: Header, records: list[Record], thinking: list[Thinking], as_json: bool) -> None:
    """Prints what came out. `thinking`: of each bot; empty where that is not known."""
    found = pair_results(header, records)
    if as_json:
        print_json(
            {
                "header": header.as_json(),
                "pairs": [pair_as_json(header, result) for result in found],
                "bots": [
                    {"bot": bot, "decisions": one.decisions, "seconds": one.seconds}
                    for bot, one in zip(header.bots, thinking, strict=bool(thinking))
                ],
            }
        )
        return
    print_text(
        f"{header.game} ({header.edition}), {listed(header.variants, 'and')}, {header.players} players,"
        f" seed {header.seed}: {len(records):,} of {header.games:,} games"
    )
    rows = Table(box=None, pad_edge=False)
    rows.add_column("challenger")
    rows.add_column("against")
    for heading in ("wins", "95 % interval", "even", "setups", "games"):
        rows.add_column(heading, justify="right", no_wrap=True)
    for result in found:
        share = result.share
        rows.add_row(
            *(header.bots[index] for index in result.pair),
            f"{share.mean:.1%}" if share else "-",
            f"{share.low:.1%} to {share.high:.1%}" if share else "-",
            f"{1 / header.players:.1%}",
            f"{result.setups:,}",
            f"{result.games:,}",
        )
    console().print(rows)
    if any(one.decisions for one in thinking):
        times = Table(box=None, pad_edge=False)
        times.add_column("bot")
        for heading in ("ms a decision", "decisions"):
            times.add_column(heading, justify="right", no_wrap=True)
        for bot, one in zip(header.bots, thinking, strict=True):
            mean = f"{1000 * one.seconds / one.decisions:.1f}" if one.decisions else "-"
            times.add_row(bot, mean, f"{one.decisions:,}")
        console().print(times)


def pair_as_json(header: Header, result: PairResult) -> dict[str, Any]:
    """How a pair did as JSON values; the share is null where no setup is complete."""
    challenger, other = result.pair
    return {
        "challenger": header.bots[challenger],
        "other": header.bots[other],
        "share": asdict(result.share) if result.share else None,
        "even": 1 / header.players,
        "setups": result.setups,
        "games": result.games,
    }
