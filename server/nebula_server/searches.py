"""Which search runs when. Knows neither games nor transport: a search is a function that ends soon after a flag is set.

A search gets all the cores that it wants at once, or waits its turn in a queue of bounded length. It runs in a thread
and leaves the event loop to the rest of the service. All methods belong to the thread of the event loop.
"""

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from nebula_core.search.tree import CancelFlag
from nebula_server.errors import Busy

Answer = TypeVar("Answer")

QUEUE_PER_CORE = 8
"""Searches that may wait for each core: with searches of a second, nobody waits much longer than a person would."""


class Searches:
    """The searches of one server."""

    def __init__(self, cores: int) -> None:
        """`cores`, from 1: how many may search at once."""
        self.cores = cores
        self._free = cores
        self._queue: deque[tuple[int, asyncio.Future[None]]] = deque()
        self._running: set[asyncio.Future[Any]] = set()
        self._threads = ThreadPoolExecutor(cores, thread_name_prefix="search")

    @property
    def running(self) -> int:
        """Cores that search now."""
        return self.cores - self._free

    @property
    def waiting(self) -> int:
        """Searches in the queue."""
        return len(self._queue)

    async def run(self, cores: int, search: Callable[[CancelFlag], Answer]) -> Answer:
        """What `search` returns, run when `cores` (at most all) are free. Raises Busy, and what `search` raises.

        If the caller is cancelled, so is the search: its flag is set, and its cores are free as soon as it has ended.
        """
        await self._admit(cores)
        cancel = CancelFlag()
        running = asyncio.get_running_loop().run_in_executor(self._threads, search, cancel)
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        running.add_done_callback(lambda _: self._release(cores))
        try:
            return await asyncio.shield(running)
        except asyncio.CancelledError:
            cancel.set()
            raise

    async def _admit(self, cores: int) -> None:
        """Wait until these cores are the caller's."""
        if not self._queue and cores <= self._free:
            self._free -= cores
            return
        if len(self._queue) >= QUEUE_PER_CORE * self.cores:
            raise Busy(f"{self.running} cores search and {self.waiting} searches wait: ask again later")
        turn = asyncio.get_running_loop().create_future()
        self._queue.append((cores, turn))
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._release(cores)  # its turn came at the same moment
            elif (cores, turn) in self._queue:
                self._queue.remove((cores, turn))
                self._admit_waiting()  # a smaller one may fit behind it
            raise

    def _release(self, cores: int) -> None:
        """Take cores back."""
        self._free += cores
        self._admit_waiting()

    def _admit_waiting(self) -> None:
        """Admit from the queue, in its order, as many as fit."""
        while self._queue and self._queue[0][0] <= self._free:
            cores, turn = self._queue.popleft()
            if not turn.cancelled():  # its caller may not have noticed yet
                self._free -= cores
                turn.set_result(None)

    async def close(self) -> None:
        """Waits for the searches that still run; their callers must have been answered or cancelled."""
        await asyncio.gather(*self._running, return_exceptions=True)
        self._threads.shutdown()
