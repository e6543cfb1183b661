"""What the edition files of all games have in common. Knows no game."""

import hashlib
import json
from collections.abc import Collection
from typing import Any

from nebula_ai.checked import Value
from nebula_ai.game import UNKNOWN

PLAYERS = range(2, 5)
"""Numbers of players that the rules of all games know."""

MAX_POINTS = 1000
"""Of one card, token or step of a scale."""


def content_hash(content: dict[str, Any]) -> bytes:
    """8 bytes that tell contents apart, whatever their comments, white space and order of keys."""
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode()).digest()[:8]


def read_players(value: Value) -> range:
    """The numbers of players: the least and the most are in the file."""
    least, most = (number.integer(PLAYERS[0], PLAYERS[-1]) for number in value.list(range(2, 3)))
    if least > most:
        value.refuse(f"must ascend, and {least} is more than {most}")
    return range(least, most + 1)


def by_players(value: Value, players: range, low: int, high: int) -> tuple[int, int, int]:
    """A number from `low` to `high` for each number of players; those not allowed may be missing, and are 0."""
    row = value.table([str(number) for number in players], [str(number) for number in PLAYERS if number not in players])
    given = {number: row[str(number)].integer(low, high) for number in PLAYERS if str(number) in row}
    two, three, four = (given[number] if number in players else 0 for number in PLAYERS)
    return two, three, four


def name_of(value: Value, reserved: Collection[str] = ()) -> str:
    """A word that has no other meaning in the notation, where those of `reserved` and ``unknown`` have one."""
    name = value.word()
    if name == UNKNOWN or name in reserved:
        value.refuse(f"{name} has another meaning in the notation of moves")
    return name


def unique_names(values: list[Value], reserved: Collection[str] = ()) -> tuple[str, ...]:
    """Different words that have no other meaning in the notation."""
    names: list[str] = []
    for value in values:
        name = name_of(value, reserved)
        if name in names:
            value.refuse(f"{name} stands there twice")
        names.append(name)
    return tuple(names)
