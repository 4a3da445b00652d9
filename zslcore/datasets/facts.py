"""Facts about the benchmarks: printed tables, class lists, image counts, and names of data sets.

They are stored under ``data/``; ``data/README.md`` names their sources, and the values that follow
from a rule because no source states them.

A benchmark is recognised by its content, not by its name: by its class names, in any order and
spelling, or, in data without class names, by the labels of all rows in the order of the release.
AWA1 and AWA2 have the same classes and are distinguished by the shares of images per class.

The clips of UCF101 were cut from longer videos: each class has 25 groups of 4 to 7 clips, each
group from one video [2]_ (``v_Archery_g07_c03``). A random split of clips divides most groups
between training and test. Facts on the videos of UCF101 and HMDB51 are from ``data/actions`` and
the tables of [1]_.

References
----------
.. [1] K. Huang, S. J. Delany, S. McKeever, "Fairer evaluation of zero shot action recognition in
   videos", VISAPP 2021.
.. [2] K. Soomro, A. R. Zamir, M. Shah, "UCF101: a dataset of 101 human actions classes from videos
   in the wild", 2012.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cache, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from zslcore.datasets.base import Fold, Split, ZSLDataset, freeze
from zslcore.exceptions import ParameterError, require_known
from zslcore.names import class_key
from zslcore.storage.files import FACTS, read_csv_frame, read_csv_rows
from zslcore.storage.tables import frame

if TYPE_CHECKING:
    import pandas as pd

#: Pre-training sets for extractors fine-tuned on images of the data set itself; they have no class
#: list.
FINE_TUNED: Mapping[str, str] = MappingProxyType(
    {
        "training-images": "training images of the data set",
        "seen-classes": "images of the data set's seen classes, possibly including test images",
    }
)


@cache
def unlisted_sets() -> Mapping[str, str]:
    """Return the titles of pre-training sets without a class list, by name.

    Image-text models are trained on captions, not on named classes: "wit-400m" is CLIP's set.
    """
    rows = read_csv_rows(FACTS / "contamination_sets.csv")
    return {row["name"]: row["title"] for row in rows if not row["list"]}


def fine_tuned_on(pretraining: Sequence[str]) -> str:
    """Describe the images of the data set that an extractor was fine-tuned on; "" for none."""
    return next((FINE_TUNED[name] for name in pretraining if name in FINE_TUNED), "")


def check_pretraining(names: Sequence[str], where: str = "") -> Sequence[str]:
    """Return ``names`` of pre-training vocabularies; refuse names that the audit does not accept.

    Names of :func:`unlisted_sets` and :data:`FINE_TUNED` are also accepted; "none" has to be the
    only name, and marks features of an extractor that was not trained. ``where`` names the file in
    the error message.
    """
    lists = (FACTS / "vocabularies").glob("*.txt*")
    vocabularies = ["none", *sorted(file.name.partition(".")[0] for file in lists)]
    vocabularies += [*unlisted_sets(), *FINE_TUNED]
    for name in names:
        require_known(f"pre-training vocabulary{where}", name, vocabularies)
    if "none" in names and len({*names}) > 1:
        raise ParameterError(
            f"'none' means features without pre-training; expected 'none' alone{where}; got "
            f"{', '.join(names)}."
        )
    return names


@dataclass(frozen=True, slots=True, eq=False)
class ClassFacts:
    """Published facts of a benchmark, without its images.

    ``classes`` has one row per class in the benchmark's order, with the columns ``class``,
    ``group``, ``images``, ``test_seen`` (number of images held out by PS), ``ss`` ("train" or
    "test"), ``ps`` ("trainval" or "test"), the released folds ``ss_fold1`` to ``ss_fold3`` and
    ``fold1`` to ``fold3`` ("train", "val", or empty for unseen classes), and ``imagenet1k``
    (evidence that the class is in ImageNet-1K: "published", "name", or empty). ``notes`` give the
    sources of ``images``, ``ss``, ``ps`` and ``imagenet1k``.
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
        classes=frame({name: column.tolist() for name, column in class_columns(dataset).items()}),
        notes={name: sources[dataset][name] for name in ("images", "ss", "ps", "imagenet1k")},
    )


def unseen_classes(dataset: str, split: str) -> tuple[str, ...]:
    """Return the test classes of a benchmark's split, PS or SS; () for other splits."""
    if split not in ("PS", "SS"):
        return ()
    classes = class_columns(dataset)
    return tuple(classes["class"][classes[split.lower()] == "test"].tolist())


def class_attributes(dataset: str) -> pd.DataFrame | None:
    """Return the class attributes of a benchmark, as rated by its annotators.

    Values are in [0, 1], of shape (n_classes, n_attributes), and missing if no annotator answered.
    Only AWA1 and AWA2 have attributes in ``data/classes``, the same for both; the result is None
    for other benchmarks.
    """
    if dataset not in ("AWA1", "AWA2"):
        return None
    return read_csv_frame(FACTS / "classes" / "AWA_attributes.csv", index_col="class") / 100


@cache
def class_columns(dataset: str) -> Mapping[str, np.ndarray]:
    """Return the columns of :attr:`ClassFacts.classes` as arrays, read-only."""
    rows = read_csv_rows(FACTS / "classes" / f"{dataset}.csv")
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    columns |= {name: columns[name].astype(np.intp) for name in ("images", "test_seen")}
    return MappingProxyType({name: freeze(column) for name, column in columns.items()})


def benchmark_classes(dataset: str) -> tuple[str, ...]:
    """Return the class names of a benchmark in order."""
    return tuple(class_columns(dataset)["class"].tolist())


@cache
def fact_sources() -> Mapping[str, Mapping[str, Any]]:
    """Return the sources of class lists (``data/classes/sources.toml``), by benchmark.

    ``attributes`` is the number of attributes, ``labels`` the digest of the released labels in
    order; ``images``, ``ss``, ``ps`` and ``imagenet1k`` name the source of each column.
    """
    text = (FACTS / "classes" / "sources.toml").read_text(encoding="utf-8")
    return MappingProxyType(tomllib.loads(text))


def benchmark_in_name(data: str, among: Iterable[str] | None = None) -> str:
    """Return the benchmark with which the name of a data set begins, "" without one.

    ``among`` are the possible benchmarks, by default all of them.

    >>> benchmark_in_name("AWA1-lss"), benchmark_in_name("simulated-CUB"), benchmark_in_name("x")
    ('AWA1', 'CUB', '')
    """
    name = data.lower().removeprefix("simulated-")
    possible = fact_sources() if among is None else among
    return next((benchmark for benchmark in possible if name.startswith(benchmark.lower())), "")


@cache
def published_tables() -> tuple[str, ...]:
    """Return the names of the printed tables that :func:`published_table` reads."""
    return tuple(sorted(path.stem for path in (FACTS / "published").glob("*.csv")))


def published_table(name: str) -> pd.DataFrame:
    """Return a table as printed in its paper, with accuracies as fractions.

    Files have percentages in columns named ``..._percent``; the returned columns are divided by 100
    and have no suffix. Cells that are empty in the paper are missing values.
    """
    require_known("published table", name, published_tables())
    return _read_published_table(name).copy()  # callers may change their copy


def earlier_version(name: str) -> pd.DataFrame:
    """Return table 3 ("zsl_top1") or 6 ("gzsl_ps") of the earlier version of the benchmark paper.

    It is the table of :func:`published_table` with the earlier values of the revised cells.
    """
    revised = published_table("earlier_version")
    require_known("table with an earlier version", name, revised["table"].unique().tolist())
    table = published_table(name)
    for column, rows in revised[revised["table"] == name].groupby("column"):
        keys = [key for key in ("method", "dataset", "split") if key in table]
        earlier = rows.set_index(keys)["earlier"]
        cells = table.join(earlier, on=keys)["earlier"]
        table[column] = table[column].where(cells.isna(), cells)
    return table


@cache
def _read_published_table(name: str) -> pd.DataFrame:
    table = read_csv_frame(FACTS / "published" / f"{name}.csv")
    percent = [column for column in table.columns if column.endswith("_percent")]
    table[percent] = table[percent] / 100
    return table.rename(columns={column: column.removesuffix("_percent") for column in percent})


# --- Rows -----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class RowFacts:
    """Row counts and labels of a benchmark, available without its files; arrays are read-only.

    ``labels`` has shape (n_rows,), with classes in the benchmark's order. Rows with the same number
    in ``photographs`` were cut from one photograph; ``photographs`` is None if unknown.
    ``shared`` maps split and part to the number of test rows with a training row from the same
    photograph.
    """

    dataset: str
    labels: np.ndarray
    photographs: np.ndarray | None
    shared: Mapping[str, Mapping[str, int]]
    sources: Mapping[str, str]

    @property
    def n_photographs(self) -> int:
        """Number of distinct photographs; 0 if unknown."""
        return 0 if self.photographs is None else len(np.unique(self.photographs))


@cache
def row_facts(dataset: str) -> RowFacts:
    """Return the rows of a benchmark from ``data/rows``."""
    benchmarks = sorted(path.stem for path in (FACTS / "rows").glob("*.toml"))
    require_known("benchmark", dataset, benchmarks)
    facts = tomllib.loads((FACTS / "rows" / f"{dataset}.toml").read_text(encoding="utf-8"))
    labels = decode_runs(facts["labels"])
    photographs = None
    if "photographs" in facts:
        # In every benchmark, rows of one photograph are consecutive.
        sizes = decode_runs(facts["photographs"])
        photographs = np.repeat(np.arange(len(sizes)), sizes)
        photographs.setflags(write=False)
    labels.setflags(write=False)
    return RowFacts(dataset, labels, photographs, facts.get("shared", {}), facts["sources"])


def decode_runs(text: str) -> np.ndarray:
    """Decode a text of run lengths.

    Examples
    --------
    >>> decode_runs("0*3 7 1*2").tolist()
    [0, 0, 0, 7, 1, 1]
    """
    runs = [token.partition("*") for token in text.split()]
    values = [int(value) for value, _, _ in runs]
    return np.repeat(values, [int(times or 1) for _, _, times in runs])


#: Titles of data sets that come with the package, or have precomputed results.
_TITLES = {
    "digits": "Digits",
    "CUB-vgg_fc7": "CUB birds, VGG",
    "AWA1-lss": "AWA1, hand-crafted",
    "AWA1-phog": "AWA1, PHOG",
}
#: Parts of names of simulated data -> words of their titles.
_WORDS = {
    "untrained": "untrained features",
    "idt": "IDT features",
    "imagenet": "ImageNet-1K features",
    "sports": "Sports-1M features",
    "vectors": "word vectors",
    "full": "full size",
    "small": "small",
    "without-rarity": "classes equally hard",
    "without-bias": "no bias",
}
#: Last part of the name of simulated data without effect.
WITHOUT_EFFECTS = "unplanted"
_NAME = re.compile(
    r"simulated-([^-]+)(?:-(untrained|idt|imagenet|sports))?(?:-(vectors))?(?:-(full|small))?"
    r"(?:-(without-rarity|without-bias|unplanted))?"
)


@dataclass(frozen=True, slots=True)
class SimulatedName:
    """Fields of the name of a simulated data set: ``simulated-UCF101-idt-vectors-full``.

    ``dataset`` is the simulated benchmark; ``extractor``, ``prototypes`` and ``size`` are empty for
    its default values. ``without`` names the effect that is left out, "unplanted" for all effects.
    """

    dataset: str
    extractor: str = ""
    prototypes: str = ""
    size: str = ""
    without: str = ""

    def __str__(self) -> str:
        return "-".join(("simulated", *filter(None, astuple(self))))

    @classmethod
    def of(cls, name: str) -> Self:
        """Parse the name of a data set; ``dataset`` is empty unless it is simulated."""
        match = _NAME.fullmatch(name)
        return cls(*match.groups("")) if match else cls("")

    @property
    def unplanted(self) -> Self:
        """Name of the same simulated data without effect."""
        return replace(self, without=WITHOUT_EFFECTS)


def title(name: str) -> str:
    """Return the title of a data set; a name unknown to this package is returned unchanged.

    Examples
    --------
    >>> title("simulated-UCF101-sports-full-unplanted")
    'UCF101-like, Sports-1M features, full size (simulated without effect)'
    """
    simulated_name = SimulatedName.of(name)
    if not simulated_name.dataset:
        return _TITLES.get(name, name)
    words = [_WORDS[part] for part in astuple(simulated_name)[1:] if part in _WORDS]
    how = "simulated without effect" if simulated_name.without == WITHOUT_EFFECTS else "simulated"
    return f"{', '.join([f'{simulated_name.dataset}-like', *words])} ({how})"


def is_simulated_name(name: str) -> bool:
    """Whether a simulated data set of this package has this name."""
    return SimulatedName.of(name).dataset != ""


def is_variant(name: str) -> bool:
    """Whether simulated data have a size, features or effects other than the default ones."""
    simulated_name = SimulatedName.of(name)
    return simulated_name != SimulatedName(simulated_name.dataset)


#: Split -> column of class parts, and prefix of the columns of its folds.
_COLUMNS = {"SS": ("ss", "ss_fold"), "PS": ("ps", "fold")}
#: Of two benchmarks with the same classes, one is recognised if its shares of images per class are
#: nearer to the data by this factor.
_NEARER = 2.0


@dataclass(frozen=True, slots=True, eq=False)
class RecognisedBenchmark:
    """Benchmark recognised by its classes; both AWA1 and AWA2 if they cannot be distinguished.

    ``row`` has shape (n_classes,): the row in ``class_facts`` of each class of the data.
    """

    candidates: tuple[str, ...]
    row: np.ndarray

    @property
    def benchmark(self) -> str | None:
        """Name of the benchmark, None if there are two candidates."""
        return self.candidates[0] if len(self.candidates) == 1 else None

    def test_classes(self, split: str) -> np.ndarray:
        """Return the unseen test classes of "SS" or "PS", numbered as in the data."""
        return np.flatnonzero(self._in_class_order(_COLUMNS[split][0]) == "test")

    def folds(self, labels: np.ndarray, split: Split) -> list[Fold]:
        """Return the released folds if the split has the unseen classes of SS or PS, else []."""
        for name, (_, fold) in _COLUMNS.items():
            if np.array_equal(np.unique(split.unseen_classes), self.test_classes(name)):
                rows = split.trainval
                parts = (self._in_class_order(f"{fold}{k}")[labels[rows]] for k in (1, 2, 3))
                return [
                    Fold(rows[part_of_class == "train"], rows[part_of_class == "val"])
                    for part_of_class in parts
                ]
        return []

    def _in_class_order(self, column: str) -> np.ndarray:
        return class_columns(self.candidates[0])[column][self.row]


def benchmark_of(dataset: ZSLDataset) -> str | None:
    """Return the benchmark that a data set is or simulates; None for other data.

    AWA1 and AWA2 are distinguished by images per class or else by the start of the data set's name,
    as in ``AWA2-subset``.
    """
    recognised = recognise(dataset.class_names, dataset.labels)
    if recognised is None:
        return None
    if recognised.benchmark:
        return recognised.benchmark
    name_of_data = dataset.name.lower()
    return next(
        (name for name in recognised.candidates if name_of_data.startswith(name.lower())), None
    )


def recognise(class_names: Sequence[str], labels: np.ndarray) -> RecognisedBenchmark | None:
    """Return the benchmark with these classes, in any order and spelling; None without one."""
    n_classes = len(class_names)
    if not len(labels) or labels.min() < 0 or labels.max() >= n_classes:
        return None
    by_names = _recognise_by_names(tuple(class_names))
    if by_names is None:
        digest = labels_digest(labels)
        for benchmark, facts in fact_sources().items():
            if facts["labels"] == digest and len(_rows(benchmark)) == n_classes:
                return RecognisedBenchmark((benchmark,), np.arange(n_classes))
        return None
    images = np.bincount(labels, minlength=n_classes)
    return RecognisedBenchmark(_nearest(by_names, images), by_names.row)


def benchmarks_of_names(class_names: Sequence[str]) -> tuple[str, ...]:
    """Return the benchmarks with these class names, in any order and spelling."""
    recognised = _recognise_by_names(tuple(class_names))
    return recognised.candidates if recognised else ()


@lru_cache(maxsize=64)
def _recognise_by_names(class_names: tuple[str, ...]) -> RecognisedBenchmark | None:
    plain = [class_key(name) for name in class_names]
    benchmarks = [name for name in fact_sources() if sorted(plain) == sorted(_rows(name))]
    if not benchmarks:
        return None
    rows = _rows(benchmarks[0])  # valid for all: AWA1 and AWA2 have the same order
    return RecognisedBenchmark(tuple(benchmarks), np.array([rows[name] for name in plain]))


@lru_cache
def _rows(benchmark: str) -> dict[str, int]:
    return {class_key(name): i for i, name in enumerate(benchmark_classes(benchmark))}


def labels_digest(labels: np.ndarray) -> str:
    """Return 16 hex digits of the SHA-256 of 0-based labels in order."""
    return hashlib.sha256(np.ascontiguousarray(labels, dtype="<i8").data).hexdigest()[:16]


def _nearest(recognised: RecognisedBenchmark, images: np.ndarray) -> tuple[str, ...]:
    """Return the candidate with the clearly nearest image counts, or else all candidates."""
    distance = {}
    for name in recognised.candidates:
        real = class_columns(name)["images"][recognised.row]
        distance[name] = np.abs(images / images.sum() - real / real.sum()).sum()
    first, *farther = sorted(distance, key=lambda name: distance[name])
    if all(distance[first] * _NEARER < distance[candidate] for candidate in farther):
        return (first,)
    return recognised.candidates


FOLDER = FACTS / "actions"
#: Data sets of actions with known classes.
ACTION_SETS = ("UCF101", "HMDB51")
#: Number of groups of clips in each class of UCF101; a group is from one video.
GROUPS = 25
#: Pre-training set in the annotated lists -> name of its vocabulary in this package.
PRETRAINING = {"Kinetics-400": "kinetics-400", "Sports-1M": "sports-1m"}


@dataclass(frozen=True, slots=True, eq=False)
class ActionFacts:
    """Published facts of a data set of actions, with classes in the order of the release.

    ``videos`` is the number of videos per class; ``attributes`` is binary of shape (n_classes,
    115), None for HMDB51. ``overlapping`` maps a pre-training set to a mask of the classes in it,
    as annotated in [1]_ of this module; ``released`` has the test classes of the 50 released random
    splits.
    """

    dataset: str
    class_names: tuple[str, ...]
    videos: np.ndarray
    attributes: np.ndarray | None
    overlapping: dict[str, np.ndarray]
    released: tuple[np.ndarray, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ZSL220:
    """The 220 classes of Kinetics-600 that are not in Kinetics-400, in three splits.

    Methods train on Kinetics-400; each split has 60 validation classes and 160 test classes [1]_.
    ``validation`` is the mask of the validation classes in each split, of shape (3, 220); names are
    in alphabetical order.

    References
    ----------
    .. [1] S. Chen, D. Huang, "Elaborative rehearsal for zero-shot action recognition", ICCV 2021.
    """

    class_names: tuple[str, ...]
    validation: np.ndarray

    def test_classes(self, split: int) -> tuple[str, ...]:
        """Return the test classes of split 1, 2 or 3."""
        is_validation = self.validation[split - 1]
        return tuple(
            name
            for name, is_validated in zip(self.class_names, is_validation, strict=True)
            if not is_validated
        )


@cache
def zsl220() -> ZSL220:
    """Return the classes and splits of the zero-shot test on Kinetics-600."""
    table = read_csv_frame(FOLDER / "zsl220.csv", index_col="class")
    return ZSL220(tuple(map(str, table.index)), freeze(table.to_numpy().T == "val"))


@cache
def action_facts(dataset: str) -> ActionFacts:
    """Return the facts of "UCF101" or "HMDB51"."""
    require_known("action data set", dataset, ACTION_SETS)
    table = read_csv_frame(FOLDER / f"{dataset}.csv", dtype={"attributes": str})
    splits = read_csv_frame(FOLDER / "splits.csv")
    names, bits = tuple(table["class"]), table.get("attributes")
    return ActionFacts(
        dataset=dataset,
        class_names=names,
        videos=freeze(table["videos"].to_numpy()),
        attributes=None if bits is None else freeze([[*map(float, text)] for text in bits], "f4"),
        overlapping={
            pretraining: _overlapping(dataset, pretraining, names) for pretraining in PRETRAINING
        },
        released=tuple(
            freeze(np.array(test.split(), dtype=np.intp))
            for test in splits.loc[splits["dataset"] == dataset, "test"]
        ),
    )


def _overlapping(dataset: str, pretraining: str, names: Sequence[str]) -> np.ndarray:
    table = published_table("overlap_action")
    of_both = table[(table["dataset"] == dataset) & (table["pretraining"] == pretraining)]
    return freeze(of_both.set_index("class")["overlaps"].loc[list(names)].to_numpy() == 1)


def recognise_actions(class_names: Sequence[str]) -> str | None:
    """Return the data set that has these classes in this order, in any spelling; else None."""
    plain = [*map(class_key, class_names)]
    for dataset in ACTION_SETS:
        if plain == [*map(class_key, action_facts(dataset).class_names)]:
            return dataset
    return None
