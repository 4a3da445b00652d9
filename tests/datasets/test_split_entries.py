"""One JSON, table or text whose entries say their part, in the forms that people write."""

import json
from contextlib import suppress

import pytest

from zslcore.datasets.split_entries import is_split_json, read_split_json, read_split_table
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import audit
from zslcore.leakage.file_kinds import recognise_file

pytestmark = pytest.mark.usefixtures("in_process")
TRAINED, HELD_OUT, TESTED = ("quokka", "fossa"), ("numbat",), ("dhole", "kiang")
SIDES = {"train": TRAINED, "val": HELD_OUT, "test": TESTED}
PART_OF = {name: part for part, names in SIDES.items() for name in names}


def images(names, n=3, start=0):
    return [(f"{name}/{i:03}.jpg", name) for name in names for i in range(start, start + n)]


ROWS = [(image, name, part) for part, names in SIDES.items() for image, name in images(names)]
RECORDS = [{"image": image, "label": name, "split": part} for image, name, part in ROWS]
#: Files with a list of classes a side.
OF_CLASSES = {
    "parts.json": json.dumps(SIDES),
    "named.json": json.dumps({f"{part}_classes": names for part, names in SIDES.items()}),
    "numbered.json": json.dumps({p: {n: k for k, n in enumerate(of)} for p, of in SIDES.items()}),
    "by_number.json": json.dumps({p: dict(enumerate(of)) for p, of in SIDES.items()}),
    "inside.json": json.dumps({"name": "animals", "splits": {"classes": SIDES}}),
    "part_of.json": json.dumps(PART_OF),
    "records.json": json.dumps([{"name": n, "split": part} for n, part in PART_OF.items()]),
    "part_of.csv": "class,split\n" + "".join(f"{n},{part}\n" for n, part in PART_OF.items()),
    "no_titles.csv": "".join(f"{n},{part}\n" for n, part in PART_OF.items()),
    "part_first.txt": "".join(f"{part} {n}\n" for n, part in PART_OF.items()),
    "tabs.txt": "".join(f"{n}\t{part}\n" for n, part in PART_OF.items()),
    "columns.csv": "train,val,test\nquokka,numbat,dhole\nfossa,,kiang\n",
    "headings.txt": "".join(f"{p.title()}:\n" + "\n".join(of) + "\n\n" for p, of in SIDES.items()),
    "plain.txt": "".join(f"{p.title()}\n" + "\n".join(of) + "\n" for p, of in SIDES.items()),
    "sections.txt": "".join(f"[{part}]\n" + "\n".join(of) + "\n" for part, of in SIDES.items()),
    "block.yaml": "".join(f"{p}:\n" + "".join(f"  - {n}\n" for n in of) for p, of in SIDES.items()),
    "inline.yaml": "".join(f"{part}: [{', '.join(of)}]\n" for part, of in SIDES.items()),
}
TITLES = "filepath,class,subset\n"
#: Files with the images of each part.
OF_IMAGES = {
    "records.json": json.dumps(RECORDS),
    "lines.jsonl": "".join(json.dumps(each) + "\n" for each in RECORDS),
    "folders.json": json.dumps(
        {p: {n: [i for i, _ in images([n])] for n in of} for p, of in SIDES.items()}
    ),
    "by_class.json": json.dumps(
        {n: {part: [i for i, _ in images([n])]} for n, part in PART_OF.items()}
    ),
    "parts.json": json.dumps({p: [r for r in RECORDS if r["split"] == p] for p in SIDES}),
    "columns.json": json.dumps({key: [each[key] for each in RECORDS] for key in RECORDS[0]}),
    "pandas.json": json.dumps(
        {key: {str(k): each[key] for k, each in enumerate(RECORDS)} for key in RECORDS[0]}
    ),
    "words.csv": TITLES
    + "".join(f"{i},{n},{p.replace('train', 'training')}\n" for i, n, p in ROWS),
    "flags.tsv": "video_id\taction\tis_train\n"
    + "".join(f"{i}\t{n}\t{int(p != 'test')}\n" for i, n, p in ROWS),
    "numbers.csv": "image_id,label,class_name,phase\n"
    + "".join(f"{i},{len(n)},{n},{p}\n" for i, n, p in ROWS),
    "part_behind.txt": "".join(f"{i} {p}\n" for i, _, p in ROWS),
}


def read(path):
    return (read_split_json if path.suffix.startswith(".json") else read_split_table)(path)


def names_of(found, side):
    return {found.class_names[k] for k in found.sides[side]}


def read_clean(path, text):
    """Return a split of a file without a leak, recognised as one."""
    path.write_text(text)
    assert recognise_file(path).kind == "split"
    assert audit(path).verdict != "leaks"
    return read(path)


@pytest.mark.parametrize("name", OF_CLASSES)
def test_classes_a_side_are_read(tmp_path, name):
    split = read_clean(tmp_path / name, OF_CLASSES[name])
    assert names_of(split, "seen") == {*TRAINED}
    assert names_of(split, "unseen") == {*TESTED}
    ((train, val),) = split.folds
    assert [split.class_names[k] for k in train] == [*TRAINED]
    assert [split.class_names[k] for k in val] == [*HELD_OUT]


@pytest.mark.parametrize("name", OF_IMAGES)
def test_images_a_part_are_read(tmp_path, name):
    split = read_clean(tmp_path / name, OF_IMAGES[name])
    assert split.class_names == tuple(sorted(PART_OF))
    trained = {split.files[k] for k in split.parts["trainval"]}
    tested = {split.files[k] for k in split.parts["test_unseen"]}
    assert trained == {image for image, _, part in ROWS if part != "test"}
    assert tested == {image for image, _, part in ROWS if part == "test"}


#: Rows of images without names: classes that train are tested as seen ones.
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
def test_a_part_that_repeats_a_class_has_a_row_an_image(tmp_path, name, text):
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
def test_a_list_that_trains_keeps_a_class_that_validates_too(tmp_path, value, fitted):
    path = tmp_path / "split.json"
    path.write_text(json.dumps(value))
    split = read(path)
    ((train, _),) = split.folds
    assert {split.class_names[k] for k in train} == fitted
    marks = {finding.check: finding.mark for finding in audit(path).findings}
    assert (marks["ZSL002"] == "ok") == (len(fitted) == 1)


def test_without_a_test_the_classes_of_validation_are_unseen(tmp_path):
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


def test_a_test_of_all_classes_has_those_that_train_as_seen_ones(tmp_path):
    path = tmp_path / "all.json"
    path.write_text(json.dumps({"train": TRAINED, "test": [*TRAINED, "dhole"]}))
    found = read(path)
    assert names_of(found, "unseen") == {"dhole"}
    assert "2 test classes are also training" in found.note
    path.write_text(json.dumps({"train": TRAINED, "test": TRAINED}))
    expected = "a test class that is not a training class; got none"
    with pytest.raises(FileRefusedError, match=expected):
        read(path)


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
        {},
        [],
    ],
)
def test_other_json_is_no_split(value):
    assert not is_split_json("other.json", value)


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
def test_other_texts_are_no_split(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    assert read_split_table(path) is None


def test_a_class_called_as_a_part_is_no_heading(tmp_path):
    """COCO has a class train."""
    (tmp_path / "names.txt").write_text("bus\ntrain\ntest\n")
    assert read_split_table(tmp_path / "names.txt") is None
    (tmp_path / "sides.txt").write_text("seen\nbus\ntrain\nunseen\nboat\n")
    assert read_split_table(tmp_path / "sides.txt") is None


@pytest.mark.parametrize("sides", [("known", "unknown"), ("base", "novel")])
def test_words_of_other_fields_name_the_sides(sides):
    assert is_split_json("a.json", dict(zip(sides, (["dhole"], ["kiang"]), strict=True)))


def test_several_splits_in_one_file_are_named(tmp_path):
    value = {f"split{k}": {"seen": [*TRAINED], "unseen": [*TESTED]} for k in (1, 2)}
    (tmp_path / "all.json").write_text(json.dumps(value))
    with pytest.raises(FileRefusedError, match=r"one split a file; got 2 \(split1; split2\)"):
        recognise_file(tmp_path / "all.json")


@pytest.mark.parametrize("leaked", [0, 2])
def test_a_partition_below_the_number_of_its_lines_is_read(tmp_path, leaked):
    rows = [f"img/{name}/{k}.jpg   train" for name in TRAINED for k in range(3)]
    tested = (*TESTED, *TRAINED[:1]) if leaked else TESTED
    rows += [f"img/{name}/t{k}.jpg   test" for name in tested for k in range(2)]
    text = "\n".join([str(len(rows)), "image_name evaluation_status", *rows])
    (tmp_path / "list_eval_partition.txt").write_text(text)
    split = read_split_table(tmp_path / "list_eval_partition.txt")
    assert len(split.files) == len(rows)
    assert ("1 of 3 test classes" in split.note) == bool(leaked)


def test_a_row_of_an_image_that_names_no_part_is_refused(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text(TITLES + "a.jpg,dog,train\nb.jpg,cat,somewhere\n")
    with pytest.raises(FileRefusedError, match=r"table.csv: .*'subset', row 2; got somewhere"):
        read_split_table(path)
    path = tmp_path / "records.json"
    path.write_text(json.dumps([*RECORDS, RECORDS[0] | {"split": "somewhere"}]))
    with pytest.raises(FileRefusedError, match=r"records.json: .*'split', row 16; got somewhere"):
        read_split_json(path)


@pytest.mark.parametrize("record", [{"image": 3, "label": None, "split": []}, {"split": {}}, 7])
def test_damaged_records_are_a_sentence_or_no_split(tmp_path, record):
    path = tmp_path / "split.json"
    path.write_text(json.dumps([*RECORDS, record]))
    with suppress(FileRefusedError):
        assert read_split_json(path) is None
