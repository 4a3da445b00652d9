"""``zslcore explain SCORES... --printed "H 52.8"``: name the reading that gives a printed number.

Every reading that the field is known to use is computed and listed by its distance: gamma 0, chosen
on validation scores or on the test images (oracle), per class or per image, ties, seen classes in
or out, one run or several. A split beside the scores adds the figures without the test images that
it trains on. Several files of scores are runs or checkpoints of one model. Example::

    zslcore explain att_splits.mat scores.npz --printed "H 52.8, u 45.1"

Exit status: 0 when each number is that of a reading, 3 when one is that of none, 2 when a file is
refused.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.leakage.file_kinds import Group
    from zslcore.scores import ScoreMatrix, ScoreReport
    from zslcore.scores.reading import ScoreAnswers


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    text = "scores or predictions of one test set, and perhaps its split with its labels"
    option("files", nargs="+", type=Path, metavar="FILE", help=text)
    text = "what is printed of them, in percent: 'H 52.8, u 45.1'; metrics H, u, s, ZSL, AUSUC"
    option("--printed", required=True, metavar="NUMBERS", help=text)
    option("--unseen", nargs="+", metavar="CLASS", help="unseen classes, as of score")
    option("--labels", type=Path, metavar="FILE", help="labels, where scores have none")
    text = "validation scores, one a fold, to choose gamma"
    option("--validation", nargs="+", default=[], type=Path, metavar="FILE", help=text)
    option("--validation-unseen", nargs="+", metavar="CLASS", help="their unseen classes")
    option("--validation-labels", type=Path, metavar="FILE", help="their labels")
    option("--fix", action="append", default=[], metavar="FIX", help="answer to a question")
    option("--json", action="store_true", help="print everything as JSON")


def run(args: argparse.Namespace) -> object:
    """Read the files and compare every reading with the printed numbers."""
    from zslcore.commands.score import UNKNOWN, OpenQuestionError, understood
    from zslcore.leakage.file_kinds import grouped, recognise
    from zslcore.scores.explain import explain
    from zslcore.scores.printed import read_printed

    printed = read_printed(args.printed)
    if not printed:
        raise ParameterError("--printed: expected a number, as 'H 52.8'; got none.")
    groups = grouped([recognise(path) for path in args.files])
    splits = [group for group in groups if group.main.kind == "split"]
    others = [group for group in groups if group.main.kind not in ("split", "classes")]
    wrong = [g for g in others if g.main.kind not in ("scores", "predictions")]
    if wrong or not others or len(splits) > 1:
        got = ", ".join(f"{group.main.name} ({group.main.kind})" for group in groups)
        raise ParameterError(
            f"explain: expected scores or predictions, and at most one split; got {got}."
        )
    try:
        own = args.validation_labels, args.validation_unseen
        validation = [understood(path, *own, args.fix) for path in args.validation]
        reports = [_judged(group, args, validation) for group in others]
    except OpenQuestionError as question:
        return f"UNKNOWN  {question}", UNKNOWN
    left, first = _without_leaks(splits[0], reports[0]) if splits else (None, False)
    found = explain(reports, printed, left, first_release=first)
    status = 0 if found.explained else UNKNOWN
    return (json.loads(found.to_json()) if args.json else found.as_text()), status


def _judged(
    group: Group, args: argparse.Namespace, validation: Sequence[ScoreMatrix | ScoreAnswers]
) -> ScoreReport:
    from zslcore.commands.score import judged

    labels = args.labels or (group.others[0].path if group.others else None)
    if group.main.kind == "predictions":
        return judged(group.main.path)
    return judged(
        group.main.path,
        validation,
        labels=labels,
        unseen=args.unseen,
        fix=args.fix,
    )


def _without_leaks(group: Group, report: ScoreReport) -> tuple[dict[str, float] | None, bool]:
    """Return u, s and H of images that a split does not train on, and whether it is version 1."""
    from zslcore.leakage import audit_context
    from zslcore.leakage.loading import context_of_split
    from zslcore.leakage.published import published_as
    from zslcore.scores.joined import figures_without_leaks
    from zslcore.storage.artifacts import scratch

    with scratch() as folder:
        images = group.others[0].path if group.others else None
        contents = [file.contents for file in (group.main, *group.others) if file.contents]
        context = context_of_split(group.main.path, images, folder, contents=contents)
        left = figures_without_leaks(report, context, audit_context(context))
        released = published_as(context)
    first = bool(released) and all(split.superseded for split in released)
    return left, first
