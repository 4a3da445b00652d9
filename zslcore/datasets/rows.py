"""Facts about the rows of the five benchmarks: class and photograph of each, without its files.

``data/rows`` holds them in run lengths. They answer questions about a split file that is known to
number the benchmark's own rows (:mod:`zslcore.leakage.known`), and about no other.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from zslcore.exceptions import closest_name
from zslcore.storage.files import FACTS

__all__ = ["RowFacts", "packed", "row_facts", "unpacked"]

FOLDER = FACTS / "rows"


@dataclass(frozen=True, slots=True, eq=False)
class RowFacts:
    """What is known of the rows of a benchmark; arrays are read-only.

    Attributes
    ----------
    dataset : "AWA1", "AWA2", "CUB", "SUN" or "aPY"
    labels : int array of shape (n_rows,)
        Class of each row, counted from 0 in the benchmark's order of classes.
    photographs : int array of shape (n_rows,), or None where it is not known
        Photograph of each row: rows with the same number were cut from the same one.
    shared : split -> part -> number of rows
        How many test rows of a released split come from a photograph that also gave a training
        row; splits and parts without any are left out.
    sources : where labels and photographs come from, one sentence each
    """

    dataset: str
    labels: np.ndarray
    photographs: np.ndarray | None
    shared: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, str]

    @property
    def n_photographs(self) -> int:
        """Number of different photographs; 0 where they are not known."""
        return 0 if self.photographs is None else len(np.unique(self.photographs))


@cache
def row_facts(dataset: str) -> RowFacts:
    """Return what ``data/rows`` knows of a benchmark.

    Raises
    ------
    UnknownNameError
        For a benchmark that it does not hold; names the nearest one.
    """
    known = sorted(path.stem for path in FOLDER.glob("*.toml"))
    if dataset not in known:
        raise closest_name("benchmark", dataset, known)
    facts = tomllib.loads((FOLDER / f"{dataset}.toml").read_text(encoding="utf-8"))
    labels = unpacked(facts["labels"])
    photographs = None
    if "photographs" in facts:
        # Rows of one photograph follow each other in every benchmark.
        sizes = unpacked(facts["photographs"])
        photographs = np.repeat(np.arange(len(sizes)), sizes)
        photographs.setflags(write=False)
    labels.setflags(write=False)
    return RowFacts(dataset, labels, photographs, facts.get("shared", {}), facts["sources"])


def packed(values: np.ndarray) -> str:
    """Write whole numbers as run lengths.

    Examples
    --------
    >>> packed(np.array([0, 0, 0, 7, 1, 1]))
    '0*3 7 1*2'
    """
    starts = np.flatnonzero(np.append(True, np.diff(values) != 0))
    lengths = np.diff(np.append(starts, len(values)))
    return " ".join(
        f"{values[at]}*{n}" if n > 1 else str(values[at])
        for at, n in zip(starts, lengths, strict=True)
    )


def unpacked(text: str) -> np.ndarray:
    """Read run lengths back.

    Examples
    --------
    >>> unpacked("0*3 7 1*2").tolist()
    [0, 0, 0, 7, 1, 1]
    """
    runs = [token.partition("*") for token in text.split()]
    values = [int(value) for value, _, _ in runs]
    return np.repeat(values, [int(times or 1) for _, _, times in runs])
