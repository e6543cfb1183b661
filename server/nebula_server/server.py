"""The running server: the service with health and reflection on a port, from its start to its orderly end."""

import asyncio
import errno
import logging
import signal
import socket
from collections.abc import Sequence
from pathlib import Path

from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from nebula_ai.cores import available_cores
from nebula_ai.errors import InvalidInput, LimitError, shown
from nebula_ai.registry import Catalogue
from nebula_ai.v1.opponent_service_pb2_grpc import add_OpponentServiceServicer_to_server
from nebula_server.opponent import Opponent
from nebula_server.searches import Searches
from nebula_server.service import SERVICE, Decoding, OpponentService

logger = logging.getLogger(__name__)

DEFAULT_ADDRESS = "127.0.0.1:50051"
"""Loopback: nobody else can ask unless the user says so."""

GRACE_SECONDS = 5.0
"""How long calls may still run when the server is told to stop; then they are cancelled."""

MAX_MESSAGE_BYTES = 1 << 18
"""A larger request is refused; a readable state has about 4,000 bytes."""


class Server:
    """One server; it belongs to the event loop in which it is made."""

    def __init__(self, catalogue: Catalogue, cores: int) -> None:
        """`cores`, from 1: how many may search at once."""
        self.searches = Searches(cores)
        self.health = health.aio.HealthServicer()
        self._server = aio.server(
            interceptors=[Decoding()],
            options=[
                # A second server on the port of the first must fail, not share its calls.
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", MAX_MESSAGE_BYTES),
            ],
        )
        add_OpponentServiceServicer_to_server(OpponentService(Opponent(catalogue, cores), self.searches), self._server)
        health_pb2_grpc.add_HealthServicer_to_server(self.health, self._server)
        reflection.enable_server_reflection((SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME), self._server)

    async def start(self, address: str) -> int:
        """Listens at ``host:port``; port 0 takes a free one. Returns the port. Raises InvalidInput."""
        _, _, port = address.rpartition(":")
        if not (port.isascii() and port.isdigit() and int(port[:6]) < 1 << 16):
            raise InvalidInput("address", f"must be HOST:PORT, the port 0 to 65535, not {shown(address)}")
        try:
            bound = self._server.add_insecure_port(address)
        except RuntimeError:
            raise InvalidInput("address", f"cannot listen at {shown(address)}: {why_not(address)}") from None
        await self._server.start()
        await self.health.set(SERVICE, health_pb2.HealthCheckResponse.SERVING)
        return bound

    async def stop(self, grace: float = GRACE_SECONDS) -> None:
        """Takes no more calls, waits up to `grace` seconds for those that run, and cancels the rest."""
        await self.health.enter_graceful_shutdown()
        await self._server.stop(grace)
        await self.searches.close()


def why_not(address: str) -> str:
    """Why nobody can listen at ``host:port``. gRPC does not tell; the system does."""
    host, _, port = address.rpartition(":")
    try:
        for family, kind, protocol, _, where in socket.getaddrinfo(host.strip("[]"), port, type=socket.SOCK_STREAM):
            with socket.socket(family, kind, protocol) as probe:
                probe.bind(where)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return f"port {port} is taken; choose another with --address HOST:PORT"
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            return "this machine has no such host"
        return str(error.strerror)
    except UnicodeError:  # a name that no host can have
        return "this machine has no such host"
    return "it was not free"


def serve(address: str = DEFAULT_ADDRESS, editions: Sequence[Path] = (), cores: int | None = None) -> None:
    """Serves until SIGINT or SIGTERM.

    `editions` are edition files to offer beside the standard ones; `cores` is how many may search at once, all that
    this process may use if None. Raises EditionError, LimitError, InvalidInput.
    """
    usable = available_cores()
    if cores is not None and not 1 <= cores <= usable:
        raise LimitError("cores", f"must be 1 to {usable}, the cores that this process may use, not {shown(cores)}")
    asyncio.run(run(address, Catalogue(editions), cores or usable))


async def run(address: str, catalogue: Catalogue, cores: int) -> None:
    """Serves until SIGINT or SIGTERM. Raises InvalidInput."""
    stopped = asyncio.Event()
    for name in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(name, stopped.set)
    server = Server(catalogue, cores)
    port = await server.start(address)
    editions = ", ".join(f"{game.name} {game.edition}" for game in catalogue.games)
    logger.info("serving at %s:%d, cores: %d, editions: %s", address.rpartition(":")[0], port, cores, editions)
    await stopped.wait()
    logger.info("stopping: running calls have %.0f s", GRACE_SECONDS)
    await server.stop()
    logger.info("stopped")
