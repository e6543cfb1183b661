"""The search tree: against a plain model of it, against exact play, and each of its promises.

The positions are of Nebula, because the search needs some game; nothing here is about its rules.
"""

import math
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nebula_core import CHECKED
from nebula_core.errors import ChancePending, GameFinished, LimitError, MoveError
from nebula_core.face import Generator, State
from nebula_core.nebula.rules import Phase
from nebula_core.search.tree import (
    NODE_BYTES,
    REWARD_ONE,
    WHOLE_WIN,
    CancelFlag,
    Parameters,
    RootMove,
    StopRule,
    Tree,
    natural_logarithm,
)
from tests.fit import assert_fits
from tests.nebula_core.endings import SMALL, certain_edition, last_turns
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table

DECISIVE_LEAD = 100
"""Nebula's."""

ENDLESS = 2**32 - 1
"""Simulations that no test waits for."""


@pytest.fixture(scope="module")
def table() -> Table:
    """The standard edition."""
    return Table()


@pytest.fixture(scope="module")
def certain(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """An edition in which no card is hidden."""
    return certain_edition(tmp_path_factory.mktemp("edition"))


PLACING: dict[str, Any] = {
    "phase": Phase.PLACE,
    "observatory": [["red", "blue", BLACK_HOLE], ["white"]],
    "galaxy": [{0: "violet", 4: "white"}, {0: "red"}],
}


@pytest.fixture(scope="module")
def opening(table: Table) -> State:
    """Three players, the first turn."""
    state = table.settle(table.start(3))
    while table.phase(state) is Phase.CHOOSE:
        state = state.apply(state.legal_moves()[0])
    return state


@pytest.fixture(scope="module")
def placing(table: Table) -> State:
    """Two players in the middle of the game, one of them placing; chance and hidden cards to come."""
    return table.position(**PLACING)


def grown(
    root: State, simulations: int, *, seed: int = 1, stream: int = 0, capacity: int = 10_000, **values: float
) -> Tree:
    """A tree after so many simulations."""
    tree = Tree(root, seed, stream, Parameters(**values), capacity)
    tree.run(simulations=simulations, decided=False)
    assert tree.simulations == simulations
    return tree


def everything(tree: Tree) -> tuple[object, ...]:
    """All that a tree tells."""
    return tree.simulations, tree.plies, tree.nodes, tree.depth, tree.full, tree.root_moves()


def visits(tree: Tree) -> list[int]:
    """Of each root move."""
    return [move.visits for move in tree.root_moves()]


# Against a plain model.


@dataclass
class Plain:
    """A node of the model."""

    rewards: list[int]
    visits: int = 0
    availability: int = 1
    children: dict[int, "Plain"] = field(default_factory=dict)


class Model:
    """The search written plainly, for positions in which nothing is left to chance but the hidden cards."""

    def __init__(self, root: State, seed: int, parameters: Parameters, capacity: int) -> None:
        assert root.seat is not None
        self.seat = root.seat
        self.observed = root.observe(self.seat)
        self.generator = Generator(seed)
        self.parameters = parameters
        self.exploration = parameters.as_dict()["exploration"]
        self.max_depth = parameters.as_dict()["max_depth"]
        self.playout_turns = parameters.as_dict()["playout_turns"]
        self.playout_choices = int(parameters.as_dict()["playout_choices"])
        self.capacity = capacity
        self.root = Plain([0] * root.players)
        self.nodes = 1
        self.plies = 0
        self.depth = 0
        moves = self.observed.legal_moves()
        self.first_moves = {move: Counter[str]() for move in moves}
        self.rewards = {move: [0] * root.players for move in moves}
        self.points = {move: [0] * root.players for move in moves}
        self.win_shares = {move: [0] * root.players for move in moves}
        self.cut = 0

    def simulate(self) -> None:
        """One simulation."""
        state = self.observed.determinize(self.seat, self.generator)
        path = [self.root]
        played = []
        movers = []
        while not state.finished and len(path) <= self.max_depth:
            move, child, new = self.select(path[-1], state, first=len(path) == 1)
            played.append(move)
            movers.append(state.seat)
            state = state.apply(move)
            assert not state.chance_pending
            if child is None:
                break
            path.append(child)
            if new:
                break
        self.plies += len(played)
        state = self.play_out(state, movers)
        if state.finished:
            points, shares = state.outcome()
            win_shares = [round(share * WHOLE_WIN) for share in shares]
            rewards = self.parameters.rewards(points, win_shares, DECISIVE_LEAD)
        else:
            self.cut += 1
            estimate = state.estimate()
            points = [int(number) for number in estimate]
            leaders = estimate.count(max(estimate))
            win_shares = [WHOLE_WIN // leaders if number == max(estimate) else 0 for number in estimate]
            rewards = by_the_formula([round(16 * number) for number in estimate], DECISIVE_LEAD)
        for node in path:
            node.visits += 1
            node.rewards = [old + reward for old, reward in zip(node.rewards, rewards, strict=True)]
        self.depth = max(self.depth, len(path) - 1)
        self.first_moves[played[0]]["visits"] += 1
        for sums, gained in ((self.rewards, rewards), (self.points, points), (self.win_shares, win_shares)):
            sums[played[0]] = [old + number for old, number in zip(sums[played[0]], gained, strict=True)]

    def play_out(self, state: State, movers: list[int | None]) -> State:
        """The end of the game, or where the playout is cut off; `movers` have moved in the tree."""
        while not state.finished:
            passes = state.seat != movers[-1]
            passed = passes + sum(one != other for one, other in pairwise(movers))
            if passes and 0 < self.playout_turns <= passed:
                break
            movers.append(state.seat)
            state = state.apply(self.playout_move(state))
            self.plies += 1
        return state

    def playout_move(self, state: State) -> int:
        """A random move, or the one of several sensible moves that promises its mover most."""
        if not self.playout_choices:
            return state.random_move(self.generator)
        moves = [state.sensible_move(self.generator) for _ in range(self.playout_choices)]
        seat = state.seat
        assert seat is not None, "somebody has to decide"
        return max(moves, key=lambda move: state.apply(move).estimate()[seat])

    def select(self, node: Plain, state: State, first: bool) -> tuple[int, Plain | None, bool]:
        """The move to make from here, its node if it has one, and whether that is new."""
        legal = state.legal_moves()
        if first:
            legal = [move for move in legal if move in self.first_moves]
            for move in legal:
                self.first_moves[move]["availability"] += 1
        for move in legal:
            if move in node.children:
                node.children[move].availability += 1
        untried = [move for move in legal if move not in node.children]
        if not untried:
            assert state.seat is not None
            seat = state.seat
            best = max(legal, key=lambda move: (self.score(node.children[move], seat), -move))
            return best, node.children[best], False
        if self.nodes == self.capacity:
            return legal[self.generator.below(len(legal))], None, False
        move = untried[self.generator.below(len(untried))]
        node.children[move] = Plain([0] * state.players)
        self.nodes += 1
        return move, node.children[move], True

    def score(self, node: Plain, seat: int) -> float:
        """What the selection maximises."""
        mean = node.rewards[seat] / REWARD_ONE / node.visits
        return mean + self.exploration * math.sqrt(natural_logarithm(node.availability) / node.visits)


def by_the_formula(parts: list[int], decisive_lead: int) -> tuple[int, ...]:
    """The rewards of seats that are promised so many sixteenths of a point."""
    rewards = []
    for seat, own in enumerate(parts):
        margin = own - max(parts[:seat] + parts[seat + 1 :])
        # In sixteenths as well, a quarter of the lead is four of it.
        rewards.append(REWARD_ONE // 2 + int(REWARD_ONE * Fraction(margin, 2 * (abs(margin) + 4 * decisive_lead))))
    return tuple(rewards)


HANDS = [["S07", "S02"], ["S03", "S04"], ["S20", "S21"]]

LAST_TURNS: dict[str, dict[str, Any]] = {
    "two seats": {
        "observatory": [["red", "blue", BLACK_HOLE], ["white", "red"]],
        "galaxy": [{0: "violet", 4: "white"}, {0: "red"}],
    },
    "three seats, full": {
        "players": 3,
        "personal": HANDS,
        "observatory": [["red", "blue", BLACK_HOLE], ["white"], [BLACK_HOLE]],
        "galaxy": [{0: "violet", 4: "white"}, {0: "red"}, {1: "yellow"}],
    },
    "three seats, basic": {
        "players": 3,
        "full": False,
        "personal": HANDS,
        "observatory": [["red", "blue"], ["white"], ["orange", "yellow"]],
        "galaxy": [{0: "violet", 4: "white"}, {0: "red"}, {1: "yellow"}],
    },
}


@pytest.mark.parametrize(
    ("capacity", "values"),
    [
        (10_000, {}),
        (10_000, {"exploration": 0.1}),
        (10_000, {"exploration": 3.0, "win_weight": 0.5}),
        (10_000, {"win_weight": 1.0}),
        (10_000, {"max_depth": 2}),
        (40, {}),
        (3, {}),
        (10_000, {"playout_choices": 1}),
        (10_000, {"playout_turns": 1}),
        (10_000, {"playout_turns": 2, "playout_choices": 1, "win_weight": 0.5}),
        (3, {"playout_turns": 1, "playout_choices": 1}),
        (10_000, {"playout_turns": 1, "max_depth": 1}),
        (10_000, {"playout_choices": 3}),
        (10_000, {"playout_turns": 2, "playout_choices": 5}),
    ],
    ids=str,
)
@pytest.mark.parametrize("said", LAST_TURNS.values(), ids=LAST_TURNS.keys())
def test_agrees_with_the_plain_model(table: Table, said: dict[str, Any], capacity: int, values: dict[str, Any]) -> None:
    root = last_turns(table, **said)
    for seed in range(3):
        tree = grown(root, 300, seed=seed, capacity=capacity, **values)
        model = Model(root, seed, Parameters(**values), capacity)
        for _ in range(300):
            model.simulate()
        # The second passing of two seats' last turns ends the game.
        assert (model.cut > 0) == (0 < model.playout_turns < root.players)
        assert (tree.nodes, tree.plies, tree.depth) == (model.nodes, model.plies, model.depth)
        found = {move.move: move for move in tree.root_moves()}
        assert found.keys() == model.first_moves.keys()
        for move, counts in model.first_moves.items():
            assert found[move].visits == counts["visits"]
            assert found[move].availability == counts["availability"]
            assert list(found[move].reward_sums) == model.rewards[move]
            assert list(found[move].point_sums) == model.points[move]
            assert list(found[move].win_sums) == model.win_shares[move]
            assert found[move].line == (move, *most_visited(model.root.children.get(move)))


def most_visited(node: Plain | None) -> Iterator[int]:
    """The line from a node of the model on."""
    while node is not None and node.children:
        move, node = min(node.children.items(), key=lambda item: (-item[1].visits, item[0]))
        yield move


# Determinism.


def test_same_seed_same_tree(opening: State) -> None:
    assert everything(grown(opening, 500)) == everything(grown(opening, 500))


@pytest.mark.parametrize(
    "other",
    [
        {"seed": 2},
        {"stream": 1},
        {"exploration": 0.8},
        {"win_weight": 0.7},
        {"playout_turns": 9},
        {"playout_choices": 1},
    ],
)
def test_another_seed_stream_or_parameter_gives_another_tree(opening: State, other: dict[str, Any]) -> None:
    assert everything(grown(opening, 500)) != everything(grown(opening, 500, **other))


def test_a_run_in_parts_is_the_same_as_in_one(opening: State) -> None:
    whole, parts = grown(opening, 600), grown(opening, 100)
    for simulations in (101, 250, 600):
        parts.root_moves()
        assert parts.run(simulations=simulations, decided=False) is StopRule.SIMULATIONS
        assert parts.simulations == simulations
    assert everything(parts) == everything(whole)
    assert parts.run(simulations=300) is StopRule.SIMULATIONS
    assert everything(parts) == everything(whole)


def test_hidden_cards_change_nothing(table: Table, placing: State) -> None:
    # The kept card of the other seat and the returned ones of both.
    other = table.position(**PLACING, personal=[["S01", "S02"], ["S22", "S09"]])
    assert other != placing
    assert everything(grown(other, 300)) == everything(grown(placing, 300))


# The statistics.


@pytest.mark.parametrize("simulations", [1, 2, 40, 1000])
def test_every_simulation_is_a_visit_of_one_root_move(placing: State, simulations: int) -> None:
    tree = grown(placing, simulations)
    moves = tree.root_moves()
    assert [move.move for move in moves] == placing.legal_moves()
    assert sum(visits(tree)) == simulations
    for move in moves:
        assert move.availability == simulations
        assert all(0 <= total <= move.visits * REWARD_ONE for total in move.reward_sums)
        assert sum(move.win_sums) == move.visits * WHOLE_WIN
        assert move.line[0] == move.move
    assert tree.nodes <= simulations + 1
    assert tree.plies >= simulations
    assert not tree.full


def test_a_tree_before_its_first_simulation(placing: State) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 10)
    assert (tree.simulations, tree.plies, tree.nodes, tree.depth, tree.full) == (0, 0, 1, 0, False)
    zeros = (0, 0)
    assert tree.root_moves() == [RootMove(move, 0, 0, zeros, zeros, zeros, (move,)) for move in placing.legal_moves()]


def test_every_root_move_is_tried_before_one_is_tried_again(placing: State) -> None:
    number = len(placing.legal_moves())
    assert visits(grown(placing, number)) == [1] * number


def test_the_move_to_try_first_is_drawn_uniformly(placing: State) -> None:
    moves = placing.legal_moves()
    firsts = Counter(moves[visits(grown(placing, 1, seed=seed)).index(1)] for seed in range(100 * len(moves)))
    assert_fits(firsts, dict.fromkeys(moves, 1))


def test_a_tree_never_gets_deeper_than_its_parameter(placing: State) -> None:
    tree = grown(placing, 1000, max_depth=1)
    assert (tree.depth, tree.nodes) == (1, 1 + len(placing.legal_moves()))
    assert sum(visits(tree)) == 1000
    assert not tree.full
    assert grown(placing, 1000, max_depth=2).depth == 2 < grown(placing, 1000).depth


# Playouts that are cut off.


CUTS: list[dict[str, Any]] = [
    {"playout_turns": turns, "playout_choices": choices} for turns in (1, 4, 12) for choices in (0, 1, 3)
]


@pytest.mark.parametrize("choices", [0, 1, 3])
def test_the_sooner_playouts_are_cut_off_the_shorter_they_are(opening: State, choices: float) -> None:
    plies = [grown(opening, 200, playout_turns=turns, playout_choices=choices).plies for turns in (1, 2, 4, 12, 0)]
    assert plies == sorted(set(plies))


@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_estimated_statistics_keep_their_ranges(opening: State, placing: State, cut: dict[str, Any]) -> None:
    for root in (opening, placing):
        tree = grown(root, 300, **cut)
        assert everything(grown(root, 300, **cut)) == everything(tree)
        for move in tree.root_moves():
            assert all(0 <= total <= move.visits * REWARD_ONE for total in move.reward_sums)
            assert sum(move.win_sums) == move.visits * WHOLE_WIN
            assert all(0 <= total <= move.visits * WHOLE_WIN for total in move.win_sums)


@pytest.mark.parametrize("choices", [0, 1, 3])
def test_more_turns_than_a_game_has_cut_nothing(opening: State, placing: State, choices: float) -> None:
    for root in (opening, placing):
        whole = grown(root, 100, playout_choices=choices)
        assert everything(grown(root, 100, playout_choices=choices, playout_turns=1000)) == everything(whole)


@pytest.mark.parametrize("turns", [1, 2, 1000])
def test_a_game_that_ends_before_the_cut_counts_as_it_ended(table: Table, turns: int) -> None:
    root = last_turns(table, seat=1, full=False, observatory=[["blue"], ["red", "blue"]], galaxy=[{0: "violet"}] * 2)
    assert everything(grown(root, 300, playout_turns=turns)) == everything(grown(root, 300))


@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("said", SMALL.values(), ids=SMALL.keys())
def test_exhausted_whatever_the_playouts(certain: Table, said: dict[str, Any], cut: dict[str, Any]) -> None:
    root = last_turns(certain, **said)
    whole, tree = (Tree(root, 1, 0, Parameters(exploration=10, **values), 10_000) for values in ({}, cut))
    for each in (whole, tree):
        assert each.run(simulations=10_000, decided=False) is StopRule.EXHAUSTED
    for one, other in zip(tree.root_moves(), whole.root_moves(), strict=True):
        assert one.line == other.line
        for sums, exact_sums in zip(one[3:6], other[3:6], strict=True):
            assert [number * other.visits for number in sums] == [number * one.visits for number in exact_sums]


def test_hidden_cards_change_no_playout_that_is_cut_off(table: Table, placing: State) -> None:
    # The other seat has a red star, and keeps a task that counts them.
    other = table.position(**PLACING, personal=[["S01", "S02"], ["S07", "S09"]])
    assert other.estimate() != placing.estimate()
    for cut in CUTS:
        assert everything(grown(other, 200, **cut)) == everything(grown(placing, 200, **cut))


# Memory.


def test_a_full_tree_stops_growing_and_the_search_goes_on(placing: State) -> None:
    tree = grown(placing, 2000, capacity=100)
    assert (tree.nodes, tree.full) == (100, True)
    assert sum(visits(tree)) == 2000
    assert visits(tree) != visits(grown(placing, 2000))


def test_a_tree_is_full_only_once_it_lacks_a_node(placing: State) -> None:
    assert not grown(placing, 99, capacity=100).full
    assert grown(placing, 100, capacity=100).full


def test_with_room_for_the_root_alone_its_moves_are_drawn_uniformly(placing: State) -> None:
    tree = grown(placing, 100 * len(placing.legal_moves()), capacity=1)
    assert (tree.nodes, tree.depth, tree.full) == (1, 0, True)
    assert_fits({move.move: move.visits for move in tree.root_moves()}, dict.fromkeys(placing.legal_moves(), 1))
    for move in tree.root_moves():
        assert move.line == (move.move,)
        assert sum(move.win_sums) == move.visits * WHOLE_WIN


def test_a_node_is_one_line_of_the_cache() -> None:
    assert NODE_BYTES <= 64


MEMORY = """
import resource

import nebula_ai
from nebula_core.face import Generator
from nebula_core.search.tree import Parameters, Tree

# Near the end of a game, where simulations are short.
generator = Generator(1)
states = [nebula_ai.load().new(4, seed=1)]
while not states[-1].finished:
    states.append(states[-1].apply(states[-1].random_move(generator)).settle(generator)[0])
state = next(state for state in states[-30:] if len(state.legal_moves()) > 1)

def search(seed, capacity):
    tree = Tree(state, seed, 0, Parameters(), capacity)
    tree.run(simulations=100, decided=False)
    tree.root_moves()
    return tree

def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()

for seed in range(100):
    search(seed, 101)
before = resident()
for seed in range(1000):
    search(seed, 101)
print(resident() - before)
before = resident()
kept = [search(seed, 1 << 22) for seed in range(4)]
print(resident() - before)
tree = Tree(state, 1, 0, Parameters(), 1_000_001)
tree.run(simulations=1_000_000, decided=False)
assert tree.simulations == 1_000_000
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.skipif(CHECKED, reason="the sanitiser keeps freed memory for a while")
@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="the system does not tell resident memory")
def test_memory_is_what_the_arena_takes_and_does_not_grow() -> None:
    # In a process of its own, so that nothing else counts.
    run = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    after_1000_searches, after_four_large_trees, most_kilobytes = map(int, run.stdout.split())
    # A thousand arenas would be 8 MB.
    assert after_1000_searches < 2e6
    # Room for a gigabyte of nodes, of which four hundred are used.
    assert after_four_large_trees < 4e6
    # All of the process, with a million simulations of a game of four.
    assert 64_000 < most_kilobytes < 400_000


@pytest.mark.parametrize("capacity", [0, -1, 2**31 + 1, 1.5, "10", None, True])
def test_capacities_out_of_range(placing: State, capacity: Any) -> None:
    with pytest.raises(LimitError) as refused:
        Tree(placing, 1, 0, Parameters(), capacity)
    assert refused.value.field == "capacity"


# What ends a run.


def test_forced(table: Table, opening: State) -> None:
    # Who sees none of its own cards has one move: to choose an unknown one.
    state = table.settle(table.start(3)).observe(1)
    (move,) = state.legal_moves()
    tree = Tree(state, 1, 0, Parameters(), 10)
    assert tree.run(simulations=100) is StopRule.FORCED
    zeros = (0, 0, 0)
    assert tree.root_moves() == [RootMove(move, 0, 0, zeros, zeros, zeros, (move,))]
    assert (tree.simulations, tree.nodes) == (0, 1)


def test_cancelled_before_the_first_simulation(placing: State) -> None:
    flag = CancelFlag()
    assert not flag.is_set
    flag.set()
    flag.set()
    assert flag.is_set
    tree = Tree(placing, 1, 0, Parameters(), 10)
    assert tree.run(simulations=100, cancel=flag) is StopRule.CANCELLED
    assert (tree.simulations, visits(tree)) == (0, [0] * len(placing.legal_moves()))
    assert tree.run(simulations=5) is StopRule.SIMULATIONS


def test_cancelled_comes_before_every_other_rule(table: Table) -> None:
    flag = CancelFlag()
    flag.set()
    tree = Tree(table.settle(table.start(3)).observe(1), 1, 0, Parameters(), 10)
    assert tree.run(simulations=100, cancel=flag) is StopRule.CANCELLED
    assert tree.run(simulations=100) is StopRule.FORCED


def test_a_pause_changes_nothing(placing: State) -> None:
    """It comes after every other rule, and the search goes on as if there had been none."""
    paused, whole = (Tree(placing, 5, 0, Parameters(), 10_000) for _ in range(2))
    flag = CancelFlag()
    flag.set()
    for simulations in (10, 50, 1000):
        assert paused.run(simulations=1000, decided=False, pause=flag) is StopRule.PAUSED
        assert paused.run(simulations=simulations, decided=False) is StopRule.SIMULATIONS
    assert paused.run(simulations=1000, decided=False, pause=flag) is StopRule.SIMULATIONS
    assert whole.run(simulations=1000, decided=False) is StopRule.SIMULATIONS
    assert paused.root_moves() == whole.root_moves()


def test_no_simulation_at_all(placing: State) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 10)
    assert tree.run(simulations=0) is StopRule.SIMULATIONS
    assert (tree.simulations, visits(tree)) == (0, [0] * len(placing.legal_moves()))


# The moves of the root.


def test_some_of_the_moves(placing: State) -> None:
    """The search begins with no other move, and with all of them it is the same as with none given."""
    legal = placing.legal_moves()
    tree = Tree(placing, 1, 0, Parameters(), 1000, legal[1:4])
    assert tree.run(simulations=300, decided=False) is StopRule.SIMULATIONS
    assert [move.move for move in tree.root_moves()] == legal[1:4]
    assert sum(visits(tree)) == 300
    every = Tree(placing, 1, 0, Parameters(), 1000, reversed(legal))
    every.run(simulations=300, decided=False)
    assert every.root_moves() == grown(placing, 300).root_moves()
    assert Tree(placing, 1, 0, Parameters(), 1000, legal[:1]).run(simulations=9) is StopRule.FORCED


def test_moves_that_the_root_does_not_have(placing: State) -> None:
    legal = placing.legal_moves()
    for moves, words in (([], "at least one"), ([legal[0], 1], "1 is the number of no legal move")):
        with pytest.raises(MoveError, match=words) as refused:
            Tree(placing, 1, 0, Parameters(), 10, moves)
        assert refused.value.field == "moves"


def test_cancelled_by_another_thread_while_it_runs_without_the_gil(placing: State) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 10_000)
    flag = CancelFlag()
    rules: list[StopRule] = []
    runner = threading.Thread(target=lambda: rules.append(tree.run(simulations=ENDLESS, cancel=flag)), daemon=True)
    runner.start()
    # If the run held the GIL, this thread would not come to set the flag.
    while tree.simulations < 100:
        time.sleep(0.001)
    with pytest.raises(RuntimeError, match="another thread"):
        tree.root_moves()
    with pytest.raises(RuntimeError, match="another thread"):
        tree.run(simulations=1)
    flag.set()
    runner.join(60)
    assert rules == [StopRule.CANCELLED]
    assert sum(visits(tree)) == tree.simulations >= 100


@pytest.mark.parametrize("nodes", [1, 2, 50])
def test_nodes(placing: State, nodes: int) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 100)
    assert tree.run(nodes=nodes) is StopRule.NODES
    # One simulation is always made.
    assert tree.nodes == max(nodes, 2)
    assert tree.run(nodes=nodes, simulations=1000) is StopRule.NODES
    assert tree.nodes == max(nodes, 2)


def test_nodes_that_a_tree_never_gets(table: Table, placing: State) -> None:
    # Four ways to end the game, but hidden cards: no rule but this one could end the search.
    root = last_turns(table, seat=1, full=False, observatory=[[], ["red"]])
    tree = Tree(root, 1, 0, Parameters(), 10_000)
    assert tree.run(nodes=1000, decided=False) is StopRule.NODES
    assert (tree.nodes, tree.simulations) == (6, 1005)
    full = Tree(placing, 1, 0, Parameters(), 10)
    assert full.run(nodes=1000, decided=False) is StopRule.NODES
    assert (full.nodes, full.simulations) == (10, 1009)


def test_simulations(placing: State) -> None:
    assert Tree(placing, 1, 0, Parameters(), 10).run(simulations=1) is StopRule.SIMULATIONS


def gap(tree: Tree) -> int:
    """By how much the most visited root move leads."""
    *_, second, first = sorted(visits(tree))
    return first - second


@pytest.mark.parametrize("exploration", [0.1, 0.7, 3.0])
def test_decided_as_soon_as_the_runner_up_cannot_catch_up(placing: State, exploration: float) -> None:
    limit = 300
    for seed in range(5):
        watched = Tree(placing, seed, 0, Parameters(exploration=exploration), 1000)
        while watched.simulations < limit and gap(watched) <= limit - watched.simulations:
            watched.run(simulations=watched.simulations + 1, decided=False)
        tree = Tree(placing, seed, 0, Parameters(exploration=exploration), 1000)
        rule = tree.run(simulations=limit)
        assert tree.simulations == watched.simulations
        assert rule is (StopRule.DECIDED if tree.simulations < limit else StopRule.SIMULATIONS)
        leader = visits(tree).index(max(visits(tree)))
        tree.run(simulations=limit, decided=False)
        assert rule is StopRule.SIMULATIONS or leader == visits(tree).index(max(visits(tree)))


def test_decided_within_a_time(placing: State) -> None:
    # Without exploration nearly all simulations begin with one move: after half of the time the others cannot catch up.
    tree = Tree(placing, 1, 0, Parameters(exploration=0), 10_000)
    assert tree.run(seconds=2.0) is StopRule.DECIDED
    assert gap(tree) > 0


def test_decided_can_be_switched_off(placing: State) -> None:
    tree = Tree(placing, 1, 0, Parameters(exploration=0), 10_000)
    assert tree.run(simulations=200, decided=False) is StopRule.SIMULATIONS
    assert tree.run(seconds=0.01, decided=False) is StopRule.TIME


@pytest.mark.parametrize("seconds", [0, 0.0, 1e-9, 5e-324])
def test_one_simulation_is_made_however_short_the_time(placing: State, seconds: float) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 100)
    for done in (1, 2, 3):
        assert tree.run(seconds=seconds, decided=False) is StopRule.TIME
        assert tree.simulations == done


def test_the_first_limit_reached_ends_the_run(placing: State) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 1000)
    assert tree.run(simulations=1000, nodes=50, seconds=86400, decided=False) is StopRule.NODES
    assert tree.run(simulations=60, nodes=1000, seconds=86400, decided=False) is StopRule.SIMULATIONS
    assert tree.run(simulations=ENDLESS, nodes=2**31, seconds=0.001, decided=False) is StopRule.TIME


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        *product(["simulations"], [-1, 2**32, 10**400, 1.5, "9", True]),
        *product(["nodes"], [0, -1, 2**31 + 1, 1.0, False]),
        *product(["seconds"], [-0.1, 86401, math.inf, -math.inf, math.nan, "1", True, 10**400]),
    ],
)
def test_limits_out_of_range(placing: State, limit: str, value: Any) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 10)
    with pytest.raises(LimitError) as refused:
        tree.run(**{limit: value})
    assert refused.value.field == limit
    assert tree.simulations == 0


def test_a_run_without_any_limit(placing: State) -> None:
    tree = Tree(placing, 1, 0, Parameters(), 10)
    with pytest.raises(LimitError) as refused:
        tree.run(cancel=CancelFlag())
    assert refused.value.field == "limits"


@pytest.mark.parametrize("bad", [-1, 2**64, 1.0, "1", None, True])
def test_seeds_and_streams_out_of_range(placing: State, bad: Any) -> None:
    with pytest.raises(LimitError) as refused:
        Tree(placing, bad, 0, Parameters(), 10)
    assert refused.value.field == "seed"
    with pytest.raises(LimitError) as refused:
        Tree(placing, 0, bad, Parameters(), 10)
    assert refused.value.field == "stream"


def test_the_largest_seed_and_stream(placing: State) -> None:
    assert sum(visits(grown(placing, 10, seed=2**64 - 1, stream=2**64 - 1))) == 10


def test_a_state_in_which_nobody_decides(table: Table) -> None:
    with pytest.raises(ChancePending):
        Tree(table.start(), 1, 0, Parameters(), 10)
    state = last_turns(table, seat=1, full=False, observatory=[[], ["red"]])
    with pytest.raises(GameFinished):
        Tree(table.play(state, "stop"), 1, 0, Parameters(), 10)


# Exact play, when nothing is hidden and nothing left to chance.


class Exact(NamedTuple):
    """What best play leads to: rewards, points and parts of the win by seat, and the moves on the way."""

    rewards: tuple[int, ...]
    points: list[int]
    shares: list[int]
    line: tuple[int, ...]


def exact(state: State, line: tuple[int, ...] = ()) -> Exact:
    """What follows when every seat maximises its own reward, by the lowest move among equals."""
    if state.finished:
        points, win_shares = state.outcome()
        shares = [round(share * WHOLE_WIN) for share in win_shares]
        return Exact(Parameters().rewards(points, shares, DECISIVE_LEAD), points, shares, line)
    assert state.seat is not None
    seat = state.seat
    # The first among equals.
    return max(
        (exact(state.apply(move), (*line, move)) for move in state.legal_moves()), key=lambda found: found.rewards[seat]
    )


@pytest.mark.parametrize("said", SMALL.values(), ids=SMALL.keys())
def test_exhausted(certain: Table, said: dict[str, Any]) -> None:
    root = last_turns(certain, **said)
    # So much exploration that every line is soon in the tree.
    tree = Tree(root, 1, 0, Parameters(exploration=10), 10_000)
    assert tree.run(simulations=10_000, decided=False) is StopRule.EXHAUSTED
    assert tree.simulations < 10_000
    for move in tree.root_moves():
        best = exact(root.apply(move.move), (move.move,))
        assert move.line == best.line
        assert move.reward_sums == tuple(move.visits * reward for reward in best.rewards)
        assert list(move.point_sums) == [move.visits * number for number in best.points]
        assert list(move.win_sums) == [move.visits * share for share in best.shares]
    found = everything(tree)
    assert tree.run(simulations=10_000) is StopRule.EXHAUSTED
    assert everything(tree) == found


@pytest.mark.parametrize("said", SMALL.values(), ids=SMALL.keys())
def test_not_exhausted_while_chance_is_to_come(certain: Table, said: dict[str, Any]) -> None:
    # What comes out of the bag in the refill decides what the other seat can take.
    root = last_turns(certain, **said, bag={"red": 1, "blue": 1})
    tree = Tree(root, 1, 0, Parameters(exploration=10), 10_000)
    assert tree.run(simulations=10_000, decided=False) is StopRule.SIMULATIONS


def test_not_exhausted_while_a_card_is_hidden(table: Table) -> None:
    root = last_turns(table, seat=1, full=False, observatory=[[], ["red"]])
    tree = Tree(root, 1, 0, Parameters(exploration=10), 10_000)
    assert tree.run(simulations=10_000, decided=False) is StopRule.SIMULATIONS
    assert tree.nodes == 6


def test_not_exhausted_without_room_for_every_line(certain: Table) -> None:
    root = last_turns(certain, **SMALL["two stars"])
    for capacity, max_depth in ((100, 512), (10_000, 3)):
        tree = Tree(root, 1, 0, Parameters(exploration=10, max_depth=max_depth), capacity)
        assert tree.run(simulations=10_000, decided=False) is StopRule.SIMULATIONS


# Rewards and parameters.


@st.composite
def games(draw: st.DrawFn) -> tuple[list[int], list[int]]:
    """Points and shares of the win of a finished game, in which the points need not decide."""
    players = draw(st.integers(2, 4))
    points = draw(st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(-5, 5), min_size=players, max_size=players))
    winners = draw(st.sets(st.integers(0, players - 1), min_size=1))
    return points, [WHOLE_WIN // len(winners) if seat in winners else 0 for seat in range(players)]


leads = st.integers(1, 100) | st.integers(1, 2**31 - 1)
weights = st.floats(0.01, 1)


@given(games(), games(), leads, weights)
def test_a_better_result_is_worth_more_whatever_the_margin(
    one: tuple[list[int], list[int]], other: tuple[list[int], list[int]], lead: int, win_weight: float
) -> None:
    parameters = Parameters(win_weight=win_weight)
    worth = []
    for points, win_shares in (one, other):
        rewards = parameters.rewards(points, win_shares, lead)
        assert all(0 <= reward <= REWARD_ONE for reward in rewards)
        worth += list(zip(win_shares, rewards, strict=True))
    for share, reward in worth:
        for less, smaller in worth:
            if less < share:
                assert smaller < reward


@given(st.lists(st.integers(-50, 150), min_size=2, max_size=4), st.integers(1, 60), st.integers(1, 100))
def test_a_larger_margin_is_worth_more_up_to_the_decisive_lead(points: list[int], more: int, lead: int) -> None:
    shares = [WHOLE_WIN, *[0] * (len(points) - 1)]
    points[0] = max(points) + 1
    before = Parameters().rewards(points, shares, lead)
    margin, deficit = points[0] - max(points[1:]), points[0] - points[1]
    points[0] += more
    after = Parameters().rewards(points, shares, lead)
    assert (after[0] > before[0]) == (margin < lead)
    assert (after[1] < before[1]) == (deficit < lead)


def test_rewards_by_the_formula() -> None:
    def parts(number: float) -> int:
        return int(number * REWARD_ONE)

    rewards = Parameters(win_weight=0.75).rewards
    assert rewards([60, 44, 28], [12, 0, 0], 64) == (
        parts(0.75 + 0.25 * 0.625),
        parts(0.25 * 0.375),
        parts(0.25 * 0.25),
    )
    assert rewards([300, 0], [12, 0], 64) == (REWARD_ONE, 0)
    assert rewards([40, 40], [6, 6], 64) == (parts(0.5), parts(0.5))
    assert rewards([40, 40, 8], [6, 6, 0], 64) == (parts(0.5), parts(0.5), parts(0.0625))
    # Won on a tie-break.
    assert rewards([40, 40], [12, 0], 64) == (parts(0.875), parts(0.125))
    assert Parameters(win_weight=1).rewards([60, 50, 50, 50], [12, 0, 0, 0], 64) == (REWARD_ONE, 0, 0, 0)


def test_parameters_have_defaults_and_can_be_compared() -> None:
    defaults = {"exploration": 0.7, "win_weight": 0.8, "max_depth": 512, "playout_turns": 0, "playout_choices": 0}
    assert Parameters().as_dict() == defaults
    assert Parameters(**defaults) == Parameters()
    assert hash(Parameters(**defaults)) == hash(Parameters())
    assert Parameters(exploration=1) != Parameters()
    assert Parameters(exploration=1).as_dict() == {**defaults, "exploration": 1.0}
    assert repr(Parameters()) == (
        "Parameters(exploration=0.7, win_weight=0.8, max_depth=512, playout_turns=0, playout_choices=0)"
    )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *product(["exploration"], [-0.1, 10.1, math.nan, math.inf, "1", None, True]),
        *product(["win_weight"], [0, 0.001, 1.01, math.nan, []]),
        *product(["max_depth"], [0, 513, 1.5, math.nan, False]),
        *product(["playout_turns"], [-1, 1001, 2.5, math.nan, True, None]),
        *product(["playout_choices"], [-1, 17, 0.5, False, "random"]),
        ("temperature", 1.0),
    ],
)
def test_parameters_out_of_range(name: str, value: Any) -> None:
    with pytest.raises(LimitError) as refused:
        Parameters(**{name: value})
    assert refused.value.field == f"parameters.{name}"


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("exploration", 0, 10), ("max_depth", 1, 512), ("playout_turns", 0, 1000), ("playout_choices", 0, 16)],
)
def test_a_range_reaches_from_end_to_end_and_is_named(name: str, low: int, high: int) -> None:
    assert [Parameters(**{name: value}).as_dict()[name] for value in (low, high)] == [low, high]
    with pytest.raises(LimitError) as refused:
        Parameters(**{name: high + 1})
    assert f"from {low} to {high}" in refused.value.reason


promises = st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(-500, 500), min_size=2, max_size=4)


@given(promises, leads)
def test_what_a_playout_that_is_cut_off_is_worth(parts: list[int], lead: int) -> None:
    rewards, win_shares, points = Parameters().estimated_rewards(parts, lead)
    assert rewards == by_the_formula(parts, lead)
    assert all(0 <= reward <= REWARD_ONE for reward in rewards)
    for seat, reward in enumerate(rewards):
        for other, smaller in enumerate(rewards):
            assert smaller <= reward or parts[other] > parts[seat]
    leaders = parts.count(max(parts))
    assert win_shares == tuple(WHOLE_WIN // leaders if own == max(parts) else 0 for own in parts)
    assert sum(win_shares) == WHOLE_WIN
    assert points == tuple(int(Fraction(own, 16)) for own in parts)
    # The weights of the result have no say in it.
    assert Parameters(win_weight=0.3).estimated_rewards(parts, lead) == (rewards, win_shares, points)


@given(promises, leads, st.data())
def test_what_it_is_worth_does_not_depend_on_the_seat(parts: list[int], lead: int, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(parts))))
    worth = Parameters().estimated_rewards(parts, lead)
    exchanged = Parameters().estimated_rewards([parts[seat] for seat in order], lead)
    assert exchanged == tuple(tuple(of[seat] for seat in order) for of in worth)


def test_estimated_rewards_by_hand() -> None:
    rewards = Parameters().estimated_rewards
    half = REWARD_ONE // 2
    # A lead of a quarter of the decisive one, 25 points, is half way to a certain win; so is one of 6.25 of 25.
    assert rewards([16 * 40, 16 * 15], 100) == ((half + half // 2, half // 2), (12, 0), (40, 15))
    assert rewards([100, 0], 25) == ((half + half // 2, half // 2), (12, 0), (6, 0))
    # Three times that.
    assert rewards([16 * 75, 0, 16 * -25], 100) == (
        (half + half * 3 // 4, half // 4, half // 5 + 1),
        (12, 0, 0),
        (75, 0, -25),
    )
    assert rewards([9, 9, 8, 9], 100) == ((half, half, half - half // 401, half), (4, 4, 0, 4), (0, 0, 0, 0))


@pytest.mark.parametrize(
    ("parts", "lead", "field"),
    [
        ([1], 100, "parts"),
        ([1] * 5, 100, "parts"),
        ([1, 2**31], 100, "parts"),
        ([1, 0.5], 100, "parts"),
        ([1, 2], 0, "decisive_lead"),
    ],
)
def test_estimates_that_cannot_be(parts: list[Any], lead: int, field: str) -> None:
    with pytest.raises(LimitError) as refused:
        Parameters().estimated_rewards(parts, lead)
    assert refused.value.field == field


@pytest.mark.parametrize(
    ("points", "win_shares", "lead", "field"),
    [
        ([1], [12], 100, "points"),
        ([1] * 5, [12, 0, 0, 0, 0], 100, "points"),
        ([1, 2], [12], 100, "points"),
        ([1, 2**31], [0, 12], 100, "points"),
        ([1, 2], [0, 13], 100, "win_shares"),
        ([1, 2], [0, 12], 0, "decisive_lead"),
    ],
)
def test_games_that_cannot_be(points: list[int], win_shares: list[int], lead: int, field: str) -> None:
    with pytest.raises(LimitError) as refused:
        Parameters().rewards(points, win_shares, lead)
    assert refused.value.field == field


# Logarithms.


def is_close(number: int) -> bool:
    """Whether the logarithm is within two units of the last place."""
    return abs(natural_logarithm(number) - math.log(number)) <= 2 * math.ulp(math.log(number))


def test_logarithms_of_small_numbers() -> None:
    assert natural_logarithm(1) == 0.0
    assert all(is_close(number) for number in range(2, 10_000))


@given(st.integers(2, 2**53))
def test_logarithms_of_all_numbers(number: int) -> None:
    assert is_close(number)


@pytest.mark.parametrize("number", [0, -1, 2**53 + 1, 1.0])
def test_there_are_no_other_logarithms(number: Any) -> None:
    with pytest.raises(LimitError):
        natural_logarithm(number)
