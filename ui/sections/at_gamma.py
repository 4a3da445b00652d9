"""The figures of a curve, and those at the gamma where it is let go."""

from __future__ import annotations

import streamlit as st

from ui.shell import terms
from ui.shell.numbers import change, percent, points, three_digits
from ui.shell.text import AUSUC, GAP_OF_GAMMA, GLOSSARY
from zslcore.evaluation.protocol import AnsweredTest

_FOLLOWED = (
    "Here it is where the curve was let go, or a number that you type. The tables below follow it."
)


def show_figures(
    scores: AnsweredTest,
    zsl: float,
    chosen: float | None,
    origin: str | None,
    *,
    of: str,
    key: str,
) -> float:
    """Say the figures that do not move, and H at the gamma that does.

    Return the gamma at which the curve was let go; until then the chosen one, or 0. ``of`` tells
    these scores from others, since gamma is a difference of scores, and that of others means
    nothing here; ``key`` is of the number gamma, which is None until the curve is let go.
    """
    _forget_gamma_of_others(of, key)
    curve = scores.curve
    plain, best = curve.at(0.0).harmonic, curve.best().harmonic
    with st.container(horizontal=True):
        terms.metric("H at γ = 0", percent(plain))
        gap = {}
        if chosen is not None:
            there = curve.at(chosen).harmonic
            name = f"H, {origin} γ"
            terms.metric(name, percent(there), **change(there - plain))
            gap = {"delta": f"{points(best - there)}: {GAP_OF_GAMMA.lower()}"}
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
        given = _ask_gamma("0" if chosen is None else origin, key)
        gamma = given if given is not None else chosen or 0.0
        if gamma:  # at 0 it is the first figure again
            here = curve.at(gamma).harmonic
            terms.metric(
                f"H at γ = {three_digits(gamma)}",
                percent(here),
                **change(here - plain),
                help="Here γ is where the curve was let go; the change is against γ = 0.",
            )
    return gamma


def _ask_gamma(until: str | None, key: str) -> float | None:
    """Ask for gamma; until there is one, the field reads ``until``."""
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
