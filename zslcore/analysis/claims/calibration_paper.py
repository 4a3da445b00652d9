"""Claims of the calibration paper (CAL): calibration, lambda for GZSL, simple linear models.

Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical to generalized zero-shot learning: a
simple adaptation process", MMM 2019.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd

from zslcore.analysis.claims.evidence import CannotTellError, Evidence
from zslcore.analysis.claims.judging import (
    NEAR,
    Claim,
    Judgment,
    counted,
    difference,
    signed,
)
from zslcore.analysis.significance import DIGITS

__all__ = ["CLAIMS"]

METHODS = ("LinearV2S", "LinearS2V", "ALE", "DEVISE", "SJE", "ESZSL", "SYNC", "SAE")
#: Methods whose ``lam`` is the weight of a penalty, that shrinks as lambda grows.
WITH_PENALTY = ("LinearV2S", "LinearS2V", "ESZSL", "SYNC", "GFZSL")
CLOSED_FORMS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE")
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
    both = _pairs(evidence, ("H", "zsl"), ("H at gamma", "zsl"))
    hits = (both["second"] > both["first"]).droplevel("split")
    return counted("Calibration lifts H", hits)


def _lowest_above_highest(evidence: Evidence) -> Judgment:
    both = _pairs(evidence, ("H", "zsl"), ("H at gamma", "zsl"))
    of = both.groupby(level="data", sort=False)
    enough = of.size()[of.size() >= len(METHODS)].index
    if not len(enough):
        raise CannotTellError(f"No data set has H of all {len(METHODS)} methods here.")
    d = (of["second"].min() - of["first"].max())[enough].round(DIGITS)
    told = ", ".join(f"{name} {signed(x)}" for name, x in d.items())
    so = (d >= -NEAR).all()
    said = f"Lowest H with calibration less highest without, in points: {told}."
    return Judgment("holds" if so else "does not hold", said, float(d.min()), unit="points")


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
    both = both[both.index.get_level_values("method").isin(WITH_PENALTY)]
    other = both[both["zsl"] != both["gzsl"]].droplevel("split")
    same = len(both) - len(other)
    if other.empty:
        raise CannotTellError(f"λ for GZSL is that for ZSL in all {same} cases here.")
    found = counted("λ for GZSL below λ for ZSL where they differ", other["gzsl"] < other["zsl"])
    return replace(found, said=f"{found.said} In {same} more cases they are the same.")


def _only_devise_loses(evidence: Evidence) -> Judgment:
    both = _pairs(evidence, ("H at gamma", "zsl"), ("H at gamma", "gzsl"))
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
    return counted("SAE nearer to LinearS2V than to LinearV2S", to_s2v < to_v2s)


def _sae_direction(evidence: Evidence) -> Judgment:
    if evidence.body == "printed":
        ours, theirs = (
            evidence.wide("zsl", split=None, table=table, methods=("SAE",))["SAE"]
            for table in ("CAL 1", "GBU 3")
        )
        d = (ours - theirs).dropna()
        what = "SAE scored in the visual space (CAL 1) less as in the benchmark paper (GBU 3)"
    else:
        wide = evidence.wide("zsl", split=None, methods=("SAE", "SAE (V2S)"))
        d = wide["SAE"] - wide["SAE (V2S)"]
        what = "SAE scored in the visual space less in the semantic space"
    return difference(what, d, "above", of="data sets and splits")


def _eszsl_wants_raw_prototypes(evidence: Evidence) -> Judgment:
    if evidence.body == "printed":
        unit, raw = (
            evidence.wide("zsl", split=None, table=table, methods=("ESZSL",))["ESZSL"]
            for table in ("CAL 1", "GBU 3")
        )
        what = "ESZSL of the benchmark paper (GBU 3) less with prototypes of unit length (CAL 1)"
        return difference(what, (raw - unit).dropna(), "above", of="data sets and splits")
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
    mean = rows.groupby("method", sort=False)["spread"].mean()
    if "SJE" not in mean or len(mean) < 4:
        raise CannotTellError("SJE and three other methods need more than one seed; not so here.")
    told = ", ".join(f"{name} {100 * x:.2f}" for name, x in mean.nlargest(4).items())
    so = mean.idxmax() == "SJE"
    said = f"Mean deviation of ZSL over seeds, in points, largest first: {told}."
    return Judgment("holds" if so else "does not hold", said, float(mean["SJE"]), unit="points")


def _closed_forms_do_not_spread(evidence: Evidence) -> Judgment:
    rows = _spreads(evidence)
    rows = rows[rows["method"].isin(CLOSED_FORMS)]
    if rows.empty:
        raise CannotTellError(
            "No closed form was run with more than one seed here: they have none."
        )
    hits = (rows["spread"] < 5e-4).set_axis(pd.MultiIndex.from_frame(rows[["method", "data"]]))
    return counted("Closed forms with a deviation of 0.0 over seeds", hits)


# --- Against the benchmark paper, ten crops, per sample -------------------------------------------


def _consistent_but_two(evidence: Evidence) -> Judgment:
    sides = [
        _by_method(evidence.rows("zsl", table=table, split="PS")) for table in ("CAL 1", "GBU 3")
    ]
    d = (sides[0] - sides[1]).dropna().round(DIGITS).droplevel("split")
    exception = d.index.get_level_values("method").isin(["SAE", "ESZSL"])
    what = "PS: within 5 points of the benchmark paper, or not for SAE and ESZSL; cells as claimed"
    return counted(what, pd.Series((d.abs() > CONSISTENT).to_numpy() == exception, d.index))


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
    what = "Ten crops above one crop (almost always: nine in ten)"
    return counted(what, d > 0, at_least=0.9)


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
    ),
    Claim(
        id="cal-lifts-every-method",
        paper="CAL",
        section="4.3, table 2",
        statement="Calibration raises H for every method.",
        computed="Methods and data sets with H calibrated above plain.",
        judge=_lifts_every_method,
        tables=("CAL 2",),
    ),
    Claim(
        id="cal-lowest-above-highest",
        paper="CAL",
        section="4.3, table 2",
        statement="The lowest H with calibration is close to or above the highest without.",
        computed="Lowest less highest, data set by data set; close is 2 points.",
        judge=_lowest_above_highest,
        tables=("CAL 2",),
    ),
    Claim(
        id="cal-gzsl-lambda-adds",
        paper="CAL",
        section="4.3, table 2",
        statement="Choosing λ for GZSL adds to calibration.",
        computed="Mean of calibrated H, λ chosen for GZSL less λ chosen for ZSL.",
        judge=_gzsl_lambda_adds,
        tables=("CAL 2",),
    ),
    Claim(
        id="cal-gzsl-lambda-smaller",
        paper="CAL",
        section="4.3",
        statement="Where they differ, λ for GZSL is below λ for ZSL.",
        computed="The weights chosen on the folds, methods with a penalty.",
        judge=_gzsl_lambda_smaller,
        tables=("CAL 2",),
    ),
    Claim(
        id="cal-devise-on-cub",
        paper="CAL",
        section="4.3, table 2",
        statement="Only DEVISE on CUB loses by choosing λ for GZSL.",
        computed="Cells that lose H, and whether they are this one.",
        judge=_only_devise_loses,
        tables=("CAL 2",),
    ),
    Claim(
        id="cal-s2v-above-v2s",
        paper="CAL",
        section="4.3, table 1",
        statement="LinearS2V is far above LinearV2S.",
        computed="Mean of ZSL of one less the other.",
        judge=_s2v_above_v2s,
        tables=("CAL 1",),
    ),
    Claim(
        id="cal-sae-like-s2v",
        paper="CAL",
        section="4.3, table 1",
        statement="SAE scored in the visual space comes close to LinearS2V.",
        computed="Whether SAE is nearer to LinearS2V than to LinearV2S.",
        judge=_sae_like_s2v,
        tables=("CAL 1",),
    ),
    Claim(
        id="cal-sae-direction",
        paper="CAL",
        section="4.3, table 1",
        statement="SAE gains much by scoring in the visual space.",
        computed="Mean of ZSL in the visual space less in the semantic one.",
        judge=_sae_direction,
        tables=("CAL 1", "GBU 3"),
    ),
    Claim(
        id="cal-eszsl-raw",
        paper="CAL",
        section="4.3, table 1",
        statement="ESZSL needs prototypes that are not brought to unit length.",
        computed="Mean of ZSL with prototypes as they are less at unit length.",
        judge=_eszsl_wants_raw_prototypes,
        tables=("CAL 1", "GBU 3"),
    ),
    Claim(
        id="cal-sje-spreads",
        paper="CAL",
        section="4.3, table 1",
        statement="SJE varies with its initialisation more than the others.",
        computed="Mean deviation of ZSL over seeds.",
        judge=_sje_spreads,
        tables=("CAL 1",),
    ),
    Claim(
        id="cal-closed-forms-fixed",
        paper="CAL",
        section="4.3, table 1",
        statement="Closed forms give the same figures in every run.",
        computed="Deviation of ZSL over runs.",
        judge=_closed_forms_do_not_spread,
        tables=("CAL 1",),
    ),
    Claim(
        id="cal-consistent",
        paper="CAL",
        section="4.3, table 1",
        statement="Reproduced figures agree with the benchmark paper's, SAE and ESZSL aside.",
        computed="Cells under PS within 5 points.",
        judge=_consistent_but_two,
        tables=("CAL 1", "GBU 3"),
        printed_only=TWO_PAPERS,
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
    ),
    Claim(
        id="cal-per-sample",
        paper="CAL",
        section="4.3, table 3",
        statement="Per-sample figures are on average near per-class ones.",
        computed="Mean of per sample less per class, near if within 2 points.",
        judge=_per_sample_like_per_class,
        tables=("CAL 3",),
    ),
)
