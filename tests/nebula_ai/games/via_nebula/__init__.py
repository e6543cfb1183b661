"""Tests of Via Nebula around its core."""
