"""Differences between our metrics and the printed ones on real features, by cause.

    python -m benchmarks.differences [--run]

The metrics are those of tables 3 and 6 of the benchmark paper and of table 2 of the calibration
paper for which our value on CUB with VGG features differs by more than three points from print. For
each metric, the script lists our value after a single change: the scaling of features, the task for
which parameters are chosen, a validated gamma, the other variant of the method, or the parameters
chosen on a single fold. Results are from the package, ``papers.csv`` and ``differences_runs.csv``,
on the same features with one seed. ``--run`` only computes ``differences_runs.csv``; without it, no
run is computed. Output files are ``results/differences.md``, ``results/differences.csv`` and
``data/measured/differences.csv``, which the app reads.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from typing import Any

import pandas as pd

from benchmarks.measuring import RESULTS, markdown_table, percent, with_provenance, write_results
from zslcore.analysis.papers.claims.evidence import evidence_of
from zslcore.analysis.papers.experiments.reproducing import reproduce
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.results.shipped import shipped_results
from zslcore.results.store import ResultStore
from zslcore.storage.files import FACTS

DATA = "CUB-vgg_fc7"
#: Largest difference that is not listed.
LIMIT = 0.03
#: Method -> its other variant.
VARIANTS = {
    "SAE (V2S)": "SAE",
    "SAE": "SAE (V2S)",
    "GFZSL (estimated)": "GFZSL",
    "CMT*": "CMT* (loop)",
}
#: Variant -> the change that it makes, in words.
WORDS = {
    "SAE": "SAE scored in the visual space",
    "SAE (V2S)": "SAE scored in the semantic space",
    "GFZSL": "predicted Gaussians of seen classes, too",
    "CMT* (loop)": "LoOP instead of a Gaussian as novelty detector",
}
#: Runs on features of unit length that are not in the package: method -> parameters.
ON_SS: dict[str, dict[str, str]] = {"IAP": {}, "SAE (V2S)": {"direction": "V2S"}}
OTHER_FEATURES = "other features (VGG fc7 here, ResNet-101 in print)"
INTRO = """# Causes of the differences from print

`python -m benchmarks.differences` writes this file, `differences.csv` and
`data/measured/differences.csv`.

CUB with VGG fc7 features, one seed. Each row has a metric that differs by more than three points
from print, and a single change of its run; points are the effect of the change on our value. The
effect of scaling is measured between unscaled features and features of unit length. Changes of
variant, selection and gamma are measured on features of unit length, changes of folds on unscaled
features. No other features of CUB are available here, so their effect is not measured. A change
towards print does not prove that the paper did the same.
"""


class StoredMetrics:
    """Metrics of runs on the same features, by method and selection."""

    def __init__(self) -> None:
        rows = evidence_of(shipped_results())["real"].metrics
        shipped = rows[(rows["data"] == DATA) & ~rows["method"].str.contains("features")]
        self.unit = pd.concat([shipped, pd.read_csv(RESULTS / "differences_runs.csv")])
        folds = pd.read_csv(RESULTS / "papers.csv", dtype={"at": str})
        self.folds = folds[(folds["experiment"] == "gbu:figure3") & (folds["dataset"] == DATA)]

    def of_unit(self, method: str, metric: str, task: str, split: str) -> float | None:
        """Return a metric on features of unit length."""
        condition = {"method": method, "metric": metric, "chosen_for": task, "split": split}
        rows = self.unit
        for column, value in condition.items():
            rows = rows[rows[column] == value]
        return None if rows.empty else float(rows["value"].iloc[0])

    def of_fold(self, method: str, split: str) -> list[float]:
        """Return ZSL accuracy with the parameters of each fold, on unscaled features."""
        rows = self.folds[self.folds["method"] == method]
        return [float(v) for k in (1, 2, 3) for v in rows[rows["cell"] == f"{split} {k}"]["ours"]]


def causes_of(
    metrics: StoredMetrics, row: dict[str, Any], method: str, metric: str, task: str, split: str
) -> Iterator[tuple[str, str, float | None, float | None]]:
    """Yield name, change, value and difference in points for each change with runs."""
    at = (metric, task, split)
    unit = metrics.of_unit(method, *at)
    raw = row["table"].startswith("GBU")
    if raw and unit is not None:
        yield "scaling", "features of unit length", unit, unit - row["ours"]
    variant = VARIANTS.get(method, "")
    changes = [("variant", WORDS.get(variant, ""), (variant, *at))]
    other_task = {"zsl": "gzsl", "gzsl": "zsl"}[task]
    words = f"parameters chosen for {other_task.upper()}"
    changes.append(("selection", words, (method, metric, other_task, split)))
    if metric == "H":
        changes.append(("gamma", "a validated γ", (method, "H at gamma", task, split)))
    for name, change, key in changes:
        value = metrics.of_unit(*key)
        if value is not None and unit is not None and value != unit:
            yield name, change, value, value - unit
    for k, value in enumerate(metrics.of_fold(row["method"], split), 1):
        if metric == "zsl" and raw and value != row["ours"]:
            yield "fold", f"parameters of fold {k} alone", value, value - row["ours"]
    yield "features", OTHER_FEATURES, None, None


def run_on_ss() -> pd.DataFrame:
    """Run the methods of :data:`ON_SS` on the standard split of imported features."""
    rows, revisions = [], []
    for method, params in ON_SS.items():
        name = method.partition(" ")[0]
        spec = RunSpec(DATA, "SS", name, params, select_for="zsl", features="l2", prototypes="l2")
        result = run(spec, with_oracle=False, store=ResultStore()).result
        metric = {"metric": "zsl", "chosen_for": "zsl", "value": result.evaluation.zsl}
        rows.append({"method": method, "split": "SS", **metric, "key": result.key})
        revisions.append(json.dumps(dict(result.spec.revisions)))
    return with_provenance(pd.DataFrame(rows)).assign(revisions=revisions)


def cells() -> Iterator[tuple[dict[str, Any], str, str, str, str]]:
    """Yield our cells that have a printed value: row, method with variant, metric, task, split."""
    of_paper = {"SAE": "SAE (V2S)", "GFZSL": "GFZSL (estimated)"}
    for name, table in (("gbu:table3", "GBU 3"), ("gbu:table6", "GBU 6"), ("cal:table2", "CAL 2")):
        for row in reproduce(name, [DATA]).to_dict("records"):
            cell, method = str(row["cell"]), str(row["method"])
            if cell in ("u", "s"):
                continue
            variant = method if table == "CAL 2" else of_paper.get(method, method)
            if table == "GBU 3":
                metric, task, split = "zsl", "zsl", cell
                if method == "GFZSL":
                    variant = "GFZSL"  # both variants are equal for unseen candidates
            else:
                metric = "H at gamma" if "calibrated" in cell else "H"
                task, split = "gzsl" if "for GZSL" in cell else "zsl", "PS"
            yield row | {"table": table}, variant, metric, task, split


def measure_causes() -> pd.DataFrame:
    """Return one row per metric and cause."""
    metrics, rows = StoredMetrics(), []
    for row, variant, metric, task, split in cells():
        if abs(row["difference"]) <= LIMIT:
            continue
        head = {name: row[name] for name in ("method", "table", "cell", "ours", "printed")}
        for cause, change, value, points in causes_of(metrics, row, variant, metric, task, split):
            record = {"cause": cause, "change": change, "value": value, "points": points}
            rows.append({"data": DATA, **head, **record})
    return pd.DataFrame(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--run", action="store_true", help="only compute differences_runs.csv (10 minutes)"
    )
    if parser.parse_args().run:
        run_on_ss().to_csv(RESULTS / "differences_runs.csv", index=False, lineterminator="\n")
        return
    table = measure_causes()
    head = ("table", "cell", "method", "printed", "ours", "cause", "change", "then", "points")
    lines = markdown_table(
        head,
        (
            (
                *(str(row[name]) for name in head[:3]),
                percent(row["printed"]),
                percent(row["ours"]),
                row["cause"],
                row["change"],
                percent(row["value"]),
                percent(row["points"], "+"),
            )
            for row in table.to_dict("records")
        ),
    )
    write_results("differences", "\n".join([INTRO, *lines, ""]), table)
    file = FACTS / "measured" / "differences.csv"
    with file.open("w", encoding="utf-8") as out:
        out.write("# python -m benchmarks.differences\n")
        table.to_csv(out, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
