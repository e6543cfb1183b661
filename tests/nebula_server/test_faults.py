"""Clients that do their worst, and a server that is killed: afterwards it answers, and nothing is left of them.

What is left would be searches, tasks, threads, connections or memory; each test that has a server checks all of them
in the end.
"""

import asyncio
import gc
import os
import random
import signal
import subprocess
import threading
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from grpc import aio

from nebula_ai.registry import Catalogue
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1 import search_pb2
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_core import build
from nebula_server import server as server_module
from nebula_server.searches import LEAST_BYTES_PER_CORE, QUEUE_PER_CORE
from nebula_server.server import Server
from nebula_server.service import SERVICE
from tests.nebula_server.conftest import CORES, Service, Stub, refusal
from tests.nebula_server.test_searching import LONG, LONG_ON_ALL_CORES, STATE
from tests.serving import served
from tests.waiting import PATIENCE, until

SHORT = pb.GetMoveRequest(state=STATE, limits=SearchLimits(simulations=3))
MOVES = pb.ListMovesRequest(state=STATE)

KEPT_BYTES = 64 << 20
"""More memory than this may no fault leave behind; allocators keep some, and the floods here are larger."""

OWN_CONNECTION = [("grpc.use_local_subchannel_pool", 1)]
"""Channels of one process would else share a connection."""

UNREACHABLE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED)


def resident_bytes() -> int:
    """The memory of this process, in which the server runs as well."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def open_files() -> int:
    """How many this process has, connections among them."""
    return len(os.listdir("/proc/self/fd"))


def search_threads() -> int:
    """How many threads this process keeps for searches."""
    return sum(thread.name.startswith("search") for thread in threading.enumerate())


@asynccontextmanager
async def unharmed(catalogue: Catalogue, memory_bytes: int | None = None) -> AsyncIterator[Service]:
    """A server, on which nothing is left in the end of what was done to it, and which still answers."""
    server = Server(catalogue, CORES, memory_bytes=memory_bytes)
    address = f"127.0.0.1:{await server.start('127.0.0.1:0')}"
    try:
        async with aio.insecure_channel(address) as channel:
            service = Service(server, address, channel, OpponentServiceStub(channel))
            await still_answers(service)
            gc.collect()
            files, tasks, memory = open_files(), len(asyncio.all_tasks()), resident_bytes()
            yield service
            await still_answers(service)
            await until(lambda: server.searches.running == 0 and server.searches.waiting == 0)
            assert search_threads() <= CORES
            await until(lambda: len(asyncio.all_tasks()) <= tasks)
            gc.collect()  # the clients' channels, which stay connected in cycles
            await until(lambda: open_files() <= files)
            if not build.CHECKED:  # the sanitiser keeps what was freed
                await until(lambda: resident_bytes() - memory < KEPT_BYTES)
    finally:
        await server.stop(0)


async def still_answers(service: Service) -> None:
    """See that a server lists moves, and searches."""
    assert (await service.stub.ListMoves(MOVES, timeout=PATIENCE)).moves
    move = await service.stub.GetMove(SHORT, timeout=PATIENCE)
    assert move.analysis.simulations == 3


@pytest.fixture
async def service(catalogue: Catalogue) -> AsyncIterator[Service]:
    """A server that is unharmed in the end."""
    async with unharmed(catalogue) as service:
        yield service


class Line:
    """What lies between a client and a server: it can be cut, and it can go dead."""

    def __init__(self, address: str, source: str = "127.0.0.1") -> None:
        """`address`: of the server. `source`: the host that it sees the client at."""
        self._host, _, self._port = address.rpartition(":")
        self._source = source
        self._alive = asyncio.Event()
        self._alive.set()
        self._ends: list[asyncio.StreamWriter] = []
        self._relays: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def laid(self) -> AsyncIterator[aio.Channel]:
        """A client's channel over the line."""
        listener = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        port = listener.sockets[0].getsockname()[1]
        async with listener, aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield channel
            self.cut()
            await asyncio.gather(*self._relays, return_exceptions=True)

    def cut(self) -> None:
        """Both ends learn that there is nobody any more."""
        for end in self._ends:
            end.transport.abort()
        for relay in self._relays:
            relay.cancel()

    def go_dead(self) -> None:
        """Nothing arrives at either end, and neither learns of it."""
        self._alive.clear()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        other_reader, other_writer = await asyncio.open_connection(
            self._host, int(self._port), local_addr=(self._source, 0)
        )
        self._ends += [writer, other_writer]
        for source, target in ((reader, other_writer), (other_reader, writer)):
            self._relays.append(asyncio.create_task(self._relay(source, target)))

    async def _relay(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        while content := await source.read(1 << 16):
            await self._alive.wait()
            target.write(content)
            await target.drain()
        target.close()


# Clients that are gone.


@pytest.mark.parametrize("request_", [LONG, LONG_ON_ALL_CORES], ids=["one core", "all cores"])
async def test_lines_that_are_cut(service: Service, request_: pb.GetMoveRequest) -> None:
    """While their searches run and wait, many clients are gone at once."""
    lines = [Line(service.address) for _ in range(6)]
    async with asyncio.TaskGroup() as group:

        async def ask(line: Line) -> None:
            async with line.laid() as channel:
                stub = OpponentServiceStub(channel)
                calls = [stub.GetMove(request_) for _ in range(2)]
                with pytest.raises(aio.AioRpcError) as lost:
                    await calls[0]
                assert lost.value.code() in UNREACHABLE
                for call in calls:
                    call.cancel()

        for line in lines:
            group.create_task(ask(line))
        searches = service.server.searches
        cores = request_.workers or 1
        await until(lambda: searches.running == CORES and searches.waiting == 12 - CORES // cores)
        for line in lines:
            line.cut()


async def test_a_line_that_is_dead(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that vanished without a word is missed by the keepalive, and its search ends."""
    sooner = {"grpc.keepalive_time_ms": 500, "grpc.keepalive_timeout_ms": 1000, "grpc.http2.ping_timeout_ms": 1000}
    options = [(name, sooner.get(name, value)) for name, value in server_module.OPTIONS]
    assert sooner.keys() <= dict(options).keys()
    monkeypatch.setattr(server_module, "OPTIONS", options)
    async with unharmed(catalogue) as service:
        line = Line(service.address)
        async with line.laid() as channel:
            call = OpponentServiceStub(channel).GetMove(LONG_ON_ALL_CORES)
            await until(lambda: service.server.searches.running == CORES)
            line.go_dead()
            await until(lambda: service.server.searches.running == 0)
            assert not call.done()  # the client knows of nothing
            call.cancel()


async def test_a_dead_line_and_a_deadline(service: Service) -> None:
    """The server minds the deadline though its client cannot cancel."""
    line = Line(service.address)
    async with line.laid() as channel:
        call = OpponentServiceStub(channel).GetMove(LONG, timeout=3)
        await until(lambda: service.server.searches.running == 1)
        line.go_dead()
        await until(lambda: service.server.searches.running == 0)
        with pytest.raises(aio.AioRpcError) as late:
            await call
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes.fromhex("000000040000000000")


@pytest.mark.parametrize("said", [b"", PREFACE[:10], PREFACE, PREFACE + SETTINGS, PREFACE + SETTINGS[:5]])
async def test_half_open_connections(service: Service, said: bytes) -> None:
    """Connections on which nothing comes, or no more than a beginning, stand in nobody's way."""
    host, _, port = service.address.rpartition(":")
    connections = [await asyncio.open_connection(host, int(port)) for _ in range(50)]
    for _, writer in connections:
        writer.write(said)
    for _, writer in connections[::2]:
        writer.write_eof()
    await still_answers(service)
    for _, writer in connections:
        writer.transport.abort()


async def test_calls_that_are_cancelled_at_once(service: Service) -> None:
    for pause in (0.0, 0.001, 0.01):
        calls = [service.stub.GetMove(LONG) for _ in range(2 * QUEUE_PER_CORE)]
        await asyncio.sleep(pause)
        for call in calls:
            call.cancel()
        await asyncio.gather(*map(ended, calls))
    await until(lambda: service.server.searches.running == 0)


async def ended(call: Awaitable[object]) -> None:
    """Wait for the end of a call that is cancelled or refused."""
    with pytest.raises((asyncio.CancelledError, aio.AioRpcError)):
        await call


# Clients that do not read.


STREAM = pb.AnalyzeStateRequest(state=STATE, limits=LONG.limits, report_interval=Duration(nanos=50_000_000))


def is_final(report: object) -> bool:
    """Whether this is the last report of a stream."""
    assert isinstance(report, pb.AnalyzeStateResponse), "the stream has ended"
    return report.final


async def test_a_reader_that_reads_no_further(service: Service) -> None:
    """A stream that nobody reads ends with its client, and its search with it."""
    calls = [service.stub.AnalyzeState(STREAM) for _ in range(CORES)]
    for call in calls:
        assert not is_final(await call.read())
    await asyncio.sleep(0.5)
    assert service.server.searches.running == CORES
    for call in calls:
        call.cancel()


async def test_a_reader_whose_line_is_dead(service: Service) -> None:
    """Its search still ends at its limit: then the core is free, whether the reports have been read or not."""
    request = pb.AnalyzeStateRequest()
    request.CopyFrom(STREAM)
    request.limits.time.FromMilliseconds(1000)
    request.limits.stop_when_decided = False
    line = Line(service.address)
    async with line.laid() as channel:
        call = OpponentServiceStub(channel).AnalyzeState(request)
        await call.read()
        line.go_dead()
        await until(lambda: service.server.searches.running == 0)
        call.cancel()


# Floods.


async def test_garbage_on_the_port(service: Service, seed: int) -> None:
    """Bytes that are no HTTP/2, and such that begin like it."""
    draw = random.Random(seed)
    host, _, port = service.address.rpartition(":")
    beginnings = (
        b"",
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00",
        PREFACE,
        PREFACE + SETTINGS,
    )

    async def flood(beginning: bytes) -> None:
        reader, writer = await asyncio.open_connection(host, int(port))
        try:
            for content in (beginning, *(draw.randbytes(1 << 16) for _ in range(8))):
                writer.write(content)
                await writer.drain()
            async with asyncio.timeout(0.2):
                await reader.read()
        except (ConnectionError, TimeoutError):
            pass  # hung up on, or left without an answer
        finally:
            writer.transport.abort()

    await asyncio.gather(*(flood(beginning) for beginning in beginnings for _ in range(10)), still_answers(service))


def raw(service: Service, method: str) -> "aio.UnaryUnaryMultiCallable[bytes, bytes]":
    """A method of the service that takes bytes and returns bytes."""
    return service.channel.unary_unary(f"/{SERVICE}/{method}", request_serializer=bytes, response_deserializer=bytes)


METHODS: dict[str, Message] = {
    "ListGames": pb.ListGamesRequest(),
    "GetGame": pb.GetGameRequest(game="nebula"),
    "ListBots": pb.ListBotsRequest(game="nebula"),
    "CreateState": pb.CreateStateRequest(game="via_nebula", players=4, chance=ChancePolicy(seed=1)),
    "ObserveState": pb.ObserveStateRequest(state=STATE, seat=0),
    "ListMoves": MOVES,
    "ApplyMove": pb.ApplyMoveRequest(state=STATE, move=Choice(number=1)),
    "ResolveChance": pb.ResolveChanceRequest(state=STATE, outcomes=[Choice(text="piece red")]),
    "GetMove": SHORT,
}
"""A request for each method that answers once."""

REFUSALS = {
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.FAILED_PRECONDITION,
    # Searches with other limits than meant.
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}


async def test_garbage_as_requests(service: Service, seed: int) -> None:
    """Random bytes, and requests of which some bits are wrong or the end is missing: refused, or even good."""
    draw = random.Random(seed)

    def spoilt(content: bytes) -> bytes:
        wrong = bytearray(content)
        for _ in range(draw.randrange(1, 4)):
            if wrong:
                wrong[draw.randrange(len(wrong))] ^= 1 << draw.randrange(8)
        return bytes(wrong[: draw.choice((len(wrong), draw.randrange(len(wrong) + 1)))])

    async def ask(method: str, content: bytes) -> None:
        call = raw(service, method)(content, timeout=1)
        assert await call.code() in {grpc.StatusCode.OK, *REFUSALS}, (method, content, await call.details())

    for method, request in METHODS.items():
        contents = [spoilt(request.SerializeToString()) for _ in range(40)]
        contents += [draw.randbytes(draw.randrange(2000)) for _ in range(10)]
        await asyncio.gather(*(ask(method, content) for content in contents))


async def test_a_flood_of_requests_that_are_too_large(service: Service) -> None:
    """They are refused, and not kept: together they are many times what the server may keep."""
    content = bytes(1 << 22)
    method = raw(service, "ListMoves")
    for _ in range(2 * KEPT_BYTES // len(content) // 4):
        calls = [method(content) for _ in range(4)]
        assert {await call.code() for call in calls} == {grpc.StatusCode.RESOURCE_EXHAUSTED}


async def test_a_flood_of_searches(service: Service) -> None:
    """From many clients at once: some run, some wait, all others are told when to ask again."""
    async with asyncio.TaskGroup() as group:
        release = asyncio.Event()
        refused: list[int | None] = []

        async def ask() -> None:
            async with aio.insecure_channel(service.address, OWN_CONNECTION) as channel:
                calls = [OpponentServiceStub(channel).GetMove(LONG) for _ in range(10)]
                waiting = asyncio.gather(*map(one, calls))
                await release.wait()
                for call in calls:
                    call.cancel()
                await waiting

        async def one(call: "aio.UnaryUnaryCall[pb.GetMoveRequest, pb.GetMoveResponse]") -> None:
            if await call.code() == grpc.StatusCode.RESOURCE_EXHAUSTED:
                refused.append((await refusal(call)).retry_seconds)

        for _ in range(20):
            group.create_task(ask())
        searches = service.server.searches
        await until(lambda: len(refused) == 200 - (QUEUE_PER_CORE + 1) * CORES)
        assert all(refused)
        assert (searches.running, searches.waiting) == (CORES, QUEUE_PER_CORE * CORES)
        assert (await service.stub.ListMoves(MOVES, timeout=PATIENCE)).moves
        release.set()


async def test_a_flood_of_searches_from_one_address(service: Service) -> None:
    """Clients without a token at another address are let into the full queue, and have every second turn."""
    searches = service.server.searches
    calls = [service.stub.GetMove(LONG) for _ in range((QUEUE_PER_CORE + 1) * CORES)]
    await until(lambda: searches.waiting == QUEUE_PER_CORE * CORES)
    async with Line(service.address, "127.0.0.2").laid() as channel:
        other = OpponentServiceStub(channel).GetMove(SHORT, timeout=PATIENCE)
        await until(lambda: any(call.done() for call in calls))  # the last of the flood has left the queue
        (left,) = (call for call in calls if call.done())
        assert (await refusal(left)).reason == "TOO_MANY_SEARCHES"
        calls.remove(left)
        for call in calls[:2]:
            call.cancel()
        assert (await other).analysis.simulations == 3
        assert searches.waiting > CORES
    for call in calls:
        call.cancel()


# Limits.


YEAR = 365 * 24 * 3600


@pytest.mark.parametrize("seconds", [0, -1, YEAR])
async def test_absurd_time_limits(service: Service, seconds: int) -> None:
    request = pb.GetMoveRequest(state=STATE, limits=SearchLimits(time=Duration(seconds=seconds)))
    refused = await refusal(service.stub.GetMove(request, timeout=PATIENCE))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "LIMIT_INVALID")
    assert list(refused.fields) == ["limits.time"]


async def test_absurd_deadlines(service: Service) -> None:
    for timeout in (0, 1e-9):
        with pytest.raises(aio.AioRpcError) as late:
            await service.stub.GetMove(LONG, timeout=timeout)
        assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    # This search takes as long as its deadline, and a client that has much to do may see the answer first.
    code = await service.stub.GetMove(LONG, timeout=1e-3).code()
    assert code in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.OK)
    assert (await service.stub.GetMove(SHORT, timeout=YEAR)).move.text


async def test_a_full_arena(catalogue: Catalogue) -> None:
    """Searches that use up their memory go on without more of it, and answer; those on all cores have a share each."""
    async with unharmed(catalogue, memory_bytes=CORES * LEAST_BYTES_PER_CORE) as service:
        nodes = service.server.searches.nodes_per_core
        for workers in (1, CORES):
            limits = SearchLimits(simulations=workers * nodes * 5 // 4, stop_when_decided=False)
            request = pb.GetMoveRequest(state=STATE, limits=limits, workers=workers)
            answer = await service.stub.GetMove(request)
            assert answer.analysis.tree_full
            assert answer.analysis.nodes == workers * nodes
            assert answer.analysis.stop_rule == search_pb2.STOP_RULE_SIMULATIONS
            legal = (await service.stub.ListMoves(MOVES)).moves
            assert answer.move in legal


# The end of the server.


async def load(stub: Stub, answers: list[object]) -> None:
    """Ask as fast as it goes until the server is gone."""
    code = grpc.StatusCode.OK
    while code == grpc.StatusCode.OK:
        call = stub.ListMoves(MOVES)
        code = await call.code()
        answers.append(code)
    assert code in UNREACHABLE


async def until_exit(process: "subprocess.Popen[str]") -> int:
    """What a process returns."""
    await until(lambda: process.poll() is not None)
    return process.returncode


async def test_sigterm_under_load() -> None:
    """Searches that run are cut and answer; those that wait are refused; the process ends well."""
    with served("--cores", "1", "--drain-seconds", "0.2") as (process, address, _):
        async with aio.insecure_channel(address) as channel:
            stub = OpponentServiceStub(channel)
            await stub.GetMove(SHORT, wait_for_ready=True, timeout=PATIENCE)
            answers: list[object] = []
            asking = [asyncio.create_task(load(stub, answers)) for _ in range(8)]
            running = stub.AnalyzeState(STREAM)
            reports = aiter(running)
            assert not (await anext(reports)).final
            waiting = stub.GetMove(LONG)
            await until(lambda: len(answers) > 50)
            process.send_signal(signal.SIGTERM)
            *_, last = [report async for report in reports]
            assert last.final
            assert last.analysis.stop_rule == search_pb2.STOP_RULE_CANCELLED
            refused = await refusal(waiting)
            assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
            await asyncio.gather(*asking)
            assert await until_exit(process) == 0


async def test_sigkill_under_load(catalogue: Catalogue) -> None:
    """Every client learns of it at once, and the next server takes the port over and answers the same clients."""
    with served("--cores", "1") as (process, address, _):
        async with aio.insecure_channel(address) as channel:
            stub = OpponentServiceStub(channel)
            await stub.GetMove(SHORT, wait_for_ready=True, timeout=PATIENCE)
            answers: list[object] = []
            asking = [asyncio.create_task(load(stub, answers)) for _ in range(8)]
            calls = [stub.GetMove(LONG) for _ in range(4)]
            await until(lambda: len(answers) > 50)
            process.kill()
            for call in calls:
                with pytest.raises(aio.AioRpcError) as gone:
                    await call
                assert gone.value.code() in UNREACHABLE
            await asyncio.gather(*asking)
            assert await until_exit(process) == -signal.SIGKILL
            server = Server(catalogue, 1)
            await server.start(address)
            code = grpc.StatusCode.UNAVAILABLE
            while code == grpc.StatusCode.UNAVAILABLE:  # a connection that the first one took just as it ended
                code = await stub.GetMove(SHORT, wait_for_ready=True, timeout=PATIENCE).code()
            assert code == grpc.StatusCode.OK
            await server.stop(0)
