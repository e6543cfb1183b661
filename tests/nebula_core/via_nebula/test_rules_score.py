"""Via Nebula's rules: points, and who wins."""

from typing import Any

import pytest

from nebula_core.errors import GameNotFinished
from nebula_core.face import State
from tests.nebula_core.via_nebula.editions import standard
from tests.nebula_core.via_nebula.positions import Make, Table

RUINS = ["0,8", "1,1", "1,5", "2,3", "3,7", "4,1", "4,5", "5,3", "6,8", "7,1", "7,5", "8,4"]

SOURCES = ["tokens", "contracts", "score_effects", "stacks", "end_card", "storehouse"]


def points(table: Table, state: State, seat: int = 0) -> dict[str, int]:
    """The sources that a seat has points from, and the sum."""
    scores: Any = table.rules.scores(state)[seat]
    assert list(scores) == [*SOURCES, "total"]
    return {source: number for source, number in scores.items() if number}


def finished(table: Table, **said: Any) -> State:
    """The game ended by passing in this position."""
    state = table.position(**said)
    return table.play(state, *["end_turn"] * state.players)


def test_a_seat_with_nothing_has_no_points(table: Table) -> None:
    assert points(table, table.position()) == {}


def test_the_points_on_the_tokens_taken(table: Table) -> None:
    state = table.position(taken=[["wood 4 2", "pig 2 1", "pig 4 2", "clay 3 1"], ["clay 2 1"]])
    assert points(table, state) == {"tokens": 6, "total": 6}
    assert points(table, state, 1) == {"tokens": 1, "total": 1}


def test_the_points_of_contracts_done_and_not_of_others(table: Table) -> None:
    state = table.position(
        buildings=[RUINS[:3], RUINS[3:4]],
        done=[["N26", "P01", "N02"], ["N24"]],
        hands=[["P02"], ["P03", "P04"]],
    )
    assert points(table, state) == {"contracts": 5 + 3 + 2, "total": 10}
    assert points(table, state, 1) == {"contracts": 4, "total": 4}


@pytest.mark.parametrize(("card", "printed", "gives"), [("N31", 0, 3), ("N32", 0, 2), ("N33", 2, 1)])
def test_score_effects(table: Table, card: str, printed: int, gives: int) -> None:
    """Three buildings, tokens of two types, one emptied stack."""
    laid = ["0,1", "1,0", "2,2", "1,3", "1,4", "0,3"]
    said: Any = {
        "taken": [["wood 4 2", "wood 2 1", "pig 4 2"], ["clay 2 1"]],
        "empty": ["0,0", "0,2", "0,4"],
        "laid": laid,
        "buildings": [["1,1", "1,5", "2,3"], ["8,4"]],
    }
    own = points(table, table.position(done=[[card, "N01", "N03"], ["N05"]], **said))
    assert own["score_effects"] == gives
    assert own["contracts"] == printed + 2 + 2
    assert own["total"] == sum(own[source] for source in SOURCES if source in own)


def test_score_effects_add_up(table: Table) -> None:
    state = table.position(taken=[["wood 4 2"]], empty=["0,0"], buildings=[RUINS[:3]], done=[["N31", "N32", "N33"]])
    assert points(table, state)["score_effects"] == 3 + 1 + 0


def test_score_effects_count_what_is_there_at_the_end(table: Table) -> None:
    state = table.position(buildings=[RUINS[:1]], done=[["N31"]], sites=[{0: ("8,4", ["wood", "wood", "stone"])}])
    assert points(table, state)["score_effects"] == 1
    assert points(table, table.play(state, "build 0 P01"))["score_effects"] == 2


@pytest.mark.parametrize(("tiles", "stacks"), [(0, 0), (1, 0), (4, 0), (5, 1), (9, 1), (10, 2)])
def test_two_points_for_each_emptied_stack(table: Table, tiles: int, stacks: int) -> None:
    laid = ["0,1", "1,0", "1,4", "2,5", "1,6", "2,1", "3,3", "1,3", "2,2", "3,1"][:tiles]
    sites: Any = [{0: ("1,5", []), 1: ("1,1", []), 2: ("2,3", [])}]
    state = table.position(laid=laid, sites=sites)
    assert points(table, state) == ({"stacks": 2 * stacks, "total": 2 * stacks} if stacks else {})
    assert points(table, state, 1) == {}


def test_the_end_card(table: Table) -> None:
    state = table.position(buildings=[RUINS[:5]], end_card=0, seat=1)
    assert points(table, state)["end_card"] == 2
    assert "end_card" not in points(table, state, 1)


def test_a_minus_point_for_each_resource_in_the_storehouse(table: Table) -> None:
    state = table.position(storehouse=[["wood", "wood", "pig"], ["clay"]])
    assert points(table, state) == {"storehouse": -3, "total": -3}
    assert points(table, state, 1) == {"storehouse": -1, "total": -1}


def test_what_is_left_on_own_sites_and_exploitations_is_stored_at_the_end(table: Table) -> None:
    state = finished(
        table,
        storehouse=[["wood"]],
        sites=[{0: ("1,1", ["pig", "clay"]), 2: ("1,5", ["clay"])}, {1: ("8,4", ["stone"])}],
        exploitations={"0,0": (0, "pig", 3), "0,2": (1, "wheat", 2), "0,4": (None, "clay", 4)},
        taken=[["pig 4 2"], ["wheat 4 2"]],
    )
    assert state.finished
    assert points(table, state) == {"tokens": 2, "storehouse": -7, "total": -5}
    assert points(table, state, 1) == {"tokens": 2, "storehouse": -3, "total": -1}
    assert state.outcome() == ([-5, -1], [0, 1])


def test_private_contracts_that_were_not_done_cost_nothing(table: Table) -> None:
    state = finished(table, hands=[["P01", "P02"], ["P03", "P04"]])
    assert state.outcome() == ([0, 0], [0.5, 0.5])


def test_other_numbers(make: Make) -> None:
    edition = standard()
    edition["score"] = {"emptied_stack": 7, "end_card": 11, "storehouse_resource": -3}
    edition["pieces"]["meadow_stack_size"]["2"] = 1
    table = make(edition)
    state = table.position(
        buildings=[RUINS[:5]],
        done=[["N01", "N03", "N05", "N08", "N33"]],
        end_card=0,
        seat=1,
        laid=["0,7", "1,0", "1,4"],
        storehouse=[["pig", "wood"]],
    )
    assert points(table, state) == {
        "contracts": 10, "score_effects": 3, "stacks": 21, "end_card": 11, "storehouse": -6, "total": 39
    }  # fmt: skip


# Who wins.


def test_nobody_has_won_before_the_end(table: Table) -> None:
    with pytest.raises(GameNotFinished):
        table.position().outcome()


def test_most_points_win(table: Table) -> None:
    state = finished(table, players=3, taken=[["pig 3 1"], ["wood 4 2"], ["clay 3 1"]])
    assert state.outcome() == ([1, 2, 1], [0, 1, 0])


def test_a_tie_goes_to_fewer_resources_in_the_storehouse(table: Table) -> None:
    said: Any = {"taken": [["pig 4 2"], ["wood 4 2", "clay 4 2"], ["clay 3 1", "pig 3 1"]]}
    state = finished(table, players=3, storehouse=[[], ["wood", "pig"]], **said)
    assert state.outcome() == ([2, 2, 2], [0.5, 0, 0.5]), "two without a resource share the win"


def test_resources_left_on_the_map_count_for_the_tie(table: Table) -> None:
    state = finished(
        table,
        exploitations={"0,0": (0, "pig", 2)},
        taken=[["pig 4 2", "clay 4 2", "wood 3 1"], ["wood 4 2", "stone 4 2"]],
        storehouse=[[], ["clay"]],
    )
    assert state.outcome() == ([3, 3], [0, 1])


def test_who_is_still_tied_shares_the_win(table: Table) -> None:
    state = finished(table, players=4, storehouse=[["pig"], ["clay"], [], []], taken=[["pig 3 1"], ["wood 3 1"]])
    assert state.outcome() == ([0, 0, 0, 0], [0, 0, 0.5, 0.5])
    state = finished(table, players=4, storehouse=[["pig"], ["clay"], ["wood"], ["wheat"]])
    assert state.outcome() == ([-1] * 4, [0.25] * 4)
