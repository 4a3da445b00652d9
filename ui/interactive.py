"""Interactive curves with a download menu."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import streamlit as st

from ui import takeaway
from ui.components import seen_unseen
from zslcore.interactive.seen_unseen import SeenUnseen
from zslcore.printing.results import of_curves

__all__ = ["let_go", "numbers_of", "offer_curves", "take_in_hand"]

#: Bound on the numbers that a browser may send.
LARGEST = 1e15


def take_in_hand(
    what: SeenUnseen, *, key: str, on_change: Callable[[], None] = lambda: None
) -> None:
    """Draw interactive curves.

    Parameters
    ----------
    what : SeenUnseen
    key : of the element; ``st.session_state[key].gamma`` is where gamma was let go
    on_change : called then, before the page runs again
    """
    seen_unseen.draw(what, key=key, on_change=on_change)
    offer_curves(what, key)


def offer_curves(what: SeenUnseen, key: str) -> None:
    """Put the menu of curves that the element ``key`` draws here."""
    takeaway.offer_figure(
        takeaway.Figure(
            key,
            what.alt,
            table=lambda: numbers_of(what),
            html=what.page,
            panels=lambda: [of_curves(what)],
        )
    )


def let_go(key: str, name: str) -> float | None:
    """Return the number at which a visitor has let go; None where a browser has sent no such thing.

    Parameters
    ----------
    key : of the element
    name : "gamma" of curves, "place" of a path
    """
    said = getattr(st.session_state.get(key), name, None)
    return float(said) if isinstance(said, int | float) and abs(said) < LARGEST else None


def numbers_of(what: SeenUnseen) -> pd.DataFrame:
    """Return every point of every curve: columns curve, gamma, both sides and harmonic."""
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "curve": line.name,
                    "gamma": line.curve.gamma,
                    what.sides[1]: line.curve.unseen,
                    what.sides[0]: line.curve.seen,
                    "harmonic": line.curve.harmonic,
                }
            )
            for line in what.lines
        ],
        ignore_index=True,
    )
