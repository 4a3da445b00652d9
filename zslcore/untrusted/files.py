"""Files on a disk: opened for reading, limited in size, and unchanged while they are read."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text, refusal_of

#: Start of a pointer of Git LFS, which may be in place of a file.
LFS = b"version https://git-lfs.github.com/spec/"
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


def check_size(path: Path, max_bytes: int, what: str, advice: str = "") -> int:
    """Return the size of a file; refuse a larger file than ``max_bytes``, a pointer and a page."""
    with open_file(path) as file:
        size = os.fstat(file.fileno()).st_size
        if size > max_bytes:
            raise refusal_of(
                path, f"a {what} file of at most {max_bytes:,} bytes", f"{size:,}{advice}"
            )
        refuse_other_content(path, file.read(len(LFS)))
    return size


def refuse_other_content(path: Path, head: bytes) -> None:
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


def sha256_of_file(path: Path) -> str:
    """Return the SHA-256 of a file on a disk, in hex."""
    sha = hashlib.sha256()
    with open_file(path) as file:
        while block := file.read(1 << 20):
            sha.update(block)
    return sha.hexdigest()


@contextmanager
def refuse_changes(paths: Iterable[Path]) -> Iterator[None]:
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
