"""Analyses of runs and data: one question, one file."""

__all__: list[str] = []  # its files are what to import
