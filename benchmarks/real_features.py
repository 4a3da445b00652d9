"""Every inductive method on real features, parameters chosen on the folds, beside the papers.

    python -m benchmarks.real_features [FOLDER] [--only NAME ...] [--methods NAME ...] [--jobs N]

FOLDER (default ``../shared/data/xlsa17``) holds ``CUB/`` and ``AWA1/`` in the xlsa17 layout. Every
method is run twice, its parameters chosen for ZSL and for GZSL, stochastic ones with five seeds:
the first chooses parameters and gamma on the folds, the others are given what it chose.
Finished runs are kept in the run store: an interrupted sweep goes on where it stopped, and
``--report`` writes what is finished without running anything, as the command itself does at its
end. Written to
``benchmarks/results/`` are ``real_features.csv``, a row a run, and ``real_features.md``, the table
beside the papers' figures, whose features are ResNet-101's.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pandas as pd
from joblib import Parallel, delayed

from zslcore.datasets import ZSLDataset, read_xlsa17
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
VARIANTS = {
    "SAE": ({"direction": "S2V"}, {"direction": "V2S"}),
    "SYNC": ({"loss": "ovo"}, {"loss": "cs"}, {"loss": "struct"}),
    "CMT*": ({"detector": "gaussian"}, {"detector": "loop"}),
}
SEEDS = 5


def specs(dataset: ZSLDataset, methods: Sequence[str]) -> Iterator[RunSpec]:
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


@lru_cache(maxsize=1)
def opened(folder: Path, name: str) -> ZSLDataset:
    """Return a data set, read once in every process."""
    benchmark, features, _ = FEATURES[name]
    return read_xlsa17(folder / benchmark, features=features)


def finished(spec: RunSpec, store: RunStore) -> Iterator[RunResult]:
    """Yield the kept results of a run: of its first seed, and of the others that are there."""
    first = store.get(spec.key)
    if first is not None:
        yield first
        yield from filter(None, (store.get(other.key) for other in other_seeds(first)))


def other_seeds(first: RunResult) -> Iterator[RunSpec]:
    """Yield the run with other seeds, and what the first has chosen, where seeds matter."""
    given = {name: value for name, value in first.params.items() if name != "random_state"}
    stochastic = METHODS[first.spec.method].card.stochastic
    for seed in range(1, SEEDS if stochastic else 1):
        yield replace(first.spec, params=given, gamma=first.gamma, seed=seed)


def run(folder: Path, spec: RunSpec) -> str:
    """Run what is not kept yet of a run and its seeds; return what was done, in a line."""
    dataset, store = opened(folder, spec.dataset), RunStore()
    began, cpu, fitted = time.perf_counter(), time.process_time(), 0

    def kept(spec: RunSpec) -> RunResult:
        nonlocal fitted
        result = store.get(spec.key)
        if result is None:
            fitted += 1
            result = execute(spec, dataset, with_oracle=not METHODS[spec.method].card.stochastic)
            store.put(result)
        return result

    for other in other_seeds(kept(spec)):
        kept(other)
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    return f"{spec.command()}  # {fitted} runs, {wall:.0f} s, {cpu:.0f} s of processor"


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
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, one thread each")
    parser.add_argument("--report", action="store_true", help="write what is finished")
    args = parser.parse_args()

    began, wanted = time.perf_counter(), args.methods
    for name in args.only:
        todo = [] if args.report else list(specs(opened(args.folder, name), wanted))
        work = Parallel(args.jobs, return_as="generator_unordered", inner_max_num_threads=1)
        for done, line in enumerate(work(delayed(run)(args.folder, spec) for spec in todo), 1):
            sys.stderr.write(f"{name} {done}/{len(todo)}  {line}\n")
    sys.stderr.write(f"{time.perf_counter() - began:.0f} s\n")
    store, rows = RunStore(), []
    for name in FEATURES:
        for spec in specs(opened(args.folder, name), inductive):
            rows += [result.row() for result in finished(spec, store)]
    write(pd.DataFrame(rows))


def write(table: pd.DataFrame) -> None:
    """Write what is finished so far."""
    RESULTS.mkdir(exist_ok=True)
    table.drop(columns="created").to_csv(RESULTS / "real_features.csv", index=False)
    (RESULTS / "real_features.md").write_text(markdown(table), encoding="utf-8")


if __name__ == "__main__":
    main()
