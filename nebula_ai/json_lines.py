"""Files of JSON lines, one object a line, read with the number of the line for whoever complains about it.

Recorded games (`replay`) and results of the arena (`arena.results`) are such files. Knows no game, and no format.
"""

import json
from collections.abc import Mapping
from typing import Any, BinaryIO, NoReturn

from nebula_ai.checked import load_json
from nebula_ai.errors import shown

MAX_LINE_BYTES = 1 << 20
"""A longer line is refused unread; real ones have a few thousand bytes."""

KINDS: dict[type[Any], str] = {str: "a text", int: "a whole number", list: "a list", dict: "an object"}
"""The types of JSON for people."""


class LineError(Exception):
    """What is wrong about a file: at which line (from 1), and why."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"{line}: {reason}")
        self.line = line
        self.reason = reason


class Unreadable(LineError):
    """The file is not what it should be: not JSON, a key too many, an unknown game."""


class Lines:
    """The JSON objects of a file, in their order."""

    def __init__(self, file: BinaryIO) -> None:
        """Reads no line yet."""
        self.file = file
        self.read = 0
        """How many lines have been read."""

    @property
    def number(self) -> int:
        """The number of the line read last; 1 before the first."""
        return max(self.read, 1)

    def next(self) -> dict[str, Any] | None:
        """The object of the next line; None after the last. Raises Unreadable; OSError as reading the file does."""
        line = self.file.readline(MAX_LINE_BYTES + 1)
        if not line:
            return None
        self.read += 1
        if len(line) > MAX_LINE_BYTES:
            self.unreadable(f"the line has more than {MAX_LINE_BYTES:,} bytes")
        try:
            value = load_json(line.decode())
        except UnicodeDecodeError:
            self.unreadable("not UTF-8 text")
        except json.JSONDecodeError as error:
            # Some of Python's messages end with the word.
            self.unreadable(f"not JSON: {error.msg.removesuffix(' at')} at column {error.colno}")
        except ValueError as error:
            self.unreadable(f"not JSON: {error}")
        if not isinstance(value, dict):
            self.unreadable("not a JSON object")
        return value

    def field(self, value: Mapping[str, Any], key: str, kind: type[Any]) -> Any:
        """The value of a key, which must be there and of this type. Raises Unreadable."""
        if key not in value:
            self.unreadable(f"the key {key!r} is missing")
        if type(value[key]) is not kind:
            self.unreadable(f"{key!r} must be {KINDS[kind]}, not {shown(value[key])}")
        return value[key]

    def unreadable(self, reason: str) -> NoReturn:
        """Raises Unreadable at the line read last."""
        raise Unreadable(self.number, reason)
