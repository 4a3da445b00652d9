"""Fixtures for tests of the audit."""

from tests.datasets.conftest import in_process

__all__ = ["in_process"]
