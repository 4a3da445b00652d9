"""Write the files that this version stores, to be opened by later versions.

    python -m tests.historic_results.make

writes a folder named after the coming release; run it, and commit the folder, once before each
release. The folders of earlier releases do not change. ``0.3.0`` is the first.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from zslcore.datasets import Split, ZSLDataset, import_dataset, load
from zslcore.evaluation.runs import run
from zslcore.evaluation.specs import RunSpec
from zslcore.progress import silent
from zslcore.results.store import ResultStore
from zslcore.version import __version__

HERE = Path(__file__).parent

LETTERS = tuple(f"class {letter}" for letter in "abcdefghi")
#: Six classes of ImageNet-1K, then three of the benchmark's test sets.
IDS = (
    *("n01440764", "n01443537", "n01484850", "n01491361", "n01494475", "n01496331"),
    *("n02925519", "n01942177", "n02255023"),
)


def tiny(name: str, seed: int, class_names: Sequence[str] = LETTERS) -> ZSLDataset:
    """Make a data set of nine classes, eight images each."""
    rng = np.random.default_rng(seed)
    S = rng.uniform(size=(9, 6)).astype(np.float32)
    y = np.repeat(np.arange(9), 8)
    X = S[y] @ rng.normal(size=(6, 10)) + 0.1 * rng.normal(size=(72, 10))
    folds = [[2, 3], [4, 5]]
    return ZSLDataset(
        name=name,
        features=X.astype(np.float32),
        labels=y,
        prototypes=S,
        class_names=class_names,
        attribute_names=[f"trait {j}" for j in range(6)],
        splits=[
            Split.from_classes("PS", y, [6, 7, 8], folds=[[0, 1], *folds]),
            Split.from_classes("SS", y, [0, 1, 8], folds=[*folds, [6, 7]], seen_test_fraction=0),
        ],
        source="Made for a test.",
        simulated=True,
    )


def specs(digest: str) -> list[RunSpec]:
    """Return runs of every kind: validated, for ZSL, given."""
    params = {"epochs": 2, "learning_rate": 0.1}
    return [
        RunSpec("tiny", "PS", "ESZSL", digest=digest),
        RunSpec("tiny", "SS", "LinearS2V", select_for="zsl", digest=digest),
        RunSpec("tiny", "PS", "DEVISE", params=params, gamma=0.5, digest=digest),
    ]


def make(folder: Path) -> None:
    """Write imports, a store and a run as JSON; ``ZSL_DATA`` is ``folder``."""
    from tests.studies import small_actions, small_study  # this module needs the imports above

    for seed, name in enumerate(("tiny", "tiny-other")):
        import_dataset(tiny(name, seed))
    import_dataset(tiny("tiny-ids", 2, IDS))
    dataset = load("tiny")
    results = [run(spec, dataset, store=ResultStore()).result for spec in specs(dataset.digest)]
    (folder / "run.json").write_text(results[0].to_json(), encoding="utf-8")
    small_study("cross").compute(silent)
    for unit in small_actions().fits():
        unit.complete()


if __name__ == "__main__":
    into = HERE / __version__
    if into.exists():
        sys.exit(f"{into.name} is written already; what a release wrote is never written again.")
    into.mkdir()
    os.environ["ZSL_DATA"] = str(into)
    make(into)
