"""The tuner: its help needs nothing; a study goes on from its file. Skipped in part where Optuna is not installed."""

import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from benchmarks import tune
from nebula_ai.commands.common import Failure
from nebula_ai.registry import GAMES

GAME = next(iter(GAMES))

app = typer.Typer()
app.command()(tune.main)


def study(output: Path, trials: int, capsys: pytest.CaptureFixture[str]) -> list[tuple[str, ...]]:
    """The words of the lines that a run prints."""
    tune.main(output, GAME, players=2, trials=trials, setups=2, simulations=5, workers=1)
    return [tuple(line.split()) for line in capsys.readouterr().out.splitlines()]


def test_help_says_what_it_takes() -> None:
    result = CliRunner().invoke(app, ["--help"], env={"COLUMNS": "100", "TERM": "dumb"})
    assert result.exit_code == 0
    for option in ("--output", "--game", "--players", "--trials", "--setups", "--time"):
        assert option in result.output


def test_missing_optuna_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(Failure, match=r"pip install 'nebula-ai\[tune\]'"):
        tune.main(tmp_path / "study.log", GAME)


def test_study_goes_on_from_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("optuna")
    output = tmp_path / "study.log"
    best, heading, *first = study(output, 2, capsys)
    assert heading[:5] == ("trial", "exploration", "playout_turns", "playout_choices", "wins")
    assert sorted(trial[0] for trial in first) == ["0", "1"]
    best, heading, *more = study(output, 3, capsys)
    assert len(more) == 3
    assert set(first) < set(more)
    shares = [float(share.rstrip("%")) for _, _, _, _, share, *_ in more]
    assert shares == sorted(shares, reverse=True)
    _, exploration, turns, choices, *_ = more[0]
    bot = f"strong:simulations=5,exploration={exploration},playout_turns={turns},playout_choices={choices}"
    assert best == ("best:", bot)
    assert study(output, 2, capsys) == [best, heading, *more]


def test_file_of_something_else_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("optuna")
    output = tmp_path / "study.log"
    output.write_text("something else\n", encoding="utf-8")
    with pytest.raises(Failure, match="no file of Optuna's studies"):
        tune.main(output, GAME)
    with pytest.raises(Failure, match="No such file or directory"):
        tune.main(tmp_path / "missing" / "study.log", GAME)


def test_one_budget(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="--time or --simulations"):
        tune.main(tmp_path / "study.log", GAME, time=0.1, simulations=10)
