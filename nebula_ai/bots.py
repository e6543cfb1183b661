"""The named bots: who makes which move, and with what budget. Knows no game by name.

Four bots are the same in every game, the yardsticks: `random`, `greedy`, `flat` and `plain`. A game's own ones, its
strongest and its levels, stand in the file bots.toml of its package. No bot uses what its seat cannot see, and without
a time limit its move depends on nothing but the state, the seed and the number of workers.
"""

import hashlib
import tomllib
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from time import monotonic
from typing import TypeVar

from nebula_ai import __version__
from nebula_ai.checked import Value, top_table
from nebula_ai.errors import InvalidInput, LimitError, MoveError, shown, unknown_word
from nebula_ai.game import Game
from nebula_ai.search import (
    FIRST_STREAM,
    MAX_SIMULATIONS,
    MAX_WORKERS,
    MEMORY_NODES,
    Limits,
    MoveReport,
    Reports,
    Result,
    check_whole,
    is_number,
    parameters_hash,
    search,
)
from nebula_core.face import Generator, State
from nebula_core.search.tree import CancelFlag, Parameters

CHOICE_STREAM = FIRST_STREAM + MAX_WORKERS
"""The stream of a seed that a choice among searched moves is drawn from: the first one that no worker draws from."""

WEIGHT_ONE = 1 << 20
"""The weight of the most visited move in such a choice. Weights are rounded to whole numbers, so that what the last bit
of a power is on some machine decides nothing; and those of all moves of a state add up to less than 2**32."""

MAX_POWER = 10.0

GREEDY_STATES = 4096
"""States that a greedy bot looks at for one decision at most; of a longer turn it sees so many moves as fit into them,
and counts the points that it has then."""

PRESETS = "bots.toml"
"""The file in a game's package with the bots of its own."""

LEVELS = ("novice", "apprentice", "casual", "skilled", "expert", "master")
"""The levels that a game's file has, weakest first."""

Content = TypeVar("Content")


@dataclass(frozen=True, slots=True)
class Decision:
    """A move and what it rests on."""

    move: int
    """The move that the bot makes: a legal one. A bot that chooses softly need not make the best one that it found."""
    result: Result
    """What a search found; of a bot that does not search, `stopped` is ``unsearched`` and every move is untried."""

    @property
    def runner_up(self) -> int | None:
        """The best move beside the one made, as the search found it; None if there is no other or it tried none."""
        others = [report.move for report in self.result.moves if report.move != self.move]
        return others[0] if others and self.result.best.visits else None


@dataclass(frozen=True, slots=True)
class Bot(ABC):
    """An opponent."""

    name: str
    """As in requests; empty for one that searches with limits that somebody gave."""
    description: str
    """For people, in a sentence."""

    @property
    def settings(self) -> dict[str, object]:
        """What decides how it plays, beside the engine and what kind of bot it is: numbers, flags, None, by name."""
        return {}

    @property
    def settings_hash(self) -> str:
        """12 hexadecimal digits of a checksum over its kind and its settings, whatever its name.

        A name stands for other settings once a game's file of bots has changed; the hash tells.
        """
        text = "".join(f"{name}={value!r}\n" for name, value in {"kind": type(self).__name__, **self.settings}.items())
        return hashlib.sha256(text.encode()).hexdigest()[:12]

    @abstractmethod
    def move(
        self,
        state: State,
        *,
        seed: int = 0,
        workers: int = 1,
        moves: Collection[int] | None = None,
        cancel: CancelFlag | None = None,
        reports: Reports | None = None,
    ) -> Decision:
        """Its move for the seat that has to decide.

        `seed`: 0 to 2**64 - 1. `workers`: how many cores search, 1 to 64; a bot that does not search needs one.
        `moves`: the legal moves among which to choose, as this seat knows them; None for all. `cancel`: makes it decide
        within milliseconds once it is set. `reports`: who is told what a search has found so far. Raises LimitError,
        MoveError (field ``moves``), GameFinished, ChancePending, MemoryError.
        """

    def within(self, seconds: float) -> "Bot":
        """This bot, with `seconds` (over 0) at most for its decision. One that never takes long stays as it is."""
        return self

    # A bot that does not search stays as it is.

    def with_memory(self, nodes: int) -> "Bot":
        """This bot, with memory for so many nodes (1 to 2**31) at most."""
        return self

    def repeating(self, worker_simulations: Sequence[int]) -> "Bot":
        """This bot, to find again what `Result.worker_simulations` are of: with them in place of its limits."""
        return self


@dataclass(frozen=True, slots=True)
class SearchBot(Bot):
    """Searches, and makes the most visited move or, with a `power`, one drawn among those visited much.

    A move is then drawn with a probability proportional to visits ** power, from the moves with at least `least_share`
    times the visits of the most visited one. Where there is nothing to choose by (one legal move, no simulation made)
    or the values are exact (an exhausted search) it makes the best one all the same. Raises LimitError.
    """

    parameters: Parameters
    limits: Limits
    decided: bool = True
    """Whether it ends as soon as the rest of its limits cannot change the most visited move; see `search`. Without
    effect with a `power`, because the rest still changes the numbers that it draws by."""
    power: float | None = None
    """None for the most visited move; else 0 (all alike) to 10."""
    least_share: float = 0.0
    """0 to 1."""
    memory_nodes: int = MEMORY_NODES
    """As for `search`. It decides nothing until the memory is full."""

    def __post_init__(self) -> None:
        """Refuse what is out of range."""
        # A comparison with a NaN is false.
        if self.power is not None and not (is_number(self.power) and 0 <= self.power <= MAX_POWER):
            raise LimitError("power", f"must be a number from 0 to {MAX_POWER:g}")
        if not (is_number(self.least_share) and 0 <= self.least_share <= 1):
            raise LimitError("least_share", "must be a number from 0 to 1")

    @property
    def settings(self) -> dict[str, object]:
        """The parameters, the limits and the choice."""
        return {
            "parameters": parameters_hash(self.parameters),
            "time": None if self.limits.time is None else float(self.limits.time),
            "simulations": self.limits.simulations,
            "nodes": self.limits.nodes,
            "decided": self.decided and self.power is None,
            "power": None if self.power is None else float(self.power),
            "least_share": None if self.power is None else float(self.least_share),
        }

    def move(
        self,
        state: State,
        *,
        seed: int = 0,
        workers: int = 1,
        moves: Collection[int] | None = None,
        cancel: CancelFlag | None = None,
        reports: Reports | None = None,
    ) -> Decision:
        """The move found, or drawn among those found; errors are those of `search`."""
        result = search(
            state,
            self.limits,
            seed=seed,
            workers=workers,
            parameters=self.parameters,
            moves=moves,
            memory_nodes=self.memory_nodes,
            cancel=cancel,
            decided=self.decided and self.power is None,
            reports=reports,
        )
        if self.power is None or result.stopped == "exhausted" or not result.best.visits:
            return Decision(result.move, result)
        return Decision(drawn(result.moves, self.power, self.least_share, Generator(seed, CHOICE_STREAM)), result)

    def within(self, seconds: float) -> "SearchBot":
        """This bot, with `seconds` (over 0) at most for its search."""
        if self.limits.time is not None and self.limits.time <= seconds:
            return self
        return replace(self, limits=replace(self.limits, time=seconds))

    def with_memory(self, nodes: int) -> "SearchBot":
        """This bot, with memory for so many nodes (1 to 2**31) at most."""
        return replace(self, memory_nodes=min(nodes, self.memory_nodes))

    def repeating(self, worker_simulations: Sequence[int]) -> "SearchBot":
        """This bot, with these numbers in place of its limits. Raises LimitError."""
        return replace(self, limits=Limits(worker_simulations=tuple(worker_simulations)))


def drawn(moves: Sequence[MoveReport], power: float, least_share: float, generator: Generator) -> int:
    """One of the moves, at least one of which was visited, with a probability proportional to visits ** power.

    Only those with at least `least_share` times the most visits are drawn.
    """
    most = max(report.visits for report in moves)
    candidates = [report for report in moves if report.visits >= max(1, least_share * most)]
    weights = [round((report.visits / most) ** power * WEIGHT_ONE) for report in candidates]
    number = generator.below(sum(weights))
    for report, weight in zip(candidates, weights, strict=True):
        number -= weight
        if number < 0:
            return report.move
    raise AssertionError("the number is below the sum of the weights")


@dataclass(frozen=True, slots=True)
class RandomBot(Bot):
    """Makes a uniformly random legal move."""

    def move(
        self,
        state: State,
        *,
        seed: int = 0,
        workers: int = 1,
        moves: Collection[int] | None = None,
        cancel: CancelFlag | None = None,
        reports: Reports | None = None,
    ) -> Decision:
        """A move drawn from `seed`, without a search."""
        seen = seen_by_mover(state, workers)
        possible = among(seen, moves)
        generator = Generator(seed, FIRST_STREAM)
        chosen_move = seen.random_move(generator) if moves is None else possible[generator.below(len(possible))]
        return unsearched(seen, chosen_move, seed, workers, possible)


@dataclass(frozen=True, slots=True)
class GreedyBot(Bot):
    """Looks to the end of its own turn, and wants the most points there, as if the game ended then.

    It fills in what its seat does not see once, by chance, and goes through all sequences of its own moves until
    another seat decides or the game ends. A chance event on the way is drawn once. It makes the first move of a best
    sequence, drawn among equals; if it has to end sooner, of the best one that it has found.
    """

    game: Game
    time: float | None = None
    """In seconds; None for as long as it takes, some tenths of a second at most."""

    def within(self, seconds: float) -> "GreedyBot":
        """This bot, with `seconds` (over 0) at most for its decision."""
        return replace(self, time=seconds if self.time is None else min(seconds, self.time))

    def move(
        self,
        state: State,
        *,
        seed: int = 0,
        workers: int = 1,
        moves: Collection[int] | None = None,
        cancel: CancelFlag | None = None,
        reports: Reports | None = None,
    ) -> Decision:
        """The first move of a best turn, without a search."""
        end = None if self.time is None else monotonic() + self.time

        def stopped() -> bool:
            return (cancel is not None and cancel.is_set) or (end is not None and monotonic() >= end)

        seen = seen_by_mover(state, workers)
        generator = Generator(seed, FIRST_STREAM)
        first_moves = self.best_first_moves(seen, generator, moves, stopped)
        return unsearched(seen, first_moves[generator.below(len(first_moves))], seed, workers, moves)

    def best_first_moves(
        self,
        seen: State,
        generator: Generator,
        moves: Collection[int] | None = None,
        stopped: Callable[[], bool] = lambda: False,
    ) -> list[int]:
        """The legal moves, or those of them that are given, ascending, that begin a best sequence.

        Once `stopped` says so, those of the best sequences found by then, or all if there are none. Raises MoveError.
        """
        seat = seen.seat
        assert seat is not None, "a seat has to decide"
        known = among(seen, moves)
        sample = seen.determinize(seat, generator)
        # Cards of its own that the seat does not know make a difference between the two.
        possible = set(sample.legal_moves())
        first = [move for move in known if move in possible]
        if not first:
            return known
        best: dict[int, int] = {}
        for state, first_moves in turn_ends(sample, first, seat, generator, stopped):
            if stopped():
                break
            scores = self.game.breakdown(state)[seat]
            assert scores is not None, "nothing is hidden in a sample"
            for move in first_moves:
                best[move] = max(best.get(move, scores["total"]), scores["total"])
        most = max(best.values(), default=None)
        return [move for move in first if best.get(move) == most]


Leading = dict[State, frozenset[int]]
"""States, each with the first moves of a turn that lead to it."""


def turn_ends(
    sample: State,
    moves: Sequence[int],
    seat: int,
    generator: Generator,
    stopped: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[State, frozenset[int]]]:
    """The states in which the turn of `seat` is over, each with those of its first `moves` that lead there.

    A turn that is too long to be looked through is cut where it has had equally many moves behind every first one. None
    comes any more once `stopped` says so.
    """
    met: Leading = {}
    level = {sample: frozenset[int]()}
    while level:
        # Before chance, so that of two orders of the same moves none is luckier.
        moved: Leading = {}
        for before, first_moves in level.items():
            if stopped():
                return
            for move in before.legal_moves() if first_moves else moves:
                after = before.apply(move)
                new = (first_moves or frozenset((move,))) - met.get(after, frozenset())
                if new:
                    moved[after] = moved.get(after, frozenset()) | new
            if len(met) + len(moved) > GREEDY_STATES:
                yield from level.items()
                return
        level = {}
        for after, first_moves in moved.items():
            if stopped():
                return
            met[after] = met.get(after, frozenset()) | first_moves
            settled = after.settle(generator)[0]
            if settled.seat == seat:
                level[settled] = level.get(settled, frozenset()) | first_moves
            else:
                yield settled, first_moves


def seen_by_mover(state: State, workers: int) -> State:
    """What the seat that has to decide sees. Raises LimitError, GameFinished, ChancePending."""
    check_whole("workers", workers, 1, MAX_WORKERS)
    if state.seat is None:
        state.legal_moves()  # says why
    assert state.seat is not None, "there are legal moves"
    return state.observe(state.seat)


def among(state: State, moves: Collection[int] | None) -> list[int]:
    """The legal moves among which a bot may choose, ascending. Raises MoveError (field ``moves``)."""
    legal = state.legal_moves()
    if moves is None:
        return legal
    if not moves:
        raise MoveError("moves", "must have at least one legal move")
    for move in moves:
        if move not in legal:
            raise MoveError("moves", f"{move} is the number of no legal move")
    return sorted(set(moves))


def unsearched(
    state: State, chosen_move: int, seed: int, workers: int, moves: Collection[int] | None = None
) -> Decision:
    """A decision that rests on no search: the move made comes first, then the other ones of `moves`, or all, ascend."""
    assert state.seat is not None, "a seat has decided"
    unknown = (None,) * state.players
    result = Result(
        seat=state.seat,
        moves=tuple(
            MoveReport(
                move=move, visits=0, availability=0, value=unknown, win_share=unknown, points=unknown, line=(move,)
            )
            for move in sorted(among(state, moves), key=lambda move: (move != chosen_move, move))
        ),
        simulations=0,
        plies=0,
        depth=0,
        nodes=0,
        seconds=0.0,
        seed=seed,
        workers=workers,
        worker_simulations=(),
        stopped="unsearched",
        tree_full=False,
        estimated=False,
        engine_version=__version__,
        parameters_hash="",
    )
    return Decision(chosen_move, result)


# The bots of every game.

RANDOM = RandomBot(name="random", description="Random moves: the zero of all ratings.")

FLAT = SearchBot(
    name="flat",
    description="Random playouts shared out among the moves at hand, without a tree.",
    parameters=Parameters(max_depth=1),
    limits=Limits(simulations=1000),
)

PLAIN = SearchBot(
    name="plain",
    description="Tree search with random playouts and default parameters: what every other bot is measured against.",
    parameters=Parameters(),
    limits=Limits(simulations=1000),
)

DEFAULT_BOT = "strong"
"""Who is asked where nobody is named: the best one of each game."""


def greedy(game: Game) -> GreedyBot:
    """The greedy bot of a game."""
    return GreedyBot(
        name="greedy", description="Looks one turn ahead and takes the most points that it finds.", game=game
    )


def bots_of(game: Game) -> dict[str, Bot]:
    """All bots of a game by name: the yardsticks, weakest first, then the game's own, its levels weakest first.

    Raises InvalidInput naming the key if the game's file of bots is wrong.
    """
    return {bot.name: bot for bot in (RANDOM, greedy(game), FLAT, PLAIN, *presets(type(game)))}


def chosen(game: Game, name: str | None, limits: Limits | None = None, decided: bool = True) -> Bot:
    """The bot that is asked: the one of this name, with limits of its own, or for no name the default one.

    In place of the limits of the default one there may be others, and another `decided`. A game without a file of bots
    has `plain` as its default. Raises InvalidInput (field ``bot``) for a name that there is not.
    """
    if not name:
        default = next((bot for bot in presets(type(game)) if bot.name == DEFAULT_BOT), PLAIN)
        return default if limits is None else replace(default, name="", limits=limits, decided=decided)
    bots = bots_of(game)
    if name not in bots:
        raise InvalidInput("bot", unknown_word(name, bots))
    return bots[name]


# A bot's text: a name, and what is to be different.

LIMITS = ("time", "simulations", "nodes")
CHOICE = ("power", "least_share")


def parse_bot(game: Game, text: str) -> Bot:
    """The bot of a text: ``NAME``, or ``NAME:KEY=VALUE,KEY=VALUE`` with what is to be different from that bot.

    A key is ``time`` (in seconds), ``simulations`` or ``nodes``, which replace all limits of the bot; ``power`` or
    ``least_share`` (see `SearchBot`); or a parameter of the search. White space is forgiven. The name of the bot is the
    text in its normal form, equal for equal texts: keys in this order, numbers as short as they can be. Raises
    InvalidInput (field ``bot``).
    """
    name, colon, overrides = text.partition(":")
    if not name.strip():
        raise InvalidInput("bot", "must begin with the name of a bot")
    bot = chosen(game, name.strip())
    if not colon:
        return bot
    if not isinstance(bot, SearchBot):
        raise InvalidInput("bot", f"{bot.name} does not search, so that nothing of it can be set")
    parameters = bot.parameters.as_dict()
    order = (*LIMITS, *CHOICE, *parameters)
    given: dict[str, float] = {}
    for override in overrides.split(","):
        key, value = read_override(override, order)
        if key in given:
            raise InvalidInput("bot", f"{key} is given twice")
        given[key] = value
    given = {key: given[key] for key in order if key in given}
    limits = {key: value for key, value in given.items() if key in LIMITS}
    try:
        return replace(
            bot,
            name=f"{bot.name}:{','.join(f'{key}={value}' for key, value in given.items())}",
            parameters=Parameters(**{key: given.get(key, value) for key, value in parameters.items()}),
            limits=made_limits(limits) if limits else bot.limits,
            power=given.get("power", bot.power),
            least_share=given.get("least_share", bot.least_share),
        )
    except LimitError as error:
        raise InvalidInput("bot", f"{error.field.rpartition('.')[2]} {error.reason}") from None


def read_override(text: str, known: Sequence[str]) -> tuple[str, float]:
    """Key and value of ``KEY=VALUE``; the value is an int if it is whole. Raises InvalidInput (field ``bot``)."""
    key, sign, digits = (part.strip() for part in text.partition("="))
    if not sign:
        raise InvalidInput("bot", f"after the name comes KEY=VALUE, and more after commas, not {shown(text.strip())}")
    if key not in known:
        raise InvalidInput("bot", unknown_word(key, known))
    try:
        # Python would take 1_0 for 10, but people mistype 1.0 like that.
        value = float(digits.replace("_", "?"))
    except ValueError:
        raise InvalidInput("bot", f"{key} must be a number, not {shown(digits)}") from None
    return key, int(value) if value.is_integer() else value


def made_limits(given: dict[str, float]) -> Limits:
    """The limits of some numbers by name. Raises LimitError, also where one must be whole and is not."""
    # Limits checks them all, so that its types may be promised here.
    return Limits(**given)  # type: ignore[arg-type]


# A game's own bots.


@cache
def presets(game: type[Game]) -> tuple[SearchBot, ...]:
    """The bots of the file in a game's package; none if there is no file."""
    return read_of_package(game, PRESETS, lambda content: tuple(read_presets(content))) or ()


def read_of_package(game: type[Game], name: str, read: Callable[[dict[str, object]], Content]) -> Content | None:
    """What `read` makes of a TOML file in the package of a game's class; None if there is no such file.

    Raises InvalidInput, with the file, for what `read` refuses and for what is not TOML.
    """
    file = resources.files(game.__module__.rpartition(".")[0]).joinpath(name)
    if not file.is_file():
        return None
    try:
        return read(tomllib.loads(file.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(name, f"is not TOML: {error} (in {file})") from None
    except InvalidInput as error:
        raise InvalidInput(error.field, f"{error.reason} (in {file})") from None


def read_presets(content: dict[str, object]) -> Iterator[SearchBot]:
    """The bots of a parsed file: `strong`, then the levels. Raises InvalidInput naming the key."""
    top = top_table(content, InvalidInput, PRESETS, ("strong", "levels"))
    strong = top["strong"].table(("description", "parameters", "simulations"))
    values = {key: value.real(0, MAX_SIMULATIONS) for key, value in strong["parameters"].mapping().items()}
    try:
        parameters = Parameters(**values)
    except LimitError as error:
        raise InvalidInput(f"strong.{error.field}", error.reason) from None
    yield SearchBot("strong", strong["description"].text(), parameters, read_simulations(strong["simulations"]))
    levels = top["levels"].table(LEVELS)
    for name in LEVELS:
        level = levels[name]
        keys = level.table(("description", "simulations"), CHOICE)
        if ("power" in keys) != ("least_share" in keys):
            level.refuse("must have both of power and least_share, or none")
        yield SearchBot(
            name=name,
            description=keys["description"].text(),
            parameters=parameters,
            limits=read_simulations(keys["simulations"]),
            power=keys["power"].real(0, MAX_POWER) if "power" in keys else None,
            least_share=keys["least_share"].real(0, 1) if "least_share" in keys else 0.0,
        )


def read_simulations(value: Value) -> Limits:
    """Levels have simulations as their limit, never time: their strength is the same on every machine."""
    return Limits(simulations=value.integer(1, MAX_SIMULATIONS))
