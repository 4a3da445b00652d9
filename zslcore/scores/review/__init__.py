"""The review of a submission: split, pre-training and scores in one page, verdict first.

``reviewing`` runs audit, contamination map and protocols; ``stating`` holds the report and its text
form, ``as_html`` writes it as one page with an interactive curve.
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
