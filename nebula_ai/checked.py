"""What comes from outside as TOML or JSON, parsed strictly and read with every key and value checked. Knows no game."""

import json
import re
import tomllib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NoReturn

from nebula_ai.errors import EditionError, InvalidInput, shown, shown_path, unknown_word

MAX_BYTES = 1 << 20
"""A larger file or text is refused; real ones have about 12,000 bytes at most."""

WORD = re.compile(r"[^\W\d_][\w-]{0,31}")
"""Names are words of the notation: a letter, then up to 31 letters, digits, ``_`` and ``-``."""


class Value:
    """A value from outside, and the path at which it stood. Its methods return it checked, or raise its error."""

    __slots__ = ("error", "path", "raw")

    def __init__(self, raw: object, error: type[InvalidInput], path: str) -> None:
        """`error` is what to raise, `path` the field that it names."""
        self.raw = raw
        self.error = error
        self.path = path

    def refuse(self, reason: str) -> NoReturn:
        """Raise the error with this reason."""
        raise self.error(self.path, reason)

    def integer(self, low: int, high: int) -> int:
        """A whole number from `low` to `high`."""
        if not isinstance(self.raw, int) or isinstance(self.raw, bool):
            self.refuse(f"must be a whole number, not {shown(self.raw)}")
        if not low <= self.raw <= high:
            wanted = f"{low} to {high}" if low < high else f"{low}"
            self.refuse(f"must be {wanted}, not {shown(self.raw)}")
        return self.raw

    def real(self, low: float, high: float) -> float:
        """A number from `low` to `high`, whole or not."""
        if not isinstance(self.raw, (int, float)) or isinstance(self.raw, bool):
            self.refuse(f"must be a number, not {shown(self.raw)}")
        # A comparison with a NaN is false.
        if not low <= self.raw <= high:
            self.refuse(f"must be {low:g} to {high:g}, not {shown(self.raw)}")
        return self.raw

    def flag(self) -> bool:
        """True or false."""
        if not isinstance(self.raw, bool):
            self.refuse(f"must be true or false, not {shown(self.raw)}")
        return self.raw

    def text(self) -> str:
        """A text."""
        if not isinstance(self.raw, str):
            self.refuse(f"must be a text, not {shown(self.raw)}")
        return self.raw

    def text_or_null(self) -> str | None:
        """A text, or null as None."""
        return None if self.raw is None else self.text()

    def word(self) -> str:
        """A text that is one word."""
        text = self.text()
        if not WORD.fullmatch(text):
            self.refuse(f"must be one word of at most 32 letters, digits, _ and -, a letter first, not {shown(text)}")
        return text

    def one_of(self, known: Sequence[str]) -> int:
        """The index of a text among the `known` ones."""
        text = self.text()
        if text not in known:
            self.refuse(unknown_word(text, known))
        return known.index(text)

    def list(self, count: range | None = None) -> "list[Value]":
        """A list of anything; its length in `count`, if given."""
        if not isinstance(self.raw, list):
            self.refuse(f"must be a list, not {shown(self.raw)}")
        if count is not None and len(self.raw) not in count:
            low, high = count[0], count[-1]
            wanted = f"{low}" if low == high else f"{low} to {high}"
            self.refuse(f"must have {wanted} {'element' if high == 1 else 'elements'}, not {len(self.raw)}")
        return [Value(raw, self.error, f"{self.path}[{i}]") for i, raw in enumerate(self.raw)]

    def mapping(self) -> "dict[str, Value]":
        """A table with keys of any name."""
        if not isinstance(self.raw, dict):
            self.refuse(f"must be a table, not {shown(self.raw)}")
        return {key: Value(raw, self.error, f"{self.path}.{key_name(key)}") for key, raw in self.raw.items()}

    def table(self, required: Collection[str], optional: Collection[str] = ()) -> "dict[str, Value]":
        """A table that has the required keys, perhaps some of the optional ones, and no others."""
        return with_keys(self.mapping(), self.error, f"{self.path}.", required, optional)


def top_table(
    raw: object, error: type[InvalidInput], whole: str, required: Collection[str], optional: Collection[str] = ()
) -> dict[str, Value]:
    """The table that is a whole file: its keys are their own paths. `whole` is the field for what concerns no key."""
    values = Value(raw, error, whole).mapping()
    values = {key: Value(value.raw, error, key_name(key)) for key, value in values.items()}
    return with_keys(values, error, "", required, optional)


def with_keys(
    values: dict[str, Value],
    error: type[InvalidInput],
    prefix: str,
    required: Collection[str],
    optional: Collection[str],
) -> dict[str, Value]:
    """The values, if they are those of the required keys and perhaps of some optional ones.

    `prefix` comes before a missing key in its path.
    """
    for key, value in values.items():
        if key not in required and key not in optional:
            value.refuse(f"the key {unknown_word(key, [*required, *optional])}")
    for key in required:
        if key not in values:
            raise error(f"{prefix}{key}", "is missing")
    return values


def key_name(key: str) -> str:
    """A key as part of a path, whatever it is."""
    return key if re.fullmatch(r"[\w,-]{1,40}", key) else shown(key)


def read_toml(path: Path) -> dict[str, Any]:
    """The content of an edition file, unchecked. Raises EditionError (field ``edition``) if it is no TOML file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        raise EditionError("edition", f"cannot read the file {shown_path(path)}: {reason_of(error)}") from None
    if len(content) > MAX_BYTES:
        raise EditionError("edition", f"the file {shown_path(path)} has more than {MAX_BYTES:,} bytes")
    try:
        return tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        problem = f"is not UTF-8 text (byte {error.start})"
    except RecursionError:
        problem = "is nested too deeply"
    except tomllib.TOMLDecodeError as error:  # its message has line and column
        problem = f"is not TOML: {error}"
    except ValueError:
        problem = "has a number of too many digits"
    raise EditionError("edition", f"the file {shown_path(path)} {problem}")


def reason_of(error: OSError | ValueError) -> str:
    """Why a file could not be read, without its name."""
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def load_json(text: str) -> Any:
    """The value of a JSON text as the standard has it: no NaN, no Infinity, no key twice.

    Raises json.JSONDecodeError, which has line and column, for wrong syntax, and any ValueError for the rest.
    """
    try:
        return json.loads(text, object_pairs_hook=unique_keys, parse_int=short_number, parse_constant=no_constant)
    except RecursionError:
        raise ValueError("nested too deeply") from None


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object whose keys are all different; else ValueError."""
    value: dict[str, Any] = {}
    for key, content in pairs:
        if key in value:
            raise ValueError(f"the key {shown(key)} stands there twice")
        value[key] = content
    return value


def short_number(digits: str) -> int:
    """A whole number, unless it is absurd: Python would refuse, or spend long on it."""
    if len(digits) > 400:
        raise ValueError("a number has too many digits")
    return int(digits)


def no_constant(word: str) -> NoReturn:
    """Refuses NaN and Infinity, which Python would read."""
    raise ValueError(f"{word} is not a number")
