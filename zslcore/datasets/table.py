"""Features, labels and prototypes of your own, as a NumPy archive, HDF5 or CSV.

``.npz`` and HDF5 hold arrays with these names; row numbers and labels are 0-based:

===================  =====================  ===================================================
``features``         (n_samples, n_features)  numbers
``labels``           (n_samples,)           whole numbers, rows of ``prototypes``
``prototypes``       (n_classes, n_attributes)  unless in a separate CSV
``class_names``      (n_classes,)           optional; texts
``attribute_names``  (n_attributes,)        optional
``image_files``      (n_samples,)           optional; names of the rows' photographs
``pretraining``      (n_vocabularies,)      optional; pre-training sets of the extractor
``provenance``       (n_sentences,)         optional; origin of the features
``trainval``         (n,)                   optional, with ``test_unseen``; also ``test_seen``
===================  =====================  ===================================================

If prototypes are in a separate CSV and the file has class names, labels are positions in these
names, and classes of the CSV are matched by name.

A CSV has a column ``label`` with class names, optional columns ``split`` (``trainval``,
``test_seen``, ``test_unseen``; also ``train``, ``val``, ``test``) and ``image_file`` (also
``path`` or ``filename``, for example), and one column per feature; a column that numbers the rows
(``id``) is left out. Prototypes are in a second CSV with a column ``class`` and one column per
attribute.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from zslcore.datasets.base import SPLIT_PARTS, Split, ZSLDataset
from zslcore.datasets.embeddings import ClassEmbeddings, read_class_embeddings, titles_of
from zslcore.datasets.facts import RecognisedBenchmark, check_pretraining
from zslcore.datasets.imagenet import challenge_split, have_imagenet_ids
from zslcore.datasets.imports import Recipe, import_name
from zslcore.datasets.open_world import is_rule, new_classes, rule_in_words
from zslcore.datasets.part_names import IMAGE_TITLES, part_of_name
from zslcore.datasets.release import ParsedDataset, Release, with_folds
from zslcore.datasets.split_numbering import split_of_parts
from zslcore.exceptions import DatasetError, closest_name
from zslcore.names import class_key, class_keys, positions_of, squeeze
from zslcore.texts import clean_text, expect, expect_range, refusal_of
from zslcore.untrusted.client import (
    Contents,
    Role,
    container_of,
    look_into,
    read_arrays,
    read_table_file,
)
from zslcore.untrusted.readers.array_names import (
    COUNTERS,
    SEEN_CLASSES,
    UNSEEN_CLASSES,
    first_named,
)

#: Increased when the same file gets other folds: 2 uses the released folds.
REVISION = 2
#: Parts of other layouts that are read from a CSV, as its fold, but not from an archive.
UNREAD_PARTS = ("train", "val")
MATRICES: dict[str, Role] = {"features": "rows", "prototypes": "rows"}
ROLES: dict[str, Role] = {
    **MATRICES,
    **dict.fromkeys(("labels", *SPLIT_PARTS, *UNREAD_PARTS), "numbers"),
    **dict.fromkeys(("class_names", "attribute_names", "pretraining", "provenance"), "names"),
    "image_files": "paths",
}
#: Rule that draws unseen classes: their number, and a seed.
RANDOM = re.compile(r"random:(\d{1,6})(?::(\d{1,9}))?")
#: Minimum number of seen classes: folds are thirds of them, so fewer would train on one class.
MIN_SEEN = 3
#: Text column in a CSV of features -> whether it is required.
TEXTS = {"label": True, "split": False}
#: Parts in a column, for refusals.
PARTS = "trainval, train, val, test, test_seen or test_unseen"
#: A title that may name a file.
TITLE = re.compile(r"\w[\w -]{0,60}")


def read_table(
    path: str | os.PathLike[str],
    *,
    prototypes: str | os.PathLike[str] | None = None,
    unseen: Sequence[str | int] | None = None,
    name: str | None = None,
    into: Path | None = None,
) -> ZSLDataset:
    """Read a file of your features without importing it.

    The only split, "own", has the released folds if all classes and the unseen classes are those of
    a benchmark; otherwise each of three folds holds out a third of the seen classes.
    :func:`zslcore.datasets.importing.import_dataset` stores the data set.

    Parameters
    ----------
    path : ``.npz``, HDF5 or ``.csv`` file as described in this module
    prototypes : CSV with a column ``class`` and one column per attribute, or another file for
        :mod:`zslcore.datasets.embeddings`; required for a CSV, it replaces ``prototypes`` and
        ``class_names`` of other files
    unseen : names or numbers of the unseen classes
        Required if the file has no split, refused if it has one. With ``unseen``, a fifth of each
        seen class is held out as ``test_seen``, drawn with seed 0. If most class names have ids of
        ImageNet-21K, the default is that all classes outside the 2012 challenge are unseen.
    name : name of the data set; by default the file name without suffix
    into : folder for ``features.npy``, from which features are mapped; by default they are in
        memory

    Raises
    ------
    FileRefusedError
        When a file is damaged, hostile or not in this layout.
    DatasetError
        When the unseen classes are not stated.
    UnknownNameError
        For a class without a prototype; the message names the class with the most similar name.
    """
    release = find(Path(path), prototypes=prototypes, unseen=unseen)
    return release.read_dataset(name or clean_text(Path(path).stem, 64), into)


def is_table(path: Path) -> bool:
    """Whether a file has the arrays, or the CSV columns, of this module's layout.

    :mod:`zslcore.datasets.intake` reads other archives, such as those with class names as labels,
    or with labels counted from 1. Raises a FileRefusedError for a file that is damaged or hostile.
    """
    if path.suffix.lower() == ".csv":
        return "label" in titles_of(path)
    if container_of(path) not in ("NumPy archive", "HDF5"):
        return False
    contents = look_into(path)
    names = contents.shapes.keys()
    if not {"features", "labels"} <= names or names & {"att", "trainval_loc"}:
        return False
    if first_named(names, (*UNSEEN_CLASSES, *SEEN_CLASSES)):
        return False
    matrices = {n for n, shape in contents.shapes.items() if shape and len(shape) == 2}
    matrices = {n for n in matrices if min(contents.shapes[n] or ()) > 1}
    if "prototypes" not in names and matrices - {"features"}:  # class embeddings by another name
        return False
    if not contents.has("labels"):
        return True
    labels, prototypes = contents.arrays["labels"], contents.shapes.get("prototypes")
    if labels.dtype.kind != "i" or labels.size != max(labels.shape, default=0) or not labels.size:
        return False
    return bool(labels.max() < prototypes[0] if prototypes else labels.min() == 0)


def can_read(path: Path) -> bool:
    """Whether the path is a file; its type is checked when it is read."""
    return path.is_file()


def find(
    path: Path,
    *,
    prototypes: str | os.PathLike[str] | None = None,
    unseen: Sequence[str | int] | None = None,
) -> Release:
    """Find the files of features and prototypes; see :func:`read_table`."""
    embeddings = None if prototypes is None else Path(prototypes).resolve()
    options = {"prototypes": embeddings and str(embeddings), "unseen": unseen}
    options = {key: value for key, value in options.items() if value is not None}
    sources = [path.resolve(), *([embeddings] if embeddings else [])]
    recipe = Recipe(str(path.resolve()), options, sources, REVISION)
    return Release(import_name(path.stem), recipe, partial(_read, path, embeddings, unseen))


def _read(
    path: Path, prototypes: Path | None, unseen: Sequence[str | int] | None, into: Path
) -> ParsedDataset:
    """Read the files of features and prototypes in the sandbox."""
    embeddings = read_class_embeddings(prototypes) if prototypes is not None else None
    read = _read_csv if path.suffix.lower() == ".csv" else _read_archive
    return read(path, embeddings, unseen, into)


def _own_split(
    split_from_parts: Callable[..., Split],
    file: str,
    names: Sequence[str],
    parts: dict[str, np.ndarray],
    unseen: Sequence[str | int] | None,
    labels: np.ndarray,
    benchmark: RecognisedBenchmark | None,
) -> list[Split]:
    """Build the split from the rows of the parts in the file, or else from the unseen classes."""
    if parts:
        return [split_from_parts(file, labels, parts, unseen, benchmark)]
    return [split_from_unseen(file, labels, names, unseen, benchmark)]


def split_from_rows(
    file: str,
    labels: np.ndarray,
    parts: Mapping[str, np.ndarray],
    unseen: Sequence[str | int] | None = None,
    benchmark: RecognisedBenchmark | None = None,
    rows: Mapping[str, np.ndarray] | None = None,
) -> Split:
    """Return the split "own" from the rows of each part; ``rows`` may have "train" and "val"."""
    if unseen is not None:
        raise DatasetError(
            f"{file}: expected no unseen classes (--unseen) with a file that holds a split."
        )
    for part in ("trainval", "test_unseen"):
        expect(len(parts.get(part, ())), file, f"rows in {part!r}", "none")
    split = Split.from_rows("own", labels, **parts, note=f"Rows as given in {file}")
    return with_folds(split, labels, benchmark, rows=rows)


def split_from_lists(
    file: str,
    labels: np.ndarray,
    lists: Mapping[str, np.ndarray],
    unseen: Sequence[str | int] | None,
    benchmark: RecognisedBenchmark | None,
) -> Split:
    """Return the split "own" of row lists by part, with train and val as its fold."""
    listed = split_of_parts(file, {part: rows.tolist() for part, rows in lists.items()}, labels)
    for part, rows in listed.parts.items():
        if rows.size and not 0 <= rows.min() <= rows.max() < len(labels):
            raise refusal_of(
                file,
                f"rows of {part} from 0 to {len(labels) - 1:,}",
                f"{rows.min():,} to {rows.max():,}",
            )
    fold = {part: listed.parts[part] for part in ("train", "val") if part in listed.parts}
    parts = {part: rows for part, rows in listed.parts.items() if part not in fold}
    return split_from_rows(file, labels, parts, unseen, benchmark, fold)


def split_from_unseen(
    file: str,
    labels: np.ndarray,
    names: Sequence[str],
    unseen: Sequence[str | int] | None,
    benchmark: RecognisedBenchmark | None = None,
    first: int = 0,
) -> Split:
    """Return the split "own" with these unseen classes; a fifth of each seen class is held out.

    Without ``unseen``, ids of ImageNet-21K outside the 2012 challenge are unseen. ``first`` is the
    number of the first class.
    """
    if unseen is None and have_imagenet_ids(names):
        return challenge_split(labels, names)
    if unseen is None:
        raise DatasetError(
            f"{file}: expected training and test rows in the file, or unseen classes by unseen= "
            "(--unseen), such as random:10; got neither."
        )
    chosen = class_numbers(unseen, names, first)
    expect(
        0 < len(chosen) < len(names),
        "unseen classes",
        f"1 to {len(names) - 1} of {len(names)} classes, so that some are seen",
        len(chosen),
    )
    for side, is_of_side in (
        ("unseen", np.isin(labels, chosen)),
        ("seen", ~np.isin(labels, chosen)),
    ):
        expect(is_of_side.any(), "unseen classes", f"images of {side} classes", "none")
    origin = rule_in_words(str(unseen[0])) if is_rule(unseen) else "as requested"
    if len(unseen) == 1 and (rule := RANDOM.fullmatch(str(unseen[0]))):
        n_seen = len(np.setdiff1d(labels, chosen))
        expect(
            n_seen >= MIN_SEEN,
            "unseen classes",
            f"at least {MIN_SEEN} seen classes with images, so that each fold trains on two",
            f"{n_seen} after {unseen[0]} of {len(names)} classes; draw fewer",
        )
        origin = f"drawn at random with seed {rule[2] or 0}"
    note = f"{len(chosen)} unseen classes, {origin}; a fifth of the others' rows held out"
    return with_folds(Split.from_classes("own", labels, chosen, note=note), labels, benchmark)


def class_numbers(classes: Sequence[str | int], names: Sequence[str], first: int = 0) -> list[int]:
    """Return the prototype rows of classes given by name, number or rule.

    Numbers count the classes from ``first``; a number that is the name of a class is read as a
    name. Spellings may differ ("blue whale" is ``blue+whale``). "random:10:3" draws ten classes
    with seed 3.
    """
    if is_rule(classes) and classes[0] not in names:
        return new_classes(str(classes[0]), names)
    if len(classes) == 1 and (rule := RANDOM.fullmatch(str(classes[0]))):
        n = int(rule[1])
        most = f"random:1 to random:{len(names) - 1}, of {len(names)} classes"
        expect(0 < n < len(names), "unseen classes", most, f"random:{n}")
        rng = np.random.default_rng(int(rule[2] or 0))
        return sorted(rng.choice(len(names), n, replace=False).tolist())
    number: dict[str | int, int] = {key: i for i, key in enumerate(class_keys(names))}
    number |= {
        as_written: i for i in range(len(names)) for as_written in (i + first, str(i + first))
    }
    number |= {name: i for i, name in enumerate(names)}
    chosen = set()
    for wanted in classes:
        key = wanted if wanted in number else class_key(str(wanted))
        if key not in number:
            raise closest_name("unseen class", wanted, names)
        chosen.add(number[key])
    return sorted(chosen)


def _read_archive(
    path: Path, embeddings: ClassEmbeddings | None, unseen: Sequence[str | int] | None, folder: Path
) -> ParsedDataset:
    file = clean_text(path.name)
    required = ("features", "labels", *(() if embeddings else ("prototypes",)))
    kinds = ("NumPy archive", "HDF5")
    contents = look_into(path, kinds)
    if embeddings is None and "prototypes" not in contents.shapes:
        raise _missing_prototypes(file, "a second file")
    roles = ROLES | _find_transposed(contents)
    read = read_arrays(path, roles, folder, required=required, kinds=kinds)
    arrays, named = read.arrays, read.names.get("class_names")
    prototypes = embeddings.values if embeddings else np.array(arrays["prototypes"])
    names = (
        embeddings.classes
        if embeddings
        else named or tuple(f"class {i}" for i in range(len(prototypes)))
    )
    parts = {part: arrays[part] for part in SPLIT_PARTS if part in arrays}
    remarks = "; ".join((*read.names.get("provenance", ()), *_describe_unread(arrays, read.unread)))
    pretraining = read.names.get("pretraining", ())
    return ParsedDataset(
        features=arrays["features"],
        labels=_match_labels_by_name(path, arrays["labels"], named, embeddings)
        if embeddings and named
        else arrays["labels"],
        prototypes=prototypes,
        class_names=names,
        splits=partial(_own_split, split_from_rows, file, names, parts, unseen),
        labels_in=f"{file}, variable 'labels'",
        classes_in=embeddings.file if embeddings else f"{file}, variable 'class_names'",
        source=f"Your own features, from {file}{f': {remarks}' if remarks else ''}.",
        first=0,
        attribute_names=embeddings.names if embeddings else read.names.get("attribute_names", ()),
        image_files=read.names.get("image_files", ()),
        pretraining=check_pretraining(pretraining, f" in {file}"),
    )


def _missing_prototypes(file: str, where: str) -> DatasetError:
    return DatasetError(
        f"{file}: expected the classes' prototypes in {where}, given with prototypes= "
        "(--prototypes); got none."
    )


def _find_transposed(contents: Contents) -> dict[str, Role]:
    """Return the role "columns" for each matrix with one column, not one row, per label or name.

    In MATLAB files, and copies of them, images and classes are columns.
    """
    roles: dict[str, Role] = {}
    for matrix, listed in (("features", "labels"), ("prototypes", "class_names")):
        shape, n = contents.shapes.get(matrix) or (), math.prod(contents.shapes.get(listed) or (0,))
        if len(shape) == 2 and shape[1] == n != shape[0]:
            roles[matrix] = "columns"
    return roles


def _describe_unread(arrays: Mapping[str, np.ndarray], ignored: Sequence[str]) -> Iterator[str]:
    """Yield remarks on arrays that are not read, and on test rows in train and val."""
    if ignored:
        yield f"not read: {', '.join(ignored)}"
    unread_parts = [part for part in UNREAD_PARTS if part in arrays]
    if unread_parts:
        used = np.concatenate([arrays[part].ravel() for part in unread_parts])
        tested = [arrays[p].ravel() for p in ("test_seen", "test_unseen") if p in arrays]
        leaked = np.intersect1d(used, np.concatenate([*tested, np.empty(0, int)])).size
        leak = f"; {leaked:,} of their rows are test rows" if leaked else ""
        yield f"{', '.join(unread_parts)}: not read from archives{leak}"


def _match_labels_by_name(
    path: Path, labels: np.ndarray, class_names: tuple[str, ...], embeddings: ClassEmbeddings
) -> np.ndarray:
    """Return labels as prototype rows, matched by class name.

    Labels are unchanged if both files have the same number of classes, but no common name.
    """
    rows = positions_of(class_names, embeddings.classes)
    if (rows < 0).all() and len(class_names) == len(embeddings.classes):
        return labels
    where = f"{clean_text(path.name)}, variable 'labels'"
    expect_range(where, labels, len(class_names), "positions in its class names", first=0)
    for c in np.unique(labels)[rows[np.unique(labels)] < 0]:
        raise closest_name(f"class in {clean_text(path.name)}", class_names[c], embeddings.classes)
    return rows[labels]


def _read_csv(
    path: Path, embeddings: ClassEmbeddings | None, unseen: Sequence[str | int] | None, folder: Path
) -> ParsedDataset:
    file = clean_text(path.name)
    if embeddings is None:
        raise _missing_prototypes(file, "a second CSV file")
    titles = list(filter(TITLE.fullmatch, titles_of(path)))
    images = [title for title in titles if squeeze(title) in IMAGE_TITLES]
    images.sort(key=lambda title: title != "image_file")
    left_out = [*images[1:], *(title for title in titles if title.lower() in COUNTERS)]
    left_out = [title for title in left_out if title not in images[:1]]
    optional = dict.fromkeys((*images[:1], *left_out), False)
    table = read_table_file(path, folder, TEXTS | optional)
    labels, words = table.texts["label"], table.texts.get("split", ())
    numbers = positions_of(labels, embeddings.classes)
    for row in np.flatnonzero(numbers < 0).tolist():
        where = f"class in {file}, data row {row + 1},"
        raise closest_name(where, labels[row], embeddings.classes)
    parts = {}
    for part in dict.fromkeys(words):
        where = f"{file}, data row {words.index(part) + 1}"
        expect(part_of_name(part), where, f"{PARTS} in column 'split'", repr(clean_text(part, 60)))
        parts[part] = np.flatnonzero(np.array(words) == part)
    unread = f"; left out: {', '.join(left_out)}" if left_out else ""
    return ParsedDataset(
        features=table.values,
        labels=numbers.astype(np.int64),
        prototypes=embeddings.values,
        class_names=embeddings.classes,
        splits=partial(_own_split, split_from_lists, file, embeddings.classes, parts, unseen),
        labels_in=f"{file}, column 'label'",
        classes_in=embeddings.file,
        source=f"Your own features, from {file}{unread}.",
        first=0,
        attribute_names=embeddings.names,
        image_files=table.texts[images[0]] if images else (),
    )
