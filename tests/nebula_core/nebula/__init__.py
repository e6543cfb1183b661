"""Tests of the rules of Nebula."""
