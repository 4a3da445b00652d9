"""What lies nearest to an image in truth, and where the images of a map lie in its PCA."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from zslcore.analysis.maps.result import EmbeddedMap
from zslcore.datasets.base import ZSLDataset
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features.views import FeatureView, squared_distances


def in_pca(made: EmbeddedMap, datasets: Sequence[ZSLDataset]) -> np.ndarray:
    """Return the mapped images in the PCA that the map was made from.

    Parameters
    ----------
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
