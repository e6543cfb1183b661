"""Which search runs when: turns of clients, priorities, several cores at once, limits, and the end of it all."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from google.rpc.code_pb2 import Code
from google.rpc.error_details_pb2 import ErrorInfo, RetryInfo
from hypothesis import given
from hypothesis import strategies as st

from nebula_ai.errors import LimitError
from nebula_ai.search import MEMORY_NODES
from nebula_core.search.tree import NODE_BYTES, CancelFlag
from nebula_server import calls
from nebula_server.errors import Busy, QueueFull, Stopping, TooLate, to_status
from nebula_server.searches import (
    FAVOURED,
    FIRST_SECONDS,
    LAST_SEARCHES,
    LEAST_BYTES_PER_CORE,
    LEAST_RETRY_SECONDS,
    MOST_RETRY_SECONDS,
    OVERTAKEN,
    QUEUE_PER_CORE,
    Priority,
    Searches,
)
from tests.waiting import PATIENCE, until

INTERACTIVE, ANALYSIS = Priority.INTERACTIVE, Priority.ANALYSIS


@dataclass
class Asked:
    """A search that searches nothing: it runs until it is told to finish, or its flag is set."""

    client: str
    cores: int
    priority: Priority
    finish: threading.Event = field(default_factory=threading.Event)
    started: bool = False
    flagged: bool = False
    task: "asyncio.Task[str]" = field(init=False)

    @property
    def ended(self) -> bool:
        """Whether its caller has an answer or a refusal, or gave up."""
        return self.task.done()


@dataclass
class Table:
    """Searches, and all that were asked for, in order."""

    searches: Searches
    asked: list[Asked] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    """The clients whose searches began."""

    async def ask(self, client: str, cores: int = 1, priority: Priority = INTERACTIVE) -> Asked:
        """Ask for a search; when this returns it runs, waits or is refused."""
        asked = Asked(client, cores, priority)

        def search(cancel: CancelFlag) -> str:
            asked.started = True
            self.order.append(client)
            while not asked.finish.wait(0.001) and not cancel.is_set:
                pass
            asked.flagged = cancel.is_set
            return client

        asked.task = asyncio.create_task(self.searches.run(cores, search, client=client, priority=priority))
        self.asked.append(asked)
        await self.settled()
        return asked

    async def end(self, asked: Asked) -> None:
        """Let a running search end, and all begin that can then."""
        asked.finish.set()
        assert await asked.task == asked.client
        await self.settled()

    async def settled(self) -> None:
        """Wait until every search that has cores has begun, and every caller that was refused knows."""
        for _ in range(3):  # steps of the event loop until a caller has asked, or left, and others have made room
            await asyncio.sleep(0)
        await until(lambda: sum(one.cores for one in self.running) == self.busy)

    @property
    def busy(self) -> int:
        """Cores that search."""
        return self.searches.running

    @property
    def running(self) -> list[Asked]:
        """What runs now."""
        return [one for one in self.asked if one.started and not one.ended]

    async def end_all(self) -> None:
        """Let one search after the other end, the first that began first, until none is left."""
        while self.running:
            await self.end(self.running[0])
        assert (self.searches.running, self.searches.waiting) == (0, 0)


@asynccontextmanager
async def table(cores: int, searches_per_client: int | None = None) -> AsyncIterator[Table]:
    """Searches on some cores; nothing is left of them in the end."""
    searches = Searches(cores, searches_per_client=searches_per_client)
    made = Table(searches)
    try:
        yield made
    finally:
        await searches.close()
        await asyncio.gather(*(one.task for one in made.asked), return_exceptions=True)
        assert (searches.running, searches.waiting) == (0, 0)


async def refused(asked: Asked) -> Busy:
    """Why a search is not run."""
    async with asyncio.timeout(PATIENCE):
        with pytest.raises(Busy) as error:
            await asked.task
    return error.value


async def test_clients_take_turns() -> None:
    async with table(1) as at:
        for client in ("first", *"aaaaa", *"bb", "c"):
            await at.ask(client)
        assert at.order == ["first"]
        await at.end_all()
        assert at.order == ["first", *"abcabaaa"]


async def test_who_asks_again_at_once_gets_every_second_turn() -> None:
    """However much another client has waiting."""
    async with table(1) as at:
        for _ in range(QUEUE_PER_CORE):
            await at.ask("much")
        for _ in range(3):
            await at.ask("little")
            await at.end(at.running[0])
            await at.end(at.running[0])
        assert at.order == ["much", *["much", "little"] * 3] or at.order == ["much", *["little", "much"] * 3]


async def test_a_full_queue_is_shared() -> None:
    """A client with less in the queue takes the place of the last search of the one with most."""
    async with table(1) as at:
        await at.ask("runs")
        many = [await at.ask("many") for _ in range(QUEUE_PER_CORE)]
        one_more = await at.ask("many")
        assert isinstance(await refused(one_more), QueueFull)
        few: list[Asked] = []
        while at.searches.waiting and len(few) < QUEUE_PER_CORE // 2:
            few.append(await at.ask("few"))
            assert isinstance(await refused(many.pop()), QueueFull)
            assert at.searches.waiting == QUEUE_PER_CORE
        assert isinstance(await refused(await at.ask("few")), QueueFull)
        assert not any(one.ended for one in many + few)
        third = await at.ask("third")
        assert not third.ended
        assert sum(one.ended for one in many + few) == 1
        await at.ask("third")
        # Three, three and two wait: one more would only change places.
        assert isinstance(await refused(await at.ask("third")), QueueFull)
        assert sum(one.ended for one in many + few) == 2
        await at.end_all()
        assert at.order[:4] in (["runs", "many", "few", "third"], ["runs", "few", "many", "third"])


async def test_a_move_takes_the_place_of_an_analysis_of_the_same_client() -> None:
    async with table(1) as at:
        await at.ask("runs")
        moves = [await at.ask("a") for _ in range(2)]
        analyses = [await at.ask("a", priority=ANALYSIS) for _ in range(QUEUE_PER_CORE - 2)]
        move = await at.ask("a")
        assert isinstance(await refused(analyses.pop()), QueueFull)
        assert isinstance(await refused(await at.ask("a", priority=ANALYSIS)), QueueFull)
        assert not any(one.ended for one in [*moves, *analyses, move])


async def test_interactive_searches_go_first_but_not_for_ever() -> None:
    async with table(1) as at:
        await at.ask("runs")
        for client in ("x", "y"):
            await at.ask(client, priority=ANALYSIS)
        for _ in range(2 * FAVOURED + 2):
            await at.ask("move")
            await at.end(at.running[0])
        moves = ["move"] * FAVOURED
        assert at.order[: 2 * FAVOURED + 3] == ["runs", *moves, "x", *moves, "y"]


async def test_a_turn_that_was_not_needed_is_not_saved_up() -> None:
    """Moves that no analysis had to wait for do not count against those to come."""
    async with table(1) as at:
        for _ in range(2 * FAVOURED):
            await at.ask("move")
            await at.end_all()
        await at.ask("move")
        await at.ask("analysis", priority=ANALYSIS)
        await at.ask("late")
        await at.end_all()
        assert at.order[-3:] == ["move", "late", "analysis"]


async def test_several_cores_at_once_are_kept_after_some_have_overtaken() -> None:
    """No core idles while little ones wait, and yet the big one comes."""
    async with table(2) as at:
        await at.ask("runs")
        big = await at.ask("big", cores=2)
        overtaking = [await at.ask(f"small {i}") for i in range(OVERTAKEN + 2)]
        for one in overtaking[:OVERTAKEN]:
            assert at.busy == 2
            assert one.started
            await at.end(one)
        # Now a core idles: it is kept.
        assert (at.busy, big.started, overtaking[OVERTAKEN].started) == (1, False, False)
        await at.end(at.running[0])
        assert (at.busy, big.started) == (2, True)
        await at.end_all()
        assert at.order[-2:] == [f"small {OVERTAKEN}", f"small {OVERTAKEN + 1}"]


async def test_cores_are_kept_for_nobody_who_left() -> None:
    async with table(2) as at:
        await at.ask("runs")
        big = await at.ask("big", cores=2)
        for i in range(OVERTAKEN):
            await at.end(await at.ask(f"small {i}"))
        small = await at.ask("small")
        assert not small.started
        big.task.cancel()
        await until(lambda: small.started)
        with pytest.raises(asyncio.CancelledError):
            await big.task


async def test_cores_are_not_kept_for_who_holds_the_others() -> None:
    """Else a client could idle the cores that it may not search on itself."""
    async with table(2) as at:
        runs = await at.ask("big")
        big = await at.ask("big", cores=2)
        for i in range(OVERTAKEN + 2):
            small = await at.ask(f"small {i}")
            assert small.started
            await at.end(small)
        assert not big.started
        await at.end(runs)
        assert big.started
        await at.end_all()


async def test_small_searches_of_a_client_do_not_keep_its_large_one_away() -> None:
    """However they overlap: those that come later wait as soon as enough of them have gone before."""
    async with table(2) as at:
        await at.ask("one")
        big = await at.ask("one", cores=2)
        for _ in range(4 * OVERTAKEN):
            if big.started:
                break
            await at.ask("one")
            await at.end(at.running[0])
        assert big.started
        await at.end_all()


async def test_a_stream_of_small_searches_does_not_keep_an_analysis_on_all_cores_away() -> None:
    async with table(2) as at:
        await at.ask("move")
        big = await at.ask("big", cores=2, priority=ANALYSIS)
        for _ in range(4 * (FAVOURED + OVERTAKEN)):
            if big.started:
                break
            await at.ask("move")
            await at.end(at.running[0])
        assert big.started


async def test_searches_of_one_client_at_once() -> None:
    """One that has as many as it may waits, and keeps no other client waiting."""
    async with table(3, searches_per_client=1) as at:
        first, second = await at.ask("a"), await at.ask("a")
        other = await at.ask("b", cores=2)
        assert (first.started, second.started, other.started) == (True, False, True)
        await at.end(other)
        assert not second.started
        await at.end(first)
        assert second.started


async def test_a_deadline_in_the_queue() -> None:
    """Who waited too long is told so while all cores still search; who comes too late does not even wait."""
    async with table(1) as at:
        runs = await at.ask("runs")
        for deadline in (time.monotonic() - 1, time.monotonic() + 0.05):
            with pytest.raises(TooLate) as late:
                await at.searches.run(1, lambda _: pytest.fail("it is too late"), deadline=deadline)
            assert to_status(late.value).code == Code.DEADLINE_EXCEEDED
            assert at.searches.waiting == 0
        assert not runs.ended
        await at.end(runs)
        with pytest.raises(TooLate):
            await at.searches.run(1, lambda _: pytest.fail("it is too late"), deadline=time.monotonic())
        assert await at.searches.run(1, lambda _: "in time", deadline=time.monotonic() + PATIENCE) == "in time"


async def test_who_is_cancelled_leaves_nothing_behind() -> None:
    async with table(1) as at:
        runs, waits, last = [await at.ask(client) for client in "abc"]
        waits.task.cancel()
        runs.task.cancel()
        await until(lambda: last.started)
        await until(lambda: runs.flagged)
        assert (at.busy, at.searches.waiting, waits.started) == (1, 0, False)
        for gone in (runs, waits):
            with pytest.raises(asyncio.CancelledError):
                await gone.task


async def test_who_is_cancelled_as_the_turn_comes_gives_it_on() -> None:
    async with table(1) as at:
        runs, next_one, last = [await at.ask(client) for client in "abc"]
        (search,) = at.searches._running
        search.add_done_callback(lambda _: next_one.task.cancel())  # right after the next one was told
        await at.end(runs)
        await until(lambda: last.started)
        assert not next_one.started
        with pytest.raises(asyncio.CancelledError):
            await next_one.task


async def test_drain() -> None:
    """What runs or waits goes on to its end; what comes later is refused."""
    async with table(1) as at:
        runs, waits = [await at.ask(client) for client in "ab"]
        drained = asyncio.create_task(at.searches.drain())
        await at.settled()
        assert isinstance(await refused(await at.ask("late")), Stopping)
        await at.end(runs)
        assert waits.started
        assert not drained.done()
        await at.end(waits)
        await asyncio.wait_for(drained, PATIENCE)
        assert (runs.flagged, waits.flagged) == (False, False)


async def test_cut() -> None:
    """What runs answers with what it has; what waits or comes later is refused as by a service that stops."""
    async with table(2) as at:
        runs = [await at.ask("a"), await at.ask("b")]
        waits = [await at.ask("c"), await at.ask("d", cores=2, priority=ANALYSIS)]
        at.searches.cut()
        for one in runs:
            assert await one.task == one.client
            assert one.flagged
        for one in [*waits, await at.ask("late")]:
            error = await refused(one)
            assert isinstance(error, Stopping)
            assert to_status(error).code == Code.UNAVAILABLE
        await until(lambda: at.busy == 0)


async def test_cut_as_a_turn_comes() -> None:
    """A search that has its cores but has not begun does not begin."""
    async with table(1) as at:
        runs, next_one = await at.ask("a"), await at.ask("b")
        (search,) = at.searches._running
        search.add_done_callback(lambda _: at.searches.cut())
        runs.finish.set()
        assert isinstance(await refused(next_one), Stopping)
        assert not next_one.started


async def test_a_search_that_fails_gives_its_cores_back() -> None:
    async with table(2) as at:

        def fail(_: CancelFlag) -> None:
            raise MemoryError

        for _ in range(3):
            with pytest.raises(MemoryError):
                await at.searches.run(2, fail)
        await until(lambda: at.busy == 0)


async def retry_seconds(at: Table, cores: int) -> float:
    """Fill the queue with searches on so many cores each; the delay that the next one is told."""
    for _ in range(at.searches.cores // cores + QUEUE_PER_CORE * at.searches.cores):
        await at.ask("client", cores)
    error = await refused(await at.ask("client", cores))
    assert isinstance(error, QueueFull)
    status = to_status(error)
    info, retry = ErrorInfo(), RetryInfo()
    assert status.code == Code.RESOURCE_EXHAUSTED
    assert status.details[0].Unpack(info)
    assert status.details[1].Unpack(retry)
    assert info.reason == "TOO_MANY_SEARCHES"
    assert retry.retry_delay.ToMilliseconds() == round(error.retry_seconds * 1000)
    return error.retry_seconds


async def test_the_delay_that_a_refusal_names_is_what_waits() -> None:
    """Reckoned from how long searches were and how many wait, within bounds."""
    async with table(2) as at:
        assert await retry_seconds(at, 1) == FIRST_SECONDS * QUEUE_PER_CORE
    async with table(2) as at:
        assert await retry_seconds(at, 2) == FIRST_SECONDS * QUEUE_PER_CORE * 2
    async with table(8) as at:
        assert await retry_seconds(at, 8) == MOST_RETRY_SECONDS
    async with table(2) as at:
        for _ in range(10 * LAST_SEARCHES):
            await at.searches.run(2, lambda _: "at once")
        assert LEAST_RETRY_SECONDS <= await retry_seconds(at, 1) < FIRST_SECONDS


async def test_how_long_a_search_waited_is_noted_with_its_call() -> None:
    async with table(1) as at:
        runs = await at.ask("runs")
        call = calls.Call("id", "GetMove")
        calls.current.set(call)
        waits = await at.ask("waits")
        await asyncio.sleep(0.02)
        await at.end(runs)
        await at.end(waits)
        assert 0.02 <= call.notes["queue_seconds"] < PATIENCE


def test_memory_is_shared_by_the_cores() -> None:
    assert Searches(3).nodes_per_core == MEMORY_NODES
    for cores in (1, 2, 7, 64):
        searches = Searches(cores, memory_bytes=1 << 30)
        assert 0 <= (1 << 30) - cores * searches.nodes_per_core * NODE_BYTES < cores * NODE_BYTES
    assert Searches(2, memory_bytes=1 << 60).nodes_per_core * 2 == 1 << 31


@pytest.mark.parametrize(
    ("field", "make"),
    [
        ("memory_bytes", lambda: Searches(2, memory_bytes=2 * LEAST_BYTES_PER_CORE - 1)),
        ("searches_per_client", lambda: Searches(2, searches_per_client=0)),
    ],
)
def test_absurd_limits_are_refused(field: str, make: Callable[[], Searches]) -> None:
    with pytest.raises(LimitError) as error:
        make()
    assert error.value.field == field


CORES = 3
PER_CLIENT = 2
ACTIONS = st.one_of(
    st.tuples(st.just("ask"), st.sampled_from("abc"), st.integers(1, CORES), st.sampled_from(Priority)),
    st.tuples(st.sampled_from(("end", "cancel", "cancel waiting")), st.integers(0, 30)),
)


@given(st.lists(ACTIONS, max_size=60), st.booleans())
def test_whatever_happens(actions: list[tuple[Any, ...]], limited: bool) -> None:
    """Cores are never given twice and never lost, the queue stays short, nobody is forgotten, and no work waits that
    could be done unless cores are kept."""

    async def play() -> None:
        async with table(CORES, PER_CLIENT if limited else None) as at:
            for action, *arguments in actions:
                waiting = [one for one in at.asked if not one.started and not one.ended]
                match action:
                    case "ask":
                        await at.ask(*arguments)
                    case "end" if at.running:
                        await at.end(at.running[arguments[0] % len(at.running)])
                    case "cancel" if at.running:
                        at.running[arguments[0] % len(at.running)].task.cancel()
                    case "cancel waiting" if waiting:
                        waiting[arguments[0] % len(waiting)].task.cancel()
                await at.settled()
                check(at, limited)
            await at.end_all()
            for one in at.asked:
                assert one.ended
                if not one.task.cancelled() and (error := one.task.exception()):
                    assert isinstance(error, QueueFull)
                    assert not one.started

    asyncio.run(play())


def check(at: Table, limited: bool) -> None:
    """What is so at any time."""
    running = at.running
    waiting = [one for one in at.asked if not one.started and not one.ended]
    assert sum(one.cores for one in running) == at.busy <= CORES
    assert len(waiting) == at.searches.waiting <= QUEUE_PER_CORE * CORES
    if limited:
        assert all(sum(one.client == client for one in running) <= PER_CLIENT for client in "abc")
    may = [one for one in waiting if not limited or sum(other.client == one.client for other in running) < PER_CLIENT]
    fit = [one for one in may if one.cores <= CORES - at.busy]
    kept = any(one.overtaken >= OVERTAKEN for queue in at.searches._queues.values() for one in queue)
    assert not fit or kept
