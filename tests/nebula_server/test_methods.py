"""Every method, and a whole game played through them."""

import dataclasses

import pytest
from google.protobuf.duration_pb2 import Duration
from google.protobuf.empty_pb2 import Empty

from nebula_ai.bots import FLAT, PLAIN, SearchBot, bots_of
from nebula_ai.calibration import Calibration, Strength
from nebula_ai.game import Game
from nebula_ai.reasons import reason
from nebula_ai.registry import Catalogue, load
from nebula_ai.search import Limits, parameters_hash, search
from nebula_ai.v1 import nebula_pb2, search_pb2
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice, Event
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView
from nebula_core.face import State as CoreState
from nebula_core.search.tree import Parameters
from nebula_server import answers
from tests.nebula_server.conftest import Stub, refusal

NEBULA = load()


def packed(state: CoreState) -> State:
    """A state as requests send it."""
    return State(packed=state.pack())


def sent_back(view: StateView) -> State:
    """An answer's state as the next request sends it."""
    return State(packed=view.packed)


def chances(events: list[Event]) -> list[str]:
    """The chance events among events."""
    return [event.chance.text for event in events if event.HasField("chance")]


async def test_list_games(stub: Stub) -> None:
    game, other = (await stub.ListGames(pb.ListGamesRequest())).games
    assert (game.game, game.display_name) == ("nebula", "Nebula")
    assert (other.game, other.display_name) == ("via_nebula", "Via Nebula")
    assert [edition.edition for edition in other.editions] == ["standard"]
    assert [edition.edition for edition in game.editions] == ["standard", "house"]
    standard = game.editions[0]
    assert (list(standard.variants), standard.min_players, standard.max_players) == (["full", "basic"], 2, 4)
    assert standard.edition_hash == NEBULA.rules.edition_hash.hex()


async def test_get_game(stub: Stub) -> None:
    standard = await stub.GetGame(pb.GetGameRequest(game="nebula"))
    assert standard.nebula == NEBULA.edition_message()
    house = await stub.GetGame(pb.GetGameRequest(game="nebula", edition="house"))
    assert [edition.edition for edition in house.game.editions] == ["house"]
    assert (standard.nebula.steps, house.nebula.steps) == (5, 3)


@pytest.mark.parametrize("game", [NEBULA, load("via_nebula")], ids=["nebula", "via_nebula"])
async def test_list_bots(stub: Stub, game: Game) -> None:
    response = await stub.ListBots(pb.ListBotsRequest(game=game.name))
    bots = bots_of(game)
    assert [(bot.bot, bot.description) for bot in response.bots] == [
        (bot.name, bot.description) for bot in bots.values()
    ]
    for message in response.bots:
        bot = bots[message.bot]
        assert message.HasField("limits") == isinstance(bot, SearchBot)
        if isinstance(bot, SearchBot):
            assert message.limits == SearchLimits(simulations=bot.limits.simulations)
    if game is NEBULA:
        assert await stub.ListBots(pb.ListBotsRequest(game="nebula", edition="house")) == response


def test_a_bots_rating() -> None:
    calibration = Calibration("1.2.3", "0" * 16, 50, {"plain": Strength(410.4, 379.6, 441.2, 1300, 12.5, "0" * 12)})
    timed = dataclasses.replace(PLAIN, limits=Limits(time=1.5, nodes=7))
    message = answers.bot(timed, calibration)
    assert message.limits == SearchLimits(time=Duration(seconds=1, nanos=500_000_000), nodes=7)
    rating = message.rating
    assert (rating.value, rating.low, rating.high, rating.games) == (410.4, 379.6, 441.2, 1300)
    assert (rating.engine_version, rating.time) == ("1.2.3", Duration(nanos=12_500_000))
    assert not answers.bot(FLAT, calibration).HasField("rating")


@pytest.mark.parametrize("variant", ["full", "basic"])
async def test_create_state_from_a_seed(stub: Stub, variant: str) -> None:
    request = pb.CreateStateRequest(game="nebula", players=3, variant=variant, chance=ChancePolicy(seed=7))
    response = await stub.CreateState(request)
    state = NEBULA.new(3, variant, seed=7)
    assert response.state.packed == state.pack()
    assert response.state.text == NEBULA.to_text(state)
    assert response.state.nebula == NEBULA.to_message(state)
    assert (response.state.status, response.state.seat) == (StateView.STATUS_DECISION, 0)
    assert (response.state.game, response.state.edition, response.state.variant) == ("nebula", "standard", variant)
    assert response.chance_seed == 7
    assert len(chances(list(response.events))) == len(response.events) - 1
    assert response.events[-1].seat_change.seat == 0


async def test_create_state_draws_a_seed_and_tells_it(stub: Stub) -> None:
    first, second = [await stub.CreateState(pb.CreateStateRequest(game="nebula", players=2)) for _ in range(2)]
    assert first.chance_seed != second.chance_seed
    for response in (first, second):
        assert response.state.packed == NEBULA.new(2, seed=response.chance_seed).pack()


async def test_create_state_leaves_chance_pending(stub: Stub) -> None:
    request = pb.CreateStateRequest(game="nebula", players=2, chance=ChancePolicy(leave_pending=Empty()))
    response = await stub.CreateState(request)
    assert (response.state.status, len(response.events)) == (StateView.STATUS_CHANCE, 0)
    assert not response.HasField("chance_seed")
    outcomes = {outcome.outcome.text: outcome.probability for outcome in response.state.possible_outcomes}
    assert response.state.chance_target == "cluster 0, space 0"
    assert outcomes["piece red"] == pytest.approx(21 / 138)
    assert sum(outcomes.values()) == pytest.approx(1)


async def test_observe_state(stub: Stub) -> None:
    state = NEBULA.new(4, seed=1)
    response = await stub.ObserveState(pb.ObserveStateRequest(state=packed(state), seat=2))
    assert response.state.packed == state.observe(2).pack()
    hidden = [list(tasks.dealt) == ["unknown", "unknown"] for tasks in response.state.nebula.personal]
    assert hidden == [True, True, False, True]


async def test_list_moves(stub: Stub) -> None:
    first = NEBULA.new(2, seed=1)
    for state in (first, first.apply(first.legal_moves()[0])):
        response = await stub.ListMoves(pb.ListMovesRequest(state=packed(state)))
        assert response.seat == state.seat
        assert [move.number for move in response.moves] == state.legal_moves()
        assert [move.text for move in response.moves] == [NEBULA.format_move(state, m) for m in state.legal_moves()]
        assert [move.nebula for move in response.moves] == [NEBULA.move_message(state, m) for m in state.legal_moves()]


async def test_every_form_of_a_state_is_the_same(stub: Stub, catalogue: Catalogue) -> None:
    for edition in ("standard", "house"):
        game = catalogue.get("nebula", edition)
        message = game.to_message(game.new(2, seed=3).observe(0))
        assert isinstance(message, nebula_pb2.NebulaState)
        state = game.from_message(message)
        answers = [
            await stub.ListMoves(pb.ListMovesRequest(state=form))
            for form in (State(packed=state.pack()), State(text=game.to_text(state)), State(nebula=message))
        ]
        assert answers[0] == answers[1] == answers[2]


async def test_apply_move_by_text_and_by_number(stub: Stub) -> None:
    state = NEBULA.new(2, seed=1)
    move = state.legal_moves()[1]
    for choice in (Choice(number=move), Choice(text=NEBULA.format_move(state, move))):
        request = pb.ApplyMoveRequest(state=packed(state), move=choice, chance=ChancePolicy(seed=1))
        response = await stub.ApplyMove(request)
        assert response.move.number == move
        assert response.state.packed == state.apply(move).pack()
        assert [event.seat_change.seat for event in response.events] == [1]


async def test_one_seed_serves_a_whole_game(stub: Stub) -> None:
    """The same seed with each move draws what depends on the state as well; equal requests get equal answers."""
    view = (await stub.CreateState(pb.CreateStateRequest(game="nebula", players=2, chance=ChancePolicy(seed=5)))).state
    draws: list[tuple[str, ...]] = []
    while len(draws) < 8:
        moves = (await stub.ListMoves(pb.ListMovesRequest(state=sent_back(view)))).moves
        request = pb.ApplyMoveRequest(
            state=sent_back(view), move=Choice(number=moves[-1].number), chance=ChancePolicy(seed=5)
        )
        response, again = await stub.ApplyMove(request), await stub.ApplyMove(request)
        assert response == again
        assert response.chance_seed == 5
        draws += [tuple(drawn)] if (drawn := chances(list(response.events))) else []
        view = response.state
    assert len(set(draws)) > len(draws) // 2


async def test_resolve_chance(stub: Stub) -> None:
    """Real pieces on a table: all that the setup draws is reported, by text or number, some cards unseen."""
    request = pb.CreateStateRequest(
        game="nebula", players=2, variant="basic", chance=ChancePolicy(leave_pending=Empty())
    )
    view = (await stub.CreateState(request)).state
    seen = await stub.CreateState(
        pb.CreateStateRequest(game="nebula", players=2, variant="basic", chance=ChancePolicy(seed=9))
    )
    drawn = [event.chance for event in seen.events if event.HasField("chance")]
    outcomes = [Choice(number=drawn[0].number), *(Choice(text=chance.text) for chance in drawn[1:-2])]
    response = await stub.ResolveChance(pb.ResolveChanceRequest(state=sent_back(view), outcomes=outcomes))
    assert chances(list(response.events)) == [chance.text for chance in drawn[:-2]]
    assert [event.chance for event in response.events] == drawn[:-2]
    assert [chance.target for chance in drawn[-2:]] == [f"personal task {number} of 2 for seat 1" for number in (1, 2)]
    assert response.state.chance_target == drawn[-2].target
    assert response.state.status == StateView.STATUS_CHANCE
    unseen = [Choice(text="personal unknown")] * 2
    response = await stub.ResolveChance(pb.ResolveChanceRequest(state=sent_back(response.state), outcomes=unseen))
    assert response.events[-1].seat_change.seat == 0
    observed = await stub.ObserveState(pb.ObserveStateRequest(state=sent_back(seen.state), seat=0))
    assert response.state == observed.state
    move = await stub.GetMove(
        pb.GetMoveRequest(
            state=sent_back(response.state), limits=SearchLimits(simulations=10, stop_when_decided=False), seed=1
        )
    )
    assert move.analysis.simulations == 10


async def test_get_move_by_limits(stub: Stub) -> None:
    state = NEBULA.new(3, seed=4)
    for _ in range(3):
        state = state.apply(state.legal_moves()[0])
    request = pb.GetMoveRequest(state=packed(state), limits=SearchLimits(simulations=60), seed=11)
    response = await stub.GetMove(request)
    analysis = response.analysis
    assert response.move.number in state.legal_moves()
    assert response.move == analysis.moves[0].move
    assert {move.move.number for move in analysis.moves} == set(state.legal_moves())
    assert (analysis.seat, analysis.simulations, analysis.seed, analysis.workers) == (state.seat, 60, 11, 1)
    assert (analysis.stop_rule, analysis.bot) == (search_pb2.STOP_RULE_SIMULATIONS, "")
    strong = bots_of(NEBULA)["strong"]
    assert isinstance(strong, SearchBot)
    assert analysis.parameters_hash == parameters_hash(strong.parameters)
    assert sum(move.visits for move in analysis.moves) == 60
    assert analysis.engine_version
    assert not response.warnings
    for move in analysis.moves:
        assert len(move.evaluations) == (3 if move.visits else 0)
        assert not move.evaluations or sum(seat.win_share for seat in move.evaluations) == pytest.approx(1)
        assert move.line[:1] == [move.move.text]


async def test_get_move_is_deterministic(stub: Stub) -> None:
    state = NEBULA.new(2, seed=4)
    for workers in (1, 2):
        request = pb.GetMoveRequest(state=packed(state), limits=SearchLimits(simulations=100), seed=3, workers=workers)
        first, second = await stub.GetMove(request), await stub.GetMove(request)
        assert first.analysis.workers == workers
        for response in (first, second):
            response.analysis.ClearField("time")
        assert first == second


async def test_get_move_draws_a_seed_and_tells_it(stub: Stub) -> None:
    request = pb.GetMoveRequest(state=packed(NEBULA.new(2, seed=4)), limits=SearchLimits(simulations=5))
    seeds = {(await stub.GetMove(request)).analysis.seed for _ in range(3)}
    assert len(seeds) == 3
    request.seed = seeds.pop()
    assert (await stub.GetMove(request)).analysis.seed == request.seed


async def test_get_move_by_bot(stub: Stub) -> None:
    request = pb.GetMoveRequest(state=packed(NEBULA.new(2, seed=4)), bot="strong", seed=1)
    named = await stub.GetMove(request)
    request.bot = ""
    by_default = await stub.GetMove(request)
    for response in (named, by_default):
        assert response.analysis.bot == "strong"
        response.analysis.ClearField("time")
    assert named == by_default


@pytest.mark.parametrize("game", [NEBULA, load("via_nebula")], ids=["nebula", "via_nebula"])
async def test_every_bot_of_a_game_can_be_asked(stub: Stub, game: Game) -> None:
    state = game.new(3, seed=6)
    for name, bot in bots_of(game).items():
        response = await stub.GetMove(pb.GetMoveRequest(state=packed(state), bot=name, seed=8))
        decision = bot.move(state, seed=8)
        assert response.move.number == decision.move
        assert response.analysis.bot == name
        assert response.analysis.stop_rule == search_pb2.StopRule.Value(f"STOP_RULE_{decision.result.stopped.upper()}")
        assert [each.visits for each in response.analysis.moves] == [each.visits for each in decision.result.moves]
        assert response.analysis.estimated == decision.result.estimated
        assert response.reason == reason(game, state, decision)
        assert response.HasField("runner_up") == (decision.runner_up is not None)
        assert response.runner_up.number == (decision.runner_up or 0)


def test_an_analysis_says_whether_playouts_were_cut_off() -> None:
    state = NEBULA.new(2, seed=4)
    for parameters in (Parameters(), Parameters(playout_turns=2)):
        result = search(state, Limits(simulations=5), parameters=parameters)
        analysis = answers.analysis(NEBULA, state, result, PLAIN, result.move, full=True)
        assert analysis.estimated == (parameters != Parameters())


async def test_get_move_of_a_single_legal_move(stub: Stub) -> None:
    state = NEBULA.new(2, seed=4)
    while state.chance_pending or len(state.legal_moves()) > 1:
        state = state.resolve(state.chances()[0][0]) if state.chance_pending else state.apply(state.legal_moves()[-1])
    request = pb.GetMoveRequest(state=packed(state), limits=SearchLimits(simulations=5), seed=1)
    response = await stub.GetMove(request)
    assert [response.move.number] == state.legal_moves()
    assert response.analysis.stop_rule == search_pb2.STOP_RULE_FORCED


async def test_hidden_cards_do_not_matter(stub: Stub) -> None:
    """What a seat is told to do depends on nothing that it cannot see."""
    state = NEBULA.new(3, seed=6)
    for _ in range(3):
        state = state.apply(state.legal_moves()[0])
    seat = state.seat
    assert seat is not None
    message = NEBULA.to_message(state)
    assert isinstance(message, nebula_pb2.NebulaState)
    other = nebula_pb2.NebulaState()
    other.CopyFrom(message)
    theirs, last = other.personal[(seat + 1) % 3], other.personal[(seat + 2) % 3]
    theirs.kept, last.kept = last.kept, theirs.kept
    assert NEBULA.from_message(other) != state
    forms = [State(nebula=message), State(nebula=other), packed(state.observe(seat))]
    answers = []
    for form in forms:
        request = pb.GetMoveRequest(state=form, limits=SearchLimits(simulations=200), seed=2)
        answers.append(await stub.GetMove(request))
        answers[-1].analysis.ClearField("time")
    assert answers[0] == answers[1] == answers[2]


async def test_unknown_and_unused_options_are_warned_of(stub: Stub) -> None:
    request = pb.GetMoveRequest(state=packed(NEBULA.new(2, seed=4)), bot="plain", seed=1)
    request.limits.simulations = 5
    # Field 9 of SearchLimits and field 100 of the request do not exist: each a number, 1.
    request.limits.MergeFromString(b"\x48\x01")
    request.MergeFromString(b"\xa0\x06\x01")
    response = await stub.GetMove(request)
    assert response.analysis.simulations != 5
    warned = sorted((warning.field, warning.reason) for warning in response.warnings)
    assert warned == [("100", "UNKNOWN_FIELD"), ("limits", "UNUSED_FIELD"), ("limits.9", "UNKNOWN_FIELD")]
    listed = await stub.ListGames(pb.ListGamesRequest.FromString(b"\x08\x01"))
    assert [warning.reason for warning in listed.warnings] == ["UNKNOWN_FIELD"]
    assert listed.games


async def test_unknown_options_that_are_many(stub: Stub) -> None:
    """As many as a request has room for, or each of another number: some are named, and the answer stays small."""
    other = b"".join((number << 3).to_bytes(1) + b"\x01" for number in range(10, 16))
    other += b"".join(bytes([number << 3 & 0x7F | 0x80, number >> 4, 1]) for number in range(16, 100))
    for content, fields in (
        (other, [*(str(number) for number in range(10, 26)), ""]),
        (b"\x78\x01" * 2000, ["15"]),
        (b"\x78\x01" * 131_000, [""]),
        (other * 900, [""]),
    ):
        answered = await stub.ListGames(pb.ListGamesRequest.FromString(content))
        assert answered.games
        assert [warning.field for warning in answered.warnings] == fields
        assert {warning.reason for warning in answered.warnings} == {"UNKNOWN_FIELD"}
        assert answered.ByteSize() < 4000


async def test_a_search_that_may_stop_when_decided(stub: Stub) -> None:
    state = packed(NEBULA.new(2, seed=4))
    done = {}
    for stop in (None, True, False):
        limits = SearchLimits(simulations=2000, stop_when_decided=stop)
        done[stop] = (await stub.GetMove(pb.GetMoveRequest(state=state, limits=limits, seed=5))).analysis.simulations
    assert done[None] == done[True] < done[False] == 2000
    refused = await refusal(stub.GetMove(pb.GetMoveRequest(state=state, limits=SearchLimits(stop_when_decided=False))))
    assert list(refused.fields) == ["limits"]


async def test_a_whole_game_of_four(stub: Stub) -> None:
    """GetMove for every seat, from the setup to the scores; the events tell what the state says in the end."""
    created = await stub.CreateState(pb.CreateStateRequest(game="nebula", players=4, chance=ChancePolicy(seed=8)))
    view, seat = created.state, created.state.seat
    markers = [0] * 4
    outcome = None
    for decision in range(5000):
        asked = await stub.GetMove(
            pb.GetMoveRequest(state=sent_back(view), limits=SearchLimits(simulations=6), seed=decision)
        )
        assert asked.analysis.seat == seat == view.seat
        applied = await stub.ApplyMove(
            pb.ApplyMoveRequest(
                state=sent_back(view), move=Choice(number=asked.move.number), chance=ChancePolicy(seed=8)
            )
        )
        view = applied.state
        for event in applied.events:
            if event.HasField("nebula"):
                markers[event.nebula.marker_placed.seat] += event.nebula.marker_placed.points
            if event.HasField("seat_change"):
                seat = event.seat_change.seat
            if event.HasField("outcome"):
                outcome = event.outcome
        if view.status == StateView.STATUS_FINISHED:
            break
    assert outcome is not None
    assert outcome == view.outcome
    assert [score.seat for score in outcome.scores] == [0, 1, 2, 3]
    assert [score.sources["public"] for score in outcome.scores] == markers
    assert all(sum(score.sources.values()) == score.total for score in outcome.scores)
    best = max(score.total for score in outcome.scores)
    assert {outcome.scores[winner].total for winner in outcome.winners} == {best}
    assert view.nebula.phase == nebula_pb2.NEBULA_PHASE_FINISHED
