"""Damaged packed states: each is refused with a reason, or can be played to its end. Never a crash."""

from pathlib import Path
from random import Random

import pytest

from nebula_ai.games.via_nebula.edition import STANDARD
from nebula_core.errors import StateError
from nebula_core.face import State
from tests.nebula_core.damage import fuzz, with_checksum
from tests.nebula_core.playable import states_of_all_kinds
from tests.nebula_core.via_nebula.editions import odd
from tests.nebula_core.via_nebula.positions import Table
from tests.nebula_core.via_nebula.test_invariants import BASE
from tests.toml_file import write

STANDARD_MUTATIONS = 90_000
ODD_MUTATIONS = 3_000
"""Of each of the odd editions."""
ODD_EDITIONS = 4

REFUSED_FOR = {
    *("packed", "game", "edition", "players", "map", "phase", "seat", "action_points", "acted", "idle", "effect"),
    *("end_card", "boxed", "tokens", "exploitations", "empty", "sites", "site_resources", "buildings", "stacks"),
    *("stock", "reserve", "storehouse", "taken", "hands", "unknown_neutral", "unknown_private", "done", "open"),
}
"""Fields that enough mutations get wrong."""


def starts(table: Table) -> list[State]:
    """A game on each map with each number of players, before its first chance event."""
    return [table.start(players, map_name) for players in table.players for map_name in table.maps]


def test_damaged_states_of_the_standard_edition(table: Table, seed: int) -> None:
    random = Random(f"{seed} standard")
    accepted, refused = fuzz(table.rules, states_of_all_kinds(starts(table), random), STANDARD_MUTATIONS, random)
    print(f"seed {seed}: {accepted} accepted, refused: {dict(refused.most_common())}")
    assert accepted > STANDARD_MUTATIONS // 400, "the mutations are too wild to say much"
    assert refused.keys() >= REFUSED_FOR, "some checks were not reached"


@pytest.mark.parametrize("number", range(ODD_EDITIONS))
def test_damaged_states_of_odd_editions(number: int, seed: int, tmp_path: Path) -> None:
    random = Random(f"{seed} {number}")
    table = Table(write(odd(random), tmp_path / "edition.toml"))
    accepted, refused = fuzz(table.rules, states_of_all_kinds(starts(table), random), ODD_MUTATIONS, random)
    print(f"seed {seed}: {accepted} accepted, refused: {dict(refused.most_common())}")
    assert refused["packed"]


def test_noise_behind_a_good_head(table: Table, seed: int) -> None:
    random = Random(f"{seed} noise")
    packed = table.settle(table.start()).pack()
    head = packed[: packed.index(table.rules.edition_hash) + 8]
    length = len(packed) - len(head) - 2 - 4
    print(f"seed {seed}")
    for _ in range(5_000):
        body = random.randbytes(random.choice((0, 1, 2, 8, 9, length - 1, length, length + 1, 512, 65_535)))
        body = bytes([2, 0])[: len(body)] + body[2:] if random.random() < 0.7 else body
        with pytest.raises(StateError):
            table.rules.unpack(with_checksum(head + len(body).to_bytes(2, "little") + body + bytes(4)))


def test_every_truncation_is_refused(table: Table) -> None:
    packed = table.settle(table.start(4)).pack()
    for length in range(len(packed)):
        with pytest.raises(StateError) as refused:
            table.rules.unpack(packed[:length])
        assert refused.value.field == "packed"
        if length < len(packed) - 4:
            with pytest.raises(StateError):
                table.rules.unpack(with_checksum(packed[:length] + bytes(4)))


def test_every_flipped_bit_is_refused(table: Table) -> None:
    packed = table.settle(table.start(4)).pack()
    for bit in range(8 * len(packed)):
        data = bytearray(packed)
        data[bit // 8] ^= 1 << bit % 8
        with pytest.raises(StateError) as refused:
            table.rules.unpack(bytes(data))
        assert refused.value.field in ("packed", "game", "edition")


def test_the_edition_is_told_apart_by_its_content(table: Table, tmp_path: Path) -> None:
    changed = STANDARD.read_text(encoding="utf-8").replace("end_card = 2", "end_card = 3")
    path = tmp_path / "edition.toml"
    path.write_text(changed, encoding="utf-8")
    other = Table(path)
    state = table.settle(table.start())
    with pytest.raises(StateError) as refused:
        other.rules.unpack(state.pack())
    assert refused.value.field == "edition"
    assert other.start() != table.start()
    assert Table(STANDARD).rules.unpack(state.pack()) == state, "another object of the same content will do"


def test_the_packed_form_is_the_same_on_every_machine(table: Table) -> None:
    """Byte for byte. Whoever changes the packed form changes its version too."""
    state = table.position(**{**BASE, "hands": [["P01", "P02", "N30"], ["P04"], [None, None]]})
    parts = [
        "01 0a 76 69 61 5f 6e 65 62 75 6c 61 08 73 74 61 6e 64 61 72 64",  # version, names
        "6c f6 e7 3c 40 92 08 19 ff 00",  # hash of the edition, length
        "03 00 01 01 02 00 00 00 00 ff",  # players, map, phase, seat, action points, acted, idle, effect, parts, end
        "00 0c",  # special tokens in the box, common tiles
        "00 04 8e 01 00 00 00 00 00 00 00 00 00 00 00 00",  # the set of empty meadows
        "00 ff ff 00 1f 00 00 00",  # the sets of meadows with a token, with an exploitation
        "10 1c 0a 21 1a 00 00 00 00 01 02 03 03 04 05 06 07 08 09 09 0a 0c 0d 0e",  # what lies on each meadow
        "01 00 00 00 00 00 00 00 00 00 00 00 10 00 00 00 00 00 00 00 00 00 00 01 10 00 00 00 00 00",  # tokens taken
        "00 02 03 04 0d 0e 0d 11 0e",  # open contracts, reserve
        "01 00 00 00 00 00 00 20 06 00 00 00 00 00 40 00 00 00 00 00",  # seat 0: sets of craftsmen, hand, done
        "00 00 0d 01 01 00 00 00 00 00 00 00 01 00",  # its unknown cards, tiles, buildings, storehouse
        "01 01 00 00 00 01 20 00 00 00 00 00 20 00 00 00 00 00",  # its sites: ruin, resources
        "06 00 00 00 00 00 00 00 10 00 00 00 02 00 00 00 08 00 00 00",  # seat 1
        "00 00 10 02 03 06 00 00 00 00 00 00 00 00 20 00 00 00 00 00 05 00 00 00 00 00 05 00 00 01 00 00",
        "00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00",  # seat 2
        "00 02 10 00 00 00 00 00 00 02 00 00 00 00 20 00 00 00 00 00 20 00 00 00 00 00 20 00 00 00 00 00",
        "7d 0f 65 fc",  # checksum
    ]
    assert state.pack() == bytes.fromhex("".join(parts))
