"""What tests of the audit share."""

from tests.datasets.conftest import in_process

__all__ = ["in_process"]
