"""The campaign: ``python -m tests.hostile --count 10000``; prints a table, fails where it must.

With ``--of scores`` it spoils files of score matrices in the place of data sets and lists, with
``--of predictions`` files of predictions.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

from tests.hostile.making import bombs, honest, spoiled
from tests.hostile.predictions import honest_predictions, spoiled_predictions
from tests.hostile.scores import honest_scores, spoiled_scores
from tests.hostile.trying import Outcome, tried

#: Seconds of one file, and megabytes that this process may grow by.
LONGEST, GROWTH = 10.0, 64.0


def main() -> int:
    """Try what is asked for; return 1 where something broke, hung, grew or was left behind."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100, help="spoiled files (100)")
    parser.add_argument("--of", choices=list(CAMPAIGNS), default="files")
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ["ZSL_DATA"] = str(Path(folder) / "data")
        outcomes, growth = CAMPAIGNS[args.of](Path(folder), args.count, args.seed)
        left = list((Path(folder) / "data").glob("*/*"))
    return _told(outcomes, growth, len(left))


def _campaign(folder: Path, count: int, seed: int) -> tuple[list[Outcome], float]:
    rng, good = np.random.default_rng(seed), honest(folder / "honest")
    content = {kind: path.read_bytes() for kind, path in good.items()}
    outcomes = [_try(folder, kind, good, content[kind]) for kind in good]  # imports, once
    before = _memory()
    for kind, harm in bombs():
        outcomes.append(_try(folder, kind, good, harm))
    kinds = list(good)
    for n in range(count):
        kind = kinds[n % len(kinds)]
        outcomes.append(_try(folder, kind, good, spoiled(content[kind], rng)))
    return outcomes, _memory() - before


def _campaign_of_scores(folder: Path, count: int, seed: int) -> tuple[list[Outcome], float]:
    rng, good = np.random.default_rng(seed), honest_scores(folder / "honest")
    content = {kind: path.read_bytes() for kind, path in good.items()}
    outcomes = [tried(kind, path, good, folder) for kind, path in good.items()]
    before, kinds = _memory(), list(good)
    for n in range(count):
        kind = kinds[n % len(kinds)]
        path = folder / good[kind].name
        spoiled_scores(kind, path, content[kind], rng)
        outcomes.append(tried(kind, path, good, folder))
    return outcomes, _memory() - before


def _campaign_of_predictions(folder: Path, count: int, seed: int) -> tuple[list[Outcome], float]:
    rng, path = np.random.default_rng(seed), honest_predictions(folder / "honest")
    outcomes, before, content = (
        [tried("predictions", path, {}, folder)],
        _memory(),
        path.read_bytes(),
    )
    for _ in range(count):
        spoiled_predictions(folder / path.name, content, rng)
        outcomes.append(tried("predictions", folder / path.name, {}, folder))
    return outcomes, _memory() - before


CAMPAIGNS = {
    "files": _campaign,
    "scores": _campaign_of_scores,
    "predictions": _campaign_of_predictions,
}


def _try(folder: Path, kind: str, good: dict[str, Path], content: bytes) -> Outcome:
    path = folder / good[kind].name
    path.write_bytes(content)
    with tempfile.TemporaryDirectory(dir=folder) as into:
        return tried(kind, path, good, Path(into))


def _memory() -> float:
    """Return the megabytes that this process holds beside what it has mapped of files."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0.0
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("RssAnon"))


def _told(outcomes: list[Outcome], growth: float, left: int) -> int:
    """Print the table and what is wrong."""
    write = sys.stdout.write
    count = Counter((each.kind, each.verdict) for each in outcomes)
    write(f"{'kind':17} {'accepted':>9} {'refused':>9} {'broken':>9} {'slowest':>9}\n")
    for kind in dict.fromkeys(each.kind for each in outcomes):
        slowest = max(each.seconds for each in outcomes if each.kind == kind)
        row = " ".join(f"{count[kind, v]:9,}" for v in ("accepted", "refused", "broken"))
        write(f"{kind:17} {row} {slowest:7.1f} s\n")
    hung = [each for each in outcomes if each.seconds > LONGEST]
    broken = [each for each in outcomes if each.verdict == "broken"]
    write(
        f"{len(outcomes):,} files: {len(broken)} broken, {len(hung)} over {LONGEST:.0f} s, "
        f"{growth:+.0f} MB, {left} left behind\n"
    )
    for each in broken[:5]:
        write(f"\n{each.kind}: {each.said}\n")
    for each in hung[:5]:
        write(f"\n{each.kind}: {each.seconds:.1f} s, {each.said[:200]}\n")
    return int(bool(broken or hung or left or growth > GROWTH))


if __name__ == "__main__":
    sys.exit(main())
