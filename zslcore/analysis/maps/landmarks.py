r"""Class means and predicted looks on a map of images, and what lies nearest to an image in truth.

A point that was not laid out itself, be it the mean of a class or the look :math:`W^\top s_c` that
LinearS2V predicts for it, is projected by the map's PCA and put at the *median* of the coordinates
of its nearest mapped images there. That is where openTSNE starts new points too; for a class in two
pieces it lies in one of them rather than in the void between. What is put so is a place on a map of
images, no more: ``distance`` tells how far from any image the point lies, in units of what is
common among images.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from zslcore.analysis.maps.result import EmbeddedMap
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import FeatureScaling, FeatureView, Preprocessing, squared_distances
from zslcore.methods import LinearS2V
from zslcore.methods.statistics import ClassStatistics

__all__ = ["in_pca", "landmarks", "nearest_images", "place"]

#: Nearest mapped images whose coordinates place a point.
K = 15


def place(points: np.ndarray, Z: np.ndarray, Y: np.ndarray, k: int = K) -> pd.DataFrame:
    """Put points that were not laid out themselves on a map.

    Parameters
    ----------
    points : array of shape (m, n_components), in the PCA
    Z : array of shape (n, n_components), the mapped images there
    Y : array of shape (n, 2), the mapped images on the map
    k : int

    Returns
    -------
    DataFrame with the columns x, y, spread (median distance on the map of the k images from where
    they put the point) and distance (to the k-th image in the PCA, 1 being the median of images)
    """
    k = min(k, len(Z) - 1)
    near, reach = _nearest(points, Z, k)
    around = Y[near]
    middle = np.median(around, axis=1)
    spread = np.median(np.linalg.norm(around - middle[:, None], axis=2), axis=1)
    some = np.random.default_rng(0).permutation(len(Z))[:500]
    common = np.median(_nearest(Z[some], Z, k + 1)[1])  # itself among them
    return pd.DataFrame(
        {"x": middle[:, 0], "y": middle[:, 1], "spread": spread, "distance": reach / common}
    )


def landmarks(
    made: EmbeddedMap, datasets: Sequence[ZSLDataset], split: str, *, lam: float = 1e-3
) -> pd.DataFrame:
    """Place the mean of every class and the look that LinearS2V predicts for it.

    Means are of all images; LinearS2V is fitted on the split's training rows of the data set, so
    that the look of an unseen class is predicted from its prototype alone.

    Parameters
    ----------
    made : EmbeddedMap
    datasets : the data sets it was made from
    split : name of a split that all of them have
    lam : float, ridge of LinearS2V

    Returns
    -------
    DataFrame
        One row per data set, class and kind: data_set, class, kind ("mean" or "predicted"), seen,
        what :func:`place` returns, and rank (of the class's own mean among all means of the data
        set, by distance from the predicted look in the features; 1 is the nearest).
    """
    Z = in_pca(made, datasets)
    tables = []
    for dataset in datasets:
        view = FeatureView(dataset.features, unit=made.settings.features == "l2")
        table, points = _points(dataset, view, dataset.split(split), made.settings.features, lam)
        placed = place(made.pca.transform(points), Z, made.coordinates)
        tables.append(pd.concat([table, placed], axis=1))
    return pd.concat(tables, ignore_index=True)


def in_pca(made: EmbeddedMap, datasets: Sequence[ZSLDataset]) -> np.ndarray:
    """Return the mapped images in the PCA that the map was made from.

    Parameters
    ----------
    made : EmbeddedMap
    datasets : the data sets it was made from; others are refused

    Returns
    -------
    array of shape (n, n_components)
    """
    if tuple(d.digest for d in datasets) != made.digests:
        raise DatasetError("The map was made from other data; make it again.")
    unit = made.settings.features == "l2"
    views = [FeatureView(d.features, unit=unit) for d in datasets]
    return np.vstack(
        [made.pca.transform(v.rows(made.row[made.part == i])) for i, v in enumerate(views)]
    )


def nearest_images(
    datasets: Sequence[ZSLDataset],
    part: int,
    row: int,
    *,
    k: int = 8,
    features: str = "l2",
) -> pd.DataFrame:
    """Return the images nearest to one image in the original space, of all data sets.

    Returns
    -------
    DataFrame
        Nearest first: part, row, class, same_class, distance (Euclidean, of the scaled features).
    """
    if not 0 <= part < len(datasets) or not 0 <= row < len(datasets[part].labels):
        raise ParameterError(f"There is no image {row} of data set {part}.")
    views = [FeatureView(d.features, unit=features == "l2") for d in datasets]
    point = views[part][row : row + 1]
    tables = []
    for i, (view, dataset) in enumerate(zip(views, datasets, strict=True)):
        squared = squared_distances(view, point)[:, 0]
        if i == part:
            squared[row] = np.inf
        nearest = np.argsort(squared, kind="stable")[: min(k, np.isfinite(squared).sum())]
        names = np.asarray(dataset.class_names)[dataset.labels[nearest]]
        distance = np.sqrt(np.maximum(squared[nearest], 0))
        tables.append(pd.DataFrame({"part": i, "row": nearest, "class": names,
                                    "distance": distance}))  # fmt: skip
    table = pd.concat(tables, ignore_index=True)
    own = datasets[part].class_names[datasets[part].labels[row]]
    table.insert(3, "same_class", table["class"] == own)
    return table.sort_values("distance", kind="stable", ignore_index=True).head(k)


def _nearest(points: np.ndarray, Z: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the ``k`` nearest rows of ``Z`` to every point, and how far the k-th is."""
    squared = squared_distances(points, Z)
    near = np.argpartition(squared, k - 1, axis=1)[:, :k]
    return near, np.sqrt(np.maximum(np.take_along_axis(squared, near, 1).max(axis=1), 0))


def _points(
    dataset: ZSLDataset, view: FeatureView, split: Split, features: FeatureScaling, lam: float
) -> tuple[pd.DataFrame, np.ndarray]:
    """Return what is placed for one data set: a table and its points in the features."""
    preprocessing = Preprocessing(features, "l2")
    S = preprocessing.of_prototypes(dataset.prototypes)
    train, seen = split.trainval, split.seen_classes
    y = np.searchsorted(seen, dataset.labels[train])
    looks = S @ LinearS2V(lam=lam).fit(view.rows(train), y, S[seen]).W_
    shown = np.union1d(seen, split.unseen_classes)
    shown = shown[np.bincount(dataset.labels, minlength=dataset.n_classes)[shown] > 0]
    means = ClassStatistics.of(view, dataset.labels, dataset.n_classes).means[shown]
    looks = looks[shown]
    to_means = squared_distances(looks, means)
    rank = (to_means < np.diag(to_means)[:, None]).sum(axis=1) + 1
    one = {
        "data_set": dataset.name,
        "class": np.asarray(dataset.class_names)[shown],
        "seen": np.isin(shown, seen),
    }
    table = pd.concat(
        [
            pd.DataFrame(one | {"kind": "mean", "rank": 1}),
            pd.DataFrame(one | {"kind": "predicted", "rank": rank}),
        ],
        ignore_index=True,
    )
    return table, np.vstack([means, looks])
