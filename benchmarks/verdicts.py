"""Verdicts on generated files: ``python -m benchmarks.verdicts``.

Layouts x faults x containers, each with the expected verdict and a pattern of the cause. A *miss*
is a planted fault that passes, a *false alarm* a sound file that is accused, a *wrong cause* a
right verdict whose headline names something else. Files are judged by the command line, as users
judge them. ``--show NAME`` keeps the folder of one input and prints its report.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pandas as pd
from scipy.io import savemat

from zslcore.__main__ import main as zslcore

VERDICTS = {0: "clean", 1: "leaks", 2: "broken", 3: "unknown"}
#: Declarations without which no split is more than unknown.
DECLARED = (
    *("--hyperparameters-on", "validation", "--epochs-on", "validation"),
    *("--gamma-on", "validation", "--prototypes-from", "independent", "--pretraining", "none"),
)
SEEN = ("antelope", "grizzly bear", "killer whale", "beaver", "dalmatian", "persian cat", "skunk")
UNSEEN = ("chimpanzee", "giant panda", "leopard", "hippopotamus")
NAMES = (*SEEN, *UNSEEN)
PER_CLASS, DIM = 30, 24
Parts = dict[str, np.ndarray]


@dataclass(frozen=True)
class Input:
    """One generated input: its files, the command, and the expected verdict.

    ``expected`` names every right verdict, ``cause`` is a pattern that the first lines of the
    report have to hold, and ``faulty`` says whether a fault was planted.
    """

    name: str
    write: Callable[[Path], None]
    command: tuple[str, ...]
    expected: tuple[str, ...]
    cause: str = ""
    faulty: bool = False
    never: str = ""


# --- A split without a fault, and faults ----------------------------------------------------------


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
    parts = {
        "trainval_loc": trainval, "train_loc": train, "val_loc": val,
        "test_seen_loc": np.sort(held_out), "test_unseen_loc": unseen,
    }  # fmt: skip
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
    """Return row numbers as the benchmark writes them, from 1."""
    return {name: rows + 1 for name, rows in parts.items()}


def faults() -> Iterator[tuple[str, Parts, tuple[str, ...], str]]:
    """Yield name, lists as written, right verdicts, and cause."""
    one = from_one
    leaking = ("leaks",)
    yield "sound", one(SOUND), ("clean",), ""
    yield "no folds", one(without_folds(SOUND)), ("clean", "unknown"), ""
    yield "lists in another order", one({k: v[::-1] for k, v in SOUND.items()}), ("clean",), ""
    yield "float numbers", {k: v.astype(float) for k, v in one(SOUND).items()}, ("clean",), ""
    yield "from zero", SOUND, ("clean",), r"from 0|off by one|zero"
    yield "boolean masks", to_masks(SOUND, "bool"), ("clean",), r"mask"
    yield "0/1 masks", to_masks(SOUND, "uint8"), ("clean",), r"mask"
    shifted = one(SOUND) | {"trainval_loc": SOUND["trainval_loc"] + 2}
    yield "trainval one too high", shifted, ("clean", "broken", "unknown"), r"trainval.*(one|1)\b"
    shifted = one(SOUND) | {"test_unseen_loc": SOUND["test_unseen_loc"]}
    yield (
        "test_unseen from zero",
        shifted,
        ("clean", "broken", "unknown"),
        r"test_unseen.*(one|0)\b",
    )
    swapped = SOUND | {"test_seen_loc": SOUND["test_unseen_loc"]}
    swapped |= {"test_unseen_loc": SOUND["test_seen_loc"]}
    yield "test parts exchanged", one(swapped), ("clean", "broken", "unknown"), r"exchang|swap"
    leaked = SOUND["test_seen_loc"][:3]
    yield "3 test rows in trainval", one(with_rows("trainval_loc", leaked)), leaking, r"\b3\b"
    leaked = SOUND["test_seen_loc"]
    first = with_rows("train_loc", leaked[::2]) | {
        "val_loc": np.append(SOUND["val_loc"], leaked[1::2])
    }
    yield "test_seen in train and val", one(first), leaking, rf"\b{len(leaked)}\b"
    unseen = SOUND["test_unseen_loc"]
    yield "unseen rows in trainval", one(with_rows("trainval_loc", unseen[:5])), leaking, r"\b5\b"
    some = np.flatnonzero(len(SEEN) == LABELS)
    moved = with_rows("trainval_loc", some[:10]) | {
        "test_unseen_loc": np.setdiff1d(unseen, some[:10])
    }
    yield "a test class in trainval", one(moved), leaking, r"chimpanzee|1 class|class 8"
    val = SOUND | {"val_loc": np.append(SOUND["val_loc"], unseen[:40])}
    yield "validation on test rows", one(val), leaking, r"\b40\b|val"
    rng = np.random.default_rng(1)
    mixed = rng.permutation(SOUND["trainval_loc"])
    weak = SOUND | {"train_loc": mixed[30:], "val_loc": mixed[:30]}
    yield "validation on seen classes", one(weak), ("clean",), r"same classes|seen classes|valid"
    beyond = one(SOUND)
    beyond["test_seen_loc"] = np.append(beyond["test_seen_loc"], N + 1)
    yield "a row beyond the last", beyond, ("broken",), rf"{N + 1}|out of range|outside|beyond"
    negative = one(SOUND)
    negative["train_loc"] = np.append(negative["train_loc"], -5)
    yield "a negative row", negative, ("broken",), r"-5|−5|negative|out of range|outside"
    wrapped = {k: v + 32760 - 200 for k, v in one(SOUND).items()}
    wrapped = {k: v.astype(np.int16) for k, v in wrapped.items()}
    yield (
        "int16 that wrapped round",
        wrapped,
        ("broken",),
        r"outside|out of range|negative|int16|wrap",
    )
    halves = {k: v.astype(float) for k, v in one(SOUND).items()}
    halves["train_loc"][0] += 0.5
    yield "half a row number", halves, ("broken",), r"whole|integer|\.5"
    missing = {k: v.astype(float) for k, v in one(SOUND).items()}
    missing["train_loc"][0] = np.nan
    yield "NaN among rows", missing, ("broken",), r"NaN|nan|whole|integer|finite"
    yield (
        "an empty test part",
        one(SOUND | {"test_unseen_loc": unseen[:0]}),
        ("broken",),
        r"test_unseen",
    )
    twice = with_rows("train_loc", SOUND["train_loc"][:4])
    yield "rows twice in a list", one(twice), ("clean", "broken"), r"twice|repeat|more than once|4"
    silent = SOUND | {"unlabeled_loc": unseen}
    yield "a list of unlabelled images", one(silent), ("unknown",), r"unlabel|transductive"
    silent = SOUND | {"trans_train_loc": unseen}
    yield "a transductive list", one(silent), ("unknown",), r"trans"
    every = SOUND | {"all_train_test_loc": np.arange(N)}
    yield "a list of all images", one(every), ("unknown", "clean"), r""
    hidden = SOUND | {"train_allclass_loc": np.append(SOUND["trainval_loc"], unseen[:50])}
    yield "another training list with test rows", one(hidden), leaking, r"train_allclass|\b50\b"


# --- Containers -----------------------------------------------------------------------------------


def write_mat(path: Path, values: Mapping[str, Any]) -> None:
    """Write MATLAB 5, lists as columns, names as cells."""
    savemat(path, {k: _column(v) for k, v in values.items()})


def _column(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        cells = np.empty((len(value), 1), dtype=object)
        cells[:, 0] = value
        return cells
    return value.reshape(-1, 1) if value.ndim == 1 else value


def write_mat73(path: Path, values: Mapping[str, Any]) -> None:
    """Write what MATLAB's ``save -v7.3`` writes: HDF5 behind a header of 512 bytes."""
    with h5py.File(path, "w", userblock_size=512) as file:
        for name, value in values.items():
            if isinstance(value, (tuple, list)):
                refs = file.require_group("#refs#")
                cells = np.empty((1, len(value)), dtype=h5py.ref_dtype)
                for i, text in enumerate(value):
                    codes = np.frombuffer(text.encode("utf-16-le"), dtype="<u2").reshape(-1, 1)
                    cell = refs.create_dataset(f"{name}{i}", data=codes)
                    cell.attrs["MATLAB_class"] = np.bytes_("char")
                    cells[0, i] = cell.ref
                made = file.create_dataset(name, data=cells)
                made.attrs["MATLAB_class"] = np.bytes_("cell")
                continue
            data = value.astype("uint8") if value.dtype == bool else value
            data = data.reshape(1, -1) if data.ndim == 1 else data.T
            made = file.create_dataset(name, data=data)
            kind = "logical" if value.dtype == bool else str(np.dtype(data.dtype))
            made.attrs["MATLAB_class"] = np.bytes_(
                {"float64": "double", "float32": "single"}.get(kind, kind)
            )
    header = b"MATLAB 7.3 MAT-file, Platform: GLNXA64, HDF5 schema 1.00 ."
    with open(path, "r+b") as file:
        file.write(header.ljust(116) + bytes(8) + b"\x00\x02IM")


def write_npz(path: Path, values: Mapping[str, Any]) -> None:
    """Write a NumPy archive, names as texts."""
    np.savez(path, **{k: np.array(v) for k, v in values.items()})


CONTAINERS = {".mat": write_mat, "-v7.3.mat": write_mat73, ".npz": write_npz}


def splits() -> Iterator[Input]:
    """Yield split files of row numbers: as folders, as files, with and without declarations."""
    for fault, parts, expected, cause in faults():
        for ending, write in CONTAINERS.items():
            suffix = ending.removeprefix("-v7.3")
            files = (f"att_splits{suffix}", f"res101{suffix}")

            def write_all(folder: Path, parts=parts, write=write, files=files) -> None:
                S = np.random.default_rng(3).random((6, len(NAMES)))
                write(folder / files[0], {**parts, "att": S, "allclasses_names": NAMES})
                write(folder / files[1], {"features": X.T, "labels": LABELS + 1})

            faulty = not {"clean", "unknown"} & set(expected)
            named = files if suffix == ".npz" else (".",)
            yield Input(
                *(f"split {ending}: {fault}", write_all, ("check", *named, *DECLARED)),
                *(expected, cause, faulty),
            )
            if ending == ".mat":  # without declarations nothing is clean
                open_too = tuple({"clean": "unknown"}.get(verdict, verdict) for verdict in expected)
                yield Input(
                    *(f"split card: {fault}", write_all, ("check", *files)),
                    *(open_too, cause, faulty),
                )


# --- Lists of images and of classes ---------------------------------------------------------------


def lines(path: Path, texts: Sequence[str]) -> None:
    """Write a text file, a line a text."""
    path.write_text("\n".join(texts) + "\n", encoding="utf-8")


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
    """Yield lists of classes a side: sound, or with a class on both sides under two spellings."""
    judged = ("check", ".", *DECLARED)
    for layout, (seen, unseen) in LISTS.items():
        for spelling, spell in SPELLINGS.items():

            def sound(folder: Path, seen=seen, unseen=unseen, spell=spell) -> None:
                lines(folder / seen, [spell(name) for name in SEEN])
                lines(folder / unseen, [spell(name) for name in UNSEEN])

            def both(folder: Path, seen=seen, unseen=unseen, spell=spell) -> None:
                lines(folder / seen, [*SEEN, UNSEEN[1]])
                lines(folder / unseen, [spell(name) for name in UNSEEN])

            # A list has no rows: what needs them stays open.
            name = f"class lists, {layout}, {spelling}"
            yield Input(f"{name}: sound", sound, judged, ("clean", "unknown"))
            yield Input(
                f"{name}: giant panda on both sides", both, judged, ("leaks",), r"(?i)giant.?panda",
                faulty=True,
            )  # fmt: skip

    def validated_on(rows: Sequence[str], name: str) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            lines(folder / "trainclasses.txt", SEEN[:5])
            lines(folder / name, rows)
            lines(folder / "testclasses.txt", UNSEEN)

        return write

    for name in ("valclasses.txt", "valclasses1.txt", "val_classes.txt"):
        yield Input(
            f"class lists, {name}: sound",
            validated_on(SEEN[5:], name),
            judged,
            ("clean", "unknown"),
        )
        yield Input(
            f"class lists, {name}: test classes", validated_on(UNSEEN[:2], name), judged,
            ("leaks",), r"(?i)valid|val", faulty=True,
        )  # fmt: skip
        yield Input(
            f"class lists, {name}: training classes", validated_on(SEEN[:2], name), judged,
            ("clean", "unknown"), r"(?i)valid|val",
        )  # fmt: skip


def items(classes: Sequence[str], start: int = 0, n: int = 12) -> list[tuple[str, int, str]]:
    """Return image, label and class of ``n`` images of each class."""
    return [
        (f"{name.replace(' ', '_')}/{name.replace(' ', '_')}_{i:04}.jpg", NAMES.index(name), name)
        for name in classes
        for i in range(start, start + n)
    ]


def image_lists() -> Iterator[Input]:
    """Yield lists of images in the layouts that codes of the field publish."""
    train, seen, unseen = items(SEEN), items(SEEN, 12, 11), items(UNSEEN, 0, 12)
    leaked = seen[:4]

    def texts(rows: Sequence[tuple[str, int, str]], form: str) -> list[str]:
        return [form.format(image=image, label=label) for image, label, _ in rows]

    for form in ("{image} {label}", "{image}", "{image},{label}"):

        def folder_of(more: Sequence[tuple[str, int, str]], form=form) -> Callable[[Path], None]:
            def write(folder: Path) -> None:
                lines(folder / "train.txt", texts([*train, *more], form))
                lines(folder / "test_seen.txt", texts(seen, form))
                lines(folder / "test_unseen.txt", texts(unseen, form))

            return write

        judged = ("check", ".", *DECLARED)
        yield Input(f"image lists '{form}': sound", folder_of(()), judged, ("clean", "unknown"))
        yield Input(
            f"image lists '{form}': 4 test images in train", folder_of(leaked), judged, ("leaks",),
            r"\b4\b", faulty=True,
        )  # fmt: skip
        yield Input(
            f"image lists '{form}': a test class in train", folder_of(items(UNSEEN[:1], 12, 5)),
            judged, ("leaks",), r"(?i)chimpanzee|1 class", faulty=True,
        )  # fmt: skip

    def official(folder: Path) -> None:
        lines(
            folder / "trainlist01.txt",
            texts([*train, *items(UNSEEN[:2], 12, 5)], "{image} {label}"),
        )
        lines(folder / "testlist01.txt", texts(unseen, "{image}"))

    yield Input(
        "image lists, labels in one list only: test classes in train", official,
        ("check", ".", *DECLARED), ("leaks", "unknown", "broken"), faulty=True,
        never="No class has both",
    )  # fmt: skip

    def many(folder: Path) -> None:
        rng = np.random.default_rng(0)
        for name, start in (("train.txt", 0), ("test.txt", 40)):
            rows = [" ".join(map(str, rng.integers(0, 2, 14))) for _ in range(40)]
            lines(folder / name, [f"images/{start + i:05}.png {r}" for i, r in enumerate(rows)])

    yield Input(
        "image lists, 14 labels an image", many, ("check", "."), ("broken",), r"(?i)label",
        faulty=True,
    )  # fmt: skip


def folders() -> Iterator[Input]:
    """Yield folders of other layouts: read, or answered by a sentence that names what is there."""

    def filelists(both: bool) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            sides = {"base": SEEN[:5], "val": SEEN[5:], "novel": UNSEEN}
            for side, classes in sides.items():
                named = [*classes, *(UNSEEN[:1] if both and side == "base" else ())]
                rows = items(named)
                value = {
                    "label_names": list(NAMES),
                    "image_names": [image for image, _, _ in rows],
                    "image_labels": [label for _, label, _ in rows],
                }
                (folder / f"{side}.json").write_text(json.dumps(value), encoding="utf-8")

        return write

    def stages(both: bool) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            lines(folder / "stage_1_train.txt", SEEN[:5])
            lines(folder / "stage_1_val_unseen.txt", SEEN[5:])
            lines(folder / "stage_2_train.txt", [*SEEN, *(UNSEEN[:1] if both else ())])
            lines(folder / "stage_2_test_unseen.txt", UNSEEN)

        return write

    def tables(both: bool) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            sides = {"train": SEEN[:5], "val": SEEN[5:], "test": UNSEEN}
            for side, classes in sides.items():
                named = [*classes, *(UNSEEN[:1] if both and side == "train" else ())]
                rows = [(image, name) for image, _, name in items(named)]
                pd.DataFrame(rows, columns=["filename", "label"]).to_csv(
                    folder / f"{side}.csv", index=False
                )

        return write

    def class_arrays(both: bool) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            more = [len(SEEN)] if both else []
            np.save(folder / "seen_classes.npy", np.array([*range(len(SEEN)), *more]))
            np.save(folder / "unseen_classes.npy", np.arange(len(SEEN), len(NAMES)))

        return write

    layouts = {
        "base/val/novel JSON": filelists, "stage lists": stages, "train/val/test CSV": tables,
        "class arrays": class_arrays,
    }  # fmt: skip
    for layout, make in layouts.items():
        named = r"base|novel|stage|train\.csv|seen_classes"
        judged = ("check", ".", *DECLARED)
        yield Input(f"{layout}: sound", make(False), judged, ("clean", "unknown", "broken"), named)
        yield Input(
            f"{layout}: a test class in train", make(True), judged, ("leaks", "broken"), "",
            faulty=True,
        )  # fmt: skip


# --- Class names ----------------------------------------------------------------------------------

KNOWN = ("chimpanzee", "leopard", "hippopotamus", "giant panda", "killer whale", "skunk")
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


def names() -> Iterator[Input]:
    """Yield lists of class names, in ImageNet-1K or in no dictionary, in every form of a line."""
    for form, line in LINES.items():

        def write(folder: Path, names: Sequence[str], line=line) -> None:
            lines(folder / "labels.txt", [line(i, name) for i, name in enumerate(names)])

        contaminated = ("contamination", "--classes", "labels.txt", "--extractor", "ResNet-101")
        yield Input(
            f"class names, {form}: all in ImageNet-1K", lambda f, w=write: w(f, KNOWN),
            ("check", "labels.txt"), ("leaks", "unknown"), r"\b6 of 6\b", faulty=True,
            never="[Nn]one of",
        )  # fmt: skip
        yield Input(
            f"class names, {form}: contamination", lambda f, w=write: w(f, KNOWN), contaminated,
            ("clean", "leaks", "unknown"), r"No\b.*6 of the 6|6 of 6", faulty=True,
            never=r"ResNet-101: Yes",
        )  # fmt: skip
        yield Input(
            f"class names, {form}: in no dictionary", lambda f, w=write: w(f, NONSENSE),
            ("check", "labels.txt"), ("unknown",), "", never=r"[Nn]one (of 6|is in)",
        )  # fmt: skip
        yield Input(
            f"class names, {form}: in no dictionary, contamination",
            lambda f, w=write: w(f, NONSENSE), contaminated, ("clean", "unknown", "broken"), "",
            never=r"ResNet-101: Yes",
        )  # fmt: skip

    def ids(folder: Path) -> None:
        lines(folder / "ids.txt", ["n02481823", "n02128385", "n02398521"])

    yield Input(
        "class names, WordNet ids", ids, ("check", "ids.txt"), ("leaks", "unknown"), "3 of 3"
    )


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
    """Return scores whose other side is put to one value for the images of a side."""
    scores, rows = SCORES.copy(), np.isin(Y, UNSEEN_CLASSES)
    columns = np.isin(np.arange(len(NAMES)), UNSEEN_CLASSES)
    if which in ("unseen", "both"):
        scores[np.ix_(rows, ~columns)] = value
    if which in ("seen", "both"):
        scores[np.ix_(~rows, columns)] = value
    return scores


def softmax(scores: np.ndarray) -> np.ndarray:
    """Return probabilities of every row."""
    e = np.exp(scores - scores.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


def score_files() -> Iterator[Input]:
    """Yield score files: judged, asked about, or named as not comparable."""
    unseen = tuple(map(str, UNSEEN_CLASSES))

    def archive(**values: Any) -> Callable[[Path], None]:
        full = {"scores": SCORES, "y": Y, "unseen_classes": UNSEEN_CLASSES} | values
        kept = {k: v for k, v in full.items() if v is not None}
        return lambda folder: np.savez(folder / "s.npz", **kept)

    H = r"(?m)^\s*H\b.*\d"
    judged: tuple[str, ...] = ("score", "s.npz")
    yield Input(
        "scores: sound", archive(), judged, ("clean",), H, never=r"(?i)mask|renumber|given side"
    )
    yield Input("scores: softmax", archive(scores=softmax(SCORES)), judged, ("clean",), H)
    yield Input("scores: float32", archive(scores=SCORES.astype("f4")), judged, ("clean",), H)
    low = SCORES.copy()
    low[:, 3] = -1e9
    yield Input(
        "scores: one class masked for all", archive(scores=low), judged, ("clean", "unknown"), ""
    )
    for what, scores in {
        "-inf": masked(-np.inf), "-1e9": masked(-1e9), "-1e4": masked(-1e4), "-100": masked(-100.0),
        "both sides, -inf": masked(-np.inf, "both"), "seen side, -1e9": masked(-1e9, "seen"),
        "softmax 0": softmax(masked(-np.inf)), "NaN": masked(np.nan),
    }.items():  # fmt: skip
        yield Input(
            f"scores masked by the true side: {what}", archive(scores=scores), judged,
            ("unknown", "broken", "leaks"), r"(?i)mask|true side|side (was|is) given|NaN|finite",
            faulty=True,
        )  # fmt: skip
    where = {int(c): i for i, c in enumerate(UNSEEN_CLASSES)}
    renumbered = np.array([where.get(int(c), int(c)) for c in Y])
    yield Input(
        "scores: unseen labels numbered from 0", archive(y=renumbered), judged,
        ("unknown",), r"(?i)number", faulty=True,
    )  # fmt: skip
    order = {c: i for i, c in enumerate(np.setdiff1d(np.arange(len(NAMES)), UNSEEN_CLASSES))}
    each = np.array([where.get(int(c), order.get(c, -1)) for c in Y])
    yield Input(
        "scores: labels of each side from 0", archive(y=each), judged, ("unknown",), r"(?i)number",
        faulty=True,
    )  # fmt: skip
    yield Input(
        "scores: labels from 1",
        archive(y=Y + 1),
        judged,
        ("clean", "unknown", "broken"),
        r"(?i)from 1|1-based|labels",
        faulty=True,
    )
    yield Input(
        "scores: transposed",
        archive(scores=SCORES.T),
        judged,
        ("clean", "unknown", "broken"),
        r"(?i)transpos",
        faulty=True,
    )
    short = archive(class_names=np.array(NAMES[:-1]))
    yield Input(
        "scores: one name short", short, judged, ("unknown", "broken"), r"(?i)name", faulty=True
    )
    double = archive(class_names=np.array([*NAMES[:-1], NAMES[0]]))
    yield Input(
        "scores: a name twice", double, judged, ("unknown", "broken"), r"antelope", faulty=True
    )
    yield Input(
        "scores: no unseen classes stated", archive(unseen_classes=None), judged,
        ("unknown", "broken"), r"(?i)unseen", faulty=False,
    )  # fmt: skip
    yield Input(
        "scores: all classes unseen",
        archive(unseen_classes=None),
        (*judged, "--unseen", "all"),
        ("clean",),
        r"(?i)accuracy|ZSL|per class",
    )

    def table(folder: Path, more: Mapping[str, Any], columns: Sequence[str] = NAMES) -> None:
        frame = pd.DataFrame(SCORES, columns=list(columns))
        frame = pd.concat([pd.DataFrame({"label": np.array(NAMES)[Y], **more}), frame], axis=1)
        frame.to_csv(folder / "s.csv", index=False)

    in_words = ("score", "s.csv", "--unseen", *(NAMES[c] for c in UNSEEN_CLASSES))
    files = [f"{i}.jpg" for i in range(len(Y))]
    yield Input("scores.csv: sound", lambda f: table(f, {}), in_words, ("clean",), H)
    yield Input(
        "scores.csv: a column of file names",
        lambda f: table(f, {"filename": files}),
        in_words,
        ("clean",),
        H,
    )
    yield Input(
        "scores.csv: a column of paths",
        lambda f: table(f, {"path": files}),
        in_words,
        ("clean",),
        H,
    )
    yield Input(
        "scores.csv: a name twice", lambda f: table(f, {}, [*NAMES[:-1], NAMES[0]]), in_words,
        ("unknown", "broken"), r"antelope", faulty=True,
    )  # fmt: skip

    answers = SCORES.argmax(1)

    def pairs(folder: Path, first: str, second: str, named: bool = False) -> None:
        pair = (np.array(NAMES)[Y], np.array(NAMES)[answers]) if named else (Y, answers)
        pd.DataFrame({first: pair[0], second: pair[1]}).to_csv(folder / "p.csv", index=False)

    for first, second in (
        ("y_true", "y_pred"),
        ("label", "prediction"),
        ("target", "pred"),
        ("true", "predicted"),
    ):
        yield Input(
            f"hard predictions: {first},{second}", lambda f, a=first, b=second: pairs(f, a, b),
            ("score", "p.csv", "--unseen", *unseen), ("clean",), H,
        )  # fmt: skip
    yield Input(
        "hard predictions: names", lambda f: pairs(f, "y_true", "y_pred", named=True),
        ("score", "p.csv", "--unseen", *(NAMES[c] for c in UNSEEN_CLASSES)), ("clean",), H,
    )  # fmt: skip

    def validated(val: Mapping[str, Any]) -> Callable[[Path], None]:
        def write(folder: Path) -> None:
            archive()(folder)
            np.savez(folder / "v.npz", **val)

        return write

    rng = np.random.default_rng(11)
    fresh = rng.normal(size=SCORES.shape)
    fresh[np.arange(len(Y)), Y] += 1.6
    test_rows = ~np.isin(Y, UNSEEN_CLASSES)
    blind = SCORES[test_rows].copy()
    blind[:, UNSEEN_CLASSES] = -1e4
    cut = np.delete(SCORES[test_rows], UNSEEN_CLASSES, axis=1)
    seen_number = {c: i for i, c in enumerate(np.setdiff1d(np.arange(len(NAMES)), UNSEEN_CLASSES))}
    cut_y = np.array([seen_number[c] for c in Y[test_rows]])
    with_val = ("score", "s.npz", "--validation", "v.npz")
    for what, val in {
        "the test file": {"scores": SCORES, "y": Y, "unseen_classes": UNSEEN_CLASSES},
        "a constant added": {"scores": SCORES + 3.0, "y": Y, "unseen_classes": UNSEEN_CLASSES},
        "softmax of it": {"scores": softmax(SCORES), "y": Y, "unseen_classes": UNSEEN_CLASSES},
        "masked test rows": {"scores": blind, "y": Y[test_rows], "unseen_classes": [0, 1]},
        "fewer columns": {"scores": cut, "y": cut_y, "unseen_classes": [0, 1]},
    }.items():  # fmt: skip
        yield Input(
            f"validation scores are the test scores: {what}", validated(val), with_val,
            ("unknown", "leaks", "broken"), r"(?i)oracle|test", faulty=True,
            never=r"(?i), validated\b",
        )  # fmt: skip


# --- Containers that hold something else ----------------------------------------------------------


def wrong_kinds() -> Iterator[Input]:
    """Yield files that are not what their name says: refused with the true reason."""
    pointer = (
        "version https://git-lfs.github.com/spec/v1\noid sha256:" + "a" * 64 + "\nsize 12345\n"
    )
    page = "<!DOCTYPE html>\n<html><head><title>404</title></head><body>Not found</body></html>\n"

    def text(name: str, content: str) -> Callable[[Path], None]:
        return lambda folder: (folder / name).write_text(content, encoding="utf-8") and None

    for name in ("att_splits.mat", "features.npz", "labels.npy"):
        yield Input(
            f"wrong kind: Git LFS pointer named {name}",
            text(name, pointer),
            ("check", name),
            ("broken",),
            r"(?i)lfs",
            faulty=True,
        )
        yield Input(
            f"wrong kind: web page named {name}",
            text(name, page),
            ("check", name),
            ("broken",),
            r"(?i)html|web page",
            faulty=True,
        )
        yield Input(
            f"wrong kind: a word in {name}",
            text(name, "hello\n"),
            ("check", name),
            ("broken",),
            "",
            faulty=True,
        )
        yield Input(
            f"wrong kind: nothing in {name}",
            text(name, ""),
            ("check", name),
            ("broken",),
            r"(?i)empty|nothing|0 bytes",
            faulty=True,
        )

    def objects(folder: Path) -> None:
        np.save(folder / "names.npy", np.array(list(NAMES), dtype=object), allow_pickle=True)

    yield Input(
        "wrong kind: array of objects",
        objects,
        ("check", "names.npy"),
        ("broken",),
        r"(?i)python objects",
        faulty=True,
    )

    def pickled(folder: Path) -> None:
        import pickle

        (folder / "split.pkl").write_bytes(pickle.dumps({"train": [1, 2], "test": [3]}))

    yield Input(
        "wrong kind: a pickle",
        pickled,
        ("check", "split.pkl"),
        ("broken",),
        r"(?i)pickle",
        faulty=True,
    )

    def cut(folder: Path) -> None:
        write_npz(folder / "att_splits.npz", from_one(SOUND))
        data = (folder / "att_splits.npz").read_bytes()
        (folder / "att_splits.npz").write_bytes(data[: len(data) // 2])

    yield Input(
        "wrong kind: an archive cut off",
        cut,
        ("check", "att_splits.npz"),
        ("broken",),
        r"(?i)damaged|cut|corrupt",
        faulty=True,
    )


GENERATORS = (splits, class_lists, image_lists, folders, names, score_files, wrong_kinds)


# --- Judging --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Judged:
    """Outcome of one input."""

    input: Input
    verdict: str
    headline: str
    text: str

    @property
    def outcome(self) -> str:
        """``right``, ``miss``, ``false alarm``, ``wrong cause`` or ``unknown``."""
        of = self.input
        if self.verdict == "crash" or (of.never and re.search(of.never, self.text)):
            return "miss" if of.faulty else "false alarm"
        if self.verdict not in of.expected:
            if self.verdict == "unknown":
                return "unknown"
            if self.verdict == "clean":
                return "miss"
            return "wrong cause" if of.faulty else "false alarm"
        return "right" if re.search(of.cause, self.headline, re.DOTALL) else "wrong cause"


def judge(of: Input, folder: Path) -> Judged:
    """Write one input and return what the command line says of it."""
    of.write(folder)
    out, err = io.StringIO(), io.StringIO()
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = zslcore(list(of.command))
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 2
    except Exception as error:  # noqa: BLE001 - a crash is an outcome
        code = -1
        err.write(repr(error))
    finally:
        os.chdir(before)
    text = (out.getvalue() + err.getvalue()).strip()
    headline = " ".join(text.split())[:900]
    if of.command[0] in ("score", "contamination"):
        headline = text
    return Judged(of, VERDICTS.get(code or 0, "crash"), headline, text)


def main() -> None:
    """Judge every input and print the table of outcomes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--show", metavar="PATTERN", help="print the reports of these inputs")
    parser.add_argument("--json", metavar="FILE", help="write outcomes as JSON")
    options = parser.parse_args()
    chosen = [each for generate in GENERATORS for each in generate()]
    if options.show:
        chosen = [each for each in chosen if re.search(options.show, each.name)]
    results: list[Judged] = []
    started = time.perf_counter()
    with tempfile.TemporaryDirectory() as data:
        os.environ["ZSL_DATA"] = data
        for each in chosen:
            with tempfile.TemporaryDirectory() as folder:
                results.append(judge(each, Path(folder)))
            if options.show:
                print(f"--- {each.name}: {results[-1].outcome}, {results[-1].verdict}")
                print(results[-1].text)
            elif sys.stderr.isatty():
                print(f"\r{len(results)} of {len(chosen)}", end="", file=sys.stderr)
    kinds = ("right", "miss", "false alarm", "wrong cause", "unknown")
    table: dict[str, Counter[str]] = {}
    for result in results:
        group = re.split(r"[:,] ", result.input.name)[0]
        for name in (group, "all"):
            table.setdefault(name, Counter())[result.outcome] += 1
    print("| inputs | " + " | ".join(kinds) + " | n |")
    print("|---|" + "---|" * (len(kinds) + 1))
    for group in [*(name for name in table if name != "all"), "all"]:
        counts = table[group]
        print(
            f"| {group} | " + " | ".join(str(counts[k]) for k in kinds) + f" | {counts.total()} |"
        )
    for kind in kinds[1:]:
        for result in results:
            if result.outcome == kind:
                right = " or ".join(result.input.expected)
                print(f"{kind}: {result.input.name}: expected {right}, {result.input.cause!r};")
                print(f"    got {result.verdict}: {result.headline[:200]!r}")
    print(f"{time.perf_counter() - started:.0f} s for {len(results)} inputs")
    if options.json:
        rows = [
            {"name": r.input.name, "outcome": r.outcome, "verdict": r.verdict, "text": r.text}
            for r in results
        ]
        Path(options.json).write_text(json.dumps(rows, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
