"""Data sets from any files: the part of each array is guessed, and can be corrected by the user.

Any number of files in any container hold the parts of a data set: features, labels, class
embeddings, names and a split. The part of an array is guessed from the name of the variable, or of
the file if it holds one array, and then from the shape: there is one label per row of the features
and one class embedding per class. A choice ("labels": "FILE:NAME") overrides any guess.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.base import Split
from zslcore.datasets.facts import Recognised
from zslcore.datasets.imports import Recipe, import_name
from zslcore.datasets.part_names import (
    ABBREVIATIONS,
    PART_OF_NAME,
    WORDS_OF_PARTS,
    part_of_name,
    part_or_side,
    trains_and_tests,
    words_in,
)
from zslcore.datasets.release import ParsedDataset, Release
from zslcore.datasets.split_files.contents import MAX_BYTES, MAX_ITEMS, YAMLS
from zslcore.datasets.split_folders import read_split_of_files
from zslcore.datasets.split_lists import IMAGE, IMAGE_IN_LINE, SplitList, parent_folder
from zslcore.datasets.table import class_numbers, split_from_lists, split_from_unseen
from zslcore.exceptions import FileRefusedError, ParameterError, closest_name
from zslcore.names import class_key, class_keys
from zslcore.storage.arrays import write_rows
from zslcore.storage.artifacts import scratch
from zslcore.texts import clean_text, listed, refusal_of
from zslcore.untrusted.client import (
    ARRAYS,
    Contents,
    Role,
    are_marks,
    look_into,
    read_arrays,
    read_lines,
    read_plain_value,
    rows_by_image,
)
from zslcore.untrusted.gathered import gathered
from zslcore.untrusted.readers.array_names import NAMES_OF_PARTS, letters_of

#: Increased when the same files are read as other splits.
REVISION = 2
#: Part -> its name in sentences.
IN_WORDS = {
    "features": "features",
    "labels": "labels",
    "prototypes": "class embeddings",
    "class_names": "class names",
    "attribute_names": "attribute names",
    "image_files": "image names",
    "split": "part of every image",
    "unseen": "unseen classes",
    "seen": "seen classes",
    **{part: f"rows of {part}" for part in ("trainval", "train", "val", "test")},
    **{part: f"rows of {part}" for part in ("test_seen", "test_unseen")},
}
#: Parts with an array that the user may choose, as in ``--labels FILE:NAME``.
CHOICES = ("features", "labels", "prototypes", "class_names")
#: Name of a variable or file, reduced to its letters in lower case -> part.
NAMES = {letters_of(name): part for part, names in NAMES_OF_PARTS.items() for name in names}
#: Containers of tables, with one row per image or class.
TABLES = ("text", "Parquet", "JSON")
#: Parts with one entry per image.
OF_IMAGES = ("features", "labels", "image_files")
#: Arrays of a table that describe its columns, not its rows.
OF_TABLE = ("columns", "class_names")
#: Words in the names of files of any data set.
GENERIC = frozenset(
    {word for names in NAMES_OF_PARTS.values() for name in names for word in words_in(name)}
    | {*WORDS_OF_PARTS, *ABBREVIATIONS, "class", "image", "images", "img", "label"}
    | {"all", "binary", "continuous", "data", "list", "splits", "my", "own"}
    | {f"{part}{noun}" for part in PART_OF_NAME for noun in ("classes", "list")}
)
#: Line that begins with its number.
NUMBERED = re.compile(r"(\d{1,9})[\s:,;]\s*(\S.*)")
#: Name of the lines of a file that only a split may be read from.
LINES = "lines"
#: Allowed name of a large variable, which becomes a file name.
NAME_OF_FILE = re.compile(r"\w[\w-]{0,60}")


@dataclass(frozen=True, eq=False)
class Array:
    """Array of a file, or of several ``shards`` of one table; ``values`` are read if small."""

    contents: Contents
    name: str
    shards: tuple[Contents, ...] = ()

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the array; lists, also as one column or row, have one axis."""
        shape = self.contents.shapes[self.name] or ()
        n = int(np.prod(shape)) if shape else 0
        return (n,) if len(shape) == 2 and n == max(shape) and self._is_list else shape

    @property
    def _is_list(self) -> bool:
        if self.is_text or self.contents.container in ("MATLAB 5", "HDF5"):
            return True
        return self.values is not None and self.values.dtype.kind == "i"

    @property
    def values(self) -> np.ndarray | None:
        """Values of the array, None for a large one."""
        return self.contents.arrays.get(self.name)

    @property
    def is_text(self) -> bool:
        """Whether the array holds texts."""
        return self.values is not None and self.values.dtype.kind == "U"

    @property
    def is_whole(self) -> bool:
        """Whether the array is a list of whole numbers."""
        return self.values is not None and self.values.dtype.kind == "i" and len(self.shape) == 1

    @property
    def is_unnamed(self) -> bool:
        """Whether the name of the array comes from its file format."""
        return self.name in ("array", "values", "scores")

    @property
    def name_or_stem(self) -> str:
        """Name of the array; for an unnamed one, that of its file without suffix."""
        return self.contents.path.stem if self.is_unnamed else self.name

    @property
    def title(self) -> str:
        """File and variable: "a.npz:X"; only the file if it holds a single array."""
        name = self.contents.name
        is_single = len(self.contents.shapes) == 1
        return name if is_single else f"{name}:{clean_text(self.name, 60)}"

    @property
    def in_words(self) -> str:
        """Shape, kind and range, such as "40 whole numbers, 0 to 199"."""
        size = " x ".join(f"{n:,}" for n in self.shape) or "one value"
        if self.values is None or not self.values.size:
            return size
        if self.is_text:
            first_texts = ", ".join(clean_text(text, 24) for text in self.values.ravel()[:3])
            return f"{size} texts ({first_texts}{', ...' if self.values.size > 3 else ''})"
        if self.is_whole:
            return f"{size} whole numbers, {self.values.min()} to {self.values.max()}"
        return size


@dataclass(frozen=True, eq=False)
class Intake:
    """Arrays of files with their parts, before the import.

    ``arrays`` has all arrays, ``parts`` maps each part to its array, and ``unclear`` maps each part
    with several possible arrays to a sentence that names the arrays. ``split`` is the split that
    ``split_files`` list by names of images or classes.
    """

    arrays: tuple[Array, ...]
    parts: Mapping[str, Array]
    unclear: Mapping[str, str] = field(default_factory=dict)
    split: SplitList | None = None
    split_files: frozenset[Path] = frozenset()

    @property
    def rows(self) -> list[tuple[str, str, str]]:
        """Rows of a table: file and variable, content, and part in words, or why it has none."""
        used = {id(a): "split" for a in self.arrays if a.contents.path in self.split_files}
        used |= {id(array): IN_WORDS[part] for part, array in self.parts.items()}
        rows = [(a.title, a.in_words, used.get(id(a), "not used")) for a in self.arrays]
        files = {id(a.contents): a.contents for a in self.arrays}.values()
        refused = [(file, name, why) for file in files for name, why in file.refused.items()]
        return rows + [
            (f"{file.name}:{clean_text(name, 60)}", clean_text(why, 200), "not read")
            for file, name, why in refused
        ]

    @property
    def sentence(self) -> str:
        """Summary in one line: "features 30 x 7; labels 0 to 4; ...; no split"."""
        words = []
        for part in ("features", "labels", "prototypes", "class_names"):
            if (array := self.parts.get(part)) is not None:
                shape, labels = array.shape, self.parts.get("labels")
                if part == "features" and labels is not None and shape[1] == labels.shape[0]:
                    shape = shape[::-1]  # MATLAB's layout has one image per column
                size = " x ".join(f"{n:,}" for n in shape)
                is_whole = part == "labels" and array.is_whole and array.values is not None
                if is_whole and array.values is not None and array.values.size:
                    size = f"{array.values.min()} to {array.values.max()}"
                words.append(f"{IN_WORDS[part]} {size}")
            elif part in self.unclear:
                words.append(f"{IN_WORDS[part]} to be chosen")
            elif part != "class_names":
                words.append(f"no {IN_WORDS[part]}")
        return "; ".join([*words, "a split" if self.has_split else "no split"])

    @property
    def warning(self) -> str:
        """Sentence on classes of images that have no class embedding; "" if all have one."""
        labels, embeddings, names = (
            self.parts.get(part) for part in ("labels", "prototypes", "class_names")
        )
        if labels is None or labels.values is None or embeddings is None:
            return ""
        classes = np.unique(labels.values)
        if labels.is_text and names is not None and names.values is not None:
            keys = {class_key(str(name)) for name in names.values.ravel()}
            missing = [str(name) for name in classes if class_key(str(name)) not in keys]
            shown = listed([clean_text(name, 40) for name in missing], 4)
            return f"Classes without a class embedding: {shown}." if missing else ""
        few = labels.is_whole and max(embeddings.shape) < len(classes)
        return f"Images have {len(classes)} classes, and there are fewer embeddings." if few else ""

    @property
    def has_split(self) -> bool:
        """Whether an array defines training and test rows, or unseen classes."""
        parts = {"split", "unseen", "seen"} & self.parts.keys()
        return bool(self.split or parts or self.rows_of_parts())

    @property
    def class_names(self) -> tuple[str, ...]:
        """Class names, from an array of names or from text labels; () without them."""
        for part in ("class_names", "labels"):
            if part in self.parts and (array := self.parts[part]).is_text:
                return tuple(dict.fromkeys(array.contents.names(array.name)))
        return ()

    @property
    def n_classes(self) -> int:
        """Number of classes, from the class names or the labels; 0 without them."""
        return _n_classes(self.parts)

    def rows_of_parts(self) -> dict[str, Array]:
        """Return the arrays of row numbers by part."""
        named = {part: self.parts[part] for part in PART_OF_NAME.values() if part in self.parts}
        trains = {"train", "trainval"} & named.keys()
        return named if trains and len(named) > len(trains) else {}


def with_file(
    paths: Sequence[Path], choices: Mapping[str, str] | None, prototypes: str | Path
) -> tuple[list[Path], dict[str, str]]:
    """Add class embeddings, from the file or array ``prototypes``, to files and choices."""
    text, listed = str(prototypes), {str(path) for path in paths} | {path.name for path in paths}
    file = text if Path(text).is_file() else text.rpartition(":")[0]
    added = [Path(file)] if file not in listed and Path(file).is_file() else []
    chosen = {} if added and file == text else {"prototypes": text}
    return [*paths, *added], {**(choices or {}), **chosen}


def survey(paths: Sequence[Path], choices: Mapping[str, str] | None = None) -> Intake:
    """Return the arrays of files, each with its part.

    ``choices`` maps a part of :data:`CHOICES` to "FILE" or "FILE:NAME". Raises a FileRefusedError
    for an unreadable file, and a ParameterError for a choice that names no array.
    """
    contents_of_files = [
        _with_matrix(_divide_lines(_without_counter(_contents_of(path)))) for path in paths
    ]
    shards = [file for file in contents_of_files if file.container == "Parquet"]
    if len(shards) < 2 or len({frozenset(file.shapes) for file in shards}) > 1:
        shards = []
    contents_of_files = [file for file in contents_of_files if file not in shards]
    arrays = [
        Array(contents, name) for contents in contents_of_files for name in _readable(contents)
    ]
    if shards:
        words = [re.match(r"[a-z]+", file.path.name.lower()) for file in shards]
        parts_of_shards = [word[0] if word else "" for word in words]
        arrays = _joined_arrays(shards, shards[0].path.parent, parts_of_shards) + arrays
    elif of_parts := _arrays_of_parts(arrays):
        of_images = [
            array for arrays_of_part in of_parts.values() for array in arrays_of_part.values()
        ]
        path, *further_paths = dict.fromkeys(array.contents.path for array in of_images)
        folder_or_file = path.resolve().parent if further_paths else path
        arrays = [array for array in arrays if array not in of_images]
        shards = [*map(_contents_of_part, of_parts.values())]
        widths = [(shard.shapes["features"] or (0,))[-1] for shard in shards]
        if len({*widths}) > 1:
            sizes = ", ".join(f"{n:,} in {part}" for part, n in zip(of_parts, widths, strict=True))
            raise refusal_of(folder_or_file, "equally many columns of features in all parts", sizes)
        arrays = _joined_arrays(shards, folder_or_file, [*of_parts]) + arrays
    chosen = {part: _chosen(part, text, arrays) for part, text in (choices or {}).items()}
    unclear: dict[str, str] = {}
    parts = _guess(arrays, chosen, unclear)
    if not {"labels"} & {*parts, *unclear} and (divided := _with_labels(parts.get("features"))):
        arrays = [*divided, *(array for array in arrays if array is not parts["features"])]
        parts = _guess(arrays, chosen, unclear)
    if not {"labels"} & {*parts, *unclear} and (joined := _joined_classes(arrays, parts)):
        arrays = joined
        unclear.clear()
        parts = _guess(arrays, chosen, unclear)
    if not {"labels"} & {*parts, *unclear} and (folders := _folders_of_images(arrays, parts)):
        arrays, parts = [*arrays, folders], {**parts, "labels": folders}
    return _with_split(Intake(tuple(arrays), parts, unclear))


def _with_split(intake: Intake) -> Intake:
    """Add the split that text files list by names, if no array defines one."""
    of_names = {part: rows for part, rows in intake.rows_of_parts().items() if rows.is_text}
    if intake.has_split and not of_names:
        return intake
    parts = {part: array for part, array in intake.parts.items() if part not in of_names}
    used = {array.contents.path for array in parts.values()}
    texts = [array for array in intake.arrays if array.contents.path not in used]
    files = dict.fromkeys(array.contents.path for array in texts if array.is_text)
    split = None
    with nullcontext() if of_names else suppress(FileRefusedError):
        split = read_split_of_files([*files])
    if split is None or not (split.files or split.sides):
        return replace(intake, parts={**intake.parts, **_listed_side(texts, intake.parts)})
    return replace(intake, parts=parts, split=split, split_files=frozenset(files))


def _contents_of(path: Path) -> Contents:
    """Return the arrays of a file; of a YAML, its list of names, or else its lines."""
    if path.suffix.lower() not in YAMLS:
        return look_into(path, (*ARRAYS, "text"))
    value = read_plain_value(path, max_bytes=MAX_BYTES, most=MAX_ITEMS)
    is_list = isinstance(value, list) and all(isinstance(name, str) for name in value)
    name, lines = ("array", value) if is_list else (LINES, read_lines(path, max_bytes=MAX_BYTES))
    array = np.array(lines)
    return Contents(path, "text", {name: array.shape}, {name: array}, {})


def _listed_side(lists: Sequence[Array], parts: Mapping[str, Array]) -> dict[str, Array]:
    """Return the only list of some of the classes, by the side in its name; {} without one."""
    keys = _keys_of_classes(parts)
    listed = [a for a in lists if _are_among(a, keys) and 0 < a.shape[0] < len(keys)]
    side = part_or_side(listed[0].name_or_stem) if len(listed) == 1 else ""
    side = {"test": "unseen", "train": "seen", "trainval": "seen"}.get(side, side)
    return {side: listed[0]} if side in ("seen", "unseen") else {}


def _joined_classes(arrays: Sequence[Array], parts: Mapping[str, Array]) -> list[Array]:
    """Join the images of classes with one matrix each, named after the class.

    Return all arrays, with the joined ones first; [] if a matrix is not of a class.
    """
    matrices = [a for a in arrays if len(a.shape) == 2 and not a.is_text]
    keys = _keys_of_classes(parts) or _keys_of_matrices(matrices)
    of_class = [a for a in matrices if class_key(a.name_or_stem) in keys]
    others = {*map(id, matrices)} - {*map(id, of_class)}
    if len(of_class) < 2 or others - {id(parts.get("prototypes"))}:
        return []
    if len({a.shape[1] for a in of_class}) > 1:
        return []
    shards = []
    for array in of_class:
        contents = gathered(array.contents.path, {"features": (array.contents, array.name)}, [])
        labels = np.full(array.shape[0], array.name_or_stem)
        shapes = contents.shapes | {"labels": labels.shape}
        values = contents.arrays | {"labels": labels}
        shards.append(replace(contents, shapes=shapes, arrays=values))
    path = of_class[0].contents.path
    is_folder = len({array.contents.path for array in of_class}) > 1
    joined = _joined_arrays(shards, path.parent if is_folder else path, [])
    return [*joined, *(array for array in arrays if array not in of_class)]


def _keys_of_matrices(matrices: Sequence[Array]) -> set[str]:
    """Return the keys of the names of matrices that may be classes; else an empty set.

    They may be classes if at least three have equally many columns and none has a name of a part of
    a data set or of a split, or differs from another only by its number.
    """
    names = [array.name_or_stem for array in matrices]
    stems = {re.sub(r"\d+$", "", name) for name in names}
    are_classes = len(stems) == len(names) > 2 and len({a.shape[1] for a in matrices}) == 1
    words = [{*words_in(name)} for name in names]
    of_data = any(of & {*WORDS_OF_PARTS, *ABBREVIATIONS, *NAMES} for of in words)
    return {*class_keys(names)} if are_classes and not of_data else set()


def _keys_of_classes(parts: Mapping[str, Array]) -> set[str]:
    """Return the keys of the class names; an empty set without names."""
    names = parts.get("class_names")
    is_text = names is not None and names.is_text
    return {*class_keys(names.contents.names(names.name))} if names and is_text else set()


def _folders_of_images(arrays: Sequence[Array], parts: Mapping[str, Array]) -> Array | None:
    """Return the folder of each image as its label, if every folder has the name of a class."""
    keys, rows = _keys_of_classes(parts), parts["features"].shape if "features" in parts else ()
    for array in arrays:
        if array.values is None or not array.is_text or len(array.shape) != 1:
            continue
        images = array.values.ravel().tolist() if array.shape[0] in rows else []
        for _ in range(2 if images else 0):  # bat/0001.jpg, or bat/images/0001.jpg
            folders = [parent_folder(image) for image in images]
            if {*class_keys(folders)} <= keys:
                columns = {"image_files": array.values, "folder": np.array(folders)}
                shapes: dict[str, tuple[int, ...] | None] = dict.fromkeys(columns, array.shape)
                return Array(replace(array.contents, shapes=shapes, arrays=columns), "folder")
            images = [image.replace("\\", "/").rpartition("/")[0] for image in images]
    return None


def _without_counter(contents: Contents) -> Contents:
    """Take the number of the line off lines such as ``1 otter`` or, with a label, ``1 17``.

    The lines are put in the order of their numbers.
    """
    lines = contents.arrays.get("array")
    if contents.container != "text" or lines is None or len(lines) < 2:
        return contents
    if lines.dtype.kind == "U" and lines.ndim == 1:
        matches = [NUMBERED.match(line) for line in lines.tolist()]
        numbers = np.array([int(match[1]) for match in matches if match])
        values = np.array([match[2] for match in matches if match])
    elif lines.ndim == 2 and lines.shape[1] == 2 and np.isfinite(lines).all():
        if (lines % 1).any():
            return contents
        numbers, values = lines.astype(np.int64).T
    else:
        return contents
    order = np.argsort(numbers)
    if len(numbers) < len(lines) or not _are_counted(numbers[order]):
        return contents
    shapes: dict[str, tuple[int, ...] | None] = {"array": values.shape}
    return replace(contents, shapes=shapes, arrays={"array": values[order]})


def _are_counted(numbers: np.ndarray) -> bool:
    """Whether numbers count from 0 or 1."""
    return numbers[0] in (0, 1) and np.array_equal(numbers, np.arange(len(numbers)) + numbers[0])


def _divide_lines(contents: Contents) -> Contents:
    """Divide a list of lines such as ``a.jpg 3`` into images and labels."""
    lines = contents.arrays.get("array")
    if contents.container != "text" or lines is None or lines.dtype.kind != "U" or lines.ndim != 1:
        return contents
    matches = [IMAGE_IN_LINE.match(line) for line in lines.tolist()]
    pairs = [(match[1], match[2]) for match in matches if match and match[2]]
    if len(pairs) < len(lines) or not all(re.fullmatch(r"\d{1,9}", label) for _, label in pairs):
        return contents
    images, labels = zip(*pairs, strict=True)
    arrays = {"image_files": np.array(images), "labels": np.array(labels).astype(np.int64)}
    shapes: dict[str, tuple[int, ...] | None] = {n: array.shape for n, array in arrays.items()}
    return replace(contents, shapes=shapes, arrays=arrays)


def _with_labels(matrix: Array | None) -> list[Array]:
    """Divide a matrix without titles into features and its first or last column, the labels.

    [] if neither column, or each of them, has repeated whole numbers beside fractions.
    """
    if matrix is None or not matrix.is_unnamed or matrix.values is None:
        return []
    values = matrix.values
    last = values.shape[1] - 1
    whole = [k for k in (0, last) if _are_labels(values[:, k])]
    if len(whole) != 1 or last < 2 or np.array_equal(values[0], np.trunc(values[0])):
        return []
    arrays = {
        "features": np.delete(values, whole[0], axis=1),
        "labels": values[:, whole[0]].astype(np.int64),
    }
    shapes: dict[str, tuple[int, ...] | None] = {n: array.shape for n, array in arrays.items()}
    divided = replace(matrix.contents, shapes=shapes, arrays=arrays)
    return [Array(divided, name) for name in arrays]


def _are_labels(column: np.ndarray) -> bool:
    """Whether a column has whole numbers of 0 and above that repeat."""
    are_whole = np.array_equal(column, np.trunc(column)) and column.min() >= 0
    return bool(are_whole) and 1 < len(np.unique(column)) < len(column)


def _with_matrix(contents: Contents) -> Contents:
    """Join the vectors of a file with one vector per class or image, each named after it.

    Vectors named by numbers come in the order of the numbers, which are the labels of the classes.
    """
    vectors = contents.vectors
    if all(map(str.isdecimal, vectors)):
        vectors = dict(sorted(vectors.items(), key=lambda item: int(item[0])))
    if len(vectors) < 2 or len(vectors) < len(contents.shapes):
        return contents
    names, rows = np.array([*vectors]), np.stack([*vectors.values()])
    are_images = all(map(IMAGE.search, vectors))
    kinds = ("features", "image_files") if are_images else ("prototypes", "class_names")
    arrays = dict(zip(kinds, (rows, names), strict=True))
    return replace(contents, shapes={n: array.shape for n, array in arrays.items()}, arrays=arrays)


def _arrays_of_parts(arrays: Sequence[Array]) -> dict[str, dict[str, Array]]:
    """Return features, labels and image names by part, for arrays such as ``X_train``; else {}."""
    of_parts: dict[str, dict[str, Array]] = {}
    for array in arrays:
        words = words_in(array.name_or_stem)
        named = [word for word in words if word in WORDS_OF_PARTS or word in ABBREVIATIONS]
        kind = NAMES.get("".join(word for word in words if word not in named), "")
        if kind in OF_IMAGES and (part := part_of_name("_".join(named))):
            of_parts.setdefault(part, {}).setdefault(kind, array)
    kinds = [{*arrays_of_part} for arrays_of_part in of_parts.values()]
    needed = {"features", "labels"}
    if not trains_and_tests(of_parts) or not any(needed <= of_part for of_part in kinds):
        return {}
    for part, arrays_of_part in of_parts.items():
        for kind in sorted(needed - {*arrays_of_part}):
            (other, *_) = arrays_of_part.values()
            raise refusal_of(other.title, f"{IN_WORDS[kind]} of {part} next to it", "none")
    return of_parts if len({*map(len, kinds)}) == 1 else {}


def _contents_of_part(arrays: Mapping[str, Array]) -> Contents:
    """Return the arrays of a part, with one row per image, as the contents of one file."""
    features, n = arrays["features"], arrays["labels"].shape[0]
    turned = ["features"] if features.shape[1:] == (n,) != features.shape[:1] else []
    file_of = {kind: (array.contents, array.name) for kind, array in arrays.items()}
    contents = gathered(features.contents.path, file_of, turned)
    lists = {kind: array for kind, array in arrays.items() if kind != "features"}
    shapes = contents.shapes | {kind: array.shape for kind, array in lists.items()}
    values = {
        kind: listed.values.ravel() for kind, listed in lists.items() if listed.values is not None
    }
    return replace(contents, shapes=shapes, arrays=contents.arrays | values)


def _joined_arrays(shards: Sequence[Contents], path: Path, words: Sequence[str]) -> list[Array]:
    """Join the rows of shards of a table; their ``words``, such as "train", define the split."""
    first = shards[0]
    shapes: dict[str, tuple[int, ...] | None] = {}
    arrays: dict[str, np.ndarray] = {}
    for name, shape in first.shapes.items():
        shard_shapes = [shard.shapes[name] for shard in shards]
        if shape is None or any(
            shard_shape is None or shard_shape[1:] != shape[1:] for shard_shape in shard_shapes
        ):
            continue
        if name in OF_TABLE:
            shapes[name], joined_shards = shape, [first]
        else:
            shapes[name] = (
                sum(shard_shape[0] for shard_shape in shard_shapes if shard_shape),
                *shape[1:],
            )
            joined_shards = list(shards)
        if all(shard.has(name) for shard in joined_shards):
            arrays[name] = np.concatenate([shard.arrays[name] for shard in joined_shards])
    sizes = [
        next(s[0] for n, s in shard.shapes.items() if s and n not in OF_TABLE) for shard in shards
    ]
    if all(word in PART_OF_NAME for word in words) and len({*words}) > 1:
        arrays["split"] = np.repeat(np.array(words), sizes)
        shapes["split"] = arrays["split"].shape
    joined = Contents(path, first.container, shapes, arrays, {})
    return [Array(joined, name, tuple(shards)) for name in _readable(joined)]


def _readable(contents: Contents) -> list[str]:
    """Return the readable variables of a file; refuse a file without any."""
    names = [name for name, shape in contents.shapes.items() if shape is not None]
    names = [name for name in names if name not in contents.refused]
    if not names:
        why = next(iter(contents.refused.values()), "expected arrays; got none")
        raise FileRefusedError(f"{contents.name}: {clean_text(why, 300)}.")
    return names


def _chosen(part: str, text: str, arrays: Sequence[Array]) -> Array:
    """Return the array that a choice names."""
    matches = [a for a in arrays if text in (a.title, a.contents.path.name, str(a.contents.path))]
    file, _, name = text.rpartition(":")
    exact = [
        a for a in arrays if a.name == name and file in (a.contents.path.name, str(a.contents.path))
    ]
    matches = exact or matches
    if len(matches) != 1:
        titles = ", ".join(a.title for a in (matches or arrays)[:12])
        raise ParameterError(
            f"--{part.replace('_', '-')}: expected one of {titles}; got {clean_text(text, 80)!r}."
        )
    return matches[0]


# --- Guessing -------------------------------------------------------------------------------------


def _named_part(array: Array) -> str:
    """Return the part named by a variable, or by a file with one unnamed array; else ""."""
    is_unnamed, name = array.is_unnamed, array.name_or_stem
    if array.contents.container in ("text", "Parquet") and array.name == "class":
        return "class"  # names of classes, in a table of classes or of images
    part = part_of_name(name.removesuffix("_loc"))
    if part and len(array.shape) == 1 and not (is_unnamed and array.shape[0] < 2):
        return part
    return NAMES.get(letters_of(name), "")


def _guess(
    arrays: Sequence[Array], chosen: Mapping[str, Array], unclear: dict[str, str]
) -> dict[str, Array]:
    """Return the array of each part: as chosen, by name, then by shape.

    A part with several possible arrays is left out and gets a sentence in ``unclear``.
    """
    parts = dict(chosen)
    free = [a for a in arrays if a not in chosen.values() and a.name != LINES]
    of_table = _of_tables(free, parts)
    free = [a for a in free if a not in parts.values()]
    named: dict[str, list[Array]] = {}
    for array in free:
        if (part := _named_part(array)) not in ("", "class") and _may_be(array, part):
            named.setdefault(part, []).append(array)
    for part, candidates in named.items():
        if part not in parts:
            # The xlsa17 layout has scaled and original attributes; the scaled ones are preferred.
            better = [a for a in candidates if a.name == "att"] or candidates
            if part == "class_names":
                better = _names_of_labels(candidates)
            if len(better) > 1 and part in CHOICES:
                unclear[part] = _ambiguous(part, better)
            else:
                parts[part] = better[0]
    free = [a for a in free if a not in parts.values() and a not in of_table]
    _guess_by_shape([a for a in free if not _named_part(a)], parts, unclear)
    titles, embeddings = parts.get("attribute_names"), parts.get("prototypes")
    if (
        titles
        and embeddings
        and titles.name == "columns"
        and titles.contents is not embeddings.contents
    ):
        del parts["attribute_names"]  # they are titles of another matrix
    return parts


def _names_of_labels(lists: Sequence[Array]) -> list[Array]:
    """Return the lists of class names to which labels may refer.

    A file of class embeddings may name more classes than the data set has. If it names every class
    of the only other list, labels refer to the other list; otherwise return all lists.
    """
    keys = {id(a): {class_key(name) for name in a.contents.names(a.name)} for a in lists}
    of_rows = [a for a in lists if _rows_named_by(a) is not None]
    label_lists = [a for a in lists if a not in of_rows]
    if len(label_lists) == 1 and all(keys[id(label_lists[0])] <= keys[id(a)] for a in of_rows):
        return label_lists
    return [*lists]


def _rows_named_by(names: Array) -> str | None:
    """Return the only matrix with a row per name in the same file; else None."""
    n, shapes = names.shape[0], names.contents.shapes
    matrices = [name for name, shape in shapes.items() if shape and len(shape) == 2]
    named = [name for name in matrices if (shapes[name] or (0,))[0] == n]
    return named[0] if len(matrices) == len(named) == 1 else None


def _may_be(array: Array, part: str) -> bool:
    """Whether the shape and kind of an array fit a part."""
    axes = len(array.shape)
    if part in ("features", "prototypes"):
        return axes == 2 and not array.is_text
    if part in ("class_names", "attribute_names", "image_files"):
        return array.is_text
    is_one_hot = part == "labels" and array.values is not None and are_marks(array.values)
    return axes == 1 or is_one_hot


def _of_tables(free: Sequence[Array], parts: dict[str, Array]) -> list[Array]:
    """Add the parts of tables with one row per image or class; return columns of class tables."""
    table_columns: list[Array] = []
    tables: dict[int, list[Array]] = {}
    for array in free:
        if array.contents.container in TABLES and len(array.contents.shapes) > 1:
            tables.setdefault(id(array.contents), []).append(array)
    for columns in tables.values():
        column_by_title = {array.name.lower(): array for array in columns}
        matrices = [a for a in columns if len(a.shape) == 2 and not a.is_text]
        titles = ("class", "class_name", "name", "attribute", "attributes", "predicate")
        names = next((column_by_title[title] for title in titles if title in column_by_title), None)
        if len(matrices) == 1 and any(NAMES.get(n) == "labels" for n in column_by_title):
            parts.setdefault("features", matrices[0])  # a label column means one row per image
        if len(matrices) != 1 or names is None or not names.is_text or names.values is None:
            continue
        if len(np.unique(names.values)) == len(names.values) and "label" not in column_by_title:
            table_columns += columns
            if parts.setdefault("prototypes", matrices[0]) is matrices[0]:
                parts.setdefault("class_names", names)
                if "columns" in column_by_title:
                    parts.setdefault("attribute_names", column_by_title["columns"])
        elif "labels" not in parts:
            parts["labels"] = names
            parts.setdefault("features", matrices[0])
    return table_columns


def _guess_by_shape(
    free: Sequence[Array], parts: dict[str, Array], unclear: dict[str, str]
) -> None:
    """Add parts that no name identifies; each follows from the shapes of earlier parts."""
    matrices = [a for a in free if len(a.shape) == 2 and not a.is_text]
    lists = [a for a in free if len(a.shape) == 1 and (a.is_text or a.is_whole)]
    if "features" not in {*parts, *unclear} and matrices:
        unused = [a for a in matrices if a is not parts.get("prototypes")]
        parts["features"] = max(unused, key=lambda a: (max(a.shape), min(a.shape)))
    rows = set(parts["features"].shape) if "features" in parts else set()
    if "labels" not in {*parts, *unclear}:
        fitting = [a for a in lists if a.shape[0] in rows and not _all_different(a)]
        name_parts = [a for a in fitting if _are_among(a, PART_OF_NAME)]
        if len(name_parts) == 1 and "split" not in parts:
            parts["split"] = name_parts[0]
        fitting = [a for a in fitting if a not in name_parts]
        keys = _keys_of_classes(parts)
        fitting = [a for a in fitting if keys and _are_among(a, keys)] or fitting
        if len(fitting) > 1:
            unclear["labels"] = _ambiguous("labels", fitting)
        parts |= {"labels": fitting[0]} if len(fitting) == 1 else {}
    images = [a for a in lists if a.shape[0] in rows and _are_images(a)]
    if "image_files" not in parts and len(images) == 1:
        parts["image_files"] = images[0]
    if "class_names" not in parts:
        fitting = [a for a in lists if a.is_text and _all_different(a) and a.shape[0] not in rows]
        parts |= {"class_names": fitting[0]} if len(fitting) == 1 else {}
    if "prototypes" not in {*parts, *unclear}:
        unused = [a for a in matrices if a not in parts.values()]
        n = _n_classes(parts)
        fitting = [a for a in unused if n in a.shape] or unused
        if len(fitting) > 1:
            unclear["prototypes"] = _ambiguous("prototypes", fitting)
        parts |= {"prototypes": fitting[0]} if len(fitting) == 1 else {}


def _all_different(array: Array) -> bool:
    values = array.values
    return values is not None and len(np.unique(values)) == values.size


def _are_among(array: Array, keys: Collection[str]) -> bool:
    """Whether all texts of an array, as written or as class keys, are among ``keys``."""
    if array.values is None or not array.is_text:
        return False
    texts = np.unique(array.values).tolist()
    return all(text.lower() in keys or class_key(text) in keys for text in texts)


def _are_images(array: Array) -> bool:
    values = array.values
    return values is not None and array.is_text and all(map(IMAGE.search, values.ravel().tolist()))


def _n_classes(parts: Mapping[str, Array]) -> int:
    if "class_names" in parts:
        return parts["class_names"].shape[0]
    labels = parts["labels"].values if "labels" in parts else None
    return 0 if labels is None else len(np.unique(labels))


def _ambiguous(part: str, candidates: Sequence[Array]) -> str:
    titles = " and ".join(f"{a.title} ({a.in_words})" for a in candidates[:3])
    if part == "prototypes" and all(part_of_name(a.name.partition("_")[2]) for a in candidates):
        return (
            f"Expected one array of {IN_WORDS[part]}; found {titles}, one per part; write "
            "one array with a row for every class, in the order of the labels."
        )
    return (
        f"Expected one array of {IN_WORDS[part]}; found {titles}; say which with "
        f"--{part.replace('_', '-')} FILE:NAME."
    )


# --- Reading --------------------------------------------------------------------------------------


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
    paths : files; the first one names the import
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
        word in GENERIC or word.isdigit() for word in words_in(stem)
    )


def _read(
    paths: Sequence[Path],
    choices: Mapping[str, str],
    unseen: Sequence[str | int] | None,
    earlier: Intake | None,
    into: Path,
) -> ParsedDataset:
    intake = earlier or survey(paths, choices)
    parts = intake.parts
    for sentence in intake.unclear.values():
        raise FileRefusedError(sentence)
    files = ", ".join(dict.fromkeys(array.contents.name for array in intake.arrays))
    for part, advice in (
        ("features", "a matrix with one row per image"),
        ("labels", "the class of every image"),
        ("prototypes", "a matrix with one row per class: attributes or text embeddings"),
    ):
        if part not in parts:
            raise FileRefusedError(
                f"{files}: expected {IN_WORDS[part]}, {advice}; found none "
                f"({intake.sentence}); add the file, or say which with --{part} FILE:NAME."
            )
    labels, texts = _labels(parts)
    if unseen is None and not texts:
        _refuse_trained_tests(parts, labels)
    parts = _with_classes_in_rows(parts, labels, texts or tuple(map(str, unseen or ())))
    features = _matrix(parts["features"], len(labels), "label", into / "features.npy")
    names = (
        parts["class_names"].contents.names(parts["class_names"].name)
        if ("class_names" in parts)
        else ()
    )
    n_classes = len(names) or len(texts) or len(np.unique(labels))
    rows = _rows_of_classes(intake.arrays, parts["prototypes"], names)
    n_rows = n_classes if rows is None else parts["prototypes"].shape[0]
    prototypes = np.array(_matrix(parts["prototypes"], n_rows, "class", into / "p.npy"))
    prototypes = prototypes if rows is None else prototypes[rows]
    names, labels, first = _numbered(parts, names, labels, texts, len(prototypes))
    attributes = _texts(parts, "attribute_names", prototypes.shape[1])
    files_of_images = _texts(parts, "image_files", len(labels))
    if files_of_images:
        files_of_images = tuple(_by_image(parts, "image_files", np.array(files_of_images)).tolist())
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


def _refuse_trained_tests(parts: Mapping[str, Array], labels: np.ndarray) -> None:
    """Refuse a split without unseen test labels: each part may count its labels from 0."""
    if "split" not in parts or parts["split"].shape != labels.shape:
        return
    words = np.array(parts["split"].contents.names(parts["split"].name))
    places = np.array([PART_OF_NAME.get(word.lower(), "") for word in words.tolist()])
    places = _by_image(parts, "split", places)
    train, test = (
        labels[np.isin(places, of_side)]
        for of_side in (("train", "trainval"), ("test", "test_unseen"))
    )
    if not len(train) or not len(test):
        return
    if np.isin(test, train).all():
        raise refusal_of(
            parts["labels"].title,
            "test labels without training images",
            f"train {train.min()} to {train.max()}, test {test.min()} to {test.max()}; if the "
            "labels of each part begin anew, number the classes of all parts together",
        )


def _rows_of_classes(
    arrays: Sequence[Array], prototypes: Array, names: Sequence[str]
) -> np.ndarray | None:
    """Return the row of each class in class embeddings, if their file has the names of the rows.

    Raises a ParameterError if some classes have an embedding and others have none.
    """
    beside = [
        a
        for a in arrays
        if a.contents is prototypes.contents and a.is_text and _rows_named_by(a) == prototypes.name
    ]
    if not names or len(beside) != 1:
        return None
    listed = beside[0].contents.names(beside[0].name)
    row = {key: k for k, key in enumerate(class_keys(listed))}
    keys = class_keys(names)
    if row.keys().isdisjoint(keys):
        return None
    for name, key in zip(names, keys, strict=True):
        if key not in row:
            raise closest_name(f"class in {beside[0].title}", name, listed)
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
        return _by_image(parts, "labels", values), ()
    listed = array.contents.names(array.name)
    names = tuple(dict.fromkeys(listed))
    number_of = {name: k for k, name in enumerate(names)}
    return _by_image(parts, "labels", np.array([number_of[name] for name in listed])), names


def _by_image(parts: Mapping[str, Array], part: str, values: np.ndarray) -> np.ndarray:
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
    """Exchange the names of rows and columns of a table of attributes with classes in columns.

    The classes are in columns if only the columns have all ``named`` classes, or, without names, if
    there are as many columns as classes in ``labels``.
    """
    if not {"class_names", "attribute_names"} <= parts.keys():
        return parts
    sides = parts["class_names"], parts["attribute_names"]
    if sides[0].contents is not sides[1].contents:
        return parts
    keys = [{class_key(name) for name in side.contents.names(side.name)} for side in sides]
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
            f"a row for each of {n:,} {noun}{'es' * (noun == 'class')}{'s' * (noun == 'label')}",
            f"{rows:,} x {columns:,}",
        )
    if array.values is not None:
        A = array.contents.columns(array.name) if transposed else array.contents.rows(array.name)
        write_rows(path, [A], A.shape[1])
        return np.lib.format.open_memmap(path, mode="r")
    if not NAME_OF_FILE.fullmatch(array.name):
        raise FileRefusedError(
            f"{array.title}: expected a name of letters and digits for a large array; rename it."
        )
    role: Role = "columns" if transposed else "rows"
    if not array.shards:
        read = read_arrays(array.contents.path, {array.name: role}, path.parent)
        return read.arrays[array.name]
    with scratch() as folder:
        blocks = (_rows_of_shard(shard, array.name, folder) for shard in array.shards)
        write_rows(path, blocks, columns)
    return np.lib.format.open_memmap(path, mode="r")


def _rows_of_shard(shard: Contents, name: str, folder: Path) -> np.ndarray:
    return shard.read({name: "rows"}, folder).arrays[name]


def _numbered(
    parts: Mapping[str, Array],
    names: tuple[str, ...],
    labels: np.ndarray,
    texts: tuple[str, ...],
    n: int,
) -> tuple[tuple[str, ...], np.ndarray, int]:
    """Return class names, labels as 0-based rows of class embeddings, and the first number."""
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
    return parts[part].contents.names(parts[part].name)


def _splits(
    intake: Intake,
    file: str,
    names: Sequence[str],
    unseen: Sequence[str | int] | None,
    first: int,
    labels: np.ndarray,
    benchmark: Recognised | None,
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
        words = np.array(intake.parts["split"].contents.names(intake.parts["split"].name))
        words = _by_image(intake.parts, "split", words)
        rows_of_word: Mapping[str, np.ndarray] = {
            word: np.flatnonzero(words == word) for word in dict.fromkeys(words.tolist())
        }
        for word in rows_of_word:
            if word.lower() not in PART_OF_NAME:
                raise closest_name(f"part in {intake.parts['split'].title}", word, PART_OF_NAME)
        return [split_from_lists(file, labels, rows_of_word, unseen, benchmark)]
    if rows:
        lists = {part: array.contents.numbers(array.name) for part, array in rows.items()}
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
        array.name: np.array(array.contents.names(array.name))
        for array in intake.arrays
        if array.contents is features.contents and array.is_text and array.name not in OF_TABLE
    }
    if "image_files" in parts and parts["image_files"].contents is not features.contents:
        names = np.array(parts["image_files"].contents.names(parts["image_files"].name))
        columns = {"": _by_image(parts, "image_files", names)}
    rows = rows_by_image({"": np.array(split.files)}, columns, features.contents.name, split.name)
    if rows is None:
        raise refusal_of(features.title, f"the names of the images in {split.name}", "none")
    return np.array(rows)


def _listed_classes(array: Array, n_classes: int, first: int) -> list[str | int]:
    """Return names or numbers of classes, from a list of them or one mark per class."""
    if array.is_text:
        return [*array.contents.names(array.name)]
    numbers = array.contents.numbers(array.name)
    if 2 < len(numbers) == n_classes and {*numbers.tolist()} <= {0, 1}:
        numbers = np.flatnonzero(numbers) + first
    return [int(n) for n in numbers]


def parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a Hugging Face data set, in the folder or its ``data``."""
    for parent in (folder, folder / "data"):
        if parent.is_dir() and (files := sorted(parent.glob("*.parquet"))):
            return files
    return []


def as_table(rows: Iterable[tuple[str, str, str]]) -> str:
    """Return the table of an intake as text, one line per array."""
    listed = [("array", "holds", "part"), *rows]
    widths = [max(len(row[k]) for row in listed) for k in (0, 1)]
    return "\n".join(
        f"  {name:{widths[0]}}  {holds:{widths[1]}}  {part}" for name, holds, part in listed
    )
