"""Which search runs when. Knows neither games nor transport: a search is a function that ends soon after a flag is set.
How long a search waited stands in the notes of its call.

A search runs in a thread, on all the cores that it wants at once, and leaves the event loop to the rest of the service.
One that finds no cores free waits in a queue of bounded length:

- Clients take turns, whatever each of them has waiting. When the queue is full, a client with less in it takes the
  place of the last search of the one with most.
- Interactive searches go before analyses, but after so many of them while an analysis waits it is an analysis' turn.
- A search that wants more cores than are free is overtaken by smaller ones, so that no core idles while there is work;
  after so many of them the free cores are kept for it. If what it waits for are cores of its own client they are kept
  from this client alone. That ends, as no search takes longer than ten minutes.

All methods belong to the thread of the event loop.
"""

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, TypeVar

from nebula_ai.errors import LimitError
from nebula_ai.search import MAX_NODES, MEMORY_NODES
from nebula_core.search.tree import NODE_BYTES, CancelFlag
from nebula_server import calls
from nebula_server.errors import Busy, QueueFull, Stopping, TooLate

Answer = TypeVar("Answer")

MAX_SECONDS = 600
"""A search may take so long at most, whatever its limits; who wants more asks again."""

OVERTIME_SECONDS = 1.0
"""How much later it is cut: one with a time limit of so long has ended by that, and says so."""

QUEUE_PER_CORE = 8
"""Searches that may wait for each core: with searches of a second, nobody waits much longer than a person would."""

FAVOURED = 4
"""Interactive searches in a row that go before an analysis that waits."""

OVERTAKEN = 4
"""Smaller searches that may overtake one that it would be the turn of."""

LEAST_BYTES_PER_CORE = 1 << 20
"""Less memory for the tree of a search is a mistake; the levels of the bots need more."""

FIRST_SECONDS = 1.0
"""What a search is taken to last before one has ended."""

LAST_SEARCHES = 8
"""How many searches the mean of their lengths goes back, roughly."""

LEAST_RETRY_SECONDS = 0.1
MOST_RETRY_SECONDS = 30.0
"""The longest delay that a client is told: longer searches may be cancelled, and then the guess is wrong."""


class Priority(IntEnum):
    """What a search is for; the first goes first."""

    INTERACTIVE = 0
    """Somebody waits for a move."""
    ANALYSIS = 1
    """Somebody studies a game, or a program does."""


@dataclass(slots=True, eq=False)
class Waiting:
    """A search in the queue."""

    client: str
    cores: int
    priority: Priority
    turn: asyncio.Future[Busy | None]
    """Done when the search may run, or with the reason why it may not."""
    overtaken: int = 0
    """Smaller searches that ran when it was the turn of this one."""


class Searches:
    """The searches of one server."""

    def __init__(self, cores: int, *, memory_bytes: int | None = None, searches_per_client: int | None = None) -> None:
        """`cores`, from 1: how many may search at once. `memory_bytes`: what all trees may take together; None for what
        a search has by itself, on each core. `searches_per_client`, from 1: how many searches of one client may run
        at once; None for as many as there are cores. Raises LimitError.
        """
        if memory_bytes is None:
            memory_bytes = MEMORY_NODES * NODE_BYTES * cores
        if memory_bytes < LEAST_BYTES_PER_CORE * cores:
            raise LimitError("memory_bytes", f"must be at least {LEAST_BYTES_PER_CORE:,} for each core")
        if searches_per_client is not None and searches_per_client < 1:
            raise LimitError("searches_per_client", "must be at least 1")
        self.cores = cores
        self.nodes_per_core = min(memory_bytes // NODE_BYTES, MAX_NODES) // cores
        """A search's trees may have so many nodes for each core that it runs on."""
        self._per_client = searches_per_client or cores
        self._free = cores
        self._queues: dict[str, list[Waiting]] = {}
        """Who waits, by client; the first client is the next one."""
        self._favoured = 0
        self._seconds = FIRST_SECONDS
        self._running: dict[asyncio.Future[Any], CancelFlag] = {}
        self._of_client: Counter[str] = Counter()
        self._draining = False
        self._stopping = False
        self._threads = ThreadPoolExecutor(cores, thread_name_prefix="search")

    @property
    def running(self) -> int:
        """Cores that search now."""
        return self.cores - self._free

    @property
    def waiting(self) -> int:
        """Searches in the queue."""
        return sum(map(len, self._queues.values()))

    async def run(
        self,
        cores: int,
        search: Callable[[CancelFlag], Answer],
        *,
        client: str = calls.ANONYMOUS,
        priority: Priority = Priority.INTERACTIVE,
        deadline: float | None = None,
    ) -> Answer:
        """What `search` returns, run when `cores` (at most all) are free.

        `client`: whose turn it takes. `deadline` (of time.monotonic): when waiting is of no use any more. If the caller
        is cancelled, so is the search: its flag is set, and its cores are free as soon as it has ended. The flag is
        also set when it has run for MAX_SECONDS and a little more, and its answer is still the caller's. Raises
        QueueFull, TooLate if the deadline passes before it may run, Stopping once it drains or is cut, and what
        `search` raises.
        """
        asked = time.monotonic()
        if deadline is not None and deadline <= asked:
            raise TooLate
        try:
            async with asyncio.timeout_at(deadline):
                await self._admit(Waiting(client, cores, priority, asyncio.get_running_loop().create_future()))
        except TimeoutError:
            raise TooLate from None
        finally:
            if call := calls.current.get(None):
                call.notes["queue_seconds"] = time.monotonic() - asked
        if self._stopping:  # since its turn came
            self._release(client, cores)
            raise Stopping
        started = time.monotonic()
        cancel = CancelFlag()
        loop = asyncio.get_running_loop()
        running = loop.run_in_executor(self._threads, search, cancel)
        self._running[running] = cancel
        timer = loop.call_later(MAX_SECONDS + OVERTIME_SECONDS, cancel.set)
        running.add_done_callback(lambda _: timer.cancel())
        running.add_done_callback(lambda _: self._ended(running, client, cores, time.monotonic() - started))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancel.set()
            raise

    async def drain(self) -> None:
        """Takes no more searches, and returns when those that run and wait have ended."""
        self._draining = True
        while self.running or self.waiting:
            # A search whose turn it is has its cores a moment before it runs.
            await (asyncio.wait(list(self._running)) if self._running else asyncio.sleep(0))

    def cut(self) -> None:
        """Ends everything: what runs answers with what it has found, what waits and all that comes later is refused."""
        self._stopping = True
        for cancel in self._running.values():
            cancel.set()
        for queue in self._queues.values():
            for waiting in queue:
                if not waiting.turn.done():
                    waiting.turn.set_result(Stopping())
        self._queues.clear()

    async def close(self) -> None:
        """Cuts what still runs or waits, and returns when nothing does."""
        self.cut()
        await asyncio.gather(*self._running, return_exceptions=True)
        self._threads.shutdown()

    # The queue.

    async def _admit(self, waiting: Waiting) -> None:
        """Returns when the cores that it wants are the caller's. Raises QueueFull, Stopping."""
        if self._draining or self._stopping:
            raise Stopping
        self._queues.setdefault(waiting.client, []).append(waiting)
        self._admit_waiting()
        if self.waiting > QUEUE_PER_CORE * self.cores:
            last = self._one_too_many(waiting)
            self._leave(last)
            if not last.turn.done():
                last.turn.set_result(self._full())
            self._admit_waiting()  # cores may have been kept for it
        try:
            refused = await waiting.turn
        except asyncio.CancelledError:
            if waiting.turn.cancelled():
                self._leave(waiting)
                self._admit_waiting()  # cores may have been kept for it
            elif waiting.turn.result() is None:  # its turn came at the same moment
                self._release(waiting.client, waiting.cores)
            raise
        if refused is not None:
            raise refused

    def _admit_waiting(self) -> None:
        """Admit from the queue as many as fit."""
        while self._free and (chosen := self._next()) is not None:
            self._leave(chosen)
            if chosen.client in self._queues:  # the next turn is another client's
                self._queues[chosen.client] = self._queues.pop(chosen.client)
            analysis_waits = any(one.priority is Priority.ANALYSIS for queue in self._queues.values() for one in queue)
            favoured = chosen.priority is Priority.INTERACTIVE and analysis_waits
            self._favoured = self._favoured + 1 if favoured else 0
            self._free -= chosen.cores
            self._of_client[chosen.client] += 1
            chosen.turn.set_result(None)

    def _next(self) -> Waiting | None:
        """Which search is to run now; None if none fits, or the free cores are kept for one."""
        passed_over: list[Waiting] = []
        kept_from: set[str] = set()
        for waiting in self._in_order():
            if waiting.client in kept_from:
                continue
            if waiting.cores <= self._free:
                for one in passed_over:
                    one.overtaken += 1
                return waiting
            if waiting.overtaken >= OVERTAKEN:
                if not self._of_client[waiting.client]:
                    return None
                kept_from.add(waiting.client)
            passed_over.append(waiting)
        return None

    def _in_order(self) -> Iterator[Waiting]:
        """Who waits and may run, in the order of turns."""
        for priority in reversed(Priority) if self._favoured >= FAVOURED else Priority:
            for client, queue in self._queues.items():
                if self._of_client[client] < self._per_client:
                    # A caller that is cancelled may not have noticed yet.
                    yield from (one for one in queue if one.priority is priority and not one.turn.done())

    def _one_too_many(self, newest: Waiting) -> Waiting:
        """Which search has to leave a queue that is too long."""
        own = self._queues[newest.client]
        less_urgent = [one for one in own if one.priority > newest.priority]
        if less_urgent:
            return less_urgent[-1]
        longest = max(self._queues.values(), key=len)
        return max(reversed(longest), key=lambda one: one.priority) if len(longest) > len(own) else newest

    def _leave(self, waiting: Waiting) -> None:
        """Take a search out of the queue if it is there."""
        queue = self._queues.get(waiting.client, [])
        if waiting in queue:
            queue.remove(waiting)
            if not queue:
                del self._queues[waiting.client]

    def _full(self) -> QueueFull:
        """Why a search is refused now; it is worth asking again when what waits has run, as far as can be said."""
        seconds = self._seconds * sum(one.cores for queue in self._queues.values() for one in queue) / self.cores
        return QueueFull(
            "all cores search and the queue is full: ask again later",
            min(max(seconds, LEAST_RETRY_SECONDS), MOST_RETRY_SECONDS),
        )

    def _ended(self, running: asyncio.Future[Any], client: str, cores: int, seconds: float) -> None:
        """A search has ended."""
        del self._running[running]
        self._seconds += (seconds - self._seconds) / LAST_SEARCHES
        self._release(client, cores)

    def _release(self, client: str, cores: int) -> None:
        """Take a client's cores back."""
        self._free += cores
        self._of_client[client] -= 1
        if not self._of_client[client]:
            del self._of_client[client]
        self._admit_waiting()
