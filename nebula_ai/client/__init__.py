"""A client of the service: `Client` for threads, `AsyncClient` for asyncio. They keep nothing between two calls.

Each method takes the request message of its method, and returns the response message (both in `nebula_ai.v1`):

    from nebula_ai.client import Client
    from nebula_ai.v1 import opponent_service_pb2 as pb
    from nebula_ai.v1.state_pb2 import State

    with Client("127.0.0.1:50051") as client:
        view = client.create_state(pb.CreateStateRequest(game="nebula", players=2)).state
        answer = client.get_move(pb.GetMoveRequest(state=State(packed=view.packed), bot="skilled"))

What fails raises a `ServiceError`. What is safe to ask again is asked again, within the call's time.
"""

from nebula_ai.client.asynchronous import AsyncAnalysisStream, AsyncClient
from nebula_ai.client.blocking import AnalysisStream, Client
from nebula_ai.client.connection import Tls
from nebula_ai.client.errors import (
    DeadlineExceeded,
    FailedPrecondition,
    InvalidArgument,
    NotFound,
    ResourceExhausted,
    ServiceError,
    Unauthenticated,
    Unavailable,
)

__all__ = [
    "AnalysisStream",
    "AsyncAnalysisStream",
    "AsyncClient",
    "Client",
    "DeadlineExceeded",
    "FailedPrecondition",
    "InvalidArgument",
    "NotFound",
    "ResourceExhausted",
    "ServiceError",
    "Tls",
    "Unauthenticated",
    "Unavailable",
]
