"""Claims as functions that compute a result from evidence, and compare it with the claim.

Each function judges the :class:`ClaimEvidence` of its claim, reduced to the claim's data sets,
methods and tables; ``data/claims.toml`` has the texts under the same ids.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
import pandas as pd

from zslcore.analysis.cross_dataset import PRINTED_CLAIM, cross_tests, explain_claim
from zslcore.analysis.papers.claims.evidence import ClaimEvidence, UndecidedError, join_names
from zslcore.analysis.papers.claims.judging import (
    NEAR,
    TIED,
    Judgment,
    Verdict,
    difference,
    judge_best,
    judge_count,
    judge_difference,
    judge_end,
    judge_group,
    judge_interval,
    judge_largest,
    judge_place,
    judge_share,
    mean_ranks,
    name_of,
    order_of,
    order_of_figure_4,
    order_of_table,
    ratio,
    select_clear_signs,
)
from zslcore.analysis.ranking import agreement
from zslcore.datasets.facts import class_facts, fact_sources
from zslcore.numbers import signed

PS = {"split": "PS", "chosen_for": "zsl"}
SS = {"split": "SS", "chosen_for": "zsl"}
#: Conditions for results with parameters chosen for GZSL.
FOR_GZSL = {"split": "PS", "chosen_for": "gzsl"}
MAX_MARGIN = ("ALE", "DEVISE", "SJE")
DATA_AND_SPLIT = ("data", "split")

# --- The benchmark paper, and its conference version ----------------------------------------------


def change_of_split(e: ClaimEvidence, claimed: Literal["below", "near"]) -> Judgment:
    """Judge ZSL under PS minus ZSL under SS."""
    d = difference(e.cases("zsl", **PS), e.cases("zsl", **SS))
    unit = "methods" if len(e.benchmarks) == 1 else "methods and data sets"
    subject = f"PS instead of SS on {join_names(e.coverage(d)[0])}"
    return judge_difference(e, subject, d, claimed, of=unit)


def overlap_gain_on_ss(e: ClaimEvidence) -> Judgment:
    """Judge the gain of every method; the note has the gain on features without pre-training."""
    gains = e.cases("gain", split="SS")
    mean, tested = signed(gains.mean(), "+.0f"), _overlapping(e, e.coverage(gains)[0])
    note = f"{mean} % on average; the gain rests on {tested}."
    judgment = judge_count(e, "OverlapGain above zero on SS", gains > 0, note=note)
    if e.controls is None or not e.controls.has("gain"):
        return judgment
    control = e.controls.cases("gain", split="SS")
    mean = signed(control.mean(), "+.0f")
    note = f" Control, features without pre-training: {mean} % on average over {len(control)}."
    return replace(judgment, sentence=judgment.sentence + note)


def _overlapping(evidence: ClaimEvidence, data: Sequence[str]) -> str:
    """Describe how many SS test classes of each data set are in ImageNet-1K; name a single one."""
    benchmarks, parts = evidence.benchmark_of_data(), []
    for name in data:
        if (benchmark := str(benchmarks.get(name))) in fact_sources():
            t = class_facts(benchmark).classes
            tested = t[t["ss"] == "test"]
            inside = tested["class"][tested["imagenet1k"] != ""]
            names_clause = f" ({inside.iloc[0]})" if len(inside) == 1 else ""
            parts.append(f"{len(inside)} of {len(tested)} test classes of {name}{names_clause}")
    return join_names(parts or ["unknown classes"])


def range_over_folds(e: ClaimEvidence) -> Judgment:
    """Judge on which data set ZSL varies most with the fold that chooses the parameters."""
    folds = pd.concat([e.rows(f"zsl, fold {k}", chosen_for="zsl") for k in (1, 2, 3)])
    of_method = folds.groupby(["data", "benchmark", "method"], sort=False)["value"]
    return judge_largest(
        e,
        "Mean range of ZSL over three folds",
        of_method.agg(np.ptp).reset_index(),
        "aPY",
        by="benchmark",
        among=("aPY", "CUB", "SUN"),
        needs="runs with the parameters of every fold on aPY, CUB and SUN",
    )


def _awa_distance(e: ClaimEvidence) -> pd.Series:
    """Return the absolute difference in ZSL between AWA1 and AWA2, by method."""
    first, second = (e.cases("zsl", ["method"], **PS, benchmark=b) for b in ("AWA1", "AWA2"))
    return difference(first, second).abs()


def consistent_methods(e: ClaimEvidence) -> Judgment:
    """Judge for how many methods ZSL on AWA1 and ZSL on AWA2 differ by at most 2 points."""
    close = _awa_distance(e) <= NEAR
    return judge_count(e, "AWA1 and AWA2 within 2 points", close, at_least=2 / 3)


def inconsistent_methods(e: ClaimEvidence) -> Judgment:
    """Judge whether ZSL of the named methods differs by over 2 points; note all others."""
    far = _awa_distance(e) > NEAR
    is_named = far.index.isin(["DEVISE", "SJE", "SYNC"])
    unnamed = [name_of(case) for case in far.index[far & ~is_named]]
    note = f"Other methods with more than 2 points: {join_names(unnamed or ['none'])}."
    subject = "Methods named by the paper with ZSL that differs by more than 2 points"
    return judge_count(e, subject, far[is_named], cases=far, note=note)


def crossed_p(e: ClaimEvidence) -> Judgment:
    """Judge whether a different training set changes results significantly."""
    tests = cross_tests(e.table("cross_dataset_awa"))
    test = tests["training set"]
    sentence = f"{test.sentence} {explain_claim(tests)}"
    verdict: Verdict = "holds" if test.p < 0.05 else "does not hold"
    comparison = f"p = {test.p:.2g}; claimed: {PRINTED_CLAIM.p:g}"
    return Judgment(verdict, sentence, test.p, unit="p", comparison=comparison)


def crossed_sizes(e: ClaimEvidence) -> Judgment:
    """Judge whether a different training set changes results more than a different test set."""
    test = cross_tests(e.table("cross_dataset_awa"))["larger"]
    verdict = judge_interval(*test.interval)
    return Judgment(verdict, test.sentence, test.mean_difference, *test.interval, "points")


def reproduced(e: ClaimEvidence) -> Judgment:
    """Judge how many reproduced results are within one point of the original."""
    index = ("method", "dataset")
    pair = (e.printed("reproduction", name, index) for name in ("reproduced", "original"))
    close = difference(*pair).abs() <= TIED
    return judge_count(e, "Reproduced within one point of the original", close, at_least=0.9)


def u_below_zsl(e: ClaimEvidence) -> Judgment:
    """Judge u minus ZSL; runs with parameters chosen for ZSL have precedence."""
    u, zsl = (e.cases(metric, split="PS") for metric in ("u", "zsl"))
    return judge_difference(e, "u minus ZSL", difference(u, zsl), "below", tally=True)


def detector_raises_h(e: ClaimEvidence) -> Judgment:
    """Judge H of CMT* minus H of CMT."""
    pair = (e.cases("H", ["data"], **PS, method=method) for method in ("CMT*", "CMT"))
    subject = "H of CMT* minus that of CMT"
    return judge_difference(e, subject, difference(*pair), "above", of="data sets", tally=True)


def detector_ranks_better(e: ClaimEvidence) -> Judgment:
    """Judge whether CMT* has a better mean rank than CMT by u, s and H."""
    better, unclear = {}, []
    orders = {metric: order_of(e, metric) for metric in ("u", "s", "H")}
    for metric, order in orders.items():
        if not {"CMT*", "CMT"} <= set(order.ranks.index):
            raise UndecidedError(f"No {metric} of CMT* and CMT is available.")
        d = order.wide["CMT*"] - order.wide["CMT"]
        better[metric] = bool(order.ranks["CMT*"] < order.ranks["CMT"])
        if e.body != "printed" and not ((d > TIED).all() or (d < -TIED).all()):
            unclear.append(metric)
    judgment = judge_share("Mean rank of CMT* better than that of CMT", pd.Series(better))
    if unclear and all(better[name] or name in unclear for name in better):
        sentence = (
            f"{judgment.sentence} For {join_names(unclear)}, a change of one point could "
            "reverse this."
        )
        judgment = replace(judgment, verdict="undecided", sentence=sentence)
    return orders["H"].add_coverage(judgment)


def same_order(e: ClaimEvidence) -> Judgment:
    """Judge the agreement of mean ranks by ZSL and by H."""
    if e.body == "simulated":
        raise UndecidedError("Orders of methods on simulated data are not compared.")
    first, second = (order_of(e, metric).wide for metric in ("zsl", "H"))
    same = first.index.intersection(second.index)
    methods = [str(name) for name in first if name in second]
    order = order_of_table(first.loc[same, methods], "ZSL", "data sets")
    test = agreement(-order.ranks[methods], -mean_ranks(second.loc[same])[methods])
    sentence = (
        f"Mean ranks of {test.methods} methods by ZSL and by H: Kendall's τ = {test.tau:.2f} "
        f"({test.low:.2f} to {test.high:.2f}); 0 is unrelated, 1 the same order."
    ).replace("-", "−")
    verdict = judge_interval(test.low, test.high, (0.5, np.inf))
    return order.add_coverage(Judgment(verdict, sentence, test.tau, test.low, test.high, "tau"))


def transduction_helps(e: ClaimEvidence) -> Judgment:
    """Judge the pairs of transductive and inductive accuracies in the text."""
    index = ("method", "dataset")
    pair = (e.printed("transductive_text", x, index) for x in ("transductive", "inductive"))
    subject = "Transductive above inductive, where the text prints both"
    return judge_count(e, subject, difference(*pair) > 0, note="The figure prints no other number.")


def _imagenet(e: ClaimEvidence, index: Sequence[str] = ("method",), **where: object) -> pd.Series:
    return e.printed("imagenet_zsl_top1", "top1_per_class", index, **where)


def sync_best_on_imagenet(e: ClaimEvidence) -> Judgment:
    """Judge on how many splits SYNC is the best."""
    best = _imagenet(e, ["split"]).groupby("split", sort=False).max()
    return judge_count(
        e, "SYNC best", difference(_imagenet(e, ["split"], method="SYNC"), best) >= 0
    )


def eszsl_second_on_imagenet(e: ClaimEvidence) -> Judgment:
    """Judge the rank of ESZSL over the splits."""
    table = e.table("imagenet_zsl_top1").dropna()
    wide = table.pivot_table("top1_per_class", "split", "method", sort=False).dropna(axis=1)
    return judge_place(e, order_of_table(wide, "top-1", "splits"), "ESZSL", 2)


def populated_classes(e: ClaimEvidence) -> Judgment:
    """Judge how often accuracy is higher on the most than on the least populated classes.

    Both sets of classes have the same size: 500, 1,000 or 5,000.
    """
    sides = (
        _imagenet(
            e, ["method", "split"], split=[f"{side}{size}" for size in ("500", "1K", "5K")]
        ).rename(lambda split: split.lstrip("ML"), level="split")
        for side in "ML"
    )
    return judge_count(e, "Most populated above least populated", difference(*sides) > 0)


def drop_to_5k_classes(e: ClaimEvidence) -> Judgment:
    """Judge for how many methods accuracy falls by more than half from 1K to 5K classes."""
    remaining = ratio(_imagenet(e, split="M5K"), _imagenet(e, split="M1K"))
    return judge_count(
        e, "Accuracy on the 5K most populated classes below half of that on 1K", remaining < 0.5
    )


def kind_against_number(e: ClaimEvidence) -> Judgment:
    """Compare two accuracy ratios: M1K / L1K (most, least populated classes) and M500 / M1K."""
    on = {split: _imagenet(e, split=split) for split in ("M500", "M1K", "L1K")}
    more = ratio(ratio(on["M1K"], on["L1K"]), ratio(on["M500"], on["M1K"]))
    subject = "Changing the kind of 1K classes matters more than doubling their number"
    return judge_count(e, subject, more > 1, at_least=0.9)


# --- The calibration paper ------------------------------------------------------------------------


def _calibrated_less_plain(e: ClaimEvidence) -> pd.Series:
    return difference(e.cases("H at gamma", **PS), e.cases("H", **PS))


def _gzsl_less_zsl(e: ClaimEvidence, metric: str) -> pd.Series:
    """Return a metric with λ chosen for GZSL minus the metric with λ chosen for ZSL."""
    return difference(e.cases(metric, **FOR_GZSL), e.cases(metric, **PS))


def calibration_raises_h(e: ClaimEvidence) -> Judgment:
    """Judge H with calibration minus H without calibration."""
    d = _calibrated_less_plain(e)
    return judge_difference(e, "H with calibration minus without", d, "above")


def calibration_raises_every_h(e: ClaimEvidence) -> Judgment:
    """Judge how often calibration raises H, among differences with a clear sign."""
    d = _calibrated_less_plain(e)
    clear, unclear = select_clear_signs(e, d)
    return judge_count(e, "Calibration lifts H", clear > 0, cases=d, unclear=unclear)


def lowest_near_highest(e: ClaimEvidence) -> Judgment:
    """Judge whether the lowest calibrated H is near or above the best plain H on each data set."""
    lowest = e.cases("H at gamma", ["data"], **PS).groupby("data", sort=False).min()
    d = difference(lowest, e.cases("H", ["data"], **PS).groupby("data", sort=False).max())
    margins = ", ".join(f"{name} {signed(x)}" for name, x in d.items())
    sentence = f"Lowest H with calibration minus highest without, in points: {margins}."
    below = [str(name) for name in d.index[d < 0]]
    verdict: Verdict = "holds" if (d >= -NEAR).all() else "does not hold"
    if verdict == "holds" and below:
        limit = f"the {100 * NEAR:.0f} points that count as near"
        sentence += f" On {join_names(below)}, it is lower, by at most {limit}."
    data, methods = e.coverage(d)
    return Judgment(verdict, sentence, float(d.min()), unit="points", data=data, methods=methods)


def gzsl_lambda_adds(e: ClaimEvidence) -> Judgment:
    """Judge calibrated H with λ chosen for GZSL minus H with λ chosen for ZSL."""
    subject = "Calibrated H, λ chosen for GZSL minus λ chosen for ZSL"
    return judge_difference(e, subject, _gzsl_less_zsl(e, "H at gamma"), "above")


def gzsl_lambda_smaller(e: ClaimEvidence) -> Judgment:
    """Judge how often λ for GZSL is below λ for ZSL, among cases in which they differ."""
    d = _gzsl_less_zsl(e, "lam")
    subject, same = "λ for GZSL below λ for ZSL where they differ", int((d == 0).sum())
    if same == len(d):
        raise UndecidedError(f"{subject}: the two are the same in all {same} cases here.")
    note = f"In {same} more cases they are the same."
    return judge_count(e, subject, d[d != 0] < 0, cases=d, note=note)


def devise_on_cub_alone(e: ClaimEvidence) -> Judgment:
    """Judge whether λ chosen for GZSL lowers H for DEVISE on CUB alone."""
    d = _gzsl_less_zsl(e, "H at gamma")
    clear, unclear = select_clear_signs(e, d)
    cases = clear.index.to_frame(index=False)
    on_cub = cases["data"].map(e.benchmark_of_data()) == "CUB"
    expected = ((cases["method"] == "DEVISE") & on_cub).to_numpy()
    if not expected.any():
        raise UndecidedError("No result of DEVISE on CUB is available.")
    subject = "With λ chosen for GZSL, calibrated H falls only for DEVISE on CUB (cases as claimed)"
    return judge_count(e, subject, (clear < 0) == expected, cases=d, unclear=unclear)


def _zsl_of_method(e: ClaimEvidence, method: str) -> pd.Series:
    """Return ZSL of a method by data set and split."""
    return e.cases("zsl", DATA_AND_SPLIT, chosen_for="zsl", method=method)


def _one_less_another(e: ClaimEvidence, subject: str, first: str, second: str) -> Judgment:
    """Judge ZSL of one method minus ZSL of another."""
    d = difference(_zsl_of_method(e, first), _zsl_of_method(e, second))
    return judge_difference(e, subject, d, "above", of="data sets and splits")


def sae_like_s2v(e: ClaimEvidence) -> Judgment:
    """Judge how much farther SAE is from LinearV2S than from LinearS2V."""
    sae, v2s, s2v = (_zsl_of_method(e, name) for name in ("SAE", "LinearV2S", "LinearS2V"))
    to_v2s, to_s2v = ((sae - values).abs() for values in (v2s, s2v))
    subject = "Distance of SAE from LinearV2S minus its distance from LinearS2V"
    d = difference(to_v2s, to_s2v)
    return judge_difference(e, subject, d, "above", of="data sets and splits")


def sae_direction(e: ClaimEvidence) -> Judgment:
    """Judge SAE in the visual space minus SAE in the semantic space.

    On printed tables, the second value is SAE as the paper quotes it from the benchmark paper.
    """
    if e.body != "printed":
        subject = "SAE scored in the visual space minus SAE scored in the semantic space"
        return _one_less_another(e, subject, "SAE", "SAE (V2S)")
    tables = ("CAL 1", "CAL 1, quoted")
    pair = (e.cases("zsl", DATA_AND_SPLIT, table=table, method="SAE") for table in tables)
    subject = "SAE scored in the visual space minus SAE as quoted from the benchmark paper"
    return judge_difference(e, subject, difference(*pair), "above", of="data sets and splits")


def spread_over_seeds(e: ClaimEvidence) -> Judgment:
    """Judge whether SJE has the largest standard deviation over seeds."""
    rows = e.rows("zsl", chosen_for="zsl")
    return judge_largest(
        e,
        "Mean deviation of ZSL over seeds",
        rows.assign(value=rows["spread"]).dropna(subset=["value"]),
        "SJE",
        by="method",
        among=("ALE", "DEVISE", "SJE", "SYNC"),
        needs="runs with more than one seed",
    )


def closed_forms_fixed(e: ClaimEvidence) -> Judgment:
    """Judge how often a closed form has a standard deviation of 0 over seeds."""
    spread = e.cases("zsl", ("method", "data", "split"), value="spread", chosen_for="zsl")
    return judge_count(e, "Closed forms with a deviation of 0.0 over seeds", spread < 0.0005)


def agreement_with_benchmark(e: ClaimEvidence) -> Judgment:
    """Judge how many results are near the benchmark paper's results, without SAE and ESZSL."""
    tables, index = ("CAL 1", "CAL 1, quoted"), ("method", "data", "split")
    close = difference(*(e.cases("zsl", index, table=table) for table in tables)).abs() <= 0.05
    excepted = close.index.get_level_values("method").isin(["SAE", "ESZSL"])
    of_excepted = close[excepted]
    note = (
        f"Of the results of SAE and ESZSL, {of_excepted.sum()} of {len(of_excepted)} are within "
        "5 points."
    )
    subject = "Within 5 points of the quoted result, without SAE and ESZSL"
    return judge_count(e, subject, close[~excepted], cases=close, at_least=0.5, note=note)


def ten_crops(e: ClaimEvidence) -> Judgment:
    """Judge how often ZSL and H are higher with ten crops than with one crop."""
    zsl = difference(e.cases("zsl", table="CAL 3"), e.cases("zsl", split="PS", table="CAL 1"))
    ten = e.cases("H at gamma", table="CAL 3")
    h = difference(ten, e.cases("H at gamma", chosen_for="gzsl", table="CAL 2"))
    above = pd.concat([zsl > 0, h > 0], keys=["ZSL of ", "H of "])
    above.index = pd.MultiIndex.from_tuples(
        [(metric + method, data) for metric, method, data in above.index], names=["case", "data"]
    )
    subject = "Ten crops above one crop (almost always: nine in ten)"
    return judge_count(e, subject, above, at_least=0.9)


def per_sample_near_per_class(e: ClaimEvidence) -> Judgment:
    """Judge per-sample minus per-class ZSL and H."""
    pairs = {"zsl per sample": "zsl", "H per sample": "H at gamma"}
    d = [difference(e.cases(a, **FOR_GZSL), e.cases(b, **FOR_GZSL)) for a, b in pairs.items()]
    return judge_difference(e, "Per sample minus per class, ZSL and H", pd.concat(d), "near")


# --- The action paper -----------------------------------------------------------------------------


def _gains(e: ClaimEvidence, **where: object) -> pd.Series:
    """Return the printed gains over the baseline."""
    index = ("method", "configuration", "semantics")
    return e.printed("overlap_gain_action", "overlap_gain_minus_idt", index, **where)


def gains_above_baseline(e: ClaimEvidence) -> Judgment:
    """Judge how many gains are above the baseline's gain."""
    subject = "OverlapGain above the baseline's"
    note = (
        "According to the text, on HMDB51 all methods gain with Sports-1M, and only BiDiLEL with "
        "Kinetics-400."
    )
    return judge_count(e, subject, _gains(e) > 0, at_least=0.9, note=note)


def _gains_between(
    e: ClaimEvidence, low: float, high: float, note: str = "", **where: object
) -> Judgment:
    """Judge whether all gains are in a printed range."""
    gains = _gains(e, **where)
    least, most = (signed(x, ".2f") for x in (gains.min(), gains.max()))
    subject = f"Gains of {100 * low:.2f} to {100 * high:.2f} %"
    return judge_count(
        e, subject, gains.between(low, high), note=f"From {least} to {most} %. {note}"
    )


def attributes_gain_more(e: ClaimEvidence) -> Judgment:
    """Judge the gain with attributes minus the gain with word2vec."""
    pair = (_gains(e, semantics=name).droplevel("semantics") for name in ("attributes", "word2vec"))
    subject, unit = "Gain with attributes minus gain with word2vec", "methods and configurations"
    return judge_difference(e, subject, difference(*pair), "above", of=unit)


def conse_alone_loses(e: ClaimEvidence) -> Judgment:
    """Judge whether the gain is below zero for CONSE, and above zero for other methods."""
    gains = _gains(e, configuration="OS1", semantics="word2vec")
    is_conse = gains.index.get_level_values("method") == "CONSE"
    subject = "OS1, word2vec: CONSE loses and every other method gains"
    return judge_count(e, subject, (gains < 0) == is_conse)


def _controlled_less_previous(e: ClaimEvidence, features: str) -> pd.Series:
    """Return the accuracy on controlled splits minus the accuracy on previous splits."""
    table, index = "action_bidilel_splits", ("dataset", "semantics")
    both = (
        e.printed(table, "top1", index, features=features, splits=splits)
        for splits in ("controlled", "previous")
    )
    return difference(*both)


def more_overlap_more_accuracy(e: ClaimEvidence) -> Judgment:
    """Judge the accuracy of C3D on controlled splits minus its accuracy on previous splits."""
    d = _controlled_less_previous(e, "C3D")
    subject = (
        "C3D: controlled splits, with more classes in the pre-training set, above previous ones"
    )
    return judge_count(
        e, subject, d > 0, note=f"The differences are {', '.join(map(signed, d))} points."
    )


def baseline_stays(e: ClaimEvidence) -> Judgment:
    """Judge whether accuracies of IDT on both kinds of splits differ by at most one point."""
    close = _controlled_less_previous(e, "IDT").abs() <= TIED
    return judge_count(e, "IDT: both splits within one point", close)


_BEST_SS = {"SUN": "GFZSL", "aPY": "GFZSL", "CUB": "SJE", "AWA1": "SAE", "AWA2": "SAE"}
_BEST_PS = {"SUN": "GFZSL", "AWA1": "GFZSL", "AWA2": "GFZSL", "aPY": "ALE", "CUB": "SYNC"}
_BEST_H = {"SUN": "ALE", "CUB": "ALE", "AWA1": "ALE", "AWA2": "DEVISE", "aPY": "CMT*"}
_BEST_SS_2017 = {"SUN": "SYNC", "aPY": "SYNC", "CUB": "SJE", "AWA1": "ALE"}
_BEST_PS_2017 = {"SUN": "ALE", "CUB": "SYNC", "AWA1": "SJE", "aPY": "DEVISE"}
_BEST_H_2017 = {"SUN": "ALE", "CUB": "ALE", "AWA1": "ALE", "aPY": "CMT*"}
_FIVE_BY_U = ("ALE", "DEVISE", "SJE", "LATEM", "ESZSL")
_CLASSIFIERS = ("DAP", "IAP", "CONSE")
_THREE = "ALE, DEVISE and SJE minus all others"
_TEXT_5_1 = "According to the text of section 5.1, CONSE with 3D-ResNet gains just over 10 %."
_TEXT_HMDB = "According to the text, only BiDiLEL gains on HMDB51 with Kinetics-400."

#: Claim id -> function that judges the claim.
JUDGES: Mapping[str, Callable[[ClaimEvidence], Judgment]] = {
    "gbu-ps-lowers-awa": lambda e: change_of_split(e, "below"),
    "gbu-ps-spares-fine": lambda e: change_of_split(e, "near"),
    "gbu-known-classes-easier": overlap_gain_on_ss,
    "gbu-best-ss": lambda e: judge_best(e, "zsl", "SS", _BEST_SS),
    "gbu-best-ps": lambda e: judge_best(e, "zsl", "PS", _BEST_PS),
    "gbu-gfzsl-first-ss": lambda e: judge_place(e, order_of_figure_4(e, "SS"), "GFZSL", 1),
    "gbu-gfzsl-first-ps": lambda e: judge_place(e, order_of_figure_4(e, "PS"), "GFZSL", 1),
    "gbu-sync-second-ss": lambda e: judge_place(e, order_of_figure_4(e, "SS"), "SYNC", 2),
    "gbu-sync-seventh-ps": lambda e: judge_place(e, order_of_figure_4(e, "PS"), "SYNC", 7),
    "gbu-ale-second-ss": lambda e: judge_place(e, order_of_figure_4(e, "SS"), "ALE", 2),
    "gbu-ale-first-ps": lambda e: judge_place(e, order_of_figure_4(e, "PS"), "ALE", 1),
    "gbu-top-three-ps": lambda e: judge_end(
        e, order_of_figure_4(e, "PS"), "first", 3, ("ALE", "DEVISE")
    ),
    "gbu-last-three-ps": lambda e: judge_end(
        e, order_of_figure_4(e, "PS"), "last", 3, ("IAP", "CMT", "CONSE")
    ),
    "gbu-max-margin-better": lambda e: judge_group(e, f"{_THREE}, ZSL", "zsl", MAX_MARGIN),
    "gbu-folds-stable": range_over_folds,
    "gbu-eight-of-twelve": consistent_methods,
    "gbu-only-three-differ": inconsistent_methods,
    "gbu-cross-p": crossed_p,
    "gbu-training-set-decides": crossed_sizes,
    "gbu-reproduced": reproduced,
    "gbu-gzsl-lower": u_below_zsl,
    "gbu-compatibility-ts": lambda e: judge_group(e, f"{_THREE}, u", "u", MAX_MARGIN),
    "gbu-classifiers-tr": lambda e: judge_group(
        e, "DAP, IAP and CONSE minus all others, s", "s", _CLASSIFIERS
    ),
    "gbu-first-three-ts": lambda e: judge_end(e, order_of(e, "u"), "first", 3, MAX_MARGIN),
    "gbu-best-h": lambda e: judge_best(e, "H", "PS", _BEST_H),
    "gbu-gfzsl-poor-gzsl": lambda e: judge_place(e, order_of(e, "H"), "GFZSL", 8, 14),
    "gbu-detector-helps": detector_raises_h,
    "gbu-detector-ranks": detector_ranks_better,
    "gbu-order-stays": same_order,
    "gbu-transduction-helps": transduction_helps,
    "gbu-imagenet-sync": sync_best_on_imagenet,
    "gbu-imagenet-eszsl": eszsl_second_on_imagenet,
    "gbu-imagenet-populated": populated_classes,
    "gbu-imagenet-drop": drop_to_5k_classes,
    "gbu-imagenet-kind": kind_against_number,
    "cvpr-best-ss": lambda e: judge_best(e, "zsl", "SS", _BEST_SS_2017),
    "cvpr-best-ps": lambda e: judge_best(e, "zsl", "PS", _BEST_PS_2017),
    "cvpr-ps-lowers-awa": lambda e: change_of_split(e, "below"),
    "cvpr-ps-spares-fine": lambda e: change_of_split(e, "near"),
    "cvpr-sync-first-ss": lambda e: judge_place(e, order_of(e, "zsl", split="SS"), "SYNC", 1),
    "cvpr-ale-first-ps": lambda e: judge_place(e, order_of(e, "zsl"), "ALE", 1),
    "cvpr-top-three-ps": lambda e: judge_end(e, order_of(e, "zsl"), "first", 3, MAX_MARGIN),
    "cvpr-last-three-ps": lambda e: judge_end(
        e, order_of(e, "zsl"), "last", 3, ("DAP", "CMT", "CONSE")
    ),
    "cvpr-gzsl-lower": u_below_zsl,
    "cvpr-compatibility-ts": lambda e: judge_group(e, f"{_THREE}, u", "u", MAX_MARGIN),
    "cvpr-classifiers-tr": lambda e: judge_group(
        e, "DAP and CONSE minus all others, s", "s", ("DAP", "CONSE")
    ),
    "cvpr-best-h": lambda e: judge_best(e, "H", "PS", _BEST_H_2017),
    "cvpr-detector-helps": detector_raises_h,
    "cvpr-first-five-ts": lambda e: judge_end(e, order_of(e, "u"), "first", 5, _FIVE_BY_U),
    "cvpr-first-three-h": lambda e: judge_end(e, order_of(e, "H"), "first", 3, MAX_MARGIN),
    "cvpr-ale-third-tr": lambda e: judge_place(e, order_of(e, "s"), "ALE", 3),
    "cal-calibration-lifts": calibration_raises_h,
    "cal-lifts-every-method": calibration_raises_every_h,
    "cal-lowest-above-highest": lowest_near_highest,
    "cal-gzsl-lambda-adds": gzsl_lambda_adds,
    "cal-gzsl-lambda-smaller": gzsl_lambda_smaller,
    "cal-devise-on-cub": devise_on_cub_alone,
    "cal-s2v-above-v2s": lambda e: _one_less_another(
        e, "ZSL of LinearS2V minus LinearV2S", "LinearS2V", "LinearV2S"
    ),
    "cal-sae-like-s2v": sae_like_s2v,
    "cal-sae-direction": sae_direction,
    "cal-eszsl-raw": lambda e: _one_less_another(
        e,
        "ESZSL with unscaled prototypes minus ESZSL with prototypes of unit length",
        "ESZSL (prototypes none)",
        "ESZSL",
    ),
    "cal-sje-spreads": spread_over_seeds,
    "cal-closed-forms-fixed": closed_forms_fixed,
    "cal-consistent": agreement_with_benchmark,
    "cal-ten-crops": ten_crops,
    "cal-per-sample": per_sample_near_per_class,
    "fair-known-classes-gain": gains_above_baseline,
    "fair-all-gain": lambda e: _gains_between(e, 0.0575, 0.5194, _TEXT_HMDB),
    "fair-attributes-gain": lambda e: _gains_between(
        e, 0.1784, 0.5194, _TEXT_5_1, semantics="attributes", dataset="UCF101"
    ),
    "fair-word2vec-gain": lambda e: _gains_between(
        e, 0.1014, 0.3921, semantics="word2vec", dataset="UCF101"
    ),
    "fair-attributes-more": attributes_gain_more,
    "fair-conse-exception": conse_alone_loses,
    "fair-more-overlap": more_overlap_more_accuracy,
    "fair-baseline-stays": baseline_stays,
}
