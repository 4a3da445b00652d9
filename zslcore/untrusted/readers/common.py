"""Limits, names of variables in groups, and encodings of texts, shared by the readers."""

from __future__ import annotations

import codecs
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from zslcore.untrusted.readers.array_names import LABELS, PREDICTED, is_named
from zslcore.untrusted.worker import Refused

#: Assumed size in bytes of a text before it is read.
TEXT_BYTES = 1 << 10
#: Limits of stored texts: characters of a path, and of a name. A longer path keeps its end, which
#: distinguishes files.
MAX_PATH, MAX_NAME = 200, 256
#: Largest code point, largest row number, and limit of exact integers in float64.
LAST_CHARACTER, MAX_ROW, MAX_NUMBER = 0x10FFFF, 2**31 - 1, 2**53
#: Number of first bytes that determine the encoding, and bytes without a meaning in cp1252.
ENCODING_BYTES, UNDEFINED_BYTES = 1 << 16, frozenset(b"\x81\x8d\x8f\x90\x9d")
#: Runs of bytes outside ASCII: Chinese characters in GB 2312 have two bytes, letters in cp1252 one.
NOT_ASCII = re.compile(rb"[\x80-\xff]+")
#: A number with a decimal comma, as in tables with semicolons between columns.
DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+(e[-+]?\d+)?", re.IGNORECASE)
#: A line above a table: blank, Excel's separator, or a comment.
ABOVE_TABLE = re.compile(r"\s*(#.*|sep=.)?\s*")
SEPARATOR = re.compile("[,;\t]")
#: Titles that pandas gives an index when it writes or reads a table.
INDEX = ("", "Unnamed: 0", "__index_level_0__")

#: Maximum number of cells of an array that is read as one variable per cell, such as one per fold.
MAX_CELLS = 64

Shape = tuple[int, ...]
#: Name of a variable -> its group, and its name there.
Members = dict[str, tuple[str, str]]


def names_in_groups(top: Iterable[str], groups: Mapping[str, Iterable[str]]) -> Members:
    """Return the variables in groups by name; ``top`` are the names outside groups.

    If two groups share a name, all their names begin with the group, as in "train.image".

    >>> names_in_groups(["x"], {"train": ["y", "z"], "test": ["y"], "other": ["w"]})["train.z"]
    ('train', 'z')
    """
    times = Counter([*top, *(name for names in groups.values() for name in names)])
    members: Members = {}
    for group, names in groups.items():
        is_shared = any(times[name] > 1 for name in names)
        members |= {f"{group}.{name}" if is_shared else name: (group, name) for name in names}
    return members


def encoding_of(path: str) -> str:
    """Return the encoding of a text by its first bytes; see :func:`encoding_of_start`."""
    with open(path, "rb") as file:
        return encoding_of_start(file.read(ENCODING_BYTES))


def encoding_of_start(text: bytes) -> str:
    """Return the encoding of a text: UTF-16 by its byte order mark, else UTF-8 or an older one.

    If the first bytes are text, but not UTF-8, the older encoding is cp1252, as in western
    spreadsheets, or GB 18030, as in Chinese ones.
    """
    head = text[:ENCODING_BYTES]
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)
    except UnicodeDecodeError:
        if _is_chinese(head):
            return "gb18030"
        is_text = min(head) >= ord("\t") and not UNDEFINED_BYTES.intersection(head)
        # A damaged UTF-8 text usually also has valid characters outside ASCII.
        is_western = is_text and head.decode("utf-8", "ignore").isascii()
        return "cp1252" if is_western else "utf-8-sig"
    return "utf-8-sig"


def _is_chinese(head: bytes) -> bool:
    """Whether all bytes outside ASCII are pairs of GB 2312, the core of GB 18030."""
    try:
        head.decode("gb2312")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 1:  # else the last letter is cut off
            return False
    complete = head.rstrip(bytes(range(0x80, 0x100)))
    return all(len(letters) % 2 == 0 for letters in NOT_ASCII.findall(complete))


def count_lines_above(lines: Iterable[str]) -> int:
    """Return the number of lines above the titles or, without titles, the first row of a table.

    np.savetxt writes titles as a comment. The last comment counts as titles if it has as many
    fields as the line below, and either names labels or predicted classes, or has separators and a
    number below.
    """
    n, comment, first = 0, "", ""
    for line in lines:
        if not ABOVE_TABLE.fullmatch(line):
            first = line
            break
        n, comment = n + 1, line.strip(" #\r\n") if line.startswith("#") else ""
    is_separated = SEPARATOR.search(first)
    titles, row = (
        SEPARATOR.split(text) if is_separated else text.split() for text in (comment, first)
    )
    are_titles = any(is_named(title.strip(), (*LABELS, *PREDICTED)) for title in titles)
    are_titles |= bool(is_separated) and any(map(is_number, row))
    return n - (len(titles) == len(row) > 1 and are_titles)


def has_decimal_commas(line: str) -> bool:
    """Whether the commas of a line are in numbers between semicolons."""
    return ";" in line and all(map(DECIMAL_COMMA.fullmatch, line.split(";")))


def is_number(text: str) -> bool:
    """Whether a text is a number, such as "1e3", " 2" or "nan", but not "1_2"."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def refuse_odd_characters(array: np.ndarray) -> None:
    """Refuse texts with invalid code points."""
    if array.dtype.kind == "U" and array.size:
        codes = np.ascontiguousarray(array).view(array.dtype.byteorder + "u4")
        if codes.max() > LAST_CHARACTER:
            raise Refused(f"expected text; got a character with number {codes.max():,}")


def npy_header(file: Any) -> tuple[Shape, bool, np.dtype]:
    """Return shape, order and type of an array, and move to the end of its header in the file."""
    read = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }
    header: tuple[Shape, bool, np.dtype] = read[np.lib.format.read_magic(file)](file)
    return header
