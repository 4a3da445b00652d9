"""The tables of extractors and pre-training sets, open to new rows."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast

from zslcore.exceptions import closest_name
from zslcore.storage.files import FACTS

#: What examples came with when an extractor was trained on them.
Labels = Literal["classes", "captions", "none"]
Kind = Literal["image", "video"]

EXTRACTORS, SETS = FACTS / "contamination.csv", FACTS / "contamination_sets.csv"
#: Copies of test images in pre-training sets, as papers print them.
PRINTED = FACTS / "contamination_printed.csv"
#: Between sets that one extractor has seen.
AND = " + "


@dataclass(frozen=True, slots=True)
class PretrainingSet:
    """What extractors are trained on.

    Attributes
    ----------
    name, title : as in ``--pretraining``, and as it is written
    n_classes : number of its classes, None where it has none or it is not stated
    vocabulary : the list of its classes, see :mod:`zslcore.leakage.vocabularies`; empty without one
    source, url : where this is stated
    """

    name: str
    title: str
    n_classes: int | None
    vocabulary: str
    source: str
    url: str


@dataclass(frozen=True, slots=True)
class Extractor:
    """A published feature extractor.

    Attributes
    ----------
    name : as its paper calls it
    kind : of data, "image" or "video"
    pretraining : names of the sets that it was trained on, one after the other
    labels : what their images came with, "classes", "captions" or "none"
    source, url : where this is stated
    """

    name: str
    kind: Kind
    pretraining: tuple[str, ...]
    labels: Labels
    source: str
    url: str


@cache
def pretraining_sets() -> Mapping[str, PretrainingSet]:
    """Return what extractors are trained on, by name."""
    return {
        row["name"]: PretrainingSet(
            row["name"],
            row["title"],
            int(row["classes"]) if row["classes"] else None,
            row["list"],
            row["source"],
            row["url"],
        )
        for row in read_rows(SETS)
    }


@cache
def extractors() -> Mapping[str, Extractor]:
    """Return the published extractors, by name."""
    return {
        row["extractor"]: Extractor(
            row["extractor"],
            cast("Kind", row["kind"]),  # tools/contamination.py checks the values
            tuple(row["pretraining"].split(AND)),
            cast("Labels", row["labels"]),
            row["source"],
            row["url"],
        )
        for row in read_rows(EXTRACTORS)
    }


def read_rows(path: Path) -> list[dict[str, str]]:
    """Return the rows of one of the CSV files of the map, all of them texts."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def find_extractor(name: str) -> Extractor:
    """Return a published extractor, whatever its case and hyphens; a misspelt one is refused.

    A row of several networks has the name of each: "VGG-16 and VGG-19" is "vgg19", too.

    Raises
    ------
    UnknownNameError
        With the nearest name.
    """
    if name in extractors():
        return extractors()[name]
    for each in extractors().values():
        if _letters(name) in map(_letters, (each.name, *each.name.split(" and "))):
            return each
    raise closest_name("extractor", name, extractors())


def _letters(name: str) -> str:
    return "".join(c for c in name.casefold() if c.isalnum())


@dataclass(frozen=True, slots=True)
class PrintedOverlap:
    """What the paper of a pre-training set says of copies of test images in it.

    Attributes
    ----------
    pretraining : name of the set
    dataset : the test images
    share : of them that have a copy, a fraction
    gain : of accuracy by these, a fraction; None where none is printed
    source, url : where this is stated
    """

    pretraining: str
    dataset: str
    share: float
    gain: float | None
    source: str
    url: str


@cache
def printed_overlaps(pretraining: str) -> tuple[PrintedOverlap, ...]:
    """Return the overlaps with test images that a paper prints for its pre-training set."""
    return tuple(
        PrintedOverlap(
            row["pretraining"],
            row["dataset"],
            float(row["overlap_percent"]) / 100,
            float(row["gain_percent"]) / 100 if row["gain_percent"] else None,
            row["source"],
            row["url"],
        )
        for row in read_rows(PRINTED)
        if row["pretraining"] == pretraining
    )
