"""Reader of the vectors of some words from a file of millions of words.

Two formats are in use. The text format of GloVe, word2vec and fastText has one word with its vector
per line, and may start with a line of two counts, of words and dimensions. The binary format of
word2vec always has this first line, then each word, a space, and its vector as 32-bit floats. Only
the wanted words are parsed.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

import numpy as np

from zslcore.untrusted.worker import Refused

#: Limits: bytes in a line, bytes in a word, and numbers in a vector.
MAX_LINE, MAX_WORD, MAX_WIDTH = 1 << 17, 1 << 10, 1 << 14
#: First byte of a pickle, the format in which gensim saves.
PICKLE = b"\x80"

Vectors = Iterator[tuple[str, np.ndarray]]


def read_words(path: str, words: Sequence[str], binary: bool, out: Path) -> list[str]:
    """Write the vectors of ``words`` as the matrix "vectors"; return the words that have one."""
    names, vectors = {*words}, dict[str, np.ndarray]()
    with Path(path).open("rb") as file:
        if file.peek(1)[:1] == PICKLE:
            raise Refused(
                "expected text or the binary format of word2vec; got a pickle, which could run "
                "code: save it with KeyedVectors.save_word2vec_format"
            )
        for word, values in (_read_binary if binary else _read_text)(file, names):
            vectors.setdefault(word, values)
            if len(vectors) == len(names):
                break
    if vectors:
        np.save(out / "vectors.npy", np.stack(list(vectors.values())))
    return list(vectors)


def _sizes(line: bytes) -> tuple[int, int] | None:
    """Return the counts of words and dimensions in a first line; None for another line."""
    parts = line.split()
    if len(parts) == 2 and all(part.isdigit() and len(part) < 12 for part in parts):
        return int(parts[0]), int(parts[1])
    return None


def _read_text(file: BinaryIO, names: set[str]) -> Vectors:
    """Yield the wanted words of a file in text format, with their vectors."""
    width = 0
    for number, line in enumerate(iter(lambda: file.readline(MAX_LINE), b""), start=1):
        if number == 1 and (sizes := _sizes(line)):
            width = sizes[1]
            continue
        if len(line) == MAX_LINE or b"\x00" in line:
            raise Refused("expected a word and its numbers; got other bytes", f"line {number}")
        parts = line.rstrip().rsplit(b" ", width) if width else line.split()
        width = width or len(parts) - 1
        if not 0 < width <= MAX_WIDTH:
            raise Refused("expected a word and its numbers", f"line {number}")
        word = parts[0].decode("utf-8", "replace")
        if word in names:
            yield word, _vector(parts[1:], width, number)


def _vector(parts: Sequence[bytes], width: int, number: int) -> np.ndarray:
    try:
        values = np.array([float(part) for part in parts], dtype=np.float32)
    except ValueError:
        values = np.empty(0, np.float32)
    if len(values) != width or not np.isfinite(values).all():
        raise Refused(f"expected {width} finite numbers after the word", f"line {number}")
    return values


def _read_binary(file: BinaryIO, names: set[str]) -> Vectors:
    """Yield the wanted words of a file in binary format, with their vectors."""
    sizes = _sizes(file.readline(MAX_LINE))
    if sizes is None or not 0 < sizes[1] <= MAX_WIDTH:
        raise Refused("expected the numbers of words and of dimensions in the first line")
    count, width = sizes
    for number in range(1, count + 1):
        text = bytearray()
        while (byte := file.read(1)) not in (b" ", b""):
            text += byte
            if len(text) > MAX_WORD:
                raise Refused(f"expected a word of at most {MAX_WORD} bytes", f"word {number}")
        raw = file.read(4 * width)
        if len(raw) < 4 * width:
            raise Refused(f"declares {count:,} words, but ends within word {number:,}")
        word = text.strip(b"\n").decode("utf-8", "replace")
        if word in names:
            values = np.frombuffer(raw, "<f4")
            if not np.isfinite(values).all():
                raise Refused(f"expected {width} finite numbers after the word", f"word {number}")
            yield word, values
