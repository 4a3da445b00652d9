"""A finished map: the place of every image, its settings and its quality."""

from __future__ import annotations

import hashlib
import json
import zipfile
from dataclasses import asdict, dataclass, field
from io import StringIO
from os import PathLike
from pathlib import Path
from typing import Any, BinaryIO, Self

import numpy as np
import pandas as pd

from zslcore.analysis.maps.pca import JointPCA
from zslcore.analysis.maps.quality import MapQuality
from zslcore.analysis.maps.settings import MapSettings
from zslcore.exceptions import FileRefusedError
from zslcore.storage.files import written_whole
from zslcore.storage.spreadsheets import harmless_csv
from zslcore.version import commit, stamped, version

__all__ = ["EmbeddedMap"]

_ARRAYS = ("coordinates", "part", "row", "labels", "mean", "components", "variance")


@dataclass(frozen=True, eq=False)
class EmbeddedMap:
    """Coordinates of every chosen image.

    Attributes
    ----------
    names : names of the one or two data sets
    digests : content digest of each
    settings : MapSettings
    class_names : names of the classes, as in the first data set
    coordinates : float32 array of shape (n, 2)
    part : uint8 array of shape (n,), which data set
    row : int32 array of shape (n,), the row there
    labels : int32 array of shape (n,), rows of ``class_names``
    pca : JointPCA, fitted on all rows of all data sets
    quality : MapQuality
    mixing : DataFrame of :func:`zslcore.analysis.maps.mixing.mixing_scores`; empty for one set
    seconds : wall time of every step
    libraries : name and version of those that decided on the coordinates; today's by default
    """

    names: tuple[str, ...]
    digests: tuple[str, ...]
    settings: MapSettings
    class_names: tuple[str, ...]
    coordinates: np.ndarray
    part: np.ndarray
    row: np.ndarray
    labels: np.ndarray
    pca: JointPCA
    quality: MapQuality
    mixing: pd.DataFrame
    seconds: dict[str, float] = field(default_factory=dict)
    libraries: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.libraries:
            object.__setattr__(self, "libraries", self.settings.libraries)
        for array in (self.coordinates, self.part, self.row, self.labels):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.coordinates)

    # --- To take away -----------------------------------------------------------------------------

    def table(self) -> pd.DataFrame:
        """Return one row per image: data_set, row, class, x, y."""
        names = np.asarray(self.names, dtype=object)
        classes = np.asarray(self.class_names, dtype=object)
        return pd.DataFrame(
            {
                "data_set": pd.Categorical(names[self.part], categories=list(self.names)),
                "row": self.row,
                "class": pd.Categorical(classes[self.labels], categories=list(self.class_names)),
                "x": self.coordinates[:, 0],
                "y": self.coordinates[:, 1],
            }
        )

    def about(self) -> dict[str, Any]:
        """Return everything but the coordinates, ready for JSON."""
        return {
            "data_sets": [
                {"name": name, "digest": digest}
                for name, digest in zip(self.names, self.digests, strict=True)
            ],
            "settings": asdict(self.settings),
            "libraries": self.libraries,
            "version": version(),
            "commit": commit(),
            "images": len(self),
            "variance_kept": float(self.pca.explained.sum()),
            "quality": asdict(self.quality),
            "mixing": json.loads(self.mixing.to_json(orient="records", double_precision=15)),
            "seconds": self.seconds,
        }

    def to_csv(self) -> str:
        """Return the table as CSV."""
        return harmless_csv(stamped(self.table()), index=False, float_format="%.6g")

    def to_json(self) -> str:
        """Return table, settings and quality as JSON."""
        table = self.table().astype({"data_set": str, "class": str})
        return json.dumps(self.about() | {"map": table.to_dict(orient="list")})

    def to_parquet(self, path: str | PathLike[str] | BinaryIO) -> None:
        """Write the table as Parquet, with settings and quality in its metadata.

        Parameters
        ----------
        path : path or writable binary file
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pandas(self.table(), preserve_index=False)
        meta = dict(table.schema.metadata or {}) | {b"about": json.dumps(self.about()).encode()}
        pq.write_table(table.replace_schema_metadata(meta), path)

    # --- To keep ----------------------------------------------------------------------------------

    def save(self, path: Path, key: str) -> None:
        """Write the map in one step under the key of its request."""
        arrays = self._arrays()
        about = self._about_arrays() | {"key": key}
        about["sha256"] = _sealed(arrays, about)
        with written_whole(path) as file:
            np.savez(file, allow_pickle=False, about=np.array(json.dumps(about)), **arrays)

    @classmethod
    def load(cls, path: Path, key: str | None = None) -> Self:
        """Read what :meth:`save` wrote.

        Raises
        ------
        FileRefusedError
            When the file is torn, was changed, or is the answer to another question than ``key``.
        """
        try:
            with path.open("rb") as file, np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in _ARRAYS}
                about = json.loads(str(archive["about"]))
            seal = about.pop("sha256")
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile) as torn:
            raise FileRefusedError(
                f"{path.name} is not a whole map ({type(torn).__name__}); compute it again."
            ) from torn
        if seal != _sealed(arrays, about):
            raise FileRefusedError(
                f"{path.name}: its content does not match its digest; compute it again."
            )
        if key is not None and about["key"] != key:
            raise FileRefusedError(
                f"{path.name} is the map {about['key']}, expected {key}; compute it again."
            )
        return cls._from(arrays, about)

    def _arrays(self) -> dict[str, np.ndarray]:
        pca = self.pca
        own = {name: getattr(self, name) for name in _ARRAYS[:4]}
        of_pca = {name: getattr(pca, name) for name in _ARRAYS[4:]}
        return own | of_pca

    def _about_arrays(self) -> dict[str, Any]:
        return {
            "names": self.names,
            "digests": self.digests,
            "settings": asdict(self.settings),
            "class_names": self.class_names,
            "total": self.pca.total,
            "quality": asdict(self.quality),
            "mixing": self.mixing.to_json(orient="split", double_precision=15),
            "seconds": self.seconds,
            "libraries": self.libraries,
        }

    @classmethod
    def _from(cls, arrays: dict[str, np.ndarray], about: dict[str, Any]) -> Self:
        mean, components, variance = (arrays.pop(name) for name in _ARRAYS[4:])
        return cls(
            names=tuple(about["names"]),
            digests=tuple(about["digests"]),
            settings=MapSettings(**about["settings"]),
            class_names=tuple(about["class_names"]),
            pca=JointPCA(mean, components, variance, about["total"]),
            quality=MapQuality(**about["quality"]),
            mixing=pd.read_json(StringIO(about["mixing"]), orient="split", precise_float=True),
            seconds=about["seconds"],
            # A file that names none was found by its key, of which today's are a part.
            libraries=about.get("libraries", {}),
            **arrays,
        )


def _sealed(arrays: dict[str, np.ndarray], about: dict[str, Any]) -> str:
    """Return the SHA-256 over everything that is stored."""
    sha = hashlib.sha256(json.dumps(about, sort_keys=True).encode())
    for name in _ARRAYS:
        array = np.ascontiguousarray(arrays[name])
        sha.update(f"{name}{array.shape}{array.dtype}".encode())
        sha.update(array.data)
    return sha.hexdigest()
