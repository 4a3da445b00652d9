"""How far a run is: fits and epochs that are done, of all there are."""

from __future__ import annotations

from collections.abc import Callable

from sklearn.model_selection import ParameterGrid

from zslcore.datasets import ZSLDataset
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec


class Progress:
    """Turns the calls of a run into how far it is; epochs are counted where there are any.

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
