"""How many cores a process may use: its own and a container's limits."""

import os
import sys
from pathlib import Path

import pytest

from nebula_ai import cores
from nebula_ai.cores import available_cores, quotas

Case = tuple[dict[str, str], str, list[float], int]

CASES: dict[str, Case] = {
    "no files": ({}, "0::/\n", [], 4),
    "no quota": ({"cpu.max": "max 100000\n"}, "0::/\n", [], 4),
    "a container": ({"cpu.max": "150000 100000\n"}, "0::/\n", [1.5], 1),
    "a container that is called otherwise outside": ({"cpu.max": "50000 100000\n"}, "0::/pods/x\n", [0.5], 1),
    "a service of systemd and its slice": (
        {"a/b/cpu.max": "300000 100000\n", "a/cpu.max": "40000 20000\n", "cpu.max": "max 100000\n"},
        "0::/a/b\n",
        [3, 2],
        2,
    ),
    "another group": ({"a/cpu.max": "100000 100000\n", "b/cpu.max": "200000 100000\n"}, "0::/b\n", [2], 2),
    "version 1": (
        {"cpu/a/cpu.cfs_quota_us": "250000\n", "cpu/a/cpu.cfs_period_us": "100000\n", "cpu/cpu.cfs_quota_us": "-1\n"},
        "12:memory:/m\n3:cpu,cpuacct:/a\n1:name=systemd:/a\n",
        [2.5],
        2,
    ),
    "version 1 without a quota": (
        {"cpu/cpu.cfs_quota_us": "-1\n", "cpu/cpu.cfs_period_us": "100000\n"},
        "2:cpuset:/\n1:cpu:/\n0::/\n",
        [],
        4,
    ),
    "a group beside the topmost one": (
        {"cpu.max": "300000 100000\n", "../x/cpu.max": "100000 100000\n", "../cpu.max": "100000 100000\n"},
        "0::/../x\n",
        [3],
        3,
    ),
    "a name that is no text": ({"\udcff/cpu.max": "100000 100000\n"}, "0::/\udcff\n", [1], 1),
    "a folder of some other kind above": ({"../cpu.max": "100000 100000\n"}, "0::/\n", [], 4),
}


@pytest.fixture(params=CASES)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path, list[float], int]:
    """The file of a process and the folder of all groups; the quotas that they tell, and what they leave of 4 cores."""
    files, lines, expected, left = CASES[request.param]
    membership, groups = tmp_path / "cgroup", tmp_path / "above" / "groups"
    membership.write_text(lines, errors="surrogateescape")
    groups.mkdir(parents=True)
    for name, content in files.items():
        (groups / name).parent.mkdir(parents=True, exist_ok=True)
        (groups / name).write_text(content)
    return membership, groups, expected, left


def test_quotas(case: tuple[Path, Path, list[float], int], monkeypatch: pytest.MonkeyPatch) -> None:
    membership, groups, expected, left = case
    assert list(quotas(membership, groups)) == expected
    monkeypatch.setattr(cores, "MEMBERSHIP", membership)
    monkeypatch.setattr(cores, "GROUPS", groups)
    if sys.platform == "linux":
        monkeypatch.setattr(os, "sched_getaffinity", lambda _process: set(range(4)))
        assert available_cores() == left


def test_where_there_are_no_control_groups(tmp_path: Path) -> None:
    assert list(quotas(tmp_path / "none", tmp_path)) == []
    assert available_cores() >= 1
