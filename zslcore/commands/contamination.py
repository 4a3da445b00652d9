"""``zslcore contamination``: whether a number is zero-shot.

Without options it prints the map: test sets by pre-training sets, classes that certainly and
possibly overlap. ``--on`` a test set of the map, ``--dataset`` or ``--classes`` asks about every
published extractor, or about those that ``--extractor`` names. ``--captions`` counts the captions
of a file that name these classes, for models without a list of classes.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.options import as_json
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.leakage.contamination import TestSet


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--on",
        metavar="SET",
        help="a test set of the map, as 'CUB, PS', "
        "or of base-to-new, as oxford_pets or 'oxford_pets, new', or 'Kinetics-600, ZSL220 1'",
    )
    what.add_argument("--dataset", metavar="NAME", help="the unseen classes of a data set")
    what.add_argument(
        "--classes",
        metavar="FILE",
        help="test classes of your own: names or WordNet ids, one a line or in a column",
    )
    option = parser.add_argument
    text = "captions to count that name these classes: a line each, or a .csv or .tsv; .gz"
    option("--captions", type=Path, metavar="FILE", help=text)
    option("--split", help="with --dataset: its split (PS, or the only one there is)")
    option("--extractor", nargs="+", default=(), metavar="NAME", help="only these extractors")
    option("--json", action="store_true", help="print everything as JSON instead of text")


def run(args: argparse.Namespace) -> object:
    """Return the map, the answers or the counts of captions."""
    if args.split is not None and args.dataset is None:
        raise ParameterError("--split: expected --dataset with it; got none.")
    tested = _test_set(args)
    if args.captions is not None:
        return _captions(tested, args)
    if tested is not None:
        return _answers(tested, args)
    if args.extractor:
        raise ParameterError("--extractor needs test classes: --on, --dataset or --classes.")
    return _map(as_json=args.json)


def _test_set(args: argparse.Namespace) -> TestSet | None:
    """Return the test classes of the query, None for the whole map."""
    from zslcore.datasets import load
    from zslcore.datasets.class_lists import read_class_list
    from zslcore.leakage import contamination
    from zslcore.leakage.vocabularies import count_understood
    from zslcore.texts import clean_text

    if args.on is not None:
        return contamination.find_test_set(args.on)
    if args.classes is not None:
        path = Path(args.classes)
        listed = read_class_list(path, count_understood)
        return contamination.own_test_set(clean_text(path.name), listed)
    if args.dataset is not None:
        data = load(args.dataset)
        return contamination.of_dataset(data, data.split(args.split))
    return None


def _answers(tested: TestSet, args: argparse.Namespace) -> str:
    """Return whether a number of each extractor is zero-shot."""
    from zslcore.leakage import contamination

    names = args.extractor or list(contamination.extractors())
    answers = {
        name: contamination.answer(tested, contamination.find_extractor(name)) for name in names
    }
    if args.json:
        about = {"test_set": str(tested), "read_as": tested.read_as}
        return as_json([about | {"extractor": n} | asdict(each) for n, each in answers.items()])
    what = f"{tested} ({len(tested.classes):,} test classes)"
    lines = [f"May a number on {what} be reported as zero-shot? {tested.read_as}".rstrip(), ""]
    for name, answer in answers.items():
        lines.append(f"{name}: {answer.verdict}. {answer.sentence}")
        lines += [f"    {answer.advice}"] if answer.advice else []
    return "\n".join(lines)


def _captions(tested: TestSet | None, args: argparse.Namespace) -> object:
    """Return how many captions of a file name each test class."""
    from zslcore.leakage.captions import as_text, captions_of, count_captions

    if tested is None:
        raise ParameterError("--captions needs test classes: --on, --dataset or --classes.")
    report = (lambda n: print(f"{n:,} captions", file=sys.stderr)) if sys.stderr.isatty() else None
    table, n = count_captions(captions_of(args.captions), tested.classes, report)
    if args.json:
        return {"test_set": str(tested), "captions": n, "classes": table.to_dict("records")}
    return f"{tested}: {as_text(table, n)}"


def _map(*, as_json: bool) -> object:
    """Return a row a test set and a column a pre-training set."""
    from zslcore.leakage import contamination, reliability

    table = contamination.as_table()
    if as_json:
        return table
    table["test set"] = table["dataset"] + table["split"].map(lambda s: f", {s}" if s else "")
    wide = table.pivot_table("text", "test set", "pretraining", aggfunc="first", sort=False)
    hidden = [str(name) for name in wide if (wide[name] == "unknown").all()]
    return (
        f"{wide.loc[:, (wide != 'unknown').any()].to_string()}\n\n"
        f"unknown on every test set: {', '.join(hidden)}\n"
        "6+1/10: of 10 test classes 6 certainly and 1 possibly are in the pre-training set.\n"
        f"{{6}}: a paper lists 6.\n{reliability.how_reliable()}"
    )
