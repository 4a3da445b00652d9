"""Importing a data set from whatever holds it, and importing a damaged one again."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets import action_archives, imports, table
from zslcore.datasets.base import ZSLDataset
from zslcore.datasets.benchmarks import recognise
from zslcore.datasets.sandbox.client import Role, read_arrays
from zslcore.datasets.xlsa17 import read_xlsa17
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError, closest_name
from zslcore.storage import artifacts
from zslcore.storage.artifacts import TornError
from zslcore.storage.files import data_folder


def import_dataset(
    source: ZSLDataset | str | os.PathLike[str], *, pretraining: Sequence[str] = (), **options: Any
) -> ZSLDataset:
    """Import a data set permanently; afterwards :func:`zslcore.datasets.load` knows its name.

    Parameters
    ----------
    source : a folder in the xlsa17 layout, a released folder of actions, a table file, or a data
        set that is already read
    pretraining : names of pre-training vocabularies, where the files do not say them
        "none" for features trained on nothing; a data set that is already read declares its own.
    **options : of :func:`read_xlsa17`, ``action_archives.find_action_archive`` or
        ``table.read_table``; ``name`` names the import
    """
    if isinstance(source, ZSLDataset):
        if pretraining:
            raise ParameterError(
                "A data set that is already read declares its own pretraining; expected none "
                f"next to it, got {', '.join(pretraining)}."
            )
        name = options.pop("name", None) or imports.import_name(source.name)
        return imports.keep_dataset(source, name)
    if Path(source).is_file():
        return _import_table(Path(source), pretraining, **options)
    if action_archives.holds_action_archive(Path(source)):
        return _import_action_folder(Path(source), pretraining, **options)
    return read_xlsa17(source, pretraining=pretraining, **options)


def proposed_name(source: Path, splits: str = "") -> str:
    """Return a name for an import: after the file, and the benchmark whose classes it has.

    ``vgg_fc7.mat`` with the 200 classes of CUB gives ``CUB-vgg_fc7``. In the xlsa17 layout,
    ``splits`` names the file next to it that has the class names. Nothing follows from the name.
    """
    stem = imports.import_name(source.stem)
    try:
        class_names, labels = _peek(source, source.with_name(splits) if splits else None)
    except FileRefusedError:  # importing says why, in its own words
        return stem
    known = recognise(class_names, labels)
    if known is None:
        return stem
    benchmark = known.benchmark or "AWA"
    named = stem.lower().startswith(benchmark.lower())
    return stem if named else imports.import_name(f"{benchmark}-{stem}")


def _peek(source: Path, splits: Path | None) -> tuple[tuple[str, ...], np.ndarray]:
    """Read class names and 0-based labels alone; nothing where a file has none."""
    if source.suffix.lower() == ".csv":
        return (), np.empty(0, int)
    where: dict[str, tuple[Path, Role]] = {"labels": (source, "numbers")}
    where |= {"allclasses_names" if splits else "class_names": (splits or source, "names")}
    found: dict[str, Any] = {}
    for variable, (path, role) in where.items():
        with artifacts.scratch() as folder:
            read = read_arrays(path, {variable: role}, folder, required=())
            found |= {name: np.array(values) for name, values in read.arrays.items()} | read.names
    labels = found.pop("labels", np.empty(0, int))
    return next(iter(found.values()), ()), labels - 1 if splits else labels


def open_dataset(name: str) -> ZSLDataset:
    """Open an imported data set; a damaged one is imported again from its source.

    Raises DatasetError where that cannot be done, NewerVersionError for one of a newer version.
    """
    if name not in imports.names():
        raise closest_name("imported data set", name, imports.names())
    try:
        return imports.open_import(name)
    except TornError:
        pass
    try:
        return imports.open_import(name)  # another process may have replaced it meanwhile
    except TornError as torn:
        return _again(name, str(torn))


def _import_table(
    path: Path, pretraining: Sequence[str], name: str | None = None, **options: Any
) -> ZSLDataset:
    name = name or imports.import_name(path.stem)
    if options.get("prototypes"):
        options["prototypes"] = str(Path(options["prototypes"]).resolve())
    sources = [path.resolve()]
    sources += [Path(options["prototypes"])] if options.get("prototypes") else []
    recipe = imports.Recipe(str(path.resolve()), options, sources, table.REVISION, pretraining)
    return imports.keep(
        name, recipe, lambda into: table.read_table(path, name=name, into=into, **options)
    )


def _import_action_folder(
    path: Path,
    pretraining: Sequence[str],
    name: str | None = None,
    embedding: str = "word2vec",
    **options: Any,
) -> ZSLDataset:
    if unread := [key for key in options if key not in ("features", "splits")]:
        raise ParameterError(
            f"A released folder of actions takes features, splits and embedding; got {unread[0]}."
        )
    archive = action_archives.find_action_archive(path, **options)
    of_files = {"features": archive.features.name, "embedding": embedding}
    if archive.semantics is not None:
        of_files["splits"] = archive.splits[0].name
    made_by = (str(path.resolve()), of_files, archive.sources(), action_archives.REVISION)
    usual = embedding == "word2vec"
    name = name or imports.import_name(archive.name if usual else f"{archive.name}-{embedding}")
    return imports.keep(
        name,
        imports.Recipe(*made_by, pretraining),
        lambda into: action_archives.read_action_archive(
            archive, embedding=embedding, pretraining=pretraining, name=name, into=into
        ),
    )


def _again(name: str, why: str) -> ZSLDataset:
    """Open a damaged import from its copies or its source, or say why that cannot be done."""
    if imports.restored(name):
        return imports.open_import(name)
    recipe = imports.recipe_of(name)
    source = recipe.get("path", "")
    if not source or not Path(source).exists():
        raise DatasetError(
            f"The import {name!r} in {data_folder() / 'imported'} is damaged ({why}) and "
            f"{f'its source {source} is gone' if source else 'its source is not known'}; "
            f"import it again with 'python -m zslcore import'."
        )
    declared = recipe.get("pretraining", ())
    return import_dataset(source, name=name, pretraining=declared, **recipe.get("options", {}))
