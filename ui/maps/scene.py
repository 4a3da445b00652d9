"""Scene of the map view: images, panels, class names, and choices in the address."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from zslcore.analysis.maps.layout import METHOD_NAMES
from zslcore.analysis.maps.map import EmbeddedMap, points_inside
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import title
from zslcore.interactive.point_map import MapPanel


@dataclass(frozen=True, slots=True, eq=False)
class Scene:
    """Images of one or two data sets, and their positions on each panel.

    ``maps``, ``images`` (indices) and ``coordinates`` have one entry per panel. ``part``,
    ``row`` and ``labels``, each of shape (n,), are the data set of each image, its row number in
    this data set, and its class. ``behind`` is True if a panel also shows the points of the
    other panel faintly.
    """

    datasets: tuple[ZSLDataset, ...]
    maps: tuple[EmbeddedMap, ...]
    part: np.ndarray
    row: np.ndarray
    labels: np.ndarray
    images: tuple[np.ndarray, ...]
    coordinates: tuple[np.ndarray, ...]
    titles: tuple[str, ...]
    link: str = "place"
    behind: bool = False

    @classmethod
    def overlay(cls, datasets: Sequence[ZSLDataset], *maps: EmbeddedMap) -> Scene:
        """Return one panel per map, all with the same images."""
        first, everything = maps[0], np.arange(len(maps[0]))
        titles = [METHOD_NAMES[m.settings.method] for m in maps] if len(maps) > 1 else [""]
        return cls(
            datasets=tuple(datasets),
            maps=maps,
            part=first.part,
            row=first.row,
            labels=first.labels,
            images=(everything,) * len(maps),
            coordinates=tuple(embedded.coordinates for embedded in maps),
            titles=tuple(titles),
            link="image",
        )

    @classmethod
    def side_by_side(cls, datasets: Sequence[ZSLDataset], joint: EmbeddedMap) -> Scene:
        """Return one panel per data set, both from one joint map."""
        images = tuple(np.flatnonzero(joint.part == i) for i in (0, 1))
        return cls(
            datasets=tuple(datasets),
            maps=(joint, joint),
            part=joint.part,
            row=joint.row,
            labels=joint.labels,
            images=images,
            coordinates=tuple(joint.coordinates[rows] for rows in images),
            titles=tuple(map(title, joint.names)),
            behind=True,
        )

    @classmethod
    def separate(
        cls,
        datasets: Sequence[ZSLDataset],
        maps: Sequence[EmbeddedMap],
        order: np.ndarray,
        *,
        same: bool,
    ) -> Scene:
        """Return one panel per data set, each with its own map.

        ``order`` maps each class of the second data set to its number in the first. ``same``
        is True if row i is the same image in both data sets; otherwise no image is in both panels.
        """
        first, second = maps
        if same and np.array_equal(first.row, second.row):
            part, row, labels = first.part, first.row, first.labels
            second_images = np.arange(len(first))
        else:
            part = np.r_[first.part, np.ones(len(second), dtype=np.uint8)]
            row = np.r_[first.row, second.row]
            labels = np.r_[first.labels, order[second.labels]]
            second_images = len(first) + np.arange(len(second))
        return cls(
            datasets=tuple(datasets),
            maps=tuple(maps),
            part=part,
            row=row,
            labels=labels,
            images=(np.arange(len(first)), second_images),
            coordinates=(first.coordinates, second.coordinates),
            titles=tuple(title(dataset.name) for dataset in datasets),
            link="image",
        )

    def __len__(self) -> int:
        return len(self.part)

    @property
    def title(self) -> str:
        """Title with methods and data sets, simulated data marked."""
        methods = dict.fromkeys(METHOD_NAMES[embedded.settings.method] for embedded in self.maps)
        names = dict.fromkeys(
            f"{data.name} (simulated)"
            if data.simulated and "simulated" not in data.name
            else title(data.name)
            for data in self.datasets
        )
        return f"{' and '.join(methods)} of {' and '.join(names)}"

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes."""
        return self.datasets[0].class_names

    def panels(
        self, *, names: bool, alt: str, matching: Sequence[int] | np.ndarray | None = None
    ) -> list[MapPanel]:
        """Return the panels to draw, with the names of all classes or of ``matching`` ones."""
        return [
            MapPanel(
                title=title,
                alt=f"{title}: {alt}" if title else alt,
                image=image,
                xy=xy,
                behind=1 - i if self.behind else -1,
                names=self._names(image, xy, matching) if names else (),
            )
            for i, (title, image, xy) in enumerate(
                zip(self.titles, self.images, self.coordinates, strict=True)
            )
        ]

    def _names(
        self, image: np.ndarray, xy: np.ndarray, matching: Sequence[int] | np.ndarray | None
    ) -> list[dict[str, Any]]:
        """Return the name of each class with a position above most of its points, densest first.

        With two data sets on a panel, the name is above the points of the second.
        """
        if matching is not None:
            is_named = np.isin(self.labels[image], matching)
            image, xy = image[is_named], xy[is_named]
        last = self.part[image] == self.part[image].max(initial=0)
        image, xy = image[last], xy[last]
        table = pd.DataFrame({"c": self.labels[image], "x": xy[:, 0], "y": xy[:, 1]})
        middle = table.groupby("c").agg(
            x=("x", "median"), y=("y", lambda y: y.quantile(0.9)), spread=("x", "std")
        )
        middle = middle.sort_values("spread")
        return [
            {"text": self.classes[c], "x": float(x), "y": float(y)}
            for c, x, y in zip(middle.index, middle["x"], middle["y"], strict=True)
        ]

    def selected(self, selection: Mapping[str, Any] | None) -> np.ndarray:
        """Return a mask of the images inside a selection drawn in the browser."""
        out = np.zeros(len(self), dtype=bool)
        if selection is None or not 0 <= selection["panel"] < len(self.images):
            return out
        for p, (image, xy) in enumerate(zip(self.images, self.coordinates, strict=True)):
            if p == selection["panel"] or self.link == "place":
                out[image[points_inside(selection["polygon"], xy)]] = True
        return out

    def table(self) -> pd.DataFrame:
        """Return one row per image: data_set, row, class, and its position on each panel."""
        names = np.array([dataset.name for dataset in self.datasets], dtype=object)
        table = pd.DataFrame(
            {
                "data_set": names[self.part],
                "row": self.row,
                "class": np.asarray(self.classes, dtype=object)[self.labels],
            }
        )
        several = self.link == "image" and len(self.images) > 1
        for p, (image, xy) in enumerate(zip(self.images, self.coordinates, strict=True)):
            for axis, values in zip("xy", xy.T, strict=True):
                column = f"{axis}_{self.titles[p]}" if several else axis
                if column not in table:
                    table[column] = np.nan
                table.loc[image, column] = values
        return table


# --- Choices in the address -----------------------------------------------------------------------

_NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
_OUTLINE = re.compile(rf"([0-9a-f]{{8}})\.([01])\.({_NUMBER},{_NUMBER}(?:;{_NUMBER},{_NUMBER})*)")
#: Maximum number of corners read from an address; the component sends at most 64.
_MOST = 200


def write_selection(key: str, selection: Mapping[str, Any]) -> str:
    """Return a selection on the map ``key`` as text for an address."""
    corners = ";".join(",".join(f"{value:.5g}" for value in xy) for xy in selection["polygon"])
    return f"{key[:8]}.{selection['panel']}.{corners}".replace("e+", "e")


def read_selection(key: str, text: str) -> dict[str, Any] | None:
    """Read the text of :func:`write_selection`; None for another map or malformed text."""
    match = _OUTLINE.fullmatch(text)
    if not match or match[1] != key[:8] or match[3].count(";") >= _MOST:
        return None
    corners = [[float(value) for value in xy.split(",")] for xy in match[3].split(";")]
    return {"panel": int(match[2]), "polygon": corners}


def write_cameras(key: str, cameras: Sequence[Any]) -> str:
    """Return the view of each panel as text: centre and extent, or a dash for the whole map."""
    views = ["-" if view is None else ",".join(f"{v:.5g}" for v in view) for view in cameras]
    return f"{key[:8]}.{';'.join(views)}".replace("e+", "e")


def read_cameras(key: str, text: str) -> list[Any] | None:
    """Read the text of :func:`write_cameras`; None for another map or malformed text."""
    view = rf"(?:-|{_NUMBER},{_NUMBER},{_NUMBER})"
    if not re.fullmatch(rf"{key[:8]}\.{view}(?:;{view})?", text):
        return None
    views = text[9:].split(";")
    return [None if v == "-" else [float(value) for value in v.split(",")] for v in views]
