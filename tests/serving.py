"""The server as a process of its own, as a reader starts it: with the command."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

COMMAND = "from nebula_server.command import main; main()"
"""The command as it is installed, but with the core that the tests use."""


class Served(NamedTuple):
    """A running server."""

    process: "subprocess.Popen[str]"
    """Its log is in a pipe; nobody has to read it."""
    address: str
    """Where it listens."""
    started: str
    """The first line of its log."""


@contextmanager
def served(*arguments: str, kept_to: set[int] | None = None) -> Iterator[Served]:
    """The command ``nebula-ai serve``, on a free port unless the arguments say otherwise; killed at the end.

    `kept_to`: the cores that it may use, if not all.
    """
    program = f"import os; os.sched_setaffinity(0, {kept_to}); {COMMAND}" if kept_to else COMMAND
    command = [sys.executable, "-c", program, "serve", "--address", "127.0.0.1:0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            started = process.stderr.readline()
            address = re.search(r"serving at (127\.0\.0\.1:\d+|unix:\S+)", started)
            assert address, started + process.stderr.read()
            yield Served(process, address[1], started)
        finally:
            process.kill()
