"""A JSON file, table or text with entries that name their part, in common layouts."""

import json
import tracemalloc
from contextlib import suppress
from itertools import zip_longest
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from tests.writing import write_file
from zslcore.datasets import part_names, split_images
from zslcore.datasets.split_files import (
    columns,
    json_objects,
    json_parts,
    lists,
    read_split_file,
    read_split_table,
    tables,
)
from zslcore.datasets.split_files.arrays import split_of_arrays
from zslcore.datasets.split_files.json_objects import entries_of_json, split_of_json
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import audit
from zslcore.leakage.file_kinds import class_list_of, recognise_file
from zslcore.untrusted.client import contents_of_json

pytestmark = pytest.mark.usefixtures("in_process")
TRAINED, HELD_OUT, TESTED = ("quokka", "fossa"), ("numbat",), ("dhole", "kiang")
SIDES = {"train": TRAINED, "val": HELD_OUT, "test": TESTED}
PART_OF = {name: part for part, names in SIDES.items() for name in names}
#: A test class and one of its images, which is also in training.
LEAKED_CLASS, LEAKED_IMAGE = ("dhole", "train"), ("dhole/900.jpg", "dhole", "train")


def images(names, n=3, start=0):
    return [(f"{name}/{i:03}.jpg", name) for name in names for i in range(start, start + n)]


ROWS = [(image, name, part) for part, names in SIDES.items() for image, name in images(names)]
RECORDS = [{"image": image, "label": name, "split": part} for image, name, part in ROWS]


def lines(rows, form, titles=""):
    return titles + "".join(form.format(*row) for row in rows)


def table_of_flags(pairs, yes="1", no="0"):
    """Return a table with one yes-no column per part."""
    rows = ([name, *(yes if part == own else no for part in SIDES)] for name, own in pairs)
    return "".join(",".join(row) + "\n" for row in [["species", *SIDES], *rows])


def of_classes(*more):
    """Return files with a list of classes per side, plus further (class, part) pairs."""
    pairs = [*PART_OF.items(), *more]
    sides = {part: [name for name, own in pairs if own == part] for part in SIDES}
    levels = {"easy": sides["test"][:1], "hard": sides["test"][1:]}
    places = {name: [*PART_OF].index(name) for name in PART_OF}
    files = {
        "parts.json": sides,
        "named.json": {f"{part}_classes": names for part, names in sides.items()},
        "lists.json": {f"{part} class list": names for part, names in sides.items()},
        "numbered.json": {p: {n: k for k, n in enumerate(members)} for p, members in sides.items()},
        "by_number.json": {p: dict(enumerate(members)) for p, members in sides.items()},
        "described.json": {
            p: {n: f"a kind of {n}" for n in members} for p, members in sides.items()
        },
        "levels.json": sides | {"test_classes": levels},
        "meta.json": {f"meta_{part}": names for part, names in sides.items()},
        "inside.json": {"name": "animals", "splits": {"classes": sides}},
        "records.json": [{"name": n, "split": part} for n, part in pairs],
    }
    files["levels.json"].pop("test")
    if not more:  # in these files, a class can have only one part
        files |= {
            "part_of.json": PART_OF,
            "groups.json": {str(k): {n: part} for k, (n, part) in enumerate(pairs)},
            "record_of.json": {n: {"id": places[n], "split": part} for n, part in pairs},
        }
    plain = {part: lines(zip(members), "{}\n") for part, members in sides.items()}
    yaml = {part: lines(zip(members), "  - {}\n") for part, members in sides.items()}
    return {name: json.dumps(value) for name, value in files.items()} | {
        "part_of.csv": lines(pairs, "{},{}\n", "class,split\n"),
        "other_titles.csv": lines(pairs, "{};{}\n", "Klasse;Teil\n"),
        "excel.csv": lines(pairs, "{};{}\n", "sep=;\nclass;split\n"),
        "comments.csv": lines(pairs, "{},{}\n", "# a split\n# of classes\nclass,split\n"),
        "windows.csv": lines(pairs, "{},{}\r\n", "\ufeffclass,split\r\n"),
        "marks.csv": table_of_flags(pairs),
        "crosses.csv": table_of_flags(pairs, "x", ""),
        "no_titles.csv": lines(pairs, "{},{}\n"),
        "part_first.txt": lines(pairs, "{1} {0}\n"),
        "tabs.txt": lines(pairs, "{}\t{}\n"),
        "markdown.txt": lines(pairs, "| {} | {} |\n", "| class | split |\n|---|---|\n"),
        "columns.csv": "train,val,test\n" + "".join(
            ",".join(row) + "\n" for row in zip_longest(*sides.values(), fillvalue="")
        ),
        "headings.txt": "".join(f"{p.title()}:\n{members}" for p, members in plain.items()),
        "counted.txt": "".join(f"{p} (2 classes):\n{members}" for p, members in plain.items()),
        "plain.txt": "".join(f"{p.title()}\n{members}" for p, members in plain.items()),
        "sections.txt": "".join(f"[{part}]\n{members}" for part, members in plain.items()),
        "inline.txt": "".join(f"{part}: {', '.join(members)}\n" for part, members in sides.items()),
        "python.py": "".join(f"{part}_classes = {members!r}\n" for part, members in sides.items()),
        "wrapped.py": "".join(
            f"{part} = [\n" + lines(zip(members), "    '{}',\n") + "]\n\n"
            for part, members in sides.items()
        ),
        "block.yaml": "".join(f"{part}:\n{members}" for part, members in yaml.items()),
        "comments.yaml": "".join(
            f"{part}:  # classes\n{members}" for part, members in yaml.items()
        ),
        "inline.yaml": "".join(
            f"{part}: [{', '.join(members)}]\n" for part, members in sides.items()
        ),
    }  # fmt: skip


def of_images(*more):
    """Return files with the images of each part, plus further (image, class, part) triples."""
    rows = [*ROWS, *more]
    records = [{"image": image, "label": name, "split": part} for image, name, part in rows]
    of_part = {part: [row for row in rows if row[2] == part] for part in SIDES}
    words = [(i, n, p.replace("train", "training")) for i, n, p in rows]
    database = {
        i: {"subset": p, "duration": 1.5, "annotations": [{"segment": [0, 1], "label": n}] * 2}
        for i, n, p in words
    }
    files = {
        "records.json": records,
        "folders.json": {
            p: {
                n: [i for i, label, _ in members if label == n]
                for n in {n: 0 for _, n, _ in members}
            }
            for p, members in of_part.items()
        },
        "by_class.json": {
            n: {p: [i for i, label, own in members if label == n] for p, members in of_part.items()}
            for n in PART_OF
        },
        "parts.json": {p: [r for r in records if r["split"] == p] for p in SIDES},
        "columns.json": {key: [record[key] for record in records] for key in RECORDS[0]},
        "pandas.json": {
            key: {str(k): item[key] for k, item in enumerate(records)} for key in RECORDS[0]
        },
        "record_of.json": {i: {"label": n, "split": p} for i, n, p in rows},
        "activity_net.json": {"version": "1.3", "taxonomy": [{"nodeId": 1}], "database": database},
        "image_files.json": {
            f"{p}_images": [i for i, _, _ in members] for p, members in of_part.items()
        },
        "class_of.json": {p: {i: n for i, n, _ in members} for p, members in of_part.items()},
        "pairs.json": {p: [[i, n] for i, n, _ in members] for p, members in of_part.items()},
        "turned.json": {p: [[n, i] for i, n, _ in members] for p, members in of_part.items()},
        "images_labels.json": {
            p: {"images": [i for i, _, _ in members], "labels": [n for _, n, _ in members]}
            for p, members in of_part.items()
        },
    }
    return {name: json.dumps(value) for name, value in files.items()} | {
        "lines.jsonl": "".join(json.dumps(record) + "\n" for record in records),
        "sides.tsv": lines(
            ((i, n, p.replace("test", "test_unseen")) for i, n, p in rows),
            "{}\t{}\t{}\n",
            "image\tlabel\tsplit\n",
        ),
        "words.csv": lines(words, "{},{},{}\n", TITLES),
        "other_titles.csv": lines(rows, "{},{},{}\n", "Bild,Klasse,Teil\n"),
        "untitled.csv": lines(rows, "{},30,{},{}\n"),
        "flags.tsv": "video_id\taction\tis_train\n"
        + "".join(f"{i}\t{n}\t{int(p != 'test')}\n" for i, n, p in rows),
        "numbers.csv": "image_id,label,class_name,phase\n"
        + "".join(f"{i},{len(n)},{n},{p}\n" for i, n, p in rows),
        "part_behind.txt": lines(rows, "{0} {2}\n"),
        "class_between.txt": lines(rows, "{}\t{}\t{}\n"),
        "class_after_space.txt": lines(rows, "{} {} {}\n"),
    }


TITLES = "filepath,class,subset\n"
OF_CLASSES, OF_IMAGES = of_classes(), of_images()
LEAKING = {f"classes, {name}": text for name, text in of_classes(LEAKED_CLASS).items()}
LEAKING |= {f"images, {name}": text for name, text in of_images(LEAKED_IMAGE).items()}


def read(path):
    return read_split_file(path)


def names_of(entries, side):
    return {entries.class_names[k] for k in entries.sides[side]}


def write_json(folder, name, value):
    return write_file(folder / name, json.dumps(value))


def names_in_leaks(report):
    return {
        name for finding in report.findings if finding.mark == "leak" for name in finding.classes
    }


def read_clean(path, text):
    """Return a split from a file without a leak, recognised as a split."""
    assert recognise_file(write_file(path, text)).kind == "split"
    assert audit(path).verdict != "leaks"
    return read(path)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_classes_listed_by_side_are_read(tmp_path, name):
    split = read_clean(tmp_path / name, OF_CLASSES[name])
    assert names_of(split, "seen") == {*TRAINED}
    assert names_of(split, "unseen") == {*TESTED}
    ((train, val),) = split.folds
    assert [split.class_names[k] for k in train] == [*TRAINED]
    assert [split.class_names[k] for k in val] == [*HELD_OUT]


@pytest.mark.parametrize("name", OF_IMAGES)
def test_images_listed_by_part_are_read(tmp_path, name):
    split = read_clean(tmp_path / name, OF_IMAGES[name])
    assert split.class_names == tuple(sorted(PART_OF))
    trained = {split.files[k] for k in split.parts["trainval"]}
    tested = {split.files[k] for k in split.parts["test_unseen"]}
    assert trained == {image for image, _, part in ROWS if part != "test"}
    assert tested == {image for image, _, part in ROWS if part == "test"}


#: Rows of images without names: training classes are tested as seen classes.
REPEATED = [(name, "train") for name in TRAINED * 3] + [(name, "test") for name in TRAINED + TESTED]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("table.csv", "label,split\n" + "".join(f"{n},{part}\n" for n, part in REPEATED)),
        ("no_titles.csv", "".join(f"{n},{part}\n" for n, part in REPEATED)),
        ("pairs.txt", "".join(f"{n} {part}\n" for n, part in REPEATED)),
        ("list.json", json.dumps([{"label": n, "split": part} for n, part in REPEATED])),
        (
            "parts.json",
            json.dumps(
                {p: [{"label": n} for n, part in REPEATED if part == p] for p in ("train", "test")}
            ),
        ),
    ],
)
def test_a_part_that_repeats_a_class_has_one_row_per_image(tmp_path, name, text):
    split = read_clean(tmp_path / name, text)
    sizes = {part: len(rows) for part, rows in split.parts.items()}
    assert sizes == {"trainval": 6, "test_seen": 2, "test_unseen": 2}


@pytest.mark.parametrize(
    ("value", "fitted"),
    [
        ({"train": ["bat", "cow"], "val": ["cow"], "test": ["emu"]}, {"bat", "cow"}),
        ({"seen": ["bat", "cow ox"], "val": ["cow_ox"], "unseen": ["emu"]}, {"bat"}),
        ({"trainval": ["bat", "cow"], "val": ["cow"], "test": ["emu"]}, {"bat"}),
    ],
)
def test_a_training_list_keeps_a_class_that_also_validates(tmp_path, value, fitted):
    path = write_file(tmp_path / "split.json", json.dumps(value))
    split = read(path)
    ((train, _),) = split.folds
    assert {split.class_names[k] for k in train} == fitted
    marks = {finding.check: finding.mark for finding in audit(path).findings}
    assert (marks["ZSL002"] == "ok") == (len(fitted) == 1)


@pytest.mark.parametrize("name", LEAKING)
def test_a_test_class_that_is_trained_on_leaks_in_every_form(tmp_path, name):
    path = tmp_path / name.split(", ")[1]
    report = audit(write_file(path, LEAKING[name]))
    assert report.verdict == "leaks"
    assert names_in_leaks(report) == {"dhole"}


@pytest.mark.parametrize("more", [(), (LEAKED_IMAGE,)])
@pytest.mark.parametrize("kind", ["str", "category"])
def test_a_parquet_table_is_read_like_a_text_table(tmp_path, more, kind):
    table = pd.DataFrame([*ROWS, *more], columns=["image", "label", "split"]).astype(kind)
    table.assign(width=3, embedding=[[1.0, 2.0]] * len(table)).to_parquet(tmp_path / "s.parquet")
    assert recognise_file(tmp_path / "s.parquet").kind == "split"
    report = audit(tmp_path / "s.parquet")
    assert report.verdict == ("leaks" if more else "unknown")
    assert names_in_leaks(report) == ({"dhole"} if more else set())
    scores = pd.DataFrame({"label": ["dhole", "kiang"], "dhole": [0.5, 1], "kiang": [1.0, 0]})
    assert recognise_file(write_file(tmp_path / "scores.parquet", scores)).kind == "scores"


@pytest.mark.parametrize("second", ["fossa", "kiang"])
def test_a_video_may_have_several_actions(tmp_path, second):
    value = {i: {"subset": p, "annotations": [{"label": n}]} for i, n, p in ROWS}
    value["v"] = {"subset": "train", "annotations": [{"label": "quokka"}, {"label": second}]}
    (tmp_path / "a.json").write_text(json.dumps({"database": value}))
    assert names_in_leaks(audit(tmp_path / "a.json")) == {second} & {*TESTED}
    value["v"]["subset"] = "somewhere"
    with pytest.raises(FileRefusedError, match=r"'subset', row \d+; got somewhere"):
        read_split_file(write_file(tmp_path / "a.json", {"database": value}))


def test_videos_without_a_class_raise_a_question(tmp_path):
    value = {i: {"subset": p, "annotations": [{"label": n}]} for i, n, p in ROWS}
    value |= {f"v{k}": {"subset": "test", "annotations": []} for k in range(3)}
    report = audit(write_file(tmp_path / "a.json", {"database": value}))
    assert report.sentence.startswith(
        "Images without a class: 3. They are neither read nor checked."
    )


@pytest.mark.parametrize("leaked", [0, 1])
def test_numbered_classes_are_read_by_side(tmp_path, leaked):
    value = {"known_classes": [0, 1, 2], "unknown_classes": {"hard": [3 - leaked], "easy": [4]}}
    split = read_split_file(write_json(tmp_path, "osr.json", value))
    assert len(names_of(split, "seen") & names_of(split, "unseen")) == leaked
    # With labels, the numbers are rows and not classes.
    beside = {"seen": [0, 1], "unseen": [2, 3], "labels": [0, 0, 1, 1]}
    assert read_split_file(write_json(tmp_path, "rows.json", beside)) is None
    scores = {"scores": [[0.5, 0.25]], "y": [0], "seen_classes": [0], "unseen_classes": [1]}
    assert split_of_json(Path("scores.json"), scores) is None


@pytest.mark.parametrize("leaked", [[], ["dhole"]])
def test_labels_per_part_reveal_shared_classes_but_not_shared_images(tmp_path, leaked):
    value = {"y_train": [*TRAINED, *TRAINED, *leaked], "y_test_unseen": [*TESTED, *TESTED]}
    report = audit(write_json(tmp_path, "labels.json", value))
    assert report.verdict == ("leaks" if leaked else "unknown")
    assert names_in_leaks(report) == {*leaked}
    assert leaked or report.sentence.startswith("Images have no names, so images in two parts")


#: Species with their group; one group has species on both sides.
SPECIES = ("quokka,marsupials,train\nfossa,cats,train\nnumbat,marsupials,train\n"
           "dhole,dogs,test\nkiang,horses,test\ncuscus,marsupials,test\n")  # fmt: skip


@pytest.mark.parametrize("titles", ["", "Art,Ordnung,Teil\n", "name,class,split\n", "a,b,c\n"])
def test_a_group_column_is_not_read_as_the_class(tmp_path, titles):
    split = read_split_table(write_file(tmp_path / "s.csv", titles + SPECIES))
    assert split is None or "marsupials" not in split.class_names
    assert (split is None) == (not titles.startswith("name"))


@pytest.mark.parametrize("leaked", [False, True])
def test_ids_of_videos_next_to_classes_need_no_titles(tmp_path, leaked):
    rows = [(f"--v{k:04}x", n, p) for k, (_, n, p) in enumerate([*ROWS, *[LEAKED_IMAGE] * leaked])]
    (tmp_path / "s.csv").write_text(lines(rows, "{},30,{},{}\n"))
    assert names_in_leaks(audit(tmp_path / "s.csv")) == ({"dhole"} if leaked else set())
    assert len(read_split_table(tmp_path / "s.csv").files) == len(rows)


@pytest.mark.parametrize("leaked", [False, True])
def test_a_test_part_may_be_divided_into_seen_and_unseen(tmp_path, leaked):
    more = TESTED[:1] if leaked else ()
    value = {"train": [*TRAINED, *more], "test": {"seen": TRAINED, "unseen": TESTED}}
    assert names_in_leaks(audit(write_json(tmp_path, "a.json", value))) == {*more}


def test_row_numbers_as_texts_are_numbers(tmp_path):
    value = {"train": ["0", "1", "2"], "test": ["3"]}
    assert read_split_file(write_json(tmp_path, "a.json", value)).parts["test_unseen"].tolist() == [
        3
    ]


def test_without_a_test_part_the_validation_classes_are_unseen(tmp_path):
    split = read_clean(tmp_path / "split.json", json.dumps({"train": TRAINED, "val": HELD_OUT}))
    assert names_of(split, "unseen") == {*HELD_OUT}
    assert not split.folds
    assert "val is used as the test" in split.note


@pytest.mark.parametrize("change", ["image", "class"])
def test_an_entry_in_two_parts_leaks(tmp_path, change):
    path = tmp_path / "split.json"
    twice = {"image": "quokka/000.jpg", "label": "quokka", "split": "test_unseen"}
    if change == "image":
        path.write_text(json.dumps([*RECORDS, twice]))
        check = "ZSL003"
    else:
        path.write_text(json.dumps({"seen": [*TRAINED, "dhole"], "unseen": TESTED}))
        check = "ZSL001"
    report = audit(path)
    assert report.verdict == "leaks"
    assert check in {finding.check for finding in report.findings if finding.mark == "leak"}


def test_in_a_test_of_all_classes_the_training_classes_are_seen(tmp_path):
    values = read(
        write_file(tmp_path / "all.json", {"train": TRAINED, "test": [*TRAINED, "dhole"]})
    )
    assert names_of(values, "unseen") == {"dhole"}
    assert "2 test classes are also training" in values.note


@pytest.mark.parametrize(
    "value",
    [
        {"0": "dog", "1": "cat"},
        {"dog": 0, "cat": 1},
        {"dog": "an animal", "train": "a vehicle"},
        {"train": [0.1, 0.2], "bus": [0.3, 0.4]},
        {"train": ["dog"], "name": "no test"},
        {"train": ["1", "2"], "test": "2"},
        {"12": "train", "13": "test"},
        [
            {"label": "dog", "is_unseen": 0},
            {"label": "dog", "is_unseen": 0},
            {"label": "ox", "is_unseen": 1},
        ],
        [{"image": "a.jpg", "caption": "a dog"}],
        [{"image": "a.jpg", "label": "dog"}],
        ["train", "test"],
        {"train": 1, "test": 2},
        {"seen": ["a"]},
        {"a": []},
        [1, 2],
        {},
        [],
    ],
)
def test_other_json_is_not_a_split(value):
    assert split_of_json(Path("other.json"), value) is None


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("classes.txt", "train\nbus\ntest tube\n"),
        ("classes.txt", "1 train\n2 bus\n"),
        (
            "predictions.csv",
            "image,label,predicted,split\na.jpg,dog,cat,test\nb.jpg,cat,cat,train\n",
        ),
        ("scores.csv", "label,train,test\ntrain,0.5,0.25\ntest,0.5,0.25\n"),
        ("classes.csv", "class,split\nbus,left\ncar,right\n"),
        ("rows.csv", "train,test\n1,2\n3,5\n7,3\n"),
        ("losses.csv", "train,val,test\n0.5,0.4,0.3\n0.25,0.2,0.1\n"),
        ("rows.txt", "[train]\n1\n2\n[test]\n2\n3\n"),
        ("rows.txt", "1 train\n2 train\n3 test\n"),
        ("sides.csv", "image,label,is_seen\na.jpg,dog,1\nb.jpg,ox,0\n"),
        ("notes.txt", "Train:\nwe use the seen classes\n"),
    ],
)
def test_other_texts_are_not_a_split(tmp_path, name, text):
    path = tmp_path / name
    assert read_split_table(write_file(path, text)) is None


def test_a_class_named_like_a_part_is_not_a_heading(tmp_path):
    """COCO has a class named train."""
    assert read_split_table(write_file(tmp_path / "names.txt", "bus\ntrain\ntest\n")) is None
    (tmp_path / "sides.txt").write_text("seen\nbus\ntrain\nunseen\nboat\n")
    assert read_split_table(tmp_path / "sides.txt") is None


@pytest.mark.parametrize("sides", [("known", "unknown"), ("base", "novel")])
def test_words_of_other_fields_name_the_sides(sides):
    assert split_of_json(Path("a.json"), dict(zip(sides, (["dhole"], ["kiang"]), strict=True)))


def test_several_splits_in_one_file_are_named(tmp_path):
    value = {f"split{k}": {"seen": [*TRAINED], "unseen": [*TESTED]} for k in (1, 2)}
    with pytest.raises(FileRefusedError, match=r"one split per file; got 2 \(split1; split2\)"):
        recognise_file(write_file(tmp_path / "all.json", json.dumps(value)))


@pytest.mark.parametrize("leaked", [0, 2])
def test_a_partition_list_that_begins_with_its_length_is_read(tmp_path, leaked):
    rows = [f"img/{name}/{k}.jpg   train" for name in TRAINED for k in range(3)]
    tested = (*TESTED, *TRAINED[:1]) if leaked else TESTED
    rows += [f"img/{name}/t{k}.jpg   test" for name in tested for k in range(2)]
    text = "\n".join([str(len(rows)), "image_name evaluation_status", *rows])
    split = read_split_table(write_file(tmp_path / "list_eval_partition.txt", text))
    assert len(split.files) == len(rows)
    assert ("1 of 3 test classes" in split.note) == bool(leaked)


SOMEWHERE = TITLES + "a.jpg,dog,train\nb.jpg,cat,somewhere\n"


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("table.csv", SOMEWHERE, r"table.csv: .*'subset', row 2; got somewhere"),
        (
            "records.json",
            [*RECORDS, RECORDS[0] | {"split": "somewhere"}],
            r"records.json: .*'split', row 16; got somewhere",
        ),
        ("all.json", {"train": TRAINED, "test": TRAINED}, "is not a training class; got none"),
        ("empty.json", {"seen": ["cat", ""], "unseen": ["tench"]}, "got an empty one"),
        ("half.json", {"train": [0.5], "test": [1]}, "a list of row numbers, or of images"),
        ("none.json", {"train": [0], "test": [None]}, "a list of row numbers, or of images"),
    ],
)
def test_a_faulty_entry_is_refused_in_one_sentence(tmp_path, name, content, sentence):
    read = read_split_table if name.endswith(".csv") else read_split_file
    with pytest.raises(FileRefusedError, match=sentence):
        read(write_file(tmp_path / name, content))


@pytest.mark.parametrize("record", [{"image": 3, "label": None, "split": []}, {"split": {}}, 7])
def test_damaged_records_are_refused_or_no_split(tmp_path, record):
    with suppress(FileRefusedError):
        assert read_split_file(write_file(tmp_path / "split.json", [*RECORDS, record])) is None


@pytest.mark.parametrize(
    ("seen", "unseen"),
    [("gesehen", "ungesehen"), ("vue", "non vue"), ("visto", "no visto"), ("已见", "未见")],
)
def test_the_sides_of_a_table_are_read_in_other_languages(tmp_path, seen, unseen):
    path = tmp_path / "table.csv"
    path.write_text(f"class,split\ndhole,{seen}\nkiang,{seen}\nokapi,{unseen}\n", "utf-8")
    split = read_split_table(path)
    names = {side: [split.class_names[c] for c in members] for side, members in split.sides.items()}
    assert names == {"seen": ["dhole", "kiang"], "unseen": ["okapi"]}


MANY = range(70_000)


@pytest.fixture
def compared_names(monkeypatch):
    """The names that are compared with names of parts."""
    names = []

    def part_or_side(name):
        names.append(name)
        return part_names.part_or_side(name)

    for module in (columns, json_objects, lists):
        monkeypatch.setattr(module, "part_or_side", part_or_side)
    return names


@pytest.mark.parametrize(
    "value",
    [
        {f"train {k}": k for k in MANY},
        {f"test {k}": f"train {k} of all" for k in MANY},
        {f"val {k}": [k] for k in MANY},
        {f"seen {k}": {f"unseen {k}": k} for k in MANY},
        {"a": {f"train {k}": k for k in MANY}},
    ],
    ids=["numbers", "texts", "lists", "objects", "inside"],
)
def test_many_names_are_not_compared_with_names_of_parts(value, compared_names):
    assert entries_of_json("a.json", value) is None
    assert len(compared_names) < 20


@pytest.mark.parametrize("named", [{}, {"categories": {}}], ids=["names", "titled"])
def test_more_names_than_a_list_of_classes_may_have_are_refused(tmp_path, named):
    path = tmp_path / "many.json"
    classes = {f"k{k}": k for k in MANY}
    path.write_text(json.dumps({"categories": classes} if named else classes))
    with pytest.raises(FileRefusedError, match=r"at most 50,000.*"):
        class_list_of(recognise_file(path))


def test_many_images_with_a_part_or_a_record_are_read(compared_names):
    part_of = {f"c{k % 50}/{k}.jpg": "test" if k % 50 > 40 else "train" for k in MANY}
    by_name = entries_of_json("a.json", part_of)
    records = {
        name: {"label": name.partition("/")[0], "subset": part} for name, part in part_of.items()
    }
    by_record = entries_of_json("a.json", {"database": records})
    for entries in (by_name, by_record):
        assert {part: len(members) for part, members in entries.items()} == {
            "train": 57400,
            "test": 12600,
        }
        assert entries["train"][0] == ("c0/0.jpg", "c0")


def test_a_table_of_many_columns_is_not_a_split(tmp_path, monkeypatch):
    for module in (columns, json_parts, tables):
        monkeypatch.setattr(module, "find_columns", None)  # a call would fail
    line = ",".join(f"c{k}" for k in MANY)
    for name in ("wide.csv", "wide.txt"):
        assert read_split_table(write_file(tmp_path / name, f"{line}\n{line}\n")) is None
    assert entries_of_json("a.json", [dict.fromkeys(map(str, MANY), "train")] * 2) is None


def test_lists_of_numbers_are_not_copied_in_search_of_parts(tmp_path):
    lists = {f"t{k}": np.arange(100_000) for k in range(10)}
    tracemalloc.start()
    assert split_of_arrays(tmp_path / "a.npz", lists) is None
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()
    labels = {"y_train": np.array([0, 0, 1]), "y_test": np.array([2, 2])}
    assert set(split_of_arrays(tmp_path / "a.npz", labels | lists).parts) >= {"trainval"}


NUMBERS = range(50_000)
BY_FORM = {
    "a list for each name": {f"n{k}": [k] for k in NUMBERS},
    "an object for each name": {f"n{k}": {"a": k} for k in NUMBERS},
    "names one level down": {"x": {f"n{k}": k for k in NUMBERS}},
    "texts one level down": {"x": {f"n{k}": f"text {k}" for k in NUMBERS}},
    "two tables": {name: {f"n{k}": k for k in NUMBERS} for name in "xy"},
    "records": [{"a": k, "b": k} for k in NUMBERS],
    "images by part": {
        part: [f"c{c + k % 50}/{k}.jpg" for k in NUMBERS]
        for part, c in (("train", 0), ("test", 50))
    },
}


@pytest.mark.parametrize("form", BY_FORM)
def test_reading_json_takes_little_more_memory_than_its_value(tmp_path, form):
    """Copies of the parsed value would multiply the memory."""

    def recognise(value):
        if split_of_json(tmp_path / "x.json", value) is None:
            contents_of_json(tmp_path / "x.json", value)

    recognise(BY_FORM[form])  # the first call imports modules and interns names
    text = json.dumps(BY_FORM[form])
    tracemalloc.start()
    try:
        value = json.loads(text)
        size = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        recognise(value)
        beside = tracemalloc.get_traced_memory()[1] - size
    finally:
        tracemalloc.stop()
    assert beside < (6 if form == "images by part" else 1.6) * size


def test_one_long_name_makes_a_list_of_many_names_too_large(tmp_path):
    texts = [*(f"n{k}" for k in range(140_000)), "n" * 1000]
    contents = contents_of_json(tmp_path / "x.json", {"predicted": texts})
    assert (
        "134,217,728 bytes if all are as long as the longest one" in contents.refused["predicted"]
    )


def test_a_split_of_too_many_classes_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(split_images, "MAX_CLASSES", 5)
    value = {"train": ["ox", "cow", "dog"], "test": ["yak", "emu", "hen"]}
    with pytest.raises(FileRefusedError, match="expected at most 5 classes; got 6"):
        split_of_json(tmp_path / "x.json", value)


def test_an_image_in_very_many_folders_is_refused(tmp_path):
    """Comparing each end of a long path would take quadratic time."""
    value = {"train": ["a/" * 70 + "1.jpg"], "test": ["a/1.jpg"]}
    with pytest.raises(FileRefusedError, match="expected images in at most 64 folders; got 70"):
        split_of_json(tmp_path / "x.json", value)
    value["train"] = ["b/" * 63 + "a/1.jpg"]
    assert "1 path ends like paths" in split_of_json(tmp_path / "x.json", value).questions[0]


@pytest.mark.parametrize(
    "text",
    [
        "train" + " " * 10**6 + "x",
        "train" + " " * 10**5 + "(1)" + " " * 10**5 + "!",
        "train" + "_class names" * 10**5,
        "# " + "a " * 10**5 + "!",
        "['" + "a', " * 10**5,
        "a*&" * 10**5 + "= [",
    ],
    ids=["blanks", "number", "words", "title", "quotes", "declaration"],
)
def test_a_long_line_does_not_take_quadratic_time(tmp_path, text):
    """Patterns that try all parts of such a line would take hours."""
    with suppress(FileRefusedError):
        read_split_table(tmp_path / "a.txt", ["train:", "dog", text, "test:", "fox"])
    value = {"train": ["dog"], "test": ["fox"], text: ["hen"], f"top{'1' * 10**5}!": [1]}
    with suppress(FileRefusedError):
        split_of_json(tmp_path / "a.json", value)
    assert contents_of_json(tmp_path / "a.json", value).names("train") == ("dog",)


def test_an_image_name_with_a_line_break_does_not_take_cubic_time(tmp_path):
    name = ("a.jpg" + " " * 9) * 5000 + "\nx"
    entries = entries_of_json("a.json", {name: "train", "b.jpg emu": "test"})
    assert entries is None or {*entries} == {"train", "test"}


@pytest.mark.parametrize(
    ("label", "is_list"),
    [
        ("['cat', 'dog']", True),
        ('( "cat" ,"dog" )', True),
        ("[1, 2]", True),
        ("['cat', \"dog\"]", False),
        ("[cat, dog]", False),
        ("['cat']", False),
    ],
)
def test_a_text_with_several_labels_is_refused_as_multi_label(tmp_path, label, is_list):
    value = {"train": [[f"{k}.jpg", "hen"] for k in range(3)], "test": [["9.jpg", label]]}
    if is_list:
        with pytest.raises(FileRefusedError, match="multi-label"):
            split_of_json(tmp_path / "a.json", value)
    else:
        assert split_of_json(tmp_path / "a.json", value) is not None


def test_labels_of_a_part_may_be_one_hot(tmp_path):
    labels = {"y_train": np.arange(30) % 3, "y_test": 3 + np.arange(20) % 2}
    marks = {name: np.eye(5)[y] for name, y in labels.items()}
    of_marks, of_numbers = (split_of_arrays(tmp_path / "a.npz", y) for y in (marks, labels))
    assert of_marks is not None
    assert {n: rows.tolist() for n, rows in of_marks.parts.items()} == {
        n: rows.tolist() for n, rows in of_numbers.parts.items()
    }
