"""Export of data sets to MAT files in the xlsa17 layout, a NumPy archive, or Parquet.

===========  =======================================================================================
``mat``      ``res101.mat`` and ``att_splits.mat`` (:mod:`zslcore.datasets.xlsa17`): one image per
             column, labels and rows counted from 1; the folds as class lists in
             ``proposed_split/``; the standard split, if any, in ``standard_split/``
``npz``      ``NAME.npz`` (:mod:`zslcore.datasets.table`): rows counted from 0, no folds
``parquet``  ``NAME.parquet``, one row per image: ``label``, ``split``, ``image_file``, features;
             ``NAME-classes.parquet``, one row per class: ``class`` and embedding
===========  =======================================================================================

``README.txt`` states the digest, origin and pre-training of the data: no layout has the digest, and
only ``npz`` has origin and pre-training.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, BinaryIO

import numpy as np

from zslcore.datasets import imports
from zslcore.datasets.base import Fold, Split, ZSLDataset
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError, require_known
from zslcore.storage.files import open_atomically, refusal
from zslcore.texts import clean_text

#: Names of the files in the xlsa17 layout.
FEATURES, SPLITS, README = "res101.mat", "att_splits.mat", "README.txt"
#: Size in bytes that a variable of a MATLAB 5 file must stay below.
MAX_VARIABLE = 2**31
#: Rows of features copied at a time.
BLOCK = 4096

#: Function that writes one file.
Writer = Callable[[BinaryIO], None]


def export_dataset(
    dataset: ZSLDataset,
    folder: str | os.PathLike[str],
    *,
    split: str | None = None,
    form: str = "mat",
    overwrite: bool = False,
) -> list[Path]:
    """Write a data set and one of its splits to a folder.

    Parameters
    ----------
    dataset : data set of any origin
    folder : created if missing
    split : name of the split; by default PS, or the only split
    form : "mat", "npz" or "parquet"
    overwrite : replace files of the same names

    Returns
    -------
    list of Path
        Paths of the written files.

    Raises
    ------
    ParameterError
        For an unknown format, or if a file exists and ``overwrite`` is False; also if the folder
        has no room for the files, which are then not written.
    DatasetError
        When the features are too large for a MAT file, or when an image is in no part or in several
        parts of the split, which Parquet cannot store.
    ZSLError
        When the folder cannot be written to.
    """
    require_known("format", form, FORMATS)
    chosen = dataset.split(split)
    writers = dict(FORMATS[form](dataset, chosen))
    file_names = ", ".join(writers)
    writers[README] = _text(_readme_text(dataset, chosen, file_names))
    target = Path(folder)
    _check_folder(target, writers, overwrite=overwrite, size=_size(dataset, form))
    for name, write in writers.items():
        try:
            with open_atomically(target / name) as file:
                write(file)
        except OSError as error:
            raise refusal(error, target / name) from error
    return [target / name for name in writers]


def mat_of_split(
    parts: Mapping[str, np.ndarray],
    class_names: Sequence[str] = (),
    prototypes: np.ndarray | None = None,
    raw_prototypes: np.ndarray | None = None,
) -> dict[str, Any]:
    """Return the variables of ``att_splits.mat``.

    ``parts`` maps each part to its 0-based rows; prototypes have shape (n_classes, n_attributes).
    Rows are stored as integers, because released code uses them as indices without conversion.
    """
    content: dict[str, Any] = {f"{part}_loc": _column(rows + 1) for part, rows in parts.items()}
    if len(class_names):
        content["allclasses_names"] = _cell(class_names)
    for key, S in (("att", prototypes), ("original_att", raw_prototypes)):
        if S is not None:
            content[key] = np.asarray(S, dtype=np.float64).T
    return content


def save_mat(file: BinaryIO, content: Mapping[str, Any], *, compressed: bool = True) -> None:
    """Write variables as a MATLAB 5 file."""
    from scipy.io import savemat

    savemat(file, content, do_compression=compressed)  # type: ignore[arg-type]


def _column(numbers: np.ndarray) -> np.ndarray:
    return np.asarray(numbers, dtype=np.int32)[:, None]


def _cell(texts: Sequence[str]) -> np.ndarray:
    """Return a cell array of one column."""
    cell = np.empty((len(texts), 1), dtype=object)
    cell[:, 0] = list(texts)
    return cell


# --- The xlsa17 layout ----------------------------------------------------------------------------


def _mat_files(dataset: ZSLDataset, split: Split) -> Iterable[tuple[str, Writer]]:
    """Yield each file name of the layout with its writer."""
    size = 8 * dataset.features.shape[0] * dataset.features.shape[1]
    if size >= MAX_VARIABLE:
        raise DatasetError(
            f"{dataset.name}: expected features of less than {MAX_VARIABLE:,} bytes for a MAT "
            f"file; got {size:,}; --format npz has no such limit."
        )
    content: dict[str, Any] = {"labels": _column(dataset.labels + 1)}
    if dataset.image_files:
        content["image_files"] = _cell(dataset.image_files)

    def write_features(file: BinaryIO) -> None:
        features = np.asarray(dataset.features, dtype=np.float64).T
        save_mat(file, {"features": features} | content, compressed=False)

    yield FEATURES, write_features
    raw = _original_attributes(dataset)
    lists = "proposed_split/" if split.name.startswith("PS") else ""
    yield from _split_files(dataset, split, raw, "", lists)
    if split.name != "SS" and "SS" in dataset.splits:
        standard = dataset.splits["SS"]
        yield from _split_files(dataset, standard, raw, "standard_split/", "standard_split/")


def _split_files(
    dataset: ZSLDataset, split: Split, raw: np.ndarray | None, rows_folder: str, lists_folder: str
) -> Iterable[tuple[str, Writer]]:
    """Yield the split file and, if folds are sets of whole classes, the class lists."""
    rows = {"trainval": split.trainval, "test_unseen": split.test_unseen}
    rows |= {"test_seen": split.test_seen} if len(split.test_seen) else {}
    if split.folds:
        rows |= {"train": split.folds[0].train, "val": split.folds[0].val}
    content = mat_of_split(rows, dataset.class_names, dataset.prototypes, raw)
    yield f"{rows_folder}{SPLITS}", lambda file: save_mat(file, content)
    if not all(_is_of_classes(fold, split.trainval, dataset.labels) for fold in split.folds):
        return
    lists = {"trainvalclasses": split.seen_classes, "testclasses": split.unseen_classes}
    for k, fold in enumerate(split.folds, start=1):
        for part, rows_of_part in (("train", fold.train), ("val", fold.val)):
            lists[f"{part}classes{k}"] = np.unique(dataset.labels[rows_of_part])
    for name, classes in lists.items():
        lines = "".join(f"{dataset.class_names[c]}\n" for c in classes)
        yield f"{lists_folder}{name}.txt", _text(lines)


def _is_of_classes(fold: Fold, trainval: np.ndarray, labels: np.ndarray) -> bool:
    """Whether a fold follows from class lists: it must have all training rows of its classes."""
    of_classes = (np.isin(labels[trainval], labels[part]) for part in (fold.train, fold.val))
    rebuilt = (np.sort(trainval[inside]) for inside in of_classes)
    parts = (np.sort(part) for part in (fold.train, fold.val))
    return all(np.array_equal(a, b) for a, b in zip(rebuilt, parts, strict=True))


def _original_attributes(dataset: ZSLDataset) -> np.ndarray | None:
    """Return ``original_att`` from the split file of an import; None if the file is gone."""
    from zslcore.datasets.xlsa17 import read_split_arrays

    recipe = imports.recipe_of(dataset.name)
    options = recipe.get("options", {})
    if "splits" not in options or "prototypes" in options:
        return None
    try:
        stored = read_split_arrays(Path(recipe["path"]) / options["splits"])
    except FileRefusedError:  # the file is gone or replaced; the variable is optional
        return None
    same = np.array_equal(stored.get("att", ()), dataset.prototypes)
    return stored.get("original_att") if same else None


# --- Archive and Parquet --------------------------------------------------------------------------


def _npz_files(dataset: ZSLDataset, split: Split) -> Iterable[tuple[str, Writer]]:
    arrays: dict[str, Any] = {
        "labels": dataset.labels,
        "prototypes": dataset.prototypes,
        "class_names": np.array(dataset.class_names),
        "attribute_names": np.array(dataset.attribute_names),
        "provenance": np.array([dataset.source]),
        "trainval": split.trainval,
        "test_unseen": split.test_unseen,
    }
    for key, values in (
        ("test_seen", split.test_seen),
        ("image_files", dataset.image_files),
        ("pretraining", imports.pretraining_of(dataset)),
    ):
        if len(values):
            arrays[key] = np.array(values)

    def write(file: BinaryIO) -> None:
        np.savez(file, allow_pickle=False, features=np.asarray(dataset.features), **arrays)

    yield f"{_file_name(dataset)}.npz", write


def _parquet_files(dataset: ZSLDataset, split: Split) -> Iterable[tuple[str, Writer]]:
    import pandas as pd

    names = np.array(dataset.class_names, dtype=object)
    parts = np.full(len(dataset.labels), None, dtype=object)
    times = np.zeros(len(dataset.labels), int)
    for part in ("trainval", "test_seen", "test_unseen"):
        parts[getattr(split, part)] = part
        times[np.unique(getattr(split, part))] += 1
    if n_other := int((times != 1).sum()):  # the column has room for one part per image
        raise DatasetError(
            f"{dataset.name}: expected every image in one part of split {split.name!r}; got "
            f"{n_other:,} in none or several; --format npz stores such a split."
        )
    d = dataset.features.shape[1]
    columns = [f"feature {k}" for k in range(1, d + 1)]
    texts = {"label": names[dataset.labels], "split": parts}
    texts |= {"image_file": list(dataset.image_files)} if dataset.image_files else {}

    def write_images(file: BinaryIO) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        writer = None
        for start in range(0, len(dataset.labels), BLOCK):
            rows = slice(start, start + BLOCK)
            block = np.asarray(dataset.features[rows], dtype=np.float32)
            table = pa.table(
                {name: pa.array(values[rows], pa.string()) for name, values in texts.items()}
                | {name: block[:, k] for k, name in enumerate(columns)}
            )
            writer = writer or pq.ParquetWriter(file, table.schema)
            writer.write_table(table)
        assert writer is not None  # a data set has at least one image
        writer.close()

    def write_classes(file: BinaryIO) -> None:
        columns = ["class", *dataset.attribute_names]
        if len({*columns}) < len(columns):
            columns = ["class", *(f"attribute {k + 1}" for k in range(len(columns) - 1))]
        attributes = pd.DataFrame(dataset.prototypes, columns=columns[1:])
        attributes.insert(0, "class", names)
        attributes.to_parquet(file, index=False)

    yield f"{_file_name(dataset)}.parquet", write_images
    yield f"{_file_name(dataset)}-classes.parquet", write_classes


#: Format -> function that yields its files for a data set and a split.
FORMATS: Mapping[str, Callable[[ZSLDataset, Split], Iterable[tuple[str, Writer]]]] = {
    "mat": _mat_files,
    "npz": _npz_files,
    "parquet": _parquet_files,
}


def _file_name(dataset: ZSLDataset) -> str:
    return imports.import_name(dataset.name)


def _text(text: str) -> Writer:
    def write(file: BinaryIO) -> None:
        file.write(text.encode())

    return write


def _readme_text(dataset: ZSLDataset, split: Split, file_names: str) -> str:
    """Return the text of ``README.txt``, with facts that some layouts cannot hold."""
    trained = imports.pretraining_of(dataset)
    facts = {
        "data set": dataset.name,
        "digest": dataset.digest,
        "features": "simulated" if dataset.simulated else "of images, as imported",
        "trained on": ", ".join(trained).replace("none", "nothing") or "unknown",
        "split": f"{split.name}. {split.note}",
        "origin": dataset.source,
        "files": file_names,
    }
    return "".join(f"{name:<11} {clean_text(text, 4000)}\n" for name, text in facts.items())


# --- The folder -----------------------------------------------------------------------------------


def _size(dataset: ZSLDataset, file_format: str) -> int:
    """Return the approximate size of the features in bytes."""
    rows, columns = dataset.features.shape
    return rows * columns * (8 if file_format == "mat" else 4)


def _check_folder(folder: Path, names: Iterable[str], *, overwrite: bool, size: int) -> None:
    """Refuse, before writing, a folder that cannot hold the files."""
    paths = [folder / name for name in names]
    try:
        for path in paths:
            if path.is_dir() or (os.path.lexists(path) and not overwrite):
                raise ParameterError(
                    f"{path}: expected no file of this name; found one; choose another folder, or "
                    "replace it with --overwrite."
                )
        for path in paths:
            path.parent.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            free = shutil.disk_usage(folder).free
    except OSError as error:
        raise refusal(error, folder) from error
    except ValueError as error:  # a path with a zero byte
        raise ParameterError(f"{str(folder)!r}: expected a folder name.") from error
    if free < size:
        raise ParameterError(
            f"{folder}: expected room for {size:,} bytes of features; got {free:,} free."
        )
