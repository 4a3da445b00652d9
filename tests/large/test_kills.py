"""Scoring that is killed at random times loses no finished part, and ends in the same metrics.

A process counts ranks over 40 parts and stores finished parts; it is killed and restarted until it
ends.
"""

from __future__ import annotations

import multiprocessing
import random
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from tests.large import test_ranks
from tests.large.shards_of import arrays_of, written
from zslcore.large.engine import Engine
from zslcore.large.ranks import count_ranks
from zslcore.large.shards import Shards

PARTS = 40
#: Longest time between a start and a kill, as a share of the time of a whole run.
LATEST = 0.3


def work(folder: Path, keep: Path | None, out: Path) -> None:
    """Compute all metrics and write them to a file."""
    _, y, scorer = test_ranks.world(np.float64, False)
    shards, here = Shards.open(folder), Engine(workers=1)
    counts = count_ranks(
        shards, y, scorer, test_ranks.SETS, test_ranks.SEEN, engine=here, keep=keep
    )
    np.savez(out, **arrays_of(counts))


def states(keep: Path) -> dict[str, tuple[int, bytes]]:
    """Return the stored files: time of writing, and content."""
    files = keep.rglob("output.pkl")
    return {path.parent.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def campaign(count: int, seed: int = 0) -> tuple[int, int]:
    """Kill the process the given number of times; return the numbers of kills and of full runs.

    Raises
    ------
    AssertionError
        If a finished part was lost or computed again, or if a metric differs.
    """
    rng, fork = random.Random(seed), multiprocessing.get_context("fork")
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        X, y, _ = test_ranks.world(np.float64, False)
        written(root / "set", X, y, rows_a_part=-(-len(X) // PARTS))
        start = time.perf_counter()
        work(root / "set", None, root / "whole.npz")
        longest = LATEST * (time.perf_counter() - start)
        whole = dict(np.load(root / "whole.npz"))
        kills = runs = 0
        while kills < count:
            keep, out, before, ended = root / f"kept {runs}", root / f"{runs}.npz", {}, False
            while not ended:
                child = fork.Process(target=work, args=(root / "set", keep, out))
                child.start()
                child.join(rng.uniform(0, longest) if kills < count else None)
                ended = child.exitcode is not None
                child.kill()
                child.join()
                kills += not ended
                now = states(keep)
                assert before.items() <= now.items(), "a finished part was lost or recomputed"
                before = now
            assert child.exitcode == 0
            runs += 1
            result = dict(np.load(out))
            assert result.keys() == whole.keys()
            for key, array in whole.items():
                np.testing.assert_array_equal(result[key], array, key)
    return kills, runs


@pytest.mark.nightly
def test_kills_lose_no_finished_part_and_metrics_stay_the_same():
    kills, runs = campaign(6)
    assert kills == 6
    assert runs >= 1
