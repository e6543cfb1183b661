"""A server to be measured: a process of its own, and what the system says that it uses. Linux only, for /proc."""

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc

START_SECONDS = 60
COMMAND = "from nebula_server.command import main; main()"


class Served:
    """A running server."""

    def __init__(self, process: "subprocess.Popen[bytes]", address: str) -> None:
        self.process = process
        self.address = address
        self._proc = Path("/proc") / str(process.pid)

    def cpu_seconds(self) -> float:
        """What its threads have used of all cores since it began, to a hundredth of a second."""
        # The name of the process, in brackets, may hold anything.
        fields = self._proc.joinpath("stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def resident_bytes(self) -> int:
        """Its memory."""
        return int(self._proc.joinpath("statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def threads(self) -> int:
        """How many it has."""
        return len(list(self._proc.joinpath("task").iterdir()))

    def open_files(self) -> int:
        """How many it has, connections among them."""
        return len(list(self._proc.joinpath("fd").iterdir()))


@contextmanager
def served(*arguments: str, kept_to: Collection[int] | None = None) -> Iterator[Served]:
    """The command ``nebula-ai serve`` on a free port of this machine, ready for calls; told to stop at the end.

    `kept_to`: the cores that it may use, if not all.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    program = f"import os; os.sched_setaffinity(0, {set(kept_to)}); {COMMAND}" if kept_to else COMMAND
    command = [sys.executable, "-c", program, "serve", "--address", address, *arguments]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            with grpc.insecure_channel(address) as channel:
                grpc.channel_ready_future(channel).result(START_SECONDS)
            yield Served(process, address)
            process.send_signal(signal.SIGTERM)
            process.wait(START_SECONDS)
        finally:
            process.kill()
