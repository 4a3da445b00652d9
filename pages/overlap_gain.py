"""Do classes the extractor had seen get better accuracy?"""

import streamlit as st

from ui import cache, controls, planted, scores, terms
from ui.figures.palette import OVERLAP, UNSEEN
from ui.frame import errors_as_sentences, open_page
from ui.sections.overlap import show_bars, show_figures, show_methods, show_splits
from ui.sections.overlap_class import show_class, show_matches
from ui.sections.overlap_matrix import show_matrix
from ui.sections.study import STRENGTHS, Study, accuracies_on, matches_of
from ui.visitors import available
from zslcore.leakage import VOCABULARY_NAMES
from zslcore.methods import METHODS

USUAL = ("LinearS2V", "LinearV2S", "ESZSL", "SAE")
OUC, TUC = (
    rf"\textcolor{{{mark.color}}}{{\text{{ACC}}_\text{{{which}}}}}"
    for mark, which in ((OVERLAP, "OUC"), (UNSEEN, "TUC"))
)
FORMULA = rf"$\text{{OverlapGain}} = \dfrac{{{OUC} - {TUC}}}{{\frac12({OUC} + {TUC})}}$"

header = open_page(
    "Overlap gain",
    "Do classes the extractor had seen get better accuracy?",
    icon=":material/join_inner:",
)

with errors_as_sentences():
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = available()
        name = controls.choose("Data set", names, key="dataset", default="simulated-AWA2")
        (name,) = planted.choose(name)
        dataset = cache.dataset(name)
        splits = list(dataset.splits)
        split = dataset.split(controls.choose("Split", splits, key="split", default="SS"))
        vocabulary = controls.choose(
            "Extractor trained on", VOCABULARY_NAMES, key="overlap_vocabulary"
        )
        strength = controls.choose("Overlapping are", list(STRENGTHS), key="overlap_strength")
        origin = controls.choose(
            "Parameters",
            ["given", "validated"] if split.folds else ["given"],
            key="overlap_parameters",
            help="Given: every method's defaults, the same for all splits. Validated: chosen on "
            "the folds, which takes longer.",
        )
    chosen, drawn, formula = st.columns([0.5, 0.18, 0.32], vertical_alignment="bottom")
    own = {
        name: each.report.evaluation.per_class_zsl
        for name, each in scores.fitting(dataset, split.name).items()
    }
    methods = chosen.multiselect(
        "Methods", [*METHODS, *own], [*USUAL, *own], key="overlap_methods", bind="query-params"
    )
    header.mark(dataset)
    if told := planted.about_gain(dataset):
        st.caption(told)
    if not methods:
        st.info("Choose a method to begin with.", icon=":material/arrow_upward:")
        st.stop()
    with drawn:
        shown = controls.choose("Method drawn", methods, key="overlap_method")
    formula.markdown(FORMULA)
    of_package = [method for method in methods if method in METHODS]
    study = Study(
        dataset=dataset,
        split=split,
        vocabulary=vocabulary,
        strength=strength,
        methods=tuple(of_package),
        shown=shown,
        given=origin == "given",
        every=matches_of(dataset, split, vocabulary),
        accuracies=accuracies_on(dataset, split, of_package, given=origin == "given"),
        own={name: own[name] for name in methods if name in own},
    )
    show_figures(study)
    show_bars(study)

winners, matrix, by_split, one_class, matches = terms.tabs(
    [
        "Who wins without leaky classes?",
        "Methods × features",
        "SS and PS",
        "One class",
        "Matches",
    ],
    key="overlap_tab",
    bind="query-params",
)
for tab, show in (
    (winners, show_methods),
    (matrix, show_matrix),
    (by_split, show_splits),
    (one_class, show_class),
    (matches, show_matches),
):
    if tab.open:
        with tab, errors_as_sentences():
            show(study)
