"""Nebula's rules: the refill of the clusters and the new supernova, at the end of a turn."""

import pytest

from nebula_core.errors import ChanceError
from nebula_core.nebula.rules import NOTHING, MoveKind, Phase, encode
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table


def test_empty_spaces_are_filled_from_the_bag_cluster_0_to_2(table: Table) -> None:
    state = table.position(bag={"red": 1, "blue": 5, BLACK_HOLE: 2}, galaxy=[{0: "blue"}])
    state = table.play(state, "invest 1 2 2", "take 0 1 2", "stop")
    empty = {(0, 1), (1, 2), (2, 2)}
    for text, weights, at, piece in [
        ("piece blue", {"piece red": 1, "piece blue": 5, "piece black_hole": 2}, (0, 1), 4),
        ("piece black_hole", {"piece red": 1, "piece blue": 4, "piece black_hole": 2}, (1, 2), 6),
        ("piece red", {"piece red": 1, "piece blue": 4, "piece black_hole": 1}, (2, 2), 0),
    ]:
        assert table.phase(state) == Phase.REFILL
        assert table.chances(state) == weights
        state = table.play(state, text)
        empty -= {at}
        clusters = table.at(state)["clusters"]
        assert clusters[at[0]][at[1]] == piece
        assert {(c, s) for c in range(3) for s in range(6) if clusters[c][s] == NOTHING} == empty
    assert (state.seat, table.phase(state)) == (1, Phase.TURN)
    assert table.at(state)["bag"] == table.tally(["blue"] * 4 + [BLACK_HOLE])


def test_a_piece_that_is_not_in_the_bag_cannot_come(table: Table) -> None:
    state = table.position(bag={"blue": 5}, galaxy=[{0: "blue"}])
    state = table.play(state, "invest 1 2 2", "take 0", "stop")
    with pytest.raises(ChanceError):
        state.resolve(encode(MoveKind.PIECE, 0))


def test_spaces_stay_empty_once_the_bag_ran_out(table: Table) -> None:
    state = table.position(bag={"blue": 2}, galaxy=[{0: "blue"}])
    state = table.play(state, "invest 1 2 2", "take 0 1 2", "stop", "piece blue", "piece blue")
    assert (state.seat, table.phase(state)) == (1, Phase.TURN)
    clusters = table.at(state)["clusters"]
    assert (clusters[0][1], clusters[1][2], clusters[2][2]) == (4, 4, NOTHING)


def test_spaces_emptied_before_the_bag_ran_out_are_not_filled_later(table: Table) -> None:
    state = table.position(players=3, seat=1, bag={}, clusters={(0, 0): None, (0, 1): None}, galaxy=[{}, {0: "red"}])
    state = table.pass_turn(state)
    assert state.seat == 2
    assert table.at(state)["bag"] == [0] * 7
    assert table.at(state)["clusters"][0][:2] == [NOTHING, NOTHING]


def test_nothing_is_drawn_after_chaos(table: Table) -> None:
    state = table.position(observatory=[["red"]], bag={"blue": 9}, galaxy=[{0: "red"}])
    state = table.settle(table.play(state, "chaos red"))
    state = table.play(state, "keep blue blue", "stop")
    assert (state.seat, table.phase(state)) == (1, Phase.TURN)
    assert table.at(state)["bag"] == table.tally(["blue"] * 4)


# The supernova. In a position it is violet, as are the pieces in space 5 of every cluster.


def test_the_supernova_is_replaced_if_a_piece_of_its_colour_was_taken(table: Table) -> None:
    state = table.position(bag={"red": 2, "blue": 3, BLACK_HOLE: 4}, galaxy=[{0: "blue"}])
    removed = table.at(state)["removed"]
    state = table.play(state, "invest 5 0 0", "take 0 1", "stop", "piece black_hole")
    assert table.phase(state) == Phase.REFILL, "first all spaces"
    state = table.play(state, "piece red")
    assert table.phase(state) == Phase.SUPERNOVA
    assert table.chances(state) == {"piece red": 1, "piece blue": 3}, "as in the setup: among the stars"
    with pytest.raises(ChanceError):
        state.resolve(encode(MoveKind.PIECE, 6))
    fields = table.at(table.play(state, "piece blue"))
    assert fields["supernova"] == table.colors.index("blue")
    gone = [after - before for after, before in zip(fields["removed"], removed, strict=True)]
    assert gone == table.tally(["violet"]), "the old one is removed"
    assert fields["bag"] == table.tally(["red", "blue", "blue", BLACK_HOLE, BLACK_HOLE, BLACK_HOLE])


def test_the_supernova_is_replaced_after_chaos_too(table: Table) -> None:
    state = table.position(observatory=[["red"]], bag={"violet": 1, "blue": 8}, galaxy=[{0: "blue"}])
    state = table.play(state, "chaos red", "piece violet", *["piece blue"] * 4, "keep blue violet", "stop")
    assert table.phase(state) == Phase.SUPERNOVA
    assert table.chances(state) == {"piece blue": 4}


def test_the_supernova_stays_if_none_of_its_colour_was_taken(table: Table) -> None:
    state = table.position(galaxy=[{0: "blue"}], observatory=[["violet"]])
    state = table.play(state, "invest 1 0 4", "take 0 1 2", "place violet 1", "stop")
    state = table.play(state, "piece red", "piece red", "piece red")
    assert (state.seat, table.phase(state)) == (1, Phase.TURN)
    assert table.at(state)["supernova"] == table.colors.index("violet")


def test_leaving_a_piece_of_its_colour_lying_does_not_replace_it(table: Table) -> None:
    state = table.play(table.position(galaxy=[{0: "blue"}]), "invest 5 0 0", "take 1", "stop", "piece red")
    assert table.phase(state) == Phase.TURN


def test_without_a_star_in_the_bag_there_is_no_supernova_from_then_on(table: Table) -> None:
    state = table.position(
        bag={"red": 1, BLACK_HOLE: 2}, galaxy=[{0: "blue"}, {0: "blue"}], clusters={(2, 1): "violet"}
    )
    state = table.play(state, "invest 5 0 0", "take 0", "stop", "piece red")
    assert (state.seat, table.phase(state)) == (1, Phase.TURN)
    fields = table.at(state)
    assert fields["supernova"] == NOTHING
    # A violet piece is nothing special any more.
    state = table.play(state, "invest 0 4 1", "take 2")
    assert not table.at(state)["took_supernova"]
    state = table.play(state, "stop", "piece black_hole")
    assert table.phase(state) == Phase.TURN
    assert table.at(state)["supernova"] == NOTHING
