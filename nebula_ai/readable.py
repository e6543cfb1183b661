"""What the readable states of all games have in common: JSON values in, names to numbers and back. Knows no game.

Whatever is wrong on the way in is a StateError with the path in the readable state.
"""

import re
from collections.abc import Sequence
from typing import Any, TypeVar

from nebula_ai.checked import Value
from nebula_ai.errors import StateError, shown, unknown_word
from nebula_core.face import Rules

NOTHING = -1
"""What the fields of every core say where nothing is."""

MOST = 65535
"""No number of a state is larger; the cores know closer limits."""

Row = TypeVar("Row", bound=Sequence[Any])
Element = TypeVar("Element")


# JSON values.


def number(value: Value) -> int:
    """A whole number from 0."""
    return value.integer(0, MOST)


def numbers(value: Value) -> tuple[int, ...]:
    """A list of whole numbers from 0."""
    return tuple(number(element) for element in value.list())


def numbers_by_name(value: Value) -> dict[str, int]:
    """An object of whole numbers from 0."""
    return {name: number(element) for name, element in value.mapping().items()}


def texts(value: Value) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(element.text() for element in value.list())


def texts_or_nulls(value: Value) -> tuple[str | None, ...]:
    """A list of texts and nulls."""
    return tuple(element.text_or_null() for element in value.list())


# From numbers to names.


def count_map(names: Sequence[str], counts: Sequence[int]) -> dict[str, int]:
    """Names to counts, without those of which there is none."""
    return {name: count for name, count in zip(names, counts, strict=True) if count}


def name_or_none(names: Sequence[str], index: int) -> str | None:
    """The name of an index, None for NOTHING."""
    return None if index == NOTHING else names[index]


# From names to numbers.


def check_identity(
    rules: Rules, allowed: range, *, game: str, edition: str, edition_hash: str | None, players: int
) -> None:
    """Raises StateError unless a readable state is of these rules and of an `allowed` number of players.

    `game`, `edition`, `edition_hash` (None: not given) and `players` are what the state says.
    """
    if game != rules.name:
        raise StateError("game", f"must be {rules.name}, not {shown(game)}")
    if edition != rules.edition:
        raise StateError("edition", f"must be {rules.edition}, not {shown(edition)}")
    if edition_hash is not None and edition_hash != rules.edition_hash.hex():
        reason = f"{shown(edition_hash)} is not the hash of the edition {rules.edition} that is loaded here"
        raise StateError("edition_hash", f"{reason} ({rules.edition_hash.hex()}): the state is of another content")
    check_players(allowed, players)


def check_players(allowed: range, players: int) -> None:
    """Raises StateError unless this is an `allowed` number of players."""
    if players not in allowed:
        raise StateError("players", f"must be from {allowed[0]} to {allowed[-1]}, not {players}")


def check_seat(players: int, seat: int) -> None:
    """Raises StateError unless so many players have this seat: checked before what depends on it is blamed."""
    if not 0 <= seat < players:
        raise StateError("seat", f"must be from 0 to {players - 1}, not {seat}")


def index_of(name: str, names: Sequence[str], path: str) -> int:
    """The index of a name."""
    try:
        return names.index(name)
    except ValueError:
        raise StateError(path, unknown_word(name, names)) from None


def indices(given: Sequence[str | None], names: Sequence[str], path: str) -> list[int]:
    """The indices of names, NOTHING for None."""
    return [NOTHING if name is None else index_of(name, names, f"{path}[{i}]") for i, name in enumerate(given)]


def sized(row: Row, length: int, path: str) -> Row:
    """The row, if it has this length."""
    if len(row) != length:
        raise StateError(path, f"must have {length} elements, not {len(row)}")
    return row


def at_most(row: Row, length: int, path: str) -> Row:
    """The row, if it is no longer than this."""
    if len(row) > length:
        raise StateError(path, f"must have at most {length} elements, not {len(row)}")
    return row


def filled(row: list[Element], length: int, filling: Element) -> list[Element]:
    """The row, which may be shorter, made as long as this."""
    return row + [filling] * (length - len(row))


def counts(given: dict[str, int], names: Sequence[str], path: str) -> list[int]:
    """The numbers in the order of the names, 0 for those that are not there."""
    for name in given:
        if name not in names:
            raise StateError(path, unknown_word(name, names))
    return [given.get(name, 0) for name in names]


# Paths.


def parts_of_path(path: str) -> tuple[str, list[int]]:
    """A path of a core, such as ``galaxy[1][7]``, as the field and the numbers after it."""
    field, *rest = re.findall(r"\w+", path)
    return field, [int(part) for part in rest]
