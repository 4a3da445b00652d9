"""The cases of a claim: figures chosen by a query of ``data/claims.toml``, and their differences.

A query names rows of the one table of figures (``figure``, ``split``, ``chosen_for``, ``table``,
``benchmark``, ``method``) or of another printed table (``from``, ``value``, ``where``). ``reduce``
takes the largest, smallest or mean one of a case; ``ratio`` and ``distance`` make one of two.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from zslcore.analysis.papers.claims.evidence import Evidence, UndecidedError
from zslcore.metrics.significance import DIGITS

Query = Mapping[str, Any]
#: The columns of figures that a query may name.
WHERE = ("split", "chosen_for", "table", "benchmark", "method")


@dataclass(frozen=True, slots=True, eq=False)
class Cases:
    """A number a case, a difference, ratio or figure; ``methods`` are those of all its ``data``."""

    numbers: pd.Series
    data: tuple[str, ...]
    methods: tuple[str, ...]


def select_cases(evidence: Evidence, spec: Query, methods: Sequence[str]) -> Cases:
    """Return the cases of a claim, of these methods or, where none is named, of all.

    ``spec`` has ``first`` and ``second``, or ``pairs`` of these with a ``label``; ``index`` names
    the columns that identify a case. Raises UndecidedError where a figure is missing.
    """
    index = list(spec.get("index", ("method", "data")))
    parts: list[pd.Series] = []
    used: list[pd.DataFrame] = []
    for pair in spec.get("pairs", [spec]):
        sides = [
            _side(evidence, pair[name], index, methods, used)
            for name in ("first", "second")
            if name in pair
        ]
        values = _change(sides, spec.get("change", "difference"))
        if "label" in pair:
            values.index = pd.MultiIndex.from_tuples(
                [(f"{pair['label']} of {case[0]}", *case[1:]) for case in values.index],
                names=index,
            )
        parts.append(values)
    values = pd.concat(parts).round(DIGITS)
    return Cases(values, *_covered(values, pd.concat(used), spec))


def _side(
    evidence: Evidence,
    query: Query,
    index: list[str],
    methods: Sequence[str],
    used: list[pd.DataFrame],
) -> pd.Series:
    """Return the figures of a query by case; ``used`` gathers the rows that they come from."""
    for change in ("ratio", "distance"):
        if change in query:
            sides = [_side(evidence, each, index, methods, used) for each in query[change]]
            return _change(sides, change)
    rows = _of_table(evidence, query) if "from" in query else _of_figures(evidence, query)
    if methods and "method" in rows:
        rows = rows[rows["method"].isin(methods)]
    rows = rows.dropna(subset=["value"])
    used.append(rows)
    if "reduce" in query:
        return rows.groupby(index, sort=False)["value"].agg(query["reduce"])
    return rows.set_index(index)["value"]


def _of_figures(evidence: Evidence, query: Query) -> pd.DataFrame:
    where = {name: query[name] for name in WHERE if name in query}
    if where.get("chosen_for") == "either":
        del where["chosen_for"]
        rows = evidence.rows(query["figure"], **where)
        same = ["data", "split", "method", "table"]
        rows = rows.sort_values("chosen_for", ascending=False, kind="stable").drop_duplicates(same)
        rows = rows.sort_index()
    else:
        rows = evidence.rows(query["figure"], **where)
    return rows.assign(value=rows["spread"]) if query.get("column") == "spread" else rows


def _of_table(evidence: Evidence, query: Query) -> pd.DataFrame:
    rows = evidence.table(query["from"]).rename(columns={query["value"]: "value"})
    for column, value in query.get("where", {}).items():
        rows = rows[rows[column].isin(value if isinstance(value, list) else [value])]
    for column, letters in query.get("strip", {}).items():
        rows = rows.assign(**{column: rows[column].str.lstrip(letters)})
    return rows


def _change(sides: Sequence[pd.Series], change: str) -> pd.Series:
    """Return the difference or ratio of the first and second figures, where a case has both."""
    if len(sides) == 1:
        return sides[0]
    both = pd.concat(sides, axis=1, keys=["first", "second"]).dropna()
    if both.empty:
        raise UndecidedError("None of the methods has both figures here.")
    if change == "ratio":
        return both["first"] / both["second"]
    found = both["first"] - both["second"]
    return found.abs() if change == "distance" else found


def _covered(
    values: pd.Series, used: pd.DataFrame, spec: Query
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the data sets of cases, and the methods that all of these have."""
    cases = values.index.to_frame(index=False)
    if "data" not in used:
        return (), ()
    data = cases["data"] if "data" in cases else used["data"]
    there = tuple(map(str, data.unique()))
    if "method" not in cases or "pairs" in spec:
        return there, tuple(used["method"].unique())
    if "data" not in cases:
        return there, tuple(cases["method"].unique())
    on = cases.groupby("method", sort=False)["data"].nunique()
    return there, tuple(on.index[on == len(there)])
