"""Read one untrusted file and write plain arrays; runs alone, in a process that may die.

Started by path from :mod:`zslcore.datasets.sandbox.client`; of this package it imports what reads
texts, what reads columns and what shuts it in. The request comes as JSON on standard input. Each
line of the answer is one JSON object: ``reading`` names what is about to be read, so that the
parent knows where a crash happened, ``share`` says how much of the file is read, ``refused`` is the
end of a sentence and ``place`` a place in a text, ``done`` lists the variables that were written to
``<out>/<variable>.npy``.
"""

from __future__ import annotations

import importlib
import io
import json
import math
import os
import shutil
import sys
import time
import zipfile
from collections.abc import Callable
from contextlib import redirect_stdout
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from zslcore.datasets.sandbox.columns import read_columns
from zslcore.datasets.sandbox.confinement import shut
from zslcore.datasets.sandbox.nested import declared_bytes, in_struct, joined, parent, refuse_many
from zslcore.datasets.sandbox.text import LABELS, RefusedError, read_csv, read_split, read_value

if sys.platform != "win32":  # there, only the parent's time limit holds
    import resource

if TYPE_CHECKING:
    from h5py import Dataset, Reference

__all__ = ["answers", "serve", "shut_in"]

#: What numpy, scipy and h5py map before any file is opened, with room to spare.
BASE_MEMORY = 512 << 20
#: Bytes that a text of unknown length counts for before it is read.
TEXT_BYTES = 1 << 10
#: Longest path that is stored, from its end.
MAX_PATH = 200
#: Bytes of one value, by MATLAB class.
MATLAB_BYTES = {
    **dict.fromkeys(("double", "int64", "uint64"), 8),
    **dict.fromkeys(("single", "int32", "uint32", "char"), 4),
    **dict.fromkeys(("int16", "uint16"), 2),
    **dict.fromkeys(("int8", "uint8", "logical"), 1),
    "cell": TEXT_BYTES,
}
#: Deflate, shuffle and fletcher32: the filters that are part of HDF5, no plug-ins.
HDF5_FILTERS = {1, 2, 3}
#: Most variables of a file that are listed.
MOST_LISTED = 200
#: Largest number of a character.
LAST_CHARACTER = 0x10FFFF
#: Seconds between two words on how much is read.
TOLD_EVERY = 0.2


class Source(Protocol):
    """A file of one kind; ``names`` are its variables."""

    names: list[str]

    def declared(self, name: str) -> tuple[tuple[int, ...], int]:
        """Return shape and bytes per value of ``name`` without reading its values."""

    def read(self, name: str) -> np.ndarray:
        """Read the values of ``name``."""


class Mat5:
    """MATLAB 5 to 7.2; ``whosmat`` gives shapes and classes without reading data."""

    def __init__(self, path: str) -> None:
        from scipy.io import whosmat

        self.path = path
        self.listed = {name: (shape, kind) for name, shape, kind in whosmat(path)}
        self.names = list(self.listed)

    def declared(self, name: str) -> tuple[tuple[int, ...], int]:
        """Return shape and bytes per value of ``name`` without reading its values."""
        if (of := parent(name)) != name:
            if self.listed[of][1] != "struct":
                raise RefusedError(f"expected a MATLAB struct, got a {self.listed[of][1]}")
            size = dict(zip(self.names, declared_bytes(self.path), strict=True))[of]
            return (-(-size // 4),), 4  # of a field, no more is known
        shape, kind = self.listed[name]
        if kind not in MATLAB_BYTES:
            raise RefusedError(f"expected numbers or a cell array of texts, got a MATLAB {kind}")
        return shape, MATLAB_BYTES[kind]

    def read(self, name: str) -> np.ndarray:
        """Read the values of ``name``."""
        from scipy.io import loadmat

        of = parent(name)
        value: np.ndarray = loadmat(self.path, variable_names=[of])[of]
        return value if of == name else in_struct(value, name)


class Hdf5:
    """HDF5 and MATLAB 7.3; nothing outside the file is ever opened."""

    def __init__(self, path: str) -> None:
        import h5py

        self.h5py, self.file = h5py, h5py.File(path, "r")
        self.names = list(islice(self.file, 1000))

    def declared(self, name: str) -> tuple[tuple[int, ...], int]:
        """Return shape and bytes per value of ``name`` without reading its values."""
        data = self._data(name)
        if self._is_field(name) and data.dtype.kind == "O":
            refuse_many(data.size)
            return (sum(self._cell(each).size for each in data[()].ravel()),), 8
        is_text = data.dtype.kind in "SO"
        return data.shape, max(data.dtype.itemsize, TEXT_BYTES) if is_text else data.dtype.itemsize

    def _is_field(self, name: str) -> bool:
        """Whether a name is that of a field; a variable may have a dot in its own."""
        return name not in self.names and name != parent(name)

    def _data(self, name: str) -> Dataset:
        """Return the array of a variable, or of a field of a struct; no link is followed."""
        where, field = name.partition(".")[::2] if self._is_field(name) else (name, "")
        self._refuse_link(self.file, where)
        if not field:
            return self._plain(self.file[where])
        group = self.file[where]
        if not isinstance(group, self.h5py.Group) or field not in group:
            held = ", ".join(islice(group, 6)) if isinstance(group, self.h5py.Group) else "an array"
            raise RefusedError(f"expected a struct with the field {field!r}, got {held}")
        self._refuse_link(group, field)
        return self._plain(group[field])

    def _refuse_link(self, group: Any, name: str) -> None:
        if group.id.links.get_info(name.encode()).type != self.h5py.h5l.TYPE_HARD:
            raise RefusedError("expected data inside the file, got a link")

    def _cell(self, reference: Reference | None) -> Dataset:
        """Follow one cell of a cell array of matrices."""
        data = self._plain(self.file[reference]) if reference else None
        if data is None or data.dtype.kind not in "biuf":
            raise RefusedError("expected matrices of numbers in its cells, got something else")
        return data

    def _plain(self, data: object) -> Dataset:
        """Return ``data`` if it is an array in this very file that plain HDF5 can read."""
        if not isinstance(data, self.h5py.Dataset):
            raise RefusedError("expected an array, got an HDF5 group")
        if data.is_virtual or data.external:
            raise RefusedError("expected data inside the file, got data in other files")
        is_cell = self.h5py.check_ref_dtype(data.dtype) is self.h5py.Reference
        if data.dtype.kind not in "biufS" and not is_cell:
            raise RefusedError(f"expected numbers or texts of fixed length, got {data.dtype}")
        filters = data.id.get_create_plist()
        used = {filters.get_filter(i)[0] for i in range(filters.get_nfilters())}
        if used - HDF5_FILTERS:
            raise RefusedError(f"expected deflate compression, got HDF5 filter {max(used)}")
        return data

    def read(self, name: str) -> np.ndarray:
        """Read the values of ``name``."""
        data = self._data(name)
        if data.attrs.get("MATLAB_empty"):  # then the data are the shape, not the values
            return np.empty((0, 0))
        if data.dtype.kind == "O" and self._is_field(name):
            cells = [self._cell(reference)[()].T for reference in data[()].ravel()]
            return joined(cells)
        if data.dtype.kind == "O":
            return np.array([self._text(reference) for reference in data[()].ravel()])
        # MATLAB writes columns first, so that its arrays lie transposed in HDF5.
        return data[()].T if "MATLAB_class" in data.attrs else data[()]

    def _text(self, reference: Reference | None) -> str:
        """Follow one cell of a MATLAB 7.3 cell array to its UTF-16 text."""
        data = self._plain(self.file[reference]) if reference else None
        if data is None or data.dtype.kind != "u" or data.size > TEXT_BYTES:
            raise RefusedError("expected a cell array of short texts")
        if data.attrs.get("MATLAB_empty"):
            return ""
        return data[()].astype("<u2").tobytes().decode("utf-16-le", "replace")


class Npz:
    """NumPy's archive; every header is read and compared with the size of its member."""

    def __init__(self, path: str) -> None:
        self.archive = zipfile.ZipFile(path)
        members = {info.filename: info for info in self.archive.infolist()}
        if len(members) < len(self.archive.infolist()):
            raise RefusedError("expected each variable once")
        self.members = {n[:-4]: info for n, info in members.items() if n.endswith(".npy")}
        self.names = list(self.members)

    def declared(self, name: str) -> tuple[tuple[int, ...], int]:
        """Return shape and bytes per value of ``name`` without reading its values."""
        info = self.members[name]
        stored = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if info.flag_bits & 1 or not stored:
            raise RefusedError("expected a member stored plainly or deflated")
        with self.archive.open(info) as member:
            version = np.lib.format.read_magic(member)
            read_header = {
                (1, 0): np.lib.format.read_array_header_1_0,
                (2, 0): np.lib.format.read_array_header_2_0,
            }
            shape, _, dtype = read_header[version](member)
            size = member.tell() + math.prod(shape) * dtype.itemsize
        if dtype.kind not in "biufSU":
            raise RefusedError(f"expected numbers or texts, got {dtype}")
        if size != info.file_size:
            raise RefusedError(
                f"its header declares {size:,} bytes, the archive {info.file_size:,}"
            )
        return shape, dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        """Read the values of ``name``."""
        with self.archive.open(self.members[name]) as member:
            array: np.ndarray = np.lib.format.read_array(member, allow_pickle=False)
        if array.dtype.kind == "U" and array.size:
            codes = np.ascontiguousarray(array).view(array.dtype.byteorder + "u4")
            if codes.max() > LAST_CHARACTER:
                raise RefusedError(f"expected texts, got a character with number {codes.max():,}")
        return array

    def copy(self, name: str, path: Path) -> bool:
        """Write a matrix of float32 or float64 as it is, a piece at a time; whether it is one."""
        with self.archive.open(self.members[name]) as member:
            if np.lib.format.read_magic(member) != (1, 0):
                return False
            shape, fortran, dtype = np.lib.format.read_array_header_1_0(member)
            if dtype.str not in ("<f4", "<f8") or len(shape) != 2 or not math.prod(shape):
                return False
            header = {"descr": dtype.str, "fortran_order": fortran, "shape": shape}
            with path.open("wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                shutil.copyfileobj(member, file, 1 << 20)
        return True


class Npy:
    """One array of NumPy, called "array"; its header is compared with the size of the file."""

    def __init__(self, path: str) -> None:
        self.path, self.names = path, ["array"]

    def declared(self, name: str) -> tuple[tuple[int, ...], int]:
        """Return shape and bytes per value without reading the values."""
        array = self.read(name)
        if array.dtype.kind not in "biuf":
            raise RefusedError(f"expected numbers, got {array.dtype}")
        return array.shape, array.dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        """Return the values as a map of the file, which is not longer than its header says."""
        return np.load(self.path, mmap_mode="r", allow_pickle=False)


class Parquet:
    """A table; numbers are the matrix "scores", the one column of labels is "labels"."""

    def __init__(self, path: str) -> None:
        from zslcore.datasets.sandbox.columns import spare_memory

        spare_memory()
        from pyarrow import parquet

        self.file = parquet.ParquetFile(path, memory_map=True)
        columns = self.file.schema_arrow.names
        if len(set(columns)) < len(columns):
            raise RefusedError("expected each column once")
        self.label = next((name for name in columns if name.lower() in LABELS), None)
        indices = ("__index_level_0__", "Unnamed: 0")
        self.columns = [c for c in columns if c != self.label and c not in indices]
        self.names = ["scores", "class_names"] + ["labels"] * (self.label is not None)

    def declared(self, name: str) -> tuple[tuple[int, ...], int]:
        """Return shape and bytes per value of ``name`` without reading its values."""
        rows = self.file.metadata.num_rows
        if name == "scores":
            return (rows, len(self.columns)), 8
        return ((len(self.columns),) if name == "class_names" else (rows,)), TEXT_BYTES

    def read(self, name: str) -> np.ndarray:
        """Read the values of ``name``."""
        if name == "class_names":
            return np.array(self.columns)
        if name == "labels":
            values = (
                self.file.read([self.label], use_threads=False)
                .column(0)
                .to_numpy(zero_copy_only=False)
            )
            return np.array([str(v) for v in values]) if values.dtype.kind == "O" else values
        refuse_predictions(self.columns)
        table = self.file.read(self.columns, use_threads=False)
        for field in table.schema:
            if not str(field.type).startswith(("int", "uint", "float", "double", "halffloat")):
                raise RefusedError(f"expected numbers in column {field.name!r}, got {field.type}")
        return np.column_stack(
            [column.to_numpy(zero_copy_only=False) for column in table.itercolumns()]
        )


#: Columns that no score matrix has, and every file of predictions.
OF_PREDICTIONS = frozenset(("part", "row", "seen_class", "unseen_class", "margin"))


def refuse_predictions(columns: list[str]) -> None:
    """Refuse a table of predictions that does not say that it is one."""
    if {*columns} >= OF_PREDICTIONS:
        raise RefusedError(
            "expected scores, or predictions with the attributes that they are written with "
            "(PANDAS_ATTRS with a schema, at most 8 MiB of JSON); got predictions without them"
        )


SOURCES: dict[str, Callable[[str], Source]] = {
    "MATLAB 5": Mat5,
    "HDF5": Hdf5,
    "NumPy archive": Npz,
    "NumPy array": Npy,
    "Parquet": Parquet,
}


def as_matrix(array: np.ndarray) -> np.ndarray:
    """Return ``array`` if it is a matrix of numbers with at least one value."""
    if array.dtype.kind not in "biuf" or array.ndim != 2 or not array.size:
        raise RefusedError(f"expected a matrix of numbers, got {described(array)}")
    return array


def as_numbers(array: np.ndarray) -> np.ndarray:
    """Return one axis of whole numbers; MATLAB's vectors come as a single row or column."""
    if array.dtype.kind not in "biuf" or (array.size and max(array.shape) != array.size):
        raise RefusedError(f"expected one column of whole numbers, got {described(array)}")
    values = array.ravel().astype(np.float64)
    wrong = values[~(np.abs(values) < 2**53) | (values != np.trunc(values))]
    if wrong.size:
        raise RefusedError(f"expected whole numbers, got {wrong[0]}")
    return values.astype("<i8")


def as_names(array: np.ndarray) -> np.ndarray:
    """Return texts from a cell array, a character matrix or texts of fixed length."""
    return np.array(as_texts(array), dtype="<U256")


def as_texts(array: np.ndarray) -> list[str]:
    """Return the texts of ``array``, whatever holds them."""
    if array.dtype.kind == "S":
        array = np.array([item.decode("utf-8", "replace") for item in array.ravel()])
    texts = []
    for cell in array.ravel():
        cell = np.asarray(cell)
        if cell.dtype.kind != "U" or cell.size > 1:
            raise RefusedError(f"expected a list of texts, got {described(cell)}")
        texts.append(cell.item() if cell.size else "")
    return texts


def as_paths(array: np.ndarray) -> np.ndarray:
    """Return texts as :func:`as_names` does; of a long one the end, which distinguishes files."""
    texts = as_texts(array)
    return np.array([text[-MAX_PATH:] for text in texts], dtype=f"<U{MAX_PATH}")


def described(array: np.ndarray) -> str:
    """Say shape and type of ``array`` in words."""
    kind = {"O": "cells", "U": "text", "S": "text", "c": "complex numbers"}.get(array.dtype.kind)
    return f"{' x '.join(map(str, array.shape)) or 'a single value'} of {kind or array.dtype}"


def write_rows(path: Path, A: np.ndarray) -> None:
    """Write ``A`` as a float32 ``.npy`` file, block by block, refusing what is not finite."""
    header = {"descr": "<f4", "fortran_order": False, "shape": A.shape}
    step = max(1, (1 << 20) // A.shape[1])
    with path.open("wb") as file, np.errstate(over="ignore"):
        np.lib.format.write_array_header_1_0(file, header)
        for start in range(0, len(A), step):
            block = np.ascontiguousarray(A[start : start + step], dtype="<f4")
            bad = ~np.isfinite(block)
            if bad.any():
                i, j = np.argwhere(bad)[0]
                value = A[start + i, j]
                raise RefusedError(f"expected finite numbers, got {value} in row {start + i + 1}")
            file.write(block.data)


def as_scores(array: np.ndarray) -> np.ndarray:
    """Return a matrix of numbers as float32 or float64; what is not finite is for others to say."""
    return as_matrix(array).astype("<f4" if array.dtype.itemsize <= 4 else "<f8", copy=False)


def as_labels(array: np.ndarray) -> np.ndarray:
    """Return whole numbers, or texts where there are no numbers."""
    return as_numbers(array) if array.dtype.kind in "biuf" else as_names(array)


def write(path: Path, array: np.ndarray, role: str) -> None:
    """Write ``array`` in the form that ``role`` asks for."""
    if role == "rows":
        write_rows(path, as_matrix(array))
    elif role == "columns":
        write_rows(path, as_matrix(array).T)
    else:
        np.save(
            path,
            FORMS[role](array),
            allow_pickle=False,
        )


FORMS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "numbers": as_numbers,
    "names": as_names,
    "paths": as_paths,
    "scores": as_scores,
    "labels": as_labels,
}


def limit(which: str, value: int, *, hard: bool = True) -> None:
    """Limit a resource of this process where the system knows it."""
    if sys.platform == "win32":
        return
    number = getattr(resource, which)
    ceiling = resource.getrlimit(number)[1]
    if ceiling != resource.RLIM_INFINITY:
        value = min(value, ceiling)
    try:
        resource.setrlimit(number, (value, value if hard else ceiling))
    except (ValueError, OSError):
        return  # macOS knows no limit on address space


def say(**line: object) -> None:
    """Send one line to the parent."""
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def holds(source: Source, name: str) -> bool:
    """Whether a file has a variable, or the one that ``name`` is a field of."""
    return name in source.names or (
        isinstance(source, Mat5 | Hdf5) and parent(name) in source.names
    )


def check_sizes(
    source: Source, wanted: dict[str, str], required: list[str], budget: int, because: str
) -> int:
    """Return the bytes that the wanted variables declare, refusing what is missing or too large."""
    total = 0
    for name in required:
        if not holds(source, name):
            held = ", ".join(source.names[:12]) or "nothing"
            raise RefusedError(f"not in the file, which holds {held}", name)
    for name in wanted:
        say(reading=name)
        shape, itemsize = source.declared(name)
        size = math.prod(shape) * max(itemsize, 4)
        total += size
        if min(shape, default=0) < 0 or total > budget:
            raise RefusedError(
                f"declares {' x '.join(map(str, shape))} values ({size:,} bytes), "
                f"more than the {budget:,} bytes {because}"
            )
    return total


def limit_everything(budget: int, seconds: int) -> None:
    """Set the limits that hold whatever the file turns out to be."""
    limit("RLIMIT_CORE", 0)
    limit("RLIMIT_NOFILE", 256)
    limit("RLIMIT_CPU", seconds + 5)
    limit("RLIMIT_CPU", seconds, hard=False)
    limit("RLIMIT_FSIZE", budget + (1 << 20))
    limit("RLIMIT_AS", BASE_MEMORY + 3 * budget)
    limit("RLIMIT_AS", BASE_MEMORY, hard=False)


def shut_in(request: dict[str, Any]) -> None:
    """Take from this process what it does not need: files, the network, other programs."""
    paths = request["path"]
    shut([paths] if isinstance(paths, str) else paths, [request["out"]])


def base_of(request: dict[str, Any]) -> int:
    """Return the bytes that are mapped before a file is opened."""
    base: int = request.get("base", BASE_MEMORY)
    return base


#: Variables that are not wanted, of which the parent learns the names.
MOST_NAMES = 100


class Teller:
    """Tells how much of a file is read, a few times a second."""

    def __init__(self) -> None:
        self.next = time.monotonic() + TOLD_EVERY

    def __call__(self, share: float) -> None:
        if time.monotonic() >= self.next:
            self.next = time.monotonic() + TOLD_EVERY
            say(share=min(1.0, share))


def serve(request: dict[str, Any]) -> None:
    """Read what ``request`` asks for and say how it went."""
    kind, out = request["kind"], Path(request["out"])
    say(reading="")
    try:
        say(done=READERS.get(kind, read_variables)(request, out))
    except RefusedError as refusal:
        more = {"reading": refusal.variable, "place": refusal.place}
        say(refused=str(refusal), **{key: value for key, value in more.items() if value})
    except MemoryError:
        say(refused=request.get("short", "needs more memory than its declared size explains"))
    except Exception as error:  # noqa: BLE001 - whatever a hostile file provokes is a refusal
        sys.stderr.write(f"{type(error).__name__}: {error}\n")
        kind = "a file" if kind in ("module", "listing") else kind
        say(refused=f"expected {kind} that is whole, got a file that is damaged or cut off")


def read_variables(request: dict[str, Any], out: Path) -> list[str]:
    """Write the requested arrays; return their names."""
    source = SOURCES[request["kind"]](request["path"])
    wanted = {name: role for name, role in request["wanted"].items() if holds(source, name)}
    read = {parent(name) for name in wanted}
    say(unread=[name for name in source.names if name not in {*wanted, *read}][:MOST_NAMES])
    limits = request["budget"], request["because"]
    declared = check_sizes(source, wanted, request["required"], *limits)
    limit("RLIMIT_AS", base_of(request) + 3 * declared, hard=False)
    for k, (name, role) in enumerate(wanted.items()):
        say(reading=name, share=k / len(wanted))
        if role == "scores" and isinstance(source, Npz) and source.copy(name, out / f"{name}.npy"):
            continue
        write(out / f"{name}.npy", source.read(name), role)
    return list(wanted)


def list_variables(request: dict[str, Any], out: Path) -> list[str]:
    """Write the shape of every variable, None where it cannot be read; read no values."""
    source = SOURCES[request["source"]](request["path"])
    shapes: dict[str, list[int] | None] = {}
    for name in source.names[:MOST_LISTED]:
        try:
            shapes[name] = [int(n) for n in source.declared(name)[0]]
        except RefusedError:
            shapes[name] = None
    (out / "value.json").write_text(json.dumps(shapes), encoding="utf-8")
    return ["value"]


def read_table(request: dict[str, Any], out: Path) -> list[str]:
    """Write the columns of a CSV file."""
    read_csv(request["path"], out, request["texts"], request["budget"], Teller())
    return ["features"]


def read_small(request: dict[str, Any], out: Path) -> list[str]:
    """Write a small value, or the lines of a text."""
    limit("RLIMIT_AS", base_of(request) + request["memory"], hard=False)
    read_value(request["path"], out, request["kind"], request["most"])
    return ["value"]


def read_rows(request: dict[str, Any], out: Path) -> list[str]:
    """Write the rows of every part of a split."""
    limit("RLIMIT_AS", base_of(request) + request["memory"], hard=False)
    return read_split(request["path"], out, request["schema"], request["parts"])


def read_parquet(request: dict[str, Any], out: Path) -> list[str]:
    """Write columns of a Parquet table; return their names."""

    def on_declared(size: int) -> None:
        limit("RLIMIT_AS", BASE_MEMORY + 3 * size, hard=False)

    wanted, required, budget = (request[key] for key in ("wanted", "required", "budget"))
    return read_columns(request["path"], out, wanted, required, budget, on_declared)


def do_module(request: dict[str, Any], out: Path) -> list[str]:
    """Call a module of this package that reads files and computes; return what it has written."""
    os.environ |= {"ZSL_DATA": str(out), "ARROW_DEFAULT_MEMORY_POOL": "system"}
    limit("RLIMIT_AS", BASE_MEMORY + 3 * request["budget"], hard=False)
    module = importlib.import_module(request["module"])
    # What libraries map is no file's doing: the limit begins after them.
    limit("RLIMIT_AS", with_libraries() + request["budget"])
    done: list[str] = module.do(request["given"], out, request["budget"])
    return done


def with_libraries() -> int:
    """Return the bytes that this process has mapped, and some to spare."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (OSError, ValueError):
        return 2 * BASE_MEMORY
    return pages * os.sysconf("SC_PAGE_SIZE") + BASE_MEMORY // 4


def answers(request: dict[str, Any]) -> bytes:
    """Serve a request in this process, which is behind its walls already; return the lines."""
    said = io.StringIO()
    ours = resource.getrlimit(resource.RLIMIT_AS) if sys.platform != "win32" else None
    with redirect_stdout(said):
        serve(request | {"base": with_libraries()})
    if ours is not None:
        resource.setrlimit(resource.RLIMIT_AS, ours)
    return said.getvalue().encode()


READERS: dict[str, Callable[[dict[str, Any], Path], list[str]]] = {
    "CSV": read_table,
    "listing": list_variables,
    "JSON": read_small,
    "TOML": read_small,
    "lines": read_small,
    "split": read_rows,
    "Parquet table": read_parquet,
    "module": do_module,
}


if __name__ == "__main__":
    the_request = json.load(sys.stdin)
    limit_everything(the_request["budget"], the_request["seconds"])
    shut_in(the_request)
    serve(the_request)
