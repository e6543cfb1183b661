"""For tests that damage states: states to damage, and whether one that was let in after all can be played."""

from random import Random

from nebula_core.face import Generator, State
from nebula_core.nebula.rules import NebulaRules
from nebula_core.timing import playouts
from tests.nebula_core.nebula.positions import Table


def states_of_all_kinds(table: Table, random: Random) -> list[State]:
    """States of all phases, numbers of players and variants, some of them as one seat sees them."""
    found = []
    for players in table.game.players:
        for full in (False, True):
            state = table.start(players, full)
            generator = Generator(random.getrandbits(64))
            while True:
                seen = state if random.random() < 0.7 else state.observe(random.randrange(players))
                found.append(seen)
                if state.finished:
                    break
                if state.chance_pending:
                    state = state.resolve(random.choice(state.chances())[0])
                else:
                    state = state.apply(state.random_move(generator))
    return found


def check_playable(rules: NebulaRules, state: State, step_by_step: bool, random: Random) -> None:
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
        state, _ = state.apply(random.choice(moves)).settle(generator)
        assert rules.unpack(state.pack()) == state
    if state.finished:
        state.outcome()
