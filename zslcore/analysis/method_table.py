r"""Methods by data sets: which figure each result gives, and how certain its rank is.

A table has a row per method and a column per data set and split. Columns are never averaged: each
has its own ranks. Test classes are resampled with replacement, the same draw for every method of a
column, and :func:`zslcore.analysis.ranking.rank_bounds` turns the draws into an interval of each
rank. With :math:`a_{mc}` the accuracy of method m on class c and :math:`w_c` how often a draw has
class c,

.. math::
    u^*_m = \frac{\sum_{c \in U} w_c a_{mc}}{\sum_{c \in U} w_c}, \qquad
    s^*_m = \frac{\sum_{c \in S} w_c a_{mc}}{\sum_{c \in S} w_c}, \qquad
    H^*_m = \frac{2 u^*_m s^*_m}{u^*_m + s^*_m}

A result that does not list its classes has a rank and no interval; it widens those of the others,
because it may stand on either side of them.
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
from zslcore.analysis.papers.claims.evidence import printed_evidence
from zslcore.analysis.papers.printed import chosen_for
from zslcore.analysis.ranking import rank_bounds
from zslcore.analysis.resampling import (
    accuracies_by_key,
    accuracies_of_sides,
    drawn_figure,
    keys_among,
    order_of_classes,
)
from zslcore.analysis.stored_runs import oracle_keys, single_fold_keys
from zslcore.datasets.facts import earlier_version, fact_sources, fine_tuned_on, published
from zslcore.datasets.imports import pretraining_by_name
from zslcore.evaluation import State
from zslcore.evaluation.figures import FIGURES as REGISTERED
from zslcore.evaluation.runs import RunResult
from zslcore.methods import METHODS, VARIANTS
from zslcore.metrics.significance import (
    DIGITS,
    class_draws,
    fewest_classes,
    interval,
    widening,
)
from zslcore.results.shipped import has_predictions
from zslcore.results.store import StoredRun

Origin = Literal["mine", "shipped", "others"]
#: Choice that keeps a result out of a table.
HiddenBy = Literal["Results", "Data sets", "Split", "Metric"]
#: Of two results for the same cell the first of these counts.
_PRECEDENCE: tuple[Origin, ...] = get_args(Origin)
#: Splits that results of many people are on; any other name is that of a split of one's own.
SHARED_SPLITS = ("PS", "SS")
#: Digits that a board entry has: results that differ by less in every figure are the same one.
_EQUAL = 1e-6
#: Rows of a paper that are another variant than the first of :data:`VARIANTS`.
_PRINTED_ROWS = {("GBU", "SAE"): "SAE (V2S)"}


def task_of(figure: Metric) -> Literal["zsl", "gzsl"]:
    """Return the task that parameters are chosen for: GZSL for metrics at gamma, ZSL as printed."""
    return "gzsl" if figure.endswith("at gamma") or figure == "AUSUC" else "zsl"


# --- Cells ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class MethodResult:
    """One result: a method on a data set and split; figures are fractions in [0, 1].

    Unknown fields are empty: ``task`` where nothing was chosen, ``who`` of own runs,
    ``per_class`` ("zsl", "plain", "calibrated" -> class -> accuracy). ``pretraining`` is ("none",)
    for features trained on nothing; a ``probe`` has the parameters of a single fold of another run.
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
    figures: Mapping[Metric, float]
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
        """Whether the extractor was fine-tuned on images of the data, as declared."""
        return bool(fine_tuned_on(self.pretraining))

    def sides(self, figure: Metric) -> tuple[dict[str, float], dict[str, float]]:
        """Return the accuracies of unseen and of seen classes that a figure is a mean of.

        Classes are named by their keys, which are the same in every spelling.
        """
        kind = METRICS[figure].partition("_")[0].replace("calibrated", "at_gamma")
        accuracy = self.per_class.get(kind, {})
        keys = accuracies_by_key(accuracy)
        return accuracies_of_sides(keys, keys_among(self.unseen, accuracy), figure)

    def equals(self, other: MethodResult) -> bool:
        """Whether another result is of the same method and data, with the same figures."""
        mine, theirs = ((c.row, c.data, c.split) for c in (self, other))
        shared = self.figures.keys() & other.figures.keys()
        return mine == theirs and all(
            abs(self.figures[name] - other.figures[name]) < _EQUAL for name in shared
        )


def row_name(method: str, params: Mapping[str, Any], more: Sequence[str] = ()) -> str:
    """Return a method with the parameters and preprocessing of its row.

    Examples
    --------
    >>> row_name("SAE", {"direction": "V2S"})
    'SAE (V2S)'
    """
    variants = VARIANTS.get(method, ())
    names = dict.fromkeys(name for variant in variants for name in variant)
    words = [str(params.get(name, variants[0].get(name))) for name in names]
    words += more
    return f"{method} ({', '.join(words)})" if words else method


def inductive_rows() -> list[str]:
    """Return the rows that every table has: the usual methods, in their first variant."""
    return [row_name(n, {}) for n, method in METHODS.items() if method.card.in_default_comparison]


def cells_of_runs(stored: Sequence[StoredRun]) -> list[MethodResult]:
    """Return the runs of a store as cells, without those an oracle chose parameters for."""
    bounds, of_folds = oracle_keys(stored), single_fold_keys(stored)
    return [_of_run(one, of_folds) for one in stored if one.result.key not in bounds]


def _of_run(one: StoredRun, of_folds: Collection[str]) -> MethodResult:
    result, spec, e = one.result, one.result.spec, one.result.evaluation
    named = {"zsl": e.per_class_zsl, "plain": e.per_class_plain}
    named |= {"at_gamma": e.per_class} if result.gamma_origin else {}
    names, task = result.class_names, chosen_for(result)
    return MethodResult(
        row=row_name(spec.method, result.params, _non_default_parts(result)),
        data=spec.dataset,
        digest=spec.digest,
        benchmark=_benchmark(spec.dataset),
        simulated=result.simulated,
        split=spec.split,
        task="" if task == "given" else task,
        origin="shipped" if one.shipped else "mine",
        state=_state(one),
        figures=_figures(result),
        per_class={k: {names[c]: x for c, x in of.items()} for k, of in named.items() if of},
        unseen=frozenset(names[c] for c in e.per_class_zsl),
        pretraining=pretraining_by_name(spec.dataset, spec.digest),
        key=result.key,
        probe=result.key in of_folds,
        seconds=result.seconds,
        source=one,
    )


def _state(one: StoredRun) -> State:
    """Return State.VERIFIED for a run with predictions made here or precomputed, else STATED."""
    if one.shipped and not has_predictions(one.result.key):
        return State.STATED
    return State.VERIFIED


def _figures(result: RunResult) -> dict[Metric, float]:
    """Return the figures of a run; those at gamma only where something chose it."""
    values = {
        name: REGISTERED[registered].of(result.evaluation)
        for name, registered in METRICS.items()
        if result.gamma_origin or not REGISTERED[registered].at_gamma
    }
    return {name: value for name, value in values.items() if value is not None}


def _non_default_parts(result: RunResult) -> list[str]:
    """Return the preprocessing and given parameters that make a run a row of its own."""
    spec = result.spec
    method = METHODS.get(spec.method)
    parts = [
        f"{what} {getattr(spec, what)}"
        for what in ("features", "prototypes")
        if getattr(spec, what) != "l2"
    ]
    has_given = result.params_origin == "given" and method is not None and bool(method.param_grid)
    return parts + ["given parameters"] * has_given


def _benchmark(data: str) -> str:
    """Return the benchmark that a data set is named after, "AWA1" of "AWA1-lss"."""
    return next((b for b in fact_sources() if data.lower().startswith(b.lower())), "")


def best_cells(
    cells: Sequence[MethodResult], figure: Metric, split: str, *, with_probes: bool = False
) -> dict[tuple[str, str], MethodResult]:
    """Return which cell counts for every (row, data set) that has the figure.

    Own runs come before shipped results, these before those of others; of equals that with classes
    counts, then the newest. Without seen test images parameters are chosen for ZSL whatever the
    figure.
    """
    candidates: dict[tuple[str, str], list[MethodResult]] = {}
    wanted, listed = (task_of(figure), ""), [cell for cell in cells if cell.per_class]
    for cell in cells:
        meant = cell.split == split and cell.task in wanted and figure in cell.figures
        if meant and (with_probes or not cell.probe):
            candidates.setdefault((cell.row, cell.data), []).append(cell)
    return {place: _with_classes(min(of, key=_order), listed) for place, of in candidates.items()}


def _with_classes(cell: MethodResult, listed: Sequence[MethodResult]) -> MethodResult:
    """Return a cell with the classes of an equal result, one that chose the same for both tasks."""
    if cell.per_class:
        return cell
    for other in listed:
        if cell.equals(other):
            return replace(cell, per_class=other.per_class, unseen=other.unseen)
    return cell


def _order(cell: MethodResult) -> tuple[int, bool]:
    return _PRECEDENCE.index(cell.origin), not cell.per_class


# --- Ranks ----------------------------------------------------------------------------------------


def ranked(cells: Sequence[MethodResult], figure: Metric, n_draws: int = 1000) -> pd.DataFrame:
    """Rank the methods of one column, one cell a row; the same draws of test classes for all.

    ``first`` and ``last`` are the 95 % interval of ``rank``, 1 the largest, equal values share the
    better one; ``top``: no method is significantly better. NaN where classes are not listed, with
    the reason in ``why``. Names and order of classes change nothing; over few classes intervals
    are Student's, see :func:`zslcore.metrics.significance.interval`.
    """
    value = np.array([cell.figures[figure] for cell in cells])
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
    reasons, drawn, classes = _drawn(cells, figure, n_draws)
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


def _drawn(
    cells: Sequence[MethodResult], figure: Metric, n_draws: int
) -> tuple[list[str], np.ndarray, int]:
    """Return why each cell has no interval, figures of the others, and the fewest classes.

    Intervals are over the classes that most cells list, under any spelling; the figures of the
    cells without a reason have a row a draw.
    """
    nothing = np.empty((0, 0)), 0
    if figure not in MEANS_OVER_CLASSES:
        return ["This metric is no mean over classes."] * len(cells), *nothing
    sides = [cell.sides(figure) for cell in cells]
    needed = (figure[0] != "s", figure[0] in "sH")
    classes = [tuple(frozenset(of) for of in both) for both in sides]
    sizes = [[len(of) for of, n in zip(both, needed, strict=True) if n] for both in classes]
    complete = [both for both, n in zip(classes, sizes, strict=True) if min(n) > 1]
    common = max(complete, key=complete.count, default=None)
    reasons = [
        _why_none(n) or ("" if both == common else "It lists other classes than most results.")
        for both, n in zip(classes, sizes, strict=True)
    ]
    if common is None:
        return reasons, *nothing
    names = [sorted(side) for side in common]
    seen = np.repeat([False, True], [len(side) for side in names])
    accuracies = np.array(
        [
            [of[c] for of, order in zip(both, names, strict=True) for c in order]
            for both, why in zip(sides, reasons, strict=True)
            if not why
        ]
    )
    order = order_of_classes(accuracies, seen)
    weights = class_draws(seen[order], n_draws)
    figures = [drawn_figure(weights, seen[order], of[order]) for of in accuracies]
    return reasons, np.column_stack(figures), fewest_classes(seen)


def _why_none(sizes: Sequence[int]) -> str:
    """Return why sides of so many classes give no interval; empty where they give one."""
    if min(sizes) > 1:
        return ""
    if not max(sizes):
        return "It does not list the accuracy of each class."
    return "An interval over classes needs two of each side."


# --- The table ------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Column:
    """The results on one data set: cells by row, and their :func:`ranked` with ``printed``."""

    data: str
    split: str
    benchmark: str
    simulated: bool
    cells: Mapping[str, MethodResult]
    ranks: pd.DataFrame

    @property
    def leader(self) -> str:
        """The row with the largest figure."""
        return str(self.ranks["value"].idxmax())

    @property
    def tied(self) -> int:
        """The number of other rows that are not significantly worse."""
        return int(self.ranks["top"].drop(self.leader).sum())


@dataclass(frozen=True, eq=False)
class MethodTable:
    """A selection of results as a table: rows of methods, ``data`` the data sets of the columns.

    Each column shows ``split``; data of one's own without a shared split show their own.
    """

    cells: Sequence[MethodResult]
    figure: Metric
    split: str
    origins: Collection[Origin]
    data: Sequence[str]
    with_printed: bool = True
    variants: bool = False
    probes: bool = False

    @cached_property
    def counted(self) -> list[MethodResult]:
        """The results of the chosen origins."""
        return [cell for cell in self.cells if cell.origin in self.origins]

    def split_of(self, data: str) -> str:
        """Return the split that a data set shows the results of.

        It is the chosen one, but for data with own runs and none on it or on a shared split: these
        show the split of the newest run, whatever it is called.
        """
        results = [cell for cell in self.counted if cell.data == data]
        own = [cell.split for cell in results if cell.origin == "mine"]
        shared = {self.split, *SHARED_SPLITS} & {cell.split for cell in results}
        return own[0] if own and not shared else self.split

    @cached_property
    def columns(self) -> list[Column]:
        """The data sets that have a result, in the order of :attr:`data`."""
        splits = {data: self.split_of(data) for data in self.data}
        best = {
            split: best_cells(self.counted, self.figure, split, with_probes=self.probes)
            for split in {*splits.values()}
        }
        columns, usual = [], inductive_rows()
        for data, split in splits.items():
            cells = {row: cell for (row, of), cell in best[split].items() if of == data}
            if not self.variants:
                cells = {r: c for r, c in cells.items() if c.origin != "shipped" or r in usual}
            if cells:
                first = next(iter(cells.values()))
                # Printed figures are of the chosen split.
                benchmark = first.benchmark if split == self.split else ""
                ranks = ranked(list(cells.values()), self.figure)
                ranks["printed"] = [self.printed_of(row, benchmark) for row in ranks.index]
                columns.append(Column(data, split, benchmark, first.simulated, cells, ranks))
        return columns

    @cached_property
    def own_rows(self) -> frozenset[str]:
        """The rows with a result of one's own."""
        of_columns = (column.cells.items() for column in self.columns)
        return frozenset(r for cells in of_columns for r, c in cells if c.origin == "mine")

    def hidden(self) -> dict[HiddenBy, list[MethodResult]]:
        """Return the results of one's own that no column shows, by the choice that hides them."""
        shown = {(row, c.data, c.split) for c in self.columns for row in c.cells}
        hidden: dict[HiddenBy, list[MethodResult]] = {}
        for cell in self.cells:
            place = (cell.row, cell.data, cell.split)
            if cell.origin != "mine" or cell.probe or place in shown:
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
        """The inductive methods, where results of this package count."""
        return inductive_rows() if {"mine", "shipped"} & set(self.origins) else []

    @cached_property
    def rows(self) -> list[str]:
        """The inductive methods, then all other rows that have a result."""
        more = [row for column in self.columns for row in column.cells]
        return list(dict.fromkeys([*self.usual_rows, *more]))

    def candidates(self, row: str, data: str) -> list[MethodResult]:
        """Return all results of a cell but board entries with the figures of one of the runs."""
        place = (row, data, self.split_of(data))
        results = [cell for cell in self.cells if (cell.row, cell.data, cell.split) == place]
        runs = [cell for cell in results if isinstance(cell.source, StoredRun)]
        return [c for c in results if c in runs or not any(c.equals(run) for run in runs)]

    def missing(self, column: Column) -> list[str]:
        """Return the inductive methods without a result in a column."""
        return [row for row in self.usual_rows if row not in column.cells]

    @cached_property
    def printed(self) -> pd.DataFrame:
        """The printed figures of this split and figure, chosen for the same task."""
        table = printed_cells()
        same = (table["figure"] == self.figure) & (table["split"] == self.split)
        return table[same & (table["task"] == task_of(self.figure)) & self.with_printed]

    def prints(self, row: str, benchmark: str) -> pd.DataFrame:
        """Return all printed figures of a row, those of the benchmark paper first."""
        of = self.printed
        return of[(of["row"] == row) & (of["benchmark"] == benchmark)]

    def printed_of(self, row: str, benchmark: str) -> float:
        """Return the first printed figure of a row; NaN without one."""
        prints = self.prints(row, benchmark)
        return float(prints["value"].iloc[0]) if len(prints) else float("nan")

    @property
    def source(self) -> str:
        """The first printed table with this figure, as "GBU 3"; empty without one."""
        return next(iter(self.printed["table"]), "")

    def rankings(self) -> dict[str, pd.DataFrame]:
        """Return the "measured" and "printed" tables that mean ranks follow from.

        Tables of fewer than two data sets or three methods are left out.
        """
        measured = pd.DataFrame({column.data: column.ranks["value"] for column in self.columns}).T
        first = self.printed[self.printed["table"] == self.source]
        wide = first.pivot_table("value", "benchmark", "row", sort=False)
        complete = {"measured": measured.dropna(axis=1), "printed": wide.dropna(axis=1)}
        return {name: of for name, of in complete.items() if of.shape[0] > 1 and of.shape[1] > 2}


# --- Printed --------------------------------------------------------------------------------------


@cache
def printed_cells() -> pd.DataFrame:
    """Return the printed figures; ``first_version`` is NaN unless it was another one."""
    figures = printed_evidence().figures
    figures = figures[
        figures["figure"].isin(METRICS) & ~figures["table"].str.contains("quoted|CAL 3")
    ]
    rows = []
    for _, one in figures.iterrows():
        paper = str(one["table"]).partition(" ")[0]
        plain_row = row_name(one["method"], {}) if one["method"] in METHODS else one["method"]
        rows.append(
            {
                "row": _PRINTED_ROWS.get((paper, one["method"]), plain_row),
                "benchmark": one["benchmark"],
                "split": one["split"],
                "figure": one["figure"],
                "value": one["value"],
                "table": one["table"],
                "task": one["chosen_for"],
                "first_version": _first_version(one),
            }
        )
    return pd.DataFrame(rows)


def _first_version(one: pd.Series) -> float:
    """Return the figure that the first version of the benchmark paper had, where it differs."""
    where = {
        ("GBU 3", "zsl"): ("zsl_top1", "top1_per_class"),
        ("GBU 6", "u"): ("gzsl_ps", "unseen"),
        ("GBU 6", "s"): ("gzsl_ps", "seen"),
        ("GBU 6", "H"): ("gzsl_ps", "harmonic"),
    }.get((one["table"], one["figure"]))
    if where is None:
        return float("nan")
    name, column = where
    first, now = _versions(name)
    place = (now["method"] == one["method"]) & (now["dataset"] == one["benchmark"])
    if "split" in now:
        place &= now["split"] == one["split"]
    before = first.loc[place, column].iloc[0]
    return float("nan") if before == now.loc[place, column].iloc[0] else float(before)


@cache
def _versions(name: str) -> tuple[pd.DataFrame, pd.DataFrame]:
    return earlier_version(name), published(name)


# --- Missing --------------------------------------------------------------------------------------


def seconds_of(cells: Iterable[MethodResult], row: str, data: str, split: str) -> float:
    """Estimate the wall time of a missing cell; NaN where nothing allows it.

    That of the same method on other data is scaled by how much longer other methods took there.
    """
    timed = [cell for cell in cells if np.isfinite(cell.seconds) and not cell.probe]
    here = [cell.seconds for cell in timed if (cell.row, cell.data) == (row, data)]
    if here:
        return float(np.median(here))
    mean: dict[tuple[str, str], list[float]] = {}
    for cell in timed:
        mean.setdefault((cell.row, cell.data), []).append(cell.seconds)
    median = {place: float(np.median(values)) for place, values in mean.items()}
    guesses = []
    for (method, other), seconds in median.items():
        shared = [m for m, d in median if d == data and (m, other) in median]
        if method == row and shared:
            ratios = [median[m, data] / max(median[m, other], 0.1) for m in shared]
            guesses.append(seconds * float(np.median(ratios)))
    return float(np.median(guesses)) if guesses else float("nan")
