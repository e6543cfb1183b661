"""That the core under test is the one that was asked for."""

import os

import nebula_core


def test_core_is_the_build_that_was_asked_for() -> None:
    asked_for = os.environ.get("NEBULA_CHECKED") == "1"
    assert nebula_core.CHECKED is asked_for
