"""The service as gRPC sees it: errors become statuses, deadlines and cancellation end searches."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeVar

import grpc
from google.protobuf.message import DecodeError
from grpc import aio
from grpc_status import rpc_status

from nebula_ai.errors import InvalidInput, NotPossibleNow
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceServicer
from nebula_server.errors import Busy, to_status
from nebula_server.opponent import Opponent
from nebula_server.searches import Searches

logger = logging.getLogger(__name__)

SERVICE = pb.DESCRIPTOR.services_by_name["OpponentService"].full_name

Request = TypeVar("Request")
Response = TypeVar("Response")
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
        """See Opponent.plan_move. The deadline counts from now: waiting for a core is part of it."""
        remaining = context.time_remaining()
        deadline = None if remaining is None else time.monotonic() + remaining
        plan = await answer(context, self.opponent.plan_move, request)
        try:
            return await self.searches.run(plan.workers, lambda cancel: plan.run(cancel, deadline))
        except Exception as error:
            await refuse(context, error)


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

        async def decode_and_answer(content: bytes, context: Context) -> Any:
            try:
                request = handler.request_deserializer(content)
            except DecodeError:
                await refuse(context, InvalidInput("request", "its bytes are no message of this method's request"))
            return await handler.unary_unary(request, context)

        return grpc.unary_unary_rpc_method_handler(decode_and_answer, response_serializer=handler.response_serializer)


async def answer(context: Context, method: Callable[[Request], Response], request: Request) -> Response:
    """What the method returns, or the end of the call with the status of what it raises."""
    try:
        return method(request)
    except Exception as error:
        await refuse(context, error)


async def refuse(context: Context, error: Exception) -> NoReturn:
    """Ends the call with the status of an error. What nobody expected is logged; the client learns nothing of it."""
    if not isinstance(error, InvalidInput | NotPossibleNow | Busy):
        logger.error("unexpected error", exc_info=error)
    await context.abort_with_status(rpc_status.to_status(to_status(error)))
