"""Random games, state by state."""

from collections.abc import Iterator

from nebula_ai.game import Game
from nebula_core.face import Generator, State


def walk(game: Game, players: int, variant: str, generator: Generator) -> Iterator[State]:
    """Every state of a random game, from before its setup to its end, with chance events pending too.

    All outcomes of an event are as likely as each other here.
    """
    state = game.start(players, variant)
    while True:
        yield state
        if state.finished:
            return
        if state.chance_pending:
            outcomes = state.chances()
            state = state.resolve(outcomes[generator.below(len(outcomes))][0])
        else:
            state = state.apply(state.random_move(generator))
