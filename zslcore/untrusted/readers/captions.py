"""Counts of captions that name a class, read line by line in a confined process."""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

from zslcore.names import dictionary_form
from zslcore.untrusted.worker import Refused, report_progress

#: Number of characters after which a line is cut off.
MAX_LINE = 1 << 16
#: Maximum number of characters of a table row.
MAX_ROW = 1 << 20
#: Names of the column of captions, in order of preference.
COLUMNS = ("caption", "text", "title")
#: Number of captions between two reports of progress.
REPORT_INTERVAL = 20_000

#: Names of each class, split into words.
Names = Sequence[Sequence[Sequence[str]]]


def count_file(path: str, kind: str, classes: Names, out: Path) -> dict[str, object]:
    """Count the captions of a file, and the captions that name each class.

    ``kind`` is ".txt" (one caption per line), ".csv" or ".tsv"; each may be compressed by gzip.
    """
    size = max(1, Path(path).stat().st_size)
    try:
        with Path(path).open("rb") as raw, _text(raw) as file:
            captions = _lines(file) if kind == ".txt" else _cells(file, kind)
            counts, n = count(_report_captions(captions, raw, size), classes)
    except (OSError, EOFError, csv.Error, ValueError, zlib.error) as error:
        raise Refused(f"could not be read to its end ({type(error).__name__})") from None
    return {"captions": n, "counts": counts}


def count(captions: Iterable[str], classes: Names) -> tuple[list[int], int]:
    """Return the number of captions that name each class, and of all captions."""
    index = _index(classes)
    counter: Counter[int] = Counter()
    n = 0
    for caption in captions:
        n += 1
        counter.update(_find_classes(dictionary_form(caption).split(), index))
    return [counter[k] for k in range(len(classes))], n


# --- Reading --------------------------------------------------------------------------------------


@contextmanager
def _text(raw: IO[bytes]) -> Iterator[IO[str]]:
    """Open a text, compressed or not; invalid bytes become replacement characters."""
    packed = raw.read(2) == b"\x1f\x8b"
    raw.seek(0)
    content = cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw)
    with io.TextIOWrapper(content, encoding="utf-8", errors="replace", newline=None) as file:
        yield file


def _report_captions(captions: Iterable[str], raw: IO[bytes], size: int) -> Iterator[str]:
    for n, caption in enumerate(captions, 1):
        if not n % REPORT_INTERVAL:
            report_progress(share=min(1.0, raw.tell() / size))
        yield caption


def _lines(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a text, cut to :data:`MAX_LINE` characters."""
    is_complete = True
    while line := file.readline(MAX_LINE):
        if is_complete:
            yield line
        is_complete = line.endswith("\n")


def _cells(file: IO[str], kind: str) -> Iterator[str]:
    """Yield the cells of the column of captions."""
    lines = _BoundedLines(file)
    csv.field_size_limit(MAX_ROW)
    rows = csv.reader(lines, delimiter="," if kind == ".csv" else "\t")
    header = [cell.strip().lower() for cell in next(rows, [])]
    column = next((header.index(name) for name in COLUMNS if name in header), None)
    if column is None:
        raise Refused(
            f"expected a column {', '.join(COLUMNS[:-1])} or {COLUMNS[-1]}; got "
            f"{', '.join(header)!r}"
        )
    lines.size = 0
    for row in rows:
        lines.size = 0
        if len(row) > column:
            yield row[column]


class _BoundedLines:
    """Lines of a table; a row, which may span several lines, has at most MAX_ROW characters."""

    def __init__(self, file: IO[str]) -> None:
        self.file, self.size = file, 0

    def __iter__(self) -> Iterator[str]:
        while line := self.file.readline(MAX_ROW + 1):
            self.size += len(line)
            if self.size > MAX_ROW:
                raise csv.Error(f"a row of more than {MAX_ROW:,} characters")
            yield line


# --- Counting -------------------------------------------------------------------------------------

#: First word of a name -> (name, class) pairs that begin with it.
_Index = dict[str, list[tuple[tuple[str, ...], int]]]


def _index(classes: Names) -> _Index:
    index: _Index = defaultdict(list)
    for k, names in enumerate(classes):
        for name in names:
            for form in {(*name[:-1], last) for last in (name[-1], *_plurals(name[-1]))}:
                index[form[0]].append((form, k))
    return index


def _plurals(word: str) -> list[str]:
    """Return the regular plurals of a word."""
    regular = [f"{word}s", f"{word}es"]
    return [*regular, f"{word[:-1]}ies"] if word.endswith("y") else regular


def _find_classes(words: Sequence[str], index: _Index) -> set[int]:
    """Return the classes that a caption names."""
    return {
        k
        for start, word in enumerate(words)
        for name, k in index.get(word, ())
        if tuple(words[start : start + len(name)]) == name
    }
