"""Work for other processes, which have to import it: so it stands apart from the tests and imports little."""

import os
import time

from nebula_ai.errors import InvalidInput


def refuse_three(number: int) -> int:
    """Work that fails at once for one item."""
    if number == 3:
        raise InvalidInput("number", "is three")
    return number


def die(number: int) -> int:
    """Work that ends its process."""
    os._exit(number)


def sleep(number: int) -> int:
    """Work that has an end for the first item only."""
    time.sleep(0 if number == 0 else 3600)
    return number
