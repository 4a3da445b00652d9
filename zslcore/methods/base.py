"""The contract of a method: fit on seen classes, score any candidates.

Training of an inductive method receives no unseen prototype, by its signature; transductive methods
take test images and candidates by name. ZSL, GZSL, calibrated stacking, AUSUC and top-k all read
one score matrix.
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


#: Largest feature or prototype: sums of squares of larger ones leave the range of float64.
LARGEST = 1e150


class Scoring(NamedTuple):
    """Checked training rows, test rows and candidates; S and candidates are float64."""

    X: Features
    y: np.ndarray
    S: np.ndarray
    X_test: Features
    candidates: np.ndarray


@dataclass(frozen=True, slots=True)
class MethodCard:
    """Facts that a reader needs before trusting the numbers of a method.

    Attributes
    ----------
    name, title, authors, year, url : the paper
    family : how the method works, as the benchmark groups methods
    idea : one sentence
    formula : what is computed, in LaTeX, with the letters of the code
    requires : of the data, beyond features and prototypes; empty for nothing
    departure : differences of the defaults from the paper, and their reason; empty for none
    depends_on_candidates : reason why scores depend on the other candidates; empty if they do not
    joint_space : True when features and prototypes have to lie in one space
    stochastic : True when ``random_state`` changes the numbers
    transductive : True when it is fitted on unlabelled test images as well
    extra : of the installation, which fitting needs; empty where the core suffices
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
        """Whether comparisons run the method unless methods are named.

        Not where features and prototypes have to lie in one space, nor where a network is trained
        to generate features, which takes minutes and is in none of the papers' comparisons.
        """
        return not self.joint_space and self.family != "feature generating"


class ZSLEstimator(BaseEstimator, ABC):
    """Scores classes it has never seen, given only their prototypes.

    A subclass is a ``@dataclass(eq=False, repr=False)`` whose fields are its parameters, checked by
    their annotations (see :meth:`_check_params`), or has an ``__init__`` that stores its arguments.
    ``fit`` learns attributes that end in ``_`` and returns ``self``, scoring changes nothing. Both
    convert and check their arrays by :meth:`_check_training` and :meth:`_check_scoring`; scores and
    numerical errors are checked by :class:`zslcore.evaluation.protocol.Problem`, which calls them.

    Attributes
    ----------
    param_grid : mapping from parameter to the values tried when parameters are chosen
    revision : counted up when the same data and parameters give other numbers than before
    complexity_order : names of parameters whose smaller value is the simpler model, the weightiest
        first; where it names any, the simplest of the points of the grid within one standard error
        of the best is chosen, see :func:`zslcore.evaluation.protocol.select`
    variants : parameters that the papers report under one name, the first being the usual one
    shared_grid_params : names of parameters that a grid may vary while its points share their work
    regularizers : mapping from parameter to the effect of a larger value on the regularisation
        Parameters that hold the fit to the seen classes back: ridges are "stronger", their inverses
        and the epochs of methods that stop early "weaker".
    predicted_attributes : "no", "regressed" or "implied"
        Whether the method sends an image to attributes on its way to a score, see
        :meth:`attribute_grid`: fitted to the attributes themselves, or to scores, so that they are
        on a scale of their own.
    iterative : True when fitting goes step by step (epochs, a solver, a matrix a class) and so may
        take minutes on real data; False when it is one pass and one decomposition
    shared_classifier : name of the classifiers of seen classes that it fits first, where other
        methods fit the same, see :mod:`zslcore.methods.classifiers`; empty where none does
        Methods with one name have to fit them by the same parameters.
    seen_penalty : callable(X) -> array of shape (n_samples,), or None
        Novelty detector: subtracted from the scores of the seen side of every sample, in addition
        to its best score.
    on_epoch : callable(epoch, loss) or None
        Called by methods that train in epochs after each of them, the first being 1. An error that
        it raises ends the training. No parameter: it changes no numbers, and copies of the method
        keep it.
    """

    card: ClassVar[MethodCard]
    param_grid: ClassVar[Mapping[str, tuple[Any, ...]]]
    revision: ClassVar[int] = 1
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
        """Score every sample against every candidate.

        Parameters
        ----------
        X : array or FeatureView of shape (n_samples, n_features)
        prototypes : array of shape (n_candidates, n_attributes)

        Returns
        -------
        float64 array of shape (n_samples, n_candidates), larger is closer
            It does not depend on the other candidates, unless the card says why it does.
        """

    def __sklearn_clone__(self) -> Self:
        copy = super().__sklearn_clone__()
        if self.on_epoch is not None:
            copy.on_epoch = self.on_epoch
        return copy

    @classmethod
    def hints(cls) -> Mapping[str, Any]:
        """Return the annotations of the parameters by name, as menus and the command line read."""
        return _hints(cls)

    def predict(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the row of ``prototypes`` that scores highest, for every sample."""
        return self.decision_function(X, prototypes).argmax(axis=1)

    def score_map(self, prototypes: np.ndarray) -> Scorer:
        """Return :meth:`decision_function` for these candidates, prepared as far as possible.

        A ScoreMap, or callable(block) -> scores where they are no inner products: it gives the same
        scores, to rounding, with all that depends on the candidates alone made beforehand. Raises a
        ParameterError when a novelty detector decides between the sides, of which scores know
        nothing.
        """
        if self.seen_penalty is not None:
            raise ParameterError(
                f"{self.card.name}: a novelty detector decides between seen and unseen classes; "
                "expected a method whose scores alone do."
            )
        return partial(_decide, self, prototypes)

    def planned_epochs(self, grid: Iterable[Params]) -> tuple[int, ...]:
        """Return the epochs of every training that ``grid`` takes; none for other methods."""
        return ()

    def fit_grid(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, grid: Iterable[Params]
    ) -> Iterator[Self]:
        """Yield a copy fitted with every point of ``grid``."""
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
        """Yield the scores of ``X_test`` against ``candidates`` for every point of ``grid``.

        Equals one ``fit`` and one ``decision_function`` a point. Where several points differ in
        nothing but parameters of ``shared_grid_params``, they are scored together, closed forms for
        example from one decomposition.
        """
        grid = list(grid)
        for params in grid:  # before the first of them costs anything
            clone(self).set_params(**params)._check_params()
        together = self.shared_grid_params and all(
            set(params) <= set(self.shared_grid_params) for params in grid
        )
        score = self._score_together if together and len(grid) > 1 else self._score_each
        training = self._check_training(X, y, prototypes)
        X_test, candidates = self._as_arrays(features=X_test, prototypes=candidates)
        yield from score(Scoring(*training, X_test, np.asarray(candidates, dtype=np.float64)), grid)

    def attribute_grid(
        self,
        X: Features,
        y: np.ndarray,
        prototypes: np.ndarray,
        grid: Iterable[Params],
        X_test: Features,
    ) -> Iterator[np.ndarray]:
        r"""Yield the attributes predicted for ``X_test`` at every point of ``grid``.

        For methods that have ``predicted_attributes``: float64 arrays of shape (n_test,
        n_attributes). Here for those whose score is linear in the prototype, :math:`F(x, c) =
        f(x)^\top s_c`: the scores of unit vectors are :math:`f(x)`.
        """
        unit_vectors = np.eye(np.shape(prototypes)[1])
        return self.score_grid(X, y, prototypes, grid, X_test, unit_vectors)

    def _score_each(self, on: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Fit and score every point of ``grid`` by itself."""
        for model in self.fit_grid(on.X, on.y, on.S, grid):
            yield model.decision_function(on.X_test, on.candidates)

    def _score_together(self, on: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score points that differ in nothing but parameters of ``shared_grid_params``."""
        raise NotImplementedError

    def _check_params(self) -> None:
        """Refuse parameters for which the formula means nothing; called before every fit.

        What a parameter may be, its annotation says: a ``Literal`` one of its choices, ``int`` a
        whole number from 1, ``float`` a number above 0. Others are checked by their method.
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
        """Convert the arrays of ``fit`` and refuse those that do not fit together.

        Returns (X, y, S) with y intp and S float64, as the formulas take them.
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
        y = np.array(y, dtype=np.intp)  # PyTorch takes no read-only, reversed or swapped ones
        self._check_finite(X, S)
        self.n_features_in_, self.n_attributes_in_ = X.shape[1], S.shape[1]
        return X, y, S

    def _check_scoring(self, X: Features, prototypes: np.ndarray) -> tuple[Features, np.ndarray]:
        """Convert the arrays of scoring and refuse other widths than those fitted on.

        Returns (X, S) with S float64.
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
        """Return S for scoring, refusing another width than that fitted on."""
        check_is_fitted(self)
        return self._check_scoring(np.empty((0, self.n_features_in_)), prototypes)[1]

    def _as_arrays(self, **arrays: Any) -> Iterator[Any]:
        """Yield arguments as arrays of numbers, in their order; names are for the refusal."""
        return (as_array(A, f"{self.card.name}, {name}") for name, A in arrays.items())

    def _check_finite(self, X: Features, S: np.ndarray) -> None:
        """Refuse values with squares that are not finite; a view checks its own on reading."""
        for array, name in ((S, "prototypes"), (X, "features")):
            if not isinstance(array, np.ndarray):
                continue
            require_finite(array, f"{self.card.name}, {name}")
            if array.dtype != np.float64:
                continue
            largest = max(array.max(initial=0), -array.min(initial=0))
            if largest > LARGEST:
                raise DatasetError(
                    f"{self.card.name}: expected {name} up to {LARGEST:g}, whose squares have a "
                    f"finite sum; got {largest:g}; scale them."
                )

    def _check_positive(self, *names: str) -> None:
        """Refuse parameters that must be greater than zero and are not."""
        for name in names:
            value = getattr(self, name)
            is_number = isinstance(value, Real)
            if not is_number or not 0 < value < np.inf:
                raise ParameterError(
                    f"{self.card.name}: {name} must be a positive number; got {value!r}."
                )

    def _check_count(self, *names: str) -> None:
        """Refuse parameters that must be whole numbers from 1 and are not."""
        for name in names:
            value = getattr(self, name)
            if not isinstance(value, (int, np.integer)) or value < 1:
                raise ParameterError(
                    f"{self.card.name}: {name} must be a whole number from 1; got {value!r}."
                )

    def _check_choice(self, name: str, choices: tuple[Any, ...]) -> None:
        """Refuse a parameter that is none of its choices."""
        if getattr(self, name) not in choices:
            raise ParameterError(
                f"{self.card.name}: {name} must be one of {', '.join(map(repr, choices))}; "
                f"got {getattr(self, name)!r}."
            )


def _decide(method: ZSLEstimator, prototypes: np.ndarray, X: Features) -> np.ndarray:
    return method.decision_function(X, prototypes)


#: A number in 0..1; which of the ends, its method says.
Share = Annotated[float, "in 0..1"]


def _owner_of_init(method: type) -> type:
    return next(base for base in method.__mro__ if "__init__" in vars(base))


def _has_fields(method: type) -> bool:
    """Return whether parameters are fields, and not arguments of an ``__init__`` written out."""
    return "__dataclass_fields__" in vars(_owner_of_init(method))


@cache
def _hints(method: type[ZSLEstimator]) -> Mapping[str, Any]:
    """Return the annotations of a method's parameters."""
    if _has_fields(method):
        hints = get_type_hints(method, include_extras=True)
        return {each.name: hints[each.name] for each in fields(method)}
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
    """A method fitted on the test images and their candidate classes as well.

    That is another problem than the inductive one, and its figures never stand in the same table:
    such methods have a registry of their own, :data:`zslcore.methods.TRANSDUCTIVE`. One that grows
    out of any inductive method, named by its parameter ``base``, says ``takes_base``.
    """

    takes_base: ClassVar[bool] = False

    @abstractmethod
    def fit(
        self,
        X: Features,
        y: np.ndarray,
        prototypes: np.ndarray,
        *,
        unlabeled: Features | None = None,
        candidates: np.ndarray | None = None,
    ) -> Self:
        """Learn from seen classes and from images without labels.

        ``unlabeled`` has shape (n_unlabeled, n_features), ``candidates`` (n_candidates,
        n_attributes): the classes they can be of.
        """

    def inductive(self) -> ZSLEstimator | None:
        """Return the unfitted method without unlabelled images, None where there is no such one."""
        return None

    def with_inductive(self, params: Mapping[str, Any]) -> Self:
        """Return a copy that grows out of :meth:`inductive` with these parameters."""
        own = self.get_params()
        return clone(self).set_params(**{k: v for k, v in params.items() if k in own})

    def _score_each(self, on: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Fit and score every point by itself, the test rows being the unlabelled images."""
        for params in grid:
            model = clone(self).set_params(**params)
            model.fit(on.X, on.y, on.S, unlabeled=on.X_test, candidates=on.candidates)
            yield model.decision_function(on.X_test, on.candidates)

    def _check_unlabeled(
        self, unlabeled: Features | None, candidates: np.ndarray | None
    ) -> tuple[Features, np.ndarray]:
        """Return (unlabeled, candidates), refusing missing arrays and other widths."""
        name = self.card.name
        if unlabeled is None or candidates is None:
            raise ParameterError(
                f"{name}: is transductive, expected unlabeled= and candidates= next to the "
                "training data."
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
            raise DatasetError(f"{name}: expected unlabelled images and candidates, got none.")
        return unlabeled, candidates


#: Inductive methods by name; :mod:`zslcore.methods` lists them.
METHODS: dict[str, type[ZSLEstimator]] = {}


def get_method(name: str) -> type[ZSLEstimator]:
    """Return the class of the method called ``name``; a misspelt name gets the nearest one."""
    if name not in METHODS:
        raise closest_name("method", name, METHODS)
    return METHODS[name]


def with_seed(method: ZSLEstimator, seed: int) -> ZSLEstimator:
    """Return a copy of ``method``, seeded when it is stochastic."""
    seeded = {"random_state": seed} if "random_state" in method.get_params() else {}
    return clone(method).set_params(**seeded)
