"""The card of a check: a verdict in a word, a sentence, three figures, one picture.

Files are recognised by :mod:`.kinds`; cards are made by :mod:`.of_split`,
:mod:`zslcore.scores.card` and :mod:`zslcore.board.card`.
"""

from zslcore.leakage.cards.as_html import to_html
from zslcore.leakage.cards.card import Bar, Card, Figure, Picture, Point, Verdict
from zslcore.leakage.cards.kinds import ENDINGS, Dropped, Group, Kind, grouped, recognise
from zslcore.leakage.cards.of_split import card_of_classes, card_of_split

__all__ = [
    "ENDINGS",
    "Bar",
    "Card",
    "Dropped",
    "Figure",
    "Group",
    "Kind",
    "Picture",
    "Point",
    "Verdict",
    "card_of_classes",
    "card_of_split",
    "grouped",
    "recognise",
    "to_html",
]
