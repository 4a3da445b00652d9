"""Colours of the images on a map: by class, by role, or by prediction of a method."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ui.figures.palette import (
    FIRST,
    HARMONIC,
    INK,
    NEUTRAL,
    OVERLAP,
    SECOND,
    SEEN,
    UNSEEN,
    VALIDATED,
    VIRIDIS,
    Mark,
)
from ui.maps.scene import Scene
from ui.state import cache, waiting
from zslcore.analysis.dataset_summary import imagenet_evidence
from zslcore.analysis.maps.joint_pca import match_classes
from zslcore.analysis.maps.map import PredictedPoints, predicted_points
from zslcore.analysis.maps.quality import density
from zslcore.datasets import ZSLDataset
from zslcore.datasets.facts import title
from zslcore.evaluation.specs import RunSpec
from zslcore.interactive.point_map import LegendEntry

COLOURS = (
    "class",
    "data set",
    "seen or unseen",
    "overlap",
    "right or wrong",
    "prediction",
    "confidence",
    "neighbours preserved",
    "density",
)
#: Ways to colour that need predictions of a method.
PREDICTION_COLOURS = ("right or wrong", "prediction", "confidence")
UNTESTED = "not in the test set"
FIFTHS = (
    "least confident fifth",
    "second fifth",
    "third fifth",
    "fourth fifth",
    "most confident fifth",
)
#: Eight colours and seven symbols distinguish 56 classes; further classes share a look.
_COLORS = (
    *(SEEN, UNSEEN, VALIDATED, OVERLAP, FIRST, SECOND, NEUTRAL),
    Mark("#8B5E3C", "circle", night="#C49A78"),
)
_SYMBOLS = ("circle", "diamond", "square", "triangle-up", "x", "triangle-down", "triangle-left")
#: Mark of images without a value, such as images outside the test set.
OTHER = replace(NEUTRAL, symbol="circle-open")
#: Way to colour -> category -> its mark, in the order of the legend.
GROUP_MARKS: Mapping[str, Mapping[str, Mark]] = {
    "seen or unseen": {"seen": SEEN, "unseen": UNSEEN, "in neither": OTHER},
    "overlap": {"not in ImageNet-1K": NEUTRAL, "in ImageNet-1K": OVERLAP},
    "right or wrong": {
        "right": replace(HARMONIC, symbol="circle"),
        "wrong": INK,
        UNTESTED: OTHER,
    },
}


@dataclass(frozen=True, slots=True, eq=False)
class Colouring:
    """Category of each image, int array of shape (n,), and the look of each category."""

    category: np.ndarray
    palette: tuple[LegendEntry, ...]
    legend: str = "list"
    ends: tuple[str, str] = ("", "")


def class_palette(names: Sequence[str]) -> tuple[LegendEntry, ...]:
    """Return a colour and a symbol for each class."""
    return tuple(
        LegendEntry(
            name, _COLORS[c % len(_COLORS)].color, _SYMBOLS[c // len(_COLORS) % len(_SYMBOLS)]
        )
        for c, name in enumerate(names)
    )


def colour_by_class(scene: Scene) -> Colouring:
    """Colour by class, with a legend for at most 24 classes."""
    names = scene.classes
    return Colouring(scene.labels, class_palette(names), "list" if len(names) <= 24 else "none")


def colour_by_group(groups: np.ndarray, marks: Mapping[str, Mark]) -> Colouring:
    """Colour by group name, shape (n,); ``marks`` maps names to marks, in legend order."""
    order = {name: k for k, name in enumerate(marks)}
    return Colouring(
        np.array([order[name] for name in groups], dtype=np.uint16),
        tuple(LegendEntry(name, mark.color, mark.symbol) for name, mark in marks.items()),
    )


def colour_by_density(scene: Scene) -> Colouring:
    """Colour by the rank of the map's density, so that all colours are used."""
    value = np.zeros(len(scene))
    for image, xy in zip(scene.images, scene.coordinates, strict=True):
        value[image] = density(xy)
    rank = np.argsort(np.argsort(value)) / max(len(value), 1)
    return colour_by_share(rank, "more crowded than {} % of images", ("sparse", "crowded"))


def colour_by_share(share: np.ndarray, words: str, ends: tuple[str, str]) -> Colouring:
    """Colour by a share, shape (n,); ``{}`` in ``words`` is the lowest percentage of a colour."""
    step = np.minimum((share * len(VIRIDIS)).astype(int), len(VIRIDIS) - 1)
    palette = tuple(
        LegendEntry(words.format(100 * k // len(VIRIDIS)), color) for k, color in enumerate(VIRIDIS)
    )
    return Colouring(step, palette, "scale", ends)


def colour_by_fifths(
    value: np.ndarray, measured: np.ndarray, words: Sequence[str], unmeasured: str
) -> Colouring:
    """Colour by fifths of ``value``, named by ``words``; other images are named ``unmeasured``."""
    fifth = np.full(len(value), 5)
    rank = np.argsort(np.argsort(value[measured], kind="stable")) / max(measured.sum(), 1)
    fifth[measured] = (5 * rank).astype(int)
    looks = [
        LegendEntry(word, VIRIDIS[k]) for word, k in zip(words, (0, 4, 7, 11, 14), strict=True)
    ]
    return Colouring(fifth, (*looks, LegendEntry(unmeasured, OTHER.color, OTHER.symbol)))


def colours_of(datasets: Sequence[ZSLDataset], *, are_separate: bool, one_map: bool) -> list[str]:
    """Return the ways to colour a map, first by data set for two separate data sets.

    ``are_separate`` is True if each image belongs to only one of the data sets, ``one_map`` if all
    images are on one map. "neighbours preserved" is returned only if both are True.
    """
    out = [c for c in COLOURS if c != "data set"]
    if imagenet_evidence(datasets[0]).isna().all():
        out.remove("overlap")
    if not (one_map and are_separate):
        out.remove("neighbours preserved")
    return ["data set", *out] if len(datasets) == 2 and are_separate else out


def colour_images(scene: Scene, colour: str, split: str, method: str | None) -> Colouring:
    """Return the category of each image; the ways in :data:`PREDICTION_COLOURS` need ``method``."""
    colourings: dict[str, Callable[[], Colouring]] = {
        "class": lambda: colour_by_class(scene),
        "density": lambda: colour_by_density(scene),
        "neighbours preserved": lambda: _by_neighbours(scene),
        "data set": lambda: _by_set(scene),
        "prediction": lambda: _by_prediction(scene, split, method or ""),
        "confidence": lambda: _by_confidence(scene, split, method or ""),
    }
    if colour in colourings:
        return colourings[colour]()
    words_of: Callable[[ZSLDataset], np.ndarray] = {
        "right or wrong": lambda dataset: _outcomes(dataset, split, method or ""),
        "overlap": _overlaps,
        "seen or unseen": lambda dataset: roles(dataset, split),
    }[colour]
    groups = _of_images(scene, [words_of(dataset) for dataset in scene.datasets])
    return colour_by_group(
        groups, {k: v for k, v in GROUP_MARKS[colour].items() if (groups == k).any()}
    )


def _of_images(scene: Scene, of_rows: Sequence[np.ndarray]) -> np.ndarray:
    """Return the value of each image in the scene, from one array of row values per data set."""
    out = np.empty(len(scene), dtype=of_rows[0].dtype)
    for i, words in enumerate(of_rows):
        in_dataset = scene.part == i
        out[in_dataset] = words[scene.row[in_dataset]]
    return out


# --- Colours by data set --------------------------------------------------------------------------


def roles(dataset: ZSLDataset, split: str) -> np.ndarray:
    """Return the role of each image's class in a split."""
    role = np.full(dataset.n_classes, "in neither", dtype=object)
    role[dataset.split(split).seen_classes] = "seen"
    role[dataset.split(split).unseen_classes] = "unseen"
    return role[dataset.labels]


def _overlaps(dataset: ZSLDataset) -> np.ndarray:
    in_set = imagenet_evidence(dataset).fillna("").astype(bool).to_numpy()
    return np.where(in_set, "in ImageNet-1K", "not in ImageNet-1K").astype(object)[dataset.labels]


def _by_set(scene: Scene) -> Colouring:
    names = [title(dataset.name) for dataset in scene.datasets]
    groups = np.array(names, dtype=object)[scene.part]
    return colour_by_group(groups, dict(zip(names, (FIRST, SECOND), strict=False)))


# --- Colours by prediction ------------------------------------------------------------------------


def method_predictions(dataset: ZSLDataset, split: str, method: str) -> PredictedPoints:
    """Return the predictions of ``method`` on a split, with validated parameters and gamma."""
    spec = RunSpec.of(dataset, split, method)
    result, scores = waiting.scored_run_of(spec)
    return predicted_points(
        scores, dataset.split(split), len(dataset.labels), gamma=result.gamma or 0.0
    )


def _outcomes(dataset: ZSLDataset, split: str, method: str) -> np.ndarray:
    predictions = method_predictions(dataset, split, method)
    words = np.where(predictions.right, "right", "wrong").astype(object)
    words[~predictions.tested] = UNTESTED
    return words


def _by_prediction(scene: Scene, split: str, method: str) -> Colouring:
    """Colour by predicted class, with the colours of "class"."""
    categories = []
    for i, dataset in enumerate(scene.datasets):
        number = np.arange(dataset.n_classes) if i == 0 else match_classes(*scene.datasets)
        predicted = method_predictions(dataset, split, method).predicted
        categories.append(np.where(predicted < 0, len(scene.classes), number[predicted]))
    untested = colour_by_group(np.array([UNTESTED]), {UNTESTED: OTHER}).palette
    few = len(scene.classes) <= 24
    return Colouring(
        _of_images(scene, categories),
        (*class_palette(scene.classes), *untested),
        "list" if few else "none",
    )


def _by_confidence(scene: Scene, split: str, method: str) -> Colouring:
    """Colour by fifths of a data set's images, sorted by the margin of the predicted class."""
    predictions = [method_predictions(dataset, split, method) for dataset in scene.datasets]
    ranks = [np.argsort(np.argsort(points.lead, kind="stable")) for points in predictions]
    shares = [rank / len(rank) for rank in ranks]  # margins of data sets have different scales
    tested = _of_images(scene, [points.tested for points in predictions])
    return colour_by_fifths(_of_images(scene, shares), tested, FIFTHS, UNTESTED)


# --- Colours by map -------------------------------------------------------------------------------


def _by_neighbours(scene: Scene) -> Colouring:
    """Colour each image by the share of its nearest images that are also near on the map."""
    shares = np.zeros(len(scene))
    for one_map in dict.fromkeys(scene.maps):
        sets = tuple(dataset for dataset in scene.datasets if dataset.digest in one_map.digests)
        in_sets = np.isin(scene.part, [scene.datasets.index(dataset) for dataset in sets])
        shares[in_sets] = cache.neighbours_kept(
            repr(one_map.settings), one_map.digests, one_map, sets
        )
    words = "more than {} % of its neighbours preserved"
    return colour_by_share(shares, words, ("no neighbour preserved", "all preserved"))
