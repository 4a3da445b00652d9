"""A feature matrix as a folder of mapped parts, read in place.

A folder of shards holds ``part-00000.npy``, ``part-00001.npy`` and so on (rows in C order, float16
or float32, about 256 MB each), ``labels.npy`` (one class number a row) and ``shards.json``, the
manifest: by what each file is known, and the content of every part. It is written whole or not at
all and never changes; opening it compares every file with the manifest
(:mod:`zslcore.storage.artifacts`).

A :class:`Shards` is used wherever an HDF5 data set is: it has ``shape`` and ``len``, slices and row
numbers read nothing but these rows, and :class:`zslcore.features.views.FeatureView` and
:func:`zslcore.features.views.chunks` take it.
"""

from __future__ import annotations

import hashlib
import json
import os
from bisect import bisect_right
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal, Self

import numpy as np

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.checks import require_finite
from zslcore.storage import artifacts
from zslcore.storage.artifacts import TornError
from zslcore.storage.files import or_refused

__all__ = ["Part", "ShardDtype", "Shards", "write_shards"]

ShardDtype = Literal["float16", "float32"]
#: Bytes of a part: large enough that opening one costs nothing, small enough to be lost.
PART_BYTES = 256 << 20
#: Counted up when the files of a folder change their meaning.
SCHEMA = 1
MANIFEST, LABELS = "shards.json", "labels.npy"


@dataclass(frozen=True, slots=True)
class Part:
    """One shard: its file, its rows and its digest.

    Attributes
    ----------
    number : int, its place, from 0
    path : of the file; read by :meth:`features`
    start, stop : int, its rows in the whole matrix
    digest : SHA-256 of its features and labels, 16 hex digits: parts with one digest are alike,
        in whatever folder they lie
    """

    number: int
    path: Path
    start: int
    stop: int
    digest: str

    def __len__(self) -> int:
        return self.stop - self.start

    def features(self) -> np.memmap:
        """Return its rows, shape (len(part), n_features), mapped read-only.

        Raises
        ------
        TornError
            When the file is gone or is not what it was.
        """
        try:
            mapped = np.load(self.path, mmap_mode="r", allow_pickle=False)
        except (OSError, ValueError) as error:
            raise TornError(f"{self.path}: cannot be read ({type(error).__name__})") from error
        if len(mapped) != len(self):
            raise TornError(f"{self.path}: has {len(mapped):,} rows; expected {len(self):,}")
        return mapped


class Shards:
    """The rows of a folder of shards as one matrix, read on access.

    Workers on other machines receive one as a few names: it opens again where it arrives, and
    what was verified once is not verified again.

    Attributes
    ----------
    folder : Path
    labels : int32 array of shape (n_rows,), read-only
    shape : (n_rows, n_features)
    dtype : float16 or float32, as the parts are stored
    digest : str, over the digests of all parts in their order, 16 hex digits
    """

    ndim = 2

    def __init__(self, folder: Path, manifest: dict[str, Any]) -> None:
        self.folder, self._manifest = folder, manifest
        self.dtype = np.dtype(manifest["dtype"])
        rows = [int(part["rows"]) for part in manifest["parts"]]
        if min(rows) < 1:
            raise ValueError("a part without rows")
        ends = np.cumsum(rows).tolist()
        starts = [0, *ends[:-1]]
        self._parts = tuple(
            Part(k, folder / Path(part["file"]).name, start, stop, str(part["digest"]))
            for k, (part, start, stop) in enumerate(
                zip(manifest["parts"], starts, ends, strict=True)
            )
        )
        self.shape: tuple[int, int] = (ends[-1], int(manifest["n_features"]))
        self._maps: dict[int, np.memmap] = {}

    @classmethod
    def open(cls, folder: str | Path, *, every_file: bool = False) -> Self:
        """Open a folder whose files are what its manifest says.

        A part is hashed again where its modification time is not the one recorded, and in any case
        with ``every_file``.

        Raises
        ------
        DatasetError
            When the folder holds no shards.
        TornError
            When a file is missing, was changed, or does not belong there.
        """
        folder = Path(folder).expanduser().resolve()
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            known = {str(name): dict(state) for name, state in manifest["files"].items()}
            shards = cls(folder, manifest)
            if manifest["schema"] != SCHEMA or {p.path.name for p in shards._parts} >= set(known):
                raise ValueError("schema")
        except FileNotFoundError:
            raise DatasetError(
                f"{folder}: expected a folder of shards with its {MANIFEST}; there is none."
            ) from None
        except (OSError, ValueError, KeyError, TypeError, IndexError, AttributeError):
            raise TornError(f"{folder / MANIFEST}: is no manifest of this version.") from None
        try:
            anew = {"mtime_ns": None} if every_file else {}
            artifacts.verify(
                folder, {name: state | anew for name, state in known.items()}, MANIFEST
            )
        except TornError as error:
            raise TornError(f"{folder}: {error}.") from None
        shards._check()
        return shards

    def _check(self) -> None:
        """Refuse files that are known, and are not what the manifest says of them."""
        labels = self.labels
        if labels.shape != self.shape[:1] or labels.dtype.kind != "i" or labels.min() < 0:
            raise TornError(f"{self.folder / LABELS}: does not hold one class number a row.")
        for part in self._parts:
            there = part.features()
            if there.shape[1:] != self.shape[1:] or there.dtype != self.dtype:
                raise TornError(
                    f"{part.path}: expected {self.n_features} features in {self.dtype}; got "
                    f"{there.shape[1:]} in {there.dtype}."
                )

    def __reduce__(self) -> tuple[type[Self], tuple[Path, dict[str, Any]]]:
        return type(self), (self.folder, self._manifest)

    @cached_property
    def labels(self) -> np.ndarray:
        """Class number of every row, int32, mapped read-only."""
        return np.load(self.folder / LABELS, mmap_mode="r", allow_pickle=False)

    @property
    def digest(self) -> str:
        """What the content is known by, whatever the sizes of the files say."""
        return _short(hashlib.sha256("".join(part.digest for part in self._parts).encode()))

    @property
    def n_rows(self) -> int:
        """Number of rows of all parts."""
        return self.shape[0]

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return self.shape[1]

    def parts(self) -> tuple[Part, ...]:
        """Return the parts in their order; nothing is read."""
        return self._parts

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, key: slice | np.ndarray) -> np.ndarray:
        """Read rows ``key`` (slice, row numbers or a mask), in the precision they are stored in."""
        if isinstance(key, slice):
            start, stop, step = key.indices(self.n_rows)
            if step == 1:
                return self._between(start, max(start, stop))
            key = np.arange(start, stop, step)
        rows = np.asarray(key)
        rows = np.flatnonzero(rows) if rows.dtype == bool else rows
        if rows.size and not 0 <= rows.min() <= rows.max() < self.n_rows:
            raise DatasetError(
                f"{self.folder}: row numbers must lie in 0..{self.n_rows - 1}; "
                f"got {rows.min()}..{rows.max()}."
            )
        out = np.empty((len(rows), self.n_features), self.dtype)
        of_part = np.searchsorted([part.stop for part in self._parts], rows, side="right")
        for k in np.unique(of_part):
            here = of_part == k
            out[here] = self._map(int(k))[rows[here] - self._parts[k].start]
        return out

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[:].astype(dtype or self.dtype, copy=False)

    def _between(self, start: int, stop: int) -> np.ndarray:
        first = bisect_right([part.stop for part in self._parts], start)
        blocks = []
        for k in range(first, len(self._parts)):
            part = self._parts[k]
            if part.start >= stop:
                break
            blocks.append(self._map(k)[max(start - part.start, 0) : stop - part.start])
        if len(blocks) == 1:
            return blocks[0]
        empty = np.empty((0, self.n_features), self.dtype)
        return np.concatenate([empty, *blocks])

    def _map(self, k: int) -> np.memmap:
        if k not in self._maps:
            self._maps[k] = self._parts[k].features()
        return self._maps[k]


def write_shards(
    folder: str | Path,
    blocks: Iterable[tuple[np.ndarray, np.ndarray]],
    *,
    dtype: ShardDtype = "float32",
    part_bytes: int = PART_BYTES,
) -> Shards:
    """Write features and labels as a folder of shards, whole or not at all, and open it.

    Memory stays at one block, and disk space at that of the rows.

    Parameters
    ----------
    folder : where they will be; nothing may be there yet
    blocks : iterable of (features (n, n_features), labels (n,))
        In the order of the rows, as an extraction makes them or a file is read; of any lengths.
    dtype : "float32" or "float16"
        float16 halves the files and keeps three digits.
    part_bytes : int, default=256 MiB
        Size of a part, at least one row.

    Raises
    ------
    DatasetError
        When blocks do not fit together, hold values that are not finite or too large for ``dtype``,
        or labels are no class numbers.
    ParameterError
        When ``folder`` is there already, or ``dtype`` is none of the two.
    ZSLError
        When the disk is full or read-only; nothing of the folder stays.
    """
    folder = Path(folder).expanduser().resolve()
    if dtype not in ("float16", "float32"):
        raise ParameterError(f"Shards hold float16 or float32; got {dtype!r}.")
    if folder.exists():
        raise ParameterError(f"{folder}: is there already; expected a new folder for the shards.")
    with or_refused(str(folder)):
        artifacts.sweep(folder.parent.glob(f".{folder.name}.*/"))
        draft = artifacts.draft(folder.parent, f".{folder.name}.")
    writer = _Writer(draft, np.dtype(dtype), part_bytes)
    try:
        for features, labels in blocks:
            with or_refused(str(folder)):
                writer.add(np.asarray(features), np.asarray(labels))
        with or_refused(str(folder)):
            writer.close()
            draft.chmod(0o755)
            os.replace(draft, folder)
            artifacts.disown(folder)  # last: a draft without its mark would never be swept
    except BaseException:
        writer.abandon()
        artifacts.discard(draft)
        raise
    return Shards.open(folder)


class _Writer:
    """Fills parts one after the other and says what is in them."""

    def __init__(self, folder: Path, dtype: np.dtype, part_bytes: int) -> None:
        self.folder, self.dtype, self.part_bytes = folder, dtype, part_bytes
        self.parts: list[dict[str, Any]] = []
        self.labels: list[np.ndarray] = []
        self.open: BinaryIO | None = None
        self.n_rows = self.room = self.filled = 0
        self.n_features = -1

    def add(self, X: np.ndarray, y: np.ndarray) -> None:
        """Write a block, into as many parts as it takes."""
        self._check(X, y)
        self.labels.append(y.astype(np.int32))
        done = 0
        while done < len(X):
            file = self.open or self._begin()
            n = min(len(X) - done, self.room - self.filled)
            # Written, not mapped: a full disk ends a process that writes to mapped pages.
            file.write(np.ascontiguousarray(X[done : done + n], dtype=self.dtype).data)
            self.filled += n
            self.n_rows += n
            done += n
            if self.filled == self.room:
                self._finish()

    def _begin(self) -> BinaryIO:
        """Open the next part, whose header says that it is full."""
        self.room = max(1, self.part_bytes // max(1, self.n_features * self.dtype.itemsize))
        self.filled = 0
        self.open = self._path.open("xb")
        header = np.lib.format.header_data_from_array_1_0(np.empty((0, 0), self.dtype))
        header["shape"] = (self.room, self.n_features)
        np.lib.format.write_array_header_1_0(self.open, header)
        return self.open

    def abandon(self) -> None:
        """Close what is open; what it still holds may find no room."""
        if self.open is not None:
            with suppress(OSError):
                self.open.close()

    def close(self) -> None:
        """Finish the last part; write labels and manifest."""
        if self.open is not None:
            self._finish()
        if not self.n_rows:
            raise DatasetError("Shards: expected at least one row, got none.")
        labels = np.concatenate(self.labels)
        start = 0
        for part in self.parts:
            of_part = labels[start : start + part["rows"]]
            start += part["rows"]
            both = hashlib.sha256(bytes.fromhex(part.pop("sha256")) + of_part.tobytes())
            part["digest"] = _short(both)
        np.save(self.folder / LABELS, labels)
        sealed = artifacts.seal([self.folder / LABELS])
        files = {part["file"]: part.pop("state") for part in self.parts} | sealed
        manifest = {
            "schema": SCHEMA,
            "dtype": self.dtype.name,
            "n_features": self.n_features,
            "parts": self.parts,
            "files": files,
        }
        text = json.dumps(manifest, indent=1)
        (self.folder / MANIFEST).write_text(text, encoding="utf-8")

    @property
    def _path(self) -> Path:
        return self.folder / f"part-{len(self.parts):05d}.npy"

    def _finish(self) -> None:
        """Cut the open part to the rows it holds, bring it to the disk and hash it."""
        assert self.open is not None
        path, start = self._path, self.open.tell()
        self.open.close()
        self.open = None
        if self.filled < self.room:  # the last one
            start -= self.filled * self.n_features * self.dtype.itemsize
            shape, shorter = (self.filled, self.n_features), path.with_suffix(".cut.npy")
            np.save(shorter, np.memmap(path, self.dtype, "r", start, shape))
            os.replace(shorter, path)
        (state,) = artifacts.seal([path]).values()
        part = {"file": path.name, "rows": self.filled, "state": state, "sha256": state["sha256"]}
        self.parts.append(part)

    def _check(self, X: np.ndarray, y: np.ndarray) -> None:
        """Refuse a block that does not fit the others or cannot be stored."""
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
            raise DatasetError(f"Shards: expected labels that are whole numbers; got {y.dtype}.")
        if y.size and not 0 <= y.min() <= y.max() < 1 << 31:
            raise DatasetError(
                "Shards: expected labels that are class numbers from 0; "
                f"got {y.min()}..{y.max()} after {self.n_rows:,} rows."
            )


def _short(sha: Any) -> str:
    return sha.hexdigest()[:16]
