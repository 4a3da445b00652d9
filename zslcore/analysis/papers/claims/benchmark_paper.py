"""Claims of the benchmark paper (GBU): what is best, what the new split and AWA2 change, GZSL.

Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019. Its figures 4 and 7 rank results of single folds, which are
not printed: what it says of them cannot be told from print, and stands beside what its tables give.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from zslcore.analysis.cross_tests import PRINTED_CLAIM, claim_explained, cross_tests
from zslcore.analysis.papers.claims.evidence import BENCHMARK_METHODS, CannotTellError, Evidence
from zslcore.analysis.papers.claims.judging import (
    MOST,
    NEAR,
    Claim,
    Judgment,
    Verdict,
    by_interval,
    counted,
    data_of,
    difference,
    listed,
    mean_ranks,
    of_all,
    place_of,
    signed,
    winners,
)
from zslcore.analysis.ranking import agreement
from zslcore.metrics.significance import DIGITS

__all__ = ["CLAIMS"]

MAX_MARGIN = ("ALE", "DEVISE", "SJE")
AWA = ("AWA1", "AWA2")
CLASSIFIERS = ("DAP", "IAP", "CONSE")
IMAGENET_1K = "imagenet-1k"
#: The paper does not say how alike "the same" order is: three pairs in four agree at this τ.
SAME_ORDER = 0.5
CROSSED = "Crossed fits are not in the run store; the page AWA1 and AWA2 makes and tests them."
IMAGENET = "No run on ImageNet's 21,000 classes is kept."
NO_TRANSDUCTION = "Transductive results are kept with their jobs, not in the run store."


# --- Ranks ----------------------------------------------------------------------------------------

FIGURE_4 = "Figure 4 ranks results of single folds, which are not printed."
FIGURE_7 = "Figure 7 is made similarly to figure 4; whether of single folds is not said."
#: A table of figures, a row an occasion, and what the rows are -> Judgment.
Ranked = Callable[[pd.DataFrame, str], Judgment]


def _figure_4(split: str, ranked: Ranked) -> Callable[[Evidence], Judgment]:
    """Judge what the text reads off figure 4, the ranks of ZSL over data sets and single folds."""

    def judge(evidence: Evidence) -> Judgment:
        if evidence.body == "printed":
            found = ranked(evidence.compared("zsl", split=split), "data sets")
            return _not_printed(found, FIGURE_4, 3)
        folds = [evidence.compared(f"zsl, fold {k}", split=split) for k in (1, 2, 3)]
        return ranked(pd.concat(folds).dropna(axis=1), "data sets and folds")

    return judge


def _figure_7(figure: str, ranked: Ranked) -> Callable[[Evidence], Judgment]:
    """Judge what the text reads off figure 7, made "similar to" figure 4 of GZSL."""

    def judge(evidence: Evidence) -> Judgment:
        if evidence.body != "printed":
            raise CannotTellError("No GZSL figures of single folds are collected here.")
        wide = evidence.compared(figure, extra=("CMT*",))
        return _not_printed(ranked(wide, "data sets"), FIGURE_7, 6)

    return judge


def _not_printed(found: Judgment, why: str, table: int) -> Judgment:
    """Return what a table gives where the text speaks of figures that are not printed."""
    said = f"{why} Table {table} alone: {found.said}"
    return replace(found, verdict="cannot be told", said=said, exceptions="")


def _place(method: str, place: int) -> Ranked:
    return lambda wide, of: place_of(wide, method, (place, place), of=of)


def _among(methods: Sequence[str], end: slice, which: str, n: int) -> Ranked:
    """Judge whether ``n`` of ``methods`` are among the methods at one end of the order."""

    def ranked(wide: pd.DataFrame, of: str) -> Judgment:
        order = mean_ranks(wide).index
        if not set(methods) <= set(order):
            raise CannotTellError(f"There is no figure of {', '.join(methods)} on all data here.")
        there = list(order[end])
        found = counted(
            f"{which} of {len(order)} by mean rank over {len(wide)} {of} ({', '.join(there)}), of "
            "those the paper names",
            pd.Series({name: name in there for name in methods}),
            at_least=n / len(methods),
        )
        return replace(found, low=None, high=None, data=data_of(wide))  # an order has no interval

    return ranked


def _gfzsl_poor(evidence: Evidence) -> Judgment:
    wide = evidence.compared("H", extra=("CMT*",))
    return place_of(wide, "GFZSL", (8, 14), figure="H")


def _order_stays(evidence: Evidence) -> Judgment:
    if evidence.body == "simulated":
        raise CannotTellError("Orders of methods on simulated data are not compared.")
    zsl, gzsl = (evidence.compared(figure) for figure in ("zsl", "H"))
    same = zsl.index.intersection(gzsl.index)
    methods = [name for name in zsl.columns if name in gzsl.columns]
    first, second = (-mean_ranks(wide.loc[same])[methods] for wide in (zsl, gzsl))
    found = agreement(first, second)
    said = (
        f"Mean ranks of {found.methods} methods by ZSL and by H: Kendall's τ = {found.tau:.2f} "
        f"({found.low:.2f} to {found.high:.2f}); 0 is unrelated, 1 the same order."
    ).replace("-", "−")
    verdict = by_interval(found.low, found.high, (SAME_ORDER, np.inf))
    return Judgment(verdict, said, found.tau, found.low, found.high, "tau", data_of(zsl.loc[same]))


# --- Groups of methods ----------------------------------------------------------------------------


def _group_above(figure: str, group: Sequence[str], what: str) -> Callable[[Evidence], Judgment]:
    """Judge whether a group's mean is above that of all others, data set by data set."""

    def judge(evidence: Evidence) -> Judgment:
        wide = evidence.compared(figure)
        inside = [name for name in group if name in wide.columns]
        if len(inside) < len(group):
            raise CannotTellError(f"There is no {figure} of {', '.join(group)} on all data here.")
        d = wide[inside].mean(axis=1) - wide.drop(columns=inside).mean(axis=1)
        return difference(what, d, "above", of="data sets")

    return judge


def _unseen_below_zsl(evidence: Evidence) -> Judgment:
    sides = [
        evidence.rows(figure, split="PS", chosen_for="zsl").set_index(["method", "data"])["value"]
        for figure in ("u", "zsl")
    ]
    d = (sides[0] - sides[1]).dropna()
    found = difference("u less ZSL", d, "below")
    return replace(found, said=f"{found.said} Below in {int((d < 0).sum())} of {len(d)} cases.")


# --- Splits ---------------------------------------------------------------------------------------


def _split_change(benchmarks: Sequence[str], claimed: str) -> Callable[[Evidence], Judgment]:
    def judge(evidence: Evidence) -> Judgment:
        rows = evidence.trained_on(IMAGENET_1K).rows("zsl", chosen_for="zsl")
        rows = rows[rows["benchmark"].isin(benchmarks) & rows["method"].isin(BENCHMARK_METHODS)]
        wide = rows.pivot_table("value", ["data", "method"], "split")
        if wide.reindex(columns=["SS", "PS"]).dropna().empty:
            raise CannotTellError(f"Of {listed(benchmarks)} there is no ZSL on both splits here.")
        both = wide.dropna(subset=["SS", "PS"])
        what = f"PS instead of SS on {listed(data_of(both))}"
        return difference(what, both["PS"] - both["SS"], claimed)  # type: ignore[arg-type]

    return judge


def _known_classes_are_easier(evidence: Evidence) -> Judgment:
    gains = of_all(BENCHMARK_METHODS, _gains(evidence.trained_on(IMAGENET_1K)))
    found = counted("OverlapGain above zero on SS", gains > 0)
    said = f"{found.said} {signed(gains.mean(), '+.0f')} % on average."
    return replace(found, said=said + _control(evidence))


def _gains(evidence: Evidence) -> pd.Series:
    rows = evidence.rows("gain", split="SS")
    rows = rows[rows["method"].isin(BENCHMARK_METHODS)]
    return rows.set_index(["method", "data"])["value"]


def _control(evidence: Evidence) -> str:
    """Say what features give that were trained on nothing; they decide nothing."""
    try:
        gains = _gains(evidence.trained_on("none"))
    except CannotTellError:
        return ""
    mean = signed(gains.mean(), "+.0f")
    return f" Control, features trained on nothing: {mean} % on average over {len(gains)}."


# --- AWA1 and AWA2 --------------------------------------------------------------------------------


def _between_awa1_and_awa2(evidence: Evidence) -> tuple[pd.Series, tuple[str, ...]]:
    """Return the difference under PS of the paper's twelve methods, and of which data sets."""
    twelve = [name for name in BENCHMARK_METHODS if name != "GFZSL"]
    sides = [evidence.on(name, "zsl").reindex(twelve) for name in ("AWA1", "AWA2")]
    d = (sides[0] - sides[1]).dropna()
    if len(d) < len(twelve):
        raise CannotTellError(
            f"The claim is of twelve methods on AWA1 and AWA2; {len(d)} of them are here."
        )
    return d.round(DIGITS), tuple(str(side.name) for side in sides)


def _eight_of_twelve(evidence: Evidence) -> Judgment:
    d, data = _between_awa1_and_awa2(evidence)
    found = counted("AWA1 and AWA2 within 2 points", d.abs() <= NEAR, at_least=8 / 12)
    return replace(found, data=data)


def _three_differ(evidence: Evidence) -> Judgment:
    d, data = _between_awa1_and_awa2(evidence)
    apart = d.abs() > NEAR
    named = apart.index.isin(["DEVISE", "SJE", "SYNC"])
    found = counted("More than 2 points apart, of those the paper names", apart[named])
    others = list(apart.index[apart & ~named])
    said = f"{found.said} Others so far apart: {listed(others) if others else 'none'}."
    return replace(found, said=said, data=data)


def _training_set_matters(evidence: Evidence) -> Judgment:
    tests = cross_tests(evidence.tables["cross_dataset_awa"])
    found = tests["training set"]
    said = f"{found.sentence} {claim_explained(tests, PRINTED_CLAIM)}"
    return Judgment("holds" if found.p < 0.05 else "does not hold", said, found.p, unit="p")


def _training_set_matters_more(evidence: Evidence) -> Judgment:
    x = cross_tests(evidence.tables["cross_dataset_awa"])["larger"]
    low, high = x.interval
    return Judgment(by_interval(low, high), x.sentence, x.mean_difference, low, high, "points")


# --- GZSL -----------------------------------------------------------------------------------------


def _detector_helps(evidence: Evidence) -> Judgment:
    wide = evidence.wide("H", methods=("CMT", "CMT*"))
    d = wide["CMT*"] - wide["CMT"]
    found = difference("H of CMT* less that of CMT", d, "above", of="data sets")
    above = counted("Above", (d > 0).droplevel("split"))
    return replace(found, said=f"{found.said} {above.said}")


def _detector_ranks_better(evidence: Evidence) -> Judgment:
    if evidence.body != "printed":
        raise CannotTellError("No GZSL figures of single folds are collected here.")
    better = {}
    for figure in ("u", "s", "H"):
        ranks = mean_ranks(evidence.compared(figure, extra=("CMT*",)))
        better[figure] = bool(ranks["CMT*"] < ranks["CMT"])
    found = counted("Mean rank of CMT* better than that of CMT", pd.Series(better))
    return _not_printed(found, FIGURE_7, 6)


# --- Folds, other features, transduction ----------------------------------------------------------


def _stable_on_fine_grained(evidence: Evidence) -> Judgment:
    if evidence.body == "printed":
        raise CannotTellError("The paper draws the results of single folds and prints none.")
    folds = [evidence.compared(f"zsl, fold {k}") for k in (1, 2, 3)]
    stacked = pd.concat(folds, keys=(1, 2, 3), names=["fold"]).dropna(axis=1)
    ranges = stacked.groupby(level="data").agg(np.ptp).mean(axis=1)
    benchmark = evidence.figures.set_index("data")["benchmark"].to_dict()
    of = ranges.rename(benchmark)
    if not {"aPY", "CUB", "SUN"} <= set(of.index):
        raise CannotTellError("The parameters of every fold were not run on aPY, CUB and SUN.")
    each = ", ".join(f"{name} {100 * x:.1f}" for name, x in of.items())
    d = float(max(of["CUB"], of["SUN"]) - of["aPY"])
    said = f"Mean range of ZSL over three folds, in points: {each}."
    verdict: Verdict = "holds" if d < 0 else "does not hold"
    return Judgment(verdict, said, d, unit="points", data=data_of(ranges))


def _reproduced(evidence: Evidence) -> Judgment:
    t = evidence.tables["reproduction"]
    t = t[t["method"].isin(["DAP", "SYNC", "GFZSL", "GFZSL-tran", "DSRL", "SAE"])].dropna()
    d = (
        (t["reproduced"] - t["original"])
        .round(DIGITS)
        .set_axis(pd.MultiIndex.from_frame(t[["method", "dataset"]]))
    )
    what = "Reproduced within one point of the original"
    return counted(what, d.abs() <= 0.01, at_least=MOST)


def _transduction_helps(evidence: Evidence) -> Judgment:
    t = evidence.tables["transductive_text"].set_index(["method", "dataset"])
    above = t["transductive"] > t["inductive"]
    found = counted("Transductive above inductive, where the text prints both", above)
    return replace(found, said=f"{found.said} The figure prints no other number.")


# --- ImageNet -------------------------------------------------------------------------------------


def _imagenet(evidence: Evidence) -> dict[str, pd.Series]:
    """Return top-1 accuracy by method, of every split; methods without a figure left out."""
    t = evidence.tables["imagenet_zsl_top1"].dropna()
    of = t.groupby("split", sort=False)
    return {str(split): rows.set_index("method")["top1_per_class"] for split, rows in of}


def _sync_best_on_imagenet(evidence: Evidence) -> Judgment:
    best = {split: values.idxmax() == "SYNC" for split, values in _imagenet(evidence).items()}
    return counted("SYNC best", pd.Series(best))


def _eszsl_second_on_imagenet(evidence: Evidence) -> Judgment:
    wide = pd.DataFrame(_imagenet(evidence)).dropna().T
    return place_of(wide, "ESZSL", (2, 2), figure="top-1", of="splits")


def _populated_are_easier(evidence: Evidence) -> Judgment:
    t = _imagenet(evidence)
    pairs = {n: pd.concat([t[f"M{n}"], t[f"L{n}"]], axis=1).dropna() for n in ("500", "1K", "5K")}
    above = {n: both.iloc[:, 0] > both.iloc[:, 1] for n, both in pairs.items()}
    return counted("Most populated above least populated", pd.concat(above).swaplevel())


def _drop_to_5k(evidence: Evidence) -> Judgment:
    t = _imagenet(evidence)
    ratio = (t["M5K"] / t["M1K"]).dropna()
    return counted("5K most populated less than half of 1K", ratio < 0.5)


def _kind_over_number(evidence: Evidence) -> Judgment:
    t = _imagenet(evidence)
    kind, number = t["M1K"] / t["L1K"], t["M500"] / t["M1K"]
    what = "Another kind of 1K classes changes more than twice as many classes"
    return counted(what, kind > number, at_least=MOST)


CLAIMS = (
    Claim(
        id="gbu-ps-lowers-awa",
        paper="GBU",
        section="5.1",
        statement="Accuracies on AWA1 and AWA2 are much lower under PS than under SS.",
        computed="Mean of PS − SS over methods.",
        judge=_split_change(AWA, "below"),
        tables=("GBU 3",),
        data=AWA,
    ),
    Claim(
        id="gbu-ps-spares-fine",
        paper="GBU",
        section="5.1",
        statement="On CUB and SUN the new split changes little.",
        computed="Mean of PS − SS over methods, near if within 2 points.",
        judge=_split_change(("CUB", "SUN"), "near"),
        tables=("GBU 3",),
        data=("CUB", "SUN"),
    ),
    Claim(
        id="gbu-known-classes-easier",
        paper="GBU",
        section="4.2",
        statement="All methods do better on test classes of SS that ImageNet-1K has.",
        computed="OverlapGain of every method on SS, features trained on ImageNet-1K.",
        judge=_known_classes_are_easier,
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-best-ss",
        paper="GBU",
        section="5.1",
        statement="On SS the best are GFZSL on SUN and aPY, SJE on CUB, SAE on AWA1 and AWA2.",
        computed="The best method of each data set.",
        judge=partial(
            winners,
            expected={"SUN": "GFZSL", "aPY": "GFZSL", "CUB": "SJE", "AWA1": "SAE", "AWA2": "SAE"},
            figure="zsl",
            split="SS",
        ),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-best-ps",
        paper="GBU",
        section="5.1",
        statement="On PS the best are GFZSL on SUN, AWA1 and AWA2, ALE on aPY, SYNC on CUB.",
        computed="The best method of each data set.",
        judge=partial(
            winners,
            expected={
                "SUN": "GFZSL",
                "AWA1": "GFZSL",
                "AWA2": "GFZSL",
                "aPY": "ALE",
                "CUB": "SYNC",
            },
            figure="zsl",
            split="PS",
        ),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-gfzsl-first-ss",
        paper="GBU",
        section="5.1, figure 4",
        statement="GFZSL ranks first on SS.",
        computed="Place by mean rank over data sets and single folds.",
        judge=_figure_4("SS", _place("GFZSL", 1)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-gfzsl-first-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="GFZSL ranks first on PS.",
        computed="Place by mean rank over data sets and single folds.",
        judge=_figure_4("PS", _place("GFZSL", 1)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-sync-second-ss",
        paper="GBU",
        section="5.1, figure 4",
        statement="SYNC ranks second on SS.",
        computed="Place by mean rank over data sets and single folds.",
        judge=_figure_4("SS", _place("SYNC", 2)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-sync-seventh-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="SYNC drops to the seventh place on PS.",
        computed="Place by mean rank over data sets and single folds.",
        judge=_figure_4("PS", _place("SYNC", 7)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-ale-second-ss",
        paper="GBU",
        section="5.1, figure 4",
        statement="ALE ranks second on SS.",
        computed="Place by mean rank over data sets and single folds.",
        judge=_figure_4("SS", _place("ALE", 2)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-ale-first-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="ALE ranks first on PS.",
        computed="Place by mean rank over data sets and single folds.",
        judge=_figure_4("PS", _place("ALE", 1)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-top-three-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="ALE and DEVISE are two of the three methods that rank highest on PS.",
        computed="Mean ranks over data sets and single folds.",
        judge=_figure_4("PS", _among(("ALE", "DEVISE"), slice(3), "First three", 2)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-last-three-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="IAP, CMT and CONSE rank lowest on PS.",
        computed="Mean ranks over data sets and single folds.",
        judge=_figure_4("PS", _among(("IAP", "CMT", "CONSE"), slice(-3, None), "Last three", 3)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-max-margin-better",
        paper="GBU",
        section="5.1",
        statement="Max-margin compatibility (ALE, DEVISE, SJE) does better than the others.",
        computed="Mean of the three less the mean of all others, data set by data set.",
        judge=_group_above("zsl", MAX_MARGIN, "ALE, DEVISE and SJE less all others, ZSL"),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-folds-stable",
        paper="GBU",
        section="5.1, figure 3",
        statement=(
            "On SUN and CUB it matters little which fold chooses the parameters, on aPY it does."
        ),
        computed="Range of ZSL over the parameters of three folds.",
        judge=_stable_on_fine_grained,
    ),
    Claim(
        id="gbu-eight-of-twelve",
        paper="GBU",
        section="5.1",
        statement="For 8 of 12 methods AWA1 and AWA2 differ by less than 2 %.",
        computed="Methods within 2 points under PS.",
        judge=_eight_of_twelve,
        tables=("GBU 3",),
        data=AWA,
    ),
    Claim(
        id="gbu-only-three-differ",
        paper="GBU",
        section="5.1",
        statement="DEVISE, SJE and SYNC are not consistent between AWA1 and AWA2.",
        computed="Which methods are more than 2 points apart.",
        judge=_three_differ,
        tables=("GBU 3",),
        data=AWA,
    ),
    Claim(
        id="gbu-cross-p",
        paper="GBU",
        section="5.1",
        statement=(
            "With the test set the same, another training set changes results significantly (p = "
            "0.007)."
        ),
        computed="Paired t-test of the 24 pairs.",
        judge=_training_set_matters,
        printed_only=CROSSED,
        data=AWA,
    ),
    Claim(
        id="gbu-training-set-decides",
        paper="GBU",
        section="5.1",
        statement=(
            "Results of the crossed fits depend on the training set more than on the test set."
        ),
        computed="Paired t-test of the sizes of both changes.",
        judge=_training_set_matters_more,
        printed_only=CROSSED,
        data=AWA,
    ),
    Claim(
        id="gbu-reproduced",
        paper="GBU",
        section="5.1",
        statement=(
            "Figures of DAP, SYNC, GFZSL, GFZSL-tran, DSRL and SAE are nearly identical to those "
            "of their own papers."
        ),
        computed="Cells of table 2 within one point, our measure of nearly; for nine in ten.",
        judge=_reproduced,
        printed_only="The features of the methods' own papers are not here.",
    ),
    Claim(
        id="gbu-gzsl-lower",
        paper="GBU",
        section="5.2",
        statement="Seen classes among the answers make unseen accuracy lower.",
        computed="Mean of u (table 6) less ZSL (table 3).",
        judge=_unseen_below_zsl,
        tables=("GBU 3", "GBU 6"),
    ),
    Claim(
        id="gbu-compatibility-ts",
        paper="GBU",
        section="5.2",
        statement="ALE, DEVISE and SJE do well on unseen classes in GZSL.",
        computed="Mean u of the three less the mean of all others, data set by data set.",
        judge=_group_above("u", MAX_MARGIN, "ALE, DEVISE and SJE less all others, u"),
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-classifiers-tr",
        paper="GBU",
        section="5.2",
        statement=(
            "Methods with classifiers of their own (DAP, IAP, CONSE) do well on seen classes in "
            "GZSL."
        ),
        computed="Mean s of the three less the mean of all others, data set by data set.",
        judge=_group_above("s", CLASSIFIERS, "DAP, IAP and CONSE less all others, s"),
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-first-three-ts",
        paper="GBU",
        section="5.2, figure 7",
        statement="ALE, DEVISE and SJE rank highest on unseen classes in GZSL.",
        computed="Mean ranks of u.",
        judge=_figure_7("u", _among(MAX_MARGIN, slice(3), "First three", 3)),
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-best-h",
        paper="GBU",
        section="5.2",
        statement="H is best with ALE on SUN, CUB and AWA1, DEVISE on AWA2, CMT* on aPY.",
        computed="The best method of each data set.",
        judge=partial(
            winners,
            expected={"SUN": "ALE", "CUB": "ALE", "AWA1": "ALE", "AWA2": "DEVISE", "aPY": "CMT*"},
            figure="H",
            split="PS",
        ),
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-gfzsl-poor-gzsl",
        paper="GBU",
        section="5.2",
        statement="GFZSL does poorly in GZSL.",
        computed="Place by mean rank of H: in the lower half.",
        judge=_gfzsl_poor,
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-detector-helps",
        paper="GBU",
        section="5.2",
        statement="Novelty detection improves results: CMT* is better than CMT.",
        computed="Mean of H of CMT* less that of CMT, data set by data set.",
        judge=_detector_helps,
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-detector-ranks",
        paper="GBU",
        section="5.2, figure 7",
        statement="CMT* is better than CMT in all cases: on unseen, on seen classes and by H.",
        computed="Mean ranks of u, s and H.",
        judge=_detector_ranks_better,
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-order-stays",
        paper="GBU",
        section="6",
        statement="The relative performance of methods stays the same in GZSL.",
        computed=(
            "Kendall's τ of mean ranks by ZSL and by H; 0.5, three in four pairs in the same "
            "order, is our measure of the same."
        ),
        judge=_order_stays,
        tables=("GBU 3", "GBU 6"),
    ),
    Claim(
        id="gbu-transduction-helps",
        paper="GBU",
        section="5.3",
        statement="Unlabelled test images raise ZSL accuracy.",
        computed="The pairs of figures that the text prints.",
        judge=_transduction_helps,
        printed_only=NO_TRANSDUCTION,
    ),
    Claim(
        id="gbu-imagenet-sync",
        paper="GBU",
        section="5.1, table 5",
        statement="SYNC is the best on ImageNet.",
        computed="Splits of table 5 with SYNC first.",
        judge=_sync_best_on_imagenet,
        printed_only=IMAGENET,
        data=("ImageNet",),
    ),
    Claim(
        id="gbu-imagenet-eszsl",
        paper="GBU",
        section="5.1, table 5",
        statement="ESZSL is the second best on ImageNet.",
        computed="Place by mean rank over the nine splits, GFZSL aside.",
        judge=_eszsl_second_on_imagenet,
        printed_only=IMAGENET,
        data=("ImageNet",),
    ),
    Claim(
        id="gbu-imagenet-populated",
        paper="GBU",
        section="5.1, table 5",
        statement=(
            "All methods do better on the most populated classes than on the least populated."
        ),
        computed="Methods and sizes with M above L.",
        judge=_populated_are_easier,
        printed_only=IMAGENET,
        data=("ImageNet",),
    ),
    Claim(
        id="gbu-imagenet-drop",
        paper="GBU",
        section="5.1, table 5",
        statement="From 1K to 5K most populated classes accuracy drops a lot.",
        computed="Methods that lose more than half.",
        judge=_drop_to_5k,
        printed_only=IMAGENET,
        data=("ImageNet",),
    ),
    Claim(
        id="gbu-imagenet-kind",
        paper="GBU",
        section="5.1, table 5",
        statement="Which classes are tested matters more than how many.",
        computed="M1K over L1K against M500 over M1K, as ratios; for nine methods in ten.",
        judge=_kind_over_number,
        printed_only=IMAGENET,
        data=("ImageNet",),
    ),
)
