"""Names of classes with the marks of their roles, and axes of classes."""

from __future__ import annotations

from collections.abc import Collection
from html import escape

import pandas as pd

from ui.figures.palette import GROUP_LOOKS, NEUTRAL, OVERLAP, SEEN, UNSEEN, narrow
from ui.figures.vocabulary import Markup, Part, axis

#: Role -> the symbol of its mark as a character, for text in figures.
GLYPH = {"seen": "●", "unseen": "◆", "both": "▲", "related": "△", "none": "○"}
GLYPH |= {"in the set": GLYPH["both"], "unrelated": GLYPH["none"]}
#: Role of a class in a split, or its relation to the pre-training set -> its mark.
LOOKS = {"seen": SEEN, "unseen": UNSEEN, "both": OVERLAP, "none": NEUTRAL, **GROUP_LOOKS}
#: Relation of a class to the pre-training set -> its text in legends.
GROUP_WORDS = {group: group for group in GROUP_LOOKS} | {"in the set": "in the pre-training set"}
#: Maximum number of legible names along an axis: on a projector, and on a phone.
MOST_NAMES, ON_PHONE = 50, 18


def abridged(name: object) -> str:
    """Return a name, cut to 28 characters."""
    return str(name) if len(str(name)) <= 28 else f"{str(name)[:27]}…"


def marked(name: object, role: str, *, glyph: bool = True) -> Markup:
    """Return a name after the coloured glyph of its role; without ``glyph``, a coloured name."""
    start, text = f'<span style="color:{LOOKS[role].color}">', escape(abridged(name), quote=False)
    return Markup(f"{start}{GLYPH[role]}</span> {text}" if glyph else f"{start}{text}</span>")


def crowded(names: Collection[str]) -> bool:
    """Return whether adjacent names along an axis overlap unless they are turned."""
    letters = 24 if narrow() else 90  # letters that fit into the width, approximately
    if len(names) <= 12 and all(len(str(name)) <= 2 for name in names):
        return False
    return len(names) > 12 or sum(len(str(name)) + 3 for name in names) > letters


def names_fit(n: int, most: int = MOST_NAMES) -> bool:
    """Return whether ``n`` names along an axis can be read, turned or not."""
    return n <= (ON_PHONE if narrow() else most)


def class_axis(names: pd.Series, roles: pd.Series) -> Part:
    """Return an axis of classes with their role marks, without names if they cannot be read.

    Turned names have the colour of their role but no glyph, because a turned glyph would look like
    the glyph of another role.
    """
    n, legible, turned = len(names), names_fit(len(names)), crowded(names)
    labels = [marked(name, role, glyph=not turned) for name, role in zip(names, roles, strict=True)]
    return axis(
        "" if legible else f"{n:,} classes; point at a mark to see its class",
        names=labels if legible else [],
        grid=False,
        size=12 if turned or narrow() else 15,
        tickangle=-60 if turned else 0,
        range=[-0.6, n - 0.4],
    )
