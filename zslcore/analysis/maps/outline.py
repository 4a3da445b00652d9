"""Which points lie inside an outline drawn on a map."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from zslcore.exceptions import ParameterError


def inside(polygon: ArrayLike, points: np.ndarray) -> np.ndarray:
    """Return whether each point is inside a polygon, by the even-odd rule.

    Parameters
    ----------
    polygon : array-like of shape (n_corners, 2), closed by itself; it may cross itself
    points : array of shape (n, 2)

    Returns
    -------
    bool array of shape (n,); fewer than three corners hold nothing
    """
    corners = np.asarray(polygon, dtype=np.float64)
    if corners.size and (corners.ndim != 2 or corners.shape[1] != 2):
        raise ParameterError(f"An outline must have shape (corners, 2); got {corners.shape}.")
    out = np.zeros(len(points), dtype=bool)
    if len(corners) < 3 or not np.isfinite(corners).all():
        return out
    x, y = np.asarray(points, dtype=np.float64).T
    near = np.flatnonzero(
        (x >= corners[:, 0].min()) & (x <= corners[:, 0].max())
        & (y >= corners[:, 1].min()) & (y <= corners[:, 1].max())
    )  # fmt: skip
    x, y, odd = x[near], y[near], np.zeros(len(near), dtype=bool)
    for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        if ay != by:  # a level edge is crossed by no level ray
            odd ^= ((ay > y) != (by > y)) & (x < (bx - ax) * (y - ay) / (by - ay) + ax)
    out[near] = odd
    return out
