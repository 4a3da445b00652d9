"""What the features of a data set were trained on, looked up without opening the data set.

A data set declares it itself (:attr:`zslcore.datasets.base.ZSLDataset.pretraining`). Of imports
that do not, ``data/known_features.csv`` knows those that results of this project are of, by their
content digest: a name says nothing about what a file holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

import pandas as pd

from zslcore.datasets import imports
from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.simulated import SIMULATED, UNPLANTED
from zslcore.storage.files import FACTS

__all__ = ["known_features", "pretraining_of", "trained_on"]


def pretraining_of(dataset: ZSLDataset) -> tuple[str, ...]:
    """Return what the features of an open data set were trained on; () where nothing says it."""
    return dataset.pretraining or trained_on(dataset.name, dataset.digest)


def trained_on(name: str, digest: str) -> tuple[str, ...]:
    """Return the pre-training sets of a data set's features.

    Parameters
    ----------
    name : of the data set
    digest : of its content

    Returns
    -------
    tuple of str
        As in :attr:`zslcore.datasets.base.ZSLDataset.pretraining`: ``("imagenet-1k",)``,
        ``("none",)`` for features that were trained on nothing, ``()`` where nothing says it.
    """
    if name == "digits" or name.endswith("-untrained"):
        return ("none",)
    if name in (*SIMULATED, *UNPLANTED):
        return ("imagenet-1k",)
    return imports.declared_pretraining(name, digest) or known_features().get(digest, ())


@cache
def known_features() -> Mapping[str, tuple[str, ...]]:
    """Return the pre-training sets that ``data/known_features.csv`` has, by digest."""
    table = pd.read_csv(FACTS / "known_features.csv", dtype=str)
    pairs = zip(table["digest"], table["pretraining"], strict=True)
    return MappingProxyType({str(digest): (str(name),) for digest, name in pairs})
