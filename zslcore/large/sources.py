"""Blocks of features and labels from HDF5 files and data sets, and data sets from shards.

The blocks are the input of :func:`zslcore.large.shards.write_shards`. Only one block at a time is
in memory. Only arrays are read from a file, and they are checked.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import numpy as np

from zslcore.datasets import ZSLDataset, load
from zslcore.datasets.embeddings import read_class_embeddings
from zslcore.datasets.imagenet import (
    SIMULATED_IMAGENET,
    challenge_split,
    imagenet_plan,
    simulated_blocks,
)
from zslcore.large.shards import Shards
from zslcore.texts import expect
from zslcore.untrusted.client import open_large_arrays

#: Values read at a time: 32 MiB of float32.
BLOCK_VALUES = 1 << 23

Block = tuple[np.ndarray, np.ndarray]


def blocks_of(
    source: str, *, features: str = "features", labels: str = "labels", first_label: int = 0
) -> Iterator[Block]:
    """Yield (features, labels) of a source, block by block.

    ``source`` is an HDF5 file or the name of a data set; ``features`` and ``labels`` are the names
    of its arrays, of shapes (n, n_features) and (n,). ``first_label`` is the number of the first
    class: 0, or 1 in MATLAB files. Files with invalid arrays are refused.
    """
    path = Path(source).expanduser()
    if path.suffix.lower() in (".h5", ".hdf5", ".hdf"):
        X, y = open_large_arrays(path, (features, labels))
        yield from _rows(source, X, y, first_label)
    elif source in SIMULATED_IMAGENET:  # generated block by block, never in memory as a whole
        yield from simulated_blocks(imagenet_plan(source))
    else:
        dataset = load(source)
        yield from _rows(source, dataset.features, dataset.labels, 0)


def _rows(source: str, X: Any, y: Any, first_label: int) -> Iterator[Block]:
    n = X.shape[0] if len(X.shape) == 2 else 0
    if not n or tuple(y.shape) not in ((n,), (n, 1)):
        got = f"{tuple(X.shape)} and {tuple(y.shape)}"
        expect(False, source, "features (n, d) and labels (n,) with n > 0", got)
    classes = np.asarray(y[:]).ravel()
    if classes.dtype.kind == "f" and (classes == np.trunc(classes)).all():  # from MATLAB
        classes = classes.astype(np.int64)
    expect(classes.dtype.kind in "iu", source, "labels that are whole numbers", y.dtype)
    size = max(1, BLOCK_VALUES // X.shape[1])
    for start in range(0, n, size):
        part = slice(start, min(start + size, n))
        yield np.asarray(X[part]), classes[part].astype(np.int64) - first_label


def imagenet_of_shards(folder: Path, prototypes: Path) -> ZSLDataset:
    """Return a data set of ImageNet-21K features in shards, which are read in parts on access.

    ``prototypes`` is a CSV file with one numeric column per dimension and a column ``class``, in
    which most names have an id such as ``n01440764``; or the release's ``ImageNet_w2v.mat``, in
    which classes without a word vector have zeros and are in none of the nine test sets. Labels of
    the shards are 0-based rows of ``prototypes``. In the split "own", the classes of the 2012
    challenge are training classes, and all other classes are unseen.
    """
    shards, embeddings = Shards.open(folder), read_class_embeddings(prototypes)
    S = np.asarray(embeddings.values, dtype=np.float32)
    hasher = hashlib.sha256(f"{shards.digest} {embeddings.classes}".encode() + S.tobytes())
    labels = np.asarray(shards.labels)
    in_range = labels[labels < len(S)]  # labels out of range are refused below
    return ZSLDataset(
        name=folder.name,
        features=cast(np.ndarray, shards),  # read like an array, but only in parts
        labels=labels,
        prototypes=S,
        class_names=embeddings.classes,
        attribute_names=embeddings.names,
        splits={"own": challenge_split(in_range, embeddings.classes)},
        source=f"Your own features, from the shards {folder.name}.",
        known_digest=hasher.hexdigest()[:16],
    )
