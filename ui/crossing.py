"""Cross-data-set accuracy as work for :mod:`ui.jobs`: what asks for it, does it and reads it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from ui.jobs import Work
from zslcore.analysis.cross_dataset import CrossStore, cross_table
from zslcore.datasets import ZSLDataset, load

if TYPE_CHECKING:
    from ui.job_child import Report

__all__ = ["cross", "cross_work", "read_cross"]

_FILE = "table.csv"


def cross_work(
    first: ZSLDataset,
    second: ZSLDataset,
    split: str,
    methods: Sequence[str],
    *,
    select_for: str = "zsl",
    across: bool = True,
) -> Work:
    """Return the work that trains ``methods`` on each of two data sets and tests them on both."""
    return Work(
        f"{len(methods)} methods on {first.name} and {second.name}, split {split}",
        "cross",
        {
            "first": first.name,
            "second": second.name,
            "digests": [first.digest, second.digest],
            "split": split,
            "methods": sorted(methods),
            "select_for": select_for,
            "across": across,
        },
        threads=1,
    )


def cross(
    folder: Path,
    report: Report,
    *,
    first: str,
    second: str,
    digests: Sequence[str],
    split: str,
    methods: Sequence[str],
    select_for: str,
    across: bool,
) -> None:
    """Make the table; finished fits are kept, so that a cancelled work goes on where it stopped."""
    report(0, 0, "Opening the data sets")
    table = cross_table(
        load(first),
        load(second),
        methods,
        split=split,
        select_for=select_for,
        across=across,
        store=CrossStore(),
        on_progress=report,
    )
    table.to_csv(folder / _FILE, index=False)


def read_cross(folder: Path, methods: Sequence[str]) -> pd.DataFrame:
    """Read what :func:`cross` wrote, ``methods`` in their order."""
    table = pd.read_csv(folder / _FILE)
    order = {method: k for k, method in enumerate(methods)}
    return table.sort_values("method", key=lambda names: names.map(order), kind="stable")
