"""Every conformance test runs on every game, variant and number of players."""

import pytest

from nebula_core.face import State
from tests.conformance.cases import CASES, Case


@pytest.fixture(scope="session", params=CASES, ids=str)
def case(request: pytest.FixtureRequest) -> Case:
    """One game, one variant, one number of players."""
    assert isinstance(request.param, Case)
    return request.param


@pytest.fixture(scope="session")
def decisions(case: Case, seed: int) -> list[State]:
    """The states of one random game in which a seat has to decide."""
    return case.decisions(seed)
