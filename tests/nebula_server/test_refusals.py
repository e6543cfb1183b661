"""Bad input: each request is refused with a code, a stable reason and the field, and the server goes on."""

import logging
import re
from collections.abc import Awaitable, Callable
from typing import TypeAlias

import grpc
import pytest
from google.protobuf.any_pb2 import Any
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest

from nebula_ai.errors import MoveError
from nebula_ai.games.nebula.game import NebulaGame
from nebula_ai.registry import Catalogue
from nebula_ai.v1 import nebula_pb2
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_core.face import Generator
from nebula_core.face import State as CoreState
from nebula_server.errors import MAX_MESSAGE, to_status
from nebula_server.searches import QUEUE_PER_CORE
from tests.nebula_server.conftest import Service, Stub, refusal, running
from tests.waiting import until

Multicallable: TypeAlias = "grpc.aio.UnaryUnaryMultiCallable[bytes, bytes]"

NEBULA = NebulaGame.load(None)

INVALID = grpc.StatusCode.INVALID_ARGUMENT
IMPOSSIBLE = grpc.StatusCode.FAILED_PRECONDITION


def state_until(phase: str) -> CoreState:
    """The first state of a fixed random game that waits for this, with stars on the boards except in the setup."""
    generator = Generator(12)
    state = NEBULA.start(2)
    while True:
        readable = NEBULA.readable(state)
        stars = sum(star is not None for galaxy in readable.galaxy for star in galaxy)
        if readable.phase == phase and (stars > 8 or phase == "setup"):
            return state
        if state.chance_pending:
            state = state.resolve(state.chances()[generator.below(len(state.chances()))][0])
        else:
            state = state.apply(state.random_move(generator))


TURN = state_until("turn")
PACKED = State(packed=TURN.pack())


def readable() -> nebula_pb2.NebulaState:
    """A correct state, to be spoilt."""
    message = NEBULA.to_message(TURN)
    assert isinstance(message, nebula_pb2.NebulaState)
    return message


def star(message: nebula_pb2.NebulaState) -> tuple[int, int]:
    """Seat and space of a star."""
    return next(
        (seat, space)
        for seat, galaxy in enumerate(message.galaxy)
        for space, color in enumerate(galaxy.spaces)
        if color
    )


# States that break an invariant: what spoils them, the field that the answer names, and a word of the reason.


def piece_too_many(message: nebula_pb2.NebulaState) -> str:
    message.bag["red"] += 1
    return "bag.red"


def piece_of_no_kind(message: nebula_pb2.NebulaState) -> str:
    message.removed["purple"] = 1
    return "removed"


def linked_stars_of_one_color(message: nebula_pb2.NebulaState) -> str:
    seat, space = star(message)
    core = NEBULA.content.core
    neighbour = next(low + high - space for low, high, _ in core.links if space in (low, high))
    color = message.galaxy[seat].spaces[space]
    other = message.galaxy[seat].spaces[neighbour]
    message.galaxy[seat].spaces[neighbour] = color
    message.bag[color] -= 1
    if other:
        message.bag[other] += 1
    return f"galaxy[{seat}]"


def star_with_no_link(message: nebula_pb2.NebulaState) -> str:
    seat, _ = star(message)
    galaxy = message.galaxy[seat].spaces
    core = NEBULA.content.core
    lonely = next(
        space
        for space in range(32)
        if not galaxy[space]
        and not any(galaxy[low + high - space] for low, high, _ in core.links if space in (low, high))
    )
    color = next(color for color in NEBULA.content.colors if message.bag[color])
    galaxy[lonely] = color
    message.bag[color] -= 1
    return f"galaxy[{seat}]"


def marker_off_its_scale(message: nebula_pb2.NebulaState) -> str:
    message.values.constellation["Lyra"] = 4
    return "values.constellation.Lyra"


def card_twice(message: nebula_pb2.NebulaState) -> str:
    message.personal[1].kept = message.personal[0].kept
    return "personal[1]"


def unknown_phase(message: nebula_pb2.NebulaState) -> str:
    message.phase = nebula_pb2.NebulaPhase.ValueType(77)
    return "phase"


def too_many_players(message: nebula_pb2.NebulaState) -> str:
    message.players = 5
    return "players"


def seat_that_is_not_there(message: nebula_pb2.NebulaState) -> str:
    message.seat = 2
    return "seat"


def seat_that_is_not_there_to_choose(message: nebula_pb2.NebulaState) -> str:
    message.phase = nebula_pb2.NEBULA_PHASE_CHOOSE
    message.seat = 9
    return "seat"


def unknown_edition(message: nebula_pb2.NebulaState) -> str:
    message.edition = "standart"
    return "edition"


def unknown_field_deep_inside(message: nebula_pb2.NebulaState) -> str:
    message.galaxy[1].MergeFromString(b"\x78\x01")
    return "galaxy[1].15"


@pytest.mark.parametrize(
    "spoil",
    [
        piece_too_many,
        piece_of_no_kind,
        linked_stars_of_one_color,
        star_with_no_link,
        marker_off_its_scale,
        card_twice,
        unknown_phase,
        too_many_players,
        seat_that_is_not_there,
        seat_that_is_not_there_to_choose,
        unknown_edition,
        unknown_field_deep_inside,
    ],
)
async def test_broken_states(stub: Stub, spoil: Callable[[nebula_pb2.NebulaState], str]) -> None:
    message = readable()
    field = f"state.nebula.{spoil(message)}"
    state = State(nebula=message)
    refused = [
        await refusal(stub.ListMoves(pb.ListMovesRequest(state=state))),
        await refusal(stub.GetMove(pb.GetMoveRequest(state=state))),
        await refusal(stub.ObserveState(pb.ObserveStateRequest(state=state, seat=0))),
        await refusal(stub.ApplyMove(pb.ApplyMoveRequest(state=state))),
        await refusal(stub.ResolveChance(pb.ResolveChanceRequest(state=state))),
    ]
    for answer in refused:
        assert (answer.code, answer.reason, answer.domain) == (INVALID, "STATE_INVALID", "nebula_ai")
        ((named, why),) = answer.fields.items()
        assert named.startswith(field)
        assert why
        assert answer.metadata == {"field": named}
    assert (await stub.ListMoves(pb.ListMovesRequest(state=PACKED))).moves


def with_many(count: int, of: str) -> nebula_pb2.NebulaState:
    """A correct state, but for a list that is far too long."""
    message = readable()
    match of:
        case "markers[0].seats":
            message.markers[0].seats.extend([0] * count)
        case "turn.placed":
            message.turn.placed.extend(["red"] * count)
        case "holes" | "figures":
            getattr(message, of).extend([0] * count)
        case "galaxy[1].spaces":
            message.galaxy[1].spaces.extend([""] * count)
        case "personal[0].returned":
            message.personal[0].returned.extend(["S01"] * count)
        case "values.advanced":
            for _ in range(count):
                message.values.advanced.add(card="A01")
        case _:
            for _ in range(count):
                getattr(message, of).add()
    return message


@pytest.mark.parametrize(
    ("count", "field"),
    [
        (200_000, "markers[0].seats"),
        (40_000, "turn.placed"),
        (200_000, "holes"),
        (200_000, "figures"),
        (100_000, "galaxy[1].spaces"),
        (40_000, "personal[0].returned"),
        (100_000, "clusters"),
        (100_000, "observatory"),
        (100_000, "galaxy"),
        (80_000, "personal"),
        (80_000, "markers"),
        (30_000, "values.advanced"),
        (200, "markers"),
        (200, "values.advanced"),
        (200, "clusters"),
    ],
)
async def test_a_list_that_is_far_too_long(stub: Stub, count: int, field: str) -> None:
    state = State(nebula=with_many(count, field))
    refused = await refusal(stub.GetMove(pb.GetMoveRequest(state=state, seed=1)))
    assert (refused.code, refused.reason) == (INVALID, "STATE_INVALID")
    ((named, why),) = refused.fields.items()
    assert named == f"state.nebula.{field}"
    assert re.fullmatch(r"must have (at most )?\d+ elements, not \d+", why)


async def test_unknown_fields_of_a_state_that_are_many(stub: Stub) -> None:
    message = readable()
    message.galaxy[1].MergeFromString(b"\x78\x01" * 120_000)
    refused = await refusal(stub.ListMoves(pb.ListMovesRequest(state=State(nebula=message))))
    assert (refused.reason, refused.fields) == (
        "STATE_INVALID",
        {"state": "has more than 4,096 bytes of fields that are not known here"},
    )


def test_no_refusal_is_longer_than_headers_may_be() -> None:
    """Whatever an error says, in letters that take three bytes each: gRPC takes headers of 8 KiB, in base 64."""
    status = to_status(MoveError("move.text", "あ" * 100_000))
    (violation,) = [field for detail in status.details for field in violations(detail)]
    assert violation.description == "あ" * (MAX_MESSAGE - 1) + "…"
    assert status.message == "move.text: " + violation.description[: MAX_MESSAGE - 12] + "…"
    percent_encoded = 3 * len(status.message.encode())
    assert percent_encoded + status.ByteSize() * 4 // 3 < 8192


def violations(detail: Any) -> list[BadRequest.FieldViolation]:
    """The wrong fields that a detail of a status names."""
    request = BadRequest()
    return list(request.field_violations) if detail.Unpack(request) else []


@pytest.mark.parametrize(
    ("state", "field"),
    [
        (State(), "state"),
        (State(packed=b""), "state.packed"),
        (State(packed=TURN.pack()[:-1]), "state.packed"),
        (State(packed=TURN.pack() + b"\0"), "state.packed"),
        (State(packed=bytes([TURN.pack()[0] ^ 1]) + TURN.pack()[1:]), "state.packed"),
        (State(packed=TURN.pack()[:60] + bytes([TURN.pack()[60] ^ 4]) + TURN.pack()[61:]), "state.packed"),
        (State(packed=b"\xff" * 200_000), "state.packed"),
        (State(text=""), "state.text"),
        (State(text="nebula"), "state.text"),
        (State(text="nebula2:" + NEBULA.to_text(TURN).partition(":")[2]), "state.text"),
        (State(text=NEBULA.to_text(TURN)[:-5]), "state.text"),
        (State(text="nebula1:" + "A" * 200_000), "state.text"),
        (State(nebula=nebula_pb2.NebulaState()), "state.nebula.players"),
        (State.FromString(b"\x78\x01"), "state.15"),
    ],
)
async def test_undecodable_states(stub: Stub, state: State, field: str) -> None:
    refused = await refusal(stub.GetMove(pb.GetMoveRequest(state=state)))
    assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, "STATE_INVALID", [field])
    assert len(refused.message) < 500
    assert (await stub.ListMoves(pb.ListMovesRequest(state=PACKED))).moves


@pytest.mark.parametrize(
    ("move", "field"),
    [
        (Choice(), "move"),
        (Choice(text=""), "move.text"),
        (Choice(text="jump 3"), "move.text"),
        (Choice(text="invest 1 1 1"), "move.text"),
        (Choice(text="invest 9 9 9"), "move.text"),
        (Choice(text="place red 3"), "move.text"),
        (Choice(text="place red " + "3" * 100_000), "move.text"),
        (Choice(text="piece red"), "move.text"),
        (Choice(text="invest 5 0 0\0"), "move.text"),
        (Choice(number=0), "move.number"),
        (Choice(number=2**32 - 1), "move.number"),
    ],
)
async def test_illegal_moves(stub: Stub, move: Choice, field: str) -> None:
    refused = await refusal(stub.ApplyMove(pb.ApplyMoveRequest(state=PACKED, move=move)))
    assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, "MOVE_INVALID", [field])
    assert len(refused.message) < 500


@pytest.mark.parametrize(
    ("outcome", "field"),
    [
        (Choice(), "outcomes[1]"),
        (Choice(text="piece purple"), "outcomes[1].text"),
        (Choice(text="public T01"), "outcomes[1].text"),
        (Choice(text="personal unknown"), "outcomes[1].text"),
        (Choice(text="stop"), "outcomes[1].text"),
        (Choice(number=12345), "outcomes[1].number"),
    ],
)
async def test_impossible_outcomes(stub: Stub, outcome: Choice, field: str) -> None:
    state = State(packed=state_until("setup").pack())
    outcomes = [Choice(text="piece red"), outcome]
    refused = await refusal(stub.ResolveChance(pb.ResolveChanceRequest(state=state, outcomes=outcomes)))
    assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, "CHANCE_INVALID", [field])


async def test_an_outcome_too_many(stub: Stub) -> None:
    last = state_until("refill")
    while (then := last.resolve(last.chances()[0][0])).chance_pending:
        last = then
    outcomes = [Choice(number=last.chances()[0][0])] * 2
    refused = await refusal(
        stub.ResolveChance(pb.ResolveChanceRequest(state=State(packed=last.pack()), outcomes=outcomes))
    )
    assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, "CHANCE_INVALID", ["outcomes[1]"])


@pytest.mark.parametrize("number", [0, 65])
async def test_number_of_outcomes(stub: Stub, number: int) -> None:
    outcomes = [Choice(text="piece red")] * number
    state = State(packed=state_until("setup").pack())
    refused = await refusal(stub.ResolveChance(pb.ResolveChanceRequest(state=state, outcomes=outcomes)))
    assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, "ARGUMENT_INVALID", ["outcomes"])


@pytest.mark.parametrize(
    ("limits", "field"),
    [
        (SearchLimits(), "limits"),
        (SearchLimits(time=Duration()), "limits.time"),
        (SearchLimits(time=Duration(seconds=-1)), "limits.time"),
        (SearchLimits(time=Duration(nanos=-1)), "limits.time"),
        (SearchLimits(time=Duration(seconds=1, nanos=-5)), "limits.time"),
        (SearchLimits(time=Duration(nanos=2_000_000_000)), "limits.time"),
        (SearchLimits(time=Duration(seconds=365 * 24 * 3600)), "limits.time"),
        (SearchLimits(time=Duration(seconds=2**63 - 1)), "limits.time"),
        (SearchLimits(simulations=0), "limits.simulations"),
        (SearchLimits(simulations=-1), "limits.simulations"),
        (SearchLimits(simulations=2**63 - 1), "limits.simulations"),
        (SearchLimits(nodes=0), "limits.nodes"),
        (SearchLimits(nodes=-5), "limits.nodes"),
        (SearchLimits(nodes=2**40), "limits.nodes"),
        (SearchLimits(simulations=10, nodes=0), "limits.nodes"),
    ],
)
async def test_absurd_limits(stub: Stub, limits: SearchLimits, field: str) -> None:
    refused = await refusal(stub.GetMove(pb.GetMoveRequest(state=PACKED, limits=limits)))
    assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, "LIMIT_INVALID", [field])


@pytest.mark.parametrize("workers", [0, -1, 3, 2**31 - 1])
async def test_absurd_workers(stub: Stub, workers: int) -> None:
    refused = await refusal(stub.GetMove(pb.GetMoveRequest(state=PACKED, workers=workers)))
    assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, "LIMIT_INVALID", ["workers"])


async def test_no_refusal_tells_how_many_cores_there_are(catalogue: Catalogue) -> None:
    """The same words whatever the service has: for more workers than cores, and when all of them search."""

    async def refusals(cores: int) -> list[str]:
        async with running(catalogue, cores) as service:
            stub, searches = service.stub, service.server.searches
            wrong = [
                pb.GetMoveRequest(state=PACKED, workers=64),
                pb.GetMoveRequest(state=PACKED, workers=0),
                pb.GetMoveRequest(state=PACKED, worker_simulations=[1] * 64),
            ]
            messages = [(await refusal(stub.GetMove(request))).message for request in wrong]
            endless = pb.GetMoveRequest(state=PACKED, limits=SearchLimits(time=Duration(seconds=600)), workers=cores)
            calls = [stub.GetMove(endless) for _ in range(1 + QUEUE_PER_CORE * cores)]
            await until(lambda: searches.running + searches.waiting == cores + len(calls) - 1)
            messages.append((await refusal(stub.GetMove(endless))).message)
            for call in calls:
                call.cancel()
        return messages

    assert await refusals(1) == await refusals(3)


async def test_absurd_arguments(stub: Stub) -> None:
    calls: list[tuple[Awaitable[object], str, str]] = [
        (stub.GetMove(pb.GetMoveRequest(state=PACKED, bot="deep blue")), "ARGUMENT_INVALID", "bot"),
        (stub.GetMove(pb.GetMoveRequest(state=PACKED, bot="x" * 100_000)), "ARGUMENT_INVALID", "bot"),
        # Limits go into their own field.
        (stub.GetMove(pb.GetMoveRequest(state=PACKED, bot="plain:time=1")), "ARGUMENT_INVALID", "bot"),
        (stub.ObserveState(pb.ObserveStateRequest(state=PACKED)), "ARGUMENT_INVALID", "seat"),
        (stub.ObserveState(pb.ObserveStateRequest(state=PACKED, seat=2)), "ARGUMENT_INVALID", "seat"),
        (stub.ObserveState(pb.ObserveStateRequest(state=PACKED, seat=-1)), "ARGUMENT_INVALID", "seat"),
        (stub.CreateState(pb.CreateStateRequest(players=2)), "ARGUMENT_INVALID", "game"),
        (stub.CreateState(pb.CreateStateRequest(game="chess", players=2)), "ARGUMENT_INVALID", "game"),
        (stub.CreateState(pb.CreateStateRequest(game="nebula", edition="x", players=2)), "ARGUMENT_INVALID", "edition"),
        (stub.CreateState(pb.CreateStateRequest(game="nebula")), "STATE_INVALID", "players"),
        (stub.CreateState(pb.CreateStateRequest(game="nebula", players=5)), "STATE_INVALID", "players"),
        (stub.CreateState(pb.CreateStateRequest(game="nebula", players=-(2**31))), "STATE_INVALID", "players"),
        (stub.CreateState(pb.CreateStateRequest(game="nebula", players=2, variant="X")), "STATE_INVALID", "variant"),
        (
            stub.CreateState(pb.CreateStateRequest(game="nebula", players=2, chance=ChancePolicy())),
            "ARGUMENT_INVALID",
            "chance",
        ),
    ]
    for call, reason, field in calls:
        refused = await refusal(call)
        assert (refused.code, refused.reason, list(refused.fields)) == (INVALID, reason, [field])
        assert len(refused.message) < 500


async def test_a_new_game_without_players(stub: Stub) -> None:
    refused = await refusal(stub.CreateState(pb.CreateStateRequest(game="nebula")))
    assert refused.fields == {"players": "is missing"}


@pytest.mark.parametrize(
    ("request_", "field"),
    [
        (pb.GetGameRequest(), "game"),
        (pb.GetGameRequest(game="chess"), "game"),
        (pb.GetGameRequest(game="nebula", edition="mine"), "edition"),
        (pb.ListBotsRequest(), "game"),
        (pb.ListBotsRequest(game="chess"), "game"),
        (pb.ListBotsRequest(game="nebula", edition="mine"), "edition"),
    ],
)
async def test_what_is_not_there(stub: Stub, request_: pb.GetGameRequest | pb.ListBotsRequest, field: str) -> None:
    refused = await refusal(
        stub.GetGame(request_) if isinstance(request_, pb.GetGameRequest) else stub.ListBots(request_)
    )
    assert (refused.code, refused.reason) == (grpc.StatusCode.NOT_FOUND, "NOT_FOUND")
    assert list(refused.fields) == [field]


async def test_a_finished_game(stub: Stub) -> None:
    state = state_until("finished")
    points, _ = state.outcome()
    winners = NEBULA.winners(state)
    finished = State(packed=state.pack())
    move = Choice(text="stop")
    calls: list[Awaitable[object]] = [
        stub.ListMoves(pb.ListMovesRequest(state=finished)),
        stub.ApplyMove(pb.ApplyMoveRequest(state=finished, move=move)),
        stub.ResolveChance(pb.ResolveChanceRequest(state=finished, outcomes=[Choice(text="piece red")])),
        stub.GetMove(pb.GetMoveRequest(state=finished)),
    ]
    for call in calls:
        refused = await refusal(call)
        assert (refused.code, refused.reason) == (IMPOSSIBLE, "GAME_FINISHED")
        assert refused.metadata == {"points": ",".join(map(str, points)), "winners": ",".join(map(str, winners))}
        assert all(str(number) in refused.message for number in points)
    observed = State(packed=state.observe(0).pack())
    refused = await refusal(stub.GetMove(pb.GetMoveRequest(state=observed)))
    assert (refused.code, refused.reason) == (IMPOSSIBLE, "GAME_FINISHED")
    assert refused.metadata == {"points": "", "winners": ""}
    view = (await stub.ObserveState(pb.ObserveStateRequest(state=finished, seat=0))).state
    assert ([score.seat for score in view.outcome.scores], list(view.outcome.winners)) == ([0], [])


async def test_the_wrong_moment(stub: Stub) -> None:
    pending = State(packed=state_until("setup").pack())
    calls: list[Awaitable[object]] = [
        stub.ListMoves(pb.ListMovesRequest(state=pending)),
        stub.ApplyMove(pb.ApplyMoveRequest(state=pending, move=Choice(text="stop"))),
        stub.GetMove(pb.GetMoveRequest(state=pending)),
    ]
    for call in calls:
        refused = await refusal(call)
        assert (refused.code, refused.reason) == (IMPOSSIBLE, "CHANCE_PENDING")
    refused = await refusal(
        stub.ResolveChance(pb.ResolveChanceRequest(state=PACKED, outcomes=[Choice(text="piece red")]))
    )
    assert (refused.code, refused.reason) == (IMPOSSIBLE, "NO_CHANCE_PENDING")


async def test_a_message_that_is_too_large(stub: Stub) -> None:
    call = stub.ListMoves(pb.ListMovesRequest(state=State(packed=b"x" * 1_000_000)))
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    assert refused.value.code() == grpc.StatusCode.RESOURCE_EXHAUSTED
    assert (await stub.ListMoves(pb.ListMovesRequest(state=PACKED))).moves


async def test_bytes_that_are_no_message(service: Service, caplog: pytest.LogCaptureFixture) -> None:
    for method in ("ListMoves", "GetMove"):
        call: Multicallable = service.channel.unary_unary(f"/nebula_ai.v1.OpponentService/{method}")
        for content in (b"\xff\xff\xff", b"\x0a\x05\x12\x03\xff\xff\xff"):  # no field; a text that is not UTF-8
            refused = await refusal(call(content))
            assert (refused.code, refused.reason, refused.domain) == (INVALID, "ARGUMENT_INVALID", "nebula_ai")
            assert list(refused.fields) == ["request"]
    assert caplog.text == ""
    assert (await service.stub.ListMoves(pb.ListMovesRequest(state=PACKED))).moves


async def test_a_fault_of_ours_tells_nothing(
    service: Service, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_arguments: object) -> None:
        raise OSError("no space left on /var/secret")

    monkeypatch.setattr("nebula_server.answers.games", fail)
    with caplog.at_level(logging.ERROR):
        refused = await refusal(service.stub.ListGames(pb.ListGamesRequest()))
    assert (refused.code, refused.reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert "secret" not in refused.message
    assert "secret" in caplog.text
    monkeypatch.undo()
    assert (await service.stub.ListGames(pb.ListGamesRequest())).games
