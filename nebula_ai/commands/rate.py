"""The command that rates bots by their games: rate."""

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.table import Table

from nebula_ai.commands.arena import read_results
from nebula_ai.commands.common import Failure, JsonOption, console, print_json, print_text
from nebula_ai.errors import listed, number_of
from nebula_ai.registry import load

if TYPE_CHECKING:
    from nebula_ai.rating import Ratings


def rate(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE", help="Results of `nebula-ai arena play`.", show_default=False)
    ],
    anchor: Annotated[str, typer.Option("--anchor", metavar="BOT", help="The bot whose rating is 0.")] = "random",
    plot: Annotated[
        Path | None,
        typer.Option("--plot", metavar="FILE", help="Draw the ratings, as .png or .svg.", show_default=False),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Rate bots by the games that they played in the arena.

    Ratings are in points as Elo counts them: of two bots that are 200 points
    apart the stronger one wins 76 % of their games. Files of one game are taken
    together, whatever their numbers of players; each game is rated by itself.

    Needs choix and Matplotlib, which the package's extra `rate` installs.

    Examples:

      nebula-ai rate match.jsonl
      nebula-ai rate results/*.jsonl --plot ratings.svg
      nebula-ai rate match.jsonl --anchor plain --json
    """
    try:
        # Of the extra, and slow to load.
        from nebula_ai import rating, rating_plot
    except ImportError as error:
        raise Failure(
            f"{error.name} is not installed, which ratings need: python -m pip install 'nebula-ai[rate]'"
        ) from None
    if plot:
        rating_plot.check_format(plot)
    found = rating.rate_results([read_results(file) for file in files], anchor)
    if plot:
        rating_plot.plot(found, plot)
    if as_json:
        print_json([asdict(one) for one in found])
        return
    for number, one in enumerate(found):
        if number:
            print_text("")
        print_text(headline(one))
        console().print(table(one))


def headline(ratings: "Ratings") -> str:
    """What the ratings of a game rest on."""
    return (
        f"{load(ratings.game).title}: {number_of(ratings.games, 'game')} in {number_of(ratings.setups, 'setup')},"
        f" {listed(map(str, ratings.players), 'and')} players;"
        f" engine {ratings.engine_version}, signature {ratings.bench_signature}"
    )


def table(ratings: "Ratings") -> Table:
    """The bots, strongest first."""
    rows = Table(box=None, pad_edge=False)
    rows.add_column("bot")
    for heading in ("rating", "95 % interval", "setups", "games"):
        rows.add_column(heading, justify="right", no_wrap=True)
    for bot in ratings.bots:
        rows.add_row(
            bot.bot, f"{bot.rating:.0f}", f"{bot.low:.0f} to {bot.high:.0f}", f"{bot.setups:,}", f"{bot.games:,}"
        )
    return rows
