"""Experiments from stored runs: tables of metrics, and ranks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import count, takewhile
from math import fsum
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.method_table import MethodResult as StoredCell
from zslcore.analysis.method_table import estimate_seconds, row_name
from zslcore.analysis.papers.claims.evidence import (
    COLUMN_OF_METRIC,
    metrics_of_run,
    printed_evidence,
)
from zslcore.analysis.papers.experiments.experiment import (
    Experiment,
    TablePart,
    Unit,
    cell_row,
    measured_cells,
)
from zslcore.analysis.ranking import method_ranks, rank_matrix
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import benchmark_of, fact_sources, published_table
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.exceptions import DatasetError
from zslcore.methods import METHODS, VARIANTS
from zslcore.progress import Progress, silent
from zslcore.results.planning import ChoiceRule, RunPlan, first_specs
from zslcore.results.shipped import cached_dataset
from zslcore.results.store import ResultStore


@dataclass(frozen=True, slots=True)
class PrintedColumn:
    """Column of a printed table, and its metric as a key of ``COLUMN_OF_METRIC``."""

    title: str
    split: str
    select_for: Task
    metric: str

    def value(self, result: RunResult) -> float | None:
        """Return the metric of a run; None if the run does not have it."""
        value: float | None = metrics_of_run(result).get(COLUMN_OF_METRIC[self.metric])
        return value


@dataclass(frozen=True)
class RunsExperiment(Experiment):
    """Table of runs; ``printed_as`` is the table of the paper, such as "GBU 3".

    With ``by_fold``, each fold has a column with the test result for the parameters that it
    chooses.
    """

    printed_as: str
    cells: tuple[PrintedColumn, ...]
    by_fold: bool = field(default=False, kw_only=True)
    takes_params: bool = field(default=True, kw_only=True)
    metrics: str = field(
        default="Accuracy in percent, per class unless stated; parameters and gamma chosen on "
        "the folds; {over}.",
        kw_only=True,
    )

    @property
    def choices(self) -> tuple[ChoiceRule, ...]:
        """Rules for runs in addition to the choice on all folds."""
        return ("folds",) if self.by_fold else ()

    @property
    def headings(self) -> tuple[str, ...]:
        """Columns in the paper's order."""
        return tuple(cell.title for cell in self.cells)

    def params_of(self, row: str) -> Mapping[str, Any]:
        """Return the parameters of a row's variant, overridden by its given parameters."""
        return {**VARIANTS.get(row, ({},))[0], **self.params.get(row, {})}

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that this package has."""
        return tuple(name for name in self.printed_table["method"].unique() if name in METHODS)

    @property
    def printed_table(self) -> pd.DataFrame:
        """The printed table, with one row per value."""
        metrics = printed_evidence().metrics
        return metrics[metrics["table"] == self.printed_as]

    def printed_rows(self, cell: PrintedColumn) -> pd.DataFrame:
        """Return the printed values of a cell, with one row per method and benchmark."""
        rows = self.printed_table
        rows = rows[(rows["metric"] == cell.metric) & (rows["split"] == cell.split)]
        has_same_task = rows["chosen_for"] == cell.select_for
        return rows[has_same_task] if has_same_task.any() else rows

    def printed(self, benchmark: str | None) -> pd.DataFrame:
        """Return the printed values of a benchmark: one row per method, one column per cell."""
        columns = {}
        for cell in self.cells:
            rows = self.printed_rows(cell)
            rows = rows[rows["benchmark"] == benchmark]
            columns[cell.title] = rows.set_index("method")["value"]
        return pd.DataFrame(columns)

    def cells_of(self, dataset: ZSLDataset) -> list[PrintedColumn]:
        """Return the cells with a split of the data set; DatasetError if there are none."""
        cells = [cell for cell in self.cells if cell.split in dataset.splits]
        if not cells:
            needed_splits = " or ".join(dict.fromkeys(cell.split for cell in self.cells))
            raise DatasetError(
                f"{self.name} needs split {needed_splits}; {dataset.name} has "
                f"{', '.join(dataset.splits) or 'none'}."
            )
        return cells

    def tasks(self, part: TablePart) -> dict[str, list[RunsTask]]:
        """Return the runs by method and split, with closed forms last, to keep all cores busy.

        Methods that start from the same classifiers are one task.
        """
        splits = [
            (name, method, split)
            for name in part.datasets
            for split in dict.fromkeys(cell.split for cell in self.cells_of(cached_dataset(name)))
            for method in part.methods
        ]
        groups: dict[tuple[str, str, str], list[str]] = {}
        for name, method, split in sorted(splits, key=lambda task: not METHODS[task[1]].iterative):
            group = (name, split, METHODS[method].shared_classifier or method)
            groups.setdefault(group, []).append(method)
        tasks = {}
        for (name, split, _), methods in groups.items():
            on = f" on {name}" if len(part.datasets) > 1 else ""
            chosen_for = dict.fromkeys(c.select_for for c in self.cells if c.split == split)
            specs = [
                spec
                for method in methods
                for spec in self.specs_of(name, split, method, tuple(chosen_for))
            ]
            plan = RunPlan(specs, part.seeds, self.choices)
            tasks[f"{' and '.join(methods)}, {split}{on}"] = [RunsTask(name, plan)]
        return tasks

    def specs_of(
        self, name: str, split: str, method: str, tasks: Sequence[Task]
    ) -> tuple[RunSpec, ...]:
        """Return the first runs of a method, one per task."""
        params = self.params_of(method)
        return first_specs(cached_dataset(name), split, method, tasks, params, self.features)

    def first_spec(self, name: str, method: str, cell: PrintedColumn) -> RunSpec:
        """Return the spec of a cell's first run."""
        (spec,) = self.specs_of(name, cell.split, method, (cell.select_for,))
        return spec

    def stored_values(self, spec: RunSpec, cell: PrintedColumn, seeds: int = 1) -> list[float]:
        """Return the stored values of a cell, one per seed."""
        values = map(cell.value, RunPlan([spec], seeds).stored_runs(spec, ResultStore()))
        return [value for value in values if value is not None]

    def values_by_fold(self, spec: RunSpec, cell: PrintedColumn) -> list[float]:
        """Return the stored values of a cell with the parameters of each fold."""
        runs = RunPlan([spec], choices=self.choices).stored_runs(spec, ResultStore())
        values = [value for run in [*runs][1:] if (value := cell.value(run)) is not None]
        if values:
            return values
        shipped = {
            measured["cell"]: float(measured["ours"]) for measured in measured_cells(spec.key)
        }
        folds = takewhile(shipped.__contains__, (f"{cell.title} {k}" for k in count(1)))
        return [shipped[fold] for fold in folds]

    def _fold_columns(self, spec: RunSpec, cell: PrintedColumn) -> dict[str, list[float]]:
        """Return the values of the folds, and their range, by column."""
        values = self.values_by_fold(spec, cell)
        columns = {f"{cell.title} {k}": [value] for k, value in enumerate(values, 1)}
        return columns | {f"{cell.title} range": [float(np.ptp(values))] if values else []}

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield means and standard deviations next to printed values, or columns of folds."""
        (name,) = part.datasets
        dataset = cached_dataset(name)
        printed = self.printed(part.benchmark or benchmark_of(dataset))
        for method in part.methods:
            for cell in self.cells_of(dataset):
                spec = self.first_spec(name, method, cell)
                if self.by_fold:
                    for title, values in self._fold_columns(spec, cell).items():
                        yield cell_row(title, values, dataset=name, method=method, key=spec.key)
                    continue
                values = self.stored_values(spec, cell, part.seeds)
                printed_value = printed[cell.title].get(method)
                row = cell_row(
                    cell.title, values, printed_value, dataset=name, method=method, key=spec.key
                )
                shipped = (
                    measured
                    for measured in measured_cells(spec.key)
                    if measured["cell"] == cell.title
                )
                if not values and (precomputed := next(shipped, None)):
                    row |= {column: precomputed[column] for column in ("ours", "std", "seeds")}
                    row["difference"] = row["ours"] - row["printed"]
                yield row


@dataclass(frozen=True)
class RunsTask:
    """Task of all runs of a plan on one data set."""

    dataset: str
    plan: RunPlan

    def complete(self, progress: Progress = silent, /) -> int:
        """Compute the missing runs, and return their number."""
        return self.plan.complete_all(cached_dataset(self.dataset), ResultStore(), progress)

    def is_stored(self) -> bool:
        """Return whether all runs are stored."""
        return not self.plan.missing(ResultStore())

    def expected_seconds(self, former: Sequence[StoredCell]) -> float:
        """Estimate the seconds of all runs from earlier runs; NaN if none is comparable.

        Time saved by sharing computations between methods and seeds is ignored.
        """
        return fsum(
            estimate_seconds(former, row_name(spec.method, spec.params), spec.dataset, spec.split)
            for spec in self.plan.specs
        )


@dataclass(frozen=True)
class RanksExperiment(RunsExperiment):
    """Frequencies of each method's ranks over data sets; with ``by_fold``, also over folds.

    ``printed_ranks`` is the name of the table with printed mean ranks, empty without such a table.
    """

    printed_ranks: str = ""
    by_fold: bool = field(default=True, kw_only=True)
    n_datasets: int | None = field(default=None, kw_only=True)
    unit: Unit = field(default="number", kw_only=True)
    at: str = field(default="metric", kw_only=True)
    metrics: str = field(
        default="Mean rank, and how often a method has each place; tied methods share their "
        "places. A printed rank is over all methods and data sets of the figure.",
        kw_only=True,
    )

    def tasks(self, part: TablePart) -> dict[str, list[RunsTask]]:
        """Return the runs; without ``by_fold``, only with the first seed."""
        return super().tasks(part if self.by_fold else replace(part, seeds=1))

    def table_rows(self, part: TablePart) -> Iterator[dict[str, Any]]:
        """Yield mean ranks and frequencies; on all benchmarks, compare them with printed ranks."""
        observe = self.values_by_fold if self.by_fold else self.stored_values
        names: dict[str, list[str]] = {cell.title: [] for cell in self.cells}
        metrics: dict[str, dict[str, list[float]]] = {title: {} for title in names}
        for name in part.datasets:  # the outer loop, so that few data sets are open
            for cell in self.cells:
                if cell.split in cached_dataset(name).splits:
                    names[cell.title].append(name)
                    for method in part.methods:
                        observed = metrics[cell.title].setdefault(method, [])
                        observed += observe(self.first_spec(name, method, cell), cell)
        for cell in self.cells:
            of_cell = metrics[cell.title]
            most = max(map(len, of_cell.values()), default=0)
            values = {
                method: observed
                for method, observed in of_cell.items()
                if len(observed) == most > 0
            }
            if values:
                same = len(self._benchmarks(names[cell.title])) == len(fact_sources())
                for row in self._ranks(cell, values, " + ".join(names[cell.title])):
                    yield row if same else row | {"difference": np.nan}

    def _ranks(
        self, cell: PrintedColumn, values: Mapping[str, Sequence[float]], dataset: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the cells of one metric, best mean rank first."""
        observed = np.array([*values.values()]).T
        mean, rank_shares = method_ranks(observed).mean(axis=0), rank_matrix(observed)
        printed = self._printed_ranks(cell)
        for k in np.argsort(mean, kind="stable"):
            method = [*values][k]
            row = partial(cell_row, dataset=dataset, method=method, at=cell.title)
            yield row("mean rank", [mean[k]], printed.get(method))
            for rank, share in enumerate(rank_shares[k], 1):
                yield row(str(rank), [share])

    def _benchmarks(self, names: Sequence[str]) -> set[str]:
        """Return the benchmarks among the data sets."""
        benchmarks = (benchmark_of(cached_dataset(name)) for name in names)
        return {benchmark for benchmark in benchmarks if benchmark is not None}

    def _printed_ranks(self, cell: PrintedColumn) -> Mapping[str, float]:
        """Return the printed mean ranks by method; empty without a table."""
        if not self.printed_ranks:
            return {}
        rows = published_table(self.printed_ranks)
        rows = rows[rows["split"] == cell.split]
        return dict(zip(rows["method"], rows["mean_rank"], strict=True))
