"""What the messages of all games have in common, from the library's names and back. Knows no game."""

from collections.abc import Sequence

from nebula_ai.errors import StateError

FIRST = 1
"""Enums count from it, in the order of the lists that they are made from: 0 says that nothing was said."""


def words(names: Sequence[str | None]) -> list[str]:
    """Names as a message has them: empty for None."""
    return [name or "" for name in names]


def words_or_none(names: Sequence[str]) -> tuple[str | None, ...]:
    """Names of a message: None for an empty one."""
    return tuple(name or None for name in names)


def name_of(value: int, names: Sequence[str], path: str) -> str:
    """What an enum's value stands for. Raises StateError for 0 and for a value that there is not."""
    if value < FIRST:
        raise StateError(path, "is missing")
    if value >= FIRST + len(names):
        raise StateError(path, f"must be a value from {FIRST} to {FIRST + len(names) - 1} of its enum, not {value}")
    return names[value - FIRST]
