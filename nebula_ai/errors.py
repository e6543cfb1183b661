"""What the library refuses (the errors of the core, here for those who import the library), and the words for it."""

from collections.abc import Iterable
from difflib import get_close_matches

from nebula_core.errors import (
    MAX_SHOWN,
    CardUnknown,
    ChanceError,
    ChancePending,
    EditionError,
    GameFinished,
    GameNotFinished,
    InvalidInput,
    LimitError,
    MoveError,
    NoChancePending,
    NotPossibleNow,
    StateError,
    shown,
)

__all__ = [
    "CardUnknown",
    "ChanceError",
    "ChancePending",
    "EditionError",
    "GameFinished",
    "GameNotFinished",
    "InvalidInput",
    "LimitError",
    "MoveError",
    "NoChancePending",
    "NotPossibleNow",
    "StateError",
    "listed",
    "number_of",
    "shortened",
    "shown",
    "shown_path",
    "unknown_word",
]


def shortened(message: str, most: int) -> str:
    """A message of at most `most` characters, without its end if it repeats too much of what came from outside."""
    return message if len(message) <= most else message[: most - 1] + "…"


def shown_path(path: object) -> str:
    """A file's path as a message may repeat it: as a whole, unless it is absurd."""
    return shown(str(path), 400)


def listed(words: Iterable[str], last: str = "or") -> str:
    """``a, b or c``."""
    *rest, end = words
    return f"{', '.join(rest)} {last} {end}" if rest else end


def number_of(number: int, noun: str) -> str:
    """A number with a noun that takes an s: ``1 point``, ``2 points``."""
    return f"{number} {noun}" if abs(number) == 1 else f"{number} {noun}s"


def unknown_word(word: str, known: Iterable[str]) -> str:
    """Why `word` is refused where only the `known` ones are possible: with the closest one, or all if they are few."""
    options = list(known)
    by_lower_case = {option.lower(): option for option in options}
    close = get_close_matches(word[:MAX_SHOWN].lower(), by_lower_case, 1)
    if close:
        return f"{shown(word)} is not known (did you mean {by_lower_case[close[0]]}?)"
    if 0 < len(options) <= 12:
        return f"{shown(word)} is not known (there is {listed(options, 'and')})"
    return f"{shown(word)} is not known"
