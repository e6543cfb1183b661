"""A client of the service, for the command line: asks a server for a move."""

import re

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo
from grpc_status import rpc_status

from nebula_ai.answer import Answer, MoveAnswer
from nebula_ai.errors import shown
from nebula_ai.search import MAX_WORKERS, Limits, check_whole
from nebula_ai.v1.opponent_service_pb2 import GetMoveRequest, GetMoveResponse
from nebula_ai.v1.opponent_service_pb2_grpc import OpponentServiceStub
from nebula_ai.v1.search_pb2 import MoveAnalysis, StopRule
from nebula_core.face import State

MAX_SECONDS = 600
"""No search of a service takes longer, as docs/api.md says."""

WAIT_SECONDS = 60
"""How long an answer may take beside its search: in the server's queue and on the way."""


class RemoteError(Exception):
    """The server could not be reached, or refused the request: which server, which field, and why."""


def ask(
    address: str, state: State, *, bot: str | None, limits: Limits | None, decided: bool, seed: int, workers: int
) -> Answer:
    """The answer of the server at `address` (``host:port``) for the seat that has to decide in `state`.

    Of the state only what this seat sees is sent. Without bot the server's default one answers, within `limits` if
    there are any; `decided` goes with these. It is waited for as long as the search may take, and a minute more. Raises
    RemoteError, LimitError.
    """
    if not re.fullmatch(r"\S+:[0-9]{1,5}", address):
        raise RemoteError(f"a server's address is HOST:PORT, not {shown(address)}")
    check_whole("seed", seed, 0, 2**64 - 1)
    check_whole("workers", workers, 1, MAX_WORKERS)
    request = GetMoveRequest(bot=bot or "", seed=seed, workers=workers)
    request.state.packed = state.pack() if state.seat is None else state.observe(state.seat).pack()
    if limits is not None:
        if limits.time is not None:
            request.limits.time.FromNanoseconds(max(1, round(limits.time * 1e9)))
        if limits.simulations is not None:
            request.limits.simulations = limits.simulations
        if limits.nodes is not None:
            request.limits.nodes = limits.nodes
        if not decided:
            request.limits.stop_when_decided = False
    timeout = WAIT_SECONDS + (MAX_SECONDS if limits is None or limits.time is None else limits.time)
    with grpc.insecure_channel(address) as channel:
        try:
            response = OpponentServiceStub(channel).GetMove(request, timeout=timeout)
        except grpc.RpcError as error:
            raise RemoteError(refusal(address, error)) from None
    return answer(response)


def refusal(address: str, error: grpc.RpcError) -> str:
    """What a status says: the fields and what is wrong with them, else its message; and its reason."""
    assert isinstance(error, grpc.Call)  # as every error of a call is
    status = rpc_status.from_call(error)
    if status is None:
        if error.code() is grpc.StatusCode.UNAVAILABLE:
            return f"no server answers at {address}"
        if error.code() is grpc.StatusCode.DEADLINE_EXCEEDED:
            return f"{address}: no answer came in time"
        return f"{address}: {error.details()} ({error.code().name})"
    text = status.message
    reason = error.code().name
    for detail in status.details:
        info, request = ErrorInfo(), BadRequest()
        if detail.Unpack(info):
            reason = info.reason
        elif detail.Unpack(request):
            text = "; ".join(f"{violation.field}: {violation.description}" for violation in request.field_violations)
    return f"{address}: {text} ({reason})"


def answer(response: GetMoveResponse) -> Answer:
    """A response in texts and plain numbers."""
    analysis = response.analysis
    return Answer(
        seat=analysis.seat,
        move=response.move.text,
        number=response.move.number,
        reason=response.reason,
        runner_up=response.runner_up.text if response.HasField("runner_up") else None,
        stopped=rule(analysis.stop_rule),
        simulations=analysis.simulations,
        plies=analysis.plies,
        depth=analysis.depth,
        nodes=analysis.nodes,
        tree_full=analysis.tree_full,
        estimated=analysis.estimated,
        seconds=analysis.time.ToNanoseconds() / 1e9,
        seed=analysis.seed,
        workers=analysis.workers,
        engine_version=analysis.engine_version,
        parameters_hash=analysis.parameters_hash,
        moves=[move_answer(move) for move in analysis.moves],
    )


def rule(number: int) -> str:
    """The name of the rule that ended a search; a server that is newer may have one that has no name here."""
    known = StopRule.DESCRIPTOR.values_by_number.get(number)
    return known.name.removeprefix("STOP_RULE_").lower() if known else f"unknown rule {number}"


def move_answer(move: MoveAnalysis) -> MoveAnswer:
    """One move of a response; null in place of values where it was never tried."""
    return MoveAnswer(
        move=move.move.text,
        number=move.move.number,
        visits=move.visits,
        availability=move.availability,
        value=[evaluation.value for evaluation in move.evaluations] or None,
        win_share=[evaluation.win_share for evaluation in move.evaluations] or None,
        points=[evaluation.points for evaluation in move.evaluations] or None,
        line=list(move.line),
    )
