"""Splits that name images or classes instead of numbering rows: JSON, text lists, trees of folders.

===========================  =======================================================================
``split_zhou_<name>.json``   ``train``, ``val`` and ``test``: lists of [image, label, class]; of
                             CoOp [1]_, and of the papers that follow it
``train.txt``, ``test.txt``  one image a line, with its label behind a space or a comma, or in its
                             folder: ``grizzly/0001.jpg 3``; a list a part, in one folder
``trainvalclasses.txt``      one class a line, a list a side, in one folder, as ``seen_classes.txt``
                             and ``unseen_classes.txt``; or one JSON with both
``train/grizzly/0001.jpg``   a folder a part, in it a folder a class: torchvision's ``ImageFolder``
===========================  =======================================================================

A JSON of CoOp tests the classes that it trains on. Its papers go "from base to new" classes: the
first half of the labels, rounded up, trains, and the others are new. So it is read here: images of
base classes train or are seen test images, test images of new classes are unseen ones.

Equal images are one row, whatever the number of lists that name them; no image is opened.

References
----------
.. [1] K. Zhou, J. Yang, C. C. Loy, Z. Liu, "Conditional prompt learning for vision-language
   models", CVPR 2022, section 4.1.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.sandbox.client import read_value
from zslcore.exceptions import FileRefusedError
from zslcore.texts import clean_text, expect

MAX_BYTES, MAX_ITEMS = 48 << 20, 4_000_000
#: Most images of a tree of folders.
MAX_IMAGES = 2_000_000
#: Endings of a path that names an image.
IMAGE = re.compile(r"\.(jpe?g|jpe|png|webp|bmp|gif|tiff?|ppm|pgm|avi|mp4)$", re.IGNORECASE)
#: Names of lists and folders -> part; those of one's own follow.
PARTS = {
    "trainval": "trainval", "train": "train", "training": "train", "val": "val",
    "valid": "val", "validation": "val", "test_seen": "test_seen", "test_unseen": "test_unseen",
    "test": "test",
}  # fmt: skip
#: Names of lists of classes -> side.
SIDES = {
    "trainvalclasses": "seen", "trainclasses": "seen", "seen_classes": "seen",
    "seenclasses": "seen", "seen": "seen", "base": "seen", "testclasses": "unseen",
    "unseen_classes": "unseen", "unseenclasses": "unseen", "unseen": "unseen", "novel": "unseen",
    "new": "unseen",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class SplitList:
    """A split by names.

    ``files`` are images, each once, whose places are the rows; ``labels`` their classes. Both are
    empty for lists of classes, where ``sides`` maps "seen" and "unseen" to classes. ``parts`` has
    the rows of every part, as listed: repeated where a list repeats an image. ``note`` says how it
    was read, ``one_name`` whether an image has the same name in every part, which folders of parts
    do not tell.
    """

    name: str
    files: tuple[str, ...]
    labels: np.ndarray
    class_names: tuple[str, ...]
    parts: Mapping[str, np.ndarray]
    sides: Mapping[str, np.ndarray] = field(default_factory=dict)
    note: str = ""
    one_name: bool = True


@dataclass(slots=True)
class _Rows:
    file: str
    number: dict[str, int] = field(default_factory=dict)
    labels: list[str] = field(default_factory=list)

    def add(self, image: str, label: str) -> int:
        """Return the row of an image; one with two labels is refused."""
        row = self.number.setdefault(image, len(self.labels))
        if row == len(self.labels):
            self.labels.append(label)
        elif self.labels[row] != label:
            both = f"{clean_text(self.labels[row], 60)} and {clean_text(label, 60)}"
            got = f"{both} for {clean_text(image, 80)!r}"
            expect(False, self.file, "one class per image", got)
        return row


# --- JSON -----------------------------------------------------------------------------------------


def is_split_json(value: Any) -> bool:
    """Whether JSON that was read is a split by names: of images, or two lists of classes."""
    if not isinstance(value, dict):
        return False
    of_images = {"train", "test"} <= set(value) and all(
        isinstance(value[part], list) for part in ("train", "test")
    )
    return of_images or set(_sides_in(value)) == {"seen", "unseen"}


def read_split_json(path: Path) -> SplitList | None:
    """Read a JSON of CoOp's form, or one with two lists of classes; None for any other JSON.

    Raises a FileRefusedError when it is damaged or hostile, or a list in it is not of this form.
    """
    value = read_value(path, "JSON", max_bytes=MAX_BYTES, most=MAX_ITEMS)
    if not is_split_json(value):
        return None
    file = clean_text(path.name)
    if {"train", "test"} <= set(value):
        return _of_items(file, value)
    sides = {side: _class_list(file, value[key]) for side, key in _sides_in(value).items()}
    return _of_classes(file, sides)


def _sides_in(value: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, listed in value.items():
        side = SIDES.get(str(key).lower())
        if side and isinstance(listed, list) and all(isinstance(name, str) for name in listed):
            found.setdefault(side, key)
    return found


def _class_list(file: str, listed: Sequence[str]) -> tuple[str, ...]:
    names = tuple(clean_text(name) for name in listed)
    expect("" not in names, file, "names of classes", "an empty one")
    return names


def _of_items(file: str, value: Mapping[str, Any]) -> SplitList:
    """Return a split of CoOp's form, from base to new classes."""
    rows = _Rows(file)
    names: dict[int, str] = {}
    listed: dict[str, list[tuple[int, int]]] = {}
    for part in ("train", "val", "test"):
        listed[part] = []
        items = value.get(part, [])
        expect(isinstance(items, list), f"{file}, {part}", "a list of images", type(items).__name__)
        for place, item in enumerate(items):
            image, label, name = _item(file, part, place, item)
            if names.setdefault(label, name) != name:
                both = f"{clean_text(names[label], 60)} and {clean_text(name, 60)}"
                expect(False, f"{file}, {part}", f"one name for label {label}", both)
            listed[part].append((rows.add(image, str(label)), label))
    numbers = sorted(names)
    base = frozenset(numbers[: -(-len(numbers) // 2)])
    parts = {
        "trainval": _rows_of(listed["train"] + listed["val"], base),
        "test_seen": _rows_of(listed["test"], base),
        "test_unseen": _rows_of(listed["test"], frozenset(numbers) - base),
    }
    place_of = {str(number): c for c, number in enumerate(numbers)}
    return SplitList(
        file,
        tuple(rows.number),
        np.array([place_of[label] for label in rows.labels], np.int64),
        tuple(names[number] for number in numbers),
        parts,
        note=f"from base to new: the first {len(base)} of {len(numbers)} labels train, the others "
        "are unseen",
    )


def _item(file: str, part: str, place: int, item: Any) -> tuple[str, int, str]:
    where, three = f"{file}, {part}, item {place + 1}", isinstance(item, list) and len(item) == 3
    if not three or not isinstance(item[0], str) or not isinstance(item[2], str):
        expect(False, where, "[image, label, class]", clean_text(repr(item), 60))
    label = item[1]
    if type(label) is not int or not 0 <= label < MAX_ITEMS:
        expect(False, where, "a label from 0", clean_text(repr(label), 40))
    return item[0], label, clean_text(item[2])


def _rows_of(items: Iterable[tuple[int, int]], classes: frozenset[int]) -> np.ndarray:
    return np.array([row for row, label in items if label in classes], dtype=np.int64)


def _of_classes(file: str, sides: Mapping[str, tuple[str, ...]]) -> SplitList:
    """Return a split of lists of classes: no rows, and which class is on which side."""
    names = tuple(dict.fromkeys(name for side in sides.values() for name in side))
    number = {name: c for c, name in enumerate(names)}
    numbered = {
        side: np.array([number[name] for name in listed], np.int64)
        for side, listed in sides.items()
    }
    return SplitList(
        file, (), np.empty(0, np.int64), names, {}, numbered, "lists of classes, no images"
    )


# --- Folders --------------------------------------------------------------------------------------


def holds_split_lists(folder: Path) -> bool:
    """Whether a folder has lists of images or classes, or a folder a part, as described above."""
    return bool(_trees(folder)) or bool(_lists(folder)) or _has_two_sides(_class_lists(folder))


def holds_tree(folder: Path) -> bool:
    """Whether a folder has a folder a part, in it a folder a class."""
    return bool(_trees(folder))


def read_split_lists(folder: Path) -> SplitList:
    """Read the lists of a folder, or the folders of its parts.

    Raises a FileRefusedError when a list is damaged or hostile, an image has two classes, or a
    folder is a link that leads out.
    """
    if trees := _trees(folder):
        return _of_trees(folder, trees)
    if lists := _lists(folder):
        return _of_lists(folder, lists)
    sides = {
        side: _class_list(path.name, _lines(path)) for side, path in _class_lists(folder).items()
    }
    return _of_classes(clean_text(folder.name), sides)


def _trees(folder: Path) -> dict[str, Path]:
    """Return the folders of the parts; a tree needs one that trains and one that tests."""
    return _by_part(folder, [(path.name, path) for path in _entries(folder) if path.is_dir()])


def _lists(folder: Path) -> dict[str, Path]:
    texts = (path for path in _entries(folder) if path.suffix.lower() == ".txt")
    return _by_part(folder, [(path.stem, path) for path in texts if path.is_file()])


def _by_part(folder: Path, paths: Iterable[tuple[str, Path]]) -> dict[str, Path]:
    """Return paths by the part they name; nothing unless parts train and test."""
    found: dict[str, Path] = {}
    named = [(PARTS[name.lower()], path) for name, path in paths if name.lower() in PARTS]
    if not _is_whole({part for part, _ in named}):
        return {}
    for part, path in named:
        if part in found:
            both = f"{clean_text(found[part].name)} and {clean_text(path.name)}"
            expect(False, folder, f"one list or folder of {part}", both)
        found[part] = path
    return found


def _class_lists(folder: Path) -> dict[str, Path]:
    """Return the lists of classes by side; trainvalclasses goes before trainclasses."""
    there = {path.name.lower(): path for path in _entries(folder) if path.is_file()}
    found: dict[str, Path] = {}
    for name, side in SIDES.items():
        if path := there.get(f"{name}.txt"):
            found.setdefault(side, path)
    return found


def _entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _is_whole(parts: Iterable[str]) -> bool:
    """Whether something trains and something tests; without a test, validation is one."""
    tests = {"test", "test_seen", "test_unseen", "val"}
    return bool({"train", "trainval"} & {*parts}) and bool(tests & {*parts})


def _has_two_sides(sides: Mapping[str, Path]) -> bool:
    return set(sides) == {"seen", "unseen"}


def _lines(path: Path) -> list[str]:
    lines = read_value(path, "lines", max_bytes=MAX_BYTES, most=MAX_ITEMS)
    return [line.strip() for line in lines if line.strip()]


def _of_lists(folder: Path, lists: Mapping[str, Path]) -> SplitList:
    rows = _Rows(clean_text(folder.name))
    parts = {}
    for part, path in lists.items():
        found = [
            rows.add(*_line(path, number, line)) for number, line in enumerate(_lines(path), 1)
        ]
        parts[part] = np.array(found, np.int64)
    return _by_class(folder, rows, parts, f"lists {', '.join(p.name for p in lists.values())}")


def _line(path: Path, number: int, line: str) -> tuple[str, str]:
    """Return image and label of a line; without a label, the class is the image's folder."""
    head, label = line, ""
    for separator in (",", "\t", " "):
        before, _, after = line.rpartition(separator)
        if before and after and not IMAGE.search(line):
            head, label = before.strip(), after.strip()
            break
    label = label or head.replace("\\", "/").rpartition("/")[0].rpartition("/")[2]
    if not label:
        raise FileRefusedError(
            f"{clean_text(path.name)}, line {number}: expected an image in the folder of its "
            f"class, or a label behind it; got {clean_text(line, 60)!r}."
        )
    return head, label


def _of_trees(folder: Path, trees: Mapping[str, Path]) -> SplitList:
    rows = _Rows(clean_text(folder.name))
    parts = {}
    for part, tree in trees.items():
        found = []
        for file, label in files_by_class(tree, folder):
            if not IMAGE.search(file):
                continue
            found.append(rows.add(f"{tree.name}/{file}", label))
            few = len(rows.labels) <= MAX_IMAGES
            expect(few, folder, f"at most {MAX_IMAGES:,} images", "more")
        parts[part] = np.array(found, np.int64)
    note = f"folders {', '.join(tree.name for tree in trees.values())}"
    return _by_class(folder, rows, parts, note, one_name=False)


def is_inside(path: Path, folder: Path) -> bool:
    """Whether a path lies below a folder once all links are followed."""
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


def files_by_class(folder: Path, root: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of a folder that has a folder a class, relative to it, with their class.

    What is hidden is passed over; a class that is a link out of ``root`` is refused.
    """
    for of_class in _entries(folder):
        if not of_class.is_dir() or of_class.name.startswith("."):
            continue
        below = f"a folder below {clean_text(root.name)}"
        expect(is_inside(of_class, root), of_class, below, "a link out of it")
        for where, folders, files in os.walk(of_class, followlinks=False):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            for name in sorted(files):
                if not name.startswith("."):
                    yield Path(where, name).relative_to(folder).as_posix(), of_class.name


def _by_class(
    folder: Path,
    rows: _Rows,
    parts: Mapping[str, np.ndarray],
    note: str,
    *,
    one_name: bool = True,
) -> SplitList:
    """Return the split, classes numbered by name; tests of classes without training are unseen."""
    expect(rows.labels, folder, "images", "none")
    names = sorted(set(rows.labels), key=_natural)
    number = {name: c for c, name in enumerate(names)}
    labels = np.array([number[label] for label in rows.labels], np.int64)
    found = _validated(parts, labels)
    if "test" in found:
        tested = found.pop("test")
        trained = np.concatenate([found[part] for part in ("train", "trainval") if part in found])
        known = np.isin(labels[tested], labels[trained])
        for part, chosen in (("test_seen", known), ("test_unseen", ~known)):
            found[part] = np.concatenate([found.get(part, np.empty(0, np.int64)), tested[chosen]])
        note += "; test images of classes without training images are unseen"
    cleaned = tuple(clean_text(name) for name in names)
    return SplitList(
        clean_text(folder.name),
        tuple(rows.number),
        labels,
        cleaned,
        found,
        note=note,
        one_name=one_name,
    )


def _validated(parts: Mapping[str, np.ndarray], labels: np.ndarray) -> dict[str, np.ndarray]:
    """Return the parts with trainval, validation as the test where no other part tests."""
    found = dict(parts)
    if not {"test", "test_seen", "test_unseen"} & set(found):
        found["test"] = found.pop("val")
    if {"train", "val"} <= set(found):
        listed = found.get("trainval", np.empty(0, np.int64))
        both = np.concatenate([found["train"], found["val"]])
        # A list of trainval repeats those of train and val.
        found["trainval"] = np.concatenate([listed, both[~np.isin(both, listed)]])
        if np.isin(labels[found["val"]], labels[found["train"]]).any():
            del found["train"], found["val"]  # images are held out, not classes
    elif "train" in found and "trainval" not in found:
        found["trainval"] = found.pop("train")
    return found


def _natural(name: str) -> tuple[bool, int, str]:
    """Sort labels that are numbers by their value."""
    return (False, int(name), "") if name.isdecimal() and len(name) < 10 else (True, 0, name)
