"""How well does a method do?"""

import streamlit as st

from ui import cache, cards, controls, tables, waiting
from ui.figures.accuracy import class_bars, confusion_map, top_k_lines
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import three_digits
from ui.sections.evaluation import show_figures, show_headline
from zslcore.analysis import calibration, mistakes

FEW = 60  # classes up to which a confusion matrix can be read

header = open_page("Evaluate", "How well does a method do?", icon=":material/query_stats:")

with errors_as_sentences():
    spec = controls.choose_run()
    dataset = cache.dataset(spec.dataset)
    header.mark(dataset)
    run, scores = waiting.run_of(spec)

gamma = run.gamma or 0.0
show_headline(run, scores)

left, right = st.columns([3, 2], gap="medium")
with left, errors_as_sentences():
    show_figures(spec, dataset, run)
with right, st.container(border=True):
    cards.show(run)

bars_tab, confusion_tab, top_k_tab, run_tab = st.tabs(
    ["Classes", "Confusion", "Top k", "Reproduce"], key="evaluate_tab", on_change="rerun"
)

if bars_tab.open:
    with bars_tab:
        classes = calibration.per_class_table(
            scores, {"plain": 0.0, "calibrated": gamma}, dataset.class_names
        )
        chart(
            class_bars(classes),
            "Accuracy of every class among all classes, calibrated, and without calibration.",
            key="evaluate_classes",
        )
        st.caption(
            f"Among all classes: bars at γ = {three_digits(gamma)}, points without calibration."
        )
        tables.download(classes, f"classes_{spec.dataset}_{spec.method}")

if confusion_tab.open:
    with confusion_tab:
        if len(scores.seen) <= FEW:
            matrix = mistakes.confusion(scores, gamma, dataset.class_names)
            chart(
                confusion_map(matrix, int(scores.seen.sum())),
                "Share of each class's test images answered with each class.",
                key="evaluate_confusion",
            )
            st.caption("Rows are true classes; the dashed line parts seen from unseen classes.")
            tables.download(matrix, f"confusion_{spec.dataset}_{spec.method}", index=True)
        tables.show(
            mistakes.most_confused(scores, gamma, dataset.class_names),
            f"confused_{spec.dataset}_{spec.method}",
            labels={
                "class": "true class",
                "side": "side",
                "answered": "answered",
                "answered_side": "its side",
                "images": "images",
                "share": "share of the class",
            },
            percent=["share"],
            height=320,
        )

if top_k_tab.open:
    with top_k_tab:
        top_k = mistakes.top_k_table(scores, gamma)
        chart(
            top_k_lines(top_k),
            "Accuracy when the right class need only be among the first k answers.",
            key="evaluate_top_k",
        )
        tables.download(top_k, f"top_k_{spec.dataset}_{spec.method}")

if run_tab.open:
    with run_tab:
        st.code(spec.command(), language="bash")
        st.caption(
            f"{dataset.source} Data {spec.digest}, seed {spec.seed}, {run.seconds:.1f} s, "
            f"{run.created}."
        )
        st.download_button(
            "Run as JSON",
            run.to_json(),
            file_name=f"run_{run.spec.key}.json",
            mime="application/json",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )
