"""What every game of the project has to keep: the same tests for all of them."""
