"""Nebula's rules: what triggers the end, and the round that is then finished."""

from typing import Any

import pytest

from nebula_core.errors import GameFinished
from nebula_core.face import State
from nebula_core.nebula.rules import Phase
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table

PLACE = Phase.PLACE
GOES_ON = 8


def seats_until_the_end(table: Table, state: State) -> list[int]:
    """The seats that have another turn before the game is finished; GOES_ON of them at most."""
    seats: list[int] = []
    while not state.finished and len(seats) < GOES_ON:
        assert state.seat is not None
        seats.append(state.seat)
        state = table.pass_turn(state)
    return seats


# Each trigger, and the same with a little less.


@pytest.mark.parametrize(("players", "holes"), [(2, [4, 4]), (3, [5, 5, 3]), (4, [4, 4, 4, 3])])
def test_the_black_hole_indicator_at_its_end(table: Table, players: int, holes: list[int]) -> None:
    said: dict[str, Any] = {"phase": PLACE, "players": players, "observatory": [[BLACK_HOLE]], "full": False}
    state = table.play(table.position(holes=holes, **said), "place black_hole")
    assert seats_until_the_end(table, state) == list(range(1, players))
    holes[1] -= 1
    state = table.play(table.position(holes=holes, **said), "place black_hole")
    assert len(seats_until_the_end(table, state)) == GOES_ON


def test_three_constellations_completed_by_one_player(table: Table) -> None:
    board = table.stars(
        [space for name in ("Lyra", "Draco", "Corvus") for space in table.spaces("constellation", name)]
    )
    last = board.pop(31)
    state = table.position(phase=PLACE, observatory=[[last]], galaxy=[board])
    assert seats_until_the_end(table, table.play(state, f"place {last} 31")) == [1]
    assert len(seats_until_the_end(table, table.play(state, "stop"))) == GOES_ON


def test_two_constellations_here_and_two_there_do_not_end_the_game(table: Table) -> None:
    boards = [
        table.stars([space for name in names for space in table.spaces("constellation", name)])
        for names in (("Lyra", "Draco"), ("Cygnus", "Corvus"))
    ]
    assert len(seats_until_the_end(table, table.position(galaxy=boards))) == GOES_ON


@pytest.mark.parametrize(("bag", "seats"), [(2, [1]), (3, [1]), (4, [1, 0, 1]), (5, [1, 0, 1])])
def test_an_empty_bag(table: Table, bag: int, seats: list[int]) -> None:
    # Seat 0 takes two pieces, and in each turn after this one piece is taken.
    state = table.position(bag={"red": bag}, galaxy=[{0: "blue"}, {0: "blue"}])
    state = table.play(state, "invest 0 0 5", "take 0 1", "stop", "piece red", "piece red")
    assert seats_until_the_end(table, state) == seats


@pytest.mark.parametrize(
    ("players", "holes", "marked"),
    [(2, [3, 0], []), (3, [3, 4, 0], [1]), (4, [3, 4, 4, 0], [1, 2])],
    ids=["7 of two", "8 of three", "9 of four"],
)
def test_enough_markers_on_the_public_tasks(table: Table, players: int, holes: list[int], marked: list[int]) -> None:
    # Seats 0 and 1 have their markers on three tasks. Seat 0 now gets one on T21, four black holes.
    rich = table.stars(space for space in range(32) if space not in (25, 28, 30, 31))
    said: dict[str, Any] = {
        "phase": PLACE,
        "players": players,
        "observatory": [[BLACK_HOLE]],
        "galaxy": [rich, rich],
        "public": ["T01", "T10", "T16", "T21"],
        "markers": {"T01": [0, 1], "T10": [1, 0], "T16": [0, 1], "T21": marked},
        "full": False,
    }
    state = table.play(table.position(holes=holes, **said), "place black_hole")
    assert sum(map(len, table.at(state)["markers"])) == players + 5
    assert seats_until_the_end(table, state) == list(range(1, players))
    holes[0] -= 1
    state = table.play(table.position(holes=holes, **said), "place black_hole")
    assert sum(map(len, table.at(state)["markers"])) == players + 4
    assert len(seats_until_the_end(table, state)) == GOES_ON


# The round is finished, so that every player has had the same number of turns.


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("full", [False, True])
def test_the_seats_after_the_one_that_triggers_have_a_last_turn(table: Table, players: int, full: bool) -> None:
    for seat in range(players):
        end = {2: [4, 4], 3: [5, 5, 3], 4: [4, 4, 4, 3]}[players]
        state = table.position(
            phase=PLACE,
            players=players,
            seat=seat,
            full=full,
            observatory=[[BLACK_HOLE] if each == seat else [] for each in range(players)],
            holes=end,
        )
        state = table.play(state, "place black_hole", *(["decline"] if full else []))
        assert seats_until_the_end(table, state) == list(range(seat + 1, players))


def test_a_finished_game_has_no_moves_and_an_outcome(table: Table) -> None:
    state = table.position(phase=PLACE, seat=1, observatory=[[], [BLACK_HOLE]], holes=[4, 4], full=False)
    last = table.at(state)["round"]
    state = table.play(state, "place black_hole")
    assert state.finished
    assert state.seat is None
    fields = table.at(state)
    assert (fields["phase"], fields["seat"], fields["round"]) == (Phase.FINISHED, 1, last)
    with pytest.raises(GameFinished):
        state.legal_moves()
    assert state.outcome() == ([6, 9], [0.0, 1.0])


def test_the_end_is_only_looked_for_after_the_refill(table: Table) -> None:
    # The indicator reaches its end and chaos empties the bag: the turn goes on all the same.
    state = table.position(
        seat=1,
        observatory=[[], ["red", BLACK_HOLE]],
        bag={"blue": 2},
        galaxy=[{}, {0: "red"}],
        holes=[4, 4],
        full=False,
    )
    state = table.play(state, "chaos red", "piece blue", "piece blue", "keep blue blue", "place black_hole")
    assert (state.seat, table.phase(state)) == (1, PLACE)
    assert table.play(state, "place blue 1").finished


def test_the_last_turns_follow_all_rules(table: Table) -> None:
    # Seat 0 has brought the indicator to its end; seat 1 still refills, replaces the supernova and gets a marker.
    state = table.position(
        seat=1,
        holes=[5, 4],
        observatory=[[], ["white", BLACK_HOLE]],
        galaxy=[{}, {0: "red", 1: "blue", 2: "yellow"}],
        public=["T01", "T02", "T03", "T04"],
    )
    state = table.play(
        state, "invest 5 0 0", "take 0", "place white 3", "place black_hole", "advance color red", "stop"
    )
    assert table.phase(state) == Phase.REFILL
    state = table.play(state, "piece red")
    assert table.phase(state) == Phase.SUPERNOVA
    state = table.play(state, "piece red")
    assert state.finished
    fields = table.at(state)
    assert fields["markers"][0] == [1]
    assert fields["color_values"][0] == 1


def test_the_next_round_begins_where_nothing_holds(table: Table) -> None:
    before = table.position(seat=1, holes=[4, 4])
    state = table.pass_turn(before)
    assert (state.seat, table.at(state)["round"]) == (0, table.at(before)["round"] + 1)
