"""Facts about the benchmarks, kept under ``data/``: printed tables, class lists, image counts.

Sources, and what had to be filled in by a rule, are named in ``data/README.md``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

from zslcore.exceptions import closest_name
from zslcore.files import FACTS

__all__ = [
    "ClassFacts",
    "benchmark_of",
    "class_facts",
    "plain_name",
    "published",
    "published_tables",
    "standard_test_classes",
]

#: Benchmarks whose standard split is known; the test classes of SUN's are not to be had.
_WITH_STANDARD_SPLIT = ("AWA2", "CUB", "aPY")


@dataclass(frozen=True, slots=True, eq=False)
class ClassFacts:
    """What is known of a benchmark without its images.

    Attributes
    ----------
    dataset : "AWA1", "AWA2", "CUB", "SUN" or "aPY"
    attributes : number of attributes in its prototypes
    classes : DataFrame, one row per class in the benchmark's order, with the columns ``class``,
        ``group``, ``images``, ``test_seen`` (images held out by PS), ``ss`` (train, test), ``ps``
        (trainval, test), ``fold1`` to ``fold3`` (train, val, empty for unseen classes) and
        ``imagenet1k`` (published, name, empty: how the class is known to be one of ImageNet-1K)
    notes : where ``images``, ``ss``, ``ps`` and ``imagenet1k`` come from, one sentence each
    """

    dataset: str
    attributes: int
    classes: pd.DataFrame
    notes: Mapping[str, str]


def class_facts(dataset: str) -> ClassFacts:
    """Return the classes, image counts and class lists of a benchmark.

    Raises
    ------
    UnknownNameError
        For a benchmark that ``data/classes`` does not hold; names the nearest one.
    """
    sources = tomllib.loads((FACTS / "classes" / "sources.toml").read_text(encoding="utf-8"))
    if dataset not in sources:
        raise closest_name("benchmark", dataset, sources)
    notes = dict(sources[dataset])
    return ClassFacts(
        dataset=dataset,
        attributes=notes.pop("attributes"),
        classes=pd.read_csv(FACTS / "classes" / f"{dataset}.csv", keep_default_na=False),
        notes=notes,
    )


def plain_name(name: str) -> str:
    """Return a class name as it compares: ``002.Laysan_Albatross`` and ``Laysan Albatross``."""
    return " ".join(re.sub(r"^\d+\.", "", name).replace("+", " ").replace("_", " ").lower().split())


def standard_test_classes(names: Sequence[str]) -> tuple[int, ...]:
    """Return which of these classes the standard split of their benchmark tests.

    AWA1 and AWA2 share classes and split. Empty when the classes are those of no benchmark whose
    standard split is known.

    Parameters
    ----------
    names : class names, in any order and spelling
    """
    plain = [plain_name(name) for name in names]
    for benchmark in _WITH_STANDARD_SPLIT:
        classes = class_facts(benchmark).classes
        role = dict(zip(map(plain_name, classes["class"]), classes["ss"], strict=True))
        if role.keys() == set(plain):
            return tuple(c for c, name in enumerate(plain) if role[name] == "test")
    return ()


def published_tables() -> tuple[str, ...]:
    """Names of the printed tables that :func:`published` knows."""
    return tuple(sorted(path.stem for path in (FACTS / "published").glob("*.csv")))


def published(name: str) -> pd.DataFrame:
    """Return a printed table as it is in the paper, accuracies as fractions.

    The files hold percent as printed, in columns called ``..._percent``; here these are divided by
    100 and lose the suffix. Cells that the paper left empty are missing values.

    Raises
    ------
    UnknownNameError
        For a table that ``data/published`` does not hold; names the nearest one.
    """
    if name not in published_tables():
        raise closest_name("published table", name, published_tables())
    table = pd.read_csv(FACTS / "published" / f"{name}.csv")
    percent = [column for column in table.columns if column.endswith("_percent")]
    table[percent] = table[percent] / 100
    return table.rename(columns={column: column.removesuffix("_percent") for column in percent})


def benchmark_of(dataset: str, n_classes: int) -> str | None:
    """Return the benchmark that a data set is, or stands in for; None for any other data.

    The name decides, as ``AWA2``, ``AWA2-vgg_fc7`` and ``simulated-AWA2-full`` do, together with
    the number of classes, so that somebody's own ``sun`` is not taken for SUN.
    """
    table = published("dataset_statistics")
    head = dataset.removeprefix("simulated-").partition("-")[0].lower()
    known = table[(table["dataset"].str.lower() == head) & (table["classes"] == n_classes)]
    return None if known.empty else str(known["dataset"].iloc[0])
