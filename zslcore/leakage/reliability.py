"""Accuracy of the comparison of class names on pairs labelled by a person.

``data/labelled_pairs.csv`` has the pairs. Pairs of some lists were inspected while the rules were
developed (*tuned*), the other pairs only afterwards (*held out*). In the cross-dataset transfer of
prompt learning, prompts are tuned on ImageNet-1K and tested on ten other data sets
(:func:`transfer_table`). If a target class is one of the 1,000 classes of ImageNet-1K, the tuning
has used its name.

References
----------
K. Zhou, J. Yang, C. Loy, Z. Liu, "Conditional prompt learning for vision-language models", CVPR
2022 (section 4.2).
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache

import pandas as pd

from zslcore.datasets.open_world import open_world_sets
from zslcore.leakage.contamination import cell_of, find_test_set
from zslcore.leakage.matching import match_names
from zslcore.leakage.vocabularies import get_vocabulary
from zslcore.numbers import percent
from zslcore.storage.files import FACTS, read_csv_rows

PAIRS, MEASURED = FACTS / "labelled_pairs.csv", FACTS / "matching_measured.csv"
#: Pre-training list that has the second class of every labelled pair.
PRETRAINING_LIST = "imagenet-1k"
#: Parts of the file; the rules were developed on the first part.
PARTS = ("tuned", "held_out")


@dataclass(frozen=True, slots=True)
class LabelledMatch:
    """Labelled pair: a class of some list, and the first of the names of a class of ImageNet-1K.

    The label is "same", "part or kind" or "different"; the part is "tuned" or "held_out".
    """

    list: str
    name: str
    pretraining_class: str
    label: str
    part: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class ReliabilityCounts:
    """Results of the comparison on the pairs of one part, "tuned" or "held_out".

    ``same`` and ``related`` count pairs by label: "same", and "part or kind". ``certain`` and
    ``possible`` count pairs by the result of the comparison. ``certain_right`` counts certain pairs
    with the label "same", ``possible_right`` possible pairs with the label "same" or "part or
    kind". ``same_found`` and ``related_found`` count the pairs in ``same`` and in ``related`` that
    are certain or possible. The ``digest`` covers the pairs and the results.
    """

    part: str
    pairs: int
    same: int
    related: int
    certain: int
    certain_right: int
    possible: int
    possible_right: int
    same_found: int
    related_found: int
    digest: str

    @property
    def precision(self) -> dict[str, float]:
        """Share of correct pairs among the certain and among the possible pairs, in [0, 1]."""
        return {
            "certain": self.certain_right / self.certain,
            "possible": self.possible_right / self.possible,
        }

    @property
    def recall(self) -> dict[str, float]:
        """Among pairs labelled "same": share of certain, and share of certain or possible."""
        return {
            "certain": self.certain_right / self.same,
            "certain or possible": self.same_found / self.same,
        }


def pairs() -> tuple[LabelledMatch, ...]:
    """Return the labelled pairs."""
    with PAIRS.open(encoding="utf-8", newline="") as file:
        lines = (line for line in file if not line.startswith("#"))
        return tuple(LabelledMatch(*row) for k, row in enumerate(csv.reader(lines)) if k)


def strengths() -> dict[tuple[str, str, str], str]:
    """Return the strength of every match of the classes in the file, by list, class and entry."""
    names: dict[str, dict[str, None]] = {}
    for pair in pairs():
        names.setdefault(pair.list, {})[pair.name] = None
    return {
        (list_, match.class_name, match.entry.partition(", ")[0]): match.strength
        for list_, classes in names.items()
        for match in match_names(tuple(classes), get_vocabulary(PRETRAINING_LIST))
    }


def key_of_pair(pair: LabelledMatch) -> tuple[str, str, str]:
    """Return the key of a pair in :func:`strengths`."""
    return pair.list, pair.name, pair.pretraining_class


@cache
def stored_reliability() -> tuple[ReliabilityCounts, ...]:
    """Return the stored results of ``tools/contamination.py``, one row per part."""
    text = {"part", "digest"}
    return tuple(
        ReliabilityCounts(**{k: v if k in text else int(v) for k, v in row.items()})  # type: ignore[arg-type]
        for row in read_csv_rows(MEASURED)
    )


def describe_reliability() -> str:
    """Return two sentences on the accuracy of the comparison on held-out pairs."""
    row = {row.part: row for row in stored_reliability()}["held_out"]
    return (
        f"On {row.pairs} labelled pairs of a class of ImageNet-1K and a class of a list that was "
        f"not used in development, {row.certain_right} of {row.certain} matches by name are the "
        f"same class ({percent(row.precision['certain'])}). Of the {row.same} pairs of the same "
        f"class, {row.same_found} were matched by name or as related "
        f"({percent(row.recall['certain or possible'])})."
    )


# --- The transfer from ImageNet-1K to ten other sets ----------------------------------------------

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
    """Return the number of classes of each target data set that are classes of ImageNet-1K.

    ``same`` and ``related`` count classes by the labels of a person, ``certain`` and ``possible``
    by the comparison. Of the labelled ``pairs``, ``pairs_certain`` are certain by the comparison;
    ``pairs_right`` of these are the same class.
    """
    strength_of, rows = strengths(), []
    for name, class_set in open_world_sets().items():
        if name == "imagenet":
            continue
        cell = cell_of(find_test_set("UCF101" if name == "ucf101" else name), PRETRAINING_LIST)
        of_list = [pair for pair in pairs() if pair.list == LISTS[name]]
        certain_pairs = [pair for pair in of_list if strength_of.get(key_of_pair(pair)) == "strong"]
        same = {pair.name for pair in of_list if pair.label == "same"}
        related = {pair.name for pair in of_list if pair.label == "part or kind"} - same
        rows.append(
            {
                "name": name,
                "title": class_set.title,
                "classes": len(class_set.classes),
                "same": len(same),
                "related": len(related),
                "certain": cell.n_certain,
                "possible": cell.n_possible,
                "pairs": len(of_list),
                "pairs_certain": len(certain_pairs),
                "pairs_right": sum(pair.label == "same" for pair in certain_pairs),
            }
        )
    return pd.DataFrame(rows)
