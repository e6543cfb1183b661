"""What a terminal shows of a game's boards."""

import io

from rich.console import Console

from nebula_ai.game import Game
from nebula_core.face import State


def drawn(game: Game, state: State, width: int = 100, color: bool = False) -> str:
    """What a terminal of this width shows."""
    out = io.StringIO()
    console = Console(file=out, width=width, force_terminal=color, color_system="truecolor" if color else None)
    console.print(game.draw(state))
    console.print(game.draw_layout())
    return out.getvalue()


def line_of(text: str, *words: str) -> str:
    """The first line with all these words, its white space made single."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    found = [line for line in lines if all(word in line for word in words)]
    assert found, f"no line has {words} in:\n{text}"
    return found[0]
