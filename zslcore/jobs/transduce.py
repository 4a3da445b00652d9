"""Comparisons of a transductive method with its inductive self, as jobs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zslcore.analysis.transduction import Contender, Transduction, TransductionSpec
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.protocol import ScoredTest
from zslcore.jobs.work import Work

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "do", "is_quick", "read"]

NAME = "transduction"
#: Counted up when the same arguments leave another result than before.
REVISION = 1

#: Feature values up to which a method that is one pass and one decomposition takes a second or so.
SMALL = 1 << 18
#: The parts of a comparison; see :class:`zslcore.evaluation.protocol.ScoredTest`.
_ARRAYS = ("F", "y", "classes", "seen")


def is_quick(spec: TransductionSpec, dataset: ZSLDataset) -> bool:
    """Whether a comparison is done while one waits."""
    method = spec.estimator
    inductive = method.inductive()
    iterative = method.iterative or (inductive is not None and inductive.iterative)
    return not iterative and dataset.features.shape[0] * dataset.features.shape[1] <= SMALL


def ask(spec: TransductionSpec) -> Work:
    """Return the work that makes a comparison."""
    title = f"{spec.method} on {spec.dataset}, split {spec.split}"
    made_by = {"revision": REVISION} | spec.made_by
    return Work(title, NAME, {"spec": spec.to_json()}, made_by=made_by)


def do(folder: Path, report: Report, *, spec: str) -> None:
    """Compare, and keep the scores of both contenders in both problems."""
    report(0, 0, "Opening the data set")
    result = TransductionSpec.from_json(spec).compare(on_progress=report)
    about, arrays = [], dict[str, np.ndarray]()
    for contender in result.contenders:
        about.append({name: getattr(contender, name) for name in _ABOUT})
        for task in contender.params:
            scores = getattr(contender, task)
            of = f"{contender.kind}/{task}"
            arrays |= {f"{of}/{name}": getattr(scores, name) for name in _ARRAYS}
    (folder / "contenders.json").write_text(json.dumps(about), encoding="utf-8")
    np.savez(folder / "scores.npz", allow_pickle=False, **arrays)


_ABOUT = ("name", "kind", "params", "origin", "gamma")


def read(folder: Path, work: Work) -> Transduction:
    """Read what :func:`do` wrote."""
    about = json.loads((folder / "contenders.json").read_text(encoding="utf-8"))
    contenders = {}
    with np.load(folder / "scores.npz", allow_pickle=False) as arrays:
        for each in about:
            scored = {
                task: ScoredTest(*(arrays[f"{each['kind']}/{task}/{name}"] for name in _ARRAYS))
                for task in each["params"]
            }
            contenders[each["kind"]] = Contender(**each, zsl=scored["zsl"], gzsl=scored.get("gzsl"))
    return Transduction(**contenders)
