"""Predictions for a test set, and all metrics that follow from them.

:class:`ScoredTest` has the scores of every class, other subclasses of :class:`PredictedTest` only
the predictions. :func:`evaluate` computes the metrics; no method is needed.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

import numpy as np

from zslcore.exceptions import DatasetError
from zslcore.metrics import (
    Average,
    BestClasses,
    CurveSteps,
    OperatingPoint,
    SeenUnseenCurve,
    find_best_classes,
    mean_class_accuracy,
    middle_gamma,
    per_class_accuracy,
    ranks_of,
    sample_accuracy,
    top_k_of_ranks,
)
from zslcore.metrics.curve import GammaThresholds, find_gamma_thresholds
from zslcore.texts import html_of_frame

if TYPE_CHECKING:
    import pandas as pd

GammaOrigin = Literal["validated", "given", "oracle"]
#: Limit of predictions: each image was scored only among the classes of its own side (seen or
#: unseen), or only one class was predicted per image.
Limits = Literal["", "sides given", "predicted classes"]
#: Limit -> the reason why no seen-unseen curve exists.
WITHOUT_CURVE: dict[str, str] = {
    "sides given": "the side of each image was given, so no gamma changes the side of a prediction",
    "predicted classes": "gamma, AUSUC, the curve and ZSL accuracy need scores of every class; "
    "the file has one predicted class per image",
}
#: Origin of gamma -> its caveat.
_CAVEATS = {"given": "how it was chosen is not stated", "oracle": "an upper bound, not a result"}


class PredictedTest(ABC):
    """Predictions for a test set, from which all metrics of the protocol are computed.

    Attributes
    ----------
    y : int array of shape (n_samples,), true classes as candidate numbers
    classes : int array of shape (n_candidates,), rows of the data set's prototypes
    seen : bool array of shape (n_candidates,)
    """

    y: np.ndarray
    classes: np.ndarray
    seen: np.ndarray
    #: Limit of the predictions, see :data:`Limits`.
    limits: Limits = ""

    @property
    @abstractmethod
    def best_classes(self) -> BestClasses:
        """The best seen and the best unseen candidate of each sample."""

    @property
    @abstractmethod
    def zsl_predictions(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and predictions of unseen samples among unseen candidates: plain ZSL."""

    @property
    @abstractmethod
    def zsl_ranks(self) -> np.ndarray | None:
        """Rank of the true class of unseen samples among unseen candidates, from 1, or None."""

    def zsl_top(self, k: int) -> float | None:
        """Return the mean per-class top-k accuracy of plain ZSL; None if unknown."""
        ranks = self.zsl_ranks
        return None if ranks is None else top_k_of_ranks(ranks, self.zsl_predictions[0], k)

    @property
    def generalized(self) -> bool:
        """Whether samples of seen classes were predicted among all classes, which GZSL needs."""
        return self.limits != "sides given" and bool(self.seen[self.y].any())

    @cached_property
    def curve(self) -> SeenUnseenCurve:
        """The exact seen-unseen curve, per class."""
        return self.curve_of("class")

    def curve_of(self, average: Average) -> SeenUnseenCurve:
        """Return the exact seen-unseen curve, per "class" or per "sample"."""
        return self.margins.curve(average)

    @cached_property
    def margins(self) -> CurveSteps:
        """The steps of the curves, per class and per sample."""
        return self.best_classes.margins()

    @cached_property
    def switches(self) -> GammaThresholds:
        """Gamma at which the prediction of each image changes sides."""
        return find_gamma_thresholds(self.best_classes, self.margins, self.seen)

    @property
    def has_curve(self) -> bool:
        """Whether there are test samples and candidates of both sides, as a curve needs."""
        return self.generalized and not self.limits and not self.seen[self.y].all()

    def require_curve(self, name: str) -> None:
        """Raise a DatasetError that starts with ``name`` if there is no seen-unseen curve."""
        if not self.has_curve:
            if self.limits:
                raise DatasetError(f"{name}: {WITHOUT_CURVE[self.limits]}.")
            side = "unseen" if self.generalized else "seen"
            raise DatasetError(
                f"{name}: expected images of seen and of unseen classes for a curve; got none of "
                f"{side} classes."
            )

    def predicted(self, gamma: float = 0.0) -> np.ndarray:
        """Return the predictions after calibrated stacking, as candidate numbers.

        Ties between a seen and an unseen class go to the unseen class, as on the curve.
        """
        return self.best_classes.at(gamma)


@dataclass(frozen=True, eq=False)
class ScoredTest(PredictedTest):
    """The score matrix of a test set.

    ``F`` has shape (n_samples, n_candidates), with larger scores for better matches; for ``y``,
    ``classes`` and ``seen`` see :class:`PredictedTest`.
    """

    F: np.ndarray
    y: np.ndarray
    classes: np.ndarray
    seen: np.ndarray

    def __post_init__(self) -> None:
        for array in (self.F, self.y, self.classes, self.seen):
            array.setflags(write=False)

    @cached_property
    def unseen_part(self) -> tuple[np.ndarray, np.ndarray]:
        """Scores and labels of unseen samples among unseen candidates: plain ZSL."""
        unseen = ~self.seen
        rows = unseen[self.y]
        return self.F[np.ix_(rows, unseen)], (np.cumsum(unseen) - 1)[self.y[rows]]

    @cached_property
    def best_classes(self) -> BestClasses:
        """The best seen and the best unseen candidate of each sample, for all gammas."""
        return find_best_classes(self.F, self.y, self.seen)

    @property
    def zsl_predictions(self) -> tuple[np.ndarray, np.ndarray]:
        """Labels and predictions of unseen samples among unseen candidates: plain ZSL."""
        of_unseen = ~self.seen[self.y]
        return self.y[of_unseen], self.best_classes.unseen_class[of_unseen]

    @cached_property
    def zsl_ranks(self) -> np.ndarray:
        """Rank of the true class of unseen samples among unseen candidates, from 1."""
        return ranks_of(*self.unseen_part)


@dataclass(frozen=True, slots=True, eq=False)
class FoldPredictions:
    """Predictions for the validation images of a fold, on which gamma was chosen.

    ``rows`` are 0-based rows of the data, seen validation first. ``classes`` has the row of each
    candidate in the data set's prototypes, ``seen`` one bool per candidate; classes in
    ``best_classes`` are positions in ``classes``.
    """

    rows: np.ndarray
    classes: np.ndarray
    seen: np.ndarray
    best_classes: BestClasses

    @property
    def curve(self) -> SeenUnseenCurve:
        """The exact seen-unseen curve of the fold, per class."""
        return self.best_classes.margins().curve()


def best_common_gamma(curves: Sequence[SeenUnseenCurve]) -> float:
    """Return the gamma with the largest H, averaged over ``curves``.

    The maximum is exact, since the average changes only at breakpoints of the curves. The middle of
    the best interval is returned, as by :meth:`SeenUnseenCurve.best`.
    """
    gamma = np.unique(np.concatenate([curve.gamma for curve in curves]))
    H = np.mean([curve.at(gamma).harmonic for curve in curves], axis=0)
    return middle_gamma(gamma, int(np.argmax(H)))


@dataclass(frozen=True, slots=True, repr=False)
class Evaluation:
    """All metrics of a GZSL table for one test set; fractions in [0, 1].

    Attributes
    ----------
    zsl, zsl_per_sample, zsl_top5 : accuracy of unseen samples among unseen classes, averaged over
        classes or samples; ``zsl_top5`` is None if only the best class is known, the others are NaN
        if images of unseen classes were predicted only among all classes
    plain : seen, unseen and harmonic accuracy at gamma = 0, None without seen test samples
    calibrated : the same accuracies at the chosen gamma
    plain_per_sample, calibrated_per_sample : the same accuracies, averaged over samples
    ausuc : area under the seen-unseen curve
    per_class_zsl : accuracy of each unseen class among unseen classes, by class
    per_class : accuracy of each class among all classes at the chosen gamma, by class
    per_class_plain : accuracy of each class at gamma = 0; empty in results of versions before 0.2
    """

    zsl: float
    zsl_per_sample: float
    zsl_top5: float | None
    plain: OperatingPoint | None = None
    calibrated: OperatingPoint | None = None
    plain_per_sample: OperatingPoint | None = None
    calibrated_per_sample: OperatingPoint | None = None
    ausuc: float | None = None
    per_class_zsl: dict[int, float] = field(default_factory=dict)
    per_class: dict[int, float] = field(default_factory=dict)
    per_class_plain: dict[int, float] = field(default_factory=dict)

    def __repr__(self) -> str:
        parts = [f"ZSL {self.zsl:.3f}"]
        if self.plain is not None and self.calibrated is not None:
            parts += [f"u {self.plain.unseen:.3f}", f"s {self.plain.seen:.3f}"]
            parts += [f"H {self.plain.harmonic:.3f}"]
            if self.calibrated.gamma:
                at = f"at gamma {self.calibrated.gamma:.3g}"
                parts += [f"H {self.calibrated.harmonic:.3f} {at}"]
        if self.ausuc is not None:
            parts += [f"AUSUC {self.ausuc:.3f}"]
        return f"<Evaluation: {', '.join(parts)}>"

    def _repr_html_(self) -> str:
        """Show the metrics in a notebook."""
        return html_of_frame(repr(self), self.to_frame(), rows=60)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per metric: ``metric`` and ``value``, a fraction."""
        import pandas as pd

        values = {name: getattr(self, name) for name in ("zsl", "zsl_per_sample", "zsl_top5")}
        for end in ("", "_per_sample"):
            for at in ("plain", "calibrated"):
                point = getattr(self, at + end)
                for side in ("unseen", "seen", "harmonic"):
                    values[f"{at}_{side}{end}"] = None if point is None else getattr(point, side)
        values["ausuc"] = self.ausuc
        stated = {name: value for name, value in values.items() if value is not None}
        return pd.DataFrame({"metric": list(stated), "value": list(stated.values())})


def origin_in_words(origin: str | None, stated_by: str = "") -> str:
    """Describe the origin of gamma and its caveat.

    ``stated_by`` names the source of an origin that cannot be checked.

    Examples
    --------
    >>> origin_in_words("given")
    'given; how it was chosen is not stated'
    >>> origin_in_words("validated", "the submitter")
    'validated, as stated by the submitter'
    """
    if origin is None:
        return "none"
    if origin == "validated" and stated_by:
        return f"validated, as stated by {stated_by}"
    return f"{origin}; {_CAVEATS[origin]}" if origin in _CAVEATS else origin


def evaluate(scores: PredictedTest, gamma: float = 0.0) -> Evaluation:
    """Compute all metrics of the protocol from the predictions for a test set.

    ``gamma`` must have been chosen on the folds, see :func:`select`.
    """
    if scores.limits == "predicted classes":
        return _evaluate_predicted(scores)
    y, predicted = scores.zsl_predictions
    of_unseen = Evaluation(
        zsl=mean_class_accuracy(y, predicted),
        zsl_per_sample=sample_accuracy(y, predicted),
        zsl_top5=scores.zsl_top(min(5, int(np.count_nonzero(~scores.seen)))),
        per_class_zsl=_by_class(per_class_accuracy(y, predicted), scores.classes),
    )
    if not scores.generalized:
        return of_unseen
    per_sample = scores.curve_of("sample")
    return replace(
        of_unseen,
        plain=scores.curve.at(0.0),
        calibrated=scores.curve.at(gamma),
        plain_per_sample=per_sample.at(0.0),
        calibrated_per_sample=per_sample.at(gamma),
        ausuc=scores.curve.ausuc,
        per_class=_by_class(per_class_accuracy(scores.y, scores.predicted(gamma)), scores.classes),
        per_class_plain=_by_class(per_class_accuracy(scores.y, scores.predicted()), scores.classes),
    )


def _evaluate_predicted(scores: PredictedTest) -> Evaluation:
    """Return the metrics if only one class per sample is predicted: u, s and H at gamma = 0.

    Without seen classes, the predictions are the ZSL predictions; otherwise ZSL accuracy is NaN.
    """
    generalized = scores.generalized
    y, predicted = scores.y, scores.predicted()
    is_zsl = not scores.seen.any()
    return Evaluation(
        zsl=mean_class_accuracy(y, predicted) if is_zsl else np.nan,
        zsl_per_sample=sample_accuracy(y, predicted) if is_zsl else np.nan,
        zsl_top5=None,
        plain=scores.curve.at(0.0) if generalized else None,
        plain_per_sample=scores.curve_of("sample").at(0.0) if generalized else None,
        per_class_zsl=_by_class(per_class_accuracy(y, predicted), scores.classes) if is_zsl else {},
        per_class_plain=_by_class(per_class_accuracy(y, predicted), scores.classes),
    )


def _by_class(accuracy: dict[int, float], classes: np.ndarray) -> dict[int, float]:
    return {int(classes[column]): value for column, value in accuracy.items()}
