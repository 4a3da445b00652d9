"""Analyses of runs and data, one module per question."""

__all__: list[str] = []  # public names are in its modules
