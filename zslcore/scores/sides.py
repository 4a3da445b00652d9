"""Seen and unseen classes of a score file: lists, marks, and the side of each image."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from zslcore.datasets.part_names import part_of_cell
from zslcore.exceptions import FileRefusedError
from zslcore.names import class_key
from zslcore.texts import clean_text, listed

#: Largest number of parts that a column may name.
MOST_PARTS = 4


def side_of_cell(title: str, cell: str) -> str:
    """Return "seen" or "unseen" if a cell states the side of an image; else "".

    >>> side_of_cell("Split", "ungesehen"), side_of_cell("is_unseen", "0"), side_of_cell("y", "cat")
    ('unseen', 'seen', '')
    """
    side = part_of_cell(title, cell).removeprefix("test_") if cell.strip() else ""
    return side if side in ("seen", "unseen") else ""


def unseen_by_image(
    file: str, labels: Any, columns: Mapping[str, np.ndarray], classes: Sequence[Any]
) -> tuple[np.ndarray, str] | None:
    """Return the unseen classes from a column with the side of each image, and its title, or None.

    ``columns`` are the columns of the file. Raises FileRefusedError if one of ``classes`` has no
    image, since its side is then unknown.
    """
    y = np.asarray(labels)
    for title, values in columns.items():
        cells, rows = _cells_of(values, len(y))
        if not cells:
            continue
        sides = np.array([side_of_cell(title, cell) for cell in cells])[rows]
        unseen, seen = (np.unique(y[sides == side]) for side in ("unseen", "seen"))
        if "" in sides or not len(unseen) or not len(seen):
            continue
        if y.dtype.kind in "iu" and unseen.min() == seen.min() and "pred" not in title.lower():
            raise FileRefusedError(
                f"{file}: column {clean_text(title, 40)!r} states the side of each image, and "
                f"classes of both sides are numbered from {seen.min()}; write names of classes, or "
                "numbers of the classes of both sides together."
            )
        if np.isin(unseen, seen).any():
            continue
        tested = {class_key(str(label)) for label in (*unseen.tolist(), *seen.tolist())}
        without = [str(name) for name in classes if class_key(str(name)) not in tested]
        if without:
            shown = ", ".join(clean_text(name, 40) for name in without[:4])
            raise FileRefusedError(
                f"{file}: column {clean_text(title, 40)!r} states the side of each image, and "
                f"{len(without)} classes have no image ({shown}), so their side is unknown; list "
                "all unseen classes with --unseen."
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
            raise FileRefusedError(
                f"{file}: expected test images alone; got {np.sum(rows == others[0]):,} of "
                f"{clean_text(cells[others[0]], 40)!r} in the column {clean_text(title, 40)!r}; "
                "leave these rows out."
            )


def _cells_of(values: np.ndarray, n: int) -> tuple[list[str], np.ndarray]:
    """Return the distinct cells of a column, and the position of each row's cell among them.

    [] for a column of other than ``n`` rows, or with more cells than a column of parts has.
    """
    distinct, rows = np.unique(values, return_inverse=True)
    if len(values) != n or len(distinct) > MOST_PARTS:
        return [], rows
    return [f"{cell:g}" if values.dtype.kind == "f" else str(cell) for cell in distinct], rows


def move_marks(parts: dict[str, Any], more_arrays: dict[str, np.ndarray]) -> None:
    """Move lists with one mark per image from the lists of classes to the further columns."""
    n = len(parts.get("labels", ()))
    n_classes = np.shape(parts["scores"])[1] if "scores" in parts else 0
    for part in ("unseen", "seen"):
        listed = np.asarray(parts.get(part, ()))
        are_marks = listed.dtype.kind in "bi" and np.isin(listed, (0, 1)).all()
        if are_marks and len(listed) == n > 2 and n != n_classes:
            more_arrays[part] = parts.pop(part)


def find_sides(name: str, parts: dict[str, Any], more_arrays: Mapping[str, np.ndarray]) -> None:
    """Find the unseen classes by the side of each image, if the file lists no classes.

    Raises FileRefusedError if the sides of the images contradict a list.
    """
    y = np.asarray(parts["labels"])
    if "unseen" in parts:
        _refuse_other_sides(name, y, parts, more_arrays)
        return
    classes: Sequence[Any] = [*parts.get("class_names", ())]
    if "scores" not in parts:
        classes = np.unique(np.asarray(parts["predicted"])).tolist()
    elif not classes or y.dtype.kind not in "UO":
        classes = range(np.shape(parts["scores"])[1])
    stated = unseen_by_image(name, y, more_arrays, classes)
    if stated is not None:
        parts["unseen"], title = stated
        left_out, shown = f"Column {title!r}: left out", clean_text(title, 40)
        remarks = [remark for remark in parts.get("remarks", ()) if not remark.startswith(left_out)]
        parts["remarks"] = [
            *remarks,
            f"Unseen classes are taken from {shown!r}, which gives the side of each image.",
        ]


def _refuse_other_sides(
    name: str, y: np.ndarray, parts: Mapping[str, Any], more_arrays: Mapping[str, np.ndarray]
) -> None:
    """Refuse listed unseen classes if another column says that images of them are seen."""
    stated, unseen = unseen_by_image(name, y, more_arrays, ()), np.asarray(parts["unseen"])
    if stated is None or "seen" in parts or unseen.dtype.kind != y.dtype.kind or not unseen.size:
        return
    keys = [{class_key(str(c)) for c in np.unique(of)} for of in (unseen, stated[0], y)]
    if differ := sorted((keys[0] ^ keys[1]) & keys[2]):
        raise FileRefusedError(
            f"{name}: expected the listed unseen classes to be those of the column "
            f"{clean_text(stated[1], 40)!r}; got {listed(differ, 4)} as seen in one and as unseen "
            "in the other."
        )


def refuse_shared(name: str, parts: Mapping[str, Any]) -> None:
    """Refuse lists of seen and unseen classes that share classes, or together lack some."""
    seen, unseen = (np.asarray(parts.get(part, ())).ravel() for part in ("seen", "unseen"))
    if not (seen.size and unseen.size) or seen.dtype.kind != unseen.dtype.kind:
        return
    marks = [
        s.dtype.kind in "biu" and len(s) > 2 and np.isin(s, (0, 1)).all() for s in (seen, unseen)
    ]
    are_marks = len(seen) == len(unseen) and all(marks)
    shared = np.flatnonzero(seen * unseen) if are_marks else np.intersect1d(seen, unseen)
    if shared.size:
        raise FileRefusedError(
            f"{name}: expected every class on one side; got {len(shared)} among both the seen and "
            f"the unseen classes ({clean_text(str(shared[0]), 60)})."
        )
    n = np.shape(parts["scores"])[1] if "scores" in parts else 0
    n_listed = int((seen + unseen).sum()) if are_marks else len({*seen.tolist(), *unseen.tolist()})
    if n_listed < n and (are_marks or not any(marks)):
        raise FileRefusedError(
            f"{name}: expected every class on one side; got {n} columns, and {n_listed} classes "
            "that are listed as seen or unseen. State the unseen classes with --unseen."
        )
