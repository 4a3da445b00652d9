"""The review of a submission: split, pre-training and scores in one page, verdict first.

============= ====================================================================================
ask            :mod:`.reviewing`: audit, contamination map and protocols, as statements
say            :mod:`.stating`: points with the commands that repeat them, as text
show           :mod:`.as_html` as one page with an interactive curve
============= ====================================================================================
"""

from zslcore.scores.review.as_html import to_html
from zslcore.scores.review.reviewing import Declared, Submission, review
from zslcore.scores.review.stating import Review, Section, to_text

__all__ = [
    "Declared",
    "Review",
    "Section",
    "Submission",
    "review",
    "to_html",
    "to_text",
]
