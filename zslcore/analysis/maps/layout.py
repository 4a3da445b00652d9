"""Settings of a map, and its layout by t-SNE (openTSNE) or UMAP from a neighbour graph."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import version
from math import ceil
from numbers import Integral, Real
from typing import Any, Literal, Self

import numpy as np
from threadpoolctl import threadpool_limits

from zslcore.analysis.maps.quality import Neighbours
from zslcore.exceptions import ParameterError
from zslcore.progress import Progress, silent
from zslcore.storage.extras import extra

Method = Literal["pca", "tsne", "umap"]

#: Increased when the coordinates for the same settings change.
FORMAT = 1
#: Iterations of t-SNE with early exaggeration, before the iterations of the settings.
EARLY_ITERATIONS = 250
#: Number of points above which UMAP runs for fewer epochs, as in umap-learn.
MANY_POINTS = 10_000

#: Names of layouts on screen.
METHOD_NAMES: dict[Method, str] = {"tsne": "t-SNE", "umap": "UMAP", "pca": "PCA"}
_LIBRARIES = {"pca": (), "tsne": ("openTSNE",), "umap": ("umap-learn", "numba")}
#: Settings that only one method uses.
_METHOD_OF_SETTING = {"perplexity": "tsne", "n_neighbors": "umap", "min_dist": "umap"}


@dataclass(frozen=True, slots=True)
class MapSettings:
    """Settings of a map; settings that the method does not use are not part of :attr:`key`.

    t-SNE uses ``perplexity``; UMAP uses ``min_dist`` and ``n_neighbors``, which includes the point
    itself. ``n_samples`` images are sampled with ``sample_seed``, stratified by class and data set;
    ``seed`` does not change the sample. The default is 500 iterations for t-SNE, after 250 with
    exaggeration; for UMAP 500 epochs up to 10,000 points, 200 above. ``seed`` jitters the initial
    positions (for t-SNE by a hundredth of their spread), and is the seed of UMAP's edge sampling.
    The number of threads changes rounding; UMAP's layout always uses one thread.
    """

    method: Method = "tsne"
    perplexity: float = 30.0
    n_neighbors: int = 15
    min_dist: float = 0.1
    n_components: int = 50
    n_samples: int | None = 8_000
    iterations: int | None = None
    seed: int = 0
    sample_seed: int = 0
    threads: int = 2
    features: Literal["l2", "none"] = "l2"

    def __post_init__(self) -> None:
        for name, choices in (("method", tuple(METHOD_NAMES)), ("features", ("l2", "none"))):
            if getattr(self, name) not in choices:
                raise ParameterError(
                    f"Map: {name} must be one of {', '.join(choices)}; got {getattr(self, name)!r}."
                )
        for name, lowest, kind in (
            ("perplexity", 2, Real),
            ("n_neighbors", 2, Integral),
            ("min_dist", 0, Real),
            ("n_components", 2, Integral),
            ("n_samples", 10, Integral),
            ("iterations", 1, Integral),
            ("seed", 0, Integral),
            ("sample_seed", 0, Integral),
            ("threads", 1, Integral),
        ):
            self._check(name, lowest, kind)
        if self.min_dist > 1:
            raise ParameterError(f"Map: min_dist must be at most 1; got {self.min_dist!r}.")

    def _check(self, name: str, lowest: float, kind: type) -> None:
        value = getattr(self, name)
        if value is None and name in ("n_samples", "iterations"):
            return
        is_number = isinstance(value, kind) and not isinstance(value, bool)
        if not is_number or not value >= lowest:
            kind_in_words = "whole number" if kind is Integral else "number"
            raise ParameterError(
                f"Map: {name} must be a {kind_in_words} of at least {lowest}; got {value!r}."
            )

    @property
    def relevant(self) -> dict[str, Any]:
        """Settings that the method uses, and libraries that compute the map."""
        used = {
            name: value
            for name, value in asdict(self).items()
            if _METHOD_OF_SETTING.get(name, self.method) == self.method
        }
        if self.method == "pca":
            del used["iterations"]
        return used | {"libraries": self.libraries, "format": FORMAT}

    @property
    def libraries(self) -> dict[str, str]:
        """Names and versions of the libraries that compute the coordinates."""
        names = ("numpy", "scipy", "scikit-learn", *_LIBRARIES[self.method])
        return {name: version(name) for name in names}

    @property
    def layout(self) -> str:
        """Relevant settings without the libraries, as JSON."""
        settings = {name: value for name, value in self.relevant.items() if name != "libraries"}
        return json.dumps(settings, sort_keys=True)

    @property
    def key(self) -> str:
        """First 16 hex digits of the SHA-256 of the relevant settings and libraries."""
        text = json.dumps(self.relevant, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the settings as JSON; equal settings give equal text."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read settings from the JSON of :meth:`to_json`."""
        return cls(**json.loads(text))

    @property
    def n_neighbours(self) -> int:
        """Number of neighbours of each point that the method uses, without the point itself."""
        return {"pca": 0, "tsne": ceil(3 * self.perplexity), "umap": self.n_neighbors - 1}[
            self.method
        ]

    def n_iterations(self, n: int) -> int:
        """Return the iterations for ``n`` points, not counting early exaggeration."""
        if self.method == "tsne":
            return self.iterations or 500
        return self.iterations or (500 if n <= MANY_POINTS else 200)

    def caption(self) -> str:
        """Return the caption of a map: its settings in words."""
        seed = f"seed {self.seed}, {self.threads} thread{'s' if self.threads > 1 else ''}"
        if self.method == "pca":
            return f"The first two principal components, {seed}"
        details = {
            "tsne": f"perplexity {self.perplexity:g}",
            "umap": f"{self.n_neighbors} neighbours, minimal distance {self.min_dist:g}",
        }[self.method]
        space = f"{self.n_components} principal components"
        return f"{METHOD_NAMES[self.method]} of {space}, {details}, {seed}"


#: Called as ``on_picture(coordinates)`` with the live array: copy it to keep it.
ShowPicture = Callable[[np.ndarray], None]

#: Number of iterations between reports.
REPORT_INTERVAL = 10
#: Number of points from which t-SNE uses interpolation instead of a tree, as in openTSNE.
MIN_INTERPOLATED = 10_000
#: Side of the interpolation boxes. With 1, the default of openTSNE, a map of 67,797 points takes a
#: fifth longer and reaches the same divergence, 4.070.
BOX_SIDE = 1.1


def lay_out(
    Z: np.ndarray,
    graph: Neighbours | None,
    settings: MapSettings,
    *,
    progress: Progress = silent,
    on_picture: ShowPicture | None = None,
) -> np.ndarray:
    """Return float32 coordinates (n, 2) of the rows of ``Z``.

    ``progress`` and ``on_picture`` are called every ten iterations of t-SNE; UMAP only reports its
    start.
    """
    if settings.method == "pca":
        return Z[:, :2].astype(np.float32)
    if graph is None:
        raise ParameterError(f"Map: {settings.method} reads the neighbours of points; got none.")
    with threadpool_limits(settings.threads):
        if settings.method == "tsne":
            Y = _tsne(Z, graph, settings, progress, on_picture or (lambda _: None))
        else:
            progress(0, 0, "Laying out (UMAP)")
            Y = _umap(Z, graph, settings)
    return np.ascontiguousarray(Y, dtype=np.float32)


def _tsne(
    Z: np.ndarray, graph: Neighbours, settings: MapSettings, progress: Progress, show: ShowPicture
) -> np.ndarray:
    """Optimise t-SNE, first with early exaggeration; the learning rate is n / exaggeration."""
    with extra("maps", "openTSNE", "A t-SNE map"):
        from openTSNE import TSNEEmbedding, initialization
        from openTSNE.affinity import PerplexityBasedNN
        from openTSNE.nearest_neighbors import PrecomputedNeighbors

    k, n = settings.n_neighbours, len(Z)
    index = PrecomputedNeighbors(graph.indices[:, :k].astype(int), graph.distances[:, :k] * 1.0)
    P = PerplexityBasedNN(perplexity=settings.perplexity, knn_index=index, n_jobs=settings.threads)
    start = initialization.rescale(np.array(Z[:, :2], dtype=np.float64))
    start = initialization.jitter(start, random_state=settings.seed)
    Y = TSNEEmbedding(
        start,
        P,
        negative_gradient_method="fft" if n >= MIN_INTERPOLATED else "bh",
        ints_in_interval=BOX_SIDE,
        n_jobs=settings.threads,
        random_state=settings.seed,
    )
    for stage, rounds, exaggeration in (
        ("Gathering (t-SNE)", EARLY_ITERATIONS, 12),
        ("Laying out (t-SNE)", settings.n_iterations(n), 1),
    ):

        def report(
            iteration: int, _: float, Y: np.ndarray, stage: str = stage, rounds: int = rounds
        ) -> None:
            progress(iteration, rounds, f"{stage}: {iteration:,} of {rounds:,}")
            show(np.asarray(Y))

        Y.optimize(
            rounds,
            exaggeration=exaggeration,
            learning_rate=n / exaggeration,
            momentum=0.8,
            inplace=True,
            callbacks=[report],
            callbacks_every_iters=min(REPORT_INTERVAL, rounds),
        )
    return np.asarray(Y)


def _umap(Z: np.ndarray, graph: Neighbours, settings: MapSettings) -> np.ndarray:
    """Optimise UMAP on the neighbour graph, starting from the first two components."""
    with warnings.catch_warnings(), extra("maps", "umap", "A UMAP map"):
        warnings.simplefilter("ignore", ImportWarning)  # TensorFlow is optional
        from umap import UMAP  # imported late: the import takes seconds

    n, k, random = len(Z), settings.n_neighbours, np.random.RandomState(settings.seed)
    start = (10 / np.abs(Z[:, :2]).max() * Z[:, :2]).astype(np.float32)
    start += random.normal(scale=1e-4, size=start.shape).astype(np.float32)
    itself = np.arange(n, dtype=np.int32)[:, None]  # UMAP counts a point as its first neighbour
    model = UMAP(
        settings.n_neighbors,
        min_dist=settings.min_dist,
        n_epochs=settings.n_iterations(n),
        init=start,
        random_state=random,
        n_jobs=1,  # parallel runs are not reproducible
        precomputed_knn=(
            np.hstack([itself, graph.indices[:, :k]]),
            np.hstack([np.zeros((n, 1), np.float32), graph.distances[:, :k]]),
        ),
    )
    with warnings.catch_warnings():
        # The warning concerns transforms of new points, which a map does not need.
        warnings.filterwarnings("ignore", "precomputed_knn")
        return model.fit_transform(Z)
