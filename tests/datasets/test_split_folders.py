"""Splits by names in folders of other layouts: read, or refused with the names of their files."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from scipy.io import savemat

from tests.datasets import files
from tests.writing import write_file
from zslcore.__main__ import main
from zslcore.datasets import imports
from zslcore.datasets.base import content_digest
from zslcore.datasets.split_folders import read_split_folder
from zslcore.datasets.split_numbering import split_of_parts
from zslcore.exceptions import FileRefusedError
from zslcore.leakage import audit
from zslcore.leakage.file_kinds import recognise_file
from zslcore.leakage.loading import context_of

pytestmark = pytest.mark.usefixtures("in_process")
CLASSES = ("bat", "cow", "dog", "emu", "fox")


def images(*classes, n=3):
    return [(f"images/{name}/{name}_{i}.jpg", name) for name in classes for i in range(n)]


def write(folder, **texts):
    for name, text in texts.items():
        (folder / name.replace("__", ".")).write_text(text)


def few_shot(folder, base=("bat", "cow"), novel=("emu", "fox")):
    for side, classes in (("base", base), ("val", ("dog",)), ("novel", novel)):
        rows = images(*classes)
        labels = [CLASSES.index(name) for _, name in rows]
        value = {
            "label_names": CLASSES,
            "image_names": [i for i, _ in rows],
            "image_labels": labels,
        }
        (folder / f"{side}.json").write_text(json.dumps(value))


def tables(folder, train=("bat", "cow"), test=("emu", "fox")):
    for part, classes in (("train", train), ("val", ("dog",)), ("test", test)):
        rows = "".join(f'{image},"{name}"\n' for image, name in images(*classes))
        (folder / f"{part}.csv").write_text(f"filename,label\n{rows}")


@pytest.mark.skipif(os.name != "posix", reason="links")
@pytest.mark.parametrize(("layout", "name"), [(few_shot, "novel.json"), (tables, "test.csv")])
def test_a_list_that_is_a_link_out_of_the_folder_is_refused(tmp_path, layout, name):
    (folder := tmp_path / "split").mkdir()
    layout(folder)
    (folder / name).rename(tmp_path / name)
    (folder / name).symlink_to(tmp_path / name)
    with pytest.raises(
        FileRefusedError, match="expected a file below split; got a link that leaves it"
    ):
        read_split_folder(folder)


@pytest.mark.parametrize("layout", [few_shot, tables])
def test_images_of_base_and_novel_classes_are_a_split(tmp_path, layout):
    layout(tmp_path)
    split = read_split_folder(tmp_path)
    assert split.class_names == CLASSES
    names = {part: {CLASSES[c] for c in split.labels[rows]} for part, rows in split.parts.items()}
    assert names == {
        "train": {"bat", "cow"},
        "val": {"dog"},
        "trainval": {"bat", "cow", "dog"},
        "test_unseen": {"emu", "fox"},
    }


@pytest.mark.parametrize("layout", [few_shot, tables])
def test_a_test_class_in_training_is_not_read_as_seen(tmp_path, layout):
    layout(tmp_path, ("bat", "cow", "emu"))
    split = read_split_folder(tmp_path)
    tested = {CLASSES[c] for c in split.labels[split.parts["test_unseen"]]}
    trained = {CLASSES[c] for c in split.labels[split.parts["train"]]}
    assert tested & trained == {"emu"}


def test_the_folder_of_cub_has_the_split_of_its_list(tmp_path):
    rows = images("001.Albatross", "002.Auklet")
    write(
        tmp_path,
        images__txt="".join(f"{k} {image}\n" for k, (image, _) in enumerate(rows, 1)),
        image_class_labels__txt="".join(f"{k} {1 + (k > 3)}\n" for k in range(1, 7)),
        train_test_split__txt="".join(f"{k} {k % 2}\n" for k in range(1, 7)),
        classes__txt="1 001.Albatross\n2 002.Auklet\n",
    )
    split = read_split_folder(tmp_path)
    assert split.class_names == ("001.Albatross", "002.Auklet")
    assert split.labels.tolist() == [0, 0, 1, 0, 1, 1]  # training classes first
    parts = {part: rows.tolist() for part, rows in split.parts.items()}
    assert parts == {"trainval": [0, 1, 2], "test_seen": [3, 4, 5], "test_unseen": []}
    write(tmp_path, image_class_labels__txt="1 1\n")
    with pytest.raises(FileRefusedError, match="expected a class and 0 or 1 for image 2; got none"):
        read_split_folder(tmp_path)


def sides(split):
    result = {
        side: {split.class_names[c] for c in members} for side, members in split.sides.items()
    }
    folds = [tuple({split.class_names[c] for c in part} for part in fold) for fold in split.folds]
    return result, folds


@pytest.mark.parametrize(
    ("seen", "val", "unseen", "train"),
    [
        ("stage_2_train", "stage_1_val_unseen", "stage_2_test_unseen", "stage_1_train"),
        ("trainvalclasses", "valclasses", "testclasses", "trainclasses"),
        ("trainvalclasses", "valclasses1", "testclasses", "trainclasses1"),
        ("seen_classes", "val_classes", "unseen_classes", None),
        ("base_classes", "validation_classes", "novel_classes", None),
    ],
)
def test_class_lists_are_recognised_by_their_file_names(tmp_path, seen, val, unseen, train):
    lists = {seen: "bat\ncow\ndog\n", val: "dog\n", unseen: "emu\nfox\n"}
    lists |= {train: "bat\ncow\n"} if train else {}
    write(tmp_path, **{f"{name}__txt": text for name, text in lists.items()})
    expected = {"seen": {"bat", "cow", "dog"}, "unseen": {"emu", "fox"}}
    assert sides(read_split_folder(tmp_path)) == (expected, [({"bat", "cow"}, {"dog"})])


@pytest.mark.parametrize("names", [("known", "unknown"), ("cub_seen", "cub_unseen")])
@pytest.mark.parametrize("ending", ["txt", "csv", "tsv", "json"])
def test_lists_of_the_two_sides_have_any_form(tmp_path, names, ending):
    for name, classes in zip(names, (["bat", "cow ox"], ["emu"]), strict=True):
        tab = {"csv": ",", "tsv": "\t"}.get(ending)
        rows = [f"{k}{tab}{item}" for k, item in enumerate(classes)] if tab else classes
        text = "\n".join([f"id{tab}name", *rows] if tab else rows)
        text = json.dumps(classes) if ending == "json" else text
        (tmp_path / f"{name}.{ending}").write_text(text)
    assert sides(read_split_folder(tmp_path))[0] == {"seen": {"bat", "cow ox"}, "unseen": {"emu"}}


def test_a_second_list_of_unseen_classes_is_reported_as_not_read(tmp_path):
    write(tmp_path, seen_classes__txt="bat\ncow", unseen_classes__txt="emu", unseen_more__txt="bat")
    (question,) = read_split_folder(tmp_path).questions
    assert question == "Not read, and not checked: unseen_classes.txt."


def test_training_and_validation_classes_of_a_fold_are_the_seen_classes(tmp_path):
    write(tmp_path, trainclasses1__txt="bat", valclasses1__txt="dog", testclasses__txt="emu")
    result, folds = sides(read_split_folder(tmp_path))
    assert result == {"seen": {"bat", "dog"}, "unseen": {"emu"}}
    assert folds == [({"bat"}, {"dog"})]


def test_lists_of_classes_may_be_arrays_of_names_or_numbers(tmp_path):
    np.save(tmp_path / "seen_classes.npy", np.array(["bat", "cow"]))
    np.save(tmp_path / "unseen_classes.npy", np.array(["emu"]))
    assert sides(read_split_folder(tmp_path))[0] == {"seen": {"bat", "cow"}, "unseen": {"emu"}}
    np.save(tmp_path / "seen_classes.npy", np.arange(3))
    np.save(tmp_path / "unseen_classes.npy", np.array([2, 4]))
    result = sides(read_split_folder(tmp_path))[0]
    assert result["seen"] & result["unseen"] == {"class 2"}


def test_test_pairs_that_are_trained_on_are_seen(tmp_path):
    write(
        tmp_path,
        train_pairs__txt="old cat\nwet dog\n",
        val_pairs__txt="old dog\n",
        test_pairs__txt="wet dog\nwet cat\n",
    )
    split = read_split_folder(tmp_path)
    result, folds = sides(split)
    assert result == {"seen": {"old cat", "wet dog"}, "unseen": {"wet cat"}}
    assert folds == [({"old cat", "wet dog"}, {"old dog"})]
    assert "1 of 2 test pairs are also training" in split.note


@pytest.mark.parametrize(
    ("seen", "val", "unseen"),
    [
        ("bat\naquarium_fish\n", "dog\n", "emu\nfox\n"),
        ("n01532829\nn01558993\n", "n02091244\n", "n01930112\nn01981276\n"),
    ],
)
def test_lists_named_after_parts_may_list_classes(tmp_path, seen, val, unseen):
    write(tmp_path, train__txt=seen, val__txt=val, test__txt=unseen)
    split = read_split_folder(tmp_path)
    both = {"seen": {*seen.split()}, "unseen": {*unseen.split()}}
    assert sides(split) == (both, [({*seen.split()}, {*val.split()})])
    assert split.note.endswith("no line is a file name")
    for part, text in (("train", seen), ("val", val), ("test", unseen)):
        (tmp_path / f"{part}.txt").unlink()
        (tmp_path / f"{part}.json").write_text(json.dumps(text.split()))
    assert sides(read_split_folder(tmp_path)) == sides(split)
    write(tmp_path, train_classes__txt="bat\ncow\n", test_classes__txt="emu\n")
    assert sides(read_split_folder(tmp_path))[0] == {"seen": {"bat", "cow"}, "unseen": {"emu"}}


@pytest.mark.parametrize("images", ["2008_000001\n2008_000002\n", "img_1\nimg_2\n"])
def test_lists_named_after_parts_may_list_images(tmp_path, images):
    write(tmp_path, train__txt=images, test__txt=images.replace("1", "3"))
    with pytest.raises(FileRefusedError, match=r"found test\.txt, train\.txt, which is not"):
        context_of(tmp_path, into=tmp_path)


@pytest.mark.parametrize("ending", ["tsv", "jsonl", "json"])
def test_tables_of_parts_in_other_forms(tmp_path, ending):
    for part, classes in (("train", ["bat", "cow"]), ("test", ["emu", "bat"])):
        table = pd.DataFrame(images(*classes), columns=["file_name", "label"])
        table["file_name"] = part + table["file_name"]
        if ending == "tsv":
            table.to_csv(tmp_path / f"{part}.tsv", sep="\t", index=False)
        else:
            lines = ending == "jsonl"
            table.to_json(tmp_path / f"{part}.{ending}", orient="records", lines=lines)
    split = read_split_folder(tmp_path)
    sizes = {part: len(rows) for part, rows in split.parts.items()}
    assert sizes == {"trainval": 6, "test_unseen": 6}
    assert "1 of 2 test classes have training images" in split.note


IDS = {"train": ("n02087046", "n02089867"), "val": ("n02114548",), "test": ("n03314780",)}


@pytest.mark.parametrize("leaked", [False, True])
@pytest.mark.parametrize("form", ["{},n00020090\n", "{}\n"])
def test_tables_of_classes_with_their_broader_class(tmp_path, form, leaked):
    more = {"train": IDS["test"]} if leaked else {}
    for part, ids in IDS.items():
        rows = "".join(map(form.format, (*ids, *more.get(part, ()))))
        (tmp_path / f"{part}.csv").write_text(rows)
    result, folds = sides(read_split_folder(tmp_path))
    assert result == {"seen": {*IDS["train"], *more.get("train", ())}, "unseen": {*IDS["test"]}}
    assert len(folds) == 1
    assert (audit(tmp_path).verdict == "leaks") == leaked


@pytest.mark.parametrize("leaked", [False, True])
def test_tables_in_several_files_without_names_of_images(tmp_path, leaked):
    rows = {"train-00000-of-00002": [0, 0], "train-00001-of-00002": [1, 2 * leaked + 1],
            "test-00000-of-00001": [3, 3, 4]}  # fmt: skip
    for name, labels in rows.items():
        pd.DataFrame({"label": labels}).to_parquet(tmp_path / f"{name}.parquet")
    split = read_split_folder(tmp_path)
    assert {part: len(members) for part, members in split.parts.items()} == {
        "trainval": 4, "test_seen" if not leaked else "test_unseen": 0 if not leaked else 3,
    } | ({} if leaked else {"test_unseen": 3})  # fmt: skip
    assert split.questions == ("Images have no names, so images in two parts cannot be detected.",)


def annotations(names, start, categories=CLASSES):
    """Return annotations of two objects per image, with all categories, in COCO's format."""
    files = [{"id": start + k, "file_name": f"{start + k:06}.jpg"} for k in range(len(names))]
    objects = [
        {"image_id": start + k, "category_id": 7 + categories.index(names[(k + more) % len(names)])}
        for k in range(len(names))
        for more in (0, 1)
    ]
    ids = [{"id": 7 + c, "name": name} for c, name in enumerate(categories)]
    return {"info": {}, "images": files, "annotations": objects, "categories": ids}


SEEN_FILE, UNSEEN_FILE = "instances_train2014_seen.json", "instances_val2014_unseen.json"


@pytest.mark.parametrize("fault", ["", "class", "image"])
def test_annotations_of_objects_are_a_split_of_images_and_classes(tmp_path, fault):
    trained = annotations(["bat", "cow", "fox" if fault == "class" else "dog"], 1)
    tested = annotations(["emu", "fox"], 50 if fault != "image" else 3)
    for name, value in ((SEEN_FILE, trained), (UNSEEN_FILE, tested)):
        (tmp_path / name).write_text(json.dumps(value))
    report = audit(tmp_path)
    leaks = [(f.check, f.classes) for f in report.findings if f.mark == "leak"]
    assert leaks == {"": [], "class": [("ZSL001", ("fox",))], "image": [("ZSL012", ())]}[fault]
    (tmp_path / "instances_train2014_unseen.json").write_text(json.dumps(tested))
    assert "instances_train2014_unseen.json" in " ".join(read_split_folder(tmp_path).questions)


def test_annotations_that_name_no_category_or_are_too_large_are_refused(tmp_path, monkeypatch):
    (tmp_path / SEEN_FILE).write_text(json.dumps(annotations(["bat"], 1)))
    damaged = annotations(["emu"], 5)
    damaged["annotations"][0]["category_id"] = 99
    (tmp_path / UNSEEN_FILE).write_text(json.dumps(damaged))
    with pytest.raises(FileRefusedError, match=f"{UNSEEN_FILE}: .* every annotation; got 5 and 99"):
        read_split_folder(tmp_path)
    del damaged["annotations"][0]["category_id"]
    (tmp_path / UNSEEN_FILE).write_text(json.dumps(damaged))
    with pytest.raises(FileRefusedError, match="expected images, annotations and categories"):
        read_split_folder(tmp_path)
    monkeypatch.setattr("zslcore.datasets.split_folders.images.MAX_BYTES", 100)
    with pytest.raises(FileRefusedError, match=r"at most 100 bytes; .*\{\"train\": \["):
        read_split_folder(tmp_path)


def test_a_folder_without_lists_in_its_pickles_is_refused(tmp_path):
    (tmp_path / "train_labels.pkl").write_bytes(b"\x80\x04}.")
    (tmp_path / "synsets.txt").write_text("n02087046\n")
    with pytest.raises(FileRefusedError, match="not a known layout of a split"):
        context_of(tmp_path, into=tmp_path)


def test_image_numbers_are_not_read_as_classes(tmp_path):
    write(tmp_path, train_ids__txt="1\n2\n", test_ids__txt="3\n")
    assert read_split_folder(tmp_path) is None


def test_a_folder_with_one_split_is_read_and_with_two_questioned(tmp_path):
    savemat(tmp_path / "mine.mat", files.splits_file())
    savemat(tmp_path / "res101.mat", files.features_file())
    assert len(context_of(tmp_path, into=tmp_path).parts["trainval"]) == len(files.TRAINVAL)
    savemat(tmp_path / "other.mat", files.splits_file())
    with pytest.raises(FileRefusedError, match=r"expected one split; got mine\.mat, other\.mat"):
        context_of(tmp_path, into=tmp_path)


# --- Lists of parts in one file -------------------------------------------------------------------

Y = np.array([0, 0, 1, 1, 2, 2])
ROWS = {"train": [0, 1], "val": [2], "test": [3, 4, 5]}


@pytest.mark.parametrize("name", ["split.npz", "split.json"])
def test_rows_of_train_and_test_become_a_split_by_the_classes_of_the_labels(tmp_path, name):
    path = tmp_path / name
    if name.endswith("z"):
        np.savez(path, labels=Y, **{part: np.array(rows) for part, rows in ROWS.items()})
    else:
        path.write_text(json.dumps(ROWS))
    assert recognise_file(path).kind == "split"
    context = context_of(path, into=tmp_path, labels=None if name.endswith("z") else Y)
    parts = {part: rows.tolist() for part, rows in context.parts.items()}
    expected = {"trainval": [0, 1, 2], "test_seen": [3], "test_unseen": [4, 5]}
    assert {part: parts[part] for part in expected} == expected


def test_masks_and_rows_from_one_are_understood():
    masks = {"train": [1, 1, 0, 0, 0, 0], "test": [0, 0, 0, 0, 1, 1]}
    assert split_of_parts("a", masks, Y).parts["test_unseen"].tolist() == [4, 5]
    from_one = {"train": [1, 2, 3, 4], "test": [5, 6]}
    split = split_of_parts("a", from_one, Y)
    assert split.parts["trainval"].tolist() == [0, 1, 2, 3]
    assert "counted from 1" in split.note
    outside = split_of_parts("a", {"train": [0, 9], "test": [3]}, Y)
    assert outside.parts["trainval"].tolist() == [0, 9]  # the checks report row 9


def test_image_names_in_an_archive_are_read_as_lists_of_images(tmp_path):
    entries_of_part = {"train": images("bat", "cow"), "test_unseen": images("emu")}
    arrays = {
        part: np.array([image for image, _ in rows]) for part, rows in entries_of_part.items()
    }
    context = context_of(write_file(tmp_path / "a.npz", arrays), into=tmp_path)
    assert context.class_names == ("bat", "cow", "emu")
    assert context.parts["test_unseen"].tolist() == [6, 7, 8]


# --- Archives with several data sets --------------------------------------------------------------


def test_one_command_imports_every_data_set_of_an_archive(tmp_path, own_data, printed):
    for name in ("AAA", "BBB"):
        files.write_folder(tmp_path / "xlsa17" / "data" / name)
    assert main(["import", str(tmp_path / "xlsa17")]) in (0, None)
    assert {*imports.names()} == {"AAA", "BBB"}
    (tmp_path / "xlsa17" / "data" / "BBB" / "res101.mat").unlink()
    assert "zslcore: BBB is not imported: " in printed(
        "import", str(tmp_path / "xlsa17" / "data"), status=2
    )


def test_check_recognises_features_by_content_like_import(tmp_path, monkeypatch):
    files.write_folder(tmp_path)
    digest = content_digest(files.FEATURES, files.LABELS, files.ATT)
    assert not context_of(tmp_path, into=tmp_path).vocabularies
    facts = lambda: {digest: ("none",)}  # noqa: E731
    monkeypatch.setattr("zslcore.leakage.loading.known_features", facts)
    context = context_of(tmp_path, into=tmp_path)
    assert [vocabulary.name for vocabulary in context.vocabularies] == ["none"]


# --- Unread lists ---------------------------------------------------------------------------------


def test_unread_lists_are_named(tmp_path):
    lists = {"seen_classes": "cat\ndog", "unseen_classes": "hen\nzebra", "README": "text"}
    for name, lines in {**lists, "classes": "cat\ndog\nhen\nzebra"}.items():
        (tmp_path / f"{name}.txt").write_text(lines)
    assert audit(tmp_path).mark("ZSL001") == "ok"
    (tmp_path / "extra.txt").write_text("hen\n")
    report = audit(tmp_path)
    assert (report.mark("ZSL001"), report.verdict) == ("open", "unknown")
    assert report.sentence.startswith("Not read, and not checked: extra.txt.")


@pytest.mark.parametrize(
    "bytes_of_name", [b"a\x1b[31m", "a\u202e".encode(), b"a\n::error::", b"a\xff\xfe"]
)
def test_file_names_are_cleaned_in_messages_on_a_folder(tmp_path, bytes_of_name):
    """Terminals obey escapes, build logs obey lines that begin with ::, and 0xff is not UTF-8."""
    folder = os.fsencode(tmp_path)
    for side, names in (("seen", "dog\ncat\n"), ("unseen", "fox\n")):
        path = os.path.join(folder, f"{side}_classes_".encode() + bytes_of_name + b".txt")
        with open(path, "w", encoding="utf-8") as file:
            file.write(names)
    entries = read_split_folder(tmp_path)
    assert "seen_classes_a" in entries.note
    assert entries.note.isprintable()
    entries.note.encode()
