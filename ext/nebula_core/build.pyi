"""How this core was built."""

from typing import Final

CHECKED: Final[bool]
"""Whether this is the checked build: bounds checks, asserts, address and undefined-behaviour sanitisers."""
