"""Cost of a leak in percentage points, for one method on one test set with and without the leak.

*training*
    In the first release of the Proposed Split, every test image of a seen class is also in
    ``train_loc`` or ``val_loc``. Training on these two lists instead of ``trainval_loc`` trains on
    test images.
*selection*
    Parameters and gamma are chosen on ``train_loc`` and ``val_loc`` of that release; the method is
    trained on ``trainval_loc``, without test images.
*photographs*
    Rows cut from one photograph are both training and test rows, as in aPY. The clean training
    set lacks the rows that share a photograph with a test row; the leaky one lacks as many other
    rows of the same classes, so that both have the same size.
*epochs*
    The number of epochs is the one with the best H on the test images. All other parameters are
    chosen on the folds, or given; gamma is chosen on the folds for each number of epochs.

Everything else is the same with and without the leak: test rows, preprocessing and seed. Parameters
and gamma are chosen on the clean folds and are also the same, unless the leak is in their choice.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019; its data page describes both releases.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from sklearn.base import clone
from sklearn.model_selection import ParameterGrid

from zslcore.analysis import resampling
from zslcore.datasets import Fold, Split, ZSLDataset
from zslcore.evaluation.predicted_tests import ScoredTest, best_common_gamma
from zslcore.evaluation.protocol import Selection, Setting
from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.methods.base import ZSLEstimator
from zslcore.metrics import significance
from zslcore.numbers import percent, signed

Leak = Literal["training", "selection", "photographs", "epochs"]
LEAKS: tuple[Leak, ...] = get_args(Leak)
#: Leak -> its description in a sentence.
MEANING: dict[str, str] = {
    "training": "trained on the test images of seen classes",
    "selection": "parameters and gamma chosen with the test images of seen classes",
    "photographs": "trained on rows that share a photograph with a test image",
    "epochs": "stopped at the epoch with the best H on the test images",
}
#: Metric -> its name in tables.
SHORT: dict[str, str] = {
    "zsl": "ZSL",
    "unseen": "u",
    "seen": "s",
    "harmonic": "H",
    "calibrated_harmonic": "H at gamma",
    "best_harmonic": "best H (oracle)",
    "ausuc": "AUSUC",
}


@dataclass(frozen=True, slots=True, eq=False)
class Arm:
    """Run with or without leak.

    ``rows`` counts training rows; ``gamma`` is None if the split has no folds.
    """

    rows: int
    params: Mapping[str, Any]
    gamma: float | None
    scores: ScoredTest


@dataclass(frozen=True, slots=True, eq=False)
class Cost:
    """Results of one method with and without a leak; ``origin`` is the origin of its parameters."""

    method: str
    leak: Leak
    origin: Literal["validated", "given"]
    clean: Arm
    leaky: Arm

    def rows(self, n_draws: int = significance.N_DRAWS) -> list[dict[str, Any]]:
        """Return one row per metric: clean, leaky, and difference with interval over classes."""
        drawn = significance.class_draws(self.clean.scores.seen, n_draws)
        clean, leaky = (
            resampling.metrics_of_draws(arm.scores, drawn, arm.gamma or 0.0)
            for arm in (self.clean, self.leaky)
        )
        rows = []
        for metric, values in clean.items():
            if metric == "calibrated_harmonic" and None in (self.clean.gamma, self.leaky.gamma):
                continue
            difference = leaky[metric] - values
            few = significance.fewest_classes(resampling.tested_sides(self.clean.scores), metric)
            low, high = significance.interval(difference, few)
            rows.append(
                {
                    "method": self.method,
                    "leak": self.leak,
                    "metric": metric,
                    "clean": float(values[0]),
                    "leaky": float(leaky[metric][0]),
                    "difference": float(difference[0]),
                    "low": low,
                    "high": high,
                    "params_origin": self.origin,
                    "clean_params": dict(self.clean.params),
                    "leaky_params": dict(self.leaky.params),
                    "clean_rows": self.clean.rows,
                    "leaky_rows": self.leaky.rows,
                }
            )
        return rows


def table(costs_: Sequence[Cost]) -> pd.DataFrame:
    """Return one row per method, leak and metric; values are fractions in [0, 1]."""
    return pd.DataFrame([row for cost in costs_ for row in cost.rows()])


def as_text(costs_: Sequence[Cost]) -> str:
    """Return :func:`table` as plain text, in percent and percentage points."""
    lines = []
    for cost in costs_:
        lines.append(f"{cost.method}, {MEANING[cost.leak]}; parameters {cost.origin}")
        for row in cost.rows():
            points = [signed(row[name]) for name in ("difference", "low", "high")]
            lines.append(
                f"  {SHORT[row['metric']]:15} {percent(row['clean']):>7} → "
                f"{percent(row['leaky']):>7}   {points[0]:>5} points ({points[1]} to {points[2]})"
            )
    cautions = dict.fromkeys(significance.caution(cost.clean.scores.seen) for cost in costs_)
    lines += textwrap.wrap(" ".join(cautions), 100)
    return "\n".join(lines)


def possible_leaks(dataset: ZSLDataset, split: Split) -> tuple[Leak, ...]:
    """Return the leaks measurable on a split; *epochs* also needs :func:`searches_epochs`."""
    has = {
        "training": bool(len(split.test_seen)),
        "selection": bool(len(split.test_seen) and split.folds),
        "photographs": bool(len(_rows_of_shared_photographs(dataset, split))),
        "epochs": bool(len(split.test_seen) and split.folds),
    }
    return tuple(leak for leak in LEAKS if has[leak])


def first_release_folds(labels: np.ndarray, split: Split) -> tuple[Fold, ...]:
    """Return the folds of the first release, which include test images of their classes.

    In all five data sets, the only difference from release 2.0 is that each part of a fold also has
    the ``test_seen_loc`` rows of its classes.
    """
    test = split.test_seen

    def join(rows: np.ndarray) -> np.ndarray:
        return np.union1d(rows, test[np.isin(labels[test], np.unique(labels[rows]))])

    return tuple(Fold(join(fold.train), join(fold.val)) for fold in split.folds)


def costs(
    method: ZSLEstimator, setting: Setting, leaks: Sequence[Leak] = (), *, choose: bool = True
) -> list[Cost]:
    """Measure the cost of leaks for one method, by default of all leaks that apply to it.

    The split of ``setting`` must be free of the leaks *training* and *selection*. If it has folds,
    gamma is always chosen on them; ``choose=False`` keeps the method's parameters. Raises a
    DatasetError if a leak cannot be measured on this split, or if parameters cannot be chosen
    without folds; ParameterError for *epochs* with a method without epochs in its grid.
    """
    dataset, split = setting.dataset, setting.split
    possible = possible_leaks(dataset, split)
    for leak in leaks:
        if leak not in LEAKS:
            raise closest_name("leak", leak, LEAKS)
        if leak not in possible:
            raise DatasetError(f"{dataset.name}, split {split.name!r}: {_NEEDS[leak]}")
        if leak == "epochs" and not searches_epochs(method):
            raise ParameterError(
                f"{method.card.name}: expected a method with epochs in its grid; its grid has "
                f"{', '.join(method.param_grid) or 'nothing'}."
            )
    usual = [leak for leak in possible if leak != "epochs" or searches_epochs(method)]
    measurement = _LeakMeasurement(method, setting, choose)
    return [getattr(measurement, leak)() for leak in leaks or usual]


def searches_epochs(method: ZSLEstimator | type[ZSLEstimator]) -> bool:
    """Return whether the number of epochs of a method is chosen on the folds."""
    return "epochs" in method.param_grid


_NEEDS: dict[Leak, str] = {
    "training": "expected test images of seen classes; got none.",
    "selection": "expected test images of seen classes, and folds to choose on.",
    "photographs": "expected a photograph with rows in training and in test; got none.",
    "epochs": "expected test images of seen classes, and folds to choose on.",
}


def _rows_of_shared_photographs(dataset: ZSLDataset, split: Split) -> np.ndarray:
    """Return the training rows that share a photograph with a test row."""
    if not dataset.image_files:
        return np.empty(0, np.intp)
    names = np.array(dataset.image_files)
    of_test = names[np.concatenate([split.test_seen, split.test_unseen])]
    # An empty name does not identify a photograph.
    return split.trainval[np.isin(names[split.trainval], of_test[of_test != ""])]


class _LeakMeasurement:
    """State shared by the leaks of one method; parameters are chosen once on the clean folds."""

    def __init__(self, method: ZSLEstimator, setting: Setting, choose: bool) -> None:
        self.method, self.setting, self.choose = method, setting, choose
        self.dataset, self.split = setting.dataset, setting.split
        self._chosen: dict[str, tuple[dict[str, Any], float | None]] = {}

    def training(self) -> Cost:
        """Train on all rows of ``train_loc`` and ``val_loc`` of the first release."""
        chosen = self._choice("clean folds", self.split)
        with_test_images = np.union1d(self.split.trainval, self.split.test_seen)
        leaky = self._arm(replace(self.split, trainval=with_test_images), *chosen)
        return self._cost("training", self._clean, leaky)

    def selection(self) -> Cost:
        """Choose parameters and gamma on the folds of the first release."""
        folds = first_release_folds(self.dataset.labels, self.split)
        chosen = self._choice("folds with test images", replace(self.split, folds=folds))
        return self._cost("selection", self._clean, self._arm(self.split, *chosen))

    def photographs(self) -> Cost:
        """Train without the rows that share a photograph, and without as many other rows."""
        shared = _rows_of_shared_photographs(self.dataset, self.split)
        clean = _remove_rows(self.split, shared)
        leaky = _remove_rows(self.split, self._replacement_rows(shared))
        chosen = self._choice("folds without shared photographs", clean)
        return self._cost("photographs", self._arm(clean, *chosen), self._arm(leaky, *chosen))

    def epochs(self) -> Cost:
        """Stop at the epoch with the best H on the test images; choose the rest on the folds."""
        counts = {"epochs": self.method.param_grid["epochs"]}
        grid = dict(self.method.param_grid) if self.choose else counts
        selection = self._selection("folds, with epochs", self.split, grid)
        params = self.method.get_params() | selection.params
        points = [
            (params | point, best_common_gamma(curves))
            for point, curves in zip(ParameterGrid(grid), selection.curves, strict=True)
            if params | point | {"epochs": None} == params | {"epochs": None}
        ]
        arms = self._arms(points)
        best = max(arms, key=lambda arm: arm.scores.curve.at(arm.gamma or 0.0).harmonic)
        clean = next(arm for arm in arms if arm.params == params)
        return self._cost("epochs", clean, best)

    def _arms(self, points: Sequence[tuple[dict[str, Any], float]]) -> list[Arm]:
        """Score the test set for each pair of parameters and gamma, in one sweep over epochs."""
        grid = [{"epochs": params["epochs"]} for params, _ in points]
        model = clone(self.method).set_params(**points[0][0])
        scored = self.setting.sweep(model, grid, f"{model.card.name}, on the test images")
        return [
            Arm(len(self.split.trainval), params, gamma, scores)
            for (params, gamma), scores in zip(points, scored, strict=True)
        ]

    def _replacement_rows(self, shared: np.ndarray) -> np.ndarray:
        """Return rows to leave out: of each class as many as ``shared``, others if possible."""
        labels, rng, left_out = self.dataset.labels, np.random.default_rng(self.setting.seed), []
        for c in np.unique(labels[shared]):
            n = np.count_nonzero(labels[shared] == c)
            rows = self.split.trainval[labels[self.split.trainval] == c]
            other_rows = np.setdiff1d(rows, shared)
            left_out.append(rng.permutation(other_rows)[:n])
            left_out.append(rng.permutation(shared[labels[shared] == c])[: n - len(left_out[-1])])
        return np.concatenate(left_out)

    @cached_property
    def _clean(self) -> Arm:
        return self._arm(self.split, *self._choice("clean folds", self.split))

    def _choice(self, folds_name: str, split: Split) -> tuple[dict[str, Any], float | None]:
        """Return all parameters, and gamma, chosen on the folds of ``split``."""
        if folds_name not in self._chosen:
            params, gamma = self.method.get_params(), None
            if self.choose or split.folds:
                selection = self._selection(folds_name, split, None if self.choose else {})
                params, gamma = params | selection.params, selection.gamma
            self._chosen[folds_name] = params, gamma
        return self._chosen[folds_name]

    def _selection(
        self, folds_name: str, split: Split, grid: Mapping[str, Any] | None
    ) -> Selection:
        """Choose parameters on the folds of ``split``, by default from the method's grid."""
        message = f"{self.method.card.name}, on {folds_name}"
        return self.setting.on(split).select(self.method, grid=grid, message=message)

    def _arm(self, split: Split, params: Mapping[str, Any], gamma: float | None) -> Arm:
        scores = self.setting.on(split).score(type(self.method)(**params))
        return Arm(len(split.trainval), params, gamma, scores)

    def _cost(self, leak: Leak, clean: Arm, leaky: Arm) -> Cost:
        origin: Literal["validated", "given"] = "validated" if self.choose else "given"
        return Cost(self.method.card.name, leak, origin, clean, leaky)


def _remove_rows(split: Split, rows: np.ndarray) -> Split:
    """Return the split with some rows removed from training and from the folds."""
    folds = (
        Fold(np.setdiff1d(fold.train, rows), np.setdiff1d(fold.val, rows)) for fold in split.folds
    )
    return replace(split, trainval=np.setdiff1d(split.trainval, rows), folds=tuple(folds))
