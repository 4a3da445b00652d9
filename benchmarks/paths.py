"""DAP's classifiers side by side along the grid, against one descent for all of them.

    python -m benchmarks.paths [--features none|l2] [FOLDER]

FOLDER is one in the xlsa17 layout, by default ``../shared/data/xlsa17/CUB``. Rows are those of the
first fold of PS, features as they come, as in table 3 of the benchmark paper. The baseline is
:class:`LinearPath` with the tolerance that it needs for the same objective: one step length and one
end for all attributes. Both times are of the processor, on one thread.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measuring import FOLDER, report
from zslcore.datasets import read_xlsa17
from zslcore.evaluation.protocol import Problem
from zslcore.features import Preprocessing
from zslcore.methods import DAP
from zslcore.methods._linear import LinearPath, linear_scores
from zslcore.methods._logistic import LogisticPath
from zslcore.metrics import mean_class_accuracy

#: Share of the gradient at zero at which one descent for all stops: its last column is the worst.
TOGETHER = 1e-3


def measure(kind: type[LinearPath], problem: Problem, tol: float) -> float:
    """Print objective and accuracy for every weight; return the seconds of the path."""
    X, y, S = problem.X, problem.y, problem.S
    start = time.process_time()
    path = kind(X, y, len(S), DAP()._loss(S), intercept=True, tol=tol)
    models = {model._ridge(len(y)): model for C in DAP.param_grid["C"] for model in [DAP(C=C)]}
    found = dict(path.solutions(models))
    took, steps = time.process_time() - start, path.n_evaluations
    for lam, W in found.items():
        models[lam].S_ = S
        answers = models[lam]._score(linear_scores(problem.X_test, W, True), problem.candidates)
        right = mean_class_accuracy(problem.y_test, answers.argmax(axis=1))
        print(f"  C {models[lam].C:g}: J {path.objective(W, lam)[0]:.5g}, accuracy {right:.2%}")
    print(f"  {steps} steps")
    return took


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FOLDER / "CUB", metavar="FOLDER")
    parser.add_argument("--features", default="none", choices=["none", "l2"])
    args = parser.parse_args()
    dataset = read_xlsa17(args.folder, features="vgg_fc7.mat")
    fold = dataset.split("PS").folds[0]
    classes = np.unique(dataset.labels[fold.val])
    scaling = Preprocessing(args.features)
    problem = Problem.of(dataset, scaling, fold.train, fold.val, classes)
    with threadpool_limits(1):
        ours = measure(LogisticPath, problem, DAP().tol)
        plain = measure(LinearPath, problem, TOGETHER)
    report("DAP, four weights, side by side", ours, plain, 2)


if __name__ == "__main__":
    main()
