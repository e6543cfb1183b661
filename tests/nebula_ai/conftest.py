"""The command line as the tests of the library run it."""

from typing import NamedTuple, Protocol

import pytest
from typer.testing import CliRunner

from nebula_ai.cli import app

COMMAND = "from nebula_ai.cli import app; app()"
"""A program for another Python: the command as it is installed, but with the core that the tests use."""


class Outcome(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


class Run(Protocol):
    """Runs the command with these arguments and this standard input."""

    def __call__(self, *arguments: str, input: str | bytes = "") -> Outcome:
        """What it did."""


@pytest.fixture(scope="session")
def run() -> Run:
    """Runs the command in this process. What no command should let through fails the test."""

    def call(*arguments: str, input: str | bytes = "") -> Outcome:
        result = CliRunner().invoke(app, arguments, input=input, env={"COLUMNS": "100"}, prog_name="nebula-ai")
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return Outcome(result.exit_code, result.stdout, result.stderr)

    return call
