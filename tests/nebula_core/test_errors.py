"""What is refused says so wherever it arrives."""

import pickle

import pytest

from nebula_core import errors


@pytest.mark.parametrize(
    "error",
    [
        errors.StateError("galaxy[1][7]", "is taken"),
        errors.LimitError("seed", "is negative"),
        errors.GameFinished("over"),
    ],
)
def test_an_error_crosses_from_one_process_to_another(error: Exception) -> None:
    arrived = pickle.loads(pickle.dumps(error))
    assert type(arrived) is type(error)
    assert str(arrived) == str(error)
    assert vars(arrived) == vars(error)


def test_a_refusal_reads_as_field_and_reason() -> None:
    assert str(errors.MoveError("move", "is not legal")) == "move: is not legal"
