"""Write ``data/known_splits.toml`` again: digests of the split files that are in circulation.

    python -m tools.known_splits FOLDER

``FOLDER`` holds one folder per data set (AWA1, AWA2, CUB, SUN, APY) with the files of
:data:`FILES`, where it has them. aPY's standard split is circulated as class lists alone: its rows
are those of its classes, by ``labels.mat``. Only digests and counts are written, no rows.
"""

from __future__ import annotations

import argparse
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from zslcore.datasets.xlsa17 import read_split_arrays
from zslcore.leakage.context import PARTS
from zslcore.leakage.known import part_digest
from zslcore.storage.files import FACTS

FILES = {
    "att_splits_v1.mat": "PS v1",
    "first_release/att_splits_v1.mat": "PS v1",
    "att_splits.mat": "PS 2.0",
    "standard_split/att_splits.mat": "SS",
    "standard_split_release/att_splits.mat": "SS",
}
NAMES = {"APY": "aPY"}
SUPERSEDED = "Superseded by PS 2.0: its train_loc and val_loc hold the test_seen rows."


def main() -> None:
    """Write the manifest."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    header = (
        "# Split files in circulation; written by tools.known_splits. Rows are digested 0-based."
    )
    entries = [
        _entry(NAMES.get(path.name, path.name), name, sha256, parts)
        for path in sorted(folder.iterdir())
        for name, sha256, parts in _splits(path)
    ]
    (FACTS / "known_splits.toml").write_text("\n\n".join([header, *entries]) + "\n", "utf-8")


Parts = Mapping[str, np.ndarray]


def _splits(folder: Path) -> Iterator[tuple[str, str, Parts]]:
    """Yield name, digest of the file and 0-based rows of every split of a data set."""
    for file, name in FILES.items():
        if (folder / file).exists():
            arrays = read_split_arrays(folder / file)
            parts = {part: arrays[f"{part}_loc"] - 1 for part in PARTS if f"{part}_loc" in arrays}
            yield name, hashlib.sha256((folder / file).read_bytes()).hexdigest(), parts
    lists = folder / "standard_split"
    only_lists = (lists / "testclasses.txt").exists() and not (lists / "att_splits.mat").exists()
    if only_lists and (folder / "labels.mat").exists():
        yield "SS", "", _by_classes(folder, lists)


def _by_classes(folder: Path, lists: Path) -> Parts:
    """Return the rows of the classes that are listed."""
    names = read_split_arrays(folder / "att_splits.mat")["allclasses_names"]
    labels = read_split_arrays(folder / "labels.mat")["labels"] - 1
    sides = {"trainval": "trainvalclasses", "test_unseen": "testclasses"}
    listed = {part: (lists / f"{file}.txt").read_text().split() for part, file in sides.items()}
    return {
        part: np.flatnonzero(np.isin(labels, [c for c, n in enumerate(names) if n in classes]))
        for part, classes in listed.items()
    }


def _entry(dataset: str, name: str, sha256: str, parts: Parts) -> str:
    digests = ", ".join(f'{part} = "{part_digest(rows)}"' for part, rows in parts.items())
    counts = ", ".join(f"{part} = {len(np.unique(rows))}" for part, rows in parts.items())
    lines = [
        "[[split]]",
        f'dataset = "{dataset}"',
        f'name = "{name}"',
        f'sha256 = "{sha256}"',
        f"parts = {{ {digests} }}",
        f"counts = {{ {counts} }}",
    ]
    return "\n".join(lines + ([f'superseded = "{SUPERSEDED}"'] if name == "PS v1" else []))


if __name__ == "__main__":
    main()
