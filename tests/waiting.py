"""Waiting for what other tasks, threads and processes do."""

import asyncio
from collections.abc import Callable

PATIENCE = 30
"""Seconds until a test gives up waiting for what should happen at once."""


async def until(condition: Callable[[], bool]) -> None:
    """Wait until something is so."""
    async with asyncio.timeout(PATIENCE):
        while not condition():
            await asyncio.sleep(0.001)
