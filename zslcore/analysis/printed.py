"""Every figure of a run on one page, beside what the papers printed for the same cell."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from zslcore.datasets.facts import benchmark_of, published
from zslcore.metrics import OperatingPoint
from zslcore.protocol import Evaluation
from zslcore.runs import RunResult

__all__ = ["figures_table"]

POINT = {"unseen": "u", "seen": "s", "harmonic": "H"}


def figures_table(run: RunResult) -> pd.DataFrame:
    """Return the figures of a run, per class and per sample, with the printed ones beside.

    Returns
    -------
    DataFrame with the columns figure ("zsl", "u", "s", "H"), calibrated, gamma (missing for ZSL),
    per_class, per_sample, and two that are missing where nothing was printed: benchmark_paper
    (Xian et al., TPAMI 2019, no calibration) and calibration_paper (Le Cacheux et al., MMM 2019)
    """
    rows = _measured(run.evaluation)
    printed = _printed(run)
    for row in rows:
        row |= {
            paper: printed.get((paper, row["figure"], row["calibrated"]))
            for paper in ("benchmark_paper", "calibration_paper")
        }
    table = pd.DataFrame(rows)
    papers = ["benchmark_paper", "calibration_paper"]
    return table.astype(dict.fromkeys([*papers, "gamma"], float))


def _measured(e: Evaluation) -> list[dict[str, Any]]:
    rows = [
        {
            "figure": "zsl",
            "calibrated": False,
            "gamma": None,
            "per_class": e.zsl,
            "per_sample": e.zsl_per_sample,
        }
    ]
    for calibrated, point, per_sample in (
        (False, e.plain, e.plain_per_sample),
        (True, e.calibrated, e.calibrated_per_sample),
    ):
        rows += _point_rows(calibrated, point, per_sample) if point and per_sample else []
    return rows


def _point_rows(
    calibrated: bool, point: OperatingPoint, per_sample: OperatingPoint
) -> list[dict[str, Any]]:
    return [
        {
            "figure": letter,
            "calibrated": calibrated,
            "gamma": point.gamma,
            "per_class": getattr(point, name),
            "per_sample": getattr(per_sample, name),
        }
        for name, letter in POINT.items()
    ]


def _printed(run: RunResult) -> dict[tuple[str, str, bool], float | None]:
    """Return what was printed for this method, benchmark and split, by (paper, figure, calibrated).

    None where nothing was. Seen and unseen accuracies were printed for the split PS only.
    """
    cell = {
        "method": run.spec.method,
        "dataset": benchmark_of(run.spec.dataset, len(run.class_names)),
    }
    of_split = cell | {"split": run.spec.split}
    found = {}
    for paper, table in (
        ("benchmark_paper", "zsl_top1"),
        ("calibration_paper", "calibration_zsl_top1"),
    ):
        found[paper, "zsl", False] = _cell(table, of_split, "top1_per_class")
    if run.spec.split == "PS":
        for name, letter in POINT.items():
            found["benchmark_paper", letter, False] = _cell("gzsl_ps", cell, name)
        for calibrated, setting in (
            (False, {"calibrated": "no", "lambda_selected_for": "zsl"}),
            (True, {"calibrated": "yes", "lambda_selected_for": "gzsl"}),
        ):
            value = _cell("calibration_gzsl_harmonic", cell | setting, "harmonic")
            found["calibration_paper", "H", calibrated] = value
    return found


def _cell(table: str, where: Mapping[str, str | None], column: str) -> float | None:
    """Return a cell of a printed table, or None where it has no such row."""
    rows = published(table)
    rows = rows[(rows[list(where)] == pd.Series(where)).all(axis=1)]
    return float(rows[column].iloc[0]) if len(rows) else None
