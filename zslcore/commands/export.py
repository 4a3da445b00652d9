"""Write a data set in the file formats of released code.

The files are res101.mat and att_splits.mat, with the class lists of the folds; --format npz or
parquet writes tables instead. Example::

    zslcore export digits ./digits
"""

from __future__ import annotations

import argparse

from zslcore.commands.command import command, option
from zslcore.commands.options import SPLIT, describe_dataset


@command(
    option("dataset NAME", "name of the data set"),
    option("folder FOLDER", "folder to write to; created if missing"),
    option("--format FORMAT", "mat, npz or parquet (mat)", default="mat"),
    SPLIT,
    option("--overwrite", "replace files of the same names"),
)
def run(args: argparse.Namespace) -> str:
    """Write the files and list them."""
    from zslcore.datasets import load
    from zslcore.datasets.exporting import export_dataset

    dataset = load(args.dataset)
    split = dataset.split(args.split)
    written = export_dataset(
        dataset, args.folder, split=split.name, form=args.format, overwrite=args.overwrite
    )
    lines = [f"{describe_dataset(dataset)}, split {split.name}", *map(str, written)]
    return "\n".join(lines)
