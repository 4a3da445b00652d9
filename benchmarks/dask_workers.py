"""Two Dask workers on loopback against one process, and one of them killed in the middle.

    python -m benchmarks.dask_workers [--rows 24000]

Ranks of images against 21,841 classes over 24 shards. A scheduler and two workers of one thread
each run as processes of their own; wall time of the same call in one process, on the cluster, and
on the cluster while one worker is killed. All three have to end in the same figures.
"""

from __future__ import annotations

import argparse
import signal
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from benchmarks.imagenet_size import (
    N_ATTRIBUTES,
    N_CLASSES,
    N_SEEN,
    N_UNSEEN,
    SEEN,
    candidate_sets,
)
from benchmarks.timing import report
from zslcore.large.engine import Engine
from zslcore.large.ranks import RankCounts, count_ranks
from zslcore.large.shards import write_shards
from zslcore.methods.score_map import ScoreMap, linear

N_FEATURES, PARTS = 256, 24


@contextmanager
def cluster(folder: Path, workers: int):
    """Start a scheduler and workers; yield its address and the workers' processes."""
    file = folder / "scheduler.json"
    words = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1"]
    words += ["--port", "0", "--no-dashboard", "--scheduler-file", str(file)]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = subprocess.Popen(words, **quiet)  # noqa: S603 - our own interpreter
    words = [sys.executable, "-m", "distributed.cli.dask_worker", "--nthreads", "1", "--no-nanny"]
    words += ["--no-dashboard", "--scheduler-file", str(file)]
    others = [subprocess.Popen(words, cwd=Path.cwd(), **quiet) for _ in range(workers)]  # noqa: S603
    try:
        from distributed import Client

        with Client(scheduler_file=str(file), timeout="60s", set_as_default=False) as client:
            client.wait_for_workers(workers, timeout=120)
            address = client.scheduler.address
        yield address, others
    finally:
        for process in (*others, scheduler):
            process.kill()
            process.wait()


def timed(where: Engine, given: tuple, on_done=None):
    start = time.perf_counter()
    counts = count_ranks(*given, curves=["all"], engine=where, on_done=on_done)
    return time.perf_counter() - start, counts


def same(one: RankCounts, other: RankCounts) -> str:
    same_hits = np.array_equal(one.hits, other.hits)
    return "the same" if same_hits else "OTHER"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=24_000)
    args = parser.parse_args()
    rng = np.random.default_rng(0)
    X = rng.random((args.rows, N_FEATURES), dtype=np.float32)
    y = rng.integers(N_SEEN + N_UNSEEN, size=args.rows)
    V = rng.normal(size=(N_FEATURES, N_ATTRIBUTES))
    scorer = ScoreMap(linear, (V,), rng.normal(size=(N_CLASSES, N_ATTRIBUTES))).astype(np.float32)
    with tempfile.TemporaryDirectory() as name, cluster(Path(name), 2) as (address, workers):
        part_bytes = -(-args.rows // PARTS) * N_FEATURES * 4
        shards = write_shards(Path(name) / "set", [(X, y)], part_bytes=part_bytes)
        given = (shards, y, scorer, candidate_sets(), SEEN)
        there = Engine(dask=address)
        timed(there, (shards, y, scorer, {"all": ~SEEN}, SEEN))  # workers import what they need
        one, figures = timed(Engine(workers=1), given)
        two, of_two = timed(there, given)
        report("two workers, plain: one process", two, one, 1.7)
        print(f"  figures: {same(figures, of_two)}")
        killer = threading.Timer(two / 2, lambda: workers[0].send_signal(signal.SIGKILL))
        killer.start()
        lost, of_one_left = timed(there, given)
        print(f"one of them killed after {two / 2:.1f} s: {lost:.1f} s")
        print(f"  figures: {same(figures, of_one_left)}")


if __name__ == "__main__":
    main()
