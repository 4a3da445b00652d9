"""The papers' experiments by table: run them on any data set, and compare with print.

An experiment is named by paper and table, as ``cal:table2``. Its columns define which run
measures them and where they are printed, so that table and reproduction stay in step. Parameters
and gamma are chosen on the folds; finished runs are stored, and an interrupted experiment resumes.

References
----------
gbu: Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of
the good, the bad and the ugly", TPAMI 2019. cal: Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From
classical to generalized zero-shot learning: a simple adaptation process", MMM 2019.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd
from joblib import delayed

from zslcore.analysis.cross_dataset import cross_table
from zslcore.analysis.cross_tests import with_printed
from zslcore.analysis.sweep import first_specs
from zslcore.analysis.transduction import TransductionSpec
from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.benchmarks import benchmark_of
from zslcore.datasets.facts import published
from zslcore.evaluation import outside
from zslcore.evaluation.protocol import Task
from zslcore.exceptions import DatasetError, ParameterError, closest_name
from zslcore.features.views import FeatureScaling
from zslcore.large.engine import Engine, parallel
from zslcore.methods import METHODS
from zslcore.methods.variants import VARIANTS
from zslcore.results.planning import Plan
from zslcore.results.result import result_of
from zslcore.results.store import ResultStore

__all__ = [
    "COLUMNS",
    "EXPERIMENTS",
    "Cell",
    "CrossExperiment",
    "Experiment",
    "RunsExperiment",
    "TransductionExperiment",
    "configured_experiment",
    "get_experiment",
    "reproduce",
]

#: Of every table of results; ``ours``, ``std``, ``printed`` and ``difference`` are fractions.
COLUMNS = ("method", "cell", "ours", "std", "seeds", "printed", "difference", "key")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an experiment that can be done in any process.

    Attributes
    ----------
    run : makes the missing runs; returns their number
    is_stored : whether none is missing, where this is quick to check
    """

    run: Callable[[], int]
    is_stored: Callable[[], bool]


@lru_cache(maxsize=2)
def opened(name: str) -> ZSLDataset:
    """Return a data set, read once in every process."""
    return load(name)


# --- What an experiment is ------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Experiment(ABC):
    """A table or figure of a paper.

    Attributes
    ----------
    name : paper and table, as "cal:table2"
    title : what it asks
    features : how features are scaled, see :class:`zslcore.features.views.Preprocessing`
    """

    name: str
    title: str
    features: FeatureScaling = field(default="l2", kw_only=True)
    #: Number of data sets that it needs.
    n_datasets: ClassVar[int] = 1

    @property
    @abstractmethod
    def methods(self) -> tuple[str, ...]:
        """The rows of the table, as the paper orders them."""

    @property
    def others(self) -> tuple[str, ...]:
        """Methods that the paper does not have and that can be run all the same."""
        return tuple(name for name in METHODS if name not in self.methods)

    def method_of(self, row: str) -> str:
        """Return the name of the method that a row is of."""
        return row

    def given(self, row: str) -> Mapping[str, Any]:
        """Return the parameters that a row is given, its method's variant among them."""
        return {}

    def with_params(self, params: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the experiment with parameters given to rows, ``params`` by the name of the row.

        Raises
        ------
        ParameterError
            When its rows take none.
        """
        if params:
            raise ParameterError(
                f"{self.name} takes no parameters; got some of {', '.join(params)}."
            )
        return self

    @abstractmethod
    def pieces(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int
    ) -> dict[str, Piece]:
        """Return what has to be done, by its name."""

    @abstractmethod
    def table(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int, benchmark: str | None
    ) -> pd.DataFrame:
        """Return finished and printed figures, with the columns of ``COLUMNS``."""


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
    """

    title: str
    split: str
    select_for: Task
    figure: str
    column: str
    where: Mapping[str, str] = field(default_factory=dict)


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

    def _cells_of(self, dataset: ZSLDataset) -> list[Cell]:
        """Return the cells whose split the data set has."""
        cells = [cell for cell in self.cells if cell.split in dataset.splits]
        if not cells:
            wanted = " or ".join(dict.fromkeys(cell.split for cell in self.cells))
            raise DatasetError(
                f"{self.name} needs split {wanted}; {dataset.name} has "
                f"{', '.join(dataset.splits) or 'none'}."
            )
        return cells

    def pieces(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int
    ) -> dict[str, Piece]:
        """Return the runs by method and split; closed forms last: no core is idle at the end."""
        tasks_of: dict[tuple[str, str], list[Task]] = {}
        for cell in self._cells_of(opened(datasets[0])):
            for method in methods:
                found = tasks_of.setdefault((method, cell.split), [])
                found += [] if cell.select_for in found else [cell.select_for]
        slow_first = sorted(tasks_of, key=lambda one: not METHODS[one[0]].iterative)
        pieces = {}
        for method, split in slow_first:
            tasks = tuple(tasks_of[method, split])
            specs = (split, method, tasks, self.given(method), self.features)
            what = (datasets[0], specs, seeds)
            pieces[f"{method}, {split}"] = Piece(partial(_run, *what), partial(_is_run, *what))
        return pieces

    def table(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int, benchmark: str | None
    ) -> pd.DataFrame:
        """Return means and deviations over seeds, and the printed figures."""
        dataset, store = opened(datasets[0]), ResultStore()
        benchmark = benchmark or benchmark_of(dataset)
        printed, rows = self.printed(benchmark), []
        for method in methods:
            for cell in self._cells_of(dataset):
                tasks, given = (cell.select_for,), self.given(method)
                (spec,) = first_specs(dataset, cell.split, method, tasks, given, self.features)
                values = [r.row()[cell.figure] for r in Plan([spec], seeds).of(spec, store)]
                row = _row(method, cell.title, values, printed[cell.title].get(method))
                rows.append(row | {"key": spec.key})
        return pd.DataFrame(rows, columns=list(COLUMNS))


#: What :func:`first_specs` takes behind the data set.
_SpecArguments = tuple[str, str, Sequence[Task], Mapping[str, Any], FeatureScaling]


def _run(dataset: str, arguments: _SpecArguments, seeds: int) -> int:
    data = opened(dataset)
    return Plan(first_specs(data, *arguments), seeds).complete_all(data, ResultStore())


def _is_run(dataset: str, arguments: _SpecArguments, seeds: int) -> bool:
    return not Plan(first_specs(opened(dataset), *arguments), seeds).missing(ResultStore())


def _row(method: str, cell: str, values: Sequence[float], printed: float | None) -> dict[str, Any]:
    """Return a cell of the results; missing is what is not finished, or was not printed."""
    ours = float(np.mean(values)) if values else np.nan
    std = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    there = np.nan if printed is None else float(printed)
    row = {"method": method, "cell": cell, "ours": ours, "std": std, "seeds": len(values)}
    return row | {"printed": there, "difference": ours - there, "key": ""}


# --- Two data sets, and images without labels -----------------------------------------------------


@dataclass(frozen=True, slots=True)
class CrossExperiment(Experiment):
    """Trained on one data set, tested on another: see :mod:`zslcore.analysis.cross_dataset`."""

    n_datasets: ClassVar[int] = 2

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods of the printed table that there are here."""
        names = published("cross_dataset_awa")["method"].unique()
        return tuple(name for name in names if name in METHODS)

    def pieces(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int
    ) -> dict[str, Piece]:
        """Return two fits a method."""
        one, other = datasets
        return {
            method: Piece(partial(_cross, one, other, method, self.features), lambda: False)
            for method in methods
        }

    def table(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int, benchmark: str | None
    ) -> pd.DataFrame:
        """Return the four cells of every method; the first data set stands for AWA1."""
        first, second = map(opened, datasets)
        here = cross_table(first, second, methods, store=ResultStore(), features=self.features)
        compared = with_printed(here, first.name, second.name)
        rows = [
            _row(
                row["method"], f"{row['trained']}:{row['tested']}", [row["here"]], row["published"]
            )
            for row in compared[compared["method"].isin(methods)].to_dict("records")
        ]
        return pd.DataFrame(rows, columns=list(COLUMNS))


def _cross(one: str, other: str, method: str, features: FeatureScaling) -> int:
    first, second = opened(one), opened(other)
    store = ResultStore()
    before = len(store.others(["crossed"]))
    cross_table(first, second, [method], store=store, features=features)
    return len(store.others(["crossed"])) - before


@dataclass(frozen=True, slots=True)
class TransductionExperiment(Experiment):
    """A transductive method compared with its inductive version, split PS.

    Attributes
    ----------
    rows : name in the paper -> (method, its parameters)
    cells : heading -> column of :meth:`zslcore.analysis.transduction.Contender.row`
    """

    rows: Mapping[str, tuple[str, Mapping[str, Any]]]
    cells: Mapping[str, str]

    @property
    def methods(self) -> tuple[str, ...]:
        """The transductive methods of the figure."""
        return tuple(self.rows)

    def method_of(self, row: str) -> str:
        """Return the name of the method that a row is of."""
        return self.rows[row][0]

    def given(self, row: str) -> Mapping[str, Any]:
        """Return the parameters that a row is given."""
        return self.rows[row][1]

    def with_params(self, params: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the experiment with parameters given to rows."""
        rows = {
            name: (self.rows[name][0], {**self.rows[name][1], **given})
            for name, given in params.items()
        }
        return replace(self, rows={**self.rows, **rows})

    @property
    def others(self) -> tuple[str, ...]:
        """None; there is no published row for inductive methods."""
        return ()

    def pieces(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int
    ) -> dict[str, Piece]:
        """Return one comparison a method."""
        arguments = {name: (datasets[0], *self.rows[name], self.features) for name in methods}
        return {
            name: Piece(partial(_compare, *what), partial(_is_compared, *what))
            for name, what in arguments.items()
        }

    def table(
        self, datasets: Sequence[str], methods: Sequence[str], seeds: int, benchmark: str | None
    ) -> pd.DataFrame:
        """Return the figures of both contenders; the paper has drawn them, and printed none."""
        rows = []
        for name in methods:
            spec = _spec_of(datasets[0], *self.rows[name], self.features)
            for contender in _stored_rows(spec) or []:
                for title, figure in self.cells.items():
                    value = contender.get(figure)
                    values = [] if value is None else [value]
                    rows.append(_row(name, f"{title}, {contender['kind']}", values, None))
        return pd.DataFrame(rows, columns=list(COLUMNS))


def _spec_of(
    dataset: str, method: str, params: Mapping[str, Any], features: FeatureScaling
) -> TransductionSpec:
    digest = opened(dataset).digest
    return TransductionSpec(dataset, "PS", method, params, features=features, digest=digest)


def _compare(dataset: str, method: str, params: Mapping[str, Any], features: FeatureScaling) -> int:
    spec = _spec_of(dataset, method, params, features)
    rows = spec.compare(opened(dataset)).table().to_dict("records")
    shown = [
        {("contender" if name == "kind" else str(name)): value for name, value in row.items()}
        for row in rows
    ]
    ResultStore().put_result(result_of("transductive", _key(spec), _about(spec), shown, rows))
    return 1


def _about(spec: TransductionSpec) -> dict[str, Any]:
    names = ("dataset", "split", "digest", "features", "prototypes", "seed")
    return {name: getattr(spec, name) for name in names} | {"params": json.dumps(spec.params)}


def _is_compared(
    dataset: str, method: str, params: Mapping[str, Any], features: FeatureScaling
) -> bool:
    return _stored_rows(_spec_of(dataset, method, params, features)) is not None


def _stored_rows(spec: TransductionSpec) -> list[dict[str, Any]] | None:
    """Return the rows of a finished comparison; None without them, or with what is torn."""
    text = ResultStore().record("transductive", _key(spec))
    try:
        return None if text is None else [dict(row) for row in json.loads(text)]
    except (ValueError, TypeError):
        return None


def _key(spec: TransductionSpec) -> str:
    text = json.dumps([spec.to_json(), spec.made_by], sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


# --- The experiments ------------------------------------------------------------------------------


_BY_SPLIT = tuple(
    Cell(split, split, "zsl", "zsl", "top1_per_class", {"split": split}) for split in ("SS", "PS")
)


def _calibrated(title: str, task: Task, figure: str, calibrated: str) -> Cell:
    where = {"calibrated": calibrated, "lambda_selected_for": task}
    return Cell(title, "PS", task, figure, "harmonic", where)


#: What the benchmark paper ran where the defaults here are others: SAE compares in the semantic
#: space, GFZSL keeps the Gaussians of seen classes that were estimated from their images.
_OF_BENCHMARK_PAPER: Mapping[str, Mapping[str, Any]] = {
    "SAE": {"direction": "V2S"},
    "GFZSL": {"seen": "estimated"},
}

EXPERIMENTS: Mapping[str, Experiment] = {
    experiment.name: experiment
    for experiment in (
        RunsExperiment(
            "gbu:table3",
            "ZSL on the standard and on the proposed split",
            "zsl_top1",
            _BY_SPLIT,
            _OF_BENCHMARK_PAPER,
            features="none",
        ),
        CrossExperiment("gbu:table4", "trained on AWA1 or AWA2, tested on either: two data sets"),
        RunsExperiment(
            "gbu:table6",
            "GZSL without calibration: u, s and H",
            "gzsl_ps",
            tuple(
                Cell(letter, "PS", "zsl", f"plain_{name}", name)
                for letter, name in (("u", "unseen"), ("s", "seen"), ("H", "harmonic"))
            ),
            _OF_BENCHMARK_PAPER,
            features="none",
        ),
        TransductionExperiment(
            "gbu:figure8",
            "what unlabelled test images add; drawn in the paper, not printed",
            {
                "DSRL": ("DSRL", {}),
                "GFZSL-tran": ("GFZSL-tran", {}),
                "ALE-tran": ("Propagation", {"base": "ALE"}),
            },
            {"ZSL": "zsl", "H": "plain_harmonic"},
        ),
        RunsExperiment(
            "cal:table1",
            "ZSL on the standard and on the proposed split, five seeds",
            "calibration_zsl_top1",
            _BY_SPLIT,
        ),
        RunsExperiment(
            "cal:table2",
            "H without calibration, with it, and with lambda chosen for GZSL too",
            "calibration_gzsl_harmonic",
            (
                _calibrated("H plain", "zsl", "plain_harmonic", "no"),
                _calibrated("H calibrated", "zsl", "calibrated_harmonic", "yes"),
                _calibrated("H calibrated, for GZSL", "gzsl", "calibrated_harmonic", "yes"),
            ),
        ),
    )
}


def get_experiment(name: str) -> Experiment:
    """Return the experiment called ``name``.

    Raises
    ------
    UnknownNameError
        For a name not in ``EXPERIMENTS``; names the nearest one.
    """
    if name not in EXPERIMENTS:
        raise closest_name("experiment", name, EXPERIMENTS)
    return EXPERIMENTS[name]


def configured_experiment(
    name: str,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    features: FeatureScaling | None = None,
) -> Experiment:
    """Return an experiment with other parameters or features; see :func:`reproduce`.

    Raises
    ------
    UnknownNameError
        For an unknown experiment or row.
    """
    experiment = get_experiment(name)
    for method in params or {}:
        if method not in (allowed := experiment.methods + experiment.others):
            raise closest_name(f"method for {name}", method, allowed)
    experiment = experiment.with_params(params or {})
    return replace(experiment, features=features or experiment.features)


def reproduce(
    name: str,
    datasets: Sequence[str],
    methods: Sequence[str] = (),
    *,
    seeds: int = 5,
    jobs: int = 2,
    dask: str = "",
    benchmark: str | None = None,
    params: Mapping[str, Mapping[str, Any]] | None = None,
    features: FeatureScaling | None = None,
    on_done: Callable[[int, int, str, int], None] | None = None,
) -> pd.DataFrame:
    """Run what is not finished of an experiment, and compare it with the printed figures.

    Parameters
    ----------
    name : of an experiment
    datasets : names of data sets that ``load`` knows, as many as the experiment needs
    methods : by default the rows of its table that there are here; others have no printed figure
    seeds : of stochastic methods
    jobs : pieces at a time, one thread each
    dask : address of a Dask cluster that makes the pieces instead, its workers sharing this data
        folder
    benchmark : data set of the paper to compare with, by default that of the data set
    params : row -> parameters that it is given, over those of the paper's variant
    features : how features are scaled, by default those of the experiment
    on_done : callable(done, total, what, runs), optional
        Called after every piece, in this process.

    Returns
    -------
    DataFrame
        One row per method and cell of the printed table: ``method``, ``cell``, ``ours`` (mean over
        seeds), ``std``, ``seeds``, ``printed``, ``difference`` (ours - printed) and ``key`` (of the
        first run in the run store); fractions, missing where there is none.

    Raises
    ------
    ZSLError
        For unknown names, another number of data sets, or data that lack something required.
    """
    experiment = configured_experiment(name, params, features)
    if len(datasets) != experiment.n_datasets:
        raise ParameterError(
            f"{name} needs {experiment.n_datasets} data set{'s' * (experiment.n_datasets > 1)}; "
            f"got {len(datasets)}."
        )
    for method in methods:
        if method not in (allowed := experiment.methods + experiment.others):
            raise closest_name(f"method for {name}", method, allowed)
    methods = methods or experiment.methods
    pieces = experiment.pieces(datasets, methods, seeds)
    for done, (what, runs) in enumerate(_all_done(pieces, jobs, dask), 1):
        if on_done:
            on_done(done, len(pieces), what, runs)
    return experiment.table(datasets, methods, seeds, benchmark)


def _all_done(pieces: Mapping[str, Piece], jobs: int, dask: str = "") -> Iterator[tuple[str, int]]:
    """Do every piece, and yield its name and how many runs it took; stored pieces come first."""
    todo = {what: piece for what, piece in pieces.items() if not piece.is_stored()}
    yield from ((what, 0) for what in pieces if what not in todo)
    if todo:
        there = Engine(dask=dask)
        with parallel(there, jobs, "generator_unordered", inner_max_num_threads=1) as work:
            yield from work(
                delayed(_done)(what, piece.run, outside.places(outside.own()))
                for what, piece in todo.items()
            )


def _done(what: str, run: Callable[[], int], places: Mapping[str, str]) -> tuple[str, int]:
    outside.restore(places)
    return what, run()
