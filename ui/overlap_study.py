"""What Overlap gain computes as jobs: what asks for it, does it, and reads it; see :mod:`ui.work`.

These are accuracies of the test classes of a split under several methods, and the study over many
draws of test classes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from ui.jobs import Work
from zslcore.analysis import overlap
from zslcore.datasets import ZSLDataset, load
from zslcore.methods import get_method
from zslcore.runs import RunSpec, RunStore

if TYPE_CHECKING:
    from ui.job_child import Report

__all__ = [
    "class_accuracies",
    "overlap_study",
    "read_class_accuracies",
    "read_overlap_study",
    "work_of_class_accuracies",
    "work_of_overlap_study",
]


def work_of_class_accuracies(specs: Sequence[RunSpec]) -> Work:
    """Return the work that runs several methods on one split of one data set."""
    title = f"{len(specs)} methods on {specs[0].dataset}, split {specs[0].split}"
    return Work(title, "class_accuracies", {"specs": [spec.to_json() for spec in specs]})


def class_accuracies(folder: Path, report: Report, *, specs: Sequence[str]) -> None:
    """Run methods, or take what the run store has; keep the accuracy of every unseen class."""
    report(0, 0, "Opening the data set")
    asked = [RunSpec.from_json(text) for text in specs]
    data, store, found = load(asked[0].dataset), RunStore(), {}
    for done, spec in enumerate(asked):
        report(done, len(asked), f"{spec.method}, {done + 1} of {len(asked)}")
        result, _ = store.run(spec, data, with_oracle=False)
        found[spec.method] = {str(c): v for c, v in result.evaluation.per_class_zsl.items()}
    (folder / "accuracies.json").write_text(json.dumps(found), encoding="utf-8")


def read_class_accuracies(folder: Path) -> dict[str, dict[int, float]]:
    """Read what :func:`class_accuracies` wrote: method -> class -> accuracy."""
    found = json.loads((folder / "accuracies.json").read_text(encoding="utf-8"))
    return {m: {int(c): value for c, value in of.items()} for m, of in found.items()}


def work_of_overlap_study(
    datasets: Sequence[ZSLDataset], methods: Sequence[str], known: Sequence[int], n_draws: int
) -> Work:
    """Return the work that fits methods, with their defaults, on draws of test classes.

    Parameters
    ----------
    datasets : of the same classes
    methods : names
    known : classes that the extractor was trained on
    n_draws : int
    """
    arguments = {
        "datasets": {dataset.name: dataset.digest for dataset in datasets},
        "methods": list(methods),
        "known": sorted(int(c) for c in known),
        "n_draws": n_draws,
    }
    title = f"{n_draws} draws of test classes of {', '.join(arguments['datasets'])}"
    return Work(title, "overlap_study", arguments, threads=1)


def overlap_study(
    folder: Path,
    report: Report,
    *,
    datasets: Mapping[str, str],
    methods: Sequence[str],
    known: Sequence[int],
    n_draws: int,
) -> None:
    """Fit every method on every draw with all features; keep the accuracy of every class."""
    report(0, 0, "Opening the data sets")
    opened = {name: load(name) for name in datasets}
    n_classes = next(iter(opened.values())).n_classes
    study = overlap.overlap_study(
        {name: get_method(name)() for name in methods},
        opened,
        overlap.half_and_half(np.isin(np.arange(n_classes), known), n_draws=n_draws),
        on_progress=lambda done, total: report(done, total, f"Fit {done} of {total}"),
    )
    study.to_csv(folder / "study.csv", index=False)


def read_overlap_study(folder: Path) -> pd.DataFrame:
    """Read what :func:`overlap_study` wrote."""
    return pd.read_csv(folder / "study.csv", keep_default_na=False)
