"""Experiment of a paper: the necessary tasks, and a table of their results.

In the wide format, the table has one row per method and three columns per cell: ours, printed and
difference.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Literal, Protocol, Self

import numpy as np
import pandas as pd

from zslcore.analysis.actions import DRAWS
from zslcore.datasets.facts import benchmark_of, recognise_actions
from zslcore.exceptions import ParameterError, closest_name
from zslcore.features import FeatureScaling
from zslcore.methods import METHODS
from zslcore.progress import Progress, silent
from zslcore.results.shipped import cached_dataset
from zslcore.storage import settings
from zslcore.storage.files import FACTS, read_csv_frame

#: Columns of every table of results: ``ours``, ``std`` (over seeds), ``low`` and ``high`` (ends of
#: the 95 % interval), ``printed`` and ``difference`` are fractions if the unit is percent; ``at``
#: is a further key of the row, such as a value of λ.
COLUMNS = (
    *("dataset", "method", "at", "cell", "ours", "std", "low", "high", "seeds"),
    *("printed", "difference", "key"),
)
#: Sentence on the features of the printed values of most experiments.
RESNET = (
    "The paper uses ResNet-101 features of the real images: 'zslcore download xlsa17' fetches them."
)

Unit = Literal["percent", "number"]


class Task(Protocol):
    """Study or plan of runs: a part of an experiment that a worker process can compute."""

    def is_stored(self) -> bool:
        """Return whether all results are stored."""

    def complete(self, progress: Progress = silent, /) -> int:
        """Compute and store missing results; return their number."""


@dataclass(frozen=True, slots=True)
class TablePart:
    """Part of the table of an experiment, with the methods and the numbers of seeds and draws.

    Attributes
    ----------
    datasets : names of the data sets of this part
    draws : number of draws of test classes, in studies of actions
    benchmark : data set of the paper to compare with, by default recognised by classes
    """

    datasets: tuple[str, ...]
    methods: tuple[str, ...]
    seeds: int = 5
    draws: int = DRAWS
    benchmark: str | None = None


@dataclass(frozen=True)
class Experiment(ABC):
    """Table or figure of a paper, with a name such as "cal:table2".

    Attributes
    ----------
    feature_source : sentence on the features used for the printed values, and their source
    params : row -> changed parameters
    """

    name: str
    title: str
    features: FeatureScaling = field(default="l2", kw_only=True)
    feature_source: str = field(default=RESNET, kw_only=True)
    params: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, kw_only=True)
    #: Number of data sets in one part of the table; None for all data sets.
    n_datasets: int | None = field(default=1, kw_only=True)
    #: Whether the scaling of features can be changed.
    can_scale: bool = field(default=True, kw_only=True)
    #: Whether the parameters of rows can be changed.
    takes_params: bool = field(default=False, kw_only=True)
    #: Unit of values: shares in percent, or plain numbers.
    unit: Unit = field(default="percent", kw_only=True)
    #: Heading of the column ``at``.
    at: str = field(default="", kw_only=True)
    #: Sentence that describes the values.
    metrics: str = field(default="", kw_only=True)
    #: Values of ``dataset`` that are not data sets, such as the example in a paper's figure.
    examples: tuple[str, ...] = field(default=(), kw_only=True)

    @property
    def datasets(self) -> tuple[str, ...]:
        """Default data sets of the table."""
        return ("digits",)

    @property
    def headings(self) -> tuple[str, ...]:
        """Prefixes of column names, in display order; if empty, columns stay in table order."""
        return ()

    @property
    def methods(self) -> tuple[str, ...]:
        """Rows of the table in the paper's order; empty if rows are not methods."""
        return ()

    @property
    def further_methods(self) -> tuple[str, ...]:
        """Methods that are not in the paper, but can be run."""
        return tuple(name for name in METHODS if self.methods and name not in self.methods)

    def method_of(self, row: str) -> str:
        """Return the method of a row."""
        return row

    def params_of(self, row: str) -> Mapping[str, Any]:
        """Return the changed parameters of a row; a subclass may add those of a variant."""
        return self.params.get(row, {})

    def with_params(self, params: Mapping[str, Mapping[str, Any]]) -> Self:
        """Return the experiment with changed parameters of rows, or refuse parameters."""
        if params and not self.takes_params:
            raise ParameterError(
                f"{self.name} takes no parameters; got parameters of {' and '.join(params)}."
            )
        merged = {
            row: {**self.params.get(row, {}), **given_params}
            for row, given_params in params.items()
        }
        return replace(self, params={**self.params, **merged})

    def check_methods(self, methods: Sequence[str]) -> tuple[str, ...]:
        """Return the requested rows, by default the rows of the paper; refuse other names."""
        allowed = self.methods + self.further_methods
        for method in methods:
            if not allowed:
                raise ParameterError(f"{self.name} has no rows of methods; got {method}.")
            if method not in allowed:
                raise closest_name(f"method for {self.name}", method, allowed)
        return tuple(methods) or self.methods

    def parts(self, datasets: Sequence[str]) -> list[tuple[str, ...]]:
        """Return the data sets of each part of the table; refuse a wrong number of data sets."""
        if self.n_datasets == 1:
            return [(name,) for name in datasets]
        if self.n_datasets == 0 and datasets:
            raise ParameterError(f"{self.name} takes no data set; got {', '.join(datasets)}.")
        if self.n_datasets not in (None, len(datasets)):
            raise ParameterError(
                f"{self.name} needs {self.n_datasets} data sets; got {len(datasets)}."
            )
        return [tuple(datasets)]

    def is_of_paper(self, name: str, part: TablePart) -> bool:
        """Return whether a data set has the paper's images, so that printed values are shown.

        It must have the classes of a benchmark, unless ``part`` names a benchmark. Simulated
        data and the digits are never compared.
        """
        dataset = cached_dataset(name)
        if dataset.simulated or name == "digits":
            return False
        benchmark = benchmark_of(dataset) or recognise_actions(dataset.class_names)
        return (part.benchmark or benchmark) is not None

    def tasks(self, part: TablePart) -> Mapping[str, Sequence[Task]]:
        """Return the tasks by name; tasks with the same name run in sequence."""
        return {}

    @abstractmethod
    def table_rows(self, part: TablePart) -> Iterable[dict[str, Any]]:
        """Yield the finished and printed cells; see :func:`cell_row`."""

    def table(self, part: TablePart) -> pd.DataFrame:
        """Return finished and printed values, with the columns of ``COLUMNS``."""
        return pd.DataFrame(self.table_rows(part), columns=[*COLUMNS])


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
    """Return a cell of the results; missing values are NaN.

    ``values`` has one value per seed, and ``ours`` is their mean. ``key`` is the key of the first
    run.
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
    """Return the precomputed cells, by the key of their run or regularisation path."""
    path = FACTS / "measured" / "papers.csv"
    table = read_csv_frame(path, dtype={"at": str}, keep_default_na=False)
    numbers = ["ours", "std", "low", "high", "seeds"]
    table[numbers] = table[numbers].apply(pd.to_numeric)
    cells = table.drop_duplicates(["key", "at", "cell"])
    return {str(key): to_records(rows) for key, rows in cells.groupby("key", sort=False)}


def measured_cells(key: str) -> list[dict[str, Any]]:
    """Return the precomputed cells with this key; none if precomputed results are not used."""
    return _measured().get(key, []) if settings.SHIPPED() else []


def to_records(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the rows of a table as dictionaries."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


# --- The wide format -----------------------------------------------------------------------------

_ROW = ["dataset", "method", "at"]


def _has_means(table: pd.DataFrame, experiment: Experiment) -> bool:
    """Return whether a table gets rows of means: it is in percent, with one row per method."""
    return experiment.unit == "percent" and not table["at"].any()


def explain_means(table: pd.DataFrame, experiment: Experiment) -> str:
    """Return a sentence on the methods in the row of means; empty if all methods are in it."""
    if not _has_means(table, experiment):
        return ""
    left_out = any(
        1 < len(averaged_methods(rows)) < rows["method"].nunique()
        for _, rows in table.groupby("dataset", sort=False)
    )
    sentence = "A row 'mean of N' averages only the N methods with a value in every column."
    return sentence * left_out


def widen_table(table: pd.DataFrame, experiment: Experiment) -> pd.DataFrame:
    """Return the wide format: three columns per cell, and a row of means per data set."""
    by_method = _has_means(table, experiment)
    order = experiment.headings
    cells = sorted(
        map(str, table["cell"].unique()),
        key=lambda cell: next((k for k, h in enumerate(order) if cell.startswith(h)), 0),
    )
    blocks = []
    for _, of_dataset in table.groupby("dataset", sort=False):
        blocks.append(_block(of_dataset, cells, experiment.unit))
        if by_method and len(of_dataset["method"].unique()) > 1:
            blocks.append(_means(of_dataset, cells, experiment.unit))
    shown = pd.concat(blocks, ignore_index=True).fillna("-") if blocks else pd.DataFrame()
    headings = {"dataset": "data set", "at": experiment.at}
    constant = [
        c for c in _ROW if not table[c].any() or (c == "dataset" and len(table[c].unique()) == 1)
    ]
    not_printed = [
        f"{mark} {cell}"
        for cell, rows in table.groupby("cell", sort=False)
        for mark, column in (("printed", "printed"), ("diff", "difference"))
        if rows[column].isna().all()
    ]
    shown = shown.drop(columns=[*constant, *not_printed], errors="ignore")
    names = [*map(str, shown.columns)]
    short = {c: c.split(" ", 1)[0] for c in names if c.startswith(("printed ", "diff "))}
    return shown.rename(columns=headings | short)


def _block(rows: pd.DataFrame, cells: list[str], unit: Unit) -> pd.DataFrame:
    """Return the wide rows of one data set."""
    shown = rows[_ROW].drop_duplicates().set_index(_ROW, drop=False)
    for cell in cells:
        part = rows[rows["cell"] == cell].set_index(_ROW)
        for name, texts in _columns(part, cell, unit).items():
            shown[name] = texts
    return shown


def averaged_methods(rows: pd.DataFrame) -> list[str]:
    """Return the methods in the row of means of a data set: those with a value in every column.

    Columns that are empty for all methods, ours or printed, are ignored.
    """
    wide = rows.pivot_table(["ours", "printed"], "method", "cell", sort=False)
    return [str(name) for name in wide.dropna(axis=1, how="all").dropna().index]


def _means(rows: pd.DataFrame, cells: list[str], unit: Unit) -> pd.DataFrame:
    """Return a row of means over the same methods in every cell; empty for fewer than two."""
    methods = averaged_methods(rows)
    if len(methods) < 2:
        return pd.DataFrame()
    of_all = rows[rows["method"].isin(methods)]
    shown = {"dataset": rows["dataset"].iloc[0], "method": f"mean of {len(methods)}", "at": ""}
    for cell in cells:
        part = of_all[of_all["cell"] == cell]
        row = pd.DataFrame([part[["ours", "printed", "difference"]].mean()])
        row = row.assign(**dict.fromkeys(("std", "low", "high"), math.nan))
        shown |= {name: texts.iloc[0] for name, texts in _columns(row, cell, unit).items()}
    return pd.DataFrame([shown])


def _columns(rows: pd.DataFrame, cell: str, unit: Unit) -> dict[str, pd.Series[str]]:
    """Return the three columns of a cell as text: ours, printed, and the difference."""
    texts = {
        cell: [
            _format_value(*row, unit=unit)
            for row in rows[["ours", "std", "low", "high"]].to_numpy()
        ],
        f"printed {cell}": [_format_value(value, unit=unit) for value in rows["printed"]],
        f"diff {cell}": [_format_value(value, sign="+", unit=unit) for value in rows["difference"]],
    }
    return {
        name: pd.Series(values, index=rows.index, dtype=object) for name, values in texts.items()
    }


def _format_value(
    value: float,
    std: float = math.nan,
    low: float = math.nan,
    high: float = math.nan,
    *,
    unit: Unit,
    sign: str = "",
) -> str:
    if math.isnan(value):
        return "-"
    if unit == "number":
        is_whole = float(value).is_integer() or abs(value) >= 100
        return f"{value:{sign},.0f}" if is_whole else f"{value:{sign}.3g}"
    spread = "" if math.isnan(std) else f" ± {100 * std:.1f}"
    if not math.isnan(low):
        spread += f" ({100 * low:z.1f} to {100 * high:z.1f})"
    points = f"{100 * value:{sign}z.1f}".replace("+0.0", "0.0")  # zero has no sign
    return f"{points}{spread}"
