"""Playground: its answers, instrument and drawer."""
