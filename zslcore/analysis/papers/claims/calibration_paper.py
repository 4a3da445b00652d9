"""Claims of the calibration paper (CAL): calibration, lambda for GZSL, simple linear models.

Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from zslcore.analysis.papers.claims.evidence import CannotTellError, Evidence
from zslcore.analysis.papers.claims.judging import (
    MOST,
    NEAR,
    Claim,
    Judgment,
    Verdict,
    counted,
    data_of,
    difference,
    listed,
    of_all,
    signed,
)
from zslcore.metrics.significance import DIGITS

__all__ = ["CLAIMS"]

METHODS = ("LinearV2S", "LinearS2V", "ALE", "DEVISE", "SJE", "ESZSL", "SYNC", "SAE")
BOTH = ("CUB", "AWA2")
#: Methods whose ``lam`` is the weight of a penalty, that shrinks as lambda grows.
WITH_PENALTY = ("LinearV2S", "LinearS2V", "ESZSL", "SYNC")
#: Methods that start from random weights.
RANDOM = ("ALE", "DEVISE", "SJE", "SYNC")
CLOSED_FORMS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE")
#: Figures of the benchmark paper as this one prints them beside its own.
QUOTED = "CAL 1, quoted"
#: Two papers agree on a figure within so much.
CONSISTENT = 0.05
CROPS = "No features of ten crops are kept here."
TWO_PAPERS = "This compares two papers; the page shows ours beside both."


def _by_method(rows: pd.DataFrame) -> pd.Series:
    return rows.set_index(["method", "data", "split"])["value"]


def _pairs(evidence: Evidence, first: tuple[str, str], second: tuple[str, str]) -> pd.DataFrame:
    """Return two figures, each with what parameters were chosen for, of the paper's methods."""
    sides = [_by_method(evidence.rows(figure, chosen_for=task)) for figure, task in (first, second)]
    both = pd.concat(sides, axis=1, keys=["first", "second"]).dropna()
    both = both[both.index.get_level_values("method").isin(METHODS)]
    if both.empty:
        raise CannotTellError("None of the paper's methods has both figures here.")
    return both


# --- Calibration ----------------------------------------------------------------------------------


def _calibration_lifts(evidence: Evidence) -> Judgment:
    both = _pairs(evidence, ("H", "zsl"), ("H at gamma", "zsl"))
    return difference("H with calibration less without", both["second"] - both["first"], "above")


def _lifts_every_method(evidence: Evidence) -> Judgment:
    both = of_all(METHODS, _pairs(evidence, ("H", "zsl"), ("H at gamma", "zsl")))
    hits = (both["second"] > both["first"]).droplevel("split")
    return counted("Calibration lifts H", hits)


def _lowest_above_highest(evidence: Evidence) -> Judgment:
    both = of_all(METHODS, _pairs(evidence, ("H", "zsl"), ("H at gamma", "zsl")))
    of = both.groupby(level="data", sort=False)
    d = (of["second"].min() - of["first"].max()).round(DIGITS)
    cases = ", ".join(f"{name} {signed(x)}" for name, x in d.items())
    so = (d >= -NEAR).all()
    said = f"Lowest H with calibration less highest without, in points: {cases}."
    if so and (d < 0).any():
        below = listed([str(name) for name in d.index[d < 0]])
        said += f" On {below} it is below, and close by our measure alone."
    verdict: Verdict = "holds" if so else "does not hold"
    return Judgment(verdict, said, float(d.min()), unit="points", data=data_of(d))


# --- lambda for GZSL ------------------------------------------------------------------------------


def _gzsl_lambda_adds(evidence: Evidence) -> Judgment:
    both = _pairs(evidence, ("H at gamma", "zsl"), ("H at gamma", "gzsl"))
    what = "Calibrated H, λ chosen for GZSL less λ chosen for ZSL"
    return difference(what, both["second"] - both["first"], "above")


def _gzsl_lambda_smaller(evidence: Evidence) -> Judgment:
    if evidence.body == "printed":
        raise CannotTellError("The paper prints no λ.")
    sides = [_by_method(evidence.rows("lam", chosen_for=task)) for task in ("zsl", "gzsl")]
    both = pd.concat(sides, axis=1, keys=["zsl", "gzsl"]).dropna()
    both = of_all(WITH_PENALTY, both)
    other = both[both["zsl"] != both["gzsl"]].droplevel("split")
    same = len(both) - len(other)
    if other.empty:
        raise CannotTellError(f"λ for GZSL is that for ZSL in all {same} cases here.")
    found = counted("λ for GZSL below λ for ZSL where they differ", other["gzsl"] < other["zsl"])
    said = f"{found.said} In {same} more cases they are the same."
    return replace(found, said=said, data=data_of(both))


def _only_devise_loses(evidence: Evidence) -> Judgment:
    both = of_all(METHODS, _pairs(evidence, ("H at gamma", "zsl"), ("H at gamma", "gzsl")))
    loses = (both["second"] - both["first"]).round(DIGITS) < 0
    cases = loses.droplevel("split").index
    benchmark = evidence.figures.set_index("data")["benchmark"].to_dict()
    excepted = np.array([m == "DEVISE" and benchmark[data] == "CUB" for m, data in cases])
    if not excepted.any():
        raise CannotTellError("There is no calibrated H of DEVISE on CUB here.")
    what = "Calibrated H falls with λ chosen for GZSL for DEVISE on CUB alone, cases as claimed"
    return counted(what, pd.Series(loses.to_numpy() == excepted, cases))


# --- Linear models, SAE, ESZSL --------------------------------------------------------------------


def _s2v_above_v2s(evidence: Evidence) -> Judgment:
    wide = evidence.wide("zsl", split=None, methods=("LinearS2V", "LinearV2S"))
    what = "ZSL of LinearS2V less LinearV2S"
    return difference(
        what, wide["LinearS2V"] - wide["LinearV2S"], "above", of="data sets and splits"
    )


def _sae_like_s2v(evidence: Evidence) -> Judgment:
    wide = evidence.wide("zsl", split=None, methods=("SAE", "LinearS2V", "LinearV2S"))
    to_s2v, to_v2s = ((wide["SAE"] - wide[name]).abs() for name in ("LinearS2V", "LinearV2S"))
    what = "Distance of SAE to LinearV2S less to LinearS2V"
    return difference(what, to_v2s - to_s2v, "above", of="data sets and splits")


def _sae_direction(evidence: Evidence) -> Judgment:
    if evidence.body == "printed":
        ours, theirs = (
            evidence.wide("zsl", split=None, table=table, methods=("SAE",))["SAE"]
            for table in ("CAL 1", QUOTED)
        )
        d = (ours - theirs).dropna()
        what = "SAE scored in the visual space less as quoted from the benchmark paper"
    else:
        wide = evidence.wide("zsl", split=None, methods=("SAE", "SAE (V2S)"))
        d = wide["SAE"] - wide["SAE (V2S)"]
        what = "SAE scored in the visual space less in the semantic space"
    return difference(what, d, "above", of="data sets and splits")


def _eszsl_wants_raw_prototypes(evidence: Evidence) -> Judgment:
    if evidence.body == "printed":
        unit, quoted = (
            evidence.wide("zsl", split=None, table=table, methods=("ESZSL",))["ESZSL"]
            for table in ("CAL 1", QUOTED)
        )
        mean = signed(float((unit - quoted).mean()))
        raise CannotTellError(
            "No figure with prototypes as they are is printed. At unit length ESZSL is "
            f"{mean} points on average from what is quoted from the benchmark paper."
        )
    raw_name = "ESZSL (prototypes none)"
    wide = evidence.wide("zsl", split=None, methods=("ESZSL", raw_name))
    d = wide[raw_name] - wide["ESZSL"]
    what = "ESZSL with prototypes as they are less at unit length"
    return difference(what, d, "above", of="data sets and splits")


# --- Seeds ----------------------------------------------------------------------------------------


def _spreads(evidence: Evidence) -> pd.DataFrame:
    rows = evidence.rows("zsl", chosen_for="zsl").dropna(subset=["spread"])
    if rows.empty:
        raise CannotTellError("No method was run with more than one seed here.")
    return rows


def _sje_spreads(evidence: Evidence) -> Judgment:
    rows = _spreads(evidence)
    rows = rows[rows["method"].isin(METHODS)]
    mean = rows.groupby("method", sort=False)["spread"].mean()
    if not set(RANDOM) <= set(mean.index):
        raise CannotTellError(f"{listed(RANDOM)} need more than one seed each; not all have here.")
    each = ", ".join(f"{name} {100 * x:.2f}" for name, x in mean.nlargest(4).items())
    so = mean.idxmax() == "SJE"
    said = f"Mean deviation of ZSL over seeds, in points, largest first: {each}."
    verdict: Verdict = "holds" if so else "does not hold"
    data = data_of(rows.set_index("data"))
    return Judgment(verdict, said, float(mean["SJE"]), unit="points", data=data)


def _closed_forms_do_not_spread(evidence: Evidence) -> Judgment:
    rows = _spreads(evidence)
    rows = rows[rows["method"].isin(CLOSED_FORMS)]
    if rows.empty:
        raise CannotTellError("No closed form was run with more than one seed here.")
    spread = of_all(CLOSED_FORMS, rows.set_index(["method", "data"])["spread"])
    return counted("Closed forms with a deviation of 0.0 over seeds", spread < 5e-4)


# --- Against the benchmark paper, ten crops, per sample -------------------------------------------


def _mostly_consistent(evidence: Evidence) -> Judgment:
    sides = [_by_method(evidence.rows("zsl", table=table)) for table in ("CAL 1", QUOTED)]
    d = (sides[0] - sides[1]).dropna().round(DIGITS)
    near = d.abs() <= CONSISTENT
    notable = near.index.get_level_values("method").isin(["SAE", "ESZSL"])
    what = "Within 5 points of what is quoted, SAE and ESZSL left out"
    found = counted(what, near[~notable], at_least=0.5)
    return replace(found, said=f"{found.said} Of SAE and ESZSL {near[notable].sum()} of 8 are.")


def _crops_help(evidence: Evidence) -> Judgment:
    crops = [
        (evidence.rows("zsl", table="CAL 3"), evidence.rows("zsl", table="CAL 1", split="PS")),
        (
            evidence.rows("H at gamma", table="CAL 3"),
            evidence.rows("H at gamma", table="CAL 2", chosen_for="gzsl"),
        ),
    ]
    d = pd.concat(
        {
            name: (_by_method(ten) - _by_method(one)).dropna().round(DIGITS).droplevel("split")
            for name, (ten, one) in zip(("ZSL", "H"), crops, strict=True)
        }
    )
    d.index = pd.MultiIndex.from_tuples([(f"{name} of {m}", data) for name, m, data in d.index])
    what = "Ten crops above one crop (almost always: nine in ten)"
    return counted(what, d > 0, at_least=MOST)


def _per_sample_like_per_class(evidence: Evidence) -> Judgment:
    gaps = []
    for figure, other in (("zsl", "zsl per sample"), ("H at gamma", "H per sample")):
        both = _pairs(evidence, (figure, "gzsl"), (other, "gzsl"))
        gaps.append(both["second"] - both["first"])
    return difference("Per sample less per class, ZSL and H", pd.concat(gaps), "near")


CLAIMS = (
    Claim(
        id="cal-calibration-lifts",
        paper="CAL",
        section="4.3, table 2",
        statement="Calibration raises H a lot.",
        computed="Mean of H calibrated less plain, λ chosen for ZSL in both.",
        judge=_calibration_lifts,
        tables=("CAL 2",),
        data=BOTH,
    ),
    Claim(
        id="cal-lifts-every-method",
        paper="CAL",
        section="4.3, table 2",
        statement="Calibration raises H for every method.",
        computed="Methods and data sets with H calibrated above plain.",
        judge=_lifts_every_method,
        tables=("CAL 2",),
        data=BOTH,
    ),
    Claim(
        id="cal-lowest-above-highest",
        paper="CAL",
        section="4.3, table 2",
        statement="The lowest H with calibration is close to or above the highest without.",
        computed="Lowest less highest, data set by data set; 2 points are our measure of close.",
        judge=_lowest_above_highest,
        tables=("CAL 2",),
        data=BOTH,
    ),
    Claim(
        id="cal-gzsl-lambda-adds",
        paper="CAL",
        section="4.3, table 2",
        statement="Choosing λ for GZSL adds to calibration.",
        computed="Mean of calibrated H, λ chosen for GZSL less λ chosen for ZSL.",
        judge=_gzsl_lambda_adds,
        tables=("CAL 2",),
        data=BOTH,
    ),
    Claim(
        id="cal-gzsl-lambda-smaller",
        paper="CAL",
        section="4.3",
        statement="Where they differ, λ for GZSL is below λ for ZSL, but for DEVISE on CUB.",
        computed="The weights chosen on the folds, methods with a penalty.",
        judge=_gzsl_lambda_smaller,
        tables=("CAL 2",),
        data=BOTH,
    ),
    Claim(
        id="cal-devise-on-cub",
        paper="CAL",
        section="4.3, table 2",
        statement="DEVISE on CUB, and nothing else, loses by choosing λ for GZSL.",
        computed="Cells that lose H, and whether they are this one.",
        judge=_only_devise_loses,
        tables=("CAL 2",),
        data=BOTH,
    ),
    Claim(
        id="cal-s2v-above-v2s",
        paper="CAL",
        section="4.3, table 1",
        statement="LinearS2V is far above LinearV2S.",
        computed="Mean of ZSL of one less the other.",
        judge=_s2v_above_v2s,
        tables=("CAL 1",),
        data=BOTH,
    ),
    Claim(
        id="cal-sae-like-s2v",
        paper="CAL",
        section="4.3, table 1",
        statement="SAE scored in the visual space comes close to LinearS2V.",
        computed="Mean of the distance of SAE to LinearV2S less that to LinearS2V.",
        judge=_sae_like_s2v,
        tables=("CAL 1",),
        data=BOTH,
    ),
    Claim(
        id="cal-sae-direction",
        paper="CAL",
        section="4.3, table 1",
        statement="SAE gains much by scoring in the visual space.",
        computed="Mean of ZSL in the visual space less in the semantic one.",
        judge=_sae_direction,
        tables=("CAL 1", QUOTED),
        data=BOTH,
    ),
    Claim(
        id="cal-eszsl-raw",
        paper="CAL",
        section="4.3, table 1",
        statement="ESZSL needs prototypes that are not brought to unit length.",
        computed="Mean of ZSL with prototypes as they are less at unit length.",
        judge=_eszsl_wants_raw_prototypes,
        tables=("CAL 1", QUOTED),
        data=BOTH,
    ),
    Claim(
        id="cal-sje-spreads",
        paper="CAL",
        section="4.3, table 1",
        statement="Some methods, as SJE, vary much with their initialisation.",
        computed="Mean deviation of ZSL over seeds; holds if SJE has the largest.",
        judge=_sje_spreads,
        tables=("CAL 1",),
        data=BOTH,
    ),
    Claim(
        id="cal-closed-forms-fixed",
        paper="CAL",
        section="4.3, table 1",
        statement="Closed forms give the same figures in every run.",
        computed="Deviation of ZSL over runs.",
        judge=_closed_forms_do_not_spread,
        tables=("CAL 1",),
        data=BOTH,
    ),
    Claim(
        id="cal-consistent",
        paper="CAL",
        section="4.3, table 1",
        statement="Most reproduced figures agree with the benchmark paper, but for SAE and ESZSL.",
        computed="Cells of table 1 within 5 points of those it quotes; for more than half.",
        judge=_mostly_consistent,
        tables=("CAL 1", QUOTED),
        printed_only=TWO_PAPERS,
        data=BOTH,
    ),
    Claim(
        id="cal-ten-crops",
        paper="CAL",
        section="4.3, table 3",
        statement="Features of ten crops are almost always better.",
        computed="Cells of table 3 above those of tables 1 and 2.",
        judge=_crops_help,
        tables=("CAL 1", "CAL 2", "CAL 3"),
        printed_only=CROPS,
        data=BOTH,
    ),
    Claim(
        id="cal-per-sample",
        paper="CAL",
        section="4.3, table 3",
        statement="Per-sample figures are on average near per-class ones.",
        computed="Mean of per sample less per class, near if within 2 points.",
        judge=_per_sample_like_per_class,
        tables=("CAL 3",),
        data=BOTH,
    ),
)
