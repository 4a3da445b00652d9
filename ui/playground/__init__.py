"""Playground: predictions, rulers, instrument and drawer."""
