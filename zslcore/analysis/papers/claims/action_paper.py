"""Claims of the paper on action recognition (FAIR): what classes known to the extractor gain.

K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos",
VISAPP 2021. Its claims are about videos, and there are no features of videos here.
"""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from zslcore.analysis.papers.claims.evidence import Evidence
from zslcore.analysis.papers.claims.judging import (
    MOST,
    Claim,
    Judgment,
    counted,
    difference,
    signed,
)
from zslcore.metrics.significance import DIGITS

__all__ = ["CLAIMS"]

SETS = ("UCF101", "HMDB51")
VIDEOS = "No features of videos are kept here."
#: Accuracies that the paper calls not significantly different lie within so much.
SAME = 0.01


def _gains(evidence: Evidence, **where: str) -> pd.Series:
    t = evidence.tables["overlap_gain_action"]
    for column, value in where.items():
        t = t[t[column] == value]
    cases = pd.MultiIndex.from_frame(t[["method", "configuration", "semantics"]])
    return t["overlap_gain_minus_idt"].set_axis(cases).round(DIGITS)


def _between(what: str, gains: pd.Series, low: float, high: float) -> Judgment:
    found = counted(what, (gains >= low) & (gains <= high))
    return replace(found, said=f"{found.said} {_from_to(gains, '.2f')}")


def _from_to(gains: pd.Series, form: str) -> str:
    return f"From {signed(gains.min(), form)} to {signed(gains.max(), form)} %."


def _all_gain(evidence: Evidence) -> Judgment:
    return _between("Gains of 5.75 to 51.94 %", _gains(evidence), 0.0575, 0.5194)


def _attributes_gain(evidence: Evidence) -> Judgment:
    gains = _gains(evidence, semantics="attributes", dataset="UCF101")
    return _between("Gains of 17.84 to 51.94 %", gains, 0.1784, 0.5194)


def _word2vec_gains(evidence: Evidence) -> Judgment:
    gains = _gains(evidence, semantics="word2vec", dataset="UCF101")
    return _between("Gains of 10.14 to 39.21 %", gains, 0.1014, 0.3921)


def _attributes_gain_more(evidence: Evidence) -> Judgment:
    t = evidence.tables["overlap_gain_action"]
    wide = t.pivot_table("overlap_gain_minus_idt", ["configuration", "method"], "semantics")
    d = (wide["attributes"] - wide["word2vec"]).dropna()
    what = "Gain with attributes less with word2vec"
    return difference(what, d, "above", of="methods and configurations")


def _conse_is_the_exception(evidence: Evidence) -> Judgment:
    gains = _gains(evidence, configuration="OS1", semantics="word2vec")
    conse = gains.index.get_level_values("method") == "CONSE"
    return counted(
        "OS1, word2vec: a gain, and none for CONSE alone",
        pd.Series((gains < 0).to_numpy() == conse, gains.index),
    )


def _splits(evidence: Evidence, features: str) -> pd.Series:
    """Return controlled less previous splits, by data set and semantics."""
    t = evidence.tables["action_bidilel_splits"]
    wide = t[t["features"] == features].pivot_table("top1", ["dataset", "semantics"], "splits")
    return (wide["controlled"] - wide["previous"]).round(DIGITS)


def _more_overlap_more_accuracy(evidence: Evidence) -> Judgment:
    d = _splits(evidence, "C3D")
    found = counted(
        "C3D: controlled splits, which have more known classes, above the former", d > 0
    )
    told = ", ".join(signed(x) for x in d)
    return replace(found, said=f"{found.said} The differences are {told} points.")


def _baseline_stays(evidence: Evidence) -> Judgment:
    d = _splits(evidence, "IDT")
    return counted("IDT: both splits within one point", d.abs() <= SAME)


def _known_classes_gain(evidence: Evidence) -> Judgment:
    return counted("OverlapGain above the baseline's", _gains(evidence) > 0, at_least=MOST)


CLAIMS = (
    Claim(
        id="fair-known-classes-gain",
        paper="FAIR",
        section="5.1",
        statement="Classes that the extractor was trained on get higher accuracies.",
        computed="The printed gains over the baseline above zero; for nine in ten.",
        judge=_known_classes_gain,
        printed_only=VIDEOS,
        data=SETS,
    ),
    Claim(
        id="fair-all-gain",
        paper="FAIR",
        section="abstract",
        statement="Known classes gain between 5.75 and 51.94 %.",
        computed="The printed gains over the baseline in that range.",
        judge=_all_gain,
        printed_only=VIDEOS,
        data=SETS,
    ),
    Claim(
        id="fair-attributes-gain",
        paper="FAIR",
        section="6",
        statement="On UCF101 with attributes known classes gain 17.84 to 51.94 %.",
        computed="The printed gains over the baseline in that range.",
        judge=_attributes_gain,
        printed_only=VIDEOS,
        data=SETS,
    ),
    Claim(
        id="fair-word2vec-gain",
        paper="FAIR",
        section="6",
        statement="On UCF101 with word2vec known classes gain 10.14 to 39.21 %.",
        computed="The printed gains over the baseline in that range.",
        judge=_word2vec_gains,
        printed_only=VIDEOS,
        data=SETS,
    ),
    Claim(
        id="fair-attributes-more",
        paper="FAIR",
        section="5.1",
        statement="The gain is larger with attributes than with word2vec.",
        computed="Paired difference of the printed gains.",
        judge=_attributes_gain_more,
        printed_only=VIDEOS,
        data=SETS,
    ),
    Claim(
        id="fair-conse-exception",
        paper="FAIR",
        section="5.1",
        statement="With Kinetics-400 and word2vec all methods but CONSE gain on UCF101.",
        computed="Signs of the printed gains.",
        judge=_conse_is_the_exception,
        printed_only=VIDEOS,
        data=SETS,
    ),
    Claim(
        id="fair-more-overlap",
        paper="FAIR",
        section="5.2, table 4",
        statement=(
            "The more known classes a test set has, the higher the accuracy of pre-trained "
            "features."
        ),
        computed="C3D on controlled less on former splits.",
        judge=_more_overlap_more_accuracy,
        printed_only=VIDEOS,
        data=SETS,
    ),
    Claim(
        id="fair-baseline-stays",
        paper="FAIR",
        section="5.2, table 4",
        statement="Features without pre-training give the same on both kinds of splits.",
        computed="IDT on controlled and on former splits, within one point.",
        judge=_baseline_stays,
        printed_only=VIDEOS,
        data=SETS,
    ),
)
