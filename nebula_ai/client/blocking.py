"""The client for programs without asyncio: each method returns when its answer is there. All threads may share one."""

import threading
import time
from collections.abc import Iterator
from typing import Self, TypeVar

import grpc

from nebula_ai.client.attempts import Attempts
from nebula_ai.client.connection import OPTIONS, Connection, Tls
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub

Request = TypeVar("Request")
Response = TypeVar("Response")


class Client:
    """A client of one service.

    Every method takes its request, and how many seconds the call may take in all if not the client's `timeout`. It
    raises a ServiceError if it fails, and InvalidInput for a timeout that is none.
    """

    def __init__(
        self, address: str, *, token: str | None = None, tls: Tls | None = None, timeout: float = 60.0
    ) -> None:
        """`address` is ``host:port``. Without `tls` nothing is encrypted. `token` says who asks, to a service that
        wants to know; it is sent with TLS or to this machine only. `timeout`: seconds that a call may take in all.
        Nothing is sent yet. Raises InvalidInput.
        """
        self._connection = Connection(address, token, tls, timeout)
        credentials = self._connection.credentials
        if credentials is None:
            self._channel = grpc.insecure_channel(address, OPTIONS)
        else:
            self._channel = grpc.secure_channel(address, credentials, OPTIONS)
        self._stub = OpponentServiceStub(self._channel)

    def __enter__(self) -> Self:
        """The client, to be closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes the client."""
        self.close()

    def close(self) -> None:
        """Ends the connection, and the calls that still run."""
        self._channel.close()

    def list_games(self, request: pb.ListGamesRequest, *, timeout: float | None = None) -> pb.ListGamesResponse:
        """The games and their editions."""
        return self._answer(self._stub.ListGames, request, timeout)

    def get_game(self, request: pb.GetGameRequest, *, timeout: float | None = None) -> pb.GetGameResponse:
        """One edition of a game, with boards and cards to draw."""
        return self._answer(self._stub.GetGame, request, timeout)

    def list_bots(self, request: pb.ListBotsRequest, *, timeout: float | None = None) -> pb.ListBotsResponse:
        """The bots of a game."""
        return self._answer(self._stub.ListBots, request, timeout)

    def create_state(self, request: pb.CreateStateRequest, *, timeout: float | None = None) -> pb.CreateStateResponse:
        """The state of a new game."""
        return self._answer(self._stub.CreateState, request, timeout)

    def observe_state(
        self, request: pb.ObserveStateRequest, *, timeout: float | None = None
    ) -> pb.ObserveStateResponse:
        """What one seat sees of a state."""
        return self._answer(self._stub.ObserveState, request, timeout)

    def list_moves(self, request: pb.ListMovesRequest, *, timeout: float | None = None) -> pb.ListMovesResponse:
        """The legal moves of a state."""
        return self._answer(self._stub.ListMoves, request, timeout)

    def apply_move(self, request: pb.ApplyMoveRequest, *, timeout: float | None = None) -> pb.ApplyMoveResponse:
        """The state after a move."""
        return self._answer(self._stub.ApplyMove, request, timeout)

    def resolve_chance(
        self, request: pb.ResolveChanceRequest, *, timeout: float | None = None
    ) -> pb.ResolveChanceResponse:
        """The state after pending chance events."""
        return self._answer(self._stub.ResolveChance, request, timeout)

    def get_move(self, request: pb.GetMoveRequest, *, timeout: float | None = None) -> pb.GetMoveResponse:
        """A bot's move. The search ends early enough to be answered within the call's time."""
        return self._answer(self._stub.GetMove, request, timeout)

    def analyze_state(self, request: pb.AnalyzeStateRequest, *, timeout: float | None = None) -> "AnalysisStream":
        """The reports of a search while it runs. Its end comes early enough within the call's time. Errors are raised
        by the reports, except for InvalidInput.
        """
        return AnalysisStream(self._stub.AnalyzeState, request, Attempts(self._connection, timeout))

    def _answer(
        self, method: "grpc.UnaryUnaryMultiCallable[Request, Response]", request: Request, timeout: float | None
    ) -> Response:
        """What the method answers, asked as often as is allowed."""
        attempts = Attempts(self._connection, timeout)
        while True:
            try:
                return method(request, timeout=attempts.seconds_left, metadata=attempts.metadata)
            except grpc.RpcError as error:
                time.sleep(attempts.pause(error))


class AnalysisStream(Iterator[pb.AnalyzeStateResponse]):
    """The reports of one search, in the order in which they come; the last one is final. One thread reads them.

    Closing it ends the search, also from another thread: then there is no further report, nor an error.
    """

    def __init__(
        self,
        method: "grpc.UnaryStreamMultiCallable[pb.AnalyzeStateRequest, pb.AnalyzeStateResponse]",
        request: pb.AnalyzeStateRequest,
        attempts: Attempts,
    ) -> None:
        """See `Client.analyze_state`."""
        self._method = method
        self._request = request
        self._attempts = attempts
        self._answered = False
        self._closed = threading.Event()
        self._call = self._attempt()

    def __next__(self) -> pb.AnalyzeStateResponse:
        """The next report, once it is there. Raises ServiceError."""
        while not self._closed.is_set():
            try:
                report = next(self._call)
            except grpc.RpcError as error:
                if not self._closed.is_set() and not self._closed.wait(self._attempts.pause(error, self._answered)):
                    self._call = self._attempt()
            else:
                self._answered = True
                return report
        self._call.cancel()  # closed while a new attempt began
        raise StopIteration

    def __enter__(self) -> Self:
        """The reports, to be closed at the end of the block."""
        return self

    def __exit__(self, *_: object) -> None:
        """Closes it."""
        self.close()

    def close(self) -> None:
        """Ends the search, if it has not ended by itself."""
        self._closed.set()
        self._call.cancel()

    def _attempt(self) -> "grpc._CallIterator[pb.AnalyzeStateResponse]":
        """A call that begins now."""
        attempts = self._attempts
        return self._method(self._request, timeout=attempts.seconds_left, metadata=attempts.metadata)
