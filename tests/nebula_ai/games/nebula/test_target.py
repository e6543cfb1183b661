"""What Nebula's chance events are said to be for: the setup in its order, and in a turn what then changes."""

import re
from pathlib import Path

import pytest

from nebula_ai.errors import NoChancePending
from nebula_ai.games.nebula.game import NebulaGame
from nebula_core.face import Generator, State

DOCUMENTATION = Path(__file__).parents[4] / "docs" / "rules-nebula.md"


@pytest.fixture(scope="module")
def game() -> NebulaGame:
    return NebulaGame.load(None)


def targets(game: NebulaGame, state: State) -> list[str]:
    """What the pending chance events are for, one after the other."""
    found = []
    while state.chance_pending:
        found.append(game.chance_target(state))
        state = state.resolve(state.chances()[0][0])
    return found


CLUSTERS = [f"cluster {cluster}, space {space}" for cluster in range(3) for space in range(6)]


def test_the_setup_of_three(game: NebulaGame) -> None:
    assert targets(game, game.start(3)) == [
        *CLUSTERS,
        "the supernova",
        "Observatory of seat 1",
        "Observatory of seat 2, piece 1 of 2",
        "Observatory of seat 2, piece 2 of 2",
        *(f"public task {number} of 4" for number in range(1, 5)),
        *(f"advanced card {number} of 4" for number in range(1, 5)),
        *(f"personal task {number} of 2 for seat {seat}" for seat in range(3) for number in (1, 2)),
    ]


def test_the_setup_of_two_in_the_basic_variant(game: NebulaGame) -> None:
    assert targets(game, game.start(2, "basic")) == [
        *CLUSTERS,
        "the supernova",
        "Observatory of seat 1",
        *(f"public task {number} of 4" for number in range(1, 5)),
        *(f"personal task {number} of 2 for seat {seat}" for seat in range(2) for number in (1, 2)),
    ]


def test_the_documentation_has_the_same_order(game: NebulaGame) -> None:
    section = DOCUMENTATION.read_text(encoding="utf-8").partition("## The setup\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\d+\. .*$", section, re.MULTILINE)
    words = ["cluster", "supernova", "Observatory", "public task", "advanced card", "personal task"]
    assert len(rows) == len(words)
    assert all(word in row for word, row in zip(words, rows, strict=True))
    order = [next(word for word in words if word in target) for target in targets(game, game.start(4))]
    assert list(dict.fromkeys(order)) == words


def test_in_a_turn_it_is_what_the_outcome_changes(game: NebulaGame, seed: int) -> None:
    """In games to their ends, each event names the space that it fills, the piece of chaos or the supernova."""
    generator = Generator(seed)
    seen = set()
    for number in range(4):
        state = game.new(2, seed=number)
        while not state.finished:
            if not state.chance_pending:
                with pytest.raises(NoChancePending):
                    game.chance_target(state)
                state = state.apply(state.random_move(generator))
                continue
            target = game.chance_target(state)
            before = game.to_json(state)
            state = state.resolve(state.chances()[generator.below(len(state.chances()))][0])
            after = game.to_json(state)
            seen.add(target.split()[0])
            if place := re.fullmatch(r"refill of cluster (\d), space (\d)", target):
                cluster, space = int(place[1]), int(place[2])
                changed = [
                    (i, j) for i in range(3) for j in range(6) if before["clusters"][i][j] != after["clusters"][i][j]
                ]
                assert changed == [(cluster, space)]
            elif chaos := re.fullmatch(r"chaos, piece (\d) of (\d)", target):
                drawn = sum(before["turn"]["drawn"].values())
                assert int(chaos[1]) == drawn + 1
                assert (int(chaos[1]) == int(chaos[2])) == (after["phase"] == "keep")
            else:
                assert target == "the new supernova"
                assert before["phase"] == "supernova"
                assert after["clusters"] == before["clusters"]
        with pytest.raises(NoChancePending):
            game.chance_target(state)
    assert seen == {"refill", "chaos,", "the"}


def test_with_a_bag_almost_empty_chaos_draws_what_is_left(game: NebulaGame) -> None:
    """Games that only ever invest, up to the last pieces; then chaos."""
    found = set()
    generator = Generator(1)
    for number in range(200):
        state = game.new(4, "basic", seed=number)
        while not state.finished:
            if state.chance_pending:
                if game.chance_target(state).startswith("chaos, piece 1 of "):
                    bag = sum(game.to_json(state)["bag"].values())
                    assert game.chance_target(state) == f"chaos, piece 1 of {min(5, bag)}"
                    found.add(min(5, bag))
                state = state.settle(generator)[0]
            else:
                state = state.apply(state.random_move(generator))
        if found > {5}:
            return
    raise AssertionError("no game had so few pieces left")


def test_what_a_move_brings(game: NebulaGame) -> None:
    state = game.new(2, seed=1)
    while game.to_json(state)["phase"] != "turn":
        state = state.apply(state.legal_moves()[0])
    table = game.to_json(state)
    for move in state.legal_moves():
        text = game.format_move(state, move)
        if not text.startswith("invest"):
            assert game.describe_move(state, move) == ""
            continue
        steps = map(int, text.split()[1:])
        reached = [spaces[step % 6] for spaces, step in zip(table["clusters"], steps, strict=True)]
        assert game.describe_move(state, move) == ", ".join(reached)
        taking = state.apply(move)
        described = {game.format_move(taking, take): game.describe_move(taking, take) for take in taking.legal_moves()}
        assert described["take 0 2"] == f"{reached[0]}, {reached[2]}"
        assert described["take 1"] == reached[1]


def test_figures_go_around_their_rings_and_may_find_nothing(game: NebulaGame) -> None:
    """What a way to invest is said to bring is what can be taken after it."""
    generator = Generator(2)
    found = set()
    for number in range(20):
        state = game.new(4, seed=number)
        while not state.finished:
            if state.chance_pending:
                state = state.settle(generator)[0]
                continue
            move = state.random_move(generator)
            brings = game.describe_move(state, move)
            state = state.apply(move)
            table = game.to_json(state)
            if table["phase"] == "take":
                stand = [
                    spaces[at] or "nothing" for spaces, at in zip(table["clusters"], table["figures"], strict=True)
                ]
                assert brings == ", ".join(stand)
                everything = game.describe_move(state, state.legal_moves()[-1])
                assert everything == ", ".join(piece for piece in stand if piece != "nothing")
                found |= set(stand)
    assert found == {*game.content.pieces, "nothing"}
