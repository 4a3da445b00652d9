"""Readers of Parquet tables: of all columns, and of requested columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.untrusted import worker
from zslcore.untrusted.readers.common import (
    INDEX,
    MAX_NAME,
    MAX_NUMBER,
    MAX_PATH,
    TEXT_BYTES,
    Shape,
)
from zslcore.untrusted.readers.csv_files import MAX_COLUMNS
from zslcore.untrusted.readers.json_files import count_values, parse_json
from zslcore.untrusted.readers.text_rows import write_cells
from zslcore.untrusted.readers.text_tables import SEPARATE_ARRAYS
from zslcore.untrusted.worker import Refused

NUMERIC = ("int", "uint", "float", "double", "halffloat")
#: Metadata key of ``DataFrame.attrs`` in pandas.
ATTRS = b"PANDAS_ATTRS"
MAX_ATTRS, MAX_VALUES, MAX_TEXTS = 4 << 20, 1 << 18, 1 << 10
#: Metadata key of the class names in Hugging Face data sets.
HUGGING_FACE = b"huggingface"


def open_parquet(path: str, texts: Sequence[str] = ()) -> Any:
    """Open a Parquet table with one thread, since more may exceed the memory limit under load."""
    import pyarrow
    from pyarrow import parquet

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)
    file = parquet.ParquetFile(path, memory_map=True, read_dictionary=texts)
    if len(set(file.schema_arrow.names)) < len(file.schema_arrow.names):
        raise Refused("expected distinct column names; got a name twice")
    return file


class ParquetTable:
    """Any Parquet table, with class names from Hugging Face metadata."""

    def __init__(self, path: str) -> None:
        self.file = open_parquet(path)
        schema = self.file.schema_arrow
        if len(schema.names) > MAX_COLUMNS:
            raise Refused(f"expected at most {MAX_COLUMNS:,} columns; got {len(schema.names):,}")
        self.n = self.file.metadata.num_rows
        self._sizes: Counter[str] | None = None
        self.classes = _class_names(schema.metadata or {})
        self.lists, self.separate, self.numbers = [], [], []
        self.other_types: dict[str, str] = {}
        for field in schema:
            kind = str(field.type)
            if field.name in INDEX:
                continue
            if kind.startswith(("list", "large_list", "fixed_size_list")):
                self.lists.append(field.name)
            elif "string" in kind or (
                field.name.lower() in SEPARATE_ARRAYS and kind.startswith(("int", "uint"))
            ):
                self.separate.append(field.name)
            elif kind.startswith((*NUMERIC, "bool")):
                self.numbers.append(field.name)
            else:
                self.other_types[field.name] = kind
        self.names = [*self.lists, *self.separate]
        if len(self.numbers) == 1:
            self.names += self.numbers
        elif self.numbers:
            self.names += ["values", "columns"]
        self.names += ["class_names"] if self.classes and "class_names" not in self.names else []
        self.names += self.other_types

    def _bytes_of(self, name: str) -> int:
        """Return the bytes that a column declares in the file."""
        if self._sizes is None:
            self._sizes = Counter()
            for path, size in _column_sizes(self.file.metadata):
                self._sizes[path.partition(".")[0]] += max(0, size)
                self._sizes[path] += max(0, size) * ("." in path)
        return self._sizes[name]

    def shape_and_itemsize(self, name: str) -> tuple[Shape, int]:
        """Return shape and bytes per value; lists have the length of the first row's list."""
        if name == "class_names" and self.classes and name not in self.separate:
            return (len(self.classes),), TEXT_BYTES
        if name == "values" and name not in self.separate:
            return (self.n, len(self.numbers)), 8
        if name == "columns" and name not in self.separate:
            return (len(self.numbers),), 4 * min(MAX_NAME, max(map(len, self.numbers)))
        if name in self.other_types:
            raise Refused(f"expected numbers or texts; got {self.other_types[name]}")
        if name in self.lists:
            width = self._width(name)
            return (self.n, width), max(4, -(-self._bytes_of(name) // max(1, self.n * width)))
        return (self.n,), TEXT_BYTES if name in self.separate else 8

    def _width(self, name: str) -> int:
        if self._bytes_of(name) > 1 << 31 or not self.n:
            raise Refused(
                f"expected rows with at most {1 << 31:,} bytes of lists; got "
                f"{self._bytes_of(name):,} bytes in {self.n:,} rows"
            )
        batch = next(self.file.iter_batches(batch_size=1, columns=[name], use_threads=False), None)
        first = batch.column(0)[0].as_py() if batch is not None and batch.num_rows else None
        if not first or not all(isinstance(x, int | float) for x in first):
            raise Refused("expected lists of numbers of equal length; got other values")
        return len(first)

    def read(self, name: str) -> np.ndarray:
        """Return the values of a column or matrix."""
        if name == "class_names" and self.classes and name not in self.separate:
            return np.array([text[:MAX_NAME] for text in self.classes])
        if name == "columns" and name not in self.separate:
            return np.array([text[:MAX_NAME] for text in self.numbers])
        if name == "values" and name not in self.separate:
            table = self.file.read(self.numbers, use_threads=False)
            columns = [c.to_numpy(zero_copy_only=False) for c in table.itercolumns()]
            return np.column_stack([c.astype(float) if c.dtype == object else c for c in columns])
        column = self.file.read([name], use_threads=False).column(0).combine_chunks()
        if name in self.lists:
            return self._matrix(column, self._width(name))
        if column.null_count:
            raise Refused("expected a value in every row; got a missing one")
        values: np.ndarray = column.to_numpy(zero_copy_only=False)
        if values.dtype.kind != "O":
            return values
        return np.array([str(text)[:MAX_NAME] for text in values])

    def _matrix(self, column: Any, width: int) -> np.ndarray:
        flat = column.flatten()
        if column.null_count or flat.null_count or len(flat) != len(column) * width:
            raise Refused("expected lists of numbers of equal length; got other values")
        values: np.ndarray = flat.to_numpy(zero_copy_only=False)
        if values.dtype.kind not in "biuf":
            raise Refused("expected lists of numbers of equal length; got other values")
        offsets = getattr(column, "offsets", None)  # lists of fixed length have no offsets
        if offsets is not None and (np.diff(offsets.to_numpy()) != width).any():
            raise Refused("expected lists of numbers of equal length; got several lengths")
        return values.reshape(len(column), width)


def _class_names(metadata: dict[bytes, bytes]) -> list[str]:
    """Return the class names in Hugging Face metadata with a single column of classes."""
    text = metadata.get(HUGGING_FACE, b"")
    if not text or len(text) > 1 << 22:
        return []
    try:
        features = parse_json(text)["info"]["features"]
        named = [
            feature["names"]
            for feature in features.values()
            if isinstance(feature, dict) and feature.get("_type") == "ClassLabel"
        ]
    except (ValueError, RecursionError, LookupError, TypeError, AttributeError, Refused):
        return []
    listed = named[0] if len(named) == 1 else []
    is_list = isinstance(listed, list) and all(isinstance(name, str) for name in listed)
    return listed if is_list else []


def write_text_rows(path: str, max_items: int, out: Path) -> None:
    """Write the titles, then the cells of each row, of columns that may name classes or parts.

    These columns have texts, whole numbers or truth values; a missing value is an empty text.
    """
    worker.import_libraries("pyarrow.parquet", "pandas")
    file = open_parquet(path)
    names = [
        field.name
        for field in file.schema_arrow
        if field.name not in INDEX
        and ("string" in str(field.type) or str(field.type).startswith(("int", "uint", "bool")))
    ]
    n = file.metadata.num_rows
    if n * max(1, len(names)) > max_items:
        raise Refused(f"expected at most {max_items:,} values in text columns; got {n:,} rows")
    worker.raise_memory_limit(n * len(names) * TEXT_BYTES)
    batches = file.iter_batches(batch_size=1 << 12, columns=names, use_threads=False)
    columns = ([batch.column(name).to_pylist() for name in names] for batch in batches)
    rows = (row for batch in columns for row in zip(*batch, strict=True))
    cells = (["" if v is None else str(v)[:MAX_PATH] for v in row] for row in rows)
    write_cells(chain([names], cells), "rows", max_items + 1, out)


# --- Columns of a Parquet table -------------------------------------------------------------------


def read_columns(
    path: str, wanted: Mapping[str, str], required: Sequence[str], budget: int, out: Path
) -> dict[str, Any]:
    """Write columns of a Parquet table; return their names, distinct texts, and attributes.

    Texts are dictionary-encoded, so that a long text in a million rows is stored once.
    """
    worker.import_libraries("pyarrow.parquet", "pandas")
    file = open_parquet(path, [name for name, role in wanted.items() if role == "texts"])
    columns = file.schema_arrow.names
    for name in required:
        if name not in columns:
            content = ", ".join(columns[:12]) or "nothing"
            raise Refused(f"not in the file, which holds {content}", f"variable {name!r}")
    present = [name for name in wanted if name in columns]
    worker.raise_memory_limit(3 * _count_declared_bytes(file.metadata, present, budget))
    attrs = _attrs((file.metadata.metadata or {}) | (file.schema_arrow.metadata or {}))
    texts: dict[str, list[str]] = {}
    for name in present:
        column = file.read([name], use_threads=False).column(0)
        try:
            if wanted[name] == "texts":
                array, texts[name] = _encode_texts(column)
            else:
                array = _convert_column(column, wanted[name])
        except Refused as refusal:
            raise Refused(str(refusal), f"variable {name!r}") from None
        np.save(out / f"{name}.npy", array)
    return {"found": present, "texts": texts, "attrs": attrs}


def _column_sizes(metadata: Any) -> Iterator[tuple[str, int]]:
    """Yield name and declared bytes of each column chunk."""
    for k in range(metadata.num_row_groups):
        group = metadata.row_group(k)
        for column in map(group.column, range(group.num_columns)):
            yield column.path_in_schema, column.total_uncompressed_size


def _count_declared_bytes(metadata: Any, names: Sequence[str], budget: int) -> int:
    """Return the bytes that columns declare; refuse more than ``budget``."""
    groups = [metadata.row_group(k).num_rows for k in range(metadata.num_row_groups)]
    rows = metadata.num_rows
    if rows != sum(groups) or min((rows, *groups)) < 0:
        raise Refused(f"declares {rows:,} rows in total, but {sum(groups):,} in its row groups")
    sizes = [size for path, size in _column_sizes(metadata) if path in names]
    size: int = max(rows * 8 * len(names), sum(sizes))
    if size > budget or min(sizes, default=0) < 0:
        raise Refused(
            f"declares {rows:,} rows ({size:,} bytes), more than the {budget:,} bytes "
            "allowed for a file of this size"
        )
    return size


def _attrs(metadata: Mapping[bytes, bytes]) -> dict[str, Any]:
    text = metadata.get(ATTRS, b"{}")
    if len(text) > MAX_ATTRS:
        raise Refused(f"expected at most {MAX_ATTRS:,} bytes of attributes; got {len(text):,}")
    try:
        attrs: Any = parse_json(text)
    except (ValueError, RecursionError):
        raise Refused("expected attributes as JSON; got other text") from None
    if not isinstance(attrs, dict):
        raise Refused("expected attributes as a JSON object; got another value")
    if (n := count_values(attrs)) > MAX_VALUES:
        raise Refused(f"expected at most {MAX_VALUES:,} values in attributes; got {n:,}")
    return attrs


def _encode_texts(column: Any) -> tuple[np.ndarray, list[str]]:
    """Dictionary-encode a column of texts; return codes and distinct texts."""
    if "string" not in str(column.type):
        raise Refused(f"expected strings; got {column.type}")
    encoded = column.unify_dictionaries().combine_chunks()
    encoded = encoded if hasattr(encoded, "dictionary") else encoded.dictionary_encode()
    if encoded.null_count:
        raise Refused("expected a string in every row; got a missing one")
    if (n := len(encoded.dictionary)) > MAX_TEXTS:
        raise Refused(f"expected at most {MAX_TEXTS:,} different strings; got {n:,}")
    codes: np.ndarray = encoded.indices.to_numpy(zero_copy_only=False).astype("<i8")
    return codes, [str(text)[:MAX_PATH] for text in encoded.dictionary.to_pylist()]


def _convert_column(column: Any, role: str) -> np.ndarray:
    """Return float64 for the role "values", else int64 with -1 for missing optional numbers."""
    kind, is_whole = str(column.type), role != "values"
    if not kind.startswith(NUMERIC) and (kind, role) != ("null", "optional numbers"):
        expected = "whole numbers" if is_whole else "numbers"
        raise Refused(f"expected {expected}; got {kind}")
    array: Any = column.to_numpy(zero_copy_only=False)
    if array.dtype.kind == "O":
        array = [np.nan if value is None else value for value in array]
    values = np.array(array, dtype=np.float64)
    missing = np.isnan(values)
    if role == "optional numbers":
        values[missing] = -1
    elif missing.any():
        raise Refused(f"expected a number in every row; got none in row {missing.argmax():,}")
    wrong = ~(np.abs(values) < MAX_NUMBER) | (values != np.trunc(values))
    if is_whole and wrong.any():
        raise Refused(f"expected whole numbers; got {values[wrong][0]}")
    return values.astype("<i8" if is_whole else "<f8")
