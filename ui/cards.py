"""The card of a method: what a reader needs to know before trusting its numbers."""

from __future__ import annotations

import streamlit as st

from ui import controls
from zslcore.evaluation.runs import RunResult
from zslcore.methods import get_method
from zslcore.methods.base import MethodCard

__all__ = ["rule_in_words", "show", "show_card"]


def show(run: RunResult) -> None:
    """Show the card of the method of a run, and the parameters it ran with."""
    method = run.spec.method
    show_card(get_method(method).card)
    st.caption(f"Parameters ({run.params_origin}): {controls.in_words(method, run.params)}.")
    if run.rule:
        st.caption(rule_in_words(run))


def rule_in_words(run: RunResult) -> str:
    """Return how the folds chose the parameters of a run, in a sentence."""
    if run.rule == "best":
        return "Selected by mean validation score."
    method = run.spec.method
    simpler = " and ".join(controls.symbol(method, name) for name in get_method(method).simpler)
    return (
        "Selected by the rule of one standard error. Several values are as good as the best one on "
        f"the folds, within the error of their means. The smallest {simpler} of these is taken: it "
        "gives the simplest model."
    )


def show_card(card: MethodCard) -> None:
    """Show paper, year, idea, formula and needs of a method."""
    st.markdown(f"**{card.name}** ({card.year}, {card.family}). {card.idea}")
    for formula in card.formula.split(r"\quad"):
        st.markdown(f"${formula.strip().strip(',')}$")
    st.markdown(f"[{card.title}]({card.url}), {card.authors}.")
    if card.needs:
        st.caption(f"Needs {card.needs}.")
    if card.departure:
        st.caption(f"The default differs from the paper: {card.departure}.")
    if card.company:
        st.caption(f"The score of a class depends on the other classes: {card.company}.")
