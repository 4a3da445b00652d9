"""Interactive curves with a download menu."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import pandas as pd
import streamlit as st

from ui.takeaway import downloads
from zslcore.interactive.seen_unseen import COMPONENT, InteractiveCurve
from zslcore.printing import curve_panel

#: Upper bound on numbers that a browser sends.
LARGEST = 1e15
_mount = st.components.v2.component("zsl_seen_unseen", **asdict(COMPONENT))


def draw_curves(
    curves: InteractiveCurve, *, key: str, on_change: Callable[[], None] = lambda: None
) -> None:
    """Draw interactive curves; ``st.session_state[key].gamma`` is the last chosen gamma."""
    _mount(key=key, data=curves.packed(key), on_gamma_change=on_change)
    offer_curves(curves, key)


def offer_curves(curves: InteractiveCurve, key: str) -> None:
    """Show the download menu of the curves drawn by the element ``key``."""
    title = f"Seen-unseen curve of {', '.join(line.name for line in curves.lines)}"
    downloads.offer_figure(
        key,
        curves.alt,
        numbers=lambda: numbers_of(curves),
        panels=lambda: [curve_panel(curves)],
        html=lambda **options: curves.page(**options | {"title": title}),
    )


def released_value(key: str, name: str) -> float | None:
    """Return the "gamma" or "place" at which a ruler was last released; None if it never was."""
    value = getattr(st.session_state.get(key), name, None)
    return float(value) if isinstance(value, int | float) and abs(value) < LARGEST else None


def numbers_of(curves: InteractiveCurve) -> pd.DataFrame:
    """Return all points of all curves: columns curve, gamma, one per accuracy, and harmonic."""
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "curve": line.name,
                    "gamma": line.curve.gamma,
                    curves.sides[1]: line.curve.unseen,
                    curves.sides[0]: line.curve.seen,
                    "harmonic": line.curve.harmonic,
                }
            )
            for line in curves.lines
        ],
        ignore_index=True,
    )
