"""A running server and its clients, and how tests look at what it refuses."""

from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import ExitStack, asynccontextmanager, redirect_stderr
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeAlias

import grpc
import pytest
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from grpc import aio
from grpc_status import rpc_status

from nebula_ai.games.nebula.edition import STANDARD
from nebula_ai.registry import Catalogue
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_server import logs
from nebula_server.server import Server

if TYPE_CHECKING:
    # What a stub for asyncio is to the type checker; there is no such class at run time.
    from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceAsyncStub

    Stub: TypeAlias = OpponentServiceAsyncStub
else:
    Stub = OpponentServiceStub

CORES = 2


@dataclass
class Service:
    """A server and a channel to it."""

    server: Server
    address: str
    channel: aio.Channel
    stub: Stub


@dataclass
class Refusal:
    """What a call was refused with."""

    code: grpc.StatusCode
    message: str
    reason: str
    domain: str
    metadata: dict[str, str]
    fields: dict[str, str]
    """Reasons by field."""
    retry_seconds: int | None


@asynccontextmanager
async def running(catalogue: Catalogue, cores: int = CORES) -> AsyncIterator[Service]:
    """A server on a free port."""
    server = Server(catalogue, cores)
    port = await server.start("127.0.0.1:0")
    try:
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield Service(server, f"127.0.0.1:{port}", channel, OpponentServiceStub(channel))
    finally:
        await server.stop(0)


class Log:
    """The log of this process, until it is read."""

    def __init__(self, form: Literal["console", "json"], path: Path) -> None:
        """`path`: the file to write it to."""
        self._path = path
        self._writing = ExitStack()
        file = self._writing.enter_context(path.open("w"))
        with redirect_stderr(file):
            self._writing.enter_context(logs.configured(form))

    def read(self) -> str:
        """All lines. It is written no further."""
        self._writing.close()
        return self._path.read_text()


Written: TypeAlias = Callable[[Literal["console", "json"]], Log]


@pytest.fixture
def written(tmp_path: Path) -> Iterator[Written]:
    """Has the log written in the form that a test wants."""
    made: list[Log] = []

    def write(form: Literal["console", "json"]) -> Log:
        made.append(Log(form, tmp_path / "log"))
        return made[-1]

    yield write
    for log in made:
        log.read()


@pytest.fixture(scope="session")
def house_edition(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An edition of a user's own: the standard one with two figures' steps fewer."""
    path = tmp_path_factory.mktemp("editions") / "house.toml"
    content = STANDARD.read_text(encoding="utf-8")
    path.write_text(content.replace('edition = "standard"', 'edition = "house"').replace("steps = 5", "steps = 3"))
    return path


@pytest.fixture(scope="session")
def catalogue(house_edition: Path) -> Catalogue:
    """The standard editions, and ``house``."""
    return Catalogue([house_edition])


@pytest.fixture
async def service(catalogue: Catalogue) -> AsyncIterator[Service]:
    """A server with two editions and two cores, and a channel to it."""
    async with running(catalogue) as service:
        yield service


@pytest.fixture
def stub(service: Service) -> Stub:
    """Calls the server."""
    return service.stub


async def refusal(call: Awaitable[object]) -> Refusal:
    """What a call is refused with; fails if it is answered."""
    with pytest.raises(aio.AioRpcError) as refused:
        await call
    error = refused.value
    status = rpc_status.from_call(error)  # type: ignore[arg-type]  # a call is what has metadata and a code
    assert status is not None, error
    info, request, retry = ErrorInfo(), BadRequest(), RetryInfo()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(request) or detail.Unpack(retry)
    return Refusal(
        code=error.code(),
        message=status.message,
        reason=info.reason,
        domain=info.domain,
        metadata=dict(info.metadata),
        fields={violation.field: violation.description for violation in request.field_violations},
        retry_seconds=retry.retry_delay.seconds or None,
    )
