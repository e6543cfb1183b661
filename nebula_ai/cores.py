"""How many cores there are to work with."""

import os


def available_cores() -> int:
    """How many cores this process may use: in a container or under taskset fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1  # systems where processes cannot be kept to some cores
