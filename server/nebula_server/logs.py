"""The log, on standard error: a line for every call, and for what becomes of the server. JSON, or text for people.

No line holds a card that a seat must not see. A call's line has the notes of the call, which have none. A fault's line
has the kinds of the errors and the lines of code that they passed, but not their messages, which may quote a state.
"""

import logging
import os
import sys
import traceback
from typing import Any, Literal, TextIO, cast

import grpc
import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, FilteringBoundLogger, Processor

from nebula_server import calls

FAULTS = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
"""How a call ends that failed for a fault of ours."""


def request_id(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Says with what happens during a call which one it is."""
    call = calls.current.get(None)
    if call is not None:
        event.setdefault("request_id", call.request_id)
    return event


def microseconds(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Says no time more exactly than it was measured."""
    return {name: round(value, 6) if isinstance(value, float) else value for name, value in event.items()}


def fault(_logger: Any, _method: str, event: EventDict) -> EventDict:
    """Says of an error where it happened, and nothing that came with it."""
    error = event.pop("exc_info", None)
    if isinstance(error, tuple):
        error = error[1]
    if isinstance(error, BaseException):
        event["exception"] = place(error)
    return event


def place(error: BaseException) -> str:
    """The kind of an error and the lines of code that it passed, and those of the errors that led to it before."""
    before = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    led = f"{place(before)}\nwhich led to:\n" if before else ""
    passed = "".join(traceback.format_tb(error.__traceback__))
    return f"{led}{passed}{type(error).__module__}.{type(error).__qualname__}"


COMMON: tuple[Processor, ...] = (
    structlog.processors.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
    request_id,
    microseconds,
    fault,
)


class Output:
    """Standard error, whatever becomes of it: no call and no drain fails because a line cannot be written."""

    def __init__(self) -> None:
        self._stream = sys.stderr

    def write(self, text: str) -> None:
        """Writes a line, if that is possible."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except BrokenPipeError:
            # Nobody reads any more. Python would complain at its end that it still has lines.
            os.dup2(os.open(os.devnull, os.O_WRONLY), self._stream.fileno())
        except OSError:
            pass  # a disk that is full may have room for the next line

    def flush(self) -> None:
        """Nothing is left to be written."""


# Nothing is written until `configure`. A logger looks up how it is configured each time, so that tests can change it.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))

logger: FilteringBoundLogger = structlog.get_logger()
"""The service's own log. It goes past Python's logging, which takes longer for a line than many a call."""


def configure(form: Literal["console", "json"]) -> None:
    """From now on the log of this process is written to standard error, and what others log with Python's logging."""
    output = Output()
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), sort_keys=False)
    )
    structlog.configure(
        processors=[*COMMON, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, output)),
    )
    handler = logging.StreamHandler(output)
    handler.setFormatter(
        ProcessorFormatter(
            processors=[ProcessorFormatter.remove_processors_meta, renderer], foreign_pre_chain=list(COMMON)
        )
    )
    # gRPC repeats a header that is no text, and it may be a token.
    handler.addFilter(lambda record: record.msg != "Invalid encoding on %s")
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(logging.INFO)


def call_ended(call: calls.Call) -> None:
    """The line of a call."""
    logger.log(
        logging.ERROR if call.code in FAULTS else logging.INFO,
        "call",
        request_id=call.request_id,
        method=call.method,
        client=call.client,
        code=call.code.name,
        seconds=call.seconds,
        **call.notes,
    )
