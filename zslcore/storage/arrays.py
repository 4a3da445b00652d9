"""Matrices as ``.npy`` files that are written block by block."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike


def write_rows(
    path: Path, blocks: Iterable[np.ndarray], n_columns: int, dtype: DTypeLike = "<f4"
) -> int:
    """Write the rows of all blocks as one matrix; return how many they are.

    Written, not mapped: a full disk ends a process that writes to mapped pages.
    """
    header = {"descr": np.dtype(dtype).str, "fortran_order": False}
    n = 0
    with path.open("wb") as file:
        np.lib.format.write_array_header_1_0(file, header | {"shape": (0, n_columns)})
        for block in blocks:
            file.write(np.ascontiguousarray(block, dtype).data)
            n += len(block)
        file.seek(0)  # the length of a header does not depend on the number of rows
        np.lib.format.write_array_header_1_0(file, header | {"shape": (n, n_columns)})
    return n
