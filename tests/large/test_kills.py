"""A small part of the campaign of tests/large/kills.py."""

import os
import time

import numpy as np

from tests.large import test_ranks
from tests.large.kills import campaign
from tests.large.shards_of import written
from zslcore.large.engine import Engine
from zslcore.large.statistics import gather


def test_kills_lose_nothing_finished_and_end_in_the_same_figures():
    kills, runs = campaign(6)
    assert kills == 6
    assert runs >= 1


def test_drafts_of_the_killed_go_after_a_day(tmp_path):
    X, y, _ = test_ranks.world(np.float64, False)
    shards, keep = written(tmp_path / "set", X, y), tmp_path / "kept"
    keep.mkdir()
    old, young = keep / f".a.npz.{0:032x}", keep / f".b.npz.{1:032x}"
    for draft in (old, young):
        draft.write_bytes(b"half")
    os.utime(old, (time.time() - 90_000,) * 2)
    gather(shards, y, test_ranks.C, engine=Engine(workers=1), keep=keep)
    assert young.exists()
    assert not old.exists()
