"""Propagation over a graph of 10,000 test images: sparse solve against the dense inverse.

    python -m benchmarks.propagation

Images lie in AWA2's 85 dimensions, with scores for 50 classes. The plain baseline is the formula as
printed: a dense graph and the inverse of a 10,000 x 10,000 matrix, measured on ``PLAIN_IMAGES``
images and multiplied up by the cube of the ratio. Both sides are compared on those images. Memory
is the peak of the whole process, Python and its libraries included.
"""

from __future__ import annotations

import numpy as np
from sklearn.neighbors import kneighbors_graph

from benchmarks.measuring import check, peak_mib, report, seconds
from zslcore.methods.propagation import NeighbourGraph, propagate

N_IMAGES, N_DIMENSIONS, N_CLASSES, K, ALPHA = 10_000, 85, 50, 10, 0.9
PLAIN_IMAGES = 2_000


def places(n: int, seed: int = 0) -> np.ndarray:
    """Return images around 50 centres, as test images lie around their classes."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(N_CLASSES, N_DIMENSIONS))
    return centres[rng.integers(0, N_CLASSES, n)] + rng.normal(size=(n, N_DIMENSIONS))


def plain(P: np.ndarray, S0: np.ndarray, spread: float) -> np.ndarray:
    """Return the propagated scores by dense matrices, as the benchmark prints the formula."""
    lengths = kneighbors_graph(P, K, mode="distance").toarray()
    lengths = np.maximum(lengths, lengths.T)
    M = np.where(lengths > 0, np.exp(-lengths / spread), 0)
    Q = np.diag(1 / np.sqrt(M.sum(axis=1)))
    return np.linalg.inv(np.eye(len(P)) - ALPHA * (Q @ M @ Q)) @ S0


def main() -> None:
    rng = np.random.default_rng(1)
    P, S0 = places(N_IMAGES), rng.normal(size=(N_IMAGES, N_CLASSES))
    P_few, S0_few = places(PLAIN_IMAGES), S0[:PLAIN_IMAGES]
    few = NeighbourGraph(P_few, K)  # also warms up

    kept = {}
    t_graph = seconds(lambda: kept.update(graph=NeighbourGraph(P, K)))
    t_solve = seconds(lambda: kept.update(F=propagate(kept["graph"].L, S0, ALPHA)))
    memory = peak_mib()
    print(f"graph {t_graph:.3g} s, solve {t_solve:.3g} s, {kept['graph'].L.nnz:,} edges")
    check("10,000 images, graph and sparse solve", t_graph + t_solve, "s", 3)
    check("10,000 images, peak memory", memory, "MB", 500)

    t_plain = seconds(lambda: kept.update(plain=plain(P_few, S0_few, few.spread)))
    report(
        "10,000 images against the dense inverse (scaled up from 2,000)",
        t_graph + t_solve,
        t_plain * (N_IMAGES / PLAIN_IMAGES) ** 3,
        10,
    )
    difference = np.abs(propagate(few.L, S0_few, ALPHA) - kept["plain"]).max()
    print(f"  largest difference of scores: {difference:.1e}")


if __name__ == "__main__":
    main()
