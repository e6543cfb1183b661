"""Measures the core and the plain search of our games against OpenSpiel's hearts, and two workers against one.

    python -m benchmarks.compare [--rounds N] [--json]

The tables are Markdown: docs/benchmarks.md holds those of one run. An aim that is missed is reported, and no error.
Which games are measured, and what is wanted of each, is the list `MEASURED`.
"""

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Annotated, Any, Literal

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.hearts import Hearts
from benchmarks.measure import Spread, Subject, available_cores, measure, ratio
from benchmarks.ours import Ours

SEED = 1
SIMULATIONS = 5_000
WORKER_SIMULATIONS = 20_000
COPY = 20.0  # nanoseconds
TWO_WORKERS = 1.8  # times as fast as one
# Of the tables, in columns: a Markdown table with a broken line is none.
WIDTH = 150


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is measured of a game, and what is wanted of it beside hearts in the same round."""

    game: str
    variants: tuple[str, ...]
    playouts: float
    """Plies a second of our playouts, as a multiple of those of hearts' playouts."""
    search: float
    """Plies a second of our search, as a multiple of those of what `search_beside` names."""
    search_beside: Literal["search", "playouts"]
    """Hearts' search from the same kind of position, or hearts' playouts."""
    lists: float | None
    """Nanoseconds for a list of legal moves; None if nothing is wanted of it."""


MEASURED = (
    Wanted("nebula", ("full",), playouts=3, search=4, search_beside="search", lists=None),
    # 5 and 2.5 million plies a second where hearts' playouts make 6 million.
    Wanted(
        "via_nebula",
        ("beginner", "expert"),
        playouts=5 / 6,
        search=2.5 / 6,
        search_beside="playouts",
        lists=400,
    ),
)
PLAYERS = (2, 4)


@dataclass(frozen=True, slots=True)
class Aim:
    """A quotient or a duration that is to be at least, or at most, a number."""

    name: str
    measured: Spread
    wanted: float
    at_most: bool = False

    @property
    def met(self) -> bool:
        """Whether the median is as wanted."""
        return self.measured.median <= self.wanted if self.at_most else self.measured.median >= self.wanted


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything that one run measured."""

    rates: list[Subject]
    """Reported in work a second."""
    durations: list[Subject]
    """Reported in nanoseconds."""
    aims: list[Aim]


def compare(rounds: int, progress: Callable[[int, int], None]) -> Comparison:
    """Measure everything. `progress` is told how much is done, and of how much."""
    hearts = Hearts(SEED)
    playouts = hearts.playouts()
    searches = {position: hearts.search(position, SIMULATIONS) for position in hearts.positions}

    pairs: list[tuple[Subject, Subject, float]] = []
    """Theirs, ours, and how many times as fast ours should be."""
    workers: list[tuple[Subject, Subject]] = []
    copies: list[Subject] = []
    lists: list[tuple[Subject, float | None]] = []
    for wanted in MEASURED:
        # The last of them has the most players: its searches are the longest, and the workers' subject.
        games = [Ours(wanted.game, variant, players, SEED) for variant in wanted.variants for players in PLAYERS]
        for game in games:
            pairs.append((playouts, game.playouts(), wanted.playouts))
            for position, search in searches.items():
                theirs = search if wanted.search_beside == "search" else playouts
                pairs.append((theirs, game.search(position, SIMULATIONS), wanted.search))
            copies.append(game.copies())
            lists.append((game.lists(), wanted.lists))
        workers.append((games[-1].workers(1, WORKER_SIMULATIONS), games[-1].workers(2, WORKER_SIMULATIONS)))

    # What is compared are neighbours in a round: conditions are the same.
    rates: list[Subject] = []
    for theirs in (playouts, *searches.values()):
        rates += [theirs, *(ours for other, ours, _ in pairs if other is theirs)]
    for one_and_two in workers:
        rates += one_and_two
    durations = copies + [subject for subject, _ in lists]
    measure(rates + durations, rounds, progress)

    aims = [Aim(f"{ours.name} / {theirs.name}", ratio(ours, theirs), times) for theirs, ours, times in pairs]
    aims += [Aim(f"{two.name} / one", ratio(two, one), TWO_WORKERS) for one, two in workers]
    aims += [Aim(f"{copy.name}, ns", copy.nanoseconds, COPY, at_most=True) for copy in copies]
    aims += [
        Aim(f"{subject.name}, ns", subject.nanoseconds, most, at_most=True)
        for subject, most in lists
        if most is not None
    ]
    return Comparison(rates, durations, aims)


def machine() -> dict[str, Any]:
    """What the numbers depend on, in general words."""
    return {
        "processor": processor(),
        "cores": len(available_cores()),
        "load": round(os.getloadavg()[0], 1),
        "system": platform.system(),
        "python": platform.python_version(),
        "nebula_ai": version("nebula-ai"),
        "open_spiel": version("open_spiel"),
    }


def processor() -> str:
    """The processor's model, or at least its architecture."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.machine()


def draw(console: Console, about: dict[str, Any], rounds: int, found: Comparison) -> None:
    """Print the tables."""
    console.print(
        f"{about['processor']}, {about['cores']} cores, load before the run {about['load']}; {about['system']}, "
        f"Python {about['python']}, OpenSpiel {about['open_spiel']}, nebula-ai {about['nebula_ai']}. Rounds: {rounds}.",
        soft_wrap=True,
        highlight=False,
    )
    measured = table("measured", "median", "least", "greatest", "unit")
    for subject in found.rates:
        measured.add_row(subject.name, *row(subject.per_second), f"{subject.unit}/s")
        if subject.simulations:
            measured.add_row(subject.name, *row(subject.simulations_per_second), "simulations/s")
    for subject in found.durations:
        measured.add_row(subject.name, *row(subject.nanoseconds), "ns")
    console.print("", measured)
    aimed = table("aim", "median", "least", "greatest", "wanted", "met")
    for aim in found.aims:
        sign = "at most" if aim.at_most else "at least"
        aimed.add_row(aim.name, *row(aim.measured), f"{sign} {aim.wanted:.3g}", "yes" if aim.met else "no")
    console.print(aimed)


def table(*columns: str) -> Table:
    """An empty Markdown table with the numbers to the right."""
    result = Table(box=box.MARKDOWN)
    for column in columns:
        result.add_column(column, justify="right" if column in ("median", "least", "greatest") else "left")
    return result


def row(spread: Spread) -> list[str]:
    """The three numbers as text."""
    return [number(value) for value in (spread.median, spread.least, spread.greatest)]


def number(value: float) -> str:
    """Three digits: more would mean nothing."""
    for size, suffix in ((1e6, " M"), (1e3, " k")):
        if value >= size:
            return f"{value / size:#.3g}".rstrip(".") + suffix
    return f"{value:#.3g}".rstrip(".")


def as_object(about: dict[str, Any], rounds: int, found: Comparison) -> dict[str, Any]:
    """The same as plain values, for `json`."""
    return {
        "machine": about,
        "rounds": rounds,
        "per_second": [{"name": s.name, "unit": s.unit, **asdict(s.per_second)} for s in found.rates]
        + [
            {"name": s.name, "unit": "simulations", **asdict(s.simulations_per_second)}
            for s in found.rates
            if s.simulations
        ],
        "nanoseconds": [{"name": s.name, **asdict(s.nanoseconds)} for s in found.durations],
        "aims": [
            {"name": aim.name, **asdict(aim.measured), "wanted": aim.wanted, "at_most": aim.at_most, "met": aim.met}
            for aim in found.aims
        ],
    }


def main(
    rounds: Annotated[int, typer.Option(min=1, help="How often all is measured, after once to warm up.")] = 9,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead of the tables.")] = False,
) -> None:
    """Measure playouts and the plain search against OpenSpiel's hearts, and two workers against one."""
    # What is for people only goes where it does not mix with what a program reads.
    messages = Console(stderr=True)
    about = machine()
    if about["cores"] < 2:
        messages.print("There is one core only: two workers cannot be faster than one.")
    with Progress(console=messages, transient=True) as progress:
        task = progress.add_task("Measuring")
        found = compare(rounds, lambda done, total: progress.update(task, completed=done, total=total))
    if as_json:
        print(json.dumps(as_object(about, rounds, found), indent=2))
    else:
        draw(Console(width=WIDTH), about, rounds, found)


if __name__ == "__main__":
    typer.run(main)
