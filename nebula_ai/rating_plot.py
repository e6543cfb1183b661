"""A picture of ratings: one panel a game, the bots ordered by rating, with their intervals as bars.

Needs Matplotlib, of the extra `rate`. Knows no game by name.
"""

from collections.abc import Sequence
from pathlib import Path

import matplotlib
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine

from nebula_ai.errors import InvalidInput, listed, shown_path
from nebula_ai.rating import Ratings
from nebula_ai.registry import load

FORMATS = (".png", ".svg")

WIDTH = 6.2
"""Inches of a panel; the height is so much for each bot, and so much for what is above and below them."""
HEIGHT = 0.36
MARGIN = 1.35
DOTS = 160
"""Of a PNG, per inch."""

INK, QUIET, GRID, BAR, DOT = "#1f2430", "#6b7280", "#e5e7eb", "#9db8e8", "#2456b3"


def check_format(path: Path) -> None:
    """Raises InvalidInput (field ``plot``) unless the name of the file ends with one of the formats."""
    if path.suffix.lower() not in FORMATS:
        raise InvalidInput("plot", f"the name must end with {listed(FORMATS)}, not {shown_path(path.name)}")


def plot(ratings: Sequence[Ratings], path: Path) -> None:
    """Draws the ratings of one game or several into a file, PNG or SVG by its name. Raises InvalidInput, OSError."""
    check_format(path)
    most = max(len(one.bots) for one in ratings)
    style = matplotlib.rc_context(
        {
            "font.family": "DejaVu Sans",
            "font.size": 10.0,
            "axes.edgecolor": GRID,
            "xtick.color": QUIET,
            "ytick.color": INK,
            # A name from a file is no formula, whatever it looks like.
            "text.parse_math": False,
            # Equal ratings, equal file; and no date in it.
            "svg.hashsalt": "ratings",
        }
    )
    with style:
        size = (WIDTH * len(ratings), MARGIN + HEIGHT * most)
        figure = Figure(
            figsize=size, layout=ConstrainedLayoutEngine(w_pad=0.12, h_pad=0.12, wspace=0.03), facecolor="white"
        )
        for axes, one in zip(figure.subplots(1, len(ratings), squeeze=False)[0], ratings, strict=True):
            draw(axes, one)
        figure.savefig(path, dpi=DOTS, metadata={"Date": None} if path.suffix.lower() == ".svg" else None)


def draw(axes: Axes, ratings: Ratings) -> None:
    """One game, the strongest bot on top."""
    bots = ratings.bots
    places = range(len(bots))
    low, high = min(bot.low for bot in bots), max(bot.high for bot in bots)
    axes.set_title(load(ratings.game).title, loc="left", fontsize=13, fontweight="bold", color=INK, pad=12)
    axes.axvline(0, color=QUIET, linewidth=1, zorder=1)
    axes.barh(
        places, [bot.high - bot.low for bot in bots], 0.5, [bot.low for bot in bots], color=BAR, zorder=2, linewidth=0
    )
    axes.plot([bot.rating for bot in bots], places, "o", color=DOT, markersize=6, zorder=3)
    for place, bot in enumerate(bots):
        axes.annotate(
            f"{bot.rating:.0f}", (bot.high, place), (7, 0), textcoords="offset points", va="center", color=INK
        )
    axes.set_yticks(places, [bot.bot for bot in bots])
    axes.set_ylim(len(bots) - 0.4, -0.6)
    # Room for the numbers on the right.
    room = max(high - low, 1.0)
    axes.set_xlim(low - 0.04 * room, high + 0.12 * room)
    axes.grid(axis="x", color=GRID, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(length=0)
    axes.spines[["top", "left", "right"]].set_visible(False)
    axes.set_xlabel(f"rating in points ({ratings.anchor} = 0), bars: 95 % intervals", color=QUIET)
