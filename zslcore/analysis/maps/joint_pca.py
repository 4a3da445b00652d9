"""Sampled rows of one or two data sets, and a joint PCA."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from scipy.linalg import blas, eigh
from sklearn.utils.extmath import randomized_svd

from zslcore.datasets.base import ZSLDataset
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Features, FeatureView, chunks, project
from zslcore.progress import Progress, silent


@dataclass(frozen=True, slots=True, eq=False)
class MapData:
    """Sampled rows of one or two data sets; classes are numbered as in the first data set.

    ``views`` are all rows of each data set, scaled. ``part``, ``row`` and ``labels`` have shape
    (n,): the data set of each sampled row (0 or 1), its row number in this data set, and its class.
    """

    datasets: tuple[ZSLDataset, ...]
    views: tuple[FeatureView, ...]
    part: np.ndarray
    row: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(
        cls,
        datasets: Sequence[ZSLDataset],
        *,
        n_samples: int | None = None,
        seed: int = 0,
        features: str = "l2",
    ) -> Self:
        """Sample rows, by default all; DatasetError for two data sets without a common map."""
        datasets = tuple(datasets)
        if len(datasets) not in (1, 2):
            raise ParameterError(f"A map shows one data set or two; got {len(datasets)}.")
        if len(datasets) == 2 and (reason := why_incompatible(*datasets)):
            raise DatasetError(reason)
        labels = [datasets[0].labels]
        labels += [match_classes(datasets[0], dataset)[dataset.labels] for dataset in datasets[1:]]
        part = np.repeat(np.arange(len(labels)), [len(y) for y in labels])
        row = np.concatenate([np.arange(len(y)) for y in labels])
        y = np.concatenate(labels)
        # Strata are ordered by class name: two feature sets of the same images get the same rows.
        by_name = np.argsort(np.argsort(datasets[0].class_names))
        chosen = stratified_sample(part * len(by_name) + by_name[y], n_samples, seed)
        views = tuple(FeatureView(d.features, unit=features == "l2") for d in datasets)
        return cls(datasets, views, part[chosen], row[chosen], y[chosen])

    @property
    def class_names(self) -> tuple[str, ...]:
        """Class names of the first data set."""
        return self.datasets[0].class_names

    def __len__(self) -> int:
        return len(self.row)

    def sampled_views(self) -> list[FeatureView]:
        """Return a view of the sampled rows of each data set; features are not read yet."""
        return [view.rows(self.row[self.part == i]) for i, view in enumerate(self.views)]


def match_classes(first: ZSLDataset, second: ZSLDataset) -> np.ndarray:
    """Map class numbers of ``second`` to ``first``; DatasetError if class names differ."""
    number_of = {name: c for c, name in enumerate(first.class_names)}
    unmatched = sorted(set(first.class_names) ^ set(second.class_names))
    if unmatched or len(number_of) != first.n_classes or len(number_of) != second.n_classes:
        reason = (
            f"{unmatched[0]!r} is a class in only one of the two"
            if unmatched
            else "a class name occurs twice"
        )
        raise DatasetError(
            f"{first.name} and {second.name} must have the same classes to be compared: {reason}"
            f"{f' ({len(unmatched)} such classes)' if len(unmatched) > 1 else ''}."
        )
    return np.array([number_of[name] for name in second.class_names], dtype=np.intp)


def why_incompatible(first: ZSLDataset, second: ZSLDataset) -> str:
    """Return a sentence on why two data sets cannot share a map, or an empty string.

    Raises DatasetError for different classes, since the data sets then cannot be compared at all.
    """
    match_classes(first, second)
    d, e = first.features.shape[1], second.features.shape[1]
    if d == e:
        return ""
    return (
        f"{first.name} has {d:,} features per image and {second.name} {e:,}: "
        "they have no common space, so each gets its own map."
    )


def same_images(first: ZSLDataset, second: ZSLDataset) -> bool:
    """Return whether both data sets may have the same images: their rows have the same classes."""
    if len(first.labels) != len(second.labels):
        return False
    return bool((first.labels == match_classes(first, second)[second.labels]).all())


def stratified_sample(strata: np.ndarray, n: int | None, seed: int) -> np.ndarray:
    """Return sorted numbers of ``n`` rows, sampled in proportion from all strata.

    Shares are rounded by largest remainder. A stratum with a share below one row gets one row, so
    the sample can be larger than ``n``.
    """
    if n is None or n >= len(strata):
        return np.arange(len(strata))
    _, stratum, size = np.unique(strata, return_inverse=True, return_counts=True)
    share = size * n / len(strata)
    take = np.maximum(np.floor(share).astype(int), 1)
    remainder = np.where(take < size, share - take, -1.0)
    take[np.argsort(-remainder, kind="stable")[: max(n - take.sum(), 0)]] += 1
    order = np.lexsort((np.random.default_rng(seed).random(len(strata)), stratum))
    rank = np.arange(len(strata)) - np.repeat(np.cumsum(size) - size, size)
    return np.sort(order[rank < take[stratum[order]]])


@dataclass(frozen=True, slots=True, eq=False)
class JointPCA:
    r"""Mean and first principal components of all rows of several feature matrices.

    .. math::
        \mu = \frac{1}{n} \sum_i x_i, \qquad
        C = \frac{1}{n - 1} \Big( \sum_i x_i x_i^\top - n \mu \mu^\top \Big)
          = U \, \mathrm{diag}(w) \, U^\top, \qquad z = U_k^\top (x - \mu)

    ``components`` are unit vectors in rows, largest variance first; in each, the entry of largest
    absolute value is positive, which fixes the signs. ``total`` is the total variance of the
    features.
    """

    mean: np.ndarray
    components: np.ndarray
    variance: np.ndarray
    total: float

    @classmethod
    def fit(
        cls,
        views: Sequence[Features],
        n_components: int = 50,
        progress: Progress = silent,
    ) -> Self:
        """Fit on all rows of ``views``; with few features or rows, there are fewer components.

        ``progress`` is called after every chunk.
        """
        n, D = sum(map(len, views)), views[0].shape[1]
        if n < 3:
            raise DatasetError(f"A map needs at least 3 images; got {n}.")
        s, G = _sums(views, n, D, progress)
        mu = s / n
        C = blas.dsyr(-float(n), mu, a=G, overwrite_a=True) / (n - 1)
        k = min(n_components, D, n - 1)
        w, U = eigh(C, lower=False, subset_by_index=(D - k, D - 1), check_finite=False)
        w, U = np.maximum(w[::-1], 0), U[:, ::-1].T
        largest = np.abs(U).argmax(axis=1)
        U *= np.sign(U[np.arange(k), largest])[:, None]
        return cls(mu, U, w, float(np.trace(C)))

    @classmethod
    def fit_sample(cls, X: np.ndarray, n_components: int = 50) -> Self:
        """Fit on few rows by a randomised decomposition, in a tenth of the time of :meth:`fit`."""
        mu = X.mean(axis=0)
        k = min(n_components, X.shape[1], len(X) - 1)
        _, size, U = randomized_svd(X - mu, k, random_state=0)
        U *= np.sign(U[np.arange(k), np.abs(U).argmax(axis=1)])[:, None]
        return cls(mu, U, size**2 / (len(X) - 1), float(X.var(axis=0, ddof=1).sum()))

    @property
    def explained(self) -> np.ndarray:
        """Share of the total variance along each component."""
        return self.variance / self.total if self.total else self.variance

    def transform(self, X: Features) -> np.ndarray:
        """Return the coordinates of the rows of ``X``, float64 of shape (n, n_components)."""
        return project(X, self.components.T) - self.components @ self.mean


def _sums(
    views: Sequence[Features], n: int, D: int, progress: Progress
) -> tuple[np.ndarray, np.ndarray]:
    """Return the sum of all rows, and the upper triangle of the sum of their outer products."""
    s, G, done = np.zeros(D), np.zeros((D, D), order="F"), 0
    for view in views:
        for _, block in chunks(view):
            s += block.sum(axis=0)
            G = blas.dsyrk(1.0, block.T, beta=1.0, c=G, overwrite_c=True)
            done += len(block)
            progress(done, n, f"PCA of all rows: {done:,} of {n:,}")
    return s, G
