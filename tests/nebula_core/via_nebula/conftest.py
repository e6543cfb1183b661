"""What the tests of Via Nebula's rules share."""

from pathlib import Path

import pytest

from tests.nebula_core.via_nebula.positions import Make, Table
from tests.toml_file import write


@pytest.fixture(scope="session")
def table() -> Table:
    """The standard edition."""
    return Table()


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """From a parsed edition file to the edition."""
    return lambda edition: Table(write(edition, tmp_path / "edition.toml"))
