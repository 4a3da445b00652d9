"""Paths of a regulariser, as jobs."""

from __future__ import annotations

import json
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zslcore.analysis.regularization import RegularizationPath, RegularizationSpec, as_runs
from zslcore.datasets import ZSLDataset
from zslcore.jobs.work import Work
from zslcore.results.result import Result, result_of
from zslcore.results.store import ResultStore

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "is_quick", "read"]

NAME = "regularization_path"
#: Counted up when the same arguments leave another result than before.
REVISION = 1

#: Feature values up to which a closed form follows a path in a second or two.
SMALL = 1 << 21


def is_quick(spec: RegularizationSpec, dataset: ZSLDataset) -> bool:
    """Whether a path is followed while one waits: that of a closed form, on modest data."""
    n, d = dataset.features.shape
    return not spec.estimator.iterative and n * d <= SMALL


def ask(spec: RegularizationSpec) -> Work:
    """Return the work that follows a path."""
    title = f"{spec.method} along {spec.parameter} on {spec.dataset}, split {spec.split}"
    made_by = {"revision": REVISION} | spec.made_by
    return Work(title, NAME, {"spec": spec.to_json()}, made_by=made_by)


def do(folder: Path, report: Report, *, spec: str) -> None:
    """Follow the path, and keep all of it."""
    report(0, 0, "Opening the data set")
    of = RegularizationSpec.from_json(spec)
    path = of.follow(on_progress=report)
    found = {each.name: getattr(path, each.name) for each in fields(path)}
    arrays = {name: value for name, value in found.items() if isinstance(value, np.ndarray)}
    words = {name: value for name, value in found.items() if name not in arrays}
    (folder / "words.json").write_text(json.dumps(words), encoding="utf-8")
    np.savez(folder / "path.npz", allow_pickle=False, **arrays)
    ResultStore().try_put_result(_result(of, path))


def _result(spec: RegularizationSpec, path: RegularizationPath) -> Result:
    """Return the figures as a result, one row a value; all of the path stays with the job."""
    names = ("dataset", "split", "method", "features", "prototypes", "seed", "digest")
    about = {name: getattr(spec, name) for name in names}
    about["revisions"] = json.dumps(spec.made_by["revisions"])
    rows = as_runs(spec, path.table().to_dict("records"))
    return result_of("path", ask(spec).key, about, rows)


def read(folder: Path, work: Work) -> RegularizationPath:
    """Read what :func:`do` wrote."""
    words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    with np.load(folder / "path.npz", allow_pickle=False) as arrays:
        return RegularizationPath(**words, **arrays)
