"""SAE: semantic autoencoder for zero-shot learning."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, Self

import numpy as np

from zslcore.features import Features, compare, l2_rows, project
from zslcore.methods.base import MethodCard, Params, Scoring, ZSLEstimator
from zslcore.methods.score_map import ScoreMap, linear_unit, unit_linear
from zslcore.methods.statistics import GramStatistics, Spectrum


def _is_present(values: np.ndarray) -> np.ndarray:
    """Return the mask of the eigenvalues above rounding errors."""
    return values > np.finfo(float).eps * len(values) * values.max()


@dataclass(eq=False, repr=False)
class SAE(ZSLEstimator):
    r"""A linear autoencoder with the prototype of the class as its code.

    Encoder :math:`W` and decoder :math:`W^\top` are tied [1]_:

    .. math::
        \min_W \; \lVert X - S_y W \rVert_F^2 + \lambda \lVert X W^\top - S_y \rVert_F^2

    whose minimiser solves the Sylvester equation

    .. math::
        A W + W B = C, \qquad A = S_y^\top S_y, \quad B = \lambda X^\top X, \quad
        C = (1 + \lambda) \, S_y^\top X

    With :math:`A = Q \, \mathrm{diag}(a) \, Q^\top` and :math:`X^\top X = U \, \mathrm{diag}(g) \,
    U^\top` the solution for all :math:`\lambda` is
    :math:`W = Q \, [(Q^\top C U)_{ij} / (a_i + \lambda g_j)] \, U^\top`.

    Parameters
    ----------
    lam : weight of the encoder loss, :math:`\lambda > 0`
    direction : "S2V" or "V2S", default="S2V"
        "S2V" is the cosine of :math:`x` and the decoded prototype :math:`W^\top s_c`, "V2S" the
        cosine of the encoded image :math:`W x` and :math:`s_c`. The benchmark reports V2S, the
        calibration paper reports S2V, which is much better; the authors' code has both.
    rows : "learned" or "unit", default="learned"
        Scale of the rows of :math:`W`, one per attribute, when scores are computed: as learned or
        of unit length. The authors' code has unit length for AWA but not for CUB; the paper does
        not mention it.

    Attributes
    ----------
    W_ : ndarray of shape (n_attributes, n_features)

    Notes
    -----
    For attribute combinations or feature directions without variation in training (:math:`a_i = 0`
    or :math:`g_j = 0`), the right-hand side is zero, and so is this part of :math:`W`. If both are
    zero, the equation does not determine the part; zero is the solution of smallest norm.

    References
    ----------
    .. [1] E. Kodirov, T. Xiang, S. Gong, "Semantic autoencoder for zero-shot learning", CVPR 2017.
    """

    card = MethodCard(
        name="SAE",
        year=2017,
        family="closed form",
        title="Semantic autoencoder for zero-shot learning",
        authors="Kodirov, Xiang, Gong",
        url="https://arxiv.org/abs/1704.08345",
        idea="A linear autoencoder with the prototype as its code; decode the candidates.",
        formula=r"A W + W B = C,\; A = S_y^\top S_y,\; B = \lambda X^\top X,\;"
        r" C = (1 + \lambda) S_y^\top X,\quad F(x, c) = \cos(x, W^\top s_c)",
    )
    revision = 2  # differs from revision 1 only in the default of `rows`
    param_grid: ClassVar = {"lam": tuple(10.0 ** (k / 2) for k in range(-6, 9))}
    variants = ({"direction": "S2V"}, {"direction": "V2S"})
    shared_grid_params = ("lam",)
    regularizers: ClassVar = {"lam": "stronger"}
    predicted_attributes = "regressed"

    lam: float = 10**-0.5
    direction: Literal["S2V", "V2S"] = "S2V"
    rows: Literal["learned", "unit"] = "learned"

    def fit(self, X: Features, y: np.ndarray, prototypes: np.ndarray) -> Self:
        """Fit ``W_`` on seen classes; ``y`` indexes the rows of ``prototypes``."""
        X, y, S = self._check_training(X, y, prototypes)
        (self.W_,) = self._solutions(GramStatistics.of(X, y, len(S)), S, [self.lam])
        return self

    def decision_function(self, X: Features, prototypes: np.ndarray) -> np.ndarray:
        """Return cosines in the space of ``direction``; see :class:`ZSLEstimator`."""
        X, S = self._check_scoring(X, prototypes)
        return next(self._scores([self.W_], X, S))

    def score_map(self, prototypes: np.ndarray) -> ScoreMap:
        r"""Return :math:`f(x) = W x` and scaled prototypes; see :class:`ZSLEstimator`."""
        S = self._check_candidates(prototypes)
        W = l2_rows(self.W_) if self.rows == "unit" else self.W_
        if self.direction == "V2S":
            return ScoreMap(linear_unit, (W.T,), l2_rows(S))
        length = np.sqrt(np.maximum(np.einsum("ci,ij,cj->c", S, W @ W.T, S, optimize=True), 0))
        return ScoreMap(unit_linear, (W.T,), S / np.where(length > 0, length, 1)[:, None])

    def _attributes(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Yield the codes ``X_test W'``, for either ``direction``."""
        lams = [params.get("lam", self.lam) for params in grid]
        solutions = self._solutions(
            GramStatistics.of(scoring.X, scoring.y, len(scoring.S)), scoring.S, lams
        )
        codes = [W.T for W in solutions]
        yield from np.split(project(scoring.X_test, np.hstack(codes)), len(codes), axis=1)

    def _score_together(self, scoring: Scoring, grid: Sequence[Params]) -> Iterator[np.ndarray]:
        """Score a grid with two decompositions and one pass over ``X_test``."""
        lams = [params.get("lam", self.lam) for params in grid]
        # Keep no reference to the statistics, so that their memory is freed before test rows are
        # scored.
        solutions = self._solutions(
            GramStatistics.of(scoring.X, scoring.y, len(scoring.S)), scoring.S, lams
        )
        yield from self._scores(solutions, scoring.X_test, scoring.candidates)

    def _solutions(
        self, statistics: GramStatistics, S: np.ndarray, lams: Iterable[float]
    ) -> Iterator[np.ndarray]:
        """Yield W for each of ``lams`` from two decompositions; overwrite ``statistics``."""
        semantic = Spectrum.of(statistics.semantic_gram(S))
        visual = Spectrum.of(statistics.gram, overwrite=True)
        a, g, U = semantic.values, visual.values, visual.vectors
        # S_y'X is zero in directions without variation in training; drop them, since a small
        # divisor would amplify rounding errors.
        Q, a = semantic.vectors[:, _is_present(a)], a[_is_present(a)]
        K = Q.T @ statistics.cross(S) @ U * _is_present(g)
        for lam in lams:
            yield Q @ ((1 + lam) * K / (a[:, None] + lam * g) @ U.T)

    def _scores(
        self, solutions: Iterable[np.ndarray], X: Features, S: np.ndarray
    ) -> Iterator[np.ndarray]:
        """Yield the cosines for each solution, reading ``X`` once."""
        in_visual_space = self.direction == "S2V"
        if self.rows == "unit":
            solutions = map(l2_rows, solutions)
        codes = [l2_rows(S @ W).T if in_visual_space else W.T for W in solutions]
        projected = project(X, np.hstack(codes), unit=in_visual_space)
        for part in np.split(projected, len(codes), axis=1):
            yield part if in_visual_space else compare(part, S, "cosine")
