"""Cases and verdicts of claims: the figures compared, the deciding number, its interval and scope.

The cases are chosen by a query of ``data/claims.toml``. It names rows of the one table of figures
(``figure``, ``split``, ``chosen_for``, ``table``, ``benchmark``, ``method``) or of another printed
table (``from``, ``value``, ``where``). ``reduce`` takes the largest, smallest or mean one of a
case; ``ratio`` and ``distance`` make one of two.

On the tables of a paper a claim *holds*, *does not hold* or is *undecided*. Of a difference, the
whole interval has to lie where the claim puts it; where it lies elsewhere the claim does not hold,
and an interval that reaches over the end tells nothing. A count of all cases is compared with the
share that the claim states; an order is that of mean ranks over data sets.

Runs on a part of the data sets and methods that a claim speaks of give *holds here* or *fails
here*, which neither confirms nor refutes it. There, a claim on every case fails by one that is
otherwise, and holds where no case is otherwise and the exact interval of the share lies above one
half; a claim on a share holds or fails by its interval. Figures of runs within one point of each
other have no order: a place, a best method or a sign holds or fails only if no order of these, and
nothing that missing methods may reach, changes it. Hand-crafted features are *not comparable*
with the deep ones of a paper. Simulated data give *no verdict*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from zslcore.analysis.papers.claims.evidence import Evidence, UndecidedError
from zslcore.analysis.ranking import ranks_of
from zslcore.metrics.significance import DIGITS, paired_test
from zslcore.numbers import signed

Verdict = Literal[
    "holds",
    "does not hold",
    "holds here",
    "fails here",
    "undecided",
    "not comparable",
    "no verdict",
]
#: Verdicts on a part of what a claim speaks of.
HERE: Mapping[Verdict, Verdict] = {"holds": "holds here", "does not hold": "fails here"}
Unit = Literal["points", "share", "place", "tau", "p", "percent", ""]
#: Accuracies are near when they are within so much: what the benchmark paper calls consistent.
NEAR = 0.02
#: Runs of few seeds within so much of each other have no order.
TIED = 0.01
#: Of a claim on nearly all cases, those that are none are named with the verdict.
MOST = 0.9


@dataclass(frozen=True, slots=True)
class Judgment:
    """The judgment of a claim by a body of evidence.

    ``said`` is one sentence with the arithmetic, or with what is missing; ``number`` the deciding
    one, in the ``unit`` "points" (a difference of fractions), "share" (in [0, 1]), "place" (mean
    rank), "tau", "p" or "percent" (a fraction), with its 95 % interval. It rests on each of
    ``methods`` on all of ``data``; ``where`` is the part of the claim that was measured, as "2 of 5
    data sets".
    """

    verdict: Verdict
    said: str
    number: float | None = None
    low: float | None = None
    high: float | None = None
    unit: Unit = ""
    data: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    exceptions: str = ""
    where: str = ""
    scope: str = ""

    @property
    def words(self) -> str:
        """The verdict, with where it was found and its exceptions."""
        but = f"but for {self.exceptions}" if self.exceptions else ""
        return " ".join(filter(None, (self.verdict, self.where and f"({self.where})", but)))


# --- Scope ----------------------------------------------------------------------------------------


def with_scope(
    found: Judgment,
    evidence: Evidence,
    data: Sequence[str],
    methods: Sequence[str],
    share: float | None,
) -> Judgment:
    """Return a judgment of runs with its scope, and with the verdict that this scope allows.

    ``data`` and ``methods`` are those that the claim speaks of, no methods where it speaks of any;
    ``share`` is that of cases, where the claim states one.
    """
    rows = evidence.figures[evidence.figures["data"].isin(found.data)]
    benchmarks = rows["benchmark"].unique()
    missing = [name for name in methods if name not in found.methods]
    parts = [f"{len(benchmarks)} of {len(data)} data sets"] if len(benchmarks) < len(data) else []
    if missing:
        parts.append(f"{len(methods) - len(missing)} of {len(methods)} methods")
    if parts and share is not None:
        found = replace(found, verdict=_of_some_cases(found, share), exceptions="")
    verdict = HERE.get(found.verdict, found.verdict) if parts else found.verdict
    scope = _scope(rows, len(benchmarks), len(data), missing)
    if (apart := hand_crafted(evidence)) and evidence.body != "simulated":
        scope += f" Not comparable: {join_names(apart)} (hand-crafted features)."
    where = ", ".join(parts) if verdict in HERE.values() else ""
    exceptions = "" if verdict == "undecided" else found.exceptions
    return replace(found, verdict=verdict, where=where, scope=scope, exceptions=exceptions)


def hand_crafted(evidence: Evidence) -> list[str]:
    """Return the data sets with features that were trained on nothing."""
    controls = evidence.controls
    return [] if controls is None else [*map(str, controls.figures["data"].unique())]


def _of_some_cases(found: Judgment, share: float) -> Verdict:
    """Return the verdict of a count of some of the cases that a claim speaks of."""
    if (
        found.verdict == "undecided"
        or found.number is None
        or found.low is None
        or found.high is None
    ):
        return found.verdict
    if share < 1:
        return judge_interval(found.low, found.high, (share, np.inf))
    if found.number < 1:
        return "does not hold"
    return "holds" if found.low > 0.5 else "undecided"


def _scope(rows: pd.DataFrame, benchmarks: int, of: int, missing: Sequence[str]) -> str:
    """Return the data sets, features, methods and seeds of runs as one sentence."""
    named = rows.drop_duplicates("data").fillna({"pretraining": ""})
    names = [_trained(*pair) for pair in zip(named["data"], named["pretraining"], strict=True)]
    parts = [f"{join_names(names)}, {benchmarks} of {of} data sets"]
    if missing:
        parts.append(f"without {join_names(missing)}")
    seeds = rows["seeds"].dropna()
    if len(seeds):
        least, most = int(seeds.min()), int(seeds.max())
        several = f"{least} to {most} seeds" if least < most else f"{most} seeds"
        parts.append("one seed" if most == 1 else several)
    return f"Measured on {'; '.join(parts)}."


def _trained(data: str, pretraining: str) -> str:
    """Return the name of a data set with what its features were trained on."""
    known = {"none": "trained on nothing", "": "trained on what is unknown"}
    return f"{data} ({known.get(pretraining, f'trained on {pretraining}')})"


# --- Differences ----------------------------------------------------------------------------------


def judge_mean(
    what: str,
    values: ArrayLike,
    claimed: Literal["above", "below", "near"],
    *,
    of: str = "methods and data sets",
    margin: float = NEAR,
) -> Judgment:
    """Judge the mean of differences of fractions, shape (n,), by its t interval.

    ``what`` heads the sentence, ``of`` names the cases; "near" zero is within ``margin``. Raises
    UndecidedError for fewer than two.
    """
    x = np.asarray(values, dtype=float)
    if len(x) < 2:
        raise UndecidedError(
            f"{what}: a mean difference with an interval needs two {of}; there is {len(x)} here."
        )
    test = paired_test(what, x, of=of)
    low, high = test.interval
    sentence = (
        f"{what}: {signed(test.mean_difference)} points on average over {test.pairs} {of} "
        f"({signed(low)} to {signed(high)})."
    )
    limits = {"above": (0.0, np.inf), "below": (-np.inf, 0.0), "near": (-margin, margin)}
    verdict = judge_interval(low, high, limits[claimed])
    if verdict == "undecided":
        limit = "zero" if claimed != "near" else f"{100 * margin:.0f} points"
        sentence += f" The interval reaches over {limit}."
    return Judgment(verdict, sentence, test.mean_difference, low, high, "points", data_of(values))


def data_of(values: object) -> tuple[str, ...]:
    """Return the data sets that an index names, of figures or of cases."""
    index = getattr(values, "index", None)
    if not isinstance(index, pd.Index) or "data" not in index.names:
        return ()
    return tuple(map(str, index.get_level_values("data").unique()))


def judge_interval(
    low: float, high: float, claimed: tuple[float, float] = (0.0, np.inf)
) -> Verdict:
    """Return the verdict of an interval: inside what is claimed, outside of it, or over its end."""
    if claimed[0] < low and high < claimed[1]:
        return "holds"
    return "does not hold" if high <= claimed[0] or low >= claimed[1] else "undecided"


# --- Counts ---------------------------------------------------------------------------------------


def judge_share(what: str, hits: pd.Series, *, at_least: float = 1.0) -> Judgment:
    """Judge the share of hits, whose index names the cases; UndecidedError without a case."""
    n, k = len(hits), int(hits.sum())
    if not n:
        raise UndecidedError(f"{what}: there is no case here.")
    interval = binomtest(k, n).proportion_ci(0.95)
    share = round(k / n, DIGITS)
    so = share >= round(at_least, DIGITS)
    sentence = f"{what}: {k} of {n}."
    others = [name_of(case) for case in hits.index[~hits.to_numpy(dtype=bool)]]
    few = 0 < len(others) <= 6
    if few:
        sentence = f"{sentence[:-1]}; not {join_names(others)}."
    return Judgment(
        "holds" if so else "does not hold",
        sentence,
        k / n,
        float(interval.low),
        float(interval.high),
        "share",
        data_of(hits),
        exceptions=join_names(others) if so and few and at_least >= MOST else "",
    )


def name_of(case: object) -> str:
    """Return a case in words: a method, where it was, and what else distinguishes it."""
    if not isinstance(case, tuple):
        return str(case)
    if len(case) == 1:
        return str(case[0])
    rest = f" ({', '.join(map(str, case[2:]))})" if len(case) > 2 else ""
    return f"{case[0]} on {case[1]}{rest}"


def join_names(names: Sequence[str], last: str = "and") -> str:
    """Join names with commas, the last one with a word."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


# --- Orders ---------------------------------------------------------------------------------------


def mean_ranks(wide: pd.DataFrame) -> pd.Series:
    """Return the mean rank of every method, a complete column each, over the rows, best first."""
    ranks = pd.Series(ranks_of(wide.to_numpy()).mean(axis=0), wide.columns)
    return ranks.sort_values(kind="stable")


def rank_places(wide: pd.DataFrame) -> pd.Series:
    """Return the place of every method by mean rank, best first; ties share their best place."""
    ranks = mean_ranks(wide)
    rounded = np.round(ranks.to_numpy(), DIGITS)
    return pd.Series(1 + (rounded[None, :] < rounded[:, None]).sum(axis=1), ranks.index)


def possible_places(wide: pd.DataFrame, missing: int = 0, tied: float = TIED) -> pd.DataFrame:
    """Return the ``first`` and ``last`` place that methods can have by mean rank, a row a method.

    A method surely ranks ahead of another one that it is above by more than ``tied`` on every data
    set; each of the ``missing`` methods may be ahead of all.
    """
    x = wide.to_numpy()
    above = (x[:, :, None] > x[:, None, :] + tied).all(axis=0)
    last = x.shape[1] + missing - above.sum(axis=1)
    return pd.DataFrame({"first": 1 + above.sum(axis=0), "last": last}, index=wide.columns)


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
