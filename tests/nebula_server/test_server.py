"""The server as a whole: health, reflection, and the command that runs it, from its start to its end."""

import asyncio
import os
import re
import signal
import socket
import stat
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, cast

import grpc
import pytest
import trustme
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.duration_pb2 import Duration
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from nebula_ai import load
from nebula_ai.client import Client
from nebula_ai.cores import available_cores
from nebula_ai.errors import EditionError, InvalidInput
from nebula_ai.registry import Catalogue
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1 import search_pb2
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_server import security
from nebula_server.server import Server, serve
from nebula_server.service import SERVICE
from nebula_server.settings import read
from tests.nebula_server.conftest import Service, refusal
from tests.serving import COMMAND, served

PATIENCE = 60
"""Seconds until a test gives up waiting for what should happen at once."""


CALLS = (1 << 16) // 150
"""The lines of so many calls are more than a pipe holds that nobody reads: 64 KiB, on Linux."""


@pytest.mark.parametrize("name", ["", SERVICE])
async def test_health(service: Service, name: str) -> None:
    health = health_pb2_grpc.HealthStub(service.channel)
    response = await health.Check(health_pb2.HealthCheckRequest(service=name))  # type: ignore[attr-defined]
    assert response.status == health_pb2.HealthCheckResponse.SERVING


async def test_health_of_an_unknown_service(service: Service) -> None:
    health = health_pb2_grpc.HealthStub(service.channel)
    with pytest.raises(aio.AioRpcError) as refused:
        await health.Check(health_pb2.HealthCheckRequest(service="nebula_ai.v1.Other"))  # type: ignore[attr-defined]
    assert refused.value.code() == grpc.StatusCode.NOT_FOUND


async def test_reflection(service: Service) -> None:
    """A client that has no proto file finds the service, its methods and, in turn, every file that they need."""
    reflection = reflection_pb2_grpc.ServerReflectionStub(service.channel)  # type: ignore[arg-type]

    async def ask(request: reflection_pb2.ServerReflectionRequest) -> reflection_pb2.ServerReflectionResponse:
        async for response in reflection.ServerReflectionInfo(iter([request])):  # type: ignore[operator]
            assert isinstance(response, reflection_pb2.ServerReflectionResponse)
            return response
        raise AssertionError("no answer")

    services = await ask(reflection_pb2.ServerReflectionRequest(list_services=""))
    names = [service.name for service in services.list_services_response.service]
    assert {SERVICE, "grpc.health.v1.Health"} <= set(names)
    found = await ask(reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE))
    files = map(FileDescriptorProto.FromString, found.file_descriptor_response.file_descriptor_proto)
    file = next(file for file in files if file.service)
    assert {method.name for method in file.service[0].method} == {
        "ListGames",
        "GetGame",
        "ListBots",
        "CreateState",
        "ObserveState",
        "ListMoves",
        "ApplyMove",
        "ResolveChance",
        "GetMove",
        "AnalyzeState",
    }
    needed = list(file.dependency)
    while needed:
        name = needed.pop()
        found = await ask(reflection_pb2.ServerReflectionRequest(file_by_filename=name))
        files = map(FileDescriptorProto.FromString, found.file_descriptor_response.file_descriptor_proto)
        needed += next(file for file in files if file.name == name).dependency


# The command.


def test_serve(house_edition: Path) -> None:
    """From its first line to its last, with Ctrl-C."""
    with served("--edition", str(house_edition), "--log-format", "console") as (process, address, started):
        assert f" cores={available_cores()} " in started
        with grpc.insecure_channel(address) as channel:
            game = OpponentServiceStub(channel).ListGames(pb.ListGamesRequest(), wait_for_ready=True).games[0]
            assert [edition.edition for edition in game.editions] == ["standard", "house"]
        process.send_signal(signal.SIGINT)
        assert process.stderr is not None
        said = process.stderr.read()
        assert process.wait(PATIENCE) == 0
    assert re.search(r" name=log_format value=console source=--log-format\n", said)
    assert re.search(r" name=drain_seconds value=10\.0 source=default\n", said)
    assert re.search(r" method=ListGames client=anonymous code=OK ", said)
    assert said.splitlines()[-1].split()[-1] == "stopped"


def test_nobody_has_to_read_the_log() -> None:
    """Once its reader is gone, calls are answered as before, and the end is an orderly one."""
    with served() as (process, address, _):
        assert process.stderr is not None
        process.stderr.close()
        with grpc.insecure_channel(address) as channel:
            for _ in range(3):
                assert OpponentServiceStub(channel).ListGames(pb.ListGamesRequest(), timeout=PATIENCE).games
        # Nobody else can read a token there.
        with Client(address, token="secret") as client:
            assert client.list_games(pb.ListGamesRequest()).games
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_a_log_that_is_not_read_holds_nothing_up() -> None:
    """Its pipe is full, but calls are answered as before, and the end is an orderly one."""
    with served() as (process, address, _):
        with grpc.insecure_channel(address) as channel:
            stub = OpponentServiceStub(channel)
            for number in range(CALLS):
                metadata = (("x-request-id", f"{number:064}"),)
                assert stub.ListGames(pb.ListGamesRequest(), metadata=metadata, timeout=PATIENCE).games
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        said = process.stderr.read()
    assert f"request_id={0:064} " in said
    assert 0 < said.count(" method=ListGames ") < CALLS, "not all lines had room"


def test_serve_with_tls_and_tokens(tmp_path: Path) -> None:
    """All by a file of settings. What is said at the start and of the calls has no secret in it."""
    made = subprocess.run(
        [sys.executable, "-c", COMMAND, "token", "web"], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    token = made.stderr.split()[-1]
    assert token not in made.stdout
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    own_key, certificates = issued.private_key_pem.bytes(), [pem.bytes() for pem in issued.cert_chain_pems]
    contents = {
        "tokens": made.stdout.encode(),
        "tls_certificate": certificates[0],
        "tls_key": own_key,
        "tls_client_ca": authority.cert_pem.bytes(),
    }
    for name, content in contents.items():
        tmp_path.joinpath(name).write_bytes(content)
    config = tmp_path / "nebula-ai.toml"
    config.write_text("".join(f'{name} = "{tmp_path / name}"\n' for name in contents))
    tls = grpc.ssl_channel_credentials(authority.cert_pem.bytes(), own_key, certificates[0])
    request = pb.ListGamesRequest()
    with served("--config", str(config), "--cores", "1") as (process, address, started):
        with grpc.secure_channel(address, tls) as channel:
            stub = OpponentServiceStub(channel)
            assert stub.ListGames(request, metadata=(("authorization", f"Bearer {token}"),), timeout=PATIENCE).games
            with pytest.raises(grpc.RpcError) as refused:
                stub.ListGames(request, timeout=PATIENCE)
            assert refused.value.code() == grpc.StatusCode.UNAUTHENTICATED
        with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError):
            OpponentServiceStub(channel).ListGames(request, timeout=PATIENCE)
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        said = started + process.stderr.read()
        assert process.wait(PATIENCE) == 0
    assert re.search(r" name=tokens value=\S+ source=.*nebula-ai\.toml.: tokens", said)
    assert re.search(r" client=web code=OK ", said)
    assert re.search(r" client=anonymous code=UNAUTHENTICATED .*reason=TOKEN_MISSING", said)
    assert token not in said
    assert security.hash_of(token).hex() not in said
    assert own_key.splitlines()[1].decode() not in said


# Two players have chosen their tasks, and the first has many ways to invest.
STATE = load("nebula").new(2, seed=2)
for _ in range(2):
    STATE = STATE.apply(STATE.legal_moves()[0])


def search(seconds: float) -> pb.GetMoveRequest:
    """A request for a search of this length."""
    duration = Duration()
    duration.FromMilliseconds(round(seconds * 1000))
    limits = SearchLimits(time=duration, stop_when_decided=False)
    return pb.GetMoveRequest(state=State(packed=STATE.pack()), limits=limits)


class Draining:
    """A server with one core in a process of its own, which is told to stop while it searches."""

    def __init__(self, process: "subprocess.Popen[str]", address: str, channel: grpc.Channel) -> None:
        assert process.stderr is not None
        metrics = re.search(r"http://127\.0\.0\.1:\d+/metrics", process.stderr.readline())
        assert metrics
        self.process = process
        self.stub = OpponentServiceStub(channel)
        self._metrics = metrics[0]
        # Its types are those of another kind of stub.
        self.health = cast(Any, health_pb2_grpc.HealthStub(channel))
        request = health_pb2.HealthCheckRequest(service=SERVICE)
        self._readiness = self.health.Watch(request, wait_for_ready=True)
        assert next(self._readiness).status == health_pb2.HealthCheckResponse.SERVING

    def until_metric(self, line: str) -> None:
        """Waits until the metrics have this line."""

        def there() -> bool:
            with urllib.request.urlopen(self._metrics, timeout=PATIENCE) as page:
                return f"\n{line}\n" in page.read().decode()

        until(there)

    def terminate(self) -> None:
        """Tells it to stop, and sees that it is ready no more."""
        self.process.send_signal(signal.SIGTERM)
        assert next(self._readiness).status == health_pb2.HealthCheckResponse.NOT_SERVING


@contextmanager
def draining(seconds: float) -> Iterator[Draining]:
    """A server with this limit for its drain."""
    arguments = ("--cores", "1", "--metrics-address", "127.0.0.1:0", "--drain-seconds", str(seconds))
    with served(*arguments) as (process, address, _), grpc.insecure_channel(address) as channel:
        yield Draining(process, address, channel)


def unavailable(call: Any) -> bool:
    """Whether a call ends so that the client is to ask another server."""
    return bool(call.exception(timeout=PATIENCE).code() == grpc.StatusCode.UNAVAILABLE)


def until(condition: Callable[[], bool]) -> None:
    """Waits until something is so."""
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_sigterm_cuts_searches_at_the_drain_limit() -> None:
    """What runs answers with what it has found; what waits is told to go elsewhere."""
    with draining(0.5) as server:
        runs = server.stub.GetMove.future(search(600))
        server.until_metric("nebula_ai_cores_searching 1.0")
        waits = server.stub.GetMove.future(search(600))
        server.until_metric("nebula_ai_searches_waiting 1.0")
        server.terminate()
        response = runs.result(timeout=PATIENCE)
        assert response.analysis.stop_rule == search_pb2.STOP_RULE_CANCELLED
        assert response.analysis.simulations > 0
        assert response.move.number in STATE.legal_moves()
        assert unavailable(waits)
        assert server.process.wait(PATIENCE) == 0


def test_sigterm_lets_searches_end() -> None:
    """Also one that waits. Nothing new is searched, and all else is answered to the end."""
    with draining(PATIENCE) as server:
        calls = [server.stub.GetMove.future(search(3)) for _ in range(2)]
        server.until_metric("nebula_ai_searches_waiting 1.0")
        server.terminate()
        assert unavailable(server.stub.GetMove.future(search(1)))
        assert server.stub.ListGames(pb.ListGamesRequest()).games
        request = health_pb2.HealthCheckRequest()
        assert server.health.Check(request).status == health_pb2.HealthCheckResponse.SERVING
        for call in calls:
            assert call.result(timeout=PATIENCE).analysis.stop_rule == search_pb2.STOP_RULE_TIME
        assert server.process.wait(PATIENCE) == 0


def test_a_second_signal_ends_it_at_once() -> None:
    with draining(3600) as server:
        call = server.stub.GetMove.future(search(600))
        server.until_metric("nebula_ai_cores_searching 1.0")
        server.terminate()
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == -signal.SIGTERM
        assert unavailable(call)


def test_serve_refuses_a_broken_edition(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("game = 'nebula'\n")
    with pytest.raises(EditionError):
        serve(read({"editions": [str(path)]}))


def test_serve_takes_the_cores_that_it_may_use() -> None:
    """A process that is kept to some cores, as a container's are, counts these and no others."""
    one = min(os.sched_getaffinity(0))
    with served(kept_to={one}) as (_, _, started):
        assert " cores=1 " in started


@pytest.mark.parametrize(
    ("address", "words"),
    [
        ("nowhere at all", "must be HOST:PORT"),
        ("127.0.0.1:99999", "must be HOST:PORT"),
        ("no.such.host.invalid:50051", "this machine has no such host"),
        ("192.0.2.1:50051", "this machine has no such host"),
        (f"{'x' * 70}.invalid:50051", "this machine has no such host"),
    ],
)
async def test_an_address_that_is_none(catalogue: Catalogue, address: str, words: str) -> None:
    server = Server(catalogue, 1)
    with pytest.raises(InvalidInput, match=words):
        await server.start(address)
    await server.stop(0)


async def test_a_socket_of_the_file_system(catalogue: Catalogue, tmp_path: Path) -> None:
    """Also in place of one that a killed server left behind; but a second server never takes it from the first."""
    path = tmp_path / "nebula-ai.sock"
    with socket.socket(socket.AF_UNIX) as killed:
        killed.bind(str(path))
    first, second = Server(catalogue, 1), Server(catalogue, 1)
    await first.start(f"unix:{path}")
    for address in (f"unix:{path}", f"unix://{path}"):
        with pytest.raises(InvalidInput, match="address: another server listens at"):
            await second.start(address)
        async with aio.insecure_channel(address) as channel:
            assert (await OpponentServiceStub(channel).ListGames(pb.ListGamesRequest())).games
    await first.stop(0)
    await second.start(f"unix:{path}")
    await second.stop(0)
    assert not path.exists()


async def test_a_socket_is_for_its_own_user(catalogue: Catalogue, tmp_path: Path) -> None:
    """Whatever others the process lets at the files that it makes."""
    path = tmp_path / "nebula-ai.sock"
    server = Server(catalogue, 1)
    mask = os.umask(0)
    try:
        await server.start(f"unix:{path}")
        assert os.umask(0) == 0
    finally:
        os.umask(mask)
    assert stat.filemode(path.stat().st_mode) == "srw-------"
    await server.stop(0)


async def test_a_socket_of_somebody_who_is_busy_is_not_taken(catalogue: Catalogue, tmp_path: Path) -> None:
    path = str(tmp_path / "busy.sock")
    server = Server(catalogue, 1)
    with ExitStack() as stack:
        busy = stack.enter_context(socket.socket(socket.AF_UNIX))
        busy.bind(path)
        busy.listen(0)
        for _ in range(2):
            waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
            waiting.setblocking(False)
            with suppress(BlockingIOError):
                waiting.connect(path)
        with pytest.raises(InvalidInput, match="address: another server listens at"):
            await server.start(f"unix:{path}")
    await server.stop(0)


async def test_no_search_is_taken_while_the_health_is_told(
    catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Somebody watches it and does not read."""
    server = Server(catalogue, 1)
    port = await server.start("127.0.0.1:0")
    told = asyncio.Event()

    async def wait(*_arguments: object) -> None:
        await told.wait()

    monkeypatch.setattr(server.health, "set", wait)
    stopping = asyncio.create_task(server.stop(PATIENCE))
    async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        refused = await refusal(OpponentServiceStub(channel).GetMove(search(0.01)))
    assert refused.reason == "STOPPING"
    told.set()
    await stopping


async def test_a_socket_that_cannot_be(catalogue: Catalogue, tmp_path: Path) -> None:
    taken = tmp_path / "file"
    taken.write_text("mine")
    server = Server(catalogue, 1)
    for path in (
        "",
        "\0abstract",
        "\ud800",
        f"{tmp_path}/none/socket",
        f"{tmp_path}/{'x' * 120}",
        str(taken),
        str(tmp_path),
    ):
        with pytest.raises(InvalidInput, match=r"address: .*(must be unix:PATH|cannot listen .* a socket needs)"):
            await server.start(f"unix:{path}")
    await server.stop(0)
    assert taken.read_text() == "mine"


def test_serve_at_a_socket(tmp_path: Path) -> None:
    with served("--address", f"unix:{tmp_path}/s") as (_, address, _), grpc.insecure_channel(address) as channel:
        assert address == f"unix:{tmp_path}/s"
        assert OpponentServiceStub(channel).ListGames(pb.ListGamesRequest(), timeout=PATIENCE).games


async def test_a_port_that_is_taken(catalogue: Catalogue) -> None:
    first = Server(catalogue, 1)
    port = await first.start("127.0.0.1:0")
    second = Server(catalogue, 1)
    with pytest.raises(
        InvalidInput, match=rf"port {port} is taken; choose another: nebula-ai serve --address HOST:PORT"
    ):
        await second.start(f"127.0.0.1:{port}")
    await second.stop(0)
    await first.stop(0)
