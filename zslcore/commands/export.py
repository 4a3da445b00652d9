"""``zslcore export``: a data set as files that other code reads.

Write a data set as res101.mat and att_splits.mat, with the class lists of its folds: what released
code of the field loads. --format npz or parquet writes tables instead.
"""

from __future__ import annotations

import argparse

from zslcore.commands.options import named


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("dataset", metavar="NAME", help="name of the data set")
    option("folder", metavar="FOLDER", help="folder to write to; made where it is missing")
    option("--format", default="mat", metavar="FORMAT", help="mat, npz or parquet (mat)")
    option("--split", metavar="NAME", help="name of the split (PS, or the only one there is)")
    option("--overwrite", action="store_true", help="replace files of the same names")


def run(args: argparse.Namespace) -> str:
    """Write the files and list them."""
    from zslcore.datasets import load
    from zslcore.datasets.exporting import export_dataset

    dataset = load(args.dataset)
    split = dataset.split(args.split)
    written = export_dataset(
        dataset, args.folder, split=split.name, form=args.format, overwrite=args.overwrite
    )
    lines = [f"{named(dataset)}, split {split.name}", *map(str, written)]
    return "\n".join(lines)
