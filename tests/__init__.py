"""All tests; the folders mirror the packages."""
