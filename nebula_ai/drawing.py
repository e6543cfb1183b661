"""What the boards of all games have in common in a terminal: at most 100 columns, readable without colours. Knows no
game.
"""

from collections.abc import Sequence
from itertools import islice

from rich.console import Group, RenderableType
from rich.constrain import Constrain
from rich.table import Table
from rich.text import Text

from nebula_ai.errors import CardUnknown, number_of
from nebula_ai.game import seat_list
from nebula_core.face import State

WIDTH = 100
"""Columns that the boards take at most."""


def stacked(parts: Sequence[RenderableType]) -> RenderableType:
    """Parts of the boards below each other, an empty line between any two."""
    spaced = [part for pair in ((part, Text()) for part in parts) for part in pair]
    return Constrain(Group(*islice(spaced, len(spaced) - 1)), WIDTH)


def grid(columns: int, gap: int) -> Table:
    """An empty table without lines; what is too long for a narrow terminal goes on below."""
    table = Table.grid(padding=(0, gap, 0, 0))
    for _ in range(columns):
        table.add_column(overflow="fold")
    return table


def card_table(name: str, *columns: str) -> Table:
    """An empty table of cards: after each card's name a column called `name`, and further ones."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    table.add_column(overflow="fold")
    table.add_column(name, overflow="fold")
    for column in columns:
        table.add_column(column, justify="right", overflow="fold")
    return table


def two_by_two(parts: Sequence[RenderableType]) -> Table:
    """Parts of the boards, two side by side."""
    table = grid(2, 3)
    for first in range(0, len(parts), 2):
        if first:
            table.add_row()
        table.add_row(*parts[first : first + 2])
    return table


def points(number: int) -> str:
    """``1 point``, ``2 points``."""
    return number_of(number, "point")


def waits_for(state: State, what: str) -> Text:
    """The end of a heading: whose decision it is, or which chance event comes; of a finished game who won."""
    if not state.finished:
        return Text(what if state.seat is None else f"seat {state.seat} {what}", "bold")
    text = Text("finished", "bold")
    try:
        shares = state.outcome()[1]
    except CardUnknown:
        return text
    winners = [seat for seat, share in enumerate(shares) if share]
    return text.append(f", won by {seat_list(winners)}", "bold")


def seat_heading(state: State, seat: int, total: int | None) -> Text:
    """A seat, its points if the game ended now (None: an unknown card counts), and whether it is to move."""
    text = Text(f"Seat {seat}", "bold")
    text.append(", points unknown" if total is None else f", {points(total)}")
    if seat == state.seat:
        text.append(" <- to move", "bold")
    return text


def letters(names: Sequence[str]) -> list[str]:
    """A letter for each name, no two alike: its first one that is still free, or else its number.

    Small ones, because O looks too much like 0 beside numbers.
    """
    taken: list[str] = []
    for number, name in enumerate(names):
        free = [letter for letter in name.lower() if letter.isalpha() and letter not in taken]
        taken.append(free[0] if free else str(number))
    return taken
