"""Possible answers and files of a compromised worker process."""

from __future__ import annotations

import copy
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

#: Replacements of a value: of another type, too large, or not a number.
VALUES: tuple[Any, ...] = (
    *(None, True, -1, 10**400, float("nan"), 1e308, "x", "\ud800", "", [], [[]], {}, {"a": 1}),
    *([1] * 50, "x" * 5000, ["\x00"], [None], "../x", 0.5),
)
HEADER = "{{'descr': '{}', 'fortran_order': False, 'shape': {}, }}"


def spoiled_answer(answer: Any, rng: Random) -> Any:
    """Return an answer in which one value is replaced or missing."""
    root = {"": copy.deepcopy(answer)}
    holder: Any = root
    key: Any = ""
    while (child := holder[key]) and isinstance(child, dict | list) and rng.random() < 0.7:
        keys = list(child) if isinstance(child, dict) else range(len(child))
        holder, key = child, rng.choice(keys)
    if holder is not root and rng.random() < 0.2:
        del holder[key]
    else:
        holder[key] = rng.choice(VALUES)
    return root[""]


def spoil_folder(folder: Path, rng: Random) -> None:
    """Replace one file that a worker process has written: an array, or rows of texts."""
    arrays, texts = sorted(folder.glob("*.npy")), sorted(folder.glob("*.txt"))
    if arrays or texts:
        faults = FAULTS if arrays else TEXT_FAULTS
        rng.choice(faults)(rng.choice(arrays or texts))


def _replaced(change: Callable[[np.ndarray], np.ndarray]) -> Callable[[Path], None]:
    def replace(path: Path) -> None:
        array = np.array(np.load(path))
        path.unlink()
        np.save(path, change(array), allow_pickle=True)

    return replace


def _written(content: bytes) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.unlink()
        path.write_bytes(content)

    return write


def _declared(descr: str, shape: tuple[int, ...]) -> bytes:
    header = HEADER.format(descr, shape).ljust(117) + "\n"
    return b"\x93NUMPY\x01\x00v\x00" + header.encode()


def _filled(value: float) -> Callable[[np.ndarray], np.ndarray]:
    return lambda array: np.full(array.shape, value if array.dtype.kind in "fiu" else 0, "f8")


def _like(value: int) -> Callable[[np.ndarray], np.ndarray]:
    def change(array: np.ndarray) -> np.ndarray:
        number = array.dtype.kind in "fiu"
        return np.full_like(array, value) if number else array[::-1]

    return change


def _folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


FAULTS: tuple[Callable[[Path], None], ...] = (
    Path.unlink,
    _folder,
    *map(_written, (b"", b"PK\x03\x04" + b"x" * 99, b"\x93NUMPY", b"\x00" * 200)),
    *map(
        _written,
        (
            _declared("<i8", (1 << 40,)),
            _declared("<f4", (1 << 31, 1 << 31)),
            _declared("<U1", (-1,)),
            _declared("|O", (3,)),
            _declared("<i8", (0,)),
        ),
    ),
    *map(_replaced, (_filled(np.nan), _filled(-1.0), _like(-1), _like(127), _like(2**31 - 1))),
    *map(
        _replaced,
        (
            lambda array: array[:-1],
            lambda array: np.concatenate([array, array]),
            lambda array: array[None],
            lambda array: array.astype(object),
            lambda array: array.astype("<U3"),
        ),
    ),
)

#: Faults of a file of rows, such as an unterminated last row or too many rows.
TEXT_FAULTS: tuple[Callable[[Path], None], ...] = (
    Path.unlink,
    _folder,
    *map(
        _written, (b"", b"\x00" * 200, b"a\x1eb", b"\xff\x1e", b"\x1f\x1e" * 9, b"\x1e" * (1 << 22))
    ),
)
