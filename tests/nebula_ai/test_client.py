"""Both clients against a real server, against one that refuses, and through a connection that breaks."""

import asyncio
import pickle
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo, Help, RetryInfo
from google.rpc.status_pb2 import Status
from grpc import aio
from grpc_status import rpc_status

from nebula_ai import client as clients
from nebula_ai.client import AsyncClient, Client, ServiceError, Tls, attempts, connection
from nebula_ai.errors import InvalidInput
from nebula_ai.registry import Catalogue
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.game_pb2 import Game
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView
from tests.nebula_server.conftest import Service, running
from tests.waiting import PATIENCE, until

SERVICE = pb.DESCRIPTOR.services_by_name["OpponentService"]
NEW = pb.CreateStateRequest(game="nebula", players=2, chance=ChancePolicy(seed=1))
MINUTES = SearchLimits(time=Duration(seconds=600))
"""Of a search that no test waits for."""

Context = aio.ServicerContext[Any, Any]


# --- Both clients, asked in one way ------------------------------------------------------------------------------


class Asked:
    """One of the two clients, as a test asks it: that for threads is asked in a thread of its own."""

    def __init__(self, client: Client | AsyncClient) -> None:
        self.client = client

    async def __call__(self, method: str, request: Message, **options: float) -> Any:
        """What a method answers."""
        bound = getattr(self.client, method)
        if isinstance(self.client, AsyncClient):
            return await bound(request, **options)
        return await asyncio.to_thread(bound, request, **options)

    async def reports(self, request: pb.AnalyzeStateRequest, **options: float) -> list[pb.AnalyzeStateResponse]:
        """All reports of an analysis; those that came before an error are lost."""
        if isinstance(self.client, AsyncClient):
            async with self.client.analyze_state(request, **options) as analysis:
                return [report async for report in analysis]
        return await asyncio.to_thread(lambda: list(self.client.analyze_state(request, **options)))  # type: ignore[arg-type]

    async def close(self) -> None:
        """Closes the client."""
        if isinstance(self.client, AsyncClient):
            await self.client.close()
        else:
            self.client.close()


Make = Callable[..., Asked]


@pytest.fixture(params=[Client, AsyncClient])
async def make(request: pytest.FixtureRequest) -> AsyncIterator[Make]:
    """Makes clients of one kind, and closes them."""
    made: list[Asked] = []

    def make(*arguments: Any, **options: Any) -> Asked:
        made.append(Asked(request.param(*arguments, **options)))
        return made[-1]

    yield make
    for asked in made:
        await asked.close()


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    """A server."""
    async with running(Catalogue()) as service:
        yield service


# --- A real server -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [Client, AsyncClient])
def test_there_is_a_method_for_each_of_the_service(kind: type) -> None:
    names = [re.sub("(?<!^)([A-Z])", r"_\1", method.name).lower() for method in SERVICE.methods]
    assert {name for name in vars(kind) if not name.startswith("_")} == {*names, "close"}


async def test_every_method_answers(make: Make, service: Service) -> None:
    ask = make(service.address)
    assert (await ask("list_games", pb.ListGamesRequest())).games[0].game == "nebula"
    assert (await ask("get_game", pb.GetGameRequest(game="via_nebula"))).via_nebula.maps
    assert (await ask("list_bots", pb.ListBotsRequest(game="nebula"))).bots[0].bot == "random"
    view = (await ask("create_state", NEW)).state
    state = State(packed=view.packed)
    seen = (await ask("observe_state", pb.ObserveStateRequest(state=state, seat=1))).state
    assert seen.packed != view.packed
    moves = (await ask("list_moves", pb.ListMovesRequest(state=state))).moves
    moved = await ask("apply_move", pb.ApplyMoveRequest(state=state, move=Choice(number=moves[0].number)))
    assert moved.state.packed != view.packed
    pending = (
        await ask(
            "create_state", pb.CreateStateRequest(game="nebula", players=2, chance=ChancePolicy(leave_pending=Empty()))
        )
    ).state
    resolve = pb.ResolveChanceRequest(state=State(packed=pending.packed), outcomes=[Choice(text="piece red")])
    assert (await ask("resolve_chance", resolve)).state.status == StateView.STATUS_CHANCE
    limits = SearchLimits(simulations=50)
    answer = await ask("get_move", pb.GetMoveRequest(state=state, limits=limits, seed=1))
    assert answer.move in moves
    reports = await ask.reports(pb.AnalyzeStateRequest(state=state, limits=limits, seed=1))
    assert [report.final for report in reports] == [False] * (len(reports) - 1) + [True]
    assert reports[-1].move == answer.move


async def test_a_refusal_names_code_reason_and_field(make: Make, service: Service) -> None:
    ask = make(service.address)
    state = State(packed=(await ask("create_state", NEW)).state.packed)
    with pytest.raises(clients.InvalidArgument) as refused:
        await ask("apply_move", pb.ApplyMoveRequest(state=state, move=Choice(text="place red 0")))
    error = refused.value
    assert (error.code, error.reason, error.field) == (grpc.StatusCode.INVALID_ARGUMENT, "MOVE_INVALID", "move.text")
    assert str(error) == f"move.text: {error.fields['move.text']} (MOVE_INVALID)"
    assert error.retry_delay is None
    assert re.fullmatch("[0-9a-f]{32}", error.request_id)
    with pytest.raises(clients.NotFound):
        await ask("list_bots", pb.ListBotsRequest(game="chess"))
    with pytest.raises(clients.FailedPrecondition) as refused_resolution:
        await ask("resolve_chance", pb.ResolveChanceRequest(state=state, outcomes=[Choice(text="piece red")]))
    assert refused_resolution.value.reason == "NO_CHANCE_PENDING"
    with pytest.raises(clients.InvalidArgument) as refused_analysis:
        await ask.reports(pb.AnalyzeStateRequest(state=state, bot="nobody"))
    assert refused_analysis.value.field == "bot"


async def test_an_error_crosses_processes(make: Make, service: Service) -> None:
    with pytest.raises(clients.NotFound) as refused:
        await make(service.address)("get_game", pb.GetGameRequest(game="chess"))
    copy = pickle.loads(pickle.dumps(refused.value))
    assert (type(copy), vars(copy), str(copy)) == (clients.NotFound, vars(refused.value), str(refused.value))


# --- Ending a search ---------------------------------------------------------------------------------------------


def searches(service: Service) -> int:
    """How many searches run."""
    return service.server.searches.running


async def long_analysis(service: Service) -> pb.AnalyzeStateRequest:
    """A request whose reports come for minutes."""
    view = (await service.stub.CreateState(NEW)).state
    for _ in range(2):  # the first choices are decided soon
        moved = await service.stub.ApplyMove(
            pb.ApplyMoveRequest(state=State(packed=view.packed), move=await first(service, view))
        )
        view = moved.state
    # Several workers search to the end of their time.
    return pb.AnalyzeStateRequest(
        state=State(packed=view.packed), limits=MINUTES, workers=2, report_interval=Duration(nanos=50_000_000)
    )


async def first(service: Service, view: StateView) -> Choice:
    """The first legal move."""
    moves = (await service.stub.ListMoves(pb.ListMovesRequest(state=State(packed=view.packed)))).moves
    return Choice(number=moves[0].number)


async def test_closing_the_reports_ends_the_search(service: Service) -> None:
    request = await long_analysis(service)

    def read_two(client: Client) -> None:
        with client.analyze_state(request, timeout=600) as analysis:
            assert not next(analysis).final
            assert not next(analysis).final
        assert list(analysis) == []

    with Client(service.address) as client:
        await asyncio.to_thread(read_two, client)
        await until(lambda: searches(service) == 0)
    async with AsyncClient(service.address) as other:
        async with other.analyze_state(request, timeout=600) as reports:
            assert not (await anext(reports)).final
            assert not (await anext(reports)).final
        assert [report async for report in reports] == []
        await until(lambda: searches(service) == 0)


async def test_reports_are_closed_while_somebody_waits_for_the_next(service: Service) -> None:
    request = await long_analysis(service)
    request.report_interval.FromSeconds(60)
    with Client(service.address) as client:
        analysis = client.analyze_state(request, timeout=600)
        reading = asyncio.create_task(asyncio.to_thread(list, analysis))
        await until(lambda: searches(service) > 0)
        analysis.close()
        assert all(not report.final for report in await reading)
        await until(lambda: searches(service) == 0)
    async with AsyncClient(service.address) as other:
        reports = other.analyze_state(request, timeout=600)

        async def read() -> list[pb.AnalyzeStateResponse]:
            return [report async for report in reports]

        task = asyncio.create_task(read())
        await until(lambda: searches(service) > 0)
        reports.close()
        assert all(not report.final for report in await task)
        await until(lambda: searches(service) == 0)


async def test_reports_that_nobody_wants_any_more_end_the_search(service: Service) -> None:
    request = await long_analysis(service)

    def read_one(client: Client) -> None:
        for _ in client.analyze_state(request, timeout=600):
            break

    with Client(service.address) as client:
        await asyncio.to_thread(read_one, client)
        await until(lambda: searches(service) == 0)
    async with AsyncClient(service.address) as other:
        async for _ in other.analyze_state(request, timeout=600):
            break
        await until(lambda: searches(service) == 0)


async def test_cancelling_a_task_ends_its_search(service: Service) -> None:
    request = await long_analysis(service)
    async with AsyncClient(service.address) as client:

        async def read() -> None:
            async for _ in client.analyze_state(request, timeout=600):
                pass

        move = pb.GetMoveRequest(state=request.state, limits=MINUTES, workers=2)
        for work in (read(), client.get_move(move, timeout=600)):
            task: asyncio.Task[Any] = asyncio.create_task(work)
            await until(lambda: searches(service) > 0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: searches(service) == 0)


async def test_the_end_of_a_client_is_the_end_of_its_calls(make: Make, service: Service) -> None:
    ask = make(service.address)
    request = await long_analysis(service)
    move = pb.GetMoveRequest(state=request.state, limits=MINUTES, workers=2)
    calls = asyncio.gather(ask("get_move", move, timeout=600), return_exceptions=True)
    await until(lambda: searches(service) > 0)
    await ask.close()
    (ended,) = await calls
    assert isinstance(ended, ServiceError | asyncio.CancelledError)
    await until(lambda: searches(service) == 0)


# --- A server that refuses ---------------------------------------------------------------------------------------


class Moody:
    """Refuses as often as it is told, and then answers. Keeps what it was asked with."""

    def __init__(self, refusal: grpc.Status | None = None, times: int = 0) -> None:
        self.refusal = refusal
        self.times = times
        self.reports_before = 0
        """How many reports of an analysis come before the refusal."""
        self.asked: list[dict[str, str]] = []
        """The metadata of each call, and how many seconds it had."""
        self.remaining: list[float] = []
        self.act: Callable[[], Awaitable[object]] | None = None
        """What it does in place of refusing."""

    async def refuse(self, context: Context) -> None:
        """Refuses, if it still has to."""
        self.asked.append({key: str(value) for key, value in context.invocation_metadata() or ()})
        self.remaining.append(context.time_remaining() or 0.0)
        if len(self.asked) <= self.times:
            if self.act is not None:
                await self.act()
            if self.refusal is not None:
                await context.abort_with_status(self.refusal)

    async def list_games(self, _request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """One of the methods without a stream."""
        await self.refuse(context)
        return pb.ListGamesResponse(games=[Game(game="chess")])

    async def analyze_state(
        self, _request: pb.AnalyzeStateRequest, context: Context
    ) -> AsyncIterator[pb.AnalyzeStateResponse]:
        """The method with a stream."""
        for _ in range(self.reports_before):
            yield pb.AnalyzeStateResponse()
        await self.refuse(context)
        yield pb.AnalyzeStateResponse(final=True)


@asynccontextmanager
async def serving(moody: Moody, credentials: grpc.ServerCredentials | None = None) -> AsyncIterator[int]:
    """The port where it answers."""
    server = aio.server()
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "ListGames": grpc.unary_unary_rpc_method_handler(
            moody.list_games, pb.ListGamesRequest.FromString, pb.ListGamesResponse.SerializeToString
        ),
        "AnalyzeState": grpc.unary_stream_rpc_method_handler(
            moody.analyze_state, pb.AnalyzeStateRequest.FromString, pb.AnalyzeStateResponse.SerializeToString
        ),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE.full_name, handlers),))
    if credentials is None:
        port = server.add_insecure_port("127.0.0.1:0")
    else:
        port = server.add_secure_port("127.0.0.1:0", credentials)
    await server.start()
    try:
        yield port
    finally:
        await server.stop(0)


def refusal(code: grpc.StatusCode, retry_seconds: float | None = None, *, reason: str = "") -> grpc.Status:
    """A status, as the service makes it."""
    details: list[Message] = [Help()]  # one that no client of ours knows
    if retry_seconds is not None:
        retry = RetryInfo()
        retry.retry_delay.FromMilliseconds(round(retry_seconds * 1000))
        details.append(retry)
    if reason:
        details.append(ErrorInfo(reason=reason))
    status = Status(code=code.value[0], message="not now")
    for detail in details:
        packed = Packed()
        packed.Pack(detail)
        status.details.append(packed)
    return rpc_status.to_status(status)


@dataclass
class SentStatus(grpc.Status):
    """A status byte by byte."""

    code: grpc.StatusCode
    details: str
    trailing_metadata: tuple[tuple[str, bytes], ...]


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Attempts come soon after each other."""
    monkeypatch.setattr(attempts, "FIRST_PAUSE_SECONDS", 0.001)


UNAVAILABLE = refusal(grpc.StatusCode.UNAVAILABLE)
BUSY = refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, 0.001)
GAMES = pb.ListGamesRequest()
ANALYSIS = pb.AnalyzeStateRequest()


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("refused", [UNAVAILABLE, BUSY], ids=["unavailable", "busy"])
@pytest.mark.parametrize("times", [0, 1, attempts.MAX_ATTEMPTS - 1])
async def test_what_is_refused_for_now_is_asked_again(make: Make, refused: grpc.Status, times: int) -> None:
    moody = Moody(refused, times)
    async with serving(moody) as port:
        ask = make(f"127.0.0.1:{port}")
        assert (await ask("list_games", GAMES)).games[0].game == "chess"
        assert len(moody.asked) == times + 1
        moody.asked.clear()
        assert [report.final for report in await ask.reports(ANALYSIS)] == [True]
        assert len(moody.asked) == times + 1


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize(
    ("refused", "kind"),
    [(UNAVAILABLE, clients.Unavailable), (BUSY, clients.ResourceExhausted)],
    ids=["unavailable", "busy"],
)
async def test_what_is_refused_all_the_time_is_given_up(
    make: Make, refused: grpc.Status, kind: type[ServiceError]
) -> None:
    moody = Moody(refused, 1000)
    async with serving(moody) as port:
        ask = make(f"127.0.0.1:{port}")
        for call in (lambda: ask("list_games", GAMES), lambda: ask.reports(ANALYSIS)):
            moody.asked.clear()
            with pytest.raises(kind, match="not now"):
                await call()
            assert len(moody.asked) == attempts.MAX_ATTEMPTS


@pytest.mark.parametrize(
    "code",
    [code for code in grpc.StatusCode if code not in (grpc.StatusCode.OK, grpc.StatusCode.UNAVAILABLE)],
    ids=lambda code: code.name,
)
async def test_what_would_be_refused_again_is_not_asked_again(make: Make, code: grpc.StatusCode) -> None:
    """RESOURCE_EXHAUSTED is among them where it comes without a delay, as for a message that is too large."""
    moody = Moody(refusal(code, reason="SOME_REASON"), 1)
    async with serving(moody) as port:
        ask = make(f"127.0.0.1:{port}")
        with pytest.raises(ServiceError) as refused:
            await ask("list_games", GAMES)
    assert len(moody.asked) == 1
    named = code.name.title().replace("_", "")
    assert type(refused.value) is getattr(clients, named, ServiceError)
    assert (refused.value.code, refused.value.reason, refused.value.message) == (code, "SOME_REASON", "not now")
    assert str(refused.value) == "not now (SOME_REASON)"


async def test_the_delay_that_is_told_is_kept(make: Make) -> None:
    moody = Moody(refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, 0.3), 1)
    async with serving(moody) as port:
        await make(f"127.0.0.1:{port}")("list_games", GAMES, timeout=8)
    first, second = moody.remaining
    # All attempts have one deadline. On its way the time that is left is rounded to hundredths of a second.
    assert second <= first - 0.3 + 0.02 <= 8 - 0.3 + 0.04


def test_pauses_grow_and_differ() -> None:
    where = connection.Connection("127.0.0.1:1", None, None, 1000)
    error = aio.AioRpcError(grpc.StatusCode.UNAVAILABLE, aio.Metadata(), aio.Metadata())
    runs = []
    for _ in range(50):
        tries = attempts.Attempts(where, None)
        runs.append([tries.pause(error) for _ in range(attempts.MAX_ATTEMPTS - 1)])
        with pytest.raises(clients.Unavailable):
            tries.pause(error)
    for number, pauses in enumerate(zip(*runs, strict=True)):
        shortest = attempts.FIRST_PAUSE_SECONDS * 2**number
        assert shortest <= min(pauses) < max(pauses) <= shortest * (1 + attempts.SPREAD)


async def test_no_attempt_is_waited_for_beyond_the_deadline(make: Make) -> None:
    moody = Moody(refusal(grpc.StatusCode.RESOURCE_EXHAUSTED, 3600, reason="QUOTA"), 1)
    async with serving(moody) as port:
        with pytest.raises(clients.ResourceExhausted) as refused:
            await make(f"127.0.0.1:{port}", timeout=PATIENCE)("list_games", GAMES)
    assert len(moody.asked) == 1
    assert (refused.value.retry_delay, refused.value.reason) == (3600, "QUOTA")


async def test_an_answer_that_does_not_come(make: Make) -> None:
    moody = Moody(times=1)
    moody.act = asyncio.Event().wait
    async with serving(moody) as port:
        with pytest.raises(clients.DeadlineExceeded) as late:
            await make(f"127.0.0.1:{port}")("list_games", GAMES, timeout=0.2)
    assert (late.value.reason, late.value.retry_delay) == ("", None)
    assert str(late.value).endswith(" (DEADLINE_EXCEEDED)")


async def test_nobody_is_there(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attempts, "FIRST_PAUSE_SECONDS", 0.01)
    async with serving(Moody()) as port:
        pass
    ask = make(f"127.0.0.1:{port}", timeout=PATIENCE)
    with pytest.raises(clients.Unavailable):
        await ask("list_games", GAMES)
    with pytest.raises(clients.Unavailable):
        await ask.reports(ANALYSIS)


async def test_a_status_that_somebody_garbled(make: Make) -> None:
    """The code counts then."""
    code = grpc.StatusCode.INVALID_ARGUMENT
    broken = Status(code=code.value[0], message="not now")
    broken.details.add(type_url="type.googleapis.com/google.rpc.ErrorInfo", value=b"\xff")
    other = Status(code=grpc.StatusCode.INTERNAL.value[0], message="not now")
    for content in (b"\xff\xff", broken.SerializeToString(), other.SerializeToString()):
        status = SentStatus(code, "not now", (("grpc-status-details-bin", content),))
        async with serving(Moody(status, 1)) as port:
            with pytest.raises(clients.InvalidArgument) as refused:
                await make(f"127.0.0.1:{port}")("list_games", GAMES)
        assert (refused.value.message, refused.value.reason, refused.value.field) == ("not now", "", None)


@pytest.mark.usefixtures("at_once")
async def test_all_attempts_of_a_call_have_its_id(make: Make) -> None:
    moody = Moody(UNAVAILABLE, 2)
    async with serving(moody) as port:
        ask = make(f"127.0.0.1:{port}")
        await ask("list_games", GAMES)
        await ask("list_games", GAMES)
    one, same, answered, other = (asked["x-request-id"] for asked in moody.asked)
    assert one == same == answered != other
    assert re.fullmatch(r"[A-Za-z0-9._-]{1,64}", one)
    assert "authorization" not in moody.asked[0]


# --- A connection that breaks ------------------------------------------------------------------------------------


class Wire:
    """What lies between a client and a server, and can be cut."""

    def __init__(self, port: int) -> None:
        """`port`: where the server is."""
        self.port = port
        self.writers: list[asyncio.StreamWriter] = []

    async def connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Joins a client that has come to the server."""
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.port)
        self.writers += (writer, far_writer)
        await asyncio.gather(self.pass_on(reader, far_writer), self.pass_on(far_reader, writer))

    async def pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One direction of it, to its end."""
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def cut(self) -> None:
        """Cuts all that pass now; later ones are whole."""
        for writer in self.writers:
            writer.transport.abort()
        self.writers.clear()


@asynccontextmanager
async def through_a_wire(moody: Moody) -> AsyncIterator[tuple[Wire, str]]:
    """A wire to a server, and the address of its end."""
    async with serving(moody) as port:
        wire = Wire(port)
        async with await asyncio.start_server(wire.connect, "127.0.0.1", 0) as listener:
            yield wire, f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
            await wire.cut()


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("times", [1, 3])
async def test_what_was_cut_before_the_answer_is_asked_again(make: Make, times: int) -> None:
    moody = Moody(times=times)
    async with through_a_wire(moody) as (wire, address):
        moody.act = wire.cut
        ask = make(address)
        assert (await ask("list_games", GAMES)).games[0].game == "chess"
        assert len(moody.asked) == times + 1
        moody.asked.clear()
        assert [report.final for report in await ask.reports(ANALYSIS)] == [True]
        assert len(moody.asked) == times + 1


async def test_what_was_cut_within_the_answer_is_not_asked_again() -> None:
    moody = Moody(times=1000)
    moody.act = asyncio.Event().wait
    moody.reports_before = 2
    async with through_a_wire(moody) as (wire, address):
        with Client(address) as client:
            analysis = client.analyze_state(ANALYSIS)
            for _ in range(2):
                assert not (await asyncio.to_thread(next, analysis)).final
            await wire.cut()
            with pytest.raises(clients.Unavailable):
                await asyncio.to_thread(next, analysis)
        assert len(moody.asked) == 1
        moody.asked.clear()
        async with AsyncClient(address) as other, other.analyze_state(ANALYSIS) as reports:
            for _ in range(2):
                assert not (await anext(reports)).final
            await wire.cut()
            with pytest.raises(clients.Unavailable):
                await anext(reports)
        assert len(moody.asked) == 1


async def test_closed_between_two_attempts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits for the next attempt is told at once that there will be none."""
    monkeypatch.setattr(attempts, "FIRST_PAUSE_SECONDS", PATIENCE)
    moody = Moody(UNAVAILABLE, 1000)
    async with serving(moody) as port:
        with Client(f"127.0.0.1:{port}", timeout=1000) as client:
            analysis = client.analyze_state(ANALYSIS)
            reading = asyncio.create_task(asyncio.to_thread(list, analysis))
            await until(lambda: len(moody.asked) == 1)
            analysis.close()
            async with asyncio.timeout(PATIENCE):
                assert await reading == []
        moody.asked.clear()
        async with AsyncClient(f"127.0.0.1:{port}", timeout=1000) as other:
            reports = other.analyze_state(ANALYSIS)

            async def read() -> list[pb.AnalyzeStateResponse]:
                return [report async for report in reports]

            task = asyncio.create_task(read())
            await until(lambda: len(moody.asked) == 1)
            reports.close()
            async with asyncio.timeout(PATIENCE):
                assert await task == []
        assert len(moody.asked) == 1


# --- TLS, tokens, and what is no address -------------------------------------------------------------------------


@contextmanager
def files(folder: Path, **contents: trustme.Blob) -> Iterator[dict[str, Path]]:
    """Certificates and keys in files, by name."""
    paths = {name: folder / f"{name}.pem" for name in contents}
    for name, content in contents.items():
        content.write_to_path(paths[name])
    yield paths


@pytest.mark.usefixtures("at_once")
async def test_tls_and_a_token(make: Make, tmp_path: Path) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    server = authority.issue_cert("127.0.0.1")
    credentials = grpc.ssl_server_credentials([(server.private_key_pem.bytes(), server.cert_chain_pems[0].bytes())])
    moody = Moody()
    with files(tmp_path, root=authority.cert_pem, other=stranger.cert_pem) as paths:
        async with serving(moody, credentials) as port:
            tls = Tls(root=paths["root"])
            await make(f"127.0.0.1:{port}", token="secret", tls=tls)("list_games", GAMES)
            assert moody.asked[0]["authorization"] == "Bearer secret"
            for wrong in (None, Tls(root=paths["other"]), Tls()):
                with pytest.raises(clients.Unavailable):
                    await make(f"127.0.0.1:{port}", tls=wrong)("list_games", GAMES)
    assert len(moody.asked) == 1


@pytest.mark.usefixtures("at_once")
async def test_both_sides_show_a_certificate(make: Make, tmp_path: Path) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    server, known, unknown = (
        authority.issue_cert("127.0.0.1"),
        authority.issue_cert("somebody"),
        stranger.issue_cert("somebody"),
    )
    credentials = grpc.ssl_server_credentials(
        [(server.private_key_pem.bytes(), server.cert_chain_pems[0].bytes())], authority.cert_pem.bytes(), True
    )
    moody = Moody()
    with files(
        tmp_path,
        root=authority.cert_pem,
        known=known.private_key_and_cert_chain_pem,
        unknown=unknown.private_key_and_cert_chain_pem,
    ) as paths:
        async with serving(moody, credentials) as port:
            root = paths["root"]
            await make(f"127.0.0.1:{port}", tls=Tls(root, paths["known"], paths["known"]))("list_games", GAMES)
            for wrong in (Tls(root), Tls(root, paths["unknown"], paths["unknown"])):
                with pytest.raises(clients.Unavailable):
                    await make(f"127.0.0.1:{port}", tls=wrong)("list_games", GAMES)
    assert len(moody.asked) == 1


@pytest.mark.parametrize(
    ("address", "options", "field", "words"),
    [
        ("localhost", {}, "address", "must be HOST:PORT or unix:PATH, not 'localhost'"),
        ("http://localhost:1", {}, "address", "must be HOST:PORT"),
        ("unix:", {}, "address", "must be HOST:PORT or unix:PATH"),
        ("a b:1", {}, "address", "must be HOST:PORT"),
        ("localhost:x", {}, "address", "must be HOST:PORT"),
        ("localhost:1", {"timeout": 0}, "timeout", "must be over 0"),
        ("localhost:1", {"timeout": float("nan")}, "timeout", "must be over 0"),
        ("localhost:1", {"timeout": float("inf")}, "timeout", "must be over 0"),
        ("localhost:1", {"token": ""}, "token", "must be printable ASCII"),
        ("localhost:1", {"token": "secret\n"}, "token", "must be printable ASCII without spaces$"),
        ("example.org:1", {"token": "secret"}, "tls", "must be given: a token is not sent to 'example.org:1'"),
        ("192.0.2.1:1", {"token": "secret"}, "tls", "must be given"),
        ("localhost:1", {"tls": Tls("none.pem")}, "tls.root", "cannot read the file 'none.pem': No such file"),
        ("localhost:1", {"tls": Tls(certificate="none.pem")}, "tls", "certificate and key must be given together"),
    ],
)
async def test_what_is_no_service(make: Make, address: str, options: dict[str, Any], field: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words) as refused:
        make(address, **options)
    assert refused.value.field == field


@pytest.mark.parametrize("address", ["localhost:1", "127.0.0.1:1", "127.3.2.1:1", "[::1]:1"])
async def test_a_token_is_sent_to_this_machine(make: Make, address: str) -> None:
    make(address, token="secret")


async def test_a_timeout_that_is_none(make: Make) -> None:
    ask = make("127.0.0.1:1")
    with pytest.raises(InvalidInput, match="timeout: must be over 0"):
        await ask("list_games", GAMES, timeout=0)
    with pytest.raises(InvalidInput, match="timeout: must be over 0"):
        await ask.reports(ANALYSIS, timeout=-1)


def test_pings_are_rarer_than_any_server_minds() -> None:
    """Servers that were not told otherwise end connections with pings less than five minutes apart."""
    (milliseconds,) = [value for name, value in connection.OPTIONS if name == "grpc.keepalive_time_ms"]
    assert milliseconds > 5 * 60 * 1000
