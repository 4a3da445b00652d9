"""Splits by names: entries as read, the split that they make, and images and classes in lines.

Readers of files (:mod:`zslcore.datasets.split_files`) and folders
(:mod:`zslcore.datasets.split_folders`) return :class:`Entries`, in which
:func:`zslcore.datasets.split_numbering.split_of_entries` numbers images and classes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from zslcore.datasets.part_names import part_of_name, trains_and_tests
from zslcore.texts import clean_text, refusal_of

#: Suffix of the path of an image, video, sound or shape.
SUFFIX = (
    r"\.(?:jpe?g|jpe|png|webp|bmp|gif|tiff?|ppm|pgm|avi|mp4|mpg|mov|mkv|webm"
    r"|wav|mp3|flac|ogg|off|ply|obj|dcm)"
)
#: End of the path of an image.
IMAGE = re.compile(rf"{SUFFIX}$", re.IGNORECASE)
#: Separator of folders, or end of the path of an image.
IN_PATH = re.compile(rf"[\\/]|{SUFFIX}$", re.IGNORECASE)
#: A size or quality in the folder of an image.
VERSION = re.compile(
    r"(?<![a-z0-9])(?!(?:19|20)\d\d(?!\d))(?:[wh]?\d{2,4}(?:x\d{2,4}|px|p)?"
    r"|small|large|thumb(?:nail)?s?|orig(?:inal)?s?|(?:low|high)_?res|crop(?:ped|s)?|full)(?![a-z0-9])",
    re.IGNORECASE,
)
#: Maximum number of versions, such as sizes, in which the images of a data set occur.
MAX_VERSIONS = 4
#: Image at the start of a line, and the text after it.
IMAGE_IN_LINE = re.compile(rf"(.+?{SUFFIX})(?:[\s,;|]+(.*))?$", re.IGNORECASE | re.DOTALL)
#: One or two numbers in front of an image.
NUMBERS_IN_FRONT = re.compile(
    rf"((?:\d+(?:\.\d+)?[\t ]){{1,2}})\s*(\S.*{SUFFIX}.*)$", re.IGNORECASE
)
#: Three or more numbers after a name.
NUMBERS_BEHIND = re.compile(r"(\S+)((?:[\t ]+\d+){3,})")
#: Number after an image or a class.
NUMBER_AFTER = re.compile(r"[\s,;]\d+$")
#: A text after its class, as fastText reads it.
LABEL_FIRST = re.compile(r"__label__(\S+)\s+(\S.*)")
#: Maximum number of characters of a class name.
MAX_NAME_LETTERS = 120
#: Maximum number of characters in a note or question.
MAX_NOTE = 2000
#: End of the refusal of images with several labels.
MULTI = "multi-label data are not supported"

_T = TypeVar("_T")


class Entries(dict[str, list[tuple[str, str]]]):
    """Part (such as "train") or side ("seen" or "unseen") -> (image, class) of each entry.

    In an entry of a class, the image is empty; an empty class is the folder of the image. ``note``
    describes the format that was read. With ``multi_class``, an image may have several classes.
    ``one_name`` is True if an image has the same name in every part. ``questions`` are open
    questions on the entries, ``classes`` the class lists next to the images, and ``checksums`` the
    checksums of image files by name.
    """

    def __init__(
        self,
        parts: Mapping[str, list[tuple[str, str]]] = MappingProxyType({}),
        *,
        note: str = "",
        multi_class: bool = False,
        one_name: bool = True,
        questions: tuple[str, ...] = (),
    ) -> None:
        super().__init__(parts)
        self.note, self.multi_class, self.one_name = note, multi_class, one_name
        self.questions = questions
        self.classes: Entries | None = None
        self.checksums: dict[str, str] = {}

    @property
    def has_images(self) -> bool:
        """Whether an entry is an image, or a row."""
        return any(image for pairs in self.values() for image, _ in pairs)

    @property
    def labels(self) -> dict[str, list[str]]:
        """Classes of the entries of each part."""
        return {part: [label for _, label in pairs] for part, pairs in self.items()}

    def with_parts(self, parts: Mapping[str, list[tuple[str, str]]]) -> Entries:
        """Return other entries with the same note, questions and other fields."""
        other = copy(self)
        other.clear()
        other.update(parts)
        return other


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


def drain(items: list[_T]) -> Iterator[_T]:
    """Yield the items of a list and remove them: a million rows or entries take 70 MB."""
    items.reverse()
    while items:
        yield items.pop()


def is_split_of_parts(value: Mapping[str, Any], kind: type) -> bool:
    """Whether a mapping has lists of type ``kind`` for a training and for a test part."""
    parts = [part_of_name(str(name)) for name, values in value.items() if isinstance(values, kind)]
    return trains_and_tests(filter(None, parts))


def join_first_names(names: Sequence[str], max_names: int = 3) -> str:
    """Join the first names, as in ``a; b and 7 more``."""
    n_more = len(names) - max_names
    return "; ".join(names[:max_names]) + (f" and {n_more} more" if n_more > 0 else "")


def parent_folder(image: str) -> str:
    """Return the name of the folder of an image, interned; "" if the path has no folder."""
    folders = image.replace("\\", "/").rpartition("/")[0]
    return sys.intern(folders.rstrip("/").rpartition("/")[2])


# --- Lines ----------------------------------------------------------------------------------------


def parse_image_lines(file: str, lines: Sequence[str]) -> list[tuple[str, str]]:
    """Return image and label of each line; the label is "" if the folder is the class.

    A number in front of every image is its label if it repeats, and otherwise its index; of two
    numbers the second is the label, as in the lists of MXNet.
    """
    if lines and all(labelled := [*map(LABEL_FIRST.fullmatch, lines)]):
        return [(match[2], match[1]) for match in labelled if match]
    matches = [match for line in lines if (match := NUMBERS_IN_FRONT.match(line))]
    places = (f"{file}, line {k}" for k, _ in enumerate(lines, 1))
    if len(matches) < len(lines):
        return [*map(_parse_image_line, places, lines)]
    fronts = [match[1].split() for match in matches]
    repeated = len({numbers[-1] for numbers in fronts}) < len(fronts)
    is_label = repeated or {*map(len, fronts)} == {2}
    read = []
    for where, match, numbers in zip(places, matches, fronts, strict=True):
        image, label = _parse_image_line(where, match[2], in_folder=not is_label)
        read.append((image, label or numbers[-1].removesuffix(".000000") * is_label))
    return read


def _parse_image_line(where: str, line: str, *, in_folder: bool = True) -> tuple[str, str]:
    """Return image and label of a line; the label is "" if the folder is the class."""
    match = IMAGE_IN_LINE.match(line)
    if not match and len(line.split()) > 3:  # image without suffix, before three columns or more
        match = NUMBERS_BEHIND.fullmatch(line)
    if match and match[2]:
        return match[1].strip(), _parse_label(where, match[2])
    head, label = line, ""
    for separator in (",", "\t", " "):
        before, _, after = line.rpartition(separator)
        if before and after and not IMAGE.search(line):
            head, label = before.strip(), after.strip()
            break
    if in_folder and not label and not parent_folder(head):
        expected = "an image in the folder of its class, or a label after it"
        raise refusal_of(where, expected, f"{clean_text(line, 60)!r}")
    return head, label


def _parse_label(where: str, text: str) -> str:
    """Return the label after an image: a text, a number, or the position of 1 in a one-hot vector.

    Of two numbers the second is the label, since lists of videos have the number of frames first.
    Raises a FileRefusedError for several labels of one image.
    """
    numbers = re.split(r"[\s,;|]+", text.strip().strip("[]()"))
    if len(numbers) == 1 or not all(re.fullmatch(r"-?\d+(\.0+)?", number) for number in numbers):
        return text.strip()
    values = [int(float(number)) for number in numbers]
    if len(values) > 2 and {*values} == {0, 1} and sum(values) == 1:
        return str(values.index(1))
    if len(values) == 2 and not {*values} <= {0, 1}:
        return numbers[-1]
    got = f"{len(values)} values ({clean_text(text, 40)}); {MULTI}"
    raise refusal_of(where, "one class per image", got)


def are_class_paths(lines: Sequence[str]) -> bool:
    """Whether lines are classes with folders, such as ``/c/church/indoor``.

    A count may follow the class. Unlike images, classes have neither suffixes nor numbers.
    """
    bare = [NUMBER_AFTER.sub("", line) for line in lines]
    are_paths = any("/" in line for line in bare)
    return are_paths and not any(IMAGE.search(line) or re.search(r"\d", line) for line in bare)


def is_class_list(lines: Sequence[str]) -> bool:
    """Whether lines may be class names: distinct, short, without paths, images or labels."""
    return (
        len({*lines}) == len(lines) > 0
        and max(map(len, lines)) <= MAX_NAME_LETTERS
        and (are_class_paths(lines) or not any(map(IN_PATH.search, lines)))
        and not any(NUMBER_AFTER.search(line) or LABEL_FIRST.match(line) for line in lines)
    )
