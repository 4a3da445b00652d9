"""The one door for files from outside: nothing that comes through it is trusted.

MATLAB (5 and 7.3), HDF5, NumPy archives and texts (CSV, JSON, TOML, lists of names) are opened by
:mod:`zslcore.datasets.sandbox.child` in a process of its own, with limits on memory, time and file
size, without the server's environment and shut in by :mod:`zslcore.datasets.sandbox.confinement`:
``scipy.io.loadmat`` can be made to crash by four bytes, a file of 1 KB can declare terabytes, and a
list of 8 MB can keep a naive check busy for minutes. The child lists what the file declares before
reading any of it, reads only the requested variables and leaves plain ``.npy`` files, which are
opened here without pickle and looked at again. A child that dies is one refused file.

:func:`watched` reports the progress of a reading and can end it.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from zslcore.datasets.sandbox.readers import GoneError, Reader, Started, fork, start
from zslcore.exceptions import FileRefusedError
from zslcore.storage import settings
from zslcore.storage.artifacts import scratch
from zslcore.storage.files import path_of
from zslcore.texts import clean_text

__all__ = [
    "DEFAULT_LIMITS",
    "ColumnRole",
    "Columns",
    "Limits",
    "Role",
    "Table",
    "Variables",
    "declared_in",
    "in_child",
    "listed_classes",
    "make_ready",
    "read_arrays",
    "read_columns",
    "read_lines",
    "read_split_rows",
    "read_table_file",
    "read_value",
    "watched",
]

#: How a variable is passed: a float32 matrix as it is or transposed (MATLAB's layout keeps one
#: image per column), a matrix of scores as precise as it is, one axis of whole numbers, a tuple of
#: texts (of a long path its end), or labels, which are numbers or texts.
Role = Literal["rows", "columns", "scores", "numbers", "names", "paths", "labels"]

#: What a column of a Parquet table holds: whole numbers, whole numbers or nothing (-1), numbers, or
#: texts, few of them different.
ColumnRole = Literal["numbers", "optional numbers", "values", "texts"]

CHILD = Path(__file__).with_name("child.py")
ROOT = Path(__file__).parents[3]
#: What the child hears of the server's environment: where libraries lie, and no secret.
INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "PYTHONHOME", "SYSTEMROOT", "LANG", "LC_ALL")
#: Seconds between two looks at the child.
LOOK_EVERY = 0.1
#: Seconds on the clock for every second of the processor that a child may take.
PATIENCE = 4
#: With fewer bytes than this left on a disk, a reader that failed has filled it.
ROOM = 1 << 16
MAX_CSV_BYTES = 1 << 30
#: Whether this process is a child of the door, which reads by itself.
behind_walls = False
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


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may ask for; the numbers leave an order of magnitude for honest files.

    Attributes
    ----------
    most : most bytes that the wanted variables of one file may declare; ``ZSL_MAX_IMPORT`` where
        it is None
    ratio : most declared bytes per byte of the file (deflate reaches 1,032; features about 4)
    free_bytes : declared bytes that are always allowed, since small tables compress well
    base_seconds, bytes_per_second : time for a file is the base plus its size at this rate
    whose : what ``max_bytes`` comes from, for the sentence of a refusal
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
        """Say what limits a file of ``size`` bytes."""
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
    """What was read of a file, by the name of the variable.

    Attributes
    ----------
    arrays : those of every role but "names" and "paths"
    names : those of the roles "names" and "paths", cleaned texts
    unread : names of variables that the file has as well, cleaned
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
    kinds: tuple[str, ...] = ("MATLAB 5", "HDF5", "NumPy archive"),
    limits: Limits = DEFAULT_LIMITS,
) -> Variables:
    """Read the variables ``wanted`` of an untrusted file; others are never looked at.

    Parameters
    ----------
    path : the file; its first bytes say its kind, not its name
    wanted : role of each variable
    into : folder for ``<variable>.npy``; matrices are maps of these files
    required : variables that must be there; all of ``wanted`` by default
    kinds : kinds of file that are welcome here
    limits : sizes, ratio and time that are allowed

    Raises
    ------
    FileRefusedError
        One sentence: which file, which variable, what was expected, what came.
    """
    path, into = Path(path), Path(into)
    kind, size = _kind(path, kinds), path.stat().st_size
    request = {
        "path": str(path.resolve()),
        "out": str(into.resolve()),
        "kind": kind,
        "wanted": dict(wanted),
        "required": list(wanted if required is None else required),
        "budget": limits.budget(size),
        "because": limits.because(size),
        "seconds": limits.seconds(size),
    }
    done, unread = _ask_child(request, path.name)
    into = into.resolve()
    texts = [name for name in done if _is_texts(into / f"{name}.npy", wanted[name])]
    return Variables(
        {
            name: _array(into / f"{name}.npy", wanted[name], path.name)
            for name in done
            if name not in texts
        },
        {name: _names(into / f"{name}.npy", path.name) for name in texts},
        unread,
    )


def declared_in(
    path: Path,
    kinds: tuple[str, ...] = ("MATLAB 5", "HDF5", "NumPy archive", "NumPy array"),
    *,
    limits: Limits = DEFAULT_LIMITS,
) -> dict[str, tuple[int, ...] | None]:
    """Return the shape of every variable of an untrusted file; no value of it is read.

    Parameters
    ----------
    path : the file
    kinds : kinds of file that are welcome here
    limits : sizes and time that are allowed

    Returns
    -------
    dict of name to shape, None for a variable that is neither numbers nor texts

    Raises
    ------
    FileRefusedError
        One sentence: which file, what was expected, what came.
    """
    kind, size = _kind(path, kinds), path.stat().st_size
    request = {"kind": "listing", "source": kind, "wanted": {}}
    with scratch() as folder:
        _ask(request, path, folder, 64 << 20, limits.seconds(size))
        found = _value(folder / "value.json", dict)
    return {str(name): None if shape is None else tuple(shape) for name, shape in found.items()}


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """What was read of a CSV file.

    Attributes
    ----------
    values : float32 array of shape (n_rows, n_columns), a map of the columns of numbers
    columns : their names
    codes : by column of texts, int array of shape (n_rows,), which of its texts stands in a row
    texts : by column of texts, the different ones in the order in which they come first
    """

    values: np.ndarray
    columns: tuple[str, ...]
    codes: dict[str, np.ndarray]
    texts: dict[str, tuple[str, ...]]


def read_table_file(
    path: Path, into: Path, texts: Mapping[str, bool], *, limits: Limits = DEFAULT_LIMITS
) -> Table:
    """Read a CSV file; an index that pandas has put before it, without a name, is left out.

    Parameters
    ----------
    path : the file
    into : folder for ``features.npy``, which the numbers stay a map of
    texts : columns of texts -> whether they have to be there; all others are numbers
    limits : sizes and time that are allowed
    """
    size = _size(path, MAX_CSV_BYTES, "CSV")
    request = {"kind": "CSV", "texts": dict(texts), "wanted": {}}
    budget = min(limits.max_bytes, max(limits.free_bytes, 4 * size))
    _ask(request, path, into, budget, limits.seconds(size))
    there = {name: into / f"{name}.npy" for name in texts if (into / f"{name}.npy").is_file()}
    table = Table(
        _array(into / "features.npy", "rows", path.name),
        tuple(map(clean_text, _value(into / "columns.json", list))),
        {name: _array(file, "numbers", path.name) for name, file in there.items()},
        {name: tuple(map(clean_text, _value(into / f"{name}.json", list))) for name in there},
    )
    for name, codes in table.codes.items():
        if not _are_places(codes, len(table.texts[name])):
            raise FileRefusedError(f"{clean_text(path.name)}: its reader gave a wrong answer.")
    return table


@dataclass(frozen=True, slots=True, eq=False)
class Columns:
    """What was read of a Parquet table, by the name of the column.

    Attributes
    ----------
    arrays : array of shape (n_rows,) by column: float64 of the role "values", else int64; of a
        column of texts, which of its texts stands in a row
    texts : by column of texts, the different ones
    attrs : what pandas calls the table's attributes; nothing in it is cleaned
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
    """Read columns of a Parquet table, and its attributes; other columns are never looked at.

    Parameters
    ----------
    path : the file
    wanted : role of each column
    required : columns that have to be there
    limits : sizes and time that are allowed
    """
    _kind(path, ("Parquet",))
    size = path.stat().st_size
    request = {"kind": "Parquet table", "wanted": dict(wanted), "required": list(required)}
    with scratch() as folder:
        done = _ask(request, path, folder, limits.budget(size), limits.seconds(size))
        arrays = {
            name: _array(
                folder / f"{name}.npy", "values" if role == "values" else "numbers", path.name
            )
            for name, role in wanted.items()
            if name in done
        }
        texts = {
            name: tuple(map(clean_text, _value(folder / f"{name}.json", list)))
            for name in done
            if wanted[name] == "texts"
        }
        attrs = _value(folder / "attrs.json", dict)
    lengths = {len(array) for array in arrays.values()}
    outside = [n for n, t in texts.items() if not _are_places(arrays[n], len(t))]
    if len(lengths) > 1 or outside:
        raise FileRefusedError(f"{clean_text(path.name)}: its reader gave a wrong answer.")
    return Columns(arrays, texts, attrs)


def _are_places(codes: np.ndarray, n: int) -> bool:
    """Whether all of ``codes`` lie in 0..n-1."""
    return bool(not codes.size or 0 <= codes.min() <= codes.max() < n)


def read_split_rows(
    path: Path, schema: str, parts: tuple[str, ...], *, max_bytes: int
) -> dict[str, np.ndarray]:
    """Read the 0-based rows of every part of a split that is written as JSON."""
    size = _size(path, max_bytes, "JSON")
    request = {"kind": "split", "schema": schema, "parts": list(parts), "memory": 32 * size}
    with scratch() as folder:
        done = _ask(request, path, folder, 64 << 20, DEFAULT_LIMITS.seconds(size))
        return {part: _array(folder / f"{part}.npy", "numbers", path.name) for part in done}


def read_value(
    path: Path, kind: Literal["JSON", "TOML", "lines"], *, max_bytes: int, most: int = 1 << 17
) -> Any:
    """Read a small JSON or TOML file, or the lines of a text; texts in it are not cleaned.

    Parameters
    ----------
    path : the file
    kind : what it is expected to be
    max_bytes : size up to which it is looked at
    most : lines, or values of any kind inside each other, up to which it is read
    """
    size = _size(path, max_bytes, "text" if kind == "lines" else kind)
    request = {"kind": kind, "most": most, "memory": 64 * size}
    with scratch() as folder:
        _ask(request, path, folder, 64 << 20, DEFAULT_LIMITS.seconds(size))
        return _value(folder / "value.json", object)


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


def listed_classes(words: Sequence[str], folder: Path) -> list[str]:
    """Return classes as a command names them: names or numbers, or one file with one a line.

    Parameters
    ----------
    words : what stands behind the option
    folder : where the file may lie, see :func:`zslcore.storage.files.path_of`
    """
    if len(words) == 1 and (path := path_of(words[0], folder)).is_file():
        return list(read_lines(path))
    return list(words)


#: Called with the share of a file that is read, a few times a second; what it raises ends the
#: reading, and the process that reads.
Watcher = Callable[[float], None]
_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watched(watcher: Watcher) -> Iterator[None]:
    """Let ``watcher`` know how far whatever is read in this block is."""
    token = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(token)


def _size(path: Path, most: int, what: str) -> int:
    """Return the size of a text, refusing what is none, too large, or stands for a file."""
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
    if head.startswith(LFS):
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected the file itself, got a pointer of Git LFS to it; "
            "run 'git lfs pull' in its repository."
        )


def _require_file(path: Path) -> None:
    if not path.is_file():
        what = "a folder or device" if path.exists() else "nothing there"
        raise FileRefusedError(f"{clean_text(path)}: expected a file, found {what}.")


def _kind(path: Path, welcome: tuple[str, ...]) -> str:
    """Tell the kind of a file by its first bytes."""
    _require_file(path)
    with path.open("rb") as file:
        head = file.read(2048 + 16)
    _refuse_pointer(path, head)
    for signature, offsets, kind in SIGNATURES:
        if kind in welcome and any(head.startswith(signature, at) for at in offsets):
            return kind
    raise FileRefusedError(
        f"{clean_text(path.name)}: expected {' or '.join(welcome)}, got a file that begins with "
        f"{head[:16]!r}."
    )


def _ask(request: dict[str, Any], path: Path, into: Path, budget: int, seconds: int) -> list[str]:
    """Ask for a text; return what the child has written."""
    asked = {"path": str(path.resolve()), "out": str(into.resolve()), "budget": budget}
    return _ask_child(request | asked | {"seconds": seconds}, path.name)[0]


def _ask_child(request: dict[str, Any], file: str) -> tuple[list[str], tuple[str, ...]]:
    """Return what the child wrote, and what else the file has; or turn its end into a sentence."""
    lines, code = _run_child(request)
    last = lines[-1] if lines else {}
    asked = request.get("wanted") or request.get("parts")
    if isinstance(done := last.get("done"), list):
        named = [line["unread"] for line in lines if isinstance(line.get("unread"), list)]
        unread = tuple(clean_text(name) for names in named[:1] for name in names)
        return [name for name in asked or () if name in done], unread
    if shutil.disk_usage(request["out"]).free < ROOM:
        raise FileRefusedError(
            f"{clean_text(file)}: expected room on the disk to read it, got none."
        )
    variable = next((line["reading"] for line in reversed(lines) if line.get("reading")), "")
    where = clean_text(file) + (f", variable {clean_text(variable)!r}" if variable else "")
    where += f", {clean_text(last['place'])}" if last.get("place") else ""
    what = clean_text(last.get("refused", _ending(code, request["seconds"])), 400)
    raise FileRefusedError(f"{where}: {what}.")


def _run_child(request: dict[str, Any]) -> tuple[list[dict[str, Any]], int | None]:
    """Run the child on ``request``; return its lines and its exit status, None if out of time."""
    if behind_walls:  # this is such a child, and does what another would do
        from zslcore.datasets.sandbox.child import answers

        return _parsed(answers(request)), 0
    with suppress(GoneError):
        return _run(request, fork)
    return _run(request, Started)


def in_child(
    module: str,
    given: Mapping[str, Any],
    readable: Sequence[Path],
    into: Path,
    *,
    memory: int,
    seconds: int,
    whose: str,
) -> list[str]:
    """Let a child read files and compute with them behind the door's walls.

    Parameters
    ----------
    module : its ``do(given, into, memory)`` is called in the child and returns what it has written
    given : for it, as JSON
    readable : files that it may read
    into : folder into which it may write
    memory : bytes that it may take in addition to its libraries
    seconds : of the processor
    whose : what sets this limit, for the sentence of a refusal

    Raises
    ------
    FileRefusedError
        One sentence; also where the child ends without an answer.
    """
    request = {
        "kind": "module",
        "module": module,
        "given": dict(given),
        "wanted": {},
        "path": [str(path.resolve()) for path in readable],
        "out": str(into.resolve()),
        "budget": memory,
        "seconds": seconds,
        "short": f"needs more than the {memory:,} bytes {whose}",
    }
    lines, code = _run_child(request)
    last = lines[-1] if lines else {}
    if isinstance(done := last.get("done"), list):
        return [clean_text(name) for name in done]
    what = clean_text(last.get("refused", _ending(code, seconds)), 400)
    raise FileRefusedError(f"{clean_text(readable[0].name)}: {what}.")


def _run(
    request: dict[str, Any], begin: Callable[..., Reader]
) -> tuple[list[dict[str, Any]], int | None]:
    # Its answer goes to a file, not a pipe, so that the limit on file size holds for it too.
    with tempfile.TemporaryFile() as asked, tempfile.TemporaryFile() as answer:
        asked.write(json.dumps(request).encode())
        asked.seek(0)
        reader = begin(CHILD, asked, answer, _environment())
        try:
            code = _await(reader, answer, PATIENCE * request["seconds"])
        finally:  # whatever ends the waiting ends the child
            reader.end()
        answer.seek(0)
        return _parsed(answer.read(1 << 20)), code


def make_ready() -> None:
    """Import in a process of its own what reading needs, so that the first file does not wait."""
    start(CHILD, _environment())


def _await(reader: Reader, answer: IO[bytes], seconds: float) -> int | None:
    """Wait until the child ends, and tell the watcher meanwhile; None when it takes too long."""
    end, watcher = time.monotonic() + seconds, _WATCHER.get()
    while time.monotonic() < end:
        code = reader.wait(LOOK_EVERY)
        if code is not None:
            return code
        if watcher is not None:
            watcher(_share(answer))
    return None


def _share(answer: IO[bytes]) -> float:
    """Return the share that the child has said last."""
    if not hasattr(os, "pread"):  # the child's place in the file is ours, and stays where it is
        return 0.0
    said = _parsed(os.pread(answer.fileno(), 1 << 20, 0))
    shares = [line.get("share") for line in said]
    return next((float(s) for s in reversed(shares) if isinstance(s, int | float)), 0.0)


def _environment() -> dict[str, str]:
    """Environment of the child: where libraries lie, one thread, no HDF5 locks nor plug-ins."""
    return {name: os.environ[name] for name in INHERITED if name in os.environ} | {
        "PYTHONPATH": str(ROOT),
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        "HDF5_USE_FILE_LOCKING": "FALSE",
        "HDF5_PLUGIN_PRELOAD": "::",
    }


def _parsed(answer: bytes) -> list[dict[str, Any]]:
    """Parse the child's lines up to the first that is damaged."""
    lines = []
    for line in answer.decode("utf-8", "replace").splitlines():
        try:
            lines.append(json.loads(line))
        except ValueError:
            break
    return [line for line in lines if isinstance(line, dict)]


def _ending(code: int | None, seconds: int) -> str:
    """Say how a child ended that gave no answer."""
    if code is None or code == -24:  # SIGXCPU
        return f"took longer than the {seconds} s allowed for a file of this size"
    return f"the file is damaged or hostile and crashed its reader (exit status {code})"


def _is_texts(path: Path, role: Role) -> bool:
    """Whether the child wrote texts, which it may choose of labels alone."""
    if role != "labels":
        return role in ("names", "paths")
    with suppress(OSError, ValueError):
        return bool(np.load(path, mmap_mode="r", allow_pickle=False).dtype.kind == "U")
    return False


def _array(path: Path, role: Role | Literal["values"], file: str) -> np.ndarray:
    """Open an array that the child wrote, a matrix as a map, and see that it is what it should be.

    Who crashed the child may have made it write anything.
    """
    matrix = role in ("rows", "columns", "scores")
    try:
        array: np.ndarray = np.load(path, mmap_mode="r" if matrix else None, allow_pickle=False)
    except (OSError, ValueError):
        raise FileRefusedError(f"{clean_text(file)}: its reader gave a wrong answer.") from None
    dtypes = ("<f4", "<f8") if role == "scores" else ("<f4",) if matrix else ("<i8",)
    dtypes = ("<f8",) if role == "values" else dtypes
    right = array.dtype in map(np.dtype, dtypes) and array.ndim == (2 if matrix else 1)
    finite = role in ("rows", "columns")
    if not right or (finite and not all(np.isfinite(b).all() for b in _blocks(array))):
        raise FileRefusedError(f"{clean_text(file)}: its reader gave a wrong answer.")
    return array


def _blocks(array: np.ndarray) -> Iterator[np.ndarray]:
    step = max(1, (1 << 20) // max(1, array.shape[1]))
    return (array[start : start + step] for start in range(0, len(array), step))


def _value(path: Path, kind: type) -> Any:
    """Read JSON that the child wrote."""
    try:
        value = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        value = None
    if not isinstance(value, kind):
        raise FileRefusedError("The reader of a text gave a wrong answer.")
    return value


def _names(path: Path, file: str) -> tuple[str, ...]:
    """Read names that the child wrote."""
    array = np.load(path, allow_pickle=False)
    if array.dtype.kind != "U" or (array.size and array.view("<u4").max() > LAST_CHARACTER):
        raise FileRefusedError(f"{clean_text(file)}, variable {path.stem!r}: expected texts.")
    names = tuple(map(clean_text, array.tolist()))
    if "" in names:
        raise FileRefusedError(
            f"{clean_text(file)}, variable {path.stem!r}: name {names.index('') + 1} is empty."
        )
    return names
