"""Splits by names of images or classes, from text lists and trees of folders.

===========================  =======================================================================
``train.txt``, ``test.txt``  one image per line, as in ``grizzly/0001.jpg 3``: the label is after a
                             space or comma; without a label, the folder of the image is its
                             class; one list per part, in the same folder
``train/grizzly/0001.jpg``   one folder per part, one subfolder per class: torchvision's
                             ``ImageFolder``
===========================  =======================================================================

Folders of other layouts are read by :mod:`zslcore.datasets.split_folders`, single files by
:mod:`zslcore.datasets.split_entries`.

Images with equal names are one row, even in several lists; no image is opened.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path
from typing import Any, Literal

import numpy as np

from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.texts import clean_text, expect
from zslcore.untrusted.client import read_head, read_text_columns, read_value

MAX_BYTES, MAX_ITEMS = 48 << 20, 4_000_000
#: Largest size in bytes of the first lines by which a table is recognised.
MAX_HEAD = 1 << 16
#: A comment above a table, or the separator that Excel writes there.
ABOVE_TABLE = re.compile(r"#|sep=")
#: Separator of the cells of a table -> its kind.
KIND_OF_SEPARATOR: dict[str, Literal["CSV", "TSV", "CSV with semicolons"]] = {
    ",": "CSV",
    "\t": "TSV",
    ";": "CSV with semicolons",
}
#: Largest number of images in a tree of folders.
MAX_IMAGES = 2_000_000
#: Suffixes of paths of images.
IMAGE = re.compile(r"\.(jpe?g|jpe|png|webp|bmp|gif|tiff?|ppm|pgm|avi|mp4)$", re.IGNORECASE)
#: An image at the start of a line, and the text after it.
IMAGE_IN_LINE = re.compile(
    r"(.+?\.(?:jpe?g|jpe|png|webp|bmp|gif|tiff?|ppm|pgm|avi|mp4))(?:[\s,;|]+(.*))?$", re.IGNORECASE
)
#: Question on lists that name classes in two ways.
MIXED = (
    "The lists give one folder different labels, so the folder of an image is read as its class."
)
#: ``FIRST_LIST`` is the name of the first of several lists of a part, ``NUMBER_BEHIND`` a number
#: after an image; ``MOST_LETTERS`` limits the characters of a class name.
FIRST_LIST = re.compile(r"(train|val|test)list_?0?1", re.IGNORECASE)
NUMBER_BEHIND, MOST_LETTERS = re.compile(r"[\s,;]\d+$"), 120
#: Names of lists and folders -> part.
PART_OF_NAME = {
    "trainval": "trainval",
    "train": "train",
    "training": "train",
    "val": "val",
    "valid": "val",
    "validation": "val",
    "train_seen": "train",
    "test_seen": "test_seen",
    "test_unseen": "test_unseen",
    "test": "test",
    "testing": "test",
}
#: Abbreviations of parts in names of lists, and words that mark a list of rows.
WORDS = {
    "tr": "train",
    "trn": "train",
    "te": "test",
    "tst": "test",
    "dev": "val",
    "base": "seen",
    "novel": "unseen",
}
OF_ROWS = frozenset(
    {"idx", "idxs", "index", "indexes", "indices", "ind", "inds", "id", "ids", "rows"}
    | {"location", "locations", "mask", "masks", "meta"}
)
#: Words of which the name of a part consists.
WORDS_OF_PARTS = frozenset({*PART_OF_NAME, "seen", "unseen"})
#: Names of class lists -> side: seen or unseen classes.
SIDES = {
    "trainvalclasses": "seen",
    "trainclasses": "seen",
    "seen_classes": "seen",
    "seenclasses": "seen",
    "seen": "seen",
    "base": "seen",
    "testclasses": "unseen",
    "unseen_classes": "unseen",
    "unseenclasses": "unseen",
    "unseen": "unseen",
    "novel": "unseen",
    "new": "unseen",
    "known": "seen",
    "unknown": "unseen",
}


#: Largest number of class folders that are links; following a link takes a tenth of a millisecond.
MAX_LINKS = 10_000
#: Largest number of characters in a note or question.
MAX_NOTE = 2000


def part_of_name(name: str) -> str:
    """Return the part that a list of rows is named after; "" for other names.

    >>> part_of_name("idx_train"), part_of_name("testSeenIndices"), part_of_name("loss")
    ('train', 'test_seen', '')
    """
    if name.lower() in PART_OF_NAME:
        return PART_OF_NAME[name.lower()]
    words = [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+|[0-9]+", name)]
    ends = "|".join(sorted(OF_ROWS, key=len, reverse=True))
    words = [re.sub(rf"(?<=[a-z]{{3}})({ends})$", "", word) for word in words]
    kept = [WORDS.get(word, word) for word in words if word not in OF_ROWS]
    both = ("_".join(kept), "_".join(reversed(kept)), "".join(kept))
    return next((PART_OF_NAME[each] for each in both if each in PART_OF_NAME), "")


@dataclass(frozen=True, slots=True, eq=False)
class SplitList:
    """Split by names of images or classes.

    ``files`` are the distinct images, one per row, and ``labels`` their classes. A split by class
    lists has neither; its ``sides`` map "seen" and "unseen" to classes. ``parts`` has the rows of
    each part in the order of its list, with repetitions. ``note`` describes the form that was read.
    ``one_name`` is True if an image has the same name in every part; for folders of parts, this is
    unknown, and ``one_name`` is False. ``folds`` has the training and validation classes of each
    fold, ``questions`` the open questions on the lists.
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

    def __post_init__(self) -> None:
        """Clean note and questions, since file names in them may hold any byte."""
        object.__setattr__(self, "note", clean_text(self.note, MAX_NOTE))
        questions = tuple(clean_text(question, MAX_NOTE) for question in self.questions)
        object.__setattr__(self, "questions", questions)


def one_name_each(lists: Sequence[Sequence[str]]) -> tuple[dict[str, str], str, tuple[str, ...]]:
    """Map the spellings of each class to one name; return the map, a remark and questions.

    If the spellings of a name are in different lists, they are one class, named by the first
    spelling. Two spellings in one list may be two classes: both are kept, with a question.
    """
    spellings: dict[str, list[str]] = {}
    for name in dict.fromkeys(name for listed in lists for name in listed):
        spellings.setdefault(class_key(name), []).append(name)
    names, several = {}, []
    questions = []
    for of_one in spellings.values():
        both = ", ".join(clean_text(name, 60) for name in of_one)
        if len(of_one) > 1 and any(len({*listed} & {*of_one}) > 1 for listed in lists):
            questions.append(f"One list has {both}: one class or {len(of_one)}?")
            names.update({name: name for name in of_one})
            continue
        several += [both] if len(of_one) > 1 else []
        names.update(dict.fromkeys(of_one, of_one[0]))
    remark = f"; one class in two spellings: {counted_names(several)}" if several else ""
    return names, remark, tuple(questions)


def counted_names(names: Sequence[str], most: int = 3) -> str:
    """Join the first names, as in ``a; b and 7 more``."""
    more = len(names) - most
    return "; ".join(names[:most]) + (f" and {more} more" if more > 0 else "")


@dataclass(slots=True)
class ImageRows:
    """Rows of distinct images, with their classes.

    With ``several``, an image with several classes, such as a photograph of several objects, has
    one row per class.
    """

    file: str
    several: bool = False
    files: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)
    _number: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, image: str, label: str) -> int:
        """Return the row of an image; refuse a second label for it, unless ``several``."""
        row = self._number.setdefault((image, label * self.several), len(self.labels))
        if row == len(self.labels):
            self.files.append(image)
            self.labels.append(label)
        elif self.labels[row] != label:
            both = f"{clean_text(self.labels[row], 60)} and {clean_text(label, 60)}"
            got = f"{both} for {clean_text(image, 80)!r}"
            expect(False, self.file, "one class per image", got)
        return row


# --- Lists by part --------------------------------------------------------------------------------


def is_split_of_parts(value: Mapping[str, Any], kind: type) -> bool:
    """Whether a mapping has lists of type ``kind`` for a training and for a test part."""
    parts = [part_of_name(str(name)) for name, of in value.items() if isinstance(of, kind)]
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
    parts = {part_of_name(name): values for name, values in listed.items()}
    texts = [each for values in parts.values() for each in values if isinstance(each, str)]
    if texts and all(map(str.isdecimal, texts)):
        parts = {part: [*map(int, values)] for part, values in parts.items()}
    if all(isinstance(each, str) for values in parts.values() for each in values):
        images = ImageRows(file)
        places = {
            part: np.array(
                [
                    images.add(image, label or parent_folder(image))
                    for k, each in enumerate(values, 1)
                    for image, label in [_line(Path(file), k, each)]
                ],
                np.int64,
            )
            for part, values in parts.items()
        }
        return numbered_by_class(Path(file), images, places, f"lists {', '.join(listed)}")
    rows, note = {}, f"rows of {', '.join(listed)}, counted from 0"
    for part, values in parts.items():
        whole = all(isinstance(each, int | np.integer) for each in values)
        expect(whole, f"{file}, {part}", "a list of row numbers, or of images", "other values")
        rows[part] = _rows_in(np.asarray(values, dtype=np.int64), len(values))
    n = None if labels is None else len(labels)
    ends = [(values.min(), values.max()) for values in rows.values() if values.size]
    if n is not None and min(a for a, _ in ends) >= 1 and max(b for _, b in ends) == n:
        rows = {part: values - 1 for part, values in rows.items()}
        note = note.replace("from 0", f"from 1, since they reach {n:,} of {n:,} rows")
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
    return SplitList(file, (), numbers, tuple(class_names), checked, note=note + remark)


def _rows_in(values: np.ndarray, n: int) -> np.ndarray:
    """Return the rows of a list, or the rows marked in a mask of zeros and ones."""
    is_mask = n > 2 and np.isin(values, (0, 1)).all()
    return np.flatnonzero(values) if is_mask else values


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
    name_of, remark, questions = one_name_each(lists)
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


# --- Folders --------------------------------------------------------------------------------------


def holds_split_lists(folder: Path) -> bool:
    """Whether a folder has lists of images, or one subfolder per part."""
    return bool(_trees(folder)) or bool(_lists(folder))


def holds_tree(folder: Path) -> bool:
    """Whether a folder has one subfolder per part, with one folder per class."""
    return bool(_trees(folder))


def read_split_lists(folder: Path) -> SplitList:
    """Return the split of the lists in a folder, or of its subfolders by part.

    Raises a FileRefusedError for a list that is damaged or hostile, an image with two classes, or a
    link to a folder outside.
    """
    if trees := _trees(folder):
        return _of_trees(folder, trees)
    return _of_lists(folder, _lists(folder))


def _trees(folder: Path) -> dict[str, Path]:
    """Return the subfolders by part; a tree needs a training and a test part."""
    named = [(name, folder / name) for name in _names_in(folder) if name.lower() in PART_OF_NAME]
    return _by_part(folder, [(name, path) for name, path in named if path.is_dir()])


def _lists(folder: Path) -> dict[str, Path]:
    """Return the lists of images by part; {} for lists of classes.

    Lists of UCF101 and HMDB51 are named trainlist01.txt to trainlist03.txt; the first is read.
    """
    texts = [folder / name for name in _names_in(folder) if name.lower().endswith(".txt")]
    named = [(path.stem, path) for path in texts]
    named += [(m[1], path) for path in texts if (m := FIRST_LIST.fullmatch(path.stem))]
    named = [
        (name, path) for name, path in named if name.lower() in PART_OF_NAME and path.is_file()
    ]
    lists = _by_part(folder, named) or _by_part(folder, _named_by_words(texts))
    return {} if lists and all(is_class_list(lines_of(p)) for p in lists.values()) else lists


def _named_by_words(paths: Iterable[Path]) -> list[tuple[str, Path]]:
    """Return lists of images with a part in their names, as ``kinetics400_train_list.txt``."""
    named = []
    for path in paths:
        words = re.findall(r"[a-z]+", path.stem.lower())
        part = part_of_name("_".join(each for each in words if each in WORDS_OF_PARTS))
        if part and path.is_file() and (head := read_head(path, MAX_HEAD)):
            named += [(part, path)] if all(map(IMAGE_IN_LINE.match, head[:2])) else []
    return named


def is_class_list(lines: Sequence[str]) -> bool:
    """Whether lines may be class names: distinct, short, without paths, images or labels."""
    return (
        len({*lines}) == len(lines) > 0
        and max(map(len, lines)) <= MOST_LETTERS
        and not any(IMAGE.search(line) or "/" in line or "\\" in line for line in lines)
        and not any(NUMBER_BEHIND.search(line) for line in lines)
    )


def _by_part(folder: Path, paths: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """Return paths by the part in their names; {} without a training and a test part."""
    path_of_part: dict[str, Path] = {}
    named = [
        (PART_OF_NAME[name.lower()], path) for name, path in paths if name.lower() in PART_OF_NAME
    ]
    if not trains_and_tests({part for part, _ in named}):
        return {}
    for part, path in named:
        if part in path_of_part:
            both = f"{clean_text(path_of_part[part].name)} and {clean_text(path.name)}"
            expect(False, folder, f"one list or folder of {part}", both)
        refuse_link_out(path, folder)
        path_of_part[part] = path
    return path_of_part


def _names_in(folder: Path) -> list[str]:
    return sorted(os.listdir(folder)) if folder.is_dir() else []


def trains_and_tests(parts: Iterable[str]) -> bool:
    """Whether parts or sides include training and test; validation counts as a test."""
    parts = {*parts}
    tests = {"test", "test_seen", "test_unseen", "val", "unseen"}
    return bool({"train", "trainval", "seen"} & parts) and bool(tests & parts)


def are_few(n_shared: int, n_tested: int, n_trained: int) -> bool:
    """Whether at most half of the test classes, and of the training classes, are shared.

    A test set with seen classes usually has more than half of the training classes.
    """
    return n_shared <= min(n_tested, n_trained) / 2


def lines_of(path: Path) -> list[str]:
    """Return the nonblank lines of a text, stripped."""
    lines = read_value(path, "lines", max_bytes=MAX_BYTES, most=MAX_ITEMS)
    return [line.strip() for line in lines if line.strip()]


def table_rows(path: Path) -> list[list[str]]:
    """Return the cells of each nonblank row of a table, without comments above it.

    A text without such rows gives [[]].
    """
    if path.suffix.lower() == ".parquet":
        return read_text_columns(path, most=MAX_ITEMS)
    kind = KIND_OF_SEPARATOR[separator_of(path)[0]]
    rows = read_value(path, kind, max_bytes=MAX_BYTES, most=MAX_ITEMS)
    filled = [row for row in rows if len(row) > 1 or "".join(row).strip()]
    return [*dropwhile(lambda row: ABOVE_TABLE.match(row[0]), filled)] or [[]]


def separator_of(path: Path) -> tuple[str, list[str]]:
    """Return the separator of a table's cells, and its first lines without leading comments."""
    lines = [*dropwhile(ABOVE_TABLE.match, read_head(path, MAX_HEAD))]
    first = lines[0] if lines else ""
    by_line = next((each for each in ",\t;" if each in first), ",")
    return "\t" if path.suffix.lower() == ".tsv" else by_line, lines


def _of_lists(folder: Path, lists: Mapping[str, Path]) -> SplitList:
    read = {
        part: [_line(path, number, line) for number, line in enumerate(lines_of(path), 1)]
        for part, path in lists.items()
    }
    note = f"lists {', '.join(p.name for p in lists.values())}"
    questions: tuple[str, ...] = ()
    by_folder, agree = _are_mixed(folder, lists, read)
    if by_folder:
        read = {part: [(image, "") for image, _ in items] for part, items in read.items()}
        questions = () if agree else (MIXED,)
        note += "; the folder of an image names its class"
    rows, parts = ImageRows(clean_text(folder.name)), {}
    for part, items in read.items():
        numbers = [rows.add(image, label or parent_folder(image)) for image, label in items]
        parts[part] = np.array(numbers, np.int64)
    return numbered_by_class(folder, rows, parts, note, questions=questions)


def _are_mixed(
    folder: Path, lists: Mapping[str, Path], read: Mapping[str, Sequence[tuple[str, str]]]
) -> tuple[bool, bool]:
    """Return whether to read folders as classes, and whether each folder has at most one label.

    Folders are read as classes if only some images have a label, or if a folder has different
    labels in two lists. Raises a FileRefusedError if only some images have a label and the folders
    cannot be the classes.
    """
    some = {part: {bool(label) for _, label in items} for part, items in read.items() if items}
    mixed = len(set().union(*some.values())) > 1
    labels: dict[str, set[str]] = {}
    is_class = True
    for items in read.values():
        pairs = {(parent_folder(image), label) for image, label in items if label}
        is_class &= len({f for f, _ in pairs}) == len(pairs) == len({label for _, label in pairs})
        for folder_name, label in pairs:
            labels.setdefault(folder_name, set()).add(label)
    is_class &= all(parent_folder(image) for items in read.values() for image, _ in items)
    changed = any(len(of_one) > 1 for of_one in labels.values())
    if mixed and not is_class:
        with_labels, without = (
            ", ".join(lists[part].name for part, kinds in some.items() if has in kinds)
            for has in (True, False)
        )
        raise FileRefusedError(
            f"{clean_text(folder.name)}: expected the class of every image in one form; got a "
            f"label after images in {with_labels} and none in {without}; write the "
            "same labels in all."
        )
    return mixed or (changed and is_class and len(labels) > 1), not changed


def parent_folder(image: str) -> str:
    """Return the name of the folder of an image; "" without one."""
    return image.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]


def _line(path: Path, number: int, line: str) -> tuple[str, str]:
    """Return image and label of a line; the label is "" if the folder is the class."""
    where = f"{clean_text(path.name)}, line {number}"
    if (match := IMAGE_IN_LINE.match(line)) and match[2]:
        return match[1].strip(), _label(where, match[2])
    head, label = line, ""
    for separator in (",", "\t", " "):
        before, _, after = line.rpartition(separator)
        if before and after and not IMAGE.search(line):
            head, label = before.strip(), after.strip()
            break
    if not label and not parent_folder(head):
        raise FileRefusedError(
            f"{where}: expected an image in the folder of its "
            f"class, or a label after it; got {clean_text(line, 60)!r}."
        )
    return head, label


def _label(where: str, text: str) -> str:
    """Return the label after an image: a text, a number, or the position of 1 in a one-hot vector.

    Of two numbers the second is the label, since lists of videos have the number of frames first.
    Raises a FileRefusedError for several labels of one image.
    """
    numbers = re.split(r"[\s,;|]+", text.strip().strip("[]()"))
    if len(numbers) == 1 or not all(re.fullmatch(r"-?\d+(\.0+)?", each) for each in numbers):
        return text.strip()
    values = [int(float(each)) for each in numbers]
    if len(values) > 2 and {*values} == {0, 1} and sum(values) == 1:
        return str(values.index(1))
    if len(values) == 2 and not {*values} <= {0, 1}:
        return numbers[-1]
    raise FileRefusedError(
        f"{where}: expected one class per image; got {len(values)} values "
        f"({clean_text(text, 40)}); multi-label data are not supported."
    )


def _of_trees(folder: Path, trees: Mapping[str, Path]) -> SplitList:
    rows = ImageRows(clean_text(folder.name))
    parts = {}
    for part, tree in trees.items():
        numbers = []
        for file, label in files_by_class(tree, folder):
            if not IMAGE.search(file):
                continue
            numbers.append(rows.add(f"{tree.name}/{file}", label))
            few = len(rows.labels) <= MAX_IMAGES
            expect(few, folder, f"at most {MAX_IMAGES:,} images", "more")
        parts[part] = np.array(numbers, np.int64)
    note = f"folders {', '.join(tree.name for tree in trees.values())}"
    return numbered_by_class(folder, rows, parts, note, one_name=False)


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path is below a folder after all links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def refuse_link_out(path: Path, folder: Path) -> None:
    """Refuse a link to a file or folder outside ``folder``."""
    if path.is_symlink() and not is_inside(path, folder):
        what = "folder" if path.is_dir() else "file"
        expect(False, path, f"a {what} below {clean_text(folder.name)}", "a link out of it")


def files_by_class(folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Yield files with their class from a folder of class folders; paths start below ``folder``.

    Hidden files and folders are skipped; a class folder that links outside ``root`` is refused.
    """
    refuse_link_out(folder, root)
    links = 0
    for of_class in map(folder.joinpath, _names_in(folder)):
        if of_class.name.startswith(".") or not of_class.is_dir():
            continue
        links += of_class.is_symlink()
        expect(links <= MAX_LINKS, folder, f"at most {MAX_LINKS:,} links to folders", "more")
        refuse_link_out(of_class, root)
        for where, folders, files in os.walk(of_class, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                if not name.startswith("."):
                    yield Path(where, name).relative_to(folder).as_posix(), of_class.name


def split_of_images(
    file: Path,
    listed: Mapping[str, Sequence[tuple[str, str]]],
    note: str,
    *,
    several: bool = False,
    questions: tuple[str, ...] = (),
) -> SplitList:
    """Return a split from the (image, class) pairs of each part; see :class:`ImageRows`."""
    rows = ImageRows(clean_text(file.name), several)
    parts = {
        part: np.array([rows.add(image, label) for image, label in items], np.int64)
        for part, items in listed.items()
    }
    return numbered_by_class(file, rows, parts, note, questions=questions)


def numbered_by_class(
    folder: Path,
    rows: ImageRows,
    parts: Mapping[str, np.ndarray],
    note: str,
    *,
    one_name: bool = True,
    questions: tuple[str, ...] = (),
) -> SplitList:
    """Return the split with classes numbered by name; classes without training rows are unseen."""
    expect(rows.labels, folder, "images", "none")
    of_parts = [[*dict.fromkeys(rows.labels[k] for k in of.tolist())] for of in parts.values()]
    name_of, remark, more = one_name_each(of_parts)
    note += remark
    names = sorted({name_of[label] for label in rows.labels}, key=_natural)
    number = {name: c for c, name in enumerate(names)}
    labels = np.array([number[name_of[label]] for label in rows.labels], np.int64)
    checked, _ = _validated(parts, labels)
    if "test" in checked:
        note += _all_unseen(checked, labels) or _part_by_side(checked, labels)
    cleaned = tuple(clean_text(name) for name in names)
    return SplitList(
        clean_text(folder.name),
        tuple(rows.files),
        labels,
        cleaned,
        checked,
        note=note,
        one_name=one_name,
        questions=(*questions, *more),
    )


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
        both = np.concatenate([checked["train"], checked["val"]])
        # A list of trainval may repeat rows of train and val.
        checked["trainval"] = np.concatenate([listed, both[~np.isin(both, listed)]])
        if labels is not None and np.isin(labels[checked["val"]], labels[checked["train"]]).any():
            del checked["train"], checked["val"]  # validation holds out images, not classes
    elif "train" in checked and "trainval" not in checked:
        checked["trainval"] = checked.pop("train")
    return checked, remark


def _natural(name: str) -> tuple[bool, int, str]:
    """Return the sort key of a label; numeric labels come first, by value."""
    return (False, int(name), "") if name.isdecimal() and len(name) < 10 else (True, 0, name)
