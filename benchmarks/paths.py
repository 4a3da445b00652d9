"""Paths of DAP's, IAP's, CONSE's and SYNC's classifiers along the ridge weights of their grids.

    python -m benchmarks.paths [--only METHOD] [--plain] [FEATURES]

FEATURES is a folder in the xlsa17 layout, by default ``../shared/data/xlsa17/CUB``; where it is
absent, random data of CUB's size stand in. Rows are those of the first fold of PS, whitened once;
the baseline takes the same steps, and reads the features and divides by the Cholesky factor twice
in each: the way when rows do not fit into memory.

``--plain`` measures SYNC alone, on trainval: warm starts against cold ones and against what the
authors' code does, L-BFGS in the weights themselves, from zero for every weight, here until its
objective is as low as ours; readings of the data are counted as well.

Times are of the processor, on one thread: minutes of wall time say more of what else a machine is
doing.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from threadpoolctl import threadpool_limits

from benchmarks.measuring import FOLDER, processor_seconds, report
from zslcore.datasets import ZSLDataset, read_xlsa17
from zslcore.evaluation.protocol import Problem
from zslcore.features.views import Preprocessing
from zslcore.methods import DAP, IAP, SYNC, _linear
from zslcore.methods._linear import LinearPath, SquaredHinge
from zslcore.methods._two_stage import TwoStageModel
from zslcore.metrics import mean_class_accuracy

#: Method -> ridge weights, from those of its grid; SYNC's from its strongest to its weakest.
WEIGHTS: dict[type[TwoStageModel], Sequence[dict[str, float]]] = {
    DAP: [{"C": C} for C in DAP.param_grid["C"]],
    IAP: [{"C": C} for C in IAP.param_grid["C"]],
    SYNC: [{"lam": lam} for lam in SYNC.param_grid["lam"]],
}


def data(folder: Path, *, whole: bool) -> Problem:
    """Return CUB's first fold, or all that it trains on, or random data of its size."""
    if folder.is_dir():
        dataset = read_xlsa17(folder, features="vgg_fc7.mat")
        if whole:
            split = dataset.split("PS")
            return Problem.of(dataset, Preprocessing(), split.trainval, split.test_unseen)
        fold = dataset.split("PS").folds[0]
        classes = np.unique(dataset.labels[fold.val])
        return Problem.of(dataset, Preprocessing(), fold.train, fold.val, classes)
    rng = np.random.default_rng(0)
    S, y = rng.random((150, 312)), np.arange(7057) % 150
    X = (S @ rng.random((312, 4096)))[y] / 30 + rng.random((7057, 4096))
    X = (X / np.arange(1, 4097)).astype(np.float32)
    names = tuple(map(str, range(150)))
    dataset = ZSLDataset("random", X, y, S.astype(np.float32), names)
    train, val = np.flatnonzero(y < 100), np.flatnonzero(y >= 100)
    return Problem.of(dataset, Preprocessing(), train, val, np.arange(100, 150))


def path(
    method: type[TwoStageModel], given: Problem, in_memory: int
) -> tuple[float, int, dict[float, np.ndarray]]:
    """Return processor seconds, steps and solutions, with so many bytes for whitened rows."""
    points = [method(**params) for params in WEIGHTS[method]]
    before, _linear.WORKING_BYTES = _linear.WORKING_BYTES, in_memory
    try:
        start = time.process_time()
        linear = points[0]._path(given.X, given.y, given.S)
        found = dict(linear.solutions([point._ridge(len(given.y)) for point in points]))
        return time.process_time() - start, linear.n_evaluations, found
    finally:
        _linear.WORKING_BYTES = before


def compare(method: type[TwoStageModel], problem: Problem) -> None:
    """Time both, and compare their answers."""
    ours, steps, found = path(method, problem, _linear.WORKING_BYTES)
    plain, plain_steps, same = path(method, problem, 0)
    name = method.card.name
    report(f"{name}, {len(found)} weights, {next(iter(found.values())).shape[1]} outputs",
           ours, plain, 2)  # fmt: skip
    print(f"  steps {steps}, plain {plain_steps}")
    for params in WEIGHTS[method]:
        model = method(**params)
        model.S_ = problem.S
        weight = model._ridge(len(problem.y))
        alike = [_answers(model, W[weight], problem) for W in (found, same)]
        share = np.mean(alike[0] == alike[1])
        accuracy = [mean_class_accuracy(problem.y_test, answers) for answers in alike]
        print(f"  {params}: {share:.2%} of the answers alike, accuracy {accuracy[0]:.2%}, "
              f"plain {accuracy[1]:.2%}")  # fmt: skip


def _answers(model: TwoStageModel, W: np.ndarray, problem: Problem) -> np.ndarray:
    """Return the answers to the validation images of a model with the classifiers ``W``."""
    Z = _linear.linear_scores(problem.X_test, W, model.intercept)
    return model._score(Z, problem.candidates).argmax(axis=1)


# --- Plain L-BFGS ---------------------------------------------------------------------------------


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


def compare_plain(given: Problem) -> None:
    """Time SYNC's path with warm starts, with cold ones, and by plain L-BFGS."""
    lams, n_classes = sorted(SYNC.param_grid["lam"], reverse=True), len(given.S)
    warm, cold, textbook = (
        LinearPath(
            given.X, given.y, n_classes, SquaredHinge(n_classes), intercept=False, tol=SYNC().tol
        )
        for _ in range(3)
    )
    found = {}
    t_warm = processor_seconds(lambda: found.update(warm.solutions(lams)), 1)
    readings = warm.n_evaluations
    targets = {lam: warm.objective(W, lam)[0] for lam, W in found.items()}
    t_cold = processor_seconds(lambda: [cold.solve(lam) for lam in lams], 1)
    print(f"  readings of the data: warm {readings}, cold {cold.n_evaluations}")
    report("SYNC's path, warm starts against cold ones", t_warm, t_cold, 1)
    some = lams[:: len(lams) // 2]
    t_plain = processor_seconds(lambda: [plain(textbook, lam, targets[lam]) for lam in some], 1)
    print(f"  readings of the data: plain {textbook.n_evaluations} for {len(some)} of the weights")
    scaled = t_plain * len(lams) / len(some)
    report("SYNC's path, against plain L-BFGS from zero", t_warm, scaled, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER / "CUB", metavar="FEATURES")
    parser.add_argument("--only", nargs="+", default=[method.card.name for method in WEIGHTS])
    parser.add_argument("--plain", action="store_true", help="SYNC against plain L-BFGS")
    args = parser.parse_args()
    problem = data(args.folder, whole=args.plain)
    print(f"{problem.X.shape[0]:,} x {problem.X.shape[1]:,}, {len(problem.S)} classes")
    with threadpool_limits(1):
        if args.plain:
            compare_plain(problem)
            return
        for method in WEIGHTS:
            if method.card.name in args.only:
                compare(method, problem)


if __name__ == "__main__":
    main()
