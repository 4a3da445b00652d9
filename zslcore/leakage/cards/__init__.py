"""The card of a check: a verdict in a word, a sentence, three figures, one picture.

============= ====================================================================================
recognise      :mod:`zslcore.leakage.cards.kinds`: what a file is, by its first bytes and variables
judge          :mod:`zslcore.leakage.cards.of_split`, :mod:`zslcore.scores.card`,
               :mod:`zslcore.board.card`
show           :mod:`zslcore.leakage.cards.card` as text and JSON, :mod:`.as_html` as one page
============= ====================================================================================
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
