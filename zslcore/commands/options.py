"""Options shared by several commands, the types of their values, and lines of progress."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.commands.command import option
from zslcore.exceptions import ParameterError
from zslcore.texts import clean_text

if TYPE_CHECKING:
    from zslcore.datasets import ZSLDataset
    from zslcore.large.engine import TasksStatus

#: Help of every ``--method``.
METHOD = "name of a method, FILE.py:Class, or the entry point of an installed package"
#: Choices that may have been made on test data, and their names in help texts.
CHOICES = {"hyperparameters": "hyperparameters", "epochs": "epochs", "gamma": "gamma"}


def file_to_write(text: str) -> Path:
    """Return the path of an output file, checked before the command starts its work.

    Raises ParameterError if its folder does not exist, or if it is a folder.
    """
    path = Path(text)
    try:
        is_folder, has_folder = path.is_dir(), path.resolve().parent.is_dir()
    except (OSError, ValueError):
        is_folder = has_folder = False
    if is_folder or not has_folder:
        expected = "a file to write" if is_folder else "a file in an existing folder"
        got = "a folder" if is_folder else "none"
        raise ParameterError(f"{clean_text(text)}: expected {expected}; got {got}.")
    return path


def parquet_to_write(text: str) -> Path:
    """Return the path of a Parquet file to write, checked as in :func:`file_to_write`."""
    path = file_to_write(text)
    if path.suffix.lower() != ".parquet":
        raise ParameterError(
            f"--predictions: expected a name that ends in .parquet; got {clean_text(path.name)!r}."
        )
    return path


def seed(text: str) -> int:
    """Return a seed; raise ParameterError unless the text is a whole number from 0."""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        got = clean_text(text, 40)
        raise ParameterError(f"--seed: expected a whole number of at least 0; got {got!r}.")
    return int(text)


def show_steps(done: float = 0, total: float = 0, message: str = "") -> None:
    """Rewrite the line of progress on a terminal; without a message, clear it."""
    if sys.stderr.isatty():
        line = f"{done / total:4.0%}  {message}" if message and total else message
        sys.stderr.write(f"\r{line:100}\r" if message else f"{'':100}\r")
        sys.stderr.flush()


def show_status(status: TasksStatus) -> None:
    """Print a line of progress on standard error, which may be a terminal or a file."""
    sys.stderr.write(f"{status}\n")
    sys.stderr.flush()


def describe_dataset(dataset: ZSLDataset) -> str:
    """Return the name and digest of a data set, marked as simulated or fine-tuned."""
    from zslcore.datasets.facts import fine_tuned_on

    kind = ", simulated" * dataset.simulated
    kind += ", features fine-tuned" * bool(fine_tuned_on(dataset.pretraining))
    return f"{dataset.name}{kind}, data {dataset.digest}"


JSON = option("--json", "print everything as JSON")
SPLIT = option("--split NAME", "name of the split (PS, or the only one)")
SEED = option("--seed N", "seed of random numbers (0)", type=seed, default=0)
PARAM = option(
    "--param NAME=VALUE", "set a parameter; may be repeated", action="append", default=[]
)
CLASSES = "names or numbers of classes, or a file of them"
FIX = option(
    "--fix FIX",
    "answer to an open question about the scores (see `zslcore score --help`)",
    action="append",
    default=[],
)
VALIDATION = option(
    "--validation FILE...",
    "scores of the validation folds, one file per fold, to choose gamma",
    default=[],
    type=Path,
)
LABELS = option("--labels FILE", "labels, if the scores have none", type=Path)
#: Options that state where hyperparameters, epochs, gamma and prototypes come from.
STATED_CHOICES = (
    *(
        option(
            f"--{name}-on DATA",
            f"data used to choose {title}: validation, given, test or none (unknown)",
        )
        for name, title in CHOICES.items()
    ),
    option(
        "--prototypes-from DATA",
        "origin of class embeddings: independent (of test images) or 'test images' (unknown)",
    ),
)


def stated_choices(args: argparse.Namespace) -> dict[str, Any]:
    """Return the values of :data:`STATED_CHOICES` as fields of a DeclaredProvenance."""
    chosen = {name: getattr(args, f"{name}_on") or "unknown" for name in CHOICES}
    return chosen | {"prototypes": args.prototypes_from or "unknown"}
