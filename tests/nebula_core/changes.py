"""States as fields, changed a little so that they break a rule, and the refusal that this must bring. For any game."""

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import pytest

from nebula_core.errors import StateError
from nebula_core.face import State

Change: TypeAlias = Callable[[Any], object]
"""Changes fields in place."""


class FieldRules(Protocol):
    """Rules of any game, whose states are made from fields."""

    def from_fields(self, fields: Any) -> State:
        """The state with these fields."""

    def fields(self, state: State) -> Any:
        """The fields of a state."""


def set_at(*path: Any) -> Change:
    """A change that sets the value at a path; the value comes last."""

    def change(fields: Any) -> None:
        *way, key, value = path
        for step in way:
            fields = fields[step]
        fields[key] = value

    return change


def add_at(*path: Any) -> Change:
    """A change that adds to the number at a path; what it adds comes last."""

    def change(fields: Any) -> None:
        *way, key, number = path
        for step in way:
            fields = fields[step]
        fields[key] += number

    return change


def all_of(*changes: Change) -> Change:
    """Several changes in one."""
    return lambda fields: [change(fields) for change in changes]


def refused(rules: FieldRules, fields: Any, field: str, reason: str) -> None:
    """Fail unless a state with these fields is refused for this field and a reason with these words in it."""
    with pytest.raises(StateError) as error:
        rules.from_fields(fields)
    assert error.value.field == field, str(error.value)
    assert reason in error.value.reason
