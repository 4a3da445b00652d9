r"""Position of each class of ImageNet-21K in the hypernym relation, as numbers.

The relation "is a kind of", read in both directions, is a graph of all synsets with adjacency
:math:`A` and degrees :math:`d`. Its smooth functions are the first eigenvectors of the normalised
Laplacian,

.. math::
    L = I - D^{-1/2} A D^{-1/2}, \qquad L u_j = \mu_j u_j, \qquad
    0 = \mu_0 < \mu_1 \le \mu_2 \le \dots

and the position of synset :math:`c` is :math:`g_c = (D^{-1/2} u_1, \dots, D^{-1/2} u_k)_c`, columns
scaled to unit variance and rows to unit length. Synsets with few steps between them have similar
positions; two kinds of the same thing that have no kinds themselves have the same.

``data/imagenet/positions.tsv.gz`` holds them, rounded to multiples of 1/127: eigenvectors differ in
their last bits from machine to machine, data that everybody has may not.

References
----------
M. Belkin, P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data representation",
Neural Computation 2003. A. Y. Ng, M. I. Jordan, Y. Weiss, "On spectral clustering: analysis and an
algorithm", NIPS 2001 (rows of unit length).
"""

from __future__ import annotations

import gzip
from functools import cache

import numpy as np
from scipy.sparse import csr_array, diags_array, eye_array
from scipy.sparse.linalg import LinearOperator, eigsh, splu

from zslcore.storage.files import FACTS

__all__ = ["STEP", "class_positions", "spectral_positions"]

#: What stored positions are multiples of.
STEP = 1 / 127
#: Shift of the spectrum that makes the Laplacian, whose first eigenvalue is 0, invertible.
SHIFT = 1e-4


def spectral_positions(adjacency: csr_array, k: int) -> np.ndarray:
    """Return the positions of the nodes of a connected graph, see the module's docstring.

    Parameters
    ----------
    adjacency : symmetric sparse array of shape (n_nodes, n_nodes), ones where there is an edge
    k : int, how many eigenvectors, fewer than n_nodes - 1

    Returns
    -------
    float64 array of shape (n_nodes, k)
        Columns before the rows are scaled have unit variance, and their largest value in absolute
        terms is positive, since the sign of an eigenvector is arbitrary.
    """
    degree = adjacency.sum(axis=1)
    n = len(degree)
    root = diags_array(1 / np.sqrt(degree))
    L = (eye_array(n) - root @ adjacency @ root).tocsc()
    # The order of elimination decides: a tree has no fill-in when its leaves go first.
    factor = splu((L + SHIFT * eye_array(n)).tocsc(), permc_spec="MMD_AT_PLUS_A")
    inverse = LinearOperator((n, n), matvec=factor.solve, dtype=np.float64)
    start = np.sqrt(degree) + np.cos(np.arange(n))
    mu, U = eigsh(L, k=k + 1, sigma=-SHIFT, OPinv=inverse, v0=start)
    G = U[:, np.argsort(mu)[1:]] / np.sqrt(degree)[:, None]
    G *= np.sign(G[np.abs(G).argmax(axis=0), np.arange(k)])
    G /= G.std(axis=0)
    return G / np.linalg.norm(G, axis=1, keepdims=True)


@cache
def class_positions() -> np.ndarray:
    """Return the positions of the classes of ImageNet-21K, multiples of ``STEP``.

    Returns
    -------
    float64 array of shape (``CLASSES``, 48), read-only
        Rows follow :func:`zslcore.datasets.imagenet.imagenet`.
    """
    with gzip.open(FACTS / "imagenet" / "positions.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    *rows, of_class = (np.fromstring(line, dtype=np.int32, sep="\t") for line in lines)
    positions = np.array(rows)[of_class] * STEP
    positions.setflags(write=False)
    return positions
