"""The named bots: what each chooses, from what, their texts, and the files that the games' own ones come from."""

import copy
import dataclasses
import tomllib
from collections import Counter
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from nebula_ai import bots
from nebula_ai.bots import (
    CHOICE_STREAM,
    DEFAULT_BOT,
    FLAT,
    LEVELS,
    PLAIN,
    Decision,
    GreedyBot,
    SearchBot,
    bots_of,
    chosen,
    drawn,
    parse_bot,
    read_presets,
    turn_ends,
)
from nebula_ai.errors import ChancePending, GameFinished, InvalidInput, LimitError
from nebula_ai.game import Game
from nebula_ai.registry import GAMES, load
from nebula_ai.search import FIRST_STREAM, MAX_WORKERS, Limits, MoveReport, search
from nebula_core.face import Generator, State
from nebula_core.search.tree import CancelFlag, Parameters
from tests.conformance.cases import spread
from tests.fit import assert_fits
from tests.nebula_core.endings import SMALL, certain_edition, last_turns

YARDSTICKS = ["random", "greedy", "flat", "plain"]


@pytest.fixture(scope="module", params=GAMES)
def game(request: pytest.FixtureRequest) -> Game:
    """The standard edition of every game."""
    return load(request.param)


def decisions(game: Game, players: int, seed: int) -> list[State]:
    """The states of one random game in which a seat decides."""
    generator = Generator(seed)
    state = game.new(players, seed=seed)
    states = []
    while not state.finished:
        states.append(state)
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    return states


def middle(game: Game) -> State:
    """A state in the middle of a game for three, with several moves to choose from."""
    states = decisions(game, 3, 5)
    return next(state for state in states[len(states) // 2 :] if len(state.legal_moves()) > 4)


def timeless(decision: Decision) -> Decision:
    """The decision but for the time of its search."""
    return dataclasses.replace(decision, result=dataclasses.replace(decision.result, seconds=0.0))


# All of them.


def test_the_bots_of_a_game(game: Game) -> None:
    found = bots_of(game)
    assert list(found) == [*YARDSTICKS, "strong", *LEVELS]
    assert isinstance(found[DEFAULT_BOT], SearchBot)
    for name, bot in found.items():
        assert bot.name == name
        assert bot.description.endswith(".")


def test_levels_are_the_strong_search_with_simulations_and_never_with_time(game: Game) -> None:
    found = bots_of(game)
    strong = found["strong"]
    assert isinstance(strong, SearchBot)
    assert strong.power is None
    for name in ("strong", *LEVELS):
        bot = found[name]
        assert isinstance(bot, SearchBot)
        assert bot.parameters == strong.parameters
        assert bot.limits == Limits(simulations=bot.limits.simulations)


@pytest.mark.parametrize("players", [2, 4])
def test_hidden_truth_never_changes_a_decision(game: Game, players: int, seed: int) -> None:
    # The same bots, with searches that take no time.
    short = [
        dataclasses.replace(bot, limits=Limits(simulations=30)) if isinstance(bot, SearchBot) else bot
        for bot in bots_of(game).values()
    ]
    differing = 0
    for number, state in enumerate(spread(decisions(game, players, seed), 8)):
        assert state.seat is not None
        other = state.determinize(state.seat, Generator(number))
        differing += other != state
        for bot in short:
            made = [timeless(bot.move(each, seed=number)) for each in (state, other, state.observe(state.seat))]
            assert made[0] == made[1] == made[2], bot.name
            assert made[0].move in state.legal_moves()
    assert differing, "no two of these states differed: the test says nothing"


@pytest.mark.parametrize("name", ["random", "greedy", "plain", "novice"])
def test_what_no_bot_answers(game: Game, name: str) -> None:
    bot = bots_of(game)[name]
    with pytest.raises(ChancePending):
        bot.move(game.start(2))
    state = game.new(2, seed=1)
    for wrong in (-1, 2**64):
        with pytest.raises(LimitError, match=r"^seed: "):
            bot.move(state, seed=wrong)
    with pytest.raises(LimitError, match=r"^workers: "):
        bot.move(state, workers=0)
    generator = Generator(1)
    while not state.finished:
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    with pytest.raises(GameFinished):
        bot.move(state)


def test_who_knows_none_of_its_own_cards_is_answered() -> None:
    state = load("nebula").new(3, seed=1).observe(1)
    for bot in bots_of(load("nebula")).values():
        assert [bot.move(state, seed=1).move] == state.legal_moves()


# Those that do not search.


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_a_decision_without_a_search(game: Game, name: str) -> None:
    state = middle(game)
    decision = bots_of(game)[name].move(state, seed=3, workers=2)
    result = decision.result
    assert (result.stopped, result.seat, result.seed, result.workers) == ("unsearched", state.seat, 3, 2)
    assert result.move == decision.move
    assert sorted(report.move for report in result.moves) == state.legal_moves()
    nothing = (None, None, None)
    assert all((each.visits, each.value, each.line) == (0, nothing, (each.move,)) for each in result.moves)
    assert decision.runner_up is None


def test_random_moves_are_all_alike(game: Game) -> None:
    state = middle(game)
    bot = bots_of(game)["random"]
    counts = Counter(bot.move(state, seed=seed).move for seed in range(2000))
    assert_fits(counts, dict.fromkeys(state.legal_moves(), 1))


def test_greedy_beats_random_moves(game: Game) -> None:
    # Always the same game: everything comes from seeds.
    generator = Generator(1, 1)
    state = game.new(2, seed=1)
    players = bots_of(game)
    number = 0
    while not state.finished:
        number += 1
        bot = players["greedy" if state.seat == 1 else "random"]
        state = state.apply(bot.move(state, seed=number).move).settle(generator)[0]
    assert game.winners(state) == [1]


def best_by_all_sequences(game: Game, state: State, seat: int) -> int | None:
    """The most points that a turn can bring, by every sequence of moves; None if moves of it come after chance."""
    if state.seat == seat:
        found = [best_by_all_sequences(game, state.apply(move), seat) for move in state.legal_moves()]
        known = [points for points in found if points is not None]
        return max(known) if len(known) == len(found) else None
    end = state.settle(Generator(0))[0]
    if end.seat == seat:
        return None
    scores = game.breakdown(end)[seat]
    assert scores is not None
    return scores["total"]


def short_turns(game: Game, seed: int) -> Iterator[tuple[State, State]]:
    """What the seat that decides sees, and a sample of it, from which few sequences of moves lead to the end of a turn.

    Not all of them bring as many points.
    """
    for state in decisions(game, 2, seed):
        assert state.seat is not None
        generator = Generator(9)
        sample = state.determinize(state.seat, generator)
        ends = list(turn_ends(sample, sample.legal_moves(), state.seat, generator))
        looked_through = all(end.seat != state.seat for end, _ in ends)
        if looked_through and len({str(game.breakdown(end)[state.seat]) for end, _ in ends}) > 1:
            yield state.observe(state.seat), sample


def test_greedy_takes_the_most_that_its_turn_can_bring(game: Game, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "GREEDY_STATES", 60)
    greedy = bots_of(game)["greedy"]
    assert isinstance(greedy, GreedyBot)
    compared = 0
    for seen, sample in [pair for i in range(3) for pair in short_turns(game, seed + i)]:
        assert seen.seat is not None
        values = {move: best_by_all_sequences(game, sample.apply(move), seen.seat) for move in sample.legal_moves()}
        if None in values.values():
            continue
        most = max(value for value in values.values() if value is not None)
        best = [move for move, value in values.items() if value == most]
        assert greedy.best_first_moves(seen, Generator(9)) == best
        compared += 1
    assert compared


def test_greedy_draws_among_equals() -> None:
    game = load("via_nebula")
    greedy = bots_of(game)["greedy"]
    assert isinstance(greedy, GreedyBot)
    state = game.new(2, seed=1).observe(0)
    # Nothing brings points in a first turn.
    equal = greedy.best_first_moves(state, Generator(0))
    assert len(equal) > 3
    counts = Counter(greedy.move(state, seed=seed).move for seed in range(100))
    assert counts.keys() <= set(equal)
    assert len(counts) > 3
    assert greedy.move(state, seed=7) == greedy.move(state, seed=7)


def test_a_turn_too_long_to_be_looked_through_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("nebula")
    state = next(state for state in decisions(game, 3, 5) if len(state.legal_moves()) > 20)
    assert state.seat is not None
    moves = state.legal_moves()
    monkeypatch.setattr(bots, "GREEDY_STATES", 200)
    ends = list(turn_ends(state, moves, state.seat, Generator(1)))
    assert len(ends) <= 200
    assert {move for _, first_moves in ends for move in first_moves} == set(moves)
    assert any(end.seat == state.seat for end, _ in ends), "it is cut"


def test_greedy_makes_the_best_move_found_when_it_is_stopped(game: Game) -> None:
    """Whenever that is: a legal move at least, and it looks at nothing more."""
    state = middle(game)
    greedy = bots_of(game)["greedy"]
    assert isinstance(greedy, GreedyBot)

    def found_by(last: int) -> tuple[list[int], list[bool]]:
        """What it finds if it is stopped after it has asked so often, and what it was told each time."""
        told: list[bool] = []

        def stopped() -> bool:
            told.append(len(told) >= last)
            return told[-1]

        return greedy.best_first_moves(state, Generator(0), None, stopped), told

    whole, told = found_by(1_000_000)
    assert not any(told)
    assert found_by(len(told))[0] == whole == greedy.best_first_moves(state, Generator(0))
    assert found_by(0)[0] == state.legal_moves()
    for last in range(0, len(told), max(1, len(told) // 50)):
        found, told_then = found_by(last)
        assert found
        assert set(found) <= set(state.legal_moves())
        assert 1 <= sum(told_then) <= 2


@pytest.mark.parametrize("name", ["random", "greedy", "plain", "flat", "strong", "novice"])
def test_every_bot_decides_when_it_is_cancelled_or_its_time_is_over(game: Game, name: str) -> None:
    state = middle(game)
    bot = bots_of(game)[name]
    flag = CancelFlag()
    flag.set()
    for decision in (
        bot.move(state, cancel=flag),
        bot.within(3600).move(state, cancel=flag),
        bot.within(1e-9).move(state),
    ):
        assert decision.move in state.legal_moves()
        assert decision.result.simulations <= 1
    assert timeless(bot.within(3600).move(state, seed=1, workers=2)) == timeless(bot.move(state, seed=1, workers=2))


# Those that search.


def test_a_bot_searches_with_its_limits_and_parameters(game: Game) -> None:
    state = middle(game)
    for bot in (PLAIN, FLAT):
        found = search(state, bot.limits, seed=6, workers=2, parameters=bot.parameters)
        assert timeless(bot.move(state, seed=6, workers=2)) == timeless(Decision(found.move, found))
    flag = CancelFlag()
    flag.set()
    decision = PLAIN.move(state, cancel=flag)
    assert (decision.result.stopped, decision.move, decision.runner_up) == ("cancelled", state.legal_moves()[0], None)


def test_plain_is_the_default_search_and_flat_has_no_tree(game: Game) -> None:
    assert (PLAIN.parameters, PLAIN.limits, PLAIN.power) == (Parameters(), Limits(simulations=1000), None)
    decision = FLAT.move(middle(game))
    assert decision.result.depth == 1
    assert decision.runner_up == decision.result.moves[1].move


def test_within_a_time() -> None:
    assert PLAIN.within(2.0).limits == Limits(simulations=1000, time=2.0)
    short = dataclasses.replace(PLAIN, limits=Limits(time=1.0))
    assert short.within(2.0) == short
    assert short.within(0.5).limits == Limits(time=0.5)
    assert bots_of(load())["random"].within(1e-9) == bots_of(load())["random"]
    greedy = bots_of(load())["greedy"]
    assert greedy.within(2.0).within(1.0) == greedy.within(1.0) == greedy.within(1.0).within(2.0)
    assert greedy.within(1.0).settings_hash == greedy.settings_hash, "whatever decides in time plays alike"


def reports(*visits: int) -> tuple[MoveReport, ...]:
    """Moves numbered from 0 with these visits."""
    return tuple(MoveReport(move, count, 0, (), (), (), ()) for move, count in enumerate(visits))


@pytest.mark.parametrize(
    ("power", "least_share", "weights"),
    [
        (1.0, 0.0, {0: 100, 1: 50, 2: 25, 3: 5}),
        (1.0, 0.25, {0: 100, 1: 50, 2: 25}),
        (1.0, 0.26, {0: 100, 1: 50}),
        (2.0, 0.0, {0: 10000, 1: 2500, 2: 625, 3: 25}),
        (0.5, 0.2, {0: 10, 1: 7.0711, 2: 5}),
        (0.0, 0.2, {0: 1, 1: 1, 2: 1}),
        (1.0, 1.0, {0: 1}),
    ],
)
def test_the_choice_among_searched_moves(power: float, least_share: float, weights: dict[int, float]) -> None:
    generator = Generator(1)
    moves = reports(100, 50, 25, 5, 0)
    counts = Counter(drawn(moves, power, least_share, generator) for _ in range(4000))
    assert_fits(counts, {move: round(1000 * weight) for move, weight in weights.items()})


def test_a_soft_choice_rests_on_a_whole_search_and_draws_no_number_twice(game: Game) -> None:
    state = middle(game)
    soft = dataclasses.replace(PLAIN, limits=Limits(simulations=200), power=1.0, least_share=0.1)
    found = search(state, soft.limits, seed=4, decided=False)
    decision = soft.move(state, seed=4)
    assert timeless(decision).result == dataclasses.replace(found, seconds=0.0)
    assert decision.move == drawn(found.moves, 1.0, 0.1, Generator(4, CHOICE_STREAM))
    assert CHOICE_STREAM not in range(FIRST_STREAM, FIRST_STREAM + MAX_WORKERS)
    made = [soft.move(state, seed=seed) for seed in range(20)]
    passed_over = [each for each in made if each.move != each.result.move]
    assert passed_over
    assert all(each.runner_up == each.result.move for each in passed_over)


def test_where_there_is_nothing_to_choose_by_the_best_move_is_made(tmp_path: Path) -> None:
    soft = dataclasses.replace(PLAIN, limits=Limits(simulations=10_000), power=0.0)
    certain = last_turns(certain_edition(tmp_path), **SMALL["a star and a black hole"])
    forced = load("nebula").new(3, seed=1).observe(1)
    flag = CancelFlag()
    flag.set()
    for state, cancel, stopped in (
        (certain, None, "exhausted"),
        (forced, None, "forced"),
        (certain, flag, "cancelled"),
    ):
        for seed in range(5):
            decision = soft.move(state, seed=seed, cancel=cancel)
            assert decision.result.stopped == stopped
            assert decision.move == decision.result.move


@pytest.mark.parametrize(("key", "value"), [("power", -1), ("power", 11), ("power", True), ("least_share", 1.5)])
def test_choices_out_of_range(key: str, value: Any) -> None:
    with pytest.raises(LimitError) as refused:
        dataclasses.replace(PLAIN, **{key: value})
    assert refused.value.field == key


# Who is asked.


def test_the_bot_that_is_asked(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = Limits(simulations=3)
    assert chosen(game, "plain") == chosen(game, "plain", limits) == PLAIN
    strong = bots_of(game)["strong"]
    assert isinstance(strong, SearchBot)
    assert chosen(game, None) == chosen(game, "") == strong
    assert chosen(game, None, limits, False) == dataclasses.replace(strong, name="", limits=limits, decided=False)
    with pytest.raises(InvalidInput, match=r"^bot: 'plane' is not known \(did you mean plain\?\)$"):
        chosen(game, "plane", limits)
    # A game that has no file of bots yet.
    monkeypatch.setattr(bots, "presets", lambda game: ())
    assert chosen(game, None) == PLAIN
    assert chosen(game, None, limits) == dataclasses.replace(PLAIN, name="", limits=limits)


@pytest.mark.parametrize(
    ("text", "name", "changes"),
    [
        ("greedy", "greedy", {}),
        (" novice ", "novice", {}),
        ("plain:time=0.050", "plain:time=0.05", {"limits": Limits(time=0.05)}),
        (
            "plain : exploration = 0.3, nodes=5e2 ,time=1.0",
            "plain:time=1,nodes=500,exploration=0.3",
            {"limits": Limits(time=1, nodes=500), "parameters": Parameters(exploration=0.3)},
        ),
        ("flat:simulations=20", "flat:simulations=20", {"limits": Limits(simulations=20)}),
        ("flat:exploration=1", "flat:exploration=1", {"parameters": Parameters(max_depth=1, exploration=1)}),
        (
            "plain:least_share=.25,power=2",
            "plain:power=2,least_share=0.25",
            {"power": 2, "least_share": 0.25},
        ),
    ],
)
def test_a_bots_text(text: str, name: str, changes: dict[str, Any]) -> None:
    game = load()
    bot = parse_bot(game, text)
    assert bot == dataclasses.replace(bots_of(game)[name.partition(":")[0]], name=name, **changes)
    assert parse_bot(game, bot.name) == bot


def test_settings_have_a_hash_whatever_a_bot_is_called() -> None:
    game = load()
    assert parse_bot(game, "plain:simulations=1000").settings_hash == PLAIN.settings_hash
    assert parse_bot(game, "plain:power=2").settings_hash == dataclasses.replace(PLAIN, power=2.0).settings_hash
    assert dataclasses.replace(PLAIN, name="", description="").settings_hash == PLAIN.settings_hash
    texts = ["random", "greedy", "flat", "plain", *LEVELS]
    for change in ("time=1", "simulations=1", "nodes=1000", "exploration=0.1", "playout_turns=4", "power=1"):
        texts.append(f"plain:{change}")
    texts += ["plain:power=1,least_share=0.5", "plain:power=1,least_share=0.25"]
    hashes = {text: parse_bot(game, text).settings_hash for text in texts}
    hashes["not decided"] = dataclasses.replace(PLAIN, decided=False).settings_hash
    assert len(set(hashes.values())) == len(hashes), hashes
    # It is written into files: the same on every machine.
    assert hashes["plain:time=1"] == "ea9341c5bff8"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "must begin with the name of a bot"),
        (":time=1", "must begin with the name of a bot"),
        ("plane:time=1", "'plane' is not known (did you mean plain?)"),
        ("greedy:time=1", "greedy does not search, so that nothing of it can be set"),
        ("plain:", "after the name comes KEY=VALUE, and more after commas, not ''"),
        ("plain:time", "after the name comes KEY=VALUE, and more after commas, not 'time'"),
        ("plain:time=1,", "after the name comes KEY=VALUE, and more after commas, not ''"),
        ("plain:tine=1", "'tine' is not known (did you mean time?)"),
        ("plain:time=1,time=2", "time is given twice"),
        ("plain:time=soon", "time must be a number, not 'soon'"),
        ("plain:time=1_0", "time must be a number, not '1_0'"),
        ("plain:time=nan", "time must be more than 0 and at most 86400 seconds"),
        ("plain:time=inf", "time must be more than 0 and at most 86400 seconds"),
        ("plain:simulations=1.5", "simulations must be a whole number from 1 to 4294967295"),
        ("plain:nodes=0", "nodes must be a whole number from 1 to 2147483648"),
        ("plain:exploration=11", "exploration must be a number from 0 to 10"),
        ("plain:max_depth=1.5", "max_depth must be a whole number from 1 to 512"),
        ("plain:power=11", "power must be a number from 0 to 10"),
    ],
)
def test_a_text_that_is_no_bot(text: str, reason: str) -> None:
    with pytest.raises(InvalidInput) as refused:
        parse_bot(load(), text)
    assert (refused.value.field, refused.value.reason) == ("bot", reason)


# The file with a game's own bots.

PRESETS = tomllib.loads(resources.files("nebula_ai.games.nebula").joinpath("bots.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "value", "error"),
    [
        (["strong"], None, "strong: is missing"),
        (["levels", "skilled"], None, "levels.skilled: is missing"),
        (["levels", "godlike"], {}, "levels.godlike: the key 'godlike' is not known"),
        (["strong", "simulations"], 0, "strong.simulations: must be 1 to"),
        (["strong", "description"], 7, "strong.description: must be a text"),
        (["strong", "parameters", "exploration"], 11, "strong.parameters.exploration: must be a number from 0 to 10"),
        (["strong", "parameters", "exploration"], "x", "strong.parameters.exploration: must be a number, not 'x'"),
        (["strong", "parameters", "luck"], 1, "strong.parameters.luck: "),
        (["levels", "novice", "time"], 1, "levels.novice.time: the key 'time' is not known"),
        (["levels", "novice", "power"], 11, "levels.novice.power: must be 0 to 10, not 11"),
        (["levels", "novice", "power"], float("nan"), "levels.novice.power: must be 0 to 10, not nan"),
        (["levels", "novice", "least_share"], -0.5, "levels.novice.least_share: must be 0 to 1, not -0.5"),
        (["levels", "novice", "power"], None, "levels.novice: must have both of power and least_share, or none"),
        (["levels", "novice", "simulations"], 1.5, "levels.novice.simulations: must be a whole number"),
    ],
)
def test_a_file_of_bots_that_is_wrong(path: list[str], value: Any, error: str) -> None:
    content = copy.deepcopy(PRESETS)
    table = content
    for key in path[:-1]:
        table = table[key]
    if value is None:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    with pytest.raises(InvalidInput) as refused:
        list(read_presets(content))
    assert str(refused.value).startswith(error)
