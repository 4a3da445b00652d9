"""Do classes the extractor was trained on get better accuracy? The study over 30 draws of classes.

One split has few test classes, and says little. Here test classes are drawn 30 times, half of them
known to the extractor, and a class counts once.
"""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui import cache, controls, planted, terms
from ui.figures import overlap as figures
from ui.frame import Header, chart, errors_as_sentences
from ui.numbers import percent, three_digits
from ui.sections.overlap_matrix import DRAWS, over_draws
from ui.sections.study import STRENGTHS, Study, matches_of
from ui.text import plain
from ui.visitors import available
from zslcore.analysis import overlap_tables
from zslcore.datasets import ZSLDataset
from zslcore.leakage import VOCABULARY_NAMES
from zslcore.methods import METHODS

#: Drawn first; with them the result comes with the package.
USUAL = ("LinearS2V",)
DATASET = "simulated-AWA2"
BASELINE = "-untrained"


def show(header: Header) -> None:
    """Choose data and methods, and show the gain over the draws."""
    with errors_as_sentences():
        with st.container(horizontal=True, vertical_alignment="bottom"):
            dataset = _choose_dataset()
            vocabulary = controls.choose(
                "Extractor trained on", VOCABULARY_NAMES, key="draws_vocabulary"
            )
            methods = st.multiselect(
                "Methods", list(METHODS), USUAL, key="draws_methods", bind="query-params"
            )
        header.mark(dataset)
        if not methods:
            st.info("Choose a method to begin with.", icon=":material/arrow_upward:")
            st.stop()
        study = _study(dataset, vocabulary, tuple(methods))
        sets = {name: cache.dataset(name) for name in _features(dataset)}
        baseline = next((name for name in sets if name.endswith(BASELINE)), None)
        accuracies = over_draws(study, sets)
        summary = cache.study_summary(accuracies, baseline)
    _tell(summary, dataset, vocabulary)
    _show_classes(accuracies, summary, dataset)
    chart(
        figures.gain_matrix(summary, baseline),
        f"OverlapGain over {DRAWS} draws of test classes, with intervals.",
        key="draws_matrix",
    )
    about = planted.about_gain(dataset)
    st.caption(
        f"{about} Bars: mean accuracy of each class over the draws that test it, with its range. "
        "Lines below: 95 % intervals over classes. Filled: p, adjusted after Holm, is below "
        f"{figures.SIGNIFICANT:g}. Untrained features show how easy these classes are without "
        "pre-training."
    )


def _choose_dataset() -> ZSLDataset:
    names = [name for name in available() if not name.endswith(BASELINE)]
    name = controls.choose("Data set", names, key="draws_dataset", default=DATASET)
    (name,) = planted.choose(name)
    return cache.dataset(name)


def _features(dataset: ZSLDataset) -> list[str]:
    """Return the data set, and the same classes with features of an untrained network."""
    untrained = dataset.name.removesuffix("-unplanted") + BASELINE
    return [dataset.name, *[name for name in available() if name == untrained]]


def _study(dataset: ZSLDataset, vocabulary: str, methods: tuple[str, ...]) -> Study:
    split = next(iter(dataset.splits.values()))
    return Study(
        dataset=dataset,
        split=split,
        vocabulary=vocabulary,
        strength=next(iter(STRENGTHS)),
        methods=methods,
        shown=methods[0],
        given=True,
        every=matches_of(dataset, split, vocabulary),
        accuracies={},
    )


def _first(table: pd.DataFrame, dataset: ZSLDataset) -> pd.Series:
    """Return the first row with the features of a data set: that of the first method."""
    return table[table["features"] == dataset.name].iloc[0]


def _show_classes(accuracies: pd.DataFrame, summary: pd.DataFrame, dataset: ZSLDataset) -> None:
    """Draw every class with the first method, best first."""
    row = _first(summary, dataset)
    own = accuracies[["features", "method"]].eq([dataset.name, row["method"]]).all(axis=1)
    table = overlap_tables.classes_over_draws(accuracies[own], dataset.class_names)
    chart(
        figures.class_accuracy_bars(table, {True: row["acc_ouc"], False: row["acc_tuc"]}, ""),
        f"Accuracy of {len(table)} classes with {row['method']}, mean of the draws that test each, "
        "best first; lines: lowest and highest draw.",
        key="draws_classes",
    )


def _tell(summary: pd.DataFrame, dataset: ZSLDataset, vocabulary: str) -> None:
    """Say the gain of the first method in a sentence and four metrics."""
    row = _first(summary, dataset)
    gains = row["p_holm"] < figures.SIGNIFICANT
    better = "better than" if gains else "not demonstrably better than"
    st.markdown(
        f"Over {DRAWS} draws, {plain(row['method'])} recognises classes of {plain(vocabulary)} "
        f"**{better}** other test classes: {percent(row['acc_ouc'])} against "
        f"{percent(row['acc_tuc'])} (p = {three_digits(row['p_holm'])})."
    )
    with st.container(horizontal=True, key="draws_numbers"):
        terms.metric("ACC_OUC", percent(row["acc_ouc"]))
        terms.metric("ACC_TUC", percent(row["acc_tuc"]))
        terms.metric(
            "OverlapGain",
            percent(row["gain"]),
            delta=f"{percent(row['low'])} to {percent(row['high'])}",
            delta_color="off",
            delta_arrow="off",
        )
        terms.metric("p", three_digits(row["p_holm"]))
