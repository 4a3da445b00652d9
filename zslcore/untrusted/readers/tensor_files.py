"""Readers of PyTorch and safetensors files that need neither library.

A ``.pt`` or ``.pth`` file is a zip of raw storages and a pickle that describes the tensors. Only
this pickle is unpickled. The functions that rebuild a tensor are replaced by functions of this
module, and all other functions are refused: no code of the file runs, memory is limited by the size
of the file, and shapes are known before any value is read. ``torch.load(weights_only=True)`` would
read every value first, and need PyTorch (two gigabytes) in the fork server.

A safetensors file is a JSON header and raw bytes: https://github.com/huggingface/safetensors.
"""

from __future__ import annotations

import math
import pickle
import struct
import zipfile
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import numpy as np

from zslcore.untrusted.readers.common import MAX_NUMBER, Shape
from zslcore.untrusted.readers.json_files import parse_json
from zslcore.untrusted.worker import Refused

#: Limits: bytes of a pickle or header, names, and depth of nested dictionaries.
MAX_HEADER, MAX_NAMES, MAX_DEPTH = 16 << 20, 10_000, 4
MAX_AXES = 8
#: Maximum depth of nested lists and dictionaries without tensors.
MAX_LEVELS = 16
#: Storage of PyTorch -> type in NumPy; None for bfloat16, which NumPy lacks.
STORAGES: dict[str, str | None] = {
    "DoubleStorage": "<f8",
    "FloatStorage": "<f4",
    "HalfStorage": "<f2",
    "BFloat16Storage": None,
    "LongStorage": "<i8",
    "IntStorage": "<i4",
    "ShortStorage": "<i2",
    "CharStorage": "|i1",
    "ByteStorage": "|u1",
    "BoolStorage": "|b1",
}
SAFE_TYPES: dict[str, str | None] = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": None,
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
    "U16": "<u2",
    "U32": "<u4",
    "U64": "<u8",
    "BOOL": "|b1",
}


def _size_of(dtype: str | None) -> int:
    return np.dtype(dtype or "<u2").itemsize


def _values(raw: bytes | np.ndarray, dtype: str | None) -> np.ndarray:
    """Convert raw bytes to an array; bfloat16 is the upper half of a float32."""
    if dtype is not None:
        return np.frombuffer(raw, dtype)
    return (np.frombuffer(raw, "<u2").astype("<u4") << np.uint32(16)).view("<f4")


def _is_shape(shape: Any) -> bool:
    return (
        isinstance(shape, tuple | list)
        and len(shape) <= MAX_AXES
        and all(type(n) is int and 0 <= n < 1 << 48 for n in shape)
    )


class Safetensors:
    """Safetensors file: a JSON header with types, shapes and offsets, then raw bytes."""

    def __init__(self, path: str) -> None:
        self.path, size = path, Path(path).stat().st_size
        with open(path, "rb") as file:
            (length,) = struct.unpack("<Q", file.read(8))
            limit = min(MAX_HEADER, size - 8)
            if length > limit:
                raise Refused(f"expected a header of at most {limit:,} bytes; got {length:,} bytes")
            header = file.read(length)
        self.start = 8 + length
        try:
            entries = parse_json(header)
        except (ValueError, RecursionError):
            raise Refused("expected a JSON header; got other text") from None
        if not isinstance(entries, dict) or len(entries) > MAX_NAMES:
            raise Refused(
                f"expected a JSON object with at most {MAX_NAMES:,} tensors; got another header"
            )
        entries.pop("__metadata__", None)
        self.entries: dict[str, Mapping[str, Any]] = {
            name: self._check_entry(name, entry, size - self.start)
            for name, entry in entries.items()
        }
        self.names = list(self.entries)

    def _check_entry(self, name: str, entry: Any, size: int) -> Mapping[str, Any]:
        """Return the entry of a tensor after a check of type, shape and offsets."""
        where = f"variable {name!r}"
        if not isinstance(entry, dict):
            raise Refused("expected type, shape and offsets of a tensor; got another value", where)
        dtype, shape, offsets = (
            entry.get("dtype"),
            entry.get("shape", ()),
            entry.get("data_offsets"),
        )
        if dtype not in SAFE_TYPES:
            raise Refused(f"expected numbers; got values of type {str(dtype)[:20]!r}", where)
        if offsets is None or not _is_shape(shape) or not _is_shape(offsets) or len(offsets) != 2:
            raise Refused("expected a shape and two offsets; got other values", where)
        first, last = offsets
        if not first <= last <= size:
            raise Refused(f"declares bytes {first:,} to {last:,}, but the file has {size:,}", where)
        declared = math.prod(shape) * _size_of(SAFE_TYPES[dtype])
        if declared != last - first:
            raise Refused(f"declares {declared:,} bytes of values; got {last - first:,}", where)
        return entry

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value."""
        entry = self.entries[name]
        return tuple(entry["shape"]), max(4, _size_of(SAFE_TYPES[entry["dtype"]]))

    def read(self, name: str) -> np.ndarray:
        """Return the values of a tensor."""
        entry = self.entries[name]
        first, last = entry["data_offsets"]
        with open(self.path, "rb") as file:
            file.seek(self.start + first)
            raw = file.read(last - first)
        return _values(raw, SAFE_TYPES[entry["dtype"]]).reshape(entry["shape"])


# --- PyTorch --------------------------------------------------------------------------------------


class _Storage(NamedTuple):
    dtype: str | None
    key: str
    n: int


class _Tensor(NamedTuple):
    storage: _Storage
    offset: int
    shape: Shape
    stride: Shape


class _Batches(NamedTuple):
    """Tensors with one row per image, to be joined."""

    tensors: tuple[_Tensor, ...]


def _tensor(storage: Any, offset: Any, shape: Any, stride: Any, *_: object) -> _Tensor:
    """Replace ``torch._utils._rebuild_tensor_v2``; refuse values outside the storage."""
    is_valid = isinstance(storage, _Storage) and _is_shape(shape) and _is_shape(stride)
    if not is_valid or len(shape) != len(stride) or type(offset) is not int or offset < 0:
        raise Refused("expected shape and offset of a tensor; got other values")
    last = offset + sum((n - 1) * step for n, step in zip(shape, stride, strict=True))
    if math.prod(shape) and last >= storage.n:
        raise Refused(f"declares {last + 1:,} values, but its storage has {storage.n:,}")
    return _Tensor(storage, offset, tuple(shape), tuple(stride))


def _parameter(data: Any, *_: object) -> Any:
    """Replace ``torch._utils._rebuild_parameter``."""
    return data


#: Function or class that a pickle of PyTorch names -> its replacement.
REPLACEMENTS: dict[tuple[str, str], Any] = {
    ("torch._utils", "_rebuild_tensor_v2"): _tensor,
    ("torch._utils", "_rebuild_parameter"): _parameter,
    ("torch", "Size"): tuple,
    **{("torch", name): name for name in STORAGES},
}


class RestrictedUnpickler(pickle.Unpickler):
    """Unpickler for values, collections and replaced functions; it calls no other function."""

    replaced: ClassVar[dict[tuple[str, str], Any]] = REPLACEMENTS
    refusal = (
        "holds Python objects besides tensors ({}), which are not opened; save a dictionary of "
        "tensors, or arrays with np.savez(...)"
    )

    def find_class(self, module: str, name: str) -> Any:
        """Return the replacement of a function or class; refuse any other."""
        if (module, name) == ("collections", "OrderedDict"):
            return OrderedDict
        if (module, name) not in self.replaced:
            raise Refused(self.refusal.format(f"{module[:40]}.{name[:40]}"))
        return self.replaced[module, name]


class _Weights(RestrictedUnpickler):
    """Unpickler for tensors, numbers, texts and collections."""

    def persistent_load(self, pid: Any) -> _Storage:
        """Return the storage that an id refers to."""
        if not isinstance(pid, tuple) or len(pid) < 5 or pid[0] != "storage":
            raise Refused("expected tensor storages; got other values")
        kind, key, n = pid[1], pid[2], pid[4]
        if not isinstance(kind, str) or kind not in STORAGES or not isinstance(key, str):
            raise Refused("expected tensor storages; got other values")
        if type(n) is not int or n < 0:
            raise Refused("expected tensor storages; got other values")
        return _Storage(STORAGES[kind], key, n)


class NamedValues:
    """Arrays, and lists of texts or numbers, in nested lists and dictionaries.

    A single array is named "array"; an array in a nested dictionary is named "outer.inner".
    """

    def __init__(self, value: Any) -> None:
        self.values: dict[str, Any] = {}
        for name, element in _iterate_named(_join_batches(value)):
            if len(self.values) >= MAX_NAMES:
                raise Refused(f"expected at most {MAX_NAMES:,} arrays; got more")
            self.values[name] = element
        self.names = list(self.values)

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of an array or list."""
        value = self.values[name]
        if isinstance(value, np.ndarray):
            return value.shape, value.itemsize
        return (len(value),), 4 * max(map(len, value)) if isinstance(value[0], str) else 8

    def read(self, name: str) -> np.ndarray:
        """Return the values of an array or list."""
        return np.asarray(self.values[name])


class Torch(NamedValues):
    """Tensors, and lists of texts or numbers, in a file written by ``torch.save``."""

    def __init__(self, path: str) -> None:
        self.archive = zipfile.ZipFile(path)
        self.members = {info.filename: info for info in self.archive.infolist()}
        pickles = [name for name in self.members if name.endswith("/data.pkl")]
        if len(pickles) != 1 or len(self.members) < len(self.archive.infolist()):
            raise Refused("expected one PyTorch file; got another archive")
        self.prefix = pickles[0].removesuffix("data.pkl")
        order = self.members.get(f"{self.prefix}byteorder")
        if order is not None and self._bytes(order.filename, 16) != b"little":
            raise Refused("expected little-endian numbers; got another byte order")
        self._refuse_bomb(pickles[0], MAX_HEADER)
        with self.archive.open(pickles[0]) as file:
            self.value = _Weights(file).load()
        super().__init__(self.value)

    def _refuse_bomb(self, name: str, limit: int) -> None:
        info = self.members[name]
        if info.flag_bits & 1 or info.compress_type != zipfile.ZIP_STORED:
            raise Refused("expected uncompressed members, as PyTorch writes them; got others")
        if info.file_size > limit or info.file_size != info.compress_size:
            raise Refused(
                f"expected at most {limit:,} uncompressed bytes in "
                f"{name.rpartition('/')[2]!r}; got {info.file_size:,} bytes"
            )

    def _refuse_absent(self, name: str, limit: int) -> None:
        if name not in self.members:
            raise Refused("expected the values of every tensor; got a file that lacks some")
        self._refuse_bomb(name, limit)

    def _bytes(self, name: str, limit: int) -> bytes:
        self._refuse_absent(name, limit)
        return self.archive.read(name)

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value of a tensor or list."""
        value = self.values[name]
        if isinstance(value, _Tensor):
            return value.shape, max(4, _size_of(value.storage.dtype))
        if isinstance(value, _Batches):
            first = value.tensors[0]
            n = sum(tensor.shape[0] for tensor in value.tensors)
            return (n, *first.shape[1:]), max(4, _size_of(first.storage.dtype))
        return super().shape_and_itemsize(name)

    def read(self, name: str) -> np.ndarray:
        """Return the values of a tensor or list."""
        value = self.values[name]
        if isinstance(value, _Batches):
            return np.concatenate([*map(self._values_of, value.tensors)])
        return self._values_of(value) if isinstance(value, _Tensor) else super().read(name)

    def _values_of(self, value: _Tensor) -> np.ndarray:
        storage, size = value.storage, value.storage.n * _size_of(value.storage.dtype)
        member = f"{self.prefix}data/{storage.key}"
        self._refuse_absent(member, size)
        if (stored_size := self.members[member].file_size) != size:
            raise Refused(f"declares {size:,} bytes of values; got {stored_size:,}")
        if not math.prod(value.shape):
            return _values(b"", storage.dtype).reshape(value.shape)
        # A tensor may be a few rows of a large storage: read only its values.
        last = sum((n - 1) * step for n, step in zip(value.shape, value.stride, strict=True))
        with self.archive.open(member) as file:
            file.seek(value.offset * _size_of(storage.dtype))
            values = _values(file.read((last + 1) * _size_of(storage.dtype)), storage.dtype)
        steps = tuple(step * values.itemsize for step in value.stride)
        return np.lib.stride_tricks.as_strided(values, value.shape, steps, writeable=False)


def read_value(path: str, kind: str, max_items: int, out: Path) -> Any:
    """Return the lists and dictionaries of a PyTorch file without tensors.

    More than ``max_items`` values are refused, even if several lists share them.
    """
    return plain_value(Torch(path).value, iter(range(max_items)))


def plain_value(value: Any, budget: Iterator[int], depth: int = 0) -> Any:
    """Return lists and dictionaries as JSON values; each value takes one item of ``budget``."""
    if depth > MAX_LEVELS or next(budget, None) is None:
        raise Refused(f"expected fewer values, nested at most {MAX_LEVELS} levels deep; got more")
    if isinstance(value, _Tensor | _Storage):
        raise Refused("expected lists and dictionaries; got tensors")
    if isinstance(value, np.ndarray):
        if sum(1 for _ in islice(budget, value.size)) < value.size:
            raise Refused("expected fewer values; got more")
        return value.tolist()
    if isinstance(value, dict):
        return {
            str(name): plain_value(element, budget, depth + 1) for name, element in value.items()
        }
    if isinstance(value, list | tuple):
        return [plain_value(element, budget, depth + 1) for element in value]
    if value is None or isinstance(value, str | int | float):
        return value
    raise Refused("expected lists and dictionaries; got other values")


def _join_batches(value: Any) -> Any:
    """Join batches: a list of more than two matrices, or of dictionaries with the same keys."""
    if not isinstance(value, list | tuple) or not value:
        return value
    if all(isinstance(batch, dict) and {*batch} == {*value[0]} for batch in value):
        joined = {name: _join_tensors([batch[name] for batch in value]) for name in value[0]}
        return joined if all(joined.values()) else value
    are_matrices = all(isinstance(batch, _Tensor) and len(batch.shape) == 2 for batch in value)
    return (len(value) > 2 and are_matrices and _join_tensors(value)) or value


def _join_tensors(tensors: Sequence[Any]) -> _Batches | None:
    """Return tensors that differ only in their number of rows; None for other values."""
    if not all(isinstance(tensor, _Tensor) and tensor.shape for tensor in tensors):
        return None
    kinds = {(tensor.shape[1:], tensor.storage.dtype) for tensor in tensors}
    return _Batches(tuple(tensors)) if len(kinds) == 1 else None


def _iterate_named(value: Any, name: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield tensors, and lists of texts or whole numbers, with their names."""
    if isinstance(value, dict) and depth < MAX_DEPTH:
        for key, inner in value.items():
            if isinstance(key, str):
                yield from _iterate_named(inner, f"{name}.{key}" if name else key, depth + 1)
    elif isinstance(value, _Tensor | _Batches | np.ndarray):
        yield name or "array", value
    elif isinstance(value, list | tuple) and value:
        if all(isinstance(element, str) for element in value) or all(type(n) is int for n in value):
            if all(isinstance(element, str) or abs(element) < MAX_NUMBER for element in value):
                yield name or "array", value
        elif depth < MAX_DEPTH:
            for position, inner in enumerate(value[:100]):
                if isinstance(inner, _Tensor | np.ndarray):
                    yield f"{name}.{position}" if name else str(position), inner
