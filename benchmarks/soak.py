"""Uses the service for a while in every way that clients do, good and bad, and watches its memory.

    python -m benchmarks.soak [--minutes 10] [--clients 24]

Writes a line of figures each second to docs/soak.csv, and a plot of them to docs/soak.svg; for the plot it needs
Matplotlib, of the extra `rate`. Every client is a loop of its own that draws what it does next from the seed.
"""

import asyncio
import csv
import random
import statistics
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Annotated

import grpc
import matplotlib
import typer
from google.protobuf.duration_pb2 import Duration
from grpc import aio
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from benchmarks.command import run
from benchmarks.load import OWN_CONNECTION, Stub
from benchmarks.serving import Served, served
from nebula_ai.registry import GAMES
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView

MEBIBYTE = 1 << 20

EXPECTED = {
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.CANCELLED,
}
"""How calls may fail here: too many, too short, wrong, given up."""

LONG = SearchLimits(time=Duration(seconds=600), stop_when_decided=False)

INK, GRID, LINES = "#1f2430", "#e5e7eb", ("#2456b3", "#b3562a", "#3a8f5b")


@dataclass(frozen=True, slots=True)
class Sample:
    """What is seen of the server at one moment."""

    seconds: float
    calls: int
    """All that have ended by then, in whatever way."""
    resident_mebibytes: float
    threads: int
    open_files: int


class Client:
    """Plays games with the service, and does all else that a client may do."""

    def __init__(self, address: str, seed: int, ended: Counter[str]) -> None:
        """`ended`: counts calls by how they ended."""
        self.address = address
        self.draw = random.Random(seed)
        self.ended = ended
        self.view = StateView()

    async def run(self, end: float) -> None:
        """Goes on until `end` (of time.monotonic), with a new connection every now and then."""
        while time.monotonic() < end:
            async with aio.insecure_channel(self.address, OWN_CONNECTION) as channel:
                stub = OpponentServiceStub(channel)
                for _ in range(self.draw.randrange(1, 100)):
                    if time.monotonic() >= end:
                        return
                    await self.step(stub)

    async def step(self, stub: Stub) -> None:
        """Something that a client does."""
        deeds: dict[Callable[[Stub], Awaitable[object]], int] = {
            self.play: 20,
            self.leave_a_search: 2,
            self.leave_a_stream: 2,
            self.read_a_stream: 1,
            self.ask_in_vain: 1,
            self.ask_wrongly: 1,
        }
        (deed,) = self.draw.choices(list(deeds), list(deeds.values()))
        try:
            await deed(stub)
        except aio.AioRpcError as error:
            if error.code() not in EXPECTED:
                raise
            self.ended[error.code().name] += 1
            await asyncio.sleep(self.draw.random() * 0.1)
        else:
            self.ended["OK"] += 1

    @property
    def state(self) -> State:
        """Where its game is."""
        return State(packed=self.view.packed)

    async def play(self, stub: Stub) -> None:
        """A step of its game: the list of moves and one of them, or a bot's move; or the next game."""
        if self.view.status != StateView.STATUS_DECISION:
            new = pb.CreateStateRequest(game=self.draw.choice(list(GAMES)), players=self.draw.randrange(2, 5))
            self.view = (await stub.CreateState(new)).state
            return
        if self.draw.random() < 0.3:
            limits = SearchLimits(simulations=self.draw.randrange(1, 300))
            move = (await stub.GetMove(pb.GetMoveRequest(state=self.state, limits=limits))).move
        else:
            move = self.draw.choice((await stub.ListMoves(pb.ListMovesRequest(state=self.state))).moves)
        chance = ChancePolicy(seed=self.draw.getrandbits(32))
        request = pb.ApplyMoveRequest(state=self.state, move=Choice(number=move.number), chance=chance)
        self.view = (await stub.ApplyMove(request)).state

    async def leave_a_search(self, stub: Stub) -> None:
        """A search that is cancelled while it runs or waits."""
        call = stub.GetMove(await self.long(stub))
        await asyncio.sleep(self.draw.random() * 0.2)
        call.cancel()
        if await call.code() not in EXPECTED:
            await call

    async def leave_a_stream(self, stub: Stub) -> None:
        """An analysis of which only the first report is read, if there is one."""
        request = await self.long(stub)
        call = stub.AnalyzeState(pb.AnalyzeStateRequest(state=request.state, limits=request.limits), timeout=5)
        await call.read()
        await asyncio.sleep(self.draw.random() * 0.1)
        call.cancel()

    async def read_a_stream(self, stub: Stub) -> None:
        """An analysis that is read to its end."""
        limits = SearchLimits(time=Duration(nanos=300_000_000))
        request = pb.AnalyzeStateRequest(state=(await self.long(stub)).state, limits=limits)
        request.report_interval.FromMilliseconds(50)
        async for _ in stub.AnalyzeState(request):
            pass

    async def ask_in_vain(self, stub: Stub) -> None:
        """A search whose deadline leaves no time for anything."""
        await stub.GetMove(await self.long(stub), timeout=self.draw.random() * 0.02)

    async def ask_wrongly(self, stub: Stub) -> None:
        """Bytes that are no state."""
        await stub.ListMoves(pb.ListMovesRequest(state=State(packed=self.draw.randbytes(200))))

    async def long(self, stub: Stub) -> pb.GetMoveRequest:
        """A search that does not end by itself, of its game or of a new one."""
        while self.view.status != StateView.STATUS_DECISION:
            await self.play(stub)
        return pb.GetMoveRequest(state=self.state, limits=LONG)


async def watch(server: Served, ended: Counter[str], end: float, samples: list[Sample]) -> None:
    """Takes a sample each second until `end`."""
    began = time.monotonic()
    while (now := time.monotonic()) < end:
        samples.append(
            Sample(
                seconds=round(now - began, 1),
                calls=ended.total(),
                resident_mebibytes=round(server.resident_bytes() / MEBIBYTE, 2),
                threads=server.threads(),
                open_files=server.open_files(),
            )
        )
        await asyncio.sleep(1)


async def soak(server: Served, minutes: float, clients: int, seed: int) -> tuple[list[Sample], Counter[str]]:
    """The samples, and how calls ended."""
    ended = Counter[str]()
    samples: list[Sample] = []
    end = time.monotonic() + 60 * minutes
    async with asyncio.TaskGroup() as group:
        group.create_task(watch(server, ended, end, samples))
        for number in range(clients):
            group.create_task(Client(server.address, seed + number, ended).run(end))
    return samples, ended


def growth(samples: Sequence[Sample]) -> float:
    """MiB per minute that the memory grows by in the second half: the slope of a straight line through it."""
    half = samples[len(samples) // 2 :]
    slope = statistics.linear_regression(
        [sample.seconds for sample in half], [sample.resident_mebibytes for sample in half]
    ).slope
    return 60 * slope


def write(samples: Sequence[Sample], path: Path) -> None:
    """Writes the samples, one a line."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Sample)])
        writer.writerows(map(astuple, samples))


def plot(samples: Sequence[Sample], path: Path) -> None:
    """Draws the samples: memory, threads, open files by the minute."""
    minutes = [sample.seconds / 60 for sample in samples]
    panels: dict[str, list[float]] = {
        "memory, MiB": [sample.resident_mebibytes for sample in samples],
        "threads": [sample.threads for sample in samples],
        "open files": [sample.open_files for sample in samples],
    }
    style = matplotlib.rc_context(
        {
            "font.family": "DejaVu Sans",
            "font.size": 10.0,
            "axes.edgecolor": GRID,
            "axes.labelcolor": INK,
            # Equal samples, equal file; and no date in it.
            "svg.hashsalt": "soak",
        }
    )
    with style:
        figure = Figure(figsize=(7, 5.5), layout=ConstrainedLayoutEngine(), facecolor="white")
        rows = figure.subplots(len(panels), 1, sharex=True)
        for axes, (name, values), color in zip(rows, panels.items(), LINES, strict=True):
            axes.plot(minutes, values, color=color, linewidth=1.2)
            axes.set_ylabel(name)
            axes.set_ylim(0, 1.15 * max(values))
            axes.grid(axis="y", color=GRID)
            axes.set_axisbelow(True)
            axes.tick_params(length=0)
            axes.spines[["top", "left", "right"]].set_visible(False)
        rows[-1].set_xlabel("minutes")
        figure.savefig(path, metadata={"Date": None})


def main(
    minutes: Annotated[float, typer.Option(min=0.1, help="How long.")] = 10.0,
    clients: Annotated[int, typer.Option(min=1, help="How many clients.")] = 24,
    seed: Annotated[int, typer.Option(help="Where the clients' choices come from.")] = 1,
    output: Annotated[
        Path, typer.Option(metavar="FILE", help="Where the figures go; the plot goes beside it, as .svg.")
    ] = Path("docs/soak.csv"),
) -> None:
    """Use the service for a while, and watch its memory."""
    with served() as server:
        samples, ended = asyncio.run(soak(server, minutes, clients, seed))
    write(samples, output)
    plot(samples, output.with_suffix(".svg"))
    for name in ("resident_mebibytes", "threads", "open_files"):
        values = [getattr(sample, name) for sample in samples]
        half = values[len(values) // 2 :]
        print(f"{name}: {values[0]} at first, at most {max(values)}, in the second half {min(half)} to {max(half)}")
    print(f"memory grows by {growth(samples):.2f} MiB a minute in the second half")
    print(f"calls: {', '.join(f'{name} {number:,}' for name, number in sorted(ended.items()))}")


if __name__ == "__main__":
    run(main)
