"""Score matrices of external models: reading, checks and evaluation.

``reading`` reads files, ``questions`` checks them for known faults, and ``judging`` evaluates them.
``protocols`` computes the metrics under every protocol, ``paired`` compares two files, and
``review`` reviews a submission.
"""

from zslcore.scores.judging import ScoreReport, judge
from zslcore.scores.questions import FIXES, Question, interpreted
from zslcore.scores.reading import ScoreFile, Scores

__all__ = [
    "FIXES",
    "Question",
    "ScoreFile",
    "ScoreReport",
    "Scores",
    "interpreted",
    "judge",
]
