"""What several commands need: the arguments they share, the way in for states and the way out for texts.

Standard output carries what was asked for and nothing else, so that a program may read it; notes for people go to
standard error.
"""

import json
import os
import secrets
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from nebula_ai.errors import shortened
from nebula_ai.game import Game
from nebula_ai.reading import read_state
from nebula_ai.registry import Catalogue
from nebula_core.face import State

MAX_WIDTH = 100
"""Columns of a picture of the boards; output that goes to no terminal has as many."""

MAX_COMPLAINT = 600
"""Characters of a line about what was wrong: the longest path that a message shows, and the reason."""

StateArgument = Annotated[
    str,
    typer.Argument(
        metavar="STATE",
        help="A state: its text form, JSON, a file that holds one of them, or - for standard input.",
        show_default=False,
    ),
]
EditionOption = Annotated[
    Path | None,
    typer.Option("--edition", metavar="FILE", help="An edition file of your own (TOML).", show_default=False),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON, for a program to read.")]


class Failure(Exception):
    """What a command was asked for cannot be done; the message says why, and the exit status is 2."""


def catalogue(edition: Path | None) -> Catalogue:
    """The standard editions, and the one of this file if there is one. Raises EditionError."""
    return Catalogue([edition] if edition else [])


def read(source: str, edition: Path | None) -> tuple[Game, State]:
    """The state that a command's argument gives. Raises StateError, EditionError."""
    return read_state(source, catalogue(edition))


def random_seed() -> int:
    """A seed where the user gives none: short enough to be noted."""
    return secrets.randbits(32)


def console() -> Console:
    """Standard output for people: coloured on a terminal, plain elsewhere."""
    out = Console(highlight=False, markup=False, emoji=False)
    if not out.is_terminal and "COLUMNS" not in os.environ:
        out.width = MAX_WIDTH
    return out


def note(text: str) -> None:
    """A line for people on standard error."""
    Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True).print(text)


def complain(text: str) -> None:
    """A line about what was wrong, on standard error: one line, and nothing in it that a terminal would obey."""
    plain = "".join(c if c.isprintable() else " " if c.isspace() else repr(c)[1:-1] for c in text)
    out = Console(stderr=True, highlight=False, markup=False, emoji=False, soft_wrap=True)
    out.print("error: ", style="bold red", end="")
    out.print(shortened(plain, MAX_COMPLAINT))


def print_text(text: str) -> None:
    """A line of plain text, whatever its length."""
    sys.stdout.write(text + "\n")


def print_json(value: Any) -> None:
    """JSON on one line."""
    print_text(json.dumps(value))


def print_state(game: Game, state: State, as_json: bool) -> None:
    """A state, as the text form or as readable JSON; every command takes either as its STATE."""
    if as_json:
        print_json(game.to_json(state))
    else:
        print_text(game.to_text(state))


def waits_for(game: Game, state: State) -> str:
    """What a state waits for, for people."""
    if state.finished:
        return "the game is finished"
    if state.chance_pending:
        return f"a chance event is pending ({game.chance_target(state)})"
    return f"seat {state.seat} has to decide"
