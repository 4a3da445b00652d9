"""Answers along the grid of a regulariser, as jobs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zslcore.analysis.along import Along, along
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.predictions import PredictedRows
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs.work import Work

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "is_quick", "read"]

NAME = "answers_along"
#: Counted up when the same arguments leave another result than before.
REVISION = 1

#: What all values share, and what each has.
_SHARED = ("rows", "labels", "classes", "seen")
_EACH = ("seen_class", "unseen_class", "margin")
#: Feature values up to which a closed form answers along its grid in a second or two.
SMALL = 1 << 18


def is_quick(spec: RunSpec, dataset: ZSLDataset) -> bool:
    """Whether the answers are there while one waits: those of a closed form, on small data."""
    n, d = dataset.features.shape
    return not spec.estimator.iterative and n * d <= SMALL


def ask(spec: RunSpec) -> Work:
    """Return the work that answers along the grid of the parameter that a spec leaves open."""
    title = f"{spec.method} along {', '.join(spec.grid or ())} on {spec.dataset}, {spec.split}"
    return Work(title, NAME, {"spec": spec.to_json()}, made_by={"revision": REVISION})


def do(folder: Path, report: Report, *, spec: str) -> None:
    """Answer, and keep two candidates and a margin of each image at each value."""
    asked = RunSpec.from_json(spec)
    report(0, 0, "Opening the data set")
    words = "Answering at each value"
    found = along(asked, load(asked.dataset), lambda done, total: report(done, total, words))
    first, each = found.tests[0], found.tests
    arrays = {name: getattr(first, name) for name in _SHARED}
    arrays |= {name: np.stack([getattr(test, name) for test in each]) for name in _EACH}
    np.savez_compressed(
        folder / "along.npz",
        allow_pickle=False,
        parameter=np.array(found.parameter),
        values=found.values,
        gamma=found.gamma,
        for_zsl=np.array(found.for_zsl),
        resolution=np.array([test.resolution for test in each]),
        **arrays,
    )


def read(folder: Path, work: Work) -> Along:
    """Read what :func:`do` wrote."""
    with np.load(folder / "along.npz", allow_pickle=False) as arrays:
        held = {name: arrays[name] for name in arrays.files}
    shared = {name: held[name] for name in _SHARED}
    tests = (
        PredictedRows(
            **shared,
            **{name: held[name][k] for name in _EACH},
            resolution=float(held["resolution"][k]),
        )
        for k in range(len(held["values"]))
    )
    about = str(held["parameter"]), held["values"], held["gamma"], int(held["for_zsl"])
    return Along(*about, tuple(tests))
