"""Inputs in layouts of several fields, languages and tools, for :mod:`tests.verdicts.inputs`.

Few-shot learning, image-text models, remote sensing, medicine, action recognition, competitions.
"""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import h5py
import numpy as np
import pandas as pd

from tests.verdicts.inputs import (
    CHECK_FOLDER,
    DECLARED,
    LABELS,
    NAMES,
    SEEN,
    SOUND,
    UNSEEN,
    Input,
    items,
    torch_bytes,
)

#: Image, class and part of an entry.
Rows = list[tuple[str, str, str]]
CLEAN, NEVER_LEAKS = "clean unknown", "clean unknown broken"


def rows_of_split(leaked: int = 0) -> Rows:
    """Return the entries of a split, with ``leaked`` images of a test class in training."""
    rows = [(image, name, "train") for image, _, name in items(SEEN)]
    rows += [(image, name, "test") for image, _, name in items(UNSEEN)]
    return rows + [(image, name, "train") for image, _, name in items(UNSEEN[:1], 12, leaked)]


def table_of(rows: Rows, *titles: str) -> pd.DataFrame:
    """Return a table with a column of images, of classes and of parts."""
    return pd.DataFrame(rows, columns=[*titles])


def of_part(rows: Rows, part: str) -> Rows:
    """Return the entries of a part."""
    return [row for row in rows if row[2] == part]


def as_bytes(write: Any) -> bytes:
    """Return the bytes that a function writes into a buffer."""
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def video_id(image: str) -> str:
    """Return an id of eleven characters, as of YouTube; half of them begin with a digit."""
    digest = sum(ord(letter) * 31**k for k, letter in enumerate(image))
    letters = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ-_"
    return "".join(letters[(digest >> 5 * k) % 64] for k in range(11))


def hdf5_of(groups: Mapping[str, Mapping[str, Sequence[Any]]]) -> bytes:
    """Return an HDF5 file with groups of lists."""

    def write(buffer: io.BytesIO) -> None:
        with h5py.File(buffer, "w") as file:
            for group, lists in groups.items():
                for name, values in lists.items():
                    texts = values and isinstance(values[0], str)
                    kind = h5py.string_dtype() if texts else None
                    file.create_dataset(f"{group}/{name}", data=[*values], dtype=kind)

    return as_bytes(write)


def rows_per_fold() -> Iterator[Input]:
    """Yield row numbers of several folds in the cells of one variable."""
    for what, stray, expected in (("sound", [], CLEAN), ("test rows in a fold", [3, 4], "leaks")):
        trained = SOUND["trainval_loc"]
        held_out = [trained[np.isin(LABELS[trained], of)] for of in ([0, 1], [2, 3], [4, 5])]
        fitted = [np.setdiff1d(trained, of) for of in held_out]
        fitted[1] = np.append(fitted[1], SOUND["test_unseen_loc"][stray])
        lists = {name: SOUND[name] + 1.0 for name in ("test_seen_loc", "test_unseen_loc")}
        lists |= {"trainval_loc": trained + 1.0, "labels": LABELS + 1.0}
        folds = {"train_loc": fitted, "val_loc": held_out}
        lists |= {name: [rows + 1.0 for rows in of] for name, of in folds.items()}
        for form, content in (("5", lists), ("7.3", lists | {"#format": "-v7.3"})):
            command = ("check", "att_splits.mat", *DECLARED)
            name = f"rows per fold in cells, MATLAB {form}: {what}"
            cause = r"fold|\b2\b" if stray else ""
            yield Input(name, {"att_splits.mat": content}, command, expected, cause, bool(stray))


def forms(rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and files of layouts of a split by images."""
    ids = [(video_id(image), name, part) for image, name, part in rows]
    train, test = of_part(rows, "train"), of_part(rows, "test")
    kinetics = table_of(ids, "youtube_id", "label", "split").assign(time_start=3, time_end=13)
    yield "ids of videos", {"k.csv": kinetics[["label", "youtube_id", "time_start", "split"]]}
    bare = [(f"{k}ab{k % 7}x", name, part) for k, (_, name, part) in enumerate(rows)]
    yield "ids that begin with digits", {"k.csv": table_of(bare, "clip_key", "action", "subset")}
    ids = [(f"{k:05}", name, part) for k, (_, name, part) in enumerate(rows)]
    yield "ids of digits", {"s.csv": table_of(ids, "id", "class", "split")}
    clips = {
        f"smth-{part}.json": [
            {"id": str(1000 + k), "template": name, "label": f"{name} {k}", "placeholders": ["x"]}
            for k, (_, name, _) in enumerate(of_part(rows, which))
        ]
        for part, which in (("train", "train"), ("test", "test"))
    }
    yield "Something-Something", clips
    yield (
        "is_valid",
        {
            "labels.csv": pd.DataFrame(
                [(image, name, part == "test") for image, name, part in rows],
                columns=["name", "label", "is_valid"],
            )
        },
    )
    spanish = {"train": "entrenamiento", "test": "prueba"}
    words = [(image, name, spanish[part]) for image, name, part in rows]
    table = table_of(words, "imagen", "clase", "conjunto")
    yield "Spanish, semicolons", {"particion.csv": table.to_csv(sep=";", index=False)}
    chinese = {"train": "训练", "test": "测试"}
    words = [(image, name, chinese[part]) for image, name, part in rows]
    table = table_of(words, "图片", "类别", "划分")
    yield "Chinese titles", {"划分.csv": table}
    yield "Chinese, GB 18030", {"s.csv": table.to_csv(index=False).encode("gb18030")}
    german = {"train": "Trainingsmenge", "test": "Testmenge"}
    words = [(image, name, german[part]) for image, name, part in rows]
    yield "German words of parts", {"s.csv": table_of(words, "Datei", "Klasse", "Menge")}
    yield (
        "GeoJSON",
        {
            "tiles.json": {
                "type": "FeatureCollection",
                "features": [
                    {
                        "type": "Feature",
                        "properties": {"image": image, "class": name, "split": part},
                        "geometry": {"type": "Point", "coordinates": [k / 10, k / 20]},
                    }
                    for k, (image, name, part) in enumerate(rows)
                ],
            }
        },
    )
    yield (
        "annotations beside lists of names",
        {
            "ann.json": {
                "split": {
                    part: [i for i, _, of in rows if of == part] for part in ("train", "test")
                },
                "annotations": [{"frame_dir": i, "label": NAMES.index(n)} for i, n, _ in rows],
            }
        },
    )
    yield (
        "paths in arrays",
        {
            f"{part}.npy": np.array([image for image, _, _ in of_part(rows, part)])
            for part in ("train", "test")
        },
    )
    numbers = {(image, name): k for k, (image, name, _) in enumerate(rows)}
    table = [(numbers[image, name], name, part) for image, name, part in rows]
    yield "rows, classes and parts", {"s.csv": table_of(table, "index", "class", "split")}  # type: ignore[arg-type]
    pairs = {
        part: [(image, NAMES.index(name)) for image, name, _ in of_part(rows, part)]
        for part in ("train", "test")
    }
    yield "tuples in PyTorch", {"s.pt": torch_bytes(pairs)}
    yield "a tuple of parts in PyTorch", {"s.pt": torch_bytes(pairs | {"classes": (*NAMES,)})}
    yield (
        "HDF5 groups",
        {
            "s.h5": hdf5_of(
                {
                    part: {"image": [i for i, _, _ in of], "class": [n for _, n, _ in of]}
                    for part, of in (("train", train), ("test", test))
                }
            )
        },
    )
    table = table_of(rows, "image", "label", "split")
    yield "Parquet with parts", {"s.parquet": as_bytes(lambda file: table.to_parquet(file))}
    yield (
        "Parquet per part",
        {
            f"data/{part}-00000-of-00001.parquet": as_bytes(
                lambda file, of=of: (
                    table_of(of, "image", "label", "split").iloc[:, :2].to_parquet(file)
                )
            )
            for part, of in (("train", train), ("test", test))
        },
    )
    windows = [(f"D:\\Daten\\{i}".replace("/", "\\"), n, p) for i, n, p in rows]
    yield (
        "Windows paths",
        {
            f"{part}.txt": [f"{i} {NAMES.index(n)}" for i, n, _ in of_part(windows, part)]
            for part in ("train", "test")
        },
    )
    yield (
        "addresses",
        {
            f"{part}.txt": [f"https://host.org/img/{i} {NAMES.index(n)}" for i, n, _ in of]
            for part, of in (("train", train), ("test", test))
        },
    )
    lines = [json.dumps({"file_name": i, "label": n, "split": p}) for i, n, p in rows]
    yield "records by line", {"metadata.jsonl": lines}
    toml = "".join(
        f"[{part}]\nimages = {json.dumps([i for i, _, _ in of])}\n"
        f"labels = {json.dumps([n for _, n, _ in of])}\n"
        for part, of in (("train", train), ("test", test))
    )
    yield "TOML", {"split.toml": toml}
    yield "CSV without titles", {"s.csv": table.to_csv(index=False, header=False)}
    yield (
        "quoted CSV of a spreadsheet",
        {"s.csv": "\ufeff" + table.to_csv(index=False, quoting=1, lineterminator="\r\n")},
    )
    paths = [f"./data/{part}/{image}" for image, _, part in rows]
    yield "paths of find", {"files.txt": paths}
    folders: dict[str, list[str]] = {}
    for folder, _, file in (path.rpartition("/") for path in paths):
        folders.setdefault(folder, []).append(file)
    listing = [line for folder, files in folders.items() for line in (f"{folder}:", *files, "")]
    yield "a listing of folders", {"files.txt": listing}
    number = {name: c for c, name in enumerate(NAMES)}
    coop = {
        part: [[image, number[name], name] for image, name, _ in of_part(rows, part)]
        for part in ("train", "test")
    }
    yield "CoOp with other test classes", {"split_zhou_AWA.json": coop | {"val": []}}
    yield "a column of counts in front", {"s.csv": table.to_csv()}
    yield (
        "class folders of the parts",
        {f"{'base' if p == 'train' else 'novel'}/{i}": b"x" for i, n, p in rows},
    )
    yield (
        "lists below splits",
        {
            f"splits/ravi/{part}.csv": table_of(of, "filename", "label", "p").iloc[:, :2]
            for part, of in (("train", train), ("test", test))
        },
    )
    yield (
        "UCF101 folder",
        {
            f"ucfTrainTestlist/{part}list01.txt": [f"{i.replace('.jpg', '.avi')}" for i, _, _ in of]
            for part, of in (("train", train), ("test", test))
        },
    )


def forms_of_texts_and_tables(rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and files of layouts of intents, of tables without titles, and of listings."""
    parts = {part: of_part(rows, part) for part in ("train", "test")}
    intents = {
        part: [(f"please {name} {k} for me", name) for k, (_, name, _) in enumerate(members)]
        for part, members in parts.items()
    }
    records = {
        f"{part}.jsonl": [json.dumps({"text": text, "intent": name}) for text, name in members]
        for part, members in intents.items()
    }
    yield "intents", records
    tables = {p: pd.DataFrame(of, columns=["text", "intent"]) for p, of in intents.items()}
    yield "intents in CSV", {f"{part}.csv": table for part, table in tables.items()}
    lines = {
        f"{part}.tsv": [f"{name}\t{text}" for text, name in of] for part, of in intents.items()
    }
    yield "intents without titles", lines
    patches = {
        f"{part}.csv": [f"S2A_MSIL2A_{k:06}_{part}, {n}" for k, (_, n, _) in enumerate(members)]
        for part, members in parts.items()
    }
    yield "ids without titles", patches
    videos = {
        f"{part}.csv": [f"/data/{i.replace(' ', '_')} 300 {NAMES.index(n)}" for i, n, _ in members]
        for part, members in parts.items()
    }
    yield "videos and labels after spaces in CSV", videos
    patients = [(f"p{k % 9}_{p}", f"{k:05}.dcm", n, p) for k, (_, n, p) in enumerate(rows)]
    table = pd.DataFrame(patients, columns=["PatientID", "Path", "Finding", "Split"])
    yield "findings of patients", {"meta.csv": table}
    sides = {"train": "base", "test": "novel"}
    yield "paths below base and novel", {"files.txt": [f"./{sides[p]}/{i}" for i, _, p in rows]}


def texts_and_tables() -> Iterator[Input]:
    """Yield splits in further layouts: sound, and with a test class in training."""
    for what, leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 5, "leaks")):
        for layout, files in forms_of_texts_and_tables(rows_of_split(leaked)):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            yield Input(f"{layout}: {what}", files, command, expected, "", leaked > 0)


def lists_per_side() -> Iterator[Input]:
    """Yield lists of classes with numbers, ids or a title: sound, or with a class on both sides."""
    ids = {name: f"n0{2_000_000 + c}" for c, name in enumerate((*SEEN, *UNSEEN))}
    for what, seen, expected in (
        ("sound", SEEN, CLEAN),
        ("a class on both sides", (*SEEN, UNSEEN[1]), "leaks"),
    ):
        for form, content, ending in (
            ("number by class", lambda names: {n: c for c, n in enumerate(names)}, "json"),
            ("class by number", lambda names: {str(c): n for c, n in enumerate(names)}, "json"),
            (
                "id and class by number",
                lambda names: {str(c): [ids[n], n] for c, n in enumerate(names)},
                "json",
            ),
            ("an unknown title", lambda names: ["taxon", *names], "csv"),
        ):
            files = {f"seen.{ending}": content(seen), f"unseen.{ending}": content(UNSEEN)}
            right, cause = (expected, "giant panda") if expected == "leaks" else (expected, "")
            if form == "an unknown title" and right == "leaks":
                cause = "giant panda.*taxon|taxon.*giant panda"
            name = f"lists per side, {form}: {what}"
            yield Input(name, files, CHECK_FOLDER, right, cause, right == "leaks")
    for form, seen_years, unseen_years in (
        ("first", ["1994 Audi", "2012 BMW", "2007 Ford"], ["1991 Audi", "2010 BMW"]),
        ("last", ["Audi TT 2011", "BMW X5 2007"], ["Audi TT 2012", "BMW X5 2010"]),
    ):
        files = {"seen_classes.txt": seen_years, "unseen_classes.txt": unseen_years}
        yield Input(f"years {form} in class names", files, CHECK_FOLDER, CLEAN)
        files = {"s.json": {"seen": seen_years, "unseen": unseen_years}}
        yield Input(f"years {form} in JSON", files, ("check", "s.json", *DECLARED), CLEAN)
        files = {
            "seen_classes.txt": [*seen_years, unseen_years[0]],
            "unseen_classes.txt": unseen_years,
        }
        yield Input(f"years {form}, a leak", files, CHECK_FOLDER, "leaks", "Audi", True)
    code = {"labels.py": "__ = ['chimpanzee', 'leopard', 'skunk']\n"}
    yield Input("a list called __ in Python", code, ("check", "labels.py"), "unknown broken")


def repeated_keys() -> Iterator[Input]:
    """Yield tables in which images have keys without suffix, of which four are in two parts."""
    rows = [*rows_of_split(), *((image, name, "test") for image, _, name in items(SEEN, 12, 5))]
    for form, key in (("words", "{0}ab{1}x"), ("numbers", "{0:05}")):
        keys = {row[:2]: key.format(k, k % 7) for k, row in enumerate(rows)}
        for what, n, expected in (("sound", 0, CLEAN), ("4 clips in two parts", 4, "leaks")):
            more = [(image, name, "train") for image, name, _ in rows[-n:]] if n else []
            table = [(keys[row[:2]], *row[1:]) for row in [*rows, *more]]
            files = {"k.csv": table_of(table, "sample_id", "action", "subset")}
            command, cause = ("check", "k.csv", *DECLARED), r"\b4\b" if n else ""
            yield Input(f"keys of images, {form}: {what}", files, command, expected, cause, n > 0)


def counted_rows() -> Iterator[Input]:
    """Yield sound tables in which a column counts the rows of each part anew."""
    few = [row for row in rows_of_split() if row[2] == "train" or row[0].endswith("_0001.jpg")]
    for form, key in (("numbers", "{}"), ("names", "img_{:04}")):
        places = {part: [row for row in few if row[2] == part] for part in ("train", "test")}
        table = [
            (key.format(k), name, part)
            for part, of in places.items()
            for k, (_, name, _) in enumerate(of)
        ]
        whole = table_of(table, "id", "label", "split")
        name = f"rows counted anew in each part, {form}"
        yield Input(name, {"s.csv": whole}, ("check", "s.csv", *DECLARED), CLEAN)
        files = {
            f"{part}.csv": whole[whole["split"] == part].drop(columns="split") for part in places
        }
        yield Input(f"{name}, one table per part", files, CHECK_FOLDER, CLEAN)


def repeated_numbers() -> Iterator[Input]:
    """Yield a sound table in which rows of two parts have the same number by chance."""
    rows = rows_of_split()
    numbers = [3 * k if part == "train" else 7 * k + 2 for k, (_, _, part) in enumerate(rows)]
    numbers = [n if n < 400 else n - 560 for n in numbers]
    table = table_of(rows, "image", "label", "split").assign(image=numbers)
    files = {"s.csv": table.rename(columns={"image": "id"})}
    yield Input("numbers that two rows share", files, ("check", "s.csv", *DECLARED), CLEAN)


def images() -> Iterator[Input]:
    """Yield splits by images in each layout: sound, and with a test class in training."""
    for what, leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 5, "leaks")):
        for layout, files in forms(rows_of_split(leaked)):
            single = len(files) == 1
            command = ("check", *files, *DECLARED) if single else CHECK_FOLDER
            cause = "chimpanzee|class|[Bb]oth" if leaked else ""
            yield Input(f"{layout}: {what}", files, command, expected, cause, bool(leaked))


#: Layout -> names of the files with seen and with unseen classes.
CLASS_FILES = {
    "German": ("Trainingsklassen.txt", "Testklassen.txt"),
    "Spanish": ("clases_entrenamiento.txt", "clases_prueba.txt"),
    "French": ("classes_entrainement.txt", "classes_test.txt"),
    "Chinese": ("训练类.txt", "测试类.txt"),
    "few-shot": ("base.txt", "novel.txt"),
    "below splits": ("splits/bertinetto/train.txt", "splits/bertinetto/test.txt"),
}


def class_forms(seen: Sequence[str], unseen: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and files of layouts of a split by classes."""
    for layout, (first, second) in CLASS_FILES.items():
        yield layout, {first: [*seen], second: [*unseen]}
    yield "JSON per side", {"s.json": {"seen_classes": [*seen], "unseen_classes": [*unseen]}}
    block = "".join(
        f"{side}:\n" + "".join(f"  - {name}\n" for name in of)
        for side, of in (("seen", seen), ("unseen", unseen))
    )
    yield "YAML", {"s.yaml": block}
    yield (
        "YAML below a title",
        {
            "s.yaml": "dataset: AWA\nclasses:\n"
            + "".join(f"  {line}\n" for line in block.splitlines())
        },
    )
    yield "Python", {"s.py": f"SEEN = {[*seen]!r}\nUNSEEN = {[*unseen]!r}\n"}
    yield (
        "TOML",
        {"s.toml": f"[classes]\nseen = {json.dumps([*seen])}\nunseen = {json.dumps([*unseen])}\n"},
    )
    lists = {"seen_classes": np.array([*seen]), "unseen_classes": np.array([*unseen])}
    yield "archive of names", {"s.npz": lists}
    numbers = {side: np.array([NAMES.index(n) for n in of]) for side, of in lists.items()}
    yield "archive of numbers", {"s.npz": numbers}
    yield "tuples in PyTorch", {"s.pt": torch_bytes({"seen": (*seen,), "unseen": (*unseen,)})}
    table = [(name, "seen") for name in seen] + [(name, "unseen") for name in unseen]
    numbered = [[f"{c} {name}" for c, name in enumerate(names)] for names in (seen, unseen)]
    yield "JSON with numbers", {"s.json": dict(zip(("seen", "unseen"), numbered, strict=True))}
    yield (
        "numbers below headings",
        {"s.txt": ["Seen:", *numbered[0], "Unseen:", *numbered[1]]},
    )
    settings = [[f"{name} = {c}" for c, name in enumerate(names)] for names in (seen, unseen)]
    yield "INI", {"s.ini": ["[seen]", *settings[0], "[unseen]", *settings[1]]}
    yield "a table of sides", {"s.csv": pd.DataFrame(table, columns=["class", "type"])}


def classes() -> Iterator[Input]:
    """Yield splits by classes in each layout: sound, and with a class on both sides."""
    for what, leaked in (("sound", ()), ("a class on both sides", UNSEEN[1:2])):
        for layout, files in class_forms((*SEEN, *leaked), UNSEEN):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            expected, cause = ("leaks", "giant panda|1 class|class 8") if leaked else (CLEAN, "")
            name = f"classes, {layout}: {what}"
            yield Input(name, files, command, expected, cause, bool(leaked))
    for what, one, other in (
        ("accents composed and decomposed", "café", unicodedata.normalize("NFD", "café")),
        ("letters of full width", "zebra", "ｚｅｂｒａ"),
        ("a space that does not break", "blue whale", "blue\u00a0whale"),
        ("a mark of the byte order", "zebra", "\ufeffzebra"),
    ):
        files = {"seen_classes.txt": [*SEEN, one], "unseen_classes.txt": [other, *UNSEEN]}
        name = f"classes, one name in two forms: {what}"
        yield Input(name, files, CHECK_FOLDER, "leaks", one[:3], True)
    alphabets = {
        "train.json": {"Latin": ["character01", "character02"], "Greek": ["character01"]},
        "test.json": {"Tifinagh": ["character01", "character02"], "Hebrew": ["character01"]},
    }
    name = "classes, characters of different alphabets"
    yield Input(name, alphabets, CHECK_FOLDER, NEVER_LEAKS)
    lines = {
        "train.txt": [f"Latin/character{k:02}" for k in range(1, 9)],
        "test.txt": [f"Greek/character{k:02}" for k in range(1, 9)],
    }
    yield Input("classes, characters as paths", lines, CHECK_FOLDER, NEVER_LEAKS)


def joint_files() -> Iterator[Input]:
    """Yield JSON with several splits, or with classes beside images."""
    for what, leaked, expected in (
        ("sound", (), CLEAN),
        ("a test class in one", UNSEEN[:1], "leaks"),
    ):
        several = {
            f"split_{k}": {
                "train": [*SEEN[k:], *SEEN[:k], *(leaked if k == 1 else ())],
                "test": UNSEEN,
            }
            for k in range(3)
        }
        for k, right in enumerate((CLEAN, expected, CLEAN)):
            name = f"several splits in one JSON, {k}: {what}"
            command = ("check", "s.json", "--split", f"split_{k}", *DECLARED)
            yield Input(name, {"s.json": several}, command, right, "", right == "leaks")
        command, cause = ("check", "s.json", *DECLARED), "one split per file.*--split"
        name = f"several splits in one JSON, unnamed: {what}"
        yield Input(name, {"s.json": several}, command, "broken", cause)
        listed = [several["split_1"], several["split_0"]]
        name = f"several splits in a list: {what}"
        number = ("check", "s.json", "--split", "1", *DECLARED)
        yield Input(name, {"s.json": listed}, number, expected, "", bool(leaked))
        images = {
            part: [i for i, _, of in rows_of_split(5 if leaked else 0) if of == part]
            for part in ("train", "test")
        }
        sides = {"seen_classes": [n.replace(" ", "_") for n in SEEN]}
        sides |= {"unseen_classes": [n.replace(" ", "_") for n in UNSEEN]}
        name = f"classes beside images in one JSON: {what}"
        yield Input(name, {"s.json": images | sides}, command, expected, "", bool(leaked))
        both = {"classes": sides, "images": images}
        name = f"classes and images in two objects: {what}"
        yield Input(name, {"s.json": both}, command, expected, "", bool(leaked))
    table = pd.DataFrame(
        [(int(row) + 1, part.removesuffix("_loc")) for part in SOUND for row in SOUND[part]],
        columns=["row", "part"],
    )
    benchmark_rows = table[table["part"].isin(["trainval", "test_seen", "test_unseen"])]
    for what, more, expected in (("sound", 0, CLEAN), ("3 test rows in trainval", 3, "leaks")):
        stray = benchmark_rows[benchmark_rows["part"] == "test_seen"][:more].assign(part="trainval")
        content = pd.concat([benchmark_rows, stray])
        name = f"a table of rows and parts: {what}"
        yield Input(name, {"s.csv": content}, ("check", "s.csv"), expected, "", bool(more))
        labelled = content.assign(label=LABELS[content["row"].to_numpy() - 1])
        name = f"a table of rows, labels and parts: {what}"
        yield Input(name, {"s.csv": labelled}, ("check", "s.csv"), expected, "", bool(more))
    archive = {name: rows + 1 for name, rows in SOUND.items()} | {"labels": LABELS + 1}
    command = ("check", "att_splits.npz", *DECLARED[:-1], "imagenet-1k")
    for form, names, expected, cause in (
        ("names", NAMES, "leaks", "ImageNet-1K"),
        (
            "names in dictionaries",
            [{"name": name} for name in NAMES],
            "unknown",
            "allclasses_names",
        ),
    ):
        objects = archive | {"allclasses_names": np.array(names, dtype=object)}
        content = as_bytes(lambda file, values=objects: np.savez(file, **values))
        name = f"{form} as Python objects beside a readable split"
        yield Input(name, {"att_splits.npz": content}, command, expected, cause)


def class_names() -> Iterator[Input]:
    """Yield lists of class names in YAML and other settings."""
    listed = "".join(f"  {k}: {name}\n" for k, name in enumerate(NAMES))
    dashes = "".join(f"- {name}\n" for name in NAMES)
    nested = "".join(f"    - {name}\n" for name in NAMES)
    for form, content in (
        (
            "numbers under names",
            f"path: ../data\ntrain: images/train\nval: images/val\nnames:\n{listed}",
        ),
        ("a list under names", f"nc: 11\nnames: {json.dumps([*NAMES])}\n"),
        ("dashes under classes", f"classes:\n{dashes}"),
        ("below two titles", f"dataset:\n  names:\n{nested}"),
        ("a list alone", dashes),
        ("records", "".join(f"- id: {k}\n  name: {name}\n" for k, name in enumerate(NAMES))),
        ("quoted keys", "".join(f'"{name}": {k}\n' for k, name in enumerate(NAMES))),
        ("comments", f"# classes\nnames:  # in order\n{listed}"),
    ):
        name = f"class names in YAML, {form}"
        cause = r"\b5 of 11\b|of 11 listed"
        yield Input(name, {"data.yaml": content}, ("check", "data.yaml"), "unknown", cause)
    spec = {
        "name": "cu_birds",
        "classes_per_split": {"TRAIN": 7, "TEST": 4},
        "class_names": {str(k): name for k, name in enumerate(NAMES)},
    }
    command = ("check", "dataset_spec.json")
    yield Input("Meta-Dataset", {"dataset_spec.json": spec}, command, "unknown broken")
    infos = {
        "default": {
            "features": {"label": {"names": [*NAMES], "_type": "ClassLabel"}},
            "splits": {"train": {"num_examples": 84}, "test": {"num_examples": 48}},
        }
    }
    name, command = "Hugging Face, names beside sizes of parts", ("check", "dataset_infos.json")
    yield Input(name, {"dataset_infos.json": infos}, command, "unknown")
    several = {"cifar10": [*SEEN], "pets": [*UNSEEN], "food": ["pizza", "sushi", "ramen"]}
    command = ("check", "en_classnames.json")
    name = "several class lists in one JSON"
    yield Input(name, {"en_classnames.json": several}, command, "unknown broken")


def other_files() -> Iterator[Input]:
    """Yield files without a split of images into seen and unseen classes: never clean."""
    rng = np.random.default_rng(0)
    pictures = rng.integers(0, 255, (60, 8, 8), dtype=np.uint8)
    labels = np.arange(60).reshape(-1, 1) % 5
    medmnist = {
        f"{part}_{what}": values[of]
        for part, of in (("train", slice(40)), ("val", slice(40, 50)), ("test", slice(50, 60)))
        for what, values in (("images", pictures), ("labels", labels))
    }
    yield Input("MedMNIST", {"m.npz": medmnist}, ("check", "m.npz"), "unknown broken")
    marks = pd.DataFrame(rng.integers(0, 2, (40, 5)), columns=[*"ABCDE"])
    marks.insert(0, "Path", [f"patient{k}/view1.jpg" for k in range(40)])
    chexpert = {"train.csv": marks[:30], "valid.csv": marks[30:]}
    yield Input("CheXpert", chexpert, CHECK_FOLDER, "broken unknown", "", True)
    numbers = pd.DataFrame({"id": range(50), "label": [*"abcde"] * 10})
    kaggle = {
        "train.csv": numbers[:40],
        "test.csv": numbers[["id"]][40:],
        "sample_submission.csv": numbers[40:].assign(label="a"),
    }
    yield Input("competition without test labels", kaggle, CHECK_FOLDER, "unknown broken")
    fer = pd.DataFrame(
        {
            "emotion": np.arange(60) % 7,
            "pixels": [f"{k} {k + 1} {k * 3}" for k in range(60)],
            "Usage": ["Training"] * 40 + ["PublicTest"] * 10 + ["PrivateTest"] * 10,
        }
    )
    yield Input("FER2013", {"fer2013.csv": fer}, ("check", "fer2013.csv"), "unknown broken")
    folds = pd.DataFrame([(i, n, k % 5) for k, (i, n, _) in enumerate(rows_of_split())])
    folds.columns = ["image", "label", "fold"]
    yield Input("a column of folds", {"f.csv": folds}, ("check", "f.csv"), "unknown broken")
    voc = {
        f"{name.replace(' ', '_')}_{part}.txt": [
            f"2008_{k:06} {1 if k % 11 == c else -1}" for k in range(start, start + 22)
        ]
        for c, name in enumerate(NAMES)
        for part, start in (("train", 0), ("val", 22))
    }
    yield Input("Pascal VOC", voc, CHECK_FOLDER, "unknown broken")
    flat = {
        f"eurosat-{part}.txt": [
            image.split("/")[1] for image, _, _ in of_part(rows_of_split(), part)
        ]
        for part in ("train", "test")
    }
    yield Input("lists without classes", flat, CHECK_FOLDER, NEVER_LEAKS)
    ava = {
        f"ava_{part}.csv": "".join(
            f"{video_id(str(k + start))},{902 + k:04},0.1,0.2,0.3,0.4,{k % 80},{k}\n"
            for k in range(40)
        )
        for part, start in (("train", 0), ("val", 40))
    }
    yield Input("AVA", ava, CHECK_FOLDER, "unknown broken")
    charades = {
        f"Charades_v1_{part}.csv": pd.DataFrame(
            {
                "id": [video_id(str(k + start)) for k in range(20)],
                "actions": [f"c{k:03} 1.0 3.0;c{k + 1:03} 2.0 5.0" for k in range(20)],
            }
        )
        for part, start in (("train", 0), ("test", 20))
    }
    yield Input("Charades", charades, CHECK_FOLDER, "unknown broken")
    chest = {
        "Data_Entry_2017.csv": pd.DataFrame(
            {
                "Image Index": [f"{k:08}_000.png" for k in range(40)],
                "Finding Labels": ["Mass", "Edema|Mass"] * 20,
            }
        ),
        "train_val_list.txt": [f"{k:08}_000.png" for k in range(30)],
        "test_list.txt": [f"{k:08}_000.png" for k in range(30, 40)],
    }
    yield Input("ChestX-ray14", chest, CHECK_FOLDER, "unknown broken")
    one_hot = np.eye(17)[np.arange(34) % 17]
    lcz = {
        f"{part}.h5": hdf5_of({"": {"label": one_hot.tolist()}}) for part in ("training", "testing")
    }
    yield Input("So2Sat", lcz, CHECK_FOLDER, "unknown broken")
    report = {name: {"precision": 0.5, "recall": 0.4, "f1-score": 0.44} for name in NAMES}
    command = ("check", "report.json")
    yield Input("metrics per class", {"report.json": report}, command, "unknown broken")
    matrix = pd.DataFrame(rng.integers(0, 30, (11, 11)), index=[*NAMES], columns=[*NAMES])
    files = {"confusion.csv": matrix.to_csv()}
    yield Input("confusion matrix", files, ("check", "confusion.csv"), "unknown broken")
    settings = {"train": "0-499", "test": "500-599"}
    yield Input("ranges of rows", {"s.json": settings}, ("check", "s.json"), "unknown broken")
    empty = {"train.txt": [i for i, _, _ in of_part(rows_of_split(), "train")], "test.txt": ""}
    yield Input("an empty test list", empty, CHECK_FOLDER, "broken unknown")
    sheet = b"PK\x03\x04" + bytes(22) + b"\x13\x00\x00\x00[Content_Types].xml" + bytes(40)
    yield Input(
        "a spreadsheet", {"s.xlsx": sheet}, ("check", "s.xlsx"), "broken", "(?i)csv|zip|spreadsheet"
    )
    notes = {"notes.md": "# Splits\n\nWe train on 7 classes and test on 4.\n"}
    yield Input("notes", notes, ("check", "notes.md"), "broken")


GENERATORS = (
    rows_per_fold,
    texts_and_tables,
    lists_per_side,
    repeated_keys,
    counted_rows,
    repeated_numbers,
    images,
    classes,
    joint_files,
    class_names,
    other_files,
)
