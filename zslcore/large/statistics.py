r"""What closed forms need to know of the training rows, of many training sets from one pass.

Counts, sums, scatter and Gram matrix add up (:mod:`zslcore.methods.statistics`), so that the parts
of a matrix are gathered one by one, on any machine, and merged. Training sets overlap: those of the
folds and of the fit on all of trainval. Rows that belong to the same of them are gathered together,
once; the statistics of a set are the sum of its groups of rows. So one pass over the rows is enough
for a whole grid on every fold and for the fit after it
(:meth:`zslcore.methods.base.ZSLEstimator.fit_statistics`).

Sums are float64. The products of the Gram matrix are too, unless single precision is requested,
which is twice as fast: a block of rows is multiplied in float32 and added up in float64. On rows of
unit length with 2,048 features the result differs by less than 1e-6 of its largest entry
(``benchmarks/streaming_gram.py`` measures it).

Disk: a stored part takes 4 D^2 bytes a group (17 MB at D = 2,048) and 16 D bytes for every class in
it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import add
from pathlib import Path
from typing import Literal, Self

import numpy as np
from scipy.linalg import blas

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import Features, FeatureView, chunks
from zslcore.large.engine import HERE, Engine, Progress, Work, over_pieces, pieces_of
from zslcore.large.shards import Shards
from zslcore.methods.statistics import MomentStatistics, MomentSums, mirror_upper

__all__ = ["FullStatistics", "Products", "gather"]

#: Counted up when the same rows give other statistics than before.
REVISION = 1
#: Bytes of rows multiplied at a time: enough to make the sum of the squares comparatively cheap.
BLOCK_BYTES = 64 << 20
#: Values read at a time: 4 MiB of float64, which stay near the processor while they are looked at.
CACHED_VALUES = 1 << 19
#: Training sets that are distinguished; a group of rows is a number with a bit a set.
MOST_SETS = 62

Products = Literal["double", "single"]


@dataclass(frozen=True, slots=True, eq=False)
class FullStatistics(MomentStatistics):
    r"""All that any closed form needs: every method with ``statistics`` is fitted from it.

    Attributes
    ----------
    counts, sums, scatter : as of :class:`zslcore.methods.statistics.MomentStatistics`
    gram : array of shape (n_features, n_features), :math:`X^\top X`
    """

    gram: np.ndarray

    @classmethod
    def of(cls, X: Features, y: np.ndarray, n_classes: int, products: Products = "double") -> Self:
        """Gather the statistics in one pass.

        Parameters
        ----------
        X : array or FeatureView of shape (n_samples, n_features)
        y : int array of shape (n_samples,)
        n_classes : int
        products : "double" or "single", the precision of the products of the Gram matrix
        """
        D = X.shape[1]
        moments, G = MomentSums(n_classes, D), np.zeros((D, D), order="F")
        dtype = np.dtype(np.float32 if products == "single" else np.float64)
        n_rows = max(1, BLOCK_BYTES // (D * dtype.itemsize))
        rows = np.empty((min(n_rows, len(X)), D), dtype)
        filled = 0
        for part, block in chunks(X, max(1, min(n_rows, CACHED_VALUES // D))):
            moments.take(block, y[part])
            if filled + len(block) > len(rows):
                G, filled = _with_products(G, rows[:filled]), 0
            rows[filled : filled + len(block)] = block
            filled += len(block)
        G = _with_products(G, rows[:filled])
        mirror_upper(G)
        found = moments.result()
        return cls(found.counts, found.sums, found.scatter, G)

    def __add__(self, other: Self) -> Self:
        """Return the statistics of both sets of samples together."""
        both = MomentStatistics.__add__(self, other)
        return replace(both, gram=self.gram + other.gram)

    def of_classes(self, classes: np.ndarray) -> Self:
        """Return the statistics with rows for some classes only, which have all the samples.

        Raises
        ------
        DatasetError
            When another class has samples, too: no method receives a class it was not fitted on.
        """
        if self.counts[classes].sum() != self.n_samples:
            others = np.setdiff1d(np.flatnonzero(self.counts), classes)
            raise DatasetError(
                f"Expected samples of the {len(classes)} classes alone; class {others[0]} has "
                f"{self.counts[others[0]]:.0f}."
            )
        counts, sums, scatter = self.counts[classes], self.sums[classes], self.scatter[classes]
        return replace(self, counts=counts, sums=sums, scatter=scatter)


def _with_products(G: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Add the products of rows to the upper triangle of G, in the precision of the rows."""
    if not len(rows):
        return G
    if rows.dtype == np.float32:
        G += blas.ssyrk(1.0, rows.T)
        return G
    return blas.dsyrk(1.0, rows.T, beta=1.0, c=G, overwrite_c=True)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """The statistics of several groups of rows of one part.

    Attributes
    ----------
    of : mapping from the number of a group to its statistics
    """

    of: Mapping[int, FullStatistics]

    def __add__(self, other: Groups) -> Groups:
        both = dict(self.of)
        for group, statistics in other.of.items():
            both[group] = both[group] + statistics if group in both else statistics
        return Groups(both)

    def arrays(self) -> dict[str, np.ndarray]:
        """Return everything as arrays to store: classes without samples left out, half a Gram."""
        found: dict[str, np.ndarray] = {}
        for group, statistics in self.of.items():
            present = np.flatnonzero(statistics.counts)
            found |= {
                f"{group} classes": present,
                f"{group} n_classes": np.array(len(statistics.counts)),
                f"{group} counts": statistics.counts[present],
                f"{group} sums": statistics.sums[present],
                f"{group} scatter": statistics.scatter[present],
                f"{group} gram": statistics.gram[np.triu_indices(len(statistics.gram))],
            }
        return found

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, np.ndarray]) -> Groups:
        """Return what :meth:`arrays` was made from."""
        groups = {int(name.split()[0]) for name in arrays}
        return Groups({group: _unpacked(arrays, group) for group in sorted(groups)})


def _unpacked(arrays: Mapping[str, np.ndarray], group: int) -> FullStatistics:
    def of(name: str) -> np.ndarray:
        return arrays[f"{group} {name}"]

    classes, n_classes, D = of("classes"), int(of("n_classes")), of("sums").shape[1]
    counts, (sums, scatter) = np.zeros(n_classes), np.zeros((2, n_classes, D))
    counts[classes], sums[classes], scatter[classes] = of("counts"), of("sums"), of("scatter")
    G = np.zeros((D, D), order="F")
    G[np.triu_indices(D)] = of("gram")
    mirror_upper(G)
    return FullStatistics(counts, sums, scatter, G)


def gather(
    X: Features | Shards,
    y: np.ndarray,
    n_classes: int,
    training: Sequence[np.ndarray] | None = None,
    *,
    products: Products = "double",
    engine: Engine = HERE,
    keep: Path | None = None,
    on_done: Progress | None = None,
) -> list[FullStatistics]:
    """Return the statistics of every training set, from one pass over the rows of all of them.

    Parameters
    ----------
    X : array, Shards or FeatureView of shape (n_samples, n_features)
    y : int array of shape (n_samples,), from 0 to ``n_classes - 1``
    n_classes : int
    training : sequence of int arrays, the rows of ``X`` in each training set; by default all rows
    products : "double" or "single", the precision of the products of the Gram matrix
    engine : where it is done
    keep : folder in which every finished part is stored, see :mod:`zslcore.large.engine`
    on_done : callable(done, total), called after every part

    Returns
    -------
    list of FullStatistics, one a training set

    Raises
    ------
    DatasetError
        When labels do not fit the rows or the classes.
    ParameterError
        When there are no training sets, too many, or rows in them that are not there.
    """
    y = np.asarray(y)
    _check(X, y, n_classes, products)
    sets = _memberships(len(X), training)
    rows = np.flatnonzero(sets)
    kinds, group = np.unique(sets[rows], return_inverse=True)
    view = X if isinstance(X, FeatureView) else FeatureView(X)
    pieces = pieces_of(view if len(rows) == len(y) else view.rows(rows))
    work = Work(_gather, (n_classes, products), f"{REVISION} {n_classes} {products}", Groups)
    by_row = [y[rows].astype(np.int32), kinds[group]]
    made = over_pieces(work, pieces, by_row, engine=engine, keep=keep, on_done=on_done)
    every = reduce(add, (groups for _, groups in made)).of
    return [
        reduce(add, (every[int(kind)] for kind in kinds if kind >> k & 1))
        for k in range(1 if training is None else len(training))
    ]


def _gather(
    X: FeatureView, y: np.ndarray, sets: np.ndarray, common: tuple[int, Products]
) -> Groups:
    """Gather one piece, group by group."""
    n_classes, products = common
    kinds = np.unique(sets).tolist()
    if len(kinds) == 1:
        return Groups({kinds[0]: FullStatistics.of(X, y, n_classes, products)})
    found = {}
    for kind in kinds:
        rows = np.flatnonzero(sets == kind)
        found[kind] = FullStatistics.of(X.rows(rows), y[rows], n_classes, products)
    return Groups(found)


def _memberships(n: int, training: Sequence[np.ndarray] | None) -> np.ndarray:
    """Return for every row a number with a bit for each training set it is in."""
    if training is None:
        return np.ones(n, np.int64)
    if not 0 < len(training) <= MOST_SETS:
        raise ParameterError(f"Expected 1 to {MOST_SETS} training sets; got {len(training)}.")
    sets = np.zeros(n, np.int64)
    for k, rows in enumerate(map(np.asarray, training)):
        if not rows.size or rows.dtype.kind not in "iu" or not 0 <= rows.min() <= rows.max() < n:
            raise ParameterError(
                f"Training set {k}: expected row numbers, 0..{n - 1}, at least one; "
                f"got {rows.shape} of {rows.dtype}."
            )
        sets[rows] |= 1 << k
    return sets


def _check(X: Features | Shards, y: np.ndarray, n_classes: int, products: Products) -> None:
    if products not in ("double", "single"):
        raise ParameterError(f"products must be 'double' or 'single'; got {products!r}.")
    fits = y.shape == (len(X),) and y.dtype.kind in "iu" and y.size
    if not fits or not 0 <= y.min() <= y.max() < n_classes:
        raise DatasetError(
            f"Labels must be one class number a row, 0..{n_classes - 1}, for {len(X):,} rows; "
            f"got {y.shape} of {y.dtype}."
        )
