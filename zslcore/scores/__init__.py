"""Score matrices of external models: reading, checks and evaluation.

A file becomes arrays (``archives``, ``tables``, ``joined_sides``) and a :class:`ScoreFile`
(``reading``); ``interpretation`` asks a :class:`Question` about each known fault, applies the fixes
and returns :class:`Scores`; ``judging`` evaluates them. ``protocols`` computes the metrics under
every protocol, ``paired`` compares two files, and ``review`` reviews a submission.
"""

from zslcore.scores.interpretation import interpret
from zslcore.scores.judging import ScoreReport, judge
from zslcore.scores.matrix import ScoreFile, Scores
from zslcore.scores.questions import FIXES, Question

__all__ = [
    "FIXES",
    "Question",
    "ScoreFile",
    "ScoreReport",
    "Scores",
    "interpret",
    "judge",
]
