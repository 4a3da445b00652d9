"""Reading of named arrays from any container, and listing of contents."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np

from zslcore.storage.arrays import write_rows
from zslcore.untrusted import worker
from zslcore.untrusted.readers.common import MAX_NAME, MAX_NUMBER, MAX_PATH, Shape
from zslcore.untrusted.readers.hdf5_files import Hdf5
from zslcore.untrusted.readers.json_files import open_json
from zslcore.untrusted.readers.mat_files import Mat5
from zslcore.untrusted.readers.numpy_files import Npy, Npz
from zslcore.untrusted.readers.parquet_files import ParquetTable
from zslcore.untrusted.readers.pickle_files import Pickle
from zslcore.untrusted.readers.tensor_files import Safetensors, Torch
from zslcore.untrusted.readers.text_tables import TextTable
from zslcore.untrusted.worker import Refused

#: Maximum total bytes of the small variables that are read together with the list of contents.
SMALL_BYTES = 64 << 20
#: Names of variables with paths; a path is cut to its last characters.
PATHS = ("image_files",)
#: Maximum number of listed variables.
MAX_VARIABLES = 1 << 13


class _Source(Protocol):
    """Open file of one type; ``shape_and_itemsize`` returns shape and bytes per value."""

    names: list[str]

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]: ...
    def read(self, name: str) -> np.ndarray: ...


class Container(NamedTuple):
    """Type of file.

    Attributes
    ----------
    reader : opens a path
    words : its name in sentences
    ending : usual ending of a file of arrays; empty for types that are not containers of arrays
    signature, offsets : first bytes, and their possible positions; without a signature, the type is
        recognised by other means
    libraries : imported before a file is opened; PyArrow needs pandas to make arrays
    """

    reader: Callable[[str], _Source]
    words: str
    ending: str = ""
    signature: bytes = b""
    offsets: tuple[int, ...] = (0,)
    libraries: tuple[str, ...] = ()


#: Containers by name; the first with a matching signature reads a file.
CONTAINERS = {
    "MATLAB 5": Container(
        Mat5, "a MATLAB 5 file", ".mat", b"MATLAB 5.0 MAT-file", libraries=("scipy.io",)
    ),
    "NumPy archive": Container(Npz, "a NumPy archive", ".npz", b"PK\x03\x04"),
    "NumPy array": Container(Npy, "a NumPy array", ".npy", b"\x93NUMPY"),
    "HDF5": Container(
        Hdf5, "an HDF5 file", ".h5", b"\x89HDF\r\n\x1a\n", (0, 512, 1024, 2048), ("h5py",)
    ),
    "Parquet": Container(
        ParquetTable,
        "a Parquet table",
        ".parquet",
        b"PAR1",
        libraries=("pyarrow.parquet", "pandas"),
    ),
    "PyTorch": Container(Torch, "a PyTorch file", ".pt"),
    "pickle": Container(Pickle, "a pickle", ".pkl"),
    "safetensors": Container(Safetensors, "a safetensors file", ".safetensors"),
    "JSON": Container(open_json, "a JSON file", ".json"),
    "text": Container(TextTable, "a text file"),
}


def read_variables(
    path: str,
    kind: str,
    wanted: dict[str, str],
    required: list[str],
    budget: int,
    reason: str,
    out: Path,
) -> dict[str, list[str]]:
    """Read and store the wanted variables of a file; return their names and the unread names."""
    source = _open_source(path, kind)
    top = source.top if isinstance(source, Mat5 | Hdf5) else []  # a field is called "struct.field"
    available = {
        name
        for name in {*wanted, *required}
        if name in source.names or name.partition(".")[0] in top
    }
    for name in required:
        if name not in available:
            content = ", ".join(source.names[:12]) or "nothing"
            raise Refused(f"not in the file, which holds {content}", f"variable {name!r}")
    present, declared = [name for name in wanted if name in available], 0
    for name in present:
        worker.report_progress(reading=name)
        shape, itemsize = source.shape_and_itemsize(name)
        size = math.prod(shape) * max(itemsize, 4)
        declared += size
        if min(shape, default=0) < 0 or declared > budget:
            raise Refused(
                f"declares {' x '.join(map(str, shape))} values ({size:,} bytes), "
                f"more than the {budget:,} bytes {reason}"
            )
    worker.raise_memory_limit(3 * declared)
    for k, name in enumerate(present):
        worker.report_progress(reading=name, share=k / len(present))
        file, role = out / f"{name}.npy", wanted[name]
        if not (role == "scores" and isinstance(source, Npz) and source.copy(name, file)):
            WRITERS[role](_squeeze(source.read(name)), file)
    read = {*present, *(name.partition(".")[0] for name in present)}
    return {"found": present, "unread": [name for name in source.names if name not in read][:100]}


def look_into(path: str, kind: str, budget: int, out: Path) -> list[dict[str, Any]]:
    """Return name and shape of each variable; write the values of small variables.

    The k-th variable is written to ``<k>.npy``: a list of whole numbers as int64, other numbers
    unchanged. In the entry of a variable, "refused" is the reason why it cannot be read, and "read"
    is True if its values were written.
    """
    source = _open_source(path, kind)
    entries: list[dict[str, Any]] = []
    declared, limit = 0, min(budget, SMALL_BYTES)
    for name in source.names[:MAX_VARIABLES]:
        worker.report_progress(reading=name)
        entry: dict[str, Any] = {"name": name, "shape": None, "read": False, "refused": ""}
        entries.append(entry)
        try:
            shape, itemsize = source.shape_and_itemsize(name)
            if min(shape, default=0) < 0:
                raise Refused("declares a negative number of values")
            entry["shape"] = [int(n) for n in _squeeze_shape(shape)]
            size = math.prod(shape) * max(itemsize, 4)
            if declared + size <= limit:
                declared += size
                entry["read"] = True
        except Refused as refusal:
            entry["refused"] = str(refusal)
    worker.raise_memory_limit(3 * declared)
    for k, entry in enumerate(entries):
        if entry["read"]:
            worker.report_progress(reading=entry["name"], share=k / len(entries))
            try:
                np.save(out / f"{k}.npy", plain_array(source.read(entry["name"]), entry["name"]))
            except Refused as refusal:
                entry |= {"read": False, "refused": str(refusal)}
    return entries


def plain_array(array: np.ndarray, name: str) -> np.ndarray:
    """Return numbers unchanged, a list of whole numbers as int64, or texts."""
    array = _squeeze(array)
    if array.dtype.kind not in "biuf":
        return (_paths if name in PATHS else _names)(array)
    if array.size == max(array.shape, default=1):
        values = array.astype(np.float64)
        with np.errstate(invalid="ignore"):
            if ((np.abs(values) < MAX_NUMBER) & (values == np.trunc(values))).all():
                return values.astype("<i8")
    return np.ascontiguousarray(array, "<f4" if array.dtype.itemsize <= 4 else "<f8")


def _squeeze_shape(shape: Shape) -> Shape:
    """Return a shape without axes of length 1, as pooled features have, if two axes remain."""
    longer = tuple(n for n in shape if n != 1)
    return longer if len(shape) > 2 == len(longer) else tuple(shape)


def _squeeze(array: np.ndarray) -> np.ndarray:
    return array.reshape(_squeeze_shape(array.shape))


def _open_source(path: str, kind: str) -> _Source:
    worker.import_libraries(*CONTAINERS[kind].libraries)
    return CONTAINERS[kind].reader(path)


def _describe(array: np.ndarray) -> str:
    kind = {"O": "cells", "U": "text", "S": "text", "c": "complex numbers"}.get(array.dtype.kind)
    return f"{' x '.join(map(str, array.shape)) or 'a single value'} of {kind or array.dtype}"


def _matrix(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biuf" or array.ndim != 2 or not array.size:
        raise Refused(f"expected a matrix of numbers; got {_describe(array)}")
    return array


def _finite_blocks(array: np.ndarray) -> Iterator[np.ndarray]:
    """Yield a matrix as float32, block by block; refuse numbers that are not finite."""
    A = _matrix(array)
    step = max(1, (1 << 20) // A.shape[1])
    for start in range(0, len(A), step):
        with np.errstate(over="ignore"):
            block = np.ascontiguousarray(A[start : start + step], dtype="<f4")
        if not np.isfinite(block).all():
            i, j = np.argwhere(~np.isfinite(block))[0]
            i += start
            raise Refused(f"expected finite numbers; got {A[i, j]} in row {i + 1}")
        yield block


def finite_matrix(array: np.ndarray) -> np.ndarray:
    """Return a matrix of finite numbers as float32, or raise Refused."""
    return np.concatenate([*_finite_blocks(array)])


def score_matrix(array: np.ndarray) -> np.ndarray:
    """Return a matrix in its own precision; infinite and missing numbers are allowed."""
    return _matrix(array).astype("<f4" if array.dtype.itemsize <= 4 else "<f8", copy=False)


def whole_numbers(array: np.ndarray) -> np.ndarray:
    """Return a list of whole numbers as int64, or raise Refused."""
    is_list = not array.size or max(array.shape, default=0) == array.size
    if array.dtype.kind not in "biuf" or not is_list:
        raise Refused(f"expected one column of whole numbers; got {_describe(array)}")
    if array.dtype == np.int64 and (np.abs(array) < MAX_NUMBER).all():
        return array.ravel()
    values = array.ravel().astype(np.float64)
    wrong = values[~(np.abs(values) < MAX_NUMBER) | (values != np.trunc(values))]
    if wrong.size:
        raise Refused(f"expected whole numbers; got {wrong[0]}")
    return values.astype("<i8")


def _texts(array: np.ndarray) -> list[str]:
    if array.dtype.kind == "S":
        array = np.array([text.decode("utf-8", "replace") for text in array.ravel()])
    texts = []
    for cell in array.ravel():
        cell = np.asarray(cell)
        if cell.dtype.kind != "U" or cell.size > 1:
            raise Refused(f"expected a list of strings; got {_describe(cell)}")
        texts.append(cell.item() if cell.size else "")
    return texts


def _names(array: np.ndarray) -> np.ndarray:
    return _cut_texts(array, slice(MAX_NAME), MAX_NAME)


def _paths(array: np.ndarray) -> np.ndarray:
    return _cut_texts(array, slice(-MAX_PATH, None), MAX_PATH)


def _cut_texts(array: np.ndarray, cut: slice, limit: int) -> np.ndarray:
    """Return texts, cut by ``cut`` to ``limit`` characters, in the narrowest array that holds them.

    Each text takes as many bytes in the array as the longest one, at most 1 KB.
    """
    width = array.dtype.itemsize // 4
    if array.dtype.kind == "U" and 0 < width <= limit:
        return array.ravel().astype(f"<U{width}", copy=False)
    return np.array([text[cut] for text in _texts(array)], dtype="<U")


def _write_rows(array: np.ndarray, path: Path) -> None:
    write_rows(path, _finite_blocks(array), _matrix(array).shape[1])


def _write_labels(array: np.ndarray, path: Path) -> None:
    WRITERS["numbers" if array.dtype.kind in "biuf" else "names"](array, path)


WRITERS: dict[str, Callable[[np.ndarray, Path], None]] = {
    "rows": _write_rows,
    "columns": lambda array, path: _write_rows(_matrix(array).T, path),
    "scores": lambda array, path: np.save(path, score_matrix(array), allow_pickle=False),
    "numbers": lambda array, path: np.save(path, whole_numbers(array), allow_pickle=False),
    "names": lambda array, path: np.save(path, _names(array), allow_pickle=False),
    "paths": lambda array, path: np.save(path, _paths(array), allow_pickle=False),
    "labels": _write_labels,
}
