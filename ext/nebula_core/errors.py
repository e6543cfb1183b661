"""What the core refuses, and how it says so.

Two kinds, because a caller reacts to them differently: `InvalidInput` is wrong whatever the state of the game
(correct it and ask again), `NotPossibleNow` is a good request at the wrong moment (the game is finished, a chance event
is pending, a card is not known).
"""


class InvalidInput(ValueError):
    """Something handed in breaks a rule. `field` names where (a path such as ``galaxy[1][7]``), `reason` says why."""

    def __init__(self, field: str, reason: str) -> None:
        # Both as arguments of the exception: so it can be pickled, and cross from one process to another.
        super().__init__(field, reason)
        self.field = field
        self.reason = reason

    def __str__(self) -> str:
        """Field and reason, as one line."""
        return f"{self.field}: {self.reason}"


class StateError(InvalidInput):
    """A state, readable or packed, that breaks an invariant or cannot be decoded."""


class EditionError(InvalidInput):
    """An edition file that is not well formed; `field` is the TOML key."""


class MoveError(InvalidInput):
    """A move that is not legal, or a text that names none."""


class ChanceError(InvalidInput):
    """A chance outcome that is not possible, or a text that names none."""


class LimitError(InvalidInput):
    """A limit, budget or seed outside its range."""


class NotPossibleNow(RuntimeError):
    """A good request that the state does not allow. `reason` is a stable word in capitals, the message for people."""

    reason = "NOT_POSSIBLE_NOW"


class GameFinished(NotPossibleNow):
    """The game is over: there are no moves any more."""

    reason = "GAME_FINISHED"


class GameNotFinished(NotPossibleNow):
    """The game is not over: there is no outcome yet."""

    reason = "GAME_NOT_FINISHED"


class ChancePending(NotPossibleNow):
    """A chance event has to be resolved before anybody can decide."""

    reason = "CHANCE_PENDING"


class NoChancePending(NotPossibleNow):
    """A seat has to decide: there is no chance event to resolve."""

    reason = "NO_CHANCE_PENDING"


class CardUnknown(NotPossibleNow):
    """The answer depends on a card that this state does not know."""

    reason = "CARD_UNKNOWN"
