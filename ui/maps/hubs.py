"""Where prototypes lie among images, and which of them are hubs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

from ui import cache, controls, tables, terms, waiting
from ui.components import point_map
from ui.figures import maps as figures
from ui.figures.palette import NEUTRAL, SEEN, UNSEEN
from ui.frame import chart
from ui.maps.scene import Scene, class_palette
from ui.maps.view import choose_settings, made
from ui.numbers import percent
from zslcore.analysis.hubness import compare_hubness
from zslcore.datasets import ZSLDataset
from zslcore.evaluation.specs import RunSpec
from zslcore.interactive.point_map import PointMap
from zslcore.jobs import embed

__all__ = ["show_prototypes"]

#: The two directions of one regression.
VISUAL, SEMANTIC = "LinearS2V", "LinearV2S"
IN_WORDS = {VISUAL: "in the visual space (LinearS2V)", SEMANTIC: "among prototypes (LinearV2S)"}


def show_prototypes(datasets: Sequence[ZSLDataset], split: str) -> None:
    """Show hubs of both directions, then where predicted looks lie on the map."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = [dataset.name for dataset in datasets]
        name = controls.choose("Data set", names, key="awa1_hubs_of", width=220)
        dataset = datasets[names.index(name)]
        among = controls.choose(
            "Candidates", ["unseen classes", "all classes"], key="awa1_among", width=170
        )
        k = st.segmented_control(
            "Neighbours, k", [1, 3, 5], default=1, required=True, key="awa1_k", bind="query-params"
        )
    _show_hubs(dataset, split, unseen_only=among == "unseen classes", k=k)
    st.divider()
    _show_landmarks(dataset, split)


def _spec(dataset: ZSLDataset, split: str, method: str) -> RunSpec:
    return RunSpec(dataset.name, split, method, select_for="zsl", digest=dataset.digest)


def _show_hubs(dataset: ZSLDataset, split: str, *, unseen_only: bool, k: int) -> None:
    scored, lam = {}, {}
    for method in (VISUAL, SEMANTIC):
        result, scored[IN_WORDS[method]] = waiting.scored_run_of(_spec(dataset, split, method))
        lam[method] = result.params["lam"]
    table = compare_hubness(scored, dataset.class_names, k=k, unseen_only=unseen_only)
    skewness = table.groupby("method", sort=False)["skewness"].first()
    right = table.groupby("method", sort=False)["right"].mean()
    unused = (table["count"] == 0).groupby(table["method"], sort=False).sum()
    with st.container(horizontal=True):
        for method, words in IN_WORDS.items():
            terms.metric(
                f"Skewness, {method}",
                f"{skewness[words]:.2f}".replace("-", "−"),
                delta=f"{percent(right[words])} right, {unused[words]} never predicted",
                delta_color="off",
                delta_arrow="off",
                help="Skewness of how often each prototype is among the nearest: 0 if all are "
                "equally often, large if a few are the nearest to most images.",
            )
    longer = max((VISUAL, SEMANTIC), key=lambda method: skewness[IN_WORDS[method]])
    chart(
        figures.hub_bars(table),
        f"How often each of {table['class'].nunique()} prototypes is among the {k} nearest, "
        f"hubs first. Skewness {skewness.iloc[0]:.2f} for {VISUAL} and {skewness.iloc[1]:.2f} for "
        f"{SEMANTIC}.",
        key="awa1_hubs",
    )
    st.caption(
        "Height: how often a prototype is among the nearest, as a multiple of an equal share "
        "(dashed line). ● seen, ◆ unseen. Regression shrinks its predictions: attributes predicted "
        "from images lie close together, and a few prototypes are the nearest to most of them. "
        "Features predicted from prototypes leave the images unchanged, so the calibration paper "
        f"works in the visual space. Here {longer} has the longer tail."
    )
    tables.download(table, f"hubs_{dataset.name}_{split}")


def _show_landmarks(dataset: ZSLDataset, split: str) -> None:
    st.markdown("**Class means, and the means that LinearS2V predicts**")
    settings = choose_settings(len(dataset.labels))
    one = made([dataset], settings)
    lam = waiting.run_of(_spec(dataset, split, VISUAL))[0].params["lam"]
    key = embed.ask([dataset], settings).arguments["map"]
    table = cache.landmarks(key, split, lam, one, (dataset,))
    shown = controls.choose("Classes", ["unseen", "all"], key="awa1_marks", width=170)
    unseen = table if shown == "all" else table[~table["seen"]]
    scene = Scene.overlay([dataset], one)
    point_map.draw(_marked(scene, unseen, f"{key} {shown}"), key="awa1_marked")
    predicted = table[(table["kind"] == "predicted") & ~table["seen"]]
    first = (predicted["rank"] == 1).sum()
    st.caption(
        f"Filled: mean of a class; hollow: predicted from its prototype alone, λ = {lam:.3g}. Of "
        f"{len(predicted)} unseen classes, {first} are predicted nearest to their own mean. Means "
        "and predictions are drawn at the median of their 15 nearest images in the PCA. “Distance” "
        "says how far from these images they are; 1 is usual among images."
    )
    tables.show(
        predicted.sort_values("rank", kind="stable"),
        f"landmarks_{dataset.name}_{split}",
        labels={
            "class": "unseen class",
            "rank": "rank of its own mean",
            "distance": "distance",
            "spread": "spread on the map",
        },
        significant=["distance", "spread"],
        height="content" if len(predicted) <= 15 else 400,
    )


def _marked(scene: Scene, table: pd.DataFrame, key: str) -> PointMap:
    """Return the map of one data set in grey, with the landmarks of ``table`` on it."""
    (dataset,) = scene.datasets
    return PointMap(
        key=key,
        file=f"prototypes-{dataset.name}",
        title=f"{dataset.name}: means of classes (filled), LinearS2V's predictions (hollow)",
        panels=scene.panels(
            names=False,
            alt=f"{len(scene):,} images; for {len(table) // 2} classes the mean of their "
            "images and, joined by a line, where LinearS2V predicts them.",
            landmarks=[_marks(table)],
        ),
        palette=[type(each)(each.label, NEUTRAL.color) for each in class_palette(scene.classes)],
        category=scene.labels,
        legend="none",
        classes=scene.classes,
        sets=[dataset.name],
        class_of=scene.labels,
        part=scene.part,
        row=scene.row,
    )


def _marks(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Return what the component draws: means, and predictions with a line to their mean."""
    means = table[table["kind"] == "mean"].set_index("class")
    out = []
    for row in table.to_dict("records"):
        look, name = SEEN if row["seen"] else UNSEEN, row["class"]
        mark = {"x": row["x"], "y": row["y"], "color": look.color, "symbol": look.symbol}
        if row["kind"] == "mean":
            text = [name, "mean of its images"]
        else:
            text = [name, "as LinearS2V predicts it", f"its own mean is nearest no. {row['rank']}"]
            mark |= {"hollow": True, "to": [float(means["x"][name]), float(means["y"][name])]}
        out.append(mark | {"text": text})
    return out
