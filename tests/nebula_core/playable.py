"""For tests that damage states of any game: states to damage, and whether one that was let in can be played."""

from collections.abc import Iterable
from random import Random
from typing import Any, Protocol

from nebula_core.face import Generator, State
from nebula_core.timing import playouts


class PlayableRules(Protocol):
    """Rules of any game."""

    def from_fields(self, fields: Any) -> State:
        """The state with these fields."""

    def fields(self, state: State) -> Any:
        """The fields of a state."""

    def scores(self, state: State) -> Any:
        """For each seat its points if the game ended now."""

    def unpack(self, packed: bytes) -> State:
        """The state of a packed form."""


def states_of_all_kinds(starts: Iterable[State], random: Random) -> list[State]:
    """Every state of a random game from each of these, some of them as one seat sees them."""
    found = []
    for state in starts:
        generator = Generator(random.getrandbits(64))
        while True:
            found.append(state if random.random() < 0.7 else state.observe(random.randrange(state.players)))
            if state.finished:
                break
            if state.chance_pending:
                state = state.resolve(random.choice(state.chances())[0])
            else:
                state = state.apply(state.random_move(generator))
    return found


def check_playable(rules: PlayableRules, state: State, step_by_step: bool, random: Random) -> None:
    """Fail unless this state, which the checks let in, behaves like any other, to the end of a random game."""
    assert rules.from_fields(rules.fields(state)) == state
    rules.scores(state)
    for seat in range(state.players):
        assert rules.unpack(state.observe(seat).pack()) == state.observe(seat)
    generator = Generator(random.getrandbits(64))
    state, _ = state.settle(generator)
    if not state.finished:
        assert playouts(state, 1, random.getrandbits(64)) > 0
    state = state.determinize(state.seat or 0, generator)
    while step_by_step and not state.finished:
        moves = state.legal_moves()
        assert state.random_move(generator) in moves
        assert state.sensible_move(generator) in moves
        assert len(state.estimate()) == state.players
        state, _ = state.apply(random.choice(moves)).settle(generator)
        assert rules.unpack(state.pack()) == state
    if state.finished:
        state.outcome()
