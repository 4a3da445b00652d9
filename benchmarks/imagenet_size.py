"""What the benchmarks at ImageNet's size share: classes, overlapping candidate sets, features.

Made up: 1,000 seen classes, 20,345 unseen ones in nine nested and overlapping sets with the sizes
of the benchmark's ImageNet experiments, 496 classes that are in none of them.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

N_CLASSES, N_SEEN, N_UNSEEN = 21_841, 1_000, 20_345
N_FEATURES, N_ATTRIBUTES = 2_048, 500
#: All images there are, and those of the 1,000 classes that train.
N_IMAGES, N_TRAIN = 14_200_000, 1_281_167

SEEN = np.arange(N_CLASSES) < N_SEEN


def candidate_sets() -> dict[str, np.ndarray]:
    """Return nine sets of candidates, three chains in each of which one holds the one before."""
    rng = np.random.default_rng(0)
    unseen = np.arange(N_SEEN, N_SEEN + N_UNSEEN)
    sets = {}
    for name, sizes in (("hops", (1509, 7678)), ("most", SIZES), ("least", SIZES)):
        order = rng.permutation(unseen)
        sets |= {f"{name} {size}": order[:size] for size in sizes}
    return sets | {"all": unseen}


SIZES = (500, 1_000, 5_000)


def peak_mib() -> float:
    """Return the largest resident memory of this process so far, libraries included, in MiB."""
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\s+(\d+) kB", status)[1]) / 1024
