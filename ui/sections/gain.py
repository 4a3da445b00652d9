"""The figures of a gain: what overlapping classes reach, what clean ones do, how sure that is."""

from __future__ import annotations

import math
from collections.abc import Mapping

import streamlit as st

from ui import terms
from ui.numbers import percent, points, three_digits

__all__ = ["show_gain"]


def show_gain(figures: Mapping[str, float], known: int, clean: int) -> None:
    """Say how much overlapping classes gain.

    Parameters
    ----------
    figures : see :func:`zslcore.analysis.overlap_tables.gain_figures`
    known, clean : numbers of overlapping and of other test classes
    """
    with st.container(horizontal=True):
        terms.metric(
            "ACC_OUC, overlapping",
            percent(figures["overlap"]),
            help=f"{known} overlapping classes.",
        )
        terms.metric("ACC_TUC, clean", percent(figures["clean"]), help=f"{clean} other classes.")
        terms.metric(
            "OverlapGain",
            percent(figures["gain"]),
            delta=_interval(figures["low"], figures["high"]),
            delta_color="off",
            delta_arrow="off",
            help="Below it its 95 % interval over classes (bootstrap-t).",
        )
        terms.metric("p", three_digits(figures["p"]), help="Permutation of which classes overlap.")
        terms.metric("All", percent(figures["all"]), help="All test classes, as papers report it.")
        terms.metric("Drop without overlap", points(figures["all_minus_clean"]))


def _interval(low: float, high: float) -> str:
    """Write an interval; a single class on a side has none."""
    return "no interval: one class" if math.isnan(low) else f"{percent(low)} to {percent(high)}"
