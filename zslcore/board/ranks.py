r"""Which places of the board a result can have: ranks with ties, over test classes drawn again.

Results with the accuracies of the same classes are compared on the same draws of these classes. The
interval of a rank is that of :func:`zslcore.analysis.ranking.rank_bounds`: two results that no draw
tells from each other can each have the better place. Results that peeked at test images are bounds
and have no rank.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from zslcore.analysis.ranking import rank_bounds
from zslcore.board.checking import Judged
from zslcore.board.entry import BoardEntry
from zslcore.metrics import harmonic_mean
from zslcore.metrics.bootstrap import class_draws

Ranked = Literal["zsl", "H_gamma"]
#: Figures that are ranked -> the field with the accuracies of their classes.
RANKED: dict[Ranked, str] = {"zsl": "zsl", "H_gamma": "at_gamma"}

#: Test set, split and classes: results that have the same are ranked together.
_Group = tuple[str, str, tuple[str, ...], tuple[bool, ...]]


@dataclass(frozen=True, slots=True)
class Rank:
    """The 95 % interval of a rank.

    Attributes
    ----------
    first, last : places, 1 the best
    of : results that are ranked together
    """

    first: int
    last: int
    of: int

    @property
    def in_words(self) -> str:
        """As "2 to 5 of 36"."""
        places = f"{self.first}" if self.first == self.last else f"{self.first} to {self.last}"
        return f"{places} of {self.of}"


def ranks_of(results: Sequence[Judged], figure: Ranked) -> dict[str, Rank]:
    """Rank the results of every test set.

    Parameters
    ----------
    results : of any test sets
    figure : "zsl" or "H_gamma"

    Returns
    -------
    dict, file of a result -> Rank
        Only results with the accuracy of every class, where there are two of the same classes.
    """
    groups: dict[_Group, dict[str, tuple[float, ...]]] = defaultdict(dict)
    for one in results:
        if (group := _group(one.entry, figure)) and not one.entry.peeked:
            of_class = one.entry.per_class[RANKED[figure]]
            groups[group][one.file] = tuple(of_class[c] for c in group[2])
    found: dict[str, Rank] = {}
    for (_, _, _, seen), members in groups.items():
        if len(members) > 1:
            places = _places(tuple(members.values()), seen)
            ranks = (Rank(first, last, len(members)) for first, last in places)
            found |= dict(zip(members, ranks, strict=True))
    return found


def _group(entry: BoardEntry, figure: Ranked) -> _Group | None:
    """Return what an entry is ranked with, None where its classes are too few or unknown."""
    classes = tuple(sorted(entry.per_class.get(RANKED[figure], {})))
    unseen = set(entry.unseen_classes)
    seen = tuple(figure == "H_gamma" and name not in unseen for name in classes)
    sides = (seen.count(False), seen.count(True)) if figure == "H_gamma" else (len(classes),)
    if min(sides) < 2:
        return None
    return entry.data.benchmark or entry.data.digest, entry.split.name, classes, seen


# As the intervals of the table: every form of the board, and every run of its page, needs them.
@lru_cache(maxsize=64)
def _places(
    accuracies: tuple[tuple[float, ...], ...], seen: tuple[bool, ...]
) -> tuple[tuple[int, int], ...]:
    """Return the first and last place of every result, of its accuracies a class."""
    of_seen, values = np.array(seen), np.array(accuracies).T
    drawn = class_draws(of_seen)
    means = [
        drawn[:, side] @ values[side] / drawn[:, side].sum(axis=1, keepdims=True)
        for side in (of_seen, ~of_seen)
        if side.any()
    ]
    first, last = rank_bounds(means[0] if len(means) == 1 else harmonic_mean(*means))
    return tuple(zip(first.astype(int).tolist(), last.astype(int).tolist(), strict=True))
