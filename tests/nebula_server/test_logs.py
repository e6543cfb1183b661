"""The log: a line for each call with what was asked and found, and never a card that a seat must not see."""

import gc
import json
import logging
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr
from typing import Any, Literal

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from grpc import aio

from nebula_ai import load
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import Choice
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_core.face import State as CoreState
from nebula_server import logs
from tests.nebula_server.conftest import Service, Stub, Written, refusal
from tests.nebula_server.test_searching import LONG, STATE, cancelled
from tests.waiting import PATIENCE, until

Lines = Callable[[], list[dict[str, Any]]]


@pytest.fixture
def log(written: Written, service: Service) -> Lines:
    """All lines so far, once."""
    log = written("json")
    return lambda: [json.loads(line) for line in log.read().splitlines()]


async def only_line(service: Service, log: Lines) -> dict[str, Any]:
    """The line of the one call there was, without what no test can know."""
    await service.server.calls.until_idle()
    (line,) = log()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", line.pop("timestamp"))
    assert 0 < line.pop("seconds") < 60
    assert (line.pop("event"), line.pop("client")) == ("call", "anonymous")
    return line


async def test_a_search(service: Service, log: Lines) -> None:
    limits = SearchLimits(simulations=50, time=Duration(seconds=60), stop_when_decided=False)
    request = pb.GetMoveRequest(state=STATE, limits=limits)
    await service.stub.GetMove(request, metadata=(("x-request-id", "turn-7"),))
    line = await only_line(service, log)
    assert 0 <= line.pop("queue_seconds") < 60
    assert line.pop("simulations_per_second") > 0
    assert line == {
        "level": "info",
        "request_id": "turn-7",
        "method": "GetMove",
        "code": "OK",
        "game": "nebula",
        "edition": "standard",
        "seat": 0,
        "bot": "",
        "limits": {"time": 60.0, "simulations": 50},
        "workers": 1,
        "priority": "interactive",
        "stop_rule": "simulations",
        "simulations": 50,
    }


async def test_a_refusal(service: Service, log: Lines) -> None:
    await refusal(service.stub.ApplyMove(pb.ApplyMoveRequest(state=STATE, move=Choice(text="fly"))))
    line = await only_line(service, log)
    assert re.fullmatch("[0-9a-f]{32}", line.pop("request_id"))
    assert line == {
        "level": "info",
        "method": "ApplyMove",
        "code": "INVALID_ARGUMENT",
        "reason": "MOVE_INVALID",
        "field": "move.text",
    }


async def test_a_call_that_is_cancelled(service: Service, log: Lines) -> None:
    call = service.stub.GetMove(LONG)
    await until(lambda: service.server.searches.running == 1)
    await cancelled(call)
    line = await only_line(service, log)
    assert (line["method"], line["code"], line["seat"]) == ("GetMove", "CANCELLED", 0)


async def test_a_call_whose_deadline_passes(service: Service, log: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nebula_server.calls.LATE_SECONDS", 60)  # for busy machines, where clocks differ by more
    calls = [service.stub.GetMove(LONG) for _ in range(2)]
    await until(lambda: service.server.searches.running == 2)
    late = service.stub.GetMove(LONG, timeout=3)
    await until(lambda: service.server.searches.waiting == 1)
    with pytest.raises(aio.AioRpcError):
        await late
    await until(lambda: service.server.calls.running == 2)
    (line,) = log()
    assert line["code"] == "DEADLINE_EXCEEDED"
    assert "stop_rule" not in line
    for call in calls:
        await cancelled(call)


async def test_a_fault_is_logged_with_its_place(service: Service, log: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nebula_ai.bots.search", failing("not for the log"))
    await refusal(service.stub.GetMove(LONG, metadata=(("x-request-id", "turn-8"),)))
    await service.server.calls.until_idle()
    fault, call = log()
    assert fault["level"] == call["level"] == "error"
    assert fault["request_id"] == call["request_id"] == "turn-8"
    assert (call["code"], call["reason"]) == ("INTERNAL", "INTERNAL")
    assert "test_logs.py" in fault["exception"]
    assert "\nbuiltins.KeyError\nwhich led to:\n" in fault["exception"]
    assert fault["exception"].endswith("\nbuiltins.RuntimeError")
    assert "not for the log" not in json.dumps([fault, call])


def failing(message: str) -> Callable[..., None]:
    """A function that fails with errors of this message."""

    def fail(*_arguments: object, **_options: object) -> None:
        try:
            raise KeyError(message)
        except KeyError as error:
            raise RuntimeError(message) from error

    return fail


def test_what_others_log_looks_the_same(log: Lines) -> None:
    logging.getLogger("grpc").warning("%d calls", 3)
    (line,) = log()
    assert line.pop("timestamp")
    assert line == {"event": "3 calls", "level": "warning"}


@pytest.mark.parametrize("form", ["console", "json"])
def test_what_is_not_read_is_dropped_and_counted(
    form: Literal["console", "json"], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever logs waits for nobody, and what is read later says how much is missing."""
    monkeypatch.setattr(logs, "MOST_LINES", 10)
    monkeypatch.setattr(logs, "LAST_SECONDS", PATIENCE)
    reader, writer = os.pipe()
    sent = [f"line {number} {'x' * 100}" for number in range(3000)]
    with ThreadPoolExecutor() as threads, open(reader) as pipe:
        with open(writer, "w") as stream, redirect_stderr(stream), logs.configured(form):
            for line in sent[:1000]:
                logs.logger.info(line)
            for line in sent[1000:]:
                logging.getLogger("grpc").info(line)
            reading = threads.submit(pipe.read)
        said = reading.result()
    found = re.findall(r"line \d+ x{100}", said)
    dropped = int(re.findall(r'dropped"?[=:] ?(\d+)', said)[-1])
    assert found == [line for line in sent if line in set(found)], "in order"
    assert len(found) + dropped == len(sent)
    assert dropped > 1000


def test_who_logs_in_the_midst_of_a_line_does_not_wait_for_itself(capfd: pytest.CaptureFixture[str]) -> None:
    """As a finalizer may, which runs wherever it likes."""

    class Noisy:
        def __del__(self) -> None:
            logs.logger.info("the end of it")

    with logs.configured("json"):
        for _ in range(1000):
            left = [Noisy(), [0] * 100]
            left.append(left)
            del left
            logs.logger.info("a line")
        gc.collect()
    said = capfd.readouterr().err
    assert said.count("a line") == said.count("the end of it") == 1000


def test_a_file_that_nobody_may_wait_for_is_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of standard error belongs to others too, who may have made it non-blocking."""
    monkeypatch.setattr(logs, "LAST_SECONDS", PATIENCE)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with ThreadPoolExecutor() as threads, open(reader) as pipe:
        with open(writer, "w") as stream, redirect_stderr(stream), logs.configured("json"):
            for _ in range(1000):
                logs.logger.info("x" * 1000)
            reading = threads.submit(pipe.read)
        assert reading.result().count("x" * 1000) == 1000


@pytest.mark.parametrize("form", ["console", "json"])
@pytest.mark.parametrize("game", ["nebula", "via_nebula"])
async def test_no_hidden_card_is_ever_logged(
    game: str,
    form: Literal["console", "json"],
    service: Service,
    written: Written,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever is asked about a state with all cards known, also if it is refused or fails by a fault of ours."""
    state, hidden = with_hidden_cards(game)
    log = written(form)
    await all_calls(service.stub, game, state, hidden)
    with monkeypatch.context() as patch:
        patch.setattr("nebula_ai.bots.search", failing(f"{sorted(hidden)} {load(game).to_text(state)}"))
        assert (await refusal(service.stub.GetMove(pb.GetMoveRequest(state=State(packed=state.pack()))))).reason
    await service.server.calls.until_idle()
    lines = log.read()
    assert lines.count("GetMove") > 4
    assert "unexpected error" in lines
    assert not hidden & set(re.findall(r"\w+", lines))
    assert not re.search(r"[A-Za-z0-9+/=]{40}", lines), "a packed state"


def with_hidden_cards(game: str) -> tuple[CoreState, set[str]]:
    """A state with all cards known, and those that the deciding seat must not see."""
    loaded = load(game)
    state = loaded.new(players=3, seed=1)
    for _ in range(3):
        state = state.apply(state.legal_moves()[0])
    assert state.seat is not None

    def cards(of: CoreState) -> set[str]:
        return set(re.findall(r'"([A-Z]\d\d)"', json.dumps(loaded.to_json(of))))

    hidden = cards(state) - cards(state.observe(state.seat))
    assert len(hidden) >= 4
    return state, hidden


async def all_calls(stub: Stub, game: str, core: CoreState, hidden: set[str]) -> None:
    """Calls of every method that takes a state: good ones, and wrong ones that have hidden cards in them."""
    loaded = load(game)
    text = State(text=loaded.to_text(core))
    states = [State(packed=core.pack()), text, State(**{game: loaded.to_message(core)})]  # type: ignore[arg-type]
    card = min(hidden)
    for state in states:
        await stub.ListMoves(pb.ListMovesRequest(state=state))
        await stub.ObserveState(pb.ObserveStateRequest(state=state, seat=0))
        await stub.ApplyMove(pb.ApplyMoveRequest(state=state, move=Choice(number=core.legal_moves()[0])))
        await stub.GetMove(pb.GetMoveRequest(state=state, limits=SearchLimits(simulations=20)))
        async for _ in stub.AnalyzeState(pb.AnalyzeStateRequest(state=state, limits=SearchLimits(simulations=20))):
            pass
        for move in (f"choose {card}", f"build {card}", card):
            await refusal(stub.ApplyMove(pb.ApplyMoveRequest(state=state, move=Choice(text=move))))
        await refusal(stub.ResolveChance(pb.ResolveChanceRequest(state=state, outcomes=[Choice(text=card)])))
        await refusal(stub.GetMove(pb.GetMoveRequest(state=state, bot=card)))
    broken = State(text=f"{text.text[:-4]}{card}")
    await refusal(stub.GetMove(pb.GetMoveRequest(state=broken)))
    await refusal(stub.GetMove(pb.GetMoveRequest(state=State(text=card))))
    with pytest.raises(aio.AioRpcError) as refused:
        await stub.GetMove(
            pb.GetMoveRequest(state=text),
            metadata=(("authorization", card), ("x-request-id", f"{card} {card}")),
            timeout=0,
        )
    assert refused.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
