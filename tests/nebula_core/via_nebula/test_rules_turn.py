"""Via Nebula's rules: a turn's action points, and the actions but for building."""

from typing import Any

import pytest

from nebula_core.errors import MoveError
from nebula_core.via_nebula.rules import NOTHING, MoveKind, Phase, encode
from tests.nebula_core.via_nebula.editions import standard, with_map
from tests.nebula_core.via_nebula.positions import Make, Table, having

# Action points.


def test_two_action_points_then_the_next_seat_clockwise(table: Table) -> None:
    state = table.position(players=3)
    ruins = table.hexes("beginner", "R")
    for seat in range(3):
        assert (state.seat, table.at(state)["action_points"]) == (seat, 2)
        state = table.play(state, f"site {ruins[2 * seat]}")
        assert (state.seat, table.at(state)["action_points"]) == (seat, 1)
        state = table.play(state, f"craftsman {table.hexes('beginner', 'm')[seat]}")
    assert (state.seat, table.at(state)["action_points"]) == (0, 2)


def test_the_same_action_twice(table: Table) -> None:
    state = table.play(table.position(), "site 1,1", "site 4,1")
    assert state.seat == 1
    assert [at != NOTHING for at in table.at(state)["sites"][0]] == [True, True, False]


def test_a_turn_may_be_ended_at_any_time(table: Table) -> None:
    state = table.position()
    assert "end_turn" in table.legal(state)
    assert table.play(state, "end_turn").seat == 1
    state = table.play(state, "site 1,1")
    assert "end_turn" in table.legal(state)
    state = table.play(state, "end_turn")
    fields = table.at(state)
    assert (state.seat, fields["action_points"]) == (1, 2), "action points are not kept"


def test_without_a_possible_action_the_turns_end_is_the_only_decision(make: Make) -> None:
    table = make(with_map("m R"))
    state = table.position(sites=[{}, {0: ("0,1", ["wood"])}], exploitations={"0,0": (1, "wood", 2)})
    assert table.legal(state) == ["end_turn"]
    assert table.play(state, "end_turn").seat == 1


def test_other_action_points_and_prices(make: Make) -> None:
    edition = standard()
    prices = {"craftsman": 2, "site": 3, "explore_mist": 4, "explore_forest": 5, "transport": 6, "build": 7}
    edition["cost"] = prices
    said: dict[str, Any] = {
        "sites": [{0: ("1,1", ["stone", "wheat"])}],
        "exploitations": {"0,2": (0, "wood", 3)},
        "empty": ["2,4", "1,7"],
        "open": ["N06", "N01", "N02", "N03"],
    }
    for points in range(1, 8):
        edition["turn"]["action_points"] = points
        table = make(edition)
        legal = table.legal(table.position(**said))
        found = {text.split()[0] for text in legal} - {"explore"}
        found |= {"explore_mist"} if "explore 0,1" in legal else set()
        found |= {"explore_forest"} if "explore 2,7" in legal else set()
        assert found == {"end_turn", *(action for action, price in prices.items() if price <= points)}
    state = table.position(**said)
    for text, left in [("craftsman 0,0", 5), ("site 1,5", 4), ("explore 0,1", 3), ("transport 0,2 0", 1)]:
        assert table.at(table.play(state, text))["action_points"] == left
    assert table.phase(table.play(state, "build 0 N06")) == Phase.OPEN


# Craftsmen.


@pytest.mark.parametrize(("players", "count"), [(2, 3), (3, 3), (4, 4)])
def test_a_craftsman_takes_the_token_and_its_resources(table: Table, players: int, count: int) -> None:
    state = table.position(players=players, tokens={"2,4": "clay 4 2"})
    before = table.at(state)
    assert "craftsman 2,4" in table.legal(state)
    fields = table.at(table.play(state, "craftsman 2,4"))
    assert fields["tokens"][7] == NOTHING
    assert fields["exploitations"][7] == [0, table.resources.index("clay"), count]
    assert [table.kinds[kind] for kind in fields["taken"][0]] == ["clay 4 2"]
    assert fields["craftsmen"][0] == before["craftsmen"][0] - 1
    gone = [had - has for had, has in zip(before["reserve"], fields["reserve"], strict=True)]
    assert gone == table.tally(["clay"] * count)


def test_a_craftsman_goes_to_any_token_and_to_nothing_else(table: Table) -> None:
    state = table.position(exploitations={"0,0": (1, "wood", 1), "0,2": (None, "pig", 2)}, empty=["0,4"])
    fields = table.at(state)
    meadows = table.hexes("beginner", "m")
    bearing = {at for at, kind in zip(meadows, fields["tokens"], strict=True) if kind != NOTHING}
    assert having(table.legal(state), "craftsman") == bearing
    assert not bearing & {"0,0", "0,2", "0,4"}


def test_no_craftsman_at_home_none_is_set(table: Table) -> None:
    said = {"0,0": (0, "wood", 1), "0,2": (0, "pig", 2), "0,4": (0, "clay", 3)}
    state = table.position(exploitations=said)
    assert table.at(state)["craftsmen"] == [0, 3]
    assert not having(table.legal(state), "craftsman")
    assert having(table.legal(table.position(exploitations=said, seat=1)), "craftsman")
    with pytest.raises(MoveError):
        state.apply(encode(MoveKind.CRAFTSMAN, 6))


def test_a_short_reserve_gives_what_it_has(make: Make) -> None:
    edition = with_map("m m R", tokens=["wood 4 1", "wood 3 1"])
    edition["reserve_per_resource"] = 5
    table = make(edition)
    state = table.play(table.position(players=4, tokens={"0,0": "wood 4 1"}), "craftsman 0,0", "craftsman 0,1")
    fields = table.at(state)
    assert fields["exploitations"] == [[0, 0, 4], [0, 0, 1]]
    assert fields["reserve"][0] == 0
    assert fields["craftsmen"][0] == 0


def test_an_empty_reserve_sends_the_craftsman_home_at_once(make: Make) -> None:
    edition = with_map("m m R", tokens=["wood 4 1", "wood 3 2"])
    edition["reserve_per_resource"] = 4
    table = make(edition)
    state = table.position(players=4, tokens={"0,0": "wood 4 1"})
    state = table.play(state, "craftsman 0,0", "craftsman 0,1")
    fields = table.at(state)
    assert fields["exploitations"] == [[0, 0, 4], None]
    assert fields["empty"] == [1]
    assert fields["craftsmen"][0] == 1
    assert table.rules.scores(state)[0]["tokens"] == 3, "the token is taken all the same"
    assert (state.seat, fields["idle"]) == (1, 0), "and it was an action"


@pytest.mark.parametrize(("players", "home_at_once"), [(2, True), (3, True), (4, False)])
def test_a_token_that_yields_none_sends_the_craftsman_home_at_once(
    make: Make, players: int, home_at_once: bool
) -> None:
    table = make(with_map("m R .", tokens=["wood 1 1"]))
    state = table.play(table.position(players=players), "craftsman 0,0")
    fields = table.at(state)
    assert (fields["empty"] == [0]) == home_at_once
    assert fields["exploitations"] == [None if home_at_once else [0, 0, 1]]
    assert fields["reserve"][0] == (18 if home_at_once else 17)
    assert fields["craftsmen"][0] == table.pieces("craftsmen", players) - (not home_at_once)


# Sites.


@pytest.mark.parametrize("players", [2, 3, 4])
def test_a_site_stands_on_any_ruin_with_a_free_place(table: Table, players: int) -> None:
    state = table.position(players=players)
    assert having(table.legal(state), "site") == set(table.hexes("beginner", "R"))


@pytest.mark.parametrize(("players", "room"), [(2, 1), (3, 2), (4, 2)])
def test_a_ruin_has_places_for_sites_and_buildings_of_all_players(table: Table, players: int, room: int) -> None:
    for standing in range(3):
        said: dict[str, Any] = {"sites": [{}, {}], "buildings": [[], []]}
        if standing >= 1:
            said["sites"][1] = {2: ("1,1", [])}
        if standing == 2:
            said["buildings"][0] = ["1,1"]
        if standing <= room:
            legal = table.legal(table.position(players=players, **said))
            assert ("site 1,1" in legal) == (standing < room)
            assert "site 1,5" in legal


def test_two_buildings_fill_a_ruin_of_two(table: Table) -> None:
    state = table.position(players=3, buildings=[[], ["1,1", "1,1"]])
    assert "site 1,1" not in table.legal(state)


def test_several_sites_of_one_player_on_one_ruin(table: Table) -> None:
    state = table.play(table.position(players=3), "site 1,1", "site 1,1")
    ruin = table.hexes("beginner").index("1,1")
    assert table.at(state)["sites"][0] == [ruin, ruin, NOTHING]


def test_a_new_site_takes_the_lowest_free_number(table: Table) -> None:
    hexes = table.hexes("beginner")
    state = table.play(table.position(sites=[{0: ("1,1", []), 2: ("4,1", ["wood"])}]), "site 1,5")
    assert table.at(state)["sites"][0] == [hexes.index(at) for at in ("1,1", "1,5", "4,1")]
    state = table.play(table.position(sites=[{1: ("1,1", ["pig"])}]), "site 1,5", "site 4,5")
    assert table.at(state)["sites"][0] == [hexes.index(at) for at in ("1,5", "1,1", "4,5")]
    assert table.at(state)["site_resources"][0] == [[0] * 5, table.tally(["pig"]), [0] * 5], "and keeps it"


def test_three_sites_for_each_player(table: Table) -> None:
    sites: Any = {0: ("1,1", []), 1: ("1,5", []), 2: ("4,1", [])}
    assert not having(table.legal(table.position(sites=[sites])), "site")
    assert having(table.legal(table.position(sites=[sites], seat=1)), "site")


@pytest.mark.parametrize("number", [1, 2])
def test_an_edition_may_have_fewer_sites(make: Make, number: int) -> None:
    edition = standard()
    edition["pieces"]["sites"]["2"] = number
    table = make(edition)
    state = table.play(table.position(action_points=2), *["site 1,1", "site 1,5"][:number])
    if number == 1:
        assert not having(table.legal(state), "site")
    assert len(table.at(state)["sites"][0]) == number


# Exploring.


def explorable(table: Table, **said: Any) -> set[str]:
    """Where seat 0 may explore."""
    return having(table.legal(table.position(**said)), "explore")


# On the map  . . . . m . . . R . . .  what lies in the middle makes its neighbours explorable, or not.
LINE = ". m . . R . X . F"


def test_nothing_to_start_from_nothing_to_explore(table: Table) -> None:
    assert explorable(table) == set()


def test_next_to_an_empty_meadow(make: Make) -> None:
    table = make(with_map(LINE))
    assert explorable(table, empty=["0,1"]) == {"0,0", "0,2"}


def test_next_to_a_tile_laid_before_wherever_it_lies(make: Make) -> None:
    table = make(with_map(LINE))
    assert explorable(table, empty=["0,1"], laid=["0,2"]) == {"0,0", "0,3"}
    site: Any = [{0: ("0,4", [])}]
    assert explorable(table, sites=site, laid=["0,5", "0,3"]) == {"0,2"}


def test_next_to_an_own_craftsman_and_no_other_exploitation(make: Make) -> None:
    table = make(with_map(LINE))
    assert explorable(table, exploitations={"0,1": (0, "wood", 2)}) == {"0,0", "0,2"}
    assert explorable(table, exploitations={"0,1": (1, "wood", 2)}) == set()


def test_not_next_to_a_token_or_a_neutral_exploitation(make: Make) -> None:
    edition = with_map(LINE)
    table = make(edition)
    assert explorable(table) == set()
    edition["tokens"] = {"regular": [], "special": [{"resource": "wood", "count": 4}]}
    assert explorable(make(edition)) == set()


def test_next_to_an_own_site_or_building_and_no_other(make: Make) -> None:
    table = make(with_map(LINE))
    assert explorable(table, sites=[{1: ("0,4", [])}]) == {"0,3", "0,5"}
    assert explorable(table, buildings=[["0,4"]]) == {"0,3", "0,5"}
    assert explorable(table, sites=[{}, {1: ("0,4", [])}]) == set()
    assert explorable(table, buildings=[[], ["0,4"]]) == set()


def test_not_across_a_gap(make: Make) -> None:
    table = make(with_map(LINE))
    assert "0,3" not in explorable(table, empty=["0,1"])


def test_neighbours_share_a_side(make: Make) -> None:
    """An odd row stands half a hex to the right; a hex has six neighbours at most."""
    even = make(with_map(". . . .", ". . . .", ". m . R", ". . . .", ". . . ."))
    assert explorable(even, empty=["2,1"]) == {"2,0", "2,2", "1,0", "1,1", "3,0", "3,1"}
    odd = make(with_map(". . . .", ". m . R", ". . . ."))
    assert explorable(odd, empty=["1,1"]) == {"1,0", "1,2", "0,1", "0,2", "2,1", "2,2"}


def test_neighbours_where_odd_rows_are_shorter(make: Make) -> None:
    even = make(with_map(". . . .", ". . .", "m . . R", ". . .", ". . . ."))
    assert explorable(even, empty=["2,0"]) == {"2,1", "1,0", "3,0"}
    odd = make(with_map(". . . .", ". R m", ". . . ."))
    assert explorable(odd, empty=["1,2"]) == {"0,2", "0,3", "2,2", "2,3"}


def test_a_row_does_not_go_on_in_the_next_one(make: Make) -> None:
    table = make(with_map(". . m", ". . R", ". . ."))
    assert explorable(table, empty=["0,2"]) == {"0,1", "1,1"}


@pytest.mark.parametrize("rows", [1, 2, 3, 60, 120])
def test_maps_of_120_hexes_in_long_outlines(make: Make, rows: int) -> None:
    letters = ["."] * 120
    letters[60], letters[119] = "m", "R"
    width = 120 // rows
    table = make(with_map(*(" ".join(letters[row * width :][:width]) for row in range(rows))))
    row, column = divmod(60, width)
    left = column - 1 if row % 2 == 0 else column
    around = [
        (row, column - 1), (row, column + 1), (row - 1, left), (row - 1, left + 1), (row + 1, left), (row + 1, left + 1)
    ]  # fmt: skip
    on_map = {f"{i},{k}" for i, k in around if 0 <= i < rows and 0 <= k < width}
    assert explorable(table, empty=[f"{row},{column}"]) == on_map


def test_mist_costs_one_and_forest_two_action_points(make: Make) -> None:
    table = make(with_map(". m F R"))
    assert explorable(table, empty=["0,1"]) == {"0,0", "0,2"}
    assert explorable(table, empty=["0,1"], action_points=1) == {"0,0"}
    state = table.position(empty=["0,1"])
    assert table.at(table.play(state, "explore 0,0"))["action_points"] == 1
    assert table.play(state, "explore 0,2").seat == 1


def test_forbidden_hexes_ruins_and_meadows_are_not_explored(make: Make) -> None:
    table = make(with_map("X m R m ."))
    assert explorable(table, empty=["0,1"], sites=[{0: ("0,2", [])}]) == set()


def test_a_tile_makes_an_empty_meadow_that_is_not_explored_again(make: Make) -> None:
    table = make(with_map(". m F R"))
    state = table.play(table.position(empty=["0,1"]), "explore 0,2")
    assert table.at(state)["empty"] == [1, 2]
    assert having(table.legal(state), "explore") == {"0,0"}


def test_the_tile_comes_from_the_leftmost_stack_that_is_not_empty(make: Make) -> None:
    table = make(with_map(" ".join([*"." * 12, "m", "R"])))
    laid = [f"0,{column}" for column in range(3, 12)]
    state = table.position(empty=["0,12"], stacks=[[0, 1, 5, 5], [5, 5, 5, 5]], laid=laid)
    state = table.play(state, "explore 0,2")
    assert table.at(state)["stacks"][0] == [0, 0, 5, 5]
    state = table.play(state, "explore 0,1")
    assert table.at(state)["stacks"] == [[0, 0, 4, 5], [5, 5, 5, 5]]
    state = table.play(state, "explore 0,0")
    assert table.at(state)["stacks"] == [[0, 0, 4, 5], [4, 5, 5, 5]], "each player has its own"
    assert table.at(state)["stock"] == 20


def test_with_all_stacks_empty_from_the_common_stock_and_then_nothing(make: Make) -> None:
    edition = with_map(". . . . m R")
    edition["pieces"] |= {"meadow_stacks": dict.fromkeys("234", 2), "meadow_stack_size": dict.fromkeys("234", 1)}
    edition["pieces"]["meadow_reserve"] = dict.fromkeys("234", 1)
    table = make(edition)
    state = table.play(table.position(empty=["0,4"]), "explore 0,3", "explore 0,2")
    assert (table.at(state)["stacks"], table.at(state)["stock"]) == ([[0, 0], [1, 1]], 1)
    state = table.play(state, "end_turn", "explore 0,1")
    assert (table.at(state)["stacks"], table.at(state)["stock"]) == ([[0, 0], [1, 1]], 0)
    assert table.legal(state) == ["site 0,5", "end_turn"], "no tile left, though seat 1 has some"
    state = table.play(state, "end_turn")
    assert having(table.legal(state), "explore") == {"0,0"}


# Transport.


def ways(table: Table, **said: Any) -> set[str]:
    """The transports that seat 0 may make."""
    return having(table.legal(table.position(**said)), "transport")


def test_from_any_exploitation_next_to_the_ruin(make: Make) -> None:
    edition = with_map("m R m", "m m .", ". . .")
    edition["tokens"]["special"] = [{"resource": "stone", "count": 4}]
    edition["tokens"]["regular"].pop()
    table = make(edition)
    lying: Any = {"0,0": (0, "wood", 1), "0,2": (1, "wood", 2), "1,0": (None, "stone", 3)}
    assert ways(table, exploitations=lying, sites=[{2: ("0,1", [])}]) == {"0,0 2", "0,2 2", "1,0 2"}


def test_to_own_sites_alone(make: Make) -> None:
    edition = with_map("R m R")
    edition["pieces"]["ruin_capacity"]["2"] = 2
    table = make(edition)
    sites: Any = [{1: ("0,2", [])}, {0: ("0,0", []), 1: ("0,0", [])}]
    lying: Any = {"0,1": (1, "wood", 3)}
    assert ways(table, exploitations=lying, sites=sites) == {"0,1 1"}
    assert ways(table, exploitations=lying, sites=sites, seat=1) == {"0,1 0", "0,1 1"}
    assert ways(table, exploitations=lying, buildings=[["0,2"]]) == set(), "nor to a building"


@pytest.mark.parametrize(
    ("between", "passes"),
    [
        ("empty meadow", True),
        ("tile on mist", True),
        ("tile on forest", True),
        ("tile on forbidden", True),
        ("token", False),
        ("own exploitation", False),
        ("exploitation of another", False),
        ("neutral exploitation", False),
        ("ruin", False),
        ("ruin with an own site", False),
        ("mist", False),
        ("forest", False),
        ("forbidden", False),
    ],
)
def test_nothing_is_passed_but_empty_meadows(make: Make, between: str, passes: bool) -> None:
    letter = {"mist": ".", "forest": "F", "forbidden": "X", "ruin": "R"}.get(between.split()[-1], "m")
    letter = "R" if between.startswith("ruin") else letter
    edition = with_map(f"m m {letter} m R")
    edition["private_contract"][0]["effect"] = {"kind": "clear", "count": 1}
    exploitations: dict[str, Any] = {"0,0": (0, "wood", 2)}
    said: dict[str, Any] = {"exploitations": exploitations, "sites": [{0: ("0,4", [])}], "empty": ["0,1", "0,3"]}
    if between.startswith("tile"):
        said["laid"] = ["0,2"]
        if letter == "X":  # Only a contract explores it.
            said |= {"buildings": [[], ["0,4"]], "done": [[], ["P01"]], "players": 3}
    elif between == "empty meadow":
        said["empty"].append("0,2")
    elif between == "neutral exploitation":
        edition["tokens"]["regular"].pop()
        edition["tokens"]["special"] = [{"resource": "wood", "count": 4}]
        exploitations["0,2"] = (None, "wood", 1)
    elif "exploitation" in between:
        exploitations["0,2"] = (0 if between.startswith("own") else 1, "wood", 1)
    elif between.endswith("site"):
        said["sites"][0][1] = ("0,2", [])
    table = make(edition)
    assert ("0,0 0" in ways(table, **said)) == passes
    # A chain need not be long, but it has to touch both ends.
    assert ("0,0 0" in ways(table, **{**said, "empty": [at for at in said["empty"] if at != "0,1"]})) is False


def test_a_chain_may_wind(make: Make) -> None:
    table = make(with_map("m . . .", "R . X .", ". . . .", tokens=["wood 4 1"]))
    chain = ["0,1", "0,2", "0,3", "1,3", "2,3", "2,2", "2,1"]
    lying: Any = {"0,0": (0, "wood", 3)}
    near: Any = [{0: ("1,0", [])}]
    assert ways(table, exploitations=lying, sites=near) == {"0,0 0"}
    table = make(with_map("m . . .", "X X X .", "R . . .", tokens=["wood 4 1"]))
    near = [{0: ("2,0", [])}]
    chain = ["0,1", "0,2", "0,3", "1,3", "2,3", "2,2", "2,1"]
    assert ways(table, exploitations=lying, sites=near, laid=chain) == {"0,0 0"}
    for gap in chain[:-1]:
        laid = [at for at in chain if at != gap]
        assert ways(table, exploitations=lying, sites=near, laid=laid) == set()


def test_one_resource_moves_and_costs_one_action_point(table: Table) -> None:
    state = table.position(sites=[{1: ("7,1", ["pig", "clay"])}], exploitations={"8,2": (None, "clay", 3)})
    before = table.at(state)
    state = table.play(state, "transport 8,2 1")
    fields = table.at(state)
    assert fields["site_resources"][0][1] == table.tally(["clay", "clay", "pig"])
    meadow = table.hexes("beginner", "m").index("8,2")
    assert fields["exploitations"][meadow] == [NOTHING, table.resources.index("clay"), 2]
    assert fields["action_points"] == 1
    assert fields["reserve"] == before["reserve"]


@pytest.mark.parametrize("owner", [0, 1, None])
def test_the_last_resource_sends_the_craftsman_home_to_its_owner(table: Table, owner: int | None) -> None:
    lying: Any = {"6,3": (owner, "pig", 1)}
    state = table.position(players=3, exploitations=lying, sites=[{0: ("5,3", [])}])
    state = table.play(state, "transport 6,3 0")
    fields = table.at(state)
    assert fields["craftsmen"] == [2, 2, 2]
    meadow = table.hexes("beginner", "m").index("6,3")
    assert (fields["exploitations"][meadow], fields["tokens"][meadow]) == (None, NOTHING)
    assert table.hexes("beginner").index("6,3") in fields["empty"]
    assert "explore 6,4" in table.legal(state), "it is an empty meadow at once"


def test_an_exhausted_exploitation_opens_the_way(make: Make) -> None:
    table = make(with_map("m m R"))
    state = table.position(sites=[{0: ("0,2", [])}], exploitations={"0,0": (1, "wood", 2), "0,1": (1, "wood", 1)})
    assert having(table.legal(state), "transport") == {"0,1 0"}
    assert having(table.legal(table.play(state, "transport 0,1 0")), "transport") == {"0,0 0"}


def test_a_site_holds_any_number_of_resources(table: Table) -> None:
    held = ["clay"] * 13 + ["pig"] * 10
    state = table.position(sites=[{0: ("7,1", held)}], exploitations={"8,2": (None, "clay", 3)})
    state = table.play(state, "transport 8,2 0", "transport 8,2 0")
    assert table.at(state)["site_resources"][0][0] == table.tally(["clay"] * 15 + ["pig"] * 10)


def test_resources_on_a_site_do_not_move_again(table: Table) -> None:
    sites: Any = [{0: ("7,1", ["wood"]), 1: ("7,1", [])}]
    state = table.position(players=3, sites=sites, empty=["6,0"])
    assert all(not text.startswith("7,1") for text in having(table.legal(state), "transport"))


# What is no action at all.


@pytest.mark.parametrize(
    "move",
    [
        encode(MoveKind.CRAFTSMAN, 1),
        encode(MoveKind.SITE, 0),
        encode(MoveKind.EXPLORE, 0),
        encode(MoveKind.EXPLORE, 200),
        encode(MoveKind.TRANSPORT, 0),
        encode(MoveKind.BUILD, 0),
        encode(MoveKind.SUPPLY, 0),
        encode(MoveKind.DECLINE),
        encode(MoveKind.TOKEN, 0),
        0,
        2**32 - 1,
    ],
)
def test_other_moves_are_refused(table: Table, move: int) -> None:
    with pytest.raises(MoveError):
        table.position().apply(move)
