"""The named bots: which parameters and limits each of them searches with. Knows no game."""

from dataclasses import dataclass, replace

from nebula_ai.errors import InvalidInput, unknown_word
from nebula_ai.search import Limits, Result, search
from nebula_core.face import State
from nebula_core.search.tree import CancelFlag, Parameters


@dataclass(frozen=True, slots=True)
class Bot:
    """An opponent. Without a time limit its answer depends on nothing but state, seed and number of workers."""

    name: str
    """Empty for one that searches with limits that somebody gave."""
    description: str
    """For people, in a sentence."""
    parameters: Parameters
    limits: Limits
    decided: bool = True
    """Whether it ends as soon as the rest of its limits cannot change the move; see `search`."""

    def move(self, state: State, *, seed: int = 0, workers: int = 1, cancel: CancelFlag | None = None) -> Result:
        """Its move for the seat that has to decide, with its analysis; arguments and errors are those of `search`."""
        return search(
            state,
            self.limits,
            seed=seed,
            workers=workers,
            parameters=self.parameters,
            cancel=cancel,
            decided=self.decided,
        )


PLAIN = Bot(
    name="plain",
    description="Tree search with random playouts and default parameters: what every other bot is measured against.",
    parameters=Parameters(),
    limits=Limits(simulations=1000),
)

BOTS = {bot.name: bot for bot in (PLAIN,)}
"""All bots by name."""

DEFAULT_BOT = PLAIN.name


def chosen(name: str | None, limits: Limits | None = None, decided: bool = True) -> Bot:
    """The bot that is asked: the one of this name, with limits of its own, or for no name the default one.

    In place of the limits of the default one there may be others, and another `decided`. Raises InvalidInput (field
    ``bot``) for a name that there is not.
    """
    if name and name not in BOTS:
        raise InvalidInput("bot", unknown_word(name, BOTS))
    bot = BOTS[name or DEFAULT_BOT]
    return bot if name or limits is None else replace(bot, name="", limits=limits, decided=decided)
