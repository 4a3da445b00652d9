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

from zslcore.commands.options import seed

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
        metavar="PATH",
        nargs="+",
        help="folder in the xlsa17 layout, the standard_split in it, a folder with several such "
        "data sets as the unzipped archive, a released folder of actions, a folder of Parquet "
        "files, or files in any container: features, labels, class embeddings, a split",
    )
    parser.add_argument(
        "--features",
        metavar="F",
        help="file of features, in a folder or any path (res101.mat); of files, FILE or FILE:NAME",
    )
    parser.add_argument(
        "--splits", metavar="S", help="file of splits, in FOLDER or any path (att_splits.mat)"
    )
    parser.add_argument(
        "--prototypes",
        metavar="P",
        help="class embeddings in place of a folder's att, or of a file: CSV with a column "
        "class, .mat, .npz, HDF5, JSON; of several files, FILE or FILE:NAME",
    )
    parser.add_argument(
        "--embedding",
        metavar="E",
        help="which of several in that file, or of a released folder: word2vec, attributes",
    )
    text = "of several files: the array of {}, FILE or FILE:NAME, where the guess is wrong"
    parser.add_argument("--labels", metavar="L", help=text.format("labels"))
    parser.add_argument("--class-names", metavar="C", help=text.format("names of classes"))
    parser.add_argument("--seed", type=seed, help="seed of --unseen random:N, 0 by default")
    parser.add_argument("--show", action="store_true", help="show what is found, store nothing")


def run(args: argparse.Namespace) -> int:
    """Import what the paths hold and print what it is."""
    from zslcore.datasets import action_archives
    from zslcore.datasets.importing import files_of_intake, import_dataset
    from zslcore.datasets.xlsa17 import data_sets_in
    from zslcore.storage.files import folder_of, path_of
    from zslcore.untrusted.client import listed_classes

    source, more = Path(args.source[0]), [Path(path) for path in args.source[1:]]
    given = {
        key: getattr(args, key)
        for key in ("name", "prototypes", "unseen", "features", "splits", "embedding")
        if getattr(args, key) is not None
    }
    if "unseen" in given:
        given["unseen"] = _with_seed(listed_classes(given["unseen"], folder_of(source)), args.seed)
    choices = {key: getattr(args, key) for key in ("labels", "class_names") if getattr(args, key)}
    if source.is_file() and "features" in given and _is_choice(args, source):
        choices["features"] = given["features"]
    if paths := files_of_intake(source, more, choices):
        return _import_files(args, paths, choices, given)
    _refuse_options(args, source)
    for key in {"features", "splits", "prototypes"} & {*given}:
        given[key] = str(path_of(given[key], folder_of(source)))
    if not action_archives.holds(source) and (sets := data_sets_in(source)):
        return _import_all(sets, args.pretraining, given)
    print_dataset(import_dataset(source, pretraining=args.pretraining, **given))
    return 0


def _is_choice(args: argparse.Namespace, source: Path) -> bool:
    """Whether --features names an array of the one file."""
    return Path(str(args.features).rpartition(":")[0] or args.features).name == source.name


def _with_seed(unseen: list[str], seed: int | None) -> list[str]:
    """Return the unseen classes, a random draw with its seed."""
    from zslcore.exceptions import ParameterError

    is_random = len(unseen) == 1 and unseen[0].startswith("random:")
    if seed is None:
        return unseen
    if not is_random or seed < 0:
        raise ParameterError(
            f"--seed: expected a number from 0 with --unseen random:N; got {seed} with "
            f"{' '.join(unseen[:3])}."
        )
    return [f"{unseen[0]}:{seed}"]


def _refuse_options(args: argparse.Namespace, source: Path) -> None:
    """Refuse options that mean nothing for a folder, or for a file."""
    from zslcore.exceptions import ParameterError

    of_file, of_folder = ("unseen", "labels", "class_names"), ("features", "splits", "embedding")
    for option in of_folder if source.is_file() else of_file:
        if getattr(args, option) is not None:
            kind = "file" if option in of_folder else "folder"
            name = option.replace("_", "-")
            raise ParameterError(f"--{name} means nothing for a {kind}; got {source}.")
    if len(args.source) > 1:
        raise ParameterError(f"expected files, or one folder; got {source} and others.")


def _import_files(
    args: argparse.Namespace, paths: list[Path], choices: dict[str, str], given: dict[str, Any]
) -> int:
    """Show what files hold, and import them."""
    from zslcore.datasets import intake
    from zslcore.exceptions import ParameterError

    for option in ("splits", "embedding"):
        if option in given:
            raise ParameterError(f"--{option} means nothing for files; got {paths[0]}.")
    if "features" in given:
        choices["features"] = given.pop("features")
    if "prototypes" in given:
        paths, choices = intake.with_file(paths, choices, given.pop("prototypes"))
    found = intake.survey(paths, choices)
    print(f"{found.sentence}\n{intake.as_table(found.rows)}")
    if args.show:
        print("\n".join(found.unclear.values()))
        return 0
    name = given.pop("name", None)
    release = intake.find(paths, choices=choices, known=found, **given)
    print_dataset(release.stored(name, args.pretraining))
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
