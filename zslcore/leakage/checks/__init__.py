"""The checks of an audit: a check registers itself under its id when its module is imported."""

from zslcore.leakage.checks import (  # noqa: F401 - imported to register their checks
    declared,
    identity,
    images,
    split,
)
from zslcore.leakage.checks.base import CHECKS, Check, check, run_check

__all__ = ["CHECKS", "Check", "check", "run_check"]
