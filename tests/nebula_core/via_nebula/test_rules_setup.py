"""Via Nebula's rules: the setup, in its order."""

from collections import Counter

import pytest

from nebula_core.errors import ChanceError, StateError
from nebula_core.face import State
from nebula_core.via_nebula.rules import NOTHING, MoveKind, Phase, encode
from tests.nebula_core.via_nebula.editions import standard, with_map
from tests.nebula_core.via_nebula.positions import Make, Table

SPECIALS = ["token special stone", "token special clay", "token special wheat", "token special pig"]
PRIVATE = [f"private P0{number}" for number in range(1, 9)]
OPEN = ["open N01", "open N02", "open N03", "open N04"]


def with_tokens(table: Table, players: int) -> State:
    """A setup with all tokens on the map, the special ones first, then the regular ones in the edition's order."""
    regular = [f"token {words}" for words in table.regular]
    return table.play(table.start(players), "special wood", *SPECIALS, *regular)


# Pieces.


@pytest.mark.parametrize(("players", "craftsmen", "stack", "stock"), [(2, 3, 5, 20), (3, 2, 4, 12), (4, 2, 3, 12)])
def test_each_player_has_its_pieces(table: Table, players: int, craftsmen: int, stack: int, stock: int) -> None:
    fields = table.at(table.start(players))
    assert fields["craftsmen"] == [craftsmen] * players
    assert fields["sites"] == [[NOTHING] * 3] * players
    assert fields["buildings"] == [[]] * players
    assert fields["stacks"] == [[stack] * 4] * players
    assert fields["stock"] == stock
    assert fields["storehouse"] == [[0] * 5] * players
    assert fields["reserve"] == [18] * 5
    assert fields["end_card"] == NOTHING


@pytest.mark.parametrize("players", [0, 1, 5])
def test_two_to_four_players(table: Table, players: int) -> None:
    with pytest.raises(StateError) as refused:
        table.start(players)
    assert refused.value.field == "players"


@pytest.mark.parametrize("map_number", [-1, 2])
def test_one_of_the_maps(table: Table, map_number: int) -> None:
    with pytest.raises(StateError) as refused:
        table.rules.new(2, map_number)
    assert refused.value.field == "map"


# Tokens.


def test_one_special_token_goes_back_each_as_likely(table: Table) -> None:
    state = table.start()
    assert table.chances(state) == {f"special {resource}": 1 for resource in table.resources}
    state = table.play(state, "special clay")
    assert table.at(state)["boxed"] == [table.kinds.index("special clay")]
    assert "token special clay" not in table.chances(state)
    assert table.chances(state)["token special wood"] == 1


@pytest.mark.parametrize("map_name", ["beginner", "expert"])
def test_tokens_lie_on_the_meadows_by_row_then_column(table: Table, map_name: str) -> None:
    state = table.play(table.start(2, map_name), "special pig")
    count = Counter(table.regular)
    assert table.chances(state) == {
        **{f"token {words}": number for words, number in count.items()},
        **{f"token special {resource}": 1 for resource in table.resources if resource != "pig"},
    }
    assert len(table.hexes(map_name, "m")) == 24
    for number, words in enumerate(table.regular):
        assert table.at(state)["tokens"][number:] == [NOTHING] * (24 - number)
        assert table.chances(state)[f"token {words}"] == count[words]
        state = table.play(state, f"token {words}")
        count[words] -= 1
        assert table.at(state)["tokens"][number] == table.kinds.index(words)
    assert table.chances(state) == {f"token special {resource}": 1 for resource in table.resources if resource != "pig"}


@pytest.mark.parametrize(("players", "count"), [(2, 4), (3, 4), (4, 5)])
def test_special_tokens_become_neutral_exploitations(table: Table, players: int, count: int) -> None:
    fields = table.at(with_tokens(table, players))
    neutral = [[NOTHING, resource, count] for resource in (1, 2, 3, 4)]
    assert fields["exploitations"] == [*neutral, *[None] * 20]
    assert fields["tokens"] == [NOTHING] * 4 + [table.kinds.index(words) for words in table.regular]
    assert fields["reserve"] == [18] + [18 - count] * 4
    assert fields["boxed"] == [], "the special tokens are back in the box"
    assert fields["craftsmen"] == [3 if players == 2 else 2] * players


def test_a_special_token_gets_what_a_short_reserve_has(make: Make) -> None:
    edition = with_map("m m m R")
    edition["reserve_per_resource"] = 6
    edition["tokens"]["special"] = [{"resource": "wood", "count": 5}] * 2
    edition["tokens"]["regular"] = edition["tokens"]["regular"][:1]
    table = make(edition)
    state = table.play(table.start(2), "token special wood", "token wood 4 1", "token special wood")
    fields = table.at(state)
    assert fields["exploitations"] == [[NOTHING, 0, 4], None, [NOTHING, 0, 2]]
    assert fields["reserve"][0] == 0


def test_a_special_token_that_gets_nothing_leaves_an_empty_meadow(make: Make) -> None:
    edition = with_map("m m R")
    edition["reserve_per_resource"] = 4
    edition["tokens"]["special"] = [{"resource": "wood", "count": 4}] * 2
    edition["tokens"]["regular"] = []
    table = make(edition)
    fields = table.at(table.play(table.start(4), *["token special wood"] * 2))
    assert fields["exploitations"] == [[NOTHING, 0, 4], None]
    assert fields["empty"] == [1]


def test_several_special_tokens_may_go_back(make: Make) -> None:
    edition = standard()
    edition["setup"]["special_removed"] = 3
    edition["tokens"]["special"] += [{"resource": "wood", "count": 5}] * 2
    table = make(edition)
    state = table.play(table.start(), "special wood", "special pig")
    assert table.chances(state) == {"special wood": 2, "special stone": 1, "special clay": 1, "special wheat": 1}
    state = table.play(state, "special wood")
    assert [table.kinds[kind] for kind in table.at(state)["boxed"]] == ["special wood"] * 2 + ["special pig"]
    assert table.chances(state)["token special wood"] == 1


# Contracts.


@pytest.mark.parametrize("players", [2, 3, 4])
def test_each_seat_is_dealt_two_private_contracts_seat_0_first(table: Table, players: int) -> None:
    state = with_tokens(table, players)
    for number in range(2 * players):
        assert table.chances(state) == dict.fromkeys(PRIVATE[number:], 1)
        state = table.play(state, PRIVATE[number])
    hands = table.at(state)["hands"]
    assert hands == [[table.card(f"P0{2 * seat + 1}"), table.card(f"P0{2 * seat + 2}")] for seat in range(players)]
    assert set(table.chances(state)) == {f"open {card}" for card in table.neutral}


def test_four_neutral_contracts_lie_open_in_order(table: Table) -> None:
    state = table.play(with_tokens(table, 2), *PRIVATE[:4])
    for number, text in enumerate(OPEN):
        assert table.chances(state) == {f"open {card}": 1 for card in table.neutral[number:]}
        assert table.at(state)["open"] == [*range(number), *[NOTHING] * (4 - number)]
        state = table.play(state, text)
    assert table.at(state)["open"] == [0, 1, 2, 3]


def test_the_private_contracts_left_over_are_out_of_the_game(table: Table) -> None:
    """The deck that open places are filled from and contracts are drawn from is the neutral ones alone."""
    state = table.play(with_tokens(table, 2), *PRIVATE[:4], *OPEN)
    assert set(range(33)).issuperset(table.at(state)["open"])
    with pytest.raises(ChanceError):
        table.play(with_tokens(table, 2), *PRIVATE[:4], "open P05")


# The beginning.


@pytest.mark.parametrize("players", [2, 3, 4])
def test_seat_0_begins_with_two_action_points(table: Table, players: int) -> None:
    state = table.play(with_tokens(table, players), *PRIVATE[: 2 * players], *OPEN)
    fields = table.at(state)
    assert (state.seat, fields["phase"], fields["action_points"]) == (0, Phase.TURN, 2)
    assert (fields["acted"], fields["idle"]) == (False, 0)


def test_an_event_with_one_outcome_is_still_an_event(make: Make) -> None:
    edition = with_map("m R")
    edition["neutral_contract"] = edition["neutral_contract"][:1]
    edition["setup"] |= {"open_contracts": 1, "private_contracts": 0}
    table = make(edition)
    state = table.start()
    assert table.chances(state) == {"token wood 4 1": 1}
    state = table.play(state, "token wood 4 1")
    assert table.chances(state) == {"open N01": 1}
    assert table.play(state, "open N01").seat == 0


def test_only_what_is_left_may_come(table: Table) -> None:
    state = table.start()
    for impossible in (encode(MoveKind.TOKEN, 0), encode(MoveKind.SPECIAL, 0), encode(MoveKind.SPECIAL, 20)):
        with pytest.raises(ChanceError):
            state.resolve(impossible)
    state = table.play(state, "special wood", "token wood 3 1")
    for text in ("token wood 3 1", "token special wood"):
        with pytest.raises(ChanceError):
            table.play(state, text)
