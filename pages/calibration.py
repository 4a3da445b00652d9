"""What does penalising seen classes trade?"""

import streamlit as st

from ui import cache, cards, controls, takeaway, waiting
from ui.figures.palette import HARMONIC, SEEN, UNSEEN
from ui.frame import errors_as_sentences, open_page
from ui.numbers import missed, percent, three_digits
from ui.sections.calibrating import Calibrating, show_calibration

header = open_page(
    "Calibration", "What does penalising seen classes trade?", icon=":material/tune:"
)

with errors_as_sentences():
    spec = controls.choose_run()
    dataset = cache.dataset(spec.dataset)
    header.mark(dataset)
    takeaway.commands(spec.command())
    run, scores = waiting.run_of(spec)
    curve, evaluation = scores.curve, run.evaluation

best = curve.best()

with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown(
        rf"$\hat y = \arg\max_c \; F(x, c) - \gamma\,[c \in \mathcal{{C}}_s] \qquad "
        rf"\textcolor{{{HARMONIC.color}}}{{H}} = \dfrac{{2\,\textcolor{{{SEEN.color}}}{{s}}\,"
        rf"\textcolor{{{UNSEEN.color}}}{{u}}}}{{\textcolor{{{SEEN.color}}}{{s}} + "
        rf"\textcolor{{{UNSEEN.color}}}{{u}}}}$",
        width="content",
    )
    st.space("stretch")
    with st.popover(spec.method, icon=":material/info:", width="content"):
        cards.show(run)
    predict = st.toggle("Predict first", key="calibration_predict", bind="query-params")

if predict:
    with st.form("calibration_prediction"):
        st.markdown(
            f"Without calibration {spec.method} reaches s = {percent(evaluation.plain.seen)} and "
            f"u = {percent(evaluation.plain.unseen)}, so H = "
            f"{percent(evaluation.plain.harmonic)}. Now one number γ may be subtracted from the "
            "scores of all seen classes. How high can H get?"
        )
        guess = st.slider("Prediction", 0, 100, 50, format="%d %%", key="calibration_guess")
        if st.form_submit_button("Reveal", icon=":material/visibility:"):
            st.session_state["calibration_revealed"] = spec.key
        if st.session_state.get("calibration_revealed") != spec.key:
            st.stop()
        st.markdown(
            f"Predicted {guess} %. The curve reaches **{percent(best.harmonic)}** at "
            f"γ = {three_digits(best.gamma)}. {missed(guess / 100, best.harmonic)}"
        )

show_calibration(Calibrating(spec, dataset, run, scores))
