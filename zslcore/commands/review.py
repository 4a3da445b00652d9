"""``zslcore review``: one page for a reviewer of a submission, verdict first.

It audits the split, asks the contamination map about the feature extractor, computes every figure
of the scores with intervals, and draws the curve.
Exit status: 0 when nothing leaks, 1 when something does, 2 when a file is refused, with one
sentence on the error output, 3 when the files leave it open.
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.options import add_choices, add_submission, file_to_write, stated_choices
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.scores import ScoreReport
    from zslcore.scores.review import Submission


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("--split", type=Path, metavar="FILE", help="split file (.mat, .npz, .h5, .json)")
    option("--split-labels", type=Path, metavar="FILE", help="its labels, if not next to it")
    option("--features", type=Path, metavar="FILE", help="its features, to compare images")
    option("--scores", type=Path, metavar="FILE", help="scores or predictions of the test images")
    option("--labels", type=Path, metavar="FILE", help="labels, where the scores have none")
    add_submission(parser)
    option("--printed", metavar="FIGURES", help="figures that the paper prints, as 'H 49.8'")
    text = "set or text file that an extractor not listed was trained on"
    option("--pretraining", action="append", default=[], metavar="NAME", help=text)
    add_choices(parser)
    option("--output", type=file_to_write, metavar="FILE", help="write the page, review.html")


def run(args: argparse.Namespace) -> int:
    """Review under the former name."""
    from zslcore.commands.audit import say_former_name

    say_former_name("review")
    return run_review(args)


def run_review(args: argparse.Namespace) -> int:
    """Review, print, write; return the exit status."""
    from zslcore.leakage.render import to_text
    from zslcore.scores.review import review, to_html
    from zslcore.storage.files import write_out

    if args.split is None and args.scores is None:
        raise ParameterError("review: expected --split, --scores or both; got neither.")
    found, scores = review(submission_of(args), blind=args.blind)
    if args.output:
        write_out(args.output, to_html(found, scores))
        print(f"{found.verdict.upper()}: {found.sentence}\n{args.output} written.")
    else:
        print(to_text(found), end="")
    return found.status


def submission_of(args: argparse.Namespace) -> Submission:
    """Return what the options say of a submission."""
    from zslcore.leakage.context import Provenance
    from zslcore.scores.printed import read_printed
    from zslcore.scores.review import Submission

    if args.printed and args.scores is None:
        raise ParameterError("--printed: expected scores with it; got none.")
    if args.split is not None and args.split.is_dir():
        raise ParameterError("--split: expected a file; got a folder.")
    return Submission(
        files=dict(_files(args)),
        report=_report(args),
        extractor=args.extractor,
        pretraining=tuple(args.pretraining),
        provenance=Provenance(**stated_choices(args)),
        printed=read_printed(args.printed or ""),
        command=shlex.join(["zslcore", *args.argv]),
    )


def _files(args: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield every file that is read, by its role."""
    given = {"split": args.split, "labels": args.split_labels, "features": args.features}
    given |= {"scores": args.scores, "labels_of_the_scores": args.labels}
    given |= {f"validation_{k}": path for k, path in enumerate(args.validation, 1)}
    given |= {f"unseen_classes_{k}": Path(name) for k, name in enumerate(args.unseen or (), 1)}
    given |= {f"pretraining_{k}": Path(name) for k, name in enumerate(args.pretraining, 1)}
    for role, path in given.items():
        named = role.startswith(("unseen", "pretraining"))  # these may be names, too
        if path is not None and (path.is_file() or not named):
            yield role, path


def _report(args: argparse.Namespace) -> ScoreReport | None:
    from zslcore.commands.score import judged, understood

    if args.scores is None:
        for option in ("validation", "gamma", "labels", "unseen", "fix"):
            if getattr(args, option) not in (None, []):
                raise ParameterError(f"--{option}: expected --scores with it; got none.")
        return None
    validation = [understood(path, None, None, args.fix) for path in args.validation]
    given = {name: getattr(args, name) for name in ("labels", "unseen", "fix", "gamma")}
    return judged(args.scores, validation, **given)
