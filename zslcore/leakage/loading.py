"""Load a data set, split or file as the input of the checks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset, content_digest
from zslcore.datasets.imports import known_features
from zslcore.datasets.part_names import part_of_name
from zslcore.datasets.split_files import read_split_file
from zslcore.datasets.split_files.arrays import split_of_arrays
from zslcore.datasets.split_files.contents import JSON_ENDINGS, MAX_ITEMS, PICKLES
from zslcore.datasets.split_folders import read_split_folder, refusal_of_folder
from zslcore.datasets.split_folders.images import UNREAD as UNREAD_FILES
from zslcore.datasets.split_lists import VERSION, SplitList, is_split_of_parts
from zslcore.datasets.split_numbering import split_of_parts, with_class_lists
from zslcore.datasets.xlsa17 import LISTS, SMALL, classes_of_list, folds_of_lists
from zslcore.exceptions import (
    DatasetError,
    FileRefusedError,
    ParameterError,
    UnknownNameError,
    closest_name,
)
from zslcore.leakage.class_identity import unify_class_names
from zslcore.leakage.context import MATCHED_BY, SPLIT_PARTS, TEST_PARTS, UNION, UNREAD, AuditContext
from zslcore.leakage.photographs import (
    GroupSource,
    Photographs,
    photographs_in_files,
    photographs_of,
)
from zslcore.leakage.published import fill_in_from_benchmark
from zslcore.leakage.readings import with_best_reading
from zslcore.leakage.vocabularies import (
    PRETRAINING_NAMES,
    Vocabulary,
    get_vocabulary,
    read_vocabulary,
)
from zslcore.texts import clean_text, expect, refusal_of
from zslcore.untrusted.client import (
    ARRAYS,
    Contents,
    Role,
    container_of,
    look_into,
    open_file,
    read_arrays,
    read_head,
    read_value,
    sha256_of_file,
)
from zslcore.untrusted.readers.array_names import CLASS_LISTS, LABEL_VARIABLES, is_named
from zslcore.untrusted.readers.common import MAX_CELLS, MAX_ROW

Subject = ZSLDataset | Split | str | PathLike[str]
#: The class of every image, 0-based, or a file with 1-based ``labels``.
Labels = np.ndarray | Sequence[int] | str | PathLike[str]
#: Features, or a file with ``features``.
FeatureSource = np.ndarray | str | PathLike[str]

#: Name and version of the split files that are written as JSON.
SPLIT_SCHEMA = "zslcore-split/1"
MAX_JSON = 64 << 20
#: Examples of a split by names in JSON, for the message of a refusal.
FORMS_OF_JSON = 'classes or images by part, such as {"train": [...], "test": [...]}'
#: Text files that are read as a split, for the message of a refusal.
FORMS_OF_TEXT = (
    "a table with the columns image, label and split, or the classes of each part below a heading, "
    "such as train: and test:"
)
#: Number of bytes at the start of a refused text that are read for the message.
MAX_HEAD = 1 << 12
#: Pattern in the names of files that select a share of the training images of att_splits.mat in the
#: same folder.
SHARE = re.compile(r"split_[0-9]+percent\.mat", re.IGNORECASE)
#: Variables that are never reported as unread: they are read elsewhere, or repeat attributes.
NO_ROWS = frozenset(("features", "image_files", "att_original"))
#: Maximum number of files of a folder that are opened to find the split.
MAX_FILES = 12
#: Pattern of the names of subfolders that may have a split; some are sizes of images.
SPLIT_FOLDERS = re.compile(
    rf".*(splits?|file_?lists?|annotations?|lists?)([_-].*)?|data|images|labels|meta(data)?|{VERSION.pattern}",
    re.IGNORECASE,
)
#: Files next to a split file that usually hold its labels, tried in this order.
LABEL_FILES = ("res101.mat", "labels.mat")
#: Variable with all test rows, in files that do not divide them into seen and unseen images.
TEST_LIST = "test_loc"
#: Parts of a fold.
FOLD = ("train", "val")
#: Ending of the name of a variable that is a list of rows.
LIST_OF_ROWS = re.compile(r"_(loc|idx|index|indices|ind|rows)$", re.IGNORECASE)


def vocabulary_of(name: Vocabulary | str | PathLike[str]) -> Vocabulary:
    """Return a vocabulary by name, or read one from a text file."""
    if isinstance(name, Vocabulary):
        return name
    if str(name) in PRETRAINING_NAMES:
        return get_vocabulary(str(name))
    if Path(name).suffix or Path(name).exists():
        return read_vocabulary(name)
    raise closest_name("pre-training vocabulary", str(name), PRETRAINING_NAMES)


def context_of(
    subject: Subject,
    *,
    into: Path | None = None,
    split: str | Split | None = None,
    labels: Labels | None = None,
    features: FeatureSource | None = None,
    images: Path | None = None,
    groups: GroupSource | None = None,
    group_pattern: str | None = None,
    contents: Sequence[Contents] = (),
    names_split: SplitList | None = None,
    **fields: Any,
) -> AuditContext:
    """Build the context of ``subject`` without running checks.

    Features read from a file are written to the folder ``into``. ``split`` is a split of a data
    set, or names one of several in a file. ``images`` is a file with labels, and features if it has
    them, in place of ``labels`` and ``features``. ``contents`` are the variables of files already
    read, and ``names_split`` is a split by names (:mod:`zslcore.datasets.split_lists`) that was
    already read from ``subject``. ``fields`` are further fields of :class:`AuditContext`.
    """
    if isinstance(subject, ZSLDataset):
        context = AuditContext.of_split(chosen_split(subject, split), subject, **fields)
        photographs = photographs_of(groups, group_pattern, subject.image_files)
        return fill_in_from_benchmark(_with_photographs(context, photographs, is_given=True))
    if not isinstance(subject, Split) and not Path(subject).name:
        subject = Path(subject).absolute()  # the path "." has no name
    files = SmallFiles()
    for read in contents:
        files.take(read)
    if images is not None:
        labels = images
        features = images if "features" in files.contents(images).shapes else None
    names: tuple[str, ...] = ()
    has_row_numbers, compared = False, None
    if isinstance(labels, (str, PathLike)):
        labels = _labels_in(Path(labels), files)
    if isinstance(features, (str, PathLike)):
        # In the xlsa17 layout, the file of features has the labels as well.
        from_features = _labels_in(Path(features), files, required=False)
        labels = from_features if labels is None else labels
        features = _features_in(Path(features), labels, into, files)
    if isinstance(subject, Split):
        context = AuditContext.of_split(subject, **fields)
    elif (listed := _named_rows(Path(subject), files, labels, names_split, split)) is not None:
        context = _read_split_list(listed, Path(subject), **fields)
        features = listed.features if features is None else features
        if not listed.files:
            context = with_best_reading(context, int("counted from 1" in listed.note))
        names = listed.files if listed.one_name or group_pattern else ()
        if groups is None and group_pattern is None:
            folder = Path(subject) if Path(subject).is_dir() else Path(subject).parent
            compared = photographs_in_files(folder, listed.files, listed.checksums)
    else:
        path = Path(subject)
        if path.is_dir():
            path, features = _files_in_folder(path, features, into, files)
        context, has_row_numbers = _read_split_file(path, labels, files, fields), True
    context = _with_labels_and_features(context, labels, features)
    of_files = (names, "image names") if names else files.image_files()
    photographs = compared or photographs_of(groups, group_pattern, *of_files)
    context = _with_photographs(context, photographs, is_given=groups is not None)
    if has_row_numbers:
        context = _with_trainval(_with_shifted_folds(with_best_reading(context)))
    return fill_in_from_benchmark(_with_known_features(context))


def _with_shifted_folds(context: AuditContext) -> AuditContext:
    """Shift the row numbers of folds as the other lists were shifted."""
    shift = 1 - context.reading.first_row if context.reading else 0
    folds = tuple((train + shift, val + shift) for train, val in context.fold_rows)
    return replace(context, fold_rows=folds)


def _with_trainval(context: AuditContext) -> AuditContext:
    """Add trainval, the union of train and val, if a split has no such list."""
    listed = [part for part in ("train", "val") if part in context.parts]
    if "train" not in listed or "trainval" in context.parts:
        return context
    rows = np.unique(np.concatenate([context.parts[part] for part in listed]))
    facts = {**context.facts, UNION: " and ".join(listed)}
    return replace(context, parts={"trainval": rows, **context.parts}, facts=facts)


def _with_known_features(context: AuditContext) -> AuditContext:
    """Add the pre-training set of features with a known digest, if none is declared.

    An import of the same files as a data set finds the same pre-training set.
    """
    X, y, S = context.features, context.labels, context.prototypes
    if context.vocabularies or X is None or y is None or S is None:
        return context
    names = known_features().get(content_digest(X, y, S), ())
    facts = {"features": f"trained on {', '.join(names)}, by their content"} if names else {}
    return replace(
        context,
        vocabularies=tuple(vocabulary_of(name) for name in names),
        facts={**context.facts, **facts},
    )


def _named_rows(
    path: Path,
    files: SmallFiles,
    labels: np.ndarray | Sequence[int] | None,
    listed: SplitList | None = None,
    split: str | Split | None = None,
) -> SplitList | None:
    """Read a split by names of images or classes; None for other files and folders.

    ``listed`` is the split if it is already read from a file; ``split`` names one of several.
    """
    if path.is_dir():
        has_rows = (path / "att_splits.mat").is_file()
        if has_rows:
            return None
        return _split_in(path, files, labels) or (
            None if _row_files_in(path, files) else _split_below(path, files, labels)
        )
    if not path.is_file():
        return None
    is_json = container_of(path) == "JSON" and path.suffix.lower() in JSON_ENDINGS
    if is_json and _has_package_schema(path):
        return None
    listed = listed or read_split_file(path, split if isinstance(split, str) else None)
    if listed is None and container_of(path) == "text":
        first = clean_text(next(iter(read_head(path, MAX_HEAD, cut=True)), ""), 80)
        raise refusal_of(path, FORMS_OF_TEXT, f"a text that begins with {first!r}")
    if listed is None:
        return None if is_json else files.split_by_parts(path, labels)
    if is_json and not (listed.files or listed.sides):
        with suppress(FileRefusedError):  # refuses row numbers without labels
            return files.split_by_parts(path, labels) or listed
    return listed


def _split_in(
    folder: Path, files: SmallFiles, labels: np.ndarray | Sequence[int] | None
) -> SplitList | None:
    return (
        read_split_folder(folder)
        or _split_text_in(folder, files)
        or _row_lists_in(folder, files, labels)
    )


def _split_below(
    folder: Path, files: SmallFiles, labels: np.ndarray | Sequence[int] | None
) -> SplitList | None:
    """Return the only split in the subfolders for splits, such as ``splits/NAME``.

    Raises FileRefusedError if several subfolders have a split.
    """
    splits: dict[Path, SplitList] = {}
    for below in (inner := _folders_in(folder)):
        if SPLIT_FOLDERS.fullmatch(below.name) or len(inner) == 1:
            for subfolder in (below, *_folders_in(below)):
                if (
                    below not in splits
                    and (listed := _split_in(subfolder, files, labels)) is not None
                ):
                    splits[subfolder] = listed
    if len(splits) > 1:
        raise _several_splits(folder, [*splits])
    return next(
        (
            replace(listed, note=f"{subfolder.relative_to(folder).as_posix()}: {listed.note}")
            for subfolder, listed in splits.items()
        ),
        None,
    )


def _folders_in(folder: Path) -> list[Path]:
    """Return the first visible subfolders of a folder, without links, in alphabetical order."""
    inner = (path for path in sorted(folder.iterdir()) if path.is_dir() and not path.is_symlink())
    return list(islice((path for path in inner if not path.name.startswith(".")), MAX_FILES))


def _split_text_in(folder: Path, files: SmallFiles) -> SplitList | None:
    """Return the split by names in a folder; only one JSON, table or text may define such a split.

    Raises FileRefusedError if several files are splits by names, or if the folder also has row
    numbers.
    """
    endings = (*JSON_ENDINGS, ".csv", ".tsv", ".parquet", ".txt", ".yaml", ".yml", *PICKLES)
    splits = {}
    for path in _files_with(folder, endings):
        with suppress(FileRefusedError):
            if (split_list := _named_rows(path, files, None)) is not None:
                splits[path] = split_list
    if not splits:
        return None
    paths = [*splits, *_row_files_in(folder, files)]
    if len(paths) > 1:
        raise _several_splits(folder, paths)
    return splits[paths[0]]


def _row_lists_in(
    folder: Path, files: SmallFiles, labels: np.ndarray | Sequence[int] | None
) -> SplitList | None:
    """Return the split of a folder with one file of row numbers per part, and a file of labels.

    Lists are not read if all their numbers could be class numbers.
    """
    numbers: dict[str, np.ndarray] = {}
    for path in _files_with(folder, (".npy", ".txt")):
        name = path.stem.removesuffix("_loc")
        if part_of_name(name) or name.lower() in LABEL_VARIABLES:
            with suppress(FileRefusedError):
                contents = files.contents(path)
                numbers[name] = contents.numbers(next(iter(contents.shapes)))
    labels_in_folder = next(
        (values for name, values in numbers.items() if not part_of_name(name)), None
    )
    y = np.asarray(labels) if labels is not None else None
    if y is None and labels_in_folder is not None:
        y = _counted_from_zero(folder, labels_in_folder)
    rows: dict[str, Any] = {n: values for n, values in numbers.items() if part_of_name(n)}
    if y is None or not is_split_of_parts(rows, np.ndarray):
        return None
    if max(values.max(initial=0) for values in rows.values()) <= len(np.unique(y)):
        return None
    return split_of_parts(clean_text(folder.name), rows, y)


def _has_package_schema(path: Path) -> bool:
    """Whether a JSON file begins like a split of row numbers written by this package."""
    with open_file(path) as file:
        return SPLIT_SCHEMA.rpartition("/")[0].encode() + b"/" in file.read(1 << 12)


def _read_split_list(listed: SplitList, path: Path, **fields: Any) -> AuditContext:
    """Return the context of a split by names, read from ``path``."""
    listed = unify_class_names(listed)
    facts = {"file": listed.name, "read as": listed.note}
    facts |= {MATCHED_BY: "name"} if listed.files else {}
    digest = sha256_of_file(path) if path.is_file() else ""
    n = len(listed.labels)
    images: dict[str, Any] = {"labels": listed.labels, "n_rows": n} if n else {}
    return AuditContext(
        **{
            "name": listed.name,
            "parts": dict(listed.parts),
            "class_names": listed.class_names,
            "class_lists": dict(listed.sides),
            "folds": listed.folds,
            "file_digest": digest,
            "questions": listed.questions,
            "facts": facts | ({"digest": digest} if digest else {}),
            **images,
            **fields,
        }
    )


def chosen_split(dataset: ZSLDataset, split: str | Split | None = None) -> Split:
    """Return the split with a given name, or a given Split; by default PS, or else the first."""
    if isinstance(split, Split):
        return split
    if split is not None:
        return dataset.split(split)
    if not dataset.splits:
        raise DatasetError(f"{dataset.name} has no split to audit.")
    return dataset.splits.get("PS") or next(iter(dataset.splits.values()))


def _files_in_folder(
    folder: Path, features: np.ndarray | None, into: Path | None, files: SmallFiles
) -> tuple[Path, np.ndarray | None]:
    """Find the split file in a folder of the xlsa17 layout, and its features unless given.

    Without att_splits.mat, the only other file with rows of a split is used.
    """
    path, images = folder / "att_splits.mat", folder / "res101.mat"
    if not path.is_file():
        path = _one_split_in(folder, files)
    if features is None and images.is_file():
        labels = _labels_in(images, files, required=False)
        features = _features_in(images, labels, into, files)
    return path, features


def _one_split_in(folder: Path, files: SmallFiles) -> Path:
    """Return the only file with rows of a split in a folder, or refuse the folder."""
    splits = _row_files_in(folder, files)
    if len(splits) == 1:
        return splits[0]
    raise _several_splits(folder, splits) if splits else refusal_of_folder(folder)


def _row_files_in(folder: Path, files: SmallFiles) -> list[Path]:
    """Return the files with rows of a split in a folder."""
    arrays = _files_with(folder, (".mat", ".npz", ".h5", ".hdf5"))
    package_files = [path for path in _files_with(folder, (".json",)) if _has_package_schema(path)]
    return [path for path in arrays if _has_rows(path, files)] + package_files


def _has_rows(path: Path, files: SmallFiles) -> bool:
    """Whether a file has row numbers, as in ``trainval_loc``; False if it is refused."""
    with suppress(FileRefusedError):
        return any(f"{part}_loc" in files.read(path) for part in SPLIT_PARTS)
    return False


def _files_with(folder: Path, endings: Sequence[str]) -> list[Path]:
    """Return the first files of a folder with one of the ``endings``, in alphabetical order."""
    paths = sorted(folder.iterdir()) if folder.is_dir() else []
    named = (path for path in paths if path.suffix.lower() in endings and path.is_file())
    return list(islice(named, MAX_FILES))


def _several_splits(folder: Path, paths: Sequence[Path]) -> FileRefusedError:
    names = ", ".join(clean_text(path.relative_to(folder).as_posix()) for path in paths)
    return refusal_of(clean_text(folder), "one split", f"{names}; name one of them")


def _read_split_file(
    path: Path,
    labels: np.ndarray | Sequence[int] | None,
    files: SmallFiles,
    fields: Mapping[str, Any],
) -> AuditContext:
    facts = {"file": clean_text(path.name)}
    lists: dict[str, np.ndarray] = {}
    folds: Sequence[tuple[np.ndarray, np.ndarray]] = ()
    questions: tuple[str, ...] = ()
    if path.suffix.lower() == ".json" and not _has_rows(path, files):
        parts, arrays = _rows_in_json(path), {}
    else:
        arrays = files.read(path)
        parts = {p: arrays[f"{p}_loc"] - 1 for p in SPLIT_PARTS if f"{p}_loc" in arrays}
        lists = {name: rows - 1 for name, rows in files.lists_of_rows(path).items()}
        facts[UNREAD] = ", ".join(sorted({*files.unread_names(path)} - {*lists, *NO_ROWS}))
        folds, questions = files.folds(path), files.questions(path)
        if folds and "trainval" not in parts:
            parts["trainval"] = np.union1d(*folds[0]) - 1
    _refuse_far(path, parts)
    if set(parts) == {"trainval"} and SHARE.fullmatch(path.name):
        parts, facts["read as"], arrays = _read_share_of_split(path, parts["trainval"], files)
    if not parts:
        for name, reason in files.contents(path).refused.items():
            raise FileRefusedError(f"{clean_text(path.name)}, {clean_text(name, 40)}: {reason}.")
        raise FileRefusedError(
            f"{clean_text(path.name)}: expected row numbers in trainval_loc, test_seen_loc and "
            "test_unseen_loc; found none of them."
        )
    if labels is None:
        labels, facts["labels"] = _labels_nearby(path, arrays, files)
    if TEST_LIST in lists and not {*parts} & {*TEST_PARTS}:
        test_parts, facts["read as"] = _test_by_side(parts, lists.pop(TEST_LIST), labels)
        parts |= test_parts
    names = tuple(map(str, arrays.get("allclasses_names", ())))
    S = arrays.get("att", arrays.get("original_att"))
    _require_name_per_prototype(path, names, S)
    facts["digest"] = digest = sha256_of_file(path)
    return AuditContext(
        **{
            "name": clean_text(path.name),
            "parts": parts,
            "other_lists": lists,
            "fold_rows": tuple((train - 1, val - 1) for train, val in folds),
            "questions": questions,
            "labels": labels,
            "prototypes": S,
            "raw_prototypes": arrays.get("original_att"),
            "class_names": names,
            "file_digest": digest,
            "facts": {key: value for key, value in facts.items() if value},
            **_class_lists(path, names),
            **fields,
        }
    )


def _rows_in_json(path: Path) -> dict[str, np.ndarray]:
    """Return the rows of each part, counted from 0, of a split that this package wrote as JSON."""
    value = read_value(path, "JSON", max_bytes=MAX_JSON, max_items=MAX_ITEMS)
    has_schema = isinstance(value, dict) and "schema" in value
    expect(has_schema, path, f"{FORMS_OF_JSON}, or the schema {SPLIT_SCHEMA!r}", "other JSON")
    schema, rows_of_part = clean_text(value["schema"], 40), value.get("parts")
    expect(schema == SPLIT_SCHEMA, path, f"the schema {SPLIT_SCHEMA!r}", repr(schema))
    expect(isinstance(rows_of_part, dict), path, "a split as JSON with its parts", "none")
    parts = {}
    for part in (part for part in SPLIT_PARTS if part in rows_of_part):
        rows, where = rows_of_part[part], f"{clean_text(path.name)}, variable {part!r}"
        are_rows = isinstance(rows, list) and all(type(row) is int for row in rows)
        expect(are_rows, where, "a list of whole numbers for every part", "other values")
        farthest = max(rows, key=abs, default=0)
        expect(abs(farthest) <= MAX_ROW, where, f"row numbers up to {MAX_ROW:,}", f"{farthest:,}")
        parts[part] = np.array(rows, dtype=np.int64)
    return parts


def _test_by_side(
    parts: Mapping[str, np.ndarray],
    tested: np.ndarray,
    labels: np.ndarray | Sequence[int] | None,
) -> tuple[dict[str, np.ndarray], str]:
    """Divide test rows into seen and unseen classes; return the parts and a remark.

    Rows that do not exist, and all rows if labels are unknown, are read as unseen.
    """
    if labels is None:
        return {
            "test_unseen": tested
        }, f"{TEST_LIST} as unseen images, since their classes are unknown"
    y = np.asarray(labels)
    trained = np.concatenate([*parts.values(), np.empty(0, np.int64)])
    # If rows are counted from 0, the first is -1 here; ``with_best_reading`` corrects this later.
    shift = int(min(trained.min(initial=0), tested.min(initial=0)) == -1)
    exists = [(rows + shift >= 0) & (rows + shift < len(y)) for rows in (trained, tested)]
    seen_classes = np.unique(y[trained[exists[0]] + shift])
    is_seen = np.zeros(len(tested), bool)
    is_seen[exists[1]] = np.isin(y[tested[exists[1]] + shift], seen_classes)
    test_parts = {"test_seen": tested[is_seen], "test_unseen": tested[~is_seen]}
    remark = f"{TEST_LIST} by class: images of classes without training images are unseen"
    return test_parts if is_seen.any() else {"test_unseen": tested}, remark


def _read_share_of_split(
    path: Path, positions: np.ndarray, files: SmallFiles
) -> tuple[dict[str, np.ndarray], str, dict[str, np.ndarray]]:
    """Read a file with a share of the training images of the att_splits.mat next to it.

    Its numbers are positions in trainval_loc, not rows of the data set (ZeroDiff,
    datasets/image_util.py).
    """
    full_split = path.parent / "att_splits.mat"
    if not full_split.is_file():
        raise FileRefusedError(
            f"{clean_text(path.name)}: holds positions in the trainval_loc of a split; expected "
            "att_splits.mat next to this file; found none."
        )
    arrays = files.read(full_split)
    parts = {p: arrays[f"{p}_loc"] - 1 for p in ("trainval", *TEST_PARTS) if f"{p}_loc" in arrays}
    n = len(parts.get("trainval", ()))
    if not positions.size or positions.min() < 0 or positions.max() >= n:
        got = f"{positions.min() + 1}..{positions.max() + 1}" if positions.size else "none"
        raise refusal_of(
            path, f"positions within the {n:,} rows of trainval_loc of att_splits.mat", got
        )
    parts["trainval"] = parts["trainval"].ravel()[positions]
    reading = (
        f"{len(positions):,} of {n:,} rows of trainval_loc of att_splits.mat, by positions in it"
    )
    return parts, reading, arrays


def _refuse_far(path: Path, parts: Mapping[str, np.ndarray]) -> None:
    """Refuse row numbers above ``MAX_ROW``; the checks report other rows that do not exist."""
    for part, rows in parts.items():
        if rows.size and np.abs(rows).max() > MAX_ROW:
            raise refusal_of(
                f"{clean_text(path.name)}, {part}",
                f"row numbers up to {MAX_ROW:,}",
                f"{rows[np.abs(rows).argmax()]:,}",
            )


def _with_labels_and_features(
    context: AuditContext,
    labels: np.ndarray | Sequence[int] | None,
    features: np.ndarray | None,
) -> AuditContext:
    """Add labels and features after comparing their sizes."""
    labels = context.labels if labels is None else labels
    if labels is not None:
        labels = np.asarray(labels)
        n_classes = len(context.class_names) or np.iinfo(np.int64).max
        if labels.ndim != 1 or labels.dtype.kind not in "iu":
            raise DatasetError(f"{context.name}: labels must be one whole number per image.")
        if labels.size and (labels.min() < 0 or labels.max() >= n_classes):
            raise DatasetError(
                f"{context.name}: labels must name one of {n_classes} classes; got "
                f"{labels.min()}..{labels.max()}, 0-based. Do they belong to this split?"
            )
    if features is not None and labels is not None and len(features) != len(labels):
        raise DatasetError(
            f"{context.name}: {len(features)} rows of features but {len(labels)} labels."
        )
    sizes = [len(x) for x in (labels, features) if x is not None]
    return replace(
        context, labels=labels, features=features, n_rows=sizes[0] if sizes else context.n_rows
    )


def _with_photographs(
    context: AuditContext, photographs: Photographs | None, *, is_given: bool
) -> AuditContext:
    """Add the photograph of each row; ignore names from a nearby file if their number is wrong."""
    if photographs is None:
        return context
    n, expected = len(photographs.number), context.n_rows
    if expected not in (None, n):
        message = f"{n:,} names or groups of images for {expected:,} rows"
        if is_given:
            raise DatasetError(f"{context.name}: got {message} ({photographs.source}).")
        return replace(context, facts={**context.facts, "image files": f"not used, {message}"})
    return replace(context, photographs=photographs, n_rows=n)


def _labels_in(path: Path, files: SmallFiles, *, required: bool = True) -> np.ndarray | None:
    contents = files.contents(path)
    names = ("labels", *LABEL_VARIABLES, *(("array",) if len(contents.shapes) == 1 else ()))
    name = next((name for name in names if name in contents.shapes), None)
    if name is None:
        if not required:
            return None
        raise FileRefusedError(f"{clean_text(path.name)}: expected the variable 'labels'.")
    return _counted_from_zero(path, contents.labels(name))


def _features_in(
    path: Path, labels: np.ndarray | Sequence[int] | None, into: Path | None, files: SmallFiles
) -> np.ndarray:
    """Return features with one row per image, even if the file has one column per image.

    MATLAB files have one column per image; the number of labels decides between the two layouts.
    """
    shape = files.contents(path).shapes.get("features") or ()
    if into is None:
        raise ParameterError(
            f"{clean_text(path.name)}: expected the folder ``into`` for its features; got none."
        )
    has_rows = labels is not None and len(shape) == 2 and shape[0] == len(labels) != shape[1]
    role: Role = "rows" if has_rows else "columns"
    return read_arrays(path, {"features": role}, into).arrays["features"]


def _counted_from_zero(path: Path, labels: np.ndarray) -> np.ndarray:
    """Return labels counted from 0; the xlsa17 layout counts from 1, other programs from 0."""
    if labels.size and labels.min() < 0:
        raise refusal_of(path, "labels counted from 0 or 1", f"{labels.min()}..{labels.max()}")
    return labels if labels.size and labels.min() == 0 else labels - 1


def _labels_nearby(
    path: Path, arrays: Mapping[str, np.ndarray], files: SmallFiles
) -> tuple[np.ndarray | None, str]:
    """Return the labels in the file or in one of the usual files next to it, and their source."""
    if "labels" in arrays:
        return _counted_from_zero(path, arrays["labels"]), "in the file itself"
    for name in LABEL_FILES:
        if (path.parent / name).is_file():
            return _labels_in(path.parent / name, files), f"from {name} next to the file"
    return None, ""


def _require_name_per_prototype(path: Path, names: tuple[str, ...], S: np.ndarray | None) -> None:
    if names and S is not None and len(names) != len(S):
        raise refusal_of(
            path, "one name per prototype", f"{len(names)} names and {len(S)} prototypes"
        )


def _class_lists(path: Path, names: tuple[str, ...]) -> dict[str, Any]:
    """Read the class lists next to ``att_splits...``, or in the folder proposed_split next to it.

    They do not apply to other split files.
    """
    folder = path.parent / "proposed_split"
    if not folder.is_dir():
        folder = path.parent
    if not path.name.startswith("att_splits") or not names:
        return {}
    sides = {"seen": "trainvalclasses.txt", "unseen": "testclasses.txt"}
    files = ((name, folder / name) for name in (*LISTS, *sides.values()))
    lists = {name: file for name, file in files if file.is_file()}
    try:
        folds = folds_of_lists(lists, names)
        classes_of_side = {
            side: np.array(classes_of_list(lists[name], names))
            for side, name in sides.items()
            if name in lists
        }
    except UnknownNameError:
        return {}
    return {
        "class_lists": classes_of_side,
        "folds": tuple(tuple(map(np.array, fold)) for fold in folds),
    }


def _may_be_of_split(name: str) -> bool:
    """Whether a name is that of classes, labels or rows of a part."""
    return is_named(name, (*CLASS_LISTS, *LABEL_VARIABLES)) or bool(part_of_name(name))


# --- The small variables of files -----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SmallFiles:
    """Small variables of the files that an audit reads; each file is opened once."""

    _contents: dict[Path, Contents] = field(default_factory=dict)
    _read: dict[Path, dict[str, np.ndarray]] = field(default_factory=dict)

    def take(self, contents: Contents) -> Contents:
        """Add the variables of a file that is already read."""
        self._contents[contents.path] = contents
        return contents

    def contents(self, path: Path) -> Contents:
        """Return the variables of a file, or the labels of a text."""
        is_text = path.suffix.lower() in (".txt", ".csv", ".tsv")
        opened = self._contents.get(path)
        return opened or self.take(look_into(path, (*ARRAYS, "text") if is_text else ARRAYS))

    def read(self, path: Path) -> dict[str, np.ndarray]:
        """Return the arrays of :func:`zslcore.datasets.xlsa17.read_split_arrays`."""
        if path not in self._read:
            contents = self._contents.get(path) or self.take(look_into(path))
            roles: dict[str, Role] = {n: SMALL[n] for n in SMALL if n in contents.shapes}
            if contents.has("labels") and contents.arrays["labels"].dtype.kind == "U":
                del roles["labels"]  # names of classes, read by split_by_parts
            elif "labels" in roles:
                roles["labels"] = "labels"
            if "allclasses_names" in contents.refused:
                del roles["allclasses_names"]  # see ``questions``
            variables = contents.read(roles)
            values = {**variables.arrays, **variables.names}
            self._read[path] = {name: np.array(value) for name, value in values.items()}
        return self._read[path]

    def questions(self, path: Path) -> tuple[str, ...]:
        """Return one question per list of classes, labels or rows that cannot be read."""
        refused = self._contents[path].refused
        named = [f"{name} ({refused[name]})" for name in refused if _may_be_of_split(name)]
        return tuple(map(UNREAD_FILES.format, named))

    def unread_names(self, path: Path) -> list[str]:
        """Return the names of readable variables that are neither read nor names of images."""
        used = {*self.read(path), *(["image_files"] if self._names_of_images(path) else [])}
        used |= {f"{part}_loc.{k + 1}" for k in range(len(self.folds(path))) for part in FOLD}
        contents = self._contents[path]
        used |= {*filter(_may_be_of_split, contents.refused)}
        return [clean_text(name) for name in contents.shapes if name not in used]

    def folds(self, path: Path) -> list[tuple[np.ndarray, np.ndarray]]:
        """Return the row numbers of training and validation in each fold, as in the file."""
        contents = self._contents[path]
        named = [tuple(f"{part}_loc.{k + 1}" for part in FOLD) for k in range(MAX_CELLS)]
        return [
            (contents.numbers(train), contents.numbers(val))
            for train, val in named
            if contents.has(train) and contents.has(val)
        ]

    def lists_of_rows(self, path: Path) -> dict[str, np.ndarray]:
        """Return the lists of row numbers that do not belong to the split, by name."""
        lists, unread, contents = {}, self.unread_names(path), self._contents[path]
        for name in contents.shapes:
            if LIST_OF_ROWS.search(name) and clean_text(name) in unread and contents.has(name):
                with suppress(FileRefusedError):
                    lists[clean_text(name)] = contents.numbers(name)
        return lists

    def split_by_parts(
        self, path: Path, labels: np.ndarray | Sequence[int] | None
    ) -> SplitList | None:
        """Return the split of a file with lists named train, test and so on, if it has any."""
        arrays, contents = self.read(path), self._contents[path]
        listed = {n: a for n, a in contents.arrays.items() if part_of_name(n)}
        if any(f"{part}_loc" in arrays for part in SPLIT_PARTS):
            return None
        if not is_split_of_parts(listed, np.ndarray):
            return split_of_arrays(path, contents.arrays)
        values: dict[str, Any] = {
            name: contents.names(name) if array.dtype.kind == "U" else contents.numbers(name)
            for name, array in listed.items()
        }
        names = contents.names("class_names") if contents.has("class_names") else ()
        y = None if labels is None else np.asarray(labels)
        label = next((name for name in LABEL_VARIABLES if contents.has(name)), None)
        if y is None and label is not None and contents.arrays[label].dtype.kind == "U":
            distinct, y = np.unique(contents.names(label), return_inverse=True)
            names = tuple(map(str, distinct))
        elif y is None and label is not None:
            y = contents.labels(label)
        split = split_of_parts(contents.name, values, y, names)
        split = replace(split, questions=(*split.questions, *self.questions(path)))
        lists = {name: array for name, array in contents.arrays.items() if "class" in name.lower()}
        with suppress(FileRefusedError):
            return with_class_lists(split, split_of_arrays(path, lists))
        return split

    def image_files(self) -> tuple[tuple[str, ...], str]:
        """Return the names of image files in the read files, or next to them, and the source."""
        nearby = [path.parent / "image_files.mat" for path in self._contents]
        for path in (*self._contents, *nearby):
            if path not in self._contents and path.is_file():
                self.take(look_into(path))
            if names := self._names_of_images(path):
                return names, f"image_files in {clean_text(path.name)}"
        return (), ""

    def _names_of_images(self, path: Path) -> tuple[str, ...]:
        """Return the names of image files in a read file; () without names, or if one is invalid.

        Invalid names do not make a split unreadable.
        """
        contents = self._contents.get(path)
        with suppress(FileRefusedError):
            if contents is not None and "image_files" in contents.shapes:
                return contents.names("image_files")
        return ()
