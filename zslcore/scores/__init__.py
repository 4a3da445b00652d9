"""Score matrices of other people's models: read, questioned, judged.

========== =======================================================================================
read        :mod:`zslcore.scores.reading`: npz, npy, CSV, Parquet, MATLAB and HDF5, through the door
question    :mod:`zslcore.scores.warnings`: what looks wrong is asked about, never guessed
know        :mod:`zslcore.leakage.known`: which benchmark and split the test images are of
judge       :mod:`zslcore.scores.judging`: u, s, H, AUSUC, and where gamma came from
show        :mod:`zslcore.scores.protocols`: every protocol side by side, in the reader's words
compare     :mod:`zslcore.scores.paired`: two files of the same images, on the same draws
review      :mod:`zslcore.scores.review`: split, pre-training and scores in one page
========== =======================================================================================
"""

from zslcore.scores.judging import ScoreReport, judge
from zslcore.scores.matrix import ScoreFile, ScoreMatrix
from zslcore.scores.warnings import FIXES, Question, interpreted

__all__ = [
    "FIXES",
    "Question",
    "ScoreFile",
    "ScoreMatrix",
    "ScoreReport",
    "interpreted",
    "judge",
]
