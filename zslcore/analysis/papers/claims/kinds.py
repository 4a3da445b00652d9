"""The kinds of judging that ``data/claims.toml`` names, each a function of evidence and a claim.

A kind judges as if the evidence were all that the claim speaks of; see :mod:`.judging`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import ge, gt, le, lt
from typing import Any, Protocol

import numpy as np
import pandas as pd
from scipy.stats import t as student_t

from zslcore.analysis.cross_dataset import PRINTED_CLAIM, claim_explained, cross_tests
from zslcore.analysis.papers.claims.evidence import ENOUGH, Evidence, UndecidedError, in_words
from zslcore.analysis.papers.claims.judging import (
    NEAR,
    TIED,
    Cases,
    Judgment,
    Verdict,
    data_of,
    join_names,
    judge_interval,
    judge_mean,
    judge_share,
    mean_ranks,
    name_of,
    possible_places,
    rank_places,
    select_cases,
)
from zslcore.analysis.ranking import agreement
from zslcore.datasets.facts import class_facts, fact_sources
from zslcore.metrics.significance import DIGITS
from zslcore.numbers import signed


class ClaimArguments(Protocol):
    """The part of a claim that a kind reads: its arguments and the methods that it speaks of."""

    @property
    def spec(self) -> Mapping[str, Any]: ...  # noqa: D102
    @property
    def methods(self) -> tuple[str, ...]: ...  # noqa: D102


#: On fewer data sets an interval over them is uninformative, and methods are the cases.
FEW = 3
#: Of fewer methods there is no order.
FEWEST_METHODS = 5


def _cases(evidence: Evidence, claim: ClaimArguments) -> tuple[Cases, str]:
    """Return the cases of a claim, and the heading of its sentence."""
    found = select_cases(evidence, claim.spec, claim.methods)
    return found, claim.spec["what"].format(data=join_names(found.data) if found.data else "")


def _on(found: Judgment, cases: Cases, note: str = "") -> Judgment:
    """Return a judgment with the data and methods of cases, and a note added to its sentence."""
    sentence = f"{found.said} {note}".strip()
    return replace(found, said=sentence, data=cases.data, methods=cases.methods)


# --- Differences and counts -----------------------------------------------------------------------


def judge_difference(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge a mean difference by its t interval over cases; few data sets must be clear on each."""
    cases, what = _cases(evidence, claim)
    of = claim.spec.get("of", "methods and data sets")
    claimed = claim.spec["claimed"]
    if claimed == "each above or near":
        return _on(_each_above(what, cases.numbers), cases)
    d = cases.numbers
    few = evidence.body != "printed" and 1 < len(d) < FEW and "method" not in d.index.names
    found = _clear_on_each(what, d, of) if few else judge_mean(what, d, claimed, of=of)
    note = ""
    if "tally" in claim.spec:
        note = judge_share(claim.spec["tally"], d < 0 if claimed == "below" else d > 0).said
    return _on(found, cases, note)


def _clear_on_each(what: str, d: pd.Series, of: str) -> Judgment:
    """Judge whether a difference is above zero on each of a few data sets, by more than a point."""
    each = ", ".join(f"{signed(x)} on {_where(case)}" for case, x in d.items())
    sentence = (
        f"{what}, in points: {each}. An interval needs {FEW} {of}; it has to be clear on each."
    )
    verdict = judge_interval(float(d.min()), float(d.max()), (TIED, np.inf))
    if verdict == "does not hold" and d.max() >= -TIED:
        verdict = "undecided"
    return Judgment(verdict, sentence, float(d.mean()), unit="points")


def _where(case: object) -> str:
    """Return a data set, with the split where a case names it."""
    return f"{case[0]} ({', '.join(case[1:])})" if isinstance(case, tuple) else str(case)


def _each_above(what: str, d: pd.Series) -> Judgment:
    """Judge whether every difference is above zero, or near it."""
    names = [name_of(case) for case in d.index]
    each = ", ".join(f"{name} {signed(x)}" for name, x in zip(names, d, strict=True))
    sentence = f"{what}, in points: {each}."
    below = [name for name, x in zip(names, d, strict=True) if x < 0]
    so = bool((d >= -NEAR).all())
    if so and below:
        sentence += f" On {join_names(below)} it is below, and close by our measure alone."
    return Judgment("holds" if so else "does not hold", sentence, float(d.min()), unit="points")


def judge_count(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge in which share of cases the values are within limits, or fall for one case alone."""
    spec = claim.spec
    cases, what = _cases(evidence, claim)
    values, same = cases.numbers, 0
    if spec.get("changed"):
        same = int((values == 0).sum())
        values = values[values != 0]
        if values.empty:
            raise UndecidedError(f"{what}: the two are the same in all {same} cases here.")
    values, open_ = _clear(values, spec, evidence)
    hits = _hits(values, spec, evidence)
    counts, rest = hits, hits[:0]
    for name, included in (("named", True), ("left_out", False)):
        if name in spec:
            chosen = hits.index.get_level_values("method").isin(spec[name]) == included
            counts, rest = hits[chosen], hits[~chosen]
    note = spec.get("note", "").format(
        same=same,
        mean=signed(values.mean(), "+.0f"),
        low=signed(values.min(), ".2f"),
        high=signed(values.max(), ".2f"),
        values=", ".join(signed(x) for x in values),
        rest=join_names([name_of(x) for x in rest.index[rest.to_numpy()]] or ["none"]),
        k=int(rest.sum()),
        n=len(rest),
        overlap=_overlapping(evidence, cases.data),
    )
    found = _on(judge_share(what, counts, at_least=spec.get("share", 1.0)), cases, note)
    if open_:
        note = f" Within one point, and left open: {join_names(open_)}."
        verdict: Verdict = "undecided" if counts.all() else found.verdict
        found = replace(found, verdict=verdict, said=found.said + note)
    return replace(found, said=found.said + _control(evidence, claim))


def _overlapping(evidence: Evidence, data: Sequence[str]) -> str:
    """Return how many test classes of SS ImageNet-1K has, by data set, one class by its name."""
    rows = evidence.figures.drop_duplicates("data").set_index("data")["benchmark"]
    parts = []
    for name in data:
        if (benchmark := str(rows.get(name))) in fact_sources():
            t = class_facts(benchmark).classes
            tested = t[t["ss"] == "test"]
            has = tested["class"][tested["imagenet1k"] != ""]
            one = f" ({has.iloc[0]})" if len(has) == 1 else ""
            parts.append(f"{len(has)} of {len(tested)} test classes of {name}{one}")
    return join_names(parts or ["unknown classes"])


def _clear(
    values: pd.Series, spec: Mapping[str, Any], evidence: Evidence
) -> tuple[pd.Series, list[str]]:
    """Return the values of runs whose sign is clear, and the names of the other cases."""
    if evidence.body == "printed" or not spec.get("signs"):
        return values, []
    clear = values.abs() > TIED
    if not clear.any():
        raise UndecidedError("All differences here are within one point, and have no sign.")
    return values[clear], [name_of(case) for case in values.index[~clear]]


def _hits(values: pd.Series, spec: Mapping[str, Any], evidence: Evidence) -> pd.Series:
    """Return which values agree with the claim."""
    if "alone" not in spec:
        size = values.abs() if spec.get("size") else values
        hits = pd.Series(True, values.index)
        for name, test in {"above": gt, "below": lt, "least": ge, "most": le}.items():
            if name in spec:
                hits &= test(size, spec[name])
        return hits
    cases = values.index.to_frame(index=False)
    if "benchmark" in spec["alone"]:
        of = evidence.figures.drop_duplicates("data").set_index("data")["benchmark"]
        cases["benchmark"] = cases["data"].map(of)
    alone = np.logical_and.reduce([cases[name] == x for name, x in spec["alone"].items()])
    if not alone.any():
        raise UndecidedError(f"There is no result of {' on '.join(spec['alone'].values())} here.")
    return pd.Series((values < 0).to_numpy() == alone, values.index)


def _control(evidence: Evidence, claim: ClaimArguments) -> str:
    """Return the sentence on features that were trained on nothing, which decide nothing."""
    if evidence.controls is None:
        return ""
    try:
        gains = select_cases(evidence.controls, claim.spec, claim.methods).numbers
    except UndecidedError:
        return ""
    mean = signed(gains.mean(), "+.0f")
    return f" Control, features trained on nothing: {mean} % on average over {len(gains)}."


# --- Orders of methods ----------------------------------------------------------------------------


def _order(
    evidence: Evidence, claim: ClaimArguments, figure: str = ""
) -> tuple[pd.DataFrame, list[str]]:
    """Return figures of the claim's methods, and the missing ones of these methods."""
    spec = claim.spec
    figure = figure or spec["figure"]
    if "from" in spec:
        t = evidence.table(spec["from"]).dropna()
        wide = t.pivot_table(spec["value"], "split", "method", sort=False).dropna(axis=1)
    elif spec.get("folds") and evidence.has(f"{figure}, fold 1"):
        folds = [evidence.compared(f"{figure}, fold {k}", spec["split"]) for k in (1, 2, 3)]
        wide = pd.concat(folds).dropna(axis=1)
    else:
        fewest = ENOUGH if evidence.body == "printed" else FEWEST_METHODS
        wide = evidence.compared(figure, spec.get("split", "PS"), claim.methods, fewest)
    return wide, [name for name in claim.methods if name not in wide.columns]


def judge_group(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge whether the mean of a group is above that of all others, data set by data set.

    Of fewer than three data sets the interval is Welch's, of the means of methods over them.
    """
    group, what = claim.spec["group"], claim.spec["what"]
    wide, _ = _order(evidence, claim)
    inside = [name for name in group if name in wide.columns]
    if len(inside) < len(group):
        figure = claim.spec["figure"]
        raise UndecidedError(f"There is no {figure} of {', '.join(group)} on all data here.")
    others = wide.drop(columns=inside)
    if evidence.body == "printed" or len(wide) >= FEW:
        d = wide[inside].mean(axis=1) - others.mean(axis=1)
        found = judge_mean(what, d, "above", of="data sets")
    else:
        found = _welch(what, wide[inside].mean(), others.mean())
    return replace(found, data=data_of(wide), methods=tuple(wide.columns))


def _welch(what: str, first: pd.Series, second: pd.Series) -> Judgment:
    """Judge a difference of the means of two groups of methods."""
    parts = [values.var(ddof=1) / len(values) for values in (first, second)]
    d, half = float(first.mean() - second.mean()), 0.0
    if sum(parts) > 0:
        sizes = [part**2 / (len(x) - 1) for part, x in zip(parts, (first, second), strict=True)]
        half = float(student_t.ppf(0.975, sum(parts) ** 2 / sum(sizes)) * np.sqrt(sum(parts)))
    low, high = d - half, d + half
    sentence = (
        f"{what}: {signed(d)} points, {len(first)} methods against {len(second)} "
        f"({signed(low)} to {signed(high)}, Welch's interval over methods)."
    )
    return Judgment(judge_interval(low, high), sentence, d, low, high, "points")


def _printed_ranks(evidence: Evidence, claim: ClaimArguments) -> pd.Series:
    """Return the mean ranks that a figure prints, by method, best first."""
    rows = evidence.table(claim.spec["ranks"])
    rows = rows[(rows["split"] == claim.spec["split"]) & rows["method"].isin(claim.methods)]
    return rows.set_index("method")["mean_rank"].sort_values(kind="stable")


def _judge_printed_place(ranks: pd.Series, spec: Mapping[str, Any]) -> Judgment:
    """Judge the place of a method by printed mean ranks."""
    method, (low, high) = spec["method"], spec["places"]
    place = int(ranks.rank(method="min")[method])
    sentence = (
        f"{method} has place {place} of {len(ranks)} by the printed mean ranks on "
        f"{spec['split']}, {ranks[method]:.1f}"
    )
    sentence += f"; {ranks.index[0]} is first with {ranks.iloc[0]:.1f}." if place > 1 else "."
    verdict: Verdict = "holds" if low <= place <= high else "does not hold"
    methods = tuple(map(str, ranks.index))
    return Judgment(verdict, sentence, float(ranks[method]), unit="place", methods=methods)


def judge_place(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge the place of a method by mean rank, of runs by all it can have."""
    spec = claim.spec
    if "ranks" in spec:
        return _judge_printed_place(_printed_ranks(evidence, claim), spec)
    wide, missing = _order(evidence, claim)
    method, figure = spec["method"], in_words(spec["figure"])
    if method not in wide.columns:
        raise UndecidedError(
            f"There is no {figure} of {method}, as the paper ran it, on every data set here."
        )
    ranks = mean_ranks(wide)
    place = int(rank_places(wide)[method])
    sentence = (
        f"{method} has place {place} of {len(ranks)} on {_rows_of(wide, spec.get('of', ''))} by "
        f"{figure}, mean rank {ranks[method]:.1f}"
    )
    sentence += f"; {ranks.index[0]} is first with {ranks.iloc[0]:.1f}." if place > 1 else "."
    first = last = place
    if evidence.body != "printed":
        first, last = possible_places(wide, len(missing)).loc[method]
        sentence += _bounds(first, last, missing)
    low, high = spec["places"]
    verdict = judge_interval(first, last, (low - 0.5, high + 0.5))
    number = float(ranks[method])
    methods = tuple(wide.columns)
    return Judgment(verdict, sentence, number, unit="place", data=data_of(wide), methods=methods)


def _bounds(first: int, last: int, missing: Sequence[str]) -> str:
    """Return the range of places of a method."""
    if first == last:
        return " One point more or less changes nothing."
    reach = f"Whatever {_reaches(missing)}, and one" if missing else "One"
    return f" {reach} point more or less, its place is between {first} and {last}."


def _reaches(missing: Sequence[str]) -> str:
    """Return names with the verb that fits their number."""
    return f"{join_names(missing)} {'reaches' if len(missing) == 1 else 'reach'}"


def _rows_of(wide: pd.DataFrame, called: str = "") -> str:
    """Return the number of rows with their name: "data sets" by default."""
    several = wide.index.get_level_values("data").duplicated().any() if not called else False
    called = called or ("data sets and folds" if several else "data sets")
    return f"{len(wide)} {called if len(wide) > 1 else called.removesuffix('s')}"


def judge_end(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge whether named methods are among the first or the last few by mean rank."""
    spec = claim.spec
    named, last = spec["named"], spec["end"] == "last"
    if "ranks" in spec:
        ranks = _printed_ranks(evidence, claim)
        found = _judge_share_of_end(list(ranks.index), f"the printed {spec['split']} ranks", spec)
        return replace(found, low=None, high=None, methods=tuple(map(str, ranks.index)))
    wide, missing = _order(evidence, claim)
    if not set(named) <= set(wide.columns):
        raise UndecidedError(f"There is no result of {', '.join(named)} on every data set here.")
    order = list(mean_ranks(wide).index)
    n = len(claim.methods) if missing else len(order)
    found = _judge_share_of_end(order, f"mean rank over {_rows_of(wide)}", spec)
    if evidence.body != "printed":
        can = possible_places(wide, len(missing)).loc[named]
        sure, possible = (
            int((n + 1 - can[a] <= spec["size"] if last else can[b] <= spec["size"]).sum())
            for a, b in (("first", "last"), ("last", "first"))
        )
        verdict: Verdict = "holds" if sure >= spec["needed"] else "undecided"
        verdict = "does not hold" if possible < spec["needed"] else verdict
        sentence = f"{found.said} {_sure(sure, possible, missing)}"
        found = replace(found, verdict=verdict, said=sentence, exceptions="")
    # An order has no interval.
    return replace(found, low=None, high=None, data=data_of(wide), methods=tuple(wide.columns))


def _judge_share_of_end(order: Sequence[str], by: str, spec: Mapping[str, Any]) -> Judgment:
    """Judge which named methods are among the first or the last of an order."""
    named, size = spec["named"], spec["size"]
    there = order[-size:] if spec["end"] == "last" else order[:size]
    which = f"{spec['end'].capitalize()} {('', 'one', 'two', 'three', 'four', 'five')[size]}"
    return judge_share(
        f"{which} of {len(order)} by {by} ({', '.join(there)}), of those the paper names",
        pd.Series({name: name in there for name in named}),
        at_least=spec["needed"] / len(named),
    )


def _sure(sure: int, possible: int, missing: Sequence[str]) -> str:
    """Return the sentence on how many methods are surely among the first or last, or may be."""
    reach = f"Whatever {_reaches(missing)}, and one" if missing else "One"
    are = "is" if sure == 1 else "are"
    return f"{reach} point more or less, {sure} surely {are} and {possible} may be."


def judge_ahead(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge whether a method has a better mean rank than another one by every figure."""
    method, other = claim.spec["method"], claim.spec["other"]
    better, open_, wide = {}, [], pd.DataFrame()
    for figure in claim.spec["figures"]:
        wide, _ = _order(evidence, claim, figure)
        if not {method, other} <= set(wide.columns):
            raise UndecidedError(f"There is no {figure} of {method} and {other} here.")
        ranks, d = mean_ranks(wide), wide[method] - wide[other]
        better[figure] = bool(ranks[method] < ranks[other])
        if evidence.body != "printed" and not ((d > TIED).all() or (d < -TIED).all()):
            open_.append(figure)
    found = judge_share(f"Mean rank of {method} better than that of {other}", pd.Series(better))
    if open_ and all(better[name] or name in open_ for name in better):
        sentence = f"{found.said} By {join_names(open_)} one point more or less may change this."
        found = replace(found, verdict="undecided", said=sentence)
    return replace(found, data=data_of(wide), methods=tuple(wide.columns))


def judge_best(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge which method is best on each data set.

    Of runs, a method that another one is more than a point above is not the best, whatever the
    missing ones reach; it is the best where none is missing and it leads by more than a point.
    """
    spec, figure = claim.spec, in_words(claim.spec["figure"])
    best, named, open_ = {}, {}, []
    on: dict[str, pd.Series] = {}
    for benchmark, method in spec["expected"].items():
        values = _on_benchmark(evidence, claim, benchmark)
        if method not in values or (evidence.body == "printed" and len(values) < ENOUGH):
            continue
        lead = np.round(values[method] - values.drop(method).max(), DIGITS)
        missing = [name for name in claim.methods if name not in values]
        data = str(values.name)
        tops = values.index[values >= values.max() - 10**-DIGITS]
        on[data], best[data] = values, join_names([*map(str, tops)])
        tied = evidence.body != "printed" and abs(lead) <= TIED
        if evidence.body == "printed" or not (tied or (lead > 0 and missing)):
            named[data] = bool(lead >= 0)
        else:
            clear = missing and lead > TIED
            why = f"{join_names(missing)} missing" if clear else "within one point"
            open_.append(f"{method} on {data} ({why})")
    if not best:
        raise UndecidedError(
            f"The methods that the paper names have no {figure} on {spec['split']} here."
        )
    each = ", ".join(f"{name} on {data}" for data, name in best.items())
    methods = tuple(sorted(set.intersection(*(set(values.index) for values in on.values()))))
    more = f" Best: {each}." + (f" Open: {join_names(open_)}." if open_ else "")
    if not named:
        sentence = f"Whether the methods named are best by {figure} is open.{more}"
        return Judgment("undecided", sentence, data=tuple(on), methods=methods)
    hits = pd.Series(named).rename_axis("data")
    found = judge_share(f"Best by {figure} on {spec['split']} as in the paper", hits)
    verdict = "undecided" if open_ and hits.all() else found.verdict
    sentence = found.said + more
    return replace(found, verdict=verdict, said=sentence, data=tuple(on), methods=methods)


def _on_benchmark(evidence: Evidence, claim: ClaimArguments, benchmark: str) -> pd.Series:
    """Return a figure of the claim's methods on a benchmark; empty where there is none."""
    try:
        values = evidence.on(benchmark, claim.spec["figure"], claim.spec["split"])
    except UndecidedError:
        return pd.Series(dtype=float)
    return values[[name for name in claim.methods if name in values.index]]


def judge_agreement(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge how alike the orders of methods by two figures are, by Kendall's τ."""
    if evidence.body == "simulated":
        raise UndecidedError("Orders of methods on simulated data are not compared.")
    (first, _), (second, _) = (_order(evidence, claim, name) for name in claim.spec["figures"])
    same = first.index.intersection(second.index)
    methods = [name for name in first.columns if name in second.columns]
    ranks = [-mean_ranks(wide.loc[same])[methods] for wide in (first, second)]
    found = agreement(ranks[0], ranks[1])
    names = " and by ".join(in_words(name) for name in claim.spec["figures"])
    sentence = (
        f"Mean ranks of {found.methods} methods by {names}: Kendall's τ = {found.tau:.2f} "
        f"({found.low:.2f} to {found.high:.2f}); 0 is unrelated, 1 the same order."
    ).replace("-", "−")
    verdict = judge_interval(found.low, found.high, (claim.spec["least"], np.inf))
    data = data_of(first.loc[same])
    return Judgment(
        verdict, sentence, found.tau, found.low, found.high, "tau", data, tuple(methods)
    )


# --- What is largest, and the crossed fits --------------------------------------------------------


def judge_largest(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge whether a mean spread is largest for the method or the benchmark that a claim names."""
    by = claim.spec["by"]
    rows = _spreads(evidence, claim)
    rows = rows[rows[by].isin(claim.spec["among"])]
    mean = rows.groupby(by, sort=False)["value"].mean()
    missing = [name for name in claim.spec["among"] if name not in mean.index]
    if missing:
        lack = "lacks" if len(missing) == 1 else "lack"
        raise UndecidedError(f"{claim.spec['missing']} {join_names(missing)} {lack} them here.")
    each = ", ".join(f"{name} {100 * x:.2f}" for name, x in mean.nlargest(4).items())
    sentence = f"{claim.spec['what']}, in points, largest first: {each}."
    so = mean.idxmax() == claim.spec["largest"]
    number = float(mean[claim.spec["largest"]])
    verdict: Verdict = "holds" if so else "does not hold"
    data = tuple(map(str, rows["data"].unique()))
    methods = tuple(rows["method"].unique()) if by == "method" else claim.methods
    return Judgment(verdict, sentence, number, unit="points", data=data, methods=methods)


def _spreads(evidence: Evidence, claim: ClaimArguments) -> pd.DataFrame:
    """Return the deviation of ZSL over seeds, or its range over the parameters of single folds."""
    if claim.spec["spread"] == "seeds":
        rows = evidence.rows("zsl", chosen_for="zsl")
        return rows.assign(value=rows["spread"]).dropna(subset=["value"])
    folds = [evidence.rows(f"zsl, fold {k}", chosen_for="zsl") for k in (1, 2, 3)]
    of = pd.concat(folds).groupby(["data", "benchmark", "method"], sort=False)["value"]
    return of.agg(np.ptp).reset_index()


def judge_crossed(evidence: Evidence, claim: ClaimArguments) -> Judgment:
    """Judge the paired tests of fits on AWA1 or AWA2 that are tested on either."""
    tests = cross_tests(evidence.table("cross_dataset_awa"))
    found = tests[claim.spec["question"]]
    if claim.spec["by"] == "p":
        sentence = f"{found.sentence} {claim_explained(tests, PRINTED_CLAIM)}"
        return Judgment("holds" if found.p < 0.05 else "does not hold", sentence, found.p, unit="p")
    low, high = found.interval
    verdict = judge_interval(low, high)
    return Judgment(verdict, found.sentence, found.mean_difference, low, high, "points")


#: Kinds by the names that ``data/claims.toml`` has for them.
KINDS: Mapping[str, Callable[[Evidence, ClaimArguments], Judgment]] = {
    "difference": judge_difference,
    "count": judge_count,
    "group": judge_group,
    "place": judge_place,
    "end": judge_end,
    "ahead": judge_ahead,
    "best": judge_best,
    "agreement": judge_agreement,
    "largest": judge_largest,
    "crossed": judge_crossed,
}
#: Kinds that count cases of which a claim states a share.
OF_SHARES = ("count",)
