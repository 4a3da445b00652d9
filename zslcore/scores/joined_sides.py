"""Scores of seen and of unseen classes, or of their images, in two files or arrays."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.exceptions import ZSLError
from zslcore.scores.parts import ScoreParts
from zslcore.texts import clean_text, expect, listed, refusal_of
from zslcore.untrusted.client import look_into, rows_by_image
from zslcore.untrusted.readers.array_names import SCORE_VARIABLES


@dataclass(frozen=True, slots=True)
class SideFiles:
    """Positions (0 or 1) of the seen and unseen columns of one matrix in two files; their shapes.

    ``certain`` is True if names, rows and columns exclude any other meaning.
    """

    seen: int
    unseen: int
    certain: bool
    shapes: tuple[str, str]


def find_side_files(first: Path, second: Path) -> SideFiles | None:
    """Return the files of seen and unseen columns; None if each file is a complete matrix.

    The files have columns of one matrix if two of three conditions hold: they have the same number
    of rows, they differ in the number of columns, and one name contains "seen", the other "unseen".
    Only files of arrays are read, since a table names its classes.
    """
    shapes = [_shape(path) for path in (first, second)]
    if shapes[0] is None or shapes[1] is None:
        return None
    (rows, columns), (other_rows, other_columns) = shapes[0], shapes[1]
    sides = [_side(path) for path in (first, second)]
    named = {*sides} == {"seen", "unseen"}
    same_images, other_classes = rows == other_rows, columns != other_columns
    if same_images + other_classes + named < 2:
        return None
    unseen = sides.index("unseen") if named else 1
    texts = f"{rows:,} x {columns:,}", f"{other_rows:,} x {other_columns:,}"
    return SideFiles(1 - unseen, unseen, same_images and other_classes and named, texts)


def _shape(path: Path) -> tuple[int, int] | None:
    try:
        shapes = look_into(path).shapes
    except ZSLError:  # the reader reports the reason
        return None
    shape = next((shapes[name] for name in SCORE_VARIABLES if name in shapes), None)
    return (shape[0], shape[1]) if shape is not None and len(shape) == 2 else None


def _side(path: Path) -> str:
    """Return the side in the name of a file, or ""."""
    name = clean_text(path.stem).lower()
    return "unseen" if "unseen" in name else "seen" if "seen" in name else ""


def files_of_sides(path: Path) -> tuple[Path, Path | None]:
    """Return the files of seen and of unseen images in a folder; other paths unchanged."""
    files = sorted(path.iterdir()) if path.is_dir() else []
    files = [file for file in files if not file.name.startswith(".")]
    of_side = {_side(file): file for file in files}
    if len(files) != 2 or {*of_side} != {"seen", "unseen"}:
        return path, None
    if any(file.suffix == ".npy" for file in files):
        return path, None
    return of_side["seen"], of_side["unseen"]


def read_second(parts: ScoreParts, second: ScoreParts, path: Path) -> None:
    """Add the parts of the file of the unseen side, in the order of the images if they have names.

    If the first file has predicted classes alone, the second has those of other images.
    """
    parts.second = second
    has_scores = parts.scores is not None
    if (second.scores if has_scores else second.predicted) is None:
        expected = "scores of unseen classes" if has_scores else "predicted classes"
        got = "predicted classes" if has_scores else "scores"
        raise refusal_of(path, f"the {expected}, as in {parts.name}", got)
    images, listed_images = parts.other_columns, second.other_columns
    rows = rows_by_image(images, listed_images, path.name, parts.name) if has_scores else None
    if rows is not None:
        second.scores, second.labels = np.asarray(second.scores)[rows], None


def join_images(parts: ScoreParts) -> None:
    """Append the images of unseen classes, or take labels and classes that only they have."""
    second = parts.second
    if second is None:
        return
    if not _are_other_images(parts, second):
        for part in ("labels", "unseen", "seen"):
            if getattr(parts, part) is None:
                setattr(parts, part, getattr(second, part))
        return
    if parts.unseen is None:
        parts.unseen = np.unique(np.asarray(second.labels))
    for part in ("predicted" if second.scores is None else "scores", "labels"):
        halves = [np.asarray(getattr(half, part)) for half in (parts, second)]
        setattr(parts, part, np.concatenate(halves))
    parts.second = None


def _are_other_images(parts: ScoreParts, second: ScoreParts) -> bool:
    """Whether two files have the same columns, and rows of images that share no class."""
    both = parts, second
    if any(half.labels is None for half in both):
        return False
    labels = [{*np.asarray(half.labels).tolist()} for half in both]
    if all(half.scores is None and half.predicted is not None for half in both):
        shared = [clean_text(str(label), 40) for label in sorted(labels[0] & labels[1])]
        got = f"images of {listed(shared)} in both"
        expect(not shared, parts.name, "the two files to have images of different classes", got)
        return True
    if any(half.scores is None for half in both) or parts.n_columns != second.n_columns:
        return False
    same_names = not second.class_names or [*parts.class_names] == [*second.class_names]
    return same_names and labels[0].isdisjoint(labels[1])


def join_columns(parts: ScoreParts, second: ScoreParts) -> None:
    """Join seen and unseen columns of the same images into one matrix."""
    if parts.scores is None:
        raise refusal_of(parts.name, "scores of seen classes", "predicted classes")
    first, last = np.asarray(parts.scores), np.asarray(second.scores)
    expect(
        len(first) == len(last),
        parts.name,
        "seen and unseen columns of the same images",
        f"{len(first):,} and {len(last):,} rows. Images scored only among the classes of their own "
        "side are not GZSL",
    )
    S, C = first.shape[1], first.shape[1] + last.shape[1]
    F, seen_names, names = np.hstack([first, last]), parts.class_names, second.class_names
    are_same_numbers = {*seen_names} & {*names} and all(map(str.isdigit, names))
    has_names = seen_names and names and not are_same_numbers
    parts.class_names = (*seen_names, *names) if has_names else ()
    numbers = None if parts.unseen is None else np.asarray(parts.unseen)
    if numbers is None:
        parts.unseen = np.arange(S, C)
    elif numbers.dtype.kind in "iu" and len(np.unique(numbers)) == C - S:
        got = f"{numbers.min()} to {numbers.max()}"
        is_inside = numbers.min() >= 0 and numbers.max() < C
        where = f"{parts.name}, unseen classes"
        expect(is_inside, where, f"class numbers from 0 to {C - 1}", got)
        # Numbers count all classes; the columns of a block are in increasing order of its classes.
        order = np.concatenate([np.setdiff1d(np.arange(C), numbers), np.unique(numbers)])
        position = np.argsort(order)
        F = F[:, position]
        parts.class_names = [parts.class_names[k] for k in position] if has_names else ()
    parts.scores = F
