"""The command line: what each command prints, and the one line and exit status 2 for whatever is wrong."""

import io
import json
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import grpc
import pytest
from rich.console import Console

from nebula_ai import Limits, __version__, bench, load, read_state, search
from nebula_ai.bots import SearchBot, bots_of
from nebula_ai.calibration import Calibration, Strength
from nebula_ai.commands import remote
from nebula_ai.commands.common import MAX_COMPLAINT
from nebula_ai.commands.opponents import bot_answer, bot_table
from nebula_ai.game import Game
from nebula_ai.registry import Catalogue
from nebula_ai.v1.opponent_service_pb2 import GetMoveRequest, GetMoveResponse
from nebula_ai.v1.search_pb2 import Analysis, StopRule
from nebula_core.face import Generator, State
from nebula_core.search.tree import Parameters
from tests.nebula_ai.conftest import COMMAND, Outcome, Run
from tests.serving import served
from tests.waiting import PATIENCE

GAME = load()
START = GAME.new(2, seed=1)
PENDING = GAME.start(2)
PLAYTHROUGH = Path("tests/data/playthroughs/nebula/003-2p-basic.jsonl").absolute()


def walked(decisions: int, players: int = 3) -> State:
    """A state some decisions after the setup."""
    generator = Generator(decisions)
    state = GAME.new(players, seed=decisions)
    for _ in range(decisions):
        state, _ = state.apply(state.random_move(generator)).settle(generator)
    return state


def finished() -> State:
    """The end of a game."""
    generator = Generator(1)
    state = START
    while not state.finished:
        state, _ = state.apply(state.random_move(generator)).settle(generator)
    return state


def text(state: State) -> str:
    return GAME.to_text(state)


def good(outcome: Outcome) -> str:
    """What a command printed that went well and had nothing to say beside it."""
    assert outcome.err == ""
    assert outcome.code == 0
    return outcome.out


def refuses(outcome: Outcome, pattern: str) -> None:
    """Exit status 2, and one readable line that matches."""
    assert outcome.out == ""
    assert outcome.code == 2, outcome.err
    assert outcome.err.endswith("\n")
    (line,) = outcome.err.splitlines()
    assert re.match(pattern, line), line
    assert line.isprintable()
    assert len(line) <= len("error: ") + MAX_COMPLAINT


def edition_file(folder: Path, *changes: tuple[str, str]) -> Path:
    """An edition file like the standard one, but for its name and these changes."""
    content = Path("nebula_ai/games/nebula/standard.toml").read_text(encoding="utf-8")
    for old, new in (('edition = "standard"', 'edition = "house"'), *changes):
        assert content.count(old) == 1
        content = content.replace(old, new)
    path = folder / "house.toml"
    path.write_text(content, encoding="utf-8")
    return path


STATE = text(START)
END = text(finished())

# --- States ------------------------------------------------------------------------------------------------------


def test_new_prints_the_text_form_on_one_line(run: Run) -> None:
    assert good(run("new", "--seed", "1")) == text(START) + "\n"
    assert good(run("new", "nebula", "--players", "4", "--variant", "basic", "--seed", "7")) == (
        text(GAME.new(4, "basic", seed=7)) + "\n"
    )
    assert good(run("new", "--pending")) == text(PENDING) + "\n"
    assert good(run("new")) != good(run("new"))


def test_new_as_json_is_the_readable_state(run: Run) -> None:
    assert json.loads(good(run("new", "--seed", "1", "--json"))) == GAME.to_json(START)


def test_every_form_of_a_state_is_taken(run: Run, tmp_path: Path) -> None:
    state = walked(30)
    readable = json.dumps(GAME.to_json(state))
    for content in (text(state), readable):
        path = tmp_path / "state"
        path.write_text(content + "\n", encoding="utf-8")
        for outcome in (run("moves", content), run("moves", str(path)), run("moves", "-", input=content)):
            assert good(outcome).splitlines() == [GAME.format_move(state, move) for move in state.legal_moves()]


def test_show_draws_plain_boards_where_there_is_no_terminal(run: Run) -> None:
    out = good(run("show", text(walked(30))))
    assert "3 players" in out
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 100


def test_show_of_a_seat_and_observe_hide_what_the_seat_does_not_see(run: Run) -> None:
    state = walked(30)
    seen = state.observe(1)
    assert good(run("observe", text(state), "1")) == text(seen) + "\n"
    assert json.loads(good(run("observe", text(state), "1", "--json"))) == GAME.to_json(seen)
    assert json.loads(good(run("show", text(state), "--seat", "1", "--json"))) == GAME.to_json(seen)
    assert good(run("show", text(state), "--seat", "1")) == good(run("show", text(seen)))
    assert good(run("show", text(state), "--seat", "1")) != good(run("show", text(state)))


def test_moves_lists_legal_moves_or_possible_outcomes(run: Run) -> None:
    state = walked(30)
    listed = json.loads(good(run("moves", text(state), "--json")))
    assert listed == {
        "waits_for": "move",
        "seat": state.seat,
        "moves": [
            {"text": GAME.format_move(state, move), "number": move, "description": GAME.describe_move(state, move)}
            for move in state.legal_moves()
        ],
    }
    outcome = run("moves", text(PENDING))
    assert (outcome.code, outcome.err) == (0, "a chance event is pending (cluster 0, space 0)\n")
    assert outcome.out.splitlines() == [GAME.format_chance(PENDING, number) for number, _ in PENDING.chances()]
    listed = json.loads(good(run("moves", text(PENDING), "--json")))
    assert (listed["waits_for"], listed["target"], listed["unknown"]) == ("chance", "cluster 0, space 0", None)
    assert sum(outcome["probability"] for outcome in listed["outcomes"]) == pytest.approx(1)
    assert listed["outcomes"][0] == {"text": "piece red", "number": PENDING.chances()[0][0], "probability": 21 / 138}


def test_apply_makes_a_move_and_leaves_chance_pending(run: Run) -> None:
    state = walked(40)
    for move in state.legal_moves():
        after = text(state.apply(move)) + "\n"
        words = GAME.format_move(state, move)
        assert good(run("apply", text(state), words)) == after
        assert good(run("apply", text(state), *words.split())) == after
        assert json.loads(good(run("apply", text(state), words, "--json"))) == GAME.to_json(state.apply(move))


def test_apply_takes_a_whole_game_as_it_was_recorded(run: Run) -> None:
    header, *lines = map(json.loads, PLAYTHROUGH.read_text(encoding="utf-8").splitlines())
    state = good(
        run("new", header["game"], "--players", str(header["players"]), "--variant", header["variant"], "--pending")
    )
    for line in lines:
        if words := line.get("chance") or line.get("move"):
            state = good(run("apply", state.strip(), words))
    game, end = read_state(state)
    assert game.breakdown(end) == lines[-1]["scores"]


def test_apply_takes_unknown_cards(run: Run) -> None:
    state = PENDING
    while "personal" not in (kind := GAME.format_chance(state, state.chances()[0][0])).split():
        state = state.resolve(GAME.parse_chance(state, kind))
    assert good(run("apply", text(state), "personal", "unknown")) != good(run("apply", text(state), kind))
    outcome = run("moves", text(state))
    assert outcome.err == "a chance event is pending (personal task 1 of 2 for seat 0)\n"
    assert outcome.out.splitlines()[-1] == "personal unknown"
    listed = json.loads(good(run("moves", text(state), "--json")))
    assert [outcome["text"] for outcome in (*listed["outcomes"], listed["unknown"])] == outcome.out.splitlines()
    assert sum(outcome["probability"] for outcome in listed["outcomes"]) == pytest.approx(1)


def test_show_says_what_the_pending_chance_event_is_for(run: Run) -> None:
    state = PENDING.resolve(PENDING.chances()[0][0])
    assert "round 1: chance (cluster 0, space 1)\n" in good(run("show", text(state)))


def test_apply_draws_chance_from_a_seed(run: Run) -> None:
    outcome = run("apply", text(PENDING), "--seed", "5")
    assert outcome.code == 0
    _, state = read_state(outcome.out)
    assert state.seat == 0
    again = PENDING
    for line in outcome.err.splitlines():
        event = re.fullmatch(r"chance: ([^(]+) \((.+)\)", line)
        assert event
        assert event[2] == GAME.chance_target(again)
        again = again.resolve(GAME.parse_chance(again, event[1]))
    assert again == state
    assert run("apply", text(PENDING), "--seed", "5") == outcome
    assert run("apply", text(PENDING), "--seed", "6") != outcome
    # Another state draws other numbers from the same seed.
    after_red = run("apply", text(PENDING), "piece", "red", "--seed", "5")
    assert after_red.err.splitlines()[:10] not in (outcome.err.splitlines()[:10], outcome.err.splitlines()[1:11])


def test_perft_counts(run: Run) -> None:
    state = walked(30)
    assert good(run("perft", text(state))) == f"{len(state.legal_moves())}\n"
    assert json.loads(good(run("perft", text(state), "--depth", "2", "--json"))) == {"depth": 2, "ways": state.perft(2)}


# --- Asking for a move -------------------------------------------------------------------------------------------


def test_move_is_the_librarys_answer(run: Run) -> None:
    state = walked(30)
    strong = bots_of(GAME)["strong"]
    assert isinstance(strong, SearchBot)
    result = search(state, Limits(simulations=300), seed=7, parameters=strong.parameters)
    answer = json.loads(good(run("move", text(state), "--simulations", "300", "--seed", "7", "--json")))
    assert answer["move"] == GAME.format_move(state, result.move)
    assert answer["number"] == result.move
    assert answer["seat"] == result.seat == state.seat
    assert answer["stopped"] == result.stopped
    assert [report["visits"] for report in answer["moves"]] == [report.visits for report in result.moves]
    assert [report["move"] for report in answer["moves"]] == [GAME.format_move(state, m.move) for m in result.moves]
    assert answer["moves"][0]["value"] == list(result.best.value)
    assert answer["moves"][0]["points"] == list(result.best.points)
    assert answer["moves"][0]["line"] == [GAME.format_move(state, move) for move in result.best.line]
    out = good(run("move", text(state), "--simulations", "300", "--seed", "7"))
    head = f"seat {state.seat}: {answer['move']}\n{answer['reason']}\nstopped: {answer['stopped']} ("
    assert answer["reason"]
    assert out.startswith(head)
    assert answer["runner_up"] == answer["moves"][1]["move"]
    assert re.search(rf"^{answer['move']} +{result.best.visits} +0\.\d+ +\d+\.\d% +\d+\.\d$", out, re.MULTILINE)
    assert run("move", text(state), "--simulations", "300", "--seed", "8", "--json").out != json.dumps(answer) + "\n"


def test_move_by_bot_time_and_workers(run: Run) -> None:
    state = text(walked(30))
    by_default = json.loads(good(run("move", state, "--json")))
    by_name = json.loads(good(run("move", state, "--bot", "strong", "--json")))
    assert by_default | {"seconds": 0} == by_name | {"seconds": 0}
    timed = json.loads(good(run("move", state, "--time", "0.05", "--workers", "2", "--json")))
    assert timed["workers"] == 2
    assert timed["stopped"] in ("time", "decided", "exhausted")
    both = json.loads(good(run("move", state, "--time", "600", "--simulations", "5", "--json")))
    assert both["stopped"] == "simulations"


def test_bots_are_listed(run: Run) -> None:
    for game in (GAME, load("via_nebula")):
        listed = json.loads(good(run("bots", game.name, "--json")))
        bots = bots_of(game)
        assert [(bot["bot"], bot["description"]) for bot in listed] == [
            (bot.name, bot.description) for bot in bots.values()
        ]
        by_name = {bot["bot"]: bot for bot in listed}
        assert by_name["random"]["limits"] is None
        assert by_name["plain"]["limits"] == {"time": None, "simulations": 1000, "nodes": None}
        out = good(run("bots", game.name))
        for name in bots:
            assert re.search(rf"^{name} .* [\d,-]+  \S", out, re.MULTILINE)
    assert good(run("bots")) == good(run("bots", GAME.name))


def test_ratings_are_listed_beside_the_bots() -> None:
    calibration = Calibration("1.2.3", "0" * 16, 50, {"greedy": Strength(410.4, 379.6, 441.2, 1300, 12.4, "0" * 12)})
    answers = [bot_answer(bot, calibration) for bot in bots_of(GAME).values()]
    assert answers[0]["rating"] is None
    assert answers[1]["rating"] == {
        "rating": 410.4,
        "low": 379.6,
        "high": 441.2,
        "games": 1300,
        "milliseconds": 12.4,
        "engine_version": "1.2.3",
    }
    out = Console(width=100, record=True, file=io.StringIO())
    out.print(bot_table(answers, calibration))
    text = out.export_text()
    assert re.search(r"^bot +rating +95 % +games +time +simulations", text)
    assert re.search(r"^random +- +- +- +- +- +Random", text, re.MULTILINE)
    assert re.search(r"^greedy +410 +380 to 441 +1,300 +12\.4 ms +- +Looks", text, re.MULTILINE)
    assert "rated with version 1.2.3" in text


def test_a_move_without_a_search(run: Run) -> None:
    state = walked(30)
    for bot in ("random", "greedy"):
        answer = json.loads(good(run("move", text(state), "--bot", bot, "--seed", "3", "--json")))
        assert answer["number"] == bots_of(GAME)[bot].move(state, seed=3).move
        assert (answer["stopped"], answer["runner_up"], answer["simulations"]) == ("unsearched", None, 0)
        out = good(run("move", text(state), "--bot", bot, "--seed", "3"))
        # No figures where there are none.
        expected = f"seat {state.seat}: {answer['move']}\n{answer['reason']}\nstopped: unsearched (seed 3, 1 worker)\n"
        assert out == expected


def test_a_bot_with_limits_and_parameters_of_ones_own(run: Run) -> None:
    state = walked(30)
    bot = "plain: simulations=60, exploration=0.2"
    answer = json.loads(good(run("move", text(state), "--bot", bot, "--seed", "7", "--json")))
    result = search(state, Limits(simulations=60), seed=7, parameters=Parameters(exploration=0.2))
    assert [report["visits"] for report in answer["moves"]] == [report.visits for report in result.moves]
    assert answer["estimated"] is False
    cut = json.loads(good(run("move", text(state), "--bot", f"{bot}, playout_turns=2", "--seed", "7", "--json")))
    assert cut["estimated"] is True
    assert cut["plies"] < answer["plies"]
    assert "Some turns from now" in cut["reason"]
    # The table heads the figures as what they are.
    for text_of_bot, heading, explained in (
        (bot, "win share +points", False),
        (f"{bot}, playout_turns=2", "leads then +points then", True),
    ):
        out = good(run("move", text(state), "--bot", text_of_bot, "--seed", "7"))
        assert re.search(rf"^move +visits +value +{heading}$", out, re.MULTILINE)
        assert bool(re.search("^then: where playouts were cut off *$", out, re.MULTILINE)) == explained


def test_a_move_that_is_not_the_best_one_found(run: Run) -> None:
    state = walked(30)
    for seed in range(20):
        bot = "plain:simulations=100,power=0,least_share=0.1"
        answer = json.loads(good(run("move", text(state), "--bot", bot, "--seed", str(seed), "--json")))
        if answer["move"] != answer["moves"][0]["move"]:
            break
    assert answer["runner_up"] == answer["moves"][0]["move"]
    out = good(run("move", text(state), "--bot", bot, "--seed", str(seed)))
    assert out.startswith(f"seat {state.seat}: {answer['move']}\n")


def without_end(answer: dict[str, object]) -> dict[str, object]:
    """An answer but for its time and the rule that ended it."""
    return {key: value for key, value in answer.items() if key not in ("seconds", "stopped")}


def test_a_move_can_be_had_again_whatever_ended_its_search(run: Run) -> None:
    state = text(START)
    for options, stopped in (
        (("--time", "0.03", "--no-decided"), "time"),
        (("--simulations", "2000"), "decided"),
        (("--nodes", "50", "--no-decided"), "nodes"),
    ):
        first = json.loads(good(run("move", state, *options, "--json")))
        assert first["stopped"] == stopped
        again = ("--simulations", str(first["simulations"]), "--no-decided")
        second = json.loads(good(run("move", state, *again, "--json")))
        assert second["stopped"] == "simulations"
        assert without_end(second) == without_end(first)
    assert first["nodes"] == 50


def test_moves_never_tried_have_no_values(run: Run) -> None:
    state = text(walked(30))
    answer = json.loads(good(run("move", state, "--simulations", "1", "--json")))
    assert answer["moves"][0]["value"] is not None
    assert answer["moves"][-1]["value"] is answer["moves"][-1]["points"] is None
    out = good(run("move", state, "--simulations", "1"))
    assert re.search(r"^\S.* 0 +- +- +-$", out, re.MULTILINE)
    assert "more: --json has every move" in out


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server in a process of its own, which has the edition `house` as well."""
    house = edition_file(tmp_path_factory.mktemp("editions"))
    with served("--edition", str(house)) as (process, address, _):
        yield address
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_a_server_answers_like_the_library(run: Run, server: str) -> None:
    state = text(walked(30))
    options = ("--simulations", "200", "--seed", "7", "--json")
    here = json.loads(good(run("move", state, *options)))
    there = json.loads(good(run("move", state, *options, "--server", server)))
    assert there | {"seconds": 0} == here | {"seconds": 0}
    assert there["seconds"] > 0
    by_name = json.loads(good(run("move", state, "--bot", "strong", "--server", server, "--json")))
    by_default = json.loads(good(run("move", state, "--server", server, "--json")))
    assert by_name | {"seconds": 0} == by_default | {"seconds": 0}
    assert good(run("move", state, "--server", server)).startswith("seat ")
    for bot in ("greedy", "novice"):
        here = json.loads(good(run("move", state, "--bot", bot, "--json")))
        there = json.loads(good(run("move", state, "--bot", bot, "--server", server, "--json")))
        assert there | {"seconds": 0} == here | {"seconds": 0}
    for given in (["--simulations", "2000", "--no-decided"], ["--nodes", "50", "--simulations", "2000"]):
        here = json.loads(good(run("move", STATE, *given, "--json")))
        there = json.loads(good(run("move", STATE, *given, "--server", server, "--json")))
        assert without_end(there) == without_end(here)
        assert there["stopped"] == here["stopped"] in ("simulations", "nodes")


def test_what_a_server_refuses_is_said(run: Run, server: str, tmp_path: Path) -> None:
    state = text(walked(30))
    for arguments, words in (
        (("--bot", "nobody"), r"bot: 'nobody' is not known"),
        (("--bot", "novice:time=1"), r"bot: 'novice:time=1' is not known"),
        (("--workers", "64"), r"workers: are more "),
    ):
        refuses(run("move", state, "--server", server, *arguments), rf"error: {server}: {words}.* \([A-Z_]+\)$")
    house = edition_file(tmp_path, ("first = 5\nlater = 2", "first = 6\nlater = 2"))
    other = good(run("new", "--edition", str(house))).strip()
    refuses(run("move", other, "--edition", str(house), "--server", server), rf"error: {server}: .*edition.*")
    refuses(run("move", text(finished()), "--server", server), r"error: .*finished.*")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--time", "nan"), r"limits\.time: must be "),
        (("--time", "1e300"), r"limits\.time: must be "),
        (("--simulations", "9" * 30), r"limits\.simulations: must be "),
        (("--nodes", "9" * 30), r"limits\.nodes: must be "),
        (("--no-decided",), r"limits: must have a time"),
        (("--bot", "plain", "--no-decided"), r"bot: has limits of its own"),
        (("--seed", "-1"), r"seed: must be "),
        (("--workers", "9" * 30), r"workers: must be "),
        (("--bot", "plain", "--time", "1"), r"bot: has limits of its own"),
    ],
)
def test_what_no_server_would_take_is_not_sent(run: Run, options: tuple[str, ...], words: str) -> None:
    refuses(run("move", STATE, "--server", "127.0.0.1:1", *options), f"error: {words}")


def test_no_server(run: Run) -> None:
    refuses(
        run("move", STATE, "--server", "localhost"), r"error: address: must be HOST:PORT or unix:PATH, not 'localhost'$"
    )
    refuses(
        run("move", text(START), "--server", "127.0.0.1:1"),
        r"error: no server answers at 127\.0\.0\.1:1 \(this command speaks no TLS\)$",
    )


def test_a_server_that_wants_a_token(run: Run, tmp_path: Path) -> None:
    tokens = tmp_path / "clients.toml"
    tokens.write_text(f'[clients.us]\ntoken_sha256 = "{"0" * 64}"\ncalls_per_minute = 60\nsearches = 1\n')
    with served("--tokens", str(tokens)) as (_, address, _):
        refuses(
            run("move", text(START), "--server", address),
            rf"error: {address}: .*TOKEN_MISSING.*: this command sends none$",
        )


class OtherServer:
    """A server of another version, or one that is stuck."""

    def __init__(self, answer: GetMoveResponse | None) -> None:
        """`answer`: what it answers; without one it waits until it is told to end."""
        self.answer = answer
        self.ended = threading.Event()
        self.remaining = 0.0

    def get_move(self, _request: GetMoveRequest, context: grpc.ServicerContext) -> GetMoveResponse:
        """The method GetMove."""
        self.remaining = context.time_remaining()
        if self.answer is None:
            self.ended.wait(60)
        return self.answer or GetMoveResponse()


@contextmanager
def serving(other: OtherServer) -> Iterator[str]:
    """The address where a server answers."""
    running = grpc.server(ThreadPoolExecutor(1))
    method = grpc.unary_unary_rpc_method_handler(
        other.get_move, GetMoveRequest.FromString, GetMoveResponse.SerializeToString
    )
    service = grpc.method_handlers_generic_handler("nebula_ai.v1.OpponentService", {"GetMove": method})
    running.add_generic_rpc_handlers([service])
    port = running.add_insecure_port("127.0.0.1:0")
    running.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        other.ended.set()
        running.stop(None).wait()


def test_a_server_says_whether_playouts_were_cut_off(run: Run) -> None:
    for estimated in (False, True):
        response = GetMoveResponse(analysis=Analysis(estimated=estimated, stop_rule=StopRule.STOP_RULE_TIME))
        with serving(OtherServer(response)) as address:
            assert json.loads(good(run("move", STATE, "--server", address, "--json")))["estimated"] is estimated


def test_a_rule_that_only_a_newer_server_knows(run: Run) -> None:
    response = GetMoveResponse()
    response.move.text = "choose S22"
    response.analysis.stop_rule = StopRule.ValueType(99)
    with serving(OtherServer(response)) as address:
        # It may also give no reason, because it is older.
        assert re.match(
            r"seat 0: choose S22\nstopped: unknown rule 99 \(", good(run("move", STATE, "--server", address))
        )
        assert json.loads(good(run("move", STATE, "--server", address, "--json")))["stopped"] == "unknown rule 99"


def test_a_server_has_as_long_as_its_search_may_take_and_a_minute(run: Run) -> None:
    other = OtherServer(GetMoveResponse())
    with serving(other) as address:
        for options, seconds in (
            (("--time", "100"), 160),
            (("--simulations", "5"), 660),
            ((), 660),
        ):
            good(run("move", STATE, "--server", address, *options))
            # gRPC rounds a timeout up to three digits.
            assert seconds - 30 < other.remaining <= seconds + 1


def test_a_server_that_is_stuck(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "WAIT_SECONDS", 0.1)
    with serving(OtherServer(None)) as address:
        outcome = run("move", STATE, "--server", address, "--time", "0.1")
        refuses(outcome, rf"error: {address}: no answer came in time$")


# --- An edition of one's own -------------------------------------------------------------------------------------


def test_an_edition_file_plays_like_the_standard_one(run: Run, tmp_path: Path) -> None:
    house = ("--edition", str(edition_file(tmp_path)))
    state = good(run("new", "--seed", "1", *house)).strip()
    assert json.loads(good(run("show", state, "--json", *house)))["edition"] == "house"
    move = good(run("moves", state, *house)).splitlines()[0]
    for arguments in (
        ("show", state),
        ("observe", state, "0"),
        ("apply", state, move),
        ("move", state, "--simulations", "10"),
        ("perft", state),
    ):
        assert good(run(*arguments, *house))
    assert run("play", "--seed", "1", *house, input="quit\n").code == 0
    refuses(run("moves", state), "error: edition: 'house' is not known.*")
    recorded = tmp_path / "game.jsonl"
    recorded.write_text(PLAYTHROUGH.read_text(encoding="utf-8").replace("standard", "house", 1), encoding="utf-8")
    assert good(run("replay", str(recorded), *house)).startswith("1 game, ")
    assert run("replay", str(recorded)).code == 2


def test_a_broken_edition_is_refused_with_key_and_reason(run: Run, tmp_path: Path) -> None:
    house = str(edition_file(tmp_path, ("steps = 5", "steps = 'five'")))
    for arguments in (("new",), ("moves", text(START)), ("play",), ("replay", str(PLAYTHROUGH))):
        refuses(run(*arguments, "--edition", house), "error: clusters.steps: must be a whole number, not 'five'.*")


# --- Replay and bench --------------------------------------------------------------------------------------------


def test_replay_says_in_one_line_that_all_agree(run: Run) -> None:
    out = good(run("replay", str(PLAYTHROUGH), str(PLAYTHROUGH)))
    assert re.fullmatch(r"2 games, \d+ decisions, \d+ chance events, \d+ snapshots: all agree\n", out)
    counted = json.loads(good(run("replay", str(PLAYTHROUGH), "--json")))
    assert counted["agree"] is True
    assert counted["games"] == 1
    assert counted["problems"] == []


def test_replay_names_file_and_line_of_a_difference(run: Run, tmp_path: Path) -> None:
    lines = PLAYTHROUGH.read_text(encoding="utf-8").splitlines()
    number = next(index for index, line in enumerate(lines) if '"stop"' in line)
    lines[number] = lines[number].replace('"stop"', '"stay"', 1)
    wrong = tmp_path / "wrong.jsonl"
    wrong.write_text("\n".join(lines), encoding="utf-8")
    outcome = run("replay", str(PLAYTHROUGH), str(wrong))
    assert outcome.code == 1
    assert outcome.err == ""
    place, words = outcome.out.split(": ", 1)
    assert place == f"{wrong}:{number + 1}"
    assert re.fullmatch(r"legal moves of seat \d: only in the file: stay; only in the core: stop\n", words)
    found = run("replay", str(wrong), "--json")
    assert found.code == 1
    (problem,) = json.loads(found.out)["problems"]
    assert problem["file"] == str(wrong)
    assert problem["line"] == number + 1
    assert problem["kind"] == "difference"


def test_replay_of_what_is_no_playthrough(run: Run, tmp_path: Path) -> None:
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"game": \x1b[31m', encoding="utf-8")
    for path, words in (
        (tmp_path, "Is a directory"),
        (tmp_path / "none", "No such file or directory"),
        (broken, "not JSON: .*"),
        (Path("README.md"), "not JSON: .*"),
    ):
        refuses(run("replay", str(path)), rf"error: {re.escape(str(path))}(:1)?: {words}$")
    # One that cannot be read keeps none of the others from being played.
    outcome = run("replay", str(broken), str(PLAYTHROUGH), "--json")
    assert outcome.code == 2
    assert json.loads(outcome.out)["games"] == 1


def test_bench_prints_speed_and_signature(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = json.loads(good(run("bench", "--json")))
    assert found["signature"] == found["recorded_signature"]
    assert found["bytes_per_node"] <= 64
    assert found["simulations"] == sum(position["simulations"] for position in found["positions"])
    assert min(position["plies_per_second"] for position in found["positions"]) > 0
    monkeypatch.setattr(bench, "SIMULATIONS", 20)
    out = good(run("bench"))
    changed = rf"signature [0-9a-f]{{16}} \(recorded is {found['signature']}: the behaviour has changed\)"
    assert re.fullmatch(changed, out.splitlines()[-1])
    assert len(out.splitlines()) == len(found["positions"]) + 3


# --- What is wrong -----------------------------------------------------------------------------------------------


REFUSED: dict[str, tuple[tuple[str, ...], str]] = {
    "no such command": (("mvoe",), r"error: No such command 'mvoe'.*\(see nebula-ai --help\)$"),
    "no such option": (("new", "--foo"), r"error: No such option: --foo.*\(see nebula-ai new --help\)$"),
    "argument missing": (("show",), r"error: Missing argument 'STATE' \(see nebula-ai show --help\)$"),
    "argument too many": (("show", STATE, "x"), r"error: Got unexpected extra argument.*"),
    "arguments far too many": (("show", STATE, *["x" * 50] * 900), r"error: Got unexpected extra argument.*…$"),
    "no such option, and long": (("new", "--" + "x" * 50_000), r"error: No such option: .*…$"),
    "no number": (("new", "--seed", "x"), r"error: Invalid value for '--seed': .*"),
    "no such game": (("new", "chess"), r"error: game: 'chess' is not known.*"),
    "no such variant": (("new", "--variant", "huge"), r"error: variant: 'huge' is not known.*"),
    "players": (("new", "--players", "5"), r"error: players: must be .*5$"),
    "negative seed": (("new", "--seed", "-1"), r"error: seed: must be from 0 to 18446744073709551615, not -1$"),
    "huge seed": (("new", "--seed", "9" * 30), r"error: seed: must be from 0 to .*"),
    "absurd seed": (("new", "--seed", "9" * 9000), r"error: Invalid value for '--seed'.*"),
    "pending and seed": (("new", "--pending", "--seed", "1"), r"error: --pending draws nothing.*"),
    "no edition file": (
        ("new", "--edition", "no.toml"),
        r"error: edition: cannot read the file 'no.toml': No such file.*",
    ),
    "no state": (("show", "hello"), r"error: state: 'hello' is no text form of a state.*"),
    "folder": (("show", "."), r"error: state: cannot read the file '\.': Is a directory$"),
    "NUL": (("show", "a\0b"), r"error: state: cannot read the file .*"),
    "long name": (("show", "x" * 5000), r"error: state: .*"),
    "nothing on standard input": (("show", "-"), r"error: state: standard input is empty$"),
    "flipped": (("show", STATE[:-8] + "AAAAAAAA"), r"error: state: .*checksum.*"),
    "truncated": (("show", STATE[:60]), r"error: state: truncated.*"),
    "version": (("show", STATE.replace("1", "2", 1)), r"error: state: version 2 .*"),
    "unknown field": (("show", '{"game": "nebula", "edition": "standard", "luck": 1}'), r"error: luck: .*"),
    "bad JSON": (("show", '{"game": '), r"error: state: the text is not JSON.*"),
    "seat": (("observe", STATE, "2"), r"error: seat: must be from 0 to 1, not 2$"),
    "seat to show": (("show", STATE, "--seat", "-1"), r"error: seat: must be from 0 to 1, not -1$"),
    "illegal move": (("apply", STATE, "stop"), r"error: move: 'stop' is not legal now: .*"),
    "no move": (("apply", STATE, "fly"), r"error: move: the word 'fly' is not known.*"),
    "escape": (("apply", STATE, "\x1b[31mfly\n\n"), r"error: move: .*"),
    "move missing": (("apply", STATE), r"error: MOVE is missing: seat 0 has to decide$"),
    "outcome missing": (
        ("apply", text(PENDING)),
        r"error: MOVE is missing: a chance event is pending \(cluster 0, space 0\)$",
    ),
    "nothing pending": (("apply", STATE, "--seed", "1"), r"error: MOVE is missing: seat 0 has to decide$"),
    "impossible outcome": (
        ("apply", text(PENDING), "public", "T01"),
        r"error: outcome: 'public T01' is not possible.*",
    ),
    "move after the end": (("apply", END, "stop"), r"error: the game is finished.*"),
    "moves after the end": (("moves", END), r"error: the game is finished.*"),
    "search after the end": (("move", END), r"error: the game is finished.*"),
    "search before the deal": (
        ("move", text(PENDING)),
        r"error: a chance event is pending \(cluster 0, space 0\): .*`nebula-ai apply STATE OUTCOME`.*--seed N`$",
    ),
    "no such bot": (("move", STATE, "--bot", "deep"), r"error: bot: 'deep' is not known.*"),
    "bot's key": (
        ("move", STATE, "--bot", "plain:tine=1"),
        r"error: bot: 'tine' is not known \(did you mean time\?\)$",
    ),
    "bot without a search": (("move", STATE, "--bot", "greedy:time=1"), r"error: bot: greedy does not search, .*"),
    "bots of no game": (("bots", "chess"), r"error: game: 'chess' is not known.*"),
    "what looks like the name of an emoji": (("moves", "root:x:0"), r"error: .*'root:x:0'.*"),
    "bot and limits": (("move", STATE, "--bot", "plain", "--time", "1"), r"error: bot: has limits of its own.*"),
    "no time": (("move", STATE, "--time", "0"), r"error: limits\.time: must be .*"),
    "time nan": (("move", STATE, "--time", "nan"), r"error: limits\.time: must be .*"),
    "time infinite": (("move", STATE, "--time", "inf"), r"error: limits\.time: must be .*"),
    "time no number": (("move", STATE, "--time", "soon"), r"error: Invalid value for '--time'.*"),
    "no simulations": (("move", STATE, "--simulations", "0"), r"error: limits\.simulations: must be .*"),
    "no nodes": (("move", STATE, "--nodes", "0"), r"error: limits\.nodes: must be .*"),
    "no limits": (("move", STATE, "--no-decided"), r"error: limits: must have a time, .*"),
    "workers": (("move", STATE, "--workers", "0"), r"error: workers: must be .*"),
    "search seed": (("move", STATE, "--seed", "-5"), r"error: seed: must be .*"),
    "seat to play": (("play", "--seat", "2"), r"error: seat: there are seats 0 to 1, not 2$"),
    "bot to play": (("play", "--bot", "deep"), r"error: bot: 'deep' is not known.*"),
    "time to play": (("play", "--time", "-1"), r"error: limits\.time: must be .*"),
    "depth": (("perft", STATE, "--depth", "17"), r"error: depth: must be from 0 to 16, not 17$"),
    "no files": (("replay",), r"error: Missing argument 'FILE' \(see nebula-ai replay --help\)$"),
}


@pytest.mark.parametrize(("arguments", "pattern"), REFUSED.values(), ids=REFUSED.keys())
def test_what_is_wrong_is_said_in_one_line(run: Run, arguments: tuple[str, ...], pattern: str) -> None:
    refuses(run(*arguments), pattern)


# --- The command as a process ------------------------------------------------------------------------------------


def process(*arguments: str) -> subprocess.Popen[bytes]:
    """The command in a process of its own, once it has been loaded."""
    program = COMMAND.replace("; app", "; print('ready', flush=True); app")
    running = subprocess.Popen(
        [sys.executable, "-c", program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None
    assert running.stdout.readline() == b"ready\n"
    return running


@pytest.mark.parametrize("arguments", [("move", STATE, "--time", "600"), ("perft", text(walked(30)), "--depth", "16")])
def test_ctrl_c_ends_a_command_quietly(arguments: tuple[str, ...]) -> None:
    with process(*arguments) as running:
        time.sleep(1)
        assert running.poll() is None
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=60)
    assert (running.returncode, out, err) == (130, b"", b"")


def test_a_reader_that_has_enough_is_no_error() -> None:
    with process("show", STATE) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        running.stdout.close()
        assert running.stderr.read() == b""
        assert running.wait(60) == 1


def test_a_full_disk_is_said_in_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [sys.executable, "-c", COMMAND, "new"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert (result.returncode, result.stderr) == (2, "error: No space left on device\n")


# --- Help --------------------------------------------------------------------------------------------------------


def test_without_arguments_the_commands_are_listed(run: Run) -> None:
    out = good(run())
    assert out == good(run("--help"))
    for command in ("new", "show", "observe", "moves", "apply", "bots", "move", "play", "replay", "bench", "perft"):
        assert f" {command} " in out
        assert "Example" in good(run(command, "--help"))


def test_version(run: Run) -> None:
    assert good(run("--version")) == f"nebula-ai {__version__}\n"


@pytest.mark.parametrize("game", Catalogue().games, ids=lambda game: game.name)
def test_every_game_goes_through_every_command(run: Run, game: Game) -> None:
    for variant in game.variants:
        state = good(run("new", game.name, "--variant", variant, "--seed", "1")).strip()
        assert good(run("show", state))
        assert good(run("observe", state, "0"))
        move = json.loads(good(run("move", state, "--simulations", "20", "--json")))["move"]
        assert move in good(run("moves", state)).splitlines()
        assert good(run("apply", state, move))
        assert good(run("perft", state))
