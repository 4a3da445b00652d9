"""The transfer from ImageNet-1K to ten other sets: which target classes it was tuned on.

Prompts that are tuned on the labels of ImageNet-1K are tested on ten other sets. Of a target class
that is one of the 1,000, its own name was in the tuning: the transfer is to other images of it, not
to a class that was never named. A person has read the class lists side by side
(``labelled_pairs.csv``); the comparison of names finds the same and more.

References
----------
K. Zhou, J. Yang, C. Loy, Z. Liu, "Conditional prompt learning for vision-language models", CVPR
2022 (section 4.2).
"""

from __future__ import annotations

import pandas as pd

from zslcore.datasets.open_world import OpenWorldSet, open_world_sets
from zslcore.leakage.contamination.counting import cell_of, find_test_set
from zslcore.leakage.contamination.reliability import AGAINST, certain_by_list, pairs

#: Set of base-to-new tests -> its list in ``labelled_pairs.csv``.
LISTS = {
    "caltech101": "Caltech101",
    "oxford_pets": "OxfordPets",
    "stanford_cars": "StanfordCars",
    "flowers102": "Flowers102",
    "food101": "Food101",
    "fgvc_aircraft": "FGVCAircraft",
    "sun397": "SUN397",
    "dtd": "DTD",
    "eurosat": "EuroSAT",
    "ucf101": "UCF101",
}


def transfer_table() -> pd.DataFrame:
    """Return how many classes of every target are classes of ImageNet-1K.

    Returns
    -------
    DataFrame, a row a target
        ``name``, ``title``, ``classes``; ``same`` and ``related``, classes that a person calls the
        same as one of the 1,000, or only a part or kind of one; ``certain`` and ``possible``, as
        the comparison of names finds them; ``pairs``, of names that a person labelled, and of these
        ``pairs_certain`` by the comparison and ``pairs_right``, the same class
    """
    by_list, rows = certain_by_list(), []
    for name, one in open_world_sets().items():
        if name == "imagenet":
            continue
        tested = find_test_set("UCF101" if name == "ucf101" else name)
        cell = cell_of(tested, AGAINST)
        same, related = _read(one)
        pairs_read, certain, right = by_list[LISTS[name]]
        rows.append(
            {
                "name": name,
                "title": one.title,
                "classes": len(one.classes),
                "same": same,
                "related": related,
                "certain": cell.n_certain,
                "possible": cell.n_possible,
                "pairs": pairs_read,
                "pairs_certain": certain,
                "pairs_right": right,
            }
        )
    return pd.DataFrame(rows)


def _read(one: OpenWorldSet) -> tuple[int, int]:
    """Return how many classes are the same for a person, and how many only a part or kind."""
    of = [pair for pair in pairs() if pair.list == LISTS[one.name]]
    same = {pair.name for pair in of if pair.label == "same"}
    related = {pair.name for pair in of if pair.label == "part or kind"} - same
    return len(same), len(related)
