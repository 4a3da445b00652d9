"""Reader of MATLAB 5 files."""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from zslcore.untrusted.readers.array_names import VARIABLES
from zslcore.untrusted.readers.common import MAX_CELLS, TEXT_BYTES, Members, Shape, names_in_groups
from zslcore.untrusted.worker import Refused

#: MATLAB class -> bytes of one value.
MATLAB_BYTES = {
    **dict.fromkeys(("double", "int64", "uint64"), 8),
    **dict.fromkeys(("single", "int32", "uint32", "char"), 4),
    **dict.fromkeys(("int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "logical"), 1),
    "cell": TEXT_BYTES,
}
#: Maximum size of a struct that is read to list its fields; a list of a million rows has 8 MB.
MAX_STRUCT_BYTES = 64 << 20
#: Data types of MATLAB 5: array and compressed array.
MATRIX, COMPRESSED = 14, 15


class Mat5:
    """Variables of a MATLAB 5 file, and fields of its structs."""

    def __init__(self, path: str) -> None:
        from scipy.io import whosmat

        self.path = path
        self.listed = {name: (shape, kind) for name, shape, kind in whosmat(path)}
        self.top = [name for name in self.listed if not name.startswith("__")]
        #: Fields of small structs with one element, and cells with lists of numbers.
        self.members = self._members(self.top)
        groups = {group for group, _ in self.members.values()}
        self.names = [name for name in (*self.top, *self.members) if name not in groups]

    def _members(self, top: list[str]) -> Members:
        from scipy.io import loadmat

        sizes = dict(zip(self.listed, _declared_bytes(self.path), strict=False))
        small = [name for name in top if sizes.get(name, MAX_STRUCT_BYTES) < MAX_STRUCT_BYTES]
        structs = [n for n in small if n not in VARIABLES and self.listed[n] == ((1, 1), "struct")]
        cells = [n for n in small if self.listed[n][1] == "cell"]
        cells = [n for n in cells if 1 < math.prod(self.listed[n][0]) <= MAX_CELLS]
        if not structs and not cells:
            return {}
        values = loadmat(self.path, variable_names=[*structs, *cells])
        groups = {name: values[name].dtype.names or () for name in structs}
        numbered = {
            f"{name}.{k}": (name, str(k))
            for name in cells
            if all(map(_is_list, values[name].ravel()))
            for k in range(1, values[name].size + 1)
        }
        return names_in_groups(top, groups) | numbered

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable."""
        variable, _ = self.members.get(name, name.partition(".")[::2])
        shape, kind = self.listed[variable]
        if variable != name:
            if kind not in ("struct", "cell"):
                raise Refused(f"expected a MATLAB struct; got a {kind}")
            size = dict(zip(self.listed, _declared_bytes(self.path), strict=True))[variable]
            return (-(-size // 4),), 4  # the shape of a field is unknown
        if kind not in MATLAB_BYTES:
            raise Refused(f"expected numbers or a cell array of strings; got a MATLAB {kind}")
        return shape, MATLAB_BYTES[kind]

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable."""
        from scipy.io import loadmat

        variable, field = self.members.get(name, name.partition(".")[::2])
        value: np.ndarray = loadmat(self.path, variable_names=[variable])[variable]
        if not field:
            return value
        if name in self.members and value.dtype == object:
            cell: np.ndarray = value.ravel()[int(field) - 1]
            return cell
        field_names = value.dtype.names or ()
        if value.size != 1 or field not in field_names:
            raise Refused(
                f"expected one struct with the field {field!r}; got {value.size} with "
                f"{', '.join(field_names[:6]) or 'none'}"
            )
        inner: Any = np.asarray(value[field].ravel()[0])
        return join_cells(inner.ravel().tolist()) if inner.dtype == object else inner


def _is_list(cell: Any) -> bool:
    """Whether a cell has numbers in one row or column."""
    return isinstance(cell, np.ndarray) and cell.dtype.kind in "biuf" and min(cell.shape) == 1


def _declared_bytes(path: str) -> list[int]:
    """Return the bytes declared by each array of a MATLAB 5 file, in file order."""
    sizes: list[int] = []
    with open(path, "rb") as file:
        order = "<" if file.read(128)[126:128] == b"IM" else ">"
        while tag := file.read(8):
            kind, size = struct.unpack(f"{order}II", tag)
            after = file.tell() + size
            if kind == COMPRESSED:
                start = zlib.decompressobj().decompress(file.read(min(size, 4096)), 8)
                kind, size = struct.unpack(f"{order}II", start)
                if kind != MATRIX:
                    raise Refused("expected an array; got other data")
            sizes.append(size)
            file.seek(after)
    return sizes


def refuse_many_cells(n: int) -> None:
    """Refuse a cell array without matrices, or with more than MAX_CELLS."""
    if not 0 < n <= MAX_CELLS:
        raise Refused(f"expected 1 to {MAX_CELLS} matrices in its cells; got {n:,}")


def join_cells(cells: Sequence[Any]) -> np.ndarray:
    """Return the matrices of a cell array side by side."""
    refuse_many_cells(len(cells))
    for cell in cells:
        if not isinstance(cell, np.ndarray) or cell.dtype.kind not in "biuf" or cell.ndim != 2:
            raise Refused("expected matrices of numbers in its cells; got something else")
    rows = {len(cell) for cell in cells}
    if len(rows) > 1:
        raise Refused(
            f"expected cells with the same number of rows; got {min(rows)} and {max(rows)}"
        )
    return cells[0] if len(cells) == 1 else np.hstack(cells)
