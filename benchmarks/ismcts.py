"""One of our bots against OpenSpiel's information-set Monte-Carlo tree search, its bot in Python, in our games.

    python -m benchmarks.ismcts [BOT] [--game G] [--players N] [--variant V] [--setups N] [--simulations N | --time S]

Their bot is taken as it is. It gets our game as an object with the methods that it calls on a state, and playouts of
uniformly random moves: those of its own evaluator, ten times as fast, because the core draws them. What is played, and
what the table says, is as in the arena (docs/arena.md): our bot is the challenger, theirs is at all other seats.
"""

import time
from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import partial
from math import sqrt
from types import SimpleNamespace
from typing import Annotated

import numpy as np
import pyspiel
import typer
from open_spiel.python.algorithms.ismcts import ISMCTSBot

from benchmarks.command import GameOption, OutputOption, SetupsOption, VariantOption, as_text, budget, run, variants_of
from nebula_ai.arena import results, spread
from nebula_ai.arena.games import Played, play_between
from nebula_ai.arena.results import Fixture, Header
from nebula_ai.bots import Bot, Decision, SearchBot, parse_bot, seen_by_mover, unsearched
from nebula_ai.commands.arena import WorkersOption, gather, resumed, tell
from nebula_ai.commands.common import Failure
from nebula_ai.commands.states import PlayersOption, chosen_game
from nebula_ai.cores import available_cores
from nebula_ai.errors import MoveError
from nebula_ai.game import Game
from nebula_ai.registry import standard
from nebula_ai.search import FIRST_STREAM, MAX_SIMULATIONS, Limits, Reports
from nebula_core import face
from nebula_core.search.tree import CancelFlag

SIMULATIONS = 1000

EXPLORATION = sqrt(2)
"""What OpenSpiel's own tool for choosing a move (examples/mcp_tool_server) gives this bot, as a part of the range of
what a game is worth; here that is 1."""

KIND = SimpleNamespace(
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL, information=pyspiel.GameType.Information.IMPERFECT_INFORMATION
)


class SpielState:
    """A state of ours as OpenSpiel's search wants it: it changes when a move is made. Chance is drawn at once."""

    def __init__(self, state: face.State, chance: face.Generator) -> None:
        """`state`: with no chance event pending. `chance`: draws whatever the search leaves to chance."""
        self.state = state
        self.chance = chance
        self.key: bytes | None = None

    def get_game(self) -> SimpleNamespace:
        """Something that says of what kind the game is."""
        return SimpleNamespace(get_type=lambda: KIND)

    def clone(self) -> "SpielState":
        """A copy; both draw from the same source."""
        return SpielState(self.state, self.chance)

    def is_terminal(self) -> bool:
        """Whether the game is finished."""
        return self.state.finished

    def is_chance_node(self) -> bool:
        """Never."""
        return False

    def current_player(self) -> int:
        """The seat that has to decide."""
        assert self.state.seat is not None, "the game goes on"
        return self.state.seat

    def legal_actions(self, player: int | None = None) -> list[int]:
        """The legal moves of that seat."""
        return self.state.legal_moves()

    def apply_action(self, action: int) -> None:
        """Makes a legal move (a number of NumPy's perhaps), and draws the chance events after it."""
        self.state, _ = self.state.apply(int(action)).settle(self.chance)
        self.key = None

    def returns(self) -> list[float]:
        """The share of the win of each seat in a finished game, 0 to 1."""
        return self.state.outcome()[1]

    def information_state_string(self) -> bytes:
        """What the seat that has to decide sees, and nothing else: by this the search tells its nodes apart.

        How the game came there is no part of it, so that nodes are shared where ways meet.
        """
        if self.key is None:
            self.key = self.state.observe(self.current_player()).pack()
        return self.key

    def resample_from_infostate(self, player: int, sampler: object) -> "SpielState":
        """A state that `player` cannot tell from this one. It is drawn from our source, not from the sampler."""
        return SpielState(self.state.determinize(player, self.chance), self.chance)


class RandomPlayouts:
    """Does what their RandomRolloutEvaluator does by default: one game of uniformly random moves to its end."""

    def evaluate(self, node: SpielState) -> list[float]:
        """What that game was worth to each seat."""
        state = node.state
        while not state.finished:
            state, _ = state.apply(state.random_move(node.chance)).settle(node.chance)
        return state.outcome()[1]

    def prior(self, node: SpielState) -> list[tuple[int, float]]:
        """Every legal move, each as good as the others."""
        moves = node.legal_actions()
        return [(move, 1 / len(moves)) for move in moves]


class OutOfTime(Exception):
    """The time for a decision is used up."""


@dataclass(frozen=True, slots=True)
class IsmctsBot(Bot):
    """OpenSpiel's bot, as a bot of ours. It makes the most visited move, drawn among equals."""

    limits: Limits
    """Time or simulations; two simulations at least are made."""
    exploration: float
    """The c of c * sqrt(ln(visits of the node) / visits of the move); for rewards from 0 to 1."""

    def move(
        self,
        state: face.State,
        *,
        seed: int = 0,
        workers: int = 1,
        moves: Collection[int] | None = None,
        cancel: CancelFlag | None = None,
        reports: Reports | None = None,
    ) -> Decision:
        """Its move. It searches all legal moves on one core, cannot be cancelled, and does not tell what it found."""
        if moves is not None:
            raise MoveError("moves", "cannot be chosen from: OpenSpiel's search takes all legal moves")
        end = time.perf_counter() + self.limits.time if self.limits.time is not None else None
        seen = seen_by_mover(state, workers)
        numbers = np.random.RandomState([seed >> 32, seed & 0xFFFFFFFF])
        root = SpielState(seen, face.Generator(seed, FIRST_STREAM))
        simulations = max(2, self.limits.simulations or MAX_SIMULATIONS)
        bot = ISMCTSBot(None, RandomPlayouts(), self.exploration, simulations, random_state=numbers)

        # Their loop knows no time; but it asks this for a state before each simulation.
        def sampled(of: SpielState, player: int) -> SpielState:
            if end is not None and time.perf_counter() >= end and bot.lookup_node(root).total_visits > 0:
                raise OutOfTime
            return of.resample_from_infostate(player, None)

        bot.set_resampler(sampled)
        try:
            policy = bot.get_policy(root)
        except OutOfTime:
            policy = bot.get_final_policy(root, bot.lookup_node(root))
        found, probabilities = zip(*policy, strict=True)
        return unsearched(seen, int(numbers.choice(found, p=probabilities)), seed, workers)


def made_match(
    game: Game, players: int, variants: list[str], bot: str, limits: Limits, exploration: float, seed: int, setups: int
) -> tuple[Header, IsmctsBot]:
    """What is played, and their bot. A bot of ours that searches gets the same limits.

    Raises InvalidInput, and Failure if the text of the bot has limits of its own.
    """
    if isinstance(parse_bot(game, bot), SearchBot):
        bot += ("," if ":" in bot else ":") + as_text(limits)
        found = parse_bot(game, bot)
        if isinstance(found, SearchBot) and found.limits != limits:
            raise Failure("both bots have the same budget: give it as --time or --simulations")
    name = f"openspiel-ismcts:{as_text(limits)},exploration={exploration:.4g}"
    peer = IsmctsBot(name, "OpenSpiel's information-set search.", limits, exploration)
    ours = results.made_header(game, players, variants, [bot, bot], seed=seed, setups=setups)
    header = replace(ours, bots=(ours.bots[0], name), settings_hashes=(ours.settings_hashes[0], peer.settings_hash))
    return header, peer


def play(header: Header, peer: IsmctsBot, fixture: Fixture) -> Played:
    """Plays a game of the match."""
    game = standard(header.game)
    return play_between((parse_bot(game, header.bots[0]), peer), header, game, fixture)


def main(
    bot: Annotated[str, typer.Argument(help="NAME, or NAME:KEY=VALUE,KEY=VALUE, without a limit.")] = "strong",
    game: GameOption = None,
    players: PlayersOption = None,
    variant: VariantOption = None,
    setups: SetupsOption = 10,
    simulations: Annotated[
        int | None,
        typer.Option("--simulations", min=2, help="Of both bots, for a decision.", show_default=str(SIMULATIONS)),
    ] = None,
    seconds: Annotated[
        float | None, typer.Option("--time", help="Seconds of both bots for a decision, instead.", show_default=False)
    ] = None,
    exploration: Annotated[float, typer.Option("--exploration", min=0, help="Theirs.")] = EXPLORATION,
    seed: Annotated[int, typer.Option("--seed", help="Seed of the setups and of the bots.")] = 1,
    workers: WorkersOption = None,
    output: OutputOption = None,
) -> None:
    """Let one of our bots play against OpenSpiel's information-set search."""
    made = chosen_game(game, None)
    header, peer = made_match(
        made,
        made.players[0] if players is None else players,
        variants_of(made, variant),
        bot,
        budget(seconds, simulations, Limits(simulations=SIMULATIONS)),
        exploration,
        seed,
        setups,
    )
    for name in header.variants:
        made.start(header.players, name)
    records = resumed(output, header) if output else []
    cores = min(workers or available_cores(), header.games)
    played = spread.in_processes(partial(play, header, peer), results.missing(header, records), cores)
    thinking = gather(played, header, records, output)
    tell(header, records, thinking, as_json=False)


if __name__ == "__main__":
    run(main)
