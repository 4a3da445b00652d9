"""What does calibration cost? The seen-unseen curve and its gamma."""

from __future__ import annotations

import streamlit as st

from ui import cache, cards, controls, takeaway, waiting
from ui.figures.palette import HARMONIC, SEEN, UNSEEN
from ui.frame import Header, errors_as_sentences
from ui.numbers import missed, percent, three_digits
from ui.sections.calibrating import Calibrating, show_calibration
from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.specs import RunSpec
from zslcore.metrics import SeenUnseenCurve


def show(header: Header) -> None:
    """Choose a run, and show what its gamma trades."""
    with errors_as_sentences():
        spec = controls.choose_run()
        dataset = cache.dataset(spec.dataset)
        header.mark(dataset)
        takeaway.commands(spec.command())
        run, scores = waiting.run_of(spec)
        curve = scores.curve
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(_formula(), width="content")
        st.space("stretch")
        with st.popover(spec.method, icon=":material/info:", width="content"):
            cards.show(run)
        predict = st.toggle("Guess first", key="calibration_predict", bind="query-params")
    if predict:
        _ask_first(spec, run, curve)
    show_calibration(Calibrating(spec, dataset, run, scores))


def _formula() -> str:
    """Return the rule and the harmonic mean, in the colours of the viewer's theme."""
    s, u, h = (
        rf"\textcolor{{{mark.color}}}{{{name}}}"
        for mark, name in ((SEEN, "s"), (UNSEEN, "u"), (HARMONIC, "H"))
    )
    rule = r"\hat y = \arg\max_c \; F(x, c) - \gamma\,[c \in \mathcal{C}_s]"
    return rf"${rule} \qquad {h} = \dfrac{{2\,{s}\,{u}}}{{{s} + {u}}}$"


def _ask_first(spec: RunSpec, run: RunResult, curve: SeenUnseenCurve) -> None:
    """Ask how high H can get; nothing more is shown before the answer."""
    plain, best = run.evaluation.plain, curve.best()
    assert plain is not None  # a run with a curve has seen test images
    with st.form("calibration_prediction"):
        st.markdown(
            f"Uncalibrated, {spec.method} reaches s = {percent(plain.seen)} and "
            f"u = {percent(plain.unseen)}, so H = {percent(plain.harmonic)}. Now one number γ may "
            "be subtracted from the scores of all seen classes. How high can H get?"
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
