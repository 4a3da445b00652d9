"""Feature matrices larger than memory, as folders with memory-mapped files.

A folder of shards has ``features.npy`` (float16 or float32), ``labels.npy`` (one class number per
row) and the manifest ``shards.json``, with digests of both files and of every part. A part is a
range of rows with their labels. A folder is written completely or not at all, and never changes;
opening it compares the files with the manifest (:mod:`zslcore.storage.artifacts`).

:class:`Shards` has the interface of an HDF5 data set: ``shape``, ``len``, and indexing by slices or
row numbers, which reads only the selected rows. :class:`zslcore.features.FeatureView` and
:func:`zslcore.features.chunks` accept it.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, Self

import numpy as np

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import require_finite
from zslcore.storage import artifacts
from zslcore.storage.arrays import RowFile
from zslcore.storage.artifacts import CorruptFolderError
from zslcore.storage.files import reraise_write_errors

ShardDtype = Literal["float16", "float32"]
#: Size of a part in bytes: large enough that opening a part takes far less time than processing it.
PART_BYTES = 256 << 20
#: Increased when the format of the files changes.
SCHEMA = 2
MANIFEST, FEATURES, LABELS = "shards.json", "features.npy", "labels.npy"


@dataclass(frozen=True, slots=True)
class ShardPart:
    """Rows ``start`` to ``stop`` of a matrix in shards; :meth:`features` maps them.

    ``digest`` is the first 16 hex digits of the SHA-256 of features and labels: parts with equal
    digests are equal, in any folder.
    """

    path: Path
    start: int
    stop: int
    digest: str

    def __len__(self) -> int:
        return self.stop - self.start

    def features(self) -> np.ndarray:
        """Return the rows, shape (len(part), n_features), mapped read-only.

        Raises CorruptFolderError if the file is missing or was changed.
        """
        mapped = _mapped(self.path)
        if len(mapped) < self.stop:
            raise CorruptFolderError(
                f"{self.path}: expected {self.stop:,} rows; got {len(mapped):,}"
            )
        return mapped[self.start : self.stop]


@dataclass(frozen=True, eq=False)
class Shards:
    """Rows of a folder of shards, read on access.

    Only the path and a few numbers are pickled; another process opens the folder again without
    verifying its files.

    Attributes
    ----------
    rows_per_part : number of rows of each part except the last
    digests : digests of the parts, in order
    """

    folder: Path
    rows_per_part: int
    digests: tuple[str, ...]

    ndim = 2

    @classmethod
    def open(cls, folder: str | Path, *, every_file: bool = False) -> Self:
        """Open a folder of shards after checking its files against the manifest.

        A file is hashed if its modification time differs from the manifest; ``every_file`` hashes
        all files. Raises DatasetError if the folder has no shards, and CorruptFolderError if a file
        is missing, changed, or unexpected.
        """
        folder = Path(folder).expanduser().resolve()
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            files, rows_per_part = manifest["files"], int(manifest["rows_a_part"])
            records = {name: dict(files[name]) for name in (FEATURES, LABELS)}
            if manifest["schema"] != SCHEMA or rows_per_part < 1:
                raise ValueError("schema")
            shards = cls(folder, rows_per_part, tuple(map(str, manifest["digests"])))
        except FileNotFoundError:
            raise DatasetError(
                f"{folder}: expected a folder of shards with its {MANIFEST}; found none."
            ) from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            raise CorruptFolderError(
                f"{folder / MANIFEST}: expected a manifest of this version; got other content."
            ) from None
        try:
            rehash = {"mtime_ns": None} if every_file else {}
            artifacts.verify(
                folder, {name: state | rehash for name, state in records.items()}, MANIFEST
            )
        except CorruptFolderError as error:
            raise CorruptFolderError(f"{folder}: {error}.") from None
        n, labels = len(shards.features), shards.labels
        if labels.shape != (n,) or labels.dtype.kind != "i" or labels.min() < 0:
            raise CorruptFolderError(
                f"{folder / LABELS}: expected one class number per row; got other values."
            )
        if len(shards.digests) != -(-n // rows_per_part):
            raise CorruptFolderError(f"{folder / MANIFEST}: expected a digest for every part.")
        return shards

    def __reduce__(self) -> tuple[type[Self], tuple[Path, int, tuple[str, ...]]]:
        return type(self), (self.folder, self.rows_per_part, self.digests)

    @cached_property
    def features(self) -> np.ndarray:
        """The whole matrix, mapped read-only."""
        return _mapped(self.folder / FEATURES)

    @cached_property
    def labels(self) -> np.ndarray:
        """Class numbers of the rows, int32, mapped read-only."""
        return _mapped(self.folder / LABELS)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and features."""
        n, n_features = self.features.shape
        return n, n_features

    @property
    def dtype(self) -> np.dtype:
        """Type of the stored features, float16 or float32."""
        return self.features.dtype

    @property
    def digest(self) -> str:
        """Digest of the content, independent of the size of parts, 16 hex digits."""
        return _short(hashlib.sha256("".join(self.digests).encode()))

    def parts(self) -> tuple[ShardPart, ...]:
        """Return the parts in order, without reading rows."""
        starts = range(0, len(self), self.rows_per_part)
        return tuple(
            ShardPart(
                self.folder / FEATURES, start, min(start + self.rows_per_part, len(self)), digest
            )
            for start, digest in zip(starts, self.digests, strict=True)
        )

    def __len__(self) -> int:
        return len(self.features)

    def __getitem__(self, key: slice | np.ndarray) -> np.ndarray:
        """Read the rows ``key`` (slice, row numbers or mask), in the stored precision."""
        return self.features[key]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[:].astype(dtype or self.dtype, copy=False)


def _mapped(path: Path) -> np.ndarray:
    try:
        return np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError) as error:
        raise CorruptFolderError(f"{path}: cannot be read ({type(error).__name__})") from error


def write_shards(
    folder: str | Path,
    blocks: Iterable[tuple[np.ndarray, np.ndarray]],
    *,
    dtype: ShardDtype = "float32",
    part_bytes: int = PART_BYTES,
) -> Shards:
    """Write features and labels as a folder of shards, completely or not at all, and open it.

    Only one block at a time is in memory.

    Parameters
    ----------
    folder : path of the new folder, which must not exist
    blocks : pairs of features (n, n_features) and labels (n,), in order of rows, of any length n
    dtype : "float32", or "float16" for files of half the size and three significant digits
    part_bytes : size of a part in bytes; a part has at least one row

    Raises
    ------
    DatasetError
        If shapes of blocks do not match, values are not finite or too large for ``dtype``, or
        labels are not class numbers from 0.
    ParameterError
        If ``folder`` exists, or ``dtype`` is invalid.
    ZSLError
        If the disk is full or read-only; the folder is removed.
    """
    folder = Path(folder).expanduser().resolve()
    if dtype not in ("float16", "float32"):
        raise ParameterError(f"Shards hold float16 or float32; got {dtype!r}.")
    if folder.exists():
        raise ParameterError(f"{folder}: already exists; expected a new folder for the shards.")
    with reraise_write_errors(str(folder)):
        artifacts.sweep(folder.parent.glob(f".{folder.name}.*/"))
        draft = artifacts.draft(folder.parent, f".{folder.name}.")
    writer = _Writer(draft, np.dtype(dtype), part_bytes)
    try:
        for features, labels in blocks:
            with reraise_write_errors(str(folder)):
                writer.add(np.asarray(features), np.asarray(labels))
        with reraise_write_errors(str(folder)):
            writer.close()
            draft.chmod(0o755)
            os.replace(draft, folder)
            artifacts.unmark_draft(folder)  # last: cleanup after a crash needs the mark
    except BaseException:
        writer.abandon()
        artifacts.discard(draft)
        raise
    return Shards.open(folder)


class _Writer:
    """Writer that appends blocks to the files, and hashes every part."""

    def __init__(self, folder: Path, dtype: np.dtype, part_bytes: int) -> None:
        self.folder, self.dtype, self.part_bytes = folder, dtype, part_bytes
        self.file: RowFile | None = None
        self.rows_per_part = 1
        self.labels: list[np.ndarray] = []
        self.digests: list[str] = []
        self.features_sha, self.labels_sha = hashlib.sha256(), hashlib.sha256()
        self.n_rows, self.n_features = 0, -1

    def add(self, X: np.ndarray, y: np.ndarray) -> None:
        self._check(X, y)
        if self.file is None:
            row_bytes = max(1, self.n_features * self.dtype.itemsize)
            self.rows_per_part = max(1, self.part_bytes // row_bytes)
            self.file = RowFile(self.folder / FEATURES, self.n_features, self.dtype)
        X, y = np.ascontiguousarray(X, self.dtype), y.astype(np.int32)
        self.file.append(X)
        self.labels.append(y)
        done = 0
        while done < len(X):
            end = min(len(X), done + self.rows_per_part - self.n_rows % self.rows_per_part)
            self.features_sha.update(X[done:end].data)
            self.labels_sha.update(y[done:end].data)
            self.n_rows += end - done
            done = end
            if self.n_rows % self.rows_per_part == 0:
                self._end_part()

    def abandon(self) -> None:
        """Close the open files, even if the disk is full."""
        if self.file is not None:
            with suppress(OSError, ValueError):
                self.file.close()

    def close(self) -> None:
        if self.file is None or not self.n_rows:
            raise DatasetError("Shards: expected at least one row; got none.")
        if self.n_rows % self.rows_per_part:
            self._end_part()
        self.file.close()
        np.save(self.folder / LABELS, np.concatenate(self.labels))
        files = artifacts.seal([self.folder / FEATURES, self.folder / LABELS])
        manifest = {
            "schema": SCHEMA,
            "rows_a_part": self.rows_per_part,
            "digests": self.digests,
            "files": files,
        }
        text = json.dumps(manifest, indent=1)
        (self.folder / MANIFEST).write_text(text, encoding="utf-8")

    def _end_part(self) -> None:
        content = self.dtype.str.encode() + self.features_sha.digest() + self.labels_sha.digest()
        self.digests.append(_short(hashlib.sha256(content)))
        self.features_sha, self.labels_sha = hashlib.sha256(), hashlib.sha256()

    def _check(self, X: np.ndarray, y: np.ndarray) -> None:
        if self.n_features < 0 and X.ndim == 2:
            self.n_features = X.shape[1]
        if X.ndim != 2 or X.shape[1] != self.n_features or y.shape != X.shape[:1]:
            raise DatasetError(
                f"Shards: expected blocks of features (n, {max(self.n_features, 0) or 'd'}) and "
                f"labels (n,); got {X.shape} and {y.shape} after {self.n_rows:,} rows."
            )
        require_finite(X, "Shards, features", self.n_rows)
        largest = float(np.finfo(self.dtype).max)
        if X.size and (most := float(np.abs(X).max())) > largest:
            raise DatasetError(
                f"Shards: {self.dtype.name} holds values up to {largest:g}; got {most:g} after "
                f"{self.n_rows:,} rows. Scale the features, or store them in float32."
            )
        if y.dtype.kind not in "iu":
            raise DatasetError(f"Shards: expected whole numbers as labels; got {y.dtype}.")
        if y.size and not 0 <= y.min() <= y.max() < 1 << 31:
            raise DatasetError(
                "Shards: expected labels that are class numbers from 0; "
                f"got {y.min()}..{y.max()} after {self.n_rows:,} rows."
            )


def _short(sha: Any) -> str:
    return sha.hexdigest()[:16]
