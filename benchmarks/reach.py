"""Measures how long Via Nebula's core takes to find which meadows are joined to a ruin through empty ones.

    python -m benchmarks.reach [--rounds N]

On each map, in the positions of the middle half of random games; one number is for one ruin. The search is a flood fill
of bit sets, a few shifts for each step of it. A game does it where something changed, and keeps what it found.
"""

from typing import Annotated

import typer

from benchmarks.measure import Subject, measure
from benchmarks.ours import Ours
from nebula_ai import load
from nebula_ai.v1 import via_nebula_pb2
from nebula_core.via_nebula.rules import ViaNebulaRules

TIMES = 2_000
"""Searches of all ruins in one position, each round."""
PLAYERS = (2, 4)
RUIN = "R"
"""As in the rows of a map."""
SEED = 1


def subject(variant: str, players: int, ruins: int) -> Subject:
    """The search for all ruins of a map, in positions of a game of so many players."""
    positions = Ours("via_nebula", variant, players, SEED).middle

    def run() -> float:
        for state in positions:
            assert isinstance(state.rules, ViaNebulaRules)
            state.rules.joined_meadows(state, TIMES)
        return float(TIMES * len(positions) * ruins)

    return Subject(f"{variant}, {players} players", "ruins", run)


def main(rounds: Annotated[int, typer.Option(min=1, help="How many times each is measured.")] = 9) -> None:
    """Measure how fast the meadows joined to a ruin are found."""
    message = load("via_nebula").edition_message()
    assert isinstance(message, via_nebula_pb2.ViaNebulaEdition)
    ruins = {one.map: sum(row.count(RUIN) for row in one.rows) for one in message.maps}
    subjects = [subject(variant, players, ruins[variant]) for variant in ruins for players in PLAYERS]
    measure(subjects, rounds, lambda done, total: None)
    print("| map | median, ns a ruin | least | greatest |\n|---|---|---|---|")
    for one in subjects:
        spread = one.nanoseconds
        print(f"| {one.name} | {spread.median:.1f} | {spread.least:.1f} | {spread.greatest:.1f} |")


if __name__ == "__main__":
    typer.run(main)
