"""A whole hyper-parameter grid from one decomposition, against a solution for every point.

    python -m benchmarks.closed_form_grids

Full AWA2 size: 23,527 x 2,048 training rows, 13,795 test rows, 85 attributes. The plain baseline is
what a textbook writes: for every point the Gram matrix, the solution, the scores. It is measured on
``PLAIN_POINTS`` points and multiplied up; a second line repeats it with the Gram matrix computed
once, the strongest plain version. Both sides' scores are compared, so that the fast one is known to
be right.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_sylvester

from benchmarks.awa2_size import make
from benchmarks.timing import report, seconds
from zslcore.features.views import l2_rows
from zslcore.methods import ESZSL, SAE

PLAIN_POINTS = 4


def eszsl(X, y, S, X_test, candidates) -> None:
    grid = [{"gamma": 10.0**a, "lam": 10.0**b} for a in range(-3, 4) for b in range(-3, 4)]
    fast = {}

    def ours():
        scores = ESZSL().score_grid(X, y, S, grid, X_test, candidates)
        fast.update(zip(map(str, grid), scores, strict=True))

    t_ours = seconds(ours)
    some = grid[:: len(grid) // PLAIN_POINTS][:PLAIN_POINTS]
    X64, T64, Y = X.astype(float), X_test.astype(float), np.eye(len(S))[y]

    def point(gamma, lam, gram=None):
        gram = X64.T @ X64 if gram is None else gram
        left = np.linalg.solve(gram + gamma * np.eye(X.shape[1]), X64.T @ (Y @ S))
        V = np.linalg.solve(S.T @ S + lam * np.eye(S.shape[1]), left.T).T
        return T64 @ V @ candidates.T

    plain = {}
    t_plain = seconds(lambda: plain.update({str(p): point(**p) for p in some}))
    gram = X64.T @ X64
    t_gram = seconds(lambda: gram_points(point, some, gram))
    scale = len(grid) / len(some)
    report("ESZSL, 49 points", t_ours, t_plain * scale, 30)
    report("ESZSL, 49 points, plain with one Gram matrix", t_ours, t_gram * scale, 1)
    difference(fast, plain)


def gram_points(point, some, gram) -> None:
    for params in some:
        point(**params, gram=gram)


def sae(X, y, S, X_test, candidates) -> None:
    grid = [{"lam": 10.0 ** (k / 2)} for k in range(-3, 7)]
    fast = {}

    def ours():
        scores = SAE().score_grid(X, y, S, grid, X_test, candidates)
        fast.update(zip(map(str, grid), scores, strict=True))

    t_ours = seconds(ours)
    some = grid[:: len(grid) // PLAIN_POINTS][:PLAIN_POINTS]
    X64, S_y, T64 = X.astype(float), S[y], l2_rows(X_test.astype(float))

    def point(lam):
        W = solve_sylvester(S_y.T @ S_y, lam * X64.T @ X64, (1 + lam) * S_y.T @ X64)
        return T64 @ l2_rows(candidates @ W).T

    plain = {}
    t_plain = seconds(lambda: plain.update({str(p): point(**p) for p in some}))
    report("SAE, 10 lambdas", t_ours, t_plain * len(grid) / len(some), 20)
    difference(fast, plain)


def difference(fast: dict, plain: dict) -> None:
    worst = max(np.abs(fast[k] - F).max() / np.abs(F).max() for k, F in plain.items())
    print(f"  largest difference of scores, relative: {worst:.1e}")


def main() -> None:
    X, y, S, X_test, _, candidates = make()
    eszsl(X, y, S, X_test, candidates)
    sae(X, y, S, X_test, candidates)


if __name__ == "__main__":
    main()
