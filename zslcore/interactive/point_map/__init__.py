"""One or two linked maps of tens of thousands of points, drawn and searched in the browser.

Plotly's lasso needs seconds and megabytes for 68,000 points. This component sends points to the
browser once, as bytes. The browser returns an outline (the server finds the points in it), a
clicked point, or a view.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from zslcore.interactive.one_file import SHARED, Parts, as_bytes, one_file, packed

__all__ = ["COMPONENT", "LegendEntry", "MapPanel", "PointMap"]

_HTML = (
    '<div class="whole"><div class="bar"></div><div class="maps"></div>'
    '<span class="status" role="status"></span><div class="legend"></div>'
    '<div class="tip" role="status" hidden></div></div>'
)
COMPONENT = Parts.of(Path(__file__).parent, _HTML, SHARED / "tooltip.css")


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """Entry of a legend: the meaning and look of a category."""

    label: str
    color: str
    symbol: str = "circle"


@dataclass(frozen=True, slots=True, eq=False)
class MapPanel:
    """One map with a point per image, ``xy`` of shape (n, 2); ``alt`` is its description.

    ``behind`` is the number of another panel with points to show faintly, -1 for none. ``names``
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

    ``category``, ``class_of``, ``part`` and ``row`` are int arrays of shape (n,): the look of each
    image, its class, its data set and its row in this data set; ``palette`` has the look of each
    category. ``key`` identifies the coordinates: with a new key, selection and view are reset.
    ``matching`` are the classes that match a search, None without a search. ``legend`` is "list",
    "scale" (a bar between two ``ends``) or "none". ``link`` is "place" (panels share one plane) or
    "image" (panels show the same images). ``tools`` (buttons to select and save) is False while a
    map is computed. ``pictures`` are uint8 of shape (n, height, width), with 255 for the darkest
    pixels. ``selection`` (panel and polygon), ``picked`` (number of an image) and ``cameras``
    (centre and extent of each panel) restore the state of a shared link.
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
    matching: Sequence[int] | None = None
    pictures: np.ndarray | None = None
    selection: Mapping[str, Any] | None = None
    picked: int | None = None
    cameras: Sequence[Any] | None = None

    def packed(self) -> bytes:
        """Return the packed bytes of the component."""
        blocks = [as_bytes(self.category, "<u2"), as_bytes(self.class_of, "<u2")]
        blocks += [as_bytes(self.part, "u1"), as_bytes(self.row, "<u4")]
        for panel in self.panels:
            blocks += [as_bytes(panel.image, "<u4"), as_bytes(panel.xy, "<f4")]
        if self.pictures is not None:
            blocks.append(as_bytes(self.pictures, "u1"))
        return packed(self._head(), blocks)

    def page(self, *, title: str, footnote: str, theme: str, caption: str = "") -> str:
        """Return the maps as one HTML file; ``theme`` is the theme of the palette."""
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
                {"label": category.label, "color": category.color, "symbol": category.symbol}
                for category in self.palette
            ],
            "classes": list(self.classes),
            "sets": list(self.sets),
            "legend": self.legend,
            "ends": self.ends,
            "tools": self.tools,
            "link": self.link,
            "matching": None if self.matching is None else list(map(int, self.matching)),
            "picture": None if self.pictures is None else list(self.pictures.shape[1:]),
            "selection": self.selection,
            "picked": self.picked,
            "cameras": self.cameras,
        }
