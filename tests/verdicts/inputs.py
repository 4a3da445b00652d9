"""Inputs of :mod:`tests.verdicts.test_verdicts`: layouts x faults x containers.

Each input states the right verdicts and a pattern of the cause.
"""

from __future__ import annotations

import io
import json
import pickle
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

#: Declarations without which the report on every split has open findings.
DECLARED = (
    *("--hyperparameters-on", "validation", "--epochs-on", "validation"),
    *("--gamma-on", "validation", "--prototypes-from", "independent", "--pretraining", "none"),
)
CHECK_FOLDER = ("check", ".", *DECLARED)
SEEN = ("antelope", "grizzly bear", "killer whale", "beaver", "dalmatian", "persian cat", "skunk")
UNSEEN = ("chimpanzee", "giant panda", "leopard", "hippopotamus")
NAMES = (*SEEN, *UNSEEN)
#: With unseen classes outside ImageNet-1K, which is assumed if nothing is declared.
SPLIT_NAMES = (*SEEN, "giraffe", "blue whale", "bat", "walrus")
PER_CLASS, DIM = 30, 24
ENDINGS = ("mat", "npz")
Parts = dict[str, np.ndarray]


@dataclass(frozen=True)
class Input:
    """One generated input.

    Attributes
    ----------
    files : content by file name; see :func:`tests.writing.write_file`
    command : words of the command line, run in the folder of the files
    expected : every right verdict, parts separated by a space
    cause : pattern that the first lines of the report have to match
    faulty : whether a fault was planted
    never : pattern that the report may not match
    """

    name: str
    files: Mapping[str, Any]
    command: tuple[str, ...]
    expected: str
    cause: str = ""
    faulty: bool = False
    never: str = ""


# --- A sound split, and faults --------------------------------------------------------------------


def world() -> tuple[np.ndarray, np.ndarray, Parts]:
    """Return features, labels from 0, and the 0-based rows of a sound split."""
    rng = np.random.default_rng(7)
    labels = rng.permutation(np.repeat(np.arange(len(NAMES)), PER_CLASS))
    X = rng.normal(size=(len(labels), DIM)).astype(np.float32)
    held_out = np.concatenate([np.flatnonzero(labels == c)[:11] for c in range(len(SEEN))])
    unseen = np.flatnonzero(labels >= len(SEEN))
    trainval = np.setdiff1d(np.flatnonzero(labels < len(SEEN)), held_out)
    val = trainval[labels[trainval] < 2]
    train = np.setdiff1d(trainval, val)
    parts = {"trainval_loc": trainval, "train_loc": train, "val_loc": val}
    parts |= {"test_seen_loc": np.sort(held_out), "test_unseen_loc": unseen}
    return X, labels, parts


X, LABELS, SOUND = world()
N = len(LABELS)


def with_rows(part: str, rows: np.ndarray) -> Parts:
    """Return the sound split with more rows in one part."""
    return SOUND | {part: np.append(SOUND[part], rows)}


def without_folds(parts: Mapping[str, np.ndarray]) -> Parts:
    """Return a split without its training and validation lists."""
    return {name: rows for name, rows in parts.items() if name not in ("train_loc", "val_loc")}


def to_masks(parts: Mapping[str, np.ndarray], kind: str) -> Parts:
    """Return every list as a mask over all images."""
    return {name: np.isin(np.arange(N), rows).astype(kind) for name, rows in parts.items()}


def from_one(parts: Mapping[str, np.ndarray]) -> Parts:
    """Return row numbers as in the benchmark, from 1."""
    return {name: rows + 1 for name, rows in parts.items()}


def faults() -> Iterator[tuple[str, Parts, str, str]]:
    """Yield name, lists as written, right verdicts, and cause."""
    container = from_one
    leaking = "leaks"
    yield "sound", container(SOUND), "clean", ""
    yield "no folds", container(without_folds(SOUND)), "clean unknown", ""
    yield "lists in another order", container({k: v[::-1] for k, v in SOUND.items()}), "clean", ""
    yield "float numbers", {k: v.astype(float) for k, v in container(SOUND).items()}, "clean", ""
    yield "from zero", SOUND, "clean", r"from 0|off by one|zero"
    yield "boolean masks", to_masks(SOUND, "bool"), "clean", r"mask"
    yield "0/1 masks", to_masks(SOUND, "uint8"), "clean", r"mask"
    shifted = container(SOUND) | {"trainval_loc": SOUND["trainval_loc"] + 2}
    yield "trainval one too high", shifted, "clean broken unknown", r"trainval.*(one|1)\b"
    shifted = container(SOUND) | {"test_unseen_loc": SOUND["test_unseen_loc"]}
    yield ("test_unseen from zero", shifted, "clean broken unknown", r"test_unseen.*(one|0)\b")
    swapped = SOUND | {"test_seen_loc": SOUND["test_unseen_loc"]}
    swapped |= {"test_unseen_loc": SOUND["test_seen_loc"]}
    yield "test parts exchanged", container(swapped), "clean broken unknown", r"exchang|swap"
    leaked = SOUND["test_seen_loc"][:3]
    trainval = with_rows("trainval_loc", leaked[:1])
    yield "from zero, a test row in trainval", trainval, leaking, r"1 row\b.*from 0|from 0.*1 row\b"
    both = container(swapped | {"trainval_loc": np.append(SOUND["trainval_loc"], leaked)})
    yield "exchanged, 3 test rows in trainval", both, leaking, r"3 rows.*swap|swap.*3 rows"
    pair = {name: rows for name, rows in SOUND.items() if name != "trainval_loc"}
    yield "no list of trainval", container(pair), "clean", r"trainval.*union of train and val"
    pair = pair | {"train_loc": np.append(pair["train_loc"], leaked)}
    yield "no list of trainval, 3 test rows in train", container(pair), leaking, r"\b3\b"
    yield "3 test rows in trainval", container(with_rows("trainval_loc", leaked)), leaking, r"\b3\b"
    leaked = SOUND["test_seen_loc"]
    first = with_rows("train_loc", leaked[::2]) | {
        "val_loc": np.append(SOUND["val_loc"], leaked[1::2])
    }
    yield "test_seen in train and val", container(first), leaking, rf"\b{len(leaked)}\b"
    unseen = SOUND["test_unseen_loc"]
    yield (
        "unseen rows in trainval",
        container(with_rows("trainval_loc", unseen[:5])),
        leaking,
        r"\b5\b",
    )
    some = np.flatnonzero(len(SEEN) == LABELS)
    moved = with_rows("trainval_loc", some[:10]) | {
        "test_unseen_loc": np.setdiff1d(unseen, some[:10])
    }
    yield "a test class in trainval", container(moved), leaking, r"giraffe|1 class|class 8"
    val = SOUND | {"val_loc": np.append(SOUND["val_loc"], unseen[:40])}
    yield "validation on test rows", container(val), leaking, r"\b40\b|val"
    rng = np.random.default_rng(1)
    mixed = rng.permutation(SOUND["trainval_loc"])
    weak = SOUND | {"train_loc": mixed[30:], "val_loc": mixed[:30]}
    yield "validation on seen classes", container(weak), "clean", r"same classes|seen classes|valid"
    beyond = container(SOUND)
    beyond["test_seen_loc"] = np.append(beyond["test_seen_loc"], N + 1)
    yield "a row beyond the last", beyond, "broken", rf"(?i){N + 1}|out of range|outside|beyond"
    negative = container(SOUND)
    negative["train_loc"] = np.append(negative["train_loc"], -5)
    yield "a negative row", negative, "broken", r"(?i)-5|−5|negative|out of range|outside"
    wrapped = {k: v + 32760 - 200 for k, v in container(SOUND).items()}
    wrapped = {k: v.astype(np.int16) for k, v in wrapped.items()}
    yield (
        "int16 that wrapped round",
        wrapped,
        "broken",
        r"(?i)outside|out of range|negative|int16|wrap",
    )
    halves = {k: v.astype(float) for k, v in container(SOUND).items()}
    halves["train_loc"][0] += 0.5
    yield "half a row number", halves, "broken", r"(?i)whole|integer|\.5"
    missing = {k: v.astype(float) for k, v in container(SOUND).items()}
    missing["train_loc"][0] = np.nan
    yield "NaN among rows", missing, "broken", r"NaN|nan|whole|integer|finite"
    yield (
        "an empty test part",
        container(SOUND | {"test_unseen_loc": unseen[:0]}),
        "broken",
        r"test_unseen",
    )
    twice = with_rows("train_loc", SOUND["train_loc"][:4])
    yield "rows twice in a list", container(twice), "clean broken", r"twice|repeat|more than once|4"
    silent = SOUND | {"unlabeled_loc": unseen}
    yield "a list of unlabelled images", container(silent), "unknown", r"unlabel|transductive"
    silent = SOUND | {"trans_train_loc": unseen}
    yield "a transductive list", container(silent), "unknown", r"trans"
    every = SOUND | {"all_train_test_loc": np.arange(N)}
    yield "a list of all images", container(every), "unknown clean", r""
    hidden = SOUND | {"train_allclass_loc": np.append(SOUND["trainval_loc"], unseen[:50])}
    yield (
        "another training list with test rows",
        container(hidden),
        leaking,
        r"train_allclass|\b50\b",
    )


def splits() -> Iterator[Input]:
    """Yield split files of row numbers: as folders, as files, with and without declarations."""
    S = np.random.default_rng(3).random((6, len(NAMES)))
    for fault, parts, expected, cause in faults():
        faulty = not {"clean", "unknown"} & set(expected.split())
        split = {**parts, "att": S, "allclasses_names": SPLIT_NAMES}
        files = tuple(f"{SPLIT_NAMES[c]}/{i:05}.jpg" for i, c in enumerate(LABELS))
        features = {"features": X.T, "labels": LABELS + 1, "image_files": files}
        undeclared = expected.replace("clean", "unknown")
        mat, npz = (tuple(f"{name}.{end}" for name in ("att_splits", "res101")) for end in ENDINGS)
        for layout, files_of, more, command, right in (
            (".mat", mat, {}, CHECK_FOLDER, expected),
            ("-v7.3 .mat", mat, {"#format": "-v7.3"}, CHECK_FOLDER, expected),
            (".npz", npz, {}, ("check", *npz, *DECLARED), expected),
            ("without declarations", mat, {}, ("check", *mat), undeclared),
        ):
            files = dict(zip(files_of, (split | more, features | more), strict=True))
            yield Input(f"split {layout}: {fault}", files, command, right, cause, faulty)


# --- Lists of images and of classes ---------------------------------------------------------------


SPELLINGS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "underscores": lambda name: name.replace(" ", "_"),
    "plus signs": lambda name: name.replace(" ", "+"),
    "hyphens": lambda name: name.replace(" ", "-"),
    "title case": str.title,
    "camel case": lambda name: name.title().replace(" ", ""),
    "numbers in front": lambda name: f"{NAMES.index(name) + 1:03}.{name.replace(' ', '_')}",
    "numbers in a column": lambda name: f"{NAMES.index(name) + 1} {name.replace(' ', '_')}",
    "numbers behind": lambda name: f"{name},{NAMES.index(name)}",
}
LISTS = {
    "seen and unseen": ("seen_classes.txt", "unseen_classes.txt"),
    "trainvalclasses": ("trainvalclasses.txt", "testclasses.txt"),
    "trainclasses1": ("trainclasses1.txt", "testclasses.txt"),
}


def class_lists() -> Iterator[Input]:
    """Yield lists of classes per side: sound, or with a class on both sides in two spellings."""
    panda = r"(?i)giant.?panda"
    for layout, (seen, unseen) in LISTS.items():
        for spelling, spell in SPELLINGS.items():
            name = f"class lists, {layout}, {spelling}"
            spelt = {unseen: [spell(item) for item in UNSEEN]}
            sound = {seen: [spell(item) for item in SEEN]} | spelt
            both = {seen: [*SEEN, UNSEEN[1]]} | spelt
            yield Input(f"{name}: sound", sound, CHECK_FOLDER, "clean unknown")
            yield Input(f"{name}: a class on both sides", both, CHECK_FOLDER, "leaks", panda, True)
    for validated in ("valclasses.txt", "valclasses1.txt", "val_classes.txt"):
        for case_name, classes, expected, cause in (
            ("sound", SEEN[5:], "clean unknown", ""),
            ("test classes", UNSEEN[:2], "leaks", r"(?i)val"),
            ("training classes", SEEN[:2], "clean unknown", r"(?i)val"),
        ):
            files = {"trainclasses.txt": SEEN[:5], validated: classes, "testclasses.txt": UNSEEN}
            name = f"class lists, {validated}: {case_name}"
            yield Input(name, files, CHECK_FOLDER, expected, cause, expected == "leaks")


def items(classes: Sequence[str], start: int = 0, n: int = 12) -> list[tuple[str, int, str]]:
    """Return image, label and class of ``n`` images of each class."""
    return [
        (f"{name.replace(' ', '_')}/{name.replace(' ', '_')}_{i:04}.jpg", NAMES.index(name), name)
        for name in classes
        for i in range(start, start + n)
    ]


def image_lists() -> Iterator[Input]:
    """Yield lists of images in the layouts of published code."""
    train, seen, unseen = items(SEEN), items(SEEN, 12, 11), items(UNSEEN, 0, 12)

    def texts(rows: Sequence[tuple[str, int, str]], form: str) -> list[str]:
        return [form.format(image=image, label=label) for image, label, _ in rows]

    for form in ("{image} {label}", "{image}", "{image},{label}"):
        for case_name, more, expected, cause in (
            ("sound", [], "clean unknown", ""),
            ("4 test images in train", seen[:4], "leaks", r"\b4\b"),
            ("a test class in train", items(UNSEEN[:1], 12, 5), "leaks", r"(?i)chimpanzee|1 class"),
        ):
            files = {
                "train.txt": texts([*train, *more], form),
                "test_seen.txt": texts(seen, form),
                "test_unseen.txt": texts(unseen, form),
            }
            name = f"image lists '{form}': {case_name}"
            yield Input(name, files, CHECK_FOLDER, expected, cause, expected == "leaks")
    official = {
        "trainlist01.txt": texts([*train, *items(UNSEEN[:2], 12, 5)], "{image} {label}"),
        "testlist01.txt": texts(unseen, "{image}"),
    }
    name = "image lists: labels in one list only, test classes in train"
    cause, never = "2 classes are both seen and unseen", "No class has both"
    numbers = {"classInd.txt": [f"{c} {name.replace(' ', '_')}" for c, name in enumerate(NAMES)]}
    yield Input(name, official, CHECK_FOLDER, "leaks", cause, True, never)
    name += ", with classInd.txt"
    yield Input(name, official | numbers, CHECK_FOLDER, "leaks", cause, True, never)
    sound = official | {"trainlist01.txt": texts(train, "{image} {label}")}
    name = "image lists: labels in one list only: sound"
    yield Input(name, sound, CHECK_FOLDER, "clean unknown", r"folder of an image names its class")
    rng = np.random.default_rng(0)
    many = {
        part: [
            f"images/{start + i:05}.png {' '.join(map(str, rng.integers(0, 2, 14)))}"
            for i in range(40)
        ]
        for part, start in (("train.txt", 0), ("test.txt", 40))
    }
    name = "image lists: 14 labels an image"
    yield Input(name, many, ("check", "."), "broken", r"(?i)label", True)


def labels() -> Iterator[Input]:
    """Yield lists that name classes differently in two parts, and images with several labels."""
    stray = items(UNSEEN[:1], 12, 5)
    columns = ["image", "label", "class"]
    for case_name, more in (("sound", []), ("a test class in train", stray)):
        leaks = "leaks" if more else "clean unknown"
        train = pd.DataFrame([*items(SEEN), *more], columns=columns)
        test = pd.DataFrame(items(UNSEEN), columns=columns)
        named = test[["image", "class"]].rename(columns={"class": "label"})
        flat = [item.assign(image=item.image.str.replace("/", "-")) for item in (train, named)]
        from_1 = [f"{image} {label + 1}" for image, label, _ in [*items(SEEN), *more]]
        from_0 = [f"{image} {label}" for image, label, _ in items(UNSEEN)]
        hot = [
            pd.concat([item.image.str.replace("/", "-"), pd.get_dummies(item["class"])], axis=1)
            for item in (train, test)
        ]
        hot = [item.reindex(columns=["image", *NAMES], fill_value=False) for item in hot]
        hot = [item.astype(dict.fromkeys(NAMES, int)) for item in hot]
        one_each = {
            part: [{"image": image, "labels": [name]} for image, _, name in rows]
            for part, rows in (("train", [*items(SEEN), *more]), ("test", items(UNSEEN)))
        }
        for layout, files, expected in (
            ("numbers in train, names in test", (train[["image", "label"]], named), leaks),
            ("the same without folders", (flat[0][["image", "label"]], flat[1]), "unknown"),
            ("one column per class", hot, leaks),
        ):
            cause = "numbers in train and names in test" if expected == "unknown" else ""
            cause = "chimpanzee|1 class" if expected == "leaks" else cause
            tables = dict(zip(("train.csv", "test.csv"), files, strict=True))
            name = f"labels, {layout}: {case_name}"
            never = "OK +ZSL001" if expected == "unknown" else ""
            yield Input(name, tables, CHECK_FOLDER, expected, cause, bool(more), never)
        lists = {"train.txt": from_1, "test.txt": from_0}
        name = f"labels from 1 in train, from 0 in test: {case_name}"
        yield Input(name, lists, CHECK_FOLDER, leaks, "folder of an image", bool(more))
        files = {"split.json": one_each}
        yield Input(
            f"labels in lists of one: {case_name}", files, ("check", *files, *DECLARED), leaks
        )
    images = [f"img/{i:05}.png" for i in range(40)]
    for case_name, texts in (
        ("bars", ["Edema|Mass", "Mass", "Mass|Nodule", "Hernia"]),
        ("a list in a cell", ["['cat', 'dog']", "['dog']", "['fox', 'dog']", "['cat']"]),
        ("commas", ["cat, dog", "dog", "dog, fox", "fox, cat"]),
    ):
        table = pd.DataFrame({"image": images, "label": texts * 10})
        files = {"train.csv": table[:20], "test.csv": table[20:]}
        name, cause = f"several labels an image, {case_name}", "one class per image"
        yield Input(name, files, ("check", "."), "broken", cause, True)
    table = pd.DataFrame({"image": images, "label": ["animal|cat", "animal|dog"] * 20})
    test = table.assign(image=table.image + ".png", label=["missile, rocket", "missile"] * 20)
    name = "broader classes and synonyms in a name: sound"
    yield Input(name, {"train.csv": table, "test.csv": test}, CHECK_FOLDER, "clean unknown")


#: Name of a layout -> names of its lists of seen and of unseen classes.
NAMES_OF_LISTS = {
    "class lists for training and zero-shot": ("training_classes.txt", "zero_shot_classes.txt"),
    "class lists of source and target": ("source_classes.csv", "target_classes.csv"),
    "class lists with another ending": ("trainclasses.lst", "testclasses.lst"),
    "class lists in JSON": ("cls_train.json", "cls_test.json"),
    "class lists in German": ("gesehen.txt", "ungesehen.txt"),
    "class lists in French": ("classes_vues.txt", "classes_non_vues.txt"),
    "class lists in Spanish": ("clases_vistas.txt", "clases_no_vistas.txt"),
    "class lists in Chinese": ("可见类.txt", "不可见类.txt"),
}
PARTS_OF_FEW_SHOT = {"base.csv": "train", "val.csv": "val", "novel.csv": "test"}


def folders() -> Iterator[Input]:
    """Yield folders of other layouts: read, or refused by a sentence that names their files."""
    for leaked, case_name in ((), "sound"), (UNSEEN[:1], "a test class in train"):
        base, val, novel = [*SEEN[:5], *leaked], SEEN[5:], UNSEEN
        stages = {
            "stage_1_train.txt": SEEN[:5],
            "stage_1_val_unseen.txt": val,
            "stage_2_train.txt": [*SEEN, *leaked],
            "stage_2_test_unseen.txt": novel,
        }
        named = {"base.json": base, "val.json": val, "novel.json": novel}
        filelists = {
            name: {
                "label_names": list(NAMES),
                "image_names": [image for image, _, _ in items(classes)],
                "image_labels": [label for _, label, _ in items(classes)],
            }
            for name, classes in named.items()
        }
        tables = {
            f"{part}.csv": pd.DataFrame(items(classes), columns=["filename", "number", "label"])
            for part, classes in (("train", base), ("val", val), ("test", novel))
        }
        numbers = {
            "seen_classes.npy": np.array([NAMES.index(name) for name in (*SEEN, *leaked)]),
            "unseen_classes.npy": np.array([NAMES.index(name) for name in UNSEEN]),
        }
        few_shot = {name: tables[f"{part}.csv"] for name, part in PARTS_OF_FEW_SHOT.items()}
        kinetics = {f"kinetics400_{name}": table for name, table in tables.items()}
        metadata = {f"{name[:-4]}/metadata.csv": table for name, table in tables.items()}
        marked = {
            f"{name.replace(' ', '_')}_test_split1.txt": [
                *(f"{image.split('/')[1]} {2 if name in UNSEEN else 1}" for image, _, _ in of_one),
                *(f"x_{image.split('/')[1]} 1" for image, _, _ in of_one if name in leaked),
            ]
            for name in NAMES
            for of_one in [items([name])]
        }
        lists = {
            layout: {seen: [*SEEN, *leaked], unseen: [*UNSEEN]}
            for layout, (seen, unseen) in NAMES_OF_LISTS.items()
        }
        for layout, files in (
            *lists.items(),
            ("base/val/novel CSV", few_shot),
            ("part among the words of a CSV", kinetics),
            ("metadata per part", metadata),
            ("marks per class", marked),
            ("base/val/novel JSON", filelists),
            ("stage lists", stages),
            ("train/val/test CSV", tables),
            ("class arrays", numbers),
        ):
            expected = "leaks" if leaked else "clean unknown"
            cause = "" if leaked else r"base|novel|stage|train|seen|HMDB|lists of classes"
            yield Input(
                f"{layout}: {case_name}", files, CHECK_FOLDER, expected, cause, bool(leaked)
            )


# --- Class names ----------------------------------------------------------------------------------

IN_IMAGENET = ("chimpanzee", "leopard", "hippopotamus", "giant panda", "killer whale", "skunk")
NONSENSE = ("blorf", "quazzle", "wimbat gruu", "snorp", "flibbet", "zandoo")
LINES: dict[str, Callable[[int, str], str]] = {
    "names": lambda i, name: name,
    "name,number": lambda i, name: f"{name},{i}",
    "number,name": lambda i, name: f"{i},{name}",
    "id, name": lambda i, name: f"Label_A_{i:02}, {name}",
    "17 017.Name": lambda i, name: f"{i + 1} {i + 1:03}.{name.title().replace(' ', '_')}",
    "017.Name": lambda i, name: f"{i + 1:03}.{name.title().replace(' ', '_')}",
    "prompts": lambda i, name: f"a photo of a {name}.",
    "dictionary": lambda i, name: f"{i}: '{name}',",
    "tabs": lambda i, name: f"{i}\t{name}",
    "camel case": lambda i, name: name.title().replace(" ", ""),
}
#: Name of a file of class names, and a remark -> its content.
FILES_OF_NAMES: dict[str, Callable[[Sequence[str]], Any]] = {
    "labels.json under a title": lambda names: {"label_names": [*names]},
    "labels.json in inner objects": lambda names: {
        "default": {"features": {"label": {"names": [*names], "_type": "ClassLabel"}}}
    },
    "labels.jsonl": lambda names: "".join(
        json.dumps({"label": i, "text": name}) + "\n" for i, name in enumerate(names)
    ),
    "labels.yaml": lambda names: [f"{name}: {i}" for i, name in enumerate(names)],
    "labels.pbtxt": lambda names: "".join(
        f"item {{\n  id: {i}\n  name: '{name}'\n}}\n" for i, name in enumerate(names, 1)
    ),
    "labels.npy": np.array,
}


def names() -> Iterator[Input]:
    """Yield lists of class names, in ImageNet-1K or in no dictionary, in every line format."""
    contaminated = ("contamination", "--classes", "labels.txt", "--extractor", "ResNet-101")
    check, no, yes = ("check", "labels.txt"), r"[Nn]one (of 6|is in)", r"ResNet-101: Yes"
    for form, line in LINES.items():
        in_imagenet = {"labels.txt": [line(i, name) for i, name in enumerate(IN_IMAGENET)]}
        in_none = {"labels.txt": [line(i, name) for i, name in enumerate(NONSENSE)]}
        for case_name, files, command, expected, cause, never in (
            ("in ImageNet-1K", in_imagenet, check, "leaks unknown clean", r"\b6 of 6\b", no),
            ("in no dictionary", in_none, check, "unknown", "", no),
            ("in ImageNet-1K, contamination", in_imagenet, contaminated, "any", r"No\b|6 of", yes),
            ("in no dictionary, contamination", in_none, contaminated, "any", "", yes),
        ):
            right = expected.replace("any", "clean leaks unknown broken")
            faulty = files is in_imagenet
            yield Input(
                f"class names, {form}: {case_name}", files, command, right, cause, faulty, never
            )
    for name, content in FILES_OF_NAMES.items():
        form = name.partition(" ")
        for case_name, classes, right in (
            ("in ImageNet-1K", IN_IMAGENET, (r"\b6 of 6\b", r"No\b|6 of")),
            ("in no dictionary", NONSENSE, ("none of the 6", "Unknown")),
        ):
            files = {form[0]: content(classes)}
            for command, cause, never in (
                (("check", form[0]), right[0], no),
                (
                    ("contamination", "--classes", form[0], "--extractor", "ResNet-101"),
                    right[1],
                    yes,
                ),
            ):
                title = f"class names, {name}, {command[0]}: {case_name}"
                expected, faulty = "clean leaks unknown", classes is IN_IMAGENET
                yield Input(title, files, command, expected, cause, faulty, never)
    ids = ["n02481823", "n02128385", "n02398521"]
    for name, lines in (("labels.txt", ids), ("labels.csv", ["wnid", *ids])):
        title = f"class names: WordNet ids, {name}"
        yield Input(title, {name: lines}, ("check", name), "leaks unknown clean", "3 of 3", True)
    settings = {
        "config.yaml": ["DATASETS:", "  TRAIN: [coco_train]", "INPUT:", "  SIZE: [640, 672]"]
    }
    yield Input("class names: settings", settings, ("check", "config.yaml"), "broken")


# --- Scores ---------------------------------------------------------------------------------------


def scores_world() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return scores of a fair model, labels, and the numbers of the unseen classes."""
    rng = np.random.default_rng(5)
    y = rng.permutation(np.repeat(np.arange(len(NAMES)), 40))
    scores = rng.normal(size=(len(y), len(NAMES)))
    scores[np.arange(len(y)), y] += 1.6
    unseen = np.array([2, 5, 8, 9])
    scores[:, np.setdiff1d(np.arange(len(NAMES)), unseen)] += 0.4
    return scores, y, unseen


SCORES, Y, UNSEEN_CLASSES = scores_world()


def masked(value: float, which: str = "unseen") -> np.ndarray:
    """Return scores that prefer the other side for the images of a side."""
    scores, rows = SCORES.copy(), np.isin(Y, UNSEEN_CLASSES)
    columns = np.isin(np.arange(len(NAMES)), UNSEEN_CLASSES)
    if which in ("unseen", "both"):
        scores[np.ix_(rows, ~columns)] = value
    if which in ("seen", "both"):
        scores[np.ix_(~rows, columns)] = value
    return scores


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return the probabilities of every row."""
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


UNSEEN_NAMES = tuple(NAMES[c] for c in UNSEEN_CLASSES)
#: Class -> its number among those of its side.
WITHIN = {int(c): i for i, c in enumerate(UNSEEN_CLASSES)}
WITHIN_SEEN = {c: i for i, c in enumerate(np.setdiff1d(np.arange(len(NAMES)), UNSEEN_CLASSES))}
H = r"(?m)^\s*H\b.*\d"


def score_files() -> Iterator[Input]:
    """Yield score files: judged, questioned, or called incomparable."""
    score = ("score", "s.npz")

    def archive(**values: Any) -> dict[str, Any]:
        full = {"scores": SCORES, "y": Y, "unseen_classes": UNSEEN_CLASSES} | values
        return {"s.npz": {name: value for name, value in full.items() if value is not None}}

    low = SCORES.copy()
    low[:, 3] = -1e9
    mask = r"(?i)mask|true side|side (was|is) given|NaN|finite"
    alarm = r"(?i)masked|numbered within|true side"
    for case_name, files, expected in (
        ("sound", archive(), "clean"),
        ("softmax", archive(scores=softmax(SCORES)), "clean"),
        ("float32", archive(scores=SCORES.astype("f4")), "clean"),
        ("one class masked for all", archive(scores=low), "clean unknown"),
    ):
        yield Input(f"scores: {case_name}", files, score, expected, H, never=alarm)
    for case_name, scores in {
        "-inf": masked(-np.inf),
        "-1e9": masked(-1e9),
        "-1e4": masked(-1e4),
        "-100": masked(-100.0),
        "both sides, -inf": masked(-np.inf, "both"),
        "seen images, -1e9": masked(-1e9, "seen"),
        "softmax 0": softmax(masked(-np.inf)),
        "NaN": masked(np.nan),
    }.items():
        name = f"scores masked by the true side: {case_name}"
        yield Input(name, archive(scores=scores), score, "unknown broken leaks", mask, True)
    unseen_from_0 = np.array([WITHIN.get(int(c), int(c)) for c in Y])
    each_from_0 = np.array([WITHIN.get(int(c), WITHIN_SEEN.get(c, -1)) for c in Y])
    for case_name, files, expected, cause in (
        ("unseen labels from 0", archive(y=unseen_from_0), "unknown", r"(?i)number"),
        ("labels of each side from 0", archive(y=each_from_0), "unknown", r"(?i)number"),
        ("labels from 1", archive(y=Y + 1), "clean unknown broken", r"(?i)from 1|1-based|labels"),
        ("transposed", archive(scores=SCORES.T), "clean unknown broken", r"(?i)transpos"),
        ("one name short", archive(class_names=NAMES[:-1]), "unknown broken", r"(?i)name"),
        ("a name twice", archive(class_names=(*NAMES[:-1], NAMES[0])), "unknown broken", NAMES[0]),
        ("no unseen classes", archive(unseen_classes=None), "unknown broken", r"(?i)unseen"),
    ):
        yield Input(f"scores: {case_name}", files, score, expected, cause, True)
    named = {"scores": None, "y": None, "unseen_classes": None}
    is_unseen = np.isin(np.arange(len(NAMES)), UNSEEN_CLASSES)
    for case_name, values in {
        "image_text_similarity": {
            "image_text_similarity": SCORES,
            "gt_labels": Y,
            "new_class_ids": UNSEEN_CLASSES,
        },
        "is_unseen": {"logits": SCORES, "targets": Y, "is_unseen": is_unseen.astype(int)},
        "novel_idx": {"sims": SCORES, "targets": Y, "novel_idx": UNSEEN_CLASSES},
    }.items():
        yield Input(f"scores: {case_name}", archive(**named, **values), score, "clean", H)
    positional = archive(**named, arr_0=SCORES, arr_1=Y)
    listed = (*score, "--unseen", *map(str, UNSEEN_CLASSES))
    yield Input("scores: without names", positional, listed, "clean", H)
    for name in ("img_emb", "att"):
        files = archive(**named, **{name: SCORES, "labels": Y})
        yield Input(f"features {name}", files, listed, "broken", "expected a matrix", True)
    rows = np.isin(Y, UNSEEN_CLASSES)
    of_unseen = SCORES[np.ix_(rows, UNSEEN_CLASSES)]
    within = np.array([WITHIN[int(c)] for c in Y[rows]])
    for case_name, y, unseen in (
        ("numbers", Y[rows], UNSEEN_CLASSES),
        ("names", np.array(NAMES)[Y[rows]], np.array(UNSEEN_NAMES)),
        ("labels from 0", within, UNSEEN_CLASSES),
    ):
        files = archive(scores=of_unseen, y=y, unseen_classes=unseen)
        cause = rf"(?s)^(?!.*{len(NAMES)} unseen).*Accuracy"
        yield Input(f"scores of unseen classes alone: {case_name}", files, score, "clean", cause)
    low = SCORES.copy()
    low[:, ~is_unseen] = -1e9
    yield Input(
        "scores of seen classes masked", archive(scores=low), score, "clean", "as if masked"
    )
    pure = ("score", "s.npz", "--unseen", "all")
    cause = r"(?i)accuracy|ZSL|per class"
    yield Input("scores: all unseen", archive(unseen_classes=None), pure, "clean", cause)

    def table(more: Mapping[str, Any], columns: Sequence[str] = NAMES) -> dict[str, Any]:
        frame = pd.DataFrame(SCORES, columns=list(columns))
        return {"s.csv": pd.concat([pd.DataFrame({"label": TRUE, **more}), frame], axis=1)}

    by_name = ("score", "s.csv", "--unseen", *UNSEEN_NAMES)
    paths = [f"images/{i}.jpg" for i in range(len(Y))]
    yield Input("scores.csv: sound", table({}), by_name, "clean", H)
    for column in ("filename", "path", "image"):
        yield Input(f"scores.csv: a column {column}", table({column: paths}), by_name, "clean", H)
    twice = table({}, [*NAMES[:-1], NAMES[0]])
    yield Input("scores.csv: a name twice", twice, by_name, "unknown broken", NAMES[0], True)
    yield from predictions()
    yield from validation(archive())


TRUE = np.array(NAMES)[Y]


def predictions() -> Iterator[Input]:
    """Yield predicted classes without scores."""
    answers = SCORES.argmax(1)
    numbers = ("score", "p.csv", "--unseen", *map(str, UNSEEN_CLASSES))
    for headers in ("y_true y_pred", "label prediction", "target pred", "true predicted"):
        pair = pd.DataFrame(np.stack([Y, answers], axis=1), columns=headers.split())
        yield Input(f"predicted classes: {headers}", {"p.csv": pair}, numbers, "clean", H)
    pair = pd.DataFrame({"y_true": TRUE, "y_pred": np.array(NAMES)[answers]})
    by_name = ("score", "p.csv", "--unseen", *UNSEEN_NAMES)
    yield Input("predicted classes: names", {"p.csv": pair}, by_name, "clean", H)
    (bat,) = {*UNSEEN_NAMES[:1]}
    misspelt = ("score", "p.csv", "--unseen", f"{bat}s", *UNSEEN_NAMES[1:])
    cause = f"a class of its own, not '{bat}'.*as-is"
    yield Input("an unseen class misspelt", {"p.csv": pair}, misspelt, "unknown", cause, True)
    without = ("score", "p.csv", "--unseen", *UNSEEN_NAMES, "griffin")
    yield Input("an unseen class without images", {"p.csv": pair}, without, "clean", "griffin")
    for column in ("y_true", "y_pred"):
        blank = {"p.csv": pair.assign(**{column: ["", *pair[column][1:]]})}
        yield Input(f"blank {column}", blank, by_name, "broken", "a class for every image", True)
    table = {"columns": ["image", "truth", "guess"]}
    table["data"] = [[f"{i}.png", *row] for i, row in enumerate(pair.values.tolist())]
    logged = ("score", "p.json", "--unseen", *UNSEEN_NAMES)
    yield Input("columns and data", {"p.json": table}, logged, "clean", H)
    from_1 = {"p.csv": pd.DataFrame({"y_true": Y + 1, "y_pred": answers + 1})}
    counted = ("score", "p.csv", "--unseen", *map(str, UNSEEN_CLASSES + 1))
    n_seen = len(NAMES) - len(UNSEEN_CLASSES)
    yield Input("numbers from 1", from_1, counted, "clean", f" {n_seen} seen and")
    strange = {"p.csv": pair.assign(y_pred=["unicorn", *pair["y_pred"][1:]])}
    yield Input("a class of no image", strange, by_name, "clean", "counted as seen: unicorn")


def validation(test: Mapping[str, Any]) -> Iterator[Input]:
    """Yield scores with validation scores that are test scores."""
    seen = ~np.isin(Y, UNSEEN_CLASSES)
    blind = SCORES[seen].copy()
    blind[:, UNSEEN_CLASSES] = -1e4
    cut = np.delete(SCORES[seen], UNSEEN_CLASSES, axis=1)
    cut_y = np.array([WITHIN_SEEN[c] for c in Y[seen]])
    few = np.array([0, 1])
    command = ("score", "s.npz", "--validation", "v.npz")
    for case_name, scores, y, unseen in (
        ("the test file", SCORES, Y, UNSEEN_CLASSES),
        ("a constant added", SCORES + 3.0, Y, UNSEEN_CLASSES),
        ("softmax of it", softmax(SCORES), Y, UNSEEN_CLASSES),
        ("masked test rows", blind, Y[seen], few),
        ("fewer columns", cut, cut_y, few),
    ):
        files = {**test, "v.npz": {"scores": scores, "y": y, "unseen_classes": unseen}}
        name = f"validation scores are test scores: {case_name}"
        expected, cause, never = "unknown leaks broken", r"(?i)oracle|test", r"(?i), validated\b"
        yield Input(name, files, command, expected, cause, True, never)


# --- Files with a misleading name -----------------------------------------------------------------


def wrong_kinds() -> Iterator[Input]:
    """Yield files with a wrong ending: refused with the actual reason."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'a' * 64}\nsize 12345\n"
    page = "<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n"
    for name in ("att_splits.mat", "features.npz", "labels.npy"):
        for case_name, content, cause in (
            ("Git LFS pointer", pointer, r"(?i)lfs"),
            ("web page", page, r"(?i)html|web page"),
            ("a word", "hello\n", ""),
            ("nothing", "", r"(?i)empty|nothing|0 bytes"),
        ):
            title = f"wrong kind: {case_name} named {name}"
            yield Input(title, {name: content}, ("check", name), "broken", cause, True)
    whole = io.BytesIO()
    np.savez(whole, **{name: rows + 1 for name, rows in SOUND.items()})
    pickled = pickle.dumps(pd.Series(1))
    for name, content, cause in (
        ("names.npy", np.array([{name: 1} for name in NAMES]), r"(?i)python objects"),
        ("split.pkl", pickled, r"(?i)pickle"),
        ("split.xml", '<?xml version="1.0"?>\n<images><image set="train"/></images>\n', "got XML"),
        ("half.npz", whole.getvalue()[: len(whole.getvalue()) // 2], r"(?i)damaged|cut|corrupt"),
    ):
        yield Input(f"wrong kind: {name}", {name: content}, ("check", name), "broken", cause, True)


def containers() -> Iterator[Input]:
    """Yield splits of PyTorch and YAML, one-hot labels, and files with lists off by one."""
    records = [(image, label, "train") for image, label, _ in items(SEEN)]
    records += [(image, label, "test") for image, label, _ in items(UNSEEN)]
    stray = [(image, label, "train") for image, label, _ in items(UNSEEN[:1], 12, 5)]
    for case_name, rows in (("sound", records), ("a test class in train", [*records, *stray])):
        leaks = "leaks" if len(rows) > len(records) else "clean unknown"
        table = [{"path": i, "label": n, "split": part} for i, n, part in rows]
        by_part = {
            part: [{"path": i, "label": n} for i, n, row_part in rows if row_part == part]
            for part in ("train", "test")
        }
        by_class = {
            part: {
                name: [i for i, n, row_part in rows if row_part == part and NAMES[n] == name]
                for name in NAMES
                if any(row_part == part and NAMES[n] == name for _, n, row_part in rows)
            }
            for part in ("train", "test")
        }
        for form, value in (
            ("records with a part", table),
            ("records by part", by_part),
            ("images by class and part", by_class),
        ):
            for name, content in (
                ("split.pt", torch_bytes(value)),
                ("split.yaml", to_yaml(value)),
            ):
                title, command = (
                    f"containers, {name}, {form}: {case_name}",
                    ("check", name, *DECLARED),
                )
                is_faulty = leaks == "leaks"
                yield Input(title, {name: content}, command, leaks, "", is_faulty)
    moved = SOUND["test_unseen_loc"][LABELS[SOUND["test_unseen_loc"]] == len(SEEN)][:5]
    for case_name, more in (("sound", moved[:0]), ("a test class in train", moved)):
        lists = {
            "train_idx": np.append(SOUND["trainval_loc"], more),
            "test_unseen_idx": np.setdiff1d(SOUND["test_unseen_loc"], more),
        }
        leaks = "leaks" if len(more) else "clean unknown"
        files = {"s.npz": lists | {"labels": np.eye(len(NAMES), dtype=int)[LABELS]}}
        name = f"containers, one-hot labels: {case_name}"
        yield Input(name, files, ("check", "s.npz", *DECLARED), leaks, "", bool(len(more)))
        rows = {name: members.tolist() for name, members in lists.items()}
        files = {"s.yaml": to_yaml(rows | {"labels": LABELS.tolist()})}
        name = f"containers, rows in YAML: {case_name}"
        yield Input(name, files, ("check", "s.yaml", *DECLARED), leaks, "", bool(len(more)))
    rows = without_folds(SOUND)
    for shifted in ("trainval_loc", "test_seen_loc", "test_unseen_loc"):
        for first in (0, 1):
            lists = {name: members + first + (name == shifted) for name, members in rows.items()}
            texts = {f"{name}.txt": [*map(str, members)] for name, members in lists.items()}
            texts["labels.txt"] = [*map(str, LABELS + 1)]
            value = {name: members.tolist() for name, members in lists.items()}
            for form, files, command in (
                ("text", texts, CHECK_FOLDER),
                ("JSON", {"s.json": value | {"labels": LABELS.tolist()}}, ("check", "s.json")),
            ):
                name = f"containers, {form} from {first}, {shifted} one too high"
                yield Input(name, files, command, "broken unknown", "one too", never="LEAKS")


def lists_of_other_tools() -> Iterator[Input]:
    """Yield lists with numbers in front of images, JSON per part, bars, and a few settings."""
    seen, leaked = items(SEEN, 12, 4), items(SEEN, 12, 2)
    for case_name, more, expected in (("sound", [], "clean unknown"), ("14 rows", leaked, "leaks")):
        rows = {"train": [*items(SEEN), *more], "test_seen": seen, "test_unseen": items(UNSEEN)}
        mxnet, indexed, by_class, by_image = {}, {}, {}, {}
        for part, members in rows.items():
            mxnet[f"{part}.lst"] = [
                f"{k}\t{n}.000000\t{image}" for k, (image, n, _) in enumerate(members)
            ]
            indexed[f"{part}.txt"] = [f"{k} {image} {n}" for k, (image, n, _) in enumerate(members)]
            by_image[f"{part}.json"] = {image: name for image, _, name in members}
            by_class[f"{part}.json"] = {
                name: [image for image, _, item in members if item == name]
                for name in dict.fromkeys(name for _, _, name in members)
            }
        table = [
            (image, name, part) for part, members in rows.items() for image, _, name in members
        ]
        bars = pd.DataFrame(table, columns=["image", "class", "split"]).to_csv(sep="|", index=False)
        for form, files in (
            ("MXNet", mxnet),
            ("index in front", indexed),
            ("class by image in JSON", by_image),
            ("images by class in JSON", by_class),
            ("bars", {"split.csv": bars}),
        ):
            command = ("check", "split.csv", *DECLARED) if form == "bars" else CHECK_FOLDER
            cause = r"\b14 rows" if more else ""
            yield Input(f"lists, {form}: {case_name}", files, command, expected, cause, bool(more))
    sides = {"gesehen": [*SEEN], "ungesehen": [*UNSEEN, SEEN[1]]}
    command = ("check", "s.json", *DECLARED)
    yield Input("lists, sides in German", {"s.json": sides}, command, "leaks", "grizzly", True)
    for name, settings in (
        ("numbers", {"train": [8, 16, 32], "test": [8, 16, 32]}),
        ("names", {"data": {"train": ["coco_train"], "test": ["coco_val"]}, "lr": 0.1}),
    ):
        files = {"config.json": settings}
        yield Input(f"lists, settings: {name}", files, ("check", "config.json"), "broken")


def to_yaml(value: Any) -> str:
    """Return YAML: JSON within the outermost list or mapping."""
    if isinstance(value, list):
        return "".join(f"- {json.dumps(item)}\n" for item in value)
    return "".join(f"{name}: {json.dumps(item)}\n" for name, item in value.items())


def torch_bytes(value: Any) -> bytes:
    """Return the file that torch.save writes of values without tensors."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("archive/data.pkl", pickle.dumps(value, protocol=2))
        archive.writestr("archive/byteorder", "little")
        archive.writestr("archive/version", "3\n")
    return buffer.getvalue()


def other_names() -> Iterator[Input]:
    """Yield lists of rows by other names, and one list as a mask."""
    test_seen, unseen = SOUND["test_seen_loc"], SOUND["test_unseen_loc"]
    for form in ("{}_idx", "{}_indices", "idx_{}", "{}Ids", "{}"):
        for leaked, case_name in ((), "sound"), (test_seen[:4], "4 test rows in train"):
            trained = np.append(SOUND["trainval_loc"], np.array(leaked, int))
            rows = {"trn": trained, "test_seen": test_seen, "test_unseen": unseen}
            content = {form.format(name): values for name, values in rows.items()}
            files = {"s.npz": content | {"labels": LABELS}}
            expected, cause = ("leaks", r"\b4\b") if len(leaked) else ("clean unknown", "")
            name = f"other names, {form.format('trn')}: {case_name}"
            yield Input(
                name, files, ("check", "s.npz", *DECLARED), expected, cause, bool(len(leaked))
            )
    columns = ["image", "number", "label", "split"]
    rows_of = {"train": items(SEEN), "test": [*items(SEEN, 12, 11), *items(UNSEEN)]}
    marked = [(*item, part) for part, listed in rows_of.items() for item in listed]
    seen_unseen = [(*row[:3], "test_unseen" if row[2] in UNSEEN else row[3]) for row in marked]
    seen_unseen = [(*r[:3], "test_seen" if r[3] == "test" else r[3]) for r in seen_unseen]
    stray = [(*item, "train") for item in items(UNSEEN[1:2], 12, 5)]
    for case_name, table, expected, cause in (
        ("sound", marked, "clean unknown", ""),
        ("sound, test_seen and test_unseen", seen_unseen, "clean unknown", ""),
        ("a test class in train", [*seen_unseen, *stray], "leaks", r"giant panda"),
    ):
        files = {"split.csv": pd.DataFrame(table, columns=columns)}
        name = f"other names, a table with a column of parts: {case_name}"
        command = ("check", "split.csv", *DECLARED)
        yield Input(name, files, command, expected, cause, expected == "leaks")
    parts = {"train": "Training", "test_seen": "Test_bekannt", "test_unseen": "Test_unbekannt"}
    german = [(row[0], row[2], parts[row[3]]) for row in seen_unseen]
    table = {"split.csv": pd.DataFrame(german, columns=["Bild", "Klasse", "Teil"])}
    name = "other names, a table in German"
    yield Input(name, table, ("check", "split.csv", *DECLARED), "clean unknown", "test_unseen")
    more = {"seen_classes.txt": SEEN, "unseen_classes.txt": UNSEEN, "extra.txt": UNSEEN[:2]}
    name = "other names: a list beside those that are read"
    yield Input(name, more, CHECK_FOLDER, "unknown", r"Not read, and not checked: extra\.txt")
    unnamed = {"s.npz": {"labels": LABELS, "my_train_set_of_today": SOUND["trainval_loc"]}}
    cause = r"my_train_set_of_today.*train_idx"
    yield Input("other names: not read", unnamed, ("check", "s.npz"), "broken", cause, True)
    one_mask = from_one(SOUND) | {"trainval_loc": to_masks(SOUND, "uint8")["trainval_loc"]}
    files = {"att_splits.npz": without_folds(one_mask), "res101.npz": {"labels": LABELS + 1}}
    name = "other names: one list is a mask"
    yield Input(name, files, ("check", *files, *DECLARED), "clean unknown", r"(?s)mask.*trainval")


GENERATORS = (
    splits,
    containers,
    lists_of_other_tools,
    other_names,
    class_lists,
    image_lists,
    labels,
    folders,
    names,
    score_files,
    wrong_kinds,
)
