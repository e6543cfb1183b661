"""A server of grpc.aio that no path of a request can end. Knows no service.

In the loop that takes all calls, grpc.aio 1.85 decodes the path of a method that is not registered; one request with a
path that is no UTF-8 ends the loop, and with it the server, before any interceptor could look at it. All services of
generated code are registered, so what is left is unknown in any case: here it is answered without a look at its path.
"""

import asyncio
import logging
from typing import Any

import grpc
from grpc import aio
from grpc._cython import cygrpc  # type: ignore[attr-defined]  # the native part of grpc.aio has no types

logger = logging.getLogger(__name__)


def server(**arguments: Any) -> aio.Server:
    """Like `grpc.aio.server`, with the same arguments; its services must be registered, as generated code does it."""
    original = cygrpc.AioServer
    cygrpc.AioServer = _AioServer
    try:
        return aio.server(**arguments)
    finally:
        cygrpc.AioServer = original


class _AioServer(cygrpc.AioServer):  # type: ignore[misc]
    """Never hands a call of an unknown method on to the loop that takes the calls."""

    _answers: "set[asyncio.Task[None]]"
    """The event loop alone would not keep them."""

    async def _request_call(self) -> Any:
        """Waits for calls that no registered method takes, answers them, and ends only as the server does."""
        self._answers = set()
        while True:
            state = await super()._request_call()
            task = asyncio.create_task(_answer(state))
            self._answers.add(task)
            task.add_done_callback(self._answers.discard)


async def _answer(state: Any) -> None:
    """Tells the client that there is no such method."""
    loop = asyncio.get_running_loop()
    try:
        context = cygrpc._ServicerContext(state, None, None, loop)
        refusal = context.abort(grpc.StatusCode.UNIMPLEMENTED, "there is no such method")
        # Stays with the call until the client has it: one that still sends would be told of a fault instead.
        await cygrpc._schedule_rpc_coro(refusal, state, loop, "unknown")
    except Exception:
        logger.error("an unknown method was not answered", exc_info=True)
