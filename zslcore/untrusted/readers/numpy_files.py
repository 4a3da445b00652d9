"""Readers of NumPy's arrays and archives; objects in arrays must be texts or numbers."""

from __future__ import annotations

import math
import shutil
import zipfile
from pathlib import Path

import numpy as np

from zslcore.untrusted.readers.common import Shape, npy_header, refuse_odd_characters
from zslcore.untrusted.readers.pickle_files import MAX_PICKLE, OBJECTS, array_of_objects
from zslcore.untrusted.worker import Refused


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

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a variable."""
        info = self.members[name]
        stored = info.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if info.flag_bits & 1:
            raise Refused("expected an array without a password; got an encrypted one")
        if not stored:
            raise Refused("expected an uncompressed or deflated array; got another compression")
        with self.archive.open(info) as member:
            shape, _, dtype = npy_header(member)
            size = member.tell() + math.prod(shape) * dtype.itemsize
            if dtype.kind == "O" and info.file_size <= MAX_PICKLE:
                self.objects[name] = array_of_objects(member)
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
        refuse_odd_characters(array)
        return array

    def copy(self, name: str, path: Path) -> bool:
        """Copy a float32 or float64 matrix in blocks; return False for any other array."""
        with self.archive.open(self.members[name]) as member:
            shape, fortran, dtype = npy_header(member)
            if dtype.str not in ("<f4", "<f8") or len(shape) != 2 or not math.prod(shape):
                return False
            header = {"descr": dtype.str, "fortran_order": fortran, "shape": shape}
            with path.open("wb") as file:
                np.lib.format.write_array_header_1_0(file, header)
                shutil.copyfileobj(member, file, 1 << 20)
        return True


def _refuse_objects(dtype: np.dtype) -> None:
    if dtype.kind not in "biufSU":
        raise Refused(f"expected numbers or strings; got {OBJECTS if dtype.hasobject else dtype}")


class Npy:
    """Single NumPy array, named "array", or one array per field of a structured one."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self.shape, _, self.dtype = npy_header(file)
            is_small = Path(path).stat().st_size <= MAX_PICKLE
            self.objects = array_of_objects(file) if self.dtype.kind == "O" and is_small else None
        self.path, self.names = path, [*(self.dtype.names or ["array"])]

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
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
        refuse_odd_characters(array)
        return array
