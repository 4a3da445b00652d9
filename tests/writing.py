"""Files of tests: one writer for every format, by the content and the name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
from scipy.io import savemat

#: Type of NumPy -> class of MATLAB.
MATLAB_CLASSES = {"float64": "double", "float32": "single", "bool": "logical"}


def write_file(path: Path, content: Any) -> Path:
    """Write a file with its folders in the format of its content and name; return its path.

    Text and bytes unchanged, a frame as Parquet or CSV, an array as ``.npy``, JSON by the ending
    ``.json``, other lists as lines, and a mapping of arrays and names as ``.npz``, ``.mat`` or,
    with "-v7.3" in its key ``#format``, as MATLAB's HDF5.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes | bytearray):
        path.write_bytes(content)
    elif isinstance(content, str):
        path.write_text(content, encoding="utf-8")
    elif isinstance(content, pd.DataFrame) and path.suffix == ".parquet":
        content.to_parquet(path)
    elif isinstance(content, pd.DataFrame):
        content.to_csv(path, index=False)
    elif path.suffix == ".json":
        path.write_text(json.dumps(content), encoding="utf-8")
    elif isinstance(content, Mapping):
        _write_container(path, content)
    elif path.suffix == ".npy":
        np.save(path, content)
    else:
        path.write_text("\n".join(content) + "\n", encoding="utf-8")
    return path


def _write_container(path: Path, values: Mapping[str, Any]) -> None:
    """Write named arrays and tuples of names."""
    arrays = {name: value for name, value in values.items() if name != "#format"}
    if path.suffix == ".npz":
        np.savez(path, **arrays)
    elif "#format" in values:
        write_mat73(path, arrays)
    else:
        savemat(path, {name: as_column(value) for name, value in arrays.items()})


def as_cells(items: Iterable[Any]) -> np.ndarray:
    """Return texts or arrays as a column of MATLAB cells."""
    listed = list(items)
    cells = np.empty((len(listed), 1), dtype=object)
    cells[:, 0] = listed
    return cells


def as_column(value: Any) -> Any:
    """Return texts and lists of arrays as cells and rows as columns, like the benchmark."""
    if isinstance(value, tuple):
        return as_cells(value)
    if isinstance(value, list):
        cells = np.empty((1, len(value)), dtype=object)
        for k, rows in enumerate(value):
            cells[0, k] = as_column(rows)
        return cells
    return value.reshape(-1, 1) if value.ndim == 1 else value


def write_mat73(path: Path, values: Mapping[str, Any]) -> Path:
    """Write a file like MATLAB's ``save -v7.3``: HDF5 after a header of 512 bytes.

    Arrays are transposed. Tuples, lists and arrays of objects are cells of texts or arrays.
    """
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in values.items():
            if isinstance(value, np.ndarray) and value.dtype != object:
                _add_value(file, name, value)
                continue
            items = value.ravel() if isinstance(value, np.ndarray) else value
            cells = [
                _add_value(file, f"#refs#/{name}{k}", item).ref for k, item in enumerate(items)
            ]
            data = file.create_dataset(name, data=np.array([cells], dtype=h5py.ref_dtype))
            data.attrs["MATLAB_class"] = np.bytes_("cell")
    header = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 ."
    with path.open("r+b") as file:
        file.write(header.ljust(116) + bytes(8) + b"\x00\x02IM")
    return path


def _add_value(file: h5py.File, name: str, value: str | np.ndarray) -> h5py.Dataset:
    """Add a text or an array with its MATLAB class."""
    if isinstance(value, str):
        kind, data = "char", np.frombuffer(value.encode("utf-16-le"), dtype="<u2").reshape(-1, 1)
    else:
        kind = MATLAB_CLASSES.get(str(value.dtype), str(value.dtype))
        data = value.astype("uint8") if value.dtype == bool else value
        data = data.reshape(1, -1) if data.ndim == 1 else data.T
    added = file.create_dataset(name, data=data)
    added.attrs["MATLAB_class"] = np.bytes_(kind)
    return added
