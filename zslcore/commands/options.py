"""Helpers of commands: shared options, percent, a line of progress, the name of a data set."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from zslcore.exceptions import ParameterError
from zslcore.texts import clean_text, strict_json

if TYPE_CHECKING:
    from zslcore.datasets import ZSLDataset
    from zslcore.large.engine import Standing

#: What every ``--method`` takes.
METHOD = "name of a method, FILE.py:Class, or the entry point of an installed package"
#: What a result may have been tuned by.
CHOSEN = ("hyperparameters", "epochs", "gamma")


def add_choices(parser: argparse._ActionsContainer) -> None:
    """Add the options that state what parameters, epochs, gamma and prototypes come from."""
    text = "what they were chosen on: validation, given, test or none"
    for what in CHOSEN:
        parser.add_argument(f"--{what}-on", metavar="WHAT", default="unknown", help=text)
    text = "independent or test images"
    parser.add_argument("--prototypes-from", metavar="WHAT", default="unknown", help=text)


def stated_choices(args: argparse.Namespace) -> dict[str, Any]:
    """Return what the options of :func:`add_choices` state, as fields of a Provenance."""
    chosen = {what: getattr(args, f"{what}_on") for what in CHOSEN}
    return chosen | {"prototypes": args.prototypes_from}


def add_submission(parser: argparse._ActionsContainer) -> None:
    """Add the options of a page on a submission."""
    option = parser.add_argument
    option("--unseen", nargs="+", metavar="CLASS", help="names or numbers, or a file of them")
    text = "answer to a question about the scores, see zslcore score --help"
    option("--fix", action="append", default=[], metavar="FIX", help=text)
    text = "scores of other images and classes, one a fold, to choose gamma"
    option("--validation", nargs="+", default=[], type=Path, metavar="FILE", help=text)
    option("--gamma", type=float, help="gamma that the authors state")
    option("--extractor", default="", metavar="NAME", help="as zslcore contamination lists it")
    option("--blind", action="store_true", help="leave out names of files and paths")


def file_to_write(text: str) -> Path:
    """Return the path of a file that a command writes in the end, checked before its work.

    Raises ParameterError where its folder does not exist, or it is a folder itself.
    """
    path = Path(text)
    try:
        is_folder, has_folder = path.is_dir(), path.resolve().parent.is_dir()
    except (OSError, ValueError):
        is_folder = has_folder = False
    if is_folder or not has_folder:
        expected = "a file to write" if is_folder else "a file in a folder that exists"
        got = "a folder" if is_folder else "none"
        raise ParameterError(f"{clean_text(text)}: expected {expected}; got {got}.")
    return path


def parquet_to_write(text: str) -> Path:
    """Return the path of a Parquet file that a command writes, as :func:`file_to_write`."""
    path = file_to_write(text)
    if path.suffix.lower() != ".parquet":
        raise ParameterError(
            f"--predictions: expected a name that ends in .parquet; got {clean_text(path.name)!r}."
        )
    return path


def seed(text: str) -> int:
    """Return a seed; ParameterError for another text than a whole number from 0 on."""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        got = clean_text(text, 40)
        raise ParameterError(f"--seed: expected a whole number from 0; got {got!r}.")
    return int(text)


def percent(value: float | None, form: str = ".1f") -> str:
    """Return a fraction in percent, "-" where it is missing."""
    return "-" if value is None or value != value else f"{100 * value:{form}}"


def as_json(records: list[dict[str, Any]]) -> str:
    """Return records as JSON that is indented, to be read."""
    return strict_json(records, ensure_ascii=False, indent=2)


def show_steps(done: float = 0, total: float = 0, message: str = "") -> None:
    """Rewrite one line of progress on a terminal; without a message clear it."""
    if sys.stderr.isatty():
        line = f"{done / total:4.0%}  {message}" if message and total else message
        sys.stderr.write(f"\r{line:100}\r" if message else f"{'':100}\r")
        sys.stderr.flush()


def show_standing(standing: Standing) -> None:
    """Print how far the work is on standard error, a line a call, on a terminal and in a file."""
    sys.stderr.write(f"{standing}\n")
    sys.stderr.flush()


def named(dataset: ZSLDataset) -> str:
    """Return the name and digest of a data set, and whether it is simulated or fine-tuned."""
    from zslcore.datasets.facts import fine_tuned_on

    kind = ", simulated" * dataset.simulated
    kind += ", features fine-tuned" * bool(fine_tuned_on(dataset.pretraining))
    return f"{dataset.name}{kind}, data {dataset.digest}"
