"""Helpers of the commands: a line of progress, the name of a data set."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from zslcore.datasets import ZSLDataset
    from zslcore.large.following import Standing

    Subparsers = argparse._SubParsersAction[argparse.ArgumentParser]


#: What every ``--method`` takes.
METHOD = "name of a method, FILE.py:Class, or the entry point of an installed package"


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
