"""Fixtures for tests of untrusted files."""

from tests.datasets.conftest import in_process, own_data

__all__ = ["in_process", "own_data"]
