"""Every answer of a method along the grid of its regulariser.

A path (:mod:`zslcore.analysis.regularization`) holds figures; here are the answers behind them, at
each value of the grid and with the gamma that the folds choose for that very value.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import count

import numpy as np

from zslcore.analysis.run_study import SpecStudy
from zslcore.analysis.study import Report
from zslcore.datasets import ZSLDataset, load
from zslcore.evaluation.predictions import PredictedRows
from zslcore.evaluation.protocol import Progress, best_common_gamma
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import ParameterError
from zslcore.methods import get_method


@dataclass(frozen=True, eq=False)
class Along:
    """The answers of a method along the grid of one parameter, ``values`` increasing.

    ``gamma`` is chosen on the folds for each value, ``for_zsl`` is the place of the value that they
    choose for ZSL; ``tests`` have the same test rows, those of seen classes first.
    """

    parameter: str
    values: np.ndarray
    gamma: np.ndarray
    for_zsl: int
    tests: tuple[PredictedRows, ...]

    @property
    def best(self) -> int:
        """Place of the largest H at its own gamma *on the test set*: a bound, never a choice."""
        pairs = zip(self.tests, self.gamma, strict=True)
        return int(np.argmax([test.curve.at(gamma).harmonic for test, gamma in pairs]))


def lambda_of(method: str) -> str | None:
    """Return the parameter of a method that is its lambda, None where its grid has none."""
    known = get_method(method)
    return next(
        (p for p in known.regularizers if p.startswith("lam") and p in known.param_grid), None
    )


def along(spec: RunSpec, dataset: ZSLDataset, on_progress: Progress | None = None) -> Along:
    """Answer the test set at every value of the only parameter that a spec leaves open.

    ``on_progress`` is called after every fit-and-score; whatever it raises ends the work. Raises
    ZSLError when not exactly one parameter is open, and for a split without folds or without rows.
    """
    dataset = dataset.required(spec.digest)
    grid = spec.grid or {}
    if len(grid) != 1:
        raise ParameterError(
            f"{spec.method}: expected one open parameter; got {', '.join(grid) or 'none'}."
        )
    ((parameter, known),) = grid.items()
    values = sorted(known)
    split, method, done = dataset.split(spec.split), spec.estimator, count(1)
    total = len(values) * (2 * len(split.folds) + 1)

    def tell(*_: object) -> None:
        if on_progress is not None:
            on_progress(next(done), total)

    setting = spec.setting(dataset, tell)
    zsl = setting.select(method, task="zsl", grid={parameter: values}, with_gamma=False)
    gzsl = setting.select(method, grid={parameter: values})
    rows = np.concatenate([split.test_seen, split.test_unseen])
    points = [{parameter: value} for value in values]
    return Along(
        parameter,
        np.array(values, dtype=float),
        np.array([best_common_gamma(curves) for curves in gzsl.curves]),
        values.index(zsl.params[parameter]),
        tuple(PredictedRows.of_scores(test, rows) for test in setting.sweep(method, points)),
    )


@dataclass(frozen=True)
class AlongStudy(SpecStudy[Along]):
    """The answers along the grid of the parameter that a spec leaves open."""

    kind = "answers_along"
    SMALL = 1 << 18

    @property
    def title(self) -> str:
        """Description on the screen."""
        spec = self.spec
        return f"{spec.method} along {', '.join(spec.grid or ())} on {spec.dataset}, {spec.split}"

    def compute(self, report: Report) -> Along:
        """Fit at each value of the grid, on the folds and for the test set."""
        step = "Answering at each value"
        data = load(self.spec.dataset)
        return along(self.spec, data, lambda done, total: report(done, total, step))
