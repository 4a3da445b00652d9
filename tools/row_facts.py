"""Write ``data/rows`` again: class and photograph of each row of the benchmarks.

    python -m tools.row_facts FOLDER

``FOLDER`` holds one folder per data set (AWA1, AWA2, CUB, SUN, APY) with its split files, and with
``labels`` and ``image_files`` in the first that is there of :data:`FILES` and :data:`NAME_FILES`.
Only numbers are written: the class of each row, and which rows come from one photograph.
"""

from __future__ import annotations

import argparse
import tempfile
import textwrap
from pathlib import Path

import numpy as np

from tools.known_splits import FILES as SPLIT_FILES
from tools.known_splits import NAMES
from zslcore.datasets.rows import FOLDER, packed
from zslcore.datasets.sandbox.client import read_arrays
from zslcore.datasets.xlsa17 import read_split_arrays

#: Where labels and names of image files are, tried in this order.
FILES = ("res101.mat", "labels.mat", "vgg_fc7.mat", "lss.mat")
NAME_FILES = ("res101.mat", "image_files.mat", "vgg_fc7.mat")
LABELS = "Labels released with the features of the benchmark."
PHOTOGRAPHS = "Names of image files released with the features: {rows:,} rows, {names:,} names."


def main() -> None:
    """Write one file for each data set."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    FOLDER.mkdir(exist_ok=True)
    for folder in sorted(path for path in parser.parse_args().folder.iterdir() if path.is_dir()):
        name = NAMES.get(folder.name, folder.name)
        (FOLDER / f"{name}.toml").write_text(_facts(folder), encoding="utf-8")


def _facts(folder: Path) -> str:
    """Return the facts of a data set as TOML."""
    labels = read_split_arrays(_first(folder, FILES))["labels"] - 1
    lines = ["# Written by tools.row_facts: runs of rows, value*times.", ""]
    sources, shared = {"labels": LABELS}, {}
    lines += ['labels = """', _wrapped(packed(labels)), '"""']
    if names := _image_files(folder):
        photograph = np.unique(names, return_inverse=True)[1]
        sizes = np.diff(np.flatnonzero(np.r_[True, np.diff(photograph) != 0, True]))
        if len(sizes) != len(set(names)):
            raise SystemExit(f"{folder.name}: rows of one photograph do not follow each other.")
        lines += ["# Rows of each photograph.", 'photographs = """', _wrapped(packed(sizes)), '"""']
        sources["photographs"] = PHOTOGRAPHS.format(rows=len(names), names=len(sizes))
        shared = _shared(folder, photograph)
    lines += ["", "[sources]", *(f'{key} = "{text}"' for key, text in sources.items())]
    for split, parts in shared.items():
        lines += ["", f'[shared."{split}"]', *(f"{part} = {n}" for part, n in parts.items())]
    return "\n".join(lines) + "\n"


def _first(folder: Path, names: tuple[str, ...]) -> Path:
    return next(folder / name for name in names if (folder / name).exists())


def _image_files(folder: Path) -> tuple[str, ...]:
    found = [folder / name for name in NAME_FILES if (folder / name).exists()]
    if not found:
        return ()
    with tempfile.TemporaryDirectory() as into:
        return read_arrays(found[0], {"image_files": "paths"}, Path(into)).names["image_files"]


def _shared(folder: Path, photograph: np.ndarray) -> dict[str, dict[str, int]]:
    """Count the test rows of every released split whose photograph also gave a trainval row."""
    counts = {}
    for file, split in SPLIT_FILES.items():
        if split == "PS v1" or not (folder / file).exists():
            continue
        arrays = read_split_arrays(folder / file)
        trained = photograph[arrays["trainval_loc"] - 1]
        parts = {
            part: int(np.isin(photograph[arrays[f"{part}_loc"] - 1], trained).sum())
            for part in ("test_seen", "test_unseen")
            if f"{part}_loc" in arrays
        }
        counts[split] = {part: n for part, n in parts.items() if n}
    return {split: parts for split, parts in counts.items() if parts}


def _wrapped(text: str) -> str:
    return textwrap.fill(text, 100)


if __name__ == "__main__":
    main()
