"""Client for reading untrusted files in a worker process.

MATLAB (5 and 7.3), HDF5, NumPy, Parquet, PyTorch (tensors only), safetensors and text files (CSV,
JSON, TOML, lists of names) are read by :mod:`zslcore.untrusted.readers` in a confined process
(:mod:`zslcore.untrusted.worker`): four bytes can crash ``scipy.io.loadmat``, a file of 1 KB can
declare terabytes, and a list of 8 MB can keep a naive check busy for minutes. The output of the
process is checked again here. If the process crashes, only the file is refused.

Every reader raises FileRefusedError, with the file, the variable, and the expected and actual
content.
"""

from __future__ import annotations

import hashlib
import io
import math
import os
import re
import stat
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, BinaryIO, Literal, get_args

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.names import squeeze
from zslcore.storage import settings
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.readers import (
    captions,
    csv_files,
    hdf5_files,
    json_files,
    parquet_files,
    pickle_files,
    tensor_files,
    text_rows,
    variables,
    word_vectors,
    yaml_files,
)
from zslcore.untrusted.readers.array_names import NO_VECTORS, SCORE_VARIABLES, is_named
from zslcore.untrusted.readers.common import (
    ENCODED,
    LAST_CHARACTER,
    count_lines_above,
    encoding_of_start,
    is_number,
)
from zslcore.untrusted.readers.text_rows import first_object
from zslcore.untrusted.readers.variables import CONTAINERS
from zslcore.untrusted.worker import MAX_ANSWER, OPENING, Refused, call, warm_up

#: Type in which a variable is returned: a float32 matrix, unchanged or transposed (MATLAB's layout
#: has one image per column); a matrix of scores in its own precision; a list of whole numbers; a
#: tuple of names; a tuple of paths, of which long ones lose their start; or labels, which are
#: numbers or texts.
Role = Literal["rows", "columns", "scores", "numbers", "names", "paths", "labels"]

#: Content of a column of a Parquet table: whole numbers, whole numbers with -1 for missing values,
#: numbers, or texts with few distinct values.
ColumnRole = Literal["numbers", "optional numbers", "values", "texts"]

MAX_CSV_BYTES = 1 << 30
#: Largest number of dimensions of an array of NumPy.
MAX_DIMENSIONS = 64
#: Start of a pointer of Git LFS, which may be in place of a file.
LFS = b"version https://git-lfs.github.com/spec/"
#: Containers of arrays, and their usual endings.
ARRAYS = tuple(name for name, container in CONTAINERS.items() if container.ending)
ENDINGS_OF_ARRAYS = ", ".join(CONTAINERS[name].ending for name in ARRAYS)
CUT_NUMBER = re.compile(r"[-+.\de]*", re.IGNORECASE)
#: Endings of files that are not texts.
BINARY_ENDINGS = {CONTAINERS[name].ending: name for name in ARRAYS if name != "JSON"}
BINARY_ENDINGS |= {".hdf5": "HDF5", ".pth": "PyTorch"}
#: First bytes of files that are refused, with a description and advice.
NOT_OPENED = (
    (
        b"\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.",
        "a PyTorch file of the old format (pickle): not opened; save it again with torch.save, or "
        "write it with np.savez(...)",
    ),
    (b"\x1f\x8b", "a gzip archive; unpack it first"),
    (b"\xfd7zXZ\x00", "an xz archive; unpack it first"),
    (b"BZh", "a bzip2 archive; unpack it first"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office file; save its sheet as CSV"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"Rar!", "a RAR archive; unpack it first"),
    (b"ARROW1", "an Arrow or Feather file; save the table as Parquet or CSV"),
    (b"SQLite format 3", "an SQLite database; save its table as CSV"),
    (b"RDX", "an R workspace; write its table as CSV"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"\x89PNG", "a PNG image"),
    (b"%PDF", "a PDF"),
)
#: Names of the first member of a zip archive with a spreadsheet of Excel or LibreOffice.
SPREADSHEETS = (b"[Content_Types].xml", b"_rels/.rels", b"docProps/app.xml", b"mimetype")
#: First bytes of pickles: of protocols 2 to 5, and of older protocols, which are text.
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
#: First bytes of a dictionary in an array of NumPy without dimensions.
DICTIONARY = re.compile(rb"\x93NUMPY..(?:..){1,2}\{'descr': '\|O', .{1,40}'shape': \(\)", re.DOTALL)
#: Control bytes, which do not occur at the start of a text.
CONTROLS = frozenset(range(32)) - set(b"\t\n\r\f\x1b")
#: Number of first bytes in which signatures are searched.
HEAD = 2048 + 16


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits on reading a file, about ten times the needs of ordinary files.

    ``most`` is the number of bytes that the wanted variables of a file may declare,
    ``ZSL_MAX_IMPORT`` if None; a refusal names its ``origin``. ``ratio`` limits the declared bytes
    per byte of the file (deflate reaches 1,032, features about 4); ``free_bytes`` are always
    allowed, since small tables compress well. The time limit is ``base_seconds`` plus the size of
    the file divided by ``bytes_per_second``.
    """

    most: int | None = None
    ratio: int = 100
    free_bytes: int = 64 << 20
    base_seconds: int = 20
    bytes_per_second: int = 4 << 20
    origin: str = ""

    @property
    def max_bytes(self) -> int:
        """Largest number of bytes that the wanted variables of one file may declare."""
        return settings.MAX_IMPORT() if self.most is None else self.most

    def budget(self, size: int) -> int:
        """Return the bytes that a file of ``size`` bytes may declare."""
        return min(self.max_bytes, self._plausible(size))

    def because(self, size: int) -> str:
        """Return the reason for the limit on a file of ``size`` bytes."""
        by_memory = self.origin and self.max_bytes < self._plausible(size)
        return self.origin if by_memory else "allowed for a file of this size"

    def _plausible(self, size: int) -> int:
        return max(self.free_bytes, self.ratio * size)

    def seconds(self, size: int) -> int:
        """Return the limit on CPU time, in seconds, for a file of ``size`` bytes."""
        return self.base_seconds + size // self.bytes_per_second


DEFAULT_LIMITS = Limits()


@dataclass(frozen=True, slots=True, eq=False)
class Variables:
    """Variables of a file, by name.

    ``names`` has the cleaned texts, ``arrays`` all other variables that were read; ``unread`` are
    the names of variables that were not read.
    """

    arrays: dict[str, np.ndarray]
    names: dict[str, tuple[str, ...]]
    unread: tuple[str, ...] = ()


def read_arrays(
    path: str | os.PathLike[str],
    wanted: Mapping[str, Role],
    into: Path | None = None,
    *,
    required: tuple[str, ...] | None = None,
    kinds: tuple[str, ...] = ARRAYS,
    limits: Limits = DEFAULT_LIMITS,
) -> Variables:
    """Read only the variables ``wanted`` of an untrusted file.

    The type of the file is determined by its first bytes, not by its name. Matrices are mapped from
    ``<variable>.npy`` in the folder ``into``; without a folder, they are in memory. By default all
    of ``wanted`` are required.
    """
    path = Path(path)
    kind, size = _kind(path, kinds), path.stat().st_size
    required = tuple(wanted) if required is None else required
    arguments = (dict(wanted), required, limits.budget(size), limits.because(size))
    limited: dict[str, Any] = {"into": into, "limits": limits, "what": CONTAINERS[kind].words}
    with _answer(variables.read_variables, path, kind, *arguments, **limited) as (answer, folder):
        present = [name for name in wanted if name in answer["found"]]
        _check_present({*required} & {*wanted}, present)
        files = {name: folder / f"{name}.npy" for name in present}
        texts = [name for name in present if _is_texts(files[name], wanted[name])]
        arrays = {
            name: _array(file, wanted[name]) for name, file in files.items() if name not in texts
        }
        return Variables(
            arrays if into else {name: np.array(array) for name, array in arrays.items()},
            {name: _names(files[name], path.name) for name in texts},
            tuple(map(clean_text, answer["unread"])),
        )


def are_marks(array: np.ndarray) -> bool:
    """Whether an array is a matrix of 0 and 1 with more than one row and column."""
    is_matrix = array.ndim == 2 and 1 not in array.shape and array.dtype.kind in "biuf"
    return is_matrix and bool(np.isin(array, (0, 1)).all())


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Contents of an untrusted file of arrays, with the values of small variables.

    ``shapes`` has the shape of every variable, None for objects; ``arrays`` has the values of small
    variables, int64, float32, float64 or texts, and ``refused`` the reasons why variables cannot be
    read.
    """

    path: Path
    container: str
    shapes: dict[str, tuple[int, ...] | None]
    arrays: dict[str, np.ndarray]
    refused: dict[str, str]

    @property
    def name(self) -> str:
        """Cleaned name of the file."""
        return clean_text(self.path.name)

    def has(self, name: str) -> bool:
        """Whether the values of a variable were read; those of large variables are not."""
        return name in self.arrays

    def numbers(self, name: str) -> np.ndarray:
        """Return a list of whole numbers, or raise FileRefusedError."""
        return self._converted(name, variables.whole_numbers)

    def labels(self, name: str) -> np.ndarray:
        """Return a list of whole numbers, or the marked column of each row of one-hot labels."""
        marks = self.arrays.get(name)
        if marks is None or not are_marks(marks):
            return self.numbers(name)
        for axis in (1, 0):
            if (marks.sum(axis=axis) == 1).all():
                return marks.argmax(axis=axis)
        raise self._refusal(
            name, "expected one label per image; got several marks or none in a row"
        )

    def names(self, name: str) -> tuple[str, ...]:
        """Return cleaned texts, or raise FileRefusedError."""
        array = self._converted(name, lambda values: values)
        if array.dtype.kind != "U":
            raise self._refusal(name, "expected a list of strings; got numbers")
        return _cleaned_names(array.ravel(), self.path.name, name)

    def rows(self, name: str) -> np.ndarray:
        """Return a float32 matrix, not transposed, or raise FileRefusedError."""
        return self._converted(name, variables.finite_matrix)

    def columns(self, name: str) -> np.ndarray:
        """Return a transposed float32 matrix: MATLAB's layout has one image per column."""
        return np.ascontiguousarray(self.rows(name).T)

    def scores(self, name: str) -> np.ndarray:
        """Return a matrix in its own precision, or raise FileRefusedError."""
        return self._converted(name, variables.score_matrix)

    @property
    def vectors(self) -> dict[str, np.ndarray]:
        """Vectors of one length, one per class or image, by name; {} for fewer than two.

        Arrays with a fixed meaning, such as labels, are left out. Vectors may be in a group called
        scores, which is not part of their names.
        """
        groups: dict[str, dict[str, np.ndarray]] = {}
        for name, array in self.arrays.items():
            is_vector = array.dtype.kind in "if" and array.size == max(array.shape, default=0)
            if is_vector and not is_named(name, NO_VECTORS):
                outer, _, inner = name.partition(".")
                is_inside = is_named(outer, SCORE_VARIABLES) and inner
                group = groups.setdefault(outer if is_inside else "", {})
                group[inner if is_inside else name] = array.ravel()
        largest = max(groups.values(), key=len, default={})
        return largest if len(largest) > 1 and len({*map(len, largest.values())}) == 1 else {}

    def read(
        self,
        wanted: Mapping[str, Role],
        into: Path | None = None,
        *,
        limits: Limits = DEFAULT_LIMITS,
    ) -> Variables:
        """Return variables by their roles, like :func:`read_arrays`.

        Large variables, which are not in ``arrays``, are read from the file into the folder
        ``into``.
        """
        large = {n: wanted[n] for n in wanted if not self.has(n) and n not in self.refused}
        read = Variables({}, {})
        if large:
            kinds = (self.container,)
            read = read_arrays(self.path, large, into, required=(), kinds=kinds, limits=limits)
        arrays, names = dict(read.arrays), dict(read.names)
        for name, role in wanted.items():
            if name in large:
                continue
            if role == "labels":
                values = self.arrays.get(name)
                role = "names" if values is not None and values.dtype.kind == "U" else "numbers"
            if role in ("names", "paths"):
                names[name] = self.names(name)
            elif wanted[name] == "labels":
                arrays[name] = self.labels(name)
            else:
                readers = {"rows": self.rows, "columns": self.columns, "scores": self.scores}
                arrays[name] = readers.get(role, self.numbers)(name)
        return Variables(arrays, names)

    def _converted(self, name: str, convert: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        if name in self.refused:
            raise self._refusal(name, self.refused[name])
        try:
            return convert(self.arrays[name])
        except Refused as refusal:
            raise self._refusal(name, str(refusal)) from None

    def _refusal(self, name: str, sentence: str) -> FileRefusedError:
        where = f"variable {clean_text(name)!r}"
        return FileRefusedError(f"{self.name}, {where}: {clean_text(sentence, 400)}.")


def look_into(
    path: Path, kinds: tuple[str, ...] = ARRAYS, *, limits: Limits = DEFAULT_LIMITS
) -> Contents:
    """List the variables of an untrusted file and read the small ones, in one worker process.

    With "text" in ``kinds``, the file may be a CSV or a list; its columns become arrays, see
    :mod:`zslcore.untrusted.readers.text_tables`. Values are read up to a total of ``SMALL_BYTES``
    of :mod:`zslcore.untrusted.readers.variables`.
    """
    container = _kind(path, kinds)
    arguments = (container, limits.budget(path.stat().st_size))
    limited: dict[str, Any] = {"limits": limits, "what": CONTAINERS[container].words}
    limited["written"] = variables.SMALL_BYTES  # all values are copied into memory
    with _answer(variables.look_into, path, *arguments, **limited) as (entries, folder):
        shapes: dict[str, tuple[int, ...] | None] = {}
        arrays: dict[str, np.ndarray] = {}
        refused: dict[str, str] = {}
        for k, entry in enumerate(entries):
            name, shape = str(entry["name"]), entry["shape"]
            shapes[name] = None if shape is None else _shape(shape)
            if entry["refused"]:
                refused[name] = str(entry["refused"])
            elif entry["read"]:
                arrays[name] = values = _plain(folder / f"{k}.npy")
                # The declared shape may differ from the shape of the values.
                if values.size != math.prod(shapes[name] or ()):
                    shapes[name] = values.shape
        return Contents(path, container, shapes, arrays, refused)


def contents_of_json(path: Path, value: Any) -> Contents:
    """Return the arrays of a JSON file, given its value from :func:`read_value`."""
    source = json_files.Json(value)
    arrays: dict[str, np.ndarray] = {}
    refused: dict[str, str] = {}
    names = source.names[: variables.MAX_VARIABLES]
    for name in names:
        try:
            arrays[name] = variables.plain_array(source.read(name), name)
        except Refused as refusal:
            refused[name] = str(refusal)
    shapes = {name: arrays[name].shape if name in arrays else None for name in names}
    return Contents(path, "JSON", shapes, arrays, refused)


def rows_by_image(
    images: Mapping[str, np.ndarray], listed: Mapping[str, np.ndarray], file: str, source: str
) -> list[int] | None:
    """Return the row of each image in another file; None if no column names the images in both.

    ``images`` and ``listed`` have columns by title. Two columns are compared if one of them
    contains texts, if their titles are equal, or if the first has no title. They name the images if
    no value repeats and some values are in both. Raises FileRefusedError if an image is not listed,
    or if columns of names with one title have no name in common; the message names ``file`` and
    ``source``, the file of the images.
    """
    other_names = ""
    for (title, column), (name, values) in product(images.items(), listed.items()):
        are_texts = "U" in (column.dtype.kind, values.dtype.kind)
        if not are_texts and squeeze(title) not in ("", squeeze(name)):
            continue
        for named in (_image_name, _file_name, _bare_name):  # paths may begin in another folder
            keys = [named(image) for image in column.tolist()]
            row_of = {named(image): row for row, image in enumerate(values.tolist())}
            missing = [image for image in keys if image not in row_of]
            are_named = values.dtype.kind == "U" and squeeze(title) == squeeze(name) != ""
            if len({*keys}) == len(keys) and len(row_of) < len(values) and are_named:
                twice = next(i for i, n in Counter(map(named, values.tolist())).items() if n > 1)
                got = f"{clean_text(twice, 60)!r} more than once"
                raise refusal_of(f"{file}, {clean_text(name, 40)}", "every image once", got)
            if len(row_of) < len(values) or len({*keys}) < len(keys) or len(missing) == len(keys):
                continue
            if missing:
                raise refusal_of(
                    file, f"every image of {source}", f"none called {clean_text(missing[0], 60)!r}"
                )
            return [row_of[image] for image in keys]
        texts = [column, values] if title and squeeze(title) == squeeze(name) else []
        if texts and all(len({*c.tolist()}) == len(c) and c.dtype.kind == "U" for c in texts):
            other_names = name
    if other_names:
        raise FileRefusedError(
            f"{file}, {clean_text(other_names, 40)}: expected the image names of {source}; got "
            "other names."
        )
    return None


def _image_name(image: object) -> str:
    """Return a name or number as text."""
    return str(int(image) if isinstance(image, float) and image.is_integer() else image)


def _file_name(image: object) -> str:
    """Return the last part of a path."""
    return re.split(r"[/\\]", _image_name(image))[-1]


def _bare_name(image: object) -> str:
    """Return the last part of a path without its suffix and leading zeros, in lower case."""
    return re.sub(r"^0+(?=\d)|\.[a-z]\w{1,4}$", "", _file_name(image).lower())


def _plain(path: Path) -> np.ndarray:
    """Read an array of numbers or texts written by a worker."""
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
    """Columns of a table.

    ``values`` has the columns of numbers, mapped from a file if the table is a CSV; ``columns``
    may repeat a name. ``texts`` has the text of each row by column; equal texts of a CSV are one
    object. ``left_out`` names columns with too many distinct texts to be classes.
    """

    values: np.ndarray
    columns: tuple[str, ...]
    texts: dict[str, Sequence[str]]
    left_out: tuple[str, ...] = ()


def read_table_file(path: Path, into: Path, texts: Mapping[str, bool]) -> Table:
    """Read a CSV file, without an unnamed index column written by pandas.

    ``texts`` maps each column of texts to whether it is required. All other columns are numbers,
    mapped from ``features.npy`` in the folder ``into``.
    """
    table = _read_csv(csv_files.read_csv, path, into, dict(texts), name="features")
    with _checked(path):
        _check_present((name for name, needed in texts.items() if needed), table.texts)
        _check_present(table.texts, texts)
    return table


def read_score_table(path: Path, into: Path, *, limits: Limits = DEFAULT_LIMITS) -> Table:
    """Read a CSV file of scores or of predicted classes; ``into`` is a folder for its numbers."""
    table = _read_csv(csv_files.read_score_table, path, into, name="scores", limits=limits)
    return replace(table, texts={clean_text(name): of for name, of in table.texts.items()})


def _read_csv(
    reader: Callable[..., Any],
    path: Path,
    into: Path,
    *args: Any,
    name: str,
    limits: Limits = DEFAULT_LIMITS,
) -> Table:
    """Return the columns of a CSV file, with the numbers in ``<name>.npy``."""
    size = _size(path, MAX_CSV_BYTES, "CSV")
    budget = min(limits.max_bytes, max(limits.free_bytes, 4 * size))
    limited: dict[str, Any] = {"into": into, "memory": 3 * budget, "what": "a CSV file"}
    with _answer(reader, path, *args, budget, **limited) as (answer, _):
        values = _array(into / f"{name}.npy", "rows" if name == "features" else "scores")
        columns, left_out = (tuple(map(clean_text, answer[key])) for key in ("columns", "left_out"))
        if len(columns) != values.shape[1]:
            raise ValueError
        texts: dict[str, Sequence[str]] = {}
        for key, (title, different) in answer["texts"].items():
            if not key.removeprefix("text_").isdigit():
                raise ValueError
            codes, cleaned = _array(into / f"{key}.npy", "numbers"), [*map(clean_text, different)]
            _check_codes({title: codes}, {title: cleaned}, len(values))
            texts[title] = [cleaned[code] for code in codes.tolist()]
        return Table(values, columns, texts, left_out)


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """Columns of a Parquet table, by name.

    Arrays have shape (n_rows,), and type float64 for the role "values", else int64; a column of
    texts has positions in its ``texts``. ``attrs`` are the attributes of the table in pandas, not
    cleaned.
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
    """Read the ``wanted`` columns of a Parquet table, and its attributes."""
    _kind(path, ("Parquet",))
    budget = limits.budget(path.stat().st_size)
    arguments = (dict(wanted), list(required), budget)
    limited: dict[str, Any] = {"limits": limits, "what": "a Parquet table"}
    with _answer(parquet_files.read_columns, path, *arguments, **limited) as (answer, folder):
        arrays = {
            name: _array(folder / f"{name}.npy", role if role == "values" else "numbers")
            for name, role in wanted.items()
            if name in answer["found"]
        }
        _check_present(required, arrays)
        texts = {
            name: tuple(map(clean_text, answer["texts"][name]))
            for name, role in wanted.items()
            if role == "texts" and name in arrays
        }
        _check_codes({name: arrays[name] for name in texts}, texts)
        if len({len(array) for array in arrays.values()}) > 1:
            raise ValueError
        return Columns(arrays, texts, dict(answer["attrs"]))


@dataclass(frozen=True, slots=True)
class LargeArray:
    """Array of numbers in an HDF5 file, larger than memory; a worker reads the requested rows."""

    path: Path
    name: str
    shape: tuple[int, ...]
    dtype: np.dtype

    def __getitem__(self, rows: slice) -> np.ndarray:
        """Return a slice of rows."""
        start, stop, _ = rows.indices(self.shape[0])
        shape = (stop - start, *self.shape[1:])
        size = math.prod(shape) * self.dtype.itemsize
        arguments = (self.path, self.name, start, stop)
        limits = Limits(most=2 * size, free_bytes=2 * size)
        what = "an HDF5 file"
        with _answer(hdf5_files.read_rows, *arguments, limits=limits, what=what) as (_, folder):
            array = open_array(folder / "rows.npy")
            if array.shape != shape or array.dtype != self.dtype:
                raise ValueError
            return np.array(array)


def open_large_arrays(path: Path, names: Sequence[str]) -> list[LargeArray]:
    """Open arrays of an HDF5 file to read rows later."""
    _kind(path, ("HDF5",))
    describe = hdf5_files.describe_arrays
    with _answer(describe, path, list(names), what="an HDF5 file") as (shapes_and_types, _):
        arrays = [
            LargeArray(path, name, _shape(shape), np.dtype(kind))
            for name, (shape, kind) in zip(names, shapes_and_types, strict=True)
        ]
        if any(array.dtype.kind not in "biuf" for array in arrays):
            raise ValueError
        return arrays


#: Kind of a file that is read as one value of nested lists and objects.
ValueKind = Literal["JSON", "TOML", "YAML", "PyTorch", "pickle"]


def read_value(
    path: Path,
    kind: ValueKind | Literal["lines", "CSV", "TSV", "CSV with semicolons"],
    *,
    max_bytes: int,
    most: int = 1 << 17,
) -> Any:
    """Read the value of a small file, or its lines or rows of texts; texts are not cleaned.

    A row is a tuple of its cells, empty for a blank line. ``most`` limits the number of lines,
    rows, or nested values.
    """
    size = _size(path, max_bytes, "text" if kind == "lines" else kind)
    what = "a text file" if kind == "lines" else f"a {kind} file"
    if kind not in get_args(ValueKind):
        memory = ROWS_MEMORY + 16 * size
        arguments = (text_rows.copy_rows, path, kind, most)
        with _answer(*arguments, memory=memory, what=what) as (_, folder):
            read = text_rows.lines_in if kind == "lines" else text_rows.rows_in
            return [*read(folder, most)]
    readers: dict[str, Callable[..., Any]] = {
        "YAML": yaml_files.read_value,
        "PyTorch": tensor_files.read_value,
        "pickle": pickle_files.read_value,
    }
    reader = readers.get(kind, json_files.read_value)
    with _answer(reader, path, kind, most, memory=64 * size, what=what) as (value, _):
        json_files.refuse_more(value, most)
        if kind == "TOML" and not isinstance(value, dict):
            raise TypeError
    return value


#: Suffix of a text -> its kind, if its content is read as one value.
KIND_OF_SUFFIX: dict[str, ValueKind] = {".yaml": "YAML", ".yml": "YAML", ".toml": "TOML"}
#: Container that is read as one value -> its kind; a text has the kind of its suffix.
KIND_OF_CONTAINER: dict[str, ValueKind] = {"PyTorch": "PyTorch", "pickle": "pickle", "JSON": "JSON"}


def read_plain_value(path: Path, *, max_bytes: int, most: int) -> Any:
    """Return the lists and objects in JSON, YAML, TOML, PyTorch or a pickle; else None.

    Raises a FileRefusedError for a damaged file that is JSON by its name.
    """
    container, suffix = container_of(path), path.suffix.lower()
    kind = KIND_OF_CONTAINER.get(container)
    if container in ("text", "JSON"):
        kind = KIND_OF_SUFFIX.get(suffix, kind)
    if kind is None:
        return None
    try:
        return read_value(path, kind, max_bytes=max_bytes, most=most)
    except FileRefusedError:
        # Other texts may begin like JSON, such as a printed dictionary.
        if kind == "JSON" and suffix.startswith(".json"):
            raise
        return None


def read_text_columns(path: Path, most: int) -> list[tuple[str, ...]]:
    """Read the columns of texts, whole numbers and truth values of a Parquet table as texts.

    The first row has the titles of the columns; at most ``most`` further rows are allowed.
    """
    memory = 3 * DEFAULT_LIMITS.budget(path.stat().st_size)
    reader = parquet_files.write_text_rows
    with _answer(reader, path, most, memory=memory, what="a Parquet table") as (_, folder):
        return [*text_rows.rows_in(folder, most + 1)]


def read_head(path: Path, n_bytes: int, *, cut: bool = False) -> list[str]:
    """Return the complete nonblank lines in the first bytes of a text, unchanged.

    With ``cut``, the last line may be incomplete, as in a JSON of one line.
    """
    with open_file(path) as file:
        head = file.read(n_bytes)
        text = head.decode(encoding_of_start(head), errors="replace")
        is_cut = bool(file.read(1))
    lines = text.replace("\r", "\n").split("\n")
    complete = lines[:-1] if is_cut and not cut else lines
    return [line for line in complete if line.strip()]


def first_fields(path: Path) -> list[str]:
    """Return the fields in the first line of a text below comments, with decimal points.

    Tabs, semicolons, bars or commas separate fields; a line without them is one field.
    """
    lines = read_head(path, ENCODED, cut=True)
    first = next(iter(lines[count_lines_above(lines) :]), "").lstrip("# ")
    separator = re.compile("[;\t|]" if re.search("[;\t|]", first) else ",")
    return [field.strip().replace(",", ".") for field in separator.split(first)]


def are_fractions(fields: Sequence[str]) -> bool:
    """Whether fields are a row of a matrix without titles; the last field may be cut."""
    *whole, last = fields
    are_numbers = all(map(is_number, whole)) and (is_number(last) or CUT_NUMBER.fullmatch(last))
    return bool(are_numbers) and any("." in field for field in fields)


def read_lines(path: Path, *, max_bytes: int = 1 << 20) -> tuple[str, ...]:
    """Read a list of names, one per line; names are cleaned, and blank lines skipped.

    No worker process is needed, since no parser reads the lines. Repeated names, such as labels,
    are one object.
    """
    names: list[str] = []
    objects: dict[str, str] = {}
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise refusal_of(path, f"a list of names of at most {max_bytes:,} bytes", f"{size:,}")
        encoding = encoding_of_start(file.read(ENCODED))
        file.seek(0)
        lines = io.TextIOWrapper(file, encoding, errors="replace")
        while (line := lines.readline(max_bytes)) and len(names) <= MAX_NAMES:
            cleaned = filter(None, map(clean_text, line.splitlines()))
            names += (first_object(name, objects) for name in cleaned)
    if len(names) > MAX_NAMES:
        raise refusal_of(path, f"a list of at most {MAX_NAMES:,} names", "more")
    return tuple(names)


#: Largest number of names in a list, such as labels of images.
MAX_NAMES = 1 << 21
#: Memory in bytes for reading a text line by line; the whole text may be one line.
ROWS_MEMORY = 64 << 20
#: Limits in bytes: the size of a file of word vectors, and the memory of the process that reads it.
MAX_WORDS_BYTES, WORDS_MEMORY = 16 << 30, 256 << 20


def read_words(path: Path, words: Sequence[str], *, binary: bool) -> dict[str, np.ndarray]:
    """Read the float32 vectors of words from a file; words without a vector are left out."""
    _size(path, MAX_WORDS_BYTES, "word vector")
    arguments = (word_vectors.read_words, path, list(words), binary)
    limited: dict[str, Any] = {"memory": WORDS_MEMORY, "what": "a file of word vectors"}
    with _answer(*arguments, **limited) as (words_with_vector, folder):
        if not words_with_vector:
            return {}
        vectors = _array(folder / "vectors.npy", "rows")
        if len(vectors) != len(words_with_vector) or not {*words_with_vector} <= {*words}:
            raise ValueError
        return {word: np.array(vectors[k], np.float32) for k, word in enumerate(words_with_vector)}


#: Limits of a file of captions: a second suffices for at least a hundred thousand letters.
CAPTION_LIMITS = Limits(bytes_per_second=1 << 17)


def count_captions_of(
    path: Path, kind: str, classes: Sequence[Sequence[Sequence[str]]]
) -> tuple[list[int], int]:
    """Count, in a worker process, the captions that name each class, and all captions.

    ``classes`` has the names of each class, split into words; ``kind`` is ".txt", ".csv" or ".tsv".
    """
    _size(path, MAX_WORDS_BYTES, "caption")
    limited: dict[str, Any] = {"limits": CAPTION_LIMITS, "memory": WORDS_MEMORY}
    arguments = (captions.count_file, path, kind, list(classes))
    with _answer(*arguments, what="captions", **limited) as (answer, _):
        counts, n = list(map(int, answer["counts"])), int(answer["captions"])
        if len(counts) != len(classes) or not all(0 <= count <= n for count in counts):
            raise ValueError
        return counts, n


def _size(path: Path, most: int, what: str) -> int:
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > most:
            advice = SHORTER if what in get_args(ValueKind) else ""
            raise refusal_of(path, f"a {what} file of at most {most:,} bytes", f"{size:,}{advice}")
        _refuse_pointer(path, file.read(len(LFS)))
    return size


def _refuse_pointer(path: Path, head: bytes) -> None:
    """Refuse XML, a Git LFS pointer or a web page in place of the file."""
    if head.startswith(LFS):
        raise refusal_of(
            path,
            "the file itself",
            "a Git LFS pointer to it; run 'git lfs pull' in its repository",
        )
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:9].lower()
    if start.startswith(b"<?xml") and b"<html" not in head.lower():
        raise refusal_of(path, "a table or JSON", "XML, which is not read; write its rows as CSV")
    if start.startswith((b"<!doctype", b"<html", b"<head", b"<?xml", b"<!--")):
        raise refusal_of(
            path,
            "the file itself",
            "a web page (HTML), as from a failed download; download it again",
        )


#: Advice on a large text with lists and objects, such as annotations of objects in images.
SHORTER = "; keep only the needed fields, or write a CSV with one row per image"
#: Description of a path that is neither a file on a disk nor a folder.
NO_FILE = "a pipe, a socket, a device or a file of the operating system"


def open_file(path: Path) -> BinaryIO:
    """Open a file on a disk for reading; raise FileRefusedError for anything else.

    The type is also checked after opening, and opening does not wait: the file may have been
    replaced by a pipe that no process writes to.
    """
    what = "a folder" if path.is_dir() else NO_FILE if path.exists() else "none"
    if path.is_file():
        options = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        file = open(os.open(path, options), "rb")  # noqa: SIM115 - closed by the caller
        if _is_on_disk(file):
            return file
        file.close()
        what = NO_FILE
    raise FileRefusedError(f"{clean_text(path)}: expected a file; found {what}.")


def _is_on_disk(file: BinaryIO) -> bool:
    """Whether an open file is regular; files of the operating system have a size of 0."""
    state = os.fstat(file.fileno())
    if not stat.S_ISREG(state.st_mode):
        return False
    try:
        return bool(state.st_size) or not file.read(1)
    except OSError:
        return False


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file on a disk, in hex."""
    sha = hashlib.sha256()
    with open_file(path) as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()


@contextmanager
def unchanged(paths: Iterable[Path]) -> Iterator[None]:
    """Refuse files that are changed, replaced or removed while the block reads them.

    A file is opened several times: without this check, a verdict on one content could be reported
    with the digest of another. Folders are not compared.
    """
    states = {path: _state_of(path) for path in paths if not path.is_dir()}

    def refuse_changed() -> None:
        for path, state in states.items():
            if _state_of(path) != state:
                got = "other content, or another file in its place"
                raise refusal_of(path, "a file that stays the same while it is read", got)

    try:
        yield
    except Exception:
        refuse_changed()  # a change may be the cause of the exception
        raise
    refuse_changed()


def _state_of(path: Path) -> tuple[int, ...]:
    """Return identity, size and times of a file; () without a file."""
    try:
        state = path.stat()
    except (OSError, ValueError):
        return ()
    times = (state.st_mtime_ns, state.st_ctime_ns)
    return (state.st_mode, state.st_dev, state.st_ino, state.st_size, *times)


def container_of(path: Path) -> str:
    """Return the container of a file by its first bytes: one of :data:`ARRAYS`, or "text".

    Raises a FileRefusedError that describes the file if it has another type.
    """
    name = clean_text(path.name)
    with open_file(path) as file:
        head = file.read(HEAD)
    _refuse_pointer(path, head)
    if not head:
        raise refusal_of(name, "a file with content", "an empty file")
    for kind, container in CONTAINERS.items():
        signature, offsets = container.signature, container.offsets
        if signature and any(head.startswith(signature, at) for at in offsets):
            if kind == "NumPy array" and DICTIONARY.match(head):
                return "pickle"
            return _in_archive(head, name) if kind == "NumPy archive" else kind
    for signature, what in NOT_OPENED:
        if head.startswith(signature):
            raise refusal_of(name, f"{ENDINGS_OF_ARRAYS} or a text file", what)
    if head[257:262] == b"ustar":
        raise refusal_of(
            name, f"{ENDINGS_OF_ARRAYS} or a text file", "a tar archive; unpack it first"
        )
    if head.startswith(PICKLES):
        return "pickle"
    length = int.from_bytes(head[:8], "little")
    if head[8:9] == b"{" and 2 <= length <= path.stat().st_size - 8:
        return "safetensors"
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):  # UTF-16
        head = head.decode("utf-16", "ignore").encode()
    if CONTROLS & set(head[:64]):
        raise refusal_of(
            name, f"{ENDINGS_OF_ARRAYS} or a text file", "a binary file of another kind"
        )
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start in (b"{", b"["):
        return "JSON"
    if kind := BINARY_ENDINGS.get(path.suffix.lower(), ""):
        raise refusal_of(name, f"{kind}, as its ending says", "a text file")
    return "text"


def _in_archive(head: bytes, name: str) -> str:
    """Distinguish the zip archives of PyTorch and NumPy by the name of the first member.

    Raises a FileRefusedError for a spreadsheet or another archive.
    """
    member = head[30 : 30 + int.from_bytes(head[26:28], "little")]
    if member.endswith((b"/data.pkl", b"/.format_version", b"/byteorder")):
        return "PyTorch"
    if member.endswith(b".npy"):
        return "NumPy archive"
    got = f"a zip archive with {clean_text(member.decode('utf-8', 'replace'), 60)}; unpack it first"
    if member in SPREADSHEETS:
        got = "a spreadsheet; save its sheet as CSV"
    raise refusal_of(name, f"{ENDINGS_OF_ARRAYS} or a text file", got)


def _kind(path: Path, welcome: tuple[str, ...]) -> str:
    """Return the container of a file, which must be in ``welcome``; preload its reader."""
    kind = container_of(path)
    if kind in welcome:
        warm_up(*CONTAINERS[kind].libraries)
        return kind
    expected = ENDINGS_OF_ARRAYS if welcome == ARRAYS else " or ".join(welcome)
    got = CONTAINERS[kind].words
    raise refusal_of(path, expected, got)


def _read(
    reader: Callable[..., Any],
    path: Path,
    into: Path,
    *args: Any,
    memory: int | None = None,
    written: int | None = None,
    limits: Limits = DEFAULT_LIMITS,
    what: str = "a file",
) -> Any:
    size = path.stat().st_size
    limited: dict[str, Any] = {
        "memory": OPENING + (3 * limits.budget(size) if memory is None else memory),
        "seconds": limits.seconds(size),
        "written": max(limits.budget(size), MAX_ANSWER) if written is None else written,
        "damage_message": f"expected {what} that is complete; got a damaged or truncated file",
    }
    try:
        return call(reader, str(path.resolve()), *args, files=[path], out=into, **limited)
    except Refused as refusal:
        where = f", {clean_text(refusal.where)}" if refusal.where else ""
        sentence = clean_text(str(refusal), 400)
        raise FileRefusedError(f"{clean_text(path.name)}{where}: {sentence}.") from None


@contextmanager
def _answer(
    reader: Callable[..., Any], path: Path, *args: Any, into: Path | None = None, **limited: Any
) -> Iterator[tuple[Any, Path]]:
    """Yield the answer of a reader, and the folder ``into`` or a temporary one with its arrays.

    The block checks the answer; the file is refused if the answer is invalid.
    """
    with nullcontext(into) if into else scratch() as folder:
        answer = _read(reader, path, folder, *args, **limited)
        with _checked(path):
            yield answer, folder


def read_confined(
    function: Callable[..., Any],
    arguments: Mapping[str, Any],
    files: Sequence[Path],
    into: Path,
    *,
    memory: int,
    seconds: int,
    origin: str,
) -> Any:
    """Return the result of ``function(arguments, memory, into)`` in a worker process.

    ``origin`` names the origin of the memory limit in a refusal.
    """
    message = f"needs more than the {memory:,} bytes {origin}"
    limited: dict[str, Any] = {"memory": memory, "seconds": seconds, "memory_message": message}
    try:
        return call(function, dict(arguments), memory, files=files, out=into, **limited)
    except Refused as refusal:
        sentence = clean_text(str(refusal), 400)
        raise FileRefusedError(f"{clean_text(files[0].name)}: {sentence}.") from None


# --- Checks of the output of a worker, which may be compromised ----------------------


@contextmanager
def _checked(path: Path) -> Iterator[None]:
    """Refuse a file if the block finds the result of its worker invalid."""
    try:
        yield
    except FileRefusedError:
        raise
    except Exception:  # noqa: BLE001 - the result may be anything
        raise FileRefusedError(
            f"{clean_text(path.name)}: its reader returned an invalid result."
        ) from None


def _shape(shape: Sequence[Any]) -> tuple[int, ...]:
    """Return a shape as ints; refuse numbers so large that multiplying them takes long."""
    if len(shape) > MAX_DIMENSIONS or not all(0 <= int(n) < 1 << 64 for n in shape):
        raise ValueError
    return tuple(map(int, shape))


def _is_texts(path: Path, role: Role) -> bool:
    """Whether a reader wrote texts; only labels can be either texts or numbers."""
    if role != "labels":
        return role in ("names", "paths")
    with suppress(OSError, ValueError):
        return bool(open_array(path).dtype.kind == "U")
    return False


#: Header of an array written by a reader. NumPy parses any other header, of up to 4 GB, as Python.
HEADER = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '[<>|][a-zA-Z][1-9]\d*', 'fortran_order': (?:False|True), "
    rb"'shape': \([\d, ]*\), \} *\n",
    re.DOTALL,
)


def open_array(path: Path) -> np.ndarray:
    """Open an array as a map; raise ValueError or OSError if no reader wrote it.

    numpy.load would also read other types of files, and raise further errors.
    """
    with path.open("rb") as file:
        header = HEADER.match(file.read(1 << 12))
    if not header or header.end() != 10 + int.from_bytes(header[1], "little"):
        raise ValueError
    return np.lib.format.open_memmap(path, mode="r")


def _array(path: Path, role: Role | Literal["values"]) -> np.ndarray:
    """Open an array, mapped if it is a matrix, and check dtype and shape."""
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


def _check_present(required: Iterable[str], present: Collection[str]) -> None:
    if not {*required} <= {*present}:
        raise LookupError


def _check_codes(
    codes: Mapping[str, np.ndarray], texts: Mapping[str, Sequence[str]], n: int | None = None
) -> None:
    for name in texts:
        positions = codes[name]
        if n not in (None, len(positions)):
            raise ValueError
        if positions.size and not 0 <= positions.min() <= positions.max() < len(texts[name]):
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
