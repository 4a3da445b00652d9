"""Whether everything in the data folder is as it should be, and mending what can be mended."""

from __future__ import annotations

import os
import platform
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed
from pathlib import Path

from zslcore import kept
from zslcore.datasets import imports
from zslcore.datasets.importing import open_dataset
from zslcore.exceptions import ZSLError
from zslcore.files import data_folder
from zslcore.jobs.runner import is_intact
from zslcore.kept import TornError
from zslcore.mending import damage_of, mend, refusal_of
from zslcore.runs import RunStore
from zslcore.version import sources, version

__all__ = ["Finding", "examine", "sweep_leftovers"]

#: Bytes that should be free for the next import or result.
ROOM = 1 << 30
#: Files that were being written when their process was killed; see ``zslcore.files``.
DRAFT = re.compile(r"\..+\.[0-9a-f]{32}")
LIBRARIES = ("numpy", "scipy", "scikit-learn", "torch", "h5py", "streamlit")


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at and how it is.

    Attributes
    ----------
    what : "store", "imports", ...
    well : whether nothing is to be done
    sentence : what was found
    mend : mends it and returns what was done in a sentence; None where nobody but a person can
    """

    what: str
    well: bool
    sentence: str
    mend: Callable[[], str] | None = None


def examine() -> Iterator[Finding]:
    """Look at versions, room, store, imports, jobs and leftovers, one after the other."""
    yield _versions()
    yield _room()
    yield from _store()
    yield from _imports()
    yield from _jobs()
    yield _leftovers()


def sweep_leftovers() -> int:
    """Remove what killed processes have left in the data folder; return how many things.

    A folder goes when its owner has died, and what has no owner when it is a day old.
    """
    left = _abandoned()
    for path in left:
        if path.is_dir():
            kept.discard(path)
        else:
            path.unlink(missing_ok=True)
    return len(left)


def _abandoned() -> list[Path]:
    root = data_folder()
    pointed_at = imports.folders()
    folders = [*(root / kept.SCRATCH).glob("*/"), *(root / "jobs").glob(".*/")]
    folders += [path for path in (root / "imported").glob("*/") if path not in pointed_at]
    drafts = [path for path in root.glob(".*") if DRAFT.fullmatch(path.name)]
    drafts += [path for path in root.glob("*/.*") if DRAFT.fullmatch(path.name)]
    return [path for path in (*folders, *drafts) if kept.is_abandoned(path)]


def _versions() -> Finding:
    found = []
    for name in LIBRARIES:
        try:
            found.append(f"{name} {installed(name)}")
        except PackageNotFoundError:
            found.append(f"{name} is missing")
    missing = [text for text in found if "missing" in text]
    made = f"zslcore {version()} (sources {sources()}), Python {platform.python_version()}"
    words = f"{made}, {', '.join(found)}."
    return Finding("versions", not missing, words)


def _room() -> Finding:
    root = data_folder()
    there = next((path for path in (root, *root.parents) if path.is_dir()), Path("/"))
    free = shutil.disk_usage(there).free
    if not os.access(there, os.W_OK) or (root.exists() and not root.is_dir()):
        return Finding("room", False, f"Nothing can be written in {root}.")
    return Finding("room", free >= ROOM, f"{free / 2**30:.1f} GiB are free in {root}.")


def _store() -> Iterator[Finding]:
    store = RunStore()
    if damage := damage_of(store):
        said = f"{store.path} is damaged ({damage.rstrip('.')})."
        yield Finding("store", False, said, lambda: mend(store))
        return
    if not store.path.exists():
        yield Finding("store", True, f"Nothing is kept in {store.path} yet.")
        return
    try:
        unreadable, results = store.unreadable(), len(store.kept())
    except ZSLError as error:
        yield Finding("store", False, str(error))
        return
    yield Finding(
        "store", True, f"{results:,} results are kept in {store.path}. {unreadable}".strip()
    )
    if refusal := refusal_of(store):
        yield Finding("store", False, refusal)


def _imports() -> Iterator[Finding]:
    names, torn = imports.names(), 0
    for name in names:
        try:
            imports.open_import(name)
        except TornError as error:
            torn += 1
            said = f"The import {name!r} is damaged: {error}."
            yield Finding("imports", False, said, partial(_imported_again, name))
    if not torn:
        yield Finding("imports", True, f"{len(names):,} imports are whole.")


def _imported_again(name: str) -> str:
    open_dataset(name)
    return f"The import {name!r} was made again from its source."


def _jobs() -> Iterator[Finding]:
    folders = [path for path in (data_folder() / "jobs").glob("*/") if path.name[0] != "."]
    torn = [path for path in folders if not is_intact(path)]
    for path in torn:
        said = f"The result {path.name} of a job is damaged."
        yield Finding("jobs", False, said, partial(_discarded, path))
    if not torn:
        yield Finding("jobs", True, f"{len(folders):,} results of jobs are whole.")


def _discarded(path: Path) -> str:
    kept.discard(path)
    return f"The result {path.name} was removed; it is computed again when it is asked for."


def _leftovers() -> Finding:
    left = len(_abandoned())
    if not left:
        return Finding("leftovers", True, "Killed processes have left nothing.")
    said = f"Killed processes have left {left:,} folders and files."
    return Finding("leftovers", False, said, lambda: f"{sweep_leftovers():,} of them were removed.")
