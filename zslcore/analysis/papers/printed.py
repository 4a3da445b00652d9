"""Every figure of runs in one table, with the printed figure of the same cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import pandas as pd

from zslcore.datasets.facts import published
from zslcore.evaluation.protocol import Evaluation
from zslcore.evaluation.runs import RunResult
from zslcore.metrics import OperatingPoint

POINT = {"unseen": "u", "seen": "s", "harmonic": "H"}
PAPERS = ["benchmark_paper", "calibration_paper"]

#: What parameters were chosen for; "given" where they were not chosen.
ChosenFor = Literal["zsl", "gzsl", "given"]


def chosen_for(run: RunResult) -> ChosenFor:
    """Return what the parameters of a run were chosen for.

    Without seen test images there is nothing but ZSL to choose for.
    """
    if run.params_origin == "given":
        return "given"
    return run.spec.select_for if run.evaluation.plain else "zsl"


def figures_table(runs: Sequence[RunResult], benchmark: str | None) -> pd.DataFrame:
    """Return the figures of runs, per class and per sample, with the printed ones.

    A printed figure is only compared with one that was chosen in the same way: both papers chose
    parameters for ZSL, the second one for GZSL too, and neither took them as given.

    Parameters
    ----------
    runs : of one method on one split, say with parameters chosen for ZSL and for GZSL
    benchmark : that the data are or stand in for; None for any other data

    Returns
    -------
    DataFrame with the columns chosen_for (see :func:`chosen_for`), figure ("zsl", "u", "s", "H"),
    calibrated, gamma (missing for ZSL), per_class, per_sample, and two that are missing where
    nothing was printed: benchmark_paper (Xian et al., TPAMI 2019, no calibration) and
    calibration_paper (Le Cacheux et al., MMM 2019)
    """
    rows = []
    for run in runs:
        printed = _printed(run, benchmark)
        for row in _measured(run.evaluation):
            cells = {p: printed.get((p, row["figure"], row["calibrated"])) for p in PAPERS}
            rows.append({"chosen_for": chosen_for(run)} | row | cells)
    return pd.DataFrame(rows).astype(dict.fromkeys([*PAPERS, "gamma"], float))


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


def _printed(run: RunResult, benchmark: str | None) -> dict[tuple[str, str, bool], float | None]:
    """Return what was printed for such a run, by (paper, figure, calibrated).

    None where nothing was. Seen and unseen accuracies were printed for the split PS only.
    """
    cell = {"method": run.spec.method, "dataset": benchmark}
    of_split, chosen = cell | {"split": run.spec.split}, chosen_for(run)
    found = {}
    if chosen == "zsl":
        found["benchmark_paper", "zsl", False] = _cell("zsl_top1", of_split, "top1_per_class")
        found["calibration_paper", "zsl", False] = _cell(
            "calibration_zsl_top1", of_split, "top1_per_class"
        )
    if run.spec.split != "PS":
        return found
    if chosen == "zsl":
        for name, letter in POINT.items():
            found["benchmark_paper", letter, False] = _cell("gzsl_ps", cell, name)
    for calibrated, word in ((False, "no"), (True, "yes")):
        if calibrated and run.gamma_origin != "validated":
            continue
        setting = cell | {"calibrated": word, "lambda_selected_for": chosen}
        found["calibration_paper", "H", calibrated] = _cell(
            "calibration_gzsl_harmonic", setting, "harmonic"
        )
    return found


def _cell(table: str, where: Mapping[str, str | None], column: str) -> float | None:
    """Return a cell of a printed table, or None where it has no such row."""
    return _cells(table, tuple(where), column).get(tuple(where.values()))


@cache
def _cells(table: str, by: tuple[str, ...], column: str) -> Mapping[tuple[Any, ...], float]:
    """Return a column of a printed table by the values of others, the first of equal rows."""
    rows = published(table).drop_duplicates([*by])
    keys = rows[[*by]].itertuples(index=False, name=None)
    return dict(zip(keys, rows[column].astype(float), strict=True))
