"""Which images there are, and of which class: a folder a class, or a CSV of names."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from operator import itemgetter
from pathlib import Path

import numpy as np

from zslcore.datasets.sandbox.client import MAX_CSV_BYTES
from zslcore.datasets.split_lists import files_by_class, holds_tree, read_split_lists
from zslcore.exceptions import DatasetError, FileRefusedError
from zslcore.texts import clean_text, expect

#: Endings of files that are taken for images; what a file is, its first bytes tell.
ENDINGS = (
    *(".jpg", ".jpeg", ".jpe", ".png", ".webp", ".bmp"),
    *(".gif", ".tif", ".tiff", ".ppm", ".pgm"),
)
#: Most images of one extraction, ten times those of ImageNet-21K.
MAX_IMAGES = 150_000_000


@dataclass(frozen=True, slots=True, eq=False)
class Listing:
    """Images with their classes, in the order in which they are extracted.

    ``files`` are paths below ``root``, with forward slashes, ``labels`` places in ``class_names``,
    which are sorted. ``left_out`` are files of the folders without the ending of an image;
    ``parts`` maps "trainval", "test_seen" and "test_unseen" to places in ``files``, where folders
    say it.
    """

    root: Path
    files: tuple[str, ...]
    labels: np.ndarray
    class_names: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    parts: Mapping[str, np.ndarray] = field(default_factory=dict)


def images_of_folder(folder: Path) -> Listing:
    """List the images of a folder that has a folder for every class; hidden files are passed over.

    Classes and images are in the order of their names, on every system. Where the folders are
    ``train`` and ``test``, each with a folder a class, they are the parts of a split. Raises a
    FileRefusedError when there is no such folder, or a link leads from it to a class elsewhere, and
    a DatasetError when it has no folder with an image in it.
    """
    if not folder.is_dir():
        raise FileRefusedError(f"{clean_text(folder)}: expected a folder with a folder a class.")
    if holds_tree(folder):
        return _of_tree(folder)
    files = sorted(files_by_class(folder, folder), key=itemgetter(1, 0))
    found = [(file, label) for file, label in files if file.lower().endswith(ENDINGS)]
    others = [file for file, _ in files if not file.lower().endswith(ENDINGS)]
    if not found:
        raise DatasetError(
            f"{clean_text(folder)}: expected a folder for every class, with images in it; got none."
        )
    return _listing(folder, found, others)


def _of_tree(folder: Path) -> Listing:
    """List the images of folders that are parts; of one split only where some class is unseen."""
    tree = read_split_lists(folder)
    parts = {part: rows for part, rows in tree.parts.items() if part not in ("train", "val")}
    whole = len(parts.get("trainval", ())) and len(parts.get("test_unseen", ()))
    return Listing(folder, tree.files, tree.labels, tree.class_names, parts=parts if whole else {})


def images_of_csv(path: Path, folder: Path) -> Listing:
    """List the images that a CSV names in its columns ``image_file`` and ``label``.

    ``image_file`` begins in ``folder``, and may not lead out of it. A FileRefusedError, for another
    file or a row without an image or a label, names the line.
    """
    name = clean_text(path.name)
    if not path.is_file() or path.stat().st_size > MAX_CSV_BYTES:
        raise FileRefusedError(f"{name}: expected a CSV file of at most {MAX_CSV_BYTES:,} bytes.")
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        rows = csv.DictReader(file)
        try:
            if not {"image_file", "label"} <= set(rows.fieldnames or ()):
                raise FileRefusedError(f"{name}: expected the columns image_file and label.")
            found = [_of_row(row, f"{name}, line {rows.line_num}", folder) for row in rows]
        except csv.Error as error:
            said = clean_text(str(error))
            raise FileRefusedError(f"{name}, line {rows.line_num}: {said}.") from None
    if not found:
        raise FileRefusedError(f"{name}: expected a line for every image; got none.")
    return _listing(folder, found, [])


def _of_row(row: dict[str, str | None], place: str, folder: Path) -> tuple[str, str]:
    file, label = (row.get("image_file") or "").strip(), (row.get("label") or "").strip()
    if not file or not label:
        raise FileRefusedError(f"{place}: expected an image and its label; got nothing.")
    inside = Path(os.path.normpath(file)).as_posix()
    if Path(file).is_absolute() or inside.startswith("../") or "\0" in file:
        expect(False, place, f"a path below {clean_text(folder.name)}", repr(clean_text(file)))
    return inside, label


def _listing(folder: Path, found: list[tuple[str, str]], others: list[str]) -> Listing:
    if len(found) > MAX_IMAGES:
        raise DatasetError(f"Expected at most {MAX_IMAGES:,} images; got {len(found):,}.")
    twice = [file for file, n in Counter(file for file, _ in found).items() if n > 1]
    if twice:
        raise DatasetError(f"{clean_text(twice[0])}: expected each image once; it is named twice.")
    cleaned = [clean_text(label) for _, label in found]
    names = sorted(set(cleaned))
    place = {name: number for number, name in enumerate(names)}
    if "" in place:
        raise DatasetError("Expected a class with a name; got one without printable letters.")
    return Listing(
        root=folder,
        files=tuple(file for file, _ in found),
        labels=np.array([place[label] for label in cleaned], dtype=np.int64),
        class_names=tuple(names),
        left_out=tuple(others),
    )
