"""Statistics of training rows that stream from shards, against the bare product of a BLAS.

    python -m benchmarks.streaming_gram [--rows 160000 1281167] [--products single]

Shards of 2,048 half-precision features, made in place: one part of 65,536 rows under as many names
as it takes. The plain baseline is the symmetric product (dsyrk or ssyrk) of rows that are in memory
in its own precision: nothing is read, scaled or summed by class. Both are processor seconds of one
thread, which neighbours on the machine change little. Each size is a process of its own, whose peak
memory counts Python and the mapped part.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from scipy.linalg import blas
from threadpoolctl import threadpool_limits

from benchmarks.imagenet_size import N_FEATURES, N_SEEN, N_TRAIN, peak_mib
from benchmarks.timing import check

PART_ROWS = 1 << 16
PLAIN_ROWS = 1 << 14


def make(folder: Path, n_rows: int) -> None:
    """Write one part, and a manifest that names it often enough."""
    from zslcore.large.shards import write_shards

    rng = np.random.default_rng(0)
    y = np.sort(rng.integers(N_SEEN, size=PART_ROWS))
    blocks = (
        (rng.standard_gamma(0.5, size=(len(part), N_FEATURES), dtype=np.float32), part)
        for part in np.split(y, 32)
    )
    write_shards(folder, blocks, dtype="float16")
    manifest = json.loads((folder / "shards.json").read_text())
    part, state = manifest["parts"][0], manifest["files"]["part-00000.npy"]
    n_parts = -(-n_rows // PART_ROWS)
    for k in range(1, n_parts):
        os.link(folder / part["file"], folder / f"part-{k:05d}.npy")
    names = [f"part-{k:05d}.npy" for k in range(n_parts)]
    manifest["parts"] = [part | {"file": name} for name in names]
    (folder / "labels.npy").unlink()
    np.save(folder / "labels.npy", np.tile(y.astype(np.int32), n_parts))
    from zslcore.storage import artifacts

    manifest["files"] = dict.fromkeys(names, state) | artifacts.seal([folder / "labels.npy"])
    (folder / "shards.json").write_text(json.dumps(manifest))


def gather_all(folder: str, products: str, n_rows: int) -> None:
    """Gather the statistics of the first rows, and print seconds a row and the peak memory."""
    from zslcore.features.views import FeatureView
    from zslcore.large.engine import Engine
    from zslcore.large.shards import Shards
    from zslcore.large.statistics import gather

    shards = Shards.open(folder)
    start = time.process_time()
    with threadpool_limits(1):
        gather(
            FeatureView(shards, unit=True),
            shards.labels,
            N_SEEN,
            [np.arange(n_rows)],
            products=products,
            engine=Engine(workers=1),
        )
    print((time.process_time() - start) / n_rows, peak_mib())


def plain(products: str) -> float:
    """Return processor seconds a row of the bare product, the best of three."""
    rng = np.random.default_rng(0)
    dtype, product = (np.float32, blas.ssyrk) if products == "single" else (float, blas.dsyrk)
    X = rng.random((PLAIN_ROWS, N_FEATURES), dtype=np.float32).astype(dtype)
    times = []
    with threadpool_limits(1):
        for _ in range(3):
            start = time.process_time()
            product(1.0, X.T)
            times.append((time.process_time() - start) / PLAIN_ROWS)
    return min(times)


def difference() -> float:
    """Return how far single-precision products lead astray, of the largest entry."""
    from zslcore.features.views import FeatureView
    from zslcore.large.statistics import FullStatistics

    rng = np.random.default_rng(1)
    X = rng.standard_gamma(0.5, size=(1 << 13, N_FEATURES), dtype=np.float32)
    view, y = FeatureView(X, unit=True), np.zeros(len(X), int)
    one, two = (FullStatistics.of(view, y, 1, p).gram for p in ("single", "double"))
    return float(np.abs(one - two).max() / np.abs(two).max())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[160_000, N_TRAIN])
    parser.add_argument("--products", nargs="+", default=["double", "single"])
    args = parser.parse_args()
    for products in args.products:
        limit = plain(products)
        for n_rows in args.rows:
            with tempfile.TemporaryDirectory() as name:
                make(Path(name) / "set", n_rows)
                words = [sys.executable, "-m", "benchmarks.streaming_gram", "--gather"]
                words += [str(Path(name) / "set"), products, str(n_rows)]
                told = subprocess.run(words, check=True, capture_output=True, text=True)  # noqa: S603
            ours, peak = map(float, told.stdout.split())
            what = f"{n_rows:,} x {N_FEATURES:,}, {products} precision"
            print(f"{what}: {1e6 * ours:.0f} us a row, the bare product {1e6 * limit:.0f}")
            check(f"  {what}", ours / limit, "x the bare product", 1.3)
            check(f"  {what}", peak / 1024, "GB", 2)
    print(f"single against double products: {difference():.1e} of the largest entry")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--gather"]:
        gather_all(sys.argv[2], sys.argv[3], int(sys.argv[4]))
    else:
        main()
