"""Columns of untrusted tables: CSV files of features or scores, and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.texts import clean_text
from zslcore.untrusted.answers import DEFAULT_LIMITS, Limits, check_present, worker_answer
from zslcore.untrusted.containers import require_container
from zslcore.untrusted.files import check_size
from zslcore.untrusted.readers import csv_files, parquet_files, text_rows

#: Content of a column of a Parquet table: whole numbers, whole numbers with -1 for missing values,
#: numbers, or texts with few distinct values.
ColumnRole = Literal["numbers", "optional numbers", "values", "texts"]
MAX_CSV_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of a table.

    ``values`` has the columns of numbers, mapped from a file if the table is a CSV; ``columns``
    may repeat a name. ``texts`` has the text of each row by column; equal texts of a CSV are one
    object. ``left_out`` names columns with too many distinct texts to be classes.
    """

    values: np.ndarray
    columns: tuple[str, ...]
    texts: dict[str, Sequence[str]]
    left_out: tuple[str, ...] = ()


def read_table_file(path: Path, into: Path, texts: Mapping[str, bool]) -> Table:
    """Read a CSV file, without an unnamed index column written by pandas.

    ``texts`` maps each column of texts to whether it is required. All other columns are numbers,
    mapped from ``features.npy`` in the folder ``into``.
    """
    return _read_csv(csv_files.read_csv, path, into, dict(texts), name="features", texts=texts)


def read_score_table(path: Path, into: Path, *, limits: Limits = DEFAULT_LIMITS) -> Table:
    """Read a CSV file of scores or of predicted classes; ``into`` is a folder for its numbers."""
    table = _read_csv(csv_files.read_score_table, path, into, name="scores", limits=limits)
    return replace(table, texts={clean_text(name): rows for name, rows in table.texts.items()})


def _read_csv(
    reader: Callable[..., Any],
    path: Path,
    into: Path,
    *args: Any,
    name: str,
    texts: Mapping[str, bool] | None = None,
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """Return the columns of a CSV file, with the numbers in ``<name>.npy``.

    ``texts`` maps the allowed columns of texts to whether they are required, None for any.
    """
    size = check_size(path, MAX_CSV_BYTES, "CSV")
    budget = min(limits.max_bytes, max(limits.free_bytes, 4 * size))
    options: dict[str, Any] = {"into": into, "memory": 3 * budget, "file_type": "a CSV file"}
    with worker_answer(reader, path, *args, budget, **options) as answer:
        values = answer.array(name, "rows" if name == "features" else "scores")
        columns, left_out = (
            tuple(map(clean_text, answer.value[key])) for key in ("columns", "left_out")
        )
        if len(columns) != values.shape[1]:
            raise ValueError
        columns_of_texts: dict[str, Sequence[str]] = {}
        for key, (title, distinct_texts) in answer.value["texts"].items():
            if not key.removeprefix("text_").isdigit():
                raise ValueError
            cleaned = [*map(clean_text, distinct_texts)]
            codes = answer.codes(key, cleaned, len(values))
            columns_of_texts[title] = [cleaned[code] for code in codes.tolist()]
        if texts is not None:
            check_present((title for title, needed in texts.items() if needed), columns_of_texts)
            check_present(columns_of_texts, texts)
        return Table(values, columns, columns_of_texts, left_out)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of a Parquet table, by name.

    Arrays have shape (n_rows,), and type float64 for the role "values", else int64; a column of
    texts has positions in its ``texts``. ``attrs`` are the attributes of the table in pandas, not
    cleaned.
    """

    arrays: dict[str, np.ndarray]
    texts: dict[str, tuple[str, ...]]
    attrs: dict[str, Any]


def read_columns(
    path: Path,
    wanted: Mapping[str, ColumnRole],
    required: Sequence[str],
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> Columns:
    """Read the ``wanted`` columns of a Parquet table, and its attributes."""
    require_container(path, ("Parquet",))
    budget = limits.budget(path.stat().st_size)
    arguments = (dict(wanted), list(required), budget)
    options: dict[str, Any] = {"limits": limits, "file_type": "a Parquet table"}
    arrays: dict[str, np.ndarray] = {}
    texts: dict[str, tuple[str, ...]] = {}
    with worker_answer(parquet_files.read_columns, path, *arguments, **options) as answer:
        for name, role in wanted.items():
            if name not in answer.value["found"]:
                continue
            if role == "texts":
                texts[name] = tuple(map(clean_text, answer.value["texts"][name]))
                arrays[name] = answer.codes(name, texts[name])
            else:
                arrays[name] = answer.array(name, role if role == "values" else "numbers")
        check_present(required, arrays)
        if len({len(array) for array in arrays.values()}) > 1:
            raise ValueError
        return Columns(arrays, texts, dict(answer.value["attrs"]))


def read_text_columns(path: Path, max_items: int) -> list[tuple[str, ...]]:
    """Read the columns of texts, whole numbers and truth values of a Parquet table as texts.

    The first row has the titles of the columns; a table with more than ``max_items`` values in the
    other rows is refused.
    """
    memory = 3 * DEFAULT_LIMITS.budget(path.stat().st_size)
    reader = parquet_files.write_text_rows
    with worker_answer(
        reader, path, max_items, memory=memory, file_type="a Parquet table"
    ) as answer:
        return [*text_rows.rows_in(answer.folder, max_items + 1)]
