"""Experiments of the papers, on any data set, compared with the printed values.

An experiment is named by paper and table or figure, such as ``cal:table2``. Finished parts are
stored, so an interrupted experiment resumes. :mod:`zslcore.analysis.papers.experiments.reproducing`
lists all experiments.
"""
