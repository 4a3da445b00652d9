"""Which method ranks first, and is that robust?"""

import streamlit as st

from ui import cache, controls, terms
from ui.frame import errors_as_sentences, open_page
from ui.sections.compare import (
    Comparison,
    in_words,
    make_missing,
    show_classes,
    show_curves,
    show_robustness,
    show_table,
)
from ui.sections.crops import show_crops
from ui.sections.embeddings import show_embeddings
from ui.sections.ranks import show_printed, show_ranks
from ui.sections.study import matches_of
from ui.visitors import available
from zslcore.analysis.comparison import MEASURES, ComparisonSpec
from zslcore.methods import METHODS

USUAL = ("simulated-AWA1", "simulated-AWA2", "simulated-aPY")
#: An image-text encoder's features are not among these data sets.
INDUCTIVE = [name for name, method in METHODS.items() if not method.card.joint_space]
FIGURES = {in_words(measure): measure for measure in MEASURES}
CHOSEN = {"on all folds": "validated", "on each fold": "folds", "on the test set": "oracle"}
#: Lists of what a network was trained on say nothing about data without one.
VOCABULARY = "imagenet-1k"

header = open_page(
    "Compare", "Which method ranks first, and is that robust?", icon=":material/leaderboard:"
)


def many(label: str, options: list[str], default: list[str], key: str) -> list[str]:
    """Choose several of ``options``, in their order."""
    chosen = st.multiselect(
        label, options, default, key=key, bind="query-params", help=terms.tip(label)
    )
    return [option for option in options if option in chosen]


def leaky_classes(datasets):
    """Return the unseen classes of every data set that ImageNet-1K has for certain."""
    found = {}
    for name, dataset in datasets.items():
        table = matches_of(dataset, next(iter(dataset.splits.values())), VOCABULARY)
        sure = (table["strength"] == "strong") & (table["decision"] != "rejected")
        found[name] = frozenset(table.loc[sure | (table["decision"] == "confirmed"), "number"])
    return found


with errors_as_sentences():
    names = available()
    usual = [name for name in USUAL if name in names]
    chosen = many("Data sets", names, usual, "compare_datasets")
    methods = many("Methods", INDUCTIVE, INDUCTIVE, "compare_methods")
    if not chosen or not methods:
        st.info("Choose a data set and a method.", icon=":material/arrow_upward:")
        st.stop()
    datasets = {name: cache.dataset(name) for name in chosen}
    header.mark(*sorted(datasets.values(), key=lambda data: not data.simulated))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        every = list(dict.fromkeys(split for data in datasets.values() for split in data.splits))
        splits = many("Splits", every, ["PS"] if "PS" in every else every[:1], "compare_splits")
        task = controls.choose("Parameters for", ["GZSL", "ZSL"], key="compare_task", width=150)
        how = controls.choose("Chosen", list(CHOSEN), key="compare_chosen", width=170)
        figure = controls.choose(
            "Figure", list(FIGURES), key="compare_figure", default="H at γ", width=170
        )
        average = controls.choose("Mean per", ["class", "sample"], key="compare_mean", width=120)
        without = st.toggle(
            "Without leaky classes",
            key="compare_leaky",
            bind="query-params",
            help="Unseen classes that certainly are in ImageNet-1K are left out.",
        )
    if not splits:
        st.info("Choose a split.", icon=":material/arrow_upward:")
        st.stop()
    if CHOSEN[how] == "oracle":
        st.warning(
            f"{'Parameters' if task == 'ZSL' else 'Parameters and γ'} chosen on the test set: a "
            "bound for each method, never a result.",
            icon=":material/visibility_off:",
        )
    comparison = Comparison(
        spec=ComparisonSpec(
            {name: data.digest for name, data in datasets.items()},
            tuple(splits),
            tuple(methods),
            task.lower(),
        ),
        datasets=datasets,
        measure=FIGURES[figure],
        choice=CHOSEN[how],
        average=average,
        left_out=leaky_classes(datasets) if without else {},
        kept=cache.kept_runs(),
    )
    make_missing(comparison)


def show_figures(comparison: Comparison) -> None:
    """Show our figures; while there are none, what the benchmark paper found."""
    if not show_table(comparison):
        st.info(
            "None of these runs has been made yet. Meanwhile, what the benchmark paper printed:",
            icon=":material/info:",
        )
        show_printed(comparison)


TABS = {
    "Figures": show_figures,
    "Robustness": show_robustness,
    "Ranks": show_ranks,
    "Curves": show_curves,
    "Which classes": show_classes,
    "Class embeddings": show_embeddings,
    "Crops": show_crops,
    "As printed": show_printed,
}
opened = terms.tabs(list(TABS), key="compare_tab", bind="query-params")
for tab, show in zip(opened, TABS.values(), strict=True):
    if tab.open:
        with tab, errors_as_sentences():
            show(comparison)
