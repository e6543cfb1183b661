"""The named bots: which parameters and limits each of them searches with. Knows no game."""

from dataclasses import dataclass

from nebula_ai.search import Limits, Result, search
from nebula_core.face import State
from nebula_core.search.tree import CancelFlag, Parameters


@dataclass(frozen=True, slots=True)
class Bot:
    """An opponent under a name. Its answer depends on nothing but the state, the seed and the number of workers."""

    name: str
    description: str
    """For people, in a sentence."""
    parameters: Parameters
    limits: Limits

    def move(self, state: State, *, seed: int = 0, workers: int = 1, cancel: CancelFlag | None = None) -> Result:
        """Its move for the seat that has to decide, with its analysis; arguments and errors are those of `search`."""
        return search(state, self.limits, seed=seed, workers=workers, parameters=self.parameters, cancel=cancel)


PLAIN = Bot(
    name="plain",
    description="Tree search with random playouts and default parameters: what every other bot is measured against.",
    parameters=Parameters(),
    limits=Limits(simulations=1000),
)

BOTS = {bot.name: bot for bot in (PLAIN,)}
"""All bots by name; the first is the default."""
