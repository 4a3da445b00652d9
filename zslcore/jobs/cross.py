"""Cross-data-set accuracy as a job: methods trained on each of two data sets, tested on both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from zslcore.analysis.cross_dataset import cross_table
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.specs import revisions_of
from zslcore.jobs.work import Work
from zslcore.methods import METHODS
from zslcore.results.store import ResultStore
from zslcore.version import read_stamped

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "read"]

NAME = "cross"
#: Counted up when the same arguments leave another result than before.
REVISION = 1
_FILE = "table.csv"


def ask(
    first: ZSLDataset,
    second: ZSLDataset,
    split: str,
    methods: Sequence[str],
    *,
    select_for: str = "zsl",
    across: bool = True,
) -> Work:
    """Return the work that trains ``methods`` on each of two data sets and tests them on both."""
    classes = {name: METHODS[name] for name in sorted(methods)}
    made_by = {
        "revision": REVISION,
        "revisions": revisions_of(*(method() for method in classes.values())),
        "grids": {name: dict(method.param_grid) for name, method in classes.items()},
    }
    return Work(
        f"{len(methods)} methods on {first.name} and {second.name}, split {split}",
        NAME,
        {
            "first": first.name,
            "second": second.name,
            "digests": [first.digest, second.digest],
            "split": split,
            "methods": sorted(methods),
            "select_for": select_for,
            "across": across,
        },
        made_by=made_by,
    )


def do(
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
    """Make the table; finished fits are stored, so a cancelled job resumes where it stopped."""
    report(0, 0, "Opening the data sets")
    table = cross_table(
        load(first),
        load(second),
        methods,
        split=split,
        select_for=select_for,
        across=across,
        store=ResultStore(),
        on_progress=report,
    )
    table.to_csv(folder / _FILE, index=False)


def read(folder: Path, work: Work) -> pd.DataFrame:
    """Read what :func:`do` wrote, the methods by name."""
    return read_stamped(folder / _FILE)
