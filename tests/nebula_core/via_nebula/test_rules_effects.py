"""Via Nebula's rules: the effects of contracts, with their parts.

In a position here the first private contract costs one wood and has the effect; site 0 on ruin 1,1 holds it.
"""

from typing import Any

import pytest

from nebula_core.errors import ChanceError, MoveError
from nebula_core.face import State
from nebula_core.via_nebula.edition import EffectKind
from nebula_core.via_nebula.rules import NOTHING, MoveKind, Phase, encode
from tests.nebula_core.via_nebula.editions import with_effect, with_map
from tests.nebula_core.via_nebula.positions import Make, Table


def done(table: Table, *, sites: Any = (), **said: Any) -> State:
    """The state after seat 0 has done the contract, with these more sites of each seat."""
    sites = list(sites) or [{}]
    sites[0] = {0: ("1,1", ["wood"]), **sites[0]}
    return table.play(table.position(sites=sites, **said), "build 0 P01")


def left(table: Table, state: State) -> tuple[str, int]:
    """The effect that is carried out, and how many parts are left of it."""
    fields = table.at(state)
    assert fields["phase"] == Phase.EFFECT
    return EffectKind(fields["effect"]).name.lower(), fields["parts"]


def over(table: Table, state: State) -> bool:
    """Whether the turn goes on, nothing being left of the effect."""
    fields = table.at(state)
    return (fields["phase"], fields["effect"], fields["parts"]) == (Phase.TURN, EffectKind.NONE, 0) and state.seat == 0


# Actions.


@pytest.mark.parametrize("count", [1, 2, 15])
def test_actions_are_action_points_more_in_this_turn(make: Make, count: int) -> None:
    table = make(with_effect("actions", count))
    assert table.at(done(table))["action_points"] == 1 + count
    state = done(table, action_points=1)
    assert (state.seat, table.at(state)["action_points"]) == (0, count)
    state = table.play(state, "end_turn")
    assert (state.seat, table.at(state)["action_points"]) == (1, 2), "they are nobody's later"


# Supply.


def test_supply_brings_resources_of_any_type_from_the_reserve_to_own_sites(make: Make) -> None:
    table = make(with_effect("supply", 2))
    state = done(table, sites=[{1: ("4,1", ["pig"]), 2: ("4,5", [])}, {0: ("7,1", [])}])
    assert left(table, state) == ("supply", 2)
    assert set(table.legal(state)) == {"decline", *(f"supply {each} {n}" for each in table.resources for n in (1, 2))}
    before = table.at(state)["reserve"]
    state = table.play(state, "supply pig 1")
    assert left(table, state) == ("supply", 1)
    state = table.play(state, "supply clay 2")
    assert over(table, state)
    fields = table.at(state)
    assert fields["site_resources"][0] == [[0] * 5, table.tally(["pig", "pig"]), table.tally(["clay"])]
    gone = [had - has for had, has in zip(before, fields["reserve"], strict=True)]
    assert gone == table.tally(["clay", "pig"])


def test_supply_of_what_the_reserve_has(make: Make) -> None:
    table = make(with_effect("supply", 15))
    stored = [["wood"] * 12, ["stone"] * 14 + ["clay"] * 13 + ["wheat"] * 14 + ["pig"] * 18]
    state = done(table, sites=[{1: ("4,1", [])}], storehouse=stored)
    assert table.at(state)["reserve"] == [2, 0, 1, 0, 0]
    assert table.legal(state) == ["supply wood 1", "supply clay 1", "decline"]
    state = table.play(state, "supply wood 1", "supply wood 1", "supply clay 1")
    assert over(table, state), "the other twelve parts are dropped without a decision"


def test_supply_without_a_site_is_dropped(make: Make) -> None:
    table = make(with_effect("supply", 2))
    assert over(table, done(table))
    assert done(table, action_points=1).seat == 1


# Swap.


def test_swap_trades_a_resource_on_an_own_site_for_another_type(make: Make) -> None:
    table = make(with_effect("swap", 2))
    sites: Any = [{1: ("4,1", ["pig", "pig", "clay"]), 2: ("4,5", [])}, {0: ("7,1", ["wood"])}]
    state = done(table, sites=sites)
    assert left(table, state) == ("swap", 2)
    swaps = {f"swap 1 {out} {into}" for out in ("pig", "clay") for into in table.resources if into != out}
    assert set(table.legal(state)) == {"decline", *swaps}
    before = table.at(state)["reserve"]
    state = table.play(state, "swap 1 pig wood")
    assert left(table, state) == ("swap", 1)
    assert table.at(state)["site_resources"][0][1] == table.tally(["wood", "clay", "pig"])
    state = table.play(state, "swap 1 wood stone")
    assert over(table, state)
    fields = table.at(state)
    assert fields["site_resources"][0][1] == table.tally(["stone", "clay", "pig"])
    change = [has - had for had, has in zip(before, fields["reserve"], strict=True)]
    assert change == [0, -1, 0, 0, 1]


def test_swap_gives_what_the_reserve_held_before(make: Make) -> None:
    table = make(with_effect("swap", 2))
    # After the cost only wood is in the reserve.
    stored = [["wood"] * 13, ["stone"] * 14 + ["clay"] * 14 + ["wheat"] * 14 + ["pig"] * 17]
    state = done(table, sites=[{1: ("4,1", ["pig"])}], storehouse=stored)
    assert table.at(state)["reserve"] == [1, 0, 0, 0, 0]
    assert table.legal(state) == ["swap 1 pig wood", "decline"], "not the pig that goes there"
    state = table.play(state, "swap 1 pig wood")
    assert table.legal(state) == ["swap 1 wood pig", "decline"]


def test_swap_that_nothing_can_fulfil_is_dropped(make: Make) -> None:
    table = make(with_effect("swap", 1))
    assert over(table, done(table, sites=[{1: ("4,1", [])}])), "nothing to give"
    stored = [["wood"] * 12, ["stone"] * 14 + ["clay"] * 14 + ["wheat"] * 14 + ["pig"] * 18]
    state = done(table, sites=[{1: ("4,1", ["wood"])}], storehouse=stored)
    assert table.at(state)["reserve"] == [1, 0, 0, 0, 0]
    assert over(table, state), "nothing of another type to get"


# Clear.


def test_clear_explores_mist_forest_and_forbidden_hexes_at_no_cost(make: Make) -> None:
    edition = with_map("m . F X R . . F")
    edition["private_contract"][0] |= {"cost": ["wood"], "effect": {"kind": "clear", "count": 3}}
    table = make(edition)
    state = table.play(table.position(sites=[{0: ("0,4", ["wood"])}], empty=["0,0"]), "build 0 P01")
    assert left(table, state) == ("clear", 3)
    assert set(table.legal(state)) == {"decline", "clear 0,1", "clear 0,3", "clear 0,5"}
    state = table.play(state, "clear 0,3")
    assert set(table.legal(state)) == {"decline", "clear 0,1", "clear 0,2", "clear 0,5"}, "adjacency as in explore"
    state = table.play(state, "clear 0,2", "clear 0,1")
    assert over(table, state)
    fields = table.at(state)
    assert fields["action_points"] == 1
    assert fields["empty"] == [0, 1, 2, 3]
    assert fields["stacks"][0] == [2, 5, 5, 5]


def test_clear_without_tiles_is_dropped(make: Make) -> None:
    edition = with_map("m . . . . R .")
    edition["private_contract"][0] |= {"cost": ["wood"], "effect": {"kind": "clear", "count": 9}}
    edition["pieces"] |= {"meadow_stacks": dict.fromkeys("234", 1), "meadow_stack_size": dict.fromkeys("234", 2)}
    edition["pieces"]["meadow_reserve"] = dict.fromkeys("234", 1)
    table = make(edition)
    state = table.play(table.position(sites=[{0: ("0,5", ["wood"])}], empty=["0,0"]), "build 0 P01")
    state = table.play(state, "clear 0,4", "clear 0,6")
    assert left(table, state) == ("clear", 7)
    state = table.play(state, "clear 0,3")
    assert over(table, state), "no tile is left, of the stacks or the common stock"
    assert (table.at(state)["stacks"], table.at(state)["stock"]) == ([[0], [2]], 0)


def test_clear_with_nothing_to_explore_is_dropped(make: Make) -> None:
    edition = with_map("m m R m .")
    edition["private_contract"][0] |= {"cost": ["wood"], "effect": {"kind": "clear", "count": 1}}
    table = make(edition)
    assert over(table, table.play(table.position(sites=[{0: ("0,2", ["wood"])}]), "build 0 P01"))


# Deliver.


def test_deliver_transports_at_no_cost(make: Make) -> None:
    table = make(with_effect("deliver", 3))
    lying: Any = {"8,2": (1, "clay", 2), "6,0": (None, "wheat", 2)}
    state = done(table, sites=[{1: ("7,1", [])}, {0: ("4,5", [])}], exploitations=lying)
    assert left(table, state) == ("deliver", 3)
    assert table.legal(state) == ["deliver 8,2 1", "decline"]
    state = table.play(state, "deliver 8,2 1", "deliver 8,2 1")
    fields = table.at(state)
    assert fields["site_resources"][0][1] == table.tally(["clay", "clay"])
    assert fields["craftsmen"] == [3, 3], "the craftsman is home"
    assert table.hexes("beginner").index("8,2") in fields["empty"]
    assert over(table, state), "nothing is left to deliver, and the third part dropped"
    assert fields["action_points"] == 1


def test_deliver_with_nothing_to_transport_is_dropped(make: Make) -> None:
    table = make(with_effect("deliver", 1))
    assert over(table, done(table)), "no site"
    assert over(table, done(table, sites=[{1: ("1,5", [])}])), "no way"


# Contract.


def test_contract_draws_cards_one_by_one_and_cannot_be_declined(make: Make) -> None:
    table = make(with_effect("contract", 2))
    state = done(table, open=["N01", "N02", "N03", "N04"])
    assert state.chance_pending
    fields = table.at(state)
    assert (fields["phase"], fields["effect"], fields["parts"]) == (Phase.DRAW, EffectKind.CONTRACT, 2)
    assert table.chances(state) == {f"draw {card}": 1 for card in table.neutral[4:]}
    state = table.play(state, "draw N09")
    assert table.at(state)["parts"] == 1
    assert table.chances(state) == {f"draw {card}": 1 for card in table.neutral[4:] if card != "N09"}
    state = table.play(state, "draw N33")
    assert over(table, state)
    assert table.at(state)["hands"][0] == [table.card(card) for card in ("N09", "N33", "P02")]


def test_a_drawn_contract_is_built_as_a_private_one(make: Make) -> None:
    table = make(with_effect("contract", 1))
    sites: Any = [{1: ("4,1", ["clay", "wheat"])}, {0: ("4,5", ["clay", "wheat"])}]
    state = table.play(done(table, open=["N01", "N02", "N03", "N04"], sites=sites), "draw N08")
    assert "build 1 N08" in table.legal(state)
    built = table.play(state, "build 1 N08")
    assert not built.chance_pending, "no open place is empty"
    assert table.at(built)["open"] == [0, 1, 2, 3]
    assert "build 0 N08" not in table.legal(table.play(state, "end_turn")), "and by nobody else"


def test_contract_draws_as_long_as_the_deck_lasts(make: Make) -> None:
    edition = with_effect("contract", 9)
    edition["neutral_contract"] = edition["neutral_contract"][:6]
    table = make(edition)
    state = table.play(done(table, open=["N01", "N02", "N03", "N04"]), "draw N05")
    assert table.chances(state) == {"draw N06": 1}
    assert over(table, table.play(state, "draw N06"))
    edition["neutral_contract"] = edition["neutral_contract"][:4]
    table = make(edition)
    assert over(table, done(table)), "nothing without a deck"


def test_an_open_place_is_filled_before_contracts_are_drawn(table: Table) -> None:
    sites: Any = [{0: ("1,1", ["pig", "pig", "clay"])}]
    state = table.play(table.position(open=["N23", "N01", "N02", "N03"], sites=sites), "build 0 N23")
    assert set(table.chances(state)) == {f"open {card}" for card in [*table.neutral[3:22], *table.neutral[23:]]}
    state = table.play(state, "open N20")
    assert "draw N20" not in table.chances(state)
    assert len(table.chances(state)) == 33 - 5
    with pytest.raises(ChanceError):
        table.play(state, "open N21")
    state = table.play(state, "draw N21")
    assert table.at(state)["hands"][0] == [table.card(card) for card in ("N21", "P01", "P02")]


# Discard.


@pytest.mark.parametrize(
    ("count", "stored", "kept"),
    [
        (1, [], []),
        (1, ["pig"], []),
        (3, ["pig", "wood"], []),
        (1, ["pig", "wood", "wood"], ["pig", "wood"]),
        (2, ["pig", "wood", "wood"], ["pig"]),  # one of each left: the earlier type first
        (2, ["clay", "stone", "pig"], ["pig"]),
        (3, ["clay"] * 4 + ["wheat"] * 2, ["clay", "wheat", "wheat"]),
        (4, ["clay"] * 4 + ["wheat"] * 2 + ["wood"], ["wheat", "clay", "wood"]),
        (15, ["clay"] * 10 + ["wheat"] * 8, ["wheat"] * 2 + ["clay"]),
    ],
)
def test_discard_takes_each_time_one_of_the_type_there_is_most_of(
    make: Make, count: int, stored: list[str], kept: list[str]
) -> None:
    table = make(with_effect("discard", count))
    before = table.at(table.position(storehouse=[stored], sites=[{0: ("1,1", ["wood"])}]))["reserve"]
    state = done(table, storehouse=[stored])
    assert over(table, state), "there is nothing to decide"
    fields = table.at(state)
    assert fields["storehouse"][0] == table.tally(kept)
    back = [has - had for had, has in zip(before, fields["reserve"], strict=True)]
    gone = list(stored)
    for resource in kept:
        gone.remove(resource)
    assert back == table.tally([*gone, "wood"])


def test_what_is_left_on_the_site_is_stored_before_it_is_discarded(table: Table) -> None:
    sites: Any = [{0: ("1,1", ["wood", "pig", "clay", "clay", "clay", "stone"])}]
    state = table.position(open=["N04", "N01", "N02", "N03"], sites=sites)
    state = table.play(state, "build 0 N04", "open N05")
    assert table.at(state)["storehouse"][0] == table.tally(["clay", "stone"])


# Recall.


def test_recall_brings_a_craftsman_home_and_its_resources_to_the_reserve(make: Make) -> None:
    table = make(with_effect("recall", 2))
    lying: Any = {"0,0": (0, "pig", 3), "2,4": (1, "pig", 2), "3,5": (0, "clay", 1), "4,7": (None, "wood", 3)}
    state = done(table, exploitations=lying)
    assert left(table, state) == ("recall", 2)
    assert table.legal(state) == ["recall 0,0", "recall 3,5", "decline"]
    before = table.at(state)
    state = table.play(state, "recall 0,0")
    assert left(table, state) == ("recall", 1)
    fields = table.at(state)
    assert fields["reserve"][4] == before["reserve"][4] + 3
    assert (before["craftsmen"], fields["craftsmen"]) == ([1, 2], [2, 2])
    assert fields["exploitations"][0] is None
    assert fields["tokens"][0] == NOTHING
    assert 0 in fields["empty"]
    assert fields["taken"] == before["taken"], "the token stays taken"
    state = table.play(state, "recall 3,5")
    assert over(table, state)
    assert table.at(state)["craftsmen"] == [3, 2]


def test_recall_without_a_craftsman_out_is_dropped(make: Make) -> None:
    table = make(with_effect("recall", 1))
    assert over(table, done(table, exploitations={"2,4": (1, "pig", 2)}))


# Score.


@pytest.mark.parametrize("per", ["buildings", "token_types", "emptied_stacks"])
def test_score_does_nothing_now(make: Make, per: str) -> None:
    edition = with_effect("actions", 1)
    edition["private_contract"][0]["effect"] = {"kind": "score", "per": per}
    table = make(edition)
    state = done(table)
    assert over(table, state)
    assert table.at(state)["action_points"] == 1


# Declining.


@pytest.mark.parametrize("kind", ["supply", "swap", "clear", "deliver", "recall"])
@pytest.mark.parametrize("parts", [0, 1])
def test_declining_drops_all_that_is_left(make: Make, kind: str, parts: int) -> None:
    table = make(with_effect(kind, 3))
    lying: Any = {"8,2": (0, "clay", 2), "6,3": (0, "pig", 3)}
    said: Any = {"sites": [{1: ("7,1", ["pig", "clay"])}], "exploitations": lying}
    state = done(table, **said)
    for _ in range(parts):
        state = table.play(state, table.legal(state)[0])
    assert left(table, state) == (kind, 3 - parts)
    assert over(table, table.play(state, "decline"))
    state = table.play(done(table, action_points=1, **said), "decline")
    assert (state.seat, table.phase(state)) == (1, Phase.TURN), "with the action points used up the turn is over"


@pytest.mark.parametrize(
    "move",
    [encode(MoveKind.END_TURN), encode(MoveKind.SITE, 11), encode(MoveKind.CLEAR, 0), encode(MoveKind.SUPPLY, 0)],
)
def test_only_parts_of_the_effect_are_moves_while_it_lasts(make: Make, move: int) -> None:
    table = make(with_effect("supply", 3))
    with pytest.raises(MoveError):
        done(table, sites=[{1: ("7,1", ["pig", "clay"])}]).apply(move)
