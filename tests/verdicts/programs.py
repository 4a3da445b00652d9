"""Inputs as spreadsheets and programs of several languages write them; lists given one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tests.verdicts.fields import CLEAN, Rows, as_bytes, of_part, rows_of_split, table_of
from tests.verdicts.inputs import (
    CHECK_FOLDER,
    DECLARED,
    DIM,
    LABELS,
    NAMES,
    PER_CLASS,
    SCORES,
    SEEN,
    TRUE,
    UNSEEN,
    UNSEEN_CLASSES,
    UNSEEN_NAMES,
    Input,
    X,
    Y,
)


def quoted(names: Sequence[str], separator: str = ", ") -> str:
    """Return names in quotation marks."""
    return separator.join(f'"{name}"' for name in names)


def lists_as_files() -> Iterator[Input]:
    """Yield the lists of the parts of a split as arguments of one command, without their folder."""
    for what, leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 5, "leaks")):
        rows = rows_of_split(leaked)
        seen = [*SEEN, *([UNSEEN[0]] if leaked else [])]
        tables = {p: table_of(of_part(rows, p), "image", "label", "split") for p in PARTS}
        forms: dict[str, dict[str, Any]] = {
            "classes in two folders": {"a/seen_classes.txt": seen, "b/unseen.txt": [*UNSEEN]},
            "three lists of classes": {
                "train_classes.txt": seen[1:],
                "val_classes.txt": seen[:1],
                "test_classes.txt": [*UNSEEN],
            },
            "tables": {f"{p}.csv": table.iloc[:, :2] for p, table in tables.items()},
            "records": {
                f"{p}.json": table.iloc[:, :2].to_dict("records") for p, table in tables.items()
            },
        }
        for form, files in forms.items():
            name, cause = f"lists as arguments, {form}: {what}", "chimpanzee" if leaked else ""
            command = ("check", *files, *DECLARED)
            yield Input(name, files, command, expected, cause, leaked > 0)
            yield Input(f"{name}, card", files, ("check", *files), expected, cause, leaked > 0)


def spreadsheets() -> Iterator[Input]:
    """Yield tables with lines and columns that only a spreadsheet or a comment fills."""
    for what, leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 5, "leaks")):
        rows = rows_of_split(leaked)
        lines = [",".join(row) for row in rows]
        german = [";".join((image, name, part)) for image, name, part in rows]
        titles = "image,label,split"
        trained = {name for _, name, part in rows if part == "train"}
        marks = [
            f"{name};{'ja' if name in trained else 'nein'};{'ja' if name in UNSEEN else 'nein'}"
            for name in (*SEEN, *UNSEEN)
        ]
        forms = {
            "blank columns and rows": [f"{line},,," for line in (titles, *lines, ",,", ",,")],
            "a title above the titles": ["Split of our data,,", ",,", titles, *lines],
            "blank rows between parts": [titles, *lines[:9], ",,", ",,", *lines[9:]],
            "comments between rows": [titles, *lines[:9], "# next class", *lines[9:]],
            "a title above semicolons": ["Aufteilung;;", "Bild;Klasse;Menge", *german],
            "yes and no in German": ["Klasse;Training;Test", *marks],
        }
        for form, content in forms.items():
            name, cause = f"spreadsheet, {form}: {what}", "chimpanzee" if leaked else ""
            command = ("check", "s.csv", *DECLARED)
            files = {"s.csv": "\r\n".join(content) + "\r\n"}
            yield Input(name, files, command, expected, cause, leaked > 0)


def programs() -> Iterator[Input]:
    """Yield lists of classes as several languages write them."""
    for what, leaked, expected in (("sound", [], CLEAN), ("a class on both sides", [1], "leaks")):
        seen = [*SEEN, *(UNSEEN[k] for k in leaked)]
        first, last = quoted(UNSEEN[:2]), quoted(UNSEEN[2:])
        numbered = [f'[{k}] "{name}"' for k, name in enumerate(seen, 1)]
        forms = {
            "split.R": f"seen <- c({quoted(seen)})\nunseen <- c({first},\n  {last})\n",
            "printed.txt": "\n".join(("$seen", *numbered, "", "$unseen", f"[1] {first}", last)),
            "split.jl": f"const seen = [{quoted(seen)}]\nconst unseen = [\n{first},\n{last}\n]\n",
            "split.m": f"seen = {{{quoted(seen, ' ')}}};\nunseen = {{{first}, ...\n  {last}}};\n",
            "split.js": f"export const SEEN = [{quoted(seen)}];\nlet UNSEEN = [{first}, {last}];\n",
            "split.h": f"const char* train_classes[] = {{{quoted(seen)}}};\n"
            f"const char* test_classes[4] = {{\n  // new\n  {first},\n  {last}\n}};\n",
            "split.java": f"static String[] seen = new String[]{{{quoted(seen)}}};\n"
            f"static String[] unseen = {{{first}, {last}}};\n",
            "typed.py": f"SEEN: list[str] = [{quoted(seen)}]\nUNSEEN: tuple = ({first}, {last})\n",
        }
        for file, content in forms.items():
            name, cause = f"lists in a program, {file}: {what}", "giant panda" if leaked else ""
            command = ("check", file, *DECLARED)
            yield Input(name, {file: content}, command, expected, cause, bool(leaked))


def metrics_of(answers: np.ndarray) -> str:
    """Return a pattern of u and s of predicted classes, from the definition."""
    right = {c: (answers[c == Y] == c).mean() for c in np.unique(Y).tolist()}
    sides = ([c for c in right if (c in UNSEEN_CLASSES) == is_unseen] for is_unseen in (1, 0))
    unseen, seen = (100 * np.mean([right[c] for c in side]) for side in sides)
    return rf"u {unseen:.1f} %, s {seen:.1f} %"


def scores_of_programs() -> Iterator[Input]:
    """Yield scores with other separators, blank lines, comments or sums, and a submission."""
    answers = SCORES.argmax(axis=1)
    predicted = np.array(NAMES)[answers]
    table = pd.DataFrame(SCORES, columns=[*NAMES]).assign(label=TRUE)
    lines = table.to_csv(index=False).splitlines()
    bare = pd.DataFrame(SCORES).to_csv(index=False, header=False)
    labels = {"y.txt": "\n".join(map(str, Y))}
    images = [f"{k:04}.jpg" for k in range(len(Y))]
    quotes = [f'"{k}" ' + " ".join(map(str, r)) + f' "{TRUE[k]}"' for k, r in enumerate(SCORES)]
    counts = pd.crosstab(pd.Series(TRUE, name="wahr"), pd.Series(predicted)).reindex(
        index=[*NAMES], columns=[*NAMES], fill_value=0
    )
    by_image = {"y.json": dict(zip(images, TRUE.tolist(), strict=True))}
    of_image = pd.DataFrame(SCORES, index=images, columns=[*NAMES]).T.to_dict()
    submitted = pd.DataFrame({"Id": images, "Category": predicted})
    listed = pd.DataFrame({"Id": images[::-1], "label": TRUE[::-1]})
    for form, files in (
        ("bars", {"s.csv": table.to_csv(index=False, sep="|")}),
        ("bars without titles", {"s.txt": bare.replace(",", "|"), **labels}),
        ("commas at the ends", {"s.csv": "\n".join(f"{line}," for line in lines)}),
        (
            "commas at the ends of rows",
            {"s.csv": "\n".join((lines[0], *map("{},".format, lines[1:])))},
        ),
        ("commas at the ends, no titles", {"s.csv": bare.replace("\n", ",\n"), **labels}),
        ("write.table of R", {"s.txt": "\n".join((quoted(table.columns, " "), *quotes))}),
        ("blank lines", {"s.csv": "\n\n".join(lines)}),
        ("comments between rows", {"s.csv": "\n".join((*lines[:9], "# batch 2", *lines[9:]))}),
        ("a matrix with sums", {"c.csv": counts.assign(Summe=counts.sum(axis=1)).to_csv(sep=";")}),
        ("labels by image in JSON", {"s.json": of_image, **by_image}),
        ("a submission", {"s.csv": submitted, "y.csv": listed}),
        ("label_ids", {"s.npz": {"predictions": SCORES, "label_ids": Y}}),
    ):
        first, *others = files
        of_numbers = {"y.txt", "s.npz"} & {*files}
        unseen = map(str, UNSEEN_CLASSES) if of_numbers else UNSEEN_NAMES
        command = ("score", first, *(("--labels", *others) if others else ()), "--unseen", *unseen)
        yield Input(f"scores, {form}", files, command, "clean", metrics_of(answers))
    for form, above, between, line in (
        ("comments above", "# a\n# b\n", "\n", 10),
        ("blank lines", "", "\n\n", 15),
    ):
        damaged = [*lines[:7], "x" + lines[7], *lines[8:]]
        files = {"s.csv": above + between.join(damaged)}
        command = ("score", "s.csv", "--unseen", *UNSEEN_NAMES)
        yield Input(
            f"scores, line of a fault, {form}", files, command, "broken", f"line {line}", True
        )


def layouts_of_fields(rows: Rows) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield name and files of layouts of videos, shapes, texts, relations and arrays."""
    parts = {part: of_part(rows, part) for part in PARTS}
    names = {name: name.replace(" ", "_") for name in (*SEEN, *UNSEEN)}
    numbers = {name: f"0{2_691_156 + c}" for c, name in enumerate(names)}
    counted = {
        part: [(k, image, name) for k, (image, name, _) in enumerate(of)]
        for part, of in parts.items()
    }

    def lists(file: str, line: Callable[[int, str, str], str]) -> dict[str, Any]:
        """Return one list per part, with a line of number, image and class."""
        return {file.format(part): [line(*row) for row in of] for part, of in counted.items()}

    yield (
        "folders of frames",
        lists("{}_rawframes.txt", lambda k, image, n: f"{image[:-4]} {90 + k} {NAMES.index(n)}"),
    )
    yield "numbered shapes", lists("modelnet_{}.txt", lambda k, _, n: f"{names[n]}_{k:04}")
    yield (
        "folders of parts below classes",
        {
            f"{names[n]}/{part}/{names[n]}_{k}.off": b"x"
            for part, of in counted.items()
            for k, _, n in of
        },
    )
    texts = {
        f"{part}.txt": [f"__label__{names[n]} text {k}, {part} of it" for k, _, n in of]
        for part, of in counted.items()
    }
    yield "fastText", texts
    yield (
        "folders of texts",
        {f"{part}/{n}/{k}": f"text {k} {n}" for part, of in counted.items() for k, _, n in of},
    )
    relations: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
    for part, of in counted.items():
        for k, _, name in of:
            relations[part].setdefault(name, []).append({"tokens": [str(k)], "h": ["a"], "t": [k]})
    yield "sentences by relation", {f"{p}_wiki.json": of for p, of in relations.items()}
    yield "relations by part", {"fewrel.json": relations}
    triples = {
        f"{part}_tasks.json": {
            n: [["a", n, str(k)] for k in range(len(of))] for n, of in by.items()
        }
        for part, by in relations.items()
    }
    yield "triples by relation", triples
    table = table_of(rows, "image", "label", "split")
    ids = [f"{k:06x}ab" for k in range(len(rows))]
    yield (
        "a title with a word for classes",
        {
            "all.csv": table.assign(image=ids, label=table.label.map(numbers)).rename(
                columns={"image": "modelId", "label": "synsetId"}
            )
        },
    )
    yield (
        "arrays of labels in a folder",
        {
            f"y_{part}.npy": np.array([NAMES.index(n) for _, n, _ in of])
            for part, of in parts.items()
        },
    )
    described = {
        part: {
            "features": [{"name": "image"}, {"name": "label"}],
            "rows": [{"row_idx": k, "row": {"image": i, "label": n}} for k, i, n in of],
        }
        for part, of in counted.items()
    }
    yield "rows beside their description", {"dataset.json": described}
    listed = {"train": sorted({n for _, n, _ in parts["train"]}), "test": [*UNSEEN]}
    yield (
        "lists in the cells of Parquet",
        {
            "s.parquet": as_bytes(
                lambda file: pd.DataFrame(
                    {"split": [*listed], "classes": [*listed.values()]}
                ).to_parquet(file)
            )
        },
    )
    trains = [f"{k} {int(part == 'train')}" for k, (_, _, part) in enumerate(rows, 1)]
    images = [f"{k} {image}" for k, (image, _, _) in enumerate(rows, 1)]
    yield "CUB without lists of classes", {"images.txt": images, "train_test_split.txt": trains}


def fields_of_research() -> Iterator[Input]:
    """Yield layouts of several fields: sound, and with images of a test class in training."""
    for what, leaked, expected in (("sound", 0, CLEAN), ("a test class in train", 5, "leaks")):
        for layout, files in layouts_of_fields(rows_of_split(leaked)):
            command = ("check", *files, *DECLARED) if len(files) == 1 else CHECK_FOLDER
            cause = "1 class is both" if leaked else ""
            yield Input(f"{layout}: {what}", files, command, expected, cause, leaked > 0)


def compositions_by_part() -> Iterator[Input]:
    """Yield pairs of attribute and object without images: sound, and with a pair on both sides."""
    train = [("wet", "dog"), ("old", "car"), ("red", "house"), ("tiny", "dog"), ("old", "dog")]
    test = [("wet", "car"), ("red", "dog")]
    for what, leaked, expected in (
        ("sound", [], CLEAN),
        ("a pair on both sides", test[:1], "leaks"),
    ):
        listed = [*((*pair, "seen") for pair in (*train, *leaked)), *((*p, "unseen") for p in test)]
        verbs = [(f"P01_{k}", *entry) for k, entry in enumerate(listed)]
        pairs = {"seen_pairs": [*train, *leaked], "unseen_pairs": test}
        forms: dict[str, dict[str, Any]] = {
            "a table": {"pairs.csv": table_of(listed, "attr", "obj", "split")},
            "lists of lists": {"pairs.json": pairs},
            "tuples in Python": {"pairs.py": "".join(f"{n} = {of!r}\n" for n, of in pairs.items())},
        }
        for form, files in forms.items():
            command = ("check", *files, *DECLARED)
            name, cause = f"compositions, {form}: {what}", "wet car" if leaked else ""
            yield Input(name, files, command, expected, cause, bool(leaked))
        parts = [(*row[:-1], "train" if row[-1] == "seen" else "test") for row in verbs]
        files = {"epic.csv": table_of(parts, "narration_id", "verb", "noun", "split")}
        yield Input(f"verbs and nouns: {what}", files, ("check", "epic.csv", *DECLARED), CLEAN)


def equal_paths() -> Iterator[Input]:
    """Yield lists with the path of a test image under another class, in another case."""
    rows = rows_of_split()
    image = next(image for image, name, _ in rows if name == UNSEEN[0])
    for what, path, expected in (
        ("quotes", f'"{image}"', "leaks broken"),
        ("case", image.upper(), "unknown"),
    ):
        lists = {
            f"{p}.txt": [f"{i} {NAMES.index(n)}" for i, n, _ in of_part(rows, p)] for p in PARTS
        }
        if what == "case":
            lists["train.txt"].append(f"{path} 0")
            cause = "the same images"
        else:
            lists = {f"{p}.txt": [i for i, _, _ in of_part(rows, p)] for p in PARTS}
            lists["train.txt"].append(path)
            cause = "chimpanzee"
        name = f"the path of a test image in training, {what}"
        yield Input(name, lists, CHECK_FOLDER, expected, cause, True)


def features_by_class() -> Iterator[Input]:
    """Yield one matrix of features per class, without a list of classes."""
    of_class = {name: X[c == LABELS] for c, name in enumerate(SEEN)}
    for form, files in (
        ("an archive", {"f.npz": of_class}),
        ("a folder", {f"f/{name}.npy": features for name, features in of_class.items()}),
    ):
        command = ("import", "f" if form == "a folder" else "f.npz", "--show", "--unseen", SEEN[0])
        cause = rf"^features {len(SEEN) * PER_CLASS} x {DIM}; labels {len(SEEN) * PER_CLASS};"
        yield Input(f"features by class, {form}", files, command, "clean", cause)


def arrays_of_objects() -> Iterator[Input]:
    """Yield names in arrays of Python objects, as NumPy writes lists of names from pandas."""
    for what, leaked, expected in (("sound", [], CLEAN), ("a class on both sides", [1], "leaks")):
        seen = np.array([*SEEN, *(UNSEEN[k] for k in leaked)], dtype=object)
        lists = {"seen_classes": seen, "unseen_classes": np.array(UNSEEN, dtype=object)}
        cause = "giant panda" if leaked else ""
        name = f"names in arrays of objects: {what}"
        files = {f"{side}.npy": names for side, names in lists.items()}
        yield Input(name, files, CHECK_FOLDER, expected, cause, bool(leaked))
        command = ("check", "s.npz", *DECLARED)
        yield Input(f"{name}, archive", {"s.npz": lists}, command, expected, cause, bool(leaked))


def similar_to_splits() -> Iterator[Input]:
    """Yield settings of programs, and sound lists of classes that look like lists of examples."""
    for file, content in (
        ("conf.py", "train = dict(type='A', bs=3)\ntest = dict(type='A', bs=1)\n"),
        ("conf.js", "export const train = {lr: 'a'};\nexport const test = {lr: 'a'};\n"),
        ("conf.json", '{"train": {"mean": [[1, 2, 3]]}, "test": {"mean": [[1, 2, 3]]}}'),
    ):
        name = f"settings of a program, {file}"
        yield Input(name, {file: content}, ("check", file, *DECLARED), "broken unknown")
    for form, seen, unseen in (
        ("models", ("boeing_737", "boeing_747", "airbus_320"), ("boeing_787", "airbus_340")),
        ("years", ("Audi_2011", "Audi_2012", "BMW_2010"), ("Audi_2014", "BMW_2014")),
        ("counts", ("/a/abbey 12", "/b/bar 7", "/c/cafe 30"), ("/z/zoo 12", "/c/church 7")),
    ):
        files = {"train.txt": [*seen], "test.txt": [*unseen]}
        never = "\\d class(es are| is) both seen and unseen"
        expected = "clean unknown broken"
        name = f"classes like numbered examples, {form}"
        yield Input(name, files, CHECK_FOLDER, expected, never=never)
    scenes, others = ["/a/abbey", "/c/church/indoor"], ["/c/church/outdoor", "/a/attic", "/z/zoo"]
    for form, leaked, expected in (("sound", [], CLEAN), ("a leak", others[1:2], "leaks")):
        files = {"train.txt": [*scenes, *leaked], "test.txt": others}
        name, cause = f"classes with folders, {form}", "attic" if leaked else ""
        yield Input(name, files, CHECK_FOLDER, expected, cause, bool(leaked))
    folders = [(i, n, p) for i, n, p in rows_of_split()]
    table = table_of(folders, "image", "label_quality", "split").assign(
        label_quality=range(len(folders))
    )
    files = {"s.csv": table.assign(label_quality=table.label_quality % 2)}
    name = "a title with a word for classes, of another column"
    yield Input(name, files, ("check", "s.csv", *DECLARED), CLEAN)


PARTS = ("train", "test")
GENERATORS = (
    *(lists_as_files, spreadsheets, programs, scores_of_programs, fields_of_research),
    *(compositions_by_part, equal_paths, features_by_class, arrays_of_objects),
    similar_to_splits,
)
