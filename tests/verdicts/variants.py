"""Inputs that vary a known layout: sizes of images in folders, order and repetition of rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tests.verdicts.fields import CLEAN, rows_of_split
from tests.verdicts.inputs import (
    CHECK_FOLDER,
    NAMES,
    SCORES,
    TRUE,
    UNSEEN_CLASSES,
    UNSEEN_NAMES,
    H,
    Input,
    Y,
)

#: Path of an image with folders of sizes or formats around the folders of parts and classes.
PATHS = (
    "{part}/256/{label}/{image}",
    "{part}/224x224/{label}/{image}",
    "{part}/images/{label}/{image}",
    "{part}_256/{label}/{image}",
    "256/{part}/{label}/{image}",
)


def sizes_in_folders() -> Iterator[Input]:
    """Yield trees of images with a folder of a size or format: sound, and with a leak."""
    for what, n_leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 3, "leaks")):
        rows = rows_of_split(n_leaked)
        for path in PATHS:
            files = {
                path.format(part=part, label=label, image=image): f"{image} {part}".ljust(60)
                for image, label, part in rows
            }
            cause = "chimpanzee" if n_leaked else ""
            yield Input(f"{path}: {what}", files, CHECK_FOLDER, expected, cause, n_leaked > 0)
    rows = rows_of_split()
    flat = {f"{part}/images/{image.replace('/', '_')}": image.ljust(60) for image, _, part in rows}
    cause = "images: expected one folder per class; got files"
    yield Input("images without folders of classes", flat, CHECK_FOLDER, "broken", cause, True)


def rows_of_scores() -> Iterator[Input]:
    """Yield scores sorted within rows, several rows per image, and files in two orders."""
    base: dict[str, Any] = {"y": Y, "unseen_classes": UNSEEN_CLASSES}
    command = ("score", "s.npz")
    ordered = np.sort(SCORES, axis=1)
    for what, scores in (("smallest", ordered), ("largest", ordered[:, ::-1])):
        files = {"s.npz": base | {"scores": scores}}
        cause = f"all sorted, the {what} score first"
        yield Input(f"sorted rows, {what} first", files, command, "broken", cause, True)
    as_is = (*command, "--fix", "as-is")
    yield Input("sorted rows as they are", files, as_is, "clean", H)
    images = np.array([f"img_{k:04}.jpg" for k in range(len(Y))])
    table = pd.DataFrame(SCORES, columns=NAMES)
    table.insert(0, "image", images)
    table.insert(1, "label", TRUE)
    noise = np.random.default_rng(5).normal(scale=0.01, size=SCORES.shape)
    twice = pd.concat([table, table.assign(**dict(zip(NAMES, (SCORES + noise).T, strict=True)))])
    by_name = ("score", "s.csv", "--unseen", *UNSEEN_NAMES)
    predicted = twice[["image", "label"]].assign(predicted=twice[[*NAMES]].idxmax(axis=1))
    n = len(Y)
    for form, content in (("scores", twice), ("predicted classes", predicted)):
        name, cause = f"two rows per image, {form}", f"{2 * n} rows of {n} images"
        yield Input(name, {"s.csv": content}, by_name, "broken", cause, True)
    boxes = table.assign(image=np.roll(images[np.arange(n) // 2], 1), label=TRUE)
    yield Input("boxes of several classes in an image", {"s.csv": boxes}, by_name, "clean", H)
    long = table.melt(["image", "label"], var_name="class", value_name="score")
    yield Input("one row per image and class", {"s.csv": long}, by_name, "clean", H)


def compared_files() -> Iterator[Input]:
    """Yield pairs of files to compare: equal up to order, or different in images or classes."""
    images = np.array([f"img_{k:04}.jpg" for k in range(len(Y))])
    table = pd.DataFrame(SCORES, columns=NAMES).assign(label=TRUE, image=images)
    moved = table.sample(frac=1, random_state=2)
    columns = [*table.columns[::-1]]
    command = ("score", "a.csv", "b.csv", "--compare", "--unseen", *UNSEEN_NAMES)
    same, other = "contain the same scores", "got images in another order"
    for what, first, second, expected, cause in (
        ("rows in another order, with names", table, moved, "clean", same),
        ("rows in another order", table[[*NAMES, "label"]], moved[[*NAMES, "label"]], "", other),
        ("columns in another order", table, table[columns], "clean", same),
        ("fewer images", table, table[1:], "", f"{len(Y)} and {len(Y) - 1} images|none called"),
        ("another label", table, table.assign(label=[NAMES[0], *TRUE[1:]]), "", "another label"),
    ):
        files = {"a.csv": first, "b.csv": second}
        yield Input(f"compared, {what}", files, command, expected or "broken", cause, not expected)
    answers = table[["image", "label"]].assign(predicted=table[[*NAMES]].idxmax(axis=1))
    fewer = answers.assign(predicted=answers["predicted"].replace(NAMES[0], NAMES[1]))
    fewer = fewer[fewer["label"] != NAMES[0]]
    more = fewer.assign(predicted=[NAMES[0], *fewer["predicted"][1:]])
    files = {"a.csv": fewer, "b.csv": more}
    yield Input("compared, a predicted class in one file", files, command, "clean", "McNemar")
    lists = {f"{name}.npz": {"scores": SCORES, "y": Y} for name in ("a", "b")}
    lists["a.npz"]["unseen_classes"] = UNSEEN_CLASSES
    lists["b.npz"]["unseen_classes"] = UNSEEN_CLASSES[1:]
    cause = f"unseen in only one of them: {UNSEEN_CLASSES[0]}"
    command = ("score", *lists, "--compare")
    yield Input("compared, other unseen classes", lists, command, "broken", cause, True)


GENERATORS = (sizes_in_folders, rows_of_scores, compared_files)
