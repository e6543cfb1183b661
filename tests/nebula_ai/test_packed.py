"""States as text: the text form, and whatever else a person may hand in, right and wrong."""

import base64
import io
import json
import re
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

from nebula_ai.checked import MAX_BYTES
from nebula_ai.errors import StateError
from nebula_ai.game import Game
from nebula_ai.packed import from_text, read_state, to_text
from nebula_ai.registry import Catalogue, load
from nebula_core.face import Generator, State
from tests.nebula_core.nebula.editions import standard, write


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return Catalogue()


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
    return to_text(game, state)


# The text form.


def test_text_is_url_safe_and_comes_back(catalogue: Catalogue, game: Game, seed: int) -> None:
    generator = Generator(seed)
    state = game.start(4)
    while not state.finished:
        for seen in (state, *(state.observe(seat) for seat in range(4))):
            text = to_text(game, seen)
            assert re.fullmatch(r"nebula1:[A-Za-z0-9_-]+", text)
            assert game.to_text(seen) == text
            assert from_text(catalogue, text) == (game, seen)
        state = state.settle(generator)[0] if state.chance_pending else state.apply(state.random_move(generator))


def test_white_space_around_a_text_is_forgiven(catalogue: Catalogue, game: Game, state: State, text: str) -> None:
    assert from_text(catalogue, f"\n  {text}\r\n") == (game, state)


def refused(call: Callable[[], object]) -> StateError:
    """How something is refused."""
    with pytest.raises(StateError) as refusal:
        call()
    assert "\n" not in str(refusal.value)
    return refusal.value


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda text: "", "starts with nebula1: or via1:, not ''"),
        (lambda text: "hello", "starts with nebula1: or via1:, not 'hello'"),
        (lambda text: text.replace("nebula", "chess"), "starts with nebula1:"),
        (lambda text: text.replace("nebula1", "nebula2"), "version 2 of the text form is not known"),
        (lambda text: text.replace("nebula1", "nebula"), "starts with nebula1:"),
        (lambda text: "nebula1:", "empty"),
        (lambda text: text[:20] + "+" + text[21:], "the character '+' is not part of a text form"),
        (lambda text: text[:20] + "=" + text[21:], "the character '=' is not part"),
        (lambda text: text[:20] + "\n" + text[20:], r"the character '\n' is not part"),
        (lambda text: text[:20] + "é" + text[21:], "the character 'é' is not part"),
        (lambda text: text + "=", "the character '=' is not part"),
        (lambda text: text[: len(text) - (len(text) - 8) % 4 - 3], "truncated"),
        (lambda text: text[:60], "truncated"),
        (lambda text: text[:40] + ("A" if text[40] != "A" else "B") + text[41:], ""),
        (lambda text: text + "AAAA", "too many"),
    ],
)
def test_a_damaged_text_is_refused(catalogue: Catalogue, text: str, change: Callable[[str], str], words: str) -> None:
    error = refused(partial(from_text, catalogue, change(text)))
    assert error.field in ("state", "edition", "game")
    assert words in error.reason


def test_every_changed_character_is_noticed(catalogue: Catalogue, text: str, seed: int) -> None:
    random = Random(seed)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for place in range(8, len(text)):
        other = random.choice([letter for letter in alphabet if letter != text[place]])
        refused(partial(from_text, catalogue, text[:place] + other + text[place + 1 :]))


def test_every_truncation_is_noticed(catalogue: Catalogue, text: str) -> None:
    for length in range(len(text)):
        refused(partial(from_text, catalogue, text[:length]))


def test_bits_that_mean_nothing_are_refused(catalogue: Catalogue, game: Game) -> None:
    # Packed lengths differ with the number of players: at least one leaves bits unused in its last character.
    texts = [to_text(game, game.new(players, seed=1)) for players in game.players]
    unfinished = [text for text in texts if (len(text) - len("nebula1:")) % 4]
    assert unfinished
    for text in unfinished:
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        twin = text[:-1] + alphabet[alphabet.index(text[-1]) + 1]
        assert base64.urlsafe_b64decode(twin[8:] + "==") == base64.urlsafe_b64decode(text[8:] + "==")
        assert "bits that mean nothing" in refused(partial(from_text, catalogue, twin)).reason


# Whatever a person hands in.


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
    for source in (to_text(game, state), json.dumps(game.to_json(state))):
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
