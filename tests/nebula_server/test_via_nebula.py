"""Via Nebula through the service: a whole game, and one with real pieces on a table."""

from google.protobuf.empty_pb2 import Empty

from nebula_ai.registry import load
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1 import via_nebula_pb2
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice, Outcome
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView
from tests.nebula_server.conftest import Stub, refusal

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


async def test_a_broken_state_names_the_field(stub: Stub) -> None:
    message = GAME.to_message(GAME.new(2, seed=1))
    assert isinstance(message, via_nebula_pb2.ViaNebulaState)
    message.seats[1].storehouse["wood"] = 3
    refused = await refusal(stub.ListMoves(pb.ListMovesRequest(state=State(via_nebula=message))))
    assert list(refused.fields) == ["state.via_nebula.reserve.wood"]
    assert "in all places, but must be 18" in refused.fields["state.via_nebula.reserve.wood"]
