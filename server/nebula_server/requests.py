"""Requests, read into the library's terms. Whatever is wrong is an error that names the field. Knows no transport."""

import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeAlias

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.protobuf.unknown_fields import UnknownFieldSet

from nebula_ai.bots import Bot, SearchBot
from nebula_ai.errors import ChanceError, InvalidInput, LimitError, MoveError, StateError
from nebula_ai.game import Game
from nebula_ai.registry import STANDARD, Catalogue
from nebula_ai.search import MAX_SIMULATIONS as MAX_REPEATED
from nebula_ai.search import MEMORY_NODES, Limits
from nebula_ai.v1 import move_pb2, opponent_service_pb2, search_pb2, state_pb2
from nebula_core.face import State
from nebula_server.searches import MAX_SECONDS, Priority

SearchRequest: TypeAlias = opponent_service_pb2.GetMoveRequest | opponent_service_pb2.AnalyzeStateRequest
ViewRequest: TypeAlias = (
    opponent_service_pb2.CreateStateRequest
    | opponent_service_pb2.ObserveStateRequest
    | opponent_service_pb2.ListMovesRequest
    | opponent_service_pb2.ApplyMoveRequest
    | opponent_service_pb2.ResolveChanceRequest
    | SearchRequest
)

PRIORITIES = {
    opponent_service_pb2.PRIORITY_INTERACTIVE: Priority.INTERACTIVE,
    opponent_service_pb2.PRIORITY_ANALYSIS: Priority.ANALYSIS,
}

MAX_SIMULATIONS = 10_000_000
"""A search may do so many simulations at most: about as many as a core can in this time."""

REPORT_SECONDS = 0.5
MIN_REPORT_SECONDS = 0.05
MAX_REPORT_SECONDS = 60.0
"""From one report of an analysis to the next: if nothing is said, and the range."""

OF_SEARCHES = ("limits", "workers", "worker_simulations", "report_interval")
"""Options that are for bots which search."""

MAX_WARNINGS = 16
"""So many unknown fields are named; that there are more is said in one warning."""

MAX_UNKNOWN_BYTES = 4096
"""Unknown fields of more bytes are not even looked at: they may be a hundred thousand."""

MAX_PARTS = 256
"""No list in a request has so many messages; none of a state has more than seats or clusters or cards in play."""

SEED_BITS = 53
"""A seed that the service draws: every language's numbers hold it."""


@contextmanager
def at(path: str) -> Iterator[None]:
    """Errors about a value of the request name the field where it stands, whatever the library calls it."""
    try:
        yield
    except InvalidInput as error:
        raise type(error)(path, error.reason) from error


# States.


def read_state(catalogue: Catalogue, state: state_pb2.State) -> tuple[Game, State]:
    """The state of a request's field ``state``, checked completely, and its game. Raises StateError."""
    form = state.WhichOneof("form")
    check_known(state, "state")
    match form:
        case None:
            raise StateError("state", "is missing: it needs one of its forms")
        case "packed":
            with opaque("state.packed"):
                return catalogue.unpack(state.packed)
        case "text":
            with opaque("state.text"):
                return catalogue.from_text(state.text)
        case _:
            # Every other form is a readable state, in the member named after its game.
            readable = getattr(state, form)
            try:
                game = catalogue.get(form, readable.edition or STANDARD)
                return game, game.from_message(readable)
            except InvalidInput as error:
                raise StateError(f"state.{form}.{error.field}", error.reason) from error


@contextmanager
def opaque(path: str) -> Iterator[None]:
    """What is wrong inside a packed state has no field of its own in the request: the reason names it."""
    try:
        yield
    except InvalidInput as error:
        inner = "" if error.field in ("packed", "text", "state") else f"{error.field}: "
        raise StateError(path, inner + error.reason) from error


def check_known(message: Message, path: str) -> None:
    """Raises StateError if a message has a field that the service does not know: it may not lose a part of a state.

    Also if it has a list that is absurdly long: before anything is made of it.
    """
    if unknown_bytes(message) > MAX_UNKNOWN_BYTES:
        raise StateError(path, f"has more than {MAX_UNKNOWN_BYTES:,} bytes of fields that are not known here")
    try:
        for unknown in unknown_fields(message, path):
            raise StateError(unknown, "is not a field that is known here")
    except TooManyParts as error:
        raise StateError(error.field, error.reason) from None


def read_seat(request: opponent_service_pb2.ObserveStateRequest, state: State) -> int:
    """The seat whose view is wanted."""
    if not request.HasField("seat"):
        raise InvalidInput("seat", "is missing")
    if not 0 <= request.seat < state.players:
        raise InvalidInput("seat", f"must be 0 to {state.players - 1}, not {request.seat}")
    return request.seat


# Moves and chance.


def read_move(game: Game, state: State, choice: move_pb2.Choice, path: str) -> int:
    """A legal move. Raises MoveError."""
    match choice.WhichOneof("choice"):
        case "text":
            with at(f"{path}.text"):
                return game.parse_move(state, choice.text)
        case "number":
            if choice.number not in state.legal_moves():
                raise MoveError(f"{path}.number", f"{choice.number} is the number of no legal move")
            return choice.number
        case _:
            raise MoveError(path, "is missing: it needs a text or a number")


def read_moves_left(game: Game, state: State, request: SearchRequest) -> list[int] | None:
    """The legal moves among which a search may choose; None for all. Raises MoveError."""
    allowed = read_distinct_moves(game, state, request.moves_allowed, "moves_allowed")
    avoided = read_distinct_moves(game, state, request.moves_avoided, "moves_avoided")
    if not allowed and not avoided:
        return None
    left = [move for move in allowed or state.legal_moves() if move not in avoided]
    if not left:
        raise MoveError("moves_avoided", "leaves no move to make")
    return left


def read_distinct_moves(game: Game, state: State, choices: Iterable[move_pb2.Choice], path: str) -> list[int]:
    """Legal moves, each a different one; so they are few, whatever is sent. Raises MoveError."""
    moves: list[int] = []
    for i, choice in enumerate(choices):
        move = read_move(game, state, choice, f"{path}[{i}]")
        if move in moves:
            raise MoveError(f"{path}[{i}]", f"is the same move as {path}[{moves.index(move)}]")
        moves.append(move)
    return moves


def read_outcome(game: Game, state: State, choice: move_pb2.Choice, path: str) -> int:
    """The possible outcome of a chance event. Raises ChanceError."""
    match choice.WhichOneof("choice"):
        case "text":
            with at(f"{path}.text"):
                return game.parse_chance(state, choice.text)
        case "number":
            with at(f"{path}.number"):
                state.resolve(choice.number)  # knows what is possible though it is not listed: an unknown card
            return choice.number
        case _:
            raise ChanceError(path, "is missing: it needs a text or a number")


def read_chance(request: opponent_service_pb2.CreateStateRequest | opponent_service_pb2.ApplyMoveRequest) -> int | None:
    """The seed to draw chance events from, by default one drawn here; None to leave them pending."""
    if not request.HasField("chance"):
        return draw_seed()
    match request.chance.WhichOneof("policy"):
        case "seed":
            return request.chance.seed
        case "leave_pending":
            return None
        case _:
            raise InvalidInput("chance", "needs a seed or leave_pending; leave it out to have a seed drawn")


def draw_seed() -> int:
    """A seed that nobody could foresee."""
    return secrets.randbits(SEED_BITS)


# Searches.


def read_limits(limits: search_pb2.SearchLimits) -> Limits:
    """The limits of a request's field ``limits``. Raises LimitError."""
    seconds = read_duration(limits.time, "limits.time") if limits.HasField("time") else None
    simulations = limits.simulations if limits.HasField("simulations") else None
    nodes = limits.nodes if limits.HasField("nodes") else None
    for name, value, most, unit in (
        ("time", seconds, MAX_SECONDS, " seconds"),
        ("simulations", simulations, MAX_SIMULATIONS, ""),
        ("nodes", nodes, MEMORY_NODES, ""),
    ):
        if value is not None and value > most:
            raise LimitError(f"limits.{name}", f"must be at most {most:,}{unit}, not {value:,}")
    return Limits(time=seconds, simulations=simulations, nodes=nodes)


def stops_when_decided(limits: search_pb2.SearchLimits) -> bool:
    """Whether the search ends as soon as the rest of the limits cannot change the move; so it is if nothing is said."""
    return not limits.HasField("stop_when_decided") or limits.stop_when_decided


def read_duration(duration: Duration, path: str) -> float:
    """A duration in seconds. Raises LimitError for one that is not well formed."""
    if abs(duration.nanos) >= 1_000_000_000 or duration.seconds * duration.nanos < 0:
        raise LimitError(path, "is not a duration: nanos must be below a second, with the sign of seconds")
    return duration.seconds + duration.nanos / 1_000_000_000


def read_workers(request: SearchRequest, cores: int) -> int:
    """How many cores are to search. Raises LimitError, whose message does not say how many there are."""
    if not request.HasField("workers"):
        return 1
    if request.workers < 1:
        raise LimitError("workers", f"must be at least 1, not {request.workers}")
    if request.workers > cores:
        raise LimitError("workers", f"are more than this service has cores for: {request.workers}")
    return request.workers


def read_worker_simulations(request: SearchRequest, workers: int) -> Sequence[int]:
    """The simulations of each worker of a search that is to be had again; none for a new one. Raises LimitError."""
    if len(request.worker_simulations) > workers:
        given = len(request.worker_simulations)
        raise LimitError("worker_simulations", f"must be at most {workers}, as many as there are workers, not {given}")
    for i, simulations in enumerate(request.worker_simulations):
        if not 0 <= simulations <= MAX_REPEATED:
            raise LimitError(f"worker_simulations[{i}]", f"must be 0 to {MAX_REPEATED:,}, not {simulations:,}")
    return request.worker_simulations


def read_report_interval(request: opponent_service_pb2.AnalyzeStateRequest) -> float:
    """Seconds from one report to the next. Raises LimitError."""
    if not request.HasField("report_interval"):
        return REPORT_SECONDS
    seconds = read_duration(request.report_interval, "report_interval")
    if not MIN_REPORT_SECONDS <= seconds <= MAX_REPORT_SECONDS:
        range_ = f"{MIN_REPORT_SECONDS:g} to {MAX_REPORT_SECONDS:g} seconds"
        raise LimitError("report_interval", f"must be {range_}, not {seconds:g}")
    return seconds


def read_priority(request: SearchRequest, default: Priority) -> Priority:
    """What a search is for. Raises InvalidInput."""
    check_enum("priority", request.priority, opponent_service_pb2.Priority.values())
    return PRIORITIES.get(request.priority, default)


# Views.


def wants_all(request: ViewRequest) -> bool:
    """Whether the fields are wanted that VIEW_BASIC leaves out. Raises InvalidInput."""
    check_enum("view", request.view, opponent_service_pb2.View.values())
    return request.view != opponent_service_pb2.VIEW_BASIC


def check_enum(field: str, value: int, known: Sequence[int]) -> None:
    """Raises InvalidInput for a number that is none of its enum's."""
    if value not in known:
        raise InvalidInput(field, f"must be a value from 0 to {max(known)} of its enum, not {value}")


# Warnings.


def warnings(request: Message) -> list[opponent_service_pb2.Warning]:
    """The fields of a request that the service does not know, or some of them if they are many.

    A state has none: it was refused before.
    """
    size = unknown_bytes(request)
    if size > MAX_UNKNOWN_BYTES:
        return [not_known("", f"more than {MAX_UNKNOWN_BYTES:,} bytes are not known here, and have no effect")]
    paths: dict[str, None] = {}  # a set in the order in which they were found
    for path in unknown_fields(request, "") if size else ():
        paths[path] = None
        if len(paths) > MAX_WARNINGS:
            break
    found = [not_known(path, "is not known here, and has no effect") for path in list(paths)[:MAX_WARNINGS]]
    if len(paths) > MAX_WARNINGS:
        found.append(not_known("", "there are more fields that are not known here, and have no effect"))
    return found


def not_known(field: str, message: str) -> opponent_service_pb2.Warning:
    """A warning about a field that is not known, or without one about several."""
    return opponent_service_pb2.Warning(field=field, reason="UNKNOWN_FIELD", message=message)


def unused_options(request: SearchRequest, bot: Bot, workers: int) -> list[opponent_service_pb2.Warning]:
    """The options of a good request that are without effect on the bot and the number of workers that it names."""
    given = {field.name for field, _ in request.ListFields()}
    if not isinstance(bot, SearchBot):
        return [unused(name, f"the bot {bot.name} does not search") for name in OF_SEARCHES if name in given]
    if bot.name and request.HasField("limits"):
        return [unused("limits", f"the bot {bot.name} has limits of its own")]
    if workers > 1 and request.limits.HasField("stop_when_decided"):
        return [unused("limits.stop_when_decided", "several workers never end because all is decided")]
    return []


def unused(field: str, message: str) -> opponent_service_pb2.Warning:
    """A warning about a field that has no effect."""
    return opponent_service_pb2.Warning(field=field, reason="UNUSED_FIELD", message=message)


def unknown_bytes(message: Message) -> int:
    """The size of all unknown fields in a message and all messages in it."""
    known = type(message)()
    known.CopyFrom(message)
    known.DiscardUnknownFields()
    return message.ByteSize() - known.ByteSize()


class TooManyParts(InvalidInput):
    """A list of messages that is longer than any that makes sense."""


def unknown_fields(message: Message, path: str) -> Iterator[str]:
    """The paths of the unknown fields in a message and all messages in it; such a field goes by its number.

    Raises TooManyParts.
    """
    prefix = f"{path}." if path else ""
    unknown = UnknownFieldSet(message)
    for i in range(len(unknown)):
        yield f"{prefix}{unknown[i].field_number}"
    for field, value in message.ListFields():
        if field.message_type is None or field.message_type.GetOptions().map_entry:
            continue  # no map has messages as values
        inner = f"{prefix}{field.name}"
        if not field.is_repeated:
            yield from unknown_fields(value, inner)
            continue
        if len(value) > MAX_PARTS:
            raise TooManyParts(inner, f"must have at most {MAX_PARTS} elements, not {len(value)}")
        for i, element in enumerate(value):
            yield from unknown_fields(element, f"{inner}[{i}]")
