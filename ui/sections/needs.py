"""What a comparison needs: classes and images that a difference takes, with two files as pilot."""

from __future__ import annotations

import streamlit as st

from ui import tables
from zslcore.evaluation.figures import FIGURES
from zslcore.scores.paired import Pair
from zslcore.scores.power import needs

__all__ = ["show_needs"]

LABELS = {
    "figure": "metric",
    "classes": "classes",
    "images": "images a class",
    "disagreement": "right in one file alone",
    "between": "deviation between classes",
    "finds_images": "finds, same classes",
    "finds_classes": "finds, other classes",
    "images_needed": "needs images a class, same classes",
    "classes_needed": "or classes, other classes",
}


def show_needs(pair: Pair, name: str) -> None:
    """Show which difference every figure finds, and what a smaller one needs.

    Parameters
    ----------
    pair : the pilot
    name : of the file to take away
    """
    with st.container(horizontal=True, vertical_alignment="bottom"):
        difference = st.number_input(
            "Difference to find, points", 0.1, 50.0, 1.0, 0.1,
            key="scores_difference", bind="query-params", width=220,
        )  # fmt: skip
        power = st.number_input(
            "Power, %", 50, 99, 80, 1, key="scores_power", bind="query-params", width=120,
            help="Probability that a two-sided test at the 5 % level finds the difference.",
        )  # fmt: skip
    table = needs(pair, difference / 100, power / 100)
    table.insert(0, "figure", [FIGURES[str(name)].label for name in table.index])
    columns = ["disagreement", "between", "finds_images", "finds_classes"]
    tables.show(table, f"scores_needs_{name}", labels=LABELS, percent=columns, height="content")
    st.caption(
        "These two files are the pilot: two other models that differ on as many images need the "
        "same. *Same classes* is a statement about other images of these classes, *other classes* "
        "one about other classes of the kind. More images do not replace classes: “–” is a "
        "difference that no number finds. In the terminal: `zslcore power FIRST SECOND`."
    )
