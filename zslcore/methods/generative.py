r"""Base of methods that generate features of unseen classes and train a softmax on them.

A generator trained on seen classes turns zero-shot learning into ordinary classification: features
of the unseen candidates are generated from their prototypes, and a softmax is trained on the
generated features and on real features of the seen candidates,

.. math:: \min_{W, b} \; \frac{1}{N} \sum_n \log \sum_c e^{F(x_n, c)} - F(x_n, y_n),
    \qquad F(x, c) = w_c^\top r(x) + b_c

where the representation :math:`r` of an image is its features or is computed from them. Papers
differ in the generator; everything else is in this module.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import ClassVar, Self
from zlib import crc32

import numpy as np
from scipy.linalg import eigh, qr
from sklearn.base import clone

from zslcore.exceptions import DatasetError, MethodError, ParameterError
from zslcore.features import Features, chunks, project
from zslcore.methods._networks import batches
from zslcore.methods._sgd import EpochModel, mean_square, renumber_classes
from zslcore.methods.base import Params, Scoring

#: Mini-batch size and learning rate of Adam for the softmax.
SOFTMAX_BATCH, SOFTMAX_RATE = 256, 1e-3

#: Additional directions in subspace iteration, and its number of rounds.
OVERSAMPLING, ROUNDS = 16, 4

#: Maximum number of candidate sets for which a model keeps its classifiers.
MAX_CLASSIFIERS = 4

#: Maximum bytes of generated representations; training the softmax takes about five times as much
#: memory.
MAX_GENERATED = 1 << 30
#: Minimum width of a generated row in the estimate of memory; for narrower rows, labels and orders
#: of rows need most of the memory.
MIN_WIDTH = 128

#: Learned attributes that all snapshots of one training share.
SHARED = frozenset(
    {"X_", "y_", "S_", "mean_", "components_", "prototype_mean_", "prototype_scale_"}
)


class GenerativeZSL(EpochModel):
    """A method that trains a softmax on real seen and generated unseen features.

    A subclass implements :meth:`train` and :meth:`generate`, in NumPy, PyTorch or any library, and
    :meth:`represent` if the input of the softmax is not the features. The base class projects
    features, finds the seen candidates, and trains and caches a softmax per set of candidates. Grid
    points that differ only in ``epochs``, ``n_synthetic`` and ``classifier_epochs`` share one
    training.

    Parameters
    ----------
    epochs : epochs of the generator; chosen on the folds
    n_synthetic : number of features generated per unseen candidate
    classifier_epochs : epochs of the softmax on real and generated features
    components : int or None
        Number of principal components of the training features that replace the features; None to
        keep the features.
    random_state : int

    Attributes
    ----------
    X_ : float32 array of shape (n_samples, n_components), the projected training features
        Centred; the mean square of all values is 1.
    y_ : int array of shape (n_samples,), classes of the rows of ``X_`` as rows of ``S_``
    S_ : array of shape (n_seen_classes, n_attributes), prototypes in order of appearance
    mean_ : array of shape (n_features,)
    components_ : array of shape (n_features, n_components)
    prototype_mean_, prototype_scale_ : array of shape (n_attributes,), float
        Subclasses receive prototypes minus the mean, times the scale; prototypes of seen classes
        then have mean 0, and mean square 1 over all values.
    classifiers_ : dict from candidate sets to weights of the softmax

    Notes
    -----
    By the contract, a method receives the prototypes of the candidates, but not which of them are
    seen. Here a candidate is seen if its prototype is bitwise equal to the prototype of a class
    with training rows. Classes with equal prototypes are indistinguishable: if one of them has
    training rows, all count as seen and share the rows.

    Candidates are sorted by their prototypes before random numbers are used, so results do not
    depend on their order.
    """

    early_stopping_params: ClassVar = ("epochs", "n_synthetic", "classifier_epochs")
    regularizers: ClassVar = {}

    @abstractmethod
    def train(
        self, X: np.ndarray, y: np.ndarray, S: np.ndarray, rng: np.random.Generator
    ) -> Iterator[float]:
        """Train the generator without end; yield the mean loss after each epoch.

        Attributes for :meth:`generate` and :meth:`represent` must end in ``_``; they are copied
        after each number of epochs in a grid.

        Parameters
        ----------
        X : float32 array of shape (n_samples, n_components), read-only
            The softmax is trained on the same rows.
        y : int array of shape (n_samples,), rows of ``S``, read-only
        S : float32 array of shape (n_seen_classes, n_attributes), scaled prototypes
        rng : the only source of random numbers
        """

    @abstractmethod
    def generate(self, prototypes: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
        """Draw ``n`` representations per class: array of shape (n_classes, n, n_dimensions).

        Prototypes are scaled as in :meth:`train`; ``rng`` is the only source of random numbers.
        """

    def represent(self, X: np.ndarray, rng: np.random.Generator | None = None) -> np.ndarray:
        """Return the input of the softmax; by default the projected features.

        For the training rows of the softmax, ``rng`` is passed, so that a method can return random
        representations; without ``rng``, the result must be deterministic.
        """
        return X

    def seen_rows(self, rows: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return the training rows of a seen candidate for the softmax, by default all ``rows``."""
        return rows

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return the logits of the softmax for these candidates; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return self._scores(self._project(X), S)

    def _score_each(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid, with one training of the softmax for all ``classifier_epochs``."""
        models = list(self.fit_grid(scoring.X, scoring.y, scoring.S, grid))
        S, projected = scoring.candidates, None
        for i, model in enumerate(models):
            if S.tobytes() not in model.classifiers_:
                same_softmax = [m for m in models[i:] if _share_softmax(m, model)]
                stops = [m.classifier_epochs for m in same_softmax]
                for softmax, W in zip(same_softmax, model._softmaxes(S, stops), strict=True):
                    softmax.classifiers_[S.tobytes()] = W
            if projected is None or model.components_ is not models[i - 1].components_:
                projected = model._project(model._check_scoring(scoring.X_test, S)[0])
            yield model._scores(projected, S)

    def _check_params(self) -> None:
        super()._check_params()
        self._check_count("epochs", "n_synthetic", "classifier_epochs")
        if self.components is not None:
            self._check_count("components")

    def _epochs(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, stops: Sequence[int]
    ) -> Iterator[int]:
        X, y, S = self._check_training(X, y, prototypes)
        self.mean_, self.components_ = principal_components(X, self.components)
        self.X_ = self._project(X).astype(np.float32)
        self.y_, self.S_ = renumber_classes(y, S)
        self.prototype_mean_ = self.S_.mean(axis=0)
        self.prototype_scale_ = np.sqrt(S.shape[1] / mean_square(S - self.prototype_mean_))
        rng = np.random.default_rng(self.random_state)
        arrays, checksums = (_read_only(self.X_), _read_only(self.y_)), self._checksums()
        losses = self.train(*arrays, self._conditions(self.S_), rng)
        for epoch, loss in enumerate(losses, 1):
            self.classifiers_: dict[bytes, np.ndarray] = {}
            self._report(epoch, loss)
            if epoch in stops:
                self._require_same(checksums)
                yield epoch
            if epoch == max(stops):
                return
        raise ParameterError(
            f"{self.card.name}: expected train to run for {max(stops)} epochs; it ended early."
        )

    def _checksums(self) -> dict[str, int]:
        """Return checksums of the training rows."""
        rows = {"X": self.X_, "y": self.y_}
        return {name: crc32(np.ascontiguousarray(a).data) for name, a in rows.items()}

    def _require_same(self, before: dict[str, int]) -> None:
        """Refuse a ``train`` that changed its arrays; PyTorch writes even to read-only arrays."""
        for name, checksum in self._checksums().items():
            if checksum != before[name]:
                raise MethodError(
                    f"{self.card.name}: train: expected {name} unchanged; train wrote to "
                    f"it. Write to {name}.copy(), in PyTorch to torch.tensor({name})."
                )

    def _copy(self, params: Params) -> Self:
        model = clone(self).set_params(**params)
        for name, value in vars(self).items():
            if name.endswith("_"):
                setattr(model, name, value if name in SHARED else deepcopy(value))
        return model

    def _project(self, X: Features) -> np.ndarray:
        return project(X, self.components_) - self.mean_ @ self.components_

    def _conditions(self, S: np.ndarray) -> np.ndarray:
        """Return prototypes centred and scaled for subclasses."""
        return ((S - self.prototype_mean_) * self.prototype_scale_).astype(np.float32)

    def _scores(self, projected: np.ndarray, S: np.ndarray) -> np.ndarray:
        W = self._classifier(S)
        R = np.asarray(self.represent(projected), dtype=np.float64)
        return R @ W[:-1] + W[-1]

    def _classifier(self, S: np.ndarray) -> np.ndarray:
        """Return the weights for these candidates; train them if they are not cached."""
        key = S.tobytes()
        if key not in self.classifiers_:
            while len(self.classifiers_) >= MAX_CLASSIFIERS:
                self.classifiers_.pop(next(iter(self.classifiers_)))
            (self.classifiers_[key],) = self._softmaxes(S, [self.classifier_epochs])
        return self.classifiers_[key]

    def _softmaxes(self, S: np.ndarray, stops: Sequence[int]) -> list[np.ndarray]:
        """Return weights, shape (n_dimensions + 1, n_candidates), after each number of epochs."""
        order = np.lexsort(S.T[::-1])
        rng = np.random.default_rng([self.random_state, 1])
        R, y = self._training_set(S[order], rng)
        path = softmax_path(R, y, len(S), stops, rng)
        return [W[:, np.argsort(order)] for W in path]

    def _training_set(
        self, S: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        """Return representations: real for seen candidates, generated for unseen candidates."""
        rows = [
            self.seen_rows(rows_of_class, rng) if len(rows_of_class) else rows_of_class
            for rows_of_class in self._training_rows(S)
        ]
        unseen = np.array([c for c in range(len(S)) if not len(rows[c])], dtype=int)
        self._require_memory(len(S), len(unseen), S.shape[1])
        real = np.concatenate(rows)
        parts: list[np.ndarray] = []
        if len(real):
            drawn = self.represent(self.X_[real], rng)
            parts.append(self._require_shape("represent", drawn, (len(real),)))
        if len(unseen):
            width = parts[0].shape[1] if parts else None
            drawn = self.generate(self._conditions(S[unseen]), self.n_synthetic, rng)
            drawn = self._require_shape("generate", drawn, (len(unseen), self.n_synthetic), width)
            parts.append(np.concatenate(list(drawn)))
        labels = [np.repeat(np.arange(len(S)), [len(of_class) for of_class in rows])]
        labels.append(np.repeat(unseen, self.n_synthetic))
        return np.concatenate(parts).astype(np.float32), np.concatenate(labels)

    def _require_memory(self, n_candidates: int, n_unseen: int, n_attributes: int) -> None:
        """Refuse an empty set of candidates, or more generated rows than fit into memory."""
        if not n_candidates:
            raise DatasetError(f"{self.card.name}: expected at least one candidate; got none.")
        width = max(self.represent(self.X_[:1]).shape[1], 2 * n_attributes, MIN_WIDTH)
        if (size := 4 * n_unseen * self.n_synthetic * width) > MAX_GENERATED:
            raise DatasetError(
                f"{self.card.name}: expected generated features of at most "
                f"{MAX_GENERATED / 1e9:.1f} GB; {n_unseen:,} unseen candidates with "
                f"{self.n_synthetic:,} each (n_synthetic) take {size / 1e9:.1f} GB."
            )

    def _require_shape(
        self, name: str, drawn: np.ndarray, shape: tuple[int, ...], width: int | None = None
    ) -> np.ndarray:
        """Return an array of a subclass; refuse other shapes, since row positions are labels."""
        drawn = np.asarray(drawn)
        if drawn.ndim != len(shape) + 1 or drawn.shape != (*shape, width or drawn.shape[-1]):
            expected = ", ".join(map(str, (*shape, width or "n_dimensions")))
            raise MethodError(
                f"{self.card.name}: {name}: expected an array of shape ({expected}); got "
                f"{drawn.shape}."
            )
        return drawn

    def _training_rows(self, S: np.ndarray) -> list[np.ndarray]:
        """Return the training rows of each candidate, none for unseen candidates."""
        rows_of_prototype: dict[bytes, list[int]] = {}
        for k, row in enumerate(self.S_ + 0.0):  # converts -0.0 to 0.0
            rows_of_prototype.setdefault(row.tobytes(), []).append(k)
        of_candidate = [rows_of_prototype.get(row.tobytes(), []) for row in S + 0.0]
        return [np.flatnonzero(np.isin(self.y_, classes)) for classes in of_candidate]


def _read_only(array: np.ndarray) -> np.ndarray:
    """Return a read-only view."""
    view = array.view()
    view.flags.writeable = False
    return view


def _share_softmax(a: GenerativeZSL, b: GenerativeZSL) -> bool:
    """Return whether two fitted models differ only in the epochs of the softmax."""
    params, other_params = a.get_params(), b.get_params()
    return params | {"classifier_epochs": 0} == other_params | {"classifier_epochs": 0}


def principal_components(X: Features, k: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean of the rows and their first ``k`` principal components.

    The components, of shape (n_features, k), are found by subspace iteration. They are orthogonal,
    have equal lengths such that the mean square of all projected values is 1, and have positive
    largest entries. If ``k`` is None or at least the number of features, the features are only
    scaled.
    """
    d = X.shape[1]
    mean = sum(block.sum(axis=0) for _, block in chunks(X)) / len(X)
    if k is None or k >= d:
        square = sum(float(((block - mean) ** 2).sum()) for _, block in chunks(X)) / len(X)
        return mean, np.eye(d) * np.sqrt(d / (square or d))
    width = min(d, k + OVERSAMPLING)
    CQ: np.ndarray = np.random.default_rng(0).normal(size=(d, width))
    Q = CQ
    for _ in range(ROUNDS):
        Q = qr(CQ, mode="economic")[0]
        CQ = sum((Z := block - mean).T @ (Z @ Q) for _, block in chunks(X)) / len(X)
    values, vectors = eigh(Q.T @ CQ, subset_by_index=(width - k, width - 1))
    V = Q @ vectors[:, ::-1]
    V *= np.sign(V[np.abs(V).argmax(axis=0), np.arange(k)])
    return mean, V / np.sqrt(float(np.maximum(values, 0).mean()) or 1.0)


def softmax_path(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    stops: Sequence[int],
    rng: np.random.Generator,
) -> list[np.ndarray]:
    r"""Train a softmax with Adam from zero weights; return its weights after each of ``stops``.

    .. math:: m \leftarrow \beta_1 m + (1 - \beta_1) g, \quad
        v \leftarrow \beta_2 v + (1 - \beta_2) g^2, \quad
        W \leftarrow W - \eta \, \frac{m / (1 - \beta_1^t)}{\sqrt{v / (1 - \beta_2^t)} + \epsilon}

    Rows are divided by the root of their mean square, so their scale does not matter. ``stops``
    are numbers of epochs. Weights are float64 of shape (n_dimensions + 1, n_classes), with the
    intercept in the last row.
    """
    scale = np.sqrt(mean_square(X) / X.shape[1])
    A = np.column_stack([X / np.float32(scale), np.ones(len(X), np.float32)])
    W = np.zeros((A.shape[1], n_classes), np.float32)
    m, v, step, path = np.zeros_like(W), np.zeros_like(W), 0, {}
    for epoch in range(1, max(stops) + 1):
        for rows in batches(len(A), SOFTMAX_BATCH, rng):
            step += 1
            _adam(W, m, v, _gradient(A[rows], y[rows], W), step)
        if epoch in stops:
            path[epoch] = W.astype(np.float64)
            path[epoch][:-1] /= scale
    return [path[epoch] for epoch in stops]


def _gradient(A: np.ndarray, y: np.ndarray, W: np.ndarray) -> np.ndarray:
    """Return the gradient of the mean cross-entropy of a mini-batch."""
    Z = A @ W
    P = np.exp(Z - Z.max(axis=1, keepdims=True))
    P /= P.sum(axis=1, keepdims=True)
    P[np.arange(len(y)), y] -= 1
    return A.T @ P / np.float32(len(y))


def _adam(W: np.ndarray, m: np.ndarray, v: np.ndarray, g: np.ndarray, t: int) -> None:
    """Take step ``t`` of Adam in place, counted from 1."""
    m += (g - m) * np.float32(0.1)
    v += (g * g - v) * np.float32(0.001)
    W -= np.float32(SOFTMAX_RATE / (1 - 0.9**t)) * m / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
