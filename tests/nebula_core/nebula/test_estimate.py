"""What positions of Nebula promise: by hand, and alike for all seats. test_model.py reckons it over whole games."""

from random import Random
from typing import Any

import pytest

from nebula_core.errors import CardUnknown
from nebula_core.face import State
from nebula_core.nebula.rules import UNKNOWN, Phase
from tests.nebula_core.exchange import check_alike, played_states
from tests.nebula_core.nebula.boards import BOARD, NOT_SATISFIED
from tests.nebula_core.nebula.positions import Table

CORVUS = [3, 9, 16, 24, 23, 31]
"""Its spaces, each but the first linked to one before it."""

NOTHING_BEGUN: dict[str, Any] = {
    "personal": [["S21", "S22"], ["S20", "S19"], ["S01", "S02"], ["S03", "S04"]],
    "public": NOT_SATISFIED,
}
"""Tasks that count black holes, sets of all colours, and stars far out; and public ones without anything in between."""


def begun(table: Table, **said: Any) -> State:
    """A position in which no task promises anything for stars, unless other ones are said."""
    players = said.get("players", 2)
    return table.position(**{**NOTHING_BEGUN, "personal": NOTHING_BEGUN["personal"][:players]} | said)


@pytest.mark.parametrize("full", [False, True])
def test_an_empty_table_promises_nothing(table: Table, full: bool) -> None:
    assert begun(table, players=4, full=full).estimate() == [0] * 4


@pytest.mark.parametrize(
    ("stars", "promised"),
    # Corvus: 6 points for the square of the part of its 6 spaces; the stars, 3 * n * (1 - n / 64). In sixteenths, of
    # each what is over is dropped.
    [(1, 49 / 16), (2, 103 / 16), (3, 161 / 16), (4, 222 / 16), (5, 287 / 16), (6, 6 + 261 / 16)],
)
def test_a_constellation_that_is_not_complete(table: Table, stars: int, promised: float) -> None:
    board = table.stars(CORVUS[:stars], ["yellow", "white", "blue"])
    state = begun(table, galaxy=[{}, board], personal=[["S21", "S22"], ["S01", "S02"]], full=False)
    assert state.estimate() == [0, promised]


@pytest.mark.parametrize(("index", "promised"), [(0, 1.5), (1, 2.5), (3, 4.5)])
def test_full_by_what_the_constellation_is_worth_now(table: Table, index: int, promised: float) -> None:
    # Half of Corvus, for a quarter of 6, 10 and 18 points.
    board = table.stars(CORVUS[:3], ["yellow", "white", "blue"])
    state = begun(
        table, galaxy=[{}, board], holes=[3, 0], values={"constellation Corvus": index, "constellation Lyra": 0}
    )
    # Seat 0 has reached the first tier of its black holes, 3 points, and 2 on the track.
    # The three stars: 6 * 3 * (1 - 3 / 64), less what is over a sixteenth.
    assert state.estimate()[1] == promised + 274 / 16


@pytest.mark.parametrize(
    ("holes", "promised"),
    # S21: 3 for 3, 6 for 5, 10 for 7 black holes; the track: 0, 1, 2, 4, 6, 9, 12, 16; a point for each.
    [
        (0, 0),
        (1, 1 + 1.75 + 1),
        (2, 2 + 3.5 + 2),
        (3, 4 + 3 + 3),
        (4, 6 + 3 + 2.625 + 4),
        (5, 9 + 6 + 5),
        (6, 12 + 6 + 3.5 + 6),
        (7, 16 + 10 + 7),
    ],
)
def test_the_next_tier_of_the_personal_task(table: Table, holes: int, promised: float) -> None:
    assert begun(table, holes=[holes]).estimate() == [promised, 0]
    # The task that went back promises nothing: only the track counts, and a point for each.
    state = begun(table, holes=[holes], personal=[["S22", "S21"], ["S20", "S19"]])
    assert state.estimate() == [table.edition["black_holes"]["track_points"][holes] + holes, 0]


@pytest.mark.parametrize(
    ("holes", "promised"),
    # T21: 5 for the first with 4 black holes, 3 for others; the track as above, and a point for each.
    [(1, 1 + 5 / 16 + 1), (2, 2 + 20 / 16 + 2), (3, 4 + 45 / 16 + 3)],
)
def test_a_public_task_half_done(table: Table, holes: int, promised: float) -> None:
    public = ["T03", "T04", "T21", "T07"]
    personal = [["S20", "S19"], ["S01", "S02"]]
    assert begun(table, holes=[0, holes], public=public, personal=personal).estimate() == [0, promised]
    # For who comes later 3 points: of these a quarter, 4 black holes having made the other the first.
    state = begun(table, holes=[4, 2], public=public, personal=personal, markers={"T21": [0]})
    assert state.estimate() == [6 + 5 + 4, 2 + 12 / 16 + 2]


def test_a_task_that_is_satisfied_before_its_marker_is_placed(table: Table) -> None:
    """While its seat places pieces it promises what it will bring."""
    state = begun(
        table,
        phase=Phase.PLACE,
        observatory=[["red", "blue"]],
        placed=["black_hole"],
        holes=[4, 0],
        public=["T03", "T04", "T21", "T07"],
        personal=[["S20", "S19"], ["S01", "S02"]],
    )
    # The track, the task, a point for each black hole, and half of 6 for each star in the Observatory.
    assert state.estimate() == [6 + 5 + 4 + 6, 0]


def test_all_that_is_on_the_table(table: Table) -> None:
    state = table.position(
        galaxy=[BOARD, {0: "red"}],
        personal=[["S07", "S01"], ["S20", "S02"]],
        public=["T01", "T17", "T10", "T05"],
        markers={"T01": [0]},
        full=False,
    )
    scores = table.rules.scores(state)
    assert scores[0] is not None
    # Corvus 6, T01 4, S07 3 for 3 red stars; from there to 5 of them there is nothing yet.
    assert scores[0]["total"] == 13
    # 4 of Lyra's 9 stars for 9 points, 2 of Draco's 8 for 8, 3 of Cygnus' 9 for 9.
    constellations = 28 / 16 + 8 / 16 + 1
    # T17: 3 of 4 links of red and blue, for 6 points. T10: 3 of 5 red stars, for 5.
    tasks = 54 / 16 + 28 / 16
    # 15 stars: 3 * 15 * (1 - 15 / 64).
    stars = 551 / 16
    # The other's star: one of Lyra's 9, one of T10's 5, and 3 * (1 - 1 / 64).
    assert state.estimate() == [13 + constellations + tasks + stars, 1 / 16 + 3 / 16 + 47 / 16]


def test_before_the_choice_no_personal_task_promises_anything(table: Table) -> None:
    state = table.settle(table.start(3))
    # Nothing but half of 6 for each star in the Observatory.
    black_hole = len(table.edition["bag"]["colors"])
    assert state.estimate() == [3 * sum(pieces[:black_hole]) for pieces in table.at(state)["observatory"]]


def test_an_unknown_task_cannot_be_reckoned(table: Table) -> None:
    fields = table.at(begun(table, holes=[1, 2]))
    fields["personal"][1] = [UNKNOWN, UNKNOWN]
    with pytest.raises(CardUnknown):
        table.rules.from_fields(fields).estimate()
    # One that went back does not count.
    fields = table.at(begun(table, holes=[1, 2]))
    fields["personal"][0] = [fields["personal"][0][0], UNKNOWN]
    assert table.rules.from_fields(fields).estimate() == begun(table, holes=[1, 2]).estimate()


def exchange(readable: Any, order: tuple[int, ...]) -> Any:
    """The state with its seats in this order: see tests/nebula_core/exchange.py."""
    by_seat = {key: [readable[key][seat] for seat in order] for key in ("observatory", "galaxy", "holes", "personal")}
    markers = [
        {"task": each["task"], "seats": [order.index(seat) for seat in each["seats"]]} for each in readable["markers"]
    ]
    return readable | by_seat | {"markers": markers, "seat": order.index(readable["seat"])}


@pytest.mark.parametrize("full", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_are_alike(table: Table, players: int, full: bool, seed: int) -> None:
    random = Random(f"{seed} {players} {full}")
    # Before its choice a seat's cards stand in another form.
    states = [
        state for state in played_states(table.start(players, full), random) if table.phase(state) != Phase.CHOOSE
    ]
    check_alike(table.game, random.sample(states, 48 // players), exchange)
