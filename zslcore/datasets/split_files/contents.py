"""Value, lines and rows of a split file, and its limits."""

from __future__ import annotations

import re
from itertools import dropwhile
from pathlib import Path
from typing import Any, Literal

from zslcore.untrusted.client import look_into, read_head, read_text_columns, read_value
from zslcore.untrusted.readers.json_files import JSON_LINES

#: Maximum size of a file in bytes.
MAX_BYTES = 48 << 20
#: Bytes at the start of a file by which a table is recognised.
MAX_HEAD = 1 << 16
#: Maximum number of values in a file.
MAX_ITEMS = 4_000_000
#: Suffixes of JSON.
JSON_ENDINGS = (".json", *JSON_LINES)
#: Suffixes of YAML.
YAMLS = (".yaml", ".yml")
#: Suffixes of pickles.
PICKLES = (".pkl", ".pickle")
#: Suffixes of tables.
TABLE_ENDINGS = (".csv", ".tsv", ".parquet")
#: Line that is not a row of a table: a comment, the separator that Excel writes above a table, a
#: title above a table, or a blank row, which Excel writes as separators alone.
ABOVE_TABLE = re.compile(r"#|sep=|[^,;\t]*[,;\t]+$")
#: Separator of the cells of a table -> its kind.
KIND_OF_SEPARATOR: dict[str, Literal["CSV", "TSV", "CSV with semicolons"]] = {
    ",": "CSV",
    "\t": "TSV",
    ";": "CSV with semicolons",
}


def read_json(path: Path) -> Any:
    """Return the value of a JSON file."""
    return read_value(path, "JSON", max_bytes=MAX_BYTES, max_items=MAX_ITEMS)


def read_nonblank_lines(path: Path) -> list[str]:
    """Return the nonblank lines of a text, or the texts of an ``.npy``, stripped."""
    if path.suffix.lower() == ".npy":
        array = look_into(path, ("NumPy array",)).arrays.get("array")
        lines = [] if array is None or array.dtype.kind != "U" else array.ravel().tolist()
    else:
        lines = read_value(path, "lines", max_bytes=MAX_BYTES, max_items=MAX_ITEMS)
    return [line.strip() for line in lines if line.strip()]


def read_table_rows(path: Path) -> list[tuple[str, ...]]:
    """Return the cells of each nonblank row of a table; [()] without rows.

    Comments, and other lines above the table, are left out.
    """
    if path.suffix.lower() == ".parquet":
        return read_text_columns(path, max_items=MAX_ITEMS)
    kind = KIND_OF_SEPARATOR.get(find_separator(path)[0], "CSV")
    rows = read_value(path, kind, max_bytes=MAX_BYTES, max_items=MAX_ITEMS)
    filled = [row for row in rows if "".join(row).strip()]
    below = [*dropwhile(lambda row: ABOVE_TABLE.match("\t".join(row).rstrip(" ")), filled)]
    below = below or filled or [()]
    if len(below[0]) > 1:
        below = [row for row in below if len(row) > 1 or not row[0].startswith("#")]
        if all(row[-1:] == ("",) for row in below):
            # Excel and some programs end every row with separators.
            width = max(len([*dropwhile(lambda c: not c.strip(), row[::-1])]) for row in below)
            below = [row[:width] for row in below]
    return below


def find_separator(path: Path) -> tuple[str, list[str]]:
    """Return the separator of a table's cells, and the first lines of the table."""
    head = read_head(path, MAX_HEAD)
    lines = [*dropwhile(ABOVE_TABLE.match, head)] or head
    first = lines[0] if lines else ""
    by_line = next((separator for separator in ",\t;| " if separator in first), ",")
    return "\t" if path.suffix.lower() == ".tsv" else by_line, lines


def has_text_rows(path: Path) -> bool:
    """Whether bars or spaces separate the columns of a table."""
    return path.suffix.lower() != ".parquet" and find_separator(path)[0] in "| "
