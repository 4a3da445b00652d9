"""Lines of small texts, read without a worker: their size limits the cost of reading."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Sequence
from pathlib import Path

from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.files import open_file
from zslcore.untrusted.readers.common import (
    ENCODING_BYTES,
    count_lines_above,
    encoding_of_start,
    is_number,
)
from zslcore.untrusted.readers.text_rows import first_object

#: Maximum number of names in a list, such as labels of images.
MAX_NAMES = 1 << 21
#: Start of a number that is cut off.
CUT_NUMBER = re.compile(r"[-+.\de]*", re.IGNORECASE)


def read_head(path: Path, n_bytes: int, *, cut: bool = False) -> list[str]:
    """Return the complete nonblank lines in the first bytes of a text, unchanged.

    With ``cut``, the last line may be incomplete, as in a JSON of one line.
    """
    with open_file(path) as file:
        head = file.read(n_bytes)
        text = head.decode(encoding_of_start(head), errors="replace")
        is_cut = bool(file.read(1))
    lines = text.replace("\r", "\n").split("\n")
    complete = lines[:-1] if is_cut and not cut else lines
    return [line for line in complete if line.strip()]


def first_fields(path: Path) -> list[str]:
    """Return the fields of the first line that is not a comment.

    Decimal commas are replaced by decimal points. Tabs, semicolons, bars or commas separate fields;
    a line without them is one field.
    """
    lines = read_head(path, ENCODING_BYTES, cut=True)
    first = next(iter(lines[count_lines_above(lines) :]), "").lstrip("# ")
    separator = re.compile("[;\t|]" if re.search("[;\t|]", first) else ",")
    return [field.strip().replace(",", ".") for field in separator.split(first)]


def is_matrix_row(fields: Sequence[str]) -> bool:
    """Whether fields are a row of a matrix without titles; the last field may be cut."""
    *whole, last = fields
    are_numbers = all(map(is_number, whole)) and (is_number(last) or CUT_NUMBER.fullmatch(last))
    return bool(are_numbers) and any("." in field for field in fields)


def read_lines(path: Path, *, max_bytes: int = 1 << 20) -> tuple[str, ...]:
    """Read a list of names, one per line; names are cleaned, and blank lines skipped.

    No worker process is needed, since no parser reads the lines. Repeated names, such as labels,
    are one object.
    """
    names: list[str] = []
    objects: dict[str, str] = {}
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise refusal_of(path, f"a list of names of at most {max_bytes:,} bytes", f"{size:,}")
        encoding = encoding_of_start(file.read(ENCODING_BYTES))
        file.seek(0)
        lines = io.TextIOWrapper(file, encoding, errors="replace")
        while (line := lines.readline(max_bytes)) and len(names) <= MAX_NAMES:
            cleaned = filter(None, map(clean_text, line.splitlines()))
            names += (first_object(name, objects) for name in cleaned)
    if len(names) > MAX_NAMES:
        raise refusal_of(path, f"a list of at most {MAX_NAMES:,} names", "more")
    return tuple(names)
