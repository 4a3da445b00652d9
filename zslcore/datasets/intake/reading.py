"""Import of a data set from surveyed arrays: features, labels, class embeddings and split."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.base import Split
from zslcore.datasets.facts import RecognisedBenchmark
from zslcore.datasets.imports import Recipe, import_name
from zslcore.datasets.intake.arrays import Array
from zslcore.datasets.intake.joining import TABLE_ARRAYS
from zslcore.datasets.intake.parts import NAMES, TITLES_OF_PARTS, matrix_named_by
from zslcore.datasets.intake.surveying import Intake, survey
from zslcore.datasets.part_names import ABBREVIATIONS, PART_OF_NAME, WORDS_OF_PARTS, words_in
from zslcore.datasets.release import ParsedDataset, Release
from zslcore.datasets.split_lists import SplitList
from zslcore.datasets.table import class_numbers, split_from_lists, split_from_unseen
from zslcore.exceptions import FileRefusedError, closest_name
from zslcore.names import class_key, class_keys
from zslcore.storage.arrays import write_rows
from zslcore.storage.artifacts import scratch
from zslcore.texts import refusal_of
from zslcore.untrusted.client import Role, rows_by_image
from zslcore.untrusted.readers.array_names import NAMES_OF_PARTS, letters_of

#: Increased when the same files are read as other splits.
REVISION = 2
#: Required part -> its description in a refusal.
REQUIRED_PARTS = {
    "features": "a matrix with one row per image",
    "labels": "the class of every image",
    "prototypes": "a matrix with one row per class: attributes or text embeddings",
}
#: Words in the names of files of any data set.
GENERIC_WORDS = frozenset(
    {word for names in NAMES_OF_PARTS.values() for name in names for word in words_in(name)}
    | {*WORDS_OF_PARTS, *ABBREVIATIONS, "class", "image", "images", "img", "label"}
    | {"all", "binary", "continuous", "data", "list", "splits", "my", "own"}
    | {f"{part}{noun}" for part in PART_OF_NAME for noun in ("classes", "list")}
)
#: Allowed name of a large variable, which becomes a file name.
NAME_OF_FILE = re.compile(r"\w[\w-]{0,60}")


def find(
    paths: Sequence[Path],
    *,
    choices: Mapping[str, str] | None = None,
    unseen: Sequence[str | int] | None = None,
    intake: Intake | None = None,
) -> Release:
    """Find a data set in files of any type.

    Parameters
    ----------
    paths : files; the import is named after the first file that is not named after its content
    choices : part -> "FILE" or "FILE:NAME", to correct guesses
    unseen : names or numbers of the unseen classes, or "random:N:SEED", if no file has a split
    intake : earlier result of :func:`survey` on these files; computed by default
    """
    paths = [Path(path).resolve() for path in paths]
    options: dict[str, Any] = {"more": [str(path) for path in paths[1:]]}
    options |= {"choices": dict(choices)} if choices else {}
    options |= {"unseen": list(unseen)} if unseen is not None else {}
    recipe = Recipe(str(paths[0]), options, paths, REVISION)
    read = partial(_read, paths, dict(choices or {}), unseen, intake)
    return Release(import_name(name_of_files(paths) or paths[0].parent.name), recipe, read)


def name_of_files(paths: Sequence[Path]) -> str:
    """Return the stem of the first file that is not named after its content; "" without one."""
    return next((path.stem for path in paths if not is_generic(path.stem)), "")


def is_generic(stem: str) -> bool:
    """Whether a file is named after its content ("image_features"), not after its data set."""
    return letters_of(stem) in NAMES or all(
        word in GENERIC_WORDS or word.isdigit() for word in words_in(stem)
    )


def parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a Hugging Face data set, in the folder or its ``data``."""
    for parent in (folder, folder / "data"):
        if parent.is_dir() and (files := sorted(parent.glob("*.parquet"))):
            return files
    return []


def _read(
    paths: Sequence[Path],
    choices: Mapping[str, str],
    unseen: Sequence[str | int] | None,
    earlier: Intake | None,
    into: Path,
) -> ParsedDataset:
    """Read the arrays of a survey, by default of these files, as features, labels and classes."""
    intake = earlier or survey(paths, choices)
    files = ", ".join(dict.fromkeys(array.contents.name for array in intake.arrays))
    _refuse_incomplete(intake, files)
    parts = intake.parts
    labels, texts = _labels(parts)
    if unseen is None and not texts:
        _refuse_equal_labels(parts, labels)
    parts = _with_classes_in_rows(parts, labels, texts or tuple(map(str, unseen or ())))
    features = _matrix(parts["features"], len(labels), "label", into / "features.npy")
    names = parts["class_names"].names if "class_names" in parts else ()
    n_classes = len(names) or len(texts) or len(np.unique(labels))
    rows = _rows_of_classes(intake.arrays, parts["prototypes"], names)
    n_rows = n_classes if rows is None else parts["prototypes"].shape[0]
    prototypes = np.array(_matrix(parts["prototypes"], n_rows, "class", into / "p.npy"))
    prototypes = prototypes if rows is None else prototypes[rows]
    names, labels, first = _number_labels(parts, names, labels, texts, len(prototypes))
    attributes = _texts(parts, "attribute_names", prototypes.shape[1])
    files_of_images = _texts(parts, "image_files", len(labels))
    if files_of_images:
        files_of_images = tuple(
            _order_by_image(parts, "image_files", np.array(files_of_images)).tolist()
        )
    return ParsedDataset(
        features=features,
        labels=labels,
        prototypes=prototypes,
        class_names=names,
        splits=partial(_splits, intake, files, names, unseen, first),
        labels_in=parts["labels"].title,
        classes_in=parts.get("class_names", parts["prototypes"]).title,
        source=f"Your own features, from {files}.",
        first=0,
        attribute_names=attributes,
        image_files=files_of_images,
    )


def _refuse_incomplete(intake: Intake, files: str) -> None:
    """Refuse a survey in which a required part is unclear or missing."""
    for sentence in intake.unclear.values():
        raise FileRefusedError(sentence)
    for part, advice in REQUIRED_PARTS.items():
        if part not in intake.parts:
            raise FileRefusedError(
                f"{files}: expected {TITLES_OF_PARTS[part]}, {advice}; found none "
                f"({intake.sentence}); add the file, or say which with --{part} FILE:NAME."
            )


def _refuse_equal_labels(parts: Mapping[str, Array], labels: np.ndarray) -> None:
    """Refuse a split with training images of every test label: parts may each count from 0."""
    if "split" not in parts or parts["split"].shape != labels.shape:
        return
    words = np.array(parts["split"].names)
    parts_of_images = np.array([PART_OF_NAME.get(word.lower(), "") for word in words.tolist()])
    parts_of_images = _order_by_image(parts, "split", parts_of_images)
    train, test = (
        labels[np.isin(parts_of_images, of_side)]
        for of_side in (("train", "trainval"), ("test", "test_unseen"))
    )
    if not len(train) or not len(test):
        return
    if np.isin(test, train).all():
        raise refusal_of(
            parts["labels"].title,
            "test labels without training images",
            f"train {train.min()} to {train.max()}, test {test.min()} to {test.max()}; if each "
            "part numbers its own classes, number the classes of all parts together",
        )


def _rows_of_classes(
    arrays: Sequence[Array], prototypes: Array, names: Sequence[str]
) -> np.ndarray | None:
    """Return the row of each class in class embeddings, if their file has the names of the rows.

    Raises an UnknownNameError if some classes have an embedding and others have none.
    """
    in_file = [a for a in arrays if a.contents is prototypes.contents and a.is_text]
    names_of_rows = [a for a in in_file if matrix_named_by(a) == prototypes.name]
    if not names or len(names_of_rows) != 1:
        return None
    listed = names_of_rows[0].names
    row = {key: k for k, key in enumerate(class_keys(listed))}
    keys = class_keys(names)
    if row.keys().isdisjoint(keys):
        return None
    for name, key in zip(names, keys, strict=True):
        if key not in row:
            raise closest_name(f"class in {names_of_rows[0].title}", name, listed)
    return np.array([row[key] for key in keys])


def _labels(parts: Mapping[str, Array]) -> tuple[np.ndarray, tuple[str, ...]]:
    """Return numeric labels unchanged, and text labels as positions in the distinct texts."""
    array = parts["labels"]
    if array.values is None:
        raise refusal_of(array.title, "labels", array.in_words)
    if not array.is_text:
        values = array.contents.labels(array.name)
        if not values.size:
            raise refusal_of(array.title, "labels", "none")
        return _order_by_image(parts, "labels", values), ()
    listed = array.names
    names = tuple(dict.fromkeys(listed))
    number_of = {name: k for k, name in enumerate(names)}
    return _order_by_image(parts, "labels", np.array([number_of[name] for name in listed])), names


def _order_by_image(parts: Mapping[str, Array], part: str, values: np.ndarray) -> np.ndarray:
    """Return values in the order of the features, if both files name the images."""
    features, file = parts["features"].contents, parts[part].contents
    if features is file:
        return values
    images, listed = (
        {name: array for name, array in contents.arrays.items() if array.shape == (n,)}
        for contents, n in ((features, parts["features"].shape[0]), (file, len(values)))
    )
    rows = rows_by_image(images, listed, file.name, features.name)
    return values if rows is None else values[rows]


def _with_classes_in_rows(
    parts: Mapping[str, Array], labels: np.ndarray, named: Sequence[str]
) -> Mapping[str, Array]:
    """Swap class and attribute names if the columns of an attribute table are its classes.

    The classes are in columns if only the columns have all ``named`` classes, or, without names, if
    there are as many columns as classes in ``labels``.
    """
    if not {"class_names", "attribute_names"} <= parts.keys():
        return parts
    sides = parts["class_names"], parts["attribute_names"]
    if sides[0].contents is not sides[1].contents:
        return parts
    keys = [{class_key(name) for name in side.names} for side in sides]
    named_keys = {class_key(name) for name in named if not name.isdecimal()}
    fits = [named_keys <= key if named_keys else len(key) == labels.max() + 1 for key in keys]
    if fits != [False, True]:
        return parts
    return {**parts, "class_names": sides[1], "attribute_names": sides[0]}


def _matrix(array: Array, n: int, noun: str, path: Path) -> np.ndarray:
    """Return a matrix with ``n`` rows, one per label or class, mapped from a file at ``path``.

    In the source file the matrix may be transposed, as in MATLAB's layout.
    """
    if array.is_text or len(array.shape) != 2:
        part = "features" if noun == "label" else "class embeddings"
        raise refusal_of(array.title, part, array.in_words)
    rows, columns = array.shape
    transposed = columns == n != rows
    if n not in (rows, columns):
        raise refusal_of(
            array.title,
            f"a row for each of {n:,} {'classes' if noun == 'class' else 'labels'}",
            f"{rows:,} x {columns:,}",
        )
    if array.values is not None:
        A = array.contents.columns(array.name) if transposed else array.contents.rows(array.name)
        write_rows(path, [A], A.shape[1])
    elif not NAME_OF_FILE.fullmatch(array.name):
        raise FileRefusedError(
            f"{array.title}: expected a name of letters and digits for a large array; rename it."
        )
    elif not array.shards:
        role: Role = "columns" if transposed else "rows"
        return array.contents.read({array.name: role}, path.parent).arrays[array.name]
    else:
        wanted: dict[str, Role] = {array.name: "rows"}
        with scratch() as folder:
            blocks = (shard.read(wanted, folder).arrays[array.name] for shard in array.shards)
            write_rows(path, blocks, columns)
    return np.lib.format.open_memmap(path, mode="r")


def _number_labels(
    parts: Mapping[str, Array],
    names: tuple[str, ...],
    labels: np.ndarray,
    texts: tuple[str, ...],
    n: int,
) -> tuple[tuple[str, ...], np.ndarray, int]:
    """Return class names, labels as 0-based rows of class embeddings, and the first label."""
    where = parts["labels"].title
    if texts:
        if not names:
            raise FileRefusedError(
                f"{where}: its labels are names, but the rows of {parts['prototypes'].title} have "
                f"no names; add a list of {n} class names, or a column called class."
            )
        row = {name: k for k, name in enumerate(class_keys(names))}
        row |= {name: k for k, name in enumerate(names)}
        for text in texts:
            if text not in row and class_key(text) not in row:
                raise closest_name(f"class in {where}", text, names)
        rows = [row[text] if text in row else row[class_key(text)] for text in texts]
        return names, np.array(rows)[labels], 0
    first = _first_label(labels, n, where)
    names = names or tuple(f"class {k + first}" for k in range(n))
    return names, labels - first, first


def _first_label(labels: np.ndarray, n: int, where: str) -> int:
    """Return the number of the first class, 0 or 1; refuse labels out of range."""
    low, high = int(labels.min()), int(labels.max())
    if low >= 0 and high < n:
        return 0
    if low >= 1 and high == n:
        return 1
    raise refusal_of(
        where, f"labels that number {n:,} class embeddings, from 0 or from 1", f"{low} to {high}"
    )


def _texts(parts: Mapping[str, Array], part: str, n: int) -> tuple[str, ...]:
    """Return the names of a part if there are ``n``, else ()."""
    if part not in parts or parts[part].shape[0] != n:
        return ()
    return parts[part].names


def _splits(
    intake: Intake,
    file: str,
    names: Sequence[str],
    unseen: Sequence[str | int] | None,
    first: int,
    labels: np.ndarray,
    benchmark: RecognisedBenchmark | None,
) -> list[Split]:
    """Build the split from lists of rows, a column with each row's part, or the unseen classes."""
    rows = intake.rows_of_parts()
    if intake.split is not None and unseen is None:
        by_names = intake.split
        if by_names.files:
            of_images = _rows_of_images(intake, by_names)
            lists = {part: of_images[numbers] for part, numbers in by_names.parts.items()}
            return [split_from_lists(file, labels, lists, None, benchmark)]
        unseen = [by_names.class_names[c] for c in by_names.sides["unseen"]]
    if "split" in intake.parts:
        words = np.array(intake.parts["split"].names)
        words = _order_by_image(intake.parts, "split", words)
        rows_of_word: Mapping[str, np.ndarray] = {
            word: np.flatnonzero(words == word) for word in dict.fromkeys(words.tolist())
        }
        for word in rows_of_word:
            if word.lower() not in PART_OF_NAME:
                raise closest_name(f"part in {intake.parts['split'].title}", word, PART_OF_NAME)
        return [split_from_lists(file, labels, rows_of_word, unseen, benchmark)]
    if rows:
        lists = {part: array.numbers for part, array in rows.items()}
        if any(array.name.lower().endswith("_loc") for array in rows.values()):
            lists = {part: values - 1 for part, values in lists.items()}
        return [split_from_lists(file, labels, lists, unseen, benchmark)]
    if unseen is None and "unseen" in intake.parts:
        unseen = _listed_classes(intake.parts["unseen"], len(names), first)
    elif unseen is None and "seen" in intake.parts:
        listed = _listed_classes(intake.parts["seen"], len(names), first)
        seen = {*class_numbers(listed, names, first)}
        unseen = [k + first for k in range(len(names)) if k not in seen]
    return [split_from_unseen(file, labels, names, unseen, benchmark, first)]


def _rows_of_images(intake: Intake, split: SplitList) -> np.ndarray:
    """Return the row of each image of a split that lists names of images."""
    features, parts = intake.parts["features"], intake.parts
    columns = {
        array.name: np.array(array.names)
        for array in intake.arrays
        if array.contents is features.contents and array.is_text and array.name not in TABLE_ARRAYS
    }
    if "image_files" in parts and parts["image_files"].contents is not features.contents:
        names = np.array(parts["image_files"].names)
        columns = {"": _order_by_image(parts, "image_files", names)}
    rows = rows_by_image({"": np.array(split.files)}, columns, features.contents.name, split.name)
    if rows is None:
        raise refusal_of(features.title, f"the names of the images in {split.name}", "none")
    return np.array(rows)


def _listed_classes(array: Array, n_classes: int, first: int) -> list[str | int]:
    """Return names or numbers of classes, from a list of them or one mark per class."""
    if array.is_text:
        return [*array.names]
    numbers = array.numbers
    if 2 < len(numbers) == n_classes and {*numbers.tolist()} <= {0, 1}:
        numbers = np.flatnonzero(numbers) + first
    return [int(n) for n in numbers]
