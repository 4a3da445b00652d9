"""Extraction of features from a folder of images, in a form that this package imports.

========== =======================================================================================
list        :mod:`zslcore.extraction.images`: which images there are, and of which class
open        :mod:`zslcore.extraction.images`: one untrusted image
read        :mod:`zslcore.extraction.images`: many of them, in processes that may die
encode      :mod:`zslcore.extraction.encoders`: networks by name, and what they were trained on
extract     :mod:`zslcore.extraction.extracting`: batch by batch, resuming after a stop
========== =======================================================================================

Modules are imported on use: reading images needs no network.
"""
