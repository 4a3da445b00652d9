"""What SSE's machine is fitted to on a fold of CUB's size: all c at once, against one at a time.

    python -m benchmarks.sse_margins

Random data of 3,000 x 4,096 and 100 classes. The plain way compares all images with a class mean at
a time and c after c, so that every sum goes through the memory; sums are equal to the last digit.
Times are of the processor, on one thread.
"""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.measuring import processor_seconds, report
from zslcore.methods import SSE


def plain(model: SSE, X: np.ndarray, y: np.ndarray, S: np.ndarray, c: float) -> np.ndarray:
    """Return the margins of one c, all rows at a time."""
    turn = np.arange(len(y)) // len(S)
    weights = model._differences(S, y, turn, c)
    out = np.zeros_like(X)
    for k, v in enumerate(model.v_.astype(np.float32)):
        out += weights[:, k, None] * np.minimum(X, v)
    return out


def main() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.random((3000, 4096), dtype=np.float32), np.arange(3000) % 100
    S, ridges = rng.random((100, 312)), SSE.param_grid["c"]
    model = SSE()
    model._keep_classes(X, y, S)
    with threadpool_limits(1):
        found = model._margins(X, y, S, ridges)
        alike = all((plain(model, X, y, S, c) == found[c]).all() for c in ridges)
        ours = processor_seconds(lambda: model._margins(X, y, S, ridges))
        theirs = processor_seconds(lambda: [plain(model, X, y, S, c) for c in ridges])
    report("SSE's margins, three c, 3,000 x 4,096", ours, theirs, 3)
    print(f"  equal to the last digit: {alike}")


if __name__ == "__main__":
    main()
