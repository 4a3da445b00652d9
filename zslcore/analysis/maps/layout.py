"""From a graph of nearest neighbours to coordinates in the plane: t-SNE by openTSNE, UMAP."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
from scipy.sparse import coo_array
from threadpoolctl import threadpool_limits

from zslcore.analysis.maps.quality import Neighbours
from zslcore.analysis.maps.settings import EARLY, MapSettings
from zslcore.exceptions import ParameterError
from zslcore.storage.extras import extra

#: ``on_progress(done, total, stage)``; what it raises ends the work.
Progress = Callable[[int, int, str], None]
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
    on_progress: Progress | None = None,
    on_picture: Picture | None = None,
) -> np.ndarray:
    """Return float32 coordinates (n, 2) of ``Z``; callables are called every ten iterations."""
    tell = _Teller(on_progress or (lambda *_: None), on_picture or (lambda _: None))
    if settings.method == "pca":
        return Z[:, :2].astype(np.float32)
    if graph is None:
        raise ParameterError(f"Map: {settings.method} reads the neighbours of points; got none.")
    with threadpool_limits(settings.threads):
        Y = {"tsne": _tsne, "umap": _umap}[settings.method](Z, graph, settings, tell)
    return np.ascontiguousarray(Y, dtype=np.float32)


@dataclass(frozen=True, slots=True)
class _Teller:
    progress: Progress
    picture: Picture

    def of_stage(self, stage: str, total: int) -> Callable[[int, float, np.ndarray], None]:
        """Return what openTSNE calls back: iteration, error, embedding."""

        def tell(iteration: int, error: float, Y: np.ndarray) -> None:
            self.progress(iteration, total, stage)
            self.picture(np.asarray(Y))

        return tell


def _tsne(Z: np.ndarray, graph: Neighbours, settings: MapSettings, tell: _Teller) -> np.ndarray:
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
        Y.optimize(
            rounds,
            exaggeration=exaggeration,
            learning_rate=n / exaggeration,
            momentum=0.8,
            inplace=True,
            callbacks=[tell.of_stage(stage, rounds)],
            callbacks_every_iters=min(EVERY, rounds),
        )
    return np.asarray(Y)


def _umap(Z: np.ndarray, graph: Neighbours, settings: MapSettings, tell: _Teller) -> np.ndarray:
    """Optimise UMAP's layout with its own steps, on an array that can be looked at meanwhile."""
    umap, optimize_layout = _import_umap()
    n, random = len(Z), np.random.RandomState(settings.seed)
    epochs = settings.n_iterations(n)
    edges = _fuzzy_graph(umap, Z, graph, settings, random)
    edges.data[edges.data < edges.data.max() / epochs] = 0  # would never be sampled
    edges.eliminate_zeros()
    Y = umap.noisy_scale_coords(np.array(Z[:, :2]), random, max_coord=10, noise=1e-4)
    Y = 10 * (Y - Y.min(axis=0)) / np.maximum(np.ptp(Y, axis=0), 1e-12)
    Y = np.ascontiguousarray(Y, dtype=np.float32)
    ends = np.iinfo(np.int32)
    return optimize_layout(
        Y, Y, edges.row, edges.col, epochs, n,
        umap.make_epochs_per_sample(edges.data, epochs),
        *umap.find_ab_params(1.0, settings.min_dist),
        random.randint(ends.min + 1, ends.max - 1, 3).astype(np.int64),
        parallel=False,  # in parallel no two runs are alike
        move_other=True,
        tqdm_kwds=_EpochLine(tell.of_stage("Laying out (UMAP)", epochs), Y).as_bar(),
    )  # fmt: skip


def _import_umap() -> tuple[ModuleType, Callable[..., np.ndarray]]:
    """Return the module with UMAP's steps, and its optimiser; imported late, it takes seconds."""
    with warnings.catch_warnings(), extra("maps", "umap", "A UMAP map"):
        warnings.simplefilter("ignore", ImportWarning)  # that Tensorflow is not there
        from umap import umap_
        from umap.layouts import optimize_layout_euclidean
    return umap_, optimize_layout_euclidean


def _fuzzy_graph(
    umap: ModuleType,
    Z: np.ndarray,
    graph: Neighbours,
    settings: MapSettings,
    random: np.random.RandomState,
) -> coo_array:
    """Return UMAP's weighted graph; it counts a point as its own first neighbour."""
    k, n = settings.n_neighbours, len(Z)
    itself = np.arange(n, dtype=np.int32)[:, None]
    return umap.fuzzy_simplicial_set(
        Z,
        settings.n_neighbors,
        random,
        "euclidean",
        knn_indices=np.hstack([itself, graph.indices[:, :k]]),
        knn_dists=np.hstack([np.zeros((n, 1), np.float32), graph.distances[:, :k]]),
    )[0].tocoo()


class _EpochLine:
    """A file for umap-learn's progress bar to write to: its only report of progress."""

    def __init__(self, tell: Callable[[int, float, np.ndarray], None], Y: np.ndarray) -> None:
        self.tell, self.Y, self.last = tell, Y, -1

    def as_bar(self) -> dict[str, Any]:
        """Return the bar's options: it writes nothing but the number of epochs done."""
        shown = {"file": self, "disable": False, "bar_format": "{n}", "leave": False}
        return shown | {"mininterval": 0, "miniters": EVERY}

    def write(self, text: str) -> None:
        """Read the number the bar has written, and report it."""
        if text.strip().isdigit() and int(text) > self.last:
            self.last = int(text)
            self.tell(self.last, 0.0, self.Y)

    def flush(self) -> None:
        """Do nothing: a file must have it."""
