"""Hostile files: generators, and the properties of every reader.

The suite tries a few files of each kind; ``ZSL_HOSTILE=1000 python -m pytest tests/hostile`` tries
a thousand.
"""
