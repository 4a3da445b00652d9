"""``zslcore check FILE...``: is it clean? A card for a split, scores, predictions or a result.

A split may come with its labels or features, and scores with their labels, in any order. A split
and scores of its test images are joined in a first card: u, s, H with the leaked rows and without,
and whether what a paper prints is reproduced. ``--format`` and what an audit may be told print
every finding of a split, folder or data set; ``--page`` writes the page on a submission. Exit
status: 0 clean, 1 leaks, 2 broken, or a file that is refused with one sentence on the error output,
3 unknown.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from zslcore.board.card import card_of_result
from zslcore.commands.audit import add_options, run_audit
from zslcore.commands.options import add_submission, file_to_write
from zslcore.commands.review import run_review
from zslcore.datasets.xlsa17 import data_sets_in
from zslcore.exceptions import ParameterError
from zslcore.leakage import audit_context, get_vocabulary
from zslcore.leakage.file_kinds import Group, class_list_of, grouped, recognise
from zslcore.leakage.loading import context_of_split, vocabulary_of
from zslcore.leakage.published import read_predicted
from zslcore.leakage.render import to_html, to_json, to_text
from zslcore.leakage.report import STATUS, Report
from zslcore.leakage.split_card import card_of_classes, card_of_split
from zslcore.leakage.vocabularies import USUAL, Vocabulary
from zslcore.scores.card import (
    card_of_predictions,
    card_of_question,
    card_of_scores,
)
from zslcore.scores.joined import (
    Judged,
    JudgedMatrix,
    JudgedSplit,
    joined_cards,
)
from zslcore.scores.judging import judge_predicted
from zslcore.scores.printed import Printed, read_printed
from zslcore.scores.sandboxed import Asked, Given, judge_in_sandbox, memory_for
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import write_out


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add = parser.add_argument
    text = "split, score matrix, predictions or result, with its labels or features; or a folder "
    text += "or the name of a data set"
    add("files", nargs="+", type=Path, metavar="FILE", help=text)
    add("--json", action="store_true", help="print the cards as JSON")
    text = "what a paper prints of these scores, in percent: 'H 49.8, u 45.1'"
    add("--printed", metavar="FIGURES", help=text)
    text = "write one page on a submission: split, pre-training, figures, curve"
    add("--page", type=file_to_write, metavar="OUT", help=text)
    whole = parser.add_argument_group("every finding of a split, with any of these")
    add_options(whole)
    page = parser.add_argument_group("with --page")
    add_submission(page)
    parser.set_defaults(format=None)


def run(args: argparse.Namespace) -> object:
    """Return the cards with the worst status, or print every finding or write the page."""
    if args.page:
        return _write_page(args)
    if _asks_for_findings(args):
        return _every_finding(args)
    cards = cards_of_files(args.files, args.pretraining, read_printed(args.printed or ""))
    if args.output:
        write_out(args.output, to_html(*cards))
    text = "\n".join(map(to_text, cards))
    if args.json:
        found = [json.loads(to_json(card)) for card in cards]
        text = json.dumps(found[0] if len(found) == 1 else found, indent=1)
    return text, worst_status(cards)


def _asks_for_findings(args: argparse.Namespace) -> bool:
    """Whether something is asked or said that a card has no place for."""
    plain = argparse.ArgumentParser()

    add_options(plain)
    usual = vars(plain.parse_args([])) | {"format": None}
    own = {"pretraining", "output"}
    said = any(getattr(args, name) != value for name, value in usual.items() if name not in own)
    return said or not all(path.is_file() for path in args.files if _is_no_file(path))


def _is_no_file(path: Path) -> bool:
    """Whether a word is a folder, or a name that no file has: of a data set."""
    return path.is_dir() or (not path.exists() and not path.suffix)


def _every_finding(args: argparse.Namespace) -> int:
    """Print the audit of every subject."""
    subjects = [*_subjects(args)]
    if len(subjects) > 1 and (args.output or args.junit or args.correct):
        raise ParameterError(
            f"--output, --junit, --correct: expected one split with them; got {len(subjects)}."
        )
    known = vars(args) | {"format": args.format or ("json" if args.json else "text")}
    statuses = [run_audit(argparse.Namespace(**known | each)) for each in subjects]
    return min(statuses, key=[*STATUS.values()].index)


def _subjects(args: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Yield the path of every subject, with the files of labels and features that belong to it."""
    files = [path for path in args.files if path.is_file()]
    if len(files) < 2:
        yield from ({"path": str(p)} for each in args.files for p in data_sets_in(each) or [each])
        return
    yield from ({"path": str(path)} for path in args.files if path not in files)
    for group in grouped([recognise(path) for path in files]):
        others = {other.kind: str(other.path) for other in group.others}
        yield {"path": str(group.main.path)} | others


def _write_page(args: argparse.Namespace) -> int:
    """Write the page on a submission: at most one split and one file of scores."""
    of: dict[str, Path | None] = {"split": None, "scores": None, "labels": None}
    for name, path in (("split_labels", args.labels), ("features", args.features)):
        of[name] = path and Path(path)
    for group in grouped([recognise(path) for path in args.files]):
        what = "split" if group.main.kind == "split" else "scores"
        if group.main.kind not in ("split", "scores", "predictions") or of[what] is not None:
            raise ParameterError(
                f"--page: expected a split, scores or both; got {group.main.name}, too."
            )
        of[what] = group.main.path
        for other in group.others:
            role = "labels" if what == "scores" else other.kind.replace("labels", "split_labels")
            of[role] = other.path
    known = vars(args) | of | {"output": args.page, "pretraining": args.pretraining or []}
    return run_review(argparse.Namespace(**known))


def worst_status(cards: Sequence[Report]) -> int:
    """Return the exit status of several cards: that of the worst verdict."""
    return min((card.status for card in cards), key=[*STATUS.values()].index)


def cards_of_files(
    paths: list[Path], pretraining: list[str] | None = None, printed: Sequence[Printed] = ()
) -> list[Report]:
    """Return the cards of untrusted files, in any order: of a split with its scores, then of each.

    ``pretraining`` names what the feature extractor was trained on, also by text files; ``printed``
    are figures that a paper prints of the scores. Raises FileRefusedError.
    """
    given = [vocabulary_of(name) for name in pretraining or ()]
    found = [_judged(group, given) for group in grouped([recognise(path) for path in paths])]
    return joined_cards(found, printed)


def _judged(group: Group, given: list[Vocabulary]) -> Judged:
    of = {
        "split": _of_split,
        "scores": _of_scores,
        "predictions": _of_predictions,
        "run": _of_result,
        "classes": _of_classes,
        "entry": _of_result,
    }[group.main.kind]
    return of(group, given)


def _vocabularies(given: list[Vocabulary]) -> tuple[list[Vocabulary], bool]:
    """Return what the extractor was trained on, and whether it is an assumption."""
    return given or [get_vocabulary(USUAL)], not given


def _of_split(group: Group, given: list[Vocabulary]) -> Judged:
    vocabularies, assumed = _vocabularies(given)
    with scratch() as folder:
        images = group.others[0].path if group.others else None
        contents = [file.contents for file in (group.main, *group.others) if file.contents]
        context = context_of_split(group.main.path, images, folder, contents=contents)
        context = replace(context, vocabularies=tuple(vocabularies))
        report = audit_context(context)
        card = card_of_split(context, report, group.named, assumed=assumed)
        return JudgedSplit(card, replace(context, features=None), report)


def _of_scores(group: Group, given: list[Vocabulary]) -> Judged:
    labels = group.others[0].path if group.others else None
    scores, files = Given(group.main.path, labels), group.named
    report = judge_in_sandbox(
        scores, memory=memory_for(scores.files), whose="allowed for files of this size"
    )
    if isinstance(report, Asked):
        return Judged(card_of_question(group.main.name, report.question.said, files))
    vocabularies, assumed = _vocabularies(given)
    return JudgedMatrix(card_of_scores(report, files, vocabularies, assumed=assumed), report)


def _of_predictions(group: Group, given: list[Vocabulary]) -> Judged:
    predicted = read_predicted(group.main.path, refuse_wrong=False)
    card = card_of_predictions(predicted, group.named, given)
    return JudgedMatrix(card, judge_predicted(predicted))


def _of_classes(group: Group, given: list[Vocabulary]) -> Judged:
    vocabularies, assumed = _vocabularies(given)
    listed = class_list_of(group.main)
    return Judged(card_of_classes(listed, group.named, vocabularies, assumed=assumed))


def _of_result(group: Group, given: list[Vocabulary]) -> Judged:
    return Judged(card_of_result(group.main.path, group.named, tuple(v.name for v in given)))
