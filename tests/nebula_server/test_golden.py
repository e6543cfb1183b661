"""Golden pairs: requests, and the answers that the service really gave to them, down to the last bit.

An answer that changes is a change of the wire contract, of the rules or of the search. Where it is meant, write the
pairs again with

    NEBULA_WRITE_GOLDEN=1 python -m pytest tests/nebula_server/test_golden.py

and look at the difference. The examples in docs/api.md are parts of these pairs, and compared with them here.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from google.rpc.code_pb2 import Code
from grpc import aio
from grpc_status import rpc_status

from nebula_ai.chance import settle
from nebula_ai.game import Game
from nebula_ai.games.nebula.game import NebulaGame
from nebula_ai.registry import load
from nebula_ai.v1 import nebula_pb2
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import ChancePolicy, Choice
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State
from nebula_core.face import State as CoreState
from tests.nebula_server.conftest import Stub

GOLDEN = Path(__file__).parent / "golden"
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "api.md"
WRITE = os.environ.get("NEBULA_WRITE_GOLDEN") == "1"

NEBULA = NebulaGame.load(None)
VIA_NEBULA = load("via_nebula")
SEED = ChancePolicy(seed=1)
PENDING = ChancePolicy(leave_pending=Empty())


def played(*moves: str) -> CoreState:
    """The state of a fixed game after these moves."""
    state = NEBULA.new(2, seed=2023)
    for move in moves:
        state, _ = settle(state.apply(NEBULA.parse_move(state, move)), 1)
    return state


def text(state: CoreState, game: Game = NEBULA) -> State:
    """A state as a person would send it."""
    return State(text=game.to_text(state))


def finished() -> CoreState:
    """The end of a game in which everybody makes the first legal move."""
    state = played()
    while not state.finished:
        state, _ = settle(state.apply(state.legal_moves()[0]), 1)
    return state


def first_build() -> CoreState:
    """A game of Via Nebula whose players do what comes last but the end of their turn, until one of them may build."""
    state = VIA_NEBULA.new(2, seed=2023)
    while not VIA_NEBULA.format_move(state, state.legal_moves()[-2]).startswith("build"):
        state, _ = settle(state.apply(state.legal_moves()[-2]), 1)
    return state


def with_one_star_more() -> State:
    """A state that somebody has spoilt."""
    message = NEBULA.to_message(NEW)
    assert isinstance(message, nebula_pb2.NebulaState)
    message.galaxy[1].spaces[9] = "red"
    return State(nebula=message)


NEW = played()
TAKING = played("choose S04", "choose S09", "invest 0 0 5")
PLACING = played("choose S04", "choose S09", "invest 0 0 5", "take 0")
UNSET = NEBULA.start(2)

REQUESTS: dict[str, Message] = {
    "list_games": pb.ListGamesRequest(),
    "get_game": pb.GetGameRequest(game="nebula"),
    "get_game_via_nebula": pb.GetGameRequest(game="via_nebula"),
    "get_game_unknown": pb.GetGameRequest(game="chess"),
    "list_bots": pb.ListBotsRequest(game="nebula"),
    "create_state": pb.CreateStateRequest(game="nebula", players=2, chance=ChancePolicy(seed=2023)),
    "create_state_via_nebula": pb.CreateStateRequest(
        game="via_nebula", players=4, variant="expert", chance=ChancePolicy(seed=2023)
    ),
    "create_state_pending": pb.CreateStateRequest(game="nebula", players=3, variant="basic", chance=PENDING),
    "observe_state": pb.ObserveStateRequest(state=text(NEW), seat=1),
    "list_moves": pb.ListMovesRequest(state=text(PLACING)),
    "list_moves_broken_state": pb.ListMovesRequest(state=with_one_star_more()),
    "apply_move": pb.ApplyMoveRequest(state=text(PLACING), move=Choice(text="place white 0"), chance=SEED),
    "apply_move_via_nebula": pb.ApplyMoveRequest(
        state=text(first_build(), VIA_NEBULA), move=Choice(text="build 0 P01"), chance=SEED
    ),
    "apply_move_pending": pb.ApplyMoveRequest(state=text(PLACING), move=Choice(text="stop"), chance=PENDING),
    "apply_move_illegal": pb.ApplyMoveRequest(state=text(PLACING), move=Choice(text="place red 0")),
    "resolve_chance": pb.ResolveChanceRequest(
        state=text(UNSET), outcomes=[Choice(text="piece red"), Choice(text="piece black_hole")]
    ),
    "get_move": pb.GetMoveRequest(state=text(TAKING), limits=SearchLimits(simulations=500), seed=1),
    "get_move_bot": pb.GetMoveRequest(state=text(NEW), bot="plain", limits=SearchLimits(nodes=5), seed=1, workers=2),
    "get_move_unsearched": pb.GetMoveRequest(state=text(TAKING), bot="greedy", seed=1),
    "get_move_again": pb.GetMoveRequest(
        state=text(TAKING), limits=SearchLimits(simulations=500), seed=1, worker_simulations=[297], view=pb.VIEW_BASIC
    ),
    "get_move_avoided": pb.GetMoveRequest(
        state=text(TAKING),
        limits=SearchLimits(simulations=100),
        seed=1,
        moves_avoided=[Choice(text="take 0 2"), Choice(text="take 0 1 2")],
        view=pb.VIEW_BASIC,
    ),
    "get_move_all_avoided": pb.GetMoveRequest(
        state=text(TAKING), moves_allowed=[Choice(text="take 0")], moves_avoided=[Choice(text="take 0")]
    ),
    "get_move_finished": pb.GetMoveRequest(state=text(finished())),
    "analyze_state": pb.AnalyzeStateRequest(
        state=text(TAKING), limits=SearchLimits(simulations=500), seed=1, view=pb.VIEW_BASIC
    ),
}


async def exchange(stub: Stub, request: Message) -> dict[str, Any]:
    """A request and its answer as JSON, without what is another each time."""
    method = request.DESCRIPTOR.name.removesuffix("Request")
    pair = {"method": method, "request": as_json(request)}
    try:
        call = getattr(stub, method)(request)
        if method == "AnalyzeState":
            # How many partial reports there are is another number each time; there is one that is final.
            (response,) = [report async for report in call if report.final]
        else:
            response = await call
    except aio.AioRpcError as error:
        status = rpc_status.from_call(error)  # type: ignore[arg-type]  # a call is what has metadata and a code
        assert status is not None
        return pair | {"error": as_json(status) | {"code": Code.Name(status.code)}}
    if isinstance(response, pb.GetMoveResponse | pb.AnalyzeStateResponse):
        response.analysis.ClearField("time")
        response.analysis.engine_version = "0.0.0"
    if isinstance(response, pb.ListGamesResponse):
        response.engine_version = "0.0.0"
    if isinstance(response, pb.ListBotsResponse):
        for bot in response.bots:
            bot.ClearField("rating")
    return pair | {"response": as_json(response)}


def as_json(message: Message) -> dict[str, Any]:
    """A message as JSON values, its fields named as in the proto file."""
    value: dict[str, Any] = MessageToDict(message, preserving_proto_field_name=True)
    return value


@pytest.mark.parametrize("name", REQUESTS)
async def test_golden_pairs(stub: Stub, name: str) -> None:
    pair = await exchange(stub, REQUESTS[name])
    file = GOLDEN / f"{name}.json"
    if WRITE:
        file.write_text(json.dumps(pair, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    # Through JSON and back, so that integers that are keys are texts on both sides.
    assert json.loads(json.dumps(pair)) == json.loads(file.read_text(encoding="utf-8"))


def test_no_golden_pair_is_left_over() -> None:
    assert {file.stem for file in GOLDEN.iterdir()} == set(REQUESTS)


def test_the_documentation_shows_what_was_exchanged() -> None:
    """Each example in docs/api.md, marked ``json NAME.PART``, is that part of a pair; … stands for what is left out."""
    examples = re.findall(r"^```json (\w+)\.(\w+)\n(.*?)^```", DOCUMENTATION.read_text(encoding="utf-8"), re.M | re.S)
    assert len(examples) > 10
    for name, part, example in examples:
        pair = json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))
        assert shows(json.loads(example), pair[part]), f"{name}.{part}"
    documented = {
        json.loads((GOLDEN / f"{name}.json").read_text(encoding="utf-8"))["method"] for name, _, _ in examples
    }
    assert documented == {method.name for method in pb.DESCRIPTOR.services_by_name["OpponentService"].methods}


def shows(excerpt: Any, whole: Any) -> bool:
    """Whether an excerpt is of this value."""
    if isinstance(excerpt, str) and excerpt.endswith("…"):
        return isinstance(whole, str) and whole.startswith(excerpt[:-1])
    if isinstance(excerpt, dict) and isinstance(whole, dict):
        shown = {key: value for key, value in excerpt.items() if key != "…"}
        return all(key in whole and shows(value, whole[key]) for key, value in shown.items()) and (
            "…" in excerpt or len(shown) == len(whole)
        )
    if isinstance(excerpt, list) and isinstance(whole, list):
        shown_elements = excerpt[:-1] if excerpt[-1:] == ["…"] else excerpt
        return (excerpt is not shown_elements or len(excerpt) == len(whole)) and all(map(shows, shown_elements, whole))
    return type(excerpt) is type(whole) and bool(excerpt == whole)
