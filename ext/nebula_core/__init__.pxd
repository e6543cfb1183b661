# The native core.
