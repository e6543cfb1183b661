"""The peer: OpenSpiel's game of hearts, its random rollouts and its information-set search, all in C++.

Python only starts a search or a batch of rollouts, a tenth of a second's work at a time. Plies (decisions; chance is
not counted) are counted in games that Python plays step by step: from one position they are always the same number,
because each of them passes or plays a card.
"""

import random
from typing import Any

import pyspiel

from benchmarks.measure import Subject

GAME = "hearts"
ROLLOUTS = 5_000
EXPLORATION = 10.0  # in points; the speed does not depend on it


class Hearts:
    """Hearts with the default rules, in one deal with a pass (three of its four deals have one)."""

    def __init__(self, seed: int) -> None:
        """`seed` deals the cards. Needs OpenSpiel: the project's extra `bench`."""
        self.game: Any = pyspiel.load_game(GAME)
        self.seed = seed
        source = random.Random(seed)
        state = self.game.new_initial_state()
        while state.is_chance_node():
            outcomes = [outcome for outcome, _ in state.chance_outcomes()]
            # The first event is the direction of the pass: 0 is none, 1 to the left.
            state.apply_action(1 if state.is_initial_state() else source.choice(outcomes))
        halfway = state.clone()
        for _ in range(self.plies_from(state) // 2):
            halfway.apply_action(source.choice(halfway.legal_actions()))
        # Their search answers at once where there is one move only.
        while len(halfway.legal_actions()) == 1:
            halfway.apply_action(halfway.legal_actions()[0])
        self.positions: dict[str, Any] = {"opening": state, "halfway": halfway}

    def plies_from(self, state: Any) -> int:
        """Decisions from `state` to the end of the game."""
        counts = set()
        for seed in range(20):
            source = random.Random(seed)
            playing = state.clone()
            plies = 0
            while not playing.is_terminal():
                assert not playing.is_chance_node(), "all chance is in the deal"
                playing.apply_action(source.choice(playing.legal_actions()))
                plies += 1
            counts.add(plies)
        assert len(counts) == 1, f"games of different lengths: {counts}"
        return counts.pop()

    def playouts(self) -> Subject:
        """Random games from the opening, in plies."""
        plies = self.plies_from(self.positions["opening"])

        def run() -> float:
            # One simulation of their plain tree search is nothing but its evaluation of the root: all the rollouts.
            evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, self.seed)
            bot = pyspiel.MCTSBot(self.game, evaluator, EXPLORATION, 1, 1, False, self.seed, False)
            assert bot.mcts_search(self.positions["opening"]).explore_count == 1
            return float(ROLLOUTS * plies)

        return Subject("hearts: playouts", "plies", run)

    def search(self, position: str, simulations: int) -> Subject:
        """Searches from one position, in plies of whole simulations (in the tree and in the playout)."""
        state = self.positions[position]
        plies = self.plies_from(state)

        def run() -> float:
            evaluator = pyspiel.RandomRolloutEvaluator(1, self.seed)
            bot = pyspiel.ISMCTSBot(self.seed, evaluator, EXPLORATION, simulations)
            bot.get_policy(state)
            return float(simulations * plies)

        return Subject(f"hearts: search, {position}", "plies", run, simulations=simulations)
