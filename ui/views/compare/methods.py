"""Which method ranks first, and is that robust? Every method on several data sets and splits."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from ui import cache, controls, known, terms
from ui.frame import Header, errors_as_sentences, show_tabs
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
from zslcore.analysis.comparison import MEASURES, ComparisonSpec, Measure
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.protocol import Task
from zslcore.methods import METHODS
from zslcore.metrics.accuracy import Average
from zslcore.results.planning import Choice

USUAL = ("simulated-AWA1", "simulated-AWA2", "simulated-aPY")
FIGURES = {in_words(measure): measure for measure in MEASURES}
CHOSEN: dict[str, Choice] = {
    "on all folds": "validated",
    "on each fold": "folds",
    "on the test set": "oracle",
}
TASKS: dict[str, Task] = {"GZSL": "gzsl", "ZSL": "zsl"}
AVERAGES: list[Average] = ["class", "sample"]
#: Lists of what a network was trained on say nothing about data without one.
VOCABULARY = "imagenet-1k"


def show(header: Header) -> None:
    """Choose data sets, splits and methods, and compare them tab by tab."""
    with errors_as_sentences():
        comparison = _choose(header)
        make_missing(comparison)
    show_tabs(TABS, comparison, key="compare_tab")


def _choose(header: Header) -> Comparison:
    names = [*known.names(), *available()]
    usual = list(known.names()) or [name for name in USUAL if name in names]
    chosen = _many("Data sets", names, usual, "compare_datasets")
    # An image-text encoder's features are not among these data sets.
    inductive = [name for name, method in METHODS.items() if not method.card.joint_space]
    usual_methods = [name for name in inductive if METHODS[name].card.usual]
    methods = _many("Methods", inductive, usual_methods, "compare_methods")
    if not chosen or not methods:
        st.info("Choose a data set and a method.", icon=":material/arrow_upward:")
        st.stop()
    datasets = {name: cache.dataset(name) for name in chosen}
    header.mark(*sorted(datasets.values(), key=lambda data: not data.simulated))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        every = list(dict.fromkeys(split for data in datasets.values() for split in data.splits))
        splits = _many("Splits", every, ["PS"] if "PS" in every else every[:1], "compare_splits")
        task, choice, measure, average, without = _choose_figures()
    if not splits:
        st.info("Choose a split.", icon=":material/arrow_upward:")
        st.stop()
    if choice == "oracle":
        _warn_of_oracle(task)
    digests = {name: data.digest for name, data in datasets.items()}
    return Comparison(
        spec=ComparisonSpec(digests, tuple(splits), tuple(methods), TASKS[task]),
        datasets=datasets,
        measure=measure,
        choice=choice,
        average=average,
        left_out=_leaky_classes(datasets) if without else {},
        stored=cache.kept_runs(),
    )


def _choose_figures() -> tuple[str, Choice, Measure, Average, bool]:
    """Return task, choice, measure, mean, and whether leaky classes are left out."""
    task = controls.choose("Parameters for", list(TASKS), key="compare_task", width=150)
    how = controls.choose("Chosen", list(CHOSEN), key="compare_chosen", width=170)
    figure = controls.choose(
        "Metric", list(FIGURES), key="compare_figure", default="H at γ", width=170
    )
    average = controls.choose("Mean per", AVERAGES, key="compare_mean", width=120)
    without = st.toggle(
        "Exclude classes in ImageNet-1K",
        key="compare_leaky",
        bind="query-params",
        help="Unseen classes that certainly are in ImageNet-1K are left out.",
    )
    return task, CHOSEN[how], FIGURES[figure], average, without


def _many(label: str, options: list[str], default: list[str], key: str) -> list[str]:
    """Choose several of ``options``, in their order."""
    chosen = st.multiselect(
        label, options, default, key=key, bind="query-params", help=terms.tip(label)
    )
    return [option for option in options if option in chosen]


def _warn_of_oracle(task: str) -> None:
    st.warning(
        f"{'Parameters' if task == 'ZSL' else 'Parameters and γ'} chosen on the test set: a "
        "bound for each method, never a result.",
        icon=":material/visibility_off:",
    )


def _leaky_classes(datasets: Mapping[str, ZSLDataset]) -> dict[str, frozenset[int]]:
    """Return the unseen classes of every data set that ImageNet-1K has for certain."""
    found = {}
    for name, dataset in datasets.items():
        table = matches_of(dataset, next(iter(dataset.splits.values())), VOCABULARY)
        sure = (table["strength"] == "strong") & (table["decision"] != "rejected")
        found[name] = frozenset(table.loc[sure | (table["decision"] == "confirmed"), "number"])
    return found


def _show_figures(comparison: Comparison) -> None:
    """Show our figures; while there are none, what the benchmark paper found."""
    if not show_table(comparison):
        st.info(
            "None of these runs has been made yet. Meanwhile, what the benchmark paper printed:",
            icon=":material/info:",
        )
        show_printed(comparison)


TABS = {
    "Results": _show_figures,
    "Robustness": show_robustness,
    "Ranks": show_ranks,
    "Curves": show_curves,
    "Which classes": show_classes,
    "Other inputs": show_embeddings,
    "Crops": show_crops,
    "As printed": show_printed,
}
