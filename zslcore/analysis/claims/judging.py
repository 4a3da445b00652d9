"""How claims are judged: differences with an interval, counts, places in an order.

A verdict is *holds*, *does not hold* or *cannot be told*. Of a difference, that its whole interval
lies where the claim says; *does not hold* where the whole interval lies elsewhere; what an interval
that reaches over both says is that it cannot be told. A count is compared with what the claim says,
its exact binomial interval stands beside it. An order is that of mean ranks over data sets.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binomtest

from zslcore.analysis.claims.evidence import (
    BENCHMARK_METHODS,
    ENOUGH,
    SEVERAL,
    CannotTellError,
    Evidence,
)
from zslcore.analysis.ranking import ranks_of
from zslcore.analysis.significance import DIGITS, paired_test

__all__ = [
    "NEAR",
    "Claim",
    "Judgment",
    "Verdict",
    "by_interval",
    "counted",
    "difference",
    "in_general",
    "mean_ranks",
    "place_of",
    "signed",
    "winners",
]

Verdict = Literal["holds", "does not hold", "cannot be told"]
Unit = Literal["points", "share", "place", "tau", "p", "percent", ""]
#: Accuracies are near when they are within so much: what the benchmark paper calls consistent.
NEAR = 0.02
#: Methods that are told apart, CMT* among them.
RANKED = (*BENCHMARK_METHODS, "CMT*")


@dataclass(frozen=True, slots=True)
class Judgment:
    """What a body of evidence says of a claim.

    Attributes
    ----------
    verdict : "holds", "does not hold" or "cannot be told"
    said : one sentence with the arithmetic, or with what is missing
    number : what decides; None where there is none
    low, high : its 95 % interval; None where it has none
    unit : "points" (a difference of fractions), "share" (in [0, 1]), "place" (mean rank), "tau",
        "p", or "percent" (a fraction)
    """

    verdict: Verdict
    said: str
    number: float | None = None
    low: float | None = None
    high: float | None = None
    unit: Unit = ""


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
    """

    id: str
    paper: Literal["GBU", "CAL", "FAIR"]
    section: str
    statement: str
    computed: str
    judge: Callable[[Evidence], Judgment]
    tables: tuple[str, ...] = ()
    printed_only: str = ""

    def judged(self, evidence: Evidence) -> Judgment:
        """Return what this evidence says, which is "cannot be told" where something is missing."""
        if self.printed_only and evidence.body != "printed":
            return Judgment("cannot be told", self.printed_only)
        try:
            return self.judge(evidence.of_tables(self.tables))
        except CannotTellError as missing:
            return Judgment("cannot be told", str(missing))


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
    values : differences of fractions, shape (n,)
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
    return Judgment(verdict, said, test.mean_difference, low, high, "points")


def by_interval(low: float, high: float, claimed: tuple[float, float] = (0.0, np.inf)) -> Verdict:
    """Return the verdict of an interval: inside what is claimed, outside of it, or over its end."""
    if claimed[0] < low and high < claimed[1]:
        return "holds"
    return "does not hold" if high <= claimed[0] or low >= claimed[1] else "cannot be told"


def signed(fraction: float, form: str = "+.1f") -> str:
    """Write a difference of fractions in points, with its sign."""
    return f"{100 * fraction:{form}}".replace("-", "−")


# --- Counts ---------------------------------------------------------------------------------------


def counted(
    what: str, hits: pd.Series, *, at_least: float = 1.0, exactly: bool = False
) -> Judgment:
    """Judge how often something is so.

    Parameters
    ----------
    what : a heading for the sentence
    hits : bool, one a case; its index names the cases
    at_least : the share that the claim asks for; 1 is all of them
    exactly : bool, default=False
        Not more than that either.
    """
    n, k = len(hits), int(hits.sum())
    if not n:
        raise CannotTellError(f"{what}: there is no case here.")
    interval = binomtest(k, n).proportion_ci(0.95)
    share = round(k / n, DIGITS)
    so = share == round(at_least, DIGITS) if exactly else share >= round(at_least, DIGITS)
    said = f"{what}: {k} of {n}."
    others = hits.index[~hits.to_numpy(dtype=bool)]
    if 0 < len(others) <= 6:
        said = f"{said[:-1]}; not {_listed([_name(case) for case in others])}."
    return Judgment(
        "holds" if so else "does not hold",
        said,
        k / n,
        float(interval.low),
        float(interval.high),
        "share",
    )


def _name(case: object) -> str:
    return " on ".join(map(str, case)) if isinstance(case, tuple) else str(case)


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


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
    figure: str = "zsl",
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
        raise CannotTellError(f"There is no {figure} of {method} on every data set here.")
    ranks = mean_ranks(wide)
    place = 1 + int((np.round(ranks, DIGITS) < np.round(ranks[method], DIGITS)).sum())
    first = ranks.index[0]
    said = (
        f"{method} has place {place} of {len(ranks)} on {len(wide)} {of} by {figure}, mean "
        f"rank {ranks[method]:.1f}"
    )
    said += f"; {first} is first with {ranks.iloc[0]:.1f}." if first != method else "."
    so = places[0] <= place <= places[1]
    return Judgment(
        "holds" if so else "does not hold", said, float(ranks[method]), None, None, "place"
    )


def in_general(found: Judgment, n_data: int) -> Judgment:
    """Return a judgment of an order over data sets, without a verdict where these are too few."""
    if n_data >= SEVERAL:
        return found
    why = f"{found.said} A verdict on an order needs {SEVERAL} benchmarks."
    return replace(found, verdict="cannot be told", said=why)


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
            best[benchmark] = values.idxmax()
            named[benchmark] = bool(np.round(values[method] - values.max(), DIGITS) == 0)
    if not best:
        raise CannotTellError(
            f"No data set has {ENOUGH} of the paper's methods here ({figure}, split {split})."
        )
    found = counted(f"Best by {figure} on {split} as the paper says", pd.Series(named))
    told = ", ".join(f"{name} on {benchmark}" for benchmark, name in best.items())
    return replace(found, said=f"{found.said} Best are {told}.")
