"""Settings of the package, from environment variables.

SECURITY.md and docs/guide/first-run.md describe them. A size is a number of bytes, or a number with
the unit K, M, G or T (powers of 1,024), which B or iB may follow. A value is read when it is used,
so that an invalid value never prevents an import of the package; :func:`check_all` reads all values
before a command runs.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from zslcore.exceptions import ParameterError

T = TypeVar("T")
_SIZE = re.compile(r"(\d+(?:\.\d+)?) ?(?:([KMGT])(?:i?B)?|B)?", re.IGNORECASE | re.ASCII)
_POWERS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}
_SWITCH = dict.fromkeys(("0", "false", "no", "off"), False)
_SWITCH |= dict.fromkeys(("1", "true", "yes", "on"), True)


@dataclass(frozen=True)
class EnvironmentVariable(Generic[T]):
    """Environment variable with its parser.

    ``expected`` describes a valid value in the error; ``parse`` raises ValueError for other texts.
    """

    name: str
    default: T
    expected: str
    parse: Callable[[str], T]

    def __call__(self) -> T:
        """Return the value; raise ParameterError for an invalid text."""
        text = os.environ.get(self.name, "").strip()
        if not text:
            return self.default
        try:
            return self.parse(text)
        except (ValueError, OverflowError):
            shown = text if len(text) <= 40 else f"{text[:40]}…"
            raise ParameterError(f"{self.name}: expected {self.expected}; got {shown!r}.") from None


def _whole_number(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers from ``least`` to ``most``."""

    def parse(text: str) -> int:
        if not (re.fullmatch(r"\d{1,9}", text, re.ASCII) and least <= int(text) <= most):
            raise ValueError
        return int(text)

    return parse


def _minutes(text: str) -> float:
    if not (0 < float(text) < math.inf):
        raise ValueError
    return float(text)


def _size(text: str) -> int:
    match = _SIZE.fullmatch(text)
    if match is None or not (size := int(float(match[1]) * 2 ** _POWERS[(match[2] or "").upper()])):
        raise ValueError
    return size


def _memory(text: str) -> int:
    if (size := _size(text)) < LEAST_MEMORY:
        raise ValueError
    return size


def _switch(text: str) -> bool:
    if text.lower() not in _SWITCH:
        raise ValueError
    return _SWITCH[text.lower()]


def _method_paths(text: str) -> tuple[str, ...]:
    parts = tuple(part.strip() for part in text.split(",") if part.strip())
    if not all(re.fullmatch(r".+\.py:\w+", part) for part in parts):
        raise ValueError
    return parts


def _address(text: str) -> str:
    if not re.fullmatch(r"\w+://[^\s/]+(:\d{1,5}|/\d+/\d+)", text, re.ASCII):
        raise ValueError
    return text


_BYTES = "a size such as 4294967296 or 4GB"
#: Smallest useful limit on memory.
LEAST_MEMORY = 64 << 20
_MEMORY = f"{_BYTES}, from 64MB on"
MAX_JOBS, MAX_COUNT = 1024, 10**9 - 1
DASK = EnvironmentVariable(
    "ZSL_DASK", "", "the address of a scheduler, such as tcp://HOST:8786", _address
)
JOBS = EnvironmentVariable(
    "ZSL_JOBS", 1, f"a whole number from 1 to {MAX_JOBS:,}", _whole_number(1, MAX_JOBS)
)
JOB_PATIENCE = EnvironmentVariable(
    "ZSL_JOB_PATIENCE", 30.0, "a number of minutes above 0", _minutes
)
MAX_IMPORT = EnvironmentVariable("ZSL_MAX_IMPORT", 4 << 30, _BYTES, _size)
MAX_IMPORTS = EnvironmentVariable("ZSL_MAX_IMPORTS", 64 << 30, _BYTES, _size)
MEMORY = EnvironmentVariable("ZSL_MEMORY", 4 << 30, _MEMORY, _memory)
MEMORY_A_VISITOR = EnvironmentVariable("ZSL_MEMORY_A_VISITOR", 2 << 30, _MEMORY, _memory)
IMPORTS_A_VISITOR = EnvironmentVariable(
    "ZSL_IMPORTS_A_VISITOR", 20, f"a whole number up to {MAX_COUNT:,}", _whole_number(0, MAX_COUNT)
)
METHODS: EnvironmentVariable[tuple[str, ...]] = EnvironmentVariable(
    "ZSL_METHODS", (), "one or more FILE.py:Class, separated by commas", _method_paths
)
PREDICTIONS = EnvironmentVariable("ZSL_PREDICTIONS", 256 << 20, _BYTES, _size)
PUBLIC = EnvironmentVariable("ZSL_PUBLIC", False, "1 or 0", _switch)
SHIPPED = EnvironmentVariable("ZSL_SHIPPED", True, "1 or 0", _switch)
UPLOADS = EnvironmentVariable("ZSL_UPLOADS", 16 << 30, _BYTES, _size)
UPLOADS_A_VISITOR = EnvironmentVariable("ZSL_UPLOADS_A_VISITOR", 2 << 30, _BYTES, _size)


def check_all() -> None:
    """Read all settings; raise ParameterError for the first invalid one."""
    from zslcore.storage.files import data_folder

    data_folder()
    for value in globals().values():
        if isinstance(value, EnvironmentVariable):
            value()


def environment() -> tuple[tuple[str, str], ...]:
    """Return the package's environment variables that are set, by name."""
    return tuple(sorted(item for item in os.environ.items() if item[0].startswith("ZSL_")))


def set_environment(variables: Iterable[tuple[str, str]]) -> None:
    """Set these variables in this process, and unset all other variables of the package."""
    for name, _ in environment():
        del os.environ[name]
    os.environ.update(variables)
