"""The bench: its positions, and the signature of this version."""

import pytest

from nebula_ai import bench
from nebula_ai.registry import Catalogue


@pytest.fixture(scope="module")
def positions() -> list[bench.Position]:
    return list(bench.positions(Catalogue().games))


def test_signature_is_the_recorded_one(positions: list[bench.Position]) -> None:
    found = bench.total([bench.measure(position) for position in positions]).signature
    assert found == bench.recorded_signature(), (
        "the behaviour of rules, random numbers or search has changed; "
        f'if that was meant, write signature = "{found}" into nebula_ai/bench.toml'
    )


def test_every_game_variant_and_number_of_players_has_its_positions(positions: list[bench.Position]) -> None:
    names = [position.name for position in positions]
    assert len(set(names)) == len(names)
    assert names == [
        f"{game.name} {variant} {players} {stage}"
        for game in Catalogue().games
        for variant in game.variants
        for players in game.players
        for stage in bench.STAGES
    ]
    for position in positions:
        assert len(position.state.legal_moves()) > 1
        assert str(position.state.players) in position.name


def test_signature_is_of_everything_that_was_found(
    positions: list[bench.Position], monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bench.measure(positions[0])
    assert bench.measure(positions[0]).signature == first.signature
    assert bench.measure(positions[1]).signature != first.signature
    monkeypatch.setattr(bench, "SEED", bench.SEED + 1)
    assert bench.measure(positions[0]).signature != first.signature


def test_total_adds_up(positions: list[bench.Position]) -> None:
    parts = [bench.measure(position) for position in positions[:2]]
    total = bench.total(parts)
    assert total.simulations == parts[0].simulations + parts[1].simulations == 2 * bench.SIMULATIONS
    assert total.nodes == parts[0].nodes + parts[1].nodes
    assert total.plies == parts[0].plies + parts[1].plies
    assert total.signature != bench.total(parts[::-1]).signature
