"""The one door for files from outside: nothing that comes through it is trusted.

MATLAB (5 and 7.3), HDF5 and NumPy archives are opened by :mod:`zslcore.datasets.door_child` in a
process of its own, with limits on memory, time and file size: ``scipy.io.loadmat`` can be made to
crash by four bytes, and a file of 1 KB can declare terabytes. The child lists what the file
declares before reading any of it, reads only the variables asked for and leaves plain ``.npy``
files, which are opened here without pickle. A child that dies is one refused file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.exceptions import FileRefusedError

__all__ = [
    "DEFAULT_LIMITS",
    "Limits",
    "Role",
    "Variables",
    "clean_text",
    "read_arrays",
    "read_lines",
]

#: How a variable is handed over: a float32 matrix as it is or transposed (MATLAB's layout keeps one
#: image per column), one axis of whole numbers, or a tuple of texts; of a long path its end.
Role = Literal["rows", "columns", "numbers", "names", "paths"]

CHILD = Path(__file__).with_name("door_child.py")
#: First bytes, where they are looked for, and what they announce.
SIGNATURES = (
    (b"MATLAB 5.0 MAT-file", (0,), "MATLAB 5"),
    (b"\x89HDF\r\n\x1a\n", (0, 512, 1024, 2048), "HDF5"),
    (b"PK\x03\x04", (0,), "NumPy archive"),
)


@dataclass(frozen=True, slots=True)
class Limits:
    """What a file may ask for; the numbers leave an order of magnitude for honest files.

    Attributes
    ----------
    max_bytes : most bytes that the wanted variables of one file may declare
    ratio : most declared bytes per byte of the file (deflate reaches 1,032; features about 4)
    free_bytes : declared bytes that are always allowed, since small tables compress well
    base_seconds, bytes_per_second : time for a file is the base plus its size at this rate
    """

    max_bytes: int = 4 << 30
    ratio: int = 100
    free_bytes: int = 64 << 20
    base_seconds: int = 20
    bytes_per_second: int = 4 << 20

    def budget(self, size: int) -> int:
        """Bytes that a file of ``size`` bytes may declare."""
        return min(self.max_bytes, max(self.free_bytes, self.ratio * size))

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
    """

    arrays: dict[str, np.ndarray]
    names: dict[str, tuple[str, ...]]


def clean_text(text: object, length: int = 200) -> str:
    r"""Return ``text`` without control, format or unassigned characters, spaces single, cut.

    Examples
    --------
    >>> clean_text("grizzly\x00+bear\u202e\n")
    'grizzly+bear'
    """
    start = str(text)[: 4 * length]
    kept = (c for c in start if c.isspace() or unicodedata.category(c)[0] != "C")
    return " ".join("".join(kept).split())[:length].rstrip()


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
    path : the file; its kind is told by its first bytes, not by its name
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
        "seconds": limits.seconds(size),
    }
    done = _ask_child(request, path.name)
    texts = [name for name in done if wanted[name] in ("names", "paths")]
    return Variables(
        {name: _array(into / f"{name}.npy", wanted[name]) for name in done if name not in texts},
        {name: _names(into / f"{name}.npy", path.name) for name in texts},
    )


def read_lines(path: Path, *, max_bytes: int = 1 << 20) -> tuple[str, ...]:
    """Read a small list of names, one a line, cleaned; blank lines are left out."""
    _require_file(path)
    if path.stat().st_size > max_bytes:
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected a list of names of at most {max_bytes:,} bytes, "
            f"got {path.stat().st_size:,}."
        )
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    return tuple(name for name in map(clean_text, lines) if name)


def _require_file(path: Path) -> None:
    if not path.is_file():
        what = "a folder or device" if path.exists() else "nothing there"
        raise FileRefusedError(f"{clean_text(path)}: expected a file, found {what}.")


def _kind(path: Path, welcome: tuple[str, ...]) -> str:
    """Tell the kind of a file by its first bytes."""
    _require_file(path)
    with path.open("rb") as file:
        head = file.read(2048 + 16)
    for signature, offsets, kind in SIGNATURES:
        if kind in welcome and any(head.startswith(signature, at) for at in offsets):
            return kind
    raise FileRefusedError(
        f"{clean_text(path.name)}: expected {' or '.join(welcome)}, got a file that begins with "
        f"{head[:16]!r}."
    )


def _ask_child(request: dict[str, Any], file: str) -> list[str]:
    """Return the variables that the child wrote, or turn its end into a sentence."""
    lines, code = _run_child(request)
    last = lines[-1] if lines else {}
    if isinstance(done := last.get("done"), list):
        return [name for name in request["wanted"] if name in done]
    variable = next((line["reading"] for line in reversed(lines) if line.get("reading")), "")
    where = clean_text(file) + (f", variable {clean_text(variable)!r}" if variable else "")
    what = clean_text(last.get("refused", _ending(code, request["seconds"])), 400)
    raise FileRefusedError(f"{where}: {what}.")


def _run_child(request: dict[str, Any]) -> tuple[list[dict[str, Any]], int | None]:
    """Run the child on ``request``; return its lines and its exit status, None if out of time."""
    # Its answer goes to a file, not a pipe, so that the limit on file size holds for it too.
    with tempfile.TemporaryFile() as answer:
        try:
            code = subprocess.run(  # noqa: S603 - our own interpreter, our own file
                [sys.executable, "-P", "-W", "ignore", str(CHILD)],
                input=json.dumps(request).encode(),
                stdout=answer,
                stderr=subprocess.DEVNULL,
                env=_environment(),
                timeout=4 * request["seconds"],
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code = None
        answer.seek(0)
        return _parsed(answer.read(1 << 20)), code


def _environment() -> dict[str, str]:
    """Environment of the child: one thread, no HDF5 locks and no HDF5 plug-ins."""
    return {
        **os.environ,
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


def _array(path: Path, role: Role) -> np.ndarray:
    """Open an array that the child wrote, a matrix as a map."""
    if role in ("rows", "columns"):
        return np.load(path, mmap_mode="r", allow_pickle=False)
    return np.load(path, allow_pickle=False)


def _names(path: Path, file: str) -> tuple[str, ...]:
    """Read names that the child wrote."""
    names = tuple(map(clean_text, np.load(path, allow_pickle=False).tolist()))
    if "" in names:
        raise FileRefusedError(
            f"{clean_text(file)}, variable {path.stem!r}: name {names.index('') + 1} is empty."
        )
    return names
