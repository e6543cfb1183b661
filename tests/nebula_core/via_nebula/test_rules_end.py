"""Via Nebula's rules: what ends the game, and the turns before it does."""

from typing import Any

import pytest

from nebula_core.errors import GameFinished
from nebula_core.face import State
from nebula_core.via_nebula.rules import NOTHING, Phase
from tests.nebula_core.via_nebula.editions import standard, with_effect
from tests.nebula_core.via_nebula.positions import Make, Table

RUINS = ["0,8", "1,5", "2,3", "3,7", "4,1", "4,5", "5,3", "6,8", "7,1", "7,5", "8,4"]
"""Of the beginner map, but 1,1, where the last site stands."""


def before_the_last_building(table: Table, **said: Any) -> State:
    """Seat 0 has four buildings and can do P01 for one wood or two wood and a stone."""
    said = {"buildings": [RUINS[:4]], "sites": [{0: ("1,1", ["wood", "wood", "stone"])}], **said}
    return table.position(**said)


# By the fifth building.


def test_the_first_fifth_building_takes_the_end_card_and_ends_the_turn(table: Table) -> None:
    state = before_the_last_building(table, players=3)
    assert table.at(state)["end_card"] == NOTHING
    state = table.play(state, "build 0 P01")
    fields = table.at(state)
    assert fields["end_card"] == 0
    assert (state.seat, fields["action_points"], fields["phase"]) == (1, 2, Phase.TURN)


def test_the_open_place_is_filled_first(table: Table) -> None:
    state = before_the_last_building(table, open=["N01", "N02", "N03", "N04"], done=[["N05", "N08", "N10", "N18"]])
    state = table.play(state, "build 0 N01")
    assert (state.chance_pending, table.at(state)["end_card"]) == (True, 0)
    assert table.play(state, "open N33").seat == 1


def test_a_fourth_building_does_not(table: Table) -> None:
    state = table.play(before_the_last_building(table, buildings=[RUINS[:3]]), "build 0 P01")
    assert (state.seat, table.at(state)["end_card"]) == (0, NOTHING)


def test_other_numbers_of_buildings(make: Make) -> None:
    edition = standard()
    edition["pieces"]["buildings"]["2"] = 1
    table = make(edition)
    state = table.play(before_the_last_building(table, buildings=[[]]), "build 0 P01")
    assert (state.seat, table.at(state)["end_card"]) == (1, 0)


def test_the_effect_of_that_contract_is_carried_out(make: Make) -> None:
    table = make(with_effect("supply", 2))
    sites: Any = [{0: ("1,1", ["wood"]), 1: ("7,1", [])}]
    state = table.play(before_the_last_building(table, sites=sites), "build 0 P01")
    assert (state.seat, table.phase(state), table.at(state)["parts"]) == (0, Phase.EFFECT, 2)
    state = table.play(state, "supply pig 1", "supply clay 1")
    assert (state.seat, table.phase(state)) == (1, Phase.TURN)
    assert table.at(state)["site_resources"][0][1] == table.tally(["pig", "clay"])


def test_that_contract_draws_cards_too(make: Make) -> None:
    table = make(with_effect("contract", 2))
    state = table.play(before_the_last_building(table), "build 0 P01")
    assert (table.phase(state), table.at(state)["seat"]) == (Phase.DRAW, 0)
    state = state.resolve(state.chances()[0][0])
    assert table.phase(state) == Phase.DRAW
    assert state.resolve(state.chances()[0][0]).seat == 1


def test_actions_gives_nothing_then(make: Make) -> None:
    table = make(with_effect("actions", 3))
    state = table.play(before_the_last_building(table), "build 0 P01")
    assert (state.seat, table.at(state)["action_points"]) == (1, 2)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("first", [0, 1])
def test_every_other_player_has_one_more_turn_clockwise(table: Table, players: int, first: int) -> None:
    said: dict[str, Any] = {
        "seat": first,
        "buildings": [RUINS[:4]] if first == 0 else [[], RUINS[:4]],
        "sites": [*[{}] * first, {0: ("1,1", ["wood", "wood", "stone"])}],
        "hands": [["P01", "P02"], ["P03", "P04"]] if first == 0 else [["P02", "P03"], ["P01", "P04"]],
        "players": players,
    }
    said["hands"] += [["P05", "P06"], ["P07", "P08"]][: players - 2]
    state = table.play(table.position(**said), "build 0 P01")
    for step in range(1, players):
        assert not state.finished
        assert state.seat == (first + step) % players
        assert table.at(state)["action_points"] == 2
        # Not all of them may be without an action, but it makes no difference here.
        if step == 1:
            state = table.play(state, f"craftsman {table.hexes('beginner', 'm')[0]}")
        state = table.play(state, "end_turn")
    assert state.finished
    fields = table.at(state)
    assert (fields["seat"], fields["end_card"], fields["action_points"]) == ((first - 1) % players, first, 0)
    with pytest.raises(GameFinished):
        state.legal_moves()


def last_turns(make: Make, **said: Any) -> tuple[Table, State]:
    """Three players; seat 0 has the end card, and seat 1, in turn, four buildings and a contract of two actions."""
    edition = with_effect("actions", 2)
    edition["pieces"]["ruin_capacity"]["3"] = 6
    table = make(edition)
    said = {
        "players": 3,
        "seat": 1,
        "end_card": 0,
        "buildings": [RUINS[:5], RUINS[5:9]],
        "sites": [{}, {0: ("1,1", ["wood"]), 1: ("7,5", ["wood", "stone"])}],
        "hands": [["P02", "P03"], ["P01", "P04"], ["P05", "P06"]],
        "open": ["N01", "N02", "N04", "N06"],
        "done": [["N03", "N05", "N08", "N10", "N18"], ["N22", "N28", "N20", "N21"]],
        **said,
    }
    return table, table.position(**said)


def test_a_later_fifth_building_takes_no_card_ends_no_turn_and_has_its_actions(make: Make) -> None:
    table, state = last_turns(make)
    state = table.play(state, "build 0 P01")
    fields = table.at(state)
    assert fields["end_card"] == 0
    assert (state.seat, fields["action_points"]) == (1, 3)
    assert not any(text.startswith("build") for text in table.legal(state)), "no building is left"
    state = table.play(state, "end_turn")
    assert (state.seat, table.at(state)["action_points"]) == (2, 2)
    assert table.play(state, "end_turn").finished


def test_a_turn_of_the_last_ones_may_use_up_its_action_points(make: Make) -> None:
    table, state = last_turns(make)
    meadows = table.hexes("beginner", "m")
    state = table.play(state, f"craftsman {meadows[0]}", f"craftsman {meadows[1]}")
    assert state.seat == 2
    assert table.play(state, "site 8,4", "site 8,4").finished


# By passing.


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seat", [0, 1])
def test_the_game_ends_at_once_if_every_player_in_a_row_takes_no_action(table: Table, players: int, seat: int) -> None:
    state = table.position(players=players, seat=seat)
    for number in range(players):
        assert not state.finished
        assert table.at(state)["idle"] == number
        state = table.play(state, "end_turn")
    assert state.finished
    assert table.at(state)["end_card"] == NOTHING


def test_a_single_action_breaks_the_row(table: Table) -> None:
    state = table.play(table.position(players=3), "end_turn", "end_turn")
    assert table.at(state)["idle"] == 2
    state = table.play(state, "site 1,1")
    assert table.at(state)["idle"] == 0
    state = table.play(state, "end_turn", "end_turn", "end_turn")
    assert not state.finished
    assert (state.seat, table.at(state)["idle"]) == (2, 2)
    assert table.play(state, "end_turn").finished


def test_no_matter_whether_an_action_was_possible(make: Make) -> None:
    edition = standard()
    edition["turn"]["action_points"] = 1
    edition["cost"] = dict.fromkeys(edition["cost"], 2)
    table = make(edition)
    state = table.position()
    for _ in range(2):
        assert table.legal(state) == ["end_turn"]
        state = table.play(state, "end_turn")
    assert state.finished
