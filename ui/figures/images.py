"""Images, drawn as ink on paper."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from ui.figures.cached import cached_figure
from ui.figures.palette import quiet

#: Pictures are ink on paper in either theme.
INK = ((0.0, "#F7F6F2"), (1.0, "#16191D"))


@cached_figure
def picture(image: np.ndarray, *, height: int = 220) -> go.Figure:
    """Draw one picture, shape (height, width), values 0 to 1, as ink on paper."""
    figure = go.Figure(_ink(image[::-1]))
    figure.update_xaxes(visible=False, scaleanchor="y", constrain="domain")
    figure.update_yaxes(visible=False, constrain="domain")
    return quiet(figure, height=height).update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4})


@cached_figure
def image_row(images: np.ndarray) -> go.Figure:
    """Draw pictures side by side, shape (n, height, width), values 0 to 1, as ink on paper."""
    figure = go.Figure(_image_row(images))
    figure.update_xaxes(visible=False, range=[-0.5, max(len(images), 10) - 0.5])
    figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")
    return quiet(figure, height=110).update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 0})


def _ink(z: np.ndarray) -> go.Heatmap:
    rows, columns = z.shape
    return go.Heatmap(
        z=z,
        x=np.arange(columns + 1) / columns,
        y=np.arange(rows + 1) / columns,
        zmin=0,
        zmax=1,
        colorscale=INK,
        showscale=False,
        hoverinfo="skip",
    )


def _image_row(images: np.ndarray) -> go.Heatmap:
    """Draw images side by side, centred at 0, 1, 2 ...; one trace however many there are."""
    size = 0.8
    n, rows, columns = images.shape
    gap = np.full((n, rows, 1), np.nan)
    mosaic = np.concatenate([images[:, ::-1], gap], axis=2).transpose(1, 0, 2).reshape(rows, -1)
    edges = (np.arange(columns + 1) / columns - 0.5) * size
    trace = _ink(mosaic[:, :-1])
    trace.x = (np.arange(n)[:, None] + edges).ravel()
    trace.y = np.arange(rows + 1) * size / rows
    return trace
