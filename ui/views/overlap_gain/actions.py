"""Do videos of actions in the pre-training set get better accuracy? The gain by draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from ui import cache, controls, planted, waiting
from ui.frame import Header, errors_as_sentences, show_tabs
from ui.sections.actions import (
    FEW,
    PARAMETERS,
    ActionStudy,
    choose_sets,
    in_words,
    show_class,
    show_gains,
    show_semantics,
    show_splits,
    show_table,
)
from zslcore.analysis.action_sets import USUAL_METHODS, splits_of
from zslcore.analysis.actions import (
    CONFIGURATIONS,
    DRAWS,
    PAPER,
    ActionSpec,
    FeatureSet,
    Parameters,
)
from zslcore.datasets import ZSLDataset
from zslcore.jobs import actions
from zslcore.methods import METHODS

NUMBERS = {f"{FEW}, a first look": FEW, f"{DRAWS}, as in the paper": DRAWS}
WRITTEN = {in_words(each): name for name, each in CONFIGURATIONS.items()}
TABS = {
    "Attributes and word vectors": show_semantics,
    "Controlled and released splits": show_splits,
    "One class after the other": show_class,
    "Results": show_table,
}


def show(header: Header) -> None:
    """Choose data, features and methods, and show what known actions gain."""
    with errors_as_sentences():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            configuration, draws, parameters = _choose_study()
        with st.container(horizontal=True, vertical_alignment="bottom"):
            methods = _choose_methods()
        sets, baseline = choose_sets(CONFIGURATIONS[configuration])
        if not methods or len({each.features for each in sets}) < 2:
            st.info(
                "Choose a method, and two kinds of features: one of them is the baseline.",
                icon=":material/arrow_upward:",
            )
            st.stop()
        datasets = {each.dataset: cache.dataset(each.dataset) for each in sets}
        _tell(header, [datasets[each.dataset] for each in sets if each.features != baseline])
        spec = _spec(configuration, sets, methods, parameters, draws, datasets)
        table = waiting.result_of(actions.ask(spec, datasets))
        study = ActionStudy(spec, table, baseline, next(iter(datasets.values())).class_names)
        show_gains(study)
    show_tabs(TABS, study, key="actions_tab")


def _choose_study() -> tuple[str, int, Parameters]:
    """Return configuration, number of draws, and where parameters come from."""
    written = controls.choose(
        "Data set and pre-training", list(WRITTEN), key="actions_configuration"
    )
    draws = controls.choose(
        "Draws of test classes", list(NUMBERS), key="actions_draws", default=list(NUMBERS)[-1]
    )
    parameters = controls.choose(
        "Parameters",
        list(PARAMETERS),
        key="actions_parameters",
        help="As in the paper: those that its section 4.3 states. Chosen on folds: on thirds "
        "of the training classes of every draw, which takes much longer. Defaults: those of "
        "this package.",
    )
    return WRITTEN[written], NUMBERS[draws], PARAMETERS[parameters]


def _choose_methods() -> list[str]:
    methods = st.multiselect(
        "Methods",
        list(dict.fromkeys([*PAPER, *METHODS])),
        USUAL_METHODS,
        key="actions_methods",
        bind="query-params",
    )
    st.button(
        "As in the paper",
        on_click=_as_in_the_paper,
        icon=":material/article:",
        help=f"All five methods, {DRAWS} draws and the stated parameters: 10 to 20 minutes on "
        "two cores, in the background. Finished draws are stored.",
    )
    return methods


def _as_in_the_paper() -> None:
    """Choose all five methods and thirty draws."""
    st.session_state["actions_methods"] = list(PAPER)
    st.session_state["actions_draws"] = list(NUMBERS)[-1]
    st.session_state["actions_parameters"] = "as in the paper"


def _tell(header: Header, of_pretrained: Sequence[ZSLDataset]) -> None:
    """Mark simulated data and say what was planted in them."""
    header.mark(*sorted(of_pretrained, key=lambda data: not data.simulated))
    if about := [planted.about_gain(data) for data in of_pretrained if data.simulated]:
        st.caption(max(about, key=lambda sentence: "the gain is planted" in sentence))


def _spec(
    configuration: str,
    sets: Sequence[FeatureSet],
    methods: Sequence[str],
    parameters: Parameters,
    draws: int,
    datasets: Mapping[str, ZSLDataset],
) -> ActionSpec:
    splits = splits_of(methods)
    spec = ActionSpec(configuration, tuple(sets), tuple(methods), parameters, splits, draws)
    return spec.with_digests({name: data.digest for name, data in datasets.items()})
