"""Compute every metric of score matrices or predictions, under every protocol.

A file has scores (N x C), the class of every image and the unseen classes. The unseen classes may
be missing if the labels identify the test set of a benchmark. gamma is given or chosen on
validation scores, or else the best one on the test images is printed as an upper bound (oracle).
With one predicted class per image (columns y_true, y_pred), the metrics are u, s and H at gamma 0.
A Parquet file of predictions states its classes and how gamma was chosen, and is checked. Exit
status: 0 without a finding; 1 if gamma was chosen on test images; 2 if a file is refused; 3 if a
question about a file is open (the output names the option that answers it), or if the scores are
not comparable with GZSL. Example::

    zslcore score scores.npz --validation fold1.npz fold2.npz
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.command import Output, command, option, worst_status
from zslcore.commands.options import (
    CLASSES,
    JSON,
    LABELS,
    VALIDATION,
    file_to_write,
    parquet_to_write,
    seed,
)
from zslcore.exceptions import DatasetError, ParameterError

if TYPE_CHECKING:
    from zslcore.scores import Question, ScoreReport, Scores
    from zslcore.scores.paired import Pair
    from zslcore.scores.protocols import Words


#: Exit status for an open question or an unknown verdict.
UNKNOWN = 3


class OpenQuestionError(DatasetError):
    """Error for a file with several meanings; the message names the option that decides."""

    def __init__(self, question: Question, option: str) -> None:
        no = "" if question.open else f"; if not: {option} as-is"
        text = f"{question.sentence} If so: {option} {question.fix}{no}."
        super().__init__(text.replace("γ", "gamma"))
        self.sentence, self.fix = question.sentence, question.fix


@command(
    option(
        "files FILE...",
        "scores or predictions, with files of their labels and unseen classes, in any order; or a "
        "folder with one array per file",
        type=Path,
    ),
    option("--unseen CLASS...", f"{CLASSES}; 'all' if the model was trained on no class"),
    LABELS,
    option(
        "--unseen-scores FILE",
        "scores of unseen classes, or of their images, if FILE lacks them",
        type=Path,
    ),
    VALIDATION,
    option("--validation-unseen CLASS...", "unseen classes of the validation scores"),
    option(
        "--validation-fix FIX",
        "answer to a question about the validation scores (as --fix)",
        action="append",
    ),
    option("--validation-labels FILE", "labels of the validation scores", type=Path),
    option("--data NAME", "data set of the scored rows, in the order of `zslcore folds`"),
    option("--split NAME", "with --data: name of the split (PS, or the only one)"),
    option("--seed N", "with --data: seed of folds (0)", type=seed, default=0),
    option("--gamma NUMBER", "gamma of calibrated stacking; its choice is not checked", type=float),
    option(
        "--fix FIX",
        "answer to a question: transposed, labels-from-1, unused-column, distances, "
        "seen-first, unseen-first, unused-last-column, seen-listed, within-sides, unnamed, "
        "same-class, all-unseen, or as-is",
        action="append",
        default=[],
    ),
    option(
        "--words WORDS",
        "words for the two sides: seen-unseen, base-new or known-unknown",
        default="seen-unseen",
    ),
    option("--intervals", "95 %% intervals of every metric, over classes and over images"),
    option("--compare", "differences of every additional FILE from the first, on the same images"),
    option("--predictions OUT", "write the predictions of FILE", type=parquet_to_write),
    option("--html OUT", "write the curves of all FILEs as one page", type=file_to_write),
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Read every file and compute its metrics."""
    from zslcore.scores.protocols import words_of
    from zslcore.untrusted.client import refuse_changes

    words = words_of(args.words)
    companions = (args.labels, args.unseen_scores, args.validation_labels)
    try:
        with refuse_changes([*args.files, *args.validation, *filter(None, companions)]):
            return _score_files(args, words)
    except OpenQuestionError as question:
        return Output(
            f"UNKNOWN  {question}",
            {"verdict": "unknown", "question": question.sentence, "fix": question.fix},
            UNKNOWN,
        )


def _score_files(args: argparse.Namespace, words: Words) -> Output:
    """Return the reports of the files; raise OpenQuestionError for an open question."""
    from zslcore.leakage.report import STATUS

    if len(args.files) > 1 and args.labels is None and args.unseen is None:
        _divide_files(args)
    if args.compare and len(args.files) < 2:
        raise ParameterError("--compare: expected at least two FILEs; got one.")
    for name in ("predictions", "data", "unseen_scores"):
        if getattr(args, name) is not None and len(args.files) > 1:
            raise ParameterError(
                f"--{name.replace('_', '-')}: expected one FILE; got {len(args.files)}."
            )
    # Folds have their own labels and unseen classes; but --fix usually holds for all files, since
    # one program wrote them.
    validation_options = args.validation_labels, args.validation_unseen
    fixes = args.fix if args.validation_fix is None else args.validation_fix
    validation = [
        read_matrix(p, *validation_options, fixes, "--validation-fix") for p in args.validation
    ]
    names = ("labels", "unseen", "unseen_scores", "fix", "gamma", "data", "split", "seed")
    options = {name: getattr(args, name) for name in names}
    reports = [score_report(path, validation, **options) for path in args.files]
    if args.predictions is not None:
        from zslcore.evaluation.predictions_file import write_predictions
        from zslcore.scores.judging import predictions_of_scores

        write_predictions(args.predictions, predictions_of_scores(reports[0]))
    pairs = [compare_reports(reports[0], report) for report in reports[1:]] if args.compare else []
    embed = "" if args.html is None else write_page(reports, args.html, words)

    def text() -> str:
        parts = [pair.as_text(words) for pair in pairs]  # printed before the reports
        parts += [report.as_text(words, with_intervals=args.intervals) for report in reports]
        if embed:
            parts.append(f"{args.html} written. To embed it in a page in the same folder:\n{embed}")
        return "\n\n".join(parts)

    def values() -> object:
        parts = [json.loads(r.to_json(with_intervals=args.intervals)) for r in reports]
        parts += [json.loads(pair.to_json()) for pair in pairs]
        return parts[0] if len(parts) == 1 else parts

    return Output(text, values, worst_status(STATUS[report.verdict] for report in reports))


def _divide_files(args: argparse.Namespace) -> None:
    """Move a file of labels and a list of unseen classes from the files to their options."""
    from zslcore.scores.companions import files_of_models

    divided, files = files_of_models(args.files), args.files
    args.files = [files[k] for k in divided.scores]
    if divided.labels is not None:
        args.labels = files[divided.labels].resolve()
    if divided.unseen is not None:
        args.unseen = [str(files[divided.unseen].resolve())]


def write_page(reports: Sequence[ScoreReport], path: Path, words: Words) -> str:
    """Write the curves of reports as one HTML file; return the line that embeds it."""
    from zslcore.interactive.one_file import frame_line
    from zslcore.storage.files import write_out

    first, *more_reports = reports
    write_out(path, first.page(more_reports=more_reports, words=words))
    return frame_line(path.name, f"{words.name.capitalize()} curve of {first.matrix.name}")


def compare_reports(first: ScoreReport, second: ScoreReport) -> Pair:
    """Compare two reports on the same images, each at its chosen gamma."""
    from zslcore.scores.paired import compare_scores

    gammas = first.reportable_gamma, second.reportable_gamma
    return compare_scores(first.matrix, second.matrix, gammas)


def score_report(
    path: Path,
    validation: Sequence[Scores] = (),
    *,
    labels: Path | None = None,
    unseen: list[str] | None = None,
    unseen_scores: Path | None = None,
    fix: Sequence[str] = (),
    gamma: float | None = None,
    data: str | None = None,
    split: str | None = None,
    seed: int = 0,
) -> ScoreReport:
    """Return the report of one score file or predictions file."""
    from zslcore.datasets import load
    from zslcore.evaluation.predictions_file import is_predictions
    from zslcore.scores import judge
    from zslcore.scores.fold_scores import match_folds
    from zslcore.scores.judging import judge_predicted
    from zslcore.scores.predicted import read_predicted

    if path.is_file() and is_predictions(path):
        options = {"labels": labels, "unseen": unseen, "validation": list(validation) or None}
        for name, value in (options | {"gamma": gamma, "data": data}).items():
            if value is not None:
                raise ParameterError(
                    f"--{name}: expected a score file; got predictions, {path.name}."
                )
        return judge_predicted(read_predicted(path))
    matrix = read_matrix(path, labels, unseen, fix, unseen_scores=unseen_scores)
    report = judge(matrix, gamma=gamma, validation=validation)
    if data is None:
        return report
    dataset = load(data)
    return match_folds(report, dataset, dataset.split(split), seed)


def read_matrix(
    path: Path,
    labels: Path | None,
    unseen: list[str] | None,
    fixes: Sequence[str],
    option: str = "--fix",
    *,
    unseen_scores: Path | None = None,
) -> Scores:
    """Return the scores of a file; raise OpenQuestionError for an open question."""
    from zslcore.datasets.split_folders import read_classes
    from zslcore.scores import interpret
    from zslcore.scores.reading import read_scores
    from zslcore.storage.files import path_of

    file = read_scores(
        path,
        labels=None if labels is None else path_of(labels, path.parent),
        unseen=None if unseen is None else read_classes(unseen, path.parent),
        unseen_scores=None if unseen_scores is None else path_of(unseen_scores, path.parent),
    )
    matrix, questions = interpret(file, fixes)
    if matrix is None:
        raise OpenQuestionError(questions[0], option)
    return matrix
