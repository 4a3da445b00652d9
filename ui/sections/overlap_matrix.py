"""Gains of methods with several features, on the test classes of a split or over draws of classes.

A tab of Overlap gain. Features of a network that was never trained are the baseline: what is left
of the gain without the baseline's may be due to pre-training.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from ui import cache, controls, tables, waiting
from ui.figures import overlap as figures
from ui.frame import chart
from ui.sections.study import Study
from ui.text import plain
from ui.visitors import available
from zslcore.analysis import overlap_tables
from zslcore.datasets import ZSLDataset
from zslcore.jobs import draws

__all__ = ["DRAWS", "over_draws", "show_matrix"]

OF_SPLIT, DRAWS = "of this split", 30
OF_DRAWS = f"{DRAWS} draws, half of them overlapping"
#: Feature sets that stand side by side, at most.
MOST_FEATURES = 4


def show_matrix(study: Study) -> None:
    """Compare methods and features, among them a baseline that no network was trained for."""
    if not study.methods:
        st.info(
            "Your own scores have one feature set. Choose a method to compare with.",
            icon=":material/info:",
        )
        return
    by_draws = _choose_classes() == OF_DRAWS
    with st.container(horizontal=True, vertical_alignment="bottom"):
        features, baseline = _choose_features(study)
    sets = {name: cache.dataset(name) for name in features}
    if not sets:
        st.info("Choose features to begin with.", icon=":material/arrow_upward:")
        return
    accuracies = over_draws(study, sets) if by_draws else _of_split(study, sets)
    if accuracies is None:
        st.info(
            "Without both kinds of test classes there is nothing to compare; the draws may have "
            "them.",
            icon=":material/info:",
        )
        return
    summary = cache.study_summary(accuracies, baseline)
    methods = len(study.methods)
    chart(
        figures.gain_matrix(summary, baseline),
        f"OverlapGain of {methods} methods with {len(sets)} feature sets, with intervals"
        + (f", and the gain over that of {baseline}." if baseline else "."),
        key="overlap_matrix",
    )
    st.caption(_explained(methods, with_baseline=baseline is not None, over_draws=by_draws))
    _show_table(summary, f"overlap_matrix_{study.dataset.name}", over_draws=by_draws)


def _choose_classes() -> str:
    return st.segmented_control(
        "Test classes",
        [OF_SPLIT, OF_DRAWS],
        default=OF_SPLIT,
        required=True,
        key="overlap_study",
        bind="query-params",
        help="Draws: a fifth of all classes is tested, as many overlapping as others, the rest "
        "trains; parameters are the methods' defaults.",
    )


def _choose_features(study: Study) -> tuple[list[str], str | None]:
    """Choose data sets with the same classes, and which of them is without pre-training."""
    own = study.dataset.name
    same = [
        name
        for name in dict.fromkeys([own, *available()])
        if (name == own or not name.endswith("-full"))
        and overlap_tables.same_classes(study.dataset.class_names, cache.class_names(name))
    ]
    untrained = [name for name in same if name == f"{own.removesuffix('-unplanted')}-untrained"]
    features = st.multiselect(
        "Features of the same classes",
        same,
        [own, *untrained],
        max_selections=MOST_FEATURES,
        key=f"overlap_features_{own}",
        bind="query-params",
        help="Data sets with the same classes in the same order: other extractors, or the features "
        "that you have imported.",
    )
    baseline = controls.choose(
        "Baseline without pre-training",
        ["none", *features],
        key="overlap_baseline",
        default=next((name for name in features if name.endswith("-untrained")), "none"),
        width=260,
    )
    return features, None if baseline == "none" else baseline


def _of_split(study: Study, sets: Mapping[str, ZSLDataset]) -> pd.DataFrame | None:
    """Return accuracies on the test classes of the split, for every feature set that has it."""
    if study.gains is None:
        return None
    name, unseen = study.split.name, set(study.split.unseen_classes)
    found, counts = {}, {}
    for features, data in sets.items():
        same = data.splits.get(name)
        if same is None or set(same.unseen_classes) != unseen:
            st.caption(f"{plain(features)} has no split {plain(name)} with these test classes.")
            continue
        found[features] = study.accuracies_on(data, same)
        counts[features] = overlap_tables.test_images(data, same)
    return overlap_tables.study_of_split(found, study.known, counts) if found else None


def over_draws(study: Study, sets: Mapping[str, ZSLDataset]) -> pd.DataFrame:
    """Return the accuracies of many draws of test classes, which a job computes."""
    asked = draws.ask(list(sets.values()), study.methods, sorted(study.overlapping), DRAWS)
    return waiting.result_of(asked)


def _explained(methods: int, *, with_baseline: bool, over_draws: bool) -> str:
    """Say how the figure is read."""
    return (
        "Lines: 95 % intervals over classes (bootstrap-t). Filled: the interval of a difference "
        "leaves out 0, or p, adjusted after Holm for looking at "
        f"{methods} methods, is below {figures.SIGNIFICANT:g}. "
        + (
            "The baseline was trained on no class, so its gain shows how easy the overlapping "
            "classes are. The rest of the gain of other features may be due to pre-training. "
            if with_baseline
            else "A baseline without pre-training would show whether the overlapping classes are "
            "just easier. "
        )
        + ("A class counts once, with its mean over the draws." if over_draws else "")
    )


def _show_table(summary: pd.DataFrame, name: str, *, over_draws: bool) -> None:
    labels = {
        "features": "features",
        "method": "method",
        "acc_ouc": "ACC_OUC",
        "acc_tuc": "ACC_TUC",
        "gain": "gain",
        "low": "from",
        "high": "to",
        "p": "p",
        "p_holm": "p, Holm",
    }
    if over_draws:
        labels |= {"draw_deviation": "± over draws"}
    if "gain_minus_baseline" in summary:
        labels |= {
            "gain_minus_baseline": "gain − baseline",
            "minus_low": "from ",
            "minus_high": "to ",
        }
    tables.show(
        summary,
        name,
        labels=labels,
        percent=[c for c in labels if c not in ("features", "method", "p", "p_holm")],
        significant=["p", "p_holm"],
        height="content" if len(summary) <= 12 else 440,
    )
