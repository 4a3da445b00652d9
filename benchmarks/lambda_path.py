"""Twenty-five lambdas on one path, against one fit and against twenty-five.

    python -m benchmarks.lambda_path [--small]

Full AWA2 size: 23,527 x 2,048 training rows, 13,795 test rows, 85 attributes; with ``--small`` a
tenth of the rows and 512 features. A fit is what one value costs by itself: fitted, the whole test
set scored among all classes, and its exact seen-unseen curve. A path is the same for 25 values,
through ``score_grid``. One method with one regulariser a line.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import numpy as np

from benchmarks.awa2_size import N_SEEN, make
from benchmarks.timing import check, report, seconds
from zslcore.analysis.regularization import path_values
from zslcore.methods import ESZSL, GFZSL, SAE, LinearS2V, LinearV2S
from zslcore.methods.base import ZSLEstimator
from zslcore.metrics import seen_unseen_curve

#: Fits that the limit allows a path, and fits that are measured for the time of 25.
MOST_FITS, MEASURED = 1.5, 3
PATHS = (
    (LinearV2S(), "lam"),
    (LinearS2V(), "lam"),
    (ESZSL(), "gamma"),
    (ESZSL(), "lam"),
    (SAE(), "lam"),
    (GFZSL(), "lam_mean"),
)


def measure(method: ZSLEstimator, parameter: str, data: Sequence[np.ndarray]) -> None:
    """Time a path, and fits by themselves; compare their curves."""
    X, y, S, X_test, y_test, candidates = data
    seen = np.arange(len(candidates)) < N_SEEN
    points = [{parameter: value} for value in path_values(method, parameter)]
    areas: dict[str, float] = {}

    def path() -> None:
        scored = method.score_grid(X, y, S, points, X_test, candidates)
        for point, F in zip(points, scored, strict=True):
            areas[str(point)] = seen_unseen_curve(F, y_test, seen).ausuc

    alone: dict[str, float] = {}
    some = iter(points[:: len(points) // MEASURED])

    def fit() -> None:
        point = next(some)
        model = type(method)(**method.get_params() | point).fit(X, y, S)
        F = model.decision_function(X_test, candidates)
        alone[str(point)] = seen_unseen_curve(F, y_test, seen).ausuc

    t_fit = seconds(fit, MEASURED)
    t_path = seconds(path)
    what = f"{method.card.name} along {parameter}"
    report(f"{what}, {len(points)} values against as many fits", t_path, len(points) * t_fit, 10)
    check(f"{what}, one path", t_path / t_fit, "fits", MOST_FITS)
    worst = max(abs(areas[point] - area) for point, area in alone.items())
    print(f"  largest difference of AUSUC: {worst:.1e}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--small", action="store_true")
    X, y, S, X_test, y_test, candidates = make()
    if parser.parse_args().small:
        X, y, X_test, y_test = X[::10, :512], y[::10], X_test[::10, :512], y_test[::10]
    for method, parameter in PATHS:
        measure(method, parameter, (X, y, S, X_test, y_test, candidates))


if __name__ == "__main__":
    main()
