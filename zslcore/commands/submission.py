"""Write a page on a submission, verdict first, for `zslcore check --page`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.command import Output, option
from zslcore.commands.options import CLASSES, FIX, VALIDATION, stated_choices
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.scores import ScoreReport
    from zslcore.scores.review import Submission


#: Options of the page, in addition to those of a check.
OPTIONS = (
    option("--unseen CLASS...", f"unseen classes of the scores: {CLASSES}"),
    FIX,
    VALIDATION,
    option("--gamma NUMBER", "gamma that the authors state", type=float),
    option(
        "--extractor NAME",
        "feature extractor listed by `zslcore contamination`",
        default="",
    ),
    option("--blind", "leave out file names and paths"),
)


def write_page(args: argparse.Namespace) -> Output:
    """Write the page on a submission; ``args`` has one path per role of a file."""
    from zslcore.scores.review import review, review_html
    from zslcore.storage.files import write_out

    report, scores = review(submission_of(args), blind=args.blind)
    write_out(args.page, review_html(report, scores))
    verdict = f"{report.verdict.upper()}: {report.sentence}"
    return Output(f"{verdict}\n{args.page} written.", None, report.status)


def submission_of(args: argparse.Namespace) -> Submission:
    """Return the submission described by the options."""
    from zslcore.leakage.context import DeclaredProvenance
    from zslcore.scores.printed import read_printed
    from zslcore.scores.review import Submission

    if args.printed and args.scores is None:
        raise ParameterError("--printed: expected scores as well; got none.")
    return Submission(
        files=dict(_files(args)),
        report=_report(args),
        extractor=args.extractor,
        pretraining=tuple(args.pretraining),
        provenance=DeclaredProvenance(**stated_choices(args)),
        printed=read_printed(args.printed or ""),
        command=shlex.join(["zslcore", *args.argv]),
    )


def _files(args: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield every file to read with its role."""
    roles = {"split": args.split, "labels": args.split_labels, "features": args.features}
    roles |= {"scores": args.scores, "labels_of_the_scores": args.labels}
    roles |= {f"validation_{k}": path for k, path in enumerate(args.validation, 1)}
    roles |= {f"unseen_classes_{k}": Path(name) for k, name in enumerate(args.unseen or (), 1)}
    roles |= {f"pretraining_{k}": Path(name) for k, name in enumerate(args.pretraining, 1)}
    for role, path in roles.items():
        # These options accept names, or a file of names.
        named = role.startswith(("unseen", "pretraining"))
        if path is not None and (path.is_file() or not named):
            yield role, path


def _report(args: argparse.Namespace) -> ScoreReport | None:
    from zslcore.commands.score import read_matrix, score_report

    if args.scores is None:
        for name in ("validation", "gamma", "labels", "unseen", "fix"):
            if getattr(args, name) not in (None, []):
                raise ParameterError(f"--{name}: expected scores as well; got none.")
        return None
    validation = [read_matrix(path, None, None, args.fix) for path in args.validation]
    options = {name: getattr(args, name) for name in ("labels", "unseen", "fix", "gamma")}
    return score_report(args.scores, validation, **options)
