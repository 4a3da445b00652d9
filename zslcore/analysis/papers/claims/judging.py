"""Verdicts on claims, with the deciding number, its interval, and its data and methods.

On printed tables, a claim *holds*, *does not hold* or is *undecided*. A claim on a difference holds
if the whole interval is on the claimed side of the limit, and is undecided if the interval includes
the limit. A count over all cases is compared with the share that the claim states. The order of
methods is the order of their mean ranks over data sets.

Runs on a part of the claim's data sets and methods get the verdict *holds here* or *fails here*,
which neither confirms nor refutes the claim. On such a part, a claim on all cases fails with one
counterexample; without one, it holds if the exact interval of the share is above one half. A claim
on a share is decided by the interval of the share. Metrics of runs within one point of each other
have no order: a rank, a best method or a sign gets a verdict only if the verdict is the same for
every order of these metrics and for any results of missing methods; otherwise the claim is
undecided. Hand-crafted features are *not comparable* with the deep features of a paper. Simulated
data get *no verdict*.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import binomtest
from scipy.stats import t as student_t

from zslcore.analysis.papers.claims.evidence import (
    MIN_METHODS,
    ClaimEvidence,
    ReadCells,
    UndecidedError,
    describe_metric,
    join_names,
)
from zslcore.analysis.ranking import method_ranks
from zslcore.metrics.significance import DIGITS, paired_test
from zslcore.numbers import percent, signed

Verdict = Literal[
    "holds",
    "does not hold",
    "holds here",
    "fails here",
    "undecided",
    "not comparable",
    "no verdict",
]
#: Verdict -> verdict on a part of the data sets or methods of a claim.
HERE: Mapping[Verdict, Verdict] = {"holds": "holds here", "does not hold": "fails here"}
Unit = Literal["points", "share", "place", "tau", "p", "percent", ""]
#: Accuracies that differ by at most this are near ("consistent" in the benchmark paper).
NEAR = 0.02
#: Runs that differ by at most this are tied, since they have few seeds.
TIED = 0.01
#: If a claim is on at least this share of cases, the verdict "holds" names up to six exceptions.
MIN_EXCEPTION_SHARE = 0.9
#: Minimum number of data sets for an interval over data sets.
MIN_DATA_SETS = 3
#: Minimum number of methods in a ranking of runs.
MIN_METHODS_OF_RUNS = 5


@dataclass(frozen=True, slots=True)
class Judgment:
    """Judgment of a claim on one body of evidence.

    ``sentence`` states the arithmetic, or the missing evidence. ``number`` is the deciding number,
    with its 95 % interval from ``low`` to ``high``; its ``unit`` is "points" (a difference of
    fractions), "share" (in [0, 1]), "place" (mean rank), "tau", "p" or "percent" (a fraction, shown
    in percent). All ``methods`` were measured on all ``data``; ``where`` is the measured part of
    the claim, such as "2 of 5 data sets". For a claim on a count, ``share`` is the claimed share of
    cases; for a claim on a place, ``ranks`` are the mean ranks of all methods, best first.
    ``comparison`` is the deciding number next to the one that the claim needs, such as "place 8 of
    13; claimed: 7". ``cells`` are the metrics and tables that were read.
    """

    verdict: Verdict
    sentence: str
    number: float | None = None
    low: float | None = None
    high: float | None = None
    unit: Unit = ""
    data: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    exceptions: str = ""
    where: str = ""
    scope: str = ""
    share: float | None = field(default=None, compare=False)
    comparison: str = field(default="", compare=False)
    ranks: Mapping[str, float] = field(default_factory=dict, compare=False, repr=False)
    cells: ReadCells = field(default_factory=ReadCells, compare=False, repr=False)

    @property
    def words(self) -> str:
        """The verdict, with the measured part of the claim and the exceptions."""
        but = f"except for {self.exceptions}" if self.exceptions else ""
        return " ".join(filter(None, (self.verdict, self.where and f"({self.where})", but)))


# --- Scope ----------------------------------------------------------------------------------------


def add_scope(judgment: Judgment, evidence: ClaimEvidence) -> Judgment:
    """Add the scope to a judgment of runs, and limit the verdict to this scope."""
    data, methods = evidence.benchmarks, evidence.methods
    rows = evidence.metrics[evidence.metrics["data"].isin(judgment.data)]
    benchmarks = rows["benchmark"].unique()
    missing = [name for name in methods if name not in judgment.methods]
    parts = [f"{len(benchmarks)} of {len(data)} data sets"] if len(benchmarks) < len(data) else []
    if missing:
        parts.append(f"{len(methods) - len(missing)} of {len(methods)} methods")
    if parts and judgment.share is not None:
        judgment = replace(judgment, verdict=_verdict_on_some_cases(judgment), exceptions="")
    verdict = HERE.get(judgment.verdict, judgment.verdict) if parts else judgment.verdict
    scope = _scope(rows, len(benchmarks), len(data), missing)
    if crafted := hand_crafted(evidence):
        scope += f" Not comparable: {join_names(crafted)} (hand-crafted features)."
    where = ", ".join(parts) if verdict in HERE.values() else ""
    exceptions = "" if verdict == "undecided" else judgment.exceptions
    return replace(judgment, verdict=verdict, where=where, scope=scope, exceptions=exceptions)


def hand_crafted(evidence: ClaimEvidence) -> list[str]:
    """Return the data sets with features without pre-training."""
    controls = evidence.controls
    return [] if controls is None else [*map(str, controls.metrics["data"].unique())]


def _verdict_on_some_cases(judgment: Judgment) -> Verdict:
    """Return the verdict of a count that covers only some of the claim's cases."""
    share, number, low, high = judgment.share, judgment.number, judgment.low, judgment.high
    if share is None or number is None or low is None or high is None:
        return judgment.verdict
    if judgment.verdict == "undecided":
        return "undecided"
    if share < 1:
        return judge_interval(low, high, (share, np.inf))
    if number < 1:
        return "does not hold"
    return "holds" if low > 0.5 else "undecided"


def _scope(rows: pd.DataFrame, benchmarks: int, total: int, missing: Sequence[str]) -> str:
    """Return one sentence on the data sets, features, methods and seeds of runs."""
    named = rows.drop_duplicates("data").fillna({"pretraining": ""})
    names = [_trained(*pair) for pair in zip(named["data"], named["pretraining"], strict=True)]
    parts = [f"{join_names(names)}, {benchmarks} of {total} data sets"]
    if missing:
        parts.append(f"without {join_names(missing)}")
    seeds = rows["seeds"].dropna()
    if len(seeds):
        least, most = int(seeds.min()), int(seeds.max())
        several = f"{least} to {most} seeds" if least < most else f"{most} seeds"
        parts.append("one seed" if most == 1 else several)
    return f"Measured on {'; '.join(parts)}."


def _trained(data: str, pretraining: str) -> str:
    """Return the name of a data set with the pre-training set of its features."""
    special = {"none": "no pre-training", "": "unknown pre-training"}
    return f"{data} ({special.get(pretraining, f'trained on {pretraining}')})"


def _add_coverage(evidence: ClaimEvidence, judgment: Judgment, cases: pd.Series) -> Judgment:
    """Add to a judgment the data sets of its cases, and the methods with cases on all of them."""
    data, methods = evidence.coverage(cases)
    return replace(judgment, data=data, methods=methods)


# --- Differences ----------------------------------------------------------------------------------


def paired(first: pd.Series, second: pd.Series) -> tuple[pd.Series, pd.Series]:
    """Return two series of metrics on their common cases; UndecidedError if there are none."""
    both = pd.concat([first, second], axis=1, keys=["first", "second"]).dropna()
    if both.empty:
        raise UndecidedError("No method has values of both compared metrics.")
    return both["first"], both["second"]


def difference(first: pd.Series, second: pd.Series) -> pd.Series:
    """Return the differences of two metrics by case, rounded against floating-point errors."""
    a, b = paired(first, second)
    return (a - b).round(DIGITS)


def ratio(first: pd.Series, second: pd.Series) -> pd.Series:
    """Return the ratios of two metrics by case."""
    a, b = paired(first, second)
    return a / b


def judge_mean(
    subject: str,
    values: ArrayLike,
    claimed: Literal["above", "below", "near"],
    *,
    of: str = "methods and data sets",
) -> Judgment:
    """Judge the mean of differences of fractions, shape (n,), by its t interval.

    The sentence starts with ``subject``; ``of`` is the plural noun for the cases. "near" means
    within :data:`NEAR` of zero. Raises UndecidedError for fewer than two differences.
    """
    x = np.asarray(values, dtype=float)
    if len(x) < 2:
        raise UndecidedError(
            f"{subject}: a mean difference with an interval needs two {of}; got {len(x)}."
        )
    test = paired_test(subject, x, of=of)
    low, high = test.interval
    sentence = (
        f"{subject}: {signed(test.mean_difference)} points on average over {test.pairs} {of} "
        f"({signed(low)} to {signed(high)})."
    )
    limits = {"above": (0.0, np.inf), "below": (-np.inf, 0.0), "near": (-NEAR, NEAR)}
    verdict = judge_interval(low, high, limits[claimed])
    if verdict == "undecided":
        limit = "zero" if claimed != "near" else f"{100 * NEAR:.0f} points"
        sentence += f" The interval includes {limit}."
    return Judgment(verdict, sentence, test.mean_difference, low, high, "points")


def judge_difference(
    evidence: ClaimEvidence,
    subject: str,
    d: pd.Series,
    claimed: Literal["above", "below", "near"],
    *,
    of: str = "methods and data sets",
    tally: bool = False,
) -> Judgment:
    """Judge a mean difference by its t interval over cases.

    With too few data sets for an interval, the sign must be clear on every data set. ``tally`` adds
    the number of cases on the claimed side to the sentence.
    """
    few = (
        evidence.body != "printed" and 1 < len(d) < MIN_DATA_SETS and "method" not in d.index.names
    )
    judgment = _clear_on_each(subject, d, of) if few else judge_mean(subject, d, claimed, of=of)
    if tally:
        count = judge_share(claimed.capitalize(), d < 0 if claimed == "below" else d > 0)
        judgment = replace(judgment, sentence=f"{judgment.sentence} {count.sentence}")
    return _add_coverage(evidence, judgment, d)


def _clear_on_each(subject: str, d: pd.Series, unit: str) -> Judgment:
    """Judge whether a difference is more than one point above zero on each of a few data sets."""
    values_in_words = ", ".join(f"{signed(x)} on {_data_and_split(case)}" for case, x in d.items())
    rule = f"An interval needs {MIN_DATA_SETS} {unit}; with fewer, the sign must be clear on each."
    sentence = f"{subject}, in points: {values_in_words}. {rule}"
    verdict = judge_interval(float(d.min()), float(d.max()), (TIED, np.inf))
    if verdict == "does not hold" and d.max() >= -TIED:
        verdict = "undecided"
    return Judgment(verdict, sentence, float(d.mean()), unit="points")


def _data_and_split(case: object) -> str:
    """Return the data set of a case, with its split if the case has one."""
    return f"{case[0]} ({', '.join(case[1:])})" if isinstance(case, tuple) else str(case)


def judge_interval(
    low: float, high: float, claimed: tuple[float, float] = (0.0, np.inf)
) -> Verdict:
    """Return "holds" within ``claimed``, "does not hold" outside, "undecided" across a limit."""
    if claimed[0] < low and high < claimed[1]:
        return "holds"
    return "does not hold" if high <= claimed[0] or low >= claimed[1] else "undecided"


# --- Counts ---------------------------------------------------------------------------------------


def judge_share(subject: str, hits: pd.Series, *, at_least: float = 1.0) -> Judgment:
    """Judge whether the share of hits, indexed by case, is at least the claimed share.

    Raises UndecidedError if there are no cases.
    """
    n, k = len(hits), int(hits.sum())
    if not n:
        raise UndecidedError(f"{subject}: no case is available.")
    interval = binomtest(k, n).proportion_ci(0.95)
    share = round(k / n, DIGITS)
    agrees = share >= round(at_least, DIGITS)
    sentence = f"{subject}: {k} of {n}."
    misses = [name_of(case) for case in hits.index[~hits.to_numpy(dtype=bool)]]
    few = 0 < len(misses) <= 6
    if few:
        sentence = f"{sentence[:-1]}; not {join_names(misses)}."
    return Judgment(
        "holds" if agrees else "does not hold",
        sentence,
        k / n,
        float(interval.low),
        float(interval.high),
        "share",
        exceptions=join_names(misses) if agrees and few and at_least >= MIN_EXCEPTION_SHARE else "",
    )


def judge_count(
    evidence: ClaimEvidence,
    subject: str,
    hits: pd.Series,
    *,
    cases: pd.Series | None = None,
    at_least: float = 1.0,
    note: str = "",
    unclear: Sequence[str] = (),
) -> Judgment:
    """Judge the share of cases that agree with the claim; ``note`` follows the sentence.

    ``unclear`` are cases with differences too small for a sign: they may agree or disagree.
    ``cases`` are all cases, by default those of ``hits``; they determine the data sets and methods
    of the judgment.
    """
    judgment = judge_share(subject, hits, at_least=at_least)
    needed = "all" if at_least == 1 else f"at least {percent(at_least, 0)}"
    judgment = replace(
        judgment,
        sentence=f"{judgment.sentence} {note}".strip(),
        share=at_least,
        comparison=f"{int(hits.sum())} of {len(hits)}; claimed: {needed}",
    )
    if unclear:
        sentence = f"{judgment.sentence} No clear sign (within one point): {join_names(unclear)}."
        verdict: Verdict = "undecided" if hits.all() else judgment.verdict
        judgment = replace(judgment, verdict=verdict, sentence=sentence)
    return _add_coverage(evidence, judgment, hits if cases is None else cases)


def select_clear_signs(evidence: ClaimEvidence, d: pd.Series) -> tuple[pd.Series, list[str]]:
    """Return the differences with a clear sign, and the names of the other cases."""
    if evidence.body == "printed":
        return d, []
    clear = d.abs() > TIED
    if not clear.any():
        raise UndecidedError("All differences here are within one point, so none has a clear sign.")
    return d[clear], [name_of(case) for case in d.index[~clear]]


def name_of(case: object) -> str:
    """Return the label of a case: its method, data set and other keys."""
    if not isinstance(case, tuple):
        return str(case)
    if len(case) == 1:
        return str(case[0])
    further_keys = f" ({', '.join(map(str, case[2:]))})" if len(case) > 2 else ""
    return f"{case[0]} on {case[1]}{further_keys}"


# --- Orders of methods ----------------------------------------------------------------------------


def mean_ranks(wide: pd.DataFrame) -> pd.Series:
    """Return the mean rank of each column (method) of a table without gaps, best first."""
    ranks = pd.Series(method_ranks(wide.to_numpy()).mean(axis=0), wide.columns)
    return ranks.sort_values(kind="stable")


def possible_places(wide: pd.DataFrame, missing: int) -> pd.DataFrame:
    """Return the ``first`` and ``last`` possible rank of each method by mean rank.

    A method certainly ranks ahead of another if it is better by more than :data:`TIED` on every
    data set. Any of the ``missing`` methods may be ahead of all methods.
    """
    x = wide.to_numpy()
    above = (x[:, :, None] > x[:, None, :] + TIED).all(axis=0)
    last = x.shape[1] + missing - above.sum(axis=1)
    return pd.DataFrame({"first": 1 + above.sum(axis=0), "last": last}, index=wide.columns)


@dataclass(frozen=True, slots=True, eq=False)
class Order:
    """Mean ranks of methods, best first; ``by`` describes the ranked metric and data.

    ``wide`` has the ranked values, one column per method; it is empty for printed ranks.
    ``missing`` are methods of the claim without a rank.
    """

    ranks: pd.Series
    by: str
    wide: pd.DataFrame
    missing: Sequence[str] = ()

    def add_coverage(self, judgment: Judgment) -> Judgment:
        """Add the ranked data sets and methods to a judgment."""
        index = self.wide.index
        data = index.get_level_values("data").unique() if "data" in index.names else ()
        methods = self.ranks.index if self.wide.empty else self.wide.columns
        return replace(judgment, data=tuple(map(str, data)), methods=tuple(map(str, methods)))

    def condition(self) -> str:
        """Return the condition at the start of a sentence on possible ranks."""
        if not self.missing:
            return "If differences between methods change by at most one point"
        return (
            f"For any accuracy of {join_names(self.missing)}, and if differences between methods "
            "change by at most one point"
        )


def order_of(
    evidence: ClaimEvidence, metric: str, *, split: str = "PS", folds: bool = False
) -> Order:
    """Rank the claim's methods by a metric over data sets.

    With ``folds``, every fold of a data set is ranked separately, if its results are available.
    """
    rows = "data sets"
    if folds and evidence.has(f"{metric}, fold 1"):
        parts = [
            evidence.comparison_table(f"{metric}, fold {k}", split, MIN_METHODS) for k in (1, 2, 3)
        ]
        wide, rows = pd.concat(parts).dropna(axis=1), "data sets and folds"
    else:
        min_methods = MIN_METHODS if evidence.body == "printed" else MIN_METHODS_OF_RUNS
        wide = evidence.comparison_table(metric, split, min_methods)
    missing = [name for name in evidence.methods if name not in wide.columns]
    return order_of_table(wide, describe_metric(metric), rows, missing)


def order_of_table(
    wide: pd.DataFrame, metric: str, rows: str, missing: Sequence[str] = ()
) -> Order:
    """Rank the columns of a table by a metric; ``rows`` is the plural noun for its rows."""
    rows = rows if len(wide) > 1 else rows.replace("sets", "set").removesuffix("s")
    return Order(mean_ranks(wide), f"mean rank of {metric} over {len(wide)} {rows}", wide, missing)


def order_of_figure_4(evidence: ClaimEvidence, split: str) -> Order:
    """Rank methods over data sets and folds, as in figure 4 of the benchmark paper."""
    if evidence.body != "printed":
        return order_of(evidence, "zsl", split=split, folds=True)
    table = evidence.table("zsl_mean_ranks")
    rows = table[(table["split"] == split) & table["method"].isin(evidence.methods)]
    ranks = rows.set_index("method")["mean_rank"].sort_values(kind="stable")
    return Order(ranks, f"printed mean rank on {split}", pd.DataFrame())


def judge_place(
    evidence: ClaimEvidence, order: Order, method: str, first: int, last: int | None = None
) -> Judgment:
    """Judge whether the rank of a method is between ``first`` and ``last``.

    For runs, all possible ranks are judged. Methods with equal mean ranks share the better rank.
    """
    ranks = order.ranks
    if method not in ranks:
        raise UndecidedError(
            f"No {order.by.partition(' over ')[0].removeprefix('mean rank of ')} of {method}, as "
            "the paper ran it, is available on every data set."
        )
    rank = float(ranks[method])
    low = high = 1 + int((ranks.round(DIGITS) < round(rank, DIGITS)).sum())
    sentence = f"{method} is number {low} of {len(ranks)} by {order.by} ({rank:.1f})"
    sentence += f"; {ranks.index[0]} is first ({ranks.iloc[0]:.1f})." if low > 1 else "."
    if evidence.body != "printed":
        bounds = possible_places(order.wide, len(order.missing))
        [[low, high]] = bounds.loc[[method]].to_numpy().tolist()
        same = " A change of one point does not change the rank."
        between = f" {order.condition()}, its rank is between {low} and {high}."
        sentence += same if low == high else between
    verdict = judge_interval(low, high, (first - 0.5, (last or first) + 0.5))
    ranked = {str(name): float(value) for name, value in ranks.items()}
    place = f"place {low}" if low == high else f"place {low} to {high}"
    needed = f"{first}" if last is None else f"{first} to {last}"
    comparison = f"{place} of {len(ranks)}; claimed: {needed}"
    return order.add_coverage(
        Judgment(verdict, sentence, rank, unit="place", ranks=ranked, comparison=comparison)
    )


def judge_end(
    evidence: ClaimEvidence,
    order: Order,
    end: Literal["first", "last"],
    size: int,
    named: Sequence[str],
) -> Judgment:
    """Judge whether all ``named`` methods are among the first or last ``size`` methods."""
    if not set(named) <= set(order.ranks.index):
        raise UndecidedError(f"No result of {join_names(named)} is available on every data set.")
    names = [*map(str, order.ranks.index)]
    ends = names[-size:] if end == "last" else names[:size]
    number = ("one", "two", "three", "four", "five")[size - 1]
    subject = (
        f"{end.capitalize()} {number} of {len(names)} by {order.by} ({', '.join(ends)}); of the "
        "methods that the paper names"
    )
    judgment = judge_share(subject, pd.Series({name: name in ends for name in named}))
    if evidence.body != "printed":
        places = possible_places(order.wide, len(order.missing)).loc[[*named]]
        n = len(evidence.methods) if order.missing else len(names)
        if end == "last":  # count places from the end
            places = pd.DataFrame(
                {"first": n + 1 - places["last"], "last": n + 1 - places["first"]}
            )
        certain, possible = (int((places[column] <= size).sum()) for column in ("last", "first"))
        verdict: Verdict = "holds" if certain == len(named) else "undecided"
        verdict = "does not hold" if possible < len(named) else verdict
        verb = "is" if certain == 1 else "are"
        sentence = (
            f"{judgment.sentence} {order.condition()}, at least {certain} of these methods "
            f"{verb} among the {end} {number}, and at most {possible} can be."
        )
        judgment = replace(judgment, verdict=verdict, sentence=sentence, exceptions="")
    # An order has no interval.
    return order.add_coverage(replace(judgment, low=None, high=None))


def judge_best(
    evidence: ClaimEvidence, metric: str, split: str, expected: Mapping[str, str]
) -> Judgment:
    """Judge whether the ``expected`` method of each benchmark is the best on it.

    With runs, a method is not the best if another method is better by more than one point; it is
    the best if it leads by more than one point and no method is missing.
    """
    best, named, unclear = {}, {}, []
    on: dict[str, pd.Series] = {}
    for benchmark, method in expected.items():
        values = evidence.on(benchmark, metric, split)
        if method not in values or (evidence.body == "printed" and len(values) < MIN_METHODS):
            continue
        lead = np.round(values[method] - values.drop(method).max(), DIGITS)
        missing = [name for name in evidence.methods if name not in values]
        data = str(values.name)
        tops = values.index[values >= values.max() - 10**-DIGITS]
        on[data], best[data] = values, join_names([*map(str, tops)])
        tied = evidence.body != "printed" and abs(lead) <= TIED
        if evidence.body == "printed" or not (tied or (lead > 0 and missing)):
            named[data] = bool(lead >= 0)
        else:
            clear = missing and lead > TIED
            why = f"{join_names(missing)} missing" if clear else "within one point"
            unclear.append(f"{method} on {data} ({why})")
    if not best:
        raise UndecidedError(
            f"No {describe_metric(metric)} on {split} is available for the methods that the paper "
            "names."
        )
    best_in_words = ", ".join(f"{name} on {data}" for data, name in best.items())
    methods = tuple(sorted(set.intersection(*(set(values.index) for values in on.values()))))
    more = f" Best: {best_in_words}." + (f" Open: {join_names(unclear)}." if unclear else "")
    if named:
        hits = pd.Series(named)
        subject = f"Best by {describe_metric(metric)} on {split} as in the paper"
        judgment = judge_share(subject, hits)
        if unclear and hits.all():
            judgment = replace(judgment, verdict="undecided")
    else:
        subject = f"It is open whether the named methods are best by {describe_metric(metric)}."
        judgment = Judgment("undecided", subject)
    return replace(judgment, sentence=judgment.sentence + more, data=tuple(on), methods=methods)


def judge_group(
    evidence: ClaimEvidence, subject: str, metric: str, group: Sequence[str]
) -> Judgment:
    """Judge whether the mean of a group of methods is above the mean of all other methods.

    The interval is over data sets; with runs on fewer than three data sets, it is Welch's interval
    over methods.
    """
    order = order_of(evidence, metric)
    wide = order.wide
    inside = [name for name in group if name in wide.columns]
    if len(inside) < len(group):
        raise UndecidedError(f"No {metric} of {join_names(group)} is available on every data set.")
    outside = wide.drop(columns=inside)
    if evidence.body == "printed" or len(wide) >= MIN_DATA_SETS:
        d = wide[inside].mean(axis=1) - outside.mean(axis=1)
        judgment = judge_mean(subject, d, "above", of="data sets")
    else:
        judgment = _judge_by_welch(subject, wide[inside].mean(), outside.mean())
    return order.add_coverage(judgment)


def _judge_by_welch(subject: str, first: pd.Series, second: pd.Series) -> Judgment:
    """Judge the difference of two group means by Welch's interval over methods."""
    parts = [values.var(ddof=1) / len(values) for values in (first, second)]
    d, half = float(first.mean() - second.mean()), 0.0
    if sum(parts) > 0:
        sizes = [part**2 / (len(x) - 1) for part, x in zip(parts, (first, second), strict=True)]
        half = float(student_t.ppf(0.975, sum(parts) ** 2 / sum(sizes)) * np.sqrt(sum(parts)))
    low, high = d - half, d + half
    sentence = (
        f"{subject}: {signed(d)} points, {len(first)} methods against {len(second)} "
        f"({signed(low)} to {signed(high)}, Welch's interval over methods)."
    )
    return Judgment(judge_interval(low, high), sentence, d, low, high, "points")


def judge_largest(
    evidence: ClaimEvidence,
    subject: str,
    values: pd.DataFrame,
    largest: str,
    *,
    by: Literal["method", "benchmark"],
    among: Sequence[str],
    needs: str,
) -> Judgment:
    """Judge whether ``largest``, a method or benchmark, has the largest mean of column ``value``.

    Only the methods or benchmarks ``among`` are compared. ``needs`` describes the necessary runs in
    the message on missing ones.
    """
    rows = values[values[by].isin(among)]
    mean = rows.groupby(by, sort=False)["value"].mean()
    if missing := [name for name in among if name not in mean.index]:
        verb = "lacks" if len(missing) == 1 else "lack"
        raise UndecidedError(f"The test needs {needs}; {join_names(missing)} {verb} them.")
    means_in_words = ", ".join(f"{name} {100 * x:.2f}" for name, x in mean.nlargest(4).items())
    verdict: Verdict = "holds" if mean.idxmax() == largest else "does not hold"
    methods = tuple(rows["method"].unique()) if by == "method" else evidence.methods
    return Judgment(
        verdict,
        f"{subject}, in points, largest first: {means_in_words}.",
        float(mean[largest]),
        unit="points",
        data=tuple(map(str, rows["data"].unique())),
        methods=methods,
    )
