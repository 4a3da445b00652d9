"""Data set that every method and page uses."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from zslcore.exceptions import DatasetError, SplitError, require_known
from zslcore.texts import html_of_frame

if TYPE_CHECKING:
    import pandas as pd

#: Fields of a split with row numbers.
SPLIT_PARTS = ("trainval", "test_seen", "test_unseen")


def freeze(array: ArrayLike, dtype: DTypeLike | None = None) -> np.ndarray:
    """Return a read-only copy of ``array``."""
    out = np.array(array, dtype=dtype)
    out.setflags(write=False)
    return out


def _freeze_rows(owner: object, *names: str) -> None:
    """Replace fields of a frozen dataclass by read-only integer arrays."""
    for name in names:
        object.__setattr__(owner, name, freeze(getattr(owner, name), np.intp))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Fold:
    """Training and validation rows with disjoint classes, for choosing hyperparameters.

    ``train`` and ``val`` are rows of the data set (not positions in ``trainval``), counted from 0;
    all are rows of ``trainval``.
    """

    train: np.ndarray
    val: np.ndarray

    def __post_init__(self) -> None:
        _freeze_rows(self, "train", "val")

    def __repr__(self) -> str:
        return f"<Fold: {len(self.train):,} training and {len(self.val):,} validation rows>"

    @classmethod
    def of_classes(cls, labels: np.ndarray, trainval: np.ndarray, val: np.ndarray) -> Self:
        """Return the fold with validation on the ``trainval`` rows of the classes in ``val``.

        ``labels`` has shape (n_samples,); ``val`` is a bool array of shape (n_classes,).
        """
        inside = val[labels[trainval]]
        return cls(trainval[~inside], trainval[inside])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Split:
    """Training and test rows, as 0-based row numbers.

    A split that leaks is accepted, since the audit reports leaks; :class:`ZSLDataset` refuses only
    splits that no method can run on.

    Attributes
    ----------
    name : "SS", "PS", "PS v1" or another name
    trainval, test_seen, test_unseen : int arrays of row numbers
    seen_classes, unseen_classes : int arrays, rows of ``prototypes``
    folds : divisions of the rows ``trainval`` into training and validation rows
    note : one sentence on the origin of the split
    """

    name: str
    trainval: np.ndarray
    test_seen: np.ndarray
    test_unseen: np.ndarray
    seen_classes: np.ndarray
    unseen_classes: np.ndarray
    folds: tuple[Fold, ...] = ()
    note: str = ""

    def __post_init__(self) -> None:
        rows = ("trainval", "test_seen", "test_unseen", "seen_classes", "unseen_classes")
        _freeze_rows(self, *rows)
        object.__setattr__(self, "folds", tuple(self.folds))

    def __repr__(self) -> str:
        rows = ", ".join(f"{len(getattr(self, part)):,} {part}" for part in SPLIT_PARTS)
        return (
            f"<Split {self.name}: {len(self.seen_classes)} seen and {len(self.unseen_classes)} "
            f"unseen classes; {rows} rows; {len(self.folds)} folds>"
        )

    def _repr_html_(self) -> str:
        """Show the size of each part in a notebook."""
        return html_of_frame(repr(self), _sizes([self]))

    def to_frame(self) -> pd.DataFrame:
        """Return one row per image in a part: ``row``, ``part``, and the image's part in each fold.

        An image in two parts, which is a leak, has two rows here.
        """
        import pandas as pd

        parts = [pd.DataFrame({"row": getattr(self, part), "part": part}) for part in SPLIT_PARTS]
        table = pd.concat(parts, ignore_index=True)
        for k, fold in enumerate(self.folds, start=1):
            table[f"fold {k}"] = ""
            for part in ("train", "val"):
                inside = np.isin(table["row"], getattr(fold, part)) & (table["part"] == "trainval")
                table.loc[inside, f"fold {k}"] = part
        return table

    @property
    def digests(self) -> dict[str, str]:
        """Digest of each nonempty part, by the name of the part."""
        rows = {part: getattr(self, part) for part in SPLIT_PARTS}
        return {part: part_digest(values) for part, values in rows.items() if len(values)}

    @classmethod
    def from_rows(
        cls,
        name: str,
        labels: ArrayLike,
        *,
        trainval: ArrayLike,
        test_unseen: ArrayLike,
        test_seen: ArrayLike = (),
        folds: Iterable[Fold] = (),
        note: str = "",
    ) -> Split:
        """Build a split from row numbers; seen and unseen classes follow from ``labels``.

        Raises a DatasetError for a row number outside the data.
        """
        labels = np.asarray(labels)
        _refuse_outside(f"Split {name!r}", len(labels), trainval, test_seen, test_unseen)
        train, seen, unseen = (
            np.asarray(rows, dtype=np.intp) for rows in (trainval, test_seen, test_unseen)
        )
        trained, tested = np.unique(labels[train]), np.unique(labels[unseen])
        return cls(name, train, seen, unseen, trained, tested, tuple(folds), note)

    @classmethod
    def from_classes(
        cls,
        name: str,
        labels: ArrayLike,
        unseen: ArrayLike,
        *,
        folds: Iterable[ArrayLike] = (),
        seen_test_fraction: float = 0.2,
        seed: int = 0,
        note: str = "",
    ) -> Split:
        """Build a split from class lists, like the proposed split.

        ``labels`` has shape (n_samples,); ``unseen`` are classes, ``folds`` the validation classes
        of each fold. The share ``seen_test_fraction`` of each seen class, drawn with ``seed``, is
        held out as ``test_seen``; 0 makes a standard split.
        """
        labels = np.asarray(labels)
        is_unseen = np.isin(labels, unseen)
        seen_rows = np.flatnonzero(~is_unseen)
        trainval, test_seen = hold_out(labels, seen_rows, seen_test_fraction, seed)
        in_fold = [np.isin(labels[trainval], val) for val in folds]
        return cls.from_rows(
            name,
            labels,
            trainval=trainval,
            test_seen=test_seen,
            test_unseen=np.flatnonzero(is_unseen),
            folds=[Fold(trainval[~inside], trainval[inside]) for inside in in_fold],
            note=note,
        )


def content_digest(
    features: np.ndarray, labels: np.ndarray, prototypes: np.ndarray, revision: int = 1
) -> str:
    """Return 16 hex digits of the SHA-256 of a data set's arrays and revision.

    ``features`` has shape (n_samples, n_features), ``labels`` (n_samples,), 0-based, and
    ``prototypes`` (n_classes, n_attributes).
    """
    sha = hashlib.sha256()
    sha.update(repr((features.shape, prototypes.shape)).encode())
    for start in range(0, len(features), 4096):
        block = np.asarray(features[start : start + 4096], dtype="<f4")
        sha.update(np.ascontiguousarray(block).data)
    sha.update(labels.astype("<i8").data)
    sha.update(np.ascontiguousarray(prototypes, dtype="<f4").data)
    if revision > 1:
        sha.update(f"revision {revision}".encode())
    return sha.hexdigest()[:16]


def _sizes(splits: Iterable[Split]) -> pd.DataFrame:
    """Return one row per split: seen and unseen classes, rows of each part, and folds."""
    import pandas as pd

    return pd.DataFrame(
        [
            {
                "split": split.name,
                "seen classes": len(split.seen_classes),
                "unseen classes": len(split.unseen_classes),
                **{part: len(getattr(split, part)) for part in SPLIT_PARTS},
                "folds": len(split.folds),
            }
            for split in splits
        ]
    )


def distinct(rows: np.ndarray) -> np.ndarray:
    """Return sorted, distinct rows; np.unique hashes them, which takes ten times as long."""
    ordered = np.sort(rows, axis=None)
    return ordered[np.flatnonzero(np.diff(ordered, prepend=ordered[:1] - 1))]


def part_digest(rows: np.ndarray) -> str:
    """Return 16 hex digits of the SHA-256 of the sorted, distinct, 0-based rows of a part."""
    return hashlib.sha256(distinct(rows).astype("<i8").tobytes()).hexdigest()[:16]


#: Share of the images of each training class of a fold that are held out as seen validation
#: (calibration paper, section 3.2).
SEEN_VALIDATION = 0.2


def hold_out(
    labels: np.ndarray, rows: np.ndarray, fraction: float, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Hold out the same ``fraction`` of each class; return (remaining, held out) rows.

    A class with a single row keeps it. If ``fraction`` > 0, every other class holds out at least
    one row and keeps at least one. Both parts are sorted.
    """
    rng = np.random.default_rng(seed)
    held_out = []
    for c in np.unique(labels[rows]):
        of_class = rows[labels[rows] == c]
        n = min(max(round(fraction * len(of_class)), fraction > 0), len(of_class) - 1)
        held_out.append(rng.permutation(of_class)[:n])
    out = np.sort(np.concatenate([*held_out, np.empty(0, np.intp)]))
    return np.setdiff1d(rows, out), out


def class_folds(labels: np.ndarray, trainval: np.ndarray, n: int = 3, seed: int = 0) -> list[Fold]:
    """Return folds from a random partition of the ``trainval`` classes into ``n`` groups.

    Each group is the validation part of one fold. Three groups hold out a third of the classes
    each, as the proposed split does on AWA (13 of 40). Fewer classes than ``n`` make one fold per
    class; a single class makes no fold. Raises DatasetError without a class.
    """
    trainval = np.asarray(trainval, dtype=np.intp)
    classes = np.unique(labels[trainval])
    if not len(classes):
        raise DatasetError("Expected at least one seen class; got none: every class is unseen.")
    groups = np.array_split(np.random.default_rng(seed).permutation(classes), min(n, len(classes)))
    inside = [np.isin(labels[trainval], group) for group in groups]
    return [Fold(trainval[~mask], trainval[mask]) for mask in inside if not mask.all()]


@dataclass(frozen=True, eq=False, repr=False)
class ZSLDataset:
    """Image features, class prototypes and the splits over them.

    Use :func:`zslcore.datasets.load` to open a data set; the constructor checks its arguments but
    never repairs them. All arrays are read-only, so that a cached data set can be shared:
    ``features`` and ``images`` are not copied, so the arrays passed in become read-only, too.

    Parameters
    ----------
    features : float32 array of shape (n_samples, n_features), in memory, mapped or in HDF5
    labels : int array of shape (n_samples,), rows of ``prototypes``
    prototypes : float array of shape (n_classes, n_attributes)
    class_names : one name per row of ``prototypes``
    attribute_names : one name per column of ``prototypes``; numbered when not given
    splits : :class:`Split` objects in a mapping or a sequence; stored by name
    source : one sentence on the origin of the numbers, shown with every result
    simulated : True for simulated features; results on them are labelled everywhere
    images : uint8 array of shape (n_samples, height, width), shown on screen
    known_digest : content digest computed by an import; computed on first use otherwise
    independent_prototypes : True if the prototypes are known not to depend on test images
    image_files : file name of the photograph of each row; empty if unknown
    pretraining : names of the vocabularies that the feature extractor was trained on, such as
        ``("imagenet-1k",)``; ``("none",)`` for pixels and hand-crafted features; empty if unknown.
    revision : number increased when splits or folds change and the arrays do not. It is part of the
        digest, so that earlier results are not assigned to the new splits.

    Raises
    ------
    DatasetError
        If shapes do not match, prototypes are not finite, or labels or a split point outside the
        data. Features are checked when their rows are read.
    """

    name: str
    features: np.ndarray
    labels: np.ndarray
    prototypes: np.ndarray
    class_names: tuple[str, ...]
    attribute_names: tuple[str, ...] = ()
    splits: Mapping[str, Split] = field(default_factory=dict)
    source: str = ""
    simulated: bool = False
    images: np.ndarray | None = None
    known_digest: str = ""
    independent_prototypes: bool = False
    image_files: tuple[str, ...] = ()
    pretraining: tuple[str, ...] = ()
    revision: int = 1

    def __post_init__(self) -> None:
        set_field = partial(object.__setattr__, self)
        set_field("labels", freeze(_whole_numbers(self.name, self.labels), np.intp))
        set_field("prototypes", freeze(self.prototypes, np.float32))
        for names in ("class_names", "attribute_names", "image_files", "pretraining"):
            set_field(names, tuple(map(str, getattr(self, names))))
        if not self.attribute_names:
            numbers = range(1, self.prototypes.shape[-1] + 1)
            set_field("attribute_names", tuple(f"attribute {number}" for number in numbers))
        splits: Any = self.splits  # a mapping or a sequence
        listed = splits.values() if isinstance(splits, Mapping) else splits
        set_field("splits", MappingProxyType({split.name: split for split in listed}))
        for array in (self.features, self.images):
            if isinstance(array, np.ndarray):
                array.setflags(write=False)
        self._check()

    def _check(self) -> None:
        dimensions = f"{self.features.ndim} and {self.prototypes.ndim}"
        sentence = f"features and prototypes must have two dimensions; got {dimensions}"
        self._require(dimensions == "2 and 2", sentence)
        rows, n, (c, width) = len(self.features), len(self.labels), self.prototypes.shape
        self._require(rows == n, f"expected a label for each of {rows} rows of features; got {n}")
        self._require(n, "expected at least one sample; got none")
        low, high = self.labels.min(), self.labels.max()
        sentence = f"labels must lie in 0..{c - 1}, the rows of prototypes; got {low}..{high}"
        self._require(0 <= low <= high < c, sentence)
        finite = np.isfinite(self.prototypes).all()
        self._require(finite, "expected finite prototypes; got values that are not finite")
        names, attributes = len(self.class_names), len(self.attribute_names)
        self._require(
            names == c, f"expected a name for each of {c} rows of prototypes; got {names}"
        )
        sentence = f"expected a name for each of {width} columns of prototypes; got {attributes}"
        self._require(attributes == width, sentence)
        files = len(self.image_files)
        sentence = f"expected one image file per sample ({n}) or none; got {files}"
        self._require(files in (0, n), sentence)
        for split in self.splits.values():
            where = f"{self.name}, split {split.name!r}"
            parts = [split.trainval, split.test_seen, split.test_unseen]
            parts += [rows for fold in split.folds for rows in (fold.train, fold.val)]
            _refuse_outside(where, n, *parts)
            _refuse_outside(where, c, split.seen_classes, split.unseen_classes, kind="class")

    def _require(self, holds: object, sentence: str) -> None:
        if not holds:
            raise DatasetError(f"{self.name}: {sentence}.")

    def __repr__(self) -> str:
        (n, d), (c, width) = self.features.shape, self.prototypes.shape
        splits = f"split{'s' * (len(self.splits) != 1)} {', '.join(self.splits) or 'none'}"
        kind = " (simulated)" * self.simulated
        return (
            f"<ZSLDataset {self.name}{kind}: {n:,} images x {d:,} features; "
            f"{c:,} classes x {width:,} attributes; {splits}>"
        )

    def _repr_html_(self) -> str:
        """Show the size of each split in a notebook."""
        return html_of_frame(repr(self), _sizes(self.splits.values()))

    def to_frame(self, *, features: bool = False) -> pd.DataFrame:
        """Return one row per image with its class and, for each split, its part.

        Parameters
        ----------
        features : whether to add one column per feature, which copies all features

        Returns
        -------
        pandas.DataFrame
            Columns ``class``, ``image_file`` if known, and one column per split, with its name: the
            part of the image, "trainval", "test_seen" or "test_unseen"; several parts are joined by
            " + ", and "" means no part.
        """
        import pandas as pd

        names = np.array(self.class_names, dtype=object)
        columns: dict[str, Any] = {"class": names[self.labels]}
        columns |= {"image_file": self.image_files} if self.image_files else {}
        for split in self.splits.values():
            column = np.full(len(self.labels), "", dtype=object)
            for part in SPLIT_PARTS:
                rows = np.unique(getattr(split, part))
                column[rows] = [f"{text} + {part}" if text else part for text in column[rows]]
            columns[split.name] = column
        table = pd.DataFrame(columns)
        if not features:
            return table
        numbers = [f"feature {k}" for k in range(1, self.features.shape[1] + 1)]
        values = pd.DataFrame(np.asarray(self.features), columns=numbers)
        return pd.concat([table, values], axis=1)

    @property
    def n_classes(self) -> int:
        """Number of rows of ``prototypes``."""
        return len(self.prototypes)

    def split(self, name: str | None = None) -> Split:
        """Return the split called ``name``; by default PS, or the only split."""
        if name is None:
            name = next(iter(self.splits)) if len(self.splits) == 1 else "PS"
        require_known(f"split of {self.name}", name, self.splits)
        return self.splits[name]

    @cached_property
    def digest(self) -> str:
        """First 16 hex digits of the SHA-256 of features, labels, prototypes and revision."""
        if self.known_digest:
            return self.known_digest
        return content_digest(self.features, self.labels, self.prototypes, self.revision)

    def require_digest(self, digest: str) -> Self:
        """Return the data set; raise DatasetError if it has another digest; "" accepts any."""
        if digest not in ("", self.digest):
            raise DatasetError(f"{self.name}: expected data {digest}; got {self.digest}.")
        return self


def _whole_numbers(name: str, labels: ArrayLike) -> np.ndarray:
    """Return ``labels`` as an array; refuse values that are not whole, such as 1.5."""
    array = np.asarray(labels)
    if array.ndim != 1 or array.dtype.kind not in "iuf" or (array != np.trunc(array)).any():
        raise DatasetError(
            f"{name}: labels must be one whole number per sample; "
            f"got shape {array.shape} of {array.dtype}."
        )
    return array


def _refuse_outside(name: str, n: int, *parts: ArrayLike, kind: str = "row") -> None:
    for part in map(np.asarray, parts):
        outside = part[(part < 0) | (part >= n)]
        if outside.size:
            raise DatasetError(
                f"{name}: {kind} numbers must lie in 0..{n - 1}; got {outside[0]} "
                f"({outside.size} outside)."
            )


def require_unseen(dataset: ZSLDataset, split: Split) -> None:
    """Refuse a split without unseen classes: all test classes have training images.

    The SplitError names the data set and the split, so that a page can link to the audit.
    """
    tested = np.unique(dataset.labels[split.test_unseen])
    if not len(np.setdiff1d(tested, dataset.labels[split.trainval])):
        raise SplitError(
            f"{dataset.name}, split {split.name!r}: expected a test class without training images; "
            f"all {len(tested)} test classes have training images, so nothing can be scored.",
            dataset.name,
            split.name,
        )
