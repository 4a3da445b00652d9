"""Pairs of files with the seen and the unseen columns of the same images."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from zslcore.exceptions import ZSLError
from zslcore.scores.archives import NAMES
from zslcore.texts import clean_text
from zslcore.untrusted.client import look_into


@dataclass(frozen=True, slots=True)
class Blocks:
    """Positions (0 or 1) of two files that may be blocks of one matrix, and their shapes.

    ``certain`` is True if names, rows and columns exclude any other meaning.
    """

    seen: int
    unseen: int
    certain: bool
    shapes: tuple[str, str]


def find_blocks(first: Path, second: Path) -> Blocks | None:
    """Return the blocks of two files; None if each file is a complete matrix.

    Files are blocks if two of three conditions hold: they have equally many rows, they differ in
    the number of columns, and their names say "seen" and "unseen". Only files of arrays are read,
    since a table names its classes.
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
    words = f"{rows:,} x {columns:,}", f"{other_rows:,} x {other_columns:,}"
    return Blocks(1 - unseen, unseen, same_images and other_classes and named, words)


def _shape(path: Path) -> tuple[int, int] | None:
    try:
        shapes = look_into(path).shapes
    except ZSLError:  # the reader reports the reason
        return None
    shape = next((shapes[name] for name in NAMES["scores"] if name in shapes), None)
    return (shape[0], shape[1]) if shape is not None and len(shape) == 2 else None


def _side(path: Path) -> str:
    """Return the side in the name of a file, or ""."""
    name = clean_text(path.stem).lower()
    return "unseen" if "unseen" in name else "seen" if "seen" in name else ""
