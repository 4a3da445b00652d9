"""Runs as jobs: one method on one split, chosen on the folds and looked at once.

The command line does the same without a child: it shares :class:`Progress`.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from sklearn.model_selection import ParameterGrid

from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.protocol import ScoredTest
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.jobs.work import Work
from zslcore.results.store import ResultStore

if TYPE_CHECKING:
    from zslcore.jobs.child import Report

__all__ = ["NAME", "REVISION", "Progress", "ask", "asks_for_oracle", "do", "is_quick", "read"]

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


class Progress:
    """Turns what a run tells into how far it is; epochs are counted where there are any.

    Parameters
    ----------
    spec : RunSpec
    dataset : its data
    report : callable(done, total, message)
    with_oracle : bool
        Whether the grid is swept on the test set too.
    known : RunResult, optional
        The stored choice of the run, which is not made again.
    """

    def __init__(
        self,
        spec: RunSpec,
        dataset: ZSLDataset,
        report: Callable[[float, float, str], None],
        *,
        with_oracle: bool = False,
        known: RunResult | None = None,
    ) -> None:
        split = dataset.split(spec.split)
        each = spec.estimator.planned_epochs(ParameterGrid(spec.grid))
        longest = each and (max(each),)
        generalized = bool(len(split.test_seen))
        chooses = known is None and (spec.grid or (generalized and spec.gamma is None))
        of_fold = each
        if spec.grid and generalized and spec.select_for == "zsl":
            of_fold += longest  # the chosen point once more, for gamma
        on_folds = (len(split.folds) if chooses else 0) * of_fold
        #: Epochs of every training to come, at most, in the order of :func:`execute_with_scores`.
        self.plan = on_folds + longest + (each if with_oracle else ())
        self.choosing, self.training, self.report = len(on_folds), 0, report

    def on_epoch(self, epoch: int, loss: float) -> None:
        """Report an epoch; the first of a training begins the next one."""
        self.training += epoch == 1
        done = sum(self.plan[: self.training - 1]) + epoch
        what = "Sweeping the grid on the test set"
        if self.training <= self.choosing:
            what = f"Choosing on the folds, training {self.training} of {self.choosing}"
        elif self.training == self.choosing + 1:
            what = "Fitting on all training classes"
        self.report(done, sum(self.plan), f"{what}, epoch {epoch}: loss {loss:.3g}")

    def on_fit(self, done: int, total: int) -> None:
        """Report a fit of the selection, for methods without epochs."""
        if self.plan:
            return
        what = "Fitting on all training classes"
        if done < total:
            what = f"Choosing on the folds, fit {done} of {total}"
        self.report(done, total + 1, what)
