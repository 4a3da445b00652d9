"""Stored imports, read once in the sandbox and then opened as read-only memory maps.

An import is a folder of ``.npy`` files that never change, and a manifest ``<name>.json`` that names
the folder. The import exists once the manifest is written, which is a single step; a copy in the
folder can restore the manifest. If files differ from the manifest, the import is not opened;
:mod:`zslcore.datasets.importing` repeats it from its source.

A folder is deleted only if it is marked as a draft, no manifest names it, and every manifest is
readable. The command ``zslcore doctor`` moves an unmarked folder that no manifest names to the
quarantine, since it may be an import of another version.
"""

from __future__ import annotations

import json
import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any
from uuid import uuid4

import numpy as np

from zslcore.datasets.base import Fold, Split, ZSLDataset
from zslcore.datasets.facts import FINE_TUNED, check_pretraining
from zslcore.exceptions import DatasetError, NewerVersionError, ParameterError, ZSLError
from zslcore.names import readable_names
from zslcore.storage import artifacts, settings
from zslcore.storage.arrays import write_rows
from zslcore.storage.artifacts import CorruptFolderError
from zslcore.storage.files import (
    FACTS,
    data_folder,
    open_atomically,
    read_csv_rows,
    reraise_write_errors,
)

#: Increased when the files or the manifest of an import change their meaning.
SCHEMA = 1
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_+-]*(\.[A-Za-z0-9_+-]+)*")
MAX_NAME = 64
#: File of the names of image files; imports of earlier versions lack it.
IMAGE_FILES = "image_files.npy"
#: Arrays of a split, in the order of its fields.
SPLIT_ARRAYS = ("trainval", "test_seen", "test_unseen", "seen_classes", "unseen_classes")
#: Copy of the manifest in the folder of an import; hidden files are not listed in the manifest.
COPY = ".manifest.json"
#: Maximum number of attempts to open an import that other processes keep replacing.
TRIES = 10
#: Subfolder of the data folder for files without a readable import.
QUARANTINE = "quarantine"


@dataclass(frozen=True)
class Recipe:
    """Instructions to repeat an import.

    ``path`` and ``options`` are arguments of :func:`zslcore.datasets.importing.import_dataset`,
    ``sources`` the files that were read. The sources are read again when the reader's ``revision``
    changes.
    """

    path: str
    options: dict[str, Any]
    sources: Sequence[Path]
    revision: int = 1
    pretraining: Sequence[str] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the recipe with size and modification time of each source.

        Without declared pre-training, the recipe equals a recipe of earlier versions, which lack
        the field.
        """
        states = [
            {"path": str(path), "size": path.stat().st_size, "mtime_ns": path.stat().st_mtime_ns}
            for path in self.sources
        ]
        recipe = json.loads(json.dumps(asdict(self) | {"sources": states}, default=str))
        return recipe if self.pretraining else _omit_pretraining(recipe)


def _omit_pretraining(recipe: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in recipe.items() if key != "pretraining"}


def names() -> tuple[str, ...]:
    """Return the sorted names of the imported data sets."""
    stems = (path.stem for path in _root().glob("*.json"))
    return tuple(sorted(name for name in stems if NAME.fullmatch(name)))


def import_name(text: str) -> str:
    """Turn ``text``, such as a folder's name, into a name for an import."""
    return "-".join(re.findall(r"[A-Za-z0-9_+]+", text))[:MAX_NAME] or "imported"


def import_once(name: str, recipe: Recipe, read: Callable[[Path], ZSLDataset]) -> ZSLDataset:
    """Return the import made by ``recipe``, reading its sources only if they have changed.

    If the recipe declares no pre-training, an existing import keeps its declaration. ``read`` is
    called with an empty folder, may write ``features.npy`` there, and returns the data set.
    """
    _check_name(name)
    check_pretraining(recipe.pretraining)
    recipe_json = recipe.as_json()
    try:
        stored = _manifest(name)["recipe"]
        if recipe_json == (stored if recipe.pretraining else _omit_pretraining(stored)):
            return open_import(name)
    except CorruptFolderError:
        pass  # import again; a NewerVersionError is not caught
    return _store(name, recipe_json, read)


def import_read_dataset(dataset: ZSLDataset, name: str) -> ZSLDataset:
    """Import a data set from memory; a damaged import cannot be repaired from a source."""
    return _store(name, {}, lambda _: dataset)


def remove(name: str) -> None:
    """Delete an import; open memory maps stay valid.

    An unreadable manifest is moved to the quarantine; the folder that it names is unknown and kept.
    """
    _check_name(name)
    folder, manifest = _folder_of(name), _root() / f"{name}.json"
    if folder is None and manifest.exists():
        quarantine(manifest)
        return
    manifest.unlink(missing_ok=True)
    if folder is not None:
        _drop(folder)


def _drop(folder: Path) -> None:
    """Remove the folder of a deleted import; it stays a draft even if the removal stops."""
    with suppress(OSError):
        artifacts.mark_draft(folder)
    artifacts.discard(folder)


def version_token(name: str) -> str:
    """Return a token that changes when the import is replaced; "" without an import."""
    try:
        state = (_root() / f"{name}.json").stat()
    except (OSError, ValueError):
        return ""
    return f"{state.st_mtime_ns} {state.st_size} {state.st_ino}"


def abandoned_drafts() -> list[Path]:
    """Return the drafts of killed imports; [] while any manifest is unreadable."""
    return [folder for folder in _unnamed_folders() if artifacts.is_abandoned(folder)]


def unknown_folders() -> list[Path]:
    """Return folders older than a day that are neither drafts nor named by a manifest.

    The list is empty while any manifest is unreadable.
    """
    day_old = time.time() - artifacts.ABANDONED
    return [
        folder
        for folder in _unnamed_folders()
        if not artifacts.is_draft(folder) and artifacts.last_modified(folder) < day_old
    ]


def _unnamed_folders() -> list[Path]:
    """Return the folders that no manifest names; [] while any manifest is unreadable."""
    # List folders first: if an import ends meanwhile, its manifest is then also read.
    folders = [path for path in _root().glob("*/") if not path.is_symlink()]
    named = {_folder_of(path.stem) for path in _root().glob("*.json")}
    return [] if None in named else [path for path in folders if path not in named]


def quarantine(path: Path) -> Path:
    """Move a file or folder to the quarantine under a free name; return its new path."""
    into = data_folder() / QUARANTINE / f"{uuid4().hex[:8]}.{path.name}"
    into.parent.mkdir(parents=True, exist_ok=True)
    os.replace(path, into)
    return into


def restore_manifest(name: str) -> bool:
    """Restore a damaged manifest from the copy in the import's folder; return True if restored.

    If the files of several folders of this name match their copies, the newest is used.
    """
    manifest = _root() / f"{name}.json"
    try:
        _manifest(name)
        return False
    except CorruptFolderError:
        if not manifest.exists():  # the import was deleted, not damaged
            return False
    folders = [path for path in _root().glob(f"{name}.*/") if path.name.rpartition(".")[0] == name]
    copies = [folder for folder in folders if _agrees_with_copy(folder, name)]
    if not copies:
        return False
    try:
        copy = max(copies, key=lambda folder: (folder / COPY).stat().st_mtime) / COPY
        content = copy.read_bytes()
    except OSError:  # another process has removed the folder
        return False
    with open_atomically(manifest) as file:
        file.write(content)
    return True


def _agrees_with_copy(folder: Path, name: str) -> bool:
    try:
        manifest = _read(folder / COPY, name)
        artifacts.verify(folder, manifest["files"])
        return manifest["folder"] == folder.name
    except (CorruptFolderError, NewerVersionError, KeyError, TypeError, AttributeError, OSError):
        return False


def _read_manifest_or_empty(name: str) -> dict[str, Any]:
    """Return the manifest of an import; empty if unreadable."""
    try:
        return _manifest(name)
    except ZSLError:  # the manifest is corrupt, or of a newer version
        return {}


def recipe_of(name: str) -> dict[str, Any]:
    """Return the recipe of an import; empty if unknown."""
    return _read_manifest_or_empty(name).get("recipe", {})


def size_of(root: Path) -> int:
    """Return the bytes of all files below a folder; files may vanish during the count."""
    size = 0
    for folder, _, files in os.walk(root):
        for name in files:
            with suppress(OSError):
                size += os.lstat(os.path.join(folder, name)).st_size
    return size


def refuse_overfull(root: Path, name: str) -> None:
    """Refuse an import that makes ``root`` larger than ``ZSL_MAX_IMPORTS`` bytes."""
    most, size = settings.MAX_IMPORTS(), size_of(root)
    if size > most:
        raise DatasetError(
            f"{name}: expected all imports to take at most {most:,} bytes (ZSL_MAX_IMPORTS); got "
            f"{size:,} with this one; remove one in {root} first."
        )


def is_simulated(name: str) -> bool:
    """Whether an import holds simulated features; False if it cannot be read."""
    return _read_manifest_or_empty(name).get("simulated") is True


def _root() -> Path:
    return data_folder() / "imported"


def _check_name(name: str) -> None:
    if len(name) > MAX_NAME or not NAME.fullmatch(name):
        raise ParameterError(
            f"A data set's name must be at most {MAX_NAME} letters, digits, '-', '_', '+' and "
            f"single dots; got {name!r}."
        )


def _refuse_builtin_name(name: str) -> None:
    """Refuse the name of a built-in data set."""
    from zslcore.datasets.simulated_names import simulated_makers

    if name in ("digits", *simulated_makers()):
        raise ParameterError(f"{name!r} is the name of a built-in data set; choose another name.")


def _store(
    name: str, recipe_json: dict[str, Any], read: Callable[[Path], ZSLDataset]
) -> ZSLDataset:
    """Read into a new folder, then publish the manifest that names it."""
    _check_name(name)
    _refuse_builtin_name(name)
    with reraise_write_errors(f"The import {name!r}"):
        _write_import(name, recipe_json, read)
    try:
        return open_import(name)
    except CorruptFolderError as error:
        raise DatasetError(
            f"The import {name!r} was removed by another process in the meantime ({error}); "
            "import it again."
        ) from error


def _write_import(
    name: str, recipe_json: dict[str, Any], read: Callable[[Path], ZSLDataset]
) -> None:
    _refuse_newer(name)
    for abandoned_draft in abandoned_drafts():
        artifacts.discard(abandoned_draft)
    folder = artifacts.draft(_root(), f"{name}.")
    try:
        refuse_overfull(_root(), name)
        dataset = read(folder)
        declared = {
            "pretraining": _resolve_pretraining(dataset, recipe_json.get("pretraining", ()))
        }
        manifest = _write(dataset, folder) | {"name": name, "recipe": recipe_json} | declared
        refuse_overfull(_root(), name)
        previous = _publish_manifest(name, folder, json.dumps(manifest, indent=1).encode())
    except BaseException:
        artifacts.discard(folder)
        raise
    with suppress(OSError):  # after publishing, since folders without this mark are never deleted
        artifacts.unmark_draft(folder)
    if previous:
        _drop(previous)


def _resolve_pretraining(dataset: ZSLDataset, pretraining: Sequence[str]) -> tuple[str, ...]:
    """Return the pre-training sets of the features; refuse sets that contradict the files."""
    if pretraining and dataset.simulated:
        raise DatasetError(
            "The features are simulated, because the files have none; expected no pre-training; "
            f"got {', '.join(pretraining)}."
        )
    lists = {*pretraining} - {*FINE_TUNED}
    if lists and dataset.pretraining and lists != {*dataset.pretraining} - {*FINE_TUNED}:
        raise DatasetError(
            f"The file says that its features were trained on {', '.join(dataset.pretraining)}; "
            f"got {', '.join(pretraining)}."
        )
    return tuple(check_pretraining([*dict.fromkeys((*dataset.pretraining, *pretraining))]))


def _publish_manifest(name: str, folder: Path, manifest: bytes) -> Path | None:
    """Publish the manifest atomically; return the folder of the previous import."""
    with open_atomically(folder / COPY) as file:
        file.write(manifest)
    (folder / COPY).chmod(0o444)
    _refuse_newer(name)
    path, previous = _root() / f"{name}.json", _folder_of(name)
    if previous is None and path.exists():
        with suppress(FileNotFoundError):
            quarantine(path)
    with open_atomically(path) as file:
        file.write(manifest)
    return previous


def _refuse_newer(name: str) -> None:
    """Refuse to replace an import of a newer version."""
    with suppress(CorruptFolderError):
        _manifest(name)


def _write(dataset: ZSLDataset, folder: Path) -> dict[str, Any]:
    """Write the arrays of ``dataset`` into ``folder`` and return the manifest."""
    _write_matrix(folder / "features.npy", dataset.features)
    arrays = {"labels.npy": dataset.labels, "prototypes.npy": dataset.prototypes}
    arrays |= {} if dataset.images is None else {"images.npy": dataset.images}
    arrays |= {IMAGE_FILES: np.array(dataset.image_files)} if dataset.image_files else {}
    for file, array in arrays.items():
        np.save(folder / file, array, allow_pickle=False)
    np.savez(folder / "splits.npz", allow_pickle=False, **_split_arrays(dataset))
    files = [folder / file for file in ("features.npy", "splits.npz", *arrays)]
    for extra in set(folder.iterdir()) - {*files, folder / artifacts.OWNER}:
        extra.unlink()
    return {
        "schema": SCHEMA,
        "digest": dataset.digest,
        "source": dataset.source,
        "simulated": dataset.simulated,
        "class_names": dataset.class_names,
        "attribute_names": dataset.attribute_names,
        "splits": [
            {"name": split.name, "note": split.note, "folds": len(split.folds)}
            for split in dataset.splits.values()
        ],
        "folder": folder.name,
        "files": artifacts.seal(files),
    }


def _write_matrix(path: Path, matrix: np.ndarray) -> None:
    """Write a matrix block by block, unless the reader has already written it."""
    mapped_file = matrix.filename if isinstance(matrix, np.memmap) else None
    if mapped_file is not None and Path(mapped_file) == path.resolve():
        return
    starts = range(0, len(matrix), 4096)
    write_rows(path, (matrix[start : start + 4096] for start in starts), matrix.shape[1])


def _split_arrays(dataset: ZSLDataset) -> dict[str, np.ndarray]:
    """Return the arrays of all splits, named by position: ``0.trainval``, ``0.fold1.val`` ..."""
    arrays: dict[str, np.ndarray] = {}
    for i, split in enumerate(dataset.splits.values()):
        arrays |= {f"{i}.{part}": getattr(split, part) for part in SPLIT_ARRAYS}
        for k, fold in enumerate(split.folds):
            arrays |= {f"{i}.fold{k}.train": fold.train, f"{i}.fold{k}.val": fold.val}
    return arrays


def _manifest(name: str) -> dict[str, Any]:
    return _read(_root() / f"{name}.json", name)


def _read(path: Path, name: str) -> dict[str, Any]:
    """Read a manifest; refuse a manifest of a newer version, and any other file."""
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        raise CorruptFolderError("its manifest cannot be read") from None
    schema = manifest.get("schema") if isinstance(manifest, dict) else None
    if isinstance(schema, int) and schema > SCHEMA:
        raise NewerVersionError(
            f"The import {name!r} was made by a newer version of zslcore (schema {schema}, this "
            f"version reads {SCHEMA}); update zslcore, or import under another name."
        )
    if schema != SCHEMA:
        raise CorruptFolderError("its manifest was written by another version or program")
    if manifest.get("name") != name or not isinstance(manifest.get("recipe"), dict):
        raise CorruptFolderError("its manifest belongs to another import")
    return manifest


def open_import(name: str) -> ZSLDataset:
    """Open an import; raise CorruptFolderError if its files differ from the manifest.

    Another process may replace the import and remove the files of the manifest just read: the
    import is then opened again.
    """
    for _ in range(TRIES):
        before = version_token(name)
        try:
            return _open(name)
        except CorruptFolderError:
            if before == version_token(name):
                raise
    return _open(name)


def _open(name: str) -> ZSLDataset:
    manifest = _manifest(name)
    try:
        folder = _root() / Path(manifest["folder"]).name
        artifacts.verify(folder, manifest["files"])
        return _dataset(folder, manifest)
    except CorruptFolderError:
        raise
    except (KeyError, TypeError, AttributeError, ValueError, OSError, DatasetError) as error:
        raise CorruptFolderError(
            f"its files do not fit together ({type(error).__name__})"
        ) from error


def _dataset(folder: Path, manifest: dict[str, Any]) -> ZSLDataset:
    images, image_files = folder / "images.npy", folder / IMAGE_FILES
    with np.load(folder / "splits.npz", allow_pickle=False) as arrays:
        splits = {
            facts["name"]: _split(arrays, i, facts) for i, facts in enumerate(manifest["splits"])
        }
    return ZSLDataset(
        name=manifest["name"],
        features=np.load(folder / "features.npy", mmap_mode="r", allow_pickle=False),
        labels=np.load(folder / "labels.npy", allow_pickle=False),
        prototypes=np.load(folder / "prototypes.npy", allow_pickle=False),
        class_names=readable_names(manifest["class_names"]),
        attribute_names=manifest["attribute_names"],
        splits=splits,
        source=manifest["source"],
        simulated=manifest["simulated"],
        images=np.load(images, mmap_mode="r", allow_pickle=False) if images.exists() else None,
        known_digest=manifest["digest"],
        image_files=np.load(image_files, allow_pickle=False) if image_files.exists() else (),
        pretraining=manifest.get("pretraining", ()),
    )


def _split(arrays: Mapping[str, np.ndarray], i: int, facts: dict[str, Any]) -> Split:
    trainval, test_seen, test_unseen, seen, unseen = (
        arrays[f"{i}.{part}"] for part in SPLIT_ARRAYS
    )
    folds = tuple(
        Fold(arrays[f"{i}.fold{k}.train"], arrays[f"{i}.fold{k}.val"])
        for k in range(facts["folds"])
    )
    return Split(
        facts["name"], trainval, test_seen, test_unseen, seen, unseen, folds, facts["note"]
    )


def _folder_of(name: str) -> Path | None:
    """Return the folder that a manifest names, None if the manifest is unreadable."""
    folder = _read_manifest_or_empty(name).get("folder")
    return _root() / Path(folder).name if isinstance(folder, str) else None


# --- Pre-training sets of features ----------------------------------------------------------------


def pretraining_of(dataset: ZSLDataset) -> tuple[str, ...]:
    """Return the pre-training sets of an open data set; () if unknown."""
    return dataset.pretraining or pretraining_by_name(dataset.name, dataset.digest)


def pretraining_by_name(name: str, digest: str) -> tuple[str, ...]:
    """Return the pre-training sets of a data set by its name and digest.

    They have the format of :attr:`zslcore.datasets.base.ZSLDataset.pretraining`; ``()`` if unknown.
    """
    from zslcore.datasets.simulated import SIMULATED, UNPLANTED

    if name == "digits" or name.endswith("-untrained"):
        return ("none",)
    if name in (*SIMULATED, *UNPLANTED):
        return ("imagenet-1k",)
    manifest = _read_manifest_or_empty(name)
    declared = manifest.get("pretraining") if manifest.get("digest") == digest else None
    if isinstance(declared, list) and declared:
        return tuple(map(str, declared))
    return known_features().get(digest, ())


@cache
def known_features() -> Mapping[str, tuple[str, ...]]:
    """Return the pre-training sets in ``data/known_features.csv``, by digest."""
    rows = read_csv_rows(FACTS / "known_features.csv")
    return MappingProxyType({row["digest"]: (row["pretraining"],) for row in rows})
