"""Every invariant of a state of Nebula: broken, it is refused with the field and the reason."""

from copy import deepcopy
from random import Random
from typing import Any

import pytest

from nebula_core.errors import StateError
from nebula_core.face import Generator
from nebula_core.nebula.rules import NOTHING, UNKNOWN, Phase
from tests.nebula_core.changes import Change, all_of, refused, set_at
from tests.nebula_core.nebula.positions import BLACK_HOLE, Table

RED, ORANGE, YELLOW, WHITE, BLUE, VIOLET, HOLE = range(7)


# Three players in the middle of the game; seat 1 is in turn.
BASE: dict[str, Any] = {
    "players": 3,
    "seat": 1,
    "observatory": [["red"], ["blue", "yellow"], []],
    "galaxy": [{0: "red", 4: "blue", 10: "white"}, {1: "blue", 2: "yellow", 3: "white", 0: "red"}, {}],
    "holes": [1, 2, 0],
    "markers": {"T01": [1]},
    "public": ["T01", "T10", "T16", "T21"],
    "values": {"color red": 1, "card A02": 1},
}


def base(table: Table, **said: Any) -> Any:
    """The fields of the position, with changes in the words of `Table.fields`."""
    return table.fields(**{**BASE, **said})


def move_piece(count: int, piece: int) -> Change:
    """Takes pieces out of the bag, so that they can lie somewhere else."""

    def change(fields: Any) -> None:
        fields["bag"][piece] -= count

    return change


def nothing_removed(fields: Any) -> None:
    """Puts what is removed back into the bag."""
    fields["bag"] = [inside + out for inside, out in zip(fields["bag"], fields["removed"], strict=True)]
    fields["removed"] = [0] * len(fields["removed"])


def star(seat: int, space: int, color: int) -> Change:
    """One more star out of the bag."""
    return all_of(move_piece(1, color), set_at("galaxy", seat, space, color))


def test_the_position_is_valid_until_it_is_changed(table: Table) -> None:
    fields = base(table)
    state = table.rules.from_fields(fields)
    assert table.rules.fields(state) == fields


SHAPES: list[tuple[str, Change, str, str]] = [
    ("a field missing", lambda fields: fields.pop("holes"), "holes", "missing"),
    ("an unknown field", set_at("deck", []), "deck", "not a field"),
    ("players below", set_at("players", 1), "players", "from 2 to 4"),
    ("players above", set_at("players", 5), "players", "from 2 to 4"),
    ("players no number", set_at("players", "3"), "players", "whole number"),
    ("players half", set_at("players", 3.0), "players", "whole number"),
    ("variant", set_at("full", 2), "full", "from 0 to 1"),
    ("phase below", set_at("phase", -1), "phase", "from 0 to"),
    ("phase above", set_at("phase", 11), "phase", "from 0 to"),
    ("seat below", set_at("seat", -1), "seat", "from 0 to 2"),
    ("seat of a fourth player", set_at("seat", 3), "seat", "from 0 to 2"),
    ("round 0", set_at("round", 0), "round", "from 1"),
    ("round beyond all", set_at("round", 1 << 16), "round", "from 1"),
    ("bag no list", set_at("bag", 5), "bag", "list of 7"),
    ("bag too short", lambda fields: fields["bag"].pop(), "bag", "list of 7"),
    ("bag negative", set_at("bag", RED, -1), "bag[0]", "from 0"),
    ("removed too large", set_at("removed", RED, 256), "removed[0]", "from 0 to 255"),
    ("two clusters", lambda fields: fields["clusters"].pop(), "clusters", "list of 3"),
    ("a cluster of five", lambda fields: fields["clusters"][1].pop(), "clusters[1]", "list of 6"),
    ("an eighth piece", set_at("clusters", 1, 2, 7), "clusters[1][2]", "from -1 to 6"),
    ("an unknown piece", set_at("clusters", 1, 2, UNKNOWN), "clusters[1][2]", "from -1 to 6"),
    ("a figure too few", lambda fields: fields["figures"].pop(), "figures", "list of 3"),
    ("a figure off its ring", set_at("figures", 2, 6), "figures[2]", "from 0 to 5"),
    ("a figure nowhere", set_at("figures", 2, NOTHING), "figures[2]", "from 0 to 5"),
    ("a black hole as supernova", set_at("supernova", HOLE), "supernova", "from -1 to 5"),
    ("an Observatory too few", lambda fields: fields["observatory"].pop(), "observatory", "list of 3"),
    ("an Observatory too short", lambda fields: fields["observatory"][2].pop(), "observatory[2]", "list of 7"),
    ("a negative Observatory", set_at("observatory", 2, RED, -1), "observatory[2][0]", "from 0"),
    ("a galaxy too few", lambda fields: fields["galaxy"].pop(), "galaxy", "list of 3"),
    ("a galaxy too short", lambda fields: fields["galaxy"][1].pop(), "galaxy[1]", "list of 32"),
    ("a black hole in a galaxy", set_at("galaxy", 1, 7, HOLE), "galaxy[1][7]", "from -1 to 5"),
    ("a track too few", lambda fields: fields["holes"].pop(), "holes", "list of 3"),
    ("a ninth black hole", set_at("holes", 0, 9), "holes[0]", "from 0 to 8"),
    ("a task too few", lambda fields: fields["public"].pop(), "public", "list of 4"),
    ("a task that is not there", set_at("public", 3, 24), "public[3]", "from -1 to 23"),
    ("an unknown task", set_at("public", 3, UNKNOWN), "public[3]", "from -1 to 23"),
    ("markers too few", lambda fields: fields["markers"].pop(), "markers", "list of 4"),
    ("a marker of nobody", set_at("markers", 0, [1, 3]), "markers[0][1]", "from 0 to 2"),
    ("a marker twice", set_at("markers", 0, [1, 1]), "markers[0][1]", "two markers"),
    ("more markers than seats", set_at("markers", 0, [1, 0, 2, 1]), "markers[0]", "at most 3"),
    ("an advanced card too few", lambda fields: fields["advanced"].pop(), "advanced", "list of 4"),
    ("an advanced card that is not there", set_at("advanced", 0, 24), "advanced[0]", "from -1 to 23"),
    ("a colour value off its scale", set_at("color_values", BLUE, 3), "color_values[4]", "from 0 to 2"),
    ("a colour value below", set_at("color_values", BLUE, -1), "color_values[4]", "from 0 to 2"),
    ("a constellation value off its scale", set_at("constellation_values", 3, 4), "constellation_values[3]", "0 to 3"),
    ("an advanced value off its scale", set_at("advanced_values", 0, 4), "advanced_values[0]", "from 0 to 3"),
    ("colour values too few", lambda fields: fields["color_values"].pop(), "color_values", "list of 6"),
    ("a personal hand too few", lambda fields: fields["personal"].pop(), "personal", "list of 3"),
    ("a personal hand of one", lambda fields: fields["personal"][0].pop(), "personal[0]", "list of 2"),
    ("a personal task that is not there", set_at("personal", 1, 0, 22), "personal[1][0]", "from -2 to 21"),
    ("took_supernova no truth", set_at("took_supernova", 2), "took_supernova", "from 0 to 1"),
    ("placed no list", set_at("placed", 1), "placed", "list"),
    ("placed an eighth piece", set_at("placed", [7]), "placed[0]", "from 0 to 6"),
    ("placed a piece twice", set_at("placed", [RED, RED]), "placed[1]", "two pieces of one colour"),
    ("drawn negative", set_at("drawn", RED, -1), "drawn[0]", "from 0"),
]

PIECES: list[tuple[str, Change, str, str]] = [
    ("a star too many in the bag", move_piece(-1, WHITE), "bag[3]", "there are 22"),
    ("a star too few", move_piece(1, WHITE), "bag[3]", "there are 20"),
    ("a black hole too many", set_at("removed", HOLE, 7), "bag[6]", "there are 19"),
    ("a star too many in an Observatory", set_at("observatory", 2, RED, 1), "bag[0]", "there are 22"),
    ("a star too many in a cluster", set_at("clusters", 0, 1, RED), "bag[0]", "there are 22"),
    ("a star too many in a galaxy", set_at("galaxy", 2, 0, RED), "bag[0]", "there are 22"),
    ("a black hole too many on a track", set_at("holes", 2, 1), "bag[6]", "there are 19"),
    ("another supernova", set_at("supernova", RED), "bag[0]", "there are 22"),
    ("pieces drawn from nowhere", set_at("drawn", RED, 1), "bag[0]", "there are 22"),
]

CARDS: list[tuple[str, Change, str, str]] = [
    ("a public task twice", set_at("public", 3, 0), "public[3]", "twice"),
    ("an advanced card twice", set_at("advanced", 3, 0), "advanced[3]", "twice"),
    ("a personal task twice in one hand", set_at("personal", 0, 1, 0), "personal[0][1]", "twice"),
    ("a personal task in two hands", set_at("personal", 2, 0, 0), "personal[2][0]", "twice"),
    ("a public task missing", set_at("public", 3, NOTHING), "public[3]", "missing after the setup"),
    ("an advanced card missing", set_at("advanced", 1, NOTHING), "advanced[1]", "missing after the setup"),
    ("a personal task missing", set_at("personal", 1, 1, NOTHING), "personal[1][1]", "missing after the setup"),
]

GALAXIES: list[tuple[str, Change, str, str]] = [
    ("two linked stars of one colour, along the orbit", star(0, 1, RED), "galaxy[0][0]", "same colour"),
    ("two linked stars of one colour, directly", star(0, 5, RED), "galaxy[0][0]", "same colour"),
    ("two linked stars of one colour, indirectly", star(1, 7, BLUE), "galaxy[1][1]", "same colour"),
    ("a star with no link", star(0, 20, RED), "galaxy[0][20]", "no link"),
    (
        "two stars with a link to each other alone",
        all_of(star(0, 20, RED), star(0, 28, BLUE)),
        "galaxy[0][20]",
        "no link",
    ),
    ("a first star beyond orbit 1", star(2, 9, RED), "galaxy[2]", "first one"),
    ("two first stars", all_of(star(2, 0, RED), star(2, 2, RED)), "galaxy[2][2]", "no link"),
]

MARKERS: list[tuple[str, Change, str, str]] = [
    ("a marker on a task that is not satisfied", set_at("markers", 1, [0]), "markers[1]", "seat 0 does not satisfy"),
    ("a task satisfied without its marker", set_at("markers", 0, []), "markers[0]", "seat 1 satisfies"),
    ("values of the basic game", set_at("full", False), "advanced", "list of 0"),
    (
        "more steps of value markers than black holes",
        set_at("constellation_values", [1, 1, 0, 0]),
        "color_values",
        "advanced 4 steps, with 3 black holes",
    ),
    ("an indicator that is not the black holes'", set_at("indicator", 4), "indicator", "must be 3"),
    ("an indicator beyond its end", set_at("indicator", 15), "indicator", "must be 3"),
]

PHASES: list[tuple[str, Change, str, str]] = [
    (
        "an empty space that the bag can fill",
        all_of(move_piece(-1, RED), set_at("clusters", 0, 0, NOTHING)),
        "clusters[0][0]",
        "must not be empty",
    ),
    (
        "no supernova with stars in the bag",
        all_of(move_piece(-1, VIOLET), set_at("supernova", NOTHING)),
        "supernova",
        "is missing",
    ),
    ("took the supernova before collecting", set_at("took_supernova", True), "took_supernova", "only from taking"),
    ("placed before collecting", set_at("placed", [RED]), "placed", "only while a seat places"),
    ("drawn without chaos", all_of(move_piece(1, RED), set_at("drawn", RED, 1)), "drawn", "between chaos and keep"),
    ("more stars than turns", all_of(nothing_removed, set_at("round", 1)), "galaxy[0]", "1 finished turns allow"),
    ("a setup with boards", set_at("phase", Phase.SETUP), "round", "must be 1"),
    ("a choice in the middle of the game", set_at("phase", Phase.CHOOSE), "round", "must be 1"),
    ("a refill with nothing to fill", set_at("phase", Phase.REFILL), "phase", "nothing can be refilled"),
    ("the drawing of a second supernova", set_at("phase", Phase.SUPERNOVA), "phase", "there is one"),
    ("a keep of nothing", set_at("phase", Phase.KEEP), "drawn", "must be 5"),
    ("a marker to advance without a black hole", set_at("phase", Phase.ADVANCE), "phase", "after a black hole"),
    ("finished before the end", set_at("phase", Phase.FINISHED), "phase", "not triggered"),
]


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [case[1:] for case in SHAPES + PIECES + CARDS + GALAXIES + MARKERS + PHASES],
    ids=[case[0] for case in SHAPES + PIECES + CARDS + GALAXIES + MARKERS + PHASES],
)
def test_broken(table: Table, change: Change, field: str, reason: str) -> None:
    fields = base(table)
    change(fields)
    refused(table.rules, fields, field, reason)


# In other phases than the beginning of a turn.


def test_a_place_phase_has_a_placement_left(table: Table) -> None:
    refused(table.rules, base(table, phase=Phase.PLACE, observatory=[]), "phase", "no placement left")


def test_no_third_piece_without_the_supernovas_colour(table: Table) -> None:
    said: dict[str, Any] = {
        "phase": Phase.PLACE,
        "observatory": [[], ["violet"], []],
        "placed": ["blue", "yellow", "white"],
    }
    refused(table.rules, base(table, **said), "placed", "more than 2 pieces")
    refused(table.rules, base(table, took_supernova=True, **said), "phase", "no placement left")
    said["placed"] = ["blue", "yellow"]
    refused(table.rules, base(table, **said), "phase", "no placement left")
    table.position(**{**BASE, **said, "took_supernova": True})


def test_what_was_placed_lies_on_the_boards(table: Table) -> None:
    said: dict[str, Any] = {"phase": Phase.PLACE, "observatory": [[], ["violet"], []]}
    refused(table.rules, base(table, placed=["orange"], **said), "placed", "nowhere on its boards")


def test_who_took_the_supernovas_colour_has_the_piece(table: Table) -> None:
    said: dict[str, Any] = {"phase": Phase.PLACE, "supernova": "orange", "took_supernova": True}
    refused(table.rules, base(table, observatory=[[], ["violet"], []], **said), "took_supernova", "no piece")
    table.position(**{**BASE, **said, "observatory": [[], ["violet", "orange"], []]})


def first_turn(table: Table, **said: Any) -> Any:
    """Fields before the first move, in which the seats hold what the setup gave them, with some changes."""
    given: dict[str, Any] = {
        "players": 3,
        "round": 1,
        "observatory": [[], ["red"], ["red", "blue"]],
        "supernova": "orange",
    }
    return table.fields(phase=Phase.TURN, **{**given, **said})


def test_nothing_has_been_played_before_the_first_move(table: Table) -> None:
    table.rules.from_fields(first_turn(table))
    before = "before the first turn"
    refused(table.rules, first_turn(table, observatory=[["red"], ["red"], ["red", "blue"]]), "observatory[0]", before)
    refused(table.rules, first_turn(table, figures=[3, 3, 3]), "figures[0]", "before the first turn")
    refused(table.rules, first_turn(table, bag={"blue": 12, "black_hole": 9}), "removed[0]", before)
    refused(table.rules, first_turn(table, holes=[0, 0, 1]), "holes[2]", before)


def test_a_seat_has_no_more_than_its_turns_can_have_brought(table: Table) -> None:
    said: dict[str, Any] = {"players": 2, "round": 2, "supernova": "orange", "observatory": [[], ["red"]]}
    valid: dict[str, Any] = {
        "phase": Phase.TURN,
        "galaxy": [{0: "red", 1: "blue"}],
        "public": ["T10", "T11", "T12", "T13"],
    }
    table.position(**valid, **said)
    two_red = {**valid, "galaxy": [{0: "red", 2: "red", 1: "blue"}]}
    refused(table.rules, table.fields(**two_red, **said), "galaxy[0]", "of one colour")
    refused(
        table.rules,
        table.fields(**{**valid, "galaxy": [{0: "red"}]}, **said, holes=[2, 0]),
        "holes[0]",
        "1 finished turns allow",
    )
    hoard = {**said, "observatory": [["red", "blue"] * 2, ["red"]]}
    refused(table.rules, table.fields(**valid, **hoard), "observatory[0]", "1 turns can have brought")
    refused(table.rules, table.fields(**valid, **said, bag={"blue": 9}), "removed", "the turns so far")


def test_the_last_round_that_is_taken_can_be_played_on(table: Table) -> None:
    """A state that was let in never leads to one that is refused."""
    fields = base(table)
    least, most = 1, 0xFFFF
    while least < most:
        fields["round"] = (least + most + 1) // 2
        try:
            table.rules.from_fields(fields)
            least = fields["round"]
        except StateError:
            most = fields["round"] - 1
    fields["round"] = least
    state = table.rules.from_fields(fields)
    while not state.finished:
        state = table.pass_turn(state)
        assert table.rules.unpack(state.pack()) == state


def test_every_turn_draws_a_piece_as_long_as_the_bag_lasts(table: Table) -> None:
    said: dict[str, Any] = {"round": 2, "observatory": [[], ["red"]], "public": ["T10", "T11", "T12", "T13"]}
    table.position(**said, galaxy=[{0: "red", 1: "blue"}])
    reason = "2 pieces at least must have been drawn since the setup, and 1 were"
    refused(table.rules, table.fields(**said, galaxy=[{0: "red"}]), "round", reason)
    refused(table.rules, table.fields(**said, seat=1, galaxy=[{0: "red", 1: "blue"}]), "round", "3 pieces at least")
    # With an empty bag the round goes on, and it is the last one.
    table.position(round=60, seat=1, bag={})
    reason = "118 pieces at least must have been drawn since the setup, and 117 were"
    refused(table.rules, table.fields(round=60, bag={"blue": 1}), "round", reason)
    refused(table.rules, table.fields(round=61, seat=1, bag={}), "round", "120 pieces at least")


def test_who_places_has_taken_a_piece_or_given_in_to_chaos(table: Table) -> None:
    said: dict[str, Any] = {
        "round": 2,
        "galaxy": [{0: "red", 1: "blue"}],
        "observatory": [["yellow"], ["red", "blue", "white", "yellow"]],
        "public": ["T10", "T11", "T12", "T13"],
    }
    table.position(phase=Phase.PLACE, **said, clusters={(2, 0): None})
    for phase, drawn, least in ((Phase.PLACE, (), 4), (Phase.KEEP, ["white"] * 5, 1), (Phase.DRAW, ["white"] * 3, 1)):
        fields = table.fields(phase=phase, drawn=drawn, **said)
        all_of(move_piece(least - 1, RED), set_at("removed", RED, least - 1))(fields)
        refused(table.rules, fields, "phase", f"neither taken a piece nor given in to chaos, which removes {least}")
        all_of(move_piece(1, RED), set_at("removed", RED, least))(fields)
        table.rules.from_fields(fields)


def test_no_supernova_was_taken_where_there_is_none(table: Table) -> None:
    said: dict[str, Any] = {"phase": Phase.PLACE, "bag": {BLACK_HOLE: 3}, "supernova": None, "took_supernova": True}
    refused(table.rules, base(table, **said), "took_supernova", "no supernova")


def test_only_what_a_figure_took_is_missing_before_the_refill(table: Table) -> None:
    said: dict[str, Any] = {"phase": Phase.PLACE, "clusters": {(0, 3): None}}
    refused(table.rules, base(table, **said), "clusters[0][3]", "no figure stands there")


@pytest.mark.parametrize(
    ("phase", "drawn", "bag", "reason"),
    [
        (Phase.DRAW, ["red"] * 5, {"red": 1}, "must be to keep"),
        (Phase.DRAW, ["red"], {}, "must be to keep"),
        (Phase.KEEP, ["red"] * 6, {"red": 1}, "must be 5 pieces"),
        (Phase.KEEP, ["red"] * 4, {"red": 1}, "must be 5 pieces"),
        (Phase.KEEP, [], {}, "must be 5 pieces"),
    ],
)
def test_chaos_draws_five_or_all_there_are(
    table: Table, phase: Phase, drawn: list[str], bag: dict[str, int], reason: str
) -> None:
    refused(table.rules, base(table, phase=phase, drawn=drawn, bag=bag), "drawn", reason)


def test_a_round_after_the_end_does_not_begin(table: Table) -> None:
    refused(
        table.rules,
        base(table, seat=0, holes=[5, 5, 4], public=["T01", "T10", "T16", "T20"]),
        "phase",
        "end was triggered",
    )


def test_finished_after_a_whole_round(table: Table) -> None:
    said: dict[str, Any] = {"phase": Phase.FINISHED, "bag": {}}
    refused(table.rules, base(table, seat=1, **said), "phase", "round not over")
    assert table.position(**{**BASE, **said, "seat": 2}).finished


# The setup.


def setup(table: Table, events: int) -> Any:
    """The fields of a setup of three players after so many chance events."""
    state = table.start(3)
    for _ in range(events):
        state = state.resolve(state.chances()[0][0])
    return table.at(state)


@pytest.mark.parametrize(
    ("events", "change", "field", "reason"),
    [
        (4, set_at("seat", 1), "seat", "must be 0"),
        (4, set_at("round", 2), "round", "must be 1"),
        (4, set_at("figures", 0, 1), "figures[0]", "space 0"),
        (4, all_of(move_piece(1, BLUE), set_at("removed", BLUE, 1)), "removed[4]", "must be 0"),
        (4, star(0, 0, BLUE), "galaxy[0]", "must be empty"),
        (4, all_of(move_piece(1, HOLE), set_at("holes", 0, 1)), "holes[0]", "must be 0"),
        (4, all_of(move_piece(1, BLUE), set_at("clusters", 0, 5, BLUE)), "clusters[0][5]", "before an earlier"),
        (4, all_of(move_piece(1, BLUE), set_at("supernova", BLUE)), "supernova", "before an earlier"),
        (4, all_of(move_piece(1, BLUE), set_at("observatory", 1, BLUE, 1)), "observatory[1]", "before an earlier"),
        (19, all_of(move_piece(1, BLUE), set_at("observatory", 0, BLUE, 1)), "observatory[0]", "more than it gets"),
        (19, all_of(move_piece(1, BLUE), set_at("observatory", 2, BLUE, 1)), "observatory[2]", "before an earlier"),
        (19, set_at("public", 0, 1), "public[0]", "before an earlier"),
        (22, set_at("public", 1, 1), "public[1]", "before an earlier"),
        (22, set_at("advanced", 0, 1), "advanced[0]", "before an earlier"),
        (22, set_at("personal", 0, 0, 1), "personal[0][0]", "before an earlier"),
        (30, set_at("personal", 1, 0, UNKNOWN), "personal[1][0]", "before an earlier"),
        (22, set_at("markers", 0, [0]), "markers[0]", "no task"),
        (26, set_at("markers", 0, [0]), "markers[0]", "first turn"),
        (30, set_at("color_values", BLUE, 1), "color_values[4]", "must be 0"),
        (30, set_at("constellation_values", 3, 1), "constellation_values[3]", "must be 0"),
        (30, set_at("advanced_values", 1, 1), "advanced_values[1]", "must be 0"),
        (22, all_of(move_piece(1, BLUE), set_at("drawn", BLUE, 1)), "drawn[4]", "first turn"),
        (22, set_at("took_supernova", True), "took_supernova", "only from taking"),
        (22, set_at("placed", [BLUE]), "placed", "only while a seat places"),
        (36, set_at("phase", Phase.SETUP), "phase", "nothing is missing"),
        (36, set_at("personal", 0, 0, UNKNOWN), "personal[0]", "all known or all unknown"),
        (36, all_of(move_piece(1, BLUE), set_at("observatory", 0, BLUE, 1)), "observatory[0]", "must hold 0 pieces"),
    ],
)
def test_broken_setup(table: Table, events: int, change: Change, field: str, reason: str) -> None:
    fields = setup(table, events)
    change(fields)
    refused(table.rules, fields, field, reason)


# Anything at all.

RANDOM_CHANGES = 10_000
ANYTHING: list[Any] = [
    *(None, True, "", "red", 1.5, [], [0], {}),
    *(10**30, -(10**30), 2**31, 2**32, -3, -2, -1, *range(12), 255, 256),
]


def test_any_change_is_refused_or_gives_the_state_that_it_says(table: Table, seed: int) -> None:
    random = Random(f"{seed} fields")
    valid = []
    for players in (2, 3, 4):
        state = table.start(players, full=players != 3)
        generator = Generator(random.getrandbits(64))
        while not state.finished:
            valid.append(table.at(state))
            if state.chance_pending:
                state = state.resolve(random.choice(state.chances())[0])
            else:
                state = state.apply(state.random_move(generator))
        valid.append(table.at(state))
    print(f"seed {seed}")
    accepted = 0
    for _ in range(RANDOM_CHANGES):
        fields: Any = deepcopy(random.choice(valid))
        inside: Any = fields
        key: Any = random.choice(list(fields))
        while isinstance(inside[key], list) and inside[key] and random.random() < 0.9:
            inside = inside[key]
            key = random.randrange(len(inside))
        inside[key] = random.choice(ANYTHING)
        try:
            made = table.rules.from_fields(fields)
        except StateError:
            continue
        accepted += 1
        assert table.rules.fields(made) == fields
    assert accepted > RANDOM_CHANGES // 100
