"""Searching for a move: limits in, an analysis of every legal move out. Knows no game by name.

Each worker has a thread, a tree and a generator of its own (but one alone may search in the caller's thread); what they
found out about the moves of the root is added up. With the same state, seed, simulations, workers and parameters the
result is the same on every machine, but for its time.
"""

import hashlib
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass

from nebula_ai import __version__
from nebula_ai.errors import LimitError
from nebula_core.face import State
from nebula_core.search.tree import REWARD_ONE, WHOLE_WIN, CancelFlag, Parameters, RootMove, StopRule, Tree

MAX_SECONDS = 86_400.0
MAX_SIMULATIONS = 2**32 - 1
MAX_NODES = 2**31
MAX_WORKERS = 64

FIRST_STREAM = 1 << 32
"""The stream of a seed that the first worker draws from, the next ones from those after it: who deals from the same
seed deals from another stream, and no search draws the numbers that dealt its cards."""

MEMORY_NODES = 1 << 22
"""Nodes that the trees of a search may hold together, unless it is told otherwise: 256 MB."""

FIRST_REPORT_SECONDS = 0.05
"""When a search that is watched reports for the first time, at the latest: so soon that it seems to be at once."""

PRECEDENCE = (
    StopRule.CANCELLED,
    StopRule.FORCED,
    StopRule.EXHAUSTED,
    StopRule.DECIDED,
    StopRule.NODES,
    StopRule.SIMULATIONS,
    StopRule.TIME,
)
"""The order in which the rules are asked; of workers that ended by different rules, the first of these is named."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a search may use up; it ends at the first limit that it reaches. One at least must be given.

    Raises LimitError.
    """

    time: float | None = None
    """In seconds from the call: more than 0, at most a day. However short it is, each worker makes one simulation."""
    simulations: int | None = None
    """Of all workers together: 1 to 2**32 - 1."""
    nodes: int | None = None
    """In the trees of all workers together: 1 to 2**31. Simulations that find no node to add use them up as well."""
    worker_simulations: tuple[int, ...] | None = None
    """Of each worker by itself, 0 to 2**32 - 1, in place of simulations and nodes: those of an earlier `Result`, to
    have it again."""

    def __post_init__(self) -> None:
        """Refuse what is out of range, naming the limit."""
        given = (self.time, self.simulations, self.nodes, self.worker_simulations)
        if all(limit is None for limit in given):
            raise LimitError("limits", "must have a time, a number of simulations, or a number of nodes")
        # A comparison with a NaN is false.
        if self.time is not None and not (is_number(self.time) and 0 < self.time <= MAX_SECONDS):
            raise LimitError("limits.time", f"must be more than 0 and at most {MAX_SECONDS:g} seconds")
        if self.simulations is not None:
            check_whole("limits.simulations", self.simulations, 1, MAX_SIMULATIONS)
        if self.nodes is not None:
            check_whole("limits.nodes", self.nodes, 1, MAX_NODES)
        if self.worker_simulations is not None:
            if self.simulations is not None or self.nodes is not None:
                raise LimitError("limits.worker_simulations", "cannot stand beside simulations or nodes")
            if not 1 <= len(self.worker_simulations) <= MAX_WORKERS:
                raise LimitError("limits.worker_simulations", f"must be 1 to {MAX_WORKERS} numbers")
            for worker, simulations in enumerate(self.worker_simulations):
                check_whole(f"limits.worker_simulations[{worker}]", simulations, 0, MAX_SIMULATIONS)


@dataclass(frozen=True, slots=True)
class MoveReport:
    """What a search found out about one legal move.

    `value`, `win_share` and `points` are by seat, each number from that seat's point of view; None if the move was
    never tried.
    """

    move: int
    visits: int
    """Simulations that began with this move."""
    availability: int
    """Simulations in which it could have been made, given what they took the hidden cards to be."""
    value: tuple[float | None, ...]
    """Mean reward, 0 to 1: what the search maximises (see `nebula_core.search.tree.Parameters`)."""
    win_share: tuple[float | None, ...]
    """Mean share of the win, 0 to 1; see `Result.estimated`."""
    points: tuple[float | None, ...]
    """Mean final points; see `Result.estimated`."""
    line: tuple[int, ...]
    """This move and the most visited one after it, and so on. After a chance event a move of it need not be legal."""


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of a search, or what it has found so far. Counts are those of all workers."""

    seat: int
    """Whose decision it is."""
    moves: tuple[MoveReport, ...]
    """Every move that the search could choose, best first: most visits, then the higher value for `seat`, then the
    lower number. If the search was exhausted the values are exact, and count before the visits."""
    simulations: int
    plies: int
    """Decisions made in all simulations, in the tree and in playouts."""
    depth: int
    """Of the deepest node."""
    nodes: int
    seconds: float
    seed: int
    workers: int
    """As asked for; where there are fewer simulations or nodes than workers, some had nothing to do."""
    worker_simulations: tuple[int, ...]
    """Simulations of each worker that had something to do. As a limit they bring the same result again, whatever ended
    this search."""
    stopped: str
    """The rule that ended the search: ``cancelled``, ``forced``, ``exhausted``, ``decided``, ``nodes``,
    ``simulations`` or ``time``; empty as long as it goes on."""
    tree_full: bool
    """Whether a tree had no memory left for a node."""
    estimated: bool
    """Whether playouts were cut off: `points` are then those promised where they were cut, and `win_share` the share of
    leading there. An exhausted search is exact all the same."""
    engine_version: str
    parameters_hash: str
    """12 hexadecimal digits; equal parameters, equal hashes."""

    @property
    def best(self) -> MoveReport:
        """The move to make, and what was found out about it."""
        return self.moves[0]

    @property
    def move(self) -> int:
        """The move to make: a legal one, whatever the limits."""
        return self.moves[0].move


@dataclass(frozen=True, slots=True)
class Reports:
    """Somebody who wants to know what a search has found so far."""

    tell: Callable[[Result], None]
    """Called in the thread that called `search`, which waits meanwhile. What the search finds does not depend on it."""
    interval: float
    """Seconds of searching from one report to the next; the first one comes sooner if this is long."""


def search(
    state: State,
    limits: Limits,
    *,
    seed: int = 0,
    workers: int = 1,
    parameters: Parameters | None = None,
    moves: Collection[int] | None = None,
    memory_nodes: int = MEMORY_NODES,
    cancel: CancelFlag | None = None,
    decided: bool = True,
    reports: Reports | None = None,
) -> Result:
    """Searches for the seat that has to decide, using nothing of `state` that this seat does not see.

    `seed`: 0 to 2**64 - 1. `workers`: 1 to 64; they share simulations, nodes and memory evenly. `memory_nodes`: nodes
    that memory is taken for at most, 1 to 2**31; when they are used up the search goes on with the trees that it has.
    `parameters`: None for the default ones, with which the bot `plain` searches; a game's best bot has others.
    `moves`: the legal moves among which to choose, as this seat knows them; None for all. `cancel`: ends the search
    within milliseconds once it is set, with what has been found by then; before the first simulation that is the first
    move and no values. `decided`: whether a single worker ends as soon as the rest of its simulations or time cannot
    change the most visited move; several never do, because each knows only its own visits. `reports`: who is told of
    partial results.

    Raises LimitError, MoveError (field ``moves``), GameFinished, ChancePending, MemoryError.
    """
    start = time.monotonic()
    check_whole("workers", workers, 1, MAX_WORKERS)
    check_whole("memory_nodes", memory_nodes, 1, MAX_NODES)
    parameters = Parameters() if parameters is None else parameters
    simulations = simulations_of_each(limits, workers)
    active = len(simulations)
    nodes = shares(limits.nodes, active)
    trees = [
        Tree(
            state,
            seed,
            FIRST_STREAM + worker,
            parameters,
            capacity(max(1, memory_nodes // active), simulations[worker], nodes[worker]),
            moves,
        )
        for worker in range(active)
    ]
    flag = CancelFlag() if cancel is None else cancel

    def run(worker: int, pause: CancelFlag) -> StopRule:
        return trees[worker].run(
            simulations=simulations[worker],
            seconds=None if limits.time is None else max(0.0, start + limits.time - time.monotonic()),
            nodes=nodes[worker],
            cancel=flag,
            pause=pause,
            decided=decided and workers == 1 and limits.worker_simulations is None,
        )

    def found(ended: Mapping[int, StopRule], stopped: str) -> Result:
        exhausted = [trees[worker] for worker, rule in ended.items() if rule is StopRule.EXHAUSTED]
        # Workers that know every line to its end need no help from those that do not.
        used = exhausted or trees
        seat = state.seat
        assert seat is not None, "a tree has been made, so a seat has to decide"
        return Result(
            seat=seat,
            moves=best_first([tree.root_moves() for tree in used], seat, exact=bool(exhausted)),
            simulations=sum(tree.simulations for tree in used),
            plies=sum(tree.plies for tree in used),
            depth=max(tree.depth for tree in used),
            nodes=sum(tree.nodes for tree in used),
            seconds=time.monotonic() - start,
            seed=seed,
            workers=workers,
            worker_simulations=tuple(tree.simulations for tree in trees),
            stopped=stopped,
            tree_full=any(tree.full for tree in used),
            estimated=parameters.as_dict()["playout_turns"] > 0,
            engine_version=__version__,
            parameters_hash=parameters_hash(parameters),
        )

    if active == 1 and reports is None and threading.current_thread() is not threading.main_thread():
        # Nobody is told anything meanwhile, and only the main thread can be interrupted: the worker needs no thread of
        # its own, which would cost tenths of a millisecond.
        rule = run(0, CancelFlag())
        return found({0: rule}, rule.name.lower())

    # By worker, once a rule has ended it.
    ended: dict[int, StopRule] = {}
    seconds = None if reports is None else min(reports.interval, FIRST_REPORT_SECONDS)
    # A single worker has a thread of its own as well, so that the main thread can be interrupted.
    with ThreadPoolExecutor(active, thread_name_prefix="search") as pool:
        try:
            while True:
                pause = CancelFlag()
                running = {worker: pool.submit(run, worker, pause) for worker in range(active) if worker not in ended}
                wait(running.values(), seconds)
                pause.set()
                rules = {worker: future.result() for worker, future in running.items()}
                ended |= {worker: rule for worker, rule in rules.items() if rule is not StopRule.PAUSED}
                if len(ended) == active:
                    break
                assert reports is not None, "nobody else makes a search pause"
                reports.tell(found(ended, ""))
                seconds = reports.interval
        except BaseException:
            flag.set()
            raise
    rule = StopRule.EXHAUSTED if StopRule.EXHAUSTED in ended.values() else min(ended.values(), key=PRECEDENCE.index)
    return found(ended, rule.name.lower())


def simulations_of_each(limits: Limits, workers: int) -> Sequence[int | None]:
    """The simulations of each worker that has something to do; None for as many as it likes. Raises LimitError."""
    if limits.worker_simulations is None:
        return shares(limits.simulations, min(workers, limits.simulations or workers, limits.nodes or workers))
    if len(limits.worker_simulations) > workers:
        raise LimitError("limits.worker_simulations", f"must be at most {workers}, as many as there are workers")
    return limits.worker_simulations


def shares(total: int | None, workers: int) -> list[int | None]:
    """`total` divided among workers, the first ones taking what is left over."""
    if total is None:
        return [None] * workers
    return [total // workers + (worker < total % workers) for worker in range(workers)]


def capacity(most: int, simulations: int | None, nodes: int | None) -> int:
    """The nodes that a tree needs room for: a simulation adds one at most, and a run ends at its number of nodes."""
    return min(most, MAX_NODES if simulations is None else simulations + 1, nodes or MAX_NODES)


def best_first(trees: Sequence[Sequence[RootMove]], seat: int, exact: bool) -> tuple[MoveReport, ...]:
    """The reports of the root's moves in the order of `Result.moves`, from the root moves of each tree."""
    merged = [merge(of_trees) for of_trees in zip(*trees, strict=True)]

    def rank(move: RootMove) -> tuple[int, int, int]:
        reward = move.reward_sums[seat]
        # The sums of an exact move are a multiple of its visits.
        return (-reward // move.visits, -move.visits, move.move) if exact else (-move.visits, -reward, move.move)

    return tuple(report(move) for move in sorted(merged, key=rank))


def merge(moves: Sequence[RootMove]) -> RootMove:
    """What several trees found out about one move; the line is that of the tree with most visits of it."""
    if len(moves) == 1:
        return moves[0]
    return RootMove(
        move=moves[0].move,
        visits=sum(move.visits for move in moves),
        availability=sum(move.availability for move in moves),
        reward_sums=added([move.reward_sums for move in moves]),
        win_sums=added([move.win_sums for move in moves]),
        point_sums=added([move.point_sums for move in moves]),
        line=max(moves, key=lambda move: move.visits).line,
    )


def added(sums: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Sums by seat, added up."""
    return tuple(map(sum, zip(*sums, strict=True)))


def report(move: RootMove) -> MoveReport:
    """Means instead of sums."""
    return MoveReport(
        move=move.move,
        visits=move.visits,
        availability=move.availability,
        value=means(move.reward_sums, REWARD_ONE * move.visits),
        win_share=means(move.win_sums, WHOLE_WIN * move.visits),
        points=means(move.point_sums, move.visits),
        line=move.line,
    )


def means(sums: tuple[int, ...], divisor: int) -> tuple[float | None, ...]:
    """The sums divided; None for each if there is nothing to divide by."""
    return tuple([number / divisor if divisor else None for number in sums])


def parameters_hash(parameters: Parameters) -> str:
    """12 hexadecimal digits of a checksum over the names and values of all parameters."""
    text = "".join(f"{name}={float(value).hex()}\n" for name, value in parameters.as_dict().items())
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def rest_of_turn(seen: State, line: Sequence[int]) -> tuple[tuple[int, ...], State]:
    """The moves of a line that belong to the turn that is under way in `seen`, and the state after them.

    `seen` is what the seat that has to decide sees, and the line begins with a legal move. They end where the seat's
    turn does, where chance decides, or where the seat cannot be sure that the next move is legal.
    """
    state = seen
    for place, move in enumerate(line):
        if state.seat != seen.seat or move not in state.legal_moves():
            return tuple(line[:place]), state
        state = state.apply(move)
    return tuple(line), state


def is_number(value: object) -> bool:
    """Whether this is a number; True and False are none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def check_whole(field: str, value: object, low: int, high: int) -> None:
    """Raises LimitError unless `value` is a whole number from `low` to `high`."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise LimitError(field, f"must be a whole number from {low} to {high}")
