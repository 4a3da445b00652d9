"""Extraction of features from a folder of images, in a format that this package imports.

The steps of an extraction, each with its module:

========== =======================================================================================
list        :mod:`zslcore.extraction.images`: images with their classes
open        :mod:`zslcore.extraction.images`: one untrusted image
read        :mod:`zslcore.extraction.images`: many images, batch by batch, in worker processes
encode      :mod:`zslcore.extraction.encoders`: networks by name, and pre-training sets
extract     :mod:`zslcore.extraction.extracting`: batch by batch, resuming after a stop
========== =======================================================================================

Modules are imported on use, so that reading images does not load torch.
"""
