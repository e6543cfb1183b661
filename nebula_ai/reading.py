"""Whatever a person may hand in as a state: a text form, JSON, a file that holds one of them, standard input."""

import errno
import json
import sys
from pathlib import Path
from typing import Any

from nebula_ai.checked import MAX_BYTES, load_json, reason_of
from nebula_ai.errors import InvalidInput, StateError, shown, shown_path
from nebula_ai.game import Game
from nebula_ai.packed import TEXT_FORM
from nebula_ai.registry import Catalogue
from nebula_core.face import State


def read_state(source: str, catalogue: Catalogue | None = None) -> tuple[Game, State]:
    """The game and the state that a person hands in.

    `source` is a text form, a JSON object, the path of a file that holds one of them, or ``-`` for standard input.
    `catalogue` has the editions that it may be of; None means the standard ones. Raises StateError: its field is the
    path of what is wrong in the state, or ``state`` if there is none to be read.
    """
    catalogue = Catalogue() if catalogue is None else catalogue
    if source.strip() == "-":
        return from_content(catalogue, content_of(None), "standard input")
    if not source.strip() or source.lstrip().startswith("{") or TEXT_FORM.match(source.strip()):
        return from_content(catalogue, source, "the text")
    return from_content(catalogue, content_of(source), f"the file {shown_path(source)}")


def content_of(path: str | None) -> str:
    """The text of a file, or of standard input for None. Raises StateError."""
    name = "standard input" if path is None else f"the file {shown_path(path)}"
    try:
        if path is None:
            content = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with Path(path).open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        if len(content) <= MAX_BYTES:
            return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise StateError("state", f"{name} is not UTF-8 text (byte {error.start})") from None
    except (OSError, ValueError) as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOENT, errno.ENAMETOOLONG):
            reason = f"{shown_path(path)} is no text form of a state (such as nebula1:…), no JSON object, and no file"
            raise StateError("state", reason) from None
        raise StateError("state", f"cannot read {name}: {reason_of(error)}") from None
    raise StateError("state", f"{name} has more than {MAX_BYTES:,} bytes")


def from_content(catalogue: Catalogue, content: str, where: str) -> tuple[Game, State]:
    """The state of a text form or a JSON text, which was found in `where`. Raises StateError."""
    if len(content) > MAX_BYTES:
        raise StateError("state", f"{where} has more than {MAX_BYTES:,} characters")
    if not content.strip():
        raise StateError("state", f"{where} is empty")
    if not content.lstrip().startswith(("{", "[")):
        return catalogue.from_text(content)
    try:
        value = load_json(content)
    except json.JSONDecodeError as error:
        reason = f"{where} is not JSON: {error.msg} (line {error.lineno}, column {error.colno})"
        raise StateError("state", reason) from None
    except ValueError as error:
        raise StateError("state", f"{where} is not JSON: {error}") from None
    return from_value(catalogue, value)


def from_value(catalogue: Catalogue, value: Any) -> tuple[Game, State]:
    """The state of a JSON value: its game and edition say whose it is. Raises StateError."""
    if not isinstance(value, dict):
        raise StateError("state", f"must be a JSON object, not {shown(value)}")
    for field in ("game", "edition"):
        if not isinstance(value.get(field), str):
            raise StateError(field, f"must be a text, not {shown(value[field])}" if field in value else "is missing")
    try:
        game = catalogue.get(value["game"], value["edition"])
    except InvalidInput as error:
        raise StateError(error.field, error.reason) from None
    return game, game.from_json(value)
