"""Runs as jobs: one method on one split, chosen on the folds and looked at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.progress import Progress
from zslcore.evaluation.protocol import ScoredTest
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs.work import Work
from zslcore.results.store import ResultStore

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "asks_for_oracle", "do", "is_quick", "read", "seconds"]

NAME = "run"
#: Counted up when the same arguments leave another result than before.
REVISION = 1

#: Feature values up to which closed forms take a second or so with all their grid, and a second
#: thread costs more than it gains.
SMALL = 1 << 22
#: Multiplications a second, as the slowest closed form makes them with its grid on the folds.
SPEED = 6e8


def is_quick(spec: RunSpec, dataset: ZSLDataset) -> bool:
    """Whether a run is done while one waits: a closed form on a data set of modest size."""
    return not spec.estimator.iterative and _is_small(dataset)


def seconds(dataset: ZSLDataset) -> float:
    """Return an upper estimate of the seconds of a closed form with its grid on one thread."""
    n, d = dataset.features.shape
    return float(0.2 + n * d * (sum(dataset.prototypes.shape) + 100) / SPEED)


def _is_small(dataset: ZSLDataset) -> bool:
    n, d = dataset.features.shape
    return n * d <= SMALL


def asks_for_oracle(spec: RunSpec) -> bool:
    """Whether the grid is swept on the test set too, which only closed forms do at once."""
    return not spec.estimator.iterative


def ask(spec: RunSpec, dataset: ZSLDataset) -> Work:
    """Return the work that runs a spec."""
    title = f"{spec.method} on {spec.dataset}, split {spec.split}"
    threads = 1 if _is_small(dataset) else 2
    made_by = {"revision": REVISION}
    return Work(title, NAME, {"spec": spec.to_json()}, threads, made_by)


def do(folder: Path, report: Report, *, spec: str) -> None:
    """Run a spec, or fit again what the run store has of it; keep result and scores."""
    asked = RunSpec.from_json(spec)
    report(0, 0, "Opening the data set")
    dataset, store = load(asked.dataset), ResultStore()
    with_oracle = asks_for_oracle(asked)
    progress = Progress(
        asked, dataset, report, with_oracle=with_oracle, known=store.recall(asked.key)
    )
    result, scores = store.run(
        asked,
        dataset,
        with_oracle=with_oracle,
        on_progress=progress.on_fit,
        on_epoch=progress.on_epoch,
    )
    (folder / "result.json").write_text(result.to_json(), encoding="utf-8")
    np.savez(
        folder / "scores.npz", F=scores.F, y=scores.y, classes=scores.classes, seen=scores.seen
    )


def read(folder: Path, work: Work) -> tuple[RunResult, ScoredTest]:
    """Read what :func:`do` wrote."""
    result = RunResult.from_json((folder / "result.json").read_text(encoding="utf-8"))
    with np.load(folder / "scores.npz", allow_pickle=False) as arrays:
        return result, ScoredTest(**arrays)
