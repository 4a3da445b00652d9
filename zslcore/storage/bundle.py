"""Results in a folder: JSON for words and numbers, arrays and Parquet tables next to it.

Dataclasses, mappings, sequences, arrays and tables are written as they are nested and read by their
annotated type, so that no kind of result needs a reader and a writer of its own. Equal arrays are
stored once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

VALUES, ARRAYS = "result.json", "arrays.npz"


def save(folder: Path, result: Any, *, compressed: bool = True) -> None:
    """Write ``result`` into an empty folder; scores hardly shrink when they are compressed."""
    arrays: dict[str, np.ndarray] = {}

    def plain(value: Any) -> Any:
        """Return what JSON holds of a value."""
        if isinstance(value, pd.DataFrame):
            name = f"table{len(list(folder.glob('*.parquet')))}.parquet"
            value.to_parquet(folder / name)
            return {"$table": name}
        if isinstance(value, np.ndarray):
            about = f"{value.dtype}{value.shape}".encode()
            name = hashlib.sha256(about + value.tobytes()).hexdigest()[:16]
            arrays[name] = value
            return {"$array": name}
        if is_dataclass(value):
            stored = [each.name for each in fields(value) if each.init]
            return {name: plain(getattr(value, name)) for name in stored}
        if isinstance(value, Mapping):
            return {str(key): plain(each) for key, each in value.items()}
        if isinstance(value, list | tuple):
            return [plain(each) for each in value]
        return value.item() if isinstance(value, np.generic) else value

    (folder / VALUES).write_text(json.dumps(plain(result)), encoding="utf-8")
    if arrays:
        write = np.savez_compressed if compressed else np.savez
        write(folder / ARRAYS, allow_pickle=False, **arrays)


def load(folder: Path, kind: Any) -> Any:
    """Read what :func:`save` wrote of a result of type ``kind``."""
    arrays: dict[str, np.ndarray] = {}
    if (folder / ARRAYS).exists():
        with np.load(folder / ARRAYS, allow_pickle=False) as archive:
            arrays = dict(archive)

    def whole(value: dict[str, Any]) -> Any:
        if "$array" in value:
            return arrays[value["$array"]]
        return pd.read_parquet(folder / value["$table"]) if "$table" in value else value

    text = (folder / VALUES).read_text(encoding="utf-8")
    return typed(json.loads(text, object_hook=whole), kind)


def typed(value: Any, kind: Any) -> Any:
    """Return plain values, as JSON has them, as the dataclasses and tuples of their type."""
    from pydantic import ConfigDict, TypeAdapter  # not at the top: most importers read nothing

    config = ConfigDict(arbitrary_types_allowed=True)
    (result,) = TypeAdapter(tuple[kind], config=config).validate_python([value])
    return result
