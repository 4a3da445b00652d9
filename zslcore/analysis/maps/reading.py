"""Read a map: original space, nearest images, images inside an outline, answers as colours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from zslcore.analysis.maps.making import EmbeddedMap
from zslcore.datasets.base import Split, ZSLDataset
from zslcore.evaluation.protocol import ScoredTest
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import FeatureView, squared_distances


def in_pca(made: EmbeddedMap, datasets: Sequence[ZSLDataset]) -> np.ndarray:
    """Return the mapped images in the PCA of the map, (n, n_components); other data are refused."""
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
    """Return the nearest images of all data sets by Euclidean distance of the scaled features."""
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
        columns = {"part": i, "row": nearest, "class": names, "distance": distance}
        tables.append(pd.DataFrame(columns))
    table = pd.concat(tables, ignore_index=True)
    own = datasets[part].class_names[datasets[part].labels[row]]
    table.insert(3, "same_class", table["class"] == own)
    return table.sort_values("distance", kind="stable", ignore_index=True).head(k)


def inside(polygon: ArrayLike, points: np.ndarray) -> np.ndarray:
    """Return whether each point (n, 2) is inside a polygon (n_corners, 2), by the even-odd rule.

    Corners are closed by themselves and may cross; fewer than three hold nothing.
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
        if ay != by:  # a level edge is crossed by no level ray
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    out[near] = odd
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """The answers of a method, over all n images of a data set.

    ``predicted`` are rows of the prototypes, -1 where not tested; ``lead`` is how far the answer's
    score lies above the next one, 0 where not tested.
    """

    tested: np.ndarray
    predicted: np.ndarray
    right: np.ndarray
    lead: np.ndarray


def answers(scores: ScoredTest, split: Split, n: int, *, gamma: float = 0.0) -> Answers:
    r"""Return what a method answers, among all classes, of a data set with ``n`` images.

    The answer to image :math:`i` is :math:`\hat c = \arg\max_c F_{ic} - \gamma [c \text{ seen}]`,
    its lead :math:`\max_c - \max_{c \ne \hat c}` of the same.
    """
    test = np.concatenate([split.test_seen, split.test_unseen])
    answer = scores.predicted(gamma)
    F = np.where(scores.seen, scores.F - gamma, scores.F)
    best = np.take_along_axis(F, answer[:, None], axis=1)[:, 0]
    np.put_along_axis(F, answer[:, None], -np.inf, axis=1)
    out = Answers(
        tested=np.zeros(n, dtype=bool),
        predicted=np.full(n, -1, dtype=np.int32),
        right=np.zeros(n, dtype=bool),
        lead=np.zeros(n),
    )
    out.tested[test] = True
    out.predicted[test] = scores.classes[answer]
    out.right[test] = answer == scores.y
    with np.errstate(invalid="ignore"):  # two scores of -inf have no difference
        out.lead[test] = np.nan_to_num(best - F.max(axis=1), posinf=np.finfo(float).max)
    return out
