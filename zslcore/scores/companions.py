"""Files of models: scores or predicted classes, with common labels and unseen classes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from zslcore.datasets.split_lists import IMAGE_IN_LINE
from zslcore.exceptions import ZSLError
from zslcore.untrusted.client import ARRAYS, look_into
from zslcore.untrusted.readers.array_names import LABELS, PREDICTED, first_named, is_named


@dataclass(frozen=True, slots=True)
class FilesOfModels:
    """Positions of score files, and of one file with labels and one with unseen classes, if any."""

    scores: tuple[int, ...]
    labels: int | None = None
    unseen: int | None = None


def files_of_models(paths: Sequence[Path]) -> FilesOfModels:
    """Divide files into scores, and labels and unseen classes that belong to all of them.

    A list with distinct entries is read as unseen classes, any other list as labels. Without
    scores, lists of labels with a name such as ``y_pred`` are read as predicted classes. Files that
    cannot be divided are all scores, so that their reader describes the fault.
    """
    lists = {k: entries for k, path in enumerate(paths) if (entries := _list_in(path)) is not None}
    unseen = [k for k, entries in lists.items() if len(np.unique(entries)) == len(entries)]
    labels = [k for k in lists if k not in unseen]
    scores = [k for k in range(len(paths)) if k not in lists]
    if not scores:
        scores = [k for k in labels if is_named(paths[k].stem, PREDICTED)]
        labels = [k for k in labels if k not in scores]
    if not scores or len(labels) > 1 or len(unseen) > 1:
        return FilesOfModels(tuple(range(len(paths))))
    return FilesOfModels(tuple(scores), *(next(iter(files), None) for files in (labels, unseen)))


def _list_in(path: Path) -> np.ndarray | None:
    """Return the entries of a file with one entry per image or class; None for other files."""
    try:
        contents = look_into(path, (*ARRAYS, "text"))
    except ZSLError:  # the reader of scores reports the reason
        return None
    name = next(iter(contents.shapes)) if len(contents.shapes) == 1 else None
    if name is None and first_named(contents.shapes, PREDICTED) is None:
        shapes = [shape or () for shape in contents.shapes.values()]
        if all(len(shape) == 1 for shape in shapes):
            name = first_named(contents.shapes, LABELS)
    entries = None if name is None else contents.arrays.get(name)
    if entries is None or entries.ndim != 1 or entries.dtype.kind not in "iuU":
        return None
    matches = [IMAGE_IN_LINE.match(str(entry)) for entry in entries]
    if all(match and match[2] for match in matches):  # lines of an image and its class
        return np.array([match[2] for match in matches if match])
    return entries
