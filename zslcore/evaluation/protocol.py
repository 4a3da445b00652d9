r"""The evaluation protocol: choose on folds, fit on trainval, score the test set once.

Hyper-parameters are chosen within the training classes, never on test classes:

- for ZSL, by the mean per-class accuracy on a fold's validation classes;
- for GZSL, as in the calibration paper (Le Cacheux et al., below): a fifth of the images of each
  training class of a fold is held out as *seen validation*, the validation classes are the *unseen
  validation*, and the best parameters are those with the largest harmonic mean H, at the best
  gamma of each fold and averaged over folds.

With few folds, the differences between many grid points are not significant. If a method states
which of its parameters make it simpler (``complexity_order``), the one-standard-error rule applies:
it chooses the simplest point within one standard error of the best. The standard error is computed
from the differences between the two points on each fold, since a hard fold lowers the scores of
both. For all other methods the best point is chosen. :class:`Selection` records the rule.

The gamma for the test set is the one with the largest H, averaged over the exact curves of the
folds. Then the method is fitted again on all of trainval, and the test set is scored. The oracle is
the best value of a metric on the same grid if parameters and gamma are chosen *on* the test set; it
is reported under that name next to the result, never as the result.

A method with a novelty detector (CMT*) has ``seen_penalty(X)``, one number per sample, which
replaces the best scores in the choice between seen and unseen classes: a seen class is predicted if
and only if gamma < -penalty. The order among seen and among unseen classes does not change. Gamma
is chosen on the folds as for all methods; it is subtracted from the threshold that the detector
computed from its training images.

References
----------
Y. Xian, C. Lampert, B. Schiele, Z. Akata, "Zero-shot learning - a comprehensive evaluation of the
good, the bad and the ugly", TPAMI 2019. Y. Le Cacheux, H. Le Borgne, M. Crucianu, "From classical
to generalized zero-shot learning: a simple adaptation process", MMM 2019, sections 3.2 and 3.3.
T. Hastie, R. Tibshirani, J. Friedman, "The elements of statistical learning", 2009, section 7.10
(one standard error).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, Literal, Self, TypeVar

import numpy as np
import pandas as pd
from sklearn.model_selection import ParameterGrid

from zslcore.datasets.base import SEEN_VALIDATION, Fold, Split, ZSLDataset, hold_out, require_unseen
from zslcore.evaluation.predicted_tests import FoldPredictions, ScoredTest, best_common_gamma
from zslcore.evaluation.predicted_tests import evaluate as evaluate
from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import FeatureView, Preprocessing
from zslcore.methods.base import Params, ZSLEstimator, with_seed
from zslcore.methods.calls import method_errors, require_array, require_scores
from zslcore.metrics import OperatingPoint, SeenUnseenCurve, find_best_classes, mean_class_accuracy
from zslcore.progress import Progress, silent
from zslcore.texts import html_of_frame

#: Increased when the protocol changes results for the same data, method and parameters.
REVISION = 1

Task = Literal["zsl", "gzsl"]
Rule = Literal["best", "one standard error"]
_T = TypeVar("_T")


# --- Fitting and scoring --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Training rows, test rows and candidate classes of one fit.

    Attributes
    ----------
    X, y, S : training features, labels (rows of ``S``) and prototypes, seen classes only
    X_test, y_test : test features and labels (rows of ``candidates``)
    candidates : prototypes of shape (n_candidates, n_attributes)
    classes : array of shape (n_candidates,), row of each candidate in the data set's prototypes
    seen : bool array of shape (n_candidates,)
    """

    X: FeatureView
    y: np.ndarray
    S: np.ndarray
    X_test: FeatureView
    y_test: np.ndarray
    candidates: np.ndarray
    classes: np.ndarray
    seen: np.ndarray

    @classmethod
    def of(
        cls,
        dataset: ZSLDataset,
        preprocessing: Preprocessing,
        train: np.ndarray,
        test: np.ndarray,
        classes: np.ndarray | None = None,
    ) -> Problem:
        """Take training and test rows from ``dataset``.

        Candidates are ``classes``, by default all classes with training or test rows.
        """
        labels = dataset.labels
        seen_classes = np.unique(labels[train])
        if classes is None:
            classes = np.union1d(seen_classes, labels[test])
        S = preprocessing.of_prototypes(dataset.prototypes)
        features = preprocessing.of_features(dataset.features, train)
        return cls(
            X=features.rows(train),
            y=np.searchsorted(seen_classes, labels[train]),
            S=S[seen_classes],
            X_test=features.rows(test),
            y_test=np.searchsorted(classes, labels[test]),
            candidates=S[classes],
            classes=classes,
            seen=np.isin(classes, seen_classes),
        )

    @classmethod
    def of_test(cls, dataset: ZSLDataset, split: Split, preprocessing: Preprocessing) -> Problem:
        """Take trainval and all test rows from ``dataset``, with all classes as candidates."""
        if not len(split.trainval) or not len(split.test_unseen):
            raise DatasetError(
                f"{dataset.name}, split {split.name!r}: expected training rows and unseen test "
                f"rows; got {len(split.trainval)} and {len(split.test_unseen)}."
            )
        require_unseen(dataset, split)
        test = np.concatenate([split.test_seen, split.test_unseen])
        classes = np.union1d(split.seen_classes, split.unseen_classes)
        return cls.of(dataset, preprocessing, split.trainval, test, classes)

    def fit(self, method: ZSLEstimator) -> ZSLEstimator:
        """Return a copy of ``method``, fitted to the training rows.

        Numerical errors, and all errors of a plugin, are raised again as one sentence; see
        :mod:`zslcore.methods.calls`.
        """
        with method_errors(method, self.S):
            return next(method.fit_grid(self.X, self.y, self.S, [{}]))

    def sweep(self, method: ZSLEstimator, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Yield the test scores at each point of ``grid``."""
        shape = len(self.X_test), len(self.candidates)
        with method_errors(method, self.S, self.candidates):
            if method.seen_penalty is not None:
                yield from map(self.scores_of, method.fit_grid(self.X, self.y, self.S, grid))
                return
            training, test = (self.X, self.y, self.S), (self.X_test, self.candidates)
            for F in method.score_grid(*training, grid, *test):
                yield require_scores(F, method, shape)

    def attributes(self, method: ZSLEstimator, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Yield the attributes predicted for the test rows at each point of ``grid``."""
        with method_errors(method, self.S):
            yield from method.attribute_grid(self.X, self.y, self.S, grid, self.X_test)

    def scores_of(self, fitted: ZSLEstimator) -> np.ndarray:
        """Return the test scores of a fitted method, shifted if it has a novelty detector."""
        n = len(self.X_test)
        with method_errors(fitted, self.candidates):
            F = fitted.decision_function(self.X_test, self.candidates)
            F = require_scores(F, fitted, (n, len(self.candidates)))
            if fitted.seen_penalty is None or self.seen.all() or not self.seen.any():
                return F
            penalty = fitted.seen_penalty(self.X_test)
            return apply_penalty(F, self.seen, require_array(penalty, fitted, (n,), "penalties"))

    def scored(self, fitted: ZSLEstimator) -> ScoredTest:
        """Return the test scores of a fitted method, with labels and candidates."""
        return ScoredTest(self.scores_of(fitted), self.y_test, self.classes, self.seen)


def apply_penalty(F: np.ndarray, seen: np.ndarray, penalty: np.ndarray) -> np.ndarray:
    """Shift scores so that the best seen score exceeds the best unseen score by ``-penalty``.

    The best seen score is first subtracted from all seen scores, the best unseen score from all
    unseen scores; the order among seen and among unseen classes does not change. ``F`` has shape
    (n_samples, n_candidates), the bool array ``seen`` (n_candidates,) and ``penalty`` (n_samples,).
    """
    a, b = (side.max(axis=1) for side in (F[:, seen], F[:, ~seen]))
    # -inf means that the side is ruled out.
    a, b = (np.where(np.isneginf(best), 0, best) for best in (a, b))
    return F - np.where(seen, (a + penalty)[:, None], b[:, None])


@dataclass(frozen=True, eq=False)
class Setting:
    """Data, split, scaling and seed under which methods are chosen, fitted and scored.

    ``preprocessing`` scales features and prototypes; ``seed`` decides which rows are held out as
    seen validation, and seeds stochastic methods. ``progress`` is called after each fit-and-score
    of a selection or sweep, with the message of that step; an exception from it stops the
    computation.
    """

    dataset: ZSLDataset
    split: Split
    preprocessing: Preprocessing = field(default_factory=Preprocessing)
    seed: int = 0
    progress: Progress = silent

    def on(self, split: Split) -> Self:
        """Return the setting on another split."""
        return replace(self, split=split)

    @cached_property
    def test(self) -> Problem:
        """Problem of the test set: trainval, all test rows, and all classes as candidates."""
        return Problem.of_test(self.dataset, self.split, self.preprocessing)

    def score(self, method: ZSLEstimator) -> ScoredTest:
        """Fit ``method`` on trainval and score the test set, see :func:`fit_and_score`."""
        problem = self.test
        return problem.scored(problem.fit(with_seed(method, self.seed)))

    def sweep(
        self, method: ZSLEstimator, points: Sequence[Params], message: str = ""
    ) -> Iterator[ScoredTest]:
        """Yield the scored test set at each of the grid ``points``."""
        method, problem = with_seed(method, self.seed), self.test
        tick = self._ticks(points, message)
        for F in problem.sweep(method, points):
            tick()
            yield ScoredTest(F, problem.y_test, problem.classes, problem.seen)

    def transduce(self, method: ZSLEstimator, task: Task = "zsl") -> ScoredTest:
        """Fit on trainval and on unlabelled test images, and score the test images.

        For "zsl", test images are only those of unseen classes, with the unseen classes as
        candidates; for "gzsl", all test images are used, with all classes as candidates. An
        inductive method is fitted on trainval alone.
        """
        _check_task(task)
        require_unseen(self.dataset, self.split)
        test, classes = self.split.test_unseen, self.split.unseen_classes
        if task == "gzsl":
            test = np.concatenate([self.split.test_seen, test])
            classes = np.union1d(self.split.seen_classes, classes)
        train = self.split.trainval
        problem = Problem.of(self.dataset, self.preprocessing, train, test, classes)
        (F,) = problem.sweep(with_seed(method, self.seed), [{}])
        return ScoredTest(F, problem.y_test, problem.classes, problem.seen)

    def select(
        self,
        method: ZSLEstimator,
        *,
        task: Task = "gzsl",
        grid: Mapping[str, Sequence[Any]] | None = None,
        rule: Rule | None = None,
        with_gamma: bool = True,
        message: str = "",
    ) -> Selection:
        """Choose parameters and gamma on the folds, see :func:`select`."""
        _check_task(task)
        _check_folds(self.dataset, self.split)
        method, folds = with_seed(method, self.seed), self.split.folds
        points = list(ParameterGrid(dict(method.param_grid if grid is None else grid)))
        rule = rule_of(method, points) if rule is None else _require_rule(rule, method)
        tick = self._ticks(range(len(points) * len(folds)), message)
        results = [
            result
            for fold in folds
            for result in self._evaluate_points(method, fold, points, task, tick)
        ]
        rows = [
            {**params, "fold": k, **result.row}
            for k, fold_results in enumerate(_batched(results, len(points)))
            for params, result in zip(points, fold_results, strict=True)
        ]
        table = pd.DataFrame(rows)
        scores = table["score"].to_numpy().reshape(len(folds), len(points))
        best = int(np.argmax(scores.mean(axis=0)))
        if rule == "one standard error":
            best = simplest_of_ties(scores, points, method.complexity_order)
        chosen = results[best :: len(points)]
        if task == "zsl":  # only gamma needs fits with seen validation
            folds, point = folds if with_gamma else (), [points[best]]
            chosen = [
                result
                for f in folds
                for result in self._evaluate_points(method, f, point, "gzsl", tick)
            ]
        curves = [result.curve for result in results if result.curve is not None]
        chosen_curves = [result.curve for result in chosen if result.curve is not None]
        simpler = method.complexity_order if rule == "one standard error" else ()
        return Selection(
            task,
            rule,
            params=points[best],
            gamma=best_common_gamma(chosen_curves) if chosen_curves else None,
            score=float(scores[:, best].mean()),
            table=table,
            of_folds=_choices_of_folds(points, rows, simpler),
            curves=tuple(zip(*_batched(curves, len(points)), strict=True)),
            validation=tuple(
                result.predictions for result in chosen if result.predictions is not None
            ),
        )

    def oracle(
        self,
        method: ZSLEstimator,
        grid: Mapping[str, Sequence[Any]] | None = None,
    ) -> Oracle:
        """Choose parameters and gamma *on the test set*, as an upper bound of the metrics."""
        points = list(ParameterGrid(dict(method.param_grid if grid is None else grid)))
        zsl: list[float] = []
        gzsl: list[OperatingPoint] = []  # empty without seen test samples
        for scores in self.sweep(method, points):
            zsl.append(mean_class_accuracy(*scores.zsl_predictions))
            if scores.generalized:
                gzsl.append(scores.curve.best())
        best = int(np.argmax(zsl))
        if not gzsl:
            return Oracle(zsl[best], points[best])
        k = int(np.argmax([point.harmonic for point in gzsl]))
        return Oracle(zsl[best], points[best], gzsl[k].harmonic, gzsl[k].gamma, points[k])

    def _evaluate_points(
        self,
        method: ZSLEstimator,
        fold: Fold,
        points: Sequence[Params],
        task: Task,
        tick: Callable[[], None],
    ) -> Iterator[_PointResult]:
        """Yield the result of each grid point on a fold."""
        labels, train, test = self.dataset.labels, fold.train, fold.val
        if task == "gzsl":
            train, held_out = hold_out(labels, fold.train, SEEN_VALIDATION, self.seed)
            test = np.concatenate([held_out, fold.val])
        classes = np.unique(labels[fold.val]) if task == "zsl" else None
        problem = Problem.of(self.dataset, self.preprocessing, train, test, classes)
        for F in problem.sweep(method, points):
            tick()
            if task == "zsl":
                yield _PointResult({"score": mean_class_accuracy(problem.y_test, F.argmax(axis=1))})
            else:
                best_classes = find_best_classes(F, problem.y_test, problem.seen)
                fold_predictions = FoldPredictions(
                    test, problem.classes, problem.seen, best_classes
                )
                best = (curve := fold_predictions.curve).best()
                row = {"score": best.harmonic, "calibration_gamma": best.gamma}
                yield _PointResult(row, curve, fold_predictions)

    def _ticks(self, fits: Sequence[Any], message: str) -> Callable[[], None]:
        """Return a function to call after each of ``fits``; it reports the progress."""
        done, total = count(1), len(fits)

        def tick() -> None:
            self.progress(min(next(done), total), total, message)

        return tick


def fit_and_score(
    method: ZSLEstimator,
    dataset: ZSLDataset,
    split: Split,
    *,
    preprocessing: Preprocessing = Preprocessing(),  # noqa: B008 - frozen
    seed: int = 0,
) -> ScoredTest:
    """Fit ``method`` on trainval and score the test set, seen and unseen, among all classes."""
    return Setting(dataset, split, preprocessing, seed).score(method)


# --- Choosing -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FoldChoice:
    """The best grid point of a single fold, and its gamma.

    For "gzsl" ``score`` is H; for "zsl" it is the per-class accuracy, and ``gamma`` is None.
    """

    params: dict[str, Any]
    gamma: float | None
    score: float


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Selection:
    """Parameters chosen on the folds, and the results of all grid points on the folds.

    Attributes
    ----------
    task : "zsl" or "gzsl", the task that the parameters were chosen for
    rule : "best" for the best mean over folds, "one standard error" for the simplest point within
        one standard error of the best mean
    params : the chosen grid point
    gamma : the gamma chosen with ``params`` for calibrated stacking; None if not chosen
    score : mean over folds, at ``params``, of the per-class accuracy for "zsl" or of H for "gzsl"
    table : one row per grid point and fold; columns: parameters, fold (from 0), score and, for
        "gzsl", ``calibration_gamma``, the best gamma of the fold
    of_folds : the best grid point of each fold alone; of equal points the simplest or, for rule
        "best", the first
    curves : one tuple per grid point, with its seen-unseen curve on each fold; empty for "zsl"
    validation : predictions at ``params`` on each fold, from which gamma was chosen
    """

    task: Task
    rule: Rule
    params: dict[str, Any]
    gamma: float | None
    score: float
    table: pd.DataFrame
    of_folds: tuple[FoldChoice, ...] = ()
    curves: tuple[tuple[SeenUnseenCurve, ...], ...] = ()
    validation: tuple[FoldPredictions, ...] = ()

    def __repr__(self) -> str:
        gamma = "" if self.gamma is None else f", gamma {self.gamma:.3g}"
        return (
            f"<Selection for {self.task}: {self.params}{gamma}; {self.score:.3f} on "
            f"{len(self.of_folds)} folds, {self.rule}>"
        )

    def _repr_html_(self) -> str:
        """Show the grid in a notebook."""
        return html_of_frame(repr(self), self.table)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per grid point and fold, see ``table``."""
        return self.table.copy()


def select(
    method: ZSLEstimator,
    dataset: ZSLDataset,
    split: Split,
    *,
    task: Task = "gzsl",
    grid: Mapping[str, Sequence[Any]] | None = None,
    rule: Rule | None = None,
    preprocessing: Preprocessing = Preprocessing(),  # noqa: B008 - frozen
    seed: int = 0,
    with_gamma: bool = True,
    progress: Progress = silent,
) -> Selection:
    """Choose parameters and gamma on the folds' validation classes.

    Parameters
    ----------
    method : estimator; keeps its parameters that are not in ``grid``
    dataset, split : the data; only rows of the folds are used
    task : task that parameters are chosen for; gamma maximises H for either task
    grid : mapping from parameter to values, default ``method.param_grid``
    rule : "best" or "one standard error", optional
        By default "one standard error" if the grid contains a parameter in
        ``method.complexity_order``, which defines the order of simplicity, else "best".
    seed : selects the rows held out as seen validation, and seeds stochastic methods
    with_gamma : whether to choose gamma for task "zsl", which takes one more fit per fold; for task
        "gzsl" gamma is always chosen
    progress : callable(done, total, message), called after each fit-and-score

    Raises
    ------
    DatasetError
        If the split has no folds, or a fold has train rows of fewer than two classes, no val rows,
        or a class in both.
    ParameterError
        For an unknown task or rule, or the one-standard-error rule for a method without
        ``complexity_order``.
    """
    return Setting(dataset, split, preprocessing, seed, progress).select(
        method, task=task, grid=grid, rule=rule, with_gamma=with_gamma
    )


def _check_task(task: str) -> None:
    if task not in ("zsl", "gzsl"):
        raise ParameterError(f"task must be 'zsl' or 'gzsl'; got {task!r}.")


def _batched(values: Sequence[_T], n: int) -> list[Sequence[_T]]:
    """Return ``values`` in groups of ``n``."""
    return [values[start : start + n] for start in range(0, len(values), n)]


def _choices_of_folds(
    points: Sequence[Params], rows: Sequence[Mapping[str, Any]], simpler: Sequence[str]
) -> tuple[FoldChoice, ...]:
    """Return the best point of each fold; ``rows`` are the rows of the table, fold by fold."""
    choices = []
    for start in range(0, len(rows), len(points)):
        fold_rows = rows[start : start + len(points)]
        k = simplest_of_ties(np.array([[row["score"] for row in fold_rows]]), points, simpler)
        best = fold_rows[k]
        choices.append(FoldChoice(dict(points[k]), best.get("calibration_gamma"), best["score"]))
    return tuple(choices)


def rule_of(method: ZSLEstimator, points: Iterable[Params]) -> Rule:
    """Return the default rule for choosing parameters of ``method`` on a grid."""
    varied = {name for params in points for name in params}
    return "one standard error" if varied & set(method.complexity_order) else "best"


def _require_rule(rule: Rule, method: ZSLEstimator) -> Rule:
    if rule not in ("best", "one standard error"):
        raise ParameterError(f"rule must be 'best' or 'one standard error'; got {rule!r}.")
    if rule == "one standard error" and not method.complexity_order:
        raise ParameterError(
            f"{method.card.name}: expected rule 'best', since the method has no "
            "complexity_order; got 'one standard error'."
        )
    return rule


def simplest_of_ties(scores: np.ndarray, points: Sequence[Params], simpler: Sequence[str]) -> int:
    r"""Return the simplest grid point that the folds cannot distinguish from the best one.

    Let :math:`d_k` be the score of the best point minus the score of another point on fold
    :math:`k` of :math:`K`. The two points are tied if :math:`\bar d \le \sqrt{\mathrm{var}(d) /
    K}`, the standard error of :math:`\bar d`. Among equally simple points, the one with the best
    mean is returned.

    ``scores`` has shape (n_folds, n_points), larger is better; ``simpler`` has the parameters of
    which smaller values are simpler, the most important first.
    """
    mean = scores.mean(axis=0)
    loss = scores[:, [np.argmax(mean)]] - scores
    error = loss.std(axis=0, ddof=1) / np.sqrt(len(scores)) if len(scores) > 1 else 0.0
    ties = np.flatnonzero(loss.mean(axis=0) <= error)

    def order(point: int) -> tuple[float, ...]:
        return (*(points[point].get(name, 0) for name in simpler), -mean[point])

    return min(map(int, ties), key=order)


@dataclass(frozen=True, slots=True, eq=False)
class _PointResult:
    """Result of one grid point on a fold; "zsl" has no curve and no predictions."""

    row: dict[str, float]
    curve: SeenUnseenCurve | None = None
    predictions: FoldPredictions | None = None


def _check_folds(dataset: ZSLDataset, split: Split) -> None:
    name = f"{dataset.name}, split {split.name!r}"
    if not split.folds:
        raise DatasetError(
            f"{name}: expected folds to choose parameters on; got no folds. Give the parameters, "
            "or import the split with its lists of train and val classes."
        )
    for k, fold in enumerate(split.folds):
        train, val = np.unique(dataset.labels[fold.train]), np.unique(dataset.labels[fold.val])
        shared = np.intersect1d(train, val)
        if not len(train) or not len(val) or shared.size:
            raise DatasetError(
                f"{name}: fold {k} needs train and val rows of disjoint classes; got "
                f"{len(train)} and {len(val)} classes, {shared.size} in both."
            )
        if len(train) == 1:
            raise DatasetError(
                f"{name}: fold {k} needs train rows of at least two classes; got one, "
                f"{dataset.class_names[train[0]]!r}, of {len(split.seen_classes)} seen classes. "
                "Give the parameters, or import the data with more seen classes."
            )


@dataclass(frozen=True, slots=True)
class Oracle:
    """The best metrics on a grid, chosen on the test set: an upper bound, never a result.

    ``harmonic`` is the best H over parameters and gamma, reached at ``gzsl_params`` and ``gamma``;
    all three are None without seen test samples.
    """

    zsl: float
    zsl_params: dict[str, Any]
    harmonic: float | None = None
    gamma: float | None = None
    gzsl_params: dict[str, Any] | None = None
