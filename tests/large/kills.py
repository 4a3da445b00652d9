"""The campaign: ``python -m tests.large.kills --count 100``; scoring, killed at random.

A process counts ranks over 40 parts, keeping what is finished; it is killed
(SIGKILL) at a random moment and started again, until it ends. What was kept is never lost, changed
or made again, and the figures are those of a process that nobody killed.
"""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from tests.large import test_ranks
from tests.large.shards_of import arrays_of, written
from zslcore.large.engine import Engine
from zslcore.large.ranks import count_ranks
from zslcore.large.shards import Shards

PARTS = 40
#: Longest time between a start and a kill, as a share of what a whole run takes.
LATEST = 0.3


def work(folder: Path, keep: Path | None, out: Path) -> None:
    """Compute all figures and leave them in a file."""
    _, y, scorer = test_ranks.world(np.float64, False)
    shards, here = Shards.open(folder), Engine(workers=1)
    counts = count_ranks(
        shards, y, scorer, test_ranks.SETS, test_ranks.SEEN, engine=here, keep=keep
    )
    np.savez(out, **arrays_of(counts))


def states(keep: Path) -> dict[str, tuple[int, bytes]]:
    """Return what is kept: when each file was written, and what is in it."""
    files = keep.rglob("output.pkl")
    return {path.parent.name: (path.stat().st_mtime_ns, path.read_bytes()) for path in files}


def campaign(count: int, seed: int = 0) -> tuple[int, int]:
    """Kill as often as asked for; return kills and runs that came to their end.

    Raises
    ------
    AssertionError
        When anything finished was lost or made again, or a figure differs.
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
                assert before.items() <= now.items(), "something finished was lost or made again"
                before = now
            assert child.exitcode == 0
            runs += 1
            found = dict(np.load(out))
            assert found.keys() == whole.keys()
            for key, array in whole.items():
                np.testing.assert_array_equal(found[key], array, key)
    return kills, runs


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="kills (100)")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    kills, runs = campaign(args.count, args.seed)
    sys.stdout.write(f"{kills} kills, {runs} runs came to their end, nothing was lost\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
