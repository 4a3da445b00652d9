"""Which classes of a data set are in a pre-training set, with what a person decided about them."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from ui import cache, decisions
from zslcore.datasets import Split, ZSLDataset
from zslcore.leakage import AuditContext, get_vocabulary

__all__ = ["STRENGTHS", "matches_of"]

#: Words on screen -> strengths of a match that count until a person says otherwise.
STRENGTHS = {"certain matches": ("strong",), "certain and possible ones": ("strong", "weak")}


def matches_of(dataset: ZSLDataset, split: Split, vocabulary: str) -> pd.DataFrame:
    """Return all classes with their best match, and what was decided about them."""
    said = decisions.decisions_on(dataset.name)
    return cache.overlaps(
        cache.split_key(dataset, split),
        vocabulary,
        repr(said),
        replace(AuditContext.of_dataset(dataset, split), decisions=said),
        get_vocabulary(vocabulary),
        every_class=True,
    )
