"""Nebula's rules: the score by its sources, ties, and who wins."""

from typing import TYPE_CHECKING, Any

import pytest

from nebula_core.errors import CardUnknown, GameNotFinished
from nebula_core.face import State
from nebula_core.nebula.rules import UNKNOWN, Phase
from tests.nebula_core.nebula.boards import BOARD, NOT_SATISFIED
from tests.nebula_core.nebula.positions import Table

if TYPE_CHECKING:
    from nebula_core.nebula.rules import Scores


def score(table: Table, state: State, seat: int = 0) -> "Scores":
    """A seat's points if the game ended now."""
    points = table.rules.scores(state)[seat]
    assert points is not None
    return points


def finished(table: Table, **said: Any) -> State:
    """A finished game: the bag is empty."""
    return table.position(phase=Phase.FINISHED, seat=said.get("players", 2) - 1, bag={}, **said)


@pytest.mark.parametrize("full", [False, True])
def test_an_empty_table_scores_nothing(table: Table, full: bool) -> None:
    for points in table.rules.scores(table.position(players=4, full=full)):
        assert points is not None
        assert set(points.values()) == {0}


@pytest.mark.parametrize(
    ("holes", "points"), [(0, 0), (1, 0), (2, 0), (3, 3), (4, 3), (5, 6), (6, 6), (7, 10), (8, 10)]
)
def test_a_personal_task_is_worth_its_best_tier_reached(table: Table, holes: int, points: int) -> None:
    # S21, black holes: 3 for 3, 6 for 5, 10 for 7. The task that went back is worth nothing.
    state = table.position(holes=[holes], personal=[["S21", "S22"], ["S01", "S02"]])
    assert score(table, state)["personal"] == points
    state = table.position(holes=[holes], personal=[["S22", "S21"], ["S01", "S02"]])
    assert score(table, state)["personal"] == 0


def test_a_personal_task_counts_its_own_players_boards(table: Table) -> None:
    state = table.position(holes=[3, 5], personal=[["S22", "S20"], ["S21", "S02"]])
    assert score(table, state, 1)["personal"] == 6


@pytest.mark.parametrize(("holes", "points"), list(enumerate([0, 1, 2, 4, 6, 9, 12, 16, 20])))
def test_black_holes_are_worth_what_the_track_says(table: Table, holes: int, points: int) -> None:
    assert score(table, table.position(holes=[0, holes]), 1)["black_holes"] == points


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize(
    ("names", "points"),
    [
        (["Lyra"], 9),
        (["Draco"], 8),
        (["Cygnus"], 9),
        (["Corvus"], 6),
        (["Lyra", "Draco"], 17),
        (["Draco", "Corvus"], 14),
    ],
)
def test_each_completed_constellation_is_worth_its_points(
    table: Table, names: list[str], points: int, full: bool
) -> None:
    spaces = [space for name in names for space in table.spaces("constellation", name)]
    if names == ["Draco", "Corvus"]:
        spaces.append(0)  # between them
    board = table.stars(spaces)
    assert score(table, table.position(galaxy=[board], full=full))["constellations"] == points
    del board[max(spaces)]
    assert score(table, table.position(galaxy=[board], full=full))["constellations"] < points


@pytest.mark.parametrize(("index", "more"), list(enumerate([0, 4, 8, 12])))
def test_full_a_completed_constellation_is_worth_more_by_its_marker(table: Table, index: int, more: int) -> None:
    board = table.stars(table.spaces("constellation", "Corvus"))
    values = {"constellation Corvus": index, "constellation Lyra": 1}
    state = table.position(galaxy=[board, board], holes=[2, 3], values=values)
    assert [score(table, state, seat)["constellations"] for seat in (0, 1)] == [6 + more] * 2


@pytest.mark.parametrize(("index", "each"), list(enumerate([0, 1, 2])))
def test_full_each_star_is_worth_the_value_of_its_colour(table: Table, index: int, each: int) -> None:
    # Three red stars, one violet one.
    state = table.position(
        galaxy=[BOARD], holes=[2, 3], public=NOT_SATISFIED, values={"color red": index, "color violet": 1}
    )
    assert score(table, state)["colors"] == 3 * each + 1
    assert score(table, state, 1)["colors"] == 0


@pytest.mark.parametrize(("index", "each"), list(enumerate([1, 2, 3, 4])))
def test_full_each_occurrence_on_an_advanced_card_is_worth_its_value(table: Table, index: int, each: int) -> None:
    # Direct links: red orange 2, orange yellow 1. No constellation with yellow and violet, 2 orbits with red and white.
    state = table.position(
        galaxy=[BOARD],
        holes=[2, 3],
        public=NOT_SATISFIED,
        advanced=["A01", "A06", "A18", "A20"],
        values={"card A01": index, "card A20": 1},
    )
    assert score(table, state)["advanced"] == 2 * each + 1 * 1 + 0 + 2 * 2


def test_public_tasks_and_the_total(table: Table) -> None:
    state = table.position(
        galaxy=[BOARD, {0: "red"}],
        holes=[3, 4],
        personal=[["S07", "S01"], ["S21", "S02"]],
        public=["T01", "T17", "T21", "T05"],
        markers={"T01": [0], "T21": [1]},
        advanced=["A01", "A03", "A16", "A22"],
        values={"color red": 2, "constellation Corvus": 1, "card A01": 1, "card A22": 2},
    )
    assert score(table, state) == {
        "personal": 3,  # three red stars
        "public": 4,
        "black_holes": 4,
        "constellations": 6 + 4,
        "colors": 3 * 2,
        # 2 direct links red orange for 2, 1 red white for 1, 2 constellations with both for 1, 1 flanked for 3
        "advanced": 2 * 2 + 1 + 2 + 3,
        "total": 3 + 4 + 4 + 10 + 6 + 10,
    }
    assert score(table, state, 1) == {
        "personal": 3,
        "public": 5,
        "black_holes": 6,
        "constellations": 0,
        "colors": 2,
        "advanced": 0,
        "total": 16,
    }


def test_the_basic_game_scores_neither_colours_nor_advanced_cards(table: Table) -> None:
    state = table.position(galaxy=[BOARD], holes=[3, 4], public=NOT_SATISFIED, full=False)
    points = score(table, state)
    assert (points["colors"], points["advanced"]) == (0, 0)
    assert points["total"] == 4 + 6


def test_pieces_left_in_the_observatory_score_nothing(table: Table) -> None:
    state = table.position(observatory=[["red", "blue", "black_hole"] * 3], holes=[2], values={"color red": 2})
    assert score(table, state)["total"] == 2


# Who wins.


def test_most_points_win(table: Table) -> None:
    state = finished(table, players=3, holes=[2, 4, 3])
    assert state.outcome() == ([2, 6, 4], [0.0, 1.0, 0.0])


def test_a_tie_goes_to_more_completed_constellations(table: Table) -> None:
    # Corvus completed for 6 points against 6 for four black holes with more stars.
    fewer = table.stars(table.spaces("constellation", "Corvus"), ["yellow", "white", "blue"])
    more = table.stars([0, 1, 2, 3, 4, 5, 6, 7], ["yellow", "white", "blue", "violet"])
    said: dict[str, Any] = {"personal": [["S01", "S02"], ["S07", "S08"]], "public": NOT_SATISFIED}
    state = finished(table, galaxy=[fewer, more], holes=[0, 4], **said)
    assert state.outcome() == ([6, 6], [1.0, 0.0])
    state = finished(table, galaxy=[more, fewer], holes=[4, 0], **said)
    assert state.outcome() == ([6, 6], [0.0, 1.0])


def test_a_tie_goes_on_to_more_stars(table: Table) -> None:
    state = finished(table, players=3, galaxy=[{0: "blue"}, {0: "blue", 1: "white"}, {}], holes=[1, 1, 1])
    assert state.outcome() == ([1, 1, 1], [0.0, 1.0, 0.0])


def test_stars_do_not_outweigh_points(table: Table) -> None:
    assert finished(table, galaxy=[{0: "blue", 1: "white"}, {}], holes=[0, 1]).outcome() == ([0, 1], [0.0, 1.0])


@pytest.mark.parametrize(
    ("holes", "shares"),
    [
        ([1, 1], [1 / 2, 1 / 2]),
        ([1, 2, 2], [0, 1 / 2, 1 / 2]),
        ([2, 2, 2], [1 / 3, 1 / 3, 1 / 3]),
        ([2, 1, 2, 2], [1 / 3, 0, 1 / 3, 1 / 3]),
        ([1, 1, 1, 1], [1 / 4, 1 / 4, 1 / 4, 1 / 4]),
    ],
)
def test_who_is_still_tied_shares_the_win(table: Table, holes: list[int], shares: list[float]) -> None:
    state = finished(table, players=len(holes), holes=holes)
    assert state.outcome()[1] == pytest.approx(shares)


def test_no_outcome_before_the_end(table: Table) -> None:
    with pytest.raises(GameNotFinished):
        table.position(holes=[1, 2]).outcome()


def test_no_score_where_it_depends_on_an_unknown_card(table: Table) -> None:
    fields = table.at(finished(table, holes=[1, 2]))
    fields["personal"][1] = [UNKNOWN, UNKNOWN]
    state = table.rules.from_fields(fields)
    scores = table.rules.scores(state)
    assert scores[0] is not None
    assert scores[0]["total"] == 1
    assert scores[1] is None
    with pytest.raises(CardUnknown):
        state.outcome()
