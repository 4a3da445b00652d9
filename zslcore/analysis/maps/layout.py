"""The settings of a map, and its layout: t-SNE by openTSNE or UMAP of a graph of neighbours."""

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

#: Changes when the same settings would give other coordinates.
FORMAT = 1
#: Iterations of t-SNE with early exaggeration, in addition to those of the settings.
EARLY = 250
#: UMAP takes fewer epochs above this many points, as umap-learn does.
MANY = 10_000

#: Names of layouts on screen.
METHOD_NAMES: dict[Method, str] = {"tsne": "t-SNE", "umap": "UMAP", "pca": "PCA"}
_LIBRARIES = {"pca": (), "tsne": ("openTSNE",), "umap": ("umap-learn", "numba")}
#: Settings that a single method reads.
_OF_ONE = {"perplexity": "tsne", "n_neighbors": "umap", "min_dist": "umap"}


@dataclass(frozen=True, slots=True)
class MapSettings:
    """Settings of a map; settings that the chosen method does not read are no part of the key.

    t-SNE reads the perplexity, UMAP ``n_neighbors``, itself included, and ``min_dist``.
    ``n_samples`` images are drawn by ``sample_seed`` in proportion from every class of every data
    set, so that maps with other seeds show the same ones. Iterations are by default 500 for t-SNE,
    after 250 with exaggeration, and for UMAP 500 epochs up to 10,000 points and 200 beyond.
    ``seed`` jitters the start (by a hundredth of its spread for t-SNE) and drives UMAP's sampling
    of edges. Another number of threads rounds sums differently; UMAP's layout always uses one.
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
            what = "whole number" if kind is Integral else "number"
            raise ParameterError(f"Map: {name} must be a {what} from {lowest}; got {value!r}.")

    @property
    def relevant(self) -> dict[str, Any]:
        """The settings that the method reads, and the libraries that compute it."""
        ours = {
            name: value
            for name, value in asdict(self).items()
            if _OF_ONE.get(name, self.method) == self.method
        }
        if self.method == "pca":
            del ours["iterations"]
        return ours | {"libraries": self.libraries, "format": FORMAT}

    @property
    def libraries(self) -> dict[str, str]:
        """Name and version of every library that computes coordinates."""
        names = ("numpy", "scipy", "scikit-learn", *_LIBRARIES[self.method])
        return {name: version(name) for name in names}

    @property
    def layout(self) -> str:
        """The relevant settings without the libraries, as JSON."""
        own = {name: value for name, value in self.relevant.items() if name != "libraries"}
        return json.dumps(own, sort_keys=True)

    @property
    def key(self) -> str:
        """SHA-256 of the relevant settings and libraries, 16 hex digits."""
        text = json.dumps(self.relevant, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """Return the settings as JSON, the same text for the same settings."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read settings from JSON, as :meth:`to_json` writes them."""
        return cls(**json.loads(text))

    @property
    def n_neighbours(self) -> int:
        """Nearest neighbours, itself not counted, that the method reads of every point."""
        return {"pca": 0, "tsne": ceil(3 * self.perplexity), "umap": self.n_neighbors - 1}[
            self.method
        ]

    def n_iterations(self, n: int) -> int:
        """Return the iterations for ``n`` points, those with exaggeration not counted."""
        if self.method == "tsne":
            return self.iterations or 500
        return self.iterations or (500 if n <= MANY else 200)

    def caption(self) -> str:
        """Return the settings in words, as they stand below a map."""
        seed = f"seed {self.seed}, {self.threads} thread{'s' if self.threads > 1 else ''}"
        if self.method == "pca":
            return f"The first two principal components, {seed}"
        own = {
            "tsne": f"perplexity {self.perplexity:g}",
            "umap": f"{self.n_neighbors} neighbours, minimal distance {self.min_dist:g}",
        }[self.method]
        space = f"{self.n_components} principal components"
        return f"{METHOD_NAMES[self.method]} of {space}, {own}, {seed}"


#: ``on_picture(coordinates)``, the live array: copy it to store it.
Picture = Callable[[np.ndarray], None]

#: Iterations between two reports.
EVERY = 10
#: Points from which on interpolation beats a tree for t-SNE's repulsion, openTSNE's own choice.
INTERPOLATE = 10_000
#: Side of the boxes in which that interpolation is done. openTSNE's 1 takes a fifth longer at
#: 67,797 points and ends at the same divergence, 4.070.
BOX = 1.1


def lay_out(
    Z: np.ndarray,
    graph: Neighbours | None,
    settings: MapSettings,
    *,
    progress: Progress = silent,
    on_picture: Picture | None = None,
) -> np.ndarray:
    """Return float32 coordinates (n, 2) of ``Z``.

    Callables are called every ten iterations of t-SNE; UMAP reports its start alone.
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
    Z: np.ndarray, graph: Neighbours, settings: MapSettings, progress: Progress, show: Picture
) -> np.ndarray:
    """Optimise t-SNE, exaggerated first; learning rates are openTSNE's n / exaggeration."""
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
        negative_gradient_method="fft" if n >= INTERPOLATE else "bh",
        ints_in_interval=BOX,
        n_jobs=settings.threads,
        random_state=settings.seed,
    )
    for stage, rounds, exaggeration in (
        ("Gathering (t-SNE)", EARLY, 12),
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
            callbacks_every_iters=min(EVERY, rounds),
        )
    return np.asarray(Y)


def _umap(Z: np.ndarray, graph: Neighbours, settings: MapSettings) -> np.ndarray:
    """Optimise UMAP from the first two axes, on the graph of neighbours."""
    with warnings.catch_warnings(), extra("maps", "umap", "A UMAP map"):
        warnings.simplefilter("ignore", ImportWarning)  # that Tensorflow is not there
        from umap import UMAP  # imported late, it takes seconds

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
        n_jobs=1,  # in parallel no two runs are equal
        precomputed_knn=(
            np.hstack([itself, graph.indices[:, :k]]),
            np.hstack([np.zeros((n, 1), np.float32), graph.distances[:, :k]]),
        ),
    )
    with warnings.catch_warnings():
        # New points are not placed on the map.
        warnings.filterwarnings("ignore", "precomputed_knn")
        return model.fit_transform(Z)
