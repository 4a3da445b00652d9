"""Immutable, checksummed folders: imports, and the results of jobs.

The owner of a folder fills it as a draft, seals it, and moves it into place in one step, so that a
folder is never incomplete. Sealing syncs every file, makes it read-only and records its checksum.
The checksum is verified on opening; a file that differs from it is never opened.
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

#: Size in bytes up to which files are hashed on each opening; hashing takes a few milliseconds.
ALWAYS_HASHED = 4 << 20
#: Seconds without a change after which a draft counts as abandoned.
ABANDONED = 24 * 3600
#: File that marks a draft and names its process; hidden files do not count as content.
OWNER = ".owner.json"
#: Subfolder of the data folder for temporary files, such as visitors' uploads.
SCRATCH = "scratch"


class CorruptFolderError(ZSLError):
    """Folder that differs from its manifest."""


def draft(root: Path, prefix: str) -> Path:
    """Create a draft folder of this process in ``root``, for renaming when it is finished."""
    root.mkdir(parents=True, exist_ok=True)
    folder = Path(tempfile.mkdtemp(prefix=prefix, dir=root))
    try:
        mark_draft(folder)
    except OSError:  # disk full: a folder without a mark would never be deleted
        discard(folder)
        raise
    return folder


def mark_draft(folder: Path) -> None:
    """Mark a folder as a draft of this process."""
    write_owner(folder / OWNER)


def write_owner(path: Path) -> None:
    """Write the identity of this process into a file."""
    path.write_text(json.dumps(_owner(os.getpid())), encoding="utf-8")


def has_died(path: Path) -> bool | None:
    """Whether the process named in a file by :func:`write_owner` has ended.

    None for a process on another machine, and for an unreadable file.
    """
    errors = OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError
    with suppress(*errors, RecursionError):
        with path.open(encoding="utf-8") as file:  # a compromised worker may replace the file
            owner, this_process = json.loads(file.read(1 << 12)), _owner(os.getpid())
        if (owner["host"], owner.get("space", this_process["space"])) == (
            this_process["host"],
            this_process["space"],
        ):
            return not _is_alive(int(owner["pid"]), owner["born"])
    return None


def unmark_draft(folder: Path) -> None:
    """Remove the draft mark of a finished folder."""
    (folder / OWNER).unlink(missing_ok=True)


def scratch_folder() -> Path:
    """Return a new temporary folder; the caller discards it.

    The folder is in the data folder, where it is deleted after its owner has died. If the data
    folder is not writable, it is in the system's folder of temporary files.
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
    """Return the identity of a process, including the process namespace of its container."""
    born = space = None
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    with suppress(OSError, ValueError, IndexError):
        # The start time is the 20th value after the bracketed name, which may hold any character.
        after = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        born = int(after.rpartition(")")[2].split()[19])
    return {"host": platform.node(), "space": space, "pid": pid, "born": born}


def is_draft(folder: Path) -> bool:
    """Whether a folder is marked as a draft; only drafts are deleted automatically."""
    return (folder / OWNER).is_file()


def is_abandoned(folder: Path) -> bool:
    """Whether a folder is a draft of a process that has ended.

    If the owner is on another machine, or its mark is unreadable, a draft counts as abandoned after
    a day without a change.
    """
    if not is_draft(folder):
        return False
    died = has_died(folder / OWNER)
    return time.time() - last_modified(folder) > ABANDONED if died is None else died


def last_modified(folder: Path) -> float:
    """Return the last change of a folder or a file in it, in seconds since 1970.

    It is infinite if unreadable, since another process may be deleting the folder.
    """
    try:
        return max(path.stat().st_mtime for path in (folder, *folder.iterdir()))
    except OSError:
        return math.inf


def _is_alive(pid: int, born: int | None) -> bool:
    """Whether a process still runs; its start time excludes a later process with the same id."""
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
    """Sync files to disk and make them read-only; return size, time and SHA-256 of each."""
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
    """Raise CorruptFolderError if files of ``folder`` differ from the record of :func:`seal`.

    A file is hashed if it is small or its modification time differs from the record. Hidden files,
    and files named in ``extra``, are allowed.
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
    needs_hash = state.st_mtime_ns != record.get("mtime_ns") or state.st_size <= ALWAYS_HASHED
    if needs_hash and sha256(path) != record["sha256"]:
        raise CorruptFolderError(f"{path.name} has changed since it was written")


def discard(folder: Path) -> None:
    """Remove a folder; open memory maps stay valid.

    A compromised worker may leave folders that lack permissions, or are nested too deep for rmtree:
    subfolders are first made accessible and moved to the top.
    """
    with suppress(OSError):
        folders = [] if folder.is_symlink() else _folders_in(folder)
        while folders:
            for inner in _folders_in(folders.pop()):
                folders.append(inner.rename(tempfile.mkdtemp(dir=folder)))
    shutil.rmtree(folder, ignore_errors=True)


def _folders_in(folder: Path) -> list[Path]:
    """Return the subfolders of a folder, after giving this process access to them."""
    with os.scandir(folder) as entries:
        subfolders = [Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False)]
    for path in subfolders:
        path.chmod(0o700)
    return subfolders


def sweep(drafts: Iterable[Path]) -> int:
    """Remove the abandoned folders among ``drafts``; return their number."""
    abandoned = [folder for folder in drafts if is_abandoned(folder)]
    for folder in abandoned:
        discard(folder)
    return len(abandoned)
