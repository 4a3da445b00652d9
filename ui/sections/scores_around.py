"""Context of a score matrix: pre-training overlap and published results."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui import controls, tables
from ui.scores import Brought
from ui.sections.gain import show_gain
from ui.sections.split_of_scores import show_split_of
from ui.sections.study import STRENGTHS
from ui.text import plain
from zslcore.analysis.overlap_tables import gain_figures
from zslcore.evaluation import State
from zslcore.leakage import VOCABULARY_NAMES, get_vocabulary
from zslcore.scores.context import gain_in, printed_figures, unseen_among
from zslcore.scores.words import Words

__all__ = ["show_overlap", "show_printed"]


def show_overlap(first: Brought, words: Words) -> None:
    """Say which split it was, which unseen classes an extractor knew, and what they gain."""
    m = first.matrix
    show_split_of(m)
    with st.container(horizontal=True):
        name = controls.choose("Extractor trained on", VOCABULARY_NAMES, key="scores_vocabulary")
        strength = controls.choose("Count as overlap", list(STRENGTHS), key="scores_strength")
    table = unseen_among(m, get_vocabulary(name))
    known = table.loc[table["strength"].isin(STRENGTHS[strength]), "number"]
    _show_gain(first, list(known), name, words)
    table["overlapping"] = table["number"].isin(known)
    table["accuracy"] = table["number"].map(first.report.evaluation.per_class_zsl)
    tables.show(
        table[["class", "overlapping", "strength", "match", "accuracy"]],
        f"scores_overlap_{m.digest}",
        labels={
            "class": f"{words.unseen} class",
            "overlapping": "overlapping",
            "strength": "match is",
            "match": "class of the extractor",
            "accuracy": "ZSL accuracy",
        },
        percent=["accuracy"],
    )
    st.caption("What your extractor was trained on is not in the file; choose it above.")


def _show_gain(first: Brought, known: list[int], vocabulary: str, words: Words) -> None:
    gain = gain_in(first.report, known)
    n = len(first.report.evaluation.per_class_zsl)
    if gain is None:
        which = "All" if known else "None"
        st.markdown(f"{which} of the {n} {words.unseen} classes are among those of {vocabulary}.")
        return
    show_gain(gain_figures(gain), gain.n_ouc, gain.n_tuc)


def show_printed(first: Brought) -> None:
    """Show what papers printed for the same test set, with these scores as the first row."""
    m, e = first.matrix, first.report.evaluation
    if not m.benchmark:
        st.info(
            "The test images are not recognised as those of AWA1, AWA2, CUB, SUN or aPY, so "
            "there are no published results to compare with.",
            icon=":material/info:",
        )
        return
    ours = {"method": m.name, "paper": "your scores", "state": first.state.value, "zsl": e.zsl}
    if e.plain is not None:
        ours |= {"u": e.plain.unseen, "s": e.plain.seen, "H": e.plain.harmonic}
    if first.gamma is not None and e.calibrated is not None:
        ours["H calibrated"] = e.calibrated.harmonic
    printed = printed_figures(m.benchmark, m.split).assign(state=State.PRINTED.value)
    table = pd.concat([pd.DataFrame([ours]), printed], ignore_index=True)
    figures = ["zsl", "u", "s", "H", "H calibrated"]
    tables.show(
        table.astype(dict.fromkeys(figures, float)),
        f"scores_printed_{m.digest}",
        labels={
            "method": "method",
            "paper": "from",
            "state": "state",
            "zsl": "ZSL",
            "u": "u",
            "s": "s",
            "H": "H",
            "H calibrated": "H calibrated",
        },
        percent=figures,
        height=480,
    )
    if e.ausuc is not None:  # which papers print with two decimals
        st.caption(f"AUSUC of your scores: {100 * e.ausuc:.2f} %.")
    st.caption(
        f"Published results on {plain(m.benchmark)}, split {m.split}, with ResNet-101 features. u, "
        "s and H are those of γ = 0. Printed H calibrated: parameters and γ tuned for GZSL on "
        "validation classes; yours: at the γ validated for your scores."
    )
