"""The calibration: what it writes is what the library reads, and what has been played is not played again."""

import tomllib
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import pytest

from benchmarks import calibrate
from nebula_ai import bots, rating
from nebula_ai.arena import results
from nebula_ai.bench import recorded_signature
from nebula_ai.bots import LEVELS, Bot, bots_of, parse_bot
from nebula_ai.calibration import Calibration, read_calibration
from nebula_ai.game import Game
from nebula_ai.rating import Rating, Ratings
from nebula_ai.registry import GAMES, Catalogue, standard

GAME = next(iter(GAMES))
PAIR = ("novice", "random")


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A place for what is written, for one game of which only two bots play."""

    def two_bots(game: Game) -> dict[str, Bot]:
        return {name: bot for name, bot in bots_of(game).items() if name in PAIR}

    monkeypatch.setattr(calibrate, "ROOT", tmp_path)
    monkeypatch.setattr(calibrate, "PLOT", tmp_path / "ratings.svg")
    monkeypatch.setattr(calibrate, "GAMES", {GAME: GAMES[GAME]})
    monkeypatch.setattr(calibrate, "RUNGS", [PAIR])
    monkeypatch.setattr(calibrate, "FURTHER", [])
    monkeypatch.setattr(calibrate, "bots_of", two_bots)
    monkeypatch.setattr(calibrate, "available_cores", lambda: 1)
    monkeypatch.setattr(calibrate, "DECISIONS", 6)
    monkeypatch.setattr(rating, "RESAMPLES", 20)
    (tmp_path / "nebula_ai" / "games" / GAME).mkdir(parents=True)
    return tmp_path


def written(root: Path) -> Calibration:
    """The ratings that stand there."""
    file = root / "nebula_ai" / "games" / GAME / "ratings.toml"
    return read_calibration(tomllib.loads(file.read_text(encoding="utf-8")))


def test_calibration_goes_on_from_what_was_played(
    root: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = root / "games"
    calibrate.main(2, folder)
    first = written(root)
    assert first.bench_signature == recorded_signature()
    assert first.setups == 2
    assert list(first.bots) == ["random", "novice"]
    for strength in first.bots.values():
        assert strength.games == 4
        assert strength.milliseconds > 0
    assert first.bots["random"].rating == 0
    assert (root / "ratings.svg").read_text(encoding="utf-8").startswith("<?xml")
    tables = capsys.readouterr().out
    assert tables.startswith(f"## {standard(GAME).title}\n")
    assert tables.count("| novice ") == 2
    assert "4 players (even: 25.0%)" in tables

    files = {path: path.read_bytes() for path in folder.iterdir()}
    assert sorted(results.read(path).header.players for path in files) == [2, 3, 4]

    def refuse(*_: object) -> NoReturn:
        raise AssertionError("a game is played again")

    monkeypatch.setattr(calibrate, "play", refuse)
    calibrate.main(2, folder)
    assert {path: path.read_bytes() for path in folder.iterdir()} == files
    assert {name: one.rating for name, one in written(root).bots.items()} == {
        name: one.rating for name, one in first.bots.items()
    }
    path, content = max(files.items(), key=lambda item: len(item[1]))
    path.write_bytes(content[: content.rstrip().rfind(b"\n") + 10])
    with pytest.raises(AssertionError, match="a game is played again"):
        calibrate.main(2, folder)


def test_changed_level_gets_files_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    game = standard(GAME)

    def path(setups: int = 2) -> Path:
        return calibrate.match(game, 2, PAIR, setups, tmp_path).path

    first = path()
    assert path() == first
    assert path(3) != first
    changed = replace(parse_bot(game, "novice:power=0.7"), name="novice")
    monkeypatch.setattr(bots, "bots_of", lambda game: bots_of(game) | {"novice": changed})
    assert path() != first


@pytest.mark.parametrize("game", Catalogue().games, ids=list(GAMES))
def test_matches_connect_all_bots(game: Game, tmp_path: Path) -> None:
    wanted = calibrate.matches(game, 10, tmp_path)
    assert len({match.path for match in wanted}) == len(wanted)
    of_two = [set(match.header.bots) for match in wanted if match.header.players == 2]
    reached = {"random"}
    while more := {bot for pair in of_two if pair & reached for bot in pair} - reached:
        reached |= more
    assert reached == set(bots_of(game))
    for players in game.players:
        pairs = [match.header.bots for match in wanted if match.header.players == players]
        assert set(zip(LEVELS, ("random", *LEVELS), strict=False)) <= set(pairs)


def test_written_ratings_are_read_as_they_were() -> None:
    rated = [Rating("master", 812.4, 790.6, 840.2, 40, 80), Rating("random", 0.0, 0.0, 0.0, 40, 80)]
    ratings = Ratings("nebula", "random", "1.2", "aa", (2,), 40, 80, rated)
    there = bots_of(standard("nebula"))
    content = calibrate.as_toml(ratings, 40, there, {"master": 1234.5, "random": 0.0312})
    found = read_calibration(tomllib.loads(content))
    assert (found.engine_version, found.bench_signature, found.setups) == ("1.2", "aa", 40)
    master = found.bots["master"]
    assert (master.rating, master.low, master.high, master.games) == (812, 791, 840, 80)
    assert (master.milliseconds, found.bots["random"].milliseconds) == (1234, 0.03)
    assert {name: one.settings_hash for name, one in found.bots.items()} == {
        name: there[name].settings_hash for name in ("random", "master")
    }
