"""Import of data sets from files of any format, and repair of damaged imports."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets import action_archives, imports, intake, table, xlsa17
from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.facts import recognise
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError, require_known
from zslcore.storage.artifacts import CorruptFolderError
from zslcore.storage.files import data_folder
from zslcore.texts import clean_text, listed, refusal_of
from zslcore.untrusted.client import Role, read_arrays, refuse_changes
from zslcore.untrusted.combined import MAX_FILES

#: Modules that each read one format of releases (:mod:`zslcore.datasets.release`); the first that
#: recognises the source reads it. The last two accept all sources: ``table`` any file, ``xlsa17``
#: any folder.
READERS = (action_archives, table, xlsa17)


def reader_of(source: Path) -> Any:
    """Return the first of :data:`READERS` that recognises a file or a folder."""
    return next(reader for reader in READERS if reader.can_read(source))


def import_dataset(
    source: ZSLDataset | str | os.PathLike[str], *, pretraining: Sequence[str] = (), **options: Any
) -> ZSLDataset:
    """Import a data set permanently, for :func:`zslcore.datasets.load` by name.

    Parameters
    ----------
    source : a folder in the xlsa17 layout, a released folder of actions, a folder of Parquet files,
        a file, or a data set in memory
    pretraining : names of pre-training vocabularies, if the files do not state them; ``("none",)``
        for features without pre-training. A data set in memory declares its own.
    **options : ``name`` of the import; further files (``more``) and the array chosen for each part
        (``choices``), as in :func:`zslcore.datasets.intake.find`; other options of the reader's
        ``find`` (:data:`READERS`)
    """
    if isinstance(source, ZSLDataset):
        if pretraining:
            raise ParameterError(
                "A data set in memory declares its own pretraining; expected no other declaration; "
                f"got {', '.join(pretraining)}."
            )
        name = options.pop("name", None) or imports.import_name(source.name)
        return imports.import_read_dataset(source, name)
    further = [*options.get("more", ()), *options.values()]
    paths = [Path(file) for file in (source, *further) if isinstance(file, str | os.PathLike)]
    with refuse_changes(paths):
        return _import_files(Path(source), pretraining, options)


def _import_files(source: Path, pretraining: Sequence[str], options: dict[str, Any]) -> ZSLDataset:
    name = options.pop("name", None)
    more, choices = options.pop("more", ()), options.pop("choices", None)
    if paths := files_of_intake(source, more, choices):
        if "prototypes" in options:
            paths, choices = intake.add_prototypes(paths, choices, options.pop("prototypes"))
        release = intake.find(paths, choices=choices, **options)
    else:
        release = reader_of(source).find(source, **options)
    dataset: ZSLDataset = release.import_dataset(name, pretraining)
    return dataset


def files_of_intake(
    source: Path, more: Sequence[str | Path] = (), choices: Mapping[str, str] | None = None
) -> list[Path]:
    """Return the files that :mod:`zslcore.datasets.intake` reads; [] for another reader's files.

    The intake reads several files, a folder of Parquet files or of files with one array each, files
    with chosen arrays, and files whose array names :mod:`zslcore.datasets.table` does not
    recognise.
    """
    files = [Path(path) for path in more]
    if reader_of(source) not in (table, xlsa17):
        return []
    if source.is_dir():
        return [*(intake.parquet_files(source) or _files_of_arrays(source)), *files]
    if source.is_file() and (files or choices or not table.is_table(source)):
        return [source, *files]
    return []


def _files_of_arrays(folder: Path) -> list[Path]:
    """Return the files of a folder with one array per file, without notes in Markdown.

    A folder in another layout gives []. Raises a FileRefusedError if arrays are next to subfolders
    or in too many files.
    """
    paths = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
    files = [path for path in paths if path.suffix.lower() != ".md"]
    if any(path.suffix == ".mat" for path in files) or len(files) < 2:
        return []
    are_few_files = len(files) <= MAX_FILES and all(path.is_file() for path in files)
    if not are_few_files and any(path.suffix in (".npy", ".npz") for path in files):
        names = [clean_text(f"{path.name}{'/' * path.is_dir()}", 60) for path in files]
        raise refusal_of(
            folder, f"at most {MAX_FILES} files with one array each, no folder", listed(names)
        )
    return files if are_few_files else []


def propose_name(source: Path, splits: str = "") -> str:
    """Propose the name of an import: the benchmark of its classes and the name of its file.

    For ``vgg_fc7.mat`` with the 200 classes of CUB it is ``CUB-vgg_fc7``. In the xlsa17 layout,
    ``splits`` names the file in the same folder that has the class names.
    """
    stem = imports.import_name(source.stem)
    try:
        class_names, labels = _peek(source, source.with_name(splits) if splits else None)
    except FileRefusedError:  # the import itself reports the error
        return stem
    recognised = recognise(class_names, labels)
    if recognised is None:
        return stem
    benchmark = recognised.benchmark or "AWA"
    named = stem.lower().startswith(benchmark.lower())
    return stem if named else imports.import_name(f"{benchmark}-{stem}")


def _peek(source: Path, splits: Path | None) -> tuple[tuple[str, ...], np.ndarray]:
    """Read only class names and 0-based labels; each is empty if missing in the file."""
    if source.suffix.lower() == ".csv":
        return (), np.empty(0, int)
    where: dict[str, tuple[Path, Role]] = {"labels": (source, "numbers")}
    where |= {"allclasses_names" if splits else "class_names": (splits or source, "names")}
    parts: dict[str, Any] = {}
    for variable, (path, role) in where.items():
        read = read_arrays(path, {variable: role}, required=())
        parts |= read.arrays | read.names
    labels = parts.pop("labels", np.empty(0, int))
    return next(iter(parts.values()), ()), labels - 1 if splits else labels


def open_dataset(name: str) -> ZSLDataset:
    """Open an imported data set; if damaged, import it again from its source.

    Raises DatasetError if the repair fails, NewerVersionError for an import of a newer version.
    """
    require_known("imported data set", name, imports.names())
    try:
        return imports.open_import(name)
    except CorruptFolderError as error:
        return _repair(name, str(error))


def _repair(name: str, why: str) -> ZSLDataset:
    """Repair a damaged import from its copies or its source, and open it."""
    if imports.restore_manifest(name):
        return imports.open_import(name)
    recipe = imports.recipe_of(name)
    source = recipe.get("path", "")
    if not source or not Path(source).exists():
        raise DatasetError(
            f"The import {name!r} in {data_folder() / 'imported'} is damaged ({why}) and "
            f"{f'its source {source} is gone' if source else 'its source is not known'}; "
            f"import it again with 'zslcore import'."
        )
    declared = recipe.get("pretraining", ())
    return import_dataset(source, name=name, pretraining=declared, **recipe.get("options", {}))
