"""Checks and repairs of the data folder."""

from __future__ import annotations

import math
import os
import platform
import shutil
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

from zslcore.analysis.study import is_intact
from zslcore.datasets import imports
from zslcore.datasets.importing import open_dataset
from zslcore.exceptions import NewerVersionError, ZSLError
from zslcore.numbers import counted
from zslcore.results.database import damage_of, repair_store
from zslcore.results.store import ResultStore
from zslcore.storage import artifacts, settings
from zslcore.storage.artifacts import CorruptFolderError
from zslcore.storage.files import data_folder, is_draft_file
from zslcore.texts import listed
from zslcore.untrusted.walls import WALLS, active_walls
from zslcore.version import sources_digest, version

#: Minimum free space in bytes for the next import or result.
MIN_FREE = 1 << 30
#: Maximum number of names in the sentence of a check.
LISTED = 8
LIBRARIES = ("numpy", "scipy", "scikit-learn", "h5py")
#: Libraries of optional extras, which may not be installed.
OPTIONAL = ("torch", "streamlit")


@dataclass(frozen=True, slots=True)
class FolderCheck:
    """Result of one check; ``repair`` removes the fault and returns a sentence, or is None."""

    subject: str
    is_ok: bool
    sentence: str
    repair: Callable[[], str] | None = None


def examine() -> Iterator[FolderCheck]:
    """Yield checks of versions, sandbox, disk space, store, imports, jobs and leftovers."""
    yield _versions()
    yield _sandbox()
    yield _free_space()
    yield from _store()
    yield from _imports()
    yield from _jobs()
    yield _leftovers()
    yield from _quarantine()


def sweep_leftovers() -> int:
    """Delete drafts of killed processes in the data folder, and return their number.

    A draft is deleted if it is a folder marked by a process that has died, or a file that has the
    name of a draft and is at least a day old. Drafts of imports are kept while a manifest cannot be
    read.
    """
    leftovers = _abandoned_drafts()
    for path in leftovers:
        if path.is_dir():
            artifacts.discard(path)
        else:
            path.unlink(missing_ok=True)
    return len(leftovers)


def _abandoned_drafts() -> list[Path]:
    root = data_folder()
    folders = [path for path in _folders_of_drafts(root) if artifacts.is_abandoned(path)]
    day_old = time.time() - artifacts.ABANDONED
    files = [path for path in (*root.glob(".*"), *root.glob("*/.*")) if is_draft_file(path)]
    files = [path for path in files if path.parent.name != imports.QUARANTINE]
    return [
        *folders,
        *imports.abandoned_drafts(),
        *(path for path in files if _modification_time(path) < day_old),
    ]


def _folders_of_drafts(root: Path) -> list[Path]:
    """Return the folders that should contain only drafts."""
    folders = [*(root / artifacts.SCRATCH).glob("*/"), *(root / "jobs").glob(".*/")]
    return [path for path in folders if not path.is_symlink()]


def _unknown_folders() -> list[Path]:
    """Return folders, at least a day old, that are neither drafts nor known to this version."""
    day_old = time.time() - artifacts.ABANDONED
    folders = [path for path in _folders_of_drafts(data_folder()) if not artifacts.is_draft(path)]
    return imports.unknown_folders() + [
        path for path in folders if artifacts.last_modified(path) < day_old
    ]


def _modification_time(path: Path) -> float:
    """Return the modification time of a file; infinity if another process has removed it."""
    try:
        return path.stat().st_mtime
    except OSError:
        return math.inf


def _versions() -> FolderCheck:
    versions = {name: _installed_version(name) for name in (*LIBRARIES, *OPTIONAL)}
    program = (
        f"zslcore {version()} (sources {sources_digest()}), Python {platform.python_version()}"
    )
    words = ", ".join(f"{name} {number or 'is not installed'}" for name, number in versions.items())
    return FolderCheck(
        "versions", all(versions[name] for name in LIBRARIES), f"{program}, {words}."
    )


def _installed_version(name: str) -> str:
    try:
        return installed(name)
    except PackageNotFoundError:
        return ""


def _sandbox() -> FolderCheck:
    """Check the isolation of the reader of untrusted files, which not all systems support."""
    isolation = active_walls()
    words = "Untrusted files are read without access to other files, the network or programs."
    if missing := [name for name in WALLS if name not in isolation]:
        words = (
            "On this system the reader of untrusted files is not isolated from "
            f"{', '.join(missing)}; its limits on time, memory and output hold (see SECURITY.md)."
        )
    return FolderCheck("sandbox", True, words)


def _free_space() -> FolderCheck:
    root = data_folder()
    existing = next((path for path in (root, *root.parents) if path.is_dir()), Path("/"))
    free = shutil.disk_usage(existing).free
    if not os.access(existing, os.W_OK) or (root.exists() and not root.is_dir()):
        return FolderCheck("disk space", False, f"Nothing can be written in {root}.")
    return FolderCheck(
        "disk space", free >= MIN_FREE, f"{free / 2**30:.1f} GiB are free in {root}."
    )


def _store() -> Iterator[FolderCheck]:
    store = ResultStore()
    if damage := damage_of(store.path):
        sentence = f"{store.path} is damaged ({damage.rstrip('.')})."
        yield FolderCheck("store", False, sentence, lambda: repair_store(store.path))
        return
    if not store.path.exists():
        yield FolderCheck("store", True, f"Nothing is stored in {store.path} yet.")
        yield from _other_results(store)
        return
    try:
        stored = store.stored()
        unreadable, results = store.unreadable(stored), sum(not run.shipped for run in stored)
    except ZSLError as error:
        yield FolderCheck("store", False, str(error))
        return
    count = f"{counted(results, 'result is', 'results are')} stored"
    yield FolderCheck("store", True, f"{count} in {store.path}. {unreadable}".strip())
    yield from _other_results(store)
    if refusal := store.refusal():
        yield FolderCheck("store", False, refusal)


def _other_results(store: ResultStore) -> Iterator[FolderCheck]:
    """Yield a check with the number of study results by kind, and of runs with predictions."""
    kinds = Counter(result.kind for result in store.study_results())
    n, size = store.size_of_predictions()
    if kinds or n:
        counts = [f"{count:,} {kind}" for kind, count in sorted(kinds.items())]
        counts.append(
            f"predictions of {counted(n, 'run')} ({size / 2**20:.1f} of at most "
            f"{settings.PREDICTIONS() / 2**20:.0f} MiB)"
        )
        yield FolderCheck("store", True, f"Other results: {', '.join(counts)}.")


def _imports() -> Iterator[FolderCheck]:
    names, damaged, newer = imports.names(), 0, 0
    for name in names:
        try:
            imports.open_import(name)
        except NewerVersionError as error:
            newer += 1
            yield FolderCheck("imports", True, str(error))
        except CorruptFolderError as error:
            damaged += 1
            sentence = f"The import {name!r} is damaged: {error}."
            yield FolderCheck("imports", False, sentence, partial(_rebuild_import, name))
    if not damaged:
        yield FolderCheck(
            "imports", True, f"{counted(len(names) - newer, 'import is', 'imports are')} intact."
        )


def _rebuild_import(name: str) -> str:
    open_dataset(name)
    return f"The import {name!r} was rebuilt from its copies or its source."


def _jobs() -> Iterator[FolderCheck]:
    folders = [path for path in (data_folder() / "jobs").glob("*/") if path.name[0] != "."]
    damaged = [path for path in folders if not is_intact(path)]
    for path in damaged:
        sentence = f"The result {path.name} of a job is damaged."
        yield FolderCheck("jobs", False, sentence, partial(_discard_result, path))
    if not damaged:
        yield FolderCheck(
            "jobs",
            True,
            f"{counted(len(folders), 'result of a job is', 'results of jobs are')} intact.",
        )


def _discard_result(path: Path) -> str:
    artifacts.discard(path)
    return f"The result {path.name} was removed; it is computed again on request."


def _leftovers() -> FolderCheck:
    n_left = len(_abandoned_drafts())
    if not n_left:
        return FolderCheck("leftovers", True, "Killed processes left nothing behind.")
    sentence = (
        f"Killed processes left {counted(n_left, 'file or folder', 'files and folders')} behind."
    )
    return FolderCheck(
        "leftovers", False, sentence, lambda: f"{sweep_leftovers():,} of them were removed."
    )


def _quarantine() -> Iterator[FolderCheck]:
    """Yield a check of unknown folders, and one of the contents of the quarantine."""
    if unknown_folders := _unknown_folders():
        names = _list_names(unknown_folders)
        sentence = (
            f"This version does not recognise {counted(len(unknown_folders), 'folder')}: {names}."
        )
        yield FolderCheck("quarantine", False, sentence, _quarantine_unknown)
    quarantined = sorted((data_folder() / imports.QUARANTINE).glob("*"))
    if quarantined:
        n = counted(len(quarantined), "file or folder", "files and folders")
        sentence = (
            f"{data_folder() / imports.QUARANTINE} holds {n} that this version does not recognise: "
            f"{_list_names(quarantined)}. They are never deleted."
        )
        yield FolderCheck("quarantine", True, sentence)


def _quarantine_unknown() -> str:
    moved = [imports.quarantine(path) for path in _unknown_folders()]
    return f"{len(moved):,} of them were moved to {data_folder() / imports.QUARANTINE}."


def _list_names(paths: Sequence[Path]) -> str:
    """Return the first names of a list as text, and the number of further names."""
    return listed([path.name for path in paths], LISTED)
