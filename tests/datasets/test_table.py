import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.datasets import files
from tests.writing import write_file
from zslcore.datasets import import_dataset, load
from zslcore.datasets.table import read_table
from zslcore.exceptions import DatasetError, FileRefusedError, UnknownNameError

pytestmark = pytest.mark.usefixtures("in_process")

ARRAYS = {
    "features": files.FEATURES,
    "labels": files.LABELS,
    "prototypes": files.ATT,
    "class_names": np.array(files.CLASSES),
    "attribute_names": np.array(["black", "fast", "wet", "old"]),
    "trainval": files.TRAINVAL,
    "test_seen": files.TEST_SEEN,
    "test_unseen": files.UNSEEN,
}
SPLIT = ("trainval", "test_seen", "test_unseen")


def arrays(**changes):
    return {key: value for key, value in (ARRAYS | changes).items() if value is not None}


def npz(tmp_path, **changes):
    return write_file(tmp_path / "mine.npz", arrays(**changes))


def hdf5(tmp_path, **changes):
    path = tmp_path / "mine.h5"
    with h5py.File(path, "w") as file:
        for key, value in arrays(**changes).items():
            file[key] = value.astype("S") if value.dtype.kind == "U" else value
    return path


def csv(tmp_path, *, split=True, name="mine.csv"):
    place = np.full(files.N, "trainval", dtype="<U11")
    place[files.TEST_SEEN], place[files.UNSEEN] = "test_seen", "test_unseen"
    lines = [",".join(["label", *(["split"] if split else []), *(f"f{j}" for j in range(7))])]
    for i in range(files.N):
        texts = [files.CLASSES[files.LABELS[i]], *([place[i]] if split else [])]
        lines.append(",".join([*texts, *map(repr, files.FEATURES[i].tolist())]))
    return write_file(tmp_path / name, "\n".join(lines) + "\n")


def prototypes(tmp_path):
    lines = ["class,black,fast,wet,old"]
    lines += [
        ",".join([name, *map(repr, row.tolist())])
        for name, row in zip(files.CLASSES, files.ATT, strict=True)
    ]
    return write_file(tmp_path / "prototypes.csv", "\n".join(lines) + "\n")


KINDS = {
    "npz": lambda folder: read_table(npz(folder)),
    "hdf5": lambda folder: read_table(hdf5(folder)),
    "csv": lambda folder: read_table(csv(folder), prototypes=prototypes(folder)),
    "npz with csv": lambda folder: read_table(
        npz(folder, prototypes=None, class_names=None), prototypes=prototypes(folder)
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_file_gives_the_same_data_set(tmp_path, kind):
    ds = KINDS[kind](tmp_path)
    np.testing.assert_array_equal(ds.features, files.FEATURES)
    np.testing.assert_array_equal(ds.labels, files.LABELS)
    np.testing.assert_array_equal(ds.prototypes, files.ATT)
    assert ds.class_names == files.CLASSES
    assert ds.attribute_names == ("black", "fast", "wet", "old")
    split = ds.splits["own"]
    np.testing.assert_array_equal(split.trainval, files.TRAINVAL)
    np.testing.assert_array_equal(split.test_seen, files.TEST_SEEN)
    np.testing.assert_array_equal(split.test_unseen, files.UNSEEN)
    validated = [int(c) for fold in split.folds for c in np.unique(ds.labels[fold.val])]
    assert sorted(validated) == [0, 1, 2]
    assert ds.name == "mine"


@pytest.mark.parametrize("unseen", [("bat", "seal"), (3, 4), ("seal", 3, "bat")])
def test_unseen_classes_define_a_split_if_none_is_given(tmp_path, unseen):
    path = npz(tmp_path, **dict.fromkeys(SPLIT))
    split = read_table(path, unseen=unseen).splits["own"]
    assert split.unseen_classes.tolist() == [3, 4]
    np.testing.assert_array_equal(split.test_unseen, files.UNSEEN)
    assert len(split.test_seen) == 3
    assert len(split.folds) == 3


def test_without_split_or_unseen_classes_the_message_names_them(tmp_path):
    path = npz(tmp_path, **dict.fromkeys(SPLIT))
    with pytest.raises(DatasetError, match=r"mine\.npz: expected training .* unseen="):
        read_table(path)
    with pytest.raises(DatasetError, match="unseen classes by unseen= .* got neither"):
        read_table(csv(tmp_path, split=False), prototypes=prototypes(tmp_path))


def test_unseen_classes_in_addition_to_a_split_are_refused(tmp_path):
    with pytest.raises(DatasetError, match="holds a split"):
        read_table(npz(tmp_path), unseen=["bat"])


def test_an_unseen_class_that_does_not_exist_gets_the_nearest_name(tmp_path):
    path = npz(tmp_path, **dict.fromkeys(SPLIT))
    with pytest.raises(UnknownNameError, match="'zebra'"):
        read_table(path, unseen=["zebr"])
    with pytest.raises(UnknownNameError, match="unseen class 5"):
        read_table(path, unseen=[5])


def test_seen_test_rows_and_names_may_be_missing(tmp_path):
    ds = read_table(npz(tmp_path, test_seen=None, class_names=None, attribute_names=None))
    assert len(ds.splits["own"].test_seen) == 0
    assert ds.class_names[:2] == ("class 0", "class 1")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": None}, r"mine\.npz, variable 'features': not in the file"),
        ({"prototypes": None}, r"prototypes in a second file"),
        ({"labels": files.LABELS[:-1]}, "'labels': expected one label for .* 30 rows .*; got 29"),
        ({"labels": files.LABELS + 0.5}, r"'labels': expected whole numbers; got 0\.5"),
        ({"labels": files.LABELS + 1}, r"'labels': .* numbers 0\.\.4 .*; got 5 \(6 outside\)"),
        ({"class_names": np.array(["a"])}, "'class_names': .* one name for each of 5 .*; got 1"),
        (
            {"class_names": np.array(["otter", "bat", "seal", "otter", "zebra"])},
            "got 'otter' for classes 0 and 3",
        ),
        ({"features": files.FEATURES * np.nan}, "'features': expected finite numbers; got nan"),
        ({"test_unseen": None}, "expected rows in 'test_unseen'; got none"),
        ({"trainval": np.array([0, 30])}, "must lie in 0..29; got 30"),
        ({"features": np.array([[1 + 2j]])}, "expected numbers or strings; got complex128"),
    ],
)
def test_contradictory_files_are_refused_in_one_sentence(tmp_path, changes, message):
    with pytest.raises(DatasetError, match=message):
        read_table(npz(tmp_path, **changes))


def test_a_mat_file_is_refused_as_a_table(tmp_path):
    files.write_folder(tmp_path)
    with pytest.raises(FileRefusedError, match="expected NumPy archive or HDF5"):
        read_table(tmp_path / "res101.mat")


CSV = {
    "a short line": (lambda s: s.replace("\n", "\notter,trainval,1\n", 1), r"line 2: expected 9"),
    "a long line": (lambda s: s[:-1] + ",7\n", r"line 31: expected 9 fields; got 10"),
    "every line long": (
        lambda s: s.replace("\n", ",7\n").replace(",7\n", "\n", 1),
        r"line 2: expected 9 fields; got 10",
    ),
    "a word": (lambda s: s[:-1] + "x\n", r"line 31, column 'f6': expected a finite number"),
    "nothing": (lambda s: s[: s.rindex(",") + 1] + "\n", r"line 31, column 'f6':.*got ''"),
    "nan": (lambda s: s[: s.rindex(",") + 1] + "nan\n", r"line 31, column 'f6':.*got 'nan'"),
    "too large": (lambda s: s[: s.rindex(",") + 1] + "1e39\n", r"line 31, column 'f6':.*'1e39'"),
    "an open quote": (lambda s: s[:-1] + '\n"otter,trainval,1', r"line 32: expected CSV"),
    "a quote open to the end": (
        lambda s: 'f,label\n1,otter\n2,"bat\n3,cat\n',
        "line 4: expected CSV; got other text",
    ),
    "a number with an underscore": (
        lambda s: "label,f\notter,1_0\n",
        "line 2, column 'f': expected a finite number; got '1_0'",
    ),
    "a class": (lambda s: s.replace("otter", "oter", 1), r"data row 7, 'oter'; .*'otter'\?"),
    "a part": (lambda s: s.replace("test_seen", "tset_seen", 1), r"data row 1: .* got 'tset_seen'"),
    "no label": (lambda s: s.replace("label", "lable", 1), r"line 1: expected a column 'label'"),
    "twice": (lambda s: s.replace("f1", "f2", 1), r"line 1: .*'f2' more than once"),
    "no rows": (lambda s: s.split("\n")[0] + "\n", r"at least one row"),
    "semicolons": (lambda s: s.replace(",", ";"), r"expected a column 'label'; got label;split"),
    "empty": (lambda s: "", r"line 1: expected a column 'label'"),
    "no features": (lambda s: "label,split\notter,trainval\n", "at least one column of numbers"),
    "a long name": (lambda s: '"' + "x" * 200_000 + "\n1\n", "expected a column 'label'"),
    "a long field": (
        lambda s: "label,f\n" + 'otter,"' + "1" * 2_000_000 + '"\n',
        "line 2: expected CSV",
    ),
    "an index": (
        lambda s: ",label,f\n0,otter,x\n",
        "line 2, column 'f': expected a finite number; got 'x'",
    ),
}


@pytest.mark.parametrize("fault", CSV)
def test_a_fault_in_a_csv_is_reported_with_its_line(tmp_path, fault):
    change, message = CSV[fault]
    path = csv(tmp_path)
    with pytest.raises((FileRefusedError, UnknownNameError), match=message) as caught:
        read_table(write_file(path, change(path.read_text())), prototypes=prototypes(tmp_path))
    assert "mine.csv" in str(caught.value)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 700


def test_spaces_around_quoted_texts_and_blank_lines_do_not_count(tmp_path):
    path = csv(tmp_path)
    plain = read_table(path, prototypes=prototypes(tmp_path))
    lines = path.read_text().splitlines()
    path.write_text(
        "\n  \n".join(lines).replace("trainval,", ' "trainval", ', 5).replace("bat,", '"bat",')
    )
    quoted = read_table(path, prototypes=prototypes(tmp_path))
    assert quoted.digest == plain.digest


def test_csv_that_is_not_text_is_refused(tmp_path):
    path = csv(tmp_path)
    path.write_bytes(path.read_bytes() + b"\x81\xfe,trainval,1,2,3,4,5,6,7\n")
    with pytest.raises(FileRefusedError, match="expected UTF-8 text"):
        read_table(path, prototypes=prototypes(tmp_path))


def test_a_csv_beyond_the_limits_is_never_parsed(tmp_path, monkeypatch):
    path = csv(tmp_path)
    monkeypatch.setattr("zslcore.untrusted.readers.csv_files.MAX_COLUMNS", 8)
    with pytest.raises(FileRefusedError, match="at most 8 columns, each once; got 9"):
        read_table(path, prototypes=prototypes(tmp_path))
    monkeypatch.setattr("zslcore.untrusted.tables.MAX_CSV_BYTES", 100)
    with pytest.raises(FileRefusedError, match="a CSV file of at most 100 bytes"):
        read_table(path, prototypes=prototypes(tmp_path))


def test_a_csv_needs_prototypes_and_each_class_once(tmp_path):
    path = csv(tmp_path)
    with pytest.raises(DatasetError, match="prototypes in a second CSV file"):
        read_table(path)
    side = prototypes(tmp_path)
    with pytest.raises(FileRefusedError, match=r"prototypes\.csv: .* 'bat' for classes 3 and 5"):
        read_table(path, prototypes=write_file(side, side.read_text() + "bat,1,2,3,4\n"))
    with pytest.raises(FileRefusedError, match=r"none\.csv: expected a file"):
        read_table(path, prototypes=tmp_path / "none.csv")


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1))
def test_numbers_survive_a_csv_to_the_last_bit(tmp_path_factory, values):
    folder = tmp_path_factory.mktemp("csv")
    side = folder / "p.csv"
    side.write_text("class,a\n" + "".join(f"c{i},{v!r}\n" for i, v in enumerate(values)))
    rows = "".join(f"c{i},trainval,{v!r}\nc0,test_unseen,0\n" for i, v in enumerate(values))
    ds = read_table(write_file(folder / "f.csv", "label,split,x\n" + rows), prototypes=side)
    np.testing.assert_array_equal(ds.features[::2, 0], np.array(values, np.float32))
    np.testing.assert_array_equal(ds.prototypes[:, 0], np.array(values, np.float32))


@pytest.mark.parametrize("kind", ["npz", "csv"])
def test_an_imported_table_is_mapped_and_repeated_if_corrupt(tmp_path, own_data, kind):
    if kind == "npz":
        first = import_dataset(
            npz(tmp_path, **dict.fromkeys(SPLIT)), unseen=["bat", "seal"], name="own-table"
        )
    else:
        first = import_dataset(csv(tmp_path), prototypes=prototypes(tmp_path), name="own-table")
    assert isinstance(load("own-table").features, np.memmap)
    for path in own_data.glob("imported/*/features.npy"):
        path.unlink()
    assert load("own-table").digest == first.digest
    np.testing.assert_array_equal(load("own-table").splits["own"].test_unseen, files.UNSEEN)


@pytest.mark.parametrize("title", ["path", "Image Name", "image_file"])
def test_file_names_and_row_numbers_of_a_csv_are_not_features(tmp_path, title):
    path = csv(tmp_path)
    lines = path.read_text().splitlines()
    more = [f"{title},id,Unnamed: 0", *(f"a/{row}.jpg,{row},{7 * row}" for row in range(files.N))]
    path.write_text("".join(f"{a},{b}\n" for a, b in zip(more, lines, strict=True)))
    ds = read_table(path, prototypes=prototypes(tmp_path))
    np.testing.assert_array_equal(ds.features, files.FEATURES)
    assert ds.image_files == tuple(f"a/{row}.jpg" for row in range(files.N))
    assert "left out: id" in ds.source


def test_labels_of_a_csv_may_be_spelled_differently(tmp_path):
    path = csv(tmp_path)
    path.write_text(path.read_text().replace("grizzly+bear", "Grizzly bear"))
    ds = read_table(path, prototypes=prototypes(tmp_path))
    np.testing.assert_array_equal(ds.labels, files.LABELS)


def test_names_of_photographs_are_imported(tmp_path):
    names = [f"{row // 2:03d}.jpg" for row in range(files.N)]
    for make in (npz, hdf5):
        ds = read_table(make(tmp_path, image_files=np.array(names)))
        assert ds.image_files == tuple(names)
    path = csv(tmp_path)
    lines = path.read_text().splitlines()
    head, *rows = [line.split(",", 1) for line in lines]
    with_names = [f"{head[0]},image_file,{head[1]}"]
    with_names += [f"{a},{name},{b}" for (a, b), name in zip(rows, names, strict=True)]
    ds = read_table(write_file(path, "\n".join(with_names) + "\n"), prototypes=prototypes(tmp_path))
    assert ds.image_files == tuple(names)
    assert ds.features.shape == files.FEATURES.shape
    assert read_table(npz(tmp_path)).image_files == ()
    with pytest.raises(DatasetError, match=r"expected one image file per sample \(30\) or none"):
        read_table(npz(tmp_path, image_files=np.array(names[1:])))


def test_train_and_val_of_an_archive_are_reported_as_unread_and_leaking(tmp_path):
    rng, labels = np.random.default_rng(0), np.repeat(np.arange(4), 10)
    arrays = {
        "features": rng.normal(size=(40, 3)),
        "labels": labels,
        "prototypes": rng.random((4, 5)),
        "trainval": np.arange(0, 25),
        "test_seen": np.arange(25, 30),
        "test_unseen": np.arange(30, 40),
    }
    np.savez(tmp_path / "clean.npz", **arrays)
    np.savez(tmp_path / "leak.npz", **arrays, train=np.arange(0, 28), val=np.arange(30, 35))
    assert "not read" not in read_table(tmp_path / "clean.npz").source
    table = read_table(tmp_path / "leak.npz").source
    assert "train, val: not read from archives; 8 of their rows are test rows" in table


def test_parts_in_a_column_may_be_train_and_test(tmp_path):
    path = csv(tmp_path)
    text = path.read_text()
    expected = read_table(path, prototypes=prototypes(tmp_path)).split("own")
    for part, word in (("trainval", "Train"), ("test_seen", "test"), ("test_unseen", "TEST")):
        text = text.replace(f",{part},", f",{word},")
    split = read_table(write_file(path, text), prototypes=prototypes(tmp_path)).split("own")
    for part in ("trainval", "test_seen", "test_unseen"):
        np.testing.assert_array_equal(getattr(split, part), getattr(expected, part))
