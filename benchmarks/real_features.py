"""Every inductive method on real features, parameters chosen on the folds, beside the papers.

    python -m benchmarks.real_features [FOLDER] [--only NAME ...] [--methods NAME ...] [--report]

FOLDER (default ``../shared/data/xlsa17``) holds ``CUB/`` and ``AWA1/`` in the xlsa17 layout. Every
method is run twice, its parameters chosen for ZSL and for GZSL, stochastic ones with five seeds:
the first chooses parameters and gamma on the folds, the others are given what it chose.
Finished runs are kept in the run store: an interrupted sweep goes on where it stopped, and
``--report`` writes what is finished without running anything. Written to
``benchmarks/results/`` are ``real_features.csv``, a row a run, and ``real_features.md``, the table
beside the papers' figures, whose features are ResNet-101's.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pandas as pd

from zslcore.datasets import read_xlsa17
from zslcore.datasets.facts import published
from zslcore.methods import METHODS
from zslcore.runs import RunResult, RunSpec, RunStore, execute

RESULTS = Path(__file__).parent / "results"
#: Data set of the papers, file of features, what the features are.
FEATURES = {
    "CUB-vgg_fc7": ("CUB", "vgg_fc7.mat", "CUB, VGG fc7"),
    "AWA1-lss": ("AWA1", "lss.mat", "AWA1, local self-similarity histograms"),
    "AWA1-phog": ("AWA1", "phog.mat", "AWA1, PHOG"),
}
#: Variants that the papers report under one name.
VARIANTS = {"SAE": ({"direction": "S2V"}, {"direction": "V2S"})}
SEEDS = 5


def specs(dataset, methods) -> Iterator[RunSpec]:
    """Yield the runs of one data set, without seeds."""
    for name in methods:
        for variant in VARIANTS.get(name, ({},)):
            for task in ("zsl", "gzsl"):
                yield RunSpec(
                    dataset=dataset.name,
                    split="PS",
                    method=name,
                    params=variant,
                    select_for=task,
                    digest=dataset.digest,
                )


def results(dataset, spec: RunSpec, store: RunStore, *, report: bool) -> Iterator[RunResult]:
    """Yield the result of a run, and of its other seeds with what the first has chosen."""
    first = run(dataset, spec, store, report=report)
    if first is None:
        return
    yield first
    given = {name: value for name, value in first.params.items() if name != "random_state"}
    for seed in range(1, SEEDS if METHODS[spec.method].card.stochastic else 1):
        other = replace(spec, params=given, gamma=first.gamma, seed=seed)
        yield from filter(None, [run(dataset, other, store, report=report)])


def run(dataset, spec: RunSpec, store: RunStore, *, report: bool) -> RunResult | None:
    """Return the kept result of a run; without one, None for a report, else run it and keep it."""
    result = store.get(spec.key)
    if result is None and not report:
        sys.stderr.write(f"{spec.command()}\n")
        result = execute(spec, dataset, with_oracle=not METHODS[spec.method].card.stochastic)
        store.put(result)
    return result


def label(row: pd.Series) -> str:
    """Name of a method and its variant."""
    for variant in VARIANTS.get(row["method"], ()):
        if all(f'"{value}"' in row["params"] for value in variant.values()):
            return f"{row['method']} ({', '.join(variant.values())})"
    return row["method"]


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds, one row a method: ZSL, then H in the calibration paper's three settings."""
    table = table.assign(name=table.apply(label, axis=1))

    def over_seeds(task, statistic):
        rows = table[table["select_for"] == task].groupby(["dataset", "name", "method"], sort=False)
        return getattr(rows, statistic)(numeric_only=True)

    zsl, gzsl = over_seeds("zsl", "mean"), over_seeds("gzsl", "mean")
    columns = {
        "ZSL": zsl["zsl"],
        "+-": over_seeds("zsl", "std")["zsl"],
        "u": zsl["plain_unseen"],
        "s": zsl["plain_seen"],
        "H plain": zsl["plain_harmonic"],
        "H calibrated": zsl["calibrated_harmonic"],
        "H calibrated, for GZSL": gzsl["calibrated_harmonic"],
        "AUSUC": gzsl["ausuc"],
        "oracle gap ZSL": zsl.get("oracle_gap_zsl"),
        "oracle gap H": gzsl.get("oracle_gap_harmonic"),
    }
    return pd.DataFrame(columns).reset_index()


def papers(benchmark: str) -> pd.DataFrame:
    """Return the papers' figures on a benchmark, one row a method."""

    def cells(table, column, **where):
        rows = published(table)
        for name, value in ({"dataset": benchmark} | where).items():
            rows = rows[rows[name] == value]
        return rows.set_index("method")[column]

    return pd.DataFrame(
        {
            "ZSL (GBU)": cells("zsl_top1", "top1_per_class", split="PS"),
            "ZSL (CAL)": cells("calibration_zsl_top1", "top1_per_class", split="PS"),
            "H plain (GBU)": cells("gzsl_ps", "harmonic"),
            "H plain (CAL)": cells("calibration_gzsl_harmonic", "harmonic", calibrated="no"),
            "H calibrated, for GZSL (CAL)": cells(
                "calibration_gzsl_harmonic",
                "harmonic",
                calibrated="yes",
                lambda_selected_for="gzsl",
            ),
        }
    )


def percent(value) -> str:
    return "" if pd.isna(value) else f"{100 * value:.1f}"


def markdown(table: pd.DataFrame) -> str:
    """Return the summary of every data set beside the papers' figures, in percent."""
    lines = [
        "# Real features, parameters chosen on the three folds",
        "",
        "`python -m benchmarks.real_features` writes this file and `real_features.csv`.",
        "",
        "Split PS 2.0; per-class accuracy in percent; features and prototypes of unit length. H",
        "plain and H calibrated use the parameters chosen for ZSL, the last H those chosen for",
        "GZSL; every gamma is chosen on the folds. The oracle gap is what choosing on the test set",
        "would have gained. GBU and CAL are the printed figures of the comprehensive and of the",
        "calibration paper; their features are ResNet-101's, while the hand-crafted ones of AWA1",
        "know nothing of ImageNet. Stochastic methods: mean and standard deviation of five seeds,",
        "with the parameters and the gamma that the first chose. Methods without a row, and seeds",
        "of the last one, were not finished; the command goes on where it stopped.",
    ]
    rows = summary(table)
    for name, (benchmark, _, title) in FEATURES.items():
        part = rows[rows["dataset"] == name].drop(columns="dataset")
        if part.empty:
            continue
        part = part.join(papers(benchmark), on="method").drop(columns="method")
        part = part.dropna(axis=1, how="all")
        lines += ["", f"## {title}", "", "| " + " | ".join(part.columns) + " |"]
        lines.append("|" + "---|" * len(part.columns))
        for _, row in part.iterrows():
            lines.append("| " + " | ".join([row.iloc[0], *map(percent, row.iloc[1:])]) + " |")
    return "\n".join([*lines, ""])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", default="../shared/data/xlsa17", type=Path)
    parser.add_argument("--only", nargs="+", default=list(FEATURES), choices=FEATURES)
    # An image-text encoder's features are not among these.
    inductive = [name for name in METHODS if name != "PrototypeCosine"]
    parser.add_argument("--methods", nargs="+", default=inductive, choices=inductive)
    parser.add_argument("--report", action="store_true", help="write what is finished")
    args = parser.parse_args()

    store, rows = RunStore(), []
    for name in args.only:
        benchmark, features, _ = FEATURES[name]
        dataset = read_xlsa17(args.folder / benchmark, features=features)
        for spec in specs(dataset, args.methods):
            rows += [r.row() for r in results(dataset, spec, store, report=args.report)]
            write(pd.DataFrame(rows))


def write(table: pd.DataFrame) -> None:
    """Write what is finished so far."""
    RESULTS.mkdir(exist_ok=True)
    table.drop(columns="created").to_csv(RESULTS / "real_features.csv", index=False)
    (RESULTS / "real_features.md").write_text(markdown(table), encoding="utf-8")


if __name__ == "__main__":
    main()
