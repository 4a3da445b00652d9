"""Facts on the videos of UCF101 and HMDB51, from ``data/actions`` and the tables of [1]_.

UCF101 was cut from longer videos: the clips of a class come in 25 groups of 4 to 7, those of one
group from the same video [2]_ (``v_Archery_g07_c03``). A split that goes by clips puts most groups
on both sides.

References
----------
.. [1] K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in
   videos", VISAPP 2021.
.. [2] K. Soomro, A. R. Zamir, M. Shah, "UCF101: a dataset of 101 human actions classes from videos
   in the wild", 2012.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import pandas as pd

from zslcore.datasets.base import frozen
from zslcore.datasets.facts import published
from zslcore.exceptions import require_known
from zslcore.storage.files import FACTS

FOLDER = FACTS / "actions"
#: The data sets whose classes are known.
ACTION_SETS = ("UCF101", "HMDB51")
#: Groups of clips from one video in each class of UCF101.
GROUPS = 25
#: The pre-training sets of the annotated lists, and what this package calls their classes.
PRETRAINING = {"Kinetics-400": "kinetics-400", "Sports-1M": "sports-1m"}


@dataclass(frozen=True, slots=True, eq=False)
class ActionFacts:
    """What is known of a data set of actions, classes in the release's order.

    ``videos`` counts them by class, ``attributes`` is binary of shape (n_classes, 115), None for
    HMDB51. ``overlapping`` says by pre-training set which classes are in it, as annotated in [1]_
    of this module; ``released`` lists the test classes of the 50 random splits in circulation.
    """

    dataset: str
    class_names: tuple[str, ...]
    videos: np.ndarray
    attributes: np.ndarray | None
    overlapping: dict[str, np.ndarray]
    released: tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ZSL220:
    """The 220 classes of Kinetics-600 that are no classes of Kinetics-400, in three splits.

    Methods train on Kinetics-400; of the 220, a split validates on 60 and tests on 160 [1]_.
    ``validated`` has shape (3, 220); names are in the order of the alphabet.

    References
    ----------
    .. [1] S. Chen, D. Huang, "Elaborative rehearsal for zero-shot action recognition", ICCV 2021.
    """

    class_names: tuple[str, ...]
    validated: np.ndarray

    def tested(self, split: int) -> tuple[str, ...]:
        """Return the test classes of split 1, 2 or 3."""
        out = self.validated[split - 1]
        return tuple(name for name, held in zip(self.class_names, out, strict=True) if not held)


@cache
def zsl220() -> ZSL220:
    """Return the classes and splits of the zero-shot test on Kinetics-600."""
    table = pd.read_csv(FOLDER / "zsl220.csv", index_col="class")
    return ZSL220(tuple(map(str, table.index)), frozen(table.to_numpy().T == "val"))


@cache
def action_facts(dataset: str) -> ActionFacts:
    """Return what is known of "UCF101" or "HMDB51"."""
    require_known("data set of actions", dataset, ACTION_SETS)
    table = pd.read_csv(FOLDER / f"{dataset}.csv", dtype={"attributes": str})
    splits = pd.read_csv(FOLDER / "splits.csv")
    names, bits = tuple(table["class"]), table.get("attributes")
    return ActionFacts(
        dataset=dataset,
        class_names=names,
        videos=frozen(table["videos"].to_numpy()),
        attributes=None if bits is None else frozen([[*map(float, text)] for text in bits], "f4"),
        overlapping={there: _overlapping(dataset, there, names) for there in PRETRAINING},
        released=tuple(
            frozen(np.array(test.split(), dtype=np.intp))
            for test in splits.loc[splits["dataset"] == dataset, "test"]
        ),
    )


def _overlapping(dataset: str, pretraining: str, names: Sequence[str]) -> np.ndarray:
    table = published("overlap_action")
    of_both = table[(table["dataset"] == dataset) & (table["pretraining"] == pretraining)]
    return frozen(of_both.set_index("class")["overlaps"].loc[list(names)].to_numpy() == 1)


def plain_action(name: str) -> str:
    """Return the name of an action as it compares.

    Examples
    --------
    >>> plain_action("Apply Eye Makeup") == plain_action("ApplyEyeMakeup")
    True
    """
    return re.sub(r"[\W_]+", "", name).lower()


def recognise_actions(class_names: Sequence[str]) -> str | None:
    """Return whose classes these are, in this order and any spelling; None where unknown."""
    plain = [*map(plain_action, class_names)]
    for dataset in ACTION_SETS:
        if plain == [*map(plain_action, action_facts(dataset).class_names)]:
            return dataset
    return None
