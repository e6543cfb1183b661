"""Editions that do not fit together, or not into the core: refused with the key and the reason."""

from dataclasses import replace
from typing import Any

import pytest

from nebula_core.errors import EditionError
from nebula_core.via_nebula import edition as core
from nebula_core.via_nebula.edition import Terrain, TokenKind
from nebula_core.via_nebula.rules import ViaNebulaRules
from tests.nebula_core.changes import Change, set_at
from tests.nebula_core.via_nebula.editions import standard
from tests.nebula_core.via_nebula.positions import Make, Table


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        (
            set_at("maps", "beginner", "rows", 0, ". . m . m . m . R m"),
            "maps.beginner.rows",
            "23 meadows, but 24 tokens",
        ),
        (set_at("setup", "special_removed", 0), "maps.beginner.rows", "24 meadows, but 25 tokens"),
        (set_at("neutral_contract", 1, "effect", "kind", "jump"), "neutral_contract[1].effect.kind", "'jump'"),
        (set_at("neutral_contract", 30, "effect", "per", "sites"), "neutral_contract[30].effect.per", "'sites'"),
    ],
)
def test_a_file_that_does_not_fit_together(make: Make, change: Change, field: str, reason: str) -> None:
    edition = standard()
    change(edition)
    with pytest.raises(EditionError) as refused:
        make(edition)
    assert refused.value.field == field
    assert reason in refused.value.reason


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("maps", {"maps": 9}),
        ("maps[0]", {"hexes": 121}),
        ("maps[0]", {"meadows": 33}),
        ("maps[0]", {"ruins": 33}),
        ("maps[0]", {"rows": (64, 56)}),
        ("players", {"max_players": 5}),
        ("pieces.sites", {"sites": (4, 3, 3)}),
        ("pieces.buildings", {"buildings": (5, 5, 9)}),
        ("pieces.meadow_stacks", {"meadow_stacks": (4, 11, 4), "meadow_stack_size": (5, 11, 3)}),
        ("pieces.meadow_reserve", {"meadow_reserve": (121, 12, 12)}),
        ("resources", {"resources": 9}),
        ("reserve_per_resource", {"reserve_per_resource": 128}),
        ("turn.action_points", {"action_points": 16}),
        ("setup.open_contracts", {"open_contracts": 9}),
        ("setup.special_removed", {"special_removed": 6}),
        ("tokens", {"regular_tokens": tuple(TokenKind(0, 1, points, 1) for points in range(28))}),
        ("tokens", {"regular_tokens": (TokenKind(0, 32, 1, 1),)}),
        ("tokens", {"regular_tokens": (TokenKind(0, 1, 1, 16),)}),
        ("tokens.special", {"special_tokens": (TokenKind(0, 1, 0, 9),)}),
        ("neutral_contract", {"cards": 65}),
    ],
)
def test_what_the_core_has_no_room_for(table: Table, key: str, said: dict[str, Any]) -> None:
    edition = table.content.core
    small = replace(edition.maps[0], rows=(2,), terrain=(Terrain.MEADOW, Terrain.RUIN))
    match said:
        case {"maps": count}:
            said = {"maps": (small,) * count}
        case {"rows": rows}:
            said = {"maps": (core.Map(rows, (Terrain.MIST,) * sum(rows)),)}
        case {"hexes": count}:
            said = {"maps": (core.Map((count,), (Terrain.MIST,) * count),)}
        case {"meadows": count}:
            said = {"maps": (core.Map((count,), (Terrain.MEADOW,) * count),)}
        case {"ruins": count}:
            said = {"maps": (core.Map((count,), (Terrain.RUIN,) * count),)}
        case {"cards": count}:
            said = {"neutral_contracts": edition.neutral_contracts[:1] * (count - len(edition.private_contracts))}
    with pytest.raises(EditionError) as refused:
        ViaNebulaRules(replace(edition, **said))
    assert refused.value.field == key
