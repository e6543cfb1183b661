"""Nebula's rules: the second half of a turn, placing stars and black holes, and the value markers."""

from pathlib import Path

import pytest

from nebula_core.errors import MoveError
from nebula_core.nebula.rules import MoveKind, Phase, encode
from tests.nebula_core.nebula.editions import standard
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table, placements
from tests.toml_file import write

RED, _, _, WHITE, BLUE, VIOLET = range(6)
PLACE = Phase.PLACE


def place(color: int, space: int) -> int:
    """The move that places a star."""
    return encode(MoveKind.PLACE, color << 8 | space)


# How many, and which.


def test_two_pieces_a_turn(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red", "blue", "white"]], galaxy=[{0: "yellow"}])
    state = table.play(state, "place red 1")
    assert state.seat == 0
    state = table.play(state, "place blue 4")
    assert state.seat == 1, "the turn goes on by itself"
    assert table.board(state, 0) == {0: "yellow", 1: "red", 4: "blue"}
    assert table.held(state, 0) == ["white"]


def test_three_if_a_piece_of_the_supernovas_colour_was_taken(table: Table) -> None:
    state = table.position(observatory=[["red", "blue", "white"]], galaxy=[{0: "yellow"}], supernova="violet")
    state = table.play(state, "invest 5 0 0", "take 0")
    assert table.at(state)["took_supernova"]
    state = table.play(state, "place red 1", "place blue 4")
    assert state.seat == 0
    state = table.play(state, "place white 5")
    assert state.chance_pending, "the turn is over"
    assert table.held(state, 0) == ["violet"], "the piece that made it three need not be among them"


def test_three_if_a_piece_of_the_supernovas_colour_was_kept_from_chaos(table: Table) -> None:
    state = table.position(
        observatory=[["red", "blue", "white"]], galaxy=[{0: "yellow"}], bag={"violet": 2, "red": 1, "blue": 4}
    )
    drawn = table.play(state, "chaos red", "piece violet", *["piece blue"] * 4)
    kept = table.play(drawn, "keep blue violet", "place blue 1", "place violet 4")
    assert table.phase(kept) == PLACE
    assert table.phase(table.play(kept, "place white 5")) == Phase.SUPERNOVA
    other = table.play(drawn, "keep blue blue", "place blue 1", "place white 4")
    assert other.seat == 1, "a piece of that colour was drawn, but not kept"


def test_not_three_for_a_piece_of_that_colour_from_an_earlier_turn(table: Table) -> None:
    state = table.position(observatory=[["violet", "blue", "white"]], galaxy=[{0: "yellow"}], supernova="violet")
    state = table.play(state, "invest 1 0 4", "take 0", "place violet 1", "place blue 4")
    assert table.phase(state) == Phase.REFILL


def test_not_three_for_giving_up_a_piece_of_that_colour_to_chaos(table: Table) -> None:
    state = table.position(
        observatory=[["violet", "red", "white"]], galaxy=[{0: "yellow"}], bag={"blue": 6}, supernova="violet"
    )
    state = table.settle(table.play(state, "chaos violet"))
    state = table.play(state, "keep blue blue", "place red 1", "place blue 4")
    assert state.seat == 1
    assert table.at(state)["supernova"] == VIOLET


def test_the_pieces_of_a_turn_differ_in_colour(table: Table) -> None:
    state = table.position(
        phase=PLACE,
        observatory=[["red", "red", "blue"]],
        galaxy=[{0: "yellow"}],
    )
    assert placements(table.legal(state), "red") == {1, 3, 4, 5}
    state = table.play(state, "place red 1")
    assert placements(table.legal(state), "red") == set()
    with pytest.raises(MoveError):
        state.apply(place(RED, 4))
    assert placements(table.legal(state), "blue")


def test_a_black_hole_counts_as_a_seventh_colour(table: Table) -> None:
    said = {"phase": PLACE, "galaxy": [{0: "yellow"}], "full": False}
    state = table.position(observatory=[[BLACK_HOLE, BLACK_HOLE, "red"]], **said)
    state = table.play(state, "place black_hole")
    assert "place black_hole" not in table.legal(state)
    assert placements(table.legal(state), "red")
    state = table.position(observatory=[[BLACK_HOLE, BLACK_HOLE]], **said)
    assert table.play(state, "place black_hole").seat == 1, "the other one cannot be placed in this turn"


def test_colours_may_come_again_in_the_next_turn(table: Table) -> None:
    state = table.position(
        observatory=[["red", "red"]], galaxy=[{0: "yellow"}], figures=[0, 0, 0], clusters={(0, 1): BLACK_HOLE}
    )
    state = table.settle(table.play(state, "invest 1 4 0", "take 0", "place red 1", "stop"))
    state = table.pass_turn(state)
    state = table.play(state, "invest 0 0 5", "take 2")
    assert state.seat == 0
    assert placements(table.legal(state), "red")


def test_only_pieces_of_the_own_observatory(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red"], ["blue"]], galaxy=[{0: "yellow"}])
    assert placements(table.legal(state), "blue") == set()
    assert "place black_hole" not in table.legal(state)
    with pytest.raises(MoveError):
        state.apply(place(BLUE, 1))


def test_the_player_may_stop_at_any_time(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red", "blue"]], galaxy=[{0: "yellow"}])
    nothing = table.play(state, "stop")
    assert nothing.seat == 1
    assert table.held(nothing, 0) == ["red", "blue"]
    state = table.play(state, "place red 1")
    assert table.legal(state)[-1] == "stop"
    assert table.play(state, "stop").seat == 1


# Stars.


def test_the_first_star_goes_to_any_space_of_orbit_1(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red"]], galaxy=[{}, {0: "yellow", 4: "blue"}])
    assert table.legal(state) == ["place red 0", "place red 1", "place red 2", "place red 3", "stop"]
    with pytest.raises(MoveError):
        state.apply(place(RED, 4))


def test_a_black_hole_does_not_make_it_the_second_star(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red", BLACK_HOLE]], full=False)
    state = table.play(state, "place black_hole")
    assert placements(table.legal(state), "red") == {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("galaxy", "spaces"),
    [
        ({0: "red"}, {1, 3} | {4, 5}),  # along the orbit, directly
        ({1: "red"}, {0, 2} | {6} | {7}),  # along the orbit, directly, indirectly
        ({2: "red"}, {1, 3} | {8} | {9}),
        ({0: "red", 4: "blue", 10: "red"}, {1, 3, 5} | {5, 9} | {11, 16, 17, 24}),
        ({3: "red", 9: "blue", 16: "red", 24: "blue", 25: "red"}, {0, 2, 4, 8, 10, 15, 17, 23, 26, 31}),
    ],
)
def test_a_star_goes_next_to_a_star_along_the_orbit_directly_or_indirectly(
    table: Table, galaxy: dict[int, str], spaces: set[int]
) -> None:
    state = table.position(phase=PLACE, observatory=[["white"]], galaxy=[galaxy])
    assert placements(table.legal(state), "white") == spaces
    for space in set(range(32)) - spaces:
        with pytest.raises(MoveError):
            state.apply(place(WHITE, space))


@pytest.mark.parametrize("space", [2, 6, 7], ids=["along the orbit", "directly", "indirectly"])
def test_no_star_of_the_same_colour_may_be_linked(table: Table, space: int) -> None:
    # Space 0 keeps another star in reach; space 1 is linked to 2 along its orbit, to 6 directly, to 7 indirectly.
    state = table.position(phase=PLACE, observatory=[["red", "blue"]], galaxy=[{0: "white", 1: "red"}])
    assert placements(table.legal(state), "blue") == {2, 3, 4, 5, 6, 7}
    assert placements(table.legal(state), "red") == {3, 4, 5}
    with pytest.raises(MoveError):
        state.apply(place(RED, space))


def test_the_same_colour_on_a_space_that_is_not_linked_is_free(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red"]], galaxy=[{0: "red", 1: "blue"}])
    assert placements(table.legal(state), "red") == {2, 6, 7}


def test_a_space_holds_one_star(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red"]], galaxy=[{0: "white", 1: "blue"}])
    assert placements(table.legal(state), "red") == {2, 3, 4, 5, 6, 7}
    with pytest.raises(MoveError):
        state.apply(place(RED, 0))


def test_another_galaxy_does_not_count(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red"]], galaxy=[{1: "white"}, {0: "white", 1: "blue", 2: "red"}])
    assert placements(table.legal(state), "red") == {0, 2, 6, 7}


# Black holes.


def test_a_black_hole_goes_to_the_track_and_moves_the_shared_indicator(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]], holes=[2, 3], full=False)
    assert table.at(state)["indicator"] == 5
    fields = table.at(table.play(state, "place black_hole"))
    assert fields["holes"] == [3, 3]
    assert fields["indicator"] == 6
    assert fields["observatory"][0] == table.tally(["red"])


def test_with_8_on_the_track_no_more_can_be_placed(table: Table) -> None:
    seven = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]], holes=[7, 1])
    assert "place black_hole" in table.legal(seven)
    eight = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]], holes=[8, 0])
    assert "place black_hole" not in table.legal(eight)
    with pytest.raises(MoveError):
        eight.apply(encode(MoveKind.PLACE, 6 << 8))


def test_at_its_end_the_indicator_stays_and_black_holes_may_still_be_placed(table: Table) -> None:
    state = table.position(phase=PLACE, seat=1, observatory=[[], [BLACK_HOLE, "red"]], holes=[5, 4])
    assert table.at(state)["indicator"] == 9
    state = table.play(state, "place black_hole")
    fields = table.at(state)
    assert fields["holes"] == [5, 5]
    assert fields["indicator"] == 9
    assert table.phase(state) == Phase.ADVANCE, "and the player may advance a value marker"


# Value markers.


def test_after_a_black_hole_any_value_marker_may_be_advanced_by_one(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]])
    state = table.play(state, "place black_hole")
    assert table.phase(state) == Phase.ADVANCE
    groups = [f"advance color {color}" for color in table.colors]
    groups += [f"advance constellation {name}" for name in table.constellations]
    groups += [f"advance card {card}" for card in table.advanced[:4]]
    assert table.legal(state) == [*groups, "decline"]
    for text, colors, constellations, cards in [
        ("advance color white", [0, 0, 0, 1, 0, 0], [0] * 4, [0] * 4),
        ("advance constellation Cygnus", [0] * 6, [0, 0, 1, 0], [0] * 4),
        ("advance card A04", [0] * 6, [0] * 4, [0, 0, 0, 1]),
    ]:
        fields = table.at(table.play(state, text))
        assert fields["color_values"] == colors
        assert fields["constellation_values"] == constellations
        assert fields["advanced_values"] == cards


def test_the_player_may_decline(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]], holes=[1, 0], values={"color red": 1})
    state = table.play(state, "place black_hole")
    before = table.at(state)
    after = table.at(table.play(state, "decline"))
    assert after["color_values"] == before["color_values"] == [1, 0, 0, 0, 0, 0]
    assert after["phase"] == Phase.PLACE


def test_the_marker_comes_before_the_next_placement(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]])
    state = table.play(state, "place black_hole")
    with pytest.raises(MoveError):
        state.apply(place(RED, 0))
    with pytest.raises(MoveError):
        state.apply(encode(MoveKind.STOP))
    state = table.play(state, "advance color red")
    assert placements(table.legal(state), "red") == {0, 1, 2, 3}


def test_the_marker_of_the_last_allowed_piece_is_settled_before_the_turn_goes_on(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red", "blue"]])
    state = table.play(state, "place red 0", "place black_hole")
    assert (state.seat, table.phase(state)) == (0, Phase.ADVANCE)
    assert table.play(state, "decline").seat == 1


def test_a_marker_at_the_end_of_its_scale_cannot_be_advanced(table: Table) -> None:
    said = {"phase": PLACE, "observatory": [[BLACK_HOLE]], "holes": [4, 4]}
    state = table.position(values={"color blue": 2, "constellation Draco": 3, "card A01": 3}, **said)
    legal = table.legal(table.play(state, "place black_hole"))
    assert len(legal) == 14 - 3 + 1
    assert not {"advance color blue", "advance constellation Draco", "advance card A01"} & set(legal)
    state = table.position(values={"color blue": 1, "constellation Draco": 2, "card A01": 2}, **said)
    legal = table.legal(table.play(state, "place black_hole"))
    assert {"advance color blue", "advance constellation Draco", "advance card A01"} <= set(legal)


def test_with_every_marker_at_its_end_declining_is_the_only_move(tmp_path: Path) -> None:
    # More steps than there are black holes in the standard edition; here every scale has a single number.
    edition = standard()
    edition["values"] = {"color": [1], "constellation": [2], "advanced": [3]}
    table = Table(write(edition, tmp_path / "edition.toml"))
    state = table.play(table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]]), "place black_hole")
    assert table.legal(state) == ["decline"]
    assert table.phase(table.play(state, "decline")) == PLACE


def test_the_basic_game_has_no_value_markers(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE, "red"]], full=False)
    state = table.play(state, "place black_hole")
    assert table.phase(state) == Phase.PLACE


# The turn goes on by itself.


def test_stop_is_not_asked_where_nothing_can_be_placed(table: Table) -> None:
    # The black hole taken does not fit on the full track, and there is nothing else.
    state = table.position(holes=[8, 0], clusters={(0, 5): BLACK_HOLE})
    state = table.play(state, "invest 5 0 0", "take 0")
    assert table.phase(state) == Phase.REFILL


def test_stop_is_not_asked_after_the_last_piece_that_fits(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["red", "red"]], galaxy=[{0: "yellow"}])
    assert table.play(state, "place red 1").seat == 1


def test_stop_is_not_asked_in_a_full_galaxy(table: Table) -> None:
    galaxy = table.stars(range(32), ["orange", "yellow", "white", "blue", "violet"])
    state = table.position(
        seat=1, galaxy=[{}, galaxy], observatory=[[], ["red", "blue"]], public=["T10", "T16", "T17", "T21"]
    )
    state = table.play(state, "invest 0 0 5", "take 0 1")
    assert state.chance_pending or state.finished


def test_stop_is_not_asked_where_nothing_was_taken_and_nothing_lay_in_the_observatory(table: Table) -> None:
    state = table.position(
        seat=1, bag={}, clusters={(0, 5): None, (1, 0): None, (2, 0): None}, galaxy=[{}, {0: "blue"}]
    )
    assert table.play(state, "invest 5 0 0", "take").finished
