"""The server as a whole: health, reflection, and the command that runs it."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from nebula_ai.errors import EditionError, InvalidInput, LimitError
from nebula_ai.registry import Catalogue
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_server.server import Server, serve
from nebula_server.service import SERVICE
from tests.nebula_server.conftest import Service

COMMAND = "from nebula_server.command import main; main()"
"""The command as it is installed, but with the core that the tests use."""


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
    }
    needed = list(file.dependency)
    while needed:
        name = needed.pop()
        found = await ask(reflection_pb2.ServerReflectionRequest(file_by_filename=name))
        files = map(FileDescriptorProto.FromString, found.file_descriptor_response.file_descriptor_proto)
        needed += next(file for file in files if file.name == name).dependency


@contextmanager
def served(*arguments: str, kept_to: set[int] | None = None) -> Iterator[tuple["subprocess.Popen[str]", str, str]]:
    """The command ``nebula-ai serve`` as a process of its own, the address where it listens, and what it says first.

    `kept_to`: the cores that it may use, if not all.
    """
    program = f"import os; os.sched_setaffinity(0, {kept_to}); {COMMAND}" if kept_to else COMMAND
    command = [sys.executable, "-c", program, "serve", "--address", "127.0.0.1:0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            started = process.stderr.readline()
            address = re.search(r"serving at (127\.0\.0\.1:\d+)", started)
            assert address, started + process.stderr.read()
            yield process, address[1], started
        finally:
            process.kill()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_serve(house_edition: Path, stop: signal.Signals) -> None:
    with served("--edition", str(house_edition), "--cores", "1") as (process, address, _):
        with grpc.insecure_channel(address) as channel:
            game = OpponentServiceStub(channel).ListGames(pb.ListGamesRequest(), wait_for_ready=True).games[0]
            assert [edition.edition for edition in game.editions] == ["standard", "house"]
        process.send_signal(stop)
        assert process.wait(60) == 0


def test_serve_refuses_a_broken_edition(tmp_path: Path) -> None:
    path = tmp_path / "broken.toml"
    path.write_text("game = 'nebula'\n")
    with pytest.raises(EditionError):
        serve(editions=[path])


@pytest.mark.parametrize("cores", [0, -1, (os.cpu_count() or 1) + 1])
def test_serve_refuses_absurd_cores(cores: int) -> None:
    with pytest.raises(LimitError) as refused:
        serve(cores=cores)
    assert refused.value.field == "cores"


def test_serve_takes_the_cores_that_it_may_use() -> None:
    """A process that is kept to some cores, as a container's are, counts these and no others."""
    one = min(os.sched_getaffinity(0))
    with served(kept_to={one}) as (_, _, started):
        assert "cores: 1," in started
    with served() as (_, _, started):
        assert f"cores: {len(os.sched_getaffinity(0))}," in started


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


async def test_a_port_that_is_taken(catalogue: Catalogue) -> None:
    first = Server(catalogue, 1)
    port = await first.start("127.0.0.1:0")
    second = Server(catalogue, 1)
    with pytest.raises(InvalidInput, match=rf"port {port} is taken; choose another with --address HOST:PORT"):
        await second.start(f"127.0.0.1:{port}")
    await second.stop(0)
    await first.stop(0)
