"""What is known of each call of the service, from its start to its end. Knows neither logs nor metrics nor searches.

`Calls` is the outermost interceptor: it gives the call a request id and makes it `current` for all that answers it, and
it tells `ended` once the last byte is sent or nobody waits for it any more.
"""

import asyncio
import re
import time
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypedDict

import grpc
from grpc import aio

REQUEST_ID = "x-request-id"
"""The metadata key, of the request and of the response's trailing metadata."""

GOOD_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
"""What a client may call its request: it stands in the logs as it is."""

ANONYMOUS = "anonymous"
"""The client of a call that has no token."""

LATE_SECONDS = 0.05
"""A call that its client cancels so soon before its deadline ran into it: what it counts from is a little earlier."""

Context = aio.ServicerContext[Any, Any]


class Notes(TypedDict, total=False):
    """What those who answer a call want in its line of the log. Never a card, a state, or a message that quotes one."""

    game: str
    edition: str
    seat: int
    """Who has to decide."""
    bot: str
    limits: Mapping[str, float]
    """What the search may use up, by the names of SearchLimits; `time` in seconds."""
    workers: int
    priority: str
    queue_seconds: float
    """How long the search waited for its cores."""
    stop_rule: str
    """What ended the search, as in `nebula_ai.search.Result.stopped`."""
    simulations: int
    simulations_per_second: int
    reason: str
    """Why the call was refused: the reason of its ErrorInfo."""
    field: str
    """The field of the request for which it was refused."""


@dataclass(slots=True)
class Call:
    """One call."""

    request_id: str
    """The client's own if it is 1 to 64 characters of A-Z a-z 0-9 . _ -, else a new one."""
    method: str
    """Its name without the service: ``GetMove``."""
    client: str = ANONYMOUS
    """Who asks: the name that a token stands for."""
    host: str = ""
    """The machine that asks, as `host_of` has it; it stands in no log."""
    notes: Notes = field(default_factory=Notes)
    code: grpc.StatusCode = grpc.StatusCode.UNKNOWN
    """How it ended; UNKNOWN until then."""
    seconds: float = 0.0
    """How long it took, from its start until its answer was sent; 0 until then."""

    @property
    def turn(self) -> str:
        """Whose turn it takes in the queue of searches: its client's, or of those without a name its machine's."""
        return f"{ANONYMOUS} {self.host}" if self.client == ANONYMOUS else self.client


current: ContextVar[Call] = ContextVar("call")
"""The call that is being answered, for whatever runs in its task."""


class Calls(aio.ServerInterceptor):
    """Follows all calls of one service; those of others (health, reflection) pass by.

    A method that answers with a stream has to write it to the context by itself, as no generator would end with its
    call for sure.
    """

    def __init__(self, service: str, ended: Callable[[Call], None]) -> None:
        """`service` is its full name. `ended` is called with each call after its end, in the event loop's thread."""
        self._prefix = f"/{service}/"
        self._ended = ended
        self._running = 0
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def running(self) -> int:
        """Calls that are being answered."""
        return self._running

    async def until_idle(self) -> None:
        """Returns when no call is being answered, the last answer having been sent."""
        await self._idle.wait()

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The method's handler, followed to its end."""
        method = handler_call_details.method
        if not method.startswith(self._prefix):
            return await continuation(handler_call_details)
        start = time.monotonic()
        call = Call(request_id(handler_call_details.invocation_metadata), method.removeprefix(self._prefix))
        current.set(call)
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        if handler.response_streaming:

            async def stream(request: Any, context: Context) -> None:
                async with self._followed(call, start, context):
                    await handler.unary_stream(request, Tagged(context, call.request_id))

            return grpc.unary_stream_rpc_method_handler(
                stream, handler.request_deserializer, handler.response_serializer
            )

        async def answer(request: Any, context: Context) -> Any:
            async with self._followed(call, start, context):
                return await handler.unary_unary(request, Tagged(context, call.request_id))

        return grpc.unary_unary_rpc_method_handler(answer, handler.request_deserializer, handler.response_serializer)

    @asynccontextmanager
    async def _followed(self, call: Call, start: float, context: Context) -> AsyncIterator[None]:
        """While its handler runs: how the call ends is found out, and told after its answer is sent."""
        call.host = host_of(context.peer())
        self._running += 1
        self._idle.clear()

        def end(_: Context) -> None:
            call.seconds = time.monotonic() - start
            self._running -= 1
            if not self._running:
                self._idle.set()
            self._ended(call)

        context.add_done_callback(end)  # type: ignore[arg-type]  # the stub forgets that it is a protocol
        try:
            yield
            call.code = grpc.StatusCode.OK
        except aio.AbortError:
            call.code = context.code()
            raise
        except aio.InternalError:  # nothing can be sent any more
            call.code = grpc.StatusCode.CANCELLED
            raise
        except asyncio.CancelledError:
            remaining = context.time_remaining()
            late = remaining is not None and remaining < LATE_SECONDS
            call.code = grpc.StatusCode.DEADLINE_EXCEEDED if late else grpc.StatusCode.CANCELLED
            raise


class Tagged:
    """The context of a call, which tells the client the request's id with the status, however the call ends.

    In the trailing metadata: they cost nothing, and proxies, and gRPC itself where it is told to, only repeat a refused
    call if its status is all that was sent.
    """

    def __init__(self, context: Context, request_id: str) -> None:
        self._context = context
        self._tag = (REQUEST_ID, request_id)
        context.set_trailing_metadata((self._tag,))

    def __getattr__(self, name: str) -> Any:
        """All the rest is the context's own."""
        return getattr(self._context, name)

    async def abort_with_status(self, status: grpc.Status) -> None:
        """Ends the call. What trailing metadata a status has would be the only ones."""
        await self._context.abort(status.code, status.details, (*(status.trailing_metadata or ()), self._tag))


def host_of(peer: str) -> str:
    """The host of an address as gRPC writes it, without the port; all sockets of the file system are one."""
    kind, _, where = peer.partition(":")
    return kind if kind == "unix" else where.rpartition(":")[0]


def request_id(metadata: Any) -> str:
    """The id that a request's metadata give it, else a new one."""
    for key, value in metadata or ():
        if key == REQUEST_ID and isinstance(value, str) and GOOD_ID.fullmatch(value):
            return value
    return uuid.uuid4().hex
