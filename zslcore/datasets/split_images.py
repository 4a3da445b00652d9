"""Splits by names of images: rows of distinct images, and their classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

import numpy as np

from zslcore.datasets.base import distinct
from zslcore.datasets.split_lists import (
    IMAGE,
    MULTI,
    Entries,
    SplitList,
    drain,
    join_first_names,
    parent_folder,
)
from zslcore.datasets.split_parts import NO_ROWS, add_trainval, divide_test, rename_test
from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.texts import clean_text, expect, refusal_of

#: Maximum number of characters of a symbol, which may be two classes in upper and in lower case.
MAX_SYMBOL = 2
#: Maximum number of questions on spellings in one file; the other spellings are counted.
MAX_QUESTIONS = 9
#: Separators of folders in a path.
SLASHES = re.compile(r"[\\/]+(\./)*")
#: Maximum number of folders in the path of an image.
MAX_FOLDERS = 64
#: Maximum number of classes of a split; ImageNet-21K has 21,841.
MAX_CLASSES = 1 << 18
#: Question on names of images that occur in several classes.
REPEATED_NAMES = (
    "Several classes have images with the same names, which are read as different images, as in a "
    "layout with one folder per class."
)
#: Separators of several labels in one text.
LABEL_SEPARATORS = "|;,"
#: A list of numbers.
LIST_OF_NUMBERS = re.compile(r"\[\d+(,\s*\d+)+\]")
#: The place between two names in quotation marks.
NAME_AFTER_NAME = re.compile(r"([\"'])\s*,\s*\1")
#: Maximum share of images in folders of other classes, if folders are named after classes.
MAX_MOVED = 0.2
#: A class that is named by its number.
NUMBERED_CLASS = re.compile(r"(?:class )?\d+(?:\.0+)?")
#: Question on lists with labels that contradict the folders of the images.
MIXED_LABELS = (
    "The lists give one folder different labels, or one number different folders, so the folder of "
    "an image is read as its class."
)


def split_of_images(source: Path, entries: Entries) -> SplitList:
    """Return the split of entries with images; classes without training rows are unseen.

    The entries are removed from their lists.
    """
    file = clean_text(source.name)
    rows = ImageRows(file, entries.multi_class)
    _unify_suffixes(entries)
    named = _add_class_folders(_choose_classes(file, entries))
    entries.clear()
    parts = {part: rows.take(pairs) for part, pairs in named.items()}
    files, label_of_row = rows.files, rows.labels
    del rows  # a million rows take 40 MB
    expect(files, source, "images", "none")
    of_parts = [{label_of_row[k]: None for k in listed.tolist()} for listed in parts.values()]
    name_of, remark, questions = unify_spellings(file, [[*labels] for labels in of_parts])
    names = sorted({name_of[label] for label in label_of_row}, key=_sort_key)
    number = {name: c for c, name in enumerate(names)}
    labels = np.array([number[name_of[label]] for label in label_of_row], np.int64)
    all_parts, _ = add_trainval(parts, labels)
    if "test" in all_parts:
        remark += rename_test(all_parts, labels) or divide_test(all_parts, labels)
    return SplitList(
        file,
        files,
        labels,
        tuple(map(clean_text, names)),
        all_parts,
        note=named.note + remark,
        one_name=named.one_name,
        questions=(
            *named.questions,
            *questions,
            *_ask_about_equal_images(file, files, labels, all_parts),
        ),
        checksums=named.checksums,
    )


def _sort_key(label: str) -> tuple[bool, int, str]:
    """Return the sort key of a label; numeric labels come first, by value."""
    is_number = label.isdecimal() and len(label) < 10
    return (False, int(label), "") if is_number else (True, 0, label)


@dataclass(slots=True)
class ImageRows:
    """Rows of distinct images, with their classes.

    With ``multi_class``, an image with several classes, such as a photograph of several objects,
    has one row per class. An image with different classes in two parts also has two rows.
    """

    file: str
    multi_class: bool = False
    _labels: dict[str | tuple[str, str], str] = field(default_factory=dict)
    _rows: dict[str | tuple[str, str], int] = field(default_factory=dict)
    _n_earlier: int = 0

    @property
    def files(self) -> tuple[str, ...]:
        """Image of each row."""
        return tuple(key if isinstance(key, str) else key[0] for key in self._labels)

    @property
    def labels(self) -> list[str]:
        """Class of each row."""
        return [*self._labels.values()]

    def add(self, image: str, label: str) -> int:
        """Return the row of an image; refuse a second label in a part, unless ``multi_class``."""
        if "\\" in image or "//" in image or image.startswith("./"):
            image = SLASHES.sub("/", image).removeprefix("./")
        return self._row((image, label) if self.multi_class else image, label)

    def _row(self, key: str | tuple[str, str], label: str) -> int:
        n = len(self._labels)
        first = self._labels.setdefault(key, label)
        if len(self._labels) > n:
            if self._rows:
                self._rows[key] = n
            return n
        if not self._rows:  # only with the first repetition, since a million rows take 70 MB
            self._rows = {key: row for row, key in enumerate(self._labels)}
        if isinstance(key, tuple) or first == label:
            return self._rows[key]
        if self._rows[key] < self._n_earlier and parent_folder(key):  # one file, by its path
            return self._row((key, label), label)
        got = f"{clean_text(first, 60)} and {clean_text(label, 60)} for"
        raise refusal_of(self.file, "one class per image", f"{got} {clean_text(key, 80)!r}")

    def take(self, entries: list[tuple[str, str]]) -> np.ndarray:
        """Return the rows of the entries of a part, which are removed from the list."""
        n, self._n_earlier = len(entries), len(self._labels)
        return np.fromiter((self.add(*entry) for entry in drain(entries)), np.int64, n)


def _unify_suffixes(entries: Entries) -> None:
    """Write suffixes in lower case if one list has ``a.JPG`` and another list ``a.jpg``.

    Two files in one folder may have such names, so images in folders of parts are not changed.
    """
    images = (image for pairs in entries.values() for image, _ in pairs)
    lower_of = {image: image[:-4] + image[-4:].lower() for image in images if image[-3:].isupper()}
    lower = {*lower_of.values()}
    listed = lower.intersection(image for pairs in entries.values() for image, _ in pairs)
    for pairs in entries.values() if listed and entries.one_name else ():
        for k, (image, label) in enumerate(pairs):
            if (written := lower_of.get(image)) in listed:
                pairs[k] = (written or image, label)


# --- Classes --------------------------------------------------------------------------------------


def unify_spellings(
    file: str, lists: Sequence[Sequence[str]]
) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Map the spellings of each class to one name; return the map, a remark and questions.

    Spellings of a name in different lists are one class, named by the first spelling. Spellings in
    one list, or of symbols such as letters, may be two classes: both are kept, with a question.
    Raises a FileRefusedError for more than MAX_CLASSES names.
    """
    names = dict.fromkeys(chain(*lists))
    expect_few_classes(file, names)
    spellings: dict[str, list[str]] = {}
    for name in names:
        spellings.setdefault(class_key(name), []).append(name)
    sets = [frozenset(listed) for listed in lists]
    are_symbols = all(len(name) <= MAX_SYMBOL for name in names)
    name_of: dict[str, str] = {}
    several, questions = [], []
    for of_class in spellings.values():
        name_of.update(dict.fromkeys(of_class, of_class[0]))
        if len(of_class) == 1:
            continue
        joined = ", ".join(clean_text(name, 60) for name in of_class)
        in_one = any(len(listed.intersection(of_class)) > 1 for listed in sets)
        if in_one or are_symbols:
            have = "One list has" if in_one else "The lists have"
            questions.append(f"{have} {joined}: are these one class or {len(of_class)}?")
            name_of.update({name: name for name in of_class})
        else:
            several.append(joined)
    remark = f"; one class in two spellings: {join_first_names(several)}" if several else ""
    if (n_more := len(questions) - MAX_QUESTIONS) > 0:
        text = f"{n_more:,} more classes have several spellings in one list."
        questions[MAX_QUESTIONS:] = [text]
    return name_of, remark, tuple(questions)


def expect_few_classes(file: str, names: Collection[str]) -> None:
    """Refuse a file with more than MAX_CLASSES distinct names of classes."""
    n = len(names)
    expect(n <= MAX_CLASSES, file, f"at most {MAX_CLASSES:,} classes", f"{n:,}")


def _choose_classes(file: str, entries: Entries) -> Entries:
    """Name the classes of all parts in one way: by their labels, or by the folders of images.

    Folders are classes if only some images have a label, if one part numbers its classes and
    another names them, or if labels and folders of two parts contradict each other. Raises a
    FileRefusedError if an image has no class.
    """
    labels = {part: listed for part, listed in entries.labels.items() if listed}
    folders = {part: [parent_folder(image) for image, _ in entries[part]] for part in labels}
    pairs = [
        {pair for pair in zip(labels[part], folders[part], strict=True) if pair[0]}
        for part in labels
    ]
    have_classes = all(map(all, folders.values())) and all(
        len({*column}) == len(of_part) for of_part in pairs for column in zip(*of_part, strict=True)
    )
    are_labelled = {bool(label) for listed in labels.values() for label in listed}
    if len(are_labelled) > 1 and not have_classes:
        raise _refusal_of_labels(file, labels)
    are_mixed = bool(questions_on_numbers(labels))
    contradict = have_classes and not are_mixed and _contradict({*chain(*pairs)})
    questions, remark = entries.questions, ""
    if have_classes and (len(are_labelled) > 1 or are_mixed or contradict):
        labels, remark = folders, "; the folder of an image names its class"
        questions += (MIXED_LABELS,) if contradict else ()
    elif len({*chain(*pairs)}) > len({label for label, _ in chain(*pairs)}):
        questions += _questions_on_folders(labels, folders)
    named = entries.with_parts(
        {
            part: [
                pair if label and label == pair[1] else (pair[0], label or parent_folder(pair[0]))
                for pair, label in zip(pairs_of_part, labels.get(part, ()), strict=True)
            ]
            for part, pairs_of_part in entries.items()
        }
    )
    _refuse_several_labels(file, {label for _, label in chain(*named.values())})
    for image, label in chain(*named.values()):
        expect(label, file, "a class of every image", f"none for {clean_text(image, 80)!r}")
    named.note = (entries.note or f"entries of {', '.join(entries)}") + remark
    named.questions = questions + questions_on_numbers(named.labels)
    return named


def _refusal_of_labels(file: str, labels: Mapping[str, Sequence[str]]) -> FileRefusedError:
    """Return the refusal of images with and without a label."""
    with_labels, without = (
        ", ".join(part for part, listed in labels.items() if has in map(bool, listed))
        for has in (True, False)
    )
    got = f"a label after images of {with_labels} and none after images of {without}"
    expected = "the class of every image written in the same way"
    return refusal_of(file, expected, f"{got}; write the same labels in all")


def _is_list_of_labels(label: str) -> bool:
    """Whether a text is a list in brackets, of numbers or of names in quotation marks."""
    inside = label[1:-1].strip()
    is_quoted = inside[:1] in ("'", '"') and inside[:1] == inside[-1:]
    is_in_brackets = label[:1] in ("[", "(", "{") and label[-1:] in ("]", ")", "}")
    if is_in_brackets and is_quoted:
        between = NAME_AFTER_NAME.search(inside[1:-1])
        return between is not None and between[1] == inside[0]
    return LIST_OF_NUMBERS.fullmatch(label) is not None


def _refuse_several_labels(file: str, labels: Collection[str]) -> None:
    """Refuse images with several labels in one text: ``Edema|Mass``, or ``['cat', 'dog']``.

    Names between separators are labels if they also occur alone, or at another position between
    separators. Otherwise they may be the synonyms of one class, or the names of its broader
    classes. Names between commas are labels only if all of them occur again, since two classes may
    share a synonym.
    """
    several = [label for label in labels if _is_list_of_labels(label)]
    for separator in LABEL_SEPARATORS:
        pieces_of = {label: [*map(str.strip, label.split(separator))] for label in labels}
        positions: dict[str, set[int]] = {}
        for pieces in pieces_of.values():
            for position, piece in enumerate(pieces):
                positions.setdefault(piece, set()).add(position if len(pieces) > 1 else -1)
        are_labels = all if separator == "," else any
        joined = {label: pieces for label, pieces in pieces_of.items() if len(pieces) > 1}
        repeated = [
            label
            for label, pieces in joined.items()
            if are_labels(len(positions[piece]) > 1 for piece in pieces)
        ]
        several += repeated if 2 * len(repeated) >= len(joined) else []
    if several:
        got = clean_text(repr(min(several)), 60)
        raise refusal_of(file, "one class per image", f"{got}; {MULTI}")


def _contradict(pairs: Collection[tuple[str, str]]) -> bool:
    """Whether a folder has several labels, or a number is the label of several folders."""
    label_of, folder_of = Counter(f for _, f in pairs), Counter(n for n, _ in pairs)
    numbers = [label for label in folder_of if NUMBERED_CLASS.fullmatch(label)]
    several = any(n > 1 for n in label_of.values()) and len(label_of) > 1
    return several or any(folder_of[label] > 1 for label in numbers)


def _questions_on_folders(
    labels: Mapping[str, Sequence[str]], folders: Mapping[str, Sequence[str]]
) -> tuple[str, ...]:
    """Return a question if some images are in the folder of another class; else ().

    A folder belongs to a class if most of its images have that label, and most images with that
    label are in it. There is no question unless every label has a folder, and few images moved.
    """
    counts: Counter[tuple[str, str]] = Counter()
    for part, listed in labels.items():
        counts.update(zip(listed, folders[part], strict=True))
    label_of: dict[str, str] = {}
    folder_of: dict[str, str] = {}
    for (label, folder), _ in counts.most_common():
        label_of.setdefault(folder, label)
        folder_of.setdefault(label, folder)
    if "" in label_of or any(label_of[folder] != label for label, folder in folder_of.items()):
        return ()
    moved = {pair: n for pair, n in counts.items() if folder_of[pair[0]] != pair[1]}
    moved = {pair: n for pair, n in moved.items() if folder_of[label_of[pair[1]]] == pair[1]}
    n = sum(moved.values())
    if not moved or n > MAX_MOVED * counts.total():
        return ()
    label, folder = (clean_text(name, 40) for name in min(moved))
    return (f"Images in the folder of another class: {n:,}, such as {label!r} in {folder!r}.",)


def questions_on_numbers(labels: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return a question if some lists name their classes and others number them; else ()."""
    kinds_of = {
        part: {bool(NUMBERED_CLASS.fullmatch(label)) for label in {*listed}}
        for part, listed in labels.items()
    }
    with_numbers = [part for part, kinds in kinds_of.items() if kinds == {True}]
    with_names = [part for part, kinds in kinds_of.items() if kinds == {False}]
    if not with_numbers or not with_names:
        return ()
    description = f"numbers in {', '.join(with_numbers)} and names in {', '.join(with_names)}"
    advice = "Write all classes as names, or all as numbers."
    return (f"Classes are {description}: a class may be in both. {advice}",)


# --- Names of images ------------------------------------------------------------------------------


def _add_class_folders(entries: Entries) -> Entries:
    """Add the class as a folder to image names if most names occur in several classes.

    If all test images of seen classes have the names of training images, they are different images,
    and the part is also added.
    """
    if entries.multi_class or any(parent_folder(image) for image, _ in chain(*entries.values())):
        return entries
    pairs = {part: {*pairs_of_part} for part, pairs_of_part in entries.items()}
    classes = Counter(image for image, _ in set().union(*pairs.values()))
    if 2 * sum(n > 1 for n in classes.values()) <= len(classes):
        return entries
    trained, tested = (
        set().union(*(pairs.get(part, ()) for part in names))
        for names in (("train", "trainval"), ("test", "test_seen"))
    )
    seen = {label for _, label in trained}
    repeats = [pair in trained for pair in tested if pair[1] in seen]
    folder = "{part}/{label}" if repeats and all(repeats) else "{label}"
    renamed = entries.with_parts(
        {
            part: [
                (f"{folder.format(part=part, label=label)}/{image}", label)
                for image, label in of_part
            ]
            for part, of_part in entries.items()
        }
    )
    renamed.questions += (REPEATED_NAMES,)
    return renamed


def _ask_about_equal_images(
    file: str, files: Sequence[str], labels: np.ndarray, parts: Mapping[str, np.ndarray]
) -> Iterator[str]:
    """Ask whether an image in training and an image in test may be the same file.

    They may be if their paths differ only in case, or, in the same class, if one path is the end of
    the other, ignoring case, and ignoring suffixes if some names have none. Raises a
    FileRefusedError for an image in more than MAX_FOLDERS folders.
    """
    sides = [
        _group_rows(labels, [parts[part] for part in names if part in parts])
        for names in (("train", "trainval"), ("test_seen", "test_unseen"))
    ]
    repeated = _find_repeated_paths(files)
    trained, tested = (
        {row for rows in side.values() for row in rows.tolist() if row in repeated}
        for side in sides
    )
    row_of = {_normalise_path(files[row]): row for row in trained}
    pairs = {  # the same path in another class
        (files[k], files[row])
        for k in tested
        if (row := row_of.get(_normalise_path(files[k]))) is not None and labels[row] != labels[k]
    }
    has_suffixes = all(map(IMAGE.search, files))
    for label in sides[0].keys() & sides[1].keys():  # one class at a time takes little memory
        train, test = (
            {_normalise_path(files[k], has_suffixes): k for k in side[label].tolist()}
            for side in sides
        )
        shared = set.intersection(
            *({path.rpartition("/")[2] for path in side} for side in (train, test))
        )
        for rows, other_rows in ((train, test), (test, train)):
            for path, row in rows.items():
                n = path.count("/")
                expect(n <= MAX_FOLDERS, file, f"images in at most {MAX_FOLDERS} folders", n)
                if path.rpartition("/")[2] in shared:
                    ends = (end for end in _ends_of(path) if other_rows.get(end, row) != row)
                    pairs.update((path, end) for end in ends)
    if pairs:
        example = " and ".join(clean_text(path, 60) for path in min(pairs))
        paths = "1 path ends" if len(pairs) == 1 else f"{len(pairs):,} paths end"
        yield f"{paths} like paths of another part, as {example}: the same images?"


def _group_rows(labels: np.ndarray, listed: Sequence[np.ndarray]) -> dict[int, np.ndarray]:
    """Return the distinct rows of some lists by their label."""
    rows = distinct(np.concatenate([NO_ROWS, *listed]))
    rows = rows[np.argsort(labels[rows], kind="stable")]
    values, starts = np.unique(labels[rows], return_index=True)
    return dict(zip(values.tolist(), np.split(rows, starts[1:]), strict=bool(rows.size)))


def _find_repeated_paths(files: Sequence[str]) -> set[int]:
    """Return the rows of paths that, apart from case, occur more than once.

    Numbers are compared instead of paths, which would take more than 100 MB.
    """
    keys = np.fromiter((hash(_normalise_path(file)) for file in files), np.int64, len(files))
    _, of_key, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return {*np.flatnonzero(counts[of_key] > 1).tolist()}


def _normalise_path(file: str, has_suffixes: bool = True) -> str:
    """Return a path in lower case, with single slashes, and no suffix unless ``has_suffixes``."""
    path = SLASHES.sub("/", file).lower().removeprefix("./")
    return path if has_suffixes else IMAGE.sub("", path)


def _ends_of(path: str) -> Iterator[str]:
    """Yield a path, and the path without its first folders."""
    while path:
        yield path
        path = path.partition("/")[2]
