"""What do unlabelled test images add? A transductive method next to its inductive one."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from ui import cache, cards, controls, tables, terms, waiting
from ui.figures.transduction import class_gains, curves_in_hand
from ui.frame import Header, chart, errors_as_sentences
from ui.interactive import take_in_hand
from ui.numbers import change, percent
from ui.text import AUSUC
from zslcore.analysis.transduction import Transduction, TransductionSpec, per_class_table
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.figures import FIGURES, names

METRICS = {
    "ZSL accuracy": "zsl",
    "H at γ = 0": "plain_harmonic",
    "H, validated γ": "calibrated_harmonic",
    AUSUC: "ausuc",
}
LABELS = {"method": "method", "kind": "kind", "gamma": "γ"} | {
    figure.name: figure.label for figure in FIGURES.values()
}


def show(header: Header) -> None:
    """Choose a method, and show it with and without the test images."""
    with errors_as_sentences():
        spec = controls.choose_transduction()
        dataset = cache.dataset(spec.dataset)
        header.mark(dataset)
        result = waiting.comparison_of(spec)
    classes = per_class_table(result, dataset.class_names)
    _show_metrics(result, result.table())
    st.markdown("**ZSL**: candidates are the unseen classes")
    chart(
        class_gains(classes),
        f"Accuracy of {len(classes)} unseen classes under "
        + " and ".join(f"{contender.name}" for contender in result.contenders),
        key="transductive_classes",
    )
    st.markdown("**GZSL**: candidates are all classes, for every γ")
    if result.transductive.gzsl is None:
        st.info("This split has no test images of seen classes, so there is no GZSL.")
    else:
        take_in_hand(curves_in_hand(result, dataset.class_names), key="transductive_curves")
        st.caption("Circles: γ = 0. Squares: the γ that each method chose on the folds.")
    _show_tabs(spec, dataset, result, classes)


def _show_metrics(result: Transduction, table: pd.DataFrame) -> None:
    last, gain = table.iloc[-1], table.select_dtypes("number").diff().iloc[-1]
    alone = result.inductive is None
    with st.container(horizontal=True):
        for label, figure in METRICS.items():
            if figure not in table:
                continue
            if figure != "calibrated_harmonic" or last["gamma"] is not None:
                terms.metric(
                    f"{label}, {last['method']}",
                    percent(last[figure]),
                    **({} if alone else change(gain[figure])),
                )
    only = f" {last['method']} needs unlabelled images, so there is no inductive one."
    st.caption(
        "A transductive method also gets the test images, without their labels. This is an easier "
        "problem, so the two are never ranked together." + only * alone
    )


def _show_tabs(
    spec: TransductionSpec, dataset: ZSLDataset, result: Transduction, classes: pd.DataFrame
) -> None:
    table_tab, classes_tab, card_tab = terms.tabs(
        ["Results", "Classes", "Method"], key="transductive_tab", on_change="rerun"
    )
    if table_tab.open:
        with table_tab:
            _show_table(spec, result)
    if classes_tab.open:
        with classes_tab:
            kinds = [contender.kind for contender in result.contenders]
            tables.show(
                classes,
                f"transductive_classes_{spec.dataset}_{spec.method}",
                labels={"class": "class", "images": "test images"} | {kind: kind for kind in kinds},
                percent=kinds,
            )
    if card_tab.open:
        with card_tab:
            cards.show_card(spec.estimator.card)
            st.caption(f"{dataset.source} Data {spec.digest}, seed {spec.seed}.")


def _show_table(spec: TransductionSpec, result: Transduction) -> None:
    table = result.table()
    tables.show(
        table,
        f"transductive_{spec.dataset}_{spec.method}",
        labels={name: label for name, label in LABELS.items() if name in table},
        percent=[name for name in names(shown=False, unit="fraction") if name in table],
        significant=["gamma"] if "gamma" in table else [],
    )
    for contender in result.contenders:
        for task, params in contender.params.items():
            given = {name: value for name, value in params.items() if name in contender.grid}
            chosen = controls.in_words(contender.name, given)
            st.caption(f"{contender.name}, {task.upper()} ({contender.origin}): {chosen}.")
