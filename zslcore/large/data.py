"""Data sets whose features lie in shards."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import cast

import numpy as np

from zslcore.datasets import ZSLDataset
from zslcore.datasets.embeddings import read_class_embeddings
from zslcore.datasets.imagenet import challenge_split
from zslcore.large.shards import Shards


def imagenet_of_shards(folder: Path, prototypes: Path) -> ZSLDataset:
    """Return features of one's own of ImageNet-21K, which are never read whole.

    Parameters
    ----------
    folder : of shards; their labels are numbers of the rows of ``prototypes``, from 0
    prototypes : CSV with a column ``class``, most with an id such as ``n01440764``, and a column of
        numbers per dimension, such as word vectors; or the release's ``ImageNet_w2v.mat``, whose
        classes without a word vector have zeros and are in none of the nine test sets

    Returns
    -------
    ZSLDataset
        With the split "own": classes of the 2012 challenge train, all others are unseen.

    Raises
    ------
    DatasetError
        When the folder holds no shards, or its labels are others than the rows of ``prototypes``.
    FileRefusedError
        When ``prototypes`` is damaged, hostile or not of this form.
    """
    shards, given = Shards.open(folder), read_class_embeddings(prototypes)
    S = np.asarray(given.values, dtype=np.float32)
    known_by = hashlib.sha256(f"{shards.digest} {given.classes}".encode() + S.tobytes())
    labels = np.asarray(shards.labels)
    in_range = labels[labels < len(S)]  # others are refused below, in a sentence
    return ZSLDataset(
        name=folder.name,
        features=cast(np.ndarray, shards),  # read like an array, never whole
        labels=labels,
        prototypes=S,
        class_names=given.classes,
        attribute_names=given.names,
        splits=[challenge_split("own", in_range, given.classes)],
        source=f"Features of your own, from the shards {folder.name}.",
        known_digest=known_by.hexdigest()[:16],
    )
