r"""Mini-batch descent on a ranking loss, shared by DEVISE, ALE, SJE and LATEM.

All four score with :math:`F(x, c) = \max_k x^\top V_k s_c`, with several matrices only in LATEM,
and keep wrong classes a margin :math:`\Delta` below the true class. With

.. math:: H_{nc} = \Delta + F(x_n, c) - F(x_n, y_n) \quad (c \ne y_n), \qquad H_{n y_n} = 0,

their losses are :math:`\frac{1}{N} \sum_{n,c} w_{nc} H_{nc}` with weights :math:`w \ge 0` that are
zero where :math:`H \le 0`; only :math:`w` differs. The gradient is :math:`X^\top G S / N`, where
:math:`G = w` except for :math:`G_{n y_n} = -\sum_c w_{nc}`: two matrix products per mini-batch,
without a loop over images.

The rows of this gradient are combinations of the prototypes of the seen classes. If there are fewer
seen classes than attributes, descent therefore updates :math:`W` in :math:`V = R + W S`, with one
column per class, where :math:`R` is the part of the initial :math:`V` that no gradient changes;
otherwise it updates :math:`V`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from sklearn.base import clone

from zslcore.exceptions import DatasetError, ParameterError
from zslcore.features import Features, chunks, project
from zslcore.methods.base import Params, Scoring, ZSLEstimator
from zslcore.storage.extras import extra

if TYPE_CHECKING:
    from torch import Tensor
    from torch import device as Device  # noqa: N812 - a class

#: Largest size in bytes of float32 training rows that are copied into memory. Larger training rows
#: are read per mini-batch, which makes an epoch about three times as long.
WORKING_BYTES = 1 << 30

#: Function that returns uniform random numbers, one per sample and class of a mini-batch.
Draw = Callable[[], "Tensor"]

#: Epochs between two prunings of the matrices of LATEM.
PRUNE_EVERY = 5


def on_device(name: str, device: str) -> Device:
    """Return ``device`` for PyTorch; refuse a device that this machine does not have."""
    with extra("torch", "torch", name):
        import torch  # imported here, since the import takes longer than most fits

    if device not in ("cpu", "cuda") or (device == "cuda" and not torch.cuda.is_available()):
        devices = "'cpu' or 'cuda'" if torch.cuda.is_available() else "'cpu' without CUDA"
        raise ParameterError(f"{name}: device must be {devices}; got {device!r}.")
    return torch.device(device)


class TrainingRows:
    """Rows of ``X`` as float32 tensors, selected by an array of row numbers.

    ``mean_square`` is the mean squared Euclidean length of the rows, or 1 if all rows are zero.
    """

    def __init__(self, X: Features, device: Device) -> None:
        import torch

        keep = 4 * X.shape[0] * X.shape[1] <= WORKING_BYTES
        copy = np.empty(X.shape, np.float32) if keep else None
        total = 0.0
        for part, block in chunks(X):
            total += float(np.vdot(block, block))
            if copy is not None:
                copy[part] = block
        self.mean_square = total / len(X) or 1.0
        self._source = X if copy is None else torch.from_numpy(copy).to(device)
        self._device = device

    def __getitem__(self, rows: np.ndarray) -> Tensor:
        import torch

        if isinstance(self._source, torch.Tensor):  # twice as fast as indexing with an array
            return self._source.index_select(0, torch.as_tensor(rows, device=self._device))
        return torch.as_tensor(self._source[rows], dtype=torch.float32, device=self._device)


def mean_square(A: np.ndarray) -> float:
    """Return the mean squared Euclidean length of the rows of ``A``, or 1 if all are zero."""
    return float(np.einsum("ij,ij->", A, A)) / len(A) or 1.0


def renumber_classes(y: np.ndarray, S: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Renumber classes by first appearance in ``y``, so that their old numbers do not matter.

    Classes without samples follow, sorted by their prototypes.
    """
    present, first = np.unique(y, return_index=True)
    absent = np.setdiff1d(np.arange(len(S)), present)
    absent = absent[np.lexsort(S[absent].T)]
    order = np.concatenate([present[np.argsort(first)], absent])
    return np.argsort(order)[y], S[order]


def first_violator(violates: Tensor, is_true: Tensor, draw: Draw) -> tuple[Tensor, Tensor]:
    """Go through the wrong classes in random order until one violates the margin.

    ``violates`` and ``is_true``, True for the true class, are bool tensors of shape (n_samples,
    n_classes); ``draw`` returns uniform numbers of that shape. Returns a bool tensor with True at
    the first violator of each row, if there is one, and the number of classes visited, shape
    (n_samples, 1).
    """
    draw_order = draw().masked_fill(is_true, -1)
    violator_place, column = draw_order.masked_fill(~violates, -1).max(dim=1, keepdim=True)
    violator = violates.new_zeros(violates.shape).scatter_(1, column, value=True) & violates
    return violator, (~is_true & (draw_order >= violator_place)).sum(dim=1, keepdim=True)


def violators(
    violates: Tensor, is_true: Tensor, which: Literal["all", "first", "one"], draw: Draw
) -> Tensor:
    """Return the violators that a step uses, as a bool tensor.

    With ``which="all"`` these are all violators; with "first" the first violator in a random order;
    with "one" a random wrong class, if it is a violator. For the tensors see
    :func:`first_violator`.
    """
    if which == "all":
        return violates
    if which == "first":
        return first_violator(violates, is_true, draw)[0]
    return first_violator(~is_true, is_true, draw)[0] & violates


class EpochModel(ZSLEstimator):
    """Base of methods trained in epochs: one run also gives the results of all shorter runs.

    ``early_stopping_params`` are the parameters that only determine when training ends.
    """

    iterative = True
    early_stopping_params: ClassVar[tuple[str, ...]] = ("epochs",)
    regularizers: ClassVar = {"epochs": "weaker"}

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Learn from seen classes; an exception in ``on_epoch(epoch, loss)`` ends the training."""
        for _ in self._epochs(X, y, prototypes, [self.epochs]):
            pass
        return self

    def fit_grid(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, grid: Iterable[Params]
    ) -> Iterator[Self]:
        """Yield one fitted model per grid point, with one run for all numbers of epochs."""
        grid = [{"epochs": self.epochs, **params} for params in grid]
        for params in grid:  # check all points before the first fit
            clone(self).set_params(**params)._check_params()
        fitted: dict[int, Self] = {}
        for i, params in enumerate(grid):
            if i not in fitted:
                run_params = self._run_key(params)
                same_run = [j for j in range(i, len(grid)) if self._run_key(grid[j]) == run_params]
                run = clone(self).set_params(**params)
                for epoch in run._epochs(X, y, prototypes, [grid[j]["epochs"] for j in same_run]):
                    for j in same_run:
                        if grid[j]["epochs"] == epoch:
                            fitted[j] = run._copy(grid[j])
            yield fitted.pop(i)

    def planned_epochs(self, grid: Iterable[Params]) -> tuple[int, ...]:
        """Return the number of epochs of each training in :meth:`fit_grid`, in order."""
        longest: dict[str, int] = {}
        for params in grid:
            run_params = repr(sorted(self._run_key(params).items()))
            longest[run_params] = max(longest.get(run_params, 0), params.get("epochs", self.epochs))
        return tuple(longest.values())

    def _run_key(self, params: Params) -> dict[str, Any]:
        """Return the parameters for which a separate training run is needed."""
        return {
            name: value for name, value in params.items() if name not in self.early_stopping_params
        }

    def _copy(self, params: Params) -> Self:
        """Return a model with the attributes learned so far, as if fitted with ``params``."""
        model = clone(self).set_params(**params)
        vars(model).update({k: v for k, v in vars(self).items() if k.endswith("_")})
        return model

    def _report(self, epoch: int, loss: float | Tensor) -> None:
        """Report an epoch, counted from 1, and its mean loss per sample."""
        if self.on_epoch is not None:
            self.on_epoch(epoch, float(loss))

    def _epochs(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, stops: Sequence[int]
    ) -> Iterator[int]:
        """Train; set the learned attributes and yield the epoch at each of ``stops``."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class RankingModel(EpochModel):
    """A model trained by mini-batch descent on a ranking loss.

    A step descends along the mean gradient of a mini-batch. Its length is ``learning_rate`` divided
    by the mean squared lengths of features and prototypes, and the initial matrices are scaled
    likewise: results do not depend on the scale of the data, and for rows of unit length,
    ``learning_rate`` is the rate in the papers.
    """

    learning_rate: float = 1.0
    epochs: int = 20
    margin: float = 1.0
    batch_size: int = 64
    average: bool = False
    device: Literal["cpu", "cuda"] = "cpu"
    random_state: int = 0

    def _matrices(self) -> tuple[int, float]:
        """Return the initial number of matrices, and the share of samples below which to prune."""
        return 1, 0.0

    def _weights(self, H: Tensor, is_true: Tensor, draw: Draw) -> Tensor:
        """Return w of shape (n_samples, n_classes); for the tensors see :func:`first_violator`."""
        raise NotImplementedError

    def _store_learned(self, V: np.ndarray) -> None:
        """Store ``V``, of shape (n_matrices, n_features, n_attributes), as learned."""
        self.V_ = V[0]

    def _epochs(
        self, X: Features, y: np.ndarray, prototypes: np.ndarray, stops: Sequence[int]
    ) -> Iterator[int]:
        X, y, S = self._check_training(X, y, prototypes)
        descent = _Descent(self, X, *renumber_classes(y, S))
        for epoch in range(1, max(stops) + 1):
            loss = descent.epoch()
            self._report(epoch, loss)
            if epoch in stops:
                self._store_learned(descent.solution())
                yield epoch

    def _score_each(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid, with one run for all numbers of epochs and one pass over ``X_test``."""
        S = scoring.candidates
        codes = [model._codes(S) for model in self.fit_grid(scoring.X, scoring.y, scoring.S, grid)]
        ends = np.cumsum([code.shape[1] for code in codes])
        for P in np.split(project(scoring.X_test, np.hstack(codes)), ends[:-1], axis=1):
            yield P.reshape(len(P), -1, len(S)).max(axis=1)

    def _codes(self, S: np.ndarray) -> np.ndarray:
        """Return V S' for all matrices, shape (n_features, n_matrices * n_candidates)."""
        return self.V_ @ S.T


class _Descent:
    """The state of one run: parameters, their average, and the random numbers."""

    def __init__(self, model: RankingModel, X: Features, y: np.ndarray, S: np.ndarray) -> None:
        device = on_device(model.card.name, model.device)
        import torch

        put = partial(torch.as_tensor, device=device)
        self.model, self.rows, self.y = model, TrainingRows(X, device), put(y)
        self.rng = np.random.default_rng(model.random_state)
        (D, C, A), (K, self.prune_below) = (X.shape[1], *S.shape), model._matrices()
        scale = self.rows.mean_square * mean_square(S)
        self.step_length = model.learning_rate / scale
        if self.step_length > np.finfo(np.float32).max:
            raise DatasetError(
                f"{model.card.name}: expected larger features and prototypes; got a mean square of "
                f"{scale:.3g}, for which a step overflows float32; scale them."
            )

        V = self.rng.normal(size=(D, K, A)) / np.sqrt(D * scale)
        self.basis = S if C < A else np.eye(A)
        # Exclude directions with hardly any variance in the prototypes: their large coefficients
        # would reduce the precision of W in float32.
        W = V @ np.linalg.pinv(self.basis, rcond=1e-4)
        self.rest = V - W @ self.basis

        self.W = put(W.reshape(D, -1), dtype=torch.float32)
        self.mean = self.W.clone() if model.average else None
        self.to_scores = put(self.basis @ S.T, dtype=torch.float32)
        self.to_gradient = None if C < A else put(S, dtype=torch.float32)
        self.classes, self.matrices = put(np.arange(C)), put(np.arange(K))
        self.n_steps, self.n_epochs, self.remaining = 0, 0, np.arange(K)

    def epoch(self) -> float:
        """Train on all rows once, in random order; return their mean loss."""
        N = len(self.y)
        used = self.W.new_zeros(len(self.remaining))
        loss = self.W.new_zeros(())
        order = self.rng.permutation(N)
        for start in range(0, N, self.model.batch_size):
            batch_loss, matrices = self._step(order[start : start + self.model.batch_size])
            loss += batch_loss
            if matrices is not None:
                used += matrices.bincount(minlength=len(used))
        self.n_epochs += 1
        if self.n_epochs % PRUNE_EVERY == 0:
            self._prune(used.cpu().numpy() / N)
        return float(loss) / N

    def _step(self, rows: np.ndarray) -> tuple[Tensor, Tensor | None]:
        """Take a step on one mini-batch; return its summed loss and the matrix used per sample."""
        X, y, B, K = self.rows[rows], self.y[rows][:, None], len(rows), len(self.remaining)
        P = (X @ self.W).reshape(B, K, -1) @ self.to_scores
        F, k = (P[:, 0], None) if K == 1 else P.max(dim=1)
        is_true = y == self.classes
        H = (self.model.margin + F).sub_(F.gather(1, y)).scatter_(1, y, 0)
        G = self.model._weights(H, is_true, lambda: self._uniform(F)).to(F.dtype)  # w
        loss = (G * H).sum()

        G = G.scatter(1, y, -G.sum(dim=1, keepdim=True))
        if k is not None:
            G = (G[:, None] * (k[:, None] == self.matrices[:K, None])).reshape(B, -1)
        if self.to_gradient is not None:
            G = (G.reshape(B, K, -1) @ self.to_gradient).reshape(B, -1)
        # Compute the gradient before adding it to W: some BLAS libraries would otherwise add the
        # product to W row by row, and round each partial sum to the precision of W.
        self.W.sub_(X.T @ G, alpha=self.step_length / B)
        self.n_steps += 1
        if self.mean is not None:
            self.mean.lerp_(self.W, 1 / self.n_steps)
        return loss, None if k is None else k.gather(1, y)[:, 0]

    def _uniform(self, like: Tensor) -> Tensor:
        """Return uniform random numbers that are the same on all devices."""
        return like.new_tensor(self.rng.random(like.shape, dtype=np.float32))

    def _prune(self, used: np.ndarray) -> None:
        """Drop the matrices that attain the maximum for the true class on too few samples."""
        keep = np.flatnonzero(used >= min(self.prune_below, used.max()))
        if len(keep) == len(used):
            return
        for name in ("W", "mean"):
            W = getattr(self, name)
            if W is not None:
                blocks = W.reshape(len(W), len(used), -1)
                setattr(self, name, blocks[:, keep].reshape(len(W), -1).contiguous())
        self.remaining = self.remaining[keep]

    def solution(self) -> np.ndarray:
        """Return V of shape (n_matrices, n_features, n_attributes), float64."""
        learned = self.W if self.mean is None else self.mean
        W = learned.cpu().numpy().astype(np.float64).reshape(len(learned), len(self.remaining), -1)
        return (self.rest[:, self.remaining] + W @ self.basis).transpose(1, 0, 2)
