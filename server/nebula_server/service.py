"""The service as gRPC sees it: errors become statuses, reports a stream; deadlines and cancellation end searches."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf.message import DecodeError
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status
from grpc import aio
from grpc_status import rpc_status

from nebula_ai.bots import SearchBot
from nebula_ai.errors import InvalidInput, NotPossibleNow
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceServicer
from nebula_ai.v1.search_pb2 import StopRule
from nebula_core.search.tree import CancelFlag
from nebula_server import calls
from nebula_server.errors import Refused, to_status
from nebula_server.opponent import Opponent, PlannedSearch
from nebula_server.searches import Searches

logger = logging.getLogger(__name__)

SERVICE = pb.DESCRIPTOR.services_by_name["OpponentService"].full_name

Request = TypeVar("Request")
Response = TypeVar("Response")
Report = TypeVar("Report")
Found = TypeVar("Found", pb.GetMoveResponse, pb.AnalyzeStateResponse)
Context = aio.ServicerContext[Any, Any]


class OpponentService(OpponentServiceServicer):
    """Answers with an opponent, whose searches run when there are cores for them."""

    def __init__(self, opponent: Opponent, searches: Searches) -> None:
        self.opponent = opponent
        self.searches = searches

    async def ListGames(self, request: pb.ListGamesRequest, context: Context) -> pb.ListGamesResponse:
        """See Opponent.list_games."""
        return await answer(context, self.opponent.list_games, request)

    async def GetGame(self, request: pb.GetGameRequest, context: Context) -> pb.GetGameResponse:
        """See Opponent.get_game."""
        return await answer(context, self.opponent.get_game, request)

    async def ListBots(self, request: pb.ListBotsRequest, context: Context) -> pb.ListBotsResponse:
        """See Opponent.list_bots."""
        return await answer(context, self.opponent.list_bots, request)

    async def CreateState(self, request: pb.CreateStateRequest, context: Context) -> pb.CreateStateResponse:
        """See Opponent.create_state."""
        return await answer(context, self.opponent.create_state, request)

    async def ObserveState(self, request: pb.ObserveStateRequest, context: Context) -> pb.ObserveStateResponse:
        """See Opponent.observe_state."""
        return await answer(context, self.opponent.observe_state, request)

    async def ListMoves(self, request: pb.ListMovesRequest, context: Context) -> pb.ListMovesResponse:
        """See Opponent.list_moves."""
        return await answer(context, self.opponent.list_moves, request)

    async def ApplyMove(self, request: pb.ApplyMoveRequest, context: Context) -> pb.ApplyMoveResponse:
        """See Opponent.apply_move."""
        return await answer(context, self.opponent.apply_move, request)

    async def ResolveChance(self, request: pb.ResolveChanceRequest, context: Context) -> pb.ResolveChanceResponse:
        """See Opponent.resolve_chance."""
        return await answer(context, self.opponent.resolve_chance, request)

    async def GetMove(self, request: pb.GetMoveRequest, context: Context) -> pb.GetMoveResponse:
        """See Opponent.plan_move."""
        deadline = deadline_of(context)
        plan = await answer(context, self.opponent.plan_move, request)
        try:
            return await self._run(plan, deadline, lambda cancel: plan.move(cancel, deadline))
        except Exception as error:
            await refuse(context, error)

    async def AnalyzeState(  # type: ignore[override]  # see below
        self, request: pb.AnalyzeStateRequest, context: Context
    ) -> None:
        """See Opponent.plan_analysis.

        It is no generator, which would live on when a call is cancelled while a report is being sent, and its search
        with it: it writes by itself, so that whatever ends the call is raised in here.
        """
        deadline = deadline_of(context)
        plan = await answer(context, self.opponent.plan_analysis, request)
        partial = Newest[pb.AnalyzeStateResponse]()
        search = asyncio.create_task(
            self._run(plan, deadline, lambda cancel: plan.analyze(cancel, deadline, partial.put))
        )
        search.add_done_callback(lambda _: partial.end())
        try:
            async for report in partial:
                await context.write(report)
            await context.write(await search)
        except (aio.InternalError, asyncio.CancelledError):
            # The client has gone. When a write finds that out the call is told a moment later; it is no fault of ours.
            search.cancel()
            (found,) = await asyncio.gather(search, return_exceptions=True)
            if isinstance(found, Exception):
                log_unexpected(found)
            raise asyncio.CancelledError from None
        except Exception as error:
            await refuse(context, error)
        finally:
            search.cancel()

    async def _run(self, plan: PlannedSearch, deadline: float | None, search: Callable[[CancelFlag], Found]) -> Found:
        """What a planned search answers, once there are cores for it. Raises what Searches.run does.

        What the log wants to know of it is noted.
        """
        call = calls.current.get()
        seat = plan.state.seat
        assert seat is not None, "a seat has to decide"
        call.notes.update(
            calls.Notes(
                game=plan.game.name,
                edition=plan.game.edition,
                seat=seat,
                bot=plan.bot.name,
                limits=limits_of(plan),
                workers=plan.workers,
                priority=plan.priority.name.lower(),
            )
        )
        found = await self.searches.run(
            plan.workers, search, client=call.turn, priority=plan.priority, deadline=deadline
        )
        analysis = found.analysis
        call.notes["stop_rule"] = StopRule.Name(analysis.stop_rule).removeprefix("STOP_RULE_").lower()
        call.notes["simulations"] = analysis.simulations
        if seconds := analysis.time.ToTimedelta().total_seconds():
            call.notes["simulations_per_second"] = round(analysis.simulations / seconds)
        return found


class Newest(AsyncIterator[Report]):
    """The newest of the reports that a thread makes; one that nobody has taken when the next comes is dropped.

    It belongs to the event loop in which it is made.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._news = asyncio.Event()
        self._report: Report | None = None
        self._ended = False

    def put(self, report: Report) -> None:
        """A report. For any thread."""
        self._loop.call_soon_threadsafe(self._put, report)

    def _put(self, report: Report) -> None:
        self._report = report
        self._news.set()

    def end(self) -> None:
        """No more reports come, and none that was not taken is worth it any more."""
        self._ended = True
        self._news.set()

    def __aiter__(self) -> AsyncIterator[Report]:
        """The reports as they are taken."""
        return self

    async def __anext__(self) -> Report:
        """The next one to take; none after the end."""
        await self._news.wait()
        if self._ended:
            raise StopAsyncIteration
        self._news.clear()
        assert self._report is not None, "there are news"
        return self._report


def deadline_of(context: Context) -> float | None:
    """When the call has to be answered, of time.monotonic: waiting for a core counts as well."""
    remaining = context.time_remaining()
    return None if remaining is None else time.monotonic() + remaining


def limits_of(plan: PlannedSearch) -> dict[str, float]:
    """What a search may use up, for the log."""
    if not isinstance(plan.bot, SearchBot):
        return {}
    limits = plan.bot.limits
    given = {"time": limits.time, "simulations": limits.simulations, "nodes": limits.nodes}
    return {name: limit for name, limit in given.items() if limit is not None}


class Decoding(aio.ServerInterceptor):
    """Decodes the requests of this service itself: bytes that are no message get a status like all that is wrong.

    gRPC would tell the client of an unexpected exception, and log it as a fault of ours.
    """

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        handler_call_details: grpc.HandlerCallDetails,
    ) -> Any:
        """The method's handler, from bytes to answer."""
        handler = await continuation(handler_call_details)
        if handler is None or not handler_call_details.method.startswith(f"/{SERVICE}/"):
            return handler

        async def decoded(content: bytes, context: Context) -> Any:
            try:
                return handler.request_deserializer(content)
            except DecodeError:
                await refuse(context, InvalidInput("request", "its bytes are no message of this method's request"))

        async def decode_and_answer(content: bytes, context: Context) -> Any:
            return await handler.unary_unary(await decoded(content, context), context)

        async def decode_and_write(content: bytes, context: Context) -> None:
            await handler.unary_stream(await decoded(content, context), context)

        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                decode_and_write, response_serializer=handler.response_serializer
            )
        return grpc.unary_unary_rpc_method_handler(decode_and_answer, response_serializer=handler.response_serializer)


async def answer(context: Context, method: Callable[[Request], Response], request: Request) -> Response:
    """What the method returns, or the end of the call with the status of what it raises."""
    try:
        return method(request)
    except Exception as error:
        await refuse(context, error)


async def refuse(context: Context, error: Exception) -> NoReturn:
    """Ends the call with the status of an error. What nobody expected is logged; the client learns nothing of it."""
    log_unexpected(error)
    status = to_status(error)
    if call := calls.current.get(None):  # reflection has none
        note_refusal(call.notes, status)
    await context.abort_with_status(rpc_status.to_status(status))


def log_unexpected(error: Exception) -> None:
    """Logs an error if it is a fault of ours."""
    if not isinstance(error, InvalidInput | NotPossibleNow | Refused):
        logger.error("unexpected error", exc_info=error)


def note_refusal(notes: calls.Notes, status: Status) -> None:
    """What the log wants to know of why a call was refused."""
    for detail in status.details:
        if detail.Unpack(info := ErrorInfo()):
            notes["reason"] = info.reason
            if info.metadata.get("field"):
                notes["field"] = info.metadata["field"]
