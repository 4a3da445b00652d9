"""Matrices in ``.npy`` files, written block by block."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Self

import numpy as np
from numpy.typing import DTypeLike


class RowFile:
    """Matrix in a ``.npy`` file that grows by rows.

    The file is written, not mapped: writing to mapped pages kills the process if the disk is full.
    """

    def __init__(self, path: Path, n_columns: int, dtype: DTypeLike = "<f4") -> None:
        self.dtype, self.shape = np.dtype(dtype), (0, n_columns)
        self._file = path.open("wb")
        self._write_header()

    def append(self, block: np.ndarray) -> None:
        """Append rows."""
        self._file.write(np.ascontiguousarray(block, self.dtype).data)
        self.shape = (self.shape[0] + len(block), self.shape[1])

    def close(self) -> None:
        """Write the number of rows into the header, which has a fixed length; close the file."""
        self._file.seek(0)
        self._write_header()
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        if kind is None:
            self.close()
        with suppress(OSError):  # flushing may find a full disk
            self._file.close()

    def _write_header(self) -> None:
        header = {"descr": self.dtype.str, "fortran_order": False, "shape": self.shape}
        np.lib.format.write_array_header_1_0(self._file, header)


def write_rows(path: Path, blocks: Iterable[np.ndarray], n_columns: int) -> int:
    """Write the rows of all blocks as one float32 matrix; return their number."""
    with RowFile(path, n_columns) as file:
        for block in blocks:
            file.append(block)
    return file.shape[0]
