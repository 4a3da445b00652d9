"""How well does a method do?"""

import streamlit as st

from ui import cache, cards, controls, tables, takeaway, terms, waiting
from ui import scores as own_scores
from ui.figures.accuracy import MOST_BARS, class_bars, class_strip
from ui.frame import chart, errors_as_sentences, open_page
from ui.numbers import made, percent, three_digits
from ui.sections.confusion import show_confusion
from ui.sections.evaluation import show_figures, show_headline, show_own, show_top_k
from zslcore.analysis import calibration
from zslcore.analysis.inventory import search_names
from zslcore.evaluation.running import WITHOUT_FOLDS, predictions_of_run

header = open_page("Evaluate", "How well does a method do?", icon=":material/query_stats:")

with errors_as_sentences():
    spec = controls.choose_run()
    dataset = cache.dataset(spec.dataset)
    header.mark(dataset)
    takeaway.commands(spec.command())
    run, run_scores = waiting.run_of(spec)

scores = run_scores
gamma, name, own = run.gamma or 0.0, f"{spec.dataset}_{spec.method}", None
show_headline(run, scores)

left, right = st.columns([3, 2], gap="medium")
with left, errors_as_sentences():
    show_figures(spec, dataset, run)
with right, st.container(border=True):
    cards.show(run)

# --- Classes and answers: of the run, or of scores that the visitor has brought -------------------

if fitting := own_scores.fitting(dataset, spec.split):
    answers = controls.choose(
        "Answers below are of", [spec.method, *fitting], key="evaluate_of", width=300
    )
    if own := fitting.get(answers):
        scores, gamma, name = own.matrix.tested, own.gamma or 0.0, f"{spec.dataset}_own"
        show_own(own)

bars_tab, confusion_tab, top_k_tab, run_tab = terms.tabs(
    ["Classes", "Confusion", "Top k", "Reproduce"], key="evaluate_tab", on_change="rerun"
)

if bars_tab.open:
    with bars_tab:
        classes = calibration.per_class_table(
            scores, {"plain": 0.0, "calibrated": gamma}, dataset.class_names
        )
        few = len(classes) <= MOST_BARS
        sought = "" if few else st.text_input("Find a class", key="evaluate_find", width=260)
        found = search_names(list(classes["class"]), sought)
        worst = classes.loc[classes["calibrated"].idxmin()]
        chart(
            class_bars(classes) if few else class_strip(classes, [] if found is None else found),
            f"Accuracy of each of {len(classes)} classes among all classes, at γ = "
            f"{three_digits(gamma)} and without calibration. The lowest is "
            f"{percent(worst['calibrated'])}, of {worst['class']}.",
            key="evaluate_classes",
        )
        st.caption(
            f"Answers among all classes. {'Bars' if few else 'Points'}: γ = {three_digits(gamma)}. "
            f"{'Open points' if few else 'The other end of each line'}: without calibration."
        )
        tables.download(classes, f"classes_{name}")

if confusion_tab.open:
    with confusion_tab:
        show_confusion(scores, gamma, dataset.class_names, name, key="evaluate_confusion")

if top_k_tab.open:
    with top_k_tab:
        show_top_k(scores, gamma, name)

if run_tab.open:
    with run_tab:
        if own:
            st.code(own.command, language=None, wrap_lines=True)
        st.code(spec.command(), language=None, wrap_lines=True)
        st.caption(
            f"{dataset.source} Data {spec.digest}, seed {spec.seed}, {run.seconds:.1f} s, "
            f"{made(run.created)}."
        )
        quick = waiting.is_quick(spec)
        takeaway.offer_predictions(
            lambda: predictions_of_run(run, run_scores, dataset, folds=quick), f"run_{run.spec.key}"
        )
        if run.gamma_origin == "validated" and not quick:
            st.caption(WITHOUT_FOLDS)
        st.download_button(
            "Run as JSON",
            run.to_json(),
            file_name=f"run_{run.spec.key}.json",
            mime="application/json",
            icon=":material/download:",
            type="tertiary",
            on_click="ignore",
        )
