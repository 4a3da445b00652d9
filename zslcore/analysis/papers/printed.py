"""Every figure of runs in one table, with the printed figure of the same cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import pandas as pd

from zslcore.analysis.papers.claims.evidence import printed_evidence
from zslcore.evaluation.protocol import Evaluation
from zslcore.evaluation.runs import RunResult
from zslcore.metrics import OperatingPoint

POINT = {"unseen": "u", "seen": "s", "harmonic": "H"}
#: Table -> column of its paper.
TABLES = {
    "GBU 3": "benchmark_paper",
    "GBU 6": "benchmark_paper",
    "CAL 1": "calibration_paper",
    "CAL 2": "calibration_paper",
}
PAPERS = list(dict.fromkeys(TABLES.values()))

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


def _printed(run: RunResult, benchmark: str | None) -> dict[tuple[str, str, bool], float]:
    """Return what was printed for such a run, by (paper, figure, calibrated)."""
    rows = _figures().get((benchmark, run.spec.split, run.spec.method, chosen_for(run)), ())
    calibrated = run.gamma_origin == "validated"
    return {key: value for key, value in rows if calibrated or not key[-1]}


@cache
def _figures() -> Mapping[tuple[Any, ...], list[tuple[tuple[str, str, bool], float]]]:
    """Return the printed figures by benchmark, split, method and what parameters were for."""
    rows = printed_evidence().figures
    rows = rows[rows["table"].isin(TABLES)]
    found: dict[tuple[Any, ...], list[tuple[tuple[str, str, bool], float]]] = {}
    for row in rows.to_dict("records"):
        figure, _, at = row["figure"].partition(" at ")
        where = (row["benchmark"], row["split"], row["method"], row["chosen_for"])
        found.setdefault(where, []).append(
            ((TABLES[row["table"]], figure, bool(at)), float(row["value"]))
        )
    return found
