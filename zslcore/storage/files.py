"""Paths of the package's files, and atomic writes."""

from __future__ import annotations

import csv
import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from uuid import uuid4

from platformdirs import user_cache_path

from zslcore.exceptions import ParameterError, ZSLError

if TYPE_CHECKING:
    import pandas as pd


def _package_path(installed: str, checkout: str) -> Path:
    """Return a path in the installed package or, in a checkout, next to the package."""
    inside = Path(__file__).parents[1] / installed
    return inside if inside.exists() else Path(__file__).parents[2] / checkout


#: Facts in the package: printed tables, class lists, vocabularies.
FACTS = _package_path("data", "data")
#: Script of the app.
APP = _package_path("_app/app.py", "app.py")


def read_csv_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of a CSV file of the package; all values are strings."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def read_csv_frame(path: Path, **options: Any) -> pd.DataFrame:
    """Return a CSV file of the package as a frame; ``options`` are those of pandas."""
    import pandas as pd  # late, since importing it takes longer than reading rows

    return pd.read_csv(path, **options)


#: Maximum number of characters of ``ZSL_DATA`` in its error message.
MAX_SHOWN = 80


def data_folder() -> Path:
    """Return the folder of imports and results: ``ZSL_DATA``, or the platform's cache folder."""
    chosen = os.environ.get("ZSL_DATA")
    if not chosen:
        return user_cache_path("zero-shot-lab")
    try:
        folder = Path(chosen).expanduser()
        with suppress(PermissionError):  # reported on reading or writing
            folder.is_dir()  # raises for an invalid path
    except (RuntimeError, OSError, ValueError) as error:
        shown = chosen if len(chosen) <= MAX_SHOWN else f"{chosen[:MAX_SHOWN]}…"
        why = getattr(error, "strerror", None) or str(error)
        raise ParameterError(
            f"ZSL_DATA: expected a folder; got {shown!r} ({why.rstrip('.').lower()})."
        ) from None
    return folder


def folder_of(source: str | os.PathLike[str]) -> Path:
    """Return ``source`` if it is a folder, or else its parent folder."""
    path = Path(source)
    return path if path.is_dir() else path.parent


def path_of(name: str | os.PathLike[str], folder: Path) -> Path:
    """Return the path of a file named in an option of the command line.

    A plain name is looked up in the folder of the source, then in the working directory; a path
    with folders is looked up in the working directory first. The path of an existing file is
    absolute; other paths are returned unchanged.
    """
    file = Path(name)
    candidates = [folder / file, file]
    if file.name != str(name):
        candidates.reverse()
    return next((path.absolute() for path in candidates if path.is_file()), file)


#: Error numbers of failed writes; errors raised by NumPy have the number None.
_UNWRITABLE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, None),
    *(errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG),  # a file in place of a folder
)
#: Maximum number of characters of a path in an error message.
_MAX_PATH = 200


@contextmanager
def reraise_write_errors(name: str) -> Iterator[None]:
    """Re-raise a failed write to the file ``name`` (disk full, no permission) as one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        raise refusal(error, name) from error


def is_full_or_read_only(error: BaseException) -> bool:
    """Whether an error means a full or read-only disk; NumPy's errors have no number."""
    if not isinstance(error, OSError):
        return False
    if error.errno is None:
        return str(error).endswith(" written")
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def refusal(error: OSError, file: object = None, action: str = "written") -> ZSLError:
    """Return a system error as one sentence on ``file``, by default the file in the error."""
    named = file if file is not None else error.filename
    name = os.fsdecode(named) if isinstance(named, str | bytes | os.PathLike) else "A file"
    shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in name[:_MAX_PATH])
    why = (error.strerror or "No space left on device").lower()
    return ZSLError(f"{shown}{'…' * (len(name) > _MAX_PATH)}: could not be {action}: {why}.")


#: Names of the drafts of :func:`open_atomically`.
_DRAFT = re.compile(r"\..+\.[0-9a-f]{32}")


def is_draft_file(path: Path) -> bool:
    """Whether a file has the name of a draft of :func:`open_atomically`."""
    return _DRAFT.fullmatch(path.name) is not None and not path.is_symlink() and path.is_file()


@contextmanager
def open_atomically(path: Path) -> Iterator[BinaryIO]:
    """Open a draft that replaces ``path`` once it is completely written.

    A failed draft is deleted. Readers see the old or the new content, never a part of it, and two
    writers do not conflict. The folder is created if missing; permissions are the system's
    defaults.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{uuid4().hex}")
    try:
        with draft.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def write_out(path: str | Path, content: str | bytes) -> None:
    """Write a file named by the user, completely or not at all.

    Links are followed; a terminal, pipe or other device is written to directly.
    """
    data = content.encode() if isinstance(content, str) else content
    try:
        target = Path(path).resolve()
        if target.exists() and not target.is_file():
            target.write_bytes(data)
            return
        with open_atomically(target) as file:
            file.write(data)
    except OSError as error:
        raise refusal(error, path) from error
    except ValueError as error:  # a path with a zero byte
        raise ZSLError(f"{str(path)[:_MAX_PATH]!r}: expected a file name.") from error
