"""A bot's answer in texts and plain numbers: what the command line prints as JSON or as a table, whoever searched.

Values, win shares and points are lists by seat, each from that seat's point of view; None where a move was never tried.
"""

from collections.abc import Sequence
from typing import TypedDict

from rich.table import Table

from nebula_ai.bots import Decision
from nebula_ai.game import Game
from nebula_ai.reasons import reason
from nebula_core.face import State

SHOWN_MOVES = 10
"""Rows of the table; the JSON has every move."""


class MoveAnswer(TypedDict):
    """What is known of one legal move."""

    move: str
    number: int
    visits: int
    availability: int
    value: list[float] | None
    win_share: list[float] | None
    points: list[float] | None
    line: list[str]


class Answer(TypedDict):
    """A move and what it rests on."""

    seat: int
    move: str
    number: int
    reason: str
    """In words for players."""
    runner_up: str | None
    stopped: str
    simulations: int
    plies: int
    depth: int
    nodes: int
    tree_full: bool
    estimated: bool
    """Whether playouts were cut off: see `nebula_ai.search.Result`."""
    seconds: float
    seed: int
    workers: int
    engine_version: str
    parameters_hash: str
    moves: list[MoveAnswer]


def from_decision(game: Game, state: State, decision: Decision) -> Answer:
    """The answer of a bot that was asked here, in `state`."""
    result = decision.result
    return Answer(
        seat=result.seat,
        move=game.format_move(state, decision.move),
        number=decision.move,
        reason=reason(game, state, decision),
        runner_up=None if decision.runner_up is None else game.format_move(state, decision.runner_up),
        stopped=result.stopped,
        simulations=result.simulations,
        plies=result.plies,
        depth=result.depth,
        nodes=result.nodes,
        tree_full=result.tree_full,
        estimated=result.estimated,
        seconds=result.seconds,
        seed=result.seed,
        workers=result.workers,
        engine_version=result.engine_version,
        parameters_hash=result.parameters_hash,
        moves=[
            MoveAnswer(
                move=game.format_move(state, report.move),
                number=report.move,
                visits=report.visits,
                availability=report.availability,
                value=known(report.value),
                win_share=known(report.win_share),
                points=known(report.points),
                line=[game.format_move(state, move) for move in report.line],
            )
            for report in result.moves
        ],
    )


def known(values: Sequence[float | None]) -> list[float] | None:
    """The numbers of all seats; None if they are not known (for all or for none)."""
    numbers = [value for value in values if value is not None]
    return numbers or None


def headline(answer: Answer) -> str:
    """The move, and below it why, what ended the search and what it cost."""
    lines = [f"seat {answer['seat']}: {answer['move']}"]
    # A server that is older gives no reason.
    if answer["reason"]:
        lines.append(answer["reason"])
    costs = [
        f"{answer['simulations']:,} simulations",
        f"{answer['plies']:,} plies",
        f"depth {answer['depth']}",
        f"{answer['nodes']:,} nodes{' (no memory for more)' if answer['tree_full'] else ''}",
        f"{answer['seconds']:.2f} s",
    ]
    parts = [f"seed {answer['seed']}", f"{answer['workers']} worker{'s' if answer['workers'] > 1 else ''}"]
    lines.append(f"stopped: {answer['stopped']} ({', '.join([*(costs if searched(answer) else ()), *parts])})")
    return "\n".join(lines)


def searched(answer: Answer) -> bool:
    """Whether the bot is one that searches: else there are no figures."""
    return answer["stopped"] != "unsearched"


def table(answer: Answer) -> Table:
    """The best moves; all figures are those of the seat that decides, and headed as what they are where estimated."""
    seat = answer["seat"]
    shown = answer["moves"][:SHOWN_MOVES]
    captions = []
    rows = Table(box=None, pad_edge=False)
    rows.add_column("move", no_wrap=True)
    ends = ("leads then", "points then") if answer["estimated"] else ("win share", "points")
    for heading in ("visits", "value", *ends):
        rows.add_column(heading, justify="right", no_wrap=True)
    for report in shown:
        rows.add_row(
            report["move"],
            f"{report['visits']:,}",
            cell(report["value"], seat, "{:.3f}"),
            cell(report["win_share"], seat, "{:.1%}"),
            cell(report["points"], seat, "{:.1f}"),
        )
    if len(answer["moves"]) > len(shown):
        captions.append(f"and {len(answer['moves']) - len(shown)} more: --json has every move")
    if answer["estimated"]:
        captions.append("then: where playouts were cut off")
    rows.caption = "\n".join(captions) or None
    rows.caption_justify = "left"
    return rows


def cell(values: Sequence[float] | None, seat: int, form: str) -> str:
    """One seat's number, or a dash."""
    return "-" if values is None else form.format(values[seat])
