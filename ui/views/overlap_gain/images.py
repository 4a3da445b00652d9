"""Which test classes are in the pre-training set? The gain of overlapping classes."""

from __future__ import annotations

import streamlit as st

from ui import cache, controls, planted, scores
from ui.figures.palette import OVERLAP, UNSEEN
from ui.frame import Header, errors_as_sentences, show_tabs
from ui.sections.overlap import show_bars, show_figures, show_methods, show_splits
from ui.sections.overlap_class import show_class, show_matches
from ui.sections.overlap_distance import show_distance
from ui.sections.overlap_matrix import show_matrix
from ui.sections.study import STRENGTHS, Study, accuracies_on, matches_of
from ui.visitors import available
from zslcore.datasets import Split, ZSLDataset
from zslcore.leakage import VOCABULARY_NAMES
from zslcore.methods import METHODS

USUAL = ("LinearS2V", "LinearV2S", "ESZSL", "SAE")
TABS = {
    "Who wins without leaky classes?": show_methods,
    "Methods × features": show_matrix,
    "SS and PS": show_splits,
    "Distance": show_distance,
    "One class": show_class,
    "Matches": show_matches,
}


def show(header: Header) -> None:
    """Choose a split and what the extractor was trained on, and show the gain."""
    with errors_as_sentences():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            dataset, split = _choose_split()
            vocabulary, strength, given = _choose_overlap(split)
        study = _study(header, dataset, split, vocabulary, strength, given=given)
        show_figures(study)
        show_bars(study)
    show_tabs(TABS, study, key="overlap_tab")


def _choose_split() -> tuple[ZSLDataset, Split]:
    names = available()
    name = controls.choose("Data set", names, key="dataset", default="simulated-AWA2")
    (name,) = planted.choose(name)
    dataset = cache.dataset(name)
    default = _default_split(dataset)
    chosen = controls.choose("Split", list(dataset.splits), key="overlap_split", default=default)
    return dataset, dataset.split(chosen)


def _default_split(dataset: ZSLDataset) -> str:
    """Return the split of the address, of another view perhaps; SS where that has no gain."""
    asked = dataset.splits.get(st.query_params.get("split", ""))
    if asked is not None:
        every = matches_of(dataset, asked, VOCABULARY_NAMES[0])
        known = every["number"][every["counts"].astype(bool)]
        if 0 < len({*known} & {*asked.unseen_classes.tolist()}) < len(asked.unseen_classes):
            return asked.name
    return "SS"


def _choose_overlap(split: Split) -> tuple[str, str, bool]:
    """Return vocabulary, strength of an overlap, and whether parameters are the defaults."""
    vocabulary = controls.choose("Extractor trained on", VOCABULARY_NAMES, key="overlap_vocabulary")
    strength = controls.choose("Count as overlap", list(STRENGTHS), key="overlap_strength")
    origin = controls.choose(
        "Parameters",
        ["given", "validated"] if split.folds else ["given"],
        key="overlap_parameters",
        help="Given: every method's defaults, the same for all splits. Validated: chosen on "
        "the folds, which takes longer.",
    )
    return vocabulary, strength, origin == "given"


def _study(
    header: Header,
    dataset: ZSLDataset,
    split: Split,
    vocabulary: str,
    strength: str,
    *,
    given: bool,
) -> Study:
    """Choose methods and return their accuracy class by class."""
    fitting = scores.fitting(dataset, split.name)
    own = {name: each.report.evaluation.per_class_zsl for name, each in fitting.items()}
    methods, shown = _choose_methods(header, dataset, list(own))
    of_package = [method for method in methods if method in METHODS]
    return Study(
        dataset=dataset,
        split=split,
        vocabulary=vocabulary,
        strength=strength,
        methods=tuple(of_package),
        shown=shown,
        given=given,
        every=matches_of(dataset, split, vocabulary),
        accuracies=accuracies_on(dataset, split, of_package, given=given),
        own={name: own[name] for name in methods if name in own},
    )


def _formula() -> str:
    """Return the gain, in the colours of the viewer's theme."""
    ouc, tuc = (
        rf"\textcolor{{{mark.color}}}{{\text{{ACC}}_\text{{{which}}}}}"
        for mark, which in ((OVERLAP, "OUC"), (UNSEEN, "TUC"))
    )
    return rf"$\text{{OverlapGain}} = \dfrac{{{ouc} - {tuc}}}{{\frac12({ouc} + {tuc})}}$"


def _choose_methods(header: Header, dataset: ZSLDataset, own: list[str]) -> tuple[list[str], str]:
    """Return the methods, and the one that is drawn."""
    chosen, drawn, formula = st.columns([0.5, 0.18, 0.32], vertical_alignment="bottom")
    methods = chosen.multiselect(
        "Methods", [*METHODS, *own], [*USUAL, *own], key="overlap_methods", bind="query-params"
    )
    header.mark(dataset)
    if about := planted.about_gain(dataset):
        st.caption(about)
    if not methods:
        st.info("Choose a method to begin with.", icon=":material/arrow_upward:")
        st.stop()
    with drawn:
        shown = controls.choose("Show", methods, key="overlap_method")
    formula.markdown(_formula())
    return methods, shown
