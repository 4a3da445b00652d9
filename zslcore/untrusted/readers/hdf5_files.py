"""Reader of HDF5 and MATLAB 7.3 files."""

from __future__ import annotations

import math
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.untrusted import worker
from zslcore.untrusted.readers.array_names import SCORE_VARIABLES, VARIABLES
from zslcore.untrusted.readers.common import MAX_CELLS, TEXT_BYTES, Members, Shape, names_in_groups
from zslcore.untrusted.readers.mat_files import join_cells, refuse_many_cells
from zslcore.untrusted.worker import Refused

#: Deflate, shuffle and fletcher32: built-in filters of HDF5, without plug-ins.
HDF5_FILTERS = {1, 2, 3}
#: Maximum number of listed names at the top of a file, and in every group.
MAX_NAMES = 8000
#: Names of groups that are not variables: parts of a split, or scores by class or image.
GROUPS = ("train", "val", "trainval", "test", "test_seen", "test_unseen", *SCORE_VARIABLES)
#: Upper bound of the compression ratio of deflate: an array that declares more bytes than this
#: multiple of its stored bytes is incomplete.
MAX_COMPRESSION = 1100


class Hdf5:
    """HDF5 or MATLAB 7.3 file; soft and external links are never followed."""

    def __init__(self, path: str) -> None:
        import h5py

        self.h5py, self.file, self.path = h5py, h5py.File(path, "r"), path
        # "#refs#" and "#subsystem#" are MATLAB's groups for cells and objects.
        self.top = [name for name in islice(self.file, MAX_NAMES) if not name.startswith("#")]
        #: Arrays in groups, and cells with lists of numbers.
        self.members = self._members(self.top)
        groups = {group for group, _ in self.members.values()}
        listed_groups = {group for group in groups if len(self.file[group]) <= MAX_NAMES}
        self.names = [name for name in (*self.top, *self.members) if name not in listed_groups]

    def _members(self, top: list[str]) -> Members:
        groups: dict[str, list[str]] = {}
        numbered: Members = {}
        for name in top:
            if self.file.id.links.get_info(name.encode()).type != self.h5py.h5l.TYPE_HARD:
                continue
            data = self.file[name]
            if isinstance(data, self.h5py.Group):
                if name in GROUPS or name not in VARIABLES:  # reading any other group raises
                    groups[name] = [*islice(data, MAX_NAMES)]
            elif self._has_lists_in_cells(data):
                numbered |= {f"{name}.{k}": (name, str(k)) for k in range(1, data.size + 1)}
        return names_in_groups(top, groups) | numbered

    def _has_lists_in_cells(self, data: Any) -> bool:
        """Whether an array of MATLAB is a cell array with a few lists of numbers."""
        is_cell = self.h5py.check_ref_dtype(data.dtype) is self.h5py.Reference
        if not is_cell or data.is_virtual or data.external or not 1 < data.size <= MAX_CELLS:
            return False
        for cell in (self.file[reference] if reference else None for reference in data[()].ravel()):
            if not isinstance(cell, self.h5py.Dataset) or cell.dtype.kind not in "biuf":
                return False
            if cell.attrs.get("MATLAB_class") == b"char" or min(cell.shape, default=0) != 1:
                return False
        return True

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable without reading its values."""
        data = self.array(name)
        if self._is_field(name) and data.dtype.kind == "O":
            refuse_many_cells(data.size)
            return (sum(self._cell(reference).size for reference in data[()].ravel()),), 8
        is_text = data.dtype.kind in "SO"
        shape = data.shape[::-1] if "MATLAB_class" in data.attrs else data.shape  # see read
        return shape, max(data.dtype.itemsize, TEXT_BYTES) if is_text else data.dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable."""
        data = self.array(name)
        if data.attrs.get("MATLAB_empty"):  # an empty array, with its shape as data
            return np.empty((0, 0))
        if data.dtype.kind == "O" and self._is_field(name):
            return join_cells([self._cell(reference)[()].T for reference in data[()].ravel()])
        if self.h5py.check_string_dtype(data.dtype) and data.dtype.kind == "O":
            return self._texts(data)
        if data.dtype.kind == "O":
            return np.array([self._text(reference) for reference in data[()].ravel()])
        if data.attrs.get("MATLAB_class") == b"char" and data.dtype.kind == "u" and data.ndim == 2:
            rows = data[()].T.astype("<u4")  # one text per row, padded with spaces
            return np.array(["".join(map(chr, row)).rstrip(" \0") for row in rows.tolist()])
        # MATLAB arrays are in column-major order, hence transposed in HDF5.
        return data[()].T if "MATLAB_class" in data.attrs else data[()]

    def _is_field(self, name: str) -> bool:
        """Whether a name refers to a field of a struct; names of variables may contain a dot."""
        return name not in self.names and "." in name

    def array(self, name: str) -> Any:
        """Return the array of a variable, or of a field of a struct, without following links."""
        where, field = name.partition(".")[::2] if self._is_field(name) else (name, "")
        where, field = self.members.get(name, (where, field))
        self._refuse_link(self.file, where)
        if not field:
            return self._plain(self.file[where])
        group = self.file[where]
        if name in self.members and isinstance(group, self.h5py.Dataset):
            return self._cell(group[()].ravel()[int(field) - 1])
        is_group = isinstance(group, self.h5py.Group)
        if not is_group or field not in group:
            content = ", ".join(islice(group, 6)) if is_group else "an array"
            raise Refused(f"expected a struct with the field {field!r}; got {content}")
        self._refuse_link(group, field)
        return self._plain(group[field])

    def _refuse_link(self, group: Any, name: str) -> None:
        if group.id.links.get_info(name.encode()).type != self.h5py.h5l.TYPE_HARD:
            raise Refused("expected data inside the file; got a link")

    def _cell(self, reference: Any) -> Any:
        """Return the matrix that a cell of a cell array refers to."""
        data = self._plain(self.file[reference]) if reference else None
        if data is None or data.dtype.kind not in "biuf":
            raise Refused("expected matrices of numbers in its cells; got something else")
        return data

    def _text(self, reference: Any) -> str:
        """Return the UTF-16 text that a cell of a MATLAB 7.3 cell array refers to."""
        data = self._plain(self.file[reference]) if reference else None
        if data is None or data.dtype.kind != "u" or data.size > TEXT_BYTES:
            raise Refused("expected a cell array of short strings; got other cells")
        if data.attrs.get("MATLAB_empty"):
            return ""
        return data[()].astype("<u2").tobytes().decode("utf-16-le", "replace")

    def _texts(self, data: Any) -> np.ndarray:
        """Return texts of variable length, read one by one.

        Many texts may refer to the same bytes; more bytes than the file has are refused.
        """
        n_left = Path(self.path).stat().st_size
        texts = []
        for index in np.ndindex(data.shape):
            text = data[index]
            n_left -= len(text)
            if n_left < 0:
                raise Refused("expected texts stored in the file; got more bytes than it has")
            if len(text) > TEXT_BYTES:
                raise Refused(f"expected short texts; got one of {len(text):,} bytes")
            texts.append(text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text))
        return np.array(texts).reshape(data.shape)

    def _plain(self, data: Any) -> Any:
        """Return ``data`` if it is an array in this file, readable without plug-ins."""
        if not isinstance(data, self.h5py.Dataset):
            raise Refused("expected an array; got an HDF5 group")
        if data.is_virtual or data.external:
            raise Refused("expected data inside the file; got data in other files")
        is_cell = self.h5py.check_ref_dtype(data.dtype) is self.h5py.Reference
        is_text = self.h5py.check_string_dtype(data.dtype) is not None
        if data.dtype.kind not in "biufS" and not is_cell and not is_text:
            raise Refused(f"expected numbers or strings; got {data.dtype}")
        filters = data.id.get_create_plist()
        used = {filters.get_filter(i)[0] for i in range(filters.get_nfilters())}
        if used - HDF5_FILTERS:
            raise Refused(f"expected deflate compression; got HDF5 filter {max(used)}")
        return data


def describe_arrays(path: str, names: list[str], out: Path) -> list[tuple[tuple[int, ...], str]]:
    """Return the stored shape and type of arrays of numbers, which may be larger than memory."""
    return [(data.shape, data.dtype.str) for data in _open_arrays(path, names)]


def read_rows(path: str, name: str, start: int, stop: int, out: Path) -> None:
    """Write rows of an array as "rows"."""
    (data,) = _open_arrays(path, [name])
    values = (stop - start) * math.prod(data.shape[1:])
    worker.raise_memory_limit(2 * values * data.dtype.itemsize)
    np.save(out / "rows.npy", data[start:stop], allow_pickle=False)


def _open_arrays(path: str, names: list[str]) -> list[Any]:
    worker.import_libraries("h5py")
    source, arrays = Hdf5(path), []
    for name in names:
        worker.report_progress(reading=name)
        if name not in {*source.names, *source.top}:
            content = ", ".join(source.names[:20]) or "none"
            raise Refused(f"expected an array {name!r}; got {content}", "its list of arrays")
        data = source.array(name)
        stored = data.id.get_storage_size()
        if data.nbytes > MAX_COMPRESSION * stored:
            raise Refused(f"declares {data.nbytes:,} bytes, but stores only {stored:,}")
        if data.dtype.kind not in "biuf":
            raise Refused(f"expected numbers; got {data.dtype}")
        arrays.append(data)
    return arrays
