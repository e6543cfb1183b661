"""Every invariant of a state of Via Nebula: broken, it is refused with the field and the reason."""

from copy import deepcopy
from random import Random
from typing import Any

import pytest

from nebula_core.errors import StateError
from nebula_core.via_nebula.edition import EffectKind
from nebula_core.via_nebula.rules import NOTHING, Phase
from tests.nebula_core.changes import Change, add_at, all_of, refused, set_at
from tests.nebula_core.playable import states_of_all_kinds
from tests.nebula_core.via_nebula.editions import with_effect
from tests.nebula_core.via_nebula.positions import Make, Table

WOOD, STONE, CLAY, WHEAT, PIG = range(5)

# Three players in the middle of the game on the beginner map; seat 1 is in turn. A ruin bears two.
BASE: dict[str, Any] = {
    "players": 3,
    "seat": 1,
    "exploitations": {
        "0,0": (0, "wood", 2),  # meadow 0
        "0,2": (1, "pig", 3),
        "0,4": (1, "clay", 1),
        "0,6": (None, "stone", 4),
        "0,9": (None, "clay", 3),
    },
    "empty": ["1,7", "2,0", "2,4"],  # meadows 5, 6, 7
    "taken": [["wood 4 2"], ["pig 4 2", "clay 4 2"], ["wheat 2 1"]],
    "laid": ["1,8", "1,0", "2,5"],
    "sites": [{0: ("1,1", ["wood", "pig"])}, {1: ("4,1", []), 2: ("4,1", ["clay"])}, {}],
    "buildings": [["1,1"], ["2,3", "4,5"], []],
    "done": [["N23"], ["P03", "N02"], []],
    "hands": [["P01", "P02", "N30"], ["P04"], ["P05", "P06"]],
    "open": ["N01", "N03", "N04", "N05"],
    "storehouse": [["wheat"], [], ["wood", "wood"]],
}


def base(table: Table, **said: Any) -> Any:
    """The fields of the position, with changes in the words of `Table.fields`."""
    return table.fields(**{**BASE, **said})


def test_the_position_is_valid_until_it_is_changed(table: Table) -> None:
    fields = base(table)
    assert table.at(table.rules.from_fields(fields)) == fields
    assert [at for at, hex in enumerate(table.hexes("beginner", "m")) if hex in BASE["empty"]] == [5, 6, 7]


FIELDS = [
    *("players", "map", "phase", "seat", "action_points", "acted", "idle", "effect", "parts", "end_card", "boxed"),
    *("tokens", "exploitations", "empty", "sites", "site_resources", "buildings", "stacks", "stock", "craftsmen"),
    *("reserve", "storehouse", "taken", "hands", "unknown_neutral", "unknown_private", "done", "open"),
]


@pytest.mark.parametrize("field", FIELDS)
def test_no_field_may_be_missing(table: Table, field: str) -> None:
    fields = base(table)
    del fields[field]
    refused(table.rules, fields, field, "missing")


@pytest.mark.parametrize("field", FIELDS)
@pytest.mark.parametrize("value", [None, "3", 1.0, {}, [[[]]], -2, 10**30])
def test_every_field_has_its_kind_of_value(table: Table, field: str, value: Any) -> None:
    fields = base(table)
    fields[field] = value
    with pytest.raises(StateError) as error:
        table.rules.from_fields(fields)
    assert error.value.field.partition("[")[0] == field
    assert error.value.reason


SHAPES: list[tuple[str, Change, str, str]] = [
    ("an unknown field", set_at("deck", []), "deck", "not a field"),
    ("players below", set_at("players", 1), "players", "from 2 to 4"),
    ("players above", set_at("players", 5), "players", "from 2 to 4"),
    ("a third map", set_at("map", 2), "map", "from 0 to 1"),
    ("phase above", set_at("phase", 6), "phase", "from 0 to 5"),
    ("seat of a fourth player", set_at("seat", 3), "seat", "from 0 to 2"),
    ("action points below", set_at("action_points", -1), "action_points", "from 0"),
    ("acted no truth", set_at("acted", 2), "acted", "from 0 to 1"),
    ("idle above", set_at("idle", 4), "idle", "from 0 to 3"),
    ("an unknown effect", set_at("effect", 10), "effect", "from 0 to 9"),
    ("parts below", set_at("parts", -1), "parts", "from 0"),
    ("an end card of nobody", set_at("end_card", 3), "end_card", "from -1 to 2"),
    ("a regular token in the box", set_at("boxed", [0]), "boxed[0]", "from 15 to 19"),
    ("a special token twice in the box", set_at("boxed", [15, 15]), "boxed[1]", "not so many"),
    ("a meadow too few", lambda fields: fields["tokens"].pop(), "tokens", "list of 24"),
    ("a kind of token that is not there", set_at("tokens", 10, 20), "tokens[10]", "from -1 to 19"),
    ("an exploitation too few", lambda fields: fields["exploitations"].pop(), "exploitations", "list of 24"),
    ("an exploitation without a count", set_at("exploitations", 0, [0, WOOD]), "exploitations[0]", "list of 3"),
    ("an exploitation of nobody", set_at("exploitations", 0, [3, WOOD, 2]), "exploitations[0]", "from -1 to 2"),
    ("an exploitation of a sixth resource", set_at("exploitations", 0, [0, 5, 2]), "exploitations[0]", "from 0 to 4"),
    ("an exploitation of nothing", set_at("exploitations", 0, [0, WOOD, 0]), "exploitations[0]", "from 1 to 31"),
    ("a hex beyond the map", set_at("empty", [86]), "empty[0]", "from 0 to 85"),
    ("a hex twice", lambda fields: fields["empty"].append(fields["empty"][0]), "empty[6]", "twice"),
    ("a seat's sites too few", lambda fields: fields["sites"].pop(), "sites", "list of 3"),
    ("a fourth site", lambda fields: fields["sites"][0].append(NOTHING), "sites[0]", "list of 3"),
    ("a site on a meadow", set_at("sites", 0, 1, 0), "sites[0][1]", "no ruin"),
    ("a site on mist", set_at("sites", 0, 1, 1), "sites[0][1]", "no ruin"),
    ("a site beyond the map", set_at("sites", 0, 1, 86), "sites[0][1]", "from -1 to 85"),
    ("a site's resources too few", lambda f: f["site_resources"][1][0].pop(), "site_resources[1][0]", "list of 5"),
    ("a site's resources below", set_at("site_resources", 1, 1, PIG, -1), "site_resources[1][1][4]", "from 0"),
    ("a building on a meadow", set_at("buildings", 0, 0, 0), "buildings[0][0]", "no ruin"),
    ("a building nowhere", set_at("buildings", 0, 0, NOTHING), "buildings[0][0]", "from 0 to 85"),
    ("a sixth building", set_at("buildings", 2, [8, 11, 15, 22, 36, 39]), "buildings[2]", "at most 5"),
    ("a stack too few", lambda fields: fields["stacks"][1].pop(), "stacks[1]", "list of 4"),
    ("a stack too high", set_at("stacks", 1, 3, 5), "stacks[1][3]", "from 0 to 4"),
    ("a stock too high", set_at("stock", 13), "stock", "from 0 to 12"),
    ("more craftsmen at home", set_at("craftsmen", 1, 1), "craftsmen[1]", "must be 0"),
    ("fewer craftsmen at home", set_at("craftsmen", 2, 1), "craftsmen[2]", "must be 2"),
    ("a reserve of four resources", lambda fields: fields["reserve"].pop(), "reserve", "list of 5"),
    ("a negative reserve", set_at("reserve", PIG, -1), "reserve[4]", "from 0"),
    ("a storehouse too few", lambda fields: fields["storehouse"].pop(), "storehouse", "list of 3"),
    ("a negative storehouse", set_at("storehouse", 1, PIG, -1), "storehouse[1][4]", "from 0"),
    ("a special token taken", set_at("taken", 2, [15]), "taken[2][0]", "from 0 to 14"),
    ("a token taken too often", set_at("taken", 2, [2, 2]), "taken[2][1]", "not so many"),
    ("a card that is not there", set_at("hands", 2, 0, 41), "hands[2][0]", "from 0 to 40"),
    ("a card twice in a hand", set_at("hands", 2, 1, 37), "hands[2][1]", "twice"),
    ("a card done that is not there", set_at("done", 1, 0, 41), "done[1][0]", "from 0 to 40"),
    ("unknown cards below", set_at("unknown_neutral", 0, -1), "unknown_neutral[0]", "from 0 to 33"),
    ("unknown private contracts above", set_at("unknown_private", 0, 3), "unknown_private[0]", "from 0 to 2"),
    ("open places too few", lambda fields: fields["open"].pop(), "open", "list of 4"),
    ("a private contract open", set_at("open", 0, 33), "open[0]", "from -1 to 32"),
]

RESOURCES: list[tuple[str, Change, str, str]] = [
    ("one too many in the reserve", add_at("reserve", CLAY, 1), "reserve[2]", "there are 19"),
    ("one too few", add_at("reserve", CLAY, -1), "reserve[2]", "there are 17"),
    ("one too many in a storehouse", add_at("storehouse", 1, WHEAT, 1), "reserve[3]", "there are 19"),
    ("one too many on a site", add_at("site_resources", 1, 1, PIG, 1), "reserve[4]", "there are 19"),
    ("one too few on a meadow", set_at("exploitations", 3, [NOTHING, STONE, 3]), "reserve[1]", "there are 17"),
    ("another resource on a meadow", set_at("exploitations", 1, [1, WHEAT, 3]), "reserve[3]", "there are 21"),
    (
        "resources on a site at home",
        all_of(add_at("reserve", PIG, -1), add_at("site_resources", 2, 1, PIG, 1)),
        "site_resources[2][1]",
        "at home",
    ),
]

TOKENS: list[tuple[str, Change, str, str]] = [
    (
        "a craftsman without a token taken",
        set_at("taken", [[0], [6, 11], [12]]),
        "exploitations[1]",
        "the craftsman of seat 1 stands there without a token taken",
    ),
    (
        "a craftsman of another seat than who took the token",
        all_of(set_at("exploitations", 2, [2, CLAY, 1]), set_at("craftsmen", [1, 1, 1])),
        "exploitations[2]",
        "seat 2 stands there without a token taken",
    ),
    (
        "more resources than the token has",
        all_of(add_at("reserve", PIG, -1), set_at("exploitations", 1, [1, PIG, 4])),
        "exploitations[1]",
        "without a token taken for so many",
    ),
    (
        "more resources than the special token has",
        all_of(add_at("reserve", STONE, -1), set_at("exploitations", 3, [NOTHING, STONE, 5])),
        "exploitations[3]",
        "no special token",
    ),
    (
        "a second neutral one of its kind",
        all_of(add_at("reserve", STONE, -3), add_at("reserve", CLAY, 3), set_at("exploitations", 4, [-1, STONE, 3])),
        "exploitations[4]",
        "no special token",
    ),
    ("a token neither on the map nor taken", lambda f: f["taken"][2].pop(), "taken", "neither on the map nor taken"),
    ("a token taken and on the map", lambda fields: fields["taken"][2].append(14), "taken[2]", "more tokens of kind"),
    ("another token on the map", set_at("tokens", 8, 13), "tokens[22]", "more of this kind"),
    ("a token on an exploitation", set_at("tokens", 0, 1), "exploitations[0]", "a token lies there"),
    ("a token on an empty meadow", set_at("tokens", 5, 1), "empty", "token or an exploitation lies"),
    ("nothing on a meadow that is not empty", lambda f: f["empty"].remove(19), "tokens[6]", "not empty either"),
    ("a special token on the map", set_at("tokens", 8, 15), "tokens[8]", "turn into resources"),
    ("a special token in the box", set_at("boxed", [15]), "boxed", "after the setup"),
]

RUINS: list[tuple[str, Change, str, str]] = [
    ("a third on a ruin", set_at("sites", 2, 0, 11), "sites[2][0]", "the ruin is full"),
    ("a third site of one seat on a ruin", set_at("sites", 1, 0, 39), "sites[1][2]", "the ruin is full"),
    ("a third building on a ruin", set_at("buildings", [[22], [22, 22], []]), "buildings[1]", "a ruin bears more"),
]

TILES: list[tuple[str, Change, str, str]] = [
    ("a tile too many on the map", lambda f: f["empty"].append(1), "empty", "4 meadow tiles are laid, but 3"),
    ("a tile too few", lambda fields: fields["empty"].remove(18), "empty", "2 meadow tiles are laid, but 3"),
    ("a tile too many in a stack", add_at("stacks", 0, 0, 1), "empty", "3 meadow tiles are laid, but 2"),
    ("a tile out of the wrong stack", set_at("stacks", 0, [2, 3, 4, 4]), "stacks[0][1]", "leftmost stack"),
    (
        "a common tile before any stacks are empty",
        all_of(set_at("stacks", 0, [2, 4, 4, 4]), set_at("stock", 11)),
        "stock",
        "before any player's stacks are empty",
    ),
    ("a tile on a ruin", all_of(lambda f: f["empty"].remove(18), lambda f: f["empty"].append(8)), "empty", "is a ruin"),
    (
        "a tile where nobody could lay it",
        all_of(lambda f: f["empty"].remove(18), lambda f: f["empty"].append(85)),
        "empty",
        "next to nothing",
    ),
    (
        "two forbidden hexes with one clear",
        set_at("empty", [12, 17, 19, 23, 24, 25]),
        "empty",
        "more forbidden hexes",
    ),
]

CARDS: list[tuple[str, Change, str, str]] = [
    ("in two hands", set_at("hands", 2, [33, 37]), "hands[2]", "also in another place"),
    ("open twice", set_at("open", 3, 0), "open[3]", "there twice"),
    ("open and in a hand", set_at("open", 3, 29), "hands[0]", "also in another place"),
    ("open and done", set_at("open", 3, 22), "done[0]", "also in another place"),
    ("done and in a hand", set_at("done", 1, [35, 29]), "done[1]", "also in another place"),
    ("done twice", set_at("done", 1, [35, 22]), "done[1]", "also in another place"),
    ("a private contract too few", set_at("hands", 2, [37]), "hands[2]", "1 private contracts"),
    ("a private contract too many", set_at("hands", 2, [37, 38, 39]), "hands[2]", "3 private contracts"),
    ("an unknown one too many", set_at("unknown_private", 2, 1), "hands[2]", "3 private contracts"),
    ("a neutral contract that was not drawn", set_at("hands", 2, [37, 38, 25]), "hands[2]", "can have drawn"),
    ("one more than were drawn", set_at("hands", 0, [33, 34, 29, 25]), "hands[0]", "can have drawn"),
    ("an unknown one that was not drawn", set_at("unknown_neutral", 1, 1), "hands[1]", "can have drawn"),
    ("a contract done without a building", set_at("done", 1, [35, 1, 25]), "done[1]", "3 contracts are done"),
    ("a building without a contract", set_at("done", 1, [35]), "done[1]", "1 contracts are done"),
    ("an open place empty", set_at("open", 1, NOTHING), "open", "must have 0 empty places"),
]

TURNS: list[tuple[str, Change, str, str]] = [
    ("no action points left", all_of(set_at("action_points", 0), set_at("acted", True)), "action_points", "more than"),
    ("too many action points", set_at("action_points", 3), "action_points", "cannot be 3"),
    ("too few without an action", set_at("action_points", 1), "action_points", "cannot be 1"),
    ("too many after an action", set_at("acted", True), "action_points", "at most 1"),
    (
        "acted and idle",
        all_of(set_at("acted", True), set_at("action_points", 1), set_at("idle", 1)),
        "idle",
        "must be 0 once",
    ),
    ("everybody idle, and the game goes on", set_at("idle", 3), "idle", "is finished"),
    (
        "an effect in an ordinary turn",
        all_of(set_at("effect", 4), set_at("parts", 1)),
        "effect",
        "only while its parts",
    ),
    ("parts of no effect", set_at("parts", 1), "parts", "must be 0 without an effect"),
    ("an effect without parts", set_at("effect", 4), "parts", "more with one"),
    ("an effect before any action", set_at("phase", Phase.EFFECT), "acted", "after a contract was done"),
    ("finished before the end", set_at("phase", Phase.FINISHED), "phase", "the last turns are not over"),
    (
        "finished with action points",
        all_of(set_at("phase", Phase.FINISHED), set_at("idle", 3)),
        "action_points",
        "nothing of a turn is left",
    ),
    ("a setup in the middle of the game", set_at("phase", Phase.SETUP), "seat", "must be 0 in the setup"),
    ("an end card before the end", set_at("end_card", 0), "end_card", "still has buildings"),
]

CASES = [*SHAPES, *RESOURCES, *TOKENS, *RUINS, *TILES, *CARDS, *TURNS]


@pytest.mark.parametrize(("change", "field", "reason"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_broken(table: Table, change: Change, field: str, reason: str) -> None:
    fields = base(table)
    change(fields)
    refused(table.rules, fields, field, reason)


def test_a_forbidden_hex_may_be_cleared(table: Table) -> None:
    fields = base(table)
    fields["empty"] = [10, 17, 19, 23, 24, 25]
    table.rules.from_fields(fields)


# Unknown cards.


def test_no_more_unknown_cards_than_there_are_out_of_sight(table: Table) -> None:
    said: dict[str, Any] = {**BASE, "players": 4, "hands": [["P01", "P02"], ["P04"], ["P05", "P06"], [None, None]]}
    table.position(**said)
    fields = table.fields(**said)
    fields["hands"][2] = [37]
    fields["unknown_private"] = [0, 0, 2, 2]
    refused(table.rules, fields, "unknown_private[3]", "not so many private contracts out of sight")
    fields = table.fields(**said)
    fields["unknown_neutral"] = [25, 0, 0, 0]
    refused(table.rules, fields, "hands[0]", "can have drawn")
    fields["unknown_neutral"] = [25, 3, 0, 0]
    refused(table.rules, fields, "unknown_neutral[1]", "not so many neutral contracts out of sight")


# In other phases than an ordinary turn.


def effect(make: Make, kind: str, count: int, **said: Any) -> tuple[Table, Any]:
    """The fields right after seat 0 did a contract for one wood with this effect, on ruin 1,1."""
    table = make(with_effect(kind, count))
    sites: Any = [{0: ("1,1", ["wood"]), 1: ("7,1", ["pig"])}]
    return table, table.at(table.play(table.position(**{"sites": sites, **said}), "build 0 P01"))


@pytest.mark.parametrize("kind", ["supply", "swap", "clear"])
def test_no_more_parts_than_the_contract_has(make: Make, kind: str) -> None:
    table, fields = effect(make, kind, 3)
    assert (fields["phase"], fields["parts"]) == (Phase.EFFECT, 3)
    for parts in (1, 2, 3):
        fields["parts"] = parts
        table.rules.from_fields(fields)
    fields["parts"] = 4
    refused(table.rules, fields, "effect", "done no contract with so much of this effect")
    fields["parts"] = 0
    refused(table.rules, fields, "parts", "must be")


def test_an_effect_needs_its_contract(make: Make) -> None:
    table, fields = effect(make, "supply", 2)
    fields["effect"] = EffectKind.SWAP
    refused(table.rules, fields, "effect", "done no contract")
    for kind in (EffectKind.ACTIONS, EffectKind.DISCARD, EffectKind.SCORE, EffectKind.CONTRACT):
        fields["effect"] = kind
        refused(table.rules, fields, "effect", "")


def test_a_part_has_to_be_possible(make: Make) -> None:
    table, fields = effect(make, "recall", 1, exploitations={"0,0": (0, "pig", 3)})
    assert fields["phase"] == Phase.EFFECT
    fields["reserve"][PIG] += 3
    fields["exploitations"][0] = None
    fields["empty"] = [0, *fields["empty"]]
    fields["craftsmen"][0] = 3
    refused(table.rules, fields, "effect", "no part of it is possible")


def test_contracts_are_drawn_from_a_deck_by_that_effect_alone(make: Make) -> None:
    table, fields = effect(make, "supply", 2)
    fields["phase"] = Phase.DRAW
    refused(table.rules, fields, "effect", "must be to draw contracts")
    table, fields = effect(make, "contract", 2)
    assert fields["phase"] == Phase.DRAW
    fields["phase"] = Phase.EFFECT
    refused(table.rules, fields, "effect", "no part of it is possible")
    edition = with_effect("contract", 2)
    edition["neutral_contract"] = edition["neutral_contract"][:5]
    table = make(edition)
    sites: Any = [{0: ("1,1", ["wood"])}]
    fields = table.at(table.play(table.position(sites=sites, open=["N01", "N02", "N03", "N04"]), "build 0 P01"))
    assert fields["phase"] == Phase.DRAW
    fields["parts"] = 1
    fields["hands"][0].append(4)
    fields["hands"][0].sort()
    refused(table.rules, fields, "phase", "the deck is empty")


def waiting(table: Table) -> Any:
    """The fields while an open place waits for its card: N02, clear one, was done."""
    sites: Any = [{0: ("1,1", ["wood", "clay"])}]
    return table.at(table.play(table.position(sites=sites, open=["N02", "N01", "N03", "N05"]), "build 0 N02"))


@pytest.mark.parametrize(
    ("change", "field", "reason"),
    [
        (set_at("open", 0, 30), "open", "must have 1 empty places"),
        (set_at("open", 1, NOTHING), "open", "must have 1 empty places"),
        (set_at("parts", 2), "effect", "done no contract"),
        (all_of(set_at("effect", 0), set_at("parts", 0)), "effect", "done no contract"),
        (set_at("acted", False), "acted", "after a contract was done"),
        (set_at("phase", Phase.TURN), "open", "must have 0 empty places"),
        (set_at("action_points", 2), "action_points", "at most 1"),
        (set_at("seat", 1), "effect", "seat 1 has done no contract"),
    ],
)
def test_broken_while_an_open_place_waits(table: Table, change: Change, field: str, reason: str) -> None:
    fields = waiting(table)
    assert table.at(table.rules.from_fields(fields))["phase"] == Phase.OPEN
    change(fields)
    refused(table.rules, fields, field, reason)


# The end.

RUINS_OF_A_SEAT = [["0,8", "1,5", "2,3", "3,7", "4,1"], ["4,5", "5,3", "6,8", "7,1", "7,5"]]


def test_five_buildings_and_the_end_card_go_together(table: Table) -> None:
    said: Any = {"buildings": RUINS_OF_A_SEAT[:1], "seat": 1}
    table.position(end_card=0, **said)
    refused(table.rules, table.fields(**said), "end_card", "somebody must have the end card")
    refused(table.rules, table.fields(end_card=1, **said), "end_card", "seat 0 has no building left but has had no")


def test_who_took_the_end_card_has_no_other_turn(table: Table) -> None:
    said: Any = {"buildings": RUINS_OF_A_SEAT[:1], "end_card": 0}
    refused(table.rules, table.fields(seat=0, **said), "end_card", "no turn after the one that brought it")


def test_a_later_fifth_building_needs_a_turn(table: Table) -> None:
    said: Any = {"players": 3, "buildings": RUINS_OF_A_SEAT, "end_card": 0}
    table.position(seat=1, **said)
    table.position(seat=2, **said)
    said = {"players": 3, "buildings": [RUINS_OF_A_SEAT[0], [], RUINS_OF_A_SEAT[1]], "end_card": 0}
    refused(table.rules, table.fields(seat=1, **said), "end_card", "seat 2 has no building left but has had no turn")


def test_the_game_is_not_finished_before_the_last_turn(table: Table) -> None:
    said: Any = {"players": 3, "buildings": RUINS_OF_A_SEAT[:1], "end_card": 0, "action_points": 0, "acted": False}
    fields = table.fields(seat=1, **said) | {"phase": Phase.FINISHED}
    refused(table.rules, fields, "phase", "the last turns are not over")
    fields = table.fields(seat=2, **said) | {"phase": Phase.FINISHED}
    assert table.rules.from_fields(fields).finished


def test_no_more_idle_turns_than_there_were_since_the_end_card(table: Table) -> None:
    said: Any = {"players": 4, "buildings": RUINS_OF_A_SEAT[:1], "end_card": 0}
    refused(table.rules, table.fields(seat=1, idle=1, **said), "idle", "since the end card")
    refused(table.rules, table.fields(seat=2, idle=2, **said), "idle", "since the end card")
    table.position(seat=3, idle=2, **said)


# The setup.


def setup(table: Table, events: int) -> Any:
    """The fields of a setup of three players after so many chance events: 1 special token, 24 others, 6 private
    contracts, 4 open ones. The tokens are in the edition's order, the special ones last."""
    state = table.start(3)
    for _ in range(events):
        state = state.resolve(state.chances()[0][0])
    return table.at(state)


@pytest.mark.parametrize(
    ("events", "change", "field", "reason"),
    [
        (0, set_at("tokens", 0, 0), "tokens", "before an earlier thing"),
        (0, set_at("boxed", [15, 16]), "boxed", "only 1 special"),
        (0, set_at("hands", 0, [33]), "hands[0]", "more are dealt"),
        (0, set_at("open", 0, 0), "open[0]", "before an earlier thing"),
        (5, set_at("boxed", []), "tokens", "before an earlier thing"),
        (5, set_at("tokens", 5, 0), "tokens", "before an earlier thing"),
        (5, set_at("tokens", 2, 0), "tokens[2]", "there are 3 of kind 0"),
        (5, set_at("tokens", 2, 15), "tokens[2]", "there are 2 of kind 15"),
        (5, lambda f: f["empty"].append(0), "empty", "a token or an exploitation lies"),
        (5, set_at("seat", 1), "seat", "must be 0 in the setup"),
        (5, set_at("action_points", 2), "action_points", "must be 0 in the setup"),
        (5, set_at("acted", True), "acted", "must be 0 in the setup"),
        (5, set_at("idle", 1), "idle", "must be 0 in the setup"),
        (5, set_at("effect", 1), "effect", "must be 0 in the setup"),
        (5, set_at("parts", 1), "parts", "must be 0 in the setup"),
        (5, set_at("end_card", 1), "end_card", "must be nothing in the setup"),
        (5, set_at("sites", 1, 0, 11), "sites[1][0]", "at home in the setup"),
        (5, set_at("buildings", 1, [11]), "buildings[1]", "must be empty in the setup"),
        (5, set_at("done", 1, [11]), "done[1]", "must be empty in the setup"),
        (5, set_at("taken", 1, [7]), "taken", "no token is taken in the setup"),
        (5, all_of(add_at("reserve", 1, -1), add_at("storehouse", 2, 1, 1)), "storehouse[2]", "must be empty"),
        (
            5,
            all_of(add_at("reserve", 1, -4), set_at("exploitations", 5, [NOTHING, 1, 4])),
            "exploitations",
            "before all tokens",
        ),
        (
            25,
            all_of(set_at("exploitations", 20, [0, 1, 4]), set_at("craftsmen", 0, 1)),
            "exploitations",
            "cannot have a craftsman there in the setup",
        ),
        (25, set_at("tokens", 3, 4), "tokens[6]", "more of this kind"),
        (25, set_at("exploitations", 20, None), "reserve[1]", "there are 14"),
        (25, lambda f: f["empty"].append(1), "empty", "1 meadow tiles are laid, but 0"),
        (25, set_at("hands", 0, [0]), "hands[0]", "only private contracts"),
        (25, set_at("hands", 1, [33]), "hands[1]", "more are dealt"),
        (25, set_at("hands", 0, [33, 34, 35]), "hands[0]", "more are dealt"),
        (25, set_at("boxed", [15]), "boxed", "after the setup of the tokens"),
        (28, set_at("unknown_private", 2, 1), "hands[2]", "more are dealt"),
        (28, set_at("open", 0, 0), "open[0]", "before an earlier thing"),
        (31, set_at("open", 1, 0), "open[1]", "before an earlier thing"),
        (35, set_at("phase", Phase.SETUP), "phase", "nothing is missing"),
        (33, set_at("phase", Phase.TURN), "open", "must have 0 empty places"),
    ],
)
def test_broken_setup(table: Table, events: int, change: Change, field: str, reason: str) -> None:
    fields = setup(table, events)
    table.rules.from_fields(fields)
    change(fields)
    refused(table.rules, fields, field, reason)


# Anything at all.

RANDOM_CHANGES = 10_000
ANYTHING: list[Any] = [
    *(None, True, "", "wood", 1.5, [], [0], [0, 0, 1], {}),
    *(10**30, -(10**30), 2**31, 2**32, -3, -2, -1, *range(12), 40, 86, 255, 256),
]
IN_ORDER = ("boxed", "empty")
BY_SEAT_IN_ORDER = ("buildings", "taken", "hands", "done")
"""Lists whose order says nothing: a state has them ascending."""


def test_any_change_is_refused_or_gives_the_state_that_it_says(table: Table, seed: int) -> None:
    random = Random(f"{seed} fields")
    starts = [table.start(players, map_name) for players in (2, 3, 4) for map_name in table.maps]
    valid = [table.at(state) for state in states_of_all_kinds(starts, random)]
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
        for field in IN_ORDER:
            fields[field].sort()
        for field in BY_SEAT_IN_ORDER:
            for row in fields[field]:
                row.sort()
        assert table.at(made) == fields
    assert accepted > RANDOM_CHANGES // 200
