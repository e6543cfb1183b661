"""What the notations keep is bounded, whatever anybody asks them: a text for each that their grammar can read."""

import random
from contextlib import suppress
from functools import partial
from math import comb

import pytest

from nebula_ai.errors import ChanceError, MoveError
from nebula_ai.games.nebula.game import NebulaGame
from nebula_ai.games.nebula.notation import Notation as NebulaNotation
from nebula_ai.games.via_nebula.game import ViaNebulaGame
from nebula_ai.games.via_nebula.notation import MapNotation
from nebula_core.face import Generator, State

TEXTS = 10_000


def readable_of_nebula(notation: NebulaNotation) -> int:
    """How many texts, in their normal form, the grammar of an edition of Nebula has."""
    edition, core = notation.edition, notation.edition.core
    pieces = len(edition.pieces)
    chosen = len(edition.personal_tasks) + 1
    invested = comb(core.steps + core.clusters - 1, core.clusters - 1)
    kept = sum(comb(pieces + count - 1, count) for count in range(core.keep + 1))
    placed = len(edition.colors) * core.spaces + 1
    advanced = len(edition.colors) + len(edition.constellations) + len(edition.advanced_cards)
    moves = chosen + invested + pieces + (1 << core.clusters) + kept + placed + advanced + len(("decline", "stop"))
    return moves + pieces + len(edition.public_tasks) + len(edition.advanced_cards) + chosen


def readable_of_via_nebula(notation: MapNotation) -> int:
    """How many texts, in their normal form, the grammar of a map of Via Nebula has."""
    edition = notation.edition
    hexes, sites = len(notation.hexes), max(edition.core.sites)
    resources, contracts, tokens = len(edition.resources), len(edition.contracts), len(edition.tokens)
    moves = 5 * hexes + sites * (2 * hexes + contracts + resources + resources**2) + len(("end_turn", "decline"))
    return moves + 2 * tokens + 2 * (contracts + 1) + contracts


def words_of(game: NebulaGame | ViaNebulaGame, state: State, generator: Generator) -> list[str]:
    """The words of all moves and outcomes of a random game, and some numbers."""
    words = {"unknown", *map(str, range(40))}
    while not state.finished:
        if state.chance_pending:
            for outcome, _ in state.chances():
                words |= set(game.format_chance(state, outcome).split())
            state = state.resolve(state.chances()[generator.below(len(state.chances()))][0])
        else:
            for move in state.legal_moves():
                words |= set(game.format_move(state, move).split())
            state = state.apply(state.random_move(generator))
    return sorted(words)


@pytest.mark.parametrize("kind", [NebulaGame, ViaNebulaGame])
def test_no_more_texts_are_kept_than_can_be_read(kind: type[NebulaGame | ViaNebulaGame], seed: int) -> None:
    """After any texts and any numbers, of moves that are legal or not."""
    game = kind.load(None)
    pending, deciding = game.start(3), game.new(3, seed=seed)
    words = words_of(game, pending, Generator(seed))
    draw = random.Random(seed)
    notation: NebulaNotation | MapNotation
    if isinstance(game, NebulaGame):
        notation = game.notation
        most = readable_of_nebula(notation)
    else:
        notation = game.notation.of(pending)
        most = readable_of_via_nebula(notation)
    firsts = [*notation.move_words, *notation.chance_words]
    for _ in range(TEXTS):
        text = " ".join([draw.choice(firsts), *draw.choices(words, k=draw.choice((0, 1, 2, 2, 3)))])
        for ask in (
            partial(game.parse_move, deciding, text),
            partial(game.parse_chance, pending, text),
            partial(game.format_move, deciding, draw.getrandbits(32) & draw.getrandbits(32)),
        ):
            with suppress(MoveError, ChanceError):
                ask()
    kept = len(notation.move_texts) + len(notation.chance_texts)
    assert most / 10 < kept <= most < 2000
