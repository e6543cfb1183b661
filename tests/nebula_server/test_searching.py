"""Searches under deadlines, cancellation and load: they end, the queue is bounded, and all the rest goes on."""

import asyncio
from collections.abc import Iterator, Sequence

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from grpc import aio
from grpc_health.v1 import health_pb2, health_pb2_grpc

from nebula_ai.games.nebula.game import NebulaGame
from nebula_ai.registry import Catalogue
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1 import search_pb2
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_core.face import State as CoreState
from nebula_server.searches import QUEUE_PER_CORE
from tests.nebula_server.conftest import CORES, Service, refusal, running
from tests.waiting import PATIENCE, until

NEBULA = NebulaGame.load(None)


def first_turn() -> CoreState:
    """Four players have chosen their tasks, and the first has many ways to invest."""
    state = NEBULA.new(4, seed=2)
    for _ in range(4):
        state = state.apply(state.legal_moves()[0])
    return state


STATE = State(packed=first_turn().pack())
# Long enough that no test waits for its end. Several workers search to the end of the time even if all is decided.
LONG = pb.GetMoveRequest(state=STATE, limits=SearchLimits(time=Duration(seconds=600)))
LONG_ON_ALL_CORES = pb.GetMoveRequest(state=STATE, limits=LONG.limits, workers=CORES)


def idle(service: Service) -> bool:
    """Whether nothing searches and nothing waits."""
    return service.server.searches.running == 0 and service.server.searches.waiting == 0


async def cancelled(call: "aio.UnaryUnaryCall[pb.GetMoveRequest, pb.GetMoveResponse]") -> None:
    """Cancel a call, and see it cancelled."""
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call


async def test_cancelling_ends_the_search(service: Service) -> None:
    call = service.stub.GetMove(LONG)
    await until(lambda: service.server.searches.running == 1)
    await cancelled(call)
    await until(lambda: idle(service))
    short = pb.GetMoveRequest(state=STATE, limits=SearchLimits(simulations=3))
    assert (await service.stub.GetMove(short)).analysis.simulations == 3


async def test_a_client_that_vanishes_ends_the_search(service: Service, catalogue: Catalogue) -> None:
    async with running(catalogue) as other:
        call = other.stub.GetMove(LONG_ON_ALL_CORES)
        await until(lambda: other.server.searches.running == CORES)
        await other.channel.close()
        with pytest.raises(asyncio.CancelledError):
            await call
        await until(lambda: idle(other))


async def test_a_deadline_is_a_budget(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """The search ends so early that there is time left for the answer; here much of it, for busy machines."""
    monkeypatch.setattr("nebula_server.opponent.ANSWER_SECONDS", PATIENCE)
    response = await service.stub.GetMove(LONG_ON_ALL_CORES, timeout=PATIENCE + 0.5)
    assert response.analysis.stop_rule == search_pb2.STOP_RULE_TIME
    assert response.analysis.simulations > 0
    monkeypatch.undo()
    bots = await service.stub.GetMove(pb.GetMoveRequest(state=STATE, bot="plain"), timeout=PATIENCE)
    assert bots.analysis.stop_rule != search_pb2.STOP_RULE_TIME


async def test_a_bot_that_does_not_search_ends_as_well(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here its turn has no end: its core is free when the call is cancelled, and a deadline is kept."""

    def endless(state: CoreState, moves: Sequence[int], *_: object) -> Iterator[tuple[CoreState, frozenset[int]]]:
        while True:
            yield state, frozenset(moves)

    monkeypatch.setattr("nebula_ai.bots.turn_ends", endless)
    request = pb.GetMoveRequest(state=STATE, bot="greedy")
    call = service.stub.GetMove(request)
    await until(lambda: service.server.searches.running == 1)
    await cancelled(call)
    await until(lambda: idle(service))
    monkeypatch.setattr("nebula_server.opponent.ANSWER_SECONDS", PATIENCE)
    assert (await service.stub.GetMove(request, timeout=PATIENCE + 0.5)).HasField("move")


@pytest.mark.parametrize("timeout", [None, 1e6, 1e9])
async def test_a_deadline_that_is_far_away(service: Service, timeout: float | None) -> None:
    request = pb.GetMoveRequest(state=STATE, limits=SearchLimits(simulations=5))
    response = await service.stub.GetMove(request, timeout=timeout)
    assert response.analysis.stop_rule == search_pb2.STOP_RULE_SIMULATIONS


async def test_a_time_limit_is_kept(service: Service) -> None:
    limits = SearchLimits(time=Duration(nanos=50_000_000))
    request = pb.GetMoveRequest(state=STATE, limits=limits, workers=CORES)
    response = await service.stub.GetMove(request, timeout=PATIENCE)
    assert response.analysis.stop_rule == search_pb2.STOP_RULE_TIME
    assert response.analysis.time.ToMilliseconds() >= 50


ENDLESS = SearchLimits(simulations=10_000_000, stop_when_decided=False)


@pytest.mark.parametrize(
    "request_",
    [
        pb.GetMoveRequest(state=STATE, limits=ENDLESS),
        pb.GetMoveRequest(state=STATE, limits=ENDLESS, workers=CORES),
        pb.GetMoveRequest(state=STATE, limits=SearchLimits(nodes=4_000_000, stop_when_decided=False)),
        pb.GetMoveRequest(state=STATE, worker_simulations=[2**32 - 1]),
    ],
)
async def test_no_search_goes_on_for_ever(
    service: Service, request_: pb.GetMoveRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever its limits it is cut, and answers with what it has found."""
    monkeypatch.setattr("nebula_server.searches.MAX_SECONDS", 0.3)
    monkeypatch.setattr("nebula_server.searches.OVERTIME_SECONDS", 0.0)
    answer = await service.stub.GetMove(request_, timeout=700)
    assert answer.analysis.stop_rule == search_pb2.STOP_RULE_CANCELLED
    assert answer.analysis.simulations > 0
    assert idle(service)
    analysis = pb.AnalyzeStateRequest.FromString(request_.SerializeToString())  # the same fields have the same numbers
    *_, final = [report async for report in service.stub.AnalyzeState(analysis)]
    assert (final.final, final.analysis.stop_rule) == (True, search_pb2.STOP_RULE_CANCELLED)
    monkeypatch.undo()
    short = pb.GetMoveRequest(state=STATE, limits=SearchLimits(simulations=5))
    assert (await service.stub.GetMove(short)).analysis.stop_rule == search_pb2.STOP_RULE_SIMULATIONS


async def test_a_deadline_that_passes_in_the_queue(service: Service) -> None:
    call = service.stub.GetMove(LONG_ON_ALL_CORES)
    await until(lambda: service.server.searches.running == CORES)
    waits = service.stub.GetMove(LONG, timeout=3)
    await until(lambda: service.server.searches.waiting == 1)
    with pytest.raises(aio.AioRpcError) as late:
        await waits
    assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    await until(lambda: service.server.searches.waiting == 0)
    await cancelled(call)
    await until(lambda: idle(service))


async def test_the_queue_is_bounded(service: Service) -> None:
    """All cores search, all places to wait are taken: the next one is told when to ask again; all the rest goes on."""
    searches = service.server.searches
    calls = [service.stub.GetMove(LONG_ON_ALL_CORES)]
    await until(lambda: searches.running == CORES)
    calls += [service.stub.GetMove(LONG) for _ in range(QUEUE_PER_CORE * CORES)]
    await until(lambda: searches.waiting == QUEUE_PER_CORE * CORES)
    refused = await refusal(service.stub.GetMove(LONG))
    assert (refused.code, refused.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_SEARCHES")
    assert refused.retry_seconds
    # A request that is wrong is told so all the same, and what needs no search is answered.
    wrong = await refusal(service.stub.GetMove(pb.GetMoveRequest()))
    assert wrong.code == grpc.StatusCode.INVALID_ARGUMENT
    assert (await service.stub.ListMoves(pb.ListMovesRequest(state=STATE))).moves
    health = health_pb2_grpc.HealthStub(service.channel)
    checked = await health.Check(health_pb2.HealthCheckRequest())  # type: ignore[attr-defined]
    assert checked.status == health_pb2.HealthCheckResponse.SERVING
    # With the first gone, as many search as there are cores; with all gone, nothing is left behind.
    await cancelled(calls.pop(0))
    await until(lambda: searches.running == CORES and searches.waiting == (QUEUE_PER_CORE - 1) * CORES)
    for call in reversed(calls):
        await cancelled(call)
    await until(lambda: idle(service))


async def test_a_search_that_fails_gives_its_core_back(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("nebula_ai.bots.search", fail)
    for _ in range(CORES + 1):
        refused = await refusal(service.stub.GetMove(LONG))
        assert (refused.code, refused.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert idle(service)


async def test_stopping_ends_searches(catalogue: Catalogue) -> None:
    """Those that run answer with what they have found, those that wait are refused."""
    async with running(catalogue) as service:
        calls = [service.stub.GetMove(LONG) for _ in range(CORES)]
        await until(lambda: service.server.searches.running == CORES)
        waiting = service.stub.GetMove(LONG)
        await until(lambda: service.server.searches.waiting == 1)
        await service.server.stop(0)
        for call in calls:
            assert (await call).analysis.stop_rule == search_pb2.STOP_RULE_CANCELLED
        refused = await refusal(waiting)
        assert (refused.code, refused.reason) == (grpc.StatusCode.UNAVAILABLE, "STOPPING")
        assert idle(service)
