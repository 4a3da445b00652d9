r"""Accuracy of a class over its distance from the pre-training classes in WordNet.

The distance of a test class :math:`c` from a pre-training set :math:`P` is the number of steps on
the shortest way through WordNet's hierarchy, up and down,

.. math::
    d(c) = \min_{p \in P} \; \min_{s \in \mathrm{senses}(c)} \lVert s - p \rVert

with 0 for a class of the set and 1 for a kind of one. A name that WordNet does not have is a kind
of what its last words name, one step below: *Laysan albatross* of the albatrosses.

A class counts once, whatever its images. Whether near classes get better accuracy is tested by
Spearman's rank correlation, its p by permutations of the distances over classes. It is no cause:
near classes may be easy ones, and distances of one data set take few values.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019 (test sets two and three hops from ImageNet-1K).
C. Spearman, "The proof and measurement of association between two things", American Journal of
Psychology 15 (1904).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike
from scipy.stats import rankdata

from zslcore.exceptions import DatasetError
from zslcore.leakage.matching import parse_name, queries, reading
from zslcore.leakage.vocabularies import Vocabulary, wordnet

#: Permutations of the test.
DRAWS = 9999
#: Fewest classes, at two distances or more, that are tested.
FEWEST = 5


@dataclass(frozen=True, slots=True)
class HopTrend:
    """Spearman's rank correlation over classes of accuracy with distance, and its two-sided p.

    Below 0 near classes are better; both NaN where all distances or accuracies are equal.
    """

    rho: float
    p: float
    classes: int
    means: pd.DataFrame


def class_hops(
    names: Sequence[str], vocabulary: Vocabulary, context: Sequence[str] = ()
) -> pd.DataFrame:
    """Return the distance of every class from the nearest class of a pre-training list.

    ``hops`` is NaN where WordNet knows no word of the name; ``context`` are all classes of the data
    set, which decide what ambiguous names mean. Raises DatasetError for a list without places in
    WordNet.
    """
    entries = {entry.synset: entry.names[0] for entry in vocabulary.entries if entry.synset}
    if not entries:
        raise DatasetError(
            f"{vocabulary.name}: expected pre-training classes with WordNet ids; got none. "
            "ImageNet's lists have them."
        )
    away = _distances(frozenset(entries))
    rows = []
    for name, senses, steps in _senses_of(names, context):
        near = [(away[s][0], entries[away[s][1]]) for s in senses if s in away]
        hops, nearest = min(near, default=(np.nan, ""))
        rows.append((name, hops + steps, nearest))
    return pd.DataFrame(rows, columns=["class", "hops", "nearest"])


def hop_trend(accuracy: ArrayLike, hops: ArrayLike, *, seed: int = 0) -> HopTrend:
    """Correlate accuracies with distances but for NaN; DatasetError for fewer than five."""
    table = pd.DataFrame({"hops": np.asarray(hops, float), "accuracy": np.asarray(accuracy, float)})
    table = table.dropna()
    if len(table) < FEWEST:
        raise DatasetError(
            f"Expected at least {FEWEST} classes that WordNet knows; got {len(table)}."
        )
    grouped = table.groupby("hops")["accuracy"]
    means = grouped.agg(classes="size", accuracy="mean").reset_index()
    means["hops"] = means["hops"].astype(int)
    x, y = (rankdata(table[column]) for column in ("hops", "accuracy"))
    x, y = x - x.mean(), y - y.mean()
    scale = float(np.sqrt((x @ x) * (y @ y)))
    if not scale:
        return HopTrend(np.nan, np.nan, len(table), means)
    rho = float(x @ y) / scale
    rng = np.random.default_rng(seed)
    drawn = np.array([rng.permutation(x) @ y for _ in range(DRAWS)]) / scale
    extreme = int((np.abs(drawn) >= abs(rho) - 1e-12).sum())
    return HopTrend(rho, (extreme + 1) / (DRAWS + 1), len(table), means)


def _senses_of(
    names: Sequence[str], context: Sequence[str]
) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield every name with its fitting senses, and the steps from the name to these."""
    for name, query in zip(names, queries(names, context, "n"), strict=True):
        if query.fitting:
            yield name, query.fitting, 0
            continue
        words = query.name.words
        ends = (" ".join(words[k:]) for k in range(1, len(words)))
        below = (reading(parse_name(end, "n"), "n", query.about).fitting for end in ends)
        yield name, next(filter(None, below), ()), 1


@cache
def _neighbours() -> Mapping[str, tuple[str, ...]]:
    """Return what every noun of WordNet is a kind of, and its kinds."""
    found: dict[str, list[str]] = defaultdict(list)
    for synset in wordnet().synsets.values():
        for parent in synset.parents:
            found[synset.id].append(parent)
            found[parent].append(synset.id)
    return {synset: tuple(others) for synset, others in found.items()}


@cache
def _distances(sources: frozenset[str]) -> Mapping[str, tuple[int, str]]:
    """Return the steps from every meaning to the nearest source, and which it is."""
    found = {source: (0, source) for source in sorted(sources)}
    level = list(found)
    while level:
        following = []
        for synset in level:
            steps, source = found[synset]
            for other in _neighbours().get(synset, ()):
                if other not in found:
                    found[other] = (steps + 1, source)
                    following.append(other)
        level = following
    return found
