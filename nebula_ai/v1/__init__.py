"""Generated from proto/nebula_ai/v1 by `make proto`; not edited by hand."""
