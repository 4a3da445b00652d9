"""Limits on values, shared by all readers."""

from __future__ import annotations

import codecs
import re

#: Assumed size in bytes of a text before it is read.
TEXT_BYTES = 1 << 10
#: Limits of stored texts: characters of a path, and of a name. A path that is too long keeps its
#: end, which distinguishes files.
MAX_PATH, MAX_NAME = 200, 256
#: Largest code point, largest row number, and limit of exact integers in float64.
LAST_CHARACTER, MAX_ROW, MAX_NUMBER = 0x10FFFF, 2**31 - 1, 2**53
#: Number of bytes from which the encoding is guessed, and bytes without a meaning in cp1252.
ENCODED, UNDEFINED = 1 << 16, frozenset(b"\x81\x8d\x8f\x90\x9d")
#: A number with a decimal comma, as in tables with semicolons between columns.
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(e[-+]?\d+)?", re.IGNORECASE)
#: Titles that pandas gives an index when it writes or reads a table.
INDEX = ("", "Unnamed: 0", "__index_level_0__")

Shape = tuple[int, ...]


def encoding_of(path: str) -> str:
    """Return the encoding of a text by its first bytes; see :func:`encoding_of_start`."""
    with open(path, "rb") as file:
        return encoding_of_start(file.read(ENCODED))


def encoding_of_start(text: bytes) -> str:
    """Return the encoding of a text: UTF-16 by its byte order mark, else UTF-8 or cp1252.

    cp1252 is the encoding of spreadsheets in western languages; it is returned if the first bytes
    are text, but not UTF-8.
    """
    head = text[:ENCODED]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        is_text = min(head) >= ord("\t") and not UNDEFINED.intersection(head)
        # A damaged UTF-8 text usually has some valid characters outside ASCII as well.
        is_western = is_text and head.decode("utf-8", "ignore").isascii()
        return "cp1252" if is_western else "utf-8-sig"
    return "utf-8-sig"


def is_number(text: str) -> bool:
    """Whether a text is a number for Python, such as "1e3", " 2" or "nan"."""
    try:
        float(text)
    except ValueError:
        return False
    return True
