"""The client for asyncio. It belongs to the event loop in which it is made; all tasks of that loop may share one."""

import asyncio
from collections.abc import AsyncIterator
from typing import Self, TypeVar

import grpc
from grpc import aio

from nebula_ai.client.attempts import Attempts
from nebula_ai.client.connection import OPTIONS, Connection, Tls
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub

Request = TypeVar("Request")
Response = TypeVar("Response")


class AsyncClient:
    """A client of one service: as `Client`, but its methods are awaited. Cancelling a task cancels its call."""

    def __init__(
        self, address: str, *, token: str | None = None, tls: Tls | None = None, timeout: float = 60.0
    ) -> None:
        """See `Client`. Raises InvalidInput."""
        self._connection = Connection(address, token, tls, timeout)
        credentials = self._connection.credentials
        if credentials is None:
            self._channel = aio.insecure_channel(address, OPTIONS)
        else:
            self._channel = aio.secure_channel(address, credentials, OPTIONS)
        self._stub = OpponentServiceStub(self._channel)

    async def __aenter__(self) -> Self:
        """The client, to be closed at the end of the block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes the client."""
        await self.close()

    async def close(self) -> None:
        """Ends the connection, and the calls that still run."""
        await self._channel.close()

    async def list_games(self, request: pb.ListGamesRequest, *, timeout: float | None = None) -> pb.ListGamesResponse:
        """See `Client.list_games`."""
        return await self._answer(self._stub.ListGames, request, timeout)

    async def get_game(self, request: pb.GetGameRequest, *, timeout: float | None = None) -> pb.GetGameResponse:
        """See `Client.get_game`."""
        return await self._answer(self._stub.GetGame, request, timeout)

    async def list_bots(self, request: pb.ListBotsRequest, *, timeout: float | None = None) -> pb.ListBotsResponse:
        """See `Client.list_bots`."""
        return await self._answer(self._stub.ListBots, request, timeout)

    async def create_state(
        self, request: pb.CreateStateRequest, *, timeout: float | None = None
    ) -> pb.CreateStateResponse:
        """See `Client.create_state`."""
        return await self._answer(self._stub.CreateState, request, timeout)

    async def observe_state(
        self, request: pb.ObserveStateRequest, *, timeout: float | None = None
    ) -> pb.ObserveStateResponse:
        """See `Client.observe_state`."""
        return await self._answer(self._stub.ObserveState, request, timeout)

    async def list_moves(self, request: pb.ListMovesRequest, *, timeout: float | None = None) -> pb.ListMovesResponse:
        """See `Client.list_moves`."""
        return await self._answer(self._stub.ListMoves, request, timeout)

    async def apply_move(self, request: pb.ApplyMoveRequest, *, timeout: float | None = None) -> pb.ApplyMoveResponse:
        """See `Client.apply_move`."""
        return await self._answer(self._stub.ApplyMove, request, timeout)

    async def resolve_chance(
        self, request: pb.ResolveChanceRequest, *, timeout: float | None = None
    ) -> pb.ResolveChanceResponse:
        """See `Client.resolve_chance`."""
        return await self._answer(self._stub.ResolveChance, request, timeout)

    async def get_move(self, request: pb.GetMoveRequest, *, timeout: float | None = None) -> pb.GetMoveResponse:
        """See `Client.get_move`. Cancelling the task ends the search."""
        return await self._answer(self._stub.GetMove, request, timeout)

    def analyze_state(self, request: pb.AnalyzeStateRequest, *, timeout: float | None = None) -> "AsyncAnalysisStream":
        """See `Client.analyze_state`."""
        return AsyncAnalysisStream(self._stub.AnalyzeState, request, Attempts(self._connection, timeout))

    async def _answer(
        self, method: "aio.UnaryUnaryMultiCallable[Request, Response]", request: Request, timeout: float | None
    ) -> Response:
        """What the method answers, asked as often as is allowed."""
        attempts = Attempts(self._connection, timeout)
        while True:
            try:
                return await method(request, timeout=attempts.seconds_left, metadata=attempts.metadata)
            except grpc.RpcError as error:
                await asyncio.sleep(attempts.pause(error))


class AsyncAnalysisStream(AsyncIterator[pb.AnalyzeStateResponse]):
    """The reports of one search, in the order in which they come; the last one is final. One task reads them.

    Closing it ends the search, also from another task: then there is no further report, nor an error. So does
    cancelling the task that waits for a report.
    """

    def __init__(
        self,
        method: "aio.UnaryStreamMultiCallable[pb.AnalyzeStateRequest, pb.AnalyzeStateResponse]",
        request: pb.AnalyzeStateRequest,
        attempts: Attempts,
    ) -> None:
        """See `AsyncClient.analyze_state`."""
        self._method = method
        self._request = request
        self._attempts = attempts
        self._answered = False
        self._closed = asyncio.Event()
        self._call = self._attempt()

    async def __anext__(self) -> pb.AnalyzeStateResponse:
        """The next report, once it is there. Raises ServiceError."""
        while not self._closed.is_set():
            try:
                report = await self._call.read()
            except grpc.RpcError as error:
                if not self._closed.is_set():
                    await self._start_again(self._attempts.pause(error, self._answered))
            except asyncio.CancelledError:
                task = asyncio.current_task()
                # A call that was closed looks the same as a task that was cancelled.
                if not self._closed.is_set() or (task is not None and task.cancelling()):
                    raise
            else:
                if not isinstance(report, pb.AnalyzeStateResponse):  # the end of the stream
                    break
                self._answered = True
                return report
        raise StopAsyncIteration

    async def __aenter__(self) -> Self:
        """The reports, to be closed at the end of the block."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def close(self) -> None:
        """Ends the search, if it has not ended by itself."""
        self._closed.set()
        self._call.cancel()

    def __del__(self) -> None:
        """Ends a search whose reports nobody reads any more. gRPC would, but only in the next garbage collection."""
        if not self._call.done():
            self.close()

    def _attempt(self) -> "aio.UnaryStreamCall[pb.AnalyzeStateRequest, pb.AnalyzeStateResponse]":
        """A call that begins now."""
        attempts = self._attempts
        return self._method(self._request, timeout=attempts.seconds_left, metadata=attempts.metadata)

    async def _start_again(self, pause: float) -> None:
        """Begins a new attempt after so many seconds, unless this is closed before."""
        try:
            await asyncio.wait_for(self._closed.wait(), pause)
        except TimeoutError:
            self._call = self._attempt()
