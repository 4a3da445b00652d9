"""The checks of an audit: a check registers itself under its id when its module is imported."""

from zslcore.leakage.checks import declared, identity, images, split  # noqa: F401 - imported to register their checks
from zslcore.leakage.checks.base import CHECKS, Check, check, run_check

__all__ = ["CHECKS", "Check", "check", "run_check"]
