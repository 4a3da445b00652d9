"""Gain in H from choosing the number of epochs on the test set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.model_selection import ParameterGrid

from zslcore.analysis.resampling import student_interval
from zslcore.evaluation.predicted_tests import Evaluation, best_common_gamma, evaluate
from zslcore.evaluation.protocol import Setting
from zslcore.methods.base import ZSLEstimator
from zslcore.progress import silent
from zslcore.storage.files import FACTS

Calibration = Literal["plain", "calibrated"]
CALIBRATIONS: tuple[Calibration, ...] = ("plain", "calibrated")
CHOICES = ("folds", "test", "last")
#: Result of :func:`mean_gains` that the package includes; each row is over at least two seeds.
MEASURED = FACTS / "measured" / "epoch_choice.csv"


def points(
    method: ZSLEstimator, setting: Setting, grid: Mapping[str, Sequence[int]]
) -> pd.DataFrame:
    """Evaluate every point of a grid of epochs on the folds and on the test set.

    The method is trained once per fold and once on all training classes, and evaluated after each
    number of epochs. ``folds_plain`` and ``folds_calibrated`` are the mean H on the folds, at gamma
    = 0 and at the best gamma of each fold; ``gamma`` is the best common gamma of the folds. The
    other metrics are on the test set.
    """
    chosen = setting.select(method, grid=grid, rule="best")
    points = list(ParameterGrid(dict(grid)))
    rows = []
    tests = replace(setting, progress=silent).sweep(method, points)
    for params, curves, test in zip(points, chosen.curves, tests, strict=True):
        gamma = best_common_gamma(curves)
        row = {**params, "gamma": gamma, **_metrics(evaluate(test, gamma))}
        row["folds_plain"] = float(np.mean([curve.at(0.0).harmonic for curve in curves]))
        row["folds_calibrated"] = float(np.mean([curve.best().harmonic for curve in curves]))
        rows.append(row)
    return pd.DataFrame(rows)


def _metrics(evaluation: Evaluation) -> dict[str, Any]:
    row: dict[str, Any] = {"zsl": evaluation.zsl, "ausuc": evaluation.ausuc}
    for name, point in (("plain", evaluation.plain), ("calibrated", evaluation.calibrated)):
        assert point is not None
        row |= {f"unseen_{name}": point.unseen, f"seen_{name}": point.seen}
        row[f"test_{name}"] = point.harmonic
    return row


def choices(table: pd.DataFrame, metric: Calibration, names: Sequence[str]) -> pd.DataFrame:
    """Return one row per choice from a table of :func:`points` for one seed.

    *folds* is the point with the best mean H on the folds; *test* has the best H on the test
    images, an upper bound (oracle); *last* has the largest numbers of epochs. H is at gamma = 0
    ("plain"), as in papers on generated features, or at the gamma of the folds ("calibrated").
    """
    table = table.sort_values(list(names), kind="stable", ignore_index=True)
    best = [int(table[f"{by}_{metric}"].argmax()) for by in ("folds", "test")]
    return table.iloc[[*best, len(table) - 1]].set_axis(list(CHOICES))


def mean_gains(table: pd.DataFrame, names: Sequence[str], level: float = 0.95) -> pd.DataFrame:
    r"""Return mean H over seeds for each choice, and the gain from choosing on the test set.

    ``table`` joins tables of :func:`points`, with columns ``dataset``, ``method`` and ``seed``.
    ``over_folds`` and ``over_last`` are the mean gains in H over the other two choices; ``_low``
    and ``_high``, NaN for one seed, are the ends of the interval :math:`\bar d \pm t_{n-1} \,
    \mathrm{std}(d) / \sqrt n`.
    """
    rows = []
    for (dataset, method), of_method in table.groupby(["dataset", "method"], sort=False):
        of_method = of_method.dropna(axis=1, how="all")
        varied = [name for name in names if name in of_method]
        for metric in CALIBRATIONS:
            H = pd.DataFrame(
                [
                    choices(of_seed, metric, varied)[f"test_{metric}"]
                    for _, of_seed in of_method.groupby("seed")
                ]
            )
            row: dict[str, Any] = {"dataset": dataset, "method": method, "metric": metric}
            row |= {"seeds": len(H)} | {str(name): mean for name, mean in H.mean().items()}
            for rule in ("folds", "last"):
                difference = (H["test"] - H[rule]).to_numpy()
                low, high = student_interval(difference, level)
                row[f"over_{rule}"] = float(difference.mean())
                row |= {f"over_{rule}_low": low, f"over_{rule}_high": high}
            rows.append(row)
    return pd.DataFrame(rows)
