"""Runs as jobs: one method on one split, chosen on the folds and looked at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import ParameterGrid

from zslcore.datasets import Split, ZSLDataset, load
from zslcore.jobs.work import Work
from zslcore.protocol import ScoredTest
from zslcore.runs import RunResult, RunSpec, RunStore

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "ask", "asks_for_oracle", "do", "is_quick", "read"]

NAME = "run"
#: Counted up when the same arguments leave another result than before.
REVISION = 1

#: Feature values up to which closed forms take a second or so with all their grid, and a second
#: thread costs more than it gains.
SMALL = 1 << 22


def is_quick(spec: RunSpec, dataset: ZSLDataset) -> bool:
    """Whether a run is done while one waits: a closed form on a data set of modest size."""
    return not spec.estimator.iterative and _is_small(dataset)


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
    dataset, store = load(asked.dataset), RunStore()
    plan = _planned_epochs(asked, dataset.split(asked.split), known=store.get(asked.key))
    progress = _Progress(plan, report)
    result, scores = store.run(
        asked,
        dataset,
        with_oracle=asks_for_oracle(asked),
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


def _planned_epochs(spec: RunSpec, split: Split, known: RunResult | None) -> tuple[int, ...]:
    """Return the epochs of every training to come, at most; the last is the one on trainval."""
    each = spec.estimator.planned_epochs(ParameterGrid(spec.grid))
    longest = each and (max(each),)
    generalized = bool(len(split.test_seen))
    folds = len(split.folds) if spec.grid or (generalized and spec.gamma is None) else 0
    if known is not None:
        folds = 0
    if spec.grid and generalized and spec.select_for == "zsl":
        each += longest  # the chosen point once more, for gamma
    return folds * each + longest


class _Progress:
    """Turns what a run tells into how far it is; epochs are counted where there are any.

    Parameters
    ----------
    plan : epochs of every training to come
    report : Report
    """

    def __init__(self, plan: tuple[int, ...], report: Report) -> None:
        self.plan, self.report, self.training = plan, report, 0

    def on_epoch(self, epoch: int, loss: float) -> None:
        """Report an epoch; the first of a training begins the next one."""
        self.training += epoch == 1
        done = sum(self.plan[: self.training - 1]) + epoch
        what = (
            f"Choosing on the folds, training {self.training} of {len(self.plan) - 1}"
            if self.training < len(self.plan)
            else "Fitting on all training classes"
        )
        self.report(done, sum(self.plan), f"{what}, epoch {epoch}: loss {loss:.3g}")

    def on_fit(self, done: int, total: int) -> None:
        """Report a fit of the selection, for methods without epochs."""
        if self.plan:
            return
        what = "Fitting on all training classes"
        if done < total:
            what = f"Choosing on the folds, fit {done} of {total}"
        self.report(done, total + 1, what)
