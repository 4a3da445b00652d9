"""Write class lists, image counts and AWA's attributes in ``data/classes`` again.

    python -m tools.class_facts FOLDER

``FOLDER`` holds one folder per data set (AWA1, AWA2, CUB, SUN, APY) as the release has it: class
lists in ``standard_split/`` (``standard_split_release/`` where another release lies there) and
``proposed_split/``, ``att_splits.mat``, and the labels of the images in one of :data:`LABELS`. What
the release does not say, groups and classes known to be among ImageNet-1K's, stays as it is. The
attributes are those in AWA1's ``standard_split/``: ``predicates.txt`` and the continuous matrix.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from zslcore.datasets.facts import class_facts, plain_name
from zslcore.datasets.sandbox.client import read_lines
from zslcore.datasets.xlsa17 import read_split_arrays
from zslcore.storage.files import FACTS

LABELS = ("labels.mat", "phog.mat", "vgg_fc7.mat", "res101.mat")
LISTS = {"ss": ("standard_split_release", "standard_split"), "ps": ("proposed_split",)}
SEEN = {"ss": "train", "ps": "trainval"}


def main() -> None:
    """Write one file per benchmark."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    for benchmark in ("AWA1", "AWA2", "CUB", "SUN", "aPY"):
        table = class_facts(benchmark).classes
        for column, values in _columns(folder / benchmark.upper(), list(table["class"])):
            table[column] = values
        path = FACTS / "classes" / f"{benchmark}.csv"
        table.to_csv(path, index=False, lineterminator="\n")
    _write_attributes(folder / "AWA1" / "standard_split")


def _write_attributes(folder: Path) -> None:
    """Write what share of the judges gave each attribute to each class, percent as released."""
    predicates = [line.split(maxsplit=1)[1] for line in read_lines(folder / "predicates.txt")]
    classes = [line.split(maxsplit=1)[1] for line in read_lines(folder / "classes.txt")]
    percent = np.loadtxt(folder / "predicate-matrix-continuous.txt")
    table = pd.DataFrame(percent, index=list(map(plain_name, classes)), columns=predicates)
    table = table[table >= 0].rename_axis("class")  # -1: nobody was asked
    text = table.map(lambda value: f"{value:.2f}".rstrip("0").rstrip(".") if value == value else "")
    text.to_csv(FACTS / "classes" / "AWA_attributes.csv", lineterminator="\n")


def _columns(folder: Path, names: list[str]) -> Iterator[tuple[str, list]]:
    """Yield the columns that the release says, each in the order of ``names``."""
    arrays = read_split_arrays(folder / "att_splits.mat")
    y = read_split_arrays(next(folder / f for f in LABELS if (folder / f).exists()))["labels"] - 1
    held = y[arrays["test_seen_loc"] - 1]
    yield "images", np.bincount(y, minlength=len(names)).tolist()
    yield "test_seen", np.bincount(held, minlength=len(names)).tolist()
    for split, folders in LISTS.items():
        lists = next(folder / name for name in folders if (folder / name).is_dir())
        test = _listed(lists / "testclasses.txt", names)
        yield split, ["test" if name in test else SEEN[split] for name in names]
        for k in (1, 2, 3):
            val = _listed(lists / f"valclasses{k}.txt", names)
            train = _listed(lists / f"trainclasses{k}.txt", names)
            place = dict.fromkeys(train, "train") | dict.fromkeys(val, "val")
            column = f"fold{k}" if split == "ps" else f"ss_fold{k}"
            yield column, [place.get(name, "") for name in names]


def _listed(path: Path, names: list[str]) -> set[str]:
    """Return the classes of a list under the names that they have here."""
    plain = {plain_name(name): name for name in names}
    return {plain[plain_name(line)] for line in read_lines(path)}


if __name__ == "__main__":
    main()
