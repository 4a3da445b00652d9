"""Inputs that vary a known layout: sizes of images in folders, order and repetition of rows."""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from tests.verdicts.fields import CLEAN, rows_of_split
from tests.verdicts.inputs import (
    CHECK_FOLDER,
    DECLARED,
    LABELS,
    NAMES,
    SCORES,
    SEEN,
    SOUND,
    SPLIT_NAMES,
    TRUE,
    UNSEEN,
    UNSEEN_CLASSES,
    UNSEEN_NAMES,
    H,
    Input,
    X,
    Y,
    from_one,
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
    tree = "{}/{}/{}/{}.jpg"
    for what, inner, expected, cause in (
        (
            "classes",
            ("lynx", "beagle", "lion", "husky"),
            "unknown",
            "groups of classes.*cats; dogs",
        ),
        ("videos", ("v1", "v2", "v3", "v4"), "broken", "No test class is unseen"),
    ):
        parts = zip(("train", "train", "test", "test"), ("cats", "dogs") * 2, inner, strict=True)
        paths = [tree.format(*names, k) for names in parts for k in range(9)]
        files = {path: path.ljust(60) for path in paths}
        yield Input(f"folders of groups, {what}", files, CHECK_FOLDER, expected, cause)
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
    marked = [f"{image[:-4]}_aug{k}.jpg" for k in (1, 2) for image in images]
    predicted = twice[["image", "label"]].assign(predicted=twice[[*NAMES]].idxmax(axis=1))
    n = len(Y)
    for form, content in (
        ("scores", twice),
        ("marks of copies", twice.assign(image=marked)),
        ("predicted classes", predicted),
    ):
        name, cause = f"two rows per image, {form}", f"{2 * n} rows of {n} images"
        yield Input(name, {"s.csv": content}, by_name, "broken", cause, True)
    renamed = table.assign(image=[f"{name}1 ({k}).jpg" for k, name in enumerate(TRUE)])
    yield Input("images named after classes", {"s.csv": renamed}, by_name, "clean", H)
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


def images_and_labels() -> Iterator[Input]:
    """Yield paths and labels of images in two lists per part: sound, contradicting, with a leak."""
    for what, n_leaked, expected, cause in (
        ("sound", 0, CLEAN, ""),
        ("a test class in train", 3, "leaks", "class 7"),
        ("labels from 0 in each part", 0, "unknown", "one number different folders"),
        ("labels from 0 in each part, with a leak", 3, "leaks", "chimpanzee"),
        ("another label", 0, "unknown", "folder of another class: 2"),
        ("a path missing", 0, "unknown", "Images have no names"),
    ):
        rows = [(f"{label}/{image[-8:]}", label, part) for image, label, part in _rows(n_leaked)]
        if what == "another label":
            rows += [(f"{UNSEEN[0]}/x{k}.jpg", SEEN[0], "train") for k in range(2)]
        values: dict[str, list[Any]] = {}
        for part in ("train", "test"):
            of_part = [row for row in rows if row[2] == part]
            names = [label for _, label, _ in of_part]
            classes = sorted({*names}) if "from 0" in what else NAMES
            values[f"{part}_paths"] = [image for image, _, _ in of_part]
            values[f"{part}_labels"] = [*map(classes.index, names)]
        if what == "a path missing":
            del values["train_paths"][-1]
        arrays = {name: np.array(listed) for name, listed in values.items()}
        for file, content in (
            ("s.json", values),
            ("s.npz", arrays),
            ("s.pkl", pickle.dumps(values)),
        ):
            command = ("check", file, *DECLARED)
            name = f"paths and labels, {file}: {what}"
            yield Input(name, {file: content}, command, expected, cause, n_leaked > 0)


def scaled_copies() -> Iterator[Input]:
    """Yield features with rows of another length on one side, with and without copies."""
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    train, test = SOUND["trainval_loc"], SOUND["test_seen_loc"]
    split = from_one(SOUND) | {"att": np.random.default_rng(3).random((6, len(NAMES)))}
    split["allclasses_names"] = SPLIT_NAMES
    every_test = np.append(test, SOUND["test_unseen_loc"])
    for what, rows, values, copied, expected, cause in (
        ("copies of length 1", test[:6], unit[train[:6]], 6, "leaks", "6 rows.*up to scale"),
        ("copies times 255", test[:6], 255 * X[train[:6]], 6, "leaks", "6 rows.*up to scale"),
        ("test rows of length 1", every_test, unit[every_test], 0, "unknown", "test rows all have"),
    ):
        A = X.copy()
        A[rows] = values
        files = {"att_splits.mat": split, "res101.mat": {"features": A.T, "labels": LABELS + 1}}
        command = (*CHECK_FOLDER, "--allow-incomplete", "ZSL012")
        yield Input(f"scaled rows, {what}", files, command, expected, cause, copied > 0)


def nested_records() -> Iterator[Input]:
    """Yield records within records, and records of a class with its images."""
    for what, n_leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 3, "leaks")):
        rows = _rows(n_leaked)
        parts = ("train", "test")
        nested = [
            {"image": {"path": i, "id": k}, "label": {"name": n, "id": NAMES.index(n)}, "split": p}
            for k, (i, n, p) in enumerate(rows)
        ]
        by_class = {
            f"{part}.json": [
                {"class": name, "images": images}
                for name in NAMES
                if (images := [i for i, n, p in rows if (n, p) == (name, part)])
            ]
            for part in parts
        }
        for form, files, command in (
            ("with ids", {"s.json": nested}, ("check", "s.json", *DECLARED)),
            ("of a class", by_class, CHECK_FOLDER),
        ):
            cause = "chimpanzee" if n_leaked else ""
            name = f"records, {form}: {what}"
            yield Input(name, files, command, expected, cause, n_leaked > 0)


def empty_lists() -> Iterator[Input]:
    """Yield splits with an empty list, which is named; an empty validation list is no fault."""
    for empty, files in (
        ("unseen.txt", {"seen.txt": SEEN, "unseen.txt": ""}),
        ("seen_classes.txt", {"seen_classes.txt": "\n\n", "unseen_classes.txt": UNSEEN}),
        ("unseen.npy", {"seen.npy": np.array(SEEN), "unseen.npy": np.array([], "<U4")}),
        ("train.txt", {"train.txt": "", "test.txt": UNSEEN}),
        ("test", {"s.json": {"train": [*SEEN], "test": []}}),
        ("seen; unseen", {"s.json": {"seen": [], "unseen": []}}),
    ):
        command = ("check", "s.json", *DECLARED) if "s.json" in files else CHECK_FOLDER
        cause = f"{empty}.*an empty list"
        yield Input(f"empty list, {empty}", files, command, "broken", cause, True)
    lists = {"train.txt": SEEN, "val.txt": "", "test.txt": UNSEEN}
    yield Input("empty list, val.txt", lists, CHECK_FOLDER, CLEAN)


def decimal_commas() -> Iterator[Input]:
    """Yield printed metrics with decimal commas."""
    files = {"s.npz": {"scores": SCORES, "y": Y, "unseen_classes": UNSEEN_CLASSES}}
    for text in ("H 42,4", "u 34,4, s 55,4, H 42,4", "u 34,4; H 42,4 %"):
        command = ("explain", "s.npz", "--printed", text)
        yield Input(f"printed {text}", files, command, "clean", "42.4")


def released_lists() -> Iterator[Input]:
    """Yield lists as FGVC-Aircraft, DTD, Oxford-IIIT Pet, mmpretrain, FiftyOne and Weka write them.

    Also a folder below another one, and records in which only ids are texts.
    """
    for what, n_leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 3, "leaks")):
        rows = [
            (f"{name.replace(' ', '_')}_{100 + k}", name, part)
            for k, (_, name, part) in enumerate(_rows(n_leaked))
        ]
        of = {part: [(i, n) for i, n, p in rows if p == part] for part in ("train", "test")}
        samples = [
            {
                "_id": {"$oid": f"{k:024x}"},
                "filepath": f"data/{image}.jpg",
                "tags": [part],
                "ground_truth": {"_id": {"$oid": "1"}, "_cls": "Classification", "label": name},
            }
            for k, (image, name, part) in enumerate(rows)
        ]
        arff = [f"@attribute {title} string" for title in ("image", "class", "split")]
        arff = ["@RELATION s", *arff, "@DATA", *(f"{i},'{n}',{p}" for i, n, p in rows)]
        pets = [f"{NAMES.index(n) + 1} 1 2" for _, n, _ in rows]
        numbered = dict(zip([image for image, _, _ in rows], pets, strict=True))
        for form, files in (
            (
                "FGVC-Aircraft",
                {
                    f"images_{level}_{part}.txt": [f"{image[-3:]}0000 {n}" for image, n in of[part]]
                    for level in ("variant", "family")
                    for part in of
                },
            ),
            (
                "DTD",
                {
                    f"labels/{part}{fold}.txt": [f"{n}/{image}.jpg" for image, n in of[part]]
                    for fold in (1, 2)
                    for part in of
                },
            ),
            (
                "Oxford-IIIT Pet",
                {
                    f"annotations/{name}.txt": [f"{i} {numbered[i]}" for i, _ in of[part]]
                    for name, part in (("trainval", "train"), ("test", "test"))
                },
            ),
            (
                "mmpretrain",
                {
                    f"{part}.pkl": pickle.dumps(
                        {
                            "metainfo": {"classes": [*NAMES]},
                            "data_list": [
                                {"img_path": f"{i}.jpg", "gt_label": NAMES.index(n)}
                                for i, n in of[part]
                            ],
                        }
                    )
                    for part in of
                },
            ),
            ("FiftyOne", {"samples.json": {"samples": samples}}),
            ("ARFF", {"s.arff": arff}),
            (
                "a folder below",
                {f"mine/{p}/{n}/{i}.jpg": f"{i} {p}".ljust(60) for i, n, p in rows},
            ),
        ):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            cause = r"chimpanzee|\(7\)" if n_leaked else ""
            yield Input(f"{form}: {what}", files, command, expected, cause, n_leaked > 0)
        items = [{"id": i, "subset": p, "annotations": [{"label_id": 1}]} for i, _, p in rows]
        files = {"s.json": {"items": items}}
        name = f"ids without classes: {what}"
        yield Input(name, files, ("check", "s.json", *DECLARED), "broken", "got other JSON")


def few_classes() -> Iterator[Input]:
    """Yield imports that leave one seen class, and several."""
    values = {"features": X, "labels": LABELS, "class_names": np.array(NAMES)}
    values["prototypes"] = np.random.default_rng(3).random((len(NAMES), 6))
    files = {"few.npz": values}
    for seen, cause, never in (
        (SEEN[:1], "warning +Only 1 seen class:", ""),
        (SEEN, " 7 seen ", "warning"),
    ):
        unseen = [name for name in NAMES if name not in seen]
        command = ("import", "few.npz", "--name", "few", "--unseen", *unseen)
        name = f"import with {len(seen)} seen classes"
        yield Input(name, files, command, "clean", cause, never=never)


def _rows(n_leaked: int) -> list[tuple[str, str, str]]:
    """Return the entries of a split with the index of its class in each image."""
    return [(f"{k:04}_{image}", *row) for k, (image, *row) in enumerate(rows_of_split(n_leaked))]


GENERATORS = (
    sizes_in_folders,
    rows_of_scores,
    compared_files,
    images_and_labels,
    scaled_copies,
    nested_records,
    empty_lists,
    decimal_commas,
    few_classes,
    released_lists,
)
