"""Metrics of runs next to the printed values, and causes of their differences.

For methods on real features, ``python -m benchmarks.differences`` measures the causes of
differences of more than three points from the printed values, with one controlled run per cause,
and writes a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import pandas as pd

from zslcore.analysis.papers.claims.evidence import printed_evidence
from zslcore.evaluation.predicted_tests import Evaluation
from zslcore.evaluation.registry import LETTERS
from zslcore.evaluation.runs import RunResult
from zslcore.numbers import signed
from zslcore.storage.files import FACTS, read_csv_frame

#: Printed table -> column for its paper.
TABLES = {
    "GBU 3": "benchmark_paper",
    "GBU 6": "benchmark_paper",
    "CAL 1": "calibration_paper",
    "CAL 2": "calibration_paper",
}
PAPERS = list(dict.fromkeys(TABLES.values()))

#: Task for which parameters were chosen; "given" if none were chosen.
ChosenFor = Literal["zsl", "gzsl", "given"]


def chosen_for(run: RunResult) -> ChosenFor:
    """Return the task for which parameters were chosen; ZSL in runs without seen test images."""
    if run.params_origin == "given":
        return "given"
    return run.spec.select_for if run.evaluation.plain else "zsl"


def metrics_table(runs: Sequence[RunResult], benchmark: str | None) -> pd.DataFrame:
    """Return the metrics of runs, per class and per sample, next to the values printed in papers.

    Values are compared only if parameters were chosen for the same task. Both papers choose them
    for ZSL; the calibration paper also chooses them for GZSL. The column benchmark_paper has the
    values of Xian et al., TPAMI 2019 (without calibration), calibration_paper those of Le Cacheux
    et al., MMM 2019. Values that are not printed are NaN, as is gamma for ZSL.
    """
    rows = []
    for run in runs:
        spec, chosen = run.spec, chosen_for(run)
        for row in _measured(run.evaluation):
            metric = row["metric"] + " at gamma" * row["calibrated"]
            of_papers = _printed().get((benchmark, spec.split, spec.method, chosen, metric), {})
            if row["calibrated"] and run.gamma_origin != "validated":
                of_papers = {}
            rows.append({"chosen_for": chosen, **row, **{p: of_papers.get(p) for p in PAPERS}})
    return pd.DataFrame(rows).astype(dict.fromkeys([*PAPERS, "gamma"], float))


def _measured(e: Evaluation) -> Iterator[dict[str, Any]]:
    yield {
        "metric": "zsl",
        "calibrated": False,
        "gamma": None,
        "per_class": e.zsl,
        "per_sample": e.zsl_per_sample,
    }
    for calibrated, point, per_sample in (
        (False, e.plain, e.plain_per_sample),
        (True, e.calibrated, e.calibrated_per_sample),
    ):
        if point and per_sample:
            for name, letter in LETTERS.items():
                yield {
                    "metric": letter,
                    "calibrated": calibrated,
                    "gamma": point.gamma,
                    "per_class": getattr(point, name),
                    "per_sample": getattr(per_sample, name),
                }


@cache
def _printed() -> Mapping[tuple[Any, ...], dict[str, float]]:
    """Return the printed values by paper, for each benchmark, split, method, task and metric."""
    metrics_by_place: dict[tuple[Any, ...], dict[str, float]] = {}
    metrics = printed_evidence().metrics
    for row in metrics[metrics["table"].isin(TABLES)].to_dict("records"):
        key_columns = ("benchmark", "split", "method", "chosen_for", "metric")
        of_papers = metrics_by_place.setdefault(tuple(row[name] for name in key_columns), {})
        of_papers[TABLES[row["table"]]] = float(row["value"])
    return metrics_by_place


@dataclass(frozen=True, slots=True)
class Cause:
    """Effect of one change of a run on a metric; ``change`` describes the change in words.

    ``name`` is "scaling", "selection", "gamma", "variant", "fold" or "features"; ``value`` is the
    metric after the change, and ``points`` its difference from our value, as a fraction; both
    are None if the effect cannot be measured here.
    """

    name: str
    change: str
    value: float | None
    points: float | None


@dataclass(frozen=True, slots=True)
class Difference:
    """Printed value that differs from our value by more than three points, with the causes."""

    data: str
    method: str
    table: str
    cell: str
    ours: float
    printed: float
    causes: tuple[Cause, ...]

    @property
    def sentence(self) -> str:
        """The difference and its causes as a sentence."""
        gap = self.ours - self.printed
        parts = [
            f"with {cause.change} our value changes by {signed(cause.points)}"
            for cause in self.causes
            if cause.points is not None
        ]
        unmeasured = next(cause.change for cause in self.causes if cause.points is None)
        measured = f"; {'; '.join(parts)}" if parts else ""
        where = f"{self.method}, {self.cell} ({self.table})"
        return (
            f"{where}: {signed(gap)} points compared with the printed value{measured}. Not "
            f"measured: {unmeasured}."
        )


@cache
def large_deviations() -> tuple[Difference, ...]:
    """Return all differences of more than three points, in the order of the printed tables."""
    table = read_csv_frame(FACTS / "measured" / "differences.csv", comment="#")
    table = table.rename(columns={"cause": "name"}).astype(object)
    keys = ["data", "method", "table", "cell", "ours", "printed"]
    causes = table.drop(columns=keys).where(table.notna(), None)
    return tuple(
        Difference(
            **{name: rows[name].iloc[0] for name in keys},
            causes=tuple(Cause(*row) for row in causes.loc[rows.index].itertuples(False)),
        )
        for _, rows in table.groupby(keys, sort=False)
    )


def why_different(data: str, method: str) -> tuple[Difference, ...]:
    """Return the differences of more than three points of a method on a data set."""
    return tuple(
        difference
        for difference in large_deviations()
        if (difference.data, difference.method) == (data, method)
    )
