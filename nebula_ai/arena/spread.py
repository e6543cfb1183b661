"""Work on many things at once: in processes of this machine, or on a Ray cluster. Knows nothing of the arena.

Work is a function that can be pickled, with one argument; results come in the order in which they are ready. Closing
the generator, as an error or Ctrl-C does, ends the work that is going on.
"""

import logging
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import FIRST_COMPLETED, ProcessPoolExecutor, wait
from itertools import islice
from multiprocessing import connection
from typing import Any, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")

AHEAD = 2
"""Tasks handed out for each worker: the one that it works on, and the next."""


class NoRay(Exception):
    """Ray is not installed, or there is no cluster; the message says which."""


def in_processes(work: Callable[[Item], Made], items: Iterable[Item], workers: int) -> Generator[Made]:
    """The results of `work` on all items, by so many processes; a single worker is this process itself.

    Raises what `work` raises, and BrokenProcessPool if a process ends by itself.
    """
    if workers == 1:
        yield from map(work, items)
        return
    left = iter(items)
    others = set(multiprocessing.active_children())
    # A new Python for each: a copy of this process would inherit locks that its threads hold.
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), initializer=begin_worker) as pool:
        try:
            waiting = {pool.submit(work, item) for item in islice(left, workers * AHEAD)}
            while waiting:
                done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                waiting |= {pool.submit(work, item) for item in islice(left, len(done))}
                for future in done:
                    yield future.result()
        except BaseException:
            # Nobody waits for what they are at.
            for process in set(multiprocessing.active_children()) - others:
                process.terminate()
            raise


def begin_worker() -> None:
    """Leaves Ctrl-C to the process that started this one, and ends this one with it, however it ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    assert parent is not None, "this is a worker"
    sentinel = parent.sentinel

    def follow() -> None:
        connection.wait([sentinel])
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def on_ray(
    work: Callable[[Item], Made], items: Iterable[Item], workers: int | None, address: str | None
) -> Generator[Made]:
    """The results of `work` on all items by the cluster at `address`, or without one by a Ray started for it here.

    `workers`: how many cores are used; None for all. Raises what `work` raises, and NoRay.
    """
    # Ray tells its makers about each cluster, unless it is told otherwise; and looks for one 20 times, 40 s each.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if address:
        os.environ.setdefault("RAY_NUM_REDIS_GET_RETRIES", "1")
    try:
        import ray
    except ImportError:
        raise NoRay("Ray is not installed: python -m pip install 'nebula-ai[ray]'") from None
    own: dict[str, Any] = {} if address else {"num_cpus": workers, "include_dashboard": False}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, ValueError) as error:
        raise NoRay(str(error)) from None
    try:
        remote = ray.remote(num_cpus=1)(work_on)
        shared = ray.put(work)
        left = iter(items)
        most = AHEAD * (workers or int(ray.cluster_resources()["CPU"]))
        waiting = [remote.remote(shared, item) for item in islice(left, most)]
        while waiting:
            done, waiting = ray.wait(waiting)
            waiting += [remote.remote(shared, item) for item in islice(left, len(done))]
            for reference in done:
                yield ray.get(reference)
    except ray.exceptions.RayTaskError as error:
        raise error.cause from None
    finally:
        ray.shutdown()


def work_on(work: Callable[[Item], Made], item: Item) -> Made:
    """A task as Ray wants it: a plain function."""
    return work(item)
