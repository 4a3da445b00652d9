"""``zslcore folds``: the rows that a model from elsewhere trains on and scores.

Write the rows to train on and the rows to score, of the test set and of every validation fold, with
the candidates of each: the scores of a model from elsewhere are then judged as a run is (score
--data).
"""

from __future__ import annotations

import argparse
from pathlib import Path

from zslcore.commands.options import file_to_write, named, seed


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    option = parser.add_argument
    option("dataset", metavar="DATA", help="name of the data set")
    option("--split", help="name of the split (PS, or the only one there is)")
    option("--seed", type=seed, default=0, help="seed of the held-out rows of seen classes (0)")
    text = "file to write (folds.npz)"
    option("--output", type=file_to_write, default=Path("folds.npz"), metavar="FILE", help=text)


def run(args: argparse.Namespace) -> str:
    """Write the file and return what is in it."""
    from zslcore.datasets import load
    from zslcore.scores.fold_scores import arrays_of, parts_to_score, write_parts

    dataset = load(args.dataset)
    split = dataset.split(args.split)
    parts = parts_to_score(dataset, split, args.seed)
    write_parts(args.output, arrays_of(dataset, split, parts, args.seed))
    lines = [f"on {named(dataset)}, split {split.name}, seed {args.seed}"]
    for part in parts:
        seen = int(part.seen.sum())
        lines.append(
            f"{part.name:8} train on {len(part.train):,} rows, score {len(part.rows):,} rows among "
            f"{seen} seen and {len(part.seen) - seen} unseen classes"
        )
    return "\n".join([*lines, f"written to {args.output}"])
