"""Columns of images, classes and parts in a table."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from zslcore.datasets.class_rows import are_row_numbers
from zslcore.datasets.part_names import (
    CLASS_TITLES,
    FLAGS,
    IMAGE_TITLES,
    NO,
    PART_TITLES,
    YES,
    composition_columns,
    is_title_of_classes,
    part_of_cell,
    part_of_labels,
    part_or_side,
    trains_and_tests,
)
from zslcore.datasets.split_lists import IMAGE, parent_folder
from zslcore.names import LETTER, WORDNET_ID, squeeze
from zslcore.untrusted.readers.array_names import COUNTERS, LABELS, is_named

#: Minimum share of distinct names in a column of images.
MIN_DISTINCT_SHARE = 0.8
#: A number after a name.
NUMBER_SUFFIX = re.compile(r"\d{1,9}$")


def are_ids(column: Sequence[str]) -> bool:
    """Whether texts are ids of images or videos: no spaces, mostly with digits, not synsets."""
    are_single_words = all(len(text) > 5 and " " not in text for text in column)
    n_ids = sum(any(map(str.isdigit, text)) and not WORDNET_ID.fullmatch(text) for text in column)
    return are_single_words and 2 * n_ids >= len(column)


class TableColumns(NamedTuple):
    """Columns of images, of classes and of parts; None for a column that a table lacks.

    ``where`` is the column of parts or, without one, a column of flags such as yes and no.
    """

    image: int | None
    label: int | None
    part: int | None
    where: int | None


def find_columns(
    titles: Sequence[str], rows: Sequence[Sequence[str]] = (), *, of_one_part: bool = False
) -> TableColumns:
    """Return the columns of images, of classes and of parts.

    Columns are recognised by title, or else by cells: parts are words such as "train"; images have
    suffixes of image files or, if classes repeat, distinct texts; classes are the remaining texts.
    A table ``of_one_part`` has no column of parts; its classes have a title.
    """
    words = [*map(squeeze, titles)]
    image, label, part, flag = (
        next((words.index(word) for t in named for word in (t, f"{t}s") if word in words), None)
        for named in (IMAGE_TITLES, CLASS_TITLES, PART_TITLES, FLAGS)
    )
    if label is None:
        label = next((k for k, title in enumerate(titles) if is_named(title, LABELS)), None)
    complete = [row for row in rows if len(row) == len(titles)]
    cells = [[cell.strip() for cell in column] for column in zip(*complete, strict=True)]
    if part is None and (flag is None or (cells and _are_part_names(cells[flag]))):
        part = _find_single(
            k for k, column in enumerate(cells) if k != label and _are_part_names(column)
        )
    where = flag if part is None else part
    have_folders = cells and image is not None and all(map(parent_folder, cells[image]))
    if label is None and not have_folders:
        label = _find_single(k for k, title in enumerate(titles) if is_title_of_classes(title))
        label = None if label in (image, where) else label
    if cells and (where is not None or (of_one_part and label is not None)):
        image, label = _find_by_cells(titles, cells, TableColumns(image, label, part, where))
    return TableColumns(image, label, part, where)


def _find_by_cells(
    titles: Sequence[str], cells: Sequence[Sequence[str]], columns: TableColumns
) -> tuple[int | None, int | None]:
    """Return the columns of images and of classes by their cells, unless titles show them."""
    image, label, _, where = columns
    free = [k for k in range(len(titles)) if k not in (image, label, where)]
    texts = [k for k in free if all(map(LETTER.search, cells[k]))]
    if image is None:
        image = next((k for k in texts if all(map(IMAGE.search, cells[k]))), None)
    texts = [k for k in texts if k != image]
    distinct = [k for k in texts if len({*cells[k]}) == len(cells[k])]
    if label is None and texts == distinct and any(is_named(titles[k], COUNTERS) for k in texts):
        texts = [k for k in texts if not (is_named(titles[k], COUNTERS) and are_ids(cells[k]))]
    if label is None:
        ids = [] if image is not None else [k for k in distinct if are_ids(cells[k])]
        # If one column has distinct texts and another has repeated texts, the distinct ones may
        # be classes, and the repeated ones groups of classes.
        is_clear = len(texts) == 1 or image is not None or len(distinct) == len(ids) == 1
        named = texts if len(texts) == 1 else [k for k in texts if k not in distinct]
        label = _find_single(named) if is_clear else None
    # If one column has templates, the column of labels has sentences.
    elif image is None and squeeze(titles[label]) != "template":
        classes = [k for k in texts if squeeze(titles[k]) in CLASS_TITLES and k in distinct]
        label = classes[0] if classes and label not in classes else label
    if image is None and (label is None or len({*cells[label]}) < len(cells[label])):
        named = [k for k in distinct if label not in (None, k)]
        candidates = [k for k in texts if label not in (None, k)]
        candidates += [k for k in free if k != label and is_named(titles[k], COUNTERS)]
        no_cells = [""] * len(cells[0])
        parts, labels = (no_cells if k is None else cells[k] for k in (where, label))
        keys = [k for k in candidates if _are_keys(cells[k], parts, labels)]
        image = next(iter([*named, *keys]), None)
    return image, label


def _find_single(columns: Iterable[int]) -> int | None:
    """Return the only column; None for no column, or several."""
    single = [*columns]
    return single[0] if len(single) == 1 else None


def _are_keys(column: Sequence[str], parts: Sequence[str], labels: Sequence[str]) -> bool:
    """Whether cells may name images: they are single words, and few of them repeat.

    Cells are not names if their numbers only count the rows of each part, or if most repeated cells
    have different ``labels``.
    """
    are_words = not any(" " in cell for cell in column)
    if not are_words or len({*column}) < MIN_DISTINCT_SHARE * len(column):
        return False
    times = Counter(column)
    classes = Counter(key for key, _ in {*zip(column, labels, strict=True)} if times[key] > 1)
    if 2 * sum(n > 1 for n in classes.values()) > len(classes):
        return False
    numbers: dict[str, list[int]] = {}
    for cell, part in zip(column, parts, strict=True):
        match = NUMBER_SUFFIX.search(cell)
        numbers.setdefault(part, []).append(int(match[0]) if match else -1)
    return not all(map(are_row_numbers, numbers.values()))


def _are_part_names(column: Sequence[str]) -> bool:
    """Whether all cells of a column name a part, among them a training and a test part."""
    parts = [part_of_cell("", cell) for cell in {*column}]
    return all(parts) and trains_and_tests(parts)


def are_titles_of_parts(titles: Sequence[str]) -> bool:
    """Whether every column of a table is named after a part."""
    return all(map(part_or_side, titles)) and trains_and_tests(map(part_or_side, titles))


def find_flags(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> dict[int, str]:
    """Return the part of each column named after a part; {} unless these columns have yes or no."""
    parts = {k: part for k, title in enumerate(titles) if (part := part_or_side(title))}
    cells = (row[k].strip().lower() for row in rows if len(row) == len(titles) for k in parts)
    is_table = len(parts) < len(titles) and trains_and_tests(parts.values())
    return parts if is_table and all(cell in YES | NO for cell in cells) else {}


def is_named_after_parts(name: str) -> bool:
    """Whether a name of an array or a column is that of a part or of a column of parts."""
    name = name.partition(".")[0]
    word = squeeze(name)
    is_title = word in FLAGS or word.removesuffix("s") in (*PART_TITLES, *FLAGS)
    return is_title or bool(part_or_side(name) or part_of_labels(name))


def may_be_entries(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether the first rows of a table may be entries with a part."""
    if len(titles) == 2 and any(map(part_or_side, titles)):
        return True
    if are_titles_of_parts(titles) or find_flags(titles, rows):
        return True
    columns = find_columns(titles, rows)
    is_entry = {columns.image, columns.label} != {None} or composition_columns(titles) != ()
    return columns.where is not None and is_entry
