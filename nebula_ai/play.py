"""A game in the terminal: a person at some seats, a bot at the others.

The person sees what their seats see and nothing else: the board is drawn from the view of the seat that decides, and
of what happens only that is told which one of their seats can tell. Knows no game by name.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from rich.columns import Columns
from rich.console import Console
from rich.table import Table

from nebula_ai.errors import InvalidInput
from nebula_ai.game import Game, seat_list
from nebula_core.face import Generator, State

HELP = "A move by number or text; ? or help lists the moves, board draws the boards, quit ends the game."


@dataclass(frozen=True)
class Session:
    """Who plays what, and with whom."""

    game: Game
    people: Collection[int]
    """Seats of the person; the bot has the others."""
    bot: Callable[[State, int], int]
    """The move of the bot in a state, with this seed."""
    seed: int
    """Every chance event and every search of the game comes from it."""
    read: Callable[[str], str | None]
    """Asks the person with this prompt; None when no more input will come."""
    console: Console


def play(session: Session, state: State) -> State:
    """Plays from `state` to the end, or until the person quits; the last state."""
    chance = Generator(session.seed, 1)
    decisions = 0
    shown_to: int | None = None  # the seat whose view is on the screen
    layout_shown = False
    while not state.finished:
        if state.chance_pending:
            state = draw_chance(session, state, chance)
            continue
        seat = state.seat
        assert seat is not None
        if seat in session.people:
            if shown_to != seat:
                session.console.print()
                show_board(session, state.observe(seat), with_layout=not layout_shown)
            shown_to = seat
            layout_shown = True
            list_moves(session, state)
            move = ask(session, state, seat)
            if move is None:
                return state
        else:
            shown_to = None
            move = session.bot(state, (session.seed + decisions) % 2**64)
            session.console.print(f"seat {seat}: {told(session, state, move)}")
        state = state.apply(move)
        decisions += 1
    show_end(session, state)
    return state


def draw_chance(session: Session, state: State, generator: Generator) -> State:
    """The state after all pending chance events; tells those that the person sees."""
    settled, outcomes = state.settle(generator)
    texts = []
    for outcome in outcomes:
        if any(sees_outcome(state, outcome, seat) for seat in session.people):
            texts.append(f"{session.game.format_chance(state, outcome)} ({session.game.chance_target(state)})")
        state = state.resolve(outcome)
    for text in texts:
        session.console.print(f"chance: {text}")
    return settled


def sees_outcome(state: State, outcome: int, seat: int) -> bool:
    """Whether a seat can tell how the pending chance event came out: some other outcome would look different to it."""
    # Asked of the seat's view: an outcome that only hidden truth excludes is one for it.
    view = state.observe(seat)
    seen = view.resolve(outcome).observe(seat)
    others = [other for other, _ in view.chances() if other != outcome]
    return not others or any(view.resolve(other).observe(seat) != seen for other in others)


def told(session: Session, state: State, move: int) -> str:
    """What the person is told of another seat's move."""
    if any(sees_move(state, move, seat) for seat in session.people):
        return described(session.game, state, move)
    return "a secret move"


def sees_move(state: State, move: int, seat: int) -> bool:
    """Whether a seat can tell which move another one makes: some other move would look different to it."""
    seen = state.apply(move).observe(seat)
    others = [other for other in state.legal_moves() if other != move]
    if not others:
        # A forced move is secret too if the seat does not know what it was forced to.
        return move in state.observe(seat).legal_moves()
    return any(state.apply(other).observe(seat) != seen for other in others)


def described(game: Game, state: State, move: int) -> str:
    """The text of a move, and what it brings as far as the text does not say it: ``take 0 (violet)``."""
    description = game.describe_move(state, move)
    return f"{game.format_move(state, move)} ({description})" if description else game.format_move(state, move)


def show_board(session: Session, state: State, *, with_layout: bool) -> None:
    """The boards; with what no move changes, if it is to be said as well."""
    session.console.print(session.game.draw(state))
    if with_layout:
        session.console.print()
        session.console.print(session.game.draw_layout())


def list_moves(session: Session, state: State) -> None:
    """The legal moves with their numbers, in columns."""
    moves = [described(session.game, state, move) for move in state.legal_moves()]
    width = len(str(len(moves)))
    numbered = [f"{number:>{width}} {text}" for number, text in enumerate(moves, 1)]
    session.console.print(Columns(numbered, padding=(0, 3)))


def ask(session: Session, state: State, seat: int) -> int | None:
    """The move that the person chooses for a seat; None if they quit or their input has ended."""
    moves = state.legal_moves()
    while True:
        line = session.read(f"seat {seat}> ")
        if line is None:
            session.console.print("The input has ended, and the game with it.")
            return None
        word = line.strip()
        if word == "quit":
            return None
        if word == "board":
            show_board(session, state.observe(seat), with_layout=True)
        elif word in ("?", "help"):
            list_moves(session, state)
            session.console.print(HELP)
        elif word.isascii() and word.isdigit():
            if len(word) < 6 and 1 <= int(word) <= len(moves):
                return moves[int(word) - 1]
            session.console.print(f"There are moves 1 to {len(moves)}.")
        elif word:
            try:
                return session.game.parse_move(state, word)
            except InvalidInput as error:
                session.console.print(f"{error.reason} (? lists the moves)")


def show_end(session: Session, state: State) -> None:
    """The final boards, the points by source, and who has won."""
    session.console.print(session.game.draw(state))
    scores = session.game.breakdown(state)
    table = Table(box=None, pad_edge=False)
    table.add_column("points")
    for seat in range(state.players):
        table.add_column(f"seat {seat}", justify="right")
    for source in scores[0] or {}:
        table.add_row(source.replace("_", " "), *(str(score[source]) if score else "?" for score in scores))
    session.console.print(table)
    winners = session.game.winners(state)
    session.console.print(f"{seat_list(winners)} {'wins' if len(winners) == 1 else 'share the win'}.".capitalize())
