"""Input of the checks: a split, and all known facts about its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import numpy as np

from zslcore.datasets.base import Split, ZSLDataset, distinct
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.leakage.neighbours import ALONE, NEAR
from zslcore.leakage.photographs import Photographs, photographs_of
from zslcore.leakage.vocabularies import Vocabulary
from zslcore.names import spaced_name

if TYPE_CHECKING:
    from zslcore.evaluation.runs import RunResult


TRAIN_PARTS = ("trainval", "train", "val")
TEST_PARTS = ("test_seen", "test_unseen")
SPLIT_PARTS = TRAIN_PARTS + TEST_PARTS

#: Vocabulary -> test class -> a person's decision on the overlap.
Decisions = Mapping[str, Mapping[str, Literal["confirmed", "rejected"]]]

Value = TypeVar("Value")

#: Key in the facts of a context: variables of a split file that were not read.
UNREAD = "variables not read"
#: Key in the facts of a context: how images of two parts are matched, if not by row number.
MATCHED_BY = "images matched by"
#: Key in the facts of a context: parts that form trainval if the file has no such list.
UNION = "trainval from"

_CHOSEN_ON = ("validation", "given", "test", "unknown", "none")
_PROTOTYPES_FROM = ("independent", "test images", "unknown")


@dataclass(frozen=True, slots=True)
class DeclaredProvenance:
    """The author's declaration of how a result was made.

    Parameters
    ----------
    hyperparameters, epochs, gamma : "validation", "given", "test", "unknown" or "none"
        Data on which each of the three was chosen; "given": fixed beforehand; "none": not used.
    prototypes : "independent", "test images" or "unknown"
        Origin of the class embeddings: made without or with test images.
    """

    hyperparameters: str = "unknown"
    epochs: str = "unknown"
    gamma: str = "unknown"
    prototypes: str = "unknown"

    def __post_init__(self) -> None:
        for name in ("hyperparameters", "epochs", "gamma", "prototypes"):
            choices = _PROTOTYPES_FROM if name == "prototypes" else _CHOSEN_ON
            if getattr(self, name) not in choices:
                raise ParameterError(
                    f"Provenance of {name} must be one of {', '.join(choices)}; "
                    f"got {getattr(self, name)!r}."
                )

    def options(self) -> list[str]:
        """Return the declarations as options of the command line."""
        words = []
        for declaration in fields(self):
            option = (
                "--prototypes-from"
                if declaration.name == "prototypes"
                else f"--{declaration.name}-on"
            )
            value = getattr(self, declaration.name)
            words += [option, value] if value != "unknown" else []
        return words


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Limits at which a check reports a finding, or marks it as a leak.

    Parameters
    ----------
    near, alone : ZSL005, in (0, 1]
        A test row is a near-duplicate if its nearest training row is closer than ``near`` times the
        median distance of test rows to their nearest training row, and closer than ``alone`` times
        the distance to its tenth nearest training row.
    share : ZSL004, ZSL005, ZSL012, in [0, 1]
        Up to this share of the test images, leaking rows are a warning instead of a leak. At 0.01
        they change an accuracy over all test images by at most one point.
    images : ZSL011, at least 1
        A test class with fewer images is reported. With fewer than ten images, the exact 95 %
        interval of a class accuracy of 50 % is at least 0.62 wide.
    """

    near: float = NEAR
    alone: float = ALONE
    share: float = 0.01
    images: int = 10

    def __post_init__(self) -> None:
        for name in ("near", "alone", "share"):
            value = getattr(self, name)
            if not (0 < value <= 1 or (name == "share" and value == 0)):
                least = "at least 0" if name == "share" else "above 0"
                raise ParameterError(
                    f"Threshold {name} must be {least} and at most 1; got {value!r}."
                )
        if self.images < 1 or self.images != int(self.images):
            raise ParameterError(
                f"Threshold images must be a whole number of at least 1; got {self.images!r}."
            )


@dataclass(frozen=True, slots=True)
class Reading:
    """How the row numbers of a file are read.

    Attributes
    ----------
    sentence : the reading, and the contradictions that remain
    mark : "warning" for a sound but unusual file, "error" for a file with a wrong list, "open" for
        a reading to be confirmed
    advice : how to repair the file
    first_row : number that the file uses for the first row: 1, or 0 or 2 if it is shifted
    """

    sentence: str
    mark: Literal["warning", "error", "open"]
    advice: str
    first_row: int = 1


@dataclass(frozen=True, eq=False)
class AuditContext:
    """Input of an audit; unknown fields are None or empty.

    A check lists the fields it requires in its ``needs``, and reads them from properties such as
    :attr:`required_labels`.

    Attributes
    ----------
    parts : 0-based rows by part ("trainval", "train", "val", "test_seen", "test_unseen") as in the
        file, possibly unsorted, repeated or out of range
    other_lists : 0-based rows of the lists in the file that do not belong to the split, by name
    labels : int array of shape (n_rows,), rows of ``prototypes``
    features : array of shape (n_rows, n_features), in memory, mapped or in HDF5
    prototypes, raw_prototypes : float arrays of shape (n_classes, n_attributes), scaled and raw
    independent_prototypes : whether the prototypes are known to be made without test images
    class_lists : declared classes by side ("seen", "unseen"), as row numbers of ``prototypes``
    folds, fold_rows : (train, val) pairs of classes and of rows, one per fold
    vocabularies : pre-training classes of the feature extractor
    assumes_pretraining : whether ``vocabularies`` are assumed, because none are declared
    simulated : whether the images are simulated
    runs : RunResults, for the effect of overlaps and the gain with oracle parameters
    accuracies : method -> {class: accuracy among unseen classes}, in addition to ``runs``
    questions : open questions on the names of classes
    reading : how row numbers are read if the file, taken literally, contradicts itself
    facts : sources of the data and assumptions in reading them, by name, for the report
    """

    name: str
    parts: Mapping[str, np.ndarray]
    other_lists: Mapping[str, np.ndarray] = field(default_factory=dict)
    split_name: str = ""
    labels: np.ndarray | None = None
    n_rows: int | None = None
    features: np.ndarray | None = None
    prototypes: np.ndarray | None = None
    raw_prototypes: np.ndarray | None = None
    independent_prototypes: bool = False
    photographs: Photographs | None = None
    class_names: tuple[str, ...] = ()
    class_lists: Mapping[str, np.ndarray] = field(default_factory=dict)
    folds: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    fold_rows: tuple[tuple[np.ndarray, np.ndarray], ...] = ()
    vocabularies: tuple[Vocabulary, ...] = ()
    assumes_pretraining: bool = False
    decisions: Decisions = field(default_factory=dict)
    thresholds: Thresholds = Thresholds()
    provenance: DeclaredProvenance = DeclaredProvenance()
    simulated: bool = False
    runs: Sequence[RunResult] = ()
    accuracies: Mapping[str, Mapping[int, float]] = field(default_factory=dict)
    file_digest: str = ""
    questions: tuple[str, ...] = ()
    reading: Reading | None = None
    facts: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of_split(
        cls, split: Split, dataset: ZSLDataset | None = None, **further: Any
    ) -> AuditContext:
        """Build a context from a split in memory and its data set."""
        fields: dict[str, Any] = {
            "name": split.name,
            "parts": {part: getattr(split, part) for part in ("trainval", *TEST_PARTS)},
            "split_name": split.name,
            "class_lists": {"seen": split.seen_classes, "unseen": split.unseen_classes},
            "fold_rows": tuple((fold.train, fold.val) for fold in split.folds),
        }
        if dataset is not None:
            labels = dataset.labels
            fields |= {
                "name": dataset.name,
                "independent_prototypes": dataset.independent_prototypes,
                "labels": labels,
                "n_rows": len(labels),
                "features": dataset.features,
                "prototypes": dataset.prototypes,
                "class_names": dataset.class_names,
                "photographs": _photographs(dataset),
                "simulated": dataset.simulated,
                "folds": tuple(
                    (np.unique(labels[train]), np.unique(labels[val]))
                    for train, val in fields["fold_rows"]
                ),
                "facts": {"digest": dataset.digest, "source": dataset.source},
            }
        return cls(**fields | further)

    def lacks(self, name: str) -> bool:
        """Whether a field is unknown: None or an empty tuple."""
        value = getattr(self, name)
        return value is None or (isinstance(value, tuple) and not value)

    def class_name(self, c: int) -> str:
        """Readable name of class ``c``, or its number if names are unknown."""
        if 0 <= c < len(self.class_names):
            return spaced_name(self.class_names[c]) or self.class_names[c]
        return f"class {c}"

    def names(self, classes: Iterable[int] | np.ndarray) -> tuple[str, ...]:
        """Names of several classes."""
        return tuple(self.class_name(int(c)) for c in classes)

    def rows(self, *parts: str) -> np.ndarray:
        """Sorted, distinct, existing rows of one or more parts, read-only."""
        if parts not in self._rows:  # checks use the same few combinations of parts
            lists = [self.parts[part] for part in parts if part in self.parts]
            rows = distinct(np.concatenate([*lists, np.empty(0, np.intp)])).astype(np.intp)
            rows = rows[(rows >= 0) & (rows < (np.inf if self.n_rows is None else self.n_rows))]
            rows.setflags(write=False)
            self._rows[parts] = rows
        return self._rows[parts]

    @cached_property
    def _rows(self) -> dict[tuple[str, ...], np.ndarray]:
        """Cached rows by parts."""
        return {}

    def classes(self, *parts: str) -> np.ndarray:
        """Classes with rows in the parts; requires labels."""
        return np.unique(self.required_labels[self.rows(*parts)])

    def class_of(self, row: int) -> str:
        """Name of the class of ``row``; empty if labels are unknown."""
        return "" if self.labels is None else self.class_name(int(self.labels[row]))

    @cached_property
    def seen_classes(self) -> np.ndarray | None:
        """Training classes, from the rows if labels are known, else as declared."""
        return (
            self.classes(*TRAIN_PARTS) if self.labels is not None else self.class_lists.get("seen")
        )

    @cached_property
    def unseen_classes(self) -> np.ndarray | None:
        """Classes of test_unseen, from the rows if labels are known, else as declared."""
        has_labels = self.labels is not None
        return self.classes("test_unseen") if has_labels else self.class_lists.get("unseen")

    @property
    def required_labels(self) -> np.ndarray:
        """Labels; raises ZSLError if unknown."""
        return self._require(self.labels, "the class of every image")

    @property
    def required_unseen_classes(self) -> np.ndarray:
        """Classes of test_unseen; raises ZSLError if unknown."""
        return self._require(self.unseen_classes, "the unseen classes")

    @property
    def required_features(self) -> np.ndarray:
        """Features; raises ZSLError if unknown."""
        return self._require(self.features, "the features")

    @property
    def required_prototypes(self) -> np.ndarray:
        """Scaled prototypes; raises ZSLError if unknown."""
        return self._require(self.prototypes, "the prototypes")

    @property
    def required_photographs(self) -> Photographs:
        """Photographs of the rows; raises ZSLError if unknown."""
        return self._require(self.photographs, "the photograph of every row")

    def _require(self, value: Value | None, input_name: str) -> Value:
        if value is None:
            raise DatasetError(f"{self.name}: needs {input_name}; got none.")
        return value


def _photographs(dataset: ZSLDataset) -> Photographs | None:
    """Return the photograph of each row from the names of image files; None if unknown."""
    if dataset.simulated and not dataset.image_files:
        source = "simulated data: each image is drawn independently"
        return Photographs(np.arange(len(dataset.labels)), source, by_name=False)
    return photographs_of(None, image_files=dataset.image_files)
