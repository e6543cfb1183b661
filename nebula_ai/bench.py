"""The bench: the plain search on fixed positions with fixed seeds, for its speed and for its signature.

The positions come from random games of every game, variant and number of players, so that a new game brings its own.
The signature is a checksum over everything that the searches found out about their roots: whatever changes the
behaviour of the core, be it rules, random numbers or search, changes it, and whatever only makes it faster does not.
The speed is that of the preset `plain`; the signature also covers what `plain` has no use for: sensible moves and
estimates.
The signature of this version is recorded in bench.toml. Knows no game by name.
"""

import hashlib
import time
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources

from nebula_ai.bots import PLAIN
from nebula_ai.game import Game
from nebula_core.face import Generator, State
from nebula_core.search.tree import Parameters, Tree

SEED = 2023
SIMULATIONS = 5000
CUT = Parameters(playout_turns=4, playout_choices=2)
"""The parameters of a search that uses the games' sensible moves and estimates, as their own bots may."""
STAGES = {"opening": 0.1, "middle": 0.5, "end": 0.9}
"""Positions of one game: the part of its decisions that have been made."""


@dataclass(frozen=True, slots=True)
class Position:
    """A position of the bench; in it a seat has two legal moves or more."""

    name: str
    """Game, variant, number of players and stage: ``nebula full 2 opening``."""
    state: State


@dataclass(frozen=True, slots=True)
class Measurement:
    """What a search did, or all of them together, and how long it took."""

    position: str
    simulations: int
    plies: int
    nodes: int
    seconds: float
    signature: str
    """A checksum over all root statistics: 16 hexadecimal digits."""


def positions(games: Sequence[Game]) -> Iterator[Position]:
    """The fixed positions of these games, in their order."""
    for game in games:
        for variant in game.variants:
            for players in game.players:
                states = random_game(game, players, variant)
                for stage, part in STAGES.items():
                    first = int(part * len(states))
                    # A forced move would end the search at once.
                    state = next(state for state in states[first:] if len(state.legal_moves()) > 1)
                    yield Position(f"{game.name} {variant} {players} {stage}", state)


def random_game(game: Game, players: int, variant: str) -> list[State]:
    """The states of one random game, from a fixed seed, in which a seat decides."""
    generator = Generator(SEED)
    state, _ = game.start(players, variant).settle(generator)
    states = []
    while not state.finished:
        states.append(state)
        state, _ = state.apply(state.random_move(generator)).settle(generator)
    return states


def measure(position: Position) -> Measurement:
    """Searches one position with the preset `plain`, `SIMULATIONS` simulations from `SEED`.

    For the signature it is searched again with the parameters `CUT`, which is not timed.
    """
    start = time.perf_counter()
    tree = searched(position, PLAIN.parameters)
    seconds = time.perf_counter() - start
    return Measurement(
        position=position.name,
        simulations=tree.simulations,
        plies=tree.plies,
        nodes=tree.nodes,
        seconds=seconds,
        signature=checksum(repr([position.name, *found_by(tree), *found_by(searched(position, CUT))])),
    )


def searched(position: Position, parameters: Parameters) -> Tree:
    """The tree of a search of `SIMULATIONS` simulations from `SEED`."""
    # One node a simulation at most, and the root: the arena never fills.
    tree = Tree(position.state, SEED, 0, parameters, SIMULATIONS + 1)
    tree.run(simulations=SIMULATIONS, decided=False)
    return tree


def found_by(tree: Tree) -> list[object]:
    """What a search found: integers only, so that their text is the same on every machine."""
    return [tree.simulations, tree.plies, tree.nodes, tree.depth, *(tuple(move) for move in tree.root_moves())]


def total(measurements: Sequence[Measurement]) -> Measurement:
    """All measurements together; its signature is the one of the bench."""
    return Measurement(
        position="total",
        simulations=sum(measurement.simulations for measurement in measurements),
        plies=sum(measurement.plies for measurement in measurements),
        nodes=sum(measurement.nodes for measurement in measurements),
        seconds=sum(measurement.seconds for measurement in measurements),
        signature=checksum(" ".join(measurement.signature for measurement in measurements)),
    )


def checksum(text: str) -> str:
    """16 hexadecimal digits over a text."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@cache
def recorded_signature() -> str:
    """The signature of this version."""
    text = resources.files("nebula_ai").joinpath("bench.toml").read_text(encoding="utf-8")
    return str(tomllib.loads(text)["signature"])
