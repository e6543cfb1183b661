"""Tests of Via Nebula's rules in the native core."""
