"""Inputs as tools and colleagues export them: sound, and with a test class in training."""

from __future__ import annotations

import pickle
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tests.verdicts.fields import CLEAN, as_bytes, of_part, rows_of_split, table_of
from tests.verdicts.inputs import (
    CHECK_FOLDER,
    DECLARED,
    LABELS,
    NAMES,
    SCORES,
    SEEN,
    UNSEEN,
    UNSEEN_CLASSES,
    Input,
    X,
    Y,
)
from tests.verdicts.labs import ALL_FOUR
from tests.verdicts.programs import PARTS, metrics_of, quoted

#: Part names of seen and unseen test images, after the name of training images.
WORDS = (
    ("train", "test_s", "test_u"),
    ("train_base", "test_base", "test_new"),
    ("train", "test known", "test unknown"),
    ("tanító", "teszt", "teszt"),
)
#: Names of the list of seen classes, and of unseen classes.
LISTS = (
    ("gesehene_Klassen", "ungesehene_Klassen"),
    ("tr_classes", "te_classes"),
    ("zsl_train_classes", "zsl_test_classes"),
    ("trainingclasses", "testingclasses"),
)


def forms_of_classes(seen: list[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a name and the files of each form of class lists."""
    unseen, sides = [*UNSEEN], {"seen": seen, "unseen": [*UNSEEN]}
    for of_seen, of_unseen in LISTS:
        yield f"lists {of_seen}", {f"{of_seen}.txt": seen, f"{of_unseen}.txt": unseen}
    yield (
        "counts behind tabs",
        {
            f"{side}.txt": [f"{name}\t{600 - len(names)}" for name in names]
            for side, names in sides.items()
        },
    )
    yield "one line with semicolons", {f"{s}.txt": "; ".join(names) for s, names in sides.items()}
    yield (
        "prompts in texts",
        {
            f"{side}_prompts.txt": [f"a photo of a {name}." for name in names]
            for side, names in sides.items()
        },
    )
    prompts = {f"{s}_prompts": [f"a photo of a {n}." for n in names] for s, names in sides.items()}
    yield "prompts in JSON", {"s.json": prompts}
    lists = quoted(seen), quoted(unseen)
    for file, form in (
        ("s.go", "var Seen = []string{{{}}}\nvar Unseen = []string{{{}}}\n"),
        ("s.rs", "pub const SEEN: &[&str] = &[{}];\npub const UNSEEN: &[&str] = &[{}];\n"),
        ("s.php", "<?php\n$seen = [{}];\n$unseen = [{}];\n"),
        ("joined.py", "seen = [{}] + []\nunseen = [{}]\n"),
    ):
        yield file, {file: form.format(*lists)}
    underlined = [
        f"{side.title()} classes\n============\n\n" + "".join(f"* {name}\n" for name in names)
        for side, names in sides.items()
    ]
    yield "underlined headings", {"s.rst": "\n".join(underlined)}


def pickles() -> Iterator[Input]:
    """Yield splits, scores and features in pickles and in dictionaries that NumPy saves."""
    for what, leaked, expected in (("sound", [], CLEAN), ("a leak", [UNSEEN[1]], "leaks")):
        seen, y = [*SEEN, *leaked], np.repeat(np.arange(9), 6)
        lists = {"seen": seen, "unseen": [*UNSEEN]}
        rows = {"train_idx": np.arange(36 + 3 * len(leaked)), "test_idx": np.arange(36, 54)}
        forms: dict[str, dict[str, Any]] = {
            "lists.pkl": {"lists.pkl": pickle.dumps(lists, 2)},
            "rows.pkl": {"rows.pkl": pickle.dumps(rows | {"labels": y})},
            "lists.npy": {"lists.npy": np.array(lists, dtype=object)},
            "one per side": {
                f"{side}.pkl": pickle.dumps(np.array(listed)) for side, listed in lists.items()
            },
        }
        for form, files in forms.items():
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            yield Input(f"pickle, {form}: {what}", files, command, expected, "", bool(leaked))
    scores = {"scores": SCORES, "labels": Y, "unseen": np.array(UNSEEN_CLASSES)}
    features = {"features": X, "labels": LABELS, "prototypes": np.eye(len(NAMES))}
    unread = {**features, "hook": print}
    for form, write in (
        ("s.pkl", pickle.dumps),
        ("s.npy", lambda value: as_bytes(lambda b: np.save(b, np.array(value, dtype=object)))),
    ):
        cause = metrics_of(SCORES.argmax(1))
        yield Input(f"scores, {form}", {form: write(scores)}, ("score", form), "clean", cause)
        command = ("import", form, "--show", "--unseen", "1")
        cause = f"^features {len(X)} x {X.shape[1]}; labels"
        yield Input(f"features, {form}", {form: write(features)}, command, "clean", cause)
        yield Input(f"function, {form}", {form: write(unread)}, command, "broken", "other Python")


def forms_of_images(leaked: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield a name and the files of each form of images by part."""
    rows = rows_of_split(leaked)
    tables = {part: table_of(of_part(rows, part), "image", "label", "split") for part in PARTS}
    columns = {part: table.drop(columns="split") for part, table in tables.items()}
    yield "columns in JSON", {f"{p}.json": table.to_dict() for p, table in columns.items()}
    yield (
        "comments above images",
        {
            f"{part}.txt": ["# image class", *map(" ".join, table.to_numpy())]
            for part, table in columns.items()
        },
    )
    yield (
        "the class in the name",
        {
            f"{part}.txt": [f"{label.title()}_{k:03}.jpg" for k, label in enumerate(table.label)]
            for part, table in columns.items()
        },
    )
    yield (
        "capital parts without titles",
        {"s.csv": "".join(f"{p.upper()}ING,gs://b/{image},{name}\n" for image, name, p in rows)},
    )
    unlabelled = [image for image, _, part in rows if part == "test"]
    labelled = {part: table.to_numpy().tolist() for part, table in columns.items()}
    yield "transductive, JSON", {"s.json": {**labelled, "train_unlabeled": unlabelled}}
    yield (
        "transductive, table",
        {
            "s.csv": table_of(
                [*rows, *((image, "", "unlabeled") for image in unlabelled)],
                "image",
                "label",
                "split",
            )
        },
    )
    yield (
        "transductive, lists",
        {
            "train_labeled.txt": [" ".join(row) for row in columns["train"].to_numpy()],
            "train_unlabeled.txt": unlabelled,
            "test.txt": [" ".join(row) for row in columns["test"].to_numpy()],
        },
    )
    for trained, seen, unseen in WORDS:
        n = len(rows) - leaked
        tested = {k for k in range(n) if rows[k][2] == "test" or (k % 4 == 0 and seen != unseen)}
        of_side = [
            (image, name, trained if k not in tested else seen if name in SEEN else unseen)
            for k, (image, name, _) in enumerate(rows)
        ]
        titles = (
            ("kép", "osztály", "halmaz") if trained == "tanító" else ("image", "label", "split")
        )
        yield f"parts {unseen}", {"s.csv": table_of(of_side, *titles)}


def exports() -> Iterator[Input]:
    """Yield lists of classes, and images by part."""
    for what, leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 5, "leaks")):
        seen = [*SEEN, *([UNSEEN[0]] if leaked else [])]
        for form, files in (*forms_of_classes(seen), *forms_of_images(leaked)):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            name, cause = f"export, {form}: {what}", "(?i)chimpanzee" if leaked else ""
            yield Input(name, files, command, expected, cause, leaked > 0)


def tables_and_imports() -> Iterator[Input]:
    """Yield titles of predictions, vectors of images, leaks of an import, and groups of images."""
    cause = metrics_of(SCORES.argmax(1))
    pairs = np.stack([Y, SCORES.argmax(1)], 1)
    for titles in (("true_idx", "pred_idx"), ("valós", "becsült")):
        files = {"p.csv": pd.DataFrame(pairs, columns=[*titles])}
        command = ("score", "p.csv", "--unseen", *map(str, UNSEEN_CLASSES))
        yield Input(f"predictions, {titles[0]}", files, command, "clean", cause)
    rows = [[NAMES[a], NAMES[b], n] for (a, b), n in Counter(map(tuple, pairs)).items()]
    files = {"c.csv": pd.DataFrame(rows, columns=["Actual", "Predicted", "nPredictions"])}
    command = ("score", "c.csv", "--unseen", *(NAMES[c] for c in UNSEEN_CLASSES))
    yield Input("counts of W&B", files, command, "clean", cause)
    images = [f"{NAMES[c]}/{k}.jpg" for k, c in enumerate(LABELS)]
    embeddings = pd.DataFrame(np.eye(len(NAMES))).assign(name=NAMES)
    vectors = {"v.pkl": pickle.dumps(dict(zip(images, X, strict=True))), "att.csv": embeddings}
    command = ("import", *vectors, "--show", "--unseen", NAMES[0])
    cause = f"^features {len(X)} x {X.shape[1]}; labels {len(X)};"
    yield Input("a vector per image", vectors, command, "clean", cause)
    for what, n in (("sound", 0), ("a leak", 1)):
        parts = ["train" if c < len(SEEN) else "test_unseen" for c in LABELS]
        first = int(np.argmax(len(SEEN) <= LABELS))
        parts[first] = "train" if n else parts[first]
        split = pd.DataFrame({"image": images, "label": [NAMES[c] for c in LABELS], "split": parts})
        files = {"X.npy": X, "split.csv": split, "att.csv": embeddings}
        command = ("import", *files, "--pretraining", "none", "--name", f"own-{n}")
        leak = "leak      1 class is both seen and unseen" if n else ""
        never = "" if n else "  leak  "
        yield Input(f"import, {what}", files, command, "clean", leak, n > 0, never)
    items = [(f"{name}/{k}.jpg", name) for name in ALL_FOUR for k in range(4)]
    new = [[image, ALL_FOUR.index(name), name] for image, name in items]
    files = {"split_zhou_A.json": {"train": new[::2], "val": new[-1:], "test": new[1::2]}}
    command = ("check", "split_zhou_A.json", *DECLARED)
    yield Input(
        "CoOp, test image in val", files, command, "unknown", "that are also in train or val"
    )
    table = pd.DataFrame(items, columns=["image", "label"])
    for what, n, expected in (("sound", 0, CLEAN), ("a leak", 3, "leaks")):
        parts = ["train" if name in ALL_FOUR[:2] else "test_unseen" for _, name in items]
        patients = [*range(16 - n), *range(n)]
        files = {"s.csv": table.assign(split=parts), "g.csv": pd.DataFrame({"patient": patients})}
        command = ("check", "s.csv", "--groups", "g.csv", *DECLARED)
        yield Input(f"a column of patients: {what}", files, command, expected, "", n > 0)


def equal_images() -> Iterator[Input]:
    """Yield training and test images that are equal by their features or their paths."""
    rng = np.random.default_rng(2)
    X = {"train": rng.normal(size=(36, 9)), "test": rng.normal(size=(18, 9))}
    y = {"train": np.repeat(np.arange(6), 6), "test": np.repeat(np.arange(6, 9), 6)}
    for what, n, expected in (("sound", 0, CLEAN), ("a leak", 4, "leaks")):
        X["train"][:n] = X["test"][:n]
        for form in ("X_{}", "{}_features"):
            arrays = {form.format(part): X[part].copy() for part in PARTS}
            arrays |= {f"y_{part}": y[part] for part in PARTS}
            name, cause = f"features by part, {form}: {what}", "4 rows of test_unseen" if n else ""
            files = {f"{array}.npy": values for array, values in arrays.items()}
            yield Input(name, files, CHECK_FOLDER, expected, cause, n > 0)
            command = ("check", "s.npz", *DECLARED)
            yield Input(f"{name}, archive", {"s.npz": arrays}, command, expected, cause, n > 0)
        rows = [(image, label) for image, label, _ in rows_of_split()]
        spelt = [(rows[-k - 1][0].replace(".jpg", ".JPG"), SEEN[0]) for k in range(n)]
        train, test = ([row for row in rows if (row[1] in SEEN) == side] for side in (True, False))
        files = {"train.txt": [" ".join(row) for row in (*train, *spelt)]}
        files |= {"test.txt": [" ".join(row) for row in test]}
        cause = "4 rows|both seen and unseen|Both seen" if n else ""
        yield Input(f"suffixes in capitals: {what}", files, CHECK_FOLDER, expected, cause, n > 0)


GENERATORS = (exports, pickles, tables_and_imports, equal_images)
