"""Every inductive method on some data sets, parameters chosen on the folds, next to the papers.

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
from functools import lru_cache
from typing import Any

import pandas as pd
from joblib import Parallel, delayed

from benchmarks import writing
from benchmarks.writing import keep, markdown_table, percent
from zslcore.analysis.papers.experiments import EXPERIMENTS
from zslcore.analysis.papers.experiments.runs import RunsExperiment
from zslcore.analysis.sweep import first_specs
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.specs import RunSpec
from zslcore.methods import METHODS, VARIANTS
from zslcore.results.planning import SEEDS, Plan
from zslcore.results.store import ResultStore
from zslcore.version import read_stamped

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


@lru_cache(maxsize=1)
def opened(source: Source) -> ZSLDataset:
    """Return the data set of a source."""
    return source.open()


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
    name : of the files, and of the module of this folder that is run
    intro : what the file of results says above its tables
    sources : data set -> Source
    args : of :func:`arguments`
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
    path = writing.RESULTS / f"{name}.csv"
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


def arguments(parser: argparse.ArgumentParser, sources: Sequence[str]) -> None:
    """Add what every sweep is asked."""
    parser.add_argument("--only", nargs="+", default=list(sources), choices=sources)
    parser.add_argument("--methods", nargs="+", default=INDUCTIVE, choices=INDUCTIVE)
    parser.add_argument("--splits", nargs="+", default=["PS"], choices=TASKS)
    parser.add_argument("--jobs", type=int, default=2, help="runs at a time, one thread each")
    parser.add_argument("--variants", action="store_true", help="all variants of a method")
    parser.add_argument("--report", action="store_true", help="write what is finished")


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
