"""Seen and unseen classes of a score file: lists, marks, and the side of each image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zslcore.datasets.part_names import part_of_cell
from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.scores.parts import ScoreParts
from zslcore.texts import clean_text, expect, listed, refusal_of

#: Maximum number of parts that a column may name.
MAX_PARTS = 4


def move_marks(parts: ScoreParts) -> None:
    """Move lists with one mark per image from the lists of classes to the other columns."""
    n = 0 if parts.labels is None else len(parts.labels)
    for part in ("unseen", "seen"):
        marks = np.asarray(() if getattr(parts, part) is None else getattr(parts, part))
        are_marks = marks.dtype.kind in "bi" and np.isin(marks, (0, 1)).all()
        if are_marks and len(marks) == n > 2 and n != parts.n_columns:
            parts.other_columns[part] = marks
            setattr(parts, part, None)


def refuse_shared(parts: ScoreParts) -> None:
    """Refuse lists of seen and unseen classes that share classes, or together omit some."""
    if parts.seen is None or parts.unseen is None:
        return
    seen, unseen = np.asarray(parts.seen).ravel(), np.asarray(parts.unseen).ravel()
    if not (seen.size and unseen.size) or seen.dtype.kind != unseen.dtype.kind:
        return
    marks = [
        s.dtype.kind in "biu" and len(s) > 2 and np.isin(s, (0, 1)).all() for s in (seen, unseen)
    ]
    are_marks = len(seen) == len(unseen) and all(marks)
    shared = np.flatnonzero(seen * unseen) if are_marks else np.intersect1d(seen, unseen)
    expected, n = "every class on one side", parts.n_columns
    if shared.size:
        got = f"{len(shared)} among both the seen and the unseen classes"
        raise refusal_of(parts.name, expected, f"{got} ({clean_text(str(shared[0]), 60)})")
    n_listed = int((seen + unseen).sum()) if are_marks else len({*seen.tolist(), *unseen.tolist()})
    if n_listed < n and (are_marks or not any(marks)):
        got = f"{n} columns, and {n_listed} classes that are listed as seen or unseen"
        raise refusal_of(parts.name, expected, f"{got}. State the unseen classes with --unseen")


def find_sides(parts: ScoreParts) -> None:
    """Find the unseen classes by the side of each image, if the file lists no classes.

    Raises FileRefusedError if the sides of the images contradict a list.
    """
    y = np.asarray(parts.labels)
    classes: Sequence[Any] = [*parts.class_names]
    if parts.unseen is not None:
        classes = ()
    elif parts.scores is None:
        classes = np.unique(np.asarray(parts.predicted)).tolist()
    elif not classes or y.dtype.kind not in "UO":
        classes = range(parts.n_columns)
    side_column = _unseen_by_image(parts.name, y, parts.other_columns, classes)
    if side_column is None:
        return
    unseen, title = side_column
    if parts.unseen is not None:
        _refuse_other_sides(parts, y, unseen, title)
        return
    parts.unseen, left_out = unseen, f"Column {title!r}: left out"
    parts.remarks = [remark for remark in parts.remarks if not remark.startswith(left_out)]
    clean_title = clean_text(title, 40)
    parts.remarks.append(
        f"Unseen classes are taken from {clean_title!r}, which gives the side of each image."
    )


def _refuse_other_sides(
    parts: ScoreParts, y: np.ndarray, stated_unseen: np.ndarray, title: str
) -> None:
    """Refuse listed unseen classes if the column ``title`` states other sides of their images."""
    unseen = np.asarray(parts.unseen)
    if parts.seen is not None or unseen.dtype.kind != y.dtype.kind or not unseen.size:
        return
    keys = [
        {class_key(str(c)) for c in np.unique(classes)} for classes in (unseen, stated_unseen, y)
    ]
    differ = sorted((keys[0] ^ keys[1]) & keys[2])
    expect(
        not differ,
        parts.name,
        f"the listed unseen classes to be those of the column {clean_text(title, 40)!r}",
        f"{listed(differ, 4)} as seen in one and as unseen in the other",
    )


def side_of_cell(title: str, cell: str) -> str:
    """Return "seen" or "unseen" if a cell states the side of an image; else "".

    >>> side_of_cell("Split", "ungesehen"), side_of_cell("is_unseen", "0"), side_of_cell("y", "cat")
    ('unseen', 'seen', '')
    """
    side = part_of_cell(title, cell).removeprefix("test_") if cell.strip() else ""
    return side if side in ("seen", "unseen") else ""


def _unseen_by_image(
    file: str, y: np.ndarray, columns: Mapping[str, np.ndarray], classes: Sequence[Any]
) -> tuple[np.ndarray, str] | None:
    """Return the unseen classes from a column with the side of each image, and its title, or None.

    Raises FileRefusedError if one of ``classes`` has no image, since its side is then unknown.
    """
    for title, values in columns.items():
        cells, rows = _cells_of(values, len(y))
        if not cells:
            continue
        sides = np.array([side_of_cell(title, cell) for cell in cells])[rows]
        unseen, seen = (np.unique(y[sides == side]) for side in ("unseen", "seen"))
        if "" in sides or not len(unseen) or not len(seen):
            continue
        subject = f"{file}: column {clean_text(title, 40)!r} states the side of each image, and"
        if y.dtype.kind in "iu" and unseen.min() == seen.min() and "pred" not in title.lower():
            raise FileRefusedError(
                f"{subject} classes of both sides are numbered from {seen.min()}; write names of "
                "classes, or numbers of the classes of both sides together."
            )
        if np.isin(unseen, seen).any():
            continue
        tested = {class_key(str(label)) for label in (*unseen.tolist(), *seen.tolist())}
        without = [str(name) for name in classes if class_key(str(name)) not in tested]
        if without:
            first_names = ", ".join(clean_text(name, 40) for name in without[:4])
            raise FileRefusedError(
                f"{subject} {len(without)} classes have no image ({first_names}), so their side is "
                "unknown; list all unseen classes with --unseen."
            )
        return unseen, title
    return None


def refuse_training_images(file: str, n: int, columns: Mapping[str, np.ndarray]) -> None:
    """Refuse a table if a column marks some of its ``n`` images as training or validation."""
    for title, values in columns.items():
        cells, rows = _cells_of(values, n)
        parts = [part_of_cell(title, cell) for cell in cells]
        others = [k for k, part in enumerate(parts) if part in ("train", "trainval", "val")]
        if all(parts) and 0 < len(others) < len(cells):
            value = f"{clean_text(cells[others[0]], 40)!r} in the column {clean_text(title, 40)!r}"
            got = f"{np.sum(rows == others[0]):,} of {value}; leave these rows out"
            raise refusal_of(file, "test images alone", got)


def _cells_of(values: np.ndarray, n: int) -> tuple[list[str], np.ndarray]:
    """Return the distinct cells of a column, and the position of each row's cell among them.

    The list is empty unless the column has ``n`` rows and at most MAX_PARTS distinct cells.
    """
    distinct, rows = np.unique(values, return_inverse=True)
    if len(values) != n or len(distinct) > MAX_PARTS:
        return [], rows
    return [f"{cell:g}" if values.dtype.kind == "f" else str(cell) for cell in distinct], rows
