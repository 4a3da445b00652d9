r"""Table of the board, with one row per result and intervals over classes.

Seen and unseen classes are resampled separately, with replacement; a resample has one seen and
one unseen class fewer than the test set (see :mod:`zslcore.analysis.resampling`). If class
:math:`c`, with accuracy :math:`acc_c`, is drawn :math:`w_c` times, the 95 % intervals of ZSL and of
H are those of

.. math::
    u^* = \frac{\sum_c w_c \, acc_c}{\sum_c w_c}, \qquad H^* = \frac{2 u^* s^*}{u^* + s^*}

The sums are over unseen classes; :math:`s^*` is the same mean over seen classes. Draws have a fixed
seed, so the same folder gives the same bytes. Results on the same classes are compared on the same
draws. The interval of a rank is computed by :func:`zslcore.analysis.ranking.rank_bounds`: of two
results without a significant difference, each may have the better rank. Results chosen on test
images are upper bounds without a rank.
"""

from __future__ import annotations

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

import numpy as np
import pandas as pd

from zslcore.analysis.method_table import MethodResult, row_name
from zslcore.analysis.metric_names import METRICS
from zslcore.analysis.papers.claims.evidence import OURS
from zslcore.analysis.ranking import rank_bounds
from zslcore.analysis.resampling import (
    accuracies_by_key,
    match_unseen_keys,
    metric_of_class_draws,
    order_of_classes,
)
from zslcore.board.checking import (
    Board,
    CheckedEntry,
    overlap_of,
    predictions_of_entry,
    read_predictions_of,
    unseen_classes_of,
)
from zslcore.board.entry import BoardEntry
from zslcore.evaluation.registry import REGISTRY, on_board
from zslcore.evaluation.verification import State
from zslcore.leakage.render import page, template
from zslcore.leakage.report import Finding
from zslcore.methods import VARIANTS
from zslcore.metrics import harmonic_mean
from zslcore.metrics.significance import (
    FEWEST,
    class_draws,
    fewest_classes,
    interval,
    mean_draws,
    widening,
)
from zslcore.names import class_keys
from zslcore.numbers import bare_percent
from zslcore.progress import Progress, silent
from zslcore.storage.files import write_out
from zslcore.storage.tables import harmless_csv

Ranked = Literal["zsl", "H_gamma"]
#: Ranked metric -> field with its accuracies by class.
RANKED: dict[Ranked, str] = {"zsl": "zsl", "H_gamma": "at_gamma"}

#: Data set, split, classes and mask of seen classes; results with equal groups are ranked together.
_Group = tuple[str, str, tuple[str, ...], tuple[bool, ...]]


def _rank_columns(metric: str) -> tuple[str, ...]:
    """Return the columns with the first and last rank and the number of ranked results."""
    return tuple(f"{metric}_rank_{end}" for end in ("first", "last", "of"))


#: Columns of the table, in order; all metrics are fractions in [0, 1].
COLUMNS = (
    *("method", "who", "data", "benchmark", "simulated", "split", "split_state", "contamination"),
    *("state", "pretraining", "overlapping_classes", "related_classes"),
    *("chosen_for", "params_origin", "params", "grid", "gamma_origin", "gamma", "stated"),
    *("zsl", "zsl_low", "zsl_high", *_rank_columns("zsl"), "u", "s", "H", "u_gamma", "s_gamma"),
    *("H_gamma", "H_gamma_low", "H_gamma_high", *_rank_columns("H_gamma")),
    *("ausuc", "seeds", "zsl_std", "H_gamma_std"),
    *("features", "version", "created", "link", "code", "file"),
)
PERCENT = (
    *(name for name, metric in on_board().items() if metric.unit == "fraction"),
    *("zsl_low", "zsl_high", "H_gamma_low", "H_gamma_high", "zsl_std", "H_gamma_std"),
)
#: Column -> heading for readers.
HEADINGS: Mapping[str, str] = {
    "method": "Method",
    "who": "Result of",
    "data": "Data",
    "split": "Split",
    "split_state": "Rows",
    "state": "State",
    "contamination": "Overlap",
    "chosen_for": "Parameters",
    "gamma_origin": "Gamma",
    **{name: metric.label.replace("γ", "gamma") for name, metric in on_board().items()},
}
#: Decimals of written metrics.
DIGITS = 6


def table_of(results: Sequence[CheckedEntry]) -> pd.DataFrame:
    """Return a tidy table with one row per result and the columns :data:`COLUMNS`.

    Rows are sorted by data and split, then results before upper bounds, then by H at gamma, H and
    ZSL, largest first.
    """
    table = pd.DataFrame(rows_of_results(results), columns=list(COLUMNS))
    table["used_test_set"] = [result.entry.used_test_set for result in results]
    table["benchmark_or_data"] = table["benchmark"].where(table["benchmark"] != "", table["data"])
    order = ["benchmark_or_data", "data", "split", "used_test_set", "H_gamma", "H", "zsl", "file"]
    rising = [True, True, True, True, False, False, False, True]
    ordered = table.sort_values(order, ascending=rising, na_position="last", kind="stable")
    return ordered[list(COLUMNS)].reset_index(drop=True)


def rows_of_results(results: Sequence[CheckedEntry]) -> list[dict[str, Any]]:
    """Return one row per result with :data:`COLUMNS`, ranked among ``results``."""
    rows = [_row(result) for result in results]
    for metric in RANKED:
        ranks = rank_results(results, metric)
        for result, row in zip(results, rows, strict=True):
            rank = ranks.get(result.file)
            values = (None,) * 3 if rank is None else (rank.first, rank.last, rank.n_ranked)
            row |= dict(zip(_rank_columns(metric), values, strict=True))
    return rows


def rank_in_words(row: Mapping[str, Any] | pd.Series, metric: str) -> str:
    """Return the interval of a rank, such as "2 to 5 of 36", or ""."""
    first, last, n_ranked = (row[column] for column in _rank_columns(metric))
    return "" if pd.isna(first) else Rank(int(first), int(last), int(n_ranked)).in_words


def _row(result: CheckedEntry) -> dict[str, Any]:
    entry, data, overlap = result.entry, result.entry.data, result.overlap
    metrics = {name: getattr(entry.figures, name) for name in entry.figures.__dataclass_fields__}
    row, words = metrics | _intervals(entry), variant_of(entry)
    row |= {"method": f"{entry.method} ({', '.join(words)})" if words else entry.method}
    row |= {"who": entry.who, "data": data.name}
    row |= {"benchmark": data.benchmark, "simulated": data.simulated, "features": data.features}
    row |= {
        "split": entry.split.name,
        "split_state": result.split_kind,
        "state": result.state.value,
    }
    row |= {"contamination": result.overlap_word, "pretraining": ", ".join(data.pretraining)}
    row |= {"overlapping_classes": len(overlap.classes)}
    row |= {"related_classes": int(overlap.numbers.get("related", 0))}
    row |= {"chosen_for": entry.parameters.chosen_for, "params_origin": entry.parameters.origin}
    row |= {"params": _as_text(entry.parameters.params)}
    row |= {"grid": _as_text(entry.parameters.grid or (entry.spec or {}).get("grid") or {})}
    row |= {"gamma_origin": entry.gamma.origin, "gamma": entry.gamma.value}
    row |= {"stated": not entry.spec}  # without a spec the choice cannot be repeated
    row |= {"seeds": entry.seeds.n, "zsl_std": entry.seeds.zsl_std}
    row |= {"H_gamma_std": entry.seeds.H_gamma_std, "created": entry.created[:10]}
    row |= {"version": entry.versions.get("zslcore", ""), "link": entry.link}
    row |= {"code": entry.code, "file": result.file}
    return row


def _as_text(values: Mapping[str, Any]) -> str:
    """Return parameters or a grid as JSON; "" for none."""
    return json.dumps(dict(sorted(values.items()))) if values else ""


def variant_of(entry: BoardEntry) -> list[str]:
    """Return the parameter values that distinguish variants of a method."""
    names = {name for variant in VARIANTS.get(entry.method, ()) for name in variant}
    values = entry.parameters.params
    return [str(values[name]) for name in sorted(names) if name in values]


def _intervals(entry: BoardEntry) -> dict[str, float]:
    """Return the ends of intervals over classes, for metrics with an accuracy of every class."""
    ends: dict[str, float] = {}
    zsl = dict(sorted(entry.per_class.get("zsl", {}).items()))
    if len(zsl) >= FEWEST:
        ends["zsl_low"], ends["zsl_high"] = _interval_of_means(tuple(zsl.values()))
    at_gamma = dict(sorted(entry.per_class.get("at_gamma", {}).items()))
    unseen = match_unseen_keys(entry.unseen_classes, at_gamma)
    seen = [key not in unseen for key in class_keys([*at_gamma])]
    if min(seen.count(True), seen.count(False)) >= FEWEST:
        low, high = _interval_of_harmonic(tuple(at_gamma.values()), tuple(seen))
        ends |= {"H_gamma_low": low, "H_gamma_high": high}
    return ends


# Cached: every output format of the board and every run of its page needs the same intervals, which
# take seconds to compute for 40,000 classes.
@lru_cache(maxsize=2048)
def _interval_of_means(accuracy: tuple[float, ...]) -> tuple[float, float]:
    """Return the interval of a mean over classes."""
    values = np.sort(accuracy)  # sorted, so that draws do not depend on the order of classes
    _, means = mean_draws(values, np.zeros(len(values), dtype=bool))
    return _as_shares(interval(means, classes=len(values)))


@lru_cache(maxsize=2048)
def _interval_of_harmonic(
    accuracy: tuple[float, ...], of_seen: tuple[bool, ...]
) -> tuple[float, float]:
    """Return the interval of H from the accuracies of all classes and a mask of seen classes."""
    order = np.lexsort((accuracy, of_seen))
    seen = np.array(of_seen)[order]
    s, u = mean_draws(np.array(accuracy)[order], seen)
    return _as_shares(interval(harmonic_mean(s, u), classes=fewest_classes(seen)))


def _as_shares(ends: tuple[float, float]) -> tuple[float, float]:
    """Clip the ends of an interval to [0, 1]."""
    return max(ends[0], 0.0), min(ends[1], 1.0)


# --- Ranks ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Rank:
    """95 % interval of a rank among ``n_ranked`` results: first and last rank, 1 is best."""

    first: int
    last: int
    n_ranked: int

    @property
    def in_words(self) -> str:
        """Interval as "2 to 5 of 36"."""
        bounds = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"
        return f"{bounds} of {self.n_ranked}"


def rank_results(results: Sequence[CheckedEntry], metric: Ranked) -> dict[str, Rank]:
    """Rank the results of every test set by "zsl" or "H_gamma"; return file -> Rank.

    Only results with all class accuracies are ranked, if at least two have the same classes.
    """
    groups: dict[_Group, dict[str, tuple[float, ...]]] = defaultdict(dict)
    for result in results:
        if (group := _group(result.entry, metric)) and not result.entry.used_test_set:
            of_class = accuracies_by_key(result.entry.per_class[RANKED[metric]])
            groups[group][result.file] = tuple(of_class[c] for c in group[2])
    rank_of: dict[str, Rank] = {}
    for (_, _, _, seen), members in groups.items():
        if len(members) > 1:
            bounds = _rank_bounds(tuple(members.values()), seen)
            ranks = (Rank(first, last, len(members)) for first, last in bounds)
            rank_of |= dict(zip(members, ranks, strict=True))
    return rank_of


def _group(entry: BoardEntry, metric: Ranked) -> _Group | None:
    """Return the group in which an entry is ranked; None for too few or unknown classes."""
    named = entry.per_class.get(RANKED[metric], {})
    unseen = match_unseen_keys(entry.unseen_classes, named)
    classes = tuple(sorted(class_keys([*named])))
    seen = tuple(metric == "H_gamma" and key not in unseen for key in classes)
    sides = (seen.count(False), seen.count(True)) if metric == "H_gamma" else (len(classes),)
    if min(sides) < FEWEST:
        return None
    return entry.data.benchmark or entry.data.digest, entry.split.name, classes, seen


# Cached: every output format of the board and every run of its page needs the same ranks.
@lru_cache(maxsize=64)
def _rank_bounds(
    accuracies: tuple[tuple[float, ...], ...], seen: tuple[bool, ...]
) -> tuple[tuple[int, int], ...]:
    """Return the first and the last rank of every result, from its class accuracies."""
    results = np.array(accuracies)
    order = order_of_classes(results, np.array(seen))
    of_seen = np.array(seen)[order]
    drawn = class_draws(of_seen)
    metrics = np.column_stack(
        [metric_of_class_draws(drawn, of_seen, accuracies[order]) for accuracies in results]
    )
    first, last = rank_bounds(metrics, wider=widening(fewest_classes(of_seen)))
    return tuple(zip(first.astype(int).tolist(), last.astype(int).tolist(), strict=True))


# --- Formats --------------------------------------------------------------------------------------


def as_csv(board: Board) -> str:
    """Return the table as CSV, one row per result; accuracies are fractions."""
    return harmless_csv(table_of(board.results).round(DIGITS), index=False)


def as_text(board: Board) -> str:
    """Return the table as lines of text."""
    shown = _for_readers(table_of(board.results))
    return shown.to_string(index=False) if len(shown) else "No result."


def _for_readers(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns for readers with their headings, without empty columns."""
    shown = texts_of(table)
    empty = [column for column in shown if (shown[column] == "-").all()]
    return shown.drop(columns=empty).rename(columns=dict(HEADINGS))


def texts_of(table: pd.DataFrame) -> pd.DataFrame:
    """Return the columns of :data:`HEADINGS` as strings."""
    shown = table[list(HEADINGS)].copy()
    shown["chosen_for"] = [chosen_in_words(row) for _, row in table.iterrows()]
    shown["gamma_origin"] = [gamma_in_words(row) for _, row in table.iterrows()]
    shown["data"] += table["simulated"].map({True: " (simulated)", False: ""})
    for column in PERCENT:
        if column in shown:
            shown[column] = [bare_percent(value) for value in table[column]]
    return shown


def chosen_in_words(row: Mapping[str, Any] | pd.Series) -> str:
    """Return the choice of parameters in words: "validated for GZSL", "given" ..."""
    task = f" for {row['chosen_for'].upper()}" if row["chosen_for"] else ""
    return f"{row['params_origin']}{task}{_stated(row, 'params_origin')}"


def gamma_in_words(row: Mapping[str, Any] | pd.Series) -> str:
    """Return the origin of gamma: "validated", "validated (stated by the submitter)" ..."""
    open_ = " (origin not stated)" if row["gamma_origin"] == "given" else ""
    verified = row["state"] == State.VERIFIED.value  # the predictions confirm gamma
    return f"{row['gamma_origin']}{open_}{'' if verified else _stated(row, 'gamma_origin')}"


def _stated(row: Mapping[str, Any] | pd.Series, origin: str) -> str:
    """Mark a choice that cannot be repeated, because the result has no spec."""
    return " (stated by the submitter)" if row["stated"] and row[origin] == "validated" else ""


def cells_of_board(results: Iterable[CheckedEntry]) -> list[MethodResult]:
    """Return the cells of a method table; upper bounds and superseded splits are left out."""
    return [
        _cell_of_entry(result)
        for result in results
        if not result.entry.used_test_set and result.split_kind != "v1"
    ]


def _cell_of_entry(result: CheckedEntry) -> MethodResult:
    entry, data = result.entry, result.entry.data
    values: dict[Any, float | None] = {
        name: getattr(entry.figures, REGISTRY[registered].board)
        for name, registered in METRICS.items()
    }
    spec, scaled = entry.spec or {}, ("features", "prototypes")
    more = [f"{kind} {spec[kind]}" for kind in scaled if spec.get(kind, "l2") != "l2"]
    return MethodResult(
        row=row_name(entry.method, entry.parameters.params, more),
        data=data.name,
        digest=data.digest,
        benchmark=data.benchmark,
        simulated=data.simulated,
        split=next(iter(entry.split.name.split()), ""),
        task=entry.parameters.chosen_for,
        origin="shipped" if entry.who == OURS else "others",
        who=entry.who,
        state=result.state,
        metrics={name: x for name, x in values.items() if x is not None},
        per_class=entry.per_class,
        unseen=frozenset(unseen_classes_of(entry)),
        pretraining=data.pretraining,
        key=result.file,
        source=result,
    )


def pretraining_finding(cells: Sequence[MethodResult]) -> Finding:
    """Return the finding on pre-training classes for the cells of one data set and split."""
    pretraining = next((cell.pretraining for cell in cells if cell.pretraining), ())
    names = next((cell.unseen for cell in cells if cell.unseen), frozenset())
    return overlap_of(sorted(names), pretraining, cells[0].benchmark)


def write_curves(
    board: Board,
    folder: Path,
    target: Path,
    progress: Progress = silent,
) -> Mapping[str, Path]:
    """Write a page for each result with a curve to ``target``; return pages by result file."""
    pages: dict[str, Path] = {}
    for done, result in enumerate(board.results, 1):
        file = predictions_of_entry(folder / result.file, result.entry)
        if file is not None:
            predicted = read_predictions_of(file)
            if predicted.test.has_curve:
                page = target / f"{Path(result.file).stem}.html"
                write_out(
                    page, predicted.page(f"{result.entry.method} on {result.entry.data.name}")
                )
                pages[result.file] = page
        progress(done, len(board.results), "curves")
    return pages


def address_of(page: Path, board: Path) -> str:
    """Return the address of a page relative to the folder of a board."""
    return quote(Path(os.path.relpath(page.absolute(), board.absolute().parent)).as_posix())


STYLE = """
body { max-width: none; font-size: 15px; } thead th { white-space: nowrap; }
td:last-child { overflow-wrap: normal; }
td.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
small { white-space: nowrap; opacity: .8; }
th button { all: unset; cursor: pointer; font-weight: 600; }
th button:focus-visible { outline: 2px solid #0072b2; }
th[aria-sort=ascending] button::after { content: " \\2191"; }
th[aria-sort=descending] button::after { content: " \\2193"; }
td.unknown, .variant, .or { color: var(--look); } .bound { font-style: italic; }
"""
SCRIPT = """
const head = [...document.querySelectorAll("th")], body = document.querySelector("tbody");
head.forEach((th, k) => th.querySelector("button").addEventListener("click", () => {
  const up = th.getAttribute("aria-sort") === "descending" ? 1 : -1;
  const number = th.dataset.kind === "n", sign = number ? up : -up;
  const value = tr => tr.cells[k].dataset.v;
  const rows = [...body.rows].sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    if (x === "" || y === "") return (x === "") - (y === "");
    return sign * (number ? x - y : x.localeCompare(y, "en"));
  });
  head.forEach(other => other.removeAttribute("aria-sort"));
  th.setAttribute("aria-sort", up > 0 === number ? "ascending" : "descending");
  body.append(...rows);
}));
"""


def board_html(board: Board, curves: Mapping[str, str] | None = None) -> str:
    """Return the board as a standalone page; all text from results is escaped.

    ``curves`` maps the file of a result to the address of the page with its curve.
    """
    table = table_of(board.results)
    rows = table.to_dict("records")
    body = template(Path(__file__).with_name("board.html")).render(
        title="Board of results",
        board=board,
        rows=list(zip(rows, texts_of(table).to_dict("records"), strict=True)),
        intervals={
            row["file"]: {name: _interval_in_words(row, name) for name in PERCENT} for row in rows
        },
        curves=curves or {},
        headings=HEADINGS,
        percent=PERCENT,
        explanation=EXPLANATION,
    )
    return page("Board of results", body, style=STYLE, script=SCRIPT)


EXPLANATION = (
    "Accuracies are means over classes, in percent. If a result lists the accuracy of every "
    "class, two lines below its metric give the 95 % interval over classes and the possible "
    "ranks among results on the same test classes, both from the same resampled classes. "
    "Overlap: whether unseen classes are in the pre-training set of the feature extractor; unknown "
    "if they cannot be compared. Oracle: gamma or parameters were chosen on the test images; the "
    "metrics are an upper bound, not a result. Stated by the submitter: without a spec, the choice "
    "cannot be repeated and checked. State: verified if the metrics were recomputed from "
    "predictions, otherwise stated."
)


def _interval_in_words(row: Mapping[Any, Any], column: str) -> list[str]:
    """Return the interval over classes and the rank of a metric as lines of text."""
    if column not in RANKED or pd.isna(row[f"{column}_low"]):
        return []
    low, high = 100 * row[f"{column}_low"], 100 * row[f"{column}_high"]
    rank = rank_in_words(row, column)
    return [f"{low:.1f} to {high:.1f}", *([f"rank {rank}"] if rank else [])]
