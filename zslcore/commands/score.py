"""``zslcore score FILE...``: a score matrix, or predictions, under every protocol.

A file holds scores (N x C), the class of every image and, unless the test set is recognised by its
labels, the unseen classes. gamma is given, or chosen on validation scores; without either, what is
best on the test images is printed as an oracle, which is no result. One predicted class an image,
``y_true,y_pred``, gives u, s and H at gamma 0. A Parquet file of predictions states all of this
itself, and is checked; ``--predictions`` writes one. Exit status: 0, 1
when gamma was chosen on test images, 2 when a file is refused, 3 when a question on it is open,
which the text states with the option that answers it, or its scores are not comparable with GZSL.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.options import file_to_write, parquet_to_write, seed
from zslcore.exceptions import DatasetError, ParameterError

if TYPE_CHECKING:
    from zslcore.scores import Question, ScoreMatrix, ScoreReport
    from zslcore.scores.paired import Pair
    from zslcore.scores.protocols import Words
    from zslcore.scores.reading import ScoreAnswers


#: Exit status while a question on a file is open, and by the verdict on a file.
UNKNOWN = 3
STATUS = {"leaks": 1, "unknown": UNKNOWN, "clean": 0}


class OpenQuestionError(DatasetError):
    """A file has more than one meaning; the sentence names the option that answers it."""

    def __init__(self, question: Question, option: str) -> None:
        no = "" if question.open else f", if not: {option} as-is"
        super().__init__(f"{question.said} If so: {option} {question.fix}{no}.")
        self.said, self.fix = question.said, question.fix


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("files", nargs="+", type=Path, metavar="FILE", help="npz, npy, csv, parquet, mat, h5")
    text = "names or numbers, a file of them, or all: no class was trained on"
    option("--unseen", nargs="+", metavar="CLASS", help=text)
    option("--labels", type=Path, metavar="FILE", help="labels, where FILE has none")
    text = "scores of unseen classes, where FILE has the columns of seen classes alone"
    option("--unseen-scores", type=Path, metavar="FILE", help=text)
    text = "scores of other images and classes, one a fold, to choose gamma"
    option("--validation", nargs="+", default=[], type=Path, metavar="FILE", help=text)
    option("--validation-unseen", nargs="+", metavar="CLASS", help="its unseen classes, likewise")
    text = "answer to a question about it (those of --fix)"
    option("--validation-fix", action="append", metavar="FIX", help=text)
    option("--validation-labels", type=Path, metavar="FILE", help="its labels")
    option("--data", metavar="NAME", help="data whose rows, written by folds, FILE scores in order")
    option("--split", help="with --data: name of the split (PS, or the only one there is)")
    option("--seed", type=seed, default=0, help="with --data: that of folds (0)")
    option("--gamma", type=float, help="gamma that you give; how you chose it is not known here")
    option(
        "--fix",
        action="append",
        default=[],
        metavar="FIX",
        help="answer to a question: transposed, labels-from-1, unused-column, distances, "
        "seen-first, unseen-first, unused-last-column, seen-listed, within-sides, unnamed, "
        "same-class, all-unseen, or as-is",
    )
    names = "seen-unseen, base-new or known-unknown"
    option("--words", default="seen-unseen", help=f"what the two sides are called: {names}")
    text = "95 %% intervals of every figure, over classes and over images"
    option("--intervals", action="store_true", help=text)
    text = "differences of every further FILE to the first, on the same images"
    option("--compare", action="store_true", help=text)
    option(
        "--predictions", type=parquet_to_write, metavar="OUT", help="write the predictions of FILE"
    )
    option(
        "--html",
        type=file_to_write,
        metavar="OUT",
        help="write the curves of all FILEs as one page",
    )
    option("--json", action="store_true", help="print everything as JSON")


def run(args: argparse.Namespace) -> object:
    """Read, question and judge every file."""
    from zslcore.scores.protocols import words_of

    words = words_of(args.words)
    try:
        return _printed(args, words)
    except OpenQuestionError as question:
        if args.json:
            open_question = {"verdict": "unknown", "question": question.said, "fix": question.fix}
            return open_question, UNKNOWN
        return f"UNKNOWN  {question}", UNKNOWN


def _printed(args: argparse.Namespace, words: Words) -> object:
    """Return what is printed of the files; an open question is raised."""
    if args.compare and len(args.files) < 2:
        raise ParameterError("--compare: expected at least two FILEs; got one.")
    for option in ("predictions", "data", "unseen_scores"):
        if getattr(args, option) is not None and len(args.files) > 1:
            raise ParameterError(
                f"--{option.replace('_', '-')}: expected one FILE; got {len(args.files)}."
            )
    # Their images and their unseen classes are others, but they were most likely written as the
    # test scores were.
    own = args.validation_labels, args.validation_unseen
    fixes = args.fix if args.validation_fix is None else args.validation_fix
    validation = [understood(p, *own, fixes, "--validation-fix") for p in args.validation]
    names = ("labels", "unseen", "unseen_scores", "fix", "gamma", "data", "split", "seed")
    given = {name: getattr(args, name) for name in names}
    reports = [judged(path, validation, **given) for path in args.files]
    if args.predictions is not None:
        from zslcore.evaluation import write_predictions
        from zslcore.scores.judging import predictions_of_scores

        write_predictions(args.predictions, predictions_of_scores(reports[0]))
    pairs = [paired(reports[0], other) for other in reports[1:]] if args.compare else []
    embed = "" if args.html is None else written_page(reports, args.html, words)
    if args.json:
        found = [json.loads(r.to_json(with_intervals=args.intervals)) for r in reports]
        found += [json.loads(pair.to_json()) for pair in pairs]
        return (found[0] if len(found) == 1 else found), worst_status(reports)
    texts = [pair.as_text(words) for pair in pairs]  # first: whether the files differ
    texts += [report.as_text(words, with_intervals=args.intervals) for report in reports]
    texts += [f"{args.html} written. To show it on a page next to it:\n{embed}"] if embed else []
    return "\n\n".join(texts), worst_status(reports)


def worst_status(reports: Sequence[ScoreReport]) -> int:
    """Return the exit status of several files: an oracle before what is open."""
    return min((STATUS[each.verdict] for each in reports), key=(1, 3, 0).index)


def written_page(reports: Sequence[ScoreReport], path: Path, words: Words) -> str:
    """Write the curves of reports as one HTML file; return the line that embeds it."""
    from zslcore.interactive.one_file import frame_line
    from zslcore.storage.files import write_out

    first, *others = reports
    write_out(path, first.page(others=others, words=words))
    return frame_line(path.name, f"{words.name.capitalize()} curve of {first.matrix.name}")


def paired(first: ScoreReport, second: ScoreReport) -> Pair:
    """Compare two reports of the same images, each at the gamma that was chosen for it."""
    from zslcore.scores.paired import compare_scores

    gammas = first.chosen, second.chosen
    return compare_scores(first.matrix, second.matrix, gammas)


def judged(
    path: Path,
    validation: Sequence[ScoreMatrix | ScoreAnswers] = (),
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
    """Return the figures of one file, of scores or of predictions."""
    from zslcore.datasets import load
    from zslcore.evaluation import is_predictions
    from zslcore.leakage.published import read_predicted
    from zslcore.scores import judge
    from zslcore.scores.fold_scores import match_folds
    from zslcore.scores.judging import judge_predicted

    if path.is_file() and is_predictions(path):
        given = {"labels": labels, "unseen": unseen, "validation": list(validation) or None}
        for option, value in (given | {"gamma": gamma, "data": data}).items():
            if value is not None:
                raise ParameterError(f"--{option} means nothing for predictions; got {path.name}.")
        return judge_predicted(read_predicted(path))
    matrix = understood(path, labels, unseen, fix, unseen_scores=unseen_scores)
    report = judge(matrix, gamma=gamma, validation=validation)
    if data is None:
        return report
    dataset = load(data)
    return match_folds(report, dataset, dataset.split(split), seed)


def understood(
    path: Path,
    labels: Path | None,
    unseen: list[str] | None,
    fixes: Sequence[str],
    option: str = "--fix",
    *,
    unseen_scores: Path | None = None,
) -> ScoreMatrix | ScoreAnswers:
    """Return the scores of a file; an open question is raised with its possible answers."""
    from zslcore.scores import interpreted
    from zslcore.scores.reading import read_scores
    from zslcore.storage.files import path_of
    from zslcore.untrusted.client import listed_classes

    file = read_scores(
        path,
        labels=None if labels is None else path_of(labels, path.parent),
        unseen=None if unseen is None else listed_classes(unseen, path.parent),
        unseen_scores=None if unseen_scores is None else path_of(unseen_scores, path.parent),
    )
    matrix, questions = interpreted(file, fixes)
    if matrix is None:
        raise OpenQuestionError(questions[0], option)
    return matrix
