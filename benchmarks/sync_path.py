"""SYNC's path of ridge weights: preconditioned and warm-started, against plain L-BFGS a weight.

    python -m benchmarks.sync_path [FEATURES]

FEATURES is a folder in the xlsa17 layout, by default ``../shared/data/xlsa17/CUB``; where it is
absent, random data of CUB's size stand in. The plain baseline is what the authors' code does: for
every weight L-BFGS in the weights themselves, from zero, here until its objective is as low as
ours. Times are of the processor, and readings of the data are counted as well: minutes of wall time
say more of what else a machine is doing.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from benchmarks.timing import report
from zslcore.datasets import read_xlsa17
from zslcore.evaluation.protocol import Problem
from zslcore.features.views import Preprocessing
from zslcore.methods import SYNC
from zslcore.methods._linear import LinearPath, SquaredHinge

FOLDER = Path("../shared/data/xlsa17/CUB")


def data(folder: Path):
    """Return X, y and the number of classes: CUB's training part, or random data of its size."""
    if folder.is_dir():
        dataset = read_xlsa17(folder, features="vgg_fc7.mat")
        split = dataset.split("PS")
        problem = Problem.of(dataset, Preprocessing(), split.trainval, split.test_unseen)
        return problem.X, problem.y, len(problem.S)
    rng = np.random.default_rng(0)
    scales = 1 / np.arange(1, 4097)
    centres, y = rng.random((150, 4096)), np.arange(7057) % 150
    X = ((centres[y] + rng.random((7057, 4096))) * scales).astype(np.float32)
    return X / np.linalg.norm(X, axis=1, keepdims=True), y, 150


def path(X, y, n_classes: int) -> LinearPath:
    return LinearPath(X, y, n_classes, SquaredHinge(n_classes), intercept=False, tol=SYNC().tol)


def processor_seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


class _ReachedError(Exception):
    """The plain solver is as low as ours."""


def plain(problem: LinearPath, lam: float, target: float) -> None:
    """Minimise in the weights themselves, from zero, down to ``target``."""

    def objective(w):
        value, gradient = problem.objective(w.reshape(problem.shape, order="F"), lam)
        if value <= target:
            raise _ReachedError
        return value, gradient.ravel(order="F")

    try:
        minimize(objective, np.zeros(np.prod(problem.shape)), jac=True, method="L-BFGS-B",
                 options={"maxiter": 1000, "ftol": 0.0, "gtol": 0.0})  # fmt: skip
    except _ReachedError:
        return


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    X, y, n_classes = data(folder)
    lams = sorted(SYNC.param_grid["lam"], reverse=True)
    print(f"{len(lams)} weights, {len(y):,} x {X.shape[1]:,}, {n_classes} classes")

    warm, found = path(X, y, n_classes), {}
    t_warm = processor_seconds(lambda: found.update(warm.solutions(lams)))
    readings = warm.n_evaluations
    targets = {lam: warm.objective(W, lam)[0] for lam, W in found.items()}

    cold = path(X, y, n_classes)
    t_cold = processor_seconds(lambda: [cold.solve(lam) for lam in lams])
    print(f"  readings of the data: warm {readings}, cold {cold.n_evaluations}")
    report("SYNC's path, warm starts against cold ones", t_warm, t_cold, 1)

    textbook = path(X, y, n_classes)
    some = lams[:: len(lams) // 2]
    t_plain = processor_seconds(lambda: [plain(textbook, lam, targets[lam]) for lam in some])
    print(f"  readings of the data: plain {textbook.n_evaluations} for {len(some)} of the weights")
    scaled = t_plain * len(lams) / len(some)
    report("SYNC's path, against plain L-BFGS from zero", t_warm, scaled, 2)


if __name__ == "__main__":
    main()
