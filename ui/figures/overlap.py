"""Accuracy of test classes in and outside the pre-training set, and rankings without them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from html import escape

import numpy as np
import pandas as pd
import plotly.graph_objects as go

from ui.figures.marks import (
    LOOKS,
    crowded,
    escaped,
    filled,
    hatch,
    legend_on_top,
    marked,
    names_fit,
    panels,
    row_axis,
    whiskers,
)
from ui.figures.once import drawn_once
from ui.figures.palette import FAINT, HARMONIC, NEUTRAL, OVERLAP, UNSEEN, Mark, narrow, quiet

__all__ = [
    "accuracy_over_hops",
    "class_accuracy_bars",
    "clean_slopes",
    "gain_matrix",
    "nearest_classes",
]

#: Below this p, adjusted over methods, a gain is drawn filled.
SIGNIFICANT = 0.05
#: Features that no network was trained for.
FEATURES_WITHOUT = NEUTRAL
#: Sides in their order: (overlapping, name in the legend, letter before a class, mark).
SIDES = (
    (True, "overlapping: the extractor was trained on it", "▲", OVERLAP),
    (False, "clean: truly unseen", "◆", UNSEEN),
)


@drawn_once
def class_accuracy_bars(table: pd.DataFrame, means: dict[bool, float], picked: str) -> go.Figure:
    """Draw the accuracy of every test class with its interval, best first, and the two means.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.overlap_tables.class_accuracies` and
        :func:`zslcore.analysis.overlap_tables.classes_over_draws`
    means : mean accuracy of the overlapping (True) and of the clean classes (False), if any
    picked : class that is looked at, which gets a frame
    """
    figure, place = go.Figure(), np.arange(len(table))
    names = escaped(table["class"])
    for side, label, _, mark in SIDES:
        figure.add_trace(_side(table, side, picked, mark).update(name=label))
        if side in means:
            figure.add_trace(_mean_line(means[side], len(table), side, mark))
    legible = names_fit(len(table))
    glyph = {side: f'<span style="color:{mark.color}">{g}</span>' for side, _, g, mark in SIDES}
    labels = [f"{glyph[o]} {n}" for o, n in zip(table["overlapping"], names, strict=True)]
    figure.update_xaxes(
        tickvals=place if legible else [],
        ticktext=labels if legible else [],
        tickangle=-60 if crowded(list(table["class"])) else 0,
        title_text="" if legible else f"{len(table):,} test classes; point at one for its name",
        range=[-0.6, len(table) - 0.4],
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(tickformat=".0%", range=[0, 1.03], gridcolor=FAINT, fixedrange=True)
    figure.update_layout(barmode="overlay")
    return legend_on_top(quiet(figure, height=360 if len(table) <= 12 else 480))


def _side(table: pd.DataFrame, side: bool, picked: str, mark: Mark) -> go.Bar:
    """Draw the overlapping classes (True) or the clean ones with their intervals."""
    chosen = (table["overlapping"] == side).to_numpy()
    part, legible = table[chosen], names_fit(len(table))
    return go.Bar(
        x=np.flatnonzero(chosen),
        y=part["accuracy"],
        width=0.8,  # else a side's bars would fill the distance between its classes
        marker={
            "color": mark.color,
            "pattern": hatch(mark.pattern),
            "line": {"width": np.where(part["class"] == picked, 3, 0), "color": HARMONIC.color},
        },
        error_y={
            "array": part["high"] - part["accuracy"],
            "arrayminus": part["accuracy"] - part["low"],
            "color": NEUTRAL.color if legible else FAINT,
            "thickness": 1.8,
            "width": 3 if legible else 0,
        },
        customdata=np.stack([escaped(part["class"]), _counted(part)], axis=1),
        hovertemplate="%{customdata[0]}: %{y:.1%}, %{customdata[1]}<extra></extra>",
    )


def _counted(part: pd.DataFrame) -> list[str]:
    """Return what each accuracy is a share or a mean of."""
    if "draws" in part:
        return [f"mean of {n} draws" for n in part["draws"]]
    counts = zip(part["correct"], part["images"], strict=True)
    return [f"{correct} of {images} images" for correct, images in counts]


def _mean_line(mean: float, n: int, side: bool, mark: Mark) -> go.Scatter:
    name = "ACC_OUC" if side else "ACC_TUC"
    return go.Scatter(
        x=[-0.6, n - 0.4],
        y=[mean, mean],
        mode="lines",
        name=f"{name} {100 * mean:.1f} %",
        line={"color": mark.color, "width": 2, "dash": "dash" if side else "dot"},
        hovertemplate=f"{name}: %{{y:.1%}}<extra></extra>",
    )


@drawn_once
def accuracy_over_hops(table: pd.DataFrame, means: pd.DataFrame) -> go.Figure:
    """Draw accuracy over the distance from the pre-training classes, a point a class.

    Parameters
    ----------
    table : ``class``, ``hops``, ``nearest``, ``accuracy`` and ``overlapping``, a row a class
    means : see :class:`zslcore.analysis.hops.HopTrend`
    """
    figure, aside = go.Figure(), np.zeros(len(table))
    order = table.groupby("hops").cumcount().to_numpy()
    crowd = table.groupby("hops")["hops"].transform("size").to_numpy()
    np.divide(order - (crowd - 1) / 2, crowd, out=aside, where=crowd > 0)
    for side, label, _, mark in SIDES:
        of = (table["overlapping"] == side).to_numpy()
        if not of.any():
            continue
        part = table[of]
        figure.add_scatter(
            x=part["hops"] + 0.5 * aside[of],
            y=part["accuracy"],
            mode="markers",
            name=label,
            marker={"color": mark.color, "symbol": mark.symbol, "size": 9, "opacity": 0.8},
            customdata=np.stack([escaped(part["class"]), escaped(part["nearest"])], axis=1),
            hovertemplate="%{customdata[0]}: %{y:.1%}, nearest %{customdata[1]}<extra></extra>",
        )
    figure.add_scatter(
        x=means["hops"],
        y=means["accuracy"],
        mode="lines+markers",
        name="mean over classes",
        line={"color": HARMONIC.color, "width": 2},
        marker={"symbol": HARMONIC.symbol, "size": 8},
        customdata=means["classes"],
        hovertemplate="%{x} hops, %{customdata} classes: %{y:.1%}<extra></extra>",
    )
    figure.update_xaxes(
        title_text="hops to the nearest pre-training class", dtick=1, zeroline=False
    )
    figure.update_yaxes(
        tickformat=".0%", range=[-0.03, 1.03], gridcolor=FAINT, title_text="accuracy"
    )
    return legend_on_top(quiet(figure, height=400))


@drawn_once
def clean_slopes(table: pd.DataFrame) -> go.Figure:
    """Draw every method's accuracy on all test classes next to that on the clean ones.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.overlap_tables.method_gains`
    """
    figure = go.Figure()
    best = (table["rank_all"] == 1) | (table["rank_clean"] == 1)
    gap = 0.065 * max(table["all"].max() - table["clean"].min(), 0.01)
    for (_, row), wins in zip(table.iterrows(), best, strict=True):
        figure.add_scatter(
            x=["all test classes", "clean classes"],
            y=[row["all"], row["clean"]],
            mode="lines+markers",
            line={"color": HARMONIC.color if wins else NEUTRAL.color, "width": 4 if wins else 1.5},
            marker={"symbol": HARMONIC.symbol, "size": 10 if wins else 7},
            hovertemplate=f"{escape(row['method'])}, %{{x}}: %{{y:.1%}}<extra></extra>",
            showlegend=False,
        )
    for x, column, anchor, shift in ((0, "all", "right", -12), (1, "clean", "left", 12)):
        for place, (_, row) in zip(
            _spread(table[column].to_numpy(), gap), table.iterrows(), strict=True
        ):
            name = f"{row[f'rank_{column}']}. {escape(row['method'])}"
            figure.add_annotation(
                x=x,
                y=place,
                text=f"<b>{name}</b>" if row[f"rank_{column}"] == 1 else name,
                xanchor=anchor,
                xshift=shift,
                showarrow=False,
                font_size=13,
            )
    figure.update_xaxes(
        range=[-1.6, 2.6],
        tickvals=[0, 1],
        ticktext=["all test<br>classes", "clean<br>classes"],
        tickangle=0,
        showgrid=False,
        fixedrange=True,
    )
    figure.update_yaxes(tickformat=".0%", gridcolor=FAINT, fixedrange=True, zeroline=False)
    return quiet(figure, height=max(320, 90 + 26 * len(table)))


def _spread(values: np.ndarray, gap: float) -> np.ndarray:
    """Move places down where two would be nearer than ``gap``, so that names can be read."""
    places, limit = values.astype(float), np.inf
    for k in np.argsort(-values, kind="stable"):
        places[k] = min(values[k], limit)
        limit = places[k] - gap
    return places


@drawn_once
def gain_matrix(table: pd.DataFrame, baseline: str | None) -> go.Figure:
    """Draw the gain of every method, a line each, with every feature set, a panel each.

    Gains that hold after Holm are filled. With a baseline a last panel shows what is left of the
    gain of the others when the baseline's is taken away.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.overlap.study_summary`
    baseline : features without pre-training
    """
    methods, features = (list(dict.fromkeys(table[c])) for c in ("method", "features"))
    deep = [name for name in features if name != baseline] if baseline in features else []
    titles = [f"{escape(f)}{' (baseline)' if f == baseline else ''}" for f in features]
    titles += [f"{escape(name)} − baseline" for name in deep]
    figure, at = panels(titles, spacing=0.03, below=0.75, share_y=True)
    for k, name in enumerate(features, start=1):
        part = table[table["features"] == name].set_index("method").loc[methods]
        mark = FEATURES_WITHOUT if name == baseline else OVERLAP
        holds = part["p_holm"] < SIGNIFICANT
        figure.add_trace(_gains(part, ("gain", "low", "high"), holds, mark), **at(k))
    for k, name in enumerate(deep, start=len(features) + 1):
        part = table[table["features"] == name].set_index("method").loc[methods]
        holds = (part["minus_low"] > 0) | (part["minus_high"] < 0)
        columns = ("gain_minus_baseline", "minus_low", "minus_high")
        figure.add_trace(_gains(part, columns, holds, HARMONIC), **at(k))
    figure.add_vline(x=0, line={"color": NEUTRAL.color, "width": 1})
    for k in range(2, len(features) + 1):
        figure.update_xaxes(matches="x", **at(k))
    for k in range(len(features) + 2, len(titles) + 1):
        figure.update_xaxes(matches=f"x{len(features) + 1}", **at(k))
    figure.update_xaxes(tickformat=".0%", gridcolor=FAINT, zeroline=False, fixedrange=True)
    row_axis(figure, methods, above=0.75, below=0.6)
    figure.update_annotations(font_size=14)
    height = 90 + (56 * len(methods) + 64) * len(titles) if narrow() else 90 + 56 * len(methods)
    return quiet(figure, height=height).update_layout(showlegend=False)


def _gains(
    part: pd.DataFrame, columns: tuple[str, str, str], holds: Iterable[object], mark: Mark
) -> go.Scatter:
    """Points with intervals and their values; where there is no interval, points alone."""
    value, low, high = (part[column].to_numpy(dtype=float) for column in columns)
    return go.Scatter(
        x=value,
        y=np.arange(len(part)),
        mode="markers+text",
        text=[f"{100 * v:.0f} %".replace("-", "−") for v in value],
        textposition="top center",
        textfont_size=13,
        marker=filled(mark, holds),
        error_x=whiskers(value, low, high, mark.color),
        customdata=np.stack([escaped(part.index), low, high], axis=1),
        hovertemplate="%{customdata[0]}: %{x:.1%}, from %{customdata[1]:.1%} to "
        "%{customdata[2]:.1%}<extra></extra>",
        cliponaxis=False,
    )


@drawn_once
def nearest_classes(table: pd.DataFrame, roles: Mapping[str, str]) -> go.Figure:
    """Draw the classes most like one, by description and by looks, a panel each.

    Parameters
    ----------
    table : see :func:`zslcore.analysis.nearest.nearest_classes`
    roles : class -> "seen", "unseen" or "both", here: unseen and known to the extractor
    """
    titles = {"prototypes": "by their descriptions", "mean features": "by their mean features"}
    spaces = list(dict.fromkeys(table["space"]))
    figure, at = panels([titles[space] for space in spaces], spacing=0.22)
    for k, space in enumerate(spaces, start=1):
        part = table[table["space"] == space]
        of = [roles[name] for name in part["class"]]
        marks = [LOOKS[role] for role in of]
        figure.add_bar(
            y=part["rank"],
            x=part["likeness"],
            orientation="h",
            marker={
                "color": [mark.color for mark in marks],
                "pattern": hatch("") | {"shape": [mark.pattern for mark in marks]},
            },
            customdata=escaped(part["class"]),
            hovertemplate="%{customdata}: likeness %{x:.2f}<extra></extra>",
            **at(k),
        )
        figure.update_yaxes(
            tickvals=part["rank"],
            ticktext=[marked(n, r, bold=False) for n, r in zip(part["class"], of, strict=True)],
            **at(k),
        )
    figure.update_xaxes(range=[min(0, table["likeness"].min()), 1], gridcolor=FAINT, nticks=5)
    figure.update_xaxes(fixedrange=True, zeroline=False)
    figure.update_yaxes(autorange="reversed", showgrid=False, fixedrange=True)
    figure.update_annotations(font_size=14)
    height = 70 + 26 * int(table["rank"].max()) * (len(spaces) if narrow() else 1)
    return quiet(figure, height=height).update_layout(showlegend=False, bargap=0.25)
