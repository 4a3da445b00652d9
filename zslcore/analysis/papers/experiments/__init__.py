"""The papers' experiments by table and figure: run them on any data set, and compare with print.

An experiment is named by paper and table, as ``cal:table2``. It says which runs or studies measure
its cells and where they are printed, so that print and reproduction stay in step. What is finished
is stored, and an interrupted experiment resumes. A table or figure is one entry of
:mod:`zslcore.analysis.papers.experiments.registry`.
"""

from zslcore.analysis.papers.experiments.experiment import COLUMNS, Experiment
from zslcore.analysis.papers.experiments.registry import EXPERIMENTS, NOT_COMPUTED, get_experiment
from zslcore.analysis.papers.experiments.reproducing import configured_experiment, reproduce

__all__ = [
    "COLUMNS",
    "EXPERIMENTS",
    "NOT_COMPUTED",
    "Experiment",
    "configured_experiment",
    "get_experiment",
    "reproduce",
]
