"""Pictures of data: images and what is said of them, classes, attributes and splits.

Names of classes and attributes may come from a file somebody sent, and Plotly reads a little HTML:
they are escaped here, wherever they become part of a figure.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ui.figures.marks import COLOR, escaped, hatch, legend_on_top, marked
from ui.figures.palette import (
    FAINT,
    OVERLAP,
    SEEN,
    SEQUENTIAL,
    UNSEEN,
    VALIDATED,
    quiet,
    translucent,
)

__all__ = [
    "answer_wall",
    "attribute_map",
    "class_axis",
    "class_codes",
    "class_counts",
    "image_row",
    "nearest_looks",
    "overlap_counts",
    "picture",
    "split_map",
]

#: Pictures are ink on paper in either theme.
INK = ((0.0, "#F7F6F2"), (1.0, "#16191D"))
#: More names than this along an axis cannot be read from the back row.
MOST_NAMES = 50
#: The same for attributes, whose map leaves room for the names of classes.
MOST_ATTRIBUTES = 40


# --- Images ---------------------------------------------------------------------------------------


def picture(image: np.ndarray, *, height: int = 220) -> go.Figure:
    """Draw one picture, shape (height, width), values 0 to 1, as ink on paper."""
    figure = go.Figure(_ink(image[::-1], 0, 1))
    figure.update_xaxes(visible=False, scaleanchor="y", constrain="domain")
    figure.update_yaxes(visible=False, constrain="domain")
    return quiet(figure, height=height).update_layout(margin={"l": 4, "r": 4, "t": 4, "b": 4})


def image_row(images: np.ndarray) -> go.Figure:
    """Draw pictures side by side, shape (n, height, width), values 0 to 1, as ink on paper."""
    figure = go.Figure(_image_row(images))
    figure.update_xaxes(visible=False, range=[-0.5, max(len(images), 10) - 0.5])
    figure.update_yaxes(visible=False, scaleanchor="x", constrain="domain")
    return quiet(figure, height=110).update_layout(margin={"l": 0, "r": 0, "t": 0, "b": 0})


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
    figure = make_subplots(
        rows=2,
        cols=1,
        shared_xaxes=True,
        row_heights=[64, 16 * len(attributes)],
        vertical_spacing=34 / (98 + 16 * len(attributes)),
    )
    figure.add_traces(_image_row(means, width=0.94), rows=1, cols=1)
    for role, mark, chosen in (("seen", SEEN, ~unseen), ("unseen", UNSEEN, unseen)):
        c, a = np.nonzero(prototypes * chosen[:, None])
        value = prototypes[c, a]
        figure.add_scatter(
            x=c,
            y=a,
            mode="markers",
            name=role,
            marker={
                "symbol": mark.symbol,
                "color": mark.color,
                "size": 11 * np.sqrt(value),
                "opacity": 0.35 + 0.65 * value,
            },
            customdata=np.stack([escaped(names)[c], escaped(attributes)[a], value], axis=1),
            hovertemplate="%{customdata[0]} · %{customdata[1]}: %{customdata[2]}<extra></extra>",
            row=2,
            col=1,
        )
    n, size = len(names), len(attributes)
    labels = [
        marked(name, "unseen" if is_new else "seen")
        for name, is_new in zip(names, unseen, strict=True)
    ]
    figure.update_xaxes(range=[-0.55, n - 0.45], showgrid=False, zeroline=False, fixedrange=True)
    figure.update_xaxes(
        row=2, col=1, side="top", tickvals=np.arange(n), ticktext=labels, tickfont_size=17
    )
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
    return quiet(figure, height=110 + 16 * size).update_layout(showlegend=False, margin_t=4)


def answer_wall(
    images: np.ndarray, table: pd.DataFrame, names: Sequence[str], picked: int
) -> go.Figure:
    """Draw images of unseen classes, one line per class, and under each what was answered.

    Parameters
    ----------
    images : array of shape (n_images, height, width), values 0 to 1, one per row of ``table``
    table : see :func:`zslcore.analysis.recognition.answers`, sorted by class
    names : of all classes
    picked : position in ``table`` of the image that gets a frame
    """
    line = table["class"].factorize()[0]
    column = table.groupby(line).cumcount().to_numpy()
    lines, columns = line.max() + 1, column.max() + 1
    figure = go.Figure()
    figure.add_trace(_tint(table["seen"].to_numpy(), line, column))
    for k in range(lines):
        figure.add_trace(_image_row(images[line == k], base=_from_top(k, lines) + 0.3, size=0.56))
    answer = [names[c] for c in table["answer"]]
    text = [
        marked(name, "seen" if seen else "unseen", bold=False) + (" <b>✓</b>" if right else "")
        for name, right, seen in zip(answer, table["right"], table["seen"], strict=True)
    ]
    figure.add_scatter(
        x=column,
        y=_from_top(line, lines) + 0.14,
        text=text,
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
        line={"width": 3, "color": "#8C8C8C"},
    )
    truth = [names[c] for c in table["class"].unique()]
    figure.update_xaxes(visible=False, range=[-0.55, columns - 0.45], fixedrange=True)
    figure.update_yaxes(
        range=[0, lines],
        tickvals=_from_top(np.arange(lines), lines) + 0.56,
        ticktext=[marked(name, "unseen") for name in truth],
        tickfont_size=20,
        showgrid=False,
        zeroline=False,
        fixedrange=True,
    )
    figure.update_layout(showlegend=False)
    return quiet(figure, height=100 * lines).update_layout(margin_t=4)


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
        rows=2, cols=1, shared_xaxes=True, row_heights=[0.66, 0.34], vertical_spacing=0.13
    )
    x = np.arange(len(table))
    roles = np.where(table["seen"], "seen", "unseen")
    for role, mark in (("seen", SEEN), ("unseen", UNSEEN)):
        chosen = roles == role
        figure.add_bar(
            x=x[chosen],
            y=table["distance"][chosen],
            marker={"color": mark.color, "pattern": hatch(mark.pattern)},
            hovertemplate="squared distance %{y:.3f}<extra></extra>",
            width=0.62,
        )
    held = table["held_back"].to_numpy() > 0
    figure.add_bar(
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
    figure.add_traces(_image_row(looks), rows=2, cols=1)
    labels = [
        marked(names[c], role) + (" ✓" if c == true_class else "")
        for c, role in zip(table["class"], roles, strict=True)
    ]
    figure.update_layout(barmode="stack", showlegend=False)
    figure.update_xaxes(range=[-0.55, max(len(table), 5) - 0.45], fixedrange=True, showgrid=False)
    figure.update_xaxes(
        row=1, col=1, tickvals=x, ticktext=labels, tickfont_size=16, showticklabels=True
    )
    figure.update_xaxes(row=2, col=1, visible=False)
    figure.update_yaxes(
        row=1, col=1, title_text="squared distance", gridcolor=FAINT, fixedrange=True, nticks=4
    )
    figure.update_yaxes(row=2, col=1, visible=False, fixedrange=True)
    return quiet(figure, height=300).update_layout(margin_t=8)


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


def _click_targets(x, y, n: int) -> go.Scatter:
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
        hovertemplate="image %{customdata}: click to look closer<extra></extra>",
        name="images",
    )


def _from_top(line, lines: int):
    return lines - 1 - line


# --- Classes --------------------------------------------------------------------------------------


def class_counts(table: pd.DataFrame) -> go.Figure:
    """Draw the images of every class, in the order of ``table``, test classes marked.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.inventory.class_table`
    """
    figure = go.Figure()
    place = np.arange(len(table))
    names = escaped(table["class"])
    for role, mark, label in (
        ("seen", SEEN, "seen"),
        ("unseen", UNSEEN, "unseen, test classes"),
        ("both", OVERLAP, "trained and tested as unseen"),
        ("none", None, "in no part of the split"),
    ):
        chosen = (table["role"] == role).to_numpy()
        if not chosen.any():
            continue
        figure.add_bar(
            x=place[chosen],
            y=table["images"][chosen],
            name=label,
            marker={
                "color": COLOR[role],
                "line_width": 0,
                "pattern": hatch(mark.pattern if mark else ""),
            },
            customdata=names[chosen],
            hovertemplate="%{customdata}: %{y:,} images<extra></extra>",
        )
    known = table["imagenet1k"].fillna("").astype(bool).to_numpy()
    if known.any():
        figure.add_scatter(
            x=place[known],
            y=np.full(known.sum(), -0.035 * table["images"].max()),
            mode="markers",
            name="among ImageNet-1K's classes",
            marker={"symbol": OVERLAP.symbol, "color": OVERLAP.color, "size": 8},
            customdata=names[known],
            hovertemplate="%{customdata} is among ImageNet-1K's classes<extra></extra>",
        )
    class_axis(figure, table["class"], table["role"])
    figure.update_yaxes(title_text="images", gridcolor=FAINT, zeroline=False)
    return legend_on_top(quiet(figure, height=430)).update_layout(bargap=0.15)


def attribute_map(table: pd.DataFrame, roles: Sequence[str]) -> go.Figure:
    """Draw prototypes as a heat map, one line per class, names in the colour of their role.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.inventory.attribute_table`
    roles : role of every row of ``table``, as in :func:`zslcore.analysis.inventory.class_table`
    """
    classes, attributes = escaped(table.index), escaped(table.columns)
    figure = go.Figure(
        go.Heatmap(
            z=table.to_numpy(),
            colorscale=SEQUENTIAL,
            colorbar={
                "thickness": 10,
                "outlinewidth": 0,
                "tickfont_size": 12,
                "lenmode": "pixels",
                "len": 150,
                "y": 1,
                "yanchor": "top",
            },
            customdata=np.broadcast_to(classes[:, None], table.shape),
            text=np.broadcast_to(attributes[None, :], table.shape),
            hovertemplate="%{customdata} · %{text}: %{z:.3g}<extra></extra>",
            xgap=1 if table.shape[1] <= 2 * MOST_ATTRIBUTES else 0,
            ygap=1,
        )
    )
    labels = [marked(name, role, bold=False) for name, role in zip(table.index, roles, strict=True)]
    figure.update_yaxes(
        autorange="reversed", tickvals=np.arange(len(labels)), ticktext=labels, tickfont_size=13
    )
    legible = table.shape[1] <= MOST_ATTRIBUTES
    figure.update_xaxes(
        side="top",
        tickvals=np.arange(len(attributes)) if legible else [],
        ticktext=attributes if legible else [],
        tickangle=-60,
        tickfont_size=12,
    )
    headroom = 20 + (7 * max(map(len, table.columns)) if legible else 0)
    return quiet(figure, height=min(headroom, 190) + 20 + 19 * len(labels))


def overlap_counts(table: pd.DataFrame) -> go.Figure:
    """Draw the images of every unseen class, those that the extractor had met hatched.

    Parameters
    ----------
    table : rows of :func:`zslcore.analysis.inventory.class_table` that are unseen
    """
    figure = go.Figure()
    known = table["imagenet1k"].fillna("").astype(bool).to_numpy()
    place = np.arange(len(table))
    for mark, label, chosen in (
        (OVERLAP, "among ImageNet-1K's classes", known),
        (UNSEEN, "not known to be among them", ~known),
    ):
        figure.add_bar(
            x=place[chosen],
            y=table["images"][chosen],
            name=label,
            marker={"color": mark.color, "pattern": hatch(mark.pattern), "line_width": 0},
            customdata=escaped(table["class"])[chosen],
            hovertemplate=f"%{{customdata}}, {label}: %{{y:,}} images<extra></extra>",
        )
    class_axis(figure, table["class"], table["role"])
    figure.update_yaxes(title_text="images", gridcolor=FAINT, zeroline=False)
    return legend_on_top(quiet(figure, height=380)).update_layout(bargap=0.25)


# --- Splits ---------------------------------------------------------------------------------------


def split_map(table: pd.DataFrame, folds: pd.DataFrame) -> go.Figure:
    """Draw a split as images x classes, and under it which classes every fold validates on.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.inventory.class_table`
    folds : see :func:`zslcore.analysis.inventory.fold_roles`, rows in the order of ``table``
    """
    lines = folds.shape[1]
    strip = 26 * max(lines, 1)
    figure = make_subplots(
        rows=2, cols=1, shared_xaxes=True, row_heights=[330, strip], vertical_spacing=0.03
    )
    names = escaped(table["class"])
    for part, label, color, pattern in (
        ("trainval", "trainval", SEEN.color, ""),
        ("test_seen", "test, seen classes", translucent(SEEN.color, 0.55), "."),
        ("test_unseen", "test, unseen classes", UNSEEN.color, UNSEEN.pattern),
        ("several", "in more than one part", OVERLAP.color, OVERLAP.pattern),
        ("none", "in no part", "#B8BDC4", ""),
    ):
        if table[part].any():
            figure.add_bar(
                x=np.arange(len(table)),
                y=table[part],
                name=label,
                marker={"color": color, "pattern": hatch(pattern), "line_width": 0},
                customdata=names,
                hovertemplate=f"%{{customdata}}: %{{y:,}} images {label}<extra></extra>",
                row=1,
                col=1,
            )
    if lines:
        figure.add_traces(_fold_strip(table, folds), rows=2, cols=1)
    figure.update_yaxes(row=1, col=1, title_text="images", gridcolor=FAINT, zeroline=False)
    figure.update_yaxes(
        row=2,
        col=1,
        tickvals=np.arange(lines),
        ticktext=list(folds.columns),
        range=[lines - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
        tickfont_size=13,
    )
    class_axis(figure, table["class"], table["role"], row=2, col=1)
    figure.update_xaxes(row=1, col=1, showticklabels=False, showgrid=False)
    figure.update_layout(barmode="stack", bargap=0.1 if len(table) <= MOST_NAMES else 0)
    return legend_on_top(quiet(figure, height=430 + strip))


def _fold_strip(table: pd.DataFrame, folds: pd.DataFrame) -> list[go.Scatter | go.Heatmap]:
    """Colour validation classes of every fold green, training classes faintly blue."""
    code = {"": np.nan, "train": 0.0, "val": 1.0, "both": 2.0}
    z = folds.map(code.get).to_numpy(dtype=float).T
    train = translucent(SEEN.color, 0.28)
    steps = [train, VALIDATED.color, OVERLAP.color]
    scale = [(k / 3 + at / 3, color) for k, color in enumerate(steps) for at in (0, 1)]
    strip = go.Heatmap(
        z=z,
        zmin=-0.5,
        zmax=2.5,
        colorscale=scale,
        showscale=False,
        xgap=1 if len(table) <= 2 * MOST_NAMES else 0,
        ygap=3,
        customdata=np.broadcast_to(escaped(table["class"]), z.shape),
        text=folds.to_numpy().T,
        hovertemplate="%{customdata}, %{y}: %{text}<extra></extra>",
    )
    key = {"x": [None], "y": [None], "mode": "markers"}
    legend = [
        go.Scatter(**key, name=name, marker={"symbol": "square", "size": 11, "color": color})
        for name, color in (("fold: train", train), ("fold: validation", VALIDATED.color))
    ]
    return [strip, *legend]


# --- Words in figures -----------------------------------------------------------------------------


def class_axis(figure: go.Figure, names, roles, **where) -> None:
    """Name the classes along the axis where they can be read; marks say which are unseen."""
    legible = len(names) <= MOST_NAMES
    labels = [marked(name, role, bold=False) for name, role in zip(names, roles, strict=True)]
    figure.update_xaxes(
        tickvals=np.arange(len(names)) if legible else [],
        ticktext=labels if legible else [],
        tickangle=-60 if len(names) > 12 else 0,
        tickfont_size=12 if len(names) > 12 else 15,
        title_text="" if legible else f"{len(names):,} classes; point at one for its name",
        range=[-0.6, len(names) - 0.4],
        showgrid=False,
        zeroline=False,
        **where,
    )
