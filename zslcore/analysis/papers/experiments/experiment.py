"""What an experiment of a paper is: pieces for any process, and a table of their results."""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
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
from zslcore.results.result import result_of
from zslcore.results.results_only import is_known_by_results, load_results_only
from zslcore.results.store import ResultStore
from zslcore.storage import settings
from zslcore.storage.files import FACTS

#: Of every table of results; ``ours`` to ``high``, ``printed`` and ``difference`` are fractions
#: where the experiment's unit is percent, ``std`` is over seeds, ``low`` and ``high`` are the 95 %
#: interval, and ``at`` says what else the row is of.
COLUMNS = (
    *("dataset", "method", "at", "cell", "ours", "std", "low", "high", "seeds"),
    *("printed", "difference", "key"),
)

#: callable(done, total, message)
Tell = Callable[[float, float, str], None]
Unit = Literal["percent", "number"]
Rows = Sequence[Mapping[str, Any]]


def silent(done: float, total: float, message: str) -> None:
    """Take progress and show none."""


def unknown(former: Sequence[Cell]) -> float:
    """Return NaN: former runs allow no estimate."""
    return float("nan")


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of an experiment that can be done in any process.

    Attributes
    ----------
    run : makes what is missing, and says how far it is; returns how many results it has made
    is_stored : whether nothing is missing, where this is quick to check
    seconds : from the cells of stored runs, what it is expected to take on one thread; NaN where
        they allow no estimate
    """

    run: Callable[[Tell], int]
    is_stored: Callable[[], bool]
    seconds: Callable[[Sequence[Cell]], float] = unknown


@dataclass(frozen=True, slots=True)
class Request:
    """What is wanted of an experiment.

    Attributes
    ----------
    datasets : names of data sets that make one part of the table
    methods : rows
    seeds : of stochastic methods
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


def opened(name: str) -> ZSLDataset:
    """Return a data set, read once in every process; known by its results where not imported."""
    return read_once(name, imports.stamp(name))


@dataclass(frozen=True, slots=True)
class Experiment(ABC):
    """A table or figure of a paper.

    Attributes
    ----------
    name : paper and table, as "cal:table2"
    title : what it asks
    features : how features are scaled, see :class:`zslcore.features.views.Preprocessing`
    lacks : what the printed figures rest on that no data set here has, and where to get it
    """

    name: str
    title: str
    features: FeatureScaling = field(default="l2", kw_only=True)
    lacks: str = field(default="", kw_only=True)
    #: Number of data sets that make one part of the table; None for all of them.
    n_datasets: ClassVar[int | None] = 1
    #: Whether features can be scaled otherwise.
    scales: ClassVar[bool] = True
    #: What figures are: shares, or plain numbers.
    unit: ClassVar[Unit] = "percent"
    #: Heading of ``at``.
    at: ClassVar[str] = ""
    #: What the figures are, in a sentence.
    figures: ClassVar[str] = ""

    @property
    def datasets(self) -> tuple[str, ...]:
        """The data sets it is made on by default."""
        return ("digits",)

    @property
    def headings(self) -> tuple[str, ...]:
        """How columns begin, in their order; that of the table by default."""
        return ()

    @property
    @abstractmethod
    def methods(self) -> tuple[str, ...]:
        """The rows of the table, as the paper orders them; none where these are no methods."""

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

    def checked_methods(self, methods: Sequence[str]) -> tuple[str, ...]:
        """Return the rows to be made, all of the paper's by default.

        Raises
        ------
        UnknownNameError
            For a name that is no row.
        """
        allowed = self.methods + self.others
        for method in methods:
            if not allowed:
                raise ParameterError(f"{self.name} has no rows of methods; got {method}.")
            if method not in allowed:
                raise closest_name(f"method for {self.name}", method, allowed)
        return tuple(methods) or self.methods

    def parts(self, datasets: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the data sets of every part of the table.

        Raises
        ------
        ParameterError
            For another number of data sets than a part needs.
        """
        if self.n_datasets == 1:
            return [(name,) for name in datasets]
        if self.n_datasets == 0 and datasets:
            raise ParameterError(f"{self.name} takes no data set; got {', '.join(datasets)}.")
        if self.n_datasets not in (None, len(datasets)):
            raise ParameterError(
                f"{self.name} needs {self.n_datasets} data sets; got {len(datasets)}."
            )
        return [tuple(datasets)]

    @abstractmethod
    def pieces(self, request: Request) -> dict[str, Piece]:
        """Return what has to be done, by its name."""

    @abstractmethod
    def table(self, request: Request) -> pd.DataFrame:
        """Return finished and printed figures, with the columns of ``COLUMNS``."""


# --- Tables ---------------------------------------------------------------------------------------


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
    """Return a cell of the results; missing is what is not finished, or was not printed.

    Parameters
    ----------
    cell : its column
    values : one a seed; their mean is ours
    printed : the paper's figure
    dataset, method, at : its row
    interval : 95 %
    key : of the first run
    """
    ours = float(np.mean(values)) if len(values) else np.nan
    there = np.nan if printed is None else float(printed)
    row = {"dataset": dataset, "method": method, "at": at, "cell": cell, "ours": ours}
    row["std"] = float(np.std(values, ddof=1)) if len(values) > 1 else np.nan
    row |= {"low": interval[0], "high": interval[1], "seeds": len(values)}
    return row | {"printed": there, "difference": ours - there, "key": key}


def table_of(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Return cells as a table."""
    return pd.DataFrame(rows, columns=list(COLUMNS))


@cache
def _measured() -> Mapping[str, list[dict[str, Any]]]:
    """Return the cells that come with the package, by the key of what they were measured with."""
    table = pd.read_csv(FACTS / "measured" / "papers.csv", dtype={"at": str}, keep_default_na=False)
    numbers = ["ours", "std", "low", "high", "seeds"]
    table[numbers] = table[numbers].apply(pd.to_numeric)
    cells = table.drop_duplicates(["key", "at", "cell"])
    found: dict[str, list[dict[str, Any]]] = {}
    for row in cells.to_dict("records"):
        found.setdefault(row["key"], []).append({str(name): cell for name, cell in row.items()})
    return found


def measured_cells(key: str) -> list[dict[str, Any]]:
    """Return the shipped cells of a run or path; the key names data, revisions and parameters."""
    return _measured().get(key, []) if settings.SHIPPED() else []


# --- Results of other kinds than runs -------------------------------------------------------------


def key_of(*parts: object) -> str:
    """Return the SHA-256 of everything that a result depends on, 16 hex digits."""
    text = json.dumps(parts, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class RowStudy(ABC):
    """A study of an experiment, stored as rows that lists of results show.

    Attributes
    ----------
    kind : kind of its results in the store
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def key(self) -> str:
        """SHA-256 of everything that the rows depend on, 16 hex digits."""

    @abstractmethod
    def measure(self, tell: Tell) -> tuple[Mapping[str, Any], Rows, Rows]:
        """Return what the rows are about, the rows, and those that lists of results show."""

    @property
    def rows(self) -> list[dict[str, Any]] | None:
        """The stored rows; None without them, or with what is torn."""
        text = ResultStore().record(self.kind, self.key)
        try:
            return None if text is None else [dict(row) for row in json.loads(text)]
        except (ValueError, TypeError):
            return None

    @property
    def piece(self) -> Piece:
        """What stores the rows, in any process."""
        return Piece(self._store, self._is_stored)

    def _store(self, tell: Tell) -> int:
        about, rows, shown = self.measure(tell)
        result = result_of(self.kind, self.key, about, shown or rows, [*map(dict, rows)])
        ResultStore().put_result(result)
        return 1

    def _is_stored(self) -> bool:
        return self.rows is not None


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
