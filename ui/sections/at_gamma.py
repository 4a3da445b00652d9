"""Metrics of a curve: fixed metrics, and metrics at the released gamma."""

from __future__ import annotations

import streamlit as st

from ui.shell import terms
from ui.shell.numbers import change, in_points, percent, three_digits
from ui.shell.text import AUSUC, GAP_OF_GAMMA, GLOSSARY
from zslcore.evaluation.protocol import AnsweredTest

_FOLLOWED = "The γ at which the handle was released, or a number you type. The tables below use it."


def show_figures(
    scores: AnsweredTest,
    zsl: float,
    chosen: float | None,
    origin: str | None,
    *,
    of: str,
    key: str,
) -> float:
    """Show fixed metrics and H at the released gamma; return this gamma.

    Before the handle is released, the result is the ``chosen`` gamma, or 0 without one. ``of``
    identifies the scores, since a gamma does not hold for other scores; ``key`` is the key of the
    number input for gamma.
    """
    _forget_gamma_of_others(of, key)
    curve = scores.curve
    plain, best = curve.at(0.0).harmonic, curve.best().harmonic
    with st.container(horizontal=True):
        terms.metric("H at γ = 0", percent(plain))
        gap = {}
        if chosen is not None:
            calibrated = curve.at(chosen).harmonic
            name = f"H, {origin} γ"
            terms.metric(name, percent(calibrated), **change(calibrated - plain))
            gap = {"delta": f"{in_points(best - calibrated)}: {GAP_OF_GAMMA.lower()}"}
        terms.metric(
            "H, oracle γ",
            percent(best),
            delta_color="off",
            delta_arrow="off",
            help=f"{GAP_OF_GAMMA}: {GLOSSARY[GAP_OF_GAMMA]}" if gap else None,
            **gap,
        )
        terms.metric(AUSUC, percent(curve.ausuc))
        terms.metric("ZSL accuracy", percent(zsl))
        typed = _ask_gamma("0" if chosen is None else origin, key)
        gamma = typed if typed is not None else chosen or 0.0
        if gamma not in (0.0, chosen):  # H at 0 and at the chosen gamma is shown already
            here = curve.at(gamma).harmonic
            terms.metric(
                f"H at γ = {three_digits(gamma)}",
                percent(here),
                **change(here - plain),
                help="At the γ where the handle was released; the change is relative to γ = 0.",
            )
    return gamma


def _ask_gamma(until: str | None, key: str) -> float | None:
    """Show a number input for gamma, with the placeholder ``until``."""
    return st.number_input(
        "γ",
        value=None,
        format="%.3g",
        placeholder=until,
        key=key,
        width=150,
        help=terms.tip("γ", _FOLLOWED),
    )


def _forget_gamma_of_others(of: str, key: str) -> None:
    before = st.session_state.setdefault(f"{key}_of", of)
    if before != of:
        st.session_state[f"{key}_of"] = of
        st.session_state[key] = None
