"""Audit of a zero-shot split: leaks, their size, and a corrected split.

>>> from zslcore.leakage import audit                       # doctest: +SKIP
>>> report = audit("att_splits.mat", pretraining=["imagenet-1k"])      # doctest: +SKIP
>>> print(report.headline)                                  # doctest: +SKIP
"""

from zslcore.leakage.checks import CHECKS, Check
from zslcore.leakage.context import AuditContext, Decisions, DeclaredProvenance, Thresholds
from zslcore.leakage.correction import POLICIES, CorrectedSplit, correct_context
from zslcore.leakage.counts import compare_splits
from zslcore.leakage.engine import audit, audit_again, audit_context, corrected_split
from zslcore.leakage.matching import Match, match_names
from zslcore.leakage.render import FORMATS, render
from zslcore.leakage.report import MARKS, Evidence, Finding, Mark, Report, SplitComparison, Verdict
from zslcore.leakage.vocabularies import (
    PRETRAINING_NAMES,
    VOCABULARY_NAMES,
    Entry,
    Vocabulary,
    get_vocabulary,
    read_vocabulary,
)
from zslcore.names import dictionary_form

__all__ = [
    "CHECKS",
    "FORMATS",
    "MARKS",
    "POLICIES",
    "PRETRAINING_NAMES",
    "VOCABULARY_NAMES",
    "AuditContext",
    "Check",
    "CorrectedSplit",
    "Decisions",
    "DeclaredProvenance",
    "Entry",
    "Evidence",
    "Finding",
    "Mark",
    "Match",
    "Report",
    "SplitComparison",
    "Thresholds",
    "Verdict",
    "Vocabulary",
    "audit",
    "audit_again",
    "audit_context",
    "compare_splits",
    "correct_context",
    "corrected_split",
    "dictionary_form",
    "get_vocabulary",
    "match_names",
    "read_vocabulary",
    "render",
]
