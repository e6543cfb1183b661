"""The log, on standard error: a line for every call, and for what becomes of the server. JSON, or text for people.

No line holds a card that a seat must not see. A call's line has the notes of the call, which have none. A fault's line
has the kinds of the errors and the lines of code that they passed, but not their messages, which may quote a state.
"""

import logging
import os
import queue
import select
import sys
import threading
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal, TextIO, cast

import grpc
import structlog
from structlog.stdlib import ProcessorFormatter
from structlog.typing import EventDict, FilteringBoundLogger, Processor

from nebula_server import calls

FAULTS = (grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN)
"""How a call ends that failed for a fault of ours."""

MOST_LINES = 10_000
"""Lines that may wait to be written; they have some hundred bytes each."""

LAST_SECONDS = 1.0
"""How long the end waits for a line to be written."""


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
    """Standard error, whatever becomes of it: no call and no drain waits or fails because a line cannot be written.

    A thread of its own writes the lines. Those that find too many waiting, because nobody reads what was written, are
    dropped; how many they are is said when lines are read again.
    """

    def __init__(self, stream: TextIO) -> None:
        """`stream`: what has the file to write to, and says how text is written there."""
        # Past its buffer: a thread that can write no further would keep that locked, and Python could not end.
        self._file = stream.fileno()
        self._encoding = stream.encoding
        # Anything may log, also a finalizer in the midst of another line: neither may wait for itself.
        self._lines: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._dropped = 0
        self._counting = threading.RLock()
        self._thread = threading.Thread(target=self._write_all, name="log", daemon=True)
        self._thread.start()

    def write(self, text: str) -> None:
        """Has a line written, if there is room for it. For any thread."""
        if threading.current_thread() is self._thread:  # it says how many were dropped
            self._write(text)
            return
        if self._lines.qsize() < MOST_LINES:
            self._lines.put(text)
        else:
            with self._counting:
                self._dropped += 1

    def flush(self) -> None:
        """Nothing: lines are written as soon as they can be."""

    def close(self) -> None:
        """Returns when all lines are written, or cannot be for LAST_SECONDS."""
        self._lines.put(None)
        self._thread.join(LAST_SECONDS)

    def _write_all(self) -> None:
        told = 0
        while True:
            text = self._lines.get()
            if self._dropped > told:
                told = self._dropped
                logger.warning("lines of the log were dropped, as nobody read it", dropped=told)
            if text is None:
                return
            self._write(text)

    def _write(self, text: str) -> None:
        content = text.encode(self._encoding, "backslashreplace")
        try:
            while content:
                try:
                    content = content[os.write(self._file, content) :]
                except BlockingIOError:  # whoever else has the file may have said that nobody shall wait for it
                    select.select([], [self._file], [])
        except OSError:
            pass  # nobody reads any more; or a disk is full, which may have room for the next line


# Nothing is written until `configured`. A logger looks up how it is configured each time, so that tests can change it.
structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))

logger: FilteringBoundLogger = structlog.get_logger()
"""The service's own log. It goes past Python's logging, which takes longer for a line than many a call."""


@contextmanager
def configured(form: Literal["console", "json"]) -> Iterator[None]:
    """Within it the log of this process is written to standard error, and what others log with Python's logging."""
    output = Output(sys.stderr)
    renderer: Processor = (
        structlog.processors.JSONRenderer()
        if form == "json"
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), sort_keys=False)
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
    before = (structlog.get_config(), root.handlers, root.level)
    structlog.configure(
        processors=[*COMMON, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.WriteLoggerFactory(cast(TextIO, output)),
    )
    root.handlers = [handler]
    root.setLevel(logging.INFO)
    try:
        yield
    finally:
        output.close()
        config, root.handlers, root.level = before
        structlog.configure(**config)


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
