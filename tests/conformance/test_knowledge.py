"""Who knows what: observations hide it, samples make it up fairly, and a search cannot tell."""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from nebula_ai.game import UNKNOWN
from nebula_ai.search import Limits, search
from nebula_core.errors import StateError
from nebula_core.face import Generator, State
from tests.conformance.cases import Case, same_but_hidden, spread
from tests.fit import assert_fits

STATES = 60


@pytest.fixture(scope="module")
def states(case: Case, seed: int) -> list[State]:
    """States of all kinds out of one random game."""
    return spread(list(case.walk(Generator(seed, 30))), STATES)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every plain value in a JSON value, with its path."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


def unknown(case: Case, state: State) -> set[str]:
    """The paths of the unknown cards in a readable state."""
    return {path for path, value in leaves(case.game.to_json(state)) if value == UNKNOWN}


def test_observing_hides_nothing_but_what_becomes_unknown(case: Case, states: list[State]) -> None:
    for state in states:
        full = dict(leaves(case.game.to_json(state)))
        for seat in range(case.players):
            seen = dict(leaves(case.game.to_json(state.observe(seat))))
            assert seen.keys() == full.keys()
            assert all(seen[path] in (full[path], UNKNOWN) for path in full)


def test_something_is_hidden_at_first(case: Case, decisions: list[State]) -> None:
    for seat in range(case.players):
        assert unknown(case, decisions[0].observe(seat))


def test_observing_twice_is_observing_once(case: Case, states: list[State]) -> None:
    for state in states:
        for seat in range(case.players):
            seen = state.observe(seat)
            assert seen.observe(seat) == seen


def test_who_has_to_decide_sees_all_its_moves(case: Case, decisions: list[State]) -> None:
    for state in decisions:
        assert state.seat is not None
        seen = state.observe(state.seat)
        assert seen.seat == state.seat
        assert seen.legal_moves() == state.legal_moves()


def test_a_sample_is_complete_and_agrees_with_the_observation(case: Case, states: list[State], seed: int) -> None:
    generator = Generator(seed)
    for state in states:
        for seat in range(case.players):
            sample = state.determinize(seat, generator)
            assert sample.observe(seat) == state.observe(seat)
            assert not unknown(case, sample)
            assert case.game.rules.unpack(sample.pack()) == sample, "it keeps every invariant"


def test_equal_observations_and_equal_generators_give_equal_samples(case: Case, states: list[State], seed: int) -> None:
    differing = 0
    for number, state in enumerate(states):
        for seat in range(case.players):
            other = same_but_hidden(state, seat, seed + number)
            differing += other != state
            assert other.observe(seat) == state.observe(seat)
            generators = [Generator(number) for _ in range(3)]
            samples = [
                each.determinize(seat, generator)
                for each, generator in zip((state, other, state.observe(seat)), generators, strict=True)
            ]
            assert samples[0] == samples[1] == samples[2]
            assert len({generator.below(2**32 - 1) for generator in generators}) == 1
    assert differing, "no two of these states differed: the test says nothing"


def test_a_sample_can_be_played_to_its_end(case: Case, decisions: list[State], seed: int) -> None:
    generator = Generator(seed)
    for state in spread(decisions, 10):
        assert state.seat is not None
        sample = state.observe(state.seat).determinize(state.seat, generator)
        while not sample.finished:
            sample, _ = sample.apply(sample.random_move(generator)).settle(generator)
        sample.outcome()


def decks(case: Case) -> list[set[str]]:
    """The cards of each deck: one chance event of a game's setup may turn up any of them that is not there yet."""
    generator = Generator(4)
    state = case.start()
    found: list[set[str]] = []
    while state.chance_pending:
        texts = [case.game.format_chance(state, outcome) for outcome, _ in state.chances()]
        cards = {text.split()[-1] for text in texts}
        joined = [deck for deck in found if deck & cards]
        found = [deck for deck in found if not deck & cards] + [cards.union(*joined)]
        state = state.resolve(state.chances()[generator.below(len(texts))][0])
    return found


def by_deck(cards: Counter[str], deck: set[str]) -> Counter[str]:
    """The counts of the cards of one deck."""
    return Counter({card: count for card, count in cards.items() if card in deck})


def test_every_unseen_card_is_equally_likely_everywhere(case: Case) -> None:
    generator = Generator(5)
    all_decks = decks(case)
    for state in spread(case.decisions(5), 3):
        for seat in range(case.players):
            seen = state.observe(seat)
            hidden = unknown(case, seen)
            # The order of the cards in a list may have no meaning.
            counts: dict[str, Counter[str]] = {path.rstrip("[0123456789]"): Counter() for path in hidden}
            for _ in range(600):
                sample = dict(leaves(case.game.to_json(seen.determinize(seat, generator))))
                for path in hidden:
                    counts[path.rstrip("[0123456789]")][sample[path]] += 1
            for deck in all_decks:
                cards = set().union(*counts.values()) & deck
                for drawn in counts.values():
                    if some := by_deck(drawn, deck):
                        assert_fits(some, dict.fromkeys(cards, 1))


def test_two_unseen_cards_do_not_depend_on_each_other(case: Case) -> None:
    generator = Generator(6)

    def hidden_cards(state: State) -> list[str]:
        """What is unknown to seat 0, in a sample."""
        paths = unknown(case, state.observe(0))
        sample = dict(leaves(case.game.to_json(state.determinize(0, generator))))
        return [sample[path] for path in sorted(paths)]

    # The last state in which two cards of one deck are hidden, and no other ones.
    all_decks = decks(case)
    state = next(
        state
        for state in reversed(case.decisions(6))
        if len(cards := hidden_cards(state)) > 1 and any(deck.issuperset(cards) for deck in all_decks)
    )
    equal = 0
    pairs: Counter[tuple[str, str]] = Counter()
    for _ in range(4000):
        cards = hidden_cards(state)
        one = cards.pop(generator.below(len(cards)))
        other = cards[generator.below(len(cards))]
        pairs[one, other] += 1
        equal += one == other
    cards_seen = {card for pair in pairs for card in pair}
    assert_fits(pairs, {(one, other): 1 for one in cards_seen for other in cards_seen if equal or one != other})


def test_there_is_no_such_seat(case: Case, decisions: list[State]) -> None:
    for seat in (-1, case.players, 2**40):
        with pytest.raises(StateError) as refused:
            decisions[0].observe(seat)
        assert refused.value.field == "seat"
        with pytest.raises(StateError):
            decisions[0].determinize(seat, Generator(1))


def test_hidden_truth_never_changes_a_search(case: Case, decisions: list[State], seed: int) -> None:
    differing = 0
    for number, state in enumerate(spread(decisions, 12)):
        assert state.seat is not None
        other = same_but_hidden(state, state.seat, seed + number)
        differing += other != state
        found = [
            replace(search(root, Limits(simulations=100), seed=number, workers=1 + number % 2), seconds=0.0)
            for root in (state, other, state.observe(state.seat))
        ]
        assert found[0] == found[1] == found[2]
    assert differing, "no two of these states differed: the test says nothing"


def test_json_of_an_observation_says_unknown(case: Case, decisions: list[State]) -> None:
    assert json.dumps(UNKNOWN) in json.dumps(case.game.to_json(decisions[0].observe(0)))
