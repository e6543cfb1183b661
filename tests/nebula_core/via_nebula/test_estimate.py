"""What positions of Via Nebula promise: by hand, and alike for all seats. test_model.py reckons it over whole games."""

from random import Random
from typing import Any

import pytest

from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_core.search.tree import Parameters, Tree
from tests.nebula_core.exchange import check_alike, played_states
from tests.nebula_core.via_nebula.editions import standard
from tests.nebula_core.via_nebula.positions import Make, Table

OPEN = ["N22", "N24", "N28", "N29"]
"""N22: two stones and a wheat, 3 points. N24: wood, stone, clay and wheat, 4. N28: two woods and two stones, 4.
N29: two clays and two wheats, 4."""

HANDS = [["P04", "P05"], ["P01", "P02"]]
"""P04: two wheats and a pig. P05: a wood and two pigs. P01: two woods and a stone. P02: two stones and a clay. 3 points
each."""


def test_a_table_where_nothing_is_begun_promises_nothing(table: Table) -> None:
    assert table.position(players=4).estimate() == [0] * 4
    assert table.position(sites=[{0: ("1,1", []), 2: ("1,5", [])}]).estimate() == [0, 0]


@pytest.mark.parametrize(
    ("on_site", "promised"),
    [
        # Two of the three resources of N22, and nothing is joined to the site: (3 + 1) * (3/7 + 1/2) * (2/3)^2, less
        # what is over a sixteenth.
        (["stone", "stone"], 26 / 16),
        (["stone", "wheat"], 26 / 16),
        # All of them: (3 + 1) * (3/7 + 1/2), and it is not built yet.
        (["stone", "stone", "wheat"], 59 / 16),
        # One more that it does not need; N24 comes to (4 + 1) * (3/7 + 1/2) * (3/4)^2 with three of its four.
        (["stone", "stone", "wheat", "clay"], 59 / 16),
        (["stone", "clay", "wheat"], 41 / 16),
        (["wood", "stone", "clay", "wheat"], 74 / 16),
        # A third of P05 on the hand, and more than that of nothing: pigs are on no open contract.
        (["pig"], 6 / 16),
        (["pig", "pig", "pig"], 26 / 16),
        ([], 0),
    ],
)
def test_a_site_by_the_best_contract_that_could_be_built(table: Table, on_site: list[str], promised: float) -> None:
    state = table.position(open=OPEN, hands=HANDS, sites=[{1: ("1,1", on_site)}])
    assert state.estimate() == [promised, 0]


def test_each_site_counts_and_a_contract_may_count_for_several(table: Table) -> None:
    sites: Any = [{0: ("1,1", ["stone", "stone"]), 2: ("1,5", ["stone", "wheat"])}, {1: ("8,4", ["wood", "wood"])}]
    # Stones are joined to the site of the other, all that N28 lacks: 5 * (3/7 / 4 + 1/2) against 4 * (3/7 * 4/9 + 1/2)
    # for its P01.
    assert table.position(open=OPEN, hands=HANDS, sites=sites).estimate() == [52 / 16, 48 / 16]


def test_a_contract_on_another_hand_or_unknown_promises_nothing(table: Table) -> None:
    said: Any = {"open": OPEN, "sites": [{0: ("1,1", ["pig", "pig"])}, {0: ("8,4", ["pig", "pig"])}]}
    # To the site of the other stones are joined, two of the three resources of N22: 4 * 1/2 * (2/3)^2.
    assert table.position(hands=HANDS, **said).estimate() == [26 / 16, 14 / 16]
    assert table.position(hands=[[None, None], ["P01", "P05"]], **said).estimate() == [0, 26 / 16]


def test_where_no_building_is_left_sites_promise_nothing(table: Table) -> None:
    ruins = ["0,8", "1,5", "2,3", "3,7", "4,1"]
    said: Any = {"open": OPEN, "hands": HANDS, "seat": 1, "end_card": 0}
    said |= {"buildings": [ruins], "done": [["N01", "N03", "N05", "N08", "N10"]]}
    state = table.position(**said, sites=[{0: ("1,1", ["stone", "stone", "wheat"])}])
    # Five contracts, 3/5 of 2 points for each, the end card for 2, and 3 for each building.
    assert state.estimate() == [23, 0]


@pytest.mark.parametrize(
    ("players", "tiles", "promised"),
    # A stack of 5, 4 or 3 tiles for 2 points.
    [(2, 1, 6 / 16), (2, 4, 25 / 16), (2, 5, 2), (2, 7, 2 + 12 / 16), (3, 1, 0.5), (3, 6, 3), (4, 2, 21 / 16)],
)
def test_a_stack_that_is_partly_used_up(table: Table, players: int, tiles: int, promised: float) -> None:
    laid = ["0,1", "1,0", "1,4", "2,5", "1,6", "2,1", "3,3"][:tiles]
    sites: Any = [{0: ("1,5", []), 1: ("1,1", []), 2: ("2,3", [])}]
    assert table.position(players=players, laid=laid, sites=sites).estimate() == [promised] + [0] * (players - 1)


def test_what_lies_in_the_storehouse_costs_points_and_what_is_on_the_map_almost_as_many(table: Table) -> None:
    state = table.position(
        taken=[["wood 4 2", "pig 4 2"], ["clay 3 1"]],
        exploitations={"0,0": (0, "pig", 3)},
        sites=[{0: ("1,1", ["clay", "clay"])}],
        storehouse=[["wood", "wood", "pig"]],
        open=OPEN,
        hands=HANDS,
    )
    # Tokens for 4 points, 3 resources stored, and 4/5 of 3 on the map; two of N29's clays are half of it:
    # 5 * (3/7 + 1/2) * (1/2)^2.
    assert state.estimate() == [4 - 3 - 38 / 16 + 18 / 16, 1]


def test_other_numbers(make: Make) -> None:
    edition = standard()
    edition["score"] = {"emptied_stack": 7, "end_card": 11, "storehouse_resource": -3}
    edition["pieces"]["meadow_stack_size"]["2"] = 3
    table = make(edition)
    sites: Any = [{0: ("1,1", [])}]
    state = table.position(laid=["0,1", "1,0"], sites=sites, storehouse=[["pig"], ["wood"]])
    # Two thirds of 7, which are 74.7 sixteenths.
    assert state.estimate() == [74 / 16 - 3, -3]


def test_the_last_turn_of_a_game_counts_as_the_game_ends(table: Table) -> None:
    """Where no other seat decides any more, cutting playouts off changes nothing."""
    state = table.position(
        seat=1,
        end_card=0,
        buildings=[["0,8", "1,5", "2,3", "3,7", "4,1"]],
        done=[["N01", "N03", "N05", "N08", "N10"]],
        sites=[{}, {0: ("8,4", ["wood", "wood", "stone"])}],
        hands=[["P04", "P05"], ["P01", "P02"]],
    )
    found = []
    for turns in (0, 1, 1000):
        tree = Tree(state, 1, 0, Parameters(playout_turns=turns), 1000)
        tree.run(simulations=500, decided=False)
        found.append((tree.plies, tree.nodes, tree.root_moves()))
    assert found[0] == found[1] == found[2]
    assert found[0][0] > 500


def exchange(readable: Any, order: tuple[int, ...]) -> Any:
    """The state with its seats in this order: see tests/nebula_core/exchange.py."""

    def now(seat: int | None) -> int | None:
        return None if seat is None else order.index(seat)

    exploitations = {at: each | {"owner": now(each["owner"])} for at, each in readable["exploitations"].items()}
    return readable | {
        "seats": [readable["seats"][seat] for seat in order],
        "exploitations": exploitations,
        "seat": now(readable["seat"]),
        "end_card": now(readable["end_card"]),
    }


@pytest.mark.parametrize("map_name", ["beginner", "expert"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_seats_are_alike(players: int, map_name: str, seed: int) -> None:
    random = Random(f"{seed} {players} {map_name}")
    game = ViaNebulaGame.load(None)
    states = played_states(game.start(players, map_name), random)
    check_alike(game, random.sample(states, 48 // players), exchange)
