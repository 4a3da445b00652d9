"""Tables whose cells are runs of the run store, and the ranks that follow from them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from math import fsum
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from zslcore.analysis.method_table import Cell as StoredCell
from zslcore.analysis.method_table import row_name, seconds_of
from zslcore.analysis.papers.experiments.experiment import (
    Experiment,
    Piece,
    Request,
    Tell,
    Unit,
    cell_row,
    measured_cells,
    opened,
    table_of,
)
from zslcore.analysis.ranking import rank_matrix, ranks_of
from zslcore.datasets import ZSLDataset
from zslcore.datasets.benchmarks import benchmark_of
from zslcore.datasets.facts import published
from zslcore.evaluation.protocol import Task
from zslcore.evaluation.runs import RunResult
from zslcore.exceptions import DatasetError
from zslcore.features.views import FeatureScaling
from zslcore.methods import METHODS, VARIANTS
from zslcore.metrics import Average
from zslcore.results.planning import Choice, Plan, first_specs
from zslcore.results.store import ResultStore


@dataclass(frozen=True, slots=True)
class Cell:
    """A column of a printed table and what measures it.

    Attributes
    ----------
    title : heading
    split : name
    select_for : what parameters are chosen for
    figure : column of :meth:`zslcore.evaluation.runs.RunResult.row`
    column : of the printed table
    where : values of its rows besides method and data set
    average : over classes or samples
    """

    title: str
    split: str
    select_for: Task
    figure: str
    column: str
    where: Mapping[str, str] = field(default_factory=dict)
    average: Average = "class"

    def value(self, result: RunResult) -> float | None:
        """Return the figure of a run; None where it has none."""
        if self.average == "class":
            of_class: float | None = result.row()[self.figure]
            return of_class
        if self.figure == "zsl":
            return result.evaluation.zsl_per_sample
        point, _, side = self.figure.partition("_")
        of_sample: float | None = getattr(
            getattr(result.evaluation, f"{point}_per_sample"), side, None
        )
        return of_sample


@dataclass(frozen=True, slots=True)
class RunsExperiment(Experiment):
    """A table whose cells are runs of the run store.

    Attributes
    ----------
    file : name of the printed table, see :func:`zslcore.datasets.facts.published`
    cells : its columns
    rows : method -> parameters that make it the paper's variant, where the default is another one
    """

    file: str
    cells: tuple[Cell, ...]
    rows: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    #: What is run besides the choice on all folds.
    choices: ClassVar[tuple[Choice, ...]] = ()
    figures: ClassVar[str] = (
        "Accuracy in percent, per class unless stated; parameters and gamma chosen on the folds; "
        "{over}."
    )

    @property
    def headings(self) -> tuple[str, ...]:
        """The columns as the paper orders them."""
        return tuple(cell.title for cell in self.cells)

    def given(self, row: str) -> Mapping[str, Any]:
        """Return the parameters that a row is given: its variant, and the given ones."""
        return {**VARIANTS.get(row, ({},))[0], **self.rows.get(row, {})}

    def with_params(self, params: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the experiment with parameters given to rows."""
        rows = {name: {**self.rows.get(name, {}), **given} for name, given in params.items()}
        return replace(self, rows={**self.rows, **rows})

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that there are here."""
        return tuple(name for name in published(self.file)["method"].unique() if name in METHODS)

    def printed(self, benchmark: str | None) -> pd.DataFrame:
        """Return the printed figures of a benchmark, one row a method and one column a cell."""
        columns = {}
        for cell in self.cells:
            rows = published(self.file)
            for name, value in {"dataset": benchmark, **cell.where}.items():
                rows = rows[rows[name] == value]
            columns[cell.title] = rows.set_index("method")[cell.column]
        return pd.DataFrame(columns)

    def cells_of(self, dataset: ZSLDataset) -> list[Cell]:
        """Return the cells whose split the data set has."""
        cells = [cell for cell in self.cells if cell.split in dataset.splits]
        if not cells:
            wanted = " or ".join(dict.fromkeys(cell.split for cell in self.cells))
            raise DatasetError(
                f"{self.name} needs split {wanted}; {dataset.name} has "
                f"{', '.join(dataset.splits) or 'none'}."
            )
        return cells

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return the runs by method and split; closed forms last: no core is idle at the end.

        Methods that begin with the same classifiers are one piece; that they share them, and that
        seeds add little to the choice on the folds, the expected seconds leave out.
        """
        tasks_of: dict[tuple[str, str, str], list[Task]] = {}
        for name in request.datasets:
            for cell in self.cells_of(opened(name)):
                for method in request.methods:
                    found = tasks_of.setdefault((name, method, cell.split), [])
                    found += [] if cell.select_for in found else [cell.select_for]
        together: dict[tuple[str, str, str], dict[str, _SpecArguments]] = {}
        for name, method, split in sorted(tasks_of, key=lambda one: not METHODS[one[1]].iterative):
            tasks = tuple(tasks_of[name, method, split])
            arguments = (split, method, tasks, self.given(method), self.features)
            group = (name, split, METHODS[method].classifiers or method)
            together.setdefault(group, {})[method] = arguments
        pieces = {}
        for (name, split, _), of_methods in together.items():
            what = (name, tuple(of_methods.values()), request.seeds, self.choices)
            on = f" on {name}" if len(request.datasets) > 1 else ""
            title = f"{' and '.join(of_methods)}, {split}{on}"
            expected = partial(_seconds, name, tuple(of_methods.values()))
            pieces[title] = Piece(partial(_run, *what), partial(_is_run, *what), expected)
        return pieces

    def runs_of(
        self, name: str, method: str, cell: Cell, seeds: int
    ) -> tuple[str, list[RunResult]]:
        """Return the key of a cell's first run, and what is stored of it and of other seeds."""
        given, tasks = self.given(method), (cell.select_for,)
        (spec,) = first_specs(opened(name), cell.split, method, tasks, given, self.features)
        return spec.key, list(Plan([spec], seeds).of(spec, ResultStore()))

    def table(self, request: Request) -> pd.DataFrame:
        """Return means and deviations over seeds, and the printed figures."""
        (name,) = request.datasets
        dataset = opened(name)
        printed, rows = self.printed(request.benchmark or benchmark_of(dataset)), []
        for method in request.methods:
            for cell in self.cells_of(dataset):
                key, runs = self.runs_of(name, method, cell, request.seeds)
                values = [v for v in map(cell.value, runs) if v is not None]
                there = printed[cell.title].get(method)
                row = cell_row(cell.title, values, there, dataset=name, method=method, key=key)
                shipped = (each for each in measured_cells(key) if each["cell"] == cell.title)
                if not values and (found := next(shipped, None)):
                    row |= {column: found[column] for column in ("ours", "std", "seeds")}
                    row["difference"] = row["ours"] - row["printed"]
                rows.append(row)
        return table_of(rows)


#: What :func:`first_specs` takes behind the data set.
_SpecArguments = tuple[str, str, Sequence[Task], Mapping[str, Any], FeatureScaling]


def _seconds(
    dataset: str, arguments: Sequence[_SpecArguments], former: Sequence[StoredCell]
) -> float:
    """Return the sum over methods and tasks; NaN where one of them is unknown."""
    return fsum(
        len(tasks) * seconds_of(former, row_name(method, given), dataset, split)
        for split, method, tasks, given, _ in arguments
    )


def _run(
    dataset: str,
    arguments: Sequence[_SpecArguments],
    seeds: int,
    choices: Sequence[Choice],
    tell: Tell,
) -> int:
    plan = _plan(dataset, arguments, seeds, choices)
    return plan.complete_all(opened(dataset), ResultStore(), tell)


def _is_run(
    dataset: str, arguments: Sequence[_SpecArguments], seeds: int, choices: Sequence[Choice]
) -> bool:
    return not _plan(dataset, arguments, seeds, choices).missing(ResultStore())


def _plan(
    dataset: str, arguments: Sequence[_SpecArguments], seeds: int, choices: Sequence[Choice]
) -> Plan:
    """Return the runs of one or several methods."""
    data = opened(dataset)
    return Plan([spec for each in arguments for spec in first_specs(data, *each)], seeds, choices)


# --- What each fold chooses, and ranks ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoldsExperiment(RunsExperiment):
    """The same test set with what each fold alone would choose, a column a fold."""

    choices: ClassVar[tuple[Choice, ...]] = ("folds",)
    figures: ClassVar[str] = (
        "Accuracy in percent, per class; each column with the parameters that one fold chooses."
    )

    def of_folds(self, name: str, method: str, cell: Cell) -> list[float]:
        """Return a cell's figure with what each fold chooses, as far as it is stored."""
        given, tasks, store = self.given(method), (cell.select_for,), ResultStore()
        (spec,) = first_specs(opened(name), cell.split, method, tasks, given, self.features)
        plan = Plan([spec], choices=self.choices)
        values = (cell.value(run) for run in [*plan.of(spec, store)][1:])
        return [value for value in values if value is not None]

    def table(self, request: Request) -> pd.DataFrame:
        """Return a column a split and fold, then the range over folds."""
        (name,) = request.datasets
        rows = []
        for method in request.methods:
            for cell in self.cells_of(opened(name)):
                values = self.of_folds(name, method, cell)
                columns = {f"{cell.title} {k}": [value] for k, value in enumerate(values, 1)}
                columns[f"{cell.title} range"] = [float(np.ptp(values))] if values else []
                rows += [
                    cell_row(title, value, dataset=name, method=method)
                    for title, value in columns.items()
                ]
        return table_of(rows)


@dataclass(frozen=True, slots=True)
class RanksExperiment(FoldsExperiment):
    """How often each method is at each place, over data sets, and over folds where they count.

    Attributes
    ----------
    by_fold : whether every fold's choice is an observation of its own
    """

    by_fold: bool = True
    n_datasets: ClassVar[int | None] = None
    unit: ClassVar[Unit] = "number"
    at: ClassVar[str] = "figure"
    figures: ClassVar[str] = (
        "Mean rank, and how often a method has each place; methods that tie share their places. "
        "The printed rank follows from the paper's table."
    )

    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return the runs, with those of every fold where they count."""
        pieces = super(RanksExperiment, self).pieces(request)
        if self.by_fold:
            return pieces
        of_runs = RunsExperiment(
            self.name, self.title, self.file, self.cells, self.rows, features=self.features
        )
        return of_runs.pieces(replace(request, seeds=1))

    def _observed(self, name: str, method: str, cell: Cell) -> list[float]:
        if self.by_fold:
            return self.of_folds(name, method, cell)
        _, found = self.runs_of(name, method, cell, seeds=1)
        return [v for v in map(cell.value, found) if v is not None]

    def table(self, request: Request) -> pd.DataFrame:
        """Return mean ranks and places; printed are the ranks that the paper's table gives."""
        names: dict[str, list[str]] = {cell.title: [] for cell in self.cells}
        figures: dict[str, dict[str, list[float]]] = {title: {} for title in names}
        for name in request.datasets:  # the outer loop: few data sets are open at a time
            for cell in self.cells:
                if cell.split in opened(name).splits:
                    names[cell.title].append(name)
                    for method in request.methods:
                        found = figures[cell.title].setdefault(method, [])
                        found += self._observed(name, method, cell)
        rows: list[dict[str, Any]] = []
        for cell in self.cells:
            of_cell = figures[cell.title]
            most = max(map(len, of_cell.values()), default=0)
            values = {method: found for method, found in of_cell.items() if len(found) == most > 0}
            rows += self._rows_of(cell, values, " + ".join(names[cell.title]))
        return table_of(rows)

    def _rows_of(
        self, cell: Cell, values: Mapping[str, Sequence[float]], dataset: str
    ) -> Iterator[dict[str, Any]]:
        """Yield the rows of one figure, the best mean rank first."""
        if not values:
            return
        observed = np.array([*values.values()]).T
        mean, places = ranks_of(observed).mean(axis=0), rank_matrix(observed)
        printed = self._printed_ranks(cell, [*values])
        for k in np.argsort(mean, kind="stable"):
            method = [*values][k]
            where = {"dataset": dataset, "method": method, "at": cell.title}
            yield cell_row("mean rank", [mean[k]], printed.get(method), **where)
            for place, often in enumerate(places[k], 1):
                yield cell_row(str(place), [often], **where)

    def _printed_ranks(self, cell: Cell, methods: Sequence[str]) -> Mapping[str, float]:
        """Return mean ranks in the printed table; none where a method lacks them."""
        table = published(self.file)
        for name, value in cell.where.items():
            table = table[table[name] == value]
        wide = table.pivot_table(index="dataset", columns="method", values=cell.column, sort=False)
        wide = wide.dropna(axis=1)
        if not set(methods) <= set(wide.columns):
            return {}
        wide = wide[[*methods]]
        return dict(zip(wide.columns, ranks_of(wide.to_numpy()).mean(axis=0), strict=True))
