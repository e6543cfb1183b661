"""Measures the core and the plain search against OpenSpiel's hearts, and two workers against one, in one run.

    python -m benchmarks.compare [--rounds N] [--json]

The tables are Markdown: docs/benchmarks.md holds those of one run. An aim that is missed is reported, and no error.
"""

import json
import os
import platform
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from typing import Annotated, Any

import typer
from rich import box
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

from benchmarks.hearts import Hearts
from benchmarks.measure import Spread, Subject, available_cores, measure, ratio
from benchmarks.nebula import Nebula

SEED = 1
SIMULATIONS = 5_000
WORKER_SIMULATIONS = 20_000
# Of the tables, in columns: a Markdown table with a broken line is none.
WIDTH = 110


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
    games = [Nebula(players, SEED) for players in (2, 4)]
    # Theirs, ours, and how many times as fast ours should be. They are neighbours in a round: conditions are the same.
    peers = [
        (hearts.playouts(), [game.playouts() for game in games], 3.0),
        (
            hearts.search("opening", hearts.opening, SIMULATIONS),
            [game.search("opening", game.opening, SIMULATIONS) for game in games],
            4.0,
        ),
        (
            hearts.search("halfway", hearts.halfway, SIMULATIONS),
            [game.search("halfway", game.halfway, SIMULATIONS) for game in games],
            4.0,
        ),
    ]
    one, two = (games[-1].workers(count, WORKER_SIMULATIONS) for count in (1, 2))
    copies = [game.copies() for game in games]

    rates = [subject for theirs, ours, _ in peers for subject in (theirs, *ours)] + [one, two]
    durations = copies + [game.lists() for game in games]
    measure(rates + durations, rounds, progress)
    aims = [Aim(f"{our.name} / hearts", ratio(our, theirs), times) for theirs, ours, times in peers for our in ours]
    aims.append(Aim(f"{two.name} / one", ratio(two, one), 1.8))
    aims += [Aim(f"{copy.name}, ns", copy.nanoseconds, 20, at_most=True) for copy in copies]
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
        f"Python {about['python']}, OpenSpiel {about['open_spiel']}, nebula-ai {about['nebula_ai']}; {rounds} rounds.",
        soft_wrap=True,
        highlight=False,
    )
    measured = table("measured", "median", "least", "greatest", "unit")
    for subject in found.rates:
        measured.add_row(subject.name, *row(subject.per_second), f"{subject.unit}/s")
    for subject in found.durations:
        measured.add_row(subject.name, *row(subject.nanoseconds), "ns")
    console.print("", measured)
    aimed = table("aim", "median", "least", "greatest", "wanted", "met")
    for aim in found.aims:
        sign = "at most" if aim.at_most else "at least"
        aimed.add_row(aim.name, *row(aim.measured), f"{sign} {aim.wanted:g}", "yes" if aim.met else "no")
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
        "per_second": [{"name": s.name, "unit": s.unit, **asdict(s.per_second)} for s in found.rates],
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
