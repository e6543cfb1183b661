"""Tests of what each game has around its core."""
