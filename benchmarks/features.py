"""Every inductive method on real features and on simulated ones, next to the papers.

    python -m benchmarks.features real [FOLDER] [--only NAME ...] [--methods NAME ...] [--jobs N]
    python -m benchmarks.features simulated [--only NAME ...] [--methods NAME ...] [--jobs N]

FOLDER (default ``../shared/data/xlsa17``) holds ``CUB/`` and ``AWA1/`` in the xlsa17 layout; the
simulated data are stand-ins with the real class names and splits. Written to
``benchmarks/results/`` are ``real_features.csv`` or ``simulated_features.csv``, a row a run, and a
page of the same name, the table next to the papers' results, whose features are ResNet-101's.

Every method is run twice on PS, its parameters chosen for ZSL and for GZSL, stochastic ones with
several seeds: the first chooses parameters and gamma on the folds, the others are given what it
chose. On SS, which has no test images of seen classes, it is run for ZSL with the first seed.
Finished runs are stored: an interrupted sweep resumes, and ``--report`` writes what is finished
without running anything, as a sweep itself does at its end.
Methods of which the run store knows nothing keep the rows that the file of results has, so that one
method can be run again without the others; each row says which data, revisions and sources made it.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from benchmarks import measuring
from benchmarks.measuring import FOLDER, keep, markdown_table, percent
from zslcore.analysis.papers.experiments import EXPERIMENTS
from zslcore.analysis.papers.experiments.runs import RunsExperiment
from zslcore.datasets import ZSLDataset, load, read_xlsa17
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import METHODS, VARIANTS
from zslcore.results.planning import SEEDS, Plan, first_specs
from zslcore.results.store import ResultStore
from zslcore.version import read_stamped

#: Data set of the papers, file of features, what the features are.
FEATURES = {
    "CUB-vgg_fc7": ("CUB", "vgg_fc7.mat", "CUB, VGG fc7 (trained on ImageNet-1K)"),
    "AWA1-lss": ("AWA1", "lss.mat", "AWA1, local self-similarity (hand-crafted)"),
    "AWA1-phog": ("AWA1", "phog.mat", "AWA1, PHOG (hand-crafted)"),
}
REAL = """# Real features, parameters chosen on the three folds

`python -m benchmarks.features real` writes this file and `real_features.csv`.

Split PS 2.0, but for one column; per-class accuracy in percent; features and prototypes of unit
length. SS: the standard split, first seed. ZSL, u, s, H plain and H calibrated use the parameters
chosen for ZSL, what says "for GZSL" those chosen for GZSL: the last H and AUSUC are of another fit
than the figures to their left. Every gamma is chosen on the folds. The gaps are what
choosing on the test set would have gained. GBU and CAL are the printed figures of the comprehensive
and of the calibration paper; their features are ResNet-101's, while the hand-crafted ones of AWA1
know nothing of ImageNet. Stochastic methods: mean and standard deviation of five seeds, with the
parameters and the gamma that the first chose. Rows and seeds that are not there were not finished;
the command goes on where it stopped.

Every row of the CSV file says which revisions of method and protocol made it; where it was made or
made again since these are stamped, also the digest of the package's sources (`zslcore doctor` says
its own), and the commit where it is in the history. Rows of version 0.1.0 are of closed forms,
whose figures today's revisions give again to four digits, and, with revision 0, of what was not run
again: SYNC (struct) on CUB, with a tolerance of 0.01.

On CUB, the folds cannot tell c = 10 of SSE from c = 1: by the rule of one standard error the
smaller c is taken. SYNC's H lies 5.5 points below CAL's with a gap of 7.6; its struct loss
was run for ZSL only (24 minutes on a shared machine), cs not at all. GFZSL predicts the Gaussians
of seen classes as well; with their own, as in its paper, its plain H is near GBU's 0.0. The gamma
of CMT* is a threshold on a novelty measured from training images; how far unseen images lie from it
changes between a fold and all of trainval, so that here it loses more than it gains.

On AWA1 the features are what is missing: IAP ends 7 and 12 points of ZSL below its paper, the
others 14 and more, and all lie too close for any order. On PHOG no seen class stands out from all
others together, and the minimum of SYNC's cs is W = 0. Where a result exceeds its oracle, the
classifiers of one ridge weight stopped elsewhere than those of a whole path.
"""
SIMULATED = """# Simulated data sets, parameters chosen on the three folds

`python -m benchmarks.features simulated` writes this file and `simulated_features.csv`.

**Simulated**: no camera was involved; the papers' results next to them are for real images. Small
size (about 3,000 images, 512 features), split PS; per-class accuracy in percent; features and
prototypes of unit length. ZSL, u, s, H plain and H calibrated use the parameters chosen for ZSL,
what says "for GZSL" those chosen for GZSL: the last H and AUSUC are of another fit than the figures
to their left. Every gamma is chosen on the folds. Stochastic methods: one seed.
"""
#: What parameters are chosen for on a split.
TASKS: Mapping[str, tuple[Task, ...]] = {"PS": ("zsl", "gzsl"), "SS": ("zsl",)}
#: An image-text encoder's features are not among these; generators have their own benchmark.
INDUCTIVE = [name for name, method in METHODS.items() if method.card.usual]


@dataclass(frozen=True)
class Source:
    """A data set of a sweep.

    Attributes
    ----------
    title : what the features are
    benchmark : data set of the papers
    open : callable that reads it; called once in every process
    seeds : of stochastic methods
    """

    title: str
    benchmark: str
    open: Callable[[], ZSLDataset]
    seeds: int = SEEDS


def real(folder: Path = FOLDER) -> dict[str, Source]:
    """Return the data sets with real features, read from ``folder``."""
    return {
        name: Source(title, benchmark, partial(read_xlsa17, folder / benchmark, features=features))
        for name, (benchmark, features, title) in FEATURES.items()
    }


def simulated() -> dict[str, Source]:
    """Return the stand-ins for the benchmarks."""
    return {
        f"simulated-{name}": Source(
            f"{name}, simulated", name, partial(load, f"simulated-{name}"), seeds=1
        )
        for name in ("AWA1", "AWA2", "CUB", "SUN", "aPY")
    }


@lru_cache(maxsize=1)
def opened(source: Source) -> ZSLDataset:
    """Return the data set of a source."""
    return source.open()


@lru_cache(maxsize=1)
def opened_by_name(folder: Path, name: str) -> ZSLDataset:
    """Return a data set, real features from ``folder``, read once in every process."""
    return real(folder)[name].open() if name in FEATURES else load(name)


def specs(
    dataset: ZSLDataset, splits: Sequence[str], methods: Sequence[str], *, variants: bool
) -> Iterator[tuple[RunSpec, ...]]:
    """Yield the runs of one data set, for the tasks of a split and without seeds."""
    for split in (split for split in splits if split in dataset.splits):
        for name in methods:
            of_method: Sequence[dict[str, Any]] = VARIANTS.get(name, ({},))
            for variant in of_method[: None if variants else 1]:
                yield first_specs(dataset, split, name, TASKS[split], variant)


def seeds_of(source: Source, runs: tuple[RunSpec, ...]) -> int:
    """Return how many seeds a run has on its split."""
    return source.seeds if runs[0].split == "PS" else 1


def run(source: Source, runs: tuple[RunSpec, ...]) -> str:
    """Make the missing runs of a plan, for all tasks and seeds; report them in a line."""
    began, cpu = time.perf_counter(), time.process_time()
    plan = Plan(runs, seeds_of(source, runs), with_oracle=True)
    fitted = plan.complete_all(opened(source), ResultStore())
    wall, cpu = time.perf_counter() - began, time.process_time() - cpu
    return f"{runs[0].command()}  # {fitted} runs, {wall:.0f} s, {cpu:.0f} s of processor"


def sweep(name: str, intro: str, sources: Mapping[str, Source], args: argparse.Namespace) -> None:
    """Run what is not finished, then write ``results/<name>.csv`` and ``.md``.

    Parameters
    ----------
    name : of the files
    intro : what the file of results says above its tables
    sources : data set -> Source
    args : of :func:`main`
    """
    for source_name in [] if args.report else args.only:
        run_all(source_name, sources[source_name], args)
    store, known = ResultStore(), _rows_of_file(name)
    parts = []
    for source in sources.values():
        for runs in specs(opened(source), list(TASKS), INDUCTIVE, variants=True):
            plan = Plan(runs, seeds_of(source, runs))
            results = [result for spec in runs for result in plan.of(spec, store)]
            rows = pd.DataFrame([result.row() for result in results])
            if rows.empty:
                parts.append(_rows_of(runs[0], known))
            else:
                parts.append(rows.drop(columns="created"))
    parts = [part.dropna(axis=1, how="all") for part in parts if len(part)]
    if parts:
        columns = dict.fromkeys(column for part in parts for column in part)
        table = pd.concat(parts, ignore_index=True)[list(columns)]
        keep(name, markdown(intro, sources, table), table)


def _rows_of_file(name: str) -> pd.DataFrame:
    """Return what ``results/<name>.csv`` has, nothing where it is not there yet."""
    path = measuring.RESULTS / f"{name}.csv"
    return read_stamped(path) if path.exists() else pd.DataFrame()


def _rows_of(spec: RunSpec, known: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of a method and its variant on the split and the very data of ``spec``."""
    if known.empty:
        return known
    of_run = (known["method"] == spec.method) & (known["split"] == spec.split)
    of_run &= known["digest"] == spec.digest
    for value in spec.params.values():
        of_run &= known["params"].str.contains(f'"{value}"', regex=False)
    return known[of_run]


def run_all(name: str, source: Source, args: argparse.Namespace) -> None:
    """Run what is not finished on one data set, and tell every method as it ends."""
    began = time.perf_counter()
    todo = list(specs(opened(source), args.splits, args.methods, variants=args.variants))
    todo.reverse()  # the closed forms come last: a short run leaves no core idle at the end
    work = Parallel(args.jobs, return_as="generator_unordered", inner_max_num_threads=1)
    for done, line in enumerate(work(delayed(run)(source, runs) for runs in todo), 1):
        sys.stderr.write(f"{name} {done}/{len(todo)}  {line}\n")
    sys.stderr.write(f"{name}: {time.perf_counter() - began:.0f} s\n")


def label(row: pd.Series) -> str:
    """Name of a method and its variant."""
    for variant in VARIANTS.get(row["method"], ()):
        if all(f'"{value}"' in row["params"] for value in variant.values()):
            return f"{row['method']} ({', '.join(variant.values())})"
    return row["method"]


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Mean over seeds, one row a method: ZSL, then H in the calibration paper's three settings."""
    table = table.assign(name=table.apply(label, axis=1))
    standard = table[table["split"] == "SS"].groupby(["dataset", "name", "method"], sort=False)
    table = table[table["split"] == "PS"]

    def over_seeds(task, statistic):
        rows = table[table["select_for"] == task].groupby(["dataset", "name", "method"], sort=False)
        return getattr(rows, statistic)(numeric_only=True)

    zsl, gzsl = over_seeds("zsl", "mean"), over_seeds("gzsl", "mean")
    columns = {
        "ZSL on SS": standard["zsl"].mean(),
        "ZSL": zsl["zsl"],
        "+-": over_seeds("zsl", "std")["zsl"],
        "u": zsl["plain_unseen"],
        "s": zsl["plain_seen"],
        "H plain": zsl["plain_harmonic"],
        "H calibrated": zsl["calibrated_harmonic"],
        "H calibrated, for GZSL": gzsl["calibrated_harmonic"],
        "AUSUC, for GZSL": gzsl["ausuc"],
        "gap of parameters, ZSL": zsl.get("oracle_gap_zsl"),
        "gap of parameters and gamma, H": gzsl.get("oracle_gap_harmonic"),
    }
    # A task that is not finished for all would leave the methods in another order.
    return pd.DataFrame(columns).reindex(zsl.index).reset_index()


def papers(benchmark: str) -> pd.DataFrame:
    """Return the papers' figures on a benchmark, one row a method."""

    def cells(experiment: str, title: str) -> pd.Series:
        printed = EXPERIMENTS[experiment]
        assert isinstance(printed, RunsExperiment)
        return printed.printed(benchmark)[title]

    return pd.DataFrame(
        {
            "ZSL on SS (GBU)": cells("gbu:table3", "SS"),
            "ZSL (GBU)": cells("gbu:table3", "PS"),
            "ZSL (CAL)": cells("cal:table1", "PS"),
            "H plain (GBU)": cells("gbu:table6", "H"),
            "H plain (CAL)": cells("cal:table2", "H plain"),
            "H calibrated, for GZSL (CAL)": cells("cal:table2", "H calibrated, for GZSL"),
        }
    )


def markdown(intro: str, sources: Mapping[str, Source], table: pd.DataFrame) -> str:
    """Return the summary of every data set next to the papers' results, in percent."""
    rows, lines = summary(table), [intro]
    for name, source in sources.items():
        part = rows[rows["dataset"] == name].drop(columns="dataset")
        if part.empty:
            continue
        lifted = part["H calibrated"] - part["H plain"]
        part = part.join(papers(source.benchmark), on="method").drop(columns="method")
        if part["ZSL on SS"].isna().all():
            part = part.drop(columns="ZSL on SS (GBU)")
        part = part.dropna(axis=1, how="all")
        cells = ([row.iloc[0], *map(percent, row.iloc[1:])] for _, row in part.iterrows())
        lines += [f"## {source.title}", "", *markdown_table(part.columns, cells), ""]
        lines += [
            f"Calibration lifts H in {(lifted > 0).sum()} of {len(part)} rows, parameters chosen "
            f"for ZSL in both; by {percent(lifted.median())} points in the median.",
            "",
        ]
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    kinds = parser.add_subparsers(dest="kind", required=True)
    for kind, names in (("real", [*FEATURES]), ("simulated", [*simulated()])):
        each = kinds.add_parser(kind)
        if kind == "real":
            each.add_argument("folder", nargs="?", default=FOLDER, type=Path)
        each.add_argument("--only", nargs="+", default=names, choices=names)
        each.add_argument("--methods", nargs="+", default=INDUCTIVE, choices=INDUCTIVE)
        each.add_argument("--splits", nargs="+", default=["PS"], choices=TASKS)
        each.add_argument("--jobs", type=int, default=2, help="runs at a time, one thread each")
        each.add_argument("--variants", action="store_true", help="all variants of a method")
        each.add_argument("--report", action="store_true", help="write what is finished")
    args = parser.parse_args()
    if args.kind == "real":
        sweep("real_features", REAL, real(args.folder), args)
    else:
        sweep("simulated_features", SIMULATED, simulated(), args)


if __name__ == "__main__":
    main()
