"""Metrics: what is counted, as somebody sees it who asks over HTTP."""

import asyncio
import re
import urllib.request
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc import aio

from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_server.metrics import Metrics
from nebula_server.searches import Searches
from tests.nebula_server.conftest import Service, refusal
from tests.nebula_server.test_searching import LONG_ON_ALL_CORES, STATE, cancelled, idle
from tests.waiting import until


@pytest.fixture
async def metrics(service: Service) -> str:
    """The address where the server's metrics are."""
    http = service.server.metrics.serve("0")
    return f"http://{http}/metrics"


async def ask(address: str) -> dict[str, float]:
    """All metrics there are."""

    def get() -> str:
        with urllib.request.urlopen(address) as page:
            return str(page.read().decode())

    lines = re.findall(r"^([a-z].*) (\S+)$", await asyncio.to_thread(get), re.MULTILINE)
    return {name: float(value) for name, value in lines}


async def test_calls_are_counted_by_method_and_code(service: Service, metrics: str) -> None:
    before = await ask(metrics)
    assert not [name for name in before if name.startswith("nebula_ai_calls_total")]
    for _ in range(2):
        await service.stub.ListMoves(pb.ListMovesRequest(state=STATE))
    await refusal(service.stub.ListMoves(pb.ListMovesRequest(state=State(text="none"))))
    await service.server.calls.until_idle()
    after = await ask(metrics)
    assert after['nebula_ai_calls_total{code="OK",method="ListMoves"}'] == 2
    assert after['nebula_ai_calls_total{code="INVALID_ARGUMENT",method="ListMoves"}'] == 1
    assert after['nebula_ai_call_seconds_count{method="ListMoves"}'] == 3
    assert after['nebula_ai_call_seconds_sum{method="ListMoves"}'] > 0


async def test_searches_are_counted(service: Service, metrics: str) -> None:
    for simulations in (30, 12):
        limits = SearchLimits(simulations=simulations, stop_when_decided=False)
        await service.stub.GetMove(pb.GetMoveRequest(state=STATE, limits=limits))
    await service.server.calls.until_idle()
    after = await ask(metrics)
    assert after["nebula_ai_simulations_total"] == 42
    assert after["nebula_ai_queue_seconds_count"] == 2
    assert after["nebula_ai_cores_searching"] == 0


async def test_what_searches_and_waits_is_seen_at_once(service: Service, metrics: str) -> None:
    calls = [service.stub.GetMove(LONG_ON_ALL_CORES) for _ in range(3)]
    await until(lambda: service.server.searches.waiting == 2)
    seen = await ask(metrics)
    assert seen["nebula_ai_cores_searching"] == service.server.searches.cores
    assert seen["nebula_ai_searches_waiting"] == 2
    for call in reversed(calls):
        await cancelled(call)
    await until(lambda: idle(service) and service.server.calls.running == 0)
    seen = await ask(metrics)
    assert (seen["nebula_ai_cores_searching"], seen["nebula_ai_searches_waiting"]) == (0, 0)
    assert seen['nebula_ai_calls_total{code="CANCELLED",method="GetMove"}'] == 3


async def test_the_memory_of_the_process(metrics: str) -> None:
    with open("/proc/self/status") as status:
        (kilobytes,) = re.findall(r"^VmRSS:\s+(\d+) kB$", status.read(), re.MULTILINE)
    assert (await ask(metrics))["process_resident_memory_bytes"] == pytest.approx(int(kilobytes) * 1024, rel=0.2)


def test_the_page_has_every_metric() -> None:
    """Those of the service; those of the process are Prometheus' own."""
    registry = Metrics(Searches(1)).registry
    # A counter's samples have a name that is longer than its own.
    names = {f"{one.name}_total" if one.type == "counter" else one.name for one in registry.collect()}
    page = (Path(__file__).parent.parent.parent / "docs" / "operations.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"^\| `(nebula_ai_\w+)` ", page, re.MULTILINE))
    assert documented == {name for name in names if name.startswith("nebula_ai_")}


async def test_addresses_make_no_numbers(service: Service, metrics: str) -> None:
    """Nothing that the page has comes from who asks."""
    await service.stub.ListMoves(pb.ListMovesRequest(state=STATE))
    await service.server.calls.until_idle()
    assert not [name for name in await ask(metrics) if name.startswith("nebula_ai") and "127.0.0." in name]


async def test_methods_that_do_not_exist_make_no_numbers(service: Service, metrics: str) -> None:
    """Whatever clients make up, there are as many numbers as methods and codes."""
    before = await ask(metrics)
    made_up: Any = service.channel.unary_unary("/nebula_ai.v1.OpponentService/MadeUp")
    with pytest.raises(aio.AioRpcError) as refused:
        await made_up(b"")
    assert refused.value.code() == grpc.StatusCode.UNIMPLEMENTED
    await service.server.calls.until_idle()
    assert before.keys() == (await ask(metrics)).keys()
