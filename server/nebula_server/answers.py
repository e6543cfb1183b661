"""Answers: what the library says, as messages. Knows no transport, and no game by name.

What is a game's own goes into the member of a message that is named after the game.
"""

from collections.abc import Sequence

from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message

from nebula_ai.bots import Bot, SearchBot
from nebula_ai.calibration import Calibration
from nebula_ai.errors import CardUnknown, ChancePending
from nebula_ai.game import Game, seat_list
from nebula_ai.search import MoveReport, Result, rest_of_turn
from nebula_ai.v1 import bot_pb2, game_pb2, move_pb2, search_pb2, state_pb2
from nebula_core.face import Generator, State
from nebula_server.errors import Finished

STATUS_DECISION = state_pb2.StateView.STATUS_DECISION
STATUS_CHANCE = state_pb2.StateView.STATUS_CHANCE
STATUS_FINISHED = state_pb2.StateView.STATUS_FINISHED

MOVES: dict[tuple[str, int, str, bool], move_pb2.Move] = {}
"""Moves that were written before, which takes ten times as long as a copy. What a move says follows from its number and
text, whatever the state and the edition. Every text is one that a notation keeps, so they are bounded as those are."""


def put(message: Message, game: Game, part: Message) -> None:
    """Fill the member of `message` that is named after the game."""
    getattr(message, game.name).CopyFrom(part)


def games(loaded: Sequence[Game]) -> list[game_pb2.Game]:
    """The games, each with its editions in their order."""
    messages: dict[str, game_pb2.Game] = {}
    for game in loaded:
        message = messages.setdefault(game.name, game_pb2.Game(game=game.name, display_name=game.title))
        message.editions.append(edition(game))
    return list(messages.values())


def edition(game: Game) -> game_pb2.Edition:
    """One edition, in short."""
    return game_pb2.Edition(
        edition=game.edition,
        variants=game.variants,
        min_players=game.players[0],
        max_players=game.players[-1],
        edition_hash=game.rules.edition_hash.hex(),
    )


def bot(bot: Bot, calibration: Calibration | None) -> bot_pb2.Bot:
    """A bot, and its rating if it has one."""
    message = bot_pb2.Bot(bot=bot.name, description=bot.description, settings_hash=bot.settings_hash)
    if isinstance(bot, SearchBot):
        message.limits.CopyFrom(
            search_pb2.SearchLimits(
                time=None if bot.limits.time is None else duration(bot.limits.time),
                simulations=bot.limits.simulations,
                nodes=bot.limits.nodes,
            )
        )
    if calibration and (strength := calibration.bots.get(bot.name)):
        message.rating.CopyFrom(
            bot_pb2.Rating(
                value=strength.rating,
                low=strength.low,
                high=strength.high,
                games=strength.games,
                engine_version=calibration.engine_version,
                time=duration(strength.milliseconds / 1000),
            )
        )
    return message


def state_view(game: Game, state: State, full: bool) -> state_pb2.StateView:
    """A state in every form, or if it is not `full` without the readable one, and what it waits for."""
    view = state_pb2.StateView(
        game=game.name,
        edition=game.edition,
        variant=game.variant(state),
        players=state.players,
        packed=state.pack(),
        text=game.to_text(state),
    )
    if full:
        put(view, game, game.to_message(state))
    if state.finished:
        view.status = STATUS_FINISHED
        view.outcome.CopyFrom(outcome(game, state))
    elif state.chance_pending:
        view.status = STATUS_CHANCE
        view.possible_outcomes.extend(possible_outcomes(game, state))
        view.chance_target = game.chance_target(state)
    else:
        view.status = STATUS_DECISION
        view.seat = deciding_seat(game, state)
    return view


def possible_outcomes(game: Game, state: State) -> list[move_pb2.PossibleOutcome]:
    """How the pending chance event may come out."""
    chances = state.chances()
    total = sum(weight for _, weight in chances)
    return [
        move_pb2.PossibleOutcome(outcome=chance_outcome(game, state, number), probability=weight / total)
        for number, weight in chances
    ]


def chance_outcome(game: Game, state: State, number: int) -> move_pb2.ChanceOutcome:
    """A chance outcome."""
    return move_pb2.ChanceOutcome(number=number, text=game.format_chance(state, number))


def move(game: Game, state: State, number: int, full: bool = True) -> move_pb2.Move:
    """A move, not to be changed; without its parts if it is not `full`."""
    text = game.format_move(state, number)
    key = (game.name, number, text, full)
    message = MOVES.get(key)
    if message is None:
        message = move_pb2.Move(number=number, text=text)
        if full:
            put(message, game, game.move_message(state, number))
        MOVES[key] = message
    return message


# What happened.


def move_events(game: Game, before: State, after: State) -> list[move_pb2.Event]:
    """What a move brought by the game's own rules."""
    events = []
    for message in game.event_messages(before, after):
        event = move_pb2.Event()
        put(event, game, message)
        events.append(event)
    return events


def chance_events(game: Game, state: State, outcomes: Sequence[int]) -> list[move_pb2.Event]:
    """The chance events that came out one after the other, the first of them pending in `state`."""
    events = []
    for number in outcomes:
        text, target = game.format_chance(state, number), game.chance_target(state)
        events.append(move_pb2.Event(chance=move_pb2.ChanceEvent(number=number, text=text, target=target)))
        state = state.resolve(number)
    return events


def closing_events(game: Game, before: State, after: State) -> list[move_pb2.Event]:
    """What comes last, `after` all that followed from `before`: whose decision it is now, or how the game ended."""
    if after.finished:
        return [move_pb2.Event(outcome=outcome(game, after))]
    if after.seat is not None and after.seat != before.seat:
        return [move_pb2.Event(seat_change=move_pb2.SeatChange(seat=after.seat))]
    return []


def outcome(game: Game, state: State) -> move_pb2.Outcome:
    """How a finished game ended."""
    try:
        winners = game.winners(state)
    except CardUnknown:
        winners = []
    message = move_pb2.Outcome(winners=winners)
    for seat, score in enumerate(game.breakdown(state)):
        if score is not None:
            sources = {source: points for source, points in score.items() if source != "total"}
            message.scores.append(move_pb2.Score(seat=seat, total=score["total"], sources=sources))
    return message


def refuse_finished(game: Game, state: State) -> None:
    """Raises Finished, with the outcome, if the game is over."""
    if not state.finished:
        return
    try:
        points, _ = state.outcome()
    except CardUnknown:
        raise Finished("the game is finished; an unknown card decides who won", "", "") from None
    winners = game.winners(state)
    message = f"the game is finished: {seat_list(winners)} won; points by seat: {numbers(points, ', ')}"
    raise Finished(message, numbers(points), numbers(winners))


def deciding_seat(game: Game, state: State) -> int:
    """The seat that has to decide. Raises Finished and ChancePending."""
    refuse_finished(game, state)
    if state.seat is None:
        raise ChancePending("a chance event is pending: say with ResolveChance how it came out")
    return state.seat


def numbers(values: Sequence[int], separator: str = ",") -> str:
    """Numbers as text."""
    return separator.join(map(str, values))


# Searches.


def analysis(game: Game, seen: State, result: Result, bot: Bot, made: int, full: bool) -> search_pb2.Analysis:
    """What a search found in what its seat sees; if it is not `full`, of the moves only about the one `made`.

    `bot` has no name if the request gave limits.
    """
    chosen = next(report for report in result.moves if report.move == made)
    planned, after = rest_of_turn(seen, chosen.line)
    message = search_pb2.Analysis(
        seat=result.seat,
        stop_rule=search_pb2.StopRule.Value(f"STOP_RULE_{(result.stopped or 'unspecified').upper()}"),
        simulations=result.simulations,
        plies=result.plies,
        depth=result.depth,
        nodes=result.nodes,
        tree_full=result.tree_full,
        estimated=result.estimated,
        time=duration(result.seconds),
        seed=result.seed,
        workers=result.workers,
        worker_simulations=result.worker_simulations,
        bot=bot.name,
        settings_hash=bot.settings_hash,
        engine_version=result.engine_version,
        parameters_hash=result.parameters_hash,
        turn=moves_in_order(game, seen, planned),
        turn_complete=turn_is_over(result.seat, after),
    )
    for report in result.moves if full else (chosen,):
        add_move_analysis(message, game, seen, report)
    return message


def turn_is_over(seat: int, state: State) -> bool:
    """Whether the turn of `seat` is over, now or after the chance events that are pending."""
    if state.chance_pending:
        # Whose turn it is then is the same however they come out.
        generator = Generator(0)
        state = state.determinize(seat, generator).settle(generator)[0]
    return state.seat != seat


def moves_in_order(game: Game, state: State, numbers: Sequence[int]) -> list[move_pb2.Move]:
    """Moves that are made one after the other."""
    messages = []
    for number in numbers:
        messages.append(move(game, state, number))
        state = state.apply(number)
    return messages


def add_move_analysis(message: search_pb2.Analysis, game: Game, state: State, report: MoveReport) -> None:
    """Add what a search found about one move.

    Made where they stand and number by number, the parts take less than half as long: an answer has up to hundreds.
    """
    part = message.moves.add(
        move=move(game, state, report.move),
        visits=report.visits,
        availability=report.availability,
        line=[game.format_move(state, number) for number in report.line],
    )
    for value, win_share, points in zip(report.value, report.win_share, report.points, strict=True):
        if value is not None and win_share is not None and points is not None:
            evaluation = part.evaluations.add()
            evaluation.value = value
            evaluation.win_share = win_share
            evaluation.points = points


def duration(seconds: float) -> Duration:
    """A duration from seconds, to the microsecond."""
    message = Duration()
    message.FromMicroseconds(round(seconds * 1_000_000))
    return message
