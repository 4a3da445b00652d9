"""Images drawn as ink on paper."""

from __future__ import annotations

import numpy as np

from ui.figures.cached import cached_figure
from ui.figures.vocabulary import Chart, Part, axis, figure, heatmap

#: Colours of ink on paper, the same in both themes.
INK = ((0.0, "#F7F6F2"), (1.0, "#16191D"))
#: A row has room for at least this number of images.
_MOST = 10


@cached_figure
def picture(image: np.ndarray, *, height: int = 220) -> Chart:
    """Draw one picture, shape (height, width), values 0 to 1, as ink on paper."""
    return figure(
        [_ink(image)],
        height=height,
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
        xaxis=axis(visible=False, scaleanchor="y"),
        yaxis=axis(visible=False, autorange="reversed"),
    )


@cached_figure
def image_row(images: np.ndarray) -> Chart:
    """Draw pictures side by side, shape (n, height, width), values 0 to 1, as ink on paper."""
    n, rows, columns = images.shape
    between = columns // 4
    gap = np.full((n, rows, between), np.nan)
    mosaic = np.concatenate([images, gap], axis=2).transpose(1, 0, 2).reshape(rows, -1)
    return figure(
        [_ink(mosaic)],
        height=110,
        margin={"l": 0, "r": 0, "t": 0, "b": 0},
        xaxis=axis(visible=False, range=[-0.5, max(n, _MOST) * (columns + between) - 0.5]),
        yaxis=axis(visible=False, autorange="reversed", scaleanchor="x"),
    )


def _ink(z: np.ndarray) -> Part:
    return heatmap(z=z, zmin=0, zmax=1, colorscale=INK, showscale=False, hoverinfo="skip")
