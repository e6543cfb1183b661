"""Via Nebula through the service: a whole game, one with real pieces on a table, and states that break its rules."""

from collections.abc import Callable
from typing import TypeAlias

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty

from nebula_ai.registry import load
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1 import via_nebula_pb2
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice, Outcome
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView
from nebula_core.face import Generator
from tests.nebula_server.conftest import Stub, refusal

Spoil: TypeAlias = Callable[[via_nebula_pb2.ViaNebulaState], tuple[str, str]]

GAME = load("via_nebula")


async def test_get_game(stub: Stub) -> None:
    response = await stub.GetGame(pb.GetGameRequest(game="via_nebula"))
    assert response.via_nebula == GAME.edition_message()
    assert list(response.game.editions[0].variants) == ["beginner", "expert"]


async def test_every_form_of_a_state_is_the_same(stub: Stub) -> None:
    state = GAME.new(3, "expert", seed=3).observe(0)
    message = GAME.to_message(state)
    assert isinstance(message, via_nebula_pb2.ViaNebulaState)
    forms = (State(packed=state.pack()), State(text=GAME.to_text(state)), State(via_nebula=message))
    answers = [await stub.ListMoves(pb.ListMovesRequest(state=form)) for form in forms]
    assert answers[0] == answers[1] == answers[2]
    assert [move.via_nebula for move in answers[0].moves] == [
        GAME.move_message(state, move) for move in state.legal_moves()
    ]


async def test_a_whole_game_of_four_on_the_expert_map(stub: Stub) -> None:
    """GetMove for every seat, from the setup to the scores; the events tell what the state says in the end."""
    created = await stub.CreateState(
        pb.CreateStateRequest(game="via_nebula", players=4, variant="expert", chance=ChancePolicy(seed=8))
    )
    view, seat = created.state, created.state.seat
    contracts, stacks, end_card = [0] * 4, [0] * 4, [0] * 4
    outcome: Outcome | None = None
    for decision in range(5000):
        sent = State(packed=view.packed)
        asked = await stub.GetMove(pb.GetMoveRequest(state=sent, limits=SearchLimits(simulations=20), seed=decision))
        assert asked.analysis.seat == seat == view.seat
        applied = await stub.ApplyMove(
            pb.ApplyMoveRequest(state=sent, move=Choice(number=asked.move.number), chance=ChancePolicy(seed=8))
        )
        view = applied.state
        for event in applied.events:
            match event.WhichOneof("event"):
                case "via_nebula":
                    own = event.via_nebula
                    if own.HasField("contract_done"):
                        contracts[own.contract_done.seat] += own.contract_done.points
                    if own.HasField("stack_emptied"):
                        stacks[own.stack_emptied.seat] += own.stack_emptied.points
                    if own.HasField("end_card_taken"):
                        end_card[own.end_card_taken.seat] += own.end_card_taken.points
                case "seat_change":
                    seat = event.seat_change.seat
                case "outcome":
                    outcome = event.outcome
        if view.status == StateView.STATUS_FINISHED:
            break
    assert outcome is not None
    assert outcome == view.outcome
    assert [score.seat for score in outcome.scores] == [0, 1, 2, 3]
    assert [score.sources["contracts"] for score in outcome.scores] == contracts
    assert [score.sources["stacks"] for score in outcome.scores] == stacks
    assert [score.sources["end_card"] for score in outcome.scores] == end_card
    assert all(sum(score.sources.values()) == score.total for score in outcome.scores)
    best = max(score.total for score in outcome.scores)
    assert {outcome.scores[winner].total for winner in outcome.winners} == {best}
    assert view.via_nebula.phase == via_nebula_pb2.VIA_NEBULA_PHASE_FINISHED


async def test_real_pieces(stub: Stub) -> None:
    """All that the setup brings is reported; the contracts dealt to seat 0 stay unseen, and seat 1 may be advised."""
    pending = ChancePolicy(leave_pending=Empty())
    view = (await stub.CreateState(pb.CreateStateRequest(game="via_nebula", players=2, chance=pending))).state
    created = await stub.CreateState(pb.CreateStateRequest(game="via_nebula", players=2, chance=ChancePolicy(seed=9)))
    drawn = [event.chance.text for event in created.events if event.HasField("chance")]
    assert [text.split()[0] for text in drawn] == ["special", *["token"] * 24, *["private"] * 4, *["open"] * 4]
    told = [*drawn[:25], "private unknown", "private unknown", *drawn[27:]]
    request = pb.ResolveChanceRequest(state=State(packed=view.packed), outcomes=[Choice(text=text) for text in told])
    response = await stub.ResolveChance(request)
    observed = await stub.ObserveState(pb.ObserveStateRequest(state=State(packed=created.state.packed), seat=1))
    assert response.state == observed.state
    assert list(response.state.via_nebula.seats[0].hand) == ["unknown", "unknown"]
    after = await stub.ApplyMove(
        pb.ApplyMoveRequest(state=State(packed=response.state.packed), move=Choice(text="end_turn"), chance=pending)
    )
    asked = await stub.GetMove(
        pb.GetMoveRequest(state=State(packed=after.state.packed), limits=SearchLimits(simulations=10), seed=1)
    )
    assert (asked.analysis.seat, asked.analysis.simulations) == (1, 10)


# States that break an invariant: what spoils them, and the field and the words that the answer names.


def middle() -> via_nebula_pb2.ViaNebulaState:
    """A state of a game of three, to be spoilt: seat 1 has a craftsman out and a site with resources."""
    generator = Generator(2)
    state = GAME.new(3, seed=2)
    while True:
        message = GAME.to_message(state)
        assert isinstance(message, via_nebula_pb2.ViaNebulaState)
        whose = {here.owner for here in message.exploitations.values() if here.HasField("owner")}
        site = message.seats[1].sites[0]
        if message.phase == via_nebula_pb2.VIA_NEBULA_PHASE_TURN and 1 in whose and site.hex and site.resources:
            return message
        state = state.apply(state.random_move(generator)).settle(generator)[0]


def resource_too_many(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.seats[1].storehouse["wood"] += 1
    return "reserve.wood", "in all places, but must be 18"


def craftsman_without_a_token(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    here = next(here for here in message.exploitations.values() if here.HasField("owner"))
    taken = message.seats[here.owner].taken
    for token in [token for token in taken if here.resource in token]:
        taken.remove(token)
        message.seats[(here.owner + 1) % 3].taken.append(token)
    return "exploitations.", "without a token taken"


def site_on_a_full_ruin(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    for seat in message.seats:
        seat.sites[0].hex = message.seats[1].sites[0].hex
    return "seats[2].sites[0].hex", "the ruin is full"


def tile_too_many(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    stacks = message.seats[2].stacks
    first = next(number for number, tiles in enumerate(stacks) if tiles)
    stacks[first] -= 1
    return "empty", "meadow tiles are laid"


def contract_in_two_places(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.seats[2].hand[0] = message.seats[0].hand[0]
    return "seats[2].hand", "is also in another place"


def contracts_too_many(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.seats[2].hand.extend(["unknown"] * 200)
    return "seats[2].hand", "are more than a seat can have been dealt and have drawn"


def unknown_effect(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.turn.effect = via_nebula_pb2.ViaNebulaEffectKind.ValueType(77)
    return "turn.effect", "must be a value from 1 to 9 of its enum, not 77"


def effect_of_no_contract(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.phase = via_nebula_pb2.VIA_NEBULA_PHASE_EFFECT
    message.turn.MergeFrom(via_nebula_pb2.ViaNebulaTurn(acted=True, parts=1))
    message.turn.effect = via_nebula_pb2.VIA_NEBULA_EFFECT_KIND_RECALL
    message.turn.action_points, message.idle = 1, 0
    return "turn.effect", "has done no contract"


def unknown_phase(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.phase = via_nebula_pb2.ViaNebulaPhase.ValueType(77)
    return "phase", "must be a value from 1 to 6 of its enum, not 77"


def another_map(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.map = "expert"
    return "tokens", "is no meadow of the map itself"


def seat_that_is_not_there(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.seat = 3
    return "seat", "from 0 to 2, not 3"


def unknown_field_deep_inside(message: via_nebula_pb2.ViaNebulaState) -> tuple[str, str]:
    message.seats[1].MergeFromString(b"\x78\x01")
    return "seats[1].15", "is not a field that is known here"


@pytest.mark.parametrize(
    "spoil",
    [
        resource_too_many,
        craftsman_without_a_token,
        site_on_a_full_ruin,
        tile_too_many,
        contract_in_two_places,
        contracts_too_many,
        unknown_effect,
        effect_of_no_contract,
        unknown_phase,
        another_map,
        seat_that_is_not_there,
        unknown_field_deep_inside,
    ],
)
async def test_broken_states(stub: Stub, spoil: Spoil) -> None:
    message = middle()
    assert (await stub.ListMoves(pb.ListMovesRequest(state=State(via_nebula=message)))).moves
    field, words = spoil(message)
    state = State(via_nebula=message)
    for refused in (
        await refusal(stub.ListMoves(pb.ListMovesRequest(state=state))),
        await refusal(stub.GetMove(pb.GetMoveRequest(state=state))),
        await refusal(stub.ObserveState(pb.ObserveStateRequest(state=state, seat=0))),
        await refusal(stub.ApplyMove(pb.ApplyMoveRequest(state=state))),
        await refusal(stub.ResolveChance(pb.ResolveChanceRequest(state=state))),
    ):
        assert (refused.code, refused.reason) == (grpc.StatusCode.INVALID_ARGUMENT, "STATE_INVALID")
        ((named, why),) = refused.fields.items()
        assert named.startswith(f"state.via_nebula.{field}")
        assert words in why
