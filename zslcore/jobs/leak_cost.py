"""What leaks cost one method, as a job; each method has a job and a result of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from zslcore.analysis import leak_cost
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.specs import revisions_of
from zslcore.jobs.work import Work
from zslcore.methods import get_method

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "read"]

NAME = "leak_cost"
#: Counted up when the same arguments leave another result than before.
REVISION = 1


def ask(
    dataset: ZSLDataset,
    split: str,
    method: str,
    leaks: Sequence[leak_cost.Leak],
    *,
    choose: bool = True,
) -> Work:
    """Return the work that measures what leaks cost one method.

    Parameters
    ----------
    dataset : ZSLDataset
    split, method : names
    leaks : of :data:`zslcore.analysis.leak_cost.LEAKS`
    choose : whether parameters are chosen on the folds
    """
    arguments = {
        "dataset": dataset.name,
        "digest": dataset.digest,
        "split": split,
        "method": method,
        "leaks": list(leaks),
        "choose": choose,
    }
    estimator = get_method(method)()
    made_by = {
        "revision": REVISION,
        "revisions": revisions_of(estimator),
        "grid": dict(estimator.param_grid) if choose else {},
    }
    return Work(f"What leaks cost {method} on {dataset.name}", NAME, arguments, made_by=made_by)


def do(
    folder: Path,
    report: Report,
    *,
    dataset: str,
    digest: str,
    split: str,
    method: str,
    leaks: Sequence[leak_cost.Leak],
    choose: bool,
) -> None:
    """Measure, and keep a row a leak and figure."""
    report(0, 0, "Opening the data set")
    data = load(dataset).required(digest)
    found = leak_cost.costs(
        get_method(method)(),
        data,
        data.split(split),
        leaks,
        choose=choose,
        on_progress=report,
    )
    leak_cost.table(found).to_json(folder / "costs.json", orient="records", double_precision=15)


def read(folder: Path, work: Work) -> pd.DataFrame:
    """Read what :func:`do` wrote, see :func:`zslcore.analysis.leak_cost.table`."""
    return pd.read_json(folder / "costs.json", orient="records", precise_float=True)
