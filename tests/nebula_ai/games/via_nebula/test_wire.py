"""Via Nebula's messages: states there and back and what is refused, moves and events by their parts, the edition."""

import random
import tomllib
from collections import Counter
from itertools import pairwise
from math import hypot

import pytest

from nebula_ai.errors import StateError
from nebula_ai.game import UNKNOWN
from nebula_ai.games.via_nebula.edition import STANDARD
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_ai.v1 import nebula_pb2
from nebula_ai.v1 import via_nebula_pb2 as pb
from nebula_core.face import Generator, State
from tests.nebula_core.via_nebula.positions import Table
from tests.walks import walk


@pytest.fixture(scope="module")
def game() -> ViaNebulaGame:
    return ViaNebulaGame.load(None)


@pytest.mark.parametrize("variant", ["beginner", "expert"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_state_comes_back(game: ViaNebulaGame, players: int, variant: str, seed: int) -> None:
    for i, state in enumerate(walk(game, players, variant, Generator(seed))):
        for view in (state, state.observe(i % players)):
            sent = pb.ViaNebulaState.FromString(game.to_message(view).SerializeToString())
            assert game.from_message(sent) == view


def test_a_hidden_contract_is_unknown(game: ViaNebulaGame) -> None:
    message = game.to_message(game.new(3, seed=1).observe(1))
    assert isinstance(message, pb.ViaNebulaState)
    assert [list(seat.hand) for seat in message.seats if UNKNOWN in seat.hand] == [[UNKNOWN, UNKNOWN]] * 2
    assert UNKNOWN not in message.seats[1].hand


def test_what_is_left_out_has_its_default(game: ViaNebulaGame) -> None:
    state = game.start(2)
    message = game.to_message(state)
    assert isinstance(message, pb.ViaNebulaState)
    message.edition = message.edition_hash = ""
    message.ClearField("turn")
    assert game.from_message(message) == state


def middle(game: ViaNebulaGame) -> pb.ViaNebulaState:
    """The message of a game of three in which seat 0 has its turn, and there is something of everything."""
    generator = Generator(0)
    state = game.new(3, seed=0)
    for _ in range(87):
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    message = game.to_message(state)
    assert isinstance(message, pb.ViaNebulaState)
    return message


def test_wrong_states_name_the_field_of_the_message(game: ViaNebulaGame) -> None:
    def refused(field: str) -> str:
        with pytest.raises(StateError) as refusal:
            game.from_message(message)
        assert refusal.value.field == field
        return refusal.value.reason

    message = middle(game)
    message.tokens["2,4"] = "gold 4 2"
    assert "'gold 4 2'" in refused("tokens.2,4")
    message = middle(game)
    message.tokens["x" * 100_000] = "wood 4 2"
    assert len(refused("tokens")) < 200
    message = middle(game)
    message.exploitations["2,0"].resource = ""
    assert "'' is not known" in refused("exploitations.2,0.resource")
    message = middle(game)
    message.exploitations["2,0"].ClearField("owner")
    refused("exploitations.2,0")
    message = middle(game)
    message.seats[0].sites[1].resources["wood"] = 300
    refused("seats[0].sites[1].resources.wood")
    message = middle(game)
    message.seats[0].sites[1].hex = ""
    assert "is missing, and there are resources on the site" in refused("seats[0].sites[1].hex")
    message = middle(game)
    message.seats[0].sites.add()
    assert "must have 3 elements, not 4" in refused("seats[0].sites")
    message = middle(game)
    message.seats.add()
    refused("seats")
    message = middle(game)
    message.open[1] = ""
    refused("open")
    message = middle(game)
    message.phase = pb.ViaNebulaPhase.ValueType(99)
    assert "99" in refused("phase")
    message = middle(game)
    message.phase = pb.VIA_NEBULA_PHASE_UNSPECIFIED
    assert "missing" in refused("phase")
    message = middle(game)
    message.turn.effect = pb.ViaNebulaEffectKind.ValueType(-1)
    refused("turn.effect")
    message = middle(game)
    message.turn.effect = pb.ViaNebulaEffectKind.ValueType(10)
    assert refused("turn.effect") == "must be a value from 1 to 9 of its enum, not 10"
    message = middle(game)
    message.turn.action_points = 9
    refused("turn.action_points")
    message = middle(game)
    message.map = ""
    refused("map")
    message = middle(game)
    message.exploitations["2,0"].owner = -1
    assert "must be 0 to 2, not -1" in refused("exploitations.2,0.owner")
    for seat in (-1, 0, 3):
        message = middle(game)
        message.end_card = seat
        refused("end_card")
    message = middle(game)
    message.edition_hash = "0" * 16
    refused("edition_hash")
    with pytest.raises(StateError):
        game.from_message(nebula_pb2.NebulaState())


def test_no_number_passes_unchecked(game: ViaNebulaGame, seed: int) -> None:
    """Any number of a state replaced by any other gives the error of a field, or a state that says the same again."""
    rng = random.Random(seed)
    refused = 0
    for _ in range(600):
        message = middle(game)
        change = rng.choice(NUMBERS)
        change(message, rng.choice([-(2**31), -1, 0, 1, 7, 127, 128, 255, 256, 65536, 2**31 - 1]), rng)
        try:
            state = game.from_message(message)
        except StateError:
            refused += 1
        else:
            assert game.from_message(game.to_message(state)) == state
    assert refused > 300


def change_counts(message: pb.ViaNebulaState, value: int, rng: random.Random) -> None:
    """Replace a count of resources."""
    sites = [site.resources for seat in message.seats for site in seat.sites]
    maps = [message.reserve, *(seat.storehouse for seat in message.seats), *sites]
    rng.choice(maps)[rng.choice(["wood", "stone", "pig"])] = value


def change_lists(message: pb.ViaNebulaState, value: int, rng: random.Random) -> None:
    """Replace, add or take away an element of a list of numbers."""
    numbers = rng.choice(message.seats).stacks
    if rng.random() < 0.5:
        numbers[rng.randrange(len(numbers))] = value
    elif rng.random() < 0.5:
        numbers.append(value)
    else:
        del numbers[rng.randrange(len(numbers))]


def change_numbers(message: pb.ViaNebulaState, value: int, rng: random.Random) -> None:
    """Replace a single number."""
    setattr(message, rng.choice(["players", "seat", "idle", "end_card", "stock"]), value)


def change_inner_numbers(message: pb.ViaNebulaState, value: int, rng: random.Random) -> None:
    """Replace a single number of a part of the state."""
    exploitation = message.exploitations[rng.choice(sorted(message.exploitations))]
    part, name = rng.choice(
        [
            (message.turn, "action_points"),
            (message.turn, "parts"),
            (exploitation, "owner"),
            (exploitation, "count"),
            (rng.choice(message.seats), "craftsmen"),
        ]
    )
    setattr(part, name, value)


NUMBERS = (change_counts, change_lists, change_numbers, change_inner_numbers)


def text_of(message: pb.ViaNebulaMove) -> str:
    """A move's text, put together from its parts."""
    kind = message.WhichOneof("move")
    assert kind is not None
    parts = getattr(message, kind)
    words: list[str] = [kind]
    match parts:
        case pb.ViaNebulaPlaceCraftsman() | pb.ViaNebulaPlaceSite() | pb.ViaNebulaExplore() | pb.ViaNebulaRecall():
            words += [parts.hex]
        case pb.ViaNebulaTransport():
            words += [parts.hex, str(parts.site)]
        case pb.ViaNebulaBuild():
            words += [str(parts.site), parts.contract]
        case pb.ViaNebulaSupply():
            words += [parts.resource, str(parts.site)]
        case pb.ViaNebulaSwap():
            words += [str(parts.site), parts.leaves, parts.comes]
    return " ".join(words)


def test_a_moves_parts_say_what_its_text_says(game: ViaNebulaGame) -> None:
    kinds = set()
    for state in (state for seed in range(12) for state in walk(game, 2, "beginner", Generator(seed))):
        for move in state.legal_moves() if state.seat is not None else []:
            message = game.move_message(state, move)
            assert isinstance(message, pb.ViaNebulaMove)
            kinds.add(message.WhichOneof("move"))
            assert text_of(message) == game.format_move(state, move)
    assert kinds == {member.name for member in pb.ViaNebulaMove.DESCRIPTOR.oneofs[0].fields}


# Events.


@pytest.mark.parametrize("players", [2, 4])
def test_events_tell_what_the_points_come_from(game: ViaNebulaGame, players: int, seed: int) -> None:
    for number in range(4):
        contracts, stacks, end_card = [0] * players, [0] * players, [0] * players
        states = list(walk(game, players, "expert", Generator(seed, number)))
        for before, after in pairwise(states):
            events = game.event_messages(before, after)
            assert not events or before.seat is not None
            for event in events:
                assert isinstance(event, pb.ViaNebulaEvent)
                match event.WhichOneof("event"):
                    case "contract_done":
                        assert event.contract_done.seat == before.seat
                        contracts[event.contract_done.seat] += event.contract_done.points
                    case "stack_emptied":
                        stacks[event.stack_emptied.seat] += event.stack_emptied.points
                    case "end_card_taken":
                        end_card[event.end_card_taken.seat] += event.end_card_taken.points
        scores = [score for score in game.breakdown(states[-1]) if score]
        assert [score["contracts"] for score in scores] == contracts
        assert [score["stacks"] for score in scores] == stacks
        assert [score["end_card"] for score in scores] == end_card


def test_events_tell_the_empty_meadows(game: ViaNebulaGame, seed: int) -> None:
    for before, after in pairwise(walk(game, 3, "beginner", Generator(seed))):
        old, new = game.to_json(before), game.to_json(after)
        emptied = [
            event.exploitation_emptied
            for event in game.event_messages(before, after)
            if isinstance(event, pb.ViaNebulaEvent) and event.HasField("exploitation_emptied")
        ]
        gone = {at: here["owner"] for at, here in old["exploitations"].items() if at not in new["exploitations"]}
        if before.seat is not None:
            assert {each.hex: each.owner if each.HasField("owner") else None for each in emptied} == gone


def test_what_is_left_on_a_site_is_told(game: ViaNebulaGame) -> None:
    table = Table()
    state = table.position(
        sites=[{0: ("1,1", []), 1: ("4,1", ["wood", "stone", "stone", "pig"])}], open=["N01", "N02", "N03", "N04"]
    )
    before = game.rules.unpack(state.pack())
    after = before.apply(game.parse_move(before, "build 1 N01"))
    (event,) = game.event_messages(before, after)
    assert isinstance(event, pb.ViaNebulaEvent)
    done = pb.ViaNebulaContractDone(seat=0, contract="N01", points=2, stored={"stone": 1, "pig": 1})
    assert event.contract_done == done


def test_a_craftsman_that_comes_home_at_once_is_told(game: ViaNebulaGame) -> None:
    table = Table()
    # All the wood there is lies in storehouses.
    state = table.position(storehouse=[["wood"] * 14, []], exploitations={"0,9": (None, "wood", 4)})
    before = game.rules.unpack(state.pack())
    at = next(at for at, token in game.to_json(before)["tokens"].items() if token.startswith("wood"))
    after = before.apply(game.parse_move(before, f"craftsman {at}"))
    (event,) = game.event_messages(before, after)
    assert isinstance(event, pb.ViaNebulaEvent)
    assert event.exploitation_emptied == pb.ViaNebulaExploitationEmptied(hex=at, owner=0)


# The edition.


def test_the_edition_is_the_file(game: ViaNebulaGame) -> None:
    with STANDARD.open("rb") as file:
        content = tomllib.load(file)
    message = game.edition_message()
    assert isinstance(message, pb.ViaNebulaEdition)
    assert list(message.resources) == content["resources"]
    assert message.reserve_per_resource == content["reserve_per_resource"]
    for key, numbers in content["pieces"].items():
        assert {str(each.players): getattr(each, key) for each in message.by_players} == numbers
    assert message.action_points == content["turn"]["action_points"]
    assert {key: getattr(message.costs, key) for key in content["cost"]} == content["cost"]
    setup = content["setup"]
    assert (message.private_dealt, message.open_contracts, message.special_removed) == (
        setup["private_contracts"],
        setup["open_contracts"],
        setup["special_removed"],
    )
    score = content["score"]
    assert (message.emptied_stack_points, message.end_card_points, message.storehouse_points) == (
        score["emptied_stack"],
        score["end_card"],
        score["storehouse_resource"],
    )
    for special, tokens in ((False, content["tokens"]["regular"]), (True, content["tokens"]["special"])):
        assert Counter(
            {(t.resource, t.count, t.points): t.copies for t in message.tokens if t.special == special}
        ) == Counter((token["resource"], token["count"], token.get("points", 0)) for token in tokens)
    assert [token.token for token in message.tokens] == list(game.content.tokens)
    assert {each.map: list(each.rows) for each in message.maps} == {
        name: each["rows"] for name, each in content["maps"].items()
    }
    for contracts, deck in ((message.neutral_contracts, "neutral"), (message.private_contracts, "private")):
        assert [(c.id, dict(c.cost), c.points, effect_of(c)) for c in contracts] == [
            (c["id"], dict(Counter(c["cost"])), c["points"], c.get("effect")) for c in content[f"{deck}_contract"]
        ]
        assert all(bool(c.description) == c.HasField("effect") for c in contracts)


def effect_of(contract: pb.ViaNebulaContract) -> dict[str, object] | None:
    """The effect of a contract as the file has it."""
    if not contract.HasField("effect"):
        return None
    effect = contract.effect
    kind = pb.ViaNebulaEffectKind.Name(effect.kind).removeprefix("VIA_NEBULA_EFFECT_KIND_").lower()
    if effect.per:
        per = pb.ViaNebulaScorePer.Name(effect.per).removeprefix("VIA_NEBULA_SCORE_PER_").lower()
        assert effect.count == 0
        return {"kind": kind, "per": per}
    return {"kind": kind, "count": effect.count}


def test_hexes_have_coordinates_to_draw_them(game: ViaNebulaGame) -> None:
    message = game.edition_message()
    assert isinstance(message, pb.ViaNebulaEdition)
    letters = {"M": "m", "I": ".", "F": "F", "R": "R", "X": "X"}
    for known in message.maps:
        assert [f"{here.row},{here.column}" for here in known.hexes] == [here.hex for here in known.hexes]
        words = [pb.ViaNebulaTerrain.Name(here.terrain).removeprefix("VIA_NEBULA_TERRAIN_") for here in known.hexes]
        signs = ["X" if word == "FORBIDDEN" else letters["I" if word == "MIST" else word[0]] for word in words]
        assert signs == " ".join(known.rows).split()
        places = {here.hex: (here.x, here.y) for here in known.hexes}
        near = {
            at: sorted(other for other, (x, y) in places.items() if 0 < hypot(x - here[0], y - here[1]) < 1.01)
            for at, here in places.items()
        }
        assert near["0,0"] == ["0,1", "1,0"]
        assert near["1,0"] == ["0,0", "0,1", "1,1", "2,0", "2,1"]
        assert near["4,5"] == ["3,4", "3,5", "4,4", "4,6", "5,4", "5,5"]
        assert all(
            hypot(places[at][0] - places[other][0], places[at][1] - places[other][1]) == pytest.approx(1)
            for at, others in near.items()
            for other in others
        )


def test_neighbours_are_where_the_picture_has_them(game: ViaNebulaGame) -> None:
    """A site on a ruin makes the hexes next to it explorable."""
    message = game.edition_message()
    assert isinstance(message, pb.ViaNebulaEdition)
    places = {here.hex: (here.x, here.y) for here in message.maps[0].hexes}
    passable = {here.hex for here in message.maps[0].hexes if here.terrain == pb.VIA_NEBULA_TERRAIN_MIST}
    table = Table()
    for ruin in (here.hex for here in message.maps[0].hexes if here.terrain == pb.VIA_NEBULA_TERRAIN_RUIN):
        state: State = table.position(action_points=1, sites=[{0: (ruin, [])}])
        explored = {text.split()[1] for text in table.legal(state) if text.startswith("explore")}
        x, y = places[ruin]
        assert explored == {at for at in passable if hypot(places[at][0] - x, places[at][1] - y) < 1.01}
