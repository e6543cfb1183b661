"""Tests of Nebula around its core: editions, readable states, notation, boards."""
