"""How strong a game's bots were found to be: the file ratings.toml of its package, which only `make calibrate` writes.

Knows no game by name. How ratings come from games is in `rating`.
"""

from dataclasses import dataclass
from functools import cache

from nebula_ai.bots import read_of_package
from nebula_ai.checked import top_table
from nebula_ai.errors import InvalidInput
from nebula_ai.game import Game

RATINGS = "ratings.toml"

MAX_POINTS = 10_000
MAX_GAMES = 2**31 - 1
MAX_MILLISECONDS = 86_400_000


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong a bot is, in Elo points above the bot `random`, and how long it thinks."""

    rating: float
    low: float
    """The lower end of the 95 % interval."""
    high: float
    """The upper end of the 95 % interval."""
    games: int
    """How many games of this bot the rating rests on."""
    milliseconds: float
    """How long a decision typically took, on one core of the machine that measured."""
    settings_hash: str
    """`Bot.settings_hash` then: as long as it is the same, the bot plays as it did."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """What was measured of a game's bots, with its standard edition, and with which engine."""

    engine_version: str
    bench_signature: str
    """What the bench printed then: as long as it prints the same, the engine does what it did."""
    setups: int
    """How many setups each pairing played."""
    bots: dict[str, Strength]
    """By name; a bot that was not measured is not among them."""


@cache
def calibration_of(game: type[Game]) -> Calibration | None:
    """The content of the file in the package of a game's class; None if there is no file.

    Raises InvalidInput naming the key if the file is wrong.
    """
    return read_of_package(game, RATINGS, read_calibration)


def read_calibration(content: dict[str, object]) -> Calibration:
    """The content of a parsed file. Raises InvalidInput naming the key."""
    top = top_table(content, InvalidInput, RATINGS, ("engine_version", "bench_signature", "setups", "bots"))
    bots = {}
    for name, value in top["bots"].mapping().items():
        keys = value.table(("rating", "low", "high", "games", "milliseconds", "settings_hash"))
        strength = Strength(
            rating=keys["rating"].real(-MAX_POINTS, MAX_POINTS),
            low=keys["low"].real(-MAX_POINTS, MAX_POINTS),
            high=keys["high"].real(-MAX_POINTS, MAX_POINTS),
            games=keys["games"].integer(1, MAX_GAMES),
            milliseconds=keys["milliseconds"].real(0, MAX_MILLISECONDS),
            settings_hash=keys["settings_hash"].text(),
        )
        if not strength.low <= strength.rating <= strength.high:
            keys["rating"].refuse(f"{strength.rating:g} is not within {strength.low:g} to {strength.high:g}")
        bots[name] = strength
    return Calibration(
        engine_version=top["engine_version"].text(),
        bench_signature=top["bench_signature"].text(),
        setups=top["setups"].integer(1, MAX_GAMES),
        bots=bots,
    )
