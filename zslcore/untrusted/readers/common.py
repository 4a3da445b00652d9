"""Limits on values, shared by all readers."""

from __future__ import annotations

import re

#: Assumed size in bytes of a text before it is read.
TEXT_BYTES = 1 << 10
#: Largest stored length of paths and of names. Paths keep their end, which distinguishes files.
MAX_PATH, MAX_NAME = 200, 256
#: Largest code point, largest row number, and limit of exact integers in float64.
LAST_CHARACTER, MAX_ROW, MAX_NUMBER = 0x10FFFF, 2**31 - 1, 2**53
#: A number with a decimal comma, as in tables with semicolons between columns.
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(e[-+]?\d+)?", re.IGNORECASE)
#: Titles that pandas gives an index when it writes or reads a table.
INDEX = ("", "Unnamed: 0", "__index_level_0__")

Shape = tuple[int, ...]


def encoding_of(path: str) -> str:
    """Return the encoding of a text by its byte order mark: UTF-16, or UTF-8 without one."""
    with open(path, "rb") as file:
        return "utf-16" if file.read(2) in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
