"""Nebula's messages: states there and back and what is refused, moves and events by their parts, the edition."""

import random
import tomllib
from functools import cache
from itertools import pairwise

import pytest

from nebula_ai.errors import StateError
from nebula_ai.game import UNKNOWN
from nebula_ai.games.nebula.edition import STANDARD
from nebula_ai.games.nebula.game import NebulaGame
from nebula_ai.v1 import nebula_pb2 as pb
from nebula_core.face import Generator, State
from tests.walks import walk


@pytest.fixture(scope="module")
def game() -> NebulaGame:
    return NebulaGame.load(None)


@pytest.mark.parametrize("variant", ["full", "basic"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_state_comes_back(game: NebulaGame, players: int, variant: str, seed: int) -> None:
    for i, state in enumerate(walk(game, players, variant, Generator(seed))):
        for view in (state, state.observe(i % players)):
            sent = pb.NebulaState.FromString(game.to_message(view).SerializeToString())
            assert game.from_message(sent) == view


def test_a_hidden_card_is_unknown(game: NebulaGame) -> None:
    state = game.new(3, seed=1).observe(1)
    message = game.to_message(state)
    assert isinstance(message, pb.NebulaState)
    assert [list(tasks.dealt) for tasks in message.personal if UNKNOWN in tasks.dealt] == [[UNKNOWN, UNKNOWN]] * 2
    assert UNKNOWN not in message.personal[1].dealt


def test_what_is_left_out_has_its_default(game: NebulaGame) -> None:
    state = game.new(2, seed=1)
    message = game.to_message(state)
    assert isinstance(message, pb.NebulaState)
    message.edition = message.edition_hash = ""
    message.ClearField("turn")
    assert game.from_message(message) == state


@cache
def middle_state(game: NebulaGame) -> State:
    """A state in the middle of a game where a seat has its turn."""
    states = [state for state in walk(game, 3, "full", Generator(5)) if game.readable(state).phase == "turn"]
    return states[len(states) // 2]


def middle(game: NebulaGame) -> pb.NebulaState:
    """The message of this state, to be changed."""
    message = game.to_message(middle_state(game))
    assert isinstance(message, pb.NebulaState)
    return message


def pieces(message: pb.NebulaState) -> list[tuple[int, int, str]]:
    """Seat, space and colour of every star."""
    return [
        (seat, space, star)
        for seat, galaxy in enumerate(message.galaxy)
        for space, star in enumerate(galaxy.spaces)
        if star
    ]


def test_wrong_states_name_the_field_of_the_message(game: NebulaGame) -> None:
    seat, space, star = pieces(middle(game))[0]
    other = "red" if star != "red" else "blue"

    def refused(field: str) -> str:
        with pytest.raises(StateError) as refusal:
            game.from_message(message)
        assert refusal.value.field == field
        return refusal.value.reason

    message = middle(game)
    message.galaxy[seat].spaces[space] = "purple"
    assert "'purple'" in refused(f"galaxy[{seat}].spaces[{space}]")
    message = middle(game)
    message.galaxy[seat].spaces.append("")
    assert "33" in refused(f"galaxy[{seat}].spaces")
    message = middle(game)
    message.clusters[2].spaces[5] = "x" * 100_000
    assert len(refused("clusters[2].spaces[5]")) < 200
    message = middle(game)
    message.observatory[1].pieces[other] = 300
    refused(f"observatory[1].pieces.{other}")
    message = middle(game)
    message.phase = pb.NebulaPhase.ValueType(99)
    assert "99" in refused("phase")
    message = middle(game)
    message.phase = pb.NEBULA_PHASE_UNSPECIFIED
    assert "missing" in refused("phase")
    message = middle(game)
    message.variant = pb.NebulaVariant.ValueType(-1)
    refused("variant")
    message = middle(game)
    message.ClearField("values")
    refused("values")
    message = middle(game)
    message.values.advanced[0].index = 9
    refused("values.advanced[0].index")
    message = middle(game)
    message.values.color["red"] = 9
    refused("values.color.red")
    message = middle(game)
    message.markers[1].task = message.markers[0].task
    refused("markers[1].task")
    message = middle(game)
    message.personal[0].dealt.append("S01")
    refused("personal[0].dealt")
    message = middle(game)
    message.personal[0].kept = ""
    refused("personal[0].kept")
    message = middle(game)
    message.edition_hash = "0" * 16
    refused("edition_hash")
    with pytest.raises(StateError):
        game.from_message(pb.NebulaEdition())


def test_no_number_passes_unchecked(game: NebulaGame, seed: int) -> None:
    """Any number of a state replaced by any other gives the error of a field, or a state that says the same again."""
    rng = random.Random(seed)
    refused = 0
    for _ in range(600):
        message = middle(game)
        change = rng.choice(NUMBERS)
        change(message, rng.choice([-(2**31), -1, 0, 1, 7, 255, 256, 65536, 2**31 - 1]), rng)
        try:
            state = game.from_message(message)
        except StateError:
            refused += 1
        else:
            assert game.from_message(game.to_message(state)) == state
    assert refused > 300


def change_counts(message: pb.NebulaState, value: int, rng: random.Random) -> None:
    """Replace a count of pieces."""
    maps = [
        message.bag,
        message.removed,
        message.turn.drawn,
        message.values.color,
        *(o.pieces for o in message.observatory),
    ]
    rng.choice(maps)[rng.choice(["red", "blue", "black_hole"])] = value


def change_lists(message: pb.NebulaState, value: int, rng: random.Random) -> None:
    """Replace, add or take away an element of a list of numbers."""
    numbers = rng.choice([message.figures, message.holes, *(markers.seats for markers in message.markers)])
    if numbers and rng.random() < 0.5:
        numbers[rng.randrange(len(numbers))] = value
    else:
        numbers.append(value)


def change_numbers(message: pb.NebulaState, value: int, rng: random.Random) -> None:
    """Replace a single number."""
    setattr(message, rng.choice(["players", "seat", "round", "indicator"]), value)


def change_index(message: pb.NebulaState, value: int, rng: random.Random) -> None:
    """Replace the index of an advanced card."""
    rng.choice(message.values.advanced).index = value


NUMBERS = (change_counts, change_lists, change_numbers, change_index)


def text_of(message: pb.NebulaMove) -> str:
    """A move's text, put together from its parts."""
    kind = message.WhichOneof("move")
    assert kind is not None
    parts = getattr(message, kind)
    words: list[str] = [kind]
    match parts:
        case pb.NebulaChoose():
            words += [parts.personal_task]
        case pb.NebulaInvest():
            words += map(str, parts.steps)
        case pb.NebulaChaos():
            words += [parts.piece]
        case pb.NebulaTake():
            words += map(str, parts.clusters)
        case pb.NebulaKeep():
            words += parts.pieces
        case pb.NebulaPlace():
            words += [parts.piece, *([str(parts.space)] if parts.HasField("space") else [])]
        case pb.NebulaAdvance():
            marker = parts.WhichOneof("marker")
            assert marker is not None
            words += [marker.removeprefix("advanced_"), getattr(parts, marker)]
    return " ".join(words)


def test_a_moves_parts_say_what_its_text_says(game: NebulaGame) -> None:
    kinds = set()
    for state in (state for game_seed in range(4) for state in walk(game, 2, "full", Generator(game_seed))):
        for move in state.legal_moves() if state.seat is not None else []:
            message = game.move_message(state, move)
            assert isinstance(message, pb.NebulaMove)
            kinds.add(message.WhichOneof("move"))
            assert text_of(message) == game.format_move(state, move)
    assert kinds == {member.name for member in pb.NebulaMove.DESCRIPTOR.oneofs[0].fields}


@pytest.mark.parametrize("players", [2, 4])
def test_markers_are_told_with_their_points(game: NebulaGame, players: int, seed: int) -> None:
    points = [0] * players
    states = list(walk(game, players, "full", Generator(seed)))
    for before, after in pairwise(states):
        events = game.event_messages(before, after)
        assert not events or before.seat is not None
        for event in events:
            assert isinstance(event, pb.NebulaEvent)
            assert event.marker_placed.seat == before.seat
            points[event.marker_placed.seat] += event.marker_placed.points
    assert points == [score["public"] for score in game.breakdown(states[-1]) if score]


def test_the_edition_is_the_file(game: NebulaGame) -> None:
    with STANDARD.open("rb") as file:
        content = tomllib.load(file)
    message = game.edition_message()
    assert isinstance(message, pb.NebulaEdition)
    galaxy = content["galaxy"]
    assert list(message.colors) == content["bag"]["colors"]
    assert [(c.name, c.points) for c in message.constellations] == [
        (c["name"], c["points"]) for c in galaxy["constellations"]
    ]
    assert [(s.orbit, s.angle, s.constellation) for s in message.spaces] == [
        (s["orbit"], s["angle"], s["constellation"]) for s in galaxy["spaces"]
    ]
    for kind, links in ((pb.NEBULA_LINK_KIND_DIRECT, "direct_links"), (pb.NEBULA_LINK_KIND_INDIRECT, "indirect_links")):
        assert [[link.low_space, link.high_space] for link in message.links if link.kind == kind] == galaxy[links]
    assert sum(link.kind == pb.NEBULA_LINK_KIND_ORBIT for link in message.links) == len(message.spaces)
    assert {str(p.players): p.black_holes for p in message.by_players} == content["bag"]["black_holes"]
    assert {str(p.players): p.indicator_end for p in message.by_players} == content["black_holes"]["indicator_end"]
    assert {str(p.players): p.markers_end for p in message.by_players} == content["public_tasks"]["markers_end"]
    assert list(message.track_points) == content["black_holes"]["track_points"]
    assert list(message.observatory_pieces) == content["setup"]["observatory_pieces"]
    assert list(message.constellation_values) == content["values"]["constellation"]
    assert [(c.id, c.at_least, c.first_points, c.later_points) for c in message.public_tasks] == [
        (c["id"], c["at_least"], c["first"], c["later"]) for c in content["public_task"]
    ]
    assert [(c.id, [[t.count, t.points] for t in c.tiers]) for c in message.personal_tasks] == [
        (c["id"], c["tiers"]) for c in content["personal_task"]
    ]
    assert [c.id for c in message.advanced_cards] == [c["id"] for c in content["advanced_card"]]
    counters = {
        card.id: card.counter
        for cards in (message.public_tasks, message.personal_tasks, message.advanced_cards)
        for card in cards
    }
    assert counters["S01"] == pb.NebulaCounter(
        kind=pb.NEBULA_COUNTER_KIND_STARS, color="red", spaces=[*range(17, 25), *range(25, 32)]
    )
    assert counters["T20"] == pb.NebulaCounter(
        kind=pb.NEBULA_COUNTER_KIND_LINKS, color="red", other_colors=["white"], direct_only=True
    )
    assert counters["T02"] == pb.NebulaCounter(
        kind=pb.NEBULA_COUNTER_KIND_REGION_IN_COLORS, spaces=range(4, 10), colors=3
    )
    assert all(card.description for card in message.public_tasks)
