"""Whether a game treats its seats alike: states with their seats exchanged. For any game."""

from collections.abc import Callable, Iterable
from itertools import permutations
from random import Random
from typing import Any, TypeAlias

from nebula_ai.errors import StateError
from nebula_ai.game import Game
from nebula_core.face import Generator, State

Exchange: TypeAlias = Callable[[Any, tuple[int, ...]], Any]
"""From the readable JSON of a state and an order to that of the state in which seat k has what was seat order[k]'s."""


def played_states(start: State, random: Random) -> list[State]:
    """The states to decide in of one game, of random and of sensible moves."""
    generator = Generator(random.getrandbits(64))
    state, _ = start.settle(generator)
    found = []
    while not state.finished:
        found.append(state)
        move = state.sensible_move(generator) if random.random() < 0.8 else state.random_move(generator)
        state, _ = state.apply(move).settle(generator)
    return found


def check_alike(game: Game, states: Iterable[State], exchange: Exchange) -> None:
    """Fail unless in every order of the seats the estimate of each state is in that order too.

    What depends on the order of the turns forbids some orders in some states. Of those that change anything a tenth at
    least must be possible.
    """
    possible = tried = 0
    for state in states:
        estimate = state.estimate()
        readable = game.to_json(state)
        same, *orders = permutations(range(state.players))
        assert exchange(readable, same) == readable
        for order in orders:
            tried += 1
            try:
                exchanged = game.from_json(exchange(readable, order))
            except StateError:
                continue
            possible += 1
            assert exchanged.estimate() == [estimate[seat] for seat in order]
    assert 10 * possible >= tried > 0
