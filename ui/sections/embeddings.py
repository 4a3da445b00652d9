"""The same methods with other inputs: features of another extractor, other class embeddings.

A tab of Compare methods.
"""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from ui import controls, tables
from ui.figures.embeddings import embedding_intervals
from ui.frame import chart
from ui.sections.compare import Comparison
from ui.sections.method_cells import all_cells
from ui.text import plain
from zslcore.analysis import class_embeddings
from zslcore.analysis.class_embeddings import FIGURES

__all__ = ["show_embeddings"]

WORDS = {name.replace("gamma", "γ"): name for name in FIGURES}


def show_embeddings(comparison: Comparison) -> None:
    """Compare inputs of the chosen data sets, where these test the same images, or as measured.

    Parameters
    ----------
    comparison : Comparison
    """
    found = {**_of_results(comparison), **class_embeddings.measured_embeddings()}
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
    over_methods = class_embeddings.mean_differences(table, reference)
    st.markdown(" ".join(plain(test.sentence) for test in over_methods))
    st.markdown(plain(class_embeddings.in_a_sentence(compared, reference)))
    chart(
        embedding_intervals(compared, figure),
        f"{figure.replace('gamma', 'γ')} of {compared['method'].nunique()} methods under "
        f"{len(embeddings)} inputs on {data}, with 95 % intervals over test classes.",
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
            "embedding": "input",
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
        "Parameters and γ are selected on the folds, separately for ZSL and for H. Intervals are "
        "95 % bootstrap intervals over test classes; differences use the same draws. Shipped "
        "results have one seed and split PS. The benchmark paper prefers ResNet-101 to GoogLeNet "
        "and continuous to binary attributes because they perform better, but prints no such "
        "comparison. To compare your own, import the same images twice, with `zslcore import "
        "FOLDER --features FILE` or `--prototypes FILE`, and choose both data sets above."
    )


def _of_results(comparison: Comparison) -> Mapping[str, pd.DataFrame]:
    """Return accuracies by class of the chosen data sets that differ in their inputs only."""
    found = {}
    for group in class_embeddings.same_test(comparison.datasets):
        for split in comparison.spec.splits:
            table = class_embeddings.of_cells(all_cells(), group, split, comparison.spec.methods)
            if not table.empty:
                found[f"{' and '.join(group)}, {split}"] = table
    return found
