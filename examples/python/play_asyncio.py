"""Plays a game of Via Nebula among bots, while the service thinks aloud about its start. With asyncio.

python examples/python/play_asyncio.py [HOST:PORT]
"""

import asyncio
import sys

from google.protobuf.duration_pb2 import Duration

from nebula_ai.client import AsyncClient, ServiceError
from nebula_ai.v1 import opponent_service_pb2 as pb
from nebula_ai.v1.move_pb2 import Choice
from nebula_ai.v1.search_pb2 import SearchLimits
from nebula_ai.v1.state_pb2 import State, StateView

BOTS = ("greedy", "novice")
"""Who plays which seat."""

ENOUGH = 3
"""Reports to see of the analysis."""


async def play(client: AsyncClient, view: StateView) -> None:
    """Plays a game to its end."""
    while view.status == StateView.STATUS_DECISION:
        state = State(packed=view.packed)
        answer = await client.get_move(pb.GetMoveRequest(state=state, bot=BOTS[view.seat]))
        print(f"seat {view.seat}: {answer.move.text}")
        view = (await client.apply_move(pb.ApplyMoveRequest(state=state, move=Choice(number=answer.move.number)))).state
    print("points", [score.total for score in view.outcome.scores], "won by", list(view.outcome.winners))


async def analyze(client: AsyncClient, view: StateView) -> None:
    """Shows how the best move is found. Leaving the block ends the search, which would take minutes."""
    request = pb.AnalyzeStateRequest(
        state=State(packed=view.packed),
        limits=SearchLimits(time=Duration(seconds=300), stop_when_decided=False),
        report_interval=Duration(nanos=200_000_000),
    )
    seen = 0
    async with client.analyze_state(request, timeout=300) as reports:
        async for report in reports:
            best = report.analysis.moves[0]
            print(f"after {report.analysis.simulations} simulations: {best.move.text}, {best.visits} visits")
            seen += 1
            if seen == ENOUGH:
                break


async def main(address: str) -> None:
    """Plays and analyses at the same time."""
    async with AsyncClient(address) as client:
        view = (await client.create_state(pb.CreateStateRequest(game="via_nebula", players=2))).state
        await asyncio.gather(play(client, view), analyze(client, view))
        try:
            await client.get_move(pb.GetMoveRequest(state=State(packed=view.packed), bot="nobody"))
        except ServiceError as error:
            print(f"refused: {error.reason}, field {error.field}: {error.fields['bot']}")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "127.0.0.1:50051"))
