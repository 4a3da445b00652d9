"""Which class embedding is best: attributes, word vectors, a hierarchy, on the same images.

A tab of Compare methods.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd
import streamlit as st

from ui import controls, tables
from ui.figures.embeddings import embedding_intervals
from ui.frame import chart
from ui.sections.compare import Comparison
from ui.text import plain
from zslcore.analysis import class_embeddings
from zslcore.analysis.class_embeddings import FIGURES

__all__ = ["show_embeddings"]

WORDS = {name.replace("gamma", "γ"): name for name in FIGURES}


def show_embeddings(comparison: Comparison) -> None:
    """Compare embeddings on the chosen data sets, where these have the same images, or as measured.

    Parameters
    ----------
    comparison : Comparison
    """
    found = {**_of_runs(comparison), **class_embeddings.measured_embeddings()}
    if not found:
        st.info("Nothing has been measured yet.", icon=":material/info:")
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        data = controls.choose("Images", list(found), key="compare_images")
        table = found[data]
        embeddings = list(dict.fromkeys(table["embedding"]))
        reference = controls.choose("Compared with", embeddings, key="compare_reference")
        figure = WORDS[controls.choose("Metric", list(WORDS), key="compare_embedding_figure")]
    compared = class_embeddings.compare_embeddings(table, reference)
    st.markdown(plain(class_embeddings.in_a_sentence(compared, reference)))
    chart(
        embedding_intervals(compared, figure),
        f"{figure.replace('gamma', 'γ')} of {compared['method'].nunique()} methods under "
        f"{len(embeddings)} class embeddings on {data}, with 95 % intervals over test classes.",
        key="compare_embeddings",
    )
    _show_table(compared, figure, reference)


def _show_table(compared: pd.DataFrame, figure: str, reference: str) -> None:
    shown = compared[compared["figure"] == figure].reset_index(drop=True)
    tables.show(
        shown,
        "class_embeddings",
        labels={
            "method": "method",
            "embedding": "class embedding",
            "value": figure.replace("gamma", "γ"),
            "low": "from",
            "high": "to",
            "difference": f"to {reference}",
            "difference_low": "from ",
            "difference_high": "to ",
            "p_holm": "p (Holm)",
        },
        percent=("value", "low", "high"),
        points=("difference", "difference_low", "difference_high"),
        significant=("p_holm",),
    )
    st.caption(
        "Split PS. Parameters and γ are chosen on the folds, for ZSL and for H each. Intervals are "
        "95 %, over test classes that are drawn again; differences use the same draws. What was "
        "measured beforehand has one seed. To compare your own embeddings, import the same images "
        "twice with `zslcore import FOLDER --prototypes FILE` and choose both data sets above."
    )


def _of_runs(comparison: Comparison) -> Mapping[str, pd.DataFrame]:
    """Return accuracies by class of the chosen data sets that differ in their prototypes only."""
    found, split = {}, comparison.spec.splits[0]
    for group in class_embeddings.same_images(comparison.datasets):
        specs = {
            name: [
                replace(comparison.spec, task=task).run(name, split, method)
                for method in comparison.spec.methods
                for task in ("zsl", "gzsl")
            ]
            for name in group
        }
        results = {
            name: [comparison.stored[spec.key] for spec in of_name if spec.key in comparison.stored]
            for name, of_name in specs.items()
        }
        table = class_embeddings.per_class(results)
        if len(set(table["embedding"])) > 1:
            found[f"{' and '.join(group)}, {split}"] = table
    return found
