"""Why a bot makes a move, in one to three sentences for players. Knows no game by name.

First what the move brings its seat, and what the search has planned for the rest of the turn; then how the game is
expected to end or, where playouts were cut off, how it is to stand some turns later; then how much better that is than
the runner-up. Every number is one of the search's, and nothing rests on what the seat does not see. But its own hidden
cards may be named: who shows a reason to the other players shows them these.
"""

from collections.abc import Sequence
from math import sqrt

from nebula_ai.bots import Decision
from nebula_ai.errors import listed, number_of
from nebula_ai.game import Game
from nebula_ai.search import MoveReport, Result, rest_of_turn
from nebula_core.face import State

ROOM = 70
"""Characters for what a move brings, and as many for what is planned after it. The first thing is told however long it
is, further ones as far as there is room."""

FEW_VISITS = 20
"""Whatever is said of a move with fewer visits than these beside another one is a guess."""

GIVEN_UP = 0.1
"""A move with a smaller part of the visits of the best one was given up early. Its values are not set beside those of
the best one, which grow as more of what can follow it is found."""

CLEAR = 1.5
CLOSE = 0.5
"""The lead from which on a move is clearly best, and below which it is a close call, in standard errors: chance alone
makes such a lead in 1 of 15 cases, and in 1 of 3."""

DEVIATION = 0.5
"""The standard deviation of one simulation's value: it is 0 to 1, so that no more is possible."""


def reason(game: Game, state: State, decision: Decision) -> str:
    """Why a bot that had to decide in `state` made this decision. Equal for states that its seat cannot tell apart."""
    result = decision.result
    made = next(report for report in result.moves if report.move == decision.move)
    sentences = gained(game, state.observe(result.seat), made.line)
    if result.stopped == "unsearched":
        return " ".join([*sentences, "Chosen without a search."])
    if len(result.moves) == 1:
        return " ".join([*sentences, "It is the only legal move."])
    best = result.best
    # A bot that chooses softly may have passed over the best move.
    other = result.moves[1] if made is best else best
    name = f"`{game.format_move(state, other.move)}`"
    if not best.visits:
        return " ".join([*sentences, f"The search tried no move; next on its list is {name}."])
    sentences += outlook(made, result)
    sentences.append((runner_up if made is best else preferred)(made, other, name, result))
    return " ".join(sentences)


def is_exact(result: Result) -> bool:
    """Whether the values are those of best play to the end of the game."""
    return result.stopped == "exhausted"


def is_cut(result: Result) -> bool:
    """Whether the values are of positions some turns later, and not of the end of the game."""
    return result.estimated and not is_exact(result)


def gained(game: Game, seen: State, line: Sequence[int]) -> list[str]:
    """The sentence on what a line brings: at once, and later until the seat's turn ends, chance decides, or the seat
    cannot be sure that the next move is legal; none if there is nothing to tell."""
    first = seen.apply(line[0])
    _, state = rest_of_turn(seen, line)
    at_once = told(game.gains(seen, first))
    planned = told(game.gains(first, state)) if state != first else ""
    if not at_once:
        at_once, planned = f"later this turn {planned}" if planned else "", ""
    text = "; then ".join(part for part in (at_once, planned) if part)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def told(phrases: Sequence[str]) -> str:
    """The first phrases as one; empty if there are none."""
    chosen: list[str] = []
    for phrase in phrases:
        if not chosen or len(listed([*chosen, phrase], "and")) <= ROOM:
            chosen.append(phrase)
    return listed(chosen, "and") if chosen else ""


def outlook(made: MoveReport, result: Result) -> list[str]:
    """The sentence on how the game is expected to go for the seat; none for a move that was never tried."""
    seat = result.seat
    points = [mean for mean in made.points if mean is not None]
    share = made.win_share[seat]
    if share is None:
        return []
    own = round(points[seat])
    lead = own - round(max(points[:seat] + points[seat + 1 :]))
    against = "as many as" if lead == 0 else f"{abs(lead)} {'more' if lead > 0 else 'fewer'} than"
    ahead = f"{against} the best other"
    if is_exact(result):
        return [f"Best play ends with {number_of(own, 'point')}, {ahead}, and {won(share)}."]
    if is_cut(result):
        return [f"Some turns from now it expects {number_of(own, 'point')}, {ahead}; {leads(share)}."]
    return [f"Expects {number_of(own, 'point')}, {ahead}; {wins(share)}."]


def won(share: float) -> str:
    """The result that best play leads to; `share` is the exact share of the win."""
    if share == 1:
        return "wins"
    return "shares the win" if share else "does not win"


def wins(share: float) -> str:
    """How often a seat with this mean share of the win wins; a shared win counts in part."""
    tenths = round(10 * share)
    return how_often(tenths, "wins", f"wins about {number_of(tenths, 'game')} in 10")


def leads(share: float) -> str:
    """How often a seat with this mean share of leading leads; a shared lead counts in part."""
    tenths = round(10 * share)
    return how_often(tenths, "leads then", f"leads then in about {tenths} of 10 lines")


def how_often(tenths: int, does: str, otherwise: str) -> str:
    """In words what happens never or always, as far as tenths tell; `otherwise` in between."""
    if tenths == 0:
        return f"hardly ever {does}"
    return f"nearly always {does}" if tenths == 10 else otherwise


def runner_up(best: MoveReport, other: MoveReport, name: str, result: Result) -> str:
    """The sentence on how sure the choice of `best` is, and how far the runner-up, called `name`, is behind it."""
    seat = result.seat
    value, points, share = other.value[seat], other.points[seat], other.win_share[seat]
    best_value = best.value[seat]
    if value is None or points is None or share is None or best_value is None:
        return f"Runner-up {name} was not tried."
    if is_exact(result):
        return f"Runner-up {name} ends with {number_of(round(points), 'point')}, and {won(share)}."
    if best.visits >= FEW_VISITS and other.visits < GIVEN_UP * best.visits:
        return f"The search soon gave up the runner-up {name}."
    lead = (best_value - value) / (DEVIATION * sqrt(1 / best.visits + 1 / other.visits))
    if best.visits < FEW_VISITS:
        sure = "A guess"
    elif lead >= CLEAR:
        sure = "Clearly best"
    else:
        sure = "Probably best" if lead >= CLOSE else "A close call"
    return f"{sure}: runner-up {name} {difference(other, best, result)}."


def preferred(made: MoveReport, best: MoveReport, name: str, result: Result) -> str:
    """The sentence on the best move, called `name`, where another one was made."""
    if not made.visits:
        return f"The search preferred {name}."
    guess = "at a guess " if made.visits < FEW_VISITS else ""
    return f"The search preferred {name}, which {guess}{difference(best, made, result)}."


def difference(one: MoveReport, other: MoveReport, result: Result) -> str:
    """How `one` does for the seat beside `other`, both of which were tried: in wins (or in how often it leads), and if
    these are alike in points."""
    seat = result.seat

    def more(one: float | None, other: float | None, times: int = 1) -> int:
        assert one is not None, "a move that was tried has numbers"
        assert other is not None, "a move that was tried has numbers"
        return round(times * (one - other))

    games = more(one.win_share[seat], other.win_share[seat], 100)
    if games and is_cut(result):
        return f"leads in about {abs(games)} {'more' if games > 0 else 'fewer'} of 100 lines"
    if games:
        return f"wins about {number_of(abs(games), 'game')} {'more' if games > 0 else 'fewer'} in 100"
    points = more(one.points[seat], other.points[seat])
    if points:
        as_often = "leads as often" if is_cut(result) else "wins as often"
        return f"{as_often}, with {number_of(abs(points), 'point')} {'more' if points > 0 else 'fewer'}"
    return "does as well"
