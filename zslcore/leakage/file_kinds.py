"""Recognise files by their first bytes and the names and shapes of their variables.

A file of arrays is opened once: the worker process that lists its variables also reads the small
variables (:mod:`zslcore.untrusted.client`).
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.datasets.class_json import MAX_LINES, is_class_json
from zslcore.datasets.class_lists import ClassList, are_not_names, parse_class_list, read_class_list
from zslcore.datasets.class_rows import is_class_table, list_in_code
from zslcore.datasets.part_names import part_of_file, side_of_file, trains_and_tests
from zslcore.datasets.split_files import read_split_table
from zslcore.datasets.split_files.arrays import split_of_arrays
from zslcore.datasets.split_files.contents import MAX_ITEMS
from zslcore.datasets.split_files.json_objects import split_of_json
from zslcore.datasets.split_folders import read_split_together
from zslcore.datasets.split_folders.class_files import name_class_list
from zslcore.datasets.split_lists import (
    IMAGE,
    IMAGE_IN_LINE,
    SplitList,
    is_split_of_parts,
    join_first_names,
)
from zslcore.evaluation.predictions_file import is_predictions, read_footer
from zslcore.exceptions import FileRefusedError
from zslcore.leakage.context import SPLIT_PARTS, AuditContext
from zslcore.leakage.loading import SPLIT_SCHEMA, context_of
from zslcore.leakage.vocabularies import count_understood
from zslcore.texts import clean_text, refusal_of
from zslcore.untrusted.client import (
    Contents,
    container_of,
    contents_of_json,
    first_fields,
    is_matrix_row,
    look_into,
    read_head,
    read_lines,
    read_plain_value,
    read_value,
    sha256_of_file,
)
from zslcore.untrusted.readers.array_names import (
    LABEL_VARIABLES,
    LABELS,
    PREDICTED,
    SCORE_VARIABLES,
    first_named,
    is_named,
)

Kind = Literal["split", "scores", "predictions", "run", "entry", "features", "labels", "classes"]
#: Kind -> its name in messages.
KIND_NAMES: dict[Kind, str] = {
    "split": "split",
    "scores": "score matrix",
    "predictions": "predictions",
    "run": "result of a run",
    "entry": "board entry",
    "features": "features",
    "labels": "labels",
    "classes": "list of classes",
}
#: Kinds that are checked on their own, and the kinds that may accompany them.
MAIN_KINDS: tuple[Kind, ...] = ("split", "predictions", "scores", "entry", "run", "classes")
COMPANION_KINDS: dict[Kind, tuple[Kind, ...]] = {
    "split": ("features", "labels"),
    "scores": ("labels",),
}
EXPECTED = (
    "a split (.mat, .npz, .json, .pt), a score matrix, predictions (.parquet), a result (.json), "
    "features, labels or a list of classes"
)
#: Words in the footer of a Parquet table with a split.
PARTS_OF_TABLE = re.compile(rb"(?i)train|test|split|part|set|phase|usage|stage|seen|novel|base|val")
#: Pattern of a line with a fraction.
FRACTIONS = re.compile(r"(?:^|[\s,;|])-?\d*\.\d+(?:[\s,;|]|$)")
#: Pattern in the names of lists of rows.
NAMES_A_PART = re.compile(r"train|trn|val|test|tst|seen|split|fold|idx|indices", re.IGNORECASE)
#: Largest JSON, and largest list of classes or labels, in bytes.
MAX_JSON, MAX_LIST = 32 << 20, 1 << 20
PROTOBUF, PYTHON = ".pbtxt", ".py"
#: Endings of texts that are read by columns, and their separators.
SEPARATORS = {".csv": ",", ".tsv": "\t"}


@dataclass(frozen=True, slots=True)
class RecognisedFile:
    """Recognised file, with the SHA-256 of its content in hex."""

    path: Path
    kind: Kind
    sha256: str
    #: Variables of a file of arrays.
    contents: Contents | None = field(default=None, compare=False, repr=False)
    #: Split that lists names of images or of classes.
    split: SplitList | None = field(default=None, compare=False, repr=False)
    #: List of classes: value of a JSON or YAML, or the lines of a text without columns.
    value: Any = field(default=None, compare=False, repr=False)
    lines: Sequence[str] | None = field(default=None, compare=False, repr=False)
    #: Path and SHA-256 of the files that list the parts of a split; ``path`` is their folder.
    lists: tuple[tuple[Path, str], ...] = field(default=(), compare=False, repr=False)

    @property
    def name(self) -> str:
        """Cleaned name of the file."""
        return clean_text(self.path.name)


def recognise_file(path: Path) -> RecognisedFile:
    """Recognise the kind of a file by its content; raise FileRefusedError for an unknown kind."""
    container = container_of(path)
    kind: Kind | None = None
    split: SplitList | None = None
    lines: list[str] | None = None
    contents = None if container in ("text", "JSON", "Parquet") else look_into(path)
    value = None
    if contents is None or not any(map(_is_matrix, contents.shapes.values())):
        value = read_plain_value(path, max_bytes=MAX_JSON, max_items=MAX_ITEMS)
    if value is not None:
        is_ours = isinstance(value, dict) and value.get("schema") == SPLIT_SCHEMA
        split = None if is_ours else split_of_json(path, value)
        kind = "split" if is_ours or split is not None else _kind_of_value(path, value)
        has_rows = split is not None and not (split.files or split.sides)
        contents = contents_of_json(path, value) if kind is None or has_rows else None
        if (
            kind is None
            and container == "text"
            and contents is not None
            and not any(contents.shapes)
        ):
            kind = _kind_of_text(path)
    elif container == "Parquet":
        kind = "predictions" if is_predictions(path) else "scores"
        if kind == "scores" and _may_have_parts(path):
            split = read_split_table(path)
            kind = "scores" if split is None else "split"
    elif contents is None:
        if path.suffix.lower() not in (*SEPARATORS, PYTHON):
            lines = _lines_of(path)
        split = read_split_table(path, lines)
        kind = "split" if split is not None else _kind_of_text(path)
    if kind is None:
        assert contents is not None
        kind = _kind_of_arrays(contents)
    if kind != "classes":
        value = lines = None
    return RecognisedFile(path, kind, sha256_of_file(path), contents, split, value, lines)


def recognise_files(paths: Sequence[Path], folder: Path) -> list[RecognisedFile]:
    """Recognise several files; some may together list the parts of one split.

    Such lists, for example of its seen and its unseen classes, are copied into a new folder below
    ``folder``, which has to exist while the split is read. Raises FileRefusedError for an unknown
    kind.
    """
    if len(paths) < 2 or not all(path.is_file() for path in paths):
        return [recognise_file(path) for path in paths]
    files: dict[Path, RecognisedFile | FileRefusedError] = {}
    for path in paths:
        try:
            files[path] = recognise_file(path)
        except FileRefusedError as error:
            files[path] = error
    lists = [
        path
        for path, file in files.items()
        if isinstance(file, FileRefusedError) or file.kind in ("classes", "labels", "features")
    ]
    recognised = []
    if (split := _split_of_lists(lists, folder)) is not None:
        files = {path: file for path, file in files.items() if path not in lists}
        recognised.append(split)
    for file in files.values():
        if isinstance(file, FileRefusedError):
            raise file
        recognised.append(file)
    return recognised


def _split_of_lists(paths: Sequence[Path], folder: Path) -> RecognisedFile | None:
    """Return the split of files with one part each; None if their names or contents do not fit."""
    named = map(name_class_list, paths)
    parts = [
        part_of_file(path.stem)
        or side_of_file(path.stem)
        or (of_classes.side if of_classes else "")
        for path, of_classes in zip(paths, named, strict=True)
    ]
    if not trains_and_tests(parts):
        return None
    together = folder / join_first_names([path.name[:60] for path in paths])
    together.mkdir()
    try:
        split = read_split_together(paths, together)
    except FileRefusedError:
        return None
    if split is None:
        return None
    lists = tuple((path, sha256_of_file(path)) for path in paths)
    digest = hashlib.sha256("".join(sha256 for _, sha256 in lists).encode()).hexdigest()
    return RecognisedFile(together, "split", digest, split=split, lists=lists)


@dataclass(frozen=True, slots=True)
class Group:
    """File to check, and the files that belong to it."""

    main: RecognisedFile
    companions: tuple[RecognisedFile, ...] = ()

    @property
    def names_and_digests(self) -> list[tuple[str, str]]:
        """(name, SHA-256) of every file."""
        lists = [(clean_text(path.name), sha256) for path, sha256 in self.main.lists]
        files = self.companions if lists else (self.main, *self.companions)
        return [*lists, *((file.name, file.sha256) for file in files)]


def group_files(files: Sequence[RecognisedFile]) -> list[Group]:
    """Group each file to check with the files that belong to it; ignore duplicate files.

    Features belong to the split; labels belong to scores without labels, else to the split. Raises
    FileRefusedError if there is no file to check, or if the file to which features or labels belong
    is missing or ambiguous.
    """
    files = list({file.sha256: file for file in files}.values())
    mains = [file for file in files if file.kind in MAIN_KINDS]
    if not mains:
        got = " and ".join(f"{file.name} ({KIND_NAMES[file.kind]})" for file in files)
        raise FileRefusedError(
            f"Expected a split, a score matrix, predictions or a result; got {got} alone. Add the "
            "file to which this file belongs."
        )
    companions: dict[RecognisedFile, list[RecognisedFile]] = {main: [] for main in mains}
    for file in files:
        if file.kind not in MAIN_KINDS:
            companions[_owner(file, companions)].append(file)
    return [Group(main, tuple(files_of_main)) for main, files_of_main in companions.items()]


def context_of_group(group: Group, folder: Path, **photographs: Any) -> AuditContext:
    """Return the context of a split and its other files.

    Features are written to ``folder``. ``photographs`` are the arguments ``groups`` and
    ``group_pattern`` of :func:`zslcore.leakage.loading.context_of`.
    """
    return context_of(
        group.main.path,
        into=folder,
        images=group.companions[0].path if group.companions else None,
        contents=[file.contents for file in (group.main, *group.companions) if file.contents],
        names_split=group.main.split,
        **photographs,
    )


def _owner(
    file: RecognisedFile, companions: Mapping[RecognisedFile, Sequence[RecognisedFile]]
) -> RecognisedFile:
    """Return the file that features or labels belong to."""
    accepting = [main for main in companions if file.kind in COMPANION_KINDS.get(main.kind, ())]
    if file.kind == "labels" and len(accepting) > 1:
        without = [main for main in accepting if main.kind == "scores" and not _has_labels(main)]
        splits = [main for main in accepting if main.kind == "split"]
        accepting = [main for main in without if not companions[main]] or splits
    free = [main for main in accepting if not companions[main]]
    if len(free) == 1:
        return free[0]
    main = (free or accepting or list(companions))[0]
    kinds = COMPANION_KINDS.get(main.kind, ())
    also = f"with at most one file of {' or '.join(kinds)}" if kinds else "alone"
    expected = f"one {KIND_NAMES[main.kind]} to which this file belongs; got {len(free)}"
    single = f"the {KIND_NAMES[main.kind]} {main.name} {also}; also got {KIND_NAMES[file.kind]}"
    raise FileRefusedError(f"{file.name}: expected {expected if len(free) > 1 else single}.")


def _has_labels(scores: RecognisedFile) -> bool:
    """Whether a score file also has the labels of its images, as every table of scores does."""
    contents = scores.contents
    return contents is None or first_named(contents.shapes, LABEL_VARIABLES) is not None


def _refusal(path: Path, got: str) -> FileRefusedError:
    return refusal_of(path, EXPECTED, got)


def _is_matrix(shape: Sequence[int] | None) -> bool:
    return shape is not None and sum(n != 1 for n in shape) > 1


def _kind_of_arrays(contents: Contents) -> Kind:
    """Recognise a file of arrays by its variables."""
    shapes, path = contents.shapes, contents.path
    names = set(shapes)
    if names == {"array"}:  # the only array of a .npy file
        return _kind_of_array(contents)
    if names & {f"{part}_loc" for part in SPLIT_PARTS}:
        return "split"
    if is_split_of_parts(contents.arrays, np.ndarray):
        return "split"
    if first_named(names, SCORE_VARIABLES) or {"values", "columns"} <= names:
        return "scores"
    if "features" in names:
        return "features"
    has_labels = first_named(names, LABEL_VARIABLES) is not None
    if has_labels and first_named(names, PREDICTED):
        return "scores"
    if split_of_arrays(path, contents.arrays) is not None:
        return "split"
    if has_labels:
        if _has_scores_by_name(contents):
            return "scores"
        unlabelled = [n for n in shapes if not is_named(n, LABEL_VARIABLES)]
        if lists := [n for n in unlabelled if NAMES_A_PART.search(n)]:
            named = ", ".join(clean_text(name, 40) for name in lists[:6])
            read = "trainval_loc, test_seen_loc, test_unseen_loc, or train, val, test, train_idx"
            raise _refusal(path, f"labels with {named}; lists of rows must be called {read}")
        return "labels"
    if _has_scores_by_image(contents):
        return "scores"
    if {"prototypes", "class_names"} <= names:
        size = " x ".join(f"{n:,}" for n in shapes["prototypes"] or ())
        raise _refusal(
            path, f"class embeddings ({size}), which `zslcore import` reads with --prototypes"
        )
    for name, reason in contents.refused.items():
        raise _refusal(path, f"a file whose {clean_text(name, 40)} is refused: {reason}")
    content = ", ".join(clean_text(name, 40) for name in list(shapes)[:6]) or "nothing readable"
    raise _refusal(path, f"a file with {content}")


def _has_scores_by_name(contents: Contents) -> bool:
    """Whether a file with labels has one array of fractions per class, or one per image."""
    labels = first_named(contents.shapes, LABEL_VARIABLES)
    sizes = {math.prod(shape) for n, shape in contents.shapes.items() if n == labels and shape}
    vectors = [*contents.vectors.values()]
    has_fractions = any((values != np.trunc(values)).any() for values in vectors)
    return has_fractions and (len(vectors[0]) in sizes or len(vectors) in sizes)


def _has_scores_by_image(contents: Contents) -> bool:
    """Whether vectors in a file are scores: they are named after image files, or sum to 1.

    Other named vectors may be class embeddings.
    """
    names = [*contents.vectors]
    if names and all(map(IMAGE.search, names)):
        return True
    if not {"prototypes", "class_names"} <= {*contents.arrays}:
        return False
    values = contents.arrays["prototypes"]
    if all(map(IMAGE.search, contents.names("class_names"))):
        return True
    return values.ndim == 2 and any(
        (values >= 0).all() and np.allclose(values.sum(axis=axis), 1, atol=1e-3) for axis in (0, 1)
    )


def _kind_of_array(contents: Contents) -> Kind:
    """Recognise a single array: a matrix of scores, a list of distinct classes, or labels."""
    if "array" in contents.refused:
        raise FileRefusedError(f"{contents.name}: {contents.refused['array']}.")
    if len(contents.shapes["array"] or ()) != 1:
        return "scores"
    array = contents.arrays.get("array")
    if array is None or array.dtype.kind != "U":
        return "labels"
    return "classes" if len(np.unique(array)) == len(array) else "labels"


def _lines_of(path: Path) -> list[str] | None:
    """Return the lines of a small text; None for a large one, which is not a list of classes."""
    with suppress(FileRefusedError):
        lines: list[str] = read_value(path, "lines", max_bytes=MAX_LIST, max_items=MAX_ITEMS)
        return lines
    return None


def _may_have_parts(path: Path) -> bool:
    """Whether the footer of a Parquet table names parts, in titles or in minima and maxima."""
    return PARTS_OF_TABLE.search(read_footer(path).partition(b"ARROW:schema")[0]) is not None


def _kind_of_value(path: Path, value: Any) -> Kind | None:
    """Recognise a value by its schema or its fields; None if only its arrays can decide."""
    is_large = isinstance(value, dict) and len(value) > MAX_LINES
    if is_large and not any(isinstance(element, dict | list) for element in value.values()):
        most = f"a list of classes has at most {MAX_LINES:,}"
        raise _refusal(path, f"an object with {len(value):,} names; {most}")
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict):
        if is_class_json(value):
            return "classes"
        raise _refusal(path, "other JSON")
    schema = str(first.get("schema", ""))
    if schema.startswith("zslcore-board/"):
        return "entry"
    if {"spec", "evaluation"} <= {*first}:
        return "run"
    if is_class_json(value) and not _has_fractions(first):
        return "classes"
    if schema:
        raise _refusal(path, f"the schema {clean_text(schema, 40)!r}")
    return None


def _has_fractions(value: Mapping[str, Any]) -> bool:
    """Whether a record, or a table with one object per column or row, has numbers with decimals."""
    level: list[Any] = [value]
    for _ in range(5):
        level = [
            inner
            for element in level
            if isinstance(element, dict | list)
            for inner in (element.values() if isinstance(element, dict) else element[:9])
        ]
        if any(isinstance(element, float) for element in level):
            return True
    return False


def _kind_of_text(path: Path) -> Kind:
    """Recognise a table of scores, a list of labels or a list of classes."""
    if _is_score_table(path):
        return "labels" if _is_label_table(path) else "scores"
    lines = read_lines(path, max_bytes=MAX_LIST)
    if not lines:
        raise _refusal(path, "a text file without lines")
    if all(line.lstrip("-").isdigit() for line in lines):
        return "labels"
    if 2 * sum(bool(FRACTIONS.search(line)) for line in lines) > len(lines):
        raise _refusal(path, "names with fractions, as in a file of metrics or class vectors")
    if images := list(filter(None, map(IMAGE_IN_LINE.match, lines))):
        _refuse_images(path, images, len(lines))
    if path.suffix.lower() == PYTHON and list_in_code("\n".join(lines)) is None:
        raise _refusal(path, "code without exactly one list of classes, such as classes = [...]")
    distinct = path.suffix.lower() in (PROTOBUF, PYTHON) or len(set(lines)) == len(lines)
    if not distinct:
        raise _refusal(
            path, "a text file in which lines repeat; a list of classes has each name once"
        )
    if are_not_names(parse_class_list(lines).names):
        raise _refusal(path, "a text file with code, metrics or sentences")
    return "classes"


def _is_score_table(path: Path) -> bool:
    """Whether a text is a table, by its suffix or its rows of scores, and not a list of classes."""
    separator = SEPARATORS.get(path.suffix.lower())
    if separator is None:
        fields = first_fields(path)
        fields = fields if len(fields) > 1 else fields[0].split()
        are_titles = all(is_named(field, (*LABELS, *PREDICTED)) for field in fields)
        return len(fields) > 1 and (are_titles or is_matrix_row(fields))
    if path.stat().st_size > MAX_LIST:
        return True
    lines = read_head(path, MAX_LIST)
    if separator == "\t" and not any(separator in line for line in lines):
        return False
    return not is_class_table(lines, separator)


def _is_label_table(path: Path) -> bool:
    """Whether a table has labels, alone or after the images, and neither scores nor predictions."""
    titles = re.split(r"[,;\t]", next(iter(read_head(path, MAX_LIST)), ""))
    titles = [title.strip(' "') for title in titles]
    is_label = [is_named(title, LABELS) for title in titles]
    predicted = any(is_named(title, PREDICTED) for title in titles)
    return len(titles) <= 2 and any(is_label) and not predicted


def _refuse_images(path: Path, images: Sequence[re.Match[str]], n_lines: int) -> None:
    """Refuse a text with one image per line: a part of a split, or predicted classes."""
    if len(images) < n_lines:
        return
    words = [re.split(r"[\s,;|]+", match[2] or "") for match in images]
    if all(len(word) == 2 for word in words) and {a for a, _ in words} & {b for _, b in words}:
        raise _refusal(
            path,
            "images with two words each; predicted classes are read from a .csv "
            "with the columns image, label and predicted",
        )
    raise _refusal(path, "the images of one part; check the folder that has the lists of all parts")


def class_list_of(file: RecognisedFile) -> ClassList:
    """Read a list of classes."""
    if file.contents is not None:
        return ClassList(tuple(map(str, file.contents.arrays["array"])))
    return read_class_list(file.path, count_understood, file.value, file.lines)


def test_classes_of(path: Path) -> ClassList:
    """Read the test classes of a file: a list of classes, or the unseen classes of a split.

    Raises FileRefusedError for other files.
    """
    try:
        file = recognise_file(path)
    except FileRefusedError:  # such as a list with a name twice
        if container_of(path) != "text":
            raise
        return read_class_list(path, count_understood)
    if file.kind == "classes":
        return class_list_of(file)
    if file.split is not None and (unseen := file.split.sides.get("unseen")) is not None:
        return ClassList(tuple(file.split.class_names[c] for c in unseen), "the unseen classes")
    if container_of(path) == "text" and file.split is None:
        return read_class_list(path, count_understood)
    raise refusal_of(path, "a list of test classes", KIND_NAMES[file.kind])
