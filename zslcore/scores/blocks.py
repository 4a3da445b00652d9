"""A score matrix some rows at a time: what is mapped from a file is never in memory as a whole."""

from __future__ import annotations

import mmap
from collections.abc import Iterator

import numpy as np

#: Scores that are in memory at once, and bytes of a map that may stay there.
AT_ONCE, STAYS = 1 << 21, 1 << 26


def blocks(F: np.ndarray) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield rows and their scores, a block at a time, and give back the pages that were read.

    Parameters
    ----------
    F : array of shape (n_images, n_classes), perhaps a map of a file
    """
    step = max(1, AT_ONCE // max(1, F.shape[1]))
    read, mapped = 0, _map_of(F)
    for start in range(0, len(F), step):
        rows = slice(start, min(start + step, len(F)))
        block = np.asarray(F[rows])
        yield rows, block
        read += block.nbytes
        if mapped is not None and read >= STAYS:
            mapped.madvise(mmap.MADV_DONTNEED)
            read = 0
    if mapped is not None and F.nbytes >= STAYS:
        mapped.madvise(mmap.MADV_DONTNEED)


def column(F: np.ndarray, k: int) -> np.ndarray:
    """Return one column, read block by block."""
    return np.concatenate([block[:, k] for _, block in blocks(F)])


def some_rows(F: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Return some rows; around each that is read, the system maps far more than it."""
    mapped = _map_of(F)
    if mapped is None or F.nbytes < STAYS:
        return F[rows]
    parts = []
    for some in np.array_split(rows, max(1, len(rows) // 64)):
        parts.append(np.array(F[some]))
        mapped.madvise(mmap.MADV_DONTNEED)
    return np.concatenate(parts)


def _map_of(F: np.ndarray) -> mmap.mmap | None:
    """Return the map of a file that an array is a view of, where its pages can be given back."""
    base: object = F
    while base is not None:
        if isinstance(base, mmap.mmap):
            return base if hasattr(mmap, "MADV_DONTNEED") else None
        base = getattr(base, "base", None)
    return None
