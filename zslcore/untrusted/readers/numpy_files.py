"""Readers of NumPy's arrays and archives.

NumPy stores an array of Python objects as a pickle, which may call any function. Such an array is
read by an unpickler that replaces the functions of arrays by classes of this module, refuses all
others, and allows only texts and numbers as elements.
"""

from __future__ import annotations

import math
import pickle
import shutil
import zipfile
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.untrusted.readers.common import LAST_CHARACTER, MAX_NUMBER, Shape
from zslcore.untrusted.worker import Refused

#: Refusal of other arrays of Python objects; maximum size of such an array in bytes.
OBJECTS = "an array of Python objects: save with np.array(names, dtype=str)"
MAX_OBJECTS = 16 << 20


class _Objects:
    """Array of objects as its pickle describes it; also the type of such an array."""

    def __init__(self, *_: object) -> None:
        self.state: Any = ()

    def __setstate__(self, state: Any) -> None:
        self.state = state


class _ObjectUnpickler(pickle.Unpickler):
    """Unpickler for texts, numbers and collections; it calls no function of the file."""

    def find_class(self, module: str, name: str) -> Any:
        """Return a class of this module for the parts of an array; refuse any other function."""
        if (module, name) in (("numpy", "ndarray"), ("numpy", "dtype")):
            return _Objects
        if module in ("numpy._core.multiarray", "numpy.core.multiarray") and name == "_reconstruct":
            return _Objects
        raise Refused(f"expected numbers or strings; got {OBJECTS}")


def _read_objects(file: Any) -> np.ndarray:
    """Return the texts or numbers of an array of Python objects, below its header."""
    try:
        array = _ObjectUnpickler(file).load()
        _, shape, _, _, elements = array.state
    except Refused:
        raise
    except Exception:  # noqa: BLE001 - a damaged pickle raises any exception
        raise Refused("expected an array of objects; got a damaged one") from None
    are_texts = isinstance(elements, list) and all(type(value) is str for value in elements)
    are_plain = are_texts or (
        isinstance(elements, list) and all(type(value) in (int, float, bool) for value in elements)
    )
    if not elements or not are_plain or not isinstance(shape, tuple):
        raise Refused(f"expected numbers or strings; got {OBJECTS}")
    if not are_texts and any(abs(number) >= MAX_NUMBER for number in elements):
        raise Refused("expected numbers below 2 ** 53; got a larger one")
    if are_texts and max(map(len, elements)) * len(elements) * 4 > MAX_OBJECTS:
        raise Refused(f"expected texts of at most {MAX_OBJECTS:,} bytes; got more")
    values = np.array(elements)
    if math.prod(shape) != values.size:
        raise Refused(f"expected {values.size:,} objects; got the shape {shape}")
    return values.reshape(shape)


class Npz:
    """Archive of NumPy; each header is compared with the size of its member."""

    def __init__(self, path: str) -> None:
        self.archive = zipfile.ZipFile(path)
        members = {info.filename: info for info in self.archive.infolist()}
        if len(members) < len(self.archive.infolist()):
            raise Refused("expected each variable once; got a name twice")
        self.members = {n[:-4]: info for n, info in members.items() if n.endswith(".npy")}
        self.names = list(self.members)
        self.objects: dict[str, np.ndarray] = {}

    def declared(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable."""
        info = self.members[name]
        stored = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if info.flag_bits & 1 or not stored:
            raise Refused("expected an uncompressed or deflated array; got another compression")
        with self.archive.open(info) as member:
            shape, _, dtype = _npy_header(member)
            size = member.tell() + math.prod(shape) * dtype.itemsize
            if dtype.kind == "O" and info.file_size <= MAX_OBJECTS:
                self.objects[name] = _read_objects(member)
        if name in self.objects:
            return self.objects[name].shape, self.objects[name].itemsize
        _refuse_objects(dtype)
        if size != info.file_size:
            raise Refused(f"its header declares {size:,} bytes, but the archive {info.file_size:,}")
        return shape, dtype.itemsize

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable."""
        if name in self.objects:
            return self.objects[name]
        with self.archive.open(self.members[name]) as member:
            array: np.ndarray = np.lib.format.read_array(member, allow_pickle=False)
        _refuse_odd_characters(array)
        return array

    def copy(self, name: str, path: Path) -> bool:
        """Copy a float32 or float64 matrix in blocks; return False for any other array."""
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
    """Refuse texts with invalid code points."""
    if array.dtype.kind == "U" and array.size:
        codes = np.ascontiguousarray(array).view(array.dtype.byteorder + "u4")
        if codes.max() > LAST_CHARACTER:
            raise Refused(f"expected text; got a character with number {codes.max():,}")


def _refuse_objects(dtype: np.dtype) -> None:
    if dtype.kind not in "biufSU":
        raise Refused(f"expected numbers or strings; got {OBJECTS if dtype.hasobject else dtype}")


def _npy_header(file: Any) -> tuple[Shape, bool, np.dtype]:
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    header: tuple[Shape, bool, np.dtype] = read[np.lib.format.read_magic(file)](file)
    return header


class Npy:
    """Single NumPy array, named "array", or one array per field of a structured one."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self.shape, _, self.dtype = _npy_header(file)
            is_small = Path(path).stat().st_size <= MAX_OBJECTS
            self.objects = _read_objects(file) if self.dtype.kind == "O" and is_small else None
        self.path, self.names = path, [*(self.dtype.names or ["array"])]

    def declared(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable."""
        if self.objects is not None:
            return self.objects.shape, self.objects.itemsize
        dtype = self.dtype[name] if self.dtype.names else self.dtype
        _refuse_objects(dtype.base)
        return (*self.shape, *dtype.shape), dtype.base.itemsize

    def read(self, name: str) -> np.ndarray:
        """Return the values of a variable."""
        if self.objects is not None:
            return self.objects
        array = np.load(self.path, mmap_mode="r", allow_pickle=False)
        array = array[name] if self.dtype.names else array
        _refuse_odd_characters(array)
        return array
