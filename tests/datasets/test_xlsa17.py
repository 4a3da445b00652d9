import numpy as np
import pytest
from scipy.io import savemat

from tests.datasets import files
from tests.writing import as_cells, write_mat73
from zslcore.datasets import load
from zslcore.datasets.facts import class_facts
from zslcore.datasets.xlsa17 import read_split_arrays, read_xlsa17
from zslcore.exceptions import FileRefusedError, UnknownNameError

pytestmark = pytest.mark.usefixtures("own_data")


@pytest.fixture
def folder(tmp_path, in_process):
    return tmp_path / "Toy"


def test_arrays_are_read_zero_based_with_one_image_per_row(folder):
    ds = read_xlsa17(files.write_folder(folder))
    np.testing.assert_array_equal(ds.features, files.FEATURES)
    np.testing.assert_array_equal(ds.labels, files.LABELS)
    np.testing.assert_array_equal(ds.prototypes, files.ATT)
    assert ds.class_names == files.READABLE
    assert ds.name == "Toy"
    split = ds.splits["PS"]
    np.testing.assert_array_equal(split.trainval, files.TRAINVAL)
    np.testing.assert_array_equal(split.test_seen, files.TEST_SEEN)
    np.testing.assert_array_equal(split.test_unseen, files.UNSEEN)
    assert split.seen_classes.tolist() == [0, 1, 2]
    assert split.unseen_classes.tolist() == [3, 4]


def test_matlab_7_3_gives_the_same_data_set(folder):
    old = read_xlsa17(files.write_folder(folder))
    write_mat73(folder / "res101.mat", files.features_file())
    write_mat73(folder / "att_splits.mat", files.splits_file())
    new = read_xlsa17(folder)
    assert new.digest == old.digest
    assert new.class_names == old.class_names
    np.testing.assert_array_equal(new.splits["PS"].trainval, old.splits["PS"].trainval)


def test_rows_are_sorted_and_duplicates_kept_for_the_audit(folder):
    rows = np.array([9, 2, 2, 3])
    ds = read_xlsa17(files.write_folder(folder, splits={"trainval_loc": rows}))
    assert ds.splits["PS"].trainval.tolist() == [1, 1, 2, 8]


def test_without_train_and_val_rows_thirds_of_the_classes_validate(folder):
    ds = read_xlsa17(files.write_folder(folder, splits={"train_loc": None, "val_loc": None}))
    folds = ds.splits["PS"].folds
    assert sorted(int(c) for f in folds for c in np.unique(ds.labels[f.val])) == [0, 1, 2]
    for fold in folds:
        assert not set(ds.labels[fold.train]) & set(ds.labels[fold.val])


def test_without_class_lists_train_and_val_rows_are_the_fold(folder):
    (fold,) = read_xlsa17(files.write_folder(folder)).splits["PS"].folds
    np.testing.assert_array_equal(fold.train, files.TRAINVAL[files.LABELS[files.TRAINVAL] < 2])
    np.testing.assert_array_equal(fold.val, files.TRAINVAL[files.LABELS[files.TRAINVAL] == 2])


@pytest.mark.parametrize("place", [".", "proposed_split", "Proposed_Split"])
def test_class_lists_make_folds_of_trainval_rows_only(folder, place):
    files.write_folder(folder)
    lists = {"trainclasses1": ["otter", "grizzly+bear"], "valclasses1": ["zebra"]}
    # Unseen classes in a list must not bring test rows into a fold.
    lists |= {"trainclasses2": ["zebra", "seal"], "valclasses2": ["otter", "bat"]}
    files.write_lists(folder / place, **lists)
    split = read_xlsa17(folder).splits["PS"]
    labels = files.LABELS
    assert [sorted(set(labels[f.train])) for f in split.folds] == [[0, 1], [2]]
    assert [sorted(set(labels[f.val])) for f in split.folds] == [[2], [1]]
    for fold in split.folds:
        assert np.isin(np.concatenate([fold.train, fold.val]), split.trainval).all()


def test_a_list_with_an_unknown_class_names_the_nearest(folder):
    files.write_folder(folder)
    files.write_lists(folder, trainclasses1=["grizly bear"], valclasses1=["zebra"])
    with pytest.raises(UnknownNameError, match=r"trainclasses1\.txt.*'grizzly\+bear'"):
        read_xlsa17(folder)


def test_the_fault_of_the_first_release_is_reported_and_folds_are_clean(folder):
    seen = np.sort(np.concatenate([files.TRAINVAL, files.TEST_SEEN]))
    changes = {
        "train_loc": seen[files.LABELS[seen] < 2] + 1.0,
        "val_loc": seen[files.LABELS[seen] == 2] + 1.0,
    }
    ds = read_xlsa17(files.write_folder(folder, splits=changes))
    (split,) = ds.splits.values()
    # These data are not the benchmark, so this is not called its first version.
    assert split.name == "PS"
    assert split.note.startswith("Split from att_splits.mat: its train_loc and val_loc hold 3 of 3")
    (fold,) = split.folds
    assert not np.isin(split.test_seen, np.concatenate([fold.train, fold.val])).any()


def test_a_standard_split_in_the_folder_is_read_too(folder):
    files.write_folder(folder)
    lists = {"trainclasses": ["zebra", "bat", "seal"], "testclasses": ["otter", "grizzly+bear"]}
    files.write_lists(folder / "standard_split", **lists)
    ds = read_xlsa17(folder)
    split = ds.splits["SS"]
    assert list(ds.splits) == ["PS", "SS"]
    np.testing.assert_array_equal(split.trainval, np.flatnonzero(files.LABELS >= 2))
    np.testing.assert_array_equal(split.test_unseen, np.flatnonzero(files.LABELS < 2))
    assert len(split.test_seen) == 0
    assert len(split.folds) == 3


def standard_file():
    """Changes that turn the split file into a standard split: a class is for training or test."""
    trained = np.flatnonzero(files.LABELS >= 2)
    return {
        "trainval_loc": trained[:, None] + 1.0,
        "test_unseen_loc": np.flatnonzero(files.LABELS < 2)[:, None] + 1.0,
        "test_seen_loc": None,
        "train_loc": trained[files.LABELS[trained] < 4][:, None] + 1.0,
        "val_loc": trained[files.LABELS[trained] == 4][:, None] + 1.0,
    }


def test_a_file_without_seen_test_rows_is_a_standard_split(folder):
    split = read_xlsa17(files.write_folder(folder, splits=standard_file())).split()
    assert split.name == "SS"
    np.testing.assert_array_equal(split.trainval, np.flatnonzero(files.LABELS >= 2))
    assert (len(split.test_seen), len(split.folds)) == (0, 1)
    assert sorted(set(files.LABELS[split.folds[0].val])) == [4]


@pytest.mark.parametrize("ask", ["folder", "file"])
def test_a_folder_of_the_standard_split_takes_features_from_the_one_above(folder, ask):
    files.write_folder(folder)
    home = folder / "standard_split"
    files.write_folder(home, splits=standard_file())
    (home / "res101.mat").unlink()
    files.write_lists(home, trainclasses1=["zebra"], valclasses1=["bat", "seal"])
    files.write_lists(home, trainclasses2=["bat", "seal"], valclasses2=["zebra"])
    ds = (
        read_xlsa17(home)
        if ask == "folder"
        else read_xlsa17(folder, splits="standard_split/att_splits.mat")
    )
    assert ds.name == "Toy-standard_split"
    assert list(ds.splits) == ["SS"]
    assert [sorted(set(files.LABELS[f.val])) for f in ds.split().folds] == [[3, 4], [2]]


@pytest.mark.parametrize("where", ["elsewhere/att_splits.mat", "../Toy/att_splits.mat", ".."])
def test_splits_are_found_in_the_folder_and_in_known_subfolders(folder, where):
    files.write_folder(folder)
    (folder / "elsewhere").mkdir()
    (folder / "elsewhere" / "att_splits.mat").write_bytes((folder / "att_splits.mat").read_bytes())
    with pytest.raises(FileRefusedError):
        read_xlsa17(folder, splits=where)


def test_released_lists_of_the_standard_split_make_its_folds(folder):
    files.write_folder(folder)
    lists = {"trainvalclasses": ["zebra", "bat", "seal"], "testclasses": ["otter", "grizzly+bear"]}
    lists |= {"trainclasses1": ["zebra", "bat"], "valclasses1": ["seal"]}
    lists |= {"trainclasses2": ["seal", "bat"], "valclasses2": ["zebra"]}
    files.write_lists(folder / "standard_split", **lists)
    ds = read_xlsa17(folder)
    assert [sorted(set(files.LABELS[f.val])) for f in ds.splits["SS"].folds] == [[4], [2]]
    assert len(ds.splits["PS"].folds) == 1  # the lists of PS are in another folder


@pytest.mark.parametrize("split", ["PS", "SS"])
def test_a_benchmark_without_class_lists_gets_its_released_folds(tmp_path, in_process, split):
    table = class_facts("aPY").classes
    labels = np.repeat(np.arange(32), 4)
    column, fold = ("ps", "fold") if split == "PS" else ("ss", "ss_fold")
    unseen = np.flatnonzero(np.isin(labels, np.flatnonzero(table[column] == "test")))
    seen = np.setdiff1d(np.arange(len(labels)), unseen)
    folder = tmp_path / "mine"
    folder.mkdir()
    savemat(folder / "res101.mat", {"features": np.ones((3, 128)), "labels": labels[:, None] + 1.0})
    tables = {
        "att": np.eye(32),
        "allclasses_names": as_cells(list(table["class"])),
        "trainval_loc": np.setdiff1d(seen, seen[::4]) + 1.0,
        "test_seen_loc": seen[::4] + 1.0,
        "test_unseen_loc": unseen + 1.0,
    }
    if split == "SS":
        del tables["test_seen_loc"]
    savemat(folder / "att_splits.mat", tables)
    result = read_xlsa17(folder).splits[split]
    assert "released class lists of aPY" in result.note
    for k, item in enumerate(result.folds, start=1):
        assert set(labels[item.val]) == set(np.flatnonzero(table[f"{fold}{k}"] == "val"))


def test_attribute_names_are_read_if_their_number_matches(folder):
    files.write_folder(folder)
    (folder / "predicates.txt").write_text("    1\tblack\n 2\tbig teeth\n 3\twater\n 4\tpaws\n")
    assert read_xlsa17(folder).attribute_names == ("black", "big teeth", "water", "paws")
    (folder / "predicates.txt").write_text("1\tblack\n")
    assert read_xlsa17(folder).attribute_names[0] == "attribute 1"


def test_photographs_are_read_if_every_image_has_a_name(folder):
    long = [f"/{'deep/' * 60}{i // 2:06d}.jpg" for i in range(files.N)]
    read = read_xlsa17(files.write_folder(folder, features={"image_files": as_cells(long)}))
    assert len(set(read.image_files)) == files.N // 2
    assert read.image_files[0].endswith("deep/000000.jpg")
    for odd in (np.eye(3), as_cells(["a.jpg"]), as_cells([np.eye(2)] * files.N)):
        files.write_folder(folder, features={"image_files": odd})
        assert read_xlsa17(folder).image_files == ()


def test_folders_and_files_are_found_regardless_of_case(folder):
    files.write_folder(folder)
    (folder / "res101.mat").rename(folder / "Res101.MAT")
    assert read_xlsa17(folder.with_name("toy")).name == "Toy"


@pytest.mark.parametrize(("written", "name"), [("APY", "aPY"), ("awa1", "AWA1"), ("pets", "pets")])
def test_spellings_of_a_benchmark_give_one_name(folder, written, name):
    written_folder = files.write_folder(folder.with_name(written))
    assert read_xlsa17(written_folder).name == load(name).name == name


def test_unusual_file_names_become_part_of_the_name_of_the_import(folder):
    files.write_folder(folder)
    (folder / "res101.mat").rename(folder / "vgg_fc7.mat")
    (folder / "att_splits.mat").rename(folder / "att_splits_v1.mat")
    ds = read_xlsa17(folder, "vgg_fc7.mat", "att_splits_v1.mat")
    assert ds.name == "Toy-vgg_fc7-att_splits_v1"
    assert read_xlsa17(folder, "vgg_fc7.mat", "att_splits_v1.mat", name="mine").name == "mine"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": {"features": files.FEATURES}}, r"each of 7 rows of 30 features; got 30\."),
        ({"features": {"labels": files.LABELS}}, r"'labels'.*1\.\.5.*got 0 \(6 .*0-based\?"),
        (
            {"features": {"labels": files.LABELS + 9.0}},
            r"'labels'.*1\.\.5.*got 9 \(30 outside\)\.$",
        ),
        (
            {"splits": {"att": np.eye(4)}},
            r"'allclasses_names': .* one name for each of 4 .*; got 5\.",
        ),
        (
            {"splits": {"allclasses_names": as_cells([*files.CLASSES[:-1], files.CLASSES[0]])}},
            r"a different name for every class; got 'grizzly\+bear' for classes 0 and 4\.",
        ),
        ({"splits": {"test_seen_loc": np.array([0, 3])}}, r"'test_seen_loc'.*1\.\.30.*got 0 "),
        ({"splits": {"val_loc": np.array([31])}}, r"'val_loc'.*1\.\.30.*got 31 "),
        ({"splits": {"trainval_loc": np.array([1.5])}}, r"'trainval_loc'.*whole numbers; got 1\.5"),
        ({"splits": {"trainval_loc": None}}, r"'trainval_loc': not in the file, which holds att"),
    ],
)
def test_contradictory_files_are_refused_in_one_sentence(folder, changes, message):
    files.write_folder(folder, **changes)
    with pytest.raises(FileRefusedError, match=message):
        read_xlsa17(folder)


def test_a_missing_file_is_named_with_the_existing_ones(folder):
    with pytest.raises(FileRefusedError, match="expected a folder with res101.mat"):
        read_xlsa17(folder)
    files.write_folder(folder)
    for features in ("vgg.mat", "../Toy/res101.mat"):
        with pytest.raises(
            FileRefusedError, match=r"found att_splits\.mat, res101\.mat; say which"
        ):
            read_xlsa17(folder, features)


def test_split_arrays_are_as_stored(folder):
    files.write_folder(folder, splits={"trainval_loc": np.array([9, 2, 2]), "tunseen_loc": 1.0})
    arrays = read_split_arrays(folder / "att_splits.mat")
    assert arrays["trainval_loc"].tolist() == [9, 2, 2]
    assert tuple(arrays["allclasses_names"]) == files.CLASSES
    np.testing.assert_array_equal(arrays["att"], files.ATT)
    assert "tunseen_loc" not in arrays
    assert "labels" in read_split_arrays(folder / "res101.mat")


# --- Real files -----------------------------------------------------------------------------------

PARTS = ("trainval", "test_seen", "test_unseen")


@pytest.fixture(scope="module")
def real(shared, tmp_path_factory):
    """Read a real data set, imported once for all tests of this file."""
    data_folder = tmp_path_factory.mktemp("real")

    def read(*arguments):
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ZSL_DATA", str(data_folder))
            return read_xlsa17(shared / "data" / "xlsa17" / arguments[0], *arguments[1:])

    return read


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("files_", "shape", "classes", "rows", "folds"),
    [
        (("CUB", "vgg_fc7.mat"), (11788, 4096), (150, 50), (7057, 1764, 2967), [(100, 50)] * 3),
        (("AWA1", "phog.mat"), (30475, 252), (40, 10), (19832, 4958, 5685), [(27, 13)] * 3),
    ],
)
def test_real_features_have_the_published_counts(real, files_, shape, classes, rows, folds):
    ds = real(*files_)
    split = ds.splits["PS"]
    assert ds.features.shape == shape
    assert (len(split.seen_classes), len(split.unseen_classes)) == classes
    assert tuple(len(getattr(split, part)) for part in PARTS) == rows
    classes_of = [[len(set(ds.labels[rows])) for rows in (f.train, f.val)] for f in split.folds]
    assert [tuple(pair) for pair in classes_of] == folds
    for fold in split.folds:
        assert np.isin(np.concatenate([fold.train, fold.val]), split.trainval).all()
    of_unseen = np.flatnonzero(np.isin(ds.labels, split.unseen_classes))
    np.testing.assert_array_equal(split.test_unseen, of_unseen)
    np.testing.assert_allclose(np.linalg.norm(ds.prototypes, axis=1), 1, rtol=1e-5)


@pytest.mark.nightly
@pytest.mark.parametrize("folder", ["AWA1/standard_split_release", "AWA1"])
def test_the_released_standard_split_is_read_with_its_folds(real, folder):
    ds = real(folder, "phog.mat")
    split = ds.splits["SS"]
    assert (len(split.seen_classes), len(split.unseen_classes)) == (40, 10)
    assert (len(split.trainval), len(split.test_seen), len(split.test_unseen)) == (24295, 0, 6180)
    table = class_facts("AWA1").classes
    assert [sorted(set(ds.labels[f.val])) for f in split.folds] == [
        list(np.flatnonzero(table[f"ss_fold{k}"] == "val")) for k in (1, 2, 3)
    ]


@pytest.mark.nightly
def test_the_real_first_release_is_recognised(real):
    ds = real("AWA1", "phog.mat", "att_splits_v1.mat")
    split = ds.splits["PS v1"]
    assert "hold 4,958 of 4,958 test_seen rows" in split.note
    assert len(split.trainval) == 19832
    for fold in split.folds:
        assert not np.isin(split.test_seen, np.concatenate([fold.train, fold.val])).any()


@pytest.mark.parametrize("name", ["APY", "AWA1", "AWA2", "CUB", "SUN"])
def test_every_real_split_file_is_read(shared, name):
    arrays = read_split_arrays(shared / "data" / "xlsa17" / name / "att_splits.mat")
    n_images = {"APY": 15339, "AWA1": 30475, "AWA2": 37322, "CUB": 11788, "SUN": 14340}[name]
    parts = [arrays[f"{part}_loc"] for part in PARTS]
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(1, n_images + 1))
    assert len(arrays["att"]) == len(arrays["allclasses_names"])
