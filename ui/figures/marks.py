"""Names of classes with the marks of their roles, and axes of classes."""

from __future__ import annotations

from collections.abc import Collection
from html import escape

import pandas as pd

from ui.figures.palette import NEUTRAL, OVERLAP, RELATED, SEEN, UNSEEN, narrow
from ui.figures.vocabulary import Markup, Part, axis

#: The marks of the palette as letters, for text inside figures.
GLYPH = {"seen": "●", "unseen": "◆", "both": "▲", "related": "△", "none": "○"}
#: Roles of classes: seen, unseen, in the pre-training set, related to one of it, neither.
LOOKS = {"seen": SEEN, "unseen": UNSEEN, "both": OVERLAP, "related": RELATED, "none": NEUTRAL}
#: More names than this along an axis cannot be read from the back row, or on a telephone.
MOST_NAMES, ON_TELEPHONE = 50, 18


def abridged(name: object) -> str:
    """Return a name of at most 28 letters."""
    return str(name) if len(str(name)) <= 28 else f"{str(name)[:27]}…"


def marked(name: object, role: str) -> Markup:
    """Write a class with the mark of its role, in the colour of that."""
    glyph = f'<span style="color:{LOOKS[role].color}">{GLYPH[role]}</span>'
    return Markup(f"{glyph} {escape(abridged(name), quote=False)}")


def crowded(names: Collection[str]) -> bool:
    """Return whether adjacent names along an axis overlap unless they are turned."""
    letters = 24 if narrow() else 90  # about as many fit into the width
    return len(names) > 12 or sum(len(str(name)) + 3 for name in names) > letters


def names_fit(n: int, most: int = MOST_NAMES) -> bool:
    """Return whether ``n`` names along an axis can be read, turned or not."""
    return n <= (ON_TELEPHONE if narrow() else most)


def class_axis(names: pd.Series, roles: pd.Series) -> Part:
    """Return an axis that names classes where they can be read; marks say which are unseen."""
    n, legible = len(names), names_fit(len(names))
    labels = [marked(name, role) for name, role in zip(names, roles, strict=True)]
    return axis(
        "" if legible else f"{n:,} classes; point at one for its name",
        names=labels if legible else [],
        grid=False,
        size=12 if crowded(names) else 15,
        tickangle=-60 if crowded(names) else 0,
        range=[-0.6, n - 0.4],
    )
