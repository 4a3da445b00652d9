"""Write what is known of UCF101 and HMDB51 in ``data/actions`` again.

    python -m tools.action_facts FOLDER

``FOLDER`` holds ``ucf101.npz`` and ``hmdb51.npz`` (names of the classes, class of each video, class
lists of the released splits) and ``ucf101_att_splits.mat`` (binary attributes). No feature and no
word vector is taken from them.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from zslcore.datasets.action_facts import FOLDER, places_of_actions
from zslcore.datasets.sandbox.client import Role, Variables, read_arrays
from zslcore.datasets.xlsa17 import read_split_arrays
from zslcore.storage import artifacts

FILES = {"UCF101": "ucf101.npz", "HMDB51": "hmdb51.npz"}
ROLES: dict[str, Role] = {
    "class_names": "names",
    "video_labels": "numbers",
    "split_test_classes": "rows",
}


def main() -> None:
    """Write one file of classes per data set, and one of the released splits."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    rows = []
    for dataset, file in FILES.items():
        with artifacts.scratch() as scratch:
            read = read_arrays(folder / file, ROLES, scratch)
            table = _classes(read)
            rows += _splits(dataset, read)
        if dataset == "UCF101":
            table["attributes"] = _attributes(folder / "ucf101_att_splits.mat", table["class"])
        _write(table, FOLDER / f"{dataset}.csv")
    _write(pd.DataFrame(rows, columns=["dataset", "split", "test"]), FOLDER / "splits.csv")


def _classes(read: Variables) -> pd.DataFrame:
    videos = np.bincount(read.arrays["video_labels"], minlength=len(read.names["class_names"]))
    return pd.DataFrame({"class": read.names["class_names"], "videos": videos})


def _splits(dataset: str, read: Variables) -> list[tuple[str, int, str]]:
    """Return the test classes of each split, by number."""
    tests = np.sort(np.array(read.arrays["split_test_classes"], dtype=int), axis=1)
    return [(dataset, k, " ".join(map(str, test))) for k, test in enumerate(tests, 1)]


def _attributes(path: Path, classes: pd.Series) -> list[str]:
    """Return the attributes of each class as digits, one an attribute."""
    arrays = read_split_arrays(path)
    places = places_of_actions(arrays["allclasses_names"], classes)
    assert places is not None  # the files are of the same classes
    return ["".join(str(int(value)) for value in row) for row in arrays["original_att"][places]]


def _write(table: pd.DataFrame, path: Path) -> None:
    table.to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
