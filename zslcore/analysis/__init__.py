"""Analyses of runs and data, one module per question."""

__all__: list[str] = []  # import from its modules
