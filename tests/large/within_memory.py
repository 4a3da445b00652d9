"""Fit and evaluate on 21,841 classes in an address space too small for a score matrix.

Run as a script with an output folder; it prints its results, or fails with a MemoryError.
"""

import resource
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
from threadpoolctl import threadpool_limits

from zslcore.features import FeatureView
from zslcore.large.engine import Engine
from zslcore.large.ranks import count_ranks
from zslcore.large.shards import write_shards
from zslcore.methods.linear_v2s import LinearV2S

N, C, D, A = 4_000, 21_841, 64, 16
#: Memory in addition to libraries: half of the scores, which take 699 MB as float64.
ROOM = 350 << 20


def mapped():
    with Path("/proc/self/status").open() as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmSize"))


def main(folder):
    rng = np.random.default_rng(0)
    S = rng.random((C, A))
    W = rng.normal(size=(A, D))
    y = rng.integers(C, size=N)
    y[:2000] %= 1000
    noise = rng.normal(size=(N // 20, D)) / 2
    blocks = ((S[part] @ W + noise, part) for part in np.split(y, 20))
    resource.setrlimit(resource.RLIMIT_AS, (mapped() + ROOM,) * 2)
    try:
        np.ones((N, C))
        raise SystemExit("the score matrix fits: this shows nothing")
    except MemoryError:
        pass
    view = FeatureView(write_shards(Path(folder) / "set", blocks, part_bytes=1 << 18), unit=True)
    seen = np.arange(C) < 1000
    here = Engine(workers=1)
    model = LinearV2S().fit(view.rows(np.arange(2000)), y[:2000], S[:1000])
    sets = {"all": ~seen, "few": np.arange(1000, 2500)}
    counts = count_ranks(view, y, model.score_map(S), sets, seen, engine=here)
    sys.stdout.write(
        f"top-1 of 20,841: {counts.accuracy('all'):.3f}, AUSUC {counts.curve('all').ausuc:.3f}\n"
    )


if __name__ == "__main__":
    with threadpool_limits(1):
        main(sys.argv[1])
