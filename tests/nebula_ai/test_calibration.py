"""The measured strengths of a game's bots: how their file is read, and what is refused."""

from typing import Any

import pytest

from nebula_ai.bench import recorded_signature
from nebula_ai.bots import bots_of
from nebula_ai.calibration import RATINGS, Calibration, Strength, calibration_of, read_calibration
from nebula_ai.errors import InvalidInput
from nebula_ai.registry import GAMES, load


def content(**changes: Any) -> dict[str, Any]:
    """A file's content, with one bot."""
    random = {"rating": 0, "low": -0.0, "high": 0.0, "games": 900, "milliseconds": 0.05, "settings_hash": "ab"}
    return {"engine_version": "1.2.3", "bench_signature": "0f" * 8, "setups": 50, "bots": {"random": random | changes}}


def test_a_file() -> None:
    strength = Strength(rating=0, low=0.0, high=0.0, games=900, milliseconds=0.05, settings_hash="ab")
    assert read_calibration(content()) == Calibration("1.2.3", "0f" * 8, 50, {"random": strength})


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"rating": 5}, "bots.random.rating: 5 is not within -0 to 0"),
        ({"rating": "strong"}, "bots.random.rating: must be a number, not 'strong'"),
        ({"low": float("nan")}, "bots.random.low: must be -10000 to 10000, not nan"),
        ({"games": 0}, "bots.random.games: must be 1 to"),
        ({"games": 1.5}, "bots.random.games: must be a whole number"),
        ({"milliseconds": -1}, "bots.random.milliseconds: must be 0 to"),
        ({"settings_hash": 5}, "bots.random.settings_hash: must be a text, not 5"),
        ({"luck": 1}, "bots.random.luck: the key 'luck' is not known"),
    ],
)
def test_a_file_that_is_wrong(changes: dict[str, Any], error: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        read_calibration(content(**changes))
    assert str(refused.value).startswith(error)


def test_a_file_with_a_key_missing() -> None:
    for key in content():
        whole = content()
        del whole[key]
        with pytest.raises(InvalidInput, match=rf"^{key}: is missing$"):
            read_calibration(whole)


@pytest.mark.parametrize("name", GAMES)
def test_the_bots_of_this_version_are_rated(name: str) -> None:
    game = load(name)
    calibration = calibration_of(type(game))
    missing = f"nebula_ai/games/{name}/{RATINGS} is missing, or older than the bots: run make calibrate"
    assert calibration is not None, missing
    assert calibration.bench_signature == recorded_signature(), missing
    assert {bot: strength.settings_hash for bot, strength in calibration.bots.items()} == {
        bot.name: bot.settings_hash for bot in bots_of(game).values()
    }, missing
    assert calibration.bots["random"].rating == 0
