"""The papers' experiments by table and figure: run them on any data set, and compare with print.

An experiment is named by paper and table, as ``cal:table2``; what is finished is stored, and an
interrupted one resumes. A table or figure is one entry of
:mod:`zslcore.analysis.papers.experiments.reproducing`.
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
