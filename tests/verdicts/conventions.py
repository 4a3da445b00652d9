"""Inputs in the conventions of data sets and tools, which differ from those of the benchmark."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.verdicts.fields import CLEAN
from tests.verdicts.inputs import (
    CHECK_FOLDER,
    LABELS,
    NAMES,
    SEEN,
    SOUND,
    UNSEEN,
    Input,
    X,
    from_one,
    items,
)

#: Open checks without features, which a user accepts.
ACCEPTED = ("--allow-incomplete", "ZSL004", "ZSL005", "ZSL009")
#: Two names of versions of one photograph.
VERSIONS = (
    ("256/{}.jpg", "512/{}.jpg"),
    ("train_256/{}.jpg", "test_512/{}.jpg"),
    ("thumbs/{}.jpg", "orig/{}.jpg"),
    ("{}_224.jpg", "{}_448.jpg"),
    ("{}.jpg", "{}.png"),
    ("{}.jpg", "{}@2x.jpg"),
    ("{}_frame0001.jpg", "{}_frame0007.jpg"),
    ("{}.jpg", "{}_flip.jpg"),
    ("{}.jpg", "{} - Kopie.jpg"),
)
#: Two names of different photographs.
DIFFERENT = (("2017/{}.jpg", "2018/{}.jpg"), ("train/{}.jpg", "test/{}.jpg"))


def versions() -> Iterator[Input]:
    """Yield lists of images in two sizes or with marks of copies: shared, and different."""
    trained, tested = items(SEEN), [*items(SEEN[:5], 12), *items(UNSEEN)]
    for first, second in (*VERSIONS, *DIFFERENT):
        for what, more in (("sound", []), ("shared", items(SEEN[:3], 0, 2))):
            lists = {
                "train": [(first, item) for item in trained],
                "test": [(second, item) for item in (*tested, *more)],
            }
            files = {
                f"{part}.txt": [f"{form.format(i[:-4])} {c}" for form, (i, c, _) in listed]
                for part, listed in lists.items()
            }
            is_question = bool(more) and (first, second) in VERSIONS
            expected, cause = (
                ("unknown", "6 test images are named like") if is_question else (CLEAN, "")
            )
            name = f"versions of images, {first} and {second}: {what}"
            yield Input(name, files, (*CHECK_FOLDER, *ACCEPTED), expected, cause, is_question)


def rows_and_names() -> Iterator[Input]:
    """Yield splits with lists of other uses, and with one name for a seen and an unseen class."""
    unseen = SOUND["test_unseen_loc"]
    names = (*SEEN, "giraffe", "blue whale", "bat", "walrus")
    for what, lists, of_classes, cause in (
        ("semi_loc", {"semi_loc": unseen}, names, "semi_loc contains"),
        ("fewshot_loc", {"fewshot_loc": unseen[:8]}, names, "fewshot_loc contains 8"),
        ("gallery_loc", {"gallery_loc": unseen}, names, ""),
        ("a name twice", {}, (*names[:-1], names[2]), "1 name is given to a seen"),
        ("a name in two spellings", {}, (*names[:-1], "Killer_Whale"), "1 name is given"),
    ):
        split: dict[str, Any] = from_one(SOUND | lists)
        split |= {"att": np.random.default_rng(3).random((6, len(NAMES)))}
        split["allclasses_names"] = of_classes
        files = {"att_splits.mat": split, "res101.mat": {"features": X.T, "labels": LABELS + 1}}
        expected = "unknown" if cause else "clean"
        command = (*CHECK_FOLDER, "--allow-incomplete", "ZSL012")
        yield Input(f"rows and names, {what}", files, command, expected, cause, bool(cause))


GENERATORS = (versions, rows_and_names)
