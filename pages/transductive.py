"""What do unlabelled test images add?"""

import streamlit as st

from ui import cache, cards, controls, tables, waiting
from ui.figures.transduction import class_gains, two_curves
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import delta, percent
from ui.text import AUSUC, GLOSSARY
from zslcore.analysis.transduction import per_class_table

header = open_page("Transductive", "What do unlabelled test images add?", icon=":material/hub:")

with errors_as_sentences():
    spec = controls.choose_transduction()
    dataset = cache.dataset(spec.dataset)
    header.mark(dataset)
    result = waiting.comparison_of(spec)

table, classes = result.table(), per_class_table(result, dataset.class_names)
last = table.iloc[-1]
gain = table.select_dtypes("number").diff().iloc[-1]
alone = result.inductive is None

with st.container(horizontal=True):
    for label, figure in (
        ("ZSL accuracy", "zsl"),
        ("H at γ = 0", "plain_harmonic"),
        ("H, validated γ", "calibrated_harmonic"),
        (AUSUC, "ausuc"),
    ):
        if figure in table and not (figure == "calibrated_harmonic" and last["gamma"] is None):
            st.metric(
                f"{label}, {last['method']}",
                percent(last[figure]),
                delta=None if alone else delta(gain[figure]),
                help=GLOSSARY[label],
            )

st.caption(
    "The transductive method is handed the test images without their labels, and is told the "
    "classes they can be of: for ZSL the unseen ones, for GZSL all. That is another problem than "
    "the inductive one, so that the two are shown beside each other and never ranked together."
    + (" Parameters are chosen for each of the two tasks by itself." if spec.choose else "")
    + (f" {last['method']} does not exist without unlabelled images." if alone else "")
)

left, right = st.columns(2, gap="medium")
with left:
    st.markdown("**ZSL**: every unseen class among the unseen ones")
    chart(
        class_gains(classes),
        f"Accuracy of {len(classes)} unseen classes under "
        + " and ".join(f"{contender.name}" for contender in result.contenders),
        key="transductive_classes",
    )
with right:
    st.markdown("**GZSL**: all classes, for every γ")
    if result.transductive.gzsl is None:
        st.info("This split has no test images of seen classes, hence no GZSL.")
    else:
        chart(
            two_curves(result),
            "Seen over unseen accuracy: "
            + ", ".join(f"{row.method} AUSUC {percent(row.ausuc)}" for row in table.itertuples()),
            key="transductive_curves",
        )
        st.caption("Circles: γ = 0. Squares: the γ chosen on the folds, for each method by itself.")

table_tab, classes_tab, card_tab = st.tabs(
    ["Figures", "Classes", "Method"], key="transductive_tab", on_change="rerun"
)
if table_tab.open:
    with table_tab:
        tables.show(
            table,
            f"transductive_{spec.dataset}_{spec.method}",
            labels={
                name: label
                for name, label in {
                    "method": "method",
                    "kind": "kind",
                    "zsl": "ZSL",
                    "plain_unseen": "u",
                    "plain_seen": "s",
                    "plain_harmonic": "H",
                    "gamma": "γ",
                    "calibrated_unseen": "u at γ",
                    "calibrated_seen": "s at γ",
                    "calibrated_harmonic": "H at γ",
                    "ausuc": "AUSUC",
                }.items()
                if name in table
            },
            percent=[
                name
                for name in table.columns
                if name in ("zsl", "ausuc") or name.startswith(("plain_", "calibrated_"))
            ],
            significant=["gamma"] if "gamma" in table else [],
        )
        for contender in result.contenders:
            for task, params in contender.params.items():
                told = {name: value for name, value in params.items() if name in contender.grid}
                chosen = controls.in_words(contender.name, told)
                st.caption(f"{contender.name}, {task.upper()} ({contender.origin}): {chosen}.")
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
