r"""Predictions: the best seen and unseen class of each image, and the margin between them.

Calibrated stacking predicts the best seen class of an image while :math:`\gamma < m`, and its best
unseen class from :math:`\gamma = m` on; the margin :math:`m` is the best seen score minus the best
unseen score or, with a novelty detector, the negated penalty of the detector. The two classes and
the margin of every test image determine u, s and H at any gamma, ZSL accuracy, the seen-unseen
curve and AUSUC, accuracies per class, the confusion matrix and intervals; all of these metrics
equal, to the last bit, the metrics computed from the score matrix. The classes and margins of the
validation images determine gamma.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from zslcore.datasets import Split, ZSLDataset
from zslcore.datasets.facts import benchmark_of
from zslcore.evaluation.predicted_tests import (
    Evaluation,
    FoldPredictions,
    Limits,
    PredictedTest,
    best_common_gamma,
    evaluate,
)
from zslcore.exceptions import DatasetError
from zslcore.metrics import BestClasses

GammaOrigin = Literal["validated", "given", "oracle", "none"]
ParameterOrigin = Literal["validated", "given", "oracle", "unknown"]


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Provenance of predictions; empty fields are unknown.

    ``benchmark`` is "AWA1", "AWA2", "CUB", "SUN" or "aPY". ``parts`` has the digests of the rows of
    "trainval", "test_seen" and "test_unseen"; ``rows`` is "benchmark" if row numbers refer to the
    data set (a benchmark or not), "file" if they refer to a score file. ``pretraining`` is
    ``("none",)`` if the features were not pre-trained.
    """

    __pydantic_config__: ClassVar[Any] = {"extra": "forbid"}
    dataset: str = ""
    digest: str = ""
    benchmark: str = ""
    simulated: bool = False
    split: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    rows: Literal["benchmark", "file"] = "benchmark"
    method: str = ""
    params: Mapping[str, bool | int | float | str | None] = field(default_factory=dict)
    params_origin: ParameterOrigin = "unknown"
    gamma: float | None = None
    gamma_origin: GammaOrigin = "none"
    features: str = ""
    pretraining: tuple[str, ...] = ()
    seed: int | None = None
    created: str = ""
    version: str = ""
    commit: str = ""
    revisions: Mapping[str, int] = field(default_factory=dict)
    spec: Mapping[str, Any] | None = None
    source: str = ""

    @classmethod
    def for_split(cls, dataset: ZSLDataset, split: Split, **more: Any) -> Provenance:
        """Return the provenance of predictions on a split; ``more`` are further fields."""
        return cls(
            dataset=dataset.name,
            digest=dataset.digest,
            benchmark="" if dataset.simulated else benchmark_of(dataset) or "",
            simulated=dataset.simulated,
            split=split.name,
            parts=split.digests,
            pretraining=dataset.pretraining,
            **more,
        )

    def __post_init__(self) -> None:
        if (self.gamma is None) != (self.gamma_origin == "none"):
            raise DatasetError(
                f"gamma: expected a number and its origin, or neither; got {self.gamma} and "
                f"{self.gamma_origin!r}."
            )
        if self.gamma is not None and not np.isfinite(self.gamma):
            raise DatasetError(f"gamma: expected a finite number; got {self.gamma}.")


@dataclass(frozen=True, eq=False)
class PredictedRows(PredictedTest):
    """Predictions for the images of a test set, or for the validation images of a fold.

    Attributes
    ----------
    rows : int array of shape (n_rows,), 0-based row numbers in the data set or, as stated by
        :class:`Provenance`, in the score file
    labels : int array of shape (n_rows,), class numbers
    seen_class, unseen_class : int arrays of shape (n_rows,)
        The best seen and the best unseen class; -1 for a side without candidates.
    margin : float64 array of shape (n_rows,), smallest gamma at which the unseen class is predicted
    classes : int array of shape (n_candidates,), increasing class numbers of the candidates
    seen : bool array of shape (n_candidates,), True for seen candidates
    resolution : margins that differ by at most this much form one breakpoint of the curve
    zsl_class : int array of shape (n_rows,), prediction among unseen classes alone, by default
        ``unseen_class``
    zsl_rank : int array of shape (n_rows,), rank of the true class among unseen classes alone,
        counted from 1; -1 if unknown
    name : name of the part, for messages
    limits : limit of the scores from which the classes were predicted, empty for none; see
        :data:`zslcore.evaluation.predicted_tests.Limits`
    """

    rows: np.ndarray
    labels: np.ndarray
    seen_class: np.ndarray
    unseen_class: np.ndarray
    margin: np.ndarray
    classes: np.ndarray
    seen: np.ndarray
    resolution: float
    zsl_class: np.ndarray | None = None
    zsl_rank: np.ndarray | None = None
    name: str = "test"
    limits: Limits = ""

    def __post_init__(self) -> None:
        for column in _COLUMNS:
            if (array := getattr(self, column)) is not None:
                array.setflags(write=False)
        _check_columns(self)
        for wrong, sentence, values in _column_rules(self):
            if wrong.any():
                k = int(np.argmax(wrong))
                raise DatasetError(f"{self.name}, {sentence} {values[k]} for row {self.rows[k]:,}.")

    @classmethod
    def of_scores(cls, scores: PredictedTest, rows: np.ndarray) -> PredictedRows:
        """Return the predictions of a score matrix, or of its best classes.

        ``rows`` are the row numbers of the images in the data set.
        """
        part = _rows_of_predictions(scores.best_classes, scores.classes, scores.seen, rows, "test")
        zsl_class, zsl_rank = part.unseen_class.copy(), np.full(len(rows), -1, np.int32)
        of_unseen = ~scores.seen[scores.y]
        zsl_class[of_unseen] = scores.classes[scores.zsl_predictions[1]]
        if of_unseen.any() and (ranks := scores.zsl_ranks) is not None:
            zsl_rank[of_unseen] = ranks
        return replace(part, zsl_class=zsl_class, zsl_rank=zsl_rank)

    @classmethod
    def of_fold(cls, fold: FoldPredictions, k: int) -> PredictedRows:
        """Return the predictions for the validation images of fold ``k``, counted from 1."""
        part = _rows_of_predictions(
            fold.best_classes, fold.classes, fold.seen, fold.rows, f"fold_{k}"
        )
        is_used = np.isin(part.classes, [part.labels, part.seen_class, part.unseen_class])
        return replace(part, classes=part.classes[is_used], seen=part.seen[is_used])

    def select(self, order: np.ndarray) -> PredictedRows:
        """Return the rows at the positions ``order``, an int array of shape (n,)."""
        per_row = [c for c in _COLUMNS if c not in ("classes", "seen")]
        columns = {name: getattr(self, name) for name in per_row}
        selected: dict[str, Any] = {
            name: v if v is None else v[order] for name, v in columns.items()
        }
        return replace(self, **selected)

    @cached_property
    def y(self) -> np.ndarray:  # type: ignore[override]
        """Labels as candidate numbers."""
        return self._numbered(self.labels)

    @cached_property
    def best_classes(self) -> BestClasses:
        """The best seen and the best unseen candidate of each row."""
        sides = self._numbered(self.seen_class), self._numbered(self.unseen_class)
        return BestClasses(self.y, self.seen[self.y], *sides, self.margin, self.resolution)

    @property
    def zsl_predictions(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and predictions of unseen samples among unseen candidates: plain ZSL."""
        of_unseen = ~self.seen[self.y]
        predicted = self.unseen_class if self.zsl_class is None else self.zsl_class
        return self.y[of_unseen], self._numbered(predicted[of_unseen])

    @property
    def zsl_ranks(self) -> np.ndarray | None:
        """Rank of the true class of unseen samples among unseen candidates, or None."""
        if self.zsl_rank is None:
            return None
        ranks = self.zsl_rank[~self.seen[self.y]]
        return ranks if ranks.min(initial=1) >= 1 else None

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        arrays = (getattr(self, column) for column in _COLUMNS)
        return sum(array.nbytes for array in arrays if array is not None)

    def among_candidates(self) -> PredictedRows:
        """Return the rows with classes numbered by their position among the candidates."""
        sides = {
            name: None if (column := getattr(self, name)) is None else self._numbered(column)
            for name in ("labels", "seen_class", "unseen_class", "zsl_class")
        }
        return replace(self, **sides, classes=np.arange(len(self.classes)))  # type: ignore[arg-type]

    def _numbered(self, classes: np.ndarray) -> np.ndarray:
        """Convert class numbers to candidate numbers; -1 stays -1."""
        if np.array_equal(self.classes, np.arange(len(self.classes))):
            return classes
        return np.where(classes < 0, -1, np.searchsorted(self.classes, classes))


_COLUMNS = (
    *("rows", "labels", "seen_class", "unseen_class", "margin", "classes", "seen"),
    *("zsl_class", "zsl_rank"),
)


def _rows_of_predictions(
    best_classes: BestClasses, classes: np.ndarray, seen: np.ndarray, rows: np.ndarray, name: str
) -> PredictedRows:
    order = np.argsort(classes, kind="stable")

    def class_numbers(columns: np.ndarray) -> np.ndarray:
        return np.where(columns < 0, -1, classes[columns])

    return PredictedRows(
        rows=np.array(rows),
        labels=classes[best_classes.y],
        seen_class=class_numbers(best_classes.seen_class),
        unseen_class=class_numbers(best_classes.unseen_class),
        margin=np.array(best_classes.margin),
        classes=classes[order],
        seen=seen[order],
        resolution=best_classes.resolution,
        name=name,
    )


def _check_columns(rows: PredictedRows) -> None:
    """Refuse columns of unequal length, row numbers below 0 and NaN margins."""
    n = len(rows.rows)
    if not n:
        raise DatasetError(f"{rows.name}: expected at least one row; got none.")
    for column in ("labels", "seen_class", "unseen_class", "margin", "zsl_class", "zsl_rank"):
        array = getattr(rows, column)
        if array is not None and array.shape != (n,):
            raise DatasetError(f"{rows.name}, {column}: expected {n:,} rows; got {array.shape}.")
    if np.isnan(rows.margin).any():
        row = rows.rows[np.isnan(rows.margin)][0]
        raise DatasetError(f"{rows.name}, margin: expected numbers; got NaN for row {row:,}.")
    if rows.rows.min() < 0:
        raise DatasetError(
            f"{rows.name}, row: expected numbers of at least 0; got {rows.rows.min():,}."
        )
    if not 0 <= rows.resolution < np.inf:
        raise DatasetError(
            f"{rows.name}, resolution: expected a number of at least 0; got {rows.resolution}."
        )


def _column_rules(rows: PredictedRows) -> Iterator[tuple[np.ndarray, str, np.ndarray]]:
    """Yield the mask of invalid rows, the start of the message and the values of each rule."""
    unseen = rows.classes[~rows.seen]
    no_row = np.zeros(len(rows.rows), bool)
    # A side without candidates has class -1 and an infinite margin, so that it is never predicted.
    sides = [
        ("label", rows.labels, rows.classes, no_row, "a candidate"),
        ("seen_class", rows.seen_class, rows.classes[rows.seen], rows.margin == -np.inf, "a seen"),
        ("unseen_class", rows.unseen_class, unseen, rows.margin == np.inf, "an unseen"),
    ]
    if rows.zsl_class is not None:
        sides.append(("zsl_class", rows.zsl_class, unseen, no_row, "an unseen"))
    for column, values, candidates, never, class_kind in sides:
        wrong = ~(np.isin(values, candidates) | ((values == -1) & never))
        yield wrong, f"{column}: expected {class_kind} class; got class", values
    if rows.zsl_rank is not None:
        predicted = rows.unseen_class if rows.zsl_class is None else rows.zsl_class
        has_rank = rows.zsl_rank != -1
        wrong = has_rank & ((rows.zsl_rank < 1) | (rows.zsl_rank > len(unseen)))
        of_unseen = has_rank & np.isin(rows.labels, unseen)
        wrong |= of_unseen & ((rows.zsl_rank == 1) != (predicted == rows.labels))
        right = f"1 for a correct prediction, else 2 to {len(unseen)}"
        yield wrong, f"zsl_rank: expected {right}; got", rows.zsl_rank


@dataclass(frozen=True, eq=False)
class Predictions:
    """Predictions of a model, with everything needed to evaluate and verify them.

    Class numbers are positions in ``class_names``; ``folds`` has the predictions for the validation
    images of each fold, from which gamma was chosen.
    """

    test: PredictedRows
    class_names: tuple[str, ...]
    folds: tuple[PredictedRows, ...] = ()
    provenance: Provenance = field(default_factory=Provenance)

    def __post_init__(self) -> None:
        n = len(self.class_names)
        for part in (self.test, *self.folds):
            if part.classes.min() < 0 or part.classes.max() >= n:
                raise DatasetError(
                    f"{part.name}: expected classes 0 to {n - 1}, for {n:,} class names; got "
                    f"{part.classes.min()} to {part.classes.max()}."
                )
        for fold in self.folds:
            if not fold.generalized or fold.seen[fold.y].all():
                side = "unseen" if fold.generalized else "seen"
                raise DatasetError(
                    f"{fold.name}: expected validation rows of seen and of unseen classes; got "
                    f"none of {side} classes."
                )

    @property
    def title(self) -> str:
        """Title: method, data set and split."""
        provenance = self.provenance
        on = ", split ".join(part for part in (provenance.dataset, provenance.split) if part)
        return " on ".join(part for part in (provenance.method, on) if part) or "Predictions"

    @property
    def footnote(self) -> str:
        """Footnote: data set, digest, number of test images and version."""
        provenance = self.provenance
        data = (
            f"{provenance.dataset}{', simulated' * provenance.simulated}, data {provenance.digest}"
        )
        parts = [data if provenance.digest else "", f"{len(self.test.rows):,} test images"]
        parts += [f"zslcore {provenance.version}" if provenance.version else ""]
        return "; ".join(part for part in parts if part) + "."

    def page(self, title: str = "") -> str:
        """Return the interactive curve and the predictions for each test image as one HTML file.

        Raises DatasetError if no curve exists, as for a test set of seen classes only.
        """
        from zslcore.interactive.seen_unseen import page_of_predictions

        self.test.require_curve(title or self.title)
        return page_of_predictions(
            self.test,
            self.class_names,
            title=title or self.title,
            footnote=self.footnote,
            gamma=self.gamma,
            origin=self.provenance.gamma_origin if self.gamma is not None else None,
        )

    def _repr_html_(self) -> str | None:
        """Show the curve with a slider for gamma in a notebook; None without a curve."""
        from zslcore.interactive.one_file import frame_page

        if not self.test.has_curve:
            return None
        return frame_page(self.page(), self.title)

    @property
    def unseen_classes(self) -> np.ndarray:
        """Class numbers of the unseen candidates: int array."""
        return self.test.classes[~self.test.seen]

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return sum(part.nbytes for part in (self.test, *self.folds))

    @property
    def gamma(self) -> float | None:
        """The gamma of calibrated stacking; None if not set."""
        return self.provenance.gamma

    @cached_property
    def chosen_gamma(self) -> float | None:
        """The gamma chosen on the validation rows; None without validation rows."""
        return best_common_gamma([fold.curve for fold in self.folds]) if self.folds else None

    @cached_property
    def evaluation(self) -> Evaluation:
        """All metrics of the protocol, at ``gamma`` or, if it is None, at 0."""
        return evaluate(self.test, 0.0 if self.gamma is None else self.gamma)

    @classmethod
    def of_scores(
        cls,
        scores: PredictedTest,
        rows: np.ndarray,
        class_names: Sequence[str],
        *,
        validation: Sequence[FoldPredictions] = (),
        provenance: Provenance | None = None,
    ) -> Predictions:
        """Return the predictions of a score matrix, or of its best classes.

        ``validation`` has the predictions on the folds, as in
        :class:`zslcore.evaluation.protocol.Selection`; for ``rows`` see
        :meth:`PredictedRows.of_scores`.
        """
        return cls(
            PredictedRows.of_scores(scores, rows),
            tuple(class_names),
            tuple(PredictedRows.of_fold(fold, k) for k, fold in enumerate(validation, 1)),
            provenance or Provenance(),
        )
