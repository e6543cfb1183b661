"""What the README and the pages on the command line and the service show is run, and comes out as they say."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = {
    page: (ROOT / page).read_text(encoding="utf-8")
    for page in ("README.md", "docs/command-line.md", "docs/api.md", "docs/clients.md")
}


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """Runs a script as a reader would, who has the project's environment at hand and types nothing more."""
    # Parallel test processes set the width of a terminal that the reader does not have.
    environment = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        env={**environment, "PATH": path},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_python_examples() -> None:
    examples = "".join(blocks("README.md", "python"))
    test = doctest.DocTestParser().get_doctest(examples, {}, "README.md", "README.md", 0)
    assert len(test.examples) == 7
    said: list[str] = []
    result = doctest.DocTestRunner().run(test, out=said.append)
    assert result.failed == 0, "".join(said)


def test_a_move_takes_five_lines() -> None:
    first = blocks("README.md", "python")[0]
    assert len(re.findall("^>>> ", first, re.MULTILINE)) == 5


def test_shell_examples() -> None:
    set_up, commands = blocks("README.md", "sh")
    assert re.findall("^make ([a-z]+)", set_up, re.MULTILINE) == ["serve", "test"]
    result = shell(commands)
    assert (result.returncode, result.stderr) == (0, "")
    # The boards, the legal moves, the bot's move, and a game that ends with its input.
    assert result.stdout.startswith("Nebula, ")
    assert re.search("\nchoose S04\nchoose S22\nseat 0: choose S04\nKeeps S04 .*\nstopped: ", result.stdout)
    assert result.stdout.endswith("The input has ended, and the game with it.\n")


def test_shell_examples_of_the_command_line() -> None:
    commands = "".join(blocks("docs/command-line.md", "sh"))
    result = shell(commands + 'nebula-ai show "$STATE"')
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("piece red\npiece orange\n")
    # What is pending is said, then what was drawn, each with what for.
    assert "round 1: chance (cluster 0, space 3)\n" in result.stdout
    noted = result.stderr.splitlines()
    assert noted[:2] == [
        "a chance event is pending (cluster 0, space 0)",
        "chance: piece blue (cluster 0, space 3)",
    ]
    assert all(re.fullmatch(r"chance: \w+ \w+ \(.+\)", line) for line in noted[1:])
    assert "\ninvest 0 0 5\n" in result.stdout
    assert "round 1: chance (refill of cluster 0, space 3)\n" in result.stdout
    assert re.search(
        "round 1: seat 1 to invest or give in to chaos\n(.*\n){2}cluster 0   v  r  @ \\[w\\]", result.stdout
    )


def client(page: str, server: str) -> list[str]:
    """What the page's client of the service prints, in a process of its own."""
    (example,) = [block for block in blocks(page, "python") if "grpc" in block]
    assert example.count("127.0.0.1:50051") == 1
    program = example.replace("127.0.0.1:50051", server)
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout.splitlines()


def test_client_of_the_readme(server: str) -> None:
    (line,) = client("README.md", server)
    assert re.fullmatch(r"seat 0: choose S\d\d", line)


def test_whole_game_of_the_services_page(server: str) -> None:
    *moves, end = client("docs/api.md", server)
    assert re.fullmatch(r"points \[\d+, \d+\] won by \[[01, ]+\]", end)
    assert {line[:8] for line in moves} == {"seat 0: ", "seat 1: "}


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)", PAGES[page]):
        assert (ROOT / page).parent.joinpath(link).exists(), link
