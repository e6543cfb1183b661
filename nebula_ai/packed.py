"""The text form of packed states, for pasting: ``PREFIX1:…``. Knows bytes and prefixes, no states and no games."""

import base64
import re
from collections.abc import Sequence

from nebula_ai.errors import StateError, shown

VERSION = 1
"""Of the text form; the packed form inside has its own."""

TEXT_FORM = re.compile(r"([A-Za-z_]+)([0-9]{1,4}):(.*)", re.DOTALL)


def to_text(prefix: str, packed: bytes) -> str:
    """The text form: the game's prefix, a version, the packed form in URL-safe base64 without padding."""
    return f"{prefix}{VERSION}:{base64.urlsafe_b64encode(packed).decode().rstrip('=')}"


def from_text(text: str, prefixes: Sequence[str]) -> tuple[str, bytes]:
    """The prefix, one of `prefixes`, and the packed form of a text form; white space around it is forgiven.

    Raises StateError.
    """
    form = TEXT_FORM.fullmatch(text.strip())
    if form is None or form[1] not in prefixes:
        starts = " or ".join(f"{prefix}{VERSION}:" for prefix in prefixes)
        raise StateError("state", f"the text form of a state starts with {starts}, not {shown(text.strip()[:20])}")
    if int(form[2]) != VERSION:
        raise StateError("state", f"version {form[2]} of the text form is not known; this is version {VERSION}")
    return form[1], decode(form[3])


def decode(text: str) -> bytes:
    """The bytes of URL-safe base64 without padding, of which each byte string has just one. Raises StateError."""
    if junk := re.search(r"[^A-Za-z0-9_-]", text):
        raise StateError(
            "state",
            f"the character {shown(junk[0])} is not part of a text form (character {junk.start() + 1} after the colon)",
        )
    if len(text) % 4 == 1:
        raise StateError("state", "truncated: the text form is one character short or has one too many")
    packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    if base64.urlsafe_b64encode(packed).decode().rstrip("=") != text:
        raise StateError("state", "damaged: the last character of the text form has bits that mean nothing")
    return packed
