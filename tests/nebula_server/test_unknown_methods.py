"""Requests for methods that there are not, also such as no client of gRPC would send: they end only themselves."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Literal

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from nebula_server import unknown_methods
from tests.nebula_server.conftest import Written
from tests.waiting import PATIENCE

SETTINGS, HEADERS, DATA = 4, 1, 0
"""Kinds of frames of HTTP/2."""


def frame(kind: int, flags: int, stream: int, content: bytes) -> bytes:
    """A frame of HTTP/2."""
    return len(content).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + content


def field(name: bytes, value: bytes) -> bytes:
    """A header in its simplest form: no index, no compression."""
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


def request(path: bytes, *more: tuple[bytes, bytes]) -> bytes:
    """A connection's first bytes: a call of gRPC with an empty message to `path`, and `more` headers."""
    headers = (
        (b":method", b"POST"),
        (b":scheme", b"http"),
        (b":path", path),
        (b":authority", b"localhost"),
        (b"te", b"trailers"),
        (b"content-type", b"application/grpc"),
        *more,
    )
    return (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        + frame(SETTINGS, 0, 0, b"")
        + frame(HEADERS, 4, 1, b"".join(field(name, value) for name, value in headers))
        + frame(DATA, 1, 1, bytes(5))
    )


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """A server that knows only health; its port."""
    server = unknown_methods.server()
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with asyncio.timeout(PATIENCE):
            yield port
    finally:
        await server.stop(0)


async def sent(port: int, content: bytes) -> bytes:
    """What the server answers to these bytes, up to a status of gRPC."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(content)
    try:
        return await reader.readuntil(b"grpc-message")
    finally:
        writer.close()


async def healthy(port: int) -> bool:
    """Whether the server answers."""
    async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined]
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


@pytest.mark.parametrize("path", [b"/nebula_ai.v1.OpponentService/\xff\xfe", b"/\xc3", b"", b"/", b"*", b"/no/such"])
async def test_no_path_ends_the_server(path: bytes) -> None:
    """UNIMPLEMENTED is 12."""
    async with serving() as port:
        for _ in range(3):
            assert b"grpc-status\x0212" in await sent(port, request(path))
            assert await healthy(port)


@pytest.mark.parametrize("form", ["console", "json"])
async def test_no_header_ends_the_server(form: Literal["console", "json"], written: Written) -> None:
    """Not even one that is no text, in a call of a method that there is; and it does not turn up in the log."""
    log = written(form)
    async with serving() as port:
        content = request(b"/grpc.health.v1.Health/Check", (b"authorization", b"Bearer secret\xff\xfe"))
        assert b"grpc-status\x010" in await sent(port, content)
        assert await healthy(port)
    logging.getLogger("grpc").error("the end")
    lines = log.read()
    assert "the end" in lines
    assert "secret" not in lines


async def test_every_kind_of_call_is_told() -> None:
    async with serving() as port, aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        unary: Any = channel.unary_unary("/no.such.Service/Method")
        stream: Any = channel.unary_stream("/no.such.Service/Method")
        for _ in range(20):
            codes = [await call.code() for call in (unary(b"request"), stream(b"request"))]
            assert codes == [grpc.StatusCode.UNIMPLEMENTED] * 2
        assert await healthy(port)


async def test_clients_that_are_gone_are_forgotten() -> None:
    """Nothing is left behind of calls that were cancelled."""
    async with serving() as port, aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        method: Any = channel.unary_unary("/no.such.Service/Method")
        before = len(asyncio.all_tasks())
        calls = [method(b"request") for _ in range(50)]
        for call in calls[::2]:
            call.cancel()
        codes = {await call.code() for call in calls}
        assert codes <= {grpc.StatusCode.UNIMPLEMENTED, grpc.StatusCode.CANCELLED}
        while len(asyncio.all_tasks()) > before:
            await asyncio.sleep(0.005)
        assert await healthy(port)


async def test_it_stops_with_such_calls() -> None:
    async with serving() as port:
        calls = [asyncio.create_task(sent(port, request(b"/\xff"))) for _ in range(20)]
        await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
    await asyncio.gather(*calls, return_exceptions=True)
