"""Asking for a move: limits, workers, the order of the answer, and the answer where there is nothing to search."""

import dataclasses
import importlib
import math
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import pytest

from nebula_ai.errors import ChancePending, GameFinished, LimitError, MoveError
from nebula_ai.game import Game
from nebula_ai.registry import load
from nebula_ai.search import FIRST_STREAM, Limits, MoveReport, Reports, Result, best_first, search
from nebula_core.face import Generator, State
from nebula_core.search.tree import REWARD_ONE, WHOLE_WIN, CancelFlag, Parameters, RootMove, Tree
from tests.nebula_core.endings import SMALL, certain_edition, last_turns
from tests.nebula_core.nebula.positions import Table


@pytest.fixture(scope="module")
def game() -> Game:
    """The standard edition."""
    return load()


@pytest.fixture(scope="module")
def state(game: Game) -> State:
    """Three players, a few turns into the game, several moves to choose from."""
    generator = Generator(5)
    state = game.new(3, seed=5)
    for _ in range(20):
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    while len(state.legal_moves()) < 10:
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    return state


def timeless(result: Result) -> Result:
    """The result but for its time."""
    return dataclasses.replace(result, seconds=0.0)


# The answer.


def test_answer_is_what_the_tree_found(state: State) -> None:
    result = search(state, Limits(simulations=300), seed=7, decided=False)
    tree = Tree(state, 7, FIRST_STREAM, Parameters(), 1000)
    tree.run(simulations=300, decided=False)
    assert (result.simulations, result.plies) == (300, tree.plies)
    assert (result.nodes, result.depth, result.tree_full) == (tree.nodes, tree.depth, False)
    assert (result.seat, result.seed, result.workers, result.stopped) == (state.seat, 7, 1, "simulations")
    assert result.seconds > 0
    found = {report.move: report for report in result.moves}
    for move in tree.root_moves():
        report = found[move.move]
        assert (report.visits, report.availability, report.line) == (move.visits, move.availability, move.line)
        for seat in range(3):
            assert report.value[seat] == pytest.approx(move.reward_sums[seat] / move.visits / REWARD_ONE)
            assert report.win_share[seat] == pytest.approx(move.win_sums[seat] / move.visits / WHOLE_WIN)
            assert report.points[seat] == pytest.approx(move.point_sums[seat] / move.visits)


def test_best_move_first(state: State) -> None:
    for simulations in (1, 5, 40, 500):
        result = search(state, Limits(simulations=simulations), decided=False)
        assert sorted(report.move for report in result.moves) == state.legal_moves()

        def rank(report: MoveReport, seat: int = result.seat) -> tuple[float, float, int]:
            return -report.visits, -(report.value[seat] or 0), report.move

        assert list(result.moves) == sorted(result.moves, key=rank)
        assert result.best is result.moves[0]
        assert result.move == result.best.move


def test_moves_never_tried_have_no_values(state: State) -> None:
    result = search(state, Limits(simulations=1))
    first, *others = result.moves
    assert (first.visits, first.availability) == (1, 1)
    assert None not in (*first.value, *first.win_share, *first.points)
    for report in others:
        assert (report.visits, report.availability, report.line) == (0, 1, (report.move,))
        assert report.value == report.win_share == report.points == (None, None, None)


def test_shares_of_the_win_add_up_and_values_are_rewards(state: State) -> None:
    for report in search(state, Limits(simulations=500)).moves:
        assert sum(share or 0 for share in report.win_share) == pytest.approx(1 if report.visits else 0)
        assert all(0 <= (value or 0) <= 1 for value in report.value)


def test_a_state_is_not_changed_by_its_search(state: State) -> None:
    before = state.pack()
    search(state, Limits(simulations=50), workers=2)
    assert state.pack() == before


# Determinism and workers.


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_same_seed_simulations_and_workers_same_answer(state: State, workers: int) -> None:
    one, other = (search(state, Limits(simulations=400), seed=3, workers=workers) for _ in range(2))
    assert timeless(one) == timeless(other)


def test_other_seeds_and_numbers_of_workers_give_other_answers(state: State) -> None:
    found = {
        search(state, Limits(simulations=400), seed=seed, workers=workers).moves
        for seed, workers in product((1, 2**64 - 1), (1, 2, 3))
    }
    assert len(found) == 6


def test_workers_add_up_trees_of_their_own(state: State) -> None:
    result = search(state, Limits(simulations=302), seed=9, workers=3)
    trees = []
    for stream, simulations in enumerate((101, 101, 100)):
        tree = Tree(state, 9, FIRST_STREAM + stream, Parameters(), 1000)
        tree.run(simulations=simulations, decided=False)
        trees.append(tree)
    assert result.simulations == 302
    assert result.plies == sum(tree.plies for tree in trees)
    assert result.nodes == sum(tree.nodes for tree in trees)
    assert result.depth == max(tree.depth for tree in trees)
    found = {report.move: report for report in result.moves}
    for moves in zip(*(tree.root_moves() for tree in trees), strict=True):
        report = found[moves[0].move]
        assert report.visits == sum(move.visits for move in moves)
        assert report.availability == sum(move.availability for move in moves)
        assert report.line in [move.line for move in moves if move.visits == max(each.visits for each in moves)]
        for seat in range(3):
            total = sum(move.reward_sums[seat] for move in moves)
            assert report.value[seat] == pytest.approx(total / report.visits / REWARD_ONE)


@pytest.mark.parametrize("simulations", [1, 3, 8, 9])
def test_fewer_simulations_than_workers(state: State, simulations: int) -> None:
    result = search(state, Limits(simulations=simulations), workers=8)
    assert (result.simulations, result.workers, result.stopped) == (simulations, 8, "simulations")
    assert sum(report.visits for report in result.moves) == simulations
    assert result.move in state.legal_moves()


def test_a_search_by_time_can_be_repeated_by_its_simulations(state: State) -> None:
    timed = search(state, Limits(time=0.02), seed=4)
    again = search(state, Limits(simulations=timed.simulations), seed=4, decided=False)
    assert again.moves == timed.moves


CUT = Parameters(playout_turns=3, playout_choices=1)


@pytest.mark.parametrize("workers", [1, 3])
def test_playouts_that_are_cut_off(state: State, workers: int) -> None:
    limits = Limits(simulations=300)
    whole = search(state, limits, workers=workers, decided=False)
    result, again = (search(state, limits, workers=workers, parameters=CUT, decided=False) for _ in range(2))
    assert timeless(result) == timeless(again)
    assert (result.estimated, whole.estimated) == (True, False)
    assert result.simulations == sum(report.visits for report in result.moves) == 300
    assert result.plies < whole.plies / 5
    for report in result.moves:
        assert all(0 <= (value or 0) <= 1 for value in report.value)
        assert sum(share or 0 for share in report.win_share) == pytest.approx(1 if report.visits else 0)


def test_estimated_is_whether_playouts_are_cut_off_however_they_are_played(state: State) -> None:
    for turns, choices in product((0, 1, 1000), (0, 1, 3)):
        parameters = Parameters(playout_turns=turns, playout_choices=choices)
        assert search(state, Limits(simulations=2), parameters=parameters).estimated == (turns > 0)


# Parts of a search.


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize(
    "limits", [Limits(time=0.02), Limits(nodes=100), Limits(simulations=1), Limits(simulations=200)]
)
def test_any_result_can_be_had_again(state: State, limits: Limits, workers: int) -> None:
    first = search(state, limits, seed=4, workers=workers)
    again = search(state, Limits(worker_simulations=first.worker_simulations), seed=4, workers=workers)
    assert sum(first.worker_simulations) == first.simulations
    assert timeless(again) == dataclasses.replace(timeless(first), stopped="simulations")


@pytest.mark.parametrize("workers", [1, 3])
def test_reports_change_nothing(state: State, monkeypatch: pytest.MonkeyPatch, workers: int) -> None:
    """Each of them can be had again as well."""
    monkeypatch.setattr(importlib.import_module("nebula_ai.search"), "FIRST_REPORT_SECONDS", 0.001)
    told: list[Result] = []
    limits = Limits(simulations=5000)
    result = search(state, limits, seed=4, workers=workers, decided=False, reports=Reports(told.append, 0.001))
    assert timeless(result) == timeless(search(state, limits, seed=4, workers=workers, decided=False))
    assert told
    for partial in (told[0], told[-1]):
        again = search(state, Limits(worker_simulations=partial.worker_simulations), seed=4, workers=workers)
        assert partial.stopped == ""
        assert timeless(partial) == dataclasses.replace(timeless(again), stopped="")


def test_an_error_of_who_is_told_ends_the_search(state: State) -> None:
    def fail(_: Result) -> None:
        raise KeyError

    flag = CancelFlag()
    with pytest.raises(KeyError):
        search(state, Limits(time=600), decided=False, cancel=flag, reports=Reports(fail, 0.001))
    assert flag.is_set


@pytest.mark.parametrize("workers", [1, 3])
def test_some_of_the_moves(state: State, workers: int) -> None:
    legal = state.legal_moves()
    result = search(state, Limits(simulations=100), workers=workers, moves=legal[:2])
    assert {report.move for report in result.moves} == set(legal[:2])
    with pytest.raises(MoveError):
        search(state, Limits(simulations=100), workers=workers, moves=[])


@pytest.mark.parametrize(
    ("numbers", "workers", "field"),
    [
        ((), 1, "limits.worker_simulations"),
        ((1, 2), 1, "limits.worker_simulations"),
        ((1,) * 65, 64, "limits.worker_simulations"),
        ((1, -1), 2, "limits.worker_simulations[1]"),
        ((2**32,), 1, "limits.worker_simulations[0]"),
    ],
)
def test_simulations_of_workers_out_of_range(state: State, numbers: tuple[int, ...], workers: int, field: str) -> None:
    with pytest.raises(LimitError) as refused:
        search(state, Limits(worker_simulations=numbers), workers=workers)
    assert refused.value.field == field


def test_simulations_of_workers_stand_alone() -> None:
    for other in ({"simulations": 5}, {"nodes": 5}):
        with pytest.raises(LimitError, match="cannot stand beside"):
            Limits(worker_simulations=(5,), **other)


# What ends a search.


def test_limits_compose(state: State) -> None:
    assert search(state, Limits(time=86400, simulations=50, nodes=10**6), decided=False).stopped == "simulations"
    assert search(state, Limits(time=86400, simulations=10**9, nodes=50), decided=False).stopped == "nodes"
    assert search(state, Limits(time=0.01, simulations=10**9, nodes=10**6), decided=False).stopped == "time"


@pytest.mark.parametrize("workers", [1, 2, 8])
def test_nodes_are_shared_by_the_workers(state: State, workers: int) -> None:
    result = search(state, Limits(nodes=100), workers=workers, decided=False)
    assert (result.nodes, result.stopped, result.tree_full) == (100, "nodes", False)


@pytest.mark.parametrize("workers", [1, 2])
def test_however_short_the_time_each_worker_makes_a_simulation(state: State, workers: int) -> None:
    result = search(state, Limits(time=1e-9), workers=workers)
    assert (result.simulations, result.stopped) == (workers, "time")


def test_decided_is_for_a_single_worker(state: State) -> None:
    limits, greedy = Limits(simulations=1000), Parameters(exploration=0.1)
    one = search(state, limits, parameters=greedy)
    assert (one.stopped, one.simulations < 1000) == ("decided", True)
    assert search(state, limits, parameters=greedy, workers=2).stopped == "simulations"
    whole = search(state, limits, parameters=greedy, decided=False)
    assert (whole.stopped, whole.simulations, whole.move) == ("simulations", 1000, one.move)


@pytest.mark.parametrize("workers", [1, 4])
def test_forced(game: Game, workers: int) -> None:
    # Who sees none of its own cards has one move.
    state = game.new(3, seed=1).observe(1)
    (move,) = state.legal_moves()
    result = search(state, Limits(time=86400), workers=workers)
    nothing = (None, None, None)
    assert result.moves == (MoveReport(move, 0, 0, nothing, nothing, nothing, (move,)),)
    assert (result.stopped, result.simulations, result.plies, result.depth) == ("forced", 0, 0, 0)


@pytest.mark.parametrize("workers", [1, 4])
def test_cancelled_before_the_first_simulation(state: State, workers: int) -> None:
    flag = CancelFlag()
    flag.set()
    result = search(state, Limits(time=86400), workers=workers, cancel=flag)
    assert (result.stopped, result.simulations) == ("cancelled", 0)
    assert [report.move for report in result.moves] == state.legal_moves()
    assert result.move == state.legal_moves()[0]
    assert result.best.value == (None, None, None)


@pytest.mark.parametrize("workers", [1, 2])
def test_cancelled_by_another_thread(state: State, workers: int) -> None:
    flag = CancelFlag()
    timer = threading.Timer(0.05, flag.set)
    timer.start()
    result = search(state, Limits(time=86400), workers=workers, cancel=flag)
    assert result.stopped == "cancelled"
    assert sum(report.visits for report in result.moves) == result.simulations
    assert result.move in state.legal_moves()


@pytest.mark.parametrize("workers", [1, 2])
def test_in_another_thread(state: State, workers: int) -> None:
    """Other threads than the main one search by themselves if they can: the result is the same, and they can be
    cancelled."""
    limits = Limits(simulations=100)
    here = search(state, limits, seed=3, workers=workers)
    with ThreadPoolExecutor(1) as pool:
        there = pool.submit(search, state, limits, seed=3, workers=workers).result()
        assert dataclasses.replace(there, seconds=here.seconds) == here
        flag = CancelFlag()
        endless = pool.submit(search, state, Limits(time=86400), workers=workers, cancel=flag)
        time.sleep(0.05)
        flag.set()
        assert endless.result().stopped == "cancelled"


def test_interrupted_by_the_keyboard(state: State) -> None:
    flag = CancelFlag()
    main = threading.main_thread().ident
    assert main == threading.get_ident()

    def interrupt() -> None:
        while not any(thread.name.startswith("search") for thread in threading.enumerate()):
            time.sleep(0.001)
        time.sleep(0.05)
        signal.pthread_kill(main, signal.SIGINT)

    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        search(state, Limits(time=86400), cancel=flag)
    assert flag.is_set


@pytest.fixture(scope="module")
def certain(tmp_path_factory: pytest.TempPathFactory) -> Table:
    """An edition in which no card is hidden."""
    return certain_edition(tmp_path_factory.mktemp("edition"))


@pytest.mark.parametrize("workers", [1, 3])
def test_exhausted(certain: Table, workers: int) -> None:
    root = last_turns(certain, **SMALL["a star and a black hole"])
    limits = Limits(simulations=10_000 * workers)
    result = search(root, limits, workers=workers, parameters=Parameters(exploration=10))
    assert result.stopped == "exhausted"
    assert sum(report.visits for report in result.moves) == result.simulations < 10_000 * workers
    end = root
    for move in result.best.line:
        end = end.apply(move)
    assert end.outcome() == (list(result.best.points), list(result.best.win_share))


def test_exact_values_count_before_visits() -> None:
    def move(number: int, visits: int, value: int) -> RootMove:
        return RootMove(number, visits, visits, (0, visits * value), (0, 0), (0, 0), (number,))

    trees = [[move(1, 9, 10), move(2, 5, 20), move(3, 6, 20), move(4, 5, 20)]]
    assert [report.move for report in best_first(trees, 1, exact=True)] == [3, 2, 4, 1]
    assert [report.move for report in best_first(trees, 1, exact=False)] == [1, 3, 2, 4]
    trees.append([move(1, 0, 0), move(2, 1, 20), move(3, 0, 0), move(4, 1, 20)])
    assert [report.move for report in best_first(trees, 1, exact=True)] == [2, 3, 4, 1]


def test_a_worker_that_knows_all_needs_no_others(certain: Table) -> None:
    root = last_turns(certain, **SMALL["two stars"])
    parameters = Parameters(exploration=2)
    needed = []
    for stream in range(4):
        tree = Tree(root, 1, FIRST_STREAM + stream, parameters, 10_000)
        tree.run(simulations=10_000, decided=False)
        needed.append(tree.simulations)
    # So many for each that not every worker comes to the end.
    each = sorted(needed)[1]
    assert each < max(needed)
    result = search(root, Limits(simulations=4 * each), seed=1, workers=4, parameters=parameters)
    assert result.stopped == "exhausted"
    assert result.simulations == sum(number for number in needed if number <= each)


def test_states_in_which_nobody_decides(game: Game, state: State) -> None:
    with pytest.raises(ChancePending):
        search(game.start(2), Limits(simulations=1))
    generator = Generator(1)
    while not state.finished:
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    with pytest.raises(GameFinished):
        search(state, Limits(simulations=1))


# Memory.


@pytest.mark.parametrize(("workers", "nodes"), [(1, 64), (2, 64), (3, 63)])
def test_the_workers_share_the_memory(state: State, workers: int, nodes: int) -> None:
    result = search(state, Limits(simulations=1000), workers=workers, memory_nodes=64, decided=False)
    assert (result.simulations, result.nodes, result.tree_full) == (1000, nodes, True)
    assert sum(report.visits for report in result.moves) == 1000


def test_less_memory_than_workers(state: State) -> None:
    result = search(state, Limits(simulations=100), workers=4, memory_nodes=1)
    assert (result.simulations, result.nodes, result.tree_full) == (100, 4, True)


# Bad input.


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        *product(["time"], [0, 0.0, -1, 86400.1, math.inf, math.nan, "1", True, 10**400]),
        *product(["simulations"], [0, -5, 2**32, 10**400, 1.0, "9", True, math.nan]),
        *product(["nodes"], [0, -5, 2**31 + 1, 2.5, [], False]),
    ],
)
def test_limits_out_of_range(limit: str, value: Any) -> None:
    with pytest.raises(LimitError) as refused:
        Limits(**{limit: value})
    assert refused.value.field == f"limits.{limit}"


def test_no_limits() -> None:
    with pytest.raises(LimitError) as refused:
        Limits()
    assert refused.value.field == "limits"


def test_the_largest_limits() -> None:
    Limits(time=86400, simulations=2**32 - 1, nodes=2**31)


@pytest.mark.parametrize(
    ("argument", "value"),
    [
        *product(["workers"], [0, -1, 65, 1.0, "2", None, True]),
        *product(["seed"], [-1, 2**64, 1.0, "2", None, True]),
        *product(["memory_nodes"], [0, -1, 2**31 + 1, 1.0, None, True]),
    ],
)
def test_arguments_out_of_range(state: State, argument: str, value: Any) -> None:
    with pytest.raises(LimitError) as refused:
        search(state, Limits(simulations=1), **{argument: value})
    assert refused.value.field == argument


# Parameters.


def test_equal_parameters_have_equal_hashes(state: State) -> None:
    hashes = [
        search(state, Limits(simulations=1), parameters=parameters).parameters_hash
        for parameters in (None, Parameters(), Parameters(exploration=0.70001), Parameters(win_weight=0.7), CUT)
    ]
    assert hashes[0] == hashes[1]
    assert len(set(hashes)) == 4
    assert all(len(each) == 12 and int(each, 16) >= 0 for each in hashes)


@pytest.mark.parametrize("first", [0, 1])
def test_the_search_beats_random_moves(game: Game, first: int) -> None:
    # Always the same game: everything comes from seeds.
    generator = Generator(first)
    state = game.new(2, seed=first)
    number = 0
    while not state.finished:
        number += 1
        if state.seat == first:
            move = search(state, Limits(simulations=100), seed=number).move
        else:
            move = state.random_move(generator)
        state = state.apply(move).settle(generator)[0]
    points, _ = state.outcome()
    assert points[first] > 2 * points[1 - first]
    assert game.winners(state) == [first]
