"""A search-based opponent for board games: load a game, read or make a state, ask for a move.

What stands here is the library's face; the rest is for those who build on it.
"""

from importlib.metadata import version

__version__ = version("nebula-ai")

from nebula_ai.bots import Bot, Decision, bots_of
from nebula_ai.errors import (
    CardUnknown,
    ChanceError,
    ChancePending,
    EditionError,
    GameFinished,
    GameNotFinished,
    InvalidInput,
    LimitError,
    MoveError,
    NoChancePending,
    NotPossibleNow,
    StateError,
)
from nebula_ai.game import Game
from nebula_ai.reading import read_state
from nebula_ai.registry import load
from nebula_ai.search import Limits, Result, search
from nebula_core.face import Generator, State

__all__ = [
    "Bot",
    "CardUnknown",
    "ChanceError",
    "ChancePending",
    "Decision",
    "EditionError",
    "Game",
    "GameFinished",
    "GameNotFinished",
    "Generator",
    "InvalidInput",
    "LimitError",
    "Limits",
    "MoveError",
    "NoChancePending",
    "NotPossibleNow",
    "Result",
    "State",
    "StateError",
    "__version__",
    "bots_of",
    "load",
    "read_state",
    "search",
]
