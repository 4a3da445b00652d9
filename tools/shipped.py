"""Write ``data/results`` again: runs on real features that come with the package.

    python -m tools.shipped STORE [DATASET ...]

``STORE`` is a run store in which the runs were made (``zslcore run``); without names all its runs
on real data are written. Only results are written, one JSON per run, no features: the digest in
each names the data. Runs of other revisions than today's are left out.
"""

from __future__ import annotations

import argparse
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from zslcore.evaluation.runs import RunResult
from zslcore.evaluation.shipped import FOLDER
from zslcore.evaluation.store import RunStore
from zslcore.storage.files import written_whole


def main() -> None:
    """Write the results of a store."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("store", type=Path)
    parser.add_argument("datasets", nargs="*", metavar="DATASET")
    args = parser.parse_args()
    for result in RunStore(args.store).results():
        if _is_meant(result, args.datasets):
            # The key of the version that made it may have named more than what changes numbers.
            result = replace(result, key=result.spec.key)
            path = FOLDER / result.spec.dataset / f"{result.key}.json"
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as file:
                file.write(result.to_json().encode() + b"\n")


def _is_meant(result: RunResult, datasets: Collection[str]) -> bool:
    current = result.spec.present.revisions == result.spec.revisions
    named = result.spec.dataset in datasets if datasets else not result.simulated
    return current and named


if __name__ == "__main__":
    main()
