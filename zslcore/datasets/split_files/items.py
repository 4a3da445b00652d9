"""Lists of [image, label, class] in CoOp's format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.datasets.open_world import n_base
from zslcore.datasets.split_files.contents import MAX_ITEMS
from zslcore.datasets.split_images import ImageRows
from zslcore.datasets.split_lists import Entries, SplitList
from zslcore.datasets.split_numbering import split_of_entries
from zslcore.texts import clean_text, expect, refusal_of

#: Question on training images of new classes in CoOp's format, which are not read.
NEW_CLASSES_QUESTION = (
    "Test images of new classes that are also in train or val: {}. Do models train on base classes "
    "only?"
)


def read_items(path: Path, value: Mapping[str, Any]) -> SplitList:
    """Return the split of a JSON in CoOp's format.

    The split is from base to new classes if every test class is also a training class; otherwise
    it is a split by its parts.
    """
    file = clean_text(path.name)
    rows = ImageRows(file)
    entries = Entries()
    names: dict[int, str] = {}
    listed: dict[str, list[tuple[int, int]]] = {}
    for part in ("train", "val", "test"):
        listed[part] = []
        items = value.get(part, [])
        expect(isinstance(items, list), f"{file}, {part}", "a list of images", type(items).__name__)
        for position, record in enumerate(items, 1):
            image, label, name = _check_item(f"{file}, {part}, item {position}", record)
            if names.setdefault(label, name) != name:
                two_names = f"{clean_text(names[label], 60)} and {clean_text(name, 60)}"
                raise refusal_of(f"{file}, {part}", f"one name for label {label}", two_names)
            listed[part].append((rows.add(image, str(label)), label))
            entries.setdefault(part, []).append((image, name))
    trained, tested = ({label for _, label in listed[part]} for part in ("train", "test"))
    if not tested <= trained:
        return split_of_entries(path, entries)
    numbers = sorted(names)
    base = frozenset(numbers[: n_base(len(numbers))])
    of_test = {row for row, label in listed["test"] if label not in base}
    n_both = sum(row in of_test for row, _ in listed["train"] + listed["val"])
    questions = (NEW_CLASSES_QUESTION.format(n_both),) if n_both else ()
    parts = {
        "trainval": _select_rows(listed["train"] + listed["val"], base),
        "test_seen": _select_rows(listed["test"], base),
        "test_unseen": _select_rows(listed["test"], frozenset(numbers) - base),
    }
    position_of = {str(number): c for c, number in enumerate(numbers)}
    return SplitList(
        file,
        rows.files,
        np.array([position_of[label] for label in rows.labels], np.int64),
        tuple(names[number] for number in numbers),
        parts,
        note=f"from base to new: the first {len(base)} of {len(numbers)} labels are seen, the "
        "others are unseen",
        questions=questions,
    )


def _check_item(where: str, record: Any) -> tuple[str, int, str]:
    is_triple = isinstance(record, list) and len(record) == 3
    if not is_triple or not isinstance(record[0], str) or not isinstance(record[2], str):
        raise refusal_of(where, "[image, label, class]", clean_text(repr(record), 60))
    label = record[1]
    if type(label) is not int or not 0 <= label < MAX_ITEMS:
        raise refusal_of(where, "a label from 0", clean_text(repr(label), 40))
    return record[0], label, clean_text(record[2])


def _select_rows(items: Iterable[tuple[int, int]], classes: frozenset[int]) -> np.ndarray:
    return np.array([row for row, label in items if label in classes], dtype=np.int64)
