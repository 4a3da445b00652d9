"""How claims are judged: differences with an interval, counts, places in an order.

A verdict is *holds*, *does not hold* or *cannot be told*. Of a difference, that its whole interval
lies where the claim says; *does not hold* where the whole interval lies elsewhere; what an interval
that reaches over both says is that it cannot be told. A count of all cases is compared with what
the claim says; where runs have only some of them, it holds if its exact binomial interval does. An
order is that of mean ranks over data sets.

Runs count on the benchmarks that a claim speaks of. One of them gives no verdict; two may, where an
interval or a counter-example decides, and the verdict says on how many; an order, which has no
interval, needs three. What simulated data give is shown and has *no verdict*: they were made here,
and say nothing about a paper.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, TypeVar

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from zslcore.analysis.papers.claims.evidence import (
    BENCHMARK_METHODS,
    ENOUGH,
    FEWEST,
    SEVERAL,
    CannotTellError,
    Evidence,
)
from zslcore.analysis.ranking import ranks_of
from zslcore.metrics.significance import DIGITS, paired_test

__all__ = [
    "MOST",
    "NEAR",
    "Claim",
    "Judgment",
    "Verdict",
    "by_interval",
    "counted",
    "data_of",
    "difference",
    "listed",
    "mean_ranks",
    "of_all",
    "place_of",
    "signed",
    "winners",
]

Verdict = Literal["holds", "does not hold", "cannot be told", "no verdict"]
Cases = TypeVar("Cases", pd.Series, pd.DataFrame)
Unit = Literal["points", "share", "place", "tau", "p", "percent", ""]
#: Accuracies are near when they are within so much: what the benchmark paper calls consistent.
NEAR = 0.02
#: Of a claim on nearly all cases, those that are none are named with the verdict.
MOST = 0.9
#: Methods that are ranked, CMT* among them.
RANKED = (*BENCHMARK_METHODS, "CMT*")


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a body of evidence says of a claim.

    Attributes
    ----------
    verdict : "holds", "does not hold", "cannot be told", or "no verdict" (on simulated data)
    said : one sentence with the arithmetic, or with what is missing
    number : what decides; None where there is none
    low, high : its 95 % interval; None where it has none
    unit : "points" (a difference of fractions), "share" (in [0, 1]), "place" (mean rank), "tau",
        "p", or "percent" (a fraction)
    data : the data sets that it rests on; empty where the judge does not say
    exceptions : what it holds but for; empty without any
    where : on how many of the claim's benchmarks, as "on 2 of 5 benchmarks"; empty where on all
    """

    verdict: Verdict
    said: str
    number: float | None = None
    low: float | None = None
    high: float | None = None
    unit: Unit = ""
    data: tuple[str, ...] = ()
    exceptions: str = ""
    where: str = ""

    @property
    def words(self) -> str:
        """The verdict, with where it was found and its exceptions."""
        but = f"but for {self.exceptions}" if self.exceptions else ""
        return " ".join(filter(None, (self.verdict, self.where, but)))


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of a paper, and what is computed to see whether it holds.

    Attributes
    ----------
    id : short name
    paper : "GBU", "CAL" or "FAIR", see ``data/README.md``
    section : where it stands
    statement : in our own words
    computed : what is computed
    judge : evidence -> Judgment; raises :class:`CannotTellError` for what is missing
    tables : printed tables that the paper means, as "GBU 3"
    printed_only : why runs can never tell; empty where they can
    data : the data sets that it speaks of
    """

    id: str
    paper: Literal["GBU", "CAL", "FAIR"]
    section: str
    statement: str
    computed: str
    judge: Callable[[Evidence], Judgment]
    tables: tuple[str, ...] = ()
    printed_only: str = ""
    data: tuple[str, ...] = ("SUN", "CUB", "AWA1", "AWA2", "aPY")

    def judged(self, evidence: Evidence) -> Judgment:
        """Return what this evidence says, which is "cannot be told" where something is missing."""
        if self.printed_only and evidence.body != "printed":
            return Judgment("cannot be told", self.printed_only)
        there = evidence.of_tables(self.tables).of_paper(self.paper, self.data)
        try:
            if there.figures.empty and evidence.body != "printed":
                raise CannotTellError(f"There is no run on {listed(self.data, 'or')} here.")
            found = self.judge(there)
        except CannotTellError as missing:
            return Judgment("cannot be told", str(missing))
        if evidence.body == "printed":
            return found
        if evidence.body == "simulated":
            said = f"{found.said} Data: {listed(found.data)}."
            return replace(found, verdict="no verdict", said=said, exceptions="")
        return self._of_enough(found, there)

    def _of_enough(self, found: Judgment, there: Evidence) -> Judgment:
        """Return a judgment of runs, without its verdict where there are too few of them."""
        rows = there.figures.drop_duplicates("data").set_index("data").fillna({"pretraining": ""})
        benchmarks = set(rows["benchmark"].loc[[*found.data]])
        where = f"on {len(benchmarks)} of {len(self.data)} benchmarks"
        data = listed([_trained(name, rows["pretraining"][name]) for name in found.data])
        found = replace(found, said=f"{found.said} {where.capitalize()}: {data}.")
        is_order = found.low is None or found.unit == "tau"
        needed = min(len(self.data), SEVERAL if is_order else FEWEST)
        if len(benchmarks) < needed:
            which = "" if needed == len(self.data) else f"{needed} of "
            why = f"A verdict needs {which}{listed(self.data)}."
        elif (found.verdict, found.unit) == ("holds", "share") and benchmarks < set(self.data):
            why = "These are not all cases, and the interval reaches below what is claimed."
        else:
            is_part = found.verdict != "cannot be told" and len(benchmarks) < len(self.data)
            return replace(found, where=where if is_part else "")
        return replace(found, verdict="cannot be told", said=f"{found.said} {why}", exceptions="")


def _trained(data: str, pretraining: str) -> str:
    """Return the name of a data set with what its features were trained on."""
    known = {"none": "trained on nothing", "": "trained on what is unknown"}
    return f"{data} ({known.get(pretraining, f'trained on {pretraining}')})"


# --- Differences ----------------------------------------------------------------------------------


def difference(
    what: str,
    values: ArrayLike,
    claimed: Literal["above", "below", "near"],
    *,
    of: str = "methods and data sets",
    margin: float = NEAR,
) -> Judgment:
    """Judge a mean difference by its t interval.

    Parameters
    ----------
    what : a heading for the sentence
    values : differences of fractions, shape (n,); an index names their data sets
    claimed : "above" zero, "below" zero, or "near" it, within ``margin``
    of : what the differences are of, in the plural
    margin : float
    """
    x = np.asarray(values, dtype=float)
    if len(x) < 2:
        raise CannotTellError(
            f"{what}: a mean difference with an interval needs two {of}; there is {len(x)} here."
        )
    test = paired_test(what, x, of=of)
    low, high = test.interval
    said = (
        f"{what}: {signed(test.mean_difference)} points on average over {test.pairs} {of} "
        f"({signed(low)} to {signed(high)})."
    )
    limits = {"above": (0.0, np.inf), "below": (-np.inf, 0.0), "near": (-margin, margin)}
    verdict = by_interval(low, high, limits[claimed])
    if verdict == "cannot be told":
        limit = "zero" if claimed != "near" else f"{100 * margin:.0f} points"
        said += f" The interval reaches over {limit}."
    return Judgment(verdict, said, test.mean_difference, low, high, "points", data_of(values))


def data_of(values: object) -> tuple[str, ...]:
    """Return the data sets that an index names, of figures or of cases."""
    index = getattr(values, "index", None)
    if not isinstance(index, pd.Index) or "data" not in index.names:
        return ()
    return tuple(map(str, index.get_level_values("data").unique()))


def by_interval(low: float, high: float, claimed: tuple[float, float] = (0.0, np.inf)) -> Verdict:
    """Return the verdict of an interval: inside what is claimed, outside of it, or over its end."""
    if claimed[0] < low and high < claimed[1]:
        return "holds"
    return "does not hold" if high <= claimed[0] or low >= claimed[1] else "cannot be told"


def signed(fraction: float, form: str = "+.1f") -> str:
    """Write a difference of fractions in points, with its sign."""
    return f"{100 * fraction:{form}}".replace("-", "−")


# --- Counts ---------------------------------------------------------------------------------------


def counted(what: str, hits: pd.Series, *, at_least: float = 1.0) -> Judgment:
    """Judge how often something is so.

    Parameters
    ----------
    what : a heading for the sentence
    hits : bool, one a case; its index names the cases
    at_least : the share that the claim asks for; 1 is all of them
    """
    n, k = len(hits), int(hits.sum())
    if not n:
        raise CannotTellError(f"{what}: there is no case here.")
    interval = binomtest(k, n).proportion_ci(0.95)
    share = round(k / n, DIGITS)
    so = share >= round(at_least, DIGITS)
    said = f"{what}: {k} of {n}."
    others = [_name(case) for case in hits.index[~hits.to_numpy(dtype=bool)]]
    few = 0 < len(others) <= 6
    if few:
        said = f"{said[:-1]}; not {listed(others)}."
    return Judgment(
        "holds" if so else "does not hold",
        said,
        k / n,
        float(interval.low),
        float(interval.high),
        "share",
        data_of(hits),
        listed(others) if so and few and at_least >= MOST else "",
    )


def of_all(methods: Sequence[str], cases: Cases) -> Cases:
    """Return the cases of data sets that have all of these methods: "every" method needs them.

    Parameters
    ----------
    methods : names
    cases : Series or DataFrame whose index has the levels "method" and "data"

    Raises
    ------
    CannotTellError
        When no data set has all.
    """
    cases = cases[cases.index.get_level_values("method").isin(methods)]
    there = cases.index.to_frame(index=False).groupby("data")["method"].nunique()
    complete = there.index[there == len(methods)]
    if not len(complete):
        most = f"at most {there.max()} on one data set" if len(there) else "none"
        raise CannotTellError(f"It is of {len(methods)} methods; here are {most}.")
    return cases[cases.index.get_level_values("data").isin(complete)]


def _name(case: object) -> str:
    if not isinstance(case, tuple):
        return str(case)
    rest = f" ({', '.join(map(str, case[2:]))})" if len(case) > 2 else ""
    return f"{case[0]} on {case[1]}{rest}"


def listed(names: Sequence[str], last: str = "and") -> str:
    """Join names with commas, the last one with a word."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {last} {names[-1]}"


# --- Orders ---------------------------------------------------------------------------------------


def mean_ranks(wide: pd.DataFrame) -> pd.Series:
    """Return the mean rank of every method over the rows, the best first."""
    ranks = pd.Series(ranks_of(wide.to_numpy()).mean(axis=0), wide.columns)
    return ranks.sort_values(kind="stable")


def place_of(
    wide: pd.DataFrame,
    method: str,
    places: tuple[int, int],
    *,
    figure: str = "ZSL",
    of: str = "data sets",
) -> Judgment:
    """Judge the place of a method by mean rank; ties share their best place.

    Parameters
    ----------
    wide : a row a data set, a column a method, complete
    method : name
    places : first and last place that the claim allows
    figure, of : what is ranked and what the rows are, for the sentence
    """
    if method not in wide.columns:
        raise CannotTellError(
            f"There is no {figure} of {method}, as the paper ran it, on every data set here."
        )
    ranks = mean_ranks(wide)
    place = 1 + int((np.round(ranks, DIGITS) < np.round(ranks[method], DIGITS)).sum())
    first = ranks.index[0]
    said = (
        f"{method} has place {place} of {len(ranks)} on {len(wide)} {of} by {figure}, mean "
        f"rank {ranks[method]:.1f}"
    )
    said += f"; {first} is first with {ranks.iloc[0]:.1f}." if first != method else "."
    so = places[0] <= place <= places[1]
    verdict: Verdict = "holds" if so else "does not hold"
    return Judgment(verdict, said, float(ranks[method]), unit="place", data=data_of(wide))


def winners(evidence: Evidence, expected: dict[str, str], figure: str, split: str) -> Judgment:
    """Judge which method is best on each benchmark; those without enough methods are left out.

    Parameters
    ----------
    evidence : Evidence
    expected : benchmark -> the method that the paper names
    figure, split : what is compared
    """
    best, named = {}, {}
    for benchmark, method in expected.items():
        try:
            values = evidence.on(benchmark, figure, split)
        except CannotTellError:
            continue
        values = values[[name for name in values.index if name in RANKED]]
        if len(values) >= ENOUGH and method in values:
            best[values.name] = values.idxmax()
            named[values.name] = bool(np.round(values[method] - values.max(), DIGITS) == 0)
    if not best:
        raise CannotTellError(
            f"No data set has {ENOUGH} of the paper's methods here, the one that it names among "
            f"them ({figure.upper()}, {split})."
        )
    hits = pd.Series(named).rename_axis("data")
    found = counted(f"Best by {figure.upper()} on {split} as the paper says", hits)
    each = ", ".join(f"{name} on {data}" for data, name in best.items())
    return replace(found, said=f"{found.said} Best: {each}.")
