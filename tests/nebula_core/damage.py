"""States damaged at random, packed or as fields: what is refused, and what is let in after all. For any game."""

import zlib
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from random import Random
from typing import Any

from nebula_core.errors import StateError
from nebula_core.face import State
from tests.nebula_core.playable import PlayableRules, check_playable

PLAYED = 4
"""Of so many accepted states one is played step by step; all are played in the core."""

INTERESTING = (0, 1, 2, 3, 6, 7, 8, 0x7F, 0x80, 0xFD, 0xFE, 0xFF)


def with_checksum(packed: bytes) -> bytes:
    """The bytes with the last four replaced by the checksum of those before."""
    return packed[:-4] + zlib.crc32(packed[:-4]).to_bytes(4, "little")


def near(at: int, length: int, random: Random) -> int:
    """Another place, mostly close by."""
    return (at + random.choice((-1, 1, 1, 2, random.randrange(length)))) % length


def damaged(packed: bytes, others: list[bytes], random: Random) -> bytes:
    """The bytes after one to three mutations of one kind."""
    data = bytearray(packed)
    kind = random.randrange(10)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(data))
        match kind:
            case 0 | 1:
                data[at] ^= 1 << random.randrange(8)
            case 2:
                data[at] = random.choice(INTERESTING)
            case 3:
                data[at] = random.randrange(256)
            case 4:  # a piece moves to another place
                other = near(at, len(data), random)
                data[at], data[other] = (data[at] - 1) % 256, (data[other] + 1) % 256
            case 5:
                other = near(at, len(data), random)
                data[at], data[other] = data[other], data[at]
            case 6:  # a part of another state
                other_data = random.choice(others)
                length = random.randrange(1, 40)
                data[at : at + length] = other_data[at : at + length]
            case 7:
                data = data[: random.randrange(len(data))] + packed[-4:]
            case 8:
                data[at:at] = random.randbytes(random.randrange(1, 5))
            case _:
                del data[at : at + random.randrange(1, 5)]
        if len(data) < 5:
            break
    mutated = bytes(data)
    return with_checksum(mutated) if random.random() < 0.85 else mutated


def fuzz(rules: PlayableRules, states: list[State], mutations: int, random: Random) -> tuple[int, Counter[str]]:
    """Decodes mutated forms of these states: each is refused with a reason, or a state that can be played to its end.

    With a wrong checksum a damage is refused at once; so that the checks behind it are reached, most are given a right
    one. Returns how many were accepted, and what the others were refused for.
    """
    whole = [state.pack() for state in states]
    accepted = 0
    refused: Counter[str] = Counter()
    for _ in range(mutations):
        original = random.choice(whole)
        packed = damaged(original, whole, random)
        try:
            state = rules.unpack(packed)
        except StateError as error:
            refused[error.field.partition("[")[0] if error.reason else "no reason"] += 1
            continue
        accepted += packed != original
        assert state.pack() == packed, "there is one packed form of a state"
        check_playable(rules, state, accepted % PLAYED == 0, random)
    assert not refused.keys() & {"", "no reason"}
    return accepted, refused


def nearly_valid(
    rules: PlayableRules, states: list[State], change: Callable[[Any, Random], None], times: int, random: Random
) -> int:
    """Gives `change` the fields of these states to alter, once or a few times each. Returns how many were still let in.

    An impossible state that is let in would mostly be played on to states that are refused.
    """
    valid = [rules.fields(state) for state in states]
    accepted = 0
    for _ in range(times):
        fields = deepcopy(random.choice(valid))
        for _ in range(random.choice((1, 1, 2, 3))):
            change(fields, random)
        try:
            state = rules.from_fields(fields)
        except StateError:
            continue
        accepted += 1
        check_playable(rules, state, True, random)
    return accepted
