r"""The price of choosing epochs on the test set: by the folds, by the test images, or the last one.

A method is trained once a fold and once on all training classes, and judged after each of some
numbers of epochs. Three choices are compared on the same test set:

*folds*
    the point with the best mean H on the folds; of calibrated scores, the choice of the protocol;
*test*
    the point with the best H on the test images, a bound and no result;
*last*
    the point with the largest numbers of epochs, which nothing chose.

H is that of the plain scores, gamma = 0, as papers on generated features report it ("plain"), or
that of a gamma which the folds chose for the point ("calibrated"). Differences are taken seed by
seed, where all three choices are of one training, and have an interval over seeds,

.. math:: \bar d \pm t_{n-1} \, \frac{\mathrm{std}(d)}{\sqrt n}
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from sklearn.model_selection import ParameterGrid

from zslcore.analysis.resampling import student_interval
from zslcore.datasets import Split, ZSLDataset
from zslcore.evaluation import protocol
from zslcore.evaluation.protocol import Setting
from zslcore.features.views import Preprocessing
from zslcore.methods.base import ZSLEstimator
from zslcore.storage.files import FACTS

Figure = Literal["plain", "calibrated"]
FIGURES: tuple[Figure, ...] = ("plain", "calibrated")
CHOICES = ("folds", "test", "last")
#: Prices over seeds that come with the package; ``python -m benchmarks.generators`` writes them.
MEASURED = FACTS / "measured" / "epoch_choice.csv"


def points(
    method: ZSLEstimator,
    dataset: ZSLDataset,
    split: Split,
    grid: Mapping[str, Sequence[int]],
    *,
    preprocessing: Preprocessing = Preprocessing(),  # noqa: B008 - frozen
    seed: int = 0,
    on_progress: Callable[[int, int], None] | None = None,
) -> pd.DataFrame:
    """Judge every point of a grid of epochs on the folds and on the test set.

    ``grid`` holds numbers of epochs by parameter, which are columns of the table. ``folds_plain``
    and ``folds_calibrated`` are the mean H on the folds at gamma = 0 and at every fold's best
    gamma, ``gamma`` is the best common one; ``zsl``, ``ausuc`` and, for "plain" and "calibrated",
    ``unseen``, ``seen`` and ``test`` (their H) are figures of the test set.
    """
    setting = Setting(dataset, split, preprocessing, seed, protocol.report_counts(on_progress))
    chosen = setting.select(method, grid=grid, rule="best")
    every = list(ParameterGrid(dict(grid)))
    rows = []
    tests = replace(setting, tell=None).sweep(method, every)
    for params, curves, test in zip(every, chosen.curves, tests, strict=True):
        gamma = protocol.best_common_gamma(curves)
        row = {**params, "gamma": gamma, **_figures(protocol.evaluate(test, gamma))}
        row["folds_plain"] = float(np.mean([curve.at(0.0).harmonic for curve in curves]))
        row["folds_calibrated"] = float(np.mean([curve.best().harmonic for curve in curves]))
        rows.append(row)
    return pd.DataFrame(rows)


def _figures(found: protocol.Evaluation) -> dict[str, Any]:
    row: dict[str, Any] = {"zsl": found.zsl, "ausuc": found.ausuc}
    for name, point in (("plain", found.plain), ("calibrated", found.calibrated)):
        assert point is not None
        row |= {f"unseen_{name}": point.unseen, f"seen_{name}": point.seen}
        row[f"test_{name}"] = point.harmonic
    return row


def choices(table: pd.DataFrame, figure: Figure, names: Sequence[str]) -> pd.DataFrame:
    """Return the rows that the folds, the test set and nothing choose, by choice.

    ``table`` is that of :func:`points` for one seed, ``names`` are the columns with epochs.
    """
    table = table.sort_values(list(names), kind="stable", ignore_index=True)
    best = [int(table[f"{by}_{figure}"].argmax()) for by in ("folds", "test")]
    return table.iloc[[*best, len(table) - 1]].set_axis(list(CHOICES))


def prices(table: pd.DataFrame, names: Sequence[str], level: float = 0.95) -> pd.DataFrame:
    """Return what each choice reaches, and what the test set's gains, over seeds.

    ``table`` is of :func:`points`, with the columns ``dataset``, ``method`` and ``seed``.
    ``folds``, ``test`` and ``last`` are mean H over seeds; ``over_folds`` and ``over_last``, with
    ``_low`` and ``_high``, missing for one seed, are what choosing on the test set adds.
    """
    rows = []
    for (dataset, method), of_method in table.groupby(["dataset", "method"], sort=False):
        of_method = of_method.dropna(axis=1, how="all")
        known = [name for name in names if name in of_method]
        for figure in FIGURES:
            H = pd.DataFrame(
                [
                    choices(of_seed, figure, known)[f"test_{figure}"]
                    for _, of_seed in of_method.groupby("seed")
                ]
            )
            row: dict[str, Any] = {"dataset": dataset, "method": method, "figure": figure}
            row |= {"seeds": len(H)} | {str(name): mean for name, mean in H.mean().items()}
            for other in ("folds", "last"):
                difference = (H["test"] - H[other]).to_numpy()
                low, high = student_interval(difference, level)
                row[f"over_{other}"] = float(difference.mean())
                row |= {f"over_{other}_low": low, f"over_{other}_high": high}
            rows.append(row)
    return pd.DataFrame(rows)


def measured() -> pd.DataFrame:
    """Return the :func:`prices` that come with the package: of two seeds or more, with intervals.

    The column ``features`` names the data set, and what its features were trained on.
    """
    return pd.read_csv(MEASURED, comment="#")
