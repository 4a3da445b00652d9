"""Do videos of actions that the extractor had seen get better accuracy?"""

import streamlit as st

from ui import cache, controls, planted, terms, waiting
from ui.frame import errors_as_sentences, open_page
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
from zslcore.analysis.actions import CONFIGURATIONS, DRAWS, PAPER, ActionSpec
from zslcore.jobs import actions
from zslcore.methods import METHODS

#: Quick ones to begin with.
USUAL = ("CONSE", "SYNC ovo")
NUMBERS = {f"{FEW}, a first look": FEW, f"{DRAWS}, as in the paper": DRAWS}
WRITTEN = {in_words(each): name for name, each in CONFIGURATIONS.items()}

header = open_page(
    "Actions",
    "Do videos of actions that the extractor had seen get better accuracy?",
    icon=":material/sports_gymnastics:",
)


def as_in_the_paper() -> None:
    """Choose all five methods and thirty draws."""
    st.session_state["actions_methods"] = list(PAPER)
    st.session_state["actions_draws"] = list(NUMBERS)[-1]
    st.session_state["actions_parameters"] = "as in the paper"


with errors_as_sentences():
    with st.container(horizontal=True, vertical_alignment="bottom"):
        configuration = WRITTEN[
            controls.choose("Data set and pre-training", list(WRITTEN), key="actions_configuration")
        ]
        draws = controls.choose("Draws of test classes", list(NUMBERS), key="actions_draws")
        parameters = controls.choose(
            "Parameters",
            list(PARAMETERS),
            key="actions_parameters",
            help="As in the paper: those that its section 4.3 states. Chosen on folds: on thirds "
            "of the training classes of every draw, which takes much longer. Defaults: those of "
            "this package.",
        )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        methods = st.multiselect(
            "Methods",
            list(dict.fromkeys([*PAPER, *METHODS])),
            USUAL,
            key="actions_methods",
            bind="query-params",
        )
        st.button(
            "As in the paper",
            on_click=as_in_the_paper,
            icon=":material/article:",
            help=f"All five methods, {DRAWS} draws and the stated parameters: 10 to 20 minutes on "
            "two cores, in the background. What is finished is kept.",
        )
    sets, baseline = choose_sets(CONFIGURATIONS[configuration])
    if not methods or len({each.features for each in sets}) < 2:
        st.info(
            "Choose a method, and two kinds of features: one of them is the baseline.",
            icon=":material/arrow_upward:",
        )
        st.stop()
    datasets = {each.dataset: cache.dataset(each.dataset) for each in sets}
    of_pretrained = [datasets[each.dataset] for each in sets if each.features != baseline]
    header.mark(*sorted(of_pretrained, key=lambda data: not data.simulated))
    if told := [planted.about_gain(data) for data in of_pretrained if data.simulated]:
        st.caption(max(told, key=lambda sentence: "the gain is planted" in sentence))
    spec = ActionSpec(
        configuration,
        sets,
        tuple(methods),
        PARAMETERS[parameters],
        ("controlled", "released") if "BiDiLEL" in methods else ("controlled",),
        NUMBERS[draws],
    ).with_digests({name: data.digest for name, data in datasets.items()})
    table = waiting.result_of(actions.ask(spec, datasets))
    study = ActionStudy(spec, table, baseline, next(iter(datasets.values())).class_names)
    show_gains(study)

TABS = {
    "Attributes and word vectors": show_semantics,
    "Controlled and released splits": show_splits,
    "One class after the other": show_class,
    "Figures": show_table,
}
opened = terms.tabs(list(TABS), key="actions_tab", bind="query-params")
for tab, show in zip(opened, TABS.values(), strict=True):
    if tab.open:
        with tab, errors_as_sentences():
            show(study)
