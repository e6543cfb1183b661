"""Chance drawn from a seed, one state at a time, by those who keep no generator between two moves."""

import hashlib

from nebula_core.face import Generator, State


def settle(state: State, seed: int) -> tuple[State, list[int]]:
    """Draws every pending chance event: the state then, and the outcomes in their order (none if none was pending).

    The draws depend on `seed` (0 to 2**64 - 1) and on the state: equal both, equal draws; and one seed may serve a
    whole game without its draws repeating each other. Raises LimitError.
    """
    stream = int.from_bytes(hashlib.sha256(state.pack()).digest()[:8], "little")
    return state.settle(Generator(seed, stream))
