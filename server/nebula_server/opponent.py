"""The service's methods, each from its request to its answer. Knows no transport: a refusal is an error of the library.

All methods return at once. A search is only planned here, which finds all that is wrong with the request; it is run
where and when the caller likes.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from nebula_ai import __version__
from nebula_ai.bots import Bot, Decision, SearchBot, bots_of, chosen
from nebula_ai.calibration import calibration_of
from nebula_ai.chance import settle
from nebula_ai.errors import ChanceError, InvalidInput, StateError
from nebula_ai.game import Game
from nebula_ai.reasons import reason
from nebula_ai.registry import STANDARD, Catalogue
from nebula_ai.search import Reports, Result
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import Move
from nebula_ai.v1.search_pb2 import Analysis
from nebula_core.face import Generator, State
from nebula_core.search.tree import CancelFlag
from nebula_server import answers, requests
from nebula_server.errors import NotFound
from nebula_server.searches import MAX_SECONDS, Priority

ANSWER_SECONDS = 0.03
"""What of a deadline is left for the answer: to end the search, to write what it found, to send it. On two cores that
did other work as well, that took 7 ms at the 90th percentile and 15 ms at most; this is twice as much."""

MIN_SECONDS = 0.001
"""So long a search may take even if its deadline is over: the answer of a single simulation may still arrive."""

MAX_OUTCOMES = 64
"""Chance events that one request resolves at most."""


class Opponent:
    """The games of a catalogue, played by request."""

    def __init__(self, catalogue: Catalogue, cores: int, nodes_per_core: int) -> None:
        """`cores`, from 1: how many may search at once, each with memory for so many nodes."""
        self.catalogue = catalogue
        self.cores = cores
        self.nodes_per_core = nodes_per_core

    def list_games(self, request: pb.ListGamesRequest) -> pb.ListGamesResponse:
        """The games and their editions."""
        return pb.ListGamesResponse(
            games=answers.games(self.catalogue.games),
            engine_version=__version__,
            warnings=requests.warnings(request),
        )

    def get_game(self, request: pb.GetGameRequest) -> pb.GetGameResponse:
        """One edition of a game. Raises NotFound."""
        game = self.found(request)
        (summary,) = answers.games([game])
        response = pb.GetGameResponse(game=summary, warnings=requests.warnings(request))
        answers.put(response, game, game.edition_message())
        return response

    def list_bots(self, request: pb.ListBotsRequest) -> pb.ListBotsResponse:
        """The bots of a game. Raises NotFound."""
        game = self.found(request)
        calibration = calibration_of(type(game))
        return pb.ListBotsResponse(
            bots=[answers.bot(bot, calibration) for bot in bots_of(game).values()],
            warnings=requests.warnings(request),
        )

    def create_state(self, request: pb.CreateStateRequest) -> pb.CreateStateResponse:
        """A new game. Raises InvalidInput."""
        game = self.game(request)
        if not request.players:
            raise StateError("players", "is missing")
        full = requests.wants_all(request)
        start = game.start(request.players, request.variant or None)
        response = pb.CreateStateResponse(warnings=requests.warnings(request))
        seed = requests.read_chance(request)
        if seed is None:
            state, outcomes = start, list[int]()
        else:
            state, outcomes = start.settle(Generator(seed))
            response.chance_seed = seed
        response.events.extend(answers.chance_events(game, start, outcomes))
        response.events.extend(answers.closing_events(game, start, state))
        response.state.CopyFrom(answers.state_view(game, state, full))
        return response

    def observe_state(self, request: pb.ObserveStateRequest) -> pb.ObserveStateResponse:
        """What one seat sees. Raises InvalidInput."""
        game, state = requests.read_state(self.catalogue, request.state)
        seen = state.observe(requests.read_seat(request, state))
        return pb.ObserveStateResponse(
            state=answers.state_view(game, seen, requests.wants_all(request)), warnings=requests.warnings(request)
        )

    def list_moves(self, request: pb.ListMovesRequest) -> pb.ListMovesResponse:
        """The legal moves. Raises InvalidInput, GameFinished, ChancePending."""
        game, state = requests.read_state(self.catalogue, request.state)
        full = requests.wants_all(request)
        return pb.ListMovesResponse(
            seat=answers.deciding_seat(game, state),
            moves=[answers.move(game, state, move, full) for move in state.legal_moves()],
            warnings=requests.warnings(request),
        )

    def apply_move(self, request: pb.ApplyMoveRequest) -> pb.ApplyMoveResponse:
        """The state after a move. Raises InvalidInput, GameFinished, ChancePending."""
        game, before = requests.read_state(self.catalogue, request.state)
        answers.deciding_seat(game, before)
        move = requests.read_move(game, before, request.move, "move")
        full = requests.wants_all(request)
        response = pb.ApplyMoveResponse(move=answers.move(game, before, move), warnings=requests.warnings(request))
        seed = requests.read_chance(request)
        moved = before.apply(move)
        if seed is None:
            state, outcomes = moved, list[int]()
        else:
            state, outcomes = settle(moved, seed)
            response.chance_seed = seed
        response.events.extend(answers.move_events(game, before, moved))
        response.events.extend(answers.chance_events(game, moved, outcomes))
        response.events.extend(answers.closing_events(game, before, state))
        response.state.CopyFrom(answers.state_view(game, state, full))
        return response

    def resolve_chance(self, request: pb.ResolveChanceRequest) -> pb.ResolveChanceResponse:
        """The state after these chance events. Raises InvalidInput, GameFinished, NoChancePending."""
        game, before = requests.read_state(self.catalogue, request.state)
        answers.refuse_finished(game, before)
        if not 1 <= len(request.outcomes) <= MAX_OUTCOMES:
            raise InvalidInput("outcomes", f"must be 1 to {MAX_OUTCOMES}, not {len(request.outcomes)}")
        state = before
        outcomes: list[int] = []
        for i, choice in enumerate(request.outcomes):
            if i and not state.chance_pending:
                raise ChanceError(f"outcomes[{i}]", "is one too many: after those before it no chance event is pending")
            outcome = requests.read_outcome(game, state, choice, f"outcomes[{i}]")
            outcomes.append(outcome)
            state = state.resolve(outcome)
        return pb.ResolveChanceResponse(
            state=answers.state_view(game, state, requests.wants_all(request)),
            events=[*answers.chance_events(game, before, outcomes), *answers.closing_events(game, before, state)],
            warnings=requests.warnings(request),
        )

    def plan_move(self, request: pb.GetMoveRequest) -> "PlannedSearch":
        """The search that a request wants. Raises InvalidInput, GameFinished, ChancePending."""
        return self._plan(request, Priority.INTERACTIVE)

    def plan_analysis(self, request: pb.AnalyzeStateRequest) -> "PlannedSearch":
        """The search that a request wants. Raises InvalidInput, GameFinished, ChancePending."""
        return replace(self._plan(request, Priority.ANALYSIS), report_seconds=requests.read_report_interval(request))

    def _plan(self, request: requests.SearchRequest, priority: Priority) -> "PlannedSearch":
        """The bot and the position that a request names."""
        game, state = requests.read_state(self.catalogue, request.state)
        seat = answers.deciding_seat(game, state)
        warnings = requests.warnings(request)
        limits = requests.read_limits(request.limits) if request.HasField("limits") else None
        bot = chosen(game, request.bot, limits, requests.stops_when_decided(request.limits))
        workers = requests.read_workers(request, self.cores)
        worker_simulations = requests.read_worker_simulations(request, workers)
        warnings += requests.unused_options(request, bot, workers)
        if not isinstance(bot, SearchBot):
            workers = 1
        # From here on nothing is known that this seat does not see.
        seen = state.observe(seat)
        return PlannedSearch(
            game=game,
            state=seen,
            bot=bot,
            seed=request.seed if request.HasField("seed") else requests.draw_seed(),
            workers=workers,
            memory_nodes=self.nodes_per_core * workers,
            moves=requests.read_moves_left(game, seen, request),
            worker_simulations=worker_simulations,
            full=requests.wants_all(request),
            priority=requests.read_priority(request, priority),
            report_seconds=requests.REPORT_SECONDS,
            warnings=warnings,
        )

    def found(self, request: pb.GetGameRequest | pb.ListBotsRequest) -> Game:
        """The game that a request is about. Raises NotFound."""
        try:
            return self.game(request)
        except InvalidInput as error:
            raise NotFound(error.field, error.reason) from None

    def game(self, request: pb.GetGameRequest | pb.ListBotsRequest | pb.CreateStateRequest) -> Game:
        """The game that a request names. Raises InvalidInput."""
        if not request.game:
            raise InvalidInput("game", "is missing")
        return self.catalogue.get(request.game, request.edition or STANDARD)


@dataclass(frozen=True, slots=True)
class PlannedSearch:
    """A search that is ready to run; all of it has been checked."""

    game: Game
    state: State
    """What the seat that has to decide sees."""
    bot: Bot
    seed: int
    workers: int
    memory_nodes: int
    moves: Sequence[int] | None
    """Among which to choose; None for all."""
    worker_simulations: Sequence[int]
    """Of the search that is to be had again; empty for a new one."""
    full: bool
    """Whether all of the answer is wanted."""
    priority: Priority
    report_seconds: float
    """From one report to the next, for an analysis."""
    warnings: Sequence[pb.Warning]

    def move(self, cancel: CancelFlag, deadline: float | None) -> pb.GetMoveResponse:
        """Searches, and answers. Ends when `cancel` is set, and in time to answer by `deadline` (of time.monotonic)."""
        decision = self._decide(cancel, deadline, None)
        return pb.GetMoveResponse(
            move=answers.move(self.game, self.state, decision.move),
            analysis=self._analysis(decision.result, decision.move),
            reason=reason(self.game, self.state, decision),
            runner_up=self._runner_up(decision),
            warnings=self.warnings,
        )

    def analyze(
        self, cancel: CancelFlag, deadline: float | None, tell: Callable[[pb.AnalyzeStateResponse], None]
    ) -> pb.AnalyzeStateResponse:
        """As `move`, with partial reports to `tell`, in the thread of the caller."""

        def told(result: Result) -> None:
            tell(pb.AnalyzeStateResponse(analysis=self._analysis(result, result.move)))

        decision = self._decide(cancel, deadline, Reports(told, self.report_seconds))
        return pb.AnalyzeStateResponse(
            analysis=self._analysis(decision.result, decision.move),
            final=True,
            move=answers.move(self.game, self.state, decision.move),
            reason=reason(self.game, self.state, decision),
            runner_up=self._runner_up(decision),
            warnings=self.warnings,
        )

    def _decide(self, cancel: CancelFlag, deadline: float | None, reports: Reports | None) -> Decision:
        """What the bot decides, by the deadline."""
        bot = self.bot.with_memory(self.memory_nodes)
        if self.worker_simulations:
            bot = bot.repeating(self.worker_simulations)
        if deadline is not None:
            left = max(deadline - time.monotonic() - ANSWER_SECONDS, MIN_SECONDS)
            if left < MAX_SECONDS:
                bot = bot.within(left)
        return bot.move(
            self.state, seed=self.seed, workers=self.workers, moves=self.moves, cancel=cancel, reports=reports
        )

    def _analysis(self, result: Result, made: int) -> Analysis:
        """What the search has found, with `made` as the bot's move."""
        return answers.analysis(self.game, self.state, result, self.bot, made, self.full)

    def _runner_up(self, decision: Decision) -> Move | None:
        """The best move beside the one made, if there is one."""
        return None if decision.runner_up is None else answers.move(self.game, self.state, decision.runner_up)
