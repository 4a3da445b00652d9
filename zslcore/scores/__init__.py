"""Score matrices of other people's models: read, questioned, judged.

Files are read by ``reading``, checked for known faults by ``warnings`` and judged by ``judging``;
the figures under every protocol are in ``protocols``, the comparison of two files in ``paired``,
the review of a submission in ``review``.
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
