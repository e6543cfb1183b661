"""What tests of several packages share: the seed of all that is random, printed to repeat the run by; and a server."""

import secrets
import signal
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from tests.serving import served

# No test fails for being slow: the checked build is, by much.
settings.register_profile("default", deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config: pytest.Config) -> None:
    """Choose a seed unless one is given; before Hypothesis reads it."""
    # Who starts the tests in the background may have switched Ctrl-C off for them and all processes that they start.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.option.hypothesis_seed is None:
        config.option.hypothesis_seed = str(secrets.randbelow(2**32))


def pytest_report_header(config: pytest.Config) -> str:
    """The line that says how to repeat the run."""
    return f"seed: repeat with --hypothesis-seed={config.option.hypothesis_seed}"


@pytest.fixture(scope="session")
def seed(pytestconfig: pytest.Config) -> int:
    """The run's seed, for tests that draw random numbers of their own."""
    return int(pytestconfig.option.hypothesis_seed)


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    """The address of a server, started as a reader would, but on a free port."""
    with served() as (_, address, _):
        yield address
