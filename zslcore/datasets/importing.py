"""Importing a data set from whatever holds it, and importing a damaged one again."""

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
from zslcore.storage import artifacts
from zslcore.storage.artifacts import CorruptFolderError
from zslcore.storage.files import data_folder
from zslcore.untrusted.client import Role, read_arrays

#: Modules that read a form of release each (:mod:`zslcore.datasets.release`); the first that knows
#: what is there reads it.
READERS = (table, action_archives, xlsa17)


def import_dataset(
    source: ZSLDataset | str | os.PathLike[str], *, pretraining: Sequence[str] = (), **options: Any
) -> ZSLDataset:
    """Import a data set permanently; afterwards :func:`zslcore.datasets.load` knows its name.

    Parameters
    ----------
    source : a folder in the xlsa17 layout, a released folder of actions, a folder of Parquet files,
        a file, or a data set that is already read
    pretraining : names of pre-training vocabularies, where the files do not say them
        "none" for features trained on nothing; a data set that is already read declares its own.
    **options : of the ``find`` of the reader, one of :data:`READERS`; ``name`` names the import
        ``more`` lists further files and ``choices`` the arrays of parts, as
        :func:`zslcore.datasets.intake.find` takes them.
    """
    if isinstance(source, ZSLDataset):
        if pretraining:
            raise ParameterError(
                "A data set that is already read declares its own pretraining; expected none "
                f"next to it, got {', '.join(pretraining)}."
            )
        name = options.pop("name", None) or imports.import_name(source.name)
        return imports.import_read_dataset(source, name)
    name = options.pop("name", None)
    more, choices = options.pop("more", ()), options.pop("choices", None)
    if paths := files_of_intake(Path(source), more, choices):
        if "prototypes" in options:
            paths, choices = intake.with_file(paths, choices, options.pop("prototypes"))
        release = intake.find(paths, choices=choices, **options)
    else:
        reader = next(each for each in READERS if each.can_read(Path(source)))
        release = reader.find(Path(source), **options)
    dataset: ZSLDataset = release.import_dataset(name, pretraining)
    return dataset


def files_of_intake(
    source: Path, more: Sequence[str | Path] = (), choices: Mapping[str, str] | None = None
) -> list[Path]:
    """Return the files that :mod:`zslcore.datasets.intake` reads; none where another reader does.

    It reads several files, a folder of Parquet files, arrays that are chosen, and files whose
    arrays are not called as :mod:`zslcore.datasets.table` has them.
    """
    files = [Path(path) for path in more]
    if source.is_dir() and not action_archives.can_read(source):
        return [*intake.parquet_files(source), *files]
    if source.is_file() and (files or choices or not table.is_table(source)):
        return [source, *files]
    return []


def proposed_name(source: Path, splits: str = "") -> str:
    """Return a name for an import: after the file, and the benchmark of its classes.

    ``vgg_fc7.mat`` with the 200 classes of CUB gives ``CUB-vgg_fc7``. In the xlsa17 layout,
    ``splits`` names the file next to it that has the class names. Nothing follows from the name.
    """
    stem = imports.import_name(source.stem)
    try:
        class_names, labels = _peek(source, source.with_name(splits) if splits else None)
    except FileRefusedError:  # importing says why, in its own words
        return stem
    recognised = recognise(class_names, labels)
    if recognised is None:
        return stem
    benchmark = recognised.benchmark or "AWA"
    named = stem.lower().startswith(benchmark.lower())
    return stem if named else imports.import_name(f"{benchmark}-{stem}")


def _peek(source: Path, splits: Path | None) -> tuple[tuple[str, ...], np.ndarray]:
    """Read class names and 0-based labels alone; nothing where a file has none."""
    if source.suffix.lower() == ".csv":
        return (), np.empty(0, int)
    where: dict[str, tuple[Path, Role]] = {"labels": (source, "numbers")}
    where |= {"allclasses_names" if splits else "class_names": (splits or source, "names")}
    parts: dict[str, Any] = {}
    for variable, (path, role) in where.items():
        with artifacts.scratch() as folder:
            read = read_arrays(path, {variable: role}, folder, required=())
            parts |= {name: np.array(values) for name, values in read.arrays.items()} | read.names
    labels = parts.pop("labels", np.empty(0, int))
    return next(iter(parts.values()), ()), labels - 1 if splits else labels


def open_dataset(name: str) -> ZSLDataset:
    """Open an imported data set; a damaged one is imported again from its source.

    Raises DatasetError where that cannot be done, NewerVersionError for one of a newer version.
    """
    require_known("imported data set", name, imports.names())
    try:
        return imports.open_import(name)
    except CorruptFolderError as torn:
        return _again(name, str(torn))


def _again(name: str, why: str) -> ZSLDataset:
    """Open a damaged import from its copies or its source, or say why that cannot be done."""
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
