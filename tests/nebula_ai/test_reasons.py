"""Why a bot makes a move: what every reason holds to, in every game, and the words for every kind of result."""

import re
from dataclasses import replace

import pytest

from nebula_ai.bots import Decision, chosen, unsearched
from nebula_ai.game import Game
from nebula_ai.reasons import reason
from nebula_ai.registry import GAMES, load
from nebula_ai.search import Limits, MoveReport, Result, search
from nebula_core.face import Generator, State
from nebula_core.nebula.rules import Phase
from nebula_core.search.tree import CancelFlag, Parameters
from tests.conformance.cases import CASES, Case, spread
from tests.nebula_core.endings import SMALL, certain_edition, last_turns
from tests.nebula_core.nebula.positions import Table

MOST_LENGTH = 380
"""Of a reason with the names of the standard editions."""

VERB = re.compile(r"[a-z]+s ")


def sentences(text: str) -> list[str]:
    """The sentences of a reason."""
    assert text.endswith(".")
    return text[:-1].split(". ")


# In every game.


@pytest.fixture(scope="module", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    """One game, one variant, one number of players."""
    assert isinstance(request.param, Case)
    return request.param


def test_a_reason_is_short_and_names_the_runner_up(case: Case, seed: int) -> None:
    generator = Generator(seed, 60)
    differing = 0
    for number, state in enumerate(spread(case.decisions(seed), 12)):
        assert state.seat is not None
        parameters = Parameters(playout_turns=3 if number % 4 > 1 else 0)
        result = search(state, Limits(simulations=(1, 20, 100)[number % 3]), seed=number, parameters=parameters)
        moves = [result.move, state.random_move(generator)]
        for move in moves:
            decision = Decision(move, result)
            text = reason(case.game, state, decision)
            assert 1 <= len(sentences(text)) <= 3, text
            assert len(text) <= MOST_LENGTH, text
            assert text == reason(case.game, state, decision)
            named = re.findall("`(.*?)`", text)
            if len(result.moves) == 1:
                assert not named
            else:
                other = result.moves[1] if move == result.move else result.best
                assert named == [case.game.format_move(state, other.move)]
            hidden = state.determinize(state.seat, generator)
            differing += hidden != state
            for alike in (hidden, state.observe(state.seat)):
                assert reason(case.game, alike, decision) == text, "it depends on what the seat cannot see"
    assert differing, "no two of these states differed: the test says nothing"


def test_gains_are_phrases(case: Case, seed: int) -> None:
    generator = Generator(seed, 61)
    some = 0
    for before in spread(case.decisions(seed + 1), 40):
        assert case.game.gains(before, before) == []
        after = before
        while after.seat == before.seat:
            after = after.apply(after.random_move(generator))
            for phrase in (phrases := case.game.gains(before, after)):
                assert VERB.match(phrase), phrase
                assert phrase[-1] != "."
                assert "`" not in phrase
            some += bool(phrases)
    assert some, "nothing was gained: the test says nothing"


@pytest.mark.parametrize("name", GAMES)
def test_bots_that_do_not_search_have_a_reason(name: str) -> None:
    game = load(name)
    state = game.new(2, seed=1)
    for bot in ("random", "greedy"):
        text = reason(game, state, chosen(game, bot).move(state, seed=1))
        assert text.endswith("Chosen without a search.")
        assert "unner-up" not in text


# Every kind of result, with numbers made for it.


@pytest.fixture(scope="module")
def game() -> Game:
    return load()


@pytest.fixture(scope="module")
def state(game: Game) -> State:
    """Seat 1 of three has chosen, and seat 2 chooses between two cards."""
    state = game.new(3, seed=1)
    for _ in range(2):
        state = state.apply(state.legal_moves()[0])
    assert len(state.legal_moves()) == 2
    return state


def report(move: int, visits: int, value: float, share: float, points: tuple[float, ...]) -> MoveReport:
    """A move that seat 2 of three has tried so often, with these figures."""
    rest = (1 - share) / 2
    return MoveReport(move, visits, visits, (0.5, 0.5, value), (rest, rest, share), points, (move,))


def result_of(state: State, *reports: MoveReport, stopped: str = "simulations", estimated: bool = False) -> Result:
    """A result with these reports on its moves, the best first."""
    first, *_ = state.legal_moves()
    return replace(unsearched(state, first, 0, 1).result, moves=reports, stopped=stopped, estimated=estimated)


def said(
    game: Game,
    state: State,
    *figures: tuple[int, float, float, tuple[float, ...]],
    stopped: str = "time",
    estimated: bool = False,
) -> str:
    """The reason without what the move brings; `figures` are visits, value, win share and points of the two moves."""
    reports = [report(move, *each) for move, each in zip(state.legal_moves(), figures, strict=True)]
    result = result_of(state, *reports, stopped=stopped, estimated=estimated)
    text = reason(game, state, Decision(reports[0].move, result))
    first, rest = text.split(". ", 1)
    assert first.startswith(("Keeps S", "It is"))
    return rest


@pytest.mark.parametrize(
    ("visits", "value", "words"),
    [
        ((900, 100), (0.60, 0.50), "Clearly best"),  # a standard error is 0.053
        ((900, 100), (0.60, 0.53), "Probably best"),
        ((900, 100), (0.60, 0.59), "A close call"),
        ((900, 100), (0.60, 0.65), "A close call"),
        ((90000, 10000), (0.60, 0.59), "Clearly best"),
        ((19, 1), (1.0, 0.0), "A guess"),
        ((20, 20), (0.90, 0.10), "Clearly best"),
    ],
)
def test_how_sure_it_is(
    game: Game, state: State, visits: tuple[int, int], value: tuple[float, float], words: str
) -> None:
    figures = [(visits[i], value[i], 0.5, (40.0, 40.0, 40.0)) for i in range(2)]
    assert said(game, state, *figures).split(". ")[1].startswith(f"{words}: runner-up `choose S")


@pytest.mark.parametrize(
    ("share", "points", "words"),
    [
        (0.71, (35.2, 20.0, 41.3), "Expects 41 points, 6 more than the best other; wins about 7 games in 10."),
        (0.12, (35.2, 20.0, 0.9), "Expects 1 point, 34 fewer than the best other; wins about 1 game in 10."),
        (0.04, (35.2, 40.4, 39.6), "Expects 40 points, as many as the best other; hardly ever wins."),
        (0.96, (-3.0, -2.0, -1.0), "Expects -1 point, 1 more than the best other; nearly always wins."),
    ],
)
def test_what_it_expects(game: Game, state: State, share: float, points: tuple[float, ...], words: str) -> None:
    assert said(game, state, (90, 0.6, share, points), (10, 0.5, 0.5, points)).startswith(words)


@pytest.mark.parametrize(
    ("share", "own", "words"),
    [
        (0.572, 40.0, "wins about 3 games fewer in 100"),
        (0.61, 40.0, "wins about 1 game more in 100"),
        (0.603, 37.2, "wins as often, with 3 points fewer"),
        (0.597, 41.0, "wins as often, with 1 point more"),
        (0.6, 40.4, "does as well"),
    ],
)
def test_how_far_the_runner_up_is_behind(game: Game, state: State, share: float, own: float, words: str) -> None:
    text = said(game, state, (90, 0.6, 0.6, (1.0, 2.0, 40.0)), (80, 0.6, share, (1.0, 2.0, own)))
    runner_up = game.format_move(state, state.legal_moves()[1])
    assert text.endswith(f". A close call: runner-up `{runner_up}` {words}.")


@pytest.mark.parametrize(
    ("share", "points", "words"),
    [
        (0.71, (17.6, 20.0, 23.3), "23 points, 3 more than the best other; leads then in about 7 of 10 lines."),
        (0.12, (35.2, 20.0, 0.9), "1 point, 34 fewer than the best other; leads then in about 1 of 10 lines."),
        (0.04, (35.2, 40.4, 39.6), "40 points, as many as the best other; hardly ever leads then."),
        (0.96, (-3.0, -2.0, -1.0), "-1 point, 1 more than the best other; nearly always leads then."),
    ],
)
def test_what_it_expects_where_playouts_are_cut_off(
    game: Game, state: State, share: float, points: tuple[float, ...], words: str
) -> None:
    text = said(game, state, (90, 0.6, share, points), (10, 0.5, 0.5, points), estimated=True)
    assert text.startswith(f"Some turns from now it expects {words}")
    assert not re.search("[Ww]ins|games", text)


@pytest.mark.parametrize(
    ("share", "own", "words"),
    [
        (0.562, 40.0, "leads in about 4 fewer of 100 lines"),
        (0.61, 40.0, "leads in about 1 more of 100 lines"),
        (0.603, 37.2, "leads as often, with 3 points fewer"),
        (0.6, 40.4, "does as well"),
    ],
)
def test_how_far_the_runner_up_is_behind_where_playouts_are_cut_off(
    game: Game, state: State, share: float, own: float, words: str
) -> None:
    figures = (90, 0.6, 0.6, (1.0, 2.0, 40.0)), (80, 0.6, share, (1.0, 2.0, own))
    runner_up = game.format_move(state, state.legal_moves()[1])
    assert said(game, state, *figures, estimated=True).endswith(f". A close call: runner-up `{runner_up}` {words}.")
    first, second = state.legal_moves()
    result = result_of(state, report(second, *figures[1]), report(first, *figures[0]), estimated=True)
    text = reason(game, state, Decision(first, result))
    assert text.endswith(f". The search preferred `{runner_up}`, which {words}.")


@pytest.mark.parametrize(("visits", "given_up"), [(99, True), (100, False)])
def test_a_runner_up_that_was_given_up(game: Game, state: State, visits: int, given_up: bool) -> None:
    """Whatever its values were then, they are not compared."""
    points = (1.0, 2.0, 40.0)
    text = said(game, state, (1000, 0.6, 0.6, points), (visits, 0.2, 0.1, points), estimated=True)
    runner_up = game.format_move(state, state.legal_moves()[1])
    assert text.endswith(f". The search soon gave up the runner-up `{runner_up}`.") == given_up
    assert ("Clearly best" in text) != given_up


@pytest.mark.parametrize("estimated", [False, True])
def test_exact_values(game: Game, state: State, estimated: bool) -> None:
    best, other = (5, 1.0, 1.0, (30.0, 20.0, 31.0)), (7, 0.2, 0.0, (30.0, 20.0, 29.0))
    text = said(game, state, best, other, stopped="exhausted", estimated=estimated)
    runner_up = game.format_move(state, state.legal_moves()[1])
    assert text == (
        "Best play ends with 31 points, 1 more than the best other, and wins. "
        f"Runner-up `{runner_up}` ends with 29 points, and does not win."
    )
    shared = said(game, state, (5, 0.5, 1 / 3, (30.0, 30.0, 30.0)), other, stopped="exhausted")
    assert shared.startswith("Best play ends with 30 points, as many as the best other, and shares the win.")


def test_an_exhausted_search_is_exact(tmp_path_factory: pytest.TempPathFactory) -> None:
    table = certain_edition(tmp_path_factory.mktemp("edition"))
    state = last_turns(table, **SMALL["two stars"])
    result = search(state, Limits(simulations=100_000))
    assert result.stopped == "exhausted"
    text = reason(table.game, state, Decision(result.move, result))
    own = result.best.points[0]
    assert own is not None
    assert f"Best play ends with {round(own)} point" in text
    assert f"Runner-up `{table.game.format_move(state, result.moves[1].move)}` ends with" in text


def test_a_move_that_is_not_the_best_one_found(game: Game, state: State) -> None:
    first, second = state.legal_moves()
    points = (1.0, 2.0, 40.0)
    result = result_of(state, report(first, 100, 0.7, 0.7, points), report(second, 50, 0.6, 0.6, points))
    best = f"`{game.format_move(state, first)}`"
    text = reason(game, state, Decision(second, result))
    assert text.startswith(f"Keeps {game.format_move(state, second).split()[1]} ")
    assert text.endswith(
        f"wins about 6 games in 10. The search preferred {best}, which wins about 10 games more in 100."
    )
    result = result_of(state, report(first, 100, 0.7, 0.7, points), report(second, 19, 0.6, 0.6, points))
    text = reason(game, state, Decision(second, result))
    assert text.endswith(f"The search preferred {best}, which at a guess wins about 10 games more in 100.")
    unvisited = replace(result.moves[1], visits=0, value=(None,) * 3, win_share=(None,) * 3, points=(None,) * 3)
    text = reason(game, state, Decision(second, result_of(state, result.best, unvisited)))
    assert text.endswith(f". The search preferred {best}.")
    assert "Expects" not in text


def test_one_simulation(game: Game, state: State) -> None:
    result = search(state, Limits(simulations=1))
    text = reason(game, state, Decision(result.move, result))
    assert text.endswith(f"Runner-up `{game.format_move(state, result.moves[1].move)}` was not tried.")
    assert "Expects" in text


def test_cancelled_before_the_first_simulation(game: Game, state: State) -> None:
    flag = CancelFlag()
    flag.set()
    result = search(state, Limits(simulations=10), cancel=flag)
    text = reason(game, state, Decision(result.move, result))
    second = game.format_move(state, result.moves[1].move)
    assert text.endswith(f". The search tried no move; next on its list is `{second}`.")


def test_the_only_legal_move(game: Game) -> None:
    """Of a seat whose cards nobody told there is one thing to choose."""
    state = game.new(2, seed=1)
    state = state.observe(1)
    assert len(state.legal_moves()) == 1
    result = search(state, Limits(simulations=10))
    assert result.stopped == "forced"
    assert reason(game, state, Decision(result.move, result)) == "It is the only legal move."


def test_what_is_planned_is_told_apart_from_what_the_move_brings() -> None:
    table = Table()
    state = table.position(
        phase=Phase.TURN,
        clusters={(0, 5): "red"},
        galaxy=[{0: "orange"}],
        personal=[["S07", "S10"], ["S02", "S03"]],
        public=["T01", "T02", "T03", "T04"],
    )
    states, line = [state], []
    for text in ("invest 5 0 0", "take 0", "place red 1"):
        line.append(table.game.parse_move(states[-1], text))
        states.append(states[-1].apply(line[-1]))
    told = []
    for number in range(3):
        result = search(states[number], Limits(simulations=1))
        made = replace(result.best, move=line[number], line=tuple(line[number:]))
        told.append(reason(table.game, states[number], Decision(made.move, replace(result, moves=(made,)))))
    gain = "brings S07 (red stars) to 1 of 3"
    assert told[0].startswith(f"Later this turn {gain}")
    assert told[1].startswith(f"Takes red; then {gain}")
    assert told[2].startswith(f"B{gain[1:]}")


def test_what_is_planned_ends_where_the_line_is_not_legal(game: Game, state: State) -> None:
    first, second = state.legal_moves()
    made = report(first, 90, 0.6, 0.6, (1.0, 2.0, 3.0))
    other = report(second, 10, 0.5, 0.5, (1.0, 2.0, 3.0))
    plain = reason(game, state, Decision(first, result_of(state, made, other)))
    odd = replace(made, line=(first, first, second))
    assert reason(game, state, Decision(first, result_of(state, odd, other))) == plain
