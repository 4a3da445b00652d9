"""Numbers for the images and classes that a split names."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.class_numbers import remove_numbers
from zslcore.datasets.part_names import part_of_name
from zslcore.datasets.split_images import (
    MAX_CLASSES,
    expect_few_classes,
    questions_on_numbers,
    split_of_images,
    unify_spellings,
)
from zslcore.datasets.split_lists import Entries, SplitList, parse_image_lines
from zslcore.datasets.split_parts import (
    NO_ROWS,
    TESTS,
    add_trainval,
    are_few,
    divide_test,
    rows_of_mask,
    training_rows,
)
from zslcore.names import class_key, positions_of
from zslcore.texts import clean_text, expect

#: Question on row numbers that separate training and test classes only if they start at 1.
START_QUESTION = (
    "The rows are read as numbered from 1; from 0, test classes have training images. Check where "
    "row numbers start: at 0 or at 1?"
)


def split_of_entries(source: Path, entries: Entries) -> SplitList:
    """Return the split of entries of a file: of images, of row numbers, or of classes only."""
    file = clean_text(source.name)
    if all(image.isdecimal() and not label for image, label in chain(*entries.values())):
        return split_of_parts(
            file, {part: [image for image, _ in pairs] for part, pairs in entries.items()}
        )
    if not entries.has_images:
        return _split_of_class_entries(file, entries)
    classes = split_of_entries(source, entries.classes) if entries.classes else None
    return with_class_lists(split_of_images(source, entries), classes)


def _split_of_class_entries(file: str, entries: Entries) -> SplitList:
    """Return the split of entries without images."""
    expect_few_classes(file, {name for _, name in chain(*entries.values())})
    names = {}
    for part, listed in zip(entries, remove_numbers([*entries.labels.values()]), strict=True):
        names[part] = [*map(clean_text, listed)]
        expect("" not in names[part], file, "class names", "an empty one")
    note, held_out = "lists of classes, no images", names.pop("val", [])
    if not {*TESTS, "unseen"} & {*names}:
        names["unseen"], held_out = held_out, []
        note += "; val is used as the test part"
    all_seen = [*names.get("seen", ()), *names.get("trainval", ())]
    seen = dict.fromkeys((*all_seen, *names.get("train", ())))
    unseen = [*names.get("unseen", ()), *names.get("test_unseen", ())]
    tested = names.get("test", [])
    trained = {class_key(name) for name in (*seen, *held_out)}
    shared = [name for name in tested if class_key(name) in trained]
    if not are_few(len(shared), len(tested), len(trained)):  # the test part also has seen classes
        tested = [name for name in tested if name not in shared]
        expect(tested or unseen, file, "a test class that is not a training class", "none")
        note += f"; {len(shared)} test classes are also training classes, hence seen"
    # A list of seen classes includes validation classes; a list of training classes does not.
    validated = {class_key(name) for name in held_out}
    fitted = names.get("train") or [name for name in all_seen if class_key(name) not in validated]
    folds = [(fitted, held_out)] if held_out else []
    return split_of_classes(file, {"seen": [*seen], "unseen": [*unseen, *tested]}, note, folds)


def split_of_parts(
    file: str,
    listed: Mapping[str, Sequence[Any]],
    labels: np.ndarray | None = None,
    class_names: Sequence[str] = (),
) -> SplitList:
    """Return a split from one list per part: row numbers, a mask of all rows, or image names.

    ``labels`` has the 0-based class of each row. Row numbers start at 0; with labels, at 1 if they
    range from 1 to the number of rows, or if only then "test" has no training class. Without
    labels, the side of a part "test" is unknown; it is read as unseen.
    """
    parts: dict[str, list[Any]] = {}
    for name, values in listed.items():
        parts.setdefault(part_of_name(name), []).extend(values)
    texts = [element for element in chain(*parts.values()) if isinstance(element, str)]
    if texts and all(map(str.isdecimal, texts)):
        parts = {part: [*map(int, values)] for part, values in parts.items()}
    if all(isinstance(element, str) for element in chain(*parts.values())):
        entries = Entries(note=f"lists {', '.join(listed)}")
        entries.update({part: parse_image_lines(file, lines) for part, lines in parts.items()})
        return split_of_images(Path(file), entries)
    rows = {part: _read_rows(f"{file}, {part}", values) for part, values in parts.items()}
    rows, origin, questions = _count_from_0(rows, labels)
    note = f"rows of {', '.join(listed)}, counted from {origin}"
    within = labels is not None and all(
        0 <= v.min() <= v.max() < len(labels) for v in rows.values() if v.size
    )
    all_parts, remark = add_trainval(rows, labels if within else None)
    if "test" in all_parts:
        if labels is not None and within:
            remark += divide_test(all_parts, labels)
        else:
            all_parts["test_unseen"] = all_parts.pop("test")
            remark += "; without labels, test is read as unseen"
    numbers = NO_ROWS if labels is None else labels
    names = tuple(class_names)
    return SplitList(file, (), numbers, names, all_parts, note=note + remark, questions=questions)


def _read_rows(where: str, values: Sequence[Any]) -> np.ndarray:
    """Return the rows of a list, or the rows marked in a mask of zeros and ones."""
    are_numbers = all(isinstance(element, int | np.integer) for element in values)
    expect(are_numbers, where, "a list of row numbers, or of images", "other values")
    return rows_of_mask(np.asarray(values, dtype=np.int64))


def _count_from_0(
    rows: dict[str, np.ndarray], labels: np.ndarray | None
) -> tuple[dict[str, np.ndarray], str, tuple[str, ...]]:
    """Return rows counted from 0, the number of the first row as listed, and a question on it."""
    numbers = np.concatenate([*rows.values()])
    n = 0 if labels is None else len(labels)
    if labels is None or not numbers.size or numbers.min() < 1 or numbers.max() > n:
        return rows, "0", ()
    reaches = numbers.max() == n
    if not reaches and not _start_at_1(rows, np.asarray(labels)):
        return rows, "0", ()
    rows = {part: values - 1 for part, values in rows.items()}
    if reaches:
        return rows, f"1, since they reach {n:,} of {n:,} rows", ()
    return rows, "1", (START_QUESTION,)


def _start_at_1(rows: Mapping[str, np.ndarray], labels: np.ndarray) -> bool:
    """Whether "test" has no training class if rows start at 1, and has one if they start at 0."""
    trained, tested = training_rows(rows), rows.get("test", NO_ROWS)
    if not trained.size or not tested.size or max(trained.max(), tested.max()) >= len(labels):
        return False
    from_0, from_1 = (np.isin(labels[tested - k], labels[trained - k]).any() for k in (0, 1))
    return bool(from_0 and not from_1)


def split_of_classes(
    file: str,
    sides: Mapping[str, Sequence[str]],
    note: str = "lists of classes, no images",
    folds: Sequence[tuple[Sequence[str], Sequence[str]]] = (),
) -> SplitList:
    """Return a split from class lists; it has sides of classes, but no rows.

    ``folds`` has the training and the validation classes of each fold.
    """
    lists = [*sides.values(), *chain(*folds)]
    name_of, remark, questions = unify_spellings(file, lists)
    names = tuple(dict.fromkeys(name_of.values()))
    number = {name: c for c, name in enumerate(names)}

    def numbers_of(listed: Sequence[str]) -> np.ndarray:
        return np.array([number[name_of[name]] for name in listed], np.int64)

    return SplitList(
        file,
        (),
        NO_ROWS,
        names,
        {},
        {side: numbers_of(listed) for side, listed in sides.items()},
        note + remark,
        folds=tuple((numbers_of(train), numbers_of(val)) for train, val in folds),
        questions=questions + questions_on_numbers(sides),
    )


def with_class_lists(split: SplitList, classes: SplitList | None) -> SplitList:
    """Add the sides of the classes in ``classes`` to a split of images or rows.

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
    return replace(split, sides={side: listed[listed >= 0] for side, listed in sides.items()})
