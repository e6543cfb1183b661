"""What the command line asks a server instead of searching here: the request for a move, and the answer to print."""

from nebula_ai.answer import Answer, MoveAnswer
from nebula_ai.client import Client, DeadlineExceeded, ServiceError, Unauthenticated, Unavailable
from nebula_ai.search import MAX_WORKERS, Limits, check_whole
from nebula_ai.v1.opponent_service_pb2 import GetMoveRequest, GetMoveResponse
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
    """The answer of a server for the seat that has to decide in `state`. `address`: ``HOST:PORT`` or ``unix:PATH``.

    Of the state only what this seat sees is sent. Without bot the server's default one answers, within `limits` if
    there are any; `decided` goes with these. It is waited for as long as the search may take, and a minute more. Raises
    RemoteError, InvalidInput.
    """
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
    with Client(address, timeout=timeout) as client:
        try:
            return answer(client.get_move(request))
        except ServiceError as error:
            raise RemoteError(refusal(address, error)) from None


def refusal(address: str, error: ServiceError) -> str:
    """What went wrong with this server, as one line."""
    if not error.reason:  # the server itself said nothing
        if isinstance(error, Unavailable):
            return f"no server answers at {address} (this command speaks no TLS)"
        if isinstance(error, DeadlineExceeded):
            return f"{address}: no answer came in time"
    if isinstance(error, Unauthenticated):
        return f"{address}: {error}: this command sends none"
    return f"{address}: {error}"


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
