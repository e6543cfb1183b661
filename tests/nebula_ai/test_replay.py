"""Recorded games through the core, and what replay says of files that are wrong."""

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nebula_ai.json_lines import MAX_LINE_BYTES, Unreadable
from nebula_ai.registry import Catalogue
from nebula_ai.replay import Difference, Tally, replay

PLAYTHROUGHS = sorted(Path("tests/data/playthroughs").absolute().glob("*/*.jsonl"))
FULL = Path("tests/data/playthroughs/nebula/000-2p-full.jsonl").absolute()

Line = dict[str, Any]
Change = Callable[[list[Line]], None]


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue()


@pytest.fixture(scope="module")
def text() -> str:
    return FULL.read_text(encoding="utf-8")


def replay_text(text: str | bytes, catalogue: Catalogue) -> Tally:
    return replay(io.BytesIO(text.encode() if isinstance(text, str) else text), catalogue)


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_recorded_game_agrees(path: Path, catalogue: Catalogue) -> None:
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with path.open("rb") as file:
        tally = replay(file, catalogue)
    assert tally == Tally(
        games=1,
        decisions=sum("move" in line for line in lines),
        chances=sum("chance" in line for line in lines),
        snapshots=sum("state" in line for line in lines),
    )


def test_there_are_recorded_games() -> None:
    assert len(PLAYTHROUGHS) >= 15


def first(lines: list[Line], key: str, number: int = 0) -> int:
    """Index of a line with this key: the first, or the one after `number` others."""
    return [index for index, line in enumerate(lines) if key in line][number]


def changed_value(key: str, number: int, change: Callable[[Any], Any]) -> Change:
    """Changes the value of `key` in the line after `number` others that have it."""

    def apply(lines: list[Line]) -> None:
        line = lines[first(lines, key, number)]
        line[key] = change(line[key])

    return apply


def changed_state(change: Callable[[Any], None], number: int = 4) -> Change:
    """Changes a snapshot in place."""

    def apply(lines: list[Line]) -> None:
        change(lines[first(lines, "state", number)]["state"])

    return apply


def last_line(change: Callable[[Line], None]) -> Change:
    """Changes the scores in place."""
    return lambda lines: change(lines[-1])


def without_line_before(key: str, after: int = 0) -> Change:
    """Leaves out the line before the first one with `key`, of those after so many."""

    def apply(lines: list[Line]) -> None:
        del lines[next(index for index in range(after, len(lines)) if key in lines[index]) - 1]

    return apply


# What is changed in a good file, and what is said of it.
DIFFERENCES: dict[str, tuple[Change, str]] = {
    "impossible piece": (changed_value("chance", 2, lambda _: "public T01"), "chance: "),
    "unknown card": (changed_value("chance", 24, lambda _: "public T99"), "chance: "),
    "other seat": (changed_value("seat", 1, lambda seat: 1 - seat), "seat: 0 in the file, 1 in the core"),
    "move missing": (changed_value("legal", 2, lambda legal: legal[1:]), "only in the core: invest 0 0 5"),
    "move too many": (changed_value("legal", 2, lambda legal: ["stop", *legal]), "only in the file: stop"),
    "move twice": (changed_value("legal", 2, lambda legal: [legal[0], *legal]), "twice in the file: invest 0 0 5"),
    "both": (
        changed_value("legal", 2, lambda legal: ["invest 9 9 9", *legal[1:]]),
        "only in the file: invest 9 9 9; only in the core: invest 0 0 5",
    ),
    "no legal moves": (changed_value("legal", 2, lambda _: []), "only in the core: invest 0 0 5, invest 0 1 4"),
    "illegal move": (changed_value("move", 2, lambda _: "invest 5 5 5"), "move: 'invest 5 5 5' is not among"),
    "decision too early": (without_line_before("seat"), "but a chance event is pending: personal "),
    "chance too early": (without_line_before("chance", 40), "but seat "),
    "piece": (changed_state(lambda state: state["clusters"][1].__setitem__(2, "none")), "state.clusters[1][2]: "),
    "key missing": (changed_state(lambda state: state.pop("bag")), "state.bag: missing in the file, "),
    "key too many": (changed_state(lambda state: state["bag"].update(green=1)), "state.bag.green: 1 in the file, "),
    "length of a list": (changed_state(lambda state: state["galaxy"].append([])), "state.galaxy: "),
    "true is not 1": (changed_state(lambda state: state.update(seat=bool(state["seat"]))), "state.seat: "),
    "1.0 is not 1": (changed_state(lambda state: state.update(round=float(state["round"]))), "state.round: "),
    "no object": (changed_state(lambda state: state.update(bag=[])), "state.bag: [] in the file, {"),
    "score": (last_line(lambda line: line["scores"][1].update(total=-1)), "scores[1].total: -1 in the file, "),
    "source": (last_line(lambda line: line["scores"][0].pop("public")), "scores[0].public: missing in the file, "),
    "winner": (last_line(lambda line: line.update(winners=[0, 1])), "winners: [0, 1] in the file, ["),
    "no scores": (lambda lines: lines.__delitem__(-1), "the file ends here without scores, but the game is finished"),
    "ends early": (lambda lines: lines.__delitem__(slice(100, None)), "the file ends here without scores, but "),
    "scores early": (lambda lines: lines.__delitem__(slice(60, len(lines) - 1)), "the file has the scores, but "),
    "variant": (lambda lines: lines[0].update(variant="basic"), ""),
    "players": (lambda lines: lines[0].update(players=3), ""),
}


@pytest.mark.parametrize(("change", "words"), DIFFERENCES.values(), ids=DIFFERENCES.keys())
def test_difference_names_line_and_both_sides(change: Change, words: str, text: str, catalogue: Catalogue) -> None:
    lines = [json.loads(line) for line in text.splitlines()]
    change(lines)
    found = [json.dumps(line) for line in lines]
    with pytest.raises(Difference) as caught:
        replay_text("\n".join(found) + "\n", catalogue)
    assert words in caught.value.reason
    # Everything before the line agrees, and the difference is at its end.
    recorded = [json.dumps(json.loads(line)) for line in text.splitlines()]
    place = next((i for i, (old, new) in enumerate(zip(recorded, found, strict=False)) if old != new), len(found) - 1)
    if found[0] == recorded[0]:
        assert caught.value.line == place + 1
    assert "\n" not in caught.value.reason
    assert len(caught.value.reason) < 400


def test_line_order_of_keys_and_moves_has_no_meaning(text: str, catalogue: Catalogue) -> None:
    lines = [json.loads(line) for line in text.splitlines()]
    turned = [
        {key: value[::-1] if key == "legal" else value for key, value in reversed(line.items())} for line in lines
    ]
    assert replay_text("\n".join(map(json.dumps, turned)), catalogue) == replay_text(text, catalogue)


HEADER = '{"game": "nebula", "edition": "standard", "players": 2, "variant": "full"}\n'

# A file, the line where it is wrong, and what is said.
UNREADABLE: dict[str, tuple[str | bytes, int, str]] = {
    "empty": ("", 1, "the file is empty"),
    "no JSON": ("hello\n", 1, "not JSON: Expecting value at column 1"),
    "half a line": (HEADER + '{"chance": "piece', 2, "not JSON: Unterminated string starting at column 12"),
    "no object": (HEADER + "[]\n", 2, "not a JSON object"),
    "empty line": (HEADER + "\n", 2, "not JSON"),
    "no text": (b"\xff\xfe\n", 1, "not UTF-8 text"),
    "key twice": (HEADER + '{"chance": "piece red", "chance": "piece red"}\n', 2, "'chance' stands there twice"),
    "not a number": (HEADER + '{"chance": NaN}\n', 2, "NaN is not a number"),
    "deep": (HEADER + "[" * 200_000, 2, "nested too deeply"),
    "huge number": (HEADER + '{"chance": ' + "9" * 10_000 + "}\n", 2, "not JSON"),
    "unknown keys": (HEADER + '{"luck": "piece red"}\n', 2, "'luck'"),
    "no keys": (HEADER + "{}\n", 2, "the line has no keys"),
    "key missing": (HEADER + '{"seat": 0, "move": "stop"}\n', 2, "'move', 'seat'"),
    "no game": ('{"edition": "standard"}\n', 1, "the key 'game' is missing"),
    "unknown game": (HEADER.replace("nebula", "chess"), 1, "game: 'chess'"),
    "unknown edition": (HEADER.replace("standard", "deluxe"), 1, "edition: 'deluxe'"),
    "unknown variant": (HEADER.replace("full", "huge"), 1, "variant: "),
    "no such number": (HEADER.replace("2", "5"), 1, "players: "),
    "huge players": (HEADER.replace("2", "9" * 200), 1, "players: "),
    "players no number": (HEADER.replace("2", "true"), 1, "'players' must be a whole number, not true"),
    "header key": (HEADER.replace("}", ', "seed": 1}'), 1, "unknown key 'seed'"),
    "chance no text": (HEADER + '{"chance": 7}\n', 2, "'chance' must be a text, not 7"),
    "legal no texts": (HEADER + '{"seat": 0, "legal": [1], "move": "stop"}\n', 2, "'legal' must be a list of texts"),
    "state no object": (HEADER + '{"state": []}\n', 2, "'state' must be an object, not a list"),
    "long line": (HEADER + '{"chance": "' + "x" * MAX_LINE_BYTES + '"}\n', 2, "the line has more than 1,048,576 bytes"),
}


@pytest.mark.parametrize(("content", "line", "words"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_unreadable_names_the_line(content: str | bytes, line: int, words: str, catalogue: Catalogue) -> None:
    with pytest.raises(Unreadable) as caught:
        replay_text(content, catalogue)
    assert caught.value.line == line
    assert words in caught.value.reason
    assert len(caught.value.reason) < 400


def test_nothing_follows_the_scores(text: str, catalogue: Catalogue) -> None:
    with pytest.raises(Unreadable, match="goes on after the scores"):
        replay_text(text + '{"chance": "piece red"}\n', catalogue)


def test_a_line_without_end_is_not_read_to_its_end(catalogue: Catalogue) -> None:
    class Endless(io.RawIOBase):
        given = 0

        def readable(self) -> bool:
            return True

        def readinto(self, buffer: Any) -> int:
            self.given += len(buffer)
            buffer[:] = b"x" * len(buffer)
            return len(buffer)

    endless = Endless()
    with pytest.raises(Unreadable, match="more than"):
        replay(io.BufferedReader(endless), catalogue)
    assert endless.given < 2 * MAX_LINE_BYTES
