"""One game of the arena: played, or played again from its record. Knows no game by name.

Everything random is drawn from the run's seed: the chance events of a setup from a stream of their own, whoever plays,
and each decision from a seed that belongs to its pair, setup, challenger's seat and place in the game. So no bot's
numbers touch the deals, and a game comes out the same whenever and wherever it is played.
"""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from nebula_ai import __version__
from nebula_ai.arena.results import Fixture, Header, Record, plain
from nebula_ai.bench import recorded_signature
from nebula_ai.bots import Bot, SearchBot, parse_bot
from nebula_ai.errors import InvalidInput, listed, shown
from nebula_ai.game import Game
from nebula_ai.registry import STANDARD, load
from nebula_core.face import Generator, State


@dataclass(frozen=True, slots=True)
class Thinking:
    """How long a bot thought, over all decisions in which it had a choice."""

    decisions: int = 0
    seconds: float = 0.0

    def __add__(self, other: "Thinking") -> "Thinking":
        """Both together."""
        return Thinking(self.decisions + other.decisions, self.seconds + other.seconds)


@dataclass(frozen=True, slots=True)
class Played:
    """A game that was played now."""

    record: Record
    thinking: tuple[Thinking, ...]
    """By bot, in the order of the header."""


@lru_cache(maxsize=1)
def opened(header: Header, edition: Path | None) -> tuple[Game, tuple[Bot, ...]]:
    """The game and the bots of a run. `edition`: the file, if it is not the standard edition.

    Raises InvalidInput naming the field of the header that makes no sense, or not with this edition.
    """
    game = load(header.game, edition or STANDARD)
    if header.edition != game.edition:
        hint = "" if edition else "; an edition of your own has to be given as --edition FILE"
        raise InvalidInput("edition", f"must be {game.edition}, not {shown(header.edition)}{hint}")
    if header.edition_hash != (found := game.rules.edition_hash.hex()):
        raise InvalidInput("edition_hash", f"the edition {game.edition} has {found}, not {shown(header.edition_hash)}")
    for variant in header.variants:
        game.start(header.players, variant)
    bots = []
    for index, text in enumerate(header.bots):
        try:
            bot = parse_bot(game, text)
        except InvalidInput as error:
            raise InvalidInput(f"bots[{index}]", error.reason) from None
        if bot.name != text:
            raise InvalidInput(f"bots[{index}]", f"must be written {bot.name}, not {shown(text)}")
        bots.append(bot)
    return game, tuple(bots)


def check_bots(header: Header, edition: Path | None) -> None:
    """Raises InvalidInput unless the bots here are those of the run: of the same version, with the same settings."""
    for field, here in (("engine_version", __version__), ("bench_signature", recorded_signature())):
        if (there := getattr(header, field)) != here:
            raise InvalidInput(field, f"the bots here are of {here}, those of the run of {shown(there)}")
    _, bots = opened(header, edition)
    for index, (bot, there) in enumerate(zip(bots, header.settings_hashes, strict=True)):
        if bot.settings_hash != there:
            raise InvalidInput(f"settings_hashes[{index}]", f"{bot.name} has other settings here than in the run")


def play(header: Header, edition: Path | None, fixture: Fixture) -> Played:
    """Plays a game. Raises InvalidInput if this is not the place for it: another edition, other bots."""
    check_bots(header, edition)
    game, bots = opened(header, edition)
    return play_between(bots, header, game, fixture)


def play_between(bots: Sequence[Bot], header: Header, game: Game, fixture: Fixture) -> Played:
    """Plays a game between these bots, which stand for those of the header, whatever these are."""
    seats = header.seats(fixture)
    thinking = [Thinking() for _ in bots]
    chance, state = dealt(header, game, fixture.setup)
    moves: list[int] = []
    while (mover := state.seat) is not None:
        seen = state.observe(mover)
        start = time.perf_counter()
        move = bots[seats[mover]].move(seen, seed=decision_seed(header, fixture, len(moves))).move
        seconds = time.perf_counter() - start
        if len(state.legal_moves()) > 1:
            thinking[seats[mover]] += Thinking(1, seconds)
        moves.append(move)
        state, _ = state.apply(move).settle(chance)
    points, shares = state.outcome()
    return Played(Record(fixture, tuple(points), tuple(shares), tuple(moves)), tuple(thinking))


def replay(header: Header, edition: Path | None, search: bool, record: Record) -> str | None:
    """Plays a recorded game again, and says what differs first: ``moves[7]: …``; None if nothing does.

    `search`: whether the bots are asked again as well, but for those with a time limit, which need not answer alike.
    Raises InvalidInput if this is not the place for it: another edition or, with `search`, other bots.
    """
    if search:
        check_bots(header, edition)
    game, bots = opened(header, edition)
    seats = header.seats(record.fixture)
    chance, state = dealt(header, game, record.fixture.setup)
    for ply, move in enumerate(record.moves):
        if (mover := state.seat) is None:
            return f"moves[{ply}]: the game is over after {ply} moves, not after {len(record.moves)}"
        legal = state.legal_moves()
        if move not in legal:
            shown_moves = listed(map(str, legal[:5])) if len(legal) <= 5 else f"{len(legal)} moves"
            return f"moves[{ply}]: {move} is not legal for seat {mover} (there are {shown_moves})"
        bot = bots[seats[mover]]
        if search and repeatable(bot):
            again = bot.move(state.observe(mover), seed=decision_seed(header, record.fixture, ply)).move
            if again != move:
                return f"moves[{ply}]: {move} in the file, but seat {mover} ({bot.name}) makes {again} when asked again"
        state, _ = state.apply(move).settle(chance)
    if not state.finished:
        return f"moves: the game is not over after these {len(record.moves)}"
    points, shares = state.outcome()
    for name, recorded, found in (("points", record.points, points), ("shares", record.shares, shares)):
        if list(recorded) != list(found):
            return f"{name}: {plain(recorded)} in the file, {plain(tuple(found))} by these moves"
    return None


def dealt(header: Header, game: Game, setup: int) -> tuple[Generator, State]:
    """The start of every game of a setup: the source of its chance events, and the state after its deals."""
    chance = Generator(header.seed, setup)
    state, _ = game.start(header.players, header.variant(setup)).settle(chance)
    return chance, state


def decision_seed(header: Header, fixture: Fixture, ply: int) -> int:
    """The seed for the decision after `ply` others. The bots draw from other streams of a seed than setups do."""
    place = f"{header.seed} {fixture.pair} {fixture.setup} {fixture.seat} {ply}"
    return int.from_bytes(hashlib.sha256(place.encode()).digest()[:8])


def repeatable(bot: Bot) -> bool:
    """Whether a bot answers the same question alike whenever it is asked: one without a time limit does."""
    return not isinstance(bot, SearchBot) or bot.limits.time is None
