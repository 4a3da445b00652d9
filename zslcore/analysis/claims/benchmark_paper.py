"""Claims of the benchmark paper (GBU): what is best, what the new split and AWA2 change, GZSL.

Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019. Its ranks are over data sets times folds; figures of single
folds are not printed, so that ranks here are over the data sets of its tables.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd

from zslcore.analysis.claims.evidence import BENCHMARK_METHODS, CannotTellError, Evidence
from zslcore.analysis.claims.judging import (
    NEAR,
    Claim,
    Judgment,
    by_interval,
    counted,
    difference,
    in_general,
    mean_ranks,
    place_of,
    signed,
    winners,
)
from zslcore.analysis.cross_tests import PRINTED_CLAIM, claim_explained, cross_tests
from zslcore.analysis.ranking import agreement
from zslcore.analysis.significance import DIGITS

__all__ = ["CLAIMS"]

MAX_MARGIN = ("ALE", "DEVISE", "SJE")
CLASSIFIERS = ("DAP", "IAP", "CONSE")
CROSSED = "Crossed fits are not in the run store; the page AWA1 and AWA2 makes and tests them."
IMAGENET = "No run on ImageNet's 21,000 classes is kept."
NO_TRANSDUCTION = "Transductive results are kept with their jobs, not in the run store."


# --- Ranks ----------------------------------------------------------------------------------------


def _place(
    method: str, split: str, places: tuple[int, int], figure: str = "zsl"
) -> Callable[[Evidence], Judgment]:
    def judge(evidence: Evidence) -> Judgment:
        extra = ("CMT*",) if figure != "zsl" else ()
        wide = evidence.compared(figure, split=split, extra=extra)
        return in_general(place_of(wide, method, places, figure=figure), len(wide))

    return judge


def _among(
    methods: Sequence[str], split: str, figure: str, end: slice, which: str, n: int
) -> Callable[[Evidence], Judgment]:
    """Judge whether ``n`` of ``methods`` are among the methods at one end of the order."""

    def judge(evidence: Evidence) -> Judgment:
        wide = evidence.compared(figure, split=split)
        order = mean_ranks(wide).index
        if not set(methods) <= set(order):
            raise CannotTellError(f"There is no {figure} of {', '.join(methods)} on all data here.")
        there = list(order[end])
        found = counted(
            f"{which} by {figure} on {split} ({', '.join(there)}), of those the paper names",
            pd.Series({name: name in there for name in methods}),
            at_least=n / len(methods),
        )
        return in_general(found, len(wide))

    return judge


def _order_stays(evidence: Evidence) -> Judgment:
    both_wide = [evidence.compared(figure) for figure in ("zsl", "H")]
    zsl, gzsl = (mean_ranks(wide) for wide in both_wide)
    both = [name for name in zsl.index if name in gzsl.index]
    found = agreement(-zsl[both], -gzsl[both])
    verdict = by_interval(found.low, found.high)
    said = (
        f"Mean ranks of {found.methods} methods by ZSL and by H: Kendall's τ = {found.tau:.2f} "
        f"({found.low:.2f} to {found.high:.2f})."
    ).replace("-", "−")
    judgment = Judgment(verdict, said, found.tau, found.low, found.high, "tau")
    return in_general(judgment, min(map(len, both_wide)))


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
    zsl, u = (
        evidence.rows("zsl", split="PS", chosen_for="zsl"),
        evidence.rows("u", chosen_for="zsl"),
    )
    both = zsl.merge(u, on=["data", "method"], suffixes=("_zsl", "_u")).set_index(
        ["method", "data"]
    )
    return counted("Unseen accuracy below ZSL accuracy", both["value_u"] < both["value_zsl"])


# --- Splits ---------------------------------------------------------------------------------------


def _split_change(benchmarks: Sequence[str], claimed: str) -> Callable[[Evidence], Judgment]:
    def judge(evidence: Evidence) -> Judgment:
        rows = evidence.rows("zsl", chosen_for="zsl")
        rows = rows[rows["benchmark"].isin(benchmarks) & rows["method"].isin(BENCHMARK_METHODS)]
        wide = rows.pivot_table("value", ["data", "method"], "split")
        if not {"SS", "PS"} <= set(wide.columns):
            raise CannotTellError(
                f"Of {' and '.join(benchmarks)} there is no ZSL on both splits here."
            )
        both = wide.dropna(subset=["SS", "PS"])
        what = f"PS instead of SS on {' and '.join(benchmarks)}"
        return difference(what, both["PS"] - both["SS"], claimed)  # type: ignore[arg-type]

    return judge


def _known_classes_are_easier(evidence: Evidence) -> Judgment:
    gains = evidence.rows("gain", split="SS").set_index(["method", "data"])["value"]
    found = counted("OverlapGain above zero on SS", gains > 0)
    return replace(found, said=f"{found.said} {signed(gains.mean(), '+.0f')} % on average.")


# --- AWA1 and AWA2 --------------------------------------------------------------------------------


def _between_awa1_and_awa2(evidence: Evidence) -> pd.Series:
    """Return the difference of both data sets under PS, of the paper's twelve methods."""
    twelve = [name for name in BENCHMARK_METHODS if name != "GFZSL"]
    sides = [evidence.on(name, "zsl").reindex(twelve) for name in ("AWA1", "AWA2")]
    d = (sides[0] - sides[1]).dropna()
    if len(d) < len(twelve):
        raise CannotTellError(
            f"The claim is of twelve methods on AWA1 and AWA2; {len(d)} of them are here."
        )
    return d.round(DIGITS)


def _eight_of_twelve(evidence: Evidence) -> Judgment:
    d = _between_awa1_and_awa2(evidence)
    return counted("AWA1 and AWA2 within 2 points", d.abs() <= NEAR, at_least=8 / 12)


def _only_three_differ(evidence: Evidence) -> Judgment:
    d = _between_awa1_and_awa2(evidence)
    named = np.isin(d.index, ["DEVISE", "SJE", "SYNC"])
    apart = d.abs() > NEAR
    what = "More than 2 points apart if the paper names it, and within 2 points if not"
    return counted(what, pd.Series(apart.to_numpy() == named, d.index))


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
    above = (wide["CMT*"] > wide["CMT"]).droplevel("split")
    return counted("H of CMT* above that of CMT", above)


def _detector_ranks_better(evidence: Evidence) -> Judgment:
    better, n = {}, 0
    for figure in ("u", "s", "H"):
        wide = evidence.compared(figure, extra=("CMT*",))
        ranks, n = mean_ranks(wide), len(wide)
        if not {"CMT", "CMT*"} <= set(ranks.index):
            raise CannotTellError(f"There is no {figure} of CMT and CMT* on all data here.")
        better[figure] = bool(ranks["CMT*"] < ranks["CMT"])
    return in_general(counted("Mean rank of CMT* better than that of CMT", pd.Series(better)), n)


# --- Folds, other features, transduction ----------------------------------------------------------


def _stable_on_fine_grained(evidence: Evidence) -> Judgment:
    if evidence.body == "printed":
        raise CannotTellError("The paper draws the results of single folds and prints none.")
    cases = ["benchmark", "data", "method"]
    folds = [
        evidence.rows(f"zsl, fold {k}", split="PS").set_index(cases)["value"] for k in (1, 2, 3)
    ]
    of_folds = pd.concat(folds, axis=1).dropna()
    of = (of_folds.max(axis=1) - of_folds.min(axis=1)).groupby("benchmark").mean()
    fine = [name for name in ("CUB", "SUN") if name in of]
    if "aPY" not in of or not fine:
        raise CannotTellError("The parameters of every fold were not run on aPY and on CUB or SUN.")
    told = ", ".join(f"{name} {100 * x:.1f}" for name, x in of.items())
    d = float(of[fine].max() - of["aPY"])
    said = f"Mean range of ZSL over three folds, in points: {told}."
    return Judgment("holds" if d < 0 else "does not hold", said, d, unit="points")


def _reproduced(evidence: Evidence) -> Judgment:
    t = evidence.tables["reproduction"]
    t = t[t["method"].isin(["DAP", "SYNC", "GFZSL", "GFZSL-tran", "DSRL", "SAE"])].dropna()
    d = (
        (t["reproduced"] - t["original"])
        .round(DIGITS)
        .set_axis(pd.MultiIndex.from_frame(t[["method", "dataset"]]))
    )
    return counted("Reproduced within one point of the original", d.abs() <= 0.01)


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
    return counted(what, kind > number, at_least=0.9)


_GFZSL_POOR = _place("GFZSL", "PS", (8, 14), "H")

CLAIMS = (
    Claim(
        id="gbu-ps-lowers-awa",
        paper="GBU",
        section="5.1",
        statement="Accuracies on AWA1 and AWA2 are much lower under PS than under SS.",
        computed="Mean of PS − SS over methods.",
        judge=_split_change(("AWA1", "AWA2"), "below"),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-ps-spares-fine",
        paper="GBU",
        section="5.1",
        statement="On CUB and SUN the new split changes little.",
        computed="Mean of PS − SS over methods, near if within 2 points.",
        judge=_split_change(("CUB", "SUN"), "near"),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-known-classes-easier",
        paper="GBU",
        section="4.2",
        statement="All methods do better on test classes of SS that ImageNet-1K has.",
        computed="OverlapGain of every method on SS.",
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
        computed="Place by mean rank over data sets.",
        judge=_place("GFZSL", "SS", (1, 1)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-gfzsl-first-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="GFZSL ranks first on PS.",
        computed="Place by mean rank over data sets.",
        judge=_place("GFZSL", "PS", (1, 1)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-sync-second-ss",
        paper="GBU",
        section="5.1, figure 4",
        statement="SYNC ranks second on SS.",
        computed="Place by mean rank over data sets.",
        judge=_place("SYNC", "SS", (2, 2)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-sync-seventh-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="SYNC drops to the seventh place on PS.",
        computed="Place by mean rank over data sets.",
        judge=_place("SYNC", "PS", (7, 7)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-ale-second-ss",
        paper="GBU",
        section="5.1, figure 4",
        statement="ALE ranks second on SS.",
        computed="Place by mean rank over data sets.",
        judge=_place("ALE", "SS", (2, 2)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-ale-first-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="ALE ranks first on PS.",
        computed="Place by mean rank over data sets.",
        judge=_place("ALE", "PS", (1, 1)),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-top-three-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="ALE and DEVISE are two of the three methods that rank highest on PS.",
        computed="Mean ranks over data sets.",
        judge=_among(("ALE", "DEVISE"), "PS", "zsl", slice(3), "First three", 2),
        tables=("GBU 3",),
    ),
    Claim(
        id="gbu-last-three-ps",
        paper="GBU",
        section="5.1, figure 4",
        statement="IAP, CMT and CONSE rank lowest on PS.",
        computed="Mean ranks over data sets.",
        judge=_among(("IAP", "CMT", "CONSE"), "PS", "zsl", slice(-3, None), "Last three", 3),
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
    ),
    Claim(
        id="gbu-only-three-differ",
        paper="GBU",
        section="5.1",
        statement="Only DEVISE, SJE and SYNC are not consistent between AWA1 and AWA2.",
        computed="Whether these, and no others, are more than 2 points apart.",
        judge=_only_three_differ,
        tables=("GBU 3",),
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
    ),
    Claim(
        id="gbu-reproduced",
        paper="GBU",
        section="5.1",
        statement=(
            "Figures of DAP, SYNC, GFZSL, GFZSL-tran, DSRL and SAE come out nearly as in their "
            "own papers."
        ),
        computed="Cells of table 2 within one point.",
        judge=_reproduced,
        printed_only="The features of the methods' own papers are not here.",
    ),
    Claim(
        id="gbu-gzsl-lower",
        paper="GBU",
        section="5.2",
        statement="Seen classes among the answers make unseen accuracy lower.",
        computed="u of table 6 below ZSL of table 3.",
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
        computed="Mean ranks of u over data sets.",
        judge=_among(MAX_MARGIN, "PS", "u", slice(3), "First three", 3),
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
        judge=_GFZSL_POOR,
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-detector-helps",
        paper="GBU",
        section="5.2",
        statement="CMT* is better than CMT in all cases, H.",
        computed="Data sets with H of CMT* above that of CMT.",
        judge=_detector_helps,
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-detector-ranks",
        paper="GBU",
        section="5.2, figure 7",
        statement="CMT* ranks above CMT on unseen, on seen classes and by H.",
        computed="Mean ranks of u, s and H.",
        judge=_detector_ranks_better,
        tables=("GBU 6",),
    ),
    Claim(
        id="gbu-order-stays",
        paper="GBU",
        section="6",
        statement="Methods compare in GZSL as they do in ZSL.",
        computed="Kendall's τ of mean ranks by ZSL and by H; holds if its interval is above zero.",
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
    ),
    Claim(
        id="gbu-imagenet-eszsl",
        paper="GBU",
        section="5.1, table 5",
        statement="ESZSL is the second best on ImageNet.",
        computed="Place by mean rank over the nine splits, GFZSL aside.",
        judge=_eszsl_second_on_imagenet,
        printed_only=IMAGENET,
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
    ),
    Claim(
        id="gbu-imagenet-drop",
        paper="GBU",
        section="5.1, table 5",
        statement="From 1K to 5K most populated classes accuracy drops a lot.",
        computed="Methods that lose more than half.",
        judge=_drop_to_5k,
        printed_only=IMAGENET,
    ),
    Claim(
        id="gbu-imagenet-kind",
        paper="GBU",
        section="5.1, table 5",
        statement="Which classes are tested matters more than how many.",
        computed="M1K over L1K against M500 over M1K, as ratios; for nine methods in ten.",
        judge=_kind_over_number,
        printed_only=IMAGENET,
    ),
)
