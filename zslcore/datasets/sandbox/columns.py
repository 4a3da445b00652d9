"""Columns of a Parquet table, as plain arrays; runs in the process that reads one file and may die.

What the footer declares is compared with what is allowed before any value is read. Texts stay
numbers of a dictionary, so that one long text in a million rows is one text.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from zslcore.datasets.sandbox.text import RefusedError, count_values

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow import parquet

__all__ = ["ATTRS", "read_columns"]

#: Where pandas writes ``DataFrame.attrs``.
ATTRS = b"PANDAS_ATTRS"
#: Most bytes of attributes, values in them, different texts of a column, and letters of one.
MAX_ATTRS, MAX_VALUES, MAX_TEXTS, MAX_LETTERS = 4 << 20, 1 << 18, 1 << 10, 200
#: Largest number that is whole in float64.
MAX_NUMBER = 2**53


def read_columns(
    path: str,
    out: Path,
    wanted: Mapping[str, str],
    required: Sequence[str],
    budget: int,
    on_declared: Callable[[int], None],
) -> list[str]:
    """Write the columns that are there to ``<out>/<name>.npy``, the attributes to ``attrs.json``.

    Parameters
    ----------
    path : str
    out : Path
    wanted : role of each column: "numbers", "optional numbers" (-1 where there is none), "values"
        or "texts" (numbers of the texts in ``<name>.json``)
    required : columns that have to be there
    budget : most bytes that the wanted columns may declare
    on_declared : called with the bytes they declare, before any is read
    """
    spare_memory()  # before the library reads its environment
    from pyarrow import parquet

    texts = [name for name, role in wanted.items() if role == "texts"]
    file = parquet.ParquetFile(path, memory_map=True, read_dictionary=texts)
    there = file.schema_arrow.names
    if len(set(there)) < len(there):
        raise RefusedError("expected each column once")
    for name in required:
        if name not in there:
            raise RefusedError(f"not in the file, which holds {', '.join(there[:12]) or 'nothing'}",
                               name)  # fmt: skip
    found = [name for name in wanted if name in there]
    on_declared(_declared(file.metadata, found, budget))
    _write_attrs((file.metadata.metadata or {}) | (file.schema_arrow.metadata or {}), out)
    for name in found:
        column = file.read([name], use_threads=False).column(0)
        write = _write_texts if wanted[name] == "texts" else _write_numbers
        write(out, name, column, wanted[name])
    return found


def spare_memory() -> None:
    """Let Arrow reserve no more memory than a file declares; call it before a file is opened.

    Its allocator, and each of its threads, reserve far more: under load a thread that finds
    no room under the limit of this process cannot begin, and an innocent file would be refused.
    """
    os.environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"
    import pyarrow

    pyarrow.set_cpu_count(1)
    pyarrow.set_io_thread_count(1)


def _declared(metadata: parquet.FileMetaData, names: Sequence[str], budget: int) -> int:
    """Return the bytes that columns declare, in the file and in memory; refuse too many."""
    groups = [metadata.row_group(k) for k in range(metadata.num_row_groups)]
    if (
        metadata.num_rows < 0
        or [g for g in groups if g.num_rows < 0]
        or (sum(g.num_rows for g in groups) != metadata.num_rows)
    ):
        raise RefusedError(
            f"declares {metadata.num_rows:,} rows, and {sum(g.num_rows for g in groups):,} in its "
            "row groups"
        )
    sizes = [
        column.total_uncompressed_size
        for group in groups
        for column in map(group.column, range(group.num_columns))
        if column.path_in_schema in names
    ]
    size = max(metadata.num_rows * 8 * len(names), sum(sizes))
    if size > budget or min(sizes, default=0) < 0:
        raise RefusedError(
            f"declares {metadata.num_rows:,} rows ({size:,} bytes), more than the {budget:,} bytes "
            "allowed for a file of this size"
        )
    return size


def _write_attrs(metadata: Mapping[bytes, bytes], out: Path) -> None:
    text = metadata.get(ATTRS, b"{}")
    if len(text) > MAX_ATTRS:
        raise RefusedError(f"expected at most {MAX_ATTRS:,} bytes of attributes, got {len(text):,}")
    try:
        attrs: Any = json.loads(text)
    except (ValueError, RecursionError):
        raise RefusedError("expected attributes as JSON, got text that is none") from None
    if not isinstance(attrs, dict):
        raise RefusedError("expected attributes as a JSON object, got another value")
    if (n := count_values(attrs)) > MAX_VALUES:
        raise RefusedError(f"expected at most {MAX_VALUES:,} values in attributes, got {n:,}")
    (out / "attrs.json").write_text(json.dumps(attrs), encoding="utf-8")


def _write_texts(out: Path, name: str, column: pa.ChunkedArray, role: str) -> None:
    kind = str(column.type)
    if "string" not in kind:
        raise RefusedError(f"expected texts, got {kind}", name)
    encoded = column.unify_dictionaries().combine_chunks()
    encoded = encoded if hasattr(encoded, "dictionary") else encoded.dictionary_encode()
    if encoded.null_count:
        raise RefusedError("expected a text in every row, got a row without", name)
    if len(encoded.dictionary) > MAX_TEXTS:
        n = len(encoded.dictionary)
        raise RefusedError(f"expected at most {MAX_TEXTS:,} different texts, got {n:,}", name)
    values = [str(text)[:MAX_LETTERS] for text in encoded.dictionary.to_pylist()]
    (out / f"{name}.json").write_text(json.dumps(values), encoding="utf-8")
    np.save(out / f"{name}.npy", encoded.indices.to_numpy(zero_copy_only=False).astype("<i8"))


def _write_numbers(out: Path, name: str, column: pa.ChunkedArray, role: str) -> None:
    kind = str(column.type)
    whole = role != "values"
    numeric = kind.startswith(("int", "uint", "float", "double", "halffloat"))
    if not numeric and (kind, role) != ("null", "optional numbers"):
        what = "whole numbers" if whole else "numbers"
        raise RefusedError(f"expected {what}, got {kind}", name)
    array = column.to_numpy(zero_copy_only=False)
    values = np.array([np.nan if v is None else v for v in array] if array.dtype.kind == "O"
                      else array, dtype=np.float64)  # fmt: skip
    if role == "optional numbers":
        values[np.isnan(values)] = -1
    if np.isnan(values).any():
        row = int(np.argmax(np.isnan(values)))
        raise RefusedError(f"expected a number in every row, got none in row {row:,}", name)
    if whole:
        wrong = ~(np.abs(values) < MAX_NUMBER) | (values != np.trunc(values))
        if wrong.any():
            raise RefusedError(f"expected whole numbers, got {values[wrong][0]}", name)
    np.save(out / f"{name}.npy", values.astype("<i8" if whole else "<f8"))
