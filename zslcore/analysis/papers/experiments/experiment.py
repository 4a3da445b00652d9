"""What an experiment of a paper is: pieces for any process, and a table of their results."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import Any, ClassVar, Literal, Self

import numpy as np
import pandas as pd

from zslcore.analysis.actions import DRAWS
from zslcore.analysis.method_table import Cell
from zslcore.datasets import ZSLDataset, imports, load
from zslcore.exceptions import ParameterError, closest_name
from zslcore.features.views import FeatureScaling
from zslcore.methods import METHODS
from zslcore.results.results_only import is_known_by_results, load_results_only
from zslcore.results.store import ResultStore, result_of
from zslcore.storage import settings
from zslcore.storage.files import FACTS

#: Of every table of results; ``ours`` to ``high``, ``printed`` and ``difference`` are fractions
#: where the experiment's unit is percent, ``std`` is over seeds, ``low`` and ``high`` are the 95 %
#: interval, and ``at`` says what else the row is of.
COLUMNS = (
    *("dataset", "method", "at", "cell", "ours", "std", "low", "high", "seeds"),
    *("printed", "difference", "key"),
)
#: What the printed figures of most experiments rest on.
RESNET = (
    "The paper's figures are of ResNet-101 features of the real images: 'zslcore download xlsa17' "
    "fetches them."
)

#: callable(done, total, message)
Tell = Callable[[float, float, str], None]
Unit = Literal["percent", "number"]
Rows = Sequence[Mapping[str, Any]]


def silent(done: float, total: float, message: str) -> None:
    """Ignore progress."""


class Piece(ABC):
    """A part of an experiment that can be done in any process."""

    @abstractmethod
    def run(self, tell: Tell) -> int:
        """Compute what is missing, and return how many results these are."""

    @abstractmethod
    def is_stored(self) -> bool:
        """Return True if nothing is missing, where this is quick to check."""

    def expected_seconds(self, former: Sequence[Cell]) -> float:
        """Estimate the time on one thread from stored runs; NaN where they allow no estimate."""
        return float("nan")


@dataclass(frozen=True, slots=True)
class Request:
    """The part of an experiment that is wanted.

    Attributes
    ----------
    datasets : names of data sets that make one part of the table
    draws : of test classes, in the studies of actions
    benchmark : data set of the paper to compare with, by default that of the data set
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: int = 5
    draws: int = DRAWS
    benchmark: str | None = None


@lru_cache(maxsize=2)
def read_once(name: str, stamp: str) -> ZSLDataset:
    """Read a data set, again when another import has taken its name."""
    return load_results_only(name) if is_known_by_results(name) else load(name)


def open_dataset(name: str) -> ZSLDataset:
    """Return a data set, read once in every process; known by its results where not imported."""
    return read_once(name, imports.stamp(name))


@dataclass(frozen=True, slots=True)
class Experiment(ABC):
    """A table or figure of a paper, named as "cal:table2".

    Attributes
    ----------
    lacks : what the printed figures rest on that no data set here has, and where to get it
    params : row -> parameters that it is given, where these are not the defaults
    """

    name: str
    title: str
    features: FeatureScaling = field(default="l2", kw_only=True)
    lacks: str = field(default=RESNET, kw_only=True)
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, kw_only=True)
    #: Number of data sets that make one part of the table; None for all of them.
    n_datasets: ClassVar[int | None] = 1
    #: Whether features can be scaled otherwise, and rows given parameters.
    scales: ClassVar[bool] = True
    takes_params: ClassVar[bool] = False
    #: What figures are: shares, or plain numbers.
    unit: ClassVar[Unit] = "percent"
    #: Heading of ``at``.
    at: ClassVar[str] = ""
    #: What the figures are, in a sentence.
    figures: ClassVar[str] = ""

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets of the table by default."""
        return ("digits",)

    @property
    def headings(self) -> tuple[str, ...]:
        """Beginnings of columns, in their order; none for the order of the table."""
        return ()

    @property
    def methods(self) -> tuple[str, ...]:
        """The rows of the table, as the paper orders them; none where rows are no methods."""
        return ()

    @property
    def others(self) -> tuple[str, ...]:
        """Methods that the paper does not have and that can be run all the same."""
        return tuple(name for name in METHODS if self.methods and name not in self.methods)

    def method_of(self, row: str) -> str:
        """Return the method of a row."""
        return row

    def given(self, row: str) -> Mapping[str, Any]:
        """Return the parameters that a row is given, its method's variant among them."""
        return self.params.get(row, {})

    def with_params(self, params: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the experiment with parameters given to rows; refuse them where rows take none."""
        if params and not self.takes_params:
            raise ParameterError(
                f"{self.name} takes no parameters; got some of {', '.join(params)}."
            )
        merged = {row: {**self.params.get(row, {}), **given} for row, given in params.items()}
        return replace(self, params={**self.params, **merged})

    def checked_methods(self, methods: Sequence[str]) -> tuple[str, ...]:
        """Return the rows of the table, by default the paper's; refuse a name that is no row."""
        allowed = self.methods + self.others
        for method in methods:
            if not allowed:
                raise ParameterError(f"{self.name} has no rows of methods; got {method}.")
            if method not in allowed:
                raise closest_name(f"method for {self.name}", method, allowed)
        return tuple(methods) or self.methods

    def parts(self, datasets: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the data sets of every part of the table; refuse another number than it needs."""
        if self.n_datasets == 1:
            return [(name,) for name in datasets]
        if self.n_datasets == 0 and datasets:
            raise ParameterError(f"{self.name} takes no data set; got {', '.join(datasets)}.")
        if self.n_datasets not in (None, len(datasets)):
            raise ParameterError(
                f"{self.name} needs {self.n_datasets} data sets; got {len(datasets)}."
            )
        return [tuple(datasets)]

    def pieces(self, request: Request) -> Mapping[str, Piece]:
        """Return the work by name; none for what takes no time."""
        return {}

    @abstractmethod
    def table_rows(self, request: Request) -> Iterable[dict[str, Any]]:
        """Yield the finished and printed cells, see :func:`cell_row`."""

    def table(self, request: Request) -> pd.DataFrame:
        """Return finished and printed figures, with the columns of ``COLUMNS``."""
        return pd.DataFrame(self.table_rows(request), columns=[*COLUMNS])


# --- Cells ----------------------------------------------------------------------------------------


def cell_row(
    cell: str,
    values: Sequence[float],
    printed: float | None = None,
    *,
    dataset: str = "",
    method: str = "",
    at: str = "",
    interval: tuple[float, float] = (np.nan, np.nan),
    key: str = "",
) -> dict[str, Any]:
    """Return a cell of the results; what is not finished, or was not printed, is NaN.

    ``values`` are one a seed; their mean is ours. ``key`` is that of the first run.
    """
    ours = float(np.mean(values)) if len(values) else np.nan
    printed = np.nan if printed is None else float(printed)
    return {
        "dataset": dataset,
        "method": method,
        "at": at,
        "cell": cell,
        "ours": ours,
        "std": float(np.std(values, ddof=1)) if len(values) > 1 else np.nan,
        "low": interval[0],
        "high": interval[1],
        "seeds": len(values),
        "printed": printed,
        "difference": ours - printed,
        "key": key,
    }


@cache
def _measured() -> Mapping[str, list[dict[str, Any]]]:
    """Return the cells that come with the package, by the key of what they were measured with."""
    table = pd.read_csv(FACTS / "measured" / "papers.csv", dtype={"at": str}, keep_default_na=False)
    numbers = ["ours", "std", "low", "high", "seeds"]
    table[numbers] = table[numbers].apply(pd.to_numeric)
    cells = table.drop_duplicates(["key", "at", "cell"])
    return {str(key): to_records(rows) for key, rows in cells.groupby("key", sort=False)}


def measured_cells(key: str) -> list[dict[str, Any]]:
    """Return the shipped cells of a run or path; the key names data, revisions and parameters."""
    return _measured().get(key, []) if settings.SHIPPED() else []


def to_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


# --- Results of other kinds than runs -------------------------------------------------------------


@dataclass(frozen=True)
class StoredRows(Piece):
    """A study of an experiment, stored as rows that lists of results show.

    ``key`` is the SHA-256 of everything that the rows depend on, 16 hex digits; ``measure`` returns
    what the rows are about, the rows, and those that lists of results show.
    """

    kind: str
    key: str
    measure: Callable[[Tell], tuple[Mapping[str, Any], Rows, Rows]]

    @property
    def rows(self) -> list[dict[str, Any]] | None:
        """The stored rows; None without them, or with a damaged record."""
        text = ResultStore().record(self.kind, self.key)
        try:
            return None if text is None else [dict(row) for row in json.loads(text)]
        except (ValueError, TypeError):
            return None

    def run(self, tell: Tell) -> int:
        """Measure, and store the rows."""
        about, rows, shown = self.measure(tell)
        result = result_of(self.kind, self.key, about, shown, [*map(dict, rows)])
        ResultStore().put_result(result)
        return 1

    def is_stored(self) -> bool:
        """Return True if the rows are stored."""
        return self.rows is not None
