"""How many cores there are to work with."""

import os
from collections.abc import Iterator
from pathlib import Path

MEMBERSHIP = Path("/proc/self/cgroup")
GROUPS = Path("/sys/fs/cgroup")
"""Where Linux says which control groups this process is in, and what these may use."""

QUOTA_FILES = (("cpu.max",), ("cpu.cfs_quota_us", "cpu.cfs_period_us"))
"""The files of a control group with its quota and the period that it is for, in microseconds: version 2, version 1."""


def available_cores() -> int:
    """How many cores this process may use, from 1: under taskset or in a container fewer than the machine has.

    A quota of processor time counts as so many whole cores: more threads would only wait for the next period.
    """
    # There are systems where processes cannot be kept to some cores.
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min([cores, *map(int, quotas(MEMBERSHIP, GROUPS))]))


def quotas(membership: Path, groups: Path) -> Iterator[float]:
    """The quotas that hold for a process, in cores: those of its control groups and of all groups above them.

    `membership`: the file that names its groups. `groups`: the folder of all groups. A container may see its own group
    as the topmost one, whatever it is called outside, or beside the topmost one (``/../x``); what is not there sets no
    limit.
    """
    try:
        lines = membership.read_text(errors="surrogateescape").splitlines()
    except OSError:  # not Linux
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        top = groups / "cpu" if controllers else groups
        group = top / path.lstrip("/")
        for folder in (group, *group.parents):
            if folder.is_relative_to(top) and ".." not in folder.parts:
                yield from quota(folder)


def quota(group: Path) -> Iterator[float]:
    """The quota of one control group in cores, if it has any."""
    for files in QUOTA_FILES:
        try:
            most, period = (int(word) for file in files for word in (group / file).read_text().split())
        except (OSError, ValueError):  # no such file; or version 2 says "max"
            continue
        if most > 0:  # version 1 says -1 where there is none
            yield most / period
