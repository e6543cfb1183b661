"""Types, style, generated code and the build's own promises. Looks at files, not at the running core."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
TOOLS = Path(sys.executable).parent
GENERATED = ROOT / "nebula_ai" / "v1"
RELEASED = "tests/data/released.binpb"
"""The wire contract of the last release; `make released` writes it anew when a version is released."""


def run(*command: str | Path, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """What a command says and returns, run in `folder` with this environment's tools and a normal build's settings."""
    environment = {name: value for name, value in os.environ.items() if name != "NEBULA_CHECKED"}
    environment["PATH"] = f"{TOOLS}{os.pathsep}{environment['PATH']}"
    return subprocess.run(
        command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )


@pytest.mark.parametrize(
    "command",
    [
        "mypy",
        "ruff check",
        "ruff format --check",
        "cython-lint ext",
        "buf lint proto",
        f"buf breaking proto --against {RELEASED}",
    ],
)
def test_checks_pass(command: str) -> None:
    result = run(*command.split())
    if result.returncode:
        pytest.fail(f"{command}:\n{result.stdout}", pytrace=False)


def test_generated_code_is_fresh(tmp_path: Path) -> None:
    result = run("make", "proto", f"PROTO_OUT={tmp_path}")
    assert result.returncode == 0, result.stdout
    fresh = {path.name: path.read_bytes() for path in (tmp_path / "nebula_ai" / "v1").iterdir()}
    kept = {path.name: path.read_bytes() for path in GENERATED.glob("*_pb2*")}
    stale = sorted(name for name in fresh.keys() | kept.keys() if fresh.get(name) != kept.get(name))
    assert not stale, "run `make proto`, and remove what has no source any more"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Move runner_up = 4;", "Move runner_up = 6;", 'field "4" with name "runner_up"'),
        ("rpc GetMove(", "rpc FindMove(", 'RPC "GetMove"'),
        ("repeated Warning warnings = 15;", "repeated string warnings = 15;", "changed type"),
    ],
)
def test_a_change_that_breaks_the_released_contract_is_found(tmp_path: Path, old: str, new: str, words: str) -> None:
    shutil.copytree(ROOT / "proto", tmp_path / "proto")
    service = tmp_path / "proto" / "nebula_ai" / "v1" / "opponent_service.proto"
    text = service.read_text(encoding="utf-8")
    assert old in text
    service.write_text(text.replace(old, new), encoding="utf-8")
    result = run("buf", "breaking", "proto", "--against", ROOT / RELEASED, folder=tmp_path)
    assert result.returncode != 0
    assert words in result.stdout


HINTS = {
    "without noexcept": (
        """
cdef void count(int* n) nogil:
    n[0] += 1
""",
        "Exception check on 'count' will always require the GIL",
    ),
    "call of a pointer without noexcept": (
        """
cdef void call(void (*function)() nogil) noexcept nogil:
    function()
""",
        "Exception check after calling 'function' will always require the GIL",
    ),
    "untyped index": (
        """
def item(int[:] items, index):
    return items[index]
""",
        "Index should be typed",
    ),
}


@pytest.mark.parametrize(("source", "hint"), HINTS.values(), ids=HINTS.keys())
def test_performance_hint_breaks_the_build(tmp_path: Path, source: str, hint: str) -> None:
    package = tmp_path / "ext" / "nebula_core"
    package.mkdir(parents=True)
    for name in ("setup.py", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    (package / "__init__.py").touch()
    (package / "hinted.pyx").write_text(source)
    build = (sys.executable, "setup.py", "-q", "build_ext", "--inplace")
    for _ in range(2):  # a build that failed once fails again
        result = run(*build, folder=tmp_path)
        assert result.returncode != 0
        assert hint in result.stdout
