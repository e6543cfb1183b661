"""Measures the service under load: a server of its own on this machine, and many clients in this process.

    python -m benchmarks.load [--seconds 3] [--calls 200] [--game GAME]

Every client has a connection of its own and asks again as soon as it is answered; one that is refused because the queue
is full waits as long as it was told. It takes some five minutes, and wants a machine that has nothing else to do.
"""

import asyncio
import statistics
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, TypeAlias

import grpc
import typer
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import RetryInfo
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_status import rpc_status

import nebula_ai
from benchmarks.command import GameOption, run
from benchmarks.measure import available_cores
from benchmarks.ours import Ours
from benchmarks.serving import Served, served
from nebula_ai.bots import chosen
from nebula_ai.registry import GAMES
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State

if TYPE_CHECKING:
    # What a stub for asyncio is to the type checker; there is no such class at run time.
    from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceAsyncStub

    Stub: TypeAlias = OpponentServiceAsyncStub
else:
    Stub = OpponentServiceStub

CLIENTS = (1, 8, 64, 256)

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
"""Channels of one process would else share a connection."""

SIMULATIONS = 100
"""Of a search where the service is measured and not the search: a few milliseconds."""

FULL = 1000
"""Searches that are asked for to fill the queue: more than fit."""

PROMISED = 0.2
"""Seconds that a search is given where it is measured when its answer arrives."""

CANCELLED = 50
"""Searches that are cancelled."""

Call = Callable[[Stub], Awaitable[object]]


@dataclass(slots=True)
class Times:
    """How long calls took, in seconds, and what they cost."""

    answered: list[float] = field(default_factory=list)
    refused: list[float] = field(default_factory=list)
    """Because the queue was full."""
    seconds: float = 0.0
    """From the first call to the end of the last."""
    cpu_seconds: float = 0.0
    """What the server used."""


def percentiles(seconds: Sequence[float]) -> str:
    """Median, 90th and 99th percentile and maximum in milliseconds, as cells of a table."""
    if not seconds:
        return "- | - | - | -"
    ranked = sorted(seconds)
    marks = [ranked[min(int(len(ranked) * share), len(ranked) - 1)] for share in (0.5, 0.9, 0.99, 1.0)]
    return " | ".join(f"{1000 * mark:.2f}" for mark in marks)


def retry_seconds(error: aio.AioRpcError) -> float:
    """How long a client that was refused shall wait."""
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # a call is what has metadata and a code
    retry = RetryInfo()
    if status is None or not any(detail.Unpack(retry) for detail in status.details):
        raise error
    return retry.retry_delay.ToMilliseconds() / 1000


async def load(server: Served, call: Call, clients: int, seconds: float, patient: bool = True) -> Times:
    """So many clients call for so long. Those that are refused wait as they are told if they are `patient`."""
    times = Times()

    async def one(stub: Stub, end: float) -> None:
        while (began := time.perf_counter()) < end:
            try:
                await call(stub)
            except aio.AioRpcError as error:
                if error.code() != grpc.StatusCode.RESOURCE_EXHAUSTED:
                    raise
                now = time.perf_counter()
                times.refused.append(now - began)
                if patient:
                    await asyncio.sleep(min(retry_seconds(error), max(0.0, end - now)))
            else:
                times.answered.append(time.perf_counter() - began)

    async with AsyncExitStack() as stack:
        channels = [
            await stack.enter_async_context(aio.insecure_channel(server.address, OWN_CONNECTION))
            for _ in range(clients)
        ]
        await asyncio.gather(*(channel.channel_ready() for channel in channels))
        began, used = time.perf_counter(), server.cpu_seconds()
        await asyncio.gather(*(one(OpponentServiceStub(channel), began + seconds) for channel in channels))
        times.seconds, times.cpu_seconds = time.perf_counter() - began, server.cpu_seconds() - used
    return times


async def repeated(call: Callable[[], Awaitable[object]], calls: int) -> list[float]:
    """How long each of several calls took, one after the other."""
    times = []
    for _ in range(calls):
        began = time.perf_counter()
        await call()
        times.append(time.perf_counter() - began)
    return times


class Requests:
    """What is asked, about a state from the middle of a game."""

    def __init__(self, name: str) -> None:
        """`name`: of the game."""
        game = nebula_ai.load(name)
        ours = Ours(name, game.variants[0], game.players[-1], seed=1)
        self.title = ours.title
        self.game = game
        self.core_state = ours.halfway
        # Of those that are searched the first one, where nothing is decided yet.
        self.core_opening = ours.positions["opening"]
        state = State(packed=self.core_state.pack())
        number = self.core_state.legal_moves()[0]
        self.moves = len(self.core_state.legal_moves())
        self.list_moves = pb.ListMovesRequest(state=state)
        self.apply_move = pb.ApplyMoveRequest(state=state, move=Choice(number=number), chance=ChancePolicy(seed=1))
        self.opening = State(packed=self.core_opening.pack())
        limits = SearchLimits(simulations=SIMULATIONS, stop_when_decided=False)
        self.get_move = pb.GetMoveRequest(state=self.opening, limits=limits, seed=1)
        self.long = pb.GetMoveRequest(state=self.opening, limits=SearchLimits(time=Duration(seconds=600)), workers=1)
        self.long.limits.stop_when_decided = False

    def promised(self, by_limit: bool) -> pb.GetMoveRequest:
        """A search of PROMISED seconds by its limit, or one that only a deadline ends."""
        request = pb.GetMoveRequest()
        request.CopyFrom(self.long)
        if by_limit:
            request.limits.time.FromMilliseconds(round(PROMISED * 1000))
        return request


async def busy(stack: AsyncExitStack, server: Served, request: pb.GetMoveRequest, searches: int) -> None:
    """Keep cores searching and fill the queue, until the stack is closed."""
    channel = await stack.enter_async_context(aio.insecure_channel(server.address, OWN_CONNECTION))
    calls = [OpponentServiceStub(channel).GetMove(request) for _ in range(searches)]
    await asyncio.sleep(1)

    async def end() -> None:
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await asyncio.sleep(0.2)

    stack.push_async_callback(end)


async def throughput(server: Served, requests: Requests, seconds: float, full: bool) -> None:
    """The table of methods and clients."""
    print(f"\nWith {'a full queue' if full else 'no other searches'}:\n")
    print("| method | clients | answers/s | core-ms each | median, ms | p90 | p99 | most | refused/s |")
    print("|---|---|---|---|---|---|---|---|---|")
    async with AsyncExitStack() as stack:
        if full:
            await busy(stack, server, requests.long, FULL)
        calls: dict[str, Call] = {
            "ListMoves": lambda stub: stub.ListMoves(requests.list_moves),
            "ApplyMove": lambda stub: stub.ApplyMove(requests.apply_move),
            "GetMove": lambda stub: stub.GetMove(requests.get_move),
        }
        for name, call in calls.items():
            await load(server, call, 1, 0.3)  # warm
            for clients in CLIENTS:
                times = await load(server, call, clients, seconds, patient=not full)
                done = times.refused if full and name == "GetMove" else times.answered
                # With a full queue the cores search all the time, whatever is asked.
                cost = "-" if full or not done else f"{1000 * times.cpu_seconds / len(done):.2f}"
                print(
                    f"| {name} | {clients} | {len(times.answered) / times.seconds:,.0f} | {cost} | {percentiles(done)} "
                    f"| {len(times.refused) / times.seconds:,.0f} |",
                    flush=True,
                )
    if full:
        print("\nOf GetMove, all of which are refused, these are the times of the refusals.")


async def health(server: Served, requests: Requests, cores: int, calls: int) -> None:
    """Health checks while nothing and while everything searches."""
    print("\n| health checks | median, ms | p90 | p99 | most |\n|---|---|---|---|---|")
    for name, searches in (("idle", 0), ("all cores search", cores), ("and the queue is full", FULL)):
        async with AsyncExitStack() as stack:
            channel = await stack.enter_async_context(aio.insecure_channel(server.address, OWN_CONNECTION))
            stub = health_pb2_grpc.HealthStub(channel)
            await busy(stack, server, requests.long, searches)

            async def check(stub: health_pb2_grpc.HealthStub = stub) -> None:
                await stub.Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined]
                await asyncio.sleep(0.005)

            times = [seconds - 0.005 for seconds in await repeated(check, calls)]
            print(f"| {name} | {percentiles(times)} |")


async def overhead(server: Served, requests: Requests, calls: int) -> None:
    """What a call of GetMove takes more than the bare search, in turns with it."""
    limits = nebula_ai.Limits(simulations=SIMULATIONS)
    bot = chosen(requests.game, None, limits, decided=False)
    async with aio.insecure_channel(server.address, OWN_CONNECTION) as channel:
        stub = OpponentServiceStub(channel)
        bare, called, told = [], [], []
        for turn in range(calls + 10):
            began = time.perf_counter()
            bot.move(requests.core_opening, seed=1)
            between = time.perf_counter()
            answer = await stub.GetMove(requests.get_move)
            if turn >= 10:
                bare.append(between - began)
                called.append(time.perf_counter() - between)
                told.append(answer.analysis.time.ToMicroseconds() / 1e6)
    median = statistics.median
    by_turns = median(one - other for one, other in zip(called, bare, strict=True))
    by_itself = median(one - other for one, other in zip(called, told, strict=True))
    print(
        f"\nOverhead of GetMove, median of {calls}: {1000 * by_turns:.2f} ms more than the bare search (bare "
        f"{1000 * median(bare):.2f} ms), {1000 * by_itself:.2f} ms more than its own search took."
    )


async def promises(server: Served, requests: Requests, calls: int) -> None:
    """When the answers to searches of PROMISED seconds arrive."""
    print(f"\n| GetMove with {1000 * PROMISED:.0f} ms | median, ms | p90 | p99 | most | too late |")
    print("|---|---|---|---|---|---|")
    async with aio.insecure_channel(server.address, OWN_CONNECTION) as channel:
        stub = OpponentServiceStub(channel)
        limited, until_deadline = requests.promised(True), requests.promised(False)
        print(f"| as its limit | {percentiles(await repeated(lambda: stub.GetMove(limited), calls))} | |", flush=True)
        late = 0

        async def ask() -> None:
            nonlocal late
            try:
                await stub.GetMove(until_deadline, timeout=PROMISED)
            except aio.AioRpcError as error:
                if error.code() != grpc.StatusCode.DEADLINE_EXCEEDED:
                    raise
                late += 1

        print(f"| as the call's deadline | {percentiles(await repeated(ask, calls))} | {late} |", flush=True)


async def cancelled(server: Served, requests: Requests, cores: int) -> None:
    """From cancelling all searches to the answer of one that waited for a core."""
    one = pb.GetMoveRequest(state=requests.opening, limits=SearchLimits(simulations=1))
    times = []
    async with aio.insecure_channel(server.address, OWN_CONNECTION) as channel:
        stub = OpponentServiceStub(channel)
        for _ in range(CANCELLED):
            calls = [stub.GetMove(requests.long) for _ in range(cores)]
            await asyncio.sleep(0.1)
            waiting = stub.GetMove(one)
            await asyncio.sleep(0.05)
            began = time.perf_counter()
            for call in calls:
                call.cancel()
            await waiting
            times.append(time.perf_counter() - began)
    print("\n| cancelled | median, ms | p90 | p99 | most |\n|---|---|---|---|---|")
    print(f"| to the answer of the next search | {percentiles(times)} |")


async def measure(server: Served, name: str, seconds: float, calls: int, cores: int) -> None:
    """All but the calls to a server on one core."""
    requests = Requests(name)
    print(f"\n## {requests.title}, {requests.moves} moves")
    await overhead(server, requests, calls)
    await promises(server, requests, calls)
    await cancelled(server, requests, cores)
    await health(server, requests, cores, 5 * calls)
    for full in (False, True):
        await throughput(server, requests, seconds, full)


async def on_one_core(server: Served, name: str, seconds: float) -> None:
    """ListMoves on a server that has one core."""
    requests = Requests(name)
    times = await load(server, lambda stub: stub.ListMoves(requests.list_moves), 8, seconds)
    rate = len(times.answered) / times.cpu_seconds
    print(
        f"| {requests.title} | {requests.moves} | {len(times.answered) / times.seconds:,.0f} | {rate:,.0f} "
        f"| {percentiles(times.answered)} |",
        flush=True,
    )


def main(
    game: GameOption = None,
    seconds: Annotated[float, typer.Option(min=0.1, help="How long each number of clients calls.")] = 3.0,
    calls: Annotated[int, typer.Option(min=1, help="How many calls are timed one by one.")] = 200,
) -> None:
    """Measure the service under load."""
    games = [game] if game else list(GAMES)
    cores = available_cores()
    print(f"{len(cores)} cores")
    with served() as server:
        for name in games:
            asyncio.run(measure(server, name, seconds, calls, len(cores)))
    print("\n## ListMoves on one core, 8 clients\n")
    print("| state | moves | answers/s | answers/s of the core's time | median, ms | p90 | p99 | most |")
    print("|---|---|---|---|---|---|---|---|")
    with served(kept_to=cores[-1:]) as server:
        for name in games:
            asyncio.run(on_one_core(server, name, seconds))


if __name__ == "__main__":
    run(main)
