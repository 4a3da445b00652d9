"""Grids, fits and curves at full AWA2 size, each against a plain implementation.

    python -m benchmarks.awa2 [grids] [memory] [curve]

Random data: 23,527 x 2,048 training rows, 13,795 test rows, 85 attributes.

``grids``: a hyper-parameter grid from one decomposition. The textbook baseline computes the Gram
matrix, the solution and the scores for each point. It is timed on ``PLAIN_POINTS`` points and
scaled up; a second line has the fastest plain version, which computes the Gram matrix only once.
The scores of our grid and of the baseline are compared.

``memory``: peak memory of a fit, as a multiple of the size of the features. Each method is fitted
in a separate process on 37,322 x 2,048 float32 features in a read-only memory map. The value is the
peak resident memory, including pages of the map, minus the memory of the interpreter and its
libraries. The baseline fits on a float64 copy of the training rows.

``curve``: the exact seen-unseen curve of 13,795 x 50 scores, and of 4,020 x 717, the size of SUN's
test set. The baseline subtracts each of 201 gammas from the seen columns and computes the arg max.
Times are the shortest CPU time of many repetitions, since a curve takes less than one time
slice of a busy machine.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy.linalg import solve_sylvester

from benchmarks.measuring import check, cpu_seconds, peak_mib, report, seconds
from zslcore.features import Preprocessing, l2_rows
from zslcore.methods import ESZSL, SAE, get_method
from zslcore.metrics import mean_class_accuracy, seen_unseen_curve

N_TRAIN, N_TEST, N_FEATURES, N_ATTRIBUTES, N_SEEN, N_UNSEEN = 23_527, 13_795, 2_048, 85, 40, 10


def make(seed: int = 0):
    """Return X, y, S, X_test, y_test and the prototypes of all classes; float32 unit features."""
    rng = np.random.default_rng(seed)
    S = rng.random((N_SEEN + N_UNSEEN, N_ATTRIBUTES))
    W = rng.normal(size=(N_ATTRIBUTES, N_FEATURES)).astype(np.float32) / 9
    y = rng.integers(0, N_SEEN, N_TRAIN)
    y_test = rng.integers(0, N_SEEN + N_UNSEEN, N_TEST)

    def images(labels):
        X = rng.standard_normal((len(labels), N_FEATURES), dtype=np.float32)
        X += S[labels].astype(np.float32) @ W
        X /= np.linalg.norm(X, axis=1, keepdims=True)
        return X

    return images(y), y, S[:N_SEEN], images(y_test), y_test, S


# --- Grids ----------------------------------------------------------------------------------------

PLAIN_POINTS = 4


def timed_grid(model, X, y, S, grid, X_test, candidates) -> tuple[dict, float]:
    """Return the scores of each grid point by its description, and the seconds of the grid."""
    times = {}

    def score():
        scores = model.score_grid(X, y, S, grid, X_test, candidates)
        times.update(zip(map(str, grid), scores, strict=True))

    grid_seconds = seconds(score)
    return times, grid_seconds


def eszsl(X, y, S, X_test, candidates) -> None:
    grid = [{"gamma": 10.0**a, "lam": 10.0**b} for a in range(-3, 4) for b in range(-3, 4)]
    fast, t_ours = timed_grid(ESZSL(), X, y, S, grid, X_test, candidates)
    points = grid[:: len(grid) // PLAIN_POINTS][:PLAIN_POINTS]
    X64, T64, Y = X.astype(float), X_test.astype(float), np.eye(len(S))[y]

    def point(gamma, lam, gram=None):
        gram = X64.T @ X64 if gram is None else gram
        left = np.linalg.solve(gram + gamma * np.eye(X.shape[1]), X64.T @ (Y @ S))
        V = np.linalg.solve(S.T @ S + lam * np.eye(S.shape[1]), left.T).T
        return T64 @ V @ candidates.T

    plain = {}
    t_plain = seconds(lambda: plain.update({str(p): point(**p) for p in points}))
    gram = X64.T @ X64
    t_gram = seconds(lambda: gram_points(point, points, gram))
    scale = len(grid) / len(points)
    report("ESZSL, 49 points", t_ours, t_plain * scale, 30)
    report("ESZSL, 49 points, plain with one Gram matrix", t_ours, t_gram * scale, 1)
    difference(fast, plain)


def gram_points(point, points, gram) -> None:
    for params in points:
        point(**params, gram=gram)


def sae(X, y, S, X_test, candidates) -> None:
    grid = [{"lam": 10.0 ** (k / 2)} for k in range(-3, 7)]
    fast, t_ours = timed_grid(SAE(), X, y, S, grid, X_test, candidates)
    points = grid[:: len(grid) // PLAIN_POINTS][:PLAIN_POINTS]
    X64, S_y, T64 = X.astype(float), S[y], l2_rows(X_test.astype(float))

    def point(lam):
        W = solve_sylvester(S_y.T @ S_y, lam * X64.T @ X64, (1 + lam) * S_y.T @ X64)
        return T64 @ l2_rows(candidates @ W).T

    plain = {}
    t_plain = seconds(lambda: plain.update({str(p): point(**p) for p in points}))
    report("SAE, 10 lambdas", t_ours, t_plain * len(grid) / len(points), 20)
    difference(fast, plain)


def difference(fast: dict, plain: dict) -> None:
    worst = max(np.abs(fast[k] - F).max() / np.abs(F).max() for k, F in plain.items())
    print(f"  largest difference of scores, relative: {worst:.1e}")


def grids() -> None:
    X, y, S, X_test, _, candidates = make()
    eszsl(X, y, S, X_test, candidates)
    sae(X, y, S, X_test, candidates)


# --- Memory ---------------------------------------------------------------------------------------

METHODS = ("LinearV2S", "LinearS2V", "ESZSL", "SAE")


def fit(folder: Path, name: str) -> None:
    """Fit one method and print its memory in MiB."""
    y, S = np.load(folder / "y.npy"), np.load(folder / "S.npy")
    rows = np.load(folder / "rows.npy")
    model = get_method(name.removeprefix("plain "))()
    tiny = np.random.default_rng(0).random((8, 4))
    model.fit(tiny, np.arange(8) % 2, tiny[:2])  # triggers lazy imports before measuring
    before = peak_mib()
    matrix = np.load(folder / "X.npy", mmap_mode="r")
    if name.startswith("plain "):
        X = np.asarray(matrix)[rows].astype(np.float64)
        X /= np.linalg.norm(X, axis=1, keepdims=True)
    else:
        X = Preprocessing("l2").of_features(matrix, rows).rows(rows)
    model.fit(X, y, S)
    print(peak_mib() - before)


def memory() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        X, y, S, X_test, _, _ = make()
        order = np.random.default_rng(1).permutation(N_TRAIN + N_TEST)
        np.save(folder / "X.npy", np.vstack([X, X_test])[order])
        np.save(folder / "rows.npy", np.argsort(order)[:N_TRAIN])
        np.save(folder / "y.npy", y)
        np.save(folder / "S.npy", S)
        features = (N_TRAIN + N_TEST) * N_FEATURES * 4 / 2**20
        print(f"features: {features:.0f} MiB, {N_SEEN} seen classes")
        for method in (*METHODS, "plain ESZSL"):
            command = [sys.executable, "-m", "benchmarks.awa2", "fit", name, method]
            out = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
            check(f"{method}, {float(out.stdout):.0f} MiB", float(out.stdout) / features, "x", 1.5)


# --- Curve ----------------------------------------------------------------------------------------

REPEATS = 25


def by_grid(F, y, seen, gammas) -> list[tuple[float, float]]:
    of_seen, points = seen[y], []
    for gamma in gammas:
        predicted = (F - gamma * seen).argmax(axis=1)
        points.append(
            tuple(mean_class_accuracy(y[part], predicted[part]) for part in (~of_seen, of_seen))
        )
    return points


def measure(n_samples: int, seen: np.ndarray, limit: float) -> None:
    """Compare both curves on random scores; ``limit`` is in milliseconds."""
    rng = np.random.default_rng(0)
    n_classes = len(seen)
    y = rng.integers(0, n_classes, n_samples)
    F = rng.normal(size=(n_samples, n_classes)) + 2 * np.eye(n_classes)[y] + 0.5 * seen
    gammas = np.linspace(F.min() - F.max(), F.max() - F.min(), 201)

    description = f"exact curve of {n_samples:,} x {n_classes} scores"
    ours = cpu_seconds(lambda: seen_unseen_curve(F, y, seen), REPEATS)
    few_gammas = gammas[::20]
    t_plain = (
        cpu_seconds(lambda: by_grid(F, y, seen, few_gammas), 2) * len(gammas) / len(few_gammas)
    )
    report(description, ours, t_plain, 20)
    check(description, 1000 * ours, "ms", limit)
    curve, swept = seen_unseen_curve(F, y, seen), np.array(by_grid(F, y, seen, gammas))
    area = np.trapezoid(swept[:, 1], swept[:, 0])
    print(f"  AUSUC exact {curve.ausuc:.5f}, by the grid {area:.5f}")


def curve() -> None:
    measure(N_TEST, np.arange(N_SEEN + N_UNSEEN) < N_SEEN, 2)
    measure(4_020, np.random.default_rng(1).permutation(np.arange(717) < 645), 8)


PARTS = {"grids": grids, "memory": memory, "curve": curve}

if __name__ == "__main__":
    if sys.argv[1:2] == ["fit"]:
        fit(Path(sys.argv[2]), sys.argv[3])
    else:
        parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
        parser.add_argument("parts", nargs="*", choices=PARTS, help="all by default")
        for part in parser.parse_args().parts or PARTS:
            PARTS[part]()
