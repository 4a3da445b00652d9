r"""What penalising seen classes trades.

Calibrated stacking answers :math:`\arg\max_c F(x, c) - \gamma [c \in \mathcal{C}_s]`. Everything
here reads the exact seen-unseen curve or the runs it came from; nothing is fitted.

References
----------
Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019, table 2.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from zslcore.datasets.facts import published
from zslcore.evaluation.protocol import AnsweredTest
from zslcore.evaluation.runs import RunResult
from zslcore.metrics import OperatingPoint

SETTINGS = {
    ("no", "zsl"): "no calibration, λ tuned for ZSL",
    ("yes", "zsl"): "calibrated, λ tuned for ZSL",
    ("yes", "gzsl"): "calibrated, λ tuned for GZSL",
}


def per_class_table(
    scores: AnsweredTest, gammas: Mapping[str, float], class_names: Sequence[str]
) -> pd.DataFrame:
    """Return the accuracy of every class with test images, among all classes, at some gammas.

    Parameters
    ----------
    scores : AnsweredTest
    gammas : name of a column -> gamma
    class_names : one name per row of the data set's prototypes

    Returns
    -------
    DataFrame with the columns class, side ("seen" or "unseen"), images (of the test set), and one
    accuracy for each of ``gammas``; one row per class, in the data set's order
    """
    columns, images = np.unique(scores.y, return_counts=True)
    table = pd.DataFrame(
        {
            "class": [class_names[c] for c in scores.classes[columns]],
            "side": np.where(scores.seen[columns], "seen", "unseen"),
            "images": images,
        }
    )
    for name, gamma in gammas.items():
        table[name] = _accuracy(scores, gamma)[columns]
    return table


def _accuracy(scores: AnsweredTest, gamma: float) -> np.ndarray:
    """Return the accuracy of every candidate class; NaN without test images."""
    if scores.generalized:
        right, images = scores.switches.per_class(gamma)
    else:
        n, answers = len(scores.classes), scores.predicted(gamma)
        right, images = (
            np.bincount(y, minlength=n) for y in (scores.y[answers == scores.y], scores.y)
        )
    with np.errstate(invalid="ignore"):
        return right / images


def three_settings(for_zsl: RunResult, for_gzsl: RunResult) -> pd.DataFrame:
    """Return the calibration paper's three settings, read off two runs.

    Parameters
    ----------
    for_zsl, for_gzsl : RunResult
        The same run with ``select_for`` "zsl" and "gzsl", or twice the same one when its parameters
        are given.

    Returns
    -------
    DataFrame with the columns setting, calibrated, lambda_selected_for, params (a dict), gamma,
    unseen, seen and harmonic; three rows, none where the split has no seen test samples
    """
    rows = []
    for (calibrated, selected_for), setting in SETTINGS.items():
        run = for_zsl if selected_for == "zsl" else for_gzsl
        point = run.evaluation.calibrated if calibrated == "yes" else run.evaluation.plain
        if point is not None:
            rows.append(_setting_row(setting, calibrated, selected_for, run, point))
    return pd.DataFrame(rows)


def _setting_row(
    setting: str, calibrated: str, selected_for: str, run: RunResult, point: OperatingPoint
) -> dict[str, Any]:
    return {
        "setting": setting,
        "calibrated": calibrated,
        "lambda_selected_for": selected_for,
        "params": run.params,
        "gamma": point.gamma,
        "unseen": point.unseen,
        "seen": point.seen,
        "harmonic": point.harmonic,
    }


def published_settings(method: str, benchmark: str | None) -> pd.DataFrame:
    """Return the printed H of the three settings: of ``method``, and the mean over its methods.

    The mean is the one that the paper prints; its printed cells, rounded themselves, average to up
    to 0.05 points less.

    Returns
    -------
    DataFrame with the columns calibrated, lambda_selected_for, paper (missing for a method that the
    paper does not have) and paper_average; no rows for a benchmark that it does not have
    """
    return _published_settings(method, benchmark).copy()


@cache
def _published_settings(method: str, benchmark: str | None) -> pd.DataFrame:
    keys = ["calibrated", "lambda_selected_for"]
    table, means = published("calibration_gzsl_harmonic"), published("calibration_gzsl_average")
    table, means = table[table["dataset"] == benchmark], means[means["dataset"] == benchmark]
    average = means.set_index(keys)["harmonic"].rename("paper_average")
    own = table[table["method"] == method].set_index(keys)["harmonic"].rename("paper")
    return pd.concat([own, average], axis=1).reset_index()
