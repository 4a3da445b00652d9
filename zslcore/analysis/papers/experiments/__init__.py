"""Experiments of the papers, on any data set, with their results next to the printed values.

The name of an experiment consists of the paper and its table or figure: ``cal:table2``. Finished
parts are stored, so that an interrupted experiment resumes.
:mod:`zslcore.analysis.papers.experiments.reproducing` lists all experiments.
"""
