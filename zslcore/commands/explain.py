"""Find the protocol that gives a printed number.

Computes the metrics under every protocol of the field and lists them by distance from the printed
number. Protocols differ in gamma (0, chosen on validation scores, or chosen on the test images: the
oracle), averages (per class or per image), ties, candidate classes (with or without seen classes)
and runs (one, or the mean or best of several). With a split file, metrics are also computed without
the test images that were trained on. Several score files must be runs or checkpoints of one model.
Exit status: 0 if every printed number matches a protocol, 3 if a number matches none or a question
about a file is open, 2 if a file is refused. Example::

    zslcore explain att_splits.mat scores.npz --printed "H 52.8, u 45.1"
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.command import Output, command, option
from zslcore.commands.options import CLASSES, FIX, JSON, LABELS, VALIDATION
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.leakage.file_kinds import Group
    from zslcore.scores import ScoreReport, Scores


@command(
    option(
        "files FILE...",
        "scores or predictions of one test set, and optionally its split with labels",
        type=Path,
    ),
    option(
        "--printed METRICS",
        "printed metrics in percent: 'H 52.8, u 45.1'; H, u, s, ZSL or AUSUC",
        required=True,
    ),
    option("--unseen CLASS...", f"unseen classes: {CLASSES}"),
    LABELS,
    VALIDATION,
    option("--validation-unseen CLASS...", "unseen classes of the validation scores"),
    option("--validation-labels FILE", "labels of the validation scores", type=Path),
    FIX,
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Read the files; compare the metrics under every protocol with the printed numbers."""
    from zslcore.commands.score import UNKNOWN, OpenQuestionError, read_matrix
    from zslcore.leakage.file_kinds import group_files, recognise_file
    from zslcore.scores.explain import explain
    from zslcore.scores.printed import read_printed

    printed = read_printed(args.printed)
    if not printed:
        raise ParameterError("--printed: expected a number, such as 'H 52.8'; got none.")
    groups = group_files([recognise_file(path) for path in args.files])
    splits = [group for group in groups if group.main.kind == "split"]
    score_groups = [group for group in groups if group.main.kind not in ("split", "classes")]
    wrong = [g for g in score_groups if g.main.kind not in ("scores", "predictions")]
    if wrong or not score_groups or len(splits) > 1:
        got = ", ".join(f"{group.main.name} ({group.main.kind})" for group in groups)
        raise ParameterError(
            f"explain: expected scores or predictions, and at most one split; got {got}."
        )
    try:
        validation_options = args.validation_labels, args.validation_unseen
        validation = [read_matrix(path, *validation_options, args.fix) for path in args.validation]
        reports = [_score_report(group, args, validation) for group in score_groups]
    except OpenQuestionError as question:
        return Output(f"UNKNOWN  {question}", None, UNKNOWN)
    clean, first = _without_leaks(splits[0], reports[0]) if splits else (None, False)
    result = explain(reports, printed, clean, first_release=first)
    return Output(
        result.as_text, lambda: json.loads(result.to_json()), 0 if result.is_explained else UNKNOWN
    )


def _score_report(
    group: Group, args: argparse.Namespace, validation: Sequence[Scores]
) -> ScoreReport:
    from zslcore.commands.score import score_report

    labels = args.labels or (group.companions[0].path if group.companions else None)
    if group.main.kind == "predictions":
        return score_report(group.main.path)
    return score_report(
        group.main.path, validation, labels=labels, unseen=args.unseen, fix=args.fix
    )


def _without_leaks(group: Group, report: ScoreReport) -> tuple[dict[str, float] | None, bool]:
    """Return u, s and H without test images in training, and whether the split is superseded."""
    from zslcore.leakage import audit_context
    from zslcore.leakage.file_kinds import context_of_group
    from zslcore.leakage.published import find_published_splits
    from zslcore.scores.joined import metrics_without_leaks
    from zslcore.storage.artifacts import scratch

    with scratch() as folder:
        context = context_of_group(group, folder)
        clean = metrics_without_leaks(report, context, audit_context(context))
        released = find_published_splits(context)
    first = bool(released) and all(split.superseded for split in released)
    return clean, first
