"""Small folders of shards for tests."""

from dataclasses import fields

import numpy as np

from zslcore.large.shards import write_shards

WIDTH = 16


def rows(n=500, seed=0):
    """Return features (n, WIDTH) float32 and labels of 12 classes."""
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, WIDTH)).astype(np.float32), rng.integers(12, size=n)


def written(folder, X, y, *, block=70, rows_a_part=120, dtype="float32"):
    """Write X and y in blocks of ``block`` rows, as shards with parts of ``rows_a_part`` rows."""
    blocks = [(X[k : k + block], y[k : k + block]) for k in range(0, len(X), block)]
    part_bytes = rows_a_part * X.shape[1] * np.dtype(dtype).itemsize
    return write_shards(folder, blocks, dtype=dtype, part_bytes=part_bytes)


def arrays_of(counts):
    """All arrays of the rank counts, by name."""
    result = {field.name: getattr(counts, field.name) for field in fields(counts)}
    images = result.pop("images")
    result |= {field.name: getattr(images, field.name) for field in fields(images)}
    return {name: np.asarray(array) for name, array in result.items()}
