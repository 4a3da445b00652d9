"""Limits on values that every reader keeps."""

from __future__ import annotations

#: Bytes assumed for a text of unknown length before it is read.
TEXT_BYTES = 1 << 10
#: Longest path and longest name that are stored; a path keeps its end, which tells files apart.
MAX_PATH, MAX_NAME = 200, 256
#: Largest code point, largest row number, and end of the whole numbers exact in float64.
LAST_CHARACTER, MAX_ROW, MAX_NUMBER = 0x10FFFF, 2**31 - 1, 2**53

Shape = tuple[int, ...]
