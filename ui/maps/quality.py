"""Reliability of a map: metrics, mixing of two data sets, other settings, other seeds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from ui import cache, tables, terms, waiting
from ui.figures import maps as figures
from ui.figures.palette import FIRST, SECOND
from ui.frame import chart
from ui.maps.scene import class_palette
from ui.maps.view import choose_settings, made, show_limits
from ui.numbers import percent, three_digits
from ui.text import plain
from zslcore.analysis.maps import EmbeddedMap, MapSettings, why_incompatible
from zslcore.analysis.maps.mixing import mixing_verdicts
from zslcore.analysis.maps.quality import stability
from zslcore.datasets import ZSLDataset
from zslcore.jobs import embed

__all__ = ["show_quality"]

#: Images of the small maps; their settings are compared, not their points.
FEW = 2_000
#: Other settings that are drawn small, by layout.
OTHERS: dict[str, tuple[str, tuple[float, ...]]] = {
    "tsne": ("perplexity", (5.0, 30.0, 100.0)),
    "umap": ("n_neighbors", (5, 15, 50)),
}
_WORDS = {"perplexity": "perplexity {:g}", "n_neighbors": "{} neighbours"}


def show_quality(datasets: Sequence[ZSLDataset]) -> None:
    """Show what a map keeps and what it hides or invents."""
    settings = choose_settings(sum(len(dataset.labels) for dataset in datasets))
    together = len(datasets) == 1 or not why_incompatible(*datasets)
    for group in [datasets] if together else [[dataset] for dataset in datasets]:
        one = made(group, settings)
        if not together:
            st.markdown(f"**{plain(group[0].name)}**")
        _show_numbers(one)
        if len(group) == 2:
            _show_mixing(one)
    show_limits()
    _show_others(datasets if together else datasets[:1], settings)
    _show_seeds(datasets if together else datasets[:1], settings)


def _show_numbers(one: EmbeddedMap) -> None:
    q = one.quality
    with st.container(horizontal=True):
        terms.metric(
            "Trustworthiness",
            percent(q.trustworthiness),
            help="Are points that are near on the map also near in the data? From ranks; 50 % is "
            "chance.",
        )
        terms.metric(
            "Continuity",
            percent(q.continuity),
            help="Are points that are near in the data also near on the map? From ranks; 50 % is "
            "chance.",
        )
        terms.metric(
            f"{q.k} nearest preserved",
            percent(q.knn_recall),
            help=f"Share of the {q.k} nearest in the PCA that are among the {q.k} nearest here.",
        )
        terms.metric(
            "Class by vote, PCA",
            percent(q.class_accuracy_pca),
            help=f"Mean per-class accuracy when the {q.k} nearest vote.",
        )
        terms.metric(
            "Class by vote, map",
            percent(q.class_accuracy_map),
            help="If this is higher than in the PCA, the map separates classes more than they are.",
        )
        terms.metric(
            "Variance in the PCA",
            percent(float(one.pca.explained.sum())),
            help=f"Explained by its {len(one.pca.variance)} axes, fitted on all images.",
        )
    libraries = ", ".join(" ".join(each) for each in one.libraries.items())
    st.caption(
        f"{one.settings.caption()}. Ranks are computed on a fixed sample of {q.ranked:,} points, "
        f"the other metrics on all {len(one):,}. Libraries: {libraries}."
    )


def _show_mixing(one: EmbeddedMap) -> None:
    verdicts = mixing_verdicts(one.mixing, "PCA", "map")
    count = verdicts["verdict"].value_counts()
    said = ", ".join(f"{count.get(v, 0)} {v}" for v in ("shown", "hidden", "invented", "no shift"))
    means = verdicts[["mixing_PCA", "mixing_map"]].mean()
    st.markdown(
        "**Do both data sets show a class the same way?** Mean mixing is "
        f"{means['mixing_PCA']:.3f} in the PCA and {means['mixing_map']:.3f} on the map (1: no "
        "shift; 0: no neighbour from the other data set). Shifts by class, on the map against the "
        f"PCA: {said}."
    )
    chart(
        figures.mixing_dumbbells(verdicts),
        f"Mixing of {one.names[0]} and {one.names[1]} in {len(verdicts)} classes: {said}.",
        key="awa1_mixing",
    )
    st.caption(
        "Mixing is the entropy of the data sets among the 15 nearest images of the same class, "
        "divided by its value for images mixed at random. A class has a shift if p, adjusted by "
        "Holm over the classes, is below 0.05. With many images, even a small shift is "
        "significant; mixing says how large it is."
    )
    tables.download(verdicts, f"mixing_{one.names[0]}_{one.names[1]}")


def _show_others(datasets: Sequence[ZSLDataset], settings: MapSettings) -> None:
    """Draw small maps under other settings."""
    if settings.method not in OTHERS:
        return
    name, values = OTHERS[settings.method]
    st.markdown("**The same images under other settings**")
    if not st.toggle(f"Three maps of {FEW:,} images", key="awa1_others", bind="query-params"):
        return
    few = replace(settings, n_samples=FEW)
    maps = _several(datasets, [_with(few, name, value) for value in values])
    if maps is None:
        return
    if len(datasets) == 2:
        palette = np.array([FIRST.color, SECOND.color])
        colors = [palette[each.part] for each in maps]
    else:
        palette = np.array([each.color for each in class_palette(maps[0].class_names)])
        colors = [palette[each.labels] for each in maps]
    titles = [
        f"{_WORDS[name].format(value)}: {percent(each.quality.knn_recall)} preserved"
        for value, each in zip(values, maps, strict=True)
    ]
    chart(
        figures.small_multiples(
            list(zip(titles, [each.coordinates for each in maps], colors, strict=True))
        ),
        f"Three maps of {len(maps[0]):,} images: {'; '.join(titles)}.",
        key="awa1_small",
    )
    st.caption(
        "Small neighbourhoods break groups into islands, large ones blur them. No setting is the "
        "right one. Trust what all of them show."
    )


def _with(settings: MapSettings, name: str, value: float) -> MapSettings:
    changed: dict[str, Any] = {name: value}
    return replace(settings, **changed)


def _show_seeds(datasets: Sequence[ZSLDataset], settings: MapSettings) -> None:
    """Compare maps with other seeds."""
    if settings.method == "pca":
        return
    st.markdown("**Would another seed show the same?**")
    if not st.toggle("Two maps with other seeds", key="awa1_seeds", bind="query-params"):
        return
    seeds = [replace(settings, seed=settings.seed + k) for k in range(3)]
    maps = _several(datasets, seeds)
    if maps is None:
        return
    table = stability([each.coordinates for each in maps], threads=settings.threads)
    with st.container(horizontal=True):
        terms.metric("15 nearest in common", percent(table["knn_overlap"].mean()))
        terms.metric(
            "Left after fitting one to the other",
            three_digits(float(table["disparity"].mean())),
            help="Procrustes: share of the squared distances; 0 is the same map.",
        )
    st.caption(
        f"Mean over the three pairs of seeds {seeds[0].seed} to {seeds[-1].seed}. All start from "
        "the PCA, so a seed changes little. If the map changes anyway, do not read its details."
    )


def _several(
    datasets: Sequence[ZSLDataset], wanted: Sequence[MapSettings]
) -> list[EmbeddedMap] | None:
    """Return several maps, or None while one of them is waited for."""
    works = [embed.ask(datasets, settings) for settings in wanted]
    found = [waiting.wait_for(work, stop=False) for work in works]
    folders = [folder for folder in found if folder is not None]
    if len(folders) < len(works):
        return None
    return [
        cache.finished(work.key, work, folder) for work, folder in zip(works, folders, strict=True)
    ]
