"""Ours: any game of the registry, its core's tight loops and the plain search, from fixed positions."""

import nebula_ai
from benchmarks.measure import Subject
from nebula_ai.bots import PLAIN
from nebula_core import timing

PLAYOUTS = 5_000
COPIES = 10_000_000
LISTS = 20_000


def walk(state: nebula_ai.State, seed: int) -> list[nebula_ai.State]:
    """Every state with a decision in one random game from `state`, which is the first of them."""
    generator = nebula_ai.Generator(seed)
    states = []
    while not state.finished:
        states.append(state)
        state, _ = state.apply(state.random_move(generator)).settle(generator)
    return states


class Ours:
    """One variant of a game with one number of players."""

    def __init__(self, name: str, variant: str, players: int, seed: int) -> None:
        """Name and variant as the game has them; `seed` makes the setup and the game that leads to the positions."""
        game = nebula_ai.load(name)
        self.title = f"{game.title} {variant}, {players} players"
        self.seed = seed
        states = walk(game.new(players, variant, seed=seed), seed)
        opening = states[players]
        self.middle = [state for state in states[len(states) // 4 : -len(states) // 4] if len(state.legal_moves()) > 1]
        """Every position with a choice in the middle half of the game."""
        self.halfway = self.middle[len(self.middle) // 2]
        self.positions = {"opening": opening, "halfway": self.halfway}
        """What is searched. The opening: as many decisions as players are made, so that each has had its first."""

    def playouts(self) -> Subject:
        """Random games from the opening, in plies."""

        def run() -> float:
            return timing.playouts(self.positions["opening"], PLAYOUTS, self.seed)

        return Subject(f"{self.title}: playouts", "plies", run)

    def copies(self) -> Subject:
        """Copying a state."""
        size = timing.copies(self.halfway, 1)

        def run() -> float:
            return timing.copies(self.halfway, COPIES) / size

        return Subject(f"{self.title}: copy a state ({size} bytes)", "copies", run)

    def lists(self) -> Subject:
        """Listing the legal moves of every position in the middle of the game."""

        def run() -> float:
            for state in self.middle:
                timing.legal_lists(state, LISTS)
            return float(LISTS * len(self.middle))

        moves = sum(timing.legal_lists(state, 1) for state in self.middle) / len(self.middle)
        return Subject(f"{self.title}: list legal moves ({moves:.1f})", "lists", run)

    def search(self, position: str, simulations: int) -> Subject:
        """The plain search from one position, in plies of whole simulations (in the tree and in the playout)."""

        state = self.positions[position]

        def run() -> float:
            limits = nebula_ai.Limits(simulations=simulations)
            result = nebula_ai.search(state, limits, seed=self.seed, parameters=PLAIN.parameters, decided=False)
            assert result.simulations == simulations, f"stopped by {result.stopped}"
            return float(result.plies)

        return Subject(f"{self.title}: search, {position}", "plies", run, simulations=simulations)

    def workers(self, workers: int, simulations: int) -> Subject:
        """The plain search from halfway with one or two workers, `simulations` for each, in simulations of all."""

        def run() -> float:
            limits = nebula_ai.Limits(simulations=workers * simulations)
            result = nebula_ai.search(
                self.halfway,
                limits,
                seed=self.seed,
                workers=workers,
                parameters=PLAIN.parameters,
                decided=False,
            )
            assert result.simulations == workers * simulations, f"stopped by {result.stopped}"
            return float(result.simulations)

        name = "one worker" if workers == 1 else "two workers"
        return Subject(f"{self.title}: search, {name}", "simulations", run, cores=2)
