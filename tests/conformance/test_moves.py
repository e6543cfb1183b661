"""Moves: listed, drawn, made, refused; and the game's end."""

from collections import Counter
from itertools import pairwise

import pytest

from nebula_core.errors import ChancePending, GameFinished, GameNotFinished, MoveError
from nebula_core.face import Generator, State
from nebula_core.timing import playouts
from tests.conformance.cases import Case, spread
from tests.fit import assert_fits

WALKS = 3
MAX_MOVES = 512
MAX_NUMBER = 2**32 - 1


def test_legal_moves_are_ascending_and_at_least_one(case: Case, seed: int) -> None:
    generator = Generator(seed, 1)
    for _ in range(WALKS):
        for state in case.walk(generator):
            if state.seat is None:
                continue
            moves = state.legal_moves()
            assert 1 <= len(moves) <= MAX_MOVES
            assert all(one < other for one, other in pairwise(moves))
            assert moves[0] >= 0
            assert moves[-1] <= MAX_NUMBER
            assert state.random_move(generator) in moves


def test_a_state_waits_for_a_seat_or_for_chance_or_is_finished(case: Case, seed: int) -> None:
    for state in case.walk(Generator(seed, 2)):
        assert [state.seat is not None, state.chance_pending, state.finished].count(True) == 1
        assert state.players == case.players
        assert state.seat is None or 0 <= state.seat < case.players
        assert case.game.variant(state) == case.variant


def test_every_game_ends_with_an_outcome(case: Case, seed: int) -> None:
    generator = Generator(seed, 3)
    for _ in range(WALKS):
        *_, last = case.walk(generator)
        assert last.finished
        points, shares = last.outcome()
        assert len(points) == len(shares) == case.players
        assert sum(shares) == pytest.approx(1)
        assert all(0 <= share <= 1 for share in shares)
        winners = [seat for seat, share in enumerate(shares) if share > 0]
        assert case.game.winners(last) == winners
        assert {shares[seat] for seat in winners} == {1 / len(winners)}
        assert [points[seat] for seat in winners] == [max(points)] * len(winners)
        breakdown = case.game.breakdown(last)
        assert [score and score["total"] for score in breakdown] == points


def test_random_moves_are_uniform(case: Case) -> None:
    generator = Generator(7)
    for state in spread(case.decisions(7), 40):
        moves = state.legal_moves()
        counts = Counter(state.random_move(generator) for _ in range(40 * len(moves)))
        assert_fits(counts, dict.fromkeys(moves, 1))


def test_no_earlier_state_changes(case: Case, seed: int) -> None:
    generator = Generator(seed, 4)
    kept = []
    for state in case.walk(generator):
        kept.append((state, state.pack(), hash(state)))
        if state.chance_pending:
            state.settle(generator)
        else:
            for seat in range(case.players):
                state.observe(seat)
                state.determinize(seat, generator)
        if state.seat is not None:
            for move in state.legal_moves():
                state.apply(move)
            state.perft(1)
    for state, packed, hashed in kept:
        assert state.pack() == packed
        assert hash(state) == hashed


def test_the_same_move_gives_the_same_state(decisions: list[State]) -> None:
    for state in spread(decisions, 30):
        for move in state.legal_moves():
            after = state.apply(move)
            assert after == state.apply(move)
            assert hash(after) == hash(state.apply(move))


def test_an_illegal_move_is_refused(case: Case, decisions: list[State]) -> None:
    anywhere = {move for state in decisions for move in state.legal_moves()}
    for state in spread(decisions, 30):
        legal = set(state.legal_moves())
        near = {number for move in legal for number in (move - 1, move + 1, move ^ 0x80000000)}
        for number in (anywhere | near | {-1, 0, MAX_NUMBER, MAX_NUMBER + 1, 2**64}) - legal:
            with pytest.raises(MoveError) as refused:
                state.apply(number)
            assert refused.value.field == "move"
            assert refused.value.reason


@pytest.mark.parametrize("move", [None, "", b"", 1.5, [], float("nan")])
def test_what_is_no_number_is_refused(case: Case, decisions: list[State], move: int) -> None:
    with pytest.raises(MoveError):
        decisions[0].apply(move)


def test_no_moves_while_chance_is_pending(case: Case) -> None:
    state = case.start()
    assert state.chance_pending
    for ask in (state.legal_moves, lambda: state.random_move(Generator(1)), lambda: state.apply(0)):
        with pytest.raises(ChancePending):
            ask()
    with pytest.raises(GameNotFinished):
        state.outcome()


def test_no_moves_in_a_finished_game(case: Case, decisions: list[State], seed: int) -> None:
    *_, last = case.walk(Generator(seed, 5))
    for move in (0, decisions[0].legal_moves()[0]):
        with pytest.raises(GameFinished):
            last.apply(move)
    for ask in (last.legal_moves, lambda: last.random_move(Generator(1))):
        with pytest.raises(GameFinished):
            ask()
    with pytest.raises(GameNotFinished):
        decisions[-1].outcome()


def test_a_move_has_one_number_and_one_text(case: Case, decisions: list[State]) -> None:
    number_of: dict[str, int] = {}
    for state in decisions:
        moves = state.legal_moves()
        texts = [case.game.format_move(state, move) for move in moves]
        assert len(set(texts)) == len(moves)
        for text, move in zip(texts, moves, strict=True):
            assert number_of.setdefault(text, move) == move
    for state in spread(decisions, 40):
        for move in state.legal_moves():
            assert case.game.parse_move(state, case.game.format_move(state, move)) == move


def test_what_a_move_brings_rests_on_nothing_hidden(case: Case, decisions: list[State]) -> None:
    for state in spread(decisions, 20):
        for move in state.legal_moves():
            description = case.game.describe_move(state, move)
            assert len(description) <= 80
            assert description == "" or description.isprintable()
            assert all(
                case.game.describe_move(state.observe(seat), move) == description for seat in range(case.players)
            )


def test_a_move_of_another_state_is_refused_as_text_too(case: Case, decisions: list[State]) -> None:
    texts = {case.game.format_move(state, move) for state in decisions for move in state.legal_moves()}
    for state in spread(decisions, 5):
        legal = {case.game.format_move(state, move) for move in state.legal_moves()}
        for text in texts - legal:
            with pytest.raises(MoveError):
                case.game.parse_move(state, text)


def test_the_core_plays_out_as_the_face_does(case: Case, decisions: list[State]) -> None:
    """Playouts in the core, where chance is inline, against the same game event by event; equal generators."""
    for number, state in enumerate([case.start(), *spread(decisions, 10)]):
        generator = Generator(number)
        begin, _ = state.settle(generator)
        assert begin.seat is not None
        begin = begin.determinize(begin.seat, generator)
        plies = 0
        for _ in range(5):
            after = begin
            while not after.finished:
                after, _ = after.apply(after.random_move(generator)).settle(generator)
                plies += 1
        assert playouts(state, 5, number) == plies
