"""What every connection and call is given: pings, sizes, request ids."""

import asyncio
import json
import re

import grpc
import pytest
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from nebula_ai.registry import Catalogue
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_server import server
from nebula_server.searches import QUEUE_PER_CORE
from tests.nebula_server.conftest import CORES, Service, refusal, running
from tests.nebula_server.test_searching import LONG_ON_ALL_CORES, STATE, cancelled
from tests.waiting import until


async def test_clients_that_ping_often_stay(service: Service) -> None:
    """With what gRPC has by default the server cuts both off within three seconds, with too_many_pings."""
    options = [
        ("grpc.keepalive_time_ms", 100),  # the client makes it a second
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.max_pings_without_data", 0),
        ("grpc.use_local_subchannel_pool", 1),
    ]
    async with (
        aio.insecure_channel(service.address, options=options) as idle,
        aio.insecure_channel(service.address, options=options) as waiting,
    ):
        health = health_pb2_grpc.HealthStub(waiting)
        watch = health.Watch(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined]
        await watch.read()
        await idle.channel_ready()

        async def stays(channel: aio.Channel) -> None:
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(channel.wait_for_state_change(grpc.ChannelConnectivity.READY), 4)

        await asyncio.gather(stays(idle), stays(waiting))
        watch.cancel()


async def test_a_request_that_is_too_large(service: Service) -> None:
    request = pb.ListMovesRequest(state=State(text="x" * server.MAX_REQUEST_BYTES))
    with pytest.raises(aio.AioRpcError) as refused:
        await service.stub.ListMoves(request)
    assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await service.stub.ListGames(pb.ListGamesRequest())).games


async def test_a_response_that_is_too_large(catalogue: Catalogue, monkeypatch: pytest.MonkeyPatch) -> None:
    options = [option for option in server.OPTIONS if option[0] != "grpc.max_send_message_length"]
    monkeypatch.setattr(server, "OPTIONS", [*options, ("grpc.max_send_message_length", 1000)])
    async with running(catalogue) as service:
        with pytest.raises(aio.AioRpcError) as refused:
            await service.stub.GetGame(pb.GetGameRequest(game="nebula"))
        assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
        assert (await service.stub.ListGames(pb.ListGamesRequest())).games


async def test_the_request_id_comes_back(service: Service) -> None:
    """With an answer or a refusal; a new one if the client's is none."""

    async def returned(*metadata: tuple[str, str], game: str = "nebula") -> str:
        call = service.stub.GetGame(pb.GetGameRequest(game=game), metadata=metadata)
        await (call if game == "nebula" else refusal(call))
        return str(dict(await call.trailing_metadata())["x-request-id"])

    assert await returned(("x-request-id", "Turn-12.a_b")) == "Turn-12.a_b"
    assert await returned(("x-request-id", "z" * 64), game="chess") == "z" * 64
    for bad in ((), (("x-request-id", "z" * 65),), (("x-request-id", "a b"),), (("x-request-id", ""),)):
        assert re.fullmatch("[0-9a-f]{32}", await returned(*bad))


async def test_the_request_id_comes_back_with_a_stream(service: Service) -> None:
    call = service.stub.AnalyzeState(
        pb.AnalyzeStateRequest(state=STATE, limits=SearchLimits(simulations=5)), metadata=(("x-request-id", "stream"),)
    )
    assert [response async for response in call][-1].final
    assert dict(await call.trailing_metadata())["x-request-id"] == "stream"


async def test_grpc_repeats_by_itself_what_is_refused(service: Service) -> None:
    """If a client's configuration says so, with a search that finds the queue full."""
    searches = service.server.searches
    policy = {
        "maxAttempts": 5,
        "initialBackoff": "0.05s",
        "maxBackoff": "0.2s",
        "backoffMultiplier": 2,
        "retryableStatusCodes": ["RESOURCE_EXHAUSTED"],
    }
    config = json.dumps({"methodConfig": [{"name": [{}], "retryPolicy": policy}]})
    calls = [service.stub.GetMove(LONG_ON_ALL_CORES) for _ in range(QUEUE_PER_CORE * CORES + 1)]
    await until(lambda: searches.waiting == QUEUE_PER_CORE * CORES)
    options = [("grpc.service_config", config), ("grpc.use_local_subchannel_pool", 1)]
    async with aio.insecure_channel(service.address, options=options) as channel:
        await refusal(OpponentServiceStub(channel).GetMove(LONG_ON_ALL_CORES))
    labels = {"method": "GetMove", "code": "RESOURCE_EXHAUSTED"}
    registry = service.server.metrics.registry
    await until(lambda: registry.get_sample_value("nebula_ai_calls_total", labels) == policy["maxAttempts"])
    for call in reversed(calls):
        await cancelled(call)
