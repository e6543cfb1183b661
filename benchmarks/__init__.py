"""Measurements against peers and against ourselves; never tests, and imported by nothing else."""
