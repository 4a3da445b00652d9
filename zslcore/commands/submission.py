"""Write a page on a submission, verdict first, for `zslcore check --page`."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.command import Output, option
from zslcore.commands.options import CLASSES, FIX, VALIDATION, stated_choices
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.leakage.file_kinds import Group
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


def write_page(args: argparse.Namespace, groups: Sequence[Group]) -> Output:
    """Write the page on a submission of at most one split and one score file."""
    from zslcore.scores.review import review, review_html
    from zslcore.storage.files import write_out

    report, scores = review(submission_of(args, groups), blind=args.blind)
    write_out(args.page, review_html(report, scores))
    verdict = f"{report.verdict.upper()}: {report.sentence}"
    return Output(f"{verdict}\n{args.page} written.", None, report.status)


def submission_of(args: argparse.Namespace, groups: Sequence[Group]) -> Submission:
    """Return the submission of these files and options."""
    from zslcore.leakage.context import DeclaredProvenance
    from zslcore.scores.printed import read_printed
    from zslcore.scores.review import Submission

    files = _main_files(groups, labels=args.labels, features=args.features)
    return Submission(
        files=dict(_all_files(args, files)),
        report=_report(args, files),
        extractor=args.extractor,
        pretraining=tuple(args.pretraining or ()),
        provenance=DeclaredProvenance(**stated_choices(args)),
        printed=read_printed(args.printed or ""),
        command=shlex.join(["zslcore", *args.argv]),
    )


def _main_files(groups: Sequence[Group], **of_split: str | None) -> dict[str, Path]:
    """Return the files of the split and of the scores by role; ``of_split`` replace companions."""
    files: dict[str, Path] = {}
    for group in groups:
        role = "split" if group.main.kind == "split" else "scores"
        if group.main.kind not in ("split", "scores", "predictions") or role in files:
            got = f"got {group.main.name} as well"
            raise ParameterError(f"--page: expected one split, one score file or both; {got}.")
        files[role] = group.main.path
        of_scores = "_of_the_scores" if role == "scores" else ""
        files |= {f"{file.kind}{of_scores}": file.path for file in group.companions}
    return {name: Path(path) for name, path in of_split.items() if path} | files


def _all_files(args: argparse.Namespace, files: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Yield every file to read with its role, also files in options that accept names."""
    yield from files.items()
    yield from ((f"validation_{k}", path) for k, path in enumerate(args.validation, 1))
    for role, names in (("unseen_classes", args.unseen), ("pretraining", args.pretraining)):
        paths = enumerate(map(Path, names or ()), 1)
        yield from ((f"{role}_{k}", path) for k, path in paths if path.is_file())


def _report(args: argparse.Namespace, files: Mapping[str, Path]) -> ScoreReport | None:
    from zslcore.commands.score import read_matrix, score_report

    if "scores" not in files:
        for name in ("validation", "gamma", "unseen", "fix"):
            if getattr(args, name) not in (None, []):
                raise ParameterError(f"--{name}: expected scores as well; got none.")
        return None
    validation = [read_matrix(path, None, None, args.fix) for path in args.validation]
    options = {name: getattr(args, name) for name in ("unseen", "fix", "gamma")}
    labels = files.get("labels_of_the_scores")
    return score_report(files["scores"], validation, labels=labels, **options)
