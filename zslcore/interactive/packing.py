"""What goes down to a component: a head of JSON and arrays, as ``bytes.js`` opens them."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

WORD = 8


def packed(head: Mapping[str, Any], blocks: Iterable[bytes]) -> bytes:
    """Return everything as bytes: length of the head, head as JSON, arrays on words of 8.

    The head has no number that is infinite or missing; blocks are those of :func:`as_bytes`.
    """
    text = json.dumps(head, allow_nan=False).encode()
    out = bytearray(struct.pack("<I", len(text)) + text)
    for block in blocks:
        out += bytes(-len(out) % WORD) + block
    return bytes(out)


def as_bytes(array: np.ndarray, dtype: str) -> bytes:
    """Return the numbers of an array one after the other, in a type of NumPy's such as "<f8"."""
    return np.ascontiguousarray(array, dtype=dtype).tobytes()
