"""Splits by names: entries of images or classes by part become numbered rows and classes.

Readers of files (:mod:`zslcore.datasets.split_files`) and folders
(:mod:`zslcore.datasets.split_folders`) return :class:`Entries`; :func:`split_of_entries` numbers
them. Images with equal names are one row, even in several lists; no image is opened.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from zslcore.datasets.base import distinct
from zslcore.datasets.class_lists import without_numbers
from zslcore.datasets.part_names import part_of_name, trains_and_tests
from zslcore.names import class_key, positions_of
from zslcore.texts import clean_text, expect, refusal_of

#: Suffix of the path of an image, video, sound or shape.
SUFFIX = (
    r"\.(?:jpe?g|jpe|png|webp|bmp|gif|tiff?|ppm|pgm|avi|mp4|mpg|mov|mkv|webm"
    r"|wav|mp3|flac|ogg|off|ply|obj|dcm)"
)
#: Largest number of characters of symbols, of which upper and lower case may be two classes.
MOST_OF_SYMBOLS = 2
#: Maximum number of questions on spellings in one file; the other spellings are counted.
MOST_QUESTIONS = 9
#: A path of an image, and an image at the start of a line with the text after it.
IMAGE = re.compile(rf"{SUFFIX}$", re.IGNORECASE)
IMAGE_IN_LINE = re.compile(rf"(.+?{SUFFIX})(?:[\s,;|]+(.*))?$", re.IGNORECASE | re.DOTALL)
#: One or two numbers in front of an image.
NUMBERS_IN_FRONT = re.compile(
    rf"((?:\d+(?:\.\d+)?[\t ]){{1,2}})\s*(\S.*{SUFFIX}.*)$", re.IGNORECASE
)
#: Three or more numbers after a name.
NUMBERS_BEHIND = re.compile(r"(\S+)((?:[\t ]+\d+){3,})")
#: A text after its class, as fastText reads it.
LABELLED = re.compile(r"__label__(\S+)\s+(\S.*)")
#: A number after an image; largest number of characters of a class name.
NUMBER_AFTER, MOST_LETTERS = re.compile(r"[\s,;]\d+$"), 120
DIGIT = re.compile(r"\d")
#: Separators of folders in a path.
SLASHES = re.compile(r"[\\/]+(\./)*")
#: Largest number of characters in a note or question; largest number of folders of an image.
MAX_NOTE, MOST_FOLDERS = 2000, 64
#: Largest number of classes of a split; ImageNet-21K has 21,841.
MAX_CLASSES = 1 << 18
#: Question on names of images that occur in several classes.
REPEATED = (
    "Several classes have images with the same names, which are read as different images, as in a "
    "layout with one folder per class."
)
#: End of the refusal of images with several labels.
MULTI = "multi-label data are not supported"
#: Separators of several labels in one text, a list of numbers, and the place between two names in
#: quotation marks.
LABEL_SEPARATORS = "|;,"
LIST_OF_NUMBERS, NAME_AFTER_NAME = re.compile(r"\[\d+(,\s*\d+)+\]"), re.compile(r"([\"'])\s*,\s*\1")
#: Question on row numbers that separate the classes only if they start at 1.
FROM_1 = (
    "The rows are read as numbered from 1; from 0, test classes have training images. Check where "
    "row numbers start: at 0 or at 1?"
)
#: A class that is named by its number.
NUMBERED_CLASS = re.compile(r"(?:class )?\d+(?:\.0+)?")
#: Question on lists whose labels contradict the folders of the images.
MIXED = (
    "The lists give one folder different labels, or one number different folders, so the folder of "
    "an image is read as its class."
)

_T = TypeVar("_T")


class Entries(dict[str, list[tuple[str, str]]]):
    """Part (such as "train") or side ("seen" or "unseen") -> (image, class) of each entry.

    In an entry of a class, the image is empty; an empty class is the folder of the image. ``note``
    describes the format that was read. With ``several``, an image may have several classes.
    ``one_name`` is True if an image has the same name in every part. ``questions`` are open
    questions on the entries, ``classes`` the class lists beside images, and ``checksums`` those of
    the image files by name.
    """

    def __init__(
        self,
        parts: Mapping[str, list[tuple[str, str]]] = MappingProxyType({}),
        *,
        note: str = "",
        several: bool = False,
        one_name: bool = True,
        questions: tuple[str, ...] = (),
    ) -> None:
        super().__init__(parts)
        self.note, self.several, self.one_name = note, several, one_name
        self.questions = questions
        self.classes: Entries | None = None
        self.checksums: dict[str, str] = {}

    @property
    def has_images(self) -> bool:
        """Whether an entry is an image, or a row."""
        return any(image for pairs in self.values() for image, _ in pairs)


@dataclass(frozen=True, slots=True, eq=False)
class SplitList:
    """Split by names of images or classes.

    ``files`` are the distinct images, one per row, and ``labels`` their classes. A split by class
    lists has neither; its ``sides`` map "seen" and "unseen" to classes. ``parts`` has the rows of
    each part in the order of its list, with repetitions. ``note`` describes the format that was
    read. ``one_name`` is True if an image has the same name in every part; for folders of parts,
    this is unknown, and ``one_name`` is False. ``folds`` has the training and validation classes of
    each fold, ``questions`` the open questions on the lists. ``features`` has the features of each
    row, if the file has them by part.
    """

    name: str
    files: tuple[str, ...]
    labels: np.ndarray
    class_names: tuple[str, ...]
    parts: Mapping[str, np.ndarray]
    sides: Mapping[str, np.ndarray] = field(default_factory=dict)
    note: str = ""
    one_name: bool = True
    folds: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    questions: tuple[str, ...] = ()
    checksums: Mapping[str, str] = field(default_factory=dict)
    features: np.ndarray | None = None

    def __post_init__(self) -> None:
        """Clean note and questions, since file names in them may hold any byte."""
        object.__setattr__(self, "note", clean_text(self.note, MAX_NOTE))
        questions = tuple(clean_text(question, MAX_NOTE) for question in self.questions)
        object.__setattr__(self, "questions", questions)


def one_name_each(
    file: str, lists: Sequence[Sequence[str]]
) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Map the spellings of each class to one name; return the map, a remark and questions.

    Spellings of a name in different lists are one class, named by the first spelling. Spellings in
    one list, or of symbols such as letters, may be two classes: both are kept, with a question.
    Raises a FileRefusedError for more
    than MAX_CLASSES names.
    """
    spellings: dict[str, list[str]] = {}
    distinct = dict.fromkeys(name for listed in lists for name in listed)
    n = len(distinct)
    expect(n <= MAX_CLASSES, file, f"at most {MAX_CLASSES:,} classes", f"{n:,}")
    for name in distinct:
        spellings.setdefault(class_key(name), []).append(name)
    names, several = {}, []
    questions = []
    sets = [frozenset(listed) for listed in lists]
    are_symbols = all(len(name) <= MOST_OF_SYMBOLS for name in distinct)
    for spellings_of_class in spellings.values():
        joined = ", ".join(clean_text(name, 60) for name in spellings_of_class)
        n = len(spellings_of_class)
        in_one = any(len(listed.intersection(spellings_of_class)) > 1 for listed in sets)
        if in_one or (n > 1 and are_symbols):
            have = "One list has" if in_one else "The lists have"
            questions.append(f"{have} {joined}: are these one class or {n}?")
            names.update({name: name for name in spellings_of_class})
            continue
        several += [joined] if len(spellings_of_class) > 1 else []
        names.update(dict.fromkeys(spellings_of_class, spellings_of_class[0]))
    remark = f"; one class in two spellings: {counted_names(several)}" if several else ""
    if (n_more := len(questions) - MOST_QUESTIONS) > 0:
        questions[MOST_QUESTIONS:] = [
            f"{n_more:,} more classes have several spellings in one list."
        ]
    return names, remark, tuple(questions)


def counted_names(names: Sequence[str], most: int = 3) -> str:
    """Join the first names, as in ``a; b and 7 more``."""
    n_more = len(names) - most
    return "; ".join(names[:most]) + (f" and {n_more} more" if n_more > 0 else "")


@dataclass(slots=True)
class ImageRows:
    """Rows of distinct images, with their classes.

    With ``several``, an image with several classes, such as a photograph of several objects, has
    one row per class; so has an image of which another part states another class.
    """

    file: str
    several: bool = False
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
        """Return the row of an image; refuse two labels of it in one part, unless ``several``."""
        if "\\" in image or "//" in image or image.startswith("./"):
            image = SLASHES.sub("/", image).removeprefix("./")
        return self._row((image, label) if self.several else image, label)

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
        return np.fromiter((self.add(*entry) for entry in taken(entries)), np.int64, n)


def taken(items: list[_T]) -> Iterator[_T]:
    """Yield the items of a list and remove them: a million rows or entries take 70 MB."""
    items.reverse()
    while items:
        yield items.pop()


# --- Images ---------------------------------------------------------------------------------------


def split_of_entries(source: Path, entries: Entries) -> SplitList:
    """Return the split of entries of a file, either of images or of classes only."""
    file = clean_text(source.name)
    if all(
        image.isdecimal() and not label
        for pairs_of_part in entries.values()
        for image, label in pairs_of_part
    ):
        rows = {
            part: [image for image, _ in pairs_of_part] for part, pairs_of_part in entries.items()
        }
        return split_of_parts(file, rows)
    if entries.has_images:
        classes = split_of_entries(source, entries.classes) if entries.classes else None
        return with_class_lists(split_of_images(source, entries), classes)
    n = len({name for pairs_of_part in entries.values() for _, name in pairs_of_part})
    expect(n <= MAX_CLASSES, file, f"at most {MAX_CLASSES:,} classes", f"{n:,}")
    lists = without_numbers(
        [[name for _, name in pairs_of_part] for pairs_of_part in entries.values()]
    )
    names = {part: _class_list(file, listed) for part, listed in zip(entries, lists, strict=True)}
    note, held_out = "lists of classes, no images", names.pop("val", ())
    if not {"test", "test_seen", "test_unseen", "unseen"} & {*names}:
        names["unseen"], held_out = held_out, ()
        note += "; val is used as the test part"
    all_seen = [name for part in ("seen", "trainval") for name in names.get(part, ())]
    seen = dict.fromkeys((*all_seen, *names.get("train", ())))
    unseen = [name for part in ("unseen", "test_unseen") for name in names.get(part, ())]
    tested = names.get("test", ())
    trained = {class_key(name) for name in (*seen, *held_out)}
    shared = [name for name in tested if class_key(name) in trained]
    if not are_few(len(shared), len(tested), len(trained)):  # the test part also has seen classes
        tested = tuple(name for name in tested if name not in shared)
        expect(tested or unseen, file, "a test class that is not a training class", "none")
        note += f"; {len(shared)} test classes are also training classes, hence seen"
    # A list of seen classes includes validation classes; a list of training classes does not.
    validated = {class_key(name) for name in held_out}
    fitted = names.get("train") or [name for name in all_seen if class_key(name) not in validated]
    folds = [(fitted, held_out)] if held_out else []
    return split_of_classes(file, {"seen": [*seen], "unseen": [*unseen, *tested]}, note, folds)


def _class_list(file: str, listed: Sequence[str]) -> tuple[str, ...]:
    names = tuple(clean_text(name) for name in listed)
    expect("" not in names, file, "class names", "an empty one")
    return names


def split_of_images(source: Path, entries: Entries) -> SplitList:
    """Return the split of entries with images; classes without training rows are unseen.

    The entries are removed from their lists.
    """
    file = clean_text(source.name)
    rows = ImageRows(file, entries.several)
    _write_suffixes_alike(entries)
    named = _named_within_classes(_with_one_naming(file, entries))
    checksums = entries.checksums
    entries.clear()
    parts = {part: rows.take(values) for part, values in named.items()}
    files, label_of_row = rows.files, rows.labels
    del rows  # a million rows take 40 MB
    expect(files, source, "images", "none")
    of_parts = [
        [*dict.fromkeys(label_of_row[k] for k in values.tolist())] for values in parts.values()
    ]
    name_of, remark, questions = one_name_each(file, of_parts)
    names = sorted({name_of[label] for label in label_of_row}, key=_natural)
    number = {name: c for c, name in enumerate(names)}
    labels = np.array([number[name_of[label]] for label in label_of_row], np.int64)
    checked, _ = _validated(parts, labels)
    if "test" in checked:
        remark += _all_unseen(checked, labels) or _part_by_side(checked, labels)
    return SplitList(
        file,
        files,
        labels,
        tuple(clean_text(name) for name in names),
        checked,
        note=named.note + remark,
        one_name=named.one_name,
        questions=(*named.questions, *questions, *_same_images(file, files, labels, checked)),
        checksums=checksums,
    )


def _write_suffixes_alike(entries: Entries) -> None:
    """Write a suffix in lower case if a list has ``a.JPG`` and another list ``a.jpg``.

    Two files in one folder may have such names, so images of folders are not changed.
    """
    images = (image for pairs in entries.values() for image, _ in pairs)
    lower_of = {image: image[:-4] + image[-4:].lower() for image in images if image[-3:].isupper()}
    lower = {*lower_of.values()}
    listed = lower.intersection(image for pairs in entries.values() for image, _ in pairs)
    for pairs in entries.values() if listed and entries.one_name else ():
        for k, (image, label) in enumerate(pairs):
            if (written := lower_of.get(image)) in listed:
                pairs[k] = (written or image, label)


def _with_one_naming(file: str, entries: Entries) -> Entries:
    """Name the classes of all parts in one way: by their labels, or by the folders of images.

    Folders are classes if only some images have a label, if one part numbers its classes and
    another names them, or if labels and folders of two parts contradict each other. Raises a
    FileRefusedError if an image has no class.
    """
    labels = {part: [label for _, label in values] for part, values in entries.items() if values}
    folders = {part: [parent_folder(image) for image, _ in entries[part]] for part in labels}
    pairs = {
        part: {pair for pair in zip(labels[part], folders[part], strict=True) if pair[0]}
        for part in labels
    }
    are_labelled = {bool(label) for values in labels.values() for label in values}
    is_class = all(all(values) for values in folders.values()) and all(
        len({label for label, _ in values}) == len({folder for _, folder in values}) == len(values)
        for values in pairs.values()
    )
    are_mixed = bool(_question_on_numbers(labels))
    contradict = is_class and not are_mixed and _contradict(set().union(*pairs.values()))
    questions, remark = entries.questions, ""
    if len(are_labelled) > 1 and not is_class:
        with_labels, without = (
            ", ".join(part for part, values in labels.items() if has in map(bool, values))
            for has in (True, False)
        )
        got = f"a label after images of {with_labels} and none after images of {without}"
        expected = "the class of every image written in the same way"
        raise refusal_of(file, expected, f"{got}; write the same labels in all")
    if is_class and (len(are_labelled) > 1 or are_mixed or contradict):
        labels, remark = folders, "; the folder of an image names its class"
        questions += (MIXED,) if contradict else ()
    of_parts = {
        part: [
            entry if label and label == entry[1] else (entry[0], label or parent_folder(entry[0]))
            for entry, label in zip(entries[part], labels.get(part, ()), strict=True)
        ]
        for part in entries
    }
    _refuse_several_labels(file, {label for values in of_parts.values() for _, label in values})
    for image, label in (pair for values in of_parts.values() for pair in values):
        expect(label, file, "a class of every image", f"none for {clean_text(image, 80)!r}")
    note = entries.note + remark if entries.note else ""
    questions += _question_on_numbers(
        {part: [c for _, c in values] for part, values in of_parts.items()}
    )
    return Entries(
        of_parts,
        note=note or f"entries of {', '.join(entries)}{remark}",
        several=entries.several,
        one_name=entries.one_name,
        questions=questions,
    )


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
        joined = [label for label in labels if separator in label]
        positions: dict[str, set[int]] = {}
        for label in labels:
            pieces = label.split(separator)
            for position, piece in enumerate(pieces):
                positions.setdefault(piece.strip(), set()).add(position if len(pieces) > 1 else -1)
        are_labels = all if separator == "," else any
        repeated = [
            label
            for label in joined
            if are_labels([len(positions[piece.strip()]) > 1 for piece in label.split(separator)])
        ]
        several += repeated if 2 * len(repeated) >= len(joined) else []
    if several:
        got = clean_text(repr(min(several)), 60)
        raise refusal_of(file, "one class per image", f"{got}; {MULTI}")


def _contradict(pairs: set[tuple[str, str]]) -> bool:
    """Whether a folder has several labels, or a number is the label of several folders."""
    label_of, folder_of = Counter(f for _, f in pairs), Counter(n for n, _ in pairs)
    numbers = [label for label in folder_of if NUMBERED_CLASS.fullmatch(label)]
    several = any(n > 1 for n in label_of.values()) and len(label_of) > 1
    return several or any(folder_of[label] > 1 for label in numbers)


def _question_on_numbers(labels: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """Return the question on lists of which some name their classes and some number them."""
    numbered = {
        part: {bool(NUMBERED_CLASS.fullmatch(label)) for label in {*names}}
        for part, names in labels.items()
        if names
    }
    of_numbers = [part for part, kinds in numbered.items() if kinds == {True}]
    of_names = [part for part, kinds in numbered.items() if kinds == {False}]
    if not of_numbers or not of_names:
        return ()
    description = f"numbers in {', '.join(of_numbers)} and names in {', '.join(of_names)}"
    advice = "Write all classes as names, or all as numbers."
    return (f"Classes are {description}: a class may be in both. {advice}",)


def _named_within_classes(entries: Entries) -> Entries:
    """Add the class as a folder to image names if most names occur in several classes.

    If all test images of seen classes have the names of training images, they are different images,
    and the part is also added.
    """
    if entries.several or any(
        parent_folder(image) for pairs_of_part in entries.values() for image, _ in pairs_of_part
    ):
        return entries
    pairs = {part: {*pairs_of_part} for part, pairs_of_part in entries.items()}
    classes = Counter(image for image, _ in set().union(*pairs.values()))
    if 2 * sum(n > 1 for n in classes.values()) <= len(classes):
        return entries
    trained = pairs.get("train", set()) | pairs.get("trainval", set())
    seen = {label for _, label in trained}
    tested = pairs.get("test", set()) | pairs.get("test_seen", set())
    repeats = [pair in trained for pair in tested if pair[1] in seen]
    folder = "{part}/{label}" if repeats and all(repeats) else "{label}"
    renamed = {
        part: [
            (f"{folder.format(part=part, label=label)}/{image}", label)
            for image, label in pairs_of_part
        ]
        for part, pairs_of_part in entries.items()
    }
    questions = (*entries.questions, REPEATED)
    return Entries(renamed, note=entries.note, one_name=entries.one_name, questions=questions)


def _same_images(
    file: str, files: Sequence[str], labels: np.ndarray, parts: Mapping[str, np.ndarray]
) -> Iterator[str]:
    """Ask whether an image in training and an image in test may be the same file.

    They may be if their paths differ only in case, or, in the same class, if one path is the end of
    the other, ignoring case, and ignoring suffixes if some names have none. Raises a
    FileRefusedError for an image in more than MOST_FOLDERS folders.
    """
    sides = [
        _by_label(labels, [parts[part] for part in names if part in parts])
        for names in (("train", "trainval"), ("test_seen", "test_unseen"))
    ]
    has_suffixes = all(map(IMAGE.search, files))
    pairs: set[tuple[str, str]] = set()
    repeated = _repeated_paths(files)
    trained, tested = (
        {row for rows in side.values() for row in rows.tolist() if row in repeated}
        for side in sides
    )
    of_path = {_normal(files[row], True): row for row in trained}
    for k in tested:  # the same path in another class
        row = of_path.get(_normal(files[k], True), k)
        if labels[row] != labels[k]:
            pairs.add((files[k], files[row]))
    for label in sides[0].keys() & sides[1].keys():  # one class at a time takes little memory
        of_sides = [
            {_normal(files[k], has_suffixes): k for k in side[label].tolist()} for side in sides
        ]
        names = [{path.rpartition("/")[2] for path in side} for side in of_sides]
        shared = set.intersection(*names)
        for row_of, other_row_of in (of_sides, of_sides[::-1]):
            for path, row in row_of.items():
                n = path.count("/")
                expect(n <= MOST_FOLDERS, file, f"images in at most {MOST_FOLDERS} folders", n)
                if path.rpartition("/")[2] in shared:
                    ends = (end for end in _ends_of(path) if other_row_of.get(end, row) != row)
                    pairs.update((path, end) for end in ends)
    if pairs:
        example = " and ".join(clean_text(path, 60) for path in min(pairs))
        paths = "1 path ends" if len(pairs) == 1 else f"{len(pairs):,} paths end"
        yield f"{paths} like paths of another part, as {example}: the same images?"


def _by_label(labels: np.ndarray, listed: Sequence[np.ndarray]) -> dict[int, np.ndarray]:
    """Return the distinct rows of some lists by their label."""
    rows = distinct(np.concatenate([np.empty(0, np.int64), *listed]))
    rows = rows[np.argsort(labels[rows], kind="stable")]
    values, starts = np.unique(labels[rows], return_index=True)
    return dict(zip(values.tolist(), np.split(rows, starts[1:]), strict=bool(rows.size)))


def _repeated_paths(files: Sequence[str]) -> set[int]:
    """Return the rows of paths that, apart from case, occur more than once.

    Numbers are compared instead of paths, which would take more than 100 MB.
    """
    keys = np.fromiter((hash(_normal(file, True)) for file in files), np.int64, len(files))
    _, of_key, counts = np.unique(keys, return_inverse=True, return_counts=True)
    return {*np.flatnonzero(counts[of_key] > 1).tolist()}


def _normal(file: str, has_suffixes: bool) -> str:
    """Return a path in lower case with single slashes, maybe without the suffix of an image."""
    path = SLASHES.sub("/", file).lower().removeprefix("./")
    return path if has_suffixes else IMAGE.sub("", path)


def _ends_of(path: str) -> Iterator[str]:
    """Yield a path, and the path without its first folders."""
    while path:
        yield path
        path = path.partition("/")[2]


def parent_folder(image: str) -> str:
    """Return the name of the folder of an image, one object per name; "" without one."""
    folders = image.replace("\\", "/").rpartition("/")[0]
    return sys.intern(folders.rstrip("/").rpartition("/")[2])


def images_in_lines(file: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return image and label of each line; the label is "" if the folder is the class.

    A number in front of every image is its label if it repeats, and otherwise its index; of two
    numbers the second is the label, as in the lists of MXNet.
    """
    if lines and all(labelled := [*map(LABELLED.fullmatch, lines)]):
        return [(match[2], match[1]) for match in labelled if match]
    matches = [NUMBERS_IN_FRONT.match(line) for line in lines]
    if not lines or not all(matches):
        return [_image_in_line(file, k, line) for k, line in enumerate(lines, 1)]
    fronts = [match[1].split() for match in matches if match]
    repeated = len({numbers[-1] for numbers in fronts}) < len(fronts)
    is_label = repeated or {*map(len, fronts)} == {2}
    read = []
    for k, (match, numbers) in enumerate(zip(matches, fronts, strict=True), 1):
        image, label = _image_in_line(file, k, match[2] if match else "", in_folder=not is_label)
        read.append((image, label or numbers[-1].removesuffix(".000000") * is_label))
    return read


def _image_in_line(file: str, number: int, line: str, *, in_folder: bool = True) -> tuple[str, str]:
    """Return image and label of a line; the label is "" if the folder is the class."""
    where = f"{file}, line {number}"
    match = IMAGE_IN_LINE.match(line)
    if not match and len(line.split()) > 3:  # image without suffix, before three columns or more
        match = NUMBERS_BEHIND.fullmatch(line)
    if match and match[2]:
        return match[1].strip(), _label(where, match[2])
    head, label = line, ""
    for separator in (",", "\t", " "):
        before, _, after = line.rpartition(separator)
        if before and after and not IMAGE.search(line):
            head, label = before.strip(), after.strip()
            break
    if in_folder and not label and not parent_folder(head):
        raise refusal_of(
            where,
            "an image in the folder of its class, or a label after it",
            f"{clean_text(line, 60)!r}",
        )
    return head, label


def _label(where: str, text: str) -> str:
    """Return the label after an image: a text, a number, or the position of 1 in a one-hot vector.

    Of two numbers the second is the label, since lists of videos have the number of frames first.
    Raises a FileRefusedError for several labels of one image.
    """
    numbers = re.split(r"[\s,;|]+", text.strip().strip("[]()"))
    if len(numbers) == 1 or not all(
        re.fullmatch(r"-?\d+(\.0+)?", text_of_number) for text_of_number in numbers
    ):
        return text.strip()
    values = [int(float(text_of_number)) for text_of_number in numbers]
    if len(values) > 2 and {*values} == {0, 1} and sum(values) == 1:
        return str(values.index(1))
    if len(values) == 2 and not {*values} <= {0, 1}:
        return numbers[-1]
    raise refusal_of(
        where,
        "one class per image",
        f"{len(values)} values ({clean_text(text, 40)}); {MULTI}",
    )


def are_class_paths(lines: Sequence[str]) -> bool:
    """Whether lines are classes with folders, such as ``/c/church/indoor``, maybe with a count.

    Unlike images, they have neither suffixes nor numbers.
    """
    bare = [NUMBER_AFTER.sub("", line) for line in lines]
    are_paths = any("/" in line for line in bare)
    return are_paths and not any(IMAGE.search(line) or DIGIT.search(line) for line in bare)


def is_class_list(lines: Sequence[str]) -> bool:
    """Whether lines may be class names: distinct, short, without paths, images or labels."""
    return (
        len({*lines}) == len(lines) > 0
        and max(map(len, lines)) <= MOST_LETTERS
        and (
            are_class_paths(lines)
            or not any(IMAGE.search(line) or "/" in line or "\\" in line for line in lines)
        )
        and not any(NUMBER_AFTER.search(line) or LABELLED.match(line) for line in lines)
    )


# --- Lists by part --------------------------------------------------------------------------------


def is_split_of_parts(value: Mapping[str, Any], kind: type) -> bool:
    """Whether a mapping has lists of type ``kind`` for a training and for a test part."""
    parts = [part_of_name(str(name)) for name, values in value.items() if isinstance(values, kind)]
    return trains_and_tests(filter(None, parts))


def split_of_parts(
    file: str,
    listed: Mapping[str, Sequence[Any]],
    labels: np.ndarray | None = None,
    class_names: Sequence[str] = (),
) -> SplitList:
    """Return a split from one list per part: row numbers, a mask of all rows, or image names.

    Row numbers start at 0, or at 1 if they range from 1 to the number of rows. ``labels`` has the
    0-based class of each row. Without labels, the side of a part "test" is unknown; it is read as
    unseen.
    """
    parts: dict[str, list[Any]] = {}
    for name, values in listed.items():
        parts.setdefault(part_of_name(name), []).extend(values)
    texts = [element for values in parts.values() for element in values if isinstance(element, str)]
    if texts and all(map(str.isdecimal, texts)):
        parts = {part: [*map(int, values)] for part, values in parts.items()}
    if all(isinstance(element, str) for values in parts.values() for element in values):
        entries = Entries(note=f"lists {', '.join(listed)}")
        for part, values in parts.items():
            entries[part] = images_in_lines(file, values)
        return split_of_images(Path(file), entries)
    rows, note = {}, f"rows of {', '.join(listed)}, counted from 0"
    for part, values in parts.items():
        are_numbers = all(isinstance(element, int | np.integer) for element in values)
        expect(
            are_numbers, f"{file}, {part}", "a list of row numbers, or of images", "other values"
        )
        rows[part] = _rows_in(np.asarray(values, dtype=np.int64), len(values))
    n = None if labels is None else len(labels)
    questions: tuple[str, ...] = ()
    ends = [(values.min(), values.max()) for values in rows.values() if values.size]
    if n is not None and min(a for a, _ in ends) >= 1 and max(b for _, b in ends) <= n:
        reaches = max(b for _, b in ends) == n
        if reaches or _start_at_1(rows, np.asarray(labels)):
            rows = {part: values - 1 for part, values in rows.items()}
            why = f", since they reach {n:,} of {n:,} rows" if reaches else ""
            note = note.replace("from 0", f"from 1{why}")
            questions = () if reaches else (FROM_1,)
    within = labels is not None and all(
        0 <= v.min() <= v.max() < len(labels) for v in rows.values() if v.size
    )
    checked, remark = _validated(rows, labels if within else None)
    if "test" in checked:
        if labels is not None and within:
            remark += _part_by_side(checked, labels)
        else:
            checked["test_unseen"] = checked.pop("test")
            remark += "; without labels, test is read as unseen"
    numbers = np.empty(0, np.int64) if labels is None else labels
    names = tuple(class_names)
    return SplitList(file, (), numbers, names, checked, note=note + remark, questions=questions)


def _start_at_1(rows: Mapping[str, np.ndarray], labels: np.ndarray) -> bool:
    """Whether "test" has no training class if rows start at 1, and has one if they start at 0."""
    trained = np.concatenate([rows[part] for part in ("train", "trainval") if part in rows])
    tested = rows.get("test", np.empty(0, np.int64))
    if not trained.size or not tested.size or max(trained.max(), tested.max()) >= len(labels):
        return False
    from_0, from_1 = (np.isin(labels[tested - k], labels[trained - k]).any() for k in (0, 1))
    return bool(from_0 and not from_1)


def _rows_in(values: np.ndarray, n: int) -> np.ndarray:
    """Return the rows of a list, or the rows marked in a mask of zeros and ones."""
    is_mask = n > 2 and np.isin(values, (0, 1)).all()
    return np.flatnonzero(values) if is_mask else values


def _validated(
    parts: Mapping[str, np.ndarray], labels: np.ndarray | None
) -> tuple[dict[str, np.ndarray], str]:
    """Return the parts with trainval added, and a remark on validation.

    Without a test part, the validation part is used as the test part. Without labels, validation
    classes are assumed to differ from training classes.
    """
    checked, remark = dict(parts), ""
    if not {"test", "test_seen", "test_unseen"} & set(checked):
        checked["test"] = checked.pop("val")
        remark = "; val is used as the test part"
    if {"train", "val"} <= set(checked):
        listed = checked.get("trainval", np.empty(0, np.int64))
        combined = np.concatenate([checked["train"], checked["val"]])
        # A list of trainval may repeat rows of train and val.
        checked["trainval"] = np.concatenate([listed, combined[~np.isin(combined, listed)]])
        if labels is not None and np.isin(labels[checked["val"]], labels[checked["train"]]).any():
            del checked["train"], checked["val"]  # validation holds out images, not classes
    elif "train" in checked and "trainval" not in checked:
        checked["trainval"] = checked.pop("train")
    return checked, remark


def _all_unseen(parts: dict[str, np.ndarray], labels: np.ndarray) -> str:
    """Rename "test" to test_unseen if few of its classes have training rows (:func:`are_few`)."""
    trained = np.concatenate([parts[part] for part in ("train", "trainval") if part in parts])
    of_test, of_train = np.unique(labels[parts["test"]]), np.unique(labels[trained])
    shared = np.intersect1d(of_test, of_train).size
    few = shared > 0 and are_few(shared, of_test.size, of_train.size)
    if not few or "test_unseen" in parts:
        return ""
    parts["test_unseen"] = parts.pop("test")
    return f"; {shared} of {of_test.size} test classes have training images: all read as unseen"


def _part_by_side(parts: dict[str, np.ndarray], labels: np.ndarray) -> str:
    """Divide the part "test" into images of training classes and of other classes."""
    tested = parts.pop("test")
    trained = np.concatenate([parts[part] for part in ("train", "trainval") if part in parts])
    is_seen = np.isin(labels[tested], labels[trained])
    for part, chosen in (("test_seen", is_seen), ("test_unseen", ~is_seen)):
        parts[part] = np.concatenate([parts.get(part, np.empty(0, np.int64)), tested[chosen]])
    return "; test images of classes without training images are unseen"


def are_few(n_shared: int, n_tested: int, n_trained: int) -> bool:
    """Whether at most half of the test classes, and of the training classes, are shared.

    A test set with seen classes usually has more than half of the training classes.
    """
    return n_shared <= min(n_tested, n_trained) / 2


def with_class_lists(split: SplitList, classes: SplitList | None) -> SplitList:
    """Add the sides of a split by classes to a split by images or rows.

    A class is found by its name, or by its number in the split: "class 7" is the eighth.
    """
    if classes is None:
        return split
    n = len(split.class_names) or int(split.labels.max(initial=-1)) + 1 or MAX_CLASSES
    numbers = positions_of(classes.class_names, split.class_names)
    for k, name in enumerate(classes.class_names):
        match = re.fullmatch(r"class (\d{1,9})", name)
        if numbers[k] < 0 and match and int(match[1]) < n:
            numbers[k] = int(match[1])
    sides = {side: numbers[listed] for side, listed in classes.sides.items()}
    return replace(
        split,
        sides={
            side: classes_of_side[classes_of_side >= 0] for side, classes_of_side in sides.items()
        },
    )


def _natural(name: str) -> tuple[bool, int, str]:
    """Return the sort key of a label; numeric labels come first, by value."""
    return (False, int(name), "") if name.isdecimal() and len(name) < 10 else (True, 0, name)


def split_of_classes(
    file: str,
    sides: Mapping[str, Sequence[str]],
    note: str = "lists of classes, no images",
    folds: Sequence[tuple[Sequence[str], Sequence[str]]] = (),
) -> SplitList:
    """Return a split from class lists; it has sides of classes, but no rows.

    ``folds`` has the training and the validation classes of each fold.
    """
    lists = [*sides.values(), *(list_ for fold in folds for list_ in fold)]
    name_of, remark, questions = one_name_each(file, lists)
    questions += _question_on_numbers(sides)
    names = tuple(dict.fromkeys(name_of.values()))
    number = {name: c for c, name in enumerate(names)}

    def numbered(listed: Sequence[str]) -> np.ndarray:
        return np.array([number[name_of[name]] for name in listed], np.int64)

    of_sides = {side: numbered(listed) for side, listed in sides.items()}
    of_folds = tuple((numbered(train), numbered(val)) for train, val in folds)
    none = np.empty(0, np.int64)
    return SplitList(
        file, (), none, names, {}, of_sides, note + remark, folds=of_folds, questions=questions
    )
