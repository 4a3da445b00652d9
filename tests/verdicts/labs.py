"""Inputs as laboratories and libraries write them, for :mod:`tests.verdicts.inputs`.

Names of several fields, compositions of attribute and object, exports of tools.
"""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

import numpy as np
import pandas as pd

from tests.verdicts.fields import CLEAN, of_part, rows_of_split, table_of, torch_bytes
from tests.verdicts.inputs import (
    CHECK_FOLDER,
    DECLARED,
    LABELS,
    NAMES,
    SCORES,
    SEEN,
    SOUND,
    TRUE,
    UNSEEN,
    UNSEEN_CLASSES,
    UNSEEN_NAMES,
    H,
    Input,
    Y,
)

#: Names of two lists that differ only in a part of a name -> seen classes, unseen classes.
DIFFERENT = {
    "scenes": (
        ("/a/abbey", "/c/church/indoor", "/a/apartment_building/outdoor", "/b/bakery/shop"),
        ("/c/church/outdoor", "/b/bakery/kitchen", "/z/zoo"),
    ),
    "senses": (("dog.n.01", "cat.n.01"), ("dog.n.03", "horse.n.01")),
    "a title above both": (
        ("Label Class_id Super", "0 n01 x"),
        ("Label Class_id Super", "0 n02 x"),
    ),
    "aircraft": (("707-320", "737-200", "A310", "DH-82"), ("737-800", "A380", "Cessna 172")),
    "species": (("Rosa canina", "Acer rubrum L."), ("Rosa rugosa", "Acer rubra (Red maple)")),
    "products": (("iPhone 12", "M&M's (peanut)"), ("iPhone 12 Pro", "M&M's (chocolate)")),
    "letters": (("A", "B", "D"), ("a", "e")),
    "blood groups": (("A+", "AB+"), ("A-", "AB-")),
    "homographs": (("crane, bird", "zebra, animal"), ("crane, machine", "lion, animal")),
    "versions": (("v1.1", "v2.0"), ("v11", "v20")),
}
#: Spelling of a class in one list, spelling in the other, and the right verdict.
SPELLINGS = (
    ("/c/church/outdoor", "church_outdoor", "leaks"),
    ("n02129165 lion", "lion", "leaks"),
    ("bear, grizzly", "grizzly bear", "unknown"),
    ("Grünfink", "Gruenfink", "unknown"),
    ("salt & pepper", "salt and pepper", "unknown"),
)


#: Two seen and two unseen classes.
ALL_FOUR = ("dog", "cat", "fox", "cow")


def differing_names() -> Iterator[Input]:
    """Yield lists of classes with similar names: sound, or with one class on both sides."""
    for field, (seen, unseen) in DIFFERENT.items():
        files: dict[str, Any] = {"train_classes.txt": seen, "test_classes.txt": unseen}
        yield Input(f"similar names, {field}: sound", files, CHECK_FOLDER, CLEAN)
        files = {"seen.txt": [*seen, unseen[1]], "unseen.txt": unseen}
        name = f"similar names, {field}: a class on both sides"
        yield Input(name, files, CHECK_FOLDER, "leaks", "1 class", True)
    second = {"/": "/a/abbey", "n02": "n02124075 cat"}
    for seen_name, unseen_name, expected in SPELLINGS:
        other = next((name for start, name in second.items() if seen_name.startswith(start)), "cat")
        files = {"seen.txt": [seen_name, other], "unseen.txt": [unseen_name, "fox"]}
        cause = "1 class" if expected == "leaks" else f"{seen_name}.*{unseen_name}"
        yield Input(f"spellings: {seen_name}", files, CHECK_FOLDER, expected, cause, True)
    names = {"train": [*ALL_FOUR[:2]], "test": [*ALL_FOUR[2:]]}
    for what, more, expected in (("sound", [], CLEAN), ("a class on both sides", ["fox"], "leaks")):
        lists = {"train": [*names["train"], *more], "test": names["test"]}
        meta = {f"meta{part}.txt": listed for part, listed in lists.items()}
        yamls = {
            f"{side}.yaml": f"nc: {len(lists[part])}\nnames: {lists[part]}\n"
            for side, part in (("seen", "train"), ("unseen", "test"))
        }
        groups = {
            part: {"pets": listed[:1], "others": listed[1:]} for part, listed in lists.items()
        }
        marks = {
            f"{side}_classes.npy": np.array([name in lists[part] for name in ALL_FOUR])
            for side, part in (("seen", "train"), ("unseen", "test"))
        }
        for form, files in (
            ("masks of classes", marks),
            ("metatrain", meta),
            ("YAML per side", yamls),
            ("broader classes in JSON", {"split.json": groups}),
            (
                "classes between commas in INI",
                {
                    "s.cfg": "".join(
                        f"[{part}]\nclasses = {', '.join(listed)}\n"
                        for part, listed in lists.items()
                    )
                },
            ),
            (
                "bold parts in Markdown",
                {
                    "s.md": [
                        f"**{part.title()} classes ({len(listed)}):** {', '.join(listed)}\n"
                        for part, listed in lists.items()
                    ]
                },
            ),
        ):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            yield Input(f"{form}: {what}", files, command, expected, "", bool(more))
    files = {"train_classes.txt": ALL_FOUR[:2], "test_classes.txt": ALL_FOUR}
    cause = "test_classes.txt has every training class"
    yield Input("a list of all test classes of GZSL", files, CHECK_FOLDER, "unknown", cause)
    folds = {"seen_classes_1.txt": ALL_FOUR[:2], "unseen_classes_1.txt": ALL_FOUR[2:]}
    folds |= {"seen_classes_2.txt": ALL_FOUR[:3], "unseen_classes_2.txt": ALL_FOUR[2:]}
    yield Input("lists of two folds", folds, CHECK_FOLDER, "unknown", "Not read.*classes_2", True)


def counted_tables() -> Iterator[Input]:
    """Yield a table per part with ids that start anew, and lists of rows from 1: with a leak, too.

    Each class has one test image, so that test images look like classes.
    """
    train = [(f"img_{k:04}", name, 640 + k % 3) for k, (_, name, _) in enumerate(rows_of_split(0))]
    test = [(f"img_{k:04}", name, 640) for k, name in enumerate(UNSEEN)]
    for what, more, expected in (
        ("sound", [], CLEAN),
        ("a test class in train", [("img_0900", UNSEEN[2], 641)], "leaks"),
    ):
        trained = [row for row in train if row[1] in SEEN] + more
        for columns in (["id", "label", "width"], ["id", "label"]):
            files = {
                f"{part}.csv": pd.DataFrame(rows).iloc[:, : len(columns)].set_axis(columns, axis=1)
                for part, rows in (("train", trained), ("test", test))
            }
            name = f"ids that start anew, {len(columns)} columns: {what}"
            yield Input(name, files, CHECK_FOLDER, expected, "", bool(more))
    folds = [
        (f"{name}{k}.jpg", name, part, str(fold))
        for fold, (seen, unseen) in enumerate(((SEEN, UNSEEN), (UNSEEN, SEEN)))
        for part, names in (("train", seen), ("test", unseen))
        for name in names
        for k in range(4)
    ]
    table = pd.DataFrame(folds, columns=["image", "label", "split", "fold"])
    for what, columns in (("images", [*table]), ("classes", [*table][1:])):
        files, cause = {"s.csv": table[columns].drop_duplicates()}, "2 in the column 'fold'"
        command = ("check", *files, *DECLARED)
        yield Input(f"a column of folds, {what}", files, command, "broken unknown", cause)
    parts = {
        "trnid": SOUND["train_loc"],
        "valid": SOUND["val_loc"],
        "tstid": SOUND["test_unseen_loc"],
    }
    labels = np.append(LABELS, [0, 1, 2])  # the lists do not reach the last rows
    files = {
        "setid.mat": {part: rows + 1 for part, rows in parts.items()},
        "imagelabels.mat": {"labels": labels + 1},
    }
    cause = "numbered from 1"
    yield Input("rows from 1 by other names", files, ("check", *files, *DECLARED), "unknown", cause)
    counted = {"train_classes.txt": ["dog 120", "cat 80"], "test_classes.txt": ["cat 10", "cow 12"]}
    name, cause = "a class and its number of images", "cat.*counts of images"
    yield Input(name, counted, CHECK_FOLDER, "unknown", cause, True)
    named = {"seen.txt": ["Rosa canina", "Acer rubrum"], "unseen.txt": ["Rosa canina (Dog rose)"]}
    cause = "may be the same: Rosa canina"
    yield Input("a common name in brackets", named, CHECK_FOLDER, "unknown", cause)


def compositions() -> Iterator[Input]:
    """Yield compositions of attribute and object: sound, with a pair or an image in both parts."""
    pairs = [(a, o) for a in ("ripe", "wet", "old") for o in ("apple", "car", "dog", "road", "cup")]
    seen, unseen = [pairs[k] for k in range(15) if k % 4 != 3], pairs[3::4]
    columns = ["image_id", "attr", "obj", "set"]
    rows = [(f"{p[0]}_{p[1]}{k}.jpg", *p, "train") for p in seen for k in range(4)]
    # The test part has some compositions of the training part, like MIT-States, C-GQA, UT-Zappos.
    rows += [(f"{p[0]}_{p[1]}{k}.jpg", *p, "test") for p in [*unseen, *seen[:3]] for k in (4, 5)]
    for what, pair, row, expected in (
        ("sound", [], [], CLEAN),
        ("in both parts", unseen[:1], [(*rows[-1][:3], "train")], "leaks"),
    ):
        table = pd.DataFrame([*rows, *row], columns=columns)
        lists = {"train_pairs": [*seen, *pair], "test_pairs": unseen}
        for form, files in (
            ("CSV", {"meta.csv": table}),
            ("JSON", {"meta.json": table.to_dict("records")}),
            ("PyTorch", {"metadata.pt": torch_bytes(table.to_dict("records"))}),
            ("lists in JSON", {"split.json": lists}),
        ):
            command = ("check", *files, *DECLARED)
            name = f"compositions, {form}: {what}"
            yield Input(name, files, command, expected, "", bool(pair))
        cut = {"meta.csv": table.to_csv(index=False) + "a.jpg,ripe\n"}
        fields = f"expected 4 fields in row {len(table) + 1}; got 2"
        command = ("check", *cut, *DECLARED)
        yield Input(f"compositions, a row cut: {what}", cut, command, "broken", fields, True)
        tables = {
            f"{side}_pairs.csv": pd.DataFrame(lists[f"{part}_pairs"], columns=["attr", "obj"])
            for side, part in (("seen", "train"), ("unseen", "test"))
        }
        name = f"compositions, a table per side: {what}"
        yield Input(name, tables, CHECK_FOLDER, expected, "", bool(pair))


def tables() -> Iterator[Input]:
    """Yield tables as R, pandas, NumPy, mmpretrain and Markdown write them: sound, with a leak."""
    for what, leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 3, "leaks")):
        rows = rows_of_split(leaked)
        table = table_of(rows, "image", "label", "split")
        numbered = table.set_axis([*range(1, len(table) + 1)])
        r_table = numbered.to_csv(sep=" ", quoting=csv.QUOTE_NONNUMERIC, index_label=False)
        records = [
            json.dumps(dict(zip(("image", "label", "split"), row, strict=True))) for row in rows
        ]
        bare = table.replace(" ", "_", regex=True)
        bars = [f"| {' | '.join(row)} |" for row in rows]
        parts = {part: of_part(rows, part) for part in ("train", "test")}
        sides = {part: [*dict.fromkeys(row[1] for row in of)] for part, of in parts.items()}
        pairs = zip_longest(*sides.values(), fillvalue="")
        for form, files in (
            ("R with numbers of rows", {"s.txt": r_table}),
            ("R in CSV", {"s.csv": r_table}),
            ("spaces", {"s.txt": bare.to_csv(sep=" ", index=False)}),
            ("pandas without separators", {"s.txt": bare.to_string()}),
            ("records by line in JSON", {"s.json": "\n".join(records)}),
            ("rows in JSON", {"s.json": [["image", "label", "split"], *map(list, rows)]}),
            (
                "mmpretrain",
                {
                    f"{part}.json": {
                        "metainfo": {"classes": [*NAMES]},
                        "data_list": [
                            {"img_path": i, "gt_label": NAMES.index(n)} for i, n, _ in of
                        ],
                    }
                    for part, of in parts.items()
                },
            ),
            ("Markdown", {"s.md": ["# Split", "Ours.", "| image | label | split |", RULE, *bars]}),
            (
                "sides in Markdown",
                {
                    "s.md": [
                        *("# Split", "| Seen | Unseen |", "|---|---|"),
                        *(f"| {seen} | {unseen} |" for seen, unseen in pairs),
                    ]
                },
            ),
            (
                "headings of Markdown",
                {
                    "s.md": [
                        *(f"# {len(rows)} images", "## Seen classes (7)"),
                        *(f"- {name}" for name in sides["train"]),
                        *("## Unseen classes (4)", *(f"* {name}" for name in sides["test"])),
                        *("## License", "MIT"),
                    ]
                },
            ),
            (
                "a part in front of its classes",
                {"s.csv": [",".join((part, *names)) for part, names in sides.items()]},
            ),
            (
                "structured NumPy array",
                {"s.npy": np.array(rows, [("image", "U60"), ("label", "U30"), ("split", "U8")])},
            ),
        ):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            cause = "chimpanzee|1 class" if leaked else ""
            yield Input(f"{form}: {what}", files, command, expected, cause, leaked > 0)


def equal_images() -> Iterator[Input]:
    """Yield images in folders or with checksums: different, or one content on both sides."""
    rows = rows_of_split()
    contents = {(image, part): f"{image} {part}".ljust(99).encode() for image, _, part in rows}
    for what, copied, expected, never in (
        ("different contents", {}, CLEAN, "share a photograph"),
        ("3 copies in training", dict(zip(rows[-3:], rows[:3], strict=True)), "leaks", ""),
    ):
        of_row = {row: contents[copied.get(row, row)[::2]] for row in rows}
        folders = {f"{part}/{image}": content for (image, _, part), content in of_row.items()}
        digests = {row: hashlib.md5(content).hexdigest() for row, content in of_row.items()}
        table = table_of(rows, "path", "label", "split").assign(md5=digests.values())
        listing = [f"{digest}  ./{row[2]}/{row[0]}" for row, digest in digests.items()]
        lists = {
            f"{part}.txt": [f"{p}/{image}" for image, _, p in of_part(rows, part)]
            for part in ("train", "test")
        }
        sounds = {
            f"{path.replace('/', '_classes/', 1).removesuffix('.jpg')}.wav": content
            for path, content in folders.items()
        }
        for form, files in (
            ("folders", folders),
            ("folders of classes with sounds", sounds),
            ("lists beside folders", lists | folders),
            ("a column of checksums", {"s.csv": table}),
            ("md5sum", {"md5sums.txt": listing}),
        ):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            cause = r"3 of \d+ rows of test_unseen.*(contents|checksums)" if copied else ""
            name = f"equal images, {form}: {what}"
            yield Input(name, files, command, expected, cause, bool(copied), never)


def scores_of_tools() -> Iterator[Input]:
    """Yield batches, counts of pairs of classes, files per side, and columns in another order."""
    answers = SCORES.argmax(axis=1)
    parts = [slice(k, k + 40) for k in range(0, len(Y), 40)]
    batches = [{"logits": SCORES[k].tolist(), "labels": Y[k].tolist()} for k in parts]
    lines = [json.dumps({"preds": answers[k].tolist(), "targets": Y[k].tolist()}) for k in parts]
    pairs = pd.DataFrame({"Prediction": np.array(NAMES)[answers], "Reference": TRUE})
    counts = pairs.value_counts().rename("Freq").reset_index()
    table = pd.DataFrame(SCORES, columns=[*NAMES]).assign(label=TRUE)
    of_unseen = np.isin(Y, UNSEEN_CLASSES)
    sides = {"test_seen.csv": table[~of_unseen], "test_unseen.csv": table[of_unseen]}
    matrix = pairs.value_counts().unstack(fill_value=0).reindex(index=NAMES, columns=NAMES)
    nested = {
        name: [values[k].tolist() for k in parts] for name, values in (("logits", SCORES), ("y", Y))
    }
    bracketed = table.rename(columns={name: f"p({name})" for name in NAMES})
    german = pd.DataFrame({"Wahre Klasse": TRUE, "Vorhersage": pairs.Prediction})
    bare, labels = pd.DataFrame(SCORES).to_csv(index=False, header=False), "\n".join(map(str, Y))
    numbers, names = [*map(str, UNSEEN_CLASSES)], UNSEEN_NAMES
    for form, files, unseen in (
        ("batches in JSON", {"p.json": batches}, numbers),
        ("batches by line", {"p.jsonl": lines}, numbers),
        ("counts of pairs", {"c.csv": counts}, names),
        ("nested batches in JSON", {"p.json": nested}, numbers),
        ("a confusion matrix", {"c.csv": matrix.rename_axis("Predicted").to_csv()}, names),
        (
            "a confusion matrix of true rows",
            {"c.csv": matrix.T.rename_axis("true").to_csv()},
            names,
        ),
        ("German titles", {"p.csv": german.to_csv(index=False, sep=";")}, names),
        ("classes in brackets", {"s.csv": bracketed}, names),
        ("a file per side", {f"out/{name}": of for name, of in sides.items()}, ()),
    ):
        path = "out" if form == "a file per side" else next(iter(files))
        command = ("score", path, *(("--unseen", *unseen) if unseen else ()))
        yield Input(f"scores, {form}", files, command, "clean", H)
    files = {"s.csv": bare, "y.txt": labels}
    command = ("score", "s.csv", "--labels", "y.txt", "--unseen", *numbers)
    yield Input("scores, a table without titles", files, command, "clean", H)
    part = np.where(np.arange(len(Y)) < 9, "train", "test")
    listed = {"scores": SCORES, "y": Y, "seen": np.array([0, 1]), "unseen": UNSEEN_CLASSES}
    sides_of = np.where(of_unseen, "unseen", "seen")
    of_image = pd.DataFrame({"image": [f"{k}.jpg" for k in range(len(Y))]})
    twice = of_image.assign(label=TRUE, image=["0.jpg", *of_image.image[:-1]])
    for what, files, more, cause in (
        ("training images", {"s.csv": table.assign(split=part)}, names, "9 of 'train'"),
        ("sides", {"s.csv": table.assign(side=sides_of)}, names[:1], "listed unseen classes"),
        ("classes on no side", {"s.npz": listed}, (), "11 columns, and 6 classes"),
        (
            "an image with two labels",
            {"s.csv": table.iloc[:, :-1].join(of_image), "y.csv": twice},
            (*names, "--labels", "y.csv"),
            "'0.jpg' more than once",
        ),
    ):
        command = ("score", next(iter(files)), *(("--unseen", *more) if more else ()))
        yield Input(f"scores, contradictions, {what}", files, command, "broken", cause, True)
    for above in ("\n", "sep=,\r\n", "# epoch 3\n# of 9\n"):
        files = {"s.csv": above + table.to_csv(index=False)}
        command = ("score", "s.csv", "--unseen", *names)
        yield Input(f"scores, {above!r} above the titles", files, command, "clean", H)
    within = {int(c): i for i, c in enumerate(UNSEEN_CLASSES)}
    numbered = pd.DataFrame({"y_true": Y, "y_pred": answers}).map(lambda c: within.get(c, c))
    numbered["side"] = np.where(of_unseen, "unseen", "seen")
    name, cause = "scores, predicted classes numbered within a side", "numbered from 0"
    yield Input(name, {"p.csv": numbered}, ("score", "p.csv"), "broken", cause, True)
    order = [3, 1, 0, 2, 10, 9, 8, 7, 6, 5, 4]
    moved = pd.DataFrame(SCORES[:, order], columns=[NAMES[k] for k in order]).assign(label=Y)
    command = ("score", "s.csv", "--unseen", *names)
    cause = "another order of columns"
    yield Input("scores, columns in another order", {"s.csv": moved}, command, "broken", cause)
    blocks = {
        "out/logits_seen.npy": np.delete(SCORES, UNSEEN_CLASSES, axis=1),
        "out/logits_unseen.npy": SCORES[:, UNSEEN_CLASSES],
        "out/labels.npy": Y,
    }
    name = "scores, an array of columns per side, labels of all classes"
    yield Input(name, blocks, ("score", "out"), "broken unknown", "--unseen")
    command = ("score", "out", "--unseen", *map(str, UNSEEN_CLASSES))
    yield Input(f"{name}, unseen classes stated", blocks, command, "clean", H)


#: Line between titles and rows of a table in Markdown.
RULE = "|---|:---:|---|"
GENERATORS = (differing_names, counted_tables, compositions, tables, equal_images, scores_of_tools)
