"""Exported data sets: read by plain SciPy like released code, and imported again."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.io import loadmat

from tests.datasets import files
from zslcore import evaluate, fit_and_score, get_method, load
from zslcore.__main__ import main
from zslcore.datasets import import_dataset, read_table
from zslcore.datasets.exporting import export_dataset
from zslcore.exceptions import DatasetError, ParameterError, UnknownNameError, ZSLError


def as_released_code_does(folder):
    """Load both files with the code that generative methods share."""
    matcontent = loadmat(folder / "res101.mat")
    feature = matcontent["features"].T
    label = matcontent["labels"].astype(int).squeeze() - 1
    matcontent = loadmat(folder / "att_splits.mat")
    loc = {
        part: matcontent[f"{part}_loc"].squeeze() - 1
        for part in ("trainval", "train", "val", "test_seen", "test_unseen")
        if f"{part}_loc" in matcontent
    }
    return SimpleNamespace(
        feature=feature,
        label=label,
        attribute=matcontent["att"].T,
        names=[name[0][0] for name in matcontent["allclasses_names"]],
        train_feature=feature[loc["trainval"]],
        test_unseen_label=label[loc["test_unseen"]],
        loc=loc,
        raw=matcontent.get("original_att"),
    )


@pytest.fixture
def dataset(own_data, tmp_path):
    """An import in the layout of the benchmark, with original attributes and three folds."""
    raw = {"original_att": 100 * files.ATT.T.astype(float)}
    folder = files.write_folder(tmp_path / "SOURCE", splits=raw)
    lists = {"trainclasses1": ["grizzly+bear", "zebra"], "valclasses1": ["otter"]}
    lists |= {"trainclasses2": ["otter", "zebra"], "valclasses2": ["grizzly+bear"]}
    files.write_lists(folder, **lists)
    return import_dataset(folder)


def same_split(a, b):
    for part in ("trainval", "test_seen", "test_unseen", "seen_classes", "unseen_classes"):
        np.testing.assert_array_equal(getattr(a, part), getattr(b, part))


def same_folds(a, b):
    assert len(a.folds) == len(b.folds) > 0
    for first, other in zip(a.folds, b.folds, strict=True):
        np.testing.assert_array_equal(first.train, other.train)
        np.testing.assert_array_equal(first.val, other.val)


def test_the_exported_layout_is_read_by_the_code_of_released_methods(dataset, tmp_path):
    export_dataset(dataset, tmp_path / "OUT")
    read, split = as_released_code_does(tmp_path / "OUT"), dataset.split("PS")
    assert read.feature.dtype == np.float64
    np.testing.assert_array_equal(read.feature.astype(np.float32), dataset.features)
    np.testing.assert_array_equal(read.label, dataset.labels)
    np.testing.assert_array_equal(read.attribute.astype(np.float32), dataset.prototypes)
    np.testing.assert_array_equal(read.raw.T.astype(np.float32), 100 * files.ATT)
    assert read.names == list(dataset.class_names)
    np.testing.assert_array_equal(read.train_feature, dataset.features[split.trainval])
    assert set(read.test_unseen_label) == set(split.unseen_classes)
    for part in ("trainval", "test_seen", "test_unseen"):
        np.testing.assert_array_equal(read.loc[part], getattr(split, part))
    np.testing.assert_array_equal(read.loc["train"], split.folds[0].train)
    np.testing.assert_array_equal(read.loc["val"], split.folds[0].val)
    shapes = {
        k: v.shape for k, v in loadmat(tmp_path / "OUT" / "res101.mat").items() if k[0] != "_"
    }
    n, d = dataset.features.shape
    assert shapes == {"features": (d, n), "labels": (n, 1), "image_files": (n, 1)}


def test_an_exported_layout_is_imported_unchanged(dataset, tmp_path):
    export_dataset(dataset, tmp_path / "OUT")
    again = import_dataset(tmp_path / "OUT")
    assert again.digest == dataset.digest
    assert again.class_names == dataset.class_names
    assert again.image_files == dataset.image_files
    same_split(again.split("PS"), dataset.split("PS"))
    same_folds(again.split("PS"), dataset.split("PS"))


def test_folds_without_class_lists_are_exported_as_rows(dataset, tmp_path):
    split = dataset.split("PS")
    fold = replace(split.folds[0], train=split.folds[0].train[1:])
    odd = replace(dataset, splits=[replace(split, folds=(fold,))])
    written = export_dataset(odd, tmp_path / "OUT")
    assert {path.name for path in written} == {"res101.mat", "att_splits.mat", "README.txt"}
    read = as_released_code_does(tmp_path / "OUT")
    np.testing.assert_array_equal(read.loc["train"], fold.train)


def test_digits_have_no_files_and_no_original_attributes(tmp_path):
    digits = load("digits")
    export_dataset(digits, tmp_path / "OUT")
    assert "image_files" not in loadmat(tmp_path / "OUT" / "res101.mat")
    assert as_released_code_does(tmp_path / "OUT").raw is None
    assert digits.digest in (tmp_path / "OUT" / "README.txt").read_text()
    assert "trained on  nothing" in (tmp_path / "OUT" / "README.txt").read_text()


def test_the_standard_split_is_exported_to_its_folder(tmp_path):
    data = load("simulated-AWA2")
    export_dataset(data, tmp_path / "AWA2")
    standard = loadmat(tmp_path / "AWA2" / "standard_split" / "att_splits.mat")
    assert "test_seen_loc" not in standard
    again = import_dataset(tmp_path / "AWA2", name="again")
    for name in ("PS", "SS"):
        same_split(again.split(name), data.split(name))
        same_folds(again.split(name), data.split(name))
    assert "simulated" in (tmp_path / "AWA2" / "README.txt").read_text()


def test_an_exported_archive_is_read_unchanged(dataset, tmp_path):
    export_dataset(dataset, tmp_path / "OUT", form="npz")
    again = read_table(tmp_path / "OUT" / f"{dataset.name}.npz")
    assert (again.digest, again.class_names) == (dataset.digest, dataset.class_names)
    assert again.image_files == dataset.image_files
    same_split(again.split("own"), dataset.split("PS"))


def test_parquet_has_one_row_per_image_and_one_row_per_class(dataset, tmp_path):
    export_dataset(dataset, tmp_path / "OUT", form="parquet")
    images = pd.read_parquet(tmp_path / "OUT" / f"{dataset.name}.parquet")
    classes = pd.read_parquet(tmp_path / "OUT" / f"{dataset.name}-classes.parquet")
    np.testing.assert_array_equal(images.filter(like="feature "), dataset.features)
    assert list(images["label"]) == [dataset.class_names[c] for c in dataset.labels]
    for part in ("trainval", "test_seen", "test_unseen"):
        rows = np.flatnonzero(images["split"] == part)
        np.testing.assert_array_equal(rows, getattr(dataset.split("PS"), part))
    np.testing.assert_array_equal(classes.drop(columns="class"), dataset.prototypes)
    assert tuple(classes["class"]) == dataset.class_names


def test_exported_parquet_is_imported_unchanged(dataset, tmp_path, capsys):
    export_dataset(dataset, tmp_path / "OUT", form="parquet")
    stem = str(tmp_path / "OUT" / dataset.name)
    words = ["import", f"{stem}.parquet", f"{stem}-classes.parquet", "--name", "again"]
    assert main(words) == 0, capsys.readouterr().err
    again = load("again")
    assert (again.digest, again.class_names) == (dataset.digest, dataset.class_names)
    same_split(again.split("own"), dataset.split("PS"))


def test_export_to_parquet_refuses_an_image_in_several_parts_or_none(dataset, tmp_path):
    split = dataset.split("PS")
    for change in (
        {"test_seen": split.trainval[:3]},
        {"trainval": split.trainval[3:], "folds": ()},
    ):
        odd = replace(dataset, splits=[replace(split, **change)])
        with pytest.raises(DatasetError, match="in none or several"):
            export_dataset(odd, tmp_path / "OUT", form="parquet")
    assert not (tmp_path / "OUT").exists()


def test_an_export_never_replaces_files(dataset, tmp_path):
    out = tmp_path / "OUT"
    (out / "proposed_split").mkdir(parents=True)
    class_list = out / "proposed_split" / "valclasses2.txt"
    class_list.write_text("mine")
    with pytest.raises(ParameterError, match="valclasses2.txt: expected no file of this name"):
        export_dataset(dataset, out)
    assert [path.name for path in out.rglob("*") if path.is_file()] == ["valclasses2.txt"]
    assert class_list.read_text() == "mine"
    export_dataset(dataset, out, overwrite=True)
    assert class_list.read_text() == "grizzly bear\n"


def test_an_unusable_folder_is_refused_before_the_export(dataset, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(ZSLError, match="file"):
        export_dataset(dataset, tmp_path / "file")
    with pytest.raises(ParameterError, match="expected a folder name"):
        export_dataset(dataset, tmp_path / "a\0b")
    with pytest.raises(UnknownNameError, match="Unknown format 'matt'; did you mean 'mat'"):
        export_dataset(dataset, tmp_path / "OUT", form="matt")
    with pytest.raises(UnknownNameError, match="Unknown split"):
        export_dataset(dataset, tmp_path / "OUT", split="XX")


def test_features_too_large_for_a_mat_file_are_refused_at_once(dataset, tmp_path, monkeypatch):
    monkeypatch.setattr("zslcore.datasets.exporting.MAX_VARIABLE", 100)
    with pytest.raises(DatasetError, match="less than 100 bytes for a MAT file; got 1,680"):
        export_dataset(dataset, tmp_path / "OUT")
    assert not (tmp_path / "OUT").exists()


def test_a_full_disk_is_refused_before_the_export(dataset, tmp_path, monkeypatch):
    usage = SimpleNamespace(free=10)
    monkeypatch.setattr("zslcore.datasets.exporting.shutil.disk_usage", lambda _: usage)
    with pytest.raises(ParameterError, match="expected room for 1,680 bytes of features; got 10"):
        export_dataset(dataset, tmp_path / "OUT")


def test_the_command_lists_the_written_files(dataset, tmp_path, printed):
    words = ["export", dataset.name, str(tmp_path / "OUT")]
    out = printed(*words)
    assert out.startswith(f"{dataset.name}, data {dataset.digest}, split PS\n")
    assert str(tmp_path / "OUT" / "res101.mat") in out
    assert "expected no file of this name" in printed(*words, status=2)
    assert main([*words, "--overwrite"]) == 0


@pytest.mark.nightly
def test_cub_is_exported_and_imported_unchanged(own_data, shared, tmp_path):
    source = shared / "data" / "xlsa17" / "CUB"
    cub = import_dataset(source, features="vgg_fc7.mat", name="cub")
    export_dataset(cub, tmp_path / "CUB")
    ours, theirs = loadmat(tmp_path / "CUB" / "att_splits.mat"), loadmat(source / "att_splits.mat")
    for part in ("trainval", "test_seen", "test_unseen", "train", "val"):
        of_ours, of_theirs = (np.sort(rows[f"{part}_loc"], axis=0) for rows in (ours, theirs))
        np.testing.assert_array_equal(of_ours, of_theirs)  # the released rows are not sorted
    for variable in ("att", "original_att"):
        assert ours[variable].dtype == theirs[variable].dtype
        np.testing.assert_array_equal(ours[variable], theirs[variable].astype(np.float32))
    features = loadmat(tmp_path / "CUB" / "res101.mat")["features"]
    np.testing.assert_array_equal(features, loadmat(source / "vgg_fc7.mat")["features"])
    again = import_dataset(tmp_path / "CUB", name="again")
    assert again.digest == cub.digest
    for name in ("PS", "SS"):
        same_split(again.split(name), cub.split(name))
        same_folds(again.split(name), cub.split(name))
    H = []
    for data in (cub, again):
        scores = fit_and_score(get_method("ESZSL")(), data, data.split("PS"))
        H.append(evaluate(scores, 0.0).plain.harmonic)
    assert H[0] == H[1] > 0
