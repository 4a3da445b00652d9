"""Test classes that papers list as classes of a pre-training set.

References
----------
K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in videos",
VISAPP 2021, lists of overlapping classes. Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot
learning - a comprehensive evaluation of the good, the bad and the ugly", TPAMI 2019, section 5.2.
B. Brattoli, J. Tighe, F. Zhdanov, P. Perona, K. Chalupka, "Rethinking zero-shot video
classification: end-to-end training for realistic applications", CVPR 2020.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import MappingProxyType

from zslcore.datasets.facts import benchmark_classes, unseen_classes
from zslcore.names import dictionary_form
from zslcore.storage.files import FACTS, read_csv_rows

#: Benchmarks of images; AWA1 and AWA2 have the same classes.
IMAGES = {"AWA1 and AWA2": "AWA2", "CUB": "CUB", "SUN": "SUN", "aPY": "aPY"}
#: Name of a pre-training set in the paper on actions -> its name in the tables.
_SETS = {"ImageNet-1K": "imagenet-1k", "Kinetics-400": "kinetics-400", "Sports-1M": "sports-1m"}


@cache
def paper_lists() -> Mapping[tuple[str, str], tuple[frozenset[str], str]]:
    """Return the listed classes, and the paper, by test set (without split) and pre-training set.

    The list is empty if the paper compares the two sets and finds no common class.
    """
    lists: dict[tuple[str, str], tuple[frozenset[str], str]] = {}
    images = _read_printed("overlap_imagenet1k_ss")
    for title, benchmark in IMAGES.items():
        printed = {row["class"] for row in images if row["dataset"] == benchmark}
        tested = unseen_classes(benchmark, "SS")
        names = frozenset(name for name in tested if _is_listed(name, printed))
        lists[title, "imagenet-1k"] = names, "Xian et al. 2019"
    actions = _read_printed("overlap_action")
    for dataset, pretraining in {(row["dataset"], row["pretraining"]): None for row in actions}:
        names = frozenset(
            row["class"]
            for row in actions
            if (row["dataset"], row["pretraining"], row["overlaps"]) == (dataset, pretraining, "1")
        )
        lists[dataset, _SETS[pretraining]] = names, "Huang et al. 2021"
        lists[dataset, "kinetics-664"] = frozenset(), "Brattoli et al. 2020"
    return MappingProxyType(lists)


def _read_printed(table: str) -> Sequence[Mapping[str, str]]:
    """Read a published table without pandas, so that checking a small file starts fast."""
    return read_csv_rows(FACTS / "published" / f"{table}.csv")


def _is_listed(name: str, printed: set[str]) -> bool:
    """Whether a paper lists a class; for SUN, papers omit the last word, such as "outdoor"."""
    return name in printed or name.rpartition(" ")[0] in printed


@cache
def _titles() -> Mapping[frozenset[str], str]:
    """Return the titles of the test sets by all their classes, in dictionary form."""
    classes_of_title = {title: {*benchmark_classes(name)} for title, name in IMAGES.items()}
    for row in _read_printed("overlap_action"):
        classes_of_title.setdefault(row["dataset"], set()).add(row["class"])
    return {frozenset(map(dictionary_form, c)): title for title, c in classes_of_title.items()}


def papers_of_classes(all_classes: Iterable[str], pretraining: str) -> Mapping[str, str]:
    """Return the paper that lists a class as one of a pre-training set, by its dictionary form.

    ``all_classes`` are all classes of a data set; the result is empty unless they are the classes
    of a benchmark that a paper has compared with the pre-training set.
    """
    title = _titles().get(frozenset(map(dictionary_form, all_classes)), "")
    names, paper = paper_lists().get((title, pretraining), (frozenset(), ""))
    return dict.fromkeys(map(dictionary_form, names), paper)
