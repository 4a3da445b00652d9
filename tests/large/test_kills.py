"""Scoring that is killed at random times loses no finished part, and ends in the same metrics.

A process counts ranks over 40 parts and stores finished parts; it is killed and restarted until it
ends.
"""

import multiprocessing
import random
import time

import numpy as np
import pytest

from tests.large import test_ranks
from tests.large.shards_of import arrays_of, written
from zslcore.large.engine import Engine
from zslcore.large.ranks import count_ranks
from zslcore.large.shards import Shards

PARTS, KILLS = 40, 4
#: Longest time between a start and a kill, as a share of the time of a whole run.
LATEST = 0.25


def work(folder, keep, out):
    """Compute all metrics and write them to a file."""
    _, y, scorer = test_ranks.world(np.float64, False)
    shards, here = Shards.open(folder), Engine(workers=1)
    counts = count_ranks(
        shards, y, scorer, test_ranks.SETS, test_ranks.SEEN, engine=here, keep=keep
    )
    np.savez(out, **arrays_of(counts))


def stored(keep):
    """Return the stored parts: time of writing, and content."""
    files = keep.rglob("output.pkl")
    return {path.parent.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


@pytest.mark.nightly
def test_kills_lose_no_finished_part_and_metrics_stay_the_same(tmp_path):
    X, y, _ = test_ranks.world(np.float64, False)
    written(tmp_path / "set", X, y, rows_a_part=-(-len(X) // PARTS))
    start = time.perf_counter()
    work(tmp_path / "set", None, tmp_path / "whole.npz")
    longest = LATEST * (time.perf_counter() - start)
    rng, fork = random.Random(0), multiprocessing.get_context("fork")
    arguments = tmp_path / "set", tmp_path / "kept", tmp_path / "killed.npz"
    before, codes = {}, []
    while 0 not in codes:
        child = fork.Process(target=work, args=arguments)
        child.start()
        child.join(rng.uniform(0, longest) if len(codes) < KILLS else None)
        child.kill()
        child.join()
        codes.append(child.exitcode)
        assert before.items() <= stored(tmp_path / "kept").items(), "a finished part was lost"
        before = stored(tmp_path / "kept")
    assert len(codes) > KILLS / 2
    whole, killed = (np.load(tmp_path / f"{name}.npz") for name in ("whole", "killed"))
    assert set(whole) == set(killed)
    for name in whole:
        np.testing.assert_array_equal(killed[name], whole[name], name)
