"""Via Nebula's rules: building, up to the contract's effect."""

from typing import Any

import pytest

from nebula_core.errors import ChanceError, MoveError
from nebula_core.via_nebula.edition import EffectKind
from nebula_core.via_nebula.rules import NOTHING, MoveKind, Phase, encode
from tests.nebula_core.via_nebula.editions import standard
from tests.nebula_core.via_nebula.positions import Make, Table, having

PLAIN = ["N01", "N03", "N05", "N08"]
"""Open contracts without effect: wood stone, wood wheat, stone clay, clay wheat."""


def builds(table: Table, **said: Any) -> set[str]:
    """What seat 0 may build."""
    return having(table.legal(table.position(open=PLAIN, **said)), "build")


@pytest.mark.parametrize(
    ("held", "cards"),
    [
        ([], []),
        (["wood"], []),
        (["wood", "wood"], []),
        (["wood", "stone"], ["N01"]),
        (["wood", "stone", "pig"], ["N01"]),
        (["wood", "stone", "wheat"], ["N01", "N03"]),
        (["wood", "stone", "clay", "wheat"], ["N01", "N03", "N05", "N08"]),
        (["wood", "wood", "stone"], ["N01", "P01"]),
        (["stone", "stone", "clay"], ["N05", "P02"]),
        (["wood", "wood", "stone", "stone", "clay"], ["N01", "N05", "P01", "P02"]),
    ],
)
def test_a_site_has_to_hold_at_least_the_cost(table: Table, held: list[str], cards: list[str]) -> None:
    assert builds(table, sites=[{0: ("1,1", held)}]) == {f"0 {card}" for card in cards}


def test_each_site_is_counted_by_itself(table: Table) -> None:
    sites: Any = [{0: ("1,1", ["wood"]), 1: ("1,5", ["stone", "clay"]), 2: ("4,1", ["stone", "clay", "wheat"])}]
    assert builds(table, sites=sites) == {"1 N05", "2 N05", "2 N08"}


def test_own_private_contracts_and_those_of_nobody_else(table: Table) -> None:
    everything: Any = {0: ("1,1", ["wood", "stone", "clay", "wheat", "pig"] * 2)}
    hands = [["P01", "P06"], ["P02", "P03"]]
    assert builds(table, sites=[everything], hands=hands) == {f"0 {card}" for card in [*PLAIN, "P01", "P06"]}
    legal = table.legal(table.position(open=PLAIN, seat=1, sites=[{}, everything], hands=hands))
    assert having(legal, "build") == {f"0 {card}" for card in [*PLAIN, "P02", "P03"]}


def test_contracts_that_are_done_or_in_the_deck_are_not_done_again(table: Table) -> None:
    everything: Any = [{0: ("1,1", ["wood", "stone", "clay", "wheat", "pig"] * 2)}]
    hands = [["P02"], ["P03", "P04"]]
    legal = builds(table, sites=everything, buildings=[["1,5"], ["4,1"]], done=[["P01"], ["N10"]], hands=hands)
    assert legal == {f"0 {card}" for card in [*PLAIN, "P02"]}
    with pytest.raises(MoveError):
        table.position(sites=everything, open=PLAIN).apply(encode(MoveKind.BUILD, table.card("N18")))


def test_the_cost_goes_to_the_reserve_and_the_rest_to_the_storehouse(table: Table) -> None:
    state = table.position(
        open=PLAIN,
        sites=[{1: ("1,1", ["wood", "wood", "stone", "pig", "pig"]), 2: ("1,5", ["clay"])}],
        storehouse=[["pig", "wheat"]],
    )
    before = table.at(state)
    fields = table.at(table.play(state, "build 1 N01"))
    back = [has - had for had, has in zip(before["reserve"], fields["reserve"], strict=True)]
    assert back == table.tally(["wood", "stone"])
    assert fields["storehouse"] == [table.tally(["wood", "wheat", "pig", "pig", "pig"]), [0] * 5]
    assert fields["site_resources"][0] == [[0] * 5, [0] * 5, table.tally(["clay"])]


def test_the_site_goes_home_and_a_building_stands_in_its_place(table: Table) -> None:
    state = table.position(
        open=PLAIN, sites=[{0: ("1,1", ["wood", "stone"]), 1: ("4,1", [])}], buildings=[["0,8", "7,5"]]
    )
    state = table.play(state, "build 0 N01", "open N02")
    hexes = table.hexes("beginner")
    fields = table.at(state)
    assert fields["sites"][0] == [NOTHING, hexes.index("4,1"), NOTHING]
    assert fields["buildings"] == [[hexes.index(at) for at in ("0,8", "1,1", "7,5")], []]
    assert "site 1,1" not in table.legal(state), "the place is taken"
    assert "explore 1,0" in table.legal(state), "and tiles are laid next to it"
    state = table.play(state, "site 1,5")
    assert table.at(state)["sites"][0] == [hexes.index("1,5"), hexes.index("4,1"), NOTHING]


def test_the_contract_is_done_and_kept(table: Table) -> None:
    state = table.position(open=PLAIN, sites=[{0: ("1,1", ["wood", "wood", "stone"])}])
    fields = table.at(table.play(state, "build 0 P01"))
    assert fields["hands"][0] == [table.card("P02")]
    assert fields["done"][0] == [table.card("P01")]
    assert table.rules.scores(table.play(state, "build 0 P01"))[0]["contracts"] == 3
    fields = table.at(table.play(state, "build 0 N01"))
    assert fields["hands"][0] == [table.card("P01"), table.card("P02")]
    assert fields["done"][0] == [table.card("N01")]


def test_it_costs_one_action_point(table: Table) -> None:
    state = table.position(open=PLAIN, sites=[{0: ("1,1", ["wood", "wood", "stone"])}])
    state = table.play(state, "build 0 P01")
    assert (state.seat, table.at(state)["action_points"]) == (0, 1)


def test_two_buildings_in_one_turn(table: Table) -> None:
    sites: Any = [{0: ("1,1", ["wood", "wood", "stone"]), 2: ("4,1", ["stone", "stone", "clay"])}]
    state = table.play(table.position(open=PLAIN, sites=sites), "build 0 P01", "build 2 P02")
    assert state.seat == 1
    assert len(table.at(state)["buildings"][0]) == 2


def test_the_top_card_of_the_deck_takes_the_open_place_at_once(table: Table) -> None:
    state = table.position(open=PLAIN, sites=[{0: ("1,1", ["stone", "clay"])}])
    state = table.play(state, "build 0 N05")
    assert table.phase(state) == Phase.OPEN
    seen = [*PLAIN, "P01", "P02", "P03", "P04"]
    assert table.chances(state) == {f"open {card}": 1 for card in table.neutral if card not in seen}
    state = table.play(state, "open N33")
    assert table.at(state)["open"] == [table.card(card) for card in ("N01", "N03", "N33", "N08")]
    assert table.phase(state) == Phase.TURN


def test_a_private_contract_is_not_replaced(table: Table) -> None:
    state = table.position(open=PLAIN, sites=[{0: ("1,1", ["wood", "wood", "stone"])}])
    state = table.play(state, "build 0 P01")
    assert table.phase(state) == Phase.TURN
    assert table.at(state)["open"] == [table.card(card) for card in PLAIN]


def test_what_lies_elsewhere_is_not_turned_up(table: Table) -> None:
    state = table.position(
        open=PLAIN,
        sites=[{0: ("1,1", ["stone", "clay"])}],
        buildings=[[], ["1,5", "4,1"]],
        done=[[], ["N23", "N10"]],
        hands=[["P01", "P02"], ["P03", "P04", "N18"]],
    )
    state = table.play(state, "build 0 N05")
    assert not table.chances(state).keys() & {f"open {card}" for card in ("N23", "N10", "N18", "N05", "P08")}
    for text in ("open N18", "open N05", "open P08"):
        with pytest.raises(ChanceError):
            table.play(state, text)


def test_the_place_stays_empty_without_a_deck(make: Make) -> None:
    edition = standard()
    edition["neutral_contract"] = [card for card in edition["neutral_contract"] if card["id"] in [*PLAIN, "N02"]]
    table = make(edition)
    sites: Any = [{0: ("1,1", ["stone", "clay"]), 1: ("4,1", ["wood", "stone"])}]
    state = table.play(table.position(open=PLAIN, sites=sites), "build 0 N05", "open N02", "build 1 N01")
    assert state.seat == 1
    assert table.at(state)["open"] == [NOTHING, *map(table.card, ("N03", "N02", "N08"))]
    assert "build 0 N01" not in table.legal(state)


def test_the_open_place_is_filled_before_the_effect(table: Table) -> None:
    sites: Any = [{0: ("1,1", ["wood", "clay"])}]
    state = table.play(table.position(open=["N02", "N01", "N03", "N05"], sites=sites), "build 0 N02")
    fields = table.at(state)
    assert (fields["phase"], fields["effect"], fields["parts"]) == (Phase.OPEN, EffectKind.CLEAR, 1)
    state = table.play(state, "open N33")
    assert table.phase(state) == Phase.EFFECT
    assert {text.split()[0] for text in table.legal(state)} == {"clear", "decline"}


def test_the_effect_is_carried_out_before_anything_else_and_at_no_action_point(table: Table) -> None:
    sites: Any = [{0: ("1,1", ["stone", "clay", "pig"])}]
    state = table.position(action_points=1, sites=sites, hands=[["P08", "P01"], ["P02", "P03"]])
    state = table.play(state, "build 0 P08")
    assert (state.seat, table.phase(state)) == (0, Phase.EFFECT)
    assert table.at(state)["action_points"] == 0
    assert all(text.split()[0] in ("clear", "decline") for text in table.legal(state))
    state = table.play(state, "clear 1,2")
    assert (state.seat, table.phase(state)) == (1, Phase.TURN)


def test_without_a_building_left_nothing_is_built(table: Table) -> None:
    """Possible only in the last turns: here, of seat 1, whose turn comes after seat 0 took the end card."""
    ruins = table.hexes("beginner", "R")
    everything: Any = {0: ("8,4", ["wood", "stone", "clay", "wheat", "pig"] * 2)}
    said: dict[str, Any] = {"seat": 1, "sites": [{}, everything], "end_card": 0}
    state = table.position(buildings=[ruins[:5], ruins[5:9]], **said)
    assert having(table.legal(state), "build")
    state = table.position(buildings=[ruins[:5], ruins[5:10]], **said)
    assert not having(table.legal(state), "build")
    assert table.at(state)["phase"] == Phase.TURN
