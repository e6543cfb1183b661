"""Via Nebula's rules: who knows what, and what a search may make up for what a seat does not know."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest

from nebula_core.errors import ChanceError, MoveError, StateError
from nebula_core.face import Generator, State
from nebula_core.via_nebula.rules import MoveKind, Phase, encode
from tests.fit import assert_fits
from tests.nebula_core.via_nebula.positions import Table, having

RUINS = ["0,8", "1,1", "1,5", "2,3", "3,7", "4,1", "4,5", "5,3", "6,8", "7,1", "7,5", "8,4"]
UNKNOWN = 0xFF

SAID: dict[str, Any] = {
    "players": 3,
    "seat": 1,
    # Seats 0 and 2 have drawn two contracts and one.
    "hands": [["P01", "P02", "N29", "N30"], ["P03"], ["P05", "P06", "N31"]],
    "buildings": [RUINS[:2], RUINS[2:3], RUINS[3:4]],
    "done": [["N23", "N26"], ["P04"], ["N27"]],
    "open": ["N01", "N02", "N03", "N04"],
    "sites": [{}, {0: ("8,4", ["wood", "stone"])}, {0: ("7,5", ["wood", "clay", "pig", "pig"])}],
    "storehouse": [["wood"], ["pig"], []],
}


@pytest.fixture
def state(table: Table) -> State:
    """Three players in the middle of the game."""
    return table.position(**SAID)


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_the_contracts_in_the_hands_of_the_others_are_hidden(table: Table, state: State, seat: int) -> None:
    full, seen = table.at(state), table.at(state.observe(seat))
    for other in range(3):
        if other == seat:
            assert seen["hands"][other] == full["hands"][other]
            assert (seen["unknown_private"][other], seen["unknown_neutral"][other]) == (0, 0)
        else:
            assert seen["hands"][other] == []
            assert seen["unknown_private"][other] == [2, 1, 2][other]
            assert seen["unknown_neutral"][other] == [2, 0, 1][other]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_everything_else_is_public(table: Table, state: State, seat: int) -> None:
    full, seen = table.at(state), table.at(state.observe(seat))
    different = {key for key in full if full[key] != seen[key]}  # type: ignore[literal-required]
    assert different == {"hands", "unknown_private", "unknown_neutral"}


def test_points_need_no_hidden_card(table: Table, state: State) -> None:
    for seat in range(3):
        assert table.rules.scores(state.observe(seat)) == table.rules.scores(state)
    over = table.play(state.observe(0), "end_turn", "end_turn", "end_turn")
    assert over.outcome() == table.play(state, "end_turn", "end_turn", "end_turn").outcome()


def test_only_a_seat_at_the_table_sees(state: State) -> None:
    for seat in (-1, 3, 4):
        with pytest.raises(StateError) as refused:
            state.observe(seat)
        assert refused.value.field == "seat"
        with pytest.raises(StateError):
            state.determinize(seat, Generator(1))


# Unknown cards.


def test_a_front_end_may_deal_cards_that_it_cannot_see(table: Table) -> None:
    state = table.start()
    while "private P01" not in table.chances(state):
        state = state.resolve(state.chances()[0][0])
    state = table.play(state, "private P07", "private P08", "private unknown", "private unknown")
    fields = table.at(state)
    assert fields["hands"] == [[table.card("P07"), table.card("P08")], []]
    assert fields["unknown_private"] == [0, 2]
    assert fields["phase"] == Phase.SETUP
    assert "open N01" in table.chances(state)


def test_an_unknown_card_is_never_listed_and_only_where_it_may_be(table: Table) -> None:
    state = table.start()
    for outcome in (encode(MoveKind.PRIVATE, UNKNOWN), encode(MoveKind.OPEN, UNKNOWN), encode(MoveKind.DRAW, UNKNOWN)):
        with pytest.raises(ChanceError):
            state.resolve(outcome)
    while "private P01" not in table.chances(state):
        state = state.resolve(state.chances()[0][0])
    assert encode(MoveKind.PRIVATE, UNKNOWN) not in [outcome for outcome, _ in state.chances()]
    state = table.play(state, *["private unknown"] * 4)
    with pytest.raises(ChanceError):
        state.resolve(encode(MoveKind.OPEN, UNKNOWN))


def test_a_card_that_may_be_among_the_unknown_ones_can_still_be_dealt(table: Table) -> None:
    state = table.start()
    while "private P01" not in table.chances(state):
        state = state.resolve(state.chances()[0][0])
    state = table.play(state, "private unknown", "private P08")
    assert table.chances(state) == {f"private {card}": 1 for card in table.private if card != "P08"}


def test_a_card_drawn_unseen_is_unknown(table: Table) -> None:
    said = {**SAID, "open": ["N01", "N02", "N03", "N20"], "seat": 2}
    said["sites"] = [{}, {}, {0: ("7,5", ["clay", "pig", "pig"])}]
    said["done"] = [["N24", "N26"], ["P04"], ["N27"]]
    said["hands"] = [["P01", "P02", "N29"], ["P03"], ["P05", "P06", "N31"]]
    said["open"] = ["N01", "N02", "N23", "N20"]
    state = table.position(**said).observe(0)
    state = table.play(state, "build 0 N23", "open N04", "draw unknown")
    assert table.at(state)["unknown_neutral"] == [0, 0, 2]
    assert table.at(state)["hands"][2] == []
    assert state.seat == 2


def test_an_unknown_card_may_be_any_that_is_not_seen_elsewhere(table: Table, state: State) -> None:
    """Seat 1 sees P03, P04, five open and done neutral ones ...; on its site seat 2 has wood, clay, pig, pig."""
    seen = table.play(state, "end_turn").observe(1)
    # P05 wood pig pig and P06 wood clay pig are its own, but any private or neutral card would do.
    held = Counter(["wood", "clay", "pig", "pig"])
    hidden = set(table.contracts) - {"P03", "P04", "N23", "N26", "N27"}
    payable = {card for card in hidden if Counter(table.contracts[card]["cost"]) <= held}
    assert having(table.legal(seen), "build") == {f"0 {card}" for card in payable}
    assert {"P05", "P06", "N02", "N04", "N09", "N15"} <= payable


def test_without_unknown_neutral_cards_only_private_ones_may_be_in_the_hand(table: Table) -> None:
    said = {**SAID, "hands": [["P01", "P02"], ["P03"], ["P05", "P06"]]}
    seen = table.play(table.position(**said), "end_turn").observe(1)
    assert having(table.legal(seen), "build") == {"0 N02", "0 N04", "0 P05", "0 P06"}


def test_an_unknown_card_becomes_known_when_it_is_done(table: Table, state: State) -> None:
    seen = table.play(state, "end_turn").observe(1)
    after = table.play(seen, "build 0 P06")
    assert not after.chance_pending
    fields = table.at(after)
    assert (fields["unknown_private"], fields["unknown_neutral"]) == ([2, 0, 1], [2, 0, 1])
    assert table.card("P06") in fields["done"][2]
    fields = table.at(table.play(seen, "build 0 N09"))
    assert (fields["unknown_private"], fields["unknown_neutral"]) == ([2, 0, 2], [2, 0, 0])


def test_a_card_whose_place_is_known_is_not_the_unknown_one(table: Table, state: State) -> None:
    seen = table.play(state, "end_turn").observe(0)
    # Seat 0 holds P01, N29 and N30 itself: nobody else can do them.
    held: Any = {0: ("7,5", ["wood", "stone", "clay", "wheat", "pig"] * 2)}
    fields = table.at(seen)
    fields["reserve"] = [number - 2 for number in fields["reserve"]]
    fields["reserve"] = [had + has for had, has in zip(fields["reserve"], fields["site_resources"][2][0], strict=True)]
    fields["site_resources"][2][0] = table.tally(held[0][1])
    legal = having(table.legal(table.rules.from_fields(fields)), "build")
    assert {"0 P03", "0 P05", "0 N31"} <= legal
    assert not legal & {"0 P01", "0 P02", "0 N29", "0 N30", "0 P04"}
    with pytest.raises(MoveError):
        table.play(table.rules.from_fields(fields), "build 0 P01")


def test_a_front_end_that_knows_no_hand_at_all(table: Table) -> None:
    said = {**SAID, "hands": [[None, None], [None], [None, None]], "done": [["N23", "N26"], ["P04"], ["N27"]]}
    state = table.position(**said)
    assert having(table.legal(state), "build") == {"0 N01"}, "seat 1 holds wood and stone; no private one costs less"
    assert state.determinize(1, Generator(1)).observe(1) != state


# What a search may make up.


def test_a_sample_keeps_what_the_seat_sees_and_deals_the_rest_from_what_it_does_not(table: Table, state: State) -> None:
    generator = Generator(1)
    for _ in range(200):
        sample = state.determinize(0, generator)
        fields = table.at(sample)
        hands = fields["hands"]
        assert hands[0] == table.at(state)["hands"][0]
        assert [len(hand) for hand in hands] == [4, 1, 3]
        assert (fields["unknown_neutral"], fields["unknown_private"]) == ([0] * 3, [0] * 3)
        assert sample.observe(0) == state.observe(0)


def test_the_cards_of_others_are_not_read_even_where_the_state_knows_them(table: Table, state: State) -> None:
    other = table.position(**{**SAID, "hands": [SAID["hands"][0], ["P08"], ["P03", "P07", "N14"]]})
    assert other.observe(0) == state.observe(0)
    for seed in range(50):
        assert state.determinize(0, Generator(seed)) == other.determinize(0, Generator(seed))


def test_every_deal_of_the_unseen_private_contracts_is_equally_likely(table: Table, state: State) -> None:
    generator = Generator(20)
    deals: Counter[tuple[int, tuple[int, ...]]] = Counter()
    for _ in range(6000):
        hands = table.at(state.determinize(0, generator))["hands"]
        deals[hands[1][0], tuple(card for card in hands[2] if card >= 33)] += 1
    unseen = [table.card(card) for card in ("P03", "P05", "P06", "P07", "P08")]
    equally: dict[tuple[int, tuple[int, ...]], int] = {
        (one, pair): 1 for one in unseen for pair in combinations([card for card in unseen if card != one], 2)
    }
    assert_fits(deals, equally)


def test_every_unseen_neutral_contract_is_equally_likely_to_have_been_drawn(table: Table, state: State) -> None:
    generator = Generator(21)
    drawn: Counter[int] = Counter()
    for _ in range(4000):
        hands = table.at(state.determinize(0, generator))["hands"]
        drawn[next(card for card in hands[2] if card < 33)] += 1
    seen = ["N29", "N30", "N23", "N26", "N27", "N01", "N02", "N03", "N04"]
    assert_fits(drawn, {table.card(card): 1 for card in table.neutral if card not in seen})


def test_the_deck_is_what_this_seat_has_not_seen(table: Table, state: State) -> None:
    """A card that another seat drew may come to lie open in a sample where that seat drew another one."""
    state = table.play(state, "build 0 N01")
    generator = Generator(5)
    came = {state.determinize(0, generator).settle(generator)[1][0] for _ in range(2000)}
    seen = ["N29", "N30", "N23", "N26", "N27", "N01", "N02", "N03", "N04"]
    assert came == {encode(MoveKind.OPEN, table.card(card)) for card in table.neutral if card not in seen}
