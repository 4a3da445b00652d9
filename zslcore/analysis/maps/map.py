"""Maps with their quality, nearest images, images in an outline, and predictions."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from math import nan
from os import PathLike
from typing import Any, BinaryIO, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from zslcore.analysis.maps.joint_pca import JointPCA, MapData
from zslcore.analysis.maps.layout import (
    EARLY_ITERATIONS,
    METHOD_NAMES,
    MIN_INTERPOLATED,
    MapSettings,
    ShowPicture,
    lay_out,
)
from zslcore.analysis.maps.quality import MapQuality, map_quality, mixing_scores, neighbours
from zslcore.analysis.study import MANIFEST, SHIPPED, Study, shipped_folder
from zslcore.datasets import load
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.evaluation.predicted_tests import ScoredTest
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import FeatureView, project, squared_distances
from zslcore.progress import Progress, silent
from zslcore.storage.tables import harmless_csv
from zslcore.version import commit, stamped, version

#: Number of neighbours in all measures of quality.
K = 15
#: Quality of a map that is not measured yet.
UNMEASURED = MapQuality(0, 0, nan, nan, nan, nan, nan)
#: Seconds on two cores. START: every map; PCA: per row and squared number of features; NEIGHBOURS:
#: per pair of mapped images; QUALITY: per mapped image; TSNE, TSNE_FEW and UMAP: per mapped image
#: and iteration of the layout; COMPILATION: for the compilation of UMAP.
START, PCA, NEIGHBOURS, QUALITY = 2.0, 1.3e-11, 3e-9, 8e-4
TSNE, TSNE_FEW, UMAP, COMPILATION = 1.2e-6, 3.5e-6, 2.6e-6, 15.0


@dataclass(frozen=True, eq=False)
class EmbeddedMap:
    """Coordinates of the sampled images; arrays have one row per image.

    ``part`` is the data set of an image, ``row`` its row in this data set, ``labels`` its class in
    the first data set. The PCA is fitted on all rows of all data sets; ``libraries`` are the
    libraries that computed the coordinates.
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

    @classmethod
    def of(
        cls, data: MapData, settings: MapSettings, coordinates: np.ndarray, **further: Any
    ) -> Self:
        """Return a map of ``data``; ``further`` has the fields from ``pca`` onwards."""
        return cls(
            names=tuple(dataset.name for dataset in data.datasets),
            digests=tuple(dataset.digest for dataset in data.datasets),
            settings=settings,
            class_names=data.class_names,
            coordinates=coordinates,
            part=data.part.astype(np.uint8),
            row=data.row.astype(np.int32),
            labels=data.labels.astype(np.int32),
            **further,
        )

    def __post_init__(self) -> None:
        if not self.libraries:
            object.__setattr__(self, "libraries", self.settings.libraries)
        for array in (self.coordinates, self.part, self.row, self.labels):
            array.setflags(write=False)

    def __len__(self) -> int:
        return len(self.coordinates)

    # --- Export -----------------------------------------------------------------------------------

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
        """Return all fields except the coordinates, as JSON values."""
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


def map_key(datasets: Sequence[ZSLDataset], settings: MapSettings) -> str:
    """Return the key of a map: 16 hex digits of a hash of settings, versions and data."""
    text = "|".join([settings.key, *(dataset.digest for dataset in datasets)])
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def make_map(
    datasets: Sequence[ZSLDataset],
    settings: MapSettings,
    *,
    progress: Progress = silent,
    on_picture: ShowPicture | None = None,
) -> EmbeddedMap:
    """Map one data set, or two with the same classes and features.

    ``progress`` and ``on_picture`` are called every ten iterations of t-SNE; before the first
    iteration, ``on_picture`` is also called with the first two components. An exception from either
    function ends the call. Raises DatasetError if the data sets cannot share a map, ParameterError
    for too few images for the settings.
    """
    clock = _Clock()
    data = MapData.of(
        datasets,
        n_samples=settings.n_samples,
        seed=settings.sample_seed,
        features=settings.features,
    )
    _refuse_few(len(data), settings)
    with threadpool_limits(settings.threads):
        with clock("pca"):
            pca = JointPCA.fit(data.views, settings.n_components, progress)
            Z = np.vstack([pca.transform(view) for view in data.sampled_views()]).astype(np.float32)
        if on_picture:
            on_picture(Z[:, :2])
        progress(0, 0, "Nearest neighbours")
        with clock("neighbours"):
            k = max(settings.n_neighbours, min(K, (len(Z) - 1) // 2))
            graph = neighbours(Z, k, threads=settings.threads)
        with clock("layout"):
            Y = lay_out(Z, graph, settings, progress=progress, on_picture=on_picture)
        progress(0, 0, "Quality of the map")
        with clock("quality"):
            quality = map_quality(Z, Y, data.labels, graph, k=K, threads=settings.threads)
            mixing = _mixing(data, Z, Y, settings)
    return EmbeddedMap.of(
        data, settings, Y, pca=pca, quality=quality, mixing=mixing, seconds=clock.seconds
    )


def sketch(datasets: Sequence[ZSLDataset], n_samples: int = 2_000) -> EmbeddedMap:
    """Place a sample on the first two components of its randomised PCA, without quality.

    The sketch has the settings, and thus the key, of the exact map: do not store it under this key.
    """
    settings = MapSettings("pca", n_samples=n_samples)
    data = MapData.of(datasets, n_samples=n_samples, seed=settings.sample_seed)
    X = np.vstack([np.asarray(view) for view in data.sampled_views()])
    pca = JointPCA.fit_sample(X, settings.n_components)
    coordinates = pca.transform(X)[:, :2].astype(np.float32)
    return EmbeddedMap.of(
        data, settings, coordinates, pca=pca, quality=UNMEASURED, mixing=pd.DataFrame()
    )


def add_quality(sketch: EmbeddedMap, datasets: Sequence[ZSLDataset]) -> EmbeddedMap:
    """Return a sketch with its quality and, for two data sets, the mixing by class."""
    data = MapData.of(
        datasets, n_samples=sketch.settings.n_samples, seed=sketch.settings.sample_seed
    )
    Z = np.vstack([sketch.pca.transform(view) for view in data.sampled_views()]).astype(np.float32)
    threads = sketch.settings.threads
    return replace(
        sketch,
        quality=map_quality(Z, sketch.coordinates, data.labels, k=K, threads=threads),
        mixing=_mixing(data, Z, sketch.coordinates, sketch.settings),
    )


def place_all_rows(embedded: EmbeddedMap, datasets: Sequence[ZSLDataset]) -> EmbeddedMap:
    """Place all rows on the components of a "pca" map, with the quality of the sample."""
    data = MapData.of(datasets, features=embedded.settings.features)
    axes = embedded.pca.components[:2].T
    middle = embedded.pca.mean @ axes
    return replace(
        embedded,
        coordinates=np.vstack([project(v, axes) - middle for v in data.views]).astype(np.float32),
        part=data.part.astype(np.uint8),
        row=data.row.astype(np.int32),
        labels=data.labels.astype(np.int32),
    )


def estimated_seconds(datasets: Sequence[ZSLDataset], settings: MapSettings) -> float:
    """Estimate the seconds that :func:`make_map` takes on two cores.

    The factors were measured with 2,000, 6,000 and 67,797 images (``python -m benchmarks.maps``).
    """
    n_all, width = sum(len(d.labels) for d in datasets), datasets[0].features.shape[1]
    n = min(settings.n_samples or n_all, n_all)
    seconds = START + PCA * n_all * width**2 + QUALITY * n
    if settings.method == "pca":
        return seconds
    steps = settings.n_iterations(n) + (EARLY_ITERATIONS if settings.method == "tsne" else 0)
    per_step = {"tsne": TSNE if n >= MIN_INTERPOLATED else TSNE_FEW, "umap": UMAP}[settings.method]
    compilation = COMPILATION if settings.method == "umap" else 0.0
    return seconds + compilation + NEIGHBOURS * n**2 + per_step * steps * n


def _mixing(data: MapData, Z: np.ndarray, Y: np.ndarray, settings: MapSettings) -> pd.DataFrame:
    if len(data.datasets) == 1:
        return pd.DataFrame()
    points, labelling = {"PCA": Z, "map": Y}, (data.part, data.labels, data.class_names)
    return mixing_scores(points, *labelling, k=K, threads=settings.threads)


def _refuse_few(n: int, settings: MapSettings) -> None:
    need = max(settings.n_neighbours, 2)
    if n <= need:
        setting = {"tsne": f"perplexity {settings.perplexity:g}"}.get(
            settings.method, f"{settings.n_neighbors} neighbours"
        )
        raise ParameterError(f"Map: {setting} needs more than {need} images; got {n}.")


class _Clock:
    """Wall time of named steps in seconds."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[step] = round(time.perf_counter() - start, 3)


@dataclass(frozen=True)
class MapStudy(Study[EmbeddedMap]):
    """Study of a map; ``map`` is its :func:`map_key`, a hash of data, settings and versions."""

    kind = "map"

    datasets: tuple[str, ...]
    settings: MapSettings
    map: str

    @classmethod
    def of(cls, datasets: Sequence[ZSLDataset], settings: MapSettings) -> Self:
        """Return the study of these data sets; its key depends on library versions.

        A precomputed map with the same data and layout is used regardless of library versions.
        """
        names = tuple(dataset.name for dataset in datasets)
        study = cls(names, settings, map_key(datasets, settings))
        if shipped_folder(study.key) is None:
            digests = tuple(dataset.digest for dataset in datasets)
            if key := _shipped_maps().get((digests, settings.layout)):
                study_by_layout = cls(names, settings, key)
                return study_by_layout if shipped_folder(study_by_layout.key) else study
        return study

    @property
    def title(self) -> str:
        """Title on screen."""
        return f"{METHOD_NAMES[self.settings.method]} of {' and '.join(self.datasets)}"

    @property
    def threads(self) -> int:
        """Number of threads for linear algebra."""
        return self.settings.threads

    @property
    def arguments(self) -> dict[str, Any]:
        """The fields as JSON values."""
        settings = self.settings.to_json()
        return {"datasets": list(self.datasets), "settings": settings, "map": self.map}

    @classmethod
    def from_arguments(cls, arguments: Mapping[str, Any]) -> Self:
        """Return the study with these :attr:`arguments`."""
        settings = MapSettings.from_json(arguments["settings"])
        return cls(tuple(arguments["datasets"]), settings, arguments["map"])

    def compute(self, progress: Progress) -> EmbeddedMap:
        """Make the map; ``progress.preview``, if it exists, shows the coordinates so far."""
        preview = getattr(progress, "preview", None)
        return make_map(
            [load(name) for name in self.datasets],
            self.settings,
            progress=progress,
            on_picture=preview
            and (lambda Y: preview(lambda: {"coordinates": Y.astype(np.float32)})),
        )


@cache
def _shipped_maps() -> dict[tuple[tuple[str, ...], str], str]:
    """Return the keys of precomputed maps, by digests of data and layout."""
    keys = {}
    for file in sorted(SHIPPED.glob(f"*/{MANIFEST}")):
        settings = json.loads(file.read_text(encoding="utf-8"))["settings"]
        if settings["function"] == MapStudy.kind:
            study = MapStudy.from_arguments(settings["arguments"])
            embedded = study.read(file.parent)
            keys[embedded.digests, embedded.settings.layout] = study.map
    return keys


def pca_coordinates(embedded: EmbeddedMap, datasets: Sequence[ZSLDataset]) -> np.ndarray:
    """Return the PCA coordinates of mapped images, (n, n_components); refuse other data."""
    if tuple(d.digest for d in datasets) != embedded.digests:
        raise DatasetError("The map was made from other data; make it again.")
    unit = embedded.settings.features == "l2"
    views = [FeatureView(d.features, unit=unit) for d in datasets]
    return np.vstack(
        [
            embedded.pca.transform(v.rows(embedded.row[embedded.part == i]))
            for i, v in enumerate(views)
        ]
    )


def nearest_images(
    datasets: Sequence[ZSLDataset],
    part: int,
    row: int,
    *,
    k: int = 8,
) -> pd.DataFrame:
    """Return the images nearest to image ``row`` of data set ``part``, from all data sets.

    Distances are Euclidean, of features scaled to unit length.
    """
    if not 0 <= part < len(datasets) or not 0 <= row < len(datasets[part].labels):
        raise ParameterError(f"Image: expected a row of data set {part}; got {row}.")
    views = [FeatureView(d.features, unit=True) for d in datasets]
    point = views[part][row : row + 1]
    tables = []
    for i, (view, dataset) in enumerate(zip(views, datasets, strict=True)):
        squared = squared_distances(view, point)[:, 0]
        if i == part:
            squared[row] = np.inf
        nearest = np.argsort(squared, kind="stable")[: min(k, np.isfinite(squared).sum())]
        names = np.asarray(dataset.class_names)[dataset.labels[nearest]]
        distance = np.sqrt(np.maximum(squared[nearest], 0))
        columns = {"part": i, "row": nearest, "class": names, "distance": distance}
        tables.append(pd.DataFrame(columns))
    table = pd.concat(tables, ignore_index=True)
    class_of_image = datasets[part].class_names[datasets[part].labels[row]]
    table.insert(3, "same_class", table["class"] == class_of_image)
    return table.sort_values("distance", kind="stable", ignore_index=True).head(k)


def points_inside(polygon: ArrayLike, points: np.ndarray) -> np.ndarray:
    """Return the mask of the points (n, 2) inside a polygon (n_corners, 2), by the even-odd rule.

    The last corner is joined to the first, and edges may cross; a polygon of fewer than three
    corners is empty.
    """
    corners = np.asarray(polygon, dtype=np.float64)
    if corners.size and (corners.ndim != 2 or corners.shape[1] != 2):
        raise ParameterError(f"An outline must have shape (corners, 2); got {corners.shape}.")
    out = np.zeros(len(points), dtype=bool)
    if len(corners) < 3 or not np.isfinite(corners).all():
        return out
    x, y = np.asarray(points, dtype=np.float64).T
    (left, bottom), (right, top) = corners.min(axis=0), corners.max(axis=0)
    near = np.flatnonzero((x >= left) & (x <= right) & (y >= bottom) & (y <= top))
    x, y, odd = x[near], y[near], np.zeros(len(near), dtype=bool)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if ay != by:  # a horizontal ray does not cross a horizontal edge
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    out[near] = odd
    return out


@dataclass(frozen=True, slots=True, eq=False)
class PredictedPoints:
    """Predictions of a method, in arrays over all n images of a data set.

    ``predicted`` are rows of the prototypes; ``lead`` is the score of the predicted class minus the
    next highest score. Images outside the test set have -1 and 0.
    """

    tested: np.ndarray
    predicted: np.ndarray
    right: np.ndarray
    lead: np.ndarray


def predicted_points(
    scores: ScoredTest, split: Split, n: int, *, gamma: float = 0.0
) -> PredictedPoints:
    r"""Return the predictions of a method, among all classes, on a data set of ``n`` images.

    Image :math:`i` is predicted as :math:`\hat c = \arg\max_c F_{ic} - \gamma [c \text{ seen}]`;
    its lead is the value of this expression at :math:`\hat c` minus its largest value at other
    classes.
    """
    test = np.concatenate([split.test_seen, split.test_unseen])
    predicted = scores.predicted(gamma)
    F = np.where(scores.seen, scores.F - gamma, scores.F)
    best = np.take_along_axis(F, predicted[:, None], axis=1)[:, 0]
    np.put_along_axis(F, predicted[:, None], -np.inf, axis=1)
    out = PredictedPoints(
        tested=np.zeros(n, dtype=bool),
        predicted=np.full(n, -1, dtype=np.int32),
        right=np.zeros(n, dtype=bool),
        lead=np.zeros(n),
    )
    out.tested[test] = True
    out.predicted[test] = scores.classes[predicted]
    out.right[test] = predicted == scores.y
    with np.errstate(invalid="ignore"):  # -inf minus -inf is NaN
        out.lead[test] = np.nan_to_num(best - F.max(axis=1), posinf=np.finfo(float).max)
    return out
