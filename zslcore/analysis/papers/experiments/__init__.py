"""Experiments of the papers, on any data set, compared with the printed values.

An experiment is named by paper and table or figure, such as ``cal:table2``. Finished parts are
stored, so an interrupted experiment resumes. :mod:`zslcore.analysis.papers.experiments.reproducing`
lists all experiments.
"""

from zslcore.analysis.papers.experiments.experiment import COLUMNS, Experiment
from zslcore.analysis.papers.experiments.reproducing import (
    EXPERIMENTS,
    NOT_COMPUTED,
    configured_experiment,
    get_experiment,
    reproduce,
)

__all__ = [
    "COLUMNS",
    "EXPERIMENTS",
    "NOT_COMPUTED",
    "Experiment",
    "configured_experiment",
    "get_experiment",
    "reproduce",
]
