"""What a seat of Via Nebula has gained by its moves, in words."""

from typing import Any

import pytest

from nebula_ai.games.via_nebula.gains import neighbours, reachable, ways_to_resources
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_core.face import Generator, State
from nebula_core.via_nebula.rules import MoveKind, decode
from tests.nebula_core.via_nebula.positions import Table
from tests.walks import walk


@pytest.fixture(scope="module")
def game() -> ViaNebulaGame:
    return ViaNebulaGame.load(None)


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


def position(game: ViaNebulaGame, table: Table, **said: Any) -> State:
    """Seat 0 has a site at 1,1, in reach of wood and pig; its contracts and the open ones are these."""
    given: dict[str, Any] = {
        "exploitations": {"0,0": (0, "wood", 3), "0,2": (None, "pig", 1)},
        "laid": ["0,1", "1,0"],
        "sites": [{1: ("1,1", ["wood"])}],
        "hands": [["P04", "P06"], ["P01", "P02"]],
        "open": ["N02", "N12", "N26", "N31"],
    }
    return game.rules.unpack(table.position(**given | said).pack())


def gained(game: ViaNebulaGame, state: State, *moves: str) -> list[str]:
    """What the seat to move has gained after these moves of its own."""
    after = state
    for move in moves:
        after = after.apply(game.parse_move(after, move))
    return game.gains(state, after)


def test_resources_and_the_contract_that_they_are_for(game: ViaNebulaGame, table: Table) -> None:
    state = position(game, table)
    assert gained(game, state) == []
    assert gained(game, state, "transport 0,2 1") == ["brings pig to site 1 for P06 (lacks clay)"]
    # What two sites could bring: it serves no contract to have three wood.
    assert gained(game, state, "transport 0,0 1") == ["brings wood to site 1"]
    full = position(game, table, sites=[{1: ("1,1", ["wood", "clay"])}])
    assert gained(game, full, "transport 0,2 1") == ["brings pig to site 1 for P06 (can be built)"]
    empty = position(game, table, sites=[{1: ("1,1", [])}], hands=[["P05", "P03"], ["P01", "P02"]])
    assert gained(game, empty, "transport 0,0 1") == ["brings wood to site 1 for N02 (lacks clay)"]
    assert gained(game, empty, "transport 0,0 1", "transport 0,0 1") == ["brings 2 wood to site 1 for N02 (lacks clay)"]


def test_contracts_done(game: ViaNebulaGame, table: Table) -> None:
    state = position(game, table, sites=[{1: ("1,1", ["wood", "clay", "pig", "wheat"])}], storehouse=[["stone"]])
    assert gained(game, state, "build 1 P06") == ["builds P06 for 3 points"]
    assert gained(game, state, "build 1 N02") == ["builds N02 for 2 points", "stores 2 resources (-2 points)"]
    assert gained(game, state, "build 1 N31") == ["builds N31 for 1 point for each own building"]
    pigs = position(
        game, table, sites=[{1: ("1,1", ["stone", "stone", "pig", "pig"])}], open=["N33", "N01", "N03", "N05"]
    )
    assert gained(game, pigs, "build 1 N33") == ["builds N33 for 2 points and 1 point for each emptied stack"]
    rid = position(game, table, sites=[{1: ("1,1", ["wood", "clay", "pig"])}], storehouse=[["stone"]])
    assert gained(game, rid, "build 1 P06") == ["builds P06 for 3 points", "gets rid of 1 stored resource"]


def test_the_last_building(game: ViaNebulaGame, table: Table) -> None:
    state = position(
        game,
        table,
        sites=[{1: ("1,1", ["wheat", "wheat", "pig"])}],
        buildings=[["1,5", "2,3", "4,1", "4,5"]],
        done=[["N01", "N03", "N05", "N08"]],
    )
    assert gained(game, state, "build 1 P04") == ["builds P04 for 3 points", "takes the end card for 2 points"]


def test_tokens_sites_and_ways(game: ViaNebulaGame, table: Table) -> None:
    state = position(game, table, tokens={"2,0": "clay 4 2"})
    assert gained(game, state, "craftsman 2,0") == ["exploits clay for 2 points", "connects clay with site 1"]
    assert gained(game, state, "site 2,3") == ["opens site 0 at 2,3"]
    assert gained(game, state, "craftsman 2,0", "site 2,3")[:2] == ["exploits clay for 2 points", "opens site 0 at 2,3"]


def test_ways_to_several_sites(game: ViaNebulaGame, table: Table) -> None:
    """A tile at 0,1 joins the wood at 0,0 to the sites at 1,1, but not to the one at 7,1."""
    state = position(
        game,
        table,
        players=3,
        laid=[],
        sites=[{0: ("7,1", []), 1: ("1,1", []), 2: ("1,1", [])}],
        hands=[["P04", "P06"], ["P01", "P02"], ["P03", "P05"]],
    )
    assert gained(game, state, "explore 0,1") == ["connects wood with sites 1 and 2"]


def test_meadow_tiles(game: ViaNebulaGame, table: Table) -> None:
    for laid, told in ((["2,1", "2,2"], "empties a stack for 2 points"), (["2,1"], "lays 1 meadow tile")):
        state = position(game, table, sites=[], laid=["0,1", "1,0", *laid])
        assert gained(game, state, "explore 3,1") == [told]


def test_what_is_reachable_can_be_transported(game: ViaNebulaGame, seed: int) -> None:
    seen = 0
    for number, variant in enumerate(game.variants):
        for state in walk(game, 2, variant, Generator(seed, number)):
            if state.seat is None or not any(decode(move)[0] == MoveKind.END_TURN for move in state.legal_moves()):
                continue
            readable = game.readable(state)
            ways = ways_to_resources(readable)
            moves = [text.split() for text in (game.format_move(state, move) for move in state.legal_moves())]
            for site, here in enumerate(readable.seats[state.seat].sites):
                if here is not None:
                    carried = {
                        readable.exploitations[words[1]].resource
                        for words in moves
                        if words[0] == "transport" and words[2] == str(site)
                    }
                    assert reachable(readable, ways, here) == carried
                    seen += bool(carried)
    assert seen, "nothing could be transported: the test says nothing"


def test_neighbours() -> None:
    assert set(neighbours("2,3")) == {"2,2", "2,4", "1,2", "1,3", "3,2", "3,3"}
    assert set(neighbours("3,3")) == {"3,2", "3,4", "2,3", "2,4", "4,3", "4,4"}


def test_the_hands_of_the_others_are_not_looked_at(game: ViaNebulaGame, table: Table) -> None:
    one, other = (position(game, table, hands=[["P04", "P06"], hand]) for hand in (["P01", "P02"], [None, None]))
    for move in ("transport 0,2 1", "site 2,3"):
        assert gained(game, one, move) == gained(game, other, move)


def test_an_unknown_contract_of_its_own_is_left_out(game: ViaNebulaGame, table: Table) -> None:
    state = position(game, table, hands=[[None, None], ["P01", "P02"]])
    assert gained(game, state, "transport 0,2 1") == ["brings pig to site 1 for N26 (lacks stone and wheat)"]
