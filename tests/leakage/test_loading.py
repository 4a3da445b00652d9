"""Files, folders and splits are loaded as the context of the checks."""

import hashlib
import json

import h5py
import numpy as np
import pytest
from scipy.io import savemat

from tests.datasets import files
from tests.worlds import linear_world
from tests.writing import as_cells, write_file
from zslcore.datasets.base import Split
from zslcore.exceptions import DatasetError, FileRefusedError, UnknownNameError
from zslcore.leakage import Vocabulary, audit, get_vocabulary, loading
from zslcore.leakage.checks.split import shared_rows
from zslcore.leakage.context import UNREAD
from zslcore.leakage.file_kinds import recognise_file
from zslcore.leakage.loading import chosen_split, context_of, vocabulary_of
from zslcore.names import spaced_name

pytestmark = pytest.mark.usefixtures("in_process")


@pytest.fixture
def folder(tmp_path):
    return files.write_folder(tmp_path / "toy")


@pytest.fixture
def into(tmp_path):
    (tmp_path / "into").mkdir()
    return tmp_path / "into"


def the_parts(context):
    return {part: rows.tolist() for part, rows in context.parts.items()}


def test_a_folder_is_loaded_with_all_its_files(folder, into):
    context = context_of(folder, into=into)
    np.testing.assert_array_equal(context.labels, files.LABELS)
    np.testing.assert_array_equal(context.features, files.FEATURES)
    np.testing.assert_allclose(context.prototypes, files.ATT, rtol=1e-6)
    assert (context.raw_prototypes, context.n_rows) == (None, files.N)
    assert context.class_names == files.CLASSES
    np.testing.assert_array_equal(context.parts["test_unseen"], files.UNSEEN)
    digest = hashlib.sha256((folder / "att_splits.mat").read_bytes()).hexdigest()
    assert context.file_digest == digest
    labels = "from res101.mat next to the file"
    assert context.facts == {"file": "att_splits.mat", "labels": labels, "digest": digest}
    own = context_of(folder, into=into, features=np.zeros((files.N, 2)))
    assert own.features.shape == (files.N, 2)


def test_a_folder_needs_only_a_split_file(folder, into):
    (folder / "res101.mat").unlink()
    context = context_of(folder, into=into)
    assert (context.labels, context.features, context.n_rows) == (None, None, None)
    (folder / "att_splits.mat").unlink()
    with pytest.raises(FileRefusedError, match="found nothing, which is not a known layout"):
        context_of(folder, into=into)


def test_labels_are_in_the_file_or_next_to_it(folder, into):
    other = files.LABELS[::-1, None] + 1.0
    savemat(folder / "labels.mat", {"labels": other})
    path = folder / "att_splits.mat"
    np.testing.assert_array_equal(context_of(path, into=into).labels, files.LABELS)
    (folder / "res101.mat").unlink()
    context = context_of(path, into=into)
    np.testing.assert_array_equal(context.labels, files.LABELS[::-1])
    assert context.facts["labels"] == "from labels.mat next to the file"
    savemat(folder / "own.mat", files.splits_file(labels=files.LABELS[:, None] + 1.0))
    own = context_of(folder / "own.mat", into=into)
    np.testing.assert_array_equal(own.labels, files.LABELS)
    assert own.facts["labels"] == "in the file itself"
    labelled = context_of(path, into=into, labels=np.zeros(files.N, int))
    assert not labelled.labels.any()
    assert "labels" not in labelled.facts


def test_files_of_labels_and_features_hold_one_or_both(folder, into, tmp_path):
    (folder / "att_splits.mat").rename(tmp_path / "mine.mat")
    path, images = tmp_path / "mine.mat", folder / "res101.mat"
    both = context_of(path, into=into, features=images)
    np.testing.assert_array_equal(both.labels, files.LABELS)
    np.testing.assert_array_equal(both.features, files.FEATURES)
    savemat(tmp_path / "features.mat", {"features": files.FEATURES.T})
    alone = context_of(path, into=into, features=tmp_path / "features.mat")
    assert (alone.labels, alone.n_rows) == (None, files.N)
    with pytest.raises(FileRefusedError, match=r"features\.mat: expected the variable 'labels'"):
        context_of(path, into=into, labels=tmp_path / "features.mat")
    second = context_of(path, into=into, images=images)
    np.testing.assert_array_equal(second.labels, files.LABELS)
    np.testing.assert_array_equal(second.features, files.FEATURES)
    assert context_of(path, into=into, images=None).labels is None


def test_contradictory_labels_and_features_are_refused(folder, into):
    path = folder / "att_splits.mat"
    for labels, sentence in (
        (np.zeros((3, 2), int), "one whole number per image"),
        (np.zeros(3), "one whole number per image"),
        ([-1, 0], r"one of 5 classes; got -1\.\.0"),
        ([0, 5], r"one of 5 classes; got 0\.\.5"),
    ):
        with pytest.raises(DatasetError, match=sentence):
            context_of(path, into=into, labels=labels)
    assert context_of(path, into=into, labels=np.array([0, 4], np.uint8)).n_rows == 2
    with pytest.raises(DatasetError, match="3 rows of features but 2 labels"):
        context_of(path, into=into, labels=[0, 4], features=np.zeros((3, 2)))
    split = Split.from_classes("own", files.LABELS, unseen=[3, 4])
    bare = context_of(split, into=into, labels=[0, 10**9])
    assert (bare.name, bare.n_rows) == ("own", 2)
    assert context_of(split, into=into).n_rows is None


def test_numbers_of_names_and_prototypes_must_be_equal(folder, into):
    savemat(folder / "mine.mat", files.splits_file(allclasses_names=as_cells(["a", "b"])))
    with pytest.raises(FileRefusedError, match="got 2 names and 5 prototypes"):
        context_of(folder / "mine.mat", into=into)
    savemat(folder / "mine.mat", files.splits_file(allclasses_names=None))
    assert context_of(folder / "mine.mat", into=into).class_names == ()
    raw = {"att": None, "original_att": 2.0 * files.ATT.T}
    savemat(folder / "mine.mat", files.splits_file(**raw))
    context = context_of(folder / "mine.mat", into=into)
    np.testing.assert_allclose(context.prototypes, 2 * files.ATT, rtol=1e-6)
    np.testing.assert_array_equal(context.raw_prototypes, context.prototypes)


def test_a_file_without_rows_is_refused(folder, into):
    nothing = {f"{part}_loc": None for part in ("trainval", "train", "val", "test_seen")}
    savemat(folder / "mine.mat", files.splits_file(**nothing, test_unseen_loc=None))
    with pytest.raises(FileRefusedError, match="found none of them"):
        context_of(folder / "mine.mat", into=into)


def test_unread_lists_of_rows_are_reported(folder, into):
    """A list that was not read may contain leaking rows."""
    savemat(folder / "mine.mat", files.splits_file(val_seen_loc=[[1.0]], extra=[[1.0]]))
    context = context_of(folder / "mine.mat", into=into)
    (finding,) = (f for f in shared_rows(context) if "Not read" in f.sentence)
    assert finding.mark == "ok"
    assert finding.sentence == "Not read, and not checked: extra."
    assert [*context.other_lists] == ["val_seen_loc"]
    savemat(folder / "mine.mat", files.splits_file())
    assert not context_of(folder / "mine.mat", into=into).facts.get(UNREAD)


def test_class_lists_next_to_benchmark_files_are_read(folder, into):
    lists = {
        "trainvalclasses": files.CLASSES[:3],
        "testclasses": files.CLASSES[3:],
        "trainclasses1": files.CLASSES[:2],
        "valclasses1": files.CLASSES[2:3],
        "trainclasses3": files.CLASSES[1:3],
        "valclasses3": files.CLASSES[:1],
        "trainclasses2": files.CLASSES[:1],  # without valclasses2, this is not a fold
    }
    files.write_lists(folder / "proposed_split", **lists)
    context = context_of(folder / "att_splits.mat", into=into)
    result = {side: rows.tolist() for side, rows in context.class_lists.items()}
    assert result == {"seen": [0, 1, 2], "unseen": [3, 4]}
    assert [[rows.tolist() for rows in fold] for fold in context.folds] == [
        [[0, 1], [2]],
        [[1, 2], [0]],
    ]
    (folder / "att_splits.mat").rename(folder / "mine.mat")
    assert context_of(folder / "mine.mat", into=into).class_lists == {}
    (folder / "mine.mat").rename(folder / "att_splits.mat")
    files.write_lists(folder / "proposed_split", testclasses=["unicorn"])
    context = context_of(folder / "att_splits.mat", into=into)
    assert (context.class_lists, context.folds) == ({}, ())


def test_a_split_as_json_is_read_unchanged(into, tmp_path, monkeypatch):
    path = tmp_path / "mine.JSON"
    parts = {"trainval": [3, 1, 1], "test_seen": [], "test_unseen": [0], "other": "ignored"}
    path.write_text(json.dumps({"schema": "zslcore-split/1", "parts": parts}))
    context = context_of(path, into=into)
    assert the_parts(context) == {"trainval": [3, 1, 1], "test_seen": [], "test_unseen": [0]}
    assert context.parts["test_seen"].dtype.kind == "i"
    assert (context.name, context.split_name) == ("mine.JSON", "")
    monkeypatch.setattr(loading, "MAX_JSON", path.stat().st_size)
    assert the_parts(context_of(path, into=into)) == the_parts(context)
    monkeypatch.setattr(loading, "MAX_JSON", path.stat().st_size - 1)
    with pytest.raises(
        FileRefusedError, match=r"expected a JSON file of at most \d+ bytes; got \d+; keep only"
    ):
        context_of(path, into=into)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"trainval": [[1, 2]]}, "a list of whole numbers for every part"),
        ({"trainval": [1], "val": [0.5]}, "a list of whole numbers for every part"),
        ({"other": [1]}, "found none of them"),
        ([1], "expected a split as JSON"),
    ],
)
def test_json_that_is_not_a_split_is_refused(into, tmp_path, parts, sentence):
    path = write_file(tmp_path / "mine.json", {"schema": "zslcore-split/1", "parts": parts})
    with pytest.raises(FileRefusedError, match=sentence):
        context_of(path, into=into)
    path.write_text(json.dumps({"schema": "zslcore-split/2", "parts": parts}))
    with pytest.raises(FileRefusedError, match="expected the schema 'zslcore-split/1'"):
        context_of(path, into=into)


def test_the_proposed_split_is_the_default():
    world = linear_world()
    first, named = (
        Split.from_classes(name, world.labels, unseen=[k]) for k, name in enumerate(("A", "PS"))
    )
    object.__setattr__(world, "splits", {"A": first, "PS": named})
    assert chosen_split(world) is named
    assert chosen_split(world, "A") is first
    object.__setattr__(world, "splits", {"A": first})
    assert chosen_split(world) is first
    with pytest.raises(UnknownNameError):
        chosen_split(world, "PS")
    object.__setattr__(world, "splits", {})
    with pytest.raises(DatasetError, match="linear world has no split to audit"):
        chosen_split(world)


def test_a_vocabulary_has_a_name_or_a_file(tmp_path):
    mine = Vocabulary.of("mine", ["seal"])
    assert vocabulary_of(mine) is mine
    assert vocabulary_of("sports-1m") is get_vocabulary("sports-1m")
    assert vocabulary_of(write_file(tmp_path / "mine", "seal\n")).entries == mine.entries
    with pytest.raises(FileRefusedError):
        vocabulary_of("mine.txt")


@pytest.mark.parametrize("name", ["images.npz", "images.mat", "images.pt"])
def test_features_and_labels_of_other_code_are_read_unchanged(tmp_path, into, name, torch):
    folder = files.write_folder(tmp_path / "own")
    (folder / "res101.mat").unlink()
    X, y = files.FEATURES, files.LABELS
    content = {"features": X, "labels": y}
    if name.endswith("npz"):
        np.savez(tmp_path / name, **content)
    elif name.endswith("mat"):
        savemat(tmp_path / name, {"features": X.T, "labels": y[:, None] + 1})
    else:
        torch.save({key: torch.tensor(value) for key, value in content.items()}, tmp_path / name)
    context = context_of(folder / "att_splits.mat", into=into, images=tmp_path / name)
    np.testing.assert_array_equal(context.labels, y)
    np.testing.assert_array_equal(context.features, X)
    by_name = context_of(folder / "att_splits.mat", into=into, features=tmp_path / name)
    np.testing.assert_array_equal(by_name.features, X)


@pytest.mark.parametrize("name", ["y.npy", "y.txt"])
def test_labels_may_be_an_array_or_a_text(tmp_path, into, name):
    folder = files.write_folder(tmp_path / "own")
    y = files.LABELS
    if name.endswith("npy"):
        np.save(tmp_path / name, y)
    else:
        (tmp_path / name).write_text("\n".join(map(str, y)))
    context = context_of(folder / "att_splits.mat", into=into, images=tmp_path / name)
    np.testing.assert_array_equal(context.labels, y)


# --- Whole splits in one file of a folder ---------------------------------------------------------

SIDES = {"train": ["bat", "cow"], "val": ["dog"], "test": ["emu", "fox"]}
TABLE = "class,split\n" + "".join(
    f"{c},{part}\n" for part, members in SIDES.items() for c in members
)
YAML = "".join(
    f"{part}:\n" + "".join(f"  - {c}\n" for c in members) for part, members in SIDES.items()
)


@pytest.mark.parametrize(
    ("name", "text"),
    [("split.json", json.dumps(SIDES)), ("mine.csv", TABLE), ("classes.yaml", YAML)],
)
def test_a_folder_with_one_text_of_a_whole_split_is_read(tmp_path, into, name, text):
    (tmp_path / name).write_text(text)
    (tmp_path / "README.md").write_text("Our split, 2026.\n")
    context = context_of(tmp_path, into=into)
    assert {context.class_names[c] for c in context.class_lists["unseen"]} == {"emu", "fox"}
    (tmp_path / "old.json").write_text(json.dumps(SIDES))
    with pytest.raises(FileRefusedError, match=r"expected one split; got .*; name one of them"):
        context_of(tmp_path, into=into)


def test_the_only_split_in_a_subfolder_for_splits_is_read(tmp_path, into):
    for name in ("ravi", "vinyals"):
        (tmp_path / "splits" / name).mkdir(parents=True)
        for part, names in SIDES.items():
            (tmp_path / "splits" / name / f"{part}.txt").write_text("\n".join(names))
    (tmp_path / "images").mkdir()
    with pytest.raises(FileRefusedError, match="got splits/ravi, splits/vinyals; name one of them"):
        context_of(tmp_path, into=into)
    for path in (tmp_path / "splits" / "vinyals").iterdir():
        path.unlink()
    context = context_of(tmp_path, into=into)
    assert context.facts["read as"].startswith("splits/ravi: lists of classes")
    assert {context.class_names[c] for c in context.class_lists["unseen"]} == {"emu", "fox"}


@pytest.mark.parametrize("leaked", [False, True])
@pytest.mark.parametrize("ending", ["npz", "mat", "h5"])
@pytest.mark.parametrize("form", ["{}classes", "{}_cid", "y_{}"])
def test_arrays_of_classes_or_labels_by_part_are_a_split(tmp_path, into, form, ending, leaked):
    classes_of_part = {"train": [1, 2, 5] if leaked else [1, 2], "test": [4, 5, 6]}
    times = 2 if form == "y_{}" else 1
    arrays = {
        form.format(part): np.array(classes * times) for part, classes in classes_of_part.items()
    }
    path = tmp_path / f"s.{ending}"
    if ending == "npz":
        np.savez(path, **arrays)
    elif ending == "mat":
        savemat(path, {name: array.astype(float) for name, array in arrays.items()})
    else:
        with h5py.File(path, "w") as file:
            file.update(arrays)
    assert recognise_file(path).kind == "split"
    assert (audit(path).verdict == "leaks") == leaked


def test_a_folder_with_a_split_that_we_wrote_is_read(tmp_path, into):
    text = {"schema": "zslcore-split/1", "parts": {"trainval": [0], "test_unseen": [1]}}
    (tmp_path / "mine.json").write_text(json.dumps(text))
    assert the_parts(context_of(tmp_path, into=into)) == {"trainval": [0], "test_unseen": [1]}


Y = np.repeat(np.arange(4), 3)
ROWS = {"train_idx": [0, 1, 3, 4], "test_seen_idx": [2, 5], "test_unseen_idx": [6, 7, 8, 9, 10, 11]}


@pytest.mark.parametrize("ending", ["npy", "txt"])
@pytest.mark.parametrize("leaked", [[], [2]])
def test_a_folder_with_one_file_of_rows_per_part_is_read(tmp_path, into, ending, leaked):
    for name, rows in (ROWS | {"train_idx": ROWS["train_idx"] + leaked, "labels": Y}).items():
        if ending == "npy":
            np.save(tmp_path / name, np.array(rows))
        else:
            (tmp_path / f"{name}.txt").write_text("\n".join(map(str, rows)))
    context = context_of(tmp_path, into=into)
    assert the_parts(context)["test_seen"] == [2, 5]
    np.testing.assert_array_equal(context.labels, Y)
    assert bool([*shared_rows(context)]) == bool(leaked)


def test_numbers_that_may_be_classes_are_not_read_as_rows(tmp_path, into):
    for name, numbers in {"train": [0, 1], "test": [2, 3], "labels": Y.tolist()}.items():
        (tmp_path / f"{name}_ids.txt").write_text("\n".join(map(str, numbers)))
    with pytest.raises(FileRefusedError, match="not a known layout"):
        context_of(tmp_path, into=into)


@pytest.mark.parametrize("form", ["json", "npz", "h5", "h5 group", "mat", "mat struct"])
def test_rows_of_a_split_are_read_from_any_container(tmp_path, into, form):
    rows_of = {"trainval": [0, 1, 3, 4], "test_seen": [2, 5], "test_unseen": range(6, 12)}
    parts = {f"{part}_loc": np.array(rows) + 1 for part, rows in rows_of.items()}
    labels, path = Y + 1, tmp_path / f"s.{form.split()[0]}"
    if form == "json":
        lists = {name: rows.tolist() for name, rows in (parts | {"labels": labels}).items()}
        path.write_text(json.dumps(lists))
    elif form == "npz":
        np.savez(path, labels=labels, **parts)
    elif form.startswith("h5"):
        with h5py.File(path, "w") as file:
            file["labels"] = labels
            group = file.create_group("splits") if "group" in form else file
            for name, rows in parts.items():
                group[name] = rows
    else:
        inner = {"splits": parts} if "struct" in form else parts
        savemat(path, inner | {"labels": labels})
    assert recognise_file(path).kind == "split"
    context = context_of(path, into=into)
    assert the_parts(context)["test_unseen"] == [*range(6, 12)]
    np.testing.assert_array_equal(context.labels, Y)
    assert "splits" not in context.facts.get(UNREAD, "")


def test_a_split_in_an_object_of_python_is_refused_by_its_name(tmp_path):
    np.savez(tmp_path / "s.npz", split=np.array({"train": [1]}, dtype=object))
    with pytest.raises(FileRefusedError, match=r"s\.npz: .*split is refused: .*Python objects"):
        recognise_file(tmp_path / "s.npz")


# --- One class with two names ---------------------------------------------------------------------


def lists_of(folder, seen, unseen, encoding="utf-8"):
    (folder / "seen_classes.txt").write_text("\n".join(seen), encoding=encoding)
    (folder / "unseen_classes.txt").write_text("\n".join(unseen), encoding=encoding)
    return folder


@pytest.mark.parametrize(
    ("seen", "unseen"),
    [
        (["n02481823", "n02128385"], ["chimpanzee", "zebra"]),
        (["zebra", "chimpanzee"], ["n02481823", "n02128385"]),
        (["café", "bar"], ["Cafe", "pub"]),
    ],
)
def test_a_class_named_by_id_and_by_word_is_one_class(tmp_path, into, seen, unseen):
    lists = context_of(lists_of(tmp_path, seen, unseen), into=into).class_lists
    assert np.intersect1d(lists["seen"], lists["unseen"]).size == 1


@pytest.mark.parametrize(
    ("seen", "unseen", "question"),
    [
        (["zebras", "cow"], ["zebra", "emu"], "may be the same: zebras and zebra"),
        (["n02481823", "n02128385"], ["emu", "zebra"], "Some classes have WordNet ids and some"),
    ],
)
def test_a_class_with_two_possible_names_raises_a_question(tmp_path, into, seen, unseen, question):
    context = context_of(lists_of(tmp_path, seen, unseen), into=into)
    assert any(question in text for text in context.questions)


@pytest.mark.parametrize(
    ("seen", "unseen"),
    [
        (["glass", "cow"], ["zebra", "emu"]),
        (["zebras", "zebra"], ["emu", "fox"]),
        (["n02481823"], ["n02128385"]),
        (["が", "は"], ["か", "ば"]),
    ],
)
def test_names_of_different_classes_are_not_merged(tmp_path, into, seen, unseen):
    context = context_of(lists_of(tmp_path, seen, unseen), into=into)
    assert not context.questions
    assert len(context.class_names) == len(seen) + len(unseen)


def test_merged_classes_are_renumbered(tmp_path, into):
    (tmp_path / "train.txt").write_text("a/1.jpg n02481823\na/2.jpg n02481823\nb/1.jpg n02128385\n")
    (tmp_path / "test.txt").write_text("c/1.jpg chimpanzee\nd/1.jpg emu\n")
    context = context_of(tmp_path, into=into)
    names = [context.class_names[c] for c in context.labels]
    assert sorted(names) == ["chimpanzee", "chimpanzee", "chimpanzee", "emu", "n02128385"]


def test_lists_in_utf_16_are_read(tmp_path, into):
    context = context_of(lists_of(tmp_path, ["bat", "cow"], ["emu"], "utf-16"), into=into)
    assert {*context.class_names} == {"bat", "cow", "emu"}


def test_labels_next_to_lists_of_rows_may_be_names(tmp_path):
    y = np.repeat(["dog", "ape", "fox"], 4)
    for name, train in (("sound", [0, 1, 2, 3, 4, 5]), ("leak", [0, 1, 2, 3, 4, 5, 8])):
        np.savez(tmp_path / f"{name}.npz", train_idx=train, test_unseen_idx=np.arange(8, 12), y=y)
        context = context_of(tmp_path / f"{name}.npz")
        assert context.class_names == ("ape", "dog", "fox")
        assert context.classes("test_unseen").tolist() == [2]
        report = audit(tmp_path / f"{name}.npz")
        assert report.verdict == ("leaks" if name == "leak" else "unknown")


@pytest.mark.parametrize("kind", ["numbers", "names"])
def test_class_lists_are_compared_with_the_rows_of_the_split(tmp_path, kind):
    names = np.array(["ape", "bat", "cow", "dog"])
    y = np.repeat(np.arange(4), 5)
    rows = {"test_idx": np.arange(10, 18), "labels": names[y] if kind == "names" else y}
    for agree, train in ((True, [*range(10)]), (False, [*range(10), 18, 19])):
        lists = {"train_classes": np.arange(2), "test_classes": np.arange(2, 4)}
        if kind == "names":
            lists = {name: names[listed] for name, listed in lists.items()}
        report = audit(write_file(tmp_path / "split.npz", {**rows, **lists, "train_idx": train}))
        questions = [f.sentence for f in report.of("ZSL001") if f.mark == "open"]
        name = "dog" if kind == "names" else "class 3"
        text = f"Unseen according to the class lists, but trained on or tested as seen: {name}."
        assert questions == ([] if agree else [text])
        assert report.verdict == "unknown"


def test_class_lists_in_the_folder_of_a_split_are_compared_with_its_rows(folder):
    lists = folder / "proposed_split"
    for path in lists.iterdir() if lists.is_dir() else ():
        path.rename(folder / path.name)
    if lists.is_dir():
        lists.rmdir()
    unseen = [files.CLASSES[c] for c in np.unique(files.LABELS[files.UNSEEN])]
    seen = [name for name in files.CLASSES if name not in unseen]
    for listed in (unseen, [*unseen, seen[0]]):
        (folder / "testclasses.txt").write_text("\n".join(listed))
        (folder / "trainvalclasses.txt").write_text("\n".join(seen))
        findings = audit(folder).of("ZSL001")
        wrong = [
            f for f in findings if f.sentence.startswith("Unseen according to the class lists")
        ]
        assert [f.classes for f in wrong] == ([] if listed == unseen else [(spaced_name(seen[0]),)])


@pytest.mark.parametrize("first", [0, 1])
def test_one_list_of_test_rows_is_divided_by_class(tmp_path, first):
    y = np.repeat(np.arange(6), 10)
    trained = np.flatnonzero((y < 4) & (np.arange(60) % 10 < 7))
    tested = np.setdiff1d(np.arange(60), trained)
    rows = {"trainval_loc": trained + first, "test_loc": tested + first}
    path = tmp_path / "att_splits.mat"
    savemat(path, rows | {"labels": y + first})
    parts = context_of(path).parts
    np.testing.assert_array_equal(parts["test_seen"], tested[y[tested] < 4])
    np.testing.assert_array_equal(parts["test_unseen"], tested[y[tested] >= 4])
    assert audit(path).verdict == "unknown"  # the file has no features to compare
    savemat(path, rows | {"labels": y + first, "test_loc": np.append(tested, trained[:2]) + first})
    report = audit(path)
    assert report.verdict == "leaks"
    assert "2 rows" in report.sentence
    savemat(path, rows | {"labels": y + first, "test_loc": np.append(tested, 200) + first})
    assert audit(path).verdict == "broken"


@pytest.mark.parametrize(("shared", "verdict"), [(0, "unknown"), (2, "leaks")])
def test_one_list_of_test_rows_without_labels_is_unknown_or_shares_rows(tmp_path, shared, verdict):
    rows = {"trainval_loc": np.arange(1, 41), "test_loc": np.arange(41 - shared, 61)}
    savemat(tmp_path / "att_splits.mat", rows)
    report = audit(tmp_path / "att_splits.mat")
    assert report.verdict == verdict
    assert report.mark("ZSL001") == "open"
