"""What the README and the command line's page show is run, and comes out as they say."""

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PAGES = {page: (ROOT / page).read_text(encoding="utf-8") for page in ("README.md", "docs/command-line.md")}


def blocks(page: str, language: str) -> list[str]:
    """The fenced blocks of a page in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGES[page], re.MULTILINE | re.DOTALL)


def shell(script: str) -> subprocess.CompletedProcess[str]:
    """Runs a script as a reader would, who has the project's environment at hand and types nothing more."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=ROOT,
        env={**os.environ, "PATH": path},
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
    assert "\nchoose S04\nchoose S22\nseat 0: choose S22\nstopped: " in result.stdout
    assert result.stdout.endswith("The input has ended, and the game with it.\n")


def test_shell_examples_of_the_command_line() -> None:
    (commands,) = blocks("docs/command-line.md", "sh")
    result = shell(commands + 'nebula-ai show "$STATE"')
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith("piece red\npiece orange\n")
    assert "cluster 0  [v] ." in result.stdout


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page: str) -> None:
    for link in re.findall(r"\]\(([^)#]+)", PAGES[page]):
        assert (ROOT / page).parent.joinpath(link).exists(), link
