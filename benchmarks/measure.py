"""How things are measured: in turns, so that what else the machine does falls on all of them alike.

Knows neither games nor engines. A subject is a piece of work that says how much it did; each round runs every subject
once and reads a clock around it: for work on one core the processor's time of this process, which stands still while
others have the core, for work on several the time that passes. What is compared are the rates of one round, and what
is reported is the median over the rounds with the least and the greatest.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Spread:
    """Median, least and greatest of several numbers of one kind."""

    median: float
    least: float
    greatest: float

    @classmethod
    def of(cls, numbers: Sequence[float]) -> "Spread":
        """The spread of at least one number."""
        return cls(statistics.median(numbers), min(numbers), max(numbers))


@dataclass(slots=True)
class Subject:
    """Something to be measured."""

    name: str
    unit: str
    """What it counts: ``plies``, ``copies``."""
    run: Callable[[], float]
    """Does its work, the same each time, and returns the amount."""
    cores: int = 1
    """How many cores it may use."""
    simulations: int = 0
    """How many simulations one run makes, if it is a search that counts something else."""
    rates: list[float] = field(default_factory=list)
    """Amount per second, one for each round."""
    seconds: list[float] = field(default_factory=list)
    """How long it took, one for each round."""

    @property
    def per_second(self) -> Spread:
        """Amount per second over all rounds."""
        return Spread.of(self.rates)

    @property
    def simulations_per_second(self) -> Spread:
        """Simulations per second over all rounds."""
        return Spread.of([self.simulations / seconds for seconds in self.seconds])

    @property
    def nanoseconds(self) -> Spread:
        """Nanoseconds for one, over all rounds."""
        return Spread.of([1e9 / rate for rate in self.rates])


def available_cores() -> list[int]:
    """The cores this process may use, as far as the system tells."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


@contextmanager
def pinned(cores: Sequence[int]) -> Iterator[None]:
    """This thread, and threads it starts, run on `cores` only; where the system cannot do that, anywhere."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, cores)
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def measure(subjects: Sequence[Subject], rounds: int, progress: Callable[[int, int], None]) -> None:
    """Run every subject once to warm up and then once in each of `rounds` rounds; fills their `rates` and `seconds`.

    `progress` is told after each run how many have been made, and of how many.
    """
    # The last cores: the first one serves most of the system's own interrupts.
    cores = available_cores()
    total = (rounds + 1) * len(subjects)
    for round_number in range(rounds + 1):
        for place, subject in enumerate(subjects, 1):
            clock = time.process_time if subject.cores == 1 else time.perf_counter
            with pinned(cores[-subject.cores :]):
                began = clock()
                amount = subject.run()
                seconds = clock() - began
            if round_number:
                subject.rates.append(amount / seconds)
                subject.seconds.append(seconds)
            progress(round_number * len(subjects) + place, total)


def ratio(of: Subject, to: Subject) -> Spread:
    """How many times as fast one subject was as another, round by round."""
    return Spread.of([one / other for one, other in zip(of.rates, to.rates, strict=True)])
