"""Damaged packed states: each is refused with a reason, or can be played to its end. Never a crash."""

from pathlib import Path
from random import Random

import pytest

from nebula_ai.games.nebula.edition import STANDARD
from nebula_core.errors import StateError
from nebula_core.face import State
from nebula_core.nebula.rules import Phase
from tests.nebula_core.damage import fuzz, with_checksum
from tests.nebula_core.nebula.editions import odd
from tests.nebula_core.nebula.positions import Table
from tests.nebula_core.playable import states_of_all_kinds
from tests.toml_file import write

STANDARD_MUTATIONS = 85_000
ODD_MUTATIONS = 4_000
"""Of each of the odd editions."""
ODD_EDITIONS = 5
REFUSED_FOR = {
    *("packed", "game", "edition", "players", "full", "phase", "seat", "round", "bag", "supernova", "placed"),
    *("clusters", "figures", "galaxy", "holes", "personal", "public", "markers", "advanced", "took_supernova"),
    *("drawn", "color_values", "constellation_values", "advanced_values"),
}
"""Fields that enough mutations get wrong."""


def starts(table: Table) -> list[State]:
    """A game of each variant with each number of players, before its first chance event."""
    return [table.start(players, full) for players in table.game.players for full in (False, True)]


def test_damaged_states_of_the_standard_edition(table: Table, seed: int) -> None:
    random = Random(f"{seed} standard")
    accepted, refused = fuzz(table.rules, states_of_all_kinds(starts(table), random), STANDARD_MUTATIONS, random)
    print(f"seed {seed}: {accepted} accepted, refused: {dict(refused.most_common())}")
    assert accepted > STANDARD_MUTATIONS // 100, "the mutations are too wild to say much"
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
    print(f"seed {seed}")
    for _ in range(5_000):
        body = random.randbytes(random.choice((0, 1, 8, 9, 10, 100, 141, 300, 512, 65_535)))
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


def test_the_packed_form_is_the_same_on_every_machine(table: Table) -> None:
    """Byte for byte. Whoever changes the packed form changes its version too."""
    state = table.position(
        phase=Phase.PLACE,
        seat=1,
        round=30,
        bag={"blue": 3, "black_hole": 2},
        clusters={(0, 0): None},
        observatory=[["red", "black_hole"], ["blue", "yellow"]],
        galaxy=[{0: "red", 4: "blue", 10: "white"}, {0: "red", 1: "blue", 2: "yellow", 3: "white"}],
        holes=[1, 2],
        public=["T01", "T10", "T16", "T24"],
        markers={"T01": [1]},
        values={"color red": 1, "card A02": 1, "constellation Draco": 1},
        personal=[["S22", "S21"], [None, None]],
        supernova="blue",
        took_supernova=True,
        placed=["white"],
    )
    parts = [
        "01 06 6e 65 62 75 6c 61 08 73 74 61 6e 64 61 72 64 a1 f4 70 d0 1c e4 71 5c 95 00",  # version, names, length
        "02 01 06 01 1e 00 04 01 08",  # players, variant, phase, seat, round, supernova, took it, placed
        "00 10 00 00 12 00 00 10 00 00 10 00 03 0b 00 00 12 00 02 06 00",  # bag, removed, drawn of each piece
        "00 ff 01 02 03 04 05 00 00 01 02 03 04 05 00 00 01 02 03 04 05",  # figure and pieces of each cluster
        "01 00 00 00 00 00 00 00 00 00 00 00 00 04 00 00 10 00 00 00 00 00 00 00",  # seat 0: the spaces of each colour
        "01 00 00 00 00 00 01 01 15 14",  # its Observatory, black holes, personal tasks
        "01 00 00 00 00 00 00 00 04 00 00 00 08 00 00 00 02 00 00 00 00 00 00 00",  # seat 1
        "00 00 01 00 01 00 00 02 ff ff",
        "00 02 01 09 00 00 0f 00 00 17 00 00",  # public tasks, with the set of markers and their order
        "00 00 01 01 02 00 03 00",  # advanced cards, with their values
        "01 00 00 00 00 00 00 01 00 00",  # values of colours and constellations
        "f4 33 03 55",  # checksum
    ]
    assert state.pack() == bytes.fromhex("".join(parts))


def test_the_edition_is_told_apart_by_its_content(table: Table, tmp_path: Path) -> None:
    changed = STANDARD.read_text(encoding="utf-8").replace("first = 9", "first = 8")
    path = tmp_path / "edition.toml"
    path.write_text(changed, encoding="utf-8")
    other = Table(path)
    state = table.settle(table.start())
    with pytest.raises(StateError) as refused:
        other.rules.unpack(state.pack())
    assert refused.value.field == "edition"
    assert other.start() != table.start()
    assert Table(STANDARD).rules.unpack(state.pack()) == state, "another object of the same content will do"
