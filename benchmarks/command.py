"""What the benchmarks that play matches share: their options, the budget of a bot, and one way out for every error."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from nebula_ai.cli import refuse
from nebula_ai.commands.arena import ALL
from nebula_ai.commands.common import Failure
from nebula_ai.errors import InvalidInput
from nebula_ai.game import Game
from nebula_ai.registry import GAMES
from nebula_ai.search import Limits

GameOption = Annotated[
    str | None, typer.Option("--game", help=f"One of: {', '.join(GAMES)}.", show_default=next(iter(GAMES)))
]
VariantOption = Annotated[
    list[str] | None,
    typer.Option(
        "--variant",
        help=f"A variant of the game; give it again for setups of several in turn, or {ALL}.",
        show_default="its first",
    ),
]
SetupsOption = Annotated[int, typer.Option("--setups", min=1, help="Setups; each is played from every seat.")]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "--output",
        metavar="FILE",
        help="Where the results go. A run that was stopped goes on from there.",
        show_default=False,
    ),
]


def variants_of(game: Game, wanted: list[str] | None) -> list[str]:
    """The variants that `VariantOption` names."""
    return list(game.variants) if wanted == [ALL] else wanted or [game.variants[0]]


def budget(time: float | None, simulations: int | None, default: Limits) -> Limits:
    """The budget of each decision: seconds or simulations. Raises Failure if both are given, and LimitError."""
    if time is not None and simulations is not None:
        raise Failure("a bot has one budget here: give --time or --simulations")
    return default if time is None and simulations is None else Limits(time=time, simulations=simulations)


def as_text(limits: Limits) -> str:
    """A budget as in the text of a bot: ``time=0.2``."""
    return ",".join(f"{key}={value:.15g}" for key, value in asdict(limits).items() if value is not None)


def run(main: Callable[..., None]) -> None:
    """Runs a command, and says in one line what was wrong."""
    try:
        typer.run(main)
    except (InvalidInput, Failure) as error:
        sys.exit(refuse(str(error)))
