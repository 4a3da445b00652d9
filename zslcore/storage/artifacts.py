"""Immutable, checksummed folders: imports, and the results of jobs.

A folder is filled as a draft, sealed, and put in its place in one step by its owner, so that
there is never half of one. Sealing syncs every file, makes it read-only and records its checksum;
opening verifies that. What does not agree is never served.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import platform
import shutil
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from zslcore.exceptions import ZSLError
from zslcore.storage.files import data_folder

#: Files up to this size are hashed each time they are opened, which takes some milliseconds.
ALWAYS_HASHED = 4 << 20
#: A draft without a change for this long, in seconds, was cut off.
ABANDONED = 24 * 3600
#: The mark of a draft: who writes it. Hidden, so that it never counts as content.
OWNER = ".owner.json"
#: Folder of the data folder where visitors' files and others lie while they are read.
SCRATCH = "scratch"


class CorruptFolderError(ZSLError):
    """A folder that differs from its manifest."""


def draft(root: Path, prefix: str) -> Path:
    """Return a new folder in ``root``, where it can be renamed from, owned by this process."""
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
    try:
        mark_draft(folder)
    except OSError:  # no room even for that: a folder without a mark is never swept
        discard(folder)
        raise
    return folder


def mark_draft(folder: Path) -> None:
    """Mark a folder as a draft of this process."""
    write_owner(folder / OWNER)


def write_owner(path: Path) -> None:
    """Write which process this is into a file."""
    path.write_text(json.dumps(_owner(os.getpid())), encoding="utf-8")


def has_died(path: Path) -> bool | None:
    """Whether the process has ended that :func:`write_owner` named in a file; None if unknown.

    It is unknown of a process on another machine, and of a file that cannot be read.
    """
    try:
        owner, here = json.loads(path.read_text(encoding="utf-8")), _owner(os.getpid())
        if (owner["host"], owner.get("space", here["space"])) == (here["host"], here["space"]):
            return not _is_alive(int(owner["pid"]), owner["born"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError):
        pass
    return None


def unmark_draft(folder: Path) -> None:
    """Remove the draft mark of a finished folder."""
    (folder / OWNER).unlink(missing_ok=True)


def scratch_folder() -> Path:
    """Return a new temporary folder; the caller discards it.

    It lies in the data folder, where it is swept when its owner has died, and among the system's
    temporary files where nothing can be written there.
    """
    try:
        return draft(data_folder() / SCRATCH, "")
    except OSError:
        return draft(Path(tempfile.gettempdir()), "zsl-")


@contextmanager
def scratch() -> Iterator[Path]:
    """Yield a temporary folder, removed on exit."""
    folder = scratch_folder()
    try:
        yield folder
    finally:
        discard(folder)


def _owner(pid: int) -> dict[str, Any]:
    """Return the identity of a process; containers have name spaces of processes."""
    born = space = None
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    with suppress(OSError, ValueError, IndexError):
        # The name before the bracket may hold anything; the start is the 20th value after it.
        after = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        born = int(after.rpartition(")")[2].split()[19])
    return {"host": platform.node(), "space": space, "pid": pid, "born": born}


def is_draft(folder: Path) -> bool:
    """Whether a folder is marked as a draft; others are never swept."""
    return (folder / OWNER).is_file()


def is_abandoned(folder: Path) -> bool:
    """Whether a folder is a draft of a process that has ended.

    Of an owner on another machine, or a mark that cannot be read, only the age is known: nothing in
    the folder has changed for a day.
    """
    if not is_draft(folder):
        return False
    died = has_died(folder / OWNER)
    return time.time() - last_modified(folder) > ABANDONED if died is None else died


def last_modified(folder: Path) -> float:
    """Return when a folder or a file in it was changed last, in seconds since 1970.

    Infinity where that cannot be read: another process may be removing it.
    """
    try:
        return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    except OSError:
        return math.inf


def _is_alive(pid: int, born: int | None) -> bool:
    """Whether this very process runs; another one may have its number by now."""
    if os.name != "posix":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return born is None or _owner(pid)["born"] in (born, None)


def seal(files: Iterable[Path]) -> dict[str, dict[str, Any]]:
    """Sync files to the disk, make them read-only and return size, time and SHA-256 of each."""
    return {path.name: _sealed(path) for path in files}


def _sealed(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        os.fsync(file.fileno())
    path.chmod(0o444)
    state = path.stat()
    return {"size": state.st_size, "mtime_ns": state.st_mtime_ns, "sha256": sha256(path)}


def sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def verify(folder: Path, records: Mapping[str, Mapping[str, Any]], *extra: str) -> None:
    """Raise CorruptFolderError where files of ``folder`` differ from the record of :func:`seal`.

    A file is hashed where it is small, or its modification time is not the one recorded. Hidden
    files, and those named as ``extra``, may be there as well.
    """
    try:
        names = {path.name for path in folder.iterdir() if not path.name.startswith(".")}
    except OSError:
        raise CorruptFolderError(f"its folder {folder.name} is missing") from None
    if foreign := names - set(records) - set(extra):
        raise CorruptFolderError(f"{min(foreign)} does not belong to it")
    for name, state in records.items():
        _verify(folder / Path(name).name, state)


def _verify(path: Path, record: Mapping[str, Any]) -> None:
    if not path.is_file():
        raise CorruptFolderError(f"{path.name} is missing")
    state = path.stat()
    if "size" in record and state.st_size != record["size"]:
        raise CorruptFolderError(f"{path.name} has {state.st_size:,} of {record['size']:,} bytes")
    touched = state.st_mtime_ns != record.get("mtime_ns") or state.st_size <= ALWAYS_HASHED
    if touched and sha256(path) != record["sha256"]:
        raise CorruptFolderError(f"{path.name} has changed since it was written")


def discard(folder: Path) -> None:
    """Remove a folder; open memory maps stay valid.

    A compromised worker may leave folders nested too deep for rmtree, or closed: they are opened
    and moved into the top one first.
    """
    with suppress(OSError):
        waiting = [] if folder.is_symlink() else _folders_in(folder)
        while waiting:
            for inner in _folders_in(waiting.pop()):
                waiting.append(inner.rename(tempfile.mkdtemp(dir=folder)))
    shutil.rmtree(folder, ignore_errors=True)


def _folders_in(folder: Path) -> list[Path]:
    """Return the folders in a folder, opened to this process."""
    with os.scandir(folder) as entries:
        folders = [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
    for each in folders:
        each.chmod(0o700)
    return folders


def sweep(drafts: Iterable[Path]) -> int:
    """Remove those of ``drafts`` that are abandoned; return how many these were."""
    abandoned = [folder for folder in drafts if is_abandoned(folder)]
    for folder in abandoned:
        discard(folder)
    return len(abandoned)
