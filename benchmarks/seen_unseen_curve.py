"""The exact seen-unseen curve, against a grid of 201 gammas.

    python -m benchmarks.seen_unseen_curve

13,795 x 50 scores, the size of AWA2's test set. The plain baseline subtracts every gamma from the
seen columns and takes the arg max, as public code does.
"""

from __future__ import annotations

import numpy as np

from benchmarks.awa2_size import N_SEEN, N_TEST, N_UNSEEN
from benchmarks.timing import check, report, seconds
from zslcore.metrics import mean_class_accuracy, seen_unseen_curve


def plain(F, y, seen, gammas) -> list[tuple[float, float]]:
    of_seen, points = seen[y], []
    for gamma in gammas:
        answer = (F - gamma * seen).argmax(axis=1)
        points.append(
            tuple(mean_class_accuracy(y[part], answer[part]) for part in (~of_seen, of_seen))
        )
    return points


def main() -> None:
    rng = np.random.default_rng(0)
    n_classes = N_SEEN + N_UNSEEN
    seen = np.arange(n_classes) < N_SEEN
    y = rng.integers(0, n_classes, N_TEST)
    F = rng.normal(size=(N_TEST, n_classes)) + 2 * np.eye(n_classes)[y] + 0.5 * seen
    gammas = np.linspace(F.min() - F.max(), F.max() - F.min(), 201)

    ours = seconds(lambda: seen_unseen_curve(F, y, seen), repeats=15)
    report("exact curve", ours, seconds(lambda: plain(F, y, seen, gammas)), 20)
    check("exact curve", 1000 * ours, "ms", 15)
    curve, swept = seen_unseen_curve(F, y, seen), np.array(plain(F, y, seen, gammas))
    area = np.trapezoid(swept[:, 1], swept[:, 0])
    print(f"  AUSUC exact {curve.ausuc:.5f}, by the grid {area:.5f}")


if __name__ == "__main__":
    main()
