"""Nebula's rules: the setup, in its order."""

import pytest

from nebula_core.errors import ChanceError, StateError
from nebula_core.nebula.rules import NOTHING, MoveKind, Phase, encode
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table

SIX_TIMES_THREE = [f"piece {color}" for color in ("red", "orange", "yellow", "white", "blue", "violet")] * 3
CARDS = ["public T01", "public T02", "public T03", "public T04"]
ADVANCED = ["advanced A01", "advanced A02", "advanced A03", "advanced A04"]


@pytest.mark.parametrize(("players", "holes"), [(2, 12), (3, 18), (4, 24)])
def test_the_bag_holds_21_stars_of_each_colour_and_black_holes_by_players(
    table: Table, players: int, holes: int
) -> None:
    state = table.start(players)
    fields = table.at(state)
    assert fields["bag"] == [21] * 6 + [holes]
    assert fields["removed"] == [0] * 7
    assert table.chances(state) == {
        **{f"piece {color}": 21 for color in table.colors},
        f"piece {BLACK_HOLE}": holes,
    }


@pytest.mark.parametrize("players", [0, 1, 5])
def test_two_to_four_players(table: Table, players: int) -> None:
    with pytest.raises(StateError) as refused:
        table.start(players)
    assert refused.value.field == "players"


def test_clusters_are_filled_in_order_from_the_bag(table: Table) -> None:
    state = table.start()
    for number, text in enumerate(SIX_TIMES_THREE):
        assert state.chance_pending
        lying = [piece for cluster in table.at(state)["clusters"] for piece in cluster]
        assert lying == [each % 6 for each in range(number)] + [NOTHING] * (18 - number)
        state = table.play(state, text)
    fields = table.at(state)
    assert fields["clusters"] == [[0, 1, 2, 3, 4, 5]] * 3
    assert fields["figures"] == [0, 0, 0]
    assert fields["bag"] == [18] * 6 + [12]


def test_a_black_hole_may_lie_in_a_cluster(table: Table) -> None:
    state = table.play(table.start(), *[f"piece {BLACK_HOLE}"] * 12)
    assert table.at(state)["clusters"] == [[6] * 6, [6] * 6, [NOTHING] * 6]
    assert f"piece {BLACK_HOLE}" not in table.chances(state), "all of them are out of the bag"


def test_the_supernova_is_a_star_each_as_likely_as_any_other(table: Table) -> None:
    state = table.play(table.start(), *["piece red"] * 10, *["piece blue"] * 8)
    assert table.at(state)["bag"][6] == 12
    assert table.chances(state) == {
        "piece red": 11,
        "piece orange": 21,
        "piece yellow": 21,
        "piece white": 21,
        "piece blue": 13,
        "piece violet": 21,
    }
    with pytest.raises(ChanceError):
        state.resolve(encode(MoveKind.PIECE, 6))
    assert table.at(table.play(state, "piece white"))["supernova"] == table.colors.index("white")


def test_each_seat_draws_as_many_pieces_as_its_number(table: Table) -> None:
    state = table.play(table.start(4), *SIX_TIMES_THREE, "piece red")
    assert table.chances(state)[f"piece {BLACK_HOLE}"] == 24
    state = table.play(state, "piece red", f"piece {BLACK_HOLE}", "piece blue", "piece blue", "piece white")
    assert table.chances(state).keys() == table.chances(table.start(4)).keys(), "seat 3 draws its third piece"
    state = table.play(state, "piece yellow")
    assert [table.held(state, seat) for seat in range(4)] == [
        [],
        ["red"],
        ["blue", BLACK_HOLE],
        ["yellow", "white", "blue"],
    ]
    assert all(text.startswith("public ") for text in table.chances(state)), "nobody draws any more"


def test_four_public_tasks_then_four_advanced_cards_then_personal_tasks(table: Table) -> None:
    state = table.play(table.start(), *SIX_TIMES_THREE, "piece red", "piece red")
    assert table.chances(state) == {f"public {card}": 1 for card in table.public}
    state = table.play(state, *CARDS)
    assert table.chances(state) == {f"advanced {card}": 1 for card in table.advanced}
    state = table.play(state, *ADVANCED)
    assert table.chances(state) == {f"personal {card}": 1 for card in table.personal}
    fields = table.at(state)
    assert fields["public"] == [0, 1, 2, 3]
    assert fields["markers"] == [[], [], [], []]
    assert fields["advanced"] == [0, 1, 2, 3]


def test_no_card_comes_up_twice(table: Table) -> None:
    state = table.play(table.start(), *SIX_TIMES_THREE, "piece red", "piece red", "public T07")
    assert "public T07" not in table.chances(state)
    with pytest.raises(ChanceError):
        table.play(state, "public T07")
    state = table.play(state, "public T01", "public T02", "public T03", "advanced A09")
    with pytest.raises(ChanceError):
        table.play(state, "advanced A09")
    state = table.play(state, "advanced A01", "advanced A02", "advanced A03", "personal S05")
    with pytest.raises(ChanceError):
        table.play(state, "personal S05")


def test_the_value_markers_of_the_full_game_start_at_index_0(table: Table) -> None:
    fields = table.at(table.settle(table.start(3)))
    values = fields["color_values"] + fields["constellation_values"] + fields["advanced_values"]
    assert values == [0] * 14


def test_the_basic_game_has_no_advanced_cards_and_no_values(table: Table) -> None:
    state = table.play(table.start(full=False), *SIX_TIMES_THREE, "piece red", "piece red", *CARDS)
    assert all(text.startswith("personal ") for text in table.chances(state))
    fields = table.at(state)
    assert fields["advanced"] == []
    assert fields["color_values"] == fields["constellation_values"] == fields["advanced_values"] == []


def test_personal_tasks_are_dealt_two_to_each_seat_in_turn_and_each_keeps_one(table: Table) -> None:
    state = table.play(table.start(3), *SIX_TIMES_THREE, "piece red", *["piece red"] * 3, *CARDS, *ADVANCED)
    for number, text in enumerate(["S04", "S03", "S22", "S01", "S02", "S21"]):
        assert state.chance_pending
        dealt = [card for hand in table.at(state)["personal"] for card in hand]
        assert dealt[number:] == [NOTHING] * (6 - number), "both of seat 0 first, then both of seat 1"
        state = table.play(state, f"personal {text}")
    assert table.phase(state) == Phase.CHOOSE
    assert (state.seat, table.legal(state)) == (0, ["choose S03", "choose S04"])
    state = table.play(state, "choose S03")
    assert (state.seat, table.legal(state)) == (1, ["choose S01", "choose S22"])
    state = table.play(state, "choose S22")
    assert (state.seat, table.legal(state)) == (2, ["choose S02", "choose S21"])
    state = table.play(state, "choose S02")
    kept = [hand[0] for hand in table.at(state)["personal"]]
    assert kept == [table.card("S03"), table.card("S22"), table.card("S02")]


def test_who_kept_a_task_still_knows_which_one_went_back(table: Table) -> None:
    state = table.play(table.start(), *SIX_TIMES_THREE, "piece red", "piece red", *CARDS, *ADVANCED)
    state = table.play(state, "personal S01", "personal S02", "personal S03", "personal S04", "choose S02")
    assert table.at(state)["personal"][0] == [table.card("S02"), table.card("S01")]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seat_0_has_the_first_turn_of_round_1_then_clockwise(table: Table, players: int) -> None:
    state = table.settle(table.start(players))
    for _ in range(players):
        state = table.settle(state.apply(state.legal_moves()[0]))
    for turn in range(2 * players):
        assert table.phase(state) == Phase.TURN
        assert state.seat == turn % players
        assert table.at(state)["round"] == 1 + turn // players
        state = table.pass_turn(state)
