"""What the tests of Nebula's rules share."""

import pytest

from tests.nebula_core.nebula.positions import Table


@pytest.fixture(scope="session")
def table() -> Table:
    """The standard edition."""
    return Table()
