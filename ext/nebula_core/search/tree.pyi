"""The search tree of one worker, and what it takes and tells."""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from typing import Final, NamedTuple, final

from nebula_core.face import State

REWARD_ONE: Final[int]
"""A reward of 1 in the whole numbers that the search counts in."""
WHOLE_WIN: Final[int]
"""One game's win in the whole numbers that the search counts in."""
NODE_BYTES: Final[int]
"""What a node takes in memory."""

class StopRule(IntEnum):
    """What ended a run; the first to fire. `nebula_ai.search` gives them their lower-case names."""

    TIME = 0
    SIMULATIONS = 1
    NODES = 2  # so many nodes, or so many simulations that added none
    CANCELLED = 3
    DECIDED = 4  # the runner-up can no longer catch up in visits
    FORCED = 5  # one move of the root: no simulation is made
    EXHAUSTED = 6  # every line to the end is in the tree and nothing is left to chance: the values are exact
    PAUSED = 7  # no rule of a search: the run ends, and another one is to go on

@final
class CancelFlag:
    """Set by any thread; a running search sees it after the simulation it is in. It serves for a pause as well."""

    def set(self) -> None:
        """Ends every run that was given this flag, and those to come before their first simulation."""
    @property
    def is_set(self) -> bool:
        """Whether it has been set; it stays so."""

@final
class Parameters:
    """How to search, immutable: see search/parameters.pxd for the unit, the range and the default of each."""

    def __init__(self, **values: float) -> None:
        """Overrides of the defaults by name: `exploration`, `win_weight`, `max_depth`, `playout_turns`,
        `playout_choices`.

        Raises LimitError for an unknown name or a value outside its range (field ``parameters.exploration`` …).
        """
    def as_dict(self) -> dict[str, float]:
        """All parameters by name."""
    def rewards(self, points: Sequence[int], win_shares: Sequence[int], decisive_lead: int) -> tuple[int, ...]:
        """What a finished game is worth to each seat, in parts of REWARD_ONE.

        By seat, `points` (32 bits) and `win_shares` (in parts of WHOLE_WIN); `decisive_lead`: from 1, in points.
        Raises LimitError.
        """
    def estimated_rewards(
        self, parts: Sequence[int], decisive_lead: int
    ) -> tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]:
        """What a playout that is cut off is worth to each seat: rewards in parts of REWARD_ONE, shares of leading in
        parts of WHOLE_WIN, whole points promised.

        By seat, `parts`: the points promised, in sixteenths (32 bits); `decisive_lead`: from 1, in points.
        Raises LimitError.
        """
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class RootMove(NamedTuple):
    """Statistics of one move of the root: sums, so that trees can be merged, of whole numbers, to be exact."""

    move: int
    visits: int  # simulations that began with it
    availability: int  # simulations in whose sample of the hidden cards it was legal
    reward_sums: tuple[int, ...]  # by seat, in parts of REWARD_ONE
    win_sums: tuple[int, ...]  # by seat, in parts of WHOLE_WIN
    point_sums: tuple[int, ...]  # by seat
    # This move and the most visited one after it, and so on; once all that follows is solved, best play to the end, and
    # the sums are `visits` times what that leads to.
    line: tuple[int, ...]

@final
class Tree:
    """One worker's search tree: an arena, a generator, and the statistics of the root. Not for two threads at once.

    In the root state a seat has to decide; the state is reduced to what that seat sees.
    """

    def __init__(
        self,
        root: State,
        seed: int,
        stream: int,
        parameters: Parameters,
        capacity: int,
        moves: Iterable[int] | None = None,
    ) -> None:
        """`seed` and `stream`: 0 to 2**64 - 1. `capacity`: nodes that there is room for, 1 to 2**31; they take memory
        as they are added. `moves`: those of the legal moves that the root is to have, None for all of them.

        Raises LimitError, MoveError (field ``moves``), GameFinished, ChancePending, MemoryError.
        """
    def run(
        self,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        cancel: CancelFlag | None = None,
        pause: CancelFlag | None = None,
        decided: bool = True,
    ) -> StopRule:
        """Search until a rule fires, without the GIL; returns which. The rules are asked before each simulation, in
        this order: cancelled, forced, exhausted, decided, nodes, simulations, time, paused.

        Can be called again to go on: `simulations` (0 to 2**32 - 1) and `nodes` (1 to 2**31) count from the tree's
        beginning, `seconds` (0 to 86400) from this call. At least one of them must be given. However short the time,
        one simulation is made. `pause`: ends the run once it is set; what is found in going on does not depend on it.
        `decided`: whether that rule is on.

        Raises LimitError; RuntimeError while another thread runs this tree.
        """
    @property
    def simulations(self) -> int:
        """Simulations made, in all runs."""
    @property
    def plies(self) -> int:
        """Decisions made in all simulations, in the tree and in playouts."""
    @property
    def nodes(self) -> int:
        """Nodes in the tree; the root is one."""
    @property
    def depth(self) -> int:
        """Of the deepest node; the root has depth 0."""
    @property
    def full(self) -> bool:
        """Whether there was no room for a node: the tree has stopped growing, and a simulation leaves it where it would
        need one."""
    def root_moves(self) -> list[RootMove]:
        """Every move of the root, ascending by move, visited or not.

        Raises RuntimeError while another thread runs this tree.
        """

def natural_logarithm(number: int) -> float:
    """ln(number) as the selection computes it, the same on every machine; `number` from 1 to 2**53, else LimitError."""
