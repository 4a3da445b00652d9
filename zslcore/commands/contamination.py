"""Find test classes in the training sets of published extractors, by class names.

Without options, count for each test set and each pre-training set the test classes that are in the
pre-training set, or related to one of its classes. --on, --dataset or --classes name test classes,
which get one verdict per extractor; --captions counts the captions that name these classes, for
models trained on captions. Example::

    zslcore contamination --on "CUB, PS" --extractor ResNet-101
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from zslcore.commands.command import OptionGroup, Output, command, option
from zslcore.commands.options import JSON, show_steps
from zslcore.exceptions import ParameterError

if TYPE_CHECKING:
    from zslcore.leakage.contamination import TestSet


@command(
    OptionGroup(
        "",
        (
            option(
                "--on SET",
                "a test set: a row of the map ('CUB, PS'), a base-to-new set (oxford_pets, "
                "'oxford_pets, new'), or a part of Kinetics-600 ('Kinetics-600, ZSL220 1')",
            ),
            option("--dataset NAME", "the unseen classes of a data set"),
            option(
                "--classes FILE",
                "your test classes: names or WordNet ids, one per line or in a column",
            ),
        ),
    ),
    option(
        "--captions FILE",
        "count captions that name a test class; FILE has one per line, or is a .csv or .tsv, also "
        "compressed as .gz",
        type=Path,
    ),
    option("--split NAME", "split of --dataset (PS, or its only split)"),
    option("--extractor NAME...", "only these extractors", default=()),
    JSON,
)
def run(args: argparse.Namespace) -> Output:
    """Return the map, the verdicts or the counts of captions."""
    if args.split is not None and args.dataset is None:
        raise ParameterError("--split: expected --dataset as well; got none.")
    tested = _test_set(args)
    if args.captions is not None:
        return _captions(tested, args)
    if tested is not None:
        return _verdicts(tested, args)
    if args.extractor:
        raise ParameterError(
            "--extractor: expected test classes as well (--on, --dataset or --classes); got none."
        )
    return _map()


def _test_set(args: argparse.Namespace) -> TestSet | None:
    """Return the test classes named by the options; None without these options."""
    from zslcore.datasets import load
    from zslcore.leakage import contamination
    from zslcore.leakage.file_kinds import test_classes_of
    from zslcore.texts import clean_text

    if args.on is not None:
        return contamination.find_test_set(args.on)
    if args.classes is not None:
        path = Path(args.classes)
        return contamination.own_test_set(clean_text(path.name), test_classes_of(path))
    if args.dataset is not None:
        data = load(args.dataset)
        return contamination.test_set_of_dataset(data, data.split(args.split))
    return None


def _verdicts(tested: TestSet, args: argparse.Namespace) -> Output:
    """Return one verdict per extractor."""
    from zslcore.leakage import contamination

    names = args.extractor or list(contamination.extractors())
    verdicts = {
        name: contamination.answer(tested, contamination.find_extractor(name)) for name in names
    }
    title = f"{tested} ({len(tested.classes):,} test classes)"
    lines = [f"Are results on {title} zero-shot? {tested.read_as}".rstrip(), ""]
    for name, answer in verdicts.items():
        lines.append(f"{name}: {answer.verdict}. {answer.sentence}")
        lines += [f"    {answer.advice}"] if answer.advice else []
    test_set = {"test_set": str(tested), "read_as": tested.read_as}
    records = [test_set | {"extractor": n} | asdict(answer) for n, answer in verdicts.items()]
    return Output("\n".join(lines), records)


def _captions(tested: TestSet | None, args: argparse.Namespace) -> Output:
    """Return the number of captions that name each test class."""
    from zslcore.leakage.captions import as_text, count_captions
    from zslcore.untrusted.worker import watch_calls

    if tested is None:
        raise ParameterError(
            "--captions: expected test classes as well (--on, --dataset or --classes); got none."
        )
    with watch_calls(lambda share: show_steps(share, 1, "Counting captions")):
        table, n = count_captions(args.captions, tested.classes)
    show_steps()
    values = {"test_set": str(tested), "captions": n, "classes": table.to_dict("records")}
    return Output(f"{tested}: {as_text(table, n)}", values)


def _map() -> Output:
    """Return one row per test set and one column per pre-training set."""
    from zslcore.leakage import contamination, reliability

    table = contamination.contamination_table()

    def as_text() -> str:
        tests = table["dataset"] + table["split"].map(lambda s: f", {s}" if s else "")
        wide = table.assign(**{"test set": tests}).pivot_table(
            "text", "test set", "pretraining", aggfunc="first", sort=False
        )
        hidden = [str(name) for name in wide if (wide[name] == "unknown").all()]
        return (
            f"{wide.loc[:, (wide != 'unknown').any()].to_string()}\n\n"
            f"unknown on every test set: {', '.join(hidden)}\n"
            "6+1/10: of 10 test classes, 6 are in the pre-training set, by name or according to a "
            "paper, and 1 is related to one of its classes.\n"
            f"{{6}}: a paper lists 6.\n{reliability.describe_reliability()}"
        )

    return Output(as_text, table)
