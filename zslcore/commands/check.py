"""``zslcore check FILE...``: is it clean? One card for a split, scores, predictions or a result.

A split may come with its labels or features, and scores with their labels, in any order. Exit
status: 0 when nothing leaks, 1 when something does, 2 when a file is refused, with one sentence on
the error output, 3 when the files leave it open.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zslcore.leakage.cards import Card, Dropped
    from zslcore.leakage.vocabularies import Vocabulary

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]

__all__ = ["add_parser", "card_of_files", "run_check"]


def add_parser(subparsers: Subparsers) -> None:
    """Add the command ``check`` to the command line of the package."""
    parser = subparsers.add_parser(
        "check", help="is it clean? a card for a split, scores or a result", description=__doc__
    )
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    add = parser.add_argument
    add("files", nargs="+", type=Path, metavar="FILE",
        help="split, score matrix, predictions or result, with its labels or features")  # fmt: skip
    add("--pretraining", action="append", metavar="NAME",
        help="what the feature extractor was trained on; imagenet-1k is assumed where a file does "
        "not declare it; a name or a text file, may be repeated")  # fmt: skip
    add("--json", action="store_true", help="print the card as JSON")
    add("--output", metavar="FILE", help="write the report as a page, report.html")
    parser.set_defaults(run=run_check)


def run_check(args: argparse.Namespace) -> int:
    """Print the card; return the exit status."""
    from zslcore.leakage.cards import to_html
    from zslcore.storage.files import write_out

    card = card_of_files(args.files, args.pretraining)
    if args.output:
        write_out(args.output, to_html(card))
    print(card.to_json() if args.json else card.as_text(), end="")
    return card.status


def card_of_files(paths: list[Path], pretraining: list[str] | None = None) -> Card:
    """Return the card of untrusted files.

    Parameters
    ----------
    paths : a file to be checked, and what belongs to it, in any order
    pretraining : names or text files of what the feature extractor was trained on

    Raises
    ------
    FileRefusedError
        In one sentence: which file, what was expected, what came.
    """
    from zslcore.leakage.cards import recognise, sorted_out
    from zslcore.leakage.loading import vocabulary_of

    main, others = sorted_out([recognise(path) for path in paths])
    given = [vocabulary_of(name) for name in pretraining or ()]
    card_of = {
        "split": _of_split,
        "scores": _of_scores,
        "predictions": _of_predictions,
        "run": _of_result,
        "classes": _of_classes,
        "entry": _of_result,
    }[main.kind]
    return card_of(main, others, given)


def _named(*files: Dropped) -> list[tuple[str, str]]:
    return [(file.name, file.sha256) for file in files]


def _vocabularies(given: list[Vocabulary]) -> tuple[list[Vocabulary], bool]:
    """Return what the extractor was trained on, and whether it is an assumption."""
    from zslcore.leakage import get_vocabulary
    from zslcore.leakage.cards.card import USUAL

    return given or [get_vocabulary(USUAL)], not given


def _of_split(main: Dropped, others: tuple[Dropped, ...], given: list[Vocabulary]) -> Card:
    from dataclasses import replace

    from zslcore.leakage import audit_context
    from zslcore.leakage.cards import card_of_split
    from zslcore.leakage.loading import context_of_split
    from zslcore.storage.artifacts import scratch

    vocabularies, assumed = _vocabularies(given)
    with scratch() as folder:
        images = others[0].path if others else None
        context = context_of_split(main.path, images, folder)
        context = replace(context, vocabularies=tuple(vocabularies))
        report = audit_context(context)
        return card_of_split(context, report, _named(main, *others), assumed=assumed)


def _of_scores(main: Dropped, others: tuple[Dropped, ...], given: list[Vocabulary]) -> Card:
    from zslcore.scores.apart import Asked, Given, judged_apart, memory_for
    from zslcore.scores.card import card_of_question, card_of_scores

    labels = others[0].path if others else None
    scores, files = Given(main.path, labels), _named(main, *others)
    report = judged_apart(
        scores, memory=memory_for(scores.files), whose="allowed for files of this size"
    )
    if isinstance(report, Asked):
        return card_of_question(main.name, report.question.said, files)
    vocabularies, assumed = _vocabularies(given)
    return card_of_scores(report, files, vocabularies, assumed=assumed)


def _of_predictions(main: Dropped, _: tuple[Dropped, ...], given: list[Vocabulary]) -> Card:
    from zslcore.scores.card import card_of_predictions

    return card_of_predictions(main.path, _named(main), given)


def _of_classes(main: Dropped, _: tuple[Dropped, ...], given: list[Vocabulary]) -> Card:
    from zslcore.datasets.sandbox.client import read_lines
    from zslcore.leakage.cards import card_of_classes
    from zslcore.leakage.cards.kinds import MAX_LIST

    vocabularies, assumed = _vocabularies(given)
    names = read_lines(main.path, max_bytes=MAX_LIST)
    return card_of_classes(names, _named(main), vocabularies, assumed=assumed)


def _of_result(main: Dropped, _: tuple[Dropped, ...], given: list[Vocabulary]) -> Card:
    from zslcore.board.card import card_of_result

    return card_of_result(main.path, _named(main), tuple(v.name for v in given))
