"""The arena: what is played, from which random numbers, what the results mean, and what is found wrong in a file."""

import importlib.util
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nebula_ai import Generator, InvalidInput, State, load
from nebula_ai.arena import games
from nebula_ai.arena.results import Fixture, Header, Record, first_missing, line_of, made_header, read
from nebula_ai.arena.spread import in_processes
from nebula_ai.arena.statistics import estimate, pair_results, units
from nebula_ai.registry import GAMES
from tests.nebula_ai.conftest import COMMAND, Outcome, Run
from tests.nebula_ai.work import die, refuse_three, sleep

GAME = load()
BOTS = ("plain:simulations=3", "random")
TRIO = ("random", "random", "random")


def header_of(
    bots: tuple[str, ...] = BOTS, players: int = 2, setups: int = 2, seed: int = 7, game: str | None = None
) -> Header:
    """The header of a small run with all variants."""
    made = load(game)
    return made_header(made, players, list(made.variants), list(bots), seed=seed, setups=setups)


@cache
def played(header: Header) -> list[Record]:
    """All games of a run, in order."""
    return [games.play(header, None, fixture).record for fixture in header.fixtures()]


def write(path: Path, header: Header, records: list[Record]) -> Path:
    """A file of results."""
    lines = [line_of(header.as_json()), *(line_of(record.as_json(header)) for record in records)]
    path.write_bytes(b"".join(lines))
    return path


HEADER = header_of()


# --- What is played ----------------------------------------------------------------------------------------------


@given(bots=st.integers(2, 6), players=st.integers(2, 4), setups=st.integers(1, 4))
def test_each_setup_is_played_once_with_the_challenger_at_every_seat(bots: int, players: int, setups: int) -> None:
    header = replace(HEADER, bots=tuple(f"bot{number}" for number in range(bots)), players=players, setups=setups)
    fixtures = list(header.fixtures())
    assert len(set(fixtures)) == len(fixtures) == header.games
    assert len(fixtures) == len(header.pairs) * setups * players
    for pair in header.pairs:
        for setup in range(setups):
            of_setup = [fixture for fixture in fixtures if fixture.pair == pair and fixture.setup == setup]
            seats = [header.seats(fixture) for fixture in of_setup]
            # Each of the games has the challenger once, and all of them have it once at each seat.
            assert all(sorted(of_game) == sorted([pair[0]] + [pair[1]] * (players - 1)) for of_game in seats)
            assert [of_game.index(pair[0]) for of_game in seats] == list(range(players))


@pytest.mark.parametrize(
    ("bots", "players", "pairs"),
    [
        (2, 2, [(0, 1)]),
        (2, 4, [(0, 1)]),
        (3, 2, [(0, 1), (0, 2), (1, 2)]),
        (3, 3, [(0, 1), (0, 2), (1, 0), (1, 2), (2, 0), (2, 1)]),
    ],
)
def test_two_bots_have_a_match_and_more_a_round_robin(bots: int, players: int, pairs: list[tuple[int, int]]) -> None:
    assert replace(HEADER, bots=("random",) * bots, players=players).pairs == pairs


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize(("players", "bots"), [(2, BOTS), (2, ("random", "random")), (4, ("random", "random"))])
def test_chance_comes_from_the_setup_alone_whoever_plays(game: str, players: int, bots: tuple[str, ...]) -> None:
    header = header_of(bots, players, game=game)
    rules = load(game)
    starts = set()
    for fixture in header.fixtures():
        record = games.play(header, None, fixture).record
        # A generator that nothing else draws from gives all deals and draws of the game.
        chance = Generator(header.seed, fixture.setup)
        state, _ = rules.start(players, rules.variants[fixture.setup % len(rules.variants)]).settle(chance)
        starts.add((fixture.setup, state))
        for move in record.moves:
            state, _ = state.apply(move).settle(chance)
        points, shares = state.outcome()
        assert (list(record.points), list(record.shares)) == (points, shares)
    # The games of a setup begin alike, those of two setups do not.
    assert len(starts) == header.setups == len({state for _, state in starts})


def test_decisions_draw_from_seeds_of_their_own() -> None:
    header = header_of(players=4, setups=3)
    places = [(fixture, ply) for fixture in header.fixtures() for ply in range(50)]
    seeds = {games.decision_seed(header, fixture, ply) for fixture, ply in places}
    assert len(seeds) == len(places)
    other = replace(header, seed=header.seed + 1)
    assert seeds.isdisjoint(games.decision_seed(other, fixture, ply) for fixture, ply in places)
    assert all(0 <= seed < 1 << 64 for seed in seeds)


def test_no_bot_gets_to_see_what_its_seat_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    bot_class = type(games.opened(HEADER, None)[1][1])
    move = bot_class.move
    seen: list[State] = []

    def spy(self: Any, state: State, **options: Any) -> Any:
        seen.append(state)
        return move(self, state, **options)

    monkeypatch.setattr(bot_class, "move", spy)
    games.play(HEADER, None, Fixture((0, 1), 0, 0))
    assert len(seen) > 10
    assert all(state.seat == 1 and state == state.observe(1) for state in seen)


def test_the_workers_change_nothing() -> None:
    work = partial(games.play, HEADER, None)
    found = [one.record for one in in_processes(work, HEADER.fixtures(), 2)]
    assert sorted(found, key=lambda record: record.fixture) == played(HEADER)


def test_a_bot_thinks_where_it_has_a_choice() -> None:
    one = games.play(HEADER, None, Fixture((0, 1), 0, 0))
    chance, state = games.dealt(HEADER, GAME, 0)
    choices = [0, 0]
    for move in one.record.moves:
        assert state.seat is not None
        choices[state.seat] += len(state.legal_moves()) > 1
        state, _ = state.apply(move).settle(chance)
    assert [thinking.decisions for thinking in one.thinking] == choices
    assert all(thinking.seconds > 0 for thinking in one.thinking)


# --- Workers -----------------------------------------------------------------------------------------------------


def test_what_work_raises_comes_back() -> None:
    with pytest.raises(InvalidInput, match="number: is three"):
        list(in_processes(refuse_three, range(100), 2))


def test_a_worker_that_dies_ends_the_run() -> None:
    with pytest.raises(BrokenProcessPool):
        list(in_processes(die, range(1, 5), 2))


def test_closing_ends_work_that_goes_on() -> None:
    with closing(in_processes(sleep, range(5), 2)) as made:
        assert next(made) == 0


# --- What the results mean ---------------------------------------------------------------------------------------

SHARES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=1, max_size=60)


@given(SHARES)
def test_an_interval_holds_its_mean_and_turns_round_with_the_sides(shares: list[float]) -> None:
    found = estimate(shares)
    assert 0 <= found.low <= found.mean <= found.high <= 1
    assert found.low < found.high
    turned = estimate([1 - share for share in shares])
    assert turned.mean == pytest.approx(1 - found.mean)
    assert turned.low == pytest.approx(1 - found.high)
    assert turned.high == pytest.approx(1 - found.low)


def test_an_interval_is_that_of_the_textbook() -> None:
    # Wilson's interval for 10 of 10, and for 81 of 263: Newcombe (1998).
    all_won = estimate([1.0] * 10)
    assert [all_won.low, all_won.high] == pytest.approx([0.7225, 1.0], abs=1e-4)
    some_won = estimate([1.0] * 81 + [0.0] * 182)
    assert [some_won.low, some_won.high] == pytest.approx([0.2553, 0.3662], abs=5e-4)


def test_an_interval_is_narrower_where_setups_vary_less_than_single_games() -> None:
    even = [0.5] * 80 + [0.0, 1.0] * 10
    found = estimate(even)
    deviation = (5 / 99) ** 0.5
    assert found.high - found.mean == pytest.approx(1.96 * deviation / 10, rel=0.02)


def test_intervals_hold_the_truth_as_often_as_they_say(seed: int) -> None:
    generator = random.Random(seed)
    held = 0
    for _ in range(500):
        luck = [generator.random() for _ in range(40)]
        # Two games of a setup, with the same luck for who has the better seat: win probabilities 0.8 ± 0.2.
        setups = [sum(generator.random() < 0.6 + 0.4 * of_setup for _ in range(2)) / 2 for of_setup in luck]
        found = estimate(setups)
        held += found.low <= 0.8 <= found.high
    assert held / 500 > 0.9, f"seed {seed}"


def record(setup: int, seat: int, *shares: float) -> Record:
    """A game of the pair 0, 1 with these shares."""
    return Record(Fixture((0, 1), setup, seat), (0,) * len(shares), shares, ())


def test_ties_split_and_a_setup_is_one_observation() -> None:
    header = replace(HEADER, setups=3)
    found = [record(0, 0, 0.5, 0.5), record(0, 1, 0, 1), record(1, 0, 0, 1), record(1, 1, 0.5, 0.5), record(2, 0, 0, 1)]
    # The last setup is not complete.
    assert units(header, found) == {(0, 1): {0: 0.75, 1: 0.25}}
    (result,) = pair_results(header, found)
    assert (result.setups, result.games, result.share) == (2, 4, estimate([0.75, 0.25]))
    assert pair_results(header, [])[0].share is None


@given(st.lists(st.sampled_from([(0.0, 1.0), (1.0, 0.0), (0.5, 0.5)]), min_size=8, max_size=8))
def test_what_one_bot_does_not_win_the_other_does(shares: list[tuple[float, float]]) -> None:
    header = replace(HEADER, setups=4)
    found = [record(number // 2, number % 2, *of_game) for number, of_game in enumerate(shares)]
    # The same games told with the other bot as the challenger.
    told = [replace(one, fixture=one.fixture._replace(seat=1 - one.fixture.seat)) for one in found]
    for setup, share in units(header, found)[0, 1].items():
        assert share + units(header, told)[0, 1][setup] == 1


# --- The command -------------------------------------------------------------------------------------------------


def good(outcome: Outcome) -> str:
    """What a command printed that went well."""
    assert (outcome.code, outcome.err) == (0, "")
    return outcome.out


def refuses(outcome: Outcome, pattern: str) -> None:
    """Exit status 2, and one readable line that matches."""
    assert (outcome.code, outcome.out) == (2, "")
    (line,) = outcome.err.splitlines()
    assert re.fullmatch(f"error: {pattern}", line), line
    assert line.isprintable()


OPTIONS = ("--setups", "2", "--seed", "7", "--variant", "all")


def play(run: Run, path: Path, *more: str) -> Outcome:
    """Plays the run that `HEADER` is of."""
    return run("arena", "play", *BOTS, *OPTIONS, "--workers", "1", "--output", str(path), *more)


def lines_of(path: Path) -> list[bytes]:
    """The lines of a file, the header first and the games in order."""
    first, *rest = path.read_bytes().splitlines(keepends=True)
    return [first, *sorted(rest)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The results of a small run."""
    return write(tmp_path / "results.jsonl", HEADER, played(HEADER))


def test_play_writes_the_results_and_prints_their_table(run: Run, file: Path, tmp_path: Path) -> None:
    out = good(play(run, tmp_path / "new.jsonl"))
    assert lines_of(tmp_path / "new.jsonl") == lines_of(file)
    first, heading, row, *times = out.splitlines()
    assert first == "nebula (standard), full and basic, 2 players, seed 7: 4 of 4 games"
    assert heading.split() == ["challenger", "against", "wins", "95", "%", "interval", "even", "setups", "games"]
    assert re.fullmatch(r"plain:simulations=3 +random +[\d.]+% +[\d.]+% to [\d.]+% +50.0% +2 +4", row)
    assert [re.split("  +", line)[0] for line in times] == ["bot", *BOTS]
    assert all(re.search(r"  \d+\.\d  +\d+$", line) for line in times[1:])
    # What is there needs not be played again, and nothing is known of how long it took.
    assert good(play(run, tmp_path / "new.jsonl")) == good(run("arena", "show", str(file))) == out.split("bot")[0]


def test_play_as_json(run: Run) -> None:
    command = ("arena", "play", *TRIO, "--players", "3", "--setups", "1", "--json")
    found = json.loads(good(run(*command, "--workers", "1")))
    assert Header.from_json(found["header"]).bots == TRIO
    assert len(found["pairs"]) == 6
    for pair in found["pairs"]:
        assert pair.keys() == {"challenger", "other", "share", "even", "setups", "games"}
        assert pair["share"]["low"] <= pair["share"]["mean"] <= pair["share"]["high"]
        assert (pair["even"], pair["setups"], pair["games"]) == (1 / 3, 1, 3)
    assert [bot["bot"] for bot in found["bots"]] == found["header"]["bots"]
    assert all(bot["decisions"] > 0 and bot["seconds"] > 0 for bot in found["bots"])


def test_help_has_examples(run: Run) -> None:
    assert good(run("arena")) == good(run("arena", "--help"))
    for command in ("play", "verify", "show"):
        assert f" {command} " in good(run("arena"))
        assert "Example" in good(run("arena", command, "--help"))


def test_the_format_is_the_documented_one(file: Path) -> None:
    header, *lines = map(json.loads, file.read_text(encoding="utf-8").splitlines())
    page = Path("docs/arena.md").read_text(encoding="utf-8")
    (example,) = re.findall("^```json\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    first, game = map(json.loads, example.splitlines())
    assert header.keys() == first.keys() == Header.from_json(first).as_json().keys()
    assert all(line.keys() == game.keys() for line in lines)


@pytest.mark.parametrize("kept", [0, 1, 100, -1, -700, 1500])
def test_a_run_that_was_cut_goes_on(run: Run, file: Path, tmp_path: Path, kept: int) -> None:
    content = file.read_bytes()
    again = tmp_path / "again.jsonl"
    again.write_bytes(content[:kept])
    good(play(run, again))
    assert lines_of(again) == lines_of(file)
    complete = content[:kept].rpartition(b"\n")[0]
    assert again.read_bytes().startswith(complete)


@pytest.mark.parametrize(
    ("options", "field"),
    [
        (("--seed", "8"), r"seed: .* \(7, not 8\)"),
        (("--setups", "3"), r"setups: .* \(2, not 3\)"),
        (("--players", "3"), r"players: .* \(2, not 3\)"),
        (("--game", "via_nebula"), r"game: .* \(nebula, not via_nebula\)"),
        (("plain",), r"bots: .* \(plain:simulations=3, random, not plain:simulations=3, random, plain\)"),
    ],
)
def test_a_file_of_another_run_is_refused_and_kept(run: Run, file: Path, options: tuple[str, ...], field: str) -> None:
    content = file.read_bytes()
    refuses(play(run, file, *options), f"{field}: choose another --output")
    assert file.read_bytes() == content


def test_a_file_of_bots_with_other_settings_is_refused_and_kept(run: Run, file: Path) -> None:
    # As after a change of the game's file of bots.
    content = changed(file, 1, setting("settings_hashes", ["0123", HEADER.settings_hashes[1]])).read_bytes()
    refuses(
        play(run, file), r"settings_hashes: .* \(with other settings of plain:simulations=3\): choose another --output"
    )
    assert file.read_bytes() == content


@pytest.mark.parametrize("content", [b"notes", b"notes\n", b"{}\n", b'{"arena":2}\n', b"\n", b"\xff\xfe\n", b"[]"])
def test_a_file_that_is_none_of_results_is_refused_and_kept(run: Run, tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "notes"
    path.write_bytes(content)
    refuses(play(run, path), r".*notes:1: .+")
    assert path.read_bytes() == content
    for command in ("show", "verify"):
        refuses(run("arena", command, str(path)), r".*notes:1: .+")


@pytest.mark.parametrize(
    ("arguments", "pattern"),
    [
        (("random",), "bots: must have 2 to 32 elements, not 1"),
        (("random", "none"), "bot: 'none' is not known.*"),
        (("random", "random", "--setups", "0"), "setups: must be 1 to 1000000, not 0"),
        (("random", "random", "--seed", "-1"), "seed: must be 0 to .*, not -1"),
        (("random", "random", "--players", "9"), "players: must be 2 to 4, not 9"),
        (("random", "random", "--variant", "none"), "variant: 'none' is not known.*"),
        (("random", "random", "--variant", "full", "--variant", "full"), "variants: must be different ones"),
        (("random", "random", "--variant", "all", "--variant", "full"), "variant: all stands for every variant, .*"),
        (("random", "random", "--game", "chess"), "game: 'chess' is not known.*"),
        (("random", "random", "--ray-address", "here:1"), "--ray-address says where Ray is: give --ray as well"),
        (("random", "random", "--output", "/none/results"), "/none/results: No such file or directory"),
        (("random", "random", "--output", "tests"), "output: must be an ordinary file, or none yet, not .*tests.*"),
        (("random", "random", "--output", "/dev/null"), "output: must be an ordinary file, or none yet, not .*null.*"),
    ],
)
def test_play_refuses(run: Run, arguments: tuple[str, ...], pattern: str) -> None:
    refuses(run("arena", "play", *arguments), pattern)


def test_ctrl_c_keeps_what_was_played(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "results.jsonl"
    command = ("arena", "play", "plain:simulations=3", "random", "--setups", "100000", "--workers", "2")
    with subprocess.Popen(
        [sys.executable, "-c", COMMAND, *command, "--output", str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        while not path.exists() or path.read_bytes().count(b"\n") < 3:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate()
    games_there = len(read(path).records)
    assert (process.returncode, out) == (130, "")
    assert err == f"{games_there} of 200,000 games are in {path}: the same command goes on from there\n"
    assert good(run("arena", "show", str(path))).splitlines()[0].endswith(f" {games_there} of 200,000 games")


def test_ray_that_is_not_installed(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    refuses(run("arena", "play", *BOTS, "--ray"), r"Ray is not installed: .*nebula-ai\[ray\]'")


@pytest.mark.skipif(importlib.util.find_spec("ray") is None, reason="Ray is not installed")
@pytest.mark.skipif(os.environ.get("NEBULA_CHECKED") == "1", reason="Ray is not built for the sanitiser")
def test_ray_plays_the_same_games(file: Path, tmp_path: Path) -> None:
    path = tmp_path / "ray.jsonl"
    command = ("arena", "play", *BOTS, *OPTIONS, "--ray", "--workers", "2", "--output", str(path))
    result = subprocess.run([sys.executable, "-c", COMMAND, *command], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert lines_of(path) == lines_of(file)


# --- Verifying ---------------------------------------------------------------------------------------------------


def verify(run: Run, path: Path, *options: str) -> Outcome:
    """Verifies a file in this process."""
    return run("arena", "verify", str(path), "--workers", "1", *options)


def differs(outcome: Outcome, pattern: str) -> None:
    """Exit status 1, and one line with the difference."""
    assert (outcome.code, outcome.err) == (1, "")
    (line,) = outcome.out.splitlines()
    assert re.search(f"{pattern}$", line), line


def test_verify_agrees_with_what_was_played(run: Run, file: Path) -> None:
    decisions = sum(len(record.moves) for record in played(HEADER))
    for options in ((), ("--search",)):
        assert good(verify(run, file, *options)) == f"4 games, {decisions:,} decisions: all agree\n"
    found = json.loads(good(verify(run, file, "--json")))
    assert found == {"agree": True, "games": 4, "decisions": decisions, "problems": []}


Change = Callable[[dict[str, Any]], None]


def changed(path: Path, line: int, change: Change) -> Path:
    """The file with one of its lines (from 1) changed."""
    values = [json.loads(text) for text in path.read_text(encoding="utf-8").splitlines()]
    change(values[line - 1])
    path.write_text("".join(json.dumps(value) + "\n" for value in values), encoding="utf-8")
    return path


def setting(key: str, value: object) -> Change:
    """Sets a key."""
    return lambda line: line.update({key: value})


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda line: line["moves"].__setitem__(9, 1), r"moves\[9\]: 1 is not legal for seat \d .*"),
        (lambda line: line["moves"].pop(), r"moves: the game is not over after these \d+"),
        (lambda line: line["moves"].append(1), r"moves\[\d+\]: the game is over after \d+ moves, not after \d+"),
        (lambda line: line["moves"].clear(), r"moves: the game is not over after these 0"),
        (lambda line: line["points"].__setitem__(1, 999), r"points: \d+, 999 in the file, \d+, \d+ by these moves"),
        (setting("shares", [0.5, 0.5]), r"shares: 0.5, 0.5 in the file, [\d.]+, [\d.]+ by these moves"),
    ],
)
def test_verify_finds_what_is_changed(run: Run, file: Path, change: Change, difference: str) -> None:
    differs(verify(run, changed(file, 3, change)), f"results.jsonl:3: {difference}")


@pytest.mark.parametrize("change", [setting("seed", 8), lambda line: line["variants"].reverse()])
def test_verify_finds_games_of_another_run(run: Run, file: Path, change: Change) -> None:
    outcome = verify(run, changed(file, 1, change))
    # Other deals: the moves lead nowhere. The variants of the games are another thing than the header says.
    assert outcome.code in (1, 2)
    assert "results.jsonl:2: " in outcome.out + outcome.err


@pytest.mark.parametrize(
    ("line", "change", "reason"),
    [
        (1, setting("players", 5), "players: must be 2 to 4, not 5"),
        (1, setting("bots", ["random"]), "bots: must have 2 to 32 elements, not 1"),
        (1, setting("bots", ["random", "\x1b[2J"]), r"bots\[1\]: must be 1 to 400 printable characters.*"),
        (1, setting("settings_hashes", ["0123"]), "settings_hashes: must have 2 elements, not 1"),
        (1, setting("extra", 1), "extra: the key 'extra' is not known .*"),
        (1, setting("seed", 1 << 64), "seed: must be .*"),
        (1, setting("setups", 1), "setup: must be 0, not 1"),
        (2, setting("pair", [1, 0]), "pair: the header's bots have no pair 1, 0"),
        (2, setting("pair", [0, 2]), r"pair\[1\]: must be 0 to 1, not 2"),
        (2, setting("setup", 2), "setup: must be 0 to 1, not 2"),
        (2, setting("seat", 2), "seat: must be 0 to 1, not 2"),
        (2, setting("seat", True), "seat: must be a whole number, not true"),
        (2, setting("seat", 1), r"bots: must be \[1, 0\] for this pair and seat"),
        (2, setting("variant", "basic"), "variant: setup 0 is of full, not of 'basic'"),
        (2, setting("shares", [2, -1]), r"shares\[0\]: must be 0 to 1, not 2"),
        (2, setting("shares", [1]), "shares: must have 2 elements, not 1"),
        (2, setting("points", [1, 2, 3]), "points: must have 2 elements, not 3"),
        (2, setting("moves", ["x"]), r"moves\[0\]: must be a whole number, not 'x'"),
        (2, setting("moves", [1 << 32]), r"moves\[0\]: must be 0 to 4294967295, not 4294967296"),
        (2, lambda line: line.pop("moves"), "moves: is missing"),
    ],
)
def test_what_is_no_such_line_is_named(run: Run, file: Path, line: int, change: Change, reason: str) -> None:
    # What is wrong about the number of setups shows where there are more.
    where = 4 if reason == "setup: must be 0, not 1" else line
    outcome = verify(run, changed(file, line, change))
    refuses(outcome, f".*results.jsonl:{where}: {reason}")


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (setting("game", "chess"), "game: 'chess' is not known.*"),
        (setting("edition", "house"), "edition: must be standard, not 'house'; .* --edition FILE"),
        (setting("edition_hash", "00"), "edition_hash: the edition standard has [0-9a-f]+, not '00'"),
        (setting("bots", ["plain:simulations=3", "none"]), r"bots\[1\]: 'none' is not known.*"),
        (setting("bots", ["plain: simulations=3", "random"]), r"bots\[0\]: must be written plain:simulations=3, .*"),
    ],
)
def test_a_header_that_makes_no_sense_here_is_refused(run: Run, file: Path, change: Change, reason: str) -> None:
    refuses(verify(run, changed(file, 1, change)), reason)


def test_verify_wants_every_game_once(run: Run, file: Path) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:3]))
    missing = "the game of pair 0, 1, setup 1, seat 0 and 1 more"
    differs(verify(run, file), f":3: the file ends without {missing}")
    file.write_bytes(b"".join([*lines, lines[2]]))
    refuses(verify(run, file), ".*:6: the game of pair 0, 1, setup 0, seat 1 stands already on line 3")
    file.write_bytes(b"".join(lines) + b"{")
    differs(verify(run, file), ":6: the line is cut")
    file.write_bytes(b"".join([*lines, b"\n"]))
    refuses(verify(run, file), ".*:6: not JSON: .*")


def other_game(header: Header, record: Record, ply: int) -> Record:
    """A game that is recorded well, but in which one move and all that follows are not the bots'."""
    chance, state = games.dealt(header, GAME, record.fixture.setup)
    moves: list[int] = []
    while not state.finished:
        legal = [move for move in state.legal_moves() if len(moves) != ply or move != record.moves[ply]]
        moves.append(record.moves[len(moves)] if len(moves) < ply else legal[0])
        state, _ = state.apply(moves[-1]).settle(chance)
    points, shares = state.outcome()
    return Record(record.fixture, tuple(points), tuple(shares), tuple(moves))


def first_choice(header: Header, record: Record, bot: int) -> int:
    """The first decision in which a bot has a choice."""
    chance, state = games.dealt(header, GAME, record.fixture.setup)
    for ply, move in enumerate(record.moves):
        assert state.seat is not None
        if header.seats(record.fixture)[state.seat] == bot and len(state.legal_moves()) > 1:
            return ply
        state, _ = state.apply(move).settle(chance)
    raise AssertionError("no choice")


@pytest.mark.parametrize("bot", [0, 1])
def test_a_search_finds_moves_that_the_bots_did_not_make(run: Run, tmp_path: Path, bot: int) -> None:
    ply = first_choice(HEADER, played(HEADER)[0], bot)
    path = write(tmp_path / "results.jsonl", HEADER, [other_game(HEADER, played(HEADER)[0], ply), *played(HEADER)[1:]])
    good(verify(run, path))
    name = re.escape(BOTS[bot])
    differs(verify(run, path, "--search"), rf":2: moves\[{ply}\]: \d+ in the file, but seat \d \({name}\) makes \d+ .*")


def test_a_search_leaves_out_bots_with_a_time_limit(run: Run, tmp_path: Path) -> None:
    header = header_of(("plain:time=1e-05", "plain:time=0.00002"), setups=1)
    records = [other_game(header, record, 0) for record in played(header)]
    good(verify(run, write(tmp_path / "results.jsonl", header, records), "--search"))


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        ("bench_signature", "0123", "bench_signature: the bots here are of [0-9a-f]+, those of the run of '0123'"),
        (
            "settings_hashes",
            ["0123", HEADER.settings_hashes[1]],
            r"settings_hashes\[0\]: plain:simulations=3 has other settings here than in the run",
        ),
    ],
)
def test_a_search_needs_the_bots_that_played(run: Run, file: Path, key: str, value: object, reason: str) -> None:
    good(verify(run, changed(file, 1, setting(key, value))))
    refuses(verify(run, file, "--search"), reason)


def test_no_game_is_played_by_bots_that_have_changed_since() -> None:
    header = replace(HEADER, settings_hashes=(HEADER.settings_hashes[0], "0123"))
    with pytest.raises(InvalidInput, match=r"^settings_hashes\[1\]: random has other settings"):
        games.play(header, None, Fixture((0, 1), 0, 0))


def test_an_edition_of_ones_own_has_to_be_given(run: Run, tmp_path: Path) -> None:
    content = Path("nebula_ai/games/nebula/standard.toml").read_text(encoding="utf-8")
    edition = tmp_path / "house.toml"
    edition.write_text(content.replace('edition = "standard"', 'edition = "house"'), encoding="utf-8")
    path = tmp_path / "results.jsonl"
    command = ("arena", "play", "random", "random", "--setups", "1", "--workers", "1", "--output", str(path))
    good(run(*command, "--edition", str(edition)))
    refuses(verify(run, path), "edition: must be standard, not 'house'; .*")
    refuses(run(*command), r"edition: .* \(house, not standard\): choose another --output")
    good(verify(run, path, "--edition", str(edition)))


def test_nothing_is_missing_from_a_run_that_ended() -> None:
    assert first_missing(HEADER, played(HEADER)) is None
    assert first_missing(HEADER, played(HEADER)[1:]) == played(HEADER)[0].fixture
