r"""Table of methods by data sets, with intervals of metrics and ranks.

A table has one row per method, and one column per data set and split. Columns are not averaged:
each has its own ranks. Test classes are resampled with replacement, with the same draws for all
methods of a column; :func:`zslcore.analysis.ranking.rank_bounds` computes an interval of each rank
from the draws. With :math:`a_{mc}` the accuracy of method m on class c, and :math:`w_c` the number
of times that class c is drawn,

.. math::
    u^*_m = \frac{\sum_{c \in U} w_c a_{mc}}{\sum_{c \in U} w_c}, \qquad
    s^*_m = \frac{\sum_{c \in S} w_c a_{mc}}{\sum_{c \in S} w_c}, \qquad
    H^*_m = \frac{2 u^*_m s^*_m}{u^*_m + s^*_m}

A result without per-class accuracies has a rank but no interval. It raises the last possible rank
of every other result by one, since it may be better than all of them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Any, Literal, get_args

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from zslcore.analysis.metric_names import MEANS_OVER_CLASSES, METRICS, Metric
from zslcore.analysis.papers.claims.evidence import of_benchmark_paper, printed_evidence
from zslcore.analysis.papers.printed import chosen_for
from zslcore.analysis.ranking import rank_bounds
from zslcore.analysis.resampling import (
    accuracies_by_key,
    accuracies_of_sides,
    match_unseen_keys,
    metric_of_class_draws,
    order_of_classes,
)
from zslcore.analysis.stored_runs import oracle_keys, single_fold_keys
from zslcore.datasets.facts import benchmark_in_name, earlier_version, fine_tuned_on
from zslcore.datasets.imports import pretraining_by_name
from zslcore.evaluation.registry import REGISTRY
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.verification import State
from zslcore.methods import METHODS, VARIANTS
from zslcore.metrics.significance import (
    DIGITS,
    TOO_FEW,
    class_draws,
    fewest_classes,
    interval,
    too_few,
    widening,
)
from zslcore.results.shipped import has_predictions
from zslcore.results.store import StoredRun

Origin = Literal["mine", "shipped", "others"]
#: Name of the filter that hides a result from the table.
HiddenBy = Literal["Results", "Data sets", "Split", "Metric"]
#: Precedence of results for the same cell.
_PRECEDENCE: tuple[Origin, ...] = get_args(Origin)
#: Names of published splits; any other name is that of a user's split.
SHARED_SPLITS = ("PS", "SS")
#: Share of significantly worse rows below which a column is not ranked.
MIN_WORSE_SHARE = 1 / 3
#: Results are equal if all metrics differ by less than this, the precision of board entries.
_EQUAL = 1e-6
#: (paper, method) -> row of the printed values, if it is not the method's first variant.
_PRINTED_ROWS = {("GBU", "SAE"): "SAE (V2S)"}


def task_of(metric: Metric) -> Literal["zsl", "gzsl"]:
    """Return the task for choosing parameters: GZSL for AUSUC and metrics at gamma, else ZSL."""
    return "gzsl" if metric.endswith("at gamma") or metric == "AUSUC" else "zsl"


# --- Cells ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class MethodResult:
    """Result of a method on a data set and split; ``metrics`` are fractions in [0, 1].

    Fields that do not apply are empty: ``task`` if no parameter was chosen, ``who`` for runs.
    ``per_class`` maps "zsl", "plain" and "at_gamma" to accuracies by class, if the result has them.
    ``pretraining`` is ("none",) for features without pre-training. A ``probe`` is a run with the
    parameters that a single fold of another run would choose.
    """

    row: str
    data: str
    digest: str
    benchmark: str
    simulated: bool
    split: str
    task: Literal["zsl", "gzsl", ""]
    origin: Origin
    state: State
    metrics: Mapping[Metric, float]
    who: str = ""
    per_class: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    unseen: frozenset[str] = frozenset()
    pretraining: tuple[str, ...] = ()
    key: str = ""
    probe: bool = False
    seconds: float = float("nan")
    source: Any = None

    @property
    def fine_tuned(self) -> bool:
        """Whether the extractor is declared as fine-tuned on images of the data."""
        return bool(fine_tuned_on(self.pretraining))

    def sides(self, metric: Metric) -> tuple[dict[str, float], dict[str, float]]:
        """Return the class accuracies that a metric averages, of unseen and of seen classes.

        Classes are identified by keys that do not depend on the spelling of their names.
        """
        kind = METRICS[metric].partition("_")[0].replace("calibrated", "at_gamma")
        accuracy = self.per_class.get(kind, {})
        keys = accuracies_by_key(accuracy)
        return accuracies_of_sides(keys, match_unseen_keys(self.unseen, accuracy), metric)

    def equals(self, other: MethodResult) -> bool:
        """Whether another result has the same method, data set and split, and equal metrics."""
        identity, other_identity = ((c.row, c.data, c.split) for c in (self, other))
        shared = self.metrics.keys() & other.metrics.keys()
        return identity == other_identity and all(
            abs(self.metrics[name] - other.metrics[name]) < _EQUAL for name in shared
        )


def row_name(method: str, params: Mapping[str, Any], further: Sequence[str] = ()) -> str:
    """Return the row name of a method: its name with variant parameters and preprocessing.

    Examples
    --------
    >>> row_name("SAE", {"direction": "V2S"})
    'SAE (V2S)'
    """
    variants = VARIANTS.get(method, ())
    names = dict.fromkeys(name for variant in variants for name in variant)
    words = [str(params.get(name, variants[0].get(name))) for name in names]
    words += further
    return f"{method} ({', '.join(words)})" if words else method


def inductive_rows() -> list[str]:
    """Return the rows that every table has: the usual methods, in their first variant."""
    return [row_name(n, {}) for n, method in METHODS.items() if method.card.in_default_comparison]


def cells_of_runs(stored: Sequence[StoredRun]) -> list[MethodResult]:
    """Return the stored runs as cells, without runs with oracle parameters."""
    oracle, single_fold = oracle_keys(stored), single_fold_keys(stored)
    return [
        _run_cell(stored_run, single_fold)
        for stored_run in stored
        if stored_run.result.key not in oracle
    ]


def _run_cell(stored_run: StoredRun, single_fold: Collection[str]) -> MethodResult:
    result, spec, e = stored_run.result, stored_run.result.spec, stored_run.result.evaluation
    named = {"zsl": e.per_class_zsl, "plain": e.per_class_plain}
    named |= {"at_gamma": e.per_class} if result.gamma_origin else {}
    names, task = result.class_names, chosen_for(result)
    return MethodResult(
        row=row_name(spec.method, result.params, _non_default_parts(result)),
        data=spec.dataset,
        digest=spec.digest,
        benchmark=benchmark_in_name(spec.dataset),
        simulated=result.simulated,
        split=spec.split,
        task="" if task == "given" else task,
        origin="shipped" if stored_run.shipped else "mine",
        state=_state(stored_run),
        metrics=_metrics(result),
        per_class={
            k: {names[c]: x for c, x in accuracies.items()}
            for k, accuracies in named.items()
            if accuracies
        },
        unseen=frozenset(names[c] for c in e.per_class_zsl),
        pretraining=pretraining_by_name(spec.dataset, spec.digest),
        key=result.key,
        probe=result.key in single_fold,
        seconds=result.seconds,
        source=stored_run,
    )


def _state(stored_run: StoredRun) -> State:
    """Return STATED for a precomputed run without predictions, else VERIFIED."""
    if stored_run.shipped and not has_predictions(stored_run.result.key):
        return State.STATED
    return State.VERIFIED


def _metrics(result: RunResult) -> dict[Metric, float]:
    """Return the metrics of a run; metrics at gamma only if gamma was chosen."""
    values = {
        name: REGISTRY[registered].of(result.evaluation)
        for name, registered in METRICS.items()
        if result.gamma_origin or not REGISTRY[registered].at_gamma
    }
    return {name: value for name, value in values.items() if value is not None}


def _non_default_parts(result: RunResult) -> list[str]:
    """Return the preprocessing and given parameters that distinguish the row of a run."""
    spec = result.spec
    method = METHODS.get(spec.method)
    parts = [
        f"{kind} {getattr(spec, kind)}"
        for kind in ("features", "prototypes")
        if getattr(spec, kind) != "l2"
    ]
    has_given = result.params_origin == "given" and method is not None and bool(method.param_grid)
    return parts + ["given parameters"] * has_given


def best_cells(
    cells: Sequence[MethodResult], metric: Metric, split: str, *, with_probes: bool = False
) -> dict[tuple[str, str], MethodResult]:
    """Return the cell to show for every (row, data set) with a result for the metric.

    The user's own runs come first, then precomputed results, then entries of other people; for
    results of the same origin, cells with per-class accuracies come first, then the newest cell.
    """
    candidates: dict[tuple[str, str], list[MethodResult]] = {}
    tasks, listed = (task_of(metric), ""), [cell for cell in cells if cell.per_class]
    for cell in cells:
        is_candidate = cell.split == split and cell.task in tasks and metric in cell.metrics
        if is_candidate and (with_probes or not cell.probe):
            candidates.setdefault((cell.row, cell.data), []).append(cell)
    return {
        key: _add_class_accuracies(min(cells, key=_order), listed)
        for key, cells in candidates.items()
    }


def _add_class_accuracies(cell: MethodResult, listed: Sequence[MethodResult]) -> MethodResult:
    """Return a cell; if it lacks per-class accuracies, with those of an equal result."""
    if cell.per_class:
        return cell
    for listed_cell in listed:
        if cell.equals(listed_cell):
            return replace(cell, per_class=listed_cell.per_class, unseen=listed_cell.unseen)
    return cell


def _order(cell: MethodResult) -> tuple[int, bool]:
    return _PRECEDENCE.index(cell.origin), not cell.per_class


# --- Ranks ----------------------------------------------------------------------------------------


def rank_methods(
    cells: Sequence[MethodResult], metric: Metric, n_draws: int = 1000
) -> pd.DataFrame:
    """Rank the methods of one column, with one row per cell and the same draws for all.

    Rank 1 is the largest value; equal values share the better rank. ``first`` to ``last`` is the 95
    % interval of ``rank``; ``top`` is True if no method is significantly better. Intervals are NaN
    where ``why`` gives a reason, such as missing per-class accuracies or too few classes. The
    result does not depend on the names and order of classes. For few classes, intervals are
    Student's; see
    :func:`zslcore.metrics.significance.interval`.
    """
    value = np.array([cell.metrics[metric] for cell in cells])
    table = pd.DataFrame(
        {
            "value": value,
            "low": np.nan,
            "high": np.nan,
            "rank": rankdata(-np.round(value, DIGITS), method="min"),
            "first": np.nan,
            "last": np.nan,
            "why": "",
        },
        index=[cell.row for cell in cells],
    )
    reasons, drawn, classes = _resample_metrics(cells, metric, n_draws)
    table["why"] = reasons
    listed = [k for k, why in enumerate(reasons) if not why]
    if listed:
        unlisted = len(cells) - len(listed)
        first, last = np.ones(1), np.ones(1)
        if len(listed) > 1:
            first, last = rank_bounds(drawn, wider=widening(classes))
        ends = [interval(drawn[:, k], classes=classes) for k in range(len(listed))]
        rows = [cells[k].row for k in listed]
        table.loc[rows, ["low", "high", "first", "last"]] = np.c_[
            np.clip(ends, 0, 1), first, last + unlisted
        ]
    return table.assign(top=table["first"] == 1)


def _resample_metrics(
    cells: Sequence[MethodResult], metric: Metric, n_draws: int
) -> tuple[list[str], np.ndarray, int]:
    """Return reasons, resampled metrics, and the smaller number of seen or unseen classes.

    A reason states why a cell has no interval, and is empty otherwise. Intervals are over the
    classes that most cells list, under any spelling. The metrics have one row per draw, and one
    column per cell with an interval.
    """
    nothing = np.empty((0, 0)), 0
    if metric not in MEANS_OVER_CLASSES:
        return ["This metric is not a mean over classes."] * len(cells), *nothing
    sides = [cell.sides(metric) for cell in cells]
    needed = (metric[0] != "s", metric[0] in "sH")
    classes = [tuple(frozenset(side) for side in both) for both in sides]
    sides_of_metric = [side for side, n in zip(("unseen", "seen"), needed, strict=True) if n]
    sizes = [{side: len(both[side == "seen"]) for side in sides_of_metric} for both in classes]
    complete = [both for both, n in zip(classes, sizes, strict=True) if not too_few(**n)]
    common = max(complete, key=complete.count, default=None)
    reasons = [
        _why_no_interval(n)
        or ("" if both == common else "Its classes differ from those of most results.")
        for both, n in zip(classes, sizes, strict=True)
    ]
    if common is None:
        return reasons, *nothing
    names = [sorted(side) for side in common]
    seen = np.repeat([False, True], [len(side) for side in names])
    accuracies = np.array(
        [
            [side[c] for side, order in zip(both, names, strict=True) for c in order]
            for both, why in zip(sides, reasons, strict=True)
            if not why
        ]
    )
    order = order_of_classes(accuracies, seen)
    weights = class_draws(seen[order], n_draws)
    metrics = [
        metric_of_class_draws(weights, seen[order], accuracy[order]) for accuracy in accuracies
    ]
    return reasons, np.column_stack(metrics), fewest_classes(seen)


def _why_no_interval(sizes: Mapping[str, int]) -> str:
    """Return why these numbers of classes by side give no interval; "" if they give one."""
    if not any(sizes.values()):
        return "It does not list the accuracy of each class."
    few = too_few(**sizes)
    return f"{few}." if few else ""


# --- The table ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Column:
    """Results on one data set: cells by row, and the table of :func:`ranked` with ``printed``."""

    data: str
    split: str
    benchmark: str
    simulated: bool
    cells: Mapping[str, MethodResult]
    ranks: pd.DataFrame

    @property
    def leaders(self) -> list[str]:
        """The rows with the largest value, of rank 1."""
        return [str(row) for row in self.ranks.index[self.ranks["rank"] == 1]]

    @property
    def leader(self) -> str:
        """The first row with the largest value."""
        return self.leaders[0]

    @property
    def too_few(self) -> str:
        """Clause on too few test classes for a ranking, if this holds for all rows; else ""."""
        reasons = {*self.ranks["why"]}
        shared = reasons.pop() if len(reasons) == 1 else ""
        return shared.rstrip(".") if TOO_FEW in shared else ""

    @property
    def is_ranked(self) -> bool:
        """Whether enough of the compared rows are significantly worse for a ranking."""
        first = self.ranks["first"].dropna()
        return not self.too_few and (first.empty or bool((first > 1).mean() >= MIN_WORSE_SHARE))

    @property
    def n_close(self) -> int:
        """The number of rows behind the leaders that are not significantly worse."""
        return int(self.ranks["top"].drop(self.leaders).sum())


@dataclass(frozen=True, eq=False)
class MethodTable:
    """Selection of results as a table with rows of methods and columns of data sets.

    Columns are the data sets of ``data``, with results on ``split``; see :meth:`split_of`.
    """

    cells: Sequence[MethodResult]
    metric: Metric
    split: str
    origins: Collection[Origin]
    data: Sequence[str]
    with_printed: bool = True
    variants: bool = False
    probes: bool = False

    @cached_property
    def selected_cells(self) -> list[MethodResult]:
        """Results with one of the chosen origins."""
        return [cell for cell in self.cells if cell.origin in self.origins]

    def split_of(self, data: str) -> str:
        """Return the split of a data set's column.

        It is the chosen split. If the data set has no result on it or on a published split, it is
        the split of the user's newest run on the data set.
        """
        results = [cell for cell in self.selected_cells if cell.data == data]
        own_splits = [cell.split for cell in results if cell.origin == "mine"]
        shared = {self.split, *SHARED_SPLITS} & {cell.split for cell in results}
        return own_splits[0] if own_splits and not shared else self.split

    @cached_property
    def columns(self) -> list[Column]:
        """Columns of the data sets with a result, in the order of :attr:`data`."""
        splits = {data: self.split_of(data) for data in self.data}
        best = {
            split: best_cells(self.selected_cells, self.metric, split, with_probes=self.probes)
            for split in {*splits.values()}
        }
        columns, usual = [], inductive_rows()
        for data, split in splits.items():
            cells = {row: cell for (row, name), cell in best[split].items() if name == data}
            if not self.variants:
                cells = {r: c for r, c in cells.items() if c.origin != "shipped" or r in usual}
            if cells:
                first = next(iter(cells.values()))
                # Printed values are for the chosen split only.
                benchmark = first.benchmark if split == self.split else ""
                ranks = rank_methods(list(cells.values()), self.metric)
                ranks["printed"] = [self.printed_of(row, benchmark) for row in ranks.index]
                columns.append(Column(data, split, benchmark, first.simulated, cells, ranks))
        return columns

    @cached_property
    def own_rows(self) -> frozenset[str]:
        """Rows with one of the user's own results."""
        of_columns = (column.cells.items() for column in self.columns)
        return frozenset(r for cells in of_columns for r, c in cells if c.origin == "mine")

    @property
    def is_all_own(self) -> bool:
        """Whether every result is the user's own."""
        return all(c.origin == "mine" for column in self.columns for c in column.cells.values())

    def hidden(self) -> dict[HiddenBy, list[MethodResult]]:
        """Return the user's own results that no column shows, by the name of the filter."""
        shown = {(row, c.data, c.split) for c in self.columns for row in c.cells}
        hidden: dict[HiddenBy, list[MethodResult]] = {}
        for cell in self.cells:
            key = (cell.row, cell.data, cell.split)
            if cell.origin != "mine" or cell.probe or key in shown:
                continue
            by: HiddenBy = "Metric"
            if "mine" not in self.origins:
                by = "Results"
            elif cell.data not in self.data:
                by = "Data sets"
            elif cell.split != self.split_of(cell.data):
                by = "Split"
            hidden.setdefault(by, []).append(cell)
        return hidden

    @property
    def usual_rows(self) -> list[str]:
        """The inductive methods; empty if results of this package are not selected."""
        return inductive_rows() if {"mine", "shipped"} & set(self.origins) else []

    @cached_property
    def rows(self) -> list[str]:
        """Rows with a result or a printed value in a column, the usual rows first."""
        results = [row for column in self.columns for row in column.cells]
        benchmarks = {column.benchmark for column in self.columns}
        shown = {*results, *(row for row, name in self._first_printed if name in benchmarks)}
        usual = [row for row in self.usual_rows if row in shown]
        return list(dict.fromkeys([*usual, *results]))

    def candidates(self, row: str, data: str) -> list[MethodResult]:
        """Return all results of a cell, without board entries that equal one of the runs."""
        key = (row, data, self.split_of(data))
        results = [cell for cell in self.cells if (cell.row, cell.data, cell.split) == key]
        runs = [cell for cell in results if isinstance(cell.source, StoredRun)]
        return [c for c in results if c in runs or not any(c.equals(run) for run in runs)]

    def missing(self, column: Column) -> list[str]:
        """Return the inductive methods without a result in a column."""
        return [row for row in self.usual_rows if row not in column.cells]

    @cached_property
    def printed(self) -> pd.DataFrame:
        """Printed values of this split and metric, with parameters chosen for the same task."""
        table = printed_cells()
        same = (table["metric"] == self.metric) & (table["split"] == self.split)
        return table[same & (table["task"] == task_of(self.metric)) & self.with_printed]

    def prints(self, row: str, benchmark: str) -> pd.DataFrame:
        """Return all printed values of a row, starting with the benchmark paper."""
        printed = self.printed
        return printed[(printed["row"] == row) & (printed["benchmark"] == benchmark)]

    def printed_of(self, row: str, benchmark: str) -> float:
        """Return the first printed value of a row; NaN if none is printed."""
        return self._first_printed.get((row, benchmark), float("nan"))

    @cached_property
    def _first_printed(self) -> dict[tuple[str, str], float]:
        """First printed value by row and benchmark."""
        first = self.printed.drop_duplicates(["row", "benchmark"])
        keys = zip(first["row"], first["benchmark"], strict=True)
        return dict(zip(keys, first["value"], strict=True))

    @property
    def source(self) -> str:
        """The first printed table with this metric, such as "GBU 3"; empty if there is none."""
        return next(iter(self.printed["table"]), "")

    def rankings(self) -> dict[str, pd.DataFrame]:
        """Return the "measured" and "printed" tables for mean ranks.

        Tables with fewer than two data sets or three methods are left out.
        """
        measured = pd.DataFrame({column.data: column.ranks["value"] for column in self.columns}).T
        first = self.printed[self.printed["table"] == self.source]
        wide = first.pivot_table("value", "benchmark", "row", sort=False)
        complete = {"measured": measured.dropna(axis=1), "printed": wide.dropna(axis=1)}
        return {
            name: matrix
            for name, matrix in complete.items()
            if matrix.shape[0] > 1 and matrix.shape[1] > 2
        }


# --- Printed --------------------------------------------------------------------------------------


@cache
def printed_cells() -> pd.DataFrame:
    """Return the printed values; ``first_version`` is NaN unless the value was changed."""
    metrics = printed_evidence().metrics
    metrics = metrics[
        metrics["metric"].isin(METRICS) & ~metrics["table"].str.contains("quoted|CAL 3")
    ]
    key_columns = ["table", "benchmark", "split", "method", "metric"]
    now = metrics.set_index(key_columns)["value"]
    before = pd.concat(of_benchmark_paper(earlier_version)).set_index(key_columns)["value"]
    before = before.reindex(now.index).where(lambda first: first != now)
    rows = []
    for (_, printed), first in zip(metrics.iterrows(), before, strict=True):
        paper = str(printed["table"]).partition(" ")[0]
        plain_row = (
            row_name(printed["method"], {}) if printed["method"] in METHODS else printed["method"]
        )
        rows.append(
            {
                "row": _PRINTED_ROWS.get((paper, printed["method"]), plain_row),
                "benchmark": printed["benchmark"],
                "split": printed["split"],
                "metric": printed["metric"],
                "value": printed["value"],
                "table": printed["table"],
                "task": printed["chosen_for"],
                "first_version": float(first),
            }
        )
    return pd.DataFrame(rows)


# --- Missing --------------------------------------------------------------------------------------


def estimate_seconds(cells: Iterable[MethodResult], row: str, data: str, split: str) -> float:
    """Estimate the wall time in seconds of a missing cell; NaN if no run is comparable.

    The estimate is the median time of the method's runs on the data set. If there are none, the
    time of the method on another data set is multiplied by the median ratio of the times of the
    methods that have runs on both data sets.
    """
    timed = [cell for cell in cells if np.isfinite(cell.seconds) and not cell.probe]
    measured = [cell.seconds for cell in timed if (cell.row, cell.data) == (row, data)]
    if measured:
        return float(np.median(measured))
    mean: dict[tuple[str, str], list[float]] = {}
    for cell in timed:
        mean.setdefault((cell.row, cell.data), []).append(cell.seconds)
    median = {key: float(np.median(values)) for key, values in mean.items()}
    guesses = []
    for (method, other_data), seconds in median.items():
        shared = [m for m, d in median if d == data and (m, other_data) in median]
        if method == row and shared:
            ratios = [median[m, data] / max(median[m, other_data], 0.1) for m in shared]
            guesses.append(seconds * float(np.median(ratios)))
    return float(np.median(guesses)) if guesses else float("nan")
