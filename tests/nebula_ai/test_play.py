"""Games in the terminal: a person's input against bots, and what the person may and may not see."""

import io
import os
import pty
import re
import subprocess
import sys
from collections.abc import Callable, Collection, Iterable
from pathlib import Path

import pytest
from rich.console import Console

from nebula_ai import play as plays
from nebula_ai.game import Game, seat_list
from nebula_ai.registry import Catalogue, load
from nebula_core.face import Generator, State
from tests.nebula_ai.conftest import COMMAND, Run

GAMES = Catalogue().games


def random_bot(state: State, seed: int) -> int:
    """A legal move by chance."""
    return state.random_move(Generator(seed))


def first_moves(state: State, seed: int) -> int:
    """The first legal move: games are all alike, but for what nobody at the table can see."""
    return state.legal_moves()[0]


def session(
    game: Game,
    people: Collection[int],
    lines: Iterable[str],
    *,
    seed: int = 5,
    bot: Callable[[State, int], int] = random_bot,
) -> tuple[plays.Session, io.StringIO]:
    """A session whose person types these lines, and what is printed."""
    out = io.StringIO()
    given = iter(lines)

    def read(prompt: str) -> str | None:
        line = next(given, None)
        out.write(f"{prompt}{line}\n")
        return line

    console = Console(file=out, width=100, highlight=False, markup=False)
    return plays.Session(game, people, bot, seed, read, console), out


def always(line: str) -> Iterable[str]:
    while True:
        yield line


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_any_seats_play_to_the_end(game: Game, seed: int) -> None:
    for players, people in ((2, {0, 1}), (4, {3}), (3, set[int]())):
        variant = game.variants[players % 2]
        table, out = session(game, people, always("1"), seed=seed)
        end = plays.play(table, game.new(players, variant, seed=seed))
        assert end.finished
        winners = game.winners(end)
        last = out.getvalue().splitlines()[-1].lower()
        assert last == f"{seat_list(winners)} {'wins' if len(winners) == 1 else 'share the win'}."
        totals = [score["total"] for score in game.breakdown(end) if score]
        assert re.search(r"^total +" + " +".join(map(str, totals)) + "$", out.getvalue(), re.MULTILINE)


def test_a_move_is_taken_by_number_and_by_text() -> None:
    game = load()
    state = game.new(2, seed=1)
    moves = state.legal_moves()
    for line, move in (("2", moves[1]), (f"  {game.format_move(state, moves[1])} ", moves[1]), ("1", moves[0])):
        table, _ = session(game, {0, 1}, [line])
        assert plays.play(table, state) == state.apply(move)


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("0", "There are moves 1 to 2."),
        ("3", "There are moves 1 to 2."),
        ("9" * 5000, "There are moves 1 to 2."),
        ("²", "is not known"),
        ("-1", "is not known"),
        ("fly away", "the word 'fly' is not known"),
        ("stop", "'stop' is not legal now"),
        ("x" * 10_000, "is not known"),
        ("\x1b[31mred", "is not known"),
        ("?", plays.HELP),
        ("help", plays.HELP),
    ],
)
def test_what_is_no_move_is_answered_and_asked_again(line: str, answer: str) -> None:
    game = load()
    state = game.new(2, seed=1)
    table, out = session(game, {0}, ["", line, "quit"])
    assert plays.play(table, state) == state
    printed = out.getvalue().split("\nseat 0> ", 2)[2].removeprefix(line)
    assert answer in printed
    assert len(printed) < 1000
    assert "\x1b" not in printed


def test_the_end_of_the_input_ends_the_game_politely() -> None:
    game = load()
    state = game.new(2, seed=1)
    table, out = session(game, {0}, [])
    assert plays.play(table, state) == state
    assert out.getvalue().endswith("The input has ended, and the game with it.\n")


def test_board_draws_the_board_again() -> None:
    game = load()
    table, out = session(game, {0}, ["board", "quit"])
    plays.play(table, game.new(2, seed=1))
    before, after = out.getvalue().split("seat 0> board\n")
    assert after.removesuffix("seat 0> quit\n") in before


def test_the_person_sees_nothing_that_is_hidden_from_their_seats() -> None:
    """Games that differ only in what seat 0 cannot see print the same, up to the final boards."""
    game = load()
    for players in game.players:
        start = game.new(players, seed=players)
        others = [start.determinize(0, Generator(number)) for number in range(3)]
        assert all(other != start for other in others)
        printed = set()
        for state in (start, *others):
            table, out = session(game, {0}, ["1"] * 12, bot=first_moves)
            assert not plays.play(table, state).finished
            printed.add(out.getvalue())
        assert len(printed) == 1


def test_of_the_setup_the_person_is_told_their_own_cards() -> None:
    game = load()
    table, out = session(game, {1}, [])
    state = plays.play(table, game.start(3))
    first, _ = out.getvalue().split("\nseat 0: ", 1)
    told = first.splitlines()
    assert all(line.startswith("chance: ") for line in told)
    assert told[0].endswith(" (cluster 0, space 0)")
    # The pieces and public cards, and of the personal tasks those of seat 1.
    assert len(told) == 3 * 6 + 1 + 1 + 2 + 4 + 4 + 2
    own = game.to_json(state)["personal"][1]["dealt"]
    assert [line for line in told if "personal" in line] == [
        f"chance: personal {card} (personal task {number} of 2 for seat 1)" for number, card in enumerate(own, 1)
    ]


def test_a_forced_move_may_be_secret(tmp_path: Path) -> None:
    house = tmp_path / "house.toml"
    standard = Path("nebula_ai/games/nebula/standard.toml").read_text(encoding="utf-8")
    house.write_text(standard.replace("personal_dealt = 2", "personal_dealt = 1"), encoding="utf-8")
    game = load("nebula", house)
    table, out = session(game, {1}, [])
    state = game.new(2, seed=1)
    (move,) = state.legal_moves()
    assert not plays.sees_move(state, move, 1)
    plays.play(table, state)
    assert out.getvalue().startswith("seat 0: a secret move\n")


def test_what_others_do_openly_is_told() -> None:
    game = load()
    table, out = session(game, {2}, always("1"))
    plays.play(table, game.new(3, seed=4))
    text = out.getvalue()
    for seat in (0, 1):
        assert f"seat {seat}: a secret move" in text
        assert f"seat {seat}: choose" not in text
        assert f"seat {seat}: invest" in text
        assert f"seat {seat}: take" in text
    assert re.search(r"^chance: piece \w+ \(refill of cluster \d, space \d\)$", text, re.MULTILINE)
    pieces = r"(red|orange|yellow|white|blue|violet|black_hole|nothing)"
    assert re.search(rf"^seat 1: take 0 \({pieces}\)$", text, re.MULTILINE)
    # The person's own moves are listed like that too, and how spaces are linked is told only once.
    assert re.search(rf"^ +1 invest 0 0 5 \({pieces}, {pieces}, {pieces}\)", text, re.MULTILINE)
    assert text.count("Seat 0, ") > text.count("Spaces are linked along their orbit") == 1


def test_a_whole_game_through_a_pipe(run: Run) -> None:
    result = run("play", "--simulations", "2", "--seed", "3", input="1\n" * 500)
    assert result.code == 0
    assert result.err == ""
    assert "\x1b" not in result.out
    assert "Nebula, full, 2 players, seed 3." in result.out
    assert "You have seat 0, the bot seat 1." in result.out
    assert re.search(r"^seat 0> 1$", result.out, re.MULTILINE)
    assert re.search(r"^total +\d+ +\d+$", result.out, re.MULTILINE)
    assert run("play", "--simulations", "2", "--seed", "3", input="1\n" * 500).out == result.out


def test_pipes_that_end_or_hold_no_text(run: Run) -> None:
    assert run("play", "--seed", "3", input="").code == 0
    result = run("play", "--seed", "3", "--seat", "0", "--seat", "1", input=b"\xff\xfe\x00\n1\nquit\n")
    assert result.code == 0
    assert "You have seats 0 and 1. A move" in result.out
    assert "seat 1> quit" in result.out


def test_in_a_terminal_it_is_coloured_unless_unwanted() -> None:
    for unwanted in ({}, {"NO_COLOR": "1"}):
        leader, follower = pty.openpty()
        environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
        process = subprocess.Popen(
            [sys.executable, "-c", COMMAND, "play", "--seed", "3"],
            stdin=follower,
            stdout=follower,
            stderr=follower,
            env=environment | {"TERM": "xterm-256color"} | unwanted,
        )
        os.close(follower)
        os.write(leader, b"?\nquit\n")
        text = b""
        while True:
            try:
                part = os.read(leader, 65536)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            text += part
        assert process.wait(60) == 0
        os.close(leader)
        assert b"seat 0> " in text
        assert plays.HELP[:30].encode() in text
        colours = re.findall(rb"\x1b\[[0-9;]*(?:3[0-7]|38;5|9[0-7])[0-9;]*m", text)
        assert bool(colours) != bool(unwanted)
