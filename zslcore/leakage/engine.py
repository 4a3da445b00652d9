"""Audit: build the context, run the checks, record sources and assumptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from os import PathLike
from typing import Any

from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.imports import pretraining_of
from zslcore.leakage.checks import CHECKS, run_check
from zslcore.leakage.context import AuditContext, Decisions, DeclaredProvenance, Thresholds
from zslcore.leakage.correction import CorrectedSplit, Policy, correct_context
from zslcore.leakage.counts import compare_splits
from zslcore.leakage.loading import FeatureSource, Labels, Subject, context_of, vocabulary_of
from zslcore.leakage.photographs import GroupSource
from zslcore.leakage.report import Finding, Report, SplitComparison
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.storage import artifacts
from zslcore.version import version


def audit(
    subject: Subject,
    *,
    split: str | None = None,
    labels: Labels | None = None,
    features: FeatureSource | None = None,
    groups: GroupSource | None = None,
    group_pattern: str | None = None,
    pretraining: Sequence[Vocabulary | str | PathLike[str]] | None = None,
    decisions: Decisions | None = None,
    thresholds: Thresholds | None = None,
    provenance: DeclaredProvenance | None = None,
    runs: Sequence[Any] = (),
    accuracies: Mapping[str, Mapping[int, float]] | None = None,
    against: Subject | None = None,
    on_progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Check a zero-shot split for all known kinds of leaks.

    Parameters
    ----------
    subject : ZSLDataset, Split, split file (.mat, .npz, .json), folder in the xlsa17 layout, or a
        split by names (:mod:`zslcore.datasets.split_lists`)
    split : name of a split of the data set; by default "PS", or else the first split
    labels : int array of shape (n_samples,), 0-based, or file with 1-based ``labels``
        For a split or file; by default read from the file or from a file next to it.
    features : array of shape (n_samples, n_features) or file with ``features``
    groups : one number or name per row, or file with them
        Photograph, video or picture of each row; by default taken from ``image_files`` in the
        files, if present.
    group_pattern : regular expression
        Its first group matches the photograph in the name of an image file.
    pretraining : sequence of names such as "imagenet-1k", text files, or Vocabulary objects
        Pre-training sets of the feature extractor; by default the sets declared by the data set, or
        returned by :func:`zslcore.datasets.imports.pretraining_of` for its features.
    decisions : mapping vocabulary -> test class -> "confirmed" or "rejected"
    thresholds : limits of the checks
    provenance : how the author chose parameters and made the class embeddings, as declared
    runs : sequence of RunResult, for the effect of overlaps and the gain with oracle parameters
    accuracies : mapping method -> {class: accuracy among unseen classes}, in place of runs or in
        addition to them
    against : another split, file or folder of the same rows, to compare with
    on_progress : called with (done, total) after every check

    Returns
    -------
    Report
        Every check has at least one finding, even if it passed or could not run.

    Raises
    ------
    FileRefusedError, DatasetError, UnknownNameError
        If the subject cannot be read; faults *of the split* are findings.

    Examples
    --------
    >>> from zslcore.datasets import load
    >>> report = audit(load("digits"))
    >>> report.mark("ZSL003")
    'ok'
    """
    if pretraining is None:
        pretraining = pretraining_of(subject) if isinstance(subject, ZSLDataset) else ()
    fields = {
        "vocabularies": tuple(vocabulary_of(name) for name in pretraining),
        "decisions": decisions or {},
        "thresholds": thresholds or Thresholds(),
        "provenance": provenance or DeclaredProvenance(),
        "runs": tuple(runs),
        "accuracies": accuracies or {},
    }
    sources = {"split": split, "labels": labels, "features": features}
    group_options = {"groups": groups, "group_pattern": group_pattern}
    with _open_context(subject, **sources, **group_options, **fields) as context:
        report = audit_context(context, on_progress)
        return report if against is None else replace(report, comparison=_compare(context, against))


def _compare(context: AuditContext, against: Subject) -> SplitComparison:
    with _open_context(against) as other_context:
        return compare_splits(context, other_context)


def audit_context(
    context: AuditContext, on_progress: Callable[[int, int], None] | None = None
) -> Report:
    """Run every check on a context that is already built."""
    findings: list[Finding] = []
    for n_done, check in enumerate(CHECKS, start=1):
        findings += run_check(check, context)
        if on_progress:
            on_progress(n_done, len(CHECKS))
    read_as = {
        **context.facts,
        **({"read as": _read_as(context)} if context.reading else {}),
        **({"photographs": context.photographs.source} if context.photographs else {}),
        "pre-training vocabularies": [v.name for v in context.vocabularies],
        "thresholds": asdict(context.thresholds),
        "row numbers": "0-based",
        "zslcore": version(),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
    }
    return Report(context.name, context.split_name, tuple(findings), read_as)


def _read_as(context: AuditContext) -> str:
    """Describe the source of the parts and the numbering of their rows."""
    reading = context.reading.sentence if context.reading else ""
    return "; ".join(filter(None, [context.facts.get("read as", ""), reading]))


def audit_again(report: Report, context: AuditContext, ids: Sequence[str]) -> Report:
    """Run the checks ``ids`` again, for example after a person's decision; keep other findings.

    The context must have the rows and features of the report.
    """
    findings: list[Finding] = []
    for check in CHECKS:
        findings += run_check(check, context) if check.id in ids else report.of(check.id)
    names = [vocabulary.name for vocabulary in context.vocabularies]
    read_as = {**report.read_as, "pre-training vocabularies": names}
    return replace(report, findings=tuple(findings), read_as=read_as)


def corrected_split(
    subject: Subject,
    *,
    policy: Policy = "test first",
    split: str | None = None,
    labels: Labels | None = None,
    features: FeatureSource | None = None,
    groups: GroupSource | None = None,
    group_pattern: str | None = None,
    thresholds: Thresholds | None = None,
) -> CorrectedSplit:
    """Remove the rows and classes that are in both training and test; see :func:`audit`."""
    with _open_context(
        subject,
        split=split,
        labels=labels,
        features=features,
        groups=groups,
        group_pattern=group_pattern,
        thresholds=thresholds or Thresholds(),
    ) as context:
        return correct_context(context, policy)


@contextmanager
def _open_context(subject: Subject, **fields: Any) -> Iterator[AuditContext]:
    """Build the context; delete features read from a file when the context manager exits."""
    with artifacts.scratch() as folder:
        yield context_of(subject, into=folder, **fields)
