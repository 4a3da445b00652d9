"""Analyses of runs and data: one question, one file."""
