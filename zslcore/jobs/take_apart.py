"""Bias and variance of predicted attributes along a path of a regulariser, as jobs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zslcore.analysis import bias_variance
from zslcore.analysis.bias_variance import BiasVariance, Decomposition
from zslcore.analysis.regularization import RegularizationSpec
from zslcore.datasets import ZSLDataset
from zslcore.jobs.work import Work

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "is_quick", "read"]

NAME = "bias_variance"
#: Counted up when the same arguments leave another result than before.
REVISION = 1

#: Feature values up to which a closed form is fitted to some dozens of training sets in a second.
SMALL = 1 << 19


def is_quick(spec: RegularizationSpec, dataset: ZSLDataset) -> bool:
    """Whether it is done while one waits."""
    n, d = dataset.features.shape
    return not spec.estimator.iterative and n * d <= SMALL


def ask(spec: RegularizationSpec) -> Work:
    """Return the work that decomposes the error of predicted attributes, parameters given."""
    title = f"Bias and variance of {spec.method} on {spec.dataset}, split {spec.split}"
    draws = [bias_variance.CLASS_DRAWS, bias_variance.IMAGE_DRAWS]
    made_by = {"revision": REVISION, "draws": draws} | spec.made_by
    return Work(title, NAME, {"spec": spec.to_json()}, made_by=made_by)


def do(folder: Path, report: Report, *, spec: str) -> None:
    """Decompose the error, and store every part."""
    report(0, 0, "Opening the data set")
    found = bias_variance.of_spec(RegularizationSpec.from_json(spec), on_progress=report)
    parts = asdict(found) | {"values": found.values.tolist()}
    (folder / "parts.json").write_text(json.dumps(parts), encoding="utf-8")


def read(folder: Path, work: Work) -> BiasVariance:
    """Read what :func:`do` wrote."""
    parts = json.loads((folder / "parts.json").read_text(encoding="utf-8"))
    sides = {side: tuple(Decomposition(**part) for part in parts[side]) for side in _SIDES}
    return BiasVariance(**parts | sides | {"values": np.array(parts["values"])})


_SIDES = ("unseen", "seen")
