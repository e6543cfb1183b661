"""Measures how long a search still takes after it was cancelled: from the flag being set to its result.

    python -m benchmarks.cancel [--searches N]

A search sees the flag after the simulation that it is in; then it reports what it found. The aim is 20 ms.
"""

import threading
import time
from typing import Annotated

import typer

from benchmarks.measure import Spread
from nebula_ai import Limits, load, search
from nebula_ai.registry import GAMES
from nebula_core.search.tree import CancelFlag

AIM_MILLISECONDS = 20
RUNNING_SECONDS = 0.5


def cancelled_after(game: str, workers: int, seed: int) -> float:
    """Milliseconds from setting the flag to the result, of a search of an opening that has run for a while."""
    loaded = load(game)
    state = loaded.new(loaded.players[-1], seed=seed)
    flag = CancelFlag()
    at: list[float] = []

    def cancel() -> None:
        at.append(time.monotonic())
        flag.set()

    timer = threading.Timer(RUNNING_SECONDS, cancel)
    timer.start()
    result = search(state, Limits(time=60), seed=seed, workers=workers, cancel=flag)
    end = time.monotonic()
    timer.join()
    assert result.stopped == "cancelled"
    return (end - at[0]) * 1000


def main(searches: Annotated[int, typer.Option(min=1, help="How many searches of each kind.")] = 20) -> None:
    """Measure how fast a search ends once it is cancelled."""
    print("| search | median, ms | least | greatest |\n|---|---|---|---|")
    for game in GAMES:
        for workers in (1, 2):
            spread = Spread.of([cancelled_after(game, workers, seed) for seed in range(searches)])
            print(
                f"| {game}, {workers} worker{'s' if workers > 1 else ''} "
                f"| {spread.median:.1f} | {spread.least:.1f} | {spread.greatest:.1f} |"
            )
    print(f"\nAim: at most {AIM_MILLISECONDS} ms.")


if __name__ == "__main__":
    typer.run(main)
