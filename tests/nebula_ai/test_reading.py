"""Whatever a person may hand in as a state, right and wrong."""

import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nebula_ai.checked import MAX_BYTES
from nebula_ai.errors import StateError
from nebula_ai.game import Game
from nebula_ai.reading import read_state
from nebula_ai.registry import Catalogue, load
from nebula_core.face import Generator, State
from tests.nebula_core.nebula.editions import standard
from tests.toml_file import write


@pytest.fixture(scope="module")
def game() -> Game:
    return load()


@pytest.fixture(scope="module")
def state(game: Game) -> State:
    """A state in the middle of a game."""
    generator = Generator(6)
    state = game.new(3, seed=6)
    for _ in range(40):
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    return state


@pytest.fixture(scope="module")
def text(game: Game, state: State) -> str:
    return game.to_text(state)


def refused(call: Callable[[], object]) -> StateError:
    """How something is refused."""
    with pytest.raises(StateError) as refusal:
        call()
    assert "\n" not in str(refusal.value)
    return refusal.value


def test_a_state_is_read_from_anything(
    game: Game, state: State, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    as_json = json.dumps(game.to_json(state), indent=2)
    for content in (text, f"{text}\n", as_json, f"\n {as_json}\n"):
        assert read_state(content) == (game, state)
        for encoding in ("utf-8", "utf-8-sig"):
            path = tmp_path / "state"
            path.write_text(content, encoding=encoding)
            assert read_state(str(path)) == (game, state)
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
        assert read_state("-") == (game, state)


def test_a_state_of_an_edition_of_ones_own_needs_its_catalogue(tmp_path: Path) -> None:
    content = standard()
    content["edition"] = "mine"
    path = write(content, tmp_path / "mine.toml")
    game = load("nebula", path)
    state = game.new(2, seed=1)
    catalogue = Catalogue([path])
    for source in (game.to_text(state), json.dumps(game.to_json(state))):
        found, same = read_state(source, catalogue)
        assert (found.edition, same) == ("mine", state)
        error = refused(partial(read_state, source))
        assert error.field == "edition"
        assert "'mine' is not known" in error.reason


def change(value: dict[str, Any], **changes: Any) -> str:
    """A JSON object with other values, as text; None takes a key away."""
    changed = {key: content for key, content in {**value, **changes}.items() if content is not None}
    return json.dumps(changed)


def test_what_is_no_state_is_refused(game: Game, state: State, tmp_path: Path) -> None:
    value = game.to_json(state)
    for source, field, words in [
        ("", "state", "the text is empty"),
        ("hello", "state", "'hello' is no text form of a state (such as nebula1:…), no JSON object, and no file"),
        ("x" * 5000, "state", "no text form of a state"),
        ("a\0b", "state", "cannot read the file 'a\\x00b': embedded null byte"),
        (str(tmp_path), "state", "Is a directory"),
        ("nebula2:AAAA", "state", "version 2"),
        ("chess1:AAAA", "state", "starts with nebula1:"),
        (
            '{"game": "nebula",\n "edition" "standard"}',
            "state",
            "is not JSON: Expecting ':' delimiter (line 2, column 12)",
        ),
        ("{", "state", "(line 1, column 2)"),
        ('{"game": "nebula", "game": "nebula"}', "state", "the key 'game' stands there twice"),
        ('{"round": NaN}', "state", "NaN is not a number"),
        ('{"round": 1' + "0" * 5000 + "}", "state", "a number has too many digits"),
        ('{"round": ' + "[" * 100_000, "state", "nested too deeply"),
        ("{}" + " " * MAX_BYTES, "state", "has more than 1,048,576 characters"),
        ("{}", "game", "is missing"),
        (change(value, edition=None), "edition", "is missing"),
        (change(value, game=3), "game", "must be a text, not 3"),
        (change(value, game="chess"), "game", "'chess' is not known"),
        (change(value, edition="standart"), "edition", "did you mean standard?"),
        (change(value, edition_hash="00" * 8), "edition_hash", "another content"),
        (change(value, round=None), "round", "is missing"),
        (change(value, rounds=1), "rounds", "did you mean round?"),
        (change(value, indicator=200), "indicator", "by the black holes placed"),
    ]:
        error = refused(partial(read_state, source))
        assert (error.field, words in error.reason) == (field, True), str(error)


@pytest.mark.parametrize(
    ("content", "field", "words"),
    [
        (b"", "state", "is empty"),
        (b"  \n", "state", "is empty"),
        (b"\xff\xfe{\0}\0", "state", "is not UTF-8 text (byte 0)"),
        (b"[1, 2]", "state", "must be a JSON object, not a list"),
        (b"{}\n{}", "state", "is not JSON: Extra data (line 2, column 1)"),
        (b'"nebula1:AAAA"', "state", "starts with nebula1:"),
        (b" " * (MAX_BYTES + 1), "state", "has more than 1,048,576 bytes"),
        (b"hello.json", "state", "starts with nebula1:"),
    ],
)
def test_a_file_without_a_state_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, field: str, words: str
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(content)
    error = refused(partial(read_state, str(path)))
    assert (error.field, words in error.reason) == (field, True), str(error)
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    error = refused(partial(read_state, "-"))
    assert (error.field, words in error.reason) == (field, True), str(error)
