"""Calls of readers in a worker process, and checks of their output.

The worker may be compromised: JSON and arrays are checked before use.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.storage import settings
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text
from zslcore.untrusted.readers.common import LAST_CHARACTER
from zslcore.untrusted.worker import MAX_ANSWER, OPENING, Refused, call

#: Type in which a variable is returned: a float32 matrix, unchanged or transposed (MATLAB's layout
#: has one image per column); a matrix of scores in its own precision; a list of whole numbers; a
#: tuple of names; a tuple of paths, with the start of long paths cut off; or labels, which are
#: numbers or texts.
Role = Literal["rows", "columns", "scores", "numbers", "names", "paths", "labels"]
#: Checks of an array: those of its role; numbers with fractions; or numbers or texts of any shape.
Kind = Role | Literal["values", "plain"]
#: Kind of an array -> its possible types in NumPy, and its number of axes, None for any.
TYPES: dict[Kind, tuple[tuple[str, ...], int | None]] = {
    **dict.fromkeys(("rows", "columns"), (("<f4",), 2)),
    "scores": (("<f4", "<f8"), 2),
    "numbers": (("<i8",), 1),
    "values": (("<f8",), 1),
    **dict.fromkeys(("names", "paths"), (("<U",), 1)),
    "labels": (("<i8", "<U"), 1),
    "plain": (("<i8", "<f4", "<f8", "<U"), None),
}
#: Maximum number of dimensions of an array of NumPy.
MAX_DIMENSIONS = 64
#: Header of an array written by a reader. NumPy parses any other header, of up to 4 GB, as Python.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '[<>|][a-zA-Z][1-9]\d*', 'fortran_order': (?:False|True), "
    rb"'shape': \([\d, ]*\), \} *\n",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on reading a file, about ten times the needs of ordinary files.

    ``declared_bytes`` is the number of bytes that the wanted variables of a file may declare,
    ``ZSL_MAX_IMPORT`` if None; a refusal names ``origin``, the reason for this number. ``ratio``
    limits the declared bytes per byte of the file (deflate reaches 1,032, features about 4);
    ``free_bytes`` are always allowed, since small tables compress well. The time limit is
    ``base_seconds`` plus the size of the file divided by ``bytes_per_second``.
    """

    declared_bytes: int | None = None
    ratio: int = 100
    free_bytes: int = 64 << 20
    base_seconds: int = 20
    bytes_per_second: int = 4 << 20
    origin: str = ""

    @property
    def max_bytes(self) -> int:
        """Maximum number of bytes that the wanted variables of one file may declare."""
        return settings.MAX_IMPORT() if self.declared_bytes is None else self.declared_bytes

    def budget(self, size: int) -> int:
        """Return the bytes that a file of ``size`` bytes may declare."""
        return min(self.max_bytes, self._plausible(size))

    def reason(self, size: int) -> str:
        """Return the reason for the limit on a file of ``size`` bytes."""
        by_memory = self.origin and self.max_bytes < self._plausible(size)
        return self.origin if by_memory else "allowed for a file of this size"

    def _plausible(self, size: int) -> int:
        return max(self.free_bytes, self.ratio * size)

    def seconds(self, size: int) -> int:
        """Return the limit on CPU time, in seconds, for a file of ``size`` bytes."""
        return self.base_seconds + size // self.bytes_per_second


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True)
class WorkerAnswer:
    """Answer of a reader of ``path``: a JSON value, and the arrays in ``folder``.

    Methods raise ValueError or OSError for an array that no reader writes.
    """

    value: Any
    folder: Path
    path: Path

    def array(self, name: str, kind: Kind) -> np.ndarray:
        """Return an array after a check of its type, axes and values; a matrix is mapped."""
        array = open_array(self.folder / f"{name}.npy")
        types, n_axes = TYPES[kind]
        if not array.dtype.str.startswith(types) or n_axes not in (None, array.ndim):
            raise ValueError
        if kind in ("rows", "columns") and not all(map(_is_finite, _blocks(array))):
            raise ValueError
        is_text = array.dtype.kind == "U" and array.size > 0
        if is_text and np.ascontiguousarray(array).view("<u4").max() > LAST_CHARACTER:
            raise ValueError
        return array if n_axes == 2 else np.array(array)

    def codes(self, name: str, texts: Sequence[str], n: int | None = None) -> np.ndarray:
        """Return positions in ``texts``, one for each of ``n`` rows."""
        positions = self.array(name, "numbers")
        if n not in (None, len(positions)):
            raise ValueError
        if positions.size and not 0 <= positions.min() <= positions.max() < len(texts):
            raise ValueError
        return positions


@contextmanager
def worker_answer(
    reader: Callable[..., Any], path: Path, *args: Any, into: Path | None = None, **options: Any
) -> Iterator[WorkerAnswer]:
    """Yield the answer of a reader, with arrays in the folder ``into`` or a temporary one.

    The file is refused if the block finds the answer invalid. For further arguments, see
    :func:`call_reader`.
    """
    with nullcontext(into) if into else scratch() as folder:
        value = call_reader(reader, path, folder, *args, **options)
        try:
            yield WorkerAnswer(value, folder, path)
        except FileRefusedError:
            raise
        except Exception:  # noqa: BLE001 - the answer may be anything
            raise FileRefusedError(
                f"{clean_text(path.name)}: its reader returned an invalid result."
            ) from None


def call_reader(
    reader: Callable[..., Any],
    path: Path,
    into: Path,
    *args: Any,
    memory: int | None = None,
    written: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    file_type: str = "a file",
) -> Any:
    """Return the unchecked JSON value of ``reader(path, *args, into)`` in a worker process.

    ``memory`` and ``written`` are limits in bytes, by default derived from ``limits``;
    ``file_type``, such as "a CSV file", is for refusals.
    """
    size = path.stat().st_size
    options: dict[str, Any] = {
        "memory": OPENING + (3 * limits.budget(size) if memory is None else memory),
        "seconds": limits.seconds(size),
        "written": max(limits.budget(size), MAX_ANSWER) if written is None else written,
        "damage_message": f"expected {file_type} that is complete; got a damaged or truncated file",
    }
    try:
        return call(reader, str(path.resolve()), *args, files=[path], out=into, **options)
    except Refused as refusal:
        raise _refusal(path, str(refusal), refusal.where) from None


def read_confined(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    files: Sequence[Path],
    into: Path,
    *,
    memory: int,
    seconds: int,
    origin: str,
) -> Any:
    """Return the result of ``function(arguments, memory, into)`` in a worker process.

    ``origin`` names the origin of the memory limit in a refusal.
    """
    message = f"needs more than the {memory:,} bytes {origin}"
    options: dict[str, Any] = {"memory": memory, "seconds": seconds, "memory_message": message}
    try:
        return call(function, dict(arguments), memory, files=files, out=into, **options)
    except Refused as refusal:
        raise _refusal(files[0], str(refusal)) from None


def _refusal(path: Path, sentence: str, where: str = "") -> FileRefusedError:
    place = f", {clean_text(where)}" if where else ""
    return FileRefusedError(f"{clean_text(path.name)}{place}: {clean_text(sentence, 400)}.")


def open_array(path: Path) -> np.ndarray:
    """Open an array as a map; raise ValueError or OSError if no reader wrote it.

    numpy.load would also read other types of files, and raise other errors.
    """
    with path.open("rb") as file:
        header = HEADER.match(file.read(1 << 12))
    if not header or header.end() != 10 + int.from_bytes(header[1], "little"):
        raise ValueError
    return np.lib.format.open_memmap(path, mode="r")


def _blocks(array: np.ndarray) -> Iterator[np.ndarray]:
    step = max(1, (1 << 20) // max(1, array.shape[1]))
    return (array[start : start + step] for start in range(0, len(array), step))


def _is_finite(block: np.ndarray) -> bool:
    return bool(np.isfinite(block).all())


def shape_of(numbers: Sequence[Any]) -> tuple[int, ...]:
    """Return a shape as ints; refuse numbers so large that multiplying them takes long."""
    if len(numbers) > MAX_DIMENSIONS or not all(0 <= int(n) < 1 << 64 for n in numbers):
        raise ValueError
    return tuple(map(int, numbers))


def check_present(required: Iterable[str], present: Collection[str]) -> None:
    """Raise LookupError unless all required names are present."""
    if not {*required} <= {*present}:
        raise LookupError


def clean_names(array: np.ndarray, path: Path, variable: str) -> tuple[str, ...]:
    """Return texts of a variable without invisible characters; refuse an empty text."""
    names = tuple(map(clean_text, array.tolist()))
    if "" in names:
        raise FileRefusedError(
            f"{clean_text(path.name)}, variable {clean_text(variable)!r}: "
            f"name {names.index('') + 1} is empty."
        )
    return names
