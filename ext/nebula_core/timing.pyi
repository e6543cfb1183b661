"""Tight loops to be timed from outside; none reads a clock or holds the GIL.

`count` is 1 to 2**32 - 1, else LimitError.
"""

from nebula_core.face import State

def playouts(state: State, count: int, seed: int) -> int:
    """Plays `count` random games from `state` to their end, each on a copy of its own, with their outcome.

    Returns the plies of all of them (decisions; chance is not counted). Pending chance and unknown cards are drawn
    once, before the first. `seed`: 0 to 2**64 - 1, else LimitError. Raises GameFinished.
    """

def copies(state: State, count: int) -> int:
    """Copies the state's bytes `count` times; returns the bytes copied."""

def legal_lists(state: State, count: int) -> int:
    """Lists the legal moves of `state` `count` times; returns the moves of all lists.

    Raises GameFinished or ChancePending.
    """
