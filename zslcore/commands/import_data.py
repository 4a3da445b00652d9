"""Import a data set from files.

Imports a folder in the xlsa17 layout (res101.mat, att_splits.mat), the released folders of UCF101
and HMDB51 (BiDiLEL, or I3D features with split_1, split_2 ...), your features as .npz, HDF5 or CSV,
or an .npz of actions in the layout of this package (labels, word vectors and random splits).
Example::

    zslcore import features.npz --unseen 7 8 9 --pretraining imagenet-1k --name birds
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.command import command, option
from zslcore.commands.options import seed
from zslcore.exceptions import ParameterError
from zslcore.numbers import counted
from zslcore.texts import refusal_of

if TYPE_CHECKING:
    from zslcore.datasets import Split, ZSLDataset

#: Checks that need only class and row numbers.
OF_NUMBERS = ("ZSL001", "ZSL002", "ZSL003")
#: Largest number of seen classes that gives a warning: too few to learn a relation of classes.
FEWEST_SEEN = 2


@command(
    option(
        "source PATH...",
        "folder in the xlsa17 layout, its folder standard_split, a folder of several such data "
        "sets (the unzipped archive), a released action folder, a folder of Parquet files, or "
        "files in any container: features, labels, class embeddings, a split",
    ),
    option(
        "--features F",
        "for a folder: the feature file, in it or at another path (res101.mat); for files: the "
        "array of features, FILE or FILE:NAME",
    ),
    option("--splits S", "for a folder: the split file, in it or at another path (att_splits.mat)"),
    option(
        "--prototypes P",
        "class embeddings, which replace att of a folder: CSV with a class column or index, word "
        "vectors as text, .mat, .npz, HDF5, JSON; for several files: FILE or FILE:NAME",
    ),
    option(
        "--embedding E",
        "which embedding of --prototypes or of a released folder: word2vec, attributes",
    ),
    option("--labels L", "for several files: the array of labels, FILE or FILE:NAME"),
    option("--class-names C", "for several files: the array of class names, FILE or FILE:NAME"),
    option("--seed N", "seed of --unseen random:N (0)", type=seed),
    option("--show", "show the recognised arrays without storing anything"),
    option(
        "--unseen CLASS...",
        "unseen classes of a file: names or numbers, a file of them, random:N for N random "
        "classes, or base-to-new:NAME for the new classes of the set NAME of `zslcore base-to-new`",
    ),
    option(
        "--pretraining NAME...",
        "pre-training set of the features, to compare with the classes of the data set: "
        "imagenet-1k, another set of check --pretraining, or none; followed by training-images or "
        "seen-classes if the extractor was fine-tuned on images of this data set (default: as the "
        "file declares)",
        default=[],
    ),
    option("--name N", "name of the imported data set"),
)
def run(args: argparse.Namespace) -> int:
    """Import the data sets at the paths, and print their sizes."""
    from zslcore.untrusted.client import refuse_changes

    with refuse_changes(map(Path, args.source)):
        return _import_paths(args)


def _import_paths(args: argparse.Namespace) -> int:
    """Import the data sets at the paths; return the exit status."""
    from zslcore.datasets import xlsa17
    from zslcore.datasets.importing import files_of_intake, import_dataset, reader_of
    from zslcore.datasets.split_folders import read_classes
    from zslcore.storage.files import folder_of, path_of

    source, further = Path(args.source[0]), [Path(path) for path in args.source[1:]]
    options = {
        key: getattr(args, key)
        for key in ("name", "prototypes", "unseen", "features", "splits", "embedding")
        if getattr(args, key) is not None
    }
    if "unseen" in options:
        options["unseen"] = _with_seed(
            read_classes(options["unseen"], folder_of(source)), args.seed
        )
    choices = {key: getattr(args, key) for key in ("labels", "class_names") if getattr(args, key)}
    if source.is_file() and "features" in options and _is_choice(args, source):
        choices["features"] = options["features"]
    if paths := files_of_intake(source, further, choices):
        return _import_files(args, paths, choices, options)
    _refuse_options(args, source)
    for key in {"features", "splits", "prototypes"} & {*options}:
        options[key] = str(path_of(options[key], folder_of(source)))
    if reader_of(source) is xlsa17 and (sets := xlsa17.data_sets_in(source)):
        return _import_all(sets, args.pretraining, options)
    print_dataset(import_dataset(source, pretraining=args.pretraining, **options))
    return 0


def _is_choice(args: argparse.Namespace, source: Path) -> bool:
    """Whether --features names an array of a single file."""
    return Path(str(args.features).rpartition(":")[0] or args.features).name == source.name


def _with_seed(unseen: list[str], seed: int | None) -> list[str]:
    """Return the unseen classes unchanged, but with the seed added to ``random:N``."""
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
    """Refuse options that do not apply: file options for a folder, folder options for a file."""
    of_file, of_folder = ("unseen", "labels", "class_names"), ("features", "splits", "embedding")
    for name in of_folder if source.is_file() else of_file:
        if getattr(args, name) is not None:
            kind = "file" if name in of_folder else "folder"
            raise ParameterError(
                f"--{name.replace('_', '-')} does not apply to a {kind}; got {source}."
            )
    if len(args.source) > 1:
        if not source.exists():
            raise refusal_of(source, "a file", "none")
        raise ParameterError(
            f"{source}: expected files, or one folder; got a folder and other paths."
        )


def _import_files(
    args: argparse.Namespace, paths: list[Path], choices: dict[str, str], options: dict[str, Any]
) -> int:
    """Show the arrays of files, and import them."""
    from zslcore.datasets import intake

    for key in ("splits", "embedding"):
        if key in options:
            raise ParameterError(f"--{key} does not apply to files; got {paths[0]}.")
    if "features" in options:
        choices["features"] = options.pop("features")
    if "prototypes" in options:
        paths, choices = intake.add_prototypes(paths, choices, options.pop("prototypes"))
    survey = intake.survey(paths, choices)
    print(f"{survey.sentence}\n{intake.as_table(survey.rows)}")
    if args.show:
        print("\n".join(filter(None, (*survey.unclear.values(), survey.warning))))
        return 0
    name = options.pop("name", None)
    release = intake.find(paths, choices=choices, intake=survey, **options)
    print_dataset(release.import_dataset(name, args.pretraining))
    return 0


def _import_all(sets: Sequence[Path], pretraining: Sequence[str], options: dict[str, Any]) -> int:
    """Import every data set of an archive; return 2 if one is refused."""
    from zslcore.datasets.importing import import_dataset
    from zslcore.exceptions import ZSLError

    if {"name", "prototypes"} & {*options}:
        names = ", ".join(path.name for path in sets)
        raise ParameterError(f"--name, --prototypes: expected one data set; got {names}.")
    failed = 0
    for path in sets:
        try:
            print_dataset(import_dataset(path, pretraining=pretraining, **options))
        except ZSLError as error:
            failed += 1
            sys.stderr.write(f"zslcore: {path.name} is not imported: {error}\n")
    return 2 if failed else 0


def print_dataset(data: ZSLDataset) -> None:
    """Print the content of a data set, one fact per line."""
    from zslcore.datasets.facts import benchmark_of
    from zslcore.datasets.imports import pretraining_of

    n, d = data.features.shape
    trained = ", ".join(pretraining_of(data)).replace("none", "nothing")
    unknown = "an unknown set; 'import --pretraining' declares it"
    print(f"{data.name}")
    print(f"  images    {n:,} x {d:,} features")
    print(f"  classes   {data.n_classes} x {data.prototypes.shape[1]} attributes")
    print(f"  features  trained on {trained or unknown}")
    benchmark = benchmark_of(data)
    print(f"  benchmark {f'{benchmark}, by its classes' if benchmark else 'not recognised'}")
    print(f"  digest    {data.digest}")
    for split in data.splits.values():
        print(
            f"  {split.name:9} {len(split.seen_classes)} seen and "
            f"{len(split.unseen_classes)} unseen classes; {len(split.trainval):,} trainval, "
            f"{len(split.test_seen):,} test seen, "
            f"{len(split.test_unseen):,} test unseen rows; {counted(len(split.folds), 'fold')}"
        )
        print(f"            {split.note}")
        if (n := len(split.seen_classes)) <= FEWEST_SEEN:
            seen = counted(n, "seen class", "seen classes")
            print(f"  warning   Only {seen}: check the list of unseen classes.")
        for sentence in _leaks_in(split, data):
            print(f"  leak      {sentence} 'zslcore check {data.name}' lists all findings.")


def _leaks_in(split: Split, data: ZSLDataset) -> list[str]:
    """Return the leaks that classes and row numbers of a split show, without its features."""
    from zslcore.leakage.checks import CHECKS, run_check
    from zslcore.leakage.context import AuditContext

    context = AuditContext.of_split(split, data)
    checks = [check for check in CHECKS if check.id in OF_NUMBERS]
    findings = [finding for check in checks for finding in run_check(check, context)]
    return [finding.sentence for finding in findings if finding.mark == "leak"]
