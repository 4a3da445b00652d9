"""Images, what is said of them and what was answered to them, drawn as ink on paper."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.marks import escaped, hatch, marked
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, NEUTRAL, SEEN, UNSEEN, Mark, narrow, quiet, translucent

__all__ = ["answer_wall", "class_codes", "image_row", "nearest_looks", "picture"]

#: Images of a class in a row on a phone.
_ON_TELEPHONE = 6
#: Pictures are ink on paper in either theme.
INK = ((0.0, "#F7F6F2"), (1.0, "#16191D"))


@drawn_once
def picture(image: np.ndarray, *, height: int = 220) -> go.Figure:
    """Draw one picture, shape (height, width), values 0 to 1, as ink on paper."""
    figure = go.Figure(_ink(image[::-1], 0, 1))
    figure.update_xaxes(visible=False, scaleanchor="y", constrain="domain")
    figure.update_yaxes(visible=False, constrain="domain")
    return quiet(figure, height=height).update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4})


@drawn_once
def image_row(images: np.ndarray) -> go.Figure:
    """Draw pictures side by side, shape (n, height, width), values 0 to 1, as ink on paper."""
    figure = go.Figure(_image_row(images))
    figure.update_xaxes(visible=False, range=[-0.5, max(len(images), 10) - 0.5])
    figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")
    return quiet(figure, height=110).update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 0})


@drawn_once
def class_codes(
    means: np.ndarray,
    prototypes: np.ndarray,
    names: Sequence[str],
    attributes: Sequence[str],
    unseen: np.ndarray,
) -> go.Figure:
    """Draw every class as its mean picture above its description, one dot per attribute.

    Parameters
    ----------
    means : array of shape (n_classes, height, width), values 0 to 1
    prototypes : array of shape (n_classes, n_attributes), values 0 to 1
    names, attributes : of classes and attributes
    unseen : bool array of shape (n_classes,)
    """
    tall = 34 if narrow() else 64
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        row_heights=[tall, 16 * len(attributes)],
        vertical_spacing=34 / (34 + tall + 16 * len(attributes)),
    )
    figure.add_traces(_image_row(means, width=0.94), rows=1, cols=1)
    for role, mark, chosen in (("seen", SEEN, ~unseen), ("unseen", UNSEEN, unseen)):
        dots = _dots(prototypes * chosen[:, None], escaped(names), escaped(attributes), mark)
        figure.add_trace(dots.update(name=role), row=2, col=1)
    n, size = len(names), len(attributes)
    labels = [
        marked(name, "unseen" if is_new else "seen")
        for name, is_new in zip(names, unseen, strict=True)
    ]
    figure.update_xaxes(range=[-0.55, n - 0.45], showgrid=False, zeroline=False, fixedrange=True)
    figure.update_xaxes(row=2, col=1, side="top", tickvals=np.arange(n), ticktext=labels)
    figure.update_xaxes(row=2, col=1, tickangle=0, tickfont_size=12 if narrow() else 17)
    figure.update_xaxes(row=1, col=1, visible=False)
    figure.update_yaxes(row=1, col=1, visible=False, fixedrange=True)
    figure.update_yaxes(
        row=2,
        col=1,
        tickvals=np.arange(size),
        ticktext=escaped(attributes),
        tickfont_size=12,
        range=[size - 0.4, -0.6],
        gridcolor=FAINT,
        zeroline=False,
        fixedrange=True,
    )
    return quiet(figure, height=46 + tall + 16 * size).update_layout(showlegend=False, margin_t=4)


def _dots(S: np.ndarray, names: np.ndarray, attributes: np.ndarray, mark: Mark) -> go.Scatter:
    """Dot the values above zero of prototypes, a column a class, large where they are large."""
    c, a = np.nonzero(S)
    value = S[c, a]
    return go.Scatter(
        x=c,
        y=a,
        mode="markers",
        marker={
            "symbol": mark.symbol,
            "color": mark.color,
            "size": 11 * np.sqrt(value),
            "opacity": 0.35 + 0.65 * value,
        },
        customdata=np.stack([names[c], attributes[a], value], axis=1),
        hovertemplate="%{customdata[0]} · %{customdata[1]}: %{customdata[2]}<extra></extra>",
    )


@drawn_once
def answer_wall(
    images: np.ndarray, table: pd.DataFrame, names: Sequence[str], picked: int
) -> go.Figure:
    """Draw images of unseen classes, a line per class, and under each what was answered.

    On a telephone a class takes several lines, so that pictures keep their shape.

    Parameters
    ----------
    images : array of shape (n_images, height, width), values 0 to 1, one per row of ``table``
    table : see :func:`zslcore.analysis.recognition.answers`, sorted by class
    names : of all classes
    picked : position in ``table`` of the image that gets a frame
    """
    line, column = _cells(table["class"])
    lines, columns = line.max() + 1, column.max() + 1
    figure = go.Figure()
    figure.add_trace(_tint(table["seen"].to_numpy(), line, column))
    for k in range(lines):
        figure.add_trace(_image_row(images[line == k], base=_from_top(k, lines) + 0.3, size=0.56))
    figure.add_scatter(
        x=column,
        y=_from_top(line, lines) + 0.14,
        text=_answers(table, names),
        mode="text",
        textfont_size=14,
        hoverinfo="skip",
    )
    figure.add_trace(_click_targets(column, _from_top(line, lines) + 0.5, len(table)))
    figure.add_shape(
        type="rect",
        x0=column[picked] - 0.48,
        x1=column[picked] + 0.48,
        y0=_from_top(line[picked], lines) + 0.02,
        y1=_from_top(line[picked], lines) + 0.96,
        line={"width": 3, "color": NEUTRAL.color},
    )
    first = np.sort(np.unique(table["class"], return_index=True)[1])
    figure.update_xaxes(visible=False, range=[-0.55, columns - 0.45], fixedrange=True)
    figure.update_yaxes(
        range=[0, lines],
        tickvals=_from_top(line[first], lines) + 0.56,
        ticktext=[marked(names[c], "unseen") for c in table["class"].iloc[first]],
        tickfont_size=20,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_layout(showlegend=False)
    return quiet(figure, height=100 * lines).update_layout(margin_t=4)


@drawn_once
def nearest_looks(
    table: pd.DataFrame, looks: np.ndarray, names: Sequence[str], true_class: int
) -> go.Figure:
    """Draw how far an image is from what every class is predicted to look like, nearest first.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.recognition.candidates`, in order of ``total``
    looks : array of shape (n_rows, height, width), values 0 to 1, one per row of ``table``
    names : of all classes
    true_class : the class that the image is of
    """
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        row_heights=[0.85, 0.15] if narrow() else [0.66, 0.34],
        vertical_spacing=0.18 if narrow() else 0.13,
    )
    figure.add_traces(_distances(table))
    figure.add_traces(_image_row(looks), rows=2, cols=1)
    between = "<br>" if narrow() else " "
    x, roles = np.arange(len(table)), np.where(table["seen"], "seen", "unseen")
    labels = [
        marked(names[c], role) + (f"{between}✓" if c == true_class else "")
        for c, role in zip(table["class"], roles, strict=True)
    ]
    figure.update_layout(barmode="stack", showlegend=False)
    figure.update_xaxes(range=[-0.55, max(len(table), 5) - 0.45], fixedrange=True, showgrid=False)
    figure.update_xaxes(
        row=1,
        col=1,
        tickvals=x,
        ticktext=labels,
        tickangle=0,
        tickfont_size=12 if narrow() else 16,
        showticklabels=True,
    )
    figure.update_xaxes(row=2, col=1, visible=False)
    figure.update_yaxes(
        row=1, col=1, title_text="squared distance", gridcolor=FAINT, fixedrange=True, nticks=4
    )
    figure.update_yaxes(row=2, col=1, visible=False, fixedrange=True)
    return quiet(figure, height=300).update_layout(margin_t=8)


def _distances(table: pd.DataFrame) -> list[go.Bar]:
    """Draw a bar for every distance, and on those of seen classes what holds them back."""
    x, seen = np.arange(len(table)), table["seen"].to_numpy(dtype=bool)
    bars = [
        go.Bar(
            x=x[chosen],
            y=table["distance"][chosen],
            marker={"color": mark.color, "pattern": hatch(mark.pattern)},
            hovertemplate="squared distance %{y:.3f}<extra></extra>",
            width=0.62,
        )
        for mark, chosen in ((SEEN, seen), (UNSEEN, ~seen))
    ]
    held = table["held_back"].to_numpy() > 0
    on_top = go.Bar(
        x=x[held],
        y=table["held_back"][held],
        marker={
            "color": translucent(SEEN.color, 0.3),
            "line": {"color": SEEN.color, "width": 1},
            "pattern": hatch("."),
        },
        hovertemplate="γ = %{y:.3f} on top<extra></extra>",
        width=0.62,
    )
    return [*bars, on_top]


def _ink(z: np.ndarray, x0: float, width: float) -> go.Heatmap:
    rows, columns = z.shape
    return go.Heatmap(
        z=z,
        x=x0 + np.arange(columns + 1) * width / columns,
        y=np.arange(rows + 1) * width / columns,
        zmin=0,
        zmax=1,
        colorscale=INK,
        showscale=False,
        hoverinfo="skip",
    )


def _image_row(
    images: np.ndarray, base: float = 0.0, size: float = 0.8, width: float = 0.8
) -> go.Heatmap:
    """Draw images side by side, centred at 0, 1, 2 ...; one trace however many there are."""
    n, rows, columns = images.shape
    gap = np.full((n, rows, 1), np.nan)
    mosaic = np.concatenate([images[:, ::-1], gap], axis=2).transpose(1, 0, 2).reshape(rows, -1)
    edges = (np.arange(columns + 1) / columns - 0.5) * width
    trace = _ink(mosaic[:, :-1], 0, 1)
    trace.x = (np.arange(n)[:, None] + edges).ravel()
    trace.y = base + np.arange(rows + 1) * size / rows
    return trace


def _tint(seen: np.ndarray, line: np.ndarray, column: np.ndarray) -> go.Heatmap:
    """Colour the cell behind every image by the side its answer is on."""
    lines, columns = line.max() + 1, column.max() + 1
    z = np.full((lines, columns), np.nan)
    z[lines - 1 - line, column] = seen
    side = [translucent(UNSEEN.color, 0.3), translucent(SEEN.color, 0.42)]
    return go.Heatmap(
        z=z,
        x=np.arange(columns + 1) - 0.5,
        y=np.arange(lines + 1),
        zmin=0,
        zmax=1,
        colorscale=[(0, side[0]), (0.5, side[0]), (0.5, side[1]), (1, side[1])],
        showscale=False,
        hoverinfo="skip",
        xgap=3,
        ygap=5,
    )


def _answers(table: pd.DataFrame, names: Sequence[str]) -> list[str]:
    """Write every answer with the mark of its side, right ones ticked."""
    answer = [names[c] for c in table["answer"]]
    return [
        marked(name, "seen" if seen else "unseen", bold=False) + (" <b>✓</b>" if right else "")
        for name, right, seen in zip(answer, table["right"], table["seen"], strict=True)
    ]


def _cells(classes: pd.Series) -> tuple[np.ndarray, np.ndarray]:
    """Return the line and the column of every image, of which those of a class stand together."""
    kind = classes.factorize()[0]
    place = classes.groupby(kind).cumcount().to_numpy()
    columns = _ON_TELEPHONE if narrow() else place.max() + 1
    return kind * -(-(place.max() + 1) // columns) + place // columns, place % columns


def _click_targets(x: np.ndarray, y: np.ndarray, n: int) -> go.Scatter:
    """Invisible markers over the images; a heat map cannot be clicked in Streamlit."""
    unseen = {"marker": {"opacity": 0}}
    return go.Scatter(
        x=x,
        y=y,
        mode="markers",
        marker={"symbol": "square", "size": 44, "opacity": 0},
        selected=unseen,
        unselected=unseen,
        customdata=np.arange(n) + 1,
        hovertemplate="image %{customdata}: click for details<extra></extra>",
        name="images",
    )


def _from_top(line: Any, lines: int) -> Any:
    """Return where lines, one or an array, stand when they are counted from the top."""
    return lines - 1 - line
