"""Nebula's rules: who knows what, and what a search may make up for what a seat does not know."""

from collections import Counter

import pytest

from nebula_core.errors import StateError
from nebula_core.face import Generator, State
from nebula_core.nebula.rules import UNKNOWN, Phase
from tests.fit import assert_fits
from tests.nebula_core.nebula.positions import Table

HANDS = [["S01", "S02"], ["S03", "S04"], ["S05", "S06"]]


@pytest.fixture
def state(table: Table) -> State:
    """Three players in the middle of the game."""
    return table.position(
        players=3, seat=1, personal=HANDS, observatory=[["red"], ["blue"]], galaxy=[{0: "red"}, {1: "blue"}], holes=[1]
    )


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_personal_tasks_of_the_others_are_hidden_kept_and_returned(table: Table, state: State, seat: int) -> None:
    hands = table.at(state.observe(seat))["personal"]
    for other in range(3):
        own = [table.card(card) for card in HANDS[other]]
        assert hands[other] == (own if other == seat else [UNKNOWN, UNKNOWN])


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_everything_else_is_public(table: Table, state: State, seat: int) -> None:
    full, seen = table.at(state), table.at(state.observe(seat))
    assert {key for key in full if full[key] != seen[key]} == {"personal"}  # type: ignore[literal-required]


def test_before_the_choice_both_cards_of_the_others_are_hidden(table: Table) -> None:
    state = table.settle(table.start(3))
    own = table.at(state)["personal"][2]
    assert table.at(state.observe(2))["personal"] == [[UNKNOWN, UNKNOWN], [UNKNOWN, UNKNOWN], own]


def test_who_chooses_unknown_cards_has_one_move(table: Table) -> None:
    state = table.settle(table.start()).observe(1)
    assert (state.seat, table.legal(state)) == (0, ["choose unknown"])
    state = table.play(state, "choose unknown")
    assert (state.seat, len(table.legal(state))) == (1, 2)
    assert table.at(state)["personal"][0] == [UNKNOWN, UNKNOWN]


def test_a_front_end_may_deal_cards_that_it_cannot_see(table: Table) -> None:
    state = table.start()
    while not any(text.startswith("personal") for text in table.chances(state)):
        state = state.resolve(state.chances()[0][0])
    state = table.play(state, "personal S07", "personal S08", "personal unknown", "personal unknown")
    assert table.phase(state) == Phase.CHOOSE
    assert table.at(state)["personal"] == [[table.card("S07"), table.card("S08")], [UNKNOWN, UNKNOWN]]


def test_a_card_that_may_be_among_the_unknown_ones_can_still_be_dealt(table: Table) -> None:
    state = table.start()
    while not any(text.startswith("personal") for text in table.chances(state)):
        state = state.resolve(state.chances()[0][0])
    state = table.play(state, "personal unknown", "personal S08")
    assert table.chances(state) == {f"personal {card}": 1 for card in table.personal if card != "S08"}


def test_only_a_seat_at_the_table_sees(state: State) -> None:
    for seat in (-1, 3, 4):
        with pytest.raises(StateError) as refused:
            state.observe(seat)
        assert refused.value.field == "seat"
        with pytest.raises(StateError):
            state.determinize(seat, Generator(1))


# What a search may make up.


def test_a_sample_keeps_what_the_seat_sees_and_deals_the_rest_from_what_it_does_not(table: Table, state: State) -> None:
    generator = Generator(1)
    for _ in range(200):
        sample = state.determinize(1, generator)
        hands = table.at(sample)["personal"]
        assert hands[1] == [table.card("S03"), table.card("S04")], "the own ones, also the returned one"
        dealt = [card for hand in hands for card in hand]
        assert len(set(dealt)) == 6
        assert UNKNOWN not in dealt
        assert sample.observe(1) == state.observe(1)


def test_unknown_own_cards_are_made_up_too(table: Table, state: State) -> None:
    fields = table.at(state)
    fields["personal"][1] = [UNKNOWN, table.card("S04")]
    unsure = table.rules.from_fields(fields)
    generator = Generator(1)
    kept = set()
    for _ in range(2000):
        hands = table.at(unsure.determinize(1, generator))["personal"]
        assert hands[1][1] == table.card("S04")
        kept.add(hands[1][0])
    assert kept == set(range(22)) - {table.card("S04")}


def test_the_cards_of_others_are_not_read_even_where_the_state_knows_them(table: Table, state: State) -> None:
    fields = table.at(state)
    fields["personal"][0] = [table.card("S20"), table.card("S21")]
    fields["personal"][2] = [UNKNOWN, table.card("S10")]
    other = table.rules.from_fields(fields)
    for seed in range(50):
        assert state.determinize(1, Generator(seed)) == other.determinize(1, Generator(seed))


def test_every_deal_of_the_unseen_cards_is_equally_likely(table: Table) -> None:
    state = table.position(personal=[["S01", "S02"], ["S03", "S04"]])
    generator = Generator(20)
    deals: Counter[tuple[int, ...]] = Counter()
    for _ in range(8000):
        deals[tuple(table.at(state.determinize(0, generator))["personal"][1])] += 1
    unseen = [card for card in range(22) if card not in (table.card("S01"), table.card("S02"))]
    equally: dict[tuple[int, ...], int] = {(kept, back): 1 for kept in unseen for back in unseen if kept != back}
    assert_fits(deals, equally)
