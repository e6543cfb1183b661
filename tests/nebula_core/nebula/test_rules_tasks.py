"""Nebula's rules: the markers on the public tasks, at the end of a turn."""

from nebula_core.nebula.rules import Phase
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table

PLACE = Phase.PLACE
# T01: orbit 1 full in exactly 4 colours. T10: 5 red stars. T16: 2 sets of all colours. T21: 4 black holes.
TASKS = ("T01", "T10", "T16", "T21")
THREE_OF_ORBIT_1 = {0: "red", 1: "blue", 2: "yellow"}


def test_a_task_satisfied_when_the_player_stops_gets_its_marker(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["white", "red"]], galaxy=[THREE_OF_ORBIT_1], public=TASKS)
    state = table.play(state, "place white 3")
    assert table.at(state)["markers"] == [[], [], [], []], "not before the turn's placements are over"
    state = table.play(state, "stop")
    assert table.at(state)["markers"] == [[0], [], [], []]


def test_the_marker_comes_too_when_the_turn_goes_on_by_itself(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["white"]], galaxy=[THREE_OF_ORBIT_1], public=TASKS)
    assert table.at(table.play(state, "place white 3"))["markers"] == [[0], [], [], []]


def test_the_marker_comes_when_the_last_decision_was_about_a_value_marker(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE]], holes=[3, 1], public=TASKS)
    state = table.play(state, "place black_hole")
    assert table.at(state)["markers"] == [[], [], [], []]
    assert table.at(table.play(state, "decline"))["markers"] == [[], [], [], [0]]


def test_no_marker_where_the_boards_do_not_satisfy_the_task(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[["blue"]], galaxy=[{0: "red", 1: "blue", 2: "red"}], public=TASKS)
    state = table.play(state, "place blue 3")
    assert table.at(state)["markers"] == [[], [], [], []], "orbit 1 is full, but not in 4 colours"


def test_several_tasks_get_their_markers_in_one_turn(table: Table) -> None:
    state = table.position(
        phase=PLACE,
        observatory=[["white", BLACK_HOLE]],
        galaxy=[THREE_OF_ORBIT_1],
        holes=[3, 0],
        public=TASKS,
        full=False,
    )
    state = table.play(state, "place white 3", "place black_hole")
    assert table.at(state)["markers"] == [[0], [], [], [0]]


def test_a_player_marks_a_task_once(table: Table) -> None:
    galaxy = {**THREE_OF_ORBIT_1, 3: "white"}
    state = table.position(galaxy=[galaxy], public=TASKS, markers={"T01": [0]})
    state = table.pass_turn(table.pass_turn(state))
    assert table.at(state)["markers"] == [[0], [], [], []]


def test_later_players_mark_it_after_the_first(table: Table) -> None:
    galaxy = {**THREE_OF_ORBIT_1, 3: "white"}
    state = table.position(
        phase=PLACE,
        players=3,
        seat=1,
        observatory=[[], ["white", "red"], []],
        galaxy=[{}, THREE_OF_ORBIT_1, galaxy],
        public=TASKS,
        markers={"T01": [2]},
    )
    assert table.at(state)["indicator"] == 0
    state = table.play(state, "place white 3", "stop")
    assert table.at(state)["markers"] == [[2, 1], [], [], []]


def test_the_boards_of_others_do_not_count(table: Table) -> None:
    state = table.position(phase=PLACE, observatory=[[BLACK_HOLE]], holes=[1, 4], public=TASKS, markers={"T21": [1]})
    state = table.play(state, "place black_hole", "decline")
    assert table.at(state)["markers"] == [[], [], [], [1]]


def test_first_and_later_points(table: Table) -> None:
    galaxy = {**THREE_OF_ORBIT_1, 3: "white"}
    state = table.position(
        players=3,
        galaxy=[galaxy, galaxy, galaxy],
        holes=[4, 4, 0],
        public=TASKS,
        markers={"T01": [2, 0, 1], "T21": [1, 0]},
    )
    # T01 is worth 4 to the first and 2 to the others, T21 5 and 3.
    points = [score["public"] for score in table.rules.scores(state) if score]
    assert points == [2 + 3, 2 + 5, 4]
