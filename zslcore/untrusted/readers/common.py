"""Limits on values that every reader keeps."""

from __future__ import annotations

#: Bytes that a text of unknown length counts for before it is read.
TEXT_BYTES = 1 << 10
#: Longest path and longest name that are stored; of a path the end, which distinguishes files.
MAX_PATH, MAX_NAME = 200, 256
#: Largest number of a character, largest row number, and first number that float64 cannot tell.
LAST_CHARACTER, MAX_ROW, MAX_NUMBER = 0x10FFFF, 2**31 - 1, 2**53

Shape = tuple[int, ...]
