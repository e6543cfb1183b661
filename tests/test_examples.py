"""The examples run against a real server, as programs of their own, and so does what docs/clients.md shows."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples"
PAGE = (ROOT / "docs" / "clients.md").read_text(encoding="utf-8")
DEFAULT_ADDRESS = "127.0.0.1:50051"

REPORT = r"after \d+ simulations: .+"


def run(*command: str | Path, code: int = 0, environment: dict[str, str] | None = None) -> list[str]:
    """The lines that a program prints, which ends with `code`; at another end than 0 on standard error."""
    result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert result.returncode == code, result.stdout + result.stderr
    return (result.stderr if code else result.stdout).splitlines()


def matching(lines: list[str], pattern: str) -> list[str]:
    """The lines that look so from their start to their end."""
    return [line for line in lines if re.fullmatch(pattern, line)]


# --- Python ------------------------------------------------------------------------------------------------------


def test_a_game_in_python(server: str) -> None:
    lines = run(sys.executable, EXAMPLES / "python" / "play.py", server)
    assert matching(lines, REPORT)
    assert len(matching(lines, "advice: .+")) == 1
    assert {line[:7] for line in matching(lines, r"seat \d: .+")} == {"seat 0:", "seat 1:"}
    assert matching(lines[-2:-1], r"points \[\d+, \d+\] won by \[[01, ]+\]")
    assert lines[-1] == "refused: STATE_INVALID, field players: must be from 2 to 4, not 7"


def test_a_game_with_asyncio(server: str) -> None:
    lines = run(sys.executable, EXAMPLES / "python" / "play_asyncio.py", server)
    assert len(matching(lines, REPORT)) == 3
    assert {line[:7] for line in matching(lines, r"seat \d: .+")} == {"seat 0:", "seat 1:"}
    assert len(matching(lines, r"points \[-?\d+, -?\d+\] won by \[[01, ]+\]")) == 1
    assert lines[-1].startswith("refused: ARGUMENT_INVALID, field bot: 'nobody' is not known")


@pytest.mark.parametrize("block", re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))
def test_python_of_the_page(server: str, block: str) -> None:
    assert block.count(DEFAULT_ADDRESS) == 1
    assert matching(run(sys.executable, "-c", block.replace(DEFAULT_ADDRESS, server)), r"\d+ .+")


# --- Node --------------------------------------------------------------------------------------------------------


def why_not_node() -> str | None:
    """Why the example for Node cannot be run here; None if it can. The project itself does not need Node."""
    if shutil.which("node") is None:
        return "there is no Node"
    if not (EXAMPLES / "node" / "node_modules" / "@grpc" / "proto-loader").is_dir():
        return "its modules are not installed: run `npm ci` in examples/node"
    return None


@pytest.mark.skipif(why_not_node() is not None, reason=str(why_not_node()))
def test_moves_in_javascript(server: str) -> None:
    # The sanitiser of the checked build is for Python's process only.
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    lines = run("node", EXAMPLES / "node" / "play.js", server, environment=environment)
    assert len(matching(lines, r"seat [01]: .+")) == 8
    assert len(matching(lines, REPORT)) == 3
    assert lines[-2] == "refused: INVALID_ARGUMENT, MOVE_INVALID"
    assert lines[-1].startswith("move.text: '99' is not a space from 0 to 31")


# --- Reflection --------------------------------------------------------------------------------------------------


def reflect(*arguments: str, code: int = 0) -> list[str]:
    """What the example for reflection prints."""
    return run(sys.executable, EXAMPLES / "reflection" / "call.py", *arguments, code=code)


def test_list_and_describe(server: str) -> None:
    assert {"grpc.health.v1.Health", "nebula_ai.v1.OpponentService"} <= set(reflect(server, "list"))
    service = reflect(server, "describe", "nebula_ai.v1.OpponentService")
    assert service[0] == "service nebula_ai.v1.OpponentService"
    assert "  GetMove(nebula_ai.v1.GetMoveRequest) returns nebula_ai.v1.GetMoveResponse" in service
    assert (
        "  AnalyzeState(nebula_ai.v1.AnalyzeStateRequest) returns stream nebula_ai.v1.AnalyzeStateResponse" in service
    )
    assert reflect(server, "describe", "nebula_ai.v1.Score") == [
        "message nebula_ai.v1.Score",
        "  int32 seat = 1",
        "  int32 total = 2",
        "  map<string, int32> sources = 3",
    ]
    assert "  STOP_RULE_TIME = 1" in reflect(server, "describe", "nebula_ai.v1.StopRule")


def test_a_stream_by_reflection(server: str) -> None:
    created = "\n".join(
        reflect(server, "call", "nebula_ai.v1.OpponentService/CreateState", '{"game": "nebula", "players": 2}')
    )
    packed = re.search(r'"packed": "([^"]+)"', created)
    assert packed
    request = f'{{"state": {{"packed": "{packed[1]}"}}, "limits": {{"simulations": 100}}}}'
    reports = reflect(server, "call", "nebula_ai.v1.OpponentService/AnalyzeState", request)
    assert reports.count('  "final": true,') == 1


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("describe", "nebula_ai.v1.Nothing"), "the server knows no nebula_ai.v1.Nothing"),
        (("call", "nebula_ai.v1.OpponentService/Nothing", "{}"), "the server knows no .*/Nothing"),
        (("call", "nebula_ai.v1.OpponentService/ListBots", '{"gam": 1}'), "the request is wrong: .*gam.*"),
        (("call", "nebula_ai.v1.OpponentService/ListBots", '{"game": "chess"}'), r"NOT_FOUND: \{"),
        (("bake",), "What grpcurl does, .*"),
    ],
)
def test_what_reflection_refuses(server: str, arguments: tuple[str, ...], words: str) -> None:
    assert matching(reflect(server, *arguments, code=1)[:1], words)


@pytest.mark.parametrize("line", re.findall("^    grpcurl (.+)$", PAGE, re.MULTILINE))
def test_what_the_page_asks_with_grpcurl(server: str, line: str) -> None:
    """The example stands in for grpcurl: the same names and the same JSON."""
    plain, *data, address, command = re.fullmatch(r"(-plaintext) (?:-d ('.+') )?(\S+) (.+)", line).groups()  # type: ignore[union-attr]
    assert (plain, address) == ("-plaintext", DEFAULT_ADDRESS)
    request = shlex.split(data[0]) if data[0] else []
    assert reflect(server, *(["call"] if request else []), *command.split(), *request)
