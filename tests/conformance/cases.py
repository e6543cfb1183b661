"""What the conformance tests run on: every game of the registry, with every variant and number of players."""

from collections.abc import Iterator
from dataclasses import dataclass

from nebula_ai.game import Game
from nebula_ai.registry import GAMES, load
from nebula_core.face import Generator, State

MOST_DECISIONS = 10_000
"""No game takes more decisions, however it is played."""


@dataclass(frozen=True)
class Case:
    """One game, one variant, one number of players."""

    game: Game
    variant: str
    players: int

    def __str__(self) -> str:
        """How test reports call it."""
        return f"{self.game.name}-{self.variant}-{self.players}"

    def start(self) -> State:
        """A game before its first chance event."""
        return self.game.start(self.players, self.variant)

    def walk(self, generator: Generator) -> Iterator[State]:
        """Every state of one random game, with chance pending, to decide in, and at last finished."""
        state = self.start()
        decisions = 0
        while not state.finished:
            yield state
            if state.chance_pending:
                state = state.resolve(drawn(state, generator))
            else:
                decisions += 1
                assert decisions <= MOST_DECISIONS, "the game does not end"
                state = state.apply(state.random_move(generator))
        yield state

    def decisions(self, seed: int) -> list[State]:
        """The states of one random game in which a seat has to decide."""
        return [state for state in self.walk(Generator(seed)) if state.seat is not None]


def drawn(state: State, generator: Generator) -> int:
    """An outcome of the pending chance event, drawn here and not by the core."""
    chances = state.chances()
    number = generator.below(sum(weight for _, weight in chances))
    for outcome, weight in chances:
        number -= weight
        if number < 0:
            return outcome
    raise AssertionError("unreachable")


def same_but_hidden(state: State, seat: int, seed: int) -> State:
    """A state that `seat` cannot tell from this one."""
    # From a stream of its own: the one that dealt the cards would often deal them again.
    return state.determinize(seat, Generator(seed, 61))


def spread(states: list[State], number: int) -> list[State]:
    """As many of the states, evenly spread, the first and the last among them."""
    if len(states) <= number:
        return states
    return [states[round(i * (len(states) - 1) / (number - 1))] for i in range(number)]


CASES = [
    Case(game, variant, players) for game in map(load, GAMES) for variant in game.variants for players in game.players
]
