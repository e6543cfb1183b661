"""Every form of a state gives the same state back: packed, text, JSON, message; of full and of observed states."""

import json

from google.protobuf.message import Message

from nebula_ai.reading import read_state
from nebula_ai.registry import Catalogue
from nebula_core.face import Generator, State, packed_header
from tests.conformance.cases import Case, spread

STATES = 120
"""Of each case, out of one random game, each also as one of the seats sees it."""


def states(case: Case, seed: int) -> list[State]:
    """States of all kinds."""
    found = spread(list(case.walk(Generator(seed, 20))), STATES)
    return [*found, *(state.observe(number % case.players) for number, state in enumerate(found))]


def test_packed(case: Case, seed: int) -> None:
    rules = case.game.rules
    for state in states(case, seed):
        packed = state.pack()
        assert packed_header(packed) == (rules.name, rules.edition, rules.edition_hash)
        again = rules.unpack(packed)
        assert again == state
        assert hash(again) == hash(state)
        assert again.pack() == packed


def test_packed_forms_tell_states_apart(case: Case, seed: int) -> None:
    walked = list(case.walk(Generator(seed, 21)))
    assert len(set(walked)) == len({state.pack() for state in walked}) > 1


def test_text(case: Case, seed: int) -> None:
    catalogue = Catalogue()
    for state in states(case, seed):
        text = case.game.to_text(state)
        assert text.startswith(case.game.text_prefix)
        assert text.isascii()
        assert catalogue.from_text(text) == (case.game, state)


def test_json(case: Case, seed: int) -> None:
    for state in states(case, seed):
        value = case.game.to_json(state)
        written = json.dumps(value)
        assert json.loads(written) == value
        assert case.game.from_json(json.loads(written)) == state


def test_json_as_a_person_hands_it_in(case: Case, seed: int) -> None:
    for state in states(case, seed)[::10]:
        assert read_state(json.dumps(case.game.to_json(state))) == (case.game, state)


def test_message(case: Case, seed: int) -> None:
    for state in states(case, seed):
        message = case.game.to_message(state)
        assert case.game.from_message(message) == state
        received: Message = type(message)()
        received.ParseFromString(message.SerializeToString())
        assert received == message
        assert case.game.from_message(received) == state
