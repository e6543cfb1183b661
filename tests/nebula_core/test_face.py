"""The Python face of the core: states are values, what is handed in is checked, packed forms say whose they are.

What every game has to keep is in tests/conformance; here is what the face does for any of them, shown on one.
"""

import copy
import pickle
import zlib
from typing import Any

import pytest

from nebula_ai.game import Game
from nebula_ai.registry import load
from nebula_core.errors import InvalidInput, LimitError, StateError
from nebula_core.face import Rules, State, packed_header


@pytest.fixture(scope="module")
def game() -> Game:
    """Any game."""
    return load()


@pytest.fixture(scope="module")
def state(game: Game) -> State:
    """A state in which a seat has to decide."""
    return game.new(2, seed=5)


def test_states_are_values(game: Game, state: State) -> None:
    same = game.new(2, seed=5)
    assert same is not state
    assert same == state
    assert hash(same) == hash(state)
    assert {state: "found"}[same] == "found"
    other = state.apply(state.legal_moves()[0])
    assert other != state
    assert state.__eq__(5) is NotImplemented
    assert state != state.pack()
    with pytest.raises(TypeError):
        state < other  # type: ignore[operator]  # noqa: B015


def test_states_of_equal_rules_are_equal(game: Game, state: State) -> None:
    again = type(game).load(None)  # type: ignore[attr-defined]
    assert again.rules is not game.rules
    assert again.new(2, seed=5) == state
    assert hash(again.new(2, seed=5)) == hash(state)


def test_a_state_cannot_be_changed(state: State) -> None:
    for name, value in (("rules", None), ("seat", 1), ("players", 4), ("anything", 0)):
        with pytest.raises((AttributeError, TypeError)):
            setattr(state, name, value)


def test_a_state_is_made_by_its_rules_alone() -> None:
    with pytest.raises(TypeError):
        State()


def test_rules_of_no_game_make_no_state() -> None:
    with pytest.raises((InvalidInput, TypeError)):
        Rules().unpack(b"")


def test_states_and_rules_are_not_pickled(game: Game, state: State) -> None:
    for thing in (state, game.rules):
        with pytest.raises(TypeError):
            pickle.dumps(thing)
        with pytest.raises(TypeError):
            copy.copy(thing)
        with pytest.raises(TypeError):
            copy.deepcopy(thing)


def test_a_generator_is_required(state: State) -> None:
    for nothing in (None, 5):
        anything: Any = nothing
        for ask in (
            lambda generator: state.random_move(generator),
            lambda generator: state.settle(generator),
            lambda generator: state.determinize(0, generator),
        ):
            with pytest.raises(TypeError):
                ask(anything)


@pytest.mark.parametrize("seat", [-1, 2, 1.0, "0", None, True])
def test_seats_are_checked(state: State, seat: int) -> None:
    with pytest.raises(StateError) as refused:
        state.observe(seat)
    assert refused.value.field == "seat"


@pytest.mark.parametrize("seed", [-1, 2**64, 0.5, "1"])
def test_seeds_are_checked(game: Game, seed: int) -> None:
    with pytest.raises(LimitError) as refused:
        game.new(2, seed=seed)
    assert refused.value.field == "seed"


# The packed form.


def sealed(content: bytes) -> bytes:
    """The bytes with their checksum behind them."""
    return content + zlib.crc32(content).to_bytes(4, "little")


def test_the_head_says_whose_it_is(game: Game, state: State) -> None:
    rules = game.rules
    assert packed_header(state.pack()) == (rules.name, rules.edition, rules.edition_hash)
    for kind in (bytearray, memoryview):
        like_bytes: Any = kind(state.pack())
        assert packed_header(like_bytes) == packed_header(state.pack())
        assert rules.unpack(like_bytes) == state


def test_what_is_wrong_with_a_packed_form_is_said(game: Game, state: State) -> None:
    packed = state.pack()
    content = packed[:-4]
    name = len(game.rules.name)
    edition = 2 + name
    body = edition + 1 + len(game.rules.edition) + 8
    for broken, field, reason in [
        (b"", "packed", "empty"),
        (b"\x00" + packed[1:], "packed", "version 0"),
        (b"\x02" + packed[1:], "packed", "version 2"),
        (packed[:1], "packed", "truncated"),
        (packed[: 2 + name - 1], "packed", "truncated"),
        (packed[: body - 1], "packed", "truncated"),
        (packed[:-5], "packed", "truncated"),
        (packed[:-1], "packed", "truncated"),
        (packed + b"\x00", "packed", "and should have"),
        (packed[:-1] + bytes([packed[-1] ^ 1]), "packed", "checksum"),
        (content[:20] + bytes([content[20] ^ 1]) + packed[21:], "packed", "checksum"),
        (sealed(content[:2] + b"\xff" + content[3:]), "packed", "UTF-8"),
        (sealed(content[:2] + b"X" + content[3:]), "game", game.rules.name),
        (sealed(content[: edition + 1] + b"X" + content[edition + 2 :]), "edition", game.rules.edition),
        (sealed(content[: body - 1] + bytes([content[body - 1] ^ 1]) + content[body:]), "edition", "content"),
        (sealed(content[:body] + bytes(2)), "packed", "body"),
    ]:
        with pytest.raises(StateError) as refused:
            game.rules.unpack(broken)
        assert refused.value.field == field
        assert reason in refused.value.reason


@pytest.mark.parametrize("given", [None, 5, "text", [1, 2], 1.5])
def test_what_is_not_bytes_is_refused(game: Game, given: bytes) -> None:
    for ask in (game.rules.unpack, packed_header):
        with pytest.raises(StateError) as refused:
            ask(given)
        assert refused.value.field == "packed"
