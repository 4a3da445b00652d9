"""Where files are, and files that are there whole or not at all."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO
from uuid import uuid4

from platformdirs import user_cache_path

from zslcore.exceptions import ParameterError, ZSLError

__all__ = ["APP", "FACTS", "data_folder", "is_draft_file", "or_refused", "written_whole"]


def _beside(installed: str, checkout: str) -> Path:
    """Return what lies in the package once it is installed, and beside it in a checkout."""
    inside = Path(__file__).parent / installed
    return inside if inside.exists() else Path(__file__).parents[1] / checkout


#: Facts that the package comes with: printed tables, class lists, vocabularies.
FACTS = _beside("data", "data")
#: The script of the app.
APP = _beside("_app/app.py", "app.py")


#: Letters of a path that a sentence quotes.
MAX_SHOWN = 80


def data_folder() -> Path:
    """Return where imports, runs and results live: ``ZSL_DATA``, or the platform's cache folder.

    Raises
    ------
    ParameterError
        For a ``ZSL_DATA`` that is no path.
    """
    chosen = os.environ.get("ZSL_DATA")
    if not chosen:
        return user_cache_path("zero-shot-lab")
    try:
        folder = Path(chosen).expanduser()
        with suppress(PermissionError):  # of whatever is written there, or cannot be
            folder.is_dir()  # raises for what no system takes as a path
    except (RuntimeError, OSError, ValueError) as error:
        shown = chosen if len(chosen) <= MAX_SHOWN else f"{chosen[:MAX_SHOWN]}…"
        why = getattr(error, "strerror", None) or str(error)
        raise ParameterError(
            f"ZSL_DATA: expected a folder; got {shown!r} ({why.rstrip('.').lower()})."
        ) from None
    return folder


#: What a system says where nothing can be written; NumPy says nothing of it.
_UNWRITABLE = (
    *(errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EIO, None),
    *(errno.ENOTDIR, errno.EEXIST, errno.ENAMETOOLONG),  # the data folder is a file, or no path
)


@contextmanager
def or_refused(what: str) -> Iterator[None]:
    """Say in one sentence that ``what`` cannot be written: no room, no rights, a faulty disk.

    Raises
    ------
    ZSLError
        In place of what the system says of that; everything else goes on.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in _UNWRITABLE:
            raise
        why = (error.strerror or "No space left on device").lower()
        raise ZSLError(f"{what}: expected to write it, got: {why}.") from error


#: Names of the drafts of :func:`written_whole`.
_DRAFT = re.compile(r"\..+\.[0-9a-f]{32}")


def is_draft_file(path: Path) -> bool:
    """Whether a file has the name of a draft of :func:`written_whole`."""
    return _DRAFT.fullmatch(path.name) is not None and not path.is_symlink() and path.is_file()


@contextmanager
def written_whole(path: Path) -> Iterator[BinaryIO]:
    """Open a draft beside ``path`` that takes its place once all is written, and else goes.

    A reader finds what was there before or what is there now, never half of it, and two writers of
    one file do not meet. The folder is made where it is missing; who may read the file is what the
    system says of any new one.
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
