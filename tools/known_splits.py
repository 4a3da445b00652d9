"""Write ``data/known_splits.toml`` again: digests of the split files that are in circulation.

    python -m tools.known_splits FOLDER

``FOLDER`` holds one folder per data set (AWA1, AWA2, CUB, SUN, APY) with ``att_splits.mat`` and,
where one has it, ``att_splits_v1.mat``. Only digests and counts are written, no rows.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

from zslcore.datasets.xlsa17 import read_split_arrays
from zslcore.files import FACTS
from zslcore.leakage.checks.identity import part_digest
from zslcore.leakage.context import PARTS

FILES = {"att_splits_v1.mat": "PS v1", "att_splits.mat": "PS 2.0"}
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
        _entry(path, NAMES.get(path.parent.name, path.parent.name), name)
        for file, name in FILES.items()
        for path in sorted(folder.glob(f"*/{file}"))
    ]
    (FACTS / "known_splits.toml").write_text("\n\n".join([header, *entries]) + "\n", "utf-8")


def _entry(path: Path, dataset: str, name: str) -> str:
    arrays = read_split_arrays(path)
    parts = {part: arrays[f"{part}_loc"] - 1 for part in PARTS if f"{part}_loc" in arrays}
    digests = ", ".join(f'{part} = "{part_digest(rows)}"' for part, rows in parts.items())
    counts = ", ".join(f"{part} = {len(rows)}" for part, rows in parts.items())
    lines = [
        "[[split]]",
        f'dataset = "{dataset}"',
        f'name = "{name}"',
        f'sha256 = "{hashlib.sha256(path.read_bytes()).hexdigest()}"',
        f"parts = {{ {digests} }}",
        f"counts = {{ {counts} }}",
    ]
    return "\n".join(lines + ([f'superseded = "{SUPERSEDED}"'] if name == "PS v1" else []))


if __name__ == "__main__":
    main()
