"""One or two linked maps of tens of thousands of points, drawn and searched in the browser.

Plotly's lasso needs seconds and megabytes for 68,000 points. Here points go down once, as bytes,
and what comes up is an outline, whose points the server finds, a clicked point or a view.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.interactive.one_file import Parts, as_bytes, joined, one_file, packed

__all__ = ["COMPONENT", "LegendEntry", "MapPanel", "PointMap"]

_HERE = Path(__file__).parent
_HTML = (
    '<div class="whole"><div class="bar"><span class="status" role="status"></span></div>'
    '<div class="maps"></div><div class="legend"></div></div>'
)
COMPONENT = Parts(
    html=_HTML,
    css=(_HERE / "point_map.css").read_text(encoding="utf-8"),
    js=joined(_HERE / "point_map.js"),
)


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """One colour of a map: its meaning and look."""

    label: str
    color: str
    symbol: str = "circle"


@dataclass(frozen=True, slots=True, eq=False)
class MapPanel:
    """One map: the image of each point of ``xy`` (n, 2); ``alt`` describes it.

    ``behind`` is the number of another panel whose points are shown faintly, -1 for none. ``names``
    are mappings with text, x and y, most important first.
    """

    title: str
    alt: str
    image: np.ndarray
    xy: np.ndarray
    behind: int = -1
    names: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, eq=False)
class PointMap:
    """One or two panels of the same n images.

    ``category``, ``class_of``, ``part`` and ``row`` are int arrays of shape (n,): how each image
    looks, its class, its data set and its row there; ``palette`` has how each category looks. With
    another ``key``, by which the coordinates are known, selection and view begin anew. ``legend``
    is "list", "scale" (a bar between two ``ends``) or "none"; ``link`` "place" (panels share one
    plane) or "image" (they show the same images). A map on its way has no ``tools`` to select and
    save. ``pictures`` are uint8 of shape (n, height, width), 255 the darkest; ``selection``,
    ``picked`` and ``cameras`` are of a link: panel and polygon, number of an image, centre and
    extent of each panel.
    """

    key: str
    file: str
    panels: Sequence[MapPanel]
    palette: Sequence[LegendEntry]
    category: np.ndarray
    classes: Sequence[str]
    sets: Sequence[str]
    class_of: np.ndarray
    part: np.ndarray
    row: np.ndarray
    title: str = ""
    legend: str = "list"
    ends: tuple[str, str] = ("", "")
    tools: bool = True
    link: str = "place"
    sought: Sequence[int] | None = None
    pictures: np.ndarray | None = None
    selection: Mapping[str, Any] | None = None
    picked: int | None = None
    cameras: Sequence[Any] | None = None

    def packed(self) -> bytes:
        """Return everything as bytes."""
        blocks = [as_bytes(self.category, "<u2"), as_bytes(self.class_of, "<u2")]
        blocks += [as_bytes(self.part, "u1"), as_bytes(self.row, "<u4")]
        for panel in self.panels:
            blocks += [as_bytes(panel.image, "<u4"), as_bytes(panel.xy, "<f4")]
        if self.pictures is not None:
            blocks.append(as_bytes(self.pictures, "u1"))
        return packed(self._head(), blocks)

    def page(self, *, title: str, footnote: str, theme: str, caption: str = "") -> str:
        """Return the maps as one HTML file; ``theme`` is the one that the palette is for."""
        caption = caption or self.panels[0].alt
        return one_file(
            COMPONENT, self.packed(), title=title, caption=caption, footnote=footnote, theme=theme
        )

    def _head(self) -> dict[str, Any]:
        panels = [
            {
                "title": panel.title,
                "alt": panel.alt,
                "n": len(panel.image),
                "behind": panel.behind,
                "names": list(panel.names),
            }
            for panel in self.panels
        ]
        return {
            "key": hashlib.sha256(self.key.encode()).hexdigest()[:16],
            "file": self.file,
            "title": self.title,
            "n": len(self.category),
            "panels": panels,
            "palette": [
                {"label": each.label, "color": each.color, "symbol": each.symbol}
                for each in self.palette
            ],
            "classes": list(self.classes),
            "sets": list(self.sets),
            "legend": self.legend,
            "ends": self.ends,
            "tools": self.tools,
            "link": self.link,
            "sought": None if self.sought is None else list(map(int, self.sought)),
            "picture": None if self.pictures is None else list(self.pictures.shape[1:]),
            "selection": self.selection,
            "picked": self.picked,
            "cameras": self.cameras,
        }
