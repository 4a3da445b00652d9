"""How well does a method do?"""

import streamlit as st

from ui import cache, cards, controls, tables, waiting
from ui.figures.accuracy import class_bars, confusion_map, top_k_lines
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import delta, percent, points, three_digits
from zslcore.analysis import calibration, mistakes, printed
from zslcore.datasets.benchmarks import benchmark_of

FEW = 60  # classes up to which a confusion matrix can be read

header = open_page("Evaluate", "How well does a method do?", icon=":material/query_stats:")

with errors_as_sentences():
    spec = controls.choose_run()
    dataset = cache.dataset(spec.dataset)
    header.mark(dataset)
    run, scores = waiting.run_of(spec)

evaluation, gap = run.evaluation, run.oracle_gap
gamma = run.gamma or 0.0

with st.container(horizontal=True):
    st.metric("ZSL accuracy", percent(evaluation.zsl), help="A_U→Cu: unseen among unseen classes.")
    if (~scores.seen).sum() > 5:
        st.metric("ZSL top-5", percent(evaluation.zsl_top5))
    if scores.generalized:
        st.metric("H, no calibration", percent(evaluation.plain.harmonic))
        gain = evaluation.calibrated.harmonic - evaluation.plain.harmonic
        st.metric(
            f"H, γ = {three_digits(gamma)}",
            percent(evaluation.calibrated.harmonic),
            delta=delta(gain),
            help=f"Calibrated stacking; γ is {run.gamma_origin or 'none'}.",
        )
        st.metric("AUSUC", percent(evaluation.ausuc), help="Area under the seen-unseen curve.")
    if gap:
        st.metric(
            "Oracle gap, points",
            points(gap.get("harmonic", gap["zsl"])).replace(" points", ""),
            help="Points that choosing parameters and γ on the test set would add: "
            "a bound, never a result.",
        )

left, right = st.columns([3, 2], gap="medium")
with left:
    table = printed.figures_table([run], benchmark_of(dataset))
    at = table["gamma"].map(lambda gamma: "" if gamma != gamma else f", γ = {three_digits(gamma)}")
    table.insert(0, "name", table["figure"].str.replace("zsl", "ZSL") + at)
    papers = {
        "benchmark_paper": "Xian 2019",
        "calibration_paper": "Le Cacheux 2019",
    }
    papers = {name: text for name, text in papers.items() if table[name].notna().any()}
    tables.show(
        table,
        f"figures_{spec.dataset}_{spec.method}",
        labels={
            "name": "",
            "per_class": "per class",
            "per_sample": "per sample",
            **papers,
        },
        percent=["per_class", "per_sample", *papers],
    )
    if papers:
        st.caption(
            "Beside them what Xian et al. and Le Cacheux et al. printed, for ResNet-101 "
            "features of the real images; "
            + ("these are simulated." if dataset.simulated else "these features differ.")
        )
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
