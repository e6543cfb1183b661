"""What the service refuses, as google.rpc.Status: a code, a stable reason, and the field. Knows no transport."""

from collections.abc import Mapping

from google.protobuf.any_pb2 import Any
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from nebula_ai.errors import (
    ChanceError,
    GameFinished,
    InvalidInput,
    LimitError,
    MoveError,
    NotPossibleNow,
    StateError,
    shortened,
)

DOMAIN = "nebula_ai"
"""The domain of every ErrorInfo."""

REASONS: dict[type[InvalidInput], str] = {
    StateError: "STATE_INVALID",
    MoveError: "MOVE_INVALID",
    ChanceError: "CHANCE_INVALID",
    LimitError: "LIMIT_INVALID",
}
"""The reason for each kind of wrong input; that of any other is ARGUMENT_INVALID."""

MAX_MESSAGE = 400
"""Characters of a message, and of the reason for a field. A status travels in headers, of which gRPC takes 8 KiB."""

INTERNAL = "the service failed; what happened is in its log"
"""All that a client learns of a fault of ours."""


class NotFound(InvalidInput):
    """What a request asks for by name is not there."""


class Finished(GameFinished):
    """The game is over, and this is how."""

    def __init__(self, message: str, points: str, winners: str) -> None:
        """`points` by seat and `winners` are numbers separated by commas, or empty where an unknown card decides."""
        super().__init__(message)
        self.metadata = {"points": points, "winners": winners}


class Refused(Exception):
    """A call that is not let through, whatever it asks for."""

    def __init__(self, code: Code, reason: str, message: str, retry_seconds: float | None = None) -> None:
        """`code` and `reason` are those of the status; `retry_seconds` is when to ask again, if that helps."""
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.retry_seconds = retry_seconds


class Busy(Refused):
    """A search is not run, because of what else the service has to do."""


class QueueFull(Busy):
    """All cores search, and as many searches wait as may."""

    retry_seconds: float

    def __init__(self, message: str, retry_seconds: float) -> None:
        """`retry_seconds`: after how long it is worth asking again."""
        super().__init__(Code.RESOURCE_EXHAUSTED, "TOO_MANY_SEARCHES", message, retry_seconds)


class TooLate(Busy):
    """The deadline passed before there were cores for the search."""

    def __init__(self) -> None:
        message = "the deadline passed before the search could begin"
        super().__init__(Code.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED", message)


class Stopping(Busy):
    """The service stops, and begins no more searches."""

    def __init__(self) -> None:
        super().__init__(Code.UNAVAILABLE, "STOPPING", "the service stops, and begins no more searches")


def to_status(error: Exception) -> Status:
    """The status that an error is answered with. An unexpected one tells nothing about itself."""
    match error:
        case NotFound():
            return invalid(Code.NOT_FOUND, "NOT_FOUND", error)
        case InvalidInput():
            return invalid(Code.INVALID_ARGUMENT, REASONS.get(type(error), "ARGUMENT_INVALID"), error)
        case NotPossibleNow():
            metadata = error.metadata if isinstance(error, Finished) else {}
            return status(Code.FAILED_PRECONDITION, error.reason, str(error), metadata)
        case Refused():
            if error.retry_seconds is None:
                return status(error.code, error.reason, str(error), {})
            retry = RetryInfo()
            retry.retry_delay.FromMilliseconds(round(error.retry_seconds * 1000))
            return status(error.code, error.reason, str(error), {}, retry)
        case _:
            return status(Code.INTERNAL, "INTERNAL", INTERNAL, {})


def invalid(code: Code, reason: str, error: InvalidInput) -> Status:
    """The status of wrong input."""
    violation = BadRequest.FieldViolation(field=error.field, description=shortened(error.reason, MAX_MESSAGE))
    return status(code, reason, str(error), {"field": error.field}, BadRequest(field_violations=[violation]))


def status(code: Code, reason: str, message: str, metadata: Mapping[str, str], *details: Message) -> Status:
    """A status with an ErrorInfo and further details."""
    packed = []
    for detail in (ErrorInfo(reason=reason, domain=DOMAIN, metadata=metadata), *details):
        packed.append(Any())
        packed[-1].Pack(detail)
    return Status(code=code, message=shortened(message, MAX_MESSAGE), details=packed)
