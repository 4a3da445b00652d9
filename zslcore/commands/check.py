"""Check splits, scores, predictions and results for leaks and errors.

Prints one card per file. Give labels or features of a split, labels of scores, and all lists of one
split (seen.txt unseen.txt), as further files, in any order. For a split and scores of its test
images, a first card compares u, s and H with and without leaking rows, and with the metrics in
--printed. For a folder or data set, or with options of the audit (see below), every finding is
printed instead; --page writes a page on a submission. Exit status: 0 clean, 1 leaks (or a mark of
--fail-on), 2 broken or refused, 3 unknown. Unknown means that a check lacked data such as labels or
features: add these data, or accept open findings with --allow-incomplete. Example::

    zslcore check att_splits.mat scores.npz
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from zslcore.commands import findings, submission
from zslcore.commands.command import OptionGroup, Output, command, option, worst_status
from zslcore.commands.options import file_to_write
from zslcore.datasets.split_folders import read_classes
from zslcore.datasets.xlsa17 import data_sets_in
from zslcore.exceptions import ParameterError
from zslcore.leakage import get_vocabulary
from zslcore.leakage.file_kinds import (
    Group,
    class_list_of,
    context_of_group,
    group_files,
    recognise_files,
)
from zslcore.leakage.loading import vocabulary_of
from zslcore.leakage.render import reports_html, to_json, to_text
from zslcore.leakage.report import Report
from zslcore.leakage.split_card import card_of_classes
from zslcore.leakage.vocabularies import USUAL, Vocabulary
from zslcore.scores.card import card_of_predictions, card_of_question, card_of_scores
from zslcore.scores.interpretation import interpret
from zslcore.scores.joined import CheckedFile, CheckedScores, CheckedSplit, joint_cards
from zslcore.scores.judging import judge, judge_predicted
from zslcore.scores.predicted import read_predicted
from zslcore.scores.printed import PrintedMetric, read_printed
from zslcore.scores.reading import read_scores
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import write_out
from zslcore.untrusted.client import refuse_changes


@command(
    option(
        "files FILE...",
        "split file (.mat, .npz, .h5, .json, also split_zhou_*.json), score file, predictions or "
        "result, with its labels or features; a folder (xlsa17 layout, lists of images or classes, "
        "train and test folders of images); or the name of a data set",
        type=Path,
    ),
    option("--json", "print the cards as JSON"),
    option("--printed METRICS", "printed metrics of these scores, in percent: 'H 49.8, u 45.1'"),
    option(
        "--page OUT",
        "write a page on a submission: split, pre-training, metrics, curve",
        type=file_to_write,
    ),
    OptionGroup("options of the audit, which print every finding of a split", findings.OPTIONS),
    OptionGroup("with --page", submission.OPTIONS),
)
def run(args: argparse.Namespace) -> Output | int:
    """Return the cards with the worst status, print every finding, or write the page."""
    with refuse_changes(args.files), scratch() as folder:
        return _check_files(args, folder)


def _check_files(args: argparse.Namespace, folder: Path) -> Output | int:
    if not args.page and _asks_for_findings(args):
        return _every_finding(args, folder)
    groups = group_files(recognise_files(args.files, folder))
    if args.page:
        return submission.write_page(args, groups)
    if args.format and all(group.main.kind == "split" for group in groups):
        return _every_finding(args, folder)
    printed = read_printed(args.printed or "")
    cards = cards_of(groups, args.pretraining, printed, args.unseen, args.fix)
    if args.output:
        write_out(args.output, reports_html(*cards))

    def values() -> object:
        contents = [json.loads(to_json(card)) for card in cards]
        return contents[0] if len(contents) == 1 else contents

    if args.format == "json":
        args.json = True
    return Output(
        "\n".join(map(to_text, cards)), values, worst_status(card.status for card in cards)
    )


def _asks_for_findings(args: argparse.Namespace) -> bool:
    """Whether an option or a subject requires the full audit instead of a card."""
    names = [option.usage.split()[0][2:].replace("-", "_") for option in findings.OPTIONS]
    values = [getattr(args, name) for name in {*names} - {"pretraining", "output", "format"}]
    if any(value is not None and value is not False for value in values):
        return True
    if args.format not in (None, "text", "json"):
        return True
    # Folders, and names of data sets.
    return any(path.is_dir() or not (path.exists() or path.suffix) for path in args.files)


def _every_finding(args: argparse.Namespace, folder: Path) -> int:
    """Print the audit of every subject."""
    subjects = [*_subjects(args, folder)]
    if len(subjects) > 1 and (args.output or args.junit or args.correct):
        raise ParameterError(
            f"--output, --junit, --correct: expected one split; got {len(subjects)} files."
        )
    options = vars(args) | {"format": args.format or ("json" if args.json else "text")}
    return worst_status(
        [findings.run_audit(argparse.Namespace(**options | subject)) for subject in subjects]
    )


def _subjects(args: argparse.Namespace, folder: Path) -> Iterator[dict[str, str]]:
    """Yield the path of every subject, with its files of labels and features."""
    files = [path for path in args.files if path.is_file()]
    if len(files) < 2:
        yield from ({"path": str(p)} for file in args.files for p in data_sets_in(file) or [file])
        return
    yield from ({"path": str(path)} for path in args.files if path not in files)
    for group in group_files(recognise_files(files, folder)):
        companions = {file.kind: str(file.path) for file in group.companions}
        yield {"path": str(group.main.path)} | companions


def cards_of(
    groups: Sequence[Group],
    pretraining: list[str] | None = None,
    printed: Sequence[PrintedMetric] = (),
    unseen: list[str] | None = None,
    fixes: Sequence[str] = (),
) -> list[Report]:
    """Return the cards of groups of untrusted files: joint cards first, then single cards.

    ``pretraining`` names training sets of the feature extractor, or text files of classes;
    ``printed`` are the printed metrics of the scores. ``unseen`` and ``fixes`` state the meaning of
    score files: unseen classes, and answers to open questions. Raises FileRefusedError.
    """
    named = [vocabulary_of(name) for name in pretraining or ()]
    checkers: dict[str, Callable[[Group, list[Vocabulary]], CheckedFile]] = {
        "split": _of_split,
        "scores": partial(_of_scores, unseen=unseen, fixes=fixes),
        "predictions": _of_predictions,
        "run": _of_result,
        "classes": _of_classes,
        "entry": _of_result,
    }
    return joint_cards([checkers[group.main.kind](group, named) for group in groups], printed)


def _vocabularies(named: list[Vocabulary]) -> tuple[list[Vocabulary], bool]:
    """Return the training sets of the extractor, and whether they are assumed, not stated."""
    return named or [get_vocabulary(USUAL)], not named


def _of_split(group: Group, named: list[Vocabulary]) -> CheckedFile:
    vocabularies, assumed = _vocabularies(named)
    with scratch() as folder:
        context = replace(
            context_of_group(group, folder),
            vocabularies=tuple(vocabularies),
            assumes_pretraining=assumed,
        )
        return CheckedSplit.of(context, group.names_and_digests)


def _of_scores(
    group: Group, named: list[Vocabulary], *, unseen: list[str] | None, fixes: Sequence[str]
) -> CheckedFile:
    path, *labels = [file.contents or file.path for file in (group.main, *group.companions)]
    file = read_scores(
        path,
        labels=labels[0] if labels else None,
        unseen=unseen and read_classes(unseen, group.main.path.parent),
    )
    scores, questions = interpret(file, fixes)
    if scores is None:
        question = questions[0].sentence
        return CheckedFile(card_of_question(group.main.name, question, group.names_and_digests))
    vocabularies, assumed = _vocabularies(named)
    report = judge(scores)
    card = card_of_scores(report, group.names_and_digests, vocabularies, assumed=assumed)
    return CheckedScores(card, report)


def _of_predictions(group: Group, named: list[Vocabulary]) -> CheckedFile:
    predicted = read_predicted(group.main.path, refuse_wrong=False)
    card = card_of_predictions(predicted, group.names_and_digests, named)
    return CheckedScores(card, judge_predicted(predicted))


def _of_classes(group: Group, named: list[Vocabulary]) -> CheckedFile:
    vocabularies, assumed = _vocabularies(named)
    listed = class_list_of(group.main)
    return CheckedFile(
        card_of_classes(listed, group.names_and_digests, vocabularies, assumed=assumed)
    )


def _of_result(group: Group, named: list[Vocabulary]) -> CheckedFile:
    from zslcore.board.card import card_of_result  # imports the methods

    return CheckedFile(
        card_of_result(group.main.path, group.names_and_digests, tuple(v.name for v in named))
    )
