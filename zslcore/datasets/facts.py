"""Facts about the benchmarks, stored under ``data/``: printed tables, class lists, image counts.

Sources, and what had to be filled in by a rule, are named in ``data/README.md``.
"""

from __future__ import annotations

import csv
import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np
import pandas as pd

from zslcore.exceptions import ParameterError, require_known
from zslcore.storage.files import FACTS

#: Images of the data themselves that an extractor can be fine-tuned on; no list names them.
FINE_TUNED: Mapping[str, str] = MappingProxyType(
    {
        "training-images": "training images of the data set",
        "seen-classes": "images of the data set's seen classes, perhaps test images among them",
    }
)


@cache
def unlisted_sets() -> Mapping[str, str]:
    """Return titles of pre-training sets whose classes are not listed, by name.

    Image-text models are trained on captions, which name no classes: "wit-400m" is CLIP's.
    """
    with (FACTS / "contamination_sets.csv").open(encoding="utf-8", newline="") as file:
        return {row["name"]: row["title"] for row in csv.DictReader(file) if not row["list"]}


def fine_tuned_on(pretraining: Sequence[str]) -> str:
    """Return which images of the data an extractor was fine-tuned on; empty for none."""
    return next((FINE_TUNED[name] for name in pretraining if name in FINE_TUNED), "")


def check_pretraining(names: Sequence[str], where: str = "") -> Sequence[str]:
    """Return names of pre-training vocabularies, which the audit looks up; others are refused.

    Allowed are those of :func:`unlisted_sets` and :data:`FINE_TUNED` too, and "none" alone for
    features that were trained on nothing. ``where`` names the file, for the sentence.
    """
    lists = (FACTS / "vocabularies").glob("*.txt*")
    known = ["none", *sorted(file.name.partition(".")[0] for file in lists)]
    known += [*unlisted_sets(), *FINE_TUNED]
    for name in names:
        require_known(f"pre-training vocabulary{where}", name, known)
    if "none" in names and len({*names}) > 1:
        raise ParameterError(
            f"'none' says that features were trained on nothing; expected it alone{where}, got "
            f"{', '.join(names)}."
        )
    return names


@dataclass(frozen=True, slots=True, eq=False)
class ClassFacts:
    """What is known of a benchmark without its images.

    ``classes`` has one row per class in the benchmark's order: ``class``, ``group``, ``images``,
    ``test_seen`` (images held out by PS), ``ss`` (train, test), ``ps`` (trainval, test), the
    released folds ``ss_fold1`` to ``ss_fold3`` and ``fold1`` to ``fold3`` (train, val, empty for
    unseen classes), and ``imagenet1k`` (published, name, empty: how the class is known to be one of
    ImageNet-1K). ``notes`` say where ``images``, ``ss``, ``ps`` and ``imagenet1k`` come from.
    """

    dataset: str
    attributes: int
    classes: pd.DataFrame
    notes: Mapping[str, str]


def class_facts(dataset: str) -> ClassFacts:
    """Return the classes, image counts and class lists of a benchmark."""
    sources = fact_sources()
    require_known("benchmark", dataset, sources)
    return ClassFacts(
        dataset=dataset,
        attributes=sources[dataset]["attributes"],
        classes=_classes(dataset).copy(),
        notes={name: sources[dataset][name] for name in ("images", "ss", "ps", "imagenet1k")},
    )


def class_attributes(dataset: str) -> pd.DataFrame | None:
    """Return the attributes of a benchmark's classes, as its annotators gave them.

    Values are in [0, 1], of shape (n_classes, n_attributes), missing where no annotator answered.
    ``data/classes`` has those of AWA1 and AWA2, which are the same; None for any other.
    """
    if dataset not in ("AWA1", "AWA2"):
        return None
    return pd.read_csv(FACTS / "classes" / "AWA_attributes.csv", index_col="class") / 100


@cache
def _classes(dataset: str) -> pd.DataFrame:
    return pd.read_csv(FACTS / "classes" / f"{dataset}.csv", keep_default_na=False)


@cache
def fact_sources() -> Mapping[str, Mapping[str, Any]]:
    """Return what ``data/classes/sources.toml`` says, by benchmark.

    ``attributes`` is their number, ``labels`` the digest of the release's labels in their order;
    ``images``, ``ss``, ``ps`` and ``imagenet1k`` say where a column comes from.
    """
    text = (FACTS / "classes" / "sources.toml").read_text(encoding="utf-8")
    return MappingProxyType(tomllib.loads(text))


def plain_name(name: str) -> str:
    """Return a class name as it compares: ``002.Laysan_Albatross`` and ``Laysan Albatross``."""
    return spaced_name(name).lower()


def spaced_name(name: str) -> str:
    """Return a class name as it reads.

    Examples
    --------
    >>> spaced_name("002.Laysan_Albatross"), spaced_name("blue+whale")
    ('Laysan Albatross', 'blue whale')
    """
    return " ".join(re.sub(r"^\d+\.", "", name).replace("+", " ").replace("_", " ").split())


def readable_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return class names as people write them, or as they are where two would be one.

    Examples
    --------
    >>> readable_names(["grizzly+bear", "002.Laysan_Albatross"])
    ('grizzly bear', 'Laysan Albatross')
    >>> readable_names(["1.a", "2.a"])
    ('1.a', '2.a')
    """
    spaced = tuple(map(spaced_name, names))
    return spaced if all(spaced) and len(set(spaced)) == len(spaced) else tuple(names)


@cache
def published_tables() -> tuple[str, ...]:
    """Names of the printed tables that :func:`published` knows."""
    return tuple(sorted(path.stem for path in (FACTS / "published").glob("*.csv")))


def published(name: str) -> pd.DataFrame:
    """Return a printed table as it is in the paper, accuracies as fractions.

    The files hold percent as printed, in columns called ``..._percent``; here these are divided by
    100 and lose the suffix. Cells that the paper left empty are missing values.
    """
    require_known("published table", name, published_tables())
    return _published(name).copy()  # a caller may write into it


def earlier_version(name: str) -> pd.DataFrame:
    """Return table 3 ("zsl_top1") or 6 ("gzsl_ps") as the benchmark paper's earlier version had it.

    The cells that the revision moved are put back into the table of :func:`published`.
    """
    moved = published("earlier_version")
    require_known("table with an earlier version", name, moved["table"].unique().tolist())
    table = published(name)
    for column, rows in moved[moved["table"] == name].groupby("column"):
        keys = [key for key in ("method", "dataset", "split") if key in table]
        earlier = rows.set_index(keys)["earlier"]
        cells = earlier.reindex(pd.MultiIndex.from_frame(table[keys])).to_numpy()
        table[column] = table[column].where(pd.isna(cells), cells)
    return table


@cache
def _published(name: str) -> pd.DataFrame:
    table = pd.read_csv(FACTS / "published" / f"{name}.csv")
    percent = [column for column in table.columns if column.endswith("_percent")]
    table[percent] = table[percent] / 100
    return table.rename(columns={column: column.removesuffix("_percent") for column in percent})


# --- Rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class RowFacts:
    """What is known of the rows of a benchmark without its files; arrays are read-only.

    ``labels`` has shape (n_rows,), classes in the benchmark's order. Rows with the same number in
    ``photographs`` were cut from one photograph; None where that is not known. ``shared`` maps
    split and part to the number of test rows whose photograph also gave a training row.
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
    """Return what ``data/rows`` knows of a benchmark."""
    known = sorted(path.stem for path in (FACTS / "rows").glob("*.toml"))
    require_known("benchmark", dataset, known)
    facts = tomllib.loads((FACTS / "rows" / f"{dataset}.toml").read_text(encoding="utf-8"))
    labels = unpacked(facts["labels"])
    photographs = None
    if "photographs" in facts:
        # Rows of one photograph follow each other in every benchmark.
        sizes = unpacked(facts["photographs"])
        photographs = np.repeat(np.arange(len(sizes)), sizes)
        photographs.setflags(write=False)
    labels.setflags(write=False)
    return RowFacts(dataset, labels, photographs, facts.get("shared", {}), facts["sources"])


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
