"""The command `nebula-ai`: its commands put together, and one way out for every error.

Exit status: 0 if all went well, 1 if what was asked for was found to differ (see replay), 2 if the input was wrong,
with one line on standard error that says what and why, 130 after Ctrl-C. The service adds its own command, `serve`,
to `app`.
"""

import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from nebula_ai import __version__
from nebula_ai.commands import arena, checks, opponents, rate, states
from nebula_ai.commands.common import Failure, complain, print_text
from nebula_ai.errors import InvalidInput, NotPossibleNow


class Commands(TyperGroup):
    """The group of all commands, which says in one line what was wrong."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Runs a command and ends the process with its exit status; without `standalone_mode` returns that."""
        for stream in (sys.stdout, sys.stderr):
            # A name that the terminal's encoding does not have must not stop a command.
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        try:
            status = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra) or 0
            sys.stdout.flush()
        except (InvalidInput, NotPossibleNow, Failure) as error:
            status = refuse(str(error))
        except BrokenPipeError:
            # Whoever reads the output has read enough, as in `nebula-ai moves "$STATE" | head`.
            drop_output()
            status = 1
        except OSError as error:
            drop_output()
            status = refuse(f"{error.filename}: {error.strerror}" if error.filename else str(error.strerror or error))
        except typer.TyperException as error:
            status = refuse(usage(error))
        if not standalone_mode:
            return status
        sys.exit(status)


def drop_output() -> None:
    """Lets what is still to be written go nowhere: Python would complain at its end that it cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def refuse(message: str) -> int:
    """Says what was wrong; the exit status for it."""
    complain(message)
    return 2


def usage(error: typer.TyperException) -> str:
    """What is wrong with a command line, and where to look."""
    context = getattr(error, "ctx", None)
    hint = f" (see {context.command_path} --help)" if context else ""
    return error.format_message().rstrip(".") + hint


def version(wanted: bool) -> None:
    """Prints the version, if it is wanted, and ends."""
    if wanted:
        print_text(f"nebula-ai {__version__}")
        raise typer.Exit()


app = typer.Typer(cls=Commands, no_args_is_help=False, add_completion=False, pretty_exceptions_enable=False)


@app.callback(invoke_without_command=True)
def main(
    context: typer.Context,
    _version: Annotated[
        bool, typer.Option("--version", callback=version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """An opponent for board games with chance and hidden cards.

    STATE is the state of a game: its text form (as new prints it), JSON, a
    file that holds one of them, or - for standard input.
    """
    if context.invoked_subcommand is None:
        print_text(context.get_help())


for command in (
    states.new,
    states.show,
    states.observe,
    states.moves,
    states.apply,
    opponents.bots,
    opponents.move,
    opponents.play,
    rate.rate,
    checks.replay,
    checks.bench,
    checks.perft,
):
    app.command()(command)

app.add_typer(arena.app, name="arena")
