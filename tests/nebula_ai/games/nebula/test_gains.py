"""What a seat of Nebula has gained by its moves, in words."""

from typing import Any

import pytest

from nebula_core.face import State
from nebula_core.nebula.rules import Phase
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


def gained(table: Table, state: State, *moves: str) -> list[str]:
    """What the seat to move has gained after these moves of its own."""
    return table.game.gains(state, table.play(state, *moves))


def placing(table: Table, **said: Any) -> State:
    """Seat 0 has pieces to place; its personal task and the public ones can be worked for."""
    given: dict[str, Any] = {
        "phase": Phase.PLACE,
        "observatory": [["red", "blue", BLACK_HOLE]],
        "galaxy": [{0: "white", 1: "orange"}],
        "public": ["T10", "T06", "T21", "T20"],
        "advanced": ["A03", "A07", "A11", "A15"],
        "personal": [["S07", "S01"], ["S02", "S03"]],
    }
    return table.position(**given | said)


def test_what_is_nearer_comes_in_the_order_of_what_is_missing(table: Table) -> None:
    state = placing(table)
    assert gained(table, state, "place red 2") == [
        "brings S07 (red stars) to 1 of 3",
        "brings T10 (5 red stars) to 1 of 5",
        "brings Cygnus to 1 of 9 stars",
    ]
    assert gained(table, state) == []


def test_links(table: Table) -> None:
    """A star may bring points by an advanced card and be nearer to a public task."""
    assert gained(table, placing(table), "place red 4") == [
        "gets 1 point from A03",
        "brings S07 (red stars) to 1 of 3",
        "brings T20 (3 direct links between red and white stars) to 1 of 3",
        "brings T10 (5 red stars) to 1 of 5",
        "brings Lyra to 2 of 9 stars",
    ]


def test_a_better_tier_and_a_public_task(table: Table) -> None:
    board = {0: "red", 1: "white", 2: "red", 10: "red", 12: "red", 5: "blue", 4: "orange", 3: "yellow"}
    state = placing(table, galaxy=[board], observatory=[["red"]], values={"color red": 2}, holes=[2, 0])
    assert gained(table, state, "place red 6")[:3] == [
        "completes T10 (5 red stars) for 5 points",
        "brings S07 (red stars) to 5 for 3 points",
        "gets 2 points from red stars",
    ]
    boards = [board, board | {6: "red"}]
    later = placing(table, galaxy=boards, observatory=[["red"]], markers={"T10": [1]})
    assert gained(table, later, "place red 6")[0] == "completes T10 (5 red stars) for 3 points"


def test_a_constellation_and_a_task_that_wants_it(table: Table) -> None:
    board = {3: "red", 9: "white", 16: "red", 24: "blue", 23: "white"}
    assert {*board, 31} == {*table.spaces("constellation", "Corvus")}
    state = placing(
        table,
        galaxy=[board],
        observatory=[["red"]],
        values={"constellation Corvus": 1},
        holes=[1, 0],
        public=["T10", "T06", "T21", "T12"],
    )
    assert gained(table, state, "place red 31")[:2] == [
        "completes T06 (Corvus complete in exactly 3 colours) for 5 points",
        "completes Corvus for 10 points",
    ]
    del board[23]
    near = gained(table, placing(table, galaxy=[board], observatory=[["white"]]), "place white 23")
    assert near == ["brings T06 (Corvus complete in exactly 3 colours) to 5 of 6 stars"]


def test_no_work_for_a_task_that_cannot_be_done_any_more(table: Table) -> None:
    """Corvus has four colours already, and T06 wants three."""
    board = {3: "red", 9: "white", 16: "blue", 24: "orange"}
    state = placing(table, galaxy=[board], observatory=[["yellow"]])
    found = gained(table, state, "place yellow 23")
    assert found == ["brings Corvus to 5 of 6 stars"]


def test_black_holes_and_value_markers(table: Table) -> None:
    state = placing(table, holes=[2, 0], galaxy=[{0: "red", 2: "red", 1: "white"}])
    hole = table.play(state, "place black_hole")
    assert table.game.gains(state, hole) == [
        "places a black hole for 2 points",
        "brings T21 (4 black holes placed) to 3 of 4",
    ]
    assert gained(table, hole, "advance color red") == ["gets 2 points from red stars", "makes red stars worth 1 each"]
    assert gained(table, hole, "advance constellation Lyra") == ["makes Lyra worth 13 points"]
    name = "A03 (direct links between red and white stars)"
    assert gained(table, hole, "advance card A03") == [f"makes {name} worth 2 each"]
    assert gained(table, hole, "decline") == []


def test_the_basic_variant(table: Table) -> None:
    state = placing(table, full=False, advanced=())
    assert gained(table, state, "place red 4")[1] == "brings T20 (3 direct links between red and white stars) to 1 of 3"
    assert gained(table, state, "place black_hole")[0] == "places a black hole for 1 point"


def test_pieces(table: Table) -> None:
    turn = placing(table, phase=Phase.TURN, clusters={(2, 0): "violet"})
    assert gained(table, turn, "invest 5 0 0") == []
    taking = table.play(turn, "invest 5 0 0")
    assert gained(table, taking, "take 0 2") == ["takes violet and violet"]
    assert gained(table, turn, "chaos red") == ["gives up red to draw 5 pieces"]
    drawn = placing(table, phase=Phase.KEEP, drawn=["red", "red", "blue", "blue", "white"])
    assert gained(table, drawn, "keep red red") == ["takes red and red"]


def test_personal_tasks(table: Table) -> None:
    choosing = table.settle(table.start())
    first, _ = table.legal(choosing)
    card = table.game.content.personal_tasks[table.personal.index(first.split()[1])]
    (phrase,) = gained(table, choosing, first)
    assert phrase.startswith(f"keeps {card.id} ({card.text}), worth up to ")
    assert table.game.gains(choosing.observe(1), table.play(choosing.observe(1), "choose unknown")) == []


def test_an_unknown_task_of_its_own_is_left_out(table: Table) -> None:
    known = placing(table)
    unknown = placing(table, personal=[[None, None], ["S02", "S03"]])
    assert gained(table, known, "place red 2") == [
        "brings S07 (red stars) to 1 of 3",
        *gained(table, unknown, "place red 2"),
    ]


def test_the_tasks_of_the_others_are_not_looked_at(table: Table) -> None:
    one, other = (placing(table, personal=[["S07", "S01"], rest]) for rest in (["S02", "S03"], [None, None]))
    for move in ("place red 4", "place blue 4", "place black_hole"):
        assert gained(table, one, move) == gained(table, other, move)
