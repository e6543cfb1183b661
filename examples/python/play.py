"""Plays a game of Nebula against a bot, and lets the service think aloud about the first move. Without asyncio.

    python examples/python/play.py [HOST:PORT]

Seat 0 stands for a person: it makes the first legal move. A real front end would draw the state and ask.
"""

import sys

from google.protobuf.duration_pb2 import Duration

from nebula_ai.client import Client, InvalidArgument
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import Choice
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView

BOT = "novice"


def play(client: Client) -> None:
    """Plays the game to its end."""
    view = client.create_state(pb.CreateStateRequest(game="nebula", variant="basic", players=2)).state
    analyze(client, view)
    while view.status == StateView.STATUS_DECISION:
        state = State(packed=view.packed)
        if view.seat == 0:
            move = client.list_moves(pb.ListMovesRequest(state=state)).moves[0]
        else:
            move = client.get_move(pb.GetMoveRequest(state=state, bot=BOT)).move
        print(f"seat {view.seat}: {move.text}")
        view = client.apply_move(pb.ApplyMoveRequest(state=state, move=Choice(number=move.number))).state
    print("points", [score.total for score in view.outcome.scores], "won by", list(view.outcome.winners))


def analyze(client: Client, view: StateView) -> None:
    """Shows how the best move is found. At the end of the block the search is over, also if it had not ended yet."""
    request = pb.AnalyzeStateRequest(
        state=State(packed=view.packed),
        limits=SearchLimits(time=Duration(seconds=1)),
        report_interval=Duration(nanos=200_000_000),
    )
    with client.analyze_state(request) as reports:
        for report in reports:
            best = report.analysis.moves[0]
            print(f"after {report.analysis.simulations} simulations: {best.move.text}, {best.visits} visits")
            if report.final:
                print(f"advice: {report.move.text}")


def show_refusal(client: Client) -> None:
    """Shows what an error says."""
    try:
        client.create_state(pb.CreateStateRequest(game="nebula", players=7))
    except InvalidArgument as error:
        print(f"refused: {error.reason}, field {error.field}: {error.fields['players']}")


if __name__ == "__main__":
    address = sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051"
    with Client(address) as client:
        play(client)
        show_refusal(client)
