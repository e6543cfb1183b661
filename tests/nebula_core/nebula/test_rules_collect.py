"""Nebula's rules: the first half of a turn, investing time or giving in to chaos."""

from itertools import product

import pytest

from nebula_core.errors import ChanceError, MoveError
from nebula_core.nebula.rules import NOTHING, MoveKind, Phase, encode
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table

# Investing time. In a position every cluster holds red, orange, yellow, white, blue, violet in spaces 0 to 5.


def test_five_steps_are_split_in_any_way_over_the_three_figures(table: Table) -> None:
    splits = [split for split in product(range(6), repeat=3) if sum(split) == 5]
    assert table.legal(table.position()) == [f"invest {a} {b} {c}" for a, b, c in splits]


@pytest.mark.parametrize("steps", [(0, 0, 0), (1, 1, 1), (6, 0, 0), (2, 2, 2), (5, 5, 5)])
def test_fewer_or_more_than_five_steps_are_refused(table: Table, steps: tuple[int, int, int]) -> None:
    with pytest.raises(MoveError):
        table.position().apply(encode(MoveKind.INVEST, steps[0] << 8 | steps[1] << 4 | steps[2]))


def test_each_figure_steps_forward_around_its_own_ring(table: Table) -> None:
    state = table.position(figures=[4, 0, 5])
    assert table.at(table.play(state, "invest 3 2 0"))["figures"] == [1, 2, 5]
    assert table.at(table.play(state, "invest 2 0 3"))["figures"] == [0, 0, 2]
    assert table.at(table.play(state, "invest 0 5 0"))["figures"] == [4, 5, 5]


def test_any_subset_but_the_empty_one_is_taken_from_where_the_figures_stand(table: Table) -> None:
    state = table.play(table.position(), "invest 1 2 2")
    assert table.phase(state) == Phase.TAKE
    assert sorted(table.legal(state)) == [
        "take 0",
        "take 0 1",
        "take 0 1 2",
        "take 0 2",
        "take 1",
        "take 1 2",
        "take 2",
    ]
    with pytest.raises(MoveError):
        state.apply(encode(MoveKind.TAKE, 0))


def test_a_figure_that_did_not_move_offers_its_piece_too(table: Table) -> None:
    state = table.play(table.position(figures=[2, 3, 0]), "invest 0 0 5", "take 0 1")
    assert table.held(state, 0) == ["yellow", "white"]


def test_what_is_taken_goes_to_the_observatory_and_leaves_its_space_empty(table: Table) -> None:
    state = table.position(seat=1, observatory=[["red"], ["red", BLACK_HOLE]], clusters={(2, 2): BLACK_HOLE})
    state = table.play(state, "invest 1 2 2", "take 0 2")
    assert table.held(state, 1) == ["red", "orange", BLACK_HOLE, BLACK_HOLE]
    assert table.held(state, 0) == ["red"]
    fields = table.at(state)
    assert fields["clusters"] == [[0, NOTHING, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5], [0, 1, NOTHING, 3, 4, 5]]
    assert fields["figures"] == [1, 2, 2]


def test_equal_pieces_in_two_clusters_are_two_moves(table: Table) -> None:
    state = table.play(table.position(), "invest 2 2 1")
    assert table.at(state)["clusters"][0][2] == table.at(state)["clusters"][1][2]
    first, second = table.play(state, "take 0"), table.play(state, "take 1")
    assert table.held(first, 0) == table.held(second, 0) == ["yellow"]
    assert table.at(first)["clusters"] != table.at(second)["clusters"]


def test_an_empty_space_offers_nothing(table: Table) -> None:
    state = table.position(seat=1, bag={}, clusters={(0, 5): None, (1, 0): None})
    assert table.legal(table.play(state, "invest 5 0 0")) == ["take 2"]
    assert sorted(table.legal(table.play(state, "invest 4 0 1"))) == ["take 0", "take 0 2", "take 2"]


def test_nothing_is_taken_only_where_nothing_is_offered(table: Table) -> None:
    state = table.position(
        seat=1,
        bag={},
        clusters={(0, 5): None, (1, 0): None, (2, 0): None},
        observatory=[[], ["red"]],
        galaxy=[{}, {0: "blue"}],
    )
    state = table.play(state, "invest 5 0 0")
    assert table.legal(state) == ["take"]
    state = table.play(state, "take")
    assert table.held(state, 1) == ["red"]
    assert table.phase(state) == Phase.PLACE


# Giving in to chaos.


def test_chaos_gives_up_a_piece_of_the_observatory_whichever_the_player_likes(table: Table) -> None:
    state = table.position(observatory=[["red", "red", "blue", BLACK_HOLE], ["white"]])
    chaos = [text for text in table.legal(state) if text.startswith("chaos")]
    assert chaos == ["chaos red", "chaos blue", "chaos black_hole"]
    for piece in ("red", "blue", BLACK_HOLE):
        fields = table.at(table.play(state, f"chaos {piece}"))
        before = table.at(state)["removed"]
        assert fields["removed"] == [out + more for out, more in zip(before, table.tally([piece]), strict=True)]
        assert fields["phase"] == Phase.DRAW
    assert table.held(table.play(state, "chaos red"), 0) == ["red", "blue", BLACK_HOLE]


def test_no_chaos_with_an_empty_observatory(table: Table) -> None:
    state = table.position(observatory=[[], ["red"]])
    assert not any(text.startswith("chaos") for text in table.legal(state))
    with pytest.raises(MoveError):
        state.apply(encode(MoveKind.CHAOS, 0))


def test_no_chaos_with_an_empty_bag(table: Table) -> None:
    state = table.position(seat=1, bag={}, observatory=[[], ["red"]])
    assert not any(text.startswith("chaos") for text in table.legal(state))
    with pytest.raises(MoveError):
        state.apply(encode(MoveKind.CHAOS, 0))


def test_five_pieces_are_drawn_one_by_one_two_kept_and_the_others_removed(table: Table) -> None:
    state = table.position(observatory=[["red", "white"]], bag={"red": 2, "blue": 3, BLACK_HOLE: 1})
    before = table.at(state)["removed"]
    state = table.play(state, "chaos red")
    for text, left in [
        ("piece red", {"piece red": 2, "piece blue": 3, "piece black_hole": 1}),
        ("piece red", {"piece red": 1, "piece blue": 3, "piece black_hole": 1}),
        ("piece blue", {"piece blue": 3, "piece black_hole": 1}),
        ("piece blue", {"piece blue": 2, "piece black_hole": 1}),
        ("piece black_hole", {"piece blue": 1, "piece black_hole": 1}),
    ]:
        assert table.chances(state) == left
        state = table.play(state, text)
    fields = table.at(state)
    assert fields["phase"] == Phase.KEEP
    assert fields["drawn"] == table.tally(["red", "red", "blue", "blue", BLACK_HOLE])
    assert fields["bag"] == table.tally(["blue"])
    assert sorted(table.legal(state)) == [
        "keep black_hole blue",
        "keep black_hole red",
        "keep blue blue",
        "keep blue red",
        "keep red red",
    ]
    state = table.play(state, "keep blue red")
    assert table.held(state, 0) == ["red", "white", "blue"]
    fields = table.at(state)
    gone = [after - then for after, then in zip(fields["removed"], before, strict=True)]
    assert gone == table.tally(["red", "red", "blue", BLACK_HOLE]), "the piece given up and the three not kept"
    assert fields["drawn"] == [0] * 7


def test_only_what_the_bag_holds_can_be_drawn(table: Table) -> None:
    state = table.play(table.position(observatory=[["red"]], bag={"blue": 9}), "chaos red")
    with pytest.raises(ChanceError):
        state.resolve(encode(MoveKind.PIECE, 0))


@pytest.mark.parametrize(
    ("bag", "keeps"),
    [
        ({"red": 1, "blue": 2, "white": 1}, ["keep blue blue", "keep blue red", "keep blue white", "keep red white"]),
        ({"red": 3}, ["keep red red"]),
        ({"red": 1, "blue": 1}, ["keep blue red"]),
        ({BLACK_HOLE: 2}, ["keep black_hole black_hole"]),
        ({"violet": 1}, ["keep violet"]),
    ],
)
def test_all_are_drawn_if_fewer_than_five_and_all_kept_if_two_or_fewer(
    table: Table, bag: dict[str, int], keeps: list[str]
) -> None:
    state = table.play(table.position(observatory=[["yellow"]], bag=bag), "chaos yellow")
    for piece, count in bag.items():
        for _ in range(count):
            assert table.phase(state) == Phase.DRAW
            state = table.play(state, f"piece {piece}")
    assert table.at(state)["bag"] == [0] * 7
    assert sorted(table.legal(state)) == keeps


def test_two_red_pieces_are_one_move_whichever_is_kept(table: Table) -> None:
    state = table.play(table.position(observatory=[["yellow"]], bag={"red": 4, "blue": 1}), "chaos yellow")
    state = table.settle(state)
    assert sorted(table.legal(state)) == ["keep blue red", "keep red red"]
