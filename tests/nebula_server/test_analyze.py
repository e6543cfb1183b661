"""AnalyzeState and what it shares with GetMove: reports, allowed moves, the turn, views, answers that are had again."""

import asyncio
import gc
import importlib
import logging
import threading
from collections.abc import AsyncIterable, Callable, Iterator
from typing import Any, TypeAlias, TypeVar

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty
from google.protobuf.message import Message
from grpc import aio

from nebula_ai.chance import settle
from nebula_ai.game import Game
from nebula_ai.registry import Catalogue, load
from nebula_ai.search import Limits, Reports, search
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1 import search_pb2
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import Analysis, SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView
from nebula_core.face import Generator
from nebula_core.face import State as CoreState
from nebula_server import answers, security
from nebula_server.server import Server
from nebula_server.service import SERVICE, Newest
from tests.nebula_server.conftest import CORES, Service, Stub, refusal, running
from tests.nebula_server.test_searching import STATE, first_turn, idle
from tests.waiting import PATIENCE, until

Answer: TypeAlias = pb.GetMoveResponse | pb.AnalyzeStateResponse
Request: TypeAlias = pb.GetMoveRequest | pb.AnalyzeStateRequest

Report = TypeVar("Report")

NEBULA = load("nebula")
VIA_NEBULA = load("via_nebula")
GAMES = pytest.mark.parametrize("game", [NEBULA, VIA_NEBULA], ids=["nebula", "via_nebula"])

SHORTEST = Duration(nanos=50_000_000)
UNDECIDED = SearchLimits(time=SHORTEST, stop_when_decided=False)
LONG = pb.AnalyzeStateRequest(
    state=STATE, limits=SearchLimits(time=Duration(seconds=600)), workers=CORES, report_interval=SHORTEST
)


@pytest.fixture
def watched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Searches report so often that even a short one does."""
    # The package has a function of this name as well.
    monkeypatch.setattr(importlib.import_module("nebula_ai.search"), "FIRST_REPORT_SECONDS", 0.001)
    monkeypatch.setattr("nebula_server.requests.MIN_REPORT_SECONDS", 0.001)


def packed(state: CoreState) -> State:
    """A state as requests send it."""
    return State(packed=state.pack())


def middle(game: Game, decisions: int = 30) -> CoreState:
    """A state of a game of two after so many random decisions, where the seat has several moves."""
    generator = Generator(7)
    state = game.new(2, seed=7)
    while decisions > 0 or state.chance_pending or len(state.legal_moves()) < 3:
        if state.chance_pending:
            state = state.settle(generator)[0]
        else:
            state = state.apply(state.random_move(generator))
            decisions -= 1
    return state


async def reports(
    stub: Stub, request: pb.AnalyzeStateRequest, timeout: float | None = None
) -> list[pb.AnalyzeStateResponse]:
    """All reports; of them only the last one is final."""
    found = [report async for report in stub.AnalyzeState(request, timeout=timeout)]
    assert [report.final for report in found] == [False] * (len(found) - 1) + [True]
    for report in found[:-1]:
        assert report.analysis.stop_rule == search_pb2.STOP_RULE_UNSPECIFIED
        assert [field.name for field, _ in report.ListFields()] == ["analysis"]
    return found


async def asked(stub: Stub, request: Request, timeout: float | None = None) -> Answer:
    """The answer, or the final report."""
    if isinstance(request, pb.GetMoveRequest):
        return await stub.GetMove(request, timeout=timeout)
    return (await reports(stub, request, timeout))[-1]


def repeatable(answer: Answer) -> dict[str, Any]:
    """What has to be the same where an answer is had again, by name."""
    analysis = Analysis()
    analysis.CopyFrom(answer.analysis)
    analysis.ClearField("time")
    analysis.ClearField("stop_rule")
    return {
        "move": answer.move,
        "analysis": analysis,
        "reason": answer.reason,
        "runner_up": answer.runner_up,
    }


# Reports.


@pytest.mark.usefixtures("watched")
@pytest.mark.parametrize("workers", [1, 2])
async def test_partial_reports_and_then_the_final_one(stub: Stub, workers: int) -> None:
    """The same as without reports, in the end; and before it, more with each report."""
    limits = SearchLimits(simulations=20_000, stop_when_decided=False)
    request = pb.AnalyzeStateRequest(
        state=STATE, limits=limits, seed=3, workers=workers, report_interval=Duration(nanos=1_000_000)
    )
    found = await reports(stub, request)
    assert len(found) > 1
    done = [report.analysis.simulations for report in found]
    assert done == sorted(done)
    for report in found:
        analysis = report.analysis
        assert (analysis.seed, analysis.workers) == (3, workers)
        assert sum(analysis.worker_simulations) == analysis.simulations
        assert {move.move.number for move in analysis.moves} == set(first_turn().legal_moves())
        assert analysis.turn[0] == analysis.moves[0].move
    unwatched = await stub.GetMove(pb.GetMoveRequest(state=STATE, limits=limits, seed=3, workers=workers))
    assert repeatable(found[-1]) == repeatable(unwatched)
    assert found[-1].analysis.stop_rule == unwatched.analysis.stop_rule == search_pb2.STOP_RULE_SIMULATIONS


def forced() -> CoreState:
    """One move is legal."""
    return NEBULA.new(3, seed=1).observe(1)


@pytest.mark.parametrize(
    ("request_", "stop_rule"),
    [
        (pb.AnalyzeStateRequest(state=STATE, limits=UNDECIDED), search_pb2.STOP_RULE_TIME),
        (pb.AnalyzeStateRequest(state=STATE, limits=SearchLimits(time=Duration(nanos=1))), search_pb2.STOP_RULE_TIME),
        (pb.AnalyzeStateRequest(state=STATE, limits=SearchLimits(simulations=1)), search_pb2.STOP_RULE_SIMULATIONS),
        (pb.AnalyzeStateRequest(state=STATE, limits=SearchLimits(nodes=20)), search_pb2.STOP_RULE_NODES),
        (pb.AnalyzeStateRequest(state=STATE, bot="random"), search_pb2.STOP_RULE_UNSEARCHED),
        (pb.AnalyzeStateRequest(state=STATE, bot="greedy"), search_pb2.STOP_RULE_UNSEARCHED),
        (pb.AnalyzeStateRequest(state=packed(forced()), limits=LONG.limits), search_pb2.STOP_RULE_FORCED),
    ],
)
async def test_one_final_report_whatever_ends_the_search(
    stub: Stub, request_: pb.AnalyzeStateRequest, stop_rule: int
) -> None:
    final = (await reports(stub, request_))[-1]
    assert final.analysis.stop_rule == stop_rule
    assert final.move.number in {move.move.number for move in final.analysis.moves}
    assert final.reason


async def test_a_final_report_before_the_deadline(stub: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nebula_server.opponent.ANSWER_SECONDS", PATIENCE)
    found = await reports(stub, LONG, PATIENCE + 0.5)
    assert found[-1].analysis.stop_rule == search_pb2.STOP_RULE_TIME


async def test_a_final_report_when_the_service_stops(catalogue: Catalogue) -> None:
    async with running(catalogue) as service:
        call = service.stub.AnalyzeState(LONG)
        assert not (await anext(aiter(call))).final
        stopping = asyncio.create_task(service.server.stop(0))
        found = [report async for report in call]
        await stopping
        assert found[-1].final
        assert found[-1].analysis.stop_rule == search_pb2.STOP_RULE_CANCELLED


async def test_cancelling_ends_the_search(service: Service) -> None:
    call = service.stub.AnalyzeState(LONG)
    assert not (await anext(aiter(call))).final
    assert service.server.searches.running == CORES
    call.cancel()
    await until(lambda: idle(service))


async def test_cancelling_in_the_queue(service: Service) -> None:
    running_ = service.stub.AnalyzeState(LONG)
    await anext(aiter(running_))
    waiting = service.stub.AnalyzeState(LONG)
    await until(lambda: service.server.searches.waiting == 1)
    waiting.cancel()
    await until(lambda: service.server.searches.waiting == 0)
    running_.cancel()
    await until(lambda: idle(service))


async def test_a_client_that_vanishes_ends_the_search(catalogue: Catalogue) -> None:
    """Also one that has not read what was sent to it."""
    async with running(catalogue) as service:
        call = service.stub.AnalyzeState(LONG)
        await until(lambda: service.server.searches.running == CORES)
        await service.channel.close()
        with pytest.raises(asyncio.CancelledError):
            _ = [report async for report in call]
        await until(lambda: idle(service))


async def test_the_newest_report_alone_waits() -> None:
    partial = Newest[int]()

    def tell(*numbers: int) -> None:
        for number in numbers:
            partial.put(number)

    loop = asyncio.get_running_loop()
    await loop.run_in_executor(None, tell, 1, 2, 3)
    assert await anext(partial) == 3
    await loop.run_in_executor(None, tell, 4)
    assert await anext(partial) == 4
    waiting = asyncio.ensure_future(anext(partial))
    await asyncio.sleep(0)
    await loop.run_in_executor(None, tell, 5)
    assert await waiting == 5
    await loop.run_in_executor(None, tell, 6)
    partial.end()
    with pytest.raises(StopAsyncIteration):
        await anext(partial)


@pytest.mark.usefixtures("watched")
async def test_a_slow_reader_misses_partial_reports(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """What it has not read does not pile up; and it gets the final report all the same."""
    told = 0
    analysis = answers.analysis

    def counted(*arguments: Any, **options: Any) -> Analysis:
        nonlocal told
        told += 1
        answer = analysis(*arguments, **options)
        answer.moves[0].line.extend(["x" * 1000] * 300)  # more than gRPC takes off the service's hands
        return answer

    monkeypatch.setattr("nebula_server.answers.analysis", counted)
    request = pb.AnalyzeStateRequest(
        state=STATE,
        limits=SearchLimits(time=LONG.limits.time, stop_when_decided=False),
        report_interval=Duration(nanos=1_000_000),
    )
    call = service.stub.AnalyzeState(request)
    await until(lambda: told > 60)
    service.server.searches.cut()
    found = [report async for report in call]
    assert found[-1].final
    # It has missed them in a row, while it did not read.
    assert told - len(found) > 20
    simulations = [report.analysis.simulations for report in found]
    assert simulations == sorted(simulations)
    await until(lambda: idle(service))


@pytest.mark.parametrize("how", ["cancelled", "the line is lost"])
async def test_a_fault_after_the_client_has_gone_is_logged(
    how: str, service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The search fails while a report is being sent, which fails as well: the fault is known by one line of the log."""
    failed = threading.Event()
    lost = asyncio.Event()
    unhandled: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: unhandled.append(context))

    def fail(*_arguments: object, reports: Reports, **_options: object) -> None:
        reports.tell(search(first_turn(), Limits(simulations=3)))
        failed.set()
        raise RuntimeError

    async def write(_self: object, _report: object) -> None:
        await lost.wait()
        raise aio.InternalError

    def faults() -> list[logging.LogRecord]:
        return [record for record in caplog.records if record.levelname == "ERROR"]

    monkeypatch.setattr("nebula_ai.bots.search", fail)
    monkeypatch.setattr("nebula_server.calls.Tagged.write", write, raising=False)
    call = service.stub.AnalyzeState(LONG)
    reading = asyncio.create_task(all_of(call))
    await until(lambda: failed.is_set() and idle(service))
    if how == "the line is lost":
        lost.set()
        await until(lambda: bool(faults()))
    call.cancel()
    with pytest.raises((asyncio.CancelledError, aio.AioRpcError)):
        await reading
    await service.server.calls.until_idle()
    gc.collect()
    assert not unhandled
    (record,) = faults()
    assert record.exc_info
    assert isinstance(record.exc_info[1], RuntimeError)


# What is refused.


async def all_of(call: AsyncIterable[Report]) -> list[Report]:
    """A whole stream."""
    return [response async for response in call]


@pytest.mark.parametrize(
    ("request_", "reason", "field"),
    [
        (pb.AnalyzeStateRequest(), "STATE_INVALID", "state"),
        (pb.AnalyzeStateRequest(state=STATE, bot="grandmaster"), "ARGUMENT_INVALID", "bot"),
        (pb.AnalyzeStateRequest(state=STATE, workers=65), "LIMIT_INVALID", "workers"),
        (
            pb.AnalyzeStateRequest(state=STATE, limits=SearchLimits(simulations=0)),
            "LIMIT_INVALID",
            "limits.simulations",
        ),
        (
            pb.AnalyzeStateRequest(state=STATE, report_interval=Duration(nanos=49_999_999)),
            "LIMIT_INVALID",
            "report_interval",
        ),
        (pb.AnalyzeStateRequest(state=STATE, report_interval=Duration(seconds=61)), "LIMIT_INVALID", "report_interval"),
        (pb.AnalyzeStateRequest(state=STATE, report_interval=Duration(seconds=-1)), "LIMIT_INVALID", "report_interval"),
        (
            pb.AnalyzeStateRequest(state=STATE, report_interval=Duration(seconds=1, nanos=-1)),
            "LIMIT_INVALID",
            "report_interval",
        ),
        (pb.AnalyzeStateRequest(state=STATE, view=pb.View.ValueType(3)), "ARGUMENT_INVALID", "view"),
        (pb.AnalyzeStateRequest(state=STATE, priority=pb.Priority.ValueType(-1)), "ARGUMENT_INVALID", "priority"),
        (pb.AnalyzeStateRequest(state=STATE, worker_simulations=[5, 5]), "LIMIT_INVALID", "worker_simulations"),
        (pb.AnalyzeStateRequest(state=STATE, worker_simulations=[-1]), "LIMIT_INVALID", "worker_simulations[0]"),
        (
            pb.AnalyzeStateRequest(state=STATE, workers=2, worker_simulations=[1, 2**32]),
            "LIMIT_INVALID",
            "worker_simulations[1]",
        ),
    ],
)
async def test_refusals_name_the_field(
    service: Service, request_: pb.AnalyzeStateRequest, reason: str, field: str
) -> None:
    refused = await refusal(all_of(service.stub.AnalyzeState(request_)))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, reason)
    assert list(refused.fields) == [field]
    assert idle(service)


async def test_the_wrong_moment(stub: Stub) -> None:
    unset = NEBULA.start(2)
    refused = await refusal(all_of(stub.AnalyzeState(pb.AnalyzeStateRequest(state=packed(unset)))))
    assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "CHANCE_PENDING")
    state = NEBULA.new(2, seed=5)
    while not state.finished:
        state, _ = settle(state.apply(state.legal_moves()[0]), 1)
    refused = await refusal(all_of(stub.AnalyzeState(pb.AnalyzeStateRequest(state=packed(state)))))
    assert (refused.code, refused.reason) == (grpc.StatusCode.FAILED_PRECONDITION, "GAME_FINISHED")
    assert refused.metadata["winners"]


@pytest.mark.parametrize("content", [b"\xff", b"\x0a\xff\xff\xff\xff\x7f", b"\x00" * 100, b"\x12\x02\xff\xfe"])
async def test_bytes_that_are_no_message(service: Service, content: bytes, caplog: pytest.LogCaptureFixture) -> None:
    call: Any = service.channel.unary_stream(
        f"/{SERVICE}/AnalyzeState", request_serializer=None, response_deserializer=None
    )
    refused = await refusal(all_of(call(content)))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "ARGUMENT_INVALID")
    assert list(refused.fields) == ["request"]
    assert not [record for record in caplog.records if record.levelname == "ERROR"]
    assert (await reports(service.stub, pb.AnalyzeStateRequest(state=STATE, bot="random")))[-1].final


async def test_a_fault_of_ours_ends_the_stream(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_arguments: object, **_options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("nebula_ai.bots.search", fail)
    for _ in range(CORES + 1):
        refused = await refusal(all_of(service.stub.AnalyzeState(LONG)))
        assert (refused.code, refused.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert idle(service)


async def test_a_fault_is_logged_once_although_its_client_is_not_told(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The client goes at the moment when it would be told."""

    def fail(*_arguments: object, **_options: object) -> None:
        raise RuntimeError

    telling = asyncio.Event()

    async def tell(*_arguments: object) -> None:
        telling.set()
        await asyncio.sleep(PATIENCE)

    monkeypatch.setattr("nebula_ai.bots.search", fail)
    monkeypatch.setattr("nebula_server.calls.Tagged.abort_with_status", tell)
    call = service.stub.AnalyzeState(LONG)
    reading = asyncio.create_task(all_of(call))
    await until(telling.is_set)
    call.cancel()
    with pytest.raises((asyncio.CancelledError, aio.AioRpcError)):
        await reading
    await service.server.calls.until_idle()
    assert len([record for record in caplog.records if record.levelname == "ERROR"]) == 1


async def test_options_without_effect_are_warned_of(stub: Stub) -> None:
    request = pb.AnalyzeStateRequest(state=STATE, bot="plain", limits=SearchLimits(simulations=5))
    request.MergeFromString(b"\xa0\x06\x01")
    final = (await reports(stub, request))[-1]
    assert sorted((each.field, each.reason) for each in final.warnings) == [
        ("100", "UNKNOWN_FIELD"),
        ("limits", "UNUSED_FIELD"),
    ]


OPTIONS: dict[str, pb.AnalyzeStateRequest] = {
    "limits": pb.AnalyzeStateRequest(limits=SearchLimits(simulations=5)),
    "workers": pb.AnalyzeStateRequest(workers=CORES),
    "worker_simulations": pb.AnalyzeStateRequest(worker_simulations=[5]),
    "report_interval": pb.AnalyzeStateRequest(report_interval=Duration(seconds=1)),
}
"""Each option that is for bots which search, given alone."""


@pytest.mark.parametrize("bot", ["random", "greedy"])
@pytest.mark.parametrize("options", [[], *([name] for name in OPTIONS), list(OPTIONS)])
async def test_a_bot_that_does_not_search_needs_no_options(stub: Stub, bot: str, options: list[str]) -> None:
    """Each of them is warned of, and the answer is as without it."""
    plain = pb.AnalyzeStateRequest(state=STATE, bot=bot, seed=1)
    request = pb.AnalyzeStateRequest()
    request.CopyFrom(plain)
    for name in options:
        request.MergeFrom(OPTIONS[name])
    (answer,), (expected,) = await reports(stub, request), await reports(stub, plain)
    assert [(each.field, each.reason) for each in answer.warnings] == [(name, "UNUSED_FIELD") for name in options]
    answer.ClearField("warnings")
    assert answer == expected
    move = pb.GetMoveRequest(state=STATE, bot=bot, workers=CORES)
    assert [each.field for each in (await stub.GetMove(move)).warnings] == ["workers"]


@pytest.mark.parametrize("decided", [False, True])
@pytest.mark.parametrize("workers", range(1, CORES + 1))
async def test_several_workers_never_end_decided(stub: Stub, workers: int, decided: bool) -> None:
    limits = SearchLimits(simulations=5, stop_when_decided=decided)
    answer = await stub.GetMove(pb.GetMoveRequest(state=STATE, limits=limits, workers=workers))
    assert [each.field for each in answer.warnings] == ["limits.stop_when_decided"] * (workers > 1)


# Allowed and avoided moves.


def choices(moves: list[int]) -> list[Choice]:
    """Moves as requests name them."""
    return [Choice(number=move) for move in moves]


@GAMES
@pytest.mark.parametrize("kind", [pb.GetMoveRequest, pb.AnalyzeStateRequest])
async def test_every_bot_keeps_to_the_moves_that_it_may_make(stub: Stub, game: Game, kind: type[Request]) -> None:
    state = middle(game)
    legal = state.legal_moves()
    texts = [Choice(text=game.format_move(state, move)) for move in legal]
    for bot in ("random", "greedy", "plain", "strong", "novice"):
        for allowed, avoided, left in (
            (choices(legal[1:]), [], legal[1:]),
            (texts[:2], [], legal[:2]),
            ([], choices(legal[:-2]), legal[-2:]),
            (texts[:3], choices(legal[1:2]), [legal[0], legal[2]]),
            (choices(legal[-1:]), [], legal[-1:]),
        ):
            request = kind(state=packed(state), bot=bot, seed=4, moves_allowed=allowed, moves_avoided=avoided)
            answer = await asked(stub, request)
            assert sorted(move.move.number for move in answer.analysis.moves) == left
            assert answer.move.number in left
            assert answer.runner_up.number in [0, *left]
            assert repeatable(answer) == repeatable(await asked(stub, request))
            if len(left) == 1 and answer.analysis.parameters_hash:
                assert answer.analysis.stop_rule == search_pb2.STOP_RULE_FORCED


async def test_all_moves_allowed_is_as_if_nothing_was_said(stub: Stub) -> None:
    state = middle(VIA_NEBULA)
    request = pb.GetMoveRequest(state=packed(state), limits=SearchLimits(simulations=300), seed=4)
    unrestricted = await stub.GetMove(request)
    request.moves_allowed.extend(reversed(choices(state.legal_moves())))
    assert repeatable(await stub.GetMove(request)) == repeatable(unrestricted)


async def test_what_is_avoided_is_what_is_missing(stub: Stub) -> None:
    """Without its first choice the bot finds the same as with all the other moves allowed."""
    state = middle(NEBULA)
    request = pb.GetMoveRequest(state=packed(state), limits=SearchLimits(simulations=300), seed=4)
    first = (await stub.GetMove(request)).move.number
    request.moves_avoided.append(Choice(number=first))
    without = await stub.GetMove(request)
    assert without.move.number != first
    request.ClearField("moves_avoided")
    request.moves_allowed.extend(choices([move for move in state.legal_moves() if move != first]))
    assert repeatable(await stub.GetMove(request)) == repeatable(without)


def wrong_lists() -> Iterator[tuple[list[Choice], list[Choice], str, str]]:
    """Allowed moves, avoided moves, the field that is wrong, and words of the reason."""
    state = middle(NEBULA)
    legal = choices(state.legal_moves())
    text = NEBULA.format_move(state, state.legal_moves()[1])
    yield [Choice()], [], "moves_allowed[0]", "is missing"
    yield [legal[0], Choice(number=1)], [], "moves_allowed[1].number", "of no legal move"
    yield [], [Choice(text="dance")], "moves_avoided[0].text", "dance"
    yield [legal[2], legal[1], Choice(text=text)], [], "moves_allowed[2]", "is the same move as moves_allowed[1]"
    yield [], [legal[0]] * 1000, "moves_avoided[1]", "is the same move as moves_avoided[0]"
    yield [], legal, "moves_avoided", "leaves no move"
    yield legal[:2], legal[:2], "moves_avoided", "leaves no move"


@pytest.mark.parametrize(("allowed", "avoided", "field", "words"), list(wrong_lists()))
async def test_lists_of_moves_that_are_wrong(
    stub: Stub, allowed: list[Choice], avoided: list[Choice], field: str, words: str
) -> None:
    state = packed(middle(NEBULA))
    request = pb.GetMoveRequest(state=state, moves_allowed=allowed, moves_avoided=avoided)
    analysis = pb.AnalyzeStateRequest(state=state, moves_allowed=allowed, moves_avoided=avoided)
    for refused in (await refusal(stub.GetMove(request)), await refusal(all_of(stub.AnalyzeState(analysis)))):
        assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "MOVE_INVALID")
        ((named, why),) = refused.fields.items()
        assert named == field
        assert words in why


async def test_cards_that_the_seat_does_not_know(stub: Stub) -> None:
    """Who sees none of its own cards can allow what it sees: to choose an unknown one."""
    state = forced()
    request = pb.GetMoveRequest(state=packed(state), moves_allowed=[Choice(text="choose unknown")])
    assert (await stub.GetMove(request)).move.text == "choose unknown"


# Any answer can be had again.


def first_answers() -> Iterator[tuple[str, dict[str, Any], bool]]:
    """What to call it, a request, and whether its deadline is to end the search."""
    short = Duration(nanos=20_000_000)
    yield "time", {"limits": SearchLimits(time=short, stop_when_decided=False)}, False
    yield "time, workers", {"limits": SearchLimits(time=short), "workers": 2}, False
    yield "nodes", {"limits": SearchLimits(nodes=100)}, False
    yield "nodes, workers", {"limits": SearchLimits(nodes=101), "workers": 2}, False
    yield "more workers than simulations", {"limits": SearchLimits(simulations=1), "workers": 2}, False
    yield "decided", {"limits": SearchLimits(simulations=5000)}, False
    yield (
        "avoided",
        {"limits": SearchLimits(time=short), "moves_avoided": choices(middle(NEBULA).legal_moves()[:2])},
        False,
    )
    for bot in ("random", "greedy", "flat", "plain", "strong", "novice", "master"):
        yield bot, {"bot": bot}, False
    yield "a level out of time", {"bot": "skilled"}, True
    yield "flat out of time", {"bot": "flat", "workers": 2}, True
    yield "one allowed", {"moves_allowed": choices(middle(NEBULA).legal_moves()[:1])}, False


@pytest.mark.parametrize("kind", [pb.GetMoveRequest, pb.AnalyzeStateRequest])
@pytest.mark.parametrize(("name", "options", "late"), list(first_answers()))
async def test_any_answer_can_be_had_again(
    stub: Stub,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[Request],
    name: str,
    options: dict[str, Any],
    late: bool,
) -> None:
    """By the same request with the seed and the simulations of the workers that the answer's analysis names."""
    request = kind(state=packed(middle(NEBULA)), **options)
    if late:
        # Nothing is left for the search but MIN_SECONDS: too little for any bot.
        monkeypatch.setattr("nebula_server.opponent.ANSWER_SECONDS", 2 * PATIENCE)
    first = await asked(stub, request, PATIENCE if late else None)
    assert not late or first.analysis.stop_rule == search_pb2.STOP_RULE_TIME
    monkeypatch.undo()
    request.seed = first.analysis.seed
    request.worker_simulations.extend(first.analysis.worker_simulations)
    again = await asked(stub, request)
    assert repeatable(again) == repeatable(first), name


@pytest.mark.usefixtures("watched")
async def test_a_partial_report_can_be_had_again(stub: Stub) -> None:
    request = pb.AnalyzeStateRequest(
        state=packed(middle(VIA_NEBULA)),
        limits=SearchLimits(time=Duration(nanos=200_000_000), stop_when_decided=False),
        workers=2,
        report_interval=Duration(nanos=1_000_000),
    )
    found = await reports(stub, request)
    assert len(found) > 1
    for partial in (found[0], found[-2]):
        again = pb.GetMoveRequest(
            state=request.state,
            limits=request.limits,
            workers=2,
            seed=partial.analysis.seed,
            worker_simulations=partial.analysis.worker_simulations,
        )
        assert repeatable(await stub.GetMove(again))["analysis"] == repeatable(partial)["analysis"]


async def test_a_search_that_was_cut_before_it_began(stub: Stub) -> None:
    """Workers that made no simulation make none again."""
    request = pb.GetMoveRequest(state=STATE, seed=1, workers=2, worker_simulations=[0, 0])
    answer = await stub.GetMove(request)
    assert (answer.analysis.simulations, list(answer.analysis.worker_simulations)) == (0, [0, 0])
    assert answer.move.number == first_turn().legal_moves()[0]


async def test_bots_have_the_hash_that_their_answers_have(stub: Stub) -> None:
    bots = (await stub.ListBots(pb.ListBotsRequest(game="nebula"))).bots
    assert len({bot.settings_hash for bot in bots}) > len(bots) // 2
    for bot in bots:
        answer = await stub.GetMove(pb.GetMoveRequest(state=STATE, bot=bot.bot))
        assert answer.analysis.settings_hash == bot.settings_hash
    assert (await stub.ListGames(pb.ListGamesRequest())).engine_version == answer.analysis.engine_version


# The turn.


@GAMES
async def test_the_turn_can_be_played(stub: Stub, game: Game) -> None:
    """Move by move until it is over, where that is said; for many turns of a game."""
    view = (await stub.CreateState(pb.CreateStateRequest(game=game.name, players=3, chance=ChancePolicy(seed=4)))).state
    complete = 0
    lengths = set()
    for decision in range(25):
        asked_ = await stub.GetMove(
            pb.GetMoveRequest(state=State(packed=view.packed), limits=SearchLimits(simulations=2000), seed=decision)
        )
        analysis, seat = asked_.analysis, view.seat
        assert analysis.turn[0] == asked_.move
        assert [move.text for move in analysis.turn] == list(analysis.moves[0].line[: len(analysis.turn)])
        lengths.add(len(analysis.turn))
        for move in analysis.turn:
            assert (view.status, view.seat) == (StateView.STATUS_DECISION, seat)
            applied = await stub.ApplyMove(
                pb.ApplyMoveRequest(
                    state=State(packed=view.packed), move=Choice(text=move.text), chance=ChancePolicy(seed=decision)
                )
            )
            assert applied.move == move
            view = applied.state
        if analysis.turn_complete:
            complete += 1
            assert view.status == StateView.STATUS_FINISHED or view.seat != seat
    assert complete > 5
    assert len(lengths) > 1


async def test_a_level_that_passes_over_the_best_move_plans_its_own(stub: Stub) -> None:
    """The turn begins with the move that is made."""
    state = middle(NEBULA)
    for seed in range(40):
        answer = await stub.GetMove(pb.GetMoveRequest(state=packed(state), bot="novice", seed=seed))
        assert answer.analysis.turn[0] == answer.move
        if answer.move != answer.analysis.moves[0].move:
            return
    pytest.fail("a novice makes another move than the best one now and then")


# Views.


@pytest.mark.usefixtures("watched")
async def test_basic_answers_have_the_move_made_alone(stub: Stub) -> None:
    state = packed(middle(NEBULA))
    for seed in range(3):
        for bot in ("novice", "greedy", "strong"):
            request = pb.GetMoveRequest(state=state, bot=bot, seed=seed)
            full = await stub.GetMove(request)
            request.view = pb.VIEW_FULL
            assert repeatable(await stub.GetMove(request)) == repeatable(full)
            request.view = pb.VIEW_BASIC
            basic = await stub.GetMove(request)
            assert [each for each in full.analysis.moves if each.move == full.move] == list(basic.analysis.moves)
            del full.analysis.moves[:]
            del basic.analysis.moves[:]
            assert repeatable(basic) == repeatable(full)
    watched = pb.AnalyzeStateRequest(
        state=STATE,
        limits=SearchLimits(simulations=20_000),
        view=pb.VIEW_BASIC,
        report_interval=Duration(nanos=1_000_000),
    )
    found = await reports(stub, watched)
    assert len(found) > 1
    for report in found:
        assert [each.move for each in report.analysis.moves] == [report.analysis.turn[0]]
        assert report.analysis.moves[0].evaluations


@GAMES
async def test_basic_states_and_moves(stub: Stub, game: Game) -> None:
    """Everything but the readable state, or the parts of the moves."""
    full_view = (
        await stub.CreateState(pb.CreateStateRequest(game=game.name, players=2, chance=ChancePolicy(seed=4)))
    ).state
    state = State(packed=full_view.packed)
    moves = (await stub.ListMoves(pb.ListMovesRequest(state=state))).moves
    pending = (
        await stub.CreateState(
            pb.CreateStateRequest(game=game.name, players=2, chance=ChancePolicy(leave_pending=Empty()))
        )
    ).state
    outcome = Choice(number=pending.possible_outcomes[0].outcome.number)
    methods: list[tuple[Callable[[Any], Any], Message]] = [
        (stub.CreateState, pb.CreateStateRequest(game=game.name, players=2, chance=ChancePolicy(seed=4))),
        (stub.ObserveState, pb.ObserveStateRequest(state=state, seat=1)),
        (
            stub.ApplyMove,
            pb.ApplyMoveRequest(state=state, move=Choice(number=moves[0].number), chance=ChancePolicy(seed=4)),
        ),
        (stub.ResolveChance, pb.ResolveChanceRequest(state=State(packed=pending.packed), outcomes=[outcome])),
        (stub.ListMoves, pb.ListMovesRequest(state=state)),
    ]
    for method, request in methods:
        full = await method(request)
        request.view = pb.VIEW_FULL  # type: ignore[attr-defined]  # all of them have it
        assert await method(request) == full
        request.view = pb.VIEW_BASIC  # type: ignore[attr-defined]
        basic = await method(request)
        assert basic != full
        if isinstance(full, pb.ListMovesResponse):
            for move in full.moves:
                assert move.WhichOneof("structured") == game.name
                move.ClearField(game.name)
        else:
            assert full.state.WhichOneof("readable") == game.name
            full.state.ClearField(game.name)
        assert basic == full
        request.view = 77  # type: ignore[attr-defined]
        refused = await refusal(method(request))
        assert (refused.reason, list(refused.fields)) == ("ARGUMENT_INVALID", ["view"])


# Priorities.


async def test_who_waits_for_a_move_goes_first(service: Service) -> None:
    """An analysis that came first runs after a move; unless both have the priority of the other."""
    short = SearchLimits(simulations=5)
    for priorities, expected in (
        ((pb.PRIORITY_UNSPECIFIED, pb.PRIORITY_UNSPECIFIED), ["move", "analysis"]),
        ((pb.PRIORITY_INTERACTIVE, pb.PRIORITY_ANALYSIS), ["analysis", "move"]),
    ):
        order: list[str] = []
        blocking = service.stub.AnalyzeState(LONG)
        await until(lambda: service.server.searches.running == CORES)
        analysis = pb.AnalyzeStateRequest(state=STATE, limits=short, workers=CORES, priority=priorities[0])
        move = pb.GetMoveRequest(state=STATE, limits=short, workers=CORES, priority=priorities[1])

        async def analyzed(request: pb.AnalyzeStateRequest = analysis, order: list[str] = order) -> None:
            await reports(service.stub, request)
            order.append("analysis")

        async def moved(request: pb.GetMoveRequest = move, order: list[str] = order) -> None:
            await service.stub.GetMove(request)
            order.append("move")

        async with asyncio.TaskGroup() as group:
            group.create_task(analyzed())
            await until(lambda: service.server.searches.waiting == 1)
            group.create_task(moved())
            await until(lambda: service.server.searches.waiting == 2)
            blocking.cancel()
        assert order == expected


async def test_a_deadline_that_passes_in_the_queue(service: Service) -> None:
    blocking = service.stub.AnalyzeState(LONG)
    await until(lambda: service.server.searches.running == CORES)
    waits = service.stub.AnalyzeState(LONG, timeout=3)
    await until(lambda: service.server.searches.waiting == 1)
    with pytest.raises(aio.AioRpcError) as late:
        await all_of(waits)
    assert late.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED
    await until(lambda: service.server.searches.waiting == 0)
    blocking.cancel()
    await until(lambda: idle(service))


# Behind tokens.


async def test_a_client_with_a_token_gets_all_reports(catalogue: Catalogue) -> None:
    """All interceptors of a server pass a stream on, and end it."""
    token = security.new_token()
    client = security.Client(security.hash_of(token), calls_per_minute=100, searches=1)
    server = Server(catalogue, CORES, clients={"tester": client})
    port = await server.start("127.0.0.1:0")
    try:
        async with aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            stub = OpponentServiceStub(channel)
            call = stub.AnalyzeState(LONG, metadata=(("authorization", f"Bearer {token}"),))
            assert not (await anext(aiter(call))).final
            call.cancel()
            await until(lambda: server.searches.running == 0)
            call = stub.AnalyzeState(
                pb.AnalyzeStateRequest(state=STATE, limits=UNDECIDED),
                metadata=(("authorization", f"Bearer {token}"),),
            )
            assert [report.final async for report in call][-1]
    finally:
        await server.stop(0)
