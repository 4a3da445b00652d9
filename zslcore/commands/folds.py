"""Write the rows to train on and to score, for the test set and every validation fold.

A model trained elsewhere can thus be evaluated by the protocol of the package: train it on these
rows, and pass its scores to `zslcore score --data`. Example::

    zslcore folds digits --output folds.npz
"""

from __future__ import annotations

import argparse
from pathlib import Path

from zslcore.commands.command import command, option
from zslcore.commands.options import SPLIT, describe_dataset, file_to_write, seed


@command(
    option("dataset DATA", "name of the data set"),
    SPLIT,
    option("--seed N", "seed of the held-out rows of seen classes (0)", type=seed, default=0),
    option(
        "--output FILE", "file to write (folds.npz)", type=file_to_write, default=Path("folds.npz")
    ),
)
def run(args: argparse.Namespace) -> str:
    """Write the file and describe its parts."""
    from zslcore.datasets import load
    from zslcore.scores.fold_scores import arrays_of, parts_to_score, write_parts

    dataset = load(args.dataset)
    split = dataset.split(args.split)
    parts = parts_to_score(dataset, split, args.seed)
    write_parts(args.output, arrays_of(dataset, split, parts, args.seed))
    lines = [f"on {describe_dataset(dataset)}, split {split.name}, seed {args.seed}"]
    for part in parts:
        seen = int(part.seen.sum())
        lines.append(
            f"{part.name:8} train on {len(part.train):,} rows, score {len(part.rows):,} rows among "
            f"{seen} seen and {len(part.seen) - seen} unseen classes"
        )
    return "\n".join([*lines, f"written to {args.output}"])
