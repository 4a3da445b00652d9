"""What is known of ImageNet-21K without its images: synsets, words, hypernyms, the nine test sets.

``data/imagenet`` holds the facts; sources are named in ``data/README.md``.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019, section 4.2, and the file of splits released with it.
A. Frome et al., "DeViSE: a deep visual-semantic embedding model", NIPS 2013: the lists of 2 and 3
hops that the benchmark started from.
"""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import MappingProxyType

import numpy as np

from zslcore.datasets.base import Fold, Split, frozen
from zslcore.exceptions import DatasetError
from zslcore.storage.files import FACTS

#: The nine test sets of the benchmark, in the order of its table 5.
SETS = ("2H", "3H", "M500", "M1K", "M5K", "L500", "L1K", "L5K", "All")
#: The 1,000 training classes and the 20,842 others, in the order of the release.
CLASSES = 21_842
#: The lists that were there before the benchmark took what has images: so many of the classes that
#: follow the training classes are on each.
LISTS = MappingProxyType({"2H": 1549, "3H": 7860, "All": 20_842})

_HOPS = {"2H": ("2H",), "3H": ("2H", "3H"), "All": ("2H", "3H", "far")}
_POPULATED = ("M500", "M1K", "M5K", "L500", "L1K", "L5K")


@dataclass(frozen=True, eq=False)
class ImageNet:
    """Synsets of ImageNet-21K and the relation "is a kind of" above them; arrays are read-only.

    Rows 0 to ``CLASSES`` - 1 are classes, in the order that the released split file numbers them
    (from 1); the synsets above them that are no classes follow.

    Attributes
    ----------
    synsets : WordNet ids such as ``n01440764``, one per row
    words : every word for each of them, the usual one first
    parents : rows of what each one is a kind of
    hops : "train" or "val" for the training classes, "2H", "3H" or "far" for the test classes, ""
        for classes that the benchmark leaves out and for synsets that are none
    populated : "M500", "M1K", "M5K", "L500", "L1K", "L5K": the smallest list that has the class
    """

    synsets: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]
    parents: tuple[tuple[int, ...], ...]
    hops: np.ndarray
    populated: np.ndarray

    @cached_property
    def row(self) -> Mapping[str, int]:
        """Row of every synset id."""
        return MappingProxyType({synset: i for i, synset in enumerate(self.synsets)})

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The usual word of every row; several rows can have the same."""
        return tuple(words[0] for words in self.words)

    @cached_property
    def seen(self) -> np.ndarray:
        """Which classes are trained on, shape (``CLASSES``,): those of the 2012 challenge."""
        return frozen(np.isin(self.hops[:CLASSES], ("train", "val")))

    @cached_property
    def sets(self) -> Mapping[str, np.ndarray]:
        """Which classes each of the nine test sets has, bool arrays of shape (``CLASSES``,)."""
        hops, populated = self.hops[:CLASSES], self.populated[:CLASSES]
        sets = {name: np.isin(hops, _HOPS[name]) for name in _HOPS}
        for side in ("M", "L"):
            nested = [name for name in _POPULATED if name[0] == side]
            sets |= {name: np.isin(populated, nested[: k + 1]) for k, name in enumerate(nested)}
        return MappingProxyType({name: frozen(sets[name]) for name in SETS})

    @cached_property
    def validation(self) -> np.ndarray:
        """Which training classes are for choosing parameters, shape (``CLASSES``,): 250.

        The paper's text says 200; the released file has 250.
        """
        return frozen(self.hops[:CLASSES] == "val")


@cache
def imagenet() -> ImageNet:
    """Return the facts of ``data/imagenet``; read once."""
    rows = list(_lines())
    position = {row[0]: i for i, row in enumerate(rows)}
    return ImageNet(
        synsets=tuple(position),
        words=tuple(tuple(row[4].split(", ")) for row in rows),
        parents=tuple(tuple(position[p] for p in row[1].split()) for row in rows),
        hops=frozen(np.array([row[2] for row in rows])),
        populated=frozen(np.array([row[3] for row in rows])),
    )


def _lines() -> Iterator[list[str]]:
    with gzip.open(FACTS / "imagenet" / "synsets.tsv.gz", "rt", encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                yield line.rstrip("\n").split("\t")


def imagenet_rows(class_names: Sequence[str]) -> np.ndarray:
    """Return which classes of ImageNet-21K the classes of a data set are.

    Names are WordNet ids, alone (``n01440764``) or with a name before or behind them (``n01440764
    tench``, ``n01440764.tar``, ``train/n01440764``). Rows are those of :func:`imagenet`, -1 where a
    name has no id of a class.
    """
    facts = imagenet()
    found = (re.search(r"(?<![A-Za-z0-9])n\d{8}(?!\d)", name) for name in class_names)
    rows = [facts.row.get(match.group(), -1) if match else -1 for match in found]
    return np.array([row if row < CLASSES else -1 for row in rows], dtype=np.intp)


def known_ids(class_names: Iterable[str]) -> bool:
    """Whether most classes are called by ids of ImageNet-21K, so that the nine sets apply."""
    rows = imagenet_rows(tuple(class_names))
    return len(rows) > 0 and float((rows >= 0).mean()) > 0.5


def challenge_split(name: str, labels: np.ndarray, class_names: Sequence[str]) -> Split:
    """Return the benchmark's split of classes: those of the 2012 challenge train, no other does.

    A fifth of every training class is held out, drawn with seed 0. The one fold is the released
    one, as far as its classes are there. Most class names need ids, see :func:`imagenet_rows`.
    Raises a DatasetError when no class of either kind is among them.
    """
    facts, rows = imagenet(), imagenet_rows(class_names)
    seen, validates = (of[rows] & (rows >= 0) for of in (facts.seen, facts.validation))
    if not seen[labels].any() or seen[labels].all():
        raise DatasetError(
            "Classes of ImageNet: expected some of the 2012 challenge, which train, and others, "
            f"which test; got {int(seen.sum())} and {int((~seen).sum())}."
        )
    whole = Split.from_classes(name, labels, np.flatnonzero(~seen))
    fold = Fold.of_classes(labels, whole.trainval, validates)
    note = (
        "Classes of ImageNet's 2012 challenge train, a fifth of their rows held out; the fold is "
        "the released one."
    )
    return replace(whole, folds=(fold,) if len(fold.val) and len(fold.train) else (), note=note)


@cache
def class_positions() -> np.ndarray:
    r"""Return the positions of the classes of ImageNet-21K in the hypernym relation.

    The relation "is a kind of", read in both directions, is a graph of all synsets with adjacency
    :math:`A` and degrees :math:`d`. The first eigenvectors of its normalised Laplacian [1]_,

    .. math::
        L = I - D^{-1/2} A D^{-1/2}, \qquad L u_j = \mu_j u_j, \qquad
        0 = \mu_0 < \mu_1 \le \mu_2 \le \dots

    give synset :math:`c` the position :math:`g_c = (D^{-1/2} u_1, \dots, D^{-1/2} u_k)_c`, columns
    scaled to unit variance and rows to unit length [2]_. Near synsets have similar positions; two
    kinds of one thing that have no kinds themselves have the same. ``positions.tsv.gz`` holds them
    as multiples of 1/127: eigenvectors differ in their last bits from machine to machine.

    Returns
    -------
    float64 array of shape (``CLASSES``, 48), read-only
        Rows follow :func:`imagenet`.

    References
    ----------
    .. [1] M. Belkin, P. Niyogi, "Laplacian eigenmaps for dimensionality reduction and data
       representation", Neural Computation 2003.
    .. [2] A. Y. Ng, M. I. Jordan, Y. Weiss, "On spectral clustering: analysis and an algorithm",
       NIPS 2001.
    """
    with gzip.open(FACTS / "imagenet" / "positions.tsv.gz", "rt", encoding="utf-8") as file:
        lines = [line for line in file if not line.startswith("#")]
    *rows, of_class = (np.fromstring(line, dtype=np.int32, sep="\t") for line in lines)
    return frozen(np.array(rows)[of_class] * (1 / 127))
