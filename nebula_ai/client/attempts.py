"""The attempts of one call: how often, how soon after each other, and for how long. Knows no method and sends nothing.

No method changes anything, so all of them may be asked again. It is worth it where the service could not be reached or
stopped (UNAVAILABLE), and where it says when it will have room (RESOURCE_EXHAUSTED with a RetryInfo).
"""

import random
import time
import uuid

import grpc

from nebula_ai.client.connection import Connection, checked_timeout
from nebula_ai.client.errors import ResourceExhausted, Unavailable, from_rpc

MAX_ATTEMPTS = 5
"""With the first. The last begins 1.5 to 2.25 seconds after the first: a service that restarts may be back by then."""

FIRST_PAUSE_SECONDS = 0.1
"""Before the second attempt, and twice as long before each further one."""

SPREAD = 0.5
"""By what share at most each pause is longer, at random: clients that were refused together come back apart, and never
earlier than they were told."""


class Attempts:
    """The attempts of one call. All of them have one request id and one deadline."""

    def __init__(self, connection: Connection, timeout: float | None) -> None:
        """`timeout`: seconds for all attempts together; None for the connection's. Raises InvalidInput."""
        seconds = connection.timeout if timeout is None else checked_timeout(timeout)
        self.request_id = uuid.uuid4().hex
        self.metadata = (("x-request-id", self.request_id), *connection.metadata)
        self._deadline = time.monotonic() + seconds
        self._failed = 0

    @property
    def seconds_left(self) -> float:
        """Until the deadline; below 0 after it."""
        return self._deadline - time.monotonic()

    def pause(self, error: grpc.RpcError, answered: bool = False) -> float:
        """Seconds to wait before the next attempt, after one that failed with `error`.

        `answered`: whether a part of the answer has come already; then there is no next one. Raises a ServiceError if
        there is no next attempt.
        """
        failure = from_rpc(error, self.request_id)
        self._failed += 1
        told = failure.retry_delay
        again = isinstance(failure, Unavailable) or (isinstance(failure, ResourceExhausted) and told is not None)
        seconds = max(told or 0.0, FIRST_PAUSE_SECONDS * 2.0 ** (self._failed - 1)) * random.uniform(1, 1 + SPREAD)
        if answered or not again or self._failed == MAX_ATTEMPTS or seconds >= self.seconds_left:
            raise failure from error
        return seconds
