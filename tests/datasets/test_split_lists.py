"""Splits that name images or classes: JSON of prompt learning, text lists, folder trees."""

import json
import os

import numpy as np
import pytest

from tests.writing import write_file
from zslcore.__main__ import main
from zslcore.datasets.facts import class_facts
from zslcore.datasets.part_names import part_of_name
from zslcore.datasets.split_files import read_split_file
from zslcore.datasets.split_folders import read_split_lists
from zslcore.datasets.split_images import MAX_QUESTIONS, ImageRows, unify_spellings
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import audit
from zslcore.leakage.file_kinds import recognise_file

pytestmark = pytest.mark.usefixtures("in_process")

CLASSES = ("cat", "dog", "zebra", "tench", "hen")


def items(part, n=2, classes=CLASSES):
    return [[f"{c}/{part}{i}.jpg", k, c] for k, c in enumerate(classes) for i in range(n)]


def of_coop(path, **changes):
    """Write a split in CoOp's format: five classes, two images per class in each part."""
    lists = {part: items(part) for part in ("train", "val", "test")} | changes
    path.write_text(
        json.dumps({part: listed for part, listed in lists.items() if listed is not None})
    )
    return path


def sizes(parts):
    return {part: len(rows) for part, rows in parts.items()}


# --- JSON -----------------------------------------------------------------------------------------


def test_a_split_file_of_coop_gives_base_and_new_classes(tmp_path):
    entries = read_split_file(of_coop(tmp_path / "split_zhou_Pets.json"))
    assert entries.class_names == CLASSES
    assert len(entries.files) == 30
    assert sizes(entries.parts) == {"trainval": 12, "test_seen": 6, "test_unseen": 4}
    # Classes 3 and 4 are the new half of five classes.
    assert set(entries.labels[entries.parts["test_unseen"]]) == {3, 4}
    assert set(entries.labels[entries.parts["trainval"]]) == {0, 1, 2}
    assert "the first 3 of 5 labels are seen" in entries.note


def test_an_image_in_train_and_test_is_one_row_that_leaks(tmp_path, capsys):
    path = of_coop(tmp_path / "split.json", test=[*items("test"), ["dog/train0.jpg", 1, "dog"]])
    report = audit(path)
    (result,) = [f for f in report.of("ZSL003") if f.mark == "leak"]
    assert result.rows == (2,)
    assert report.mark("ZSL001") == "ok"
    assert main(["check", "--format", "text", str(path)]) == 1
    assert "In both trainval (training) and test_seen (test): 1 row" in capsys.readouterr().out
    assert recognise_file(path).kind == "split"
    assert main(["check", str(path)]) == 1


def test_new_classes_are_compared_with_the_classes_of_the_extractor(tmp_path):
    report = audit(of_coop(tmp_path / "split.json"), pretraining=["imagenet-1k"])
    assert report.mark("ZSL006") == "leak"
    assert report.of("ZSL006")[0].classes == ("tench",)
    assert report.mark("ZSL012") == "ok"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"train": [["a.jpg", 0]]}, r"train, item 1: expected \[image, label, class\]"),
        ({"train": ["a.jpg"]}, r"train, item 1: expected \[image, label, class\]; got 'a.jpg'"),
        ({"test": [["a.jpg", "0", "cat"]]}, "test, item 1: expected a label from 0; got '0'"),
        ({"test": [["a.jpg", True, "cat"]]}, "expected a label from 0; got True"),
        ({"test": [["a.jpg", -1, "cat"]]}, "expected a label from 0; got -1"),
        ({"test": [["a.jpg", 10**30, "cat"]]}, "expected a label from 0; got 1000"),
        ({"test": [[7, 0, "cat"]]}, "expected .image, label, class.; got"),
        ({"test": [["a.jpg", 0, "dog"]]}, "one name for label 0; got cat and dog"),
        ({"test": [["cat/train0.jpg", 1, "dog"]]}, "one class per image; got 0 and 1"),
        ({"val": {"a": 1}}, "val: expected a list of images; got dict"),
    ],
)
def test_deviations_in_the_json_are_refused_in_one_sentence(tmp_path, changes, sentence):
    with pytest.raises(FileRefusedError, match=sentence):
        read_split_file(of_coop(tmp_path / "split.json", **changes))


@pytest.mark.parametrize("text", ["{", "[" * 5000, '{"train": [', "\xff", '{"a": []}'])
def test_a_damaged_json_and_other_json_are_refused(tmp_path, text):
    with pytest.raises(FileRefusedError, match="other JSON" if text.endswith("}") else "expected"):
        audit(write_file(tmp_path / "split.json", text))


def test_two_lists_of_classes_are_a_split_without_rows(tmp_path):
    path = tmp_path / "classes.json"
    path.write_text(json.dumps({"seen": ["cat", "dog"], "unseen": ["tench", "dog"]}))
    report = audit(path, pretraining=["imagenet-1k"])
    assert report.mark("ZSL001") == "leak"
    assert report.mark("ZSL003") == "open"
    assert report.mark("ZSL006") == "leak"


# --- Lists ----------------------------------------------------------------------------------------


def lists(folder, **of_parts):
    folder.mkdir(exist_ok=True)
    for name, lines in of_parts.items():
        (folder / f"{name}.txt").write_text("\n".join(lines) + "\n")
    return folder


@pytest.mark.parametrize("form", ["{c}/{i}.jpg", "images/{i}-{c}.jpg {k}", "{i}-{c}.png,{k}"])
def test_lists_of_images_have_labels_or_folders(tmp_path, form):
    def written(part, classes):
        return [
            form.format(c=c, k=CLASSES.index(c), i=f"{part}{i}") for c in classes for i in range(3)
        ]

    folder = lists(
        tmp_path / "lists",
        train=written("a", CLASSES[:3]),
        val=written("b", CLASSES[:3]),
        test=written("c", CLASSES),
    )
    entries = read_split_lists(folder)
    assert sizes(entries.parts) == {"trainval": 18, "test_seen": 9, "test_unseen": 6}
    assert len(entries.class_names) == 5
    report = audit(folder)
    for check in ("ZSL001", "ZSL002", "ZSL012"):
        assert report.mark(check) == "ok", check


def test_separate_validation_classes_are_a_fold(tmp_path):
    folder = lists(tmp_path / "l", train=["cat/1.jpg"], val=["dog/1.jpg"], test=["hen/1.jpg"])
    entries = read_split_lists(folder)
    expected_sizes = {"train": 1, "val": 1, "trainval": 2, "test_seen": 0, "test_unseen": 1}
    assert sizes(entries.parts) == expected_sizes
    assert audit(folder).mark("ZSL003") == "ok"


def test_a_list_of_trainval_may_repeat_train_and_val(tmp_path):
    train, val, test = (
        [f"{c}/{part}{k}.jpg" for c in "ab" for k in range(3)] for part in ("train", "val", "test")
    )
    lists(tmp_path, train=train, val=val, trainval=[*val, *train], test=test)
    entries = read_split_lists(tmp_path).parts["trainval"]
    assert len(entries) == len(set(entries)) == 12


def test_numeric_labels_are_sorted_as_numbers(tmp_path):
    folder = lists(tmp_path / "l", train=["a.jpg 10", "b.jpg 9"], test=["c.jpg 2"])
    assert read_split_lists(folder).class_names == ("2", "9", "10")


MULTI_LABEL = ("x.png 0 1 0 1", "x.png,3,17,20", "x.png [1, 1, 0]")


@pytest.mark.parametrize(
    ("of_parts", "sentence"),
    [
        (
            {
                "train": ["a/1.jpg"],
                "val": ["a/2.jpg"],
                "validation": ["a/3.jpg"],
                "test": ["b/4.jpg"],
            },
            "one list or folder of val; got val.txt and valid",
        ),
        (
            {"train": ["cat/1.jpg", "2.jpg"], "test": ["dog/1.jpg"]},
            r"train\.txt, line 2: expected an image in the fol",
        ),
        (
            {"train": ["images/1.png 3", "images/2.png 4"], "test": ["images/3.png"]},
            "after images of train and none after images of test",
        ),
        *(
            ({"train": [line], "test": ["y.png 0 0 1 1"]}, "multi-label data")
            for line in MULTI_LABEL
        ),
    ],
)
def test_faulty_lists_are_refused_in_one_sentence(tmp_path, of_parts, sentence):
    with pytest.raises(FileRefusedError, match=sentence):
        read_split_lists(lists(tmp_path, **of_parts))


def test_class_lists_of_a_benchmark_are_recognised(tmp_path):
    facts = class_facts("AWA2").classes
    sides = {
        "trainvalclasses": facts["class"][facts["ps"] != "test"],
        "testclasses": facts["class"][facts["ps"] == "test"],
    }
    report = audit(lists(tmp_path / "l", **sides))
    (finding,) = report.of("ZSL010")
    assert "The unseen classes are those of AWA1 or AWA2 PS; no rows can be" in finding.sentence
    assert report.mark("ZSL001") == "ok"


def test_the_benchmarks_own_lists_are_read_unchanged(shared):
    report = audit(shared / "data/xlsa17/CUB/proposed_split", pretraining=["imagenet-1k"])
    (finding,) = report.of("ZSL010")
    assert finding.sentence.startswith("The unseen classes are those of CUB PS;")
    assert report.mark("ZSL006") == "ok"


# --- Folders --------------------------------------------------------------------------------------


def tree(root, **parts):
    for part, classes in parts.items():
        for c in classes:
            (root / part / c / "more").mkdir(parents=True)
            for i in range(3):
                (root / part / c / ("more" if i > 1 else "") / f"{i}.JPG").touch()
            for other in ("notes.txt", "._0.JPG"):  # macOS writes files such as the second one
                (root / part / c / other).touch()
    return root


def test_a_folder_per_part_with_a_folder_per_class_is_a_split(tmp_path):
    root = tree(tmp_path / "pets", train=CLASSES[:3], test=CLASSES)
    entries = read_split_lists(root)
    assert sizes(entries.parts) == {"trainval": 9, "test_seen": 9, "test_unseen": 6}
    assert "train/cat/0.JPG" in entries.files
    report = audit(root, pretraining=["imagenet-1k"])
    assert report.mark("ZSL001") == "ok"
    assert report.mark("ZSL006") == "leak"
    # Equal file names do not prove that two images are the same.
    assert report.mark("ZSL012") == "open"
    grouped = audit(root, group_pattern=r"/(\w+/\d)\.JPG")
    assert grouped.mark("ZSL012") == "leak"


def test_without_a_test_folder_the_validation_images_are_the_test(tmp_path, monkeypatch):
    root = tree(tmp_path / "pets", train=CLASSES[:3], val=CLASSES)
    monkeypatch.setattr("zslcore.datasets.split_folders.trees.MAX_IMAGES", 24)
    assert sizes(read_split_lists(root).parts) == {"trainval": 9, "test_seen": 9, "test_unseen": 6}
    monkeypatch.setattr("zslcore.datasets.split_folders.trees.MAX_IMAGES", 23)
    with pytest.raises(FileRefusedError, match="at most 23 images"):
        read_split_lists(root)


@pytest.mark.skipif(os.name != "posix", reason="links of folders")
def test_a_class_folder_linked_from_outside_is_refused_and_deeper_links_are_ignored(tmp_path):
    root = tree(tmp_path / "pets", train=CLASSES[:2], test=CLASSES[2:])
    outside = tree(tmp_path / "outside", all=["secret"])
    (root / "train" / "cat" / "deeper").symlink_to(outside / "all")
    assert len(read_split_lists(root).files) == 15
    (root / "train" / "linked").symlink_to(outside / "all" / "secret")
    with pytest.raises(FileRefusedError, match="linked: expected a folder below pets; got a link"):
        read_split_lists(root)


@pytest.mark.skipif(os.name != "posix", reason="links of folders")
@pytest.mark.parametrize("kind", ["lists", "tree"])
def test_a_list_or_folder_that_is_a_link_out_of_the_split_is_refused(tmp_path, kind):
    if kind == "lists":
        root = lists(tmp_path / "split", train=["cat/1.jpg"], test=["dog/1.jpg"])
        part, form = root / "test.txt", "file"
    else:
        root = tree(tmp_path / "split", train=CLASSES[:2], test=CLASSES[2:])
        part, form = root / "test", "folder"
    part.rename(root / "other")
    part.symlink_to("other")
    assert "test_unseen" in read_split_lists(root).parts
    part.unlink()
    (root / "other").rename(tmp_path / "outside")
    part.symlink_to(tmp_path / "outside")
    with pytest.raises(
        FileRefusedError, match=f"expected a {form} below split; got a link that leaves"
    ):
        read_split_lists(root)


@pytest.mark.skipif(os.name != "posix", reason="links of folders")
def test_links_to_classes_are_counted(tmp_path, monkeypatch):
    root = tree(tmp_path / "pets", train=CLASSES[:2], test=CLASSES[2:])
    for k in range(3):
        (root / "train" / f"link{k}").symlink_to("cat")
    monkeypatch.setattr("zslcore.datasets.split_folders.trees.MAX_LINKS", 2)
    with pytest.raises(FileRefusedError, match="expected at most 2 links to folders; got more"):
        read_split_lists(root)


def test_folders_in_other_layouts_are_left_to_other_readers(tmp_path):
    assert not read_split_lists(tmp_path)
    assert not read_split_lists(tree(tmp_path / "classes", cat=["a"], dog=["b"]))
    assert not read_split_lists(lists(tmp_path / "one", testclasses=["a"]))
    (tmp_path / "empty" / "train").mkdir(parents=True)
    (tmp_path / "empty" / "test").mkdir()
    with pytest.raises(FileRefusedError, match="empty: expected images; got none"):
        read_split_lists(tmp_path / "empty")
    with pytest.raises(FileRefusedError, match=r"found cat/, dog/, which is not a known"):
        audit(tmp_path / "classes")


def test_labels_are_those_of_the_images(tmp_path):
    entries = read_split_file(of_coop(tmp_path / "split.json", val=None))
    by_name = [entries.class_names[c] for c in entries.labels]
    assert by_name == [image.partition("/")[0] for image in entries.files]
    # The images of val are in no part.
    assert np.unique(np.concatenate(list(entries.parts.values()))).size == 20 - 4


# --- One class, one name --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seen", "unseen"),
    [
        ("Baseball Pitch", "BaseballPitch"),
        ("grizzly_bear", "Grizzly Bear"),
        ("017.Black_footed_Albatross", "black footed albatross "),
        ("grizzly+bear", "grizzly-bear"),
    ],
)
def test_a_class_in_two_spellings_is_one_class_on_both_sides(tmp_path, seen, unseen):
    report = audit(lists(tmp_path / "l", seen_classes=[seen, "a"], unseen_classes=["b", unseen]))
    assert report.mark("ZSL001") == "leak"
    assert report.verdict == "leaks"
    write = {"train": [f"{seen}/{k}.jpg" for k in range(4)]}
    write |= {"test": [f"{unseen}/{k}.jpg" for k in range(4, 7)] + ["b/1.jpg"]}
    images = read_split_lists(lists(tmp_path / "i", **write))
    assert len(images.class_names) == 2
    assert images.parts["test_seen"].size == 3


def test_two_spellings_within_one_list_raise_a_question(tmp_path):
    names = {"seen_classes": ["sea lion", "Sea-Lion", "c"], "unseen_classes": ["b"]}
    report = audit(lists(tmp_path / "l", **names))
    assert report.mark("ZSL001") == "open"
    assert "sea lion, Sea-Lion: are these one class or 2?" in report.of("ZSL001")[0].sentence


def test_many_spellings_raise_few_questions():
    names = [f"class {letter}" for letter in "abcdefghijkl"]
    _, _, questions = unify_spellings("split.json", [[*names, *map(str.title, names)]])
    assert len(questions) == MAX_QUESTIONS + 1
    assert questions[0] == "One list has class a, Class A: are these one class or 2?"
    assert questions[-1] == "3 more classes have several spellings in one list."


def test_folders_give_the_class_if_only_one_list_has_labels(tmp_path):
    train = [f"{c}/{k}.avi {n}" for n, c in enumerate("abc", 1) for k in range(3)]
    test = [f"{c}/{k}.avi" for c in "abd" for k in range(3, 5)]
    listed = read_split_lists(lists(tmp_path / "l", trainlist01=train, testlist01=test))
    assert listed.class_names == ("a", "b", "c", "d")
    assert (listed.parts["test_seen"].size, listed.parts["test_unseen"].size) == (4, 2)
    other = [f"{c}/{k}.avi {n}" for n, c in enumerate("ba", 1) for k in range(3, 5)]
    listed = read_split_lists(lists(tmp_path / "m", train=train, test=other))
    assert listed.parts["test_seen"].size == 4
    report = audit(lists(tmp_path / "o", train=train, test=test[:4]))
    assert (report.verdict, report.mark("ZSL001")) == ("broken", "error")


def test_a_vector_with_a_one_and_the_second_of_two_numbers_are_labels(tmp_path):
    vectors = {"train": ["x.png 1 0 0", "y.png 0 0 1"], "test": ["z.png 0 1 0"]}
    assert read_split_lists(lists(tmp_path / "v", **vectors)).class_names == ("0", "1", "2")
    videos = {"train": ["a.mp4 120 7", "b.mp4 96 8"], "test": ["c.mp4 88 7"]}
    assert read_split_lists(lists(tmp_path / "w", **videos)).class_names == ("7", "8")


# --- Names of lists, and tests with some training classes -----------------------------------------


NAMES = {
    "train": "train_idx idx_train trnIdx trainidx",
    "test_seen": "test_seen_indices",
    "test_unseen": "testUnseenIds",
    "test": "tst",
    "trainval": "trainval_rows",
    "val": "dev_ids",
    "": "train_labels idx train_features test_seen_loc y_train",
}


@pytest.mark.parametrize(
    ("name", "part"), [(name, part) for part in NAMES for name in NAMES[part].split()]
)
def test_a_list_of_rows_is_recognised_by_words_in_its_name(name, part):
    assert part_of_name(name) == part


@pytest.mark.parametrize(
    "names", ["train_idx test_seen_idx test_unseen_idx", "trn tstSeen unseenTst"]
)
def test_lists_of_rows_by_other_names_are_audited(tmp_path, names):
    y = np.repeat([0, 1, 2, 3], 5)
    lists = dict(zip(names.split(), (np.arange(8), [8, 9], np.arange(10, 20)), strict=True))
    assert recognise_file(write_file(tmp_path / "s.npz", {"labels": y, **lists})).kind == "split"
    assert audit(tmp_path / "s.npz").mark("ZSL001") == "ok"
    listed = {name: list(map(int, rows)) for name, rows in lists.items()}
    assert audit(write_file(tmp_path / "s.json", json.dumps(listed))).mark("ZSL003") == "ok"
    np.savez(tmp_path / "s.npz", labels=y, **lists | {names.split()[0]: np.arange(9)})
    (result,) = [f for f in audit(tmp_path / "s.npz").findings if f.mark == "leak"]
    assert result.rows == (8,)


def test_lists_by_unknown_names_are_named_with_those_that_are_read(tmp_path):
    np.savez(tmp_path / "s.npz", labels=[0, 1], my_train_set=[0], other_test_set=[1])
    with pytest.raises(FileRefusedError, match="my_train_set, other_test_set.*train_i"):
        recognise_file(tmp_path / "s.npz")


def of_videos(folder, trained, tested, numbered=True):
    """Write lists like those of UCF101: only the training list has labels."""
    for file, classes, start in (("train", trained, 0), ("test", tested, 10)):
        lines = [
            f"{c}/v_{c}_{i}.avi" + f" {'abcdefgh'.index(c) + 1}" * (file == "train" and numbered)
            for c in classes
            for i in range(start, start + 3)
        ]
        (folder / f"{file}list01.txt").write_text("\n".join(lines) + "\n")
    (folder / "classInd.txt").write_text("".join(f"{i} {c}\n" for i, c in enumerate("abcdefgh", 1)))
    return audit(folder)


@pytest.mark.parametrize("numbered", [True, False])
def test_lists_of_videos_with_some_test_classes_in_training_leak(tmp_path, numbered):
    report = of_videos(tmp_path, "abcdef", "fgh", numbered)
    (result,) = [f for f in report.of("ZSL001") if f.mark != "ok"]
    assert (result.mark, result.classes) == ("leak", ("f",))
    # No class is on both sides.
    assert not of_videos(tmp_path, "abcde", "fgh", numbered).counts["leak"]
    # A test list with all training classes is one of generalized zero-shot learning.
    assert not of_videos(tmp_path, "abcde", "abcdefgh", numbered).counts["leak"]


@pytest.mark.parametrize("form", ["kinetics400_{}_list.txt", "{}_split.txt"])
def test_lists_of_images_have_the_part_among_the_words_of_their_names(tmp_path, form):
    for part, name in (("train", "bat"), ("test", "emu")):
        lines = [f"{name}/{k}.mp4 300 {int(part == 'test')}" for k in range(3)]
        (tmp_path / form.format(part)).write_text("\n".join(lines))
    split = read_split_lists(tmp_path)
    assert {part: len(rows) for part, rows in split.parts.items()} == {
        "trainval": 3, "test_seen": 0, "test_unseen": 3,
    }  # fmt: skip
    (tmp_path / "notes_on_train.txt").write_text("We train on bats.\n")
    assert len(read_split_lists(tmp_path).files) == 6


@pytest.mark.parametrize(
    ("spelt", "is_asked"),
    [
        ("images/{}.jpg", True),
        ("/data/awa/{}.jpg", True),
        ("{}", True),
        ("{}.jpg", False),  # the path is the same, which is a leak without a question
        ("{}.JPG", False),
        ("./{}.jpg", False),
        ("{}.png", False),
        ("other/{}x.jpg", False),
    ],
)
def test_two_paths_that_may_be_one_image_raise_a_question(tmp_path, spelt, is_asked):
    trained = [f"{c}/{i}" for c in CLASSES[:3] for i in range(6)]
    again = [spelt.format(path) for path in trained[:4]]
    for sound, listed in ((False, again), (True, [spelt.format(p + "0") for p in trained[:4]])):
        lists = {
            "train": [f"{path}.jpg" for path in trained],
            "test_seen": listed,
            "test_unseen": [f"{c}/{i}.jpg" for c in CLASSES[3:] for i in range(6)],
        }
        for part, images in lists.items():
            (tmp_path / f"{part}.txt").write_text("\n".join(images) + "\n")
        questions = read_split_lists(tmp_path).questions
        assert len(questions) == (is_asked and not sound), questions
        if questions:
            assert questions[0].startswith("4 paths end like paths of another part, as ")
            assert audit(tmp_path).verdict == "unknown"
            assert main(["check", str(tmp_path), "--allow-incomplete", "ZSL004", "ZSL005"]) == 3


def test_a_backslash_is_a_slash_in_a_path(tmp_path):
    (tmp_path / "train.txt").write_text("cat\\1.jpg 0\ndog\\1.jpg 1\n")
    (tmp_path / "test.txt").write_text("cat/1.jpg 0\nhen/1.jpg 4\n")
    parts = read_split_lists(tmp_path).parts
    assert np.intersect1d(parts["trainval"], parts["test_unseen"]).size == 1


@pytest.mark.parametrize("form", ["JSON", "CSV"])
def test_image_names_repeated_in_many_classes_identify_an_image_within_its_class(tmp_path, form):
    def leaks(seen):
        numbers = {"train": range(6), "test_seen": seen, "test_unseen": range(6)}
        classes = dict.fromkeys(numbers, CLASSES[:3]) | {"test_unseen": CLASSES[3:]}
        images_of_part = {
            p: {c: [f"{i}.jpg" for i in numbers[p]] for c in classes[p]} for p in numbers
        }
        path = tmp_path / f"split.{form.lower()}"
        if form == "JSON":
            path.write_text(json.dumps(images_of_part))
        else:
            rows = [
                f"{i},{c},{p}"
                for p, listed in images_of_part.items()
                for c in listed
                for i in listed[c]
            ]
            path.write_text("\n".join(["image,class,split", *rows]))
        report = audit(path)
        assert report.verdict == ("leaks" if report.select_findings("leak") else "unknown")
        assert any(
            "images with the same names" in f.sentence for f in report.select_findings("open")
        )
        return [finding.sentence for finding in report.select_findings("leak")]

    assert leaks(range(6, 9)) == []
    assert leaks(range(4, 9)) == ["In both trainval (training) and test_seen (test): 6 rows."]
    assert leaks(range(5)) == []  # names such as 0 that start anew in each part prove no leak


def test_one_name_of_two_classes_among_many_is_refused(tmp_path):
    rows = [(f"{c}{i}.jpg", c, "train" if c == "cat" else "test") for c in CLASSES for i in "1234"]
    rows.append(("cat1.jpg", "dog", "test"))
    path = tmp_path / "split.csv"
    path.write_text("\n".join(["image,class,split", *map(",".join, rows)]))
    with pytest.raises(FileRefusedError, match=r"one class per image; got cat and dog for 'cat1"):
        audit(path)


@pytest.mark.parametrize("several", [False, True])
def test_a_repeated_image_has_one_row_and_numbered_entries_are_removed(several):
    rows = ImageRows("split.txt", several)
    entries = [(image, "ox") for image in ("a", "b", "a", "c", "c", "b")]
    assert rows.take(entries).tolist() == [0, 1, 0, 2, 2, 1]
    assert entries == []
    assert rows.files == ("a", "b", "c")
    if several:
        assert rows.take([("a", "yak"), ("a", "ox"), ("a", "yak")]).tolist() == [3, 0, 3]
        assert rows.labels == ["ox", "ox", "ox", "yak"]
    else:
        with pytest.raises(FileRefusedError, match="one class per image; got ox and yak for 'a'"):
            rows.add("a", "yak")
