"""``zslcore import``: data sets from files.

Import a data set: a folder in the xlsa17 layout (res101.mat, att_splits.mat), the folders in which
UCF101 and HMDB51 were released (BiDiLEL's, and I3D features with split_1, split_2 ...), features of
your own as .npz, HDF5 or CSV, or an .npz of actions in this package's layout (labels, word vectors
and random splits).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from zslcore.datasets import ZSLDataset


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    _add_files(parser)
    parser.add_argument(
        "--unseen",
        metavar="CLASS",
        nargs="+",
        help="unseen classes of a file: names or numbers, a file of them, or base-to-new:NAME, the "
        "new classes of a set of `zslcore base-to-new`",
    )
    parser.add_argument(
        "--pretraining",
        metavar="NAME",
        nargs="+",
        default=[],
        help="pre-training set of the features, whose classes the audit compares with those of "
        "the data set: imagenet-1k, others of check --pretraining, or none for features trained on "
        "nothing; after it training-images or seen-classes where the extractor was fine-tuned on "
        "images of these data; by default as the file declares",
    )
    parser.add_argument("--name", metavar="N", help="name to import it under")


def _add_files(parser: argparse.ArgumentParser) -> None:
    """Add the files that a data set is read from."""
    parser.add_argument(
        "source",
        metavar="FOLDER",
        help="folder in the xlsa17 layout, the standard_split in it, a folder with several such "
        "data sets as the unzipped archive, a released folder of actions, or a file",
    )
    parser.add_argument(
        "--features", metavar="F", help="file of features, in FOLDER or any path (res101.mat)"
    )
    parser.add_argument(
        "--splits", metavar="S", help="file of splits, in FOLDER or any path (att_splits.mat)"
    )
    parser.add_argument(
        "--prototypes",
        metavar="P",
        help="class embeddings in place of a folder's att, or of a file: CSV with a column "
        "class; for a folder also .mat, .npz or HDF5",
    )
    parser.add_argument(
        "--embedding",
        metavar="E",
        help="which of several in that file, or of a released folder: word2vec, attributes",
    )


def run(args: argparse.Namespace) -> int:
    """Import what ``args.source`` holds and print what it is."""
    from zslcore.datasets.importing import import_dataset
    from zslcore.datasets.sandbox.client import listed_classes
    from zslcore.datasets.xlsa17 import data_sets_in
    from zslcore.exceptions import ParameterError
    from zslcore.storage.files import folder_of, path_of

    of_file, of_folder = ("unseen",), ("features", "splits", "embedding")
    for option in of_folder if Path(args.source).is_file() else of_file:
        if getattr(args, option) is not None:
            kind = "file" if option in of_folder else "folder"
            raise ParameterError(f"--{option} means nothing for a {kind}; got {args.source}.")
    options = {key: getattr(args, key) for key in ("name", "prototypes", *of_file, *of_folder)}
    given = {key: value for key, value in options.items() if value is not None}
    folder = folder_of(args.source)
    for key in {"features", "splits", "prototypes"} & {*given}:
        given[key] = str(path_of(given[key], folder))
    if "unseen" in given:
        given["unseen"] = listed_classes(given["unseen"], folder)
    if sets := data_sets_in(Path(args.source)):
        return _import_all(sets, args.pretraining, given)
    print_dataset(import_dataset(args.source, pretraining=args.pretraining, **given))
    return 0


def _import_all(sets: Sequence[Path], pretraining: Sequence[str], given: dict[str, Any]) -> int:
    """Import every data set of an archive; 2 where one of them could not be."""
    from zslcore.datasets.importing import import_dataset
    from zslcore.exceptions import ParameterError, ZSLError

    if {"name", "prototypes"} & {*given}:
        names = ", ".join(path.name for path in sets)
        raise ParameterError(f"--name, --prototypes: expected one data set; found {names}.")
    failed = 0
    for path in sets:
        try:
            print_dataset(import_dataset(path, pretraining=pretraining, **given))
        except ZSLError as error:
            failed += 1
            sys.stderr.write(f"zslcore: {path.name} is not imported: {error}\n")
    return 2 if failed else 0


def print_dataset(data: ZSLDataset) -> None:
    """Print what a data set holds, one fact a line."""
    from zslcore.datasets.facts import benchmark_of
    from zslcore.datasets.imports import pretraining_of

    n, d = data.features.shape
    trained = ", ".join(pretraining_of(data)).replace("none", "nothing")
    unknown = "what is unknown; 'import --pretraining' declares it"
    print(f"{data.name}")
    print(f"  images    {n:,} x {d:,} features")
    print(f"  classes   {data.n_classes} x {data.prototypes.shape[1]} attributes")
    print(f"  features  trained on {trained or unknown}")
    print(f"  benchmark {benchmark_of(data) or 'none that is known'}, by its classes")
    print(f"  digest    {data.digest}")
    for split in data.splits.values():
        print(
            f"  {split.name:9} {len(split.seen_classes)} seen and "
            f"{len(split.unseen_classes)} unseen classes; {len(split.trainval):,} trainval, "
            f"{len(split.test_seen):,} test seen, "
            f"{len(split.test_unseen):,} test unseen rows; {len(split.folds)} folds"
        )
        print(f"            {split.note}")
