"""What Prometheus may know of the server: calls, searches, memory. Numbers only, and nothing of who asks or of games.

Counting costs a few microseconds, so it is always done; whether somebody may look is `serve`'s business.
"""

from collections.abc import Callable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, start_http_server

from nebula_ai.errors import InvalidInput, shown
from nebula_server.calls import Call
from nebula_server.searches import Searches

LOOPBACK = "127.0.0.1"

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 600)
"""The limits that durations are counted by: from the fastest answer to the longest search."""


class Metrics:
    """The numbers of one server."""

    def __init__(self, searches: Searches) -> None:
        """`searches` are asked how many they are whenever somebody looks."""
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self._calls = Counter(
            "nebula_ai_calls", "Calls that have ended, by method and code.", ["method", "code"], registry=registry
        )
        self._seconds = Histogram(
            "nebula_ai_call_seconds",
            "How long calls took, from their start until their answer was sent.",
            ["method"],
            buckets=SECONDS,
            registry=registry,
        )
        self._queue = Histogram(
            "nebula_ai_queue_seconds",
            "How long searches waited for their cores.",
            buckets=SECONDS,
            registry=registry,
        )
        self._simulations = Counter("nebula_ai_simulations", "Simulations of all searches.", registry=registry)
        gauge("nebula_ai_cores_searching", "Cores that search now.", registry, lambda: searches.running)
        gauge("nebula_ai_searches_waiting", "Searches in the queue.", registry, lambda: searches.waiting)

    def count(self, call: Call) -> None:
        """Counts a call that has ended."""
        self._calls.labels(call.method, call.code.name).inc()
        self._seconds.labels(call.method).observe(call.seconds)
        notes = call.notes
        if "queue_seconds" in notes:
            self._queue.observe(notes["queue_seconds"])
        self._simulations.inc(notes.get("simulations", 0))

    def serve(self, address: str) -> str:
        """Answers HTTP at ``HOST:PORT``, or at ``PORT`` on loopback, in a thread of its own, until the process ends.

        Returns ``HOST:PORT``, where port 0 is the one that it took. Raises InvalidInput.
        """
        host, _, port = address.rpartition(":")
        host = host or LOOPBACK
        try:
            server, _ = start_http_server(int(port), host.strip("[]"), self.registry)
        except (ValueError, OverflowError):
            raise InvalidInput("metrics_address", f"must be HOST:PORT or PORT, not {shown(address)}") from None
        except OSError as error:
            raise InvalidInput("metrics_address", f"cannot listen at {shown(address)}: {error.strerror}") from None
        return f"{host}:{server.server_port}"


def gauge(name: str, text: str, registry: CollectorRegistry, value: Callable[[], float]) -> None:
    """A number that is asked for whenever somebody looks."""
    Gauge(name, text, registry=registry).set_function(value)
