"""The contract of a method: fit on seen classes, score any candidates.

By its signature, ``fit`` of an inductive method receives no unseen prototype; transductive methods
have keyword arguments for test images and candidates. ZSL, GZSL, calibrated stacking, AUSUC and
top-k are all computed from one score matrix.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache, partial
from numbers import Real
from typing import (
    Annotated,
    Any,
    ClassVar,
    Literal,
    NamedTuple,
    Self,
    get_args,
    get_origin,
    get_type_hints,
)

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from zslcore.exceptions import DatasetError, MethodError, ParameterError, closest_name
from zslcore.features import Features, as_array, project, require_finite
from zslcore.methods.score_map import ScoreMap, Scorer, linear

Family = Literal[
    "closed form",
    "ranking",
    "neural",
    "attribute",
    "hybrid",
    "generative",
    "latent",
    "feature generating",
    "modern",
]
Params = Mapping[str, Any]
#: Effect of a larger value of a parameter on the regularisation.
Effect = Literal["stronger", "weaker"]


#: Largest allowed value of features and prototypes; squares of larger values, or sums of such
#: squares, can overflow float64.
LARGEST = 1e150


class Scoring(NamedTuple):
    """Checked training and test rows, with prototypes ``S`` and ``candidates`` as float64."""

    X: Features
    y: np.ndarray
    S: np.ndarray
    X_test: Features
    candidates: np.ndarray


@dataclass(frozen=True, slots=True)
class MethodCard:
    """Facts about a method that are needed to interpret its numbers.

    Attributes
    ----------
    name, title, authors, year, url : the paper
    family : kind of method, following the groups of the benchmark (Xian et al., TPAMI 2019)
    idea : the idea in one sentence
    formula : the computation in LaTeX, with the names of variables in the code
    requires : requirements on the data beyond features and prototypes; empty if none
    departure : differences between defaults and paper, and their reason; empty if none
    depends_on_candidates : reason why scores depend on the other candidates; empty if they do not
    joint_space : True if features and prototypes must be in one space
    stochastic : True if ``random_state`` changes the scores
    transductive : True if the method is also fitted on unlabelled test images
    extra : optional dependencies that fitting needs, by the name of the extra; empty if none
    """

    name: str
    year: int
    family: Family
    title: str
    authors: str
    url: str
    idea: str
    formula: str
    requires: str = ""
    departure: str = ""
    depends_on_candidates: str = ""
    joint_space: bool = False
    stochastic: bool = False
    transductive: bool = False
    extra: str = ""

    @property
    def in_default_comparison(self) -> bool:
        """Whether comparisons run the method by default.

        False for methods that need features and prototypes in one space, and for feature generating
        networks, which take minutes and are in no comparison of :mod:`zslcore.analysis.papers`.
        """
        return not self.joint_space and self.family != "feature generating"


class ZSLEstimator(BaseEstimator, ABC):
    """Estimator that scores unseen classes from their prototypes.

    A subclass is a ``@dataclass(eq=False, repr=False)`` with its parameters as fields, checked by
    their annotations (see :meth:`_check_params`), or has an ``__init__`` that stores its arguments.
    ``fit`` sets attributes that end in ``_`` and returns ``self``; scoring changes no attribute.
    Fitting and scoring convert and check arrays with :meth:`_check_training` and
    :meth:`_check_scoring`.
    :class:`zslcore.evaluation.protocol.Problem` calls methods, checks the scores and re-raises
    numerical errors.

    Attributes
    ----------
    param_grid : mapping from parameter to the values tried when parameters are chosen
    revision : increased when the same data and parameters give new numbers
    value_revisions : the same for single values of parameters: mapping from (parameter, value) to
        the revision of results with this value
    complexity_order : parameters for which a smaller value gives a simpler model, the most
        important first; if not empty, the simplest grid point within one standard error of the best
        is chosen, see :func:`zslcore.evaluation.protocol.select`
    variants : parameters of the variants that papers report under one name, the usual variant first
    shared_grid_params : parameters in which grid points may differ and still share computations
    regularizers : mapping from parameters that limit overfitting to the seen classes to the effect
        of a larger value on the regularisation: "stronger" for ridge weights, "weaker" for inverse
        ridge weights and for epochs of methods with early stopping
    predicted_attributes : "no", "regressed" or "implied"
        Whether the method predicts attributes of an image before it computes scores, see
        :meth:`attribute_grid`: "regressed" if it is fitted to the attributes; "implied" if it is
        fitted to scores, so that the scale of the predicted attributes is arbitrary.
    iterative : True if fitting is iterative (epochs, a solver, one matrix per class) and may take
        minutes on real data; False if it is one pass and one decomposition
    shared_classifier : name of the classifiers of seen classes that several methods fit first, with
        the same parameters, see :mod:`zslcore.methods.classifiers`; empty if not shared
    seen_penalty : callable(X) -> array of shape (n_samples,), or None
        Penalty from a novelty detector. The scores of seen and of unseen classes are first shifted
        so that the best score of each group is 0; then the penalty is subtracted from the scores
        of seen classes.
    on_epoch : callable(epoch, loss) or None
        Called after each epoch, counted from 1, by methods that train in epochs. An exception in it
        ends the training. It is not a parameter, as it changes no numbers; clones keep it.
    """

    card: ClassVar[MethodCard]
    param_grid: ClassVar[Mapping[str, tuple[Any, ...]]]
    revision: ClassVar[int] = 1
    value_revisions: ClassVar[Mapping[tuple[str, Any], int]] = {}
    complexity_order: ClassVar[tuple[str, ...]] = ()
    variants: ClassVar[tuple[dict[str, Any], ...]] = ()
    shared_grid_params: ClassVar[tuple[str, ...]] = ()
    regularizers: ClassVar[Mapping[str, Effect]] = {}
    predicted_attributes: ClassVar[Literal["no", "regressed", "implied"]] = "no"
    iterative: ClassVar[bool] = False
    shared_classifier: ClassVar[str] = ""
    seen_penalty: Callable[[Features], np.ndarray] | None = None
    on_epoch: Callable[[int, float], None] | None = None

    @abstractmethod
    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Learn from seen classes.

        Parameters
        ----------
        X : array or FeatureView of shape (n_samples, n_features)
        y : int array of shape (n_samples,), rows of ``prototypes``
        prototypes : array of shape (n_seen_classes, n_attributes)
        """

    @abstractmethod
    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the score of each sample for each candidate.

        Parameters
        ----------
        X : array or FeatureView of shape (n_samples, n_features)
        prototypes : array of shape (n_candidates, n_attributes)

        Returns
        -------
        float64 array of shape (n_samples, n_candidates), larger for a better match
            The score for a candidate does not depend on the other candidates, unless the card
            states a reason.
        """

    def __sklearn_clone__(self) -> Self:
        copy = super().__sklearn_clone__()
        if self.on_epoch is not None:
            copy.on_epoch = self.on_epoch
        return copy

    @classmethod
    def hints(cls) -> Mapping[str, Any]:
        """Return the annotations of the parameters by name, for menus and the command line."""
        return _hints(cls)

    @classmethod
    def revisions_among(cls, values: Mapping[str, Iterable[Any]]) -> dict[str, int]:
        """Return the entries of ``value_revisions`` for ``values``, values of each parameter."""
        return {
            f"{cls.card.name} {name}={value}": revision
            for (name, value), revision in cls.value_revisions.items()
            if value in values.get(name, ())
        }

    def predict(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the row of ``prototypes`` with the highest score for each sample."""
        return self.decision_function(X, prototypes).argmax(axis=1)

    def score_map(self, prototypes: np.ndarray) -> Scorer:
        """Return :meth:`decision_function` with fixed candidates.

        The result is a ScoreMap, or callable(block) -> scores if scores are not inner products.
        Scores are the same up to rounding; terms that depend only on the candidates are computed in
        advance. Raises a ParameterError for a method with a novelty detector, since its penalty is
        not part of the scores.
        """
        if self.seen_penalty is not None:
            raise ParameterError(
                f"{self.card.name}: a novelty detector decides between seen and unseen classes; "
                "expected a method that decides by scores alone."
            )
        return partial(self.decision_function, prototypes=prototypes)

    def planned_epochs(self, grid: Iterable[Params]) -> tuple[int, ...]:
        """Return the number of epochs of each training for ``grid``; () for other methods."""
        return ()

    def fit_grid(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, grid: Iterable[Params]
    ) -> Iterator[Self]:
        """Yield a fitted copy for each point of ``grid``."""
        for params in grid:
            model = clone(self).set_params(**params)
            if (fitted := model.fit(X, y, prototypes)) is not model:
                raise MethodError(
                    f"{self.card.name}: expected fit to return self; got {type(fitted).__name__}."
                )
            yield model

    def score_grid(
        self,
        X: Features,
        y: np.ndarray,
        prototypes: np.ndarray,
        grid: Iterable[Params],
        X_test: Features,
        candidates: np.ndarray,
    ) -> Iterator[np.ndarray]:
        """Yield the scores of ``X_test`` against ``candidates`` for each point of ``grid``.

        This equals one ``fit`` and one ``decision_function`` per point. Points that differ only in
        ``shared_grid_params`` are scored together; closed forms, for example, share one
        decomposition.
        """
        yield from self._scores_of_grid(
            self._scoring(X, y, prototypes, X_test, candidates), list(grid)
        )

    def attribute_grid(
        self,
        X: Features,
        y: np.ndarray,
        prototypes: np.ndarray,
        grid: Iterable[Params],
        X_test: Features,
    ) -> Iterator[np.ndarray]:
        r"""Yield the attributes predicted for ``X_test`` at each point of ``grid``.

        For methods with ``predicted_attributes``: float64 arrays of shape (n_test, n_attributes).
        This default is for scores that are linear in the prototype, :math:`F(x, c) = f(x)^\top
        s_c`: the scores of unit vectors are :math:`f(x)`.
        """
        unit_vectors = np.eye(np.shape(prototypes)[1])
        yield from self._attributes(
            self._scoring(X, y, prototypes, X_test, unit_vectors), list(grid)
        )

    def _scoring(
        self, X: Features, y: np.ndarray, S: np.ndarray, X_test: Features, candidates: np.ndarray
    ) -> Scoring:
        """Convert the arrays of a grid, and refuse arrays that do not match."""
        training = self._check_training(X, y, S)
        X_test, candidates = self._as_arrays(features=X_test, prototypes=candidates)
        return Scoring(*training, X_test, np.asarray(candidates, dtype=np.float64))

    def _scores_of_grid(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score all points, together if they differ only in ``shared_grid_params``."""
        for params in grid:  # check all points before the first fit
            clone(self).set_params(**params)._check_params()
        together = self.shared_grid_params and all(
            set(params) <= set(self.shared_grid_params) for params in grid
        )
        score = self._score_together if together and len(grid) > 1 else self._score_each
        return score(scoring, grid)

    def _attributes(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Yield the predicted attributes: the scores of the unit vectors ``scoring.candidates``."""
        return self._scores_of_grid(scoring, grid)

    def _score_each(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Fit and score each point of ``grid`` separately."""
        for model in self.fit_grid(scoring.X, scoring.y, scoring.S, grid):
            yield model.decision_function(scoring.X_test, scoring.candidates)

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score points that differ only in ``shared_grid_params``."""
        raise NotImplementedError

    def _check_params(self) -> None:
        """Refuse invalid parameter values; called before each fit.

        The annotation of a parameter defines its valid values: the choices of a ``Literal``, True
        and False for ``bool``, whole numbers from 1 for ``int``, numbers above 0 for ``float``, and
        None if it is one of the types. ``device``, ``random_state``, ``Annotated`` parameters and
        the parameters of an own ``__init__`` are left to overriding methods.
        """
        if not _has_fields(type(self)):
            return
        for name, kind in self.hints().items():
            if name in ("device", "random_state") or get_origin(kind) is Annotated:
                continue
            if get_origin(kind) is Literal:
                self._check_choice(name, get_args(kind))
            elif kind is bool:
                self._check_choice(name, (True, False))
            elif getattr(self, name) is None and type(None) in get_args(kind):
                continue
            elif int in (kind, *get_args(kind)):
                self._check_count(name)
            elif float in (kind, *get_args(kind)):
                self._check_positive(name)

    def _check_training(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray
    ) -> tuple[Features, np.ndarray, np.ndarray]:
        """Convert the arrays of ``fit`` and refuse arrays that do not match.

        Returns (X, y, S) with y as intp and S as float64.
        """
        self._check_params()
        name = self.card.name
        X, y, S = self._as_arrays(features=X, labels=y, prototypes=prototypes)
        S = np.asarray(S, dtype=np.float64)
        if X.ndim != 2 or S.ndim != 2 or y.shape != X.shape[:1] or 0 in (*X.shape, S.shape[1]):
            raise DatasetError(
                f"{name}: expected features (n, d), labels (n,) and prototypes (c, a) with n, d "
                f"and a > 0; got {X.shape}, {y.shape} and {S.shape}."
            )
        if y.dtype.kind not in "iu" or y.min() < 0 or y.max() >= len(S):
            raise DatasetError(
                f"{name}: labels must be rows of prototypes, 0..{len(S) - 1}; "
                f"got {y.min()}..{y.max()} as {y.dtype}."
            )
        y = np.array(y, dtype=np.intp)  # PyTorch refuses read-only and reversed arrays
        self._check_finite(X, S)
        self.n_features_in_, self.n_attributes_in_ = X.shape[1], S.shape[1]
        return X, y, S

    def _check_scoring(self, X: Features, prototypes: np.ndarray) -> tuple[Features, np.ndarray]:
        """Convert the arrays of scoring; refuse numbers of columns that differ from fitting.

        Returns (X, S) with S as float64.
        """
        check_is_fitted(self)
        X, S = self._as_arrays(features=X, prototypes=prototypes)
        S = np.asarray(S, dtype=np.float64)
        expected = (self.n_features_in_, self.n_attributes_in_)
        if X.ndim != 2 or S.ndim != 2 or (X.shape[1], S.shape[1]) != expected:
            raise DatasetError(
                f"{self.card.name}: fitted on {expected[0]} features and {expected[1]} attributes; "
                f"got features {X.shape} and prototypes {S.shape}."
            )
        self._check_finite(X, S)
        return X, S

    def _check_candidates(self, prototypes: np.ndarray) -> np.ndarray:
        """Return S for scoring; refuse a number of columns that differs from fitting."""
        check_is_fitted(self)
        return self._check_scoring(np.empty((0, self.n_features_in_)), prototypes)[1]

    def _as_arrays(self, **arrays: Any) -> Iterator[Any]:
        """Yield the arguments as numeric arrays, in order; error messages have their names."""
        return (as_array(A, f"{self.card.name}, {name}") for name, A in arrays.items())

    def _check_finite(self, X: Features, S: np.ndarray) -> None:
        """Refuse values without finite squares; a FeatureView checks its values on reading."""
        for array, name in ((S, "prototypes"), (X, "features")):
            if not isinstance(array, np.ndarray):
                continue
            require_finite(array, f"{self.card.name}, {name}")
            if array.dtype != np.float64:
                continue
            largest = max(array.max(initial=0), -array.min(initial=0))
            if largest > LARGEST:
                raise DatasetError(
                    f"{self.card.name}: expected {name} up to {LARGEST:g}, with a finite sum of "
                    f"squares; got {largest:g}; scale them."
                )

    def _check_positive(self, *names: str) -> None:
        """Refuse parameters that are not positive numbers."""
        for name in names:
            value = getattr(self, name)
            is_number = isinstance(value, Real)
            if not is_number or not 0 < value < np.inf:
                raise ParameterError(
                    f"{self.card.name}: {name} must be a positive number; got {value!r}."
                )

    def _check_count(self, *names: str) -> None:
        """Refuse parameters that are not whole numbers from 1."""
        for name in names:
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise ParameterError(
                    f"{self.card.name}: {name} must be a whole number of at least 1; got {value!r}."
                )

    def _check_choice(self, name: str, choices: tuple[Any, ...]) -> None:
        """Refuse a parameter that is not one of ``choices``."""
        if getattr(self, name) not in choices:
            raise ParameterError(
                f"{self.card.name}: {name} must be one of {', '.join(map(repr, choices))}; "
                f"got {getattr(self, name)!r}."
            )


#: Annotation of a number from 0 to 1; the method decides whether 0 and 1 are valid.
Share = Annotated[float, "in 0..1"]


def _has_fields(method: type) -> bool:
    """Return whether parameters are dataclass fields, not arguments of an own ``__init__``."""
    owner = next(base for base in method.__mro__ if "__init__" in vars(base))
    return "__dataclass_fields__" in vars(owner)


@cache
def _hints(method: type[ZSLEstimator]) -> Mapping[str, Any]:
    """Return the annotations of a method's parameters."""
    if _has_fields(method):
        hints = get_type_hints(method, include_extras=True)
        return {field.name: hints[field.name] for field in fields(method)}
    hints = get_type_hints(method.__init__, include_extras=True)
    return {name: hint for name, hint in hints.items() if name != "return"}


class CompatibilityModel(ZSLEstimator):
    r"""A bilinear score :math:`F(x, c) = x^\top V s_c`."""

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return ``X V S'``; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return project(X, self.V_) @ S.T

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        """Return :math:`f(x) = x V` and the prototypes; see :class:`ZSLEstimator`."""
        return ScoreMap(linear, (self.V_,), self._check_candidates(prototypes))


class TransductiveEstimator(ZSLEstimator):
    """A method that is also fitted on the unlabelled test images and their candidate classes.

    The transductive problem differs from the inductive problem, so transductive methods are in a
    separate registry, :data:`zslcore.methods.TRANSDUCTIVE`. ``takes_base`` is True for a method
    that extends any inductive method, named by its parameter ``base``.
    """

    takes_base: ClassVar[bool] = False

    def fit(
        self,
        X: Features,
        y: np.ndarray,
        prototypes: np.ndarray,
        *,
        unlabeled: Features | None = None,
        candidates: np.ndarray | None = None,
    ) -> Self:
        """Learn from seen classes and from unlabelled images.

        ``unlabeled`` has shape (n_unlabeled, n_features). ``candidates`` are the prototypes of the
        classes that these images may have, of shape (n_candidates, n_attributes).
        """
        training = self._check_training(X, y, prototypes)
        return self._fit(Scoring(*training, *self._check_unlabeled(unlabeled, candidates)))

    @abstractmethod
    def _fit(self, scoring: Scoring) -> Self:
        """Learn from the training rows, and from ``scoring.X_test`` as unlabelled images."""

    def inductive(self) -> ZSLEstimator | None:
        """Return the unfitted inductive method that this method extends; None if there is none."""
        return None

    def with_inductive(self, params: Mapping[str, Any]) -> Self:
        """Return a copy that extends :meth:`inductive` with these parameters."""
        current = self.get_params()
        return clone(self).set_params(**{k: v for k, v in params.items() if k in current})

    def _score_each(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Fit and score each point separately, with the test rows as unlabelled images."""
        for params in grid:
            model = clone(self).set_params(**params)
            model.fit(
                scoring.X,
                scoring.y,
                scoring.S,
                unlabeled=scoring.X_test,
                candidates=scoring.candidates,
            )
            yield model.decision_function(scoring.X_test, scoring.candidates)

    def _check_unlabeled(
        self, unlabeled: Features | None, candidates: np.ndarray | None
    ) -> tuple[Features, np.ndarray]:
        """Return (unlabeled, candidates); refuse missing arrays and wrong widths."""
        name = self.card.name
        if unlabeled is None or candidates is None:
            raise ParameterError(
                f"{name}: expected unlabeled= and candidates= in addition to the training data, as "
                "the method is transductive; got none."
            )
        unlabeled, candidates = self._as_arrays(features=unlabeled, prototypes=candidates)
        candidates = np.asarray(candidates, dtype=np.float64)
        expected = (self.n_features_in_, self.n_attributes_in_)
        shapes = (unlabeled.shape, candidates.shape)
        if tuple(shape[1:] for shape in shapes) != tuple((n,) for n in expected):
            raise DatasetError(
                f"{name}: expected unlabelled images of {expected[0]} features and candidates of "
                f"{expected[1]} attributes; got {shapes[0]} and {shapes[1]}."
            )
        self._check_finite(unlabeled, candidates)
        if not len(unlabeled) or not len(candidates):
            raise DatasetError(f"{name}: expected unlabelled images and candidates; got none.")
        return unlabeled, candidates


#: Inductive methods by name; :mod:`zslcore.methods` lists them.
METHODS: dict[str, type[ZSLEstimator]] = {}


def get_method(name: str) -> type[ZSLEstimator]:
    """Return the class of a method by name; the error for a misspelt name suggests the closest."""
    if name not in METHODS:
        raise closest_name("method", name, METHODS)
    return METHODS[name]


def with_seed(method: ZSLEstimator, seed: int) -> ZSLEstimator:
    """Return a copy of ``method``, with ``seed`` as its ``random_state`` if it has one."""
    seeded = {"random_state": seed} if "random_state" in method.get_params() else {}
    return clone(method).set_params(**seeded)
