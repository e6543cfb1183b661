"""The running server: the service with health and reflection on a port, from its start to its orderly end."""

import asyncio
import errno
import logging
import os
import signal
import socket
from collections.abc import Coroutine, Mapping
from typing import Any

import grpc
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from nebula_ai import __version__
from nebula_ai.cores import available_cores
from nebula_ai.errors import InvalidInput, shown
from nebula_ai.registry import Catalogue
from nebula_ai.v1.opponent_service_pb2_grpc import add_OpponentServiceServicer_to_server
from nebula_server import logs, security, unknown_methods
from nebula_server.calls import Call, Calls
from nebula_server.logs import logger
from nebula_server.metrics import Metrics
from nebula_server.opponent import Opponent
from nebula_server.searches import Searches
from nebula_server.service import SERVICE, Decoding, OpponentService
from nebula_server.settings import Given, Settings

MAX_REQUEST_BYTES = 1 << 18
"""A larger request is refused; a readable state has about 4,000 bytes."""

MAX_RESPONSE_BYTES = 1 << 22
"""A larger response is not sent: clients take no more unless they are told to. All of ours are far smaller."""

ANSWER_SECONDS = 5.0
"""How long all answers may take to be sent when the searches have ended, or the news that they are to end:
milliseconds, but for slow readers."""

LAST_SECONDS = 0.2
"""How long calls may still take when nothing of the service is left. Who watches its health never ends by itself."""

OPTIONS = (
    # A second server on the port of the first must fail, not share its calls.
    ("grpc.so_reuseport", 0),
    ("grpc.max_receive_message_length", MAX_REQUEST_BYTES),
    ("grpc.max_send_message_length", MAX_RESPONSE_BYTES),
    # Calls that one connection may have open: each holds memory, and nobody needs a token to open one.
    ("grpc.max_concurrent_streams", 1000),
    # A client that vanished without a word holds its searches for so long at most.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.http2.ping_timeout_ms", 10_000),  # the one that counts while nothing comes at all; it is a minute by default
    ("grpc.http2.max_pings_without_data", 0),
    # Clients may ask as often as they like whether the server is there, also while they wait for a long search or for
    # nothing. By default gRPC cuts off (ENHANCE_YOUR_CALM, too_many_pings) who asks more often than every five minutes.
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_ping_strikes", 0),
)


class Server:
    """One server; it belongs to the event loop in which it is made."""

    def __init__(
        self,
        catalogue: Catalogue,
        cores: int,
        *,
        memory_bytes: int | None = None,
        searches_per_client: int | None = None,
        credentials: grpc.ServerCredentials | None = None,
        clients: Mapping[str, security.Client] | None = None,
    ) -> None:
        """`cores`, from 1: how many may search at once. `memory_bytes`, `searches_per_client`: see Searches.
        `credentials`: for TLS. `clients`: who may ask; None for everybody. Raises LimitError.
        """
        self.catalogue = catalogue
        self.searches = Searches(cores, memory_bytes=memory_bytes, searches_per_client=searches_per_client)
        self.metrics = Metrics(self.searches)
        self.health = health.aio.HealthServicer()
        self.calls = Calls(SERVICE, self._ended)
        self._credentials = credentials
        interceptors: list[aio.ServerInterceptor] = [self.calls]
        if clients is not None:
            interceptors.append(security.Tokens(clients))
        self._server = unknown_methods.server(interceptors=[*interceptors, Decoding()], options=OPTIONS)
        opponent = Opponent(catalogue, cores, self.searches.nodes_per_core)
        add_OpponentServiceServicer_to_server(OpponentService(opponent, self.searches), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)

    def _ended(self, call: Call) -> None:
        """Counts a call of the service, and writes its line."""
        self.metrics.count(call)
        logs.call_ended(call)

    async def start(self, address: str) -> int:
        """Listens at ``HOST:PORT``, where port 0 takes a free one, or at the socket ``unix:PATH``. Raises InvalidInput.

        Returns the port; a socket has none.
        """
        _, _, port = address.rpartition(":")
        if address.startswith(security.UNIX):
            check_socket(address)
        elif not (port.isascii() and port.isdigit() and int(port[:6]) < 1 << 16):
            raise InvalidInput("address", f"must be HOST:PORT, the port 0 to 65535, not {shown(address)}")
        # A socket of the file system is for its own user, whatever others the process lets at its files.
        mask = os.umask(0o177)
        try:
            if self._credentials is None:
                bound = self._server.add_insecure_port(address)
            else:
                bound = self._server.add_secure_port(address, self._credentials)
        except RuntimeError:
            raise InvalidInput("address", f"cannot listen at {shown(address)}: {why_not(address)}") from None
        finally:
            os.umask(mask)
        await self._server.start()
        await self.health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
        return bound

    async def stop(self, drain_seconds: float) -> None:
        """Takes no more searches, and ends when those that run or wait are answered.

        After `drain_seconds` those that run are cut short and answer with what they have found; those that wait are
        refused. Until then all other calls are answered as ever.
        """
        await asyncio.gather(
            self._end_searches(drain_seconds),
            # Whoever watches the health and does not read could keep this waiting.
            ends_within(ANSWER_SECONDS, self.health.set(SERVICE, health_pb2.HealthCheckResponse.NOT_SERVING)),
        )
        # The answers are still to be sent.
        await ends_within(ANSWER_SECONDS, self.calls.until_idle())
        await self._server.stop(LAST_SECONDS)
        await self.searches.close()

    async def _end_searches(self, drain_seconds: float) -> None:
        """Takes no more, and cuts those that have not ended after so many seconds."""
        if not await ends_within(drain_seconds, self.searches.drain()):
            self.searches.cut()


async def ends_within(seconds: float, something: Coroutine[Any, Any, None]) -> bool:
    """Whether something ends by itself in so many seconds; else it is cancelled."""
    try:
        await asyncio.wait_for(something, seconds)
    except TimeoutError:
        return False
    return True


def check_socket(address: str) -> None:
    """Raises InvalidInput for a socket ``unix:PATH`` without a path, and if somebody listens at it.

    gRPC would take it away from them. One that a process has left behind when it was killed is anybody's.
    """
    path = address.removeprefix(security.UNIX)
    if not path or "\0" in path:
        raise InvalidInput("address", f"must be unix:PATH, not {shown(address)}")
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(LAST_SECONDS)
        try:
            probe.connect(path.removeprefix("//"))
        except UnicodeEncodeError:
            raise InvalidInput("address", f"must be unix:PATH, not {shown(address)}") from None
        except (BlockingIOError, PermissionError, TimeoutError):
            pass  # somebody who takes no calls now, or none of ours
        except OSError:
            return
    raise InvalidInput("address", f"another server listens at {shown(address)}")


def why_not(address: str) -> str:
    """Why nobody can listen at an address. gRPC does not tell; the system does."""
    if address.startswith(security.UNIX):
        return "a socket needs a short path, in a folder that can be written to, without a file of this name"
    host, _, port = address.rpartition(":")
    try:
        for family, kind, protocol, _, where in socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as probe:
                probe.bind(where)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return f"port {port} is taken; choose another: nebula-ai serve --address HOST:PORT"
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            return "this machine has no such host"
        return str(error.strerror)
    except UnicodeError:  # a name that no host can have
        return "this machine has no such host"
    return "it was not free"


def serve(given: Given) -> None:
    """Serves until SIGINT or SIGTERM, then lets running calls end; a second signal ends the process at once.

    Raises EditionError, and InvalidInput with the place where the wrong setting was given.
    """
    with given.blamed():
        asyncio.run(run(given))


async def run(given: Given) -> None:
    """Serves until SIGINT or SIGTERM. Raises InvalidInput with the name of the wrong setting."""
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(log_exception)
    stopped = stopped_by_signal(loop)
    settings = given.settings
    server = configured(settings)
    if settings.metrics_address is not None:
        # It answers until the process ends, also while calls drain.
        metrics_address = server.metrics.serve(settings.metrics_address)
    port = await server.start(settings.address)
    address = settings.address
    if not address.startswith(security.UNIX):
        address = f"{address.rpartition(':')[0]}:{port}"
    logger.info(
        f"serving at {address}",
        version=__version__,
        cores=server.searches.cores,
        editions=[f"{game.name} {game.edition}" for game in server.catalogue.games],
    )
    if settings.metrics_address is not None:
        logger.info(f"metrics at http://{metrics_address}/metrics")
    for name, value, source in given.lines():
        logger.info("setting", name=name, value=value, source=source)
    await stopped.wait()
    logger.info("stopping", calls=server.calls.running, drain_seconds=settings.drain_seconds)
    await server.stop(settings.drain_seconds)
    logger.info("stopped")


def configured(settings: Settings) -> Server:
    """A server as the settings want it. Raises EditionError, LimitError, InvalidInput."""
    certificate, key = settings.tls_certificate, settings.tls_key
    if certificate is None and key is not None:
        raise InvalidInput("tls_certificate", "is missing: a key needs the certificate that it belongs to")
    if certificate is not None and key is None:
        raise InvalidInput("tls_key", "is missing: a certificate needs the key that belongs to it")
    if certificate is None and settings.tls_client_ca is not None:
        raise InvalidInput("tls_certificate", "is missing: only with TLS can clients show a certificate")
    security.check_exposure(settings.address, certificate is not None, settings.insecure)
    return Server(
        Catalogue(settings.editions),
        settings.cores or available_cores(),
        memory_bytes=settings.memory_bytes,
        searches_per_client=settings.searches_per_client,
        credentials=security.credentials(certificate, key, settings.tls_client_ca) if certificate and key else None,
        clients=None if settings.tokens is None else security.read_clients(settings.tokens),
    )


def stopped_by_signal(loop: asyncio.AbstractEventLoop) -> asyncio.Event:
    """An event that the first SIGINT or SIGTERM sets; the next one does what it does to any process."""
    stopped = asyncio.Event()
    names = (signal.SIGINT, signal.SIGTERM)

    def stop() -> None:
        stopped.set()
        for name in names:
            loop.remove_signal_handler(name)
            signal.signal(name, signal.SIG_DFL)

    for name in names:
        loop.add_signal_handler(name, stop)
    return stopped


def log_exception(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Logs what nobody waited for. Its own words would quote the error's message, which may quote a state."""
    logging.getLogger("asyncio").error(context["message"], exc_info=context.get("exception"))
