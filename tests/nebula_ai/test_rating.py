"""Ratings: the fit finds strengths that are known, the intervals say how sure it is, the command and its picture."""

import json
import random
import re
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import choix
import numpy as np
import pytest

from nebula_ai import rating
from nebula_ai.arena.results import Fixture, Header, Record, Results, line_of
from nebula_ai.errors import InvalidInput
from nebula_ai.rating import Rating, Setup, rate, rate_results, setups_of
from tests.nebula_ai.conftest import Run

TRUE = {"random": 0, "second": 150, "third": 260, "fourth": 400}
NEIGHBOURS = [("second", "random"), ("third", "second"), ("fourth", "third"), ("third", "random")]


@pytest.fixture(autouse=True)
def fewer_resamples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Enough to see an interval, in a tenth of the time."""
    monkeypatch.setattr(rating, "RESAMPLES", 100)


def simulated(players: int, setups: int, seed: int, pairs: Sequence[tuple[str, str]] = NEIGHBOURS) -> list[Setup]:
    """Games that bots with the strengths `TRUE` might have played."""
    source = random.Random(seed)
    made = []
    for challenger, other in pairs:
        bots = (challenger, *[other] * (players - 1))
        for number in range(setups):
            winners = source.choices(bots, [10 ** (TRUE[bot] / 400) for bot in bots], k=players)
            won = float(winners.count(challenger))
            made.append(Setup(bots, (won, players - won), "full", seed, number))
    return made


def by_name(ratings: Sequence[Rating]) -> dict[str, Rating]:
    return {one.bot: one for one in ratings}


def results(
    players: int,
    bots: tuple[str, ...],
    shares: Sequence[Sequence[float]],
    game: str = "nebula",
    seed: int = 1,
) -> Results:
    """A run of two bots in which the games ended with these shares of the win by seat, setup by setup."""
    header = Header(
        game=game,
        edition="standard",
        edition_hash="00",
        players=players,
        variants=("full",),
        bots=bots,
        settings_hashes=tuple("cc" for _ in bots),
        seed=seed,
        setups=max(1, len(shares) // players),
        engine_version="1",
        bench_signature="aa",
    )
    records = [
        Record(Fixture((0, 1), number // players, number % players), (0,) * players, tuple(by_seat), ())
        for number, by_seat in enumerate(shares)
    ]
    return Results(header, records, b"")


def write(path: Path, run: Results) -> str:
    """The file of a run, as a word for the command line."""
    lines = [run.header.as_json(), *(record.as_json(run.header) for record in run.records)]
    path.write_bytes(b"".join(map(line_of, lines)))
    return str(path)


def refused(field: str, reason: str, setups: Sequence[Setup], anchor: str = "random") -> None:
    with pytest.raises(InvalidInput) as caught:
        rate(setups, anchor)
    assert caught.value.field == field
    assert re.search(reason, caught.value.reason), caught.value.reason


# --- The fit -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("both_ways", [False, True])
def test_known_strengths_are_found(players: int, both_ways: bool, seed: int) -> None:
    pairs = NEIGHBOURS + [(other, challenger) for challenger, other in NEIGHBOURS] * both_ways
    found = rate(simulated(players, 2000, seed, pairs))
    assert [one.bot for one in found] == ["fourth", "third", "second", "random"]
    for bot, one in by_name(found).items():
        # Six standard errors of the least favourable case.
        assert one.rating == pytest.approx(TRUE[bot], abs=45), bot


def test_games_of_several_numbers_of_players_are_one_rating(seed: int) -> None:
    mixed = [setup for players in (2, 3, 4) for setup in simulated(players, 2000, seed)]
    for bot, one in by_name(rate(mixed)).items():
        assert one.rating == pytest.approx(TRUE[bot], abs=45), bot
        assert one.setups == 2000 * 3 * sum(bot in pair for pair in NEIGHBOURS)
        assert one.games == one.setups // 3 * (2 + 3 + 4)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_fit_is_that_of_choix(players: int, seed: int) -> None:
    names = list(TRUE)
    source = random.Random(seed)
    tables = [
        [source.choice(names) for _ in range(players)] + names[number : number + 1]
        for number in range(len(names))
        for _ in range(5)
    ]
    counts = np.array([[table.count(name) for name in names] for table in tables], dtype=float)
    wins = np.zeros_like(counts)
    games = []
    for _ in range(2000):
        number = source.randrange(len(tables))
        seats = [names.index(name) for name in tables[number]]
        winner = source.choices(range(len(seats)), [10 ** (TRUE[names[bot]] / 400) for bot in seats])[0]
        wins[number, seats[winner]] += 1
        games.append((seats[winner], tuple(seats[:winner] + seats[winner + 1 :])))
    theirs = choix.ilsr_top1(len(names), games)
    assert rating.strengths(counts, wins, np.zeros(len(names))) == pytest.approx(theirs, abs=1e-5)


def test_three_wins_in_four_are_191_points() -> None:
    won = [Setup(("better", "worse"), (1.5, 0.5), "full", 1, number) for number in range(10_000)]
    better, worse = rate(won, "worse")
    assert better.rating == pytest.approx(190.85, abs=0.1)
    assert worse.rating == worse.low == worse.high == 0


def test_challenger_that_wins_as_often_as_each_copy_is_equal() -> None:
    # One win in four games is what each of four equal seats gets.
    even = [Setup(("one", "other", "other", "other"), (1, 3), "full", 1, number) for number in range(5)]
    assert rate(even, "other")[0].rating == pytest.approx(0, abs=0.01)


def test_shared_wins_count_in_part() -> None:
    shared = [Setup(("one", "other"), (1, 1), "full", 1, number) for number in range(20)]
    split = [
        Setup(("one", "other"), (2.0 * (number % 2), 2.0 - 2 * (number % 2)), "full", 1, number) for number in range(20)
    ]
    for setups in (shared, split):
        assert [one.rating for one in rate(setups, "one")] == pytest.approx([0, 0], abs=0.01)
    thirds = [Setup(("one", "other", "other"), (2.0, 1.0), "full", 1, number) for number in range(3000)]
    found = by_name(rate(thirds, "other"))["one"].rating
    # With twice the wins of both copies together it is four times as strong as each.
    assert found == pytest.approx(400 * np.log10(4), abs=0.5)


def test_bot_that_never_lost_has_a_rating_that_grows_with_its_games() -> None:
    ratings = [
        rate([Setup(("best", "random"), (2, 0), "full", 1, number) for number in range(count)])[0] for count in (5, 50)
    ]
    assert 0 < ratings[0].rating < ratings[1].rating < 2000
    for one in ratings:
        # As sure as it gets without a loss: at least as wide as from one loss to a good deal less.
        assert one.low < one.rating - 100
        assert one.high > one.rating + 100


# --- Intervals ---------------------------------------------------------------------------------------------------


def test_intervals_hold_the_rating_and_shrink_with_more_setups(seed: int) -> None:
    few, many = (by_name(rate(simulated(2, setups, seed))) for setups in (50, 800))
    for bot in TRUE:
        if bot != "random":
            assert few[bot].low < few[bot].rating < few[bot].high
            # Four times as narrow, up to chance.
            width = many[bot].high - many[bot].low
            assert 2.5 * width < few[bot].high - few[bot].low < 6 * width


def test_setup_is_one_observation(seed: int) -> None:
    # Where the deal decides, both games of a setup go to the same bot or one to each: the shares are the same.
    source = random.Random(seed)
    lucky = [source.choice((0.0, 2.0)) for _ in range(200)]
    even = [Setup(("one", "other"), (1.0, 1.0), "full", 1, number) for number in range(200)]
    of_luck = [Setup(("one", "other"), (won, 2 - won), "full", 1, number) for number, won in enumerate(lucky)]
    widths = [one.high - one.low for one in (by_name(rate(setups, "other"))["one"] for setups in (even, of_luck))]
    assert widths[0] < 5 < 50 < widths[1]


def test_order_of_files_does_not_matter(seed: int) -> None:
    setups = simulated(3, 20, seed)
    shuffled = random.Random(seed).sample(setups, len(setups))
    assert rate(setups) == rate(shuffled)


# --- Refusals ----------------------------------------------------------------------------------------------------


def test_anchor_without_games_is_refused(seed: int) -> None:
    setups = simulated(2, 2, seed)
    refused("anchor", r"'thrid' is not known \(did you mean third\?\)", setups, "thrid")
    refused("anchor", "there are no games", [])


def test_bots_that_no_games_connect_are_refused(seed: int) -> None:
    setups = simulated(2, 2, seed, [("second", "random"), ("fourth", "third")])
    refused("bots", "no games connect fourth or third with random", setups)
    refused("bots", "no games connect random or second with third", setups, "third")
    # A bot against itself says nothing about others.
    refused("bots", "no games connect third with random", simulated(2, 2, seed, [("second", "random"), ("third",) * 2]))


def test_setup_that_is_there_twice_is_refused(seed: int) -> None:
    setups = simulated(2, 2, seed)
    refused("setups", "of second against random is there twice", [*setups, setups[0]])
    # What differs in one of these is another setup.
    first = setups[0]
    others = [replace(first, variant="basic"), replace(first, seed=seed + 1), replace(first, number=2)]
    assert len(rate([*setups, *others])) == len(TRUE)


# --- From the arena's files --------------------------------------------------------------------------------------


def test_incomplete_setups_do_not_count() -> None:
    run = results(3, ("one", "random"), [(1, 0, 0), (0.5, 0.5, 0), (0, 0, 1), (1, 0, 0)])
    (setup,) = setups_of(run)
    assert setup.bots == ("one", "random", "random")
    assert setup.won == pytest.approx((2.5, 0.5))
    (found,) = rate_results([run])
    assert (found.setups, found.games, found.players) == (1, 3, (3,))


def test_each_game_is_rated_by_itself() -> None:
    wins = [(1, 0), (0, 1)] * 5
    runs = [
        results(2, ("one", "random"), wins, "via_nebula"),
        results(2, ("one", "random"), [(0, 1), (1, 0)] * 5),
        results(2, ("one", "random"), wins, "via_nebula", seed=2),
    ]
    first, second = rate_results(runs)
    assert (first.game, first.games, first.bots[0].bot) == ("via_nebula", 20, "one")
    assert (second.game, second.games, second.bots[0].bot) == ("nebula", 10, "random")


@pytest.mark.parametrize("field", ["edition_hash", "engine_version", "bench_signature"])
def test_runs_in_which_a_name_means_two_bots_are_refused(field: str) -> None:
    one, other = (results(2, ("one", "random"), [(1, 0), (1, 0)], seed=seed) for seed in (1, 2))
    changed = Results(Header.from_json(other.header.as_json() | {field: "bb"}), other.records, b"")
    with pytest.raises(InvalidInput, match=r"the results of nebula are of '(aa|00|1)' and of 'bb'") as caught:
        rate_results([one, changed])
    assert caught.value.field == field


def test_name_that_stands_for_two_settings_is_refused() -> None:
    one, other = (results(2, ("one", "random"), [(1, 0), (1, 0)], seed=seed) for seed in (1, 2))
    changed = Results(replace(other.header, settings_hashes=("dd", "cc")), other.records, b"")
    with pytest.raises(InvalidInput, match=r"^settings_hashes: .* nebula are of one with different settings$"):
        rate_results([one, changed])


# --- The command -------------------------------------------------------------------------------------------------


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Three files of two games."""
    wins = [(1, 0), (0, 1)] * 20 + [(0.5, 0.5), (0, 1)]
    return [
        write(tmp_path / "a.jsonl", results(2, ("one", "random"), wins)),
        write(tmp_path / "b.jsonl", results(3, ("two", "one"), [(1, 0, 0), (0, 1, 0), (1, 0, 0)] * 4)),
        write(tmp_path / "c.jsonl", results(2, ("one", "random"), wins[:8], "via_nebula")),
    ]


def test_rate_prints_a_table_for_each_game(run: Run, files: list[str]) -> None:
    outcome = run("rate", *files)
    assert (outcome.code, outcome.err) == (0, "")
    nebula, via_nebula = (part.splitlines() for part in outcome.out.split("\n\n"))
    assert nebula[0] == "Nebula: 54 games in 25 setups, 2 and 3 players; engine 1, signature aa"
    assert nebula[1].split() == ["bot", "rating", "95", "%", "interval", "setups", "games"]
    assert [line.split()[0] for line in nebula[2:]] == ["two", "one", "random"]
    assert nebula[-1].split() == ["random", "0", "0", "to", "0", "21", "42"]
    assert via_nebula[0].startswith("Via Nebula: 8 games in 4 setups, 2 players")


def test_rate_as_json_is_what_the_library_finds(run: Run, files: list[str]) -> None:
    outcome = run("rate", *reversed(files), "--anchor", "one", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    via_nebula, nebula = json.loads(outcome.out)
    assert (via_nebula["game"], nebula["game"]) == ("via_nebula", "nebula")
    assert (nebula["anchor"], nebula["players"], nebula["setups"], nebula["games"]) == ("one", [2, 3], 25, 54)
    assert [bot["bot"] for bot in nebula["bots"]] == ["two", "one", "random"]
    assert nebula["bots"][1] == {"bot": "one", "rating": 0, "low": 0, "high": 0, "setups": 25, "games": 54}
    assert json.loads(run("rate", *files, "--anchor", "one", "--json").out) == [nebula, via_nebula]


def test_rate_draws_a_plot(run: Run, files: list[str], tmp_path: Path) -> None:
    png, svg, again = (tmp_path / name for name in ("ratings.png", "ratings.svg", "again.SVG"))
    for path, chosen in ((png, files), (svg, files), (again, files), (tmp_path / "one.png", files[:1])):
        outcome = run("rate", *chosen, "--plot", str(path))
        assert (outcome.code, outcome.err) == (0, "")
    header = png.read_bytes()[:24]
    assert header.startswith(b"\x89PNG")
    # One panel for each game.
    alone = (tmp_path / "one.png").read_bytes()[:24]
    assert int.from_bytes(header[16:20]) == pytest.approx(2 * int.from_bytes(alone[16:20]), abs=2)
    text = svg.read_text(encoding="utf-8")
    assert text == again.read_text(encoding="utf-8")
    for name in ("Nebula", "Via Nebula", "one", "two", "random"):
        assert f"<!-- {name} -->" in text


def test_a_name_in_a_file_is_drawn_as_it_is(run: Run, tmp_path: Path) -> None:
    formula = r"$\frac$"
    path = tmp_path / "ratings.svg"
    outcome = run(
        "rate", write(tmp_path / "a.jsonl", results(2, (formula, "random"), [(1, 0)] * 2)), "--plot", str(path)
    )
    assert (outcome.code, outcome.err) == (0, "")
    assert f"<!-- {formula} -->" in path.read_text(encoding="utf-8")


def test_a_game_that_there_is_not_is_not_drawn(run: Run, tmp_path: Path) -> None:
    file = write(tmp_path / "a.jsonl", results(2, ("one", "random"), [(1, 0)] * 2, "chess"))
    for options in ((), ("--plot", str(tmp_path / "ratings.svg"))):
        outcome = run("rate", file, *options)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.startswith("error: game: 'chess' is not known")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--anchor", "three"],
            r"anchor: no game is of this bot: 'three' is not known \(.*\) \(in the results of nebula\)",
        ),
        (["--plot", "ratings.pdf"], r"plot: the name must end with \.png or \.svg, not 'ratings\.pdf'"),
    ],
)
def test_rate_says_what_is_wrong(run: Run, files: list[str], arguments: list[str], message: str) -> None:
    outcome = run("rate", *files, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert re.fullmatch(f"error: {message}\n", outcome.err), outcome.err


def test_rate_names_the_file_that_is_not_readable(run: Run, files: list[str], tmp_path: Path) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_text("{}\n", encoding="utf-8")
    outcome = run("rate", files[0], str(path))
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err.startswith(f"error: {path}:1: ")
    assert run("rate", files[0], files[0]).err.startswith("error: setups: ")
    assert run("rate", str(tmp_path / "none.jsonl")).code == 2


def test_rate_says_what_to_install(run: Run, files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.delitem(sys.modules, "nebula_ai.rating_plot", raising=False)
    monkeypatch.delattr("nebula_ai.rating_plot", raising=False)
    outcome = run("rate", files[0])
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.err == (
        "error: matplotlib is not installed, which ratings need: python -m pip install 'nebula-ai[rate]'\n"
    )
