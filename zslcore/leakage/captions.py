"""Count captions that name a class, for pre-training sets without a list of classes.

A caption names a class when the words of one of its names stand in it in a row, the last one
perhaps in the plural. A name is no proof: the crane of a caption may be the machine, and an image
may show a class that its caption does not name. Captions are read line by line: memory does not
grow with the file.
"""

from __future__ import annotations

import csv
import gzip
import io
import zlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import pandas as pd

from zslcore.exceptions import FileRefusedError
from zslcore.leakage.vocabularies import id_of
from zslcore.names import readable
from zslcore.texts import clean_text

#: Letters of a line that are read; what follows is left out.
MAX_LINE = 1 << 16
#: Letters that a row of a table may have.
MAX_ROW = 1 << 20
#: Columns of a table that may hold the captions, the first that there is.
COLUMNS = ("caption", "text", "title")
#: Captions between two reports of progress.
EVERY = 100_000

Progress = Callable[[int], None]


# --- Reading --------------------------------------------------------------------------------------


def captions_of(path: Path) -> Iterator[str]:
    """Yield the captions of a file, one by one.

    ``path`` is text with a caption a line, or ``.csv`` or ``.tsv`` with a column of
    :data:`COLUMNS`; either also as ``.gz``. Raises FileRefusedError for any other file.
    """
    name = clean_text(path.name)
    endings = [ending.lower() for ending in path.suffixes if ending.lower() != ".gz"]
    kind = endings[-1] if endings else ".txt"
    if not path.is_file():
        raise FileRefusedError(f"{name}: expected a file of captions; it is not there.")
    if kind not in (".txt", ".csv", ".tsv"):
        raise FileRefusedError(
            f"{name}: expected captions as .txt (one a line), .csv or .tsv, also with .gz; got "
            f"{kind}."
        )
    try:
        with _opened(path) as file:
            yield from _lines(file) if kind == ".txt" else _of_table(file, kind, name)
    except (OSError, EOFError, csv.Error, ValueError, zlib.error) as error:
        raise FileRefusedError(
            f"{name}: could not be read to its end ({type(error).__name__})."
        ) from error


@contextmanager
def _opened(path: Path) -> Iterator[IO[str]]:
    """Open a text, compressed or not; bytes that are no text become question marks."""
    with path.open("rb") as raw:
        packed = raw.read(2) == b"\x1f\x8b"
        raw.seek(0)
        content = cast("IO[bytes]", gzip.GzipFile(fileobj=raw) if packed else raw)
        with io.TextIOWrapper(content, encoding="utf-8", errors="replace", newline=None) as file:
            yield file


def _lines(file: IO[str]) -> Iterator[str]:
    """Yield the lines of a text, each up to :data:`MAX_LINE` letters."""
    whole = True
    while line := file.readline(MAX_LINE):
        if whole:
            yield line
        whole = line.endswith("\n")


def _of_table(file: IO[str], kind: str, name: str) -> Iterator[str]:
    lines = _Lines(file)
    csv.field_size_limit(MAX_ROW)  # of this process, whatever was set before
    rows = csv.reader(lines, delimiter="," if kind == ".csv" else "\t")
    header = [cell.strip().lower() for cell in next(rows, [])]
    column = next((header.index(each) for each in COLUMNS if each in header), None)
    if column is None:
        raise FileRefusedError(
            f"{name}: expected a column {', '.join(COLUMNS[:-1])} or {COLUMNS[-1]}; got "
            f"{clean_text(', '.join(header))!r}."
        )
    lines.size = 0
    for row in rows:
        lines.size = 0
        if len(row) > column:
            yield row[column]


class _Lines:
    """Lines of a table, whole: a quoted cell may hold several, and a row a million letters."""

    def __init__(self, file: IO[str]) -> None:
        self.file, self.size = file, 0

    def __iter__(self) -> Iterator[str]:
        while line := self.file.readline(MAX_ROW + 1):
            self.size += len(line)
            if self.size > MAX_ROW:
                raise csv.Error(f"a row of more than {MAX_ROW:,} letters")
            yield line


# --- Counting -------------------------------------------------------------------------------------


def names_of(title: str) -> tuple[tuple[str, ...], ...]:
    """Return the names of a class as words: "n02129165 lion, king of beasts" has two."""
    words = title.strip().removeprefix(id_of(title)).replace("(", ",(")
    names = (readable(part) for part in words.split(",") if not part.startswith("("))
    return tuple(dict.fromkeys(tuple(name.split()) for name in names if name))


def count_captions(
    captions: Iterable[str], classes: Sequence[str], on_progress: Progress | None = None
) -> tuple[pd.DataFrame, int]:
    """Count how many captions, read once, name each class.

    ``classes`` are as :func:`names_of` takes them, ``on_progress`` is called with the captions read
    so far. Returns a table, a row a class, and the number of captions. Raises FileRefusedError for
    a class whose name has no Latin letter or digit: no caption can be compared with it.
    """
    if without := [title for title in classes if not names_of(title)]:
        raise FileRefusedError(
            f"{clean_text(without[0])}: expected a class name in Latin letters, to find it in "
            "captions."
        )
    index = _index(classes)
    found: Counter[int] = Counter()
    n = 0
    for n, caption in enumerate(captions, 1):
        found.update(_named(readable(caption).split(), index))
        if on_progress and not n % EVERY:
            on_progress(n)
    counts = [found[k] for k in range(len(classes))]
    table = pd.DataFrame({"class": list(classes), "captions": counts})
    return table.assign(share=table["captions"] / max(n, 1)), n


#: First word of a name -> the names that begin with it, and their classes.
_Index = dict[str, list[tuple[tuple[str, ...], int]]]


def _index(classes: Sequence[str]) -> _Index:
    index: _Index = defaultdict(list)
    for k, title in enumerate(classes):
        for name in names_of(title):
            for form in {name, *((*name[:-1], last) for last in _plurals(name[-1]))}:
                index[form[0]].append((form, k))
    return index


def _plurals(word: str) -> list[str]:
    """Return the regular plurals of a word."""
    found = [f"{word}s", f"{word}es"]
    return [*found, f"{word[:-1]}ies"] if word.endswith("y") else found


def _named(words: Sequence[str], index: _Index) -> set[int]:
    """Return the classes that a caption names."""
    return {
        k
        for start, word in enumerate(words)
        for name, k in index.get(word, ())
        if tuple(words[start : start + len(name)]) == name
    }


# --- As text --------------------------------------------------------------------------------------


def as_text(table: pd.DataFrame, n: int, most: int = 40) -> str:
    """Return the counts as lines to read, the most frequent class first."""
    ordered = table.sort_values("captions", ascending=False, kind="stable")
    none = ordered[ordered["captions"] == 0]["class"].tolist()
    named = ordered[ordered["captions"] > 0]
    lines = [f"{len(named):,} of {len(table):,} classes are named in {n:,} captions"]
    lines += [
        f"  {row['captions']:>9,}  {1e6 * row['share']:>9,.1f} per million  {row['class']}"
        for row in named.head(most).to_dict("records")
    ]
    if len(named) > most:
        lines.append(f"  and {len(named) - most:,} more; --json has them all")
    if none:
        more = f" and {len(none) - most:,} more" if len(none) > most else ""
        lines.append(f"in no caption: {', '.join(none[:most])}{more}")
    lines.append(
        "A name is no proof: it may have another sense, and an image may show what its caption "
        "does not name."
    )
    return "\n".join(lines)
