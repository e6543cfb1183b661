"""The text form of packed states: URL-safe, back without loss, and whatever is wrong with one is refused."""

import base64
import re
from collections.abc import Callable
from functools import partial
from random import Random

import pytest

from nebula_ai.errors import StateError
from nebula_ai.game import Game
from nebula_ai.registry import Catalogue, load
from nebula_core.face import Generator, State


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
    return game.to_text(state)


def test_text_is_url_safe_and_comes_back(catalogue: Catalogue, game: Game, seed: int) -> None:
    generator = Generator(seed)
    state = game.start(4)
    while not state.finished:
        for seen in (state, *(state.observe(seat) for seat in range(4))):
            text = game.to_text(seen)
            assert re.fullmatch(r"nebula1:[A-Za-z0-9_-]+", text)
            assert catalogue.from_text(text) == (game, seen)
        state = state.settle(generator)[0] if state.chance_pending else state.apply(state.random_move(generator))


def test_white_space_around_a_text_is_forgiven(catalogue: Catalogue, game: Game, state: State, text: str) -> None:
    assert catalogue.from_text(f"\n  {text}\r\n") == (game, state)


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
        (lambda text: text + "AAAA", "should have"),
    ],
)
def test_a_damaged_text_is_refused(catalogue: Catalogue, text: str, change: Callable[[str], str], words: str) -> None:
    error = refused(partial(catalogue.from_text, change(text)))
    assert error.field in ("state", "edition", "game")
    assert words in error.reason


def test_every_changed_character_is_noticed(catalogue: Catalogue, text: str, seed: int) -> None:
    random = Random(seed)
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for place in range(8, len(text)):
        other = random.choice([letter for letter in alphabet if letter != text[place]])
        refused(partial(catalogue.from_text, text[:place] + other + text[place + 1 :]))


def test_every_truncation_is_noticed(catalogue: Catalogue, text: str) -> None:
    for length in range(len(text)):
        refused(partial(catalogue.from_text, text[:length]))


def test_bits_that_mean_nothing_are_refused(catalogue: Catalogue, game: Game) -> None:
    # Packed lengths differ with the number of players: at least one leaves bits unused in its last character.
    texts = [game.to_text(game.new(players, seed=1)) for players in game.players]
    unfinished = [text for text in texts if (len(text) - len("nebula1:")) % 4]
    assert unfinished
    for text in unfinished:
        alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
        twin = text[:-1] + alphabet[alphabet.index(text[-1]) + 1]
        assert base64.urlsafe_b64decode(twin[8:] + "==") == base64.urlsafe_b64decode(text[8:] + "==")
        assert "bits that mean nothing" in refused(partial(catalogue.from_text, twin)).reason
