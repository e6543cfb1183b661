"""The native core: states, rules and search. Knows no gRPC, no files, and no clock but its stop rule."""

from nebula_core.build import CHECKED

__all__ = ["CHECKED"]
