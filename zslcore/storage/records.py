"""Results in files: versioned JSON records, and folders with arrays and tables.

A folder holds nested dataclasses, mappings, sequences, arrays and tables: texts and numbers as
JSON, arrays and tables (Parquet) in separate files. Field types determine how a result is read, so
that no type needs its own reader or writer. Equal arrays are stored once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import numpy as np
import pandas as pd

from zslcore.exceptions import ZSLError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance
    from pydantic import TypeAdapter

T = TypeVar("T", bound="DataclassInstance")


class UnreadableError(ZSLError):
    """Record that this version cannot read."""


@dataclass(frozen=True)
class Schema(Generic[T]):
    """Storage of a dataclass as versioned JSON.

    ``version`` is increased when a field changes its name or meaning, or a new field has no
    default.
    """

    kind: type[T]
    version: int

    def dump(self, record: T) -> str:
        """Return a record as JSON; equal records have the same text."""
        return json.dumps({"schema": self.version} | asdict(record))

    def load(self, text: str) -> T:
        """Read JSON that :meth:`dump` of this version wrote, else raise UnreadableError."""
        try:
            values = json.loads(text)
        except (ValueError, TypeError, RecursionError):  # not a text, or nested too deeply
            raise self._unreadable("text that is not JSON") from None
        if not isinstance(values, dict):
            raise self._unreadable(f"a {type(values).__name__}")
        written = values.pop("schema", None)
        if written != self.version:
            raise self._unreadable(f"schema {written!r}, this version reads {self.version}")
        try:
            return self._adapter.validate_python(values)
        except (ValueError, LookupError, TypeError, AttributeError, ZSLError) as error:
            raise self._unreadable(f"values that do not fit ({type(error).__name__})") from error

    def _unreadable(self, got: str) -> UnreadableError:
        return UnreadableError(f"{self.kind.__name__}: expected a stored record; got {got}.")

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        from pydantic import TypeAdapter  # a slow import that most processes do not need

        return TypeAdapter(self.kind)


VALUES, ARRAYS = "result.json", "arrays.npz"


def save(folder: Path, result: Any, *, compressed: bool = True) -> None:
    """Write ``result`` into an empty folder; compression hardly shrinks scores."""
    arrays: dict[str, np.ndarray] = {}

    def plain(value: Any) -> Any:
        """Return a value as plain JSON types."""
        if isinstance(value, pd.DataFrame):
            name = f"table{len(list(folder.glob('*.parquet')))}.parquet"
            value.to_parquet(folder / name)
            return {"$table": name}
        if isinstance(value, np.ndarray):
            dtype_and_shape = f"{value.dtype}{value.shape}".encode()
            name = hashlib.sha256(dtype_and_shape + value.tobytes()).hexdigest()[:16]
            arrays[name] = value
            return {"$array": name}
        if is_dataclass(value):
            return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
        if isinstance(value, Mapping):
            return {str(key): plain(element) for key, element in value.items()}
        if isinstance(value, list | tuple):
            return [plain(element) for element in value]
        return value.item() if isinstance(value, np.generic) else value

    (folder / VALUES).write_text(json.dumps(plain(result)), encoding="utf-8")
    if arrays:
        write = np.savez_compressed if compressed else np.savez
        write(folder / ARRAYS, allow_pickle=False, **arrays)


def load_record(folder: Path, kind: Any) -> Any:
    """Read a result of type ``kind`` written by :func:`save`."""
    arrays: dict[str, np.ndarray] = {}
    if (folder / ARRAYS).exists():
        with np.load(folder / ARRAYS, allow_pickle=False) as archive:
            arrays = dict(archive)

    def restore(value: dict[str, Any]) -> Any:
        if "$array" in value:
            return arrays[value["$array"]]
        return pd.read_parquet(folder / value["$table"]) if "$table" in value else value

    text = (folder / VALUES).read_text(encoding="utf-8")
    return typed(json.loads(text, object_hook=restore), kind)


def typed(value: Any, kind: Any) -> Any:
    """Convert plain JSON values to the dataclasses and tuples of their type."""
    from pydantic import ConfigDict, TypeAdapter  # a slow import, see above

    config = ConfigDict(arbitrary_types_allowed=True)
    (result,) = TypeAdapter(tuple[kind], config=config).validate_python([value])
    return result
