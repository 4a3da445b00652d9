"""Accuracy of test classes in and outside the pre-training set, and rankings without overlap.

The heading and two tabs of Overlap gain. Each function needs nothing of the page but the
:class:`ui.sections.study.Study` that it has made.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from ui import tables
from ui.figures import overlap as figures
from ui.frame import chart
from ui.numbers import percent, points
from ui.sections.gain import show_gain
from ui.sections.study import Study
from ui.text import plain
from zslcore.analysis import overlap_tables

__all__ = ["show_bars", "show_figures", "show_methods", "show_splits"]


# --- Overlapping and clean ------------------------------------------------------------------------


def show_figures(study: Study) -> None:
    """Say the gain of the method that is drawn, or why there is none."""
    gain, known, n = study.gain, len(study.known), len(study.matches)
    if gain is None:
        _show_no_gain(study)
        return
    show_gain({str(name): value for name, value in gain.items()}, known, n - known)


def _show_no_gain(study: Study) -> None:
    """Say which kind of classes is missing, and lead to a split that has both."""
    which, verb = ("All", "are") if study.known else ("None", "is")
    st.info(
        f"{which} of the {len(study.matches)} test classes of {plain(study.dataset.name)} "
        f"({plain(study.split.name)}) {verb} among those of {study.vocabulary}, so "
        "there is no gain to compute. The split SS of simulated AWA2 has both kinds.",
        icon=":material/info:",
    )
    st.button(
        "Open simulated AWA2, split SS",
        icon=":material/arrow_forward:",
        on_click=_look_at_stand_in,
    )


def _look_at_stand_in() -> None:
    """Choose a split with both kinds of classes; a link from a page to itself does nothing."""
    st.session_state["dataset"], st.session_state["overlap_split"] = "simulated-AWA2", "SS"


def show_bars(study: Study) -> None:
    """Draw every test class, best first; a click shows details."""
    gain, means, sides = study.gain, {}, ""
    if gain is not None:
        means = {True: gain["overlap"], False: gain["clean"]}
        sides = (
            f" The {len(study.known)} overlapping ones, in another colour, average "
            f"{percent(gain['overlap'])}, the others {percent(gain['clean'])}."
        )
    classes = list(study.table["class"])
    chart(
        figures.class_accuracy_bars(study.table, means, st.session_state.get("overlap_class", "")),
        f"Accuracy of {len(study.matches)} test classes with {study.shown}, best first.{sides}",
        key="overlap_bars",
        on_select=lambda: _pick(classes),
        selection_mode="points",
    )
    st.caption(
        "Bars: accuracy among the unseen classes, with the exact binomial 95 % interval over the "
        "images of each; click one for details. Classes differ in difficulty, and those an "
        "extractor was trained on may be easy ones: a gain is a correlation, not a cause."
    )


def _pick(classes: Sequence[str]) -> None:
    """Show the details of the class that was clicked, one of ``classes`` as they were drawn."""
    clicked = st.session_state["overlap_bars"].selection.points
    if clicked:
        wanted = classes[clicked[0]["x"]]
        if "overlap_class" not in st.session_state:
            st.query_params["overlap_class"] = wanted  # its widget will not, when first drawn
        st.session_state["overlap_class"] = wanted
        st.session_state["overlap_tab"] = "One class"


# --- Who wins without leaky classes? --------------------------------------------------------------


def show_methods(study: Study) -> None:
    """Compare the methods, with and without the overlapping classes."""
    gains = study.gains
    if gains is None:
        st.info("Without both kinds of classes there is one ranking only.", icon=":material/info:")
        return
    clean_only = st.toggle("Without overlapping classes", key="overlap_clean", bind="query-params")
    first, best = overlap_tables.winners(gains)
    of = gains.set_index("method")
    if clean_only:
        of_best = f"{percent(of['clean'][best])} on the clean classes alone"
        st.markdown(f"**{best} wins** with {of_best}; on all classes {first} does.")
    else:
        st.markdown(f"**{first} wins** with {percent(of['all'][first])} on all test classes.")
    left, right = st.columns([0.62, 0.38], gap="medium")
    with left:
        _show_ranking(study, gains, "rank_clean" if clean_only else "rank_all")
    with right:
        chart(
            figures.clean_slopes(gains),
            f"Accuracy on all test classes, where {first} is best, and on the clean ones, where "
            f"{best} is.",
            key="overlap_slopes",
        )


def _show_ranking(study: Study, gains: pd.DataFrame, order: str) -> None:
    tables.show(
        gains.sort_values(order, kind="stable"),
        f"overlap_{study.dataset.name}_{study.split.name}",
        labels={
            order: "rank",
            "method": "method",
            "all": "All",
            "clean": "Clean",
            "overlap": "Overlap",
            "gain": "gain",
            "low": "from",
            "high": "to",
            "p": "p",
            "p_holm": "p, Holm",
        },
        percent=["all", "clean", "overlap", "gain", "low", "high"],
        significant=["p", "p_holm"],
        height="content",
    )
    st.caption(
        f"p is adjusted by Holm because {len(gains)} methods are tested. “Drop without overlap” is "
        "the difference that the overlapping classes make to a published result."
    )


# --- SS and PS ------------------------------------------------------------------------------------


def show_splits(study: Study) -> None:
    """Ask the same of every split."""
    splits = study.dataset.splits.values()
    by_split = {split.name: study.accuracies_on(study.dataset, split) for split in splits}
    by_split[study.split.name] = study.all_accuracies
    known = {split.name: study.known_of(split) for split in splits}
    rows = []
    for method in study.all_accuracies:
        of_method = {name: of[method] for name, of in by_split.items() if method in of}
        rows.append(overlap_tables.gains_by_split(of_method, known).assign(method=method))
    found = pd.concat(rows, ignore_index=True)
    of_shown = found[found["method"] == study.shown]
    if {"SS", "PS"} <= set(of_shown["split"]):
        st.markdown(_both_splits(of_shown, study.shown))
    tables.show(
        found,
        f"overlap_splits_{study.dataset.name}",
        labels={
            "method": "method",
            "split": "split",
            "classes": "test classes",
            "overlapping": "overlapping",
            "all": "All",
            "clean": "Clean",
            "overlap": "Overlap",
            "all_minus_clean": "Drop without overlap",
            "gain": "gain",
            "low": "from",
            "high": "to",
            "p": "p",
        },
        percent=["all", "clean", "overlap", "all_minus_clean", "gain", "low", "high"],
        significant=["p"],
        height="content" if len(found) <= 12 else 440,
    )
    st.caption(
        "SS was drawn without regard to the extractor. PS has no test class of ImageNet-1K. "
        "The two splits test other classes, so their difference is not the overlap alone."
    )


def _both_splits(table: pd.DataFrame, method: str) -> str:
    """Say what a method reaches on SS and on PS, and the difference."""
    of = table.set_index("split").T
    ss, ps = of["SS"], of["PS"]
    clean = ""
    if ss["overlapping"] and pd.notna(ss["clean"]):
        clean = f", and {percent(ss['clean'])} on its clean classes alone"
    return (
        f"**{method}** reaches {percent(ss['all'])} on SS, where {ss['overlapping']} of "
        f"{ss['classes']} test classes are in the pre-training set{clean}; on PS, where "
        f"{ps['overlapping']} of {ps['classes']} are, {percent(ps['all'])}: "
        f"{points(ps['all'] - ss['all'])}."
    )
