"""Read files from outside: nothing in them is trusted.

MATLAB (5 and 7.3), HDF5, NumPy, Parquet, PyTorch (tensors alone), safetensors and texts (CSV, JSON,
TOML, lists of names) are read by :mod:`zslcore.untrusted.readers` in a confined process
(:mod:`zslcore.untrusted.worker`): ``scipy.io.loadmat`` can be made to crash by four bytes,
a file of 1 KB can declare terabytes, and a list of 8 MB can keep a naive check busy for minutes.
What that process leaves is checked again here. A process that crashes is one refused file.

Every reader raises FileRefusedError: which file, which variable, what was expected, what came.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.storage import settings
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import path_of
from zslcore.texts import clean_text
from zslcore.untrusted.readers import (
    captions,
    csv_files,
    hdf5_files,
    json_files,
    parquet_files,
    variables,
    word_vectors,
)
from zslcore.untrusted.worker import MAX_ANSWER, OPENING, Refused, call, warm_up

#: How a variable is passed: a float32 matrix as it is or transposed (MATLAB's layout keeps one
#: image per column), a matrix of scores as precise as it is, one axis of whole numbers, a tuple of
#: texts (of a long path its end), or labels, which are numbers or texts.
Role = Literal["rows", "columns", "scores", "numbers", "names", "paths", "labels"]

#: What a column of a Parquet table holds: whole numbers, whole numbers or nothing (-1), numbers, or
#: texts, few of them different.
ColumnRole = Literal["numbers", "optional numbers", "values", "texts"]

MAX_CSV_BYTES = 1 << 30
#: Largest number of a character.
LAST_CHARACTER = 0x10FFFF
#: How a pointer of Git's large file storage begins, which stands where the file should.
LFS = b"version https://git-lfs.github.com/spec/"
#: First bytes, where they are looked for, and what they announce.
SIGNATURES = (
    (b"MATLAB 5.0 MAT-file", (0,), "MATLAB 5"),
    (b"\x89HDF\r\n\x1a\n", (0, 512, 1024, 2048), "HDF5"),
    (b"PK\x03\x04", (0,), "NumPy archive"),
    (b"\x93NUMPY", (0,), "NumPy array"),
    (b"PAR1", (0,), "Parquet"),
)
#: Containers of arrays, and what each is called in a sentence.
CONTAINERS = {
    "MATLAB 5": "a MATLAB 5 file",
    "HDF5": "an HDF5 file",
    "NumPy archive": "a NumPy archive",
    "NumPy array": "a NumPy array",
    "Parquet": "a Parquet table",
    "PyTorch": "a PyTorch file",
    "safetensors": "a safetensors file",
    "JSON": "a JSON text",
}
ARRAYS = tuple(CONTAINERS)
ENDINGS_OF_ARRAYS = ".mat, .npz, .npy, .h5, .parquet, .pt, .safetensors, .json"
#: First bytes of files that are named and not opened, with what they are and what to do.
NOT_OPENED = (
    (
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",
        "a PyTorch file of the old form (pickle): not opened; save it again with torch.save, or "
        "write it with np.savez(...)",
    ),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"\xfd7zXZ\x00", "an xz archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x89PNG", "a PNG image"),
    (b"%PDF", "a PDF"),
)
#: First bytes of a pickle: of protocols 2 to 5, and of older ones, which are texts.
PICKLES = (
    *(bytes([0x80, protocol]) for protocol in range(2, 6)),
    *(
        b"(dp",
        b"(lp",
        b"(tp",
        b"(ip",
        b"cposix\n",
        b"cos\n",
        b"cnumpy",
        b"c__builtin__",
        b"ccopy_reg",
    ),
)
#: Bytes that no text begins with.
CONTROLS = frozenset(range(32)) - set(b"\t\n\r\f\x1b")
#: Bytes in which a signature is looked for.
HEAD = 2048 + 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of a file; they leave an order of magnitude for honest files.

    ``most`` is in bytes that the wanted variables of one file may declare, ``ZSL_MAX_IMPORT`` where
    it is None; ``ratio`` in declared bytes per byte of the file (deflate reaches 1,032; features
    about 4); ``free_bytes`` are always allowed, since small tables compress well. Time is the base
    plus the file's size at ``bytes_per_second``. ``whose`` says in a refusal what ``most`` is from.
    """

    most: int | None = None
    ratio: int = 100
    free_bytes: int = 64 << 20
    base_seconds: int = 20
    bytes_per_second: int = 4 << 20
    whose: str = ""

    @property
    def max_bytes(self) -> int:
        """Most bytes that the wanted variables of one file may declare."""
        return settings.MAX_IMPORT() if self.most is None else self.most

    def budget(self, size: int) -> int:
        """Bytes that a file of ``size`` bytes may declare."""
        return min(self.max_bytes, self._explained(size))

    def because(self, size: int) -> str:
        """Return the reason of the limit for a file of ``size`` bytes."""
        by_memory = self.whose and self.max_bytes < self._explained(size)
        return self.whose if by_memory else "allowed for a file of this size"

    def _explained(self, size: int) -> int:
        return max(self.free_bytes, self.ratio * size)

    def seconds(self, size: int) -> int:
        """Processor seconds that a file of ``size`` bytes may take."""
        return self.base_seconds + size // self.bytes_per_second


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """Variables of a file, by name.

    ``names`` holds texts, cleaned, ``arrays`` all else; ``unread`` names other variables of it.
    """

    arrays: dict[str, np.ndarray]
    names: dict[str, tuple[str, ...]]
    unread: tuple[str, ...] = ()


def read_arrays(
    path: str | os.PathLike[str],
    wanted: Mapping[str, Role],
    into: Path,
    *,
    required: tuple[str, ...] | None = None,
    kinds: tuple[str, ...] = ARRAYS,
    limits: Limits = DEFAULT_LIMITS,
) -> Variables:
    """Read the variables ``wanted`` of an untrusted file; others are never looked at.

    Its first bytes say its kind, not its name. ``into`` is a folder for ``<variable>.npy``, which
    matrices stay maps of. By default all of ``wanted`` must be there.
    """
    path = Path(path)
    kind, size = _kind(path, kinds), path.stat().st_size
    if kind == "Parquet" and not {*wanted} & {"scores", "labels", "class_names", "predicted"}:
        kind = "table"  # arrays of its columns, not a matrix of scores
    required = tuple(wanted) if required is None else required
    arguments = (dict(wanted), required, limits.budget(size), limits.because(size))
    what = _described(kind)
    answer = _read(variables.read_variables, path, into, kind, *arguments, limits=limits, what=what)
    with _checked(path):
        present = [name for name in wanted if name in answer["found"]]
        _check_there({*required} & {*wanted}, present)
        texts = [name for name in present if _is_texts(into / f"{name}.npy", wanted[name])]
        return Variables(
            {
                name: _array(into / f"{name}.npy", wanted[name])
                for name in present
                if name not in texts
            },
            {name: _names(into / f"{name}.npy", path.name) for name in texts},
            tuple(map(clean_text, answer["unread"])),
        )


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Contents of an untrusted file of arrays; small variables are read.

    ``shapes`` has every variable, None where it is neither numbers nor texts; ``arrays`` the values
    of small ones, int64, float32, float64 or texts, and ``refused`` why others cannot be read.
    """

    path: Path
    container: str
    shapes: dict[str, tuple[int, ...] | None]
    arrays: dict[str, np.ndarray]
    refused: dict[str, str]

    @property
    def name(self) -> str:
        """The file's name, cleaned."""
        return clean_text(self.path.name)

    def has(self, name: str) -> bool:
        """Whether the values of a variable are here; those of large ones are in the file alone."""
        return name in self.arrays

    def numbers(self, name: str) -> np.ndarray:
        """Return one axis of whole numbers, or raise FileRefusedError."""
        return self._converted(name, variables.whole_numbers)

    def names(self, name: str) -> tuple[str, ...]:
        """Return texts, cleaned, or raise FileRefusedError."""
        array = self._converted(name, lambda values: values)
        if array.dtype.kind != "U":
            raise self._refusal(name, "expected a list of texts, got numbers")
        return _cleaned_names(array.ravel(), self.path.name, name)

    def rows(self, name: str) -> np.ndarray:
        """Return a matrix of float32 as it lies in the file, or raise FileRefusedError."""
        return self._converted(name, variables.finite_matrix)

    def columns(self, name: str) -> np.ndarray:
        """Return a matrix of float32 transposed, as MATLAB's layout has one image a column."""
        return np.ascontiguousarray(self.rows(name).T)

    def _converted(self, name: str, of: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        if name in self.refused:
            raise self._refusal(name, self.refused[name])
        try:
            return of(self.arrays[name])
        except Refused as refusal:
            raise self._refusal(name, str(refusal)) from None

    def _refusal(self, name: str, sentence: str) -> FileRefusedError:
        where = f"variable {clean_text(name)!r}"
        return FileRefusedError(f"{self.name}, {where}: {clean_text(sentence, 400)}.")


def look_into(
    path: Path, kinds: tuple[str, ...] = ARRAYS, *, limits: Limits = DEFAULT_LIMITS
) -> Contents:
    """List the variables of an untrusted file and read the small ones, in one worker process.

    With "text" among ``kinds`` a CSV or list is read, too; the columns of a table are arrays, as
    :mod:`zslcore.untrusted.readers.text_tables` says. Values
    of more than :data:`variables.SMALL_BYTES` in all stay in the file.
    """
    container = _kind(path, kinds)
    with scratch() as folder:
        budget = limits.budget(path.stat().st_size)
        what = _described(container)
        reader = "table" if container == "Parquet" else container
        entries = _read(variables.look_into, path, folder, reader, budget, limits=limits, what=what)
        with _checked(path):
            shapes: dict[str, tuple[int, ...] | None] = {}
            arrays: dict[str, np.ndarray] = {}
            refused: dict[str, str] = {}
            for k, entry in enumerate(entries):
                name, shape = str(entry["name"]), entry["shape"]
                shapes[name] = None if shape is None else tuple(map(int, shape))
                if entry["refused"]:
                    refused[name] = str(entry["refused"])
                elif entry["read"]:
                    arrays[name] = values = _plain(folder / f"{k}.npy")
                    if values.size != math.prod(shapes[name] or ()):  # a file declares anything
                        shapes[name] = values.shape
            return Contents(path, container, shapes, arrays, refused)


def _plain(path: Path) -> np.ndarray:
    """Read an array of numbers or texts that a worker left."""
    array = np.array(open_array(path))
    if array.dtype.str.startswith("<U"):
        if array.size and np.ascontiguousarray(array).view("<u4").max() > LAST_CHARACTER:
            raise ValueError
    elif array.dtype.str not in ("<i8", "<f4", "<f8"):
        raise ValueError
    array.setflags(write=False)
    return array


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Columns of a CSV file.

    ``values`` is float32 of shape (n_rows, n_columns), a map of the columns of numbers. Of a column
    of texts, ``texts`` has the different ones in the order in which they come, and ``codes``, of
    shape (n_rows,), which of them stands in a row.
    """

    values: np.ndarray
    columns: tuple[str, ...]
    codes: dict[str, np.ndarray]
    texts: dict[str, tuple[str, ...]]


def read_table_file(
    path: Path, into: Path, texts: Mapping[str, bool], *, limits: Limits = DEFAULT_LIMITS
) -> Table:
    """Read a CSV file; an index that pandas has put before it, without a name, is left out.

    ``texts`` says of columns of texts whether they have to be there; all others are numbers, and
    stay a map of ``features.npy`` in the folder ``into``.
    """
    size = _size(path, MAX_CSV_BYTES, "CSV")
    warm_up("pandas")
    budget = min(limits.max_bytes, max(limits.free_bytes, 4 * size))
    answer = _read(
        csv_files.read_csv, path, into, dict(texts), budget, memory=3 * budget, what="a CSV file"
    )
    with _checked(path):
        texts_of = {name: tuple(map(clean_text, answer["texts"][name])) for name in answer["texts"]}
        _check_there((name for name, needed in texts.items() if needed), texts_of)
        codes = {
            name: _array(into / f"{name}.npy", "numbers") for name in texts_of if name in texts
        }
        values = _array(into / "features.npy", "rows")
        columns = tuple(map(clean_text, answer["columns"]))
        _check_places(codes, texts_of, len(values))
        if len(columns) != values.shape[1]:
            raise ValueError
        return Table(values, columns, codes, texts_of)


@dataclass(frozen=True, slots=True, eq=False)
class ScoreTable:
    """Columns of a table of scores.

    ``values`` is float32 of shape (n_rows, n_columns), a map; ``columns`` may share names.
    ``texts`` has for every column of texts the one of each row, ``left_out`` names columns of texts
    that differ too much to be classes.
    """

    values: np.ndarray
    columns: tuple[str, ...]
    texts: dict[str, np.ndarray]
    left_out: tuple[str, ...]


def read_score_table(path: Path, into: Path, *, limits: Limits = DEFAULT_LIMITS) -> ScoreTable:
    """Read a CSV file of scores or of predicted classes; ``into`` is a folder for its numbers."""
    size = _size(path, MAX_CSV_BYTES, "CSV")
    warm_up("pandas")
    budget = min(limits.max_bytes, max(limits.free_bytes, 4 * size))
    answer = _read(
        csv_files.read_score_table, path, into, budget, memory=3 * budget, what="a CSV file"
    )
    with _checked(path):
        texts = {}
        values = open_array(into / "scores.npy")
        columns = tuple(map(clean_text, answer["columns"]))
        if values.dtype.str != "<f4" or values.ndim != 2 or len(columns) != values.shape[1]:
            raise ValueError
        for key, (name, different) in answer["texts"].items():
            if not key.removeprefix("text_").isdigit():
                raise ValueError
            codes = {key: _array(into / f"{key}.npy", "numbers")}
            _check_places(codes, {key: different}, len(values))
            cleaned = np.array([clean_text(text) for text in different])
            texts[clean_text(name)] = cleaned[codes[key]]
        return ScoreTable(values, columns, texts, tuple(map(clean_text, answer["left_out"])))


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of a Parquet table, by name.

    Arrays have shape (n_rows,): float64 of the role "values", else int64; of a column of texts,
    which of its ``texts`` stands in a row. ``attrs`` are the table's as pandas has them, uncleaned.
    """

    arrays: dict[str, np.ndarray]
    texts: dict[str, tuple[str, ...]]
    attrs: dict[str, Any]


def read_columns(
    path: Path,
    wanted: Mapping[str, ColumnRole],
    required: Sequence[str],
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> Columns:
    """Read columns of a Parquet table, and its attributes; other columns are never looked at."""
    _kind(path, ("Parquet",))
    budget = limits.budget(path.stat().st_size)
    arguments = (dict(wanted), list(required), budget)
    with scratch() as folder:
        answer = _read(
            parquet_files.read_columns,
            path,
            folder,
            *arguments,
            limits=limits,
            what="a Parquet table",
        )
        with _checked(path):
            arrays = {
                name: _array(folder / f"{name}.npy", role if role == "values" else "numbers")
                for name, role in wanted.items()
                if name in answer["found"]
            }
            _check_there(required, arrays)
            texts = {
                name: tuple(map(clean_text, answer["texts"][name]))
                for name, role in wanted.items()
                if role == "texts" and name in arrays
            }
            _check_places({name: arrays[name] for name in texts}, texts)
            if len({len(array) for array in arrays.values()}) > 1:
                raise ValueError
            return Columns(arrays, texts, dict(answer["attrs"]))


@dataclass(frozen=True, slots=True)
class LargeArray:
    """An array of numbers of an HDF5 file, larger than memory: a worker reads the rows wanted."""

    path: Path
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Return rows."""
        start, stop, _ = rows.indices(self.shape[0])
        shape = (stop - start, *self.shape[1:])
        size = math.prod(shape) * self.dtype.itemsize
        with scratch() as folder:
            _read(
                hdf5_files.read_rows,
                self.path,
                folder,
                self.name,
                start,
                stop,
                limits=Limits(most=2 * size, free_bytes=2 * size),
                what="an HDF5 file",
            )
            with _checked(self.path):
                array = open_array(folder / "rows.npy")
                if array.shape != shape or array.dtype != self.dtype:
                    raise ValueError
                return np.array(array)


def open_large_arrays(path: Path, names: Sequence[str]) -> list[LargeArray]:
    """Open arrays of an HDF5 file for reading them row by row; nothing is read yet."""
    _kind(path, ("HDF5",))
    with scratch() as folder:
        shapes_and_types = _read(
            hdf5_files.describe_arrays, path, folder, list(names), what="an HDF5 file"
        )
    with _checked(path):
        arrays = [
            LargeArray(path, name, tuple(map(int, shape)), np.dtype(kind))
            for name, (shape, kind) in zip(names, shapes_and_types, strict=True)
        ]
        if any(array.dtype.kind not in "biuf" or min(array.shape, default=0) < 0
               for array in arrays):  # fmt: skip
            raise ValueError
        return arrays


def read_split_rows(
    path: Path, schema: str, parts: tuple[str, ...], *, max_bytes: int
) -> dict[str, np.ndarray]:
    """Read the 0-based rows of every part of a split that is written as JSON."""
    size = _size(path, max_bytes, "JSON")
    with scratch() as folder:
        present = _read(
            json_files.read_split, path, folder, schema, parts, memory=32 * size, what="a split"
        )
        with _checked(path):
            return {part: _array(folder / f"{part}.npy", "numbers") for part in present}


def read_value(
    path: Path,
    kind: Literal["JSON", "TOML", "lines", "CSV", "TSV"],
    *,
    max_bytes: int,
    most: int = 1 << 17,
) -> Any:
    """Read a small JSON or TOML file, lines of text, or rows of texts; texts are not cleaned.

    ``most`` counts lines, rows, or values of any kind inside each other.
    """
    size = _size(path, max_bytes, "text" if kind == "lines" else kind)
    with scratch() as folder:
        what = "a text" if kind == "lines" else f"a {kind} text"
        value = _read(json_files.read_value, path, folder, kind, most, memory=64 * size, what=what)
    with _checked(path):
        json_files.refuse_more(value, kind, most)
        if kind == "lines" and not all(isinstance(line, str) for line in value):
            raise TypeError
        if kind in json_files.SEPARATORS and not all(
            isinstance(row, list) and all(isinstance(cell, str) for cell in row) for row in value
        ):
            raise TypeError
        if kind != "JSON" and not isinstance(value, dict if kind == "TOML" else list):
            raise TypeError
    return value


def read_lines(path: Path, *, max_bytes: int = 1 << 20) -> tuple[str, ...]:
    """Read a small list of names, one a line, cleaned; blank lines are left out.

    Parsing a text of this size takes milliseconds, so no process is started for it.
    """
    _require_file(path)
    if path.stat().st_size > max_bytes:
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected a list of names of at most {max_bytes:,} bytes, "
            f"got {path.stat().st_size:,}."
        )
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return tuple(name for name in map(clean_text, lines) if name)


#: Largest file of word vectors, and memory of the process that looks words up in it.
MAX_WORDS_BYTES, WORDS_MEMORY = 16 << 30, 256 << 20


def read_words(path: Path, words: Sequence[str], *, binary: bool) -> dict[str, np.ndarray]:
    """Read the vectors of some words from a file of word vectors; those it has, float32 each."""
    _size(path, MAX_WORDS_BYTES, "word vector")
    args, what = (list(words), binary), "a file of word vectors"
    with scratch() as folder:
        words_with_vector = _read(
            word_vectors.read_words, path, folder, *args, memory=WORDS_MEMORY, what=what
        )
        with _checked(path):
            if not words_with_vector:
                return {}
            vectors = _array(folder / "vectors.npy", "rows")
            if len(vectors) != len(words_with_vector) or not {*words_with_vector} <= {*words}:
                raise ValueError
            return {
                word: np.array(vectors[k], np.float32) for k, word in enumerate(words_with_vector)
            }


#: Limits of a file of captions, of which a second counts some hundred thousand letters at least.
CAPTION_LIMITS = Limits(bytes_per_second=1 << 17)


def count_captions_of(
    path: Path, kind: str, classes: Sequence[Sequence[Sequence[str]]]
) -> tuple[list[int], int]:
    """Count the captions of a file that name each class, and all of them, in a worker process.

    ``classes`` has the names of every class as words; ``kind`` is ".txt", ".csv" or ".tsv".
    """
    _size(path, MAX_WORDS_BYTES, "caption")
    args: tuple[Any, ...] = (kind, list(classes))
    limited: dict[str, Any] = {"limits": CAPTION_LIMITS, "memory": WORDS_MEMORY}
    with scratch() as folder:
        answer = _read(captions.count_file, path, folder, *args, what="captions", **limited)
    with _checked(path):
        counts, n = list(map(int, answer["counts"])), int(answer["captions"])
        if len(counts) != len(classes) or not all(0 <= count <= n for count in counts):
            raise ValueError
        return counts, n


def listed_classes(words: Sequence[str], folder: Path) -> list[str]:
    """Return classes as a command names them: names or numbers, or one file with one a line."""
    if len(words) == 1 and (path := path_of(words[0], folder)).is_file():
        return list(read_lines(path))
    return list(words)


def _size(path: Path, most: int, what: str) -> int:
    _require_file(path)
    size = path.stat().st_size
    if size > most:
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected a {what} file of at most {most:,} bytes, "
            f"got {size:,}."
        )
    with path.open("rb") as file:
        _refuse_pointer(path, file.read(len(LFS)))
    return size


def _refuse_pointer(path: Path, head: bytes) -> None:
    """Refuse a substitute for the file: a pointer of Git LFS, or a web page."""
    if head.startswith(LFS):
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected the file itself, got a pointer of Git LFS to it; "
            "run 'git lfs pull' in its repository."
        )
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:9].lower()
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--")):
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected the file itself, got a web page (HTML), as a "
            "download that failed leaves; download it again."
        )


def _require_file(path: Path) -> None:
    if not path.is_file():
        what = "a folder or device" if path.exists() else "nothing there"
        raise FileRefusedError(f"{clean_text(path)}: expected a file, found {what}.")


def container_of(path: Path) -> str:
    """Return the container of a file by its first bytes: one of :data:`ARRAYS`, or "text".

    Raises a FileRefusedError that says what the file is, for anything else.
    """
    _require_file(path)
    with path.open("rb") as file:
        head = file.read(HEAD)
    _refuse_pointer(path, head)
    name = clean_text(path.name)
    if not head:
        raise FileRefusedError(f"{name}: expected a file with something in it, got an empty file.")
    for signature, offsets, kind in SIGNATURES:
        if any(head.startswith(signature, at) for at in offsets):
            return _in_archive(head) if kind == "NumPy archive" else kind
    for signature, what in NOT_OPENED:
        if head.startswith(signature):
            raise FileRefusedError(f"{name}: expected {ENDINGS_OF_ARRAYS} or a text, got {what}.")
    if head.startswith(PICKLES):
        raise FileRefusedError(
            f"{name}: expected {ENDINGS_OF_ARRAYS} or a text, got a pickle, which would run code "
            "and is not opened; write it with np.savez(...)."
        )
    length = int.from_bytes(head[:8], "little")
    if head[8:9] == b"{" and 2 <= length <= path.stat().st_size - 8:
        return "safetensors"
    if CONTROLS & set(head[:64]):
        raise FileRefusedError(
            f"{name}: expected {ENDINGS_OF_ARRAYS} or a text, got a binary file of another kind."
        )
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    return "JSON" if start in (b"{", b"[") else "text"


def _in_archive(head: bytes) -> str:
    """Distinguish the zip archives of PyTorch and NumPy by the name of the first member."""
    member = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    torch = member.endswith((b"/data.pkl", b"/.format_version", b"/byteorder"))
    return "PyTorch" if torch else "NumPy archive"


def _kind(path: Path, welcome: tuple[str, ...]) -> str:
    """Return the container of a file, one that is welcome; have its reader imported meanwhile."""
    kind = container_of(path)
    if kind in welcome:
        warm_up(*variables.LIBRARIES[kind])
        return kind
    expected = ENDINGS_OF_ARRAYS if welcome == ARRAYS else " or ".join(welcome)
    got = CONTAINERS.get(kind, "a text")
    raise FileRefusedError(f"{clean_text(path.name)}: expected {expected}, got {got}.")


def _described(container: str) -> str:
    return CONTAINERS.get(container, "a table" if container == "table" else "a text")


def _read(
    reader: Callable[..., Any],
    path: Path,
    into: Path,
    *args: Any,
    memory: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    what: str = "a file",
) -> Any:
    size = path.stat().st_size
    limited: dict[str, Any] = {
        "memory": OPENING + (3 * limits.budget(size) if memory is None else memory),
        "seconds": limits.seconds(size),
        "written": max(limits.budget(size), MAX_ANSWER),
        "damaged": f"expected {what} that is whole, got a file that is damaged or cut off",
    }
    try:
        return call(reader, str(path.resolve()), *args, files=[path], out=into, **limited)
    except Refused as refusal:
        where = f", {clean_text(refusal.where)}" if refusal.where else ""
        sentence = clean_text(str(refusal), 400)
        raise FileRefusedError(f"{clean_text(path.name)}{where}: {sentence}.") from None


def read_confined(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    files: Sequence[Path],
    into: Path,
    *,
    memory: int,
    seconds: int,
    whose: str,
) -> Any:
    """Return ``function(given, memory, into)``, called in a worker process.

    ``whose`` says what sets the limit of memory, for the sentence of a refusal.
    """
    short = f"needs more than the {memory:,} bytes {whose}"
    limited: dict[str, Any] = {"memory": memory, "seconds": seconds, "short": short}
    try:
        return call(function, dict(arguments), memory, files=files, out=into, **limited)
    except Refused as refusal:
        sentence = clean_text(str(refusal), 400)
        raise FileRefusedError(f"{clean_text(files[0].name)}: {sentence}.") from None


# --- Checks of the output of a worker, which may be compromised ----------------------


@contextmanager
def _checked(path: Path) -> Iterator[None]:
    """Refuse a file if its worker returned an invalid result."""
    try:
        yield
    except FileRefusedError:
        raise
    except (ArithmeticError, AttributeError, LookupError, OSError, Refused, TypeError, ValueError):
        raise FileRefusedError(
            f"{clean_text(path.name)}: its reader returned an invalid result."
        ) from None


def _is_texts(path: Path, role: Role) -> bool:
    """Whether a reader wrote texts, which it may choose of labels alone."""
    if role != "labels":
        return role in ("names", "paths")
    with suppress(OSError, ValueError):
        return bool(open_array(path).dtype.kind == "U")
    return False


def open_array(path: Path) -> np.ndarray:
    """Open an array as a map; a ValueError or OSError where its file is not as long as it says.

    numpy.load reads other kinds of files too, and raises other errors.
    """
    return np.lib.format.open_memmap(path, mode="r")


def _array(path: Path, role: Role | Literal["values"]) -> np.ndarray:
    """Open an array, a matrix as a map, and check its form."""
    matrix, array = role in ("rows", "columns", "scores"), open_array(path)
    dtypes = {"scores": ("<f4", "<f8"), "values": ("<f8",)}.get(
        role, ("<f4",) if matrix else ("<i8",)
    )
    finite = role in ("rows", "columns")
    if array.dtype.str not in dtypes or array.ndim != 1 + matrix:
        raise ValueError
    if finite and not all(np.isfinite(block).all() for block in _blocks(array)):
        raise ValueError
    return array if matrix else np.array(array)


def _blocks(array: np.ndarray) -> Iterator[np.ndarray]:
    step = max(1, (1 << 20) // max(1, array.shape[1]))
    return (array[start : start + step] for start in range(0, len(array), step))


def _check_there(required: Iterable[str], present: Collection[str]) -> None:
    if not {*required} <= {*present}:
        raise LookupError


def _check_places(
    codes: Mapping[str, np.ndarray], texts: Mapping[str, Sequence[str]], n: int | None = None
) -> None:
    for name in texts:
        places = codes[name]
        if n not in (None, len(places)):
            raise ValueError
        if places.size and not 0 <= places.min() <= places.max() < len(texts[name]):
            raise ValueError


def _names(path: Path, file: str) -> tuple[str, ...]:
    array = np.array(open_array(path))
    if not array.dtype.str.startswith("<U") or array.ndim != 1:
        raise ValueError
    if array.size and array.view("<u4").max() > LAST_CHARACTER:
        raise ValueError
    return _cleaned_names(array, file, path.stem)


def _cleaned_names(array: np.ndarray, file: str, variable: str) -> tuple[str, ...]:
    names = tuple(map(clean_text, array.tolist()))
    if "" in names:
        raise FileRefusedError(
            f"{clean_text(file)}, variable {clean_text(variable)!r}: "
            f"name {names.index('') + 1} is empty."
        )
    return names
