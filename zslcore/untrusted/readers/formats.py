"""Read MATLAB, HDF5, NumPy, Parquet, CSV, JSON and TOML in a confined process.

:mod:`zslcore.untrusted.readers.tensor_files` reads PyTorch and safetensors.

The limits and walls of that process protect the machine (:mod:`zslcore.untrusted.worker`).
The readers here compare what a file declares with what it may take before they read any of it, and
say in one sentence what is wrong. They return JSON, and leave arrays as ``<out>/<name>.npy``.
"""

from __future__ import annotations

import csv
import json
import math
import shutil
import struct
import tomllib
import warnings
import zipfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from zslcore.storage.arrays import write_rows
from zslcore.untrusted import worker
from zslcore.untrusted.readers.table_files import ParquetTable, TextTable, allow_text
from zslcore.untrusted.readers.tensor_files import Safetensors, Torch
from zslcore.untrusted.worker import Refused

#: What variables are called that hold scores, and the label of every image.
SCORE_VARIABLES = ("scores", "score", "logits", "probabilities", "probs", "log_probs", "array")
LABEL_VARIABLES = ("y", "labels", "label", "y_true", "targets", "true_labels")
#: Names of arrays that mean one thing in every file of ours, so that no class is called so.
VARIABLES = frozenset((
    *SCORE_VARIABLES, *LABEL_VARIABLES, "features", "X", "prototypes", "att", "class_names",
    *("trainval", "train", "val", "test_seen", "test_unseen", "test"),
    *("trainval_loc", "train_loc", "val_loc", "test_seen_loc", "test_unseen_loc"),
))  # fmt: skip
#: What a column of labels is called in a table of scores.
LABELS = (
    *("label", "labels", "class", "y", "y_true", "target", "true", "targets", "true_label"),
    *("true_labels", "true_class", "gt", "ground_truth", "groundtruth", "gold", "actual"),
    *("class_name", "label_name", "label_true", "target_class", "expected"),
)
#: What a column or an array of predicted classes is called.
PREDICTED = (
    *("y_pred", "pred", "preds", "predicted", "prediction", "predictions", "y_hat", "yhat"),
    *("pred_label", "pred_labels", "predicted_label", "predicted_labels", "predicted_class"),
    *("label_pred", "pred_class", "pred_classes", "answer", "answers", "output", "outputs"),
    *("top1", "argmax", "estimate", "estimated", "y_predicted", "predicted_classes"),
)
#: Texts that stand for a missing number.
MISSING = ("", "nan", "NaN", "NA", "N/A", "null", "None", "-nan")
#: Bytes that a text of unknown length counts for before it is read.
TEXT_BYTES = 1 << 10
#: Longest path and longest name that are stored; of a path the end, which distinguishes files.
MAX_PATH, MAX_NAME = 200, 256
#: Largest number of a character, largest row number, and first number that float64 cannot tell.
LAST_CHARACTER, MAX_ROW, MAX_NUMBER = 0x10FFFF, 2**31 - 1, 2**53
#: Bytes of one value, by MATLAB class.
MATLAB_BYTES = {
    **dict.fromkeys(("double", "int64", "uint64"), 8),
    **dict.fromkeys(("single", "int32", "uint32", "char"), 4),
    **dict.fromkeys(("int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "logical"), 1),
    "cell": TEXT_BYTES,
}
#: Data types of MATLAB 5: an array, and one that is compressed.
MATRIX, COMPRESSED = 14, 15
#: Deflate, shuffle and fletcher32: the filters that are part of HDF5, no plug-ins.
HDF5_FILTERS = {1, 2, 3}
#: Why an array of Python objects, which would be unpickled, is not read.
OBJECTS = "an array of Python objects: save with np.array(names, dtype=str)"
#: Bytes that the small variables of a file may declare, which are read before it is known what
#: the file is; names of files, of which the end is kept; most variables that are looked at.
SMALL_BYTES, PATHS, MAX_VARIABLES = 64 << 20, ("image_files",), 200
NUMERIC = ("int", "uint", "float", "double", "halffloat")
#: Where pandas writes ``DataFrame.attrs``.
ATTRS = b"PANDAS_ATTRS"
MAX_ATTRS, MAX_VALUES, MAX_TEXTS = 4 << 20, 1 << 18, 1 << 10
#: Columns that no score matrix has, and every file of predictions.
OF_PREDICTIONS = frozenset(("part", "row", "seen_class", "unseen_class", "margin"))
MAX_COLUMNS, MAX_HEADER, MAX_FIELD = 1 << 16, 4 << 20, 1 << 20
#: Most values of a table that are parsed at a time.
BLOCK = 1 << 18
#: Brackets inside each other that a value may have; results of ours have 6.
MAX_DEPTH = 20

Shape = tuple[int, ...]


class _Source(Protocol):
    """A file of one kind; ``declared`` gives shape and bytes per value without reading values."""

    names: list[str]

    def declared(self, name: str) -> tuple[Shape, int]: ...
    def read(self, name: str) -> np.ndarray: ...


class _Mat5:
    def __init__(self, path: str) -> None:
        from scipy.io import whosmat

        self.path = path
        self.listed = {name: (shape, kind) for name, shape, kind in whosmat(path)}
        self.names = [name for name in self.listed if not name.startswith("__")]

    def declared(self, name: str) -> tuple[Shape, int]:
        of = name.partition(".")[0]
        shape, kind = self.listed[of]
        if of != name:
            if kind != "struct":
                raise Refused(f"expected a MATLAB struct, got a {kind}")
            size = dict(zip(self.listed, _declared_bytes(self.path), strict=True))[of]
            return (-(-size // 4),), 4  # of a field, no more is known
        if kind not in MATLAB_BYTES:
            raise Refused(f"expected numbers or a cell array of texts, got a MATLAB {kind}")
        return shape, MATLAB_BYTES[kind]

    def read(self, name: str) -> np.ndarray:
        from scipy.io import loadmat

        of, _, field = name.partition(".")
        value: np.ndarray = loadmat(self.path, variable_names=[of])[of]
        if not field:
            return value
        held = value.dtype.names or ()
        if value.size != 1 or field not in held:
            raise Refused(
                f"expected one struct with the field {field!r}, got {value.size} with "
                f"{', '.join(held[:6]) or 'none'}"
            )
        inner: Any = np.asarray(value[field].ravel()[0])
        return _joined(inner.ravel().tolist()) if inner.dtype == object else inner


def _declared_bytes(path: str) -> list[int]:
    """Return the bytes that each array of a MATLAB 5 file declares, in the order of the file."""
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
                    raise Refused("expected an array, got other data")
            sizes.append(size)
            file.seek(after)
    return sizes


class Hdf5:
    """HDF5 and MATLAB 7.3; nothing outside the file is ever opened."""

    def __init__(self, path: str) -> None:
        import h5py

        self.h5py, self.file = h5py, h5py.File(path, "r")
        # MATLAB keeps cells and objects in groups of its own, "#refs#" and "#subsystem#".
        self.names = [name for name in islice(self.file, 1000) if not name.startswith("#")]

    def declared(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable without reading its values."""
        data = self._data(name)
        if self._is_field(name) and data.dtype.kind == "O":
            _refuse_many(data.size)
            return (sum(self._cell(each).size for each in data[()].ravel()),), 8
        is_text = data.dtype.kind in "SO"
        shape = data.shape[::-1] if "MATLAB_class" in data.attrs else data.shape  # see read
        return shape, max(data.dtype.itemsize, TEXT_BYTES) if is_text else data.dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable."""
        data = self._data(name)
        if data.attrs.get("MATLAB_empty"):  # then the data are the shape, not the values
            return np.empty((0, 0))
        if data.dtype.kind == "O" and self._is_field(name):
            return _joined([self._cell(reference)[()].T for reference in data[()].ravel()])
        if data.dtype.kind == "O":
            return np.array([self._text(reference) for reference in data[()].ravel()])
        # MATLAB writes columns first, so that its arrays lie transposed in HDF5.
        return data[()].T if "MATLAB_class" in data.attrs else data[()]

    def _is_field(self, name: str) -> bool:
        """Whether a name is that of a field; a variable may have a dot in its own."""
        return name not in self.names and "." in name

    def _data(self, name: str) -> Any:
        """Return the array of a variable, or of a field of a struct; no link is followed."""
        where, field = name.partition(".")[::2] if self._is_field(name) else (name, "")
        self._refuse_link(self.file, where)
        if not field:
            return self._plain(self.file[where])
        group = self.file[where]
        is_group = isinstance(group, self.h5py.Group)
        if not is_group or field not in group:
            held = ", ".join(islice(group, 6)) if is_group else "an array"
            raise Refused(f"expected a struct with the field {field!r}, got {held}")
        self._refuse_link(group, field)
        return self._plain(group[field])

    def _refuse_link(self, group: Any, name: str) -> None:
        if group.id.links.get_info(name.encode()).type != self.h5py.h5l.TYPE_HARD:
            raise Refused("expected data inside the file, got a link")

    def _cell(self, reference: Any) -> Any:
        """Follow one cell of a cell array of matrices."""
        data = self._plain(self.file[reference]) if reference else None
        if data is None or data.dtype.kind not in "biuf":
            raise Refused("expected matrices of numbers in its cells, got something else")
        return data

    def _text(self, reference: Any) -> str:
        """Follow one cell of a MATLAB 7.3 cell array to its UTF-16 text."""
        data = self._plain(self.file[reference]) if reference else None
        if data is None or data.dtype.kind != "u" or data.size > TEXT_BYTES:
            raise Refused("expected a cell array of short texts")
        if data.attrs.get("MATLAB_empty"):
            return ""
        return data[()].astype("<u2").tobytes().decode("utf-16-le", "replace")

    def _plain(self, data: Any) -> Any:
        """Return ``data`` if it is an array in this very file that plain HDF5 can read."""
        if not isinstance(data, self.h5py.Dataset):
            raise Refused("expected an array, got an HDF5 group")
        if data.is_virtual or data.external:
            raise Refused("expected data inside the file, got data in other files")
        is_cell = self.h5py.check_ref_dtype(data.dtype) is self.h5py.Reference
        if data.dtype.kind not in "biufS" and not is_cell:
            raise Refused(f"expected numbers or texts of fixed length, got {data.dtype}")
        filters = data.id.get_create_plist()
        used = {filters.get_filter(i)[0] for i in range(filters.get_nfilters())}
        if used - HDF5_FILTERS:
            raise Refused(f"expected deflate compression, got HDF5 filter {max(used)}")
        return data


def _refuse_many(n: int) -> None:
    """Refuse a cell array without a matrix, or with more than a release has."""
    if not 0 < n <= 64:
        raise Refused(f"expected 1 to 64 matrices in its cells, got {n:,}")


def _joined(cells: Sequence[Any]) -> np.ndarray:
    _refuse_many(len(cells))
    for cell in cells:
        if not isinstance(cell, np.ndarray) or cell.dtype.kind not in "biuf" or cell.ndim != 2:
            raise Refused("expected matrices of numbers in its cells, got something else")
    rows = {len(cell) for cell in cells}
    if len(rows) > 1:
        raise Refused(
            f"expected matrices with the same rows in its cells, got {min(rows)} and {max(rows)}"
        )
    return cells[0] if len(cells) == 1 else np.hstack(cells)


class _Npz:
    """NumPy's archive; every header is compared with the size of its member."""

    def __init__(self, path: str) -> None:
        self.archive = zipfile.ZipFile(path)
        members = {info.filename: info for info in self.archive.infolist()}
        if len(members) < len(self.archive.infolist()):
            raise Refused("expected each variable once")
        self.members = {n[:-4]: info for n, info in members.items() if n.endswith(".npy")}
        self.names = list(self.members)

    def declared(self, name: str) -> tuple[Shape, int]:
        info = self.members[name]
        stored = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if info.flag_bits & 1 or not stored:
            raise Refused("expected a member stored plainly or deflated")
        with self.archive.open(info) as member:
            shape, _, dtype = _npy_header(member)
            size = member.tell() + math.prod(shape) * dtype.itemsize
        _refuse_objects(dtype)
        if size != info.file_size:
            raise Refused(f"its header declares {size:,} bytes, the archive {info.file_size:,}")
        return shape, dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        with self.archive.open(self.members[name]) as member:
            array: np.ndarray = np.lib.format.read_array(member, allow_pickle=False)
        _refuse_odd_characters(array)
        return array

    def copy(self, name: str, path: Path) -> bool:
        """Write a matrix of float32 or float64 as it is, a piece at a time; whether it is one."""
        with self.archive.open(self.members[name]) as member:
            shape, fortran, dtype = _npy_header(member)
            if dtype.str not in ("<f4", "<f8") or len(shape) != 2 or not math.prod(shape):
                return False
            header = {"descr": dtype.str, "fortran_order": fortran, "shape": shape}
            with path.open("wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                shutil.copyfileobj(member, file, 1 << 20)
        return True


def _refuse_odd_characters(array: np.ndarray) -> None:
    """Refuse texts with numbers that no character has."""
    if array.dtype.kind == "U" and array.size:
        codes = np.ascontiguousarray(array).view(array.dtype.byteorder + "u4")
        if codes.max() > LAST_CHARACTER:
            raise Refused(f"expected texts, got a character with number {codes.max():,}")


def _refuse_objects(dtype: np.dtype) -> None:
    if dtype.kind not in "biufSU":
        raise Refused(f"expected numbers or texts, got {OBJECTS if dtype.hasobject else dtype}")


def _npy_header(file: Any) -> tuple[Shape, bool, np.dtype]:
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    header: tuple[Shape, bool, np.dtype] = read[np.lib.format.read_magic(file)](file)
    return header


class _Npy:
    """One array of NumPy, called "array"; it is not longer than its header says."""

    def __init__(self, path: str) -> None:
        self.path, self.names = path, ["array"]

    def declared(self, name: str) -> tuple[Shape, int]:
        with open(self.path, "rb") as file:
            shape, _, dtype = _npy_header(file)
        _refuse_objects(dtype)
        return shape, dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        array = np.load(self.path, mmap_mode="r", allow_pickle=False)
        _refuse_odd_characters(array)
        return array


class _Parquet:
    """A table of scores: numbers are the matrix "scores", the one column of labels is "labels".

    A column of predicted classes is "predicted"; other columns of texts are named and not read.
    """

    def __init__(self, path: str) -> None:
        self.file = _parquet(path)
        schema = self.file.schema_arrow
        self.label, self.predicted = (
            next((name for name in schema.names if name.lower() in names), None)
            for names in (LABELS, PREDICTED)
        )
        index = ("__index_level_0__", "Unnamed: 0")
        others = [n for n in schema.names if n not in (self.label, self.predicted, *index)]
        self.texts = [n for n in others if "string" in str(schema.field(n).type)]
        self.columns = [n for n in others if n not in self.texts]
        self.names = ["scores", "class_names"] if self.columns else []
        self.names += ["labels"] * (self.label is not None)
        self.names += ["predicted"] * (self.predicted is not None)
        self.names += self.texts

    def declared(self, name: str) -> tuple[Shape, int]:
        rows = self.file.metadata.num_rows
        if name == "scores":
            return (rows, len(self.columns)), 8
        return ((len(self.columns),) if name == "class_names" else (rows,)), TEXT_BYTES

    def read(self, name: str) -> np.ndarray:
        if name == "class_names":
            return np.array(self.columns)
        if name in ("labels", "predicted", *self.texts):
            asked = {"labels": self.label, "predicted": self.predicted}.get(name, name)
            column = self.file.read([asked], use_threads=False).column(0)
            values: np.ndarray = column.to_numpy(zero_copy_only=False)
            return np.array([str(v) for v in values]) if values.dtype.kind == "O" else values
        if {*self.file.schema_arrow.names} >= OF_PREDICTIONS:
            raise Refused(
                "expected scores, or predictions with the attributes that they are written with "
                "(PANDAS_ATTRS with a schema, at most 8 MiB of JSON); got predictions without them"
            )
        table = self.file.read(self.columns, use_threads=False)
        for field in table.schema:
            if not str(field.type).startswith(NUMERIC):
                raise Refused(f"expected numbers in column {field.name!r}, got {field.type}")
        return np.column_stack(
            [column.to_numpy(zero_copy_only=False) for column in table.itercolumns()]
        )


class _Json:
    """Arrays as JSON: an object of lists, or one list, which is called "array".

    An object that has a list of numbers a class, all of one length, is a matrix "prototypes" with
    "class_names".
    """

    def __init__(self, path: str) -> None:
        allow_text(path)
        value = _parsed(path, "JSON")
        held = value if isinstance(value, dict) else {"array": value}
        if _is_vector_a_class(held):
            prototypes = np.array(list(held.values()), dtype=np.float64)
            held = {"prototypes": prototypes, "class_names": list(held)}
        self.held = {str(name): each for name, each in held.items() if isinstance(each, _LISTS)}
        self.names = list(self.held)

    def declared(self, name: str) -> tuple[Shape, int]:
        array = self.read(name)
        return array.shape, TEXT_BYTES if array.dtype.kind == "U" else array.dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        value = self.held[name]
        if isinstance(value, np.ndarray):
            return value
        if value and all(isinstance(each, str) for each in value):
            return np.array([each[:MAX_NAME] for each in value])
        rows = value if value and all(isinstance(each, list) for each in value) else [value]
        if len({len(row) for row in rows}) > 1:
            raise Refused("expected rows of one length, got several lengths")
        if not all(type(each) in (int, float, bool) for row in rows for each in row):
            raise Refused("expected a list of numbers or of texts, got other values")
        if any(type(each) is int and abs(each) >= MAX_NUMBER for row in rows for each in row):
            raise Refused("expected numbers below 2 ** 53, got a larger one")
        return np.array(value)


_LISTS = (list, np.ndarray)


def _is_vector_a_class(held: Mapping[str, Any]) -> bool:
    """Whether an object has a list of numbers a class, all of one length, and no name of ours."""
    if len(held) < 2 or not {*held}.isdisjoint(VARIABLES):
        return False
    lists = list(held.values())
    return (
        all(isinstance(each, list) and each for each in lists)
        and len({len(each) for each in lists}) == 1
        and all(type(n) in (int, float) and abs(n) < MAX_NUMBER for each in lists for n in each)
    )


def _parquet(path: str, texts: Sequence[str] = ()) -> Any:
    """Open a Parquet table with one thread: under load others find no room under the limit."""
    import pyarrow
    from pyarrow import parquet

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    file = parquet.ParquetFile(path, memory_map=True, read_dictionary=texts)
    if len(set(file.schema_arrow.names)) < len(file.schema_arrow.names):
        raise Refused("expected each column once")
    return file


#: Kind of file -> its reader.
SOURCES: dict[str, Callable[[str], _Source]] = {
    "MATLAB 5": _Mat5,
    "HDF5": Hdf5,
    "NumPy archive": _Npz,
    "NumPy array": _Npy,
    "Parquet": _Parquet,
    "safetensors": Safetensors,
    "PyTorch": Torch,
    "JSON": _Json,
    "table": ParquetTable,
    "text": TextTable,
}
#: Kind of file -> the libraries that read it; to make an array, PyArrow asks pandas.
LIBRARIES = {
    "MATLAB 5": ("scipy.io",),
    "HDF5": ("h5py",),
    "NumPy archive": (),
    "NumPy array": (),
    "safetensors": (),
    "PyTorch": (),
    "JSON": (),
    "text": (),
    "table": ("pyarrow.parquet", "pandas"),
    "Parquet": ("pyarrow.parquet", "pandas"),
    "CSV": ("pandas",),
}


# --- Variables ------------------------------------------------------------------------------------


def read_variables(
    path: str,
    kind: str,
    wanted: dict[str, str],
    required: list[str],
    budget: int,
    because: str,
    out: Path,
) -> dict[str, list[str]]:
    """Write the wanted variables that are there; return their names, and those of the others."""
    source = _opened(path, kind)
    structs = isinstance(source, _Mat5 | Hdf5)
    parents = {name: name.partition(".")[0] if structs else name for name in {*wanted, *required}}
    there = {name for name, of in parents.items() if not {name, of}.isdisjoint(source.names)}
    for name in required:
        if name not in there:
            held = ", ".join(source.names[:12]) or "nothing"
            raise Refused(f"not in the file, which holds {held}", f"variable {name!r}")
    found, declared = [name for name in wanted if name in there], 0
    for name in found:
        worker.report_progress(reading=name)
        shape, itemsize = source.declared(name)
        size = math.prod(shape) * max(itemsize, 4)
        declared += size
        if min(shape, default=0) < 0 or declared > budget:
            raise Refused(
                f"declares {' x '.join(map(str, shape))} values ({size:,} bytes), "
                f"more than the {budget:,} bytes {because}"
            )
    worker.raise_memory_limit(3 * declared)
    for k, name in enumerate(found):
        worker.report_progress(reading=name, share=k / len(found))
        file, role = out / f"{name}.npy", wanted[name]
        if not (role == "scores" and isinstance(source, _Npz) and source.copy(name, file)):
            WRITERS[role](source.read(name), file)
    read = {*found, *(parents[name] for name in found)}
    return {"found": found, "unread": [name for name in source.names if name not in read][:100]}


def look_into(path: str, kind: str, budget: int, out: Path) -> list[dict[str, Any]]:
    """Return name and shape of every variable, and write the values of the small ones.

    The k-th is ``<k>.npy``, numbers as they are, whole ones in one axis as int64; "refused" says
    why a variable cannot be read, "read" whether its values were written.
    """
    source = _opened(path, kind)
    found: list[dict[str, Any]] = []
    declared, most = 0, min(budget, SMALL_BYTES)
    for name in source.names[:MAX_VARIABLES]:
        worker.report_progress(reading=name)
        entry: dict[str, Any] = {"name": name, "shape": None, "read": False, "refused": ""}
        found.append(entry)
        try:
            shape, itemsize = source.declared(name)
            if min(shape, default=0) < 0:
                raise Refused("declares a negative number of values")
            entry["shape"] = [int(n) for n in shape]
            size = math.prod(shape) * max(itemsize, 4)
            if declared + size <= most:
                declared += size
                entry["read"] = True
        except Refused as refusal:
            entry["refused"] = str(refusal)
    worker.raise_memory_limit(3 * declared)
    for k, entry in enumerate(found):
        if entry["read"]:
            worker.report_progress(reading=entry["name"], share=k / len(found))
            try:
                _write_plain(source.read(entry["name"]), out / f"{k}.npy", entry["name"])
            except Refused as refusal:
                entry |= {"read": False, "refused": str(refusal)}
    return found


def _write_plain(array: np.ndarray, path: Path, name: str) -> None:
    """Write numbers or texts as they are."""
    if array.dtype.kind not in "biuf":
        (_write_paths if name in PATHS else _write_names)(array, path)
        return
    if array.size == max(array.shape, default=1):
        values = array.astype(np.float64)
        with np.errstate(invalid="ignore"):
            if ((np.abs(values) < MAX_NUMBER) & (values == np.trunc(values))).all():
                np.save(path, values.astype("<i8"))
                return
    np.save(path, np.ascontiguousarray(array, "<f4" if array.dtype.itemsize <= 4 else "<f8"))


def _opened(path: str, kind: str) -> _Source:
    worker.import_libraries(*LIBRARIES[kind])
    return SOURCES[kind](path)


def _described(array: np.ndarray) -> str:
    kind = {"O": "cells", "U": "text", "S": "text", "c": "complex numbers"}.get(array.dtype.kind)
    return f"{' x '.join(map(str, array.shape)) or 'a single value'} of {kind or array.dtype}"


def _matrix(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind not in "biuf" or array.ndim != 2 or not array.size:
        raise Refused(f"expected a matrix of numbers, got {_described(array)}")
    return array


def _write_rows(array: np.ndarray, path: Path) -> None:
    """Write a matrix as float32, block by block, refusing what is not finite."""
    A = _matrix(array)

    def blocks() -> Iterator[np.ndarray]:
        step = max(1, (1 << 20) // A.shape[1])
        for start in range(0, len(A), step):
            with np.errstate(over="ignore"):
                block = np.ascontiguousarray(A[start : start + step], dtype="<f4")
            if not np.isfinite(block).all():
                i, j = np.argwhere(~np.isfinite(block))[0]
                i += start
                raise Refused(f"expected finite numbers, got {A[i, j]} in row {i + 1}")
            yield block

    write_rows(path, blocks(), A.shape[1])


def _write_scores(array: np.ndarray, path: Path) -> None:
    """Write a matrix as precise as it is; what is not finite is for others to say."""
    dtype = "<f4" if array.dtype.itemsize <= 4 else "<f8"
    np.save(path, _matrix(array).astype(dtype, copy=False), allow_pickle=False)


def _write_numbers(array: np.ndarray, path: Path) -> None:
    """Write one axis of whole numbers; MATLAB's vectors come as a single row or column."""
    np.save(path, whole_numbers(array))


def whole_numbers(array: np.ndarray) -> np.ndarray:
    """Return one axis of whole numbers as int64, or raise Refused."""
    if array.dtype.kind not in "biuf" or (array.size and max(array.shape) != array.size):
        raise Refused(f"expected one column of whole numbers, got {_described(array)}")
    if array.dtype == np.int64 and (np.abs(array) < MAX_NUMBER).all():
        return array.ravel()
    values = array.ravel().astype(np.float64)
    wrong = values[~(np.abs(values) < MAX_NUMBER) | (values != np.trunc(values))]
    if wrong.size:
        raise Refused(f"expected whole numbers, got {wrong[0]}")
    return values.astype("<i8")


def finite_matrix(array: np.ndarray) -> np.ndarray:
    """Return a matrix as float32, or raise Refused for one that is none or not finite."""
    with np.errstate(over="ignore"):
        A = _matrix(array).astype("<f4")
    if not np.isfinite(A).all():
        i, j = np.argwhere(~np.isfinite(A))[0]
        raise Refused(f"expected finite numbers, got {array[i, j]} in row {i + 1}")
    return A


def _texts(array: np.ndarray) -> list[str]:
    if array.dtype.kind == "S":
        array = np.array([item.decode("utf-8", "replace") for item in array.ravel()])
    texts = []
    for cell in array.ravel():
        cell = np.asarray(cell)
        if cell.dtype.kind != "U" or cell.size > 1:
            raise Refused(f"expected a list of texts, got {_described(cell)}")
        texts.append(cell.item() if cell.size else "")
    return texts


def _write_names(array: np.ndarray, path: Path) -> None:
    np.save(path, np.array(_texts(array), dtype=f"<U{MAX_NAME}"), allow_pickle=False)


def _write_paths(array: np.ndarray, path: Path) -> None:
    ends = [text[-MAX_PATH:] for text in _texts(array)]
    np.save(path, np.array(ends, dtype=f"<U{MAX_PATH}"), allow_pickle=False)


def _write_labels(array: np.ndarray, path: Path) -> None:
    (_write_numbers if array.dtype.kind in "biuf" else _write_names)(array, path)


WRITERS: dict[str, Callable[[np.ndarray, Path], None]] = {
    "rows": _write_rows,
    "columns": lambda array, path: _write_rows(_matrix(array).T, path),
    "scores": _write_scores,
    "numbers": _write_numbers,
    "names": _write_names,
    "paths": _write_paths,
    "labels": _write_labels,
}


# --- Columns of a Parquet table -------------------------------------------------------------------


def read_columns(
    path: str, wanted: Mapping[str, str], required: Sequence[str], budget: int, out: Path
) -> dict[str, Any]:
    """Write columns of a Parquet table; return which there are, their texts, and the attributes.

    Texts stay numbers of a dictionary, so that one long text in a million rows is one text.
    """
    worker.import_libraries(*LIBRARIES["Parquet"])
    file = _parquet(path, [name for name, role in wanted.items() if role == "texts"])
    there = file.schema_arrow.names
    for name in required:
        if name not in there:
            held = ", ".join(there[:12]) or "nothing"
            raise Refused(f"not in the file, which holds {held}", f"variable {name!r}")
    found = [name for name in wanted if name in there]
    worker.raise_memory_limit(3 * _declared_by_columns(file.metadata, found, budget))
    attrs = _attrs((file.metadata.metadata or {}) | (file.schema_arrow.metadata or {}))
    texts: dict[str, list[str]] = {}
    for name in found:
        column = file.read([name], use_threads=False).column(0)
        try:
            if wanted[name] == "texts":
                array, texts[name] = _coded(column)
            else:
                array = _of_column(column, wanted[name])
        except Refused as refusal:
            raise Refused(str(refusal), f"variable {name!r}") from None
        np.save(out / f"{name}.npy", array)
    return {"found": found, "texts": texts, "attrs": attrs}


def _declared_by_columns(metadata: Any, names: Sequence[str], budget: int) -> int:
    """Return the bytes that columns declare, in the file and in memory; refuse too many."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    rows, in_groups = metadata.num_rows, sum(group.num_rows for group in groups)
    if rows != in_groups or min((rows, *(group.num_rows for group in groups))) < 0:
        raise Refused(f"declares {rows:,} rows, and {in_groups:,} in its row groups")
    sizes = [
        column.total_uncompressed_size
        for group in groups
        for column in map(group.column, range(group.num_columns))
        if column.path_in_schema in names
    ]
    size: int = max(rows * 8 * len(names), sum(sizes))
    if size > budget or min(sizes, default=0) < 0:
        raise Refused(
            f"declares {rows:,} rows ({size:,} bytes), more than the {budget:,} bytes "
            "allowed for a file of this size"
        )
    return size


def _attrs(metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    text = metadata.get(ATTRS, b"{}")
    if len(text) > MAX_ATTRS:
        raise Refused(f"expected at most {MAX_ATTRS:,} bytes of attributes, got {len(text):,}")
    try:
        attrs: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise Refused("expected attributes as JSON, got text that is none") from None
    if not isinstance(attrs, dict):
        raise Refused("expected attributes as a JSON object, got another value")
    if (n := _count_values(attrs)) > MAX_VALUES:
        raise Refused(f"expected at most {MAX_VALUES:,} values in attributes, got {n:,}")
    return attrs


def _coded(column: Any) -> tuple[np.ndarray, list[str]]:
    """Return which text stands in every row, and the texts."""
    if "string" not in str(column.type):
        raise Refused(f"expected texts, got {column.type}")
    encoded = column.unify_dictionaries().combine_chunks()
    encoded = encoded if hasattr(encoded, "dictionary") else encoded.dictionary_encode()
    if encoded.null_count:
        raise Refused("expected a text in every row, got a row without")
    if (n := len(encoded.dictionary)) > MAX_TEXTS:
        raise Refused(f"expected at most {MAX_TEXTS:,} different texts, got {n:,}")
    codes: np.ndarray = encoded.indices.to_numpy(zero_copy_only=False).astype("<i8")
    return codes, [str(text)[:MAX_PATH] for text in encoded.dictionary.to_pylist()]


def _of_column(column: Any, role: str) -> np.ndarray:
    """Return numbers as float64, whole ones as int64; -1 for none where they are optional."""
    kind, whole = str(column.type), role != "values"
    if not kind.startswith(NUMERIC) and (kind, role) != ("null", "optional numbers"):
        what = "whole numbers" if whole else "numbers"
        raise Refused(f"expected {what}, got {kind}")
    array: Any = column.to_numpy(zero_copy_only=False)
    if array.dtype.kind == "O":
        array = [np.nan if value is None else value for value in array]
    values = np.array(array, dtype=np.float64)
    missing = np.isnan(values)
    if role == "optional numbers":
        values[missing] = -1
    elif missing.any():
        raise Refused(f"expected a number in every row, got none in row {missing.argmax():,}")
    wrong = ~(np.abs(values) < MAX_NUMBER) | (values != np.trunc(values))
    if whole and wrong.any():
        raise Refused(f"expected whole numbers, got {values[wrong][0]}")
    return values.astype("<i8" if whole else "<f8")


# --- Tables ---------------------------------------------------------------------------------------


def read_csv(path: str, texts: dict[str, bool], budget: int, out: Path) -> dict[str, Any]:
    """Write the numbers of a CSV file as one matrix, "features", and its texts as codes.

    pandas reads it block by block, so that neither this process nor the server ever holds the whole
    table; only a file that it does not take is read once more, to name the line. ``texts`` says of
    a column of texts whether it has to be there. Returns the names of the columns of numbers and,
    by column, the different texts.
    """
    header, index = _header(path, texts)
    numbers = [name for name in header if name not in texts and name]
    known: dict[str, dict[str, int]] = {name: {} for name in header if name in texts}
    codes: dict[str, list[np.ndarray]] = {name: [] for name in known}

    def blocks() -> Iterator[np.ndarray]:
        n = 0
        for frame, share in _frames(path, header, texts, len(numbers)):
            with np.errstate(over="ignore"):
                values = frame[numbers].to_numpy("<f4")
            rows = np.arange(n, n := n + len(frame))
            if not np.isfinite(values).all() or (index and not (frame[""] == rows).all()):
                raise ValueError
            if n * len(numbers) * 4 > budget:
                raise Refused(f"expected at most {budget:,} bytes of numbers, got more")
            for name, of in known.items():
                cut = frame[name].str[-MAX_PATH:] if name == "image_file" else frame[name].str[:256]
                codes[name].append(cut.map(lambda text, of=of: of.setdefault(text, len(of))))
            worker.report_progress(share=share)
            yield values

    worker.import_libraries(*LIBRARIES["CSV"])
    worker.raise_memory_limit(3 * budget)
    import pandas as pd

    try:
        n = write_rows(out / "features.npy", blocks(), len(numbers))
    except (ValueError, pd.errors.ParserWarning):
        raise _fault(path, header, texts) from None
    if not n:
        raise Refused("expected a table with at least one row of numbers, got none")
    for name, parts in codes.items():
        np.save(out / f"{name}.npy", np.concatenate(parts).astype("<i8"))
    return {"columns": numbers, "texts": {name: list(of) for name, of in known.items()}}


def _frames(
    path: str, header: Sequence[str], texts: Mapping[str, bool], n_numbers: int
) -> Iterator[tuple[Any, float]]:
    """Yield blocks of a CSV file as frames, with the share of it that is read."""
    import pandas as pd

    kinds = {name: "str" if name in texts else "float64" for name in header}
    size = max(1, Path(path).stat().st_size)
    options: dict[str, Any] = {"names": header, "header": 0, "index_col": False, "dtype": kinds}
    options |= {"na_filter": False, "skipinitialspace": True, "encoding": "utf-8-sig"}
    with open(path, "rb") as file, warnings.catch_warnings():
        warnings.simplefilter("error", pd.errors.ParserWarning)  # of a line that is too long
        with pd.read_csv(file, chunksize=max(1, BLOCK // n_numbers), **options) as frames:
            for frame in frames:
                yield frame, min(1.0, file.tell() / size)


def _header(path: str, texts: Mapping[str, bool]) -> tuple[list[str], bool]:
    """Return the names of the columns, and whether one of them is an index without a name."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as lines:
        line = lines.readline(MAX_HEADER)
    try:
        header = [name.strip() for name in next(csv.reader([line]), [])]
    except csv.Error:
        raise Refused("expected names of columns, got a field without end", "line 1") from None
    twice = [name for name, times in Counter(header).items() if times > 1]
    if twice or len(header) > MAX_COLUMNS:
        which = f", {twice[0]!r} more than once" if twice else ""
        raise Refused(
            f"expected at most {MAX_COLUMNS:,} different columns, got {len(header):,}{which}",
            "line 1",
        )
    for name, required in texts.items():
        if required and name not in header:
            raise Refused(f"expected a column {name!r}, got {', '.join(header[:6])}", "line 1")
    if not set(header) - set(texts) - {""}:
        raise Refused("expected at least one column of numbers, got none", "line 1")
    return header, "" in header


def _fault(
    path: str,
    header: Sequence[str],
    texts: Mapping[str, bool],
    *,
    finite: bool = True,
    separator: str = ",",
) -> Refused:
    """Return the first fault of a CSV file that pandas does not take, with its line."""
    is_right = _is_finite if finite else _is_number
    csv.field_size_limit(MAX_FIELD)
    with open(path, encoding="utf-8-sig", errors="surrogateescape", newline="") as lines:
        reader = csv.reader(lines, delimiter=separator)
        next(reader, None)
        try:
            for n, row in enumerate(filter(None, reader)):
                place = f"line {reader.line_num}"
                if len(row) != len(header):
                    return Refused(f"expected {len(header)} fields, got {len(row)}", place)
                for k, (name, text) in enumerate(zip(header, row, strict=True)):
                    if any("\udc80" <= c <= "\udcff" for c in text):
                        return Refused("expected UTF-8 text, got other bytes")
                    if not name and text.strip() != str(n):
                        what = f"expected a name for column {k + 1}, or the row's number {n} in it"
                        return Refused(f"{what}, got {text[:40]!r}", place)
                    if name and name not in texts and not is_right(text.strip()):
                        below = next(filter(None, reader), [])[k : k + 1]
                        if n == 0 and text.strip() and below and not is_right(below[0].strip()):
                            return Refused(
                                f"expected numbers, got texts as {text[:40]!r}: a list of files or "
                                "names is no table of numbers",
                                f"column {name!r}",
                            )
                        place = f"{place}, column {name!r}"
                        what = "a finite number" if finite else "a number"
                        return Refused(f"expected {what}, got {text[:40]!r}", place)
        except csv.Error as error:
            place = f"line {reader.line_num}"
            return Refused(f"expected CSV, got text that is none ({error})", place)
    return Refused("expected numbers, got something else")


def _is_finite(text: str) -> bool:
    try:
        with np.errstate(over="ignore"):
            return bool(np.isfinite(np.float32(text)))
    except ValueError:
        return False


def read_score_table(path: str, budget: int, out: Path) -> dict[str, Any]:
    """Write the numbers of a table of scores as one matrix, "scores", and its texts as codes.

    A column is of texts where its name says labels or predicted classes, or its first field is no
    number. Unlike in :func:`read_csv` columns may share a name, and numbers be missing or infinite.
    Returns the names of the columns of numbers, of every column of texts the different ones (none
    where there are too many to be classes), and the columns that are neither.
    """
    separator = _separator(path)
    header, first = _first_lines(path, separator)
    asked = {k for k, name in enumerate(header) if name.lower() in (*LABELS, *PREDICTED)}
    texts = asked | {k for k, field in enumerate(first) if not _is_number(field)}
    index = next((k for k, name in enumerate(header) if name in ("", "Unnamed: 0")), None)
    numbers = [k for k in range(len(header)) if k not in texts and k != index]
    known: dict[int, dict[str, int]] = {k: {} for k in sorted(texts - {index})}
    codes: dict[int, list[np.ndarray]] = {k: [] for k in known}
    worker.import_libraries(*LIBRARIES["CSV"])
    worker.raise_memory_limit(3 * budget)
    import pandas as pd

    options: dict[str, Any] = {
        "names": range(len(header)),
        "header": 0,
        "index_col": False,
        "sep": separator,
        "dtype": {k: "str" if k in texts else "float64" for k in range(len(header))},
        "keep_default_na": False,
        "na_values": dict.fromkeys(numbers, MISSING),
        "skipinitialspace": True,
        "encoding": "utf-8-sig",
        "chunksize": max(1, BLOCK // len(header)),
    }
    size = max(1, Path(path).stat().st_size)

    def blocks() -> Iterator[np.ndarray]:
        n = 0
        with pd.read_csv(file, **options) as frames:
            for frame in frames:
                with np.errstate(over="ignore"):
                    values = frame[numbers].to_numpy("<f4")
                if len(header) - 1 in numbers and np.isnan(values[:, -1]).any():
                    _refuse_short_lines(path, len(header), separator)
                n += len(frame)
                if n * len(numbers) * 4 > budget:
                    raise Refused(f"expected at most {budget:,} bytes of numbers, got more")
                for k, of in [*known.items()]:
                    texts = frame[k].str.strip().str[:256]
                    codes[k].append(texts.map(lambda text, of=of: of.setdefault(text, len(of))))
                    if len(of) > MAX_COLUMNS:  # names of files, another one in every row
                        del known[k], codes[k]
                worker.report_progress(share=min(1.0, file.tell() / size))
                yield values

    try:
        with open(path, "rb") as file, warnings.catch_warnings():
            warnings.simplefilter("error", pd.errors.ParserWarning)  # of a line that is too long
            n = write_rows(out / "scores.npy", blocks(), len(numbers))
    except (ValueError, pd.errors.ParserWarning):
        optional = {header[k]: False for k in texts}
        raise _fault(path, header, optional, finite=False, separator=separator) from None
    if not n:
        raise Refused("expected a table with at least one row, got none")
    for k, parts in codes.items():
        np.save(out / f"text_{k}.npy", np.concatenate(parts).astype("<i8"))
    return {
        "columns": [header[k] for k in numbers],
        "texts": {f"text_{k}": [header[k], list(of)] for k, of in known.items()},
        "left_out": [header[k] for k in sorted(texts - {index}) if k not in known],
    }


def _separator(path: str) -> str:
    """Return the sign between fields of a table of scores: a comma, a semicolon or a tab.

    Another sign than the comma is one that gives two lines as many fields, and more of them.
    """
    csv.field_size_limit(MAX_FIELD)
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as lines:
        head = lines.read(2 * MAX_HEADER).splitlines()[:2]
    best, most = ",", 1
    for sign in ",;\t":
        try:
            counts = [len(row) for row in csv.reader(head, delimiter=sign)]
        except (csv.Error, ValueError):
            continue
        if len(counts) == 2 and counts[0] == counts[1] > most:
            best, most = sign, counts[0]
    return best


def _first_lines(path: str, separator: str) -> tuple[list[str], list[str]]:
    """Return the names of the columns of a table of scores, and its first row."""
    csv.field_size_limit(MAX_FIELD)
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as lines:
        head = lines.read(2 * MAX_HEADER).splitlines()[:2]
    try:
        header, *rows = [
            [field.strip() for field in row] for row in csv.reader(head, delimiter=separator)
        ]
    except (csv.Error, ValueError):
        raise Refused("expected names of columns, got none", "line 1") from None
    if len(header) > MAX_COLUMNS:
        raise Refused(f"expected at most {MAX_COLUMNS:,} columns, got {len(header):,}", "line 1")
    if not rows or not rows[0]:
        raise Refused("expected a table with at least one row, got none")
    whole = all(name.isdigit() for name in header)
    if all(map(_is_number, header)) and not (whole and len({*header}) == len(header) > 2):
        raise Refused(
            "expected names of columns, as y_true,y_pred or label and a name a class, got "
            f"numbers, {', '.join(header[:3])}",
            "line 1",
        )
    first = rows[0][: len(header)]
    return header, [*first, *("0" for _ in range(len(header) - len(first)))]


def _refuse_short_lines(path: str, n: int, separator: str) -> None:
    """Refuse a line with fewer fields than columns: pandas takes the others as missing."""
    with open(path, encoding="utf-8-sig", errors="replace", newline="") as lines:
        reader = csv.reader(lines, delimiter=separator)
        for row in filter(None, reader):
            if len(row) < n:
                raise Refused(f"expected {n} fields, got {len(row)}", f"line {reader.line_num}")


def _is_number(text: str) -> bool:
    """Whether a field of scores is a number, perhaps a missing or infinite one."""
    try:
        return text in MISSING or float(text) is not None
    except ValueError:
        return False


# --- What is small --------------------------------------------------------------------------------


def read_value(path: str, kind: str, most: int, out: Path) -> Any:
    """Return what a JSON or TOML file says, or the lines of a text: at most ``most`` values."""
    if kind == "lines":
        text = Path(path).read_bytes()
        encoding = "utf-16" if text[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        if encoding == "utf-8-sig" and b"\0" in text:
            raise Refused("expected a text of lines, got a binary file")
        value: Any = text.decode(encoding, "replace").splitlines()
    else:
        value = _parsed(path, kind)
    refuse_more(value, kind, most)
    return value


def refuse_more(value: Any, kind: str, most: int) -> None:
    """Refuse a value of a file that holds more than ``most`` lines or values, or lies too deep."""
    found = len(value) if kind == "lines" else _count_values(value)
    if found > most:
        what = "lines" if kind == "lines" else "values"
        raise Refused(f"expected at most {most:,} {what}, got {found:,}")


def _parsed(path: str, kind: str) -> Any:
    text = Path(path).read_bytes()
    try:
        return json.loads(text) if kind == "JSON" else tomllib.loads(text.decode())
    except UnicodeDecodeError:
        raise Refused(f"expected {kind} as UTF-8 text, got other bytes") from None
    except RecursionError:
        raise Refused(f"expected {kind}, got brackets without end") from None
    except ValueError as error:
        raise Refused(f"expected {kind}, got text that is none ({error})") from None


def _count_values(value: Any) -> int:
    """Return how many values there are in a value, refusing what lies too deep."""
    found, level, depth = 0, [value], 0
    while level:
        found += len(level)
        depth += 1
        if depth > MAX_DEPTH:
            raise Refused(f"expected at most {MAX_DEPTH} brackets inside each other, got more")
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return found


def read_split(path: str, schema: str, parts: list[str], out: Path) -> list[str]:
    """Write the rows of every part of a split; return the parts that are there."""
    content = _parsed(path, "JSON")
    if not isinstance(content, dict) or "schema" not in content:
        raise Refused(f"expected a split as JSON, {schema!r}, got other JSON")
    if content["schema"] != schema:
        raise Refused(f"expected the schema {schema!r}, got {str(content['schema'])[:40]!r}")
    found = content.get("parts")
    if not isinstance(found, dict):
        raise Refused("expected a split as JSON with its parts, got none")
    there = [part for part in parts if part in found]
    for part in there:
        rows, where = found[part], f"variable {part!r}"
        if not isinstance(rows, list) or not all(type(row) is int for row in rows):
            raise Refused("expected a list of whole numbers for every part", where)
        outside = [row for row in rows if not -MAX_ROW <= row <= MAX_ROW]
        if outside:
            raise Refused(f"expected row numbers up to {MAX_ROW:,}, got {outside[0]:,}", where)
        np.save(out / f"{part}.npy", np.array(rows, dtype=np.int64))
    return there
