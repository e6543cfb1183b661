"""The notation of Nebula: every text of the recorded games, what is forgiven, and how wrong texts are refused."""

import json
from contextlib import suppress
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nebula_ai.errors import ChanceError, ChancePending, GameFinished, MoveError, NoChancePending
from nebula_ai.games.nebula.notation import CHANCE_WORDS, MOVE_WORDS
from nebula_core.face import Generator, State
from nebula_core.nebula.rules import MoveKind, Phase, encode
from tests.nebula_core.nebula.editions import odd
from tests.nebula_core.nebula.positions import Table
from tests.toml_file import write

PLAYTHROUGHS = sorted(Path("tests/data/playthroughs/nebula").absolute().glob("*.jsonl"))


@pytest.fixture(scope="module")
def table() -> Table:
    return Table()


# Every text and number.


@pytest.mark.parametrize("path", PLAYTHROUGHS, ids=lambda path: path.stem)
def test_every_recorded_text_is_read_and_written(table: Table, path: Path) -> None:
    game = table.game
    head, *lines = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    state = game.start(head["players"], head["variant"])
    for line in lines:
        if "chance" in line:
            outcome = game.parse_chance(state, line["chance"])
            assert game.format_chance(state, outcome) == line["chance"]
            state = state.resolve(outcome)
        elif "move" in line:
            assert sorted(game.parse_move(state, text) for text in line["legal"]) == state.legal_moves()
            assert sorted(table.legal(state)) == sorted(line["legal"])
            state = state.apply(game.parse_move(state, line["move"]))
    assert state.finished


def test_every_move_and_outcome_of_odd_editions_is_read_and_written(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    for number in range(20):
        table = Table(write(odd(random), tmp_path / f"{number}.toml"))
        game = table.game
        generator = Generator(seed, number)
        state = game.start(random.choice(game.players), random.choice(game.variants))
        while not state.finished:
            if state.chance_pending:
                for outcome, _ in state.chances():
                    assert game.parse_chance(state, game.format_chance(state, outcome)) == outcome
                state = state.settle(generator)[0]
            else:
                for move in state.legal_moves():
                    assert game.parse_move(state, game.format_move(state, move)) == move
                state = state.apply(state.random_move(generator))


TABLE = Table()
"""For Hypothesis, which takes no fixtures of a function's."""


@given(
    kind=st.one_of(st.sampled_from(MoveKind), st.integers(0, 255)),
    argument=st.one_of(st.integers(0, 300), st.integers(0, 0xFFFFFF)),
)
def test_a_number_is_a_move_or_an_outcome_or_none(kind: int, argument: int) -> None:
    number = kind << 24 | argument
    start = TABLE.start()
    texts = []
    with suppress(MoveError):
        texts.append((TABLE.game.format_move(start, number), MOVE_WORDS))
    with suppress(ChanceError):
        texts.append((TABLE.game.format_chance(start, number), CHANCE_WORDS))
    assert len(texts) <= 1
    for text, first_words in texts:
        assert TABLE.game.notation.read(text, first_words) == number
        assert text == " ".join(text.split())


@pytest.mark.parametrize("number", [-1, 1 << 32, 1 << 70, 0, encode(MoveKind.PIECE), encode(MoveKind.STOP, 1)])
def test_what_is_no_move_has_no_text(table: Table, number: int) -> None:
    with pytest.raises(MoveError):
        table.game.format_move(table.start(), number)


# Positions to speak of.


@pytest.fixture(scope="module")
def choosing(table: Table) -> State:
    """Seat 0 chooses between S01 and S02."""
    return table.position(phase=Phase.CHOOSE, round=1, observatory=[[], ["red"]])


@pytest.fixture(scope="module")
def turn(table: Table) -> State:
    """Seat 0 has its turn, with a red star and a black hole in its Observatory."""
    return table.position(observatory=[["red", "black_hole"]])


@pytest.fixture(scope="module")
def taking(table: Table, turn: State) -> State:
    """Seat 0 has invested; each cluster offers a piece."""
    return table.play(turn, "invest 0 1 4")


@pytest.fixture(scope="module")
def keeping(table: Table, turn: State) -> State:
    """Seat 0 keeps two of two red stars, a blue star, a white star and a black hole."""
    return table.position(phase=Phase.KEEP, drawn=["red", "red", "blue", "white", "black_hole"])


@pytest.fixture(scope="module")
def placing(table: Table) -> State:
    """Seat 0 may still place one of red, blue, violet: it has stars on 0 and 4 and has placed a white one."""
    return table.position(
        phase=Phase.PLACE,
        observatory=[["red", "red", "white", "violet", "black_hole"]],
        galaxy=[{0: "red", 4: "white"}],
        holes=[8],
        placed=["white"],
    )


@pytest.fixture(scope="module")
def advancing(table: Table) -> State:
    """Seat 0 has placed its first black hole; the marker of red is at its end."""
    return table.position(
        phase=Phase.ADVANCE, holes=[1, 2], placed=["black_hole"], values={"color red": 2}, observatory=[["red"]]
    )


# What is forgiven.


@pytest.mark.parametrize(
    ("position", "given", "text"),
    [
        ("turn", "  invest\t3  1 1\n", "invest 3 1 1"),
        ("turn", "chaos    black_hole", "chaos black_hole"),
        ("taking", "take 2 0", "take 0 2"),
        ("taking", "take 1 2 0", "take 0 1 2"),
        ("keeping", "keep red blue", "keep blue red"),
        ("keeping", "keep white black_hole", "keep black_hole white"),
        ("keeping", "keep red red", "keep red red"),
        ("placing", "place violet 05", "place violet 5"),
        ("advancing", "advance\ncard A01", "advance card A01"),
        ("choosing", " choose S02 ", "choose S02"),
    ],
)
def test_white_space_and_order_are_forgiven(
    request: pytest.FixtureRequest, table: Table, position: str, given: str, text: str
) -> None:
    state = request.getfixturevalue(position)
    assert table.game.format_move(state, table.game.parse_move(state, given)) == text


def test_steps_keep_their_order(table: Table, turn: State) -> None:
    assert table.game.parse_move(turn, "invest 3 1 1") != table.game.parse_move(turn, "invest 1 1 3")


# What is refused.


@pytest.mark.parametrize(
    ("position", "text", "words"),
    [
        # Words that do not exist.
        ("turn", "", ["the text is empty", "23 moves are legal", "seat 0 may invest or give in to chaos"]),
        ("turn", "investt 1 2 2", ["'investt' is not known (did you mean invest?)"]),
        ("turn", "Invest 1 2 2", ["'Invest' is not known (did you mean invest?)"]),
        ("turn", "piece red", ["the word 'piece' is not known"]),
        ("turn", "chaos rde", ["the piece 'rde' is not known (did you mean red?)"]),
        ("turn", "x" * 5000, ["is not known"]),
        ("choosing", "choose s01", ["the personal task 's01' is not known (did you mean S01?)", "legal: choose S01, "]),
        ("advancing", "advance colour blue", ["the kind of value marker 'colour' is not known (did you mean color?)"]),
        ("advancing", "advance constellation Lira", ["the constellation 'Lira' is not known (did you mean Lyra?)"]),
        ("placing", "place pink 5", ["the piece 'pink' is not known"]),
        # Wrong numbers of words, and numbers that are none.
        ("turn", "invest 1 4", ["after 'invest' comes the steps of 3 figures: 3 words, not 2"]),
        ("turn", "invest 1 2 3", ["the steps must sum to 5, not 6"]),
        ("turn", "invest 6 0 -1", ["'6' is not a number of steps from 0 to 5"]),
        ("turn", "invest 1 2 ٢", ["is not a number of steps"]),
        ("turn", "chaos red blue", ["after 'chaos' comes a piece: 1 word, not 2"]),
        ("taking", "take 3", ["'3' is not a cluster from 0 to 2"]),
        ("taking", "take 1 1", ["cluster 1 is named twice"]),
        ("taking", "take 0 1 2 0", ["cluster 0 is named twice"]),
        ("keeping", "keep red red blue", ["at most 2 pieces are kept, not 3"]),
        ("placing", "place red", ["after 'place' comes a colour and a space, or black_hole: 2 words, not 1"]),
        ("placing", "place red 32", ["'32' is not a space from 0 to 31"]),
        ("placing", "place red 1e1", ["'1e1' is not a space"]),
        ("placing", "place red " + "9" * 5000, ["is not a space"]),
        ("placing", "place black_hole 3", ["black_hole alone: 1 word, not 2"]),
        ("placing", "stop now", ["after 'stop' comes nothing: 0 words, not 1"]),
        # Moves of another moment.
        ("turn", "take 0", ["'take 0' is not legal now", "seat 0 has to invest or give in to chaos"]),
        ("taking", "stop", ["'stop' is not legal now", "seat 0 has to take", "legal: take 0, "]),
        ("placing", "keep", ["seat 0 has to place or stop"]),
        # Moves that break a rule.
        ("choosing", "choose S03", ["it was not dealt to seat 0", "legal: choose S01, choose S02"]),
        ("choosing", "choose unknown", ["it was not dealt to seat 0"]),
        ("turn", "chaos blue", ["no blue is in the Observatory of seat 0"]),
        ("taking", "take", ["at least one piece must be taken"]),
        ("keeping", "keep red", ["2 pieces must be kept"]),
        ("keeping", "keep blue blue", ["chaos drew 1 blue"]),
        ("placing", "place blue 5", ["no blue is in the Observatory of seat 0"]),
        ("placing", "place white 5", ["a white piece was already placed in this turn"]),
        ("placing", "place black_hole", ["the black-hole track is full"]),
        ("placing", "place violet 4", ["space 4 holds a star"]),
        ("placing", "place red 5", ["space 0, linked to it, holds a star of the same colour"]),
        ("placing", "place violet 31", ["space 31 is linked to no star"]),
        ("advancing", "advance color red", ["the marker is at the end of its scale"]),
        ("advancing", "advance card A24", ["the card is not in play"]),
    ],
)  # fmt: skip
def test_a_wrong_move_is_refused_with_the_reason(
    request: pytest.FixtureRequest, table: Table, position: str, text: str, words: list[str]
) -> None:
    with pytest.raises(MoveError) as refusal:
        table.game.parse_move(request.getfixturevalue(position), text)
    assert refusal.value.field == "move"
    for part in words:
        assert part in refusal.value.reason
    assert "\n" not in refusal.value.reason
    assert len(refusal.value.reason) < 300


def test_an_empty_cluster_space_and_an_empty_bag_are_the_reason(table: Table) -> None:
    state = table.position(bag={}, clusters={(1, 2): None}, seat=1, observatory=[[], ["red"]])
    with pytest.raises(MoveError, match="the bag is empty"):
        table.game.parse_move(state, "chaos red")
    state = table.play(state, "invest 0 2 3")
    with pytest.raises(MoveError, match="no piece is at the figure of cluster 1"):
        table.game.parse_move(state, "take 0 1")


def test_the_first_star_has_its_orbit(table: Table) -> None:
    state = table.position(phase=Phase.PLACE, observatory=[["red"]])
    with pytest.raises(MoveError, match="the first star goes to orbit 1"):
        table.game.parse_move(state, "place red 4")


def test_a_state_without_a_decision_has_no_moves(table: Table, turn: State) -> None:
    with pytest.raises(ChancePending):
        table.game.parse_move(table.start(), "stop")
    generator = Generator(5)
    state = turn
    while not state.finished:
        state = state.apply(state.random_move(generator)).settle(generator)[0]
    with pytest.raises(GameFinished):
        table.game.parse_move(state, "stop")


# Chance.


def test_a_wrong_outcome_is_refused_with_the_reason(table: Table, turn: State) -> None:
    start = table.start()
    for text, words in [
        ("pice red", "'pice' is not known (did you mean piece?)"),
        ("piece", "after 'piece' comes a piece: 1 word, not 0"),
        ("piece rad", "the piece 'rad' is not known (did you mean red?); possible: piece red, "),
        ("public T01", "'public T01' is not possible now; possible: piece red, "),
        ("stop", "the word 'stop' is not known"),
        ("personal unknown", "'personal unknown' is not possible now"),
    ]:
        with pytest.raises(ChanceError) as refusal:
            table.game.parse_chance(start, text)
        assert refusal.value.field == "outcome"
        assert words in refusal.value.reason
    with pytest.raises(NoChancePending):
        table.game.parse_chance(turn, "piece red")


def test_a_card_that_is_there_already_is_not_possible(table: Table) -> None:
    state = table.start()
    while not table.game.format_chance(state, state.chances()[0][0]).startswith("public"):
        state = state.resolve(state.chances()[0][0])
    state = table.play(state, " public   T03 ")
    with pytest.raises(ChanceError, match="'public T03' is not possible now; 23 outcomes are possible, such as"):
        table.game.parse_chance(state, "public T03")


# Unknown cards.


def test_a_dealt_card_may_stay_unknown(table: Table) -> None:
    state = table.start(2, full=False)
    while not table.game.format_chance(state, state.chances()[0][0]).startswith("personal"):
        state = state.resolve(state.chances()[0][0])
    state = table.play(state, "personal unknown", "personal unknown", "personal S01", "personal S02")
    assert table.legal(state) == ["choose unknown"]
    with pytest.raises(MoveError, match="it was not dealt to seat 0; legal: choose unknown"):
        table.game.parse_move(state, "choose S03")
    state = table.play(state, "choose unknown")
    assert table.legal(state) == ["choose S01", "choose S02"]
