"""The checks of an audit: a check registers itself under its id when its module is imported."""

# ruff: noqa: F401 - modules are imported to register their checks
import zslcore.leakage.checks.declared
import zslcore.leakage.checks.identity
import zslcore.leakage.checks.images
import zslcore.leakage.checks.split
from zslcore.leakage.checks.base import CHECKS, Check, check, run_check

__all__ = ["CHECKS", "Check", "check", "run_check"]
