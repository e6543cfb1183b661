"""The search tree: single-observer information-set Monte-Carlo tree search (Cowling, Powley, Whitehouse 2012), max^n.

Reads top to bottom: how the tree is walked and grown, what is known of lines that end in it, one simulation and a run
of them, the report; then the tree as Python sees it. Knows games only through game.pxd. What stands before the Python
classes runs without the GIL, allocates nothing, and no function of it calls itself.
"""

import operator
from enum import IntEnum
from typing import NamedTuple

from libc.math cimport sqrt
from libc.stdint cimport INT32_MIN, int32_t, int64_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy
from posix.mman cimport MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_READ, PROT_WRITE, mmap, munmap

from nebula_core.face cimport State, holds_at_compile_time
from nebula_core.game cimport CHANCE, FINISHED, MAX_PLAYERS, MAX_STATE_WORDS, WHOLE_WIN as WHOLE_WIN_PARTS, Game, move_t
from nebula_core.rng cimport Rng, below, seed_rng
from nebula_core.search cimport stop
from nebula_core.search.logarithm cimport ln
from nebula_core.search.parameters cimport (
    MAX_DEPTH, MAX_PLAYOUT_CHOICES, MAX_PLAYOUT_TURNS, REWARD_ONE as REWARD_ONE_PARTS, estimated_rewards,
    rewards_of
)
from nebula_core.search.stop cimport GO_ON, MAX_SIMULATIONS, RunLimits, load, monotonic, rule_that_fires, store

from nebula_core.errors import ChancePending, GameFinished, LimitError, MoveError

cdef extern from *:
    """
    #include <assert.h>
    """
    # Checked in the checked build.
    void check "assert"(bint condition) noexcept nogil

cdef enum:
    # Availabilities below this have their logarithm ready: 16 KB, of which a search reads a few lines often.
    SQRT_LN_SIZE = 2048

# sqrt(ln(n)); constant once the module is loaded.
cdef double[SQRT_LN_SIZE] SQRT_LN


cdef void fill_sqrt_ln() noexcept:
    cdef int n
    holds_at_compile_time(sizeof(Node) == 64)
    for n in range(1, SQRT_LN_SIZE):
        SQRT_LN[n] = sqrt(ln(n))


fill_sqrt_ln()

# --- The way down the tree ---------------------------------------------------------------------------------------


cdef inline double sqrt_ln(uint32_t n) noexcept nogil:
    """sqrt(ln(n)), n from 1."""
    return SQRT_LN[n] if n < SQRT_LN_SIZE else sqrt(ln(n))


cdef int keep_root_moves(Search* search, int count) noexcept nogil:
    """Of the `count` moves legal in this sample those that the root has; returns how many.

    Counts them as available.
    """
    cdef RootStatistics* known = search.root_statistics
    cdef move_t* moves = search.moves
    cdef int kept = 0
    cdef int i = 0
    cdef int j = 0
    while i < count and j < search.progress.root_moves:
        if moves[i] < known[j].move:
            i += 1
        elif moves[i] > known[j].move:
            j += 1
        else:
            known[j].availability += 1
            moves[kept] = moves[i]
            kept += 1
            i += 1
            j += 1
    return kept


cdef int root_index(const Search* search, move_t move) noexcept nogil:
    """Which of the root's moves this is."""
    cdef int low = 0
    cdef int high = search.progress.root_moves - 1
    cdef int middle
    while low < high:
        middle = (low + high) // 2
        if search.root_statistics[middle].move < move:
            low = middle + 1
        else:
            high = middle
    check(search.root_statistics[low].move == move)
    return low


cdef uint32_t new_node(Search* search, uint32_t parent, uint32_t after, move_t move) noexcept nogil:
    """A child without visits, put into its parent's list behind the sibling `after`, or first. The arena has room."""
    cdef uint32_t index = search.progress.nodes
    cdef Node* node = &search.arena[index]
    cdef uint32_t* link = &search.arena[after].sibling if after != NONE else &search.arena[parent].first_child
    cdef int seat
    check(index < search.capacity)
    search.progress.nodes += 1
    for seat in range(MAX_PLAYERS):
        node.rewards[seat] = 0
    node.inverse_sqrt = 0
    node.move = move
    node.visits = 0
    node.availability = 1
    node.first_child = NONE
    node.sibling = link[0]
    node.solved = False
    link[0] = index
    return index


cdef uint32_t select(Search* search, uint32_t parent, int mover, int count, move_t* chosen) noexcept nogil:
    """The child where the simulation goes on, and its move, one of the `count` in `search.moves`.

    While some of them have no child, one of these gets it: each as likely as any other. Otherwise it is the child with
    the greatest

        mean reward of the mover + exploration * sqrt(ln(availability) / visits)

    and the lowest move among equals. In a full arena, a node that would need a child is where the simulation leaves the
    tree: NONE, with a random move.
    """
    cdef Node* arena = search.arena
    cdef Node* node
    cdef uint32_t child = arena[parent].first_child
    cdef uint32_t before = NONE
    cdef uint32_t best = NONE
    cdef uint32_t untried = 0
    cdef uint32_t choice
    # Siblings are mostly as available as each other: the logarithm is looked up once for all of them.
    cdef uint32_t availability = 0
    cdef double exploration = 0
    cdef double score
    cdef double best_score = -1
    cdef move_t move
    cdef int i
    for i in range(count):
        move = search.moves[i]
        while child != NONE and arena[child].move < move:
            before = child
            child = arena[child].sibling
        if child == NONE or arena[child].move != move:
            search.untried[untried] = move
            search.untried_after[untried] = before
            untried += 1
            continue
        node = &arena[child]
        node.availability += 1
        if untried == 0:
            if node.availability != availability:
                availability = node.availability
                exploration = search.exploration * sqrt_ln(availability)
            # The formula above, with 1 / sqrt(visits) factored out: no division and no root for a child.
            score = node.inverse_sqrt * (node.inverse_sqrt * <double>node.rewards[mover] + exploration)
            if score > best_score:
                best_score = score
                best = child
        before = child
        child = node.sibling
    if untried == 0:
        chosen[0] = arena[best].move
        return best
    if search.progress.nodes == search.capacity:
        search.full = True
        chosen[0] = search.moves[below(&search.rng, <uint32_t>count)]
        return NONE
    choice = below(&search.rng, untried)
    chosen[0] = search.untried[choice]
    return new_node(search, parent, search.untried_after[choice], chosen[0])


# --- Lines that are known to their end ---------------------------------------------------------------------------


cdef uint32_t best_solved_child(const Node* arena, uint32_t parent, int mover) noexcept nogil:
    """Of the children, all of them solved, the one that is worth most to the mover; the lowest move among equals."""
    cdef uint32_t child = arena[parent].first_child
    cdef uint32_t best = child
    cdef int64_t best_value = -1
    cdef int64_t value
    while child != NONE:
        check(arena[child].solved)
        # Without remainder: see Node.
        value = arena[child].rewards[mover] // arena[child].visits
        if value > best_value:
            best_value = value
            best = child
        child = arena[child].sibling
    return best


cdef void solve_upwards(Search* search, int depth) noexcept nogil:
    """Passes on that the node at this depth of the path is solved: a parent is when all its legal moves are."""
    cdef Node* arena = search.arena
    cdef Node* node
    cdef const Node* best
    cdef uint32_t child
    cdef int solved
    cdef int seat
    while depth > 0:
        depth -= 1
        node = &arena[search.path[depth]]
        solved = 0
        child = node.first_child
        while child != NONE:
            solved += arena[child].solved
            child = arena[child].sibling
        if solved < search.legal_counts[depth]:
            return
        best = &arena[best_solved_child(arena, search.path[depth], search.movers[depth])]
        for seat in range(search.players):
            node.rewards[seat] = best.rewards[seat] // best.visits * node.visits
        node.solved = True
        if search.path[depth] == ROOT:
            search.progress.solved = True


cdef int follow_solution(const Search* search, uint32_t node, void* state, Rng* rng, move_t* line) noexcept nogil:
    """Plays best from a solved node, where `state` is, to the end of the game.

    Returns how many moves that took, MAX_DEPTH at most, and writes them to `line`.
    """
    cdef const Game* game = &search.game
    cdef int moves = 0
    cdef int mover = game.status(game.tables, state)
    while mover != FINISHED:
        node = best_solved_child(search.arena, node, mover)
        line[moves] = search.arena[node].move
        game.apply(game.tables, state, line[moves])
        # Draws only what can come out in one way.
        game.settle(game.tables, state, rng)
        moves += 1
        mover = game.status(game.tables, state)
    return moves


# --- One simulation ----------------------------------------------------------------------------------------------


cdef move_t playout_move(Search* search, int mover) noexcept nogil:
    """The move that a playout makes in `search.state`, where `mover` has to decide."""
    cdef const Game* game = &search.game
    cdef uint32_t choices = search.parameters.playout_choices
    cdef uint64_t[MAX_STATE_WORDS] after
    cdef int32_t promised
    cdef int32_t most
    cdef move_t best
    cdef move_t move
    cdef uint32_t _i
    if choices == 0:
        return game.random_move(game.tables, search.state, &search.rng)
    best = game.sensible_move(game.tables, search.state, &search.rng)
    most = INT32_MIN  # of the best one it is only asked once there is another
    for _i in range(1, choices):
        move = game.sensible_move(game.tables, search.state, &search.rng)
        if move == best:
            continue
        if most == INT32_MIN:
            memcpy(after, search.state, game.state_size)
            game.apply(game.tables, after, best)
            most = game.estimate(game.tables, after, mover)
        memcpy(after, search.state, game.state_size)
        game.apply(game.tables, after, move)
        promised = game.estimate(game.tables, after, mover)
        if promised > most:
            most = promised
            best = move
    return best


cdef bint play_out(Search* search, int mover, uint32_t turns) noexcept nogil:
    """Moves of a playout from `search.state` on; whether to the game's end, or only for `playout_turns`.

    `mover`: who made the last move. `turns`: how often the decision had passed on before it, since the root.
    """
    cdef const Game* game = &search.game
    cdef void* state = search.state
    cdef int status = game.status(game.tables, state)
    cdef move_t move
    while status != FINISHED:
        if status != mover:
            mover = status
            turns += 1
            if search.parameters.playout_turns and turns >= search.parameters.playout_turns:
                return False
        move = playout_move(search, status)
        game.apply(game.tables, state, move)
        game.settle(game.tables, state, &search.rng)
        search.plies += 1
        status = game.status(game.tables, state)
    return True


cdef void count_root_move(
    Search* search, int index, const int64_t* rewards, const int32_t* win_shares, const int32_t* points
) noexcept nogil:
    """Adds a simulation to the statistics of the root move that it began with."""
    cdef RootStatistics* move = &search.root_statistics[index]
    cdef Progress* progress = &search.progress
    cdef int seat
    move.visits += 1
    for seat in range(search.players):
        move.rewards[seat] += rewards[seat]
        move.win_shares[seat] += win_shares[seat]
        move.points[seat] += points[seat]
    if index == search.leader or move.visits > progress.leader_visits:
        # Who overtakes the leader was the runner-up, with as many visits as the leader still has.
        progress.leader_visits = move.visits
        search.leader = index
    elif move.visits > progress.runner_up_visits:
        progress.runner_up_visits = move.visits


cdef void simulate(Search* search) noexcept nogil:
    """One simulation. It adds one node at most."""
    cdef const Game* game = &search.game
    cdef Node* arena = search.arena
    cdef Node* node
    cdef void* state = search.state
    cdef int32_t[MAX_PLAYERS] points
    cdef int32_t[MAX_PLAYERS] win_shares
    cdef int64_t[MAX_PLAYERS] rewards
    cdef int32_t[MAX_PLAYERS] parts
    cdef move_t[MAX_DEPTH] line
    cdef uint32_t nodes = search.progress.nodes
    cdef uint32_t child = ROOT
    cdef int depth = 0
    cdef int root_move = 0
    cdef int status
    cdef int mover = search.seat
    cdef uint32_t turns = 0
    cdef int count
    cdef int seat
    cdef int i
    cdef move_t move
    # Whether everything so far could only be as it is: nothing hidden, no chance.
    cdef bint certain
    # Whether the game is, in this simulation.
    cdef bint finished

    search.progress.simulations += 1
    memcpy(state, search.root, game.state_size)
    certain = game.determinize(game.tables, state, search.seat, &search.rng) == 0
    search.path[0] = ROOT
    status = game.status(game.tables, state)
    # Down, until the game is finished or solved, a node is new, or the way leaves the tree.
    while status != FINISHED and not arena[child].solved and <uint32_t>depth < search.parameters.max_depth:
        count = game.legal(game.tables, state, search.moves)
        if depth == 0:
            count = keep_root_moves(search, count)
            if count == 0:
                # Of what the seat thinks it can do it can do nothing in this sample: it tells nothing about any move.
                return
        if status != mover:
            mover = status
            turns += 1
        search.movers[depth] = status
        search.legal_counts[depth] = count
        child = select(search, search.path[depth], status, count, &move)
        if depth == 0:
            root_move = root_index(search, move)
        game.apply(game.tables, state, move)
        certain = game.settle(game.tables, state, &search.rng) == 0 and certain
        search.plies += 1
        status = game.status(game.tables, state)
        if child == NONE:
            break
        depth += 1
        search.path[depth] = child
        if search.progress.nodes > nodes:
            break
    if child != NONE and arena[child].solved:
        search.plies += follow_solution(search, child, state, &search.rng, line)
        finished = True
    else:
        finished = play_out(search, mover, turns)

    # Up again.
    if finished:
        game.outcome(game.tables, state, points, win_shares)
        rewards_of(&search.parameters, game.decisive_lead, search.players, points, win_shares, rewards)
    else:
        for seat in range(search.players):
            parts[seat] = game.estimate(game.tables, state, seat)
        estimated_rewards(game.decisive_lead, search.players, parts, points, win_shares, rewards)
    for i in range(depth + 1):
        node = &arena[search.path[i]]
        node.visits += 1
        node.inverse_sqrt = 1 / sqrt(<double>node.visits)
        for seat in range(search.players):
            node.rewards[seat] += rewards[seat]
    count_root_move(search, root_move, rewards, win_shares, points)
    search.depth = max(search.depth, <uint32_t>depth)
    if certain and status == FINISHED and child != NONE and not arena[child].solved:
        arena[child].solved = True
        solve_upwards(search, depth)


cdef int run(Search* search, const RunLimits* limits) noexcept nogil:
    """Simulations until a rule fires; returns which."""
    cdef Progress* progress = &search.progress
    cdef int64_t start = monotonic() if limits.nanoseconds else 0
    cdef int64_t timed_before = progress.timed
    cdef int rule
    progress.elapsed = 0
    while True:
        rule = rule_that_fires(limits, progress)
        if rule != GO_ON:
            return rule
        simulate(search)
        if limits.nanoseconds:
            progress.elapsed = monotonic() - start
            progress.timed = timed_before + progress.elapsed
            progress.timed_simulations += 1


# --- What came out -----------------------------------------------------------------------------------------------


cdef int most_visited_line(const Search* search, uint32_t node, move_t* line) noexcept nogil:
    """From a node on, the most visited child (the lowest move among equals), and so on; returns how many moves."""
    cdef const Node* arena = search.arena
    cdef uint32_t child
    cdef int moves = 0
    while arena[node].first_child != NONE:
        child = arena[node].first_child
        node = child
        while child != NONE:
            if arena[child].visits > arena[node].visits:
                node = child
            child = arena[child].sibling
        line[moves] = arena[node].move
        moves += 1
    return moves


cdef int report_root_move(const Search* search, int index, RootStatistics* report, move_t* line) noexcept nogil:
    """The statistics of a root move, and how the game goes on after it: writes that line and returns its length.

    Of a solved move the sums are exact: `visits` times what it leads to.
    """
    cdef const Game* game = &search.game
    cdef const Node* arena = search.arena
    cdef uint64_t[MAX_STATE_WORDS] state
    cdef int32_t[MAX_PLAYERS] points
    cdef int32_t[MAX_PLAYERS] win_shares
    cdef uint32_t node = arena[ROOT].first_child
    cdef int moves
    cdef int seat
    # A report draws nothing that could come out in two ways, and must not disturb the search's own generator.
    cdef Rng rng = search.rng
    report[0] = search.root_statistics[index]
    while node != NONE and arena[node].move != report.move:
        node = arena[node].sibling
    if node == NONE:
        return 0
    if not arena[node].solved:
        return most_visited_line(search, node, line)
    memcpy(state, search.root, game.state_size)
    game.determinize(game.tables, state, search.seat, &rng)
    game.apply(game.tables, state, report.move)
    game.settle(game.tables, state, &rng)
    moves = follow_solution(search, node, state, &rng, line)
    game.outcome(game.tables, state, points, win_shares)
    rewards_of(&search.parameters, game.decisive_lead, search.players, points, win_shares, report.rewards)
    for seat in range(search.players):
        report.rewards[seat] *= report.visits
        report.win_shares[seat] = <int64_t>win_shares[seat] * report.visits
        report.points[seat] = <int64_t>points[seat] * report.visits
    return moves


# --- The face ----------------------------------------------------------------------------------------------------

REWARD_ONE = REWARD_ONE_PARTS
WHOLE_WIN = WHOLE_WIN_PARTS
NODE_BYTES = sizeof(Node)

MAX_CAPACITY = 1 << 31
MAX_SECONDS = 86400.0

PARAMETERS = ("exploration", "win_weight", "max_depth", "playout_turns", "playout_choices")


class StopRule(IntEnum):
    TIME = stop.TIME
    SIMULATIONS = stop.SIMULATIONS
    NODES = stop.NODES
    CANCELLED = stop.CANCELLED
    DECIDED = stop.DECIDED
    FORCED = stop.FORCED
    EXHAUSTED = stop.EXHAUSTED
    PAUSED = stop.PAUSED


class RootMove(NamedTuple):
    move: int
    visits: int
    availability: int
    reward_sums: tuple[int, ...]
    win_sums: tuple[int, ...]
    point_sums: tuple[int, ...]
    line: tuple[int, ...]


cdef whole_number(str field, value, low, high):
    """`value` if it is a whole number from `low` to `high`; else LimitError."""
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or isinstance(value, bool) or not low <= number <= high:
        raise LimitError(field, f"must be a whole number from {low} to {high}")
    return number


cdef real_number(str field, value, double low, double high):
    """`value` if it is a number from `low` to `high`; else LimitError."""
    # A comparison with NaN is false.
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not low <= value <= high:
        raise LimitError(field, f"must be a number from {low:g} to {high:g}")
    return float(value)


def natural_logarithm(number):
    return ln(whole_number("number", number, 1, 1 << 53))


cdef class CancelFlag:
    def set(self):
        store(&self.flag, 1)

    @property
    def is_set(self):
        return load(&self.flag) != 0


cdef class Parameters:
    def __cinit__(self):
        self.values.exploration = 0.7
        self.values.win_weight = 0.8
        self.values.max_depth = MAX_DEPTH
        self.values.playout_turns = 0
        self.values.playout_choices = 0

    def __init__(self, **values):
        for name, value in values.items():
            if name not in PARAMETERS:
                raise LimitError(f"parameters.{name}", f"is not known; there are {', '.join(PARAMETERS)}")
            if name == "exploration":
                self.values.exploration = real_number("parameters.exploration", value, 0, 10)
            elif name == "win_weight":
                self.values.win_weight = real_number("parameters.win_weight", value, 0.01, 1)
            elif name == "max_depth":
                self.values.max_depth = whole_number("parameters.max_depth", value, 1, MAX_DEPTH)
            elif name == "playout_turns":
                self.values.playout_turns = whole_number("parameters.playout_turns", value, 0, MAX_PLAYOUT_TURNS)
            else:
                self.values.playout_choices = whole_number(
                    "parameters.playout_choices", value, 0, MAX_PLAYOUT_CHOICES
                )

    def as_dict(self):
        return {
            "exploration": self.values.exploration,
            "win_weight": self.values.win_weight,
            "max_depth": self.values.max_depth,
            "playout_turns": self.values.playout_turns,
            "playout_choices": self.values.playout_choices,
        }

    def rewards(self, points, win_shares, decisive_lead):
        cdef int32_t[MAX_PLAYERS] c_points
        cdef int32_t[MAX_PLAYERS] c_win_shares
        cdef int64_t[MAX_PLAYERS] c_rewards
        cdef int players = len(points)
        cdef int seat
        if not 2 <= players <= MAX_PLAYERS or len(win_shares) != players:
            raise LimitError("points", f"must be as many as win_shares, 2 to {MAX_PLAYERS}")
        for seat in range(players):
            c_points[seat] = whole_number("points", points[seat], -(1 << 31), (1 << 31) - 1)
            c_win_shares[seat] = whole_number("win_shares", win_shares[seat], 0, WHOLE_WIN)
        rewards_of(
            &self.values,
            whole_number("decisive_lead", decisive_lead, 1, (1 << 31) - 1),
            players,
            c_points,
            c_win_shares,
            c_rewards,
        )
        return tuple(c_rewards[seat] for seat in range(players))

    def estimated_rewards(self, parts, decisive_lead):
        cdef int32_t[MAX_PLAYERS] c_parts
        cdef int32_t[MAX_PLAYERS] c_points
        cdef int32_t[MAX_PLAYERS] c_win_shares
        cdef int64_t[MAX_PLAYERS] c_rewards
        cdef int players = len(parts)
        cdef int seat
        if not 2 <= players <= MAX_PLAYERS:
            raise LimitError("parts", f"must be 2 to {MAX_PLAYERS}")
        for seat in range(players):
            c_parts[seat] = whole_number("parts", parts[seat], -(1 << 31), (1 << 31) - 1)
        estimated_rewards(
            whole_number("decisive_lead", decisive_lead, 1, (1 << 31) - 1),
            players,
            c_parts,
            c_points,
            c_win_shares,
            c_rewards,
        )
        seats = range(players)
        return (
            tuple([c_rewards[seat] for seat in seats]),
            tuple([c_win_shares[seat] for seat in seats]),
            tuple([c_points[seat] for seat in seats]),
        )

    def __eq__(self, other):
        return isinstance(other, Parameters) and self.as_dict() == other.as_dict()

    def __hash__(self):
        return hash(tuple(self.as_dict().values()))

    def __repr__(self):
        return f"Parameters({', '.join(f'{name}={value}' for name, value in self.as_dict().items())})"


cdef root_move(const Search* search, int index):
    cdef RootStatistics report
    cdef move_t[MAX_DEPTH] line
    cdef int moves = report_root_move(search, index, &report, line)
    cdef int seat
    cdef int i
    seats = range(search.players)
    return RootMove(
        report.move,
        report.visits,
        report.availability,
        tuple([report.rewards[seat] for seat in seats]),
        tuple([report.win_shares[seat] for seat in seats]),
        tuple([report.points[seat] for seat in seats]),
        (report.move, *[line[i] for i in range(moves)]),
    )


cdef require_idle(Tree tree):
    if tree.running:
        raise RuntimeError("another thread is running this tree")


cdef int keep_allowed(move_t* legal, int count, allowed) except -1:
    """Of the `count` legal moves those that are allowed; returns how many. Raises MoveError."""
    cdef int kept = 0
    cdef int i
    wanted = set(allowed)
    if not wanted:
        raise MoveError("moves", "must have at least one legal move")
    for i in range(count):
        if legal[i] in wanted:
            wanted.remove(legal[i])
            legal[kept] = legal[i]
            kept += 1
    if wanted:
        raise MoveError("moves", f"{min(wanted)} is the number of no legal move")
    return kept


cdef class Tree:
    def __cinit__(self, State root not None, seed, stream, Parameters parameters not None, capacity, moves=None):
        cdef Search* search = &self.search
        cdef const Game* game = &root.rules.game
        cdef void* block
        cdef int i
        seed_rng(
            &search.rng, whole_number("seed", seed, 0, (1 << 64) - 1), whole_number("stream", stream, 0, (1 << 64) - 1)
        )
        capacity = whole_number("capacity", capacity, 1, MAX_CAPACITY)
        search.seat = game.status(game.tables, root.data())
        if search.seat == FINISHED:
            raise GameFinished("the game is finished: there is nothing to search")
        if search.seat == CHANCE:
            raise ChancePending("a chance event is pending: nobody has to decide")
        self.rules = root.rules
        search.game = game[0]
        search.parameters = parameters.values
        search.exploration = parameters.values.exploration * REWARD_ONE_PARTS
        search.players = game.players(game.tables, root.data())
        memcpy(search.root, root.data(), game.state_size)
        game.observe(game.tables, search.root, search.seat)
        search.progress.root_moves = game.legal(game.tables, search.root, search.moves)
        if moves is not None:
            search.progress.root_moves = keep_allowed(search.moves, search.progress.root_moves, moves)
        search.root_statistics = <RootStatistics*>calloc(search.progress.root_moves, sizeof(RootStatistics))
        if search.root_statistics == NULL:
            raise MemoryError()
        for i in range(search.progress.root_moves):
            search.root_statistics[i].move = search.moves[i]
        # Straight from the system and straight back to it: full of zeros, and in memory only as far as it is written.
        block = mmap(NULL, <size_t>capacity * sizeof(Node), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        if block == MAP_FAILED:
            raise MemoryError()
        search.arena = <Node*>block
        search.capacity = capacity
        # The root, which is all zeros at first.
        search.progress.nodes = 1

    def __dealloc__(self):
        free(self.search.root_statistics)
        if self.search.arena != NULL:
            munmap(self.search.arena, <size_t>self.search.capacity * sizeof(Node))

    def run(
        self,
        *,
        simulations=None,
        seconds=None,
        nodes=None,
        CancelFlag cancel=None,
        CancelFlag pause=None,
        decided=True,
    ):
        cdef RunLimits limits
        cdef int rule
        if simulations is None and seconds is None and nodes is None:
            raise LimitError("limits", "at least one of simulations, seconds and nodes must be given")
        limits.simulations = MAX_SIMULATIONS
        limits.nanoseconds = 0
        limits.nodes = 0
        if simulations is not None:
            limits.simulations = whole_number("simulations", simulations, 0, MAX_SIMULATIONS)
        if seconds is not None:
            limits.nanoseconds = max(1, int(real_number("seconds", seconds, 0.0, MAX_SECONDS) * 1e9))
        if nodes is not None:
            limits.nodes = whole_number("nodes", nodes, 1, MAX_CAPACITY)
        limits.cancel = &cancel.flag if cancel is not None else NULL
        limits.pause = &pause.flag if pause is not None else NULL
        limits.decided = decided
        require_idle(self)
        self.running = True
        with nogil:
            rule = run(&self.search, &limits)
        self.running = False
        return StopRule(rule)

    @property
    def simulations(self):
        return self.search.progress.simulations

    @property
    def plies(self):
        return self.search.plies

    @property
    def nodes(self):
        return self.search.progress.nodes

    @property
    def depth(self):
        return self.search.depth

    @property
    def full(self):
        return bool(self.search.full)

    def root_moves(self):
        cdef int i
        require_idle(self)
        return [root_move(&self.search, i) for i in range(self.search.progress.root_moves)]
