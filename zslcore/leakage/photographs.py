"""Groups of rows from one photograph, one video, or one picture with augmented copies.

Rows with equal names of image files share a photograph, for example as boxes cut from it; a pattern
extracts the part of the name that video frames or augmented copies share.

Some patterns practically never finish on a name of thirty characters, and Python blocks the whole
process while it searches. Patterns are therefore matched in the sandbox, with limits on time and
memory.
"""

from __future__ import annotations

import hashlib
import json
import re
import stat
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import compress
from os import PathLike
from pathlib import Path

import numpy as np

from zslcore.datasets.split_lists import MAX_VERSIONS, VERSION
from zslcore.exceptions import DatasetError, FileRefusedError, ParameterError
from zslcore.numbers import counted
from zslcore.storage import artifacts
from zslcore.texts import MATCHES, clean_text, refusal_of, search_pattern
from zslcore.untrusted.client import Role, read_arrays, read_value
from zslcore.untrusted.worker import Refused, call

#: Columns of a CSV that identify photographs; the first one present is used.
GROUP_COLUMNS = ("group", "image_file")
VARIABLES: dict[str, Role] = {"groups": "numbers", "image_files": "paths"}
MAX_TEXT = 64 << 20
#: Maximum number of rows of a list or a CSV of groups, far below the 14 million images of
#: ImageNet-21K.
MAX_ROWS = 2_000_000
MAX_PATTERN = 200
#: A size at the end of the name of an image.
SIZE_AT_END = re.compile(r"[ _-](\d{2,4}(?:x\d{2,4}|px)?)$")
#: A mark of a copy at the end of the name of an image.
COPY_AT_END = re.compile(
    r"(?:@\dx|[ _-]*(?:\(\d+\)|[ _-](?:copy|kopie|flip(?:ped)?|(?:aug|crop|rot|frame)[_-]?\d+)))+$",
    re.IGNORECASE,
)
#: Name of a part in the folder of an image.
PART_IN_FOLDER = re.compile(r"train(?:val|ing)?|test|val(?:idation)?|base|new")
#: Limits of image files that are compared: number, total bytes of files of equal size, and smallest
#: size in bytes; smaller files are placeholders.
MAX_FILES, MAX_BYTES, MIN_BYTES = 200_000, 1 << 30, 32
#: Limits for all names together: bytes, and CPU seconds (usual patterns take 0.01 s).
MEMORY, SECONDS = 1 << 30, 2


def first_groups(names: Sequence[str], pattern: str, *, seconds: int = SECONDS) -> list[str | None]:
    """Return the first group of ``pattern`` in each name; None without a match.

    ``seconds`` limits the CPU time for all names together. Raises ParameterError for a
    pattern that is not a regular expression of at most 200 characters, has no group, takes too
    long, or matches no name.
    """
    subject = f"Pattern {clean_text(pattern)!r}"
    if len(pattern) > MAX_PATTERN:
        raise ParameterError(
            f"{subject}: expected at most {MAX_PATTERN} characters; got {len(pattern)}."
        )
    try:
        with artifacts.scratch() as folder:
            refused = call(
                search_pattern,
                list(names),
                pattern,
                files=(),
                out=folder,
                memory=MEMORY,
                seconds=seconds,
            )
            groups: list[str | None] = (
                [] if refused else json.loads((folder / MATCHES).read_bytes())
            )
    except Refused:
        raise ParameterError(
            f"{subject}: takes more than {seconds} s for {len(names):,} names; use a simpler "
            "pattern."
        ) from None
    if refused:
        raise ParameterError(f"{subject}: {clean_text(refused)}.")
    if not any(groups):
        example = f", the first of which is {clean_text(names[0])!r}" if names else ""
        raise ParameterError(f"{subject}: its first group matches none of the names{example}.")
    return groups


@dataclass(frozen=True, slots=True, eq=False)
class Photographs:
    """Photograph of each row; rows with the same ``number`` share a photograph.

    ``names`` are indexed by number; ``by_name`` is true if only names of files were compared.
    """

    number: np.ndarray
    source: str
    names: tuple[str, ...] = ()
    by_name: bool = True

    @classmethod
    def of_names(cls, names: Sequence[str], source: str, pattern: str | None = None) -> Photographs:
        """Identify photographs by one file name per row; rows without a name share no photograph.

        For example, ``(.*)_aug[0-9]+`` extracts the photograph ``cat_001`` from
        ``cat_001_aug3.jpg``; a name without a match is used in full. Raises the errors of
        :func:`first_groups`, and DatasetError if all names are equal.
        """
        texts = [str(name) for name in names]
        if pattern:
            groups = first_groups(texts, pattern)
            n_unmatched = sum(part is None for part in groups)
            texts = [
                name if part is None else part for name, part in zip(texts, groups, strict=True)
            ]
            source = f"{source}, by the pattern {clean_text(pattern)!r}"
            source += f" (not found in {counted(n_unmatched, 'name')})" if n_unmatched else ""
        distinct, number = np.unique(np.array(texts, dtype=object), return_inverse=True)
        if len(texts) > 1 and len(distinct) == 1:
            raise DatasetError(
                f"{source}: expected different image file names; got {clean_text(distinct[0])!r} "
                f"for all {len(texts):,} rows."
            )
        number = number.astype(np.intp)
        nameless = np.flatnonzero([not text for text in texts])
        number[nameless] = len(distinct) + np.arange(len(nameless))
        names = (*(clean_text(name) for name in distinct), *[""] * len(nameless))
        return cls(number, source, names)

    @property
    def n(self) -> int:
        """Number of photographs."""
        return len(np.unique(self.number))

    def name(self, number: int) -> str:
        """Return the name of a photograph, or its number if it has no name."""
        named = self.names[number] if number < len(self.names) else ""
        return named or f"photograph {number}"


def versions_of_images(
    names: Sequence[str], trained: Sequence[str], tested: Sequence[str]
) -> list[tuple[str, str]]:
    """Return pairs of a training and a test name that differ only in a size or the mark of a copy.

    Names are paths. At most MAX_VERSIONS different sizes in ``names`` count as versions.

    Examples
    --------
    >>> trained, tested = ["256/bat/1.jpg", "256/bat/2.jpg"], ["512/bat/2.jpg", "512/bat/3.jpg"]
    >>> versions_of_images([*trained, *tested], trained, tested)
    [('256/bat/2.jpg', '512/bat/2.jpg')]
    >>> versions_of_images([], ["bat/1.jpg"], ["bat/1_flip.jpg", "bat/2_flip.jpg"])
    [('bat/1.jpg', 'bat/1_flip.jpg')]
    """
    at_end = False
    if all(SIZE_AT_END.search(_parts_of(name)[1]) for name in names):
        sizes = (SIZE_AT_END.search(_parts_of(name)[1]) for name in names)
        at_end = len({size[1] for size in sizes if size}) <= MAX_VERSIONS
    in_folder = len({*map(_versions, {_parts_of(name)[0] for name in names})}) <= MAX_VERSIONS

    def key_of(name: str) -> tuple[str, str]:
        folder, stem = _parts_of(name)
        stem = SIZE_AT_END.sub("", stem) if at_end else stem
        stem = remove_copy_mark(stem)
        return _remove_version(folder) if in_folder else folder, stem

    by_key = {key_of(name): name for name in reversed(trained)}
    pairs = [(by_key[key], name) for name in tested if (key := key_of(name)) in by_key]
    folders = ((_parts_of(a)[0], _parts_of(b)[0]) for a, b in pairs)
    are_versions = [a == b or _versions(a) != _versions(b) for a, b in folders]
    return [*compress(pairs, are_versions)]


def remove_copy_mark(stem: str) -> str:
    """Return the name of an image without the mark of a copy, if a number is left.

    >>> remove_copy_mark("img_0001_aug2"), remove_copy_mark("crop_3")
    ('img_0001', 'crop_3')
    """
    bare = COPY_AT_END.sub("", stem)
    return bare if any(map(str.isdigit, bare)) else stem


def _parts_of(name: str) -> tuple[str, str]:
    """Return the folder of a path, and its file without the suffix."""
    folder, _, file = name.replace("\\", "/").rpartition("/")
    return folder, file.rpartition(".")[0] or file


@lru_cache(maxsize=1 << 12)
def _remove_version(folder: str) -> str:
    """Remove sizes and qualities from a folder and, if it has any, also the part."""
    bare = VERSION.sub("", folder)
    return PART_IN_FOLDER.sub("", bare) if bare != folder else folder


def _versions(folder: str) -> tuple[str, ...]:
    """Return the words for sizes and qualities in a folder."""
    return tuple(VERSION.findall(folder))


def photographs_in_files(
    folder: Path, files: Sequence[str], checksums: Mapping[str, str]
) -> Photographs | None:
    """Identify photographs by the contents of image files; None if they cannot be compared.

    They can be compared if all ``files`` have ``checksums``, or all are regular files below
    ``folder`` or below its folder "images". Only files of equal size are read, at most
    ``MAX_BYTES`` in total.
    """
    if not 1 < len(files) <= MAX_FILES:
        return None
    contents: list[object] = [checksums.get(file) for file in files]
    source = "the listed checksums"
    if None in contents:
        base = folder if (folder / files[0]).is_file() else folder / "images"
        source = "the contents of the image files"
        try:
            contents = _contents_of(base.resolve(), files)
        except (OSError, ValueError):  # a name with a null byte is invalid
            return None
    if len({*contents}) < 2:  # files that are all equal are placeholders
        return None
    name_of: dict[object, str] = {}
    names = [name_of.setdefault(*pair) for pair in zip(contents, files, strict=True)]
    return replace(Photographs.of_names(names, source), by_name=False)


def _contents_of(folder: Path, files: Sequence[str]) -> list[object]:
    """Return a digest of each file, or its number if its size differs from all others.

    The list is empty if a file is outside the folder, not a regular file, or too small, or if the
    files are too large.
    """
    paths = [folder / file for file in files]
    if not all(parent.resolve().is_relative_to(folder) for parent in {p.parent for p in paths}):
        return []
    status = [path.lstat() for path in paths]
    times = Counter(file.st_size for file in status)
    n_bytes = sum(size * n for size, n in times.items() if n > 1)
    if n_bytes > MAX_BYTES or min(times) < MIN_BYTES:
        return []
    if not all(stat.S_ISREG(file.st_mode) for file in status):
        return []
    contents: list[object] = []
    for k, (path, file) in enumerate(zip(paths, status, strict=True)):
        contents.append(k)
        if times[file.st_size] > 1:
            with path.open("rb") as opened:
                contents[k] = hashlib.file_digest(opened, "sha256").digest()
    return contents


# --- From files, columns and arrays ---------------------------------------------------------------


#: Photographs of the rows: a :class:`Photographs`, or one number or name per row, or the path of a
#: file with these numbers or names.
GroupSource = Photographs | np.ndarray | Sequence[int] | Sequence[str] | str | PathLike[str]


def photographs_of(
    groups: GroupSource | None,
    pattern: str | None = None,
    image_files: Sequence[str] = (),
    source: str = "image_files of the data set",
) -> Photographs | None:
    """Return the photograph of each row; None if nothing identifies the photographs.

    ``groups`` is one number or name per row, or a file with them: one name per line (``.txt``), a
    CSV with one column, or with a column ``group`` or ``image_file``, or ``.mat``, ``.npz`` or HDF5
    with ``groups`` or ``image_files``. Without ``groups``, the ``image_files`` are compared. Raises
    ParameterError for a pattern without names to search, and another ZSLError if a file is
    unreadable or all names in ``groups`` are equal.
    """
    if isinstance(groups, Photographs):
        return groups
    if isinstance(groups, (str, PathLike)):
        path = Path(groups)
        return _photographs_of_values(_read_groups(path), clean_text(path.name), pattern)
    if groups is not None:
        return _photographs_of_values(groups, "given groups", pattern)
    if image_files:
        try:
            return Photographs.of_names(image_files, source, pattern)
        except DatasetError:  # all names are equal, and the user did not give them
            return None
    if pattern:
        raise ParameterError(
            "A pattern for names needs names: expected image_files in one of the files, or groups "
            "(--groups); got none."
        )
    return None


def _photographs_of_values(
    values: np.ndarray | Sequence[int] | Sequence[str], source: str, pattern: str | None
) -> Photographs:
    array = np.asarray(values)
    if array.ndim != 1 or array.dtype.kind not in "iuUO":
        raise DatasetError(
            f"{source}: expected one whole number or name per row; got shape {array.shape} of "
            f"{array.dtype}."
        )
    if array.dtype.kind in "iu" and not pattern:
        number = np.unique(array, return_inverse=True)[1].astype(np.intp)
        return Photographs(number, source, by_name=False)
    return Photographs.of_names(array.tolist(), source, pattern)


def _read_groups(path: Path) -> np.ndarray | list[str]:
    """Read a list of names, a column of a CSV, or an array."""
    if path.suffix.lower() in (".txt", ".csv"):
        return _read_lines_of_groups(path)
    name = clean_text(path.name)
    read = read_arrays(path, VARIABLES, required=())
    if "groups" in read.arrays:
        return read.arrays["groups"]
    if "image_files" not in read.names:
        raise FileRefusedError(f"{name}: expected the variable 'groups' or 'image_files'.")
    return list(read.names["image_files"])


def _read_lines_of_groups(path: Path) -> list[str]:
    name = clean_text(path.name)
    if not path.is_file():
        raise FileRefusedError(f"{name}: expected a file with one group per row; found none.")
    if path.suffix.lower() == ".txt":
        lines = read_value(path, "lines", max_bytes=MAX_TEXT, max_items=MAX_ROWS)
        return [line.strip() for line in lines]
    header, *rows = read_value(path, "CSV", max_bytes=MAX_TEXT, max_items=MAX_ROWS) or [[]]
    only = 0 if len(header) == 1 else None
    column = next((header.index(name) for name in GROUP_COLUMNS if name in header), only)
    if column is None:
        got = ", ".join(map(clean_text, header[:6])) or "nothing"
        raise refusal_of(
            f"{name}, line 1", f"a column {' or '.join(map(repr, GROUP_COLUMNS))}", got
        )
    return [row[column].strip() if column < len(row) else "" for row in rows if row]
