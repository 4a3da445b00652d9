"""Interactive maps of a scene, with their download menu."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
import streamlit as st

from ui.figures import palette
from ui.maps.colours import Colouring
from ui.maps.scene import Scene
from ui.takeaway import downloads
from ui.takeaway.for_print import on_paper
from zslcore.analysis.maps.map import EmbeddedMap, MapStudy
from zslcore.datasets.facts import title
from zslcore.interactive.point_map import COMPONENT, PointMap
from zslcore.printing import Panel, map_panels

#: Maximum number of bytes of pictures that are sent to the browser with the points.
PICTURES = 1 << 20
_mount = st.components.v2.component("zsl_point_map", **asdict(COMPONENT))


def draw_map(point_map: PointMap, *, key: str, on_change: Callable[[], None] = lambda: None) -> Any:
    """Draw maps; return the actions of the visitor, each None until it happens.

    ``selection`` is a panel and a polygon in its coordinates, ``picked`` the number of an image,
    ``cameras`` the centre and extent of each panel. ``on_change`` is called before the page runs
    again.
    """
    return _mount(
        key=key,
        data=point_map.packed(),
        on_selection_change=on_change,
        on_picked_change=on_change,
        on_cameras_change=on_change,
    )


def map_of(
    scene: Scene, looks: Colouring, colour: str, matching: Sequence[int] | None = None
) -> PointMap:
    """Return the maps to draw; ``matching`` are the classes that match the search."""
    return PointMap(
        key=scene_key(scene, first=False),
        file=f"map-{'-'.join(dataset.name for dataset in scene.datasets)}",
        title=f"{scene.title}, coloured by {colour}",
        panels=scene.panels(
            names=len(scene.classes) <= 250,
            matching=matching,
            alt=f"{len(scene):,} images coloured by {colour}. Arrows move, plus and minus "
            "zoom, 0 shows the whole map, Enter selects all images in view, Escape clears.",
        ),
        palette=looks.palette,
        category=looks.category,
        legend=looks.legend,
        ends=looks.ends,
        classes=scene.classes,
        sets=[title(dataset.name) for dataset in scene.datasets],
        class_of=scene.labels,
        part=scene.part,
        row=scene.row,
        link=scene.link,
        matching=matching,
        pictures=_pictures(scene),
    )


def scene_key(scene: Scene, *, first: bool) -> str:
    """Return the key of the coordinates; a preview has a separate key."""
    keys = [
        MapStudy.of([d for d in scene.datasets if d.name in embedded.names], embedded.settings).map
        for embedded in scene.maps
    ]
    key = keys[0] if len(set(keys)) == 1 else "".join(k[:4] for k in keys)
    return hashlib.sha256(f"first {key}".encode()).hexdigest()[:16] if first else key


def _pictures(scene: Scene) -> np.ndarray | None:
    """Return the picture of each image; None without pictures or if they are too large."""
    of_sets = [dataset.images for dataset in scene.datasets if dataset.images is not None]
    if len(of_sets) < len(scene.datasets) or len({i.shape[1:] for i in of_sets}) > 1:
        return None
    shape = of_sets[0].shape[1:]
    if len(scene) * np.prod(shape) > PICTURES or len(shape) != 2:
        return None
    out = np.empty((len(scene), *shape), dtype=np.uint8)
    for i, images in enumerate(of_sets):
        in_dataset = scene.part == i
        out[in_dataset] = ink(images[scene.row[in_dataset]])
    return out


def ink(images: np.ndarray) -> np.ndarray:
    """Return pictures scaled to a maximum of 255, the full ink."""
    return (images.astype(float) / max(images.max(), 1) * 255).astype(np.uint8)


def offer_map(scene: Scene, looks: Colouring, colour: str) -> None:
    """Show the downloads of a map."""
    name, drawn = "-".join(dataset.name for dataset in scene.datasets), map_of(scene, looks, colour)
    settings = "; ".join(dict.fromkeys(embedded.settings.caption() for embedded in scene.maps))

    def page(*, footnote: str, **options: str) -> str:
        theme = "dark" if palette.dark() else "light"
        options |= {"title": drawn.title, "footnote": f"{settings}. {footnote}"}
        return drawn.page(theme=theme, **options)

    downloads.offer_figure(
        f"map-{name}",
        drawn.title,
        numbers=scene.table,
        panels=partial(_panels, drawn),
        html=page,
        more=partial(_offer_layouts, scene, f"map-{name}"),
    )


def _offer_layouts(scene: Scene, name: str) -> None:
    """Offer each layout with its settings and quality as files."""
    st.caption("*More* above the map saves the map as shown, as PNG or SVG.")
    maps = list(dict.fromkeys(scene.maps))
    for k, embedded in enumerate(maps):
        which = f" ({embedded.settings.method})" if len(maps) > 1 else ""
        downloads.download(f"Parquet{which}", partial(_parquet, embedded), f"{name}-{k}.parquet")
        label = f"JSON with settings and quality{which}"
        downloads.download(label, embedded.to_json, f"{name}-{k}.json")
    st.caption(f"Settings: {maps[0].settings.caption()}.")


def _parquet(layout: EmbeddedMap) -> bytes:
    file = BytesIO()
    layout.to_parquet(file)
    return file.getvalue()


def _panels(drawn: PointMap) -> list[Panel]:
    """Return the maps for print, in the colours of the light theme."""
    entries = [replace(entry, color=on_paper(entry.color)) for entry in drawn.palette]
    return map_panels(replace(drawn, palette=entries))
