"""A finished map: the place of every image, its settings and its quality."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from os import PathLike
from typing import Any, BinaryIO

import numpy as np
import pandas as pd

from zslcore.analysis.maps.pca import JointPCA
from zslcore.analysis.maps.quality import MapQuality
from zslcore.analysis.maps.settings import MapSettings
from zslcore.storage.spreadsheets import harmless_csv
from zslcore.version import commit, stamped, version


@dataclass(frozen=True, eq=False)
class EmbeddedMap:
    """Coordinates of every chosen image.

    Arrays have a row an image: the data set (``part``), its row there, its class (row of
    ``class_names``, those of the first data set). The PCA is fitted on all rows of all data sets;
    ``mixing`` is that of :func:`zslcore.analysis.maps.mixing.mixing_scores`, empty for one set;
    ``libraries`` are those that decided on the coordinates, with versions, today's by default.
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
        """Write the table as Parquet, with settings and quality in its metadata."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        table = pa.Table.from_pandas(self.table(), preserve_index=False)
        meta = dict(table.schema.metadata or {}) | {b"about": json.dumps(self.about()).encode()}
        pq.write_table(table.replace_schema_metadata(meta), path)
