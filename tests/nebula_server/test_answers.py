"""Moves in answers: those that were written before say what they would say if they were written now."""

import pytest

import nebula_ai
from nebula_ai.registry import STANDARD, Catalogue
from nebula_core.face import Generator
from nebula_server import answers


@pytest.mark.parametrize("full", [True, False])
def test_a_move_written_before_is_the_same(monkeypatch: pytest.MonkeyPatch, full: bool, seed: int) -> None:
    before: dict[tuple[str, int, str, bool], object] = {}
    for name in {game.name for game in Catalogue().games}:
        for variant in nebula_ai.load(name, STANDARD).variants:
            game = nebula_ai.load(name, STANDARD)
            generator = Generator(seed)
            state = game.new(2, variant, seed=seed)
            while not state.finished:
                for number in state.legal_moves():
                    with monkeypatch.context() as patch:
                        patch.setattr(answers, "MOVES", before)
                        kept = answers.move(game, state, number, full)
                        patch.setattr(answers, "MOVES", {})
                        assert kept == answers.move(game, state, number, full)
                state = state.apply(state.random_move(generator)).settle(generator)[0]
    assert 100 < len(before) < 10_000
